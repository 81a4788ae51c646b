// The nghttp2 part of a connection: its callbacks, and moving bytes in and out of
// nghttp2. All of it runs under the guard, so callbacks of the side only change
// state; what must call others is queued until the guard is released.
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "rpc/connection_internal.h"

// Flow control windows. That of a request is small until the size of its message is known and accepted. A reply was
// requested by us: its window is large from the start, so that a message that fits never waits for credit.
#define STREAM_WINDOW ((int32_t)1 << 20)
#define LARGE_STREAM_WINDOW ((int32_t)8 << 20)
#define CONNECTION_WINDOW ((int32_t)16 << 20)
#define RECEIVED_FRAME_SIZE ((uint32_t)4 << 20)
#define FIRST_FRAME_SIZE ((uint32_t)16 << 10)
#define SENT_FRAME_SIZE ((size_t)1 << 20)
// How much is moved from nghttp2 to the output before it is written.
#define FILL_SIZE ((size_t)1 << 20)
#define FILL_PIECES 48
// A smaller rest of a message is not worth a direct read.
#define DIRECT_READ_SIZE ((size_t)16 << 10)
// Messages up to these sizes do not count for the budget of the connection and of the server.
#define SMALL_MESSAGE_SIZE ((size_t)64 << 10)
#define TINY_MESSAGE_SIZE ((size_t)4 << 10)
// The most that the first byte of a message makes resident: a huge page.
#define PROMISE_SIZE ((size_t)2 << 20)

static sli_rpc_stream_t *stream_of(nghttp2_session *session, int32_t id) {
  return nghttp2_session_get_stream_user_data(session, id);
}

// Flow control and the budget.

// Tells the peer that it may send |size| more bytes on the stream, unless the stream is parked.
static void give_credit(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, size_t size) {
  if (!stream->parked) {
    nghttp2_session_consume_stream(connection->session, stream->id, size);
    return;
  }
  stream->withheld += size;
  connection->withheld += size;
}

static void widen_window(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream) {
  if (connection->config.side->server && stream->inbox.size > (size_t)STREAM_WINDOW)
    nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, stream->id, LARGE_STREAM_WINDOW);
}

// Called when the size of a message is known: accepts the message, parks it, or returns an error.
static sli_status_t *admit(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream) {
  const sli_rpc_connection_config_t *config = &connection->config;
  size_t size = stream->inbox.size;
  if (stream->is_conversation && size > TINY_MESSAGE_SIZE)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "Received message larger than max (%zu vs. %zu)", size,
                           TINY_MESSAGE_SIZE);
  if (stream->admitted) return NULL;
  stream->admitted = true;
  if (size > config->max_message_size)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "Received message larger than max (%zu vs. %zu)", size,
                           config->max_message_size);
  if (config->max_buffered_size && size > SMALL_MESSAGE_SIZE) {
    stream->reserved = size;
    if (connection->buffered > 0 && connection->buffered + size > config->max_buffered_size) {
      stream->parked = true;
      connection->parked_count++;
      return NULL;
    }
    connection->buffered += size;
  }
  widen_window(connection, stream);
  return NULL;
}

// Takes the memory of a message before its bytes have arrived, of which |arrived| are here, if the budgets allow that.
static bool promise(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, size_t arrived) {
  sli_rpc_budget_t *budget = connection->config.budget;
  size_t size = stream->inbox.size < PROMISE_SIZE ? stream->inbox.size : PROMISE_SIZE;
  if (!budget || stream->promised || stream->inbox.size <= arrived) return true;
  if (stream->parked || connection->promised + size > connection->config.max_promised_size) return false;
  if (atomic_fetch_add(&budget->promised, size) + size > budget->max_promised) {
    atomic_fetch_sub(&budget->promised, size);
    return false;
  }
  stream->promised = size;
  connection->promised += size;
  return true;
}

void sli_rpc_connection_unpromise(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream) {
  if (!stream->promised) return;
  atomic_fetch_sub(&connection->config.budget->promised, stream->promised);
  connection->promised -= stream->promised;
  stream->promised = 0;
}

// Counts |size| received bytes of a message.
static sli_status_t *charge(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, size_t size) {
  sli_rpc_budget_t *budget = connection->config.budget;
  if (!budget || stream->inbox.size <= TINY_MESSAGE_SIZE) return NULL;
  stream->charged += size;
  size_t buffered = atomic_fetch_add(&budget->buffered, size) + size;
  if (buffered <= budget->max_buffered) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED,
                         "this server holds %zu bytes of unanswered requests, the most is %zu; try again later",
                         buffered, budget->max_buffered);
}

void sli_rpc_connection_unreserve(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream) {
  connection->buffered -= stream->reserved;
  stream->reserved = 0;
  if (!connection->session || connection->parked_count == 0) return;
  for (sli_rpc_stream_t *next = connection->first_stream; next; next = next->next) {
    if (!next->parked) continue;
    if (connection->buffered > 0 && connection->buffered + next->reserved > connection->config.max_buffered_size) break;
    connection->buffered += next->reserved;
    connection->parked_count--;
    connection->withheld -= next->withheld;
    next->parked = false;
    give_credit(connection, next, next->withheld);
    next->withheld = 0;
    widen_window(connection, next);
  }
  sli_rpc_connection_push(connection);
}

// Receiving a message.

static sli_status_t *place_by_default(sli_rpc_stream_t *stream) {
  sli_rpc_message_t message;
  SLI_RETURN_IF_ERROR(sli_rpc_message_allocate(stream->inbox.size, &message));
  sli_rpc_inbox_place(&stream->inbox, &message);
  return NULL;
}

// Chooses the memory of a message. Returns NGHTTP2_ERR_PAUSE if the side must be asked, which is done without the
// guard.
static int choose_place(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, const char *data, size_t size,
                        sli_status_t **out_status) {
  *out_status = admit(connection, stream);
  if (*out_status) return 0;
  if (stream->inbox.head_size == 0 && !promise(connection, stream, size)) {
    *out_status = sli_rpc_inbox_place_growing(&stream->inbox);
    return 0;
  }
  if (!stream->wants_place || stream->inbox.size == 0 || stream->inbox.is_note) {
    *out_status = place_by_default(stream);
    return 0;
  }
  size_t head_size;
  const char *head = sli_rpc_inbox_head(&stream->inbox, data, size, &head_size);
  if (!head) return 0;
  connection->placing = stream;
  connection->head = head;
  connection->head_size = head_size;
  connection->chunk = data;
  connection->chunk_size = size;
  return NGHTTP2_ERR_PAUSE;
}

// Fails the message and ignores the rest of the stream's data.
static void reject_message(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, sli_status_t *status) {
  stream->ignores_input = true;
  connection->config.side->failed(stream, status);
}

// Replaces the complete note by the message that it describes.
static sli_status_t *follow_note(sli_rpc_connection_t *connection, sli_rpc_inbox_t *inbox) {
  sli_rpc_message_t message;
  sli_lend_note_t note;
  memcpy(&note, inbox->message.data, sizeof(note));
  SLI_RETURN_IF_ERROR(sli_rpc_borrow(connection->lender_memory, &note, connection->config.max_message_size, &message));
  sli_rpc_message_release(&inbox->message);
  inbox->message = message;
  inbox->is_note = false;
  connection->traffic.bytes_received += message.size;
  return NULL;
}

static int receive(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, const char *data, size_t size) {
  sli_rpc_inbox_t *inbox = &stream->inbox;
  while (size > 0 && !stream->ignores_input) {
    size_t used = 0;
    sli_status_t *status = sli_rpc_inbox_feed(inbox, data, size, &used);
    if (!status && inbox->state >= SLI_RPC_INBOX_BODY) status = charge(connection, stream, used);
    if (inbox->state == SLI_RPC_INBOX_COMPLETE) sli_rpc_connection_unpromise(connection, stream);
    give_credit(connection, stream, used);
    data += used;
    size -= used;
    int paused = 0;
    if (!status && inbox->state == SLI_RPC_INBOX_SIZED) {
      paused = choose_place(connection, stream, data, size, &status);
      if (paused) return paused;
      if (!status && inbox->state == SLI_RPC_INBOX_SIZED) {  // the head is incomplete; it was stored
        give_credit(connection, stream, size);
        return 0;
      }
    }
    if (!status && inbox->is_note && inbox->state == SLI_RPC_INBOX_COMPLETE) status = follow_note(connection, inbox);
    if (!status && stream->parked && connection->withheld > connection->config.max_buffered_size)
      status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "too many bytes of unanswered requests on this connection");
    if (status)
      reject_message(connection, stream, status);
    else if (stream->is_conversation && inbox->state == SLI_RPC_INBOX_COMPLETE)
      connection->config.side->message(stream);
  }
  if (size > 0 && stream->connection) give_credit(connection, stream, size);
  return 0;
}

// Asks the side for the memory of a message, without the guard, and continues with the chunk that contained its head.
static void place_paused(sli_rpc_connection_t *connection) {
  const sli_rpc_side_t *side = connection->config.side;
  sli_rpc_stream_t *stream = connection->placing;
  const char *head = connection->head;
  size_t head_size = connection->head_size, message_size = stream->inbox.size;
  side->retain(stream);
  sli_rpc_guard_unlock(connection->guard);
  sli_rpc_message_t message = {0};
  char *placed = side->place(stream, head, head_size, message_size, &message);
  sli_rpc_guard_lock(connection->guard);
  if (connection->placing != stream) {  // cancelled meanwhile
    sli_rpc_guard_unlock(connection->guard);
    sli_rpc_message_release(&message);
    side->release(stream);
    sli_rpc_guard_lock(connection->guard);
    return;
  }
  connection->placing = NULL;
  sli_status_t *status = NULL;
  if (placed) {
    message.data = placed;
    message.size = message_size;
    sli_rpc_inbox_place(&stream->inbox, &message);
  } else {
    status = place_by_default(stream);
  }
  if (status) reject_message(connection, stream, status);
  receive(connection, stream, connection->chunk, connection->chunk_size);
  side->release(stream);  // never the last one: the connection or a delivery has another
}

void sli_rpc_http2_receive(sli_rpc_connection_t *connection, const char *data, size_t size) {
  bool paused = false;
  while ((size > 0 || paused) && !connection->failure && !connection->broken) {
    connection->in_session = true;
    ssize_t used = nghttp2_session_mem_recv(connection->session, (const uint8_t *)data, size);
    connection->in_session = false;
    if (used < 0) {
      const char *why = connection->protocol_error ? connection->protocol_error : nghttp2_strerror((int)used);
      sli_rpc_connection_break(connection, sli_status_make(SLI_UNAVAILABLE, "HTTP/2 protocol error: %s", why));
      return;
    }
    data += used;
    size -= (size_t)used;
    paused = connection->placing != NULL;
    if (paused)
      place_paused(connection);
    else if (used == 0)
      return;  // nghttp2 ignores what this peer sends
  }
}

char *sli_rpc_http2_destination(sli_rpc_connection_t *connection, size_t *out_size) {
  *out_size = 0;
  if (connection->data_left < DIRECT_READ_SIZE) return NULL;
  sli_rpc_stream_t *stream = stream_of(connection->session, connection->data_stream);
  if (!stream || stream->ignores_input || stream->inbox.state != SLI_RPC_INBOX_BODY) return NULL;
  size_t left = stream->inbox.size - stream->inbox.received;
  *out_size = left < connection->data_left ? left : connection->data_left;
  size_t room = stream->inbox.capacity - stream->inbox.received;
  if (*out_size > room) *out_size = room;
  if (room < left && room < DIRECT_READ_SIZE) *out_size = 0;
  if (*out_size == 0) return NULL;
  return sli_rpc_inbox_next(&stream->inbox);
}

// Whether a client sends HEADERS on a stream that it has ended, or left out: nghttp2 forgets closed streams and ignores
// that, as it ignores DATA there. Only while we have reset no stream, since the client may not know of it yet; but what
// it has reset itself it knows.
static bool is_on_closed_stream(nghttp2_session *session, const nghttp2_frame_hd *header,
                                const sli_rpc_connection_t *connection) {
  int32_t id = header->stream_id;
  if (!connection->config.side->server || header->type != NGHTTP2_HEADERS || id % 2 == 0 ||
      id > nghttp2_session_get_last_proc_stream_id(session) || nghttp2_session_find_stream(session, id))
    return false;
  return !connection->has_reset || id == connection->reset_by_peer;
}

static int on_begin_frame(nghttp2_session *session, const nghttp2_frame_hd *header, void *context) {
  sli_rpc_connection_t *connection = context;
  connection->data_left = 0;
  if (is_on_closed_stream(session, header, connection)) {
    nghttp2_session_terminate_session(session, NGHTTP2_STREAM_CLOSED);
    return 0;
  }
  if (header->type == NGHTTP2_DATA && !(header->flags & NGHTTP2_FLAG_PADDED)) {
    connection->data_stream = header->stream_id;
    connection->data_left = header->length;
  }
  return 0;
}

static int on_data_chunk(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t size,
                         void *context) {
  sli_rpc_connection_t *connection = context;
  connection->data_left -= size < connection->data_left ? size : connection->data_left;
  // The window of the connection counts bytes in flight; these have arrived.
  nghttp2_session_consume_connection(session, size);
  sli_rpc_stream_t *stream = stream_of(session, id);
  if (!stream) {
    nghttp2_session_consume_stream(session, id, size);
    return 0;
  }
  return receive(connection, stream, (const char *)data, size);
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
  sli_rpc_connection_t *connection = context;
  if (!connection->config.side->server || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  sli_rpc_stream_t *stream = connection->config.side->open(connection);
  if (!stream) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  sli_rpc_connection_attach(connection, stream, frame->hd.stream_id);
  nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
  return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *context) {
  sli_rpc_connection_t *connection = context;
  sli_rpc_stream_t *stream = stream_of(session, frame->hd.stream_id);
  if (!stream) return 0;
  bool accepted = connection->config.side->header(stream, sli_view_of((const char *)name, name_size),
                                                  sli_view_of((const char *)value, value_size));
  return accepted ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

// Frames of a stranger stay small, as its headers come in one. Large ones are for messages.
static void take_large_frames(sli_rpc_connection_t *connection, const sli_rpc_stream_t *stream) {
  if (!connection->config.side->server || connection->takes_large_frames || stream->ignores_input) return;
  connection->takes_large_frames = true;
  nghttp2_settings_entry large = {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, RECEIVED_FRAME_SIZE};
  nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, &large, 1);
}

static int on_frame_received(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
  sli_rpc_connection_t *connection = context;
  const sli_rpc_side_t *side = connection->config.side;
  switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA: {
      sli_rpc_stream_t *stream = stream_of(session, frame->hd.stream_id);
      if (stream && frame->hd.type == NGHTTP2_HEADERS) side->headers(stream);
      // The callback may have detached it.
      stream = stream_of(session, frame->hd.stream_id);
      if (stream) take_large_frames(connection, stream);
      if (stream && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) side->ended(stream);
      break;
    }
    case NGHTTP2_SETTINGS:
      if (connection->settled || (frame->hd.flags & NGHTTP2_FLAG_ACK)) break;
      connection->settled = true;
      if (side->ready) side->ready(connection);
      break;
    case NGHTTP2_RST_STREAM: connection->reset_by_peer = frame->hd.stream_id; break;
    case NGHTTP2_GOAWAY:
      if (side->draining) side->draining(connection);
      break;
    default: break;
  }
  return 0;
}

static int on_stream_closed(nghttp2_session *session, int32_t id, uint32_t error_code, void *context) {
  sli_rpc_connection_t *connection = context;
  sli_rpc_stream_t *stream = stream_of(session, id);
  if (!stream) return 0;
  sli_rpc_connection_detach(connection, stream);
  // Our own nghttp2 refused the stream because of the peer's error: do not retry.
  sli_status_t *failure = NULL;
  if (error_code == NGHTTP2_REFUSED_STREAM && connection->protocol_error)
    failure = sli_status_make(SLI_UNAVAILABLE, "HTTP/2 protocol error: %s", connection->protocol_error);
  connection->config.side->closed(stream, error_code, failure);
  sli_status_release(failure);
  return 0;
}

static void note_protocol_error(sli_rpc_connection_t *connection, const void *text, size_t size) {
  free(connection->protocol_error);
  connection->protocol_error = sli_strndup(text, size < 200 ? size : 200);
}

static int on_error(nghttp2_session *session, int code, const char *text, size_t size, void *context) {
  note_protocol_error(context, text, size);
  return 0;
}

// Sending.

static ssize_t read_length(nghttp2_session *session, uint8_t type, int32_t id, int32_t connection_window,
                           int32_t stream_window, uint32_t max_frame_size, void *context) {
  sli_rpc_stream_t *stream = stream_of(session, id);
  size_t size = stream && stream->outgoing && stream->outgoing->left ? stream->outgoing->left : SENT_FRAME_SIZE;
  if (size > SENT_FRAME_SIZE) size = SENT_FRAME_SIZE;
  return (ssize_t)(size < max_frame_size ? size : max_frame_size);
}

static ssize_t read_outgoing(nghttp2_session *session, int32_t id, uint8_t *buffer, size_t size, uint32_t *flags,
                             nghttp2_data_source *source, void *context) {
  sli_rpc_connection_t *connection = context;
  sli_rpc_stream_t *stream = stream_of(session, id);
  if (stream && stream->is_conversation && (!stream->outgoing || !stream->outgoing->left)) {
    bool ended = false;
    if (!connection->config.side->next(stream, &ended)) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      return ended ? 0 : NGHTTP2_ERR_DEFERRED;
    }
  }
  // The stream was abandoned: its reset follows.
  if (!stream || !stream->outgoing) return NGHTTP2_ERR_DEFERRED;
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (size < stream->outgoing->left) return (ssize_t)size;
  if (stream->is_conversation) return (ssize_t)stream->outgoing->left;
  *flags |= NGHTTP2_DATA_FLAG_EOF;
  if (connection->config.side->server) {
    *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    connection->config.side->sent(stream);
  }
  return (ssize_t)stream->outgoing->left;
}

static bool output_is_full(const sli_rpc_output_t *output) {
  return output->size >= FILL_SIZE || output->pieces.count - output->first >= FILL_PIECES;
}

static int send_outgoing(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *header, size_t size,
                         nghttp2_data_source *source, void *context) {
  sli_rpc_connection_t *connection = context;
  if (output_is_full(&connection->output)) return NGHTTP2_ERR_WOULDBLOCK;
  sli_rpc_stream_t *stream = stream_of(session, frame->hd.stream_id);
  if (!stream || !stream->outgoing) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  sli_rpc_output_append(&connection->output, header, 9);
  sli_rpc_output_append_message(&connection->output, stream->outgoing, size);
  return 0;
}

static int on_frame_sent(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
  sli_rpc_connection_t *connection = context;
  if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR)
    note_protocol_error(connection, frame->goaway.opaque_data, frame->goaway.opaque_data_len);
  if (frame->hd.type == NGHTTP2_RST_STREAM) connection->has_reset = true;
  if (!connection->config.side->server || frame->hd.type != NGHTTP2_HEADERS) return 0;
  // A reply before the end of the request: the peer need not send the rest.
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) &&
      nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0)
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
  return 0;
}

void sli_rpc_http2_fill_output(sli_rpc_connection_t *connection) {
  while (!output_is_full(&connection->output)) {
    const uint8_t *data;
    connection->in_session = true;
    ssize_t size = nghttp2_session_mem_send(connection->session, &data);
    connection->in_session = false;
    if (size < 0)
      sli_rpc_connection_break(connection, sli_status_make_text(SLI_UNAVAILABLE, nghttp2_strerror((int)size)));
    if (size <= 0) return;
    sli_rpc_output_append(&connection->output, data, (size_t)size);
  }
}

static const nghttp2_data_provider provider = {.read_callback = read_outgoing};

sli_status_t *sli_rpc_connection_request(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream,
                                         const nghttp2_nv *headers, size_t count) {
  if (connection->failure || connection->broken) return sli_status_make_text(SLI_UNAVAILABLE, "Socket closed");
  int32_t id = nghttp2_submit_request(connection->session, NULL, headers, count, &provider, stream);
  if (id < 0) return sli_status_make_text(SLI_UNAVAILABLE, nghttp2_strerror(id));
  sli_rpc_connection_attach(connection, stream, id);
  stream->inbox.reads_notes = connection->lender_memory != NULL;
  return NULL;
}

static ssize_t read_empty_message(nghttp2_session *session, int32_t id, uint8_t *buffer, size_t size, uint32_t *flags,
                                  nghttp2_data_source *source, void *context) {
  if (size < SLI_RPC_PREFIX_SIZE) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  memset(buffer, 0, SLI_RPC_PREFIX_SIZE);
  *flags |= NGHTTP2_DATA_FLAG_EOF;
  return SLI_RPC_PREFIX_SIZE;
}

// HTTP/2 has PING for this, but gRPC servers close the connection after the fourth PING from a client that sends
// nothing else. They acknowledge SETTINGS, but older ones only together with other frames. So the probe is a call whose
// reply is ignored.
void sli_rpc_http2_probe(sli_rpc_connection_t *connection) {
  nghttp2_session *session = connection->session;
  uint32_t limit = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  if (connection->stream_count >= limit || !nghttp2_session_check_request_allowed(session)) {
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, NULL, 0);
    return;
  }
  const nghttp2_nv headers[] = {
      SLI_RPC_STATIC_HEADER(":scheme", "http"),
      SLI_RPC_STATIC_HEADER(":method", "POST"),
      sli_rpc_header(":authority", connection->peer, NGHTTP2_NV_FLAG_NO_COPY_NAME),
      SLI_RPC_STATIC_HEADER(":path", SLI_RPC_HEALTH_METHOD),
      SLI_RPC_STATIC_HEADER("te", "trailers"),
      SLI_RPC_STATIC_HEADER("content-type", "application/grpc"),
  };
  static const nghttp2_data_provider empty = {.read_callback = read_empty_message};
  if (nghttp2_submit_request(session, NULL, headers, SLI_ARRAY_COUNT_OF(headers), &empty, NULL) > 0)
    connection->started_streams++;
}

void sli_rpc_connection_respond(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, const nghttp2_nv *headers,
                                size_t count) {
  nghttp2_submit_response(connection->session, stream->id, headers, count, stream->outgoing ? &provider : NULL);
}

static ssize_t read_text(nghttp2_session *session, int32_t id, uint8_t *buffer, size_t size, uint32_t *flags,
                         nghttp2_data_source *source, void *context) {
  const char *text = source->ptr;
  size_t left = strlen(text);
  size_t part = left < size ? left : size;
  memcpy(buffer, text, part);
  source->ptr = (void *)(text + part);
  if (part == left) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return (ssize_t)part;
}

void sli_rpc_connection_respond_text(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream,
                                     const nghttp2_nv *headers, size_t count, const char *text) {
  const nghttp2_data_provider body = {.source = {.ptr = (void *)text}, .read_callback = read_text};
  nghttp2_submit_response(connection->session, stream->id, headers, count, text ? &body : NULL);
}

void sli_rpc_connection_resume(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream) {
  nghttp2_session_resume_data(connection->session, stream->id);
}

void sli_rpc_connection_trailers(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, const nghttp2_nv *headers,
                                 size_t count) {
  nghttp2_submit_trailer(connection->session, stream->id, headers, count);
}

// Creating the session.

static nghttp2_session_callbacks *callbacks;

static void make_callbacks(void) {
  SLI_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
  nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_received);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_closed);
  nghttp2_session_callbacks_set_error_callback2(callbacks, on_error);
  nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, read_length);
  nghttp2_session_callbacks_set_send_data_callback(callbacks, send_outgoing);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
}

sli_status_t *sli_rpc_http2_create(sli_rpc_connection_t *connection) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_callbacks);
  const sli_rpc_connection_config_t *config = &connection->config;
  bool server = config->side->server;
  nghttp2_option *option = NULL;
  SLI_CHECK(nghttp2_option_new(&option) == 0);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  if (server) nghttp2_option_set_stream_reset_rate_limit(option, config->reset_burst, config->reset_rate);
  int result = (server ? nghttp2_session_server_new2 : nghttp2_session_client_new2)(&connection->session, callbacks,
                                                                                    connection, option);
  nghttp2_option_del(option);
  // A server takes large frames from a client whose first request it accepts.
  nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, (uint32_t)(server ? STREAM_WINDOW : LARGE_STREAM_WINDOW)},
      {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, server ? FIRST_FRAME_SIZE : RECEIVED_FRAME_SIZE},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, config->max_header_size},
      {server ? NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS : NGHTTP2_SETTINGS_ENABLE_PUSH,
       server ? config->max_concurrent_streams : 0},
  };
  if (result == 0)
    result = nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, settings, SLI_ARRAY_COUNT_OF(settings));
  if (result == 0)
    result = nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW);
  if (result == 0) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "cannot create an HTTP/2 session: %s", nghttp2_strerror(result));
}
