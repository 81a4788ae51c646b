#include "dist/store/store_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "core/state/variable.h"
#include "dist/store/store_cells.h"

enum { BLOCK = 32 };  // keys for which the memory is fetched together, in advance

typedef sli_store_cells_t cells_t;
typedef sli_store_cell_t cell_t;
typedef sli_store_slot_t slot_t;
typedef sli_store_large_t large_t;

// A value that is a variable.
struct sli_store_large {
  sli_mutex_t mutex;         // of the slots; taken before the variable's
  sli_variable_t *variable;  // NULL: the variable |name| in |container|, looked up each time: a session may replace it
  char *container, *name;
  sli_tensor_t *slots;  // [slot_count, length]; NULL: none
  const char *rule;     // whose slots they are
  uint64_t steps;
};

struct sli_store_table {
  char *name;
  sli_dtype_t dtype;
  size_t item_size;
  sli_resource_manager_t *resources;
  sli_thread_pool_t *pool;
  sli_embedding_table_t *rows;     // NULL: values of any length
  sli_updater_cell_t own_updater;  // of values of any length
  atomic_uint_fast64_t moves;      // of keys to other cells so far
  cells_t parts[SLI_STORE_PARTS];
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
  for (int i = 0; i < SLI_STORE_PARTS; i++) sli_mutex_initialize(&table->parts[i].mutex);
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
  for (int i = 0; i < SLI_STORE_PARTS; i++) {
    cells_t *part = &table->parts[i];
    for (size_t j = 0; j < part->slot_count; j++) {
      const cell_t *cell = part->slots[j].cell ? sli_store_cells_at(part, part->slots[j].cell) : NULL;
      if (cell && cell->is_large) large_destroy(cell->large);
    }
    sli_store_cells_deinitialize(part);
    sli_mutex_deinitialize(&part->mutex);
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
  for (int i = 0; i < SLI_STORE_PARTS; i++) {
    sli_mutex_lock(&table->parts[i].mutex);
    count += table->parts[i].count;
    sli_mutex_unlock(&table->parts[i].mutex);
  }
  return count;
}

// ---- Keys --------------------------------------------------------------------------

static cells_t *part_of(sli_store_table_t *table, uint64_t key) { return &table->parts[sli_store_part(key)]; }

static large_t *large_create(void) {
  large_t *large = sli_calloc(1, sizeof(*large));
  sli_mutex_initialize(&large->mutex);
  return large;
}

// A key without a value. Returns NULL if there is no memory. Under the part's mutex.
static const slot_t *add_key_locked(const sli_store_table_t *table, cells_t *part, uint64_t key, uint32_t length,
                                    int slot_count) {
  size_t bytes = (size_t)length * table->item_size;
  bool is_large = bytes >= SLI_STORE_SMALL_BYTES;
  const slot_t *slot = sli_store_cells_add(part, key, length, is_large ? 0 : bytes * (size_t)(1 + slot_count));
  if (!slot) return NULL;
  cell_t *cell = sli_store_cells_at(part, slot->cell);
  cell->is_large = is_large;
  cell->slot_room = is_large ? 0 : (uint8_t)slot_count;
  if (is_large) {
    cell->large = large_create();
    char name[32];
    snprintf(name, sizeof(name), "%llu", (unsigned long long)key);
    cell->large->variable = sli_variable_create(table->dtype, sli_view(name), SLI_SHAPE_UNKNOWN);
  }
  return slot;
}

// A cell whose rule needs more slots than it has room for gets a new place. Under the part's mutex.
static cell_t *cell_with_slots_locked(sli_store_table_t *table, cells_t *part, uint64_t key, uint32_t length,
                                      cell_t *cell, const sli_updater_t *updater) {
  if (cell->slot_room >= updater->slot_count) return cell;
  size_t bytes = (size_t)length * table->item_size;
  cell = sli_store_cells_grow(part, key, bytes * (size_t)(1 + updater->slot_count), bytes);
  if (!cell) return NULL;
  cell->slot_room = (uint8_t)updater->slot_count;
  atomic_fetch_add(&table->moves, 1);
  return cell;
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

// The shape of the value of |length| elements: that of |now|, or the one that the variable was declared with.
static sli_shape_t shape_for(sli_variable_t *variable, const sli_tensor_t *now, int64_t *length) {
  if (now) return sli_tensor_shape(now);
  bool is_declared = variable->declared.rank >= 0 && variable_length(variable) == *length;
  return is_declared ? variable->declared : (sli_shape_t){1, length};
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

// Makes |memory|, which begins with |length| elements, the tensor of the variable.
static void keep_memory(sli_store_table_t *table, sli_variable_t *variable, uint32_t length, sli_tensor_t *memory) {
  int64_t elements = length;
  sli_tensor_t *now = sli_variable_read(variable);
  sli_shape_t shape = shape_for(variable, now, &elements);
  sli_tensor_t *tensor = sli_tensor_view(memory, table->dtype, 0, shape.dims, shape.rank);
  sli_tensor_release(now);
  sli_variable_replace(variable, tensor);
}

// Gives the variable another tensor: with the values at |from| if it |is_assign|, else with zeros.
static sli_status_t *renew(sli_store_table_t *table, sli_variable_t *variable, const sli_tensor_t *now, uint32_t length,
                           bool is_assign, const char *from) {
  sli_tensor_t *tensor;
  int64_t elements = length;
  sli_shape_t shape = shape_for(variable, now, &elements);
  SLI_RETURN_IF_ERROR(sli_tensor_create(&sli_allocator_shared, table->dtype, shape.dims, shape.rank, &tensor));
  if (is_assign)
    memcpy(tensor->data, from, sli_tensor_bytes(tensor));
  else
    memset(tensor->data, 0, sli_tensor_bytes(tensor));
  sli_variable_replace(variable, tensor);
  return NULL;
}

// Both mutexes are held.
static sli_status_t *large_update_locked(sli_store_table_t *table, large_t *large, sli_variable_t *variable,
                                         uint64_t key, uint32_t length, const sli_updater_t *updater, const char *from,
                                         sli_tensor_t *memory) {
  sli_tensor_t *now = sli_variable_read(variable);
  bool is_new = !now, is_rule = sli_updater_has_steps(updater);
  int64_t known = is_new ? length : now->count;
  sli_tensor_release(now);
  if (known != length) return other_length(table, key, known, length);
  bool is_assign = !is_rule && (is_new || updater->operation == SLI_ACCUMULATE_ASSIGN);
  if (is_assign && memory) {
    keep_memory(table, variable, length, memory);
    return NULL;
  }
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

// |memory|: what begins with the values and may be kept; NULL: nothing.
static sli_status_t *large_push(sli_store_table_t *table, large_t *large, uint64_t key, uint32_t length,
                                const sli_updater_t *updater, const char *from, sli_tensor_t *memory) {
  sli_variable_t *variable;
  SLI_RETURN_IF_ERROR(large_find(table, large, key, &variable));
  sli_mutex_lock(&large->mutex);
  sli_mutex_lock(&variable->mutex);
  sli_status_t *status = large_update_locked(table, large, variable, key, length, updater, from, memory);
  sli_mutex_unlock(&variable->mutex);
  sli_mutex_unlock(&large->mutex);
  sli_variable_release(variable);
  return status;
}

// ---- Pushes ----------------------------------------------------------------------

typedef struct {
  sli_store_table_t *table;
  const sli_store_exchange_t *exchange;
  const sli_updater_t *updater;
  sli_store_order_t order;
  uint32_t *cells;      // by the index of the key; those of small keys may have moved since, see |moves|
  uint_fast64_t moves;  // of the table, before
  atomic_size_t wrong;  // the index of the first key that has another length, or no memory; else their number
  atomic_bool has_large;
} push_t;

static void note_wrong(atomic_size_t *wrong, size_t index) {
  size_t known = atomic_load_explicit(wrong, memory_order_relaxed);
  while (index < known && !atomic_compare_exchange_weak(wrong, &known, index)) continue;
}

static void find_homes_locked(const cells_t *part, const uint64_t *keys, size_t count, size_t *homes) {
  uint64_t hash = sli_embedding_hash(keys[0] >> 4);
  for (size_t i = 0; i < count && part->slot_count; i++) {
    if (i && keys[i] >> 4 != keys[i - 1] >> 4) hash = sli_embedding_hash(keys[i] >> 4);
    homes[i] = sli_store_cells_home_of(part, hash, keys[i]);
    __builtin_prefetch(&part->slots[homes[i]]);
  }
}

// Finds or creates the keys of a block.
static void open_block_locked(push_t *push, cells_t *part, const sli_store_run_t *run, size_t first, size_t count) {
  uint64_t keys[BLOCK];
  size_t homes[BLOCK], slot_count = part->slot_count;
  for (size_t j = 0; j < count; j++)
    keys[j] = sli_store_exchange_key(push->exchange, sli_store_run_index(run, first + j));
  find_homes_locked(part, keys, count, homes);
  for (size_t j = 0; j < count; j++) {
    size_t i = sli_store_run_index(run, first + j);
    uint32_t length = sli_store_exchange_length(push->exchange, i);
    const slot_t *slot = slot_count ? sli_store_cells_find_at(part, homes[j], keys[j]) : NULL;
    if (!slot) slot = add_key_locked(push->table, part, keys[j], length, push->updater->slot_count);
    push->cells[i] = slot ? slot->cell : 0;
    if (!slot || (slot->length && slot->length != length)) note_wrong(&push->wrong, i);
    if (slot && (size_t)length * push->table->item_size >= SLI_STORE_SMALL_BYTES) push->has_large = true;
    if (slot && !slot->length) push->has_large = true;
    if (slot_count != part->slot_count) find_homes_locked(part, keys, count, homes);
    slot_count = part->slot_count;
  }
}

static void open_run(void *context, const sli_store_run_t *run) {
  push_t *push = context;
  cells_t *part = &push->table->parts[run->part];
  sli_mutex_lock(&part->mutex);
  for (size_t first = 0; first < run->count; first += BLOCK)
    open_block_locked(push, part, run, first, run->count - first < BLOCK ? run->count - first : BLOCK);
  sli_mutex_unlock(&part->mutex);
}

static large_t *find_large(sli_store_table_t *table, uint64_t key) {
  cells_t *part = part_of(table, key);
  sli_mutex_lock(&part->mutex);
  const slot_t *slot = sli_store_cells_find(part, key);
  const cell_t *cell = slot ? sli_store_cells_at(part, slot->cell) : NULL;
  large_t *large = cell && cell->is_large ? cell->large : NULL;
  sli_mutex_unlock(&part->mutex);
  return large;
}

// Checks the lengths of bound keys, which are those of their variables.
static sli_status_t *check_bound(push_t *push) {
  for (size_t i = 0; i < push->exchange->count; i++) {
    uint64_t key = sli_store_exchange_key(push->exchange, i);
    uint32_t length = sli_store_exchange_length(push->exchange, i);
    const large_t *large = find_large(push->table, key);
    if (!large || large->variable) continue;
    sli_variable_t *variable;
    SLI_RETURN_IF_ERROR(large_find(push->table, large, key, &variable));
    int64_t known = variable_length(variable);
    sli_variable_release(variable);
    if (known >= 0 && known != length) return other_length(push->table, key, known, length);
  }
  return NULL;
}

static sli_status_t *open_keys(push_t *push) {
  sli_store_order_run(&push->order, push->exchange, push->table->pool, 5, open_run, push);
  size_t wrong = push->wrong;
  if (wrong == push->exchange->count) return push->has_large ? check_bound(push) : NULL;
  uint64_t key = sli_store_exchange_key(push->exchange, wrong);
  cells_t *part = part_of(push->table, key);
  sli_mutex_lock(&part->mutex);
  const slot_t *slot = sli_store_cells_find(part, key);
  int64_t known = slot ? (int64_t)slot->length : -1;
  sli_mutex_unlock(&part->mutex);
  if (known < 0) return no_memory(push->table, key);
  return other_length(push->table, key, known, sli_store_exchange_length(push->exchange, wrong));
}

static const char *values_of(const push_t *push, size_t index) {
  return push->exchange->values.data +
         sli_store_order_offset(&push->order, push->exchange, index) * push->table->item_size;
}

// Assigns or sums a small value. Most are numbers of 4 or 8 bytes, for which a call would cost more than the work.
static void combine(const push_t *push, char *to, const char *from, uint32_t length) {
  size_t bytes = length * push->table->item_size;
  if (push->updater->operation == SLI_ACCUMULATE_ADD && push->table->dtype == SLI_DTYPE_FLOAT) {
    for (uint32_t i = 0; i < length; i++) ((float *)to)[i] += ((const float *)from)[i];
  } else if (push->updater->operation == SLI_ACCUMULATE_ASSIGN) {
    if (bytes == sizeof(uint32_t))
      memcpy(to, from, sizeof(uint32_t));
    else
      memcpy(to, from, bytes);
  } else {
    sli_accumulate(push->updater->operation, push->table->dtype, to, from, 1, length);
  }
}

// Updates a small value by a rule. Returns false if there is no memory.
static bool apply_rule_locked(const push_t *push, cells_t *part, uint64_t key, uint32_t length, cell_t *cell,
                              const char *from) {
  sli_store_table_t *table = push->table;
  const sli_updater_t *updater = push->updater;
  cell = cell_with_slots_locked(table, part, key, length, cell, updater);
  if (!cell) return false;
  char *slots = cell->values + (size_t)length * table->item_size;
  if (cell->rule != updater->name) {
    sli_updater_fill_slots(updater, table->dtype, slots, length);
    cell->rule = updater->name;
    cell->steps = 0;
  }
  if (cell->steps < UINT32_MAX) cell->steps++;
  sli_updater_apply(updater, table->dtype, cell->values, slots, length, from, 0, length, cell->steps);
  cell->has_value = true;
  return true;
}

// The cell of key |index|, which is small; NULL if it is not. Keys in the memory of a client may have changed.
static cell_t *small_cell_locked(const push_t *push, const cells_t *part, size_t index) {
  uint32_t number = push->cells[index];
  if (atomic_load_explicit(&push->table->moves, memory_order_relaxed) != push->moves) {
    const slot_t *slot = sli_store_cells_find(part, sli_store_exchange_key(push->exchange, index));
    if (!slot || slot->length != sli_store_exchange_length(push->exchange, index)) return NULL;
    number = slot->cell;
  }
  cell_t *cell = sli_store_cells_at(part, number);
  return cell->is_large ? NULL : cell;
}

// Updates the small values of a run.
static void update_run(void *context, const sli_store_run_t *run) {
  push_t *push = context;
  cells_t *part = &push->table->parts[run->part];
  bool is_rule = sli_updater_has_steps(push->updater);
  sli_mutex_lock(&part->mutex);
  for (size_t k = 0; k < run->count; k++) {
    size_t i = sli_store_run_index(run, k);
    uint32_t length = sli_store_exchange_length(push->exchange, i);
    cell_t *cell = small_cell_locked(push, part, i);
    if (cell && is_rule) {
      uint64_t key = sli_store_exchange_key(push->exchange, i);
      if (!apply_rule_locked(push, part, key, length, cell, values_of(push, i))) note_wrong(&push->wrong, i);
    } else if (cell) {
      combine(push, cell->values, values_of(push, i), length);
      cell->has_value = true;
    }
  }
  sli_mutex_unlock(&part->mutex);
}

static sli_status_t *update_keys(push_t *push) {
  sli_store_order_run(&push->order, push->exchange, push->table->pool, sli_updater_has_steps(push->updater) ? 30 : 3,
                      update_run, push);
  if (push->wrong < push->exchange->count)
    return no_memory(push->table, sli_store_exchange_key(push->exchange, push->wrong));
  for (size_t i = 0; i < push->exchange->count && push->has_large; i++) {
    uint64_t key = sli_store_exchange_key(push->exchange, i);
    large_t *large = find_large(push->table, key);
    if (large)
      SLI_RETURN_IF_ERROR(large_push(push->table, large, key, sli_store_exchange_length(push->exchange, i),
                                     push->updater, values_of(push, i),
                                     push->exchange->count == 1 ? push->exchange->memory : NULL));
  }
  return NULL;
}

static sli_status_t *push_all(sli_store_table_t *table, const sli_store_exchange_t *exchange,
                              const sli_updater_t *updater) {
  uint32_t few[SLI_STORE_ORDER_FEW];
  push_t push = {.table = table, .exchange = exchange, .updater = updater, .cells = few, .moves = table->moves};
  atomic_init(&push.wrong, exchange->count);
  SLI_RETURN_IF_ERROR(sli_store_order_initialize(&push.order, exchange));
  if (exchange->count > SLI_STORE_ORDER_FEW) push.cells = sli_malloc_or_null(exchange->count * sizeof(*push.cells));
  sli_status_t *status = push.cells ? open_keys(&push) : no_memory(table, sli_store_exchange_key(exchange, 0));
  if (!status) status = update_keys(&push);
  if (push.cells != few) free(push.cells);
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

bool sli_store_table_assigns(sli_store_table_t *table, const sli_store_exchange_t *exchange) {
  if (table->rows || exchange->update != SLI_STORE_UPDATE_TABLE)
    return !table->rows && exchange->update == SLI_STORE_UPDATE_ASSIGN;
  sli_updater_shared_t *shared = sli_updater_cell_get(cell_of(table));
  bool assigns = !sli_updater_has_steps(&shared->updater) && shared->updater.operation == SLI_ACCUMULATE_ASSIGN;
  sli_updater_shared_release(shared);
  return assigns;
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

typedef struct {
  sli_store_table_t *table;
  const sli_store_exchange_t *exchange;
  sli_store_order_t order;
  char *to;
  atomic_size_t wrong;  // the index of the first key that has another length, or no value; else their number
  atomic_bool has_large;
} pull_t;

// Copies the small values of a block.
static void read_block_locked(pull_t *pull, const cells_t *part, const sli_store_run_t *run, size_t first,
                              size_t count) {
  const cell_t *cells[BLOCK];
  uint64_t keys[BLOCK];
  size_t homes[BLOCK], item_size = pull->table->item_size;
  for (size_t j = 0; j < count; j++)
    keys[j] = sli_store_exchange_key(pull->exchange, sli_store_run_index(run, first + j));
  find_homes_locked(part, keys, count, homes);
  for (size_t j = 0; j < count; j++) {
    size_t i = sli_store_run_index(run, first + j);
    const slot_t *slot = part->slot_count ? sli_store_cells_find_at(part, homes[j], keys[j]) : NULL;
    bool is_known = slot && (!slot->length || slot->length == sli_store_exchange_length(pull->exchange, i));
    cells[j] = is_known ? sli_store_cells_at(part, slot->cell) : NULL;
    if (is_known)
      __builtin_prefetch(cells[j]);
    else
      note_wrong(&pull->wrong, i);
  }
  for (size_t j = 0; j < count; j++) {
    size_t i = sli_store_run_index(run, first + j);
    if (cells[j] && cells[j]->is_large) pull->has_large = true;
    if (!cells[j] || cells[j]->is_large) continue;
    size_t bytes = sli_store_exchange_length(pull->exchange, i) * item_size;
    char *to = pull->to + sli_store_order_offset(&pull->order, pull->exchange, i) * item_size;
    if (!cells[j]->has_value)
      note_wrong(&pull->wrong, i);
    else if (bytes == sizeof(uint32_t))
      memcpy(to, cells[j]->values, sizeof(uint32_t));
    else
      memcpy(to, cells[j]->values, bytes);
  }
}

static void read_run(void *context, const sli_store_run_t *run) {
  pull_t *pull = context;
  cells_t *part = &pull->table->parts[run->part];
  sli_mutex_lock(&part->mutex);
  for (size_t first = 0; first < run->count; first += BLOCK)
    read_block_locked(pull, part, run, first, run->count - first < BLOCK ? run->count - first : BLOCK);
  sli_mutex_unlock(&part->mutex);
}

// Why key |index| could not be read.
static sli_status_t *explain_wrong(pull_t *pull, size_t index) {
  uint64_t key = sli_store_exchange_key(pull->exchange, index);
  uint32_t length = sli_store_exchange_length(pull->exchange, index);
  cells_t *part = part_of(pull->table, key);
  sli_mutex_lock(&part->mutex);
  const slot_t *slot = sli_store_cells_find(part, key);
  bool has_value = slot && sli_store_cells_at(part, slot->cell)->has_value;
  int64_t known = has_value ? (int64_t)slot->length : -1;
  sli_mutex_unlock(&part->mutex);
  return known < 0 || known == length ? unknown_key(pull->table, key) : other_length(pull->table, key, known, length);
}

static sli_status_t *read_all(pull_t *pull) {
  const sli_store_exchange_t *exchange = pull->exchange;
  sli_store_order_run(&pull->order, exchange, pull->table->pool, 5, read_run, pull);
  if (pull->wrong < exchange->count) return explain_wrong(pull, pull->wrong);
  for (size_t i = 0; i < exchange->count && pull->has_large; i++) {
    uint64_t key = sli_store_exchange_key(exchange, i);
    const large_t *large = find_large(pull->table, key);
    if (!large) continue;
    sli_tensor_t *tensor;
    SLI_RETURN_IF_ERROR(large_read(pull->table, large, key, sli_store_exchange_length(exchange, i), &tensor));
    memcpy(pull->to + sli_store_order_offset(&pull->order, exchange, i) * pull->table->item_size, tensor->data,
           sli_tensor_bytes(tensor));
    sli_tensor_release(tensor);
  }
  return NULL;
}

// Copies the values of all keys to |to|.
static sli_status_t *gather(sli_store_table_t *table, const sli_store_exchange_t *exchange, char *to) {
  pull_t pull = {.table = table, .exchange = exchange, .to = to};
  atomic_init(&pull.wrong, exchange->count);
  SLI_RETURN_IF_ERROR(sli_store_order_initialize(&pull.order, exchange));
  sli_status_t *status = read_all(&pull);
  sli_store_order_deinitialize(&pull.order);
  return status;
}

// One large value is sent from where it is.
static bool is_one_large(sli_store_table_t *table, const sli_store_exchange_t *exchange) {
  return exchange->count == 1 && exchange->values_bytes >= SLI_STORE_SMALL_BYTES;
}

static sli_status_t *pull_one(sli_store_table_t *table, const sli_store_exchange_t *exchange, sli_slices_t *out) {
  uint64_t key = sli_store_exchange_key(exchange, 0);
  cells_t *part = part_of(table, key);
  sli_mutex_lock(&part->mutex);
  const slot_t *slot = sli_store_cells_find(part, key);
  int64_t known = slot ? (int64_t)slot->length : -1;
  const cell_t *cell = slot ? sli_store_cells_at(part, slot->cell) : NULL;
  const large_t *large = cell && cell->is_large ? cell->large : NULL;
  sli_mutex_unlock(&part->mutex);
  uint32_t length = sli_store_exchange_length(exchange, 0);
  if (known < 0) return unknown_key(table, key);
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
  typedef struct {
    uint64_t key;
    large_t *large;
  } found_t;
  for (int i = 0; i < SLI_STORE_PARTS; i++) {
    cells_t *part = &table->parts[i];
    SLI_ARRAY(found_t) found = {0};  // large values, which stay where they are
    sli_mutex_lock(&part->mutex);
    for (size_t j = 0; j < part->slot_count; j++) {
      const slot_t *slot = &part->slots[j];
      const cell_t *cell = slot->cell ? sli_store_cells_at(part, slot->cell) : NULL;
      if (cell && cell->is_large) sli_array_push(&found, (found_t){slot->key, cell->large});
      if (!cell || cell->is_large || !cell->has_value) continue;
      bool has_slots = sli_updater_has_steps(updater) && cell->rule == updater->name;
      const char *slots = cell->values + (size_t)slot->length * table->item_size;
      visit(context, &(sli_store_table_value_t){.key = slot->key,
                                                .length = slot->length,
                                                .steps = has_slots ? cell->steps : 0,
                                                .values = cell->values,
                                                .slots = has_slots && updater->slot_count ? slots : NULL});
    }
    sli_mutex_unlock(&part->mutex);
    for (size_t j = 0; j < found.count; j++)
      visit_large(found.items[j].large, found.items[j].key, updater, visit, context);
    sli_array_deinitialize(&found);
  }
}

static sli_status_t *put_slots(sli_store_table_t *table, const sli_store_table_value_t *value,
                               const sli_updater_t *updater) {
  cells_t *part = part_of(table, value->key);
  size_t bytes = (size_t)value->length * table->item_size * (size_t)updater->slot_count;
  sli_status_t *status = NULL;
  sli_mutex_lock(&part->mutex);
  const slot_t *slot = sli_store_cells_find(part, value->key);
  cell_t *cell = slot ? sli_store_cells_at(part, slot->cell) : NULL;
  large_t *large = cell && cell->is_large ? cell->large : NULL;
  if (cell && !large) cell = cell_with_slots_locked(table, part, value->key, value->length, cell, updater);
  if (!cell) status = no_memory(table, value->key);
  if (cell && !large) {
    if (bytes) memcpy(cell->values + (size_t)value->length * table->item_size, value->slots, bytes);
    cell->rule = updater->name;
    cell->steps = value->steps < UINT32_MAX ? (uint32_t)value->steps : UINT32_MAX;
  }
  sli_mutex_unlock(&part->mutex);
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

// Adds |key| with |*made|, unless it is there; sets |*made| to NULL if it was added.
static sli_status_t *bind_new(sli_store_table_t *table, uint64_t key, large_t **made) {
  cells_t *part = part_of(table, key);
  sli_mutex_lock(&part->mutex);
  const slot_t *old = sli_store_cells_find(part, key);
  const cell_t *cell = old ? sli_store_cells_at(part, old->cell) : NULL;
  const large_t *large = cell && cell->is_large ? cell->large : NULL;
  bool is_same =
      large && large->name && !strcmp(large->name, (*made)->name) && !strcmp(large->container, (*made)->container);
  const slot_t *added = old ? NULL : sli_store_cells_add(part, key, 0, 0);
  sli_status_t *status = NULL;
  if (added) {
    cell_t *new_cell = sli_store_cells_at(part, added->cell);
    new_cell->is_large = true;
    new_cell->large = *made;
  } else if (!old) {
    status = no_memory(table, key);
  } else if (!is_same) {
    status =
        sli_status_make(SLI_ALREADY_EXISTS, "Key %llu of table \"%s\" has a value and cannot be bound to variable %s.",
                        (unsigned long long)key, table->name, (*made)->name);
  }
  sli_mutex_unlock(&part->mutex);
  if (added) *made = NULL;
  return status;
}

sli_status_t *sli_store_table_bind(sli_store_table_t *table, uint64_t key, sli_view_t container, sli_view_t name,
                                   int64_t *out_length) {
  *out_length = -1;
  if (table->rows)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Table \"%s\" has rows; its keys cannot be bound to variables.",
                           table->name);
  large_t *made = large_create();
  made->container = sli_strndup(container.data, container.size);
  made->name = sli_strndup(name.data, name.size);
  sli_variable_t *variable;
  sli_status_t *status = large_find(table, made, key, &variable);
  if (!status) {
    *out_length = variable_length(variable);
    sli_variable_release(variable);
    status = bind_new(table, key, &made);
  }
  large_destroy(made);
  return status;
}
