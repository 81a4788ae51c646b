#include "runtime/session/partial_run.h"

#include <stdlib.h>

#include "runtime/execute/executor.h"
#include "runtime/execute/local_rendezvous.h"
#include "runtime/plan/terminals.h"

struct sli_partial_run_plan {
  sli_refcount_t references;
  sli_terminals_t terminals;
  sli_plan_t *plan;
  char **feed_names, **fetch_names;
  sli_dtype_t *feed_types;
};

struct sli_partial_run {
  sli_refcount_t references;
  sli_env_t *env;
  sli_partial_run_plan_t *plan;
  sli_rendezvous_t *rendezvous;
  sli_cancellation_t *cancellation;
  sli_event_t ended;     // set when the step has ended; |status| is its result
  sli_status_t *status;  // written before |ended|
  sli_mutex_t mutex;
  // Under mutex: what was fed and fetched so far.
  bool *is_fed, *is_fetched;
  size_t left;
};

// --- Plans ---------------------------------------------------------------------

static sli_status_t *check_names(const sli_signature_t *signature) {
  for (size_t i = 0; i < signature->fetch_count; i++)
    for (size_t k = 0; k < signature->feed_count; k++)
      if (!strcmp(signature->fetch_names[i], signature->feed_names[k]))
        return sli_status_make(SLI_INVALID_ARGUMENT, "%s is both fed and fetched.", signature->fetch_names[i]);
  return NULL;
}

static char **copy_names(const char *const *names, size_t count) {
  char **copy = sli_calloc(count, sizeof(*copy));
  for (size_t i = 0; i < count; i++) copy[i] = sli_strdup(names[i]);
  return copy;
}

sli_status_t *sli_partial_run_plan_create(sli_pass_pruned_t *pruned, const sli_signature_t *signature,
                                          const sli_device_set_t *devices, sli_function_library_t *functions,
                                          sli_partial_run_plan_t **out_plan) {
  *out_plan = NULL;
  SLI_RETURN_IF_ERROR(check_names(signature));
  sli_partial_run_plan_t *plan = sli_calloc(1, sizeof(*plan));
  sli_refcount_initialize(&plan->references);
  plan->feed_types = sli_calloc(pruned->feed_count, sizeof(*plan->feed_types));
  for (size_t i = 0; i < pruned->feed_count; i++)
    plan->feed_types[i] = sli_dtype_base(sli_graph_output_dtype(pruned->feeds[i]));
  sli_status_t *status = sli_terminals_create(pruned, signature, devices, &plan->terminals);
  if (!status) {
    plan->feed_names = copy_names(signature->feed_names, signature->feed_count);
    plan->fetch_names = copy_names(signature->fetch_names, signature->fetch_count);
    sli_plan_request_t request = {.graph = plan->terminals.graph, .devices = devices, .functions = functions};
    status = sli_plan_create(&request, &plan->plan);
  }
  if (status)
    sli_partial_run_plan_release(plan);
  else
    *out_plan = plan;
  return status;
}

void sli_partial_run_plan_release(sli_partial_run_plan_t *plan) {
  if (!plan || !sli_refcount_release(&plan->references)) return;
  for (size_t i = 0; plan->feed_names && i < plan->terminals.feed_count; i++) free(plan->feed_names[i]);
  for (size_t i = 0; plan->fetch_names && i < plan->terminals.fetch_count; i++) free(plan->fetch_names[i]);
  free(plan->feed_names);
  free(plan->fetch_names);
  free(plan->feed_types);
  sli_plan_release(plan->plan);
  sli_terminals_deinitialize(&plan->terminals);
  free(plan);
}

// --- The step ------------------------------------------------------------------

static void step_ended(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count) {
  sli_partial_run_t *run = context;
  run->status = status;
  run->env->set(run->env, &run->ended);
  sli_partial_run_release(run);
}

sli_partial_run_t *sli_partial_run_start(sli_partial_run_plan_t *plan, int64_t step_id, sli_env_t *env,
                                         sli_thread_pool_t *pool) {
  sli_partial_run_t *run = sli_calloc(1, sizeof(*run));
  sli_refcount_initialize(&run->references);
  sli_refcount_retain(&plan->references);
  run->env = env;
  run->plan = plan;
  run->rendezvous = sli_local_rendezvous_create();
  run->cancellation = sli_cancellation_create();
  sli_event_initialize(&run->ended);
  sli_mutex_initialize(&run->mutex);
  run->is_fed = sli_calloc(plan->terminals.feed_count + 1, sizeof(bool));
  run->is_fetched = sli_calloc(plan->terminals.fetch_count + 1, sizeof(bool));
  run->left = plan->terminals.feed_count + plan->terminals.fetch_count;
  sli_executor_request_t request = {
      .plan = plan->plan,
      .step_id = step_id,
      .rendezvous = run->rendezvous,
      .cancellation = run->cancellation,
      .deadline = SLI_CLOCK_NO_DEADLINE,
      .pool = pool,
      .env = env,
  };
  sli_executor_run_plan(&request, step_ended, sli_partial_run_retain(run));
  return run;
}

sli_partial_run_t *sli_partial_run_retain(sli_partial_run_t *run) {
  sli_refcount_retain(&run->references);
  return run;
}

void sli_partial_run_release(sli_partial_run_t *run) {
  if (!run || !sli_refcount_release(&run->references)) return;
  sli_rendezvous_release(run->rendezvous);
  sli_cancellation_release(run->cancellation);
  sli_event_deinitialize(&run->ended);
  sli_mutex_deinitialize(&run->mutex);
  sli_status_release(run->status);
  free(run->is_fed);
  free(run->is_fetched);
  sli_partial_run_plan_release(run->plan);
  free(run);
}

void sli_partial_run_cancel(sli_partial_run_t *run, sli_status_t *reason) {
  sli_cancellation_cancel(run->cancellation, reason);
  run->env->wait(run->env, &run->ended, SLI_CLOCK_NO_DEADLINE);
}

// --- Parts -----------------------------------------------------------------------

// The index of |name| in |names|, the first that is not used.
static sli_status_t *find_place(const char *kind, const char *past, const char *name, char *const *names, size_t count,
                                const bool *is_used, size_t *out_place) {
  bool is_there = false;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(names[i], name) != 0) continue;
    is_there = true;
    *out_place = i;
    if (!is_used[i]) return NULL;
  }
  if (is_there) return sli_status_make(SLI_INVALID_ARGUMENT, "The %s %s has already been %s.", kind, name, past);
  return sli_status_make(SLI_INVALID_ARGUMENT, "The %s %s was not specified in partial_run_setup.", kind, name);
}

// Whether the fetches that are marked in |wanted| need nothing but what is marked in |is_fed|.
static sli_status_t *check_fetches(const sli_partial_run_t *run, const bool *wanted, const bool *is_fed) {
  const sli_terminals_t *terminals = &run->plan->terminals;
  SLI_ARRAY(sli_node_t *) roots = {0};
  bool *reached = sli_calloc(terminals->graph->nodes.count, sizeof(*reached));
  for (size_t i = 0; i < terminals->fetch_count; i++)
    if (wanted[i]) sli_array_push(&roots, terminals->fetch_nodes[i]);
  sli_graph_mark_needed(terminals->graph, roots.items, roots.count, NULL, 0, reached);
  sli_status_t *status = NULL;
  for (size_t i = 0; i < terminals->feed_count && !status; i++)
    if (reached[terminals->feed_nodes[i]->id] && !is_fed[i])
      status =
          sli_status_make(SLI_INVALID_ARGUMENT, "Fetch %s can't be computed from the feeds that have been fed so far.",
                          run->plan->feed_names[i]);
  free(reached);
  sli_array_deinitialize(&roots);
  return status;
}

// Finds |request|'s feeds and fetches and marks them as used; on failure nothing is marked.
static sli_status_t *take_locked(sli_partial_run_t *run, const sli_session_run_t *request, size_t *feeds,
                                 size_t *fetches) {
  const sli_terminals_t *terminals = &run->plan->terminals;
  bool *is_fed = sli_memdup(run->is_fed, terminals->feed_count + 1);
  bool *is_fetched = sli_memdup(run->is_fetched, terminals->fetch_count + 1);
  bool *wanted = sli_calloc(terminals->fetch_count, sizeof(*wanted));
  sli_status_t *status = NULL;
  for (size_t i = 0; i < request->feed_count; i++) {
    SLI_GOTO_IF_ERROR(status, cleanup,
                      find_place("feed", "fed", request->feed_names[i], run->plan->feed_names, terminals->feed_count,
                                 is_fed, &feeds[i]));
    is_fed[feeds[i]] = true;
    if (request->feeds[i]->dtype != run->plan->feed_types[feeds[i]]) {
      status = sli_status_make(SLI_INVALID_ARGUMENT, "The feed %s is a %s tensor, the graph takes %s.",
                               request->feed_names[i], sli_dtype_name((sli_dtype_t)request->feeds[i]->dtype),
                               sli_dtype_name(run->plan->feed_types[feeds[i]]));
      goto cleanup;
    }
  }
  for (size_t i = 0; i < request->fetch_count; i++) {
    SLI_GOTO_IF_ERROR(status, cleanup,
                      find_place("fetch", "fetched", request->fetch_names[i], run->plan->fetch_names,
                                 terminals->fetch_count, is_fetched, &fetches[i]));
    is_fetched[fetches[i]] = wanted[fetches[i]] = true;
  }
  SLI_GOTO_IF_ERROR(status, cleanup, check_fetches(run, wanted, is_fed));
  for (size_t i = 0; i < request->feed_count; i++) run->is_fed[feeds[i]] = true;
  for (size_t i = 0; i < request->fetch_count; i++) run->is_fetched[fetches[i]] = true;
  run->left -= request->feed_count + request->fetch_count;
cleanup:
  free(is_fed);
  free(is_fetched);
  free(wanted);
  return status;
}

// A fetch that is waited for. Reference counted: used by the caller and by the rendezvous, whichever ends last.
typedef struct {
  sli_refcount_t references;
  sli_env_t *env;
  sli_event_t arrived;
  sli_status_t *status;
  sli_tensor_t *tensor;
  bool is_dead;
} arrival_t;

static void arrival_release(arrival_t *arrival) {
  if (!sli_refcount_release(&arrival->references)) return;
  sli_event_deinitialize(&arrival->arrived);
  sli_status_release(arrival->status);
  sli_tensor_release(arrival->tensor);
  free(arrival);
}

static void on_arrival(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  arrival_t *arrival = context;
  arrival->status = status;
  arrival->tensor = tensor;
  arrival->is_dead = is_dead;
  arrival->env->set(arrival->env, &arrival->arrived);
  arrival_release(arrival);
}

static sli_status_t *receive(sli_partial_run_t *run, size_t fetch, int64_t deadline, sli_tensor_t **out_tensor) {
  arrival_t *arrival = sli_calloc(1, sizeof(*arrival));
  sli_refcount_initialize(&arrival->references);
  sli_refcount_retain(&arrival->references);
  arrival->env = run->env;
  sli_event_initialize(&arrival->arrived);
  sli_rendezvous_recv(run->rendezvous, sli_view(run->plan->terminals.fetch_keys[fetch]), on_arrival, arrival);
  sli_status_t *status = NULL;
  if (!run->env->wait(run->env, &arrival->arrived, deadline)) {
    status = sli_status_make(SLI_DEADLINE_EXCEEDED, "Timed out waiting for notification");
  } else if (arrival->status) {
    status = sli_status_retain(arrival->status);
  } else if (arrival->is_dead) {
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "The tensor returned for %s was not valid: it is on a branch that was not taken.",
                             run->plan->fetch_names[fetch]);
  } else {
    *out_tensor = sli_tensor_retain(arrival->tensor);
  }
  arrival_release(arrival);
  return status;
}

static sli_status_t *exchange(sli_partial_run_t *run, const sli_session_run_t *request, const size_t *feeds,
                              const size_t *fetches, int64_t deadline, sli_tensor_t **out_fetches) {
  sli_status_t *status = NULL;
  for (size_t i = 0; i < request->feed_count && !status; i++)
    status = sli_rendezvous_send(run->rendezvous, sli_view(run->plan->terminals.feed_keys[feeds[i]]),
                                 sli_tensor_retain(request->feeds[i]), false);
  for (size_t i = 0; i < request->fetch_count && !status; i++)
    status = receive(run, fetches[i], deadline, &out_fetches[i]);
  for (size_t i = 0; status && i < request->fetch_count; i++) {
    sli_tensor_release(out_fetches[i]);
    out_fetches[i] = NULL;
  }
  return status;
}

sli_status_t *sli_partial_run_continue(sli_partial_run_t *run, const sli_session_run_t *request, int64_t deadline,
                                       sli_tensor_t **out_fetches, bool *out_is_over) {
  size_t *feeds = sli_calloc(request->feed_count, sizeof(*feeds));
  size_t *fetches = sli_calloc(request->fetch_count, sizeof(*fetches));
  *out_is_over = false;
  sli_mutex_lock(&run->mutex);
  sli_status_t *status = take_locked(run, request, feeds, fetches);
  bool is_last = !status && run->left == 0, is_refused = status != NULL;
  sli_mutex_unlock(&run->mutex);
  if (!status) status = exchange(run, request, feeds, fetches, deadline, out_fetches);
  if (status && !is_refused) {
    sli_partial_run_cancel(run, sli_status_retain(status));
    *out_is_over = true;
  } else if (is_last) {
    *out_is_over = true;
    if (!run->env->wait(run->env, &run->ended, deadline))
      sli_partial_run_cancel(run, sli_status_make(SLI_DEADLINE_EXCEEDED, "Timed out waiting for notification"));
  }
  free(feeds);
  free(fetches);
  return status;
}
