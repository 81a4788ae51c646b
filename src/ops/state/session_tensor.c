// GetSessionHandle, GetSessionHandleV2, GetSessionTensor, DeleteSessionTensor: tensors that stay in the session between
// steps, found by a handle such as "node;7;/job:worker/replica:0/task:0/device:CPU:0".
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "core/tensor/resource_handle.h"

typedef struct {
  sli_object_t base;
  sli_tensor_t *tensor;
} kept_t;

static void kept_destroy(sli_object_t *object) {
  sli_tensor_release(((kept_t *)object)->tensor);
  free(object);
}

static const sli_object_type_t kept_type = {"SessionTensor", kept_destroy, NULL, NULL};
static const char container[] = "_session_tensors";

// The state of the kernels: where the session keeps its resources.
static sli_status_t *session_create(const sli_kernel_setup_t *setup, void **out_state) {
  *out_state = setup->session ? setup->session : setup->device->resources;
  return NULL;
}

static sli_resource_manager_t *session_of(sli_kernel_context_t *context) {
  return (sli_resource_manager_t *)sli_kernel_state(context);
}

static sli_status_t *set_handle(sli_kernel_context_t *context, const char *name, kept_t *kept) {
  if (context->node->output_types[0] == SLI_DTYPE_STRING) {
    sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view(name)));
    return NULL;
  }
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  SLI_DATA(sli_resource_handle_t *, output)
  [0] = sli_resource_handle_create(context->device->name, sli_view("TensorHandle"), sli_view(name), &kept_type, kept);
  return NULL;
}

static sli_status_t *keep_compute(sli_kernel_context_t *context) {
  static atomic_llong next;
  kept_t *kept = sli_calloc(1, sizeof(*kept));
  sli_object_initialize(&kept->base, &kept_type);
  kept->tensor = sli_tensor_retain(sli_kernel_input(context, 0));
  char *name =
      sli_format("%s;%lld;%s", context->node->name, (long long)atomic_fetch_add(&next, 1), context->device->name);
  sli_status_t *status = sli_resource_insert(session_of(context), sli_view(container), sli_view(name), kept);
  if (!status) status = set_handle(context, name, kept);
  free(name);
  sli_object_release(kept);
  return status;
}

static sli_status_t *missing(sli_view_t name) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "The tensor with handle '%.*s' is not in the session store.",
                         SLI_VIEW_ARG(name));
}

static sli_status_t *get_compute(sli_kernel_context_t *context) {
  kept_t *kept;
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 0, "handle"));
  sli_view_t name = sli_tensor_string_at(sli_kernel_input(context, 0), 0);
  sli_status_t *status = sli_resource_find(session_of(context), sli_view(container), &kept_type, name, (void **)&kept);
  if (status) {
    sli_status_release(status);
    return missing(name);
  }
  sli_dtype_t wanted = context->node->output_types[0];
  if (kept->tensor->dtype == wanted)
    sli_kernel_set_output(context, 0, sli_tensor_retain(kept->tensor));
  else
    status =
        sli_status_make(SLI_INVALID_ARGUMENT, "The tensor with handle '%.*s' has type %s, not %s", SLI_VIEW_ARG(name),
                        sli_dtype_name((sli_dtype_t)kept->tensor->dtype), sli_dtype_name(wanted));
  sli_object_release(kept);
  return status;
}

static sli_status_t *delete_compute(sli_kernel_context_t *context) {
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 0, "handle"));
  sli_view_t name = sli_tensor_string_at(sli_kernel_input(context, 0), 0);
  sli_status_t *status = sli_resource_remove(session_of(context), sli_view(container), &kept_type, name);
  if (!status) return NULL;
  sli_status_release(status);
  return missing(name);
}

static sli_status_t *get_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &unused));
  return sli_infer_fn_unknown(c);
}

static const sli_op_def_t ops[] = {
    {.name = "GetSessionHandle",
     .inputs = "value: T",
     .outputs = "handle: string",
     .attrs = "T: type",
     .summary = "Keeps a tensor in the session and outputs its handle.",
     .shape = sli_infer_fn_scalar,
     .not_differentiable = true,
     .is_stateful = true,
     .keeps_inputs = true},
    {.name = "GetSessionHandleV2",
     .inputs = "value: T",
     .outputs = "handle: resource",
     .attrs = "T: type",
     .summary = "Keeps a tensor in the session and outputs its handle.",
     .shape = sli_infer_fn_scalar,
     .not_differentiable = true,
     .is_stateful = true,
     .keeps_inputs = true},
    {.name = "GetSessionTensor",
     .inputs = "handle: string",
     .outputs = "value: dtype",
     .attrs = "dtype: type",
     .summary = "The tensor that the session keeps under a handle.",
     .shape = get_shape,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "DeleteSessionTensor",
     .inputs = "handle: string",
     .summary = "Lets the session forget the tensor of a handle.",
     .shape = sli_infer_fn_none,
     .not_differentiable = true,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "GetSessionHandle", .compute = keep_compute, .create = session_create},
    {.op = "GetSessionHandleV2", .compute = keep_compute, .create = session_create},
    {.op = "GetSessionTensor", .compute = get_compute, .create = session_create},
    {.op = "DeleteSessionTensor", .compute = delete_compute, .create = session_create},
};
SLI_OP_MODULE(session_tensor);
