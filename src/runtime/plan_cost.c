// What a node will take, told before it runs: a thread that polls the network must not begin with what keeps it for
// long.
//
// A node costs by its bytes, those that go in or those that come out, whichever are more. Where shapes do not tell what
// comes out, the op's shape function does, on the values that have arrived: a Fill of two numbers can be a gigabyte.
// Once a node was measured, that counts, but only for sizes of the order that was measured.
#include <math.h>

#include "core/shape_inference.h"
#include "runtime/plan_internal.h"

// Nodes that only move values, whatever their size.
enum {
  MOVES_VALUES =
      SLI_NODE_ENTER | SLI_NODE_EXIT | SLI_NODE_NEXT_ITERATION | SLI_NODE_MERGE | SLI_NODE_MAY_OMIT | SLI_NODE_TRANSFER
};

enum {
  MEASURED_NANOS = 5000,  // nodes that take longer are measured
  MAX_ARGUMENTS = 8,      // of a node whose output is worth a look: those with more put together what they are given
};

static const float default_nanos_per_byte = 0.2f;  // a memory-bound op
static const int64_t assumed_dim = 128;            // of what no shape is known
static const float assumed_bytes = 65536;          // of what not even the rank is known

// Bytes of a value of this shape; what is unknown is guessed.
static float bytes_of(sli_shape_t shape, sli_dtype_t dtype, bool *is_known) {
  *is_known &= sli_shape_is_fully_known(shape);
  if (shape.rank < 0) return assumed_bytes;
  float bytes = (float)sli_dtype_size(sli_dtype_base(dtype));
  for (int i = 0; i < shape.rank; i++) bytes *= (float)(shape.dims[i] < 0 ? assumed_dim : shape.dims[i]);
  return bytes;
}

// Whether the op's output may be larger than what goes in.
static bool may_grow(const sli_node_t *source) {
  sli_shape_fn_t shape = source->def.op->def->shape;
  if (!shape || shape == sli_shape_fn_unchanged || shape == sli_shape_fn_merge || shape == sli_shape_fn_unknown)
    return false;
  return source->def.input_count <= MAX_ARGUMENTS && source->def.output_count <= MAX_ARGUMENTS;
}

void sli_plan_node_estimate(sli_plan_node_t *node, sli_plan_info_t *info) {
  const sli_kernel_def_t *kernel = info->kernel;
  const sli_node_t *source = info->source;
  sli_plan_cost_t *cost = &info->cost;
  if (kernel->blocks) node->flags |= SLI_NODE_EXPENSIVE;
  if (node->flags & (SLI_NODE_ASYNC | MOVES_VALUES)) return;
  cost->nanos_per_byte = kernel->cost > 0 ? kernel->cost : default_nanos_per_byte;
  bool is_known = true, are_outputs_known = true;
  float input_bytes = 0;
  for (int i = 0; i < node->input_count; i++) {
    if (!source->inputs[i].node) continue;
    float bytes = bytes_of(sli_output_shape(source->inputs[i]), sli_output_dtype(source->inputs[i]), &is_known);
    input_bytes += bytes;
    if (sli_dtype_is_ref(sli_output_dtype(source->inputs[i]))) cost->known_bytes += bytes;
  }
  for (int i = 0; i < node->output_count; i++) {
    if (sli_dtype_is_ref(source->def.output_types[i]) || source->def.output_types[i] == SLI_DTYPE_RESOURCE) continue;
    cost->output_bytes += bytes_of(source->output_shapes[i], source->def.output_types[i], &are_outputs_known);
  }
  cost->outputs_vary = !are_outputs_known && may_grow(source);
  if (!are_outputs_known) cost->output_bytes = 0;
  if (kernel->expensive) node->flags |= SLI_NODE_MEASURED;
  float nanos = cost->nanos_per_byte * fmaxf(input_bytes, cost->output_bytes);
  if (is_known && !cost->outputs_vary && !kernel->expensive && nanos < MEASURED_NANOS) return;
  node->flags |= SLI_NODE_EXPENSIVE;
}

static const sli_tensor_t *value_of(sli_shape_context_t *context, int index) {
  const sli_value_t *inputs = context->user;
  return inputs[index].tensor;
}

// Bytes that the op's shape function expects, as far as it can tell. Errors are the kernel's to report.
static float inferred_bytes(const sli_plan_node_t *node, const sli_value_t *inputs) {
  enum { ROOM = 512 };
  _Alignas(16) char room[ROOM];
  sli_arena_t arena = {.next = room, .end = room + ROOM};
  sli_shape_t shapes[MAX_ARGUMENTS], outputs[MAX_ARGUMENTS];
  sli_handle_shape_t handles[MAX_ARGUMENTS];
  for (int i = 0; i < node->input_count; i++)
    shapes[i] = inputs[i].tensor ? sli_tensor_shape(inputs[i].tensor) : SLI_SHAPE_UNKNOWN;
  for (int i = 0; i < node->output_count; i++) {
    outputs[i] = SLI_SHAPE_UNKNOWN;
    handles[i] = (sli_handle_shape_t){SLI_DTYPE_INVALID, SLI_SHAPE_UNKNOWN};
  }
  sli_shape_context_t context = {.node = node->def,
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

// Whether |measured| was so with about this size.
static bool measured_holds(uint64_t measured, uint8_t order) {
  int at = (int)(measured >> 32);
  return measured && order <= at + 1 && order >= at - 1;
}

float sli_plan_node_nanos(const sli_plan_node_t *node, const sli_plan_info_t *info, const sli_value_t *inputs,
                          bool is_on_duty, uint8_t *out_order) {
  const sli_plan_cost_t *cost = &info->cost;
  *out_order = 0;
  if (info->kernel->blocks && is_on_duty) return INFINITY;
  size_t input_bytes = 0;
  for (int i = 0; i < node->input_count; i++)
    if (inputs[i].tensor) input_bytes += sli_tensor_bytes(inputs[i].tensor);
  float bytes = fmaxf(cost->known_bytes + (float)input_bytes, cost->output_bytes);
  if (cost->outputs_vary && is_on_duty) bytes = fmaxf(bytes, inferred_bytes(node, inputs));
  float nanos = cost->nanos_per_byte * bytes;
  if (nanos < MEASURED_NANOS && !(node->flags & SLI_NODE_MEASURED)) return nanos;
  *out_order = order_of(nanos);
  uint64_t measured = atomic_load_explicit(&cost->measured, memory_order_relaxed);
  return measured_holds(measured, *out_order) ? (float)(uint32_t)measured : nanos;
}

void sli_plan_node_learn(sli_plan_info_t *info, uint8_t order, int64_t nanos) {
  uint32_t taken = nanos < 1 ? 1 : nanos > UINT32_MAX ? UINT32_MAX : (uint32_t)nanos;
  uint64_t before = atomic_load_explicit(&info->cost.measured, memory_order_relaxed);
  if (measured_holds(before, order)) {
    uint32_t old = (uint32_t)before;
    order = (uint8_t)(before >> 32);  // a node that grows little by little is told from what it was
    // Now and then a node takes long because somebody else had the processor: that says nothing about the node.
    if (taken < old) taken = old - (old - taken) / 2;
    if (taken > old) taken = old + (taken - old < old ? taken - old : old) / 8;
  }
  atomic_store_explicit(&info->cost.measured, measured_pack(order, taken ? taken : 1), memory_order_relaxed);
}
