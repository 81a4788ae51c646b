#include "base/map.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

// Returns the slot of |key|, or the empty slot where the search ended.
static size_t map_slot(const sli_map_t *map, sli_view_t key, uint64_t hash) {
  size_t mask = map->slot_count - 1, slot = (size_t)hash & mask;
  for (;; slot = (slot + 1) & mask) {
    uint32_t index = map->slots[slot];
    if (!index) return slot;
    const sli_map_entry_t *entry = &map->entries[index - 1];
    if (entry->key && entry->hash == hash && entry->key_size == key.size &&
        (key.size == 0 || memcmp(entry->key, key.data, key.size) == 0))
      return slot;
  }
}

// Rebuilds the slots for twice the live entries, and drops the removed ones.
static void map_rebuild(sli_map_t *map) {
  size_t kept = 0;
  for (size_t i = 0; i < map->entry_count; i++)
    if (map->entries[i].key) map->entries[kept++] = map->entries[i];
  map->entry_count = kept;
  size_t slot_count = 16;
  while (slot_count < (kept + 1) * 4) slot_count *= 2;
  free(map->slots);
  map->slots = sli_calloc(slot_count, sizeof(*map->slots));
  map->slot_count = slot_count;
  for (size_t i = 0; i < kept; i++) {
    size_t slot = (size_t)map->entries[i].hash & (slot_count - 1);
    while (map->slots[slot]) slot = (slot + 1) & (slot_count - 1);
    map->slots[slot] = (uint32_t)i + 1;
  }
}

sli_map_entry_t *sli_map_find(const sli_map_t *map, sli_view_t key) {
  if (!map->count) return NULL;
  uint32_t index = map->slots[map_slot(map, key, sli_hash_bytes(key.data, key.size))];
  return index ? &map->entries[index - 1] : NULL;
}

void *sli_map_get(const sli_map_t *map, sli_view_t key) {
  sli_map_entry_t *entry = sli_map_find(map, key);
  return entry ? entry->value : NULL;
}

void *sli_map_set(sli_map_t *map, sli_view_t key, void *value) {
  sli_map_entry_t *entry = sli_map_find(map, key);
  if (entry) {
    void *old = entry->value;
    entry->value = value;
    return old;
  }
  // Removed entries keep their slots until the next rebuild, so they count as used.
  if ((map->entry_count + 1) * 2 > map->slot_count) map_rebuild(map);
  if (map->entry_count == map->entry_capacity) {
    map->entry_capacity = map->entry_capacity ? map->entry_capacity * 2 : 8;
    map->entries = sli_realloc(map->entries, map->entry_capacity * sizeof(*map->entries));
  }
  uint64_t hash = sli_hash_bytes(key.data, key.size);
  map->entries[map->entry_count] = (sli_map_entry_t){sli_strndup(key.data, key.size), key.size, hash, value};
  map->slots[map_slot(map, key, hash)] = (uint32_t)++map->entry_count;
  map->count++;
  return NULL;
}

bool sli_map_insert(sli_map_t *map, sli_view_t key, void *value) {
  if (sli_map_find(map, key)) return false;
  sli_map_set(map, key, value);
  return true;
}

void *sli_map_remove(sli_map_t *map, sli_view_t key) {
  sli_map_entry_t *entry = sli_map_find(map, key);
  if (!entry) return NULL;
  void *value = entry->value;
  free(entry->key);
  *entry = (sli_map_entry_t){0};  // its slot stays used, so that searches continue past it
  map->count--;
  return value;
}

void sli_map_deinitialize(sli_map_t *map) {
  for (size_t i = 0; i < map->entry_count; i++) free(map->entries[i].key);
  free(map->entries);
  free(map->slots);
  *map = (sli_map_t){0};
}
