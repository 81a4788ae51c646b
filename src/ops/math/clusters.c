// For k-means: NearestNeighbors finds the nearest centers of points; KmeansPlusPlusInitialization draws first centers
// in proportion to the squared distance from those drawn before (D. Arthur and S. Vassilvitskii, 2007);
// KMC2ChainInitialization is one Markov chain of an approximation to it (O. Bachem et al., 2016).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/gemm.h"
#include "math/philox.h"

static void half_squared_norms(const float *rows, int64_t count, int64_t width, float *out) {
  for (int64_t i = 0; i < count; i++) {
    float sum = 0;
    for (int64_t d = 0; d < width; d++) sum += rows[i * width + d] * rows[i * width + d];
    out[i] = 0.5f * sum;
  }
}

static sli_status_t *no_memory(void) {
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when allocating distances of points");
}

// --- NearestNeighbors ----------------------------------------------------------------------------------

enum { POINTS_AT_ONCE = 64 };

typedef struct {
  const float *points, *centers, *center_norms;
  int64_t point_count, center_count, width, k;
  int64_t *indices;
  float *distances;
  bool out_of_memory;
} neighbors_work_t;

// Keeps the k least of a row, in order; of equal ones the first.
static void select_nearest(const neighbors_work_t *work, const float *products, float norm, int64_t *indices,
                           float *distances) {
  int64_t kept = 0;
  for (int64_t j = 0; j < work->center_count; j++) {
    float value = work->center_norms[j] - products[j];
    if (kept == work->k && !(value < distances[kept - 1])) continue;
    int64_t at = kept < work->k ? kept++ : kept - 1;
    for (; at > 0 && value < distances[at - 1]; at--) {
      distances[at] = distances[at - 1];
      indices[at] = indices[at - 1];
    }
    distances[at] = value;
    indices[at] = j;
  }
  for (int64_t i = 0; i < kept; i++) distances[i] = 2 * (norm + distances[i]);
}

// Blocks [begin, end) of points.
static void find_range(void *context, int64_t begin, int64_t end) {
  neighbors_work_t *work = context;
  float *products = sli_malloc_or_null((size_t)(POINTS_AT_ONCE * (work->center_count + 1)) * sizeof(float));
  float *norms = products + POINTS_AT_ONCE * work->center_count;
  for (int64_t b = begin; b < end && products; b++) {
    int64_t first = b * POINTS_AT_ONCE, left = work->point_count - first;
    sli_gemm_t product = {.dtype = SLI_DTYPE_FLOAT,
                          .m = left < POINTS_AT_ONCE ? left : POINTS_AT_ONCE,
                          .n = work->center_count,
                          .k = work->width,
                          .transpose_b = true};
    const float *points = work->points + first * work->width;
    sli_status_t *status = sli_gemm(NULL, &product, points, work->centers, products);
    if (status) {
      sli_status_release(status);
      __atomic_store_n(&work->out_of_memory, true, __ATOMIC_RELAXED);
      break;
    }
    half_squared_norms(points, product.m, work->width, norms);
    for (int64_t i = 0; i < product.m; i++)
      select_nearest(work, products + i * work->center_count, norms[i], work->indices + (first + i) * work->k,
                     work->distances + (first + i) * work->k);
  }
  if (!products) __atomic_store_n(&work->out_of_memory, true, __ATOMIC_RELAXED);
  free(products);
}

static sli_status_t *nearest_neighbors(sli_kernel_context_t *context) {
  const sli_tensor_t *points = sli_kernel_input(context, 0), *centers = sli_kernel_input(context, 1);
  const sli_tensor_t *k = sli_kernel_input(context, 2);
  sli_tensor_t *indices, *distances;
  if (points->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "Input points should be a matrix.");
  if (centers->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "Input centers should be a matrix.");
  if (k->rank != 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Input k should be a scalar.");
  if (points->dims[0] <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Expected points.rows() > 0.");
  if (points->dims[1] != centers->dims[1])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected point_dimensions == center_dimensions: %lld vs %lld.",
                           (long long)points->dims[1], (long long)centers->dims[1]);
  int64_t wanted = *SLI_DATA(int64_t, k);
  if (wanted < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "k must be at least 0, got %lld", (long long)wanted);
  int64_t dims[] = {points->dims[0], wanted < centers->dims[0] ? wanted : centers->dims[0]};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){2, dims}, &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, (sli_shape_t){2, dims}, &distances));
  if (dims[1] == 0) return NULL;
  float *norms = sli_malloc_or_null((size_t)centers->dims[0] * sizeof(float));
  if (!norms) return no_memory();
  half_squared_norms(SLI_DATA(float, centers), centers->dims[0], centers->dims[1], norms);
  neighbors_work_t work = {.points = SLI_DATA(float, points),
                           .centers = SLI_DATA(float, centers),
                           .center_norms = norms,
                           .point_count = points->dims[0],
                           .center_count = centers->dims[0],
                           .width = points->dims[1],
                           .k = dims[1],
                           .indices = SLI_DATA(int64_t, indices),
                           .distances = SLI_DATA(float, distances)};
  double cost = (double)POINTS_AT_ONCE * (double)work.center_count * (2 + 0.1 * (double)work.width);
  sli_parallel_for(sli_kernel_pool(context), (work.point_count + POINTS_AT_ONCE - 1) / POINTS_AT_ONCE, cost, find_range,
                   &work);
  free(norms);
  return work.out_of_memory ? no_memory() : NULL;
}

// --- KmeansPlusPlusInitialization ----------------------------------------------------------------------

typedef struct {
  const float *points, *norms;
  int64_t count, width, drawn;
  float *nearest, *candidate, *best, *sums;  // half the squared distance to the nearest center; its running sum
  bool *taken;
  sli_philox_words_t words;
} seeding_t;

static uint64_t draw_below(sli_philox_words_t *words, uint64_t n) {
  uint64_t left_over = (n & (n - 1)) == 0 ? 0 : UINT64_MAX % n + 1, number;
  do {
    number = sli_philox_word(words);
    number |= (uint64_t)sli_philox_word(words) << 32;
  } while (number < left_over);
  return number % n;
}

// A point that was not drawn yet. INTERNAL if the distances leave none.
static sli_status_t *draw_point(seeding_t *s, int64_t *out_index) {
  if (s->drawn == 0) {
    *out_index = (int64_t)draw_below(&s->words, (uint64_t)s->count);
    return NULL;
  }
  for (int64_t tries = 0; tries < 1000 * s->count + 1000; tries++) {
    float at = sli_philox_to_float(sli_philox_word(&s->words)) * s->sums[s->count - 1];
    int64_t low = 0, high = s->count;  // the first sum above
    while (low < high) {
      int64_t middle = (low + high) / 2;
      if (at < s->sums[middle])
        high = middle;
      else
        low = middle + 1;
    }
    if (low < s->count && s->taken[low]) continue;
    *out_index = low < s->count ? low : s->count - 1;
    return NULL;
  }
  return sli_status_make(SLI_INTERNAL, "No point is left at a distance from the %lld centers drawn so far",
                         (long long)s->drawn);
}

// The distances with |index| as a further center; returns their sum.
static float measure(const seeding_t *s, int64_t index, float *out) {
  const float *center = s->points + index * s->width;
  float sum = 0;
  for (int64_t i = 0; i < s->count; i++) {
    float product = 0;
    for (int64_t d = 0; d < s->width; d++) product += s->points[i * s->width + d] * center[d];
    float distance = s->norms[i] - product + s->norms[index];
    out[i] = distance < s->nearest[i] ? distance : s->nearest[i];
    sum += out[i];
  }
  return sum;
}

static sli_status_t *draw_best(seeding_t *s, int64_t retries, int64_t *out_index) {
  float least = INFINITY;
  *out_index = 0;
  for (int64_t i = 0; i <= retries; i++) {
    int64_t index = 0;
    SLI_RETURN_IF_ERROR(draw_point(s, &index));
    float sum = measure(s, index, s->candidate);
    if (retries > 0 && !(sum < least)) continue;
    float *kept = s->best;
    s->best = s->candidate;
    s->candidate = kept;
    least = sum;
    *out_index = index;
  }
  float *kept = s->nearest;
  s->nearest = s->best;
  s->best = kept;
  return NULL;
}

static sli_status_t *check_seeding(sli_kernel_context_t *context) {
  static const char *const names[] = {"", "num_to_sample", "seed", "num_retries_per_sample"};
  const sli_tensor_t *points = sli_kernel_input(context, 0);
  if (points->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "Input points should be a matrix.");
  for (int i = 1; i < 4; i++)
    if (sli_kernel_input(context, i)->rank != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Input %s should be a scalar.", names[i]);
  int64_t count = *SLI_DATA(int64_t, sli_kernel_input(context, 1));
  if (points->dims[0] <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Expected points.rows() > 0.");
  if (count <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Expected num_to_sample > 0.");
  if (count > points->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected num_to_sample <= points.rows(). %lld vs %lld.",
                           (long long)count, (long long)points->dims[0]);
  return NULL;
}

static sli_status_t *kmeans_plus_plus(sli_kernel_context_t *context) {
  SLI_RETURN_IF_ERROR(check_seeding(context));
  const sli_tensor_t *points = sli_kernel_input(context, 0);
  int64_t count = points->dims[0], width = points->dims[1], wanted = *SLI_DATA(int64_t, sli_kernel_input(context, 1));
  int64_t retries = *SLI_DATA(int64_t, sli_kernel_input(context, 3));
  if (retries < 0) retries = 2 + (int64_t)log((double)wanted);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(wanted, width), &output));
  float *memory = sli_malloc_or_null((size_t)(5 * count) * sizeof(float));
  bool *taken = sli_malloc_or_null((size_t)count * sizeof(bool));
  sli_status_t *status = memory && taken ? NULL : no_memory();
  if (!status) {
    uint64_t seed = *SLI_DATA(uint64_t, sli_kernel_input(context, 2));
    seeding_t s = {.points = SLI_DATA(float, points),
                   .norms = memory,
                   .count = count,
                   .width = width,
                   .nearest = memory + count,
                   .candidate = memory + 2 * count,
                   .best = memory + 3 * count,
                   .sums = memory + 4 * count,
                   .taken = taken,
                   .words = sli_philox_words(sli_philox_from_seeds(seed, 0))};
    memset(taken, 0, (size_t)count * sizeof(bool));
    half_squared_norms(s.points, count, width, memory);
    for (int64_t i = 0; i < count; i++) s.nearest[i] = INFINITY;
    for (; s.drawn < wanted && !status; s.drawn++) {
      float sum = 0;
      for (int64_t i = 0; i < count && s.drawn; i++) s.sums[i] = sum += s.nearest[i];
      int64_t index;
      status = draw_best(&s, retries, &index);
      if (status) break;
      s.taken[index] = true;
      memcpy(SLI_DATA(float, output) + s.drawn * width, s.points + index * width, (size_t)width * sizeof(float));
    }
  }
  free(memory);
  free(taken);
  return status;
}

// --- KMC2ChainInitialization ---------------------------------------------------------------------------

static sli_status_t *kmc2_chain(sli_kernel_context_t *context) {
  const sli_tensor_t *distances = sli_kernel_input(context, 0), *seed = sli_kernel_input(context, 1);
  if (distances->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "Input distances should be a vector.");
  if (seed->rank != 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Input seed should be a scalar.");
  if (distances->count <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Expected distances_tensor.size() > 0.");
  sli_philox_words_t words = sli_philox_words(sli_philox_from_seeds(*SLI_DATA(uint64_t, seed), 0));
  const float *values = SLI_DATA(float, distances);
  int64_t selected = 0;
  for (int64_t i = 1; i < distances->count; i++)
    if (values[i] > sli_philox_to_float(sli_philox_word(&words)) * values[selected]) selected = i;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  *SLI_DATA(int64_t, output) = selected;
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "NearestNeighbors",
     .inputs = "points: float, centers: float, k: int64",
     .outputs = "nearest_center_indices: int64, nearest_center_distances: float",
     .shape = sli_infer_fn_unknown},
    {.name = "KmeansPlusPlusInitialization",
     .inputs = "points: float, num_to_sample: int64, seed: int64, num_retries_per_sample: int64",
     .outputs = "samples: float",
     .shape = sli_infer_fn_unknown},
    {.name = "KMC2ChainInitialization",
     .inputs = "distances: float, seed: int64",
     .outputs = "index: int64",
     .shape = sli_infer_fn_scalar},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "NearestNeighbors", .compute = nearest_neighbors, .expensive = true, .cost = 10},
    {.op = "KmeansPlusPlusInitialization", .compute = kmeans_plus_plus, .expensive = true, .cost = 50},
    {.op = "KMC2ChainInitialization", .compute = kmc2_chain},
};

SLI_OP_MODULE(clusters);
