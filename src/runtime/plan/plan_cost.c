// Estimates how long a node will take before it runs: a thread that polls the network must not start a node that keeps
// it busy for long.
//
// The estimate depends on the bytes of the inputs or of the outputs, whichever are more. If the sizes of the outputs
// are unknown, the op's shape function computes them from the input values: a Fill of two numbers can make a gigabyte.
// Once a node was measured, the measurement is used, but only for sizes of the same magnitude.
#include <math.h>

#include "core/op/shape_inference.h"
#include "runtime/plan/plan_layout.h"

// Nodes that only pass values on, whatever their size.
enum {
  MOVES_VALUES = SLI_PLAN_NODE_ENTER | SLI_PLAN_NODE_EXIT | SLI_PLAN_NODE_NEXT_ITERATION | SLI_PLAN_NODE_MERGE |
                 SLI_PLAN_NODE_MAY_OMIT | SLI_PLAN_NODE_TRANSFER
};

enum {
  MEASURED_NANOS = 5000,  // nodes that take longer are measured
  MAX_ARGUMENTS = 8,      // nodes with more inputs only combine them: their output is as large as their inputs
};

static const float default_nanos_per_byte = 0.2f;  // a memory-bound op
static const int64_t assumed_dim = 128;            // for an unknown dimension
static const float assumed_bytes = 65536;          // for an unknown rank

// Bytes of a value of this shape; unknown dimensions are assumed.
static float bytes_of(sli_shape_t shape, sli_dtype_t dtype, bool *is_known) {
  *is_known &= sli_shape_is_fully_known(shape);
  if (shape.rank < 0) return assumed_bytes;
  float bytes = (float)sli_dtype_size(sli_dtype_base(dtype));
  for (int i = 0; i < shape.rank; i++) bytes *= (float)(shape.dims[i] < 0 ? assumed_dim : shape.dims[i]);
  return bytes;
}

// Whether the op's output may be larger than its inputs.
static bool may_grow(const sli_node_t *source) {
  sli_infer_fn_t shape = source->def.op->def->shape;
  if (!shape || shape == sli_infer_fn_unchanged || shape == sli_infer_fn_merge || shape == sli_infer_fn_unknown)
    return false;
  return source->def.input_count <= MAX_ARGUMENTS && source->def.output_count <= MAX_ARGUMENTS;
}

// Whether a node that was estimated may be expensive; fills |cost|, which is empty.
static bool estimate(sli_plan_node_t *node, const sli_kernel_def_t *kernel, sli_plan_cost_t *cost) {
  const sli_node_t *source = sli_plan_source(node);
  if (node->flags & (SLI_PLAN_NODE_ASYNC | MOVES_VALUES)) return kernel->blocks;
  cost->nanos_per_byte = kernel->cost > 0 ? kernel->cost : default_nanos_per_byte;
  bool is_known = true, are_outputs_known = true;
  float input_bytes = 0;
  for (int i = 0; i < node->input_count; i++) {
    if (!source->inputs[i].node) continue;
    float bytes =
        bytes_of(sli_graph_output_shape(source->inputs[i]), sli_graph_output_dtype(source->inputs[i]), &is_known);
    input_bytes += bytes;
    if (sli_dtype_is_ref(sli_graph_output_dtype(source->inputs[i]))) cost->known_bytes += bytes;
  }
  for (int i = 0; i < node->output_count; i++) {
    if (sli_dtype_is_ref(source->def.output_types[i]) || source->def.output_types[i] == SLI_DTYPE_RESOURCE) continue;
    cost->output_bytes += bytes_of(source->output_shapes[i], source->def.output_types[i], &are_outputs_known);
  }
  cost->outputs_vary = !are_outputs_known && may_grow(source);
  if (!are_outputs_known) cost->output_bytes = 0;
  if (kernel->expensive) node->flags |= SLI_PLAN_NODE_MEASURED;
  float nanos = cost->nanos_per_byte * fmaxf(input_bytes, cost->output_bytes);
  return kernel->blocks || !is_known || cost->outputs_vary || kernel->expensive || !(nanos < MEASURED_NANOS);
}

void sli_plan_node_estimate(sli_plan_t *plan, sli_plan_node_t *node, sli_plan_info_t *info) {
  sli_plan_cost_t cost = {0};
  if (!estimate(node, info->kernel, &cost)) return;
  node->flags |= SLI_PLAN_NODE_EXPENSIVE;
  info->cost = (uint32_t)plan->costs.count;
  sli_array_push(&plan->costs, cost);
}

static const sli_tensor_t *value_of(sli_infer_context_t *context, int index) {
  const sli_kernel_value_t *inputs = context->user;
  return inputs[index].tensor;
}

// Bytes of the outputs by the op's shape function. Errors are ignored: the kernel reports them.
static float inferred_bytes(const sli_plan_node_t *node, const sli_kernel_value_t *inputs) {
  enum { ROOM = 512 };
  _Alignas(16) char room[ROOM];
  sli_arena_t arena = {.next = room, .end = room + ROOM};
  sli_shape_t shapes[MAX_ARGUMENTS], outputs[MAX_ARGUMENTS];
  sli_infer_handle_t handles[MAX_ARGUMENTS];
  for (int i = 0; i < node->input_count; i++)
    shapes[i] = inputs[i].tensor ? sli_tensor_shape(inputs[i].tensor) : SLI_SHAPE_UNKNOWN;
  for (int i = 0; i < node->output_count; i++) {
    outputs[i] = SLI_SHAPE_UNKNOWN;
    handles[i] = (sli_infer_handle_t){SLI_DTYPE_INVALID, SLI_SHAPE_UNKNOWN};
  }
  sli_infer_context_t context = {.node = node->def,
                                 .arena = &arena,
                                 .inputs = shapes,
                                 .outputs = outputs,
                                 .output_handles = handles,
                                 .constant = value_of,
                                 .user = (void *)inputs};
  sli_status_release(node->def->op->def->shape(&context));
  float bytes = 0;
  for (int i = 0; i < node->output_count; i++) {
    bool is_known = true;
    float more = bytes_of(outputs[i], node->def->output_types[i], &is_known);
    if (is_known) bytes += more;
  }
  sli_arena_deinitialize(&arena);
  return bytes;
}

static uint8_t order_of(float nanos) {
  int exponent = nanos >= 1 ? ilogbf(nanos) : 0;
  return (uint8_t)(1 + exponent);
}

static uint64_t measured_pack(uint8_t order, uint32_t nanos) { return (uint64_t)order << 32 | nanos; }

// Whether |measured| is of about this size.
static bool measured_holds(uint64_t measured, uint8_t order) {
  int at = (int)(measured >> 32);
  return measured && order <= at + 1 && order >= at - 1;
}

float sli_plan_node_nanos(const sli_plan_t *plan, const sli_plan_node_t *node, const sli_kernel_value_t *inputs,
                          bool is_polling, uint8_t *out_order) {
  const sli_plan_info_t *info = sli_plan_info(plan, node);
  const sli_plan_cost_t *cost = &plan->costs.items[info->cost];
  *out_order = 0;
  if (info->kernel->blocks && is_polling) return INFINITY;
  size_t input_bytes = 0;
  for (int i = 0; i < node->input_count; i++)
    if (inputs[i].tensor) input_bytes += sli_tensor_bytes(inputs[i].tensor);
  float bytes = fmaxf(cost->known_bytes + (float)input_bytes, cost->output_bytes);
  if (cost->outputs_vary && is_polling) bytes = fmaxf(bytes, inferred_bytes(node, inputs));
  float nanos = cost->nanos_per_byte * bytes;
  if (nanos < MEASURED_NANOS && !(node->flags & SLI_PLAN_NODE_MEASURED)) return nanos;
  *out_order = order_of(nanos);
  uint64_t measured = atomic_load_explicit(&cost->measured, memory_order_relaxed);
  return measured_holds(measured, *out_order) ? (float)(uint32_t)measured : nanos;
}

void sli_plan_node_learn(sli_plan_t *plan, const sli_plan_node_t *node, uint8_t order, int64_t nanos) {
  sli_plan_cost_t *cost = &plan->costs.items[sli_plan_info(plan, node)->cost];
  uint32_t taken = nanos < 1 ? 1 : nanos > UINT32_MAX ? UINT32_MAX : (uint32_t)nanos;
  uint64_t before = atomic_load_explicit(&cost->measured, memory_order_relaxed);
  if (measured_holds(before, order)) {
    uint32_t old = (uint32_t)before;
    order = (uint8_t)(before >> 32);  // so that a slowly growing size is noticed: it is compared with the first one
    // A longer time counts less: maybe another process had the processor.
    if (taken < old) taken = old - (old - taken) / 2;
    if (taken > old) taken = old + (taken - old < old ? taken - old : old) / 8;
  }
  atomic_store_explicit(&cost->measured, measured_pack(order, taken ? taken : 1), memory_order_relaxed);
}
