// The server: accepts connections, passes complete unary requests to a handler and
// sends the replies; and answers the messages of a conversation, a bidirectional
// stream, one by one. It checks and limits what peers send; the handler gets only
// well-formed gRPC requests, and, if the server has a token, only those that carry it.
// The server answers the standard health check of the whole server itself, to anyone.
#ifndef SLI_RPC_SERVER_H_
#define SLI_RPC_SERVER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slices.h"
#include "base/status.h"
#include "base/string.h"
#include "rpc/identity.h"
#include "rpc/loop.h"
#include "rpc/message.h"

// Thread-safe.
typedef struct sli_rpc_server sli_rpc_server_t;
// One request. The handler owns it until it responds. It may outlive the server and,
// without sli_rpc_request_on_cancel, the loop. Thread-compatible.
typedef struct sli_rpc_request sli_rpc_request_t;

// The handler of a server. Must outlive the server. Callbacks run on the polling
// thread, without locks, one at a time.
typedef struct {
  void *context;
  // Owns |request| and must respond to it exactly once, now or later, on any
  // thread. Must not block; long work must run on another thread.
  void (*handle)(void *context, sli_rpc_request_t *request);
  // Optional: chooses the memory of the request's message, see sli_rpc_place_fn_t. Only
  // sli_rpc_request_method, _deadline, _metadata and _peer may be used on |request|.
  char *(*place)(void *context, sli_rpc_request_t *request, const char *head, size_t head_size, size_t message_size,
                 sli_rpc_message_t *out_message);
  // Optional: returns NULL if there is such a method, otherwise the error that answers requests to it as soon as their
  // headers have arrived: a stream to an unknown method may never end. Runs under a lock, so it must do nothing else.
  sli_status_t *(*check_method)(const char *method);
  // Optional, for conversations: whether |method| is one; and the reply to one message of it, of at most 4 KiB. An
  // error ends the conversation. Both run under a lock, too.
  bool (*is_conversation)(const char *method);
  sli_status_t *(*converse)(const char *method, sli_view_t message, sli_string_t *out_reply);
} sli_rpc_service_t;

// Limits for peers. Zero fields mean the default.
typedef struct {
  size_t max_message_size;          // of a request; 4 GiB - 1, the most that gRPC can frame
  uint32_t max_connections;         // more are closed at once; 20,000
  uint32_t max_concurrent_streams;  // per connection; 65,536
  uint32_t max_header_size;         // of one request's headers; 64 KiB
  // Bytes of unanswered requests per connection. Above it flow control stops the
  // peer, except that one message is always accepted. Requests fail with
  // RESOURCE_EXHAUSTED if the peer has sent the same amount again by then. 4 GiB.
  size_t max_buffered_size;
  // Received bytes of unanswered requests of all connections. Above it requests fail with RESOURCE_EXHAUSTED. Three
  // quarters of the machine's memory.
  size_t max_server_buffered_size;
  // Memory taken at once for messages whose size is known but whose bytes have not arrived, per connection and for the
  // whole server; of a large message only its first huge page counts, because the rest is untouched. Above it the
  // memory of a message grows with the bytes received. 32 MiB and 128 MiB.
  size_t max_promised_size, max_server_promised_size;
  // Bytes of replies per connection that the peer has not read. Above it the next requests wait until it reads. 256
  // MiB.
  size_t max_unread_size;
  uint32_t reset_burst;              // cancelled requests in a burst after which the connection is closed; 50,000
  uint32_t reset_rate;               // cancelled requests per second that are allowed over time; 10,000
  int64_t handshake_timeout_millis;  // for a new connection to complete the handshake; 20,000
  int64_t stall_timeout_millis;      // for a peer that does not read its replies; 60,000
  int64_t linger_millis;             // for a peer to close a connection that we have ended; 1,000
  // A silent peer that waits for replies is probed, so that the requests of a dead peer are cancelled.
  int64_t keepalive_interval_millis;  // silence before a probe; 5,000
  int64_t keepalive_timeout_millis;   // for the reply to the probe; 8,000
  sli_rpc_identity_t *identity;       // retained; that of the process
} sli_rpc_server_options_t;

// Listens on |address| (a name or number; NULL: all, IPv6 and IPv4) and |port|
// (0: the system chooses) and serves at once. Errors name address and port:
// FAILED_PRECONDITION if another process listens there. |options| may be NULL.
// |loop| must outlive the server.
sli_status_t *sli_rpc_server_create(sli_rpc_loop_t *loop, const char *address, int port,
                                    const sli_rpc_service_t *service, const sli_rpc_server_options_t *options,
                                    sli_rpc_server_t **out_server);
int sli_rpc_server_port(const sli_rpc_server_t *server);
// Calls |visit| for every connection with the peer's address ("ipv4:…"), its name (see
// sli_rpc_request_name_peer; "" if unknown) and its traffic. On the polling thread only.
void sli_rpc_server_for_each_peer(sli_rpc_server_t *server,
                                  void (*visit)(void *context, const char *peer, const char *name,
                                                const sli_rpc_traffic_t *traffic),
                                  void *context);
// The same for the closed connections of each peer that had a name, of a bounded number of them; |peer| is "".
void sli_rpc_server_for_each_past(sli_rpc_server_t *server,
                                  void (*visit)(void *context, const char *peer, const char *name,
                                                const sli_rpc_traffic_t *traffic),
                                  void *context);
// Stops accepting connections and, by GOAWAY, new requests; the present requests
// continue. Idempotent. On any thread, also in a callback of the loop.
void sli_rpc_server_stop(sli_rpc_server_t *server);
// After sli_rpc_server_stop: blocks until the replies to all requests were sent.
// Returns false at |deadline|. Not in a callback of the loop.
bool sli_rpc_server_drain(sli_rpc_server_t *server, int64_t deadline);
// Stops, closes every connection and cancels unanswered requests. When it returns no
// callback of the service runs or will run. Handlers must still respond to the
// requests they have, without effect. May be called in a callback of the loop; on
// other threads it blocks while a callback of the loop runs. NULL is allowed.
void sli_rpc_server_destroy(sli_rpc_server_t *server);

// "/package.Service/Method".
const char *sli_rpc_request_method(const sli_rpc_request_t *request);
// The request owns the message; the handler may move it out and leave it zeroed.
sli_rpc_message_t *sli_rpc_request_message(sli_rpc_request_t *request);
// SLI_CLOCK_NO_DEADLINE if the client set none.
int64_t sli_rpc_request_deadline(const sli_rpc_request_t *request);
// The value of the client's header |name| (lower case), or NULL.
const char *sli_rpc_request_metadata(const sli_rpc_request_t *request, const char *name);
// Whether the peer is a process of this host to which large replies are lent instead of sent (base/lend.h).
bool sli_rpc_request_can_borrow(const sli_rpc_request_t *request);
// Bytes of replies on the request's connection that the peer has not read. Thread-safe.
size_t sli_rpc_request_unread(const sli_rpc_request_t *request);
// "ipv4:10.0.0.7:41234", "ipv6:[::1]:41234".
const char *sli_rpc_request_peer(const sli_rpc_request_t *request);

// The connection of the request, to find out later whether it still exists. Reference counted; may outlive the server.
// Thread-safe.
typedef struct sli_rpc_link sli_rpc_link_t;
sli_rpc_link_t *sli_rpc_request_link(sli_rpc_request_t *request);
bool sli_rpc_link_is_up(sli_rpc_link_t *link);
void sli_rpc_link_release(sli_rpc_link_t *link);  // NULL is allowed
// Sets the name of the peer of the request's connection, for sli_rpc_server_for_each_peer. The last call counts.
void sli_rpc_request_name_peer(sli_rpc_request_t *request, const char *name);

// Calls |run|(context) once, on the polling thread, if the client cancels the call,
// its connection is lost or the deadline passes before the response; soon if that
// has happened already. At most one per request.
void sli_rpc_request_on_cancel(sli_rpc_request_t *request, sli_rpc_fn_t run, void *context);
// Removes that callback. True: it was not called and never will be. False: it was
// called, is running or about to run on the polling thread, or there is none.
bool sli_rpc_request_forget_cancel(sli_rpc_request_t *request);
// Sends |reply| if |status| is NULL, otherwise the error, and releases the request.
// Consumes both; |reply| may be NULL. Removes the callback of on_cancel. On any
// thread. Never blocks.
void sli_rpc_request_respond(sli_rpc_request_t *request, sli_status_t *status, sli_slices_t *reply);

#endif  // SLI_RPC_SERVER_H_
