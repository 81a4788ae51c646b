// The side of sluice.Control that answers. Everything is answered at once but
// ModelReady, which waits in a list until the model is ready or its caller leaves.
#include "dist/control.h"

#include <stdlib.h>

#include "base/log.h"
#include "dist/control_internal.h"
#include "proto/proto.h"

enum { MAX_PING_BYTES = 256 << 20 };

// A ModelReady call that waits. Polling thread only.
struct sli_ready_waiter {
  sli_ready_waiter_t *next;
  sli_control_t *control;  // NULL: taken off its list
  sli_rpc_request_t *request;
};

sli_control_t *sli_control_create(const sli_control_options_t *options) {
  sli_control_t *control = sli_calloc(1, sizeof(*control));
  control->options = *options;
  control->unheard = sli_calloc(options->cluster->tasks.count, sizeof(bool));
  control->started_at = options->env->now(options->env);
  sli_mutex_initialize(&control->mutex);
  return control;
}

void sli_control_set_servers(sli_control_t *control, sli_rpc_server_t *first, sli_rpc_server_t *second) {
  control->servers[0] = first;
  control->servers[1] = second;
}

void sli_control_destroy(sli_control_t *control) {
  if (!control) return;
  SLI_CHECK(!control->waiters);
  sli_status_release(control->stopped);
  free(control->unheard);
  sli_mutex_deinitialize(&control->mutex);
  free(control);
}

bool sli_control_is_done(sli_control_t *control) { return atomic_load(&control->is_done); }

// ---- Answers ---------------------------------------------------------------------

// Packs |message|, unless there is an error, which is consumed.
static void respond(sli_rpc_request_t *request, sli_status_t *status, const ProtobufCMessage *message) {
  sli_string_t body = {0};
  if (!status && message) status = sli_proto_pack(message, &body);
  sli_slices_t reply = {0};
  if (body.size) sli_slices_append_string(&reply, &body);
  sli_rpc_request_respond(request, status, &reply);
}

static void hello(sli_control_t *control, sli_rpc_request_t *request, const void *message, sli_arena_t *arena) {
  const Sluice__HelloRequest *from = message;
  if (*from->task) sli_rpc_request_name_peer(request, from->task);
  Sluice__HelloResponse reply;
  sli_control_fill_hello(control, arena, &reply);
  respond(request, NULL, &reply.base);
}

static void status(sli_control_t *control, sli_rpc_request_t *request, const void *message, sli_arena_t *arena) {
  Sluice__StatusResponse reply;
  sli_control_fill_status(control, arena, &reply);
  respond(request, NULL, &reply.base);
}

static void quorum(sli_control_t *control, sli_rpc_request_t *request, const void *message, sli_arena_t *arena) {
  const Sluice__QuorumRequest *wanted = message;
  Sluice__QuorumResponse reply = SLUICE__QUORUM_RESPONSE__INIT;
  sli_status_t *error = NULL;
  if (wanted->set && wanted->quorum < 0)
    error = sli_status_make(SLI_INVALID_ARGUMENT, "A quorum of %lld: it must be 0 (as each take asks) or more.",
                            (long long)wanted->quorum);
  if (!error) sli_control_fill_quorum(control, wanted, arena, &reply);
  if (!error && !reply.n_accumulator)
    error = sli_status_make(SLI_NOT_FOUND, "%s has no accumulator %s%s%s",
                            sli_cluster_self(control->options.cluster)->task_name, wanted->container,
                            *wanted->container ? "/" : "", *wanted->name ? wanted->name : "at all");
  respond(request, error, &reply.base);
}

static void ping(sli_control_t *control, sli_rpc_request_t *request, const void *message, sli_arena_t *arena) {
  const Sluice__PingRequest *from = message;
  sli_env_t *env = control->options.env;
  Sluice__PingResponse reply = SLUICE__PING_RESPONSE__INIT;
  sli_status_t *error = NULL;
  if (from->reply_bytes < 0 || from->reply_bytes > MAX_PING_BYTES)
    error = sli_status_make(SLI_INVALID_ARGUMENT, "A reply of %lld bytes: at most %d can be asked for.",
                            (long long)from->reply_bytes, MAX_PING_BYTES);
  reply.wall_micros = env->wall_micros(env);
  if (!error && from->reply_bytes) {
    reply.payload.len = (size_t)from->reply_bytes;
    reply.payload.data = sli_calloc(1, reply.payload.len);
  }
  respond(request, error, &reply.base);
  free(reply.payload.data);
}

// ---- The job is done -------------------------------------------------------------

void sli_control_set_done(sli_control_t *control) {
  atomic_store(&control->is_done, true);
  sli_control_stop(control, sli_master_job_is_done());
  control->options.on_done(control->options.context);
}

static void job_done(sli_control_t *control, sli_rpc_request_t *request, const void *message, sli_arena_t *arena) {
  const Sluice__JobDoneRequest *from = message;
  const sli_cluster_t *cluster = control->options.cluster;
  for (size_t i = 0; i < from->n_unheard; i++) {
    const sli_cluster_task_t *task = sli_cluster_find(cluster, sli_view(from->unheard[i]));
    // Only now: one that comes late may look at us with a session of its own before it hears the news.
    if (!task || sli_worker_was_left(control->options.worker, task->task_name)) continue;
    sli_mutex_lock(&control->mutex);
    control->unheard[task - cluster->tasks.items] = true;
    sli_mutex_unlock(&control->mutex);
  }
  if (!sli_control_is_done(control)) SLI_INFO("The job is done, says %s", from->task);
  sli_control_set_done(control);
  respond(request, NULL, NULL);
}

// ---- The model is ready ----------------------------------------------------------

static void waiter_answer(sli_ready_waiter_t *waiter, sli_status_t *error) {
  respond(waiter->request, error, NULL);
  free(waiter);
}

static void caller_gone(void *context) {
  sli_ready_waiter_t *waiter = context;
  if (waiter->control) {
    sli_ready_waiter_t **link = &waiter->control->waiters;
    while (*link != waiter) link = &(*link)->next;
    *link = waiter->next;
  }
  waiter_answer(waiter, sli_status_make_text(SLI_CANCELLED, "The caller went away"));
}

typedef struct {
  sli_control_t *control;
  sli_status_t *error;
} answer_t;

// Answers all who wait, but leaves those whose caller is gone to caller_gone.
static void answer_on_loop(void *context) {
  answer_t *answer = context;
  sli_ready_waiter_t *waiters = answer->control->waiters;
  answer->control->waiters = NULL;
  for (sli_ready_waiter_t *next; waiters; waiters = next) {
    next = waiters->next;
    waiters->control = NULL;
    if (sli_rpc_request_forget_cancel(waiters->request)) waiter_answer(waiters, sli_status_retain(answer->error));
  }
}

void sli_control_set_model_ready(sli_control_t *control, bool ready) {
  sli_mutex_lock(&control->mutex);
  control->is_model_ready = ready;
  sli_mutex_unlock(&control->mutex);
  if (ready) sli_rpc_loop_run(control->options.loop, answer_on_loop, &(answer_t){control, NULL});
}

void sli_control_stop(sli_control_t *control, sli_status_t *error) {
  sli_mutex_lock(&control->mutex);
  if (!control->stopped) control->stopped = sli_status_retain(error);
  sli_mutex_unlock(&control->mutex);
  sli_rpc_loop_run(control->options.loop, answer_on_loop, &(answer_t){control, error});
  sli_status_release(error);
}

static void model_ready(sli_control_t *control, sli_rpc_request_t *request, const void *message, sli_arena_t *arena) {
  sli_mutex_lock(&control->mutex);
  bool waits = !control->is_model_ready && !control->stopped;
  sli_status_t *error = control->is_model_ready ? NULL : sli_status_retain(control->stopped);
  sli_mutex_unlock(&control->mutex);
  if (!waits) {
    respond(request, error, NULL);
    return;
  }
  // Whoever changes that answers the list on this thread, hence after this.
  sli_ready_waiter_t *waiter = sli_malloc(sizeof(*waiter));
  *waiter = (sli_ready_waiter_t){control->waiters, control, request};
  control->waiters = waiter;
  sli_rpc_request_on_cancel(request, caller_gone, waiter);
}

// ---- Dispatch --------------------------------------------------------------------

static const struct {
  const char *name;
  const ProtobufCMessageDescriptor *descriptor;
  void (*handle)(sli_control_t *control, sli_rpc_request_t *request, const void *message, sli_arena_t *arena);
} methods[] = {
    {"Hello", &sluice__hello_request__descriptor, hello},
    {"JobDone", &sluice__job_done_request__descriptor, job_done},
    {"ModelReady", &sluice__model_ready_request__descriptor, model_ready},
    {"Status", &sluice__status_request__descriptor, status},
    {"Quorum", &sluice__quorum_request__descriptor, quorum},
    {"Ping", &sluice__ping_request__descriptor, ping},
};

bool sli_control_service_handle(sli_control_t *control, sli_rpc_request_t *request) {
  const char *method = sli_rpc_request_method(request);
  if (!sli_starts_with(method, SLI_CONTROL_SERVICE)) return false;
  method += strlen(SLI_CONTROL_SERVICE);
  for (size_t i = 0; i < SLI_COUNT_OF(methods); i++) {
    if (strcmp(method, methods[i].name) != 0) continue;
    const sli_rpc_message_t *bytes = sli_rpc_request_message(request);
    sli_arena_t arena = {.budget = sli_proto_budget(bytes->size)};
    void *message;
    sli_status_t *error = sli_proto_parse(methods[i].descriptor, bytes->data, bytes->size, &arena, &message);
    arena.budget = 0;  // what follows is ours
    if (error)
      respond(request, error, NULL);
    else
      methods[i].handle(control, request, message, &arena);
    sli_arena_deinitialize(&arena);
    return true;
  }
  return false;
}
