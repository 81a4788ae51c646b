// SegmentSum, -Mean, -Prod, -Min, -Max combine rows of the input that have the same segment id; the ids are sorted. For
// the Unsorted ops, ids are in any order, have any rank, and a negative id drops the row.
//
// Both process the rows in order and add each to a row of accumulators. Threads share the columns, so that no two
// threads write to one element.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"
#include "math/half.h"
#include "ops/math/segment_internal.h"

typedef enum { SEGMENT_SUM, SEGMENT_MEAN, SEGMENT_PROD, SEGMENT_MIN, SEGMENT_MAX } segment_t;

// The functions for one type: rows of |T| are combined in rows of |A|, which may be wider.
typedef struct {
  size_t size;  // of an accumulator
  void (*start)(void *acc, int64_t n);
  void (*fold)(void *acc, const void *row, int64_t n);
  void (*finish)(const void *acc, void *out, int64_t n, int64_t rows);
} folder_t;

#define FOLDER(name, T, A, load, store, neutral, combine, result)                  \
  static void name##_start(void *acc, int64_t n) {                                 \
    for (int64_t i = 0; i < n; i++) ((A *)acc)[i] = (A)(neutral);                  \
  }                                                                                \
  static void name##_fold(void *acc, const void *row, int64_t n) {                 \
    A *sums = acc;                                                                 \
    const T *in = row;                                                             \
    for (int64_t i = 0; i < n; i++) {                                              \
      A a = sums[i], x = (A)load(in[i]);                                           \
      sums[i] = (A)(combine);                                                      \
    }                                                                              \
  }                                                                                \
  static void name##_finish(const void *acc, void *out, int64_t n, int64_t rows) { \
    for (int64_t i = 0; i < n; i++) {                                              \
      A a = ((const A *)acc)[i];                                                   \
      ((T *)out)[i] = (T)store(result);                                            \
    }                                                                              \
  }                                                                                \
  static const folder_t name##_folder = {sizeof(A), name##_start, name##_fold, name##_finish};

#define SAME(x) (x)
#define HALF(name, neutral, combine, result) \
  FOLDER(name##_half, sli_half_t, float, sli_half_to_float, sli_half_from_float, neutral, combine, result)
#define BFLOAT16(name, neutral, combine, result)                                                                   \
  FOLDER(name##_bfloat16, sli_bfloat16_t, float, sli_bfloat16_to_float, sli_bfloat16_from_float, neutral, combine, \
         result)
#define FLOATING(op, neutral, combine, result)                              \
  FOLDER(op##_float, float, float, SAME, SAME, neutral, combine, result)    \
  FOLDER(op##_double, double, double, SAME, SAME, neutral, combine, result) \
  HALF(op, neutral, combine, result)                                        \
  BFLOAT16(op, neutral, combine, result)
#define COMPLEX(op, neutral, combine, result)                                                \
  FOLDER(op##_complex64, float complex, float complex, SAME, SAME, neutral, combine, result) \
  FOLDER(op##_complex128, double complex, double complex, SAME, SAME, neutral, combine, result)

#define SUM_INTEGER(T, name, dtype, U) FOLDER(sum_##name, T, U, SAME, SAME, 0, a + x, a)
#define PROD_INTEGER(T, name, dtype, U) FOLDER(prod_##name, T, U, SAME, SAME, 1, a *x, a)
// The count converted to the type, or 1 if that is 0. Dividing the least value by -1 must be avoided.
#define DIVISOR(T) ((T)rows ? (T)rows : (T)1)
#define MEAN_SIGNED(T, name, dtype, U) \
  FOLDER(mean_##name, T, U, SAME, SAME, 0, a + x, (T)rows == (T)-1 ? (T)((U)0 - a) : (T)((T)a / DIVISOR(T)))
#define MEAN_UNSIGNED(T, name, dtype, U) FOLDER(mean_##name, T, U, SAME, SAME, 0, a + x, (T)a / DIVISOR(T))
#define LEAST(T) ((T)((uint64_t)1 << (sizeof(T) * 8 - 1)))
#define MAX_SIGNED(T, name, dtype, U) FOLDER(max_##name, T, T, SAME, SAME, LEAST(T), x > a ? x : a, a)
#define MIN_SIGNED(T, name, dtype, U) FOLDER(min_##name, T, T, SAME, SAME, ~LEAST(T), x < a ? x : a, a)
#define MAX_UNSIGNED(T, name, dtype, U) FOLDER(max_##name, T, T, SAME, SAME, 0, x > a ? x : a, a)
#define MIN_UNSIGNED(T, name, dtype, U) FOLDER(min_##name, T, T, SAME, SAME, ~(T)0, x < a ? x : a, a)

FLOATING(sum, 0, a + x, a)
COMPLEX(sum, 0, a + x, a)
SLI_ELEMENTWISE_FOR_INTEGER(SUM_INTEGER)
FLOATING(mean, 0, a + x, a / (double)rows)
COMPLEX(mean, 0, a + x, a / (double)rows)
SLI_ELEMENTWISE_FOR_SIGNED(MEAN_SIGNED)
SLI_ELEMENTWISE_FOR_UNSIGNED(MEAN_UNSIGNED)
FLOATING(prod, 1, a *x, a)
COMPLEX(prod, 1, a *x, a)
SLI_ELEMENTWISE_FOR_INTEGER(PROD_INTEGER)
// An empty segment has the least (largest) finite value. The result is NaN if there is one.
FOLDER(max_float, float, float, SAME, SAME, -FLT_MAX, x > a || x != x ? x : a, a)
FOLDER(max_double, double, double, SAME, SAME, -DBL_MAX, x > a || x != x ? x : a, a)
HALF(max, -65504.0f, x > a || x != x ? x : a, a)
BFLOAT16(max, -3.3895313892515355e38f, x > a || x != x ? x : a, a)
FOLDER(min_float, float, float, SAME, SAME, FLT_MAX, x < a || x != x ? x : a, a)
FOLDER(min_double, double, double, SAME, SAME, DBL_MAX, x < a || x != x ? x : a, a)
HALF(min, 65504.0f, x < a || x != x ? x : a, a)
BFLOAT16(min, 3.3895313892515355e38f, x < a || x != x ? x : a, a)
SLI_ELEMENTWISE_FOR_SIGNED(MAX_SIGNED)
SLI_ELEMENTWISE_FOR_SIGNED(MIN_SIGNED)
SLI_ELEMENTWISE_FOR_UNSIGNED(MAX_UNSIGNED)
SLI_ELEMENTWISE_FOR_UNSIGNED(MIN_UNSIGNED)

#define REAL_ROWS(op)                                                                 \
  [SLI_DTYPE_FLOAT] = &op##_float_folder, [SLI_DTYPE_DOUBLE] = &op##_double_folder,   \
  [SLI_DTYPE_HALF] = &op##_half_folder, [SLI_DTYPE_BFLOAT16] = &op##_bfloat16_folder, \
  [SLI_DTYPE_INT8] = &op##_int8_folder, [SLI_DTYPE_INT16] = &op##_int16_folder,       \
  [SLI_DTYPE_INT32] = &op##_int32_folder, [SLI_DTYPE_INT64] = &op##_int64_folder,     \
  [SLI_DTYPE_UINT8] = &op##_uint8_folder, [SLI_DTYPE_UINT16] = &op##_uint16_folder,   \
  [SLI_DTYPE_UINT32] = &op##_uint32_folder, [SLI_DTYPE_UINT64] = &op##_uint64_folder
#define COMPLEX_ROWS(op) \
  [SLI_DTYPE_COMPLEX64] = &op##_complex64_folder, [SLI_DTYPE_COMPLEX128] = &op##_complex128_folder
static const folder_t *const folders[][SLI_DTYPE_UINT64 + 1] = {
    [SEGMENT_SUM] = {REAL_ROWS(sum), COMPLEX_ROWS(sum)},
    [SEGMENT_MEAN] = {REAL_ROWS(mean), COMPLEX_ROWS(mean)},
    [SEGMENT_PROD] = {REAL_ROWS(prod), COMPLEX_ROWS(prod)},
    [SEGMENT_MIN] = {REAL_ROWS(min)},
    [SEGMENT_MAX] = {REAL_ROWS(max)},
};

static int64_t id_at(const sli_tensor_t *ids, int64_t i) {
  return ids->dtype == SLI_DTYPE_INT16 ? SLI_DATA(int16_t, ids)[i] : sli_tensor_int_at(ids, i);
}

typedef struct {
  const folder_t *folder;
  size_t size;  // of an element
  const char *data;
  char *out;
  const sli_tensor_t *ids;
  int64_t rows, width, segments;
  const void *filler;  // the value of segments without rows; NULL: the value of |start|
  bool out_of_memory;
} segment_work_t;

// Computes columns [begin, end) of sorted segments, one row of accumulators at a time.
enum { STRIP = 256 };
static void fold_sorted_strip(const segment_work_t *work, int64_t column, int64_t n) {
  _Alignas(16) char acc[STRIP * 16];
  int64_t row = 0;
  for (int64_t segment = 0; segment < work->segments; segment++) {
    char *out = work->out + (size_t)(segment * work->width + column) * work->size;
    int64_t first = row;
    work->folder->start(acc, n);
    for (; row < work->rows && id_at(work->ids, row) == segment; row++)
      work->folder->fold(acc, work->data + (size_t)(row * work->width + column) * work->size, n);
    if (row > first) {
      work->folder->finish(acc, out, n, row - first);
    } else {
      for (int64_t i = 0; i < n; i++) memcpy(out + (size_t)i * work->size, work->filler, work->size);
    }
  }
}

static void fold_sorted(void *context, int64_t begin, int64_t end) {
  for (int64_t column = begin; column < end; column += STRIP)
    fold_sorted_strip(context, column, end - column < STRIP ? end - column : STRIP);
}

// Computes columns [begin, end) of unsorted segments. If the accumulators have the type of the output, they are the
// output. Others (16-bit floats, small integers) need a row of accumulators for every segment.
static void fold_unsorted(void *context, int64_t begin, int64_t end) {
  segment_work_t *work = context;
  int64_t n = end - begin;
  bool in_place = work->folder->size == work->size;
  size_t pitch = in_place ? (size_t)work->width * work->size : (size_t)n * work->folder->size;
  char *sums = in_place ? work->out + (size_t)begin * work->size : sli_malloc_or_null((size_t)work->segments * pitch);
  if (!sums) {
    __atomic_store_n(&work->out_of_memory, true, __ATOMIC_RELAXED);
    return;
  }
  for (int64_t s = 0; s < work->segments; s++) work->folder->start(sums + (size_t)s * pitch, n);
  for (int64_t row = 0; row < work->rows; row++) {
    int64_t id = id_at(work->ids, row);
    if (id < 0) continue;
    work->folder->fold(sums + (size_t)id * pitch, work->data + (size_t)(row * work->width + begin) * work->size, n);
  }
  if (in_place) return;
  for (int64_t s = 0; s < work->segments; s++)
    work->folder->finish(sums + (size_t)s * pitch, work->out + (size_t)(s * work->width + begin) * work->size, n, 1);
  free(sums);
}

static sli_status_t *check_sorted(const sli_tensor_t *data, const sli_tensor_t *ids) {
  if (ids->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "segment_ids should be a vector.");
  if (data->rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "input must be at least rank 1");
  if (data->dims[0] != ids->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "segment_ids should be the same size as dimension 0 of input.");
  if (ids->count == 0) return NULL;
  int64_t last = id_at(ids, ids->count - 1);
  if (last < 0 || last == INT64_MAX) return sli_status_make(SLI_INVALID_ARGUMENT, "segment ids must be >= 0");
  for (int64_t i = 0, before = 0; i < ids->count; i++) {
    int64_t id = id_at(ids, i);
    if (i > 0 && id < before) return sli_status_make(SLI_INVALID_ARGUMENT, "segment ids are not increasing");
    // The id of a segment is checked at its end, when the next one begins.
    int64_t done = i == 0 ? (id < 0 ? id : 0) : before;
    if ((i == 0 || id != before) && (done < 0 || done > last))
      return sli_status_make(
          SLI_INVALID_ARGUMENT,
          "Segment id %lld out of range [0, %lld), possibly because 'segment_ids' input is not sorted.",
          (long long)done, (long long)last + 1);
    before = id;
  }
  return NULL;
}

static sli_status_t *sorted(sli_kernel_context_t *context, segment_t kind) {
  sli_tensor_t *data = sli_kernel_input(context, 0), *ids = sli_kernel_input(context, 1), *output;
  SLI_RETURN_IF_ERROR(check_sorted(data, ids));
  int64_t dims[SLI_MAX_RANK];
  for (int d = 0; d < data->rank; d++) dims[d] = data->dims[d];
  dims[0] = ids->count ? id_at(ids, ids->count - 1) + 1 : 0;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){data->rank, dims}, &output));
  if (output->count == 0) return NULL;
  // Segments without rows are 1 for Prod, 0 for all others.
  _Alignas(16) char one[STRIP * 16], filler[16] = {0};
  segment_work_t work = {.folder = folders[kind][data->dtype],
                         .size = sli_dtype_size((sli_dtype_t)data->dtype),
                         .data = data->data,
                         .out = output->data,
                         .ids = ids,
                         .rows = ids->count,
                         .width = output->count / dims[0],
                         .segments = dims[0],
                         .filler = filler};
  if (kind == SEGMENT_PROD) {
    work.folder->start(one, 1);
    work.folder->finish(one, filler, 1, 1);
  }
  sli_parallel_for(sli_kernel_pool(context), work.width, 0.5 * (double)(work.rows + work.segments), fold_sorted, &work);
  return NULL;
}

// The error for element |index| of |ids|, with its position "[1,0]".
static sli_status_t *bad_id(const sli_tensor_t *ids, int64_t index, int64_t segments) {
  sli_string_t place = {0};
  int64_t rest = ids->count;
  for (int d = 0; d < ids->rank; d++) {
    rest /= ids->dims[d];
    sli_string_append_format(&place, "%s%lld", d ? "," : "", (long long)(index / rest % ids->dims[d]));
  }
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "segment_ids[%s] = %lld is out of range [0, %lld)",
                                         sli_string_text(&place), (long long)id_at(ids, index), (long long)segments);
  sli_string_deinitialize(&place);
  return status;
}

static sli_status_t *check_unsorted(const sli_tensor_t *data, const sli_tensor_t *ids, const sli_tensor_t *count,
                                    int64_t *out_segments) {
  sli_status_t *status = NULL;
  char *data_shape = sli_shape_to_text(sli_tensor_shape(data)), *ids_shape = sli_shape_to_text(sli_tensor_shape(ids)),
       *count_shape = sli_shape_to_text(sli_tensor_shape(count));
  bool prefix = data->rank >= ids->rank;
  for (int d = 0; prefix && d < ids->rank; d++) prefix = data->dims[d] == ids->dims[d];
  if (count->rank != 0)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "num_segments should be a scalar, not shape %s", count_shape);
  else if (!prefix)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "data.shape = %s does not start with segment_ids.shape = %s",
                             data_shape, ids_shape);
  else if ((*out_segments = sli_tensor_int_at(count, 0)) < 0)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Input num_segments == %lld must not be negative.",
                             (long long)*out_segments);
  free(data_shape);
  free(ids_shape);
  free(count_shape);
  for (int64_t i = 0; !status && i < ids->count; i++)
    if (id_at(ids, i) >= *out_segments) status = bad_id(ids, i, *out_segments);
  return status;
}

static sli_status_t *unsorted(sli_kernel_context_t *context, segment_t kind) {
  sli_tensor_t *data = sli_kernel_input(context, 0), *ids = sli_kernel_input(context, 1), *output;
  int64_t dims[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(check_unsorted(data, ids, sli_kernel_input(context, 2), &dims[0]));
  int rank = 1;
  for (int d = ids->rank; d < data->rank; d++) {
    if (rank == SLI_MAX_RANK)
      return sli_status_make(SLI_INVALID_ARGUMENT, "A tensor can have at most %d dimensions, got %d", SLI_MAX_RANK,
                             rank + 1);
    dims[rank++] = data->dims[d];
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  if (output->count == 0) return NULL;
  segment_work_t work = {.folder = folders[kind][data->dtype],
                         .size = sli_dtype_size((sli_dtype_t)data->dtype),
                         .data = data->data,
                         .out = output->data,
                         .ids = ids,
                         .rows = ids->count,
                         .width = output->count / dims[0],
                         .segments = dims[0]};
  sli_parallel_for(sli_kernel_pool(context), work.width, 0.5 * (double)(work.rows + work.segments), fold_unsorted,
                   &work);
  if (work.out_of_memory)
    return sli_tensor_out_of_memory((sli_dtype_t)data->dtype, sli_tensor_shape(output), "host memory");
  return NULL;
}

static sli_status_t *segment_sum(sli_kernel_context_t *context) { return sorted(context, SEGMENT_SUM); }
static sli_status_t *segment_mean(sli_kernel_context_t *context) { return sorted(context, SEGMENT_MEAN); }
static sli_status_t *segment_prod(sli_kernel_context_t *context) { return sorted(context, SEGMENT_PROD); }
static sli_status_t *segment_min(sli_kernel_context_t *context) { return sorted(context, SEGMENT_MIN); }
static sli_status_t *segment_max(sli_kernel_context_t *context) { return sorted(context, SEGMENT_MAX); }
static sli_status_t *unsorted_sum(sli_kernel_context_t *context) { return unsorted(context, SEGMENT_SUM); }
static sli_status_t *unsorted_prod(sli_kernel_context_t *context) { return unsorted(context, SEGMENT_PROD); }
static sli_status_t *unsorted_min(sli_kernel_context_t *context) { return unsorted(context, SEGMENT_MIN); }
static sli_status_t *unsorted_max(sli_kernel_context_t *context) { return unsorted(context, SEGMENT_MAX); }

static sli_status_t *sorted_shape(sli_infer_context_t *c) {
  sli_shape_t data, ids;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &data));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &ids));
  sli_infer_set_output(
      c, 0,
      sli_infer_concatenate(c, sli_infer_make_unknown_of_rank(c, 1), sli_infer_subshape(c, data, 1, SLI_MAX_RANK)));
  return NULL;
}

static sli_status_t *unsorted_shape(sli_infer_context_t *c) {
  sli_shape_t data = sli_infer_input(c, 0), ids = sli_infer_input(c, 1), count_shape, merged;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &count_shape));
  const sli_tensor_t *count = sli_infer_input_constant(c, 2);
  int64_t segments = count ? sli_tensor_int_at(count, 0) : -1;
  if (count && segments < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Dimension size, given by scalar input %d must be non-negative but is %lld", 2,
                           (long long)segments);
  if (data.rank < 0 || ids.rank < 0) return NULL;
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_subshape(c, data, 0, ids.rank), ids, &merged));
  sli_shape_t rest = sli_infer_subshape(c, data, ids.rank, SLI_MAX_RANK);
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, sli_infer_make(c, 1, &segments), rest));
  return NULL;
}

#define SORTED_ROW(op_name, types, gradient_of)                                                       \
  {                                                                                                   \
    .name = op_name, .inputs = "data: T, segment_ids: Tindices", .outputs = "output: T",              \
    .attrs = "T: " types "; Tindices: {int32, int64}", .shape = sorted_shape, .gradient = gradient_of \
  }
#define UNSORTED_ROW(op_name, types, indices, gradient_of)                                                            \
  {                                                                                                                   \
    .name = op_name, .inputs = "data: T, segment_ids: Tindices, num_segments: Tnumsegments", .outputs = "output: T",  \
    .attrs = "T: " types "; Tindices: " indices "; Tnumsegments: {int32, int64} = DT_INT32", .shape = unsorted_shape, \
    .gradient = gradient_of                                                                                           \
  }

static const sli_op_def_t ops[] = {
    SORTED_ROW("SegmentSum", "numbertype", sli_segment_sum_gradient),
    SORTED_ROW("SegmentMean", "numbertype", sli_segment_mean_gradient),
    SORTED_ROW("SegmentProd", "numbertype", sli_segment_prod_gradient),
    SORTED_ROW("SegmentMin", "realnumbertype", sli_segment_extreme_gradient),
    SORTED_ROW("SegmentMax", "realnumbertype", sli_segment_extreme_gradient),
    UNSORTED_ROW("UnsortedSegmentSum", "numbertype", "{int16, int32, int64}", sli_segment_unsorted_sum_gradient),
    UNSORTED_ROW("UnsortedSegmentProd", "numbertype", "{int32, int64}", sli_segment_unsorted_prod_gradient),
    UNSORTED_ROW("UnsortedSegmentMin", "realnumbertype", "{int32, int64}", sli_segment_unsorted_extreme_gradient),
    UNSORTED_ROW("UnsortedSegmentMax", "realnumbertype", "{int32, int64}", sli_segment_unsorted_extreme_gradient),
};

#define SORTED_KERNEL(op_name, accepted, function) \
  { .op = op_name, .types = accepted, .where = {{"Tindices", SLI_TYPES_INDEX}}, .compute = function }
#define UNSORTED_KERNEL(op_name, accepted, function)                                             \
  {                                                                                              \
    .op = op_name, .types = accepted, .where = {{"Tindices", SLI_TYPES_INDEX | SLI_TYPE_INT16}}, \
    .host_memory = "num_segments", .compute = function                                           \
  }

static const sli_kernel_def_t kernels[] = {
    SORTED_KERNEL("SegmentSum", SLI_TYPES_NUMBER, segment_sum),
    SORTED_KERNEL("SegmentMean", SLI_TYPES_NUMBER, segment_mean),
    SORTED_KERNEL("SegmentProd", SLI_TYPES_NUMBER, segment_prod),
    SORTED_KERNEL("SegmentMin", SLI_TYPES_REAL, segment_min),
    SORTED_KERNEL("SegmentMax", SLI_TYPES_REAL, segment_max),
    UNSORTED_KERNEL("UnsortedSegmentSum", SLI_TYPES_NUMBER, unsorted_sum),
    UNSORTED_KERNEL("UnsortedSegmentProd", SLI_TYPES_NUMBER, unsorted_prod),
    UNSORTED_KERNEL("UnsortedSegmentMin", SLI_TYPES_REAL, unsorted_min),
    UNSORTED_KERNEL("UnsortedSegmentMax", SLI_TYPES_REAL, unsorted_max),
};

SLI_OP_MODULE(segment);
