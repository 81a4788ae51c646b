// Staging maps: MapStage stores a tuple, or a part of one, under a key; MapUnstage takes what is under a key,
// MapUnstageNoKey what is under any (OrderedMap...: the smallest) key, and MapPeek reads it. They wait, without a
// thread, until a tuple is complete, or until there is room. There is no handle: a map is found by its container and
// shared name (by default the name of the node).
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/shape_inference.h"
#include "ops/common/waiter.h"

typedef struct {
  int64_t key;
  uint64_t number;        // in the order of insertion
  sli_tensor_t **values;  // one for each component; NULL: not there yet, or taken already
} map_entry_t;

// Sorted by key.
typedef SLI_ARRAY(map_entry_t) map_entries_t;

typedef struct {
  sli_object_t base;
  bool is_ordered;
  size_t component_count;
  int64_t capacity, memory_limit;  // 0: unlimited
  sli_mutex_t mutex;
  // Guarded by |mutex|:
  map_entries_t complete, incomplete;
  int64_t bytes;
  uint64_t inserted;
  sli_waiter_list_t waiters;
} stage_map_t;

typedef enum { MAP_PUT, MAP_PEEK, MAP_TAKE, MAP_TAKE_ANY } map_action_t;

// A kernel that waits.
typedef struct {
  sli_waiter_t waiter;
  sli_kernel_context_t *context;
  map_action_t action;
  int64_t key;                  // set when it is served, if any will do
  const sli_tensor_t *indices;  // borrowed from the context
  sli_tensor_t **values;        // of a put: owned until it is served; else what was found
  int value_count;
  int64_t bytes;  // of a put
} map_request_t;

static void release_values(sli_tensor_t **values, size_t count) {
  for (size_t i = 0; i < count; i++) sli_tensor_release(values[i]);
  free(values);
}

static void release_entries(map_entries_t *entries, size_t component_count) {
  for (size_t i = 0; i < entries->count; i++) release_values(entries->items[i].values, component_count);
  sli_array_deinitialize(entries);
}

static void map_destroy(sli_object_t *object) {
  stage_map_t *map = (stage_map_t *)object;
  release_entries(&map->complete, map->component_count);
  release_entries(&map->incomplete, map->component_count);
  sli_mutex_deinitialize(&map->mutex);
  free(map);
}

static const sli_object_type_t map_type = {"StagingMap", map_destroy, NULL, NULL};
static const sli_object_type_t ordered_type = {"OrderedStagingMap", map_destroy, NULL, NULL};

static bool is_ordered_op(const sli_node_def_t *node) { return sli_string_starts_with(node->op->def->name, "Ordered"); }

static sli_status_t *map_create(void *context, void **out_object) {
  const sli_node_def_t *node = context;
  const sli_attr_t *dtypes;
  int64_t capacity, memory_limit;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "dtypes", SLI_ATTR_TYPE, &dtypes));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "capacity", &capacity));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "memory_limit", &memory_limit));
  stage_map_t *map = sli_calloc(1, sizeof(*map));
  map->is_ordered = is_ordered_op(node);
  sli_object_initialize(&map->base, map->is_ordered ? &ordered_type : &map_type);
  sli_mutex_initialize(&map->mutex);
  map->component_count = dtypes->count;
  map->capacity = capacity;
  map->memory_limit = memory_limit;
  *out_object = map;
  return NULL;
}

static sli_status_t *find_map(sli_kernel_context_t *context, stage_map_t **out_map) {
  sli_view_t container, name;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "container", &container));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "shared_name", &name));
  if (name.size == 0) name = sli_view(context->node->name);
  return sli_resource_find_or_create(context->device->resources, container,
                                     is_ordered_op(context->node) ? &ordered_type : &map_type, name, map_create,
                                     (void *)context->node, (void **)out_map);
}

// --- Entries -------------------------------------------------------------------------------

// Where |key| is, or would be.
static size_t position_of(const map_entries_t *entries, int64_t key) {
  size_t low = 0, high = entries->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (entries->items[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static map_entry_t *find_entry(const map_entries_t *entries, int64_t key) {
  size_t at = position_of(entries, key);
  return at < entries->count && entries->items[at].key == key ? &entries->items[at] : NULL;
}

// Inserts an entry; its key must be new.
static void insert_entry(map_entries_t *entries, map_entry_t entry) {
  size_t at = position_of(entries, entry.key);
  sli_array_push(entries, entry);
  memmove(&entries->items[at + 1], &entries->items[at], (entries->count - 1 - at) * sizeof(entry));
  entries->items[at] = entry;
}

static map_entry_t remove_entry(map_entries_t *entries, map_entry_t *entry) {
  map_entry_t removed = *entry;
  size_t at = (size_t)(entry - entries->items);
  entries->count--;
  memmove(entry, entry + 1, (entries->count - at) * sizeof(*entry));
  return removed;
}

static map_entry_t *any_entry_locked(const stage_map_t *map) {
  if (map->complete.count == 0) return NULL;
  map_entry_t *best = &map->complete.items[0];
  for (size_t i = 1; i < map->complete.count && !map->is_ordered; i++)
    if (map->complete.items[i].number < best->number) best = &map->complete.items[i];
  return best;
}

static bool has_all(const stage_map_t *map, const map_entry_t *entry, bool wanted) {
  for (size_t i = 0; i < map->component_count; i++)
    if ((entry->values[i] != NULL) != wanted) return false;
  return true;
}

static sli_status_t *index_error(const stage_map_t *map, int64_t key, int index) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Index '%d' for key '%lld' was out of bounds '%zu'.", index,
                         (long long)key, map->component_count);
}

// --- Serving -------------------------------------------------------------------------------

static bool exceeds_locked(const stage_map_t *map, int64_t bytes) {
  return map->memory_limit > 0 && map->bytes + bytes > map->memory_limit;
}

// Moves the values of a put to |values|, which has room for all components.
static sli_status_t *place_values(const stage_map_t *map, map_request_t *put, sli_tensor_t **values) {
  for (int64_t i = 0; i < put->indices->count; i++) {
    int index = SLI_DATA(int32_t, put->indices)[i];
    if (index < 0 || (size_t)index >= map->component_count) return index_error(map, put->key, index);
    if (values[index])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "The tensor for index '%d' for key '%lld' was already initialized '%zu'.", index,
                             (long long)put->key, map->component_count);
  }
  for (int64_t i = 0; i < put->indices->count; i++) {
    values[SLI_DATA(int32_t, put->indices)[i]] = put->values[i];
    put->values[i] = NULL;
  }
  return NULL;
}

// A tuple under a key that has one already is dropped.
static void put_complete_locked(stage_map_t *map, map_entry_t entry) {
  entry.number = map->inserted++;
  if (find_entry(&map->complete, entry.key)) {
    for (size_t i = 0; i < map->component_count; i++) map->bytes -= (int64_t)sli_tensor_bytes(entry.values[i]);
    release_values(entry.values, map->component_count);
  } else {
    insert_entry(&map->complete, entry);
  }
}

static sli_status_t *put_new_locked(stage_map_t *map, map_request_t *put) {
  map_entry_t entry = {.key = put->key, .values = sli_calloc(map->component_count, sizeof(*entry.values))};
  sli_status_t *status = place_values(map, put, entry.values);
  if (status) {
    free(entry.values);
    return status;
  }
  map->bytes += put->bytes;
  if (has_all(map, &entry, true))
    put_complete_locked(map, entry);
  else
    insert_entry(&map->incomplete, entry);
  return NULL;
}

// Returns false if the put must wait.
static bool serve_put_locked(stage_map_t *map, map_request_t *put, sli_status_t **out_status) {
  bool is_whole = (size_t)put->indices->count == map->component_count;
  if (exceeds_locked(map, put->bytes)) return false;
  if (is_whole && map->capacity > 0 && (int64_t)map->complete.count >= map->capacity) return false;
  map_entry_t *part = is_whole ? NULL : find_entry(&map->incomplete, put->key);
  if (!part) {
    *out_status = put_new_locked(map, put);
    return true;
  }
  *out_status = place_values(map, put, part->values);
  if (*out_status) return true;
  map->bytes += put->bytes;
  if (has_all(map, part, true)) put_complete_locked(map, remove_entry(&map->incomplete, part));
  return true;
}

static sli_status_t *read_values_locked(stage_map_t *map, map_request_t *request, map_entry_t *entry) {
  for (int64_t i = 0; i < request->indices->count; i++) {
    int index = SLI_DATA(int32_t, request->indices)[i];
    if (index < 0 || (size_t)index >= map->component_count) return index_error(map, request->key, index);
    if (!entry->values[index])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor at index '%d' for key '%lld' has already been removed.",
                             index, (long long)request->key);
  }
  request->value_count = (int)request->indices->count;
  request->values = sli_calloc((size_t)request->value_count, sizeof(*request->values));
  for (int i = 0; i < request->value_count; i++) {
    int index = SLI_DATA(int32_t, request->indices)[i];
    request->values[i] = sli_tensor_retain(entry->values[index]);
    if (request->action == MAP_PEEK) continue;
    map->bytes -= (int64_t)sli_tensor_bytes(entry->values[index]);
    sli_tensor_release(entry->values[index]);
    entry->values[index] = NULL;
  }
  if (request->action != MAP_PEEK && has_all(map, entry, false)) {
    map_entry_t removed = remove_entry(&map->complete, entry);
    free(removed.values);
  }
  return NULL;
}

// Returns false if the request must wait.
static bool serve_locked(stage_map_t *map, map_request_t *request, sli_status_t **out_status) {
  *out_status = NULL;
  if (request->action == MAP_PUT) return serve_put_locked(map, request, out_status);
  map_entry_t *entry =
      request->action == MAP_TAKE_ANY ? any_entry_locked(map) : find_entry(&map->complete, request->key);
  if (!entry) return false;
  request->key = entry->key;
  *out_status = read_values_locked(map, request, entry);
  return true;
}

static void advance_map_locked(stage_map_t *map, sli_waiter_list_t *resolved) {
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (map_request_t *request = (map_request_t *)map->waiters.first, *next; request; request = next) {
      sli_status_t *status;
      next = (map_request_t *)request->waiter.next;
      if (!serve_locked(map, request, &status)) continue;
      sli_waiter_resolve_locked(&request->waiter, status, resolved);
      is_changed = true;
    }
  }
}

static void cancelled_locked(sli_waiter_t *waiter, sli_waiter_list_t *resolved) {
  advance_map_locked((stage_map_t *)waiter->object, resolved);
}

// --- Kernels -------------------------------------------------------------------------------

static sli_status_t *set_map_outputs(const map_request_t *request) {
  sli_kernel_context_t *context = request->context;
  int first = request->action == MAP_TAKE_ANY ? 1 : 0;
  if (request->value_count != context->output_count - first)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output/indices size mismatch: %d vs. %d",
                           context->output_count - first, request->value_count);
  if (first) sli_kernel_set_output(context, 0, sli_tensor_scalar_int64(request->key));
  for (int i = 0; i < request->value_count; i++) {
    sli_dtype_t wanted = context->node->output_types[first + i];
    if (request->values[i]->dtype != wanted)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Mismatch stage/unstage: component %d has type %s, not %s", i,
                             sli_dtype_name((sli_dtype_t)request->values[i]->dtype), sli_dtype_name(wanted));
    sli_kernel_set_output(context, first + i, sli_tensor_retain(request->values[i]));
  }
  return NULL;
}

static void map_request_done(sli_waiter_t *waiter, sli_status_t *status) {
  map_request_t *request = (map_request_t *)waiter;
  sli_kernel_context_t *context = request->context;
  if (!status && request->action != MAP_PUT) status = set_map_outputs(request);
  release_values(request->values, (size_t)request->value_count);
  free(request);
  sli_kernel_complete(context, status);
}

static sli_status_t *read_key(sli_kernel_context_t *context, int64_t *out_key) {
  const sli_tensor_t *key = sli_kernel_input(context, 0);
  if (key->count == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "key must not be empty");
  if (key->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "key must be an int64 scalar, got tensor with shape: %s",
                           sli_tensor_shape_text(key).text);
  *out_key = SLI_DATA(int64_t, key)[0];
  return NULL;
}

static sli_status_t *check_order(const sli_tensor_t *indices) {
  if (indices->count == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Indices are empty");
  for (int64_t i = 0; i + 1 < indices->count; i++)
    if (SLI_DATA(int32_t, indices)[i] >= SLI_DATA(int32_t, indices)[i + 1])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Indices are not strictly ordered");
  return NULL;
}

static sli_status_t *take_inputs(map_request_t *put, const stage_map_t *map) {
  int count = put->context->input_count - 2;
  if (put->indices->count != count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "indices has %lld elements, but there are %d values",
                           (long long)put->indices->count, count);
  put->values = sli_calloc((size_t)count + 1, sizeof(*put->values));
  put->value_count = count;
  for (int i = 0; i < count; i++) {
    put->values[i] = sli_tensor_retain(sli_kernel_input(put->context, i + 2));
    put->bytes += (int64_t)sli_tensor_bytes(put->values[i]);
  }
  if (map->memory_limit <= 0 || put->bytes <= map->memory_limit) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED,
                         "Attempted to insert tensors with combined size of '%lld' bytes into Staging Area with a "
                         "memory limit of '%lld'.",
                         (long long)put->bytes, (long long)map->memory_limit);
}

static void submit(stage_map_t *map, map_request_t *request) {
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&map->mutex);
  sli_waiter_append_locked(&request->waiter, &map->waiters);
  advance_map_locked(map, &resolved);
  if (request->waiter.list) sli_waiter_park_locked(&request->waiter, &resolved);
  sli_mutex_unlock(&map->mutex);
  sli_waiter_list_finish(&resolved);
}

static void start(sli_kernel_context_t *context, map_action_t action, const char *cancelled_text) {
  map_request_t *request = sli_calloc(1, sizeof(*request));
  stage_map_t *map = NULL;
  request->context = context;
  request->action = action;
  request->indices = sli_kernel_input(context, action == MAP_TAKE_ANY ? 0 : 1);
  sli_status_t *status = action == MAP_TAKE_ANY ? NULL : read_key(context, &request->key);
  if (!status) status = check_order(request->indices);
  if (!status) status = find_map(context, &map);
  if (!status && action == MAP_PUT) status = take_inputs(request, map);
  if (status) {
    sli_object_release(map);
    release_values(request->values, (size_t)request->value_count);
    free(request);
    sli_kernel_complete(context, status);
    return;
  }
  sli_waiter_initialize(&request->waiter, map, &map->mutex, context->step->cancellation);
  request->waiter.cancelled_locked = cancelled_locked;
  request->waiter.cancelled_text = cancelled_text;
  request->waiter.done = map_request_done;
  submit(map, request);
  sli_object_release(map);
}

static void stage_compute(sli_kernel_context_t *context) {
  start(context, MAP_PUT, "MapStage operation was cancelled");
}
static void peek_compute(sli_kernel_context_t *context) { start(context, MAP_PEEK, "MapPeek operation was cancelled"); }
static void unstage_compute(sli_kernel_context_t *context) {
  start(context, MAP_TAKE, "MapUnstage operation was cancelled");
}
static void unstage_no_key_compute(sli_kernel_context_t *context) {
  start(context, MAP_TAKE_ANY, "MapUnstageNoKey operation was cancelled");
}

static sli_status_t *map_size(sli_kernel_context_t *context, bool is_complete) {
  stage_map_t *map;
  SLI_RETURN_IF_ERROR(find_map(context, &map));
  sli_mutex_lock(&map->mutex);
  size_t size = is_complete ? map->complete.count : map->incomplete.count;
  sli_mutex_unlock(&map->mutex);
  sli_object_release(map);
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int32((int32_t)size));
  return NULL;
}

static sli_status_t *size_compute(sli_kernel_context_t *context) { return map_size(context, true); }
static sli_status_t *incomplete_size_compute(sli_kernel_context_t *context) { return map_size(context, false); }

static sli_status_t *clear_compute(sli_kernel_context_t *context) {
  stage_map_t *map;
  SLI_RETURN_IF_ERROR(find_map(context, &map));
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&map->mutex);
  map_entries_t complete = map->complete, incomplete = map->incomplete;
  map->complete = map->incomplete = (map_entries_t){0};
  map->bytes = 0;
  advance_map_locked(map, &resolved);
  sli_mutex_unlock(&map->mutex);
  sli_waiter_list_finish(&resolved);
  release_entries(&complete, map->component_count);
  release_entries(&incomplete, map->component_count);
  sli_object_release(map);
  return NULL;
}

#define MAP_ATTRS(types)                                                         \
  "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type)" types \
  "; container: string = ''; "                                                   \
  "shared_name: string = ''"

// Rows of the ops of a map; |prefix| is "" or "Ordered".
#define STAGE_ROW(prefix)                                                                                     \
  {                                                                                                           \
    .name = prefix "MapStage", .inputs = "key: int64, indices: int32, values: fake_dtypes",                   \
    .attrs = MAP_ATTRS("; fake_dtypes: list(type) >= 1"),                                                     \
    .summary = "Stores a tuple, or a part of one, under a key of a staging map.", .shape = sli_infer_fn_none, \
    .is_stateful = true, .keeps_inputs = true                                                                 \
  }
#define READ_ROW(op, text)                                                                                        \
  {                                                                                                               \
    .name = op, .inputs = "key: int64, indices: int32", .outputs = "values: dtypes", .attrs = MAP_ATTRS(" >= 1"), \
    .summary = text, .shape = sli_infer_fn_unknown, .is_stateful = true                                           \
  }
#define NO_KEY_ROW(op, text)                                                                                      \
  {                                                                                                               \
    .name = op, .inputs = "indices: int32", .outputs = "key: int64, values: dtypes", .attrs = MAP_ATTRS(" >= 1"), \
    .summary = text, .shape = sli_infer_fn_unknown, .is_stateful = true                                           \
  }
#define SIZE_ROW(op, text)                                                                                       \
  {                                                                                                              \
    .name = op, .outputs = "size: int32", .attrs = MAP_ATTRS(""), .summary = text, .shape = sli_infer_fn_scalar, \
    .is_stateful = true                                                                                          \
  }
#define CLEAR_ROW(op)                                                                        \
  {                                                                                          \
    .name = op, .attrs = MAP_ATTRS(""), .summary = "Removes all tuples from a staging map.", \
    .shape = sli_infer_fn_none, .is_stateful = true                                          \
  }

static const char peek_text[] = "Returns what is under a key of a staging map.";
static const char unstage_text[] = "Removes what is under a key of a staging map and returns it.";
static const char size_text[] = "The number of complete tuples in a staging map.";
static const char incomplete_text[] = "The number of tuples in a staging map that lack components.";

static const sli_op_def_t ops[] = {
    STAGE_ROW(""),
    READ_ROW("MapPeek", peek_text),
    READ_ROW("MapUnstage", unstage_text),
    NO_KEY_ROW("MapUnstageNoKey", "Removes what is under any key of a staging map and returns it."),
    SIZE_ROW("MapSize", size_text),
    SIZE_ROW("MapIncompleteSize", incomplete_text),
    CLEAR_ROW("MapClear"),
    STAGE_ROW("Ordered"),
    READ_ROW("OrderedMapPeek", peek_text),
    READ_ROW("OrderedMapUnstage", unstage_text),
    NO_KEY_ROW("OrderedMapUnstageNoKey", "Removes what is under the smallest key of a staging map and returns it."),
    SIZE_ROW("OrderedMapSize", size_text),
    SIZE_ROW("OrderedMapIncompleteSize", incomplete_text),
    CLEAR_ROW("OrderedMapClear"),
};

#define MAP_KERNELS(prefix)                                                                                     \
  {.op = prefix "MapStage", .host_memory = "key, indices", .compute_async = stage_compute},                     \
      {.op = prefix "MapPeek", .host_memory = "key, indices", .compute_async = peek_compute},                   \
      {.op = prefix "MapUnstage", .host_memory = "key, indices", .compute_async = unstage_compute},             \
      {.op = prefix "MapUnstageNoKey", .host_memory = "key, indices", .compute_async = unstage_no_key_compute}, \
      {.op = prefix "MapSize", .host_memory = "size", .compute = size_compute},                                 \
      {.op = prefix "MapIncompleteSize", .host_memory = "size", .compute = incomplete_size_compute},            \
      {.op = prefix "MapClear", .compute = clear_compute},

static const sli_kernel_def_t kernels[] = {MAP_KERNELS("") MAP_KERNELS("Ordered")};

SLI_OP_MODULE(map_stage);
