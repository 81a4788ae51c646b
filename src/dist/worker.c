// A worker's state: devices, sessions, registered graphs; the calls that end at
// once, and the local client that offers them all to this process.
#include "dist/worker.h"

#include <stdlib.h>

#include "base/log.h"
#include "dist/env_internal.h"
#include "dist/worker_internal.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"

enum { MAX_DEVICES = 1024 };

// ---- Devices ---------------------------------------------------------------------

static sli_device_group_t *group_retain(sli_device_group_t *group) {
  sli_refcount_retain(&group->references);
  return group;
}

// |like|, if not NULL, lends incarnations and, if |shares|, its resources.
static sli_device_group_t *group_create(sli_env_t *env, const char *task_name, int count, sli_device_group_t *like,
                                        bool shares) {
  sli_device_group_t *group = sli_calloc(1, sizeof(*group));
  sli_refcount_initialize(&group->references);
  if (shares) group->lender = group_retain(like);
  group->resources = shares ? like->resources : sli_resource_manager_create(SLI_WORKER_CONTAINER);
  for (int i = 0; i < count; i++) {
    char *name = sli_format("%s/device:CPU:%d", task_name, i);
    sli_device_t *device = sli_device_create_cpu(name, group->resources, env->pool);
    if (like) device->incarnation = like->set.devices.items[i].incarnation;
    sli_device_set_add(&group->set, device->name, device->type, device->incarnation, device->memory_limit, device);
    free(name);
  }
  return group;
}

static void group_release(sli_device_group_t *group) {
  if (!group || !sli_refcount_release(&group->references)) return;
  for (size_t i = 0; i < group->set.devices.count; i++) sli_device_destroy(group->set.devices.items[i].local);
  sli_device_set_deinitialize(&group->set);
  if (!group->lender) sli_resource_manager_destroy(group->resources);
  group_release(group->lender);
  free(group);
}

// ConfigProto.device_count["CPU"], 1 if it says nothing.
static sli_status_t *count_devices(sli_view_t config, int *out_count) {
  *out_count = 1;
  sli_arena_t arena = {.budget = sli_proto_budget(config.size)};
  Tensorflow__ConfigProto *proto = NULL;
  sli_status_t *status =
      sli_proto_parse(&tensorflow__config_proto__descriptor, config.data, config.size, &arena, (void **)&proto);
  for (size_t i = 0; !status && i < proto->n_device_count; i++)
    if (!strcmp(proto->device_count[i]->key, "CPU")) *out_count = proto->device_count[i]->value;
  sli_arena_deinitialize(&arena);
  if (!status && (*out_count < 1 || *out_count > MAX_DEVICES))
    status = sli_status_make(SLI_INVALID_ARGUMENT, "device_count[\"CPU\"] is %d: it must lie between 1 and %d",
                             *out_count, MAX_DEVICES);
  return status;
}

// ---- What is private to a session --------------------------------------------------

// Takes over the references.
static sli_private_state_t *state_create(sli_device_group_t *devices, sli_session_cluster_t *cluster) {
  sli_private_state_t *state = sli_calloc(1, sizeof(*state));
  sli_refcount_initialize(&state->references);
  state->devices = devices;
  state->cluster = cluster;
  state->resources = sli_resource_manager_create(SLI_WORKER_CONTAINER);
  return state;
}

static sli_private_state_t *state_retain(sli_private_state_t *state) {
  sli_refcount_retain(&state->references);
  return state;
}

static void state_release(sli_private_state_t *state) {
  if (!state || !sli_refcount_release(&state->references)) return;
  sli_resource_manager_destroy(state->resources);  // takes its resources out of the group's
  group_release(state->devices);
  sli_session_cluster_release(state->cluster);
  free(state);
}

// ---- Graphs and sessions ---------------------------------------------------------

sli_worker_graph_t *sli_worker_graph_retain(sli_worker_graph_t *graph) {
  sli_refcount_retain(&graph->references);
  return graph;
}

void sli_worker_graph_release(sli_worker_graph_t *graph) {
  if (!graph || !sli_refcount_release(&graph->references)) return;
  sli_plan_release(graph->plan);
  sli_graph_release(graph->graph);
  state_release(graph->state);
  free(graph);
}

static sli_worker_session_t *session_create(sli_env_t *env, sli_private_state_t *state, const char *master_task) {
  sli_worker_session_t *session = sli_calloc(1, sizeof(*session));
  sli_refcount_initialize(&session->references);
  session->state = state;
  session->master_task = sli_strdup(master_task ? master_task : "");
  session->created_at = session->last_used = env->now(env);
  return session;
}

static void session_release(sli_worker_session_t *session) {
  if (!session || !sli_refcount_release(&session->references)) return;
  SLI_MAP_FOR_EACH (&session->graphs, entry) sli_worker_graph_release(entry->value);
  sli_map_deinitialize(&session->graphs);
  state_release(session->state);
  free(session->master_task);
  free(session);
}

static sli_status_t *find_session_locked(sli_worker_t *worker, const char *handle, sli_worker_session_t **out_session) {
  *out_session = handle && *handle ? sli_map_get(&worker->sessions, sli_view(handle)) : worker->legacy;
  if (*out_session) return NULL;
  return sli_status_make(SLI_ABORTED, "Session handle is not found: %s. Possibly this worker (\"%s\") just restarted.",
                         handle, worker->task_name);
}

sli_status_t *sli_worker_find_graph(sli_worker_t *worker, const char *session_handle, const char *graph_handle,
                                    sli_worker_graph_t **out_graph) {
  *out_graph = NULL;
  sli_worker_session_t *session;
  sli_mutex_lock(&worker->mutex);
  sli_status_t *status = find_session_locked(worker, session_handle, &session);
  if (!status) {
    sli_worker_graph_t *graph = sli_map_get(&session->graphs, sli_view(graph_handle));
    if (graph) *out_graph = sli_worker_graph_retain(graph);
    worker->step_count++;
    session->steps++;
    session->last_used = worker->env->now(worker->env);
  }
  sli_mutex_unlock(&worker->mutex);
  if (!status && !*out_graph) status = sli_status_make(SLI_ABORTED, "Graph handle is not found: %s", graph_handle);
  return status;
}

// ---- Life ------------------------------------------------------------------------

sli_status_t *sli_worker_begin(sli_worker_t *worker) {
  sli_mutex_lock(&worker->mutex);
  sli_status_t *status = sli_status_retain(worker->stopped);
  if (!status) worker->busy++;
  sli_mutex_unlock(&worker->mutex);
  return status;
}

void sli_worker_hold(sli_worker_t *worker) {
  sli_mutex_lock(&worker->mutex);
  worker->busy++;
  sli_mutex_unlock(&worker->mutex);
}

bool sli_worker_is_stopped(sli_worker_t *worker) {
  sli_mutex_lock(&worker->mutex);
  bool stopped = worker->stopped != NULL;
  sli_mutex_unlock(&worker->mutex);
  return stopped;
}

void sli_worker_end(sli_worker_t *worker) {
  sli_env_t *env = worker->env;
  sli_mutex_lock(&worker->mutex);
  bool drained = --worker->busy == 0 && worker->destroyed;
  sli_mutex_unlock(&worker->mutex);
  if (drained) env->set(env, &worker->drained);
}

static const sli_worker_client_vtable_t local_vtable;

sli_status_t *sli_worker_create(sli_env_t *env, const sli_cluster_t *cluster, sli_worker_t **out_worker) {
  *out_worker = NULL;
  int count;
  SLI_RETURN_IF_ERROR(count_devices(sli_view_of(cluster->default_config.data, cluster->default_config.size), &count));
  sli_worker_t *worker = sli_calloc(1, sizeof(*worker));
  worker->env = env;
  worker->cluster = cluster;
  worker->task_name = sli_strdup(sli_cluster_self(cluster)->task_name);
  worker->client = (sli_worker_client_t){&local_vtable, worker->task_name, true};
  worker->devices = group_create(env, worker->task_name, count, NULL, false);
  worker->legacy = session_create(env, state_create(group_retain(worker->devices), NULL), NULL);
  worker->transfers = sli_transfer_log_create();
  worker->home = (sli_remote_rendezvous_home_t){env, worker->task_name, NULL, worker->transfers};
  worker->steps = sli_step_table_create(&worker->home, sli_worker_release_partial);
  sli_mutex_initialize(&worker->mutex);
  sli_event_initialize(&worker->drained);
  *out_worker = worker;
  return NULL;
}

void sli_worker_set_cache(sli_worker_t *worker, sli_worker_cache_t *cache) { worker->home.cache = cache; }

size_t sli_worker_session_count(sli_worker_t *worker) {
  sli_mutex_lock(&worker->mutex);
  size_t count = worker->sessions.count;
  sli_mutex_unlock(&worker->mutex);
  return count;
}

int64_t sli_worker_quiet_nanos(sli_worker_t *worker) {
  sli_mutex_lock(&worker->mutex);
  int64_t now = worker->env->now(worker->env), used = worker->running ? now : 0;
  SLI_MAP_FOR_EACH (&worker->sessions, entry) {
    const sli_worker_session_t *session = entry->value;
    if (session->last_used > used) used = session->last_used;
  }
  sli_mutex_unlock(&worker->mutex);
  return now - used;
}

bool sli_worker_was_left(sli_worker_t *worker, const char *name) {
  sli_mutex_lock(&worker->mutex);
  const char *last = sli_map_get(&worker->masters, sli_view(name));
  bool left = last && !sli_map_find(&worker->sessions, sli_view(last));
  sli_mutex_unlock(&worker->mutex);
  return left;
}

const sli_device_set_t *sli_worker_devices(sli_worker_t *worker) { return &worker->devices->set; }
sli_worker_client_t *sli_worker_local_client(sli_worker_t *worker) { return &worker->client; }

void sli_worker_stop(sli_worker_t *worker, sli_status_t *status) {
  sli_mutex_lock(&worker->mutex);
  if (!worker->stopped) worker->stopped = sli_status_retain(status);
  sli_mutex_unlock(&worker->mutex);
  sli_worker_cancel_executions(worker, status);
  sli_step_table_abort_all(worker->steps, status);
}

void sli_worker_destroy(sli_worker_t *worker) {
  if (!worker) return;
  sli_worker_stop(worker, sli_status_make(SLI_UNAVAILABLE, "%s is shutting down", worker->task_name));
  sli_mutex_lock(&worker->mutex);
  worker->destroyed = true;
  bool busy = worker->busy != 0;
  sli_mutex_unlock(&worker->mutex);
  if (busy) worker->env->wait(worker->env, &worker->drained, SLI_NO_DEADLINE);
  SLI_MAP_FOR_EACH (&worker->sessions, entry) session_release(entry->value);
  sli_map_deinitialize(&worker->sessions);
  SLI_MAP_FOR_EACH (&worker->masters, entry) free(entry->value);
  sli_map_deinitialize(&worker->masters);
  session_release(worker->legacy);
  sli_step_table_destroy(worker->steps);
  sli_transfer_log_destroy(worker->transfers);
  group_release(worker->devices);
  sli_status_release(worker->stopped);
  sli_event_deinitialize(&worker->drained);
  sli_mutex_deinitialize(&worker->mutex);
  free(worker->task_name);
  free(worker);
}

// ---- The calls that end at once --------------------------------------------------

static sli_worker_t *worker_of(sli_worker_client_t *self) { return (sli_worker_t *)self; }

static void local_get_status(sli_worker_client_t *self, int64_t deadline, bool wait_for_ready,
                             sli_cancellation_t *cancellation, sli_get_status_done_t done, void *context) {
  const sli_device_set_t *set = &worker_of(self)->devices->set;
  done(context, NULL, set->devices.items, set->devices.count);
}

// The cluster that the master's ServerDef gives the session; NULL if it gives none.
static sli_status_t *read_cluster(sli_worker_t *worker, sli_view_t server_def, sli_session_cluster_t **out_cluster) {
  *out_cluster = NULL;
  if (!server_def.size) return NULL;
  sli_arena_t arena = {.budget = sli_proto_budget(server_def.size)};
  Tensorflow__ServerDef *def = NULL;
  sli_status_t *status =
      sli_proto_parse(&tensorflow__server_def__descriptor, server_def.data, server_def.size, &arena, (void **)&def);
  bool has_cluster = !status && def->cluster && def->cluster->n_job;
  sli_arena_deinitialize(&arena);
  if (!has_cluster) return status;
  if (!worker->home.cache)
    return sli_status_make(SLI_FAILED_PRECONDITION, "%s knows no other tasks", worker->task_name);
  return sli_session_cluster_create(worker->home.cache, server_def, out_cluster);
}

static sli_status_t *create_session(sli_worker_t *worker, const sli_create_worker_session_t *request) {
  if (!request->session_handle || !*request->session_handle)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Session must be non-empty.");
  sli_session_cluster_t *cluster;
  SLI_RETURN_IF_ERROR(read_cluster(worker, request->server_def, &cluster));
  const char *task_name = cluster ? sli_cluster_self(&cluster->cluster)->task_name : worker->task_name;
  sli_device_group_t *devices = request->isolate || cluster
                                    ? group_create(worker->env, task_name, (int)worker->devices->set.devices.count,
                                                   worker->devices, !request->isolate)
                                    : group_retain(worker->devices);
  sli_worker_session_t *session = session_create(worker->env, state_create(devices, cluster), request->master_task);
  sli_mutex_lock(&worker->mutex);
  sli_status_t *status = sli_status_retain(worker->stopped);
  // A repeated request finds the session and leaves it.
  bool added = !status && sli_map_insert(&worker->sessions, sli_view(request->session_handle), session);
  if (added && !cluster && sli_cluster_find(worker->cluster, sli_view(session->master_task)))
    free(sli_map_set(&worker->masters, sli_view(session->master_task), sli_strdup(request->session_handle)));
  sli_mutex_unlock(&worker->mutex);
  if (!added) session_release(session);
  return status;
}

static void local_create_session(sli_worker_client_t *self, const sli_create_worker_session_t *request,
                                 sli_done_fn_t done, void *context) {
  done(context, create_session(worker_of(self), request));
}

static void local_delete_session(sli_worker_client_t *self, const char *session_handle, int64_t deadline,
                                 sli_done_fn_t done, void *context) {
  sli_worker_t *worker = worker_of(self);
  sli_mutex_lock(&worker->mutex);
  sli_worker_session_t *session = sli_map_remove(&worker->sessions, sli_view(session_handle));
  sli_mutex_unlock(&worker->mutex);
  session_release(session);
  done(context, NULL);
}

static void local_deregister_graph(sli_worker_client_t *self, const char *session_handle, const char *graph_handle,
                                   sli_done_fn_t done, void *context) {
  sli_worker_t *worker = worker_of(self);
  sli_worker_session_t *session;
  sli_worker_graph_t *graph = NULL;
  sli_mutex_lock(&worker->mutex);
  sli_status_t *status = find_session_locked(worker, session_handle, &session);
  if (!status) graph = sli_map_remove(&session->graphs, sli_view(graph_handle));
  sli_mutex_unlock(&worker->mutex);
  if (!status && !graph)
    status = sli_status_make(SLI_ABORTED, "Graph handle is not found: %s. Possibly, this worker just restarted.",
                             graph_handle);
  sli_worker_graph_release(graph);
  done(context, status);
}

static void local_cleanup_graph(sli_worker_client_t *self, int64_t step_id, sli_done_fn_t done, void *context) {
  sli_step_table_cleanup(worker_of(self)->steps, step_id);
  done(context, NULL);
}

static void local_cleanup_all(sli_worker_client_t *self, const char *const *containers, size_t count, int64_t deadline,
                              sli_done_fn_t done, void *context) {
  sli_resource_manager_t *resources = worker_of(self)->devices->resources;
  for (size_t i = 0; i < count; i++) sli_resource_clear(resources, sli_view(containers[i]));
  if (count == 0) sli_resource_clear(resources, sli_view(SLI_WORKER_CONTAINER));
  done(context, NULL);
}

static void local_recv_tensor(sli_worker_client_t *self, int64_t step_id, sli_view_t key, int64_t deadline,
                              sli_cancellation_t *cancellation, sli_recv_fn_t done, void *context) {
  sli_worker_recv_tensor(worker_of(self), step_id, key, cancellation, done, context);
}

static char *local_describe_failure(sli_worker_client_t *self) { return NULL; }
static sli_rpc_traffic_t local_traffic(sli_worker_client_t *self) { return (sli_rpc_traffic_t){0}; }
static void local_destroy(sli_worker_client_t *self) {}  // goes with the worker

// ---- RegisterGraph ---------------------------------------------------------------

// A partition that came over the wire names its devices; all must be this task's, as the session calls it.
static sli_status_t *assign_devices(const sli_device_set_t *devices, sli_graph_t *graph) {
  for (size_t i = 0; i < graph->nodes.count; i++) {
    sli_node_t *node = graph->nodes.items[i];
    if (node->assigned_device) continue;
    const char *wanted = node->def.device ? node->def.device : "";
    const sli_device_info_t *device = sli_device_set_find(devices, sli_view(wanted));
    if (!device)
      return *wanted
                 ? sli_status_make(SLI_INVALID_ARGUMENT, "%s unknown device.\n\t [[{{node %s}}]]", wanted,
                                   node->def.name)
                 : sli_status_make(SLI_INVALID_ARGUMENT, "Node '%s' is missing a device specification", node->def.name);
    node->assigned_device = device->name;
  }
  return NULL;
}

typedef struct {
  sli_worker_t *worker;
  char *session_handle;
  sli_graph_t *graph;
  sli_register_done_t done;
  void *context;
} registration_t;

// Compiles outside the lock; the session may be deleted meanwhile.
static sli_status_t *compile(registration_t *registration, sli_worker_session_t *session, char **out_handle) {
  sli_worker_t *worker = registration->worker;
  sli_plan_request_t request = {
      .graph = registration->graph, .devices = &session->state->devices->set, .session = session->state->resources};
  sli_plan_t *plan;
  SLI_RETURN_IF_ERROR(assign_devices(request.devices, registration->graph));
  SLI_RETURN_IF_ERROR(sli_plan_create(&request, &plan));
  sli_worker_graph_t *graph = sli_calloc(1, sizeof(*graph));
  sli_refcount_initialize(&graph->references);
  graph->state = state_retain(session->state);
  graph->graph = sli_graph_retain(registration->graph);
  graph->plan = plan;
  sli_mutex_lock(&worker->mutex);
  *out_handle = sli_format("%016llx", (unsigned long long)++session->last_handle);
  sli_map_set(&session->graphs, sli_view(*out_handle), graph);
  sli_mutex_unlock(&worker->mutex);
  return NULL;
}

static void registration_run(void *context) {
  registration_t *registration = context;
  sli_worker_t *worker = registration->worker;
  sli_worker_session_t *session;
  char *handle = NULL;
  sli_mutex_lock(&worker->mutex);
  sli_status_t *status = find_session_locked(worker, registration->session_handle, &session);
  if (!status) sli_refcount_retain(&session->references);
  sli_mutex_unlock(&worker->mutex);
  if (!status) {
    status = compile(registration, session, &handle);
    session_release(session);
  }
  registration->done(registration->context, status, handle);
  free(handle);
  sli_graph_release(registration->graph);
  free(registration->session_handle);
  free(registration);
  sli_worker_end(worker);
}

static void local_register_graph(sli_worker_client_t *self, const sli_register_graph_t *request,
                                 sli_register_done_t done, void *context) {
  sli_worker_t *worker = worker_of(self);
  sli_status_t *status = sli_worker_begin(worker);
  if (status) {
    done(context, status, NULL);
    return;
  }
  registration_t *registration = sli_malloc(sizeof(*registration));
  *registration = (registration_t){worker, sli_strdup(request->session_handle ? request->session_handle : ""),
                                   sli_graph_retain(request->graph), done, context};
  if (sli_env_on_network_thread(worker->env))
    sli_thread_pool_submit(worker->env->pool, registration_run, registration);
  else
    registration_run(registration);
}

static const sli_worker_client_vtable_t local_vtable = {
    .get_status = local_get_status,
    .create_session = local_create_session,
    .delete_session = local_delete_session,
    .register_graph = local_register_graph,
    .deregister_graph = local_deregister_graph,
    .run_graph = sli_worker_run_graph,
    .cleanup_graph = local_cleanup_graph,
    .cleanup_all = local_cleanup_all,
    .recv_tensor = local_recv_tensor,
    .describe_failure = local_describe_failure,
    .traffic = local_traffic,
    .destroy = local_destroy,
};
