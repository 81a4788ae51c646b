// BMP: rows of 8, 24 or 32 bits a pixel, without compression.
#include <stdlib.h>

#include "ops/image/codec.h"

typedef struct {
  int32_t header_size, width, height;
  int channels;
} bmp_header_t;

static int32_t read_int32(const uint8_t *bytes) {
  return (int32_t)(bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
}

static sli_status_t *read_header(sli_view_t file, bmp_header_t *out) {
  const uint8_t *bytes = (const uint8_t *)file.data;
  if (file.size < 32) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Incomplete bmp content, requires at least 32 bytes to find the header size, width, height, "
                           "and bpp, got %zu bytes",
                           file.size);
  }
  *out = (bmp_header_t){.header_size = read_int32(bytes + 10),
                        .width = read_int32(bytes + 18),
                        .height = read_int32(bytes + 22),
                        .channels = (int16_t)(bytes[28] | bytes[29] << 8) / 8};
  if (out->channels != 1 && out->channels != 3 && out->channels != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Number of channels inherent in the image must be 1, 3 or 4, was %d",
                           out->channels);
  if (out->width <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Width must be positive");
  if (out->height == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Height must be nonzero");
  if (out->header_size < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "header size must be nonnegative");
  if ((int64_t)out->width * llabs((int64_t)out->height) >= INT32_MAX / 8)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Total possible pixel bytes must be less than 2^30");
  return NULL;
}

// One row: gray, BGR or BGRA to |channels|.
static void convert_row(const uint8_t *in, int in_channels, uint8_t *out, int channels, int32_t width) {
  for (int32_t x = 0; x < width; x++, in += in_channels, out += channels) {
    out[0] = in_channels == 1 ? in[0] : in[2];
    if (channels >= 3) {
      out[1] = in_channels == 1 ? in[0] : in[1];
      out[2] = in[0];
    }
    if (channels == 4) out[3] = in_channels == 4 ? in[3] : UINT8_MAX;
  }
}

sli_status_t *sli_codec_decode_bmp(sli_view_t file, int channels, const sli_codec_sink_t *sink) {
  bmp_header_t header = {0};
  SLI_RETURN_IF_ERROR(read_header(file, &header));
  if (channels == 0) channels = header.channels;
  const int64_t height = llabs((int64_t)header.height);
  const int64_t row_size = ((int64_t)header.channels * header.width + 3) / 4 * 4;
  int64_t difference = (int64_t)file.size - header.header_size - row_size * height;
  if (difference != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input size should match (header_size + row_size * abs_height) but they differ by %lld",
                           (long long)difference);
  void *pixels = NULL;
  SLI_RETURN_IF_ERROR(sink->allocate(sink->context, 1, height, header.width, channels, &pixels));
  const uint8_t *rows = (const uint8_t *)file.data + header.header_size;
  for (int64_t y = 0; y < height; y++) {
    int64_t from = header.height < 0 ? y : height - 1 - y;  // bottom up, unless the height is negative
    convert_row(rows + from * row_size, header.channels, (uint8_t *)pixels + y * header.width * channels, channels,
                header.width);
  }
  return NULL;
}
