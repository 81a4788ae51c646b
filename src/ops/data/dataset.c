#include "ops/data/dataset.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/data/recipe.h"

// --- Datasets ----------------------------------------------------------------------------------------

static void dataset_destroy(sli_object_t *object) {
  sli_dataset_t *dataset = (sli_dataset_t *)object;
  if (dataset->kind->destroy) dataset->kind->destroy(dataset);
  for (int i = 0; i < dataset->input_count; i++) sli_dataset_release(dataset->inputs[i]);
  sli_dataset_recipe_release(dataset->recipe);
  sli_arena_deinitialize(&dataset->arena);
  free(dataset);
}

const sli_object_type_t sli_dataset_type = {"Dataset", dataset_destroy, NULL};

sli_dataset_t *sli_dataset_create_as(const sli_dataset_kind_t *kind, size_t size, int component_count,
                                     const sli_dtype_t *types, const sli_shape_t *shapes, sli_dataset_t *const *inputs,
                                     int input_count) {
  sli_dataset_t *dataset = sli_calloc(1, size);
  sli_object_initialize(&dataset->base, &sli_dataset_type);
  dataset->kind = kind;
  dataset->component_count = component_count;
  sli_dtype_t *own_types = sli_arena_calloc(&dataset->arena, (size_t)component_count + 1, sizeof(*own_types));
  sli_shape_t *own_shapes = sli_arena_calloc(&dataset->arena, (size_t)component_count + 1, sizeof(*own_shapes));
  for (int i = 0; i < component_count; i++) {
    own_types[i] = types[i];
    own_shapes[i] = sli_shape_copy(&dataset->arena, shapes[i]);
  }
  dataset->types = own_types;
  dataset->shapes = own_shapes;
  dataset->inputs = sli_arena_calloc(&dataset->arena, (size_t)input_count + 1, sizeof(dataset->inputs[0]));
  dataset->input_count = input_count;
  dataset->is_light = kind->is_light;
  dataset->batch_size = kind->keeps_batches && input_count ? inputs[0]->batch_size : -1;
  for (int i = 0; i < input_count; i++) {
    dataset->inputs[i] = sli_dataset_retain(inputs[i]);
    dataset->is_light &= inputs[i]->is_light;
    if (inputs[i]->batch_size != inputs[0]->batch_size) dataset->batch_size = -1;
    dataset->has_expectations |= inputs[i]->has_expectations;
  }
  return dataset;
}

sli_status_t *sli_dataset_check_count(size_t components) {
  if (components <= SLI_DATASET_MAX_COMPONENTS) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "An element can have at most %d components, got %zu",
                         SLI_DATASET_MAX_COMPONENTS, components);
}

// The lists of the node's elements, which must be of the same length.
static sli_status_t *element_lists(const sli_node_def_t *node, const sli_attr_t **out_types,
                                   const sli_attr_t **out_shapes) {
  const char *name = sli_node_attr(node, "output_types") ? "output_types" : "Toutput_types";
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, name, SLI_ATTR_TYPE, out_types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "output_shapes", SLI_ATTR_SHAPE, out_shapes));
  size_t types = (*out_types)->count, shapes = (*out_shapes)->count;
  if (types != shapes)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The number of types and shapes must be equal: %s has %zu and output_shapes %zu", name,
                           types, shapes);
  return sli_dataset_check_count(types);
}

sli_status_t *sli_dataset_create(const sli_kernel_context_t *context, const sli_dataset_kind_t *kind, size_t size,
                                 sli_dataset_t *const *inputs, int input_count, sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  const sli_attr_t *types, *shapes;
  SLI_RETURN_IF_ERROR(element_lists(context->node, &types, &shapes));
  *out_dataset =
      sli_dataset_create_as(kind, size, (int)types->count, types->list.type, shapes->list.shape, inputs, input_count);
  return NULL;
}

sli_status_t *sli_dataset_create_like(const sli_kernel_context_t *context, const sli_dataset_kind_t *kind, size_t size,
                                      sli_dataset_t *const *inputs, int input_count, sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  const sli_attr_t *types, *shapes;
  SLI_RETURN_IF_ERROR(element_lists(context->node, &types, &shapes));
  SLI_RETURN_IF_ERROR(
      sli_dataset_check_types(types->list.type, (int)types->count, inputs[0]->types, inputs[0]->component_count));
  return sli_dataset_create(context, kind, size, inputs, input_count, out_dataset);
}

int64_t sli_dataset_cardinality(const sli_dataset_t *dataset) {
  if (dataset->kind->cardinality) return dataset->kind->cardinality(dataset);
  return dataset->input_count == 1 ? sli_dataset_cardinality(dataset->inputs[0]) : SLI_DATASET_UNKNOWN;
}

sli_status_t *sli_dataset_of(const sli_tensor_t *tensor, sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  sli_object_t *object =
      tensor && tensor->dtype == SLI_DTYPE_VARIANT && tensor->rank == 0 ? SLI_DATA(sli_object_t *, tensor)[0] : NULL;
  if (!object || object->type != &sli_dataset_type)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor must be a Dataset object.");
  *out_dataset = (sli_dataset_t *)object;
  return NULL;
}

sli_status_t *sli_dataset_input(const sli_kernel_context_t *context, int index, sli_dataset_t **out_dataset) {
  return sli_dataset_of(sli_kernel_input(context, index), out_dataset);
}

sli_tensor_t *sli_dataset_to_tensor(sli_dataset_t *dataset) {
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_VARIANT, NULL, 0, &tensor));
  SLI_DATA(sli_object_t *, tensor)[0] = &dataset->base;
  return tensor;
}

void sli_dataset_set_output(sli_kernel_context_t *context, sli_dataset_t *dataset) {
  sli_dataset_recipe_note(dataset, context);
  sli_kernel_set_output(context, 0, sli_dataset_to_tensor(dataset));
}

sli_status_t *sli_dataset_finish(sli_kernel_context_t *context, sli_dataset_t *dataset, sli_status_t *status) {
  if (status)
    sli_dataset_release(dataset);
  else
    sli_dataset_set_output(context, dataset);
  return status;
}

static sli_status_t *scalar_input(const sli_kernel_context_t *context, int index, const char *name, sli_dtype_t dtype,
                                  const sli_tensor_t **out_tensor) {
  *out_tensor = sli_kernel_input(context, index);
  if (*out_tensor && (*out_tensor)->rank == 0 && (*out_tensor)->dtype == dtype) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be a scalar", name);
}

sli_status_t *sli_dataset_input_int(const sli_kernel_context_t *context, int index, const char *name,
                                    int64_t *out_value) {
  const sli_tensor_t *tensor;
  bool is_int32 = context->node->input_types[index] == SLI_DTYPE_INT32;
  SLI_RETURN_IF_ERROR(scalar_input(context, index, name, is_int32 ? SLI_DTYPE_INT32 : SLI_DTYPE_INT64, &tensor));
  *out_value = sli_tensor_int_at(tensor, 0);
  return NULL;
}

sli_status_t *sli_dataset_input_bool(const sli_kernel_context_t *context, int index, const char *name,
                                     bool *out_value) {
  const sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(scalar_input(context, index, name, SLI_DTYPE_BOOL, &tensor));
  *out_value = SLI_DATA(const bool, tensor)[0];
  return NULL;
}

sli_status_t *sli_dataset_input_text(const sli_kernel_context_t *context, int index, const char *name,
                                     sli_view_t *out_value) {
  const sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(scalar_input(context, index, name, SLI_DTYPE_STRING, &tensor));
  *out_value = sli_tensor_string_at(tensor, 0);
  return NULL;
}

sli_status_t *sli_dataset_check_types(const sli_dtype_t *expected, int expected_count, const sli_dtype_t *types,
                                      int count) {
  if (expected_count != count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Number of components does not match: expected %d types but got %d.",
                           expected_count, count);
  for (int i = 0; i < count; i++) {
    if (expected[i] != types[i])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Data type mismatch at component %d: expected %s but got %s.", i,
                             sli_dtype_name(expected[i]), sli_dtype_name(types[i]));
  }
  return NULL;
}

sli_status_t *sli_dataset_check_shapes(const sli_shape_t *expected, const sli_shape_t *shapes, int count) {
  for (int i = 0; i < count; i++) {
    if (!sli_shape_is_compatible(expected[i], shapes[i]))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Incompatible shapes at component %d: expected %s but got %s.", i,
                             sli_shape_text(expected[i]).text, sli_shape_text(shapes[i]).text);
  }
  return NULL;
}

// --- Iterators -----------------------------------------------------------------------------------------

sli_iterator_root_t *sli_iterator_root_create(sli_device_t *device) {
  sli_iterator_root_t *root = sli_calloc(1, sizeof(*root));
  sli_refcount_initialize(&root->references);
  root->device = device;
  root->cancellation = sli_cancellation_create();
  sli_mutex_initialize(&root->mutex);
  sli_cond_initialize(&root->cond);
  return root;
}

void sli_iterator_root_cancel(sli_iterator_root_t *root) {
  sli_mutex_lock(&root->mutex);
  root->is_cancelled = true;
  sli_mutex_unlock(&root->mutex);
  sli_cancellation_cancel(root->cancellation, sli_status_make(SLI_CANCELLED, "Iterator was destroyed"));
  sli_mutex_lock(&root->mutex);
  while (root->running) sli_cond_wait(&root->cond, &root->mutex);
  sli_mutex_unlock(&root->mutex);
}

void sli_iterator_root_release(sli_iterator_root_t *root) {
  if (!root || !sli_refcount_release(&root->references)) return;
  sli_cancellation_release(root->cancellation);
  sli_mutex_deinitialize(&root->mutex);
  sli_cond_deinitialize(&root->cond);
  free(root);
}

bool sli_iterator_root_enter(sli_iterator_root_t *root) {
  sli_mutex_lock(&root->mutex);
  bool may_run = !root->is_cancelled;
  root->running += may_run;
  sli_mutex_unlock(&root->mutex);
  return may_run;
}

void sli_iterator_root_leave(sli_iterator_root_t *root) {
  sli_mutex_lock(&root->mutex);
  if (--root->running == 0) sli_cond_broadcast(&root->cond);
  sli_mutex_unlock(&root->mutex);
}

sli_status_t *sli_iterator_create(sli_dataset_t *dataset, sli_iterator_root_t *root, sli_iterator_t **out_iterator) {
  *out_iterator = NULL;
  sli_iterator_t *iterator = sli_calloc(1, dataset->kind->iterator_size);
  sli_refcount_initialize(&iterator->references);
  iterator->dataset = sli_dataset_retain(dataset);
  sli_refcount_retain(&root->references);
  iterator->root = root;
  sli_status_t *status = NULL;
  if (dataset->kind->opens_input) status = sli_iterator_create(dataset->inputs[0], root, &iterator->input);
  if (!status && dataset->kind->start) status = dataset->kind->start(iterator);
  if (status) {
    sli_iterator_release(iterator);
    return status;
  }
  *out_iterator = iterator;
  return NULL;
}

void sli_iterator_release(sli_iterator_t *iterator) {
  if (!iterator || !sli_refcount_release(&iterator->references)) return;
  if (iterator->dataset->kind->stop) iterator->dataset->kind->stop(iterator);
  sli_iterator_release(iterator->input);
  sli_dataset_release(iterator->dataset);
  sli_iterator_root_release(iterator->root);
  free(iterator);
}

sli_status_t *sli_iterator_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                bool *out_end) {
  *out_end = false;
  if (sli_cancellation_is_cancelled(call->cancellation)) return sli_cancellation_status(call->cancellation);
  return iterator->dataset->kind->next(iterator, call, out_element, out_end);
}

void sli_dataset_release_element(sli_tensor_t **element, int count) {
  for (int i = 0; i < count; i++) {
    sli_tensor_release(element[i]);
    element[i] = NULL;
  }
}

// --- Shape functions -------------------------------------------------------------------------------------

// Inputs that are vectors or lists, or may be.
static bool may_be_vector(const char *name) {
  static const char *const names[] = {"filenames",
                                      "patterns",
                                      "optimizations",
                                      "optimizations_enabled",
                                      "optimizations_disabled",
                                      "optimizations_default",
                                      "transformations",
                                      "batch_sizes",
                                      "row_shape",
                                      "indices",
                                      "dense_shape",
                                      "select_cols",
                                      "exclude_cols",
                                      "byte_offsets"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++) {
    if (strcmp(names[i], name) == 0) return true;
  }
  return false;
}

sli_status_t *sli_dataset_infer(sli_infer_context_t *c) {
  const sli_op_t *op = c->node->op;
  for (int i = 0; i < op->input_count; i++) {
    const sli_arg_t *arg = &op->inputs[i];
    int first, count;
    bool is_single = !arg->number_attr && !arg->type_list_attr && arg->type != SLI_DTYPE_INVALID;
    if (!is_single || arg->type == SLI_DTYPE_VARIANT || may_be_vector(arg->name)) continue;
    sli_shape_t unused;
    SLI_RETURN_IF_ERROR(sli_node_input_range(c->node, arg->name, &first, &count));
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, first, 0, &unused));
  }
  return sli_infer_fn_scalar(c);
}

sli_status_t *sli_dataset_infer_components(sli_infer_context_t *c) {
  const sli_attr_t *shapes;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(c->node, "output_shapes", SLI_ATTR_SHAPE, &shapes));
  if (shapes->count != (size_t)c->node->output_count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "`output_shapes` must be the same length as `output_types` (%zu vs. %d)", shapes->count,
                           c->node->output_count);
  for (int i = 0; i < c->node->output_count; i++) {
    sli_shape_t shape = shapes->list.shape[i];
    sli_infer_set_output(c, i, shape.rank < 0 ? SLI_SHAPE_UNKNOWN : sli_infer_make(c, shape.rank, shape.dims));
  }
  return NULL;
}
