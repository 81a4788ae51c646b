// ScaleAndTranslate: scales images by any factor and moves them, with a choice of kernels. If |antialias|, a kernel is
// widened when images get smaller.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/image/resample.h"
#include "ops/image/resize.h"

// --- Kernels, by the distance from their centre ---------------------------------------------------

static float lanczos(float x, float radius) {
  const float pi = 3.14159265359f;
  if (x > radius) return 0;
  if (x <= 1e-3f) return 1;
  return radius * sinf(pi * x) * sinf(pi * x / radius) / (pi * pi * x * x);
}
static float lanczos1(float x) { return lanczos(x, 1); }
static float lanczos3(float x) { return lanczos(x, 3); }
static float lanczos5(float x) { return lanczos(x, 5); }
static float gaussian(float x) { return x >= 1.5f ? 0 : (float)exp(-x * x / (2.0 * 0.5 * 0.5)); }
static float box(float x) { return x < 0.5f ? 1 : x == 0.5f ? 0.5f : 0; }
static float triangle(float x) { return x < 1 ? 1 - x : 0; }
static float keys_cubic(float x) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2 : ((1.5f * x - 2.5f) * x) * x + 1;
}
static float mitchell_cubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return (((-7.0f / 18.0f) * x + 2) * x - 10.0f / 3.0f) * x + 16.0f / 9.0f;
  return (((7.0f / 6.0f) * x - 2) * x) * x + 8.0f / 9.0f;
}

typedef struct {
  const char *name;
  float radius;
  float (*weight)(float distance);
} sampling_t;

static const sampling_t samplings[] = {
    {"lanczos1", 1, lanczos1},
    {"lanczos3", 3, lanczos3},
    {"lanczos5", 5, lanczos5},
    {"gaussian", 1.5f, gaussian},
    {"box", 1, box},
    {"triangle", 1, triangle},
    {"keyscubic", 2, keys_cubic},
    {"mitchellcubic", 2, mitchell_cubic},
};

// --- Weights --------------------------------------------------------------------------------------

typedef struct {
  const sampling_t *sampling;
  bool antialias;
} scale_state_t;

static sli_status_t *scale_create(const sli_kernel_setup_t *setup, void **out_state) {
  scale_state_t state = {0};
  sli_view_t name;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "antialias", &state.antialias));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "kernel_type", &name));
  for (size_t i = 0; i < sizeof(samplings) / sizeof(samplings[0]); i++)
    if (sli_view_is(name, samplings[i].name)) state.sampling = &samplings[i];
  if (!state.sampling)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Unrecognized kernel type: %.*s", SLI_VIEW_ARG(name));
  *out_state = sli_memdup(&state, sizeof(state));
  return NULL;
}

static int64_t clamp(float value, int64_t size) {
  return value <= 0 ? 0 : value >= (float)(size - 1) ? size - 1 : (int64_t)value;
}

// The weights of element |i|: |taps| of them, zero where none is needed.
static void fill_taps(const scale_state_t *state, float inverse, float moved, float kernel_scale, int64_t size,
                      int64_t i, int64_t taps, int32_t *indices, float *weights) {
  const float at = ((float)i + 0.5f) * inverse + moved, reach = state->sampling->radius * kernel_scale;
  int64_t first = 0, last = -1;
  if (at >= 0 && at <= (float)size) {  // outside of the image, nothing is sampled
    first = clamp(ceilf(at - reach - 0.5f), size);
    last = clamp(floorf(at + reach - 0.5f), size);
  }
  float sum = 0;
  for (int64_t k = 0; k < taps; k++) {
    const int64_t j = first + k;
    indices[k] = (int32_t)(j < size ? j : size - 1);
    weights[k] = j <= last ? state->sampling->weight(fabsf(((float)j + 0.5f - at) / kernel_scale)) : 0;
    sum += weights[k];
  }
  const float factor = fabsf(sum) >= 1000.0f * FLT_MIN ? 1 / sum : 0;
  for (int64_t k = 0; k < taps; k++) weights[k] *= factor;
}

static sli_status_t *make_axis(const scale_state_t *state, int64_t count, int64_t size, float scale, float translation,
                               sli_resample_axis_t *out_axis) {
  const float inverse = (float)(1.0 / (double)scale), moved = -inverse * translation;
  const float kernel_scale = state->antialias && inverse > 1 ? inverse : 1;
  const float wanted = 2 * ceilf(state->sampling->radius * kernel_scale) + 1;
  const int64_t taps = wanted < (float)size ? (int64_t)wanted : size;
  SLI_RETURN_IF_ERROR(sli_resample_axis_create(count, size, taps, out_axis));
  for (int64_t i = 0; i < count; i++)
    fill_taps(state, inverse, moved, kernel_scale, size, i, taps, out_axis->indices + i * taps,
              out_axis->weights + i * taps);
  return NULL;
}

// --- The kernels of the ops -----------------------------------------------------------------------

static sli_status_t *read_pair(const sli_kernel_context_t *context, int index, float out_values[2]) {
  const sli_tensor_t *t = sli_kernel_input(context, index);
  if (t->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "t must be 1-dimensional%s", sli_tensor_shape_text(t).text);
  if (t->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "t must have two elements%s", sli_tensor_shape_text(t).text);
  out_values[0] = SLI_DATA(float, t)[0];
  out_values[1] = SLI_DATA(float, t)[1];
  return NULL;
}

static sli_status_t *read_transform(const sli_kernel_context_t *context, float scale[2], float translation[2]) {
  SLI_RETURN_IF_ERROR(read_pair(context, 2, scale));
  if (!(scale[0] > 0 && scale[1] > 0)) return sli_status_make(SLI_INVALID_ARGUMENT, "Scale must be greater than zero.");
  return read_pair(context, 3, translation);
}

// Scales input 0, or if |is_gradient| a gradient of images of |size| back to them.
static sli_status_t *run_scale(sli_kernel_context_t *context, const int64_t size[2], const int64_t scaled[2],
                               bool is_gradient) {
  const scale_state_t *state = sli_kernel_state(context);
  float scale[2], translation[2];
  sli_resample_axis_t axes[2] = {0};
  SLI_RETURN_IF_ERROR(read_transform(context, scale, translation));
  sli_status_t *status = NULL;
  for (int i = 0; i < 2 && !status; i++) {
    status = make_axis(state, scaled[i], size[i], scale[i], translation[i], &axes[i]);
    if (!status && is_gradient) status = sli_resample_axis_transpose(&axes[i]);
  }
  if (!status) status = sli_resample(context, sli_kernel_input(context, 0), &axes[0], &axes[1]);
  for (int i = 0; i < 2; i++) sli_resample_axis_deinitialize(&axes[i]);
  return status;
}

static sli_status_t *scale_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *images = sli_kernel_input(context, 0), *size = sli_kernel_input(context, 1);
  if (images->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be 4-dimensional%s", sli_tensor_shape_text(images).text);
  if (size->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output_shape_t must be 1-dimensional%s",
                           sli_tensor_shape_text(size).text);
  if (size->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output_shape_t must have two elements%s",
                           sli_tensor_shape_text(size).text);
  if (images->dims[1] >= INT32_MAX || images->dims[2] >= INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input sizes must be between 0 and max int32");
  const int64_t scaled[2] = {SLI_DATA(int32_t, size)[0], SLI_DATA(int32_t, size)[1]};
  if (scaled[0] <= 0 || scaled[1] <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output dimensions must be positive");
  if (images->dims[3] <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "image must have at least one channel");
  if (images->dims[1] <= 0 || images->dims[2] <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input image must be of non-zero size");
  SLI_RETURN_IF_ERROR(sli_tensor_check_shape(SLI_SHAPE(images->dims[0], scaled[0], scaled[1], images->dims[3])));
  return run_scale(context, images->dims + 1, scaled, false);
}

static sli_status_t *scale_grad_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *grads = sli_kernel_input(context, 0), *original = sli_kernel_input(context, 1);
  if (grads->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input_grad must be 4-dimensional%s",
                           sli_tensor_shape_text(grads).text);
  if (original->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "original_image must be 4-dimensional%s",
                           sli_tensor_shape_text(original).text);
  if (original->dims[1] >= INT32_MAX || original->dims[2] >= INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "original sizes must be between 0 and max int32");
  if (grads->dims[0] != original->dims[0] || grads->dims[3] != original->dims[3])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "input_grad and original_image must have the same batch size and channels, got %s and %s",
                           sli_tensor_shape_text(grads).text, sli_tensor_shape_text(original).text);
  for (int i = 1; i < 3; i++) {
    if (original->dims[i] <= 0 || grads->dims[i] <= 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "input_grad and original_image must have pixels, got %s and %s",
                             sli_tensor_shape_text(grads).text, sli_tensor_shape_text(original).text);
  }
  return run_scale(context, original->dims + 1, grads->dims + 1, true);
}

static sli_status_t *scale_gradient(sli_gradient_builder_t *b) {
  static const char *const names[] = {"kernel_type", "antialias"};
  sli_attr_entry_t attrs[2];
  sli_resize_copy_attrs(b, names, 2, attrs);
  sli_output_t inputs[] = {sli_gradient_of_output(b, 0), sli_gradient_input(b, 0), sli_gradient_input(b, 2),
                           sli_gradient_input(b, 3)};
  sli_gradient_set(b, 0, sli_gradient_emit(b, "ScaleAndTranslateGrad", inputs, 4, attrs, 2));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "ScaleAndTranslate",
     .inputs = "images: T, size: int32, scale: float, translation: float",
     .outputs = "resized_images: float",
     .attrs = "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}; kernel_type: string = "
              "'lanczos3'; antialias: bool = true",
     .summary = "Scales and moves images.",
     .shape = sli_resize_shape,
     .gradient = scale_gradient},
    {.name = "ScaleAndTranslateGrad",
     .inputs = "grads: T, original_image: T, scale: float, translation: float",
     .outputs = "output: T",
     .attrs = "T: {float}; kernel_type: string = 'lanczos3'; antialias: bool = true",
     .summary = "The gradient of ScaleAndTranslate.",
     .shape = sli_resize_gradient_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ScaleAndTranslate",
     .types = SLI_TYPES_REAL,
     .host_memory = "size, scale, translation",
     .compute = scale_compute,
     .create = scale_create,
     .destroy = free,
     .cost = 5},
    {.op = "ScaleAndTranslateGrad",
     .types = SLI_TYPE_FLOAT,
     .host_memory = "scale, translation",
     .compute = scale_grad_compute,
     .create = scale_create,
     .destroy = free,
     .cost = 5},
};

SLI_OP_MODULE(scale_and_translate);
