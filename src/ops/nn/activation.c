// Relu, Relu6, LeakyRelu, Elu, Selu, Softplus, Softsign, and the ops that compute their gradients.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/elementary.h"
#include "math/elementwise.h"

#define FLOATING_ROWS(op) [SLI_DTYPE_FLOAT] = op##_float, [SLI_DTYPE_DOUBLE] = op##_double
#define INTEGER_ROWS(op)                                                                            \
  [SLI_DTYPE_INT8] = op##_int8, [SLI_DTYPE_INT16] = op##_int16, [SLI_DTYPE_INT32] = op##_int32,     \
  [SLI_DTYPE_INT64] = op##_int64, [SLI_DTYPE_UINT8] = op##_uint8, [SLI_DTYPE_UINT16] = op##_uint16, \
  [SLI_DTYPE_UINT32] = op##_uint32, [SLI_DTYPE_UINT64] = op##_uint64

// Relu and Relu6 exist for all real types.
#define FLOATING_RELU(T, name)                                                \
  SLI_ELEMENTWISE_LOOP1(SLI_SIMD, relu_##name, T, T, x < 0 ? 0 : x)           \
  SLI_ELEMENTWISE_LOOP1(SLI_SIMD, relu6_##name, T, T, x<0 ? 0 : x> 6 ? 6 : x) \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, relu_grad_##name, T, T, y > 0 ? x : 0)      \
  SLI_ELEMENTWISE_LOOP2(SLI_SIMD, relu6_grad_##name, T, T, y > 0 && y < 6 ? x : 0)
#define SIGNED_RELU(T, name, dtype, U)                                \
  SLI_ELEMENTWISE_LOOP1(, relu_##name, T, T, x < 0 ? 0 : x)           \
  SLI_ELEMENTWISE_LOOP1(, relu6_##name, T, T, x<0 ? 0 : x> 6 ? 6 : x) \
  SLI_ELEMENTWISE_LOOP2_SMALL(relu_grad_##name, T, T, y > 0 ? x : 0)  \
  SLI_ELEMENTWISE_LOOP2_SMALL(relu6_grad_##name, T, T, y > 0 && y < 6 ? x : 0)
#define UNSIGNED_RELU(T, name, dtype, U)                             \
  SLI_ELEMENTWISE_LOOP1(, relu_##name, T, T, x)                      \
  SLI_ELEMENTWISE_LOOP1(, relu6_##name, T, T, x > 6 ? 6 : x)         \
  SLI_ELEMENTWISE_LOOP2_SMALL(relu_grad_##name, T, T, y > 0 ? x : 0) \
  SLI_ELEMENTWISE_LOOP2_SMALL(relu6_grad_##name, T, T, y > 0 && y < 6 ? x : 0)
FLOATING_RELU(float, float)
FLOATING_RELU(double, double)
SLI_ELEMENTWISE_FOR_SIGNED(SIGNED_RELU)
SLI_ELEMENTWISE_FOR_UNSIGNED(UNSIGNED_RELU)

static const sli_elementwise_t relu_op = {.loops = {FLOATING_ROWS(relu), INTEGER_ROWS(relu)}};
static const sli_elementwise_t relu6_op = {.loops = {FLOATING_ROWS(relu6), INTEGER_ROWS(relu6)}};
static const sli_elementwise_t relu_grad_op = {.loops = {FLOATING_ROWS(relu_grad), INTEGER_ROWS(relu_grad)}};
static const sli_elementwise_t relu6_grad_op = {.loops = {FLOATING_ROWS(relu6_grad), INTEGER_ROWS(relu6_grad)}};
SLI_ELEMENTWISE_KERNEL(relu, relu_op)
SLI_ELEMENTWISE_KERNEL(relu6, relu6_op)

// A gradient kernel: x is the incoming gradient, y the input that the op calls features or outputs.
static sli_status_t *compute_gradient(sli_kernel_context_t *context, const sli_elementwise_t *op,
                                      const void *parameter) {
  sli_tensor_t *x = sli_kernel_input(context, 0), *y = sli_kernel_input(context, 1);
  if (sli_tensor_same_shape(x, y)) return sli_elementwise_compute_paired(context, op, parameter);
  char *a = sli_shape_to_text(sli_tensor_shape(x)), *b = sli_shape_to_text(sli_tensor_shape(y));
  sli_status_t *status = sli_status_make(
      SLI_INVALID_ARGUMENT,
      "Inputs to operation %s of type %s must have the same size and shape.  Input 0: %s != input 1: %s",
      context->node->name, context->node->op->def->name, a, b);
  free(a);
  free(b);
  return status;
}
#define GRADIENT_KERNEL(name) \
  static sli_status_t *name(sli_kernel_context_t *context) { return compute_gradient(context, &name##_op, NULL); }
GRADIENT_KERNEL(relu_grad)
GRADIENT_KERNEL(relu6_grad)

// Floating types only: the function of x and its gradient.
#define PAIR(op, f32, f64, grad32, grad64, nanoseconds)                                         \
  SLI_ELEMENTWISE_LOOP1(, op##_float, float, float, f32)                                        \
  SLI_ELEMENTWISE_LOOP1(, op##_double, double, double, f64)                                     \
  SLI_ELEMENTWISE_LOOP2_SMALL(op##_grad_float, float, float, grad32)                            \
  SLI_ELEMENTWISE_LOOP2_SMALL(op##_grad_double, double, double, grad64)                         \
  static const sli_elementwise_t op##_op = {.loops = {FLOATING_ROWS(op)}, .cost = nanoseconds}; \
  static const sli_elementwise_t op##_grad_op = {.loops = {FLOATING_ROWS(op##_grad)}};          \
  SLI_ELEMENTWISE_KERNEL(op, op##_op)                                                           \
  GRADIENT_KERNEL(op##_grad)

#define SELU_SCALE 1.0507009873554804934193349852946
#define SELU_SCALE_ALPHA 1.7580993408473768599402175208123
PAIR(elu, x < 0 ? expm1f(x) : x, x < 0 ? expm1(x) : x, y < 0 ? (y + 1) * x : x, y < 0 ? (y + 1) * x : x, 8)
PAIR(selu, x < 0 ? (float)SELU_SCALE_ALPHA * expm1f(x) : (float)SELU_SCALE * x,
     x < 0 ? SELU_SCALE_ALPHA * expm1(x) : SELU_SCALE * x,
     y < 0 ? x * (y + (float)SELU_SCALE_ALPHA) : x * (float)SELU_SCALE,
     y < 0 ? x * (y + SELU_SCALE_ALPHA) : x * SELU_SCALE, 8)
PAIR(softsign, x / (1 + fabsf(x)), x / (1 + fabs(x)), x / ((1 + fabsf(y)) * (1 + fabsf(y))),
     x / ((1 + fabs(y)) * (1 + fabs(y))), 1)

// log(1 + exp(x)). For large x the result is x and for very small x it is exp(x), so that no precision is lost.
static inline float softplus_of_float(float x) {
  float threshold = logf(FLT_EPSILON) + 2;
  return x > -threshold ? x : x < threshold ? expf(x) : log1pf(expf(x));
}
static inline double softplus_of_double(double x) {
  double threshold = log(DBL_EPSILON) + 2;
  return x > -threshold ? x : x < threshold ? exp(x) : log1p(exp(x));
}
PAIR(softplus, softplus_of_float(x), softplus_of_double(x), x / (expf(-y) + 1), x / (exp(-y) + 1), 15)

// LeakyRelu has a parameter, alpha.
#define ALPHA (*(const float *)state->parameter)
SLI_ELEMENTWISE_LOOP1(, leaky_relu_float, float, float, x > 0 ? x : ALPHA * x)
SLI_ELEMENTWISE_LOOP1(, leaky_relu_double, double, double, x > 0 ? x : (double)ALPHA * x)
SLI_ELEMENTWISE_LOOP2_SMALL(leaky_relu_grad_float, float, float, y > 0 ? x : x * ALPHA)
SLI_ELEMENTWISE_LOOP2_SMALL(leaky_relu_grad_double, double, double, y > 0 ? x : x * (double)ALPHA)
static const sli_elementwise_t leaky_relu_op = {.loops = {FLOATING_ROWS(leaky_relu)}};
static const sli_elementwise_t leaky_relu_grad_op = {.loops = {FLOATING_ROWS(leaky_relu_grad)}};

static sli_status_t *leaky_relu(sli_kernel_context_t *context) {
  float alpha;
  SLI_RETURN_IF_ERROR(sli_node_attr_float(context->node, "alpha", &alpha));
  return sli_elementwise_compute_with(context, &leaky_relu_op, &alpha);
}
static sli_status_t *leaky_relu_grad(sli_kernel_context_t *context) {
  float alpha;
  SLI_RETURN_IF_ERROR(sli_node_attr_float(context->node, "alpha", &alpha));
  return compute_gradient(context, &leaky_relu_grad_op, &alpha);
}

// Gradients. |of| is the op that computes the gradient, from the output or from the input.
static sli_status_t *by_output(sli_gradient_builder_t *b, const char *of) {
  sli_gradient_set(b, 0, sli_emit2(b, of, sli_gradient_of_output(b, 0), sli_gradient_output(b, 0)));
  return NULL;
}
static sli_status_t *relu_gradient(sli_gradient_builder_t *b) { return by_output(b, "ReluGrad"); }
static sli_status_t *relu6_gradient(sli_gradient_builder_t *b) { return by_output(b, "Relu6Grad"); }
static sli_status_t *elu_gradient(sli_gradient_builder_t *b) { return by_output(b, "EluGrad"); }
static sli_status_t *selu_gradient(sli_gradient_builder_t *b) { return by_output(b, "SeluGrad"); }
static sli_status_t *softsign_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(b, 0, sli_emit2(b, "SoftsignGrad", sli_gradient_of_output(b, 0), sli_gradient_input(b, 0)));
  return NULL;
}
static sli_status_t *softplus_gradient(sli_gradient_builder_t *b) {
  sli_output_t slope = sli_emit1(b, "Sigmoid", sli_gradient_input(b, 0));
  sli_gradient_set(b, 0, sli_emit_mul(b, sli_gradient_of_output(b, 0), slope));
  return NULL;
}

static sli_output_t emit_leaky_grad(sli_gradient_builder_t *b, sli_output_t g, sli_output_t x, float alpha) {
  return SLI_EMIT_WITH(b, "LeakyReluGrad", SLI_INPUTS(g, x), SLI_ATTRS(SLI_ATTR_FLOAT_OF("alpha", alpha)));
}
static sli_status_t *leaky_relu_gradient(sli_gradient_builder_t *b) {
  float alpha;
  SLI_RETURN_IF_ERROR(sli_node_attr_float(b->node, "alpha", &alpha));
  sli_gradient_set(b, 0, emit_leaky_grad(b, sli_gradient_of_output(b, 0), sli_gradient_input(b, 0), alpha));
  return NULL;
}

// Second derivatives. The inputs are the first gradient and the features. The derivative of a piecewise linear function
// by the features is zero.
static sli_status_t *linear_grad_gradient(sli_gradient_builder_t *b) {
  sli_output_t features = sli_gradient_input(b, 1);
  sli_gradient_set(b, 0, sli_emit2(b, b->node->op->def->name, sli_gradient_of_output(b, 0), features));
  sli_gradient_set(b, 1, sli_emit1(b, "ZerosLike", features));
  return NULL;
}
static sli_status_t *leaky_relu_grad_gradient(sli_gradient_builder_t *b) {
  float alpha;
  SLI_RETURN_IF_ERROR(sli_node_attr_float(b->node, "alpha", &alpha));
  sli_output_t features = sli_gradient_input(b, 1);
  sli_gradient_set(b, 0, emit_leaky_grad(b, sli_gradient_of_output(b, 0), features, alpha));
  sli_gradient_set(b, 1, sli_emit1(b, "ZerosLike", features));
  return NULL;
}
static sli_status_t *elu_grad_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), y = sli_gradient_input(b, 1);
  sli_output_t curved = sli_emit2(b, "Less", y, sli_gradient_const_like(b, y, 0));
  sli_output_t product = sli_emit_mul(b, g, sli_gradient_input(b, 0));
  sli_gradient_set(b, 0, sli_emit2(b, b->node->op->def->name, g, y));
  sli_gradient_set(b, 1, sli_emit3(b, "SelectV2", curved, product, sli_emit1(b, "ZerosLike", y)));
  return NULL;
}
static sli_status_t *softplus_grad_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_gradient_input(b, 1);
  sli_output_t low = sli_emit1(b, "Exp", sli_emit1(b, "Neg", x)), high = sli_emit1(b, "Exp", x);
  sli_output_t middle = sli_emit2(b, "AddV2", low, sli_gradient_const_like(b, x, 2));
  sli_output_t product = sli_emit_mul(b, g, sli_gradient_input(b, 0));
  sli_gradient_set(b, 0, sli_emit2(b, "SoftplusGrad", g, x));
  sli_gradient_set(b, 1, sli_emit2(b, "RealDiv", product, sli_emit2(b, "AddV2", middle, high)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Relu",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8}",
     .summary = "max(features, 0).",
     .shape = sli_infer_fn_unchanged,
     .gradient = relu_gradient},
    {.name = "ReluGrad",
     .inputs = "gradients: T, features: T",
     .outputs = "backprops: T",
     .attrs = "T: realnumbertype",
     .summary = "The gradient of Relu.",
     .shape = sli_infer_fn_merge,
     .gradient = linear_grad_gradient},
    {.name = "Relu6",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: realnumbertype",
     .summary = "min(max(features, 0), 6).",
     .shape = sli_infer_fn_unchanged,
     .gradient = relu6_gradient},
    {.name = "Relu6Grad",
     .inputs = "gradients: T, features: T",
     .outputs = "backprops: T",
     .attrs = "T: realnumbertype",
     .summary = "The gradient of Relu6.",
     .shape = sli_infer_fn_merge,
     .gradient = linear_grad_gradient},
    {.name = "LeakyRelu",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "alpha: float = 0.2; T: {half, bfloat16, float, double} = DT_FLOAT",
     .summary = "The features where they are positive, otherwise alpha * features.",
     .shape = sli_infer_fn_unchanged,
     .gradient = leaky_relu_gradient},
    {.name = "LeakyReluGrad",
     .inputs = "gradients: T, features: T",
     .outputs = "backprops: T",
     .attrs = "alpha: float = 0.2; T: {half, bfloat16, float, double} = DT_FLOAT",
     .summary = "The gradient of LeakyRelu.",
     .shape = sli_infer_fn_merge,
     .gradient = leaky_relu_grad_gradient},
    {.name = "Elu",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .summary = "The features where they are positive, otherwise exp(features) - 1.",
     .shape = sli_infer_fn_unchanged,
     .gradient = elu_gradient},
    {.name = "EluGrad",
     .inputs = "gradients: T, outputs: T",
     .outputs = "backprops: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .summary = "The gradient of Elu.",
     .shape = sli_infer_fn_merge,
     .gradient = elu_grad_gradient},
    {.name = "Selu",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .summary = "The scaled exponential linear unit.",
     .shape = sli_infer_fn_unchanged,
     .gradient = selu_gradient},
    {.name = "SeluGrad",
     .inputs = "gradients: T, outputs: T",
     .outputs = "backprops: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .summary = "The gradient of Selu.",
     .shape = sli_infer_fn_merge,
     .gradient = elu_grad_gradient},
    {.name = "Softplus",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .summary = "log(1 + exp(features)).",
     .shape = sli_infer_fn_unchanged,
     .gradient = softplus_gradient},
    {.name = "SoftplusGrad",
     .inputs = "gradients: T, features: T",
     .outputs = "backprops: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .summary = "The gradient of Softplus.",
     .shape = sli_infer_fn_merge,
     .gradient = softplus_grad_gradient},
    {.name = "Softsign",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .summary = "features / (1 + abs(features)).",
     .shape = sli_infer_fn_unchanged,
     .gradient = softsign_gradient},
    {.name = "SoftsignGrad",
     .inputs = "gradients: T, features: T",
     .outputs = "backprops: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .summary = "The gradient of Softsign.",
     .shape = sli_infer_fn_merge},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Relu", .types = SLI_TYPES_REAL, .compute = relu},
    {.op = "ReluGrad", .types = SLI_TYPES_REAL, .compute = relu_grad},
    {.op = "Relu6", .types = SLI_TYPES_REAL, .compute = relu6},
    {.op = "Relu6Grad", .types = SLI_TYPES_REAL, .compute = relu6_grad},
    {.op = "LeakyRelu", .types = SLI_TYPES_FLOATING, .compute = leaky_relu},
    {.op = "LeakyReluGrad", .types = SLI_TYPES_FLOATING, .compute = leaky_relu_grad},
    {.op = "Elu", .types = SLI_TYPES_FLOATING, .compute = elu, .cost = 2},
    {.op = "EluGrad", .types = SLI_TYPES_FLOATING, .compute = elu_grad},
    {.op = "Selu", .types = SLI_TYPES_FLOATING, .compute = selu, .cost = 2},
    {.op = "SeluGrad", .types = SLI_TYPES_FLOATING, .compute = selu_grad},
    {.op = "Softplus", .types = SLI_TYPES_FLOATING, .compute = softplus, .cost = 4},
    {.op = "SoftplusGrad", .types = SLI_TYPES_FLOATING, .compute = softplus_grad, .cost = 2},
    {.op = "Softsign", .types = SLI_TYPES_FLOATING, .compute = softsign},
    {.op = "SoftsignGrad", .types = SLI_TYPES_FLOATING, .compute = softsign_grad},
};

SLI_OP_MODULE(activation);
