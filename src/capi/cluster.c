// sluice/cluster.h: the job, its members, and why a task cannot be reached.
// The status of a task is in cluster_status.c.
#include "sluice/cluster.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "capi/server_internal.h"
#include "dist/client/control_client.h"
#include "dist/client/probe.h"
#include "dist/control/control.h"
#include "proto/config.fields.h"
#include "proto/wire.h"

void sl_cluster_announce_done(TF_Server *server, TF_Status *status) {
  sli_task_server_announce_done(server->server);
  sli_capi_set_status(status, NULL);
}

bool sl_cluster_is_done(TF_Server *server) { return sli_task_server_is_job_done(server->server); }

void sl_cluster_join(TF_Server *server, int64_t grace_millis, TF_Status *status) {
  sli_capi_set_status(status, sli_task_server_join_job(server->server, grace_millis));
}

void sl_cluster_leave(TF_Server *server, int64_t grace_millis, TF_Status *status) {
  sli_capi_set_status(status, sli_task_server_leave(server->server, grace_millis));
}

// Appends device_count to the default configuration of a ServerDef: when messages are concatenated, the last value
// counts.
static void append_device_count(sli_string_t *server_def, const char *type, int count) {
  size_t config = sli_wire_open(server_def, SLI_FIELD_SERVER_DEF_DEFAULT_SESSION_CONFIG);
  size_t entry = sli_wire_open(server_def, SLI_FIELD_CONFIG_PROTO_DEVICE_COUNT);
  sli_wire_write_text(server_def, SLI_FIELD_CONFIG_PROTO_DEVICE_COUNT_ENTRY_KEY, type);
  sli_wire_write_int(server_def, SLI_FIELD_CONFIG_PROTO_DEVICE_COUNT_ENTRY_VALUE, count);
  sli_wire_close(server_def, entry);
  sli_wire_close(server_def, config);
}

static size_t positive(int64_t limit) { return limit > 0 ? (size_t)limit : 0; }

TF_Server *sl_cluster_new_server(const void *server_def, size_t size, const sl_cluster_server_options_t *options,
                                 TF_Status *status) {
  sli_task_server_options_t inner = {0};
  sl_cluster_server_options_t given = {0};
  if (options) {
    memcpy(&given, options, options->struct_size < sizeof(given) ? options->struct_size : sizeof(given));
    inner = (sli_task_server_options_t){
        .bind = given.bind,
        .wait_millis = given.wait_millis,
        .session_idle_millis = given.session_idle_millis,
        .max_sessions = given.max_sessions,
        .max_client_sessions = given.max_client_sessions,
        .max_early_receives = given.max_early_receives,
        .http = given.http,
        .max_graph_bytes = given.max_graph_bytes,
        .max_memory_bytes = given.max_memory_bytes,
        .rpc = {
            .max_connections = (uint32_t)positive(given.max_connections),
            // gRPC's frames have 32 bits for the size.
            .max_message_size = given.max_request_bytes < UINT32_MAX ? positive(given.max_request_bytes) : UINT32_MAX,
            .max_buffered_size = positive(given.max_connection_bytes),
            .max_server_buffered_size = positive(given.max_server_bytes),
            .max_unread_size = positive(given.max_unread_bytes)}};
  }
  if (!given.cpus && !given.gpus) return sli_capi_server_create(sli_view_of(server_def, size), &inner, status);
  sli_string_t definition = {0};
  sli_string_append(&definition, server_def, size);
  if (given.cpus) append_device_count(&definition, "CPU", given.cpus);
  if (given.gpus) append_device_count(&definition, "GPU", given.gpus < 0 ? 0 : given.gpus);
  TF_Server *server = sli_capi_server_create(sli_view_of(definition.data, definition.size), &inner, status);
  sli_string_deinitialize(&definition);
  return server;
}

void sl_cluster_report_scalar(TF_Server *server, const char *tag, int64_t step, double value) {
  sli_control_report_scalar(sli_task_server_control(server->server), tag, step, value);
}

void sl_cluster_set_model_ready(TF_Server *server, bool ready) {
  sli_task_server_set_model_ready(server->server, ready);
}

void sl_cluster_wait_model_ready(const char *chief, int64_t timeout_millis, TF_Status *status) {
  sli_capi_set_status(status,
                      sli_control_client_wait_model_ready(chief, sli_clock_deadline_after_millis(timeout_millis)));
}

// --- Members and quorum ------------------------------------------------------------

sl_members_t *sl_cluster_members(TF_Server *server, int64_t timeout_millis, TF_Status *status) {
  sli_control_member_t *found;
  size_t count = sli_control_ask_members(sli_task_server_control(server->server),
                                         sli_clock_deadline_after_millis(timeout_millis), &found);
  sl_members_t *members = sli_malloc(sizeof(*members));
  *members = (sl_members_t){sli_calloc(count, sizeof(sl_member_t)), count};
  for (size_t i = 0; i < count; i++)
    members->members[i] = (sl_member_t){.job = sli_strdup(found[i].task->job),
                                        .index = found[i].task->index,
                                        .address = sli_strdup(found[i].task->address),
                                        .is_up = found[i].is_up,
                                        .is_sluice = found[i].is_sluice,
                                        .incarnation = found[i].incarnation,
                                        .why = found[i].why ? found[i].why : sli_strdup("")};
  free(found);
  sli_capi_set_status(status, NULL);
  return members;
}

void sl_members_free(sl_members_t *members) {
  if (!members) return;
  for (size_t i = 0; i < members->count; i++) {
    free((char *)members->members[i].job);
    free((char *)members->members[i].address);
    free((char *)members->members[i].why);
  }
  free(members->members);
  free(members);
}

int sl_cluster_set_quorum(const char *target, const char *container, const char *name, int64_t quorum,
                          int64_t timeout_millis, TF_Status *status) {
  Sluice__QuorumRequest request = SLUICE__QUORUM_REQUEST__INIT;
  if (container) request.container = (char *)container;
  if (name) request.name = (char *)name;
  request.set = true;
  request.quorum = quorum;
  sli_arena_t arena = {0};
  Sluice__QuorumResponse *reply = NULL;
  sli_capi_set_status(
      status, sli_control_client_call(target, "Quorum", &request.base, &sluice__quorum_response__descriptor,
                                      sli_clock_deadline_after_millis(timeout_millis), &arena, (void **)&reply));
  int count = reply ? (int)reply->n_accumulator : 0;
  sli_arena_deinitialize(&arena);
  return count;
}

int sl_cluster_take_place(const char *target, const char *job, const int32_t *indices, size_t count,
                          int64_t timeout_millis, TF_Status *status) {
  Sluice__PlaceRequest request = SLUICE__PLACE_REQUEST__INIT;
  request.job = (char *)job;
  request.n_free = count;
  request.free = (int32_t *)indices;
  sli_arena_t arena = {0};
  Sluice__PlaceResponse *reply = NULL;
  sli_capi_set_status(
      status, sli_control_client_call(target, "Place", &request.base, &sluice__place_response__descriptor,
                                      sli_clock_deadline_after_millis(timeout_millis), &arena, (void **)&reply));
  int index = reply ? reply->index : -1;
  sli_arena_deinitialize(&arena);
  return index;
}

void sl_cluster_announce_address(TF_Server *server, int64_t timeout_millis) {
  sli_control_announce_address(sli_task_server_control(server->server),
                               sli_clock_deadline_after_millis(timeout_millis));
}

char *sl_cluster_task_address(TF_Server *server, const char *job, int index) {
  const sli_cluster_t *cluster = sli_task_server_cluster(server->server);
  for (size_t i = 0; i < cluster->tasks.count; i++)
    if (cluster->tasks.items[i].index == index && strcmp(cluster->tasks.items[i].job, job) == 0)
      return sli_control_address(sli_task_server_control(server->server), i);
  return NULL;
}

static Sluice__BackupResponse *call_backup(const char *target, Sluice__BackupRequest__Action action,
                                           const char *directory, int64_t step, int64_t timeout_millis,
                                           sli_arena_t *arena, TF_Status *status) {
  Sluice__BackupRequest request = SLUICE__BACKUP_REQUEST__INIT;
  request.action = action;
  request.directory = (char *)directory;
  request.step = step;
  Sluice__BackupResponse *reply = NULL;
  sli_capi_set_status(status,
                      sli_control_client_call(target, "Backup", &request.base, &sluice__backup_response__descriptor,
                                              sli_clock_deadline_after_millis(timeout_millis), arena, (void **)&reply));
  return reply;
}

bool sl_cluster_backup(const char *target, const char *directory, int64_t global_step, int64_t timeout_millis,
                       TF_Status *status) {
  sli_arena_t arena = {0};
  Sluice__BackupResponse *reply =
      call_backup(target, SLUICE__BACKUP_REQUEST__ACTION__CUT, directory, global_step, timeout_millis, &arena, status);
  bool is_cut = reply && reply->is_cut;
  sli_arena_deinitialize(&arena);
  return is_cut;
}

size_t sl_cluster_backups(const char *target, const char *directory, int64_t timeout_millis, int64_t **out_steps,
                          TF_Status *status) {
  sli_arena_t arena = {0};
  Sluice__BackupResponse *reply =
      call_backup(target, SLUICE__BACKUP_REQUEST__ACTION__LIST, directory, 0, timeout_millis, &arena, status);
  size_t count = reply ? reply->n_step : 0;
  *out_steps = count ? sli_memdup(reply->step, count * sizeof(**out_steps)) : NULL;
  sli_arena_deinitialize(&arena);
  return count;
}

void sl_cluster_restore_backup(const char *target, const char *directory, int64_t global_step, int64_t timeout_millis,
                               TF_Status *status) {
  sli_arena_t arena = {0};
  call_backup(target, SLUICE__BACKUP_REQUEST__ACTION__RESTORE, directory, global_step, timeout_millis, &arena, status);
  sli_arena_deinitialize(&arena);
}

int sl_cluster_end_input(const char *target, const char *task, bool interrupt, int64_t timeout_millis,
                         TF_Status *status) {
  Sluice__EndInputRequest request = SLUICE__END_INPUT_REQUEST__INIT;
  request.task = (char *)task;
  request.interrupt = interrupt;
  sli_arena_t arena = {0};
  Sluice__EndInputResponse *reply = NULL;
  sli_capi_set_status(
      status, sli_control_client_call(target, "EndInput", &request.base, &sluice__end_input_response__descriptor,
                                      sli_clock_deadline_after_millis(timeout_millis), &arena, (void **)&reply));
  int count = reply ? (int)reply->sessions : 0;
  sli_arena_deinitialize(&arena);
  return count;
}

// "/job:ps/task:0" of "/job:ps/replica:0/task:0", as users write it.
static void copy_short_name(const char *task, char *out_name, size_t size) {
  static const char replica[] = "/replica:0";
  const char *found = strstr(task, replica);
  snprintf(out_name, size, "%.*s%s", found ? (int)(found - task) : (int)strlen(task), task,
           found ? found + strlen(replica) : "");
}

bool sl_cluster_chief(TF_Server *server, const char *target, bool claim, bool is_first, double lost_secs,
                      int64_t timeout_millis, sl_chief_status_t *out_chief, TF_Status *status) {
  *out_chief = (sl_chief_status_t){0};
  sli_control_t *control = sli_task_server_control(server->server);
  const char *own = sli_control_task_name(control);
  Sluice__ChiefRequest request = SLUICE__CHIEF_REQUEST__INIT;
  request.task = (char *)own;
  request.incarnation = sli_control_incarnation(control);
  request.claim = claim;
  request.is_first = is_first;
  request.lost_micros = lost_secs > 0 ? (int64_t)(lost_secs * 1e6) : 0;
  sli_arena_t arena = {0};
  Sluice__ChiefResponse *reply = NULL;
  sli_capi_set_status(
      status, sli_control_client_call(target, "Chief", &request.base, &sluice__chief_response__descriptor,
                                      sli_clock_deadline_after_millis(timeout_millis), &arena, (void **)&reply));
  if (reply) {
    out_chief->is_known = *reply->task != '\0';
    out_chief->is_this = strcmp(reply->task, own) == 0;
    out_chief->silent_secs = (double)reply->silent_micros * 1e-6;
    copy_short_name(reply->task, out_chief->task, sizeof(out_chief->task));
    copy_short_name(reply->former, out_chief->former, sizeof(out_chief->former));
  }
  bool replied = reply != NULL;
  sli_arena_deinitialize(&arena);
  return replied;
}

// --- Why a task cannot be reached ----------------------------------------------------

_Static_assert((int)SL_PROBE_DENIED == (int)SLI_PROBE_DENIED, "the same stages");

sl_probe_t *sl_cluster_probe(const char *address, const char *expected_job, int expected_index, int64_t timeout_millis,
                             int64_t payload_bytes) {
  if (sli_string_starts_with(address, "grpc://")) address += strlen("grpc://");
  char *expected = expected_job ? sli_format("/job:%s/replica:0/task:%d", expected_job, expected_index) : NULL;
  sli_probe_t found;
  sli_probe_run(address, expected, sli_clock_deadline_after_millis(timeout_millis), payload_bytes, &found);
  free(expected);
  char *proxy = sli_probe_describe_proxy();
  sl_probe_t *probe = sli_malloc(sizeof(*probe));
  *probe = (sl_probe_t){.failed_at = (sl_probe_stage_t)found.failed_at,
                        .why = found.why,
                        .address = sli_strdup(address),
                        .task = found.task,
                        .is_sluice = found.is_sluice,
                        .version = found.version,
                        .clock_skew = (double)found.skew_micros / 1e6,
                        .round_trip = (double)found.round_trip_nanos / 1e9,
                        .bytes_per_second = found.bytes_per_second,
                        .proxy = proxy ? proxy : sli_strdup(""),
                        .incarnation = found.incarnation};
  return probe;
}

void sl_probe_free(sl_probe_t *probe) {
  if (!probe) return;
  free((char *)probe->why);
  free((char *)probe->address);
  free((char *)probe->task);
  free((char *)probe->version);
  free((char *)probe->proxy);
  free(probe);
}
