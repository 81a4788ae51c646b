// ResizeBicubic: each pixel is the weighted sum of 4 x 4. The weights come from a table of 1,024 steps between two
// pixels, as in TensorFlow. With half_pixel_centers they are those of Keys, and pixels outside of the image count
// nothing; without, a pixel of the border counts in their place.
#include <float.h>
#include <stdlib.h>

#include "ops/image/resample.h"
#include "ops/image/resize.h"

enum { STEPS = 1024 };

// The kernel within one pixel of its centre, and between one and two.
static float near_weight(float x, float a) { return ((a + 2) * x - (a + 3)) * x * x + 1; }
static float far_weight(float x, float a) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; }

static void fill_taps(const sli_resize_t *r, float at, int64_t size, int32_t *indices, float *weights) {
  const float a = r->half_pixel_centers ? -0.5f : -0.75f;
  const int64_t first = (int64_t)floorf(at);
  const int step = (int)lrintf((at - floorf(at)) * STEPS);
  const float before = (float)step / STEPS, after = (float)(STEPS - step) / STEPS;
  const float values[4] = {far_weight(before + 1, a), near_weight(before, a), near_weight(after, a),
                           far_weight(after + 1, a)};
  float sum = 0;
  for (int k = 0; k < 4; k++) {
    int64_t wanted = first - 1 + k, index = wanted < 0 ? 0 : wanted > size - 1 ? size - 1 : wanted;
    indices[k] = (int32_t)index;
    weights[k] = r->half_pixel_centers && index != wanted ? 0 : values[k];
    sum += weights[k];
  }
  if (r->half_pixel_centers && fabsf(sum) >= 1000.0f * FLT_MIN) {
    for (int k = 0; k < 4; k++) weights[k] *= 1 / sum;
  }
}

static sli_status_t *make_axis(const sli_resize_t *r, int64_t resized, int64_t size, float scale,
                               sli_resample_axis_t *out_axis) {
  SLI_RETURN_IF_ERROR(sli_resample_axis_create(resized, size, 4, out_axis));
  for (int64_t i = 0; i < resized; i++)
    fill_taps(r, sli_resize_position(r, i, scale), size, out_axis->indices + 4 * i, out_axis->weights + 4 * i);
  return NULL;
}

static sli_status_t *run_bicubic(sli_kernel_context_t *context, const sli_resize_t *r, bool is_gradient) {
  sli_resample_axis_t y = {0}, x = {0};
  sli_status_t *status = make_axis(r, r->resized_height, r->height, r->height_scale, &y);
  if (!status) status = make_axis(r, r->resized_width, r->width, r->width_scale, &x);
  if (!status && is_gradient) status = sli_resample_axis_transpose(&y);
  if (!status && is_gradient) status = sli_resample_axis_transpose(&x);
  if (!status) status = sli_resample(context, sli_kernel_input(context, 0), &y, &x);
  sli_resample_axis_deinitialize(&y);
  sli_resample_axis_deinitialize(&x);
  return status;
}

static sli_status_t *bicubic_compute(sli_kernel_context_t *context) {
  sli_resize_t r;
  SLI_RETURN_IF_ERROR(sli_resize_prepare(context, &r));
  return run_bicubic(context, &r, false);
}

static sli_status_t *bicubic_grad_compute(sli_kernel_context_t *context) {
  sli_resize_t r;
  SLI_RETURN_IF_ERROR(sli_resize_prepare_gradient(context, &r));
  return run_bicubic(context, &r, true);
}

static sli_status_t *bicubic_gradient(sli_gradient_builder_t *b) {
  static const char *const names[] = {"align_corners", "half_pixel_centers"};
  sli_attr_entry_t attrs[2];
  if (!sli_types_contain(SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE, sli_gradient_dtype(b, sli_gradient_input(b, 0))))
    return NULL;
  sli_resize_copy_attrs(b, names, 2, attrs);
  sli_output_t inputs[] = {sli_gradient_of_output(b, 0), sli_gradient_input(b, 0)};
  sli_gradient_set(b, 0, sli_gradient_emit(b, "ResizeBicubicGrad", inputs, 2, attrs, 2));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "ResizeBicubic",
     .inputs = "images: T, size: int32",
     .outputs = "resized_images: float",
     .attrs = "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; align_corners: bool = "
              "false; half_pixel_centers: bool = false",
     .summary = "Resizes images by bicubic interpolation.",
     .shape = sli_resize_shape,
     .gradient = bicubic_gradient},
    {.name = "ResizeBicubicGrad",
     .inputs = "grads: float, original_image: T",
     .outputs = "output: T",
     .attrs = "T: {float, double}; align_corners: bool = false; half_pixel_centers: bool = false",
     .summary = "The gradient of ResizeBicubic.",
     .shape = sli_resize_gradient_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ResizeBicubic", .types = SLI_TYPES_REAL, .host_memory = "size", .compute = bicubic_compute},
    {.op = "ResizeBicubicGrad", .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE, .compute = bicubic_grad_compute},
};

SLI_OP_MODULE(resize_bicubic);
