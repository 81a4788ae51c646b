// One request: headers and message in, the handler, the answer out.
//
// Two parties hold a request: its connection while the stream lives, and the
// handler from the delivery to the response. Either may end first.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/server_internal.h"

// Room for our own headers beside grpc-message in what a peer takes.
#define OTHER_HEADERS_SIZE 320
#define MIN_MESSAGE_TEXT 128
#define MAX_MESSAGE_TEXT 32768
// gRPC drops answers with larger headers than this, at random, even where it announces twice as much.
#define GRPC_SOFT_HEADER_LIMIT 8192

struct sli_rpc_request {
  sli_rpc_stream_t stream;  // first
  sli_refcount_t references;
  sli_rpc_server_t *server;
  sli_rpc_connection_t *connection;  // retained: stream.connection ends with the stream
  sli_string_t texts;                // method, then names and values of metadata, each with its NUL
  size_t header_size;
  int64_t deadline;
  bool is_post, is_head, is_grpc;
  bool reads_notes;  // instead of messages
  sli_rpc_message_t message;

  // Under the guard:
  bool headers_done;
  bool handed;     // to the handler, or queued for it
  bool responded;  // by the handler or by us
  bool cancel_fired;
  sli_rpc_fn_t cancel;
  void *cancel_context;
  sli_rpc_timer_t *timer;
  sli_rpc_delivery_t delivery, cancel_delivery;
};

static sli_rpc_request_t *request_of(sli_rpc_stream_t *stream) { return (sli_rpc_request_t *)stream; }

sli_rpc_stream_t *sli_rpc_request_open(sli_rpc_connection_t *connection) {
  sli_rpc_server_t *server = connection->config.owner;
  sli_rpc_request_t *request = sli_calloc(1, sizeof(*request));
  sli_refcount_initialize(&request->references);
  request->server = sli_rpc_server_retain(server);
  request->connection = sli_rpc_connection_retain(connection);
  request->deadline = SLI_NO_DEADLINE;
  request->stream.wants_place = server->service->place != NULL;
  return &request->stream;
}

void sli_rpc_request_retain(sli_rpc_stream_t *stream) { sli_refcount_retain(&request_of(stream)->references); }

void sli_rpc_request_release(sli_rpc_stream_t *stream) {
  sli_rpc_request_t *request = request_of(stream);
  if (!sli_refcount_release(&request->references)) return;
  sli_rpc_inbox_deinitialize(&stream->inbox);
  sli_rpc_message_release(&request->message);
  if (stream->reserved) {
    // Only a request that never got to respond comes here with a reservation, and never under the guard.
    sli_rpc_guard_lock(request->connection->guard);
    sli_rpc_connection_unreserve(request->connection, stream);
    sli_rpc_guard_unlock(request->connection->guard);
  }
  sli_string_deinitialize(&request->texts);
  sli_rpc_connection_release(request->connection);
  sli_rpc_server_release(request->server);
  free(request);
}

// The answer. Guard held.

// Headers and message; the trailers follow when the message was sent.
static void submit_reply(sli_rpc_request_t *request, sli_rpc_outgoing_t *reply) {
  const nghttp2_nv headers[] = {
      SLI_RPC_STATIC_HEADER(":status", "200"),
      SLI_RPC_STATIC_HEADER("content-type", "application/grpc"),
      SLI_RPC_STATIC_HEADER("grpc-accept-encoding", "identity"),
  };
  request->stream.outgoing = reply;
  sli_rpc_connection_respond(request->connection, &request->stream, headers, SLI_COUNT_OF(headers));
}

// An error without a message: headers that are trailers too.
static void submit_error(sli_rpc_request_t *request, const sli_status_t *status) {
  // A peer drops an answer whose headers exceed what it announced; a shorter text is better than none.
  uint32_t accepted =
      nghttp2_session_get_remote_settings(request->connection->session, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE);
  if (accepted <= 2 * GRPC_SOFT_HEADER_LIMIT && accepted > GRPC_SOFT_HEADER_LIMIT) accepted = GRPC_SOFT_HEADER_LIMIT;
  size_t limit = accepted > OTHER_HEADERS_SIZE + MIN_MESSAGE_TEXT ? accepted - OTHER_HEADERS_SIZE : MIN_MESSAGE_TEXT;
  if (limit > MAX_MESSAGE_TEXT) limit = MAX_MESSAGE_TEXT;
  char code[8];
  snprintf(code, sizeof(code), "%d", (int)sli_status_code(status));
  sli_string_t text = {0};
  sli_rpc_percent_encode(sli_status_message(status), limit, &text);
  const nghttp2_nv headers[] = {
      SLI_RPC_STATIC_HEADER(":status", "200"),
      SLI_RPC_STATIC_HEADER("content-type", "application/grpc"),
      SLI_RPC_STATIC_HEADER("grpc-accept-encoding", "identity"),
      sli_rpc_header("grpc-status", code, NGHTTP2_NV_FLAG_NO_COPY_NAME),
      sli_rpc_header("grpc-message", sli_string_text(&text), NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_INDEX),
  };
  sli_rpc_connection_respond(request->connection, &request->stream, headers, SLI_COUNT_OF(headers));
  sli_string_deinitialize(&text);
}

// What a browser or an HTTP client is told.
static void submit_http_error(sli_rpc_request_t *request, const char *http_status) {
  static const char text[] = "This port speaks gRPC (POST, content-type application/grpc), not plain HTTP.\n";
  const nghttp2_nv headers[] = {
      sli_rpc_header(":status", http_status, NGHTTP2_NV_FLAG_NO_COPY_NAME),
      SLI_RPC_STATIC_HEADER("content-type", "text/plain"),
  };
  sli_rpc_connection_respond_text(request->connection, &request->stream, headers, SLI_COUNT_OF(headers),
                                  request->is_head ? NULL : text);
}

// Answers on our own account, with |http_status| or, if that is NULL, with |status|, which it takes. What else the
// peer sends is dropped.
static void refuse(sli_rpc_request_t *request, const char *http_status, sli_status_t *status) {
  request->responded = true;
  request->stream.deaf = true;
  if (http_status)
    submit_http_error(request, http_status);
  else
    submit_error(request, status);
  sli_status_release(status);
  sli_rpc_connection_push(request->connection);
}

void sli_rpc_request_on_sent(sli_rpc_stream_t *stream) {
  const nghttp2_nv trailers[] = {SLI_RPC_STATIC_HEADER("grpc-status", "0")};
  sli_rpc_connection_trailers(stream->connection, stream, trailers, SLI_COUNT_OF(trailers));
}

// The question. Guard held, inside nghttp2.

static void append_text(sli_rpc_request_t *request, sli_view_t text) {
  sli_string_append(&request->texts, text.data, text.size);
  sli_string_append_char(&request->texts, '\0');
}

// Headers of HTTP's and gRPC's own, which are no metadata.
static bool is_reserved(sli_view_t name) {
  return sli_view_starts_with(name, "grpc-") || sli_view_is(name, "te") || sli_view_is(name, "user-agent") ||
         sli_view_is(name, "accept-encoding");
}

bool sli_rpc_request_on_header(sli_rpc_stream_t *stream, sli_view_t name, sli_view_t value) {
  sli_rpc_request_t *request = request_of(stream);
  request->header_size += name.size + value.size + 32;
  if (request->header_size > request->server->options.max_header_size) return false;
  if (request->headers_done) return true;  // trailers say nothing to us
  int64_t nanos;
  if (sli_view_is(name, ":method")) {
    request->is_post = sli_view_is(value, "POST");
    request->is_head = sli_view_is(value, "HEAD");
  } else if (sli_view_is(name, ":path")) {
    // Before any metadata: nghttp2 sees to it that pseudo headers come first, once.
    append_text(request, value);
  } else if (sli_view_is(name, "content-type")) {
    request->is_grpc = sli_rpc_is_grpc_content_type(value);
  } else if (sli_view_is(name, "grpc-timeout")) {
    int64_t now = sli_now_nanos();
    if (sli_rpc_timeout_parse(value, &nanos))
      request->deadline = nanos < INT64_MAX - now ? now + nanos : SLI_NO_DEADLINE;
  } else if (sli_view_is(name, SLI_RPC_LOAN_HEADER)) {
    request->reads_notes = sli_view_is(value, SLI_RPC_LOAN_VERSION);
  } else if (name.size && name.data[0] != ':' && !is_reserved(name)) {
    append_text(request, name);
    append_text(request, value);
  }
  return true;
}

void sli_rpc_request_on_headers(sli_rpc_stream_t *stream) {
  sli_rpc_request_t *request = request_of(stream);
  if (request->headers_done) return;
  request->headers_done = true;
  if (!request->is_post)
    refuse(request, "405", NULL);
  else if (!request->is_grpc)
    refuse(request, "415", NULL);
}

void sli_rpc_request_on_failed(sli_rpc_stream_t *stream, sli_status_t *status) {
  refuse(request_of(stream), NULL, status);
}

char *sli_rpc_request_on_place(sli_rpc_stream_t *stream, const char *head, size_t head_size, size_t message_size,
                               sli_rpc_message_t *out_message) {
  sli_rpc_request_t *request = request_of(stream);
  const sli_rpc_service_t *service = request->server->service;
  if (request->server->closed) return NULL;
  return service->place(service->context, request, head, head_size, message_size, out_message);
}

// The health of a server that can answer at all: "SERVING" of HealthCheckResponse.
static void respond_health(sli_rpc_request_t *request) {
  sli_slices_t reply = {0};
  sli_slices_append(&reply, "\x08\x01", 2, NULL, NULL);
  sli_rpc_request_respond(request, NULL, &reply);
}

static void run_handler(void *context) {
  sli_rpc_request_t *request = context;
  sli_rpc_guard_lock(request->connection->guard);
  bool alive = request->stream.connection != NULL;
  sli_rpc_guard_unlock(request->connection->guard);
  const sli_rpc_service_t *service = request->server->service;
  if (!alive || request->server->closed)
    sli_rpc_request_release(&request->stream);
  else if (request->message.size == 0 && !strcmp(sli_rpc_request_method(request), SLI_RPC_HEALTH_METHOD))
    respond_health(request);
  else
    service->handle(service->context, request);
}

void sli_rpc_request_on_ended(sli_rpc_stream_t *stream) {
  sli_rpc_request_t *request = request_of(stream);
  if (request->responded || request->handed) return;
  if (stream->inbox.state != SLI_RPC_INBOX_COMPLETE) {
    refuse(request, NULL,
           stream->inbox.prefix_size == 0
               ? sli_status_make_text(SLI_INTERNAL, "the request has no message")
               : sli_status_make(SLI_INTERNAL, "the request's message is cut short: %zu of %zu bytes",
                                 stream->inbox.received, stream->inbox.size));
    return;
  }
  request->message = sli_rpc_inbox_take(&stream->inbox);
  request->handed = true;
  sli_rpc_request_retain(stream);
  sli_rpc_guard_deliver_later(request->connection->guard, &request->delivery, run_handler, request);
}

// Cancelling.

// Takes the deadline's timer back; the request must be held by another reference too.
static void drop_timer(sli_rpc_request_t *request) {
  sli_rpc_guard_lock(request->connection->guard);
  sli_rpc_timer_t *timer = request->timer;
  request->timer = NULL;
  sli_rpc_guard_unlock(request->connection->guard);
  if (sli_rpc_timer_cancel(timer)) sli_rpc_request_release(&request->stream);
}

static void run_cancel(void *context) {
  sli_rpc_request_t *request = context;
  drop_timer(request);  // now: the loop may be gone when the handler responds
  request->cancel(request->cancel_context);
  sli_rpc_request_release(&request->stream);
}

// Guard held. Queues the callback with a reference of the caller's.
static void fire_cancel(sli_rpc_request_t *request) {
  request->cancel_fired = true;
  sli_rpc_guard_deliver_later(request->connection->guard, &request->cancel_delivery, run_cancel, request);
}

static void release_request(void *context) { sli_rpc_request_release(&((sli_rpc_request_t *)context)->stream); }

void sli_rpc_request_on_closed(sli_rpc_stream_t *stream, uint32_t error_code, sli_status_t *failure) {
  sli_rpc_request_t *request = request_of(stream);
  sli_rpc_guard_t *guard = request->connection->guard;
  sli_rpc_outgoing_release(stream->outgoing, &guard->dead);
  stream->outgoing = NULL;
  if (!request->handed)
    // What it received may be a user's memory: released outside of the guard.
    sli_rpc_guard_deliver_later(guard, &request->delivery, release_request, request);
  else if (!request->responded && request->cancel && !request->cancel_fired)
    fire_cancel(request);
  else
    sli_rpc_request_release(stream);
}

static void on_deadline(void *context) {
  sli_rpc_request_t *request = context;
  sli_rpc_guard_t *guard = sli_rpc_guard_retain(request->connection->guard);
  sli_rpc_guard_lock(guard);
  if (!request->responded && request->cancel && !request->cancel_fired) {
    sli_rpc_request_retain(&request->stream);
    fire_cancel(request);
  }
  sli_rpc_guard_unlock_and_deliver(guard);
  sli_rpc_request_release(&request->stream);
  sli_rpc_guard_release(guard);
}

void sli_rpc_request_on_cancel(sli_rpc_request_t *request, sli_rpc_fn_t run, void *context) {
  sli_rpc_guard_lock(request->connection->guard);
  SLI_CHECK(!request->cancel && !request->cancel_fired);
  request->cancel = run;
  request->cancel_context = context;
  if (!request->stream.connection) {
    sli_rpc_request_retain(&request->stream);
    fire_cancel(request);
  } else if (request->deadline != SLI_NO_DEADLINE) {
    sli_rpc_request_retain(&request->stream);
    request->timer = sli_rpc_loop_add_timer(request->server->loop, request->deadline, on_deadline, request);
  }
  sli_rpc_guard_unlock(request->connection->guard);
}

bool sli_rpc_request_forget_cancel(sli_rpc_request_t *request) {
  sli_rpc_guard_lock(request->connection->guard);
  bool prevented = request->cancel && !request->cancel_fired;
  if (prevented) request->cancel = NULL;
  sli_rpc_guard_unlock(request->connection->guard);
  if (prevented) drop_timer(request);
  return prevented;
}

// For handlers.

const char *sli_rpc_request_method(const sli_rpc_request_t *request) { return sli_string_text(&request->texts); }

sli_rpc_message_t *sli_rpc_request_message(sli_rpc_request_t *request) { return &request->message; }

int64_t sli_rpc_request_deadline(const sli_rpc_request_t *request) { return request->deadline; }

const char *sli_rpc_request_peer(const sli_rpc_request_t *request) { return request->connection->peer; }

bool sli_rpc_request_is_near(const sli_rpc_request_t *request) {
  return request->reads_notes && request->connection->lender;
}

// A link is a connection under another name.
sli_rpc_link_t *sli_rpc_request_link(sli_rpc_request_t *request) {
  return (sli_rpc_link_t *)sli_rpc_connection_retain(request->connection);
}

bool sli_rpc_link_is_up(sli_rpc_link_t *link) {
  sli_rpc_connection_t *connection = (sli_rpc_connection_t *)link;
  sli_rpc_guard_lock(connection->guard);
  bool is_up = !connection->failure;
  sli_rpc_guard_unlock(connection->guard);
  return is_up;
}

void sli_rpc_link_release(sli_rpc_link_t *link) { sli_rpc_connection_release((sli_rpc_connection_t *)link); }

void sli_rpc_request_name_peer(sli_rpc_request_t *request, const char *name) {
  sli_rpc_connection_t *connection = request->connection;
  char *copy = sli_strdup(name);
  sli_rpc_guard_lock(connection->guard);
  char *old = connection->peer_name;
  connection->peer_name = copy;
  sli_rpc_guard_unlock(connection->guard);
  free(old);
}

const char *sli_rpc_request_metadata(const sli_rpc_request_t *request, const char *name) {
  const char *text = sli_string_text(&request->texts), *end = text + request->texts.size;
  text += strlen(text) + 1;
  while (text < end) {
    const char *value = text + strlen(text) + 1;
    if (!strcmp(text, name)) return value;
    text = value + strlen(value) + 1;
  }
  return NULL;
}

void sli_rpc_request_respond(sli_rpc_request_t *request, sli_status_t *status, sli_slices_t *reply) {
  sli_rpc_stream_t *stream = &request->stream;
  sli_rpc_request_forget_cancel(request);
  sli_rpc_message_release(&request->message);
  if (!status && reply && reply->size > SLI_RPC_MAX_MESSAGE_SIZE)
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "a message of %zu bytes is too long for gRPC", reply->size);
  // What an expired request failed with is of no interest to a client that knows it as expired.
  if (status && sli_now_nanos() >= request->deadline) {
    sli_status_release(status);
    status = sli_status_make(SLI_DEADLINE_EXCEEDED, "Deadline Exceeded: %s", sli_rpc_request_method(request));
  }
  sli_lend_note_t note;
  bool is_lent =
      !status && reply && sli_rpc_request_is_near(request) && sli_rpc_lend(request->connection->lender, reply, &note);
  sli_rpc_outgoing_t *outgoing = status || is_lent ? NULL : sli_rpc_outgoing_create(reply);
  if (status && reply) sli_slices_deinitialize(reply);
  sli_rpc_guard_t *guard = request->connection->guard;
  sli_rpc_guard_lock(guard);
  SLI_CHECK(request->handed && !request->responded);
  request->responded = true;
  if (stream->reserved) sli_rpc_connection_unreserve(request->connection, stream);
  if (!stream->connection) {
    sli_rpc_outgoing_release(outgoing, &guard->dead);
    if (is_lent) sli_lender_withdraw(&note);
  } else {
    if (status)
      submit_error(request, status);
    else
      submit_reply(request, is_lent ? sli_rpc_connection_announce(request->connection, &note) : outgoing);
    sli_rpc_connection_push(request->connection);
  }
  sli_rpc_guard_unlock(guard);
  sli_status_release(status);
  sli_rpc_request_release(stream);
}
