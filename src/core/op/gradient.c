#include "core/op/gradient.h"

#include <complex.h>

#include "base/array.h"

static void fail(sli_gradient_builder_t *b, sli_status_t *status) {
  if (b->status)
    sli_status_release(status);
  else
    b->status = status;
}

// All nodes are emitted here. After the first error nothing is emitted.
static sli_output_t emit_named(sli_gradient_builder_t *b, const char *op, const char *name, const sli_output_t *inputs,
                               size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count) {
  if (b->status) return SLI_OUTPUT_NONE;
  for (size_t i = 0; i < input_count; i++) {
    if (inputs[i].node) continue;
    fail(b, sli_status_make(SLI_INTERNAL, "The gradient of node '%s' (op %s) emits a %s without its input %zu",
                            b->node->name, b->node->op->def->name, op, i));
    return SLI_OUTPUT_NONE;
  }
  sli_output_t output = b->emit(b, op, name, inputs, input_count, attrs, attr_count);
  return b->status ? SLI_OUTPUT_NONE : output;
}

sli_output_t sli_gradient_emit(sli_gradient_builder_t *b, const char *op, const sli_output_t *inputs,
                               size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count) {
  return emit_named(b, op, "", inputs, input_count, attrs, attr_count);
}

sli_dtype_t sli_gradient_dtype(sli_gradient_builder_t *b, sli_output_t output) {
  if (!output.node) return SLI_DTYPE_INVALID;
  return sli_dtype_base(b->def(b, output.node)->output_types[output.index]);
}

// Constants.

static sli_output_t emit_const(sli_gradient_builder_t *b, const char *name, sli_tensor_t *value) {
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", (sli_dtype_t)value->dtype), SLI_ATTR_TENSOR_OF("value", value)};
  sli_output_t output = emit_named(b, "Const", name, NULL, 0, attrs, SLI_ARRAY_COUNT_OF(attrs));
  sli_tensor_release(value);
  return output;
}

sli_output_t sli_gradient_const(sli_gradient_builder_t *b, sli_tensor_t *value) { return emit_const(b, "", value); }

sli_output_t sli_gradient_const_int32(sli_gradient_builder_t *b, int32_t value) {
  return sli_gradient_const(b, sli_tensor_scalar_int32(value));
}

sli_output_t sli_gradient_const_ints(sli_gradient_builder_t *b, const int32_t *values, int count) {
  return sli_gradient_const(b, sli_tensor_vector_int32(values, count));
}

// Nearest, ties to even.
static uint16_t to_bfloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return value != value ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// |value| as an element of |dtype| at |element|; false if the type has no numbers.
static bool convert(double value, sli_dtype_t dtype, void *element) {
#define CASE(dtype_, type)                     \
  case dtype_: {                               \
    type converted = (type)value;              \
    memcpy(element, &converted, sizeof(type)); \
    return true;                               \
  }
  switch (dtype) {
    CASE(SLI_DTYPE_FLOAT, float)
    CASE(SLI_DTYPE_DOUBLE, double)
    CASE(SLI_DTYPE_HALF, _Float16)
    CASE(SLI_DTYPE_INT8, int8_t)
    CASE(SLI_DTYPE_INT16, int16_t)
    CASE(SLI_DTYPE_INT32, int32_t)
    CASE(SLI_DTYPE_INT64, int64_t)
    CASE(SLI_DTYPE_UINT8, uint8_t)
    CASE(SLI_DTYPE_UINT16, uint16_t)
    CASE(SLI_DTYPE_UINT32, uint32_t)
    CASE(SLI_DTYPE_UINT64, uint64_t)
    CASE(SLI_DTYPE_BOOL, bool)
    CASE(SLI_DTYPE_COMPLEX64, float complex)
    CASE(SLI_DTYPE_COMPLEX128, double complex)
    case SLI_DTYPE_BFLOAT16: {
      uint16_t bits = to_bfloat16((float)value);
      memcpy(element, &bits, sizeof(bits));
      return true;
    }
    default: return false;
  }
#undef CASE
}

sli_output_t sli_gradient_const_like(sli_gradient_builder_t *b, sli_output_t like, double value) {
  if (b->status) return SLI_OUTPUT_NONE;
  sli_dtype_t dtype = sli_gradient_dtype(b, like);
  _Alignas(16) char element[16];
  if (!convert(value, dtype, element)) {
    fail(b, sli_status_make(SLI_INVALID_ARGUMENT, "The gradient of node '%s' (op %s) needs a number of type %s",
                            b->node->name, b->node->op->def->name, sli_dtype_name(dtype)));
    return SLI_OUTPUT_NONE;
  }
  return sli_gradient_const(b, sli_tensor_scalar(dtype, element));
}

// Gradients of the outputs.

// IndexedSlices as a tensor of dense_shape[0] rows; slices with the same index are added.
static sli_output_t densify(sli_gradient_builder_t *b, sli_gradient_slices_t slices) {
  if (!slices.dense_shape.node) {
    fail(b, sli_status_make(SLI_INVALID_ARGUMENT,
                            "Tensor conversion requested for IndexedSlices for node '%s' without dense_shape",
                            b->node->name));
    return SLI_OUTPUT_NONE;
  }
  sli_output_t begin = emit_const(b, "strided_slice/stack", sli_tensor_vector_int32((int32_t[]){0}, 1));
  sli_output_t end = emit_const(b, "strided_slice/stack_1", sli_tensor_vector_int32((int32_t[]){1}, 1));
  sli_output_t stride = emit_const(b, "strided_slice/stack_2", sli_tensor_vector_int32((int32_t[]){1}, 1));
  sli_attr_entry_t shrink[] = {SLI_ATTR_INT_OF("shrink_axis_mask", 1)};
  sli_output_t rows = emit_named(b, "StridedSlice", "strided_slice", SLI_INPUTS(slices.dense_shape, begin, end, stride),
                                 shrink, SLI_ARRAY_COUNT_OF(shrink));
  return SLI_EMIT(b, "UnsortedSegmentSum", SLI_INPUTS(slices.values, slices.indices, rows));
}

sli_output_t sli_gradient_of_output(sli_gradient_builder_t *b, int index) {
  if (!sli_gradient_flows(b, index)) return SLI_EMIT(b, "ZerosLike", SLI_INPUTS(sli_gradient_output(b, index)));
  sli_gradient_slices_t gradient = b->output_gradients[index];
  return gradient.indices.node ? densify(b, gradient) : gradient.values;
}

// Broadcasting.

static void emit_broadcast_axes(sli_gradient_builder_t *b, int low, int high) {
  if (b->broadcast.axes.node && b->broadcast.low == low && b->broadcast.high == high) return;
  b->broadcast.low = low;
  b->broadcast.high = high;
  b->broadcast.low_shape = SLI_EMIT(b, "Shape", SLI_INPUTS(b->inputs[low]));
  b->broadcast.high_shape = SLI_EMIT(b, "Shape", SLI_INPUTS(b->inputs[high]));
  b->broadcast.axes = SLI_EMIT(b, "BroadcastGradientArgs", SLI_INPUTS(b->broadcast.low_shape, b->broadcast.high_shape));
}

sli_output_t sli_gradient_unbroadcast(sli_gradient_builder_t *b, sli_output_t gradient, int input, int other_input) {
  if (b->status) return SLI_OUTPUT_NONE;
  sli_shape_t shape = b->shape(b, b->inputs[input]), other = b->shape(b, b->inputs[other_input]);
  if (sli_shape_is_fully_known(shape) && sli_shape_equal(shape, other)) return gradient;
  bool first = input < other_input;
  emit_broadcast_axes(b, first ? input : other_input, first ? other_input : input);
  sli_output_t axes = b->status ? SLI_OUTPUT_NONE : sli_output_at(b->broadcast.axes, first ? 0 : 1);
  sli_output_t sum = SLI_EMIT(b, "Sum", SLI_INPUTS(gradient, axes));
  return SLI_EMIT(b, "Reshape", SLI_INPUTS(sum, first ? b->broadcast.low_shape : b->broadcast.high_shape));
}
