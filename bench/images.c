// Images: a JPEG file of 375 x 500 pixels, decoded by the op and by the codec alone, and resized to 224 x 224.
#include "base/alloc.h"
#include "bench.h"
#include "ops/image/codec.h"
#include "session.h"

enum { HEIGHT = 375, WIDTH = 500 };

// Smooth colours with some noise, about as hard to decode as a photo.
static void paint(uint8_t *pixels) {
  uint32_t noise = 1;
  for (int i = 0; i < HEIGHT * WIDTH * 3; i++) {
    int c = i % 3, x = i / 3 % WIDTH, y = i / 3 / WIDTH;
    noise = noise * 1664525 + 1013904223;
    pixels[i] = (uint8_t)(x * (c + 1) * 255 / WIDTH + y * (3 - c) * 200 / HEIGHT + (noise >> 28));
  }
}

typedef struct {
  sli_string_t file;
  uint8_t *pixels;
} codec_row_t;

static sli_status_t *take_pixels(void *context, int64_t frames, int64_t height, int64_t width, int64_t channels,
                                 void **out_pixels) {
  *out_pixels = ((codec_row_t *)context)->pixels;
  return NULL;
}

static void decode(void *context) {
  codec_row_t *row = context;
  const sli_codec_jpeg_options_t options = {.ratio = 1, .fancy_upscaling = true, .acceptable_fraction = 1};
  const sli_codec_sink_t sink = {take_pixels, row};
  sli_status_release(sli_codec_decode_jpeg(sli_view_of(row->file.data, row->file.size), &options, &sink));
}

// |result| reads |variable|, which |value| initialises.
static void session_row(const char *name, bench_session_t *b, TF_Output variable, TF_Output value, TF_Output result) {
  TF_Operation *init = sl_op_assign(b->scope, variable, value).oper;
  b->target = result.oper;
  bench_open(b, NULL);
  TF_SessionRun(b->session, NULL, NULL, NULL, 0, NULL, NULL, 0, (const TF_Operation *const *)&init, 1, NULL, b->status);
  bench_require(b);
  bench_row(name, bench_step, b, HEIGHT * WIDTH, "pixel");
  bench_end(b);
}

void bench_images(void) {
  codec_row_t codec = {.pixels = sli_malloc(HEIGHT * WIDTH * 3)};
  uint8_t *pixels = sli_malloc(HEIGHT * WIDTH * 3);
  const sli_codec_image_t image = {pixels, HEIGHT, WIDTH, 3};
  const sli_codec_jpeg_encoding_t encoding = {.quality = 90, .chroma_downsampling = true, .density_unit = 1};
  const int32_t size[] = {224, 224};
  paint(pixels);
  sli_status_release(sli_codec_encode_jpeg(&image, &encoding, &codec.file));
  bench_title("images, 375 x 500 pixels");
  bench_row("JPEG, the codec alone", decode, &codec, HEIGHT * WIDTH, "pixel");

  bench_session_t b = bench_begin();
  TF_Output variable = sl_op_variable_v2(b.scope, SL_SHAPE(), TF_STRING);
  TF_Output value =
      sl_op_encode_jpeg(b.scope, sl_constant(b.scope, TF_UINT8, SL_SHAPE(HEIGHT, WIDTH, 3), pixels), .quality = 90);
  session_row("DecodeJpeg", &b, variable, value, sl_op_decode_jpeg(b.scope, sl_op_identity(b.scope, variable)));

  b = bench_begin();
  variable = sl_op_variable_v2(b.scope, SL_SHAPE(1, HEIGHT, WIDTH, 3), TF_UINT8);
  value = sl_constant(b.scope, TF_UINT8, SL_SHAPE(1, HEIGHT, WIDTH, 3), pixels);
  session_row("ResizeBilinear to 224 x 224", &b, variable, value,
              sl_op_resize_bilinear(b.scope, sl_op_identity(b.scope, variable),
                                    sl_constant(b.scope, TF_INT32, SL_SHAPE(2), size)));
  sli_string_deinitialize(&codec.file);
  free(codec.pixels);
  free(pixels);
}
