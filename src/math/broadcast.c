// Planning and walking of broadcast operands.
#include "math/broadcast.h"

#include <stdlib.h>

static sli_status_t *incompatible(const sli_shape_t *shapes, int operands) {
  sli_string_t text = {0};
  for (int k = 0; k < operands; k++) {
    if (k) sli_string_append_text(&text, " vs. ");
    sli_shape_append(&text, shapes[k]);
  }
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Incompatible shapes: %s", sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

// What operand |shape| has for dimension |index| of the result.
static int64_t aligned_dim(sli_shape_t shape, int rank, int index) {
  int own = index - (rank - shape.rank);
  return own < 0 ? 1 : shape.dims[own];
}

static sli_status_t *plan_result(const sli_shape_t *shapes, int operands, sli_broadcast_t *plan) {
  int rank = 0;
  for (int k = 0; k < operands; k++)
    if (shapes[k].rank > rank) rank = shapes[k].rank;
  plan->out_rank = rank;
  plan->count = 1;
  bool empty = false;
  for (int d = 0; d < rank; d++) {
    int64_t wide = 1;
    for (int k = 0; k < operands; k++) {
      int64_t dim = aligned_dim(shapes[k], rank, d);
      if (dim == 1) continue;
      if (wide != 1 && wide != dim) return incompatible(shapes, operands);
      wide = dim;
    }
    plan->out_dims[d] = wide;
    empty |= wide == 0;
  }
  for (int d = 0; d < rank && !empty; d++) {
    if (__builtin_mul_overflow(plan->count, plan->out_dims[d], &plan->count))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Encountered overflow when multiplying shape dimensions");
  }
  if (empty) plan->count = 0;
  return NULL;
}

sli_status_t *sli_broadcast_plan(const sli_shape_t *shapes, int operands, sli_broadcast_t *plan) {
  plan->operands = operands;
  SLI_RETURN_IF_ERROR(plan_result(shapes, operands, plan));
  int rank = plan->out_rank;
  unsigned previous = 0;  // bit k: operand k repeats in the previous dimension
  plan->rank = 0;
  for (int d = 0; d < rank; d++) {
    int64_t wide = plan->out_dims[d];
    if (wide == 1) continue;
    unsigned repeated = 0;
    for (int k = 0; k < operands; k++)
      if (aligned_dim(shapes[k], rank, d) != wide) repeated |= 1u << k;
    if (plan->rank > 0 && repeated == previous) {
      plan->dims[plan->rank - 1] *= plan->count ? wide : 0;
    } else {
      for (int k = 0; k < operands; k++) plan->strides[k][plan->rank] = !(repeated >> k & 1);
      plan->dims[plan->rank++] = wide;
    }
    previous = repeated;
  }
  if (plan->rank == 0) {
    for (int k = 0; k < operands; k++) plan->strides[k][0] = 1;
    plan->dims[plan->rank++] = 1;
  }
  for (int k = 0; k < operands && plan->count; k++) {
    int64_t stride = 1;
    for (int d = plan->rank - 1; d >= 0; d--) {
      if (!plan->strides[k][d]) continue;
      plan->strides[k][d] = stride;
      stride *= plan->dims[d];
    }
  }
  return NULL;
}

void sli_broadcast_walk(const sli_broadcast_t *plan, int64_t begin, int64_t end, sli_broadcast_run_fn_t run,
                        void *context) {
  if (begin >= end) return;
  int last = plan->rank - 1, operands = plan->operands;
  int64_t index[SLI_MAX_RANK], offsets[SLI_BROADCAST_OPERANDS] = {0}, strides[SLI_BROADCAST_OPERANDS];
  int64_t rest = begin;
  for (int d = last; d >= 0; d--) {
    index[d] = rest % plan->dims[d];
    rest /= plan->dims[d];
    for (int k = 0; k < operands; k++) offsets[k] += index[d] * plan->strides[k][d];
  }
  for (int k = 0; k < operands; k++) strides[k] = plan->strides[k][last];
  for (int64_t out = begin; out < end;) {
    int64_t count = plan->dims[last] - index[last];
    if (count > end - out) count = end - out;
    run(context, offsets, strides, out, count);
    out += count;
    if (out >= end) return;
    // Advance to the start of the next run: the inner index wraps to 0, the outer ones are incremented.
    for (int k = 0; k < operands; k++) offsets[k] -= index[last] * strides[k];
    index[last] = 0;
    for (int d = last - 1; d >= 0; d--) {
      for (int k = 0; k < operands; k++) offsets[k] += plan->strides[k][d];
      if (++index[d] < plan->dims[d]) break;
      for (int k = 0; k < operands; k++) offsets[k] -= index[d] * plan->strides[k][d];
      index[d] = 0;
    }
  }
}
