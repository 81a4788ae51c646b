// ImageSummary: images of a batch as PNG files in a Summary. Floating-point images are
// scaled to the range of a byte, each by itself.
#include <math.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"
#include "core/shape_inference.h"
#include "math/half.h"
#include "ops/array/elements.h"
#include "ops/summary/encode.h"
#include "proto/wire.h"

// --- PNG (RFC 2083) -------------------------------------------------------------------------

static void append_big_endian(sli_string_t *out, uint32_t value) {
  char bytes[4] = {(char)(value >> 24), (char)(value >> 16), (char)(value >> 8), (char)value};
  sli_string_append(out, bytes, sizeof(bytes));
}

static void append_chunk(sli_string_t *out, const char *type, const void *data, size_t size) {
  append_big_endian(out, (uint32_t)size);
  size_t start = out->size;
  sli_string_append(out, type, 4);
  sli_string_append(out, data, size);
  append_big_endian(out, (uint32_t)crc32(0, (const Bytef *)out->data + start, (uInt)(out->size - start)));
}

// |pixels|: rows of |width| × |depth| bytes; depth 1, 3 or 4. RESOURCE_EXHAUSTED without memory.
static sli_status_t *encode_png(const uint8_t *pixels, uint32_t width, uint32_t height, int depth, sli_string_t *out) {
  size_t row = (size_t)width * (size_t)depth, raw_size = (row + 1) * height;
  uLongf packed_size = compressBound(raw_size);
  uint8_t *raw = sli_try_malloc(raw_size + 1), *packed = sli_try_malloc(packed_size);
  if (!raw || !packed) {
    free(raw);
    free(packed);
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory to encode an image of %u x %u", width, height);
  }
  for (uint32_t y = 0; y < height; y++) {
    raw[y * (row + 1)] = 0;  // no filter
    memcpy(raw + y * (row + 1) + 1, pixels + y * row, row);
  }
  int error = compress2(packed, &packed_size, raw, raw_size, Z_DEFAULT_COMPRESSION);
  free(raw);
  if (error != Z_OK) {
    free(packed);
    return sli_status_make(SLI_INTERNAL, "PNG encoding failed");
  }
  sli_string_append(out, "\x89PNG\r\n\x1a\n", 8);
  sli_string_t header = {0};
  append_big_endian(&header, width);
  append_big_endian(&header, height);
  static const char color_types[] = {[1] = 0, [3] = 2, [4] = 6};
  char rest[5] = {8, color_types[depth], 0, 0, 0};
  sli_string_append(&header, rest, sizeof(rest));
  append_chunk(out, "IHDR", header.data, header.size);
  append_chunk(out, "IDAT", packed, packed_size);
  append_chunk(out, "IEND", "", 0);
  sli_string_deinitialize(&header);
  free(packed);
  return NULL;
}

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

// Positive images are scaled by 255 / max; others by their largest magnitude around 128.
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
} request_t;

static sli_status_t *make_request(sli_view_t tag, const sli_tensor_t *tensor, int64_t most,
                                  const sli_tensor_t *bad_color, request_t *r) {
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
  *r = (request_t){.tensor = tensor,
                   .tag = tag,
                   .most = most,
                   .batch = tensor->dims[0],
                   .height = tensor->dims[1],
                   .width = tensor->dims[2],
                   .depth = (int)tensor->dims[3],
                   .bad_color = bad_color->data};
  return NULL;
}

static sli_status_t *append_image(const request_t *r, int64_t index, uint8_t *scratch, sli_string_t *summary) {
  int64_t pixels = r->height * r->width, first = index * pixels * r->depth;
  const uint8_t *bytes = scratch;
  if (r->tensor->dtype == SLI_DTYPE_UINT8)
    bytes = SLI_DATA(uint8_t, r->tensor) + first;
  else
    normalize(r->tensor, first, pixels, r->depth, r->bad_color, scratch);
  sli_string_t png = {0}, tag = {0};
  sli_status_t *status = encode_png(bytes, (uint32_t)r->width, (uint32_t)r->height, r->depth, &png);
  sli_string_append_format(&tag, "%.*s/image", SLI_VIEW_ARG(r->tag));
  if (r->most > 1) sli_string_append_format(&tag, "/%lld", (long long)index);
  size_t value = sli_wire_open(summary, 1);
  sli_wire_write_bytes(summary, 1, tag.data, tag.size);
  size_t image = sli_wire_open(summary, 4);
  sli_wire_write_int(summary, 1, r->height);
  sli_wire_write_int(summary, 2, r->width);
  sli_wire_write_int(summary, 3, r->depth);
  sli_wire_write_bytes(summary, 4, sli_string_text(&png), png.size);
  sli_wire_close(summary, image);
  sli_wire_close(summary, value);
  sli_string_deinitialize(&png);
  sli_string_deinitialize(&tag);
  return status;
}

sli_status_t *sli_summary_append_images(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *tensor, int64_t most,
                                        const sli_tensor_t *bad_color) {
  request_t r = {0};
  SLI_RETURN_IF_ERROR(make_request(tag, tensor, most, bad_color, &r));
  uint8_t *scratch = sli_try_malloc((size_t)(r.height * r.width * r.depth) + 1);
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
        .shape = sli_shape_fn_scalar,
        .not_differentiable = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ImageSummary", .compute = image_compute, .expensive = true},
};
SLI_OP_MODULE(image_summary);
