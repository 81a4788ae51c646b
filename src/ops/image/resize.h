// What the ops that resize images share: checks, scales, shapes.
#ifndef SLI_OPS_IMAGE_RESIZE_H_
#define SLI_OPS_IMAGE_RESIZE_H_

#include <math.h>

#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

typedef struct {
  int64_t batch, height, width, channels;  // of the images
  int64_t resized_height, resized_width;
  float height_scale, width_scale;  // of the images, over the resized ones
  bool align_corners, half_pixel_centers;
} sli_resize_t;

// Checks the inputs |images| and |size| of a resizing op.
sli_status_t *sli_resize_prepare(const sli_kernel_context_t *context, sli_resize_t *out_resize);
// Checks the inputs |grads| and |original_image| of its gradient. Batch and channels are those of |grads|.
sli_status_t *sli_resize_prepare_gradient(const sli_kernel_context_t *context, sli_resize_t *out_resize);
float sli_resize_scale(int64_t size, int64_t resized, bool align_corners);

// Where pixel |i| of the resized images is in the images.
static inline float sli_resize_position(const sli_resize_t *resize, int64_t i, float scale) {
  return resize->half_pixel_centers ? ((float)i + 0.5f) * scale - 0.5f : (float)i * scale;
}

// Shape functions: [batch, size, channels]; like |original_image|.
sli_status_t *sli_resize_shape(sli_infer_context_t *c);
sli_status_t *sli_resize_gradient_shape(sli_infer_context_t *c);
// "Dimension must be 4 but is 3".
sli_status_t *sli_resize_require_dim(int64_t dim, int64_t wanted);
// The dims of |index|, a vector of two sizes, as far as it is known.
sli_status_t *sli_resize_size_dims(sli_infer_context_t *c, int index, int64_t out_dims[2]);
// The attributes |names| of the node that is differentiated, for the op of its gradient.
void sli_resize_copy_attrs(const sli_gradient_builder_t *b, const char *const *names, int count,
                           sli_attr_entry_t *out_attrs);

#endif  // SLI_OPS_IMAGE_RESIZE_H_
