// JPEG by libjpeg-turbo, which jumps out of its functions on an error. Everything that must be freed afterwards is in a
// structure of the caller's frame, so nothing is lost by the jump, and no frame between owns memory.
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
// After stdio.h, which it needs.
#include <jerror.h>
#include <jpeglib.h>

#include "base/alloc.h"
#include "ops/image/codec.h"
#include "ops/image/codec_library.h"

#define FUNCTIONS(F)             \
  F(jpeg_std_error)              \
  F(jpeg_CreateDecompress)       \
  F(jpeg_read_header)            \
  F(jpeg_calc_output_dimensions) \
  F(jpeg_start_decompress)       \
  F(jpeg_crop_scanline)          \
  F(jpeg_skip_scanlines)         \
  F(jpeg_read_scanlines)         \
  F(jpeg_finish_decompress)      \
  F(jpeg_resync_to_restart)      \
  F(jpeg_destroy)                \
  F(jpeg_CreateCompress)         \
  F(jpeg_set_defaults)           \
  F(jpeg_set_quality)            \
  F(jpeg_simple_progression)     \
  F(jpeg_start_compress)         \
  F(jpeg_write_marker)           \
  F(jpeg_write_scanlines)        \
  F(jpeg_finish_compress)

static struct {
#define FIELD(name) __typeof__(name) *name;
  FUNCTIONS(FIELD)
#undef FIELD
} jpeg;
static sli_status_t *load_status;

static void load(void) {
  static const sli_codec_function_t functions[] = {
#define ROW(name) {#name, (void **)&jpeg.name},
      FUNCTIONS(ROW)
#undef ROW
  };
  load_status = sli_codec_load("libjpeg.so.62", "libjpeg62-turbo", functions, sizeof(functions) / sizeof(functions[0]));
}

static sli_status_t *require_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return sli_status_retain(load_status);
}

// --- Errors -----------------------------------------------------------------------------------

typedef struct {
  struct jpeg_error_mgr manager;  // first: libjpeg knows its address
  jmp_buf escape;
} jpeg_escape_t;

static void on_error(j_common_ptr info) { longjmp(((jpeg_escape_t *)info->err)->escape, 1); }
static void on_message(j_common_ptr info) {}

static struct jpeg_error_mgr *initialize_errors(jpeg_escape_t *error) {
  struct jpeg_error_mgr *manager = jpeg.jpeg_std_error(&error->manager);
  manager->error_exit = on_error;
  manager->output_message = on_message;
  return manager;
}

// --- Decoding: the source -----------------------------------------------------------------------

typedef struct {
  struct jpeg_source_mgr manager;  // first, as above
  sli_view_t file;
  bool try_recover;
  const JOCTET *stuck_at;
  int stuck_count;  // how often the file has ended there
} jpeg_source_t;

enum { MOST_STUCK = 1 << 16 };

static const JOCTET end_of_image[2] = {0xff, JPEG_EOI};

static void source_start(j_decompress_ptr info) {
  jpeg_source_t *source = (jpeg_source_t *)info->src;
  source->manager.next_input_byte = (const JOCTET *)source->file.data;
  source->manager.bytes_in_buffer = source->file.size;
}

// The file has ended too early. One attempt is made to end the image there, if the caller wants that.
static boolean source_fill(j_decompress_ptr info) {
  jpeg_source_t *source = (jpeg_source_t *)info->src;
  if (source->manager.bytes_in_buffer == 0 && source->manager.next_input_byte == (const JOCTET *)source->file.data)
    ERREXIT(info, JERR_INPUT_EMPTY);
  if (source->manager.bytes_in_buffer) {
    // The decoder has read to the end, but not accepted what it read: it goes on from where it was, as in TensorFlow.
    // In the data of an image this ends soon; in a header it would not.
    source->stuck_count = source->stuck_at == source->manager.next_input_byte ? source->stuck_count + 1 : 0;
    source->stuck_at = source->manager.next_input_byte;
    if (source->stuck_count > MOST_STUCK) ERREXIT(info, JERR_FILE_READ);
    return source->try_recover;
  }
  if (source->manager.next_input_byte == end_of_image || !source->try_recover) ERREXIT(info, JERR_FILE_READ);
  WARNMS(info, JWRN_JPEG_EOF);
  source->manager.next_input_byte = end_of_image;
  source->manager.bytes_in_buffer = sizeof(end_of_image);
  return TRUE;
}

static void source_skip(j_decompress_ptr info, long count) {
  jpeg_source_t *source = (jpeg_source_t *)info->src;
  if (count < 0) return;
  if ((size_t)count > source->manager.bytes_in_buffer) {
    source->manager.bytes_in_buffer = 0;
    source_fill(info);
  } else {
    source->manager.bytes_in_buffer -= (size_t)count;
    source->manager.next_input_byte += count;
  }
}

static void source_end(j_decompress_ptr info) {}

static void initialize_source(jpeg_source_t *source, sli_view_t file, bool try_recover) {
  *source = (jpeg_source_t){.manager = {.init_source = source_start,
                                        .fill_input_buffer = source_fill,
                                        .skip_input_data = source_skip,
                                        .resync_to_restart = jpeg.jpeg_resync_to_restart,
                                        .term_source = source_end},
                            .file = file,
                            .try_recover = try_recover};
}

// --- Decoding -----------------------------------------------------------------------------------

typedef struct {
  struct jpeg_decompress_struct info;
  jpeg_escape_t error;
  jpeg_source_t source;
  const sli_codec_jpeg_options_t *options;
  const sli_codec_sink_t *sink;
  int channels;
  JDIMENSION height, width;  // of the result
  JDIMENSION height_read;
  uint8_t *pixels;
  JSAMPLE *line;  // one line of the decoder, if it cannot write into |pixels|; owned
} jpeg_decoder_t;

static sli_status_t *refused(void) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "jpeg::Uncompress failed. Invalid JPEG data or crop window.");
}

// Reads the header, chooses what the decoder makes of it, and checks the size.
static sli_status_t *read_header(jpeg_decoder_t *d) {
  const sli_codec_jpeg_options_t *options = d->options;
  struct jpeg_decompress_struct *info = &d->info;
  jpeg.jpeg_read_header(info, TRUE);
  d->channels = options->channels ? options->channels : info->num_components < 3 ? info->num_components : 3;
  if (d->channels == 1) {
    info->out_color_space = JCS_GRAYSCALE;
  } else if (d->channels == 3) {
    bool is_cmyk = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
    info->out_color_space = is_cmyk ? JCS_CMYK : JCS_RGB;
  } else {
    return refused();
  }
  info->do_fancy_upsampling = options->fancy_upscaling;
  info->scale_num = 1;
  info->scale_denom = (unsigned)options->ratio;
  info->dct_method = options->accurate_dct ? JDCT_ISLOW : JDCT_IFAST;
  jpeg.jpeg_calc_output_dimensions(info);
  int64_t size = (int64_t)info->output_height * info->output_width * info->num_components;
  if (size == 0 || size >= INT64_C(1) << 29) return refused();
  d->height = info->output_height;
  d->width = info->output_width;
  if (!options->crop) return NULL;
  if (options->crop_width <= 0 || options->crop_height <= 0 || options->crop_x < 0 || options->crop_y < 0 ||
      (int64_t)options->crop_y + options->crop_height > d->height ||
      (int64_t)options->crop_x + options->crop_width > d->width)
    return refused();
  d->height = (JDIMENSION)options->crop_height;
  d->width = (JDIMENSION)options->crop_width;
  return NULL;
}

static void cmyk_to_rgb(const jpeg_decoder_t *d, const JSAMPLE *in, uint8_t *out) {
  for (JDIMENSION x = 0; x < d->width; x++, in += 4, out += 3) {
    for (int c = 0; c < 3; c++)
      out[c] = (uint8_t)(d->info.saw_Adobe_marker ? in[3] * in[c] / 255 : (255 - in[3]) * (255 - in[c]) / 255);
  }
}

// Reads one line to |out|; false at an early end of the file.
static bool read_line(jpeg_decoder_t *d, uint8_t *out) {
  if (!d->line) return jpeg.jpeg_read_scanlines(&d->info, (JSAMPARRAY)&out, 1) == 1;
  if (jpeg.jpeg_read_scanlines(&d->info, &d->line, 1) != 1) return false;
  bool is_cmyk = d->info.out_color_space == JCS_CMYK;
  // The decoder begins at the border of a block, left of the window.
  const JSAMPLE *in = d->line + (size_t)(d->info.output_width - d->width) * (is_cmyk ? 4 : (size_t)d->channels);
  if (is_cmyk)
    cmyk_to_rgb(d, in, out);
  else
    memcpy(out, in, (size_t)d->width * (size_t)d->channels);
  return true;
}

static sli_status_t *read_lines(jpeg_decoder_t *d) {
  const size_t stride = (size_t)d->width * (size_t)d->channels;
  JDIMENSION skipped = 0;
  jpeg.jpeg_start_decompress(&d->info);
  if (d->options->crop) {
    JDIMENSION x = (JDIMENSION)d->options->crop_x, width = d->width;
    jpeg.jpeg_crop_scanline(&d->info, &x, &width);
    skipped = jpeg.jpeg_skip_scanlines(&d->info, (JDIMENSION)d->options->crop_y);
    if (skipped != (JDIMENSION)d->options->crop_y) return refused();
  }
  if (d->info.out_color_space == JCS_CMYK || d->info.output_width != d->width) {
    d->line = sli_malloc_or_null((size_t)d->info.output_width * (size_t)d->info.output_components);
    if (!d->line) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for a line of a JPEG image");
  }
  for (d->height_read = 0; d->height_read < d->height; d->height_read++) {
    if (!read_line(d, d->pixels + d->height_read * stride)) break;
  }
  if (d->height_read == d->height) {
    JDIMENSION rest = d->info.output_height - d->info.output_scanline;
    if (d->options->crop && rest) jpeg.jpeg_skip_scanlines(&d->info, rest);
    jpeg.jpeg_finish_decompress(&d->info);
  } else if (d->source.try_recover) {  // repeats the last line
    for (; d->height_read < d->height; d->height_read++) {
      uint8_t *line = d->pixels + d->height_read * stride;
      if (d->height_read == 0)
        memset(line, 0, stride);
      else
        memcpy(line, line - stride, stride);
    }
  }
  return NULL;
}

static sli_status_t *decode(jpeg_decoder_t *d) {
  if (setjmp(d->error.escape)) return refused();
  jpeg.jpeg_CreateDecompress(&d->info, JPEG_LIB_VERSION, sizeof(d->info));
  d->info.src = &d->source.manager;
  SLI_RETURN_IF_ERROR(read_header(d));
  void *pixels = NULL;
  SLI_RETURN_IF_ERROR(d->sink->allocate(d->sink->context, 1, d->height, d->width, d->channels, &pixels));
  d->pixels = pixels;
  return read_lines(d);
}

sli_status_t *sli_codec_decode_jpeg(sli_view_t file, const sli_codec_jpeg_options_t *options,
                                    const sli_codec_sink_t *sink) {
  SLI_RETURN_IF_ERROR(require_library());
  jpeg_decoder_t d = {.options = options, .sink = sink};
  d.info.err = initialize_errors(&d.error);
  initialize_source(&d.source, file, options->try_recover_truncated);
  sli_status_t *status = decode(&d);
  if (d.info.mem) jpeg.jpeg_destroy((j_common_ptr)&d.info);
  free(d.line);
  SLI_RETURN_IF_ERROR(status);
  float least = options->acceptable_fraction < 1 ? options->acceptable_fraction : 1;
  if ((float)d.height_read / (float)d.height < least) return refused();
  size_t stride = (size_t)d.width * (size_t)d.channels;
  memset(d.pixels + d.height_read * stride, 0, (d.height - d.height_read) * stride);
  return NULL;
}

static bool read_shape(jpeg_decoder_t *d, int out_shape[3]) {
  if (setjmp(d->error.escape)) return false;
  jpeg.jpeg_CreateDecompress(&d->info, JPEG_LIB_VERSION, sizeof(d->info));
  d->info.src = &d->source.manager;
  jpeg.jpeg_read_header(&d->info, TRUE);
  jpeg.jpeg_calc_output_dimensions(&d->info);
  out_shape[0] = (int)d->info.output_height;
  out_shape[1] = (int)d->info.output_width;
  out_shape[2] = d->info.output_components;
  return true;
}

sli_status_t *sli_codec_jpeg_shape(sli_view_t file, int out_shape[3]) {
  SLI_RETURN_IF_ERROR(require_library());
  jpeg_decoder_t d = {0};
  d.info.err = initialize_errors(&d.error);
  initialize_source(&d.source, file, false);
  bool is_jpeg = read_shape(&d, out_shape);
  if (d.info.mem) jpeg.jpeg_destroy((j_common_ptr)&d.info);
  return is_jpeg ? NULL : sli_status_make(SLI_INVALID_ARGUMENT, "Invalid JPEG data, size %zu", file.size);
}

// --- Encoding -----------------------------------------------------------------------------------

enum { BUFFER_SIZE = 1 << 16 };

typedef struct {
  struct jpeg_compress_struct info;
  jpeg_escape_t error;
  struct jpeg_destination_mgr destination;
  sli_string_t *out;
  sli_string_t packet;  // here, so that a jump does not lose it
  JOCTET buffer[BUFFER_SIZE];
} jpeg_encoder_t;

static void destination_start(j_compress_ptr info) {
  jpeg_encoder_t *e = info->client_data;
  e->destination.next_output_byte = e->buffer;
  e->destination.free_in_buffer = BUFFER_SIZE;
}

static boolean destination_empty(j_compress_ptr info) {
  jpeg_encoder_t *e = info->client_data;
  sli_string_append(e->out, e->buffer, BUFFER_SIZE);
  destination_start(info);
  return TRUE;
}

static void destination_end(j_compress_ptr info) {
  jpeg_encoder_t *e = info->client_data;
  sli_string_append(e->out, e->buffer, BUFFER_SIZE - e->destination.free_in_buffer);
}

// Adobe's namespace, with its NUL, and the text in a marker of its own.
static void write_xmp(jpeg_encoder_t *e, sli_view_t text) {
  static const char name[] = "http://ns.adobe.com/xap/1.0/";
  sli_string_append(&e->packet, name, sizeof(name));
  sli_string_append(&e->packet, text.data, text.size);
  jpeg.jpeg_write_marker(&e->info, JPEG_APP0 + 1, (const JOCTET *)e->packet.data, (unsigned)e->packet.size);
}

static bool encode(jpeg_encoder_t *e, const sli_codec_image_t *image, const sli_codec_jpeg_encoding_t *encoding) {
  if (setjmp(e->error.escape)) return false;
  jpeg.jpeg_CreateCompress(&e->info, JPEG_LIB_VERSION, sizeof(e->info));
  e->info.client_data = e;
  e->info.dest = &e->destination;
  e->info.image_width = (JDIMENSION)image->width;
  e->info.image_height = (JDIMENSION)image->height;
  e->info.input_components = image->channels;
  e->info.in_color_space = image->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg.jpeg_set_defaults(&e->info);
  if (encoding->optimize_size) e->info.optimize_coding = TRUE;
  e->info.density_unit = (UINT8)encoding->density_unit;
  e->info.X_density = (UINT16)encoding->x_density;
  e->info.Y_density = (UINT16)encoding->y_density;
  jpeg.jpeg_set_quality(&e->info, encoding->quality, TRUE);
  if (encoding->progressive) jpeg.jpeg_simple_progression(&e->info);
  for (int i = 0; !encoding->chroma_downsampling && i < e->info.num_components; i++)
    e->info.comp_info[i].h_samp_factor = e->info.comp_info[i].v_samp_factor = 1;
  jpeg.jpeg_start_compress(&e->info, TRUE);
  if (encoding->xmp_metadata.size) write_xmp(e, encoding->xmp_metadata);
  const size_t stride = (size_t)image->width * (size_t)image->channels;
  while (e->info.next_scanline < e->info.image_height) {
    JSAMPROW row = (JSAMPROW)((const uint8_t *)image->pixels + e->info.next_scanline * stride);
    jpeg.jpeg_write_scanlines(&e->info, &row, 1);
  }
  jpeg.jpeg_finish_compress(&e->info);
  return true;
}

sli_status_t *sli_codec_encode_jpeg(const sli_codec_image_t *image, const sli_codec_jpeg_encoding_t *encoding,
                                    sli_string_t *out) {
  SLI_RETURN_IF_ERROR(require_library());
  int64_t pixels = (int64_t)image->width * image->height;
  // The length of a marker has two bytes.
  if (pixels <= 0 || pixels >= INT64_C(1) << 29 || encoding->xmp_metadata.size > 65533 - 29)
    return sli_status_make(SLI_INTERNAL, "JPEG encoding failed");
  jpeg_encoder_t *e = sli_calloc(1, sizeof(*e));
  e->info.err = initialize_errors(&e->error);
  e->destination = (struct jpeg_destination_mgr){.init_destination = destination_start,
                                                 .empty_output_buffer = destination_empty,
                                                 .term_destination = destination_end};
  e->out = out;
  bool is_done = encode(e, image, encoding);
  if (e->info.mem) jpeg.jpeg_destroy((j_common_ptr)&e->info);
  sli_string_deinitialize(&e->packet);
  free(e);
  return is_done ? NULL : sli_status_make(SLI_INTERNAL, "JPEG encoding failed");
}
