// ResizeNearestNeighbor: each pixel is a copy of the nearest one. The gradient adds up the copies.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "math/half.h"
#include "ops/image/resize.h"

// The pixel of |size| that is nearest to pixel |i|.
static int64_t nearest(const sli_resize_t *r, int64_t i, float scale, int64_t size) {
  float at = r->half_pixel_centers ? ((float)i + 0.5f) * scale : (float)i * scale;
  int64_t index = (int64_t)(r->align_corners ? roundf(at) : floorf(at));
  if (index > size - 1) index = size - 1;
  return index < 0 ? 0 : index;
}

static int64_t *make_columns(const sli_resize_t *r) {
  int64_t *columns = sli_malloc((size_t)r->resized_width * sizeof(int64_t));
  for (int64_t x = 0; x < r->resized_width; x++) columns[x] = nearest(r, x, r->width_scale, r->width);
  return columns;
}

typedef struct {
  sli_resize_t r;
  const sli_tensor_t *input;
  sli_tensor_t *output;
  int64_t *columns;
  int64_t *rows;  // of the gradient: the first resized row that was copied from each row or from a later one
} nearest_t;

static inline void copy_pixels(const nearest_t *w, const char *row, size_t pixel, char *out) {
  for (int64_t x = 0; x < w->r.resized_width; x++)
    memcpy(out + (size_t)x * pixel, row + (size_t)w->columns[x] * pixel, pixel);
}

static void nearest_rows(void *context, int64_t begin, int64_t end) {
  const nearest_t *w = context;
  const sli_resize_t *r = &w->r;
  const size_t pixel = (size_t)r->channels * sli_dtype_size((sli_dtype_t)w->input->dtype);
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t n = unit / r->resized_height, y = nearest(r, unit % r->resized_height, r->height_scale, r->height);
    const char *row = (const char *)w->input->data + (size_t)((n * r->height + y) * r->width) * pixel;
    char *out = (char *)w->output->data + (size_t)(unit * r->resized_width) * pixel;
    switch (pixel) {  // constant sizes make the copies single instructions
      case 1: copy_pixels(w, row, 1, out); break;
      case 3: copy_pixels(w, row, 3, out); break;
      case 4: copy_pixels(w, row, 4, out); break;
      case 12: copy_pixels(w, row, 12, out); break;
      default: copy_pixels(w, row, pixel, out);
    }
  }
}

static sli_status_t *nearest_compute(sli_kernel_context_t *context) {
  nearest_t w = {.input = sli_kernel_input(context, 0)};
  sli_resize_t *r = &w.r;
  SLI_RETURN_IF_ERROR(sli_resize_prepare(context, r));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(
      context, 0, SLI_SHAPE(r->batch, r->resized_height, r->resized_width, r->channels), &w.output));
  if (w.output->count == 0) return NULL;
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, r->resized_width, sizeof(int64_t)));
  w.columns = make_columns(r);
  sli_parallel_for(sli_kernel_pool(context), r->batch * r->resized_height, (double)(r->resized_width * r->channels),
                   nearest_rows, &w);
  free(w.columns);
  return NULL;
}

// --- The gradient ---------------------------------------------------------------------------------

// Adds a row of gradients, of resized_width pixels, to the row |sum|.
#define ADD_ROW(T, name)                                                                                   \
  static void add_##name(const nearest_t *w, const void *row, void *sum) {                                 \
    const T *in = row;                                                                                     \
    T *out = sum;                                                                                          \
    const int64_t channels = w->r.channels;                                                                \
    for (int64_t x = 0; x < w->r.resized_width; x++)                                                       \
      for (int64_t c = 0; c < channels; c++)                                                               \
        out[w->columns[x] * channels + c] = (T)(out[w->columns[x] * channels + c] + in[x * channels + c]); \
  }
ADD_ROW(float, float)
ADD_ROW(double, double)
ADD_ROW(int8_t, int8)
ADD_ROW(uint8_t, uint8)
ADD_ROW(uint32_t, int32)  // unsigned, because a sum may wrap

static void add_row(const nearest_t *w, const void *row, void *sum) {
  switch ((sli_dtype_t)w->input->dtype) {
    case SLI_DTYPE_FLOAT: add_float(w, row, sum); break;
    case SLI_DTYPE_DOUBLE: add_double(w, row, sum); break;
    case SLI_DTYPE_INT8: add_int8(w, row, sum); break;
    case SLI_DTYPE_UINT8: add_uint8(w, row, sum); break;
    default: add_int32(w, row, sum);
  }
}

// Rows [begin, end) of the original images: each is the sum of the rows that were copied from it.
static void nearest_grad_rows(void *context, int64_t begin, int64_t end) {
  const nearest_t *w = context;
  const sli_resize_t *r = &w->r;
  const sli_dtype_t dtype = (sli_dtype_t)w->input->dtype;
  const bool is_narrow = sli_half_is_narrow(dtype);
  const int64_t in_count = r->resized_width * r->channels, out_count = r->width * r->channels;
  float *wide = is_narrow ? sli_malloc((size_t)(in_count + out_count) * sizeof(float)) : NULL;
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t n = unit / r->height;
    void *out = sli_tensor_at(w->output, unit * out_count), *sum = is_narrow ? (void *)(wide + in_count) : out;
    memset(sum, 0, (size_t)out_count * (is_narrow ? sizeof(float) : sli_dtype_size(dtype)));
    for (int64_t y = w->rows[unit % r->height]; y < w->rows[unit % r->height + 1]; y++) {
      const void *row = sli_tensor_at(w->input, (n * r->resized_height + y) * in_count);
      if (is_narrow) {
        sli_half_widen(dtype, row, wide, in_count);
        add_float(w, wide, sum);
      } else {
        add_row(w, row, sum);
      }
    }
    if (is_narrow) sli_half_narrow(dtype, sum, out, out_count);
  }
  free(wide);
}

static sli_status_t *nearest_grad_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *size = sli_kernel_input(context, 1);
  nearest_t w = {.input = sli_kernel_input(context, 0)};
  sli_resize_t *r = &w.r;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "align_corners", &r->align_corners));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "half_pixel_centers", &r->half_pixel_centers));
  if (w.input->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be 4-dimensional%s", sli_tensor_shape_text(w.input).text);
  if (size->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape_t must be 1-dimensional%s", sli_tensor_shape_text(size).text);
  if (size->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape_t must have two elements%s", sli_tensor_shape_text(size).text);
  r->batch = w.input->dims[0];
  r->resized_height = w.input->dims[1];
  r->resized_width = w.input->dims[2];
  r->channels = w.input->dims[3];
  r->height = SLI_DATA(int32_t, size)[0];
  r->width = SLI_DATA(int32_t, size)[1];
  if (r->height <= 0 || r->width <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape_t's elements must be positive");
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_output(context, 0, SLI_SHAPE(r->batch, r->height, r->width, r->channels), &w.output));
  if (w.output->count == 0) return NULL;
  if (w.input->count == 0) {
    memset(w.output->data, 0, sli_tensor_bytes(w.output));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, r->resized_width + r->height, sizeof(int64_t)));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, (r->resized_width + r->width) * r->channels, sizeof(float)));
  r->height_scale = sli_resize_scale(r->height, r->resized_height, r->align_corners);
  r->width_scale = sli_resize_scale(r->width, r->resized_width, r->align_corners);
  w.columns = make_columns(r);
  w.rows = sli_malloc(((size_t)r->height + 1) * sizeof(int64_t));
  for (int64_t y = 0, row = 0; row <= r->height; row++) {
    while (y < r->resized_height && nearest(r, y, r->height_scale, r->height) < row) y++;
    w.rows[row] = y;
  }
  double rows = (double)r->resized_height / (double)r->height;
  sli_parallel_for(sli_kernel_pool(context), r->batch * r->height,
                   (rows * (double)r->resized_width + (double)r->width) * (double)r->channels, nearest_grad_rows, &w);
  free(w.columns);
  free(w.rows);
  return NULL;
}

static sli_status_t *nearest_gradient(sli_gradient_builder_t *b) {
  static const char *const names[] = {"align_corners", "half_pixel_centers"};
  sli_attr_entry_t attrs[2];
  sli_resize_copy_attrs(b, names, 2, attrs);
  sli_output_t image = sli_gradient_input(b, 0), size;
  sli_shape_t shape = b->shape(b, image);
  if (shape.rank == 4 && shape.dims[1] >= 0 && shape.dims[2] >= 0) {
    size = sli_gradient_const_ints(b, (int32_t[]){(int32_t)shape.dims[1], (int32_t)shape.dims[2]}, 2);
  } else {
    size = SLI_EMIT(b, "Slice",
                    SLI_INPUTS(SLI_EMIT(b, "Shape", SLI_INPUTS(image)), sli_gradient_const_ints(b, (int32_t[]){1}, 1),
                               sli_gradient_const_ints(b, (int32_t[]){2}, 1)));
  }
  sli_output_t inputs[] = {sli_gradient_of_output(b, 0), size};
  sli_gradient_set(b, 0, sli_gradient_emit(b, "ResizeNearestNeighborGrad", inputs, 2, attrs, 2));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "ResizeNearestNeighbor",
     .inputs = "images: T, size: int32",
     .outputs = "resized_images: T",
     .attrs = "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; align_corners: bool = "
              "false; half_pixel_centers: bool = false",
     .summary = "Resizes images by copying the nearest pixel.",
     .shape = sli_resize_shape,
     .gradient = nearest_gradient},
    {.name = "ResizeNearestNeighborGrad",
     .inputs = "grads: T, size: int32",
     .outputs = "output: T",
     .attrs = "T: {uint8, int8, int32, half, float, double, bfloat16}; align_corners: bool = false; "
              "half_pixel_centers: bool = false",
     .summary = "The gradient of ResizeNearestNeighbor.",
     .shape = sli_resize_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ResizeNearestNeighbor", .types = SLI_TYPES_REAL, .host_memory = "size", .compute = nearest_compute},
    {.op = "ResizeNearestNeighborGrad",
     .types = SLI_TYPES_REAL,
     .host_memory = "size",
     .compute = nearest_grad_compute},
};

SLI_OP_MODULE(resize_nearest);
