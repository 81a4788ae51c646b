// to = to op from, element by element, for every type that variables are
// updated in. 16-bit floats compute in float; integers wrap.
#ifndef SLI_OPS_STATE_ACCUMULATE_H_
#define SLI_OPS_STATE_ACCUMULATE_H_

#include <stdint.h>

#include "core/dtype.h"

typedef enum {
  SLI_ACCUMULATE_ASSIGN,
  SLI_ACCUMULATE_ADD,
  SLI_ACCUMULATE_SUB,
  SLI_ACCUMULATE_MUL,
  SLI_ACCUMULATE_DIV,  // an integer divided by zero becomes 0
  SLI_ACCUMULATE_MIN,
  SLI_ACCUMULATE_MAX,
} sli_accumulate_op_t;

// |from_step| 1: element by element; 0: |*from| with every element. The ranges
// do not overlap. All types for ASSIGN; numbers else (bool for ADD and SUB: or,
// and-not; texts for ADD: one behind the other).
void sli_accumulate(sli_accumulate_op_t op, sli_dtype_t dtype, void *to, const void *from, int64_t from_step,
                    int64_t count);

#endif  // SLI_OPS_STATE_ACCUMULATE_H_
