// Trace: the caller gets the timeline of one of the next steps whose session's master is here.
#include <stdlib.h>

#include "dist/control/control_internal.h"

// A Trace call that waits. Polling thread only.
struct sli_control_tracer {
  sli_control_tracer_t *next;
  sli_control_t *control;
  sli_service_call_t *call;
  uint64_t token;  // of the call's cancellation
};

static void client_left(void *context) {
  sli_control_tracer_t *tracer = context, **link = &tracer->control->tracers;
  while (*link != tracer) link = &(*link)->next;
  *link = tracer->next;
  sli_service_call_done(tracer->call, sli_cancellation_status(tracer->call->cancellation));
  free(tracer);
}

// Answers all callers, with |error| or with |metadata|. On the polling thread.
static void answer_all(sli_control_t *control, sli_status_t *error, sli_view_t metadata) {
  sli_control_tracer_t *tracers = control->tracers;
  control->tracers = NULL;
  for (sli_control_tracer_t *tracer = tracers; tracer; tracer = tracer->next)
    sli_cancellation_deregister(tracer->call->cancellation, tracer->token);
  for (sli_control_tracer_t *next; tracers; tracers = next) {
    next = tracers->next;
    Sluice__TraceResponse reply = SLUICE__TRACE_RESPONSE__INIT;
    reply.metadata = (ProtobufCBinaryData){metadata.size, (uint8_t *)metadata.data};
    sli_service_call_reply_message(tracers->call, sli_status_retain(error), &reply.base);
    free(tracers);
  }
}

void sli_control_stop_tracing(sli_control_t *control, sli_status_t *error) { answer_all(control, error, sli_view("")); }

typedef struct {
  sli_control_t *control;
  sli_string_t metadata;
} traced_t;

static void on_traced(void *context) {
  traced_t *traced = context;
  answer_all(traced->control, NULL, sli_view_of(traced->metadata.data, traced->metadata.size));
  sli_string_deinitialize(&traced->metadata);
  free(traced);
}

void sli_control_step_traced(void *context, sli_view_t metadata) {
  sli_control_t *control = context;
  traced_t *traced = sli_calloc(1, sizeof(*traced));
  traced->control = control;
  sli_string_append(&traced->metadata, metadata.data, metadata.size);
  sli_rpc_loop_post(control->options.loop, on_traced, traced);
}

void sli_control_trace(sli_service_call_t *call, const void *message) {
  sli_control_t *control = call->server;
  sli_mutex_lock(&control->mutex);
  sli_status_t *stopped = sli_status_retain(control->stopped);
  sli_mutex_unlock(&control->mutex);
  if (stopped) {
    sli_service_call_done(call, stopped);
    return;
  }
  sli_service_call_watch(call);
  sli_control_tracer_t *tracer = sli_malloc(sizeof(*tracer));
  *tracer = (sli_control_tracer_t){control->tracers, control, call, 0};
  control->tracers = tracer;
  tracer->token = sli_cancellation_register(call->cancellation, client_left, tracer);
  if (!tracer->token)
    client_left(tracer);
  else
    sli_master_trace_next(control->options.master);
}
