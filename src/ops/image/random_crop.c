// RandomCrop: a random window of an image. Python crops by RandomUniformInt and Slice since version 8 of graphs.
#include <string.h>

#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/philox.h"

static sli_status_t *crop_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_philox_stream_t *stream;
  sli_status_t *status = sli_philox_stream_create(setup->node, &stream);
  *out_state = stream;
  return status;
}

static void crop_destroy(void *state) { sli_philox_stream_destroy(state); }

static sli_status_t *crop_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *image = sli_kernel_input(context, 0), *size = sli_kernel_input(context, 1);
  if (image->rank != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be 3-dimensional%s", sli_tensor_shape_text(image).text);
  if (size->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape_t must be 1-dimensional%s", sli_tensor_shape_text(size).text);
  if (size->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape_t must have two elements%s", sli_tensor_shape_text(size).text);
  const int64_t height = SLI_DATA(int64_t, size)[0], width = SLI_DATA(int64_t, size)[1];
  if (image->dims[1] < width)
    return sli_status_make(SLI_FAILED_PRECONDITION, "width must be >= target_width: width = %lld, target_width = %lld",
                           (long long)image->dims[1], (long long)width);
  if (image->dims[0] < height)
    return sli_status_make(SLI_FAILED_PRECONDITION,
                           "height must be >= target_height: height = %lld, target_height = %lld",
                           (long long)image->dims[0], (long long)height);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(height, width, image->dims[2]), &output));
  sli_philox_stream_t *stream = (sli_philox_stream_t *)sli_kernel_state(context);  // it has its own mutex
  sli_philox_words_t random = sli_philox_words(sli_philox_stream_reserve(stream, 1));
  int64_t x = 0, y = 0;
  if (image->dims[1] > width) x = sli_philox_word(&random) % (image->dims[1] - width + 1);
  if (image->dims[0] > height) y = sli_philox_word(&random) % (image->dims[0] - height + 1);
  if (output->count == 0) return NULL;
  const size_t row = (size_t)(width * image->dims[2]) * sli_dtype_size((sli_dtype_t)image->dtype);
  for (int64_t i = 0; i < height; i++)
    memcpy(sli_tensor_at(output, i * width * image->dims[2]),
           sli_tensor_at(image, ((y + i) * image->dims[1] + x) * image->dims[2]), row);
  return NULL;
}

static sli_status_t *crop_shape(sli_infer_context_t *c) {
  sli_shape_t image, size;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 3, &image));
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 1, &size));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, size, 2, &size));
  sli_infer_set_output(c, 0, sli_infer_make(c, 3, (int64_t[]){size.dims[0], size.dims[1], image.dims[2]}));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "RandomCrop",
     .inputs = "image: T, size: int64",
     .outputs = "output: T",
     .attrs = "T: {uint8, int8, int16, int32, int64, float, double}; seed: int = 0; seed2: int = 0",
     .summary = "A random window of an image.",
     .shape = crop_shape,
     .not_differentiable = true,
     .is_stateful = true,
     .deprecated_in = 8,
     .deprecation = "Random crop is now pure Python"},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "RandomCrop",
     .types = SLI_TYPES_REAL,
     .compute = crop_compute,
     .create = crop_create,
     .destroy = crop_destroy},
};

SLI_OP_MODULE(random_crop);
