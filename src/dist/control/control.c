// The service sluice.Control. It answers every method at once except ModelReady, which waits in a list until the model
// is ready or its client gives up.
#include "dist/control/control.h"

#include <stdlib.h>

#include "base/log.h"
#include "dist/client/control_client.h"
#include "dist/control/control_internal.h"
#include "dist/service/service_call.h"

// Messages are handled on the polling thread, so they must be small. A Ping has a payload.
enum { MAX_MESSAGE_BYTES = 1 << 20, MAX_PING_BYTES = 2 * SLI_CONTROL_CLIENT_MAX_PING_BYTES };

// A ModelReady call that waits. Polling thread only.
struct sli_control_ready_waiter {
  sli_control_ready_waiter_t *next;
  sli_control_t *control;
  sli_service_call_t *call;
  uint64_t token;  // of the call's cancellation
};

sli_control_t *sli_control_create(const sli_control_options_t *options) {
  sli_control_t *control = sli_calloc(1, sizeof(*control));
  control->options = *options;
  control->unreached = sli_calloc(options->cluster->tasks.count, sizeof(bool));
  control->kept_until = sli_calloc(options->cluster->tasks.count, sizeof(*control->kept_until));
  control->started_at = options->env->now(options->env);
  sli_mutex_initialize(&control->mutex);
  sli_master_on_trace(options->master, sli_control_step_traced, control);
  return control;
}

void sli_control_set_servers(sli_control_t *control, sli_rpc_server_t *const *servers, size_t count) {
  control->servers = servers;
  control->server_count = count;
}

void sli_control_destroy(sli_control_t *control) {
  if (!control) return;
  SLI_CHECK(!control->waiters && !control->checks && !control->tracers);
  sli_control_free_scalars(control);
  sli_map_deinitialize(&control->conflicts);
  sli_control_forget_chief(control);
  sli_status_release(control->stopped);
  free(control->unreached);
  free(control->kept_until);
  sli_mutex_deinitialize(&control->mutex);
  free(control);
}

const char *sli_control_task_name(const sli_control_t *control) {
  return sli_cluster_self(control->options.cluster)->task_name;
}

uint64_t sli_control_incarnation(const sli_control_t *control) {
  return sli_worker_devices(control->options.worker)->devices.items[0].incarnation;
}

bool sli_control_is_done(sli_control_t *control) { return atomic_load(&control->is_done); }

// ---- Methods that answer at once -------------------------------------------------

static void hello(sli_service_call_t *call, const void *message) {
  sli_control_t *control = call->server;
  const Sluice__HelloRequest *from = message;
  if (*from->task) sli_rpc_request_name_peer(call->request, from->task);
  if (*from->moved_to) sli_control_note_moved(control, from->task, from->moved_to);
  Sluice__HelloResponse *reply = sli_arena_allocate(&call->arena, sizeof(*reply));
  sli_control_fill_hello(control, &call->arena, reply);
  sli_control_compare(control, call, from, reply);
}

static void status(sli_service_call_t *call, const void *message) {
  sli_control_t *control = call->server;
  Sluice__StatusResponse reply;
  sli_control_fill_status(control, &call->arena, &reply);
  sli_service_call_reply_message(call, NULL, &reply.base);
}

static void quorum(sli_service_call_t *call, const void *message) {
  sli_control_t *control = call->server;
  const Sluice__QuorumRequest *wanted = message;
  Sluice__QuorumResponse reply = SLUICE__QUORUM_RESPONSE__INIT;
  sli_status_t *error = NULL;
  if (wanted->set && wanted->quorum < 0)
    error = sli_status_make(SLI_INVALID_ARGUMENT,
                            "The quorum must be at least 0 (0: as many as each take requests), got %lld.",
                            (long long)wanted->quorum);
  if (!error) sli_control_fill_quorum(control, wanted, &call->arena, &reply);
  if (!error && !reply.n_accumulator)
    error = sli_status_make(SLI_NOT_FOUND, "%s has no accumulator %s%s%s",
                            sli_cluster_self(control->options.cluster)->task_name, wanted->container,
                            *wanted->container ? "/" : "", *wanted->name ? wanted->name : "at all");
  sli_service_call_reply_message(call, error, &reply.base);
}

static void end_input(sli_service_call_t *call, const void *message) {
  sli_control_t *control = call->server;
  const Sluice__EndInputRequest *from = message;
  Sluice__EndInputResponse reply = SLUICE__END_INPUT_RESPONSE__INIT;
  sli_status_t *error = NULL;
  if (*from->task)
    reply.sessions = (int64_t)sli_worker_end_input(control->options.worker, from->task, from->interrupt);
  else
    error = sli_status_make(SLI_INVALID_ARGUMENT, "EndInput needs the task whose sessions are meant, got none.");
  if (reply.sessions) SLI_INFO("%s: %s", from->task, from->interrupt ? "its steps are ended" : "its input is ended");
  sli_service_call_reply_message(call, error, &reply.base);
}

static void ping(sli_service_call_t *call, const void *message) {
  sli_control_t *control = call->server;
  const Sluice__PingRequest *from = message;
  sli_env_t *env = control->options.env;
  Sluice__PingResponse reply = SLUICE__PING_RESPONSE__INIT;
  sli_status_t *error = NULL;
  if (from->reply_bytes < 0 || from->reply_bytes > SLI_CONTROL_CLIENT_MAX_PING_BYTES)
    error = sli_status_make(SLI_INVALID_ARGUMENT, "The size of the reply must be between 0 and %d bytes, got %lld.",
                            SLI_CONTROL_CLIENT_MAX_PING_BYTES, (long long)from->reply_bytes);
  size_t unread = from->reply_bytes > 0 ? sli_rpc_request_unread(call->request) : 0;
  if (!error && unread > 0)
    error = sli_status_make(SLI_RESOURCE_EXHAUSTED,
                            "%zu bytes of earlier replies on this connection were not read yet; read them before the "
                            "next Ping with a payload.",
                            unread);
  reply.wall_micros = sli_env_wall_micros(env);
  if (!error && from->reply_bytes) {
    reply.payload.len = (size_t)from->reply_bytes;
    reply.payload.data = sli_calloc(1, reply.payload.len);
  }
  sli_service_call_reply_message(call, error, &reply.base);
  free(reply.payload.data);
}

static void chief(sli_service_call_t *call, const void *message) {
  const Sluice__ChiefRequest *from = message;
  Sluice__ChiefResponse reply = SLUICE__CHIEF_RESPONSE__INIT;
  sli_status_t *error = NULL;
  if (from->claim && !*from->task)
    error = sli_status_make(SLI_INVALID_ARGUMENT, "Chief needs the task that claims to be the chief, got none.");
  else if (from->lost_micros < 0)
    error = sli_status_make(SLI_INVALID_ARGUMENT, "lost_micros must be at least 0, got %lld.",
                            (long long)from->lost_micros);
  else
    sli_control_decide_chief(call->server, from, &call->arena, &reply);
  sli_service_call_reply_message(call, error, &reply.base);
}

// ---- Backup ----------------------------------------------------------------------

// A List or a Restore, which read files, on another thread.
static void read_backup(sli_service_call_t *call, const Sluice__BackupRequest *request) {
  sli_control_t *control = call->server;
  Sluice__BackupResponse reply = SLUICE__BACKUP_RESPONSE__INIT;
  sli_backup_steps_t steps = {0};
  sli_status_t *error = request->action == SLUICE__BACKUP_REQUEST__ACTION__RESTORE
                            ? sli_backup_restore(control->options.backup, request->directory, request->step)
                            : sli_backup_list(control->options.backup, request->directory, &steps);
  reply.n_step = steps.count;
  reply.step = steps.items;
  sli_service_call_reply_message(call, error, &reply.base);
  sli_array_deinitialize(&steps);
}

typedef struct {
  sli_service_call_t *call;
  const Sluice__BackupRequest *request;  // in the call's arena
} backup_reading_t;

static void read_backup_moved(void *context) {
  backup_reading_t reading = *(backup_reading_t *)context;
  free(context);
  read_backup(reading.call, reading.request);
}

static void backup(sli_service_call_t *call, const void *message) {
  sli_control_t *control = call->server;
  const Sluice__BackupRequest *from = message;
  Sluice__BackupResponse reply = SLUICE__BACKUP_RESPONSE__INIT;
  sli_status_t *error = NULL;
  if (from->directory[0] != '/')
    error = sli_status_make(SLI_INVALID_ARGUMENT, "The directory of backups must be an absolute path, got '%s'.",
                            from->directory);
  else if (from->step < 0)
    error = sli_status_make(SLI_INVALID_ARGUMENT, "The global step of a backup must be at least 0, got %lld.",
                            (long long)from->step);
  if (!error && from->action != SLUICE__BACKUP_REQUEST__ACTION__CUT) {
    backup_reading_t *reading = sli_malloc(sizeof(*reading));
    *reading = (backup_reading_t){call, from};
    sli_thread_pool_submit_blocking(call->env->pool, read_backup_moved, reading);
    return;
  }
  if (!error) reply.is_cut = sli_backup_cut(control->options.backup, from->directory, from->step);
  sli_service_call_reply_message(call, error, &reply.base);
}

// ---- JobDone ---------------------------------------------------------------------

void sli_control_set_done(sli_control_t *control) {
  atomic_store(&control->is_done, true);
  sli_control_forget_chief(control);
  sli_control_stop(control, sli_master_job_done_error());
  sli_backup_forget(control->options.backup);
  control->options.on_done(control->options.context);
}

static void job_done(sli_service_call_t *call, const void *message) {
  sli_control_t *control = call->server;
  const Sluice__JobDoneRequest *from = message;
  const sli_cluster_t *cluster = control->options.cluster;
  for (size_t i = 0; i < from->n_unheard; i++) {
    const sli_cluster_task_t *task = sli_cluster_find(cluster, sli_view(from->unheard[i]));
    // Checked now and not later: a task that starts late may open and close a session here before it is notified.
    if (!task || sli_worker_master_has_left(control->options.worker, task->task_name)) continue;
    sli_mutex_lock(&control->mutex);
    control->unreached[task - cluster->tasks.items] = true;
    sli_mutex_unlock(&control->mutex);
  }
  if (!sli_control_is_done(control)) SLI_INFO("The job is done (reported by %s)", from->task);
  sli_control_set_done(control);
  sli_service_call_done(call, NULL);
}

// ---- ModelReady ------------------------------------------------------------------

static void waiter_answer(sli_control_ready_waiter_t *waiter, sli_status_t *error) {
  sli_service_call_done(waiter->call, error);
  free(waiter);
}

// Runs on the polling thread, like all code that uses the list.
static void client_left(void *context) {
  sli_control_ready_waiter_t *waiter = context, **link = &waiter->control->waiters;
  while (*link != waiter) link = &(*link)->next;
  *link = waiter->next;
  waiter_answer(waiter, sli_cancellation_status(waiter->call->cancellation));
}

typedef struct {
  sli_control_t *control;
  sli_status_t *error;
} ready_answer_t;

// Answers all waiters with |error|. On the polling thread.
static void answer_on_loop(void *context) {
  ready_answer_t *answer = context;
  sli_control_ready_waiter_t *waiters = answer->control->waiters;
  answer->control->waiters = NULL;
  // All first: after this client_left is not called for any of them, whatever an answer causes.
  for (sli_control_ready_waiter_t *waiter = waiters; waiter; waiter = waiter->next)
    sli_cancellation_deregister(waiter->call->cancellation, waiter->token);
  for (sli_control_ready_waiter_t *next; waiters; waiters = next) {
    next = waiters->next;
    waiter_answer(waiters, sli_status_retain(answer->error));
  }
}

void sli_control_set_model_ready(sli_control_t *control, bool ready) {
  sli_mutex_lock(&control->mutex);
  control->is_model_ready = ready;
  sli_mutex_unlock(&control->mutex);
  if (ready) sli_rpc_loop_run(control->options.loop, answer_on_loop, &(ready_answer_t){control, NULL});
}

static void stop_on_loop(void *context) {
  answer_on_loop(context);
  ready_answer_t *answer = context;
  sli_control_stop_comparing(answer->control);
  sli_control_stop_tracing(answer->control, answer->error);
}

void sli_control_stop(sli_control_t *control, sli_status_t *error) {
  sli_mutex_lock(&control->mutex);
  if (!control->stopped) control->stopped = sli_status_retain(error);
  sli_mutex_unlock(&control->mutex);
  sli_rpc_loop_run(control->options.loop, stop_on_loop, &(ready_answer_t){control, error});
  sli_status_release(error);
}

static void model_ready(sli_service_call_t *call, const void *message) {
  sli_control_t *control = call->server;
  sli_mutex_lock(&control->mutex);
  bool waits = !control->is_model_ready && !control->stopped;
  sli_status_t *error = control->is_model_ready ? NULL : sli_status_retain(control->stopped);
  sli_mutex_unlock(&control->mutex);
  if (!waits) {
    sli_service_call_done(call, error);
    return;
  }
  // The code that answers waiters is posted to this thread and hence runs later.
  sli_service_call_watch(call);
  sli_control_ready_waiter_t *waiter = sli_malloc(sizeof(*waiter));
  *waiter = (sli_control_ready_waiter_t){control->waiters, control, call, 0};
  control->waiters = waiter;
  waiter->token = sli_cancellation_register(call->cancellation, client_left, waiter);
  if (!waiter->token) client_left(waiter);
}

// ---- Dispatch --------------------------------------------------------------------

static const sli_service_call_method_t methods[] = {
    {"Hello", &sluice__hello_request__descriptor, hello},
    {"JobDone", &sluice__job_done_request__descriptor, job_done},
    {"ModelReady", &sluice__model_ready_request__descriptor, model_ready},
    {"Status", &sluice__status_request__descriptor, status},
    {"Quorum", &sluice__quorum_request__descriptor, quorum},
    {"EndInput", &sluice__end_input_request__descriptor, end_input},
    {"Chief", &sluice__chief_request__descriptor, chief},
    {"Place", &sluice__place_request__descriptor, sli_control_place},
    {"Backup", &sluice__backup_request__descriptor, backup},
    {"Trace", &sluice__trace_request__descriptor, sli_control_trace},
    {"Ping", &sluice__ping_request__descriptor, ping},
};

static const sli_service_call_method_t *find_method(const char *name) {
  return sli_service_call_find_method(name, SLI_CONTROL_CLIENT_SERVICE, methods, SLI_ARRAY_COUNT_OF(methods));
}

bool sli_control_service_has(const char *method) { return find_method(method) != NULL; }

bool sli_control_service_handle(sli_control_t *control, sli_rpc_request_t *request) {
  const sli_service_call_method_t *method = find_method(sli_rpc_request_method(request));
  if (!method) return false;
  size_t size = sli_rpc_request_message(request)->size,
         most = method->handle == ping ? MAX_PING_BYTES : MAX_MESSAGE_BYTES;
  if (size > most) {
    sli_rpc_request_respond(request,
                            sli_status_make(SLI_RESOURCE_EXHAUSTED, "A message of %s has at most %zu bytes, got %zu.",
                                            sli_rpc_request_method(request), most, size),
                            NULL);
    return true;
  }
  sli_service_call_handle(sli_service_call_create(sizeof(sli_service_call_t), control->options.env, control, request),
                          method);
  return true;
}
