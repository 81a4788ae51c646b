// Only the accumulator references the sum while it grows, so the sum is updated in place; a take moves it out. The only
// copy of a step is that of the first gradient, if others still reference it. The gradient that completes a mean is
// added and the sum divided in one pass; in other cases the mean is computed after the unlock.
#include "ops/queue/accumulator.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/plant.h"
#include "core/state/resource.h"
#include "math/half.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"
#include "ops/common/waiter.h"

// The sum of the gradients so far. A sparse sum also counts the gradients of each row.
typedef struct {
  sli_tensor_t *values;  // NULL: no gradient yet
  sli_tensor_t *indices;
  int32_t *row_counts;
  int64_t count;
  bool is_mean;  // already divided by |count|
} gradient_sum_t;

struct sli_accumulator {
  sli_object_t base;
  sli_accumulator_spec_t spec;
  sli_arena_t arena;  // owns the arrays of |spec|
  char *name;
  sli_mutex_t mutex;
  // Guarded by |mutex|:
  gradient_sum_t sum;
  int64_t global_step, accepted, stale, quorum;
  sli_waiter_list_t takes;
};

typedef struct {
  sli_waiter_t waiter;
  int64_t required;
  gradient_sum_t sum;
  sli_accumulator_done_t done;
  void *user;
} take_t;

static void sum_deinitialize(gradient_sum_t *sum) {
  sli_tensor_release(sum->values);
  sli_tensor_release(sum->indices);
  free(sum->row_counts);
  *sum = (gradient_sum_t){0};
}

static void accumulator_destroy(sli_object_t *object) {
  sli_accumulator_t *accumulator = (sli_accumulator_t *)object;
  sum_deinitialize(&accumulator->sum);
  sli_arena_deinitialize(&accumulator->arena);
  sli_mutex_deinitialize(&accumulator->mutex);
  free(accumulator->name);
  free(accumulator);
}

static void accumulator_describe(sli_object_t *object, sli_resource_info_t *out_info) {
  sli_accumulator_info_t info = sli_accumulator_info((sli_accumulator_t *)object);
  out_info->kind = SLI_RESOURCE_ACCUMULATOR;
  out_info->accumulated = info.count;
  out_info->required = info.required;
  out_info->quorum = info.quorum;
  out_info->global_step = info.global_step;
  out_info->accepted = info.accepted;
  out_info->stale = info.stale;
}

static void accumulator_steer(sli_object_t *object, int64_t quorum) {
  sli_accumulator_set_quorum((sli_accumulator_t *)object, quorum);
}

static const sli_resource_watch_t accumulator_watch = {accumulator_describe, accumulator_steer};
const sli_object_type_t sli_accumulator_type = {"ConditionalAccumulator", accumulator_destroy, &accumulator_watch};

sli_accumulator_t *sli_accumulator_create(const sli_accumulator_spec_t *spec, sli_view_t name) {
  sli_accumulator_t *accumulator = sli_calloc(1, sizeof(*accumulator));
  sli_object_initialize(&accumulator->base, &sli_accumulator_type);
  sli_mutex_initialize(&accumulator->mutex);
  accumulator->spec = *spec;
  accumulator->spec.shape = sli_shape_copy(&accumulator->arena, spec->shape);
  accumulator->name = sli_strndup(name.data, name.size);
  return accumulator;
}

const sli_accumulator_spec_t *sli_accumulator_spec(const sli_accumulator_t *accumulator) { return &accumulator->spec; }

// --- Taking ---------------------------------------------------------------------------

// The number of gradients that the first waiting take needs; 0 if no take waits.
static int64_t wanted_locked(const sli_accumulator_t *accumulator) {
  const take_t *take = (const take_t *)accumulator->takes.first;
  if (!take) return 0;
  return accumulator->quorum > 0 ? accumulator->quorum : take->required;
}

static void serve_takes_locked(sli_accumulator_t *accumulator, sli_waiter_list_t *resolved) {
  while (accumulator->takes.first) {
    take_t *take = (take_t *)accumulator->takes.first;
    if (accumulator->sum.count < wanted_locked(accumulator) - SLI_PLANT("small_quorum")) return;
    take->sum = accumulator->sum;
    accumulator->sum = (gradient_sum_t){0};
    accumulator->global_step++;
    sli_waiter_resolve_locked(&take->waiter, NULL, resolved);
  }
}

static void take_cancelled_locked(sli_waiter_t *waiter, sli_waiter_list_t *resolved) {
  serve_takes_locked((sli_accumulator_t *)waiter->object, resolved);
}

// Divides |count| values in place by |divisor|.
static void divide(sli_dtype_t dtype, void *values, int64_t count, int64_t divisor) {
  union {
    float f;
    double d;
  } number;
  sli_half_t half;
  const void *by = &number;
  if (dtype == SLI_DTYPE_DOUBLE) {
    number.d = (double)divisor;
  } else if (dtype == SLI_DTYPE_FLOAT) {
    number.f = (float)divisor;
  } else {
    half = sli_half_from_float((float)divisor);
    by = &half;
  }
  sli_accumulate(SLI_ACCUMULATE_DIV, dtype, values, by, 0, count);
}

static void make_mean(const sli_accumulator_spec_t *spec, gradient_sum_t *sum) {
  if (!spec->is_sparse) {
    if (!sum->is_mean && sum->count > 1) divide(spec->dtype, sum->values->data, sum->values->count, sum->count);
    return;
  }
  int64_t rows = sum->indices->count, width = rows ? sum->values->count / rows : 0;
  for (int64_t i = 0; i < rows && width > 0; i++)
    divide(spec->dtype, sli_tensor_at(sum->values, i * width), width, sum->row_counts[i]);
}

// The shape output of a sparse take: the first dimension of the accumulator's shape, then the dimensions of a row.
static sli_tensor_t *shape_of(const sli_accumulator_spec_t *spec, const sli_tensor_t *values) {
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < values->rank; i++) dims[i] = values->dims[i];
  dims[0] = spec->shape.rank > 0 ? spec->shape.dims[0] : -1;
  return sli_tensor_vector_int64(dims, values->rank);
}

static void accumulator_take_done(sli_waiter_t *waiter, sli_status_t *status) {
  take_t *take = (take_t *)waiter;
  sli_accumulator_gradient_t sum = {0};
  if (!status) {
    const sli_accumulator_spec_t *spec = &((sli_accumulator_t *)waiter->object)->spec;
    if (spec->is_mean) make_mean(spec, &take->sum);
    sum.values = sli_tensor_retain(take->sum.values);
    if (spec->is_sparse) {
      sum.indices = sli_tensor_retain(take->sum.indices);
      sum.shape = shape_of(spec, take->sum.values);
    }
  }
  sum_deinitialize(&take->sum);
  take->done(take->user, status, &sum);
  free(take);
}

void sli_accumulator_take(sli_accumulator_t *accumulator, sli_cancellation_t *cancellation, int64_t required,
                          sli_accumulator_done_t done, void *user) {
  if (required <= 0) {
    done(user,
         sli_status_make(SLI_INVALID_ARGUMENT, "Argument num_required must be positive, but was %lld",
                         (long long)required),
         &(sli_accumulator_gradient_t){0});
    return;
  }
  take_t *take = sli_calloc(1, sizeof(*take));
  sli_waiter_initialize(&take->waiter, accumulator, &accumulator->mutex, cancellation);
  take->waiter.cancelled_locked = take_cancelled_locked;
  take->waiter.cancelled_text = "TakeGrad operation was cancelled";
  take->waiter.done = accumulator_take_done;
  take->required = required;
  take->done = done;
  take->user = user;
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&accumulator->mutex);
  sli_waiter_append_locked(&take->waiter, &accumulator->takes);
  serve_takes_locked(accumulator, &resolved);
  if (take->waiter.list) sli_waiter_park_locked(&take->waiter, &resolved);
  sli_mutex_unlock(&accumulator->mutex);
  sli_waiter_list_finish(&resolved);
}

// --- Dense gradients ------------------------------------------------------------------

static sli_status_t *gradient_shape_mismatch(sli_shape_t expected, const sli_tensor_t *have) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Shape mismatch: expected %s, got %s", sli_shape_text(expected).text,
                         sli_tensor_shape_text(have).text);
}

typedef struct {
  sli_dtype_t dtype;
  char *to;
  const char *from;
  int64_t divisor;  // divides the sum; 0: no division
} addition_t;

static void add_range(void *context, int64_t begin, int64_t end) {
  enum { TOGETHER = 4096 };  // so few that the sums are still in cache when they are divided
  const addition_t *a = context;
  for (; begin < end; begin += TOGETHER) {
    size_t offset = (size_t)begin * sli_dtype_size(a->dtype);
    int64_t count = end - begin < TOGETHER ? end - begin : TOGETHER;
    sli_accumulate(SLI_ACCUMULATE_ADD, a->dtype, a->to + offset, a->from + offset, 1, count);
    if (a->divisor) divide(a->dtype, a->to + offset, count, a->divisor);
  }
}

static sli_status_t *add_dense_locked(sli_accumulator_t *accumulator, sli_thread_pool_t *pool, sli_tensor_t *values) {
  gradient_sum_t *sum = &accumulator->sum;
  if (sum->count > 0 && !sli_tensor_same_shape(sum->values, values))
    return gradient_shape_mismatch(sli_tensor_shape(sum->values), values);
  if (!sli_shape_is_compatible(accumulator->spec.shape, sli_tensor_shape(values)))
    return gradient_shape_mismatch(accumulator->spec.shape, values);
  if (sum->count == 0 && sli_tensor_is_exclusive(values)) {
    sum->values = sli_tensor_retain(values);  // the kernel that passed it does not read it again
  } else if (sum->count == 0) {
    SLI_RETURN_IF_ERROR(sli_tensor_clone(values, &sum->values));
  } else {
    sum->is_mean = accumulator->spec.is_mean && sum->count + 1 == wanted_locked(accumulator);
    addition_t addition = {accumulator->spec.dtype, sum->values->data, values->data, sum->is_mean ? sum->count + 1 : 0};
    double cost = 0.04 * 3 * (double)sli_dtype_size(addition.dtype);  // memory-bound: reads two values, writes one
    sli_parallel_for(pool, values->count, cost, add_range, &addition);
  }
  sum->count++;
  return NULL;
}

// --- Slices -----------------------------------------------------------------------------

static sli_status_t *dim_mismatch(const char *what, int dim, int64_t expected, int64_t have) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Shape mismatch: expected %s dim %d to be %lld, got %lld", what, dim,
                         (long long)expected, (long long)have);
}

static sli_status_t *check_against_shape(const sli_accumulator_t *accumulator, const sli_accumulator_gradient_t *g) {
  sli_shape_t shape = accumulator->spec.shape;
  if (g->shape && shape.rank > g->shape->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape mismatch: expected shape rank at least %d, got %lld",
                           shape.rank, (long long)g->shape->count);
  for (int i = 0; g->shape && i < shape.rank; i++) {
    int64_t have = SLI_DATA(int64_t, g->shape)[i];
    if (shape.dims[i] != -1 && shape.dims[i] != have) return dim_mismatch("shape", i, shape.dims[i], have);
  }
  int64_t limit = shape.rank > 0 ? shape.dims[0] : -1;
  for (int64_t i = 0; i < g->indices->count; i++) {
    int64_t index = SLI_DATA(int64_t, g->indices)[i];
    if (index < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Shape mismatch: index of slice %lld is negative: %lld",
                             (long long)i, (long long)index);
    if (limit != -1 && index >= limit)
      return sli_status_make(
          SLI_INVALID_ARGUMENT,
          "Shape mismatch: index of slice %lld exceeded limits of shape; index is %lld exceeded %lld", (long long)i,
          (long long)index, (long long)limit);
  }
  return NULL;
}

static sli_status_t *check_slices_locked(const sli_accumulator_t *accumulator, const sli_accumulator_gradient_t *g) {
  if (g->indices->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input indices should be vector but received shape: %s",
                           sli_tensor_shape_text(g->indices).text);
  if (g->values->rank == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Values cannot be 0-dimensional.");
  if (g->values->dims[0] != g->indices->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected %lld non-empty input values, got %lld",
                           (long long)g->indices->count, (long long)g->values->dims[0]);
  SLI_RETURN_IF_ERROR(check_against_shape(accumulator, g));
  const sli_tensor_t *sum = accumulator->sum.values;
  sli_shape_t wanted = sum ? sli_tensor_shape(sum) : accumulator->spec.shape;
  if (sum && sum->rank != g->values->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape mismatch: expected values rank %d, got %d", sum->rank,
                           g->values->rank);
  if (wanted.rank > g->values->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape mismatch: expected values rank at least %d, got %d",
                           wanted.rank, g->values->rank);
  for (int i = 1; i < wanted.rank; i++) {
    if (wanted.dims[i] != -1 && wanted.dims[i] != g->values->dims[i])
      return dim_mismatch("values", i, wanted.dims[i], g->values->dims[i]);
  }
  return NULL;
}

// Merges two ascending lists of rows; a row that is in both is added up. If |to| is NULL, only counts the rows.
static int64_t merge_rows(const gradient_sum_t *sum, const sli_accumulator_gradient_t *g, int64_t width,
                          gradient_sum_t *to) {
  const int64_t *a = SLI_DATA(int64_t, sum->indices), *b = SLI_DATA(int64_t, g->indices);
  int64_t rows = 0, i = 0, j = 0, a_count = sum->indices->count, b_count = g->indices->count;
  sli_dtype_t dtype = (sli_dtype_t)g->values->dtype;
  for (; i < a_count || j < b_count; rows++) {
    bool from_a = j == b_count || (i < a_count && a[i] <= b[j]);
    bool from_b = i == a_count || (j < b_count && b[j] <= a[i]);
    if (to) {
      void *row = sli_tensor_at(to->values, rows * width);
      const void *first = from_a ? sli_tensor_at(sum->values, i * width) : sli_tensor_at(g->values, j * width);
      sli_elements_copy(dtype, row, first, width);
      if (from_a && from_b)
        sli_accumulate(SLI_ACCUMULATE_ADD, dtype, row, sli_tensor_at(g->values, j * width), 1, width);
      SLI_DATA(int64_t, to->indices)[rows] = from_a ? a[i] : b[j];
      to->row_counts[rows] = (from_a ? sum->row_counts[i] : 0) + from_b;
    }
    i += from_a;
    j += from_b;
  }
  return rows;
}

static sli_status_t *add_slices_locked(sli_accumulator_t *accumulator, const sli_accumulator_gradient_t *g) {
  SLI_RETURN_IF_ERROR(check_slices_locked(accumulator, g));
  gradient_sum_t *sum = &accumulator->sum, next = {.count = sum->count + 1};
  sli_tensor_t *none = NULL;
  gradient_sum_t empty = {0};
  if (sum->count == 0) {
    none = sli_tensor_vector_int64(NULL, 0);
    empty.indices = none;
  }
  const gradient_sum_t *old = none ? &empty : sum;
  int64_t dims[SLI_MAX_RANK];
  memcpy(dims, g->values->dims, g->values->rank * sizeof(*dims));
  int64_t width = sli_shape_product(dims, 1, g->values->rank);
  dims[0] = merge_rows(old, g, width, NULL);
  sli_status_t *status =
      sli_tensor_create(sli_allocator_cpu(), accumulator->spec.dtype, dims, g->values->rank, &next.values);
  if (!status) status = sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT64, dims, 1, &next.indices);
  if (!status) {
    next.row_counts = sli_malloc((size_t)(dims[0] + 1) * sizeof(*next.row_counts));
    merge_rows(old, g, width, &next);
    sum_deinitialize(sum);
    *sum = next;
  } else {
    sum_deinitialize(&next);
  }
  sli_tensor_release(none);
  return status;
}

// --- Calls --------------------------------------------------------------------------------

sli_status_t *sli_accumulator_apply(sli_accumulator_t *accumulator, sli_thread_pool_t *pool, int64_t local_step,
                                    const sli_accumulator_gradient_t *gradient) {
  sli_waiter_list_t resolved = {0};
  sli_status_t *status = NULL;
  sli_mutex_lock(&accumulator->mutex);
  int64_t before = accumulator->global_step;
  if (local_step < before)
    accumulator->stale++;
  else if (accumulator->spec.is_sparse)
    status = add_slices_locked(accumulator, gradient);
  else
    status = add_dense_locked(accumulator, pool, gradient->values);
  if (local_step >= before && !status) accumulator->accepted++;
  serve_takes_locked(accumulator, &resolved);
  sli_mutex_unlock(&accumulator->mutex);
  sli_waiter_list_finish(&resolved);
  return status;
}

int64_t sli_accumulator_count(sli_accumulator_t *accumulator) { return sli_accumulator_info(accumulator).count; }

void sli_accumulator_set_global_step(sli_accumulator_t *accumulator, int64_t step) {
  sli_mutex_lock(&accumulator->mutex);
  int64_t before = accumulator->global_step;
  accumulator->global_step = step;
  sli_mutex_unlock(&accumulator->mutex);
  if (step < before)
    SLI_WARNING(
        "Attempt to set current_global_step_ to smaller value: current_global_step_ = %lld >= %lld = "
        "new_global_step.",
        (long long)before, (long long)step);
}

sli_accumulator_info_t sli_accumulator_info(sli_accumulator_t *accumulator) {
  sli_mutex_lock(&accumulator->mutex);
  sli_accumulator_info_t info = {.count = accumulator->sum.count,
                                 .global_step = accumulator->global_step,
                                 .accepted = accumulator->accepted,
                                 .stale = accumulator->stale,
                                 .quorum = accumulator->quorum};
  if (accumulator->takes.first) info.required = ((take_t *)accumulator->takes.first)->required;
  sli_mutex_unlock(&accumulator->mutex);
  return info;
}

void sli_accumulator_set_quorum(sli_accumulator_t *accumulator, int64_t quorum) {
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&accumulator->mutex);
  accumulator->quorum = quorum;
  serve_takes_locked(accumulator, &resolved);
  sli_mutex_unlock(&accumulator->mutex);
  sli_waiter_list_finish(&resolved);
}
