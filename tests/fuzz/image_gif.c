// GIF files. The first byte selects whether all frames are decoded.
#include "tests/fuzz/image.h"

static sli_status_t *decode(sli_view_t file, uint8_t choice, const sli_codec_sink_t *sink) {
  return sli_codec_decode_gif(file, choice & 1, sink);
}

void fuzz_one(const uint8_t *data, size_t size) { image_decode(decode, data, size); }
