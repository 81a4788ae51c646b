#include "rpc/http.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "rpc/http_parse_internal.h"
#include "rpc/identity_internal.h"
#include "rpc/loop_internal.h"
#include "rpc/socket_internal.h"

#define MILLIS INT64_C(1000000)
#define ACCEPTS_PER_EVENT 16
// How often connections are checked for silence, and how long none is accepted after descriptors ran out.
#define PATROL_INTERVAL (1000 * MILLIS)

typedef struct http_connection http_connection_t;

// All on the polling thread, except |references|.
struct http_connection {
  sli_refcount_t references;  // the watch's, and that of a request
  sli_rpc_http_t *server;     // NULL once it is closed
  sli_rpc_loop_t *loop;
  http_connection_t *next, *previous;
  int fd;
  sli_rpc_watch_t *watch;
  uint32_t events;
  sli_rpc_tls_t *tls;
  sli_string_t input;  // of the next requests, at most SLI_RPC_HTTP_MAX_HEAD
  sli_string_t head, body;
  size_t sent;         // of head and body
  bool is_waiting;     // a handler has the request
  bool is_responding;  // head and body are being sent
  bool is_last;        // the connection is closed after this response
  int64_t moved_at;    // the last time that a byte was read or written
};

struct sli_rpc_http_request {
  http_connection_t *connection;
  sli_string_t line;  // method, path and query
  sli_view_t method, path, query;
  bool is_head;
  // The response, on its way to the polling thread.
  int code;
  const char *type;
  sli_string_t body;
};

struct sli_rpc_http {
  sli_refcount_t references;  // the owner's and the listener's
  sli_rpc_loop_t *loop;
  const sli_rpc_http_service_t *service;
  sli_rpc_http_options_t options;
  int fd, port;
  bool is_loopback;  // it listens there only
  // Polling thread only:
  sli_rpc_watch_t *watch;
  sli_rpc_timer_t *patrol_timer;
  bool is_paused;
  http_connection_t *connections;
  uint32_t connection_count;
  size_t unread;  // bytes of replies that were not written yet
};

static const char *reason_of(int code) {
  switch (code) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Content Too Large";
    case 421: return "Misdirected Request";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Error";
  }
}

// ---- Connections -----------------------------------------------------------------

static void connection_release(void *context) {
  http_connection_t *connection = context;
  if (!sli_refcount_release(&connection->references)) return;
  sli_string_deinitialize(&connection->input);
  sli_string_deinitialize(&connection->head);
  sli_string_deinitialize(&connection->body);
  free(connection);
}

static size_t unread_of(const http_connection_t *connection) {
  return connection->is_responding ? connection->head.size + connection->body.size - connection->sent : 0;
}

// A request that a handler still has is answered in vain.
static void connection_close(http_connection_t *connection) {
  sli_rpc_http_t *server = connection->server;
  if (!server) return;
  *(connection->previous ? &connection->previous->next : &server->connections) = connection->next;
  if (connection->next) connection->next->previous = connection->previous;
  server->connection_count--;
  server->unread -= unread_of(connection);
  connection->server = NULL;
  if (connection->tls) sli_rpc_tls_shutdown(connection->tls);
  sli_rpc_tls_destroy(connection->tls);
  connection->tls = NULL;
  sli_rpc_watch_remove(connection->watch);  // releases its reference later
  close(connection->fd);
}

static void watch_for(http_connection_t *connection) {
  bool wants_out = connection->is_responding || (connection->tls && sli_rpc_tls_wants_out(connection->tls));
  // While a handler has a request nothing is read: a peer that sends more must wait.
  uint32_t events = wants_out ? EPOLLOUT : connection->is_waiting ? 0 : EPOLLIN;
  if (events != connection->events) sli_rpc_watch_change(connection->watch, events);
  connection->events = events;
}

// Sends as much as the peer takes.
static void connection_write(http_connection_t *connection) {
  size_t total = connection->head.size + connection->body.size;
  while (connection->sent < total) {
    size_t in_body = connection->sent < connection->head.size ? 0 : connection->sent - connection->head.size;
    struct iovec parts[2];
    int count = 0;
    if (connection->sent < connection->head.size)
      parts[count++] =
          (struct iovec){connection->head.data + connection->sent, connection->head.size - connection->sent};
    if (in_body < connection->body.size)
      parts[count++] = (struct iovec){connection->body.data + in_body, connection->body.size - in_body};
    ssize_t size = connection->tls ? sli_rpc_tls_write(connection->tls, parts, count)
                                   : sli_rpc_socket_write(connection->fd, parts, count);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (size <= 0) {
      connection_close(connection);
      return;
    }
    connection->sent += (size_t)size;
    connection->server->unread -= (size_t)size;
    connection->moved_at = sli_rpc_loop_now(connection->loop);
  }
  connection->is_responding = false;
  sli_string_deinitialize(&connection->head);
  sli_string_deinitialize(&connection->body);
  connection->head = connection->body = (sli_string_t){0};
  if (connection->is_last) connection_close(connection);
}

// Moves |body|.
static void connection_respond(http_connection_t *connection, int code, const char *type, sli_string_t *body,
                               bool is_head) {
  connection->is_waiting = false;
  if (connection->server->unread + body->size > connection->server->options.max_unread_size) {
    code = 503;
    type = "text/plain";
    sli_string_clear(body);
    sli_string_append_text(body, "too many replies were not read yet\n");
  }
  sli_string_append_format(&connection->head,
                           "HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n"
                           "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: %s\r\n",
                           code, reason_of(code), type, body->size, connection->is_last ? "close" : "keep-alive");
  if (code == 401) sli_string_append_text(&connection->head, "WWW-Authenticate: Basic realm=\"sluice\"\r\n");
  if (!strcmp(type, "text/html"))
    sli_string_append_text(&connection->head,
                           "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src "
                           "'unsafe-inline'; connect-src 'self'; img-src data:\r\nX-Frame-Options: DENY\r\n");
  sli_string_append_text(&connection->head, "\r\n");
  if (!is_head) {
    connection->body = *body;
    *body = (sli_string_t){0};
  }
  connection->sent = 0;
  connection->is_responding = true;
  connection->server->unread += connection->head.size + connection->body.size;
  connection_write(connection);
}

static void respond_with_text(http_connection_t *connection, int code, const char *text) {
  sli_string_t body = {0};
  sli_string_append_format(&body, "%s\n", text);
  connection_respond(connection, code, "text/plain", &body, false);
  sli_string_deinitialize(&body);
}

// Whether the peer has the token, as a monitor sends it or as the password that a browser asks its user for, or needs
// none.
static bool is_identified(const http_connection_t *connection, sli_view_t authorization) {
  const sli_rpc_identity_t *identity = connection->server->options.identity;
  sli_string_t password, header = {0};
  if (sli_rpc_identity_accepts(identity, authorization) || sli_rpc_identity_knows(identity, connection->fd))
    return true;
  bool good = sli_rpc_http_basic_password(authorization, &password);
  if (good) {
    sli_string_append_text(&header, "Bearer ");
    sli_string_append(&header, password.data, password.size);
    good = sli_rpc_identity_accepts(identity, sli_view_of(header.data, header.size));
  }
  sli_string_deinitialize(&header);
  sli_string_deinitialize(&password);
  return good;
}

static void handle_request(http_connection_t *connection, const sli_rpc_http_head_t *head) {
  sli_rpc_http_t *server = connection->server;
  const sli_rpc_http_service_t *service = server->service;
  connection->is_last = !head->is_alive;
  // A page of the web may let its own name point to this host, so that a browser takes us for a part of that page.
  if (server->is_loopback && head->host.size && !sli_rpc_http_is_loopback_name(head->host)) {
    respond_with_text(connection, 421, "this server is reached as localhost, or by a number");
    return;
  }
  if (sli_rpc_identity_has_token(server->options.identity) && !(service->is_open && service->is_open(head->path)) &&
      !is_identified(connection, head->authorization)) {
    respond_with_text(connection, 401,
                      "the token of the job is needed: Authorization: Bearer TOKEN, or TOKEN as the password");
    return;
  }
  sli_rpc_http_request_t *request = sli_calloc(1, sizeof(*request));
  request->is_head = sli_view_is(head->method, "HEAD");
  sli_view_t method = request->is_head ? sli_view("GET") : head->method;
  sli_string_append(&request->line, method.data, method.size);
  sli_string_append(&request->line, head->path.data, head->path.size);
  sli_string_append(&request->line, head->query.data, head->query.size);
  request->method = sli_view_of(request->line.data, method.size);
  request->path = sli_view_of(request->line.data + method.size, head->path.size);
  request->query = sli_view_of(request->line.data + method.size + head->path.size, head->query.size);
  request->connection = connection;
  sli_refcount_retain(&connection->references);
  connection->is_waiting = true;
  service->handle(service->context, request);
}

// Handles the requests that have arrived, one after the other.
static void connection_advance(http_connection_t *connection) {
  while (connection->server && !connection->is_waiting && !connection->is_responding) {
    sli_rpc_http_head_t head;
    int size = sli_rpc_http_parse(sli_view_of(sli_string_text(&connection->input), connection->input.size), &head);
    if (size == 0) break;
    if (size < 0) {
      connection->is_last = true;
      respond_with_text(connection, -size, reason_of(-size));
      break;
    }
    sli_string_t used = connection->input;  // |head| points into it
    connection->input = (sli_string_t){0};
    sli_string_append(&connection->input, used.data + size, used.size - (size_t)size);
    handle_request(connection, &head);
    sli_string_deinitialize(&used);
  }
  if (connection->server) watch_for(connection);
}

static void connection_read(http_connection_t *connection) {
  struct iovec part = {sli_rpc_loop_read_buffer(connection->loop), SLI_RPC_READ_SIZE};
  ssize_t size =
      connection->tls ? sli_rpc_tls_read(connection->tls, &part, 1) : sli_rpc_socket_read(connection->fd, &part, 1);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  // More than one buffer at once is more than a peer may send ahead.
  if (size <= 0 || connection->input.size + (size_t)size > SLI_RPC_READ_SIZE ||
      (connection->tls && sli_rpc_tls_has_more(connection->tls))) {
    connection_close(connection);
    return;
  }
  connection->moved_at = sli_rpc_loop_now(connection->loop);
  sli_string_append(&connection->input, part.iov_base, (size_t)size);
}

static void on_event(void *context, uint32_t events) {
  http_connection_t *connection = context;
  if (!connection->server) return;
  sli_refcount_retain(&connection->references);
  bool wants_out = connection->tls && !connection->is_responding && sli_rpc_tls_wants_out(connection->tls);
  if (connection->is_waiting && events & (EPOLLHUP | EPOLLERR))
    connection_close(connection);
  else if (connection->is_responding && events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
    connection_write(connection);
  else if (!connection->is_waiting && (wants_out || events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
    connection_read(connection);
  connection_advance(connection);
  connection_release(connection);
}

// ---- Requests --------------------------------------------------------------------

sli_view_t sli_rpc_http_method(const sli_rpc_http_request_t *request) { return request->method; }
sli_view_t sli_rpc_http_path(const sli_rpc_http_request_t *request) { return request->path; }
sli_view_t sli_rpc_http_query(const sli_rpc_http_request_t *request) { return request->query; }

static void request_finish(void *context) {
  sli_rpc_http_request_t *request = context;
  http_connection_t *connection = request->connection;
  if (connection->server)
    connection_respond(connection, request->code, request->type, &request->body, request->is_head);
  connection_advance(connection);
  sli_string_deinitialize(&request->body);
  sli_string_deinitialize(&request->line);
  free(request);
  connection_release(connection);
}

void sli_rpc_http_respond(sli_rpc_http_request_t *request, int code, const char *type, sli_string_t *body) {
  request->code = code;
  request->type = type;
  request->body = *body;
  *body = (sli_string_t){0};
  sli_rpc_loop_post(request->connection->loop, request_finish, request);
}

// ---- Listening -------------------------------------------------------------------

static void http_release(void *context) {
  sli_rpc_http_t *server = context;
  if (!sli_refcount_release(&server->references)) return;
  sli_rpc_identity_release(server->options.identity);
  free(server);
}

static int64_t patience(const http_connection_t *connection) {
  const sli_rpc_http_options_t *options = &connection->server->options;
  if (connection->is_waiting) return INT64_MAX;  // it is our turn
  bool is_idle = !connection->is_responding && connection->input.size == 0;
  return (is_idle ? options->idle_timeout_millis : options->head_timeout_millis) * MILLIS;
}

static void patrol(void *context) {
  sli_rpc_http_t *server = context;
  sli_rpc_timer_cancel(server->patrol_timer);
  int64_t now = sli_rpc_loop_now(server->loop);
  for (http_connection_t *connection = server->connections, *next; connection; connection = next) {
    next = connection->next;
    if (now - connection->moved_at > patience(connection)) connection_close(connection);
  }
  if (server->is_paused) sli_rpc_watch_change(server->watch, EPOLLIN);
  server->is_paused = false;
  server->patrol_timer = sli_rpc_loop_add_timer(server->loop, now + PATROL_INTERVAL, patrol, server);
}

// Closes the connection that has been quiet for longest; those whose request a handler has only if there is no other.
static void make_room(sli_rpc_http_t *server) {
  http_connection_t *oldest = NULL;
  for (http_connection_t *connection = server->connections; connection; connection = connection->next)
    if (!oldest || (oldest->is_waiting && !connection->is_waiting) ||
        (oldest->is_waiting == connection->is_waiting && connection->moved_at < oldest->moved_at))
      oldest = connection;
  if (oldest) connection_close(oldest);
}

static void use_accepted(sli_rpc_http_t *server, int fd) {
  const sli_rpc_identity_t *identity = server->options.identity;
  if (server->connection_count >= server->options.max_connections) make_room(server);
  http_connection_t *connection = sli_calloc(1, sizeof(*connection));
  sli_refcount_initialize(&connection->references);
  connection->loop = server->loop;
  connection->fd = fd;
  connection->events = EPOLLIN;
  connection->moved_at = sli_rpc_loop_now(server->loop);
  bool is_plain = !sli_rpc_identity_has_cert(identity) ||
                  (sli_rpc_identity_is_plain_on_loopback(identity) && sli_rpc_socket_is_loopback(fd));
  sli_status_t *status =
      is_plain ? NULL : sli_rpc_tls_create(sli_rpc_identity_tls(identity), fd, NULL, &connection->tls);
  if (connection->tls) sli_rpc_tls_use_http1(connection->tls);
  if (!status)
    status =
        sli_rpc_watch_create(server->loop, fd, EPOLLIN, on_event, connection_release, connection, &connection->watch);
  if (status) {
    SLI_WARNING("HTTP port %d: a connection was dropped: %s", server->port, sli_status_message(status));
    sli_status_release(status);
    sli_rpc_tls_destroy(connection->tls);
    close(fd);
    free(connection);
    return;
  }
  connection->server = server;
  connection->next = server->connections;
  if (connection->next) connection->next->previous = connection;
  server->connections = connection;
  server->connection_count++;
}

static void on_connection(void *context, uint32_t events) {
  sli_rpc_http_t *server = context;
  for (int i = 0; i < ACCEPTS_PER_EVENT && server->watch; i++) {
    char peer[SLI_RPC_PEER_SIZE];
    int fd = sli_rpc_socket_accept(server->fd, peer);
    if (fd >= 0) {
      use_accepted(server, fd);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      server->is_paused = true;  // until the next patrol
      sli_rpc_watch_change(server->watch, 0);
      return;
    } else if (errno != ECONNABORTED && errno != EINTR && errno != EPROTO) {
      return;
    }
  }
}

typedef struct {
  sli_rpc_http_t *server;
  sli_status_t *status;
} http_start_t;

static void start_on_loop(void *context) {
  http_start_t *start = context;
  sli_rpc_http_t *server = start->server;
  sli_refcount_retain(&server->references);
  start->status =
      sli_rpc_watch_create(server->loop, server->fd, EPOLLIN, on_connection, http_release, server, &server->watch);
  if (start->status)
    http_release(server);
  else
    server->patrol_timer =
        sli_rpc_loop_add_timer(server->loop, sli_rpc_loop_now(server->loop) + PATROL_INTERVAL, patrol, server);
}

static bool is_loopback(const char *address) {
  return address && sli_rpc_http_is_loopback_name(sli_view(address)) &&
         (!strcmp(address, "localhost") || !strcmp(address, "::1") || sli_string_starts_with(address, "127."));
}

sli_status_t *sli_rpc_http_create(sli_rpc_loop_t *loop, const char *address, int port,
                                  const sli_rpc_http_service_t *service, const sli_rpc_http_options_t *options,
                                  sli_rpc_http_t **out_server) {
  *out_server = NULL;
  sli_rpc_http_t *server = sli_calloc(1, sizeof(*server));
  sli_refcount_initialize(&server->references);
  server->loop = loop;
  server->service = service;
  if (options) server->options = *options;
  server->is_loopback = is_loopback(address);
  sli_rpc_http_options_t *limits = &server->options;
  if (!limits->max_connections) limits->max_connections = 64;
  if (!limits->max_unread_size) limits->max_unread_size = (size_t)64 << 20;
  if (limits->head_timeout_millis <= 0) limits->head_timeout_millis = 10000;
  if (limits->idle_timeout_millis <= 0) limits->idle_timeout_millis = 75000;
  sli_status_t *status = NULL;
  if (limits->identity)
    sli_rpc_identity_retain(limits->identity);
  else
    status = sli_rpc_identity_of_process(&limits->identity);
  if (!status) status = sli_rpc_socket_listen(address, port, &server->fd, &server->port);
  if (status) {
    http_release(server);
    return status;
  }
  http_start_t start = {.server = server};
  sli_rpc_loop_run(loop, start_on_loop, &start);
  if (start.status) {
    close(server->fd);
    http_release(server);
    return start.status;
  }
  *out_server = server;
  return NULL;
}

int sli_rpc_http_port(const sli_rpc_http_t *server) { return server->port; }

bool sli_rpc_http_has_tls(const sli_rpc_http_t *server) {
  return sli_rpc_identity_has_cert(server->options.identity) &&
         !(server->is_loopback && sli_rpc_identity_is_plain_on_loopback(server->options.identity));
}

static void close_on_loop(void *context) {
  sli_rpc_http_t *server = context;
  sli_rpc_timer_cancel(server->patrol_timer);
  sli_rpc_watch_remove(server->watch);
  server->watch = NULL;
  close(server->fd);
  while (server->connections) connection_close(server->connections);
}

void sli_rpc_http_destroy(sli_rpc_http_t *server) {
  if (!server) return;
  sli_rpc_loop_run(server->loop, close_on_loop, server);
  http_release(server);
}
