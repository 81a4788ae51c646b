// Bitcast: the same bytes with another type. CheckNumerics: an error for NaN or infinity. LowerBound, UpperBound:
// positions in sorted rows.
#include <math.h>
#include <string.h>

#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/half.h"

// A dim is added if the elements get smaller, and removed if they get larger.
static sli_status_t *bitcast_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_dtype_t to = context->node->output_types[0];
  size_t in_size = sli_dtype_size(input->dtype), out_size = sli_dtype_size(to);
  int64_t dims[SLI_MAX_RANK + 1];
  int rank = input->rank;
  memcpy(dims, input->dims, (size_t)rank * sizeof(int64_t));
  if (out_size < in_size) {
    dims[rank++] = (int64_t)(in_size / out_size);
  } else if (out_size > in_size) {
    if (rank == 0 || dims[rank - 1] != (int64_t)(out_size / in_size)) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot bitcast from %s to %s: shape %s",
                             sli_dtype_name(input->dtype), sli_dtype_name(to), sli_tensor_shape_text(input).text);
    }
    rank--;
  }
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(rank));
  sli_kernel_set_output(context, 0, sli_tensor_view(input, to, 0, dims, rank));
  return NULL;
}

static sli_status_t *bitcast_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0);
  if (in.rank < 0) return sli_infer_fn_unknown(c);
  size_t in_size = sli_dtype_size(c->node->input_types[0]), out_size = sli_dtype_size(c->node->output_types[0]);
  if (in_size == 0 || out_size == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot bitcast between these types");
  if (out_size < in_size) {
    in = sli_infer_concatenate(c, in, sli_infer_make(c, 1, (int64_t[]){(int64_t)(in_size / out_size)}));
  } else if (out_size > in_size) {
    if (in.rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot bitcast due to shape. %s", sli_shape_text(in).text);
    int64_t last = in.dims[in.rank - 1];
    if (last >= 0 && last != (int64_t)(out_size / in_size)) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot bitcast due to shape. %lld does not match %zu",
                             (long long)last, out_size / in_size);
    }
    in = sli_infer_subshape(c, in, 0, in.rank - 1);
  }
  sli_infer_set_output(c, 0, in);
  return NULL;
}

typedef struct {
  bool nan, positive, negative;
} findings_t;

static void examine(double value, findings_t *found) {
  if (isnan(value)) found->nan = true;
  if (isinf(value)) *(value > 0 ? &found->positive : &found->negative) = true;
}

static findings_t examine_all(const sli_tensor_t *tensor) {
  findings_t found = {0};
  for (int64_t i = 0; i < tensor->count; i++) {
    switch (tensor->dtype) {
      case SLI_DTYPE_FLOAT: examine(SLI_DATA(const float, tensor)[i], &found); break;
      case SLI_DTYPE_DOUBLE: examine(SLI_DATA(const double, tensor)[i], &found); break;
      case SLI_DTYPE_HALF: examine(sli_half_to_float(SLI_DATA(const sli_half_t, tensor)[i]), &found); break;
      default: examine(sli_bfloat16_to_float(SLI_DATA(const sli_bfloat16_t, tensor)[i]), &found); break;
    }
  }
  return found;
}

static sli_status_t *check_numerics(sli_kernel_context_t *context, bool with_signs) {
  findings_t found = examine_all(sli_kernel_input(context, 0));
  sli_view_t message;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "message", &message));
  bool infinite = found.positive || found.negative;
  if (found.nan || infinite) {
    const char *what;
    if (with_signs && infinite) {
      what = found.positive && found.negative ? (found.nan ? "-Inf, +Inf, and NaN" : "-Inf and +Inf")
             : found.positive                 ? (found.nan ? "+Inf and NaN" : "+Inf")
                                              : (found.nan ? "-Inf and NaN" : "-Inf");
    } else {
      what = found.nan && infinite ? "Inf and NaN" : found.nan ? "NaN" : "Inf";
    }
    return sli_status_make(SLI_INVALID_ARGUMENT, "%.*s : Tensor had %s values", SLI_VIEW_ARG(message), what);
  }
  sli_kernel_set_output(context, 0, sli_tensor_retain(sli_kernel_input(context, 0)));
  return NULL;
}

static sli_status_t *check_numerics_compute(sli_kernel_context_t *context) { return check_numerics(context, false); }
static sli_status_t *check_numerics_v2_compute(sli_kernel_context_t *context) { return check_numerics(context, true); }

static sli_status_t *check_numerics_gradient(sli_gradient_builder_t *b) {
  sli_view_t message;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(b->node, "message", &message));
  sli_string_t text = {0};
  sli_string_append_format(&text, "Not a number (NaN) or infinity (Inf) values detected in gradient. %.*s",
                           SLI_VIEW_ARG(message));
  sli_gradient_set(b, 0,
                   SLI_EMIT_WITH(b, b->node->op->def->name, SLI_INPUTS(sli_gradient_of_output(b, 0)),
                                 SLI_ATTRS(SLI_ATTR_STRING_OF("message", sli_string_text(&text)))));
  sli_string_deinitialize(&text);
  return NULL;
}

// The position in a sorted row where |value| is to be inserted: before equal values (lower) or after them (upper).
#define DEFINE_BOUND(name, T, C, load)                                                      \
  static int64_t bound_##name(const T *row, int64_t count, const T *value_at, bool upper) { \
    C value = load(*value_at);                                                              \
    int64_t low = 0, high = count;                                                          \
    while (low < high) {                                                                    \
      int64_t middle = low + (high - low) / 2;                                              \
      C at = load(row[middle]);                                                             \
      if (upper ? !(value < at) : at < value) {                                             \
        low = middle + 1;                                                                   \
      } else {                                                                              \
        high = middle;                                                                      \
      }                                                                                     \
    }                                                                                       \
    return low;                                                                             \
  }
#define PLAIN(x) (x)
DEFINE_BOUND(float, float, float, PLAIN)
DEFINE_BOUND(double, double, double, PLAIN)
DEFINE_BOUND(half, sli_half_t, float, sli_half_to_float)
DEFINE_BOUND(bfloat16, sli_bfloat16_t, float, sli_bfloat16_to_float)
DEFINE_BOUND(int8, int8_t, int8_t, PLAIN)
DEFINE_BOUND(int16, int16_t, int16_t, PLAIN)
DEFINE_BOUND(int32, int32_t, int32_t, PLAIN)
DEFINE_BOUND(int64, int64_t, int64_t, PLAIN)
DEFINE_BOUND(uint8, uint8_t, uint8_t, PLAIN)
DEFINE_BOUND(uint16, uint16_t, uint16_t, PLAIN)
DEFINE_BOUND(uint32, uint32_t, uint32_t, PLAIN)
DEFINE_BOUND(uint64, uint64_t, uint64_t, PLAIN)

static int64_t find_bound(sli_dtype_t dtype, const void *row, int64_t count, const void *value, bool upper) {
  switch (dtype) {
    case SLI_DTYPE_FLOAT: return bound_float(row, count, value, upper);
    case SLI_DTYPE_DOUBLE: return bound_double(row, count, value, upper);
    case SLI_DTYPE_HALF: return bound_half(row, count, value, upper);
    case SLI_DTYPE_BFLOAT16: return bound_bfloat16(row, count, value, upper);
    case SLI_DTYPE_INT8: return bound_int8(row, count, value, upper);
    case SLI_DTYPE_INT16: return bound_int16(row, count, value, upper);
    case SLI_DTYPE_INT32: return bound_int32(row, count, value, upper);
    case SLI_DTYPE_INT64: return bound_int64(row, count, value, upper);
    case SLI_DTYPE_UINT8: return bound_uint8(row, count, value, upper);
    case SLI_DTYPE_UINT16: return bound_uint16(row, count, value, upper);
    case SLI_DTYPE_UINT32: return bound_uint32(row, count, value, upper);
    default: return bound_uint64(row, count, value, upper);
  }
}

static sli_status_t *bound(sli_kernel_context_t *context, bool upper) {
  sli_tensor_t *sorted = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 1), *output;
  if (sorted->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "sorted input argument must be a matrix");
  if (values->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "values argument must be a matrix");
  if (sorted->dims[0] != values->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Leading dim_size of both tensors must match.");
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(values), &output));
  if (output->dtype == SLI_DTYPE_INT32 && sorted->dims[1] > INT32_MAX) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "trailing dim_size of sorted input must be less than the maximum of int32");
  }
  for (int64_t i = 0; i < values->count; i++) {
    const void *row = sli_tensor_at(sorted, i / values->dims[1] * sorted->dims[1]);
    sli_tensor_set_int(output, i, find_bound(sorted->dtype, row, sorted->dims[1], sli_tensor_at(values, i), upper));
  }
  return NULL;
}

static sli_status_t *lower_bound_compute(sli_kernel_context_t *context) { return bound(context, false); }
static sli_status_t *upper_bound_compute(sli_kernel_context_t *context) { return bound(context, true); }

static sli_status_t *bound_shape(sli_infer_context_t *c) {
  sli_shape_t sorted, values;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &sorted));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 2, &values));
  sli_infer_set_output(c, 0, values);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Bitcast",
     .inputs = "input: T",
     .outputs = "output: type",
     .attrs =
         "T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, "
         "complex128, qint8, quint8, qint16, quint16, qint32}; type: {bfloat16, half, float, double, int64, int32, "
         "uint8, uint16, uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}",
     .summary = "The same bytes with another type.",
     .shape = bitcast_shape,
     .forwards_input = true},
    {.name = "CheckNumerics",
     .inputs = "tensor: T",
     .outputs = "output: T",
     .attrs = "T: {bfloat16, half, float, double}; message: string",
     .summary = "Fails on NaN and infinity.",
     .shape = sli_infer_fn_unchanged,
     .gradient = check_numerics_gradient,
     .is_stateful = true,
     .is_check = true,
     .forwards_input = true},
    {.name = "CheckNumericsV2",
     .inputs = "tensor: T",
     .outputs = "output: T",
     .attrs = "T: {bfloat16, half, float, double}; message: string",
     .summary = "Fails on NaN and infinity, and reports which.",
     .shape = sli_infer_fn_unchanged,
     .gradient = check_numerics_gradient,
     .is_stateful = true,
     .is_check = true,
     .forwards_input = true},
    {.name = "LowerBound",
     .inputs = "sorted_inputs: T, values: T",
     .outputs = "output: out_type",
     .attrs = "T: type; out_type: {int32, int64} = DT_INT32",
     .summary = "The first positions at which values can be inserted into sorted rows.",
     .shape = bound_shape},
    {.name = "UpperBound",
     .inputs = "sorted_inputs: T, values: T",
     .outputs = "output: out_type",
     .attrs = "T: type; out_type: {int32, int64} = DT_INT32",
     .summary = "The last positions at which values can be inserted into sorted rows.",
     .shape = bound_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Bitcast", .compute = bitcast_compute},
    {.op = "CheckNumerics", .types = SLI_TYPES_FLOATING, .compute = check_numerics_compute},
    {.op = "CheckNumericsV2", .types = SLI_TYPES_FLOATING, .compute = check_numerics_v2_compute},
    {.op = "LowerBound", .types = SLI_TYPES_REAL, .compute = lower_bound_compute},
    {.op = "UpperBound", .types = SLI_TYPES_REAL, .compute = upper_bound_compute},
};

SLI_OP_MODULE(bits);
