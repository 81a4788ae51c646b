// EncodeJpeg, EncodeJpegVariableQuality, EncodePng: pixels to image files. EncodePng takes batches, too.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "ops/image/codec.h"

// --- JPEG ---------------------------------------------------------------------------------------

typedef struct {
  int channels;  // of the attribute "format"; 0: those of the image
  const char *format;
  sli_codec_jpeg_encoding_t encoding;
} jpeg_t;

static const sli_codec_jpeg_encoding_t jpeg_defaults = {
    .quality = 95, .chroma_downsampling = true, .density_unit = 1, .x_density = 300, .y_density = 300};

static sli_status_t *check_quality(int64_t quality) {
  if (quality >= 0 && quality <= 100) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "quality must be in [0,100], got %lld", (long long)quality);
}

static sli_status_t *jpeg_create(const sli_kernel_setup_t *setup, void **out_state) {
  const sli_node_def_t *node = setup->node;
  jpeg_t jpeg = {.encoding = jpeg_defaults};
  sli_codec_jpeg_encoding_t *e = &jpeg.encoding;
  sli_view_t format, unit;
  int64_t quality, x_density, y_density;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "format", &format));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "quality", &quality));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "progressive", &e->progressive));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "optimize_size", &e->optimize_size));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "chroma_downsampling", &e->chroma_downsampling));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "density_unit", &unit));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "x_density", &x_density));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "y_density", &y_density));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "xmp_metadata", &e->xmp_metadata));
  SLI_RETURN_IF_ERROR(check_quality(quality));
  jpeg.format = sli_view_is(format, "rgb") ? "rgb" : "grayscale";
  jpeg.channels = !format.size ? 0 : sli_view_is(format, "rgb") ? 3 : 1;
  e->quality = (int)quality;
  e->density_unit = sli_view_is(unit, "cm") ? 2 : 1;
  e->x_density = (int)x_density;
  e->y_density = (int)y_density;
  *out_state = sli_memdup(&jpeg, sizeof(jpeg));
  return NULL;
}

static sli_status_t *encode_jpeg(sli_kernel_context_t *context, const jpeg_t *jpeg) {
  const sli_tensor_t *image = sli_kernel_input(context, 0);
  sli_shape_text_t shape = sli_tensor_shape_text(image);
  if (image->rank != 3) return sli_status_make(SLI_INVALID_ARGUMENT, "image must be 3-dimensional%s", shape.text);
  if (image->count >= INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot encode images with >= max int32 elements");
  if (jpeg->channels && jpeg->channels != image->dims[2])
    return sli_status_make(SLI_INVALID_ARGUMENT, "format %s expects %d channels, got %s", jpeg->format, jpeg->channels,
                           shape.text);
  if (image->dims[2] != 1 && image->dims[2] != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "image must have 1 or 3 channels, got %s", shape.text);
  if (image->count == 0) return sli_status_make(SLI_INTERNAL, "JPEG encoding failed");
  sli_codec_image_t pixels = {image->data, (int)image->dims[0], (int)image->dims[1], (int)image->dims[2]};
  sli_string_t file = {0};
  sli_status_t *status = sli_codec_encode_jpeg(&pixels, &jpeg->encoding, &file);
  if (!status) sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view_of(file.data, file.size)));
  sli_string_deinitialize(&file);
  return status;
}

static sli_status_t *jpeg_compute(sli_kernel_context_t *context) {
  return encode_jpeg(context, sli_kernel_state(context));
}

static sli_status_t *jpeg_quality_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *quality = sli_kernel_input(context, 1);
  jpeg_t jpeg = {.encoding = jpeg_defaults};
  if (sli_kernel_input(context, 0)->rank != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "image must be 3-dimensional%s",
                           sli_tensor_shape_text(sli_kernel_input(context, 0)).text);
  if (quality->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "quality must be scalar: %s", sli_tensor_shape_text(quality).text);
  jpeg.encoding.quality = *SLI_DATA(int32_t, quality);
  SLI_RETURN_IF_ERROR(check_quality(jpeg.encoding.quality));
  return encode_jpeg(context, &jpeg);
}

// --- PNG ----------------------------------------------------------------------------------------

static sli_status_t *png_create(const sli_kernel_setup_t *setup, void **out_state) {
  int64_t compression;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "compression", &compression));
  if (compression < -1 || compression > 9)
    return sli_status_make(SLI_INVALID_ARGUMENT, "compression should be in [-1,9], got %lld", (long long)compression);
  *out_state = sli_memdup(&compression, sizeof(compression));
  return NULL;
}

typedef struct {
  const sli_tensor_t *images;
  sli_codec_image_t image;  // the first
  int bits, compression;
  sli_tensor_t *files;
  sli_status_t **statuses;
} png_batch_t;

static void encode_pngs(void *context, int64_t begin, int64_t end) {
  const png_batch_t *batch = context;
  int64_t size = (int64_t)batch->image.height * batch->image.width * batch->image.channels;
  for (int64_t i = begin; i < end; i++) {
    sli_codec_image_t image = batch->image;
    sli_string_t file = {0};
    image.pixels = sli_tensor_at(batch->images, i * size);
    batch->statuses[i] = sli_codec_encode_png(&image, batch->bits, batch->compression, &file);
    if (!batch->statuses[i]) sli_tstring_assign(SLI_DATA(sli_tstring_t, batch->files) + i, file.data, file.size);
    sli_string_deinitialize(&file);
  }
}

static sli_status_t *png_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *images = sli_kernel_input(context, 0);
  const int rank = images->rank;
  if (rank < 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "images must be at least rank 3%s",
                           sli_tensor_shape_text(images).text);
  const int64_t *dims = images->dims + rank - 3;
  if (images->count >= INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "images cannot have >= int32 max elements");
  if (dims[2] < 1 || dims[2] > 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "image must have 1, 2, 3, or 4 channels, got %lld",
                           (long long)dims[2]);
  if (dims[1] * dims[2] >= INT32_MAX / 2 || dims[0] >= INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "image too wide to encode");
  png_batch_t batch = {.images = images,
                       .image = {.height = (int)dims[0], .width = (int)dims[1], .channels = (int)dims[2]},
                       .bits = images->dtype == SLI_DTYPE_UINT8 ? 8 : 16,
                       .compression = (int)*(const int64_t *)sli_kernel_state(context)};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank - 3, images->dims}, &batch.files));
  if (batch.files->count == 0) return NULL;
  if (images->count == 0) return sli_status_make(SLI_INTERNAL, "PNG encoding failed");
  batch.statuses = sli_calloc((size_t)batch.files->count, sizeof(sli_status_t *));
  sli_parallel_for(sli_kernel_pool(context), batch.files->count, 20.0 * (double)(images->count / batch.files->count),
                   encode_pngs, &batch);
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < batch.files->count; i++) status = sli_status_join(status, batch.statuses[i]);
  free(batch.statuses);
  return status;
}

// --- Shapes and tables ----------------------------------------------------------------------------

static sli_status_t *jpeg_shape(sli_infer_context_t *c) {
  sli_shape_t image;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 3, &image));
  return sli_infer_fn_scalar(c);
}

static sli_status_t *png_shape(sli_infer_context_t *c) {
  sli_shape_t images;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 3, &images));
  sli_infer_set_output(c, 0, sli_infer_subshape(c, images, 0, -3));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "EncodeJpeg",
     .inputs = "image: uint8",
     .outputs = "contents: string",
     .attrs = "format: {'', 'grayscale', 'rgb'} = ''; quality: int = 95; progressive: bool = false; optimize_size: "
              "bool = false; chroma_downsampling: bool = true; density_unit: {'in', 'cm'} = 'in'; x_density: int = "
              "300; y_density: int = 300; xmp_metadata: string = ''",
     .summary = "A JPEG file of an image.",
     .shape = jpeg_shape},
    {.name = "EncodeJpegVariableQuality",
     .inputs = "images: uint8, quality: int32",
     .outputs = "contents: string",
     .summary = "A JPEG file of an image, with a quality that the graph computes.",
     .shape = jpeg_shape},
    {.name = "EncodePng",
     .inputs = "image: T",
     .outputs = "contents: string",
     .attrs = "compression: int = -1; T: {uint8, uint16} = DT_UINT8",
     .summary = "A PNG file of each image.",
     .shape = png_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "EncodeJpeg", .compute = jpeg_compute, .create = jpeg_create, .destroy = free, .expensive = true, .cost = 5},
    {.op = "EncodeJpegVariableQuality", .compute = jpeg_quality_compute, .expensive = true, .cost = 5},
    {.op = "EncodePng", .compute = png_compute, .create = png_create, .destroy = free, .expensive = true, .cost = 20},
};

SLI_OP_MODULE(encode_image);
