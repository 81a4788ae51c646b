// One part of the keys of a table: slots, found by the hash of a key, that tell where its cell is. Cells hold small
// values and their slots of an optimizer, one after the other in slabs, so that a key needs no allocation of its own.
// Four neighbouring keys share a line of the cache, and 256 a part: keys in rising order, as most callers have them,
// are found with few lines and few locks.
//
// All functions are called under |mutex|, and none blocks.
#ifndef SLI_DIST_STORE_STORE_CELLS_H_
#define SLI_DIST_STORE_STORE_CELLS_H_

#include "base/sync.h"
#include "dist/store/store_order.h"

enum {
  SLI_STORE_CELL_UNIT = 8,      // cells begin at multiples of so many bytes
  SLI_STORE_SLAB_SHIFT = 13,    // a slab has 1 << 13 units; the first one may have fewer
  SLI_STORE_SMALL_BYTES = 4096  // a value of so many bytes or more does not fit in a cell
};

typedef struct {
  uint64_t key;
  uint32_t cell;    // its number + 1; 0: the slot is empty
  uint32_t length;  // elements; 0: of a bound key, whatever the variable has
} sli_store_slot_t;

typedef struct sli_store_large sli_store_large_t;
typedef struct {
  const char *rule;  // whose slots they are
  uint32_t steps;
  bool has_value, is_large;
  uint8_t slot_room;  // slots that there is memory for
  union {
    char values[8];            // the value, then the slots
    sli_store_large_t *large;  // if |is_large|
  };
} sli_store_cell_t;

typedef struct {
  sli_mutex_t mutex;
  // Under mutex. Open addressing; the number of slots is a power of 2.
  sli_store_slot_t *slots;
  size_t slot_count, count;
  char **slabs;
  size_t slab_count;
  uint32_t units;    // that are in use
  uint32_t room;     // units in all slabs
  char padding[64];  // two parts do not share a line of the cache
} sli_store_cells_t;

// Where the search for |key| begins: |hash| is that of the 16 neighbours, which are in one block of slots, in an order
// that depends on the hash, so that keys which are multiples of 16 are not all at the start of a block.
static inline size_t sli_store_cells_home_of(const sli_store_cells_t *cells, uint64_t hash, uint64_t key) {
  return ((size_t)hash << 4 | (size_t)((key ^ hash >> 32) & 15)) & (cells->slot_count - 1);
}
static inline size_t sli_store_cells_home(const sli_store_cells_t *cells, uint64_t key) {
  return sli_store_cells_home_of(cells, sli_embedding_hash(key >> 4), key);
}
// The slot after |at| in the order of the search: the same place of the next block, at last the next place of the first
// one. Neighbours whose block is taken are found with one more step each.
static inline size_t sli_store_cells_next(const sli_store_cells_t *cells, size_t at) {
  return at + 16 < cells->slot_count ? at + 16 : (at + 17) & 15;
}
// The slot of |key|, or NULL. |home| is that of the key; there are slots.
static inline const sli_store_slot_t *sli_store_cells_find_at(const sli_store_cells_t *cells, size_t home,
                                                              uint64_t key) {
  for (size_t at = home; cells->slots[at].cell; at = sli_store_cells_next(cells, at))
    if (cells->slots[at].key == key) return &cells->slots[at];
  return NULL;
}
static inline const sli_store_slot_t *sli_store_cells_find(const sli_store_cells_t *cells, uint64_t key) {
  return cells->slot_count ? sli_store_cells_find_at(cells, sli_store_cells_home(cells, key), key) : NULL;
}
// The cell of |slot.cell|. Valid until the next cell is created.
static inline sli_store_cell_t *sli_store_cells_at(const sli_store_cells_t *cells, uint32_t cell) {
  uint32_t unit = cell - 1;
  return (sli_store_cell_t *)(cells->slabs[unit >> SLI_STORE_SLAB_SHIFT] +
                              (unit & ((1u << SLI_STORE_SLAB_SHIFT) - 1)) * (size_t)SLI_STORE_CELL_UNIT);
}

void sli_store_cells_deinitialize(sli_store_cells_t *cells);
// Adds |key|, which is not there, with a cell for |bytes| of values and slots, which are zero. Returns NULL without
// memory.
const sli_store_slot_t *sli_store_cells_add(sli_store_cells_t *cells, uint64_t key, uint32_t length, size_t bytes);
// Gives |key| another cell, for |bytes| of values and slots, into which the first |kept| bytes are copied. What it had
// stays unused: a key gets more slots at most a few times. Returns NULL without memory.
sli_store_cell_t *sli_store_cells_grow(sli_store_cells_t *cells, uint64_t key, size_t bytes, size_t kept);

#endif  // SLI_DIST_STORE_STORE_CELLS_H_
