// DecodeJpeg, DecodeAndCropJpeg, DecodePng, DecodeGif, DecodeBmp, DecodeImage: image files to pixels. The bytes decide
// about the format, not the op: DecodePng decodes a JPEG, too. Only BMP is left to DecodeBmp and DecodeImage.
// ExtractJpegShape reads the header of a JPEG.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "ops/image/codec.h"

typedef enum { FORMAT_UNKNOWN, FORMAT_JPEG, FORMAT_PNG, FORMAT_GIF, FORMAT_BMP } format_t;

static format_t classify(sli_view_t file) {
  if (sli_view_starts_with(file, "\xff\xd8\xff")) return FORMAT_JPEG;
  if (sli_view_starts_with(file, "\x89PNG\r\n\x1a\n")) return FORMAT_PNG;
  if (sli_view_starts_with(file, "GIF8")) return FORMAT_GIF;
  if (sli_view_starts_with(file, "BM")) return FORMAT_BMP;
  return FORMAT_UNKNOWN;
}

// --- Attributes ---------------------------------------------------------------------------------

typedef enum { OP_JPEG, OP_CROP_JPEG, OP_PNG, OP_GIF, OP_BMP, OP_IMAGE } op_kind_t;

typedef struct {
  op_kind_t kind;
  const char *op;
  int64_t channels;
  sli_dtype_t dtype;
  bool expand_animations;
  sli_codec_jpeg_options_t jpeg;
} decode_t;

static sli_status_t *read_jpeg_attrs(const sli_node_def_t *node, sli_codec_jpeg_options_t *jpeg) {
  int64_t ratio;
  sli_view_t dct_method;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "ratio", &ratio));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "fancy_upscaling", &jpeg->fancy_upscaling));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "try_recover_truncated", &jpeg->try_recover_truncated));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "acceptable_fraction", &jpeg->acceptable_fraction));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "dct_method", &dct_method));
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8)
    return sli_status_make(SLI_INVALID_ARGUMENT, "ratio must be 1, 2, 4, or 8, got %lld", (long long)ratio);
  jpeg->ratio = (int)ratio;
  jpeg->accurate_dct = sli_view_is(dct_method, "INTEGER_ACCURATE");
  if (!jpeg->accurate_dct && dct_method.size && !sli_view_is(dct_method, "INTEGER_FAST"))
    return sli_status_make(SLI_INVALID_ARGUMENT, "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}");
  return NULL;
}

static sli_status_t *decode_create(const sli_kernel_setup_t *setup, void **out_state) {
  static const char *const names[] = {"DecodeJpeg", "DecodeAndCropJpeg", "DecodePng",
                                      "DecodeGif",  "DecodeBmp",         "DecodeImage"};
  decode_t d = {.op = setup->node->op->def->name, .dtype = SLI_DTYPE_UINT8, .expand_animations = true, .channels = 3};
  *out_state = NULL;
  while (strcmp(d.op, names[d.kind]) != 0) d.kind++;
  d.jpeg = (sli_codec_jpeg_options_t){.ratio = 1, .fancy_upscaling = true, .acceptable_fraction = 1};
  if (d.kind == OP_JPEG || d.kind == OP_CROP_JPEG) SLI_RETURN_IF_ERROR(read_jpeg_attrs(setup->node, &d.jpeg));
  if (d.kind == OP_PNG || d.kind == OP_IMAGE) SLI_RETURN_IF_ERROR(sli_node_attr_type(setup->node, "dtype", &d.dtype));
  if (d.kind == OP_IMAGE)
    SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "expand_animations", &d.expand_animations));
  if (d.kind != OP_GIF) SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "channels", &d.channels));
  if (d.channels != 0 && d.channels != 1 && d.channels != 3 && d.channels != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "`channels` must be 0, 1, 3 or 4 but got %lld", (long long)d.channels);
  d.jpeg.channels = (int)d.channels;
  *out_state = sli_memdup(&d, sizeof(d));
  return NULL;
}

// --- The output ---------------------------------------------------------------------------------

// Where the codecs write: into the output if it has their type, else into |raw|, to be converted.
typedef struct {
  sli_kernel_context_t *context;
  const decode_t *decode;
  format_t format;
  sli_dtype_t raw_type;
  sli_tensor_t *output;  // borrowed
  sli_tensor_t *raw;     // owned; NULL: the codec writes into |output|
} target_t;

static sli_status_t *target_allocate(void *context, int64_t frames, int64_t height, int64_t width, int64_t channels,
                                     void **out_pixels) {
  target_t *t = context;
  int64_t dims[] = {frames, height, width, channels};
  bool is_gif = t->format == FORMAT_GIF;
  bool with_frames =
      t->decode->kind == OP_GIF || (t->decode->kind == OP_IMAGE && is_gif && t->decode->expand_animations);
  if (frames > 1 && !with_frames)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Got %lld frames, but animated gifs can only be decoded by tf.io.decode_gif or "
                           "tf.io.decode_image",
                           (long long)frames);
  sli_shape_t shape = with_frames ? (sli_shape_t){4, dims} : (sli_shape_t){3, dims + 1};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(t->context, 0, shape, &t->output));
  if (t->raw_type != t->decode->dtype)
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(t->context, t->raw_type, shape, &t->raw));
  *out_pixels = t->raw ? t->raw->data : t->output->data;
  return NULL;
}

static void convert_range(void *context, int64_t begin, int64_t end) {
  const target_t *t = context;
  if (t->raw_type == SLI_DTYPE_UINT16) {
    const uint16_t *in = t->raw->data;
    float *out = t->output->data, scale = 1.0f / UINT16_MAX;
    for (int64_t i = begin; i < end; i++) out[i] = in[i] * scale;
  } else if (t->decode->dtype == SLI_DTYPE_UINT16) {
    const uint8_t *in = t->raw->data;
    uint16_t *out = t->output->data;
    for (int64_t i = begin; i < end; i++) out[i] = (uint16_t)(in[i] * 256);
  } else {
    const uint8_t *in = t->raw->data;
    float *out = t->output->data, scale = 1.0f / UINT8_MAX;
    for (int64_t i = begin; i < end; i++) out[i] = in[i] * scale;
  }
}

// --- The kernels --------------------------------------------------------------------------------

static sli_status_t *only_jpeg(const char *format) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "DecodeAndCropJpeg operation can run on JPEG only, but detected %s.",
                         format);
}

static sli_status_t *not_bmp(const char *format, const char *op) {
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Trying to decode %s format using DecodeBmp op. Use `%s` or `decode_image` instead.", format,
                         op);
}

static sli_status_t *decode_jpeg(target_t *t, sli_view_t file, const sli_codec_sink_t *sink) {
  const decode_t *d = t->decode;
  sli_codec_jpeg_options_t options = d->jpeg;
  if (d->channels == 4) return sli_status_make(SLI_INVALID_ARGUMENT, "JPEG does not support 4 channels");
  if (d->kind == OP_BMP) return not_bmp("JPEG", "decode_jpeg");
  if (d->kind == OP_CROP_JPEG) {
    const sli_tensor_t *window = sli_kernel_input(t->context, 1);
    if (window->rank != 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "crop_window must be 1-D, got shape %s",
                             sli_tensor_shape_text(window).text);
    if (window->count != 4)
      return sli_status_make(SLI_INVALID_ARGUMENT, "crop_size must have four elements %s",
                             sli_tensor_shape_text(window).text);
    const int32_t *values = window->data;
    options.crop = true;
    options.crop_y = values[0];
    options.crop_x = values[1];
    options.crop_height = values[2];
    options.crop_width = values[3];
  }
  return sli_codec_decode_jpeg(file, &options, sink);
}

// For ops that take no PNG: a damaged header is reported before.
static sli_status_t *refuse_png(void *context, int64_t frames, int64_t height, int64_t width, int64_t channels,
                                void **out_pixels) {
  const target_t *t = context;
  return t->decode->kind == OP_BMP ? not_bmp("PNG", "decode_png") : only_jpeg("PNG");
}

static sli_status_t *decode_png(target_t *t, sli_view_t file, const sli_codec_sink_t *sink) {
  const decode_t *d = t->decode;
  if (d->kind == OP_BMP || d->kind == OP_CROP_JPEG) {
    sli_codec_sink_t refuse = {refuse_png, t};
    return sli_codec_decode_png(file, (int)d->channels, 8, &refuse);
  }
  if (d->dtype != SLI_DTYPE_UINT8) t->raw_type = SLI_DTYPE_UINT16;
  return sli_codec_decode_png(file, (int)d->channels, d->dtype == SLI_DTYPE_UINT8 ? 8 : 16, sink);
}

static sli_status_t *decode_gif(target_t *t, sli_view_t file, const sli_codec_sink_t *sink) {
  const decode_t *d = t->decode;
  if (d->channels != 0 && d->channels != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "channels must be 0 or 3 for GIF, got %lld", (long long)d->channels);
  if (d->kind == OP_BMP) return not_bmp("GIF", "decode_gif");
  if (d->kind == OP_CROP_JPEG) return only_jpeg("GIF");
  return sli_codec_decode_gif(file, d->expand_animations, sink);
}

static sli_status_t *decode_bmp(target_t *t, sli_view_t file, const sli_codec_sink_t *sink) {
  const decode_t *d = t->decode;
  if (d->channels == 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "`channels` must be 0, 3 or 4 for BMP, but got %lld",
                           (long long)d->channels);
  if (d->kind == OP_CROP_JPEG) return only_jpeg("BMP");
  if (d->kind != OP_BMP && d->kind != OP_IMAGE)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. "
                           "Op used: %s",
                           d->op);
  return sli_codec_decode_bmp(file, (int)d->channels, sink);
}

static sli_status_t *decode_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *contents = sli_kernel_input(context, 0);
  if (contents->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "`contents` must be scalar but got shape%s",
                           sli_tensor_shape_text(contents).text);
  sli_view_t file = sli_tensor_string_at(contents, 0);
  if (!file.size) return sli_status_make(SLI_INVALID_ARGUMENT, "Input is empty.");
  if (file.size > INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input contents are too large for int: %zu", file.size);
  target_t t = {
      .context = context, .decode = sli_kernel_state(context), .format = classify(file), .raw_type = SLI_DTYPE_UINT8};
  sli_codec_sink_t sink = {target_allocate, &t};
  sli_status_t *status = NULL;
  switch (t.format) {
    case FORMAT_JPEG: status = decode_jpeg(&t, file, &sink); break;
    case FORMAT_PNG: status = decode_png(&t, file, &sink); break;
    case FORMAT_GIF: status = decode_gif(&t, file, &sink); break;
    case FORMAT_BMP: status = decode_bmp(&t, file, &sink); break;
    case FORMAT_UNKNOWN:
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Unknown image file format. One of JPEG, PNG, GIF, BMP required.");
  }
  if (!status && t.raw) sli_parallel_for(sli_kernel_pool(context), t.output->count, 0.5, convert_range, &t);
  sli_tensor_release(t.raw);
  return status;
}

static sli_status_t *shape_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *contents = sli_kernel_input(context, 0);
  if (contents->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "contents must be scalar, got shape %s",
                           sli_tensor_shape_text(contents).text);
  sli_view_t file = sli_tensor_string_at(contents, 0);
  if (file.size > INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "JPEG contents are too large for int: %zu", file.size);
  int shape[3];
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_codec_jpeg_shape(file, shape));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(3), &output));
  for (int i = 0; i < 3; i++) sli_tensor_set_int(output, i, shape[i]);
  return NULL;
}

// --- Shapes -------------------------------------------------------------------------------------

static sli_status_t *channels_dim(sli_infer_context_t *c, int64_t *out_dim) {
  sli_shape_t contents;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &contents));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "channels", out_dim));
  if (*out_dim < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "channels must be non-negative, got %lld", (long long)*out_dim);
  if (*out_dim == 0) *out_dim = -1;
  return NULL;
}

static sli_status_t *decode_shape(sli_infer_context_t *c) {
  int64_t channels;
  SLI_RETURN_IF_ERROR(channels_dim(c, &channels));
  sli_infer_set_output(c, 0, sli_infer_make(c, 3, (int64_t[]){-1, -1, channels}));
  return NULL;
}

static sli_status_t *decode_any_shape(sli_infer_context_t *c) {
  bool expand;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "expand_animations", &expand));
  SLI_RETURN_IF_ERROR(decode_shape(c));
  if (expand) c->outputs[0] = (sli_shape_t){-1, NULL};
  return NULL;
}

static sli_status_t *decode_gif_shape(sli_infer_context_t *c) {
  sli_shape_t contents;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &contents));
  sli_infer_set_output(c, 0, sli_infer_make(c, 4, (int64_t[]){-1, -1, -1, 3}));
  return NULL;
}

static sli_status_t *decode_crop_shape(sli_infer_context_t *c) {
  int64_t dims[] = {-1, -1, -1};
  sli_shape_t window;
  SLI_RETURN_IF_ERROR(channels_dim(c, &dims[2]));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &window));
  if (window.dims[0] >= 0 && window.dims[0] != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension must be 4 but is %lld", (long long)window.dims[0]);
  const sli_tensor_t *values = sli_infer_input_constant(c, 1);
  for (int i = 0; values && i < 2; i++) {
    dims[i] = SLI_DATA(int32_t, values)[i + 2];
    if (dims[i] < -1) return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= 0", (long long)dims[i]);
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, 3, dims));
  return NULL;
}

static sli_status_t *jpeg_shape_shape(sli_infer_context_t *c) {
  sli_shape_t contents;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &contents));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){3}));
  return NULL;
}

// --- Tables -------------------------------------------------------------------------------------

#define JPEG_ATTRS                                                                                         \
  "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; try_recover_truncated: bool = false; " \
  "acceptable_fraction: float = 1; dct_method: string = ''"

static const sli_op_def_t ops[] = {
    {.name = "DecodeJpeg",
     .inputs = "contents: string",
     .outputs = "image: uint8",
     .attrs = JPEG_ATTRS,
     .summary = "The pixels of a JPEG file.",
     .shape = decode_shape},
    {.name = "DecodeAndCropJpeg",
     .inputs = "contents: string, crop_window: int32",
     .outputs = "image: uint8",
     .attrs = JPEG_ATTRS,
     .summary = "The pixels of a window of a JPEG file; what is outside is hardly decoded.",
     .shape = decode_crop_shape},
    {.name = "DecodePng",
     .inputs = "contents: string",
     .outputs = "image: dtype",
     .attrs = "channels: int = 0; dtype: {uint8, uint16} = DT_UINT8",
     .summary = "The pixels of a PNG file.",
     .shape = decode_shape},
    {.name = "DecodeGif",
     .inputs = "contents: string",
     .outputs = "image: uint8",
     .summary = "The frames of a GIF file.",
     .shape = decode_gif_shape},
    {.name = "DecodeBmp",
     .inputs = "contents: string",
     .outputs = "image: uint8",
     .attrs = "channels: int = 0",
     .summary = "The pixels of a BMP file.",
     .shape = decode_shape},
    {.name = "DecodeImage",
     .inputs = "contents: string",
     .outputs = "image: dtype",
     .attrs = "channels: int = 0; dtype: {uint8, uint16, float} = DT_UINT8; expand_animations: bool = true",
     .summary = "The pixels of a JPEG, PNG, GIF or BMP file.",
     .shape = decode_any_shape},
    {.name = "ExtractJpegShape",
     .inputs = "contents: string",
     .outputs = "image_shape: output_type",
     .attrs = "output_type: {int32, int64} = DT_INT32",
     .summary = "Height, width and channels of a JPEG file, from its header.",
     .shape = jpeg_shape_shape},
};

#define DECODER(name) \
  { .op = name, .compute = decode_compute, .create = decode_create, .destroy = free, .expensive = true, .cost = 100 }

static const sli_kernel_def_t kernels[] = {
    DECODER("DecodeJpeg"),
    DECODER("DecodeAndCropJpeg"),
    DECODER("DecodePng"),
    DECODER("DecodeGif"),
    DECODER("DecodeBmp"),
    DECODER("DecodeImage"),
    {.op = "ExtractJpegShape", .where = {{"output_type", SLI_TYPES_INDEX}}, .compute = shape_compute},
};

SLI_OP_MODULE(decode_image);
