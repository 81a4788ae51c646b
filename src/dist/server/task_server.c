// A task of a cluster: worker and master behind one port. Requests that arrive before the server is started are held
// until then, as in TensorFlow.
#include "dist/server/task_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "core/tensor/allocator_limit.h"
#include "dist/client/messages.h"
#include "dist/client/peer_wait.h"
#include "dist/client/worker_cache.h"
#include "dist/control/control.h"
#include "dist/env/env_process.h"
#include "dist/server/bind_address.h"
#include "dist/service/service.h"
#include "dist/store/store.h"

enum {
  DRAIN_MILLIS = 1000,  // for the last replies to be sent
  QUIET_MILLIS = 2500,
  NOTIFY_MILLIS = 500,        // timeout of JobDone to a task that could not be reached
  NOTIFY_AGAIN_MILLIS = 100,  // pause before the next try
  SESSION_POLL_MILLIS = 20,   // how often it checks, after the job is done, whether all sessions are closed
  SETTLE_MILLIS = 1000,       // for a client that closed its session to open another one, in which it saves
  // The defaults of sli_task_server_options_t.
  SESSION_IDLE_MILLIS = 300000,
  MAX_SESSIONS = 10000,
  MAX_CLIENT_SESSIONS = 1000,
  MAX_EARLY_RECEIVES = 65536,
};
// TensorFlow's clients cannot send a larger message.
static const size_t MAX_GRAPH_BYTES = (size_t)2 << 30;

typedef enum { CREATED, STARTED, STOPPED } server_state_t;

struct sli_task_server {
  sli_env_t *env;
  sli_rpc_loop_t *loop;
  sli_cluster_t cluster;
  sli_worker_t *worker;
  sli_worker_cache_t *cache;
  sli_master_t *master;
  sli_backup_t *backup;
  sli_control_t *control;
  sli_page_t *page;  // NULL: no HTTP
  sli_store_t *store;
  sli_rpc_service_t service;
  sli_rpc_server_options_t rpc;
  SLI_ARRAY(sli_rpc_server_t *) ports;  // one per address, all with the same port
  sli_string_t listening;               // where it listens, for the log
  bool is_exposed;                      // on an address that other hosts may reach
  char *target;
  sli_event_t stopped;
  sli_event_t stopped_or_done;   // set when the server stopped or the job is done
  _Atomic server_state_t state;  // changes under mutex
  sli_mutex_t mutex;
  SLI_ARRAY(sli_rpc_request_t *) held;  // under mutex, while CREATED
  sli_task_server_t *next;              // in the registry, under its mutex
};

// The servers of this process.
static struct {
  sli_mutex_t mutex;
  sli_task_server_t *first;
} registry = {.mutex = SLI_MUTEX_INITIALIZER};

// ---- Requests --------------------------------------------------------------------

static sli_status_t *stopping(const sli_task_server_t *server) {
  return sli_status_make(SLI_UNAVAILABLE, "%s is shutting down", sli_cluster_self(&server->cluster)->task_name);
}

static sli_status_t *check_method(const char *method) {
  if (sli_worker_service_has(method) || sli_master_service_has(method) || sli_control_service_has(method) ||
      sli_store_service_has(method) || sli_health_service_has(method) || sli_reflection_service_has(method))
    return NULL;
  return sli_status_make(SLI_UNIMPLEMENTED, "unknown method %s", method);
}

static sli_status_t *converse(const char *method, sli_view_t message, sli_string_t *out_reply) {
  return sli_reflection_service_reply(message, out_reply);
}

// Tries one service after the other. check_method has let pass only what one of them has.
static void dispatch(sli_task_server_t *server, sli_rpc_request_t *request) {
  if (sli_worker_service_handle(server->worker, server->env, request)) return;
  if (sli_master_service_handle(server->master, server->env, request)) return;
  if (sli_store_service_handle(server->store, request)) return;
  if (sli_control_service_handle(server->control, request)) return;
  if (sli_health_service_handle(request)) return;
  sli_rpc_request_respond(request, check_method(sli_rpc_request_method(request)), NULL);
}

static void handle(void *context, sli_rpc_request_t *request) {
  sli_task_server_t *server = context;
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

// Stores the message of a request so that its tensors need not be copied.
static char *place(void *context, sli_rpc_request_t *request, const char *head, size_t head_size, size_t message_size,
                   sli_rpc_message_t *out_message) {
  static const struct {
    const char *method;
    sli_message_path_t path;
  } paths[] = {{"/tensorflow.WorkerService/RunGraph", sli_message_path_run_graph_request},
               {"/tensorflow.MasterService/RunStep", sli_message_path_run_step_request},
               {"/tensorflow.MasterService/RunCallable", sli_message_path_run_callable_request}};
  const char *method = sli_rpc_request_method(request);
  if (sli_store_service_has(method)) return sli_store_service_place(head, head_size, message_size, out_message);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(paths); i++)
    if (!strcmp(method, paths[i].method))
      return sli_message_place(paths[i].path, head, head_size, message_size, out_message);
  return NULL;
}

static void handle_held(void *context) {
  sli_task_server_t *server = context;
  for (size_t i = 0; i < server->held.count; i++) handle(server, server->held.items[i]);
  server->held.count = 0;
}

// Changes the state from CREATED; false if it was not CREATED. Then handles the held requests, on the polling thread.
static bool leave_created(sli_task_server_t *server, server_state_t state) {
  sli_mutex_lock(&server->mutex);
  bool changed = atomic_load(&server->state) == CREATED;
  if (changed) atomic_store(&server->state, state);
  sli_mutex_unlock(&server->mutex);
  if (changed) sli_rpc_loop_run(server->loop, handle_held, server);
  return changed;
}

// ---- Life cycle ------------------------------------------------------------------

static const char *describe(const char *address) {
  if (!address || !strcmp(address, "::")) return "all addresses of this machine";
  return strcmp(address, "0.0.0.0") ? address : "all IPv4 addresses of this machine";
}

// Listens on one more address (NULL: all), at the port of the first.
static sli_status_t *listen_on(sli_task_server_t *server, const char *address, int port) {
  sli_rpc_server_t *rpc;
  if (server->ports.count) port = sli_rpc_server_port(server->ports.items[0]);
  SLI_RETURN_IF_ERROR(sli_rpc_server_create(server->loop, address, port, &server->service, &server->rpc, &rpc));
  sli_array_push(&server->ports, rpc);
  server->is_exposed |= !address || (!sli_bind_address_is_loopback(address) && strcmp(address, "localhost") != 0);
  sli_string_append_format(&server->listening, "%s%s", server->listening.size ? ", " : "", describe(address));
  return NULL;
}

// A task that listens on its own address listens on loopback too, where programs on this machine reach it as localhost.
static void listen_on_loopback(sli_task_server_t *server, const char *own) {
  sli_status_t *status = listen_on(server, "127.0.0.1", 0);
  if (!status) return;
  SLI_WARNING("%s; programs on this machine must use %s", sli_status_message(status), own);
  server->target = sli_format(strchr(own, ':') ? "grpc://[%s]:%d" : "grpc://%s:%d", own,
                              sli_rpc_server_port(server->ports.items[0]));
  sli_status_release(status);
}

static sli_status_t *listen_on_own_addresses(sli_task_server_t *server, int port) {
  sli_bind_address_list_t own;
  sli_bind_address_choose(&server->cluster, &own);
  sli_status_t *status = own.count ? NULL : listen_on(server, NULL, port);
  bool has_loopback = own.count == 0;
  for (size_t i = 0; i < own.count && !status; i++) {
    has_loopback |= sli_bind_address_is_loopback(own.items[i]);
    status = listen_on(server, own.items[i], port);
  }
  if (!status && !has_loopback) listen_on_loopback(server, own.items[0]);
  sli_bind_address_list_deinitialize(&own);
  return status;
}

static sli_status_t *listen_on_port(sli_task_server_t *server, const char *bind) {
  char *host = NULL;
  int port = 0;
  if (!sli_bind_address_split(sli_cluster_self(&server->cluster)->address, &host, &port))
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s has no port", sli_cluster_self(&server->cluster)->address);
  free(host);
  if (server->cluster.port) port = server->cluster.port;
  server->service = (sli_rpc_service_t){.context = server,
                                        .handle = handle,
                                        .check_method = check_method,
                                        .place = place,
                                        .is_conversation = sli_reflection_service_has,
                                        .converse = converse};
  sli_status_t *status = bind ? listen_on(server, *bind ? bind : NULL, port) : listen_on_own_addresses(server, port);
  if (!status && !server->target)
    server->target = sli_format("grpc://localhost:%d", sli_rpc_server_port(server->ports.items[0]));
  return sli_status_prefix(status, "Could not start %s: ", sli_cluster_self(&server->cluster)->task_name);
}

static void registry_add(sli_task_server_t *server) {
  sli_mutex_lock(&registry.mutex);
  server->next = registry.first;
  registry.first = server;
  sli_mutex_unlock(&registry.mutex);
}

static void registry_remove(sli_task_server_t *server) {
  sli_mutex_lock(&registry.mutex);
  sli_task_server_t **link = &registry.first;
  while (*link && *link != server) link = &(*link)->next;
  if (*link) *link = server->next;
  sli_mutex_unlock(&registry.mutex);
}

static void job_is_done(void *context) {
  sli_task_server_t *server = context;
  sli_master_set_job_done(server->master);
  server->env->set(server->env, &server->stopped_or_done);
}

static bool is_ready(void *context) {
  sli_task_server_t *server = context;
  return atomic_load(&server->state) == STARTED;
}

// Whoever calls other tasks to show the cluster calls this one, too: with TLS by the name in its certificate.
static sli_status_t *serve_page(sli_task_server_t *server, const sli_task_server_options_t *options) {
  if (!options->http || !*options->http) return NULL;
  sli_rpc_identity_t *identity;
  SLI_RETURN_IF_ERROR(sli_rpc_identity_of_process(&identity));
  bool has_cert = sli_rpc_identity_has_cert(identity);
  sli_rpc_identity_release(identity);
  sli_status_t *status = sli_page_create(
      &(sli_page_options_t){.loop = server->loop,
                            .address = options->http,
                            .target = has_cert ? sli_cluster_self(&server->cluster)->address : server->target,
                            .control = server->control,
                            .is_ready = is_ready,
                            .context = server,
                            .source = options->page_source},
      &server->page);
  return sli_status_prefix(status, "Could not start %s: ", sli_cluster_self(&server->cluster)->task_name);
}

static int64_t nanos_or(int64_t millis, int64_t fallback_millis) {
  if (millis < 0) return 0;
  return (millis ? millis : fallback_millis) * 1000000;
}

static size_t limit_or(int64_t limit, size_t fallback) { return limit < 0 ? 0 : limit ? (size_t)limit : fallback; }

sli_status_t *sli_task_server_create(sli_view_t server_def, const sli_task_server_options_t *options,
                                     sli_task_server_t **out_server) {
  static const sli_task_server_options_t none;
  *out_server = NULL;
  if (!options) options = &none;
  sli_master_options_t master = {.wait_nanos = nanos_or(options->wait_millis, SLI_PEER_WAIT_MILLIS),
                                 .session_idle_nanos = nanos_or(options->session_idle_millis, SESSION_IDLE_MILLIS),
                                 .max_sessions = limit_or(options->max_sessions, MAX_SESSIONS),
                                 .max_client_sessions = limit_or(options->max_client_sessions, MAX_CLIENT_SESSIONS),
                                 .max_graph_bytes = limit_or(options->max_graph_bytes, MAX_GRAPH_BYTES)};
  sli_worker_limits_t limits = {.sessions = master.max_sessions,
                                .early_receives = limit_or(options->max_early_receives, MAX_EARLY_RECEIVES)};
  sli_alloc_keep_spare();
  if (options->max_memory_bytes > 0) sli_allocator_limit_set((size_t)options->max_memory_bytes);
  sli_task_server_t *server = sli_calloc(1, sizeof(*server));
  server->rpc = options->rpc;
  server->env = sli_env_process();
  server->loop = sli_env_process_loop();
  sli_mutex_initialize(&server->mutex);
  sli_event_initialize(&server->stopped);
  sli_event_initialize(&server->stopped_or_done);
  sli_status_t *status;
  SLI_GOTO_IF_ERROR(status, cleanup, sli_cluster_from_server_def(server_def, &server->cluster));
  SLI_GOTO_IF_ERROR(status, cleanup, sli_worker_create(server->env, &server->cluster, &server->worker));
  sli_worker_set_limits(server->worker, &limits);
  server->cache =
      sli_worker_cache_create(server->env, server->loop, &server->cluster, sli_worker_local_client(server->worker));
  sli_worker_set_cache(server->worker, server->cache);
  SLI_GOTO_IF_ERROR(
      status, cleanup,
      sli_master_create(server->env, &server->cluster, server->worker, server->cache, &master, &server->master));
  server->backup = sli_backup_create(server->env, sli_worker_resources(server->worker),
                                     sli_cluster_self(&server->cluster)->task_name);
  server->control = sli_control_create(&(sli_control_options_t){.env = server->env,
                                                                .loop = server->loop,
                                                                .cluster = &server->cluster,
                                                                .worker = server->worker,
                                                                .cache = server->cache,
                                                                .master = server->master,
                                                                .backup = server->backup,
                                                                .on_done = job_is_done,
                                                                .context = server});
  server->store =
      sli_store_create(server->env, sli_worker_resources(server->worker), sli_cluster_self(&server->cluster)->task_name,
                       sli_worker_devices(server->worker)->devices.items[0].incarnation);
  SLI_GOTO_IF_ERROR(status, cleanup, listen_on_port(server, options->bind));
  sli_control_set_servers(server->control, server->ports.items, server->ports.count);
  SLI_GOTO_IF_ERROR(status, cleanup, serve_page(server, options));
  registry_add(server);
  *out_server = server;
  server = NULL;
cleanup:
  sli_task_server_destroy(server);
  return status;
}

// TensorFlow's line for each job, in which a server names itself "localhost":
// "Initialize GrpcChannelCache for job worker -> {0 -> localhost:2223, 1 -> other:2223}".
static void log_jobs(const sli_task_server_t *server) {
  const sli_cluster_t *cluster = &server->cluster;
  for (size_t i = 0; i < cluster->tasks.count;) {
    const char *job = cluster->tasks.items[i].job;
    sli_string_t text = {0};
    for (size_t first = i; i < cluster->tasks.count && !strcmp(cluster->tasks.items[i].job, job); i++)
      sli_string_append_format(
          &text, "%s%d -> %s", i > first ? ", " : "", cluster->tasks.items[i].index,
          (int)i == cluster->self ? server->target + strlen("grpc://") : cluster->tasks.items[i].address);
    SLI_INFO("Initialize GrpcChannelCache for job %s -> {%s}", job, sli_string_text(&text));
    sli_string_deinitialize(&text);
  }
}

// Whoever can connect to a server without a token or certificates can run any op on it.
static void warn_if_open(const sli_task_server_t *server) {
  static atomic_bool has_warned;
  sli_rpc_identity_t *identity = NULL;
  sli_status_t *status = sli_rpc_identity_of_process(&identity);
  bool is_open = !status && !sli_rpc_identity_has_token(identity) && !sli_rpc_identity_has_cert(identity);
  sli_rpc_identity_release(identity);
  sli_status_release(status);
  if (is_open && server->page && sli_page_is_exposed(server->page))
    SLI_WARNING(
        "Everyone who can connect to %s reads what the cluster does, and can trace its steps: set SLUICE_TOKEN "
        "(see docs/security.md), or let it listen on the loopback device",
        sli_page_url(server->page));
  is_open &= server->is_exposed;
  if (!is_open || atomic_exchange(&has_warned, true)) return;
  SLI_WARNING(
      "Everyone who can connect to %s, port %d, controls this task and reads and writes its files: set SLUICE_TOKEN or "
      "SLUICE_TOKEN_FILE to the same secret in all tasks of the job, or give them certificates (see docs/security.md), "
      "unless the network is closed.",
      sli_string_text(&server->listening), sli_rpc_server_port(server->ports.items[0]));
}

sli_status_t *sli_task_server_start(sli_task_server_t *server) {
  if (leave_created(server, STARTED)) {
    if (sli_log_enabled(SLI_LOG_INFO)) log_jobs(server);
    SLI_INFO("Listening on %s, port %d", sli_string_text(&server->listening),
             sli_rpc_server_port(server->ports.items[0]));
    warn_if_open(server);
    if (server->page) SLI_INFO("Metrics and a page: %s", sli_page_url(server->page));
    SLI_INFO("Started server with target: %s", server->target);
  } else if (atomic_load(&server->state) == STOPPED) {
    return sli_status_make(SLI_FAILED_PRECONDITION, "The server was stopped and cannot be started again.");
  } else {
    SLI_INFO("Server already started (target: %s)", server->target);
  }
  return NULL;
}

static void stop_store(void *context) {
  sli_task_server_t *server = context;
  sli_store_stop(server->store, stopping(server));
}

sli_status_t *sli_task_server_stop(sli_task_server_t *server) {
  if (!leave_created(server, STOPPED)) {
    sli_mutex_lock(&server->mutex);
    bool stopped = atomic_exchange(&server->state, STOPPED) == STOPPED;
    sli_mutex_unlock(&server->mutex);
    if (stopped) return NULL;
  }
  for (size_t i = 0; i < server->ports.count; i++) sli_rpc_server_stop(server->ports.items[i]);
  if (server->master) sli_master_stop(server->master, stopping(server));
  if (server->worker) sli_worker_stop(server->worker, stopping(server));
  if (server->control) sli_control_stop(server->control, stopping(server));
  if (server->store) sli_rpc_loop_run(server->loop, stop_store, server);
  server->env->set(server->env, &server->stopped_or_done);
  server->env->set(server->env, &server->stopped);  // last: a thread that waits for it may destroy the server
  return NULL;
}

sli_status_t *sli_task_server_join(sli_task_server_t *server) {
  server->env->sleep(server->env, &server->stopped, SLI_CLOCK_NO_DEADLINE);
  return NULL;
}

// Notifies the tasks that could not be reached when the job ended: they may start late.
static void notify_unreached(sli_task_server_t *server, int64_t end) {
  for (bool first = true;; first = false) {
    int64_t deadline = sli_env_deadline_after_millis(server->env, NOTIFY_MILLIS);
    char *names = sli_control_notify_unreached(server->control, deadline < end ? deadline : end);
    if (!names) return;
    int64_t left = end - server->env->now(server->env);
    if (first && left > 0)
      SLI_INFO("The job is done. Staying for at most %.3g s to notify %s", (double)left / 1e9, names);
    free(names);
    if (left <= 0 || server->env->sleep(server->env, &server->stopped,
                                        sli_env_deadline_after_millis(server->env, NOTIFY_AGAIN_MILLIS)))
      return;
  }
}

// Whether no other task of the job replies.
static bool is_last(const sli_task_server_t *server) {
  sli_control_member_t *members;
  size_t count =
      sli_control_ask_members(server->control, sli_env_deadline_after_millis(server->env, NOTIFY_MILLIS), &members);
  bool is_alone = true;
  for (size_t i = 0; i < count; i++)
    if (members[i].is_up && (int)i != server->cluster.self) is_alone = false;
  sli_control_free_members(members, count);
  return is_alone;
}

// Waits until the job is done or the server is stopped. If this process was stopped for some seconds (SIGSTOP), the job
// may have ended in the meantime: then there was a session, and no other task is there any more.
static void wait_for_end(sli_task_server_t *server) {
  enum { TICK_MILLIS = 1000, SLEPT_MILLIS = 6000, CHECKS = 30 };
  sli_env_t *env = server->env;
  bool has_slept = false, had_sessions = false;
  for (int alone = 0; alone < CHECKS;) {
    int64_t began = env->now(env);
    had_sessions = had_sessions || sli_worker_session_count(server->worker) > 0;
    if (env->sleep(env, &server->stopped_or_done, sli_env_deadline_after_millis(env, TICK_MILLIS))) return;
    int64_t silent = sli_control_chief_silence(server->control);
    if (env->now(env) - began > SLEPT_MILLIS * INT64_C(1000000)) has_slept = had_sessions;
    if (silent >= 0 && silent < SLEPT_MILLIS * INT64_C(1000000)) has_slept = false;
    alone = has_slept && is_last(server) ? alone + 1 : 0;
  }
  SLI_INFO("%s was stopped, and the job has ended in the meantime: no other task is there",
           sli_cluster_self(&server->cluster)->task_name);
}

sli_status_t *sli_task_server_join_job(sli_task_server_t *server, int64_t grace_millis) {
  wait_for_end(server);
  int64_t end = server->env->now(server->env) + grace_millis * 1000000;
  notify_unreached(server, end);
  while (sli_master_session_count(server->master) + sli_worker_session_count(server->worker) > 0 &&
         server->env->now(server->env) < end) {
    // Sessions of a master that was killed stay open, but are not used any more.
    bool abandoned = sli_master_session_count(server->master) == 0 &&
                     sli_worker_quiet_nanos(server->worker) > QUIET_MILLIS * INT64_C(1000000);
    if (abandoned) break;
    if (server->env->sleep(server->env, &server->stopped,
                           sli_env_deadline_after_millis(server->env, SESSION_POLL_MILLIS)))
      break;
  }
  return NULL;
}

typedef struct {
  const sli_task_server_t *server;
  size_t count;
} peer_count_t;

static void count_peer(void *context, const char *peer, const char *name, const sli_rpc_traffic_t *traffic) {
  peer_count_t *peers = context;
  peers->count++;
}

static void count_peers_on_loop(void *context) {
  peer_count_t *peers = context;
  for (size_t i = 0; i < peers->server->ports.count; i++)
    sli_rpc_server_for_each_peer(peers->server->ports.items[i], count_peer, peers);
}

// Sessions of clients that were killed stay open, but no peer is connected then.
static bool has_peers(const sli_task_server_t *server) {
  peer_count_t peers = {.server = server};
  sli_rpc_loop_run(server->loop, count_peers_on_loop, &peers);
  return peers.count > 0;
}

static void say_for_whom_it_stays(const sli_task_server_t *server, int64_t grace_millis) {
  sli_arena_t arena = {0};
  sli_worker_session_info_t *sessions;
  size_t count = sli_worker_describe_sessions(server->worker, &arena, &sessions);
  sli_string_t names = {0};
  for (size_t i = 0; i < count; i++) {
    bool named = !*sessions[i].master_task;
    for (size_t j = 0; j < i && !named; j++) named = !strcmp(sessions[i].master_task, sessions[j].master_task);
    if (!named) sli_string_append_format(&names, "%s%s", names.size ? ", " : "", sessions[i].master_task);
  }
  SLI_WARNING(
      "%s was asked to stop. Staying for at most %g s, until its clients have saved and closed their sessions: %s",
      sli_cluster_self(&server->cluster)->task_name, (double)grace_millis / 1e3,
      names.size ? sli_string_text(&names) : "(of unknown tasks)");
  sli_string_deinitialize(&names);
  sli_arena_deinitialize(&arena);
}

static void stay_for_clients(sli_task_server_t *server, int64_t grace_millis) {
  int64_t start = server->env->now(server->env), unused_since = 0;
  for (bool said = false; has_peers(server);) {
    int64_t now = server->env->now(server->env);
    bool in_use = sli_master_session_count(server->master) + sli_worker_session_count(server->worker) > 0;
    if (!in_use && !said) return;
    if (in_use && !said) say_for_whom_it_stays(server, grace_millis);
    said = true;
    unused_since = in_use ? 0 : unused_since ? unused_since : now;
    if (unused_since && now - unused_since >= SETTLE_MILLIS * INT64_C(1000000)) return;
    if (now - start >= grace_millis * 1000000) {
      if (in_use) SLI_WARNING("Stopping after %g s, though sessions are open", (double)grace_millis / 1e3);
      return;
    }
    if (server->env->sleep(server->env, &server->stopped,
                           sli_env_deadline_after_millis(server->env, SESSION_POLL_MILLIS)))
      return;
  }
}

sli_status_t *sli_task_server_leave(sli_task_server_t *server, int64_t grace_millis) {
  if (atomic_load(&server->state) == STARTED && strcmp(sli_cluster_self(&server->cluster)->job, "ps") == 0)
    stay_for_clients(server, grace_millis);
  return sli_task_server_stop(server);
}

void sli_task_server_announce_done(sli_task_server_t *server) { sli_control_announce_done(server->control); }

void sli_task_server_set_model_ready(sli_task_server_t *server, bool ready) {
  sli_control_set_model_ready(server->control, ready);
}

sli_control_t *sli_task_server_control(sli_task_server_t *server) { return server->control; }

bool sli_task_server_is_job_done(sli_task_server_t *server) { return sli_control_is_done(server->control); }

static void nothing(void *context) {}

static void exit_at_once(int code, void *context) {
  fflush(NULL);
  _exit(code);
}

void sli_task_server_destroy(sli_task_server_t *server) {
  if (!server) return;
  registry_remove(server);
  sli_page_destroy(server->page);
  sli_status_release(sli_task_server_stop(server));
  server->env->sleep(server->env, &server->stopped, SLI_CLOCK_NO_DEADLINE);  // another thread may be stopping it
  // After this every handler that saw the state STARTED has returned.
  sli_rpc_loop_run(server->loop, nothing, NULL);
  if (server->master) sli_master_destroy(server->master);
  int64_t drained = sli_env_deadline_after_millis(server->env, DRAIN_MILLIS);
  for (size_t i = 0; i < server->ports.count; i++) sli_rpc_server_drain(server->ports.items[i], drained);
  for (size_t i = 0; i < server->ports.count; i++) sli_rpc_server_destroy(server->ports.items[i]);
  sli_store_destroy(server->store);
  sli_backup_destroy(server->backup);
  if (!sli_worker_destroy(server->worker)) {
    // A step that cannot end uses the rest of the server when it ends after all; it is kept for that. It must not see
    // the libraries go when the process exits.
    on_exit(exit_at_once, NULL);
    return;
  }
  // The clusters of sessions that were released just now close their connections on the loop; this waits for them.
  sli_rpc_loop_run(server->loop, nothing, NULL);
  sli_worker_cache_destroy(server->cache);
  sli_cluster_deinitialize(&server->cluster);
  sli_array_deinitialize(&server->held);
  sli_control_destroy(server->control);
  sli_event_deinitialize(&server->stopped);
  sli_event_deinitialize(&server->stopped_or_done);
  sli_mutex_deinitialize(&server->mutex);
  sli_array_deinitialize(&server->ports);
  sli_string_deinitialize(&server->listening);
  free(server->target);
  free(server);
}

const sli_cluster_t *sli_task_server_cluster(const sli_task_server_t *server) { return &server->cluster; }

const char *sli_task_server_target(const sli_task_server_t *server) { return server->target; }

const char *sli_task_server_url(const sli_task_server_t *server) {
  return server->page ? sli_page_url(server->page) : NULL;
}

// ---- The registry of servers -----------------------------------------------------

// Whether |address| ("host:port") is that of |server|, as seen from this machine.
static bool is_target(const sli_task_server_t *server, const char *address) {
  char *host, *own = NULL;
  int port, own_port;
  if (atomic_load(&server->state) != STARTED || !sli_bind_address_split(address, &host, &port)) return false;
  bool same = port == sli_rpc_server_port(server->ports.items[0]);
  if (same && strcmp(host, "localhost") != 0 && strcmp(host, "127.0.0.1") != 0 && strcmp(host, "::1") != 0)
    same = sli_bind_address_split(sli_cluster_self(&server->cluster)->address, &own, &own_port) && !strcmp(host, own);
  free(own);
  free(host);
  return same;
}

sli_master_t *sli_task_server_find_master(const char *target) {
  if (!sli_string_starts_with(target, "grpc://")) return NULL;
  sli_master_t *master = NULL;
  sli_mutex_lock(&registry.mutex);
  for (sli_task_server_t *server = registry.first; server && !master; server = server->next)
    if (is_target(server, target + strlen("grpc://"))) master = server->master;
  sli_mutex_unlock(&registry.mutex);
  return master;
}
