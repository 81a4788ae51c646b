#include "dist/service/service_call.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/thread_pool.h"
#include "proto/wire.h"

const sli_service_call_method_t *sli_service_call_find_method(const char *name, const char *service,
                                                              const sli_service_call_method_t *methods, size_t count) {
  if (!sli_string_starts_with(name, service)) return NULL;
  name += strlen(service);
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, methods[i].name) == 0) return &methods[i];
  return NULL;
}

void *sli_service_call_create(size_t size, sli_env_t *env, void *server, sli_rpc_request_t *request) {
  sli_service_call_t *call = sli_calloc(1, size);
  sli_refcount_initialize(&call->references);
  call->env = env;
  call->server = server;
  call->request = request;
  call->deadline = sli_rpc_request_deadline(request);
  return call;
}

static void call_release(sli_service_call_t *call) {
  if (!sli_refcount_release(&call->references)) return;
  sli_cancellation_release(call->cancellation);
  free(call);
}

// --- Large messages --------------------------------------------------------------------------

// With more fields a message takes too long for the thread of the network.
enum { MANY_FIELDS = 2000 };
// About so much per field: its name, its node of a plan, its part in the step and in the reply.
enum { MEMORY_PER_FIELD = 1024 };

typedef struct {
  sli_service_call_t *call;
  void (*handle)(sli_service_call_t *call);
} moved_call_t;

static void handle_moved(void *context) {
  moved_call_t moved = *(moved_call_t *)context;
  free(context);
  moved.handle(moved.call);
}

void sli_service_call_move(sli_service_call_t *call, void (*handle)(sli_service_call_t *call)) {
  moved_call_t *moved = sli_malloc(sizeof(*moved));
  *moved = (moved_call_t){call, handle};
  sli_thread_pool_submit_blocking(call->env->pool, handle_moved, moved);
}

void sli_service_call_run(sli_service_call_t *call, void (*handle)(sli_service_call_t *call)) {
  sli_view_t body = sli_service_call_body(call);
  size_t count = 0;
  sli_wire_reader_t reader = sli_wire_reader(body);
  for (sli_wire_field_t field; body.size >= SLI_SERVICE_CALL_LARGE && sli_wire_next(&reader, &field);) count++;
  if (count < MANY_FIELDS)
    handle(call);
  else if (sli_alloc_has(count * MEMORY_PER_FIELD))
    sli_service_call_move(call, handle);
  else
    sli_service_call_done(
        call, sli_status_make(SLI_RESOURCE_EXHAUSTED,
                              "Not enough memory for a request with %zu feeds, fetches and targets: the system has no "
                              "more for this process. Use fewer, or raise the memory limit of the process (ulimit -v)",
                              count));
}

// --- Handling --------------------------------------------------------------------------------

static void parse_and_handle(sli_service_call_t *call) {
  const sli_service_call_method_t *method = call->method;
  void *message = NULL;
  if (method->descriptor) {
    const sli_rpc_message_t *bytes = sli_rpc_request_message(call->request);
    call->arena.budget = sli_proto_budget(bytes->size);
    sli_status_t *status = sli_proto_parse(method->descriptor, bytes->data, bytes->size, &call->arena, &message);
    call->arena.budget = 0;  // the budget bounds what the client makes us allocate, not what the reply needs
    if (status) {
      sli_service_call_done(call, status);
      return;
    }
  }
  method->handle(call, message);
}

void sli_service_call_handle(sli_service_call_t *call, const sli_service_call_method_t *method) {
  call->method = method;
  bool is_large = method->descriptor && sli_rpc_request_message(call->request)->size >= SLI_SERVICE_CALL_LARGE;
  if (is_large && call->may_move)
    sli_service_call_move(call, parse_and_handle);
  else
    parse_and_handle(call);
}

sli_view_t sli_service_call_body(sli_service_call_t *call) {
  if (!call->bytes) call->bytes = sli_message_bytes_take(sli_rpc_request_message(call->request));
  return sli_message_bytes_view(call->bytes);
}

const char *sli_service_call_text(sli_service_call_t *call, sli_view_t text) {
  return sli_arena_strndup(&call->arena, text.data, text.size);
}

// The request may have been replied to and freed by now; the call's own fields remain.
static void client_left(void *context) {
  sli_service_call_t *call = context;
  bool is_late = call->env->now(call->env) >= call->deadline;
  sli_cancellation_cancel(call->cancellation,
                          is_late ? sli_status_make_text(SLI_DEADLINE_EXCEEDED, "Deadline Exceeded")
                                  : sli_status_make_text(SLI_CANCELLED, "The client cancelled the call or went away"));
  call_release(call);
}

void sli_service_call_watch(sli_service_call_t *call) {
  call->cancellation = sli_cancellation_create();
  sli_refcount_retain(&call->references);
  sli_rpc_request_on_cancel(call->request, client_left, call);
}

void sli_service_call_reply(sli_service_call_t *call, sli_status_t *status, sli_slices_t *body) {
  if (call->cancellation && sli_rpc_request_forget_cancel(call->request)) call_release(call);
  sli_rpc_request_respond(call->request, call->marks_derived ? sli_message_encode_status(status) : status, body);
  if (call->deinitialize) call->deinitialize(call);
  sli_arena_deinitialize(&call->arena);
  sli_message_bytes_release(call->bytes);
  call_release(call);
}

void sli_service_call_reply_string(sli_service_call_t *call, sli_status_t *status, sli_string_t *body) {
  sli_slices_t slices = {0};
  if (body->size) sli_slices_append_string(&slices, body);
  sli_service_call_reply(call, status, &slices);
}

void sli_service_call_reply_message(sli_service_call_t *call, sli_status_t *status, const ProtobufCMessage *body) {
  sli_string_t bytes = {0};
  if (!status) status = sli_proto_pack(body, &bytes);
  sli_service_call_reply_string(call, status, &bytes);
}

void sli_service_call_done(void *context, sli_status_t *status) { sli_service_call_reply(context, status, NULL); }
