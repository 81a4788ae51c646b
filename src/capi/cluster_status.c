// sl_cluster_status: the reply of sluice.Control as plain structs. They are, with all
// that they point to, in one arena, which is freed with the status.
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "capi/capi.h"
#include "core/step/device.h"
#include "dist/client/control_client.h"
#include "sluice/cluster.h"

typedef struct {
  sl_task_status_t status;  // first, because the caller gets its address
  sli_arena_t arena;
} holder_t;

static const char *text(holder_t *holder, const char *from) {
  return sli_arena_strndup(&holder->arena, from, strlen(from));
}

static double per_second(int64_t before, int64_t now, double seconds) {
  return seconds > 0 && now > before ? (double)(now - before) / seconds : 0;
}

// ---- The lists -------------------------------------------------------------------

static void copy_tasks(holder_t *holder, const Sluice__StatusResponse *from) {
  sl_task_address_t *to = sli_arena_calloc(&holder->arena, from->n_task, sizeof(*to));
  for (size_t i = 0; i < from->n_task; i++)
    to[i] = (sl_task_address_t){text(holder, from->task[i]->job), from->task[i]->index,
                                text(holder, from->task[i]->address)};
  holder->status.tasks = to;
  holder->status.task_count = from->n_task;
}

static void copy_devices(holder_t *holder, const Sluice__StatusResponse *from) {
  sl_device_status_t *to = sli_arena_calloc(&holder->arena, from->n_device, sizeof(*to));
  for (size_t i = 0; i < from->n_device; i++)
    to[i] = (sl_device_status_t){text(holder, from->device[i]->name), text(holder, from->device[i]->type),
                                 from->device[i]->incarnation, from->device[i]->memory_limit};
  holder->status.devices = to;
  holder->status.device_count = from->n_device;
}

static int64_t session_steps(const Sluice__StatusResponse *from, const char *handle) {
  for (size_t i = 0; from && i < from->n_session; i++)
    if (!strcmp(from->session[i]->handle, handle)) return from->session[i]->steps;
  return 0;
}

static void copy_sessions(holder_t *holder, const Sluice__StatusResponse *from, const Sluice__StatusResponse *before,
                          double seconds) {
  sl_session_status_t *to = sli_arena_calloc(&holder->arena, from->n_session, sizeof(*to));
  for (size_t i = 0; i < from->n_session; i++) {
    const Sluice__SessionStatus *session = from->session[i];
    to[i] = (sl_session_status_t){
        .handle = text(holder, session->handle),
        .is_master = session->is_master,
        .master_task = text(holder, session->master_task),
        .age = (double)session->age_micros / 1e6,
        .idle = (double)session->idle_micros / 1e6,
        .steps = session->steps,
        .running_steps = session->running_steps,
        .steps_per_second = per_second(session_steps(before, session->handle), session->steps, seconds)};
  }
  holder->status.sessions = to;
  holder->status.session_count = from->n_session;
}

static void copy_variables(holder_t *holder, const Sluice__StatusResponse *from) {
  sl_variable_status_t *to = sli_arena_calloc(&holder->arena, from->n_variable, sizeof(*to));
  for (size_t i = 0; i < from->n_variable; i++) {
    const Sluice__VariableStatus *variable = from->variable[i];
    int64_t *dims = sli_arena_calloc(&holder->arena, variable->n_dim, sizeof(*dims));
    for (size_t d = 0; d < variable->n_dim; d++) dims[d] = variable->dim[d];
    to[i] = (sl_variable_status_t){.container = text(holder, variable->container),
                                   .name = text(holder, variable->name),
                                   .dtype = (TF_DataType)variable->dtype,
                                   .is_initialized = variable->initialized,
                                   .rank = variable->unknown_rank ? -1 : (int)variable->n_dim,
                                   .dims = dims,
                                   .bytes = variable->bytes};
  }
  holder->status.variables = to;
  holder->status.variable_count = from->n_variable;
}

static void copy_queues(holder_t *holder, const Sluice__StatusResponse *from) {
  sl_queue_status_t *to = sli_arena_calloc(&holder->arena, from->n_queue, sizeof(*to));
  for (size_t i = 0; i < from->n_queue; i++) {
    const Sluice__QueueStatus *queue = from->queue[i];
    to[i] = (sl_queue_status_t){.container = text(holder, queue->container),
                                .name = text(holder, queue->name),
                                .kind = text(holder, queue->kind),
                                .size = queue->size,
                                .capacity = queue->capacity,
                                .is_closed = queue->closed,
                                .waiting_enqueues = queue->waiting_enqueues,
                                .waiting_dequeues = queue->waiting_dequeues};
  }
  holder->status.queues = to;
  holder->status.queue_count = from->n_queue;
}

static void copy_accumulators(holder_t *holder, const Sluice__StatusResponse *from) {
  sl_accumulator_status_t *to = sli_arena_calloc(&holder->arena, from->n_accumulator, sizeof(*to));
  for (size_t i = 0; i < from->n_accumulator; i++) {
    const Sluice__AccumulatorStatus *accumulator = from->accumulator[i];
    to[i] = (sl_accumulator_status_t){.container = text(holder, accumulator->container),
                                      .name = text(holder, accumulator->name),
                                      .accumulated = accumulator->accumulated,
                                      .required = accumulator->required,
                                      .quorum = accumulator->quorum,
                                      .global_step = accumulator->global_step,
                                      .accepted = accumulator->accepted,
                                      .stale = accumulator->stale};
  }
  holder->status.accumulators = to;
  holder->status.accumulator_count = from->n_accumulator;
}

static const Sluice__PeerStatus *find_peer(const Sluice__StatusResponse *from, const Sluice__PeerStatus *like) {
  for (size_t i = 0; from && i < from->n_peer; i++) {
    const Sluice__PeerStatus *peer = from->peer[i];
    if (peer->is_incoming == like->is_incoming && !strcmp(peer->name, like->name) &&
        !strcmp(peer->address, like->address))
      return peer;
  }
  return NULL;
}

static void copy_peers(holder_t *holder, const Sluice__StatusResponse *from, const Sluice__StatusResponse *before,
                       double seconds) {
  sl_peer_status_t *to = sli_arena_calloc(&holder->arena, from->n_peer, sizeof(*to));
  for (size_t i = 0; i < from->n_peer; i++) {
    static const Sluice__PeerStatus none = SLUICE__PEER_STATUS__INIT;
    const Sluice__PeerStatus *peer = from->peer[i], *old = find_peer(before, peer);
    if (!old) old = &none;
    to[i] = (sl_peer_status_t){.name = text(holder, peer->name),
                               .address = text(holder, peer->address),
                               .is_incoming = peer->is_incoming,
                               .calls = peer->calls,
                               .bytes_sent = peer->bytes_sent,
                               .bytes_received = peer->bytes_received,
                               .calls_per_second = per_second(old->calls, peer->calls, seconds),
                               .sent_per_second = per_second(old->bytes_sent, peer->bytes_sent, seconds),
                               .received_per_second = per_second(old->bytes_received, peer->bytes_received, seconds),
                               .waiting = peer->waiting};
  }
  holder->status.peers = to;
  holder->status.peer_count = from->n_peer;
}

static void copy_tallies(holder_t *holder, const Sluice__StatusResponse *from) {
  sl_tally_status_t *to = sli_arena_calloc(&holder->arena, from->n_tally, sizeof(*to));
  for (size_t i = 0; i < from->n_tally; i++) {
    const Sluice__TallyStatus *tally = from->tally[i];
    int64_t *errors = sli_arena_calloc(&holder->arena, tally->n_error, sizeof(*errors)), count = 0;
    for (size_t e = 0; e < tally->n_error; e++) errors[e] = tally->error[e];
    for (size_t b = 0; b < tally->n_bucket; b++) count += tally->bucket[b];
    to[i] = (sl_tally_status_t){.name = text(holder, tally->name),
                                .count = count,
                                .seconds = (double)tally->micros / 1e6,
                                .bytes = tally->bytes,
                                .errors = errors,
                                .error_count = tally->n_error};
  }
  holder->status.tallies = to;
  holder->status.tally_count = from->n_tally;
}

static void copy_scalars(holder_t *holder, const Sluice__StatusResponse *from) {
  sl_scalar_status_t *to = sli_arena_calloc(&holder->arena, from->n_scalar, sizeof(*to));
  for (size_t i = 0; i < from->n_scalar; i++) {
    const Sluice__ScalarStatus *scalar = from->scalar[i];
    size_t count = scalar->n_step;  // a peer may send lists of other sizes
    if (scalar->n_value < count) count = scalar->n_value;
    if (scalar->n_wall_micros < count) count = scalar->n_wall_micros;
    int64_t *steps = sli_arena_calloc(&holder->arena, count, sizeof(*steps));
    double *values = sli_arena_calloc(&holder->arena, count, sizeof(*values));
    double *times = sli_arena_calloc(&holder->arena, count, sizeof(*times));
    for (size_t p = 0; p < count; p++) {
      steps[p] = scalar->step[p];
      values[p] = scalar->value[p];
      times[p] = (double)scalar->wall_micros[p] / 1e6;
    }
    to[i] = (sl_scalar_status_t){text(holder, scalar->tag), steps, values, times, count};
  }
  holder->status.scalars = to;
  holder->status.scalar_count = from->n_scalar;
}

static void copy_placement(holder_t *holder, const Sluice__PlacementStatus *from) {
  if (!from) return;
  sl_placement_edge_t *to = sli_arena_calloc(&holder->arena, from->n_edge, sizeof(*to));
  for (size_t i = 0; i < from->n_edge; i++)
    to[i] = (sl_placement_edge_t){text(holder, from->edge[i]->task), from->edge[i]->tensors};
  holder->status.graph_nodes = from->nodes;
  holder->status.edges = to;
  holder->status.edge_count = from->n_edge;
}

// ---- The whole -------------------------------------------------------------------

static void copy_identity(holder_t *holder, const char *target, const Sluice__HelloResponse *hello) {
  sl_task_status_t *to = &holder->status;
  to->address = text(holder, sli_string_starts_with(target, "grpc://") ? target + strlen("grpc://") : target);
  to->task = text(holder, hello->task);
  to->job = "";
  sli_device_name_t name;
  if (sli_device_name_parse(sli_view(hello->task), &name) && name.has_job && name.has_task) {
    to->job = sli_arena_strndup(&holder->arena, name.job.data, name.job.size);
    to->index = name.task;
  }
  to->is_sluice = *hello->version != '\0';
  to->version = text(holder, hello->version);
  to->incarnation = hello->incarnation;
  const char **features = sli_arena_calloc(&holder->arena, hello->n_features, sizeof(*features));
  for (size_t i = 0; i < hello->n_features; i++) features[i] = text(holder, hello->features[i]);
  to->features = features;
  to->feature_count = hello->n_features;
}

static sl_task_status_t *convert(const char *target, const Sluice__StatusResponse *from,
                                 const Sluice__StatusResponse *before, double seconds) {
  holder_t *holder = sli_calloc(1, sizeof(*holder));
  sl_task_status_t *to = &holder->status;
  copy_identity(holder, target, from->hello);
  to->uptime = (double)from->uptime_micros / 1e6;
  to->wall_micros = from->hello->wall_micros;
  to->memory_bytes = from->memory_bytes;
  to->thread_count = (int)from->thread_count;
  to->is_job_done = from->job_done;
  to->is_model_ready = from->model_ready;
  to->steps = from->steps;
  to->running_steps = from->running_steps;
  if (before) to->steps_per_second = per_second(before->steps, from->steps, seconds);
  to->global_step = from->has_global_step ? from->global_step : -1;
  if (before && before->has_global_step && from->has_global_step)
    to->global_steps_per_second = per_second(before->global_step, from->global_step, seconds);
  copy_tasks(holder, from);
  copy_devices(holder, from);
  copy_sessions(holder, from, before, seconds);
  copy_variables(holder, from);
  copy_queues(holder, from);
  copy_accumulators(holder, from);
  copy_peers(holder, from, before, seconds);
  copy_tallies(holder, from);
  copy_scalars(holder, from);
  copy_placement(holder, from->placement);
  return to;
}

sl_task_status_t *sl_cluster_status(const char *target, int64_t timeout_millis, int64_t interval_millis,
                                    TF_Status *status) {
  sli_arena_t arena = {0};
  Sluice__StatusResponse *first = NULL, *second = NULL;
  int64_t round_trip = 0, first_at = 0, second_at = 0;
  sli_status_t *error = sli_control_client_get_status(target, sli_clock_deadline_after_millis(timeout_millis), &arena,
                                                      &first, &round_trip);
  first_at = second_at = sli_clock_now_nanos();
  int64_t wall = sli_clock_wall_micros();
  if (!error && interval_millis > 0) {
    poll(NULL, 0, interval_millis > INT32_MAX ? INT32_MAX : (int)interval_millis);
    error = sli_control_client_get_status(target, sli_clock_deadline_after_millis(timeout_millis), &arena, &second,
                                          &round_trip);
    second_at = sli_clock_now_nanos();
    wall = sli_clock_wall_micros();
  }
  sl_task_status_t *result = NULL;
  if (!error) {
    double seconds = (double)(second_at - first_at) / 1e9;
    result = second ? convert(target, second, first, seconds) : convert(target, first, NULL, 0);
    result->round_trip = (double)round_trip / 1e9;
    // The reply was half a round trip old when it arrived.
    if (result->is_sluice) result->clock_skew = (double)(result->wall_micros - (wall - round_trip / 2000)) / 1e6;
  }
  sli_arena_deinitialize(&arena);
  sli_capi_set_status(status, error);
  return result;
}

void sl_task_status_free(sl_task_status_t *status) {
  if (!status) return;
  sli_arena_t arena = ((holder_t *)status)->arena;
  free(status);
  sli_arena_deinitialize(&arena);
}
