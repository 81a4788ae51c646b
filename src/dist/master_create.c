// CreateSession: waits for every task that the session may use, asks for its
// devices, makes a worker session on each and places the graph. Start order does not
// matter, so a task that cannot be reached is waited for; who is missing, and why, is
// said soon, then less and less often, and becomes the error when the wait is over.
#include <stdlib.h>

#include "base/log.h"
#include "dist/master_internal.h"
#include "dist/patience.h"
#include "dist/probe.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"
#include "runtime/placer.h"

#define SECONDS INT64_C(1000000000)

static const int64_t retry_after = SECONDS / 2;  // a task that answered, but not as it should

struct sli_creation {
  sli_refcount_t references;
  sli_master_t *master;
  sli_master_session_t *session;
  sli_string_t graph_def;
  int64_t deadline;       // the caller's
  int64_t wait_deadline;  // for tasks to answer
  int64_t began;
  sli_cancellation_t *cancellation;  // by the client, or the end of the server
  sli_handle_done_t done;
  void *context;
  sli_mutex_t mutex;
  // Under mutex.
  size_t waiting;
  sli_timer_t *timer;
  int words;        // that were said about who is missing
  bool *answered;   // by client
  char **problems;  // by client: what is wrong with the answers so far; NULL: nothing
  sli_status_t *status;
  bool finished;
  // Under the master's mutex.
  sli_creation_t *next, *previous;
};

// What a task is asked, and asked again.
typedef struct {
  sli_creation_t *creation;
  size_t client;
  sli_timer_t *timer;  // before it is asked again
} question_t;

static sli_creation_t *creation_retain(sli_creation_t *creation) {
  sli_refcount_retain(&creation->references);
  return creation;
}

static void creation_release(sli_creation_t *creation) {
  if (!sli_refcount_release(&creation->references)) return;
  sli_status_release(creation->status);
  sli_string_deinitialize(&creation->graph_def);
  sli_mutex_deinitialize(&creation->mutex);
  for (size_t i = 0; creation->problems && i < creation->session->clients.count; i++) free(creation->problems[i]);
  free(creation->problems);
  free(creation->answered);
  sli_master_session_release(creation->session);
  sli_cancellation_release(creation->cancellation);
  free(creation);
}

// --- The session's config ------------------------------------------------------------------

// As protobuf prints it.
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

// Our own task is the one at our address. Under its own name it would be told from others by nothing.
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
    session->optimizer = sli_optimizer_options(config->graph_options);
    if (config->cluster_def && config->cluster_def->n_job) {
      // Such sessions have their state for themselves unless they ask for the other.
      session->isolate = !config->experimental || !config->experimental->share_session_state_in_clusterspec_propagation;
      status = read_cluster_def(session, config->cluster_def);
    }
    if (!status && config->graph_options)
      status = sli_proto_pack(&config->graph_options->base, &session->graph_options);
    session->filter_count = config->n_device_filters;
    session->filters = sli_names_copy((const char *const *)config->device_filters, config->n_device_filters);
  }
  sli_arena_deinitialize(&arena);
  return status;
}

// Parts that both name must agree.
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

// Whether the session's filters let a task or a device through.
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

// Where nodes without a wish go: to our own task, but to the first of all in a session that has its own names.
static const char *default_device(const sli_master_session_t *session) {
  if (session->own_cluster) return NULL;
  const char *own = sli_cluster_self(session->master->cluster)->task_name;
  for (size_t i = 0; i < session->devices.devices.count; i++)
    if (sli_starts_with(session->devices.devices.items[i].name, own)) return session->devices.devices.items[i].name;
  return NULL;
}

sli_status_t *sli_master_extend_graph_locked(sli_master_session_t *session, sli_view_t graph_def) {
  sli_placer_options_t placing = {
      .devices = &session->devices,
      .default_device = default_device(session),
      .allow_soft_placement = session->soft_placement,
      .log_placement = session->log_placement,
  };
  return sli_graph_extend_placed(session->graph, graph_def, &placing);
}

// --- The end -------------------------------------------------------------------------------

static void leave_master(sli_creation_t *creation) {
  sli_master_t *master = creation->master;
  sli_env_t *env = master->env;
  sli_mutex_lock(&master->mutex);
  *(creation->previous ? &creation->previous->next : &master->creations) = creation->next;
  if (creation->next) creation->next->previous = creation->previous;
  bool last = !master->creations && master->destroying;  // else the master may be gone after the unlock
  sli_mutex_unlock(&master->mutex);
  if (last) env->set(env, &master->created);
}

static void discarded(void *context, sli_status_t *status) {
  sli_status_release(status);
  leave_master(context);
  creation_release(context);
}

// Nobody will ever close the session: its worker sessions go.
static void discard(sli_creation_t *creation) {
  sli_master_session_discard(sli_master_session_retain(creation->session), discarded, creation_retain(creation));
}

// The session was made, or |status| (consumed) says why not.
static void creation_finish(sli_creation_t *creation, sli_status_t *status) {
  sli_master_session_t *session = creation->session;
  bool has_sessions = !status;
  if (!status) status = sli_cancellation_status(creation->cancellation);
  if (!status) {
    sli_mutex_lock(&session->mutex);
    status = sli_master_extend_graph_locked(session, sli_view_of(creation->graph_def.data, creation->graph_def.size));
    sli_mutex_unlock(&session->mutex);
  }
  if (!status) sli_master_add_session(creation->master, session);
  bool failed = status != NULL;
  creation->done(creation->context, status, status ? NULL : session->handle, 0);
  if (failed && has_sessions)
    discard(creation);
  else
    leave_master(creation);
}

// --- Worker sessions -----------------------------------------------------------------------

static void session_made(void *context, sli_status_t *status) {
  sli_creation_t *creation = context;
  sli_mutex_lock(&creation->mutex);
  creation->status = sli_status_join(creation->status, status);
  bool last = --creation->waiting == 0;
  sli_status_t *outcome = last ? sli_status_retain(creation->status) : NULL;
  sli_mutex_unlock(&creation->mutex);
  if (last) creation_finish(creation, outcome);
  creation_release(creation);
}

// All devices are known: each task gets a worker session.
static void make_worker_sessions(sli_creation_t *creation) {
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
    sli_create_worker_session_t request = {
        .session_handle = session->handle,
        .isolate = session->isolate,
        .master_task = sli_cluster_self(sli_master_session_cluster(session))->task_name,
        .master_incarnation = (int64_t)own->devices.items[0].incarnation,
        .server_def = sli_view_of(server_def.data, server_def.size),
        .deadline = creation->deadline,
        .cancellation = creation->cancellation,
    };
    client->vtable->create_session(client, &request, session_made, creation_retain(creation));
    sli_string_deinitialize(&server_def);
  }
}

// --- Waiting for the tasks -----------------------------------------------------------------

static void ask(question_t *question);

// Why |client| has not answered, to be freed.
static char *describe_absence(sli_creation_t *creation, size_t index, const char *problem) {
  sli_worker_client_t *client = creation->session->clients.items[index];
  return sli_patience_reason(client->vtable->describe_failure(client), problem);
}

static void ask_again(void *context) {
  question_t *question = context;
  sli_env_t *env = question->creation->master->env;
  env->cancel_timer(env, question->timer);
  question->timer = NULL;
  ask(question);
}

// Whether |status| (consumed then) is one to wait out: the task is being started, stopped or replaced.
static bool wait_out(question_t *question, sli_status_t *status) {
  sli_creation_t *creation = question->creation;
  sli_env_t *env = creation->master->env;
  sli_code_t code = sli_status_code(status);
  if ((code != SLI_UNAVAILABLE && code != SLI_FAILED_PRECONDITION) ||
      env->now(env) + retry_after >= creation->wait_deadline || sli_cancellation_is_cancelled(creation->cancellation))
    return false;
  sli_mutex_lock(&creation->mutex);
  free(creation->problems[question->client]);
  creation->problems[question->client] = sli_strdup(sli_status_message(status));
  sli_mutex_unlock(&creation->mutex);
  sli_status_release(status);
  question->timer = env->add_timer(env, env->now(env) + retry_after, ask_again, question);
  return true;
}

// The error of a task that was waited for in vain, with the reason; that of the cancellation, if it is one. Consumes
// |status|.
static sli_status_t *give_up(question_t *question, sli_status_t *status) {
  sli_creation_t *creation = question->creation;
  sli_env_t *env = creation->master->env;
  const char *task_name = creation->session->clients.items[question->client]->task_name;
  sli_status_t *reason = sli_cancellation_status(creation->cancellation);
  if (reason) {
    sli_status_release(status);
    return reason;
  }
  if (sli_status_code(status) != SLI_DEADLINE_EXCEEDED) return sli_status_prefix(status, "%s: ", task_name);
  sli_mutex_lock(&creation->mutex);
  char *problem = creation->problems[question->client] ? sli_strdup(creation->problems[question->client]) : NULL;
  sli_mutex_unlock(&creation->mutex);
  char *why = describe_absence(creation, question->client, problem);
  sli_status_release(status);
  status = sli_status_make(SLI_DEADLINE_EXCEEDED, "CreateSession waited %.0f s for %s: %s",
                           (double)(env->now(env) - creation->began) / 1e9, task_name, why);
  free(problem);
  free(why);
  return status;
}

// Enters what a task answered into the session's devices, under the session's name for the task.
static void add_devices(sli_master_session_t *session, const char *task_name, const sli_device_info_t *devices,
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

static void task_answered(void *context, sli_status_t *status, const sli_device_info_t *devices, size_t count) {
  question_t *question = context;
  sli_creation_t *creation = question->creation;
  sli_master_session_t *session = creation->session;
  sli_env_t *env = creation->master->env;
  const char *task_name = session->clients.items[question->client]->task_name;
  if (!status && !session->own_cluster) {
    const sli_cluster_task_t *task = sli_cluster_find(creation->master->cluster, sli_view(task_name));
    status = sli_probe_check_task(task_name, task->address, devices, count);
  }
  if (status && wait_out(question, status)) return;
  if (status) status = give_up(question, status);
  sli_mutex_lock(&creation->mutex);
  creation->answered[question->client] = true;
  if (!status) add_devices(session, task_name, devices, count);
  creation->status = sli_status_join(creation->status, status);
  bool last = --creation->waiting == 0;
  creation->finished |= last;
  sli_timer_t *timer = creation->timer;
  sli_status_t *outcome = last ? sli_status_retain(creation->status) : NULL;
  sli_mutex_unlock(&creation->mutex);
  free(question);
  if (last) {
    sli_device_set_sort(&session->devices);  // they came in any order
    if (env->cancel_timer(env, timer)) creation_release(creation);
    if (outcome)
      creation_finish(creation, outcome);
    else
      make_worker_sessions(creation);
  }
  creation_release(creation);
}

static void ask(question_t *question) {
  sli_creation_t *creation = question->creation;
  sli_worker_client_t *client = creation->session->clients.items[question->client];
  client->vtable->get_status(client, creation->wait_deadline, true, creation->cancellation, task_answered, question);
}

sli_status_t *sli_master_job_is_done(void) { return sli_status_make_text(SLI_CANCELLED, "The job is done."); }

// Whether it may wait no longer for tasks of a job that is done.
static bool waits_in_vain(const sli_creation_t *creation) {
  const sli_master_t *master = creation->master;
  return atomic_load(&master->job_done) && !creation->session->client.link &&
         master->env->now(master->env) - creation->began >= sli_patience_next(0);
}

// Says who is missing and why, and when to say it again.
static void remind(void *context) {
  sli_creation_t *creation = context;
  sli_env_t *env = creation->master->env;
  if (waits_in_vain(creation)) sli_cancellation_cancel(creation->cancellation, sli_master_job_is_done());
  sli_mutex_lock(&creation->mutex);
  bool finished = creation->finished;
  for (size_t i = 0; i < creation->session->clients.count && !finished; i++) {
    if (creation->answered[i]) continue;
    const char *task_name = creation->session->clients.items[i]->task_name;
    char *why = describe_absence(creation, i, creation->problems[i]);
    if (creation->words == 0)
      SLI_INFO("Waiting for %s: %s", task_name, why);
    else
      SLI_INFO("CreateSession still waiting for response from worker: %s (%s)", task_name, why);
    free(why);
  }
  if (!finished) {
    // The timer that fired is given up; the reference passes to the next one.
    sli_timer_t *fired = creation->timer;
    creation->timer = env->add_timer(env, env->now(env) + sli_patience_next(++creation->words), remind, creation);
    env->cancel_timer(env, fired);
  }
  sli_mutex_unlock(&creation->mutex);
  if (finished) creation_release(creation);
}

static void ask_tasks(sli_creation_t *creation) {
  sli_master_session_t *session = creation->session;
  sli_env_t *env = creation->master->env;
  size_t count = session->clients.count;
  SLI_INFO("Scanning workers for devices: %zu total workers", count);
  creation->waiting = count;
  creation->answered = sli_calloc(count, sizeof(bool));
  creation->problems = sli_calloc(count, sizeof(char *));
  creation->timer = env->add_timer(env, creation->began + sli_patience_next(0), remind, creation_retain(creation));
  for (size_t i = 0; i < count; i++) {
    question_t *question = sli_malloc(sizeof(*question));
    *question = (question_t){.creation = creation_retain(creation), .client = i};
    ask(question);
  }
}

// --- The call ------------------------------------------------------------------------------

static sli_status_t *make_session(sli_master_t *master, sli_view_t config, sli_master_session_t **out_session) {
  sli_master_session_t *session = sli_calloc(1, sizeof(*session));
  sli_refcount_initialize(&session->references);
  sli_mutex_initialize(&session->mutex);
  session->master = master;
  session->graph = sli_graph_create();
  session->created_at = session->last_used = master->env->now(master->env);
  session->handle = sli_format("%016llx", (unsigned long long)master->env->random(master->env));
  sli_status_t *status = read_config(session, config);
  if (!status) status = sli_master_choose_clients(session);
  *out_session = session;
  return status;
}

// Enters the master's list; fails once the master stopped.
static sli_status_t *enter_master(sli_creation_t *creation) {
  sli_master_t *master = creation->master;
  sli_mutex_lock(&master->mutex);
  sli_status_t *status = sli_status_retain(master->stopping);
  if (!status) {
    creation->next = master->creations;
    if (creation->next) creation->next->previous = creation;
    master->creations = creation;
  }
  sli_mutex_unlock(&master->mutex);
  return status;
}

void sli_master_create_session(sli_master_t *master, const sli_master_create_t *request, sli_handle_done_t done,
                               void *context) {
  sli_creation_t *creation = sli_calloc(1, sizeof(*creation));
  sli_refcount_initialize(&creation->references);
  sli_mutex_initialize(&creation->mutex);
  creation->master = master;
  creation->deadline = creation->wait_deadline = request->deadline;
  creation->began = master->env->now(master->env);
  creation->done = done;
  creation->context = context;
  creation->cancellation =
      request->cancellation ? sli_cancellation_retain(request->cancellation) : sli_cancellation_create();
  if (master->options.wait_nanos > 0 && creation->began + master->options.wait_nanos < creation->wait_deadline)
    creation->wait_deadline = creation->began + master->options.wait_nanos;
  sli_string_append(&creation->graph_def, request->graph_def.data, request->graph_def.size);
  sli_status_t *status = make_session(master, request->config, &creation->session);
  creation->session->client = request->client;
  if (!status) status = enter_master(creation);
  if (status)
    done(context, status, NULL, 0);
  else
    ask_tasks(creation);
  creation_release(creation);
}

// Cancels, with |status|, those that |is_one| picks; NULL: all.
static void cancel_creations(sli_master_t *master, bool (*is_one)(const sli_creation_t *creation),
                             sli_status_t *status) {
  SLI_ARRAY(sli_cancellation_t *) found = {0};
  sli_mutex_lock(&master->mutex);
  for (sli_creation_t *creation = master->creations; creation; creation = creation->next)
    if (!is_one || is_one(creation)) sli_array_push(&found, sli_cancellation_retain(creation->cancellation));
  sli_mutex_unlock(&master->mutex);
  for (size_t i = 0; i < found.count; i++) {
    sli_cancellation_cancel(found.items[i], sli_status_retain(status));
    sli_cancellation_release(found.items[i]);
  }
  sli_array_deinitialize(&found);
}

void sli_master_cancel_creations(sli_master_t *master, sli_status_t *status) { cancel_creations(master, NULL, status); }

void sli_master_set_job_done(sli_master_t *master) {
  atomic_store(&master->job_done, true);  // from here on the others notice at their first reminder
  sli_status_t *status = sli_master_job_is_done();
  cancel_creations(master, waits_in_vain, status);
  sli_status_release(status);
}
