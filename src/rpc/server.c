#include "rpc/server.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"
#include "rpc/cork.h"
#include "rpc/identity_internal.h"
#include "rpc/server_internal.h"

#define MILLIS INT64_C(1000000)
#define ACCEPTS_PER_EVENT 64
// How long no connections are accepted after the process ran out of descriptors.
#define ACCEPT_PAUSE (100 * MILLIS)
// How often connections are checked for stalls.
#define PATROL_INTERVAL (5000 * MILLIS)
// A peer that owes the rest of a request must send this much in the time of a stall.
#define LEAST_OWED 1024
// Names that peers give themselves: their traffic is kept after they disconnect.
#define MAX_PAST_PEERS 4096
// Between log lines about callers that were refused: anyone can cause them.
#define COMPLAINT_INTERVAL (10000 * MILLIS)
#define LISTENERS (sizeof(((sli_rpc_server_t *)0)->listeners) / sizeof(sli_rpc_listener_t))

static void set_default_server_options(sli_rpc_server_options_t *options) {
  if (options->max_message_size == 0 || options->max_message_size > SLI_RPC_MAX_MESSAGE_SIZE)
    options->max_message_size = SLI_RPC_MAX_MESSAGE_SIZE;
  if (!options->max_connections) options->max_connections = 20000;
  if (!options->max_concurrent_streams) options->max_concurrent_streams = 65536;
  if (!options->max_header_size) options->max_header_size = 64 << 10;
  if (!options->max_buffered_size) options->max_buffered_size = (size_t)4 << 30;
  if (!options->max_server_buffered_size)
    options->max_server_buffered_size = (size_t)sysconf(_SC_PHYS_PAGES) / 4 * 3 * (size_t)sysconf(_SC_PAGESIZE);
  if (!options->max_promised_size) options->max_promised_size = (size_t)32 << 20;
  if (!options->max_server_promised_size) options->max_server_promised_size = (size_t)128 << 20;
  if (!options->max_unread_size) options->max_unread_size = (size_t)256 << 20;
  if (!options->reset_burst) options->reset_burst = 50000;
  if (!options->reset_rate) options->reset_rate = 10000;
  if (options->handshake_timeout_millis <= 0) options->handshake_timeout_millis = 20000;
  if (options->stall_timeout_millis <= 0) options->stall_timeout_millis = 60000;
  if (options->linger_millis <= 0) options->linger_millis = 1000;
  if (options->keepalive_interval_millis <= 0) options->keepalive_interval_millis = 5000;
  if (options->keepalive_timeout_millis <= 0) options->keepalive_timeout_millis = 8000;
}

sli_rpc_server_t *sli_rpc_server_retain(sli_rpc_server_t *server) {
  sli_refcount_retain(&server->references);
  return server;
}

void sli_rpc_server_release(sli_rpc_server_t *server) {
  if (!sli_refcount_release(&server->references)) return;
  sli_rpc_identity_release(server->options.identity);
  sli_event_deinitialize(&server->drained);
  SLI_MAP_FOR_EACH (&server->past, entry) free(entry->value);
  sli_map_deinitialize(&server->past);
  free(server);
}

// Connections, on the polling thread.

// After GOAWAY a connection closes itself when its last reply was written.
static void note_drained(sli_rpc_server_t *server) {
  if (atomic_load(&server->stopped) && !server->connections) sli_event_set(&server->drained);
}

void sli_rpc_server_complain(sli_rpc_server_t *server, const char *peer, const char *why) {
  int64_t now = sli_rpc_loop_now(server->loop);
  server->denied++;
  if (server->complained_at && now - server->complained_at < COMPLAINT_INTERVAL) return;
  SLI_WARNING("port %d: refused %llu caller(s), the last %s: %s", server->port, (unsigned long long)server->denied,
              peer, why);
  server->complained_at = now;
  server->denied = 0;
}

// Adds the traffic of a connection that ends to that of its peer.
static void keep_traffic(sli_rpc_server_t *server, const sli_rpc_connection_t *connection) {
  if (!connection->peer_name) return;
  sli_rpc_traffic_t *past = sli_map_get(&server->past, sli_view(connection->peer_name));
  if (!past && server->past.count >= MAX_PAST_PEERS) return;
  if (!past) sli_map_set(&server->past, sli_view(connection->peer_name), past = sli_calloc(1, sizeof(*past)));
  sli_rpc_traffic_t traffic = sli_rpc_connection_traffic(connection);
  past->calls += traffic.calls;
  past->bytes_sent += traffic.bytes_sent;
  past->bytes_received += traffic.bytes_received;
}

static void on_lost(sli_rpc_connection_t *connection) {
  sli_rpc_server_t *server = connection->config.owner;
  keep_traffic(server, connection);
  *(connection->previous ? &connection->previous->next : &server->connections) = connection->next;
  if (connection->next) connection->next->previous = connection->previous;
  server->connection_count--;
  sli_status_t *refusal = connection->tls ? sli_rpc_tls_failure(connection->tls) : NULL;
  if (refusal) sli_rpc_server_complain(server, connection->peer, sli_status_message(refusal));
  sli_status_release(refusal);
  note_drained(server);
  sli_rpc_connection_release(connection);  // the watch still holds one
}

static const sli_rpc_side_t server_side = {
    .server = true,
    .open = sli_rpc_request_open,
    .header = sli_rpc_request_on_header,
    .headers = sli_rpc_request_on_headers,
    .failed = sli_rpc_request_on_failed,
    .ended = sli_rpc_request_on_ended,
    .sent = sli_rpc_request_on_sent,
    .message = sli_rpc_request_on_message,
    .next = sli_rpc_request_on_next,
    .closed = sli_rpc_request_on_closed,
    .written = sli_rpc_request_on_written,
    .lost = on_lost,
    .place = sli_rpc_request_on_place,
    .retain = sli_rpc_request_retain,
    .release = sli_rpc_request_release,
};

// Whether the peer has begun a request and sends hardly anything of its rest. It may send if no stream of it is parked.
static bool is_slow_writer(const sli_rpc_server_t *server, sli_rpc_connection_t *connection, int64_t now) {
  bool owes = false, is_parked = false;
  for (sli_rpc_stream_t *stream = connection->first_stream; stream && !is_parked; stream = stream->next) {
    is_parked = stream->parked;
    owes |= sli_rpc_request_is_incomplete(stream);
  }
  uint64_t received = connection->traffic.bytes_received;
  if (!owes || is_parked) {
    connection->owes_since = 0;
  } else if (!connection->owes_since || received - connection->received_then >= LEAST_OWED) {
    connection->owes_since = now;
    connection->received_then = received;
  }
  return connection->owes_since && now - connection->owes_since > server->options.stall_timeout_millis * MILLIS;
}

static void check_connection(sli_rpc_server_t *server, sli_rpc_connection_t *connection, int64_t now) {
  const sli_rpc_server_options_t *options = &server->options;
  sli_rpc_guard_t *guard = sli_rpc_guard_retain(connection->guard);
  sli_rpc_guard_lock(guard);
  if (!connection->settled && now - connection->created_at > options->handshake_timeout_millis * MILLIS)
    sli_rpc_connection_close(connection, sli_status_make_text(SLI_UNAVAILABLE, "no HTTP/2 handshake was received"));
  else if (connection->blocked_since && now - connection->blocked_since > options->stall_timeout_millis * MILLIS)
    sli_rpc_connection_close(connection, sli_status_make_text(SLI_UNAVAILABLE, "the peer does not read its replies"));
  else if (is_slow_writer(server, connection, now))
    sli_rpc_connection_close(connection,
                             sli_status_make_text(SLI_UNAVAILABLE, "the peer does not send the rest of its request"));
  sli_rpc_guard_unlock(guard);
  sli_rpc_guard_release(guard);
}

static void patrol(void *context) {
  sli_rpc_server_t *server = context;
  sli_rpc_timer_cancel(server->patrol_timer);
  server->patrol_timer = NULL;
  int64_t now = sli_rpc_loop_now(server->loop);
  for (sli_rpc_connection_t *connection = server->connections, *next; connection; connection = next) {
    next = connection->next;
    check_connection(server, connection, now);
  }
  if (server->connections)
    server->patrol_timer = sli_rpc_loop_add_timer(server->loop, now + server->patrol_interval, patrol, server);
}

static void use_accepted_socket(sli_rpc_server_t *server, int fd, const char *peer) {
  bool has_tls = sli_rpc_identity_has_cert(server->options.identity);
  // The Unix socket is without TLS, so only our own user may use it.
  if (has_tls && sli_rpc_socket_is_local(fd) && !sli_rpc_socket_trusted_peer(fd)) {
    sli_rpc_server_complain(server, peer, "it runs as another user and must use TLS");
    close(fd);
    return;
  }
  sli_rpc_connection_config_t config = {
      .side = &server_side,
      .owner = server,
      .max_message_size = server->options.max_message_size,
      .max_buffered_size = server->options.max_buffered_size,
      .max_promised_size = server->options.max_promised_size,
      .budget = &server->budget,
      .max_unread_size = server->options.max_unread_size,
      .max_concurrent_streams = server->options.max_concurrent_streams,
      .max_header_size = server->options.max_header_size,
      .reset_burst = server->options.reset_burst,
      .reset_rate = server->options.reset_rate,
      .linger = server->options.linger_millis * MILLIS,
      .keepalive_interval = server->options.keepalive_interval_millis * MILLIS,
      .keepalive_timeout = server->options.keepalive_timeout_millis * MILLIS,
      .must_identify = sli_rpc_identity_has_token(server->options.identity),
      .tls = has_tls ? sli_rpc_identity_tls(server->options.identity) : NULL,
      .plain_loopback = sli_rpc_identity_is_plain_on_loopback(server->options.identity),
  };
  sli_rpc_guard_t *guard = sli_rpc_guard_create(server->loop);
  sli_rpc_guard_lock(guard);
  sli_rpc_connection_t *connection;
  sli_status_t *status = sli_rpc_connection_create(sli_rpc_guard_retain(guard), fd, peer, &config, &connection);
  if (status) {
    SLI_WARNING("connection from %s dropped: %s", peer, sli_status_message(status));
    sli_status_release(status);
  } else {
    connection->next = server->connections;
    if (server->connections) server->connections->previous = connection;
    server->connections = connection;
    server->connection_count++;
    sli_rpc_connection_push(connection);
    if (!server->patrol_timer)
      server->patrol_timer = sli_rpc_loop_add_timer(
          server->loop, sli_rpc_loop_now(server->loop) + server->patrol_interval, patrol, server);
  }
  sli_rpc_guard_unlock(guard);
  sli_rpc_guard_release(guard);
}

void sli_rpc_server_for_each_peer(sli_rpc_server_t *server,
                                  void (*visit)(void *context, const char *peer, const char *name,
                                                const sli_rpc_traffic_t *traffic),
                                  void *context) {
  for (sli_rpc_connection_t *connection = server->connections; connection; connection = connection->next) {
    sli_rpc_guard_lock(connection->guard);
    sli_rpc_traffic_t traffic = sli_rpc_connection_traffic(connection);
    char *name = sli_strdup(connection->peer_name ? connection->peer_name : "");
    sli_rpc_guard_unlock(connection->guard);
    visit(context, connection->peer, name, &traffic);
    free(name);
  }
}

void sli_rpc_server_for_each_past(sli_rpc_server_t *server,
                                  void (*visit)(void *context, const char *peer, const char *name,
                                                const sli_rpc_traffic_t *traffic),
                                  void *context) {
  SLI_MAP_FOR_EACH (&server->past, entry) {
    char *name = sli_strndup(entry->key, entry->key_size);
    visit(context, "", name, entry->value);
    free(name);
  }
}

static void watch_listeners(sli_rpc_server_t *server, uint32_t events) {
  for (size_t i = 0; i < LISTENERS; i++)
    if (server->listeners[i].watch) sli_rpc_watch_change(server->listeners[i].watch, events);
}

static void resume_accepting(void *context) {
  sli_rpc_server_t *server = context;
  sli_rpc_timer_cancel(server->accept_timer);
  server->accept_timer = NULL;
  watch_listeners(server, EPOLLIN);
}

static void accept_from(sli_rpc_server_t *server, sli_rpc_listener_t *listener) {
  for (int i = 0; i < ACCEPTS_PER_EVENT && listener->watch; i++) {
    char peer[SLI_RPC_PEER_SIZE];
    int fd = sli_rpc_socket_accept(listener->fd, peer);
    if (fd >= 0 && server->connection_count >= server->options.max_connections) {
      if (server->refused++ == 0)
        SLI_WARNING("port %d: connection from %s refused: there are already %u connections, the limit", server->port,
                    peer, server->connection_count);
      close(fd);
    } else if (fd >= 0) {
      use_accepted_socket(server, fd, peer);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      if (server->refused++ == 0)
        SLI_WARNING("port %d: cannot accept connections: out of descriptors or memory", server->port);
      watch_listeners(server, 0);
      if (!server->accept_timer)
        server->accept_timer = sli_rpc_loop_add_timer(server->loop, sli_rpc_loop_now(server->loop) + ACCEPT_PAUSE,
                                                      resume_accepting, server);
      return;
    } else if (errno != ECONNABORTED && errno != EINTR && errno != EPROTO) {
      return;
    }
  }
}

static void on_connection(void *context, uint32_t events) {
  accept_from(context, &((sli_rpc_server_t *)context)->listeners[0]);
}

static void on_local_connection(void *context, uint32_t events) {
  accept_from(context, &((sli_rpc_server_t *)context)->listeners[1]);
}

// Life.

// The Unix socket first: a new server at the same port can bind the name then.
static void stop_listening(sli_rpc_server_t *server) {
  for (size_t i = LISTENERS; i-- > 0;) {
    sli_rpc_listener_t *listener = &server->listeners[i];
    if (listener->watch) sli_rpc_watch_remove(listener->watch);
    listener->watch = NULL;
    if (listener->fd >= 0) close(listener->fd);
    listener->fd = -1;
  }
}

static void release_server(void *context) { sli_rpc_server_release(context); }

typedef struct {
  sli_rpc_server_t *server;
  sli_status_t *status;
} start_t;

static void start_accepting(void *context) {
  start_t *start = context;
  sli_rpc_server_t *server = start->server;
  for (size_t i = 0; i < LISTENERS && !start->status; i++) {
    sli_rpc_listener_t *listener = &server->listeners[i];
    if (listener->fd < 0) continue;
    start->status = sli_rpc_watch_create(server->loop, listener->fd, EPOLLIN, i ? on_local_connection : on_connection,
                                         release_server, sli_rpc_server_retain(server), &listener->watch);
    if (start->status) sli_rpc_server_release(server);
  }
  if (start->status) stop_listening(server);
}

sli_status_t *sli_rpc_server_create(sli_rpc_loop_t *loop, const char *address, int port,
                                    const sli_rpc_service_t *service, const sli_rpc_server_options_t *options,
                                    sli_rpc_server_t **out_server) {
  *out_server = NULL;
  int fd, bound;
  sli_rpc_identity_t *identity = options ? options->identity : NULL;
  if (identity)
    sli_rpc_identity_retain(identity);
  else
    SLI_RETURN_IF_ERROR(sli_rpc_identity_of_process(&identity));
  sli_status_t *status = sli_rpc_socket_listen(address, port, &fd, &bound);
  if (status) {
    sli_rpc_identity_release(identity);
    return status;
  }
  sli_rpc_server_t *server = sli_calloc(1, sizeof(*server));
  sli_refcount_initialize(&server->references);
  sli_event_initialize(&server->drained);
  server->loop = loop;
  server->service = service;
  server->listeners[0].fd = fd;
  server->listeners[1].fd = sli_rpc_socket_listen_local(fd);
  server->port = bound;
  if (options) server->options = *options;
  server->options.identity = identity;
  set_default_server_options(&server->options);
  server->budget.max_buffered = server->options.max_server_buffered_size;
  server->budget.max_promised = server->options.max_server_promised_size;
  int64_t shortest = server->options.handshake_timeout_millis < server->options.stall_timeout_millis
                         ? server->options.handshake_timeout_millis
                         : server->options.stall_timeout_millis;
  server->patrol_interval = shortest * MILLIS < PATROL_INTERVAL ? shortest * MILLIS : PATROL_INTERVAL;
  start_t start = {.server = server};
  sli_rpc_loop_run(loop, start_accepting, &start);
  if (start.status) {
    sli_rpc_server_release(server);
    return start.status;
  }
  *out_server = server;
  return NULL;
}

int sli_rpc_server_port(const sli_rpc_server_t *server) { return server->port; }

static void stop_server(void *context) {
  sli_rpc_server_t *server = context;
  if (atomic_exchange(&server->stopped, true)) return;
  sli_rpc_timer_cancel(server->accept_timer);
  server->accept_timer = NULL;
  stop_listening(server);
  for (sli_rpc_connection_t *connection = server->connections; connection; connection = connection->next) {
    sli_rpc_guard_lock(connection->guard);
    sli_rpc_connection_go_away(connection);
    sli_rpc_guard_unlock(connection->guard);
  }
  note_drained(server);
}

void sli_rpc_server_stop(sli_rpc_server_t *server) { sli_rpc_loop_run(server->loop, stop_server, server); }

bool sli_rpc_server_drain(sli_rpc_server_t *server, int64_t deadline) {
  return sli_rpc_loop_wait(server->loop, &server->drained, deadline);
}

static void close_server(void *context) {
  sli_rpc_server_t *server = context;
  stop_server(server);
  sli_rpc_cork_flush();  // sends the GOAWAYs
  server->closed = true;
  sli_rpc_timer_cancel(server->patrol_timer);
  server->patrol_timer = NULL;
  while (server->connections) {
    sli_rpc_connection_t *connection = server->connections;
    sli_rpc_guard_t *guard = sli_rpc_guard_retain(connection->guard);
    sli_rpc_guard_lock(guard);
    sli_rpc_connection_close(connection, sli_status_make_text(SLI_UNAVAILABLE, "the server was stopped"));
    sli_rpc_guard_unlock_and_deliver(guard);
    sli_rpc_guard_release(guard);
  }
}

void sli_rpc_server_destroy(sli_rpc_server_t *server) {
  if (!server) return;
  sli_rpc_loop_run(server->loop, close_server, server);
  sli_rpc_server_release(server);
}
