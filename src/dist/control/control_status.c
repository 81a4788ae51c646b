// What a task reports about itself: identity, process, sessions, resources, traffic. Collected on request; only
// counters are kept for it.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dist/client/device_attributes.h"
#include "dist/client/worker_cache.h"
#include "dist/control/control_internal.h"
#include "io/checkpoint/checkpoint_totals.h"

static char *copy_view(sli_arena_t *arena, sli_view_t text) { return sli_arena_strndup(arena, text.data, text.size); }
static char *copy(sli_arena_t *arena, const char *text) { return copy_view(arena, sli_view(text)); }

// Makes room for one more pointer in a repeated field. The array is in the arena and doubles each time.
static void *grow(sli_arena_t *arena, void *items, size_t count) {
  if (count & (count + 1)) return items;  // it has room for 1, 3, 7, 15 …
  void **grown = sli_arena_allocate(arena, (2 * count + 1) * sizeof(void *));
  if (count) memcpy(grown, items, count * sizeof(void *));
  return grown;
}
#define APPEND(arena, message, field, item)                                                   \
  do {                                                                                        \
    (message)->field = (void *)grow((arena), (void *)(message)->field, (message)->n_##field); \
    (message)->field[(message)->n_##field++] = (item);                                        \
  } while (0)

// ---- Identity --------------------------------------------------------------------

void sli_control_fill_hello(sli_control_t *control, sli_arena_t *arena, Sluice__HelloResponse *out_hello) {
  static const char *const features[] = {"job-done", "model-ready", "status", "quorum", "end-input",
                                         "chief",    "ping",        "trace",  "backup"};
  sluice__hello_response__init(out_hello);
  sli_env_t *env = control->options.env;
  out_hello->version = copy(arena, SLUICE_VERSION);
  out_hello->task = copy(arena, sli_control_task_name(control));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(features); i++)
    APPEND(arena, out_hello, features, copy(arena, features[i]));
  out_hello->wall_micros = sli_env_wall_micros(env);
  out_hello->incarnation = sli_control_incarnation(control);
}

static void fill_cluster(sli_control_t *control, sli_arena_t *arena, Sluice__StatusResponse *out) {
  const sli_cluster_t *cluster = control->options.cluster;
  for (size_t i = 0; i < cluster->tasks.count; i++) {
    const sli_cluster_task_t *task = &cluster->tasks.items[i];
    Sluice__TaskAddress *entry = sli_arena_allocate(arena, sizeof(*entry));
    sluice__task_address__init(entry);
    entry->job = copy(arena, task->job);
    entry->index = task->index;
    char *address = sli_control_address(control, i);
    entry->address = copy(arena, address);
    free(address);
    APPEND(arena, out, task, entry);
  }
}

// ---- The process -----------------------------------------------------------------

static void fill_process(Sluice__StatusResponse *out) {
  char text[4096];
  FILE *file = fopen("/proc/self/status", "re");
  while (file && fgets(text, sizeof(text), file)) {
    long long number;
    if (sscanf(text, "VmRSS: %lld kB", &number) == 1) out->memory_bytes = number * 1024;
    if (sscanf(text, "Threads: %lld", &number) == 1) out->thread_count = number;
  }
  if (file) fclose(file);
}

// ---- Sessions --------------------------------------------------------------------

// |handle| is in the arena.
static Sluice__SessionStatus *add_session(sli_arena_t *arena, char *handle, Sluice__StatusResponse *out) {
  Sluice__SessionStatus *entry = sli_arena_allocate(arena, sizeof(*entry));
  sluice__session_status__init(entry);
  entry->handle = handle;
  APPEND(arena, out, session, entry);
  return entry;
}

static void fill_master_sessions(const sli_control_options_t *options, sli_arena_t *arena,
                                 Sluice__StatusResponse *out) {
  sli_master_session_info_t *sessions;
  size_t count = sli_master_describe_sessions(options->master, arena, &sessions);
  for (size_t i = 0; i < count; i++) {
    Sluice__SessionStatus *entry = add_session(arena, sessions[i].handle, out);
    entry->is_master = true;
    entry->master_task = copy(arena, sli_cluster_self(options->cluster)->task_name);
    entry->age_micros = sessions[i].age_nanos / 1000;
    entry->idle_micros = sessions[i].idle_nanos / 1000;
    entry->steps = sessions[i].steps;
    entry->running_steps = sessions[i].running_steps;
  }
}

// The worker's share of sessions whose master is another task.
static void fill_worker_sessions(const sli_control_options_t *options, sli_arena_t *arena,
                                 Sluice__StatusResponse *out) {
  sli_worker_load_t load = sli_worker_load(options->worker);
  out->steps = load.steps;
  out->running_steps = load.running_steps;
  sli_worker_session_info_t *sessions;
  size_t count = sli_worker_describe_sessions(options->worker, arena, &sessions);
  for (size_t i = 0; i < count; i++) {
    if (!strcmp(sessions[i].master_task, sli_cluster_self(options->cluster)->task_name)) continue;
    Sluice__SessionStatus *entry = add_session(arena, sessions[i].handle, out);
    entry->master_task = sessions[i].master_task;
    entry->age_micros = sessions[i].age_nanos / 1000;
    entry->idle_micros = sessions[i].idle_nanos / 1000;
    entry->steps = sessions[i].steps;
  }
}

// ---- Resources -------------------------------------------------------------------

typedef struct {
  sli_arena_t *arena;
  Sluice__StatusResponse *out;
  const Sluice__QuorumRequest *quorum;  // what to do, and with which accumulators
  Sluice__QuorumResponse *quorum_out;
  sli_view_t container;  // of |quorum|
  sli_map_t callers;     // name or address → Sluice__PeerStatus
} collection_t;

static Sluice__AccumulatorStatus *accumulator_status(sli_arena_t *arena, sli_view_t container, sli_view_t name,
                                                     const sli_resource_info_t *info) {
  Sluice__AccumulatorStatus *entry = sli_arena_allocate(arena, sizeof(*entry));
  sluice__accumulator_status__init(entry);
  entry->container = copy_view(arena, container);
  entry->name = copy_view(arena, name);
  entry->accumulated = info->accumulated;
  entry->required = info->required;
  entry->quorum = info->quorum;
  entry->global_step = info->global_step;
  entry->accepted = info->accepted;
  entry->stale = info->stale;
  return entry;
}

static void add_variable(collection_t *to, sli_view_t container, sli_view_t name, const sli_resource_info_t *info) {
  Sluice__VariableStatus *entry = sli_arena_allocate(to->arena, sizeof(*entry));
  sluice__variable_status__init(entry);
  entry->container = copy_view(to->arena, container);
  entry->name = copy_view(to->arena, name);
  entry->dtype = (int32_t)info->dtype;
  entry->initialized = info->is_initialized;
  entry->unknown_rank = info->rank < 0;
  entry->bytes = info->bytes;
  if (info->rank > 0) {
    entry->n_dim = (size_t)info->rank;
    entry->dim = sli_arena_allocate(to->arena, entry->n_dim * sizeof(*entry->dim));
    memcpy(entry->dim, info->dims, entry->n_dim * sizeof(*entry->dim));
  }
  APPEND(to->arena, to->out, variable, entry);
  if (!info->has_count || !sli_view_is(name, "global_step")) return;
  to->out->has_global_step = true;
  to->out->global_step = info->count;
}

static void add_queue(collection_t *to, sli_view_t container, sli_view_t name, const sli_resource_info_t *info) {
  Sluice__QueueStatus *entry = sli_arena_allocate(to->arena, sizeof(*entry));
  sluice__queue_status__init(entry);
  entry->container = copy_view(to->arena, container);
  entry->name = copy_view(to->arena, name);
  entry->kind = copy(to->arena, info->queue_kind);
  entry->size = info->size;
  entry->capacity = info->capacity;
  entry->closed = info->is_closed;
  entry->waiting_enqueues = info->waiting_enqueues;
  entry->waiting_dequeues = info->waiting_dequeues;
  APPEND(to->arena, to->out, queue, entry);
}

static void add_resource(void *context, sli_view_t container, sli_view_t name, sli_object_t *object) {
  collection_t *to = context;
  if (!object->type->watch) return;
  sli_resource_info_t info = {0};
  object->type->watch->describe(object, &info);
  switch (info.kind) {
    case SLI_RESOURCE_VARIABLE: add_variable(to, container, name, &info); break;
    case SLI_RESOURCE_QUEUE: add_queue(to, container, name, &info); break;
    case SLI_RESOURCE_ACCUMULATOR:
      APPEND(to->arena, to->out, accumulator, accumulator_status(to->arena, container, name, &info));
      break;
  }
}

static void apply_quorum(void *context, sli_view_t container, sli_view_t name, sli_object_t *object) {
  collection_t *to = context;
  const sli_resource_watch_t *watch = object->type->watch;
  if (!watch || !watch->set_quorum || !sli_view_equal(container, to->container) ||
      (*to->quorum->name && !sli_view_is(name, to->quorum->name)))
    return;
  if (to->quorum->set) watch->set_quorum(object, to->quorum->quorum);
  sli_resource_info_t info = {0};
  watch->describe(object, &info);
  APPEND(to->arena, to->quorum_out, accumulator, accumulator_status(to->arena, container, name, &info));
}

void sli_control_fill_quorum(sli_control_t *control, const Sluice__QuorumRequest *request, sli_arena_t *arena,
                             Sluice__QuorumResponse *out_response) {
  sluice__quorum_response__init(out_response);
  collection_t to = {.arena = arena,
                     .quorum = request,
                     .quorum_out = out_response,
                     .container = sli_view(*request->container ? request->container : SLI_WORKER_CONTAINER)};
  sli_resource_for_each(sli_worker_resources(control->options.worker), apply_quorum, &to);
}

// ---- Steps and checkpoints ---------------------------------------------------------

static void add_tally(sli_arena_t *arena, const char *name, const sli_tally_t *tally, Sluice__StatusResponse *out) {
  Sluice__TallyStatus *entry = sli_arena_allocate(arena, sizeof(*entry));
  sluice__tally_status__init(entry);
  entry->name = copy(arena, name);
  entry->micros = tally->nanos / 1000;
  entry->bytes = tally->bytes;
  entry->n_bucket = SLI_ARRAY_COUNT_OF(tally->buckets);
  entry->bucket = sli_arena_calloc(arena, entry->n_bucket, sizeof(*entry->bucket));
  for (size_t i = 0; i < entry->n_bucket; i++) entry->bucket[i] = tally->buckets[i];
  entry->n_error = SLI_ARRAY_COUNT_OF(tally->errors);
  entry->error = sli_arena_calloc(arena, entry->n_error, sizeof(*entry->error));
  for (size_t i = 0; i < entry->n_error; i++) entry->error[i] = tally->errors[i];
  APPEND(arena, out, tally, entry);
}

static void fill_tallies(const sli_control_options_t *options, sli_arena_t *arena, Sluice__StatusResponse *out) {
  add_tally(arena, "step", sli_worker_tally(options->worker), out);
  add_tally(arena, "session_step", sli_master_tally(options->master), out);
  add_tally(arena, "save", &sli_checkpoint_saves, out);
  add_tally(arena, "restore", &sli_checkpoint_restores, out);
}

static void fill_placement(const sli_control_options_t *options, sli_arena_t *arena, Sluice__StatusResponse *out) {
  sli_worker_placement_t placement;
  sli_worker_describe_placement(options->worker, arena, &placement);
  out->placement = sli_arena_allocate(arena, sizeof(*out->placement));
  sluice__placement_status__init(out->placement);
  out->placement->nodes = placement.nodes;
  for (size_t i = 0; i < placement.edge_count; i++) {
    Sluice__PlacementEdge *entry = sli_arena_allocate(arena, sizeof(*entry));
    sluice__placement_edge__init(entry);
    entry->task = copy(arena, placement.edges[i].task);
    entry->tensors = placement.edges[i].tensors;
    APPEND(arena, out->placement, edge, entry);
  }
}

// ---- Traffic ---------------------------------------------------------------------

static Sluice__PeerStatus *add_peer(sli_arena_t *arena, const char *name, const char *address,
                                    Sluice__StatusResponse *out) {
  Sluice__PeerStatus *entry = sli_arena_allocate(arena, sizeof(*entry));
  sluice__peer_status__init(entry);
  entry->name = copy(arena, name);
  entry->address = copy(arena, address);
  APPEND(arena, out, peer, entry);
  return entry;
}

static void add_traffic(Sluice__PeerStatus *entry, const sli_rpc_traffic_t *traffic) {
  entry->calls += (int64_t)traffic->calls;
  entry->bytes_sent += (int64_t)traffic->bytes_sent;
  entry->bytes_received += (int64_t)traffic->bytes_received;
  entry->waiting += (int64_t)traffic->waiting;
}

static void add_called(void *context, sli_worker_client_t *client, const char *address) {
  collection_t *to = context;
  sli_rpc_traffic_t traffic = client->vtable->traffic(client);
  add_traffic(add_peer(to->arena, client->task_name, address, to->out), &traffic);
}

// Adds up the connections of one peer, which is identified by its name, or by its host if it has none.
static void add_caller(void *context, const char *peer, const char *name, const sli_rpc_traffic_t *traffic) {
  collection_t *to = context;
  const char *host = strchr(peer, ':');
  host = host ? host + 1 : peer;
  const char *port = strrchr(host, ':');
  char *address = sli_strndup(host, *name || !port ? strlen(host) : (size_t)(port - host));
  char *key = sli_format("%s\n%s", name, *name ? "" : address);
  Sluice__PeerStatus *entry = sli_map_get(&to->callers, sli_view(key));
  if (!entry) {
    entry = add_peer(to->arena, name, address, to->out);
    entry->is_incoming = true;
    sli_map_set(&to->callers, sli_view(key), entry);
  }
  free(key);
  add_traffic(entry, traffic);
  free(address);
}

void sli_control_fill_status(sli_control_t *control, sli_arena_t *arena, Sluice__StatusResponse *out_status) {
  const sli_control_options_t *options = &control->options;
  sluice__status_response__init(out_status);
  out_status->hello = sli_arena_allocate(arena, sizeof(*out_status->hello));
  sli_control_fill_hello(control, arena, out_status->hello);
  fill_cluster(control, arena, out_status);
  out_status->uptime_micros = (options->env->now(options->env) - control->started_at) / 1000;
  fill_process(out_status);
  out_status->job_done = sli_control_is_done(control);
  sli_mutex_lock(&control->mutex);
  out_status->model_ready = control->is_model_ready;
  sli_mutex_unlock(&control->mutex);
  sli_device_attributes_fill_status(sli_worker_devices(options->worker), arena, out_status);
  fill_master_sessions(options, arena, out_status);
  fill_worker_sessions(options, arena, out_status);
  fill_tallies(options, arena, out_status);
  fill_placement(options, arena, out_status);
  sli_control_fill_scalars(control, arena, out_status);
  collection_t to = {.arena = arena, .out = out_status};
  sli_resource_for_each(sli_worker_resources(options->worker), add_resource, &to);
  sli_worker_cache_for_each(options->cache, add_called, &to);
  for (size_t i = 0; i < control->server_count; i++) {
    sli_rpc_server_for_each_peer(control->servers[i], add_caller, &to);
    sli_rpc_server_for_each_past(control->servers[i], add_caller, &to);
  }
  sli_map_deinitialize(&to.callers);
}
