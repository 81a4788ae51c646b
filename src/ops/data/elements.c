#include "ops/data/elements.h"

#include <stdlib.h>

#include "base/alloc.h"

void sli_dataset_elements_push(sli_dataset_elements_t *elements, sli_tensor_t *const *element) {
  if (elements->count == elements->capacity) {
    elements->capacity = elements->capacity ? elements->capacity * 2 : 16;
    elements->tensors = sli_realloc(
        elements->tensors, sizeof(sli_tensor_t *) * (size_t)(elements->capacity * (elements->component_count + 1)));
  }
  sli_tensor_t **to = sli_dataset_elements_at(elements, elements->count++);
  for (int i = 0; i < elements->component_count; i++) to[i] = element[i];
}

void sli_dataset_elements_drop(sli_dataset_elements_t *elements, int64_t count) {
  int components = elements->component_count;
  for (int64_t i = 0; i < count; i++) sli_dataset_release_element(sli_dataset_elements_at(elements, i), components);
  elements->count -= count;
  if (elements->count && count)
    memmove(elements->tensors, elements->tensors + count * components,
            sizeof(sli_tensor_t *) * (size_t)(elements->count * components));
}

void sli_dataset_elements_deinitialize(sli_dataset_elements_t *elements) {
  sli_dataset_elements_drop(elements, elements->count);
  free(elements->tensors);
  *elements = (sli_dataset_elements_t){.component_count = elements->component_count};
}

sli_status_t *sli_dataset_elements_save(const sli_dataset_elements_t *elements, sli_iterator_writer_t *writer) {
  sli_iterator_write_int(writer, elements->count);
  for (int64_t i = 0; i < elements->count; i++)
    SLI_RETURN_IF_ERROR(
        sli_iterator_write_element(writer, sli_dataset_elements_at(elements, i), elements->component_count));
  return NULL;
}

sli_status_t *sli_dataset_elements_restore(sli_dataset_elements_t *elements, const sli_dataset_t *dataset,
                                           sli_iterator_reader_t *reader) {
  int64_t count;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, elements->component_count ? INT64_MAX : 0, &count));
  for (int64_t i = 0; i < count; i++) {
    sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
    SLI_RETURN_IF_ERROR(sli_iterator_read_element(reader, dataset, element));
    sli_dataset_elements_push(elements, element);
  }
  return NULL;
}

// --- The dataset ---------------------------------------------------------------------------------------------------

typedef struct {
  sli_dataset_t base;
  sli_dataset_elements_t elements;
} list_t;

typedef struct {
  sli_iterator_t base;
  int64_t next;
} list_position_t;

static void list_destroy(sli_dataset_t *dataset) { sli_dataset_elements_deinitialize(&((list_t *)dataset)->elements); }
static int64_t list_cardinality(const sli_dataset_t *dataset) { return ((const list_t *)dataset)->elements.count; }

static sli_status_t *list_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                               bool *out_end) {
  const list_t *self = (const list_t *)iterator->dataset;
  list_position_t *position = (list_position_t *)iterator;
  *out_end = position->next >= self->elements.count;
  if (*out_end) return NULL;
  sli_tensor_t **element = sli_dataset_elements_at(&self->elements, position->next++);
  for (int i = 0; i < self->base.component_count; i++) out_element[i] = sli_tensor_retain(element[i]);
  return NULL;
}

static sli_status_t *list_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  sli_iterator_write_int(writer, ((list_position_t *)iterator)->next);
  return NULL;
}

static sli_status_t *list_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  return sli_iterator_read_int(reader, 0, INT64_MAX, &((list_position_t *)iterator)->next);
}

static const sli_dataset_kind_t list_kind = {.name = "ListDataset",
                                             .iterator_size = sizeof(list_position_t),
                                             .is_light = true,
                                             .destroy = list_destroy,
                                             .cardinality = list_cardinality,
                                             .next = list_next,
                                             .save = list_save,
                                             .restore = list_restore};

sli_dataset_t *sli_dataset_create_elements(const sli_dataset_elements_t *elements, const sli_dtype_t *types,
                                           const sli_shape_t *shapes) {
  sli_dataset_t *dataset =
      sli_dataset_create_as(&list_kind, sizeof(list_t), elements->component_count, types, shapes, NULL, 0);
  ((list_t *)dataset)->elements = *elements;
  return dataset;
}

bool sli_dataset_is_elements(const sli_dataset_t *dataset) { return dataset->kind == &list_kind; }

const sli_dataset_elements_t *sli_dataset_elements_of(const sli_dataset_t *dataset) {
  SLI_CHECK(dataset->kind == &list_kind);
  return &((const list_t *)dataset)->elements;
}

// --- ListDataset ---------------------------------------------------------------------------------------------------

// The tensors one after the other: as many elements as there are times the components.
static sli_status_t *list_dataset(sli_kernel_context_t *context) {
  const sli_attr_t *types, *shapes;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "output_types", SLI_ATTR_TYPE, &types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "output_shapes", SLI_ATTR_SHAPE, &shapes));
  int count = (int)types->count;
  SLI_RETURN_IF_ERROR(sli_dataset_check_count(types->count));
  if (types->count != shapes->count || context->input_count % count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of components does not match: %d tensors, %d types and %zu shapes.",
                           context->input_count, count, shapes->count);
  for (int i = 0; i < context->input_count; i++)
    if (context->node->input_types[i] != types->list.type[i % count])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Data type mismatch at component %d: expected %s but got %s.",
                             i % count, sli_dtype_name(types->list.type[i % count]),
                             sli_dtype_name(context->node->input_types[i]));
  sli_dataset_elements_t elements = {.component_count = count};
  for (int i = 0; i < context->input_count; i += count) {
    sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
    for (int k = 0; k < count; k++) element[k] = sli_tensor_retain(sli_kernel_input(context, i + k));
    sli_dataset_elements_push(&elements, element);
  }
  sli_dataset_set_output(context, sli_dataset_create_elements(&elements, types->list.type, shapes->list.shape));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "ListDataset",
        .inputs = "tensors: Tinput_types",
        .outputs = "handle: variant",
        .attrs = "Tinput_types: list(type) >= 1; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "A dataset of given tensors.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .keeps_inputs = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ListDataset", .compute = list_dataset},
};

SLI_OP_MODULE(data_elements);
