#include "rpc/guard_internal.h"

#include <stdlib.h>

#include "rpc/cork_internal.h"

sli_rpc_guard_t *sli_rpc_guard_create(sli_rpc_loop_t *loop) {
  sli_rpc_guard_t *guard = sli_calloc(1, sizeof(*guard));
  sli_refcount_initialize(&guard->references);
  guard->loop = loop;
  sli_mutex_initialize(&guard->mutex);
  guard->last = &guard->first;
  return guard;
}

sli_rpc_guard_t *sli_rpc_guard_retain(sli_rpc_guard_t *guard) {
  sli_refcount_retain(&guard->references);
  return guard;
}

void sli_rpc_guard_release(sli_rpc_guard_t *guard) {
  if (!guard || !sli_refcount_release(&guard->references)) return;
  sli_rpc_outgoing_free(guard->dead);
  sli_mutex_deinitialize(&guard->mutex);
  free(guard);
}

void sli_rpc_guard_deliver_later(sli_rpc_guard_t *guard, sli_rpc_delivery_t *delivery, sli_rpc_fn_t run,
                                 void *context) {
  *delivery = (sli_rpc_delivery_t){NULL, run, context};
  *guard->last = delivery;
  guard->last = &delivery->next;
}

static sli_rpc_outgoing_t *take_dead_locked(sli_rpc_guard_t *guard) {
  sli_rpc_outgoing_t *dead = guard->dead;
  guard->dead = NULL;
  return dead;
}

void sli_rpc_guard_unlock_and_deliver(sli_rpc_guard_t *guard) {
  sli_rpc_delivery_t *delivery = guard->first;
  guard->first = NULL;
  guard->last = &guard->first;
  sli_rpc_outgoing_t *dead = take_dead_locked(guard);
  sli_mutex_unlock(&guard->mutex);
  sli_rpc_outgoing_free(dead);
  while (delivery) {
    sli_rpc_delivery_t *next = delivery->next;  // the callback may free its object
    delivery->run(delivery->context);
    if (next) sli_rpc_cork_flush_if_old();
    delivery = next;
  }
}

static void deliver_posted(void *context) {
  sli_rpc_guard_t *guard = context;
  sli_rpc_guard_lock(guard);
  guard->posted = false;
  sli_rpc_guard_unlock_and_deliver(guard);
  sli_rpc_guard_release(guard);
}

void sli_rpc_guard_unlock(sli_rpc_guard_t *guard) {
  bool post = guard->first && !guard->posted;
  if (post) {
    guard->posted = true;
    sli_rpc_guard_retain(guard);
  }
  sli_rpc_loop_t *loop = guard->loop;
  sli_rpc_outgoing_t *dead = take_dead_locked(guard);
  sli_mutex_unlock(&guard->mutex);
  sli_rpc_outgoing_free(dead);
  if (post) sli_rpc_loop_post(loop, deliver_posted, guard);
}
