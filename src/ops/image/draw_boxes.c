// DrawBoundingBoxes and DrawBoundingBoxesV2: draw rectangles, given as fractions of the image, one pixel wide. V2 takes
// the colours, which are used in turn.
#include <string.h>

#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/image/pixels.h"

static const float default_colors[10][4] = {
    {1, 1, 0, 1},       {0, 0, 1, 1},    {1, 0, 0, 1},    {0, 1, 0, 1}, {0.5f, 0, 0.5f, 1},
    {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1}, {0, 1, 1, 1}, {1, 0, 1, 1},
};

typedef struct {
  sli_tensor_t *canvas;
  int64_t height, width, channels;
  const float *colors;  // rows of |color_size|
  int64_t color_count, color_size;
} canvas_t;

static void set_pixel(const canvas_t *c, int64_t image, int64_t y, int64_t x, const float *color) {
  int64_t at = ((image * c->height + y) * c->width + x) * c->channels;
  for (int64_t i = 0; i < c->channels; i++) {
    float value = c->channels == 1 && c->colors == default_colors[0] ? 1 : color[i];
    if (c->canvas->dtype == SLI_DTYPE_HALF)
      SLI_DATA(sli_half_t, c->canvas)[at + i] = sli_half_from_float(value);
    else
      SLI_DATA(float, c->canvas)[at + i] = value;
  }
}

// Fractions to pixels, towards zero; far outside stays outside.
static int64_t to_pixel(float fraction, int64_t size) {
  float at = fraction * (float)(size - 1);
  return at >= 1e9f ? 1000000000 : at > -1e9f ? (int64_t)at : -1000000000;
}

static void draw_box(const canvas_t *c, int64_t image, const float *box, const float *color) {
  const int64_t top = to_pixel(box[0], c->height), left = to_pixel(box[1], c->width);
  const int64_t bottom = to_pixel(box[2], c->height), right = to_pixel(box[3], c->width);
  if (top > bottom || left > right) return;  // inverted
  if (top >= c->height || bottom < 0 || left >= c->width || right < 0) return;
  const int64_t first_y = top < 0 ? 0 : top, last_y = bottom < c->height ? bottom : c->height - 1;
  const int64_t first_x = left < 0 ? 0 : left, last_x = right < c->width ? right : c->width - 1;
  for (int64_t x = first_x; x <= last_x; x++) {
    if (top >= 0) set_pixel(c, image, top, x, color);
    if (bottom < c->height) set_pixel(c, image, bottom, x, color);
  }
  for (int64_t y = first_y; y <= last_y; y++) {
    if (left >= 0) set_pixel(c, image, y, left, color);
    if (right < c->width) set_pixel(c, image, y, right, color);
  }
}

static sli_status_t *choose_colors(sli_kernel_context_t *context, canvas_t *c) {
  c->colors = default_colors[0];
  c->color_count = 10;
  c->color_size = 4;
  if (context->input_count < 3) return NULL;
  const sli_tensor_t *colors = sli_kernel_input(context, 2);
  if (colors->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "colors must be a 2-D matrix%s", sli_tensor_shape_text(colors).text);
  if (colors->dims[1] < c->channels)
    return sli_status_make(SLI_INVALID_ARGUMENT, "colors must have equal or more channels than the image provided: %s",
                           sli_tensor_shape_text(colors).text);
  if (colors->count == 0) return NULL;
  c->colors = colors->data;
  c->color_count = colors->dims[0];
  c->color_size = colors->dims[1];
  return NULL;
}

static sli_status_t *draw_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *images = sli_kernel_input(context, 0), *boxes = sli_kernel_input(context, 1);
  canvas_t c = {0};
  if (images->rank != 4) return sli_status_make(SLI_INVALID_ARGUMENT, "The rank of the images should be 4");
  if (boxes->rank != 3) return sli_status_make(SLI_INVALID_ARGUMENT, "The rank of the boxes tensor should be 3");
  if (images->dims[0] != boxes->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "The batch sizes should be the same");
  c.height = images->dims[1];
  c.width = images->dims[2];
  c.channels = images->dims[3];
  if (c.channels != 1 && c.channels != 3 && c.channels != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  if (boxes->dims[2] != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The size of the third dimension of the box must be 4. Received: %lld",
                           (long long)boxes->dims[2]);
  SLI_RETURN_IF_ERROR(choose_colors(context, &c));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(images), &c.canvas));
  if (images->count == 0) return NULL;
  memcpy(c.canvas->data, images->data, sli_tensor_bytes(images));
  for (int64_t i = 0; i < boxes->dims[0] * boxes->dims[1]; i++) {
    const float *color = c.colors + i % boxes->dims[1] % c.color_count * c.color_size;
    draw_box(&c, i / boxes->dims[1], SLI_DATA(float, boxes) + 4 * i, color);
  }
  return NULL;
}

static sli_status_t *draw_shape(sli_infer_context_t *c) {
  sli_shape_t images;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &images));
  return sli_infer_fn_unchanged(c);  // an unknown rank stays unknown
}

static const sli_op_def_t ops[] = {
    {.name = "DrawBoundingBoxes",
     .inputs = "images: T, boxes: float",
     .outputs = "output: T",
     .attrs = "T: {float, half} = DT_FLOAT",
     .summary = "Draws boxes on images.",
     .shape = draw_shape,
     .not_differentiable = true},
    {.name = "DrawBoundingBoxesV2",
     .inputs = "images: T, boxes: float, colors: float",
     .outputs = "output: T",
     .attrs = "T: {float, half} = DT_FLOAT",
     .summary = "Draws boxes on images in given colours.",
     .shape = draw_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "DrawBoundingBoxes", .types = SLI_TYPE_FLOAT | SLI_TYPE_HALF, .compute = draw_compute},
    {.op = "DrawBoundingBoxesV2", .types = SLI_TYPE_FLOAT | SLI_TYPE_HALF, .compute = draw_compute},
};

SLI_OP_MODULE(draw_boxes);
