// Rows are summed first, a loop over contiguous pixels; then the columns of the sum.
#include "ops/image/resample.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "math/simd.h"
#include "ops/image/pixels.h"

sli_status_t *sli_resample_axis_create(int64_t count, int64_t source_count, int64_t taps,
                                       sli_resample_axis_t *out_axis) {
  *out_axis = (sli_resample_axis_t){.count = count, .source_count = source_count};
  int64_t terms;
  if (!__builtin_mul_overflow(count, taps, &terms) && terms < INT64_MAX / 32 && count < INT64_MAX / 32 &&
      sli_alloc_has((size_t)terms * (sizeof(int32_t) + sizeof(float)) + (size_t)count * sizeof(int64_t))) {
    out_axis->offsets = sli_malloc_or_null(((size_t)count + 1) * sizeof(int64_t));
    out_axis->indices = sli_malloc_or_null((size_t)terms * sizeof(int32_t) + 1);
    out_axis->weights = sli_malloc_or_null((size_t)terms * sizeof(float) + 1);
  }
  if (!out_axis->offsets || !out_axis->indices || !out_axis->weights) {
    sli_resample_axis_deinitialize(out_axis);
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for the weights of a dimension of %lld pixels",
                           (long long)count);
  }
  for (int64_t i = 0; i <= count; i++) out_axis->offsets[i] = i * taps;
  return NULL;
}

void sli_resample_axis_deinitialize(sli_resample_axis_t *axis) {
  free(axis->offsets);
  free(axis->indices);
  free(axis->weights);
  *axis = (sli_resample_axis_t){0};
}

sli_status_t *sli_resample_axis_transpose(sli_resample_axis_t *axis) {
  sli_resample_axis_t t;
  const int64_t terms = axis->offsets[axis->count];
  // Room for |terms| in all.
  SLI_RETURN_IF_ERROR(sli_resample_axis_create(axis->source_count, axis->count, 0, &t));
  free(t.indices);
  free(t.weights);
  t.indices = sli_malloc_or_null((size_t)terms * sizeof(int32_t) + 1);
  t.weights = sli_malloc_or_null((size_t)terms * sizeof(float) + 1);
  if (!t.indices || !t.weights) {
    sli_resample_axis_deinitialize(&t);
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for the weights of a gradient");
  }
  // Count, add up, and put each term in its place; the offsets then are those of the ends.
  for (int64_t k = 0; k < terms; k++) t.offsets[axis->indices[k] + 1]++;
  for (int64_t i = 0; i < t.count; i++) t.offsets[i + 1] += t.offsets[i];
  for (int64_t i = 0; i < axis->count; i++) {
    for (int64_t k = axis->offsets[i]; k < axis->offsets[i + 1]; k++) {
      int64_t at = t.offsets[axis->indices[k]]++;
      t.indices[at] = (int32_t)i;
      t.weights[at] = axis->weights[k];
    }
  }
  memmove(t.offsets + 1, t.offsets, (size_t)t.count * sizeof(int64_t));
  t.offsets[0] = 0;
  sli_resample_axis_deinitialize(axis);
  *axis = t;
  return NULL;
}

typedef struct {
  const sli_tensor_t *images;
  sli_tensor_t *output;
  const sli_resample_axis_t *y, *x;
  int64_t channels;
} resample_work_t;

SLI_SIMD static void add_row(const float *row, float weight, int64_t count, float *sum) {
  for (int64_t i = 0; i < count; i++) sum[i] += weight * row[i];
}

SLI_SIMD static void set_row(const float *row, float weight, int64_t count, float *sum) {
  for (int64_t i = 0; i < count; i++) sum[i] = weight * row[i];
}

static inline void sum_columns(const sli_resample_axis_t *x, const float *row, int64_t channels, float *out) {
  for (int64_t i = 0; i < x->count; i++) {
    float *pixel = out + i * channels;
    for (int64_t c = 0; c < channels; c++) pixel[c] = 0;
    for (int64_t k = x->offsets[i]; k < x->offsets[i + 1]; k++) {
      const float *source = row + x->indices[k] * channels;
      for (int64_t c = 0; c < channels; c++) pixel[c] += x->weights[k] * source[c];
    }
  }
}

static void resample_rows(void *context, int64_t begin, int64_t end) {
  const resample_work_t *w = context;
  const int64_t in_width = w->x->source_count * w->channels, out_width = w->x->count * w->channels;
  const sli_dtype_t in_type = (sli_dtype_t)w->images->dtype, out_type = (sli_dtype_t)w->output->dtype;
  float *sum = sli_malloc((size_t)(2 * in_width + out_width) * sizeof(float));
  float *wide = sum + in_width, *result = wide + in_width;
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t first = unit / w->y->count * w->y->source_count, i = unit % w->y->count;
    bool is_first = true;
    for (int64_t k = w->y->offsets[i]; k < w->y->offsets[i + 1]; k++) {
      if (w->y->weights[k] == 0) continue;
      const void *source = sli_tensor_at(w->images, (first + w->y->indices[k]) * in_width);
      const float *row = sli_pixels_as_floats(in_type, source, in_width, wide);
      (is_first ? set_row : add_row)(row, w->y->weights[k], in_width, sum);
      is_first = false;
    }
    if (is_first) memset(sum, 0, (size_t)in_width * sizeof(float));
    float *out = out_type == SLI_DTYPE_FLOAT ? SLI_DATA(float, w->output) + unit * out_width : result;
    switch (w->channels) {  // a constant number makes the inner loops short
      case 1: sum_columns(w->x, sum, 1, out); break;
      case 3: sum_columns(w->x, sum, 3, out); break;
      case 4: sum_columns(w->x, sum, 4, out); break;
      default: sum_columns(w->x, sum, w->channels, out);
    }
    if (out != SLI_DATA(float, w->output) + unit * out_width)
      sli_pixels_from_floats(out_type, out, out_width, sli_tensor_at(w->output, unit * out_width));
  }
  free(sum);
}

sli_status_t *sli_resample(sli_kernel_context_t *context, const sli_tensor_t *images, const sli_resample_axis_t *y,
                           const sli_resample_axis_t *x) {
  resample_work_t w = {.images = images, .y = y, .x = x, .channels = images->dims[3]};
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_output(context, 0, SLI_SHAPE(images->dims[0], y->count, x->count, w.channels), &w.output));
  if (w.output->count == 0) return NULL;
  const int64_t scratch = (2 * x->source_count + x->count) * w.channels;
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, scratch, sizeof(float)));
  double rows = (double)y->offsets[y->count] / (double)y->count, columns = (double)x->offsets[x->count];
  double cost = (0.3 * rows * (double)x->source_count + columns) * (double)w.channels;
  sli_parallel_for(sli_kernel_pool(context), images->dims[0] * y->count, cost, resample_rows, &w);
  return NULL;
}
