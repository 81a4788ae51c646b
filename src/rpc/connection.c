#include "rpc/connection_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "rpc/turn_internal.h"

// Read and written at a time under the guard, before others get their turn.
#define READ_BUDGET ((size_t)4 << 20)
#define WRITE_BUDGET ((size_t)4 << 20)
#define MAX_PARTS 64

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
  sli_lender_destroy(connection->lender);
  sli_borrowed_release(connection->lent);
  sli_rpc_guard_release(connection->guard);
  free(connection);
}

static void release_connection(void *context) { sli_rpc_connection_release(context); }

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
  connection->created_at = connection->last_read = sli_now_nanos();
  int pid = sli_rpc_socket_trusted_peer(fd);
  connection->awaits_arena = pid > 0 && !config->side->server;
  connection->passes_arena = pid > 0 && config->side->server && sli_lend_start();
  if (connection->passes_arena) connection->lender = sli_lender_create(pid);
  sli_status_t *status = sli_rpc_session_create(connection);
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
  sli_rpc_connection_settle(connection);
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

// A socket that is closed while its peer still sends is reset, and the reset overtakes what the peer has not read yet:
// our last answers, or the GOAWAY that says what it did wrong. So the peer hears the end, and closes first.

static void stop_lingering(void *context) {
  sli_rpc_connection_t *connection = context;
  sli_rpc_guard_lock(connection->guard);
  if (connection->fd >= 0) close_socket(connection);
  sli_rpc_guard_unlock(connection->guard);
  sli_rpc_connection_release(connection);
}

static void linger(sli_rpc_connection_t *connection) {
  shutdown(connection->fd, SHUT_WR);
  sli_rpc_watch_change(connection->watch, EPOLLIN);
  connection->keepalive = sli_rpc_loop_add_timer(connection->loop, sli_now_nanos() + connection->config.linger,
                                                 stop_lingering, sli_rpc_connection_retain(connection));
}

static void discard_input(sli_rpc_connection_t *connection) {
  struct iovec part = {sli_rpc_loop_read_buffer(connection->loop), SLI_RPC_READ_SIZE};
  ssize_t size = sli_rpc_socket_read(connection->fd, &part, 1);
  if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))) return;
  close_socket(connection);
}

void sli_rpc_connection_settle(sli_rpc_connection_t *connection) {
  if (connection->failure) return;
  if (connection->broken) {
    sli_status_t *failure = connection->broken;
    connection->broken = NULL;
    sli_rpc_connection_close(connection, failure);
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
    connection->watched_since = sli_now_nanos();
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

// Probes of a silent peer.

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
  int64_t now = sli_now_nanos();
  int64_t heard_at =
      connection->last_read > connection->watched_since ? connection->last_read : connection->watched_since;
  bool probed = connection->probed_at > 0 && connection->last_read < connection->probed_at;
  if (probed && now - connection->probed_at >= config->keepalive_timeout) {
    // If it was us who slept, the answer is waiting.
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
    sli_rpc_session_probe(connection);
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

sli_rpc_outgoing_t *sli_rpc_connection_announce(sli_rpc_connection_t *connection, const sli_lend_note_t *note) {
  connection->traffic.bytes_sent += note->size;
  return sli_rpc_outgoing_create_note(note);
}

static ssize_t write_parts(sli_rpc_connection_t *connection, const struct iovec *parts, int count) {
  if (!connection->passes_arena) return sli_rpc_socket_write(connection->fd, parts, count);
  ssize_t size = sli_rpc_socket_write_file(connection->fd, parts, count, sli_lend_file());
  if (size > 0) connection->passes_arena = false;
  return size;
}

// Writes what the socket takes; true if something is left for later.
static bool write_output(sli_rpc_connection_t *connection) {
  size_t written = 0;
  for (;;) {
    if (connection->output.size == 0) sli_rpc_session_fill(connection);
    if (connection->output.size == 0 || connection->broken) return false;
    if (written > WRITE_BUDGET) return true;
    struct iovec parts[MAX_PARTS];
    int count = sli_rpc_output_parts(&connection->output, parts, MAX_PARTS);
    ssize_t size = write_parts(connection, parts, count);
    if (size < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        if (!connection->blocked_since) connection->blocked_since = sli_now_nanos();
        return true;
      }
      // The peer may have answered before it went: the loop reads that first.
      connection->write_error = errno;
      sli_rpc_loop_post(connection->loop, close_after_reading, sli_rpc_connection_retain(connection));
      return false;
    }
    written += (size_t)size;
    connection->traffic.bytes_sent += (size_t)size;
    connection->blocked_since = 0;
    sli_rpc_output_advance(&connection->output, (size_t)size, &connection->guard->dead);
  }
}

void sli_rpc_connection_flush(sli_rpc_connection_t *connection) {
  // From one of nghttp2's callbacks: whoever entered it sends what comes of it.
  if (connection->failure || connection->broken || connection->in_session || connection->write_error) return;
  watch_for_out(connection, write_output(connection));
  if (sli_rpc_loop_is_polling(connection->loop) || connection->output.size > 0) return;
  // The last answer of a connection that goes away: its closing is the loop's business.
  if (!connection->broken && !nghttp2_session_want_read(connection->session) &&
      !nghttp2_session_want_write(connection->session))
    sli_rpc_loop_post(connection->loop, close_when_broken, sli_rpc_connection_retain(connection));
}

void sli_rpc_connection_push(sli_rpc_connection_t *connection) {
  if (!connection->failure && !sli_rpc_turn_add(connection)) sli_rpc_connection_flush(connection);
}

// Receiving.

static ssize_t read_parts(sli_rpc_connection_t *connection, const struct iovec *parts, int count) {
  if (!connection->awaits_arena) return sli_rpc_socket_read(connection->fd, parts, count);
  int file;
  ssize_t size = sli_rpc_socket_read_file(connection->fd, parts, count, &file);
  if (file < 0) return size;
  connection->awaits_arena = false;
  connection->lent = sli_borrowed_map(file);
  close(file);
  return size;
}

// One read; how many bytes, or 0 when there is nothing more to get now.
static size_t read_once(sli_rpc_connection_t *connection) {
  struct iovec parts[2];
  int count = 0;
  size_t direct = 0;
  char *destination = sli_rpc_session_destination(connection, &direct);
  if (destination) parts[count++] = (struct iovec){destination, direct};
  char *buffer = sli_rpc_loop_read_buffer(connection->loop);
  parts[count++] = (struct iovec){buffer, SLI_RPC_READ_SIZE};
  ssize_t size = read_parts(connection, parts, count);
  if (size < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return 0;
    char text[128];
    sli_rpc_connection_break(connection, sli_status_make_text(SLI_UNAVAILABLE, strerror_r(errno, text, sizeof(text))));
    return 0;
  }
  if (size == 0) {
    sli_rpc_connection_break(connection, sli_status_make_text(SLI_UNAVAILABLE, "Socket closed"));
    return 0;
  }
  connection->heard = true;
  connection->traffic.bytes_received += (size_t)size;
  connection->last_read = sli_now_nanos();
  size_t first = (size_t)size < direct ? (size_t)size : direct;
  if (first) sli_rpc_session_absorb(connection, destination, first);
  if ((size_t)size > first) sli_rpc_session_absorb(connection, buffer, (size_t)size - first);
  bool more = (size_t)size == direct + SLI_RPC_READ_SIZE && !connection->broken && !connection->failure;
  return more ? (size_t)size : 0;
}

static void close_after_reading(void *context) {
  sli_rpc_connection_t *connection = context;
  sli_rpc_guard_lock(connection->guard);
  while (!connection->failure && !connection->broken && read_once(connection) > 0) continue;
  char text[128];
  sli_rpc_connection_break(
      connection, sli_status_make_text(SLI_UNAVAILABLE, strerror_r(connection->write_error, text, sizeof(text))));
  sli_rpc_connection_settle(connection);
  sli_rpc_guard_unlock_and_deliver(connection->guard);
  sli_rpc_connection_release(connection);
}

static void on_ready(void *context, uint32_t events) {
  sli_rpc_connection_t *connection = context;
  sli_rpc_guard_lock(connection->guard);
  if (connection->failure && connection->fd >= 0) discard_input(connection);
  if (!connection->failure && (events & EPOLLOUT)) sli_rpc_connection_flush(connection);
  if (!connection->failure && !connection->broken && (events & ~(uint32_t)EPOLLOUT))
    for (size_t total = 0, size = 1; size > 0 && total < READ_BUDGET; total += size) size = read_once(connection);
  if (!connection->failure && !connection->broken && nghttp2_session_want_write(connection->session))
    sli_rpc_connection_push(connection);
  sli_rpc_connection_settle(connection);
  sli_rpc_guard_unlock_and_deliver(connection->guard);
}
