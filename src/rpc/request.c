// One request: receives headers and message, calls the handler, sends the reply.
//
// A request has two owners: its connection while the stream exists, and the handler
// from the delivery to the response. Either may end first.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/identity_internal.h"
#include "rpc/server_internal.h"

// Space for our other headers next to grpc-message within the peer's limit.
#define OTHER_HEADERS_SIZE 320
#define MIN_MESSAGE_TEXT 128
#define MAX_MESSAGE_TEXT 32768
// gRPC drops replies with larger headers than this, at random, even if it announces twice as much.
#define GRPC_SOFT_HEADER_LIMIT 8192

struct sli_rpc_request {
  sli_rpc_stream_t stream;  // first
  sli_refcount_t references;
  sli_rpc_server_t *server;
  sli_rpc_connection_t *connection;  // retained: stream.connection becomes NULL when the stream ends
  sli_string_t texts;                // method, then names and values of metadata, each with its NUL
  size_t header_size;
  int64_t deadline;
  bool is_post, is_head, is_grpc;
  bool has_token, is_authentic;  // a token was sent; it is the right one
  bool reads_notes;              // can read notes instead of messages
  sli_rpc_message_t message;

  // Under the guard:
  bool headers_done;
  bool handed;     // to the handler, or queued for it
  bool responded;  // by the handler or by rpc itself
  bool cancel_fired;
  sli_rpc_fn_t cancel;
  void *cancel_context;
  sli_rpc_timer_t *timer;
  sli_rpc_delivery_t delivery, cancel_delivery;

  // Of a conversation, under the guard:
  SLI_ARRAY(sli_rpc_outgoing_t *) replies;  // not yet sent
  bool is_over;                             // no reply is added any more
  sli_status_t *end;                        // with which it ends
};

// Replies of a conversation that wait to be sent.
enum { MAX_REPLIES = 1000 };

static sli_rpc_request_t *request_of(sli_rpc_stream_t *stream) { return (sli_rpc_request_t *)stream; }

sli_rpc_stream_t *sli_rpc_request_open(sli_rpc_connection_t *connection) {
  sli_rpc_server_t *server = connection->config.owner;
  sli_rpc_request_t *request = sli_calloc(1, sizeof(*request));
  sli_refcount_initialize(&request->references);
  request->server = sli_rpc_server_retain(server);
  request->connection = sli_rpc_connection_retain(connection);
  request->deadline = SLI_CLOCK_NO_DEADLINE;
  request->stream.wants_place = server->service->place != NULL;
  return &request->stream;
}

void sli_rpc_request_retain(sli_rpc_stream_t *stream) { sli_refcount_retain(&request_of(stream)->references); }

// Returns the request's part of the server's budget, when its message was released.
static void uncharge(sli_rpc_request_t *request) {
  if (request->stream.charged) atomic_fetch_sub(&request->server->budget.buffered, request->stream.charged);
  request->stream.charged = 0;
}

void sli_rpc_request_release(sli_rpc_stream_t *stream) {
  sli_rpc_request_t *request = request_of(stream);
  if (!sli_refcount_release(&request->references)) return;
  sli_rpc_inbox_deinitialize(&stream->inbox);
  sli_rpc_message_release(&request->message);
  uncharge(request);
  if (stream->reserved) {
    // Only a request without a response still has a reservation here; the guard is not held then.
    sli_rpc_guard_lock(request->connection->guard);
    sli_rpc_connection_unreserve(request->connection, stream);
    sli_rpc_guard_unlock(request->connection->guard);
  }
  sli_string_deinitialize(&request->texts);
  sli_array_deinitialize(&request->replies);
  sli_status_release(request->end);
  sli_rpc_connection_release(request->connection);
  sli_rpc_server_release(request->server);
  free(request);
}

// Replies. The caller must hold the guard.

// The text of |status| as a header: a peer drops a reply whose headers exceed its limit; a shorter text is better than
// none.
static void append_message_header(const sli_rpc_request_t *request, const sli_status_t *status, sli_string_t *out) {
  uint32_t accepted =
      nghttp2_session_get_remote_settings(request->connection->session, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE);
  if (accepted <= 2 * GRPC_SOFT_HEADER_LIMIT && accepted > GRPC_SOFT_HEADER_LIMIT) accepted = GRPC_SOFT_HEADER_LIMIT;
  size_t limit = accepted > OTHER_HEADERS_SIZE + MIN_MESSAGE_TEXT ? accepted - OTHER_HEADERS_SIZE : MIN_MESSAGE_TEXT;
  if (limit > MAX_MESSAGE_TEXT) limit = MAX_MESSAGE_TEXT;
  sli_rpc_percent_encode(sli_status_message(status), limit, out);
}

// Sends headers and message; the trailers follow when the message was sent.
static void submit_reply(sli_rpc_request_t *request, sli_rpc_outgoing_t *reply) {
  const nghttp2_nv headers[] = {
      SLI_RPC_STATIC_HEADER(":status", "200"),
      SLI_RPC_STATIC_HEADER("content-type", "application/grpc"),
      SLI_RPC_STATIC_HEADER("grpc-accept-encoding", "identity"),
  };
  request->stream.outgoing = reply;
  sli_rpc_outgoing_count(reply, &request->connection->unread);
  sli_rpc_connection_respond(request->connection, &request->stream, headers, SLI_ARRAY_COUNT_OF(headers));
}

// Sends an error without a message: the headers are the trailers, too.
static void submit_error(sli_rpc_request_t *request, const sli_status_t *status) {
  char code[8];
  snprintf(code, sizeof(code), "%d", (int)sli_status_code(status));
  sli_string_t text = {0};
  append_message_header(request, status, &text);
  // Texts of refusals are few and repeat; others are hardly ever the same.
  uint8_t flags = NGHTTP2_NV_FLAG_NO_COPY_NAME | (request->connection->is_stranger ? 0 : NGHTTP2_NV_FLAG_NO_INDEX);
  const nghttp2_nv headers[] = {
      SLI_RPC_STATIC_HEADER(":status", "200"),
      SLI_RPC_STATIC_HEADER("content-type", "application/grpc"),
      sli_rpc_header("grpc-status", code, NGHTTP2_NV_FLAG_NO_COPY_NAME),
      sli_rpc_header("grpc-message", sli_string_text(&text), flags),
      SLI_RPC_STATIC_HEADER("grpc-accept-encoding", "identity"),
  };
  size_t count = SLI_ARRAY_COUNT_OF(headers) - request->connection->is_stranger;
  sli_rpc_connection_respond(request->connection, &request->stream, headers, count);
  sli_string_deinitialize(&text);
}

// The reply to a browser or another HTTP client.
static void submit_http_error(sli_rpc_request_t *request, const char *http_status) {
  static const char text[] = "This port speaks gRPC (POST, content-type application/grpc), not plain HTTP.\n";
  const nghttp2_nv headers[] = {
      sli_rpc_header(":status", http_status, NGHTTP2_NV_FLAG_NO_COPY_NAME),
      SLI_RPC_STATIC_HEADER("content-type", "text/plain"),
  };
  sli_rpc_connection_respond_text(request->connection, &request->stream, headers, SLI_ARRAY_COUNT_OF(headers),
                                  request->is_head ? NULL : text);
}

// Replies without the handler: with |http_status| or, if that is NULL, with |status|, which it consumes. What the peer
// still sends is dropped.
static void refuse(sli_rpc_request_t *request, const char *http_status, sli_status_t *status) {
  request->responded = true;
  request->stream.ignores_input = true;
  if (http_status)
    submit_http_error(request, http_status);
  else
    submit_error(request, status);
  sli_status_release(status);
  sli_rpc_connection_push(request->connection);
}

void sli_rpc_request_on_sent(sli_rpc_stream_t *stream) {
  const nghttp2_nv trailers[] = {SLI_RPC_STATIC_HEADER("grpc-status", "0")};
  sli_rpc_connection_trailers(stream->connection, stream, trailers, SLI_ARRAY_COUNT_OF(trailers));
}

// Receiving. The caller holds the guard; inside nghttp2.

static void append_text(sli_rpc_request_t *request, sli_view_t text) {
  sli_string_append(&request->texts, text.data, text.size);
  sli_string_append_char(&request->texts, '\0');
}

// Headers of HTTP and gRPC, which are not metadata.
static bool is_reserved(sli_view_t name) {
  return sli_view_starts_with(name, "grpc-") || sli_view_is(name, "te") || sli_view_is(name, "user-agent") ||
         sli_view_is(name, "accept-encoding");
}

bool sli_rpc_request_on_header(sli_rpc_stream_t *stream, sli_view_t name, sli_view_t value) {
  sli_rpc_request_t *request = request_of(stream);
  request->header_size += name.size + value.size + 32;
  if (request->header_size > request->server->options.max_header_size) return false;
  if (request->headers_done) return true;  // trailers of a request are ignored
  int64_t nanos;
  if (sli_view_is(name, ":method")) {
    request->is_post = sli_view_is(value, "POST");
    request->is_head = sli_view_is(value, "HEAD");
  } else if (sli_view_is(name, ":path")) {
    // Precedes all metadata: nghttp2 ensures that pseudo headers come first, and once.
    append_text(request, value);
  } else if (sli_view_is(name, "content-type")) {
    request->is_grpc = sli_rpc_is_grpc_content_type(value);
  } else if (sli_view_is(name, "grpc-timeout")) {
    int64_t now = sli_rpc_loop_now(request->server->loop);
    if (sli_rpc_timeout_parse(value, &nanos))
      request->deadline = nanos < INT64_MAX - now ? now + nanos : SLI_CLOCK_NO_DEADLINE;
  } else if (sli_view_is(name, SLI_RPC_TOKEN_HEADER)) {
    request->has_token = true;
    request->is_authentic = sli_rpc_identity_accepts(request->server->options.identity, value);
  } else if (sli_view_is(name, SLI_RPC_LOAN_HEADER)) {
    request->reads_notes = sli_view_is(value, SLI_RPC_LOAN_VERSION);
  } else if (name.size && name.data[0] != ':' && !is_reserved(name)) {
    append_text(request, name);
    append_text(request, value);
  }
  return true;
}

// The health check is for anyone: it only says that the server is there.
static void refuse_unauthentic(sli_rpc_request_t *request) {
  if (!request->connection->config.must_identify || !strcmp(sli_rpc_request_method(request), SLI_RPC_HEALTH_METHOD))
    return;
  sli_rpc_connection_t *connection = request->connection;
  bool is_known = !request->is_authentic && !connection->is_stranger &&
                  sli_rpc_identity_knows(request->server->options.identity, connection->fd);
  if (is_known) connection->config.must_identify = false;
  if (request->is_authentic || is_known) {
    if (connection->lendable_pid) sli_rpc_connection_trust(connection);
    return;
  }
  sli_rpc_server_complain(request->server, connection->peer,
                          request->has_token ? "its call has another token than this task"
                                             : "its call has no token, and this task has one");
  // Later refusals are references to this text in the peer's header table; a peer without one gets a word. So nobody
  // makes the server send much more than it got.
  bool is_brief = connection->is_stranger &&
                  nghttp2_session_get_remote_settings(connection->session, NGHTTP2_SETTINGS_HEADER_TABLE_SIZE) < 4096;
  connection->is_stranger = true;
  refuse(request, NULL,
         is_brief ? sli_status_make_text(SLI_UNAUTHENTICATED, request->has_token ? "another token" : "no token")
                  : sli_status_make(SLI_UNAUTHENTICATED,
                                    "%s: set SLUICE_TOKEN or SLUICE_TOKEN_FILE to the token of the server's job%s",
                                    request->has_token ? "the call has another token than the server"
                                                       : "the server requires a token and the call has none",
                                    request->has_token ? "" : " (stock TensorFlow cannot send one)"));
}

static void refuse_unknown_method(sli_rpc_request_t *request) {
  const sli_rpc_service_t *service = request->server->service;
  const char *method = sli_rpc_request_method(request);
  if (!service->check_method || !strcmp(method, SLI_RPC_HEALTH_METHOD)) return;
  sli_status_t *status = service->check_method(method);
  if (status) refuse(request, NULL, status);
}

void sli_rpc_request_on_headers(sli_rpc_stream_t *stream) {
  sli_rpc_request_t *request = request_of(stream);
  if (request->headers_done) return;
  request->headers_done = true;
  if (!request->is_post)
    refuse(request, "405", NULL);
  else if (!request->is_grpc)
    refuse(request, "415", NULL);
  else
    refuse_unauthentic(request);
  if (!request->responded) refuse_unknown_method(request);
  const sli_rpc_service_t *service = request->server->service;
  if (request->responded || !service->is_conversation) return;
  stream->is_conversation = service->is_conversation(sli_rpc_request_method(request));
  stream->wants_place &= !stream->is_conversation;
}

// Conversations. The caller holds the guard; inside nghttp2. Their requests are never handed to a handler.

// Ends the conversation when its replies were sent, with |status| (consumed).
static void end_conversation(sli_rpc_request_t *request, sli_status_t *status) {
  if (request->is_over || !request->responded) {
    if (!request->responded)
      refuse(request, NULL, status);
    else
      sli_status_release(status);
    return;
  }
  request->is_over = true;
  request->end = status;
  request->stream.ignores_input |= status != NULL;
  sli_rpc_connection_resume(request->connection, &request->stream);
  sli_rpc_connection_push(request->connection);
}

static void add_reply(sli_rpc_request_t *request, sli_string_t *reply) {
  sli_slices_t slices = {0};
  if (reply->size) sli_slices_append_string(&slices, reply);
  sli_rpc_outgoing_t *outgoing = sli_rpc_outgoing_create(&slices);
  if (request->responded) {
    sli_rpc_outgoing_count(outgoing, &request->connection->unread);
    sli_array_push(&request->replies, outgoing);
    sli_rpc_connection_resume(request->connection, &request->stream);
  } else {
    request->responded = true;
    submit_reply(request, outgoing);
  }
  sli_rpc_connection_push(request->connection);
}

void sli_rpc_request_on_message(sli_rpc_stream_t *stream) {
  sli_rpc_request_t *request = request_of(stream);
  const sli_rpc_service_t *service = request->server->service;
  sli_rpc_message_t message = sli_rpc_inbox_take(&stream->inbox);
  stream->inbox = (sli_rpc_inbox_t){.reads_notes = stream->inbox.reads_notes};
  sli_string_t reply = {0};
  sli_status_t *status = NULL;
  if (request->replies.count >= MAX_REPLIES)
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "%d replies of this stream were not read yet", MAX_REPLIES);
  if (!status)
    status = service->converse(sli_rpc_request_method(request), sli_view_of(message.data, message.size), &reply);
  if (status)
    end_conversation(request, status);
  else
    add_reply(request, &reply);
  sli_string_deinitialize(&reply);
  sli_rpc_message_release(&message);
}

bool sli_rpc_request_on_next(sli_rpc_stream_t *stream, bool *out_ended) {
  sli_rpc_request_t *request = request_of(stream);
  sli_rpc_outgoing_release(stream->outgoing, &request->connection->guard->dead);
  stream->outgoing = NULL;
  *out_ended = false;
  if (request->replies.count) {
    stream->outgoing = request->replies.items[0];
    request->replies.count--;
    memmove(request->replies.items, request->replies.items + 1,
            request->replies.count * sizeof(*request->replies.items));
    return true;
  }
  if (!request->is_over) return false;
  *out_ended = true;
  char code[8];
  snprintf(code, sizeof(code), "%d", (int)sli_status_code(request->end));
  sli_string_t text = {0};
  append_message_header(request, request->end, &text);
  const nghttp2_nv trailers[] = {
      sli_rpc_header("grpc-status", code, NGHTTP2_NV_FLAG_NO_COPY_NAME),
      sli_rpc_header("grpc-message", sli_string_text(&text), NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_INDEX),
  };
  sli_rpc_connection_trailers(stream->connection, stream, trailers, SLI_ARRAY_COUNT_OF(trailers));
  sli_string_deinitialize(&text);
  return false;
}

bool sli_rpc_request_is_incomplete(const sli_rpc_stream_t *stream) {
  const sli_rpc_request_t *request = (const sli_rpc_request_t *)stream;
  return !request->handed && !request->responded && !stream->is_conversation;
}

void sli_rpc_request_on_failed(sli_rpc_stream_t *stream, sli_status_t *status) {
  if (stream->is_conversation)
    end_conversation(request_of(stream), status);
  else
    refuse(request_of(stream), NULL, status);
}

char *sli_rpc_request_on_place(sli_rpc_stream_t *stream, const char *head, size_t head_size, size_t message_size,
                               sli_rpc_message_t *out_message) {
  sli_rpc_request_t *request = request_of(stream);
  const sli_rpc_service_t *service = request->server->service;
  if (request->server->closed) return NULL;
  return service->place(service->context, request, head, head_size, message_size, out_message);
}

// "SERVING" of HealthCheckResponse.
static void respond_health(sli_rpc_request_t *request) {
  sli_slices_t reply = {0};
  sli_slices_append(&reply, "\x08\x01", 2, NULL, NULL);
  sli_rpc_request_respond(request, NULL, &reply);
}

// Held requests. A peer that does not read its replies gets no more of them: its next requests wait in a list of the
// connection and are handled one after the other as it reads. The caller must hold the guard.

static void hold(sli_rpc_request_t *request) {
  sli_rpc_connection_t *connection = request->connection;
  sli_rpc_stream_t *stream = &request->stream;
  stream->is_held = true;
  stream->held_next = NULL;
  stream->held_previous = connection->last_held;
  *(connection->last_held ? &connection->last_held->held_next : &connection->first_held) = stream;
  connection->last_held = stream;
}

static void unhold(sli_rpc_request_t *request) {
  sli_rpc_connection_t *connection = request->connection;
  sli_rpc_stream_t *stream = &request->stream;
  *(stream->held_previous ? &stream->held_previous->held_next : &connection->first_held) = stream->held_next;
  *(stream->held_next ? &stream->held_next->held_previous : &connection->last_held) = stream->held_previous;
  stream->is_held = false;
}

static bool is_health_check(const sli_rpc_request_t *request) {
  return request->message.size == 0 && !strcmp(sli_rpc_request_method(request), SLI_RPC_HEALTH_METHOD);
}

// Calls the handler, unless the client has gone. Without the guard.
static void handle_request(sli_rpc_request_t *request, bool alive) {
  const sli_rpc_service_t *service = request->server->service;
  if (!alive || request->server->closed)
    sli_rpc_request_release(&request->stream);
  else if (is_health_check(request))
    respond_health(request);
  else
    service->handle(service->context, request);
}

static void run_handler(void *context) {
  sli_rpc_request_t *request = context;
  sli_rpc_connection_t *connection = request->connection;
  sli_rpc_guard_lock(connection->guard);
  bool alive = request->stream.connection != NULL;
  bool waits = alive && (connection->first_held || connection->unread > connection->config.max_unread_size) &&
               !is_health_check(request);
  if (waits) hold(request);
  sli_rpc_guard_unlock(connection->guard);
  if (!waits) handle_request(request, alive);
}

static void run_released(void *context) {
  sli_rpc_request_t *request = context;
  sli_rpc_connection_t *connection = sli_rpc_connection_retain(request->connection);
  sli_rpc_guard_lock(connection->guard);
  bool alive = request->stream.connection != NULL;
  sli_rpc_guard_unlock(connection->guard);
  handle_request(request, alive);
  sli_rpc_guard_lock(connection->guard);
  connection->is_releasing = false;
  sli_rpc_request_on_written(connection);
  sli_rpc_guard_unlock(connection->guard);
  sli_rpc_connection_release(connection);
}

void sli_rpc_request_on_written(sli_rpc_connection_t *connection) {
  if (!connection->first_held || connection->is_releasing || connection->unread > connection->config.max_unread_size)
    return;
  sli_rpc_request_t *request = request_of(connection->first_held);
  unhold(request);
  connection->is_releasing = true;
  sli_rpc_guard_deliver_later(connection->guard, &request->delivery, run_released, request);
}

void sli_rpc_request_on_ended(sli_rpc_stream_t *stream) {
  sli_rpc_request_t *request = request_of(stream);
  if (stream->is_conversation) {
    end_conversation(request, NULL);
    return;
  }
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

// Cancels the timer of the deadline. The caller must have another reference of the request.
static void drop_timer(sli_rpc_request_t *request) {
  sli_rpc_guard_lock(request->connection->guard);
  sli_rpc_timer_t *timer = request->timer;
  request->timer = NULL;
  sli_rpc_guard_unlock(request->connection->guard);
  if (sli_rpc_timer_cancel(timer)) sli_rpc_request_release(&request->stream);
}

static void run_cancel(void *context) {
  sli_rpc_request_t *request = context;
  drop_timer(request);  // now: the loop may not exist when the handler responds
  request->cancel(request->cancel_context);
  sli_rpc_request_release(&request->stream);
}

// Queues the callback, which consumes a reference of the caller. The caller must hold the guard.
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
  for (size_t i = 0; i < request->replies.count; i++) sli_rpc_outgoing_release(request->replies.items[i], &guard->dead);
  request->replies.count = 0;
  sli_rpc_request_on_written(request->connection);
  if (!request->handed || stream->is_held) {
    // Its message may be a user's memory: release it without the guard.
    sli_rpc_guard_deliver_later(guard, &request->delivery, release_request, request);
    if (!stream->is_held) return;
    unhold(request);
    sli_rpc_request_release(stream);  // the delivery has the handler's reference
  } else if (!request->responded && request->cancel && !request->cancel_fired) {
    fire_cancel(request);
  } else {
    sli_rpc_request_release(stream);
  }
}

static void on_request_deadline(void *context) {
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
  } else if (request->deadline != SLI_CLOCK_NO_DEADLINE) {
    sli_rpc_request_retain(&request->stream);
    request->timer = sli_rpc_loop_add_timer(request->server->loop, request->deadline, on_request_deadline, request);
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

size_t sli_rpc_request_unread(const sli_rpc_request_t *request) {
  sli_rpc_guard_lock(request->connection->guard);
  size_t unread = request->connection->unread;
  sli_rpc_guard_unlock(request->connection->guard);
  return unread;
}

bool sli_rpc_request_can_borrow(const sli_rpc_request_t *request) {
  return request->reads_notes && request->connection->borrower;
}

// A link is a connection; only the type differs.
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
  uncharge(request);
  if (!status && reply && reply->size > SLI_RPC_MAX_MESSAGE_SIZE)
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "a message of %zu bytes is too long for gRPC", reply->size);
  // After the deadline the client expects DEADLINE_EXCEEDED, whatever the request failed with.
  if (status && sli_rpc_loop_now(request->connection->loop) >= request->deadline) {
    sli_status_release(status);
    status = sli_status_make(SLI_DEADLINE_EXCEEDED, "Deadline Exceeded: %s", sli_rpc_request_method(request));
  }
  sli_lend_note_t note;
  bool is_lent = !status && reply && sli_rpc_request_can_borrow(request) &&
                 sli_rpc_lend(request->connection->borrower, reply, &note);
  sli_rpc_outgoing_t *outgoing = status || is_lent ? NULL : sli_rpc_outgoing_create(reply);
  if (status && reply) sli_slices_deinitialize(reply);
  sli_rpc_guard_t *guard = request->connection->guard;
  sli_rpc_guard_lock(guard);
  SLI_CHECK(request->handed && !request->responded);
  request->responded = true;
  if (stream->reserved) sli_rpc_connection_unreserve(request->connection, stream);
  if (!stream->connection) {
    sli_rpc_outgoing_release(outgoing, &guard->dead);
    if (is_lent) sli_lend_note_withdraw(&note);
  } else {
    if (status)
      submit_error(request, status);
    else
      submit_reply(request, is_lent ? sli_rpc_connection_create_note(request->connection, &note) : outgoing);
    sli_rpc_connection_push(request->connection);
  }
  sli_rpc_guard_unlock(guard);
  sli_status_release(status);
  sli_rpc_request_release(stream);
}
