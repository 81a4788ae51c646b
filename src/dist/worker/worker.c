// A worker's state: sessions and registered graphs; the calls that need no waiting; and the local client,
// through which this process makes all calls.
#include "dist/worker/worker.h"

#include <stdlib.h>

#include "base/log.h"
#include "dist/env/env_process.h"
#include "dist/worker/worker_internal.h"
#include "graph/import.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"
#include "runtime/function/function_runtime.h"

enum {
  MAX_STRANGERS = 100,    // masters about which a warning is logged
  DESTROY_MILLIS = 2500,  // how long sli_worker_destroy waits for kernels that cannot be cancelled
};

// ---- Private state of a session ----------------------------------------------------

// Consumes the references.
static sli_worker_private_state_t *state_create(sli_worker_device_group_t *devices, sli_session_cluster_t *cluster) {
  sli_worker_private_state_t *state = sli_calloc(1, sizeof(*state));
  sli_refcount_initialize(&state->references);
  state->devices = devices;
  state->cluster = cluster;
  state->resources = sli_resource_manager_create(SLI_WORKER_CONTAINER);
  return state;
}

static sli_worker_private_state_t *state_retain(sli_worker_private_state_t *state) {
  sli_refcount_retain(&state->references);
  return state;
}

static void state_release(sli_worker_private_state_t *state) {
  if (!state || !sli_refcount_release(&state->references)) return;
  sli_resource_manager_destroy(state->resources);  // also removes its resources from the group's
  sli_worker_devices_release(state->devices);
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
  free(graph->collective);
  sli_arena_deinitialize(&graph->arena);
  free(graph);
}

static sli_worker_session_t *session_create(sli_env_t *env, sli_worker_private_state_t *state, const char *handle,
                                            const char *master_task, int64_t master_incarnation) {
  sli_worker_session_t *session = sli_calloc(1, sizeof(*session));
  sli_refcount_initialize(&session->references);
  session->state = state;
  session->handle = sli_strdup(handle);
  session->master_task = sli_strdup(master_task ? master_task : "");
  session->master_incarnation = master_incarnation;
  session->created_at = session->last_used = env->now(env);
  return session;
}

static void session_release(sli_worker_session_t *session) {
  if (!session || !sli_refcount_release(&session->references)) return;
  SLI_MAP_FOR_EACH (&session->graphs, entry) sli_worker_graph_release(entry->value);
  sli_map_deinitialize(&session->graphs);
  // A resource that calls functions, such as an iterator, keeps the state alive that owns it.
  sli_resource_clear_all(session->state->resources);
  if (session->state->devices->is_of_session) sli_resource_clear_all(session->state->devices->resources);
  state_release(session->state);
  free(session->handle);
  free(session->master_task);
  free(session);
}

static sli_status_t *find_session_locked(sli_worker_t *worker, const char *handle, sli_worker_session_t **out_session) {
  *out_session = handle && *handle ? sli_map_get(&worker->sessions, sli_view(handle)) : worker->default_session;
  if (*out_session) return NULL;
  return sli_status_make(SLI_ABORTED, "Session handle is not found: %s. Possibly this worker (\"%s\") just restarted.",
                         handle, worker->task_name);
}

static sli_status_t *input_ended_error(const sli_worker_t *worker) {
  return sli_status_make(SLI_OUT_OF_RANGE, "End of input: \"%s\" was asked to end the training of this session.",
                         worker->task_name);
}

size_t sli_worker_end_input(sli_worker_t *worker, const char *master_task, bool interrupt) {
  size_t count = 0;
  sli_worker_executions_t running = {0};
  sli_mutex_lock(&worker->mutex);
  SLI_MAP_FOR_EACH (&worker->sessions, entry) {
    sli_worker_session_t *session = entry->value;
    if (strcmp(session->master_task, master_task) != 0) continue;
    count++;
    if (!interrupt) {
      session->ends_input = true;
      session->input_ended_at = worker->env->now(worker->env);
    }
    size_t before = running.count;
    if (interrupt) sli_worker_list_executions_locked(worker, session->state, session->input_ended_at, &running);
    if (running.count > before) session->ends_input = false;
  }
  sli_mutex_unlock(&worker->mutex);
  sli_status_t *status = running.count ? input_ended_error(worker) : NULL;
  sli_worker_cancel_list(&running, status);
  sli_status_release(status);
  return count;
}

sli_status_t *sli_worker_find_graph(sli_worker_t *worker, const char *session_handle, const char *graph_handle,
                                    sli_worker_graph_t **out_graph, sli_status_t **out_ended) {
  *out_graph = NULL;
  *out_ended = NULL;
  sli_worker_session_t *session;
  sli_mutex_lock(&worker->mutex);
  sli_status_t *status = find_session_locked(worker, session_handle, &session);
  if (!status) {
    sli_worker_graph_t *graph = sli_map_get(&session->graphs, sli_view(graph_handle));
    if (graph) *out_graph = sli_worker_graph_retain(graph);
    worker->step_count++;
    session->steps++;
    session->last_used = worker->env->now(worker->env);
    if (session->ends_input && *out_graph) {
      session->ends_input = false;
      *out_ended = input_ended_error(worker);
    }
  }
  sli_mutex_unlock(&worker->mutex);
  if (!status && !*out_graph) status = sli_status_make(SLI_ABORTED, "Graph handle is not found: %s", graph_handle);
  return status;
}

// ---- Life cycle ------------------------------------------------------------------

sli_status_t *sli_worker_begin_call(sli_worker_t *worker) {
  sli_mutex_lock(&worker->mutex);
  sli_status_t *status = sli_status_retain(worker->stopped);
  if (!status) worker->busy++;
  sli_mutex_unlock(&worker->mutex);
  return status;
}

void sli_worker_add_call(sli_worker_t *worker) {
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

void sli_worker_end_call(sli_worker_t *worker) {
  sli_env_t *env = worker->env;
  sli_mutex_lock(&worker->mutex);
  bool drained = --worker->busy == 0 && worker->destroyed;
  sli_mutex_unlock(&worker->mutex);
  if (drained) env->set(env, &worker->drained);
}

static const sli_worker_client_vtable_t local_vtable;

sli_status_t *sli_worker_create(sli_env_t *env, const sli_cluster_t *cluster, sli_worker_t **out_worker) {
  *out_worker = NULL;
  sli_worker_device_group_t *devices;
  SLI_RETURN_IF_ERROR(sli_worker_devices_create(env, cluster, &devices));
  sli_worker_t *worker = sli_calloc(1, sizeof(*worker));
  worker->env = env;
  worker->cluster = cluster;
  worker->task_name = sli_strdup(sli_cluster_self(cluster)->task_name);
  worker->client = (sli_worker_client_t){&local_vtable, worker->task_name, true};
  worker->devices = devices;
  worker->default_session =
      session_create(env, state_create(sli_worker_devices_retain(worker->devices), NULL), "", NULL, 0);
  worker->transfers = sli_transfer_log_create();
  worker->shared = (sli_remote_rendezvous_shared_t){env, worker->task_name, NULL, worker->transfers};
  worker->steps = sli_step_table_create(&worker->shared, sli_worker_release_partial);
  sli_mutex_initialize(&worker->mutex);
  sli_event_initialize(&worker->drained);
  sli_worker_create_collectives(worker);
  *out_worker = worker;
  return NULL;
}

void sli_worker_set_cache(sli_worker_t *worker, sli_worker_cache_t *cache) { worker->shared.cache = cache; }

void sli_worker_set_limits(sli_worker_t *worker, const sli_worker_limits_t *limits) {
  worker->max_sessions = limits->sessions;
  sli_step_table_limit_early_receives(worker->steps, limits->early_receives);
  sli_collective_engine_limit(worker->collectives, limits->early_receives);
}

size_t sli_worker_session_count(sli_worker_t *worker) {
  sli_mutex_lock(&worker->mutex);
  size_t count = worker->sessions.count;
  sli_mutex_unlock(&worker->mutex);
  return count;
}

size_t sli_worker_describe_sessions(sli_worker_t *worker, sli_arena_t *arena,
                                    sli_worker_session_info_t **out_sessions) {
  int64_t now = worker->env->now(worker->env);
  size_t count = 0;
  sli_mutex_lock(&worker->mutex);
  sli_worker_session_info_t *infos = *out_sessions = sli_arena_calloc(arena, worker->sessions.count, sizeof(*infos));
  SLI_MAP_FOR_EACH (&worker->sessions, entry) {
    const sli_worker_session_t *session = entry->value;
    infos[count++] = (sli_worker_session_info_t){
        .handle = sli_arena_strndup(arena, entry->key, entry->key_size),
        .master_task = sli_arena_strndup(arena, session->master_task, strlen(session->master_task)),
        .age_nanos = now - session->created_at,
        .idle_nanos = now - session->last_used,
        .steps = session->steps,
    };
  }
  sli_mutex_unlock(&worker->mutex);
  return count;
}

sli_worker_load_t sli_worker_load(sli_worker_t *worker) {
  sli_mutex_lock(&worker->mutex);
  sli_worker_load_t load = {.steps = worker->step_count, .running_steps = worker->running};
  sli_mutex_unlock(&worker->mutex);
  return load;
}

const sli_tally_t *sli_worker_tally(const sli_worker_t *worker) { return &worker->tally; }

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

bool sli_worker_master_has_left(sli_worker_t *worker, const char *name) {
  sli_mutex_lock(&worker->mutex);
  const char *last = sli_map_get(&worker->masters, sli_view(name));
  bool left = last && !sli_map_find(&worker->sessions, sli_view(last));
  sli_mutex_unlock(&worker->mutex);
  return left;
}

sli_resource_manager_t *sli_worker_resources(sli_worker_t *worker) { return worker->devices->resources; }
sli_transfer_log_t *sli_worker_transfer_log(sli_worker_t *worker) { return worker->transfers; }
const sli_device_set_t *sli_worker_devices(sli_worker_t *worker) { return &worker->devices->set; }
sli_worker_client_t *sli_worker_local_client(sli_worker_t *worker) { return &worker->client; }

void sli_worker_stop(sli_worker_t *worker, sli_status_t *status) {
  sli_mutex_lock(&worker->mutex);
  if (!worker->stopped) worker->stopped = sli_status_retain(status);
  sli_mutex_unlock(&worker->mutex);
  sli_worker_cancel_executions(worker, status);
  sli_collective_engine_stop(worker->collectives, sli_status_retain(status));
  sli_step_table_abort_all(worker->steps, status);
}

bool sli_worker_destroy(sli_worker_t *worker) {
  if (!worker) return true;
  sli_worker_stop(worker, sli_status_make(SLI_UNAVAILABLE, "%s is shutting down", worker->task_name));
  sli_mutex_lock(&worker->mutex);
  worker->destroyed = true;
  bool busy = worker->busy != 0;
  sli_mutex_unlock(&worker->mutex);
  int64_t deadline = sli_env_deadline_after_millis(worker->env, DESTROY_MILLIS);
  if (busy && !worker->env->wait(worker->env, &worker->drained, deadline)) {
    SLI_WARNING("%s ends although kernels of cancelled steps still compute or wait for a file", worker->task_name);
    return false;
  }
  SLI_MAP_FOR_EACH (&worker->sessions, entry) session_release(entry->value);
  sli_map_deinitialize(&worker->sessions);
  SLI_MAP_FOR_EACH (&worker->masters, entry) free(entry->value);
  sli_map_deinitialize(&worker->masters);
  sli_map_deinitialize(&worker->strangers);
  session_release(worker->default_session);
  sli_step_table_destroy(worker->steps);
  sli_collective_engine_destroy(worker->collectives);
  SLI_MAP_FOR_EACH (&worker->step_sequences, entry) free(entry->value);
  sli_map_deinitialize(&worker->step_sequences);
  sli_transfer_log_destroy(worker->transfers);
  sli_resource_clear_all(worker->devices->resources);
  sli_worker_devices_release(worker->devices);
  sli_status_release(worker->stopped);
  sli_event_deinitialize(&worker->drained);
  sli_mutex_deinitialize(&worker->mutex);
  free(worker->task_name);
  free(worker);
  return true;
}

// ---- Calls without waiting -------------------------------------------------------

static sli_worker_t *worker_of(sli_worker_client_t *self) { return (sli_worker_t *)self; }

static void local_get_status(sli_worker_client_t *self, int64_t deadline, bool wait_for_ready,
                             sli_cancellation_t *cancellation, sli_worker_client_get_status_done_t done,
                             void *context) {
  const sli_device_set_t *set = &worker_of(self)->devices->set;
  done(context, NULL, set->devices.items, set->devices.count);
}

static void local_compare_clusters(sli_worker_client_t *self, const sli_worker_client_compare_t *request,
                                   sli_worker_client_done_t done, void *context) {
  done(context, NULL);
}

// The cluster in the master's ServerDef; NULL if it has none.
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
  if (!worker->shared.cache)
    return sli_status_make(SLI_FAILED_PRECONDITION, "%s cannot reach other tasks", worker->task_name);
  return sli_session_cluster_create(worker->shared.cache, server_def, out_cluster);
}

// Removes the sessions of an earlier life of the master, and cancels their steps. Nobody will close them, and what
// their steps still wait for, such as gradients, would be lost to the new ones: the connection of a host that lost its
// power may seem to be up for a minute. Masters of TensorFlow tell their incarnation, too, and its workers do the same.
static void drop_former_sessions(sli_worker_t *worker, const sli_worker_client_create_session_t *request) {
  if (!request->master_task || !*request->master_task || !request->master_incarnation) return;
  SLI_ARRAY(sli_worker_session_t *) former = {0};
  sli_worker_executions_t running = {0};
  sli_mutex_lock(&worker->mutex);
  SLI_MAP_FOR_EACH (&worker->sessions, entry) {
    sli_worker_session_t *session = entry->value;
    if (strcmp(session->master_task, request->master_task) != 0 || !session->master_incarnation ||
        session->master_incarnation == request->master_incarnation)
      continue;
    sli_array_push(&former, session);
    sli_worker_list_executions_locked(worker, session->state, INT64_MAX, &running);
  }
  for (size_t i = 0; i < former.count; i++) sli_map_remove(&worker->sessions, sli_view(former.items[i]->handle));
  sli_mutex_unlock(&worker->mutex);
  if (former.count)
    SLI_INFO("%s was started again: dropped %zu sessions of its earlier life, with %zu running steps",
             request->master_task, former.count, running.count);
  sli_status_t *reason = sli_status_make(SLI_ABORTED, "The master %s was started again", request->master_task);
  sli_worker_cancel_list(&running, reason);
  sli_status_release(reason);
  for (size_t i = 0; i < former.count; i++) session_release(former.items[i]);
  sli_array_deinitialize(&former);
}

static sli_status_t *create_session(sli_worker_t *worker, const sli_worker_client_create_session_t *request) {
  if (!request->session_handle || !*request->session_handle)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Session must be non-empty.");
  sli_session_cluster_t *cluster;
  SLI_RETURN_IF_ERROR(read_cluster(worker, request->server_def, &cluster));
  const char *task_name = cluster ? sli_cluster_self(&cluster->cluster)->task_name : worker->task_name;
  sli_worker_device_group_t *devices = request->isolate || cluster
                                           ? sli_worker_devices_clone(worker->devices, task_name, !request->isolate)
                                           : sli_worker_devices_retain(worker->devices);
  drop_former_sessions(worker, request);
  sli_worker_session_t *session = session_create(worker->env, state_create(devices, cluster), request->session_handle,
                                                 request->master_task, request->master_incarnation);
  sli_mutex_lock(&worker->mutex);
  sli_status_t *status = sli_status_retain(worker->stopped);
  if (!status && worker->max_sessions && worker->sessions.count >= worker->max_sessions &&
      !sli_map_get(&worker->sessions, sli_view(request->session_handle)))
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED,
                             "%s already has %zu worker sessions, and no more may be open. Close some, or raise "
                             "--max_sessions of sluice serve (max_sessions of sl_cluster_server_options_t)",
                             worker->task_name, worker->max_sessions);
  // If the request is repeated the session exists and is left as it is.
  bool added = !status && sli_map_insert(&worker->sessions, sli_view(request->session_handle), session);
  bool is_known = sli_cluster_find(worker->cluster, sli_view(session->master_task)) != NULL;
  if (added && !cluster && is_known)
    free(sli_map_set(&worker->masters, sli_view(session->master_task), sli_strdup(request->session_handle)));
  bool is_strange = added && !cluster && !is_known && *session->master_task &&
                    worker->strangers.count < MAX_STRANGERS &&
                    sli_map_insert(&worker->strangers, sli_view(session->master_task), worker);
  sli_mutex_unlock(&worker->mutex);
  // A master of TensorFlow's does not compare lists, but tells its name.
  if (is_strange)
    SLI_WARNING(
        "%s opens a session, but is not in the list of tasks of %s, which therefore cannot send to it: start all "
        "tasks with the same lists",
        request->master_task, worker->task_name);
  if (!added) session_release(session);
  return status;
}

static void local_create_session(sli_worker_client_t *self, const sli_worker_client_create_session_t *request,
                                 sli_worker_client_done_t done, void *context) {
  done(context, create_session(worker_of(self), request));
}

// Sessions and graphs with more nodes are not freed on a thread of the network; of the largest, the memory is returned
// to the system.
enum { LONG_FREE_NODES = 500, TRIM_NODES = 10000 };

// A session or a graph that is being freed; one of them is NULL.
typedef struct {
  sli_worker_t *worker;
  sli_worker_session_t *session;
  sli_worker_graph_t *graph;
  sli_status_t *status;  // of the call
  size_t nodes;
  sli_worker_client_done_t done;
  void *context;
} removal_t;

static void removal_run(void *context) {
  removal_t *removal = context;
  session_release(removal->session);
  sli_worker_graph_release(removal->graph);
  if (removal->nodes >= TRIM_NODES) sli_alloc_trim();
  removal->done(removal->context, removal->status);
  sli_worker_end_call(removal->worker);
  free(removal);
}

static void removal_start(removal_t removal) {
  removal_t *copy = sli_memdup(&removal, sizeof(removal));
  sli_worker_add_call(removal.worker);
  if (removal.nodes >= LONG_FREE_NODES && sli_env_process_on_network_thread(removal.worker->env))
    sli_thread_pool_submit_blocking(removal.worker->env->pool, removal_run, copy);
  else
    removal_run(copy);
}

static void local_delete_session(sli_worker_client_t *self, const char *session_handle, int64_t deadline,
                                 sli_worker_client_done_t done, void *context) {
  sli_worker_t *worker = worker_of(self);
  removal_t removal = {.worker = worker, .done = done, .context = context};
  sli_mutex_lock(&worker->mutex);
  removal.session = sli_map_remove(&worker->sessions, sli_view(session_handle));
  if (removal.session)
    SLI_MAP_FOR_EACH (&removal.session->graphs, entry)
      removal.nodes += ((sli_worker_graph_t *)entry->value)->graph->nodes.count;
  sli_mutex_unlock(&worker->mutex);
  removal_start(removal);
}

static void local_deregister_graph(sli_worker_client_t *self, const char *session_handle, const char *graph_handle,
                                   sli_worker_client_done_t done, void *context) {
  sli_worker_t *worker = worker_of(self);
  sli_worker_session_t *session;
  removal_t removal = {.worker = worker, .done = done, .context = context};
  sli_mutex_lock(&worker->mutex);
  removal.status = find_session_locked(worker, session_handle, &session);
  if (!removal.status) removal.graph = sli_map_remove(&session->graphs, sli_view(graph_handle));
  sli_mutex_unlock(&worker->mutex);
  if (removal.graph) removal.nodes = removal.graph->graph->nodes.count;
  if (!removal.status && !removal.graph)
    removal.status = sli_status_make(
        SLI_ABORTED, "Graph handle is not found: %s. Possibly, this worker just restarted.", graph_handle);
  removal_start(removal);
}

static void local_cleanup_graph(sli_worker_client_t *self, int64_t step_id, sli_worker_client_done_t done,
                                void *context) {
  sli_step_table_cleanup(worker_of(self)->steps, step_id);
  sli_collective_engine_end_step(worker_of(self)->collectives, step_id);
  done(context, NULL);
}

static void local_cleanup_all(sli_worker_client_t *self, const char *const *containers, size_t count, int64_t deadline,
                              sli_worker_client_done_t done, void *context) {
  sli_resource_manager_t *resources = worker_of(self)->devices->resources;
  for (size_t i = 0; i < count; i++) sli_resource_clear(resources, sli_view(containers[i]));
  if (count == 0) sli_resource_clear(resources, sli_view(SLI_WORKER_CONTAINER));
  done(context, NULL);
}

static char *local_describe_failure(sli_worker_client_t *self) { return NULL; }
static sli_rpc_traffic_t local_traffic(sli_worker_client_t *self) { return (sli_rpc_traffic_t){0}; }

static sli_lend_mapping_t *local_memory(sli_worker_client_t *self) { return NULL; }
static void local_destroy(sli_worker_client_t *self) {}  // freed with the worker

// ---- RegisterGraph ---------------------------------------------------------------

// A partition from another task names its devices. All must be devices of this task under the session's name for it.
static sli_status_t *assign_devices(const sli_device_set_t *devices, sli_graph_t *graph) {
  for (size_t i = 0; i < graph->nodes.count; i++) {
    sli_node_t *node = graph->nodes.items[i];
    if (node->assigned_device) continue;
    const char *wanted = node->def.device ? node->def.device : "";
    const sli_device_set_entry_t *device = sli_device_set_find(devices, sli_view(wanted));
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
  sli_collective_t *collective;
  sli_worker_client_register_done_t done;
  void *context;
} graph_registration_t;

static void release_state(void *state) { state_release(state); }

// The functions of a graph for its kernels; NULL: it has none. The functions keep the session's state alive.
static sli_function_library_t *create_library(const sli_worker_t *worker, const sli_graph_t *graph,
                                              sli_worker_private_state_t *state) {
  if (!graph->functions) return NULL;
  sli_function_runtime_request_t request = {.functions = graph->functions,
                                            .devices = &state->devices->set,
                                            .session = state->resources,
                                            .optimizer = sli_optimize_options(NULL),
                                            .env = worker->env,
                                            .pool = worker->env->pool,
                                            .owner = state_retain(state),
                                            .release_owner = release_state};
  return sli_function_runtime_create(&request);
}

// Compiles without the lock; the session may be deleted meanwhile.
static sli_status_t *compile(graph_registration_t *registration, sli_worker_session_t *session, char **out_handle) {
  sli_worker_t *worker = registration->worker;
  sli_plan_request_t request = {
      .graph = registration->graph, .devices = &session->state->devices->set, .session = session->state->resources};
  sli_plan_t *plan;
  SLI_RETURN_IF_ERROR(assign_devices(request.devices, registration->graph));
  request.functions = create_library(worker, registration->graph, session->state);
  sli_status_t *status = sli_plan_create(&request, &plan);
  sli_object_release(request.functions);
  if (registration->graph->nodes.count >= TRIM_NODES) sli_alloc_trim();  // before the first step takes memory, too
  if (status) return status;
  sli_worker_graph_t *graph = sli_calloc(1, sizeof(*graph));
  sli_refcount_initialize(&graph->references);
  graph->state = state_retain(session->state);
  graph->graph = sli_graph_retain(registration->graph);
  graph->plan = plan;
  graph->collective = registration->collective;
  registration->collective = NULL;
  sli_worker_place_graph(worker, graph);
  sli_mutex_lock(&worker->mutex);
  *out_handle = sli_format("%016llx", (unsigned long long)++session->last_handle);
  sli_map_set(&session->graphs, sli_view(*out_handle), graph);
  sli_mutex_unlock(&worker->mutex);
  return NULL;
}

static void registration_run(void *context) {
  graph_registration_t *registration = context;
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
  free(registration->collective);
  free(registration->session_handle);
  free(registration);
  sli_worker_end_call(worker);
}

static void local_register_graph(sli_worker_client_t *self, const sli_worker_client_register_graph_t *request,
                                 sli_worker_client_register_done_t done, void *context) {
  sli_worker_t *worker = worker_of(self);
  sli_status_t *status = sli_worker_begin_call(worker);
  if (status) {
    done(context, status, NULL);
    return;
  }
  graph_registration_t *registration = sli_malloc(sizeof(*registration));
  *registration = (graph_registration_t){worker,
                                         sli_strdup(request->session_handle ? request->session_handle : ""),
                                         sli_graph_retain(request->graph),
                                         sli_worker_bind_collectives(worker, request->config),
                                         done,
                                         context};
  if (sli_env_process_on_network_thread(worker->env))
    sli_thread_pool_submit_blocking(worker->env->pool, registration_run, registration);
  else
    registration_run(registration);
}

typedef struct {
  sli_worker_t *worker;
  char *session_handle;
  sli_view_t graph_def, config;
  sli_worker_client_register_done_t done;
  void *context;
} graph_import_t;

static void import_run(void *context) {
  graph_import_t *import = context;
  sli_worker_t *worker = import->worker;
  sli_graph_t *graph = sli_graph_create();
  sli_status_t *status = sli_graph_import(graph, import->graph_def, NULL, NULL);
  if (status)
    import->done(import->context, status, NULL);
  else
    local_register_graph(&worker->client,
                         &(sli_worker_client_register_graph_t){
                             .session_handle = import->session_handle, .graph = graph, .config = import->config},
                         import->done, import->context);
  sli_graph_release(graph);
  free(import->session_handle);
  free(import);
  sli_worker_end_call(worker);
}

void sli_worker_register_graph_def(sli_worker_t *worker, const char *session_handle, sli_view_t graph_def,
                                   sli_view_t config, sli_worker_client_register_done_t done, void *context) {
  sli_status_t *status = sli_worker_begin_call(worker);
  if (status) {
    done(context, status, NULL);
    return;
  }
  graph_import_t *import = sli_malloc(sizeof(*import));
  *import = (graph_import_t){worker, sli_strdup(session_handle), graph_def, config, done, context};
  // Beside the threads of the pool, because it may take seconds.
  sli_thread_pool_submit_blocking(worker->env->pool, import_run, import);
}

static const sli_worker_client_vtable_t local_vtable = {
    .get_status = local_get_status,
    .compare_clusters = local_compare_clusters,
    .create_session = local_create_session,
    .delete_session = local_delete_session,
    .register_graph = local_register_graph,
    .deregister_graph = local_deregister_graph,
    .run_graph = sli_worker_run_graph,
    .cleanup_graph = local_cleanup_graph,
    .cleanup_all = local_cleanup_all,
    .recv_tensor = sli_worker_recv_tensor,
    .complete_group = sli_worker_complete_group,
    .complete_instance = sli_worker_complete_instance,
    .get_step_sequence = sli_worker_get_step_sequence,
    .recv_buf = sli_worker_recv_buf,
    .describe_failure = local_describe_failure,
    .traffic = local_traffic,
    .memory = local_memory,
    .destroy = local_destroy,
};
