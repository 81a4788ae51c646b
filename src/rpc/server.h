// The server: accepts connections, hands whole unary requests to a handler and
// sends the answers. What peers send is bounded and checked here; the handler
// sees only well-formed gRPC requests. The standard health check of the server as a
// whole is answered here.
#ifndef SLI_RPC_SERVER_H_
#define SLI_RPC_SERVER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slices.h"
#include "base/status.h"
#include "rpc/loop.h"
#include "rpc/message.h"

// Thread-safe.
typedef struct sli_rpc_server sli_rpc_server_t;
// One request: belongs to the handler until it responds. It may outlive the
// server and, but for sli_rpc_request_on_cancel, the loop. Thread-compatible.
typedef struct sli_rpc_request sli_rpc_request_t;

// What a server serves. Must outlive the server. Callbacks run on the polling
// thread, without locks, one at a time.
typedef struct {
  void *context;
  // Takes |request| and responds to it exactly once, now or later, from any
  // thread. Must not block; long work goes elsewhere.
  void (*handle)(void *context, sli_rpc_request_t *request);
  // Optional: where the request's message goes, see sli_rpc_place_fn_t. Only
  // sli_rpc_request_method, _deadline, _metadata and _peer may be used on |request|.
  char *(*place)(void *context, sli_rpc_request_t *request, const char *head, size_t head_size, size_t message_size,
                 sli_rpc_message_t *out_message);
} sli_rpc_service_t;

// Limits on what peers may cost. Zero fields mean the default.
typedef struct {
  size_t max_message_size;          // of a request; 4 GiB - 1, the most that gRPC can frame
  uint32_t max_connections;         // more are closed at once; 20,000
  uint32_t max_concurrent_streams;  // per connection; 65,536
  uint32_t max_header_size;         // of one request's headers; 64 KiB
  // Bytes of unanswered requests per connection. Beyond it peers are held back
  // by flow control, except that one message is always let in; if they have sent
  // as much again by then, with RESOURCE_EXHAUSTED. 4 GiB.
  size_t max_buffered_size;
  uint32_t reset_burst;              // cancelled requests per connection at once before it is closed; 50,000
  uint32_t reset_rate;               // and per second over time; 10,000
  int64_t handshake_timeout_millis;  // for a new connection to show HTTP/2; 20,000
  int64_t stall_timeout_millis;      // for a peer that does not read its answers; 60,000
  int64_t linger_millis;             // for a peer to close, too, a connection that has ended; 1,000
  // A silent peer that waits for answers is probed, so that the requests of one that vanished are cancelled.
  int64_t keepalive_interval_millis;  // silence before a probe; 5,000
  int64_t keepalive_timeout_millis;   // for the answer to the probe; 8,000
} sli_rpc_server_options_t;

// Listens on |address| (a name or number; NULL: all, IPv6 and IPv4) and |port|
// (0: the system chooses) and serves from then on. Fails naming address and
// port: FAILED_PRECONDITION if another process listens there. |options| may be
// NULL. |loop| must outlive the server.
sli_status_t *sli_rpc_server_create(sli_rpc_loop_t *loop, const char *address, int port,
                                    const sli_rpc_service_t *service, const sli_rpc_server_options_t *options,
                                    sli_rpc_server_t **out_server);
int sli_rpc_server_port(const sli_rpc_server_t *server);
// Calls |visit| for every connection there is: where it comes from ("ipv4:…"), what
// it is called ("" if nobody said) and its traffic. On the polling thread only.
void sli_rpc_server_for_each_peer(sli_rpc_server_t *server,
                                  void (*visit)(void *context, const char *peer, const char *name,
                                                const sli_rpc_traffic_t *traffic),
                                  void *context);
// Stops accepting connections and, by GOAWAY, new requests; those under way
// go on. Idempotent. From a callback of the loop or any thread.
void sli_rpc_server_stop(sli_rpc_server_t *server);
// After a stop: waits until every request was answered, and the answers were
// sent. False once |deadline| has passed. Not from a callback of the loop.
bool sli_rpc_server_drain(sli_rpc_server_t *server, int64_t deadline);
// Stops, closes every connection and cancels what is unanswered. When it
// returns, no callback of the service runs or will run. Requests still held are
// responded to as usual, to no effect. May be called from a callback of the
// loop; elsewhere waits for the running callback only. NULL is fine.
void sli_rpc_server_destroy(sli_rpc_server_t *server);

// "/package.Service/Method".
const char *sli_rpc_request_method(const sli_rpc_request_t *request);
// The message stays the request's; the handler may move it out and leave it zeroed.
sli_rpc_message_t *sli_rpc_request_message(sli_rpc_request_t *request);
// SLI_NO_DEADLINE if the client set none.
int64_t sli_rpc_request_deadline(const sli_rpc_request_t *request);
// The value of the client's header |name| (lower case), or NULL.
const char *sli_rpc_request_metadata(const sli_rpc_request_t *request, const char *name);
// "ipv4:10.0.0.7:41234", "ipv6:[::1]:41234".
// Whether the peer is a process of this host that may be lent large answers instead of sent.
bool sli_rpc_request_is_near(const sli_rpc_request_t *request);
const char *sli_rpc_request_peer(const sli_rpc_request_t *request);

// The connection that the request came on, to ask later whether it still stands. Counted, outlives the server;
// any thread.
typedef struct sli_rpc_link sli_rpc_link_t;
sli_rpc_link_t *sli_rpc_request_link(sli_rpc_request_t *request);
bool sli_rpc_link_is_up(sli_rpc_link_t *link);
void sli_rpc_link_release(sli_rpc_link_t *link);  // NULL is fine
// Says what the other end of the request's connection is called. The last one counts.
void sli_rpc_request_name_peer(sli_rpc_request_t *request, const char *name);

// Calls |run|(context) once, on the polling thread, if the client resets the
// call, its connection dies or the deadline passes before the response; soon if
// that happened already. At most one per request.
void sli_rpc_request_on_cancel(sli_rpc_request_t *request, sli_rpc_fn_t run, void *context);
// Withdraws it. True: |run| was not and will not be called. False: it was, is
// or is about to be called on the polling thread; or there was none.
bool sli_rpc_request_forget_cancel(sli_rpc_request_t *request);
// Answers and gives the request up: with |reply| if |status| is NULL, else with
// the error. Consumes both; |reply| may be NULL. Withdraws on_cancel. Any
// thread; never blocks.
void sli_rpc_request_respond(sli_rpc_request_t *request, sli_status_t *status, sli_slices_t *reply);

#endif  // SLI_RPC_SERVER_H_
