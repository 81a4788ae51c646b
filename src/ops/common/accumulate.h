// Updates elements in place (to = to op from), for every type that variables can have. 16-bit floats are computed in
// float; integers wrap.
#ifndef SLI_OPS_COMMON_ACCUMULATE_H_
#define SLI_OPS_COMMON_ACCUMULATE_H_

#include <stdint.h>

#include "core/tensor/dtype.h"

typedef enum {
  SLI_ACCUMULATE_ASSIGN,
  SLI_ACCUMULATE_ADD,
  SLI_ACCUMULATE_SUB,
  SLI_ACCUMULATE_MUL,
  SLI_ACCUMULATE_DIV,  // an integer divided by zero becomes 0
  SLI_ACCUMULATE_MIN,
  SLI_ACCUMULATE_MAX,
} sli_accumulate_op_t;

// |from_step| is 1 to combine element by element, or 0 to combine |*from| with every element. The ranges must not
// overlap. ASSIGN takes all types; the others take numbers, and besides: ADD strings (appended) and bools (or), SUB
// bools (exclusive or). Other types are left unchanged.
void sli_accumulate(sli_accumulate_op_t op, sli_dtype_t dtype, void *to, const void *from, int64_t from_step,
                    int64_t count);

#endif  // SLI_OPS_COMMON_ACCUMULATE_H_
