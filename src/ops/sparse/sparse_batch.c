#include "ops/sparse/sparse_batch.h"

#include "ops/common/copy_elements.h"

void sli_sparse_part_release(sli_sparse_part_t *part) {
  sli_tensor_release(part->indices);
  sli_tensor_release(part->values);
  sli_tensor_release(part->shape);
  *part = (sli_sparse_part_t){0};
}

sli_status_t *sli_sparse_part_of_inputs(const sli_kernel_context_t *context, sli_sparse_part_t *out_part) {
  static const struct {
    int rank;
    const char *text;
  } wanted[] = {{2, "indices should be a matrix"}, {1, "values should be a vector"}, {1, "shape should be a vector"}};
  for (int i = 0; i < 3; i++) {
    const sli_tensor_t *input = sli_kernel_input(context, i);
    if (input->rank != wanted[i].rank)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Input %s but received shape %s", wanted[i].text,
                             sli_tensor_shape_text(input).text);
  }
  *out_part = (sli_sparse_part_t){sli_tensor_retain(sli_kernel_input(context, 0)),
                                  sli_tensor_retain(sli_kernel_input(context, 1)),
                                  sli_tensor_retain(sli_kernel_input(context, 2))};
  return NULL;
}

// --- Split --------------------------------------------------------------------------------------

static sli_status_t *check_dims(const sli_tensor_t *shape) {
  for (int64_t d = 0; d < shape->count; d++) {
    int64_t dim = SLI_DATA(int64_t, shape)[d];
    if (dim < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected shape dimensions to be non-negative, got %lld",
                             (long long)dim);
  }
  return NULL;
}

sli_status_t *sli_sparse_batch_input(const sli_kernel_context_t *context, sli_sparse_t *out_batch) {
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, out_batch));
  if (out_batch->rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Rank of input SparseTensor should be > 1, but saw rank: %d",
                           out_batch->rank);
  SLI_RETURN_IF_ERROR(check_dims(out_batch->shape));
  return sli_sparse_check_indices(out_batch->indices, out_batch->shape, true);
}

// Creates a part from the entries [first, end), without the first dimension of their indices.
static sli_status_t *make_part(const sli_sparse_t *batch, int64_t first, int64_t end, sli_tensor_t *shape,
                               sli_sparse_part_t *out_part) {
  sli_dtype_t dtype = (sli_dtype_t)batch->values->dtype;
  int64_t count = end - first, rank = batch->rank;
  sli_sparse_part_t part = {0};
  sli_status_t *status =
      sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT64, (int64_t[]){count, rank - 1}, 2, &part.indices);
  if (!status) status = sli_tensor_create(sli_allocator_cpu(), dtype, &count, 1, &part.values);
  if (status) {
    sli_sparse_part_release(&part);
    return status;
  }
  const int64_t *from = SLI_DATA(int64_t, batch->indices) + first * rank;
  int64_t *to = part.indices->data;
  for (int64_t i = 0; i < count; i++, from += rank)
    for (int64_t d = 1; d < rank; d++) *to++ = from[d];
  sli_elements_copy(dtype, part.values->data, sli_tensor_at(batch->values, first), count);
  part.shape = sli_tensor_retain(shape);
  *out_part = part;
  return NULL;
}

sli_status_t *sli_sparse_split(const sli_sparse_t *batch, sli_sparse_take_t take, void *user) {
  const int64_t *dims = batch->shape->data, *indices = batch->indices->data;
  sli_tensor_t *shape = sli_tensor_vector_int64(dims + 1, batch->rank - 1);
  sli_status_t *status = NULL;
  for (int64_t row = 0, first = 0, end = 0; row < dims[0] && !status; row++, first = end) {
    sli_sparse_part_t part;
    while (end < batch->count && indices[end * batch->rank] == row) end++;
    status = make_part(batch, first, end, shape, &part);
    if (!status) status = take(user, row, part);
  }
  sli_tensor_release(shape);
  return status;
}

// --- Stack --------------------------------------------------------------------------------------

sli_status_t *sli_sparse_part_check(const sli_sparse_part_t *part, int64_t index, sli_dtype_t dtype) {
  const sli_tensor_t *indices = part->indices, *values = part->values, *shape = part->shape;
  long long i = index;
  if (indices->rank != 2 || indices->dtype != SLI_DTYPE_INT64)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Expected serialized_sparse[%lld, 0] to represent an index matrix but received shape %s, type %s", i,
        sli_tensor_shape_text(indices).text, sli_dtype_name((sli_dtype_t)indices->dtype));
  if (values->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected serialized_sparse[%lld, 1] to represent a values vector but received shape %s", i,
                           sli_tensor_shape_text(values).text);
  if (values->dtype != dtype)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Requested SparseTensor of type %s but SparseTensor[%lld].values.dtype() == %s",
                           sli_dtype_name(dtype), i, sli_dtype_name((sli_dtype_t)values->dtype));
  if (indices->dims[0] != values->count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected row counts of SparseTensor[%lld].indices and SparseTensor[%lld].values to match "
                           "but they do not: %lld vs. %lld",
                           i, i, (long long)indices->dims[0], (long long)values->count);
  if (shape->rank != 1 || shape->dtype != SLI_DTYPE_INT64)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected serialized_sparse[%lld, 2] to be a shape vector but its shape is %s, type %s", i,
                           sli_tensor_shape_text(shape).text, sli_dtype_name((sli_dtype_t)shape->dtype));
  if (indices->dims[1] != shape->count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected column counts of SparseTensor[%lld].indices to match size of "
                           "SparseTensor[%lld].shape but they do not: %lld vs. %lld",
                           i, i, (long long)indices->dims[1], (long long)shape->count);
  return NULL;
}

// Counts the entries of all parts and finds the smallest shape that contains them. Messages count |lead_rank|
// dimensions in front.
static sli_status_t *measure(const sli_sparse_part_t *parts, int64_t count, sli_dtype_t dtype, int lead_rank,
                             int64_t *dims, int64_t *out_total) {
  int64_t rank = 0;
  *out_total = 0;
  for (int64_t i = 0; i < count; i++) {
    SLI_RETURN_IF_ERROR(sli_sparse_part_check(&parts[i], i, dtype));
    SLI_RETURN_IF_ERROR(check_dims(parts[i].shape));
    int64_t own = parts[i].shape->count;
    if (i == 0) rank = own;
    if (own != rank)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Inconsistent %s across SparseTensors: rank prior to SparseTensor[%lld] was: %lld but "
                             "rank of SparseTensor[%lld] is: %lld",
                             lead_rank ? "rank" : "shape", (long long)i, (long long)rank + lead_rank, (long long)i,
                             (long long)own + lead_rank);
    SLI_RETURN_IF_ERROR(sli_shape_check_rank(rank));
    const int64_t *shape = parts[i].shape->data;
    for (int64_t d = 0; d < rank; d++)
      if (i == 0 || shape[d] > dims[d]) dims[d] = shape[d];
    *out_total += parts[i].values->count;
  }
  return NULL;
}

// The index of element number |at| of a tensor of shape |lead|.
static void unravel(int64_t at, sli_shape_t lead, int64_t *out_place) {
  for (int d = lead.rank - 1; d >= 0; d--) {
    out_place[d] = at % lead.dims[d];
    at /= lead.dims[d];
  }
}

sli_status_t *sli_sparse_stack(sli_kernel_context_t *context, const sli_sparse_part_t *parts, sli_shape_t lead,
                               bool counts_lead, sli_dtype_t dtype) {
  int64_t dims[2 * SLI_MAX_RANK], place[SLI_MAX_RANK], count = sli_shape_count(lead), total;
  SLI_RETURN_IF_ERROR(measure(parts, count, dtype, counts_lead ? lead.rank : 0, dims + lead.rank, &total));
  int rank = (int)parts[0].shape->count, whole = lead.rank + rank;
  for (int d = 0; d < lead.rank; d++) dims[d] = lead.dims[d];
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(whole));
  sli_tensor_t *indices, *values;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(total, whole), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(total), &values));
  sli_kernel_set_output(context, 2, sli_tensor_vector_int64(dims, whole));
  int64_t *to = indices->data, at = 0;
  for (int64_t i = 0; i < count; i++) {
    const int64_t *from = parts[i].indices->data;
    int64_t own = parts[i].values->count;
    unravel(i, lead, place);
    for (int64_t k = 0; k < own; k++) {
      for (int d = 0; d < lead.rank; d++) *to++ = place[d];
      for (int d = 0; d < rank; d++) *to++ = *from++;
    }
    sli_elements_copy(dtype, sli_tensor_at(values, at), parts[i].values->data, own);
    at += own;
  }
  return NULL;
}

// --- Shapes -------------------------------------------------------------------------------------

sli_status_t *sli_sparse_shape_inputs(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &unused));
  return sli_infer_input_with_rank(c, 2, 1, &unused);
}

void sli_sparse_shape_outputs(sli_infer_context_t *c) {
  for (int i = 0; i < 3; i++) sli_infer_set_output(c, i, sli_infer_make_unknown_of_rank(c, i ? 1 : 2));
}
