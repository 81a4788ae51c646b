// ExtractGlimpse and ExtractGlimpseV2: a window of each image. What lies outside of the image is noise: uniform between
// the least and the largest value of the image, normal with mean and deviation of each channel, or zero.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/philox.h"
#include "ops/image/resize.h"

typedef enum { NOISE_UNIFORM, NOISE_GAUSSIAN, NOISE_ZERO } noise_t;

typedef struct {
  bool normalized, centered, is_v2;
  noise_t noise;
  sli_philox_stream_t stream;
} glimpse_t;

static sli_status_t *read_noise(const sli_node_def_t *node, noise_t *out_noise) {
  bool is_uniform;
  sli_view_t noise;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "uniform_noise", &is_uniform));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "noise", &noise));
  if (is_uniform && noise.size && !sli_view_is(noise, "uniform"))
    return sli_status_make(SLI_INVALID_ARGUMENT, "The uniform_noise and noise could not be specified at the same time");
  if (!noise.size)
    *out_noise = is_uniform ? NOISE_UNIFORM : NOISE_GAUSSIAN;
  else if (sli_view_is(noise, "uniform"))
    *out_noise = NOISE_UNIFORM;
  else if (sli_view_is(noise, "gaussian"))
    *out_noise = NOISE_GAUSSIAN;
  else if (sli_view_is(noise, "zero"))
    *out_noise = NOISE_ZERO;
  else
    return sli_status_make(SLI_INVALID_ARGUMENT, "The noise could only be uniform, gaussian, or zero, got%.*s",
                           SLI_VIEW_ARG(noise));
  return NULL;
}

static sli_status_t *glimpse_create(const sli_kernel_setup_t *setup, void **out_state) {
  glimpse_t g = {.is_v2 = strcmp(setup->node->op->def->name, "ExtractGlimpseV2") == 0};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "normalized", &g.normalized));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "centered", &g.centered));
  SLI_RETURN_IF_ERROR(read_noise(setup->node, &g.noise));
  glimpse_t *state = sli_memdup(&g, sizeof(g));
  sli_philox_stream_initialize(&state->stream, 0, 0);  // a random seed
  *out_state = state;
  return NULL;
}

static void glimpse_destroy(void *state) {
  if (state) sli_philox_stream_deinitialize(&((glimpse_t *)state)->stream);
  free(state);
}

// The first pixel of the window along one dimension; it may be outside.
static int64_t find_start(const glimpse_t *g, float offset, int64_t size, int64_t window) {
  float at = offset, half = (float)window / 2.0f;
  if (g->normalized) at *= (float)size;
  if (g->is_v2) {
    if (g->centered) at = (g->normalized ? at / 2.0f : at) + (float)size / 2.0f;
    if (g->centered && g->normalized) at -= half;
  } else {
    if (g->centered) at = at / 2.0f + (float)size / 2.0f;
    at -= half;
  }
  return at >= 1e9f ? 1000000000 : at > -1e9f ? (int64_t)at : -1000000000;
}

typedef struct {
  const float *image;
  float *window;
  int64_t size[2], window_size[2], start[2], channels;
} view_t;

static void fill_uniform(const view_t *v, sli_philox_words_t *random) {
  const int64_t count = v->size[0] * v->size[1] * v->channels;
  float least = v->image[0], most = v->image[0];
  for (int64_t i = 1; i < count; i++) {
    least = v->image[i] < least ? v->image[i] : least;
    most = v->image[i] > most ? v->image[i] : most;
  }
  for (int64_t i = 0; i < v->window_size[0] * v->window_size[1] * v->channels; i++)
    v->window[i] = least + sli_philox_to_float(sli_philox_word(random)) * (most - least);
}

static void fill_gaussian(const view_t *v, sli_philox_words_t *random) {
  const int64_t pixels = v->size[0] * v->size[1];
  for (int64_t c = 0; c < v->channels; c++) {
    double sum = 0, squares = 0;
    float least = v->image[c], most = v->image[c];
    for (int64_t i = 0; i < pixels; i++) {
      float value = v->image[i * v->channels + c];
      sum += value;
      squares += (double)value * value;
      least = value < least ? value : least;
      most = value > most ? value : most;
    }
    const double mean = sum / (double)pixels, variance = squares / (double)pixels - mean * mean;
    const float deviation = (float)sqrt(variance > 0 ? variance : 0);
    for (int64_t i = 0; i < v->window_size[0] * v->window_size[1]; i++) {
      float normals[2];
      uint32_t first = sli_philox_word(random);
      sli_philox_normal_float(first, sli_philox_word(random), normals);
      v->window[i * v->channels + c] = fmaxf(fminf((float)mean + normals[0] * deviation, most), least);
    }
  }
}

// Copies what the window has of the image.
static void copy_overlap(const view_t *v) {
  int64_t from = v->start[1] < 0 ? 0 : v->start[1], to = v->start[1] + v->window_size[1];
  if (to > v->size[1]) to = v->size[1];
  for (int64_t y = 0; y < v->window_size[0]; y++) {
    int64_t row = v->start[0] + y;
    if (row < 0 || row >= v->size[0] || from >= to) continue;
    memcpy(v->window + (y * v->window_size[1] + from - v->start[1]) * v->channels,
           v->image + (row * v->size[1] + from) * v->channels, (size_t)((to - from) * v->channels) * sizeof(float));
  }
}

static sli_status_t *check_inputs(sli_kernel_context_t *context, int64_t window[2]) {
  const sli_tensor_t *input = sli_kernel_input(context, 0), *size = sli_kernel_input(context, 1);
  const sli_tensor_t *offsets = sli_kernel_input(context, 2);
  if (input->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be 4-dimensional (batch_size, height, width, depth)%s",
                           sli_tensor_shape_text(input).text);
  if (size->rank != 1 || size->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be a vector of size 2 (height, width)%s",
                           sli_tensor_shape_text(size).text);
  for (int i = 0; i < 2; i++) {
    window[i] = SLI_DATA(int32_t, size)[i];
    if (window[i] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected a non-negative size, got %lld", (long long)window[i]);
  }
  if (offsets->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be a matrix%s", sli_tensor_shape_text(offsets).text);
  if (offsets->dims[0] != input->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "first dimension should be batch%s",
                           sli_tensor_shape_text(offsets).text);
  if (offsets->dims[1] != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "second dimension should be of size 2 (y,x)%s",
                           sli_tensor_shape_text(offsets).text);
  return NULL;
}

static sli_status_t *glimpse_compute(sli_kernel_context_t *context) {
  const glimpse_t *g = sli_kernel_state(context);
  const sli_tensor_t *input = sli_kernel_input(context, 0), *offsets = sli_kernel_input(context, 2);
  int64_t window[2] = {0};
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(check_inputs(context, window));
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_output(context, 0, SLI_SHAPE(input->dims[0], window[0], window[1], input->dims[3]), &output));
  if (output->count == 0) return NULL;
  if (input->count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The images must have pixels, got shape %s",
                           sli_tensor_shape_text(input).text);
  // The stream has its own mutex. Two words for each value.
  sli_philox_t generator =
      sli_philox_stream_reserve((sli_philox_stream_t *)&g->stream, (uint64_t)output->count / 2 + 1);
  sli_philox_words_t random = sli_philox_words(generator);
  for (int64_t n = 0; n < input->dims[0]; n++) {
    view_t v = {.size = {input->dims[1], input->dims[2]}, .window_size = {window[0], window[1]}};
    bool is_inside = true;
    v.channels = input->dims[3];
    v.image = SLI_DATA(float, input) + n * v.size[0] * v.size[1] * v.channels;
    v.window = SLI_DATA(float, output) + n * window[0] * window[1] * v.channels;
    for (int i = 0; i < 2; i++) {
      v.start[i] = find_start(g, SLI_DATA(float, offsets)[2 * n + i], v.size[i], window[i]);
      is_inside = is_inside && v.start[i] >= 0 && v.start[i] + window[i] <= v.size[i];
    }
    if (!is_inside && g->noise == NOISE_UNIFORM) fill_uniform(&v, &random);
    if (!is_inside && g->noise == NOISE_GAUSSIAN) fill_gaussian(&v, &random);
    if (!is_inside && g->noise == NOISE_ZERO)
      memset(v.window, 0, (size_t)(window[0] * window[1] * v.channels) * sizeof(float));
    copy_overlap(&v);
  }
  return NULL;
}

static sli_status_t *glimpse_shape(sli_infer_context_t *c) {
  sli_shape_t input, offsets;
  int64_t batch, size[2];
  bool is_uniform;
  sli_view_t noise;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "uniform_noise", &is_uniform));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(c->node, "noise", &noise));
  if (is_uniform && noise.size && !sli_view_is(noise, "uniform"))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The uniform_noise and noise should not be specified at the same time");
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &input));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 2, &offsets));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(input.dims[0], offsets.dims[0], &batch));
  SLI_RETURN_IF_ERROR(sli_resize_require_dim(offsets.dims[1], 2));
  SLI_RETURN_IF_ERROR(sli_resize_size_dims(c, 1, size));
  sli_infer_set_output(c, 0, sli_infer_make(c, 4, (int64_t[]){batch, size[0], size[1], input.dims[3]}));
  return NULL;
}

#define GLIMPSE_ATTRS \
  "centered: bool = true; normalized: bool = true; uniform_noise: bool = true; noise: string = 'uniform'"

static const sli_op_def_t ops[] = {
    {.name = "ExtractGlimpse",
     .inputs = "input: float, size: int32, offsets: float",
     .outputs = "glimpse: float",
     .attrs = GLIMPSE_ATTRS,
     .summary = "A window of each image.",
     .shape = glimpse_shape,
     .not_differentiable = true},
    {.name = "ExtractGlimpseV2",
     .inputs = "input: float, size: int32, offsets: float",
     .outputs = "glimpse: float",
     .attrs = GLIMPSE_ATTRS,
     .summary = "A window of each image; offsets in pixels are those of its first pixel.",
     .shape = glimpse_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ExtractGlimpse", .compute = glimpse_compute, .create = glimpse_create, .destroy = glimpse_destroy},
    {.op = "ExtractGlimpseV2", .compute = glimpse_compute, .create = glimpse_create, .destroy = glimpse_destroy},
};

SLI_OP_MODULE(glimpse);
