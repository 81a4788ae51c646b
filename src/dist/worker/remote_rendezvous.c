#include "dist/worker/remote_rendezvous.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"

static sli_status_t *rendezvous_send(sli_rendezvous_t *base, sli_view_t key, sli_tensor_t *tensor, bool is_dead) {
  return sli_rendezvous_table_send(&((sli_remote_rendezvous_t *)base)->table, key, tensor, is_dead);
}

// A receive whose transfer is logged.
typedef struct {
  sli_remote_rendezvous_t *rendezvous;
  sli_rendezvous_recv_fn_t done;
  void *context;
  int64_t began;
  sli_view_t key;  // behind the struct
} transfer_t;

static void transfer_done(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  transfer_t *transfer = context;
  const sli_remote_rendezvous_shared_t *shared = transfer->rendezvous->shared;
  if (!status)
    sli_transfer_log_add(shared->log, transfer->rendezvous->step_id, transfer->key, transfer->began,
                         sli_env_wall_micros(shared->env), sli_tensor_bytes(tensor));
  sli_rendezvous_release(&transfer->rendezvous->base);
  transfer->done(transfer->context, status, tensor, is_dead);
  free(transfer);
}

static transfer_t *transfer_create(sli_remote_rendezvous_t *rendezvous, sli_view_t key, sli_rendezvous_recv_fn_t done,
                                   void *context) {
  transfer_t *transfer = sli_malloc(sizeof(*transfer) + key.size);
  char *text = (char *)(transfer + 1);
  memcpy(text, key.data, key.size);
  *transfer = (transfer_t){rendezvous, done, context, sli_env_wall_micros(rendezvous->shared->env),
                           sli_view_of(text, key.size)};
  sli_rendezvous_retain(&rendezvous->base);
  return transfer;
}

static void recv_remote(sli_remote_rendezvous_t *rendezvous, sli_view_t task, sli_view_t key,
                        sli_rendezvous_recv_fn_t done, void *context) {
  const sli_remote_rendezvous_shared_t *shared = rendezvous->shared;
  sli_session_cluster_t *cluster = atomic_load_explicit(&rendezvous->cluster, memory_order_acquire);
  sli_worker_cache_t *cache = cluster ? cluster->cache : shared->cache;
  sli_worker_client_t *client = NULL;
  sli_status_t *status = NULL;
  if (cache)
    status = sli_worker_cache_get(cache, task, &client);
  else
    status = sli_status_make(SLI_FAILED_PRECONDITION, "%s cannot reach other tasks, such as %.*s", shared->task_name,
                             SLI_VIEW_ARG(task));
  if (status) {
    done(context, status, NULL, false);
    return;
  }
  if (sli_transfer_log_is_on_for(shared->log, rendezvous->step_id)) {
    context = transfer_create(rendezvous, key, done, context);
    done = transfer_done;
  }
  client->vtable->recv_tensor(client, rendezvous->step_id, key, SLI_CLOCK_NO_DEADLINE, rendezvous->cancellation, done,
                              context);
}

// The name that the step's session has for our own task.
static const char *own_name(const sli_remote_rendezvous_t *rendezvous) {
  const sli_session_cluster_t *cluster = atomic_load_explicit(&rendezvous->cluster, memory_order_acquire);
  return cluster ? sli_cluster_self(&cluster->cluster)->task_name : rendezvous->shared->task_name;
}

static void rendezvous_recv(sli_rendezvous_t *base, sli_view_t key, sli_rendezvous_recv_fn_t done, void *context) {
  sli_remote_rendezvous_t *rendezvous = (sli_remote_rendezvous_t *)base;
  sli_view_t source, rest;
  if (!sli_view_split(key, ';', &source, &rest)) {
    done(context, sli_status_make(SLI_INVALID_ARGUMENT, "Invalid  rendezvous key: %.*s", SLI_VIEW_ARG(key)), NULL,
         false);
    return;
  }
  sli_view_t task = sli_device_name_task(source);
  if (sli_view_is(task, own_name(rendezvous)))
    sli_rendezvous_table_recv(&rendezvous->table, key, done, context);
  else
    recv_remote(rendezvous, task, key, done, context);
}

static void rendezvous_abort(sli_rendezvous_t *base, sli_status_t *status) {
  sli_remote_rendezvous_t *rendezvous = (sli_remote_rendezvous_t *)base;
  status = sli_status_mark_derived(status);
  // The callbacks of receivers that fail here may release the last references.
  sli_rendezvous_retain(base);
  sli_rendezvous_table_abort(&rendezvous->table, sli_status_retain(status));
  sli_cancellation_cancel(rendezvous->cancellation, status);
  sli_rendezvous_release(base);
}

static void rendezvous_destroy(sli_rendezvous_t *base) {
  sli_remote_rendezvous_t *rendezvous = (sli_remote_rendezvous_t *)base;
  sli_rendezvous_table_deinitialize(&rendezvous->table);
  sli_cancellation_release(rendezvous->cancellation);
  sli_session_cluster_release(atomic_load_explicit(&rendezvous->cluster, memory_order_relaxed));
  free(rendezvous);
}

static const sli_rendezvous_vtable_t vtable = {
    .send = rendezvous_send, .recv = rendezvous_recv, .abort = rendezvous_abort, .destroy = rendezvous_destroy};

sli_remote_rendezvous_t *sli_remote_rendezvous_create(const sli_remote_rendezvous_shared_t *shared, int64_t step_id) {
  sli_remote_rendezvous_t *rendezvous = sli_calloc(1, sizeof(*rendezvous));
  rendezvous->base.vtable = &vtable;
  sli_refcount_initialize(&rendezvous->base.references);
  rendezvous->shared = shared;
  rendezvous->step_id = step_id;
  sli_rendezvous_table_initialize(&rendezvous->table);
  rendezvous->cancellation = sli_cancellation_create();
  return rendezvous;
}

void sli_remote_rendezvous_set_cluster(sli_remote_rendezvous_t *rendezvous, sli_session_cluster_t *cluster) {
  sli_session_cluster_t *none = NULL;
  sli_session_cluster_retain(cluster);
  if (!atomic_compare_exchange_strong_explicit(&rendezvous->cluster, &none, cluster, memory_order_acq_rel,
                                               memory_order_acquire))
    sli_session_cluster_release(cluster);
}
