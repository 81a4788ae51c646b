// Groups of clients that keep their clocks close to each other. A member announces its clock and waits until no other
// is more than the staleness behind it; with a staleness of 0 that is a barrier. Polling thread only.
#include <stdlib.h>

#include "dist/store/store_internal.h"

enum { MAX_WAITERS_NAMED = 8 };

// A call that waits.
typedef struct waiter {
  struct waiter *next;
  sli_store_group_t *group;
  sli_service_call_t *call;
  uint64_t token;  // of the call's cancellation
  int64_t member, clock, staleness;
  sli_timer_t *timer;  // NULL: none
} waiter_t;

#define NEVER INT64_MIN  // announced nothing so far
#define LEFT INT64_MAX

struct sli_store_group {
  sli_store_t *store;
  char *name;
  int64_t size;
  int64_t *clocks;  // of each member
  waiter_t *waiters;
};

static void group_destroy(sli_store_group_t *group) {
  free(group->name);
  free(group->clocks);
  free(group);
}

void sli_store_group_destroy_all(sli_store_t *store) {
  SLI_MAP_FOR_EACH (&store->groups, entry) group_destroy(entry->value);
}

static int64_t slowest(const sli_store_group_t *group) {
  int64_t least = LEFT;
  for (int64_t i = 0; i < group->size; i++)
    if (group->clocks[i] < least) least = group->clocks[i];
  return least;
}

static int64_t fastest(const sli_store_group_t *group) {
  int64_t most = NEVER;
  for (int64_t i = 0; i < group->size; i++)
    if (group->clocks[i] != LEFT && group->clocks[i] > most) most = group->clocks[i];
  return most;
}

static void reply_clock(sli_service_call_t *call, const sli_store_group_t *group) {
  Sluice__StoreClockResponse reply = SLUICE__STORE_CLOCK_RESPONSE__INIT;
  reply.slowest = slowest(group);
  reply.fastest = fastest(group);
  sli_service_call_reply_message(call, NULL, &reply.base);
}

static void unlink_waiter(waiter_t *waiter) {
  waiter_t **link = &waiter->group->waiters;
  while (*link != waiter) link = &(*link)->next;
  *link = waiter->next;
}

// Answers a waiter that is in no list any more: with |status| (consumed), or the clocks.
static void waiter_answer(waiter_t *waiter, sli_status_t *status) {
  sli_env_t *env = waiter->group->store->env;
  if (waiter->timer) env->cancel_timer(env, waiter->timer);
  if (status)
    sli_service_call_done(waiter->call, status);
  else
    reply_clock(waiter->call, waiter->group);
  free(waiter);
}

static void client_left(void *context) {
  waiter_t *waiter = context;
  unlink_waiter(waiter);
  waiter_answer(waiter, sli_cancellation_status(waiter->call->cancellation));
}

static bool is_behind(const sli_store_group_t *group, int64_t member, const waiter_t *waiter) {
  return group->clocks[member] == NEVER ||
         (group->clocks[member] != LEFT && group->clocks[member] < waiter->clock - waiter->staleness);
}

static sli_status_t *late_error(const waiter_t *waiter) {
  const sli_store_group_t *group = waiter->group;
  sli_string_t names = {0};
  int named = 0, behind = 0;
  for (int64_t i = 0; i < group->size; i++) {
    if (!is_behind(group, i, waiter)) continue;
    if (++behind > MAX_WAITERS_NAMED) continue;
    sli_string_append_format(&names, "%smember %lld", named++ ? ", " : "", (long long)i);
    if (group->clocks[i] == NEVER)
      sli_string_append_text(&names, " (not seen yet)");
    else
      sli_string_append_format(&names, " (at clock %lld)", (long long)group->clocks[i]);
  }
  if (behind > named) sli_string_append_format(&names, " and %d more", behind - named);
  sli_status_t *status =
      sli_status_make(SLI_DEADLINE_EXCEEDED, "Member %lld of group \"%s\", at clock %lld, waits for %s.",
                      (long long)waiter->member, group->name, (long long)waiter->clock, sli_string_text(&names));
  sli_string_deinitialize(&names);
  return status;
}

static void waiter_is_late(void *context) {
  waiter_t *waiter = context;
  sli_cancellation_deregister(waiter->call->cancellation, waiter->token);
  unlink_waiter(waiter);
  waiter_answer(waiter, late_error(waiter));
}

// Takes the waiters that |status| or the clocks answer out of the list, then answers them.
static void answer(sli_store_group_t *group, sli_status_t *status) {
  int64_t least = slowest(group);
  waiter_t *ready = NULL;
  for (waiter_t **link = &group->waiters; *link;) {
    waiter_t *waiter = *link;
    if (!status && least < waiter->clock - waiter->staleness) {
      link = &waiter->next;
      continue;
    }
    *link = waiter->next;
    waiter->next = ready;
    ready = waiter;
    sli_cancellation_deregister(waiter->call->cancellation, waiter->token);
  }
  for (waiter_t *next; ready; ready = next) {
    next = ready->next;
    waiter_answer(ready, sli_status_retain(status));
  }
}

void sli_store_group_stop_all(sli_store_t *store, sli_status_t *status) {
  SLI_MAP_FOR_EACH (&store->groups, entry) answer(entry->value, status);
}

static sli_status_t *check_request(const Sluice__StoreClockRequest *from) {
  if (from->size < 1 || from->size > SLI_STORE_MAX_MEMBERS)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The size of a group must be 1 to %d, got %lld.",
                           SLI_STORE_MAX_MEMBERS, (long long)from->size);
  if (from->member < 0 || from->member >= from->size)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The member must be 0 to %lld, got %lld.", (long long)from->size - 1,
                           (long long)from->member);
  if (from->clock < 0 || from->clock > INT64_MAX / 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The clock must be at least 0, got %lld.", (long long)from->clock);
  if (from->staleness < 0 || from->staleness > INT64_MAX / 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The staleness must be at least 0, got %lld.",
                           (long long)from->staleness);
  return NULL;
}

static sli_status_t *find_group(sli_store_t *store, const Sluice__StoreClockRequest *from,
                                sli_store_group_t **out_group) {
  *out_group = NULL;
  SLI_RETURN_IF_ERROR(check_request(from));
  sli_store_group_t *group = sli_map_get(&store->groups, sli_view(from->group));
  if (!group) {
    if (store->groups.count >= SLI_STORE_MAX_GROUPS)
      return sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s has %d groups, the most that a task can have.", store->task,
                             SLI_STORE_MAX_GROUPS);
    group = sli_calloc(1, sizeof(*group));
    *group = (sli_store_group_t){.store = store,
                                 .name = sli_strdup(from->group),
                                 .size = from->size,
                                 .clocks = sli_malloc((size_t)from->size * sizeof(int64_t))};
    for (int64_t i = 0; i < group->size; i++) group->clocks[i] = NEVER;
    sli_map_set(&store->groups, sli_view(from->group), group);
  }
  if (group->size != from->size)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Group \"%s\" has %lld members, this member says %lld.", from->group,
                           (long long)group->size, (long long)from->size);
  *out_group = group;
  return NULL;
}

void sli_store_group_clock(sli_service_call_t *call, const void *message) {
  sli_store_t *store = call->server;
  const Sluice__StoreClockRequest *from = message;
  sli_store_group_t *group;
  sli_status_t *status = find_group(store, from, &group);
  if (status) {
    sli_service_call_done(call, status);
    return;
  }
  group->clocks[from->member] = from->leave ? LEFT : from->clock;
  if (from->leave || slowest(group) >= from->clock - from->staleness) {
    reply_clock(call, group);
  } else {
    sli_service_call_watch(call);
    waiter_t *waiter = sli_malloc(sizeof(*waiter));
    *waiter = (waiter_t){.next = group->waiters,
                         .group = group,
                         .call = call,
                         .member = from->member,
                         .clock = from->clock,
                         .staleness = from->staleness};
    group->waiters = waiter;
    if (from->timeout_millis > 0)
      waiter->timer = store->env->add_timer(store->env, sli_env_deadline_after_millis(store->env, from->timeout_millis),
                                            waiter_is_late, waiter);
    waiter->token = sli_cancellation_register(call->cancellation, client_left, waiter);
    if (!waiter->token) client_left(waiter);
  }
  answer(group, NULL);
  // A group that all have left is gone, so that its name can be used again.
  if (slowest(group) != LEFT) return;
  sli_map_remove(&store->groups, sli_view(group->name));
  group_destroy(group);
}
