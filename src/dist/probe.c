#include "dist/probe.h"

#include <stdlib.h>

#include "base/clock.h"
#include "dist/control_internal.h"
#include "dist/env_internal.h"
#include "rpc/channel.h"

enum { ROUND_TRIPS = 5, MAX_PAYLOAD = 256 << 20 };

char *sli_probe_describe_proxy(void) {
  static const char *const names[] = {"grpc_proxy", "https_proxy", "http_proxy",
                                      "GRPC_PROXY", "HTTPS_PROXY", "HTTP_PROXY"};
  for (size_t i = 0; i < SLI_COUNT_OF(names); i++) {
    const char *value = getenv(names[i]);
    if (value && *value) return sli_format("%s=%s", names[i], value);
  }
  return NULL;
}

sli_status_t *sli_probe_check_task(const char *task, const char *address, const sli_device_info_t *devices,
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

// Consumes |status|: why the first call on |channel| failed.
static void explain(sli_rpc_channel_t *channel, sli_status_t *status, sli_probe_t *probe) {
  static const struct {
    sli_probe_stage_t stage;
    const char *hint;
  } kinds[] = {
      [SLI_RPC_FAILURE_NAME] = {SLI_PROBE_DNS, "is the host's name spelled right, and known on this machine?"},
      [SLI_RPC_FAILURE_REFUSED] = {SLI_PROBE_REFUSED, "is the task running, and on this port?"},
      [SLI_RPC_FAILURE_UNREACHABLE] = {SLI_PROBE_UNREACHABLE, "is there a route from here?"},
      [SLI_RPC_FAILURE_TIMEOUT] = {SLI_PROBE_TIMEOUT, "does a firewall drop it, or is the process stopped?"},
      [SLI_RPC_FAILURE_PROTOCOL] = {SLI_PROBE_NOT_HTTP2, "another kind of server listens there"},
      [SLI_RPC_FAILURE_LOST] = {SLI_PROBE_TIMEOUT, "it hung up or fell silent"},
  };
  sli_rpc_failure_t kind = sli_rpc_channel_failure(channel);
  const char *why = sli_status_message(status);
  sli_code_t code = sli_status_code(status);
  if (kind != SLI_RPC_FAILURE_NONE)
    fail(probe, kinds[kind].stage, why, kinds[kind].hint);
  else if (code == SLI_DEADLINE_EXCEEDED)
    fail(probe, SLI_PROBE_TIMEOUT, why, kinds[SLI_RPC_FAILURE_TIMEOUT].hint);
  else if (!sli_rpc_channel_speaks_grpc(channel))
    fail(probe, SLI_PROBE_NOT_GRPC, why, "an HTTP/2 server, but not one of gRPC");
  else
    fail(probe, SLI_PROBE_NOT_TASK, why, "a gRPC server, but not a TensorFlow task");
  sli_status_release(status);
}

static void keep_quickest(sli_probe_t *probe, int64_t nanos) {
  if (!probe->round_trip_nanos || nanos < probe->round_trip_nanos) probe->round_trip_nanos = nanos;
}

// Version and clock of a Sluice task; a stock one does not know the call.
static sli_status_t *say_hello(sli_rpc_channel_t *channel, int64_t deadline, sli_probe_t *probe) {
  sli_arena_t arena = {0};
  Sluice__HelloRequest request = SLUICE__HELLO_REQUEST__INIT;
  Sluice__HelloResponse *reply;
  int64_t start = sli_now_nanos();
  sli_status_t *status = sli_control_call_on(channel, "Hello", &request.base, &sluice__hello_response__descriptor,
                                             deadline, &arena, (void **)&reply);
  int64_t took = sli_now_nanos() - start, now = sli_wall_micros();
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
  sli_status_t *status = NULL;
  for (int i = 0; i < ROUND_TRIPS && !status; i++) status = say_hello(channel, deadline, probe);
  bool is_stock = !probe->is_sluice && sli_status_code(status) == SLI_UNIMPLEMENTED;
  sli_status_release(status);
  for (int i = 0; i < ROUND_TRIPS && is_stock; i++) {
    sli_device_set_t set;
    int64_t start = sli_now_nanos();
    status = sli_control_get_devices(channel, deadline, &set);
    is_stock = !status;
    if (!status) {
      keep_quickest(probe, sli_now_nanos() - start);
      sli_device_set_deinitialize(&set);
    }
    sli_status_release(status);
  }
}

static void measure_throughput(sli_rpc_channel_t *channel, int64_t deadline, int64_t payload, sli_probe_t *probe) {
  if (payload > MAX_PAYLOAD) payload = MAX_PAYLOAD;
  sli_arena_t arena = {0};
  void *reply;
  Sluice__PingRequest request = SLUICE__PING_REQUEST__INIT;
  request.payload.len = (size_t)payload;
  request.payload.data = sli_calloc(1, (size_t)payload);
  request.reply_bytes = payload;
  int64_t start = sli_now_nanos();
  sli_status_t *status =
      sli_control_call_on(channel, "Ping", &request.base, &sluice__ping_response__descriptor, deadline, &arena, &reply);
  int64_t took = sli_now_nanos() - start;
  if (!status && took > 0) probe->bytes_per_second = 2e9 * (double)payload / (double)took;
  sli_status_release(status);
  free(request.payload.data);
  sli_arena_deinitialize(&arena);
}

static void probe_channel(sli_rpc_channel_t *channel, const char *expected, int64_t deadline, int64_t payload,
                          sli_probe_t *probe) {
  sli_device_set_t set;
  sli_status_t *status = sli_control_get_devices(channel, deadline, &set);
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
  *out_probe = (sli_probe_t){.why = sli_strdup(""), .task = sli_strdup(""), .version = sli_strdup("")};
  sli_rpc_channel_options_t options = {.tcp_only = true};  // the way that is to be examined
  if (deadline != SLI_NO_DEADLINE) {
    int64_t left = (deadline - sli_now_nanos()) / 1000000;
    options.connect_timeout_millis = left > 1 ? left * 9 / 10 : 1;  // to be the first to say what is wrong
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

void sli_probe_deinitialize(sli_probe_t *probe) {
  free(probe->why);
  free(probe->task);
  free(probe->version);
  *probe = (sli_probe_t){0};
}
