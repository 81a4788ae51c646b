#include "ops/embedding/updater_cell.h"

#include <stdlib.h>

#include "base/alloc.h"

static sli_updater_shared_t *shared_create(const sli_updater_t *updater, sli_view_t text) {
  sli_updater_shared_t *shared = sli_malloc(sizeof(*shared));
  *shared = (sli_updater_shared_t){.updater = *updater, .text = sli_strndup(text.data, text.size)};
  sli_refcount_initialize(&shared->references);
  return shared;
}

void sli_updater_shared_release(sli_updater_shared_t *shared) {
  if (!shared || !sli_refcount_release(&shared->references)) return;
  sli_updater_deinitialize(&shared->updater);
  free(shared->text);
  free(shared);
}

void sli_updater_cell_initialize(sli_updater_cell_t *cell) {
  sli_mutex_initialize(&cell->mutex);
  cell->shared = shared_create(&sli_updater_assign, sli_view("assign"));
}

void sli_updater_cell_deinitialize(sli_updater_cell_t *cell) {
  sli_updater_shared_release(cell->shared);
  sli_mutex_deinitialize(&cell->mutex);
}

sli_status_t *sli_updater_cell_set(sli_updater_cell_t *cell, sli_view_t text, sli_dtype_t dtype) {
  sli_updater_t updater;
  SLI_RETURN_IF_ERROR(sli_updater_parse(text, dtype, &updater));
  sli_updater_shared_t *shared = shared_create(&updater, text);
  sli_mutex_lock(&cell->mutex);
  sli_updater_shared_t *old = cell->shared;
  cell->shared = shared;
  sli_mutex_unlock(&cell->mutex);
  sli_updater_shared_release(old);
  return NULL;
}

sli_updater_shared_t *sli_updater_cell_get(sli_updater_cell_t *cell) {
  sli_mutex_lock(&cell->mutex);
  sli_updater_shared_t *shared = cell->shared;
  sli_refcount_retain(&shared->references);
  sli_mutex_unlock(&cell->mutex);
  return shared;
}
