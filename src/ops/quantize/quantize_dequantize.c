// QuantizeAndDequantize and its versions V2 to V4: rounds to the numbers that |num_bits| can represent, symmetric
// around 0. The range is given, or that of the input; with |axis| each slice has its own.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "ops/quantize/quantized_types.h"

typedef struct {
  bool is_signed, range_given, is_narrow, half_up;
  int64_t bits, axis;
  float min, max;  // attributes of the first version
} rounding_t;

static sli_status_t *check_bits(const rounding_t *r, const char *quote) {
  if (r->bits > 0 && r->bits < (r->is_signed ? 64 : 63)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "num_bits is out of range: %lld with %ssigned_input_%s %d",
                         (long long)r->bits, quote, quote, r->is_signed);
}

static sli_status_t *check_range(double min, double max) {
  if (min <= max) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid range: input_min %g > input_max %g", min, max);
}

static sli_status_t *rounding_create(const sli_kernel_setup_t *setup, void **out_state) {
  const sli_node_def_t *node = setup->node;
  rounding_t r = {.axis = -1};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "signed_input", &r.is_signed));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "range_given", &r.range_given));
  if (sli_node_attr(node, "axis")) SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "axis", &r.axis));
  if (sli_node_attr(node, "narrow_range")) SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "narrow_range", &r.is_narrow));
  if (sli_node_attr(node, "round_mode")) {
    sli_view_t mode;
    SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "round_mode", &mode));
    r.half_up = sli_view_is(mode, "HALF_UP");
  }
  if (sli_node_attr(node, "num_bits")) {
    SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_bits", &r.bits));
    SLI_RETURN_IF_ERROR(check_bits(&r, ""));
  }
  if (sli_node_attr(node, "input_min")) {
    SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "input_min", &r.min));
    SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "input_max", &r.max));
    if (r.range_given) SLI_RETURN_IF_ERROR(check_range((double)r.min, (double)r.max));
  }
  *out_state = sli_memdup(&r, sizeof(r));
  return NULL;
}

// --- The loops, for both types --------------------------------------------------------------------

// Finds the scale for a range, and the range that it can represent.
#define FIND_SCALE(T, name, LARGEST)                                                         \
  static void find_scale_##name(const rounding_t *r, T *min, T *max, T *scale, T *inverse) { \
    const int64_t highest = (int64_t)((UINT64_C(1) << (r->bits - r->is_signed)) - 1);        \
    const int64_t lowest = !r->is_signed ? 0 : r->is_narrow ? -highest : -highest - 1;       \
    const T of_min = (T)lowest * *min > 0 ? (T)lowest / *min : LARGEST;                      \
    const T of_max = (T)highest * *max > 0 ? (T)highest / *max : LARGEST;                    \
    const bool is_min = of_min < of_max;                                                     \
    *scale = is_min ? of_min : of_max;                                                       \
    *inverse = is_min ? *min / (T)lowest : *max / (T)highest;                                \
    *(is_min ? max : min) = (T)(is_min ? highest : lowest) * *inverse;                       \
  }
FIND_SCALE(float, float, FLT_MAX)
FIND_SCALE(double, double, DBL_MAX)

#define ROUND_SLICE(T, name, RINT, FLOOR)                                                                            \
  static void round_slice_##name(const rounding_t *r, const T *in, sli_quantized_slices_t s, T min, T max, T *out) { \
    T scale, inverse;                                                                                                \
    find_scale_##name(r, &min, &max, &scale, &inverse);                                                              \
    for (int64_t b = 0; b < s.before; b++) {                                                                         \
      for (int64_t i = b * s.slices * s.after; i < b * s.slices * s.after + s.after; i++) {                          \
        T value = in[i];                                                                                             \
        if (r->range_given) value = value > max ? max : value;                                                       \
        if (r->range_given) value = value < min ? min : value;                                                       \
        value *= scale;                                                                                              \
        out[i] = (r->half_up ? FLOOR(value + (T)0.5) : RINT(value)) * inverse;                                       \
      }                                                                                                              \
    }                                                                                                                \
  }
ROUND_SLICE(float, float, rintf, floorf)
ROUND_SLICE(double, double, rint, floor)

static void find_range(const sli_tensor_t *input, sli_quantized_slices_t s, int64_t slice, double *min, double *max) {
  *min = INFINITY;
  *max = -INFINITY;
  for (int64_t b = 0; b < s.before; b++) {
    for (int64_t i = 0; i < s.after; i++) {
      int64_t at = (b * s.slices + slice) * s.after + i;
      double value = input->dtype == SLI_DTYPE_FLOAT ? SLI_DATA(float, input)[at] : SLI_DATA(double, input)[at];
      if (value < *min) *min = value;
      if (value > *max) *max = value;
    }
  }
}

static double real_at(const sli_tensor_t *tensor, int64_t i) {
  return tensor->dtype == SLI_DTYPE_FLOAT ? SLI_DATA(float, tensor)[i] : SLI_DATA(double, tensor)[i];
}

static sli_status_t *run_rounding(sli_kernel_context_t *context, const rounding_t *r, const sli_tensor_t *mins,
                                  const sli_tensor_t *maxes) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  sli_quantized_slices_t s = sli_quantized_slice(input, r->axis);
  if (output->count == 0) return NULL;
  for (int64_t slice = 0; slice < s.slices; slice++) {
    double min, max;
    if (!r->range_given) {
      find_range(input, s, slice, &min, &max);
    } else {
      min = mins ? real_at(mins, slice) : (double)r->min;
      max = maxes ? real_at(maxes, slice) : (double)r->max;
    }
    if (input->dtype == SLI_DTYPE_FLOAT)
      round_slice_float(r, SLI_DATA(float, input) + slice * s.after, s, (float)min, (float)max,
                        SLI_DATA(float, output) + slice * s.after);
    else
      round_slice_double(r, SLI_DATA(double, input) + slice * s.after, s, min, max,
                         SLI_DATA(double, output) + slice * s.after);
  }
  return NULL;
}

// --- The kernels ----------------------------------------------------------------------------------

static sli_status_t *check_axis(const sli_tensor_t *input, int64_t axis) {
  if (axis < -1) return sli_status_make(SLI_INVALID_ARGUMENT, "Axis must be at least -1. Found %lld", (long long)axis);
  if (axis >= input->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be at least rank %lld but is rank %d", (long long)axis + 1,
                           input->rank);
  return NULL;
}

static sli_status_t *check_size(const sli_tensor_t *tensor, const sli_tensor_t *input, const char *name, int64_t axis,
                                int64_t wanted) {
  if (tensor->count == wanted) return NULL;
  if (axis < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be a scalar if axis is unspecified, got shape %s", name,
                           sli_tensor_shape_text(tensor).text);
  return sli_status_make(
      SLI_INVALID_ARGUMENT, "%s_tensor has incorrect size, was %lld expected %lld to match dim %lld of the input %s",
      name, (long long)tensor->count, (long long)wanted, (long long)axis, sli_tensor_shape_text(tensor).text);
}

static sli_status_t *first_compute(sli_kernel_context_t *context) {
  return run_rounding(context, sli_kernel_state(context), NULL, NULL);
}

static sli_status_t *run_given(sli_kernel_context_t *context, const rounding_t *r) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  const sli_tensor_t *mins = sli_kernel_input(context, 1), *maxes = sli_kernel_input(context, 2);
  SLI_RETURN_IF_ERROR(check_axis(input, r->axis));
  if (r->range_given) {
    const int64_t wanted = r->axis < 0 ? 1 : input->dims[r->axis];
    SLI_RETURN_IF_ERROR(check_size(mins, input, "input_min", r->axis, wanted));
    SLI_RETURN_IF_ERROR(check_size(maxes, input, "input_max", r->axis, wanted));
    if (r->axis < 0) SLI_RETURN_IF_ERROR(check_range(real_at(mins, 0), real_at(maxes, 0)));
  }
  return run_rounding(context, r, mins, maxes);
}

static sli_status_t *given_compute(sli_kernel_context_t *context) {
  return run_given(context, sli_kernel_state(context));
}

static sli_status_t *third_compute(sli_kernel_context_t *context) {
  rounding_t r = *(const rounding_t *)sli_kernel_state(context);
  const sli_tensor_t *bits = sli_kernel_input(context, 3);
  if (bits->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Invalid shape. The `num_bits` tensor should be a scalar. Got dimensions: %d", bits->rank);
  r.bits = *SLI_DATA(int32_t, bits);
  SLI_RETURN_IF_ERROR(check_bits(&r, "`"));
  return run_given(context, &r);
}

static sli_status_t *gradient_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *gradients = sli_kernel_input(context, 0), *input = sli_kernel_input(context, 1);
  const sli_tensor_t *mins = sli_kernel_input(context, 2), *maxes = sli_kernel_input(context, 3);
  sli_tensor_t *passed, *other[2];
  int64_t axis;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "axis", &axis));
  if (!sli_tensor_same_shape(gradients, input))
    return sli_status_make(SLI_INVALID_ARGUMENT, "gradient and input must be the same size");
  SLI_RETURN_IF_ERROR(check_axis(input, axis));
  if (axis < 0 && mins->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input_min must be a scalar if axis is unspecified");
  if (axis < 0 && maxes->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input_max must be a scalar if axis is unspecified");
  sli_quantized_slices_t s = sli_quantized_slice(input, axis);
  if (mins->count != s.slices || mins->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "min has incorrect size, expected %lld was %lld", (long long)s.slices,
                           (long long)mins->count);
  if (maxes->count != s.slices || maxes->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "max has incorrect size, expected %lld was %lld", (long long)s.slices,
                           (long long)maxes->count);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &passed));
  for (int i = 0; i < 2; i++) {
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, i + 1, sli_tensor_shape(mins), &other[i]));
    if (other[i]->count) memset(other[i]->data, 0, sli_tensor_bytes(other[i]));
  }
  for (int64_t i = 0; i < input->count; i++) {
    const int64_t slice = i / s.after % s.slices;
    const double value = real_at(input, i);
    const bool is_inside = value >= real_at(mins, slice) && value <= real_at(maxes, slice);
    if (input->dtype == SLI_DTYPE_FLOAT)
      SLI_DATA(float, passed)[i] = is_inside ? SLI_DATA(float, gradients)[i] : 0;
    else
      SLI_DATA(double, passed)[i] = is_inside ? SLI_DATA(double, gradients)[i] : 0;
  }
  return NULL;
}

// --- Shapes and gradients -------------------------------------------------------------------------

// Checks the shapes of the range, inputs |first| and |first| + 1, against that of the values.
static sli_status_t *check_range_shapes(sli_infer_context_t *c, sli_shape_t values, int first, sli_shape_t *out_range) {
  int64_t axis, unused;
  sli_shape_t range;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "axis", &axis));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, sli_infer_input(c, first), axis == -1 ? 0 : 1, &range));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, range, sli_infer_input(c, first + 1), &range));
  if (axis < -1) return sli_status_make(SLI_INVALID_ARGUMENT, "axis should be at least -1, got %lld", (long long)axis);
  if (axis != -1) {
    if (axis >= SLI_MAX_RANK)
      return sli_status_make(SLI_INVALID_ARGUMENT, "axis cannot be >= kint32max value, got %lld", (long long)axis);
    SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, values, (int)axis + 1, &values));
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(range.dims[0], sli_infer_dim(values, (int)axis), &unused));
  }
  *out_range = range;
  return NULL;
}

static sli_status_t *given_shape(sli_infer_context_t *c) {
  sli_shape_t range, bits;
  SLI_RETURN_IF_ERROR(check_range_shapes(c, sli_infer_input(c, 0), 1, &range));
  if (c->node->input_count > 3) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 0, &bits));
  return sli_infer_fn_unchanged(c);
}

static sli_status_t *gradient_shape(sli_infer_context_t *c) {
  sli_shape_t inputs, range = {0};
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, 0), sli_infer_input(c, 1), &inputs));
  SLI_RETURN_IF_ERROR(check_range_shapes(c, inputs, 2, &range));
  sli_infer_set_output(c, 0, inputs);
  sli_infer_set_output(c, 1, range);
  sli_infer_set_output(c, 2, range);
  return NULL;
}

static sli_status_t *pass_gradient(sli_gradient_builder_t *b) { return sli_emit_set(b, sli_gradient_of_output(b, 0)); }

// Also of the gradient itself, as TensorFlow has it.
static sli_status_t *fourth_gradient(sli_gradient_builder_t *b) {
  sli_attr_entry_t attrs[] = {{"axis", *sli_node_attr(b->node, "axis")}};
  sli_output_t inputs[] = {sli_gradient_of_output(b, 0), sli_gradient_input(b, 0), sli_gradient_input(b, 1),
                           sli_gradient_input(b, 2)};
  sli_output_t found = sli_gradient_emit(b, "QuantizeAndDequantizeV4Grad", inputs, 4, attrs, 1);
  for (int i = 0; i < 3; i++) sli_gradient_set(b, i, sli_output_at(found, i));
  return NULL;
}

#define TYPES "T: {bfloat16, half, float, double}"
#define ROUND_MODE \
  "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'; narrow_range: bool = false; axis: int = -1"

static const sli_op_def_t ops[] = {
    {.name = "QuantizeAndDequantize",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "signed_input: bool = true; num_bits: int = 8; range_given: bool = false; input_min: float = 0; "
              "input_max: float = 0; " TYPES,
     .summary = "Rounds to numbers of few bits.",
     .shape = sli_infer_fn_unchanged,
     .gradient = pass_gradient,
     .deprecated_in = 22,
     .deprecation = "Replaced by QuantizeAndDequantizeV2"},
    {.name = "QuantizeAndDequantizeV2",
     .inputs = "input: T, input_min: T, input_max: T",
     .outputs = "output: T",
     .attrs = "signed_input: bool = true; num_bits: int = 8; range_given: bool = false; " TYPES "; " ROUND_MODE,
     .summary = "Rounds to numbers of few bits.",
     .shape = given_shape,
     .gradient = pass_gradient},
    {.name = "QuantizeAndDequantizeV3",
     .inputs = "input: T, input_min: T, input_max: T, num_bits: int32",
     .outputs = "output: T",
     .attrs =
         "signed_input: bool = true; range_given: bool = true; " TYPES "; narrow_range: bool = false; axis: int = -1",
     .summary = "Rounds to numbers of as many bits as the graph says.",
     .shape = given_shape,
     .gradient = pass_gradient},
    {.name = "QuantizeAndDequantizeV4",
     .inputs = "input: T, input_min: T, input_max: T",
     .outputs = "output: T",
     .attrs = "signed_input: bool = true; num_bits: int = 8; range_given: bool = false; " TYPES "; " ROUND_MODE,
     .summary = "Rounds to numbers of few bits; the gradient is that within the range.",
     .shape = given_shape,
     .gradient = fourth_gradient},
    {.name = "QuantizeAndDequantizeV4Grad",
     .inputs = "gradients: T, input: T, input_min: T, input_max: T",
     .outputs = "input_backprop: T, input_min_backprop: T, input_max_backprop: T",
     .attrs = TYPES "; axis: int = -1",
     .summary = "The gradient of QuantizeAndDequantizeV4.",
     .shape = gradient_shape,
     .gradient = fourth_gradient},
};

#define REALS (SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)
#define KERNEL(name, function) \
  { .op = name, .types = REALS, .compute = function, .create = rounding_create, .destroy = free }

static const sli_kernel_def_t kernels[] = {
    KERNEL("QuantizeAndDequantize", first_compute),
    KERNEL("QuantizeAndDequantizeV2", given_compute),
    KERNEL("QuantizeAndDequantizeV3", third_compute),
    KERNEL("QuantizeAndDequantizeV4", given_compute),
    {.op = "QuantizeAndDequantizeV4Grad", .types = REALS, .compute = gradient_compute},
};

SLI_OP_MODULE(quantize_dequantize);
