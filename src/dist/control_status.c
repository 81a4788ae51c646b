// What a task tells of itself: identity, process, sessions, resources, traffic.
// Collected when somebody asks; nothing is kept for it but counters.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dist/control_internal.h"
#include "dist/master_internal.h"
#include "dist/worker_cache.h"
#include "dist/worker_internal.h"

static char *copy_view(sli_arena_t *arena, sli_view_t text) { return sli_arena_strndup(arena, text.data, text.size); }
static char *copy(sli_arena_t *arena, const char *text) { return copy_view(arena, sli_view(text)); }

// A repeated field that grows: its pointers live in the arena, twice as many each time.
static void *grow(sli_arena_t *arena, void *items, size_t count) {
  if (count & (count + 1)) return items;  // room for 1, 3, 7, 15 …
  void **grown = sli_arena_allocate(arena, (2 * count + 1) * sizeof(void *));
  if (count) memcpy(grown, items, count * sizeof(void *));
  return grown;
}
#define APPEND(arena, message, field, item)                                                   \
  do {                                                                                        \
    (message)->field = (void *)grow((arena), (void *)(message)->field, (message)->n_##field); \
    (message)->field[(message)->n_##field++] = (item);                                        \
  } while (0)

// ---- Who -------------------------------------------------------------------------

void sli_control_fill_hello(sli_control_t *control, sli_arena_t *arena, Sluice__HelloResponse *out_hello) {
  static const char *const features[] = {"job-done", "model-ready", "status", "quorum", "ping"};
  sluice__hello_response__init(out_hello);
  sli_env_t *env = control->options.env;
  out_hello->version = copy(arena, SLUICE_VERSION);
  out_hello->task = copy(arena, sli_cluster_self(control->options.cluster)->task_name);
  for (size_t i = 0; i < SLI_COUNT_OF(features); i++) APPEND(arena, out_hello, features, copy(arena, features[i]));
  out_hello->wall_micros = env->wall_micros(env);
  out_hello->incarnation = sli_worker_devices(control->options.worker)->devices.items[0].incarnation;
}

static void fill_cluster(const sli_cluster_t *cluster, sli_arena_t *arena, Sluice__StatusResponse *out) {
  for (size_t i = 0; i < cluster->tasks.count; i++) {
    const sli_cluster_task_t *task = &cluster->tasks.items[i];
    Sluice__TaskAddress *entry = sli_arena_allocate(arena, sizeof(*entry));
    sluice__task_address__init(entry);
    entry->job = copy(arena, task->job);
    entry->index = task->index;
    entry->address = copy(arena, task->address);
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

void sli_control_fill_devices(const sli_device_set_t *set, sli_arena_t *arena, Sluice__StatusResponse *out) {
  for (size_t i = 0; i < set->devices.count; i++) {
    const sli_device_info_t *device = &set->devices.items[i];
    Sluice__DeviceStatus *entry = sli_arena_allocate(arena, sizeof(*entry));
    sluice__device_status__init(entry);
    entry->name = copy(arena, device->name);
    entry->type = copy(arena, device->type);
    entry->incarnation = device->incarnation;
    entry->memory_limit = device->memory_limit;
    APPEND(arena, out, device, entry);
  }
}

// ---- Sessions --------------------------------------------------------------------

static Sluice__SessionStatus *add_session(sli_arena_t *arena, sli_view_t handle, Sluice__StatusResponse *out) {
  Sluice__SessionStatus *entry = sli_arena_allocate(arena, sizeof(*entry));
  sluice__session_status__init(entry);
  entry->handle = copy_view(arena, handle);
  APPEND(arena, out, session, entry);
  return entry;
}

static void fill_master_sessions(sli_master_t *master, sli_arena_t *arena, Sluice__StatusResponse *out) {
  int64_t now = master->env->now(master->env);
  sli_mutex_lock(&master->mutex);
  SLI_MAP_FOR_EACH (&master->sessions, item) {
    sli_master_session_t *session = item->value;
    Sluice__SessionStatus *entry = add_session(arena, sli_view(session->handle), out);
    entry->is_master = true;
    entry->master_task = copy(arena, sli_cluster_self(master->cluster)->task_name);
    sli_mutex_lock(&session->mutex);
    entry->age_micros = (now - session->created_at) / 1000;
    entry->idle_micros = session->running.count ? 0 : (now - session->last_used) / 1000;
    entry->steps = session->steps;
    entry->running_steps = (int64_t)session->running.count;
    sli_mutex_unlock(&session->mutex);
  }
  sli_mutex_unlock(&master->mutex);
}

// The worker's share of sessions whose master is another task.
static void fill_worker_sessions(sli_worker_t *worker, sli_arena_t *arena, Sluice__StatusResponse *out) {
  int64_t now = worker->env->now(worker->env);
  sli_mutex_lock(&worker->mutex);
  out->steps = worker->step_count;
  out->running_steps = worker->running;
  SLI_MAP_FOR_EACH (&worker->sessions, item) {
    const sli_worker_session_t *session = item->value;
    if (!strcmp(session->master_task, worker->task_name)) continue;
    Sluice__SessionStatus *entry = add_session(arena, sli_view_of(item->key, item->key_size), out);
    entry->master_task = copy(arena, session->master_task);
    entry->age_micros = (now - session->created_at) / 1000;
    entry->idle_micros = (now - session->last_used) / 1000;
    entry->steps = session->steps;
  }
  sli_mutex_unlock(&worker->mutex);
}

// ---- Resources -------------------------------------------------------------------

typedef struct {
  sli_arena_t *arena;
  Sluice__StatusResponse *out;
  const Sluice__QuorumRequest *quorum;  // of which accumulators
  Sluice__QuorumResponse *quorum_out;
  sli_view_t container;  // of |quorum|
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
  sli_resource_for_each(control->options.worker->devices->resources, apply_quorum, &to);
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
}

static void add_called(void *context, sli_worker_client_t *client, const char *address) {
  collection_t *to = context;
  sli_rpc_traffic_t traffic = client->vtable->traffic(client);
  add_traffic(add_peer(to->arena, client->task_name, address, to->out), &traffic);
}

// Connections of one peer are one row: by its name, or by its host if it has none.
static void add_caller(void *context, const char *peer, const char *name, const sli_rpc_traffic_t *traffic) {
  collection_t *to = context;
  const char *host = strchr(peer, ':');
  host = host ? host + 1 : peer;
  const char *port = strrchr(host, ':');
  char *address = sli_strndup(host, *name || !port ? strlen(host) : (size_t)(port - host));
  Sluice__PeerStatus *entry = NULL;
  for (size_t i = 0; i < to->out->n_peer && !entry; i++) {
    Sluice__PeerStatus *other = to->out->peer[i];
    if (other->is_incoming && !strcmp(other->name, name) && (*name || !strcmp(other->address, address))) entry = other;
  }
  if (!entry) {
    entry = add_peer(to->arena, name, address, to->out);
    entry->is_incoming = true;
  }
  add_traffic(entry, traffic);
  free(address);
}

void sli_control_fill_status(sli_control_t *control, sli_arena_t *arena, Sluice__StatusResponse *out_status) {
  const sli_control_options_t *options = &control->options;
  sluice__status_response__init(out_status);
  out_status->hello = sli_arena_allocate(arena, sizeof(*out_status->hello));
  sli_control_fill_hello(control, arena, out_status->hello);
  fill_cluster(options->cluster, arena, out_status);
  out_status->uptime_micros = (options->env->now(options->env) - control->started_at) / 1000;
  fill_process(out_status);
  out_status->job_done = sli_control_is_done(control);
  sli_mutex_lock(&control->mutex);
  out_status->model_ready = control->is_model_ready;
  sli_mutex_unlock(&control->mutex);
  sli_control_fill_devices(sli_worker_devices(options->worker), arena, out_status);
  fill_master_sessions(options->master, arena, out_status);
  fill_worker_sessions(options->worker, arena, out_status);
  collection_t to = {.arena = arena, .out = out_status};
  sli_resource_for_each(options->worker->devices->resources, add_resource, &to);
  sli_worker_cache_for_each(options->cache, add_called, &to);
  for (size_t i = 0; i < SLI_COUNT_OF(control->servers); i++)
    if (control->servers[i]) sli_rpc_server_for_each_peer(control->servers[i], add_caller, &to);
}
