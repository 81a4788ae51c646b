// Queues: their nodes. What a queue holds is read off its node, so that a handle
// is all that a program carries around.
#include "sluice/queue.h"

#include <stdlib.h>

#include "train/ops_internal.h"
#include "train/options_internal.h"
#include "train/scope_internal.h"
#include "train/tensor.h"

enum { MOST_COMPONENTS = 256 };

// What a dequeue that was not built puts out: nothing, but a program may ask for any component of it.
static const TF_Output nothing[MOST_COMPONENTS];

// --- Making one ---

static bool check_shapes(sl_scope_t *scope, const sl_shape_t *shapes, size_t count, bool pads) {
  for (size_t i = 0; shapes && i < count; i++) {
    bool good = pads ? shapes[i].rank >= 0 : sli_shape_elements(shapes[i]) >= 0;
    if (good) continue;
    char *shape = sli_shape_format(shapes[i]);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "All shapes must %s: component %zu has %s",
                  pads ? "have a defined rank" : "be fully defined", i, shape);
    free(shape);
    return false;
  }
  return true;
}

static sl_node_t *queue_begin(sl_scope_t *scope, const char *op, const char *name, int64_t capacity,
                              const TF_DataType *dtypes, size_t count, const sl_queue_options_t *options) {
  if (!count || count > MOST_COMPONENTS)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "a queue has 1 to %d components, not %zu", MOST_COMPONENTS, count);
  sl_node_t *node = sl_node_begin(scope, op, options->name ? options->name : name);
  sl_node_attr_type_list(node, "component_types", dtypes, count);
  if (options->shapes) sl_node_attr_shape_list(node, "shapes", options->shapes, count);
  sl_node_attr_int(node, "capacity", capacity);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return node;
}

TF_Output sl_fifo_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes, size_t count,
                             const sl_queue_options_t *given) {
  SLI_READ_OPTIONS(sl_queue_options_t, options, given);
  TF_Output queue = {0};
  if (!check_shapes(scope, options.shapes, count, false)) return queue;
  // Of the three only this one is made on the CPU and before everything else, as in Python.
  SL_BLOCK(sli_scope_enter_init(scope)) {
    SL_DEVICE (scope, "/device:CPU:*") {
      queue = sl_node_output(queue_begin(scope, "FIFOQueueV2", "fifo_queue", capacity, dtypes, count, &options));
    }
  }
  return queue;
}

TF_Output sl_padding_fifo_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes, size_t count,
                                     const sl_queue_options_t *given) {
  SLI_READ_OPTIONS(sl_queue_options_t, options, given);
  if (!options.shapes)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Shapes must be provided for all components of a padding queue");
  if (!check_shapes(scope, options.shapes, count, true)) return (TF_Output){0};
  return sl_node_output(
      queue_begin(scope, "PaddingFIFOQueueV2", "padding_fifo_queue", capacity, dtypes, count, &options));
}

TF_Output sl_random_shuffle_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes, size_t count,
                                       const sl_queue_options_t *given) {
  SLI_READ_OPTIONS(sl_queue_options_t, options, given);
  if (!check_shapes(scope, options.shapes, count, false)) return (TF_Output){0};
  sl_node_t *node =
      queue_begin(scope, "RandomShuffleQueueV2", "random_shuffle_queue", capacity, dtypes, count, &options);
  sl_node_attr_int(node, "min_after_dequeue", options.min_after_dequeue);
  sli_node_seeds(scope, node, options.seed);
  return sl_node_output(node);
}

// --- Working on it ---

// "QUEUE_SUFFIX", new.
static char *usual_name(TF_Output queue, const char *suffix) {
  const char *whole = queue.oper ? TF_OperationName(queue.oper) : "queue";
  const char *slash = strrchr(whole, '/');
  return sli_format("%s_%s", slash ? slash + 1 : whole, suffix);
}

// A node |name|, or "QUEUE_SUFFIX", with the queue as its first input.
static sl_node_t *queue_node(sl_scope_t *scope, TF_Output queue, const char *op, const char *suffix, const char *name) {
  char *usual = usual_name(queue, suffix);
  sl_node_t *node = sl_node_begin(scope, op, name ? name : usual);
  sl_node_input(node, queue);
  free(usual);
  return node;
}

static TF_Operation *enqueue(sl_scope_t *scope, TF_Output queue, sl_outputs_t components, const char *op,
                             const char *suffix, const sl_op_options_t *options) {
  sl_node_t *node = queue_node(scope, queue, op, suffix, options ? options->name : NULL);
  sl_node_input_list(node, components.items, components.count);
  return sl_node_finish(node);
}

TF_Operation *sl_queue_enqueue_with(sl_scope_t *scope, TF_Output queue, sl_outputs_t components,
                                    const sl_op_options_t *options) {
  return enqueue(scope, queue, components, "QueueEnqueueV2", "enqueue", options);
}

TF_Operation *sl_queue_enqueue_many_with(sl_scope_t *scope, TF_Output queue, sl_outputs_t components,
                                         const sl_op_options_t *options) {
  return enqueue(scope, queue, components, "QueueEnqueueManyV2", "EnqueueMany", options);
}

// The types of the queue's components; their number, 0 with an error of the scope.
static size_t components_of(sl_scope_t *scope, TF_Output queue, TF_DataType *out_dtypes) {
  if (!queue.oper) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the queue to dequeue from is empty");
    return 0;
  }
  TF_Status *status = TF_NewStatus();
  TF_AttrMetadata metadata = TF_OperationGetAttrMetadata(queue.oper, "component_types", status);
  if (TF_GetCode(status) == TF_OK)
    TF_OperationGetAttrTypeList(queue.oper, "component_types", out_dtypes, MOST_COMPONENTS, status);
  if (!sli_scope_check_tf(scope, status, TF_OperationName(queue.oper))) return 0;
  return (size_t)metadata.list_size;
}

// Tells the graph the shapes of |operation|'s outputs: those of the queue's elements, behind |rows| (-1: unknown) if it
// |stacks| several. A queue that does not know them leaves them unknown.
static void set_shapes(sl_scope_t *scope, TF_Output queue, TF_Operation *operation, bool stacks, int64_t rows) {
  int64_t *dims[MOST_COMPONENTS];
  int ranks[MOST_COMPONENTS];
  TF_Status *status = TF_NewStatus();
  TF_AttrMetadata metadata = TF_OperationGetAttrMetadata(queue.oper, "shapes", status);
  size_t size = TF_GetCode(status) == TF_OK ? (size_t)metadata.total_size : 0;
  int64_t *storage = sli_calloc(size, sizeof(*storage));
  if (TF_GetCode(status) == TF_OK)
    TF_OperationGetAttrShapeList(queue.oper, "shapes", dims, ranks, MOST_COMPONENTS, storage, (int)size, status);
  for (int i = 0; i < metadata.list_size && TF_GetCode(status) == TF_OK; i++) {
    if (ranks[i] < 0 || ranks[i] + stacks > SL_MAX_RANK) continue;
    sl_shape_t shape = {.rank = ranks[i] + stacks, .dims = {rows}};
    for (int j = 0; j < ranks[i]; j++) shape.dims[j + stacks] = dims[i][j];
    TF_GraphSetTensorShape(scope->graph, (TF_Output){operation, i}, shape.dims, shape.rank, status);
  }
  free(storage);
  sli_scope_check_tf(scope, status, TF_OperationName(operation));
}

// |n| 0: no number.
static sl_outputs_t dequeue(sl_scope_t *scope, TF_Output queue, int32_t n, bool exactly, const char *op,
                            const char *suffix, const sl_op_options_t *options) {
  TF_DataType dtypes[MOST_COMPONENTS];
  size_t count = components_of(scope, queue, dtypes);
  if (!count) return (sl_outputs_t){0, nothing};
  const char *name = options ? options->name : NULL;
  char *usual = usual_name(queue, suffix);
  TF_Operation *operation = NULL;
  SL_NAME_SCOPE (scope, "%s", name ? name : usual) {
    char *own = sli_scope_own_name(scope);
    TF_Output number = {0};
    if (n) number = sli_constant_fill(scope, TF_INT32, SL_SHAPE(), n, "n");
    sl_node_t *node = sl_node_begin(scope, op, own);
    sl_node_input(node, queue);
    if (n) sl_node_input(node, number);
    sl_node_attr_type_list(node, "component_types", dtypes, count);
    operation = sl_node_finish(node);
    free(own);
  }
  free(usual);
  if (!operation) return (sl_outputs_t){count, nothing};
  set_shapes(scope, queue, operation, n != 0, exactly ? n : -1);
  TF_Output outputs[MOST_COMPONENTS];
  for (size_t i = 0; i < count; i++) outputs[i] = (TF_Output){operation, (int)i};
  return sli_scope_outputs(scope, outputs, count);
}

sl_outputs_t sl_queue_dequeue_with(sl_scope_t *scope, TF_Output queue, const sl_op_options_t *options) {
  return dequeue(scope, queue, 0, true, "QueueDequeueV2", "Dequeue", options);
}

static bool check_batch(sl_scope_t *scope, int32_t n) {
  if (n <= 0) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "a batch has at least one element, not %d", n);
  return n > 0;
}

sl_outputs_t sl_queue_dequeue_many_with(sl_scope_t *scope, TF_Output queue, int32_t n, const sl_op_options_t *options) {
  if (!check_batch(scope, n)) return (sl_outputs_t){0, nothing};
  return dequeue(scope, queue, n, true, "QueueDequeueManyV2", "DequeueMany", options);
}

sl_outputs_t sl_queue_dequeue_up_to_with(sl_scope_t *scope, TF_Output queue, int32_t n,
                                         const sl_op_options_t *options) {
  if (!check_batch(scope, n)) return (sl_outputs_t){0, nothing};
  return dequeue(scope, queue, n, false, "QueueDequeueUpToV2", "DequeueUpTo", options);
}

TF_Operation *sl_queue_close(sl_scope_t *scope, TF_Output queue, bool cancel_pending_enqueues) {
  sl_node_t *node = queue_node(scope, queue, "QueueCloseV2", "Close", NULL);
  sl_node_attr_bool(node, "cancel_pending_enqueues", cancel_pending_enqueues);
  return sl_node_finish(node);
}

TF_Output sl_queue_size(sl_scope_t *scope, TF_Output queue) {
  return sl_node_output(queue_node(scope, queue, "QueueSizeV2", "Size", NULL));
}
