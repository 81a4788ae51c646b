// SparseTensorSliceDataset: the slices of a sparse tensor. DenseToSparseBatchDataset: batches of dense elements of
// different shapes as sparse tensors, each a vector of three variants.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"
#include "ops/data/elements.h"
#include "ops/data/node.h"

// --- Slices
// ----------------------------------------------------------------------------------------------------------------

typedef struct {
  sli_dataset_t base;
  sli_tensor_t *indices, *values, *shape;  // counted; |shape| without its first dimension
  int64_t count;
} slices_t;

typedef struct {
  sli_iterator_t base;
  int64_t next;   // slice
  int64_t entry;  // the first that was not given
} slicer_t;

static void slices_destroy(sli_dataset_t *dataset) {
  slices_t *self = (slices_t *)dataset;
  sli_tensor_release(self->indices);
  sli_tensor_release(self->values);
  sli_tensor_release(self->shape);
}

static int64_t slices_cardinality(const sli_dataset_t *dataset) { return ((const slices_t *)dataset)->count; }

static sli_status_t *slices_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                 bool *out_end) {
  const slices_t *self = (const slices_t *)iterator->dataset;
  slicer_t *state = (slicer_t *)iterator;
  *out_end = state->next >= self->count;
  if (*out_end) return NULL;
  const int64_t *indices = SLI_DATA(const int64_t, self->indices);
  int64_t rank = self->indices->dims[1], total = self->indices->dims[0], first = state->entry, last = first;
  while (last < total && indices[last * rank] == state->next) last++;
  sli_tensor_t *rest;
  SLI_RETURN_IF_ERROR(
      sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT64, (int64_t[]){last - first, rank - 1}, 2, &rest));
  for (int64_t i = first; i < last; i++)
    for (int64_t d = 1; d < rank; d++)
      SLI_DATA(int64_t, rest)[(i - first) * (rank - 1) + d - 1] = indices[i * rank + d];
  out_element[0] = rest;
  out_element[1] = sli_tensor_view(self->values, (sli_dtype_t)self->values->dtype, first, (int64_t[]){last - first}, 1);
  out_element[2] = sli_tensor_retain(self->shape);
  state->entry = last;
  state->next++;
  return NULL;
}

static sli_status_t *slices_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  sli_iterator_write_int(writer, ((slicer_t *)iterator)->next);
  sli_iterator_write_int(writer, ((slicer_t *)iterator)->entry);
  return NULL;
}

static sli_status_t *slices_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  const slices_t *self = (const slices_t *)iterator->dataset;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, self->count, &((slicer_t *)iterator)->next));
  return sli_iterator_read_int(reader, 0, self->indices->dims[0], &((slicer_t *)iterator)->entry);
}

static const sli_dataset_kind_t slices_kind = {.name = "SparseTensorSliceDataset",
                                               .iterator_size = sizeof(slicer_t),
                                               .is_light = true,
                                               .destroy = slices_destroy,
                                               .cardinality = slices_cardinality,
                                               .next = slices_next,
                                               .save = slices_save,
                                               .restore = slices_restore};

static sli_status_t *check_parts(const sli_tensor_t *indices, const sli_tensor_t *values, const sli_tensor_t *shape) {
  if (indices->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input indices must be a matrix. Got: %s",
                           sli_tensor_shape_text(indices).text);
  if (values->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input values must be a vector. Got: %s",
                           sli_tensor_shape_text(values).text);
  if (shape->rank != 1 || !shape->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input shape must be a vector. Got: %s",
                           sli_tensor_shape_text(shape).text);
  if (values->dims[0] != indices->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of values must match first dimension of indices. Got %lld values, indices shape: %s",
                           (long long)values->dims[0], sli_tensor_shape_text(indices).text);
  if (shape->dims[0] != indices->dims[1])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of dimensions must match second dimension of indices. Got %lld dimensions, indices "
                           "shape: %s",
                           (long long)shape->dims[0], sli_tensor_shape_text(indices).text);
  const int64_t *rows = SLI_DATA(const int64_t, indices), count = SLI_DATA(const int64_t, shape)[0];
  int64_t previous = -1;
  for (int64_t i = 0; i < indices->dims[0]; i++) {
    int64_t row = rows[i * indices->dims[1]];
    if (row < 0 || row >= count || row < previous)
      return sli_status_make(row < previous ? SLI_UNIMPLEMENTED : SLI_INVALID_ARGUMENT,
                             row < previous ? "The SparseTensor must be ordered in the batch dimension; handling "
                                              "arbitrarily ordered input is not currently supported."
                                            : "An index of the SparseTensor is outside of its shape");
    previous = row;
  }
  return NULL;
}

static sli_status_t *slices_dataset(sli_kernel_context_t *context) {
  sli_tensor_t *indices = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 1);
  sli_tensor_t *shape = sli_kernel_input(context, 2);
  SLI_RETURN_IF_ERROR(check_parts(indices, values, shape));
  int64_t rank = shape->count;
  sli_dtype_t types[] = {SLI_DTYPE_INT64, (sli_dtype_t)values->dtype, SLI_DTYPE_INT64};
  sli_shape_t shapes[] = {{2, (int64_t[]){-1, rank - 1}}, {1, (int64_t[]){-1}}, {1, (int64_t[]){rank - 1}}};
  sli_dataset_t *dataset = sli_dataset_create_as(&slices_kind, sizeof(slices_t), 3, types, shapes, NULL, 0);
  slices_t *self = (slices_t *)dataset;
  self->indices = sli_tensor_retain(indices);
  self->values = sli_tensor_retain(values);
  self->shape = sli_tensor_vector_int64(SLI_DATA(const int64_t, shape) + 1, rank - 1);
  self->count = SLI_DATA(const int64_t, shape)[0];
  sli_dataset_set_output(context, dataset);
  return NULL;
}

// --- Batches
// ---------------------------------------------------------------------------------------------------------------

typedef struct {
  sli_dataset_t base;
  int64_t size;
  sli_shape_t row;  // in the arena
  sli_dataset_node_t serialize;
} sparse_batches_t;

static void batches_destroy(sli_dataset_t *dataset) {
  sli_dataset_node_deinitialize(&((sparse_batches_t *)dataset)->serialize);
}

static int64_t batches_cardinality(const sli_dataset_t *dataset) {
  int64_t n = sli_dataset_cardinality(dataset->inputs[0]), size = ((const sparse_batches_t *)dataset)->size;
  return n < 0 ? n : n / size + (n % size != 0);
}

static sli_status_t *check_row(const sparse_batches_t *self, const sli_tensor_t *element, int64_t *shape) {
  if (element->rank != self->row.rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input element had shape (%s) that is incompatible with the row shape (%s).",
                           sli_tensor_shape_text(element).text, sli_shape_text(self->row).text);
  for (int d = 0; d < element->rank; d++) {
    if (self->row.dims[d] >= 0 && element->dims[d] > self->row.dims[d])
      return sli_status_make(SLI_DATA_LOSS, "Input element had shape (%s) that is larger than the row shape (%s).",
                             sli_tensor_shape_text(element).text, sli_shape_text(self->row).text);
    if (self->row.dims[d] < 0 && element->dims[d] > shape[d + 1]) shape[d + 1] = element->dims[d];
  }
  return NULL;
}

static void write_row(const sli_tensor_t *element, int64_t row, int64_t at, sli_tensor_t *indices,
                      sli_tensor_t *values) {
  int64_t position[SLI_MAX_RANK] = {0}, *to = SLI_DATA(int64_t, indices) + at * (element->rank + 1);
  sli_elements_copy((sli_dtype_t)values->dtype, sli_tensor_at(values, at), element->data, element->count);
  for (int64_t i = 0; i < element->count; i++) {
    *to++ = row;
    for (int d = 0; d < element->rank; d++) *to++ = position[d];
    for (int d = element->rank - 1; d >= 0 && ++position[d] == element->dims[d]; d--) position[d] = 0;
  }
}

static sli_status_t *make_sparse(const sparse_batches_t *self, const sli_dataset_elements_t *elements,
                                 sli_allocator_t *allocator, sli_tensor_t **out_element) {
  int64_t shape[SLI_MAX_RANK + 1], total = 0, at = 0;
  int rank = self->row.rank + 1;
  shape[0] = elements->count;
  for (int d = 1; d < rank; d++) shape[d] = self->row.dims[d - 1] < 0 ? 0 : self->row.dims[d - 1];
  for (int64_t i = 0; i < elements->count; i++) {
    sli_tensor_t *element = *sli_dataset_elements_at(elements, i);
    SLI_RETURN_IF_ERROR(check_row(self, element, shape));
    total += element->count;
  }
  SLI_RETURN_IF_ERROR(sli_tensor_create(allocator, SLI_DTYPE_INT64, (int64_t[]){total, rank}, 2, &out_element[0]));
  sli_status_t *status =
      sli_tensor_create(allocator, self->base.inputs[0]->types[0], (int64_t[]){total}, 1, &out_element[1]);
  if (status) {
    sli_tensor_release(out_element[0]);
    return status;
  }
  for (int64_t i = 0; i < elements->count; i++) {
    sli_tensor_t *element = *sli_dataset_elements_at(elements, i);
    write_row(element, i, at, out_element[0], out_element[1]);
    at += element->count;
  }
  out_element[2] = sli_tensor_vector_int64(shape, rank);
  return NULL;
}

static sli_status_t *batches_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                  bool *out_end) {
  const sparse_batches_t *self = (const sparse_batches_t *)iterator->dataset;
  sli_dataset_elements_t elements = {.component_count = 1};
  sli_status_t *status = NULL;
  while (iterator->input && elements.count < self->size && !status) {
    bool is_end;
    sli_tensor_t *element;
    status = sli_iterator_next(iterator->input, call, &element, &is_end);
    if (!status && !is_end) sli_dataset_elements_push(&elements, &element);
    if (status || !is_end) continue;
    sli_iterator_release(iterator->input);
    iterator->input = NULL;
  }
  *out_end = !status && !elements.count;
  sli_tensor_t *parts[3];
  if (!status && !*out_end) {
    status = make_sparse(self, &elements, iterator->root->device->allocator, parts);
    if (!status) {
      status = sli_dataset_node_run(&self->serialize, call->cancellation, parts, out_element);
      sli_dataset_release_element(parts, 3);
    }
  }
  sli_dataset_elements_deinitialize(&elements);
  return status;
}

static const sli_dataset_kind_t batches_kind = {.name = "DenseToSparseBatchDataset",
                                                .iterator_size = sizeof(sli_iterator_t),
                                                .opens_input = true,
                                                .is_light = true,
                                                .destroy = batches_destroy,
                                                .cardinality = batches_cardinality,
                                                .next = batches_next};

static sli_status_t *batches_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input;
  int64_t size;
  const sli_tensor_t *row = sli_kernel_input(context, 2);
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  if (input->component_count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "DenseToSparseBatchDataset only supports inputs with a single component.");
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "batch_size", &size));
  if (size <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Batch size must be greater than zero.");
  if (row->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "row_shape must be a vector");
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(row->count + 1));
  for (int64_t i = 0; i < row->count; i++)
    if (SLI_DATA(const int64_t, row)[i] < -1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= -1",
                             (long long)SLI_DATA(const int64_t, row)[i]);
  sli_dtype_t parts[] = {SLI_DTYPE_INT64, input->types[0], SLI_DTYPE_INT64}, type = SLI_DTYPE_VARIANT;
  sli_shape_t shape = {1, (int64_t[]){3}};
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("out_type", SLI_DTYPE_VARIANT)};
  sli_dataset_t *dataset = sli_dataset_create_as(&batches_kind, sizeof(sparse_batches_t), 1, &type, &shape, &input, 1);
  sparse_batches_t *self = (sparse_batches_t *)dataset;
  self->size = size;
  dataset->is_light &= size <= SLI_DATASET_MAX_LIGHT;
  self->row = sli_shape_copy(&dataset->arena, (sli_shape_t){(int)row->count, SLI_DATA(const int64_t, row)});
  sli_status_t *status =
      sli_dataset_node_initialize(&self->serialize, "SerializeSparse", context->device, attrs, 1, parts, 3);
  return sli_dataset_finish(context, dataset, status);
}

static const sli_op_def_t ops[] = {
    {
        .name = "SparseTensorSliceDataset",
        .inputs = "indices: int64, values: Tvalues, dense_shape: int64",
        .outputs = "handle: variant",
        .attrs = "Tvalues: type",
        .summary = "The slices of a sparse tensor along its first dimension.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "DenseToSparseBatchDataset",
        .inputs = "input_dataset: variant, batch_size: int64, row_shape: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "Batches of elements of different shapes as sparse tensors.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ExperimentalDenseToSparseBatchDataset",
        .inputs = "input_dataset: variant, batch_size: int64, row_shape: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "Batches of elements of different shapes as sparse tensors.",
        .shape = sli_dataset_infer,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseTensorSliceDataset",
     .where = {{"Tvalues", SLI_TYPES_ALL & ~(SLI_TYPE_BIT(SLI_DTYPE_QINT16) | SLI_TYPE_BIT(SLI_DTYPE_QUINT16))}},
     .compute = slices_dataset},
    {.op = "DenseToSparseBatchDataset", .compute = batches_dataset},
    {.op = "ExperimentalDenseToSparseBatchDataset", .compute = batches_dataset},
};

SLI_OP_MODULE(data_sparse_elements);
