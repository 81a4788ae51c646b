// The two parts of the server: server.c accepts and owns connections, request.c
// handles the requests on them.
#ifndef SLI_RPC_SERVER_INTERNAL_H_
#define SLI_RPC_SERVER_INTERNAL_H_

#include "base/map.h"
#include "rpc/connection_internal.h"
#include "rpc/server.h"

typedef struct {
  int fd;
  sli_rpc_watch_t *watch;  // NULL once it has stopped listening
} sli_rpc_listener_t;

struct sli_rpc_server {
  sli_refcount_t references;  // the owner's, the listener's, and one per request
  sli_rpc_loop_t *loop;
  const sli_rpc_service_t *service;
  sli_rpc_server_options_t options;  // with defaults filled in
  int port;
  int64_t patrol_interval;
  sli_rpc_budget_t budget;
  atomic_bool stopped;
  sli_event_t drained;  // stopped, and every connection is closed

  // Polling thread only:
  sli_rpc_listener_t listeners[2];  // TCP, and the Unix socket if there is one
  sli_rpc_timer_t *accept_timer, *patrol_timer;
  sli_rpc_connection_t *connections;
  uint32_t connection_count;
  sli_map_t past;  // name of a peer → sli_rpc_traffic_t of its closed connections
  uint64_t refused;
  uint64_t denied;        // callers that were refused since the last line about them
  int64_t complained_at;  // when that line was logged
  bool closed;            // no callback of the service may start
};

sli_rpc_server_t *sli_rpc_server_retain(sli_rpc_server_t *server);
void sli_rpc_server_release(sli_rpc_server_t *server);

// Logs that |peer| was refused, at most one line in a while. On the polling thread.
void sli_rpc_server_complain(sli_rpc_server_t *server, const char *peer, const char *why);

// The server's side of a connection's streams, see sli_rpc_side_t.
sli_rpc_stream_t *sli_rpc_request_open(sli_rpc_connection_t *connection);
bool sli_rpc_request_on_header(sli_rpc_stream_t *stream, sli_view_t name, sli_view_t value);
void sli_rpc_request_on_headers(sli_rpc_stream_t *stream);
// Whether the peer has not sent all of the request.
bool sli_rpc_request_is_incomplete(const sli_rpc_stream_t *stream);
void sli_rpc_request_on_failed(sli_rpc_stream_t *stream, sli_status_t *status);
void sli_rpc_request_on_ended(sli_rpc_stream_t *stream);
void sli_rpc_request_on_sent(sli_rpc_stream_t *stream);
void sli_rpc_request_on_message(sli_rpc_stream_t *stream);
bool sli_rpc_request_on_next(sli_rpc_stream_t *stream, bool *out_ended);
void sli_rpc_request_on_closed(sli_rpc_stream_t *stream, uint32_t error_code, sli_status_t *failure);
void sli_rpc_request_on_written(sli_rpc_connection_t *connection);
char *sli_rpc_request_on_place(sli_rpc_stream_t *stream, const char *head, size_t head_size, size_t message_size,
                               sli_rpc_message_t *out_message);
void sli_rpc_request_retain(sli_rpc_stream_t *stream);
void sli_rpc_request_release(sli_rpc_stream_t *stream);

#endif  // SLI_RPC_SERVER_INTERNAL_H_
