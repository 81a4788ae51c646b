// ImageSummary: encodes the images of a batch as PNG files in a Summary. Each floating-point image is scaled to the
// range of a byte separately.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/image/codec.h"
#include "ops/summary/summary_encode.h"
#include "proto/summary.fields.h"
#include "proto/wire.h"

// --- Floating-point images ---------------------------------------------------------------------

static float value_at(const sli_tensor_t *tensor, int64_t i) {
  switch (tensor->dtype) {
    case SLI_DTYPE_HALF: return sli_half_to_float(SLI_DATA(sli_half_t, tensor)[i]);
    case SLI_DTYPE_DOUBLE: return (float)SLI_DATA(double, tensor)[i];
    default: return SLI_DATA(float, tensor)[i];
  }
}

static bool pixel_is_finite(const sli_tensor_t *tensor, int64_t at, int depth) {
  for (int k = 0; k < depth; k++) {
    if (!isfinite(value_at(tensor, at + k))) return false;
  }
  return true;
}

// Scales an image without negative values by 255 / maximum. Other images are scaled by their largest magnitude, with 0
// at 128.
static void normalize(const sli_tensor_t *tensor, int64_t first, int64_t pixels, int depth, const uint8_t *bad_color,
                      uint8_t *out) {
  float least = INFINITY, most = -INFINITY;
  for (int64_t i = 0; i < pixels; i++) {
    if (!pixel_is_finite(tensor, first + i * depth, depth)) continue;
    for (int k = 0; k < depth; k++) {
      float value = value_at(tensor, first + i * depth + k);
      least = fminf(least, value);
      most = fmaxf(most, value);
    }
  }
  bool is_signed = least < 0;
  float range = is_signed ? fmaxf(fabsf(least), fabsf(most)) : most;
  float scale = range < 1e-6f ? 0 : (is_signed ? 127.0f : 255.0f) / range, offset = is_signed ? 128.0f : 0;
  for (int64_t i = 0; i < pixels; i++) {
    bool is_finite = pixel_is_finite(tensor, first + i * depth, depth);
    for (int k = 0; k < depth; k++) {
      float value = is_finite ? value_at(tensor, first + i * depth + k) * scale + offset : bad_color[k];
      out[i * depth + k] = (uint8_t)fminf(fmaxf(value, 0), 255);
    }
  }
}

// --- The op ---------------------------------------------------------------------------------------

typedef struct {
  const sli_tensor_t *tensor;
  sli_view_t tag;
  int64_t most, batch, height, width;
  int depth;
  const uint8_t *bad_color;
} image_request_t;

static sli_status_t *make_request(sli_view_t tag, const sli_tensor_t *tensor, int64_t most,
                                  const sli_tensor_t *bad_color, image_request_t *r) {
  if (tensor->rank != 4 || !(tensor->dims[3] == 1 || tensor->dims[3] == 3 || tensor->dims[3] == 4))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor must be 4-D with last dim 1, 3, or 4, not %s",
                           sli_tensor_shape_text(tensor).text);
  if (tensor->dims[1] > INT32_MAX || tensor->dims[2] > INT32_MAX || tensor->dims[1] == 0 || tensor->dims[2] == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor too large for summary %s", sli_tensor_shape_text(tensor).text);
  if (bad_color->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "bad_color must be a vector, got shape %s",
                           sli_tensor_shape_text(bad_color).text);
  if (bad_color->dtype != SLI_DTYPE_UINT8 || bad_color->count < tensor->dims[3])
    return sli_status_make(SLI_INVALID_ARGUMENT, "expected depth <= bad_color.size, got depth = %lld",
                           (long long)tensor->dims[3]);
  *r = (image_request_t){.tensor = tensor,
                         .tag = tag,
                         .most = most,
                         .batch = tensor->dims[0],
                         .height = tensor->dims[1],
                         .width = tensor->dims[2],
                         .depth = (int)tensor->dims[3],
                         .bad_color = bad_color->data};
  return NULL;
}

static sli_status_t *append_image(const image_request_t *r, int64_t index, uint8_t *scratch, sli_string_t *summary) {
  int64_t pixels = r->height * r->width, first = index * pixels * r->depth;
  const uint8_t *bytes = scratch;
  if (r->tensor->dtype == SLI_DTYPE_UINT8)
    bytes = SLI_DATA(uint8_t, r->tensor) + first;
  else
    normalize(r->tensor, first, pixels, r->depth, r->bad_color, scratch);
  sli_string_t png = {0}, tag = {0};
  sli_codec_image_t image_bytes = {bytes, (int)r->height, (int)r->width, r->depth};
  sli_status_t *status = sli_codec_encode_png(&image_bytes, 8, -1, &png);
  sli_string_append_format(&tag, "%.*s/image", SLI_VIEW_ARG(r->tag));
  if (r->most > 1) sli_string_append_format(&tag, "/%lld", (long long)index);
  size_t value = sli_wire_open(summary, SLI_FIELD_SUMMARY_VALUE);
  sli_wire_write_bytes(summary, SLI_FIELD_SUMMARY_VALUE_TAG, tag.data, tag.size);
  size_t image = sli_wire_open(summary, SLI_FIELD_SUMMARY_VALUE_IMAGE);
  sli_wire_write_int(summary, SLI_FIELD_SUMMARY_IMAGE_HEIGHT, r->height);
  sli_wire_write_int(summary, SLI_FIELD_SUMMARY_IMAGE_WIDTH, r->width);
  sli_wire_write_int(summary, SLI_FIELD_SUMMARY_IMAGE_COLORSPACE, r->depth);
  sli_wire_write_bytes(summary, SLI_FIELD_SUMMARY_IMAGE_ENCODED_IMAGE_STRING, sli_string_text(&png), png.size);
  sli_wire_close(summary, image);
  sli_wire_close(summary, value);
  sli_string_deinitialize(&png);
  sli_string_deinitialize(&tag);
  return status;
}

sli_status_t *sli_summary_append_images(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *tensor, int64_t most,
                                        const sli_tensor_t *bad_color) {
  image_request_t r = {0};
  SLI_RETURN_IF_ERROR(make_request(tag, tensor, most, bad_color, &r));
  uint8_t *scratch = sli_malloc_or_null((size_t)(r.height * r.width * r.depth) + 1);
  if (!scratch) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for an image");
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < r.batch && i < r.most && !status; i++) status = append_image(&r, i, scratch, summary);
  free(scratch);
  return status;
}

static sli_status_t *image_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *tag = sli_kernel_input(context, 0), *tensor = sli_kernel_input(context, 1);
  int64_t most;
  sli_tensor_t *bad_color;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "max_images", &most));
  SLI_RETURN_IF_ERROR(sli_node_attr_tensor(context->node, "bad_color", &bad_color));
  if (tag->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tags must be a scalar, got shape %s",
                           sli_tensor_shape_text(tag).text);
  sli_string_t summary = {0};
  sli_status_t *status = sli_summary_append_images(&summary, sli_tensor_string_at(tag, 0), tensor, most, bad_color);
  if (!status)
    sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view_of(sli_string_text(&summary), summary.size)));
  sli_string_deinitialize(&summary);
  return status;
}

static const sli_op_def_t ops[] = {
    {
        .name = "ImageSummary",
        .inputs = "tag: string, tensor: T",
        .outputs = "summary: string",
        .attrs = "max_images: int >= 1 = 3; T: {uint8, float, half, double} = DT_FLOAT; bad_color: tensor = { dtype: "
                 "DT_UINT8 tensor_shape { dim { size: 4 } } int_val: "
                 "255 int_val: 0 int_val: 0 int_val: 255 }",
        .summary = "A Summary with images.",
        .shape = sli_infer_fn_scalar,
        .not_differentiable = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ImageSummary", .compute = image_compute, .expensive = true},
};
SLI_OP_MODULE(image_summary);
