// CreateSession: waits for every task that the session may use, asks it for its devices, creates a worker session on
// each and places the graph. Tasks may start in any order, so it waits for those that cannot be reached yet. Meanwhile
// it logs which tasks are missing and why, less and less often; when the wait times out that is the error.
#include <stdlib.h>

#include "base/log.h"
#include "dist/client/peer_wait.h"
#include "dist/client/probe.h"
#include "dist/master/master_internal.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"
#include "runtime/place/placer.h"

#define SECONDS INT64_C(1000000000)
enum { TRIM_BYTES = 4 << 20 };

static const int64_t retry_after =
    SECONDS / 2;  // retry interval for a task that answered with an error or is the wrong one

struct sli_master_creation {
  sli_refcount_t references;
  sli_master_t *master;
  sli_master_session_t *session;
  sli_view_t graph_def;   // the caller's
  int64_t deadline;       // the caller's
  int64_t wait_deadline;  // until which it waits for tasks
  int64_t began;
  sli_cancellation_t *cancellation;  // by the client or by a server that stops
  sli_master_handle_done_t done;
  void *context;
  sli_mutex_t mutex;
  // Under mutex.
  size_t waiting;
  sli_timer_t *timer;
  int reminders;    // logged so far
  bool *answered;   // by client
  char **problems;  // by client: what was wrong with its last answer; NULL: nothing
  sli_status_t *status;
  bool finished;
  // Under the master's mutex.
  sli_master_creation_t *next, *previous;
};

// GetStatus of one task, repeated until it succeeds.
typedef struct {
  sli_master_creation_t *creation;
  size_t client;
  sli_timer_t *timer;  // until the next try
} device_query_t;

static sli_master_creation_t *creation_retain(sli_master_creation_t *creation) {
  sli_refcount_retain(&creation->references);
  return creation;
}

static void creation_release(sli_master_creation_t *creation) {
  if (!sli_refcount_release(&creation->references)) return;
  sli_status_release(creation->status);
  sli_mutex_deinitialize(&creation->mutex);
  for (size_t i = 0; creation->problems && i < creation->session->clients.count; i++) free(creation->problems[i]);
  free(creation->problems);
  free(creation->answered);
  sli_master_session_release(creation->session);
  sli_cancellation_release(creation->cancellation);
  free(creation);
}

// --- The session's config ------------------------------------------------------------------

// Appends |def| in protobuf's text format.
static void append_cluster_text(sli_string_t *text, const Tensorflow__ClusterDef *def) {
  for (size_t i = 0; i < def->n_job; i++) {
    sli_string_append_format(text, "job {\n  name: \"%s\"\n", def->job[i]->name);
    for (size_t j = 0; j < def->job[i]->n_tasks; j++)
      sli_string_append_format(text, "  tasks {\n    key: %d\n    value: \"%s\"\n  }\n", def->job[i]->tasks[j]->key,
                               def->job[i]->tasks[j]->value);
    sli_string_append_text(text, "}\n");
  }
}

static sli_status_t *not_in_cluster(const Tensorflow__ClusterDef *def) {
  sli_string_t text = {0};
  append_cluster_text(&text, def);
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT,
                                         "The master (current machine) is not included in the provided cluster_def. %s",
                                         sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

// Our own task is the one at our address. As in TensorFlow it must have another name than in the server's own cluster.
static sli_status_t *read_cluster_def(sli_master_session_t *session, const Tensorflow__ClusterDef *def) {
  const sli_cluster_task_t *self = sli_cluster_self(session->master->cluster);
  const char *job = NULL;
  int index = 0;
  for (size_t i = 0; i < def->n_job && !job; i++) {
    for (size_t j = 0; j < def->job[i]->n_tasks && !job; j++) {
      if (strcmp(def->job[i]->tasks[j]->value, self->address) != 0) continue;
      job = def->job[i]->name;
      index = def->job[i]->tasks[j]->key;
    }
  }
  if (!job) return not_in_cluster(def);
  if (!strcmp(job, self->job) && index == self->index)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The ClusterSpec names the job and task index to be the same names that were provided when "
                           "the server booted. This is currently not allowed. Job: %s, task index: %d",
                           job, index);
  SLI_RETURN_IF_ERROR(sli_proto_pack(&def->base, &session->cluster_def));
  sli_string_t server_def = {0};
  sli_session_cluster_append_server_def(&server_def, sli_view_of(session->cluster_def.data, session->cluster_def.size),
                                        job, index);
  sli_status_t *status = sli_session_cluster_create(
      session->master->cache, sli_view_of(server_def.data, server_def.size), &session->own_cluster);
  sli_string_deinitialize(&server_def);
  return status;
}

static sli_status_t *read_config(sli_master_session_t *session, sli_view_t bytes) {
  sli_arena_t arena = {.budget = sli_proto_budget(bytes.size)};
  Tensorflow__ConfigProto *config = NULL;
  sli_status_t *status =
      sli_proto_parse(&tensorflow__config_proto__descriptor, bytes.data, bytes.size, &arena, (void **)&config);
  if (!status) {
    sli_string_append(&session->config, bytes.data, bytes.size);
    session->soft_placement = config->allow_soft_placement;
    session->log_placement = config->log_device_placement;
    session->isolate = config->isolate_session_state;
    session->timeout_millis = config->operation_timeout_in_ms;
    session->optimizer = sli_optimize_options(config->graph_options);
    session->bfloat16_transfers = config->graph_options && config->graph_options->enable_bfloat16_sendrecv;
    if (config->cluster_def && config->cluster_def->n_job) {
      // As in TensorFlow, the state of such a session is isolated unless it asks to share it.
      session->isolate = !config->experimental || !config->experimental->share_session_state_in_clusterspec_propagation;
      status = read_cluster_def(session, config->cluster_def);
    }
    if (!status && config->graph_options)
      status = sli_proto_pack(&config->graph_options->base, &session->graph_options);
    session->filter_count = config->n_device_filters;
    session->filters = sli_master_names_copy((const char *const *)config->device_filters, config->n_device_filters);
  }
  sli_arena_deinitialize(&arena);
  return status;
}

// Compares only the parts that both names have.
static bool names_overlap(const sli_device_name_t *a, const sli_device_name_t *b) {
  return !(a->has_job && b->has_job && !sli_view_equal(a->job, b->job)) &&
         !(a->has_replica && b->has_replica && a->replica != b->replica) &&
         !(a->has_task && b->has_task && a->task != b->task) &&
         !(a->has_type && b->has_type && !sli_view_equal(a->type, b->type)) &&
         !(a->has_id && b->has_id && a->id != b->id);
}

static sli_status_t *check_filters(const sli_master_session_t *session) {
  sli_device_name_t filter;
  for (size_t i = 0; i < session->filter_count; i++)
    if (!sli_device_name_parse(sli_view(session->filters[i]), &filter))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid device filter: '%s'", session->filters[i]);
  return NULL;
}

// Whether the session's filters admit the task or device |name|.
static bool passes_filters(const sli_master_session_t *session, const char *name) {
  sli_device_name_t parsed, filter;
  if (!sli_device_name_parse(sli_view(name), &parsed)) return false;
  bool passes = session->filter_count == 0;
  for (size_t i = 0; i < session->filter_count && !passes; i++)
    passes = sli_device_name_parse(sli_view(session->filters[i]), &filter) && names_overlap(&parsed, &filter);
  return passes;
}

sli_status_t *sli_master_choose_clients(sli_master_session_t *session) {
  SLI_RETURN_IF_ERROR(check_filters(session));
  const sli_cluster_t *cluster = sli_master_session_cluster(session);
  for (size_t i = 0; i < cluster->tasks.count; i++) {
    const char *task_name = cluster->tasks.items[i].task_name;
    if ((int)i != cluster->self && !passes_filters(session, task_name)) continue;
    sli_worker_client_t *client;
    SLI_RETURN_IF_ERROR(sli_worker_cache_get(sli_master_session_cache(session), sli_view(task_name), &client));
    sli_array_push(&session->clients, client);
  }
  return NULL;
}

// The device of nodes that request none: the first of our own task, or of the first task if the session has its own
// cluster.
static const char *default_device(const sli_master_session_t *session) {
  if (session->own_cluster) return NULL;
  const char *own = sli_cluster_self(session->master->cluster)->task_name;
  for (size_t i = 0; i < session->devices.devices.count; i++)
    if (sli_string_starts_with(session->devices.devices.items[i].name, own))
      return session->devices.devices.items[i].name;
  return NULL;
}

sli_status_t *sli_master_extend_graph(sli_master_session_t *session, sli_view_t graph_def) {
  size_t limit = session->master->options.max_graph_bytes;
  if (limit && (graph_def.size > limit || session->graph_bytes > limit - graph_def.size))
    return sli_status_make(SLI_RESOURCE_EXHAUSTED,
                           "The graph of the session would have %zu bytes, and %s takes %zu. Make it smaller "
                           "(constants are better variables, "
                           "or read from files), or raise --max_graph_megabytes of sluice serve (max_graph_bytes of "
                           "sl_cluster_server_options_t)",
                           session->graph_bytes + graph_def.size, sli_cluster_self(session->master->cluster)->task_name,
                           limit);
  sli_placer_options_t placing = {
      .devices = &session->devices,
      .default_device = default_device(session),
      .allow_soft_placement = session->soft_placement,
      .log_placement = session->log_placement,
  };
  sli_status_t *status = sli_placer_extend_graph(session->graph, graph_def, &placing);
  if (!status) session->graph_bytes += graph_def.size;
  return status;
}

// --- Finishing -----------------------------------------------------------------------------

static void remove_creation(sli_master_creation_t *creation) {
  sli_master_t *master = creation->master;
  sli_env_t *env = master->env;
  sli_mutex_lock(&master->mutex);
  *(creation->previous ? &creation->previous->next : &master->creations) = creation->next;
  if (creation->next) creation->next->previous = creation->previous;
  bool last = !master->creations && master->destroying;  // if false the master may be freed after the unlock
  sli_mutex_unlock(&master->mutex);
  if (last) env->set(env, &master->created);
}

static void discarded(void *context, sli_status_t *status) {
  sli_status_release(status);
  remove_creation(context);
  creation_release(context);
}

// Deletes the worker sessions of a session that failed, because no client will close it.
static void discard(sli_master_creation_t *creation) {
  sli_master_session_discard(sli_master_session_retain(creation->session), discarded, creation_retain(creation));
}

// TensorFlow's line, with the configuration in protocol buffers' text format.
static void log_session(const sli_master_session_t *session) {
  enum { LONGEST = 1000 };
  if (!sli_log_enabled(SLI_LOG_INFO)) return;
  sli_arena_t arena = {.budget = sli_proto_budget(session->config.size)};
  Tensorflow__ConfigProto *config = NULL;
  sli_string_t text = {0};
  sli_status_release(sli_proto_parse(&tensorflow__config_proto__descriptor, session->config.data, session->config.size,
                                     &arena, (void **)&config));
  if (config) sli_proto_to_line(&config->base, &text);
  SLI_INFO("Start master session %s with config: %.*s%s", session->handle, LONGEST, sli_string_text(&text),
           text.size > LONGEST ? "…" : "");
  sli_string_deinitialize(&text);
  sli_arena_deinitialize(&arena);
}

// Ends the creation: with the session, or with |status| (consumed). |has_sessions|: on the workers.
static void creation_end(sli_master_creation_t *creation, sli_status_t *status, bool has_sessions) {
  if (!status) log_session(creation->session);
  if (!status) sli_master_add_session(creation->master, creation->session);
  bool failed = status != NULL;
  creation->done(creation->context, status, status ? NULL : creation->session->handle, 0);
  if (failed && has_sessions)
    discard(creation);
  else
    remove_creation(creation);
}

// Consumes a reference.
static void import_graph(void *context) {
  sli_master_creation_t *creation = context;
  sli_status_t *status = sli_cancellation_status(creation->cancellation);
  // What the message left while it was received is in the way of the graph.
  if (!status && creation->graph_def.size >= TRIM_BYTES) sli_alloc_trim();
  if (!status) status = sli_master_extend_graph(creation->session, creation->graph_def);
  // The client may have given up meanwhile.
  if (!status) status = sli_cancellation_status(creation->cancellation);
  creation_end(creation, status, true);
  creation_release(creation);
}

// All worker sessions were created, or something failed with |status| (consumed).
static void creation_finish(sli_master_creation_t *creation, sli_status_t *status) {
  if (status)
    creation_end(creation, status, false);
  else
    sli_master_use_graph(creation->session,
                         (sli_master_graph_work_t){import_graph, NULL, creation_retain(creation),
                                                   sli_master_is_long_graph_def(creation->graph_def.size)});
}

// --- Worker sessions -----------------------------------------------------------------------

static void worker_session_created(void *context, sli_status_t *status) {
  sli_master_creation_t *creation = context;
  sli_mutex_lock(&creation->mutex);
  creation->status = sli_status_join(creation->status, status);
  bool last = --creation->waiting == 0;
  sli_status_t *outcome = last ? sli_status_retain(creation->status) : NULL;
  sli_mutex_unlock(&creation->mutex);
  if (last) creation_finish(creation, outcome);
  creation_release(creation);
}

// Called when all devices are known: creates a worker session on each task.
static void create_worker_sessions(sli_master_creation_t *creation) {
  sli_master_session_t *session = creation->session;
  const sli_device_set_t *own = sli_worker_devices(creation->master->worker);
  size_t count = session->clients.count;
  creation->waiting = count;
  for (size_t i = 0; i < count; i++) {
    sli_worker_client_t *client = session->clients.items[i];
    sli_string_t server_def = {0};
    if (session->own_cluster) {
      const sli_cluster_task_t *task = sli_cluster_find(&session->own_cluster->cluster, sli_view(client->task_name));
      sli_session_cluster_append_server_def(
          &server_def, sli_view_of(session->cluster_def.data, session->cluster_def.size), task->job, task->index);
    }
    sli_worker_client_create_session_t request = {
        .session_handle = session->handle,
        .isolate = session->isolate,
        .master_task = sli_cluster_self(sli_master_session_cluster(session))->task_name,
        .master_incarnation = (int64_t)own->devices.items[0].incarnation,
        .server_def = sli_view_of(server_def.data, server_def.size),
        .deadline = creation->deadline,
        .cancellation = creation->cancellation,
    };
    client->vtable->create_session(client, &request, worker_session_created, creation_retain(creation));
    sli_string_deinitialize(&server_def);
  }
}

// --- Waiting for the tasks -----------------------------------------------------------------

static void query_send(device_query_t *query);

// Why the client at |index| has not answered; the caller frees the text.
static char *describe_absence(sli_master_creation_t *creation, size_t index, const char *problem) {
  sli_worker_client_t *client = creation->session->clients.items[index];
  return sli_peer_wait_reason(client->vtable->describe_failure(client), problem);
}

static void query_send_again(void *context) {
  device_query_t *query = context;
  sli_env_t *env = query->creation->master->env;
  env->cancel_timer(env, query->timer);
  query->timer = NULL;
  query_send(query);
}

// If |status| may be temporary, because the task is being started, stopped or replaced, consumes it, asks the task
// again later and returns true.
static bool retry_later(device_query_t *query, sli_status_t *status) {
  sli_master_creation_t *creation = query->creation;
  sli_env_t *env = creation->master->env;
  sli_code_t code = sli_status_code(status);
  if ((code != SLI_UNAVAILABLE && code != SLI_FAILED_PRECONDITION) ||
      env->now(env) + retry_after >= creation->wait_deadline || sli_cancellation_is_cancelled(creation->cancellation))
    return false;
  sli_mutex_lock(&creation->mutex);
  free(creation->problems[query->client]);
  creation->problems[query->client] = sli_strdup(sli_status_message(status));
  sli_mutex_unlock(&creation->mutex);
  sli_status_release(status);
  query->timer = env->add_timer(env, env->now(env) + retry_after, query_send_again, query);
  return true;
}

// The final error of a task that did not answer: the reason of the cancellation if there was one, else |status|
// (consumed) with the task's name, or a timeout with the reason why the task is missing.
static sli_status_t *describe_failure(device_query_t *query, sli_status_t *status) {
  sli_master_creation_t *creation = query->creation;
  sli_env_t *env = creation->master->env;
  const char *task_name = creation->session->clients.items[query->client]->task_name;
  sli_status_t *reason = sli_cancellation_status(creation->cancellation);
  if (reason) {
    sli_status_release(status);
    return reason;
  }
  if (sli_status_code(status) != SLI_DEADLINE_EXCEEDED) return sli_status_prefix(status, "%s: ", task_name);
  sli_mutex_lock(&creation->mutex);
  char *problem = creation->problems[query->client] ? sli_strdup(creation->problems[query->client]) : NULL;
  sli_mutex_unlock(&creation->mutex);
  char *why = describe_absence(creation, query->client, problem);
  sli_status_release(status);
  status = sli_status_make(SLI_DEADLINE_EXCEEDED, "CreateSession waited %.0f s for %s: %s",
                           (double)(env->now(env) - creation->began) / 1e9, task_name, why);
  free(problem);
  free(why);
  return status;
}

// Adds the devices of a task to the session's, under the session's name for the task.
static void add_devices(sli_master_session_t *session, const char *task_name, const sli_device_set_entry_t *devices,
                        size_t count) {
  bool is_own = !strcmp(task_name, sli_cluster_self(sli_master_session_cluster(session))->task_name);
  for (size_t i = 0; i < count; i++) {
    const char *local = devices[i].name + sli_device_name_task(sli_view(devices[i].name)).size;
    char *name = sli_format("%s%s", task_name, local);
    if (is_own || passes_filters(session, name))
      sli_device_set_add(&session->devices, name, devices[i].type, devices[i].incarnation, devices[i].memory_limit,
                         devices[i].local);
    free(name);
  }
}

// The last word on a task: it can be used, or |status| (consumed) is why not.
static void task_known(device_query_t *query, sli_status_t *status) {
  sli_master_creation_t *creation = query->creation;
  sli_master_session_t *session = creation->session;
  sli_env_t *env = creation->master->env;
  sli_mutex_lock(&creation->mutex);
  creation->answered[query->client] = true;
  creation->status = sli_status_join(creation->status, status);
  bool last = --creation->waiting == 0;
  creation->finished |= last;
  sli_timer_t *timer = creation->timer;
  sli_status_t *outcome = last ? sli_status_retain(creation->status) : NULL;
  sli_mutex_unlock(&creation->mutex);
  free(query);
  if (last) {
    sli_device_set_sort(&session->devices);  // the tasks answered in any order
    if (env->cancel_timer(env, timer)) creation_release(creation);
    if (outcome)
      creation_finish(creation, outcome);
    else
      create_worker_sessions(creation);
  }
  creation_release(creation);
}

static void clusters_compared(void *context, sli_status_t *status) { task_known(context, status); }

static void task_answered(void *context, sli_status_t *status, const sli_device_set_entry_t *devices, size_t count) {
  device_query_t *query = context;
  sli_master_creation_t *creation = query->creation;
  sli_master_session_t *session = creation->session;
  const sli_cluster_t *cluster = creation->master->cluster;
  sli_worker_client_t *client = session->clients.items[query->client];
  if (!status && !session->own_cluster)
    status = sli_probe_check_task(client->task_name, sli_cluster_find(cluster, sli_view(client->task_name))->address,
                                  devices, count);
  if (status && retry_later(query, status)) return;
  if (status) {
    task_known(query, describe_failure(query, status));
    return;
  }
  sli_mutex_lock(&creation->mutex);
  add_devices(session, client->task_name, devices, count);
  sli_mutex_unlock(&creation->mutex);
  if (session->own_cluster || !count) {
    task_known(query, NULL);
    return;
  }
  sli_worker_client_compare_t compare = {
      .cluster = cluster,
      .own_incarnation = sli_worker_devices(creation->master->worker)->devices.items[0].incarnation,
      .incarnation = devices[0].incarnation,
      .deadline = creation->wait_deadline,
      .cancellation = creation->cancellation,
  };
  client->vtable->compare_clusters(client, &compare, clusters_compared, query);
}

static void query_send(device_query_t *query) {
  sli_master_creation_t *creation = query->creation;
  sli_worker_client_t *client = creation->session->clients.items[query->client];
  client->vtable->get_status(client, creation->wait_deadline, true, creation->cancellation, task_answered, query);
}

sli_status_t *sli_master_job_done_error(void) { return sli_status_make_text(SLI_CANCELLED, "The job is done."); }

// Whether it has waited long enough although the job is done: its tasks will not come back. Only for clients of this
// process.
static bool is_pointless(const sli_master_creation_t *creation) {
  const sli_master_t *master = creation->master;
  return atomic_load(&master->job_done) && !creation->session->client.link &&
         master->env->now(master->env) - creation->began >= sli_peer_wait_reminder_nanos(0);
}

// Logs which tasks are missing and why, and sets the timer for the next reminder.
static void log_missing_tasks(void *context) {
  sli_master_creation_t *creation = context;
  sli_env_t *env = creation->master->env;
  if (is_pointless(creation)) sli_cancellation_cancel(creation->cancellation, sli_master_job_done_error());
  sli_mutex_lock(&creation->mutex);
  bool finished = creation->finished;
  for (size_t i = 0; i < creation->session->clients.count && !finished; i++) {
    if (creation->answered[i]) continue;
    const char *task_name = creation->session->clients.items[i]->task_name;
    char *why = describe_absence(creation, i, creation->problems[i]);
    if (creation->reminders == 0)
      SLI_INFO("Waiting for %s: %s", task_name, why);
    else
      SLI_INFO("CreateSession still waiting for response from worker: %s (%s)", task_name, why);
    free(why);
  }
  if (!finished) {
    // Replaces the timer that fired; its reference passes to the new one.
    sli_timer_t *fired = creation->timer;
    creation->timer = env->add_timer(env, env->now(env) + sli_peer_wait_reminder_nanos(++creation->reminders),
                                     log_missing_tasks, creation);
    env->cancel_timer(env, fired);
  }
  sli_mutex_unlock(&creation->mutex);
  if (finished) creation_release(creation);
}

static void query_tasks(sli_master_creation_t *creation) {
  sli_master_session_t *session = creation->session;
  sli_env_t *env = creation->master->env;
  size_t count = session->clients.count;
  // A trainer opens several sessions; one line tells enough.
  if (!atomic_exchange(&creation->master->scanned, true))
    SLI_INFO("Scanning workers for devices: %zu total workers", count);
  creation->waiting = count;
  creation->answered = sli_calloc(count, sizeof(bool));
  creation->problems = sli_calloc(count, sizeof(char *));
  creation->timer = env->add_timer(env, creation->began + sli_peer_wait_reminder_nanos(0), log_missing_tasks,
                                   creation_retain(creation));
  for (size_t i = 0; i < count; i++) {
    device_query_t *query = sli_malloc(sizeof(*query));
    *query = (device_query_t){.creation = creation_retain(creation), .client = i};
    query_send(query);
  }
}

// --- CreateSession -------------------------------------------------------------------------

static sli_status_t *session_create(sli_master_t *master, sli_view_t config, sli_master_session_t **out_session) {
  sli_master_session_t *session = sli_calloc(1, sizeof(*session));
  sli_refcount_initialize(&session->references);
  sli_mutex_initialize(&session->mutex);
  session->master = master;
  session->env = master->env;
  session->graph = sli_graph_create();
  session->created_at = session->last_used = master->env->now(master->env);
  session->handle = sli_format("%016llx", (unsigned long long)master->env->random(master->env));
  sli_status_t *status = read_config(session, config);
  if (!status) status = sli_master_choose_clients(session);
  *out_session = session;
  return status;
}

// The name of the client at |peer|: its host, for any port, or on this host its process.
static char *name_client(const char *peer) {
  const char *end = sli_string_starts_with(peer, "unix:") ? NULL : strrchr(peer, ':');
  return end ? sli_strndup(peer, (size_t)(end - peer)) : sli_strdup(peer);
}

static bool is_of_client(const sli_master_session_t *session, const char *client) {
  return session->client_name && !strcmp(session->client_name, client);
}

// Checks that one more session may exist, next to those that are open or being created.
static sli_status_t *check_limits_locked(sli_master_t *master, const char *client) {
  const sli_master_options_t *options = &master->options;
  size_t count = master->sessions.count, of_client = 0;
  for (sli_master_creation_t *other = master->creations; other; other = other->next) {
    if (other->session->listed) continue;
    count++;
    of_client += client && is_of_client(other->session, client);
  }
  const char *self = sli_cluster_self(master->cluster)->task_name;
  if (options->max_sessions && count >= options->max_sessions)
    return sli_status_make(
        SLI_RESOURCE_EXHAUSTED,
        "%s already has %zu sessions, and no more may be open. Close some, or raise --max_sessions of "
        "sluice serve (max_sessions of sl_cluster_server_options_t)",
        self, count);
  if (!client || !options->max_client_sessions) return NULL;
  SLI_MAP_FOR_EACH (&master->sessions, entry) of_client += is_of_client(entry->value, client);
  if (of_client < options->max_client_sessions) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED,
                         "The client %s already has %zu sessions on %s, and no more may be open. Close some, or raise "
                         "--max_client_sessions of sluice serve (max_client_sessions of sl_cluster_server_options_t)",
                         client, of_client, self);
}

// Adds the creation to the master's list. Fails once the master was stopped, or if there are too many sessions.
static sli_status_t *add_creation(sli_master_creation_t *creation) {
  sli_master_t *master = creation->master;
  sli_mutex_lock(&master->mutex);
  sli_status_t *status = sli_status_retain(master->stopping);
  if (!status) status = check_limits_locked(master, creation->session->client_name);
  if (!status) {
    creation->next = master->creations;
    if (creation->next) creation->next->previous = creation;
    master->creations = creation;
  }
  sli_mutex_unlock(&master->mutex);
  return status;
}

void sli_master_create_session(sli_master_t *master, const sli_master_create_session_t *request,
                               sli_master_handle_done_t done, void *context) {
  sli_master_creation_t *creation = sli_calloc(1, sizeof(*creation));
  sli_refcount_initialize(&creation->references);
  sli_mutex_initialize(&creation->mutex);
  creation->master = master;
  creation->graph_def = request->graph_def;
  creation->deadline = creation->wait_deadline = request->deadline;
  creation->began = master->env->now(master->env);
  creation->done = done;
  creation->context = context;
  creation->cancellation =
      request->cancellation ? sli_cancellation_retain(request->cancellation) : sli_cancellation_create();
  if (master->options.wait_nanos > 0 && creation->began + master->options.wait_nanos < creation->wait_deadline)
    creation->wait_deadline = creation->began + master->options.wait_nanos;
  sli_status_t *status = session_create(master, request->config, &creation->session);
  creation->session->client = request->client;
  creation->session->client.peer = NULL;
  if (request->client.peer) creation->session->client_name = name_client(request->client.peer);
  if (!status) status = add_creation(creation);
  if (status)
    done(context, status, NULL, 0);
  else
    query_tasks(creation);
  creation_release(creation);
}

// Cancels with |status| (borrowed) the creations for which |matches| returns true; NULL: all.
static void cancel_creations(sli_master_t *master, bool (*matches)(const sli_master_creation_t *creation),
                             sli_status_t *status) {
  SLI_ARRAY(sli_cancellation_t *) found = {0};
  sli_mutex_lock(&master->mutex);
  for (sli_master_creation_t *creation = master->creations; creation; creation = creation->next)
    if (!matches || matches(creation)) sli_array_push(&found, sli_cancellation_retain(creation->cancellation));
  sli_mutex_unlock(&master->mutex);
  for (size_t i = 0; i < found.count; i++) {
    sli_cancellation_cancel(found.items[i], sli_status_retain(status));
    sli_cancellation_release(found.items[i]);
  }
  sli_array_deinitialize(&found);
}

void sli_master_cancel_creations(sli_master_t *master, sli_status_t *status) { cancel_creations(master, NULL, status); }

void sli_master_set_job_done(sli_master_t *master) {
  atomic_store(&master->job_done, true);  // creations that have waited less notice it at their first reminder
  sli_status_t *status = sli_master_job_done_error();
  cancel_creations(master, is_pointless, status);
  sli_status_release(status);
}
