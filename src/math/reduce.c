// Reductions of every type over any set of dimensions.
//
// Adjacent axes that are both kept or both reduced are merged into groups, so that kept and reduced groups alternate.
// If the last group is reduced, rows are folded to one value; if it is kept, rows are added to each other, a strip of
// columns at a time. Floats are summed in double: the result does not depend on the order.
#include "math/reduce.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "math/elementwise.h"
#include "math/half.h"
#include "math/simd.h"

enum { STRIP = 128, MAX_GROUPS = SLI_MAX_RANK + 1 };

// A reduction of one type. Accumulators are |size| bytes each.
typedef struct {
  size_t size;
  void (*start)(void *acc, int64_t n);                       // n neutral values
  void (*fold)(void *acc, const void *in, int64_t n);        // adds n values to acc[0]
  void (*accumulate)(void *acc, const void *in, int64_t n);  // adds in[i] to acc[i]
  void (*merge)(void *acc, const void *other);               // adds another accumulator to acc[0]
  void (*finish)(const void *acc, void *out, int64_t n, int64_t reduced);
} reducer_t;

// Sixteen independent lanes let the compiler use vector registers without reordering anything.
#define REDUCER_FOLD(attribute, name, T, A, neutral)                                              \
  attribute static void name##_fold(void *acc, const void *in, int64_t n) {                       \
    const T *data = in;                                                                           \
    A lanes[16], a = *(A *)acc;                                                                   \
    int64_t i = 0;                                                                                \
    for (int j = 0; j < 16; j++) lanes[j] = (A)(neutral);                                         \
    for (; i + 16 <= n; i += 16)                                                                  \
      for (int j = 0; j < 16; j++) lanes[j] = name##_combine(lanes[j], name##_term(data[i + j])); \
    for (int j = 0; j < 16; j++) a = name##_combine(a, lanes[j]);                                 \
    for (; i < n; i++) a = name##_combine(a, name##_term(data[i]));                               \
    *(A *)acc = a;                                                                                \
  }
#define REDUCER_ACCUMULATE(attribute, name, T, A)                                            \
  attribute static void name##_accumulate(void *acc, const void *in, int64_t n) {            \
    A *restrict sums = acc;                                                                  \
    const T *restrict data = in;                                                             \
    for (int64_t i = 0; i < n; i++) sums[i] = name##_combine(sums[i], name##_term(data[i])); \
  }
// |term| is what an element v adds, |combine| adds x to the accumulator a, |result| makes an output of a.
#define REDUCER_OF(attribute, name, T, A, term, neutral, combine, result)                                              \
  static inline A name##_term(T v) { return (A)(term); }                                                               \
  static inline A name##_combine(A a, A x) { return (A)(combine); }                                                    \
  static void name##_start(void *acc, int64_t n) {                                                                     \
    for (int64_t i = 0; i < n; i++) ((A *)acc)[i] = (A)(neutral);                                                      \
  }                                                                                                                    \
  REDUCER_FOLD(attribute, name, T, A, neutral)                                                                         \
  REDUCER_ACCUMULATE(attribute, name, T, A)                                                                            \
  static void name##_merge(void *acc, const void *other) { *(A *)acc = name##_combine(*(A *)acc, *(const A *)other); } \
  static void name##_finish(const void *acc, void *out, int64_t n, int64_t reduced) {                                  \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      A a = ((const A *)acc)[i];                                                                                       \
      ((T *)out)[i] = (T)(result);                                                                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  static const reducer_t name##_reducer = {sizeof(A),         name##_start, name##_fold,                               \
                                           name##_accumulate, name##_merge, name##_finish};

#define REDUCER(attribute, name, T, A, neutral, combine, result) \
  REDUCER_OF(attribute, name, T, A, v, neutral, combine, result)

#define FLOATING(op, neutral, combine, result)                           \
  REDUCER(SLI_SIMD, op##_float, float, double, neutral, combine, result) \
  REDUCER(SLI_SIMD, op##_double, double, double, neutral, combine, result)
#define COMPLEX(op, neutral, combine, result)                                        \
  REDUCER(, op##_complex64, float complex, double complex, neutral, combine, result) \
  REDUCER(, op##_complex128, double complex, double complex, neutral, combine, result)
// Integers are summed as unsigned, which wraps.
#define SUM_INTEGER(T, name, dtype, U) REDUCER(, sum_##name, T, U, 0, a + x, a)
#define PROD_INTEGER(T, name, dtype, U) REDUCER(, prod_##name, T, U, 1, a *x, a)
FLOATING(sum, 0, a + x, a)
COMPLEX(sum, 0, a + x, a)
SLI_ELEMENTWISE_FOR_INTEGER(SUM_INTEGER)
FLOATING(prod, 1, a *x, a)
COMPLEX(prod, 1, a *x, a)
SLI_ELEMENTWISE_FOR_INTEGER(PROD_INTEGER)
FLOATING(mean, 0, a + x, a / (double)reduced)
COMPLEX(mean, 0, a + x, reduced ? a / (double)reduced : 0)

// An integer mean divides by the count converted to the type, or by 1 if that is 0.
#define DIVISOR(T) ((T)reduced ? (T)reduced : (T)1)
#define MEAN_SIGNED(T, name, dtype, U) \
  REDUCER(, mean_##name, T, U, 0, a + x, (T)reduced == (T)-1 ? (T)((U)0 - a) : (T)((T)a / DIVISOR(T)))
#define MEAN_UNSIGNED(T, name, dtype, U) REDUCER(, mean_##name, T, U, 0, a + x, (T)a / DIVISOR(T))
SLI_ELEMENTWISE_FOR_SIGNED(MEAN_SIGNED)
SLI_ELEMENTWISE_FOR_UNSIGNED(MEAN_UNSIGNED)

// The root of the sum of squared magnitudes.
#define NORM_INTEGER(T, name, dtype, U) REDUCER_OF(, norm_##name, T, double, (double)v *(double)v, 0, a + x, sqrt(a))
REDUCER_OF(SLI_SIMD, norm_float, float, double, (double)v *v, 0, a + x, sqrt(a))
REDUCER_OF(SLI_SIMD, norm_double, double, double, v *v, 0, a + x, sqrt(a))
REDUCER_OF(, norm_complex64, float complex, double, creal(v *conjf(v)), 0, a + x, sqrt(a))
REDUCER_OF(, norm_complex128, double complex, double, creal(v *conj(v)), 0, a + x, sqrt(a))
SLI_ELEMENTWISE_FOR_INTEGER(NORM_INTEGER)

// Written so that the result is NaN if there is one: no comparison holds for it.
REDUCER(SLI_SIMD, max_float, float, float, -INFINITY, a >= x || a != a ? a : x, a)
REDUCER(SLI_SIMD, max_double, double, double, -INFINITY, a >= x || a != a ? a : x, a)
REDUCER(SLI_SIMD, min_float, float, float, INFINITY, a <= x || a != a ? a : x, a)
REDUCER(SLI_SIMD, min_double, double, double, INFINITY, a <= x || a != a ? a : x, a)
// The least value of a signed type: only the sign bit is set.
#define LEAST(T) ((T)((uint64_t)1 << (sizeof(T) * 8 - 1)))
#define MAX_SIGNED(T, name, dtype, U) REDUCER(, max_##name, T, T, LEAST(T), a > x ? a : x, a)
#define MIN_SIGNED(T, name, dtype, U) REDUCER(, min_##name, T, T, ~LEAST(T), a < x ? a : x, a)
#define MAX_UNSIGNED(T, name, dtype, U) REDUCER(, max_##name, T, T, 0, a > x ? a : x, a)
#define MIN_UNSIGNED(T, name, dtype, U) REDUCER(, min_##name, T, T, ~(T)0, a < x ? a : x, a)
SLI_ELEMENTWISE_FOR_SIGNED(MAX_SIGNED)
SLI_ELEMENTWISE_FOR_SIGNED(MIN_SIGNED)
SLI_ELEMENTWISE_FOR_UNSIGNED(MAX_UNSIGNED)
SLI_ELEMENTWISE_FOR_UNSIGNED(MIN_UNSIGNED)
REDUCER(, all_bool, bool, bool, true, a &&x, a)
REDUCER(, any_bool, bool, bool, false, a || x, a)

#define REAL_ROWS(op)                                                                 \
  [SLI_DTYPE_FLOAT] = &op##_float_reducer, [SLI_DTYPE_DOUBLE] = &op##_double_reducer, \
  [SLI_DTYPE_INT8] = &op##_int8_reducer, [SLI_DTYPE_INT16] = &op##_int16_reducer,     \
  [SLI_DTYPE_INT32] = &op##_int32_reducer, [SLI_DTYPE_INT64] = &op##_int64_reducer,   \
  [SLI_DTYPE_UINT8] = &op##_uint8_reducer, [SLI_DTYPE_UINT16] = &op##_uint16_reducer, \
  [SLI_DTYPE_UINT32] = &op##_uint32_reducer, [SLI_DTYPE_UINT64] = &op##_uint64_reducer
#define COMPLEX_ROWS(op) \
  [SLI_DTYPE_COMPLEX64] = &op##_complex64_reducer, [SLI_DTYPE_COMPLEX128] = &op##_complex128_reducer
static const reducer_t *const reducers[][SLI_DTYPE_UINT64 + 1] = {
    [SLI_REDUCE_SUM] = {REAL_ROWS(sum), COMPLEX_ROWS(sum)},
    [SLI_REDUCE_PROD] = {REAL_ROWS(prod), COMPLEX_ROWS(prod)},
    [SLI_REDUCE_MEAN] = {REAL_ROWS(mean), COMPLEX_ROWS(mean)},
    [SLI_REDUCE_NORM] = {REAL_ROWS(norm), COMPLEX_ROWS(norm)},
    [SLI_REDUCE_MAX] = {REAL_ROWS(max)},
    [SLI_REDUCE_MIN] = {REAL_ROWS(min)},
    [SLI_REDUCE_ALL] = {[SLI_DTYPE_BOOL] = &all_bool_reducer},
    [SLI_REDUCE_ANY] = {[SLI_DTYPE_BOOL] = &any_bool_reducer},
};

// One reduction. Kept and reduced groups alternate.
typedef struct {
  const reducer_t *reducer;
  sli_dtype_t narrow;  // HALF, BFLOAT16: rows are widened to float
  size_t size;         // of an element
  const char *in;
  char *out;
  int groups;
  int64_t dims[MAX_GROUPS], strides[MAX_GROUPS];  // strides in elements of the input
  bool reduced[MAX_GROUPS];
  int64_t outputs, reduced_count;
  int64_t inner;   // length of the last group
  int64_t strips;  // strips of a kept row
} reduce_work_t;

// The offset of index |index| over the groups that are reduced (or that are kept), without the last group.
static int64_t offset_of(const reduce_work_t *work, int64_t index, bool reduced) {
  int64_t offset = 0;
  for (int g = work->groups - 2; g >= 0; g--) {
    if (work->reduced[g] != reduced) continue;
    offset += index % work->dims[g] * work->strides[g];
    index /= work->dims[g];
  }
  return offset;
}

static const void *widen_row(const reduce_work_t *work, const char *in, float *buffer, int64_t n) {
  if (!work->narrow) return in;
  sli_half_widen(work->narrow, in, buffer, n);
  return buffer;
}

static void finish_outputs(const reduce_work_t *work, const void *acc, int64_t first, int64_t n) {
  char *out = work->out + (size_t)first * work->size;
  if (!work->narrow) {
    work->reducer->finish(acc, out, n, work->reduced_count);
    return;
  }
  float wide[STRIP];
  work->reducer->finish(acc, wide, n, work->reduced_count);
  sli_half_narrow(work->narrow, wide, out, n);
}

static void fold_run(const reduce_work_t *work, void *acc, const char *in, int64_t n) {
  if (!work->narrow) {
    work->reducer->fold(acc, in, n);
    return;
  }
  float buffer[STRIP];
  for (int64_t i = 0; i < n; i += STRIP) {
    int64_t m = n - i < STRIP ? n - i : STRIP;
    work->reducer->fold(acc, widen_row(work, in + (size_t)i * work->size, buffer, m), m);
  }
}

// If the last group is reduced: computes outputs [begin, end), each from rows.
static void reduce_rows(void *context, int64_t begin, int64_t end) {
  const reduce_work_t *work = context;
  int64_t rows = work->reduced_count / work->inner;
  for (int64_t o = begin; o < end; o++) {
    _Alignas(16) char acc[16];
    int64_t base = offset_of(work, o, false);
    work->reducer->start(acc, 1);
    for (int64_t r = 0; r < rows; r++)
      fold_run(work, acc, work->in + (size_t)(base + offset_of(work, r, true)) * work->size, work->inner);
    finish_outputs(work, acc, o, 1);
  }
}

// If the last group is kept: computes units [begin, end), which are strips of columns of each kept row.
static void reduce_columns(void *context, int64_t begin, int64_t end) {
  const reduce_work_t *work = context;
  for (int64_t u = begin; u < end; u++) {
    int64_t row = u / work->strips, column = u % work->strips * STRIP;
    int64_t n = work->inner - column < STRIP ? work->inner - column : STRIP;
    int64_t base = offset_of(work, row, false) + column;
    _Alignas(16) char acc[STRIP * 16];
    float buffer[STRIP];
    work->reducer->start(acc, n);
    for (int64_t r = 0; r < work->reduced_count; r++) {
      const char *in = work->in + (size_t)(base + offset_of(work, r, true)) * work->size;
      work->reducer->accumulate(acc, widen_row(work, in, buffer, n), n);
    }
    finish_outputs(work, acc, row * work->inner + column, n);
  }
}

// If everything is reduced to one value: threads fold parts, which are merged at the end.
typedef struct {
  const reduce_work_t *work;
  int64_t part;
  char *accs;
} parts_t;

static void reduce_parts(void *context, int64_t begin, int64_t end) {
  const parts_t *parts = context;
  const reduce_work_t *work = parts->work;
  for (int64_t p = begin; p < end; p++) {
    int64_t first = p * parts->part, n = work->inner - first < parts->part ? work->inner - first : parts->part;
    fold_run(work, parts->accs + (size_t)p * 16, work->in + (size_t)first * work->size, n);
  }
}

static void plan_groups(reduce_work_t *work, const sli_tensor_t *input, const bool *reduced) {
  work->groups = 0;
  work->reduced_count = work->outputs = 1;
  for (int d = 0; d < input->rank; d++) {
    if (reduced[d])
      work->reduced_count *= input->dims[d];
    else
      work->outputs *= input->dims[d];
    if (input->dims[d] == 1) continue;
    if (work->groups && work->reduced[work->groups - 1] == reduced[d]) {
      work->dims[work->groups - 1] *= input->dims[d];
    } else {
      work->reduced[work->groups] = reduced[d];
      work->dims[work->groups++] = input->dims[d];
    }
  }
  if (work->groups == 0) {
    work->reduced[0] = true;
    work->dims[work->groups++] = 1;
  }
  int64_t stride = 1;
  for (int g = work->groups - 1; g >= 0; g--) {
    work->strides[g] = stride;
    stride *= work->dims[g];
  }
  work->inner = work->dims[work->groups - 1];
}

static void fill_neutral(const reduce_work_t *work, int64_t count) {
  for (int64_t o = 0; o < count; o += STRIP) {
    _Alignas(16) char acc[STRIP * 16];
    int64_t n = count - o < STRIP ? count - o : STRIP;
    work->reducer->start(acc, n);
    finish_outputs(work, acc, o, n);
  }
}

static void reduce_all(sli_thread_pool_t *pool, reduce_work_t *work) {
  enum { PART = 65536 };
  if (!work->reduced[work->groups - 1]) {
    work->strips = (work->inner + STRIP - 1) / STRIP;
    int64_t width = work->inner < STRIP ? work->inner : STRIP;
    sli_parallel_for(pool, work->outputs / work->inner * work->strips,
                     (double)work->reduced_count * (2 + 0.3 * (double)width), reduce_columns, work);
  } else if (work->groups == 1 && work->inner > 2 * PART) {
    parts_t parts = {work, PART, NULL};
    int64_t count = (work->inner + PART - 1) / PART;
    parts.accs = sli_malloc((size_t)count * 16);
    for (int64_t p = 0; p < count; p++) work->reducer->start(parts.accs + p * 16, 1);
    sli_parallel_for(pool, count, PART * 0.3, reduce_parts, &parts);
    for (int64_t p = 1; p < count; p++) work->reducer->merge(parts.accs, parts.accs + p * 16);
    finish_outputs(work, parts.accs, 0, 1);
    free(parts.accs);
  } else {
    sli_parallel_for(pool, work->outputs, 5 + 0.4 * (double)work->reduced_count, reduce_rows, work);
  }
}

sli_status_t *sli_reduce(sli_kernel_context_t *context, sli_reduce_kind_t kind, const bool *reduced, bool keep_dims) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  sli_dtype_t dtype = (sli_dtype_t)input->dtype;
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  for (int d = 0; d < input->rank; d++) {
    if (!reduced[d])
      dims[rank++] = input->dims[d];
    else if (keep_dims)
      dims[rank++] = 1;
  }
  reduce_work_t work = {.reducer = reducers[kind][dtype], .size = sli_dtype_size(dtype), .in = input->data};
  if (!work.reducer) {
    work.narrow = dtype;
    work.reducer = reducers[kind][SLI_DTYPE_FLOAT];
  }
  if (input->count == 0) {  // neutral values, or 0/0
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
    work.out = output->data;
    fill_neutral(&work, output->count);
    return NULL;
  }
  plan_groups(&work, input, reduced);
  if (kind != SLI_REDUCE_NORM && work.groups == 1 &&
      (!work.reduced[0] || work.dims[0] == 1)) {  // no element is added to another
    sli_kernel_set_output_reshaped(context, 0, 0, (sli_shape_t){rank, dims});
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  work.out = output->data;
  reduce_all(sli_kernel_pool(context), &work);
  return NULL;
}
