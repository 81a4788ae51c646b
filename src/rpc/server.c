#include "rpc/server.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"
#include "rpc/server_internal.h"
#include "rpc/turn.h"

#define MILLIS INT64_C(1000000)
#define ACCEPTS_PER_TURN 64
// How long accepting rests when the process has no descriptors left.
#define ACCEPT_PAUSE (100 * MILLIS)
// How often connections are checked for stalls.
#define PATROL_INTERVAL (5000 * MILLIS)
#define LISTENERS (sizeof(((sli_rpc_server_t *)0)->listeners) / sizeof(sli_rpc_listener_t))

static void fill_options(sli_rpc_server_options_t *options) {
  if (options->max_message_size == 0 || options->max_message_size > SLI_RPC_MAX_MESSAGE_SIZE)
    options->max_message_size = SLI_RPC_MAX_MESSAGE_SIZE;
  if (!options->max_connections) options->max_connections = 20000;
  if (!options->max_concurrent_streams) options->max_concurrent_streams = 65536;
  if (!options->max_header_size) options->max_header_size = 64 << 10;
  if (!options->max_buffered_size) options->max_buffered_size = (size_t)4 << 30;
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
  sli_event_deinitialize(&server->drained);
  free(server);
}

// Connections, on the polling thread.

// After GOAWAY a connection closes by itself when its last answer was written.
static void note_drained(sli_rpc_server_t *server) {
  if (atomic_load(&server->stopped) && !server->connections) sli_event_set(&server->drained);
}

static void on_lost(sli_rpc_connection_t *connection) {
  sli_rpc_server_t *server = connection->config.owner;
  *(connection->previous ? &connection->previous->next : &server->connections) = connection->next;
  if (connection->next) connection->next->previous = connection->previous;
  server->connection_count--;
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
    .closed = sli_rpc_request_on_closed,
    .lost = on_lost,
    .place = sli_rpc_request_on_place,
    .retain = sli_rpc_request_retain,
    .release = sli_rpc_request_release,
};

static void check_connection(sli_rpc_server_t *server, sli_rpc_connection_t *connection, int64_t now) {
  const sli_rpc_server_options_t *options = &server->options;
  sli_rpc_guard_t *guard = sli_rpc_guard_retain(connection->guard);
  sli_rpc_guard_lock(guard);
  if (!connection->settled && now - connection->created_at > options->handshake_timeout_millis * MILLIS)
    sli_rpc_connection_close(connection, sli_status_make_text(SLI_UNAVAILABLE, "no HTTP/2 handshake came"));
  else if (connection->blocked_since && now - connection->blocked_since > options->stall_timeout_millis * MILLIS)
    sli_rpc_connection_close(connection, sli_status_make_text(SLI_UNAVAILABLE, "the peer does not read its answers"));
  sli_rpc_guard_unlock(guard);
  sli_rpc_guard_release(guard);
}

static void patrol(void *context) {
  sli_rpc_server_t *server = context;
  sli_rpc_timer_cancel(server->patrol_timer);
  server->patrol_timer = NULL;
  int64_t now = sli_now_nanos();
  for (sli_rpc_connection_t *connection = server->connections, *next; connection; connection = next) {
    next = connection->next;
    check_connection(server, connection, now);
  }
  if (server->connections)
    server->patrol_timer = sli_rpc_loop_add_timer(server->loop, now + server->patrol_interval, patrol, server);
}

static void adopt_socket(sli_rpc_server_t *server, int fd, const char *peer) {
  sli_rpc_connection_config_t config = {
      .side = &server_side,
      .owner = server,
      .max_message_size = server->options.max_message_size,
      .max_buffered_size = server->options.max_buffered_size,
      .max_concurrent_streams = server->options.max_concurrent_streams,
      .max_header_size = server->options.max_header_size,
      .reset_burst = server->options.reset_burst,
      .reset_rate = server->options.reset_rate,
      .linger = server->options.linger_millis * MILLIS,
      .keepalive_interval = server->options.keepalive_interval_millis * MILLIS,
      .keepalive_timeout = server->options.keepalive_timeout_millis * MILLIS,
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
      server->patrol_timer =
          sli_rpc_loop_add_timer(server->loop, sli_now_nanos() + server->patrol_interval, patrol, server);
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
  for (int i = 0; i < ACCEPTS_PER_TURN && listener->watch; i++) {
    char peer[SLI_RPC_PEER_SIZE];
    int fd = sli_rpc_socket_accept(listener->fd, peer);
    if (fd >= 0 && server->connection_count >= server->options.max_connections) {
      if (server->refused++ == 0)
        SLI_WARNING("port %d: connection from %s refused, there are %u already", server->port, peer,
                    server->connection_count);
      close(fd);
    } else if (fd >= 0) {
      adopt_socket(server, fd, peer);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      if (server->refused++ == 0)
        SLI_WARNING("port %d: cannot accept connections: out of descriptors or memory", server->port);
      watch_listeners(server, 0);
      if (!server->accept_timer)
        server->accept_timer =
            sli_rpc_loop_add_timer(server->loop, sli_now_nanos() + ACCEPT_PAUSE, resume_accepting, server);
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

// The way within the host first: who starts at the same port anew finds its name free.
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
  SLI_RETURN_IF_ERROR(sli_rpc_socket_listen(address, port, &fd, &bound));
  sli_rpc_server_t *server = sli_calloc(1, sizeof(*server));
  sli_refcount_initialize(&server->references);
  sli_event_initialize(&server->drained);
  server->loop = loop;
  server->service = service;
  server->listeners[0].fd = fd;
  server->listeners[1].fd = sli_rpc_socket_listen_local(fd);
  server->port = bound;
  if (options) server->options = *options;
  fill_options(&server->options);
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
  sli_rpc_turn_flush();  // lets the GOAWAYs out
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
