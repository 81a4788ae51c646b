#include "dist/store/store_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sync.h"
#include "dist/store/store_order.h"
#include "math/half.h"

enum {
  TAG_BITS = 6,  // of an entry of the index: some other bits of the hash, so that few other rows are looked at
  ROW_BITS = 32 - TAG_BITS,
  SLAB_BYTES = 1 << 16,  // about; the rows of a shard are in slabs that never move
  ROW_ALIGNMENT = 16,
};
#define MAX_ROWS ((uint32_t)(1 << ROW_BITS) - 2)  // of a shard
#define ROW_MASK ((uint32_t)(1 << ROW_BITS) - 1)

typedef struct {
  uint64_t key;
  uint32_t steps;  // updates so far
  uint32_t unused;
  _Alignas(ROW_ALIGNMENT) char values[];  // then the slots
} row_t;

typedef struct {
  sli_mutex_t mutex;
  // Under mutex.
  uint32_t *index;    // open addressing: the number of the row + 1, and a tag above it; 0: empty
  size_t index_size;  // a power of 2
  uint32_t count;
  int slot_count;    // that there is room for
  const char *rule;  // whose slots they are
  size_t stride;     // bytes of a row
  char **slabs;
  size_t slab_count;
  char padding[64];  // two shards do not share a line of the cache
} row_shard_t;

typedef enum { ZEROS, UNIFORM, NORMAL } kind_t;

struct sli_store_rows {
  sli_dtype_t dtype;
  int64_t length;
  size_t row_bytes;     // of the values
  uint32_t slab_shift;  // a slab has 1 << slab_shift rows
  kind_t kind;
  double scale;
  uint64_t seed;
  char *initializer;
  uint64_t max_bytes;   // 0: no limit
  atomic_size_t bytes;  // of rows, slots and index
  row_shard_t shards[SLI_STORE_SHARDS];
};

// ---- Initial values --------------------------------------------------------------

static sli_status_t *read_initializer(sli_view_t text, sli_store_rows_t *rows) {
  sli_view_t word, rest = sli_view_trim(text);
  sli_view_split(rest, ' ', &word, &rest);
  rows->scale = 0.05;
  if (sli_view_is(word, "uniform"))
    rows->kind = UNIFORM;
  else if (sli_view_is(word, "normal"))
    rows->kind = NORMAL;
  else if (!sli_view_is(word, "zeros"))
    return sli_status_make(SLI_INVALID_ARGUMENT, "The initializer must be zeros, uniform or normal, got \"%.*s\".",
                           (int)(word.size < 100 ? word.size : 100), word.data);
  for (rest = sli_view_trim(rest); rest.size; rest = sli_view_trim(rest)) {
    sli_view_t name, number;
    sli_view_split(rest, ' ', &word, &rest);
    int64_t seed;
    bool is_pair = rows->kind != ZEROS && sli_view_split(word, '=', &name, &number);
    if (is_pair && sli_view_is(name, "seed") && sli_view_to_int64(number, &seed))
      rows->seed = (uint64_t)seed;
    else if (!is_pair || !sli_view_is(name, "scale") || !sli_view_to_double(number, &rows->scale) ||
             !isfinite(rows->scale))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "The initializers uniform and normal have scale=number and seed=integer, got \"%.*s\".",
                             (int)(word.size < 100 ? word.size : 100), word.data);
  }
  return NULL;
}

// A number in (0, 1) that depends on the key and |index| only.
static double unit(uint64_t base, uint64_t index) {
  return ((double)(sli_store_hash(base + index * UINT64_C(0x9e3779b97f4a7c15)) >> 11) + 0.5) * 0x1p-53;
}

static double initial_value(const sli_store_rows_t *rows, uint64_t base, int64_t index) {
  if (rows->kind == UNIFORM) return rows->scale * (2 * unit(base, (uint64_t)index) - 1);
  double radius = sqrt(-2 * log(unit(base, 2 * (uint64_t)index)));
  return rows->scale * radius * cos(6.283185307179586 * unit(base, 2 * (uint64_t)index + 1));
}

static void initialize_values(const sli_store_rows_t *rows, uint64_t key, char *values) {
  if (rows->kind == ZEROS) {
    memset(values, 0, rows->row_bytes);
    return;
  }
  uint64_t base = sli_store_hash(sli_store_hash(key + UINT64_C(0x632be59bd9b4e019)) ^ rows->seed);
  for (int64_t i = 0; i < rows->length; i++) {
    double value = initial_value(rows, base, i);
    switch (rows->dtype) {
      case SLI_DTYPE_FLOAT: ((float *)values)[i] = (float)value; break;
      case SLI_DTYPE_DOUBLE: ((double *)values)[i] = value; break;
      case SLI_DTYPE_HALF: ((sli_half_t *)values)[i] = sli_half_from_float((float)value); break;
      default: ((sli_bfloat16_t *)values)[i] = sli_bfloat16_from_float((float)value); break;
    }
  }
}

// ---- Creation --------------------------------------------------------------------

static size_t stride_for(const sli_store_rows_t *rows, int slot_count) {
  size_t bytes = sizeof(row_t) + rows->row_bytes * (size_t)(1 + slot_count);
  return (bytes + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

sli_status_t *sli_store_rows_create(sli_dtype_t dtype, int64_t length, sli_view_t initializer, uint64_t max_bytes,
                                    sli_store_rows_t **out_rows) {
  *out_rows = NULL;
  if (length < 1 || length > SLI_STORE_ROWS_MAX_LENGTH)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The length of rows must be 1 to %d, got %lld.",
                           SLI_STORE_ROWS_MAX_LENGTH, (long long)length);
  if (!sli_types_contain(SLI_TYPES_FLOATING, dtype))
    return sli_status_make(SLI_UNIMPLEMENTED, "Rows are of type float, double, half or bfloat16, got %s.",
                           sli_dtype_name(dtype));
  sli_store_rows_t *rows = sli_calloc(1, sizeof(*rows));
  sli_status_t *status = read_initializer(initializer, rows);
  if (status) {
    free(rows);
    return status;
  }
  rows->dtype = dtype;
  rows->length = length;
  rows->max_bytes = max_bytes;
  rows->row_bytes = (size_t)length * sli_dtype_size(dtype);
  rows->initializer = sli_strndup(initializer.data, initializer.size);
  for (rows->slab_shift = 4; stride_for(rows, 0) << (rows->slab_shift + 1) <= SLAB_BYTES;) rows->slab_shift++;
  for (int i = 0; i < SLI_STORE_SHARDS; i++) {
    sli_mutex_initialize(&rows->shards[i].mutex);
    rows->shards[i].stride = stride_for(rows, 0);
  }
  *out_rows = rows;
  return NULL;
}

static void free_slabs(char **slabs, size_t count) {
  for (size_t i = 0; i < count; i++) free(slabs[i]);
  free(slabs);
}

void sli_store_rows_destroy(sli_store_rows_t *rows) {
  if (!rows) return;
  for (int i = 0; i < SLI_STORE_SHARDS; i++) {
    free(rows->shards[i].index);
    free_slabs(rows->shards[i].slabs, rows->shards[i].slab_count);
    sli_mutex_deinitialize(&rows->shards[i].mutex);
  }
  free(rows->initializer);
  free(rows);
}

int64_t sli_store_rows_length(const sli_store_rows_t *rows) { return rows->length; }
const char *sli_store_rows_initializer(const sli_store_rows_t *rows) { return rows->initializer; }

sli_store_rows_size_t sli_store_rows_size(sli_store_rows_t *rows) {
  sli_store_rows_size_t size = {.bytes = sizeof(*rows) + atomic_load(&rows->bytes)};
  for (int i = 0; i < SLI_STORE_SHARDS; i++) {
    row_shard_t *shard = &rows->shards[i];
    sli_mutex_lock(&shard->mutex);
    size.rows += shard->count;
    size.bytes += shard->slab_count * sizeof(*shard->slabs);
    sli_mutex_unlock(&shard->mutex);
  }
  return size;
}

// ---- Finding rows, under the shard's mutex -----------------------------------------

static row_t *row_at(const sli_store_rows_t *rows, const row_shard_t *shard, uint32_t number) {
  char *slab = shard->slabs[number >> rows->slab_shift];
  return (row_t *)(slab + (number & ((1u << rows->slab_shift) - 1)) * shard->stride);
}

static uint32_t tag_of(uint64_t hash) { return (uint32_t)(hash >> 40) << ROW_BITS; }

// Where |key| is in the index, or where it would be.
static size_t find_place(const sli_store_rows_t *rows, const row_shard_t *shard, uint64_t hash, uint64_t key) {
  size_t mask = shard->index_size - 1, at = (size_t)hash & mask;
  for (uint32_t entry; (entry = shard->index[at]); at = (at + 1) & mask)
    if ((entry & ~ROW_MASK) == tag_of(hash) && row_at(rows, shard, (entry & ROW_MASK) - 1)->key == key) break;
  return at;
}

// Allocates memory for rows or their index; NULL if there is none, or at the limit.
static void *take_memory(sli_store_rows_t *rows, size_t size) {
  size_t before = atomic_fetch_add(&rows->bytes, size);
  void *memory = rows->max_bytes && before + size > rows->max_bytes ? NULL : sli_malloc_or_null(size);
  if (!memory) atomic_fetch_sub(&rows->bytes, size);
  return memory;
}

// Makes room for one more row in the index, which is at most 4/5 full.
static bool grow_index(sli_store_rows_t *rows, row_shard_t *shard) {
  if (shard->index_size && 5 * ((size_t)shard->count + 1) <= 4 * shard->index_size) return true;
  size_t size = shard->index_size ? 2 * shard->index_size : 16, mask = size - 1;
  uint32_t *index = take_memory(rows, size * sizeof(*index));
  if (!index) return false;
  memset(index, 0, size * sizeof(*index));
  for (uint32_t i = 0; i < shard->count; i++) {
    uint64_t hash = sli_store_hash(row_at(rows, shard, i)->key);
    size_t at = (size_t)hash & mask;
    while (index[at]) at = (at + 1) & mask;
    index[at] = tag_of(hash) | (i + 1);
  }
  free(shard->index);
  atomic_fetch_sub(&rows->bytes, shard->index_size * sizeof(*index));
  shard->index = index;
  shard->index_size = size;
  return true;
}

static bool add_slab(sli_store_rows_t *rows, row_shard_t *shard) {
  char *slab = take_memory(rows, shard->stride << rows->slab_shift);
  if (!slab) return false;
  shard->slabs = sli_realloc(shard->slabs, (shard->slab_count + 1) * sizeof(*shard->slabs));
  shard->slabs[shard->slab_count++] = slab;
  return true;
}

static void drop_slabs(sli_store_rows_t *rows, row_shard_t *shard) {
  atomic_fetch_sub(&rows->bytes, (shard->slab_count << rows->slab_shift) * shard->stride);
  free_slabs(shard->slabs, shard->slab_count);
}

static void fill_slots(const sli_store_rows_t *rows, const sli_store_updater_t *updater, row_t *row) {
  sli_store_updater_fill_slots(updater, rows->dtype, row->values + rows->row_bytes, rows->length);
  row->steps = 0;
}

// The row of |key|, which is created if there is none; its slots get their values with the first update. NULL without
// memory.
static row_t *find_or_create(sli_store_rows_t *rows, row_shard_t *shard, uint64_t hash, uint64_t key) {
  if (!grow_index(rows, shard)) return NULL;
  size_t at = find_place(rows, shard, hash, key);
  if (shard->index[at]) return row_at(rows, shard, (shard->index[at] & ROW_MASK) - 1);
  if (shard->count >= MAX_ROWS) return NULL;
  if (shard->count == shard->slab_count << rows->slab_shift && !add_slab(rows, shard)) return NULL;
  row_t *row = row_at(rows, shard, shard->count);
  *row = (row_t){.key = key};
  initialize_values(rows, key, row->values);
  shard->index[at] = tag_of(hash) | ++shard->count;
  return row;
}

// Gives all rows of the shard the slots that |updater| needs.
static bool prepare_slots(sli_store_rows_t *rows, row_shard_t *shard, const sli_store_updater_t *updater) {
  if (!updater->rule || shard->rule == updater->name) return true;
  if (shard->slot_count < updater->slot_count) {
    row_shard_t grown = {.stride = stride_for(rows, updater->slot_count)};
    for (size_t i = 0; i < shard->slab_count; i++)
      if (!add_slab(rows, &grown)) {
        drop_slabs(rows, &grown);
        return false;
      }
    for (uint32_t i = 0; i < shard->count; i++)
      memcpy(row_at(rows, &grown, i), row_at(rows, shard, i), sizeof(row_t) + rows->row_bytes);
    drop_slabs(rows, shard);
    shard->slabs = grown.slabs;
    shard->slab_count = grown.slab_count;
    shard->stride = grown.stride;
    shard->slot_count = updater->slot_count;
  }
  for (uint32_t i = 0; i < shard->count; i++) row_at(rows, shard, i)->steps = 0;
  shard->rule = updater->name;
  return true;
}

// ---- Push and pull ---------------------------------------------------------------

static sli_status_t *check_lengths(const sli_store_rows_t *rows, const sli_store_exchange_t *exchange) {
  for (size_t i = 0; i < (exchange->lengths ? exchange->count : 1); i++) {
    uint32_t length = sli_store_exchange_length(exchange, i);
    if (length != rows->length)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "The rows of table \"%.*s\" have %lld elements, the call expects %u.",
                             SLI_VIEW_ARG(exchange->table), (long long)rows->length, length);
  }
  return NULL;
}

static sli_status_t *no_memory(const sli_store_exchange_t *exchange, uint64_t key) {
  return sli_status_make(SLI_RESOURCE_EXHAUSTED,
                         "There is no memory for row %llu of table \"%.*s\", or its limit is reached.",
                         (unsigned long long)key, SLI_VIEW_ARG(exchange->table));
}

// Updates the rows of one shard. Returns the index of the first row for which there is no memory; the number of keys if
// there is none.
static size_t update_shard(sli_store_rows_t *rows, const sli_store_exchange_t *exchange, const sli_store_order_t *order,
                           size_t which, const sli_store_updater_t *updater) {
  row_shard_t *shard = &rows->shards[which];
  size_t k = order->starts[which], end = order->starts[which + 1];
  sli_mutex_lock(&shard->mutex);
  for (bool ok = prepare_slots(rows, shard, updater); ok && k < end; k++) {
    uint64_t key = sli_store_exchange_key(exchange, order->keys[k]);
    row_t *row = find_or_create(rows, shard, sli_store_hash(key), key);
    if (!row) break;
    // Rows that were only read so far have no slots yet.
    if (updater->rule && !row->steps) fill_slots(rows, updater, row);
    if (updater->rule && row->steps < UINT32_MAX) row->steps++;
    sli_store_updater_apply(updater, rows->dtype, row->values, row->values + rows->row_bytes, rows->length,
                            exchange->values.data + order->keys[k] * rows->row_bytes, 0, rows->length, row->steps);
  }
  sli_mutex_unlock(&shard->mutex);
  return k < end ? order->keys[k] : exchange->count;
}

// The same for copying them to |to|.
static size_t copy_shard(sli_store_rows_t *rows, const sli_store_exchange_t *exchange, const sli_store_order_t *order,
                         size_t which, char *to) {
  row_shard_t *shard = &rows->shards[which];
  size_t k = order->starts[which], end = order->starts[which + 1];
  sli_mutex_lock(&shard->mutex);
  for (; k < end; k++) {
    uint64_t key = sli_store_exchange_key(exchange, order->keys[k]);
    const row_t *row = find_or_create(rows, shard, sli_store_hash(key), key);
    if (!row) break;
    memcpy(to + order->keys[k] * rows->row_bytes, row->values, rows->row_bytes);
  }
  sli_mutex_unlock(&shard->mutex);
  return k < end ? order->keys[k] : exchange->count;
}

// Updates the rows if there is an |updater|, else copies them to |to|.
static sli_status_t *run(sli_store_rows_t *rows, const sli_store_exchange_t *exchange,
                         const sli_store_updater_t *updater, char *to) {
  sli_store_order_t order;
  SLI_RETURN_IF_ERROR(check_lengths(rows, exchange));
  SLI_RETURN_IF_ERROR(sli_store_order_initialize(&order, exchange));
  size_t failed = exchange->count;
  for (size_t i = 0; i < SLI_STORE_SHARDS && failed == exchange->count; i++) {
    if (order.starts[i] == order.starts[i + 1]) continue;
    failed = updater ? update_shard(rows, exchange, &order, i, updater) : copy_shard(rows, exchange, &order, i, to);
  }
  sli_store_order_deinitialize(&order);
  return failed == exchange->count ? NULL : no_memory(exchange, sli_store_exchange_key(exchange, failed));
}

sli_status_t *sli_store_rows_push(sli_store_rows_t *rows, const sli_store_exchange_t *exchange,
                                  const sli_store_updater_t *updater) {
  return run(rows, exchange, updater, NULL);
}

sli_status_t *sli_store_rows_pull(sli_store_rows_t *rows, const sli_store_exchange_t *exchange, char *to) {
  return run(rows, exchange, NULL, to);
}
