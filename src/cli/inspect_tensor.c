#include "cli/inspect_tensor.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/inspect_text.h"
#include "proto/types.pb-c.h"

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
static int64_t integer_at(const sli_inspect_tensor_t *tensor, size_t i) {
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
static double real_at(const sli_inspect_tensor_t *tensor, size_t i, size_t part) {
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

static bool is_large(const sli_inspect_tensor_t *tensor, size_t i) {
  return tensor->dtype == TENSORFLOW__DATA_TYPE__DT_UINT64 && integer_at(tensor, i) < 0;
}

double sli_inspect_element(const sli_inspect_tensor_t *tensor, size_t i) {
  if (!is_integer(tensor->dtype)) return real_at(tensor, i, 0);
  return is_large(tensor, i) ? (double)(uint64_t)integer_at(tensor, i) : (double)integer_at(tensor, i);
}

json_t *sli_inspect_element_json(const sli_inspect_tensor_t *tensor, size_t i) {
  if (tensor->dtype == TENSORFLOW__DATA_TYPE__DT_STRING) return sli_inspect_string(tensor->strings[i]);
  if (tensor->dtype == TENSORFLOW__DATA_TYPE__DT_BOOL) return json_boolean(integer_at(tensor, i) != 0);
  if (is_complex(tensor->dtype))
    return json_pack("[o, o]", sli_inspect_number(real_at(tensor, i, 0)), sli_inspect_number(real_at(tensor, i, 1)));
  if (!is_integer(tensor->dtype) || is_large(tensor, i)) return sli_inspect_number(sli_inspect_element(tensor, i));
  return json_integer(integer_at(tensor, i));
}

// As numpy: "1." for a whole number.
static void append_real(sli_string_t *out, double value, bool single) {
  size_t start = out->size;
  sli_inspect_append_double(out, value, single);
  if (!strpbrk(out->data + start, ".en")) sli_string_append_char(out, '.');
}

static void append_element(sli_string_t *out, const sli_inspect_tensor_t *tensor, size_t i) {
  if (tensor->dtype == TENSORFLOW__DATA_TYPE__DT_STRING) {
    json_t *text = sli_inspect_string(tensor->strings[i]);
    sli_string_append_char(out, 'b');
    sli_inspect_append_quoted(out, text, MAX_STRING);
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

// --- All of them ---

// A walk over the elements that are shown, first to measure, then to print.
typedef struct {
  const sli_inspect_tensor_t *tensor;
  sli_string_t *out;  // NULL: measure
  bool edges_only;
  size_t width, line_start;
} walk_t;

static void visit_element(walk_t *walk, size_t i) {
  sli_string_t text = {0};
  append_element(&text, walk->tensor, i);
  if (!walk->out) {
    // Numbers stand below one another; texts of any length need not.
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

void sli_inspect_append_tensor(sli_string_t *out, const sli_inspect_tensor_t *tensor, int64_t limit) {
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

json_t *sli_inspect_statistics(const sli_inspect_tensor_t *tensor) {
  if (tensor->count < 2 || tensor->dtype == TENSORFLOW__DATA_TYPE__DT_STRING ||
      tensor->dtype == TENSORFLOW__DATA_TYPE__DT_BOOL || is_complex(tensor->dtype))
    return NULL;
  double least = INFINITY, most = -INFINITY, sum = 0;
  size_t nan_count = 0, inf_count = 0;
  for (size_t i = 0; i < tensor->count; i++) {
    double value = sli_inspect_element(tensor, i);
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
    json_object_set_new(statistics, "mean", sli_inspect_number(sum / (double)finite));
  }
  if (nan_count) json_object_set_new(statistics, "nan", json_integer((json_int_t)nan_count));
  if (inf_count) json_object_set_new(statistics, "inf", json_integer((json_int_t)inf_count));
  return statistics;
}
