// A guard is the lock of a connection's state together with work for after the
// unlock: callbacks that must run on the polling thread, and sent messages to free.
// A channel has one guard for itself and its connections; each connection of a
// server has its own. No callback runs while a guard is held.
#ifndef SLI_RPC_GUARD_INTERNAL_H_
#define SLI_RPC_GUARD_INTERNAL_H_

#include <stdbool.h>

#include "base/sync.h"
#include "rpc/loop.h"
#include "rpc/output_internal.h"

// A queued callback. Embedded in its object, which must exist until the callback has run.
typedef struct sli_rpc_delivery {
  struct sli_rpc_delivery *next;
  sli_rpc_fn_t run;
  void *context;
} sli_rpc_delivery_t;

typedef struct {
  sli_refcount_t references;
  sli_rpc_loop_t *loop;
  sli_mutex_t mutex;
  // Under mutex:
  sli_rpc_delivery_t *first, **last;
  bool posted;               // the loop was asked to run the callbacks
  sli_rpc_outgoing_t *dead;  // freed by the next unlock
} sli_rpc_guard_t;

sli_rpc_guard_t *sli_rpc_guard_create(sli_rpc_loop_t *loop);
sli_rpc_guard_t *sli_rpc_guard_retain(sli_rpc_guard_t *guard);
void sli_rpc_guard_release(sli_rpc_guard_t *guard);

static inline void sli_rpc_guard_lock(sli_rpc_guard_t *guard) { sli_mutex_lock(&guard->mutex); }
// Unlocks. Queued callbacks are posted to the loop, which runs them later.
void sli_rpc_guard_unlock(sli_rpc_guard_t *guard);
// Unlocks and runs queued callbacks at once. On the polling thread, in a place where callbacks may run.
void sli_rpc_guard_unlock_and_deliver(sli_rpc_guard_t *guard);
// Queues a callback; they run in order. The caller must hold the guard.
void sli_rpc_guard_deliver_later(sli_rpc_guard_t *guard, sli_rpc_delivery_t *delivery, sli_rpc_fn_t run, void *context);

#endif  // SLI_RPC_GUARD_INTERNAL_H_
