#include "dist/client/peer_wait.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/string.h"
#include "dist/client/probe.h"

#define SECONDS INT64_C(1000000000)

int64_t sli_peer_wait_reminder_nanos(int reminders) {
  static const int64_t seconds[] = {3, 7, 10, 20, 40};
  return (reminders < 5 ? seconds[reminders] : 60) * SECONDS;
}

char *sli_peer_wait_reason(char *failure, const char *problem) {
  char *proxy = failure ? sli_probe_describe_proxy() : NULL;
  char *text = sli_format("%s%s%s%s",
                          failure   ? failure
                          : problem ? problem
                                    : "it was reached, but does not answer",
                          proxy ? " (" : "", proxy ? proxy : "", proxy ? " is set and ignored)" : "");
  free(failure);
  free(proxy);
  return text;
}

// --- A call --------------------------------------------------------------------------------

typedef struct {
  sli_env_t *env;
  sli_event_t done;
  sli_status_t *status;
  sli_rpc_message_t *reply;
} peer_wait_t;

static void peer_replied(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  peer_wait_t *wait = context;
  wait->status = status;
  if (!status) {
    *wait->reply = *reply;
    *reply = (sli_rpc_message_t){0};
  }
  wait->env->set(wait->env, &wait->done);
}

// "CreateSession" for "/tensorflow.MasterService/CreateSession".
static const char *short_name(const char *method) {
  const char *slash = strrchr(method, '/');
  return slash ? slash + 1 : method;
}

static char *describe_absence(sli_rpc_channel_t *channel) {
  bool is_ready = sli_rpc_channel_state(channel) == SLI_RPC_CHANNEL_READY;
  return sli_peer_wait_reason(sli_rpc_channel_describe_failure(channel), is_ready ? NULL : "no connection so far");
}

static void log_reminder(sli_rpc_channel_t *channel, const char *method) {
  char *why = describe_absence(channel);
  SLI_INFO("%s still waiting for %s: %s", short_name(method), sli_rpc_channel_target(channel), why);
  free(why);
}

// Waits until the call ends or the peer was unreachable for |limit| nanoseconds. Returns whether the call ended.
static bool wait_for_reply(peer_wait_t *wait, sli_rpc_channel_t *channel, const char *method, int64_t limit) {
  sli_env_t *env = wait->env;
  int64_t now = env->now(env), end = now + limit, next_reminder = now + sli_peer_wait_reminder_nanos(0);
  for (int reminders = 1; !env->wait(env, &wait->done, next_reminder < end ? next_reminder : end);) {
    now = env->now(env);
    bool is_ready = sli_rpc_channel_state(channel) == SLI_RPC_CHANNEL_READY;
    if (is_ready)
      end = now + limit;
    else if (now >= end)
      return false;
    if (now < next_reminder) continue;
    if (!is_ready) log_reminder(channel, method);
    next_reminder = now + sli_peer_wait_reminder_nanos(reminders++);
  }
  return true;
}

sli_status_t *sli_peer_wait_call(sli_env_t *env, sli_rpc_channel_t *channel, const sli_rpc_call_options_t *options,
                                 int64_t limit_millis, sli_slices_t *request, sli_rpc_message_t *out_reply) {
  *out_reply = (sli_rpc_message_t){0};
  peer_wait_t wait = {.env = env, .reply = out_reply};
  sli_event_initialize(&wait.done);
  int64_t began = env->now(env);
  sli_rpc_call_t *call = sli_rpc_call_start(channel, options, request, peer_replied, &wait);
  bool gave_up = !wait_for_reply(&wait, channel, options->method, limit_millis * 1000000);
  if (gave_up) {
    sli_rpc_call_cancel(call);
    env->wait(env, &wait.done, SLI_CLOCK_NO_DEADLINE);
  }
  sli_rpc_call_release(call);
  sli_event_deinitialize(&wait.done);
  sli_code_t code = sli_status_code(wait.status);
  bool is_ready = sli_rpc_channel_state(channel) == SLI_RPC_CHANNEL_READY;
  if (!(gave_up && code == SLI_CANCELLED) && !(code == SLI_DEADLINE_EXCEEDED && !is_ready)) return wait.status;
  char *why = describe_absence(channel);
  sli_status_release(wait.status);
  sli_status_t *status =
      sli_status_make(SLI_DEADLINE_EXCEEDED, "%s waited %.0f s for %s: %s", short_name(options->method),
                      (double)(env->now(env) - began) / 1e9, sli_rpc_channel_target(channel), why);
  free(why);
  return status;
}
