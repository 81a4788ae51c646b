#include "ops/embedding/embedding_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "math/half.h"
#include "ops/embedding/embedding_rows_internal.h"

enum {
  TAG_BITS = 6,  // of an entry of the index: some other bits of the hash, so that few other rows are looked at
  ROW_BITS = 32 - TAG_BITS,
  SLAB_BYTES = 1 << 16,   // about; the rows of a shard are in slabs that never move
  LEAST_SLABS = 8,        // that fit in a shard with a limit
  SMALL_SLABS = 2,        // of each shard that are not in huge pages
  CANDIDATES = 8,         // rows of which the one that was not used for the longest time makes room
  MAX_REMOVED = 1 << 20,  // keys of a shard that are recorded
  BLOCK = 64,             // keys for which the memory is fetched together
  MAX_FETCHED = 512,      // bytes of a row that are
};
#define MAX_ROWS ((uint32_t)(1 << ROW_BITS) - 2)  // of a shard
#define ROW_MASK ((uint32_t)(1 << ROW_BITS) - 1)
#define MAX_AGE (UINT64_C(1) << 30)

typedef sli_embedding_row_t row_t;
typedef sli_embedding_shard_t row_shard_t;

// ---- Creation --------------------------------------------------------------------

static size_t stride_for(const sli_embedding_rows_t *rows, int slot_count) {
  size_t bytes = sizeof(row_t) + rows->stored_bytes + rows->row_bytes * (size_t)slot_count;
  return (bytes + SLI_EMBEDDING_ROW_ALIGNMENT - 1) / SLI_EMBEDDING_ROW_ALIGNMENT * SLI_EMBEDDING_ROW_ALIGNMENT;
}

static size_t frozen_size(const sli_embedding_rows_t *rows, int slot_count) {
  return sizeof(sli_embedding_frozen_t) + rows->stored_bytes + rows->row_bytes * (size_t)slot_count;
}

static sli_status_t *check_options(const sli_embedding_rows_options_t *options) {
  if (options->length < 1 || options->length > SLI_EMBEDDING_ROWS_MAX_LENGTH)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The length of rows must be 1 to %d, got %lld.",
                           SLI_EMBEDDING_ROWS_MAX_LENGTH, (long long)options->length);
  if (!sli_types_contain(SLI_TYPES_FLOATING, options->dtype))
    return sli_status_make(SLI_UNIMPLEMENTED, "Rows are of type float, double, half or bfloat16, got %s.",
                           sli_dtype_name(options->dtype));
  if (options->store && options->dtype != SLI_DTYPE_FLOAT)
    return sli_status_make(SLI_UNIMPLEMENTED, "Only rows of type float can be stored as bfloat16 or int8, got %s.",
                           sli_dtype_name(options->dtype));
  if (options->max_age > MAX_AGE || options->admit_after > SLI_EMBEDDING_FILTER_MAX_COUNT)
    return sli_status_make(SLI_INVALID_ARGUMENT, "max_age must be at most %llu and admit_after %d, got %llu and %llu.",
                           (unsigned long long)MAX_AGE, SLI_EMBEDDING_FILTER_MAX_COUNT,
                           (unsigned long long)options->max_age, (unsigned long long)options->admit_after);
  return NULL;
}

static size_t stored_bytes(const sli_embedding_rows_options_t *options) {
  size_t length = (size_t)options->length;
  switch (options->store) {
    case SLI_EMBEDDING_STORE_BFLOAT16: return (length * sizeof(sli_bfloat16_t) + 3) / 4 * 4;
    case SLI_EMBEDDING_STORE_INT8: return sizeof(float) + (length + 3) / 4 * 4;
    default: return length * sli_dtype_size(options->dtype);
  }
}

sli_status_t *sli_embedding_rows_create(const sli_embedding_rows_options_t *options, sli_embedding_rows_t **out_rows) {
  *out_rows = NULL;
  sli_embedding_initial_t initial;
  SLI_RETURN_IF_ERROR(check_options(options));
  SLI_RETURN_IF_ERROR(sli_embedding_initial_parse(options->initializer, &initial));
  sli_embedding_rows_t *rows = sli_calloc(1, sizeof(*rows));
  rows->options = *options;
  rows->options.initializer =
      sli_view_of(sli_strndup(options->initializer.data, options->initializer.size), options->initializer.size);
  rows->initial = initial;
  sli_embedding_pages_initialize(&rows->pages);
  rows->row_bytes = (size_t)options->length * sli_dtype_size(options->dtype);
  rows->stored_bytes = stored_bytes(options);
  rows->shard_bytes = (size_t)(options->max_bytes + SLI_EMBEDDING_SHARDS - 1) / SLI_EMBEDDING_SHARDS;
  uint64_t shard_rows = (options->max_rows + SLI_EMBEDDING_SHARDS - 1) / SLI_EMBEDDING_SHARDS;
  rows->shard_rows = shard_rows && shard_rows < MAX_ROWS ? (uint32_t)shard_rows : MAX_ROWS;
  size_t slab = SLAB_BYTES;
  if (rows->shard_bytes && rows->shard_bytes / LEAST_SLABS < slab) slab = rows->shard_bytes / LEAST_SLABS;
  while (stride_for(rows, 0) << (rows->slab_shift + 1) <= slab) rows->slab_shift++;
  char *directory = sli_strndup(options->directory.data, options->directory.size);
  rows->options.directory = sli_view_of(directory, options->directory.size);
  sli_status_t *status = NULL;
  for (int i = 0; i < SLI_EMBEDDING_SHARDS; i++) {
    sli_mutex_initialize(&rows->shards[i].mutex);
    rows->shards[i].stride = stride_for(rows, 0);
    if (!status && *directory)
      status = sli_embedding_cold_create(directory, frozen_size(rows, SLI_UPDATER_MAX_SLOTS), &rows->shards[i].cold);
  }
  if (status)
    sli_embedding_rows_destroy(rows);
  else
    *out_rows = rows;
  return status;
}

static void free_slabs(sli_embedding_rows_t *rows, char **slabs, size_t count) {
  for (size_t i = 0; i < count; i++) sli_embedding_pages_release(&rows->pages, slabs[i]);
  free(slabs);
}

void sli_embedding_rows_destroy(sli_embedding_rows_t *rows) {
  if (!rows) return;
  for (int i = 0; i < SLI_EMBEDDING_SHARDS; i++) {
    row_shard_t *shard = &rows->shards[i];
    free(shard->index);
    free_slabs(rows, shard->slabs, shard->slab_count);
    sli_embedding_filter_deinitialize(&shard->filter);
    sli_array_deinitialize(&shard->removed);
    sli_embedding_cold_destroy(shard->cold);
    sli_mutex_deinitialize(&shard->mutex);
  }
  sli_embedding_pages_deinitialize(&rows->pages);
  free((char *)rows->options.initializer.data);
  free((char *)rows->options.directory.data);
  free(rows);
}

const sli_embedding_rows_options_t *sli_embedding_rows_options(const sli_embedding_rows_t *rows) {
  return &rows->options;
}

sli_embedding_rows_size_t sli_embedding_rows_size(sli_embedding_rows_t *rows) {
  sli_embedding_rows_size_t size = {.bytes = sizeof(*rows)};
  for (int i = 0; i < SLI_EMBEDDING_SHARDS; i++) {
    row_shard_t *shard = &rows->shards[i];
    sli_mutex_lock(&shard->mutex);
    size.rows += shard->count;
    size.bytes += shard->bytes + shard->slab_count * sizeof(*shard->slabs) + sli_embedding_filter_bytes(&shard->filter);
    if (shard->cold) {
      size.rows += sli_embedding_cold_count(shard->cold);
      size.cold_rows += sli_embedding_cold_count(shard->cold);
      size.bytes += sli_embedding_cold_memory(shard->cold);
      size.cold_bytes += sli_embedding_cold_file(shard->cold);
    }
    size.evicted += shard->evicted;
    size.refused += shard->refused;
    sli_mutex_unlock(&shard->mutex);
  }
  return size;
}

// ---- Stored values ---------------------------------------------------------------

// A number in [0, 1) for each element; 0.5 always without |random|.
static float chance(uint64_t random, int64_t index) {
  if (!random) return 0.5f;
  uint32_t bits = (uint32_t)((random + (uint64_t)index * UINT64_C(0x9e3779b97f4a7c15)) >> 32) * UINT32_C(0x85ebca6b);
  return (float)(bits >> 8) * 0x1p-24f;
}

static void encode_bfloat16(const float *values, int64_t length, uint64_t random, sli_bfloat16_t *to) {
  for (int64_t i = 0; i < length; i++) {
    uint32_t bits = sli_half_float_to_bits(values[i]);
    // Adding less than one unit of the last place carries by chance. Infinities and NaN are rounded as usual.
    bool is_finite = (bits & 0x7f800000) != 0x7f800000;
    to[i] = random && is_finite ? (sli_bfloat16_t)((bits + (uint32_t)(chance(random, i) * 65536)) >> 16)
                                : sli_bfloat16_from_float(values[i]);
  }
}

static void encode_int8(const float *values, int64_t length, uint64_t random, char *stored) {
  float largest = 0;
  for (int64_t i = 0; i < length; i++)
    largest = fabsf(values[i]) > largest || isnan(values[i]) ? fabsf(values[i]) : largest;
  float scale = largest / 127, inverse = scale > 0 && isfinite(scale) ? 1 / scale : 0;
  int8_t *to = (int8_t *)stored + sizeof(scale);
  memcpy(stored, &scale, sizeof(scale));
  for (int64_t i = 0; i < length; i++) {
    float rounded = isfinite(inverse) ? floorf(values[i] * inverse + chance(random, i)) : 0;
    if (!isfinite(scale)) rounded = 1;  // the whole row is infinite or NaN
    to[i] = (int8_t)(rounded > 127 ? 127 : rounded < -127 ? -127 : rounded);
  }
}

void sli_embedding_row_encode(const sli_embedding_rows_t *rows, const void *values, uint64_t random, char *stored) {
  switch (rows->options.store) {
    case SLI_EMBEDDING_STORE_BFLOAT16:
      encode_bfloat16(values, rows->options.length, random, (sli_bfloat16_t *)stored);
      break;
    case SLI_EMBEDDING_STORE_INT8: encode_int8(values, rows->options.length, random, stored); break;
    default: memcpy(stored, values, rows->row_bytes);
  }
}

void sli_embedding_row_decode(const sli_embedding_rows_t *rows, const char *stored, void *values) {
  float *to = values;
  int64_t length = rows->options.length;
  if (rows->options.store == SLI_EMBEDDING_STORE_PLAIN) {
    memcpy(values, stored, rows->row_bytes);
  } else if (rows->options.store == SLI_EMBEDDING_STORE_BFLOAT16) {
    for (int64_t i = 0; i < length; i++) to[i] = sli_bfloat16_to_float(((const sli_bfloat16_t *)stored)[i]);
  } else {
    float scale;
    memcpy(&scale, stored, sizeof(scale));
    for (int64_t i = 0; i < length; i++) to[i] = scale * (float)((const int8_t *)stored + sizeof(scale))[i];
  }
}

// ---- Finding rows, under the shard's mutex -----------------------------------------

row_t *sli_embedding_row_at(const sli_embedding_rows_t *rows, const row_shard_t *shard, uint32_t number) {
  char *slab = shard->slabs[number >> rows->slab_shift];
  return (row_t *)(slab + (number & ((1u << rows->slab_shift) - 1)) * shard->stride);
}

static uint32_t tag_of(uint64_t hash) { return (uint32_t)(hash >> 40) << ROW_BITS; }

// Where |key| is in the index, or where it would be.
static size_t find_place(const sli_embedding_rows_t *rows, const row_shard_t *shard, uint64_t hash, uint64_t key) {
  size_t mask = shard->index_size - 1, at = (size_t)hash & mask;
  for (uint32_t entry; (entry = shard->index[at]); at = (at + 1) & mask)
    if ((entry & ~ROW_MASK) == tag_of(hash) && sli_embedding_row_at(rows, shard, (entry & ROW_MASK) - 1)->key == key)
      break;
  return at;
}

static row_t *find_row(const sli_embedding_rows_t *rows, const row_shard_t *shard, uint64_t hash, uint64_t key) {
  if (!shard->index_size) return NULL;
  uint32_t entry = shard->index[find_place(rows, shard, hash, key)];
  return entry ? sli_embedding_row_at(rows, shard, (entry & ROW_MASK) - 1) : NULL;
}

// Allocates memory for rows or their index; NULL if there is none, or at the limit.
static void *take_memory(const sli_embedding_rows_t *rows, row_shard_t *shard, size_t size) {
  if (rows->shard_bytes && shard->bytes + size > rows->shard_bytes) return NULL;
  void *memory = sli_malloc_or_null(size);
  if (memory) shard->bytes += size;
  return memory;
}

// Makes room for one more row in the index, which is at most 4/5 full.
static bool grow_index(const sli_embedding_rows_t *rows, row_shard_t *shard) {
  if (shard->index_size && 5 * ((size_t)shard->count + 1) <= 4 * shard->index_size) return true;
  size_t size = shard->index_size ? 2 * shard->index_size : 16, mask = size - 1;
  uint32_t *index = take_memory(rows, shard, size * sizeof(*index));
  if (!index) return false;
  memset(index, 0, size * sizeof(*index));
  for (uint32_t i = 0; i < shard->numbers; i++) {
    const row_t *row = sli_embedding_row_at(rows, shard, i);
    if (row->used == SLI_EMBEDDING_NOT_USED) continue;
    uint64_t hash = sli_embedding_hash(row->key);
    size_t at = (size_t)hash & mask;
    while (index[at]) at = (at + 1) & mask;
    index[at] = tag_of(hash) | (i + 1);
  }
  free(shard->index);
  shard->bytes -= shard->index_size * sizeof(*index);
  shard->index = index;
  shard->index_size = size;
  return true;
}

static bool add_slab(sli_embedding_rows_t *rows, row_shard_t *shard) {
  size_t size = shard->stride << rows->slab_shift;
  if (rows->shard_bytes && shard->bytes + size > rows->shard_bytes) return false;
  // Small tables should not take a huge page.
  char *slab = sli_embedding_pages_allocate(&rows->pages, size, shard->slab_count >= SMALL_SLABS);
  if (!slab) return false;
  shard->bytes += size;
  shard->slabs = sli_realloc(shard->slabs, (shard->slab_count + 1) * sizeof(*shard->slabs));
  shard->slabs[shard->slab_count++] = slab;
  return true;
}

// Closes the gap at |at| in the index: entries after it that belong before it move there.
static void close_gap(const sli_embedding_rows_t *rows, row_shard_t *shard, size_t at) {
  size_t mask = shard->index_size - 1, gap = at;
  for (size_t next = (at + 1) & mask; shard->index[next]; next = (next + 1) & mask) {
    const row_t *row = sli_embedding_row_at(rows, shard, (shard->index[next] & ROW_MASK) - 1);
    size_t home = (size_t)sli_embedding_hash(row->key) & mask;
    if (((next - home) & mask) < ((next - gap) & mask)) continue;
    shard->index[gap] = shard->index[next];
    gap = next;
  }
  shard->index[gap] = 0;
}

// Removes a row from memory only.
static void forget_row(const sli_embedding_rows_t *rows, row_shard_t *shard, uint64_t key) {
  if (!shard->index_size) return;
  size_t at = find_place(rows, shard, sli_embedding_hash(key), key);
  if (!shard->index[at]) return;
  uint32_t number = (shard->index[at] & ROW_MASK) - 1;
  row_t *row = sli_embedding_row_at(rows, shard, number);
  close_gap(rows, shard, at);
  row->used = SLI_EMBEDDING_NOT_USED;
  row->key = shard->free;
  shard->free = number + 1;
  shard->count--;
}

void sli_embedding_row_remove(sli_embedding_rows_t *rows, row_shard_t *shard, uint64_t key) {
  forget_row(rows, shard, key);
  if (shard->cold) sli_status_release(sli_embedding_cold_remove(shard->cold, key));
  if (shard->tracks && shard->removed.count < MAX_REMOVED)
    sli_array_push(&shard->removed, key);
  else
    shard->lost_track = true;
}

// Writes a row to the disk and removes it from memory. False if the disk is full.
static bool freeze_row(const sli_embedding_rows_t *rows, row_shard_t *shard, const row_t *row) {
  size_t size = frozen_size(rows, shard->slot_count);
  char *frozen = sli_malloc(size);
  *(sli_embedding_frozen_t *)frozen = (sli_embedding_frozen_t){
      .steps = row->steps, .used = row->used, .rules = shard->rules, .slot_count = (uint32_t)shard->slot_count};
  memcpy(frozen + sizeof(sli_embedding_frozen_t), row->values, size - sizeof(sli_embedding_frozen_t));
  // The slots of a row that was never updated have no values yet.
  if (!row->steps)
    memset(frozen + sizeof(sli_embedding_frozen_t) + rows->stored_bytes, 0,
           rows->row_bytes * (size_t)shard->slot_count);
  sli_status_t *status = sli_embedding_cold_put(shard->cold, row->key, frozen, size);
  free(frozen);
  if (!status) forget_row(rows, shard, row->key);
  bool ok = !status;
  sli_status_release(status);
  return ok;
}

void sli_embedding_rows_clear(sli_embedding_rows_t *rows) {
  for (int i = 0; i < SLI_EMBEDDING_SHARDS; i++) {
    row_shard_t *shard = &rows->shards[i];
    sli_mutex_lock(&shard->mutex);
    if (shard->index) memset(shard->index, 0, shard->index_size * sizeof(*shard->index));
    shard->count = shard->numbers = shard->free = shard->hand = 0;
    if (shard->cold) sli_embedding_cold_clear(shard->cold);
    shard->lost_track = true;
    sli_mutex_unlock(&shard->mutex);
  }
}

// Removes the row that was not used for the longest time, among some of the shard. False if there is none.
static bool evict_one(sli_embedding_rows_t *rows, row_shard_t *shard) {
  uint32_t tick = sli_embedding_rows_tick(rows);
  const row_t *oldest = NULL;
  for (int found = 0; shard->count && found < CANDIDATES;) {
    if (shard->hand >= shard->numbers) shard->hand = 0;
    const row_t *row = sli_embedding_row_at(rows, shard, shard->hand++);
    if (row->used == SLI_EMBEDDING_NOT_USED) continue;
    if (!oldest || tick - row->used > tick - oldest->used) oldest = row;
    found++;
  }
  if (!oldest) return false;
  if (shard->cold) return freeze_row(rows, shard, oldest);
  sli_embedding_row_remove(rows, shard, oldest->key);
  shard->evicted++;
  return true;
}

// A free row, without its key. NULL without memory or at a limit.
static row_t *take_row(sli_embedding_rows_t *rows, row_shard_t *shard, uint32_t *out_number) {
  bool is_full = shard->count >= rows->shard_rows || !grow_index(rows, shard) ||
                 (!shard->free && shard->numbers == shard->slab_count << rows->slab_shift && !add_slab(rows, shard));
  if (is_full && ((!rows->options.evicts && !shard->cold) || !evict_one(rows, shard))) return NULL;
  if (!shard->free) {
    *out_number = shard->numbers++;
    return sli_embedding_row_at(rows, shard, *out_number);
  }
  *out_number = shard->free - 1;
  row_t *row = sli_embedding_row_at(rows, shard, *out_number);
  shard->free = (uint32_t)row->key;
  return row;
}

row_t *sli_embedding_row_create(sli_embedding_rows_t *rows, row_shard_t *shard, uint64_t hash, uint64_t key,
                                bool *out_is_new) {
  row_t *row = find_row(rows, shard, hash, key);
  *out_is_new = !row;
  uint32_t number;
  if (row || !(row = take_row(rows, shard, &number))) return row;
  *row = (row_t){.key = key, .used = sli_embedding_rows_tick(rows)};
  shard->index[find_place(rows, shard, hash, key)] = tag_of(hash) | (number + 1);
  shard->count++;
  return row;
}

bool sli_embedding_row_prepare_slots(sli_embedding_rows_t *rows, row_shard_t *shard, const sli_updater_t *updater) {
  if (!sli_updater_has_steps(updater) || shard->rule == updater->name) return true;
  if (shard->slot_count < updater->slot_count) {
    row_shard_t grown = {.stride = stride_for(rows, updater->slot_count), .bytes = shard->bytes};
    for (size_t i = 0; i < shard->slab_count; i++)
      if (!add_slab(rows, &grown)) {
        free_slabs(rows, grown.slabs, grown.slab_count);
        return false;
      }
    for (uint32_t i = 0; i < shard->numbers; i++)
      memcpy(sli_embedding_row_at(rows, &grown, i), sli_embedding_row_at(rows, shard, i),
             sizeof(row_t) + rows->stored_bytes);
    shard->bytes = grown.bytes - (shard->slab_count << rows->slab_shift) * shard->stride;
    free_slabs(rows, shard->slabs, shard->slab_count);
    shard->slabs = grown.slabs;
    shard->stride = grown.stride;
    shard->slot_count = updater->slot_count;
  }
  for (uint32_t i = 0; i < shard->numbers; i++) sli_embedding_row_at(rows, shard, i)->steps = 0;
  shard->rules++;
  shard->rule = updater->name;
  return true;
}

// ---- Push and pull ---------------------------------------------------------------

typedef struct {
  sli_embedding_rows_t *rows;
  sli_embedding_order_t order;
  const char *keys;
  const char *values;            // to push
  const sli_updater_t *updater;  // NULL: pull
  char *to;
  bool create;
  _Atomic(sli_status_t *) failure;  // the first one; NULL: none
} work_t;

static sli_status_t *no_memory(uint64_t key) {
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory for row %llu, or its limit is reached.",
                         (unsigned long long)key);
}

// Consumes |status|.
static void fail(work_t *work, sli_status_t *status) {
  sli_status_t *none = NULL;
  if (!atomic_compare_exchange_strong(&work->failure, &none, status)) sli_status_release(status);
}

// Some keys of a shard, whose memory is fetched together: first the places in the index, then the rows, so that the
// waits for memory overlap.
typedef struct {
  uint64_t keys[BLOCK], hashes[BLOCK];
} block_t;

static void fetch_block(const work_t *work, const row_shard_t *shard, size_t first, size_t count, block_t *block) {
  size_t mask = shard->index_size - 1;
  for (size_t i = 0; i < count; i++) {
    block->keys[i] = sli_embedding_key(work->keys, work->order.keys[first + i]);
    block->hashes[i] = sli_embedding_hash(block->keys[i]);
    if (shard->index_size) __builtin_prefetch(&shard->index[(size_t)block->hashes[i] & mask]);
  }
  size_t size = shard->stride < MAX_FETCHED ? shard->stride : MAX_FETCHED;
  for (size_t i = 0; i < count && shard->index_size; i++) {
    size_t at = (size_t)block->hashes[i] & mask;
    uint32_t tag = tag_of(block->hashes[i]), entry;
    while ((entry = shard->index[at]) && (entry & ~ROW_MASK) != tag) at = (at + 1) & mask;
    if (!entry) continue;
    const char *row = (const char *)sli_embedding_row_at(work->rows, shard, (entry & ROW_MASK) - 1);
    for (size_t byte = 0; byte < size; byte += 64) __builtin_prefetch(row + byte);
  }
}

// Removes rows that are too old, among the next |count| of the shard.
static void sweep(sli_embedding_rows_t *rows, row_shard_t *shard, size_t count) {
  uint32_t tick = sli_embedding_rows_tick(rows), max_age = (uint32_t)rows->options.max_age;
  for (size_t i = 0; max_age && i < count && shard->numbers; i++) {
    if (shard->hand >= shard->numbers) shard->hand = 0;
    const row_t *row = sli_embedding_row_at(rows, shard, shard->hand++);
    if (row->used == SLI_EMBEDDING_NOT_USED || tick - row->used <= max_age) continue;
    sli_embedding_row_remove(rows, shard, row->key);
    shard->evicted++;
  }
}

static void update_row(const sli_embedding_rows_t *rows, row_t *row, const sli_updater_t *updater, const char *from,
                       float *scratch) {
  int64_t length = rows->options.length;
  char *slots = row->values + rows->stored_bytes;
  // Rows that were only read so far have no slots yet.
  if (sli_updater_has_steps(updater) && !row->steps)
    sli_updater_fill_slots(updater, rows->options.dtype, slots, length);
  if (sli_updater_has_steps(updater) && row->steps < UINT32_MAX) row->steps++;
  bool is_plain = rows->options.store == SLI_EMBEDDING_STORE_PLAIN;
  if (!is_plain) sli_embedding_row_decode(rows, row->values, scratch);
  sli_updater_apply(updater, rows->options.dtype, is_plain ? row->values : (char *)scratch, slots, length, from, 0,
                    length, row->steps);
  if (is_plain) return;
  uint64_t random = sli_updater_has_steps(updater) ? sli_embedding_hash(row->key + row->steps) | 1 : 0;
  sli_embedding_row_encode(rows, scratch, random, row->values);
}

static void set_initial(const sli_embedding_rows_t *rows, row_t *row, float *scratch) {
  bool is_plain = rows->options.store == SLI_EMBEDDING_STORE_PLAIN;
  sli_embedding_initial_fill(&rows->initial, row->key, rows->options.dtype, rows->options.length,
                             is_plain ? (void *)row->values : scratch);
  if (!is_plain) sli_embedding_row_encode(rows, scratch, 0, row->values);
}

// Reads the row of |key| from the disk; |*out_frozen| is NULL if it is not there, else the caller frees it.
static sli_status_t *read_frozen(const sli_embedding_rows_t *rows, row_shard_t *shard, uint64_t key,
                                 sli_embedding_frozen_t **out_frozen) {
  *out_frozen = NULL;
  if (!shard->cold || !sli_embedding_cold_count(shard->cold)) return NULL;
  size_t size;
  sli_embedding_frozen_t *frozen = sli_malloc(frozen_size(rows, SLI_UPDATER_MAX_SLOTS));
  sli_status_t *status = sli_embedding_cold_get(shard->cold, key, frozen, &size);
  if (status || !size)
    free(frozen);
  else
    *out_frozen = frozen;
  return status;
}

// Brings the row of |key| back from the disk, if it is there.
static sli_status_t *thaw_row(sli_embedding_rows_t *rows, row_shard_t *shard, uint64_t key, row_t **out_row) {
  *out_row = NULL;
  sli_embedding_frozen_t *frozen;
  SLI_RETURN_IF_ERROR(read_frozen(rows, shard, key, &frozen));
  if (!frozen) return NULL;
  bool is_new;
  row_t *row = sli_embedding_row_create(rows, shard, sli_embedding_hash(key), key, &is_new);
  sli_status_t *status = row ? sli_embedding_cold_remove(shard->cold, key) : no_memory(key);
  if (!status) {
    bool has_slots = frozen->rules == shard->rules;
    size_t size = rows->stored_bytes + (has_slots ? rows->row_bytes * frozen->slot_count : 0);
    memcpy(row->values, frozen + 1, size);
    row->steps = has_slots ? frozen->steps : 0;
    row->used = frozen->used;
    *out_row = row;
  }
  free(frozen);
  return status;
}

// The row of |key|, created if that is wanted and it is admitted; NULL if not. |*out_failed|: there is no memory.
static row_t *open_row(work_t *work, row_shard_t *shard, uint64_t hash, uint64_t key, float *scratch,
                       bool *out_failed) {
  sli_embedding_rows_t *rows = work->rows;
  uint64_t needed = rows->options.admit_after;
  row_t *row = find_row(rows, shard, hash, key);
  if (!row && work->create && shard->cold) {
    sli_status_t *status = thaw_row(rows, shard, key, &row);
    *out_failed = status != NULL;
    if (status) fail(work, status);
    if (status) return NULL;
  }
  if (row || !work->create) return row;
  // Assignments are not training: what is put into the table stays.
  bool is_counted = needed > 1 && (!work->updater || sli_updater_has_steps(work->updater));
  if (is_counted && (work->updater || sli_embedding_filter_count(&shard->filter, hash) < needed)) {
    if (work->updater) shard->refused++;
    return NULL;
  }
  bool is_new;
  row = sli_embedding_row_create(rows, shard, hash, key, &is_new);
  *out_failed = !row;
  if (!row) fail(work, no_memory(key));
  if (row) set_initial(rows, row, scratch);
  return row;
}

// Copies a row, where it is, or the values that it would have.
static bool pull_row(work_t *work, row_shard_t *shard, const row_t *row, uint64_t key, char *to) {
  const sli_embedding_rows_t *rows = work->rows;
  sli_embedding_frozen_t *frozen = NULL;
  sli_status_t *status = row ? NULL : read_frozen(rows, shard, key, &frozen);
  if (status) {
    fail(work, status);
    return false;
  }
  if (row || frozen)
    sli_embedding_row_decode(rows, row ? row->values : (const char *)(frozen + 1), to);
  else
    sli_embedding_initial_fill(&rows->initial, key, rows->options.dtype, rows->options.length, to);
  free(frozen);
  return true;
}

// Returns false after a failure.
static bool run_block(work_t *work, row_shard_t *shard, size_t first, size_t count, float *scratch) {
  sli_embedding_rows_t *rows = work->rows;
  uint32_t tick = sli_embedding_rows_tick(rows);
  block_t block;
  fetch_block(work, shard, first, count, &block);
  for (size_t k = 0; k < count; k++) {
    size_t i = work->order.keys[first + k];
    bool failed = false;
    row_t *row = open_row(work, shard, block.hashes[k], block.keys[k], scratch, &failed);
    if (failed) return false;
    if (row && work->create) row->used = tick;
    if (!work->updater && !pull_row(work, shard, row, block.keys[k], work->to + i * rows->row_bytes)) return false;
    if (work->updater && row) update_row(rows, row, work->updater, work->values + i * rows->row_bytes, scratch);
  }
  return true;
}

// Runs the keys of one shard.
static void run_shard(work_t *work, size_t which) {
  enum { SMALL = 256 };
  sli_embedding_rows_t *rows = work->rows;
  row_shard_t *shard = &rows->shards[which];
  float small[SMALL], *scratch = small;
  if (rows->options.store != SLI_EMBEDDING_STORE_PLAIN && rows->options.length > SMALL)
    scratch = sli_malloc((size_t)rows->options.length * sizeof(float));
  size_t first = work->order.starts[which], end = work->order.starts[which + 1];
  bool failed = false;
  sli_mutex_lock(&shard->mutex);
  if (work->updater && !sli_embedding_row_prepare_slots(rows, shard, work->updater)) {
    fail(work, no_memory(sli_embedding_key(work->keys, work->order.keys[first])));
    failed = true;
  }
  for (size_t k = first; k < end && !failed; k += BLOCK)
    failed = !run_block(work, shard, k, end - k < BLOCK ? end - k : BLOCK, scratch);
  if (work->updater) sweep(rows, shard, 2 * (end - first));
  sli_mutex_unlock(&shard->mutex);
  if (scratch != small) free(scratch);
}

static void run_shards(void *context, int64_t begin, int64_t end) {
  work_t *work = context;
  for (size_t i = (size_t)begin; i < (size_t)end; i++)
    if (work->order.starts[i] < work->order.starts[i + 1]) run_shard(work, i);
}

static sli_status_t *run(work_t *work, sli_thread_pool_t *pool, size_t count) {
  SLI_RETURN_IF_ERROR(sli_embedding_order_initialize(&work->order, work->keys, count));
  double nanos = 100 + 0.2 * (double)work->rows->row_bytes;
  if (pool && count > SLI_EMBEDDING_SHARDS)
    sli_parallel_for(pool, SLI_EMBEDDING_SHARDS, nanos * (double)count / SLI_EMBEDDING_SHARDS, run_shards, work);
  else
    run_shards(work, 0, SLI_EMBEDDING_SHARDS);
  sli_embedding_order_deinitialize(&work->order);
  return atomic_load(&work->failure);
}

sli_status_t *sli_embedding_rows_push(sli_embedding_rows_t *rows, sli_thread_pool_t *pool, const char *keys,
                                      size_t count, const void *values, const sli_updater_t *updater) {
  atomic_fetch_add_explicit(&rows->tick, 1, memory_order_relaxed);
  work_t work = {.rows = rows, .keys = keys, .values = values, .updater = updater, .create = true};
  return run(&work, pool, count);
}

sli_status_t *sli_embedding_rows_pull(sli_embedding_rows_t *rows, sli_thread_pool_t *pool, const char *keys,
                                      size_t count, bool create, void *to) {
  work_t work = {.rows = rows, .keys = keys, .to = to, .create = create};
  return run(&work, pool, count);
}
