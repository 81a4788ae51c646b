// The two parts of the client: channel.c makes and owns the connection, call.c
// makes the calls on it.
#ifndef SLI_RPC_CHANNEL_INTERNAL_H_
#define SLI_RPC_CHANNEL_INTERNAL_H_

#include "rpc/channel.h"
#include "rpc/connection_internal.h"
#include "rpc/dial_internal.h"

struct sli_rpc_channel {
  sli_refcount_t references;  // the owner's, and one per call
  sli_rpc_loop_t *loop;
  sli_rpc_guard_t *guard;
  char *target, *host;
  int port;
  sli_rpc_channel_options_t options;  // with defaults filled in

  // Under the guard:
  sli_rpc_channel_state_t state;
  bool closed;
  sli_rpc_connection_t *connection;                // the one in use: READY, or in its handshake
  sli_rpc_stream_t *first_pending, *last_pending;  // calls that wait for a connection
  sli_status_t *failure;                           // why the peer could not be reached last time
  sli_rpc_failure_t failure_kind;
  bool speaks_grpc;        // a grpc-status was received
  sli_rpc_traffic_t past;  // of closed connections

  // Polling thread only:
  sli_rpc_connection_t *connections;  // all of them, also those that are draining
  sli_rpc_dial_t *dial;
  sli_rpc_timer_t *attempt_timer, *backoff_timer;
  int64_t backoff;
};

struct sli_rpc_call {
  sli_rpc_stream_t stream;    // first; its links are also those of the pending list
  sli_refcount_t references;  // of the caller, of the delivery of |done|, and of the timer
  sli_rpc_channel_t *channel;
  const char *method;
  sli_rpc_header_t *metadata;
  size_t metadata_count;
  int64_t deadline;
  bool wait_for_ready;
  sli_rpc_place_fn_t place;
  void *place_context;
  sli_rpc_reply_fn_t done;
  void *context;
  sli_rpc_timer_t *timer;

  // Under the guard:
  bool pending, finished;
  int retries;
  sli_status_t *status;  // of a finished call
  int http_status;
  int64_t grpc_status;   // -1: none was received
  bool foreign_content;  // the content type of the reply is not gRPC's
  size_t header_size;
  sli_string_t message;  // grpc-message, decoded
  sli_rpc_delivery_t delivery;
};

extern const sli_rpc_side_t sli_rpc_client_side;

// The caller must hold the guard for all of these.

// Sends the call, or queues it and starts to connect, or fails it.
void sli_rpc_channel_dispatch(sli_rpc_channel_t *channel, sli_rpc_call_t *call);
// side->ready, draining, lost.
void sli_rpc_channel_on_ready(sli_rpc_connection_t *connection);
void sli_rpc_channel_on_draining(sli_rpc_connection_t *connection);
void sli_rpc_channel_on_lost(sli_rpc_connection_t *connection);
void sli_rpc_channel_remove_pending(sli_rpc_channel_t *channel, sli_rpc_call_t *call);
// Submits the call on |connection|. Returns false if that accepts no more calls.
bool sli_rpc_call_submit(sli_rpc_call_t *call, sli_rpc_connection_t *connection);
// Ends a call that has no connection any more with |status|, unless it has ended. Consumes |status|.
void sli_rpc_call_finish(sli_rpc_call_t *call, sli_status_t *status);

sli_rpc_channel_t *sli_rpc_channel_retain(sli_rpc_channel_t *channel);
void sli_rpc_channel_release(sli_rpc_channel_t *channel);

#endif  // SLI_RPC_CHANNEL_INTERNAL_H_
