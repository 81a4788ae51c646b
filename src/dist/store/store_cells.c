#include "dist/store/store_cells.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"

enum {
  FIRST_SLOTS = 16,  // a block
  FIRST_UNITS = 64,  // of the first slab: there may be many tables with few keys
  SLAB_UNITS = 1 << SLI_STORE_SLAB_SHIFT,
};

void sli_store_cells_deinitialize(sli_store_cells_t *cells) {
  for (size_t i = 0; i < cells->slab_count; i++) free(cells->slabs[i]);
  free(cells->slabs);
  free(cells->slots);
}

static void put_slot(sli_store_cells_t *cells, sli_store_slot_t slot) {
  size_t at = sli_store_cells_home(cells, slot.key);
  while (cells->slots[at].cell) at = sli_store_cells_next(cells, at);
  cells->slots[at] = slot;
}

// Makes room for one more slot; at most 5/8 are used.
static bool grow_slots(sli_store_cells_t *cells) {
  if (8 * (cells->count + 1) <= 5 * cells->slot_count) return true;
  size_t old_count = cells->slot_count;
  sli_store_slot_t *old = cells->slots;
  size_t count = old_count ? 2 * old_count : FIRST_SLOTS;
  sli_store_slot_t *slots = sli_malloc_or_null(count * sizeof(*slots));
  if (!slots) return false;
  memset(slots, 0, count * sizeof(*slots));
  cells->slots = slots;
  cells->slot_count = count;
  for (size_t i = 0; i < old_count; i++)
    if (old[i].cell) put_slot(cells, old[i]);
  free(old);
  return true;
}

// Makes room for |units| more, in one slab.
static bool grow_slabs(sli_store_cells_t *cells, uint32_t units) {
  uint32_t used = cells->units;
  // What is left of a slab stays unused.
  if (used % SLAB_UNITS + units > SLAB_UNITS) used = (used / SLAB_UNITS + 1) * SLAB_UNITS;
  if (used > UINT32_MAX - 2 * SLAB_UNITS) return false;
  if (used + units <= cells->room) {
    cells->units = used;
    return true;
  }
  if (used < SLAB_UNITS) {
    uint32_t room = cells->room ? cells->room : FIRST_UNITS;
    while (room < used + units) room *= 2;
    char *slab = sli_malloc_or_null((size_t)room * SLI_STORE_CELL_UNIT);
    if (!slab) return false;
    if (!cells->slabs) cells->slabs = sli_malloc(sizeof(*cells->slabs));
    if (cells->slab_count) {
      memcpy(slab, cells->slabs[0], (size_t)cells->units * SLI_STORE_CELL_UNIT);
      free(cells->slabs[0]);
    }
    cells->slab_count = 1;
    cells->slabs[0] = slab;
    cells->room = room;
    return true;
  }
  char *slab = sli_malloc_or_null((size_t)SLAB_UNITS * SLI_STORE_CELL_UNIT);
  if (!slab) return false;
  cells->slabs = sli_realloc(cells->slabs, (cells->slab_count + 1) * sizeof(*cells->slabs));
  cells->slabs[cells->slab_count++] = slab;
  cells->units = used;
  cells->room = used + SLAB_UNITS;
  return true;
}

// A cell with values and slots of zeros; returns its number + 1, or 0 without memory.
static uint32_t take_cell(sli_store_cells_t *cells, size_t bytes) {
  size_t size = offsetof(sli_store_cell_t, values) + (bytes < sizeof(void *) ? sizeof(void *) : bytes);
  uint32_t units = (uint32_t)((size + SLI_STORE_CELL_UNIT - 1) / SLI_STORE_CELL_UNIT);
  if (!grow_slabs(cells, units)) return 0;
  uint32_t cell = cells->units + 1;
  cells->units += units;
  memset(sli_store_cells_at(cells, cell), 0, (size_t)units * SLI_STORE_CELL_UNIT);
  return cell;
}

const sli_store_slot_t *sli_store_cells_add(sli_store_cells_t *cells, uint64_t key, uint32_t length, size_t bytes) {
  if (!grow_slots(cells)) return NULL;
  uint32_t cell = take_cell(cells, bytes);
  if (!cell) return NULL;
  put_slot(cells, (sli_store_slot_t){.key = key, .cell = cell, .length = length});
  cells->count++;
  return sli_store_cells_find(cells, key);
}

sli_store_cell_t *sli_store_cells_grow(sli_store_cells_t *cells, uint64_t key, size_t bytes, size_t kept) {
  uint32_t number = take_cell(cells, bytes);
  if (!number) return NULL;
  sli_store_slot_t *slot = &cells->slots[sli_store_cells_find(cells, key) - cells->slots];
  sli_store_cell_t *cell = sli_store_cells_at(cells, number);
  memcpy(cell, sli_store_cells_at(cells, slot->cell), offsetof(sli_store_cell_t, values) + kept);
  slot->cell = number;
  return cell;
}
