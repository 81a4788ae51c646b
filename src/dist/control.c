#include "dist/control.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "proto/wire.h"
#include "rpc/channel.h"

struct sli_control {
  sli_env_t *env;
  sli_rpc_loop_t *loop;
  const sli_cluster_t *cluster;
  void (*on_done)(void *context);
  void *context;
  atomic_bool is_done;
};

enum { ANNOUNCE_MILLIS = 3000 };

static const char service[] = "/sluice.Control/";

sli_control_t *sli_control_create(sli_env_t *env, sli_rpc_loop_t *loop, const sli_cluster_t *cluster,
                                  void (*on_done)(void *context), void *context) {
  sli_control_t *control = sli_calloc(1, sizeof(*control));
  control->env = env;
  control->loop = loop;
  control->cluster = cluster;
  control->on_done = on_done;
  control->context = context;
  return control;
}

void sli_control_destroy(sli_control_t *control) { free(control); }

bool sli_control_is_done(sli_control_t *control) { return atomic_load(&control->is_done); }

static void set_done(sli_control_t *control) {
  atomic_store(&control->is_done, true);
  control->on_done(control->context);
}

// --- The side that answers ---------------------------------------------------------------

static void respond(sli_rpc_request_t *request, sli_status_t *status, sli_string_t *body) {
  sli_slices_t reply = {0};
  sli_slices_append_string(&reply, body);
  sli_rpc_request_respond(request, status, &reply);
}

static void hello(sli_control_t *control, sli_rpc_request_t *request) {
  sli_string_t body = {0};
  sli_wire_write_text(&body, 1, SLUICE_VERSION);
  sli_wire_write_text(&body, 2, sli_cluster_self(control->cluster)->task_name);
  sli_wire_write_text(&body, 3, "job-done");
  respond(request, NULL, &body);
}

static void job_done(sli_control_t *control, sli_rpc_request_t *request) {
  sli_view_t from = {0};
  sli_rpc_message_t *message = sli_rpc_request_message(request);
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(message->data, message->size));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == 1 && field.type == SLI_WIRE_BYTES) from = field.bytes;
  sli_string_t body = {0};
  if (reader.malformed) {
    respond(request, sli_wire_error("sluice.JobDoneRequest"), &body);
    return;
  }
  if (!sli_control_is_done(control)) SLI_INFO("The job is done, says %.*s", SLI_VIEW_ARG(from));
  set_done(control);
  respond(request, NULL, &body);
}

bool sli_control_service_handle(sli_control_t *control, sli_rpc_request_t *request) {
  const char *method = sli_rpc_request_method(request);
  if (!sli_starts_with(method, service)) return false;
  method += strlen(service);
  if (!strcmp(method, "Hello"))
    hello(control, request);
  else if (!strcmp(method, "JobDone"))
    job_done(control, request);
  else
    return false;
  return true;
}

// --- The side that tells -------------------------------------------------------------------

typedef struct {
  sli_env_t *env;
  sli_refcount_t waiting;
  sli_event_t all_told;
} announcement_t;

static void told_one(announcement_t *announcement) {
  if (sli_refcount_release(&announcement->waiting)) announcement->env->set(announcement->env, &announcement->all_told);
}

// Whatever the answer: a task that is gone, or a stock one, need not know.
static void told(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  sli_status_release(status);
  told_one(context);
}

static void tell(sli_control_t *control, sli_rpc_channel_t *channel, announcement_t *announcement) {
  static const sli_rpc_header_t metadata[] = {{"sluice-peer", "1"}};
  sli_string_t body = {0};
  sli_wire_write_text(&body, 1, sli_cluster_self(control->cluster)->task_name);
  sli_slices_t request = {0};
  sli_slices_append_string(&request, &body);
  sli_rpc_call_options_t options = {.method = "/sluice.Control/JobDone",
                                    .deadline = sli_deadline_after_millis(ANNOUNCE_MILLIS),
                                    .metadata = metadata,
                                    .metadata_count = 1};
  sli_rpc_call_release(sli_rpc_call_start(channel, &options, &request, told, announcement));
}

void sli_control_announce_done(sli_control_t *control) {
  const sli_cluster_t *cluster = control->cluster;
  set_done(control);
  announcement_t announcement = {.env = control->env};
  sli_event_initialize(&announcement.all_told);
  atomic_init(&announcement.waiting, (int)cluster->tasks.count);
  sli_rpc_channel_t **channels = sli_calloc(cluster->tasks.count, sizeof(*channels));
  for (size_t i = 0; i < cluster->tasks.count; i++) {
    sli_status_t *status = NULL;
    if ((int)i != cluster->self)
      status = sli_rpc_channel_create(control->loop, cluster->tasks.items[i].address, NULL, &channels[i]);
    sli_status_release(status);  // an address that cannot be parsed was never reached either
    if (channels[i])
      tell(control, channels[i], &announcement);
    else
      told_one(&announcement);
  }
  control->env->wait(control->env, &announcement.all_told, SLI_NO_DEADLINE);
  for (size_t i = 0; i < cluster->tasks.count; i++) sli_rpc_channel_destroy(channels[i]);
  free(channels);
  sli_event_deinitialize(&announcement.all_told);
}
