// SparseSegmentSum, Mean and SqrtN: rows of |data|, gathered by |indices|, are added up in segments of ascending ids.
// Mean divides the sum by the number of rows, SqrtN by its square root. The gradient ops add the gradient of a segment
// to the rows that it came from. Their output has all rows of |data| or (V2) only those that occur, in ascending order.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"
#include "ops/sparse/sparse.h"

typedef enum { SUM, MEAN, SQRT_N } segment_reduction_t;

static double divisor_of(segment_reduction_t reduction, int64_t count) {
  return reduction == MEAN ? (double)count : reduction == SQRT_N ? sqrt((double)count) : 1;
}

typedef struct {
  const sli_tensor_t *data, *indices, *segments;
  int64_t count, width;  // number of indices; number of elements of a row
} segment_request_t;

static sli_status_t *read_segment_request(const sli_kernel_context_t *context, segment_request_t *r) {
  *r = (segment_request_t){sli_kernel_input(context, 0), sli_kernel_input(context, 1), sli_kernel_input(context, 2)};
  if (r->data->rank == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be at least rank 1");
  if (r->indices->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "indices should be a vector.");
  if (r->segments->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "segment_ids should be a vector.");
  if (r->indices->count != r->segments->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "segment_ids and indices should have same size.");
  r->count = r->indices->count;
  r->width = sli_shape_product(r->data->dims, 1, r->data->rank);
  return NULL;
}

static sli_status_t *output_of(sli_kernel_context_t *context, const segment_request_t *r, int64_t rows,
                               sli_tensor_t **out) {
  int64_t dims[SLI_MAX_RANK];
  memcpy(dims, r->data->dims, r->data->rank * sizeof(*dims));
  dims[0] = rows;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){r->data->rank, dims}, out));
  sli_elements_clear((*out)->dtype, (*out)->data, (*out)->count);
  return NULL;
}

// --- Forward ------------------------------------------------------------------------------

static sli_status_t *output_rows(const sli_kernel_context_t *context, const segment_request_t *r, int64_t *out_rows) {
  int64_t needed = r->count ? sli_tensor_int_at(r->segments, r->count - 1) : -1;
  if (needed == INT64_MAX) return sli_status_make(SLI_INVALID_ARGUMENT, "Last segment id must be < kintmax");
  *out_rows = ++needed;
  if (context->input_count > 3) {
    const sli_tensor_t *given = sli_kernel_input(context, 3);
    if (given->rank != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "num_segments should be a scalar, not shape %s",
                             sli_tensor_shape_text(given).text);
    *out_rows = sli_tensor_int_at(given, 0);
    if (*out_rows < needed) return sli_status_make(SLI_INVALID_ARGUMENT, "segment ids must be < num_segments");
  }
  return *out_rows < 0 || (r->count && needed <= 0) ? sli_status_make(SLI_INVALID_ARGUMENT, "segment ids must be >= 0")
                                                    : NULL;
}

static sli_status_t *reduce_segment(const segment_request_t *r, segment_reduction_t reduction, int64_t begin,
                                    int64_t end, sli_dtype_t dtype, void *to) {
  for (int64_t i = begin; i < end; i++) {
    int64_t row = sli_tensor_int_at(r->indices, i);
    if (row < 0 || row >= r->data->dims[0])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Bad: indices[%lld] == %lld out of range [0, %lld)", (long long)i,
                             (long long)row, (long long)r->data->dims[0]);
    const void *from = sli_tensor_at(r->data, row * r->width);
    if (i == begin)
      sli_elements_copy(dtype, to, from, r->width);
    else
      sli_accumulate(SLI_ACCUMULATE_ADD, dtype, to, from, 1, r->width);
  }
  if (reduction == SUM || end - begin == 1) return NULL;
  sli_sparse_number_t divisor = sli_sparse_number(dtype, divisor_of(reduction, end - begin));
  sli_accumulate(SLI_ACCUMULATE_DIV, dtype, to, &divisor, 0, r->width);
  return NULL;
}

static sli_status_t *reduce(sli_kernel_context_t *context, segment_reduction_t reduction) {
  segment_request_t r;
  int64_t rows = 0;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(read_segment_request(context, &r));
  SLI_RETURN_IF_ERROR(output_rows(context, &r, &rows));
  SLI_RETURN_IF_ERROR(output_of(context, &r, rows, &output));
  for (int64_t begin = 0, end; begin < r.count; begin = end) {
    int64_t id = sli_tensor_int_at(r.segments, begin);
    for (end = begin + 1; end < r.count && sli_tensor_int_at(r.segments, end) == id; end++) {
    }
    if (end < r.count && sli_tensor_int_at(r.segments, end) < id)
      return sli_status_make(SLI_INVALID_ARGUMENT, "segment ids are not increasing");
    if (id < 0 || id >= rows)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Segment id %lld out of range [0, %lld), possibly because 'segment_ids' input is not "
                             "sorted.",
                             (long long)id, (long long)rows);
    SLI_RETURN_IF_ERROR(
        reduce_segment(&r, reduction, begin, end, (sli_dtype_t)output->dtype, sli_tensor_at(output, id * r.width)));
  }
  return NULL;
}

static sli_status_t *sum_compute(sli_kernel_context_t *context) { return reduce(context, SUM); }
static sli_status_t *mean_compute(sli_kernel_context_t *context) { return reduce(context, MEAN); }
static sli_status_t *sqrt_n_compute(sli_kernel_context_t *context) { return reduce(context, SQRT_N); }

// --- Backward -------------------------------------------------------------------------------

// Counts the rows of each segment and checks all ids and indices. |rows| is the number of rows of the data. The caller
// frees |*out_counts|, also after an error.
static sli_status_t *count_segments(const segment_request_t *r, int64_t rows, int64_t **out_counts) {
  int64_t segments = r->data->dims[0];
  int64_t *counts = sli_calloc((size_t)segments + 1, sizeof(*counts));
  *out_counts = counts;
  if (r->count && sli_tensor_int_at(r->segments, r->count - 1) >= segments)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid number of segments");
  for (int64_t i = 0; i < r->count; i++) {
    int64_t id = sli_tensor_int_at(r->segments, i), row = sli_tensor_int_at(r->indices, i);
    if (id < 0 || id >= segments)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Segment id %lld out of range [0, %lld).", (long long)id,
                             (long long)segments);
    if (row < 0 || row >= rows)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Index %lld out of range [0, %lld).", (long long)row,
                             (long long)rows);
    counts[id]++;
  }
  return NULL;
}

// Adds the scaled gradient of each segment to the output rows of its indices. |place| maps the position of an index to
// its output row; if it is NULL, the index is the row.
static sli_status_t *spread(sli_kernel_context_t *context, const segment_request_t *r, segment_reduction_t reduction,
                            const int64_t *counts, const int64_t *place, sli_tensor_t *output) {
  sli_dtype_t dtype = (sli_dtype_t)output->dtype;
  sli_tensor_t *scaled;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, dtype, SLI_SHAPE(r->width), &scaled));
  for (int64_t i = 0; i < r->count; i++) {
    int64_t id = sli_tensor_int_at(r->segments, i), row = place ? place[i] : sli_tensor_int_at(r->indices, i);
    const void *from = sli_tensor_at(r->data, id * r->width);
    double divisor = divisor_of(reduction, counts[id]);
    if (divisor != 1) {
      sli_sparse_number_t scale = sli_sparse_number(dtype, 1 / divisor);
      sli_elements_copy(dtype, scaled->data, from, r->width);
      sli_accumulate(SLI_ACCUMULATE_MUL, dtype, scaled->data, &scale, 0, r->width);
      from = scaled->data;
    }
    sli_accumulate(SLI_ACCUMULATE_ADD, dtype, sli_tensor_at(output, row * r->width), from, 1, r->width);
  }
  sli_tensor_release(scaled);
  return NULL;
}

static sli_status_t *read_rows(const sli_kernel_context_t *context, int64_t *out_rows) {
  const sli_tensor_t *rows = sli_kernel_input(context, 3);
  if (rows->count != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "output_dim0 should be a scalar.");
  *out_rows = sli_tensor_int_at(rows, 0);
  if (*out_rows < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "output_dim0 must not be negative");
  return NULL;
}

static sli_status_t *spread_dense(sli_kernel_context_t *context, segment_reduction_t reduction) {
  segment_request_t r;
  int64_t rows = 0, *counts;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(read_segment_request(context, &r));
  SLI_RETURN_IF_ERROR(read_rows(context, &rows));
  SLI_RETURN_IF_ERROR(output_of(context, &r, rows, &output));
  sli_status_t *status = count_segments(&r, rows, &counts);
  if (!status) status = spread(context, &r, reduction, counts, NULL, output);
  free(counts);
  return status;
}

static int compare_rows(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// Writes the distinct indices in ascending order to |unique|, and the position of each index in |unique| to |place|.
// Returns the number of distinct indices.
static int64_t rank_indices(const segment_request_t *r, int64_t *unique, int64_t *place) {
  for (int64_t i = 0; i < r->count; i++) unique[i] = sli_tensor_int_at(r->indices, i);
  qsort(unique, (size_t)r->count, sizeof(*unique), compare_rows);
  int64_t count = 0;
  for (int64_t i = 0; i < r->count; i++) {
    if (count == 0 || unique[count - 1] != unique[i]) unique[count++] = unique[i];
  }
  for (int64_t i = 0; i < r->count; i++) {
    int64_t row = sli_tensor_int_at(r->indices, i);
    place[i] = (const int64_t *)bsearch(&row, unique, (size_t)count, sizeof(*unique), compare_rows) - unique;
  }
  return count;
}

static sli_status_t *spread_present(sli_kernel_context_t *context, segment_reduction_t reduction) {
  segment_request_t r;
  int64_t rows = 0, *counts;
  sli_tensor_t *output, *rows_out;
  SLI_RETURN_IF_ERROR(read_segment_request(context, &r));
  SLI_RETURN_IF_ERROR(read_rows(context, &rows));
  sli_status_t *status = count_segments(&r, rows, &counts);
  int64_t *unique = sli_malloc((size_t)(r.count + 1) * sizeof(*unique));
  int64_t *place = sli_malloc((size_t)(r.count + 1) * sizeof(*place));
  int64_t count = status ? 0 : rank_indices(&r, unique, place);
  if (!status) status = output_of(context, &r, count, &output);
  if (!status) status = sli_kernel_allocate_output(context, 1, SLI_SHAPE(count), &rows_out);
  for (int64_t i = 0; i < count && !status; i++) sli_tensor_set_int(rows_out, i, unique[i]);
  if (!status) status = spread(context, &r, reduction, counts, place, output);
  free(counts);
  free(unique);
  free(place);
  return status;
}

static sli_status_t *sum_grad_compute(sli_kernel_context_t *context) { return spread_dense(context, SUM); }
static sli_status_t *mean_grad_compute(sli_kernel_context_t *context) { return spread_dense(context, MEAN); }
static sli_status_t *sqrt_n_grad_compute(sli_kernel_context_t *context) { return spread_dense(context, SQRT_N); }
static sli_status_t *sum_grad_v2_compute(sli_kernel_context_t *context) { return spread_present(context, SUM); }
static sli_status_t *mean_grad_v2_compute(sli_kernel_context_t *context) { return spread_present(context, MEAN); }
static sli_status_t *sqrt_n_grad_v2_compute(sli_kernel_context_t *context) { return spread_present(context, SQRT_N); }

// --- Shapes -------------------------------------------------------------------------------------

// Sets output 0 to the shape of input 0 with |rows| as its first dimension.
static sli_status_t *set_rows(sli_infer_context_t *c, int64_t rows) {
  sli_shape_t data, indices, segments, unused;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &data));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &indices));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &segments));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, indices, segments, &unused));
  sli_infer_set_output(c, 0, data.rank < 0 ? data : sli_infer_replace_dim(c, data, 0, rows));
  return NULL;
}

static sli_status_t *reduce_shape(sli_infer_context_t *c) { return set_rows(c, -1); }

static sli_status_t *counted_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 0, &unused));
  const sli_tensor_t *rows = sli_infer_input_constant(c, 3);
  if (!rows) return set_rows(c, -1);
  int64_t count = sli_tensor_int_at(rows, 0);
  if (count < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot specify a negative value");
  return set_rows(c, count);
}

static sli_status_t *grad_v2_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 0, &unused));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  return set_rows(c, -1);
}

// --- Gradients ------------------------------------------------------------------------------------

static sli_status_t *emit_gradient(sli_gradient_builder_t *b, const char *dense, const char *sparse) {
  bool is_sparse;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "sparse_gradient", &is_sparse));
  sli_output_t gradient = sli_gradient_of_output(b, 0), data = sli_gradient_input(b, 0);
  sli_output_t indices = sli_gradient_input(b, 1), segments = sli_gradient_input(b, 2);
  sli_output_t rows = sli_sparse_emit_rows(b, data);
  if (!is_sparse) {
    sli_gradient_set(b, 0, SLI_EMIT(b, dense, SLI_INPUTS(gradient, indices, segments, rows)));
    return NULL;
  }
  sli_output_t values = SLI_EMIT(b, sparse, SLI_INPUTS(gradient, indices, segments, rows));
  sli_gradient_set_slices(b, 0,
                          (sli_gradient_slices_t){.values = values,
                                                  .indices = sli_output_at(values, 1),
                                                  .dense_shape = SLI_EMIT(b, "Shape", SLI_INPUTS(data))});
  return NULL;
}

static sli_status_t *sum_gradient(sli_gradient_builder_t *b) {
  return emit_gradient(b, "SparseSegmentSumGrad", "SparseSegmentSumGradV2");
}
static sli_status_t *mean_gradient(sli_gradient_builder_t *b) {
  return emit_gradient(b, "SparseSegmentMeanGrad", "SparseSegmentMeanGradV2");
}
static sli_status_t *sqrt_n_gradient(sli_gradient_builder_t *b) {
  return emit_gradient(b, "SparseSegmentSqrtNGrad", "SparseSegmentSqrtNGradV2");
}

static const sli_op_def_t ops[] = {
    {
        .name = "SparseSegmentSum",
        .inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids",
        .outputs = "output: T",
        .attrs = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; Tidx: "
                 "{int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32; sparse_gradient: bool = false",
        .summary = "Sums of gathered rows by segment.",
        .shape = reduce_shape,
        .gradient = sum_gradient,
    },
    {
        .name = "SparseSegmentSumWithNumSegments",
        .inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments",
        .outputs = "output: T",
        .attrs = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; Tidx: "
                 "{int32, int64} = DT_INT32; Tnumsegments: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = "
                 "DT_INT32; sparse_gradient: bool = false",
        .summary = "Sums of gathered rows by segment.",
        .shape = counted_shape,
        .gradient = sum_gradient,
    },
    {
        .name = "SparseSegmentSumGrad",
        .inputs = "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32",
        .outputs = "output: T",
        .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = "
                 "DT_INT32",
        .summary = "The gradient of SparseSegmentSum.",
        .shape = counted_shape,
    },
    {
        .name = "SparseSegmentSumGradV2",
        .inputs = "grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32",
        .outputs = "output: T, sorted_unique_indices: Tidx",
        .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = "
                 "DT_INT32",
        .summary = "The gradient of SparseSegmentSum, only for the rows that occur.",
        .shape = grad_v2_shape,
    },
    {
        .name = "SparseSegmentMean",
        .inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids",
        .outputs = "output: T",
        .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = "
                 "DT_INT32; sparse_gradient: bool = false",
        .summary = "Means of gathered rows by segment.",
        .shape = reduce_shape,
        .gradient = mean_gradient,
    },
    {
        .name = "SparseSegmentMeanWithNumSegments",
        .inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments",
        .outputs = "output: T",
        .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tnumsegments: {int32, int64} = "
                 "DT_INT32; Tsegmentids: {int32, int64} = DT_INT32; sparse_gradient: bool = false",
        .summary = "Means of gathered rows by segment.",
        .shape = counted_shape,
        .gradient = mean_gradient,
    },
    {
        .name = "SparseSegmentMeanGrad",
        .inputs = "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32",
        .outputs = "output: T",
        .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = "
                 "DT_INT32",
        .summary = "The gradient of SparseSegmentMean.",
        .shape = counted_shape,
    },
    {
        .name = "SparseSegmentMeanGradV2",
        .inputs = "grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32",
        .outputs = "output: T, sorted_unique_indices: Tidx",
        .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = "
                 "DT_INT32",
        .summary = "The gradient of SparseSegmentMean, only for the rows that occur.",
        .shape = grad_v2_shape,
    },
    {
        .name = "SparseSegmentSqrtN",
        .inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids",
        .outputs = "output: T",
        .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = "
                 "DT_INT32; sparse_gradient: bool = false",
        .summary = "Sums of gathered rows by segment, divided by the square root of their number.",
        .shape = reduce_shape,
        .gradient = sqrt_n_gradient,
    },
    {
        .name = "SparseSegmentSqrtNWithNumSegments",
        .inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments",
        .outputs = "output: T",
        .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tnumsegments: {int32, int64} = "
                 "DT_INT32; Tsegmentids: {int32, int64} = DT_INT32; sparse_gradient: bool = false",
        .summary = "Sums of gathered rows by segment, divided by the square root of their number.",
        .shape = counted_shape,
        .gradient = sqrt_n_gradient,
    },
    {
        .name = "SparseSegmentSqrtNGrad",
        .inputs = "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32",
        .outputs = "output: T",
        .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = "
                 "DT_INT32",
        .summary = "The gradient of SparseSegmentSqrtN.",
        .shape = counted_shape,
    },
    {
        .name = "SparseSegmentSqrtNGradV2",
        .inputs = "grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32",
        .outputs = "output: T, sorted_unique_indices: Tidx",
        .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = "
                 "DT_INT32",
        .summary = "The gradient of SparseSegmentSqrtN, only for the rows that occur.",
        .shape = grad_v2_shape,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseSegmentSum", .types = SLI_TYPES_REAL, .compute = sum_compute, .expensive = true},
    {.op = "SparseSegmentSumWithNumSegments",
     .types = SLI_TYPES_REAL,
     .host_memory = "num_segments",
     .compute = sum_compute,
     .expensive = true},
    {.op = "SparseSegmentSumGrad",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "output_dim0",
     .compute = sum_grad_compute,
     .expensive = true},
    {.op = "SparseSegmentSumGradV2",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "dense_output_dim0",
     .compute = sum_grad_v2_compute,
     .expensive = true},
    {.op = "SparseSegmentMean", .types = SLI_TYPES_FLOATING, .compute = mean_compute, .expensive = true},
    {.op = "SparseSegmentMeanWithNumSegments",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "num_segments",
     .compute = mean_compute,
     .expensive = true},
    {.op = "SparseSegmentMeanGrad",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "output_dim0",
     .compute = mean_grad_compute,
     .expensive = true},
    {.op = "SparseSegmentMeanGradV2",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "dense_output_dim0",
     .compute = mean_grad_v2_compute,
     .expensive = true},
    {.op = "SparseSegmentSqrtN", .types = SLI_TYPES_FLOATING, .compute = sqrt_n_compute, .expensive = true},
    {.op = "SparseSegmentSqrtNWithNumSegments",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "num_segments",
     .compute = sqrt_n_compute,
     .expensive = true},
    {.op = "SparseSegmentSqrtNGrad",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "output_dim0",
     .compute = sqrt_n_grad_compute,
     .expensive = true},
    {.op = "SparseSegmentSqrtNGradV2",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "dense_output_dim0",
     .compute = sqrt_n_grad_v2_compute,
     .expensive = true},
};
SLI_OP_MODULE(sparse_segment);
