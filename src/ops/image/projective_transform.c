// ImageProjectiveTransformV2 and V3: each pixel (x, y) of the result is the one at
//   ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k),  k = c0 x + c1 y + 1,
// of the image, where a, b and c are a row of |transforms|. A fill mode tells what is outside of the image.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/image/resize.h"

typedef enum { FILL_REFLECT, FILL_WRAP, FILL_CONSTANT, FILL_NEAREST } fill_mode_t;

typedef struct {
  bool is_bilinear;
  fill_mode_t fill_mode;
} transform_state_t;

static sli_status_t *transform_create(const sli_kernel_setup_t *setup, void **out_state) {
  static const char *const names[] = {"REFLECT", "WRAP", "CONSTANT", "NEAREST"};
  transform_state_t state = {0};
  sli_view_t interpolation, fill_mode;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "interpolation", &interpolation));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "fill_mode", &fill_mode));
  state.is_bilinear = sli_view_is(interpolation, "BILINEAR");
  if (!state.is_bilinear && !sli_view_is(interpolation, "NEAREST"))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid interpolation %.*s. Supported types: NEAREST, BILINEAR",
                           SLI_VIEW_ARG(interpolation));
  while (state.fill_mode < 4 && !sli_view_is(fill_mode, names[state.fill_mode])) state.fill_mode++;
  if (state.fill_mode == 4)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Invalid fill_mode %.*s. Supported types: REFLECT, WRAP, CONSTANT, NEAREST",
                           SLI_VIEW_ARG(fill_mode));
  *out_state = sli_memdup(&state, sizeof(state));
  return NULL;
}

// --- Coordinates ----------------------------------------------------------------------------------

static float clamp(float x, int64_t size) { return x < 0 ? 0 : x > (float)(size - 1) ? (float)(size - 1) : x; }

// abcd becomes dcba|abcd|dcba.
static float reflect(float x, int64_t size) {
  const float twice = (float)(2 * size);
  if (size <= 1) return 0;
  if (x < 0) {
    x += twice * truncf(-x / twice);
    x = x < -(float)size ? x + twice : -x - 1;
  } else if (x > (float)(size - 1)) {
    x -= twice * truncf(x / twice);
    if (x >= (float)size) x = twice - x - 1;
  }
  return clamp(x, size);
}

// abcd becomes abcd|abcd|abcd.
static float wrap(float x, int64_t size) {
  const float last = (float)(size - 1);
  if (size <= 1) return 0;
  if (x < 0)
    x += (float)size * (truncf(-x / last) + 1);
  else if (x > last)
    x -= (float)size * truncf(x / last);
  return clamp(x, size);
}

static float map_coordinate(fill_mode_t mode, float x, int64_t size) {
  switch (mode) {
    case FILL_REFLECT: return x < 0 || x > (float)(size - 1) ? reflect(x, size) : x;
    case FILL_WRAP: return x < 0 || x > (float)(size - 1) ? wrap(x, size) : x;
    case FILL_NEAREST: return clamp(x, size);
    default: return x;
  }
}

// What is further away from the image than any image is large.
#define FAR_AWAY 4e9f

// --- Pixels ---------------------------------------------------------------------------------------

typedef struct {
  const transform_state_t *state;
  const sli_tensor_t *images, *transforms;
  sli_tensor_t *output;
  int64_t height, width, channels, out_height, out_width;
  float fill;
} transform_t;

// Element |at| of the images.
static float load(const transform_t *w, int64_t at) {
  switch ((sli_dtype_t)w->images->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, w->images)[at];
    case SLI_DTYPE_DOUBLE: return (float)SLI_DATA(double, w->images)[at];
    case SLI_DTYPE_UINT8: return SLI_DATA(uint8_t, w->images)[at];
    case SLI_DTYPE_INT32: return (float)SLI_DATA(int32_t, w->images)[at];
    case SLI_DTYPE_INT64: return (float)SLI_DATA(int64_t, w->images)[at];
    default: return sli_half_to_float(SLI_DATA(sli_half_t, w->images)[at]);
  }
}

// A float as the type of the images; whole types are cut off, and what does not fit is not defined.
static void store(const transform_t *w, int64_t at, float value) {
  switch ((sli_dtype_t)w->output->dtype) {
    case SLI_DTYPE_FLOAT: SLI_DATA(float, w->output)[at] = value; break;
    case SLI_DTYPE_DOUBLE: SLI_DATA(double, w->output)[at] = value; break;
    case SLI_DTYPE_UINT8: SLI_DATA(uint8_t, w->output)[at] = value >= 0 && value < 256 ? (uint8_t)value : 0; break;
    case SLI_DTYPE_INT32:
      SLI_DATA(int32_t, w->output)[at] = fabsf(value) < 2147483648.0f ? (int32_t)value : INT32_MIN;
      break;
    case SLI_DTYPE_INT64:
      SLI_DATA(int64_t, w->output)[at] = fabsf(value) < 9223372036854775808.0f ? (int64_t)value : INT64_MIN;
      break;
    default: SLI_DATA(sli_half_t, w->output)[at] = sli_half_from_float(value);
  }
}

// The fill value as the type has it.
static float read_pixel(const transform_t *w, int64_t n, int64_t y, int64_t x, int64_t c) {
  if (y < 0 || y >= w->height || x < 0 || x >= w->width) return w->fill;
  return load(w, ((n * w->height + y) * w->width + x) * w->channels + c);
}

static void transform_pixel(const transform_t *w, int64_t n, float y, float x, int64_t to) {
  if (!w->state->is_bilinear) {
    const int64_t row = (int64_t)roundf(y), column = (int64_t)roundf(x);
    const size_t size = sli_dtype_size((sli_dtype_t)w->images->dtype);
    if (row < 0 || row >= w->height || column < 0 || column >= w->width) {
      for (int64_t c = 0; c < w->channels; c++) store(w, to + c, w->fill);
      return;
    }
    memcpy(sli_tensor_at(w->output, to),
           sli_tensor_at(w->images, ((n * w->height + row) * w->width + column) * w->channels),
           (size_t)w->channels * size);
    return;
  }
  const float top = floorf(y), left = floorf(x), bottom = top + 1, right = left + 1;
  for (int64_t c = 0; c < w->channels; c++) {
    float above = (right - x) * read_pixel(w, n, (int64_t)top, (int64_t)left, c) +
                  (x - left) * read_pixel(w, n, (int64_t)top, (int64_t)right, c);
    float below = (right - x) * read_pixel(w, n, (int64_t)bottom, (int64_t)left, c) +
                  (x - left) * read_pixel(w, n, (int64_t)bottom, (int64_t)right, c);
    store(w, to + c, (bottom - y) * above + (y - top) * below);
  }
}

static void transform_rows(void *context, int64_t begin, int64_t end) {
  const transform_t *w = context;
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t n = unit / w->out_height;
    const float *t = SLI_DATA(float, w->transforms) + (w->transforms->dims[0] == 1 ? 0 : 8 * n);
    const float row = (float)(unit % w->out_height);
    for (int64_t i = 0; i < w->out_width; i++) {
      const float column = (float)i, projection = t[6] * column + t[7] * row + 1;
      const int64_t to = (unit * w->out_width + i) * w->channels;
      float x = (t[0] * column + t[1] * row + t[2]) / projection;
      float y = (t[3] * column + t[4] * row + t[5]) / projection;
      x = map_coordinate(w->state->fill_mode, x, w->width);
      y = map_coordinate(w->state->fill_mode, y, w->height);
      bool is_near = projection != 0 && fabsf(x) < FAR_AWAY && fabsf(y) < FAR_AWAY;  // and a number
      if (is_near) {
        transform_pixel(w, n, y, x, to);
      } else {
        for (int64_t c = 0; c < w->channels; c++) store(w, to + c, w->fill);
      }
    }
  }
}

static sli_status_t *transform_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *size = sli_kernel_input(context, 2);
  transform_t w = {.state = sli_kernel_state(context),
                   .images = sli_kernel_input(context, 0),
                   .transforms = sli_kernel_input(context, 1)};
  if (w.images->rank != 4) return sli_status_make(SLI_INVALID_ARGUMENT, "Input images must have rank 4");
  if (w.transforms->rank != 2 || (w.transforms->dims[0] != w.images->dims[0] && w.transforms->dims[0] != 1) ||
      w.transforms->dims[1] != 8)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input transform should be num_images x 8 or 1 x 8");
  if (size->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output shape must be 1-dimensional%s",
                           sli_tensor_shape_text(size).text);
  if (size->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output shape must have two elements%s",
                           sli_tensor_shape_text(size).text);
  w.out_height = SLI_DATA(int32_t, size)[0];
  w.out_width = SLI_DATA(int32_t, size)[1];
  if (w.out_height <= 0 || w.out_width <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output dimensions must be positive");
  if (context->input_count > 3) {
    const sli_tensor_t *fill = sli_kernel_input(context, 3);
    if (fill->rank != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "fill_value must be a scalar%s", sli_tensor_shape_text(fill).text);
    w.fill = *SLI_DATA(float, fill);
  }
  w.height = w.images->dims[1];
  w.width = w.images->dims[2];
  w.channels = w.images->dims[3];
  if (sli_types_contain(SLI_TYPES_INTEGER, (sli_dtype_t)w.images->dtype)) w.fill = truncf(w.fill);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(
      context, 0, SLI_SHAPE(w.images->dims[0], w.out_height, w.out_width, w.channels), &w.output));
  if (w.output->count)
    sli_parallel_for(sli_kernel_pool(context), w.images->dims[0] * w.out_height,
                     (double)(w.out_width * (10 + 10 * w.channels)), transform_rows, &w);
  return NULL;
}

// --- The gradient: the inverse transform ----------------------------------------------------------

// x y - z w.
static sli_output_t emit_minor(sli_gradient_builder_t *b, sli_output_t x, sli_output_t y, sli_output_t z,
                               sli_output_t w) {
  return sli_emit2(b, "Sub", sli_emit_mul(b, x, y), sli_emit_mul(b, z, w));
}

// The inverse of the matrices, each divided by its last element: so the adjugate will do.
static sli_output_t emit_inverse(sli_gradient_builder_t *b, sli_output_t transforms) {
  sli_output_t flat = sli_emit2(b, "Reshape", transforms, sli_gradient_const_ints(b, (int32_t[]){-1, 8}, 2));
  sli_output_t columns =
      SLI_EMIT_WITH(b, "Unpack", SLI_INPUTS(flat), SLI_ATTRS(SLI_ATTR_INT_OF("num", 8), SLI_ATTR_INT_OF("axis", 1)));
  sli_output_t m[8];
  for (int i = 0; i < 8; i++) m[i] = sli_output_at(columns, i);
  sli_output_t last = emit_minor(b, m[0], m[4], m[1], m[3]);
  sli_output_t adjugate[8] = {sli_emit2(b, "Sub", m[4], sli_emit_mul(b, m[5], m[7])),
                              sli_emit2(b, "Sub", sli_emit_mul(b, m[2], m[7]), m[1]),
                              emit_minor(b, m[1], m[5], m[2], m[4]),
                              sli_emit2(b, "Sub", sli_emit_mul(b, m[5], m[6]), m[3]),
                              sli_emit2(b, "Sub", m[0], sli_emit_mul(b, m[2], m[6])),
                              emit_minor(b, m[2], m[3], m[0], m[5]),
                              emit_minor(b, m[3], m[7], m[4], m[6]),
                              emit_minor(b, m[1], m[6], m[0], m[7])};
  for (int i = 0; i < 8; i++) adjugate[i] = sli_emit2(b, "RealDiv", adjugate[i], last);
  sli_attr_entry_t attrs[] = {SLI_ATTR_INT_OF("N", 8), SLI_ATTR_INT_OF("axis", 1)};
  return sli_gradient_emit(b, "Pack", adjugate, 8, attrs, 2);
}

static sli_status_t *transform_gradient(sli_gradient_builder_t *b) {
  static const char *const names[] = {"interpolation", "fill_mode"};
  sli_attr_entry_t attrs[2];
  sli_resize_copy_attrs(b, names, 2, attrs);
  sli_output_t shape = sli_emit_shape(b, sli_gradient_input(b, 0));
  sli_output_t size = sli_emit3(b, "Slice", shape, sli_gradient_const_ints(b, (int32_t[]){1}, 1),
                                sli_gradient_const_ints(b, (int32_t[]){2}, 1));
  sli_output_t inputs[] = {sli_gradient_of_output(b, 0), emit_inverse(b, sli_gradient_input(b, 1)), size,
                           SLI_OUTPUT_NONE};
  bool is_v3 = b->node->input_count == 4;
  if (is_v3) inputs[3] = sli_gradient_const(b, sli_tensor_scalar_float(0));
  return sli_emit_set(b, sli_gradient_emit(b, is_v3 ? "ImageProjectiveTransformV3" : "ImageProjectiveTransformV2",
                                           inputs, is_v3 ? 4 : 3, attrs, 2));
}

static sli_status_t *transform_shape(sli_infer_context_t *c) {
  sli_shape_t images;
  int64_t size[2];
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &images));
  SLI_RETURN_IF_ERROR(sli_resize_size_dims(c, 2, size));
  sli_infer_set_output(c, 0, sli_infer_make(c, 4, (int64_t[]){images.dims[0], size[0], size[1], images.dims[3]}));
  return NULL;
}

#define TRANSFORM_ATTRS \
  "dtype: {uint8, int32, int64, half, float, double}; interpolation: string; fill_mode: string = 'CONSTANT'"
#define TRANSFORM_TYPES \
  (SLI_TYPE_UINT8 | SLI_TYPE_INT32 | SLI_TYPE_INT64 | SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)

static const sli_op_def_t ops[] = {
    {.name = "ImageProjectiveTransformV2",
     .inputs = "images: dtype, transforms: float, output_shape: int32",
     .outputs = "transformed_images: dtype",
     .attrs = TRANSFORM_ATTRS,
     .summary = "Rotates, shears and projects images.",
     .shape = transform_shape,
     .gradient = transform_gradient},
    {.name = "ImageProjectiveTransformV3",
     .inputs = "images: dtype, transforms: float, output_shape: int32, fill_value: float",
     .outputs = "transformed_images: dtype",
     .attrs = TRANSFORM_ATTRS,
     .summary = "Rotates, shears and projects images, with a value for what is outside.",
     .shape = transform_shape,
     .gradient = transform_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ImageProjectiveTransformV2",
     .where = {{"dtype", TRANSFORM_TYPES}},
     .host_memory = "output_shape",
     .compute = transform_compute,
     .create = transform_create,
     .destroy = free,
     .cost = 3},
    {.op = "ImageProjectiveTransformV3",
     .where = {{"dtype", TRANSFORM_TYPES}},
     .host_memory = "output_shape, fill_value",
     .compute = transform_compute,
     .create = transform_create,
     .destroy = free,
     .cost = 3},
};

SLI_OP_MODULE(projective_transform);
