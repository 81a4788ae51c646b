// The queue ops: those that create a queue of one of the four kinds, and those that work on any queue. The old ops pass
// the handle as a reference to a string tensor, the V2 ops as a resource.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/shape_inference.h"
#include "ops/common/named_resource.h"
#include "ops/queue/queue.h"

// --- Creating a queue -------------------------------------------------------------------

// The queue that a node requests. |arena| owns the arrays of |spec|.
typedef struct {
  sli_queue_spec_t spec;
  sli_arena_t arena;
} queue_request_t;

static void append_types(sli_string_t *text, const sli_dtype_t *types, int count) {
  for (int i = 0; i < count; i++) sli_string_append_format(text, "%s%s", i ? ", " : "", sli_dtype_name(types[i]));
}

static void append_shapes(sli_string_t *text, const sli_shape_t *shapes, size_t count) {
  sli_string_append_char(text, '[');
  for (size_t i = 0; i < count; i++) {
    if (i) sli_string_append_text(text, ", ");
    sli_shape_append(text, shapes[i]);
  }
  sli_string_append_char(text, ']');
}

static sli_status_t *check_shapes(const sli_queue_spec_t *spec, size_t shape_count) {
  bool pads = spec->kind == SLI_QUEUE_PADDING;
  if (pads && shape_count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Shapes must be provided for all components, but received %d dtypes and 0 shapes.",
                           spec->component_count);
  for (size_t i = 0; i < shape_count; i++) {
    if (pads && spec->shapes[i].rank < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "shape %s must have known rank.",
                             sli_shape_text(spec->shapes[i]).text);
    if (!pads && !sli_shape_is_fully_known(spec->shapes[i]))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Shape %s is not fully defined",
                             sli_shape_text(spec->shapes[i]).text);
  }
  if (shape_count == 0 || shape_count == (size_t)spec->component_count) return NULL;
  sli_string_t types = {0}, shapes = {0};
  append_types(&types, spec->types, spec->component_count);
  append_shapes(&shapes, spec->shapes, shape_count);
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "Different number of component types.  Types: %s, Shapes: %s",
                      sli_string_text(&types), sli_string_text(&shapes));
  sli_string_deinitialize(&types);
  sli_string_deinitialize(&shapes);
  return status;
}

// Reads the types and shapes of the components. A priority queue has an additional first component: the priority.
static sli_status_t *read_components(const sli_node_def_t *node, queue_request_t *request) {
  sli_queue_spec_t *spec = &request->spec;
  const sli_attr_t *types, *shapes;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "component_types", SLI_ATTR_TYPE, &types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "shapes", SLI_ATTR_SHAPE, &shapes));
  size_t extra = spec->kind == SLI_QUEUE_PRIORITY;
  sli_dtype_t *all_types = sli_arena_calloc(&request->arena, types->count + extra + 1, sizeof(*all_types));
  sli_shape_t *all_shapes = sli_arena_calloc(&request->arena, shapes->count + extra + 1, sizeof(*all_shapes));
  all_types[0] = SLI_DTYPE_INT64;
  for (size_t i = 0; i < types->count; i++) all_types[i + extra] = types->list.type[i];
  for (size_t i = 0; i < shapes->count; i++) all_shapes[i + extra] = shapes->list.shape[i];
  spec->component_count = (int)(types->count + extra);
  spec->types = all_types;
  spec->shapes = all_shapes;
  SLI_RETURN_IF_ERROR(check_shapes(spec, shapes->count ? shapes->count + extra : 0));
  if (shapes->count == 0) spec->shapes = NULL;
  return NULL;
}

static sli_status_t *read_queue_request(const sli_node_def_t *node, sli_queue_kind_t kind, queue_request_t *request) {
  sli_queue_spec_t *spec = &request->spec;
  spec->kind = kind;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "capacity", &spec->capacity));
  if (spec->capacity < 0) spec->capacity = INT32_MAX;
  SLI_RETURN_IF_ERROR(read_components(node, request));
  if (spec->kind != SLI_QUEUE_SHUFFLE) return NULL;
  int64_t seed, seed2;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "min_after_dequeue", &spec->min_after_dequeue));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "seed", &seed));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "seed2", &seed2));
  spec->seed = (uint64_t)seed;
  spec->seed2 = (uint64_t)seed2;
  if (spec->min_after_dequeue < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "min_after_dequeue %lld must be >= 0",
                           (long long)spec->min_after_dequeue);
  if (spec->min_after_dequeue >= spec->capacity)
    return sli_status_make(SLI_INVALID_ARGUMENT, "min_after_dequeue %lld must be < capacity %lld",
                           (long long)spec->min_after_dequeue, (long long)spec->capacity);
  return NULL;
}

static sli_status_t *make_queue(const sli_node_def_t *node, sli_queue_kind_t kind, sli_view_t name, void **out_object) {
  queue_request_t request = {0};
  sli_status_t *status = read_queue_request(node, kind, &request);
  *out_object = status ? NULL : sli_queue_create(&request.spec, name);
  sli_arena_deinitialize(&request.arena);
  return status;
}

static bool have_same_shapes(const sli_queue_spec_t *a, const sli_queue_spec_t *b) {
  if (!a->shapes || !b->shapes) return a->shapes == b->shapes;
  for (int i = 0; i < a->component_count; i++) {
    if (!sli_shape_equal(a->shapes[i], b->shapes[i])) return false;
  }
  return true;
}

static sli_status_t *components_differ(const char *name, const char *what, sli_string_t *have, sli_string_t *wanted) {
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "Shared queue '%s' has component %s %s but requested component %s were %s",
                      name, what, sli_string_text(have), what, sli_string_text(wanted));
  sli_string_deinitialize(have);
  sli_string_deinitialize(wanted);
  return status;
}

static sli_status_t *match_spec(const sli_node_def_t *node, sli_queue_t *queue, const sli_queue_spec_t *wanted) {
  const sli_queue_spec_t *have = sli_queue_spec(queue);
  const char *name = sli_queue_name(queue);
  sli_string_t a = {0}, b = {0};
  if (have->kind != wanted->kind)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected %s, found %s", sli_queue_kind_name(have->kind),
                           node->op->def->name);
  if (have->capacity != wanted->capacity)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shared queue '%s' has capacity %lld but requested capacity was %lld",
                           name, (long long)have->capacity, (long long)wanted->capacity);
  if (have->component_count != wanted->component_count ||
      memcmp(have->types, wanted->types, (size_t)have->component_count * sizeof(*have->types)) != 0) {
    append_types(&a, have->types, have->component_count);
    append_types(&b, wanted->types, wanted->component_count);
    return components_differ(name, "types", &a, &b);
  }
  if (!have_same_shapes(have, wanted)) {
    append_shapes(&a, have->shapes, have->shapes ? (size_t)have->component_count : 0);
    append_shapes(&b, wanted->shapes, wanted->shapes ? (size_t)wanted->component_count : 0);
    return components_differ(name, "shapes", &a, &b);
  }
  if (have->min_after_dequeue != wanted->min_after_dequeue)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Shared queue '%s' has min_after_dequeue %lld but requested min_after_dequeue was %lld.",
                           name, (long long)have->min_after_dequeue, (long long)wanted->min_after_dequeue);
  bool wants_seeds = wanted->seed || wanted->seed2;
  if (wants_seeds && (have->seed != wanted->seed || have->seed2 != wanted->seed2))
    return sli_status_make(
        SLI_INVALID_ARGUMENT, "Shared queue '%s' has random seeds (%lld, %lld) but requested seeds are (%lld, %lld).",
        name, (long long)have->seed, (long long)have->seed2, (long long)wanted->seed, (long long)wanted->seed2);
  return NULL;
}

static sli_status_t *match_queue(const sli_node_def_t *node, sli_queue_kind_t kind, void *object) {
  queue_request_t request = {0};
  sli_status_t *status = read_queue_request(node, kind, &request);
  if (!status) status = match_spec(node, object, &request.spec);
  sli_arena_deinitialize(&request.arena);
  return status;
}

// Defines |name|_create for the kernel rows of the ops that make a queue of |kind|.
#define QUEUE_CREATE(name, kind)                                                                           \
  static sli_status_t *name##_make(const sli_node_def_t *node, sli_view_t queue_name, void **out_object) { \
    return make_queue(node, kind, queue_name, out_object);                                                 \
  }                                                                                                        \
  static sli_status_t *name##_match(const sli_node_def_t *node, void *object) {                            \
    return match_queue(node, kind, object);                                                                \
  }                                                                                                        \
  static sli_status_t *name##_create(const sli_kernel_setup_t *setup, void **out_state) {                  \
    static const sli_named_resource_type_t type = {&sli_queue_type, name##_make, name##_match, true};      \
    return sli_named_resource_create(setup, &type, out_state);                                             \
  }

QUEUE_CREATE(fifo, SLI_QUEUE_FIFO)
QUEUE_CREATE(shuffle, SLI_QUEUE_SHUFFLE)
QUEUE_CREATE(padding, SLI_QUEUE_PADDING)
QUEUE_CREATE(priority, SLI_QUEUE_PRIORITY)

static sli_status_t *old_handle_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){2}));
  return NULL;
}

// --- Using a queue ------------------------------------------------------------------

static sli_status_t *no_timeout(const sli_kernel_setup_t *setup, void **out_state) {
  *out_state = NULL;
  int64_t timeout;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "timeout_ms", &timeout));
  return timeout == -1 ? NULL : sli_status_make(SLI_INVALID_ARGUMENT, "Timeout not supported yet.");
}

static bool types_equal(const sli_dtype_t *have, const sli_dtype_t *wanted, int count) {
  for (int i = 0; i < count; i++) {
    if (have[i] != wanted[i]) return false;
  }
  return true;
}

// Compares the types of the components (inputs of an enqueue, outputs of a dequeue) with those of the queue.
static sli_status_t *match_signature(const sli_node_def_t *node, const sli_queue_spec_t *spec, bool is_enqueue) {
  int count = is_enqueue ? node->input_count - 1 : node->output_count;
  const sli_dtype_t *types = is_enqueue ? node->input_types + 1 : node->output_types;
  if (count == spec->component_count && types_equal(types, spec->types, count)) return NULL;
  sli_string_t have = {0}, wanted = {0};
  append_types(&have, node->input_types, node->input_count);
  append_types(&wanted, node->input_types, is_enqueue ? 1 : node->input_count);
  if (is_enqueue) {
    sli_string_append_text(&wanted, ", ");
    append_types(&wanted, spec->types, spec->component_count);
  }
  sli_string_append_text(&have, "->");
  sli_string_append_text(&wanted, "->");
  append_types(&have, node->output_types, node->output_count);
  if (!is_enqueue) append_types(&wanted, spec->types, spec->component_count);
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Signature mismatch, have: %s expected: %s",
                                         sli_string_text(&have), sli_string_text(&wanted));
  sli_string_deinitialize(&have);
  sli_string_deinitialize(&wanted);
  return status;
}

static sli_status_t *find_queue(sli_kernel_context_t *context, sli_queue_t **out_queue) {
  return sli_named_resource_find(context, 0, &sli_queue_type, (void **)out_queue);
}

static void call_done(void *user, sli_status_t *status, sli_tensor_t **components) {
  sli_kernel_context_t *context = user;
  for (int i = 0; components && i < context->output_count; i++) sli_kernel_set_output(context, i, components[i]);
  sli_kernel_complete(context, status);
}

static void enqueue(sli_kernel_context_t *context, bool many) {
  sli_queue_t *queue;
  sli_status_t *status = find_queue(context, &queue);
  if (!status) status = match_signature(context->node, sli_queue_spec(queue), true);
  if (status) {
    sli_object_release(queue);
    sli_kernel_complete(context, status);
    return;
  }
  SLI_ARRAY(sli_tensor_t *) components = {0};
  for (int i = 1; i < context->input_count; i++) sli_array_push(&components, sli_kernel_input(context, i));
  sli_queue_enqueue(queue, context->step->cancellation, components.items, many, call_done, context);
  sli_array_deinitialize(&components);
  sli_object_release(queue);
}

static void enqueue_one_compute(sli_kernel_context_t *context) { enqueue(context, false); }
static void enqueue_many_compute(sli_kernel_context_t *context) { enqueue(context, true); }

static void dequeue(sli_kernel_context_t *context, int64_t count, bool allow_fewer) {
  sli_queue_t *queue;
  sli_status_t *status = find_queue(context, &queue);
  if (!status) status = match_signature(context->node, sli_queue_spec(queue), false);
  if (status)
    sli_kernel_complete(context, status);
  else
    sli_queue_dequeue(queue, context->step->cancellation, count, allow_fewer, call_done, context);
  sli_object_release(queue);
}

static void dequeue_counted(sli_kernel_context_t *context, const char *name, bool allow_fewer) {
  const sli_tensor_t *n = sli_kernel_input(context, 1);
  int64_t count = n->count == 1 ? SLI_DATA(int32_t, n)[0] : -1;
  if (count < 0) {
    sli_kernel_complete(
        context,
        n->count != 1
            ? sli_status_make(SLI_INVALID_ARGUMENT, "n must be a scalar, got shape %s", sli_tensor_shape_text(n).text)
            : sli_status_make(SLI_INVALID_ARGUMENT, "%s requested %lld < 0 elements", name, (long long)count));
    return;
  }
  dequeue(context, count, allow_fewer);
}

static void dequeue_one_compute(sli_kernel_context_t *context) { dequeue(context, -1, false); }
static void dequeue_many_compute(sli_kernel_context_t *context) { dequeue_counted(context, "DequeueManyOp", false); }
static void dequeue_up_to_compute(sli_kernel_context_t *context) { dequeue_counted(context, "DequeueUpToOp", true); }

static void close_compute(sli_kernel_context_t *context) {
  bool cancel_pending;
  sli_queue_t *queue = NULL;
  sli_status_t *status = sli_node_attr_bool(context->node, "cancel_pending_enqueues", &cancel_pending);
  if (!status) status = find_queue(context, &queue);
  if (status)
    sli_kernel_complete(context, status);
  else
    sli_queue_close(queue, cancel_pending, call_done, context);
  sli_object_release(queue);
}

static sli_status_t *size_compute(sli_kernel_context_t *context) {
  sli_queue_t *queue;
  SLI_RETURN_IF_ERROR(find_queue(context, &queue));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int32((int32_t)sli_queue_size(queue)));
  sli_object_release(queue);
  return NULL;
}

static sli_status_t *is_closed_compute(sli_kernel_context_t *context) {
  sli_queue_t *queue;
  SLI_RETURN_IF_ERROR(find_queue(context, &queue));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_bool(sli_queue_is_closed(queue)));
  sli_object_release(queue);
  return NULL;
}

// The graph does not know the component types of a queue, so only the count can be checked.
static sli_status_t *dequeue_many_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &unused));
  const sli_tensor_t *n = sli_infer_input_constant(c, 1);
  if (n && n->count == 1 && SLI_DATA(int32_t, n)[0] < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input 'n' must be >= 0, but is %d", SLI_DATA(int32_t, n)[0]);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "FIFOQueue",
        .outputs = "handle: Ref(string)",
        .attrs = "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: "
                 "string = ''; shared_name: string = ''",
        .summary = "A first-in first-out queue.",
        .shape = old_handle_shape,
        .is_stateful = true,
    },
    {
        .name = "FIFOQueueV2",
        .outputs = "handle: resource",
        .attrs = "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: "
                 "string = ''; shared_name: string = ''",
        .summary = "A first-in first-out queue.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "RandomShuffleQueue",
        .outputs = "handle: Ref(string)",
        .attrs = "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; "
                 "min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0; container: string = ''; shared_name: "
                 "string = ''",
        .summary = "A queue that returns elements in random order.",
        .shape = old_handle_shape,
        .is_stateful = true,
    },
    {
        .name = "RandomShuffleQueueV2",
        .outputs = "handle: resource",
        .attrs = "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; "
                 "min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0; container: string = ''; shared_name: "
                 "string = ''",
        .summary = "A queue that returns elements in random order.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "PaddingFIFOQueue",
        .outputs = "handle: Ref(string)",
        .attrs = "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: "
                 "string = ''; shared_name: string = ''",
        .summary = "A first-in first-out queue that pads elements of different shapes when it batches them.",
        .shape = old_handle_shape,
        .is_stateful = true,
    },
    {
        .name = "PaddingFIFOQueueV2",
        .outputs = "handle: resource",
        .attrs = "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: "
                 "string = ''; shared_name: string = ''",
        .summary = "A first-in first-out queue that pads elements of different shapes when it batches them.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "PriorityQueue",
        .outputs = "handle: Ref(string)",
        .attrs = "component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; capacity: int = -1; container: "
                 "string = ''; shared_name: string = ''",
        .summary = "A queue that returns the element with the lowest priority value first.",
        .shape = old_handle_shape,
        .is_stateful = true,
    },
    {
        .name = "PriorityQueueV2",
        .outputs = "handle: resource",
        .attrs = "component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; capacity: int = -1; container: "
                 "string = ''; shared_name: string = ''",
        .summary = "A queue that returns the element with the lowest priority value first.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "QueueEnqueue",
        .inputs = "handle: Ref(string), components: Tcomponents",
        .attrs = "Tcomponents: list(type) >= 1; timeout_ms: int = -1",
        .summary = "Enqueues one tuple of tensors.",
        .shape = sli_infer_fn_none,
        .not_differentiable = true,
        .keeps_inputs = true,
    },
    {
        .name = "QueueEnqueueV2",
        .inputs = "handle: resource, components: Tcomponents",
        .attrs = "Tcomponents: list(type) >= 1; timeout_ms: int = -1",
        .summary = "Enqueues one tuple of tensors.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "QueueEnqueueMany",
        .inputs = "handle: Ref(string), components: Tcomponents",
        .attrs = "Tcomponents: list(type) >= 1; timeout_ms: int = -1",
        .summary = "Enqueues one tuple for each row of the components.",
        .shape = sli_infer_fn_none,
        .not_differentiable = true,
        .keeps_inputs = true,
    },
    {
        .name = "QueueEnqueueManyV2",
        .inputs = "handle: resource, components: Tcomponents",
        .attrs = "Tcomponents: list(type) >= 1; timeout_ms: int = -1",
        .summary = "Enqueues one tuple for each row of the components.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "QueueDequeue",
        .inputs = "handle: Ref(string)",
        .outputs = "components: component_types",
        .attrs = "component_types: list(type) >= 1; timeout_ms: int = -1",
        .summary = "Dequeues one tuple of tensors.",
        .shape = sli_infer_fn_unknown,
        .not_differentiable = true,
    },
    {
        .name = "QueueDequeueV2",
        .inputs = "handle: resource",
        .outputs = "components: component_types",
        .attrs = "component_types: list(type) >= 1; timeout_ms: int = -1",
        .summary = "Dequeues one tuple of tensors.",
        .shape = sli_infer_fn_unknown,
        .is_stateful = true,
    },
    {
        .name = "QueueDequeueMany",
        .inputs = "handle: Ref(string), n: int32",
        .outputs = "components: component_types",
        .attrs = "component_types: list(type) >= 1; timeout_ms: int = -1",
        .summary = "Dequeues n tuples and stacks them into batches.",
        .shape = dequeue_many_shape,
        .not_differentiable = true,
    },
    {
        .name = "QueueDequeueManyV2",
        .inputs = "handle: resource, n: int32",
        .outputs = "components: component_types",
        .attrs = "component_types: list(type) >= 1; timeout_ms: int = -1",
        .summary = "Dequeues n tuples and stacks them into batches.",
        .shape = dequeue_many_shape,
        .is_stateful = true,
    },
    {
        .name = "QueueDequeueUpTo",
        .inputs = "handle: Ref(string), n: int32",
        .outputs = "components: component_types",
        .attrs = "component_types: list(type) >= 1; timeout_ms: int = -1",
        .summary = "Dequeues n tuples, or fewer if the queue is closed, and stacks them into batches.",
        .shape = dequeue_many_shape,
        .not_differentiable = true,
    },
    {
        .name = "QueueDequeueUpToV2",
        .inputs = "handle: resource, n: int32",
        .outputs = "components: component_types",
        .attrs = "component_types: list(type) >= 1; timeout_ms: int = -1",
        .summary = "Dequeues n tuples, or fewer if the queue is closed, and stacks them into batches.",
        .shape = dequeue_many_shape,
        .is_stateful = true,
    },
    {
        .name = "QueueClose",
        .inputs = "handle: Ref(string)",
        .attrs = "cancel_pending_enqueues: bool = false",
        .summary = "Closes a queue.",
        .shape = sli_infer_fn_none,
        .not_differentiable = true,
    },
    {
        .name = "QueueCloseV2",
        .inputs = "handle: resource",
        .attrs = "cancel_pending_enqueues: bool = false",
        .summary = "Closes a queue.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
    },
    {
        .name = "QueueIsClosed",
        .inputs = "handle: Ref(string)",
        .outputs = "is_closed: bool",
        .summary = "Whether a queue is closed.",
        .shape = sli_infer_fn_scalar,
    },
    {
        .name = "QueueIsClosedV2",
        .inputs = "handle: resource",
        .outputs = "is_closed: bool",
        .summary = "Whether a queue is closed.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "QueueSize",
        .inputs = "handle: Ref(string)",
        .outputs = "size: int32",
        .summary = "The number of elements in a queue.",
        .shape = sli_infer_fn_scalar,
        .not_differentiable = true,
    },
    {
        .name = "QueueSizeV2",
        .inputs = "handle: resource",
        .outputs = "size: int32",
        .summary = "The number of elements in a queue.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
};
static const sli_kernel_def_t kernels[] = {
    {.op = "FIFOQueue",
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = fifo_create,
     .destroy = sli_named_resource_destroy},
    {.op = "FIFOQueueV2",
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = fifo_create,
     .destroy = sli_named_resource_destroy},
    {.op = "RandomShuffleQueue",
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = shuffle_create,
     .destroy = sli_named_resource_destroy},
    {.op = "RandomShuffleQueueV2",
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = shuffle_create,
     .destroy = sli_named_resource_destroy},
    {.op = "PaddingFIFOQueue",
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = padding_create,
     .destroy = sli_named_resource_destroy},
    {.op = "PaddingFIFOQueueV2",
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = padding_create,
     .destroy = sli_named_resource_destroy},
    {.op = "PriorityQueue",
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = priority_create,
     .destroy = sli_named_resource_destroy},
    {.op = "PriorityQueueV2",
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = priority_create,
     .destroy = sli_named_resource_destroy},
    {.op = "QueueEnqueue", .host_memory = "handle", .compute_async = enqueue_one_compute, .create = no_timeout},
    {.op = "QueueEnqueueV2", .host_memory = "handle", .compute_async = enqueue_one_compute, .create = no_timeout},
    {.op = "QueueEnqueueMany", .host_memory = "handle", .compute_async = enqueue_many_compute, .create = no_timeout},
    {.op = "QueueEnqueueManyV2", .host_memory = "handle", .compute_async = enqueue_many_compute, .create = no_timeout},
    {.op = "QueueDequeue", .host_memory = "handle", .compute_async = dequeue_one_compute, .create = no_timeout},
    {.op = "QueueDequeueV2", .host_memory = "handle", .compute_async = dequeue_one_compute, .create = no_timeout},
    {.op = "QueueDequeueMany", .host_memory = "handle, n", .compute_async = dequeue_many_compute, .create = no_timeout},
    {.op = "QueueDequeueManyV2",
     .host_memory = "handle, n",
     .compute_async = dequeue_many_compute,
     .create = no_timeout},
    {.op = "QueueDequeueUpTo",
     .host_memory = "handle, n",
     .compute_async = dequeue_up_to_compute,
     .create = no_timeout},
    {.op = "QueueDequeueUpToV2",
     .host_memory = "handle, n",
     .compute_async = dequeue_up_to_compute,
     .create = no_timeout},
    {.op = "QueueClose", .host_memory = "handle", .compute_async = close_compute},
    {.op = "QueueCloseV2", .host_memory = "handle", .compute_async = close_compute},
    {.op = "QueueIsClosed", .host_memory = "handle", .compute = is_closed_compute},
    {.op = "QueueIsClosedV2", .host_memory = "handle", .compute = is_closed_compute},
    {.op = "QueueSize", .host_memory = "handle", .compute = size_compute},
    {.op = "QueueSizeV2", .host_memory = "handle", .compute = size_compute},
};
SLI_OP_MODULE(queue_ops);
