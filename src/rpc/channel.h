// The client: a channel to one peer and the calls on it.
//
// A channel connects when its first call starts, and again after a lost connection,
// with back-off, when there is a call. It resolves the peer's name each time. It
// ignores proxy variables. A peer on the same host is reached without TCP if it
// supports that (socket_local.c). While calls are outstanding the channel probes a
// silent peer, so that calls to a stopped peer fail within ten seconds.
#ifndef SLI_RPC_CHANNEL_H_
#define SLI_RPC_CHANNEL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lend.h"
#include "base/slices.h"
#include "base/status.h"
#include "rpc/identity.h"
#include "rpc/loop.h"
#include "rpc/message.h"

// Thread-safe.
typedef struct sli_rpc_channel sli_rpc_channel_t;
typedef struct sli_rpc_call sli_rpc_call_t;

// Zero fields mean the default.
typedef struct {
  int64_t connect_timeout_millis;       // of one attempt, with the handshake; 7,000
  int64_t keepalive_interval_millis;    // silence before a probe, while calls are outstanding; 4,000
  int64_t keepalive_timeout_millis;     // for the reply to the probe; 3,000
  int64_t initial_backoff_millis;       // after a failed attempt; 100, growing by 1.6
  int64_t max_backoff_millis;           // 3,000
  size_t max_message_size;              // of a reply; 4 GiB - 1, the most that gRPC can frame
  uint32_t max_streams_per_connection;  // then a new connection is made; 2^29
  bool tcp_only;                        // also to a peer on this host
  sli_rpc_identity_t *identity;         // retained; that of the process
} sli_rpc_channel_options_t;

// |target| is "host:port" or "[v6]:port"; INVALID_ARGUMENT otherwise, and as
// sli_rpc_identity_of_process. Does not connect. |options| may be NULL. |loop| must outlive the channel.
sli_status_t *sli_rpc_channel_create(sli_rpc_loop_t *loop, const char *target, const sli_rpc_channel_options_t *options,
                                     sli_rpc_channel_t **out_channel);
// Closes the connection. Outstanding calls end with CANCELLED, and their callbacks
// have run when this returns. May be called in a callback of the loop; then replies
// that arrived before may still be delivered. On other threads it blocks while a
// callback of the loop runs. NULL is allowed.
void sli_rpc_channel_destroy(sli_rpc_channel_t *channel);
// "host:port" as given; lives as long as the channel.
const char *sli_rpc_channel_target(const sli_rpc_channel_t *channel);

typedef enum {
  SLI_RPC_CHANNEL_IDLE,        // not connected, and no call waits
  SLI_RPC_CHANNEL_CONNECTING,  // an attempt is in progress
  SLI_RPC_CHANNEL_READY,
  SLI_RPC_CHANNEL_FAILED,  // the last attempt failed; waiting before the next
} sli_rpc_channel_state_t;
sli_rpc_channel_state_t sli_rpc_channel_state(sli_rpc_channel_t *channel);
// Why the peer could not be reached last time, as one line with its address; NULL
// if nothing failed since the last success. The caller frees it.
char *sli_rpc_channel_describe_failure(sli_rpc_channel_t *channel);

// The kind of the last failure.
typedef enum {
  SLI_RPC_FAILURE_NONE,
  SLI_RPC_FAILURE_NAME,         // the host's name cannot be resolved
  SLI_RPC_FAILURE_REFUSED,      // nothing listens at the port
  SLI_RPC_FAILURE_UNREACHABLE,  // no route to the host
  SLI_RPC_FAILURE_TIMEOUT,      // no reply in time
  SLI_RPC_FAILURE_PROTOCOL,     // the peer does not speak HTTP/2
  SLI_RPC_FAILURE_LOST,         // an established connection ended
  SLI_RPC_FAILURE_TLS,          // the handshake of TLS failed, or one side does not speak it
} sli_rpc_failure_t;
sli_rpc_failure_t sli_rpc_channel_failure(sli_rpc_channel_t *channel);
// Whether the peer has ever sent a gRPC reply. False if it sent nothing, or plain HTTP.
bool sli_rpc_channel_speaks_grpc(sli_rpc_channel_t *channel);
// All calls and bytes since the channel was created.
sli_rpc_traffic_t sli_rpc_channel_traffic(sli_rpc_channel_t *channel);

// The peer's shared memory (base/lend.h), if it is on this host and has passed it to us: it does so before its first
// reply, to peers that it admits. NULL: none. The caller releases it.
sli_lend_mapping_t *sli_rpc_channel_memory(sli_rpc_channel_t *channel);

typedef struct {
  const char *name;  // lower case
  const char *value;
} sli_rpc_header_t;

typedef struct {
  const char *method;  // "/package.Service/Method"
  int64_t deadline;    // by the clock of the loop; 0 or SLI_CLOCK_NO_DEADLINE: none
  // If the peer cannot be reached: true retries until the deadline, false fails
  // with UNAVAILABLE "failed to connect to host:port: …".
  bool wait_for_ready;
  const sli_rpc_header_t *metadata;
  size_t metadata_count;
  sli_rpc_place_fn_t place;  // NULL: the default place
  void *place_context;
} sli_rpc_call_options_t;

// Called exactly once on the polling thread, without locks, never inside
// sli_rpc_call_start or sli_rpc_call_cancel. The callee owns |status|. If that is OK
// it may move the message out of |reply| and leave it zeroed; otherwise the message
// is released after the callback. On failure |reply| is empty.
typedef void (*sli_rpc_reply_fn_t)(void *context, sli_status_t *status, sli_rpc_message_t *reply);

// Starts a unary call with |request|, which it empties. Copies everything that
// |options| point to. Never blocks. The caller must release the returned call with
// sli_rpc_call_release, which neither cancels nor waits. |done| may run on another
// thread before this returns.
//
// Fails (through |done|) with the peer's status; CANCELLED after a cancel;
// DEADLINE_EXCEEDED; UNAVAILABLE when the peer cannot be reached or was lost;
// RESOURCE_EXHAUSTED for a reply over the limit; INTERNAL for a malformed one.
sli_rpc_call_t *sli_rpc_call_start(sli_rpc_channel_t *channel, const sli_rpc_call_options_t *options,
                                   sli_slices_t *request, sli_rpc_reply_fn_t done, void *context);
// Ends the call with CANCELLED unless it has ended. On any thread.
void sli_rpc_call_cancel(sli_rpc_call_t *call);
void sli_rpc_call_release(sli_rpc_call_t *call);  // NULL is allowed

// Starts a call and blocks until it has ended; the thread polls the loop meanwhile.
// Not in a callback of the loop. The caller owns |out_reply|.
sli_status_t *sli_rpc_call_and_wait(sli_rpc_channel_t *channel, const sli_rpc_call_options_t *options,
                                    sli_slices_t *request, sli_rpc_message_t *out_reply);

#endif  // SLI_RPC_CHANNEL_H_
