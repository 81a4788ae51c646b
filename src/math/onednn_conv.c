// Convolutions by oneDNN. Activations keep their layout (channels last); filters are reordered to the layout that the
// library prefers, which costs some hundredths of a millisecond.
#include "math/onednn.h"
#include "math/onednn_internal.h"

typedef enum { FORWARD, BACKWARD_INPUT, BACKWARD_FILTER } direction_t;

// The key of the cache: all fields of a shape, without padding bytes.
typedef struct {
  int64_t kind, flags, spatial, batch, in_channels, out_channels, groups;
  int64_t sizes[7][3];
  double alpha;
} conv_key_t;

typedef struct {
  const sli_onednn_conv_t *shape;
  direction_t direction;
} request_t;

typedef struct {
  dnnl_memory_desc_t input, filter, any_filter, bias, output;
} layouts_t;

// [batch, channels, sizes…] over channels-last bytes.
static dnnl_status_t describe_activations(const sli_onednn_library_t *library, const sli_onednn_conv_t *shape,
                                          int64_t channels, const int64_t *sizes, dnnl_memory_desc_t *out) {
  dnnl_dims_t dims = {shape->batch, channels}, strides = {0, 1};
  int64_t step = channels;
  for (int d = shape->spatial - 1; d >= 0; d--) {
    dims[2 + d] = sizes[d];
    strides[2 + d] = step;
    step *= sizes[d];
  }
  strides[0] = step;
  return library->dnnl_memory_desc_init_by_strides(out, 2 + shape->spatial, dims, dnnl_f32, strides);
}

// ([groups,] out_channels, in_channels, sizes…) over [sizes…, in_channels, out_channels].
static dnnl_status_t describe_filter(const sli_onednn_library_t *library, const sli_onednn_conv_t *shape,
                                     layouts_t *layouts) {
  dnnl_dims_t dims, strides;
  int rank = 0;
  int64_t outs = shape->out_channels / shape->groups, ins = shape->in_channels / shape->groups;
  if (shape->groups > 1) {
    dims[rank] = shape->groups;
    strides[rank++] = outs;
  }
  dims[rank] = outs;
  strides[rank++] = 1;
  dims[rank] = ins;
  strides[rank++] = shape->out_channels;
  int64_t step = ins * shape->out_channels;
  for (int d = shape->spatial - 1; d >= 0; d--) {
    dims[rank + d] = shape->filter[d];
    strides[rank + d] = step;
    step *= shape->filter[d];
  }
  rank += shape->spatial;
  dnnl_status_t result = library->dnnl_memory_desc_init_by_strides(&layouts->filter, rank, dims, dnnl_f32, strides);
  if (result != dnnl_success) return result;
  return library->dnnl_memory_desc_init_by_tag(&layouts->any_filter, rank, dims, dnnl_f32, dnnl_format_tag_any);
}

static dnnl_status_t describe_all(const sli_onednn_library_t *library, const sli_onednn_conv_t *shape,
                                  layouts_t *layouts) {
  dnnl_dims_t bias_dims = {shape->out_channels}, bias_strides = {1};
  dnnl_status_t result = describe_activations(library, shape, shape->in_channels, shape->in, &layouts->input);
  if (result == dnnl_success)
    result = describe_activations(library, shape, shape->out_channels, shape->out, &layouts->output);
  if (result == dnnl_success) result = describe_filter(library, shape, layouts);
  if (result == dnnl_success)
    result = library->dnnl_memory_desc_init_by_strides(&layouts->bias, 1, bias_dims, dnnl_f32, bias_strides);
  return result;
}

static dnnl_status_t describe_operation(const sli_onednn_library_t *library, const request_t *request,
                                        const layouts_t *l, dnnl_convolution_desc_t *desc) {
  const sli_onednn_conv_t *shape = request->shape;
  dnnl_dims_t strides, gaps, before, after;
  for (int d = 0; d < shape->spatial; d++) {
    strides[d] = shape->stride[d];
    gaps[d] = shape->dilation[d] - 1;
    before[d] = shape->before[d];
    after[d] = shape->after[d];
  }
  switch (request->direction) {
    case FORWARD:
      return library->dnnl_dilated_convolution_forward_desc_init(
          desc, dnnl_forward_training, dnnl_convolution_direct, &l->input, &l->any_filter,
          shape->has_bias ? &l->bias : NULL, &l->output, strides, gaps, before, after);
    case BACKWARD_INPUT:
      return library->dnnl_dilated_convolution_backward_data_desc_init(
          desc, dnnl_convolution_direct, &l->input, &l->any_filter, &l->output, strides, gaps, before, after);
    default:
      return library->dnnl_dilated_convolution_backward_weights_desc_init(
          desc, dnnl_convolution_direct, &l->input, &l->any_filter, NULL, &l->output, strides, gaps, before, after);
  }
}

static void list_arguments(const request_t *request, const layouts_t *l, sli_onednn_recipe_t *recipe) {
  sli_onednn_arg_t *args = recipe->args;
  recipe->arg_count = 3;
  switch (request->direction) {
    case FORWARD:
      args[0] = (sli_onednn_arg_t){.id = DNNL_ARG_SRC, .layout = l->input};
      args[1] = (sli_onednn_arg_t){.id = DNNL_ARG_WEIGHTS, .layout = l->filter, .query = dnnl_query_weights_md};
      args[2] = (sli_onednn_arg_t){.id = DNNL_ARG_DST, .is_output = true, .layout = l->output};
      args[3] = (sli_onednn_arg_t){.id = DNNL_ARG_BIAS, .layout = l->bias};
      recipe->arg_count += request->shape->has_bias;
      break;
    case BACKWARD_INPUT:
      args[0] = (sli_onednn_arg_t){.id = DNNL_ARG_WEIGHTS, .layout = l->filter, .query = dnnl_query_weights_md};
      args[1] = (sli_onednn_arg_t){.id = DNNL_ARG_DIFF_DST, .layout = l->output};
      args[2] = (sli_onednn_arg_t){.id = DNNL_ARG_DIFF_SRC, .is_output = true, .layout = l->input};
      break;
    default:
      args[0] = (sli_onednn_arg_t){.id = DNNL_ARG_SRC, .layout = l->input};
      args[1] = (sli_onednn_arg_t){.id = DNNL_ARG_DIFF_DST, .layout = l->output};
      args[2] = (sli_onednn_arg_t){
          .id = DNNL_ARG_DIFF_WEIGHTS, .is_output = true, .layout = l->filter, .query = dnnl_query_diff_weights_md};
      break;
  }
}

static sli_status_t *describe(const sli_onednn_library_t *library, const void *context, sli_onednn_recipe_t *recipe) {
  const request_t *request = context;
  layouts_t layouts;
  dnnl_convolution_desc_t desc;
  dnnl_primitive_attr_t attr = NULL;
  dnnl_status_t result = describe_all(library, request->shape, &layouts);
  if (result == dnnl_success) result = describe_operation(library, request, &layouts, &desc);
  SLI_RETURN_IF_ERROR(sli_onednn_check(result, "convolution"));
  bool activates = request->direction == FORWARD;
  SLI_RETURN_IF_ERROR(sli_onednn_make_attr(library, activates ? request->shape->activation : SLI_EPILOGUE_NONE,
                                           request->shape->alpha, &attr));
  result = library->dnnl_primitive_desc_create(&recipe->desc, &desc, attr, library->engine, NULL);
  library->dnnl_primitive_attr_destroy(attr);
  list_arguments(request, &layouts, recipe);
  return sli_onednn_check(result, "convolution");
}

static sli_status_t *run_conv(const sli_onednn_conv_t *shape, direction_t direction, void *const data[]) {
  request_t request = {shape, direction};
  conv_key_t key = {.kind = 'c',
                    .flags = (int64_t)direction | shape->has_bias << 2 | (int64_t)shape->activation << 3,
                    .alpha = shape->alpha,
                    .spatial = shape->spatial,
                    .batch = shape->batch,
                    .in_channels = shape->in_channels,
                    .out_channels = shape->out_channels,
                    .groups = shape->groups};
  const int64_t *sizes[] = {shape->in,       shape->filter, shape->out,  shape->stride,
                            shape->dilation, shape->before, shape->after};
  for (int i = 0; i < 7; i++)
    for (int d = 0; d < shape->spatial; d++) key.sizes[i][d] = sizes[i][d];
  return sli_onednn_execute(&key, sizeof(key), describe, &request, data);
}

sli_status_t *sli_onednn_conv(const sli_onednn_conv_t *shape, const float *input, const float *filter,
                              const float *bias, float *output) {
  return run_conv(shape, FORWARD, (void *const[]){(void *)input, (void *)filter, output, (void *)bias});
}

sli_status_t *sli_onednn_conv_backward_input(const sli_onednn_conv_t *shape, const float *filter,
                                             const float *output_gradient, float *input_gradient) {
  return run_conv(shape, BACKWARD_INPUT, (void *const[]){(void *)filter, (void *)output_gradient, input_gradient});
}

sli_status_t *sli_onednn_conv_backward_filter(const sli_onednn_conv_t *shape, const float *input,
                                              const float *output_gradient, float *filter_gradient) {
  return run_conv(shape, BACKWARD_FILTER, (void *const[]){(void *)input, (void *)output_gradient, filter_gradient});
}
