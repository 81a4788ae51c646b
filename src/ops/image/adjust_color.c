// AdjustContrast and AdjustContrastv2 move pixels away from the mean of their image and channel; AdjustHue turns the
// hue, AdjustSaturation scales the saturation of RGB pixels.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/simd.h"
#include "ops/image/pixels.h"

static sli_status_t *require_image(const sli_tensor_t *images) {
  if (images->rank >= 3) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "input must be at least 3-D, got shape%s",
                         sli_tensor_shape_text(images).text);
}

static sli_status_t *read_scalar(const sli_kernel_context_t *context, int index, const char *name, float *out_value) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  if (tensor->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be scalar: %s", name, sli_tensor_shape_text(tensor).text);
  *out_value = *SLI_DATA(float, tensor);
  return NULL;
}

// --- Contrast -------------------------------------------------------------------------------------

typedef struct {
  const sli_tensor_t *images;
  float *output;
  int64_t size, channels;  // pixels of an image
  float factor, least, most;
} contrast_t;

SLI_SIMD static void stretch(const float *in, const double *means, int64_t size, int64_t channels, float factor,
                             float least, float most, float *out) {
  for (int64_t i = 0; i < size; i++) {
    for (int64_t c = 0; c < channels; c++) {
      float mean = (float)means[c], value = mean + factor * (in[i * channels + c] - mean);
      value = value > most ? most : value;
      out[i * channels + c] = value < least ? least : value;
    }
  }
}

static void contrast_images(void *context, int64_t begin, int64_t end) {
  const contrast_t *w = context;
  const int64_t count = w->size * w->channels;
  double *means = sli_malloc((size_t)w->channels * sizeof(double));
  for (int64_t n = begin; n < end; n++) {
    float *out = w->output + n * count;
    const float *in =
        sli_pixels_as_floats((sli_dtype_t)w->images->dtype, sli_tensor_at(w->images, n * count), count, out);
    memset(means, 0, (size_t)w->channels * sizeof(double));
    for (int64_t i = 0; i < w->size; i++)
      for (int64_t c = 0; c < w->channels; c++) means[c] += in[i * w->channels + c];
    for (int64_t c = 0; c < w->channels; c++) means[c] /= (double)w->size;
    stretch(in, means, w->size, w->channels, w->factor, w->least, w->most, out);
  }
  free(means);
}

static sli_status_t *run_contrast(sli_kernel_context_t *context, contrast_t *w) {
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(w->images), &output));
  if (output->count == 0) return NULL;
  const int64_t *dims = w->images->dims + w->images->rank - 3;
  w->output = output->data;
  w->size = dims[0] * dims[1];
  w->channels = dims[2];
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, w->channels, sizeof(double)));
  sli_parallel_for(sli_kernel_pool(context), output->count / (w->size * w->channels),
                   2.0 * (double)(w->size * w->channels), contrast_images, w);
  return NULL;
}

static sli_status_t *contrast_compute(sli_kernel_context_t *context) {
  contrast_t w = {.images = sli_kernel_input(context, 0)};
  SLI_RETURN_IF_ERROR(require_image(w.images));
  SLI_RETURN_IF_ERROR(read_scalar(context, 1, "contrast_factor", &w.factor));
  SLI_RETURN_IF_ERROR(read_scalar(context, 2, "min_value", &w.least));
  SLI_RETURN_IF_ERROR(read_scalar(context, 3, "max_value", &w.most));
  return run_contrast(context, &w);
}

static sli_status_t *contrast_v2_compute(sli_kernel_context_t *context) {
  contrast_t w = {.images = sli_kernel_input(context, 0), .least = -INFINITY, .most = INFINITY};
  SLI_RETURN_IF_ERROR(require_image(w.images));
  SLI_RETURN_IF_ERROR(read_scalar(context, 1, "contrast_factor", &w.factor));
  return run_contrast(context, &w);
}

// --- Hue and saturation ---------------------------------------------------------------------------

typedef struct {
  const float *input;
  float *output, amount;
} adjust_t;

// The hue is a position on a wheel of six parts. In each part one channel has the largest value, one the least, and one
// rises or falls in between.
static const uint8_t wheel[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};

static float find_hue(const float rgb[3], float *least, float *most) {
  const float r = rgb[0], g = rgb[1], b = rgb[2];
  int part;
  if (r < g)
    part = b < r ? 1 : b > g ? 3 : 2;
  else
    part = b < g ? 0 : b > r ? 4 : 5;
  *most = rgb[wheel[part][0]];
  *least = rgb[wheel[part][2]];
  if (*most == *least) return 0;
  float share = (rgb[wheel[part][1]] - *least) / (*most - *least);
  return (float)part + (part % 2 == 0 ? share : 1 - share);
}

static void turn_hues(void *context, int64_t begin, int64_t end) {
  const adjust_t *w = context;
  for (int64_t i = begin; i < end; i++) {
    float least, most, hue = find_hue(w->input + 3 * i, &least, &most) + w->amount * 6;
    if (!(hue >= 0 && hue < 6)) {
      hue -= 6 * floorf(hue / 6);
      if (!(hue >= 0 && hue < 6)) hue = 0;  // rounded up to 6, or not a number
    }
    int part = (int)hue;
    float share = hue - (float)part;
    float *out = w->output + 3 * i;
    out[wheel[part][0]] = most;
    out[wheel[part][1]] = least + (part % 2 == 0 ? share : 1 - share) * (most - least);
    out[wheel[part][2]] = least;
  }
}

static void scale_saturations(void *context, int64_t begin, int64_t end) {
  const adjust_t *w = context;
  for (int64_t i = begin; i < end; i++) {
    const float *in = w->input + 3 * i;
    const float r = in[0], g = in[1], b = in[2];
    const float value = fmaxf(r, fmaxf(g, b)), range = value - fminf(r, fminf(g, b));
    float hue = r == value   ? (g - b) / (6 * range)
                : g == value ? (b - r) / (6 * range) + 2.0f / 6.0f
                             : (r - g) / (6 * range) + 4.0f / 6.0f;
    if (range <= 0) hue = 0;
    if (hue < 0) hue += 1;
    float saturation = value > 0 ? range / value : 0;
    saturation = fminf(1, fmaxf(0, saturation * w->amount));
    // Back.
    const float chroma = saturation * value, rest = value - chroma, position = hue * 6;
    const float between = chroma * (1 - fabsf(fmodf(position, 2) - 1));
    float *out = w->output + 3 * i;
    if (!(position >= 0 && position < 6)) {
      out[0] = out[1] = out[2] = rest;
      continue;
    }
    const uint8_t *places = wheel[(int)position];
    out[places[0]] = chroma + rest;
    out[places[1]] = between + rest;
    out[places[2]] = rest;
  }
}

static sli_status_t *run_adjust(sli_kernel_context_t *context, const char *name, sli_parallel_for_fn_t body) {
  const sli_tensor_t *images = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  adjust_t w = {0};
  SLI_RETURN_IF_ERROR(require_image(images));
  SLI_RETURN_IF_ERROR(read_scalar(context, 1, name, &w.amount));
  if (images->dims[images->rank - 1] != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must have 3 channels but instead has %lld channels.",
                           (long long)images->dims[images->rank - 1]);
  w.input = images->data;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(images), &output));
  w.output = output->data;
  sli_parallel_for(sli_kernel_pool(context), output->count / 3, 10, body, &w);
  return NULL;
}

static sli_status_t *hue_compute(sli_kernel_context_t *context) { return run_adjust(context, "delta", turn_hues); }
static sli_status_t *saturation_compute(sli_kernel_context_t *context) {
  return run_adjust(context, "scale", scale_saturations);
}

// --- Shapes and tables ----------------------------------------------------------------------------

static sli_status_t *adjust_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 3, &c->outputs[0]));
  for (int i = 1; i < c->node->input_count; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "AdjustContrast",
     .inputs = "images: T, contrast_factor: float, min_value: float, max_value: float",
     .outputs = "output: float",
     .attrs = "T: {uint8, int8, int16, int32, int64, float, double}",
     .summary = "Changes the contrast of images within limits.",
     .shape = adjust_shape,
     .deprecated_in = 2,
     .deprecation = "Use AdjustContrastv2 instead"},
    {.name = "AdjustContrastv2",
     .inputs = "images: T, contrast_factor: float",
     .outputs = "output: T",
     .attrs = "T: {half, float} = DT_FLOAT",
     .summary = "Changes the contrast of images.",
     .shape = adjust_shape},
    {.name = "AdjustHue",
     .inputs = "images: T, delta: float",
     .outputs = "output: T",
     .attrs = "T: {half, float} = DT_FLOAT",
     .summary = "Turns the hue of images.",
     .shape = adjust_shape},
    {.name = "AdjustSaturation",
     .inputs = "images: T, scale: float",
     .outputs = "output: T",
     .attrs = "T: {half, float} = DT_FLOAT",
     .summary = "Scales the saturation of images.",
     .shape = adjust_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "AdjustContrast",
     .types = SLI_TYPE_UINT8 | SLI_TYPE_INT8 | SLI_TYPE_INT16 | SLI_TYPE_INT32 | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = contrast_compute},
    {.op = "AdjustContrastv2", .types = SLI_TYPE_FLOAT, .compute = contrast_v2_compute},
    {.op = "AdjustHue", .types = SLI_TYPE_FLOAT, .compute = hue_compute, .cost = 1},
    {.op = "AdjustSaturation", .types = SLI_TYPE_FLOAT, .compute = saturation_compute, .cost = 1},
};

SLI_OP_MODULE(adjust_color);
