#include "dist/store/store_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "core/state/variable.h"
#include "dist/store/store_order.h"

enum {
  LARGE_BYTES = 4096,    // a value of so many bytes is a variable
  LOOK_AHEAD = 8,        // keys for which the memory is fetched in advance
  ENTRY_ALIGNMENT = 16,  // of small values
};

// A value that is a variable.
typedef struct {
  sli_mutex_t mutex;         // of the slots; taken before the variable's
  sli_variable_t *variable;  // NULL: the variable |name| in |container|, looked up each time: a session may replace it
  char *container, *name;
  sli_tensor_t *slots;  // [slot_count, length]; NULL: none
  const char *rule;     // whose slots they are
  uint64_t steps;
} large_t;

typedef struct {
  uint64_t key;
  uint32_t length;  // elements; 0: of a bound key, whatever the variable has
  // Under the shard's mutex, as the values.
  uint32_t steps;
  bool has_value;
  uint8_t slot_room;  // slots that there is memory for
  const char *rule;   // whose slots they are
  large_t *large;     // NULL: small
  _Alignas(ENTRY_ALIGNMENT) char values[];
} entry_t;

typedef struct {
  sli_mutex_t mutex;
  // Under mutex: open addressing; the number of slots is a power of 2.
  entry_t **slots;
  size_t slot_count, count;
  uint64_t moves;    // of entries to other places so far
  char padding[64];  // two shards do not share a line of the cache
} shard_t;

struct sli_store_table {
  char *name;
  sli_dtype_t dtype;
  size_t item_size;
  sli_resource_manager_t *resources;
  sli_thread_pool_t *pool;
  sli_embedding_table_t *rows;     // NULL: values of any length
  sli_updater_cell_t own_updater;  // of values of any length
  shard_t shards[SLI_EMBEDDING_SHARDS];
};

// ---- Tables ----------------------------------------------------------------------

static sli_updater_cell_t *cell_of(sli_store_table_t *table) {
  return table->rows ? &table->rows->updater : &table->own_updater;
}

sli_store_table_t *sli_store_table_create(sli_view_t name, sli_dtype_t dtype, sli_resource_manager_t *resources,
                                          sli_thread_pool_t *pool) {
  sli_store_table_t *table = sli_calloc(1, sizeof(*table));
  table->name = sli_strndup(name.data, name.size);
  table->dtype = dtype;
  table->item_size = sli_dtype_size(dtype);
  table->resources = resources;
  table->pool = pool;
  sli_updater_cell_initialize(&table->own_updater);
  for (int i = 0; i < SLI_EMBEDDING_SHARDS; i++) sli_mutex_initialize(&table->shards[i].mutex);
  return table;
}

static void large_destroy(large_t *large) {
  if (!large) return;
  sli_variable_release(large->variable);
  sli_tensor_release(large->slots);
  sli_mutex_deinitialize(&large->mutex);
  free(large->container);
  free(large->name);
  free(large);
}

void sli_store_table_destroy(sli_store_table_t *table) {
  if (!table) return;
  for (int i = 0; i < SLI_EMBEDDING_SHARDS; i++) {
    shard_t *shard = &table->shards[i];
    for (size_t j = 0; j < shard->slot_count; j++) {
      if (!shard->slots[j]) continue;
      large_destroy(shard->slots[j]->large);
      free(shard->slots[j]);
    }
    free(shard->slots);
    sli_mutex_deinitialize(&shard->mutex);
  }
  sli_object_release(table->rows);
  sli_updater_cell_deinitialize(&table->own_updater);
  free(table->name);
  free(table);
}

sli_dtype_t sli_store_table_dtype(const sli_store_table_t *table) { return table->dtype; }

sli_status_t *sli_store_table_set_updater(sli_store_table_t *table, sli_view_t text) {
  return sli_updater_cell_set(cell_of(table), text, table->dtype);
}

char *sli_store_table_updater(sli_store_table_t *table) {
  sli_updater_shared_t *shared = sli_updater_cell_get(cell_of(table));
  char *text = sli_strdup(shared->text);
  sli_updater_shared_release(shared);
  return text;
}

sli_updater_shared_t *sli_store_table_get_updater(sli_store_table_t *table) {
  return sli_updater_cell_get(cell_of(table));
}

sli_embedding_table_t *sli_store_table_rows(sli_store_table_t *table) { return table->rows; }

typedef struct {
  sli_view_t name;
  sli_embedding_rows_options_t options;
} rows_request_t;

static sli_status_t *create_rows(void *context, void **out_object) {
  const rows_request_t *request = context;
  return sli_embedding_table_create(request->name, &request->options, (sli_embedding_table_t **)out_object);
}

sli_status_t *sli_store_table_set_rows(sli_store_table_t *table, int64_t length, sli_view_t initializer,
                                       uint64_t max_bytes) {
  rows_request_t request = {.name = sli_view(table->name),
                            .options = {.dtype = table->dtype,
                                        .length = length,
                                        .initializer = initializer.size ? initializer : sli_view("zeros"),
                                        .max_bytes = max_bytes}};
  sli_embedding_table_t *rows;
  SLI_RETURN_IF_ERROR(sli_resource_find_or_create(table->resources, sli_view(""), &sli_embedding_table_type,
                                                  request.name, create_rows, &request, (void **)&rows));
  request.options.initializer = initializer;
  request.options.store = sli_embedding_rows_options(rows->rows)->store;
  sli_status_t *status = sli_embedding_table_match(rows, &request.options);
  if (status)
    sli_object_release(rows);
  else
    table->rows = rows;
  return status;
}

sli_status_t *sli_store_table_check_rows(const sli_store_table_t *table, int64_t length, sli_view_t initializer) {
  sli_embedding_rows_options_t known = {0};
  if (table->rows) known = *sli_embedding_rows_options(table->rows->rows);
  if (length && length != known.length)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Table \"%s\" has rows of %lld elements (0: values of any length), not of %lld.",
                           table->name, (long long)known.length, (long long)length);
  if (!initializer.size || sli_view_equal(initializer, known.initializer)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Table \"%s\" has the initializer \"%.*s\", not \"%.*s\".", table->name,
                         SLI_VIEW_ARG(known.initializer), SLI_VIEW_ARG(initializer));
}

size_t sli_store_table_count(sli_store_table_t *table) {
  if (table->rows) return sli_embedding_rows_size(table->rows->rows).rows;
  size_t count = 0;
  for (int i = 0; i < SLI_EMBEDDING_SHARDS; i++) {
    sli_mutex_lock(&table->shards[i].mutex);
    count += table->shards[i].count;
    sli_mutex_unlock(&table->shards[i].mutex);
  }
  return count;
}

// ---- Entries ---------------------------------------------------------------------

static shard_t *shard_of(sli_store_table_t *table, uint64_t hash) { return &table->shards[sli_embedding_shard(hash)]; }

static entry_t *find_locked(const shard_t *shard, uint64_t hash, uint64_t key) {
  if (!shard->slot_count) return NULL;
  size_t mask = shard->slot_count - 1;
  for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask)
    if (!shard->slots[at] || shard->slots[at]->key == key) return shard->slots[at];
}

static void insert_locked(shard_t *shard, entry_t *entry) {
  if (4 * (shard->count + 1) > 3 * shard->slot_count) {
    size_t old_count = shard->slot_count;
    entry_t **old = shard->slots;
    shard->slot_count = old_count ? 2 * old_count : 16;
    shard->slots = sli_calloc(shard->slot_count, sizeof(*shard->slots));
    shard->count = 0;
    for (size_t i = 0; i < old_count; i++)
      if (old[i]) insert_locked(shard, old[i]);
    free(old);
  }
  size_t mask = shard->slot_count - 1, at = (size_t)sli_embedding_hash(entry->key) & mask;
  while (shard->slots[at]) at = (at + 1) & mask;
  shard->slots[at] = entry;
  shard->count++;
}

static large_t *large_create(void) {
  large_t *large = sli_calloc(1, sizeof(*large));
  sli_mutex_initialize(&large->mutex);
  return large;
}

// A key without a value. Returns NULL if there is no memory.
static entry_t *entry_create(const sli_store_table_t *table, uint64_t key, uint32_t length, int slot_count) {
  size_t bytes = (size_t)length * table->item_size;
  bool is_large = bytes >= LARGE_BYTES;
  size_t room = is_large ? 0 : bytes * (size_t)(1 + slot_count);
  entry_t *entry = sli_malloc_or_null(sizeof(*entry) + room);
  if (!entry) return NULL;
  *entry = (entry_t){.key = key, .length = length, .slot_room = is_large ? 0 : (uint8_t)slot_count};
  memset(entry->values, 0, room);
  if (is_large) {
    entry->large = large_create();
    char name[32];
    snprintf(name, sizeof(name), "%llu", (unsigned long long)key);
    entry->large->variable = sli_variable_create(table->dtype, sli_view(name), SLI_SHAPE_UNKNOWN);
  }
  return entry;
}

// A small entry whose rule needs more slots than it has room for gets a new place. Under the shard's mutex.
static entry_t *entry_with_slots_locked(const sli_store_table_t *table, shard_t *shard, entry_t *entry,
                                        const sli_updater_t *updater) {
  if (entry->slot_room >= updater->slot_count) return entry;
  size_t bytes = (size_t)entry->length * table->item_size;
  entry_t *grown = sli_malloc_or_null(sizeof(*grown) + bytes * (size_t)(1 + updater->slot_count));
  if (!grown) return NULL;
  memcpy(grown, entry, sizeof(*grown) + bytes);
  grown->slot_room = (uint8_t)updater->slot_count;
  size_t mask = shard->slot_count - 1, at = (size_t)sli_embedding_hash(entry->key) & mask;
  while (shard->slots[at] != entry) at = (at + 1) & mask;
  shard->slots[at] = grown;
  shard->moves++;
  free(entry);
  return grown;
}

static sli_status_t *no_memory(const sli_store_table_t *table, uint64_t key) {
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory for key %llu of table \"%s\".",
                         (unsigned long long)key, table->name);
}

static sli_status_t *other_length(const sli_store_table_t *table, uint64_t key, int64_t length, uint32_t wanted) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Key %llu of table \"%s\" has %lld elements, the call expects %u.",
                         (unsigned long long)key, table->name, (long long)length, wanted);
}

static sli_status_t *unknown_key(const sli_store_table_t *table, uint64_t key) {
  return sli_status_make(SLI_NOT_FOUND, "Key %llu of table \"%s\" has no value here; push one first.",
                         (unsigned long long)key, table->name);
}

// ---- Large values ----------------------------------------------------------------

static sli_status_t *large_find(const sli_store_table_t *table, const large_t *large, uint64_t key,
                                sli_variable_t **out_variable) {
  if (large->variable) {
    *out_variable = sli_variable_retain(large->variable);
    return NULL;
  }
  sli_status_t *status = sli_resource_find(table->resources, sli_view(large->container), &sli_variable_type,
                                           sli_view(large->name), (void **)out_variable);
  if (!status && (*out_variable)->dtype != table->dtype) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Variable %s is of type %s, table \"%s\" of type %s.", large->name,
                             sli_dtype_name((*out_variable)->dtype), table->name, sli_dtype_name(table->dtype));
    sli_variable_release(*out_variable);
    *out_variable = NULL;
  }
  return sli_status_prefix(status, "Key %llu of table \"%s\": ", (unsigned long long)key, table->name);
}

// The elements of a variable; -1: unknown.
static int64_t variable_length(sli_variable_t *variable) {
  sli_tensor_t *tensor = sli_variable_read(variable);
  int64_t length = tensor ? tensor->count : -1;
  sli_tensor_release(tensor);
  if (length >= 0 || variable->declared.rank < 0) return length;
  length = 1;
  for (int i = 0; i < variable->declared.rank; i++) {
    if (variable->declared.dims[i] < 0) return -1;
    length *= variable->declared.dims[i];
  }
  return length;
}

// A tensor for |length| elements of the variable: of the shape of |now|, or of the one it was declared with.
static sli_status_t *tensor_for(sli_store_table_t *table, sli_variable_t *variable, const sli_tensor_t *now,
                                uint32_t length, sli_tensor_t **out_tensor) {
  int64_t dims[1] = {length};
  sli_shape_t shape = {1, dims};
  if (now)
    shape = sli_tensor_shape(now);
  else if (variable->declared.rank >= 0 && variable_length(variable) == length)
    shape = variable->declared;
  return sli_tensor_create(sli_allocator_cpu(), table->dtype, shape.dims, shape.rank, out_tensor);
}

typedef struct {
  const sli_updater_t *updater;
  sli_dtype_t dtype;
  void *value, *slots;
  int64_t stride;
  const void *from;
  uint64_t step;
} large_work_t;

static void update_range(void *context, int64_t begin, int64_t end) {
  const large_work_t *work = context;
  sli_updater_apply(work->updater, work->dtype, work->value, work->slots, work->stride, work->from, begin, end - begin,
                    work->step);
}

static sli_status_t *prepare_slots(sli_store_table_t *table, large_t *large, uint32_t length,
                                   const sli_updater_t *updater) {
  if (large->rule == updater->name && (large->slots || !updater->slot_count)) return NULL;
  sli_tensor_release(large->slots);
  large->slots = NULL;
  large->steps = 0;
  large->rule = updater->name;
  if (!updater->slot_count) return NULL;
  int64_t dims[] = {updater->slot_count, length};
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), table->dtype, dims, 2, &large->slots));
  sli_updater_fill_slots(updater, table->dtype, large->slots->data, length);
  return NULL;
}

// Gives the variable another tensor: with the values at |from| if it |is_assign|, else with zeros.
static sli_status_t *renew(sli_store_table_t *table, sli_variable_t *variable, const sli_tensor_t *now, uint32_t length,
                           bool is_assign, const char *from) {
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(tensor_for(table, variable, now, length, &tensor));
  if (is_assign)
    memcpy(tensor->data, from, sli_tensor_bytes(tensor));
  else
    memset(tensor->data, 0, sli_tensor_bytes(tensor));
  sli_variable_replace(variable, tensor);
  return NULL;
}

// Both mutexes are held.
static sli_status_t *large_update_locked(sli_store_table_t *table, large_t *large, sli_variable_t *variable,
                                         uint64_t key, uint32_t length, const sli_updater_t *updater,
                                         const char *from) {
  sli_tensor_t *now = sli_variable_read(variable);
  bool is_new = !now, is_rule = sli_updater_has_steps(updater);
  int64_t known = is_new ? length : now->count;
  sli_tensor_release(now);
  if (known != length) return other_length(table, key, known, length);
  bool is_assign = !is_rule && (is_new || updater->operation == SLI_ACCUMULATE_ASSIGN);
  // What is replaced as a whole need not be copied first, if others still read it.
  now = is_assign ? sli_variable_read_shared(variable) : NULL;
  sli_status_t *status = is_new || now ? renew(table, variable, now, length, is_assign, from) : NULL;
  bool is_done = is_assign && (is_new || now);
  sli_tensor_release(now);
  if (status || is_done) return status;
  SLI_RETURN_IF_ERROR(sli_variable_make_private(variable, true));
  if (is_rule) SLI_RETURN_IF_ERROR(prepare_slots(table, large, length, updater));
  sli_tensor_t *tensor = sli_variable_borrow(variable);
  large_work_t work = {.updater = updater,
                       .dtype = table->dtype,
                       .value = tensor->data,
                       .slots = large->slots ? large->slots->data : NULL,
                       .stride = length,
                       .from = from,
                       .step = is_rule ? ++large->steps : 0};
  sli_parallel_for(table->pool, length, is_rule ? 2 : 0.3, update_range, &work);
  sli_variable_return(variable, tensor);
  return NULL;
}

static sli_status_t *large_push(sli_store_table_t *table, large_t *large, uint64_t key, uint32_t length,
                                const sli_updater_t *updater, const char *from) {
  sli_variable_t *variable;
  SLI_RETURN_IF_ERROR(large_find(table, large, key, &variable));
  sli_mutex_lock(&large->mutex);
  sli_mutex_lock(&variable->mutex);
  sli_status_t *status = large_update_locked(table, large, variable, key, length, updater, from);
  sli_mutex_unlock(&variable->mutex);
  sli_mutex_unlock(&large->mutex);
  sli_variable_release(variable);
  return status;
}

// ---- Pushes ----------------------------------------------------------------------

// Where the value of a key is.
typedef struct {
  entry_t *entry;  // may move if |large| is NULL: see shard_t.moves
  large_t *large;
} target_t;

typedef struct {
  sli_store_table_t *table;
  const sli_store_exchange_t *exchange;
  const sli_updater_t *updater;
  sli_store_order_t order;
  target_t *targets;  // by the index of the key
  uint64_t moves[SLI_EMBEDDING_SHARDS];
  bool has_large;
} push_t;

// Starts to load what the keys after |at| will need: first their slots, then the entries that are in these.
static void fetch_ahead_locked(const sli_store_exchange_t *exchange, const sli_store_order_t *order,
                               const shard_t *shard, size_t at, size_t end) {
  size_t mask = shard->slot_count - 1;
  if (!shard->slot_count) return;
  if (at + 2 * LOOK_AHEAD < end) {
    uint64_t key = sli_store_exchange_key(exchange, order->base.keys[at + 2 * LOOK_AHEAD]);
    __builtin_prefetch(&shard->slots[(size_t)sli_embedding_hash(key) & mask]);
  }
  if (at + LOOK_AHEAD < end) {
    uint64_t key = sli_store_exchange_key(exchange, order->base.keys[at + LOOK_AHEAD]);
    __builtin_prefetch(shard->slots[(size_t)sli_embedding_hash(key) & mask]);
  }
}

// Finds or creates the keys of one shard. Returns the index of the first one that has another length, or for which
// there is no memory; the number of keys if there is none.
static size_t open_shard(push_t *push, size_t which) {
  const sli_store_exchange_t *exchange = push->exchange;
  shard_t *shard = &push->table->shards[which];
  size_t end = push->order.base.starts[which + 1], wrong = exchange->count;
  sli_mutex_lock(&shard->mutex);
  for (size_t k = push->order.base.starts[which]; k < end && wrong == exchange->count; k++) {
    fetch_ahead_locked(exchange, &push->order, shard, k, end);
    size_t i = push->order.base.keys[k];
    uint64_t key = sli_store_exchange_key(exchange, i);
    uint32_t length = sli_store_exchange_length(exchange, i);
    entry_t *entry = find_locked(shard, sli_embedding_hash(key), key);
    if (!entry) {
      entry = entry_create(push->table, key, length, push->updater->slot_count);
      if (entry) insert_locked(shard, entry);
    }
    push->targets[i] = (target_t){entry, entry ? entry->large : NULL};
    push->has_large |= push->targets[i].large != NULL;
    if (!entry || (entry->length && entry->length != length)) wrong = i;
  }
  push->moves[which] = shard->moves;
  sli_mutex_unlock(&shard->mutex);
  return wrong;
}

// Checks the lengths of bound keys, which are those of their variables.
static sli_status_t *check_bound(push_t *push) {
  for (size_t i = 0; i < push->exchange->count; i++) {
    const target_t *target = &push->targets[i];
    if (!target->large || target->large->variable) continue;
    uint64_t key = sli_store_exchange_key(push->exchange, i);
    uint32_t length = sli_store_exchange_length(push->exchange, i);
    sli_variable_t *variable;
    SLI_RETURN_IF_ERROR(large_find(push->table, target->large, key, &variable));
    int64_t known = variable_length(variable);
    sli_variable_release(variable);
    if (known >= 0 && known != length) return other_length(push->table, key, known, length);
  }
  return NULL;
}

static sli_status_t *open_keys(push_t *push) {
  size_t wrong = push->exchange->count;
  for (size_t i = 0; i < SLI_EMBEDDING_SHARDS && wrong == push->exchange->count; i++)
    if (push->order.base.starts[i] < push->order.base.starts[i + 1]) wrong = open_shard(push, i);
  if (wrong == push->exchange->count) return push->has_large ? check_bound(push) : NULL;
  uint64_t key = sli_store_exchange_key(push->exchange, wrong), hash = sli_embedding_hash(key);
  if (!push->targets[wrong].entry) return no_memory(push->table, key);
  // The entry may have moved by now, but its length stays.
  shard_t *shard = shard_of(push->table, hash);
  sli_mutex_lock(&shard->mutex);
  int64_t known = find_locked(shard, hash, key)->length;
  sli_mutex_unlock(&shard->mutex);
  return other_length(push->table, key, known, sli_store_exchange_length(push->exchange, wrong));
}

static const char *values_of(const push_t *push, size_t index) {
  return push->exchange->values.data +
         sli_store_order_offset(&push->order, push->exchange, index) * push->table->item_size;
}

// Updates a small value. Returns false if there is no memory.
static bool update_locked(const push_t *push, shard_t *shard, entry_t *entry, const char *from) {
  const sli_store_table_t *table = push->table;
  const sli_updater_t *updater = push->updater;
  entry = entry_with_slots_locked(table, shard, entry, updater);
  if (!entry) return false;
  char *slots = entry->values + (size_t)entry->length * table->item_size;
  if (sli_updater_has_steps(updater) && entry->rule != updater->name) {
    sli_updater_fill_slots(updater, table->dtype, slots, entry->length);
    entry->rule = updater->name;
    entry->steps = 0;
  }
  if (sli_updater_has_steps(updater) && entry->steps < UINT32_MAX) entry->steps++;
  sli_updater_apply(updater, table->dtype, entry->values, slots, entry->length, from, 0, entry->length, entry->steps);
  entry->has_value = true;
  return true;
}

// Updates the small values of one shard. Returns false if there is no memory.
static bool update_shard(push_t *push, size_t which) {
  shard_t *shard = &push->table->shards[which];
  size_t end = push->order.base.starts[which + 1];
  bool ok = true;
  sli_mutex_lock(&shard->mutex);
  for (size_t k = push->order.base.starts[which]; k < end && ok; k++) {
    size_t i = push->order.base.keys[k];
    target_t target = push->targets[i];
    if (k + LOOK_AHEAD < end) __builtin_prefetch(push->targets[push->order.base.keys[k + LOOK_AHEAD]].entry);
    if (target.large) continue;
    if (shard->moves != push->moves[which]) {
      uint64_t key = sli_store_exchange_key(push->exchange, i);
      target.entry = find_locked(shard, sli_embedding_hash(key), key);
    }
    ok = update_locked(push, shard, target.entry, values_of(push, i));
  }
  sli_mutex_unlock(&shard->mutex);
  return ok;
}

static sli_status_t *update_keys(push_t *push) {
  for (size_t i = 0; i < SLI_EMBEDDING_SHARDS; i++)
    if (push->order.base.starts[i] < push->order.base.starts[i + 1] && !update_shard(push, i))
      return no_memory(push->table,
                       sli_store_exchange_key(push->exchange, push->order.base.keys[push->order.base.starts[i]]));
  for (size_t i = 0; i < push->exchange->count && push->has_large; i++)
    if (push->targets[i].large)
      SLI_RETURN_IF_ERROR(large_push(push->table, push->targets[i].large, sli_store_exchange_key(push->exchange, i),
                                     sli_store_exchange_length(push->exchange, i), push->updater, values_of(push, i)));
  return NULL;
}

static sli_status_t *push_all(sli_store_table_t *table, const sli_store_exchange_t *exchange,
                              const sli_updater_t *updater) {
  target_t few[SLI_EMBEDDING_ORDER_FEW];
  push_t push = {.table = table, .exchange = exchange, .updater = updater, .targets = few};
  SLI_RETURN_IF_ERROR(sli_store_order_initialize(&push.order, exchange));
  if (exchange->count > SLI_EMBEDDING_ORDER_FEW)
    push.targets = sli_malloc_or_null(exchange->count * sizeof(*push.targets));
  sli_status_t *status = push.targets ? open_keys(&push) : no_memory(table, sli_store_exchange_key(exchange, 0));
  if (!status) status = update_keys(&push);
  if (push.targets != few) free(push.targets);
  sli_store_order_deinitialize(&push.order);
  return status;
}

// The rows of a table have one length, which the call must know.
static sli_status_t *check_row_lengths(const sli_store_table_t *table, const sli_store_exchange_t *exchange) {
  int64_t known = sli_embedding_rows_options(table->rows->rows)->length;
  for (size_t i = 0; i < (exchange->lengths ? exchange->count : 1); i++) {
    uint32_t length = sli_store_exchange_length(exchange, i);
    if (length != known)
      return sli_status_make(SLI_INVALID_ARGUMENT, "The rows of table \"%s\" have %lld elements, the call expects %u.",
                             table->name, (long long)known, length);
  }
  return NULL;
}

static sli_status_t *push_rows(sli_store_table_t *table, const sli_store_exchange_t *exchange,
                               const sli_updater_t *updater) {
  SLI_RETURN_IF_ERROR(check_row_lengths(table, exchange));
  return sli_status_append(sli_embedding_rows_push(table->rows->rows, table->pool, exchange->keys, exchange->count,
                                                   exchange->values.data, updater),
                           " (table \"%s\")", table->name);
}

static sli_status_t *pull_rows(sli_store_table_t *table, const sli_store_exchange_t *exchange, char *to) {
  SLI_RETURN_IF_ERROR(check_row_lengths(table, exchange));
  return sli_status_append(
      sli_embedding_rows_pull(table->rows->rows, table->pool, exchange->keys, exchange->count, true, to),
      " (table \"%s\")", table->name);
}

sli_status_t *sli_store_table_push(sli_store_table_t *table, const sli_store_exchange_t *exchange) {
  sli_updater_shared_t *shared =
      exchange->update == SLI_STORE_UPDATE_TABLE ? sli_updater_cell_get(cell_of(table)) : NULL;
  const sli_updater_t *updater = shared                                     ? &shared->updater
                                 : exchange->update == SLI_STORE_UPDATE_SUM ? &sli_updater_sum
                                                                            : &sli_updater_assign;
  sli_status_t *status = table->rows ? push_rows(table, exchange, updater) : push_all(table, exchange, updater);
  sli_updater_shared_release(shared);
  return status;
}

// ---- Pulls -----------------------------------------------------------------------

static sli_status_t *large_read(sli_store_table_t *table, const large_t *large, uint64_t key, uint32_t length,
                                sli_tensor_t **out_tensor) {
  sli_variable_t *variable;
  *out_tensor = NULL;
  SLI_RETURN_IF_ERROR(large_find(table, large, key, &variable));
  sli_tensor_t *tensor = sli_variable_read(variable);
  sli_status_t *status = NULL;
  if (!tensor)
    status = large->name ? sli_variable_uninitialized_error(variable) : unknown_key(table, key);
  else if (tensor->count != length)
    status = other_length(table, key, tensor->count, length);
  sli_variable_release(variable);
  if (status) {
    sli_tensor_release(tensor);
    return status;
  }
  *out_tensor = tensor;
  return NULL;
}

// Copies the small values of the keys of one shard to |to|, and notes whether there are large ones. Returns the index
// of the first key that has no value or another length; the number of keys if there is none.
static size_t read_shard(sli_store_table_t *table, const sli_store_exchange_t *exchange, const sli_store_order_t *order,
                         size_t which, char *to, bool *has_large, int64_t *out_known) {
  shard_t *shard = &table->shards[which];
  size_t wrong = exchange->count;
  sli_mutex_lock(&shard->mutex);
  for (size_t k = order->base.starts[which]; k < order->base.starts[which + 1] && wrong == exchange->count; k++) {
    fetch_ahead_locked(exchange, order, shard, k, order->base.starts[which + 1]);
    size_t i = order->base.keys[k];
    uint64_t key = sli_store_exchange_key(exchange, i);
    uint32_t length = sli_store_exchange_length(exchange, i);
    const entry_t *entry = find_locked(shard, sli_embedding_hash(key), key);
    if (entry && entry->large) {
      *has_large = true;
      continue;
    }
    *out_known = entry && entry->has_value ? (int64_t)entry->length : -1;
    if (*out_known == length)
      memcpy(to + sli_store_order_offset(order, exchange, i) * table->item_size, entry->values,
             (size_t)length * table->item_size);
    else
      wrong = i;
  }
  sli_mutex_unlock(&shard->mutex);
  return wrong;
}

static large_t *find_large(sli_store_table_t *table, uint64_t key) {
  uint64_t hash = sli_embedding_hash(key);
  shard_t *shard = shard_of(table, hash);
  sli_mutex_lock(&shard->mutex);
  const entry_t *entry = find_locked(shard, hash, key);
  large_t *large = entry ? entry->large : NULL;
  sli_mutex_unlock(&shard->mutex);
  return large;
}

static sli_status_t *read_all(sli_store_table_t *table, const sli_store_exchange_t *exchange,
                              const sli_store_order_t *order, char *to) {
  bool has_large = false;
  for (size_t i = 0; i < SLI_EMBEDDING_SHARDS; i++) {
    if (order->base.starts[i] == order->base.starts[i + 1]) continue;
    int64_t known = -1;
    size_t wrong = read_shard(table, exchange, order, i, to, &has_large, &known);
    if (wrong == exchange->count) continue;
    uint64_t key = sli_store_exchange_key(exchange, wrong);
    return known < 0 ? unknown_key(table, key)
                     : other_length(table, key, known, sli_store_exchange_length(exchange, wrong));
  }
  for (size_t i = 0; i < exchange->count && has_large; i++) {
    uint64_t key = sli_store_exchange_key(exchange, i);
    const large_t *large = find_large(table, key);
    if (!large) continue;
    sli_tensor_t *tensor;
    SLI_RETURN_IF_ERROR(large_read(table, large, key, sli_store_exchange_length(exchange, i), &tensor));
    memcpy(to + sli_store_order_offset(order, exchange, i) * table->item_size, tensor->data, sli_tensor_bytes(tensor));
    sli_tensor_release(tensor);
  }
  return NULL;
}

// Copies the values of all keys to |to|.
static sli_status_t *gather(sli_store_table_t *table, const sli_store_exchange_t *exchange, char *to) {
  sli_store_order_t order;
  SLI_RETURN_IF_ERROR(sli_store_order_initialize(&order, exchange));
  sli_status_t *status = read_all(table, exchange, &order, to);
  sli_store_order_deinitialize(&order);
  return status;
}

// One large value is sent from where it is.
static bool is_one_large(sli_store_table_t *table, const sli_store_exchange_t *exchange) {
  return exchange->count == 1 && exchange->values_bytes >= LARGE_BYTES;
}

static sli_status_t *pull_one(sli_store_table_t *table, const sli_store_exchange_t *exchange, sli_slices_t *out) {
  uint64_t key = sli_store_exchange_key(exchange, 0), hash = sli_embedding_hash(key);
  shard_t *shard = shard_of(table, hash);
  sli_mutex_lock(&shard->mutex);
  const entry_t *entry = find_locked(shard, hash, key);
  int64_t known = entry ? (int64_t)entry->length : -1;
  large_t *large = entry ? entry->large : NULL;
  sli_mutex_unlock(&shard->mutex);
  uint32_t length = sli_store_exchange_length(exchange, 0);
  if (!entry) return unknown_key(table, key);
  if (!large) return other_length(table, key, known, length);
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(large_read(table, large, key, length, &tensor));
  sli_slices_append(out, tensor->data, sli_tensor_bytes(tensor), sli_tensor_release_slice, tensor);
  return NULL;
}

sli_status_t *sli_store_table_pull(sli_store_table_t *table, const sli_store_exchange_t *exchange, sli_slices_t *out) {
  if (!table->rows && is_one_large(table, exchange)) return pull_one(table, exchange, out);
  sli_tensor_t *gathered;
  int64_t bytes = (int64_t)exchange->values_bytes;
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_UINT8, &bytes, 1, &gathered));
  sli_status_t *status =
      table->rows ? pull_rows(table, exchange, gathered->data) : gather(table, exchange, gathered->data);
  if (status)
    sli_tensor_release(gathered);
  else
    sli_slices_append(out, gathered->data, (size_t)bytes, sli_tensor_release_slice, gathered);
  return status;
}

// ---- Saved values ------------------------------------------------------------------

typedef void (*visit_fn_t)(void *context, const sli_store_table_value_t *value);

static void visit_large(large_t *large, uint64_t key, const sli_updater_t *updater, visit_fn_t visit, void *context) {
  if (!large->variable) return;  // bound: the graph saves it
  sli_mutex_lock(&large->mutex);
  sli_tensor_t *tensor = sli_variable_read(large->variable);
  bool has_slots = sli_updater_has_steps(updater) && large->rule == updater->name;
  if (tensor)
    visit(context, &(sli_store_table_value_t){.key = key,
                                              .length = (uint32_t)tensor->count,
                                              .steps = has_slots ? large->steps : 0,
                                              .values = tensor->data,
                                              .slots = has_slots && large->slots ? large->slots->data : NULL});
  sli_mutex_unlock(&large->mutex);
  sli_tensor_release(tensor);
}

void sli_store_table_for_each(sli_store_table_t *table, const sli_updater_t *updater, visit_fn_t visit, void *context) {
  for (int i = 0; i < SLI_EMBEDDING_SHARDS; i++) {
    shard_t *shard = &table->shards[i];
    SLI_ARRAY(entry_t *) large = {0};  // entries of large values stay where they are
    sli_mutex_lock(&shard->mutex);
    for (size_t j = 0; j < shard->slot_count; j++) {
      entry_t *entry = shard->slots[j];
      if (entry && entry->large) sli_array_push(&large, entry);
      if (!entry || entry->large || !entry->has_value) continue;
      bool has_slots = sli_updater_has_steps(updater) && entry->rule == updater->name;
      const char *slots = entry->values + (size_t)entry->length * table->item_size;
      visit(context, &(sli_store_table_value_t){.key = entry->key,
                                                .length = entry->length,
                                                .steps = has_slots ? entry->steps : 0,
                                                .values = entry->values,
                                                .slots = has_slots && updater->slot_count ? slots : NULL});
    }
    sli_mutex_unlock(&shard->mutex);
    for (size_t j = 0; j < large.count; j++)
      visit_large(large.items[j]->large, large.items[j]->key, updater, visit, context);
    sli_array_deinitialize(&large);
  }
}

static sli_status_t *put_slots(sli_store_table_t *table, const sli_store_table_value_t *value,
                               const sli_updater_t *updater) {
  uint64_t hash = sli_embedding_hash(value->key);
  shard_t *shard = shard_of(table, hash);
  size_t bytes = (size_t)value->length * table->item_size * (size_t)updater->slot_count;
  sli_status_t *status = NULL;
  sli_mutex_lock(&shard->mutex);
  entry_t *entry = find_locked(shard, hash, value->key);
  large_t *large = entry ? entry->large : NULL;
  if (entry && !large) entry = entry_with_slots_locked(table, shard, entry, updater);
  if (!entry) status = no_memory(table, value->key);
  if (entry && !large) {
    if (bytes) memcpy(entry->values + (size_t)entry->length * table->item_size, value->slots, bytes);
    entry->rule = updater->name;
    entry->steps = value->steps < UINT32_MAX ? (uint32_t)value->steps : UINT32_MAX;
  }
  sli_mutex_unlock(&shard->mutex);
  if (status || !large) return status;
  sli_mutex_lock(&large->mutex);
  status = prepare_slots(table, large, value->length, updater);
  if (!status && bytes) memcpy(large->slots->data, value->slots, bytes);
  if (!status) large->steps = value->steps;
  sli_mutex_unlock(&large->mutex);
  return status;
}

sli_status_t *sli_store_table_put(sli_store_table_t *table, const sli_store_table_value_t *value,
                                  const sli_updater_t *updater) {
  sli_store_exchange_t exchange = {.keys = (const char *)&value->key,
                                   .count = 1,
                                   .length = value->length,
                                   .push = true,
                                   .values = sli_view_of(value->values, (size_t)value->length * table->item_size),
                                   .values_bytes = (uint64_t)value->length * table->item_size};
  SLI_RETURN_IF_ERROR(push_all(table, &exchange, &sli_updater_assign));
  bool has_slots = value->steps && sli_updater_has_steps(updater) && (value->slots || !updater->slot_count);
  return has_slots ? put_slots(table, value, updater) : NULL;
}

// ---- Bound keys ------------------------------------------------------------------

sli_status_t *sli_store_table_bind(sli_store_table_t *table, uint64_t key, sli_view_t container, sli_view_t name,
                                   int64_t *out_length) {
  *out_length = -1;
  if (table->rows)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Table \"%s\" has rows; its keys cannot be bound to variables.",
                           table->name);
  entry_t *entry = sli_calloc(1, sizeof(*entry));
  *entry = (entry_t){.key = key, .large = large_create()};
  entry->large->container = sli_strndup(container.data, container.size);
  entry->large->name = sli_strndup(name.data, name.size);
  sli_variable_t *variable;
  sli_status_t *status = large_find(table, entry->large, key, &variable);
  if (!status) {
    *out_length = variable_length(variable);
    sli_variable_release(variable);
    uint64_t hash = sli_embedding_hash(key);
    shard_t *shard = shard_of(table, hash);
    sli_mutex_lock(&shard->mutex);
    const entry_t *old = find_locked(shard, hash, key);
    bool is_same = old && old->large && old->large->name && !strcmp(old->large->name, entry->large->name) &&
                   !strcmp(old->large->container, entry->large->container);
    if (!old) {
      insert_locked(shard, entry);
      entry = NULL;
    }
    sli_mutex_unlock(&shard->mutex);
    if (old && !is_same)
      status = sli_status_make(SLI_ALREADY_EXISTS,
                               "Key %llu of table \"%s\" has a value and cannot be bound to variable %.*s.",
                               (unsigned long long)key, table->name, SLI_VIEW_ARG(name));
  }
  if (entry) large_destroy(entry->large);
  free(entry);
  return status;
}
