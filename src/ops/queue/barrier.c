// Barriers collect elements by key. The components of an element are inserted one at a time and in any order. An
// element with all its components is ready; ready elements are taken in the order in which their keys were first
// inserted.
//
// The ready elements are stored in a priority queue. Its rules for waiting, closing and small batches are also the
// barrier's rules.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "core/op/shape_inference.h"
#include "ops/common/named_resource.h"
#include "ops/queue/queue_internal.h"

typedef struct {
  int64_t index;  // number of the insert that first had this key
  int missing;    // number of missing components
  sli_tensor_t *components[];
} incomplete_t;

typedef struct {
  sli_object_t base;
  char *name;
  int component_count;
  sli_dtype_t *types;  // of the components
  sli_queue_t *ready;  // tuples of index, key, components
  sli_mutex_t mutex;   // locked before the queue's
  // Guarded by |mutex|:
  sli_map_t incomplete;  // key → incomplete_t *
  int64_t next_index;
  bool is_closed, is_cancelled;
} barrier_t;

static void incomplete_release(incomplete_t *element, int component_count) {
  for (int i = 0; i < component_count; i++) sli_tensor_release(element->components[i]);
  free(element);
}

static void clear_incomplete(barrier_t *barrier) {
  SLI_MAP_FOR_EACH (&barrier->incomplete, entry) incomplete_release(entry->value, barrier->component_count);
  sli_map_deinitialize(&barrier->incomplete);
}

static void barrier_destroy(sli_object_t *object) {
  barrier_t *barrier = (barrier_t *)object;
  clear_incomplete(barrier);
  sli_object_release(barrier->ready);
  sli_mutex_deinitialize(&barrier->mutex);
  free(barrier->types);
  free(barrier->name);
  free(barrier);
}

static const sli_object_type_t barrier_type = {"Barrier", barrier_destroy};

// --- Making -------------------------------------------------------------------------------------

// The shape of a component. As in TensorFlow, an unknown one is that of a scalar.
static sli_shape_t component_shape(const sli_attr_t *shapes, size_t index) {
  sli_shape_t shape = shapes->list.shape[index];
  return shape.rank < 0 ? SLI_SHAPE_SCALAR : shape;
}

static sli_status_t *check_barrier_shapes(const sli_attr_t *types, const sli_attr_t *shapes) {
  if (types->count != shapes->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "All of the component shapes must be specified");
  for (size_t i = 0; i < shapes->count; i++) {
    sli_shape_t shape = component_shape(shapes, i);
    if (!sli_shape_is_fully_known(shape))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Shape %s is not fully defined", sli_shape_text(shape).text);
    if (shape.rank > 0 && shape.dims[0] == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Empty tensors are not supported, but received shape '%s'",
                             sli_shape_text(shape).text);
  }
  return NULL;
}

static sli_status_t *make_barrier(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  const sli_attr_t *types, *shapes;
  int64_t capacity;
  *out_object = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "component_types", SLI_ATTR_TYPE, &types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "shapes", SLI_ATTR_SHAPE, &shapes));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "capacity", &capacity));
  SLI_RETURN_IF_ERROR(check_barrier_shapes(types, shapes));
  if (capacity >= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Barrier only accepts capacity=-1.");
  size_t count = types->count;
  sli_dtype_t *all_types = sli_calloc(count + 2, sizeof(*all_types));
  sli_shape_t *all_shapes = sli_calloc(count + 2, sizeof(*all_shapes));
  all_types[0] = SLI_DTYPE_INT64;
  all_types[1] = SLI_DTYPE_STRING;
  for (size_t i = 0; i < count; i++) {
    all_types[i + 2] = types->list.type[i];
    all_shapes[i + 2] = component_shape(shapes, i);
  }
  sli_queue_spec_t spec = {.kind = SLI_QUEUE_PRIORITY,
                           .capacity = INT32_MAX,
                           .component_count = (int)count + 2,
                           .types = all_types,
                           .shapes = all_shapes};
  barrier_t *barrier = sli_calloc(1, sizeof(*barrier));
  sli_object_initialize(&barrier->base, &barrier_type);
  sli_mutex_initialize(&barrier->mutex);
  barrier->name = sli_strndup(name.data, name.size);
  barrier->component_count = (int)count;
  barrier->types = sli_memdup(types->list.type, count * sizeof(*barrier->types));
  barrier->next_index = INT64_MIN;
  char *queue_name = sli_format("%s_queue", barrier->name);
  barrier->ready = sli_queue_create(&spec, sli_view(queue_name));
  free(queue_name);
  free(all_types);
  free(all_shapes);
  *out_object = barrier;
  return NULL;
}

static sli_status_t *match_barrier(const sli_node_def_t *node, void *object) {
  const barrier_t *barrier = object;
  const sli_attr_t *types, *shapes;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "component_types", SLI_ATTR_TYPE, &types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "shapes", SLI_ATTR_SHAPE, &shapes));
  bool same_types = types->count == (size_t)barrier->component_count, same_shapes = shapes->count == types->count;
  for (size_t i = 0; same_types && i < types->count; i++) same_types = types->list.type[i] == barrier->types[i];
  for (size_t i = 0; same_types && same_shapes && i < types->count; i++)
    same_shapes = sli_shape_equal(component_shape(shapes, i), sli_queue_spec(barrier->ready)->shapes[i + 2]);
  if (same_types && same_shapes) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Shared barrier '%s' has other component %s than '%s' asks for",
                         barrier->name, same_types ? "shapes" : "types", node->name);
}

static const sli_named_resource_type_t barrier_named_type = {&barrier_type, make_barrier, match_barrier, true};

static sli_status_t *barrier_create(const sli_kernel_setup_t *setup, void **out_state) {
  return sli_named_resource_create(setup, &barrier_named_type, out_state);
}

static sli_status_t *find_barrier(sli_kernel_context_t *context, barrier_t **out_barrier) {
  return sli_named_resource_find(context, 0, &barrier_type, (void **)out_barrier);
}

static void ignore_done(void *user, sli_status_t *status, sli_tensor_t **components) { sli_status_release(status); }

// Closes the queue of ready elements once the barrier is closed and no incomplete element is left.
static void close_if_done_locked(barrier_t *barrier) {
  if (barrier->is_closed && barrier->incomplete.count == 0 && !sli_queue_is_closed(barrier->ready))
    sli_queue_close(barrier->ready, barrier->is_cancelled, ignore_done, NULL);
}

// --- Inserting ------------------------------------------------------------------------------------

// Moves a complete element to the queue, which is unbounded.
static void make_ready_locked(barrier_t *barrier, sli_view_t key, incomplete_t *element) {
  int count = barrier->component_count;
  sli_tensor_t **tuple = sli_malloc((size_t)(count + 2) * sizeof(*tuple));
  tuple[0] = sli_tensor_scalar_int64(element->index);
  tuple[1] = sli_tensor_scalar_string(key);
  for (int i = 0; i < count; i++) tuple[i + 2] = element->components[i];
  sli_queue_enqueue(barrier->ready, NULL, tuple, false, ignore_done, NULL);
  sli_tensor_release(tuple[0]);
  sli_tensor_release(tuple[1]);
  free(tuple);
}

static sli_status_t *insert_locked(barrier_t *barrier, sli_view_t key, int component, sli_tensor_t *value,
                                   bool *is_new) {
  incomplete_t *element = sli_map_get(&barrier->incomplete, key);
  if (!element) {
    if (barrier->is_closed)
      return sli_status_make(SLI_CANCELLED,
                             "Barrier %s is closed, but attempted to insert a brand new key: %.*s. Pending inserts "
                             "cannot add new keys to a closed barrier.",
                             barrier->name, SLI_VIEW_ARG(key));
    size_t count = (size_t)barrier->component_count;
    element = sli_calloc(1, sizeof(*element) + count * sizeof(element->components[0]));
    element->index = barrier->next_index;
    element->missing = barrier->component_count;
    sli_map_set(&barrier->incomplete, key, element);
    *is_new = true;
  }
  if (element->components[component])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Key %.*s already has a value for component %d in barrier %s",
                           SLI_VIEW_ARG(key), component, barrier->name);
  element->components[component] = sli_tensor_retain(value);
  if (--element->missing > 0) return NULL;
  make_ready_locked(barrier, key, element);
  sli_map_remove(&barrier->incomplete, key);
  incomplete_release(element, barrier->component_count);
  return NULL;
}

static sli_status_t *check_insert(const barrier_t *barrier, const sli_tensor_t *keys, const sli_tensor_t *values,
                                  int64_t component) {
  if (component < 0 || component >= barrier->component_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The component ID is out of range %lld > num_components (= %d)",
                           (long long)component, barrier->component_count);
  if (values->dtype != barrier->types[component])
    return sli_status_make(SLI_INVALID_ARGUMENT, "The type of the component is %s, not %s",
                           sli_dtype_name(barrier->types[component]), sli_dtype_name(values->dtype));
  if (keys->rank != 1 || values->rank == 0 || keys->count != values->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Tensor shape mismatch: keys %s and values %s must have the same first dimension",
                           sli_tensor_shape_text(keys).text, sli_tensor_shape_text(values).text);
  if (keys->count && !values->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tensors with no elements are not supported %s: received shape %s",
                           barrier->name, sli_tensor_shape_text(values).text);
  if (!keys->count) return NULL;
  sli_shape_t wanted = sli_queue_spec(barrier->ready)->shapes[component + 2];
  sli_shape_t row = {values->rank - 1, values->dims + 1};
  if (!sli_shape_equal(wanted, row))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape mismatch in component %lld: expected %s, got %s",
                           (long long)component, sli_shape_text(wanted).text, sli_shape_text(row).text);
  return NULL;
}

static sli_status_t *insert_rows(barrier_t *barrier, const sli_tensor_t *keys, const sli_tensor_t *values,
                                 int component) {
  sli_status_t *status = NULL;
  bool is_new = false;
  sli_mutex_lock(&barrier->mutex);
  if (barrier->is_cancelled || (barrier->is_closed && keys->count && !barrier->incomplete.count))
    status = sli_status_make(SLI_CANCELLED,
                             "Barrier %s is closed.  Pending enqueues cancelled: %d.  Number of new insertions: %lld.  "
                             "Number of incomplete keys: %zu.",
                             barrier->name, barrier->is_cancelled, (long long)keys->count, barrier->incomplete.count);
  for (int64_t i = 0; i < keys->count && !status; i++) {
    sli_tensor_t *row;
    status = sli_queue_copy_row(values, i, &row);
    if (status) break;
    status = insert_locked(barrier, sli_tstring_view(&SLI_DATA(sli_tstring_t, keys)[i]), component, row, &is_new);
    sli_tensor_release(row);
  }
  if (is_new) barrier->next_index++;
  close_if_done_locked(barrier);
  sli_mutex_unlock(&barrier->mutex);
  return status;
}

static sli_status_t *insert_compute(sli_kernel_context_t *context) {
  barrier_t *barrier;
  int64_t component;
  const sli_tensor_t *keys = sli_kernel_input(context, 1), *values = sli_kernel_input(context, 2);
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "component_index", &component));
  SLI_RETURN_IF_ERROR(find_barrier(context, &barrier));
  sli_status_t *status = check_insert(barrier, keys, values, component);
  if (!status) status = insert_rows(barrier, keys, values, (int)component);
  sli_object_release(barrier);
  return status;
}

// --- Taking -----------------------------------------------------------------------------------------

static void barrier_take_done(void *user, sli_status_t *status, sli_tensor_t **components) {
  sli_kernel_context_t *context = user;
  for (int i = 0; components && i < context->output_count; i++) sli_kernel_set_output(context, i, components[i]);
  sli_kernel_complete(context, status);
}

static sli_status_t *check_take(const sli_kernel_context_t *context, const barrier_t *barrier, int64_t *out_count,
                                bool *out_allow_fewer) {
  int64_t timeout;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "timeout_ms", &timeout));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "allow_small_batch", out_allow_fewer));
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 1, "num_elements", out_count));
  if (timeout != -1) return sli_status_make(SLI_INVALID_ARGUMENT, "Timeout not supported yet.");
  if (*out_count < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "num_elements must not be negative, got %lld", (long long)*out_count);
  bool is_same = context->output_count == barrier->component_count + 2;
  for (int i = 0; is_same && i < barrier->component_count; i++)
    is_same = context->node->output_types[i + 2] == barrier->types[i];
  return is_same ? NULL
                 : sli_status_make(SLI_INVALID_ARGUMENT, "Signature mismatch: barrier %s has other components",
                                   barrier->name);
}

// A closed barrier gives what is ready, and what may still become ready unless a small batch will do. Sets how many to
// take; OUT_OF_RANGE if there can never be enough.
static sli_status_t *check_available(barrier_t *barrier, bool allow_fewer, int64_t *count) {
  sli_status_t *status = NULL;
  sli_mutex_lock(&barrier->mutex);
  if (barrier->is_closed) {
    int64_t available = sli_queue_size(barrier->ready);
    if (allow_fewer)
      *count = *count < available ? *count : available;
    else
      available += (int64_t)barrier->incomplete.count;
    if (available < (*count > 1 ? *count : 1))
      status = sli_status_make(SLI_OUT_OF_RANGE,
                               "Barrier '%s' is closed and has insufficient elements (requested %lld, total size %lld)",
                               barrier->name, (long long)*count, (long long)available);
  }
  sli_mutex_unlock(&barrier->mutex);
  return status;
}

static void barrier_take_compute(sli_kernel_context_t *context) {
  barrier_t *barrier = NULL;
  int64_t count;
  bool allow_fewer;
  sli_status_t *status = find_barrier(context, &barrier);
  if (!status) status = check_take(context, barrier, &count, &allow_fewer);
  if (!status) status = check_available(barrier, allow_fewer, &count);
  if (status)
    sli_kernel_complete(context, status);
  else
    sli_queue_dequeue(barrier->ready, context->step->cancellation, count, allow_fewer, barrier_take_done, context);
  sli_object_release(barrier);
}

// --- The rest ------------------------------------------------------------------------------------------

static sli_status_t *barrier_close_compute(sli_kernel_context_t *context) {
  barrier_t *barrier;
  bool cancel_pending;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "cancel_pending_enqueues", &cancel_pending));
  SLI_RETURN_IF_ERROR(find_barrier(context, &barrier));
  sli_status_t *status = NULL;
  sli_mutex_lock(&barrier->mutex);
  if (barrier->is_closed && (barrier->is_cancelled || !cancel_pending)) {
    status = sli_status_make(SLI_CANCELLED, "Barrier '%s' is already closed.", barrier->name);
  } else {
    barrier->is_closed = true;
    barrier->is_cancelled = cancel_pending;
    if (cancel_pending) clear_incomplete(barrier);
    close_if_done_locked(barrier);
  }
  sli_mutex_unlock(&barrier->mutex);
  sli_object_release(barrier);
  return status;
}

static sli_status_t *ready_size_compute(sli_kernel_context_t *context) {
  barrier_t *barrier;
  SLI_RETURN_IF_ERROR(find_barrier(context, &barrier));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int32((int32_t)sli_queue_size(barrier->ready)));
  sli_object_release(barrier);
  return NULL;
}

static sli_status_t *incomplete_size_compute(sli_kernel_context_t *context) {
  barrier_t *barrier;
  SLI_RETURN_IF_ERROR(find_barrier(context, &barrier));
  sli_mutex_lock(&barrier->mutex);
  int32_t size = (int32_t)barrier->incomplete.count;
  sli_mutex_unlock(&barrier->mutex);
  sli_object_release(barrier);
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int32(size));
  return NULL;
}

static sli_status_t *barrier_handle_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){2}));
  return NULL;
}

static sli_status_t *check_handle(sli_infer_context_t *c) {
  sli_shape_t unused;
  return sli_infer_merge(c, sli_infer_input(c, 0), SLI_SHAPE(2), &unused);
}

static sli_status_t *insert_shape(sli_infer_context_t *c) {
  sli_shape_t keys, values;
  int64_t unused;
  SLI_RETURN_IF_ERROR(check_handle(c));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &keys));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 2), 1, &values));
  return sli_infer_merge_dims(sli_infer_dim(keys, 0), values.rank > 0 ? values.dims[0] : -1, &unused);
}

static sli_status_t *size_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_handle(c));
  return sli_infer_fn_scalar(c);
}

static const sli_op_def_t ops[] = {
    {
        .name = "Barrier",
        .outputs = "handle: Ref(string)",
        .attrs = "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: "
                 "string = ''; shared_name: string = ''",
        .summary = "A barrier, which collects elements by key until all their components are inserted.",
        .shape = barrier_handle_shape,
        .is_stateful = true,
    },
    {
        .name = "BarrierInsertMany",
        .inputs = "handle: Ref(string), keys: string, values: T",
        .attrs = "T: type; component_index: int",
        .summary = "Inserts one component of the elements with the given keys.",
        .shape = insert_shape,
        .keeps_inputs = true,
    },
    {
        .name = "BarrierTakeMany",
        .inputs = "handle: Ref(string), num_elements: int32",
        .outputs = "indices: int64, keys: string, values: component_types",
        .attrs = "component_types: list(type) >= 1; allow_small_batch: bool = false; wait_for_incomplete: bool = "
                 "false; timeout_ms: int = -1",
        .summary = "Takes complete elements from a barrier.",
        .shape = sli_infer_fn_unknown,
    },
    {
        .name = "BarrierClose",
        .inputs = "handle: Ref(string)",
        .attrs = "cancel_pending_enqueues: bool = false",
        .summary = "Closes a barrier.",
        .shape = check_handle,
    },
    {
        .name = "BarrierReadySize",
        .inputs = "handle: Ref(string)",
        .outputs = "size: int32",
        .summary = "The number of complete elements in a barrier.",
        .shape = size_shape,
    },
    {
        .name = "BarrierIncompleteSize",
        .inputs = "handle: Ref(string)",
        .outputs = "size: int32",
        .summary = "The number of incomplete elements in a barrier.",
        .shape = size_shape,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Barrier",
     .host_memory = "handle",
     .compute = sli_named_resource_compute,
     .create = barrier_create,
     .destroy = sli_named_resource_destroy},
    {.op = "BarrierInsertMany", .types = SLI_TYPES_COMMON, .host_memory = "handle, keys", .compute = insert_compute},
    {.op = "BarrierTakeMany", .host_memory = "handle, num_elements", .compute_async = barrier_take_compute},
    {.op = "BarrierClose", .host_memory = "handle", .compute = barrier_close_compute},
    {.op = "BarrierReadySize", .host_memory = "handle, size", .compute = ready_size_compute},
    {.op = "BarrierIncompleteSize", .host_memory = "handle, size", .compute = incomplete_size_compute},
};
SLI_OP_MODULE(barrier);
