#include "cli/common/tensor_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/common/report.h"
#include "proto/types.pb-c.h"
#include "tensorflow/c/tf_tstring.h"

enum { EDGE_ITEMS = 3, LINE_WIDTH = 75, MAX_STRING = 60 };

// --- Elements ---

static double half_to_double(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 31  ? (fraction ? NAN : INFINITY)
                 : exponent == 0 ? ldexp(fraction, -24)
                                 : ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

static double bfloat16_to_double(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof(value));
  return value;
}

// Elements of foreign data need not be aligned.
#define LOAD(type, data, i)                                                    \
  ({                                                                           \
    type loaded_;                                                              \
    memcpy(&loaded_, (const char *)(data) + (i) * sizeof(type), sizeof(type)); \
    loaded_;                                                                   \
  })

static bool is_integer(int dtype) {
  switch (dtype) {
    case TENSORFLOW__DATA_TYPE__DT_FLOAT:
    case TENSORFLOW__DATA_TYPE__DT_DOUBLE:
    case TENSORFLOW__DATA_TYPE__DT_HALF:
    case TENSORFLOW__DATA_TYPE__DT_BFLOAT16:
    case TENSORFLOW__DATA_TYPE__DT_COMPLEX64:
    case TENSORFLOW__DATA_TYPE__DT_COMPLEX128:
    case TENSORFLOW__DATA_TYPE__DT_STRING: return false;
    default: return true;
  }
}

static bool is_complex(int dtype) {
  return dtype == TENSORFLOW__DATA_TYPE__DT_COMPLEX64 || dtype == TENSORFLOW__DATA_TYPE__DT_COMPLEX128;
}

static bool is_single(int dtype) {
  return dtype != TENSORFLOW__DATA_TYPE__DT_DOUBLE && dtype != TENSORFLOW__DATA_TYPE__DT_COMPLEX128;
}

// An integer of any kind but uint64 above INT64_MAX.
static int64_t integer_at(const sli_tensor_text_view_t *tensor, size_t i) {
  switch (tensor->dtype) {
    case TENSORFLOW__DATA_TYPE__DT_INT8:
    case TENSORFLOW__DATA_TYPE__DT_QINT8: return LOAD(int8_t, tensor->data, i);
    case TENSORFLOW__DATA_TYPE__DT_INT16:
    case TENSORFLOW__DATA_TYPE__DT_QINT16: return LOAD(int16_t, tensor->data, i);
    case TENSORFLOW__DATA_TYPE__DT_INT32:
    case TENSORFLOW__DATA_TYPE__DT_QINT32: return LOAD(int32_t, tensor->data, i);
    case TENSORFLOW__DATA_TYPE__DT_UINT16:
    case TENSORFLOW__DATA_TYPE__DT_QUINT16: return LOAD(uint16_t, tensor->data, i);
    case TENSORFLOW__DATA_TYPE__DT_UINT32: return LOAD(uint32_t, tensor->data, i);
    case TENSORFLOW__DATA_TYPE__DT_INT64:
    case TENSORFLOW__DATA_TYPE__DT_UINT64: return LOAD(int64_t, tensor->data, i);
    default: return LOAD(uint8_t, tensor->data, i);
  }
}

// The real (part 0) or imaginary part of a floating-point element.
static double real_at(const sli_tensor_text_view_t *tensor, size_t i, size_t part) {
  switch (tensor->dtype) {
    case TENSORFLOW__DATA_TYPE__DT_FLOAT: return LOAD(float, tensor->data, i);
    case TENSORFLOW__DATA_TYPE__DT_DOUBLE: return LOAD(double, tensor->data, i);
    case TENSORFLOW__DATA_TYPE__DT_HALF: return half_to_double(LOAD(uint16_t, tensor->data, i));
    case TENSORFLOW__DATA_TYPE__DT_BFLOAT16: return bfloat16_to_double(LOAD(uint16_t, tensor->data, i));
    case TENSORFLOW__DATA_TYPE__DT_COMPLEX64: return LOAD(float, tensor->data, 2 * i + part);
    case TENSORFLOW__DATA_TYPE__DT_COMPLEX128: return LOAD(double, tensor->data, 2 * i + part);
    default: return 0;
  }
}

static bool is_large(const sli_tensor_text_view_t *tensor, size_t i) {
  return tensor->dtype == TENSORFLOW__DATA_TYPE__DT_UINT64 && integer_at(tensor, i) < 0;
}

double sli_tensor_text_number(const sli_tensor_text_view_t *tensor, size_t i) {
  if (!is_integer(tensor->dtype)) return real_at(tensor, i, 0);
  return is_large(tensor, i) ? (double)(uint64_t)integer_at(tensor, i) : (double)integer_at(tensor, i);
}

json_t *sli_tensor_text_json(const sli_tensor_text_view_t *tensor, size_t i) {
  if (tensor->dtype == TENSORFLOW__DATA_TYPE__DT_STRING) return sli_report_string(tensor->strings[i]);
  if (tensor->dtype == TENSORFLOW__DATA_TYPE__DT_BOOL) return json_boolean(integer_at(tensor, i) != 0);
  if (is_complex(tensor->dtype))
    return json_pack("[o, o]", sli_report_number(real_at(tensor, i, 0)), sli_report_number(real_at(tensor, i, 1)));
  if (!is_integer(tensor->dtype) || is_large(tensor, i)) return sli_report_number(sli_tensor_text_number(tensor, i));
  return json_integer(integer_at(tensor, i));
}

// Appends a number as NumPy prints it: "1." for a whole number.
static void append_real(sli_string_t *out, double value, bool single) {
  size_t start = out->size;
  sli_report_append_double(out, value, single);
  if (!strpbrk(out->data + start, ".en")) sli_string_append_char(out, '.');
}

static void append_element(sli_string_t *out, const sli_tensor_text_view_t *tensor, size_t i) {
  if (tensor->dtype == TENSORFLOW__DATA_TYPE__DT_STRING) {
    json_t *text = sli_report_string(tensor->strings[i]);
    sli_string_append_char(out, 'b');
    sli_report_append_quoted(out, text, MAX_STRING);
    json_decref(text);
  } else if (tensor->dtype == TENSORFLOW__DATA_TYPE__DT_BOOL) {
    sli_string_append_text(out, integer_at(tensor, i) ? "True" : "False");
  } else if (is_complex(tensor->dtype)) {
    append_real(out, real_at(tensor, i, 0), is_single(tensor->dtype));
    double imaginary = real_at(tensor, i, 1);
    if (!signbit(imaginary) || isnan(imaginary)) sli_string_append_char(out, '+');
    append_real(out, imaginary, is_single(tensor->dtype));
    sli_string_append_char(out, 'j');
  } else if (!is_integer(tensor->dtype)) {
    append_real(out, real_at(tensor, i, 0), is_single(tensor->dtype));
  } else if (is_large(tensor, i)) {
    sli_string_append_format(out, "%" PRIu64, (uint64_t)integer_at(tensor, i));
  } else {
    sli_string_append_format(out, "%" PRId64, integer_at(tensor, i));
  }
}

// --- Whole tensors ---

// Visits the elements to print: first to find the widest, then to print them.
typedef struct {
  const sli_tensor_text_view_t *tensor;
  sli_string_t *out;  // NULL: measure
  bool edges_only;
  size_t width, line_start;
} walk_t;

static void visit_element(walk_t *walk, size_t i) {
  sli_string_t text = {0};
  append_element(&text, walk->tensor, i);
  if (!walk->out) {
    // Numbers are aligned in columns; strings are not.
    if (text.size > walk->width && walk->tensor->dtype != TENSORFLOW__DATA_TYPE__DT_STRING) walk->width = text.size;
  } else {
    sli_string_append_format(walk->out, "%*s", (int)walk->width, sli_string_text(&text));
  }
  sli_string_deinitialize(&text);
}

static void separate(walk_t *walk, int depth) {
  if (!walk->out) return;
  int below = walk->tensor->rank - depth - 1;
  bool wraps = below == 0 && walk->out->size - walk->line_start + 1 + walk->width > LINE_WIDTH;
  if (below == 0 && !wraps) {
    sli_string_append_char(walk->out, ' ');
    return;
  }
  for (int i = 0; i < (below ? below : 1); i++) sli_string_append_char(walk->out, '\n');
  walk->line_start = walk->out->size;
  sli_string_append_format(walk->out, "%*s", depth + 1, "");
}

// |stride| elements are below each index of dimension |depth|.
static void visit(walk_t *walk, int depth, size_t start, size_t stride) {
  if (depth == walk->tensor->rank) {
    visit_element(walk, start);
    return;
  }
  int64_t size = walk->tensor->dims[depth];
  if (size > 0) stride /= (size_t)size;
  if (walk->out) sli_string_append_char(walk->out, '[');
  bool cut = walk->edges_only && size > 2 * EDGE_ITEMS;
  for (int64_t i = 0; i < size; i++) {
    if (i) separate(walk, depth);
    if (cut && i == EDGE_ITEMS) {
      if (walk->out) sli_string_append_text(walk->out, "...");
      separate(walk, depth);
      i = size - EDGE_ITEMS;
    }
    visit(walk, depth + 1, start + (size_t)i * stride, stride);
  }
  if (walk->out) sli_string_append_char(walk->out, ']');
}

void sli_tensor_text_append(sli_string_t *out, const sli_tensor_text_view_t *tensor, int64_t limit) {
  if (tensor->count == 0 && tensor->rank > 0) {
    sli_string_append_text(out, "[]");
    return;
  }
  walk_t walk = {.tensor = tensor, .edges_only = tensor->count > (uint64_t)limit};
  visit(&walk, 0, 0, tensor->count);
  walk.out = out;
  walk.line_start = out->size;
  visit(&walk, 0, 0, tensor->count);
}

json_t *sli_tensor_text_statistics(const sli_tensor_text_view_t *tensor) {
  if (tensor->count < 2 || tensor->dtype == TENSORFLOW__DATA_TYPE__DT_STRING ||
      tensor->dtype == TENSORFLOW__DATA_TYPE__DT_BOOL || is_complex(tensor->dtype))
    return NULL;
  double least = INFINITY, most = -INFINITY, sum = 0;
  size_t nan_count = 0, inf_count = 0;
  for (size_t i = 0; i < tensor->count; i++) {
    double value = sli_tensor_text_number(tensor, i);
    nan_count += isnan(value);
    inf_count += isinf(value) != 0;
    if (!isfinite(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
    sum += value;
  }
  json_t *statistics = json_object();
  size_t finite = tensor->count - nan_count - inf_count;
  if (finite) {
    json_object_set_new(statistics, "min", json_real(least));
    json_object_set_new(statistics, "max", json_real(most));
    json_object_set_new(statistics, "mean", sli_report_number(sum / (double)finite));
  }
  if (nan_count) json_object_set_new(statistics, "nan", json_integer((json_int_t)nan_count));
  if (inf_count) json_object_set_new(statistics, "inf", json_integer((json_int_t)inf_count));
  return statistics;
}

void sli_tensor_text_append_tensor(sli_string_t *out, const TF_Tensor *tensor, int64_t limit) {
  int rank = TF_NumDims(tensor);
  int64_t *dims = sli_calloc((size_t)rank + 1, sizeof(*dims));
  for (int d = 0; d < rank; d++) dims[d] = TF_Dim(tensor, d);
  sli_tensor_text_view_t view = {.dtype = (int)TF_TensorType(tensor),
                                 .rank = rank,
                                 .dims = dims,
                                 .data = TF_TensorData(tensor),
                                 .count = (size_t)TF_TensorElementCount(tensor)};
  sli_view_t *strings = NULL;
  if (TF_TensorType(tensor) == TF_STRING) {
    strings = sli_calloc(view.count + 1, sizeof(*strings));
    const TF_TString *items = TF_TensorData(tensor);
    for (size_t i = 0; i < view.count; i++)
      strings[i] = sli_view_of(TF_StringGetDataPointer(&items[i]), TF_StringGetSize(&items[i]));
    view.strings = strings;
  }
  sli_tensor_text_append(out, &view, limit);
  free(strings);
  free(dims);
}

bool sli_tensor_text_scalar(const Tensorflow__TensorProto *proto, double *out_value) {
  size_t size = sli_report_dtype_size((int)proto->dtype);
  for (size_t i = 0; proto->tensor_shape && i < proto->tensor_shape->n_dim; i++)
    if (proto->tensor_shape->dim[i]->size != 1) return false;
  if (size && proto->tensor_content.len == size) {
    sli_tensor_text_view_t tensor = {.dtype = (int)proto->dtype, .data = proto->tensor_content.data, .count = 1};
    *out_value = sli_tensor_text_number(&tensor, 0);
  } else if (proto->n_float_val) {
    *out_value = proto->float_val[0];
  } else if (proto->n_double_val) {
    *out_value = proto->double_val[0];
  } else if (proto->n_int_val) {
    *out_value = proto->int_val[0];
  } else if (proto->n_int64_val) {
    *out_value = (double)proto->int64_val[0];
  } else if (proto->n_bool_val) {
    *out_value = proto->bool_val[0];
  } else {
    return false;
  }
  return true;
}
