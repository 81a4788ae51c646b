// Pooling: iterates over the windows. pooling_loops.inc processes the channels of one window.
#include "ops/nn/pooling.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "math/half.h"
#include "math/simd.h"

#define SAME(x) (x)
#define T float
#define WIDE float
#define LOAD SAME
#define STORE SAME
#define NAME(x) x##_float
#define ATTRIBUTE SLI_SIMD
#define FLOATING
#include "ops/nn/pooling_loops.inc"
#define T double
#define WIDE double
#define LOAD SAME
#define STORE SAME
#define NAME(x) x##_double
#define ATTRIBUTE SLI_SIMD
#define FLOATING
#include "ops/nn/pooling_loops.inc"
#define T uint16_t
#define WIDE float
#define LOAD sli_half_to_float
#define STORE sli_half_from_float
#define NAME(x) x##_half
#define ATTRIBUTE
#define FLOATING
#include "ops/nn/pooling_loops.inc"
#define T uint16_t
#define WIDE float
#define LOAD sli_bfloat16_to_float
#define STORE sli_bfloat16_from_float
#define NAME(x) x##_bfloat16
#define ATTRIBUTE
#define FLOATING
#include "ops/nn/pooling_loops.inc"
// Integers: 64 bits can hold the narrower types and their sums.
#define T int8_t
#define WIDE int64_t
#define LOAD SAME
#define STORE(x) (int8_t)(x)
#define NAME(x) x##_int8
#define ATTRIBUTE
#include "ops/nn/pooling_loops.inc"
#define T int16_t
#define WIDE int64_t
#define LOAD SAME
#define STORE(x) (int16_t)(x)
#define NAME(x) x##_int16
#define ATTRIBUTE
#include "ops/nn/pooling_loops.inc"
#define T int32_t
#define WIDE int64_t
#define LOAD SAME
#define STORE(x) (int32_t)(x)
#define NAME(x) x##_int32
#define ATTRIBUTE
#include "ops/nn/pooling_loops.inc"
#define T uint8_t
#define WIDE int64_t
#define LOAD SAME
#define STORE(x) (uint8_t)(x)
#define NAME(x) x##_uint8
#define ATTRIBUTE
#include "ops/nn/pooling_loops.inc"
#define T uint16_t
#define WIDE int64_t
#define LOAD SAME
#define STORE(x) (uint16_t)(x)
#define NAME(x) x##_uint16
#define ATTRIBUTE
#include "ops/nn/pooling_loops.inc"
#define T uint32_t
#define WIDE int64_t
#define LOAD SAME
#define STORE(x) (uint32_t)(x)
#define NAME(x) x##_uint32
#define ATTRIBUTE
#include "ops/nn/pooling_loops.inc"
#define T uint64_t
#define WIDE uint64_t
#define LOAD SAME
#define STORE SAME
#define NAME(x) x##_uint64
#define ATTRIBUTE
#include "ops/nn/pooling_loops.inc"
// Sums of 64-bit integers need 128 bits.
#define T int64_t
#define WIDE __int128
#define LOAD SAME
#define STORE(x) (int64_t)(x)
#define NAME(x) x##_int64
#define ATTRIBUTE
#include "ops/nn/pooling_loops.inc"

// The loops of one type.
typedef struct {
  void (*window_max)(const void *image, const int64_t *taps, int count, int64_t n, void *best, int32_t *which);
  void (*store)(const void *wide, void *out, int64_t n);
  void (*spread_max)(const void *gradient, void *image, const int64_t *taps, int count, int64_t n, const int32_t *which,
                     bool fresh);
  void (*collect)(const void *image, const int64_t *taps, int64_t n, const int32_t *which, void *out);
  // Floating types only.
  void (*spread_equals)(const void *gradient, const void *from, void *image, const int64_t *taps, int count, int64_t n,
                        const void *best);
  void (*window_average)(const void *image, const int64_t *taps, int count, int64_t n, void *sum);
  void (*spread_average)(const void *gradient, void *image, const int64_t *taps, int count, int64_t n);
} pooling_loops_t;

#define MAX_LOOPS(name) window_max_##name, store_##name, spread_max_##name, collect_##name
#define ALL_LOOPS(name) MAX_LOOPS(name), spread_equals_##name, window_average_##name, spread_average_##name
static const pooling_loops_t loops[] = {
    [SLI_DTYPE_FLOAT] = {ALL_LOOPS(float)},   [SLI_DTYPE_DOUBLE] = {ALL_LOOPS(double)},
    [SLI_DTYPE_HALF] = {ALL_LOOPS(half)},     [SLI_DTYPE_BFLOAT16] = {ALL_LOOPS(bfloat16)},
    [SLI_DTYPE_INT8] = {MAX_LOOPS(int8)},     [SLI_DTYPE_INT16] = {MAX_LOOPS(int16)},
    [SLI_DTYPE_INT32] = {MAX_LOOPS(int32)},   [SLI_DTYPE_INT64] = {MAX_LOOPS(int64)},
    [SLI_DTYPE_UINT8] = {MAX_LOOPS(uint8)},   [SLI_DTYPE_UINT16] = {MAX_LOOPS(uint16)},
    [SLI_DTYPE_UINT32] = {MAX_LOOPS(uint32)}, [SLI_DTYPE_UINT64] = {MAX_LOOPS(uint64)},
};
enum { WIDEST = 16 };  // size in bytes of the largest WIDE

typedef enum { MAX, MAX_BACKWARD, MAX_BACKWARD_ALL, MAX_COLLECT, AVERAGE_OF, AVERAGE_BACKWARD } pooling_kind_t;

typedef struct {
  const sli_pooling_t *p;
  const pooling_loops_t *loops;
  pooling_kind_t kind;
  size_t size;  // of an element
  const char *input, *gradient;
  char *result;
  sli_pooling_argmax_t argmax;
  bool fresh;  // the windows tile the image: each input belongs to exactly one window
  _Atomic bool out_of_memory;
} pooling_work_t;

// Scratch memory of one thread.
typedef struct {
  int64_t *taps;   // offsets of the elements of the current window in the image
  int32_t *which;  // for each channel: the tap with the maximum
  void *wide;
} pooling_scratch_t;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void free_scratch(pooling_scratch_t *scratch) {
  free(scratch->taps);
  free(scratch->which);
  free(scratch->wide);
}

static bool allocate_pooling_scratch(const sli_pooling_t *p, pooling_scratch_t *scratch) {
  int64_t taps = 1;
  for (int d = 0; d < 3; d++) taps *= least(p->size[d], p->in[d] > 0 ? p->in[d] : 1);
  scratch->taps = taps > INT32_MAX ? NULL : sli_malloc_or_null((size_t)taps * sizeof(scratch->taps[0]));
  scratch->which = sli_malloc_or_null((size_t)p->channels * sizeof(scratch->which[0]));
  scratch->wide = sli_malloc_or_null((size_t)p->channels * WIDEST);
  if (scratch->taps && scratch->which && scratch->wide) return true;
  free_scratch(scratch);
  return false;
}

// The part of the window at output position |o| of dim |d| that is inside the image.
static void clip(const sli_pooling_t *p, int d, int64_t o, int64_t *begin, int64_t *end) {
  int64_t first = o * p->stride[d] - p->before[d];
  *begin = first < 0 ? 0 : first;
  *end = least(first + p->size[d], p->in[d]);
}

static int list_taps(const sli_pooling_t *p, int64_t oz, int64_t oy, int64_t ox, int64_t *taps) {
  int64_t z0, z1, y0, y1, x0, x1;
  int count = 0;
  clip(p, 0, oz, &z0, &z1);
  clip(p, 1, oy, &y0, &y1);
  clip(p, 2, ox, &x0, &x1);
  for (int64_t z = z0; z < z1; z++)
    for (int64_t y = y0; y < y1; y++)
      for (int64_t x = x0; x < x1; x++) taps[count++] = ((z * p->in[1] + y) * p->in[2] + x) * p->channels;
  return count;
}

static void write_argmax(const pooling_work_t *work, const pooling_scratch_t *scratch, int64_t image,
                         int64_t position) {
  const sli_pooling_t *p = work->p;
  int64_t base = work->argmax.include_batch ? image * p->in[0] * p->in[1] * p->in[2] * p->channels : 0;
  for (int64_t i = 0; i < p->channels; i++) {
    int64_t index = base + scratch->taps[scratch->which[i]] + i;
    if (work->argmax.tensor->dtype == SLI_DTYPE_INT64)
      SLI_DATA(int64_t, work->argmax.tensor)[position * p->channels + i] = index;
    else
      SLI_DATA(int32_t, work->argmax.tensor)[position * p->channels + i] = (int32_t)index;
  }
}

// Processes one window. |position| is the number of its output in the whole batch.
static void run_window(const pooling_work_t *work, pooling_scratch_t *scratch, int64_t image, int64_t position,
                       int count) {
  const sli_pooling_t *p = work->p;
  const pooling_loops_t *f = work->loops;
  int64_t n = p->channels;
  size_t image_offset = (size_t)(image * p->in[0] * p->in[1] * p->in[2] * n) * work->size;
  size_t offset = (size_t)(position * n) * work->size;
  const char *input = work->input ? work->input + image_offset : NULL;
  // For float and double, WIDE is the type itself.
  bool direct = p->dtype == SLI_DTYPE_FLOAT || p->dtype == SLI_DTYPE_DOUBLE;
  switch (work->kind) {
    case MAX: {
      void *best = direct ? (void *)(work->result + offset) : scratch->wide;
      f->window_max(input, scratch->taps, count, n, best, work->argmax.tensor ? scratch->which : NULL);
      if (!direct) f->store(best, work->result + offset, n);
      if (work->argmax.tensor) write_argmax(work, scratch, image, position);
      break;
    }
    case MAX_BACKWARD:
      f->window_max(input, scratch->taps, count, n, scratch->wide, scratch->which);
      f->spread_max(work->gradient + offset, work->result + image_offset, scratch->taps, count, n, scratch->which,
                    work->fresh);
      break;
    case MAX_BACKWARD_ALL:
      f->window_max(input, scratch->taps, count, n, scratch->wide, NULL);
      f->spread_equals(work->gradient + offset, input, work->result + image_offset, scratch->taps, count, n,
                       scratch->wide);
      break;
    case MAX_COLLECT:
      f->window_max(input, scratch->taps, count, n, scratch->wide, scratch->which);
      f->collect(work->gradient + image_offset, scratch->taps, n, scratch->which, work->result + offset);
      break;
    case AVERAGE_OF: {
      void *sum = direct ? (void *)(work->result + offset) : scratch->wide;
      f->window_average(input, scratch->taps, count, n, sum);
      if (!direct) f->store(sum, work->result + offset, n);
      break;
    }
    default: f->spread_average(work->gradient + offset, work->result + image_offset, scratch->taps, count, n); break;
  }
}

static bool writes_to_image(pooling_kind_t kind) {
  return kind == MAX_BACKWARD || kind == MAX_BACKWARD_ALL || kind == AVERAGE_BACKWARD;
}

// A unit of work is a row of outputs or, if windows write to the image, a whole image.
static void run_pooling_range(void *context, int64_t begin, int64_t end) {
  pooling_work_t *work = context;
  const sli_pooling_t *p = work->p;
  int64_t rows = p->out[0] * p->out[1];
  pooling_scratch_t scratch;
  if (!allocate_pooling_scratch(p, &scratch)) {
    atomic_store(&work->out_of_memory, true);
    return;
  }
  if (writes_to_image(work->kind)) {
    if (!work->fresh) {
      size_t image_bytes = (size_t)(p->in[0] * p->in[1] * p->in[2] * p->channels) * work->size;
      memset(work->result + (size_t)begin * image_bytes, 0, (size_t)(end - begin) * image_bytes);
    }
    begin *= rows;
    end *= rows;
  }
  for (int64_t row = begin; row < end; row++) {
    int64_t image = row / rows, oz = row % rows / p->out[1], oy = row % p->out[1];
    for (int64_t ox = 0; ox < p->out[2]; ox++) {
      int64_t position = row * p->out[2] + ox;
      int count = list_taps(p, oz, oy, ox, scratch.taps);
      if (count > 0)
        run_window(work, &scratch, image, position, count);
      else if (!writes_to_image(work->kind))  // the window has only padding
        memset(work->result + (size_t)(position * p->channels) * work->size, 0, (size_t)p->channels * work->size);
    }
  }
  free_scratch(&scratch);
}

static sli_status_t *run_pooling(sli_kernel_context_t *context, pooling_work_t *work) {
  const sli_pooling_t *p = work->p;
  if (p->batch == 0 || p->channels == 0) return NULL;
  bool scatter = writes_to_image(work->kind);
  double area = 1, outs = 1;
  work->loops = &loops[p->dtype];
  work->size = sli_dtype_size(p->dtype);
  work->fresh = work->kind == MAX_BACKWARD;
  for (int d = 0; d < 3; d++) {
    if ((scatter ? p->in[d] : p->out[d]) == 0) return NULL;
    area *= (double)least(p->size[d], p->in[d]);
    outs *= (double)p->out[d];
    if (p->before[d] || p->size[d] != p->stride[d] || p->out[d] * p->stride[d] != p->in[d]) work->fresh = false;
  }
  double window = 8 + 0.15 * area * (double)p->channels;
  if (scatter)
    sli_parallel_for(sli_kernel_pool(context), p->batch, 2 * window * outs, run_pooling_range, work);
  else
    sli_parallel_for(sli_kernel_pool(context), p->batch * p->out[0] * p->out[1], window * (double)p->out[2],
                     run_pooling_range, work);
  if (atomic_load(&work->out_of_memory))
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when pooling over windows of %lld x %lld x %lld",
                           (long long)p->size[0], (long long)p->size[1], (long long)p->size[2]);
  return NULL;
}

sli_status_t *sli_pooling_plan(const sli_window_t *window, sli_dtype_t dtype, const int64_t *in_dims,
                               sli_pooling_t *out) {
  int spatial = window->rank - 2;
  *out = (sli_pooling_t){.dtype = dtype,
                         .batch = in_dims[0],
                         .channels = in_dims[window->rank - 1],
                         .in = {1, 1, 1},
                         .out = {1, 1, 1},
                         .size = {1, 1, 1},
                         .stride = {1, 1, 1}};
  for (int i = 0; i < spatial; i++) {
    int d = sli_window_dim(window, i), to = i + 3 - spatial;
    sli_window_extent_t extent;
    SLI_RETURN_IF_ERROR(sli_window_extent(window, d, in_dims[d], window->size[d], &extent));
    out->in[to] = in_dims[d];
    out->out[to] = extent.out;
    out->size[to] = window->size[d];
    out->stride[to] = window->stride[d];
    out->before[to] = extent.before;
  }
  return NULL;
}

sli_shape_t sli_pooling_output_shape(const sli_pooling_t *p, int rank, int64_t dims[SLI_WINDOW_MAX_RANK]) {
  int n = 0;
  dims[n++] = p->batch;
  for (int d = 5 - rank; d < 3; d++) dims[n++] = p->out[d];
  dims[n++] = p->channels;
  return (sli_shape_t){rank, dims};
}

sli_status_t *sli_pooling_max(sli_kernel_context_t *context, const sli_pooling_t *p, const void *input, void *output,
                              sli_pooling_argmax_t argmax) {
  pooling_work_t work = {.p = p, .kind = MAX, .input = input, .result = output, .argmax = argmax};
  return run_pooling(context, &work);
}

sli_status_t *sli_pooling_max_backward(sli_kernel_context_t *context, const sli_pooling_t *p, const void *input,
                                       const void *output_gradient, bool to_all_equals, void *input_gradient) {
  pooling_work_t work = {.p = p,
                         .kind = to_all_equals ? MAX_BACKWARD_ALL : MAX_BACKWARD,
                         .input = input,
                         .gradient = output_gradient,
                         .result = input_gradient};
  return run_pooling(context, &work);
}

sli_status_t *sli_pooling_max_collect(sli_kernel_context_t *context, const sli_pooling_t *p, const void *input,
                                      const void *source, void *output) {
  pooling_work_t work = {.p = p, .kind = MAX_COLLECT, .input = input, .gradient = source, .result = output};
  return run_pooling(context, &work);
}

sli_status_t *sli_pooling_average(sli_kernel_context_t *context, const sli_pooling_t *p, const void *input,
                                  void *output) {
  pooling_work_t work = {.p = p, .kind = AVERAGE_OF, .input = input, .result = output};
  return run_pooling(context, &work);
}

sli_status_t *sli_pooling_average_backward(sli_kernel_context_t *context, const sli_pooling_t *p,
                                           const void *output_gradient, void *input_gradient) {
  pooling_work_t work = {.p = p, .kind = AVERAGE_BACKWARD, .gradient = output_gradient, .result = input_gradient};
  return run_pooling(context, &work);
}
