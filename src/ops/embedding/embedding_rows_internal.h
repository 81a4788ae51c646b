// The rows of a table in memory, for the files of this room.
#ifndef SLI_OPS_EMBEDDING_EMBEDDING_ROWS_INTERNAL_H_
#define SLI_OPS_EMBEDDING_EMBEDDING_ROWS_INTERNAL_H_

#include "base/array.h"
#include "base/sync.h"
#include "ops/embedding/embedding_cold.h"
#include "ops/embedding/embedding_filter.h"
#include "ops/embedding/embedding_initial.h"
#include "ops/embedding/embedding_order.h"
#include "ops/embedding/embedding_pages.h"
#include "ops/embedding/embedding_rows.h"

enum { SLI_EMBEDDING_ROW_ALIGNMENT = 16 };
#define SLI_EMBEDDING_NOT_USED UINT32_MAX  // in |used|: the row is free, and |key| the next free one

typedef struct {
  uint64_t key;
  uint32_t steps;                                       // updates by the rule so far
  uint32_t used;                                        // the tick of the last use
  _Alignas(SLI_EMBEDDING_ROW_ALIGNMENT) char values[];  // as they are stored, then the slots
} sli_embedding_row_t;

typedef struct {
  sli_mutex_t mutex;
  // Under mutex.
  uint32_t *index;    // open addressing: the number of the row + 1, and a tag above it; 0: empty
  size_t index_size;  // a power of 2
  uint32_t count;     // rows
  uint32_t numbers;   // rows, and free ones
  uint32_t free;      // the number of a free row + 1; 0: none
  uint32_t hand;      // the number at which the search for old rows goes on
  int slot_count;     // that there is room for
  const char *rule;   // whose slots they are
  size_t stride;      // bytes of a row
  char **slabs;
  size_t slab_count;
  size_t bytes;  // of rows and index
  sli_embedding_filter_t filter;
  sli_embedding_cold_t *cold;  // NULL: none
  uint32_t rules;              // how often the rule was changed
  uint64_t evicted, refused;
  bool tracks;      // keys that are removed are recorded for the next save
  bool lost_track;  // there were too many
  SLI_ARRAY(uint64_t) removed;
  char padding[64];  // two shards do not share a line of the cache
} sli_embedding_shard_t;

struct sli_embedding_rows {
  sli_embedding_rows_options_t options;
  sli_embedding_initial_t initial;
  size_t row_bytes;     // of the values for users
  size_t stored_bytes;  // of the values as they are stored; the slots follow
  size_t shard_bytes;   // limit of a shard; 0: none
  uint32_t shard_rows;  // the same
  uint32_t slab_shift;  // a slab has 1 << slab_shift rows
  sli_embedding_pages_t pages;
  atomic_uint tick;  // of the table: counts its updates
  sli_embedding_shard_t shards[SLI_EMBEDDING_SHARDS];
};

// The tick of rows that are used now.
static inline uint32_t sli_embedding_rows_tick(sli_embedding_rows_t *rows) {
  uint32_t tick = atomic_load_explicit(&rows->tick, memory_order_relaxed);
  return tick == SLI_EMBEDDING_NOT_USED ? 0 : tick;
}

// What is on the disk of a row: this, its values as they are stored, and its slots.
typedef struct {
  uint32_t steps, used;
  uint32_t rules;  // of the shard when it was written: the slots are of the rule that it had then
  uint32_t slot_count;
} sli_embedding_frozen_t;

// All of these under the shard's mutex.
sli_embedding_row_t *sli_embedding_row_at(const sli_embedding_rows_t *rows, const sli_embedding_shard_t *shard,
                                          uint32_t number);
// The row of |key|, which is created if there is none, whether admitted or not; its slots get their values with the
// first update. NULL without memory or at a limit.
sli_embedding_row_t *sli_embedding_row_create(sli_embedding_rows_t *rows, sli_embedding_shard_t *shard, uint64_t hash,
                                              uint64_t key, bool *out_is_new);
// Also from the disk.
void sli_embedding_row_remove(sli_embedding_rows_t *rows, sli_embedding_shard_t *shard, uint64_t key);
// Gives all rows of the shard room for the slots of |updater|; false without memory.
bool sli_embedding_row_prepare_slots(sli_embedding_rows_t *rows, sli_embedding_shard_t *shard,
                                     const sli_updater_t *updater);
// Converts the values of a row from and to the form in which they are stored. With |random| values are rounded up or
// down by chance, so that small updates are not lost; 0: to nearest.
void sli_embedding_row_decode(const sli_embedding_rows_t *rows, const char *stored, void *values);
void sli_embedding_row_encode(const sli_embedding_rows_t *rows, const void *values, uint64_t random, char *stored);

#endif  // SLI_OPS_EMBEDDING_EMBEDDING_ROWS_INTERNAL_H_
