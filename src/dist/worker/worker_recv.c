// RecvTensor on the sending task: waits in the step's rendezvous for the value that a peer requests. When the peer
// cancels or is lost its receive is withdrawn, so that the value stays for the next request, and a step that only such
// peers named can be removed.
#include <stdlib.h>

#include "dist/client/cancel_link.h"
#include "dist/worker/worker_internal.h"

typedef struct {
  sli_refcount_t references;  // of the receive, the link, and sli_worker_recv_tensor
  sli_worker_t *worker;
  sli_worker_step_t *step;              // in use until the receive is settled
  sli_remote_rendezvous_t *rendezvous;  // referenced longer: a late cancellation still needs it
  sli_cancel_link_t link;
  sli_rendezvous_recv_fn_t done;
  void *context;
  size_t key_size;
  char key[];
} pending_recv_t;

static void recv_release(pending_recv_t *recv) {
  if (!sli_refcount_release(&recv->references)) return;
  sli_rendezvous_release(&recv->rendezvous->base);
  free(recv);
}

// Ends the receive. Called exactly once, by the code that removed it from the table.
static void recv_settle(pending_recv_t *recv, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  sli_worker_t *worker = recv->worker;
  if (recv->link.cancellation && sli_cancel_link_end(&recv->link)) recv_release(recv);
  recv->done(recv->context, status, tensor, is_dead);
  sli_step_table_leave_recv(worker->steps, recv->step);
  recv_release(recv);
  sli_worker_end_call(worker);
}

static void recv_done(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  recv_settle(context, status, tensor, is_dead);
}

static void recv_withdraw(pending_recv_t *recv) {
  sli_view_t key = sli_view_of(recv->key, recv->key_size);
  if (sli_rendezvous_table_withdraw(&recv->rendezvous->table, key, recv))
    recv_settle(recv, sli_status_make(SLI_CANCELLED, "RecvTensor was cancelled"), NULL, false);
}

static void recv_cancelled(void *context) {
  recv_withdraw(context);
  recv_release(context);
}

const sli_device_set_entry_t *sli_worker_find_device(const sli_worker_t *worker, sli_view_t name) {
  size_t prefix = sli_device_name_task(name).size, own_prefix = strlen(worker->task_name);
  sli_view_t local = sli_view_of(name.data + prefix, name.size - prefix);
  const sli_device_set_t *set = &worker->devices->set;
  for (size_t i = 0; i < set->devices.count; i++)
    if (sli_view_is(local, set->devices.items[i].name + own_prefix)) return &set->devices.items[i];
  return NULL;
}

// The key must name a device of this task with its current incarnation.
static sli_status_t *check_key(sli_worker_t *worker, sli_view_t text) {
  sli_rendezvous_key_t key;
  SLI_RETURN_IF_ERROR(sli_rendezvous_key_parse(text, &key));
  const sli_device_set_entry_t *device = sli_worker_find_device(worker, key.source_device);
  if (!device)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%.*s unknown device: this task is %s",
                           SLI_VIEW_ARG(key.source_device), worker->task_name);
  if (device->incarnation != key.source_incarnation)
    return sli_status_make(
        SLI_ABORTED,
        "RecvTensor expects a different device incarnation: %llu vs. %llu. Your worker job (\"%s\") was probably "
        "restarted. Check your worker job for the reason why it was restarted.",
        (unsigned long long)key.source_incarnation, (unsigned long long)device->incarnation, worker->task_name);
  return NULL;
}

void sli_worker_recv_tensor(sli_worker_client_t *self, int64_t step_id, sli_view_t key, int64_t deadline,
                            sli_cancellation_t *cancellation, sli_rendezvous_recv_fn_t done, void *context) {
  sli_worker_t *worker = (sli_worker_t *)self;
  sli_status_t *status = check_key(worker, key);
  if (!status) status = sli_worker_begin_call(worker);
  if (status) {
    done(context, status, NULL, false);
    return;
  }
  sli_worker_step_t *step;
  status = sli_step_table_enter_recv(worker->steps, step_id, &step);
  if (status) {
    done(context, status, NULL, false);
    sli_worker_end_call(worker);
    return;
  }
  sli_worker_add_call(worker);  // until the receive is settled; sli_worker_begin_call counted this call
  pending_recv_t *recv = sli_malloc(sizeof(*recv) + key.size);
  *recv = (pending_recv_t){.worker = worker, .step = step, .done = done, .context = context, .key_size = key.size};
  memcpy(recv->key, key.data, key.size);
  recv->rendezvous = recv->step->rendezvous;
  sli_rendezvous_retain(&recv->rendezvous->base);
  atomic_init(&recv->references, 2);
  sli_cancellation_retain(cancellation);  // the caller may release it in |done|
  if (cancellation) {
    sli_refcount_retain(&recv->references);
    if (!sli_cancel_link_begin(&recv->link, cancellation, recv_cancelled, recv)) recv_release(recv);
  }
  sli_rendezvous_table_recv(&recv->rendezvous->table, key, recv_done, recv);
  // A cancellation or a stop that came before the receive was in the table did not find it there.
  if ((cancellation && sli_cancellation_is_cancelled(cancellation)) || sli_worker_is_stopped(worker))
    recv_withdraw(recv);
  sli_cancellation_release(cancellation);
  recv_release(recv);
  sli_worker_end_call(worker);
}
