// ClipByValue clips every element to [min, max]. The bounds are scalars or have the shape of the values. If min > max
// the result is min; a NaN stays NaN.
#include <complex.h>
#include <stdlib.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"

#define KEY(x) (x)
#define LOOP(T, name, key)                                                                      \
  static void clip_##name(const void *const in[], void *out, int64_t n, const int64_t stride[], \
                          sli_elementwise_loop_state_t *state) {                                \
    const T *t = in[0], *low = in[1], *high = in[2];                                            \
    T *z = out;                                                                                 \
    int64_t ts = stride[0], ls = stride[1], hs = stride[2];                                     \
    for (int64_t i = 0; i < n; i++) {                                                           \
      T x = t[i * ts], most = high[i * hs], least = low[i * ls];                                \
      x = key(most) < key(x) ? most : x;                                                        \
      z[i] = key(x) < key(least) ? least : x;                                                   \
    }                                                                                           \
  }
#define INTEGER_LOOP(T, name, dtype, U) LOOP(T, name, KEY)
SLI_ELEMENTWISE_FOR_SIGNED(INTEGER_LOOP)
LOOP(uint8_t, uint8, KEY)
LOOP(uint16_t, uint16, KEY)
LOOP(float, float, KEY)
LOOP(double, double, KEY)
LOOP(float complex, complex64, crealf)
LOOP(double complex, complex128, creal)

static const sli_elementwise_t clip_op = {.loops = {[SLI_DTYPE_FLOAT] = clip_float,
                                                    [SLI_DTYPE_DOUBLE] = clip_double,
                                                    [SLI_DTYPE_INT8] = clip_int8,
                                                    [SLI_DTYPE_INT16] = clip_int16,
                                                    [SLI_DTYPE_INT32] = clip_int32,
                                                    [SLI_DTYPE_INT64] = clip_int64,
                                                    [SLI_DTYPE_UINT8] = clip_uint8,
                                                    [SLI_DTYPE_UINT16] = clip_uint16,
                                                    [SLI_DTYPE_COMPLEX64] = clip_complex64,
                                                    [SLI_DTYPE_COMPLEX128] = clip_complex128}};

static sli_status_t *clip(sli_kernel_context_t *context) {
  sli_tensor_t *t = sli_kernel_input(context, 0), *low = sli_kernel_input(context, 1),
               *high = sli_kernel_input(context, 2);
  if ((low->rank && !sli_tensor_same_shape(t, low)) || (high->rank && !sli_tensor_same_shape(t, high))) {
    char *a = sli_shape_to_text(sli_tensor_shape(t)), *b = sli_shape_to_text(sli_tensor_shape(low)),
         *c = sli_shape_to_text(sli_tensor_shape(high));
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT,
                        "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. "
                        "input shape: %sclip_value_min shape: %sclip_value_max shape: %s",
                        a, b, c);
    free(a);
    free(b);
    free(c);
    return status;
  }
  return sli_elementwise_compute(context, &clip_op);
}

static sli_status_t *clip_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_gradient_input(b, 0), zero = sli_emit1(b, "ZerosLike", g);
  sli_output_t below = sli_emit2(b, "Less", x, sli_gradient_input(b, 1));
  sli_output_t above = sli_emit2(b, "Greater", x, sli_gradient_input(b, 2));
  sli_gradient_set(b, 0, sli_emit3(b, "Select", sli_emit2(b, "LogicalOr", below, above), zero, g));
  sli_gradient_set(b, 1, sli_gradient_unbroadcast(b, sli_emit3(b, "Select", below, g, zero), 1, 0));
  sli_gradient_set(b, 2, sli_gradient_unbroadcast(b, sli_emit3(b, "Select", above, g, zero), 2, 0));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "ClipByValue",
     .inputs = "t: T, clip_value_min: T, clip_value_max: T",
     .outputs = "output: T",
     .attrs = "T: numbertype",
     .shape = sli_infer_fn_unchanged,
     .gradient = clip_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ClipByValue",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX | SLI_TYPES_SIGNED | SLI_TYPE_UINT8 | SLI_TYPE_UINT16,
     .compute = clip},
};

SLI_OP_MODULE(clip);
