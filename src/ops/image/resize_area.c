// ResizeArea: each pixel is the average of the area that it covers.
#include <stdlib.h>

#include "ops/image/resample.h"
#include "ops/image/resize.h"

static sli_status_t *make_axis(int64_t resized, int64_t size, float scale, sli_resample_axis_t *out_axis) {
  int64_t taps = (int64_t)ceilf(scale) + 2;
  SLI_RETURN_IF_ERROR(sli_resample_axis_create(resized, size, taps, out_axis));
  for (int64_t i = 0; i < resized; i++) {
    const float begin = (float)i * scale, end = (float)(i + 1) * scale;
    const int64_t first = (int64_t)floorf(begin), last = (int64_t)ceilf(end);
    for (int64_t k = 0; k < taps; k++) {
      int64_t j = first + k, at = i * taps + k;
      float covered = 0;
      if (j < last) {
        const float next = (float)(j + 1);
        if ((float)j < begin)
          covered = next > end ? scale : next - begin;
        else
          covered = next > end ? end - (float)j : 1.0f;
      }
      out_axis->indices[at] = (int32_t)(j < 0 ? 0 : j > size - 1 ? size - 1 : j);
      out_axis->weights[at] = covered / scale;
    }
  }
  return NULL;
}

static sli_status_t *area_compute(sli_kernel_context_t *context) {
  sli_resize_t r;
  sli_resample_axis_t y = {0}, x = {0};
  SLI_RETURN_IF_ERROR(sli_resize_prepare(context, &r));
  sli_status_t *status = make_axis(r.resized_height, r.height, r.height_scale, &y);
  if (!status) status = make_axis(r.resized_width, r.width, r.width_scale, &x);
  if (!status) status = sli_resample(context, sli_kernel_input(context, 0), &y, &x);
  sli_resample_axis_deinitialize(&y);
  sli_resample_axis_deinitialize(&x);
  return status;
}

static const sli_op_def_t ops[] = {
    {.name = "ResizeArea",
     .inputs = "images: T, size: int32",
     .outputs = "resized_images: float",
     .attrs = "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; align_corners: bool = "
              "false",
     .summary = "Resizes images by averaging areas.",
     .shape = sli_resize_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ResizeArea", .types = SLI_TYPES_REAL, .host_memory = "size", .compute = area_compute},
};

SLI_OP_MODULE(resize_area);
