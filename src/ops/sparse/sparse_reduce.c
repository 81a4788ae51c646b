// SparseReduceMax, SparseReduceMaxSparse, SparseReduceSumSparse: reduce a sparse tensor along axes. SparseReduceSum is
// in sparse_to_dense.c.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"
#include "ops/sparse/sparse.h"

typedef struct {
  sli_sparse_t input;
  bool keep_dims, is_reduced[SLI_MAX_RANK];
  int kept, rank;              // dimensions that are not reduced; of the output
  int64_t dims[SLI_MAX_RANK];  // of the output
  int64_t *indices;            // of all entries, without reduced dimensions
  sli_sparse_place_t *places;  // sorted: entries of one group are neighbours
} reduction_t;

static sli_status_t *open_reduction(sli_kernel_context_t *context, reduction_t *r) {
  const sli_tensor_t *axes = sli_kernel_input(context, 3);
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "keep_dims", &r->keep_dims));
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, &r->input));
  SLI_RETURN_IF_ERROR(sli_sparse_check_size(&r->input));
  SLI_RETURN_IF_ERROR(sli_sparse_check_bounds(&r->input));
  int rank = r->input.rank;
  for (int64_t i = 0; i < axes->count; i++) {
    int32_t axis = SLI_DATA(int32_t, axes)[i];
    if (axis < -rank || axis >= rank)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid reduction dimension %d, for input with %d dimensions.",
                             axis, rank);
    r->is_reduced[axis < 0 ? axis + rank : axis] = true;
  }
  for (int d = 0; d < rank; d++) {
    r->kept += !r->is_reduced[d];
    if (!r->is_reduced[d])
      r->dims[r->rank++] = SLI_DATA(int64_t, r->input.shape)[d];
    else if (r->keep_dims)
      r->dims[r->rank++] = 1;
  }
  size_t count = (size_t)r->input.count;
  r->indices = sli_malloc((count * (size_t)r->kept + 1) * sizeof(*r->indices));
  r->places = sli_malloc((count + 1) * sizeof(*r->places));
  int64_t *to = r->indices;
  for (int64_t i = 0; i < r->input.count; i++) {
    r->places[i] = (sli_sparse_place_t){to, i, r->kept};
    for (int d = 0; d < rank; d++)
      if (!r->is_reduced[d]) *to++ = SLI_DATA(int64_t, r->input.indices)[i * rank + d];
  }
  sli_sparse_sort(r->places, r->input.count);
  return NULL;
}

static void close_reduction(reduction_t *r) {
  free(r->indices);
  free(r->places);
}

static bool begins_group(const reduction_t *r, int64_t i) {
  for (int d = 0; i > 0 && d < r->kept; d++)
    if (r->places[i].index[d] != r->places[i - 1].index[d]) return true;
  return i == 0;
}

// Combines entry |i| of the sorted ones with element |at| of |values|.
static void combine(const reduction_t *r, int64_t i, sli_accumulate_op_t op, sli_tensor_t *values, int64_t at) {
  sli_dtype_t dtype = (sli_dtype_t)values->dtype;
  const void *from = sli_tensor_at(r->input.values, r->places[i].row);
  if (begins_group(r, i))
    sli_elements_copy(dtype, sli_tensor_at(values, at), from, 1);
  else
    sli_accumulate(op, dtype, sli_tensor_at(values, at), from, 1, 1);
}

static sli_status_t *write_dense(sli_kernel_context_t *context, const reduction_t *r) {
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){r->rank, r->dims}, &output));
  sli_elements_clear((sli_dtype_t)output->dtype, output->data, output->count);
  for (int64_t i = 0; i < r->input.count; i++) {
    int64_t at = 0;
    for (int d = 0, k = 0; d < r->input.rank; d++)
      if (!r->is_reduced[d]) at = at * SLI_DATA(int64_t, r->input.shape)[d] + r->places[i].index[k++];
    combine(r, i, SLI_ACCUMULATE_MAX, output, at);
  }
  return NULL;
}

static sli_status_t *write_sparse(sli_kernel_context_t *context, const reduction_t *r, sli_accumulate_op_t op) {
  int64_t groups = 0, at = -1;
  sli_tensor_t *indices, *values, *shape;
  for (int64_t i = 0; i < r->input.count; i++) groups += begins_group(r, i);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(groups, r->rank), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(groups), &values));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(r->rank), &shape));
  for (int d = 0; d < r->rank; d++) SLI_DATA(int64_t, shape)[d] = r->dims[d];
  for (int64_t i = 0; i < r->input.count; i++) {
    at += begins_group(r, i);
    combine(r, i, op, values, at);
    int64_t *to = SLI_DATA(int64_t, indices) + at * r->rank;
    for (int d = 0, k = 0; d < r->input.rank; d++) {
      if (!r->is_reduced[d])
        *to++ = r->places[i].index[k++];
      else if (r->keep_dims)
        *to++ = 0;
    }
  }
  return NULL;
}

static sli_status_t *max_compute(sli_kernel_context_t *context) {
  reduction_t r = {0};
  sli_status_t *status = open_reduction(context, &r);
  if (!status) status = write_dense(context, &r);
  close_reduction(&r);
  return status;
}

static sli_status_t *reduce_to_sparse(sli_kernel_context_t *context, sli_accumulate_op_t op) {
  reduction_t r = {0};
  sli_status_t *status = open_reduction(context, &r);
  if (!status) status = write_sparse(context, &r, op);
  close_reduction(&r);
  return status;
}

static sli_status_t *max_sparse_compute(sli_kernel_context_t *context) {
  return reduce_to_sparse(context, SLI_ACCUMULATE_MAX);
}
static sli_status_t *sum_sparse_compute(sli_kernel_context_t *context) {
  return reduce_to_sparse(context, SLI_ACCUMULATE_ADD);
}

sli_status_t *sli_sparse_reduce_shape(sli_infer_context_t *c) {
  const sli_tensor_t *shape = sli_infer_input_constant(c, 2), *axes = sli_infer_input_constant(c, 3);
  bool keep_dims, is_reduced[SLI_MAX_RANK] = {false};
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "keep_dims", &keep_dims));
  if (!shape || !axes || shape->count > SLI_MAX_RANK) return NULL;
  int rank = (int)shape->count, out = 0;
  int64_t dims[SLI_MAX_RANK];
  for (int64_t i = 0; i < axes->count; i++) {
    int32_t axis = SLI_DATA(int32_t, axes)[i];
    // An axis out of range is an error of the step; until then TensorFlow takes it like this.
    int64_t place = rank ? ((int64_t)axis + rank) % rank : -1;
    if (place >= 0) is_reduced[place] = true;
  }
  for (int d = 0; d < rank; d++)
    if (!is_reduced[d] || keep_dims) dims[out++] = is_reduced[d] ? 1 : SLI_DATA(int64_t, shape)[d];
  sli_infer_set_output(c, 0, sli_infer_make(c, out, dims));
  return NULL;
}

#define NUMBERS                                                                                                     \
  "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, " \
  "uint16, complex128, half, uint32, uint64}"
#define REALS "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
#define INPUTS "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32"
#define SPARSE "output_indices: int64, output_values: T, output_shape: int64"

static const sli_op_def_t ops[] = {
    {.name = "SparseReduceMax",
     .inputs = INPUTS,
     .outputs = "output: T",
     .attrs = "keep_dims: bool = false; T: " REALS,
     .summary = "The largest elements of a sparse tensor along axes; the result is dense.",
     .shape = sli_sparse_reduce_shape},
    {.name = "SparseReduceMaxSparse",
     .inputs = INPUTS,
     .outputs = SPARSE,
     .attrs = "keep_dims: bool = false; T: " REALS,
     .summary = "The largest elements of a sparse tensor along axes; the result is sparse.",
     .shape = sli_infer_fn_unknown},
    {.name = "SparseReduceSumSparse",
     .inputs = INPUTS,
     .outputs = SPARSE,
     .attrs = "keep_dims: bool = false; T: " NUMBERS,
     .summary = "Sums a sparse tensor along axes; the result is sparse.",
     .shape = sli_infer_fn_unknown},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseReduceMax", .types = SLI_TYPES_REAL, .host_memory = "reduction_axes", .compute = max_compute},
    {.op = "SparseReduceMaxSparse",
     .types = SLI_TYPES_REAL,
     .host_memory = "reduction_axes",
     .compute = max_sparse_compute},
    {.op = "SparseReduceSumSparse",
     .types = SLI_TYPES_NUMBER,
     .host_memory = "reduction_axes",
     .compute = sum_sparse_compute},
};
SLI_OP_MODULE(sparse_reduce);
