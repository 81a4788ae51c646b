#include "dist/client/probe.h"

#include <stdlib.h>

#include "dist/client/control_client.h"
#include "dist/env/env_process.h"
#include "rpc/channel.h"

enum { ROUND_TRIPS = 5, MAX_PAYLOAD = 256 << 20 };

char *sli_probe_describe_proxy(void) {
  static const char *const names[] = {"grpc_proxy", "https_proxy", "http_proxy",
                                      "GRPC_PROXY", "HTTPS_PROXY", "HTTP_PROXY"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++) {
    const char *value = getenv(names[i]);
    if (value && *value) return sli_format("%s=%s", names[i], value);
  }
  return NULL;
}

sli_status_t *sli_probe_check_task(const char *task, const char *address, const sli_device_set_entry_t *devices,
                                   size_t count) {
  for (size_t i = 0; i < count; i++) {
    sli_view_t other = sli_device_name_task(sli_view(devices[i].name));
    if (!sli_view_is(other, task))
      return sli_status_make(SLI_FAILED_PRECONDITION,
                             "%s should be %s, but %.*s answers there: is a job name or task index wrong, "
                             "or does the port belong to another cluster?",
                             address, task, SLI_VIEW_ARG(other));
  }
  return NULL;
}

static void fail(sli_probe_t *probe, sli_probe_stage_t stage, const char *why, const char *hint) {
  probe->failed_at = stage;
  free(probe->why);
  probe->why = sli_format("%s%s%s", why, hint ? ": " : "", hint ? hint : "");
}

// Records why the first call on |channel| failed. Consumes |status|.
static void explain(sli_rpc_channel_t *channel, sli_status_t *status, sli_probe_t *probe) {
  static const struct {
    sli_probe_stage_t stage;
    const char *hint;
  } kinds[] = {
      [SLI_RPC_FAILURE_NAME] = {SLI_PROBE_DNS, "is the host's name spelled right, and known on this machine?"},
      [SLI_RPC_FAILURE_REFUSED] = {SLI_PROBE_REFUSED, "is the task running, and on this port?"},
      [SLI_RPC_FAILURE_UNREACHABLE] = {SLI_PROBE_UNREACHABLE, "is there a network route from this machine?"},
      [SLI_RPC_FAILURE_TIMEOUT] = {SLI_PROBE_TIMEOUT, "does a firewall drop it, or is the process stopped?"},
      [SLI_RPC_FAILURE_PROTOCOL] = {SLI_PROBE_NOT_HTTP2, "another kind of server listens there"},
      [SLI_RPC_FAILURE_LOST] = {SLI_PROBE_TIMEOUT, "it closed the connection or stopped responding"},
  };
  sli_rpc_failure_t kind = sli_rpc_channel_failure(channel);
  const char *why = sli_status_message(status);
  sli_code_t code = sli_status_code(status);
  if (kind == SLI_RPC_FAILURE_TLS)
    fail(probe, SLI_PROBE_DENIED, why, NULL);
  else if (kind != SLI_RPC_FAILURE_NONE)
    fail(probe, kinds[kind].stage, why, kinds[kind].hint);
  else if (code == SLI_UNAUTHENTICATED)
    fail(probe, SLI_PROBE_DENIED, why, NULL);
  else if (code == SLI_DEADLINE_EXCEEDED)
    fail(probe, SLI_PROBE_TIMEOUT, why, kinds[SLI_RPC_FAILURE_TIMEOUT].hint);
  else if (!sli_rpc_channel_speaks_grpc(channel))
    fail(probe, SLI_PROBE_NOT_GRPC, why, "an HTTP/2 server that does not speak gRPC");
  else
    fail(probe, SLI_PROBE_NOT_TASK, why, "a gRPC server, but not a TensorFlow task");
  sli_status_release(status);
}

static void keep_quickest(sli_probe_t *probe, int64_t nanos) {
  if (!probe->round_trip_nanos || nanos < probe->round_trip_nanos) probe->round_trip_nanos = nanos;
}

// Reads version and clock of a Sluice task. UNIMPLEMENTED from a stock one.
static sli_status_t *say_hello(sli_rpc_channel_t *channel, int64_t deadline, sli_probe_t *probe) {
  sli_env_t *env = sli_env_process();
  sli_arena_t arena = {0};
  Sluice__HelloRequest request = SLUICE__HELLO_REQUEST__INIT;
  Sluice__HelloResponse *reply;
  int64_t start = env->now(env);
  sli_status_t *status = sli_control_client_call_on(
      channel, "Hello", &request.base, &sluice__hello_response__descriptor, deadline, &arena, (void **)&reply);
  int64_t took = env->now(env) - start, now = sli_env_wall_micros(env);
  if (!status) {
    bool quickest = !probe->is_sluice || took < probe->round_trip_nanos;
    if (quickest) probe->skew_micros = reply->wall_micros - (now - took / 2000);
    keep_quickest(probe, took);
    if (!probe->is_sluice) {
      probe->is_sluice = true;
      free(probe->version);
      probe->version = sli_strdup(reply->version);
    }
  }
  sli_arena_deinitialize(&arena);
  return status;
}

static void measure_latency(sli_rpc_channel_t *channel, int64_t deadline, sli_probe_t *probe) {
  sli_env_t *env = sli_env_process();
  sli_status_t *status = NULL;
  for (int i = 0; i < ROUND_TRIPS && !status; i++) status = say_hello(channel, deadline, probe);
  bool is_stock = !probe->is_sluice && sli_status_code(status) == SLI_UNIMPLEMENTED;
  sli_status_release(status);
  for (int i = 0; i < ROUND_TRIPS && is_stock; i++) {
    sli_device_set_t set;
    int64_t start = env->now(env);
    status = sli_control_client_get_devices(channel, deadline, &set);
    is_stock = !status;
    if (!status) {
      keep_quickest(probe, env->now(env) - start);
      sli_device_set_deinitialize(&set);
    }
    sli_status_release(status);
  }
}

// Sends |payload| bytes there and back, in pieces that a task accepts.
static void measure_throughput(sli_rpc_channel_t *channel, int64_t deadline, int64_t payload, sli_probe_t *probe) {
  sli_env_t *env = sli_env_process();
  if (payload > MAX_PAYLOAD) payload = MAX_PAYLOAD;
  char *bytes = sli_calloc(1, SLI_CONTROL_CLIENT_MAX_PING_BYTES);
  sli_status_t *status = NULL;
  int64_t start = env->now(env);
  for (int64_t left = payload; left > 0 && !status;) {
    int64_t piece = left < SLI_CONTROL_CLIENT_MAX_PING_BYTES ? left : SLI_CONTROL_CLIENT_MAX_PING_BYTES;
    sli_arena_t arena = {0};
    void *reply;
    Sluice__PingRequest request = SLUICE__PING_REQUEST__INIT;
    request.payload.len = (size_t)piece;
    request.payload.data = (uint8_t *)bytes;
    request.reply_bytes = piece;
    status = sli_control_client_call_on(channel, "Ping", &request.base, &sluice__ping_response__descriptor, deadline,
                                        &arena, &reply);
    sli_arena_deinitialize(&arena);
    left -= piece;
  }
  int64_t took = env->now(env) - start;
  if (!status && took > 0) probe->bytes_per_second = 2e9 * (double)payload / (double)took;
  sli_status_release(status);
  free(bytes);
}

static void probe_channel(sli_rpc_channel_t *channel, const char *expected, int64_t deadline, int64_t payload,
                          sli_probe_t *probe) {
  sli_device_set_t set;
  sli_status_t *status = sli_control_client_get_devices(channel, deadline, &set);
  if (status) {
    explain(channel, status, probe);
    return;
  }
  sli_view_t task = sli_device_name_task(sli_view(set.devices.items[0].name));
  free(probe->task);
  probe->task = sli_strndup(task.data, task.size);
  probe->incarnation = set.devices.items[0].incarnation;
  if (expected)
    status = sli_probe_check_task(expected, sli_rpc_channel_target(channel), set.devices.items, set.devices.count);
  if (status) fail(probe, SLI_PROBE_WRONG_TASK, sli_status_message(status), NULL);
  sli_status_release(status);
  sli_device_set_deinitialize(&set);
  measure_latency(channel, deadline, probe);
  if (payload > 0 && probe->is_sluice) measure_throughput(channel, deadline, payload, probe);
}

void sli_probe_run(const char *address, const char *expected, int64_t deadline, int64_t payload,
                   sli_probe_t *out_probe) {
  sli_env_t *env = sli_env_process();
  *out_probe = (sli_probe_t){.why = sli_strdup(""), .task = sli_strdup(""), .version = sli_strdup("")};
  sli_rpc_channel_options_t options = {.tcp_only = true};  // peers on other hosts use TCP, so that is probed
  if (deadline != SLI_CLOCK_NO_DEADLINE) {
    int64_t left = (deadline - env->now(env)) / 1000000;
    options.connect_timeout_millis =
        left > 1 ? left * 9 / 10 : 1;  // ends before |deadline|, because its error says more
  }
  sli_rpc_channel_t *channel;
  sli_status_t *status = sli_rpc_channel_create(sli_env_process_loop(), address, &options, &channel);
  if (status) {
    fail(out_probe, SLI_PROBE_BAD_ADDRESS, sli_status_message(status), NULL);
    sli_status_release(status);
    return;
  }
  probe_channel(channel, expected, deadline, payload, out_probe);
  sli_rpc_channel_destroy(channel);
}
