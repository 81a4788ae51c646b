// RunGraph: feeds go into the step's rendezvous, the plan runs, fetches come out
// of it. The plan's run is an execution; a call (a run) waits for one, and in a
// partial run several calls share it: the first starts it, the last sees its end.
#include <stdlib.h>

#include "dist/cancel_link.h"
#include "dist/env_internal.h"
#include "dist/worker_internal.h"
#include "graph/import.h"
#include "runtime/executor.h"

typedef struct run run_t;

struct sli_execution {
  sli_refcount_t references;
  sli_worker_t *worker;
  sli_task_step_t *step;  // used until the execution has ended
  sli_remote_rendezvous_t *rendezvous;
  sli_worker_graph_t *graph;
  sli_cancellation_t *cancellation;
  sli_step_stats_t *stats;           // NULL: not traced
  bool traces_transfers;             // rows of the transfer log belong to |stats|
  sli_execution_t *next, *previous;  // in worker->executions
  sli_mutex_t mutex;
  // Under mutex.
  bool ended;
  sli_status_t *status;  // once ended
  sli_status_t *reason;  // why it was cancelled
  run_t *waiter;         // at most one: whoever needs the end
};

// A fetch.
typedef struct {
  run_t *run;
  size_t index;
  const char *key;  // the caller's, until |done|
} slot_t;

// One call.
struct run {
  sli_refcount_t references;  // of the call, the link, the timer
  atomic_int pending;         // receives, the execution's end if awaited, and whoever starts the call
  sli_worker_t *worker;
  sli_task_step_t *step;
  sli_execution_t *execution;
  sli_cancel_link_t link;
  sli_timer_t *timer;
  bool record_partition_graphs;
  sli_run_graph_done_t done;
  void *context;
  sli_mutex_t mutex;
  sli_status_t *status;  // under mutex
  size_t recv_count;
  sli_tensor_t **recvs;
  slot_t slots[];
};

// ---- Executions ------------------------------------------------------------------

static sli_execution_t *execution_create(sli_worker_t *worker, const sli_run_graph_t *request,
                                         sli_worker_graph_t *graph) {
  sli_execution_t *execution = sli_calloc(1, sizeof(*execution));
  sli_refcount_initialize(&execution->references);
  sli_mutex_initialize(&execution->mutex);
  execution->worker = worker;
  execution->step = sli_step_table_enter(worker->steps, request->step_id);
  execution->rendezvous = execution->step->rendezvous;
  sli_rendezvous_retain(&execution->rendezvous->base);
  if (graph->state->cluster) sli_remote_rendezvous_set_cluster(execution->rendezvous, graph->state->cluster);
  execution->graph = sli_worker_graph_retain(graph);
  execution->cancellation = sli_cancellation_create();
  if (request->record_timeline) {
    execution->stats = sli_step_stats_create();
    execution->traces_transfers = sli_transfer_log_trace(worker->transfers, request->step_id);
  }
  return execution;
}

static sli_execution_t *execution_retain(sli_execution_t *execution) {
  sli_refcount_retain(&execution->references);
  return execution;
}

static void execution_release(sli_execution_t *execution) {
  if (!execution || !sli_refcount_release(&execution->references)) return;
  sli_step_stats_destroy(execution->stats);
  sli_cancellation_release(execution->cancellation);
  sli_worker_graph_release(execution->graph);
  sli_rendezvous_release(&execution->rendezvous->base);
  sli_status_release(execution->status);
  sli_status_release(execution->reason);
  sli_mutex_deinitialize(&execution->mutex);
  free(execution);
}

void sli_worker_release_partial(void *execution) { execution_release(execution); }

// |reason| is borrowed.
static void execution_cancel(sli_execution_t *execution, sli_status_t *reason) {
  sli_mutex_lock(&execution->mutex);
  if (!execution->reason) execution->reason = sli_status_retain(reason);
  sli_mutex_unlock(&execution->mutex);
  sli_cancellation_cancel(execution->cancellation, sli_status_retain(reason));
  sli_rendezvous_abort(&execution->rendezvous->base, sli_status_retain(reason));
}

static void list_add(sli_execution_t *execution) {
  sli_worker_t *worker = execution->worker;
  sli_mutex_lock(&worker->mutex);
  execution->next = worker->executions;
  if (execution->next) execution->next->previous = execution;
  worker->executions = execution;
  worker->running++;
  worker->busy++;  // beside the call that started it, which a partial run outlives
  sli_status_t *stopped = sli_status_retain(worker->stopped);
  sli_mutex_unlock(&worker->mutex);
  // Whoever stopped the worker before this did not find us.
  if (stopped) execution_cancel(execution, stopped);
  sli_status_release(stopped);
}

static void list_remove(sli_execution_t *execution) {
  sli_worker_t *worker = execution->worker;
  sli_mutex_lock(&worker->mutex);
  worker->running--;
  *(execution->previous ? &execution->previous->next : &worker->executions) = execution->next;
  if (execution->next) execution->next->previous = execution->previous;
  sli_mutex_unlock(&worker->mutex);
}

void sli_worker_cancel_executions(sli_worker_t *worker, sli_status_t *status) {
  SLI_ARRAY(sli_execution_t *) all = {0};
  sli_mutex_lock(&worker->mutex);
  for (sli_execution_t *execution = worker->executions; execution; execution = execution->next)
    sli_array_push(&all, execution_retain(execution));
  sli_mutex_unlock(&worker->mutex);
  for (size_t i = 0; i < all.count; i++) {
    execution_cancel(all.items[i], status);
    execution_release(all.items[i]);
  }
  sli_array_deinitialize(&all);
}

static void part_over(run_t *run, sli_status_t *status);

static void execution_done(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count) {
  sli_execution_t *execution = context;
  sli_worker_t *worker = execution->worker;
  sli_task_step_t *step = execution->step;
  list_remove(execution);
  sli_mutex_lock(&execution->mutex);
  if (status && execution->reason) {
    sli_status_release(status);
    status = sli_status_retain(execution->reason);
  }
  execution->ended = true;
  execution->status = status;
  run_t *waiter = execution->waiter;
  sli_mutex_unlock(&execution->mutex);
  if (waiter) part_over(waiter, sli_status_retain(status));
  execution_release(execution);
  sli_step_table_leave(worker->steps, step);
  sli_worker_end(worker);
}

// Runs the plan.
static void execution_start(sli_execution_t *execution, const sli_run_graph_t *request) {
  list_add(execution);
  sli_env_t *env = execution->worker->env;
  sli_run_request_t run = {
      .plan = execution->graph->plan,
      .step_id = request->step_id,
      .rendezvous = &execution->rendezvous->base,
      .cancellation = execution->cancellation,
      .deadline = request->deadline ? request->deadline : SLI_NO_DEADLINE,
      .pool = env->pool,
      .env = env,
      .stats = execution->stats,
      .hand_over = sli_env_on_network_thread(env),
  };
  sli_run_plan(&run, execution_done, execution_retain(execution));
}

// Lets |run| wait for the end; at once if it has come.
static void execution_await(sli_execution_t *execution, run_t *run) {
  sli_mutex_lock(&execution->mutex);
  bool waits = !execution->ended && !execution->waiter;
  sli_status_t *status = sli_status_retain(execution->status);
  if (!execution->ended && execution->waiter)
    status = sli_status_make(SLI_FAILED_PRECONDITION, "The last part of this partial run was given before.");
  if (waits) execution->waiter = run;
  sli_mutex_unlock(&execution->mutex);
  if (!waits) part_over(run, status);
}

// ---- Runs ------------------------------------------------------------------------

static void run_release(run_t *run) {
  if (!sli_refcount_release(&run->references)) return;
  execution_release(run->execution);
  sli_mutex_deinitialize(&run->mutex);
  free(run->recvs);
  free(run);
}

// The first error stays unless it is only the consequence of the next.
static void run_fail(run_t *run, sli_status_t *status) {
  if (!status) return;
  sli_mutex_lock(&run->mutex);
  run->status = sli_status_join(run->status, status);
  sli_mutex_unlock(&run->mutex);
}

static void run_cancel(run_t *run, sli_status_t *reason) {
  run_fail(run, sli_status_retain(reason));
  execution_cancel(run->execution, reason);
  sli_status_release(reason);
}

static void on_cancel(void *context) {
  run_t *run = context;
  run_cancel(run, sli_status_make(SLI_CANCELLED, "RunGraph was cancelled by its caller"));
  run_release(run);
}

static void on_deadline(void *context) {
  run_t *run = context;
  run_cancel(run, sli_status_make(SLI_DEADLINE_EXCEEDED, "Timed out waiting for the step to end"));
  run_release(run);
}

static void run_finish(run_t *run) {
  sli_worker_t *worker = run->worker;
  if (run->link.cancellation && sli_cancel_link_end(&run->link)) run_release(run);
  if (run->timer && worker->env->cancel_timer(worker->env, run->timer)) run_release(run);
  sli_mutex_lock(&run->mutex);
  sli_status_t *status = run->status;
  run->status = NULL;
  sli_mutex_unlock(&run->mutex);
  sli_string_t stats = {0}, graph = {0};
  if (run->execution->stats) sli_step_stats_encode(run->execution->stats, &stats);
  if (run->execution->traces_transfers) sli_transfer_log_take(worker->transfers, run->step->id, &stats);
  if (run->record_partition_graphs) sli_graph_export(run->execution->graph->graph, &graph);
  for (size_t i = 0; status && i < run->recv_count; i++) {
    sli_tensor_release(run->recvs[i]);
    run->recvs[i] = NULL;
  }
  sli_run_graph_result_t result = {.recvs = run->recvs,
                                   .recv_count = run->recv_count,
                                   .step_stats = sli_view_of(stats.data, stats.size),
                                   .partition_graph = sli_view_of(graph.data, graph.size)};
  run->done(run->context, status, &result);
  sli_string_deinitialize(&stats);
  sli_string_deinitialize(&graph);
  sli_step_table_leave(worker->steps, run->step);
  run_release(run);
  sli_worker_end(worker);
}

static void part_over(run_t *run, sli_status_t *status) {
  run_fail(run, status);
  if (atomic_fetch_sub(&run->pending, 1) == 1) run_finish(run);
}

static void on_recv(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  slot_t *slot = context;
  if (!status && is_dead) {
    sli_tensor_release(tensor);
    tensor = NULL;
    status = sli_status_make(SLI_INVALID_ARGUMENT, "The tensor returned for %s was not valid.", slot->key);
  }
  slot->run->recvs[slot->index] = tensor;
  part_over(slot->run, status);
}

static run_t *run_create(sli_worker_t *worker, const sli_run_graph_t *request, sli_run_graph_done_t done,
                         void *context) {
  size_t count = request->recv_count;
  run_t *run = sli_calloc(1, sizeof(*run) + count * sizeof(slot_t));
  sli_refcount_initialize(&run->references);
  sli_mutex_initialize(&run->mutex);
  run->worker = worker;
  run->step = sli_step_table_enter(worker->steps, request->step_id);
  run->record_partition_graphs = request->record_partition_graphs;
  run->done = done;
  run->context = context;
  run->recv_count = count;
  run->recvs = sli_calloc(count ? count : 1, sizeof(*run->recvs));
  for (size_t i = 0; i < count; i++) run->slots[i] = (slot_t){run, i, request->recv_keys[i]};
  return run;
}

static sli_execution_t *find_partial(run_t *run) {
  sli_mutex_lock(&run->worker->mutex);
  sli_execution_t *execution = run->step->partial;
  if (execution) execution_retain(execution);
  sli_mutex_unlock(&run->worker->mutex);
  return execution;
}

// Makes |fresh| the partial run's execution unless it has one by now.
static bool set_partial(run_t *run, sli_execution_t *fresh) {
  sli_mutex_lock(&run->worker->mutex);
  bool is_first = run->step->partial == NULL;
  if (is_first) run->step->partial = execution_retain(fresh);
  sli_mutex_unlock(&run->worker->mutex);
  return is_first;
}

// The execution of the call: its own, or that of the partial run. True: it has to be started.
static bool choose_execution(run_t *run, const sli_run_graph_t *request, sli_worker_graph_t *graph) {
  if (request->is_partial && (run->execution = find_partial(run))) return false;
  sli_execution_t *fresh = execution_create(run->worker, request, graph);
  if (!request->is_partial || set_partial(run, fresh)) {
    run->execution = fresh;
    return true;
  }
  run->execution = find_partial(run);
  sli_step_table_leave(run->worker->steps, fresh->step);
  execution_release(fresh);
  return false;
}

static void run_guard(run_t *run, const sli_run_graph_t *request) {
  sli_env_t *env = run->worker->env;
  if (request->cancellation) {
    sli_refcount_retain(&run->references);
    if (!sli_cancel_link_begin(&run->link, request->cancellation, on_cancel, run)) on_cancel(run);
  }
  if (request->deadline && request->deadline != SLI_NO_DEADLINE) {
    sli_refcount_retain(&run->references);
    run->timer = env->add_timer(env, request->deadline, on_deadline, run);
  }
}

static void run_send(run_t *run, const sli_run_graph_t *request) {
  for (size_t i = 0; i < request->send_count; i++) {
    const sli_named_tensor_t *send = &request->sends[i];
    run_fail(run, sli_rendezvous_send(&run->step->rendezvous->base, sli_view(send->name),
                                      sli_tensor_retain(send->tensor), false));
  }
}

void sli_worker_run_graph(sli_worker_client_t *self, const sli_run_graph_t *request, sli_run_graph_done_t done,
                          void *context) {
  sli_worker_t *worker = (sli_worker_t *)self;
  sli_worker_graph_t *graph = NULL;
  sli_status_t *status = sli_worker_begin(worker);
  if (!status) {
    status = sli_worker_find_graph(worker, request->session_handle, request->graph_handle, &graph);
    if (status) sli_worker_end(worker);
  }
  if (status) {
    sli_run_graph_result_t nothing = {0};
    done(context, status, &nothing);
    return;
  }
  run_t *run = run_create(worker, request, done, context);
  bool starts = choose_execution(run, request, graph);
  bool awaits = !request->is_partial || request->is_last_partial;
  sli_worker_graph_release(graph);
  atomic_init(&run->pending, 1 + (awaits ? 1 : 0) + (int)request->recv_count);
  if (awaits) execution_await(run->execution, run);
  run_guard(run, request);
  run_send(run, request);
  sli_rendezvous_t *rendezvous = sli_rendezvous_retain(&run->step->rendezvous->base);
  for (size_t i = 0; i < run->recv_count; i++)
    sli_rendezvous_recv(rendezvous, sli_view(run->slots[i].key), on_recv, &run->slots[i]);
  sli_rendezvous_release(rendezvous);
  if (starts) execution_start(run->execution, request);
  part_over(run, NULL);
}
