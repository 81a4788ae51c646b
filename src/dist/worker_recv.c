// RecvTensor's answering side: waits in the step's rendezvous for a value that a
// peer wants. A peer that goes away takes its wait with it, so that the value
// stays for whoever asks again and a step that only lost peers mentioned is forgotten.
#include <stdlib.h>

#include "dist/cancel_link.h"
#include "dist/worker_internal.h"

typedef struct {
  sli_refcount_t references;  // of the wait itself, the link, and whoever starts it
  sli_worker_t *worker;
  sli_task_step_t *step;                // used until the wait is settled
  sli_remote_rendezvous_t *rendezvous;  // held longer: a late cancellation looks there
  sli_cancel_link_t link;
  sli_recv_fn_t done;
  void *context;
  size_t key_size;
  char key[];
} wait_t;

static void wait_release(wait_t *wait) {
  if (!sli_refcount_release(&wait->references)) return;
  sli_rendezvous_release(&wait->rendezvous->base);
  free(wait);
}

// Ends the wait, exactly once: by whoever took it out of the table.
static void wait_settle(wait_t *wait, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  sli_worker_t *worker = wait->worker;
  if (wait->link.cancellation && sli_cancel_link_end(&wait->link)) wait_release(wait);
  wait->done(wait->context, status, tensor, is_dead);
  sli_step_table_leave(worker->steps, wait->step);
  wait_release(wait);
  sli_worker_end(worker);
}

static void on_value(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  wait_settle(context, status, tensor, is_dead);
}

static void wait_withdraw(wait_t *wait) {
  sli_view_t key = sli_view_of(wait->key, wait->key_size);
  if (sli_rendezvous_table_withdraw(&wait->rendezvous->table, key, wait))
    wait_settle(wait, sli_status_make(SLI_CANCELLED, "RecvTensor was cancelled"), NULL, false);
}

static void on_cancel(void *context) {
  wait_withdraw(context);
  wait_release(context);
}

// The device of this task that a session calls |name|: sessions may have other names for the task.
static const sli_device_info_t *find_device(const sli_worker_t *worker, sli_view_t name) {
  size_t prefix = sli_device_name_task(name).size, own_prefix = strlen(worker->task_name);
  sli_view_t local = sli_view_of(name.data + prefix, name.size - prefix);
  const sli_device_set_t *set = &worker->devices->set;
  for (size_t i = 0; i < set->devices.count; i++)
    if (sli_view_is(local, set->devices.items[i].name + own_prefix)) return &set->devices.items[i];
  return NULL;
}

// The key must name a device of this task, in its present life.
static sli_status_t *check_key(sli_worker_t *worker, sli_view_t text) {
  sli_rendezvous_key_t key;
  SLI_RETURN_IF_ERROR(sli_rendezvous_key_parse(text, &key));
  const sli_device_info_t *device = find_device(worker, key.source_device);
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

void sli_worker_recv_tensor(sli_worker_t *worker, int64_t step_id, sli_view_t key, sli_cancellation_t *cancellation,
                            sli_recv_fn_t done, void *context) {
  sli_status_t *status = check_key(worker, key);
  if (!status) status = sli_worker_begin(worker);
  if (status) {
    done(context, status, NULL, false);
    return;
  }
  sli_worker_hold(worker);  // until the wait is settled; what |begin| counted is for this call
  wait_t *wait = sli_malloc(sizeof(*wait) + key.size);
  *wait = (wait_t){.worker = worker,
                   .step = sli_step_table_enter(worker->steps, step_id),
                   .done = done,
                   .context = context,
                   .key_size = key.size};
  memcpy(wait->key, key.data, key.size);
  wait->rendezvous = wait->step->rendezvous;
  sli_rendezvous_retain(&wait->rendezvous->base);
  atomic_init(&wait->references, 2);
  sli_cancellation_retain(cancellation);  // the caller may let go of it in |done|
  if (cancellation) {
    sli_refcount_retain(&wait->references);
    if (!sli_cancel_link_begin(&wait->link, cancellation, on_cancel, wait)) wait_release(wait);
  }
  sli_rendezvous_table_recv(&wait->rendezvous->table, key, on_value, wait);
  // A cancellation, or a stop, before the wait stood in the table found nothing there.
  if ((cancellation && sli_cancellation_is_cancelled(cancellation)) || sli_worker_is_stopped(worker))
    wait_withdraw(wait);
  sli_cancellation_release(cancellation);
  wait_release(wait);
  sli_worker_end(worker);
}
