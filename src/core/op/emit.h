// Short names for the nodes that gradient functions emit most.
#ifndef SLI_CORE_OP_EMIT_H_
#define SLI_CORE_OP_EMIT_H_

#include "core/op/gradient.h"

static inline sli_output_t sli_emit1(sli_gradient_builder_t *b, const char *op, sli_output_t x) {
  return SLI_EMIT(b, op, SLI_INPUTS(x));
}
static inline sli_output_t sli_emit2(sli_gradient_builder_t *b, const char *op, sli_output_t x, sli_output_t y) {
  return SLI_EMIT(b, op, SLI_INPUTS(x, y));
}
static inline sli_output_t sli_emit3(sli_gradient_builder_t *b, const char *op, sli_output_t x, sli_output_t y,
                                     sli_output_t z) {
  return SLI_EMIT(b, op, SLI_INPUTS(x, y, z));
}
static inline sli_output_t sli_emit_mul(sli_gradient_builder_t *b, sli_output_t x, sli_output_t y) {
  return sli_emit2(b, "Mul", x, y);
}
// x * value, the constant in the type of x.
static inline sli_output_t sli_emit_scale(sli_gradient_builder_t *b, sli_output_t x, double value) {
  return sli_emit2(b, "Mul", x, sli_gradient_const_like(b, x, value));
}
static inline sli_output_t sli_emit_cast(sli_gradient_builder_t *b, sli_output_t x, sli_dtype_t dtype) {
  if (sli_gradient_dtype(b, x) == dtype) return x;
  return SLI_EMIT_WITH(b, "Cast", SLI_INPUTS(x), SLI_ATTRS(SLI_ATTR_TYPE_OF("DstT", dtype)));
}
// The complex conjugate; of a real value the value itself.
static inline sli_output_t sli_emit_conj(sli_gradient_builder_t *b, sli_output_t x) {
  return sli_types_contain(SLI_TYPES_COMPLEX, sli_gradient_dtype(b, x)) ? sli_emit1(b, "Conj", x) : x;
}
static inline sli_output_t sli_emit_shape(sli_gradient_builder_t *b, sli_output_t x) {
  return sli_emit1(b, "Shape", x);
}

// Sets the gradient of input 0; returns NULL, so that a gradient function can end with it.
static inline sli_status_t *sli_emit_set(sli_gradient_builder_t *b, sli_output_t gradient) {
  sli_gradient_set(b, 0, gradient);
  return NULL;
}
// The gradient function of an op whose derivative is zero wherever it exists: no gradient flows.
static inline sli_status_t *sli_emit_no_gradient(sli_gradient_builder_t *b) { return NULL; }
// Sets the gradients of a broadcasting op's two inputs, summed down to their shapes.
static inline void sli_emit_set_broadcast(sli_gradient_builder_t *b, sli_output_t x, sli_output_t y) {
  sli_gradient_set(b, 0, sli_gradient_unbroadcast(b, x, 0, 1));
  sli_gradient_set(b, 1, sli_gradient_unbroadcast(b, y, 1, 0));
}

#endif  // SLI_CORE_OP_EMIT_H_
