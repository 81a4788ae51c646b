#include "rpc/channel.h"

#include <stdlib.h>
#include <string.h>

#include "rpc/channel_internal.h"
#include "rpc/identity_internal.h"

#define MILLIS INT64_C(1000000)
#define CLIENT_HEADER_SIZE (256u << 10)

static void begin_attempt(void *context);

static int64_t positive_or(int64_t value, int64_t fallback) { return value > 0 ? value : fallback; }

static void set_default_options(sli_rpc_channel_options_t *options) {
  options->connect_timeout_millis = positive_or(options->connect_timeout_millis, 7000);
  options->keepalive_interval_millis = positive_or(options->keepalive_interval_millis, 4000);
  options->keepalive_timeout_millis = positive_or(options->keepalive_timeout_millis, 3000);
  options->initial_backoff_millis = positive_or(options->initial_backoff_millis, 100);
  options->max_backoff_millis = positive_or(options->max_backoff_millis, 3000);
  if (options->max_message_size == 0 || options->max_message_size > SLI_RPC_MAX_MESSAGE_SIZE)
    options->max_message_size = SLI_RPC_MAX_MESSAGE_SIZE;
  // A connection has 2^30 stream ids.
  if (options->max_streams_per_connection == 0 || options->max_streams_per_connection > 1u << 29)
    options->max_streams_per_connection = 1u << 29;
}

sli_status_t *sli_rpc_channel_create(sli_rpc_loop_t *loop, const char *target, const sli_rpc_channel_options_t *options,
                                     sli_rpc_channel_t **out_channel) {
  *out_channel = NULL;
  char *host;
  int port;
  sli_rpc_identity_t *identity = options ? options->identity : NULL;
  if (identity)
    sli_rpc_identity_retain(identity);
  else
    SLI_RETURN_IF_ERROR(sli_rpc_identity_of_process(&identity));
  sli_status_t *status = sli_rpc_target_parse(target, &host, &port);
  if (status) {
    sli_rpc_identity_release(identity);
    return status;
  }
  sli_rpc_channel_t *channel = sli_calloc(1, sizeof(*channel));
  sli_refcount_initialize(&channel->references);
  channel->loop = loop;
  channel->guard = sli_rpc_guard_create(loop);
  channel->target = sli_strdup(target);
  channel->host = host;
  channel->port = port;
  if (options) channel->options = *options;
  channel->options.identity = identity;
  set_default_options(&channel->options);
  channel->backoff = channel->options.initial_backoff_millis * MILLIS;
  *out_channel = channel;
  return NULL;
}

sli_rpc_channel_t *sli_rpc_channel_retain(sli_rpc_channel_t *channel) {
  sli_refcount_retain(&channel->references);
  return channel;
}

void sli_rpc_channel_release(sli_rpc_channel_t *channel) {
  if (!sli_refcount_release(&channel->references)) return;
  sli_status_release(channel->failure);
  sli_rpc_identity_release(channel->options.identity);
  sli_rpc_guard_release(channel->guard);
  free(channel->target);
  free(channel->host);
  free(channel);
}

const char *sli_rpc_channel_target(const sli_rpc_channel_t *channel) { return channel->target; }

sli_rpc_channel_state_t sli_rpc_channel_state(sli_rpc_channel_t *channel) {
  sli_rpc_guard_lock(channel->guard);
  sli_rpc_channel_state_t state = channel->state;
  sli_rpc_guard_unlock(channel->guard);
  return state;
}

char *sli_rpc_channel_describe_failure(sli_rpc_channel_t *channel) {
  sli_rpc_guard_lock(channel->guard);
  char *text = channel->failure ? sli_strdup(sli_status_message(channel->failure)) : NULL;
  sli_rpc_guard_unlock(channel->guard);
  return text;
}

sli_rpc_failure_t sli_rpc_channel_failure(sli_rpc_channel_t *channel) {
  sli_rpc_guard_lock(channel->guard);
  sli_rpc_failure_t kind = channel->failure_kind;
  sli_rpc_guard_unlock(channel->guard);
  return kind;
}

bool sli_rpc_channel_speaks_grpc(sli_rpc_channel_t *channel) {
  sli_rpc_guard_lock(channel->guard);
  bool speaks_grpc = channel->speaks_grpc;
  sli_rpc_guard_unlock(channel->guard);
  return speaks_grpc;
}

static sli_rpc_traffic_t traffic_sum(sli_rpc_traffic_t a, sli_rpc_traffic_t b) {
  return (sli_rpc_traffic_t){a.calls + b.calls, a.bytes_sent + b.bytes_sent, a.bytes_received + b.bytes_received,
                             a.waiting + b.waiting};
}

sli_rpc_traffic_t sli_rpc_channel_traffic(sli_rpc_channel_t *channel) {
  sli_rpc_guard_lock(channel->guard);
  sli_rpc_traffic_t traffic = channel->past;
  if (channel->connection) traffic = traffic_sum(traffic, sli_rpc_connection_traffic(channel->connection));
  sli_rpc_guard_unlock(channel->guard);
  return traffic;
}

sli_lend_mapping_t *sli_rpc_channel_memory(sli_rpc_channel_t *channel) {
  sli_rpc_guard_lock(channel->guard);
  sli_lend_mapping_t *memory = channel->connection ? sli_lend_mapping_retain(channel->connection->lender_memory) : NULL;
  sli_rpc_guard_unlock(channel->guard);
  return memory;
}

static void set_failure(sli_rpc_channel_t *channel, sli_rpc_failure_t kind, sli_status_t *failure) {
  sli_status_release(channel->failure);
  channel->failure = failure;
  channel->failure_kind = kind;
}

// Calls that wait for a connection.

static void add_pending(sli_rpc_channel_t *channel, sli_rpc_call_t *call) {
  sli_rpc_stream_t *stream = &call->stream;
  call->pending = true;
  stream->next = NULL;
  stream->previous = channel->last_pending;
  *(channel->last_pending ? &channel->last_pending->next : &channel->first_pending) = stream;
  channel->last_pending = stream;
}

void sli_rpc_channel_remove_pending(sli_rpc_channel_t *channel, sli_rpc_call_t *call) {
  sli_rpc_stream_t *stream = &call->stream;
  call->pending = false;
  *(stream->previous ? &stream->previous->next : &channel->first_pending) = stream->next;
  *(stream->next ? &stream->next->previous : &channel->last_pending) = stream->previous;
}

static void start_connecting(sli_rpc_channel_t *channel) {
  channel->state = SLI_RPC_CHANNEL_CONNECTING;
  sli_rpc_loop_post(channel->loop, begin_attempt, sli_rpc_channel_retain(channel));
}

// The connection gets no more calls, but completes those it has.
static void retire_connection(sli_rpc_channel_t *channel) {
  channel->connection = NULL;
  channel->state = SLI_RPC_CHANNEL_IDLE;
}

static bool try_submit(sli_rpc_channel_t *channel, sli_rpc_call_t *call) {
  sli_rpc_connection_t *connection = channel->connection;
  if (connection->started_streams < channel->options.max_streams_per_connection) {
    if (sli_rpc_call_submit(call, connection)) return true;
    retire_connection(channel);
  } else {
    retire_connection(channel);
    sli_rpc_connection_flush(connection);
    sli_rpc_connection_go_away(connection);
  }
  return false;
}

void sli_rpc_channel_dispatch(sli_rpc_channel_t *channel, sli_rpc_call_t *call) {
  if (channel->state == SLI_RPC_CHANNEL_READY && try_submit(channel, call)) {
    sli_rpc_connection_push(channel->connection);
    return;
  }
  if (channel->state == SLI_RPC_CHANNEL_FAILED && !call->wait_for_ready) {
    sli_rpc_call_finish(call, sli_status_retain(channel->failure));
    return;
  }
  add_pending(channel, call);
  if (channel->state == SLI_RPC_CHANNEL_IDLE) start_connecting(channel);
}

// Connecting, on the polling thread only.

static void on_backoff_over(void *context) {
  sli_rpc_channel_t *channel = context;
  sli_rpc_timer_cancel(channel->backoff_timer);
  channel->backoff_timer = NULL;
  sli_rpc_guard_lock(channel->guard);
  channel->state = SLI_RPC_CHANNEL_IDLE;
  if (channel->first_pending) start_connecting(channel);
  sli_rpc_guard_unlock(channel->guard);
}

// Consumes |status|, the reason of the failure. The caller must hold the guard.
static void attempt_failed(sli_rpc_channel_t *channel, sli_rpc_failure_t kind, sli_status_t *status) {
  sli_rpc_timer_cancel(channel->attempt_timer);
  channel->attempt_timer = NULL;
  set_failure(
      channel, kind,
      sli_status_make(SLI_UNAVAILABLE, "failed to connect to %s: %s", channel->target, sli_status_message(status)));
  sli_status_release(status);
  channel->connection = NULL;
  channel->state = SLI_RPC_CHANNEL_FAILED;
  for (sli_rpc_stream_t *stream = channel->first_pending; stream;) {
    sli_rpc_call_t *call = (sli_rpc_call_t *)stream;
    stream = stream->next;
    if (!call->wait_for_ready) sli_rpc_call_finish(call, sli_status_retain(channel->failure));
  }
  // ±20 %, so that the peers of a restarted task do not all connect at once.
  int64_t wait = channel->backoff / 10 * 8 +
                 (int64_t)(sli_rpc_loop_random(channel->loop) % (uint64_t)(channel->backoff / 10 * 4 + 1));
  channel->backoff_timer =
      sli_rpc_loop_add_timer(channel->loop, sli_rpc_loop_now(channel->loop) + wait, on_backoff_over, channel);
  channel->backoff = channel->backoff / 10 * 16;
  if (channel->backoff > channel->options.max_backoff_millis * MILLIS)
    channel->backoff = channel->options.max_backoff_millis * MILLIS;
}

static void on_attempt_timeout(void *context) {
  sli_rpc_channel_t *channel = context;
  sli_rpc_guard_lock(channel->guard);
  sli_status_t *status = sli_status_make(SLI_UNAVAILABLE, "connection timed out after %.1f s",
                                         (double)channel->options.connect_timeout_millis / 1e3);
  if (channel->dial) {
    sli_rpc_dial_end(channel->dial);
    channel->dial = NULL;
    attempt_failed(channel, SLI_RPC_FAILURE_TIMEOUT, status);
  } else if (channel->connection) {
    sli_rpc_connection_close(channel->connection, status);  // reports the failure through _on_lost
  }
  sli_rpc_guard_unlock_and_deliver(channel->guard);
}

// Consumes |fd|. The caller must hold the guard.
static sli_status_t *use_connected_socket(sli_rpc_channel_t *channel, int fd) {
  sli_rpc_connection_config_t config = {
      .side = &sli_rpc_client_side,
      .owner = channel,
      .max_message_size = channel->options.max_message_size,
      .max_header_size = CLIENT_HEADER_SIZE,
      .keepalive_interval = channel->options.keepalive_interval_millis * MILLIS,
      .keepalive_timeout = channel->options.keepalive_timeout_millis * MILLIS,
      .tls = sli_rpc_identity_tls(channel->options.identity),
      .tls_host = channel->host,
  };
  sli_rpc_connection_t *connection;
  SLI_RETURN_IF_ERROR(
      sli_rpc_connection_create(sli_rpc_guard_retain(channel->guard), fd, channel->target, &config, &connection));
  connection->next = channel->connections;
  if (channel->connections) channel->connections->previous = connection;
  channel->connections = connection;
  channel->connection = connection;
  sli_rpc_connection_push(connection);
  return NULL;
}

static void on_dialed(void *context, int fd, sli_status_t *status) {
  sli_rpc_channel_t *channel = context;
  sli_rpc_failure_t kind = status ? sli_rpc_dial_failure(channel->dial) : SLI_RPC_FAILURE_UNREACHABLE;
  sli_rpc_dial_end(channel->dial);
  channel->dial = NULL;
  sli_rpc_guard_lock(channel->guard);
  if (!status) status = use_connected_socket(channel, fd);
  if (status) attempt_failed(channel, kind, status);
  sli_rpc_guard_unlock_and_deliver(channel->guard);
}

static void begin_attempt(void *context) {
  sli_rpc_channel_t *channel = context;
  sli_rpc_guard_lock(channel->guard);
  bool closed = channel->closed;
  sli_rpc_guard_unlock(channel->guard);
  if (!closed) {
    int64_t deadline = sli_rpc_loop_now(channel->loop) + channel->options.connect_timeout_millis * MILLIS;
    channel->dial = sli_rpc_dial_start(channel->loop, channel->host, channel->port, channel->options.tcp_only, deadline,
                                       on_dialed, channel);
    // Later than the dial's own timeout, so that the dial can report which address failed.
    channel->attempt_timer = sli_rpc_loop_add_timer(channel->loop, deadline + 10 * MILLIS, on_attempt_timeout, channel);
  }
  sli_rpc_channel_release(channel);
}

void sli_rpc_channel_on_ready(sli_rpc_connection_t *connection) {
  sli_rpc_channel_t *channel = connection->config.owner;
  if (channel->connection != connection) return;
  sli_rpc_timer_cancel(channel->attempt_timer);
  channel->attempt_timer = NULL;
  channel->state = SLI_RPC_CHANNEL_READY;
  channel->backoff = channel->options.initial_backoff_millis * MILLIS;
  set_failure(channel, SLI_RPC_FAILURE_NONE, NULL);
  while (channel->first_pending && channel->state == SLI_RPC_CHANNEL_READY) {
    sli_rpc_call_t *call = (sli_rpc_call_t *)channel->first_pending;
    sli_rpc_channel_remove_pending(channel, call);
    sli_rpc_channel_dispatch(channel, call);
  }
}

void sli_rpc_channel_on_draining(sli_rpc_connection_t *connection) {
  sli_rpc_channel_t *channel = connection->config.owner;
  if (channel->connection == connection && channel->state == SLI_RPC_CHANNEL_READY) retire_connection(channel);
}

// Whether the connection, which failed before its handshake was complete, did so because of TLS.
static bool is_tls_failure(const sli_rpc_connection_t *connection) {
  sli_status_t *failure = connection->tls ? sli_rpc_tls_failure(connection->tls) : NULL;
  sli_status_release(failure);
  return failure || (!connection->tls && connection->is_alert);
}

// The status of a connection that failed before its handshake was complete.
static sli_status_t *handshake_failure(const sli_rpc_connection_t *connection) {
  const char *why = sli_status_message(connection->failure);
  if (!connection->tls && connection->is_alert)
    return sli_status_make(SLI_UNAVAILABLE,
                           "the server requires TLS: set SLUICE_TLS_CA, and SLUICE_TLS_CERT and SLUICE_TLS_KEY if it "
                           "asks for a certificate");
  if (is_tls_failure(connection)) return sli_status_make_text(SLI_UNAVAILABLE, why);
  if (connection->has_read)
    return sli_status_make(SLI_UNAVAILABLE, "the peer does not speak HTTP/2 as gRPC does (%s)", why);
  return sli_status_make(SLI_UNAVAILABLE, "connected, but no HTTP/2 handshake was received (%s)", why);
}

void sli_rpc_channel_on_lost(sli_rpc_connection_t *connection) {
  sli_rpc_channel_t *channel = connection->config.owner;
  *(connection->previous ? &connection->previous->next : &channel->connections) = connection->next;
  if (connection->next) connection->next->previous = connection->previous;
  channel->past = traffic_sum(channel->past, sli_rpc_connection_traffic(connection));
  channel->past.waiting = 0;
  if (channel->connection == connection) {
    channel->connection = NULL;
    if (channel->closed) {
      channel->state = SLI_RPC_CHANNEL_IDLE;
    } else if (channel->state == SLI_RPC_CHANNEL_CONNECTING) {
      sli_rpc_failure_t kind = connection->has_read ? SLI_RPC_FAILURE_PROTOCOL : SLI_RPC_FAILURE_TIMEOUT;
      attempt_failed(channel, is_tls_failure(connection) ? SLI_RPC_FAILURE_TLS : kind, handshake_failure(connection));
    } else {
      channel->state = SLI_RPC_CHANNEL_IDLE;
      set_failure(channel, SLI_RPC_FAILURE_LOST,
                  sli_status_make(SLI_UNAVAILABLE, "connection to %s lost: %s", channel->target,
                                  sli_status_message(connection->failure)));
    }
  }
  sli_rpc_connection_release(connection);  // the watch still holds one
}

static void close_channel(void *context) {
  sli_rpc_channel_t *channel = context;
  sli_rpc_dial_end(channel->dial);
  channel->dial = NULL;
  sli_rpc_timer_cancel(channel->attempt_timer);
  sli_rpc_timer_cancel(channel->backoff_timer);
  channel->attempt_timer = channel->backoff_timer = NULL;
  sli_rpc_guard_lock(channel->guard);
  channel->closed = true;
  channel->state = SLI_RPC_CHANNEL_IDLE;
  while (channel->first_pending)
    sli_rpc_call_finish((sli_rpc_call_t *)channel->first_pending,
                        sli_status_make(SLI_CANCELLED, "the channel to %s was closed", channel->target));
  while (channel->connections)
    sli_rpc_connection_close(channel->connections,
                             sli_status_make(SLI_CANCELLED, "the channel to %s was closed", channel->target));
  sli_rpc_guard_unlock_and_deliver(channel->guard);
}

void sli_rpc_channel_destroy(sli_rpc_channel_t *channel) {
  if (!channel) return;
  sli_rpc_loop_run(channel->loop, close_channel, channel);
  sli_rpc_channel_release(channel);
}
