// What the fuzz targets of image files share: a place for pixels that refuses large images.
#ifndef SLI_TESTS_FUZZ_IMAGE_H_
#define SLI_TESTS_FUZZ_IMAGE_H_

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ops/image/codec.h"
#include "tests/fuzz/fuzz.h"

typedef struct {
  uint8_t *pixels;
  size_t size;
} image_memory_t;

static sli_status_t *image_allocate(void *context, int64_t frames, int64_t height, int64_t width, int64_t channels,
                                    void **out_pixels) {
  image_memory_t *memory = context;
  SLI_CHECK(!memory->pixels && frames > 0 && height > 0 && width > 0 && channels >= 1 && channels <= 4);
  int64_t size = frames * height * width * channels * 2;  // a PNG may have 16 bits
  if (size > 1 << 20) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "large");
  memory->size = (size_t)size;
  memory->pixels = sli_malloc(memory->size);
  memset(memory->pixels, 0xa5, memory->size);
  *out_pixels = memory->pixels;
  return NULL;
}

// Decodes by |decode| and frees the pixels.
static void image_decode(sli_status_t *(*decode)(sli_view_t file, uint8_t choice, const sli_codec_sink_t *sink),
                         const uint8_t *data, size_t size) {
  if (size < 1) return;
  image_memory_t memory = {0};
  sli_codec_sink_t sink = {image_allocate, &memory};
  fuzz_ignore(decode(sli_view_of((const char *)data + 1, size - 1), data[0], &sink));
  free(memory.pixels);
}

#endif  // SLI_TESTS_FUZZ_IMAGE_H_
