// A short lock over a connection's state, and what is to happen once it is
// open again: callbacks to run on the polling thread, sent memory to free.
// A channel has one for itself and its connections; each connection of a server
// has its own. No callback runs under a guard.
#ifndef SLI_RPC_GUARD_INTERNAL_H_
#define SLI_RPC_GUARD_INTERNAL_H_

#include <stdbool.h>

#include "base/sync.h"
#include "rpc/loop.h"
#include "rpc/output_internal.h"

// A callback that is due. Embedded in its object, which stays alive until it ran.
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
  bool posted;               // the loop will deliver
  sli_rpc_outgoing_t *dead;  // freed by the next unlock
} sli_rpc_guard_t;

sli_rpc_guard_t *sli_rpc_guard_create(sli_rpc_loop_t *loop);
sli_rpc_guard_t *sli_rpc_guard_retain(sli_rpc_guard_t *guard);
void sli_rpc_guard_release(sli_rpc_guard_t *guard);

static inline void sli_rpc_guard_lock(sli_rpc_guard_t *guard) { sli_mutex_lock(&guard->mutex); }
// Deliveries go to the loop, which makes them in a later turn.
void sli_rpc_guard_unlock(sli_rpc_guard_t *guard);
// Makes the deliveries at once. On the polling thread, from where callbacks are expected.
void sli_rpc_guard_unlock_and_deliver(sli_rpc_guard_t *guard);
// Queues a callback, in order. Guard held.
void sli_rpc_guard_deliver_later(sli_rpc_guard_t *guard, sli_rpc_delivery_t *delivery, sli_rpc_fn_t run, void *context);

#endif  // SLI_RPC_GUARD_INTERNAL_H_
