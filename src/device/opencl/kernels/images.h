// Windows that slide over batches of images: what convolutions and pooling share.
#ifndef SLI_DEVICE_OPENCL_KERNELS_IMAGES_H_
#define SLI_DEVICE_OPENCL_KERNELS_IMAGES_H_

#include "device/opencl/kernels/gpu.h"
#include "ops/nn/window.h"

// A window over images: a parameter of kernels, which see it as images_t. Arrays have a value for rows and one for
// columns. Steps are distances between elements, in elements: of images, rows, columns and channels.
typedef struct {
  int64_t batch, in_channels, out_channels, groups;
  int64_t in[2], out[2], size[2], stride[2], dilation[2], before[2];
  int64_t in_step[4], out_step[4];
} sli_gpu_images_t;

// The source of images_t, of in_place() and out_place(), to be put before the source of a kernel.
#define SLI_GPU_IMAGES                                                                          \
  "typedef struct {\n"                                                                          \
  "  long batch, in_channels, out_channels, groups;\n"                                          \
  "  long in[2], out[2], size[2], stride[2], dilation[2], before[2];\n"                         \
  "  long in_step[4], out_step[4];\n"                                                           \
  "} images_t;\n"                                                                               \
  "#define IN_PLACE(w, n, y, x, c) \\\n"                                                        \
  "  ((n) * w.in_step[0] + (y) * w.in_step[1] + (x) * w.in_step[2] + (c) * w.in_step[3])\n"     \
  "#define OUT_PLACE(w, n, y, x, c) \\\n"                                                       \
  "  ((n) * w.out_step[0] + (y) * w.out_step[1] + (x) * w.out_step[2] + (c) * w.out_step[3])\n" \
  "/* The element that item i of an image computes; its channels are the innermost ones. */\n"  \
  "#define ELEMENT(i, sizes, channels) \\\n"                                                    \
  "  long c = (i) % (channels), x = (i) / (channels) % (sizes)[1]; \\\n"                        \
  "  long y = (i) / (channels) / (sizes)[1] % (sizes)[0], n = (i) / (channels) / (sizes)[1] / (sizes)[0]\n"

// The kernel's state: the window of its attributes. Free it with free().
sli_status_t *sli_gpu_images_create(const sli_kernel_setup_t *setup, void **out_state);
// Plans a window of |size| rows and columns over images of the shape |in|, with |out_channels|.
sli_status_t *sli_gpu_images_plan(const sli_window_t *window, const int64_t in[4], const int64_t size[2],
                                  int64_t out_channels, sli_gpu_images_t *out_images);
// The shape of the output, in the window's format.
void sli_gpu_images_output(const sli_window_t *window, const sli_gpu_images_t *images, int64_t out_dims[4]);
// INVALID_ARGUMENT if |tensor|, called |name|, has not these four dimensions.
sli_status_t *sli_gpu_images_check(const char *op, const char *name, const sli_tensor_t *tensor, const int64_t dims[4]);

#endif  // SLI_DEVICE_OPENCL_KERNELS_IMAGES_H_
