// Constant tensors: Const, Fill, ZerosLike, OnesLike, Empty.
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

// Const outputs the node's own tensor. It is the state of the kernel, so that a step only takes a reference.
static sli_status_t *const_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_tensor_t *value;
  sli_dtype_t dtype;
  SLI_RETURN_IF_ERROR(sli_node_attr_tensor(setup->node, "value", &value));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(setup->node, "dtype", &dtype));
  if (value->dtype != dtype) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Type mismatch between value (%s) and dtype (%s)",
                           sli_dtype_name(value->dtype), sli_dtype_name(dtype));
  }
  *out_state = sli_tensor_retain(value);
  return NULL;
}

static void const_destroy(void *state) { sli_tensor_release(state); }

static sli_status_t *const_compute(sli_kernel_context_t *context) {
  sli_kernel_set_output(context, 0, sli_tensor_retain((sli_tensor_t *)sli_kernel_state(context)));
  return NULL;
}

static sli_status_t *const_shape(sli_infer_context_t *c) {
  sli_tensor_t *value;
  SLI_RETURN_IF_ERROR(sli_node_attr_tensor(c->node, "value", &value));
  sli_infer_set_output(c, 0, sli_infer_make(c, value->rank, value->dims));
  return NULL;
}

// Fill sets all elements of a tensor of shape |dims| to |value|.
static sli_status_t *read_dims(sli_kernel_context_t *context, const char *name, int64_t *dims, int *out_rank) {
  sli_tensor_t *tensor = sli_kernel_input(context, 0);
  // Old graphs have a scalar for a vector of one element.
  if (tensor->rank > 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must represent a vector, got shape %s", name,
                           sli_tensor_shape_text(tensor).text);
  }
  if (tensor->count > SLI_MAX_RANK) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s has %lld dimensions; at most %d are allowed", name,
                           (long long)tensor->count, SLI_MAX_RANK);
  }
  *out_rank = (int)tensor->count;
  for (int i = 0; i < *out_rank; i++) {
    dims[i] = sli_tensor_int_at(tensor, i);
    if (dims[i] < 0) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= 0", (long long)dims[i]);
    }
  }
  return NULL;
}

typedef struct {
  sli_tensor_t *output;
  const void *value;
} fill_t;

static void fill_range(void *context, int64_t begin, int64_t end) {
  const fill_t *fill = context;
  sli_elements_fill(fill->output->dtype, sli_tensor_at(fill->output, begin), fill->value, end - begin);
}

static void fill_tensor(sli_kernel_context_t *context, sli_tensor_t *output, const void *value) {
  fill_t fill = {output, value};
  double cost = sli_dtype_is_plain(output->dtype) ? 0.1 * (double)sli_dtype_size(output->dtype) : 30;
  sli_parallel_for(sli_kernel_pool(context), output->count, cost, fill_range, &fill);
}

static sli_status_t *fill_compute(sli_kernel_context_t *context) {
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  SLI_RETURN_IF_ERROR(read_dims(context, "dims", dims, &rank));
  sli_tensor_t *value = sli_kernel_input(context, 1), *output;
  // Old graphs have a vector of one element for a scalar.
  if (value->rank > 1 || value->count != 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "value must represent a scalar, got shape %s",
                           sli_tensor_shape_text(value).text);
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  fill_tensor(context, output, value->data);
  return NULL;
}

static sli_status_t *fill_shape(sli_infer_context_t *c) {
  sli_shape_t shape, unused;
  if (sli_infer_input(c, 0).rank == 0) {
    shape = SLI_SHAPE_UNKNOWN;
  } else {
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &unused));
    SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 0, &shape));
  }
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &unused));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_status_t *fill_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  sli_output_t rank = SLI_EMIT(b, "Rank", SLI_INPUTS(gradient));
  sli_output_t axes =
      SLI_EMIT(b, "Range", SLI_INPUTS(sli_gradient_const_int32(b, 0), rank, sli_gradient_const_int32(b, 1)));
  sli_gradient_set(b, 1, SLI_EMIT(b, "Sum", SLI_INPUTS(gradient, axes)));
  return NULL;
}

// ZerosLike, OnesLike have the shape and type of their input.
static sli_status_t *zeros_like_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  if (input->dtype == SLI_DTYPE_VARIANT) {
    if (input->rank != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "ZerosLike non-scalar Tensor with dtype=DT_VARIANT is not supported.");
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
    return sli_op_variant_zeros_like(input, 0, SLI_DATA(sli_object_t *, output));
  }
  if (!sli_dtype_is_plain(input->dtype)) {
    // New strings are empty.
    return sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output);
  }
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 0, 0, sli_tensor_shape(input), &output));
  fill_tensor(context, output, (const uint64_t[2]){0, 0});
  return NULL;
}

static const void *one_of(sli_dtype_t dtype) {
  static const float f = 1, c64[2] = {1, 0};
  static const double d = 1, c128[2] = {1, 0};
  static const uint8_t u8 = 1;
  static const uint16_t u16 = 1, half = 0x3c00, bfloat16 = 0x3f80;
  static const uint32_t u32 = 1;
  static const uint64_t u64 = 1;
  switch (dtype) {
    case SLI_DTYPE_FLOAT: return &f;
    case SLI_DTYPE_DOUBLE: return &d;
    case SLI_DTYPE_COMPLEX64: return c64;
    case SLI_DTYPE_COMPLEX128: return c128;
    case SLI_DTYPE_HALF: return &half;
    case SLI_DTYPE_BFLOAT16: return &bfloat16;
    default: break;
  }
  switch (sli_dtype_size(dtype)) {
    case 1: return &u8;
    case 2: return &u16;
    case 4: return &u32;
    default: return &u64;
  }
}

static sli_status_t *ones_like_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 0, 0, sli_tensor_shape(input), &output));
  fill_tensor(context, output, one_of(output->dtype));
  return NULL;
}

// Empty has undefined contents. We always clear them, so that no old data leaves the process.
static sli_status_t *empty_compute(sli_kernel_context_t *context) {
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  SLI_RETURN_IF_ERROR(sli_kernel_require_vector(context, 0, "shape"));
  SLI_RETURN_IF_ERROR(read_dims(context, "shape", dims, &rank));
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  sli_elements_clear(output->dtype, output->data, output->count);
  return NULL;
}

static sli_status_t *empty_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &shape));
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 0, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Const",
     .outputs = "output: dtype",
     .attrs = "value: tensor; dtype: type",
     .summary = "A constant.",
     .shape = const_shape,
     .not_differentiable = true},
    {.name = "Fill",
     .inputs = "dims: index_type, value: T",
     .outputs = "output: T",
     .attrs = "T: type; index_type: {int32, int64} = DT_INT32",
     .summary = "A tensor filled with one value.",
     .shape = fill_shape,
     .gradient = fill_gradient},
    {.name = "ZerosLike",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type",
     .summary = "Zeros of the input's shape and type.",
     .shape = sli_infer_fn_unchanged,
     .not_differentiable = true},
    {.name = "OnesLike",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, "
              "complex128, bool}",
     .summary = "Ones of the input's shape and type.",
     .shape = sli_infer_fn_unchanged,
     .not_differentiable = true},
    {.name = "Empty",
     .inputs = "shape: int32",
     .outputs = "output: dtype",
     .attrs = "dtype: type; init: bool = false",
     .summary = "A tensor of a given shape.",
     .shape = empty_shape,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Const", .any_device = true, .compute = const_compute, .create = const_create, .destroy = const_destroy},
    {.op = "Fill",
     .types = SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED | SLI_TYPE_BIT(SLI_DTYPE_INT4) | SLI_TYPE_BIT(SLI_DTYPE_UINT4),
     .host_memory = "dims",
     .compute = fill_compute},
    {.op = "ZerosLike", .types = SLI_TYPES_POD | SLI_TYPE_STRING | SLI_TYPE_VARIANT, .compute = zeros_like_compute},
    {.op = "OnesLike", .types = SLI_TYPES_POD, .compute = ones_like_compute},
    {.op = "Empty",
     .where = {{"dtype", SLI_TYPES_POD | SLI_TYPE_STRING}},
     .host_memory = "shape",
     .compute = empty_compute},
};

SLI_OP_MODULE(const);
