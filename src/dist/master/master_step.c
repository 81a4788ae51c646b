// Steps: sends one RunGraph to each task of the plan, all at once. The first failure cancels the others. When all have
// ended the client gets its fetches in order, and CleanupGraph tells the tasks to drop the step.
#include <stdlib.h>

#include "base/clock.h"
#include "dist/master/master_internal.h"
#include "proto/config.fields.h"
#include "proto/wire.h"
#include "runtime/session/run_options.h"

typedef struct {
  sli_refcount_t references;
  sli_master_session_t *session;
  sli_master_plan_t *plan;
  int64_t id, deadline, started_at;
  sli_tensor_t **feeds;  // by index in the plan; NULL: not given in this part of a partial run
  size_t feed_count;
  sli_tensor_t **fetches;  // in the request's order
  size_t fetch_count;
  sli_master_partial_t *partial;  // NULL: a whole step
  size_t *places;                 // indices of a partial run's fetches in the plan
  ptrdiff_t *positions;           // by index in the plan: of a partial run's fetch in the request; -1: not requested
  bool is_watched;                // traced for the master, not for the client
  bool is_last;                   // this is the last part of the partial run
  sli_run_options_t options;
  sli_cancellation_t *cancellation;  // the step's own
  sli_cancellation_t *client;        // the caller's; NULL: none
  uint64_t client_token;
  sli_timer_t *timer;
  sli_master_run_done_t done;
  void *context;
  sli_mutex_t mutex;
  // Under mutex.
  size_t running;
  sli_status_t *status;
  sli_string_t step_stats, partition_graphs;
} master_step_t;

static master_step_t *step_retain(master_step_t *step) {
  sli_refcount_retain(&step->references);
  return step;
}

static void step_release(master_step_t *step) {
  if (!sli_refcount_release(&step->references)) return;
  for (size_t i = 0; i < step->feed_count; i++) sli_tensor_release(step->feeds[i]);
  for (size_t i = 0; i < step->fetch_count; i++) sli_tensor_release(step->fetches[i]);
  free(step->feeds);
  free(step->fetches);
  free(step->places);
  free(step->positions);
  sli_master_partial_release(step->partial);
  sli_string_deinitialize(&step->step_stats);
  sli_string_deinitialize(&step->partition_graphs);
  sli_status_release(step->status);
  sli_cancellation_release(step->cancellation);
  sli_cancellation_release(step->client);
  sli_master_plan_release(step->plan);
  sli_mutex_deinitialize(&step->mutex);
  sli_master_session_release(step->session);
  free(step);
}

// --- Finishing ----------------------------------------------------------------------

static void ignore_cleanup(void *context, sli_status_t *status) { sli_status_release(status); }

static void clean_up_tasks(const master_step_t *step) {
  for (size_t i = 0; i < step->plan->parts.count; i++) {
    sli_worker_client_t *client = step->plan->parts.items[i].client;
    client->vtable->cleanup_graph(client, step->id, ignore_cleanup, NULL);
  }
}

static void on_client_cancel(void *context) {
  master_step_t *step = context;
  sli_status_t *reason = sli_cancellation_status(step->client);
  sli_cancellation_cancel(step->cancellation, reason ? reason : sli_status_make(SLI_CANCELLED, "Step was cancelled"));
  step_release(step);
}

// The same text as the client's gRPC has, whose own timer may fire first.
static sli_status_t *deadline_exceeded(void) {
  return sli_status_make_text(SLI_DEADLINE_EXCEEDED, "Deadline Exceeded");
}

static void on_deadline(void *context) {
  master_step_t *step = context;
  sli_cancellation_cancel(step->cancellation, deadline_exceeded());
  step_release(step);
}

static void stop_watching(master_step_t *step) {
  if (step->client_token && sli_cancellation_deregister(step->client, step->client_token)) step_release(step);
  if (step->timer && step->session->master->env->cancel_timer(step->session->master->env, step->timer))
    step_release(step);
}

static void metadata_of(master_step_t *step, sli_string_t *out) {
  if (step->step_stats.size && step->options.trace_level == SLI_RUN_OPTIONS_FULL_TRACE)
    sli_wire_write_bytes(out, SLI_FIELD_RUN_METADATA_STEP_STATS, step->step_stats.data, step->step_stats.size);
  sli_string_append(out, sli_string_text(&step->partition_graphs), step->partition_graphs.size);
}

static void offer_trace(const master_step_t *step, const sli_status_t *status) {
  sli_string_t metadata = {0};
  if (!status && step->step_stats.size)
    sli_wire_write_bytes(&metadata, SLI_FIELD_RUN_METADATA_STEP_STATS, step->step_stats.data, step->step_stats.size);
  sli_master_trace_offer(step->session->master, sli_view_of(metadata.data, metadata.size));
  sli_string_deinitialize(&metadata);
}

// The status that the client gets for a step that ended with |status| (consumed). For a cancelled step that is the
// reason of the cancellation, not the errors that it caused in the parts. The parts have the same deadline, so the
// error of a part that timed out may arrive before our timer fires.
static sli_status_t *final_status(master_step_t *step, sli_status_t *status) {
  if (!status) return NULL;
  sli_env_t *env = step->session->master->env;
  sli_code_t code = sli_status_code(status);
  sli_status_t *reason = NULL;
  if ((code == SLI_CANCELLED || code == SLI_DEADLINE_EXCEEDED) && env->now(env) >= step->deadline)
    reason = deadline_exceeded();
  else if (code == SLI_CANCELLED || sli_status_is_derived(status))
    reason = sli_cancellation_status(step->cancellation);
  if (!reason) return status;
  sli_status_release(status);
  return reason;
}

// Called when every part has ended or none was started. Replies and releases the caller's reference.
static void step_finish(master_step_t *step) {
  stop_watching(step);
  sli_status_t *status = final_status(step, step->status);
  step->status = NULL;
  sli_master_t *master = step->session->master;
  sli_tally_add(&master->tally, master->env->now(master->env) - step->started_at, 0, status);
  if (step->is_watched) offer_trace(step, status);
  sli_string_t metadata = {0};
  if (!status) metadata_of(step, &metadata);
  // After an error the masters may have started different numbers of steps: the leader is asked again.
  if (step->options.collective_graph_key)
    sli_worker_set_next_step(step->session->master->worker, step->options.collective_graph_key,
                             status ? 0 : step->id + 1);
  bool is_over = !step->partial || step->is_last || status;
  if (step->plan && is_over) clean_up_tasks(step);
  if (step->partial && is_over) sli_master_partial_drop(step->session, step->partial);
  // A master that is being destroyed waits for this: it and the clients may be gone afterwards.
  sli_master_session_end_call(step->session, step->cancellation);
  step->done(step->context, status, step->fetches, status ? 0 : step->fetch_count,
             sli_view_of(metadata.data, metadata.size));
  if (!status) memset(step->fetches, 0, step->fetch_count * sizeof(*step->fetches));
  sli_string_deinitialize(&metadata);
  step_release(step);
}

// --- Parts ----------------------------------------------------------------------------

// The index in the request of the plan's fetch |place|; -1: it is not requested.
static ptrdiff_t fetch_position(const master_step_t *step, size_t place) {
  return step->partial ? step->positions[place] : (ptrdiff_t)place;
}

typedef struct {
  master_step_t *step;
  const sli_master_part_t *part;
  size_t fetch_count;
  ptrdiff_t positions[];  // of the part's fetches in the request
} part_run_t;

static sli_status_t *take_fetches_locked(const part_run_t *run, sli_worker_client_run_graph_result_t *result) {
  master_step_t *step = run->step;
  if (result->recv_count != run->fetch_count)
    return sli_status_make(SLI_INTERNAL, "%s returned %zu values of a step that fetches %zu from it",
                           run->part->client->task_name, result->recv_count, run->fetch_count);
  for (size_t i = 0; i < result->recv_count; i++) {
    step->fetches[run->positions[i]] = result->recvs[i];
    result->recvs[i] = NULL;
  }
  sli_string_append(&step->step_stats, result->step_stats.data, result->step_stats.size);
  if (step->options.want_partition_graphs && result->partition_graph.size)
    sli_wire_write_bytes(&step->partition_graphs, SLI_FIELD_RUN_METADATA_PARTITION_GRAPHS, result->partition_graph.data,
                         result->partition_graph.size);
  return NULL;
}

static void part_run_done(void *context, sli_status_t *status, sli_worker_client_run_graph_result_t *result) {
  part_run_t *run = context;
  master_step_t *step = run->step;
  if (status && !sli_string_starts_with(sli_status_message(status), "From /job:"))
    status = sli_status_prefix(status, "From %s:\n", run->part->client->task_name);
  sli_mutex_lock(&step->mutex);
  if (!status) status = take_fetches_locked(run, result);
  bool first_error = status && !step->status;
  sli_status_t *reason = first_error ? sli_status_retain(status) : NULL;
  step->status = sli_status_join(step->status, status);
  bool last = --step->running == 0;
  sli_mutex_unlock(&step->mutex);
  free(run);
  if (first_error) sli_cancellation_cancel(step->cancellation, sli_status_mark_derived(reason));
  if (last) step_finish(step);
}

static void run_part(master_step_t *step, const sli_master_part_t *part) {
  part_run_t *run = sli_malloc(sizeof(*run) + part->fetches.count * sizeof(run->positions[0]));
  *run = (part_run_t){.step = step, .part = part};
  sli_message_named_tensor_t *sends = sli_calloc(part->feeds.count, sizeof(*sends));
  const char **keys = sli_calloc(part->fetches.count, sizeof(*keys));
  size_t send_count = 0;
  for (size_t i = 0; i < part->feeds.count; i++) {
    sli_tensor_t *feed = step->feeds[part->feeds.items[i]];
    if (feed) sends[send_count++] = (sli_message_named_tensor_t){part->feed_keys.items[i], feed};
  }
  for (size_t i = 0; i < part->fetches.count; i++) {
    ptrdiff_t position = fetch_position(step, part->fetches.items[i]);
    if (position < 0) continue;
    keys[run->fetch_count] = part->fetch_keys.items[i];
    run->positions[run->fetch_count++] = position;
  }
  sli_worker_client_run_graph_t request = {
      .session_handle = step->session->handle,
      .graph_handle = part->graph_handle,
      .step_id = step->id,
      .sends = sends,
      .send_count = send_count,
      .recv_keys = keys,
      .recv_count = run->fetch_count,
      .record_timeline = step->is_watched || step->options.trace_level == SLI_RUN_OPTIONS_FULL_TRACE,
      .record_partition_graphs = step->options.want_partition_graphs,
      .is_partial = step->partial != NULL,
      .is_last_partial = step->is_last,
      .deadline = step->deadline,
      .cancellation = step->cancellation,
  };
  part->client->vtable->run_graph(part->client, &request, part_run_done, run);
  free(sends);
  free(keys);
}

static void run_parts(void *context, sli_status_t *status, sli_master_plan_t *plan) {
  master_step_t *step = context;
  step->plan = plan;
  if (status || plan->parts.count == 0) {
    step->status = status;
    step_finish(step);
    return;
  }
  step->running = plan->parts.count;
  step_retain(step);  // all parts may end while this loop still starts them
  // The local part may compute on this thread, so the other requests are sent first.
  for (int local = 0; local < 2; local++)
    for (size_t i = 0; i < plan->parts.count; i++)
      if (plan->parts.items[i].client->is_local == local) run_part(step, &plan->parts.items[i]);
  step_release(step);
}

// --- Starting ----------------------------------------------------------------------------

static master_step_t *step_create(sli_master_session_t *session, const sli_master_run_step_t *request,
                                  sli_master_run_done_t done, void *context) {
  master_step_t *step = sli_calloc(1, sizeof(*step));
  sli_refcount_initialize(&step->references);
  sli_mutex_initialize(&step->mutex);
  step->session = session;
  step->id = (int64_t)(session->master->env->random(session->master->env) >> 8);
  step->deadline = request->deadline;
  step->started_at = session->master->env->now(session->master->env);
  step->fetch_count = request->fetch_count;
  step->fetches = sli_calloc(request->fetch_count, sizeof(*step->fetches));
  step->cancellation = sli_cancellation_create();
  step->client = sli_cancellation_retain(request->cancellation);
  step->done = done;
  step->context = context;
  return step;
}

static void take_feeds(master_step_t *step, const sli_master_run_step_t *request, const size_t *places, size_t count) {
  step->feed_count = count;
  step->feeds = sli_calloc(count, sizeof(*step->feeds));
  for (size_t i = 0; i < request->feed_count; i++)
    step->feeds[places ? places[i] : i] = sli_tensor_retain(request->feeds[i]);
}

// Finds the partial run that |request| is a part of, and takes its feeds.
static sli_status_t *join_partial_run(master_step_t *step, const sli_master_run_step_t *request) {
  size_t *feed_places = sli_calloc(request->feed_count, sizeof(*feed_places));
  step->places = sli_calloc(request->fetch_count, sizeof(*step->places));
  sli_status_t *status =
      sli_master_partial_take(step->session, request, feed_places, step->places, &step->is_last, &step->partial);
  if (!status) {
    step->id = step->partial->step_id;
    size_t count = step->partial->plan->fetch_count;
    step->positions = sli_malloc(count * sizeof(*step->positions));
    for (size_t i = 0; i < count; i++) step->positions[i] = -1;
    for (size_t i = 0; i < step->fetch_count; i++) step->positions[step->places[i]] = (ptrdiff_t)i;
    take_feeds(step, request, feed_places, step->partial->plan->feed_count);
  }
  free(feed_places);
  return status;
}

static sli_status_t *step_watch(master_step_t *step, const sli_master_run_step_t *request) {
  step->options.timeout_millis = step->session->timeout_millis;
  SLI_RETURN_IF_ERROR(sli_run_options_decode(request->options, &step->options));
  int64_t timeout_millis = step->options.timeout_millis;
  sli_env_t *env = step->session->master->env;
  if (timeout_millis > 0) {
    int64_t deadline = env->now(env) + timeout_millis * 1000000;
    if (deadline < step->deadline) step->deadline = deadline;
  }
  if (step->deadline != SLI_CLOCK_NO_DEADLINE)
    step->timer = env->add_timer(env, step->deadline, on_deadline, step_retain(step));
  if (step->client) {
    step->client_token = sli_cancellation_register(step->client, on_client_cancel, step_retain(step));
    if (!step->client_token) {
      step_release(step);
      return sli_cancellation_status(step->client);
    }
  }
  return NULL;
}

static void step_plan(master_step_t *step, const sli_master_run_step_t *request) {
  sli_signature_t signature = {request->feed_names,  request->feed_count,       request->fetch_names,
                               request->fetch_count, request->target_names,     request->target_count,
                               request->connections, request->connection_count, step->options.collective_graph_key};
  sli_master_plan_get(step->session, &signature, run_parts, step);
}

// A step whose ID the leader of collective groups chooses.
typedef struct {
  master_step_t *step;
  sli_master_run_step_t request;
} sequenced_step_t;

static void on_step_sequence(void *context, sli_status_t *status, int64_t next_step_id) {
  sequenced_step_t *sequenced = context;
  master_step_t *step = sequenced->step;
  if (status) {
    step->status = status;
    step_finish(step);
  } else {
    step->id = next_step_id;
    sli_worker_set_next_step(step->session->master->worker, step->options.collective_graph_key, next_step_id);
    step_plan(step, &sequenced->request);
  }
  free(sequenced);
}

static void ask_step_sequence(master_step_t *step, const sli_master_run_step_t *request) {
  sli_master_t *master = step->session->master;
  char *leader =
      sli_worker_group_leader(master->worker, sli_view_of(step->session->config.data, step->session->config.size));
  sli_worker_client_t *client;
  step->status = sli_worker_cache_get(master->cache, sli_view(leader), &client);
  free(leader);
  if (step->status) {
    step_finish(step);
    return;
  }
  sequenced_step_t *sequenced = sli_malloc(sizeof(*sequenced));
  *sequenced = (sequenced_step_t){step, *request};
  client->vtable->get_step_sequence(client, step->options.collective_graph_key, step->deadline, step->cancellation,
                                    on_step_sequence, sequenced);
}

// Starts a step that has its feeds.
static void step_start(master_step_t *step, const sli_master_run_step_t *request) {
  step->is_watched = !step->partial && sli_master_trace_takes(step->session->master);
  if (!step->status) step->status = step_watch(step, request);
  if (step->status) {
    step_finish(step);
  } else if (step->partial) {
    sli_refcount_retain(&step->partial->plan->references);
    run_parts(step, NULL, step->partial->plan);
  } else if (step->options.collective_graph_key) {
    int64_t next = sli_worker_next_step(step->session->master->worker, step->options.collective_graph_key);
    if (!next) {
      ask_step_sequence(step, request);
      return;
    }
    step->id = next;
    step_plan(step, request);
  } else {
    step_plan(step, request);
  }
}

// A part of a partial run, which looks at the session's graph.
typedef struct {
  master_step_t *step;
  sli_master_run_step_t request;
} partial_start_t;

static void partial_join(void *context) {
  partial_start_t *start = context;
  start->step->status = join_partial_run(start->step, &start->request);
}

static void partial_start(void *context) {
  partial_start_t *start = context;
  step_start(start->step, &start->request);
  free(start);
}

void sli_master_run_step(sli_master_t *master, const sli_master_run_step_t *request, sli_master_run_done_t done,
                         void *context) {
  sli_master_session_t *session = NULL;
  sli_status_t *status = sli_master_find_session(master, request->session_handle, &session);
  if (status) {
    done(context, status, NULL, 0, sli_view(""));
    return;
  }
  master_step_t *step = step_create(session, request, done, context);
  status = sli_master_session_begin_call(session, step->cancellation, true);
  if (status) {
    done(context, status, NULL, 0, sli_view(""));
    step_release(step);
    return;
  }
  if (request->partial_handle) {
    partial_start_t *start = sli_malloc(sizeof(*start));
    *start = (partial_start_t){step, *request};
    sli_master_use_graph(session, (sli_master_graph_work_t){partial_join, partial_start, start, true});
  } else {
    take_feeds(step, request, NULL, request->feed_count);
    step_start(step, request);
  }
}
