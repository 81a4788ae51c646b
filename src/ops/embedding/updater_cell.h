// The updater of a table, which may be replaced while pushes use it: each holds a reference to the one it began with.
// Thread-safe.
#ifndef SLI_OPS_EMBEDDING_UPDATER_CELL_H_
#define SLI_OPS_EMBEDDING_UPDATER_CELL_H_

#include "base/sync.h"
#include "ops/embedding/updater.h"

typedef struct {
  sli_refcount_t references;
  sli_updater_t updater;
  char *text;
} sli_updater_shared_t;

typedef struct {
  sli_mutex_t mutex;
  sli_updater_shared_t *shared;  // under mutex
} sli_updater_cell_t;

// The updater is "assign".
void sli_updater_cell_initialize(sli_updater_cell_t *cell);
void sli_updater_cell_deinitialize(sli_updater_cell_t *cell);
// Replaces it by what |text| says, for values of |dtype|. On failure it stays as it is.
sli_status_t *sli_updater_cell_set(sli_updater_cell_t *cell, sli_view_t text, sli_dtype_t dtype);
// The caller gets a reference.
sli_updater_shared_t *sli_updater_cell_get(sli_updater_cell_t *cell);
void sli_updater_shared_release(sli_updater_shared_t *shared);  // NULL is allowed

#endif  // SLI_OPS_EMBEDDING_UPDATER_CELL_H_
