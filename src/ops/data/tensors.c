// Sources in memory: one element, the slices of tensors, a range of numbers.
#include <stdlib.h>

#include "base/alloc.h"
#include "math/half.h"
#include "ops/data/dataset.h"

// --- TensorDataset and TensorSliceDataset ------------------------------------------------------------------

typedef struct {
  sli_dataset_t base;
  sli_tensor_t **tensors;  // counted
  int64_t count;           // elements
} tensors_t;

typedef struct {
  sli_iterator_t base;
  int64_t next;
} position_t;

static void tensors_destroy(sli_dataset_t *dataset) {
  tensors_t *self = (tensors_t *)dataset;
  if (self->tensors) sli_dataset_release_element(self->tensors, dataset->component_count);
  free(self->tensors);
}

static int64_t tensors_cardinality(const sli_dataset_t *dataset) { return ((const tensors_t *)dataset)->count; }

static sli_status_t *tensor_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  const tensors_t *self = (const tensors_t *)iterator->dataset;
  position_t *position = (position_t *)iterator;
  *out_end = position->next >= 1;
  if (*out_end) return NULL;
  position->next++;
  for (int i = 0; i < iterator->dataset->component_count; i++) out_element[i] = sli_tensor_retain(self->tensors[i]);
  return NULL;
}

static sli_status_t *slice_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                bool *out_end) {
  const tensors_t *self = (const tensors_t *)iterator->dataset;
  position_t *position = (position_t *)iterator;
  *out_end = position->next >= self->count;
  if (*out_end) return NULL;
  for (int i = 0; i < iterator->dataset->component_count; i++) {
    sli_tensor_t *tensor = self->tensors[i];
    int64_t size = tensor->count / self->count;
    out_element[i] =
        sli_tensor_view(tensor, (sli_dtype_t)tensor->dtype, position->next * size, tensor->dims + 1, tensor->rank - 1);
  }
  position->next++;
  return NULL;
}

static sli_status_t *position_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  sli_iterator_write_int(writer, ((position_t *)iterator)->next);
  return NULL;
}

static sli_status_t *position_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  return sli_iterator_read_int(reader, 0, INT64_MAX, &((position_t *)iterator)->next);
}

static const sli_dataset_kind_t tensor_kind = {.name = "TensorDataset",
                                               .iterator_size = sizeof(position_t),
                                               .is_light = true,
                                               .destroy = tensors_destroy,
                                               .cardinality = tensors_cardinality,
                                               .next = tensor_next,
                                               .save = position_save,
                                               .restore = position_restore};
static const sli_dataset_kind_t slice_kind = {.name = "TensorSliceDataset",
                                              .iterator_size = sizeof(position_t),
                                              .is_light = true,
                                              .destroy = tensors_destroy,
                                              .cardinality = tensors_cardinality,
                                              .next = slice_next,
                                              .save = position_save,
                                              .restore = position_restore};

static sli_status_t *check_slices(const sli_kernel_context_t *context) {
  for (int i = 0; i < context->input_count; i++) {
    const sli_tensor_t *tensor = sli_kernel_input(context, i), *first = sli_kernel_input(context, 0);
    if (tensor->rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "All components must be at least 1-dimensional");
    if (tensor->dims[0] != first->dims[0])
      return sli_status_make(SLI_INVALID_ARGUMENT, "All components must have the same size in the 0th dimension");
  }
  return NULL;
}

static sli_status_t *make_tensors(sli_kernel_context_t *context, const sli_dataset_kind_t *kind, int64_t count) {
  sli_dataset_t *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, kind, sizeof(tensors_t), NULL, 0, &dataset));
  tensors_t *self = (tensors_t *)dataset;
  self->count = count;
  self->tensors = sli_calloc((size_t)context->input_count + 1, sizeof(self->tensors[0]));
  for (int i = 0; i < context->input_count; i++) self->tensors[i] = sli_tensor_retain(sli_kernel_input(context, i));
  sli_dataset_set_output(context, dataset);
  return NULL;
}

static sli_status_t *tensor_dataset(sli_kernel_context_t *context) { return make_tensors(context, &tensor_kind, 1); }

static sli_status_t *slice_dataset(sli_kernel_context_t *context) {
  SLI_RETURN_IF_ERROR(check_slices(context));
  return make_tensors(context, &slice_kind, sli_kernel_input(context, 0)->dims[0]);
}

// --- RangeDataset ----------------------------------------------------------------------------------------

typedef struct {
  sli_dataset_t base;
  int64_t start, step, count;
} range_t;

static int64_t range_cardinality(const sli_dataset_t *dataset) { return ((const range_t *)dataset)->count; }

static sli_tensor_t *number(sli_dtype_t type, int64_t value) {
  sli_tensor_t *tensor = NULL;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), type, NULL, 0, &tensor));
  switch (type) {
    case SLI_DTYPE_INT64: SLI_DATA(int64_t, tensor)[0] = value; break;
    case SLI_DTYPE_UINT64: SLI_DATA(uint64_t, tensor)[0] = (uint64_t)value; break;
    case SLI_DTYPE_INT32: SLI_DATA(int32_t, tensor)[0] = (int32_t)value; break;
    case SLI_DTYPE_UINT32: SLI_DATA(uint32_t, tensor)[0] = (uint32_t)value; break;
    case SLI_DTYPE_INT16: SLI_DATA(int16_t, tensor)[0] = (int16_t)value; break;
    case SLI_DTYPE_UINT16: SLI_DATA(uint16_t, tensor)[0] = (uint16_t)value; break;
    case SLI_DTYPE_INT8: SLI_DATA(int8_t, tensor)[0] = (int8_t)value; break;
    case SLI_DTYPE_UINT8: SLI_DATA(uint8_t, tensor)[0] = (uint8_t)value; break;
    case SLI_DTYPE_FLOAT: SLI_DATA(float, tensor)[0] = (float)value; break;
    case SLI_DTYPE_DOUBLE: SLI_DATA(double, tensor)[0] = (double)value; break;
    case SLI_DTYPE_HALF: SLI_DATA(uint16_t, tensor)[0] = sli_half_from_float((float)value); break;
    case SLI_DTYPE_BFLOAT16: SLI_DATA(uint16_t, tensor)[0] = sli_bfloat16_from_float((float)value); break;
    default: SLI_CHECK(false);
  }
  return tensor;
}

static sli_status_t *range_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                bool *out_end) {
  const range_t *self = (const range_t *)iterator->dataset;
  position_t *position = (position_t *)iterator;
  *out_end = position->next >= self->count;
  if (*out_end) return NULL;
  uint64_t value = (uint64_t)self->start + (uint64_t)position->next++ * (uint64_t)self->step;
  out_element[0] = number(self->base.types[0], (int64_t)value);
  return NULL;
}

static const sli_dataset_kind_t range_kind = {.name = "RangeDataset",
                                              .iterator_size = sizeof(position_t),
                                              .is_light = true,
                                              .cardinality = range_cardinality,
                                              .next = range_next,
                                              .save = position_save,
                                              .restore = position_restore};

static int64_t range_count(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? start >= stop : start <= stop) return 0;
  uint64_t distance = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
  uint64_t size = step > 0 ? (uint64_t)step : -(uint64_t)step, count = (distance - 1) / size + 1;
  return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

static sli_status_t *range_dataset(sli_kernel_context_t *context) {
  int64_t start, stop, step;
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 0, "start", &start));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "stop", &stop));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 2, "step", &step));
  if (step == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "step must be a non-zero integer.");
  sli_dataset_t *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, &range_kind, sizeof(range_t), NULL, 0, &dataset));
  if (dataset->component_count != 1 || !sli_types_contain(SLI_TYPES_REAL, dataset->types[0])) {
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT, "Unsupported data type: %s", sli_dtype_name(dataset->types[0]));
    sli_dataset_release(dataset);
    return status;
  }
  range_t *self = (range_t *)dataset;
  self->start = start;
  self->step = step;
  self->count = range_count(start, stop, step);
  sli_dataset_set_output(context, dataset);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "TensorDataset",
        .inputs = "components: Toutput_types",
        .outputs = "handle: variant",
        .attrs = "T" SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "A dataset of one element.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "TensorSliceDataset",
        .inputs = "components: Toutput_types",
        .outputs = "handle: variant",
        .attrs = "T" SLI_DATASET_ELEMENTS "; is_files: bool = false; " SLI_DATASET_METADATA
                 "; replicate_on_split: bool = false",
        .summary = "A dataset of the slices of tensors along their first dimension.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "RangeDataset",
        .inputs = "start: int64, stop: int64, step: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA "; replicate_on_split: bool = false",
        .summary = "A dataset of the numbers of a range.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "TensorDataset", .compute = tensor_dataset},
    {.op = "TensorSliceDataset", .compute = slice_dataset},
    {.op = "RangeDataset", .compute = range_dataset},
};

SLI_OP_MODULE(data_tensors);
