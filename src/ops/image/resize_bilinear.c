// ResizeBilinear: each pixel is interpolated between four, first along its row, then between two rows, in the order and
// the arithmetic of TensorFlow, so that a plain surface keeps its value exactly.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "math/simd.h"
#include "ops/image/pixels.h"
#include "ops/image/resample.h"
#include "ops/image/resize.h"

typedef struct {
  int64_t lower, upper;
  float lerp;
} between_t;

static between_t find_between(const sli_resize_t *r, int64_t i, float scale, int64_t size) {
  float at = sli_resize_position(r, i, scale), floor_at = floorf(at);
  between_t b = {.lower = (int64_t)floor_at, .upper = (int64_t)ceilf(at), .lerp = at - floor_at};
  if (b.lower < 0) b.lower = 0;
  if (b.upper > size - 1) b.upper = size - 1;
  if (b.lower > b.upper) b.lower = b.upper;
  return b;
}

typedef struct {
  sli_resize_t r;
  const sli_tensor_t *images;
  float *output;
  between_t *columns;
} bilinear_t;

static inline void interpolate_columns(const between_t *columns, int64_t width, const float *row, int64_t channels,
                                       float *out) {
  for (int64_t x = 0; x < width; x++) {
    const float *left = row + columns[x].lower * channels, *right = row + columns[x].upper * channels;
    for (int64_t c = 0; c < channels; c++) out[x * channels + c] = left[c] + (right[c] - left[c]) * columns[x].lerp;
  }
}

SLI_SIMD static void interpolate_rows(const float *top, const float *bottom, float lerp, int64_t count, float *out) {
  for (int64_t i = 0; i < count; i++) out[i] = top[i] + (bottom[i] - top[i]) * lerp;
}

// Row |y| of image |n|, interpolated along its columns.
static void make_row(const bilinear_t *b, int64_t n, int64_t y, float *wide, float *out) {
  const sli_resize_t *r = &b->r;
  const int64_t count = r->width * r->channels;
  const void *source = sli_tensor_at(b->images, (n * r->height + y) * count);
  const float *row = sli_pixels_as_floats((sli_dtype_t)b->images->dtype, source, count, wide);
  switch (r->channels) {
    case 1: interpolate_columns(b->columns, r->resized_width, row, 1, out); break;
    case 3: interpolate_columns(b->columns, r->resized_width, row, 3, out); break;
    default: interpolate_columns(b->columns, r->resized_width, row, r->channels, out);
  }
}

// Neighbouring rows of the result often lie between the same two rows: these are kept.
static void bilinear_rows(void *context, int64_t begin, int64_t end) {
  const bilinear_t *b = context;
  const sli_resize_t *r = &b->r;
  const int64_t out_count = r->resized_width * r->channels;
  float *rows[2], *wide = sli_malloc((size_t)(r->width * r->channels + 2 * out_count) * sizeof(float));
  int64_t made[2] = {-1, -1};  // which row of which image each has
  rows[0] = wide + r->width * r->channels;
  rows[1] = rows[0] + out_count;
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t n = unit / r->resized_height, y = unit % r->resized_height;
    between_t at = find_between(r, y, r->height_scale, r->height);
    const int64_t wanted[2] = {n * r->height + at.lower, n * r->height + at.upper};
    int top = made[1] == wanted[0], bottom;
    if (made[top] != wanted[0]) make_row(b, n, at.lower, wide, rows[top]);
    made[top] = wanted[0];
    bottom = wanted[1] == wanted[0] ? top : !top;
    if (made[bottom] != wanted[1]) make_row(b, n, at.upper, wide, rows[bottom]);
    made[bottom] = wanted[1];
    interpolate_rows(rows[top], rows[bottom], at.lerp, out_count, b->output + unit * out_count);
  }
  free(wide);
}

static sli_status_t *bilinear_compute(sli_kernel_context_t *context) {
  bilinear_t b = {.images = sli_kernel_input(context, 0)};
  sli_resize_t *r = &b.r;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_resize_prepare(context, r));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(
      context, 0, SLI_SHAPE(r->batch, r->resized_height, r->resized_width, r->channels), &output));
  if (output->count == 0) return NULL;
  b.output = output->data;
  if (r->height == r->resized_height && r->width == r->resized_width) {
    const float *same = sli_pixels_as_floats((sli_dtype_t)b.images->dtype, b.images->data, output->count, b.output);
    if (same != b.output) memcpy(b.output, same, sli_tensor_bytes(output));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(
      sli_kernel_require_scratch(context, (r->width + 2 * r->resized_width) * r->channels, sizeof(float)));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, r->resized_width, sizeof(between_t)));
  b.columns = sli_malloc((size_t)r->resized_width * sizeof(between_t));
  for (int64_t x = 0; x < r->resized_width; x++) b.columns[x] = find_between(r, x, r->width_scale, r->width);
  sli_parallel_for(sli_kernel_pool(context), r->batch * r->resized_height,
                   (double)((r->resized_width * 2 + r->width) * r->channels), bilinear_rows, &b);
  free(b.columns);
  return NULL;
}

// --- The gradient ---------------------------------------------------------------------------------

static sli_status_t *make_axis(const sli_resize_t *r, int64_t resized, int64_t size, float scale,
                               sli_resample_axis_t *out_axis) {
  SLI_RETURN_IF_ERROR(sli_resample_axis_create(resized, size, 2, out_axis));
  for (int64_t i = 0; i < resized; i++) {
    between_t at = find_between(r, i, scale, size);
    out_axis->indices[2 * i] = (int32_t)at.lower;
    out_axis->indices[2 * i + 1] = (int32_t)at.upper;
    out_axis->weights[2 * i] = 1 - at.lerp;
    out_axis->weights[2 * i + 1] = at.lerp;
  }
  return sli_resample_axis_transpose(out_axis);
}

static sli_status_t *bilinear_grad_compute(sli_kernel_context_t *context) {
  sli_resize_t r;
  sli_resample_axis_t y = {0}, x = {0};
  SLI_RETURN_IF_ERROR(sli_resize_prepare_gradient(context, &r));
  sli_status_t *status = make_axis(&r, r.resized_height, r.height, r.height_scale, &y);
  if (!status) status = make_axis(&r, r.resized_width, r.width, r.width_scale, &x);
  if (!status) status = sli_resample(context, sli_kernel_input(context, 0), &y, &x);
  sli_resample_axis_deinitialize(&y);
  sli_resample_axis_deinitialize(&x);
  return status;
}

static sli_status_t *bilinear_gradient(sli_gradient_builder_t *b) {
  static const char *const names[] = {"align_corners", "half_pixel_centers"};
  sli_attr_entry_t attrs[2];
  sli_resize_copy_attrs(b, names, 2, attrs);
  sli_output_t inputs[] = {sli_gradient_of_output(b, 0), sli_gradient_input(b, 0)};
  sli_gradient_set(b, 0, sli_gradient_emit(b, "ResizeBilinearGrad", inputs, 2, attrs, 2));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "ResizeBilinear",
     .inputs = "images: T, size: int32",
     .outputs = "resized_images: float",
     .attrs = "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}; align_corners: "
              "bool = false; half_pixel_centers: bool = false",
     .summary = "Resizes images by bilinear interpolation.",
     .shape = sli_resize_shape,
     .gradient = bilinear_gradient},
    {.name = "ResizeBilinearGrad",
     .inputs = "grads: float, original_image: T",
     .outputs = "output: T",
     .attrs = "T: {float, bfloat16, half, double}; align_corners: bool = false; half_pixel_centers: bool = false",
     .summary = "The gradient of ResizeBilinear.",
     .shape = sli_resize_gradient_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ResizeBilinear", .types = SLI_TYPES_REAL, .host_memory = "size", .compute = bilinear_compute},
    {.op = "ResizeBilinearGrad", .types = SLI_TYPES_FLOATING, .compute = bilinear_grad_compute},
};

SLI_OP_MODULE(resize_bilinear);
