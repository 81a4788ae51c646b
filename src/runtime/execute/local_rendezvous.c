#include "runtime/execute/local_rendezvous.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "runtime/execute/rendezvous_table.h"

typedef struct {
  sli_rendezvous_t base;
  sli_rendezvous_table_t table;
} local_rendezvous_t;

static sli_rendezvous_table_t *table_of(sli_rendezvous_t *self) { return &((local_rendezvous_t *)self)->table; }

static sli_status_t *local_send(sli_rendezvous_t *self, sli_view_t key, sli_tensor_t *tensor, bool is_dead) {
  return sli_rendezvous_table_send(table_of(self), key, tensor, is_dead);
}

static void local_recv(sli_rendezvous_t *self, sli_view_t key, sli_rendezvous_recv_fn_t done, void *context) {
  sli_rendezvous_table_recv(table_of(self), key, done, context);
}

static void local_abort(sli_rendezvous_t *self, sli_status_t *status) {
  // The callback of a receiver may release the last reference but ours.
  sli_rendezvous_retain(self);
  sli_rendezvous_table_abort(table_of(self), status);
  sli_rendezvous_release(self);
}

static void local_destroy(sli_rendezvous_t *self) {
  sli_rendezvous_table_t *table = table_of(self);
  if (!sli_rendezvous_table_is_pristine(table))
    sli_rendezvous_table_abort(table, sli_status_make(SLI_ABORTED, "The rendezvous ended while a value was awaited"));
  sli_rendezvous_table_deinitialize(table);
  free(self);
}

sli_rendezvous_t *sli_local_rendezvous_create(void) {
  static const sli_rendezvous_vtable_t vtable = {local_send, local_recv, local_abort, local_destroy};
  local_rendezvous_t *rendezvous = sli_calloc(1, sizeof(*rendezvous));
  rendezvous->base.vtable = &vtable;
  sli_refcount_initialize(&rendezvous->base.references);
  sli_rendezvous_table_initialize(&rendezvous->table);
  return &rendezvous->base;
}
