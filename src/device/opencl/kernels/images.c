#include "device/opencl/kernels/images.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/op_registry.h"

sli_status_t *sli_gpu_images_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_window_t window;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_window_read(setup->node, 4, setup->node->op->def->name, &window));
  int channels = sli_window_channel_dim(&window);
  if (window.stride[0] != 1 || window.dilation[0] != 1 || window.stride[channels] != 1 ||
      window.dilation[channels] != 1)
    return sli_status_make(
        SLI_UNIMPLEMENTED,
        "Current implementation does not yet support strides or dilations in the batch and depth dimensions.");
  *out_state = sli_memdup(&window, sizeof(window));
  return NULL;
}

// The distances between elements of a tensor of images.
static void steps_of(const sli_window_t *window, const int64_t sizes[2], int64_t channels, int64_t out_steps[4]) {
  int64_t row = window->channels_first ? sizes[1] : sizes[1] * channels;
  out_steps[0] = sizes[0] * sizes[1] * channels;
  out_steps[1] = row;
  out_steps[2] = window->channels_first ? 1 : channels;
  out_steps[3] = window->channels_first ? sizes[0] * sizes[1] : 1;
}

sli_status_t *sli_gpu_images_plan(const sli_window_t *window, const int64_t in[4], const int64_t size[2],
                                  int64_t out_channels, sli_gpu_images_t *out_images) {
  sli_gpu_images_t w = {
      .batch = in[0], .in_channels = in[sli_window_channel_dim(window)], .out_channels = out_channels, .groups = 1};
  for (int i = 0; i < 2; i++) {
    int d = sli_window_dim(window, i);
    sli_window_extent_t extent;
    SLI_RETURN_IF_ERROR(sli_window_extent(window, d, in[d], size[i], &extent));
    w.in[i] = in[d];
    w.out[i] = extent.out;
    w.size[i] = size[i];
    w.stride[i] = window->stride[d];
    w.dilation[i] = window->dilation[d];
    w.before[i] = extent.before;
  }
  steps_of(window, w.in, w.in_channels, w.in_step);
  steps_of(window, w.out, w.out_channels, w.out_step);
  *out_images = w;
  return NULL;
}

void sli_gpu_images_output(const sli_window_t *window, const sli_gpu_images_t *images, int64_t out_dims[4]) {
  out_dims[0] = images->batch;
  out_dims[sli_window_channel_dim(window)] = images->out_channels;
  for (int i = 0; i < 2; i++) out_dims[sli_window_dim(window, i)] = images->out[i];
}

sli_status_t *sli_gpu_images_check(const char *op, const char *name, const sli_tensor_t *tensor,
                                   const int64_t dims[4]) {
  sli_shape_t wanted = {4, dims};
  if (sli_shape_equal(wanted, sli_tensor_shape(tensor))) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s: Expected %s shape to be %s, but got %s", op, name,
                         sli_shape_text(wanted).text, sli_tensor_shape_text(tensor).text);
}
