// Broadcasting as NumPy defines it, for up to four operands. A plan is made from the shapes, then the result is walked
// in runs. Adjacent dimensions that every operand treats alike are merged: equal shapes and scalars become a single
// run, and the strides within a run are 0 (repeat) or 1 (advance).
#ifndef SLI_MATH_BROADCAST_H_
#define SLI_MATH_BROADCAST_H_

#include "core/tensor/shape.h"

enum { SLI_BROADCAST_OPERANDS = 4 };

// A plain value that owns nothing. Immutable once planned.
typedef struct {
  int operands;
  int64_t count;  // elements of the result
  int64_t out_dims[SLI_MAX_RANK];
  int out_rank;
  // The merged walk, outermost first; at least one dimension.
  int rank;
  int64_t dims[SLI_MAX_RANK];
  int64_t strides[SLI_BROADCAST_OPERANDS][SLI_MAX_RANK];  // in elements, 0 where repeated
} sli_broadcast_t;

// INVALID_ARGUMENT "Incompatible shapes: [2] vs. [3]", with the shapes of all operands.
sli_status_t *sli_broadcast_plan(const sli_shape_t *shapes, int operands, sli_broadcast_t *out_plan);

// Processes a run of |count| elements. |offsets| are where the run starts in each operand, in elements; |strides| are 0
// or 1; |out| is the element of the result where the run starts.
typedef void (*sli_broadcast_run_fn_t)(void *context, const int64_t *offsets, const int64_t *strides, int64_t out,
                                       int64_t count);
// Calls |run| for the runs that cover elements [begin, end) of the result.
void sli_broadcast_walk(const sli_broadcast_t *plan, int64_t begin, int64_t end, sli_broadcast_run_fn_t run,
                        void *context);

#endif  // SLI_MATH_BROADCAST_H_
