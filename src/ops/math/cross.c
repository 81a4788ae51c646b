// Cross: cross products of the 3-element vectors in the last dimension.
#include <stdlib.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"
#include "math/half.h"

// Integers are computed in U, which wraps; 16-bit floats in float.
#define CROSS(name, T, U, load, store)                                           \
  static void cross_##name(const void *a, const void *b, void *out, int64_t n) { \
    for (int64_t i = 0; i < n; i++) {                                            \
      const T *p = (const T *)a + 3 * i, *q = (const T *)b + 3 * i;              \
      T *z = (T *)out + 3 * i;                                                   \
      U x[3] = {(U)load(p[0]), (U)load(p[1]), (U)load(p[2])};                    \
      U y[3] = {(U)load(q[0]), (U)load(q[1]), (U)load(q[2])};                    \
      z[0] = (T)store(x[1] * y[2] - x[2] * y[1]);                                \
      z[1] = (T)store(x[2] * y[0] - x[0] * y[2]);                                \
      z[2] = (T)store(x[0] * y[1] - x[1] * y[0]);                                \
    }                                                                            \
  }
#define SAME(x) (x)
#define INTEGER(T, name, dtype, U) CROSS(name, T, U, SAME, SAME)
SLI_ELEMENTWISE_FOR_INTEGER(INTEGER)
CROSS(float, float, float, SAME, SAME)
CROSS(double, double, double, SAME, SAME)
CROSS(half, sli_half_t, float, sli_half_to_float, sli_half_from_float)
CROSS(bfloat16, sli_bfloat16_t, float, sli_bfloat16_to_float, sli_bfloat16_from_float)

static void (*const loops[])(const void *a, const void *b, void *out, int64_t n) = {
    [SLI_DTYPE_FLOAT] = cross_float,   [SLI_DTYPE_DOUBLE] = cross_double,     [SLI_DTYPE_HALF] = cross_half,
    [SLI_DTYPE_INT8] = cross_int8,     [SLI_DTYPE_BFLOAT16] = cross_bfloat16, [SLI_DTYPE_INT16] = cross_int16,
    [SLI_DTYPE_INT32] = cross_int32,   [SLI_DTYPE_INT64] = cross_int64,       [SLI_DTYPE_UINT8] = cross_uint8,
    [SLI_DTYPE_UINT16] = cross_uint16, [SLI_DTYPE_UINT32] = cross_uint32,     [SLI_DTYPE_UINT64] = cross_uint64,
};

static sli_status_t *cross(sli_kernel_context_t *context) {
  sli_tensor_t *a = sli_kernel_input(context, 0), *b = sli_kernel_input(context, 1), *output;
  if (!sli_tensor_same_shape(a, b)) {
    char *x = sli_shape_to_text(sli_tensor_shape(a)), *y = sli_shape_to_text(sli_tensor_shape(b));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Both inputs must be of same shape: %s vs. %s", x, y);
    free(x);
    free(y);
    return status;
  }
  if (a->rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "Input must be at least 1D[]");
  if (a->dims[a->rank - 1] != 3)
    return sli_status_make(SLI_FAILED_PRECONDITION, "Cross-products are only defined for 3-element vectors.");
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(a), &output));
  loops[a->dtype](a->data, b->data, output->data, a->count / 3);
  return NULL;
}

static sli_status_t *cross_shape(sli_infer_context_t *c) {
  sli_shape_t a, b;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &a));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 1), 1, &b));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, a, b, &a));
  if (a.rank > 0) {
    int64_t three;
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(a, -1), 3, &three));
  }
  sli_infer_set_output(c, 0, a);
  return NULL;
}

static sli_status_t *cross_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 0, sli_emit2(b, "Cross", sli_gradient_input(b, 1), g));
  sli_gradient_set(b, 1, sli_emit2(b, "Cross", g, sli_gradient_input(b, 0)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Cross",
     .inputs = "a: T, b: T",
     .outputs = "product: T",
     .attrs = "T: realnumbertype",
     .shape = cross_shape,
     .gradient = cross_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Cross", .types = SLI_TYPES_REAL, .compute = cross},
};

SLI_OP_MODULE(cross);
