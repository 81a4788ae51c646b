// Runs element-wise kernels: chooses how to walk the operands, and where the output goes.
#include "math/elementwise.h"

#include <stdatomic.h>

#include "math/broadcast.h"
#include "math/half.h"

enum { NARROW_BLOCK = 256 };  // 16-bit elements converted at a time; the floats stay in L1

typedef struct {
  const sli_elementwise_t *op;
  const void *parameter;
  sli_elementwise_loop_t loop;
  sli_dtype_t narrow;  // HALF or BFLOAT16: operands need conversion; else INVALID
  bool narrow_output;
  int operands;
  const char *in[SLI_BROADCAST_OPERANDS];
  char *out;
  size_t in_size, out_size;
  const sli_broadcast_t *plan;  // NULL: a single run
  int64_t strides[SLI_BROADCAST_OPERANDS];
  atomic_bool error;
} elementwise_work_t;

// What one thread computes with.
typedef struct {
  elementwise_work_t *work;
  sli_elementwise_loop_state_t state;
} share_t;

static void run_narrow(share_t *share, const void *const in[], char *out, int64_t count, const int64_t *strides) {
  elementwise_work_t *work = share->work;
  float wide[SLI_BROADCAST_OPERANDS][NARROW_BLOCK], result[NARROW_BLOCK];
  const void *operands[SLI_BROADCAST_OPERANDS];
  for (int64_t begin = 0; begin < count; begin += NARROW_BLOCK) {
    int64_t n = count - begin < NARROW_BLOCK ? count - begin : NARROW_BLOCK;
    for (int k = 0; k < work->operands; k++) {
      const uint16_t *source = (const uint16_t *)in[k] + begin * strides[k];
      sli_half_widen(work->narrow, source, wide[k], strides[k] ? n : 1);
      operands[k] = wide[k];
    }
    if (work->narrow_output) {
      work->loop(operands, result, n, strides, &share->state);
      sli_half_narrow(work->narrow, result, (uint16_t *)out + begin, n);
    } else {
      work->loop(operands, out + (size_t)begin * work->out_size, n, strides, &share->state);
    }
  }
}

static void run_loop(void *context, const int64_t *offsets, const int64_t *strides, int64_t out, int64_t count) {
  share_t *share = context;
  elementwise_work_t *work = share->work;
  const void *in[SLI_BROADCAST_OPERANDS];
  for (int k = 0; k < work->operands; k++) in[k] = work->in[k] + (size_t)offsets[k] * work->in_size;
  char *destination = work->out + (size_t)out * work->out_size;
  if (work->narrow) {
    run_narrow(share, in, destination, count, strides);
  } else {
    work->loop(in, destination, count, strides, &share->state);
  }
}

static void run_range(void *context, int64_t begin, int64_t end) {
  elementwise_work_t *work = context;
  share_t share = {work, {.parameter = work->parameter}};
  if (work->plan) {
    sli_broadcast_walk(work->plan, begin, end, run_loop, &share);
  } else {
    int64_t offsets[SLI_BROADCAST_OPERANDS];
    for (int k = 0; k < work->operands; k++) offsets[k] = begin * work->strides[k];
    run_loop(&share, offsets, work->strides, begin, end - begin);
  }
  if (share.state.error) atomic_store_explicit(&work->error, true, memory_order_relaxed);
}

// Makes output 0 with |shape|, in the memory of an input if one fits. Strings are always assigned to new memory.
static sli_status_t *make_output(sli_kernel_context_t *context, sli_shape_t shape, int64_t count,
                                 sli_tensor_t **out_tensor) {
  sli_dtype_t dtype = sli_dtype_base(context->node->output_types[0]);
  if (sli_dtype_is_plain(dtype)) {
    for (int k = 0; k < context->input_count; k++) {
      sli_tensor_t *input = sli_kernel_input(context, k);
      if (input->dtype == dtype && input->count == count && sli_tensor_is_exclusive(input))
        return sli_kernel_forward_or_allocate(context, k, 0, shape, out_tensor);
    }
  }
  return sli_kernel_allocate_output(context, 0, shape, out_tensor);
}

static sli_status_t *compute(sli_kernel_context_t *context, elementwise_work_t *work, sli_shape_t shape,
                             int64_t count) {
  sli_tensor_t *output;
  for (int k = 0; k < work->operands; k++) work->in[k] = sli_kernel_input(context, k)->data;
  SLI_RETURN_IF_ERROR(make_output(context, shape, count, &output));
  work->out = output->data;
  work->out_size = sli_dtype_size((sli_dtype_t)output->dtype);
  work->narrow_output = (sli_dtype_t)output->dtype == work->narrow;
  double cost = work->op->cost ? work->op->cost : 0.3;
  if (count * cost < 2000) {
    if (count > 0) run_range(work, 0, count);
  } else {
    sli_parallel_for(sli_kernel_pool(context), count, cost, run_range, work);
  }
  if (atomic_load_explicit(&work->error, memory_order_relaxed))
    return sli_status_make_text(SLI_INVALID_ARGUMENT, work->op->error);
  return NULL;
}

static elementwise_work_t make_work(sli_kernel_context_t *context, const sli_elementwise_t *op, const void *parameter) {
  sli_dtype_t dtype = (sli_dtype_t)sli_kernel_input(context, 0)->dtype;
  elementwise_work_t work = {
      .op = op, .parameter = parameter, .operands = context->input_count, .loop = op->loops[dtype]};
  work.in_size = sli_dtype_size(dtype);
  if (!work.loop) {
    work.loop = op->loops[SLI_DTYPE_FLOAT];
    work.narrow = dtype;
  }
  return work;
}

// Computes all elements in a single run. The output has the shape of |wide|.
static sli_status_t *compute_flat(sli_kernel_context_t *context, elementwise_work_t *work, const sli_tensor_t *wide) {
  // A copy: the tensor of |wide| may become the output.
  int64_t dims[SLI_MAX_RANK];
  for (int d = 0; d < wide->rank; d++) dims[d] = wide->dims[d];
  return compute(context, work, (sli_shape_t){wide->rank, dims}, wide->count);
}

// The fast path for scalars, without shapes or threads. Returns false, having done nothing, unless all inputs are
// scalars of a plain type and |op| has a loop for them. An input with no other reference becomes the output.
static inline bool compute_scalar(sli_kernel_context_t *context, const sli_elementwise_t *op, const void *parameter,
                                  sli_status_t **out_status) {
  static const int64_t strides[SLI_BROADCAST_OPERANDS] = {1, 1, 1};
  sli_kernel_value_t *inputs = context->inputs, *forwarded = NULL;
  sli_dtype_t dtype = context->node->output_types[0];
  sli_elementwise_loop_t loop = op->loops[inputs[0].tensor->dtype];
  if (!loop || dtype == SLI_DTYPE_STRING) return false;
  const void *in[SLI_BROADCAST_OPERANDS];
  for (int k = 0, count = context->input_count; k < count; k++) {
    sli_tensor_t *tensor = inputs[k].tensor;
    if (tensor->rank) return false;
    in[k] = tensor->data;
    if (!forwarded && tensor->dtype == dtype && !inputs[k].variable && sli_tensor_is_exclusive(tensor))
      forwarded = &inputs[k];
  }
  sli_tensor_t *output;
  if (forwarded) {
    output = forwarded->tensor;
    context->outputs[0].tensor = output;
    forwarded->tensor = NULL;
  } else if ((*out_status = sli_kernel_allocate_output(context, 0, (sli_shape_t){0}, &output))) {
    return true;
  }
  sli_elementwise_loop_state_t state = {.parameter = parameter};
  loop(in, output->data, 1, strides, &state);
  *out_status = state.error ? sli_status_make_text(SLI_INVALID_ARGUMENT, op->error) : NULL;
  return true;
}

sli_status_t *sli_elementwise_compute_with(sli_kernel_context_t *context, const sli_elementwise_t *op,
                                           const void *parameter) {
  sli_status_t *status;
  if (compute_scalar(context, op, parameter, &status)) return status;
  elementwise_work_t work = make_work(context, op, parameter);
  // Equal shapes, or one value against many, need no plan.
  sli_tensor_t *wide = sli_kernel_input(context, 0);
  for (int k = 1; k < work.operands; k++) {
    sli_tensor_t *input = sli_kernel_input(context, k);
    if (input->rank > 0 && wide->rank == 0) wide = input;
  }
  bool flat = true;
  for (int k = 0; k < work.operands && flat; k++) {
    sli_tensor_t *input = sli_kernel_input(context, k);
    bool scalar = input->rank == 0;
    work.strides[k] = !scalar || wide->rank == 0;
    flat = scalar || sli_tensor_same_shape(input, wide);
  }
  if (flat) return compute_flat(context, &work, wide);
  sli_broadcast_t plan;
  sli_shape_t shapes[SLI_BROADCAST_OPERANDS];
  for (int k = 0; k < work.operands; k++) shapes[k] = sli_tensor_shape(sli_kernel_input(context, k));
  SLI_RETURN_IF_ERROR(sli_broadcast_plan(shapes, work.operands, &plan));
  work.plan = &plan;
  return compute(context, &work, (sli_shape_t){plan.out_rank, plan.out_dims}, plan.count);
}

sli_status_t *sli_elementwise_compute(sli_kernel_context_t *context, const sli_elementwise_t *op) {
  return sli_elementwise_compute_with(context, op, NULL);
}

sli_status_t *sli_elementwise_compute_paired(sli_kernel_context_t *context, const sli_elementwise_t *op,
                                             const void *parameter) {
  elementwise_work_t work = make_work(context, op, parameter);
  sli_tensor_t *a = sli_kernel_input(context, 0), *b = sli_kernel_input(context, 1);
  if (a->count != b->count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The two arguments to a cwise op must have same number of elements, got %lld and %lld",
                           (long long)a->count, (long long)b->count);
  work.strides[0] = work.strides[1] = 1;
  return compute_flat(context, &work, a);
}
