// PNG files. The first byte selects channels and bits.
#include "tests/fuzz/image.h"

static sli_status_t *decode(sli_view_t file, uint8_t choice, const sli_codec_sink_t *sink) {
  static const int channels[] = {0, 1, 3, 4};
  return sli_codec_decode_png(file, channels[choice & 3], choice & 4 ? 16 : 8, sink);
}

void fuzz_one(const uint8_t *data, size_t size) { image_decode(decode, data, size); }
