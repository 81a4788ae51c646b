// RunGraph: sends the feeds to the step's rendezvous, executes the plan and receives the fetches from the rendezvous.
// One pass of the plan is an execution; one RunGraph call is a run. In a partial run several runs share one execution:
// the first starts it, the last waits for its end.
//
// A cancelled execution ends when its kernels have returned. One that waits for a file, or computes for long, must not
// keep the caller: after ABANDON_MILLIS the run replies without it, and the execution ends alone whenever it can.
#include <stdlib.h>

#include "base/log.h"
#include "dist/client/cancel_link.h"
#include "dist/env/env_process.h"
#include "dist/worker/worker_internal.h"
#include "graph/import.h"
#include "runtime/execute/executor.h"

typedef struct graph_run graph_run_t;

enum { ABANDON_MILLIS = 2000 };

struct sli_worker_execution {
  sli_refcount_t references;
  sli_worker_t *worker;
  sli_worker_step_t *step;  // in use until the execution has ended
  sli_remote_rendezvous_t *rendezvous;
  sli_worker_graph_t *graph;
  int64_t began;
  sli_cancellation_t *cancellation;
  sli_step_stats_t *stats;  // NULL: not traced
  int64_t started_at;
  bool traces_transfers;                    // the step's rows of the transfer log are added to |stats|
  sli_worker_execution_t *next, *previous;  // in worker->executions
  sli_mutex_t mutex;
  // Under mutex.
  bool ended;
  sli_status_t *status;  // once ended
  sli_status_t *reason;  // why it was cancelled
  graph_run_t *waiter;   // the run that waits for the end; at most one
  sli_timer_t *timer;    // until it is abandoned; NULL: it was not cancelled
};

// A fetch of a run.
typedef struct {
  graph_run_t *run;
  size_t index;
  const char *key;  // borrowed from the caller until |done|
} fetch_t;

// One RunGraph call.
struct graph_run {
  sli_refcount_t references;  // of the call, the link, the timer
  atomic_int pending;         // receives, the execution's end if awaited, and sli_worker_run_graph itself
  sli_worker_t *worker;
  sli_worker_step_t *step;
  sli_worker_execution_t *execution;
  sli_cancel_link_t link;
  sli_timer_t *timer;
  bool is_abandoned;  // the execution still runs: its statistics must not be read
  bool record_partition_graphs;
  sli_worker_client_run_graph_done_t done;
  void *context;
  sli_mutex_t mutex;
  sli_status_t *status;  // under mutex
  size_t recv_count;
  sli_tensor_t **recvs;
  fetch_t fetch_slots[];
};

// ---- Executions ------------------------------------------------------------------

static sli_worker_execution_t *execution_create(sli_worker_t *worker, const sli_worker_client_run_graph_t *request,
                                                sli_worker_graph_t *graph) {
  sli_worker_execution_t *execution = sli_calloc(1, sizeof(*execution));
  sli_refcount_initialize(&execution->references);
  sli_mutex_initialize(&execution->mutex);
  execution->worker = worker;
  execution->began = worker->env->now(worker->env);
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

static sli_worker_execution_t *execution_retain(sli_worker_execution_t *execution) {
  sli_refcount_retain(&execution->references);
  return execution;
}

static void execution_release(sli_worker_execution_t *execution) {
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

static void run_complete_one(graph_run_t *run, sli_status_t *status);

static void execution_abandon(void *context) {
  sli_worker_execution_t *execution = context;
  sli_mutex_lock(&execution->mutex);
  graph_run_t *waiter = execution->ended ? NULL : execution->waiter;
  if (waiter) execution->waiter = NULL;
  sli_status_t *reason = sli_status_retain(execution->reason);
  long long id = waiter ? (long long)execution->step->id : 0;
  sli_mutex_unlock(&execution->mutex);
  if (waiter) {
    SLI_WARNING("Step %lld was cancelled, but a kernel of it has not returned for %.1f s: replying without it (%s)", id,
                ABANDON_MILLIS / 1e3, sli_status_message(reason));
    waiter->is_abandoned = true;
    run_complete_one(waiter, reason);
  } else {
    sli_status_release(reason);
  }
  execution_release(execution);
}

// |reason| is borrowed.
static void execution_cancel(sli_worker_execution_t *execution, sli_status_t *reason) {
  sli_env_t *env = execution->worker->env;
  sli_mutex_lock(&execution->mutex);
  if (!execution->reason) execution->reason = sli_status_retain(reason);
  if (!execution->timer && !execution->ended)
    execution->timer = env->add_timer(env, sli_env_deadline_after_millis(env, ABANDON_MILLIS), execution_abandon,
                                      execution_retain(execution));
  sli_mutex_unlock(&execution->mutex);
  sli_cancellation_cancel(execution->cancellation, sli_status_retain(reason));
  sli_rendezvous_abort(&execution->rendezvous->base, sli_status_retain(reason));
}

static void list_add(sli_worker_execution_t *execution) {
  sli_worker_t *worker = execution->worker;
  execution->started_at = worker->env->now(worker->env);
  sli_mutex_lock(&worker->mutex);
  execution->next = worker->executions;
  if (execution->next) execution->next->previous = execution;
  worker->executions = execution;
  worker->running++;
  worker->busy++;  // in addition to the call that started it, because a partial run outlives that
  sli_status_t *stopped = sli_status_retain(worker->stopped);
  sli_mutex_unlock(&worker->mutex);
  // A stop that came before this did not see the execution.
  if (stopped) execution_cancel(execution, stopped);
  sli_status_release(stopped);
}

static void list_remove(sli_worker_execution_t *execution) {
  sli_worker_t *worker = execution->worker;
  sli_mutex_lock(&worker->mutex);
  worker->running--;
  *(execution->previous ? &execution->previous->next : &worker->executions) = execution->next;
  if (execution->next) execution->next->previous = execution->previous;
  sli_mutex_unlock(&worker->mutex);
}

void sli_worker_list_executions_locked(sli_worker_t *worker, const sli_worker_private_state_t *state, int64_t latest,
                                       sli_worker_executions_t *out_list) {
  for (sli_worker_execution_t *execution = worker->executions; execution; execution = execution->next)
    if ((!state || execution->graph->state == state) && execution->began <= latest)
      sli_array_push(out_list, execution_retain(execution));
}

void sli_worker_cancel_list(sli_worker_executions_t *list, sli_status_t *status) {
  for (size_t i = 0; i < list->count; i++) {
    execution_cancel(list->items[i], status);
    execution_release(list->items[i]);
  }
  sli_array_deinitialize(list);
}

void sli_worker_cancel_executions(sli_worker_t *worker, sli_status_t *status) {
  sli_worker_executions_t all = {0};
  sli_mutex_lock(&worker->mutex);
  sli_worker_list_executions_locked(worker, NULL, INT64_MAX, &all);
  sli_mutex_unlock(&worker->mutex);
  sli_worker_cancel_list(&all, status);
}

static void execution_done(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count) {
  sli_worker_execution_t *execution = context;
  sli_worker_t *worker = execution->worker;
  sli_worker_step_t *step = execution->step;
  list_remove(execution);
  sli_mutex_lock(&execution->mutex);
  if (status && execution->reason) {
    sli_status_release(status);
    status = sli_status_retain(execution->reason);
  }
  execution->ended = true;
  execution->status = status;
  graph_run_t *waiter = execution->waiter;
  sli_timer_t *timer = execution->timer;
  sli_mutex_unlock(&execution->mutex);
  sli_tally_add(&worker->tally, worker->env->now(worker->env) - execution->started_at, 0, status);
  if (timer && worker->env->cancel_timer(worker->env, timer)) execution_release(execution);
  if (waiter) run_complete_one(waiter, sli_status_retain(status));
  execution_release(execution);
  sli_step_table_leave(worker->steps, step);
  sli_worker_end_call(worker);
}

// Starts the plan of an execution that is in the list. Releases a reference.
static void execution_start(sli_worker_execution_t *execution, int64_t step_id, int64_t deadline) {
  sli_env_t *env = execution->worker->env;
  sli_executor_request_t run = {
      .plan = execution->graph->plan,
      .step_id = step_id,
      .rendezvous = &execution->rendezvous->base,
      .cancellation = execution->cancellation,
      .deadline = deadline ? deadline : SLI_CLOCK_NO_DEADLINE,
      .pool = env->pool,
      .env = env,
      .stats = execution->stats,
      .collective = execution->graph->collective,
      .hand_over = sli_env_process_on_network_thread(env),
  };
  sli_executor_run_plan(&run, execution_done, execution);
}

// The step of a session whose input has ended fails, but not at once: receives that come after the end of a step wait
// for ever, and a stock client that cancels calls which it has not sent yet breaks its connection (it resets streams
// that it has not opened).
enum { ENDED_INPUT_MILLIS = 300 };

typedef struct {
  sli_worker_execution_t *execution;
  int64_t step_id, deadline;
  sli_status_t *status;
  sli_timer_t *timer;  // under the execution's mutex
} ended_input_t;

static void ended_input_start(void *context) {
  ended_input_t *ended = context;
  sli_worker_execution_t *execution = ended->execution;
  sli_env_t *env = execution->worker->env;
  sli_mutex_lock(&execution->mutex);
  sli_timer_t *timer = ended->timer;
  sli_mutex_unlock(&execution->mutex);
  env->cancel_timer(env, timer);
  execution_cancel(execution, ended->status);
  sli_status_release(ended->status);
  execution_start(execution, ended->step_id, ended->deadline);
  free(ended);
}

// Fails an execution that is in the list. Releases |status| and a reference.
static void execution_end_input(sli_worker_execution_t *execution, int64_t step_id, int64_t deadline,
                                sli_status_t *status) {
  sli_env_t *env = execution->worker->env;
  ended_input_t *ended = sli_malloc(sizeof(*ended));
  *ended = (ended_input_t){execution, step_id, deadline, status, NULL};
  sli_mutex_lock(&execution->mutex);
  ended->timer = env->add_timer(env, sli_env_deadline_after_millis(env, ENDED_INPUT_MILLIS), ended_input_start, ended);
  sli_mutex_unlock(&execution->mutex);
}

// Makes |run| wait for the end of the execution; completes at once if it has ended.
static void execution_await(sli_worker_execution_t *execution, graph_run_t *run) {
  sli_mutex_lock(&execution->mutex);
  bool waits = !execution->ended && !execution->waiter;
  sli_status_t *status = sli_status_retain(execution->status);
  if (!execution->ended && execution->waiter)
    status = sli_status_make(SLI_FAILED_PRECONDITION, "The last part of this partial run was given before.");
  if (waits) execution->waiter = run;
  sli_mutex_unlock(&execution->mutex);
  if (!waits) run_complete_one(run, status);
}

// ---- Runs ------------------------------------------------------------------------

static void run_release(graph_run_t *run) {
  if (!sli_refcount_release(&run->references)) return;
  execution_release(run->execution);
  sli_status_release(run->status);  // of a cancellation that came when the run had ended
  sli_mutex_deinitialize(&run->mutex);
  free(run->recvs);
  free(run);
}

// Keeps the first error, unless it is derived and the new one is not.
static void run_fail(graph_run_t *run, sli_status_t *status) {
  if (!status) return;
  sli_mutex_lock(&run->mutex);
  run->status = sli_status_join(run->status, status);
  sli_mutex_unlock(&run->mutex);
}

static void run_cancel(graph_run_t *run, sli_status_t *reason) {
  run_fail(run, sli_status_retain(reason));
  execution_cancel(run->execution, reason);
  sli_status_release(reason);
}

static void run_cancelled(void *context) {
  graph_run_t *run = context;
  run_cancel(run, sli_status_make(SLI_CANCELLED, "RunGraph was cancelled by its caller"));
  run_release(run);
}

static void run_timed_out(void *context) {
  graph_run_t *run = context;
  run_cancel(run, sli_status_make(SLI_DEADLINE_EXCEEDED, "Timed out waiting for the step to end"));
  run_release(run);
}

static void run_finish(graph_run_t *run) {
  sli_worker_t *worker = run->worker;
  if (run->link.cancellation && sli_cancel_link_end(&run->link)) run_release(run);
  if (run->timer && worker->env->cancel_timer(worker->env, run->timer)) run_release(run);
  sli_mutex_lock(&run->mutex);
  sli_status_t *status = run->status;
  run->status = NULL;
  sli_mutex_unlock(&run->mutex);
  sli_string_t stats = {0}, graph = {0};
  if (run->execution->stats && !run->is_abandoned) sli_step_stats_encode(run->execution->stats, &stats);
  if (run->execution->traces_transfers) sli_transfer_log_take(worker->transfers, run->step->id, &stats);
  if (run->record_partition_graphs) sli_graph_export(run->execution->graph->graph, &graph);
  for (size_t i = 0; status && i < run->recv_count; i++) {
    sli_tensor_release(run->recvs[i]);
    run->recvs[i] = NULL;
  }
  sli_worker_client_run_graph_result_t result = {.recvs = run->recvs,
                                                 .recv_count = run->recv_count,
                                                 .step_stats = sli_view_of(stats.data, stats.size),
                                                 .partition_graph = sli_view_of(graph.data, graph.size)};
  run->done(run->context, status, &result);
  sli_string_deinitialize(&stats);
  sli_string_deinitialize(&graph);
  sli_step_table_leave(worker->steps, run->step);
  run_release(run);
  sli_worker_end_call(worker);
}

static void run_complete_one(graph_run_t *run, sli_status_t *status) {
  run_fail(run, status);
  if (atomic_fetch_sub(&run->pending, 1) == 1) run_finish(run);
}

static void on_recv(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  fetch_t *fetch = context;
  if (!status && is_dead) {
    sli_tensor_release(tensor);
    tensor = NULL;
    status = sli_status_make(SLI_INVALID_ARGUMENT, "The tensor returned for %s was not valid.", fetch->key);
  }
  fetch->run->recvs[fetch->index] = tensor;
  run_complete_one(fetch->run, status);
}

static graph_run_t *run_create(sli_worker_t *worker, const sli_worker_client_run_graph_t *request,
                               sli_worker_client_run_graph_done_t done, void *context) {
  size_t count = request->recv_count;
  graph_run_t *run = sli_calloc(1, sizeof(*run) + count * sizeof(fetch_t));
  sli_refcount_initialize(&run->references);
  sli_mutex_initialize(&run->mutex);
  run->worker = worker;
  run->step = sli_step_table_enter(worker->steps, request->step_id);
  run->record_partition_graphs = request->record_partition_graphs;
  run->done = done;
  run->context = context;
  run->recv_count = count;
  run->recvs = sli_calloc(count ? count : 1, sizeof(*run->recvs));
  for (size_t i = 0; i < count; i++) run->fetch_slots[i] = (fetch_t){run, i, request->recv_keys[i]};
  return run;
}

static sli_worker_execution_t *find_partial(graph_run_t *run) {
  sli_mutex_lock(&run->worker->mutex);
  sli_worker_execution_t *execution = run->step->partial;
  if (execution) execution_retain(execution);
  sli_mutex_unlock(&run->worker->mutex);
  return execution;
}

// Makes |fresh| the execution of the partial run unless it has one already. Returns whether it did.
static bool set_partial(graph_run_t *run, sli_worker_execution_t *fresh) {
  sli_mutex_lock(&run->worker->mutex);
  bool is_first = run->step->partial == NULL;
  if (is_first) run->step->partial = execution_retain(fresh);
  sli_mutex_unlock(&run->worker->mutex);
  return is_first;
}

// Sets the execution of the run: a new one, or that of the partial run. Returns whether it must be started.
static bool choose_execution(graph_run_t *run, const sli_worker_client_run_graph_t *request,
                             sli_worker_graph_t *graph) {
  if (request->is_partial && (run->execution = find_partial(run))) return false;
  sli_worker_execution_t *fresh = execution_create(run->worker, request, graph);
  if (!request->is_partial || set_partial(run, fresh)) {
    run->execution = fresh;
    return true;
  }
  run->execution = find_partial(run);
  sli_step_table_leave(run->worker->steps, fresh->step);
  execution_release(fresh);
  return false;
}

static void run_guard(graph_run_t *run, const sli_worker_client_run_graph_t *request) {
  sli_env_t *env = run->worker->env;
  if (request->cancellation) {
    sli_refcount_retain(&run->references);
    if (!sli_cancel_link_begin(&run->link, request->cancellation, run_cancelled, run)) run_cancelled(run);
  }
  if (request->deadline && request->deadline != SLI_CLOCK_NO_DEADLINE) {
    sli_refcount_retain(&run->references);
    run->timer = env->add_timer(env, request->deadline, run_timed_out, run);
  }
}

static void run_send(graph_run_t *run, const sli_worker_client_run_graph_t *request) {
  for (size_t i = 0; i < request->send_count; i++) {
    const sli_message_named_tensor_t *send = &request->sends[i];
    run_fail(run, sli_rendezvous_send(&run->step->rendezvous->base, sli_view(send->name),
                                      sli_tensor_retain(send->tensor), false));
  }
}

void sli_worker_run_graph(sli_worker_client_t *self, const sli_worker_client_run_graph_t *request,
                          sli_worker_client_run_graph_done_t done, void *context) {
  sli_worker_t *worker = (sli_worker_t *)self;
  sli_worker_graph_t *graph = NULL;
  sli_status_t *ended = NULL;
  sli_status_t *status = sli_worker_begin_call(worker);
  if (!status) {
    status = sli_worker_find_graph(worker, request->session_handle, request->graph_handle, &graph, &ended);
    if (status) sli_worker_end_call(worker);
  }
  if (status) {
    sli_worker_client_run_graph_result_t nothing = {0};
    done(context, status, &nothing);
    return;
  }
  graph_run_t *run = run_create(worker, request, done, context);
  bool starts = choose_execution(run, request, graph);
  bool awaits = !request->is_partial || request->is_last_partial;
  sli_worker_graph_release(graph);
  atomic_init(&run->pending, 1 + (awaits ? 1 : 0) + (int)request->recv_count);
  if (awaits) execution_await(run->execution, run);
  run_guard(run, request);
  run_send(run, request);
  sli_rendezvous_t *rendezvous = sli_rendezvous_retain(&run->step->rendezvous->base);
  for (size_t i = 0; i < run->recv_count; i++)
    sli_rendezvous_recv(rendezvous, sli_view(run->fetch_slots[i].key), on_recv, &run->fetch_slots[i]);
  sli_rendezvous_release(rendezvous);
  sli_worker_execution_t *execution = starts ? execution_retain(run->execution) : NULL;
  int64_t step_id = request->step_id, deadline = request->deadline;
  if (execution) list_add(execution);
  // Before the start, which may compute on this thread for long: the run may be abandoned meanwhile. |request| may be
  // gone after it.
  run_complete_one(run, NULL);
  if (execution && ended)
    execution_end_input(execution, step_id, deadline, ended);
  else if (execution)
    execution_start(execution, step_id, deadline);
  else
    sli_status_release(ended);
}
