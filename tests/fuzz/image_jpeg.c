// JPEG files. The first byte selects options; the window of a crop comes from the bytes, too.
#include "tests/fuzz/image.h"

static sli_status_t *decode(sli_view_t file, uint8_t choice, const sli_codec_sink_t *sink) {
  static const int channels[] = {0, 1, 3, 0};
  sli_codec_jpeg_options_t options = {.channels = channels[choice & 3],
                                      .ratio = 1 << (choice >> 2 & 3),
                                      .fancy_upscaling = choice & 16,
                                      .try_recover_truncated = choice & 32,
                                      .accurate_dct = choice & 64,
                                      .acceptable_fraction = choice & 16 ? 0.3f : 1,
                                      .crop = choice & 128};
  if (options.crop && file.size >= 4) {
    options.crop_y = file.data[0];
    options.crop_x = file.data[1];
    options.crop_height = file.data[2];
    options.crop_width = file.data[3];
    file = sli_view_of(file.data + 4, file.size - 4);
  }
  int shape[3];
  fuzz_ignore(sli_codec_jpeg_shape(file, shape));
  return sli_codec_decode_jpeg(file, &options, sink);
}

void fuzz_one(const uint8_t *data, size_t size) { image_decode(decode, data, size); }
