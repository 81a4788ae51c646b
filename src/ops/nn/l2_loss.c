// L2Loss: half the sum of squares. All types are summed in double.
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "math/simd.h"

#define SQUARES(T, name)                                                            \
  SLI_SIMD static double squares_##name(const T *x, int64_t n) {                    \
    double lanes[16] = {0}, sum = 0;                                                \
    int64_t i = 0;                                                                  \
    for (; i + 16 <= n; i += 16)                                                    \
      for (int j = 0; j < 16; j++) lanes[j] += (double)x[i + j] * (double)x[i + j]; \
    for (int j = 0; j < 16; j++) sum += lanes[j];                                   \
    for (; i < n; i++) sum += (double)x[i] * (double)x[i];                          \
    return sum;                                                                     \
  }
SQUARES(float, float)
SQUARES(double, double)

static double squares_narrow(const sli_tensor_t *tensor) {
  enum { BLOCK = 512 };
  float wide[BLOCK];
  double sum = 0;
  for (int64_t i = 0; i < tensor->count; i += BLOCK) {
    int64_t n = tensor->count - i < BLOCK ? tensor->count - i : BLOCK;
    const uint16_t *in = SLI_DATA(uint16_t, tensor) + i;
    sli_half_widen((sli_dtype_t)tensor->dtype, in, wide, n);
    sum += squares_float(wide, n);
  }
  return sum;
}

static sli_status_t *l2_loss(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  switch ((sli_dtype_t)input->dtype) {
    case SLI_DTYPE_FLOAT: *SLI_DATA(float, output) = (float)(squares_float(input->data, input->count) / 2); break;
    case SLI_DTYPE_DOUBLE: *SLI_DATA(double, output) = squares_double(input->data, input->count) / 2; break;
    case SLI_DTYPE_HALF: *SLI_DATA(uint16_t, output) = sli_half_from_float((float)(squares_narrow(input) / 2)); break;
    default: *SLI_DATA(uint16_t, output) = sli_bfloat16_from_float((float)(squares_narrow(input) / 2));
  }
  return NULL;
}

static sli_status_t *l2_loss_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(b, 0, sli_emit_mul(b, sli_gradient_input(b, 0), sli_gradient_of_output(b, 0)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "L2Loss",
     .inputs = "t: T",
     .outputs = "output: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .summary = "Half the sum of squares.",
     .shape = sli_infer_fn_scalar,
     .gradient = l2_loss_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "L2Loss", .types = SLI_TYPES_FLOATING, .compute = l2_loss},
};

SLI_OP_MODULE(l2_loss);
