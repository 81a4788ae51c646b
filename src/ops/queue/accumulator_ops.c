// The accumulator ops. Dense accumulators have reference and resource handles, sparse ones only reference handles.
#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/common/named_resource.h"
#include "ops/queue/accumulator.h"

static sli_status_t *make_accumulator(const sli_node_def_t *node, bool is_sparse, sli_view_t name, void **out_object) {
  *out_object = NULL;
  sli_accumulator_spec_t spec = {.is_sparse = is_sparse};
  sli_view_t reduction;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(node, "dtype", &spec.dtype));
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(node, "shape", &spec.shape));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "reduction_type", &reduction));
  spec.is_mean = sli_view_is(reduction, "MEAN");
  *out_object = sli_accumulator_create(&spec, name);
  return NULL;
}

// An accumulator of the other kind or of another type could not add this node's gradients.
static sli_status_t *match_accumulator(const sli_node_def_t *node, bool is_sparse, void *object) {
  const sli_accumulator_spec_t *have = sli_accumulator_spec(object);
  sli_dtype_t dtype;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(node, "dtype", &dtype));
  if (have->is_sparse == is_sparse && have->dtype == dtype) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "The shared accumulator is %s of type %s, but '%s' wants %s of type %s",
                         have->is_sparse ? "sparse" : "dense", sli_dtype_name(have->dtype), node->name,
                         is_sparse ? "a sparse one" : "a dense one", sli_dtype_name(dtype));
}

static sli_status_t *make_dense(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  return make_accumulator(node, false, name, out_object);
}
static sli_status_t *make_sparse(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  return make_accumulator(node, true, name, out_object);
}
static sli_status_t *match_dense(const sli_node_def_t *node, void *object) {
  return match_accumulator(node, false, object);
}
static sli_status_t *match_sparse(const sli_node_def_t *node, void *object) {
  return match_accumulator(node, true, object);
}

static sli_status_t *dense_create(const sli_kernel_setup_t *setup, void **out_state) {
  static const sli_named_resource_type_t type = {&sli_accumulator_type, make_dense, match_dense, false};
  return sli_named_resource_create(setup, &type, out_state);
}

static sli_status_t *sparse_create(const sli_kernel_setup_t *setup, void **out_state) {
  static const sli_named_resource_type_t type = {&sli_accumulator_type, make_sparse, match_sparse, false};
  return sli_named_resource_create(setup, &type, out_state);
}

static sli_status_t *accumulator_handle_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){2}));
  return NULL;
}

static sli_status_t *find_accumulator(sli_kernel_context_t *context, sli_accumulator_t **out_accumulator) {
  return sli_named_resource_find(context, 0, &sli_accumulator_type, (void **)out_accumulator);
}

// Finds the accumulator of input 0 and checks that it is for gradients of this kind and of the node's dtype.
static sli_status_t *find_matching(sli_kernel_context_t *context, bool is_sparse, sli_accumulator_t **out_accumulator) {
  sli_dtype_t dtype;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(context->node, "dtype", &dtype));
  SLI_RETURN_IF_ERROR(find_accumulator(context, out_accumulator));
  const sli_accumulator_spec_t *spec = sli_accumulator_spec(*out_accumulator);
  if (spec->dtype == dtype && spec->is_sparse == is_sparse) return NULL;
  sli_status_t *status = sli_status_make(
      SLI_INVALID_ARGUMENT, "Signature mismatch, have: %s gradients of type %s expected: %s gradients of type %s",
      is_sparse ? "sparse" : "dense", sli_dtype_name(dtype), spec->is_sparse ? "sparse" : "dense",
      sli_dtype_name(spec->dtype));
  sli_object_release(*out_accumulator);
  *out_accumulator = NULL;
  return status;
}

static sli_status_t *scalar_argument(const sli_kernel_context_t *context, int index, const char *name,
                                     int64_t *out_value) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  if (tensor->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Argument %s must be scalar, but had bad shape %s", name,
                           sli_tensor_shape_text(tensor).text);
  *out_value = sli_tensor_int_at(tensor, 0);
  return NULL;
}

static sli_status_t *apply_gradient(sli_kernel_context_t *context, bool is_sparse,
                                    const sli_accumulator_gradient_t *gradient) {
  sli_accumulator_t *accumulator;
  int64_t local_step = 0;
  SLI_RETURN_IF_ERROR(scalar_argument(context, 1, "local_step", &local_step));
  SLI_RETURN_IF_ERROR(find_matching(context, is_sparse, &accumulator));
  sli_status_t *status = sli_accumulator_apply(accumulator, sli_kernel_pool(context), local_step, gradient);
  sli_object_release(accumulator);
  return status;
}

static sli_status_t *apply_compute(sli_kernel_context_t *context) {
  return apply_gradient(context, false, &(sli_accumulator_gradient_t){.values = sli_kernel_input(context, 2)});
}

static sli_status_t *apply_sparse_compute(sli_kernel_context_t *context) {
  bool has_known_shape;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "has_known_shape", &has_known_shape));
  sli_accumulator_gradient_t gradient = {.indices = sli_kernel_input(context, 2),
                                         .values = sli_kernel_input(context, 3)};
  if (has_known_shape) gradient.shape = sli_kernel_input(context, 4);
  return apply_gradient(context, true, &gradient);
}

static void take_kernel_done(void *user, sli_status_t *status, const sli_accumulator_gradient_t *sum) {
  sli_kernel_context_t *context = user;
  if (!status) {
    bool is_sparse = context->output_count > 1;
    if (is_sparse) sli_kernel_set_output(context, 0, sum->indices);
    sli_kernel_set_output(context, is_sparse ? 1 : 0, sum->values);
    if (is_sparse) sli_kernel_set_output(context, 2, sum->shape);
  }
  sli_kernel_complete(context, status);
}

static void accumulator_take_compute(sli_kernel_context_t *context) {
  sli_accumulator_t *accumulator = NULL;
  int64_t required = 0;
  sli_status_t *status = scalar_argument(context, 1, "num_required", &required);
  if (!status) status = find_matching(context, context->output_count > 1, &accumulator);
  if (status)
    sli_kernel_complete(context, status);
  else
    sli_accumulator_take(accumulator, context->step->cancellation, required, take_kernel_done, context);
  sli_object_release(accumulator);
}

static sli_status_t *count_compute(sli_kernel_context_t *context) {
  sli_accumulator_t *accumulator;
  SLI_RETURN_IF_ERROR(find_accumulator(context, &accumulator));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int32((int32_t)sli_accumulator_count(accumulator)));
  sli_object_release(accumulator);
  return NULL;
}

static sli_status_t *set_step_compute(sli_kernel_context_t *context) {
  sli_accumulator_t *accumulator;
  int64_t step = 0;
  SLI_RETURN_IF_ERROR(scalar_argument(context, 1, "new_global_step", &step));
  SLI_RETURN_IF_ERROR(find_accumulator(context, &accumulator));
  sli_accumulator_set_global_step(accumulator, step);
  sli_object_release(accumulator);
  return NULL;
}

// TensorFlow requires a vector of 2 elements for both kinds of handles, and does not check the other inputs.
static sli_status_t *scalar_input_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  return sli_infer_input_with_rank(c, 1, 0, &unused);
}

static const sli_op_def_t ops[] = {
    {
        .name = "ConditionalAccumulator",
        .outputs = "handle: Ref(string)",
        .attrs = "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
                 "qint16, quint16, uint16, complex128, half, uint32, uint64}; shape: shape; container: string = ''; "
                 "shared_name: string = ''; reduction_type: {'MEAN', 'SUM'} = 'MEAN'",
        .summary = "A conditional accumulator of dense gradients.",
        .shape = accumulator_handle_shape,
        .is_stateful = true,
    },
    {
        .name = "ResourceConditionalAccumulator",
        .outputs = "handle: resource",
        .attrs = "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
                 "qint16, quint16, uint16, complex128, half, uint32, uint64}; shape: shape; container: string = ''; "
                 "shared_name: string = ''; reduction_type: {'MEAN', 'SUM'} = 'MEAN'",
        .summary = "A conditional accumulator of dense gradients.",
        .shape = accumulator_handle_shape,
        .is_stateful = true,
        .is_on_ps = true,
    },
    {
        .name = "SparseConditionalAccumulator",
        .outputs = "handle: Ref(string)",
        .attrs = "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
                 "qint16, quint16, uint16, complex128, half, uint32, uint64}; shape: shape; container: string = ''; "
                 "shared_name: string = ''; reduction_type: {'MEAN', 'SUM'} = 'MEAN'",
        .summary = "A conditional accumulator of sparse gradients (slices).",
        .shape = accumulator_handle_shape,
        .is_stateful = true,
    },
    {
        .name = "AccumulatorApplyGradient",
        .inputs = "handle: Ref(string), local_step: int64, gradient: dtype",
        .attrs = "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
                 "qint16, quint16, uint16, complex128, half, uint32, uint64}",
        .summary = "Adds a gradient, unless it is stale.",
        .shape = scalar_input_shape,
        .keeps_inputs = true,
    },
    {
        .name = "AccumulatorTakeGradient",
        .inputs = "handle: Ref(string), num_required: int32",
        .outputs = "average: dtype",
        .attrs = "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
                 "qint16, quint16, uint16, complex128, half, uint32, uint64}",
        .summary = "Waits for enough gradients, then takes their mean or sum.",
        .shape = scalar_input_shape,
    },
    {
        .name = "AccumulatorNumAccumulated",
        .inputs = "handle: Ref(string)",
        .outputs = "num_accumulated: int32",
        .summary = "The number of gradients accumulated since the last take.",
        .shape = sli_infer_fn_scalar,
    },
    {
        .name = "AccumulatorSetGlobalStep",
        .inputs = "handle: Ref(string), new_global_step: int64",
        .summary = "Sets the step below which gradients are stale.",
        .shape = scalar_input_shape,
    },
    {
        .name = "ResourceAccumulatorApplyGradient",
        .inputs = "handle: resource, local_step: int64, gradient: dtype",
        .attrs = "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
                 "qint16, quint16, uint16, complex128, half, uint32, uint64}",
        .summary = "Adds a gradient, unless it is stale.",
        .shape = scalar_input_shape,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "ResourceAccumulatorTakeGradient",
        .inputs = "handle: resource, num_required: int32",
        .outputs = "average: dtype",
        .attrs = "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
                 "qint16, quint16, uint16, complex128, half, uint32, uint64}",
        .summary = "Waits for enough gradients, then takes their mean or sum.",
        .shape = scalar_input_shape,
        .is_stateful = true,
    },
    {
        .name = "ResourceAccumulatorNumAccumulated",
        .inputs = "handle: resource",
        .outputs = "num_accumulated: int32",
        .summary = "The number of gradients accumulated since the last take.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "ResourceAccumulatorSetGlobalStep",
        .inputs = "handle: resource, new_global_step: int64",
        .summary = "Sets the step below which gradients are stale.",
        .shape = scalar_input_shape,
        .is_stateful = true,
    },
    {
        .name = "SparseAccumulatorApplyGradient",
        .inputs = "handle: Ref(string), local_step: int64, gradient_indices: int64, gradient_values: dtype, "
                  "gradient_shape: int64",
        .attrs = "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
                 "qint16, quint16, uint16, complex128, half, uint32, uint64}; has_known_shape: bool",
        .summary = "Adds a sparse gradient (slices), unless it is stale.",
        .shape = scalar_input_shape,
        .keeps_inputs = true,
    },
    {
        .name = "SparseAccumulatorTakeGradient",
        .inputs = "handle: Ref(string), num_required: int32",
        .outputs = "indices: int64, values: dtype, shape: int64",
        .attrs = "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
                 "qint16, quint16, uint16, complex128, half, uint32, uint64}",
        .summary = "Waits for enough sparse gradients, then takes their mean or sum.",
        .shape = scalar_input_shape,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ConditionalAccumulator",
     .where = {{"dtype", SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_HALF}},
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = dense_create,
     .destroy = sli_named_resource_destroy},
    {.op = "ResourceConditionalAccumulator",
     .where = {{"dtype", SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_HALF}},
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = dense_create,
     .destroy = sli_named_resource_destroy},
    {.op = "SparseConditionalAccumulator",
     .where = {{"dtype", SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_HALF}},
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = sparse_create,
     .destroy = sli_named_resource_destroy},
    {.op = "AccumulatorApplyGradient", .host_memory = "handle, local_step", .compute = apply_compute},
    {.op = "AccumulatorTakeGradient", .host_memory = "handle, num_required", .compute_async = accumulator_take_compute},
    {.op = "AccumulatorNumAccumulated", .host_memory = "handle", .compute = count_compute},
    {.op = "AccumulatorSetGlobalStep", .host_memory = "handle, new_global_step", .compute = set_step_compute},
    {.op = "ResourceAccumulatorApplyGradient", .host_memory = "handle, local_step", .compute = apply_compute},
    {.op = "ResourceAccumulatorTakeGradient",
     .host_memory = "handle, num_required",
     .compute_async = accumulator_take_compute},
    {.op = "ResourceAccumulatorNumAccumulated", .host_memory = "handle", .compute = count_compute},
    {.op = "ResourceAccumulatorSetGlobalStep", .host_memory = "handle, new_global_step", .compute = set_step_compute},
    {.op = "SparseAccumulatorApplyGradient", .host_memory = "handle, local_step", .compute = apply_sparse_compute},
    {.op = "SparseAccumulatorTakeGradient",
     .host_memory = "handle, num_required",
     .compute_async = accumulator_take_compute},
};
SLI_OP_MODULE(accumulator_ops);
