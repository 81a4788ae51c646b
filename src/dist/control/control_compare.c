// Compares the list of tasks of a caller with ours. Addresses may be written in several ways, so if ours of the caller
// is another than its own, we look who answers there. Everything here is on the polling thread.
#include <stdlib.h>

#include "base/log.h"
#include "dist/client/control_client.h"
#include "dist/client/device_attributes.h"
#include "dist/control/control_internal.h"

// Of a caller that sends more than a cluster has, or many calls at once, nothing is compared.
enum { CHECK_MILLIS = 2000, MAX_LOGGED = 100, MAX_CHECKS = 64, MAX_ENTRIES = 10000 };

// A call that waits for an answer from the address of the caller in our list.
struct sli_control_check {
  sli_control_check_t *next;
  sli_control_t *control;
  sli_service_call_t *call;
  Sluice__HelloResponse *reply;
  sli_rpc_channel_t *channel;
  uint64_t incarnation;  // of the caller
  char *conflict;        // the differences, in case that another process answers, or none
};

// Logs |text| unless it was logged before.
static void log_once(sli_control_t *control, const char *text) {
  if (control->conflicts.count >= MAX_LOGGED || !sli_map_insert(&control->conflicts, sli_view(text), control)) return;
  SLI_WARNING("%s", text);
}

static char *describe_conflict(const char *differences, const char *why) {
  return sli_format(
      "The tasks of the cluster were started with different lists: %s%s%s%s. Start all tasks with the same lists",
      differences, why ? " (" : "", why ? why : "", why ? ")" : "");
}

static void answer(sli_control_t *control, sli_service_call_t *call, Sluice__HelloResponse *reply, const char *conflict,
                   const char *difference) {
  const char *text = conflict ? conflict : difference;
  if (text) {
    log_once(control, text);
    char *copy = sli_arena_strndup(&call->arena, text, strlen(text));
    *(conflict ? &reply->conflict : &reply->difference) = copy;
  }
  sli_service_call_reply_message(call, NULL, &reply->base);
}

// --- Who answers at our address of the caller? -----------------------------------------------

static void check_done(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  sli_control_check_t *check = context, **link = &check->control->checks;
  while (*link != check) link = &(*link)->next;
  *link = check->next;
  sli_device_set_t set = {0};
  if (!status) status = sli_device_attributes_decode_all(sli_view_of(reply->data, reply->size), &set);
  bool is_caller = !status && set.devices.count && set.devices.items[0].incarnation == check->incarnation;
  // A server that stops cannot tell.
  bool is_known = sli_status_code(status) != SLI_CANCELLED;
  char *text = NULL;
  if (is_known && !is_caller) {
    char *other = set.devices.count ? sli_cluster_short_name(set.devices.items[0].name) : NULL;
    char *why = status ? sli_strdup(sli_status_message(status))
                       : sli_format("there, %s of another process answers", other ? other : "a task");
    text = describe_conflict(check->conflict, why);
    free(why);
    free(other);
  }
  answer(check->control, check->call, check->reply, text, NULL);
  free(text);
  sli_status_release(status);
  sli_device_set_deinitialize(&set);
  sli_rpc_channel_destroy(check->channel);
  free(check->conflict);
  free(check);
}

static sli_status_t *check_start(sli_control_t *control, sli_service_call_t *call, const char *address,
                                 uint64_t incarnation, char *conflict, Sluice__HelloResponse *reply) {
  sli_rpc_channel_t *channel;
  SLI_RETURN_IF_ERROR(sli_rpc_channel_create(control->options.loop, address, NULL, &channel));
  sli_control_check_t *check = sli_malloc(sizeof(*check));
  *check = (sli_control_check_t){control->checks, control, call, reply, channel, incarnation, conflict};
  control->checks = check;
  sli_rpc_call_options_t options = sli_control_client_options(
      "/tensorflow.WorkerService/GetStatus", sli_env_deadline_after_millis(control->options.env, CHECK_MILLIS));
  sli_slices_t body = {0};
  sli_rpc_call_release(sli_rpc_call_start(channel, &options, &body, check_done, check));
  return NULL;
}

void sli_control_stop_comparing(sli_control_t *control) {
  // The destruction of its channel ends a check, unless its reply is just being delivered.
  for (sli_control_check_t *check = control->checks; check;) {
    sli_rpc_channel_t *channel = check->channel;
    check->channel = NULL;
    sli_rpc_channel_destroy(channel);
    check = control->checks;
    while (check && !check->channel) check = check->next;
  }
}

// --- The comparison --------------------------------------------------------------------------

// As they are in |arena|.
static sli_cluster_entry_t *read_entries(sli_arena_t *arena, const Sluice__HelloRequest *request) {
  sli_cluster_entry_t *entries = sli_arena_calloc(arena, request->n_cluster, sizeof(*entries));
  for (size_t i = 0; i < request->n_cluster; i++)
    entries[i] =
        (sli_cluster_entry_t){request->cluster[i]->job, request->cluster[i]->index, request->cluster[i]->address};
  return entries;
}

static char *differences(const sli_control_t *control, const Sluice__HelloRequest *request,
                         const sli_cluster_entry_t *entries, bool compares_hosts) {
  sli_string_t text = {0};
  sli_cluster_append_differences(control->options.cluster, request->task, entries, request->n_cluster, compares_hosts,
                                 &text);
  return text.size ? sli_string_take(&text) : NULL;
}

static int count_checks(const sli_control_t *control) {
  int count = 0;
  for (const sli_control_check_t *check = control->checks; check; check = check->next) count++;
  return count;
}

void sli_control_compare(sli_control_t *control, sli_service_call_t *call, const Sluice__HelloRequest *request,
                         Sluice__HelloResponse *reply) {
  const sli_cluster_task_t *ours = sli_cluster_find(control->options.cluster, sli_view(request->task));
  sli_cluster_entry_t *entries = read_entries(&call->arena, request);
  const sli_cluster_entry_t *own =
      request->n_cluster <= MAX_ENTRIES ? sli_cluster_find_entry(entries, request->n_cluster, request->task) : NULL;
  sli_mutex_lock(&control->mutex);
  bool compares = own && !control->stopped;
  sli_mutex_unlock(&control->mutex);
  if (!compares) {
    answer(control, call, reply, NULL, NULL);
    return;
  }
  char *text = NULL;
  if (!ours) {
    char *all = differences(control, request, entries, false);
    text = describe_conflict(all ? all : "", NULL);
    free(all);
    answer(control, call, reply, text, NULL);
    free(text);
    return;
  }
  char *now = sli_control_address(control, (size_t)(ours - control->options.cluster->tasks.items));
  bool is_there = strcmp(now, own->address) == 0;  // or it has told us so
  free(now);
  if (!is_there && request->incarnation && count_checks(control) < MAX_CHECKS) {
    text = differences(control, request, entries, true);
    if (text) {
      sli_status_t *status = check_start(control, call, ours->address, request->incarnation, text, reply);
      if (!status) return;
      sli_status_release(status);
      free(text);
    }
  }
  text = differences(control, request, entries, false);
  char *difference = text ? sli_format("The lists of tasks differ: %s", text) : NULL;
  answer(control, call, reply, NULL, difference);
  free(difference);
  free(text);
}
