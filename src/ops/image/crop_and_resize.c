// CropAndResize: crops boxes, given as fractions of the image, and resizes them to one size; what is outside of the
// image has a given value. Gradients go to the image and to the boxes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ops/image/pixels.h"
#include "ops/image/resize.h"

// --- Checks ---------------------------------------------------------------------------------------

static sli_status_t *check_boxes(const sli_tensor_t *boxes, const sli_tensor_t *indices, int64_t *out_count) {
  *out_count = 0;
  if (boxes->count == 0 && indices->count == 0) return NULL;
  if (boxes->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "boxes must be 2-D%s", sli_tensor_shape_text(boxes).text);
  if (boxes->dims[1] != 4) return sli_status_make(SLI_INVALID_ARGUMENT, "boxes must have 4 columns");
  for (int64_t i = 0; i < boxes->count; i++) {
    if (!isfinite(SLI_DATA(float, boxes)[i]))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Boxes contains at least one element that is not finite");
  }
  if (indices->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "box_index must be 1-D%s", sli_tensor_shape_text(indices).text);
  if (indices->dims[0] != boxes->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "box_index has incompatible shape");
  *out_count = boxes->dims[0];
  return NULL;
}

static sli_status_t *check_indices(const sli_tensor_t *indices, int64_t batch) {
  for (int64_t i = 0; i < indices->count; i++) {
    int32_t index = SLI_DATA(int32_t, indices)[i];
    if (index < 0 || index >= batch)
      return sli_status_make(SLI_OUT_OF_RANGE, "box_index has values outside [0, batch_size)");
  }
  return NULL;
}

static sli_status_t *require_rank4(const sli_tensor_t *tensor, const char *name) {
  if (tensor->rank == 4) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be 4-D%s", name, sli_tensor_shape_text(tensor).text);
}

static sli_status_t *require_positive(int64_t height, int64_t width, const char *name) {
  if (height > 0 && width > 0) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s dimensions must be positive", name);
}

// --- Positions ------------------------------------------------------------------------------------

typedef struct {
  int64_t height, width, channels;  // of the image
  int64_t crop_height, crop_width;
  bool is_nearest;
} crop_t;

// Where element |i| of |crop| elements, which cover [first, last] of |size| pixels, is.
static float crop_position(float first, float last, int64_t size, int64_t crop, int64_t i) {
  if (crop <= 1) return (float)(0.5 * (double)(first + last) * (double)(size - 1));
  float scale = (last - first) * (float)(size - 1) / (float)(crop - 1);
  return first * (float)(size - 1) + (float)i * scale;
}

static bool is_inside(float at, int64_t size) { return at >= 0 && at <= (float)(size - 1); }

// --- Forward --------------------------------------------------------------------------------------

typedef struct {
  crop_t crop;
  const sli_tensor_t *image, *boxes, *indices;
  float extrapolation;
  float *output;
} crop_work_t;

// The columns [*begin, *end) of the image that a row of the crop of |box| reads.
static void find_columns(const crop_t *crop, const float *box, int64_t *begin, int64_t *end) {
  *begin = crop->width;
  *end = 0;
  for (int64_t x = 0; x < crop->crop_width; x++) {
    float at = crop_position(box[1], box[3], crop->width, crop->crop_width, x);
    if (!is_inside(at, crop->width)) continue;
    if ((int64_t)floorf(at) < *begin) *begin = (int64_t)floorf(at);
    if ((int64_t)ceilf(at) + 1 > *end) *end = (int64_t)ceilf(at) + 1;
  }
}

// The pixels of row |y| of an image from column |begin| on.
static const float *load_row(const crop_work_t *w, int32_t index, int64_t y, int64_t begin, int64_t end,
                             float *buffer) {
  const crop_t *crop = &w->crop;
  int64_t at = ((index * crop->height + y) * crop->width + begin) * crop->channels;
  return sli_pixels_as_floats((sli_dtype_t)w->image->dtype, sli_tensor_at(w->image, at), (end - begin) * crop->channels,
                              buffer);
}

static void crop_row(const crop_work_t *w, const float *box, int32_t index, int64_t y, float *buffer, float *out) {
  const crop_t *crop = &w->crop;
  const int64_t channels = crop->channels;
  float in_y = crop_position(box[0], box[2], crop->height, crop->crop_height, y);
  int64_t begin, end;
  find_columns(crop, box, &begin, &end);
  if (!is_inside(in_y, crop->height) || begin >= end) {
    for (int64_t i = 0; i < crop->crop_width * channels; i++) out[i] = w->extrapolation;
    return;
  }
  const int64_t top_y = (int64_t)(crop->is_nearest ? roundf(in_y) : floorf(in_y)), bottom_y = (int64_t)ceilf(in_y);
  const float y_lerp = in_y - floorf(in_y);
  const float *top = load_row(w, index, top_y, begin, end, buffer), *bottom = top;
  if (!crop->is_nearest && bottom_y != top_y)
    bottom = load_row(w, index, bottom_y, begin, end, buffer + crop->width * channels);
  for (int64_t x = 0; x < crop->crop_width; x++, out += channels) {
    float in_x = crop_position(box[1], box[3], crop->width, crop->crop_width, x);
    if (!is_inside(in_x, crop->width)) {
      for (int64_t c = 0; c < channels; c++) out[c] = w->extrapolation;
    } else if (crop->is_nearest) {
      memcpy(out, top + ((int64_t)roundf(in_x) - begin) * channels, (size_t)channels * sizeof(float));
    } else {
      int64_t left = ((int64_t)floorf(in_x) - begin) * channels, right = ((int64_t)ceilf(in_x) - begin) * channels;
      float x_lerp = in_x - floorf(in_x);
      for (int64_t c = 0; c < channels; c++) {
        float above = top[left + c] + (top[right + c] - top[left + c]) * x_lerp;
        float below = bottom[left + c] + (bottom[right + c] - bottom[left + c]) * x_lerp;
        out[c] = above + (below - above) * y_lerp;
      }
    }
  }
}

static void crop_rows(void *context, int64_t begin, int64_t end) {
  const crop_work_t *w = context;
  const crop_t *crop = &w->crop;
  float *buffer = sli_malloc((size_t)(2 * crop->width * crop->channels) * sizeof(float) + 1);
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t b = unit / crop->crop_height;
    crop_row(w, SLI_DATA(float, w->boxes) + 4 * b, SLI_DATA(int32_t, w->indices)[b], unit % crop->crop_height, buffer,
             w->output + unit * crop->crop_width * crop->channels);
  }
  free(buffer);
}

static sli_status_t *read_method(const sli_node_def_t *node, crop_t *crop) {
  sli_view_t method;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "method", &method));
  crop->is_nearest = sli_view_is(method, "nearest");
  return NULL;
}

static sli_status_t *crop_compute(sli_kernel_context_t *context) {
  crop_work_t w = {.image = sli_kernel_input(context, 0),
                   .boxes = sli_kernel_input(context, 1),
                   .indices = sli_kernel_input(context, 2)};
  const sli_tensor_t *size = sli_kernel_input(context, 3);
  sli_tensor_t *output;
  int64_t count;
  SLI_RETURN_IF_ERROR(read_method(context->node, &w.crop));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(context->node, "extrapolation_value", &w.extrapolation));
  SLI_RETURN_IF_ERROR(require_rank4(w.image, "input image"));
  SLI_RETURN_IF_ERROR(require_positive(w.image->dims[1], w.image->dims[2], "image"));
  if (w.indices->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "box_indices must be rank 1 but is shape %s",
                           sli_tensor_shape_text(w.indices).text);
  SLI_RETURN_IF_ERROR(check_boxes(w.boxes, w.indices, &count));
  if (size->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "crop_size must be 1-D%s", sli_tensor_shape_text(size).text);
  if (size->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "crop_size must have two elements%s",
                           sli_tensor_shape_text(size).text);
  w.crop.height = w.image->dims[1];
  w.crop.width = w.image->dims[2];
  w.crop.channels = w.image->dims[3];
  w.crop.crop_height = SLI_DATA(int32_t, size)[0];
  w.crop.crop_width = SLI_DATA(int32_t, size)[1];
  SLI_RETURN_IF_ERROR(require_positive(w.crop.crop_height, w.crop.crop_width, "crop"));
  SLI_RETURN_IF_ERROR(sli_tensor_check_shape(SLI_SHAPE(count, w.crop.crop_height, w.crop.crop_width, w.crop.channels)));
  SLI_RETURN_IF_ERROR(check_indices(w.indices, w.image->dims[0]));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(
      context, 0, SLI_SHAPE(count, w.crop.crop_height, w.crop.crop_width, w.crop.channels), &output));
  w.output = output->data;
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, 2 * w.crop.width * w.crop.channels, sizeof(float)));
  if (output->count)
    sli_parallel_for(sli_kernel_pool(context), count * w.crop.crop_height,
                     (double)(w.crop.crop_width * (10 + 4 * w.crop.channels)), crop_rows, &w);
  return NULL;
}

// --- The gradient of the image --------------------------------------------------------------------

typedef struct {
  crop_t crop;
  const sli_tensor_t *grads, *boxes, *indices;
  int64_t count;
  sli_tensor_t *output;  // with floats or doubles
} image_gradient_t;

static void add_pixel(const image_gradient_t *w, int64_t at, const float *grads, float weight) {
  for (int64_t c = 0; c < w->crop.channels; c++) {
    if (w->output->dtype == SLI_DTYPE_DOUBLE)
      SLI_DATA(double, w->output)[at + c] += (double)(grads[c] * weight);
    else
      SLI_DATA(float, w->output)[at + c] += grads[c] * weight;
  }
}

static void add_crop(const image_gradient_t *w, int64_t b, int64_t image) {
  const crop_t *crop = &w->crop;
  const float *box = SLI_DATA(float, w->boxes) + 4 * b;
  const float *grads = SLI_DATA(float, w->grads) + b * crop->crop_height * crop->crop_width * crop->channels;
  for (int64_t y = 0; y < crop->crop_height; y++) {
    float in_y = crop_position(box[0], box[2], crop->height, crop->crop_height, y);
    for (int64_t x = 0; x < crop->crop_width; x++, grads += crop->channels) {
      float in_x = crop_position(box[1], box[3], crop->width, crop->crop_width, x);
      if (!is_inside(in_y, crop->height) || !is_inside(in_x, crop->width)) continue;
      const int64_t rows[2] = {image * crop->height + (int64_t)floorf(in_y),
                               image * crop->height + (int64_t)ceilf(in_y)};
      const int64_t columns[2] = {(int64_t)floorf(in_x), (int64_t)ceilf(in_x)};
      const float y_lerp = in_y - floorf(in_y), x_lerp = in_x - floorf(in_x);
      if (crop->is_nearest) {
        int64_t row = image * crop->height + (int64_t)roundf(in_y);
        add_pixel(w, (row * crop->width + (int64_t)roundf(in_x)) * crop->channels, grads, 1);
        continue;
      }
      for (int k = 0; k < 4; k++) {
        float weight = (k & 2 ? y_lerp : 1 - y_lerp) * (k & 1 ? x_lerp : 1 - x_lerp);
        add_pixel(w, (rows[k >> 1] * crop->width + columns[k & 1]) * crop->channels, grads, weight);
      }
    }
  }
}

// Each image gets the gradients of its boxes, in their order.
static void image_gradient_range(void *context, int64_t begin, int64_t end) {
  const image_gradient_t *w = context;
  for (int64_t image = begin; image < end; image++) {
    for (int64_t b = 0; b < w->count; b++)
      if (SLI_DATA(int32_t, w->indices)[b] == image) add_crop(w, b, image);
  }
}

static sli_status_t *prepare_image_gradient(sli_kernel_context_t *context, image_gradient_t *w, int64_t *batch) {
  const sli_tensor_t *size = sli_kernel_input(context, 3);
  SLI_RETURN_IF_ERROR(read_method(context->node, &w->crop));
  SLI_RETURN_IF_ERROR(require_rank4(w->grads, "grads image"));
  w->crop.crop_height = w->grads->dims[1];
  w->crop.crop_width = w->grads->dims[2];
  SLI_RETURN_IF_ERROR(require_positive(w->crop.crop_height, w->crop.crop_width, "grads"));
  SLI_RETURN_IF_ERROR(check_boxes(w->boxes, w->indices, &w->count));
  if (w->grads->dims[0] != w->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "boxes and grads have incompatible shape");
  if (size->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "image_size must be 1-D%s", sli_tensor_shape_text(size).text);
  if (size->count != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "image_size must have 4 elements%s", sli_tensor_shape_text(size).text);
  const int32_t *dims = size->data;
  *batch = dims[0];
  w->crop.height = dims[1];
  w->crop.width = dims[2];
  w->crop.channels = dims[3];
  SLI_RETURN_IF_ERROR(require_positive(w->crop.height, w->crop.width, "image"));
  if (w->grads->dims[3] != w->crop.channels)
    return sli_status_make(SLI_INVALID_ARGUMENT, "image_size and grads are incompatible");
  return check_indices(w->indices, *batch);
}

static sli_status_t *image_gradient_compute(sli_kernel_context_t *context) {
  image_gradient_t w = {.grads = sli_kernel_input(context, 0),
                        .boxes = sli_kernel_input(context, 1),
                        .indices = sli_kernel_input(context, 2)};
  int64_t batch = 0;
  sli_tensor_t *output, *wide = NULL;
  SLI_RETURN_IF_ERROR(prepare_image_gradient(context, &w, &batch));
  sli_shape_t shape = SLI_SHAPE(batch, w.crop.height, w.crop.width, w.crop.channels);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  if (output->count == 0) return NULL;
  if (output->dtype == SLI_DTYPE_HALF)
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, SLI_DTYPE_FLOAT, shape, &wide));
  w.output = wide ? wide : output;
  memset(w.output->data, 0, sli_tensor_bytes(w.output));
  sli_parallel_for(sli_kernel_pool(context), batch, 10.0 * (double)w.grads->count / (double)batch, image_gradient_range,
                   &w);
  if (wide) sli_pixels_from_floats(SLI_DTYPE_HALF, wide->data, output->count, output->data);
  sli_tensor_release(wide);
  return NULL;
}

// --- The gradient of the boxes --------------------------------------------------------------------

typedef struct {
  crop_work_t work;
  const sli_tensor_t *grads;
} box_gradient_t;

// Adds the gradient of a row of the crop to |sums|: y1, x1, y2, x2.
static void add_box_row(const box_gradient_t *g, int64_t b, int64_t y, float *buffer, float *sums) {
  const crop_work_t *w = &g->work;
  const crop_t *crop = &w->crop;
  const float *box = SLI_DATA(float, w->boxes) + 4 * b;
  const float *grads = SLI_DATA(float, g->grads) + (b * crop->crop_height + y) * crop->crop_width * crop->channels;
  const int64_t last_y = crop->height - 1, last_x = crop->width - 1;
  const float y_ratio = crop->crop_height > 1 ? (float)last_y / (float)(crop->crop_height - 1) : 0;
  const float x_ratio = crop->crop_width > 1 ? (float)last_x / (float)(crop->crop_width - 1) : 0;
  float in_y = crop_position(box[0], box[2], crop->height, crop->crop_height, y);
  int64_t begin, end;
  find_columns(crop, box, &begin, &end);
  if (!is_inside(in_y, crop->height) || begin >= end) return;
  const int32_t index = SLI_DATA(int32_t, w->indices)[b];
  const float *top = load_row(w, index, (int64_t)floorf(in_y), begin, end, buffer);
  const float *bottom = load_row(w, index, (int64_t)ceilf(in_y), begin, end, buffer + crop->width * crop->channels);
  const float y_lerp = in_y - floorf(in_y);
  for (int64_t x = 0; x < crop->crop_width; x++, grads += crop->channels) {
    float in_x = crop_position(box[1], box[3], crop->width, crop->crop_width, x);
    if (!is_inside(in_x, crop->width)) continue;
    const int64_t left = ((int64_t)floorf(in_x) - begin) * crop->channels;
    const int64_t right = ((int64_t)ceilf(in_x) - begin) * crop->channels;
    const float x_lerp = in_x - floorf(in_x);
    for (int64_t c = 0; c < crop->channels; c++) {
      float dy = (1 - x_lerp) * (bottom[left + c] - top[left + c]) + x_lerp * (bottom[right + c] - top[right + c]);
      float dx = (1 - y_lerp) * (top[right + c] - top[left + c]) + y_lerp * (bottom[right + c] - bottom[left + c]);
      dy *= grads[c];
      dx *= grads[c];
      sums[0] += dy * (crop->crop_height > 1 ? (float)last_y - (float)y * y_ratio : 0.5f * (float)last_y);
      sums[2] += dy * (crop->crop_height > 1 ? (float)y * y_ratio : 0.5f * (float)last_y);
      sums[1] += dx * (crop->crop_width > 1 ? (float)last_x - (float)x * x_ratio : 0.5f * (float)last_x);
      sums[3] += dx * (crop->crop_width > 1 ? (float)x * x_ratio : 0.5f * (float)last_x);
    }
  }
}

static void box_gradient_range(void *context, int64_t begin, int64_t end) {
  const box_gradient_t *g = context;
  const crop_t *crop = &g->work.crop;
  float *buffer = sli_malloc((size_t)(2 * crop->width * crop->channels) * sizeof(float) + 1);
  for (int64_t b = begin; b < end; b++) {
    float *sums = g->work.output + 4 * b;
    memset(sums, 0, 4 * sizeof(float));
    for (int64_t y = 0; y < crop->crop_height; y++) add_box_row(g, b, y, buffer, sums);
  }
  free(buffer);
}

static sli_status_t *box_gradient_compute(sli_kernel_context_t *context) {
  box_gradient_t g = {.grads = sli_kernel_input(context, 0)};
  crop_work_t *w = &g.work;
  sli_tensor_t *output;
  int64_t count;
  w->image = sli_kernel_input(context, 1);
  w->boxes = sli_kernel_input(context, 2);
  w->indices = sli_kernel_input(context, 3);
  SLI_RETURN_IF_ERROR(require_rank4(g.grads, "grads image"));
  w->crop.crop_height = g.grads->dims[1];
  w->crop.crop_width = g.grads->dims[2];
  SLI_RETURN_IF_ERROR(require_positive(w->crop.crop_height, w->crop.crop_width, "grads"));
  SLI_RETURN_IF_ERROR(require_rank4(w->image, "input image"));
  w->crop.height = w->image->dims[1];
  w->crop.width = w->image->dims[2];
  w->crop.channels = w->image->dims[3];
  SLI_RETURN_IF_ERROR(require_positive(w->crop.height, w->crop.width, "image"));
  if (w->crop.channels != g.grads->dims[3]) return sli_status_make(SLI_INVALID_ARGUMENT, "image, grads depth differ");
  SLI_RETURN_IF_ERROR(check_boxes(w->boxes, w->indices, &count));
  if (g.grads->dims[0] != count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "boxes and grads have incompatible shape");
  SLI_RETURN_IF_ERROR(check_indices(w->indices, w->image->dims[0]));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(count, 4), &output));
  w->output = output->data;
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, 2 * w->crop.width * w->crop.channels, sizeof(float)));
  if (count)
    sli_parallel_for(sli_kernel_pool(context), count, 10.0 * (double)g.grads->count / (double)count, box_gradient_range,
                     &g);
  return NULL;
}

// --- Shapes, gradient, tables ---------------------------------------------------------------------

static sli_status_t *crop_shape(sli_infer_context_t *c) {
  sli_shape_t image, boxes, indices;
  int64_t count, size[2];
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &image));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 2, &boxes));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &indices));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(boxes.dims[0], indices.dims[0], &count));
  SLI_RETURN_IF_ERROR(sli_resize_require_dim(boxes.dims[1], 4));
  SLI_RETURN_IF_ERROR(sli_resize_size_dims(c, 3, size));
  sli_infer_set_output(c, 0, sli_infer_make(c, 4, (int64_t[]){count, size[0], size[1], image.dims[3]}));
  return NULL;
}

static sli_status_t *image_gradient_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 3, &shape));
  return sli_infer_with_rank(c, shape, 4, &c->outputs[0]);
}

static sli_status_t *box_gradient_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_input(c, 2));
  return NULL;
}

static sli_status_t *crop_gradient(sli_gradient_builder_t *b) {
  sli_output_t image = sli_gradient_input(b, 0), boxes = sli_gradient_input(b, 1), indices = sli_gradient_input(b, 2);
  sli_output_t gradient = sli_gradient_of_output(b, 0), size;
  sli_shape_t shape = b->shape(b, image);
  bool is_known = shape.rank == 4;
  int32_t dims[4];
  for (int i = 0; i < 4 && is_known; i++) {
    is_known = shape.dims[i] >= 0;
    dims[i] = (int32_t)shape.dims[i];
  }
  sli_dtype_t dtype = sli_gradient_dtype(b, image);
  if (sli_types_contain(SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE, dtype)) {
    size = is_known ? sli_gradient_const_ints(b, dims, 4) : SLI_EMIT(b, "Shape", SLI_INPUTS(image));
    sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("T", dtype), {"method", *sli_node_attr(b->node, "method")}};
    sli_output_t inputs[] = {gradient, boxes, indices, size};
    sli_gradient_set(b, 0, sli_gradient_emit(b, "CropAndResizeGradImage", inputs, 4, attrs, 2));
  }
  sli_gradient_set(b, 1, SLI_EMIT(b, "CropAndResizeGradBoxes", SLI_INPUTS(gradient, image, boxes, indices)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "CropAndResize",
     .inputs = "image: T, boxes: float, box_ind: int32, crop_size: int32",
     .outputs = "crops: float",
     .attrs = "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}; method: {'bilinear', 'nearest'} = "
              "'bilinear'; extrapolation_value: float = 0",
     .summary = "Crops boxes from images and resizes them to one size.",
     .shape = crop_shape,
     .gradient = crop_gradient},
    {.name = "CropAndResizeGradImage",
     .inputs = "grads: float, boxes: float, box_ind: int32, image_size: int32",
     .outputs = "output: T",
     .attrs = "T: {float, half, double}; method: {'bilinear', 'nearest'} = 'bilinear'",
     .summary = "The gradient of CropAndResize for the image.",
     .shape = image_gradient_shape},
    {.name = "CropAndResizeGradBoxes",
     .inputs = "grads: float, image: T, boxes: float, box_ind: int32",
     .outputs = "output: float",
     .attrs = "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}; method: {'bilinear'} = 'bilinear'",
     .summary = "The gradient of CropAndResize for the boxes.",
     .shape = box_gradient_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "CropAndResize", .types = SLI_TYPES_REAL, .host_memory = "crop_size", .compute = crop_compute, .cost = 2},
    {.op = "CropAndResizeGradImage",
     .types = SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .host_memory = "image_size",
     .compute = image_gradient_compute,
     .cost = 5},
    {.op = "CropAndResizeGradBoxes", .types = SLI_TYPES_REAL, .compute = box_gradient_compute, .cost = 5},
};

SLI_OP_MODULE(crop_and_resize);
