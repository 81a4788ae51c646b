// A table of embeddings as a resource of a task: its rows, and the updater that gradients are applied with. Graphs and
// clients of sluice.Store use the same one. Thread-safe.
#ifndef SLI_OPS_EMBEDDING_EMBEDDING_TABLE_H_
#define SLI_OPS_EMBEDDING_EMBEDDING_TABLE_H_

#include "core/tensor/tensor.h"
#include "ops/embedding/embedding_rows.h"
#include "ops/embedding/updater_cell.h"

typedef struct {
  sli_object_t base;
  char *name;
  sli_embedding_rows_t *rows;
  sli_updater_cell_t updater;
  // The last save, which the next one may add changes to (embedding_save.c).
  sli_mutex_t save_mutex;
  char *saved_path;     // under save_mutex, as the rest; NULL: the next one saves all rows
  int saved_changes;    // files of changes that it has
  uint32_t saved_tick;  // rows used since then may have changed
} sli_embedding_table_t;

extern const sli_object_type_t sli_embedding_table_type;

// The caller owns a reference. Errors are those of the rows.
sli_status_t *sli_embedding_table_create(sli_view_t name, const sli_embedding_rows_options_t *options,
                                         sli_embedding_table_t **out_table);
// INVALID_ARGUMENT unless type and length of the rows, how they are stored and their initializer are those of
// |options|; an empty initializer agrees with all.
sli_status_t *sli_embedding_table_match(const sli_embedding_table_t *table,
                                        const sli_embedding_rows_options_t *options);

#endif  // SLI_OPS_EMBEDDING_EMBEDDING_TABLE_H_
