// Simple ops on quantized tensors, which carry their range along: QuantizedReshape, QuantizedConcat (which converts to
// a common range), QuantizeDownAndShrinkRange (32 bits to 8, in the range that the values use).
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "ops/array/concat.h"
#include "ops/array/reshape.h"
#include "ops/quantize/quantized_types.h"

static sli_status_t *put_float(sli_kernel_context_t *context, int index, float value) {
  sli_kernel_set_output(context, index, sli_tensor_scalar_float(value));
  return NULL;
}

// --- QuantizedReshape -----------------------------------------------------------------------------

static sli_status_t *reshape_compute(sli_kernel_context_t *context) {
  for (int i = 2; i < 4; i++) {
    if (sli_kernel_input(context, i)->count != 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "input_%s must have one element, got shape %s",
                             i == 2 ? "min" : "max", sli_tensor_shape_text(sli_kernel_input(context, i)).text);
  }
  SLI_RETURN_IF_ERROR(sli_reshape_compute(context));
  for (int i = 1; i < 3; i++)
    SLI_RETURN_IF_ERROR(put_float(context, i, *SLI_DATA(float, sli_kernel_input(context, i + 1))));
  return NULL;
}

static sli_status_t *reshape_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_reshape_shape(c));
  for (int i = 2; i < 4; i++) {
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
    sli_infer_set_output(c, i - 1, SLI_SHAPE_SCALAR);
  }
  return NULL;
}

// --- QuantizedConcat ------------------------------------------------------------------------------

typedef struct {
  float min, max;
} range_t;

// The common range of all inputs; of signed types symmetric around 0.
static range_t find_common(sli_kernel_context_t *context, int count, bool is_signed) {
  range_t common = {FLT_MAX, -FLT_MAX};
  for (int i = 0; i < count; i++) {
    common.min = fminf(common.min, *SLI_DATA(float, sli_kernel_input(context, 1 + count + i)));
    common.max = fmaxf(common.max, *SLI_DATA(float, sli_kernel_input(context, 1 + 2 * count + i)));
  }
  common.min = fminf(common.min, 0);
  if (is_signed) {
    float largest = fmaxf(fabsf(common.min), fabsf(common.max));
    common = (range_t){-largest, largest};
  }
  return common;
}

// Copies |count| elements; from one range to another if they differ.
static void requantize(const sli_tensor_t *from, int64_t from_at, range_t in, sli_tensor_t *to, int64_t to_at,
                       range_t out, int64_t count) {
  const sli_dtype_t dtype = (sli_dtype_t)from->dtype;
  if (in.min == out.min && in.max == out.max) {
    memcpy(sli_tensor_at(to, to_at), sli_tensor_at(from, from_at), (size_t)count * sli_dtype_size(dtype));
    return;
  }
  const float lowest = (float)sli_quantized_lowest(dtype);
  const double steps = (double)sli_quantized_highest(dtype) - (double)sli_quantized_lowest(dtype);
  const float in_scale = (float)((double)(in.max - in.min) / steps);
  const float in_min = in.max == in.min ? in.min : roundf(in.min / in_scale) * in_scale;
  const float out_scale = out.max == out.min ? 0 : (float)(steps / (double)(out.max - out.min));
  const float out_min = roundf(out.min * out_scale) - lowest;
  for (int64_t i = 0; i < count; i++) {
    float value = (in_min - lowest * in_scale) + (float)sli_quantized_at(from, from_at + i) * in_scale;
    sli_quantized_set(to, to_at + i, sli_quantized_clamp(dtype, roundf(value * out_scale) - out_min));
  }
}

// Checks the inputs and finds the dims of the result.
static sli_status_t *join_dims(sli_kernel_context_t *context, int count, int64_t *out_axis, int64_t *dims) {
  const sli_tensor_t *axis = sli_kernel_input(context, 0), *head = sli_kernel_input(context, 1);
  if (axis->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Concat dim tensor should be a scalar integer, but got shape %s",
                           sli_tensor_shape_text(axis).text);
  *out_axis = *SLI_DATA(int32_t, axis);
  if (*out_axis < 0 || *out_axis >= head->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "ConcatOp : Expected concatenating dimensions in the range [0, %d), but got %lld",
                           head->rank, (long long)*out_axis);
  memcpy(dims, head->dims, (size_t)head->rank * sizeof(int64_t));
  dims[*out_axis] = 0;
  for (int i = 0; i < count; i++) {
    const sli_tensor_t *value = sli_kernel_input(context, 1 + i);
    if (value->rank != head->rank)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "ConcatOp : Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
                             sli_tensor_shape_text(head).text, i, sli_tensor_shape_text(value).text);
    for (int d = 0; d < head->rank; d++) {
      if (d != *out_axis && value->dims[d] != head->dims[d])
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "ConcatOp : Dimensions of inputs should match: shape[0] = %s vs. shape[%d] = %s",
                               sli_tensor_shape_text(head).text, i, sli_tensor_shape_text(value).text);
    }
    dims[*out_axis] += value->dims[*out_axis];
    for (int part = 1; part < 3; part++) {
      const sli_tensor_t *range = sli_kernel_input(context, 1 + part * count + i);
      if (range->count != 1)
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "input_%s each tensor's num elements must be 1, given num elements %lld in index %d",
                               part == 1 ? "mins" : "maxes", (long long)range->count, i);
    }
  }
  return NULL;
}

static sli_status_t *concat_compute(sli_kernel_context_t *context) {
  const int count = (context->input_count - 1) / 3;
  const sli_tensor_t *head = sli_kernel_input(context, 1);
  int64_t axis, dims[SLI_MAX_RANK];
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(join_dims(context, count, &axis, dims));
  range_t common = find_common(context, count, sli_quantized_lowest((sli_dtype_t)head->dtype) < 0);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){head->rank, dims}, &output));
  if (output->count) {
    const int64_t rows = sli_shape_product(dims, 0, (int)axis), pitch = output->count / rows;
    int64_t at = 0;
    for (int i = 0; i < count; i++) {
      const sli_tensor_t *value = sli_kernel_input(context, 1 + i);
      const int64_t width = value->count / rows;
      range_t range = {*SLI_DATA(float, sli_kernel_input(context, 1 + count + i)),
                       *SLI_DATA(float, sli_kernel_input(context, 1 + 2 * count + i))};
      for (int64_t row = 0; row < rows; row++)
        requantize(value, row * width, range, output, row * pitch + at, common, width);
      at += width;
    }
  }
  SLI_RETURN_IF_ERROR(put_float(context, 1, common.min));
  return put_float(context, 2, common.max);
}

static sli_status_t *concat_shape(sli_infer_context_t *c) {
  const int count = (c->node->input_count - 1) / 3;
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_concat_shape(c, 1, count, 0));
  for (int i = 1 + count; i < c->node->input_count; i++)
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
  sli_infer_set_output(c, 1, SLI_SHAPE_SCALAR);
  sli_infer_set_output(c, 2, SLI_SHAPE_SCALAR);
  return NULL;
}

// --- QuantizeDownAndShrinkRange -------------------------------------------------------------------

// What a 32-bit |value| stands for.
static float value_of(int32_t value, float min, float max) {
  if (min == max) return min;
  const double steps = 4294967296.0, range = (double)(max - min) * (steps / (steps - 1.0)), scale = range / steps;
  const double start = (double)(roundf(min / (float)scale) * (float)scale);
  return (float)(start + ((double)value - (double)INT32_MIN) * scale);
}

// The arithmetic has 16 bits after the point, as in TensorFlow.
static void shrink(const int32_t *input, int64_t count, range_t in, range_t out, uint8_t *output) {
  const float in_range = in.max - in.min, out_range = out.max - out.min;
  const float inverse = out_range == 0 ? 0 : (float)(255.0 / (double)out_range),
              middle = (float)((double)(in.min + in.max) / 2.0);
  const double scale = out_range == 0 ? 0 : 255.0 * 65536 * (double)in_range / (double)out_range;
  const double offset = (double)(middle * inverse * 65536.0f);
  const double start = out_range == 0 ? 0 : 65536 * ((double)out.min * 255.0) / (double)out_range;
  // Ranges that do not fit into the fixed point, or are no numbers, give 0.
  if (!(fabs(scale) < 9e18 && fabs(offset) < 4e18 && fabs(start) < 4e18)) {
    memset(output, 0, (size_t)count);
    return;
  }
  const int64_t fixed = (int64_t)scale, add = (int64_t)offset - (int64_t)start + 32768;
  for (int64_t i = 0; i < count; i++) {
    __int128 value = (((__int128)input[i] * fixed >> 32) + add) >> 16;
    output[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
  }
}

static sli_status_t *shrink_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  for (int i = 1; i < 3; i++) {
    if (sli_kernel_input(context, i)->rank != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "`input_%s` must be rank 0 but is rank %d", i == 1 ? "min" : "max",
                             sli_kernel_input(context, i)->rank);
  }
  range_t in = {*SLI_DATA(float, sli_kernel_input(context, 1)), *SLI_DATA(float, sli_kernel_input(context, 2))};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  int32_t least = INT32_MAX, most = INT32_MIN;
  for (int64_t i = 0; i < input->count; i++) {
    int32_t value = SLI_DATA(int32_t, input)[i];
    least = value < least ? value : least;
    most = value > most ? value : most;
  }
  const float low = value_of(least, in.min, in.max);
  range_t out = {low < 0 ? low : 0, value_of(most, in.min, in.max)};
  if (input->count) shrink(input->data, input->count, in, out, output->data);
  SLI_RETURN_IF_ERROR(put_float(context, 1, out.min));
  return put_float(context, 2, out.max);
}

static sli_status_t *shrink_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  for (int i = 1; i < 3; i++) {
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
    sli_infer_set_output(c, i, SLI_SHAPE_SCALAR);
  }
  return sli_infer_fn_unchanged(c);
}

// --- Tables ---------------------------------------------------------------------------------------

static const sli_op_def_t ops[] = {
    {.name = "QuantizedReshape",
     .inputs = "tensor: T, shape: Tshape, input_min: float, input_max: float",
     .outputs = "output: T, output_min: float, output_max: float",
     .attrs = "T: type; Tshape: {int32, int64} = DT_INT32",
     .summary = "Reshapes a quantized tensor.",
     .shape = reshape_shape,
     .forwards_input = true},
    {.name = "QuantizedConcat",
     .inputs = "concat_dim: int32, values: N * T, input_mins: N * float, input_maxes: N * float",
     .outputs = "output: T, output_min: float, output_max: float",
     .attrs = "N: int >= 2; T: type",
     .summary = "Joins quantized tensors in a common range.",
     .shape = concat_shape},
    {.name = "QuantizeDownAndShrinkRange",
     .inputs = "input: Tinput, input_min: float, input_max: float",
     .outputs = "output: out_type, output_min: float, output_max: float",
     .attrs = "Tinput: {qint8, quint8, qint32, qint16, quint16}; out_type: {qint8, quint8, qint32, qint16, quint16}",
     .summary = "Converts 32 bits to 8 in the range that is used.",
     .shape = shrink_shape},
};

#define QUINT8 SLI_TYPE_BIT(SLI_DTYPE_QUINT8)
#define QINT32 SLI_TYPE_BIT(SLI_DTYPE_QINT32)

static const sli_kernel_def_t kernels[] = {
    {.op = "QuantizedReshape", .types = QUINT8 | QINT32, .host_memory = "shape", .compute = reshape_compute},
    {.op = "QuantizedConcat", .types = QUINT8 | QINT32, .host_memory = "concat_dim", .compute = concat_compute},
    {.op = "QuantizeDownAndShrinkRange",
     .where = {{"Tinput", QINT32}, {"out_type", QUINT8}},
     .compute = shrink_compute},
};

SLI_OP_MODULE(quantized_arrays);
