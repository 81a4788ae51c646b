// One unary call: sends the request, receives reply and trailers, and calls back
// exactly once. Trailers, a reset, a lost connection, the deadline and a cancel can
// all end a call. The first of them detaches it from its connection and finishes it;
// the others find it finished.
#include <stdlib.h>
#include <string.h>

#include "base/plant.h"
#include "rpc/channel.h"
#include "rpc/channel_internal.h"
#include "rpc/identity_internal.h"

#define MAX_RETRIES 5
#define MAX_REPLY_HEADER_SIZE ((size_t)256 << 10)
// The most headers that are sent before the metadata.
#define FIXED_HEADERS 11

static void call_retain(sli_rpc_call_t *call) { sli_refcount_retain(&call->references); }

void sli_rpc_call_release(sli_rpc_call_t *call) {
  if (!call || !sli_refcount_release(&call->references)) return;
  sli_rpc_inbox_deinitialize(&call->stream.inbox);
  sli_string_deinitialize(&call->message);
  sli_rpc_channel_release(call->channel);
  free(call);
}

// Finishing.

static void deliver_reply(void *context) {
  sli_rpc_call_t *call = context;
  if (sli_rpc_timer_cancel(call->timer)) sli_rpc_call_release(call);
  sli_rpc_message_t reply = {0};
  if (!call->status) reply = sli_rpc_inbox_take(&call->stream.inbox);
  call->done(call->context, call->status, &reply);
  sli_rpc_message_release(&reply);
  sli_rpc_call_release(call);
}

void sli_rpc_call_finish(sli_rpc_call_t *call, sli_status_t *status) {
  if (call->finished) {
    sli_status_release(status);
    return;
  }
  sli_rpc_guard_t *guard = call->channel->guard;
  if (call->pending) sli_rpc_channel_remove_pending(call->channel, call);
  call->finished = true;
  call->status = status;
  sli_rpc_outgoing_release(call->stream.outgoing, &guard->dead);
  call->stream.outgoing = NULL;
  sli_rpc_guard_deliver_later(guard, &call->delivery, deliver_reply, call);
}

// Detaches the call from its connection, if it has one, and finishes it.
static void abort_call(sli_rpc_call_t *call, sli_status_t *status) {
  sli_rpc_connection_t *connection = call->stream.connection;
  if (connection) sli_rpc_connection_abandon(connection, &call->stream, NGHTTP2_CANCEL);
  sli_rpc_call_finish(call, status);
}

void sli_rpc_call_cancel(sli_rpc_call_t *call) {
  sli_rpc_guard_lock(call->channel->guard);
  if (!call->finished) abort_call(call, sli_status_make_text(SLI_CANCELLED, "CANCELLED"));
  sli_rpc_guard_unlock(call->channel->guard);
}

// DEADLINE_EXCEEDED with what the call was waiting for.
static sli_status_t *deadline_status(sli_rpc_call_t *call) {
  sli_rpc_channel_t *channel = call->channel;
  if (call->pending && channel->failure)
    return sli_status_make(SLI_DEADLINE_EXCEEDED, "Deadline Exceeded: %s: %s", call->method,
                           sli_status_message(channel->failure));
  return sli_status_make(SLI_DEADLINE_EXCEEDED, "Deadline Exceeded: %s: %s %s", call->method,
                         call->pending ? "still connecting to" : "no answer from", channel->target);
}

static void on_call_deadline(void *context) {
  sli_rpc_call_t *call = context;
  sli_rpc_guard_t *guard = call->channel->guard;
  sli_rpc_guard_lock(guard);
  if (!call->finished) abort_call(call, deadline_status(call));
  sli_rpc_guard_unlock_and_deliver(guard);
  sli_rpc_call_release(call);
}

// Starting.

// Allocates the call and copies of its texts in one block.
static sli_rpc_call_t *call_create(sli_rpc_channel_t *channel, const sli_rpc_call_options_t *options) {
  size_t count = options->metadata_count, text_size = strlen(options->method) + 1;
  for (size_t i = 0; i < count; i++)
    text_size += strlen(options->metadata[i].name) + strlen(options->metadata[i].value) + 2;
  sli_rpc_call_t *call = sli_malloc(sizeof(*call) + count * sizeof(sli_rpc_header_t) + text_size);
  memset(call, 0, sizeof(*call));
  call->metadata = (sli_rpc_header_t *)(call + 1);
  call->metadata_count = count;
  char *text = (char *)(call->metadata + count);
  call->method = text;
  text = stpcpy(text, options->method) + 1;
  for (size_t i = 0; i < count; i++) {
    call->metadata[i].name = text;
    text = stpcpy(text, options->metadata[i].name) + 1;
    call->metadata[i].value = text;
    text = stpcpy(text, options->metadata[i].value) + 1;
  }
  atomic_init(&call->references, 2);
  call->channel = sli_rpc_channel_retain(channel);
  call->deadline = options->deadline > 0 ? options->deadline : SLI_CLOCK_NO_DEADLINE;
  call->wait_for_ready = options->wait_for_ready;
  call->place = options->place;
  call->place_context = options->place_context;
  call->stream.wants_place = options->place != NULL;
  call->grpc_status = -1;
  return call;
}

sli_rpc_call_t *sli_rpc_call_start(sli_rpc_channel_t *channel, const sli_rpc_call_options_t *options,
                                   sli_slices_t *request, sli_rpc_reply_fn_t done, void *context) {
  sli_rpc_call_t *call = call_create(channel, options);
  call->done = done;
  call->context = context;
  size_t size = request ? request->size : 0;
  bool fits = size <= SLI_RPC_MAX_MESSAGE_SIZE;
  if (fits)
    call->stream.outgoing = sli_rpc_outgoing_create(request);
  else
    sli_slices_deinitialize(request);
  sli_rpc_guard_lock(channel->guard);
  if (!fits) {
    sli_rpc_call_finish(call,
                        sli_status_make(SLI_RESOURCE_EXHAUSTED, "a message of %zu bytes is too long for gRPC", size));
  } else if (channel->closed) {
    sli_rpc_call_finish(call, sli_status_make(SLI_CANCELLED, "the channel to %s was closed", channel->target));
  } else if (call->deadline != SLI_CLOCK_NO_DEADLINE && call->deadline <= sli_rpc_loop_now(channel->loop)) {
    sli_rpc_call_finish(call, deadline_status(call));
  } else {
    if (call->deadline != SLI_CLOCK_NO_DEADLINE) {
      call_retain(call);
      call->timer = sli_rpc_loop_add_timer(channel->loop, call->deadline, on_call_deadline, call);
    }
    sli_rpc_channel_dispatch(channel, call);
  }
  sli_rpc_guard_unlock(channel->guard);
  return call;
}

bool sli_rpc_call_submit(sli_rpc_call_t *call, sli_rpc_connection_t *connection) {
  size_t count = 0;
  nghttp2_nv *headers = sli_malloc((FIXED_HEADERS + call->metadata_count) * sizeof(*headers));
  headers[count++] =
      connection->tls ? SLI_RPC_STATIC_HEADER(":scheme", "https") : SLI_RPC_STATIC_HEADER(":scheme", "http");
  headers[count++] = SLI_RPC_STATIC_HEADER(":method", "POST");
  headers[count++] = sli_rpc_header(":authority", call->channel->target, NGHTTP2_NV_FLAG_NO_COPY_NAME);
  headers[count++] = sli_rpc_header(":path", call->method, NGHTTP2_NV_FLAG_NO_COPY_NAME);
  headers[count++] = SLI_RPC_STATIC_HEADER("te", "trailers");
  headers[count++] = SLI_RPC_STATIC_HEADER("content-type", "application/grpc");
  headers[count++] = SLI_RPC_STATIC_HEADER("user-agent", "sluice/" SLUICE_VERSION);
  headers[count++] = SLI_RPC_STATIC_HEADER("grpc-accept-encoding", "identity");
  if (connection->lender_memory) headers[count++] = SLI_RPC_STATIC_HEADER(SLI_RPC_LOAN_HEADER, SLI_RPC_LOAN_VERSION);
  const char *token = sli_rpc_identity_header(call->channel->options.identity);
  if (token) headers[count++] = sli_rpc_header(SLI_RPC_TOKEN_HEADER, token, NGHTTP2_NV_FLAG_NO_COPY_NAME);
  char timeout[16];
  if (call->deadline != SLI_CLOCK_NO_DEADLINE) {
    sli_rpc_timeout_format(call->deadline - sli_rpc_loop_now(connection->loop), timeout);
    // Always a new value, so do not add it to the peer's header table.
    headers[count++] = sli_rpc_header("grpc-timeout", timeout, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_INDEX);
  }
  for (size_t i = 0; i < call->metadata_count; i++)
    headers[count++] = sli_rpc_header(call->metadata[i].name, call->metadata[i].value, NGHTTP2_NV_FLAG_NONE);
  sli_status_t *status = sli_rpc_connection_request(connection, &call->stream, headers, count);
  free(headers);
  bool submitted = !status;
  sli_status_release(status);
  return submitted;
}

// Callbacks of the connection.

static bool on_reply_header(sli_rpc_stream_t *stream, sli_view_t name, sli_view_t value) {
  sli_rpc_call_t *call = (sli_rpc_call_t *)stream;
  call->header_size += name.size + value.size + 32;
  if (call->header_size > MAX_REPLY_HEADER_SIZE) return false;
  int64_t number;
  if (sli_view_is(name, ":status")) {
    call->http_status = sli_view_to_int64(value, &number) ? (int)number : 0;
  } else if (sli_view_is(name, "content-type")) {
    call->foreign_content = !sli_rpc_is_grpc_content_type(value);
  } else if (sli_view_is(name, "grpc-status")) {
    call->grpc_status = sli_view_to_int64(value, &number) && number >= 0 ? number : SLI_UNKNOWN;
    call->channel->speaks_grpc = true;
  } else if (sli_view_is(name, "grpc-message")) {
    sli_string_clear(&call->message);
    sli_rpc_percent_decode(value, &call->message);
  }
  return true;
}

static void on_headers(sli_rpc_stream_t *stream) {
  // The peer has accepted the request, so it will not be sent again: release its memory.
  if (!stream->outgoing || stream->outgoing->left > 0) return;
  sli_rpc_outgoing_release(stream->outgoing, &stream->connection->guard->dead);
  stream->outgoing = NULL;
}

// The status of a complete reply.
static sli_status_t *answer_status(const sli_rpc_call_t *call) {
  const sli_rpc_inbox_t *inbox = &call->stream.inbox;
  const char *target = call->channel->target;
  if (call->grpc_status > 0)
    return sli_status_make_text((sli_code_t)call->grpc_status, sli_string_text(&call->message));
  if (call->grpc_status < 0) {
    if (call->http_status != 200)
      return sli_status_make(sli_rpc_code_from_http(call->http_status), "Received http2 header with status: %d from %s",
                             call->http_status, target);
    return sli_status_make(SLI_UNKNOWN, "the answer from %s has no grpc-status%s", target,
                           call->foreign_content ? " and is not of content-type application/grpc" : "");
  }
  if (inbox->state == SLI_RPC_INBOX_COMPLETE) return NULL;
  if (inbox->prefix_size == 0) return sli_status_make(SLI_INTERNAL, "the answer from %s has no message", target);
  return sli_status_make(SLI_INTERNAL, "the message from %s is cut short: %zu of %zu bytes", target, inbox->received,
                         inbox->size);
}

static void on_ended(sli_rpc_stream_t *stream) {
  sli_rpc_call_t *call = (sli_rpc_call_t *)stream;
  sli_rpc_connection_t *connection = stream->connection;
  if (stream->outgoing && stream->outgoing->left > 0)
    sli_rpc_connection_abandon(connection, stream, NGHTTP2_CANCEL);  // the peer does not need the rest of the request
  else
    sli_rpc_connection_detach(connection, stream);
  sli_rpc_call_finish(call, answer_status(call));
}

static void on_failed(sli_rpc_stream_t *stream, sli_status_t *status) { abort_call((sli_rpc_call_t *)stream, status); }

static void on_closed(sli_rpc_stream_t *stream, uint32_t error_code, sli_status_t *failure) {
  sli_rpc_call_t *call = (sli_rpc_call_t *)stream;
  sli_rpc_channel_t *channel = call->channel;
  if (SLI_PLANT("sent_twice") && failure && stream->outgoing && !channel->closed && call->retries++ < MAX_RETRIES) {
    sli_rpc_outgoing_rewind(stream->outgoing);
    sli_rpc_channel_dispatch(channel, call);
  } else if (failure) {
    sli_status_t *status = sli_status_retain(failure);
    if (!channel->closed) status = sli_status_append(status, " (connection to %s)", channel->target);
    sli_rpc_call_finish(call, status);
  } else if (error_code == NGHTTP2_REFUSED_STREAM && stream->outgoing && !channel->closed &&
             call->retries++ < MAX_RETRIES) {
    // The peer did not process the call, so it can be sent again.
    sli_rpc_outgoing_rewind(stream->outgoing);
    sli_rpc_channel_dispatch(channel, call);
  } else {
    sli_rpc_call_finish(
        call, sli_status_make(sli_rpc_code_from_reset(error_code), "Received RST_STREAM with error code %u from %s",
                              error_code, channel->target));
  }
}

static char *on_place(sli_rpc_stream_t *stream, const char *head, size_t head_size, size_t message_size,
                      sli_rpc_message_t *out_message) {
  sli_rpc_call_t *call = (sli_rpc_call_t *)stream;
  return call->place(call->place_context, head, head_size, message_size, out_message);
}

static void retain_stream(sli_rpc_stream_t *stream) { call_retain((sli_rpc_call_t *)stream); }
static void release_stream(sli_rpc_stream_t *stream) { sli_rpc_call_release((sli_rpc_call_t *)stream); }

const sli_rpc_side_t sli_rpc_client_side = {
    .header = on_reply_header,
    .headers = on_headers,
    .failed = on_failed,
    .ended = on_ended,
    .closed = on_closed,
    .ready = sli_rpc_channel_on_ready,
    .draining = sli_rpc_channel_on_draining,
    .lost = sli_rpc_channel_on_lost,
    .place = on_place,
    .retain = retain_stream,
    .release = release_stream,
};

// Waiting.

typedef struct {
  sli_event_t finished;
  sli_status_t *status;
  sli_rpc_message_t *reply;
} awaited_t;

static void on_awaited(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  awaited_t *awaited = context;
  awaited->status = status;
  *awaited->reply = *reply;
  *reply = (sli_rpc_message_t){0};
  sli_event_set(&awaited->finished);
}

sli_status_t *sli_rpc_call_and_wait(sli_rpc_channel_t *channel, const sli_rpc_call_options_t *options,
                                    sli_slices_t *request, sli_rpc_message_t *out_reply) {
  *out_reply = (sli_rpc_message_t){0};
  awaited_t awaited = {.reply = out_reply};
  sli_event_initialize(&awaited.finished);
  sli_rpc_call_t *call = sli_rpc_call_start(channel, options, request, on_awaited, &awaited);
  sli_rpc_loop_wait(channel->loop, &awaited.finished, SLI_CLOCK_NO_DEADLINE);
  sli_rpc_call_release(call);
  sli_event_deinitialize(&awaited.finished);
  return awaited.status;
}
