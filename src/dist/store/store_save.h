// Saves the keys of a table, with the slots of its updater, and restores them: PREFIX.keys-TABLE-00000-of-00002, a
// bundle in TensorFlow's checkpoint format. A table of rows is saved as in checkpoints of graphs
// (ops/embedding/embedding_save.h). Thread-safe; blocks.
#ifndef SLI_DIST_STORE_STORE_SAVE_H_
#define SLI_DIST_STORE_STORE_SAVE_H_

#include "dist/store/store_table.h"

// Where a server saves its keys, and which keys it has.
typedef struct {
  const char *prefix;
  int part, parts;
  bool by_range;  // of the keys, else by their hashes
  uint64_t key_limit;
} sli_store_save_place_t;

sli_status_t *sli_store_save(sli_store_table_t *table, const char *name, const sli_store_save_place_t *place);
// Gives the keys that belong to this server their values, whichever server has saved them. Other keys stay. NOT_FOUND
// if there are no files of the table, INVALID_ARGUMENT if they are of another type.
sli_status_t *sli_store_restore(sli_store_table_t *table, const char *name, const sli_store_save_place_t *place);

#endif  // SLI_DIST_STORE_STORE_SAVE_H_
