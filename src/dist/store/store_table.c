#include "dist/store/store_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "core/state/variable.h"
#include "dist/store/store_rows.h"
#include "dist/store/store_updater.h"

enum {
  SHARDS = 64,           // each with a lock of its own
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
  char padding[64];  // two shards do not share a line of the cache
} shard_t;

// The updater is replaced as a whole; pushes hold a reference.
typedef struct {
  sli_refcount_t references;
  sli_store_updater_t updater;
  char *text;
} shared_updater_t;

struct sli_store_table {
  char *name;
  sli_dtype_t dtype;
  size_t item_size;
  sli_resource_manager_t *resources;
  sli_thread_pool_t *pool;
  sli_store_rows_t *rows;  // NULL: values of any length
  sli_mutex_t mutex;
  shared_updater_t *updater;  // under mutex
  shard_t shards[SHARDS];
};

static const sli_store_updater_t assign_updater = {.name = "assign", .operation = SLI_ACCUMULATE_ASSIGN};
static const sli_store_updater_t sum_updater = {.name = "sum", .operation = SLI_ACCUMULATE_ADD};

// ---- Tables ----------------------------------------------------------------------

static shared_updater_t *updater_create(const sli_store_updater_t *updater, sli_view_t text) {
  shared_updater_t *shared = sli_malloc(sizeof(*shared));
  *shared = (shared_updater_t){.updater = *updater, .text = sli_strndup(text.data, text.size)};
  sli_refcount_initialize(&shared->references);
  return shared;
}

static void updater_release(shared_updater_t *shared) {
  if (!shared || !sli_refcount_release(&shared->references)) return;
  free(shared->text);
  free(shared);
}

static shared_updater_t *updater_of(sli_store_table_t *table) {
  sli_mutex_lock(&table->mutex);
  shared_updater_t *shared = table->updater;
  sli_refcount_retain(&shared->references);
  sli_mutex_unlock(&table->mutex);
  return shared;
}

sli_store_table_t *sli_store_table_create(sli_view_t name, sli_dtype_t dtype, sli_resource_manager_t *resources,
                                          sli_thread_pool_t *pool) {
  sli_store_table_t *table = sli_calloc(1, sizeof(*table));
  table->name = sli_strndup(name.data, name.size);
  table->dtype = dtype;
  table->item_size = sli_dtype_size(dtype);
  table->resources = resources;
  table->pool = pool;
  sli_mutex_initialize(&table->mutex);
  table->updater = updater_create(&assign_updater, sli_view("assign"));
  for (int i = 0; i < SHARDS; i++) sli_mutex_initialize(&table->shards[i].mutex);
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
  for (int i = 0; i < SHARDS; i++) {
    shard_t *shard = &table->shards[i];
    for (size_t j = 0; j < shard->slot_count; j++) {
      if (!shard->slots[j]) continue;
      large_destroy(shard->slots[j]->large);
      free(shard->slots[j]);
    }
    free(shard->slots);
    sli_mutex_deinitialize(&shard->mutex);
  }
  sli_store_rows_destroy(table->rows);
  updater_release(table->updater);
  sli_mutex_deinitialize(&table->mutex);
  free(table->name);
  free(table);
}

sli_dtype_t sli_store_table_dtype(const sli_store_table_t *table) { return table->dtype; }

sli_status_t *sli_store_table_set_updater(sli_store_table_t *table, sli_view_t text) {
  sli_store_updater_t updater;
  SLI_RETURN_IF_ERROR(sli_store_updater_parse(text, table->dtype, &updater));
  shared_updater_t *shared = updater_create(&updater, text);
  sli_mutex_lock(&table->mutex);
  shared_updater_t *old = table->updater;
  table->updater = shared;
  sli_mutex_unlock(&table->mutex);
  updater_release(old);
  return NULL;
}

char *sli_store_table_updater(sli_store_table_t *table) {
  shared_updater_t *shared = updater_of(table);
  char *text = sli_strdup(shared->text);
  updater_release(shared);
  return text;
}

sli_status_t *sli_store_table_set_rows(sli_store_table_t *table, int64_t length, sli_view_t initializer) {
  return sli_store_rows_create(table->dtype, length, initializer.size ? initializer : sli_view("zeros"), &table->rows);
}

sli_status_t *sli_store_table_check_rows(const sli_store_table_t *table, int64_t length, sli_view_t initializer) {
  int64_t known = table->rows ? sli_store_rows_length(table->rows) : 0;
  if (length && length != known)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Table \"%s\" has rows of %lld elements (0: values of any length), not of %lld.",
                           table->name, (long long)known, (long long)length);
  if (!initializer.size || (table->rows && sli_view_is(initializer, sli_store_rows_initializer(table->rows))))
    return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Table \"%s\" has the initializer \"%s\", not \"%.*s\".", table->name,
                         table->rows ? sli_store_rows_initializer(table->rows) : "", SLI_VIEW_ARG(initializer));
}

size_t sli_store_table_count(sli_store_table_t *table) {
  if (table->rows) return sli_store_rows_size(table->rows).rows;
  size_t count = 0;
  for (int i = 0; i < SHARDS; i++) {
    sli_mutex_lock(&table->shards[i].mutex);
    count += table->shards[i].count;
    sli_mutex_unlock(&table->shards[i].mutex);
  }
  return count;
}

// ---- Entries ---------------------------------------------------------------------

// Neighbouring keys must not share their low bits: a shard has them by the high ones, a slot by the low ones.
static uint64_t mix(uint64_t key) {
  key ^= key >> 32;
  key *= UINT64_C(0x9e3779b97f4a7c15);
  return key ^ key >> 29;
}

static shard_t *shard_of(sli_store_table_t *table, uint64_t hash) { return &table->shards[hash >> 58]; }

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
  size_t mask = shard->slot_count - 1, at = (size_t)mix(entry->key) & mask;
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
                                        const sli_store_updater_t *updater) {
  if (entry->slot_room >= updater->slot_count) return entry;
  size_t bytes = (size_t)entry->length * table->item_size;
  entry_t *grown = sli_malloc_or_null(sizeof(*grown) + bytes * (size_t)(1 + updater->slot_count));
  if (!grown) return NULL;
  memcpy(grown, entry, sizeof(*grown) + bytes);
  grown->slot_room = (uint8_t)updater->slot_count;
  size_t mask = shard->slot_count - 1, at = (size_t)mix(entry->key) & mask;
  while (shard->slots[at] != entry) at = (at + 1) & mask;
  shard->slots[at] = grown;
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

// Starts to load the slot of a key that will be needed soon.
static void fetch_ahead(sli_store_table_t *table, const sli_store_exchange_t *exchange, size_t index) {
  if (index >= exchange->count) return;
  uint64_t hash = mix(sli_store_exchange_key(exchange, index));
  // Without the lock: a wrong address is only fetched in vain.
  shard_t *shard = shard_of(table, hash);
  size_t count = __atomic_load_n(&shard->slot_count, __ATOMIC_RELAXED);
  entry_t **slots = __atomic_load_n(&shard->slots, __ATOMIC_RELAXED);
  if (count) __builtin_prefetch(&slots[(size_t)hash & (count - 1)]);
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
  const sli_store_updater_t *updater;
  sli_dtype_t dtype;
  void *value, *slots;
  int64_t stride;
  const void *from;
  uint64_t step;
} large_work_t;

static void update_range(void *context, int64_t begin, int64_t end) {
  const large_work_t *work = context;
  sli_store_updater_apply(work->updater, work->dtype, work->value, work->slots, work->stride, work->from, begin,
                          end - begin, work->step);
}

static sli_status_t *prepare_slots(sli_store_table_t *table, large_t *large, uint32_t length,
                                   const sli_store_updater_t *updater) {
  if (large->rule == updater->name && (large->slots || !updater->slot_count)) return NULL;
  sli_tensor_release(large->slots);
  large->slots = NULL;
  large->steps = 0;
  large->rule = updater->name;
  if (!updater->slot_count) return NULL;
  int64_t dims[] = {updater->slot_count, length};
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), table->dtype, dims, 2, &large->slots));
  sli_store_updater_fill_slots(updater, table->dtype, large->slots->data, length);
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
                                         uint64_t key, uint32_t length, const sli_store_updater_t *updater,
                                         const char *from) {
  sli_tensor_t *now = sli_variable_read(variable);
  bool is_new = !now, is_rule = updater->rule != NULL;
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
                                const sli_store_updater_t *updater, const char *from) {
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

// Checks the length of a key, and creates it. |*out_large| is set if it is large.
static sli_status_t *open_key(sli_store_table_t *table, uint64_t key, uint32_t length, int slot_count,
                              large_t **out_large) {
  uint64_t hash = mix(key);
  shard_t *shard = shard_of(table, hash);
  sli_mutex_lock(&shard->mutex);
  entry_t *entry = find_locked(shard, hash, key);
  if (!entry) {
    entry = entry_create(table, key, length, slot_count);
    if (entry) insert_locked(shard, entry);
  }
  int64_t known = entry ? (int64_t)entry->length : -1;
  *out_large = entry ? entry->large : NULL;
  sli_mutex_unlock(&shard->mutex);
  if (known < 0) return no_memory(table, key);
  if (known == 0) {
    sli_variable_t *variable;
    SLI_RETURN_IF_ERROR(large_find(table, *out_large, key, &variable));
    known = variable_length(variable);
    sli_variable_release(variable);
    if (known < 0) known = length;
  }
  return known == length ? NULL : other_length(table, key, known, length);
}

// Updates a small value.
static sli_status_t *small_push(sli_store_table_t *table, uint64_t key, uint32_t length,
                                const sli_store_updater_t *updater, const char *from) {
  uint64_t hash = mix(key);
  shard_t *shard = shard_of(table, hash);
  sli_mutex_lock(&shard->mutex);
  entry_t *entry = find_locked(shard, hash, key);
  if (entry->slot_room < updater->slot_count) entry = entry_with_slots_locked(table, shard, entry, updater);
  if (entry) {
    char *slots = entry->values + (size_t)length * table->item_size;
    if (updater->rule && entry->rule != updater->name) {
      sli_store_updater_fill_slots(updater, table->dtype, slots, length);
      entry->rule = updater->name;
      entry->steps = 0;
    }
    if (updater->rule && entry->steps < UINT32_MAX) entry->steps++;
    sli_store_updater_apply(updater, table->dtype, entry->values, slots, length, from, 0, length, entry->steps);
    entry->has_value = true;
  }
  sli_mutex_unlock(&shard->mutex);
  return entry ? NULL : no_memory(table, key);
}

static sli_status_t *push_all(sli_store_table_t *table, const sli_store_exchange_t *exchange,
                              const sli_store_updater_t *updater, large_t **larges) {
  sli_status_t *status = NULL;
  for (size_t i = 0; i < exchange->count && !status; i++) {
    fetch_ahead(table, exchange, i + LOOK_AHEAD);
    status = open_key(table, sli_store_exchange_key(exchange, i), sli_store_exchange_length(exchange, i),
                      updater->slot_count, &larges[i]);
  }
  const char *from = exchange->values.data;
  for (size_t i = 0; i < exchange->count && !status; i++) {
    uint64_t key = sli_store_exchange_key(exchange, i);
    uint32_t length = sli_store_exchange_length(exchange, i);
    status = larges[i] ? large_push(table, larges[i], key, length, updater, from)
                       : small_push(table, key, length, updater, from);
    from += (size_t)length * table->item_size;
  }
  return status;
}

sli_status_t *sli_store_table_push(sli_store_table_t *table, const sli_store_exchange_t *exchange) {
  large_t *few[16], **larges = few;
  if (exchange->count > SLI_ARRAY_COUNT_OF(few) && !table->rows)
    larges = sli_malloc_or_null(exchange->count * sizeof(*larges));
  if (!larges) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory for %zu keys.", exchange->count);
  shared_updater_t *shared = exchange->update == SLI_STORE_UPDATE_TABLE ? updater_of(table) : NULL;
  const sli_store_updater_t *updater = shared                                     ? &shared->updater
                                       : exchange->update == SLI_STORE_UPDATE_SUM ? &sum_updater
                                                                                  : &assign_updater;
  sli_status_t *status =
      table->rows ? sli_store_rows_push(table->rows, exchange, updater) : push_all(table, exchange, updater, larges);
  updater_release(shared);
  if (larges != few) free(larges);
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

// Copies the value of a small key to |to|; or sets |*out_large| and copies nothing.
static sli_status_t *small_read(sli_store_table_t *table, uint64_t key, uint32_t length, char *to,
                                large_t **out_large) {
  uint64_t hash = mix(key);
  shard_t *shard = shard_of(table, hash);
  *out_large = NULL;
  sli_mutex_lock(&shard->mutex);
  entry_t *entry = find_locked(shard, hash, key);
  int64_t known = entry ? (int64_t)entry->length : -1;
  if (entry) *out_large = entry->large;
  bool has_value = entry && (entry->large || entry->has_value);
  if (has_value && !entry->large && known == length) memcpy(to, entry->values, (size_t)length * table->item_size);
  sli_mutex_unlock(&shard->mutex);
  if (!has_value) return unknown_key(table, key);
  return *out_large || known == length ? NULL : other_length(table, key, known, length);
}

// One large value is sent from where it is.
static bool is_one_large(sli_store_table_t *table, const sli_store_exchange_t *exchange) {
  return exchange->count == 1 && exchange->values_bytes >= LARGE_BYTES;
}

static sli_status_t *pull_one(sli_store_table_t *table, const sli_store_exchange_t *exchange, sli_slices_t *out) {
  uint64_t key = sli_store_exchange_key(exchange, 0), hash = mix(key);
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
  char *to = gathered->data;
  sli_status_t *status = table->rows ? sli_store_rows_pull(table->rows, exchange, to) : NULL;
  for (size_t i = 0; i < exchange->count && !status && !table->rows; i++) {
    fetch_ahead(table, exchange, i + LOOK_AHEAD);
    uint64_t key = sli_store_exchange_key(exchange, i);
    uint32_t length = sli_store_exchange_length(exchange, i);
    large_t *large;
    status = small_read(table, key, length, to, &large);
    if (!status && large) {
      sli_tensor_t *tensor;
      status = large_read(table, large, key, length, &tensor);
      if (!status) memcpy(to, tensor->data, sli_tensor_bytes(tensor));
      sli_tensor_release(tensor);
    }
    to += (size_t)length * table->item_size;
  }
  if (status)
    sli_tensor_release(gathered);
  else
    sli_slices_append(out, gathered->data, (size_t)bytes, sli_tensor_release_slice, gathered);
  return status;
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
    uint64_t hash = mix(key);
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
