#include "ops/image/resize.h"

static sli_status_t *read_attrs(const sli_node_def_t *node, sli_resize_t *r) {
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "align_corners", &r->align_corners));
  r->half_pixel_centers = false;
  if (sli_node_attr(node, "half_pixel_centers"))  // ResizeArea has none
    SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "half_pixel_centers", &r->half_pixel_centers));
  if (r->half_pixel_centers && r->align_corners)
    return sli_status_make(SLI_INVALID_ARGUMENT, "If half_pixel_centers is True, align_corners must be False.");
  return NULL;
}

float sli_resize_scale(int64_t size, int64_t resized, bool align_corners) {
  return align_corners && resized > 1 ? (float)(size - 1) / (float)(resized - 1) : (float)size / (float)resized;
}

static sli_status_t *set_scales(sli_resize_t *r) {
  r->height_scale = sli_resize_scale(r->height, r->resized_height, r->align_corners);
  r->width_scale = sli_resize_scale(r->width, r->resized_width, r->align_corners);
  if (ceilf((float)(r->resized_height - 1) * r->height_scale) > (float)INT64_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input image height scale would cause an overflow");
  if (ceilf((float)(r->resized_width - 1) * r->width_scale) > (float)INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input image width scale would cause an overflow");
  return NULL;
}

sli_status_t *sli_resize_prepare(const sli_kernel_context_t *context, sli_resize_t *out_resize) {
  const sli_tensor_t *images = sli_kernel_input(context, 0), *size = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(read_attrs(context->node, out_resize));
  if (images->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be 4-dimensional%s", sli_tensor_shape_text(images).text);
  if (size->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape_t must be 1-dimensional%s", sli_tensor_shape_text(size).text);
  if (size->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape_t must have two elements%s", sli_tensor_shape_text(size).text);
  if (images->dims[1] >= INT32_MAX || images->dims[2] >= INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input sizes must be between 0 and max int32");
  out_resize->batch = images->dims[0];
  out_resize->height = images->dims[1];
  out_resize->width = images->dims[2];
  out_resize->channels = images->dims[3];
  out_resize->resized_height = SLI_DATA(int32_t, size)[0];
  out_resize->resized_width = SLI_DATA(int32_t, size)[1];
  if (out_resize->resized_height <= 0 || out_resize->resized_width <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output dimensions must be positive");
  if (out_resize->channels <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "image must have at least one channel");
  if (out_resize->height <= 0 || out_resize->width <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input image must be of non-zero size");
  SLI_RETURN_IF_ERROR(sli_tensor_check_shape(
      SLI_SHAPE(out_resize->batch, out_resize->resized_height, out_resize->resized_width, out_resize->channels)));
  return set_scales(out_resize);
}

sli_status_t *sli_resize_prepare_gradient(const sli_kernel_context_t *context, sli_resize_t *out_resize) {
  const sli_tensor_t *grads = sli_kernel_input(context, 0), *original = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(read_attrs(context->node, out_resize));
  if (grads->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input_grad must be 4-dimensional%s",
                           sli_tensor_shape_text(grads).text);
  if (original->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "original_image must be 4-dimensional%s",
                           sli_tensor_shape_text(original).text);
  // TensorFlow takes them, and gives a result of another shape than it infers.
  if (grads->dims[0] != original->dims[0] || grads->dims[3] != original->dims[3])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "input_grad and original_image must have the same batch size and channels, got %s and %s",
                           sli_tensor_shape_text(grads).text, sli_tensor_shape_text(original).text);
  out_resize->batch = grads->dims[0];
  out_resize->channels = grads->dims[3];
  out_resize->resized_height = grads->dims[1];
  out_resize->resized_width = grads->dims[2];
  out_resize->height = original->dims[1];
  out_resize->width = original->dims[2];
  if (out_resize->height >= INT32_MAX || out_resize->width >= INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "original sizes must be between 0 and max int32");
  if (out_resize->height <= 0 || out_resize->width <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "original dimensions must be positive");
  if (out_resize->resized_height <= 0 || out_resize->resized_width <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "resized dimensions must be positive");
  return set_scales(out_resize);
}

// --- Shapes and gradients -------------------------------------------------------------------------

sli_status_t *sli_resize_require_dim(int64_t dim, int64_t wanted) {
  if (dim < 0 || dim == wanted) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension must be %lld but is %lld", (long long)wanted, (long long)dim);
}

sli_status_t *sli_resize_size_dims(sli_infer_context_t *c, int index, int64_t out_dims[2]) {
  sli_shape_t size;
  out_dims[0] = out_dims[1] = -1;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, index, 1, &size));
  SLI_RETURN_IF_ERROR(sli_resize_require_dim(size.dims[0], 2));
  const sli_tensor_t *values = sli_infer_input_constant(c, index);
  for (int i = 0; values && i < 2; i++) {
    out_dims[i] = SLI_DATA(int32_t, values)[i];
    if (out_dims[i] < -1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= 0", (long long)out_dims[i]);
  }
  return NULL;
}

sli_status_t *sli_resize_shape(sli_infer_context_t *c) {
  sli_shape_t images;
  int64_t size[2];
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &images));
  SLI_RETURN_IF_ERROR(sli_resize_size_dims(c, 1, size));
  sli_infer_set_output(c, 0, sli_infer_make(c, 4, (int64_t[]){images.dims[0], size[0], size[1], images.dims[3]}));
  return NULL;
}

sli_status_t *sli_resize_gradient_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_input(c, 1));
  return NULL;
}

void sli_resize_copy_attrs(const sli_gradient_builder_t *b, const char *const *names, int count,
                           sli_attr_entry_t *out_attrs) {
  for (int i = 0; i < count; i++) out_attrs[i] = (sli_attr_entry_t){names[i], *sli_node_attr(b->node, names[i])};
}
