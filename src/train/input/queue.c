// The nodes of queues. The types and shapes of the components are read from the
// attributes of the queue's node, so that a program needs only its handle.
#include "sluice/queue.h"

#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"

enum { MOST_COMPONENTS = 256 };

// The result of a dequeue that was not built: an empty output for each component that a program may use.
static const TF_Output empty_outputs[MOST_COMPONENTS];

// --- Creating queues ---

static bool check_shapes(sl_scope_t *scope, const sl_shape_t *shapes, size_t count, bool pads) {
  for (size_t i = 0; shapes && i < count; i++) {
    bool good = pads ? shapes[i].rank >= 0 : sli_tf_shape_elements(shapes[i]) >= 0;
    if (good) continue;
    char *shape = sli_tf_shape_format(shapes[i]);
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
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "a queue must have 1 to %d components, got %zu", MOST_COMPONENTS, count);
  sl_node_t *node = sl_node_begin(scope, op, options->name ? options->name : name);
  sl_node_attr_type_list(node, "component_types", dtypes, count);
  if (options->shapes) sl_node_attr_shape_list(node, "shapes", options->shapes, count);
  sl_node_attr_int(node, "capacity", capacity);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return node;
}

TF_Output sl_fifo_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes, size_t count,
                             const sl_queue_options_t *given) {
  SLI_CALL_OPTIONS(sl_queue_options_t, options, given);
  TF_Output queue = {0};
  if (!check_shapes(scope, options.shapes, count, false)) return queue;
  // As in Python, only this one of the three is placed on the CPU and ignores control dependencies.
  SL_BLOCK(sli_scope_enter_no_control(scope)) {
    SL_DEVICE (scope, "/device:CPU:*") {
      queue = sl_node_output(queue_begin(scope, "FIFOQueueV2", "fifo_queue", capacity, dtypes, count, &options));
    }
  }
  return queue;
}

TF_Output sl_padding_fifo_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes, size_t count,
                                     const sl_queue_options_t *given) {
  SLI_CALL_OPTIONS(sl_queue_options_t, options, given);
  if (!options.shapes)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Shapes must be provided for all components of a padding queue");
  if (!check_shapes(scope, options.shapes, count, true)) return (TF_Output){0};
  return sl_node_output(
      queue_begin(scope, "PaddingFIFOQueueV2", "padding_fifo_queue", capacity, dtypes, count, &options));
}

TF_Output sl_random_shuffle_queue_with(sl_scope_t *scope, int64_t capacity, const TF_DataType *dtypes, size_t count,
                                       const sl_queue_options_t *given) {
  SLI_CALL_OPTIONS(sl_queue_options_t, options, given);
  if (!check_shapes(scope, options.shapes, count, false)) return (TF_Output){0};
  sl_node_t *node =
      queue_begin(scope, "RandomShuffleQueueV2", "random_shuffle_queue", capacity, dtypes, count, &options);
  sl_node_attr_int(node, "min_after_dequeue", options.min_after_dequeue);
  sli_build_seeds(scope, node, options.seed);
  return sl_node_output(node);
}

// --- Using queues ---

// "QUEUE_SUFFIX". New.
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

// Writes the shapes of the queue's elements and returns their number; 0 if it has none.
static size_t read_shapes(TF_Output queue, sl_shape_t *out_shapes) {
  int64_t *dims[MOST_COMPONENTS];
  int ranks[MOST_COMPONENTS];
  TF_Status *status = TF_NewStatus();
  TF_AttrMetadata metadata = TF_OperationGetAttrMetadata(queue.oper, "shapes", status);
  bool any = TF_GetCode(status) == TF_OK && metadata.list_size > 0 && metadata.list_size <= MOST_COMPONENTS;
  size_t size = any && metadata.total_size > 0 ? (size_t)metadata.total_size : 0;
  int64_t *storage = sli_calloc(size, sizeof(*storage));
  if (any) TF_OperationGetAttrShapeList(queue.oper, "shapes", dims, ranks, MOST_COMPONENTS, storage, (int)size, status);
  size_t count = any && TF_GetCode(status) == TF_OK ? (size_t)metadata.list_size : 0;
  for (size_t i = 0; i < count; i++) {
    out_shapes[i] = SL_UNKNOWN_SHAPE;
    if (ranks[i] < 0 || ranks[i] > SL_MAX_RANK) continue;
    out_shapes[i].rank = ranks[i];
    for (int j = 0; j < ranks[i]; j++) out_shapes[i].dims[j] = dims[i][j];
  }
  free(storage);
  TF_DeleteStatus(status);
  return count;
}

// Writes the types of the queue's components and returns their number; 0 if its node does not tell.
static size_t read_types(TF_Output queue, TF_DataType *out_dtypes) {
  TF_Status *status = TF_NewStatus();
  TF_AttrMetadata metadata = TF_OperationGetAttrMetadata(queue.oper, "component_types", status);
  bool known = TF_GetCode(status) == TF_OK && metadata.list_size <= MOST_COMPONENTS;
  if (known) TF_OperationGetAttrTypeList(queue.oper, "component_types", out_dtypes, MOST_COMPONENTS, status);
  known = known && TF_GetCode(status) == TF_OK;
  TF_DeleteStatus(status);
  return known ? (size_t)metadata.list_size : 0;
}

// As Python: sets an error in the scope unless type and shape of |component|, or of its rows, are the queue's.
static void check_component(sl_scope_t *scope, TF_Output component, size_t position, TF_DataType dtype,
                            sl_shape_t wanted, bool rows) {
  if (!component.oper || !sli_scope_ok(scope)) return;
  if (sl_dtype(component) != dtype) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "component_%zu: Tensor conversion requested dtype %s for Tensor with dtype %s: '%s:%d'", position,
                  sli_tf_type_name(dtype), sli_tf_type_name(sl_dtype(component)), TF_OperationName(component.oper),
                  component.index);
    return;
  }
  sl_shape_t shape = sl_static_shape(scope, component);
  if (rows && shape.rank == 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "component_%zu: Shape () must have rank at least 1", position);
  if (rows && shape.rank > 0) {
    shape.rank--;
    for (int i = 0; i < shape.rank; i++) shape.dims[i] = shape.dims[i + 1];
  }
  sli_build_check_shapes(scope, shape, wanted);
}

// As Python: sets an error in the scope if two components are known to have different numbers of rows.
static void check_rows(sl_scope_t *scope, sl_outputs_t components) {
  int64_t rows = -1;
  for (size_t i = 0; i < components.count && sli_scope_ok(scope); i++) {
    if (!components.items[i].oper) continue;
    sl_shape_t shape = sl_static_shape(scope, components.items[i]);
    int64_t own = shape.rank > 0 ? shape.dims[0] : -1;
    if (own >= 0 && rows >= 0 && own != rows)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Dimensions %lld and %lld are not compatible", (long long)rows,
                    (long long)own);
    if (own >= 0) rows = own;
  }
}

static void check_components(sl_scope_t *scope, TF_Output queue, sl_outputs_t components, bool rows) {
  TF_DataType dtypes[MOST_COMPONENTS];
  sl_shape_t shapes[MOST_COMPONENTS];
  size_t count = queue.oper ? read_types(queue, dtypes) : 0, shape_count = count ? read_shapes(queue, shapes) : 0;
  if (count && components.count != count)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "an element of queue '%s' has %zu components, got %zu",
                  TF_OperationName(queue.oper), count, components.count);
  for (size_t i = 0; i < count && i < components.count; i++)
    check_component(scope, components.items[i], i, dtypes[i], i < shape_count ? shapes[i] : SL_UNKNOWN_SHAPE, rows);
  if (rows) check_rows(scope, components);
}

static TF_Operation *build_enqueue(sl_scope_t *scope, TF_Output queue, sl_outputs_t components, const char *op,
                                   const char *suffix, const sl_op_options_t *options) {
  check_components(scope, queue, components, strcmp(op, "QueueEnqueueManyV2") == 0);
  sl_node_t *node = queue_node(scope, queue, op, suffix, options ? options->name : NULL);
  sl_node_input_list(node, components.items, components.count);
  return sl_node_finish(node);
}

TF_Operation *sl_queue_enqueue_with(sl_scope_t *scope, TF_Output queue, sl_outputs_t components,
                                    const sl_op_options_t *options) {
  return build_enqueue(scope, queue, components, "QueueEnqueueV2", "enqueue", options);
}

TF_Operation *sl_queue_enqueue_many_with(sl_scope_t *scope, TF_Output queue, sl_outputs_t components,
                                         const sl_op_options_t *options) {
  return build_enqueue(scope, queue, components, "QueueEnqueueManyV2", "EnqueueMany", options);
}

// Writes the types of the queue's components and returns their number; 0 after an error, which the scope has.
static size_t components_of(sl_scope_t *scope, TF_Output queue, TF_DataType *out_dtypes) {
  if (!queue.oper) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the queue to dequeue from must not be empty");
    return 0;
  }
  TF_Status *status = TF_NewStatus();
  TF_AttrMetadata metadata = TF_OperationGetAttrMetadata(queue.oper, "component_types", status);
  if (TF_GetCode(status) == TF_OK)
    TF_OperationGetAttrTypeList(queue.oper, "component_types", out_dtypes, MOST_COMPONENTS, status);
  if (!sli_scope_check_tf(scope, status, TF_OperationName(queue.oper))) return 0;
  return (size_t)metadata.list_size;
}

// Sets the shapes of |operation|'s outputs: those of the queue's elements, with |rows| (-1: unknown) as a first
// dimension if it |stacks| several. They stay unknown if the queue has no shapes.
static void set_shapes(sl_scope_t *scope, TF_Output queue, TF_Operation *operation, bool stacks, int64_t rows) {
  sl_shape_t shapes[MOST_COMPONENTS];
  size_t count = read_shapes(queue, shapes);
  for (size_t i = 0; i < count; i++) {
    if (shapes[i].rank < 0 || shapes[i].rank + stacks > SL_MAX_RANK) continue;
    sl_shape_t shape = {.rank = shapes[i].rank + stacks, .dims = {rows}};
    for (int j = 0; j < shapes[i].rank; j++) shape.dims[j + stacks] = shapes[i].dims[j];
    sli_build_set_shape(scope, (TF_Output){operation, (int)i}, shape);
  }
}

// |n| 0: dequeues one element.
static sl_outputs_t build_dequeue(sl_scope_t *scope, TF_Output queue, int32_t n, bool exactly, const char *op,
                                  const char *suffix, const sl_op_options_t *options) {
  TF_DataType dtypes[MOST_COMPONENTS];
  size_t count = components_of(scope, queue, dtypes);
  if (!count) return (sl_outputs_t){0, empty_outputs};
  const char *name = options ? options->name : NULL;
  char *usual = usual_name(queue, suffix);
  TF_Operation *operation = NULL;
  SL_NAME_SCOPE (scope, "%s", name ? name : usual) {
    char *own = sli_build_scope_node_name(scope);
    TF_Output number = {0};
    if (n) number = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), n, "n");
    sl_node_t *node = sl_node_begin(scope, op, own);
    sl_node_input(node, queue);
    if (n) sl_node_input(node, number);
    sl_node_attr_type_list(node, "component_types", dtypes, count);
    operation = sl_node_finish(node);
    free(own);
  }
  free(usual);
  if (!operation) return (sl_outputs_t){count, empty_outputs};
  set_shapes(scope, queue, operation, n != 0, exactly ? n : -1);
  TF_Output outputs[MOST_COMPONENTS];
  for (size_t i = 0; i < count; i++) outputs[i] = (TF_Output){operation, (int)i};
  return sli_scope_copy_outputs(scope, outputs, count);
}

sl_outputs_t sl_queue_dequeue_with(sl_scope_t *scope, TF_Output queue, const sl_op_options_t *options) {
  return build_dequeue(scope, queue, 0, true, "QueueDequeueV2", "Dequeue", options);
}

static bool check_batch(sl_scope_t *scope, int32_t n) {
  if (n < 1) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "dequeue: n must be at least 1, got %d", n);
  return n > 0;
}

sl_outputs_t sl_queue_dequeue_many_with(sl_scope_t *scope, TF_Output queue, int32_t n, const sl_op_options_t *options) {
  if (!check_batch(scope, n)) return (sl_outputs_t){0, empty_outputs};
  return build_dequeue(scope, queue, n, true, "QueueDequeueManyV2", "DequeueMany", options);
}

sl_outputs_t sl_queue_dequeue_up_to_with(sl_scope_t *scope, TF_Output queue, int32_t n,
                                         const sl_op_options_t *options) {
  if (!check_batch(scope, n)) return (sl_outputs_t){0, empty_outputs};
  return build_dequeue(scope, queue, n, false, "QueueDequeueUpToV2", "DequeueUpTo", options);
}

TF_Operation *sl_queue_close_with(sl_scope_t *scope, TF_Output queue, bool cancel_pending_enqueues) {
  sl_node_t *node = queue_node(scope, queue, "QueueCloseV2", "Close", NULL);
  sl_node_attr_bool(node, "cancel_pending_enqueues", cancel_pending_enqueues);
  return sl_node_finish(node);
}

TF_Output sl_queue_size_with(sl_scope_t *scope, TF_Output queue) {
  return sl_node_output(queue_node(scope, queue, "QueueSizeV2", "Size", NULL));
}
