#include "rpc/connection_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "rpc/cork_internal.h"

// How much is read or written while the guard is held, before other threads may take it.
#define READ_BUDGET ((size_t)4 << 20)
#define WRITE_BUDGET ((size_t)4 << 20)
#define MAX_PARTS 64
// The first byte of an alert: what a TLS server sends to a client without TLS.
#define TLS_ALERT 21

static void on_ready(void *context, uint32_t events);
static void close_after_reading(void *context);

sli_rpc_connection_t *sli_rpc_connection_retain(sli_rpc_connection_t *connection) {
  sli_refcount_retain(&connection->references);
  return connection;
}

void sli_rpc_connection_release(sli_rpc_connection_t *connection) {
  if (!connection || !sli_refcount_release(&connection->references)) return;
  sli_status_release(connection->broken);
  sli_status_release(connection->failure);
  free(connection->protocol_error);
  free(connection->peer_name);
  sli_rpc_tls_destroy(connection->tls);
  sli_lend_borrower_destroy(connection->borrower);
  sli_lend_mapping_release(connection->lender_memory);
  sli_rpc_guard_release(connection->guard);
  free(connection);
}

void sli_rpc_connection_trust(sli_rpc_connection_t *connection) {
  int pid = connection->lendable_pid;
  connection->lendable_pid = 0;
  connection->passes_arena = pid > 0 && sli_lend_start();
  if (connection->passes_arena) connection->borrower = sli_lend_borrower_create(pid);
}

static void release_connection(void *context) { sli_rpc_connection_release(context); }

// Between processes of one host there is no TLS: the kernel tells who the peer is.
static sli_status_t *begin_tls(sli_rpc_connection_t *connection) {
  const sli_rpc_connection_config_t *config = &connection->config;
  if (!config->tls || sli_rpc_socket_is_local(connection->fd)) return NULL;
  connection->awaits_protocol = config->plain_loopback && sli_rpc_socket_is_loopback(connection->fd);
  if (connection->awaits_protocol) return NULL;
  return sli_rpc_tls_create(config->tls, connection->fd, config->tls_host, &connection->tls);
}

// Returns false if the peer has sent nothing yet.
static bool find_protocol(sli_rpc_connection_t *connection) {
  enum { HANDSHAKE = 22 };  // the first byte of TLS; HTTP/2 begins with "PRI"
  char byte = 0;
  if (recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  connection->awaits_protocol = false;
  sli_status_t *status = NULL;
  if (byte == HANDSHAKE) status = sli_rpc_tls_create(connection->config.tls, connection->fd, NULL, &connection->tls);
  if (status) sli_rpc_connection_break(connection, status);
  return true;
}

sli_status_t *sli_rpc_connection_create(sli_rpc_guard_t *guard, int fd, const char *peer,
                                        const sli_rpc_connection_config_t *config,
                                        sli_rpc_connection_t **out_connection) {
  *out_connection = NULL;
  sli_rpc_connection_t *connection = sli_calloc(1, sizeof(*connection));
  atomic_init(&connection->references, 2);  // the caller's and the watch's
  connection->guard = guard;
  connection->loop = guard->loop;
  connection->config = *config;
  strncpy(connection->peer, peer, sizeof(connection->peer) - 1);
  connection->fd = fd;
  connection->created_at = connection->last_read = sli_rpc_loop_now(connection->loop);
  int pid = sli_rpc_socket_trusted_peer(fd);
  connection->awaits_arena = pid > 0 && !config->side->server;
  connection->lendable_pid = config->side->server ? pid : 0;
  if (!config->must_identify) sli_rpc_connection_trust(connection);
  sli_status_t *status = begin_tls(connection);
  if (!status) status = sli_rpc_http2_create(connection);
  if (!status)
    status = sli_rpc_watch_create(connection->loop, fd, EPOLLIN, on_ready, release_connection, connection,
                                  &connection->watch);
  if (status) {
    nghttp2_session_del(connection->session);
    close(fd);
    sli_rpc_connection_release(connection);
    sli_rpc_connection_release(connection);
    return status;
  }
  *out_connection = connection;
  return NULL;
}

// Closing.

static void close_when_broken(void *context) {
  sli_rpc_connection_t *connection = context;
  sli_rpc_guard_lock(connection->guard);
  sli_rpc_connection_close_if_done(connection);
  sli_rpc_guard_unlock(connection->guard);
  sli_rpc_connection_release(connection);
}

void sli_rpc_connection_break(sli_rpc_connection_t *connection, sli_status_t *status) {
  if (connection->broken || connection->failure) {
    sli_status_release(status);
    return;
  }
  connection->broken = status;
  if (!sli_rpc_loop_is_polling(connection->loop))
    sli_rpc_loop_post(connection->loop, close_when_broken, sli_rpc_connection_retain(connection));
}

static void stop_timer(sli_rpc_connection_t *connection) {
  if (sli_rpc_timer_cancel(connection->keepalive)) sli_rpc_connection_release(connection);
  connection->keepalive = NULL;
}

static void end_session(sli_rpc_connection_t *connection, sli_status_t *failure) {
  connection->failure = failure;
  nghttp2_session_del(connection->session);
  connection->session = NULL;
  sli_rpc_output_deinitialize(&connection->output, &connection->guard->dead);
  stop_timer(connection);
  for (sli_rpc_stream_t *stream; (stream = connection->first_stream);) {
    sli_rpc_connection_detach(connection, stream);
    connection->config.side->closed(stream, NGHTTP2_CANCEL, failure);
  }
}

static void close_socket(sli_rpc_connection_t *connection) {
  sli_rpc_watch_remove(connection->watch);
  connection->watch = NULL;
  if (connection->tls) sli_rpc_tls_shutdown(connection->tls);
  close(connection->fd);
  connection->fd = -1;
  stop_timer(connection);
  connection->config.side->lost(connection);
}

void sli_rpc_connection_close(sli_rpc_connection_t *connection, sli_status_t *failure) {
  SLI_CHECK(sli_rpc_loop_is_polling(connection->loop));
  if (connection->failure)
    sli_status_release(failure);
  else
    end_session(connection, failure);
  if (connection->fd >= 0) close_socket(connection);
}

// If a socket is closed while its peer still sends, the kernel resets the connection, and the peer loses what it has
// not read yet: our last replies, or the GOAWAY with its error. So only our direction is shut down, and the peer closes
// first.

static void stop_lingering(void *context) {
  sli_rpc_connection_t *connection = context;
  sli_rpc_guard_lock(connection->guard);
  if (connection->fd >= 0) close_socket(connection);
  sli_rpc_guard_unlock(connection->guard);
  sli_rpc_connection_release(connection);
}

static void linger(sli_rpc_connection_t *connection) {
  if (connection->tls) sli_rpc_tls_shutdown(connection->tls);
  shutdown(connection->fd, SHUT_WR);
  sli_rpc_watch_change(connection->watch, EPOLLIN);
  connection->keepalive =
      sli_rpc_loop_add_timer(connection->loop, sli_rpc_loop_now(connection->loop) + connection->config.linger,
                             stop_lingering, sli_rpc_connection_retain(connection));
}

static void discard_input(sli_rpc_connection_t *connection) {
  struct iovec part = {sli_rpc_loop_read_buffer(connection->loop), SLI_RPC_READ_SIZE};
  ssize_t size = sli_rpc_socket_read(connection->fd, &part, 1);
  if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))) return;
  close_socket(connection);
}

void sli_rpc_connection_close_if_done(sli_rpc_connection_t *connection) {
  if (connection->failure) return;
  if (connection->broken) {
    sli_status_t *failure = connection->broken;
    connection->broken = NULL;
    // A client learns from TLS's last message why it was refused.
    bool is_refused = connection->tls && !connection->settled && connection->config.side->server;
    if (!is_refused) {
      sli_rpc_connection_close(connection, failure);
    } else {
      end_session(connection, failure);
      linger(connection);
    }
    return;
  }
  if (connection->output.size > 0 || nghttp2_session_want_read(connection->session) ||
      nghttp2_session_want_write(connection->session))
    return;
  sli_status_t *failure = connection->protocol_error ? sli_status_make(SLI_UNAVAILABLE, "HTTP/2 protocol error: %s",
                                                                       connection->protocol_error)
                                                     : sli_status_make_text(SLI_UNAVAILABLE, "Socket closed");
  if (!connection->config.side->server) {
    sli_rpc_connection_close(connection, failure);
  } else {
    end_session(connection, failure);
    linger(connection);
  }
}

// Streams.

static void on_keepalive(void *context);

static void arm_keepalive(sli_rpc_connection_t *connection, int64_t deadline) {
  connection->keepalive =
      sli_rpc_loop_add_timer(connection->loop, deadline, on_keepalive, sli_rpc_connection_retain(connection));
}

void sli_rpc_connection_attach(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, int32_t id) {
  stream->connection = connection;
  stream->id = id;
  stream->next = NULL;
  stream->previous = connection->last_stream;
  *(connection->last_stream ? &connection->last_stream->next : &connection->first_stream) = stream;
  connection->last_stream = stream;
  connection->stream_count++;
  connection->started_streams++;
  if (connection->config.keepalive_interval && !connection->keepalive) {
    connection->watched_since = sli_rpc_loop_now(connection->loop);
    connection->probed_at = 0;
    arm_keepalive(connection, connection->watched_since + connection->config.keepalive_interval);
  }
}

void sli_rpc_connection_detach(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream) {
  *(stream->previous ? &stream->previous->next : &connection->first_stream) = stream->next;
  *(stream->next ? &stream->next->previous : &connection->last_stream) = stream->previous;
  stream->connection = NULL;
  connection->stream_count--;
  if (connection->placing == stream) connection->placing = NULL;
  sli_rpc_connection_unpromise(connection, stream);
  if (stream->parked) {
    stream->parked = false;
    stream->reserved = 0;
    connection->withheld -= stream->withheld;
    connection->parked_count--;
  }
  if (connection->session) nghttp2_session_set_stream_user_data(connection->session, stream->id, NULL);
}

void sli_rpc_connection_abandon(sli_rpc_connection_t *connection, sli_rpc_stream_t *stream, uint32_t error_code) {
  int32_t id = stream->id;
  sli_rpc_connection_detach(connection, stream);
  if (!connection->session) return;
  nghttp2_submit_rst_stream(connection->session, NGHTTP2_FLAG_NONE, id, error_code);
  sli_rpc_connection_push(connection);
}

void sli_rpc_connection_go_away(sli_rpc_connection_t *connection) {
  if (connection->failure) return;
  nghttp2_submit_goaway(connection->session, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(connection->session), NGHTTP2_NO_ERROR, NULL, 0);
  sli_rpc_connection_push(connection);
}

// Probing a silent peer.

static void on_keepalive(void *context) {
  sli_rpc_connection_t *connection = context;
  const sli_rpc_connection_config_t *config = &connection->config;
  sli_rpc_guard_lock(connection->guard);
  sli_rpc_timer_cancel(connection->keepalive);
  connection->keepalive = NULL;
  if (connection->failure || connection->stream_count == 0) {
    sli_rpc_guard_unlock(connection->guard);
    sli_rpc_connection_release(connection);
    return;
  }
  int64_t now = sli_rpc_loop_now(connection->loop);
  int64_t heard_at =
      connection->last_read > connection->watched_since ? connection->last_read : connection->watched_since;
  bool probed = connection->probed_at > 0 && connection->last_read < connection->probed_at;
  if (probed && now - connection->probed_at >= config->keepalive_timeout) {
    // If this process was suspended, the reply has arrived already.
    if (sli_rpc_socket_has_input(connection->fd)) {
      connection->last_read = now;
      arm_keepalive(connection, now + config->keepalive_interval);
    } else {
      sli_rpc_connection_close(connection,
                               sli_status_make(SLI_UNAVAILABLE, "keepalive watchdog timeout: no answer for %.1f s",
                                               (double)(now - heard_at) / 1e9));
    }
  } else if (probed) {
    arm_keepalive(connection, connection->probed_at + config->keepalive_timeout);
  } else if (now - heard_at >= config->keepalive_interval) {
    connection->probed_at = now;
    sli_rpc_http2_probe(connection);
    sli_rpc_connection_push(connection);
    arm_keepalive(connection, now + config->keepalive_timeout);
  } else {
    arm_keepalive(connection, heard_at + config->keepalive_interval);
  }
  sli_rpc_guard_unlock(connection->guard);
  sli_rpc_connection_release(connection);
}

// Sending.

static void watch_for_out(sli_rpc_connection_t *connection, bool wanted) {
  if (connection->wants_out == wanted) return;
  connection->wants_out = wanted;
  sli_rpc_watch_change(connection->watch, wanted ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

sli_rpc_outgoing_t *sli_rpc_connection_create_note(sli_rpc_connection_t *connection, const sli_lend_note_t *note) {
  connection->traffic.bytes_sent += note->size;
  return sli_rpc_outgoing_create_note(note);
}

static ssize_t write_parts(sli_rpc_connection_t *connection, const struct iovec *parts, int count) {
  if (connection->tls) return sli_rpc_tls_write(connection->tls, parts, count);
  if (!connection->passes_arena) return sli_rpc_socket_write(connection->fd, parts, count);
  ssize_t size = sli_rpc_socket_write_file(connection->fd, parts, count, sli_lend_file());
  if (size > 0) connection->passes_arena = false;
  return size;
}

// Writes as much as the socket accepts. Returns true if something is left.
static bool write_output(sli_rpc_connection_t *connection) {
  size_t written = 0;
  for (;;) {
    if (connection->output.size == 0) sli_rpc_http2_fill_output(connection);
    if (connection->output.size == 0 || connection->broken) return false;
    if (written > WRITE_BUDGET) return true;
    struct iovec parts[MAX_PARTS];
    int count = sli_rpc_output_parts(&connection->output, parts, MAX_PARTS);
    ssize_t size = write_parts(connection, parts, count);
    if (size < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        if (connection->tls && !sli_rpc_tls_wants_out(connection->tls)) return false;  // its handshake must read first
        if (!connection->blocked_since) connection->blocked_since = sli_rpc_loop_now(connection->loop);
        return true;
      }
      // The peer may have replied before it closed: the loop reads that first.
      connection->write_error = errno;
      sli_rpc_loop_post(connection->loop, close_after_reading, sli_rpc_connection_retain(connection));
      return false;
    }
    written += (size_t)size;
    connection->traffic.bytes_sent += (size_t)size;
    connection->blocked_since = 0;
    sli_rpc_output_advance(&connection->output, (size_t)size, &connection->guard->dead);
    if (connection->first_held) connection->config.side->written(connection);
  }
}

void sli_rpc_connection_flush(sli_rpc_connection_t *connection) {
  // In a callback of nghttp2: the caller of nghttp2 flushes afterwards.
  if (connection->failure || connection->broken || connection->in_session || connection->write_error) return;
  if (connection->awaits_protocol) return;
  watch_for_out(connection, write_output(connection));
  if (sli_rpc_loop_is_polling(connection->loop) || connection->output.size > 0) return;
  // The last reply of a connection after GOAWAY was sent: the loop closes it.
  if (!connection->broken && !nghttp2_session_want_read(connection->session) &&
      !nghttp2_session_want_write(connection->session))
    sli_rpc_loop_post(connection->loop, close_when_broken, sli_rpc_connection_retain(connection));
}

void sli_rpc_connection_push(sli_rpc_connection_t *connection) {
  if (!connection->failure && !sli_rpc_cork_add(connection)) sli_rpc_connection_flush(connection);
}

// Receiving.

static ssize_t read_parts(sli_rpc_connection_t *connection, const struct iovec *parts, int count) {
  if (connection->tls) return sli_rpc_tls_read(connection->tls, parts, count);
  if (!connection->awaits_arena) return sli_rpc_socket_read(connection->fd, parts, count);
  int file;
  ssize_t size = sli_rpc_socket_read_file(connection->fd, parts, count, &file);
  if (file < 0) return size;
  connection->awaits_arena = false;
  connection->lender_memory = sli_lend_mapping_create(file);
  close(file);
  return size;
}

// Reads once. Returns how many bytes, or 0 if there is nothing more to read now.
static size_t read_once(sli_rpc_connection_t *connection) {
  struct iovec parts[2];
  int count = 0;
  size_t direct = 0;
  if (connection->awaits_protocol && !find_protocol(connection)) return 0;
  if (connection->broken) return 0;
  char *destination = sli_rpc_http2_destination(connection, &direct);
  if (destination) parts[count++] = (struct iovec){destination, direct};
  char *buffer = sli_rpc_loop_read_buffer(connection->loop);
  parts[count++] = (struct iovec){buffer, SLI_RPC_READ_SIZE};
  ssize_t size = read_parts(connection, parts, count);
  if (size < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return 0;
    char text[128];
    sli_status_t *status = connection->tls ? sli_rpc_tls_failure(connection->tls) : NULL;
    if (!status) status = sli_status_make_text(SLI_UNAVAILABLE, strerror_r(errno, text, sizeof(text)));
    sli_rpc_connection_break(connection, status);
    return 0;
  }
  if (size == 0) {
    sli_rpc_connection_break(connection, sli_status_make_text(SLI_UNAVAILABLE, "Socket closed"));
    return 0;
  }
  if (!connection->has_read) connection->is_alert = *(destination ? destination : buffer) == TLS_ALERT;
  connection->has_read = true;
  connection->traffic.bytes_received += (size_t)size;
  connection->last_read = sli_rpc_loop_now(connection->loop);
  size_t first = (size_t)size < direct ? (size_t)size : direct;
  if (first) sli_rpc_http2_receive(connection, destination, first);
  if ((size_t)size > first) sli_rpc_http2_receive(connection, buffer, (size_t)size - first);
  bool is_full = connection->tls ? sli_rpc_tls_has_more(connection->tls) : (size_t)size == direct + SLI_RPC_READ_SIZE;
  bool more = is_full && !connection->broken && !connection->failure;
  return more ? (size_t)size : 0;
}

static void close_after_reading(void *context) {
  sli_rpc_connection_t *connection = context;
  sli_rpc_guard_lock(connection->guard);
  while (!connection->failure && !connection->broken && read_once(connection) > 0) continue;
  char text[128];
  sli_rpc_connection_break(
      connection, sli_status_make_text(SLI_UNAVAILABLE, strerror_r(connection->write_error, text, sizeof(text))));
  sli_rpc_connection_close_if_done(connection);
  sli_rpc_guard_unlock_and_deliver(connection->guard);
  sli_rpc_connection_release(connection);
}

static void on_ready(void *context, uint32_t events) {
  sli_rpc_connection_t *connection = context;
  sli_rpc_guard_lock(connection->guard);
  if (connection->failure && connection->fd >= 0) discard_input(connection);
  if (!connection->failure && (events & EPOLLOUT)) sli_rpc_connection_flush(connection);
  // A handshake may have to write before it can read.
  if (!connection->failure && !connection->broken && (connection->tls || (events & ~(uint32_t)EPOLLOUT)))
    for (size_t total = 0, size = 1; size > 0 && total < READ_BUDGET; total += size) size = read_once(connection);
  if (!connection->failure && !connection->broken &&
      (nghttp2_session_want_write(connection->session) || (connection->tls && connection->output.size > 0)))
    sli_rpc_connection_push(connection);
  sli_rpc_connection_close_if_done(connection);
  sli_rpc_guard_unlock_and_deliver(connection->guard);
}
