// Updates of slices at index vectors: in a new tensor (ScatterNd), in a copy (TensorScatter…, ScatterNdNonAliasingAdd)
// or in a variable (ScatterNd…, ResourceScatterNd…).
#include <string.h>

#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"
#include "ops/common/index.h"
#include "ops/state/update.h"

// Checks that updates.shape = indices.shape[:-1] + shape[depth:].
static sli_status_t *check_shapes(sli_shape_t shape, const sli_tensor_t *indices, const sli_tensor_t *updates) {
  if (shape.rank < 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Output must be at least 1-D, got shape: %s",
                           sli_shape_text(shape).text);
  }
  if (indices->rank < 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Indices shape must have rank at least one. Found:%s",
                           sli_tensor_shape_text(indices).text);
  int64_t depth = indices->dims[indices->rank - 1];
  int batch = indices->rank - 1;
  bool fits = depth <= shape.rank && updates->rank == batch + shape.rank - (int)depth;
  for (int i = 0; fits && i < updates->rank; i++) {
    fits = updates->dims[i] == (i < batch ? indices->dims[i] : shape.dims[(int)depth + i - batch]);
  }
  if (fits) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Must have updates.shape = indices.shape[:batch_dim] + params_shape[slice_dim:], got "
                         "updates.shape: %s, indices.shape: %s, params_shape: %s, slice_dim: %lld, and batch_dim: %d",
                         sli_tensor_shape_text(updates).text, sli_tensor_shape_text(indices).text,
                         sli_shape_text(shape).text, (long long)depth, batch);
}

// All indices are checked before anything is written.
static sli_status_t *scatter_slices(sli_accumulate_op_t op, sli_tensor_t *params, const sli_tensor_t *indices,
                                    const sli_tensor_t *updates) {
  sli_shape_t shape = sli_tensor_shape(params);
  if (params->dtype != updates->dtype) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Variable has type %s, updates have %s", sli_dtype_name(params->dtype),
                           sli_dtype_name(updates->dtype));
  }
  SLI_RETURN_IF_ERROR(check_shapes(shape, indices, updates));
  int64_t depth = indices->dims[indices->rank - 1], strides[SLI_MAX_RANK];
  int64_t count = sli_shape_product(indices->dims, 0, indices->rank - 1);
  int64_t slice = sli_shape_product(params->dims, (int)depth, params->rank);
  sli_shape_strides(params->rank, params->dims, strides);
  SLI_RETURN_IF_ERROR(sli_index_check_vectors(indices, "shape", shape));
  if (slice == 0) return NULL;
  for (int64_t i = 0; i < count; i++) {
    int64_t offset = 0;
    for (int64_t j = 0; j < depth; j++) offset += sli_tensor_int_at(indices, i * depth + j) * strides[j];
    sli_accumulate(op, params->dtype, sli_tensor_at(params, offset), sli_tensor_at(updates, i * slice), 1, slice);
  }
  return NULL;
}

// ScatterNd adds to zeros; strings are appended to empty ones.
static sli_status_t *scatter_nd_compute(sli_kernel_context_t *context) {
  sli_tensor_t *indices = sli_kernel_input(context, 0), *updates = sli_kernel_input(context, 1), *output;
  sli_tensor_t *shape_tensor = sli_kernel_input(context, 2);
  if (shape_tensor->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be a vector");
  int64_t dims[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(shape_tensor->count));
  for (int64_t i = 0; i < shape_tensor->count; i++) {
    dims[i] = sli_tensor_int_at(shape_tensor, i);
    if (dims[i] < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= 0", (long long)dims[i]);
  }
  sli_shape_t shape = {(int)shape_tensor->count, dims};
  if (sli_shape_count(shape) == 0 && (indices->count || updates->count)) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Indices and updates specified for empty output shape");
  }
  SLI_RETURN_IF_ERROR(check_shapes(shape, indices, updates));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  if (sli_dtype_is_plain(output->dtype)) sli_elements_clear(output->dtype, output->data, output->count);
  return scatter_slices(SLI_ACCUMULATE_ADD, output, indices, updates);
}

// Updates a copy of the input.
static sli_status_t *tensor_scatter_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_tensor_retain(sli_kernel_input(context, 0)), *output;
  sli_status_t *status = NULL;
  if (!input->count && (sli_kernel_input(context, 1)->count || sli_kernel_input(context, 2)->count))
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Indices and updates specified for empty output shape");
  if (!status)
    status = check_shapes(sli_tensor_shape(input), sli_kernel_input(context, 1), sli_kernel_input(context, 2));
  if (!status) status = sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output);
  if (!status) {
    sli_tensor_copy_elements(output, input);
    status = scatter_slices(sli_update_op(context->node), output, sli_kernel_input(context, 1),
                            sli_kernel_input(context, 2));
  }
  sli_tensor_release(input);
  return status;
}

static sli_status_t *variable_scatter_compute(sli_kernel_context_t *context) {
  bool use_locking;
  sli_update_t update;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "use_locking", &use_locking));
  SLI_RETURN_IF_ERROR(sli_update_begin(context, 1, use_locking, &update));
  sli_status_t *status = scatter_slices(sli_update_op(context->node), update.tensors[0], sli_kernel_input(context, 1),
                                        sli_kernel_input(context, 2));
  if (!status) sli_update_forward(context, &update);
  sli_update_end(&update);
  return status;
}

// What all shape functions check.
static sli_status_t *merge_updates(sli_infer_context_t *c, sli_shape_t params, sli_shape_t indices,
                                   sli_shape_t updates) {
  if (params.rank < 0 || indices.rank < 1 || updates.rank < 0) return NULL;
  int64_t depth = indices.dims[indices.rank - 1];
  if (depth < 0) return NULL;
  if (depth > params.rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld of indices must be at most the rank %d of the output",
                           (long long)depth, params.rank);
  }
  sli_shape_t wanted = sli_infer_concatenate(c, sli_infer_subshape(c, indices, 0, indices.rank - 1),
                                             sli_infer_subshape(c, params, (int)depth, params.rank));
  sli_shape_t unused;
  sli_status_t *status = sli_infer_merge(c, wanted, updates, &unused);
  return sli_status_prefix(status, "The dimensions of the updates do not match indices and shape: ");
}

static sli_status_t *scatter_nd_shape(sli_infer_context_t *c) {
  sli_shape_t shape, indices, updates;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &indices));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 1), 1, &updates));
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 2, &shape));
  SLI_RETURN_IF_ERROR(merge_updates(c, shape, indices, updates));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_status_t *scatter_nd_update_shape(sli_infer_context_t *c) {
  sli_shape_t params, indices;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &params));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 1), 1, &indices));
  SLI_RETURN_IF_ERROR(merge_updates(c, params, indices, sli_infer_input(c, 2)));
  sli_infer_set_output(c, 0, params);
  return NULL;
}

static sli_status_t *resource_scatter_nd_shape(sli_infer_context_t *c) {
  bool known = c->input_handles && c->input_handles[0].dtype != SLI_DTYPE_INVALID;
  if (known && c->input_handles[0].shape.rank == 0) return NULL;  // an error of the step, as in TensorFlow
  return merge_updates(c, known ? c->input_handles[0].shape : SLI_SHAPE_UNKNOWN, sli_infer_input(c, 1),
                       sli_infer_input(c, 2));
}

static sli_output_t emit_gather(sli_gradient_builder_t *b, sli_output_t gradient, sli_output_t indices) {
  return SLI_EMIT(b, "GatherNd", SLI_INPUTS(gradient, indices));
}

static sli_status_t *scatter_nd_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(b, 1, emit_gather(b, sli_gradient_of_output(b, 0), sli_gradient_input(b, 0)));
  return NULL;
}

static sli_status_t *tensor_scatter_add_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 0, gradient);
  sli_gradient_set(b, 2, emit_gather(b, gradient, sli_gradient_input(b, 1)));
  return NULL;
}

static sli_status_t *tensor_scatter_sub_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 0, gradient);
  sli_gradient_set(b, 2, SLI_EMIT(b, "Neg", SLI_INPUTS(emit_gather(b, gradient, sli_gradient_input(b, 1)))));
  return NULL;
}

// The input gets no gradient where an update replaced it.
static sli_status_t *tensor_scatter_update_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0), indices = sli_gradient_input(b, 1);
  sli_output_t updates = emit_gather(b, gradient, indices);
  sli_output_t zeros = SLI_EMIT(b, "ZerosLike", SLI_INPUTS(sli_gradient_input(b, 2)));
  sli_gradient_set(b, 0, SLI_EMIT(b, "TensorScatterUpdate", SLI_INPUTS(gradient, indices, zeros)));
  sli_gradient_set(b, 2, updates);
  return NULL;
}

// The gradient goes to the one of input and updates that was taken; if they are equal, they share it.
static sli_status_t *tensor_scatter_extreme_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0), output = sli_gradient_output(b, 0);
  sli_output_t input = sli_gradient_input(b, 0), indices = sli_gradient_input(b, 1), updates = sli_gradient_input(b, 2);
  sli_dtype_t dtype = sli_gradient_dtype(b, input);
  sli_output_t kept = SLI_EMIT_WITH(b, "Cast", SLI_INPUTS(SLI_EMIT(b, "Equal", SLI_INPUTS(input, output))),
                                    SLI_ATTRS(SLI_ATTR_TYPE_OF("DstT", dtype)));
  sli_output_t taken =
      SLI_EMIT_WITH(b, "Cast", SLI_INPUTS(SLI_EMIT(b, "Equal", SLI_INPUTS(updates, emit_gather(b, output, indices)))),
                    SLI_ATTRS(SLI_ATTR_TYPE_OF("DstT", dtype)));
  sli_output_t shares = SLI_EMIT(b, "TensorScatterAdd", SLI_INPUTS(kept, indices, taken));
  sli_output_t share = SLI_EMIT(b, "RealDiv", SLI_INPUTS(gradient, shares));
  sli_gradient_set(b, 0, SLI_EMIT(b, "Mul", SLI_INPUTS(kept, share)));
  sli_gradient_set(b, 2, SLI_EMIT(b, "Mul", SLI_INPUTS(taken, emit_gather(b, share, indices))));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "ScatterNd",
     .inputs = "indices: Tindices, updates: T, shape: Tindices",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: {int16, int32, int64}",
     .summary = "Adds slices to a tensor of zeros.",
     .shape = scatter_nd_shape,
     .gradient = scatter_nd_gradient},
    {.name = "ScatterNdNonAliasingAdd",
     .inputs = "input: T, indices: Tindices, updates: T",
     .outputs = "output: T",
     .attrs = "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
              "qint16, quint16, uint16, complex128, half, uint32, uint64, bool}; Tindices: {int32, int64}",
     .summary = "A tensor with slices added.",
     .shape = scatter_nd_update_shape,
     .gradient = tensor_scatter_add_gradient},
    {.name = "TensorScatterUpdate",
     .inputs = "tensor: T, indices: Tindices, updates: T",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: {int16, int32, int64, uint16}",
     .summary = "A tensor with slices replaced.",
     .shape = scatter_nd_update_shape,
     .gradient = tensor_scatter_update_gradient},
    {.name = "TensorScatterAdd",
     .inputs = "tensor: T, indices: Tindices, updates: T",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: {int32, int64}",
     .summary = "A tensor with slices added.",
     .shape = scatter_nd_update_shape,
     .gradient = tensor_scatter_add_gradient},
    {.name = "TensorScatterSub",
     .inputs = "tensor: T, indices: Tindices, updates: T",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: {int32, int64}",
     .summary = "A tensor with slices subtracted.",
     .shape = scatter_nd_update_shape,
     .gradient = tensor_scatter_sub_gradient},
    {.name = "TensorScatterMin",
     .inputs = "tensor: T, indices: Tindices, updates: T",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: {int32, int64}",
     .summary = "The minimum of a tensor and slices.",
     .shape = scatter_nd_update_shape,
     .gradient = tensor_scatter_extreme_gradient},
    {.name = "TensorScatterMax",
     .inputs = "tensor: T, indices: Tindices, updates: T",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: {int32, int64}",
     .summary = "The maximum of a tensor and slices.",
     .shape = scatter_nd_update_shape,
     .gradient = tensor_scatter_extreme_gradient},
    {.name = "ScatterNdUpdate",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: type; Tindices: {int32, int64}; use_locking: bool = true",
     .summary = "Sets slices of a variable.",
     .shape = scatter_nd_update_shape,
     .not_differentiable = true},
    {.name = "ScatterNdAdd",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .summary = "Adds to slices of a variable.",
     .shape = scatter_nd_update_shape,
     .not_differentiable = true},
    {.name = "ScatterNdSub",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .summary = "Subtracts from slices of a variable.",
     .shape = scatter_nd_update_shape,
     .not_differentiable = true},
    {.name = "ScatterNdMin",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .summary = "Sets slices of a variable to the minimum of old and new values.",
     .shape = scatter_nd_update_shape},
    {.name = "ScatterNdMax",
     .inputs = "ref: Ref(T), indices: Tindices, updates: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
     .summary = "Sets slices of a variable to the maximum of old and new values.",
     .shape = scatter_nd_update_shape},
    {.name = "ResourceScatterNdUpdate",
     .inputs = "ref: resource, indices: Tindices, updates: T",
     .attrs = "T: type; Tindices: {int32, int64}; use_locking: bool = true",
     .summary = "Sets slices of a variable.",
     .shape = resource_scatter_nd_shape,
     .is_stateful = true},
    {.name = "ResourceScatterNdAdd",
     .inputs = "ref: resource, indices: Tindices, updates: T",
     .attrs = "T: type; Tindices: {int32, int64}; use_locking: bool = true",
     .summary = "Adds to slices of a variable.",
     .shape = resource_scatter_nd_shape,
     .is_stateful = true},
    {.name = "ResourceScatterNdSub",
     .inputs = "ref: resource, indices: Tindices, updates: T",
     .attrs = "T: type; Tindices: {int32, int64}; use_locking: bool = true",
     .summary = "Subtracts from slices of a variable.",
     .shape = resource_scatter_nd_shape,
     .is_stateful = true},
    {.name = "ResourceScatterNdMin",
     .inputs = "ref: resource, indices: Tindices, updates: T",
     .attrs = "T: type; Tindices: {int32, int64}; use_locking: bool = true",
     .summary = "Sets slices of a variable to the minimum of old and new values.",
     .shape = resource_scatter_nd_shape,
     .is_stateful = true},
    {.name = "ResourceScatterNdMax",
     .inputs = "ref: resource, indices: Tindices, updates: T",
     .attrs = "T: type; Tindices: {int32, int64}; use_locking: bool = true",
     .summary = "Sets slices of a variable to the maximum of old and new values.",
     .shape = resource_scatter_nd_shape,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ScatterNd",
     .types = SLI_TYPES_POD | SLI_TYPE_STRING,
     .where = {{"Tindices", SLI_TYPES_INDEX}},
     .host_memory = "shape",
     .compute = scatter_nd_compute},
    {.op = "ScatterNdNonAliasingAdd", .types = SLI_TYPES_POD, .compute = tensor_scatter_compute},
    {.op = "TensorScatterUpdate",
     .types = SLI_TYPES_POD | SLI_TYPE_STRING,
     .where = {{"Tindices", SLI_TYPES_INDEX}},
     .compute = tensor_scatter_compute},
    {.op = "TensorScatterAdd", .types = SLI_TYPES_NUMBER, .compute = tensor_scatter_compute},
    {.op = "TensorScatterSub", .types = SLI_TYPES_NUMBER, .compute = tensor_scatter_compute},
    {.op = "TensorScatterMin", .types = SLI_TYPES_REAL, .compute = tensor_scatter_compute},
    {.op = "TensorScatterMax", .types = SLI_TYPES_REAL, .compute = tensor_scatter_compute},
    {.op = "ScatterNdUpdate", .types = SLI_TYPES_POD | SLI_TYPE_STRING, .compute = variable_scatter_compute},
    {.op = "ScatterNdAdd", .types = SLI_TYPES_POD, .compute = variable_scatter_compute},
    {.op = "ScatterNdSub", .types = SLI_TYPES_POD, .compute = variable_scatter_compute},
    {.op = "ScatterNdMin", .types = SLI_TYPES_REAL, .compute = variable_scatter_compute},
    {.op = "ScatterNdMax", .types = SLI_TYPES_REAL, .compute = variable_scatter_compute},
    {.op = "ResourceScatterNdUpdate",
     .types = SLI_TYPES_POD | SLI_TYPE_STRING,
     .host_memory = "ref",
     .compute = variable_scatter_compute},
    {.op = "ResourceScatterNdAdd", .types = SLI_TYPES_POD, .compute = variable_scatter_compute},
    {.op = "ResourceScatterNdSub", .types = SLI_TYPES_POD, .compute = variable_scatter_compute},
    {.op = "ResourceScatterNdMin", .types = SLI_TYPES_REAL, .compute = variable_scatter_compute},
    {.op = "ResourceScatterNdMax", .types = SLI_TYPES_REAL, .compute = variable_scatter_compute},
};

SLI_OP_MODULE(scatter_nd);
