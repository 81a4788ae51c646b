// The side of sluice.Control that asks: announcements to all tasks, and questions
// to one, over a channel of their own so that they disturb nobody's calls.
#include <stdlib.h>

#include "base/clock.h"
#include "dist/control_internal.h"
#include "dist/device_attributes.h"
#include "dist/env_internal.h"
#include "dist/server.h"
#include "proto/proto.h"
#include "proto/wire.h"
#include "rpc/channel.h"

enum { ANNOUNCE_MILLIS = 3000, RETRY_MILLIS = 200 };
enum { JOB_DONE_UNHEARD = 2 };  // fields of its request

static const sli_rpc_header_t metadata[] = {{"sluice-peer", "1"}};

static sli_status_t *dial(const char *target, sli_rpc_channel_t **out_channel) {
  if (sli_starts_with(target, "grpc://")) target += strlen("grpc://");
  return sli_rpc_channel_create(sli_env_process_loop(), target, NULL, out_channel);
}

static sli_rpc_call_options_t call_options(const char *method, int64_t deadline) {
  return (sli_rpc_call_options_t){
      .method = method, .deadline = deadline, .metadata = metadata, .metadata_count = SLI_COUNT_OF(metadata)};
}

static sli_status_t *pack(const ProtobufCMessage *message, sli_slices_t *out_slices) {
  sli_string_t body = {0};
  SLI_RETURN_IF_ERROR(sli_proto_pack(message, &body));
  if (body.size) sli_slices_append_string(out_slices, &body);
  return NULL;
}

// ---- One question ----------------------------------------------------------------

sli_status_t *sli_control_call_on(sli_rpc_channel_t *channel, const char *method, const ProtobufCMessage *request,
                                  const ProtobufCMessageDescriptor *descriptor, int64_t deadline, sli_arena_t *arena,
                                  void **out_reply) {
  *out_reply = NULL;
  sli_slices_t body = {0};
  sli_rpc_message_t reply = {0};
  char *path = sli_format("%s%s", SLI_CONTROL_SERVICE, method);
  sli_rpc_call_options_t options = call_options(path, deadline);
  sli_status_t *status = pack(request, &body);
  if (!status) status = sli_rpc_call_and_wait(channel, &options, &body, &reply);
  if (!status) status = sli_proto_parse(descriptor, reply.data, reply.size, arena, out_reply);
  sli_rpc_message_release(&reply);
  free(path);
  return status;
}

sli_status_t *sli_control_call(const char *target, const char *method, const ProtobufCMessage *request,
                               const ProtobufCMessageDescriptor *descriptor, int64_t deadline, sli_arena_t *arena,
                               void **out_reply) {
  *out_reply = NULL;
  sli_rpc_channel_t *channel;
  SLI_RETURN_IF_ERROR(dial(target, &channel));
  sli_status_t *status = sli_control_call_on(channel, method, request, descriptor, deadline, arena, out_reply);
  sli_rpc_channel_destroy(channel);
  return status;
}

sli_status_t *sli_control_get_devices(sli_rpc_channel_t *channel, int64_t deadline, sli_device_set_t *out_set) {
  *out_set = (sli_device_set_t){0};
  sli_slices_t body = {0};
  sli_rpc_message_t reply = {0};
  sli_rpc_call_options_t options = call_options("/tensorflow.WorkerService/GetStatus", deadline);
  sli_status_t *status = sli_rpc_call_and_wait(channel, &options, &body, &reply);
  if (!status) status = sli_device_attributes_decode_all(sli_view_of(reply.data, reply.size), out_set);
  sli_rpc_message_release(&reply);
  if (!status && !out_set->devices.count)
    status = sli_status_make_text(SLI_FAILED_PRECONDITION, "the task has no devices");
  if (status) sli_device_set_deinitialize(out_set);
  return status;
}

// A stock task's devices, and what their names tell of it.
static sli_status_t *ask_devices(sli_rpc_channel_t *channel, int64_t deadline, sli_arena_t *arena,
                                 Sluice__StatusResponse *out) {
  sli_device_set_t set;
  SLI_RETURN_IF_ERROR(sli_control_get_devices(channel, deadline, &set));
  sluice__status_response__init(out);
  out->hello = sli_arena_allocate(arena, sizeof(*out->hello));
  sluice__hello_response__init(out->hello);
  sli_view_t task = sli_device_name_task(sli_view(set.devices.items[0].name));
  out->hello->task = sli_arena_strndup(arena, task.data, task.size);
  out->hello->incarnation = set.devices.items[0].incarnation;
  sli_control_fill_devices(&set, arena, out);
  sli_device_set_deinitialize(&set);
  return NULL;
}

sli_status_t *sli_control_ask_status(const char *target, int64_t deadline, sli_arena_t *arena,
                                     Sluice__StatusResponse **out_status, int64_t *out_round_trip_nanos) {
  *out_status = NULL;
  sli_rpc_channel_t *channel;
  SLI_RETURN_IF_ERROR(dial(target, &channel));
  Sluice__StatusRequest request = SLUICE__STATUS_REQUEST__INIT;
  Sluice__StatusResponse *reply = NULL;
  void *hello;
  // The first call connects; the second one's time is the task's.
  sli_status_t *status = sli_control_call_on(channel, "Hello", &(Sluice__HelloRequest)SLUICE__HELLO_REQUEST__INIT.base,
                                             &sluice__hello_response__descriptor, deadline, arena, &hello);
  int64_t start = sli_now_nanos();
  if (!status)
    status = sli_control_call_on(channel, "Status", &request.base, &sluice__status_response__descriptor, deadline,
                                 arena, (void **)&reply);
  if (sli_status_code(status) == SLI_UNIMPLEMENTED) {
    sli_status_release(status);
    reply = sli_arena_allocate(arena, sizeof(*reply));
    start = sli_now_nanos();
    status = ask_devices(channel, deadline, arena, reply);
  }
  *out_round_trip_nanos = sli_now_nanos() - start;
  sli_rpc_channel_destroy(channel);
  if (!status && !reply->hello) status = sli_wire_error("sluice.StatusResponse");
  if (!status) *out_status = reply;
  return status;
}

sli_status_t *sli_control_wait_model_ready(const char *target, int64_t deadline) {
  sli_rpc_channel_t *channel;
  SLI_RETURN_IF_ERROR(dial(target, &channel));
  sli_env_t *env = sli_env_process();
  sli_status_t *status;
  for (;;) {
    sli_slices_t body = {0};
    sli_rpc_message_t reply = {0};
    sli_rpc_call_options_t options = call_options(SLI_CONTROL_SERVICE "ModelReady", deadline);
    options.wait_for_ready = true;
    status = sli_rpc_call_and_wait(channel, &options, &body, &reply);
    sli_rpc_message_release(&reply);
    if (sli_status_code(status) != SLI_UNAVAILABLE || env->now(env) >= deadline) break;
    // The chief went away: a restarted one will say when it is ready.
    sli_status_release(status);
    sli_event_t never;
    sli_event_initialize(&never);
    env->wait(env, &never, sli_deadline_after_millis(RETRY_MILLIS));
    sli_event_deinitialize(&never);
  }
  if (sli_status_code(status) == SLI_DEADLINE_EXCEEDED) {
    char *why = sli_rpc_channel_describe_failure(channel);
    sli_status_release(status);
    status = sli_status_make(SLI_DEADLINE_EXCEEDED, "The model of the chief at %s is not ready%s%s", target,
                             why ? ": " : ".", why ? why : "");
    free(why);
  }
  sli_rpc_channel_destroy(channel);
  return status;
}

// ---- All tasks at once -----------------------------------------------------------

typedef struct {
  sli_env_t *env;
  sli_refcount_t waiting;
  sli_event_t all_answered;
} round_t;

typedef struct {
  round_t *round;
  sli_rpc_channel_t *channel;
  sli_control_member_t *member;
} question_t;

static void answer_over(round_t *round) {
  if (sli_refcount_release(&round->waiting)) round->env->set(round->env, &round->all_answered);
}

static void note_answer(sli_control_member_t *member, const sli_status_t *status, const sli_rpc_message_t *reply) {
  member->is_sluice = !status;
  member->is_up = !status || sli_status_code(status) == SLI_UNIMPLEMENTED;
  if (!member->is_up) member->why = sli_strdup(sli_status_message(status));
  if (!status) {
    sli_arena_t arena = {.budget = sli_proto_budget(reply->size)};
    void *hello;
    sli_status_t *error =
        sli_proto_parse(&sluice__hello_response__descriptor, reply->data, reply->size, &arena, &hello);
    if (!error) member->incarnation = ((Sluice__HelloResponse *)hello)->incarnation;
    sli_status_release(error);
    sli_arena_deinitialize(&arena);
  }
}

static void answered(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  question_t *question = context;
  note_answer(question->member, status, reply);
  sli_status_release(status);
  answer_over(question->round);
}

typedef struct {
  const char *method;
  int64_t deadline;
  const bool *whom;               // by position in the cluster; NULL: all
  const sli_string_t *fields;     // of the request, after {1: our name}; NULL: none
  int reader;                     // the position of who gets |fields|
  sli_control_member_t *members;  // learn the outcome, by position
} asking_t;

// Calls a method on every other task that is asked for.
static void ask_all(sli_control_t *control, const asking_t *asking) {
  const sli_cluster_t *cluster = control->options.cluster;
  round_t round = {.env = control->options.env};
  sli_event_initialize(&round.all_answered);
  atomic_init(&round.waiting, (int)cluster->tasks.count);
  question_t *questions = sli_calloc(cluster->tasks.count, sizeof(*questions));
  for (size_t i = 0; i < cluster->tasks.count; i++) {
    question_t *question = &questions[i];
    *question = (question_t){.round = &round, .member = &asking->members[i]};
    sli_status_t *status = NULL;
    if ((int)i != cluster->self && (!asking->whom || asking->whom[i]))
      status = sli_rpc_channel_create(control->options.loop, cluster->tasks.items[i].address, NULL, &question->channel);
    if (!question->channel) {
      if (status) note_answer(question->member, status, NULL);
      sli_status_release(status);
      answer_over(&round);
      continue;
    }
    sli_string_t body = {0};
    sli_wire_write_text(&body, 1, sli_cluster_self(cluster)->task_name);
    if (asking->fields && asking->reader == (int)i)
      sli_string_append(&body, asking->fields->data, asking->fields->size);
    sli_slices_t request = {0};
    sli_slices_append_string(&request, &body);
    sli_rpc_call_options_t options = call_options(asking->method, asking->deadline);
    sli_rpc_call_release(sli_rpc_call_start(question->channel, &options, &request, answered, question));
  }
  round.env->wait(round.env, &round.all_answered, SLI_NO_DEADLINE);
  for (size_t i = 0; i < cluster->tasks.count; i++) sli_rpc_channel_destroy(questions[i].channel);
  free(questions);
  sli_event_deinitialize(&round.all_answered);
}

static void free_members(sli_control_member_t *members, size_t count) {
  for (size_t i = 0; i < count; i++) free(members[i].why);
  free(members);
}

void sli_control_announce_done(sli_control_t *control) {
  sli_control_set_done(control);
  const sli_cluster_t *cluster = control->options.cluster;
  size_t count = cluster->tasks.count;
  sli_control_member_t *members = sli_calloc(count, sizeof(*members));
  bool *whom = sli_calloc(count, sizeof(*whom));
  sli_string_t unheard = {0};
  asking_t asking = {.method = SLI_CONTROL_SERVICE "JobDone", .whom = whom, .reader = -1, .members = members};
  for (size_t i = 0; i < count; i++) {
    whom[i] = strcmp(cluster->tasks.items[i].job, "ps") != 0;
    if (!whom[i] && asking.reader < 0) asking.reader = (int)i;
  }
  asking.deadline = sli_deadline_after_millis(ANNOUNCE_MILLIS);
  ask_all(control, &asking);
  // A stock task that runs need not know.
  for (size_t i = 0; i < count; i++)
    if (whom[i] && (int)i != cluster->self && !members[i].is_up)
      sli_wire_write_text(&unheard, JOB_DONE_UNHEARD, cluster->tasks.items[i].task_name);
  for (size_t i = 0; i < count; i++) whom[i] = !whom[i];
  asking.deadline = sli_deadline_after_millis(ANNOUNCE_MILLIS);
  asking.fields = &unheard;
  ask_all(control, &asking);
  free_members(members, count);
  free(whom);
  sli_string_deinitialize(&unheard);
}

// Who is to be told, by position in the cluster; new. NULL: nobody.
static bool *find_unheard(sli_control_t *control) {
  size_t count = control->options.cluster->tasks.count;
  sli_mutex_lock(&control->mutex);
  bool any = memchr(control->unheard, true, count * sizeof(bool)) != NULL;
  bool *whom = any ? sli_memdup(control->unheard, count * sizeof(bool)) : NULL;
  sli_mutex_unlock(&control->mutex);
  return whom;
}

char *sli_control_tell_unheard(sli_control_t *control, int64_t deadline) {
  const sli_cluster_t *cluster = control->options.cluster;
  size_t count = cluster->tasks.count;
  bool *whom = find_unheard(control);
  if (!whom) return NULL;
  sli_control_member_t *members = sli_calloc(count, sizeof(*members));
  sli_string_t names = {0};
  ask_all(control,
          &(asking_t){.method = SLI_CONTROL_SERVICE "JobDone", .deadline = deadline, .whom = whom, .members = members});
  sli_mutex_lock(&control->mutex);
  for (size_t i = 0; i < count; i++) {
    if (!whom[i]) continue;
    if (members[i].is_sluice)  // a stock task has not understood it
      control->unheard[i] = false;
    else
      sli_string_append_format(&names, "%s%s", names.size ? ", " : "", cluster->tasks.items[i].task_name);
  }
  sli_mutex_unlock(&control->mutex);
  free_members(members, count);
  free(whom);
  return names.size ? sli_string_take(&names) : NULL;
}

size_t sli_control_ask_members(sli_control_t *control, int64_t deadline, sli_control_member_t **out_members) {
  const sli_cluster_t *cluster = control->options.cluster;
  sli_control_member_t *members = *out_members = sli_calloc(cluster->tasks.count, sizeof(*members));
  for (size_t i = 0; i < cluster->tasks.count; i++)
    members[i] = (sli_control_member_t){.task = &cluster->tasks.items[i]};
  sli_control_member_t *self = &members[cluster->self];
  self->is_up = self->is_sluice = true;
  self->incarnation = sli_worker_devices(control->options.worker)->devices.items[0].incarnation;
  ask_all(control, &(asking_t){.method = SLI_CONTROL_SERVICE "Hello", .deadline = deadline, .members = members});
  return cluster->tasks.count;
}
