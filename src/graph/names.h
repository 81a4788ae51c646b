// An index from names to the numbers of items that have them, which keeps neither the names nor their hashes: about 8
// bytes for a name. Zero-initialised it is empty. Thread-compatible.
#ifndef SLI_GRAPH_NAMES_H_
#define SLI_GRAPH_NAMES_H_

#include <stdint.h>

#include "base/string.h"

typedef struct {
  uint32_t *slots;  // 0: empty; UINT32_MAX: removed; else number + 1
  size_t slot_count;
  size_t used;  // slots that are not empty
} sli_graph_names_t;

// The name of item |number| of |owner|.
typedef sli_view_t (*sli_graph_names_of_t)(const void *owner, uint32_t number);

// The number of the item with |name|, or -1.
int64_t sli_graph_names_find(const sli_graph_names_t *names, sli_view_t name, sli_graph_names_of_t name_of,
                             const void *owner);
// Adds item |number|, the last of |number| + 1, whose name no other item has. May ask for the names of all before it.
void sli_graph_names_add(sli_graph_names_t *names, uint32_t number, sli_graph_names_of_t name_of, const void *owner);
void sli_graph_names_remove(sli_graph_names_t *names, uint32_t number, sli_graph_names_of_t name_of, const void *owner);
// Indexes the first |count| items again, with room for |room| of them.
void sli_graph_names_rebuild(sli_graph_names_t *names, uint32_t count, size_t room, sli_graph_names_of_t name_of,
                             const void *owner);
void sli_graph_names_deinitialize(sli_graph_names_t *names);

#endif  // SLI_GRAPH_NAMES_H_
