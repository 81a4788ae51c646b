// Hash map from a string to a pointer. Keys are copied; values belong to the
// caller. Open addressing; iterates in the order of insertion. A zero-initialised
// map is empty. Thread-compatible.
#ifndef SLI_BASE_MAP_H_
#define SLI_BASE_MAP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/string.h"

typedef struct {
  char *key;  // NUL-terminated copy; NULL once removed
  size_t key_size;
  uint64_t hash;
  void *value;
} sli_map_entry_t;

typedef struct {
  sli_map_entry_t *entries;  // in insertion order; removed ones have key NULL
  size_t entry_count, entry_capacity;
  uint32_t *slots;  // 0 empty, else index of the entry + 1
  size_t slot_count;
  size_t count;  // live entries
} sli_map_t;

// NULL if the key is absent, or if NULL was stored; sli_map_find tells these apart.
void *sli_map_get(const sli_map_t *map, sli_view_t key);
sli_map_entry_t *sli_map_find(const sli_map_t *map, sli_view_t key);
// Stores |value| and returns the value it replaced, or NULL.
void *sli_map_set(sli_map_t *map, sli_view_t key, void *value);
// Stores nothing and returns false if the key exists.
bool sli_map_insert(sli_map_t *map, sli_view_t key, void *value);
// Returns the removed value, or NULL.
void *sli_map_remove(sli_map_t *map, sli_view_t key);
void sli_map_deinitialize(sli_map_t *map);

#define SLI_MAP_FOR_EACH(map, entry)                                                                            \
  for (sli_map_entry_t *entry = (map)->entries, *entry##_end = entry + (map)->entry_count; entry < entry##_end; \
       entry++)                                                                                                 \
    if (entry->key)

#endif  // SLI_BASE_MAP_H_
