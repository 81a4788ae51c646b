// BatchNormWithGlobalNormalization and its gradient: the batch normalisation of graphs before version 9.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"

static double load(const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, tensor)[i];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, tensor)[i];
    default: return sli_half_to_float(SLI_DATA(sli_half_t, tensor)[i]);
  }
}

static void store(sli_tensor_t *tensor, int64_t i, double value) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: SLI_DATA(float, tensor)[i] = (float)value; break;
    case SLI_DTYPE_DOUBLE: SLI_DATA(double, tensor)[i] = value; break;
    default: SLI_DATA(sli_half_t, tensor)[i] = sli_half_from_float((float)value);
  }
}

typedef struct {
  float epsilon;
  bool scales;
} global_norm_t;

static sli_status_t *read_attrs(const sli_node_def_t *node, global_norm_t *n) {
  SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "variance_epsilon", &n->epsilon));
  return sli_node_attr_bool(node, "scale_after_normalization", &n->scales);
}

// Checks that input |index| is a vector for the channels of |input|.
static sli_status_t *check_vector(sli_kernel_context_t *context, int index, const char *name,
                                  const sli_tensor_t *input) {
  const sli_tensor_t *vector = sli_kernel_input(context, index);
  if (vector->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be 1-dimensional%s", name,
                           sli_tensor_shape_text(vector).text);
  if (vector->count != input->dims[3])
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must have %lld elements, got shape %s", name,
                           (long long)input->dims[3], sli_tensor_shape_text(vector).text);
  return NULL;
}

static sli_status_t *check_input(const sli_tensor_t *tensor, const char *name) {
  if (tensor->rank == 4) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be 4-dimensional%s", name, sli_tensor_shape_text(tensor).text);
}

static sli_status_t *norm_compute(sli_kernel_context_t *context) {
  static const char *const names[] = {NULL, "mean", "var", "beta", "gamma"};
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  global_norm_t n;
  SLI_RETURN_IF_ERROR(read_attrs(context->node, &n));
  SLI_RETURN_IF_ERROR(check_input(input, "input"));
  for (int i = 1; i < 5; i++) SLI_RETURN_IF_ERROR(check_vector(context, i, names[i], input));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  for (int64_t i = 0; i < input->count; i++) {
    const int64_t c = i % input->dims[3];
    double scale = 1 / sqrt(load(sli_kernel_input(context, 2), c) + (double)n.epsilon);
    if (n.scales) scale *= load(sli_kernel_input(context, 4), c);
    store(output, i,
          (load(input, i) - load(sli_kernel_input(context, 1), c)) * scale + load(sli_kernel_input(context, 3), c));
  }
  return NULL;
}

static sli_status_t *norm_grad_compute(sli_kernel_context_t *context) {
  static const char *const names[] = {NULL, "mean", "var", "gamma"};
  const sli_tensor_t *input = sli_kernel_input(context, 0), *back = sli_kernel_input(context, 4);
  sli_tensor_t *outputs[5];
  global_norm_t n;
  SLI_RETURN_IF_ERROR(read_attrs(context->node, &n));
  SLI_RETURN_IF_ERROR(check_input(input, "input"));
  for (int i = 1; i < 4; i++) SLI_RETURN_IF_ERROR(check_vector(context, i, names[i], input));
  SLI_RETURN_IF_ERROR(check_input(back, "out_backprop"));
  if (!sli_tensor_same_shape(input, back))
    return sli_status_make(SLI_INVALID_ARGUMENT, "out_backprop must have the shape of the input, %s, got %s",
                           sli_tensor_shape_text(input).text, sli_tensor_shape_text(back).text);
  const int64_t depth = input->dims[3];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &outputs[0]));
  for (int i = 1; i < 5; i++)
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, i, SLI_SHAPE(depth), &outputs[i]));
  for (int64_t c = 0; c < depth; c++) {
    const double mean = load(sli_kernel_input(context, 1), c), gamma = load(sli_kernel_input(context, 3), c);
    const double inverse = 1 / sqrt(load(sli_kernel_input(context, 2), c) + (double)n.epsilon);
    const double scale = inverse * (n.scales ? gamma : 1);
    double sum = 0, moment = 0;
    for (int64_t i = c; i < input->count; i += depth) {
      const double gradient = load(back, i);
      sum += gradient;
      moment += gradient * (load(input, i) - mean);
      store(outputs[0], i, gradient * scale);
    }
    store(outputs[1], c, -sum * scale);
    store(outputs[2], c, moment * -0.5 * inverse * inverse * scale);
    store(outputs[3], c, sum);
    store(outputs[4], c, n.scales ? moment * inverse : 0);
  }
  return NULL;
}

// The input, whose last dimension is merged with the lengths of the vectors at [1, last].
static sli_status_t *merge_vectors(sli_infer_context_t *c, int last, sli_shape_t *out_input, int64_t *out_depth) {
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, out_input));
  *out_depth = out_input->dims[3];
  for (int i = 1; i <= last; i++) {
    sli_shape_t vector;
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 1, &vector));
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(*out_depth, vector.dims[0], out_depth));
  }
  return NULL;
}

static sli_status_t *norm_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  int64_t depth;
  SLI_RETURN_IF_ERROR(merge_vectors(c, 4, &input, &depth));
  sli_infer_set_output(c, 0, sli_infer_replace_dim(c, input, 3, depth));
  return NULL;
}

static sli_status_t *norm_grad_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  int64_t depth;
  SLI_RETURN_IF_ERROR(merge_vectors(c, 3, &input, &depth));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, input, sli_infer_input(c, 4), &input));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(depth, input.dims[3], &depth));
  sli_infer_set_output(c, 0, sli_infer_replace_dim(c, input, 3, depth));
  for (int i = 1; i < 5; i++) sli_infer_set_output(c, i, sli_infer_make(c, 1, &depth));
  return NULL;
}

static sli_status_t *norm_gradient(sli_gradient_builder_t *b) {
  static const char *const names[] = {"variance_epsilon", "scale_after_normalization"};
  sli_attr_entry_t attrs[2];
  for (int i = 0; i < 2; i++) attrs[i] = (sli_attr_entry_t){names[i], *sli_node_attr(b->node, names[i])};
  sli_output_t inputs[] = {sli_gradient_input(b, 0), sli_gradient_input(b, 1), sli_gradient_input(b, 2),
                           sli_gradient_input(b, 4), sli_gradient_of_output(b, 0)};
  sli_output_t found = sli_gradient_emit(b, "BatchNormWithGlobalNormalizationGrad", inputs, 5, attrs, 2);
  for (int i = 0; i < 5; i++) sli_gradient_set(b, i, sli_output_at(found, i));
  return NULL;
}

#define NORM_ATTRS "T: numbertype; variance_epsilon: float; scale_after_normalization: bool"

static const sli_op_def_t ops[] = {
    {.name = "BatchNormWithGlobalNormalization",
     .inputs = "t: T, m: T, v: T, beta: T, gamma: T",
     .outputs = "result: T",
     .attrs = NORM_ATTRS,
     .summary = "Batch normalisation with given moments.",
     .shape = norm_shape,
     .gradient = norm_gradient,
     .deprecated_in = 9,
     .deprecation = "Use tf.nn.batch_normalization()"},
    {.name = "BatchNormWithGlobalNormalizationGrad",
     .inputs = "t: T, m: T, v: T, gamma: T, backprop: T",
     .outputs = "dx: T, dm: T, dv: T, db: T, dg: T",
     .attrs = NORM_ATTRS,
     .summary = "The gradient of BatchNormWithGlobalNormalization.",
     .shape = norm_grad_shape,
     .deprecated_in = 9,
     .deprecation = "Use tf.nn.batch_normalization()"},
};

#define NORM_TYPES (SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)

static const sli_kernel_def_t kernels[] = {
    {.op = "BatchNormWithGlobalNormalization", .types = NORM_TYPES, .compute = norm_compute, .cost = 2},
    {.op = "BatchNormWithGlobalNormalizationGrad", .types = NORM_TYPES, .compute = norm_grad_compute, .cost = 2},
};

SLI_OP_MODULE(batch_norm_global);
