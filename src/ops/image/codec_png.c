// PNG by libpng, which jumps out of its functions on an error; see codec_jpeg.c.
#include <png.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"
#include "ops/image/codec.h"
#include "ops/image/codec_library.h"

static struct {
#define FUNCTION(name) __typeof__(name) *name;
#include "ops/image/codec_png_functions.inc"
#undef FUNCTION
} png;
static sli_status_t *load_status;

static void load(void) {
  static const sli_codec_function_t functions[] = {
#define FUNCTION(name) {#name, (void **)&png.name},
#include "ops/image/codec_png_functions.inc"
#undef FUNCTION
  };
  load_status = sli_codec_load("libpng16.so.16", "libpng16-16", functions, sizeof(functions) / sizeof(functions[0]));
}

static sli_status_t *require_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return sli_status_retain(load_status);
}

// What libpng's callbacks know: first in both structures below.
typedef struct {
  jmp_buf escape;
} png_escape_t;

static void on_error(png_structp png_state, png_const_charp message) {
  longjmp(((png_escape_t *)png.png_get_error_ptr(png_state))->escape, 1);
}
static void on_warning(png_structp png_state, png_const_charp message) {}

// --- Decoding -----------------------------------------------------------------------------------

typedef struct {
  png_escape_t error;
  png_structp png;
  png_infop info;
  sli_view_t rest;  // of the file
  size_t file_size;
  int wanted_channels, channels, bits;
  png_uint_32 width, height;
  int bit_depth, color_type, passes;
  uint8_t *pixels;
  const sli_codec_sink_t *sink;
} png_decoder_t;

static void read_bytes(png_structp png_state, png_bytep data, size_t size) {
  png_decoder_t *d = png.png_get_io_ptr(png_state);
  if (d->rest.size < size) png.png_error(png_state, "More bytes requested to read than available");
  memcpy(data, d->rest.data, size);
  d->rest = sli_view_of(d->rest.data + size, d->rest.size - size);
}

// Asks libpng for the channels and bits that the caller wants, whatever the file has.
static void choose_transformations(png_decoder_t *d) {
  bool has_transparency = png.png_get_valid(d->png, d->info, PNG_INFO_tRNS) != 0;
  bool is_palette = d->color_type == PNG_COLOR_TYPE_PALETTE, has_alpha = d->color_type & PNG_COLOR_MASK_ALPHA;
  d->channels = d->wanted_channels;
  if (!d->channels) d->channels = !is_palette ? png.png_get_channels(d->png, d->info) : has_transparency ? 4 : 3;
  if (d->channels % 2 == 0) {
    if (!has_alpha && has_transparency) png.png_set_tRNS_to_alpha(d->png);
    if (!has_alpha && !has_transparency) png.png_set_add_alpha(d->png, (1u << d->bit_depth) - 1, PNG_FILLER_AFTER);
  } else if (has_alpha || has_transparency) {
    png.png_set_strip_alpha(d->png);
  }
  if (d->bit_depth > 8 && d->bits == 8) png.png_set_strip_16(d->png);
  png.png_set_packing(d->png);
  d->passes = png.png_set_interlace_handling(d->png);
  if (d->bits == 16) png.png_set_swap(d->png);
  if (is_palette) png.png_set_palette_to_rgb(d->png);
  bool is_gray = !(d->color_type & PNG_COLOR_MASK_COLOR), wants_gray = d->channels < 3;
  if (is_gray && d->bit_depth < 8) png.png_set_expand_gray_1_2_4_to_8(d->png);
  if (wants_gray && !is_gray) png.png_set_rgb_to_gray(d->png, 1, 0.299, 0.587);  // as JPEG does
  if (!wants_gray && is_gray) png.png_set_gray_to_rgb(d->png);
  png.png_read_update_info(d->png, d->info);
}

static bool read_header(png_decoder_t *d) {
  if (setjmp(d->error.escape)) return false;
  d->info = png.png_create_info_struct(d->png);
  if (!d->info) return false;
  png.png_set_read_fn(d->png, d, read_bytes);
  png.png_read_info(d->png, d->info);
  png.png_get_IHDR(d->png, d->info, &d->width, &d->height, &d->bit_depth, &d->color_type, NULL, NULL, NULL);
  if (d->width == 0 || d->height == 0) return false;
  choose_transformations(d);
  return png.png_get_rowbytes(d->png, d->info) <= (size_t)d->width * (size_t)d->channels * (size_t)(d->bits / 8);
}

static bool read_rows(png_decoder_t *d) {
  if (setjmp(d->error.escape)) return false;
  const size_t stride = (size_t)d->width * (size_t)d->channels * (size_t)(d->bits / 8);
  for (int pass = 0; pass < d->passes; pass++) {
    for (png_uint_32 y = 0; y < d->height; y++) png.png_read_row(d->png, d->pixels + y * stride, NULL);
  }
  png.png_read_end(d->png, d->info);
  return true;
}

// Widens the bytes in the first half of each row to 16 bits, in place.
static void widen_rows(png_decoder_t *d) {
  const size_t count = (size_t)d->width * (size_t)d->channels;
  for (png_uint_32 y = 0; y < d->height; y++) {
    uint8_t *row = d->pixels + y * count * 2;
    for (size_t i = count; i-- > 0;) {
      uint16_t wide = (uint16_t)(row[i] * 0x101);
      memcpy(row + 2 * i, &wide, sizeof(wide));
    }
  }
}

static sli_status_t *decode(png_decoder_t *d) {
  if (!read_header(d)) return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid PNG. Failed to initialize decoder.");
  const png_uint_32 most = 1u << 27;
  if (d->width >= most || d->height >= most || (uint64_t)d->width * d->height >= UINT64_C(1) << 29)
    return sli_status_make(SLI_INVALID_ARGUMENT, "PNG size too large for int: %u by %u", d->width, d->height);
  void *pixels = NULL;
  SLI_RETURN_IF_ERROR(d->sink->allocate(d->sink->context, 1, d->height, d->width, d->channels, &pixels));
  d->pixels = pixels;
  if (!read_rows(d)) return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid PNG data, size %zu", d->file_size);
  if (d->bits == 16 && d->bit_depth <= 8) widen_rows(d);
  return NULL;
}

sli_status_t *sli_codec_decode_png(sli_view_t file, int channels, int bits, const sli_codec_sink_t *sink) {
  SLI_RETURN_IF_ERROR(require_library());
  png_decoder_t d = {.rest = file, .file_size = file.size, .wanted_channels = channels, .bits = bits, .sink = sink};
  d.png = png.png_create_read_struct(PNG_LIBPNG_VER_STRING, &d.error, on_error, on_warning);
  if (!d.png) return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid PNG. Failed to initialize decoder.");
  sli_status_t *status = decode(&d);
  png.png_destroy_read_struct(&d.png, &d.info, NULL);
  return status;
}

// --- Encoding -----------------------------------------------------------------------------------

typedef struct {
  png_escape_t error;
  png_structp png;
  png_infop info;
  sli_string_t *out;
} png_encoder_t;

static void write_bytes(png_structp png_state, png_bytep data, size_t size) {
  png_encoder_t *e = png.png_get_io_ptr(png_state);
  sli_string_append(e->out, data, size);
}
static void flush_bytes(png_structp png_state) {}

static bool encode(png_encoder_t *e, const sli_codec_image_t *image, int bits, int compression) {
  static const int color_types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                    PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(e->error.escape)) return false;
  e->info = png.png_create_info_struct(e->png);
  if (!e->info) return false;
  png.png_set_write_fn(e->png, e, write_bytes, flush_bytes);
  png.png_set_compression_level(e->png, compression < 0 ? Z_DEFAULT_COMPRESSION : compression);
  png.png_set_compression_mem_level(e->png, MAX_MEM_LEVEL);
  png.png_set_IHDR(e->png, e->info, (png_uint_32)image->width, (png_uint_32)image->height, bits,
                   color_types[image->channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                   PNG_FILTER_TYPE_DEFAULT);
  png.png_write_info(e->png, e->info);
  if (bits == 16) png.png_set_swap(e->png);
  const size_t stride = (size_t)image->width * (size_t)image->channels * (size_t)(bits / 8);
  for (int y = 0; y < image->height; y++)
    png.png_write_row(e->png, (png_const_bytep)image->pixels + (size_t)y * stride);
  png.png_write_end(e->png, NULL);
  return true;
}

sli_status_t *sli_codec_encode_png(const sli_codec_image_t *image, int bits, int compression, sli_string_t *out) {
  SLI_RETURN_IF_ERROR(require_library());
  if (image->width <= 0 || image->height <= 0) return sli_status_make(SLI_INTERNAL, "PNG encoding failed");
  png_encoder_t e = {.out = out};
  e.png = png.png_create_write_struct(PNG_LIBPNG_VER_STRING, &e.error, on_error, on_warning);
  bool is_done = e.png && encode(&e, image, bits, compression);
  if (e.png) png.png_destroy_write_struct(&e.png, &e.info);
  return is_done ? NULL : sli_status_make(SLI_INTERNAL, "PNG encoding failed");
}
