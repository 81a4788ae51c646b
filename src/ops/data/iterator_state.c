// SerializeIterator and DeserializeIterator: the state of an iterator as a variant, which checkpoints can hold.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "core/tensor/variant.h"
#include "ops/common/named_resource.h"
#include "ops/data/iterator_resource.h"
#include "ops/data/recipe.h"

// The state as bytes. Immutable.
typedef struct {
  sli_object_t base;
  sli_string_t bytes;
} state_t;

static void state_destroy(sli_object_t *object) {
  sli_string_deinitialize(&((state_t *)object)->bytes);
  free(object);
}

static void state_encode(const sli_object_t *object, sli_variant_data_t *out_data) {
  const sli_string_t *bytes = &((const state_t *)object)->bytes;
  sli_string_append(&out_data->metadata, bytes->data, bytes->size);
}

static const sli_object_type_t state_type;

static state_t *state_create(sli_view_t bytes) {
  state_t *state = sli_calloc(1, sizeof(*state));
  sli_object_initialize(&state->base, &state_type);
  sli_string_append(&state->bytes, bytes.data, bytes.size);
  return state;
}

static sli_status_t *state_decode(const sli_variant_data_t *data, sli_object_t **out_object) {
  *out_object = &state_create(sli_view_of(data->metadata.data, data->metadata.size))->base;
  return NULL;
}

static const struct sli_variant_methods state_methods = {.encode = state_encode, .decode = state_decode};
static const sli_object_type_t state_type = {
    .name = "sluice::IteratorState", .destroy = state_destroy, .variant = &state_methods};

static sli_status_t *run_save(sli_kernel_context_t *context, sli_iterator_pass_t *pass) {
  if (!pass) return sli_iterator_not_initialized("Save()");
  enum { POLICY_FAIL = 2 };
  int64_t policy;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "external_state_policy", &policy));
  if (policy == POLICY_FAIL) SLI_RETURN_IF_ERROR(sli_dataset_check_external_state(pass->iterator->dataset));
  sli_iterator_writer_t writer = {0};
  sli_tensor_t *output;
  sli_status_t *status = sli_iterator_save(pass->iterator, &writer);
  if (!status) status = sli_kernel_allocate_output(context, 0, SLI_SHAPE(1), &output);
  if (!status)
    SLI_DATA(sli_object_t *, output)[0] = &state_create(sli_view_of(writer.bytes.data, writer.bytes.size))->base;
  sli_string_deinitialize(&writer.bytes);
  return status;
}

static void serialize(sli_kernel_context_t *context) {
  sli_iterator_resource_t *resource;
  sli_status_t *status = sli_named_resource_find(context, 0, &sli_iterator_resource_type, (void **)&resource);
  if (status)
    sli_kernel_complete(context, status);
  else
    sli_iterator_resource_request(resource, context, false, run_save);
}

// A new pass over the same dataset takes the place of the old one when it is where the state was.
static sli_status_t *restore(sli_kernel_context_t *context, sli_iterator_resource_t *resource,
                             sli_iterator_pass_t *before, const state_t *state) {
  sli_iterator_pass_t *pass;
  sli_iterator_reader_t reader = {sli_view_of(state->bytes.data, state->bytes.size)};
  SLI_RETURN_IF_ERROR(sli_iterator_pass_create(before->iterator->dataset, context->device, &pass));
  sli_status_t *status = sli_iterator_restore(pass->iterator, &reader);
  if (!status && reader.rest.size)
    status =
        sli_status_make(SLI_DATA_LOSS, "The state of the iterator is malformed: there is more than its dataset reads");
  if (status)
    sli_iterator_pass_release(pass);
  else
    sli_iterator_resource_replace(resource, pass);
  return status;
}

static sli_status_t *deserialize(sli_kernel_context_t *context) {
  const sli_tensor_t *serialized = sli_kernel_input(context, 1);
  sli_iterator_resource_t *resource;
  sli_object_t *state = NULL;
  if (serialized->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "serialized must have one element, got %lld",
                           (long long)serialized->count);
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &sli_iterator_resource_type, (void **)&resource));
  sli_status_t *status = sli_op_variant_at(serialized, 0, &state_type, &state);
  if (!status && !state)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "serialized is not the state of an iterator that Sluice saved");
  sli_iterator_pass_t *before = sli_iterator_resource_pass(resource);
  if (!status && !before)
    status = sli_status_make(SLI_FAILED_PRECONDITION,
                             "Restore() failed because the iterator has not been initialized. Ensure that you have run "
                             "the initializer operation for this iterator before restoring it.");
  if (!status) status = restore(context, resource, before, (const state_t *)state);
  sli_iterator_pass_release(before);
  sli_object_release(state);
  sli_object_release(resource);
  return status;
}

static sli_status_t *serialized_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_make_unknown_of_rank(c, 1));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "SerializeIterator",
        .inputs = "resource_handle: resource",
        .outputs = "serialized: variant",
        .attrs = "external_state_policy: int = 0",
        .summary = "The state of an iterator.",
        .shape = serialized_shape,
        .is_stateful = true,
    },
    {
        .name = "DeserializeIterator",
        .inputs = "resource_handle: resource, serialized: variant",
        .summary = "Continues an iterator at a state.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SerializeIterator", .compute_async = serialize},
    {.op = "DeserializeIterator", .compute = deserialize, .blocks = true},
};

static const sli_object_type_t *const variants[] = {&state_type, NULL};
SLI_OP_MODULE_WITH_VARIANTS(data_iterator_state);
