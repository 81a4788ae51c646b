// BiasAdd adds a vector along the channel dimension, which is the last (NHWC) or the second (NCHW). BiasAddGrad sums
// over all other dimensions. BiasAddV1 supports only NHWC.
#include <complex.h>
#include <stdlib.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"
#include "math/half.h"
#include "math/reduce.h"

// The value as a tensor [outer, channels, inner].
typedef struct {
  sli_dtype_t dtype;
  size_t size;
  const char *value, *bias;
  char *out;
  int64_t channels, inner;
} bias_work_t;

#define ADD(attribute, name, T)                                                                  \
  attribute static void add_row_##name(const void *in, const void *bias, void *out, int64_t n) { \
    const T *x = in, *b = bias;                                                                  \
    T *z = out;                                                                                  \
    SLI_SIMD_VECTORIZE for (int64_t i = 0; i < n; i++) z[i] = (T)(x[i] + b[i]);                  \
  }                                                                                              \
  attribute static void add_one_##name(const void *in, const void *bias, void *out, int64_t n) { \
    const T *x = in, b = *(const T *)bias;                                                       \
    T *z = out;                                                                                  \
    SLI_SIMD_VECTORIZE for (int64_t i = 0; i < n; i++) z[i] = (T)(x[i] + b);                     \
  }
ADD(SLI_SIMD, float, float)
ADD(SLI_SIMD, double, double)
ADD(, int8, uint8_t)
ADD(, int16, uint16_t)
ADD(, int32, uint32_t)
ADD(, int64, uint64_t)
ADD(, complex64, float complex)
ADD(, complex128, double complex)

#define NARROW(name, to_float, from_float)                                                              \
  static void add_row_##name(const void *in, const void *bias, void *out, int64_t n) {                  \
    const uint16_t *x = in, *b = bias;                                                                  \
    for (int64_t i = 0; i < n; i++) ((uint16_t *)out)[i] = from_float(to_float(x[i]) + to_float(b[i])); \
  }                                                                                                     \
  static void add_one_##name(const void *in, const void *bias, void *out, int64_t n) {                  \
    const uint16_t *x = in;                                                                             \
    float b = to_float(*(const uint16_t *)bias);                                                        \
    for (int64_t i = 0; i < n; i++) ((uint16_t *)out)[i] = from_float(to_float(x[i]) + b);              \
  }
NARROW(half, sli_half_to_float, sli_half_from_float)
NARROW(bfloat16, sli_bfloat16_to_float, sli_bfloat16_from_float)

typedef void (*add_fn_t)(const void *in, const void *bias, void *out, int64_t n);
#define ROWS(f)                                                                                     \
  {                                                                                                 \
    [SLI_DTYPE_FLOAT] = f##_float, [SLI_DTYPE_DOUBLE] = f##_double, [SLI_DTYPE_HALF] = f##_half,    \
    [SLI_DTYPE_BFLOAT16] = f##_bfloat16, [SLI_DTYPE_INT8] = f##_int8, [SLI_DTYPE_UINT8] = f##_int8, \
    [SLI_DTYPE_INT16] = f##_int16, [SLI_DTYPE_UINT16] = f##_int16, [SLI_DTYPE_INT32] = f##_int32,   \
    [SLI_DTYPE_UINT32] = f##_int32, [SLI_DTYPE_INT64] = f##_int64, [SLI_DTYPE_UINT64] = f##_int64,  \
    [SLI_DTYPE_COMPLEX64] = f##_complex64, [SLI_DTYPE_COMPLEX128] = f##_complex128                  \
  }
static const add_fn_t add_row[SLI_DTYPE_UINT64 + 1] = ROWS(add_row), add_one[SLI_DTYPE_UINT64 + 1] = ROWS(add_one);

// A unit of work is a row of all channels (NHWC) or a plane of one channel (NCHW).
static void add_range(void *context, int64_t begin, int64_t end) {
  const bias_work_t *work = context;
  size_t unit = (size_t)(work->inner == 1 ? work->channels : work->inner) * work->size;
  for (int64_t u = begin; u < end; u++) {
    const char *in = work->value + (size_t)u * unit;
    char *out = work->out + (size_t)u * unit;
    if (work->inner == 1) {
      add_row[work->dtype](in, work->bias, out, work->channels);
    } else {
      add_one[work->dtype](in, work->bias + (size_t)(u % work->channels) * work->size, out, work->inner);
    }
  }
}

static sli_status_t *read_channels_first(const sli_node_def_t *node, bool *out_first) {
  sli_view_t format;
  *out_first = false;
  if (!sli_node_attr(node, "data_format")) return NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "data_format", &format));
  *out_first = sli_view_is(format, "NCHW");
  return NULL;
}

static sli_status_t *bias_shape_error(const char *text, const sli_tensor_t *a, const sli_tensor_t *b) {
  char *x = sli_shape_to_text(sli_tensor_shape(a)), *y = b ? sli_shape_to_text(sli_tensor_shape(b)) : NULL;
  sli_status_t *status = y ? sli_status_make(SLI_INVALID_ARGUMENT, "%s%s vs. %s", text, x, y)
                           : sli_status_make(SLI_INVALID_ARGUMENT, "%s%s", text, x);
  free(x);
  free(y);
  return status;
}

static sli_status_t *bias_add(sli_kernel_context_t *context) {
  sli_tensor_t *value = sli_kernel_input(context, 0), *bias = sli_kernel_input(context, 1), *output;
  bool first;
  SLI_RETURN_IF_ERROR(read_channels_first(context->node, &first));
  if (value->rank < 2) return bias_shape_error("Input tensor must be at least 2D: ", value, NULL);
  if (bias->rank != 1) return bias_shape_error("Biases must be 1D: ", bias, NULL);
  int channel = first ? 1 : value->rank - 1;
  if (bias->dims[0] != value->dims[channel])
    return bias_shape_error("Must provide as many biases as the last dimension of the input tensor: ", bias, value);
  sli_dtype_t dtype = (sli_dtype_t)value->dtype;
  bias_work_t work = {dtype, sli_dtype_size(dtype), value->data, bias->data, NULL, bias->dims[0], 1};
  int64_t dims[SLI_MAX_RANK], count = value->count;
  sli_shape_t shape = {value->rank, dims};
  memcpy(dims, value->dims, (size_t)value->rank * sizeof(dims[0]));
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 0, 0, shape, &output));
  if (count == 0) return NULL;
  for (int d = channel + 1; d < shape.rank; d++) work.inner *= dims[d];
  work.out = output->data;
  int64_t unit = work.inner == 1 ? work.channels : work.inner;
  sli_parallel_for(sli_kernel_pool(context), count / unit, 3 + 0.3 * (double)unit, add_range, &work);
  return NULL;
}

static sli_status_t *bias_add_grad(sli_kernel_context_t *context) {
  sli_tensor_t *gradient = sli_kernel_input(context, 0);
  bool first, reduced[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(read_channels_first(context->node, &first));
  if (gradient->rank < 2) return bias_shape_error("Input tensor must be at least 2D: ", gradient, NULL);
  int channel = first ? 1 : gradient->rank - 1;
  for (int d = 0; d < gradient->rank; d++) reduced[d] = d != channel;
  return sli_reduce(context, SLI_REDUCE_SUM, reduced, false);
}

static sli_status_t *bias_add_shape(sli_infer_context_t *c) {
  sli_shape_t value, bias;
  bool first;
  int64_t channels;
  SLI_RETURN_IF_ERROR(read_channels_first(c->node, &first));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &value));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &bias));
  if (value.rank < 0) {
    sli_infer_set_output(c, 0, SLI_SHAPE_UNKNOWN);
    return NULL;
  }
  int channel = first ? 1 : value.rank - 1;
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(value.dims[channel], sli_infer_dim(bias, 0), &channels));
  sli_infer_set_output(c, 0, sli_infer_replace_dim(c, value, channel, channels));
  return NULL;
}

static sli_status_t *bias_add_grad_shape(sli_infer_context_t *c) {
  sli_shape_t gradient;
  bool first;
  SLI_RETURN_IF_ERROR(read_channels_first(c->node, &first));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &gradient));
  int64_t channels = gradient.rank < 0 ? -1 : gradient.dims[first ? 1 : gradient.rank - 1];
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &channels));
  return NULL;
}

static sli_status_t *bias_add_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  const sli_attr_t *format = sli_node_attr(b->node, "data_format");
  sli_attr_entry_t attr = {"data_format", {0}};
  if (format) attr.value = *format;
  sli_gradient_set(b, 0, g);
  sli_gradient_set(b, 1, sli_gradient_emit(b, "BiasAddGrad", &g, 1, &attr, format ? 1 : 0));
  return NULL;
}

// Each element of the input was added to the sum of its channel, so the gradient is broadcast.
static sli_status_t *bias_add_grad_gradient(sli_gradient_builder_t *b) {
  sli_output_t zeros = sli_emit1(b, "ZerosLike", sli_gradient_input(b, 0));
  sli_output_t inputs[] = {zeros, sli_gradient_of_output(b, 0)};
  const sli_attr_t *format = sli_node_attr(b->node, "data_format");
  sli_attr_entry_t attr = {"data_format", {0}};
  if (format) attr.value = *format;
  sli_gradient_set(b, 0, sli_gradient_emit(b, "BiasAdd", inputs, 2, &attr, format ? 1 : 0));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "BiasAdd",
     .inputs = "value: T, bias: T",
     .outputs = "output: T",
     .attrs = "T: numbertype; data_format: {'NHWC', 'NCHW'} = 'NHWC'",
     .summary = "Adds a vector along the channel dimension.",
     .shape = bias_add_shape,
     .gradient = bias_add_gradient},
    {.name = "BiasAddV1",
     .inputs = "value: T, bias: T",
     .outputs = "output: T",
     .attrs = "T: numbertype",
     .summary = "Adds a vector along the last dimension.",
     .shape = bias_add_shape,
     .gradient = bias_add_gradient},
    {.name = "BiasAddGrad",
     .inputs = "out_backprop: T",
     .outputs = "output: T",
     .attrs = "T: numbertype; data_format: {'NHWC', 'NCHW'} = 'NHWC'",
     .summary = "The gradient of the bias of BiasAdd.",
     .shape = bias_add_grad_shape,
     .gradient = bias_add_grad_gradient,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "BiasAdd", .types = SLI_TYPES_NUMBER, .compute = bias_add},
    {.op = "BiasAddV1", .types = SLI_TYPES_NUMBER, .compute = bias_add},
    {.op = "BiasAddGrad", .types = SLI_TYPES_NUMBER, .compute = bias_add_grad},
};

SLI_OP_MODULE(bias_add);
