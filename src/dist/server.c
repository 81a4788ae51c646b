// A task of a cluster: worker and master behind one port. Requests that come
// before the server is started are held until it is, as TensorFlow's are.
#include "dist/server.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "dist/control.h"
#include "dist/env_internal.h"
#include "dist/messages.h"
#include "dist/patience.h"
#include "dist/server_bind.h"
#include "dist/server_internal.h"
#include "dist/service.h"
#include "dist/worker_cache.h"

enum {
  DRAIN_MILLIS = 1000,  // for the last answers to leave
  QUIET_MILLIS = 2500,
  TELL_MILLIS = 500,             // for a task to hear that the job is done
  TELL_AGAIN_MILLIS = 100,       // after it could not be reached
  SESSION_POLL_MILLIS = 20,      // after the job is done, until its sessions are closed
  SESSION_IDLE_MILLIS = 300000,  // the default of sli_server_options_t
};

typedef enum { CREATED, STARTED, STOPPED } state_t;

struct sli_server {
  sli_env_t *env;
  sli_rpc_loop_t *loop;
  sli_cluster_t cluster;
  sli_worker_t *worker;
  sli_worker_cache_t *cache;
  sli_master_t *master;
  sli_control_t *control;
  sli_rpc_service_t service;
  sli_rpc_server_t *rpc;
  sli_rpc_server_t *local_rpc;  // on loopback, where |rpc| is not; NULL: |rpc| is there too
  char *target;
  sli_event_t stopped;
  sli_event_t news;       // stopped, or the job is done
  _Atomic state_t state;  // changes under mutex
  sli_mutex_t mutex;
  SLI_ARRAY(sli_rpc_request_t *) held;  // under mutex, while CREATED
  sli_server_t *next;                   // in the registry, under its mutex
};

// The servers of this process.
static struct {
  sli_mutex_t mutex;
  sli_server_t *first;
} registry = {.mutex = SLI_MUTEX_INITIALIZER};

// ---- Requests --------------------------------------------------------------------

static sli_status_t *stopping(const sli_server_t *server) {
  return sli_status_make(SLI_UNAVAILABLE, "%s is shutting down", sli_cluster_self(&server->cluster)->task_name);
}

// Each service in turn.
static void dispatch(sli_server_t *server, sli_rpc_request_t *request) {
  if (sli_worker_service_handle(server->worker, server->env, request)) return;
  if (sli_master_service_handle(server->master, server->env, request)) return;
  if (sli_control_service_handle(server->control, request)) return;
  if (sli_health_service_handle(request)) return;
  sli_rpc_request_respond(
      request, sli_status_make(SLI_UNIMPLEMENTED, "unknown method %s", sli_rpc_request_method(request)), NULL);
}

static void handle(void *context, sli_rpc_request_t *request) {
  sli_server_t *server = context;
  if (atomic_load(&server->state) == CREATED) {
    sli_mutex_lock(&server->mutex);
    bool hold = atomic_load(&server->state) == CREATED;
    if (hold) sli_array_push(&server->held, request);
    sli_mutex_unlock(&server->mutex);
    if (hold) return;
  }
  if (atomic_load(&server->state) == STARTED)
    dispatch(server, request);
  else
    sli_rpc_request_respond(request, stopping(server), NULL);
}

// Where the tensors of a request lie, so that they need not be copied again.
static char *place(void *context, sli_rpc_request_t *request, const char *head, size_t head_size, size_t message_size,
                   sli_rpc_message_t *out_message) {
  static const struct {
    const char *method;
    sli_message_path_t path;
  } paths[] = {{"/tensorflow.WorkerService/RunGraph", sli_path_run_graph_request},
               {"/tensorflow.MasterService/RunStep", sli_path_run_step_request},
               {"/tensorflow.MasterService/RunCallable", sli_path_run_callable_request}};
  const char *method = sli_rpc_request_method(request);
  for (size_t i = 0; i < SLI_COUNT_OF(paths); i++)
    if (!strcmp(method, paths[i].method))
      return sli_message_place(paths[i].path, head, head_size, message_size, out_message);
  return NULL;
}

static void handle_held(void *context) {
  sli_server_t *server = context;
  for (size_t i = 0; i < server->held.count; i++) handle(server, server->held.items[i]);
  server->held.count = 0;
}

// Leaves CREATED; false if that happened before. On the polling thread, what was held is then handled.
static bool leave_created(sli_server_t *server, state_t state) {
  sli_mutex_lock(&server->mutex);
  bool changed = atomic_load(&server->state) == CREATED;
  if (changed) atomic_store(&server->state, state);
  sli_mutex_unlock(&server->mutex);
  if (changed) sli_rpc_loop_run(server->loop, handle_held, server);
  return changed;
}

// ---- Life ------------------------------------------------------------------------

// A task that listens on its own address is at home on this machine too, where programs know it as localhost.
static void listen_on_loopback(sli_server_t *server, int port, const char *own) {
  sli_status_t *status =
      sli_rpc_server_create(server->loop, "127.0.0.1", port, &server->service, NULL, &server->local_rpc);
  if (!status) return;
  SLI_WARNING("%s; programs of this machine must use %s", sli_status_message(status), own);
  server->target = sli_format(strchr(own, ':') ? "grpc://[%s]:%d" : "grpc://%s:%d", own, port);
  sli_status_release(status);
}

static sli_status_t *listen_on_port(sli_server_t *server, const char *bind) {
  char *host = NULL, *own = NULL;
  int port = 0;
  if (!sli_split_address(sli_cluster_self(&server->cluster)->address, &host, &port))
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s has no port", sli_cluster_self(&server->cluster)->address);
  free(host);
  if (server->cluster.port) port = server->cluster.port;
  bool chosen = bind != NULL;
  if (!bind) bind = own = sli_server_bind_address(&server->cluster);
  server->service = (sli_rpc_service_t){.context = server, .handle = handle, .place = place};
  sli_status_t *status =
      sli_rpc_server_create(server->loop, bind && *bind ? bind : NULL, port, &server->service, NULL, &server->rpc);
  if (!status) {
    port = sli_rpc_server_port(server->rpc);
    if (!chosen && bind && !sli_is_loopback(bind)) listen_on_loopback(server, port, bind);
    if (!server->target) server->target = sli_format("grpc://localhost:%d", port);
  }
  free(own);
  return sli_status_prefix(status, "Could not start %s: ", sli_cluster_self(&server->cluster)->task_name);
}

static void registry_add(sli_server_t *server) {
  sli_mutex_lock(&registry.mutex);
  server->next = registry.first;
  registry.first = server;
  sli_mutex_unlock(&registry.mutex);
}

static void registry_remove(sli_server_t *server) {
  sli_mutex_lock(&registry.mutex);
  sli_server_t **link = &registry.first;
  while (*link && *link != server) link = &(*link)->next;
  if (*link) *link = server->next;
  sli_mutex_unlock(&registry.mutex);
}

static void tell_news(void *context) { sli_event_set(&((sli_server_t *)context)->news); }

static void job_is_done(void *context) {
  sli_server_t *server = context;
  sli_master_set_job_done(server->master);
  tell_news(server);
}

static int64_t nanos_or(int64_t millis, int64_t fallback_millis) {
  if (millis < 0) return 0;
  return (millis ? millis : fallback_millis) * 1000000;
}

sli_status_t *sli_server_create(sli_view_t server_def, const sli_server_options_t *options, sli_server_t **out_server) {
  static const sli_server_options_t none;
  *out_server = NULL;
  if (!options) options = &none;
  sli_master_options_t master = {.wait_nanos = nanos_or(options->wait_millis, SLI_PATIENCE_MILLIS),
                                 .session_idle_nanos = nanos_or(options->session_idle_millis, SESSION_IDLE_MILLIS)};
  sli_server_t *server = sli_calloc(1, sizeof(*server));
  server->env = sli_env_process();
  server->loop = sli_env_process_loop();
  sli_mutex_initialize(&server->mutex);
  sli_event_initialize(&server->stopped);
  sli_event_initialize(&server->news);
  sli_status_t *status;
  SLI_GOTO_IF_ERROR(status, cleanup, sli_cluster_from_server_def(server_def, &server->cluster));
  SLI_GOTO_IF_ERROR(status, cleanup, sli_worker_create(server->env, &server->cluster, &server->worker));
  server->cache =
      sli_worker_cache_create(server->env, server->loop, &server->cluster, sli_worker_local_client(server->worker));
  sli_worker_set_cache(server->worker, server->cache);
  SLI_GOTO_IF_ERROR(
      status, cleanup,
      sli_master_create(server->env, &server->cluster, server->worker, server->cache, &master, &server->master));
  server->control = sli_control_create(&(sli_control_options_t){.env = server->env,
                                                                .loop = server->loop,
                                                                .cluster = &server->cluster,
                                                                .worker = server->worker,
                                                                .cache = server->cache,
                                                                .master = server->master,
                                                                .on_done = job_is_done,
                                                                .context = server});
  SLI_GOTO_IF_ERROR(status, cleanup, listen_on_port(server, options->bind));
  sli_control_set_servers(server->control, server->rpc, server->local_rpc);
  registry_add(server);
  *out_server = server;
  server = NULL;
cleanup:
  sli_server_destroy(server);
  return status;
}

sli_status_t *sli_server_start(sli_server_t *server) {
  if (leave_created(server, STARTED))
    SLI_INFO("Started server with target: %s", server->target);
  else if (atomic_load(&server->state) == STOPPED)
    return sli_status_make(SLI_FAILED_PRECONDITION, "The server was stopped and cannot be started again.");
  else
    SLI_INFO("Server already started (target: %s)", server->target);
  return NULL;
}

sli_status_t *sli_server_stop(sli_server_t *server) {
  if (!leave_created(server, STOPPED)) {
    sli_mutex_lock(&server->mutex);
    bool stopped = atomic_exchange(&server->state, STOPPED) == STOPPED;
    sli_mutex_unlock(&server->mutex);
    if (stopped) return NULL;
  }
  if (server->rpc) sli_rpc_server_stop(server->rpc);
  if (server->local_rpc) sli_rpc_server_stop(server->local_rpc);
  if (server->master) sli_master_stop(server->master, stopping(server));
  if (server->worker) sli_worker_stop(server->worker, stopping(server));
  if (server->control) sli_control_stop(server->control, stopping(server));
  tell_news(server);
  sli_event_set(&server->stopped);  // last: whoever waits for it may destroy the server
  return NULL;
}

sli_status_t *sli_server_join(sli_server_t *server) {
  sli_event_wait(&server->stopped, SLI_NO_DEADLINE);
  return NULL;
}

// Tells those that could not be reached when the job ended: they may come late.
static void tell_unheard(sli_server_t *server, int64_t end) {
  for (bool first = true;; first = false) {
    int64_t deadline = sli_deadline_after_millis(TELL_MILLIS);
    char *names = sli_control_tell_unheard(server->control, deadline < end ? deadline : end);
    if (!names) return;
    int64_t left = end - sli_now_nanos();
    if (first && left > 0)
      SLI_INFO("The job is done. Staying for %.3g s at most to tell %s", (double)left / 1e9, names);
    free(names);
    if (left <= 0 || sli_event_wait(&server->stopped, sli_deadline_after_millis(TELL_AGAIN_MILLIS))) return;
  }
}

sli_status_t *sli_server_join_job(sli_server_t *server, int64_t grace_millis) {
  sli_event_wait(&server->news, SLI_NO_DEADLINE);
  int64_t end = sli_now_nanos() + grace_millis * 1000000;
  tell_unheard(server, end);
  while (sli_master_session_count(server->master) + sli_worker_session_count(server->worker) > 0 &&
         sli_now_nanos() < end) {
    // Sessions of a master that was killed stay; nobody uses them.
    bool abandoned = sli_master_session_count(server->master) == 0 &&
                     sli_worker_quiet_nanos(server->worker) > QUIET_MILLIS * INT64_C(1000000);
    if (abandoned) break;
    if (sli_event_wait(&server->stopped, sli_deadline_after_millis(SESSION_POLL_MILLIS))) break;
  }
  return NULL;
}

void sli_server_announce_done(sli_server_t *server) { sli_control_announce_done(server->control); }

void sli_server_set_model_ready(sli_server_t *server, bool ready) {
  sli_control_set_model_ready(server->control, ready);
}

sli_control_t *sli_server_control(sli_server_t *server) { return server->control; }

bool sli_server_is_job_done(sli_server_t *server) { return sli_control_is_done(server->control); }

static void nothing(void *context) {}

void sli_server_destroy(sli_server_t *server) {
  if (!server) return;
  registry_remove(server);
  sli_status_release(sli_server_stop(server));
  sli_event_wait(&server->stopped, SLI_NO_DEADLINE);  // by another thread, perhaps
  // A handler that saw the server running has returned after this.
  sli_rpc_loop_run(server->loop, nothing, NULL);
  if (server->master) sli_master_destroy(server->master);
  int64_t drained = sli_deadline_after_millis(DRAIN_MILLIS);
  if (server->rpc) sli_rpc_server_drain(server->rpc, drained);
  if (server->local_rpc) sli_rpc_server_drain(server->local_rpc, drained);
  sli_rpc_server_destroy(server->rpc);
  sli_rpc_server_destroy(server->local_rpc);
  sli_worker_destroy(server->worker);
  // Clusters of sessions that went just now end their connections before this.
  sli_rpc_loop_run(server->loop, nothing, NULL);
  sli_worker_cache_destroy(server->cache);
  sli_cluster_deinitialize(&server->cluster);
  sli_array_deinitialize(&server->held);
  sli_control_destroy(server->control);
  sli_event_deinitialize(&server->stopped);
  sli_event_deinitialize(&server->news);
  sli_mutex_deinitialize(&server->mutex);
  free(server->target);
  free(server);
}

const char *sli_server_target(const sli_server_t *server) { return server->target; }

// ---- The registry ----------------------------------------------------------------

// Whether "host:port" means |server|, as seen from this machine.
static bool is_target(const sli_server_t *server, const char *address) {
  char *host, *own = NULL;
  int port, own_port;
  if (atomic_load(&server->state) != STARTED || !sli_split_address(address, &host, &port)) return false;
  bool same = port == sli_rpc_server_port(server->rpc);
  if (same && strcmp(host, "localhost") != 0 && strcmp(host, "127.0.0.1") != 0 && strcmp(host, "::1") != 0)
    same = sli_split_address(sli_cluster_self(&server->cluster)->address, &own, &own_port) && !strcmp(host, own);
  free(own);
  free(host);
  return same;
}

sli_master_t *sli_server_find_master(const char *target) {
  if (!sli_starts_with(target, "grpc://")) return NULL;
  sli_master_t *master = NULL;
  sli_mutex_lock(&registry.mutex);
  for (sli_server_t *server = registry.first; server && !master; server = server->next)
    if (is_target(server, target + strlen("grpc://"))) master = server->master;
  sli_mutex_unlock(&registry.mutex);
  return master;
}
