// The rules of rules.inc for each element type, and the table to find them in. 16-bit floats are computed in float.
#include "ops/train/rules.h"

#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/status.h"
#include "math/half.h"
#include "math/simd.h"

#define PLAIN(x) (x)

#define T float
#define C float
#define LOAD PLAIN
#define STORE PLAIN
#define SQRT sqrtf
#define NAME(x) x##_float
#define SIMD SLI_SIMD
#define REAL
#include "ops/train/rules.inc"

#define T double
#define C double
#define LOAD PLAIN
#define STORE PLAIN
#define SQRT sqrt
#define NAME(x) x##_double
#define SIMD SLI_SIMD
#define REAL
#include "ops/train/rules.inc"

#define T sli_half_t
#define C float
#define LOAD sli_half_to_float
#define STORE sli_half_from_float
#define SQRT sqrtf
#define NAME(x) x##_half
#define SIMD
#define REAL
#include "ops/train/rules.inc"

#define T sli_bfloat16_t
#define C float
#define LOAD sli_bfloat16_to_float
#define STORE sli_bfloat16_from_float
#define SQRT sqrtf
#define NAME(x) x##_bfloat16
#define SIMD
#define REAL
#include "ops/train/rules.inc"

#define T float complex
#define C float complex
#define LOAD PLAIN
#define STORE PLAIN
#define SQRT csqrtf
#define NAME(x) x##_complex64
#define SIMD
#include "ops/train/rules.inc"

#define T double complex
#define C double complex
#define LOAD PLAIN
#define STORE PLAIN
#define SQRT csqrt
#define NAME(x) x##_complex128
#define SIMD
#include "ops/train/rules.inc"

typedef struct {
  const char *name;
  sli_rule_fn_t of_float, of_double, of_half, of_bfloat16, of_complex64, of_complex128;
} rule_t;

#define REAL_RULE(name, rule) \
  { name, update_##rule##_float, update_##rule##_double, update_##rule##_half, update_##rule##_bfloat16, NULL, NULL }
#define RULE_OF(name, rule)                                                                              \
  {                                                                                                      \
    name, update_##rule##_float, update_##rule##_double, update_##rule##_half, update_##rule##_bfloat16, \
        update_##rule##_complex64, update_##rule##_complex128                                            \
  }

static const rule_t rules[] = {
    RULE_OF("GradientDescent", gradient_descent),
    RULE_OF("Momentum", momentum),
    RULE_OF("KerasMomentum", keras_momentum),
    RULE_OF("Adagrad", adagrad),
    RULE_OF("AdagradV2", adagrad_v2),
    RULE_OF("Adadelta", adadelta),
    RULE_OF("Adam", adam),
    RULE_OF("RMSProp", rms_prop),
    RULE_OF("CenteredRMSProp", centered_rms_prop),
    REAL_RULE("AdaMax", ada_max),
    REAL_RULE("AdamWithAmsgrad", adam_with_amsgrad),
    REAL_RULE("AddSign", add_sign),
    REAL_RULE("PowerSign", power_sign),
    REAL_RULE("Ftrl", ftrl),
    REAL_RULE("FtrlV2", ftrl),
    REAL_RULE("ProximalAdagrad", proximal_adagrad),
    REAL_RULE("ProximalGradientDescent", proximal_gradient_descent),
    REAL_RULE("AdagradDA", adagrad_da),
};

sli_rule_fn_t sli_rule_find(const char *name, sli_dtype_t dtype) {
  for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
    if (strcmp(rules[i].name, name) != 0) continue;
    switch (dtype) {
      case SLI_DTYPE_FLOAT: return rules[i].of_float;
      case SLI_DTYPE_DOUBLE: return rules[i].of_double;
      case SLI_DTYPE_HALF: return rules[i].of_half;
      case SLI_DTYPE_BFLOAT16: return rules[i].of_bfloat16;
      case SLI_DTYPE_COMPLEX64: return rules[i].of_complex64;
      case SLI_DTYPE_COMPLEX128: return rules[i].of_complex128;
      default: return NULL;
    }
  }
  return NULL;
}

size_t sli_rule_scalar_offset(const char *input) {
  static const struct {
    const char *input;
    size_t offset;
  } scalars[] = {
#define FIELD(field, name) {name, offsetof(sli_rule_scalars_t, field)},
      SLI_RULE_SCALARS(FIELD)
#undef FIELD
  };
  for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
    if (strcmp(scalars[i].input, input) == 0) return scalars[i].offset;
  SLI_CHECK(!"SLI_RULE_SCALARS has no field for an input");
  return 0;
}
