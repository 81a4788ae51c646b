// Collective ops of a task: what members on other tasks request of it, and its own calls to them.
#include <stdlib.h>

#include "base/process.h"
#include "dist/worker/worker_internal.h"
#include "proto/config.fields.h"
#include "proto/wire.h"

enum {
  PROBE_MILLIS = 5000,
  LEADER_MILLIS = 8000,  // how long the leader may take to start
};

// ---- Calls to other tasks --------------------------------------------------------

static sli_status_t *find_client(sli_worker_t *worker, const char *task, sli_worker_client_t **out_client) {
  *out_client = NULL;
  if (!worker->shared.cache)
    return sli_status_make(SLI_FAILED_PRECONDITION, "%s cannot reach other tasks, such as %s", worker->task_name, task);
  return sli_worker_cache_get(worker->shared.cache, sli_view(task), out_client);
}

static const char *peer_task(void *context, size_t index) {
  const sli_worker_t *worker = context;
  return index < worker->cluster->tasks.count ? worker->cluster->tasks.items[index].task_name : NULL;
}

static void peer_complete_group(void *context, const char *leader, const sli_collective_group_request_t *request,
                                sli_cancellation_t *cancellation, sli_collective_group_done_t done,
                                void *done_context) {
  sli_worker_client_t *client;
  sli_status_t *status = find_client(context, leader, &client);
  if (status)
    done(done_context, status, NULL);
  else
    client->vtable->complete_group(client, request, cancellation, done, done_context);
}

static void peer_complete_instance(void *context, const char *leader, const sli_collective_instance_request_t *request,
                                   sli_cancellation_t *cancellation, sli_collective_instance_done_t done,
                                   void *done_context) {
  sli_worker_client_t *client;
  sli_status_t *status = find_client(context, leader, &client);
  if (status)
    done(done_context, status, -1);
  else
    client->vtable->complete_instance(client, request, cancellation, done, done_context);
}

static void peer_receive(void *context, const char *task, const sli_collective_buffer_request_t *request,
                         sli_cancellation_t *cancellation, sli_collective_buffer_done_t done, void *done_context) {
  sli_worker_client_t *client;
  sli_status_t *status = find_client(context, task, &client);
  if (status)
    done(done_context, status, NULL);
  else
    client->vtable->recv_buf(client, request, cancellation, done, done_context);
}

static sli_lend_mapping_t *peer_memory(void *context, const char *task) {
  sli_worker_client_t *client;
  sli_status_t *status = find_client(context, task, &client);
  sli_lend_mapping_t *memory = status ? NULL : client->vtable->memory(client);
  sli_status_release(status);
  return memory;
}

typedef struct {
  sli_worker_t *worker;
  sli_collective_probe_done_t done;
  void *context;
  char *task;
  bool waits;
} probe_t;

static void probe_done(void *context, sli_status_t *status, const sli_device_set_entry_t *devices, size_t count) {
  probe_t probe = *(probe_t *)context;
  free(context);
  sli_collective_member_t *members = sli_calloc(count + 1, sizeof(*members));
  for (size_t i = 0; i < count; i++)
    members[i] = (sli_collective_member_t){.device = devices[i].name, .incarnation = devices[i].incarnation};
  // A task that was given time to start and did not.
  if (probe.waits && sli_status_code(status) == SLI_DEADLINE_EXCEEDED) {
    sli_status_release(status);
    status = sli_status_make(SLI_UNAVAILABLE, "%s cannot be reached", probe.task);
  }
  probe.done(probe.context, status, members, status ? 0 : count);
  free(members);
  free(probe.task);
  sli_worker_end_call(probe.worker);
}

static void peer_probe(void *context, const char *task, bool waits, sli_cancellation_t *cancellation,
                       sli_collective_probe_done_t done, void *done_context) {
  sli_worker_t *worker = context;
  sli_worker_client_t *client = NULL;
  sli_status_t *status = sli_worker_begin_call(worker);
  if (!status) {
    status = find_client(worker, task, &client);
    if (status) sli_worker_end_call(worker);
  }
  if (status) {
    done(done_context, status, NULL, 0);
    return;
  }
  probe_t *probe = sli_malloc(sizeof(*probe));
  *probe = (probe_t){worker, done, done_context, sli_strdup(task), waits};
  int64_t deadline = sli_env_deadline_after_millis(worker->env, waits ? LEADER_MILLIS : PROBE_MILLIS);
  client->vtable->get_status(client, deadline, waits, cancellation, probe_done, probe);
}

void sli_worker_create_collectives(sli_worker_t *worker) {
  sli_collective_peers_t peers = {.context = worker,
                                  .task = peer_task,
                                  .complete_group = peer_complete_group,
                                  .complete_instance = peer_complete_instance,
                                  .receive = peer_receive,
                                  .memory = peer_memory,
                                  .host = sli_process_host(),
                                  .probe = peer_probe};
  worker->collectives = sli_collective_engine_create(worker->env, worker->env->pool, worker->task_name, &peers);
}

// ---- The leader ------------------------------------------------------------------

// ConfigProto.experimental.collective_group_leader; empty if it is not set.
static sli_view_t configured_leader(sli_view_t config) {
  sli_view_t leader = {0};
  sli_wire_reader_t reader = sli_wire_reader(config);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_CONFIG_PROTO_EXPERIMENTAL || field.type != SLI_WIRE_BYTES) continue;
    sli_wire_reader_t inner = sli_wire_reader(field.bytes);
    for (sli_wire_field_t part; sli_wire_next(&inner, &part);)
      if (part.number == SLI_FIELD_CONFIG_PROTO_EXPERIMENTAL_COLLECTIVE_GROUP_LEADER && part.type == SLI_WIRE_BYTES)
        leader = part.bytes;
  }
  return leader;
}

static const char *first_task(const sli_cluster_t *cluster, const char *job) {
  for (size_t i = 0; i < cluster->tasks.count; i++)
    if (!strcmp(cluster->tasks.items[i].job, job)) return cluster->tasks.items[i].task_name;
  return NULL;
}

char *sli_worker_group_leader(const sli_worker_t *worker, sli_view_t config) {
  const sli_cluster_t *cluster = worker->cluster;
  sli_view_t leader = configured_leader(sli_view_of(cluster->default_config.data, cluster->default_config.size));
  if (!leader.size) leader = configured_leader(config);
  if (leader.size) return sli_strndup(leader.data, leader.size);
  static const char *const jobs[] = {"chief", "master", "worker"};
  const char *task = NULL;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(jobs) && !task; i++) task = first_task(cluster, jobs[i]);
  return sli_strdup(task ? task : first_task(cluster, sli_cluster_self(cluster)->job));
}

sli_collective_t *sli_worker_bind_collectives(sli_worker_t *worker, sli_view_t config) {
  char *leader = sli_worker_group_leader(worker, config);
  sli_collective_t *collective = sli_collective_engine_bind(worker->collectives, leader);
  free(leader);
  return collective;
}

// ---- Calls from other tasks ------------------------------------------------------

void sli_worker_complete_group(sli_worker_client_t *self, const sli_collective_group_request_t *request,
                               sli_cancellation_t *cancellation, sli_collective_group_done_t done, void *context) {
  sli_collective_engine_complete_group(((sli_worker_t *)self)->collectives, request, cancellation, done, context);
}

void sli_worker_complete_instance(sli_worker_client_t *self, const sli_collective_instance_request_t *request,
                                  sli_cancellation_t *cancellation, sli_collective_instance_done_t done,
                                  void *context) {
  sli_collective_engine_complete_instance(((sli_worker_t *)self)->collectives, request, cancellation, done, context);
}

void sli_worker_recv_buf(sli_worker_client_t *self, const sli_collective_buffer_request_t *request,
                         sli_cancellation_t *cancellation, sli_collective_buffer_done_t done, void *context) {
  sli_worker_t *worker = (sli_worker_t *)self;
  const sli_device_set_entry_t *device = sli_worker_find_device(worker, sli_view(request->source_device));
  sli_status_t *status = NULL;
  if (!device)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "%s unknown device: this task is %s", request->source_device,
                             worker->task_name);
  else if (device->incarnation != request->incarnation)
    status = sli_status_make(
        SLI_FAILED_PRECONDITION,
        "RecvBuf expects a different device incarnation: %llu vs. %llu. Your worker job that contains the device "
        "(\"%s\") was probably restarted. Check your worker job for the reason why it was restarted.",
        (unsigned long long)request->incarnation, (unsigned long long)device->incarnation, device->name);
  if (status)
    done(context, status, NULL);
  else
    sli_collective_engine_serve(worker->collectives, request, cancellation, done, context);
}

// ---- Step sequences --------------------------------------------------------------

enum { STEP_ID_BITS = 56, MAX_SEQUENCES = 10000 };

static int64_t *find_sequence_locked(sli_worker_t *worker, int64_t graph_key) {
  return sli_map_get(&worker->step_sequences, sli_view_of((const char *)&graph_key, sizeof(graph_key)));
}

int64_t sli_worker_next_step(sli_worker_t *worker, int64_t graph_key) {
  sli_mutex_lock(&worker->mutex);
  const int64_t *next = find_sequence_locked(worker, graph_key);
  int64_t id = next ? *next : 0;
  sli_mutex_unlock(&worker->mutex);
  return id;
}

void sli_worker_set_next_step(sli_worker_t *worker, int64_t graph_key, int64_t next) {
  sli_mutex_lock(&worker->mutex);
  int64_t *sequence = find_sequence_locked(worker, graph_key);
  if (!sequence && worker->step_sequences.count < MAX_SEQUENCES) {
    sequence = sli_calloc(1, sizeof(*sequence));
    sli_map_set(&worker->step_sequences, sli_view_of((const char *)&graph_key, sizeof(graph_key)), sequence);
  }
  if (sequence) *sequence = next;
  sli_mutex_unlock(&worker->mutex);
}

// Only the leader is asked.
void sli_worker_get_step_sequence(sli_worker_client_t *self, int64_t graph_key, int64_t deadline,
                                  sli_cancellation_t *cancellation, sli_worker_client_step_sequence_done_t done,
                                  void *context) {
  sli_worker_t *worker = (sli_worker_t *)self;
  int64_t next = sli_worker_next_step(worker, graph_key);
  if (!next) {
    next = (int64_t)(worker->env->random(worker->env) >> (64 - STEP_ID_BITS)) | 1;
    sli_worker_set_next_step(worker, graph_key, next);
  }
  done(context, NULL, next);
}
