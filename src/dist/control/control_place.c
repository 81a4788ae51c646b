// Which task a process becomes that joins the job with no place of its own (--join). The first ps gives each place to
// one process only: those who ask at the same time see the same places free.
#include "dist/control/control_internal.h"

// How long a place is kept for a process that starts.
enum { KEPT_MILLIS = 30000 };

void sli_control_place(sli_service_call_t *call, const void *message) {
  sli_control_t *control = call->server;
  const Sluice__PlaceRequest *request = message;
  const sli_cluster_t *cluster = control->options.cluster;
  Sluice__PlaceResponse reply = SLUICE__PLACE_RESPONSE__INIT;
  int64_t now = control->options.env->now(control->options.env);
  bool is_found = false;
  sli_mutex_lock(&control->mutex);
  for (size_t k = 0; k < request->n_free && !is_found; k++) {
    for (size_t i = 0; i < cluster->tasks.count && !is_found; i++) {
      const sli_cluster_task_t *task = &cluster->tasks.items[i];
      if (task->index != request->free[k] || strcmp(task->job, request->job) != 0) continue;
      if (control->kept_until[i] > now) continue;
      control->kept_until[i] = now + (int64_t)KEPT_MILLIS * 1000000;
      reply.index = task->index;
      is_found = true;
    }
  }
  sli_mutex_unlock(&control->mutex);
  sli_service_call_reply_message(
      call,
      is_found ? NULL
               : sli_status_make(SLI_RESOURCE_EXHAUSTED, "No task of job '%s' is free, of the %zu that were asked for.",
                                 request->job, request->n_free),
      &reply.base);
}
