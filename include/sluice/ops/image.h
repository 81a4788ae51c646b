// Ops: image files, resizing, cropping, colours, boxes, distortions.
// Generated from src/ops/image by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_IMAGE_H_
#define SLUICE_OPS_IMAGE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// AdjustContrast(images: T, contrast_factor: float, min_value: float, max_value: float) -> output: float
// Changes the contrast of images within limits.
// T: {uint8, int8, int16, int32, int64, float, double}
// No gradient. Deprecated since GraphDef version 2: Use AdjustContrastv2 instead
static inline TF_Output sl_op_adjust_contrast_with(sl_scope_t *scope, TF_Output images, TF_Output contrast_factor,
    TF_Output min_value, TF_Output max_value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AdjustContrast", options->name);
  sl_node_input(node, images);
  sl_node_input(node, contrast_factor);
  sl_node_input(node, min_value);
  sl_node_input(node, max_value);
  return sl_node_output(node);
}
#define sl_op_adjust_contrast(scope, images, contrast_factor, min_value, max_value, ...) \
  sl_op_adjust_contrast_with(SL_AT(scope), (images), (contrast_factor), (min_value), (max_value), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// AdjustContrastv2(images: T, contrast_factor: float) -> output: T
// Changes the contrast of images.
// T: {half, float} = DT_FLOAT
// No gradient.
static inline TF_Output sl_op_adjust_contrastv2_with(sl_scope_t *scope, TF_Output images, TF_Output contrast_factor,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AdjustContrastv2", options->name);
  sl_node_input(node, images);
  sl_node_input(node, contrast_factor);
  return sl_node_output(node);
}
#define sl_op_adjust_contrastv2(scope, images, contrast_factor, ...) \
  sl_op_adjust_contrastv2_with(SL_AT(scope), (images), (contrast_factor), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AdjustHue(images: T, delta: float) -> output: T
// Turns the hue of images.
// T: {half, float} = DT_FLOAT
// No gradient.
static inline TF_Output sl_op_adjust_hue_with(sl_scope_t *scope, TF_Output images, TF_Output delta,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AdjustHue", options->name);
  sl_node_input(node, images);
  sl_node_input(node, delta);
  return sl_node_output(node);
}
#define sl_op_adjust_hue(scope, images, delta, ...) \
  sl_op_adjust_hue_with(SL_AT(scope), (images), (delta), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AdjustSaturation(images: T, scale: float) -> output: T
// Scales the saturation of images.
// T: {half, float} = DT_FLOAT
// No gradient.
static inline TF_Output sl_op_adjust_saturation_with(sl_scope_t *scope, TF_Output images, TF_Output scale,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AdjustSaturation", options->name);
  sl_node_input(node, images);
  sl_node_input(node, scale);
  return sl_node_output(node);
}
#define sl_op_adjust_saturation(scope, images, scale, ...) \
  sl_op_adjust_saturation_with(SL_AT(scope), (images), (scale), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CombinedNonMaxSuppression(boxes: float, scores: float, max_output_size_per_class: int32, max_total_size: int32,
//   iou_threshold: float, score_threshold: float) -> nmsed_boxes: float, nmsed_scores: float, nmsed_classes: float,
//   valid_detections: int32
// The best boxes of all classes of each image.
// pad_per_class: bool = false; clip_boxes: bool = true
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool pad_per_class;
  bool clip_boxes;
} sl_op_combined_non_max_suppression_options_t;
typedef struct {
  TF_Output nmsed_boxes;
  TF_Output nmsed_scores;
  TF_Output nmsed_classes;
  TF_Output valid_detections;
} sl_op_combined_non_max_suppression_t;
static inline sl_op_combined_non_max_suppression_t sl_op_combined_non_max_suppression_with(sl_scope_t *scope,
    TF_Output boxes, TF_Output scores, TF_Output max_output_size_per_class, TF_Output max_total_size,
    TF_Output iou_threshold, TF_Output score_threshold, const sl_op_combined_non_max_suppression_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CombinedNonMaxSuppression", options->name);
  sl_node_input(node, boxes);
  sl_node_input(node, scores);
  sl_node_input(node, max_output_size_per_class);
  sl_node_input(node, max_total_size);
  sl_node_input(node, iou_threshold);
  sl_node_input(node, score_threshold);
  sl_node_attr_bool(node, "pad_per_class", options->pad_per_class);
  sl_node_attr_bool(node, "clip_boxes", options->clip_boxes);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_combined_non_max_suppression_t result;
  result.nmsed_boxes = sl_op_output(operation, 0);
  result.nmsed_scores = sl_op_output(operation, 1);
  result.nmsed_classes = sl_op_output(operation, 2);
  result.valid_detections = sl_op_output(operation, 3);
  return result;
}
#define sl_op_combined_non_max_suppression(scope, boxes, scores, max_output_size_per_class, max_total_size, \
    iou_threshold, score_threshold, ...) \
  SL_OVER_DEFAULTS(sl_op_combined_non_max_suppression_with(SL_AT(scope), (boxes), (scores), ( \
    max_output_size_per_class), (max_total_size), (iou_threshold), (score_threshold), SL_OPTIONS( \
    sl_op_combined_non_max_suppression_options_t, .clip_boxes = true, __VA_ARGS__)))

// CropAndResize(image: T, boxes: float, box_ind: int32, crop_size: int32) -> crops: float
// Crops boxes from images and resizes them to one size.
// T: {uint8, uint16, int8, int16, int32, int64, half, float, double}; method: {'bilinear', 'nearest'} = 'bilinear';
//   extrapolation_value: float = 0
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *method;
  float extrapolation_value;
} sl_op_crop_and_resize_options_t;
static inline TF_Output sl_op_crop_and_resize_with(sl_scope_t *scope, TF_Output image, TF_Output boxes,
    TF_Output box_ind, TF_Output crop_size, const sl_op_crop_and_resize_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CropAndResize", options->name);
  sl_node_input(node, image);
  sl_node_input(node, boxes);
  sl_node_input(node, box_ind);
  sl_node_input(node, crop_size);
  if (options->method) sl_node_attr_text(node, "method", options->method);
  sl_node_attr_float(node, "extrapolation_value", options->extrapolation_value);
  return sl_node_output(node);
}
#define sl_op_crop_and_resize(scope, image, boxes, box_ind, crop_size, ...) \
  sl_op_crop_and_resize_with(SL_AT(scope), (image), (boxes), (box_ind), (crop_size), SL_OPTIONS( \
    sl_op_crop_and_resize_options_t, __VA_ARGS__))

// CropAndResizeGradBoxes(grads: float, image: T, boxes: float, box_ind: int32) -> output: float
// The gradient of CropAndResize for the boxes.
// T: {uint8, uint16, int8, int16, int32, int64, half, float, double}; method: {'bilinear'} = 'bilinear'
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *method;
} sl_op_crop_and_resize_grad_boxes_options_t;
static inline TF_Output sl_op_crop_and_resize_grad_boxes_with(sl_scope_t *scope, TF_Output grads, TF_Output image,
    TF_Output boxes, TF_Output box_ind, const sl_op_crop_and_resize_grad_boxes_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CropAndResizeGradBoxes", options->name);
  sl_node_input(node, grads);
  sl_node_input(node, image);
  sl_node_input(node, boxes);
  sl_node_input(node, box_ind);
  if (options->method) sl_node_attr_text(node, "method", options->method);
  return sl_node_output(node);
}
#define sl_op_crop_and_resize_grad_boxes(scope, grads, image, boxes, box_ind, ...) \
  sl_op_crop_and_resize_grad_boxes_with(SL_AT(scope), (grads), (image), (boxes), (box_ind), SL_OPTIONS( \
    sl_op_crop_and_resize_grad_boxes_options_t, __VA_ARGS__))

// CropAndResizeGradImage(grads: float, boxes: float, box_ind: int32, image_size: int32) -> output: T
// The gradient of CropAndResize for the image.
// T: {float, half, double}; method: {'bilinear', 'nearest'} = 'bilinear'
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *method;
} sl_op_crop_and_resize_grad_image_options_t;
static inline TF_Output sl_op_crop_and_resize_grad_image_with(sl_scope_t *scope, TF_Output grads, TF_Output boxes,
    TF_Output box_ind, TF_Output image_size, TF_DataType T,
    const sl_op_crop_and_resize_grad_image_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CropAndResizeGradImage", options->name);
  sl_node_input(node, grads);
  sl_node_input(node, boxes);
  sl_node_input(node, box_ind);
  sl_node_input(node, image_size);
  sl_node_attr_type(node, "T", T);
  if (options->method) sl_node_attr_text(node, "method", options->method);
  return sl_node_output(node);
}
#define sl_op_crop_and_resize_grad_image(scope, grads, boxes, box_ind, image_size, T, ...) \
  sl_op_crop_and_resize_grad_image_with(SL_AT(scope), (grads), (boxes), (box_ind), (image_size), (T), SL_OPTIONS( \
    sl_op_crop_and_resize_grad_image_options_t, __VA_ARGS__))

// DecodeAndCropJpeg(contents: string, crop_window: int32) -> image: uint8
// The pixels of a window of a JPEG file; what is outside is hardly decoded.
// channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; try_recover_truncated: bool = false;
//   acceptable_fraction: float = 1; dct_method: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t channels;
  int64_t ratio;
  bool fancy_upscaling;
  bool try_recover_truncated;
  float acceptable_fraction;
  const char *dct_method;
} sl_op_decode_and_crop_jpeg_options_t;
static inline TF_Output sl_op_decode_and_crop_jpeg_with(sl_scope_t *scope, TF_Output contents, TF_Output crop_window,
    const sl_op_decode_and_crop_jpeg_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeAndCropJpeg", options->name);
  sl_node_input(node, contents);
  sl_node_input(node, crop_window);
  sl_node_attr_int(node, "channels", options->channels);
  sl_node_attr_int(node, "ratio", options->ratio);
  sl_node_attr_bool(node, "fancy_upscaling", options->fancy_upscaling);
  sl_node_attr_bool(node, "try_recover_truncated", options->try_recover_truncated);
  sl_node_attr_float(node, "acceptable_fraction", options->acceptable_fraction);
  if (options->dct_method) sl_node_attr_text(node, "dct_method", options->dct_method);
  return sl_node_output(node);
}
#define sl_op_decode_and_crop_jpeg(scope, contents, crop_window, ...) \
  SL_OVER_DEFAULTS(sl_op_decode_and_crop_jpeg_with(SL_AT(scope), (contents), (crop_window), SL_OPTIONS( \
    sl_op_decode_and_crop_jpeg_options_t, .ratio = 1, .fancy_upscaling = true, .acceptable_fraction = (float)1, \
    __VA_ARGS__)))

// DecodeBmp(contents: string) -> image: uint8
// The pixels of a BMP file.
// channels: int = 0
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t channels;
} sl_op_decode_bmp_options_t;
static inline TF_Output sl_op_decode_bmp_with(sl_scope_t *scope, TF_Output contents,
    const sl_op_decode_bmp_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeBmp", options->name);
  sl_node_input(node, contents);
  sl_node_attr_int(node, "channels", options->channels);
  return sl_node_output(node);
}
#define sl_op_decode_bmp(scope, contents, ...) \
  sl_op_decode_bmp_with(SL_AT(scope), (contents), SL_OPTIONS(sl_op_decode_bmp_options_t, __VA_ARGS__))

// DecodeGif(contents: string) -> image: uint8
// The frames of a GIF file.
// No gradient.
static inline TF_Output sl_op_decode_gif_with(sl_scope_t *scope, TF_Output contents, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeGif", options->name);
  sl_node_input(node, contents);
  return sl_node_output(node);
}
#define sl_op_decode_gif(scope, contents, ...) \
  sl_op_decode_gif_with(SL_AT(scope), (contents), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DecodeImage(contents: string) -> image: dtype
// The pixels of a JPEG, PNG, GIF or BMP file.
// channels: int = 0; dtype: {uint8, uint16, float} = DT_UINT8; expand_animations: bool = true
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t channels;
  TF_DataType dtype;
  bool expand_animations;
} sl_op_decode_image_options_t;
static inline TF_Output sl_op_decode_image_with(sl_scope_t *scope, TF_Output contents,
    const sl_op_decode_image_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeImage", options->name);
  sl_node_input(node, contents);
  sl_node_attr_int(node, "channels", options->channels);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  sl_node_attr_bool(node, "expand_animations", options->expand_animations);
  return sl_node_output(node);
}
#define sl_op_decode_image(scope, contents, ...) \
  SL_OVER_DEFAULTS(sl_op_decode_image_with(SL_AT(scope), (contents), SL_OPTIONS(sl_op_decode_image_options_t, \
    .expand_animations = true, __VA_ARGS__)))

// DecodeJpeg(contents: string) -> image: uint8
// The pixels of a JPEG file.
// channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; try_recover_truncated: bool = false;
//   acceptable_fraction: float = 1; dct_method: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t channels;
  int64_t ratio;
  bool fancy_upscaling;
  bool try_recover_truncated;
  float acceptable_fraction;
  const char *dct_method;
} sl_op_decode_jpeg_options_t;
static inline TF_Output sl_op_decode_jpeg_with(sl_scope_t *scope, TF_Output contents,
    const sl_op_decode_jpeg_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeJpeg", options->name);
  sl_node_input(node, contents);
  sl_node_attr_int(node, "channels", options->channels);
  sl_node_attr_int(node, "ratio", options->ratio);
  sl_node_attr_bool(node, "fancy_upscaling", options->fancy_upscaling);
  sl_node_attr_bool(node, "try_recover_truncated", options->try_recover_truncated);
  sl_node_attr_float(node, "acceptable_fraction", options->acceptable_fraction);
  if (options->dct_method) sl_node_attr_text(node, "dct_method", options->dct_method);
  return sl_node_output(node);
}
#define sl_op_decode_jpeg(scope, contents, ...) \
  SL_OVER_DEFAULTS(sl_op_decode_jpeg_with(SL_AT(scope), (contents), SL_OPTIONS(sl_op_decode_jpeg_options_t, \
    .ratio = 1, .fancy_upscaling = true, .acceptable_fraction = (float)1, __VA_ARGS__)))

// DecodePng(contents: string) -> image: dtype
// The pixels of a PNG file.
// channels: int = 0; dtype: {uint8, uint16} = DT_UINT8
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t channels;
  TF_DataType dtype;
} sl_op_decode_png_options_t;
static inline TF_Output sl_op_decode_png_with(sl_scope_t *scope, TF_Output contents,
    const sl_op_decode_png_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodePng", options->name);
  sl_node_input(node, contents);
  sl_node_attr_int(node, "channels", options->channels);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_decode_png(scope, contents, ...) \
  sl_op_decode_png_with(SL_AT(scope), (contents), SL_OPTIONS(sl_op_decode_png_options_t, __VA_ARGS__))

// DrawBoundingBoxes(images: T, boxes: float) -> output: T
// Draws boxes on images.
// T: {float, half} = DT_FLOAT
// Gradients stop here.
static inline TF_Output sl_op_draw_bounding_boxes_with(sl_scope_t *scope, TF_Output images, TF_Output boxes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DrawBoundingBoxes", options->name);
  sl_node_input(node, images);
  sl_node_input(node, boxes);
  return sl_node_output(node);
}
#define sl_op_draw_bounding_boxes(scope, images, boxes, ...) \
  sl_op_draw_bounding_boxes_with(SL_AT(scope), (images), (boxes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DrawBoundingBoxesV2(images: T, boxes: float, colors: float) -> output: T
// Draws boxes on images in given colours.
// T: {float, half} = DT_FLOAT
// No gradient.
static inline TF_Output sl_op_draw_bounding_boxes_v2_with(sl_scope_t *scope, TF_Output images, TF_Output boxes,
    TF_Output colors, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DrawBoundingBoxesV2", options->name);
  sl_node_input(node, images);
  sl_node_input(node, boxes);
  sl_node_input(node, colors);
  return sl_node_output(node);
}
#define sl_op_draw_bounding_boxes_v2(scope, images, boxes, colors, ...) \
  sl_op_draw_bounding_boxes_v2_with(SL_AT(scope), (images), (boxes), (colors), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// EncodeJpeg(image: uint8) -> contents: string
// A JPEG file of an image.
// format: {'', 'grayscale', 'rgb'} = ''; quality: int = 95; progressive: bool = false; optimize_size: bool = false;
//   chroma_downsampling: bool = true; density_unit: {'in', 'cm'} = 'in'; x_density: int = 300; y_density: int = 300;
//   xmp_metadata: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *format;
  int64_t quality;
  bool progressive;
  bool optimize_size;
  bool chroma_downsampling;
  const char *density_unit;
  int64_t x_density;
  int64_t y_density;
  const char *xmp_metadata;
} sl_op_encode_jpeg_options_t;
static inline TF_Output sl_op_encode_jpeg_with(sl_scope_t *scope, TF_Output image,
    const sl_op_encode_jpeg_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EncodeJpeg", options->name);
  sl_node_input(node, image);
  if (options->format) sl_node_attr_text(node, "format", options->format);
  sl_node_attr_int(node, "quality", options->quality);
  sl_node_attr_bool(node, "progressive", options->progressive);
  sl_node_attr_bool(node, "optimize_size", options->optimize_size);
  sl_node_attr_bool(node, "chroma_downsampling", options->chroma_downsampling);
  if (options->density_unit) sl_node_attr_text(node, "density_unit", options->density_unit);
  sl_node_attr_int(node, "x_density", options->x_density);
  sl_node_attr_int(node, "y_density", options->y_density);
  if (options->xmp_metadata) sl_node_attr_text(node, "xmp_metadata", options->xmp_metadata);
  return sl_node_output(node);
}
#define sl_op_encode_jpeg(scope, image, ...) \
  SL_OVER_DEFAULTS(sl_op_encode_jpeg_with(SL_AT(scope), (image), SL_OPTIONS(sl_op_encode_jpeg_options_t, \
    .quality = 95, .chroma_downsampling = true, .x_density = 300, .y_density = 300, __VA_ARGS__)))

// EncodeJpegVariableQuality(images: uint8, quality: int32) -> contents: string
// A JPEG file of an image, with a quality that the graph computes.
// No gradient.
static inline TF_Output sl_op_encode_jpeg_variable_quality_with(sl_scope_t *scope, TF_Output images,
    TF_Output quality, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EncodeJpegVariableQuality", options->name);
  sl_node_input(node, images);
  sl_node_input(node, quality);
  return sl_node_output(node);
}
#define sl_op_encode_jpeg_variable_quality(scope, images, quality, ...) \
  sl_op_encode_jpeg_variable_quality_with(SL_AT(scope), (images), (quality), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// EncodePng(image: T) -> contents: string
// A PNG file of each image.
// compression: int = -1; T: {uint8, uint16} = DT_UINT8
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t compression;
} sl_op_encode_png_options_t;
static inline TF_Output sl_op_encode_png_with(sl_scope_t *scope, TF_Output image,
    const sl_op_encode_png_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EncodePng", options->name);
  sl_node_input(node, image);
  sl_node_attr_int(node, "compression", options->compression);
  return sl_node_output(node);
}
#define sl_op_encode_png(scope, image, ...) \
  SL_OVER_DEFAULTS(sl_op_encode_png_with(SL_AT(scope), (image), SL_OPTIONS(sl_op_encode_png_options_t, \
    .compression = -1, __VA_ARGS__)))

// ExtractGlimpse(input: float, size: int32, offsets: float) -> glimpse: float
// A window of each image.
// centered: bool = true; normalized: bool = true; uniform_noise: bool = true; noise: string = 'uniform'
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool centered;
  bool normalized;
  bool uniform_noise;
  const char *noise;
} sl_op_extract_glimpse_options_t;
static inline TF_Output sl_op_extract_glimpse_with(sl_scope_t *scope, TF_Output input, TF_Output size,
    TF_Output offsets, const sl_op_extract_glimpse_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExtractGlimpse", options->name);
  sl_node_input(node, input);
  sl_node_input(node, size);
  sl_node_input(node, offsets);
  sl_node_attr_bool(node, "centered", options->centered);
  sl_node_attr_bool(node, "normalized", options->normalized);
  sl_node_attr_bool(node, "uniform_noise", options->uniform_noise);
  if (options->noise) sl_node_attr_text(node, "noise", options->noise);
  return sl_node_output(node);
}
#define sl_op_extract_glimpse(scope, input, size, offsets, ...) \
  SL_OVER_DEFAULTS(sl_op_extract_glimpse_with(SL_AT(scope), (input), (size), (offsets), SL_OPTIONS( \
    sl_op_extract_glimpse_options_t, .centered = true, .normalized = true, .uniform_noise = true, __VA_ARGS__)))

// ExtractGlimpseV2(input: float, size: int32, offsets: float) -> glimpse: float
// A window of each image; offsets in pixels are those of its first pixel.
// centered: bool = true; normalized: bool = true; uniform_noise: bool = true; noise: string = 'uniform'
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool centered;
  bool normalized;
  bool uniform_noise;
  const char *noise;
} sl_op_extract_glimpse_v2_options_t;
static inline TF_Output sl_op_extract_glimpse_v2_with(sl_scope_t *scope, TF_Output input, TF_Output size,
    TF_Output offsets, const sl_op_extract_glimpse_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExtractGlimpseV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, size);
  sl_node_input(node, offsets);
  sl_node_attr_bool(node, "centered", options->centered);
  sl_node_attr_bool(node, "normalized", options->normalized);
  sl_node_attr_bool(node, "uniform_noise", options->uniform_noise);
  if (options->noise) sl_node_attr_text(node, "noise", options->noise);
  return sl_node_output(node);
}
#define sl_op_extract_glimpse_v2(scope, input, size, offsets, ...) \
  SL_OVER_DEFAULTS(sl_op_extract_glimpse_v2_with(SL_AT(scope), (input), (size), (offsets), SL_OPTIONS( \
    sl_op_extract_glimpse_v2_options_t, .centered = true, .normalized = true, .uniform_noise = true, __VA_ARGS__)))

// ExtractJpegShape(contents: string) -> image_shape: output_type
// Height, width and channels of a JPEG file, from its header.
// output_type: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType output_type;
} sl_op_extract_jpeg_shape_options_t;
static inline TF_Output sl_op_extract_jpeg_shape_with(sl_scope_t *scope, TF_Output contents,
    const sl_op_extract_jpeg_shape_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExtractJpegShape", options->name);
  sl_node_input(node, contents);
  if (options->output_type) sl_node_attr_type(node, "output_type", options->output_type);
  return sl_node_output(node);
}
#define sl_op_extract_jpeg_shape(scope, contents, ...) \
  sl_op_extract_jpeg_shape_with(SL_AT(scope), (contents), SL_OPTIONS(sl_op_extract_jpeg_shape_options_t, __VA_ARGS__))

// FusedPadConv2D(input: T, paddings: int32, filter: T) -> output: T
// A convolution over mirrored images.
// T: {half, bfloat16, float, double}; mode: {'REFLECT', 'SYMMETRIC'}; strides: list(int); padding: {'SAME', 'VALID'}
// No gradient.
static inline TF_Output sl_op_fused_pad_conv2d_with(sl_scope_t *scope, TF_Output input, TF_Output paddings,
    TF_Output filter, const char *mode, sl_op_ints_t strides, const char *padding, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedPadConv2D", options->name);
  sl_node_input(node, input);
  sl_node_input(node, paddings);
  sl_node_input(node, filter);
  sl_node_attr_text(node, "mode", mode);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  return sl_node_output(node);
}
#define sl_op_fused_pad_conv2d(scope, input, paddings, filter, mode, strides, padding, ...) \
  sl_op_fused_pad_conv2d_with(SL_AT(scope), (input), (paddings), (filter), (mode), (strides), (padding), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// FusedResizeAndPadConv2D(input: T, size: int32, paddings: int32, filter: T) -> output: T
// A convolution over resized and mirrored images.
// T: {half, float, double}; resize_align_corners: bool = false; mode: {'REFLECT', 'SYMMETRIC'}; strides: list(int);
//   padding: {'SAME', 'VALID'}
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool resize_align_corners;
} sl_op_fused_resize_and_pad_conv2d_options_t;
static inline TF_Output sl_op_fused_resize_and_pad_conv2d_with(sl_scope_t *scope, TF_Output input, TF_Output size,
    TF_Output paddings, TF_Output filter, const char *mode, sl_op_ints_t strides, const char *padding,
    const sl_op_fused_resize_and_pad_conv2d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedResizeAndPadConv2D", options->name);
  sl_node_input(node, input);
  sl_node_input(node, size);
  sl_node_input(node, paddings);
  sl_node_input(node, filter);
  sl_node_attr_bool(node, "resize_align_corners", options->resize_align_corners);
  sl_node_attr_text(node, "mode", mode);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  return sl_node_output(node);
}
#define sl_op_fused_resize_and_pad_conv2d(scope, input, size, paddings, filter, mode, strides, padding, ...) \
  sl_op_fused_resize_and_pad_conv2d_with(SL_AT(scope), (input), (size), (paddings), (filter), (mode), (strides), ( \
    padding), SL_OPTIONS(sl_op_fused_resize_and_pad_conv2d_options_t, __VA_ARGS__))

// HSVToRGB(images: T) -> output: T
// RGB colours of hue, saturation and value.
// T: {half, bfloat16, float, double} = DT_FLOAT
// Gradients stop here.
static inline TF_Output sl_op_hsv_to_rgb_with(sl_scope_t *scope, TF_Output images, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "HSVToRGB", options->name);
  sl_node_input(node, images);
  return sl_node_output(node);
}
#define sl_op_hsv_to_rgb(scope, images, ...) \
  sl_op_hsv_to_rgb_with(SL_AT(scope), (images), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ImageProjectiveTransformV2(images: dtype, transforms: float, output_shape: int32) -> transformed_images: dtype
// Rotates, shears and projects images.
// dtype: {uint8, int32, int64, half, float, double}; interpolation: string; fill_mode: string = 'CONSTANT'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *fill_mode;
} sl_op_image_projective_transform_v2_options_t;
static inline TF_Output sl_op_image_projective_transform_v2_with(sl_scope_t *scope, TF_Output images,
    TF_Output transforms, TF_Output output_shape, const char *interpolation,
    const sl_op_image_projective_transform_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ImageProjectiveTransformV2", options->name);
  sl_node_input(node, images);
  sl_node_input(node, transforms);
  sl_node_input(node, output_shape);
  sl_node_attr_text(node, "interpolation", interpolation);
  if (options->fill_mode) sl_node_attr_text(node, "fill_mode", options->fill_mode);
  return sl_node_output(node);
}
#define sl_op_image_projective_transform_v2(scope, images, transforms, output_shape, interpolation, ...) \
  sl_op_image_projective_transform_v2_with(SL_AT(scope), (images), (transforms), (output_shape), (interpolation), \
    SL_OPTIONS(sl_op_image_projective_transform_v2_options_t, __VA_ARGS__))

// ImageProjectiveTransformV3(images: dtype, transforms: float, output_shape: int32, fill_value: float) ->
//   transformed_images: dtype
// Rotates, shears and projects images, with a value for what is outside.
// dtype: {uint8, int32, int64, half, float, double}; interpolation: string; fill_mode: string = 'CONSTANT'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *fill_mode;
} sl_op_image_projective_transform_v3_options_t;
static inline TF_Output sl_op_image_projective_transform_v3_with(sl_scope_t *scope, TF_Output images,
    TF_Output transforms, TF_Output output_shape, TF_Output fill_value, const char *interpolation,
    const sl_op_image_projective_transform_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ImageProjectiveTransformV3", options->name);
  sl_node_input(node, images);
  sl_node_input(node, transforms);
  sl_node_input(node, output_shape);
  sl_node_input(node, fill_value);
  sl_node_attr_text(node, "interpolation", interpolation);
  if (options->fill_mode) sl_node_attr_text(node, "fill_mode", options->fill_mode);
  return sl_node_output(node);
}
#define sl_op_image_projective_transform_v3(scope, images, transforms, output_shape, fill_value, interpolation, \
    ...) \
  sl_op_image_projective_transform_v3_with(SL_AT(scope), (images), (transforms), (output_shape), (fill_value), ( \
    interpolation), SL_OPTIONS(sl_op_image_projective_transform_v3_options_t, __VA_ARGS__))

// NonMaxSuppression(boxes: float, scores: float, max_output_size: int32) -> selected_indices: int32
// The best boxes that do not overlap.
// iou_threshold: float = 0.5
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  float iou_threshold;
} sl_op_non_max_suppression_options_t;
static inline TF_Output sl_op_non_max_suppression_with(sl_scope_t *scope, TF_Output boxes, TF_Output scores,
    TF_Output max_output_size, const sl_op_non_max_suppression_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NonMaxSuppression", options->name);
  sl_node_input(node, boxes);
  sl_node_input(node, scores);
  sl_node_input(node, max_output_size);
  sl_node_attr_float(node, "iou_threshold", options->iou_threshold);
  return sl_node_output(node);
}
#define sl_op_non_max_suppression(scope, boxes, scores, max_output_size, ...) \
  SL_OVER_DEFAULTS(sl_op_non_max_suppression_with(SL_AT(scope), (boxes), (scores), (max_output_size), SL_OPTIONS( \
    sl_op_non_max_suppression_options_t, .iou_threshold = (float)0.5, __VA_ARGS__)))

// NonMaxSuppressionV2(boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold) -> selected_indices:
//   int32
// The best boxes that do not overlap.
// T: {half, float} = DT_FLOAT; T_threshold: {half, float} = DT_FLOAT
// Gradients stop here.
static inline TF_Output sl_op_non_max_suppression_v2_with(sl_scope_t *scope, TF_Output boxes, TF_Output scores,
    TF_Output max_output_size, TF_Output iou_threshold, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NonMaxSuppressionV2", options->name);
  sl_node_input(node, boxes);
  sl_node_input(node, scores);
  sl_node_input(node, max_output_size);
  sl_node_input(node, iou_threshold);
  return sl_node_output(node);
}
#define sl_op_non_max_suppression_v2(scope, boxes, scores, max_output_size, iou_threshold, ...) \
  sl_op_non_max_suppression_v2_with(SL_AT(scope), (boxes), (scores), (max_output_size), (iou_threshold), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// NonMaxSuppressionV3(boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold:
//   T_threshold) -> selected_indices: int32
// The best boxes above a score that do not overlap.
// T: {half, float} = DT_FLOAT; T_threshold: {half, float} = DT_FLOAT
// No gradient.
static inline TF_Output sl_op_non_max_suppression_v3_with(sl_scope_t *scope, TF_Output boxes, TF_Output scores,
    TF_Output max_output_size, TF_Output iou_threshold, TF_Output score_threshold, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NonMaxSuppressionV3", options->name);
  sl_node_input(node, boxes);
  sl_node_input(node, scores);
  sl_node_input(node, max_output_size);
  sl_node_input(node, iou_threshold);
  sl_node_input(node, score_threshold);
  return sl_node_output(node);
}
#define sl_op_non_max_suppression_v3(scope, boxes, scores, max_output_size, iou_threshold, score_threshold, ...) \
  sl_op_non_max_suppression_v3_with(SL_AT(scope), (boxes), (scores), (max_output_size), (iou_threshold), ( \
    score_threshold), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// NonMaxSuppressionV4(boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold:
//   T_threshold) -> selected_indices: int32, valid_outputs: int32
// The best boxes above a score that do not overlap, padded.
// T: {half, float} = DT_FLOAT; T_threshold: {half, float} = DT_FLOAT; pad_to_max_output_size: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool pad_to_max_output_size;
} sl_op_non_max_suppression_v4_options_t;
typedef struct {
  TF_Output selected_indices;
  TF_Output valid_outputs;
} sl_op_non_max_suppression_v4_t;
static inline sl_op_non_max_suppression_v4_t sl_op_non_max_suppression_v4_with(sl_scope_t *scope, TF_Output boxes,
    TF_Output scores, TF_Output max_output_size, TF_Output iou_threshold, TF_Output score_threshold,
    const sl_op_non_max_suppression_v4_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NonMaxSuppressionV4", options->name);
  sl_node_input(node, boxes);
  sl_node_input(node, scores);
  sl_node_input(node, max_output_size);
  sl_node_input(node, iou_threshold);
  sl_node_input(node, score_threshold);
  sl_node_attr_bool(node, "pad_to_max_output_size", options->pad_to_max_output_size);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_non_max_suppression_v4_t result;
  result.selected_indices = sl_op_output(operation, 0);
  result.valid_outputs = sl_op_output(operation, 1);
  return result;
}
#define sl_op_non_max_suppression_v4(scope, boxes, scores, max_output_size, iou_threshold, score_threshold, ...) \
  sl_op_non_max_suppression_v4_with(SL_AT(scope), (boxes), (scores), (max_output_size), (iou_threshold), ( \
    score_threshold), SL_OPTIONS(sl_op_non_max_suppression_v4_options_t, __VA_ARGS__))

// NonMaxSuppressionV5(boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T,
//   soft_nms_sigma: T) -> selected_indices: int32, selected_scores: T, valid_outputs: int32
// The best boxes and their scores, which overlaps may lower.
// T: {half, float} = DT_FLOAT; pad_to_max_output_size: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool pad_to_max_output_size;
} sl_op_non_max_suppression_v5_options_t;
typedef struct {
  TF_Output selected_indices;
  TF_Output selected_scores;
  TF_Output valid_outputs;
} sl_op_non_max_suppression_v5_t;
static inline sl_op_non_max_suppression_v5_t sl_op_non_max_suppression_v5_with(sl_scope_t *scope, TF_Output boxes,
    TF_Output scores, TF_Output max_output_size, TF_Output iou_threshold, TF_Output score_threshold,
    TF_Output soft_nms_sigma, const sl_op_non_max_suppression_v5_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NonMaxSuppressionV5", options->name);
  sl_node_input(node, boxes);
  sl_node_input(node, scores);
  sl_node_input(node, max_output_size);
  sl_node_input(node, iou_threshold);
  sl_node_input(node, score_threshold);
  sl_node_input(node, soft_nms_sigma);
  sl_node_attr_bool(node, "pad_to_max_output_size", options->pad_to_max_output_size);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_non_max_suppression_v5_t result;
  result.selected_indices = sl_op_output(operation, 0);
  result.selected_scores = sl_op_output(operation, 1);
  result.valid_outputs = sl_op_output(operation, 2);
  return result;
}
#define sl_op_non_max_suppression_v5(scope, boxes, scores, max_output_size, iou_threshold, score_threshold, \
    soft_nms_sigma, ...) \
  sl_op_non_max_suppression_v5_with(SL_AT(scope), (boxes), (scores), (max_output_size), (iou_threshold), ( \
    score_threshold), (soft_nms_sigma), SL_OPTIONS(sl_op_non_max_suppression_v5_options_t, __VA_ARGS__))

// NonMaxSuppressionWithOverlaps(overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float,
//   score_threshold: float) -> selected_indices: int32
// The best boxes, by a matrix of their overlaps.
// Gradients stop here.
static inline TF_Output sl_op_non_max_suppression_with_overlaps_with(sl_scope_t *scope, TF_Output overlaps,
    TF_Output scores, TF_Output max_output_size, TF_Output overlap_threshold, TF_Output score_threshold,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NonMaxSuppressionWithOverlaps", options->name);
  sl_node_input(node, overlaps);
  sl_node_input(node, scores);
  sl_node_input(node, max_output_size);
  sl_node_input(node, overlap_threshold);
  sl_node_input(node, score_threshold);
  return sl_node_output(node);
}
#define sl_op_non_max_suppression_with_overlaps(scope, overlaps, scores, max_output_size, overlap_threshold, \
    score_threshold, ...) \
  sl_op_non_max_suppression_with_overlaps_with(SL_AT(scope), (overlaps), (scores), (max_output_size), ( \
    overlap_threshold), (score_threshold), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RGBToHSV(images: T) -> output: T
// Hue, saturation and value of RGB colours.
// T: {half, bfloat16, float, double} = DT_FLOAT
// Differentiable.
static inline TF_Output sl_op_rgb_to_hsv_with(sl_scope_t *scope, TF_Output images, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RGBToHSV", options->name);
  sl_node_input(node, images);
  return sl_node_output(node);
}
#define sl_op_rgb_to_hsv(scope, images, ...) \
  sl_op_rgb_to_hsv_with(SL_AT(scope), (images), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RandomCrop(image: T, size: int64) -> output: T
// A random window of an image.
// T: {uint8, int8, int16, int32, int64, float, double}; seed: int = 0; seed2: int = 0
// Stateful; gradients stop here. Deprecated since GraphDef version 8: Random crop is now pure Python
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_crop_options_t;
static inline TF_Output sl_op_random_crop_with(sl_scope_t *scope, TF_Output image, TF_Output size,
    const sl_op_random_crop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomCrop", options->name);
  sl_node_input(node, image);
  sl_node_input(node, size);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  return sl_node_output(node);
}
#define sl_op_random_crop(scope, image, size, ...) \
  sl_op_random_crop_with(SL_AT(scope), (image), (size), SL_OPTIONS(sl_op_random_crop_options_t, __VA_ARGS__))

// ResizeArea(images: T, size: int32) -> resized_images: float
// Resizes images by averaging areas.
// T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; align_corners: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool align_corners;
} sl_op_resize_area_options_t;
static inline TF_Output sl_op_resize_area_with(sl_scope_t *scope, TF_Output images, TF_Output size,
    const sl_op_resize_area_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResizeArea", options->name);
  sl_node_input(node, images);
  sl_node_input(node, size);
  sl_node_attr_bool(node, "align_corners", options->align_corners);
  return sl_node_output(node);
}
#define sl_op_resize_area(scope, images, size, ...) \
  sl_op_resize_area_with(SL_AT(scope), (images), (size), SL_OPTIONS(sl_op_resize_area_options_t, __VA_ARGS__))

// ResizeBicubic(images: T, size: int32) -> resized_images: float
// Resizes images by bicubic interpolation.
// T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; align_corners: bool = false;
//   half_pixel_centers: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool align_corners;
  bool half_pixel_centers;
} sl_op_resize_bicubic_options_t;
static inline TF_Output sl_op_resize_bicubic_with(sl_scope_t *scope, TF_Output images, TF_Output size,
    const sl_op_resize_bicubic_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResizeBicubic", options->name);
  sl_node_input(node, images);
  sl_node_input(node, size);
  sl_node_attr_bool(node, "align_corners", options->align_corners);
  sl_node_attr_bool(node, "half_pixel_centers", options->half_pixel_centers);
  return sl_node_output(node);
}
#define sl_op_resize_bicubic(scope, images, size, ...) \
  sl_op_resize_bicubic_with(SL_AT(scope), (images), (size), SL_OPTIONS(sl_op_resize_bicubic_options_t, __VA_ARGS__))

// ResizeBicubicGrad(grads: float, original_image: T) -> output: T
// The gradient of ResizeBicubic.
// T: {float, double}; align_corners: bool = false; half_pixel_centers: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool align_corners;
  bool half_pixel_centers;
} sl_op_resize_bicubic_grad_options_t;
static inline TF_Output sl_op_resize_bicubic_grad_with(sl_scope_t *scope, TF_Output grads, TF_Output original_image,
    const sl_op_resize_bicubic_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResizeBicubicGrad", options->name);
  sl_node_input(node, grads);
  sl_node_input(node, original_image);
  sl_node_attr_bool(node, "align_corners", options->align_corners);
  sl_node_attr_bool(node, "half_pixel_centers", options->half_pixel_centers);
  return sl_node_output(node);
}
#define sl_op_resize_bicubic_grad(scope, grads, original_image, ...) \
  sl_op_resize_bicubic_grad_with(SL_AT(scope), (grads), (original_image), SL_OPTIONS( \
    sl_op_resize_bicubic_grad_options_t, __VA_ARGS__))

// ResizeBilinear(images: T, size: int32) -> resized_images: float
// Resizes images by bilinear interpolation.
// T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}; align_corners: bool =
//   false; half_pixel_centers: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool align_corners;
  bool half_pixel_centers;
} sl_op_resize_bilinear_options_t;
static inline TF_Output sl_op_resize_bilinear_with(sl_scope_t *scope, TF_Output images, TF_Output size,
    const sl_op_resize_bilinear_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResizeBilinear", options->name);
  sl_node_input(node, images);
  sl_node_input(node, size);
  sl_node_attr_bool(node, "align_corners", options->align_corners);
  sl_node_attr_bool(node, "half_pixel_centers", options->half_pixel_centers);
  return sl_node_output(node);
}
#define sl_op_resize_bilinear(scope, images, size, ...) \
  sl_op_resize_bilinear_with(SL_AT(scope), (images), (size), SL_OPTIONS(sl_op_resize_bilinear_options_t, __VA_ARGS__))

// ResizeBilinearGrad(grads: float, original_image: T) -> output: T
// The gradient of ResizeBilinear.
// T: {float, bfloat16, half, double}; align_corners: bool = false; half_pixel_centers: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool align_corners;
  bool half_pixel_centers;
} sl_op_resize_bilinear_grad_options_t;
static inline TF_Output sl_op_resize_bilinear_grad_with(sl_scope_t *scope, TF_Output grads, TF_Output original_image,
    const sl_op_resize_bilinear_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResizeBilinearGrad", options->name);
  sl_node_input(node, grads);
  sl_node_input(node, original_image);
  sl_node_attr_bool(node, "align_corners", options->align_corners);
  sl_node_attr_bool(node, "half_pixel_centers", options->half_pixel_centers);
  return sl_node_output(node);
}
#define sl_op_resize_bilinear_grad(scope, grads, original_image, ...) \
  sl_op_resize_bilinear_grad_with(SL_AT(scope), (grads), (original_image), SL_OPTIONS( \
    sl_op_resize_bilinear_grad_options_t, __VA_ARGS__))

// ResizeNearestNeighbor(images: T, size: int32) -> resized_images: T
// Resizes images by copying the nearest pixel.
// T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; align_corners: bool = false;
//   half_pixel_centers: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool align_corners;
  bool half_pixel_centers;
} sl_op_resize_nearest_neighbor_options_t;
static inline TF_Output sl_op_resize_nearest_neighbor_with(sl_scope_t *scope, TF_Output images, TF_Output size,
    const sl_op_resize_nearest_neighbor_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResizeNearestNeighbor", options->name);
  sl_node_input(node, images);
  sl_node_input(node, size);
  sl_node_attr_bool(node, "align_corners", options->align_corners);
  sl_node_attr_bool(node, "half_pixel_centers", options->half_pixel_centers);
  return sl_node_output(node);
}
#define sl_op_resize_nearest_neighbor(scope, images, size, ...) \
  sl_op_resize_nearest_neighbor_with(SL_AT(scope), (images), (size), SL_OPTIONS( \
    sl_op_resize_nearest_neighbor_options_t, __VA_ARGS__))

// ResizeNearestNeighborGrad(grads: T, size: int32) -> output: T
// The gradient of ResizeNearestNeighbor.
// T: {uint8, int8, int32, half, float, double, bfloat16}; align_corners: bool = false; half_pixel_centers: bool =
//   false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool align_corners;
  bool half_pixel_centers;
} sl_op_resize_nearest_neighbor_grad_options_t;
static inline TF_Output sl_op_resize_nearest_neighbor_grad_with(sl_scope_t *scope, TF_Output grads, TF_Output size,
    const sl_op_resize_nearest_neighbor_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResizeNearestNeighborGrad", options->name);
  sl_node_input(node, grads);
  sl_node_input(node, size);
  sl_node_attr_bool(node, "align_corners", options->align_corners);
  sl_node_attr_bool(node, "half_pixel_centers", options->half_pixel_centers);
  return sl_node_output(node);
}
#define sl_op_resize_nearest_neighbor_grad(scope, grads, size, ...) \
  sl_op_resize_nearest_neighbor_grad_with(SL_AT(scope), (grads), (size), SL_OPTIONS( \
    sl_op_resize_nearest_neighbor_grad_options_t, __VA_ARGS__))

// SampleDistortedBoundingBox(image_size: T, bounding_boxes: float) -> begin: T, size: T, bboxes: float
// A random window of an image that covers a part of a box.
// T: {uint8, int8, int16, int32, int64}; seed: int = 0; seed2: int = 0; min_object_covered: float = 0.1;
//   aspect_ratio_range: list(float) = [0.75, 1.33]; area_range: list(float) = [0.05, 1]; max_attempts: int = 100;
//   use_image_if_no_bounding_boxes: bool = false
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
  float min_object_covered;
  sl_op_floats_t aspect_ratio_range;
  sl_op_floats_t area_range;
  int64_t max_attempts;
  bool use_image_if_no_bounding_boxes;
} sl_op_sample_distorted_bounding_box_options_t;
typedef struct {
  TF_Output begin;
  TF_Output size;
  TF_Output bboxes;
} sl_op_sample_distorted_bounding_box_t;
static inline sl_op_sample_distorted_bounding_box_t sl_op_sample_distorted_bounding_box_with(sl_scope_t *scope,
    TF_Output image_size, TF_Output bounding_boxes, const sl_op_sample_distorted_bounding_box_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SampleDistortedBoundingBox", options->name);
  sl_node_input(node, image_size);
  sl_node_input(node, bounding_boxes);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  sl_node_attr_float(node, "min_object_covered", options->min_object_covered);
  if (options->aspect_ratio_range.values) sl_node_attr_float_list(node, "aspect_ratio_range",
    options->aspect_ratio_range.values, options->aspect_ratio_range.count);
  if (options->area_range.values) sl_node_attr_float_list(node, "area_range", options->area_range.values,
    options->area_range.count);
  sl_node_attr_int(node, "max_attempts", options->max_attempts);
  sl_node_attr_bool(node, "use_image_if_no_bounding_boxes", options->use_image_if_no_bounding_boxes);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sample_distorted_bounding_box_t result;
  result.begin = sl_op_output(operation, 0);
  result.size = sl_op_output(operation, 1);
  result.bboxes = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sample_distorted_bounding_box(scope, image_size, bounding_boxes, ...) \
  SL_OVER_DEFAULTS(sl_op_sample_distorted_bounding_box_with(SL_AT(scope), (image_size), (bounding_boxes), SL_OPTIONS( \
    sl_op_sample_distorted_bounding_box_options_t, .min_object_covered = (float)0.100000001, .max_attempts = 100, \
    __VA_ARGS__)))

// SampleDistortedBoundingBoxV2(image_size: T, bounding_boxes: float, min_object_covered: float) -> begin: T, size: T,
//   bboxes: float
// A random window of an image that covers a given part of a box.
// T: {uint8, int8, int16, int32, int64}; seed: int = 0; seed2: int = 0; aspect_ratio_range: list(float) = [0.75,
//   1.33]; area_range: list(float) = [0.05, 1]; max_attempts: int = 100; use_image_if_no_bounding_boxes: bool = false
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
  sl_op_floats_t aspect_ratio_range;
  sl_op_floats_t area_range;
  int64_t max_attempts;
  bool use_image_if_no_bounding_boxes;
} sl_op_sample_distorted_bounding_box_v2_options_t;
typedef struct {
  TF_Output begin;
  TF_Output size;
  TF_Output bboxes;
} sl_op_sample_distorted_bounding_box_v2_t;
static inline sl_op_sample_distorted_bounding_box_v2_t sl_op_sample_distorted_bounding_box_v2_with(sl_scope_t *scope,
    TF_Output image_size, TF_Output bounding_boxes, TF_Output min_object_covered,
    const sl_op_sample_distorted_bounding_box_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SampleDistortedBoundingBoxV2", options->name);
  sl_node_input(node, image_size);
  sl_node_input(node, bounding_boxes);
  sl_node_input(node, min_object_covered);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  if (options->aspect_ratio_range.values) sl_node_attr_float_list(node, "aspect_ratio_range",
    options->aspect_ratio_range.values, options->aspect_ratio_range.count);
  if (options->area_range.values) sl_node_attr_float_list(node, "area_range", options->area_range.values,
    options->area_range.count);
  sl_node_attr_int(node, "max_attempts", options->max_attempts);
  sl_node_attr_bool(node, "use_image_if_no_bounding_boxes", options->use_image_if_no_bounding_boxes);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sample_distorted_bounding_box_v2_t result;
  result.begin = sl_op_output(operation, 0);
  result.size = sl_op_output(operation, 1);
  result.bboxes = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sample_distorted_bounding_box_v2(scope, image_size, bounding_boxes, min_object_covered, ...) \
  SL_OVER_DEFAULTS(sl_op_sample_distorted_bounding_box_v2_with(SL_AT(scope), (image_size), (bounding_boxes), ( \
    min_object_covered), SL_OPTIONS(sl_op_sample_distorted_bounding_box_v2_options_t, .max_attempts = 100, \
    __VA_ARGS__)))

// ScaleAndTranslate(images: T, size: int32, scale: float, translation: float) -> resized_images: float
// Scales and moves images.
// T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}; kernel_type: string = 'lanczos3';
//   antialias: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *kernel_type;
  bool antialias;
} sl_op_scale_and_translate_options_t;
static inline TF_Output sl_op_scale_and_translate_with(sl_scope_t *scope, TF_Output images, TF_Output size,
    TF_Output scale, TF_Output translation, const sl_op_scale_and_translate_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScaleAndTranslate", options->name);
  sl_node_input(node, images);
  sl_node_input(node, size);
  sl_node_input(node, scale);
  sl_node_input(node, translation);
  if (options->kernel_type) sl_node_attr_text(node, "kernel_type", options->kernel_type);
  sl_node_attr_bool(node, "antialias", options->antialias);
  return sl_node_output(node);
}
#define sl_op_scale_and_translate(scope, images, size, scale, translation, ...) \
  SL_OVER_DEFAULTS(sl_op_scale_and_translate_with(SL_AT(scope), (images), (size), (scale), (translation), SL_OPTIONS( \
    sl_op_scale_and_translate_options_t, .antialias = true, __VA_ARGS__)))

// ScaleAndTranslateGrad(grads: T, original_image: T, scale: float, translation: float) -> output: T
// The gradient of ScaleAndTranslate.
// T: {float}; kernel_type: string = 'lanczos3'; antialias: bool = true
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *kernel_type;
  bool antialias;
} sl_op_scale_and_translate_grad_options_t;
static inline TF_Output sl_op_scale_and_translate_grad_with(sl_scope_t *scope, TF_Output grads,
    TF_Output original_image, TF_Output scale, TF_Output translation,
    const sl_op_scale_and_translate_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScaleAndTranslateGrad", options->name);
  sl_node_input(node, grads);
  sl_node_input(node, original_image);
  sl_node_input(node, scale);
  sl_node_input(node, translation);
  if (options->kernel_type) sl_node_attr_text(node, "kernel_type", options->kernel_type);
  sl_node_attr_bool(node, "antialias", options->antialias);
  return sl_node_output(node);
}
#define sl_op_scale_and_translate_grad(scope, grads, original_image, scale, translation, ...) \
  SL_OVER_DEFAULTS(sl_op_scale_and_translate_grad_with(SL_AT(scope), (grads), (original_image), (scale), ( \
    translation), SL_OPTIONS(sl_op_scale_and_translate_grad_options_t, .antialias = true, __VA_ARGS__)))

// StatelessSampleDistortedBoundingBox(image_size: T, bounding_boxes: float, min_object_covered: float, seed: Tseed)
//   -> begin: T, size: T, bboxes: float
// A window of an image that covers a given part of a box, chosen by a seed.
// T: {uint8, int8, int16, int32, int64}; Tseed: {int32, int64}; aspect_ratio_range: list(float) = [0.75, 1.33];
//   area_range: list(float) = [0.05, 1]; max_attempts: int = 100; use_image_if_no_bounding_boxes: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_floats_t aspect_ratio_range;
  sl_op_floats_t area_range;
  int64_t max_attempts;
  bool use_image_if_no_bounding_boxes;
} sl_op_stateless_sample_distorted_bounding_box_options_t;
typedef struct {
  TF_Output begin;
  TF_Output size;
  TF_Output bboxes;
} sl_op_stateless_sample_distorted_bounding_box_t;
static inline sl_op_stateless_sample_distorted_bounding_box_t sl_op_stateless_sample_distorted_bounding_box_with(
    sl_scope_t *scope, TF_Output image_size, TF_Output bounding_boxes, TF_Output min_object_covered, TF_Output seed,
    const sl_op_stateless_sample_distorted_bounding_box_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessSampleDistortedBoundingBox", options->name);
  sl_node_input(node, image_size);
  sl_node_input(node, bounding_boxes);
  sl_node_input(node, min_object_covered);
  sl_node_input(node, seed);
  if (options->aspect_ratio_range.values) sl_node_attr_float_list(node, "aspect_ratio_range",
    options->aspect_ratio_range.values, options->aspect_ratio_range.count);
  if (options->area_range.values) sl_node_attr_float_list(node, "area_range", options->area_range.values,
    options->area_range.count);
  sl_node_attr_int(node, "max_attempts", options->max_attempts);
  sl_node_attr_bool(node, "use_image_if_no_bounding_boxes", options->use_image_if_no_bounding_boxes);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_stateless_sample_distorted_bounding_box_t result;
  result.begin = sl_op_output(operation, 0);
  result.size = sl_op_output(operation, 1);
  result.bboxes = sl_op_output(operation, 2);
  return result;
}
#define sl_op_stateless_sample_distorted_bounding_box(scope, image_size, bounding_boxes, min_object_covered, seed, \
    ...) \
  SL_OVER_DEFAULTS(sl_op_stateless_sample_distorted_bounding_box_with(SL_AT(scope), (image_size), (bounding_boxes), ( \
    min_object_covered), (seed), SL_OPTIONS(sl_op_stateless_sample_distorted_bounding_box_options_t, \
    .max_attempts = 100, __VA_ARGS__)))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_IMAGE_H_
