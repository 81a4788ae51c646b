// Plans (factors, tables of roots of unity), their cache, and passes over an array: the lines of one dimension, several
// at once. fft_stages.inc has the arithmetic.
#include "math/fft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sync.h"
#include "math/simd.h"

enum {
  MOST_RADICES = 64,
  LARGEST_RADIX = 31,
  MOST_LANES = 16,
  SKEW = 40,               // elements between arrays, so that equal places of them do not share a line of the cache
  CACHE_SIZE = 16,         // plans
  MOST_CACHED = 1 << 21,   // elements of all cached plans
  BLOCK_BYTES = 24 << 10,  // of the lines that are transformed at once: they stay in the first cache
};

typedef struct sli_fft_plan sli_fft_plan_t;
struct sli_fft_plan {
  sli_refcount_t references;
  int64_t n, room;  // the room that a transform needs for each line, in elements
  bool is_double;
  int64_t radices[MOST_RADICES];
  int radix_count;
  void *twiddles, *roots;
  // Bluestein's: a convolution with a chirp, of the length of another plan. NULL: none.
  sli_fft_plan_t *inner;
  void *chirp, *filter;
};

static sli_status_t *no_memory(void) {
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when allocating memory of a Fourier transform");
}

static void *allocate(int64_t count, size_t size) {
  size_t bytes;
  if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes)) return NULL;
  return sli_malloc_or_null(bytes ? bytes : 1);
}
static void *allocate_zeros(int64_t count, size_t size) {
  void *memory = allocate(count, size);
  if (memory) memset(memory, 0, (size_t)count * size);
  return memory;
}

// exp(-2 π i k / n), 0 <= k < n: exact where the result is, by symmetry otherwise as exact as sin and cos below π/4.
static void root_of_unity(int64_t k, int64_t n, double *out_re, double *out_im) {
  bool conjugate = 2 * k > n;
  if (conjugate) k = n - k;
  bool mirrored = 4 * k > n;
  double x = mirrored ? (double)(n - 2 * k) : 2.0 * (double)k;  // the angle is π x / n, at most π/2
  bool exchanged = 2 * x > (double)n / 2;
  double angle = exchanged ? M_PI * ((double)n / 2 - x) / (double)n : M_PI * x / (double)n;
  double re = exchanged ? sin(angle) : cos(angle), im = exchanged ? cos(angle) : sin(angle);
  *out_re = mirrored ? -re : re;
  *out_im = conjugate ? im : -im;
}

// One pass: every line of one dimension.
typedef enum { PASS_COMPLEX, PASS_REAL, PASS_REAL_INVERSE } pass_kind_t;
typedef struct {
  pass_kind_t kind;
  const sli_fft_plan_t *plan;  // of n, or n / 2 for real lines of even length
  int64_t n, inner;            // length; distance of the elements of a line
  bool inverse, out_of_memory;
  const void *in;
  void *out;
  const void *turn;  // exp(-2 π i k / n), k <= n / 2, for real passes
  int64_t lanes;     // lines at once, at most
  // Where lines are: the dims before this one, of input and output, in elements; real passes only.
  int rank;
  int64_t counts[SLI_FFT_MAX_RANK], in_strides[SLI_FFT_MAX_RANK], out_strides[SLI_FFT_MAX_RANK];
} pass_t;

// The next block of lines from |begin| on; returns how many.
static int64_t describe_block(const pass_t *pass, int64_t begin, int64_t end, int64_t *in_offsets,
                              int64_t *out_offsets) {
  int64_t lanes = end - begin < pass->lanes ? end - begin : pass->lanes;
  if (pass->kind == PASS_COMPLEX) {
    if (pass->inner > 1) {  // neighbours only
      int64_t left = pass->inner - begin % pass->inner;
      if (left < lanes) lanes = left;
    }
    for (int64_t l = 0; l < lanes; l++) {
      int64_t line = begin + l;
      in_offsets[l] = out_offsets[l] = line / pass->inner * pass->n * pass->inner + line % pass->inner;
    }
    return lanes;
  }
  for (int64_t l = 0; l < lanes; l++) {
    int64_t rest = begin + l;
    in_offsets[l] = out_offsets[l] = 0;
    for (int d = pass->rank - 1; d >= 0; d--) {
      int64_t at = rest % pass->counts[d];
      rest /= pass->counts[d];
      in_offsets[l] += at * pass->in_strides[d];
      out_offsets[l] += at * pass->out_strides[d];
    }
  }
  return lanes;
}

#define T float
#define NAME(x) x##_float
#include "math/fft_stages.inc"
#define T double
#define NAME(x) x##_double
#include "math/fft_stages.inc"

static void plan_release(sli_fft_plan_t *plan) {
  if (!plan || !sli_refcount_release(&plan->references)) return;
  plan_release(plan->inner);
  free(plan->twiddles);
  free(plan->roots);
  free(plan->chirp);
  free(plan->filter);
  free(plan);
}

// Splits |n| into radices; returns false if a factor is too large.
static bool factor(int64_t n, int64_t *radices, int *out_count, int64_t largest) {
  int count = 0;
  static const int64_t first[] = {4, 2, 3, 5};
  for (int i = 0; i < 4; i++)
    for (; n % first[i] == 0 && n > 1; n /= first[i]) radices[count++] = first[i];
  for (int64_t p = 7; p <= largest; p += 2)
    for (; n % p == 0; n /= p) radices[count++] = p;
  *out_count = count;
  return n == 1;
}

// A product of 2, 3 and 5 that is at least |n|: a power of two, or another that is much less, since its stages cost
// more.
static int64_t smooth_length(int64_t n) {
  int64_t best = 1;
  while (best < n) best *= 2;
  if (best < n + n / 4) return best;
  for (int64_t fives = 1; fives < best; fives *= 5) {
    for (int64_t threes = fives; threes < best; threes *= 3) {
      int64_t length = threes;
      while (length < n) length *= 2;
      if (length < best) best = length;
    }
  }
  return best;
}

static sli_status_t *plan_make(int64_t n, bool is_double, sli_fft_plan_t **out_plan) {
  size_t size = is_double ? sizeof(double) : sizeof(float);
  sli_fft_plan_t *plan = sli_calloc(1, sizeof(*plan));
  *out_plan = NULL;
  sli_refcount_initialize(&plan->references);
  plan->n = plan->room = n;
  plan->is_double = is_double;
  sli_status_t *status = NULL;
  if (factor(n, plan->radices, &plan->radix_count, LARGEST_RADIX)) {
    int64_t roots = 0, twiddles = 0;
    for (int i = 0, stage = 0; i < plan->radix_count; i++, stage++) {
      if (plan->radices[i] > 5) roots += 2 * plan->radices[i];
    }
    for (int64_t i = 0, m = n; i < plan->radix_count; i++) {
      m /= plan->radices[i];
      twiddles += (plan->radices[i] - 1) * 2 * m;
    }
    plan->twiddles = allocate(twiddles, size);
    plan->roots = allocate(roots, size);
    if (!plan->twiddles || !plan->roots)
      status = no_memory();
    else if (is_double)
      fill_twiddles_double(plan, plan->twiddles, plan->roots);
    else
      fill_twiddles_float(plan, plan->twiddles, plan->roots);
  } else {
    plan->radix_count = 0;
    status = plan_make(smooth_length(2 * n - 1), is_double, &plan->inner);
    if (!status) {
      plan->room = plan->inner->n;
      plan->chirp = allocate(2 * n, size);
      plan->filter = allocate(2 * plan->room, size);
      if (!plan->chirp || !plan->filter)
        status = no_memory();
      else
        status = is_double ? fill_chirp_double(plan, plan->chirp, plan->filter)
                           : fill_chirp_float(plan, plan->chirp, plan->filter);
    }
  }
  if (status) {
    plan_release(plan);
    return status;
  }
  *out_plan = plan;
  return NULL;
}

// The plans that were used last, the newest first.
static sli_mutex_t cache_mutex = SLI_MUTEX_INITIALIZER;
static sli_fft_plan_t *cache[CACHE_SIZE];  // under cache_mutex
static int64_t cached_elements;            // under cache_mutex

// Makes place for a plan of |room| elements: the oldest leave.
static void evict_locked(int64_t room, sli_fft_plan_t **out_evicted, int *out_count) {
  for (int i = CACHE_SIZE - 1; i >= 0; i--) {
    if (!cache[i]) continue;
    if (i < CACHE_SIZE - 1 && cached_elements + room <= MOST_CACHED) return;
    cached_elements -= cache[i]->room;
    out_evicted[(*out_count)++] = cache[i];
    cache[i] = NULL;
  }
}

// A new reference to the cached plan at |index|, which becomes the first.
static sli_fft_plan_t *use_cached_locked(int index) {
  sli_fft_plan_t *plan = cache[index];
  memmove(cache + 1, cache, (size_t)index * sizeof(*cache));
  cache[0] = plan;
  sli_refcount_retain(&plan->references);
  return plan;
}

static sli_status_t *plan_find(int64_t n, bool is_double, sli_fft_plan_t **out_plan) {
  *out_plan = NULL;
  sli_mutex_lock(&cache_mutex);
  for (int i = 0; i < CACHE_SIZE && cache[i] && !*out_plan; i++)
    if (cache[i]->n == n && cache[i]->is_double == is_double) *out_plan = use_cached_locked(i);
  sli_mutex_unlock(&cache_mutex);
  if (*out_plan) return NULL;
  SLI_RETURN_IF_ERROR(plan_make(n, is_double, out_plan));
  if ((*out_plan)->room > MOST_CACHED) return NULL;
  sli_refcount_retain(&(*out_plan)->references);
  sli_fft_plan_t *evicted[CACHE_SIZE];
  int evicted_count = 0;
  sli_mutex_lock(&cache_mutex);
  evict_locked((*out_plan)->room, evicted, &evicted_count);
  memmove(cache + 1, cache, (CACHE_SIZE - 1) * sizeof(*cache));
  cache[0] = *out_plan;
  cached_elements += (*out_plan)->room;
  sli_mutex_unlock(&cache_mutex);
  for (int i = 0; i < evicted_count; i++) plan_release(evicted[i]);
  return NULL;
}

static void run_range_float(void *context, int64_t begin, int64_t end) { run_lines_float(context, begin, end); }
static void run_range_double(void *context, int64_t begin, int64_t end) { run_lines_double(context, begin, end); }

static sli_status_t *run_pass(sli_thread_pool_t *pool, pass_t *pass, int64_t lines, bool is_double) {
  int64_t bytes = 4 * pass->plan->room * (is_double ? 8 : 4);
  pass->lanes = BLOCK_BYTES / bytes;
  if (pass->lanes > MOST_LANES) pass->lanes = MOST_LANES;
  if (pass->lanes < 1) pass->lanes = 1;
  double cost = (double)pass->plan->room * (1 + log2((double)pass->plan->room)) * (pass->plan->inner ? 2 : 0.7) + 20;
  sli_parallel_for(pool, lines, cost, is_double ? run_range_double : run_range_float, pass);
  return pass->out_of_memory ? no_memory() : NULL;
}

static int64_t product(const int64_t *dims, int count) {
  int64_t total = 1;
  for (int i = 0; i < count; i++) total *= dims[i];
  return total;
}

// Transforms dimension |axis| of [outer, dims..., inner].
static sli_status_t *run_axis(sli_thread_pool_t *pool, bool is_double, bool inverse, int64_t outer, int64_t n,
                              int64_t inner, const void *in, void *out) {
  sli_fft_plan_t *plan;
  SLI_RETURN_IF_ERROR(plan_find(n, is_double, &plan));
  pass_t pass = {.kind = PASS_COMPLEX, .plan = plan, .n = n, .inner = inner, .inverse = inverse, .in = in, .out = out};
  sli_status_t *status = run_pass(pool, &pass, outer * inner, is_double);
  plan_release(plan);
  return status;
}

sli_status_t *sli_fft_complex(sli_thread_pool_t *pool, const sli_fft_t *fft, const void *in, void *out) {
  int64_t inner = 1;
  for (int axis = fft->rank - 1; axis >= 0; axis--) {
    int64_t outer = fft->batch * product(fft->dims, axis);
    SLI_RETURN_IF_ERROR(run_axis(pool, fft->is_double, fft->inverse, outer, fft->dims[axis], inner, in, out));
    inner *= fft->dims[axis];
    in = out;
  }
  return NULL;
}

// The pass over the last dimension between reals and a spectrum. |in_counts| and |out_counts|: its dims on both sides.
static sli_status_t *run_real(sli_thread_pool_t *pool, const sli_fft_t *fft, pass_kind_t kind, const int64_t *in_dims,
                              const int64_t *out_dims, const void *in, void *out) {
  int64_t n = fft->dims[fft->rank - 1], h = n / 2;
  sli_fft_plan_t *plan = NULL;
  SLI_RETURN_IF_ERROR(plan_find(n % 2 == 0 ? h : n, fft->is_double, &plan));
  pass_t pass = {.kind = kind, .plan = plan, .n = n, .inner = 1, .in = in, .out = out, .rank = fft->rank};
  int64_t in_stride = in_dims[fft->rank - 1], out_stride = out_dims[fft->rank - 1];
  for (int d = fft->rank - 2; d >= -1; d--) {  // -1: the batch
    pass.counts[d + 1] = d < 0 ? fft->batch : fft->dims[d];
    pass.in_strides[d + 1] = in_stride;
    pass.out_strides[d + 1] = out_stride;
    if (d >= 0) in_stride *= in_dims[d], out_stride *= out_dims[d];
  }
  void *turn = allocate(2 * (h + 1), fft->is_double ? sizeof(double) : sizeof(float));
  sli_status_t *status = turn ? NULL : no_memory();
  for (int64_t k = 0; k <= h && turn && n % 2 == 0; k++) {
    double re, im;
    root_of_unity(k, n, &re, &im);
    if (fft->is_double)
      ((double *)turn)[2 * k] = re, ((double *)turn)[2 * k + 1] = im;
    else
      ((float *)turn)[2 * k] = (float)re, ((float *)turn)[2 * k + 1] = (float)im;
  }
  pass.turn = turn;
  if (!status) status = run_pass(pool, &pass, fft->batch * product(fft->dims, fft->rank - 1), fft->is_double);
  free(turn);
  plan_release(plan);
  return status;
}

sli_status_t *sli_fft_real(sli_thread_pool_t *pool, const sli_fft_t *fft, const void *in, void *out) {
  int last = fft->rank - 1;
  int64_t out_dims[SLI_FFT_MAX_RANK];
  memcpy(out_dims, fft->dims, sizeof(out_dims));
  out_dims[last] = fft->dims[last] / 2 + 1;
  SLI_RETURN_IF_ERROR(run_real(pool, fft, PASS_REAL, fft->in_dims, out_dims, in, out));
  int64_t inner = out_dims[last];
  for (int axis = last - 1; axis >= 0; axis--) {
    int64_t outer = fft->batch * product(fft->dims, axis);
    SLI_RETURN_IF_ERROR(run_axis(pool, fft->is_double, false, outer, fft->dims[axis], inner, out, out));
    inner *= fft->dims[axis];
  }
  return NULL;
}

// Copies the part of the spectrum that is used: |to| has dims..., dims/2 + 1 of it.
static void copy_spectrum(const sli_fft_t *fft, const char *in, char *to, size_t size) {
  int last = fft->rank - 1;
  int64_t width = fft->dims[last] / 2 + 1, rows = product(fft->dims, last);
  for (int64_t b = 0; b < fft->batch; b++) {
    for (int64_t r = 0; r < rows; r++) {
      int64_t rest = r, offset = 0, stride = fft->in_dims[last];
      for (int d = last - 1; d >= 0; d--) {
        offset += rest % fft->dims[d] * stride;
        rest /= fft->dims[d];
        stride *= fft->in_dims[d];
      }
      memcpy(to + (size_t)((b * rows + r) * width) * size, in + (size_t)(b * stride + offset) * size,
             (size_t)width * size);
    }
  }
}

sli_status_t *sli_fft_real_inverse(sli_thread_pool_t *pool, const sli_fft_t *fft, const void *in, void *out) {
  int last = fft->rank - 1;
  if (last == 0) return run_real(pool, fft, PASS_REAL_INVERSE, fft->in_dims, fft->dims, in, out);
  size_t size = fft->is_double ? 2 * sizeof(double) : 2 * sizeof(float);
  int64_t width = fft->dims[last] / 2 + 1, inner = width, dims[SLI_FFT_MAX_RANK];
  memcpy(dims, fft->dims, sizeof(dims));
  dims[last] = width;
  char *spectrum = allocate(fft->batch * product(dims, fft->rank), size);
  if (!spectrum) return no_memory();
  copy_spectrum(fft, in, spectrum, size);
  sli_status_t *status = NULL;
  for (int axis = last - 1; axis >= 0 && !status; axis--) {
    int64_t outer = fft->batch * product(fft->dims, axis);
    status = run_axis(pool, fft->is_double, true, outer, fft->dims[axis], inner, spectrum, spectrum);
    inner *= fft->dims[axis];
  }
  if (!status) status = run_real(pool, fft, PASS_REAL_INVERSE, dims, fft->dims, spectrum, out);
  free(spectrum);
  return status;
}
