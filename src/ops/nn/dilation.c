// Dilation2D: the largest sum of input and filter over each window (grayscale morphology), and its gradients.
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"

typedef struct {
  int64_t batch, channels;
  int64_t in[2], out[2], filter[2], stride[2], rate[2], before[2];
  const void *input, *weights, *gradient;
  void *result;
} dilation_t;

#define T float
#define U float
#define NAME(function) function##_float
#define LOWEST (-FLT_MAX)
#include "ops/nn/dilation_loops.inc"
#define T double
#define U double
#define NAME(function) function##_double
#define LOWEST (-DBL_MAX)
#include "ops/nn/dilation_loops.inc"
#define T int8_t
#define U uint64_t
#define NAME(function) function##_int8
#define LOWEST INT8_MIN
#include "ops/nn/dilation_loops.inc"
#define T uint8_t
#define U uint64_t
#define NAME(function) function##_uint8
#define LOWEST 0
#include "ops/nn/dilation_loops.inc"
#define T int16_t
#define U uint64_t
#define NAME(function) function##_int16
#define LOWEST INT16_MIN
#include "ops/nn/dilation_loops.inc"
#define T uint16_t
#define U uint64_t
#define NAME(function) function##_uint16
#define LOWEST 0
#include "ops/nn/dilation_loops.inc"
#define T int32_t
#define U uint64_t
#define NAME(function) function##_int32
#define LOWEST INT32_MIN
#include "ops/nn/dilation_loops.inc"
#define T uint32_t
#define U uint64_t
#define NAME(function) function##_uint32
#define LOWEST 0
#include "ops/nn/dilation_loops.inc"
#define T int64_t
#define U uint64_t
#define NAME(function) function##_int64
#define LOWEST INT64_MIN
#include "ops/nn/dilation_loops.inc"
#define T uint64_t
#define U uint64_t
#define NAME(function) function##_uint64
#define LOWEST 0
#include "ops/nn/dilation_loops.inc"

typedef struct {
  sli_parallel_for_fn_t forward;
  void (*backward)(const dilation_t *d, bool of_filter);
} dilation_loops_t;

static dilation_loops_t find_loops(sli_dtype_t dtype) {
  switch (dtype) {
    case SLI_DTYPE_DOUBLE: return (dilation_loops_t){forward_double, backward_double};
    case SLI_DTYPE_INT8: return (dilation_loops_t){forward_int8, backward_int8};
    case SLI_DTYPE_UINT8: return (dilation_loops_t){forward_uint8, backward_uint8};
    case SLI_DTYPE_INT16: return (dilation_loops_t){forward_int16, backward_int16};
    case SLI_DTYPE_UINT16: return (dilation_loops_t){forward_uint16, backward_uint16};
    case SLI_DTYPE_INT32: return (dilation_loops_t){forward_int32, backward_int32};
    case SLI_DTYPE_UINT32: return (dilation_loops_t){forward_uint32, backward_uint32};
    case SLI_DTYPE_INT64: return (dilation_loops_t){forward_int64, backward_int64};
    case SLI_DTYPE_UINT64: return (dilation_loops_t){forward_uint64, backward_uint64};
    default: return (dilation_loops_t){forward_float, backward_float};
  }
}

// --- Attributes and sizes -------------------------------------------------------------------------

typedef struct {
  int64_t strides[4], rates[4];
  bool is_same;
} dilation_attrs_t;

static sli_status_t *read_attrs(const sli_node_def_t *node, dilation_attrs_t *out) {
  const sli_attr_t *list;
  sli_view_t padding;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "padding", &padding));
  out->is_same = sli_view_is(padding, "SAME");
  for (int k = 0; k < 2; k++) {
    SLI_RETURN_IF_ERROR(sli_node_attr_list(node, k ? "rates" : "strides", SLI_ATTR_INT, &list));
    if (list->count != 4)
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s requires the %s attribute to contain 4 values, but got: %zu",
                             node->op->def->name, k ? "rates" : "stride", list->count);
    for (int i = 0; i < 4; i++) {
      int64_t value = list->list.i[i];
      if (value > INT32_MAX) value = INT32_MAX;
      (k ? out->rates : out->strides)[i] = value;
    }
  }
  return NULL;
}

static sli_status_t *find_extent(const dilation_attrs_t *attrs, int i, int64_t input, int64_t filter, int64_t *out_size,
                                 int64_t *out_before) {
  const int64_t stride = attrs->strides[i + 1], span = filter + (filter - 1) * (attrs->rates[i + 1] - 1);
  *out_before = 0;
  if (stride <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Stride must be > 0, but got %lld", (long long)stride);
  if (attrs->is_same) {
    *out_size = (input + stride - 1) / stride;
    int64_t padding = (*out_size - 1) * stride + span - input;
    if (padding > 0) *out_before = padding / 2;
    return NULL;
  }
  *out_size = (input - span + stride) / stride;
  if (input - span + stride < 0 || *out_size < 0)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Computed output size would be negative: %lld [input_size: %lld, effective_filter_size: %lld, stride: %lld]",
        (long long)(input - span + stride) / stride, (long long)input, (long long)span, (long long)stride);
  return NULL;
}

static sli_status_t *plan_dilation(sli_kernel_context_t *context, dilation_t *d) {
  const sli_tensor_t *input = sli_kernel_input(context, 0), *filter = sli_kernel_input(context, 1);
  dilation_attrs_t attrs;
  SLI_RETURN_IF_ERROR(read_attrs(context->node, &attrs));
  if (attrs.strides[0] != 1 || attrs.strides[3] != 1)
    return sli_status_make(SLI_UNIMPLEMENTED, "Stride is only supported across spatial dimensions.");
  if (attrs.rates[0] != 1 || attrs.rates[3] != 1)
    return sli_status_make(SLI_UNIMPLEMENTED, "Rate is only supported across spatial dimensions.");
  if (input->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be 4-dimensional%s", sli_tensor_shape_text(input).text);
  if (filter->rank != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "filter must be 3-dimensional: %s",
                           sli_tensor_shape_text(filter).text);
  if (input->dims[3] != filter->dims[2])
    return sli_status_make(SLI_INVALID_ARGUMENT, "input and filter must have the same depth: %lld vs %lld",
                           (long long)input->dims[3], (long long)filter->dims[2]);
  d->batch = input->dims[0];
  d->channels = input->dims[3];
  for (int i = 0; i < 2; i++) {
    d->in[i] = input->dims[i + 1];
    d->filter[i] = filter->dims[i];
    d->stride[i] = attrs.strides[i + 1];
    d->rate[i] = attrs.rates[i + 1];
    if (d->in[i] > INT32_MAX || d->filter[i] > INT32_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT, "input and filter must have less than 2^31 rows and columns");
    SLI_RETURN_IF_ERROR(find_extent(&attrs, i, d->in[i], d->filter[i], &d->out[i], &d->before[i]));
  }
  return NULL;
}

// --- The kernels ----------------------------------------------------------------------------------

// 16-bit floats are computed as floats: |*out_wide| is |tensor| or a copy in float.
static sli_status_t *widen(sli_kernel_context_t *context, sli_tensor_t *tensor, sli_tensor_t **out_wide) {
  *out_wide = NULL;
  if (!sli_half_is_narrow((sli_dtype_t)tensor->dtype)) {
    *out_wide = sli_tensor_retain(tensor);
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, SLI_DTYPE_FLOAT, sli_tensor_shape(tensor), out_wide));
  sli_half_widen((sli_dtype_t)tensor->dtype, tensor->data, (*out_wide)->data, tensor->count);
  return NULL;
}

typedef enum { DILATE, DILATE_BACK_TO_INPUT, DILATE_BACK_TO_FILTER } dilation_direction_t;

static sli_status_t *run_dilation(sli_kernel_context_t *context, dilation_direction_t direction) {
  dilation_t d = {0};
  sli_tensor_t *wide[4] = {NULL}, *output = NULL;
  sli_status_t *status = NULL;
  SLI_RETURN_IF_ERROR(plan_dilation(context, &d));
  int64_t out_dims[] = {d.batch, d.out[0], d.out[1], d.channels};
  sli_shape_t shape = {4, out_dims};
  if (direction != DILATE) {
    const sli_tensor_t *gradient = sli_kernel_input(context, 2);
    if (gradient->rank != 4 || memcmp(gradient->dims, out_dims, sizeof(out_dims)) != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "out_backprop has incompatible size.");
    shape = sli_tensor_shape(sli_kernel_input(context, direction == DILATE_BACK_TO_INPUT ? 0 : 1));
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  if (output->count == 0) return NULL;
  const dilation_loops_t loops = find_loops((sli_dtype_t)output->dtype);
  for (int i = 0; i < context->input_count && !status; i++)
    status = widen(context, sli_kernel_input(context, i), &wide[i]);
  if (!status) status = widen(context, output, &wide[3]);
  if (!status) {
    d.input = wide[0]->data;
    d.weights = wide[1]->data;
    d.gradient = wide[2] ? wide[2]->data : NULL;
    d.result = wide[3]->data;
    if (direction == DILATE) {
      double cost = 2.0 * (double)(d.out[1] * d.channels * d.filter[0] * d.filter[1]);
      sli_parallel_for(sli_kernel_pool(context), d.batch * d.out[0], cost, loops.forward, &d);
    } else {
      memset(d.result, 0, sli_tensor_bytes(wide[3]));
      if (d.filter[0] * d.filter[1] > 0 && d.in[0] * d.in[1] > 0)
        loops.backward(&d, direction == DILATE_BACK_TO_FILTER);
    }
    if (wide[3] != output) sli_half_narrow((sli_dtype_t)output->dtype, d.result, output->data, output->count);
  }
  for (int i = 0; i < 4; i++) sli_tensor_release(wide[i]);
  return status;
}

static sli_status_t *dilation_compute(sli_kernel_context_t *context) { return run_dilation(context, DILATE); }
static sli_status_t *input_compute(sli_kernel_context_t *context) {
  return run_dilation(context, DILATE_BACK_TO_INPUT);
}
static sli_status_t *filter_compute(sli_kernel_context_t *context) {
  return run_dilation(context, DILATE_BACK_TO_FILTER);
}

// --- Shapes and gradient --------------------------------------------------------------------------

static sli_status_t *dilation_shape(sli_infer_context_t *c) {
  sli_shape_t input, filter;
  dilation_attrs_t attrs;
  int64_t channels, before, out[2] = {-1, -1};
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &input));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 3, &filter));
  SLI_RETURN_IF_ERROR(read_attrs(c->node, &attrs));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(input.dims[3], filter.dims[2], &channels));
  bool is_known = input.dims[1] >= 0 && input.dims[2] >= 0 && filter.dims[0] >= 0 && filter.dims[1] >= 0;
  for (int i = 0; i < 2 && is_known; i++)
    SLI_RETURN_IF_ERROR(find_extent(&attrs, i, input.dims[i + 1], filter.dims[i], &out[i], &before));
  sli_infer_set_output(c, 0, sli_infer_make(c, 4, (int64_t[]){input.dims[0], out[0], out[1], channels}));
  return NULL;
}

static sli_status_t *filter_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_input(c, 1));
  return NULL;
}

static sli_status_t *dilation_gradient(sli_gradient_builder_t *b) {
  static const char *const names[] = {"strides", "rates", "padding"};
  sli_attr_entry_t attrs[3];
  for (int i = 0; i < 3; i++) attrs[i] = (sli_attr_entry_t){names[i], *sli_node_attr(b->node, names[i])};
  sli_output_t inputs[] = {sli_gradient_input(b, 0), sli_gradient_input(b, 1), sli_gradient_of_output(b, 0)};
  sli_gradient_set(b, 0, sli_gradient_emit(b, "Dilation2DBackpropInput", inputs, 3, attrs, 3));
  sli_gradient_set(b, 1, sli_gradient_emit(b, "Dilation2DBackpropFilter", inputs, 3, attrs, 3));
  return NULL;
}

#define DILATION_ATTRS "T: realnumbertype; strides: list(int) >= 4; rates: list(int) >= 4; padding: {'SAME', 'VALID'}"

static const sli_op_def_t ops[] = {
    {.name = "Dilation2D",
     .inputs = "input: T, filter: T",
     .outputs = "output: T",
     .attrs = DILATION_ATTRS,
     .summary = "The grayscale dilation of images.",
     .shape = dilation_shape,
     .gradient = dilation_gradient},
    {.name = "Dilation2DBackpropInput",
     .inputs = "input: T, filter: T, out_backprop: T",
     .outputs = "in_backprop: T",
     .attrs = DILATION_ATTRS,
     .summary = "The gradient of Dilation2D with respect to the input.",
     .shape = sli_infer_fn_unchanged},
    {.name = "Dilation2DBackpropFilter",
     .inputs = "input: T, filter: T, out_backprop: T",
     .outputs = "filter_backprop: T",
     .attrs = DILATION_ATTRS,
     .summary = "The gradient of Dilation2D with respect to the filter.",
     .shape = filter_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Dilation2D", .types = SLI_TYPES_REAL, .compute = dilation_compute, .cost = 5},
    {.op = "Dilation2DBackpropInput", .types = SLI_TYPES_REAL, .compute = input_compute, .cost = 5},
    {.op = "Dilation2DBackpropFilter", .types = SLI_TYPES_REAL, .compute = filter_compute, .cost = 5},
};

SLI_OP_MODULE(dilation);
