// GIF by giflib. The frames are read one by one, so that their sizes are checked before they get memory, and a frame
// that is cut short is left out.
#include <gif_lib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/image/codec.h"
#include "ops/image/codec_library.h"

#define FUNCTIONS(F)      \
  F(DGifOpen)             \
  F(DGifCloseFile)        \
  F(DGifGetRecordType)    \
  F(DGifGetImageDesc)     \
  F(DGifGetLine)          \
  F(DGifGetExtension)     \
  F(DGifGetExtensionNext) \
  F(DGifExtensionToGCB)   \
  F(GifErrorString)

static struct {
#define FIELD(name) __typeof__(name) *name;
  FUNCTIONS(FIELD)
#undef FIELD
} gif;
static sli_status_t *load_status;

static void load(void) {
  static const sli_codec_function_t functions[] = {
#define ROW(name) {#name, (void **)&gif.name},
      FUNCTIONS(ROW)
#undef ROW
  };
  load_status = sli_codec_load("libgif.so.7", "libgif7", functions, sizeof(functions) / sizeof(functions[0]));
}

static sli_status_t *require_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return sli_status_retain(load_status);
}

static sli_status_t *refused(sli_view_t file, const char *what, const char *why) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid GIF data (size %zu), %s%s", file.size, what, why);
}

static const char *error_text(int code) {
  const char *text = gif.GifErrorString(code);
  return text ? text : "Unknown error";
}

// --- Decoding -----------------------------------------------------------------------------------

static int read_bytes(GifFileType *state, GifByteType *buffer, int size) {
  sli_view_t *rest = state->UserData;
  if ((size_t)size > rest->size) size = (int)rest->size;
  if (size > 0) memcpy(buffer, rest->data, (size_t)size);
  *rest = sli_view_of(rest->data + size, rest->size - (size_t)size);
  return size;
}

enum { MOST_PIXELS = 1 << 29 };  // of all frames together

typedef struct {
  sli_view_t file;
  GifFileType *state;
  int frames;             // that are complete
  int64_t width, height;  // of the canvas: the largest frame's
  int64_t pixels;         // of all frames
  int transparent;        // the color of the frame that follows; NO_TRANSPARENT_COLOR: none
  int *transparents;      // of each frame, owned
} gif_decoder_t;

// Reads an extension, for the transparent color in it.
static bool read_extension(gif_decoder_t *d) {
  int code = 0;
  GifByteType *block = NULL;
  GraphicsControlBlock control;
  if (gif.DGifGetExtension(d->state, &code, &block) == GIF_ERROR) return false;
  while (block) {
    bool is_control = code == GRAPHICS_EXT_FUNC_CODE && d->transparent == NO_TRANSPARENT_COLOR;
    if (is_control && gif.DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
      d->transparent = control.TransparentColor;
    if (gif.DGifGetExtensionNext(d->state, &block) == GIF_ERROR) return false;
  }
  return true;
}

static bool read_lines(gif_decoder_t *d, SavedImage *frame) {
  static const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
  const int width = frame->ImageDesc.Width, height = frame->ImageDesc.Height;
  const bool is_interlaced = frame->ImageDesc.Interlace;
  for (int pass = 0; pass < (is_interlaced ? 4 : 1); pass++) {
    for (int y = is_interlaced ? starts[pass] : 0; y < height; y += is_interlaced ? steps[pass] : 1)
      if (gif.DGifGetLine(d->state, frame->RasterBits + (size_t)y * (size_t)width, width) == GIF_ERROR) return false;
  }
  return true;
}

// Reads a frame. |*out_complete| is false if it is cut short or empty, and reading must stop.
static sli_status_t *read_frame(gif_decoder_t *d, bool *out_complete) {
  *out_complete = false;
  if (gif.DGifGetImageDesc(d->state) == GIF_ERROR) return NULL;
  SavedImage *frame = &d->state->SavedImages[d->state->ImageCount - 1];
  const int64_t pixels = (int64_t)frame->ImageDesc.Width * frame->ImageDesc.Height;
  if (pixels <= 0) return NULL;
  d->pixels += pixels;
  if (d->pixels > MOST_PIXELS) return refused(d->file, "its frames have more than 2^29 pixels", "");
  frame->RasterBits = sli_malloc_or_null((size_t)pixels);  // giflib frees it
  if (!frame->RasterBits) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for a frame of a GIF image");
  *out_complete = read_lines(d, frame);
  if (!*out_complete) return NULL;
  d->transparents = sli_realloc(d->transparents, (size_t)(d->frames + 1) * sizeof(int));
  d->transparents[d->frames++] = d->transparent;
  d->transparent = NO_TRANSPARENT_COLOR;
  if (frame->ImageDesc.Width > d->width) d->width = frame->ImageDesc.Width;
  if (frame->ImageDesc.Height > d->height) d->height = frame->ImageDesc.Height;
  return NULL;
}

// Reads frames up to the end or to the first error; only without any frame that is an error of the file.
static sli_status_t *read_frames(gif_decoder_t *d) {
  GifRecordType record = UNDEFINED_RECORD_TYPE;
  for (bool more = true; more;) {
    more = gif.DGifGetRecordType(d->state, &record) != GIF_ERROR;
    if (!more || record == TERMINATE_RECORD_TYPE) break;
    if (record == IMAGE_DESC_RECORD_TYPE) SLI_RETURN_IF_ERROR(read_frame(d, &more));
    if (record == EXTENSION_RECORD_TYPE) more = read_extension(d);
  }
  if (d->frames) return NULL;
  if (record == TERMINATE_RECORD_TYPE) return refused(d->file, "gif file does not contain any image", "");
  return refused(d->file, "failed to slurp gif file: ", error_text(d->state->Error));
}

// Draws frame |k| to |canvas|, over the frame before.
static sli_status_t *draw_frame(const gif_decoder_t *d, int k, uint8_t *canvas) {
  const SavedImage *frame = &d->state->SavedImages[k];
  const GifImageDesc *at = &frame->ImageDesc;
  const int64_t stride = d->width * 3;
  int64_t right = at->Left + at->Width, bottom = at->Top + at->Height;
  if (k == 0)
    memset(canvas, 0, (size_t)(d->height * stride));
  else
    memcpy(canvas, canvas - d->height * stride, (size_t)(d->height * stride));
  if (right > d->width) right = d->width;
  if (bottom > d->height) bottom = d->height;
  const ColorMapObject *map = at->ColorMap ? at->ColorMap : d->state->SColorMap;
  if (!map) {
    char number[16];
    snprintf(number, sizeof(number), "%d", k);
    return refused(d->file, "missing color map for frame ", number);
  }
  for (int64_t y = at->Top; y < bottom; y++) {
    const GifByteType *line = frame->RasterBits + (y - at->Top) * at->Width;
    for (int64_t x = at->Left; x < right; x++) {
      int color = line[x - at->Left];
      if (color == d->transparents[k]) continue;
      if (color >= map->ColorCount) {
        char numbers[64];
        snprintf(numbers, sizeof(numbers), "%d outside of color map range %d", color, map->ColorCount);
        return refused(d->file, "found color index ", numbers);
      }
      uint8_t *pixel = canvas + y * stride + x * 3;
      pixel[0] = map->Colors[color].Red;
      pixel[1] = map->Colors[color].Green;
      pixel[2] = map->Colors[color].Blue;
    }
  }
  return NULL;
}

static sli_status_t *decode(gif_decoder_t *d, bool all_frames, const sli_codec_sink_t *sink) {
  SLI_RETURN_IF_ERROR(read_frames(d));
  int frames = all_frames ? d->frames : 1;
  void *pixels = NULL;
  SLI_RETURN_IF_ERROR(sink->allocate(sink->context, frames, d->height, d->width, 3, &pixels));
  for (int k = 0; k < frames; k++)
    SLI_RETURN_IF_ERROR(draw_frame(d, k, (uint8_t *)pixels + k * d->height * d->width * 3));
  return NULL;
}

sli_status_t *sli_codec_decode_gif(sli_view_t file, bool all_frames, const sli_codec_sink_t *sink) {
  SLI_RETURN_IF_ERROR(require_library());
  sli_view_t rest = file;
  int error = D_GIF_SUCCEEDED;
  gif_decoder_t d = {
      .file = file, .state = gif.DGifOpen(&rest, read_bytes, &error), .transparent = NO_TRANSPARENT_COLOR};
  if (!d.state) return refused(file, "failed to open gif file: ", error_text(error));
  sli_status_t *status = decode(&d, all_frames, sink);
  gif.DGifCloseFile(d.state, &error);
  free(d.transparents);
  return status;
}
