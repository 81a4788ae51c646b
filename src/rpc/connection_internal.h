// One HTTP/2 connection, of a client or a server: socket, nghttp2 session and
// streams. connection.c moves the bytes, session.c answers nghttp2. What the
// streams mean is the business of a side (channel.c, server.c).
//
// Everything below happens under the connection's guard unless it says
// otherwise. A connection is closed on the polling thread only; other threads
// that find it broken post that.
#ifndef SLI_RPC_CONNECTION_INTERNAL_H_
#define SLI_RPC_CONNECTION_INTERNAL_H_

#include <nghttp2/nghttp2.h>
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

typedef struct sli_rpc_connection sli_rpc_connection_t;

// One call's stream; the first member of a call or a request.
typedef struct sli_rpc_stream {
  sli_rpc_connection_t *connection;  // NULL while on none
  struct sli_rpc_stream *next, *previous;
  int32_t id;
  bool wants_place;  // the side chooses where the message goes
  bool deaf;         // what still comes is dropped
  bool admitted;     // the message's size was accepted
  bool parked;       // over the connection's budget: flow control holds the peer back
  sli_rpc_inbox_t inbox;
  sli_rpc_outgoing_t *outgoing;  // one reference; the side drops it
  size_t reserved;               // bytes of the budget
  size_t withheld;               // received bytes that the peer has not been told of
} sli_rpc_stream_t;

// What a client or a server does with what a connection hears.
typedef struct {
  bool server;
  // A peer opened a stream. Server only; NULL refuses it.
  sli_rpc_stream_t *(*open)(sli_rpc_connection_t *connection);
  // False resets the stream.
  bool (*header)(sli_rpc_stream_t *stream, sli_view_t name, sli_view_t value);
  // A block of headers is complete.
  void (*headers)(sli_rpc_stream_t *stream);
  // The message cannot be received; takes |status|.
  void (*failed)(sli_rpc_stream_t *stream, sli_status_t *status);
  // The peer said all it has to say.
  void (*ended)(sli_rpc_stream_t *stream);
  // The last byte of |outgoing| was taken: time for trailers. Server only.
  void (*sent)(sli_rpc_stream_t *stream);
  // The stream is gone and detached. |failure|: the connection's, borrowed, or NULL and |error_code| says why.
  void (*closed)(sli_rpc_stream_t *stream, uint32_t error_code, sli_status_t *failure);
  // The peer's first SETTINGS came. Client only.
  void (*ready)(sli_rpc_connection_t *connection);
  // The peer takes no new streams. Client only.
  void (*draining)(sli_rpc_connection_t *connection);
  // The connection is closed, its streams too; connection->failure says why.
  void (*lost)(sli_rpc_connection_t *connection);
  // Without the guard: see sli_rpc_place_fn_t.
  char *(*place)(sli_rpc_stream_t *stream, const char *head, size_t head_size, size_t message_size,
                 sli_rpc_message_t *out_message);
  void (*retain)(sli_rpc_stream_t *stream);
  void (*release)(sli_rpc_stream_t *stream);  // without the guard, unless another reference is known
} sli_rpc_side_t;

typedef struct {
  const sli_rpc_side_t *side;
  void *owner;
  size_t max_message_size;
  size_t max_buffered_size;         // 0: no budget
  uint32_t max_concurrent_streams;  // server only, as are the next three
  uint32_t max_header_size;
  uint32_t reset_burst, reset_rate;
  int64_t linger;                                 // nanoseconds; server only
  int64_t keepalive_interval, keepalive_timeout;  // nanoseconds; 0: no probes
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
  sli_rpc_watch_t *watch;
  bool wants_out;  // EPOLLOUT is watched
  nghttp2_session *session;
  bool in_session;  // inside nghttp2, which must not be entered twice
  sli_rpc_output_t output;
  // Large messages between processes of one host, see loan_internal.h.
  sli_lender_t *lender;   // of a server; NULL: there is no such way. Needs no guard
  bool passes_arena;      // its file goes with the next bytes, the first ones
  bool awaits_arena;      // of a client: one may come
  sli_borrowed_t *lent;   // it came, and could be mapped: notes can be read
  int write_error;        // nothing can be sent any more; errno
  sli_status_t *broken;   // found to be unusable; to be closed with this
  sli_status_t *failure;  // closed, and why; with an fd it lingers until the peer closes too
  char *protocol_error;   // nghttp2's words for the peer's last mistake
  sli_rpc_stream_t *first_stream, *last_stream;
  uint32_t stream_count;
  uint32_t started_streams;
  sli_rpc_traffic_t traffic;  // without |calls|: those are |started_streams|
  char *peer_name;            // what the peer is called, once somebody said so
  bool heard;                 // a byte came
  bool settled;               // the peer's SETTINGS came
  int64_t created_at, last_read;
  int64_t blocked_since;  // since when the peer takes nothing; 0: it does
  // The DATA frame being received.
  int32_t data_stream;
  size_t data_left;
  // A message that waits for its place, and the rest of the chunk that brought its head.
  sli_rpc_stream_t *placing;
  const char *head, *chunk;
  size_t head_size, chunk_size;
  // Budget.
  size_t buffered, withheld;
  uint32_t parked_count;
  // Probes.
  sli_rpc_timer_t *keepalive;  // once closed: the end of lingering
  int64_t watched_since, probed_at;
};

static inline nghttp2_nv sli_rpc_header(const char *name, const char *value, uint8_t flags) {
  return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), flags};
}
#define SLI_RPC_STATIC_HEADER(name, value) \
  sli_rpc_header(name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE)

// Takes over |fd| and a reference of |guard|. On the polling thread, guard held.
sli_status_t *sli_rpc_connection_create(sli_rpc_guard_t *guard, int fd, const char *peer,
                                        const sli_rpc_connection_config_t *config,
                                        sli_rpc_connection_t **out_connection);
sli_rpc_connection_t *sli_rpc_connection_retain(sli_rpc_connection_t *connection);
void sli_rpc_connection_release(sli_rpc_connection_t *connection);

// All calls and bytes so far.
static inline sli_rpc_traffic_t sli_rpc_connection_traffic(const sli_rpc_connection_t *connection) {
  sli_rpc_traffic_t traffic = connection->traffic;
  traffic.calls = connection->started_streams;
  return traffic;
}

// Opens a stream for |stream| with |stream|->outgoing as its message. UNAVAILABLE if the connection takes no more.
// The connection then holds the caller's reference of the stream, and gives it to side->closed.
sli_status_t *sli_rpc_connection_request(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream,
                                         const nghttp2_nv *headers, size_t count);
// Answers on |stream|: headers and |stream|->outgoing, or if that is NULL headers alone, as the end.
void sli_rpc_connection_respond(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, const nghttp2_nv *headers,
                                size_t count);
// Answers with |text|, which must be static, as the body; NULL: headers alone.
void sli_rpc_connection_respond_text(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream,
                                     const nghttp2_nv *headers, size_t count, const char *text);
void sli_rpc_connection_trailers(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, const nghttp2_nv *headers,
                                 size_t count);
// Resets |stream| and detaches it; the connection's reference of it is the caller's again.
void sli_rpc_connection_abandon(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, uint32_t error_code);
// Tells the peer that no new streams are taken; the connection closes when the present ones are done.
void sli_rpc_connection_go_away(sli_rpc_connection_t *connection);
// What is sent instead of a message that was lent.
sli_rpc_outgoing_t *sli_rpc_connection_announce(sli_rpc_connection_t *connection, const sli_lend_note_t *note);
// Sends what is due: at the end of the thread's turn, or without one at once.
void sli_rpc_connection_push(sli_rpc_connection_t *connection);
// Sends what is due at once.
void sli_rpc_connection_flush(sli_rpc_connection_t *connection);
// Closes with |failure|, which it takes, unless it is closed. Polling thread.
void sli_rpc_connection_close(sli_rpc_connection_t *connection, sli_status_t *failure);
// Closes if the connection broke or has nothing left to do. Polling thread.
void sli_rpc_connection_settle(sli_rpc_connection_t *connection);
// Gives |stream|'s part of the budget back, once its message is gone.
void sli_rpc_connection_unreserve(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream);

// Between connection.c and session.c.
sli_status_t *sli_rpc_session_create(sli_rpc_connection_t *connection);
// Gives nghttp2 bytes from the socket. May open the guard for a while to let the side place a message.
void sli_rpc_session_absorb(sli_rpc_connection_t *connection, const char *data, size_t size);
// Where the next bytes of the DATA frame under way belong, if that is worth reading them there; else NULL.
char *sli_rpc_session_destination(sli_rpc_connection_t *connection, size_t *out_size);
// Takes frames from nghttp2 into the output, up to about a megabyte.
void sli_rpc_session_fill(sli_rpc_connection_t *connection);
// Asks the peer for a sign of life.
void sli_rpc_session_probe(sli_rpc_connection_t *connection);
void sli_rpc_connection_attach(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, int32_t id);
void sli_rpc_connection_detach(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream);
// Remembers |status| (taken) as the reason to close. A foreign thread's finding is left to the loop.
void sli_rpc_connection_break(sli_rpc_connection_t *connection, sli_status_t *status);

#endif  // SLI_RPC_CONNECTION_INTERNAL_H_
