// FusedPadConv2D and FusedResizeAndPadConv2D: a convolution over images that are mirrored at their borders, and before
// that resized. They give what Conv2D gives after MirrorPad, and after ResizeBilinear.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ops/common/copy_elements.h"
#include "ops/image/pixels.h"
#include "ops/image/resize.h"
#include "ops/nn/convolution.h"
#include "ops/nn/window.h"

typedef struct {
  sli_window_t window;
  int offset;  // REFLECT does not repeat the border: 1; SYMMETRIC: 0
  bool align_corners;
} fused_pad_t;

static sli_status_t *fused_create(const sli_kernel_setup_t *setup, void **out_state) {
  fused_pad_t f = {0};
  sli_view_t mode;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_window_read(setup->node, 4, setup->node->op->def->name, &f.window));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "mode", &mode));
  if (sli_node_attr(setup->node, "resize_align_corners"))
    SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "resize_align_corners", &f.align_corners));
  f.offset = sli_view_is(mode, "REFLECT") ? 1 : 0;
  if (f.window.stride[0] != 1 || f.window.stride[3] != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Current implementation does not yet support strides in the batch and depth dimensions.");
  *out_state = sli_memdup(&f, sizeof(f));
  return NULL;
}

// --- Resizing -------------------------------------------------------------------------------------

// A pixel between two others: indices and how far it is from the first.
typedef struct {
  int64_t lower, upper;
  float lerp;
} fused_between_t;

static fused_between_t between(int64_t i, float scale, int64_t size) {
  const float at = (float)i * scale, floor_at = floorf(at);
  fused_between_t b = {(int64_t)floor_at, (int64_t)ceilf(at), at - floor_at};
  if (b.upper > size - 1) b.upper = size - 1;
  if (b.lower > b.upper) b.lower = b.upper;
  return b;
}

// A temporary tensor with |input| resized to |size|.
static sli_status_t *resize_input(sli_kernel_context_t *context, const sli_tensor_t *input, const int32_t *size,
                                  bool align_corners, sli_tensor_t **out_resized) {
  const int64_t height = input->dims[1], width = input->dims[2], channels = input->dims[3];
  const sli_dtype_t dtype = (sli_dtype_t)input->dtype;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(
      context, dtype, SLI_SHAPE(input->dims[0], size[0], size[1], channels), out_resized));
  const float y_scale = sli_resize_scale(height, size[0], align_corners);
  const float x_scale = sli_resize_scale(width, size[1], align_corners);
  float *wide = sli_malloc((size_t)(4 * channels + 1) * sizeof(float)),
        *result = sli_malloc((size_t)(channels + 1) * 4);
  for (int64_t row = 0; row < input->dims[0] * size[0]; row++) {
    const int64_t first = row / size[0] * height;
    const fused_between_t y = between(row % size[0], y_scale, height);
    for (int64_t column = 0; column < size[1]; column++) {
      const fused_between_t x = between(column, x_scale, width);
      const int64_t rows[] = {first + y.lower, first + y.upper}, columns[] = {x.lower, x.upper};
      const float *p[4];
      for (int k = 0; k < 4; k++)
        p[k] = sli_pixels_as_floats(dtype, sli_tensor_at(input, (rows[k / 2] * width + columns[k % 2]) * channels),
                                    channels, wide + k * channels);
      for (int64_t c = 0; c < channels; c++) {
        const float top = p[0][c] + (p[1][c] - p[0][c]) * x.lerp, bottom = p[2][c] + (p[3][c] - p[2][c]) * x.lerp;
        result[c] = top + (bottom - top) * y.lerp;
      }
      sli_pixels_from_floats(dtype, result, channels, sli_tensor_at(*out_resized, (row * size[1] + column) * channels));
    }
  }
  free(wide);
  free(result);
  return NULL;
}

// --- Padding --------------------------------------------------------------------------------------

static sli_status_t *check_paddings(const sli_tensor_t *paddings, const int64_t *dims, int offset, int64_t *padded) {
  if (paddings->rank != 2 || paddings->dims[1] != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "paddings must be a matrix with 2 columns: %s",
                           sli_tensor_shape_text(paddings).text);
  if (paddings->dims[0] != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The first dimension of paddings must be the rank of inputs%s",
                           sli_tensor_shape_text(paddings).text);
  const int32_t *values = paddings->data;
  for (int i = 0; i < 4; i++) {
    const int64_t before = values[2 * i], after = values[2 * i + 1];
    if (before < 0 || after < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Paddings must be non-negative: %lld %lld", (long long)before,
                             (long long)after);
    if (before > dims[i] - offset || after > dims[i] - offset) {
      if (before == 0 && after == 0) {  // nothing to mirror
        padded[i] = dims[i];
        continue;
      }
      return sli_status_make(SLI_INVALID_ARGUMENT, "paddings must be %s the dimension size: %lld, %lld %s %lld",
                             offset ? "less than" : "no greater than", (long long)before, (long long)after,
                             offset ? "not less than" : "greater than", (long long)dims[i]);
    }
    padded[i] = dims[i] + before + after;
  }
  return NULL;
}

// The element of |size| that element |i| of the padded dimension mirrors.
static int64_t mirrored(int64_t i, int64_t before, int64_t size, int offset) {
  i -= before;
  if (i < 0) return -i - 1 + offset;
  return i < size ? i : 2 * size - 1 - i - offset;
}

static void pad_pixels(const sli_tensor_t *input, const int32_t *paddings, int offset, const int64_t *padded,
                       sli_tensor_t *output) {
  const sli_dtype_t dtype = (sli_dtype_t)input->dtype;
  for (int64_t n = 0; n < padded[0]; n++) {
    const int64_t image = mirrored(n, paddings[0], input->dims[0], offset);
    for (int64_t y = 0; y < padded[1]; y++) {
      const int64_t row = image * input->dims[1] + mirrored(y, paddings[2], input->dims[1], offset);
      for (int64_t x = 0; x < padded[2]; x++) {
        const int64_t from = (row * input->dims[2] + mirrored(x, paddings[4], input->dims[2], offset)) * input->dims[3];
        const int64_t to = ((n * padded[1] + y) * padded[2] + x) * padded[3];
        if (padded[3] == input->dims[3]) {
          sli_elements_copy(dtype, sli_tensor_at(output, to), sli_tensor_at(input, from), padded[3]);
          continue;
        }
        for (int64_t c = 0; c < padded[3]; c++)
          sli_elements_copy(dtype, sli_tensor_at(output, to + c),
                            sli_tensor_at(input, from + mirrored(c, paddings[6], input->dims[3], offset)), 1);
      }
    }
  }
}

// --- The kernels ----------------------------------------------------------------------------------

static sli_status_t *plan_conv(const sli_window_t *window, const int64_t *in, const sli_tensor_t *filter,
                               sli_convolution_t *c) {
  if (filter->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "filter must be 4-dimensional: %s",
                           sli_tensor_shape_text(filter).text);
  if (in[3] != filter->dims[2])
    return sli_status_make(SLI_INVALID_ARGUMENT, "input and filter must have the same depth: %lld vs %lld",
                           (long long)in[3], (long long)filter->dims[2]);
  *c = (sli_convolution_t){.dtype = (sli_dtype_t)filter->dtype,
                           .batch = in[0],
                           .in_channels = in[3],
                           .out_channels = filter->dims[3],
                           .groups = 1,
                           .in = {1, in[1], in[2]},
                           .filter = {1, filter->dims[0], filter->dims[1]},
                           .out = {1, 1, 1},
                           .stride = {1, window->stride[1], window->stride[2]},
                           .dilation = {1, 1, 1}};
  for (int i = 1; i < 3; i++) {
    sli_window_extent_t extent;
    SLI_RETURN_IF_ERROR(sli_window_extent(window, i, in[i], c->filter[i], &extent));
    c->out[i] = extent.out;
    c->before[i] = extent.before;
    c->after[i] = extent.after;
  }
  return NULL;
}

// |source|: the images, which may have been resized.
static sli_status_t *pad_and_convolve(sli_kernel_context_t *context, const sli_tensor_t *source,
                                      const sli_tensor_t *paddings, const sli_tensor_t *filter) {
  const fused_pad_t *f = sli_kernel_state(context);
  int64_t padded[4];
  sli_convolution_t c;
  sli_tensor_t *output, *image = NULL;
  SLI_RETURN_IF_ERROR(check_paddings(paddings, source->dims, f->offset, padded));
  SLI_RETURN_IF_ERROR(plan_conv(&f->window, padded, filter, &c));
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_output(context, 0, SLI_SHAPE(c.batch, c.out[1], c.out[2], c.out_channels), &output));
  if (output->count == 0) return NULL;
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_temporary(context, (sli_dtype_t)source->dtype, (sli_shape_t){4, padded}, &image));
  if (source->count) pad_pixels(source, paddings->data, f->offset, padded, image);
  sli_status_t *status = sli_convolution_forward(context, &c, image->data, filter->data, NULL, output->data);
  sli_tensor_release(image);
  return status;
}

static sli_status_t *require_images(const sli_tensor_t *input) {
  if (input->rank == 4) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "input must be 4-dimensional%s", sli_tensor_shape_text(input).text);
}

static sli_status_t *pad_compute(sli_kernel_context_t *context) {
  SLI_RETURN_IF_ERROR(require_images(sli_kernel_input(context, 0)));
  return pad_and_convolve(context, sli_kernel_input(context, 0), sli_kernel_input(context, 1),
                          sli_kernel_input(context, 2));
}

static sli_status_t *resize_compute(sli_kernel_context_t *context) {
  const fused_pad_t *f = sli_kernel_state(context);
  const sli_tensor_t *input = sli_kernel_input(context, 0), *size = sli_kernel_input(context, 1);
  sli_tensor_t *resized = NULL;
  SLI_RETURN_IF_ERROR(require_images(input));
  if (size->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape_t must be 1-dimensional%s", sli_tensor_shape_text(size).text);
  if (size->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape_t must have two elements%s", sli_tensor_shape_text(size).text);
  const int32_t *sizes = size->data;
  if (sizes[0] <= 0 || sizes[1] <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output dimensions must be positive");
  if (input->dims[3] <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "image must have at least one channel");
  if (input->dims[1] <= 0 || input->dims[2] <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input image must be of non-zero size");
  SLI_RETURN_IF_ERROR(resize_input(context, input, sizes, f->align_corners, &resized));
  sli_status_t *status = pad_and_convolve(context, resized, sli_kernel_input(context, 2), sli_kernel_input(context, 3));
  sli_tensor_release(resized);
  return status;
}

// --- Shapes and tables ----------------------------------------------------------------------------

// |dims|: of the images before padding.
static sli_status_t *infer_conv(sli_infer_context_t *c, const int64_t *dims, int paddings_input) {
  sli_shape_t paddings, filter;
  sli_window_t window;
  int64_t padded[4], channels, out[2];
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, paddings_input, 2, &paddings));
  SLI_RETURN_IF_ERROR(sli_resize_require_dim(paddings.dims[0], 4));
  SLI_RETURN_IF_ERROR(sli_resize_require_dim(paddings.dims[1], 2));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, paddings_input + 1, 4, &filter));
  SLI_RETURN_IF_ERROR(sli_window_read(c->node, 4, "Operation", &window));
  const sli_tensor_t *values = sli_infer_input_constant(c, paddings_input);
  for (int i = 0; i < 4; i++) {
    padded[i] = -1;
    if (!values || dims[i] < 0) continue;
    const int64_t before = SLI_DATA(int32_t, values)[2 * i], after = SLI_DATA(int32_t, values)[2 * i + 1];
    if (before < 0 || after < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Paddings must be non-negative: %lld %lld", (long long)before,
                             (long long)after);
    padded[i] = dims[i] + before + after;
  }
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(padded[3], filter.dims[2], &channels));
  for (int i = 0; i < 2; i++)
    SLI_RETURN_IF_ERROR(sli_window_infer(&window, i + 1, padded[i + 1], filter.dims[i], &out[i]));
  sli_infer_set_output(c, 0, sli_infer_make(c, 4, (int64_t[]){padded[0], out[0], out[1], filter.dims[3]}));
  return NULL;
}

static sli_status_t *pad_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &input));
  return infer_conv(c, input.dims, 1);
}

static sli_status_t *resize_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  int64_t size[2];
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &input));
  SLI_RETURN_IF_ERROR(sli_resize_size_dims(c, 1, size));
  return infer_conv(c, (int64_t[]){input.dims[0], size[0], size[1], input.dims[3]}, 2);
}

#define CONV_ATTRS "mode: {'REFLECT', 'SYMMETRIC'}; strides: list(int); padding: {'SAME', 'VALID'}"

static const sli_op_def_t ops[] = {
    {.name = "FusedPadConv2D",
     .inputs = "input: T, paddings: int32, filter: T",
     .outputs = "output: T",
     .attrs = "T: {half, bfloat16, float, double}; " CONV_ATTRS,
     .summary = "A convolution over mirrored images.",
     .shape = pad_shape},
    {.name = "FusedResizeAndPadConv2D",
     .inputs = "input: T, size: int32, paddings: int32, filter: T",
     .outputs = "output: T",
     .attrs = "T: {half, float, double}; resize_align_corners: bool = false; " CONV_ATTRS,
     .summary = "A convolution over resized and mirrored images.",
     .shape = resize_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "FusedPadConv2D",
     .types = SLI_TYPES_FLOATING,
     .host_memory = "paddings",
     .compute = pad_compute,
     .create = fused_create,
     .destroy = free,
     .expensive = true,
     .cost = 10},
    {.op = "FusedResizeAndPadConv2D",
     .types = SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .host_memory = "size, paddings",
     .compute = resize_compute,
     .create = fused_create,
     .destroy = free,
     .expensive = true,
     .cost = 10},
};

SLI_OP_MODULE(fused_pad_conv);
