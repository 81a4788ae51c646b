// One HTTP/2 connection of a client or a server: socket, nghttp2 session and
// streams. connection.c reads and writes the socket, http2.c implements nghttp2's
// callbacks. A side (call.c and channel.c, or request.c and server.c) handles the
// streams.
//
// The caller must hold the connection's guard for everything below unless stated
// otherwise. A connection is closed on the polling thread only; other threads that
// find it broken post that to the loop.
#ifndef SLI_RPC_CONNECTION_INTERNAL_H_
#define SLI_RPC_CONNECTION_INTERNAL_H_

#include <nghttp2/nghttp2.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/string.h"
#include "base/sync.h"
#include "rpc/guard_internal.h"
#include "rpc/inbox_internal.h"
#include "rpc/loan_internal.h"
#include "rpc/loop_internal.h"
#include "rpc/output_internal.h"
#include "rpc/socket_internal.h"
#include "rpc/tls_internal.h"

typedef struct sli_rpc_connection sli_rpc_connection_t;

// What the requests of a server may hold, see sli_rpc_server_options_t. Thread-safe.
typedef struct {
  size_t max_buffered, max_promised;
  atomic_size_t buffered, promised;
} sli_rpc_budget_t;

// One call's stream; the first member of a call or a request.
typedef struct sli_rpc_stream {
  sli_rpc_connection_t *connection;  // NULL if it has none
  struct sli_rpc_stream *next, *previous;
  int32_t id;
  bool wants_place;      // the side chooses the memory of the message
  bool is_conversation;  // several messages in each direction
  bool ignores_input;    // what the peer still sends is dropped
  bool admitted;         // the message's size was accepted
  bool parked;           // over the connection's budget: flow control stops the peer
  sli_rpc_inbox_t inbox;
  sli_rpc_outgoing_t *outgoing;  // one reference; the side releases it
  size_t reserved;               // bytes of the connection's budget
  size_t charged;                // bytes of the server's budget: what was received of a message
  size_t promised;               // memory of the message that was taken before its bytes arrived
  size_t withheld;               // received bytes for which the peer has got no credit
  // In the list of requests that wait until the peer reads.
  bool is_held;
  struct sli_rpc_stream *held_next, *held_previous;
} sli_rpc_stream_t;

// What a client or a server does on events of a connection.
typedef struct {
  bool server;
  // The peer opened a stream. Server only; return NULL to refuse it.
  sli_rpc_stream_t *(*open)(sli_rpc_connection_t *connection);
  // Return false to reset the stream.
  bool (*header)(sli_rpc_stream_t *stream, sli_view_t name, sli_view_t value);
  // A block of headers is complete.
  void (*headers)(sli_rpc_stream_t *stream);
  // The message cannot be received. Consumes |status|.
  void (*failed)(sli_rpc_stream_t *stream, sli_status_t *status);
  // The peer has sent everything.
  void (*ended)(sli_rpc_stream_t *stream);
  // The last byte of |outgoing| was queued: submit the trailers. Server only.
  void (*sent)(sli_rpc_stream_t *stream);
  // A message of a conversation is complete: take it, and empty the inbox for the next. Server only.
  void (*message)(sli_rpc_stream_t *stream);
  // All of |outgoing| of a conversation was queued. Sets |outgoing| to the next message and returns true; if there is
  // none, false, and submits the trailers if |*out_ended|. Server only.
  bool (*next)(sli_rpc_stream_t *stream, bool *out_ended);
  // The stream was closed and is detached. |failure| is the connection's (borrowed); if it is NULL |error_code| is the
  // reason.
  void (*closed)(sli_rpc_stream_t *stream, uint32_t error_code, sli_status_t *failure);
  // Bytes of replies were written. Server only.
  void (*written)(sli_rpc_connection_t *connection);
  // The peer's first SETTINGS were received. Client only.
  void (*ready)(sli_rpc_connection_t *connection);
  // The peer accepts no new streams. Client only.
  void (*draining)(sli_rpc_connection_t *connection);
  // The connection and its streams were closed; connection->failure is the reason.
  void (*lost)(sli_rpc_connection_t *connection);
  // Without the guard: see sli_rpc_place_fn_t.
  char *(*place)(sli_rpc_stream_t *stream, const char *head, size_t head_size, size_t message_size,
                 sli_rpc_message_t *out_message);
  void (*retain)(sli_rpc_stream_t *stream);
  void (*release)(sli_rpc_stream_t *stream);  // without the guard, unless another reference exists
} sli_rpc_side_t;

typedef struct {
  const sli_rpc_side_t *side;
  void *owner;
  size_t max_message_size;
  size_t max_buffered_size;  // 0: no budget
  size_t max_promised_size;  // server only, as are the next six
  sli_rpc_budget_t *budget;  // of the server; NULL: none
  size_t max_unread_size;
  uint32_t max_concurrent_streams;
  uint32_t max_header_size;
  uint32_t reset_burst, reset_rate;
  int64_t linger;                                 // nanoseconds; server only
  bool must_identify;                             // memory is lent after sli_rpc_connection_trust only; server only
  int64_t keepalive_interval, keepalive_timeout;  // nanoseconds; 0: no probes
  sli_rpc_tls_context_t *tls;                     // NULL: no TLS. Not used on a Unix socket
  const char *tls_host;                           // of a client: whose certificate the server must have
  bool plain_loopback;                            // of a server: the peer may be without TLS if it is on this host
} sli_rpc_connection_config_t;

struct sli_rpc_connection {
  sli_refcount_t references;
  sli_rpc_guard_t *guard;
  sli_rpc_loop_t *loop;
  sli_rpc_connection_config_t config;  // owner may be changed under the guard
  char peer[SLI_RPC_PEER_SIZE];
  // Lists of the owner, polling thread only.
  sli_rpc_connection_t *next, *previous;

  // Under the guard:
  int fd;
  sli_rpc_tls_t *tls;    // NULL: the bytes on the socket are HTTP/2
  bool awaits_protocol;  // of a server: the peer's first byte tells whether it speaks TLS
  bool is_alert;         // the first byte received was that of a TLS alert
  sli_rpc_watch_t *watch;
  bool wants_out;  // EPOLLOUT is watched
  nghttp2_session *session;
  bool in_session;  // inside nghttp2, which is not reentrant
  sli_rpc_output_t output;
  // Large messages between processes of one host, see loan_internal.h.
  int lendable_pid;                   // of a server: the client, if it may borrow and does not yet; else 0
  sli_lend_borrower_t *borrower;      // of a server: the client; NULL if it cannot map our memory. Needs no guard
  bool passes_arena;                  // its file descriptor is sent with the first bytes
  bool awaits_arena;                  // of a client: the server may send one
  sli_lend_mapping_t *lender_memory;  // of a client: the server's arena; NULL if none came
  int write_error;                    // errno of a failed write: nothing more can be sent
  sli_status_t *broken;               // the connection is unusable and must be closed with this status
  sli_status_t *failure;              // closed with this status; if |fd| is open it waits for the peer to close
  bool has_reset;                     // we have reset a stream: the peer may not know yet, and still send on it
  int32_t reset_by_peer;              // the stream that the peer has reset last
  char *protocol_error;               // nghttp2's text about the peer's last protocol error
  sli_rpc_stream_t *first_stream, *last_stream;
  uint32_t stream_count;
  uint32_t started_streams;
  sli_rpc_traffic_t traffic;  // without |calls| and |waiting|: see sli_rpc_connection_traffic
  char *peer_name;            // see sli_rpc_request_name_peer; NULL if unknown
  bool is_stranger;           // of a server: a call was refused for its token
  int64_t owes_since;         // of a server: the peer owes the rest of a request; it had sent |received_then| bytes
  uint64_t received_then;
  bool has_read;            // some byte was received
  bool settled;             // the peer's SETTINGS were received
  bool takes_large_frames;  // of a server: the peer was told that it may send them
  int64_t created_at, last_read;
  int64_t blocked_since;  // since when the socket accepts no bytes; 0: it does
  // The DATA frame being received.
  int32_t data_stream;
  size_t data_left;
  // A message that waits for its memory, and the rest of the chunk that contained its head.
  sli_rpc_stream_t *placing;
  const char *head, *chunk;
  size_t head_size, chunk_size;
  // Budget.
  size_t buffered, withheld, promised;
  uint32_t parked_count;
  // Of a server: bytes of replies that were not written yet, and the requests that wait because they are too many.
  size_t unread;
  sli_rpc_stream_t *first_held, *last_held;
  bool is_releasing;  // one of them is about to be handled
  // Probes.
  sli_rpc_timer_t *keepalive;  // once closed: ends the wait for the peer to close
  int64_t watched_since, probed_at;
};

static inline nghttp2_nv sli_rpc_header(const char *name, const char *value, uint8_t flags) {
  return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), flags};
}
#define SLI_RPC_STATIC_HEADER(name, value) \
  sli_rpc_header(name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE)

// Owns |fd| and a reference of |guard| from then on. On the polling thread; the caller must hold the guard.
sli_status_t *sli_rpc_connection_create(sli_rpc_guard_t *guard, int fd, const char *peer,
                                        const sli_rpc_connection_config_t *config,
                                        sli_rpc_connection_t **out_connection);
sli_rpc_connection_t *sli_rpc_connection_retain(sli_rpc_connection_t *connection);
void sli_rpc_connection_release(sli_rpc_connection_t *connection);

// The peer is one of ours: it may borrow memory from now on, if it is on this host. Server only.
void sli_rpc_connection_trust(sli_rpc_connection_t *connection);

// All calls and bytes so far.
static inline sli_rpc_traffic_t sli_rpc_connection_traffic(const sli_rpc_connection_t *connection) {
  sli_rpc_traffic_t traffic = connection->traffic;
  traffic.calls = connection->started_streams;
  traffic.waiting = connection->stream_count;
  return traffic;
}

// Opens a stream for |stream| with |stream|->outgoing as its message. UNAVAILABLE if the connection accepts no more.
// The connection then owns the caller's reference of the stream, and passes it to side->closed.
sli_status_t *sli_rpc_connection_request(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream,
                                         const nghttp2_nv *headers, size_t count);
// Replies on |stream|: headers and |stream|->outgoing; if that is NULL, headers only, which end the stream.
void sli_rpc_connection_respond(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, const nghttp2_nv *headers,
                                size_t count);
// Replies with |text|, which must be static, as the body; NULL: headers only.
void sli_rpc_connection_respond_text(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream,
                                     const nghttp2_nv *headers, size_t count, const char *text);
// More of a conversation can be sent.
void sli_rpc_connection_resume(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream);
void sli_rpc_connection_trailers(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, const nghttp2_nv *headers,
                                 size_t count);
// Resets |stream| and detaches it; the caller then owns the connection's reference of it.
void sli_rpc_connection_abandon(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, uint32_t error_code);
// Tells the peer that no new streams are accepted; the connection closes when the present ones have ended.
void sli_rpc_connection_go_away(sli_rpc_connection_t *connection);
// The note that is sent instead of a message that was lent.
sli_rpc_outgoing_t *sli_rpc_connection_create_note(sli_rpc_connection_t *connection, const sli_lend_note_t *note);
// Sends what is due: on a corked thread when it flushes, otherwise at once.
void sli_rpc_connection_push(sli_rpc_connection_t *connection);
// Sends what is due at once.
void sli_rpc_connection_flush(sli_rpc_connection_t *connection);
// Closes with |failure|, unless it is closed. Consumes |failure|. On the polling thread.
void sli_rpc_connection_close(sli_rpc_connection_t *connection, sli_status_t *failure);
// Closes if the connection is broken or has nothing left to do. On the polling thread.
void sli_rpc_connection_close_if_done(sli_rpc_connection_t *connection);
// Returns |stream|'s part of the connection's budget, when its message was released.
void sli_rpc_connection_unreserve(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream);
// The memory of |stream|'s message is used, or will not be: it is no longer a promise.
void sli_rpc_connection_unpromise(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream);

// Between connection.c and http2.c.
sli_status_t *sli_rpc_http2_create(sli_rpc_connection_t *connection);
// Passes bytes from the socket to nghttp2. May release the guard for a while so that the side can place a message.
void sli_rpc_http2_receive(sli_rpc_connection_t *connection, const char *data, size_t size);
// Where the next bytes of the present DATA frame belong, if they are worth a direct read; otherwise NULL.
char *sli_rpc_http2_destination(sli_rpc_connection_t *connection, size_t *out_size);
// Moves frames from nghttp2 to the output, up to about a megabyte.
void sli_rpc_http2_fill_output(sli_rpc_connection_t *connection);
// Sends a request that every living peer answers.
void sli_rpc_http2_probe(sli_rpc_connection_t *connection);
void sli_rpc_connection_attach(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, int32_t id);
void sli_rpc_connection_detach(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream);
// Sets |status| as the reason to close, and consumes it. On another thread than the polling one, posts the closing.
void sli_rpc_connection_break(sli_rpc_connection_t *connection, sli_status_t *status);

#endif  // SLI_RPC_CONNECTION_INTERNAL_H_
