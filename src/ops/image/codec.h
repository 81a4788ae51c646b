// Image files to pixels and back: one file for each format. The libraries (libjpeg-turbo, libpng, giflib) are loaded at
// the first image of their format; without one, FAILED_PRECONDITION names the package. BMP needs none.
//
// Files are foreign bytes: sizes are checked before anything is allocated for them. All functions are thread-safe.
#ifndef SLI_OPS_IMAGE_CODEC_H_
#define SLI_OPS_IMAGE_CODEC_H_

#include "base/status.h"
#include "base/string.h"

// Where a decoder puts pixels: it calls |allocate| once, as soon as it knows the size. The pixels are rows of |width| ×
// |channels| bytes (16-bit numbers if a PNG is decoded to them), frames one after the other. |allocate| must not jump.
typedef struct {
  sli_status_t *(*allocate)(void *context, int64_t frames, int64_t height, int64_t width, int64_t channels,
                            void **out_pixels);
  void *context;
} sli_codec_sink_t;

typedef struct {
  int channels;  // 0: those of the file
  int ratio;     // 1, 2, 4 or 8: divides the size
  bool fancy_upscaling, try_recover_truncated, accurate_dct;
  float acceptable_fraction;  // of the lines, below which the file is refused
  bool crop;
  int crop_y, crop_x, crop_height, crop_width;
} sli_codec_jpeg_options_t;
sli_status_t *sli_codec_decode_jpeg(sli_view_t file, const sli_codec_jpeg_options_t *options,
                                    const sli_codec_sink_t *sink);
// Height, width, channels, from the header alone.
sli_status_t *sli_codec_jpeg_shape(sli_view_t file, int out_shape[3]);

typedef struct {
  const void *pixels;
  int height, width, channels;
} sli_codec_image_t;

typedef struct {
  int quality;  // 0 to 100
  bool progressive, optimize_size, chroma_downsampling;
  int density_unit, x_density, y_density;  // unit 1: inch, 2: centimetre
  sli_view_t xmp_metadata;                 // empty: none
} sli_codec_jpeg_encoding_t;
// |image| has 1 or 3 channels. Appends to |out|.
sli_status_t *sli_codec_encode_jpeg(const sli_codec_image_t *image, const sli_codec_jpeg_encoding_t *encoding,
                                    sli_string_t *out);

// |channels| 0: those of the file. |bits|: 8, or 16 for pixels of uint16_t.
sli_status_t *sli_codec_decode_png(sli_view_t file, int channels, int bits, const sli_codec_sink_t *sink);
// |image| has 1 to 4 channels of |bits|; |compression| as zlib's, -1: the default. Appends to |out|.
sli_status_t *sli_codec_encode_png(const sli_codec_image_t *image, int bits, int compression, sli_string_t *out);

// Always three channels. All frames, or only the first.
sli_status_t *sli_codec_decode_gif(sli_view_t file, bool all_frames, const sli_codec_sink_t *sink);

// |channels| 0: those of the file; else 3 or 4.
sli_status_t *sli_codec_decode_bmp(sli_view_t file, int channels, const sli_codec_sink_t *sink);

#endif  // SLI_OPS_IMAGE_CODEC_H_
