// Calls of sluice.Control to all other tasks of the cluster at once: JobDone and Hello.
#include <stdlib.h>

#include "base/log.h"
#include "dist/client/control_client.h"
#include "dist/client/worker_cache.h"
#include "dist/control/control_internal.h"
#include "proto/control.fields.h"
#include "proto/proto.h"
#include "proto/wire.h"

enum { ANNOUNCE_MILLIS = 3000 };
_Static_assert((int)SLI_FIELD_HELLO_REQUEST_TASK == (int)SLI_FIELD_JOB_DONE_REQUEST_TASK, "call_all writes both");

typedef struct {
  sli_env_t *env;
  sli_refcount_t waiting;
  sli_event_t all_answered;
} peer_calls_t;

typedef struct {
  peer_calls_t *all;
  sli_rpc_channel_t *channel;
  sli_control_member_t *member;
} peer_call_t;

static void peer_call_done(peer_calls_t *all) {
  if (sli_refcount_release(&all->waiting)) all->env->set(all->env, &all->all_answered);
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

static void on_reply(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  peer_call_t *call = context;
  note_answer(call->member, status, reply);
  sli_status_release(status);
  peer_call_done(call->all);
}

typedef struct {
  const char *method;
  int64_t deadline;
  const bool *wanted;             // which tasks to call, by index in the cluster; NULL: all
  const sli_string_t *fields;     // more fields of the request, after our name; NULL: none
  int reader;                     // index of the task that gets |fields|; or all do
  sli_control_member_t *members;  // get the result, by index
} peer_request_t;

enum { EVERY_TASK = -2 };

// Calls a method on the wanted tasks except ourselves, and waits for all of them.
static void call_all(sli_control_t *control, const peer_request_t *request) {
  const sli_cluster_t *cluster = control->options.cluster;
  peer_calls_t all = {.env = control->options.env};
  sli_event_initialize(&all.all_answered);
  atomic_init(&all.waiting, (int)cluster->tasks.count);
  peer_call_t *calls = sli_calloc(cluster->tasks.count, sizeof(*calls));
  for (size_t i = 0; i < cluster->tasks.count; i++) {
    peer_call_t *call = &calls[i];
    *call = (peer_call_t){.all = &all, .member = &request->members[i]};
    sli_status_t *status = NULL;
    char *address = sli_control_address(control, i);
    if ((int)i != cluster->self && (!request->wanted || request->wanted[i]))
      status = sli_rpc_channel_create(control->options.loop, address, NULL, &call->channel);
    free(address);
    if (!call->channel) {
      if (status) note_answer(call->member, status, NULL);
      sli_status_release(status);
      peer_call_done(&all);
      continue;
    }
    sli_string_t body = {0};
    sli_wire_write_text(&body, SLI_FIELD_JOB_DONE_REQUEST_TASK, sli_cluster_self(cluster)->task_name);
    if (request->fields && (request->reader == (int)i || request->reader == EVERY_TASK))
      sli_string_append(&body, request->fields->data, request->fields->size);
    sli_slices_t message = {0};
    sli_slices_append_string(&message, &body);
    sli_rpc_call_options_t options = sli_control_client_options(request->method, request->deadline);
    sli_rpc_call_release(sli_rpc_call_start(call->channel, &options, &message, on_reply, call));
  }
  all.env->wait(all.env, &all.all_answered, SLI_CLOCK_NO_DEADLINE);
  for (size_t i = 0; i < cluster->tasks.count; i++) sli_rpc_channel_destroy(calls[i].channel);
  free(calls);
  sli_event_deinitialize(&all.all_answered);
}

void sli_control_free_members(sli_control_member_t *members, size_t count) {
  for (size_t i = 0; i < count; i++) free(members[i].why);
  free(members);
}

void sli_control_announce_done(sli_control_t *control) {
  sli_control_set_done(control);
  const sli_cluster_t *cluster = control->options.cluster;
  size_t count = cluster->tasks.count;
  sli_control_member_t *members = sli_calloc(count, sizeof(*members));
  bool *wanted = sli_calloc(count, sizeof(*wanted));
  sli_string_t unreached = {0};
  peer_request_t request = {
      .method = SLI_CONTROL_CLIENT_SERVICE "JobDone", .wanted = wanted, .reader = -1, .members = members};
  for (size_t i = 0; i < count; i++) {
    wanted[i] = strcmp(cluster->tasks.items[i].job, "ps") != 0;
    if (!wanted[i] && request.reader < 0) request.reader = (int)i;
  }
  request.deadline = sli_env_deadline_after_millis(control->options.env, ANNOUNCE_MILLIS);
  call_all(control, &request);
  // A stock task that is up need not be notified.
  for (size_t i = 0; i < count; i++)
    if (wanted[i] && (int)i != cluster->self && !members[i].is_up)
      sli_wire_write_text(&unreached, SLI_FIELD_JOB_DONE_REQUEST_UNHEARD, cluster->tasks.items[i].task_name);
  for (size_t i = 0; i < count; i++) wanted[i] = !wanted[i];
  request.deadline = sli_env_deadline_after_millis(control->options.env, ANNOUNCE_MILLIS);
  request.fields = &unreached;
  call_all(control, &request);
  sli_control_free_members(members, count);
  free(wanted);
  sli_string_deinitialize(&unreached);
}

// A copy of control->unreached; NULL if no task is unreached.
static bool *copy_unreached(sli_control_t *control) {
  size_t count = control->options.cluster->tasks.count;
  sli_mutex_lock(&control->mutex);
  bool any = memchr(control->unreached, true, count * sizeof(bool)) != NULL;
  bool *wanted = any ? sli_memdup(control->unreached, count * sizeof(bool)) : NULL;
  sli_mutex_unlock(&control->mutex);
  return wanted;
}

char *sli_control_notify_unreached(sli_control_t *control, int64_t deadline) {
  const sli_cluster_t *cluster = control->options.cluster;
  size_t count = cluster->tasks.count;
  bool *wanted = copy_unreached(control);
  if (!wanted) return NULL;
  sli_control_member_t *members = sli_calloc(count, sizeof(*members));
  sli_string_t names = {0};
  call_all(
      control,
      &(peer_request_t){
          .method = SLI_CONTROL_CLIENT_SERVICE "JobDone", .deadline = deadline, .wanted = wanted, .members = members});
  sli_mutex_lock(&control->mutex);
  for (size_t i = 0; i < count; i++) {
    if (!wanted[i]) continue;
    if (members[i].is_sluice)  // a stock task does not know the method
      control->unreached[i] = false;
    else
      sli_string_append_format(&names, "%s%s", names.size ? ", " : "", cluster->tasks.items[i].task_name);
  }
  sli_mutex_unlock(&control->mutex);
  sli_control_free_members(members, count);
  free(wanted);
  return names.size ? sli_string_take(&names) : NULL;
}

size_t sli_control_ask_members(sli_control_t *control, int64_t deadline, sli_control_member_t **out_members) {
  const sli_cluster_t *cluster = control->options.cluster;
  sli_control_member_t *members = *out_members = sli_calloc(cluster->tasks.count, sizeof(*members));
  for (size_t i = 0; i < cluster->tasks.count; i++)
    members[i] = (sli_control_member_t){.task = &cluster->tasks.items[i]};
  sli_control_member_t *self = &members[cluster->self];
  self->is_up = self->is_sluice = true;
  self->incarnation = sli_control_incarnation(control);
  call_all(control,
           &(peer_request_t){.method = SLI_CONTROL_CLIENT_SERVICE "Hello", .deadline = deadline, .members = members});
  return cluster->tasks.count;
}

// --- A task at another address ---

char *sli_control_address(sli_control_t *control, size_t index) {
  return sli_worker_cache_address(control->options.cache, index);
}

// Whether the address means something else on each host.
static bool is_of_this_host(const char *address) {
  static const char *const hosts[] = {"localhost:", "127.", "0.0.0.0:", "[::1]:", "[::]:"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(hosts); i++)
    if (strncmp(address, hosts[i], strlen(hosts[i])) == 0) return true;
  return false;
}

void sli_control_note_moved(sli_control_t *control, const char *task, const char *address) {
  const sli_cluster_t *cluster = control->options.cluster;
  const sli_cluster_task_t *known = sli_cluster_find(cluster, sli_view(task));
  if (!known || !strchr(address, ':')) return;
  // A task may call itself "localhost" in its own list, where others have its name.
  char *before = sli_control_address(control, (size_t)(known - cluster->tasks.items));
  bool is_usable = !is_of_this_host(address) || is_of_this_host(before);
  free(before);
  if (is_usable && sli_worker_cache_move(control->options.cache, sli_view(task), address))
    SLI_INFO("%s is at %s now", task, address);
}

void sli_control_announce_address(sli_control_t *control, int64_t deadline) {
  const sli_cluster_t *cluster = control->options.cluster;
  sli_control_member_t *members = sli_calloc(cluster->tasks.count, sizeof(*members));
  sli_string_t fields = {0};
  sli_wire_write_text(&fields, SLI_FIELD_HELLO_REQUEST_MOVED_TO, sli_cluster_self(cluster)->address);
  call_all(control, &(peer_request_t){.method = SLI_CONTROL_CLIENT_SERVICE "Hello",
                                      .deadline = deadline,
                                      .fields = &fields,
                                      .reader = EVERY_TASK,
                                      .members = members});
  sli_control_free_members(members, cluster->tasks.count);
  sli_string_deinitialize(&fields);
}
