#include "graph/names.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { SMALLEST = 16 };
static const uint32_t removed = UINT32_MAX;

static size_t first_slot(const sli_graph_names_t *names, sli_view_t name) {
  return (size_t)sli_hash_bytes(name.data, name.size) & (names->slot_count - 1);
}

static size_t next_slot(const sli_graph_names_t *names, size_t slot) { return (slot + 1) & (names->slot_count - 1); }

int64_t sli_graph_names_find(const sli_graph_names_t *names, sli_view_t name, sli_graph_names_of_t name_of,
                             const void *owner) {
  if (!names->used) return -1;
  for (size_t slot = first_slot(names, name); names->slots[slot]; slot = next_slot(names, slot)) {
    uint32_t found = names->slots[slot];
    if (found != removed && sli_view_equal(name_of(owner, found - 1), name)) return found - 1;
  }
  return -1;
}

static void insert(sli_graph_names_t *names, uint32_t number, sli_view_t name) {
  size_t slot = first_slot(names, name);
  while (names->slots[slot]) slot = next_slot(names, slot);
  names->slots[slot] = number + 1;
  names->used++;
}

void sli_graph_names_rebuild(sli_graph_names_t *names, uint32_t count, size_t room, sli_graph_names_of_t name_of,
                             const void *owner) {
  size_t slot_count = SMALLEST;
  while (slot_count * 3 < room * 4) slot_count *= 2;
  free(names->slots);
  *names = (sli_graph_names_t){sli_calloc(slot_count, sizeof(*names->slots)), slot_count, 0};
  for (uint32_t i = 0; i < count; i++) insert(names, i, name_of(owner, i));
}

void sli_graph_names_add(sli_graph_names_t *names, uint32_t number, sli_graph_names_of_t name_of, const void *owner) {
  // At most three quarters are used; removed items stay until the next time.
  if ((names->used + 1) * 4 > names->slot_count * 3)
    sli_graph_names_rebuild(names, number, 2 * ((size_t)number + 1) * 3 / 4 + 1, name_of, owner);
  insert(names, number, name_of(owner, number));
}

void sli_graph_names_remove(sli_graph_names_t *names, uint32_t number, sli_graph_names_of_t name_of,
                            const void *owner) {
  size_t slot = first_slot(names, name_of(owner, number));
  while (names->slots[slot] != number + 1) slot = next_slot(names, slot);
  names->slots[slot] = removed;
}

void sli_graph_names_deinitialize(sli_graph_names_t *names) {
  free(names->slots);
  *names = (sli_graph_names_t){0};
}
