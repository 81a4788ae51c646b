// Groups and instances. The leader collects the members of a group until it is complete; other tasks ask the leader and
// keep its reply. An instance is one op of a group: its members must agree on what it is, and those of a broadcast must
// learn which of them is the source.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "collective/engine_internal.h"

// What peers may make the leader keep.
enum { MAX_GROUPS = 10000, MAX_INSTANCES = 1 << 20 };

// An op of a group, as its members described it.
typedef struct {
  sli_collective_kind_t kind;
  sli_dtype_t dtype;
  int rank;
  int64_t *dims;
  int source_rank;  // of a broadcast; -1: not known
  bool *known;      // by member of a broadcast: whether it has come
  int known_count;
  bool is_from_leader;  // the leader's reply: complete
  sli_collective_waiter_t *waiters;
} instance_t;

// One that waits for a group or for the source of a broadcast.
struct sli_collective_waiter {
  sli_refcount_t references;  // of the list and of the cancellation's callback
  sli_collective_engine_t *engine;
  sli_collective_waiter_t **list, *next;  // under engine->mutex; list NULL: it was taken from it
  sli_collective_group_slot_t *slot;      // of one that waits for a group: what |device| has joined
  char *device;
  sli_cancellation_t *cancellation;
  uint64_t token;
  sli_collective_group_done_t group_done;
  sli_collective_instance_done_t instance_done;
  void *context;
};

// ---- The group -------------------------------------------------------------------

static void member_deinitialize(sli_collective_member_t *member) {
  free(member->device);
  free(member->task);
}

static sli_collective_member_t member_copy(const sli_collective_member_t *member) {
  sli_view_t task = sli_device_name_task(sli_view(member->device));
  sli_collective_member_t copy = *member;
  copy.device = sli_strdup(member->device);
  copy.task = sli_strndup(task.data, task.size);
  return copy;
}

// TensorFlow's order: tasks by their names, then the devices of a task by number.
static int compare_members(const void *left, const void *right) {
  const sli_collective_member_t *a = left, *b = right;
  int order = strcmp(a->task, b->task);
  if (order) return order;
  sli_device_name_t a_name, b_name;
  if (sli_device_name_parse(sli_view(a->device), &a_name) && sli_device_name_parse(sli_view(b->device), &b_name) &&
      a_name.id != b_name.id)
    return a_name.id < b_name.id ? -1 : 1;
  return strcmp(a->device, b->device);
}

sli_collective_group_t *sli_collective_group_create(int32_t key, const char *device_type, const char *generation,
                                                    sli_collective_member_t *members, int32_t size) {
  sli_collective_group_t *group = sli_calloc(1, sizeof(*group));
  sli_refcount_initialize(&group->references);
  group->key = key;
  group->size = size;
  group->device_type = sli_strdup(device_type);
  group->members = members;
  qsort(members, (size_t)size, sizeof(*members), compare_members);
  bool is_sluice = true;
  for (int i = 0; i < size; i++) {
    is_sluice &= members[i].is_sluice;
    if (i == 0 || strcmp(members[i].task, members[i - 1].task) != 0) group->task_count++;
  }
  group->generation = sli_strdup(is_sluice ? generation : "");
  return group;
}

sli_collective_group_t *sli_collective_group_retain(sli_collective_group_t *group) {
  if (group) sli_refcount_retain(&group->references);
  return group;
}

void sli_collective_group_release(sli_collective_group_t *group) {
  if (!group || !sli_refcount_release(&group->references)) return;
  for (int i = 0; i < group->size; i++) member_deinitialize(&group->members[i]);
  free(group->members);
  SLI_MAP_FOR_EACH (&group->instances, entry) {
    instance_t *instance = entry->value;
    free(instance->dims);
    free(instance->known);
    free(instance);
  }
  sli_map_deinitialize(&group->instances);
  sli_collective_boards_destroy(group->boards);
  free(group->device_type);
  free(group->generation);
  free(group->leader);
  free(group);
}

static int find_member(const sli_collective_group_t *group, const char *device) {
  for (int i = 0; i < group->size; i++)
    if (!strcmp(group->members[i].device, device)) return i;
  return -1;
}

// ---- Waiters ---------------------------------------------------------------------

static void waiter_release(sli_collective_waiter_t *waiter) {
  if (!sli_refcount_release(&waiter->references)) return;
  sli_cancellation_release(waiter->cancellation);
  sli_collective_engine_release(waiter->engine);
  free(waiter->device);
  free(waiter);
}

static void slot_remove_locked(sli_collective_group_slot_t *slot, const char *device) {
  for (sli_collective_waiter_t *other = slot->waiters; other; other = other->next)
    if (!strcmp(other->device, device)) return;
  for (size_t i = 0; i < slot->joined.count; i++) {
    if (strcmp(slot->joined.items[i].device, device) != 0) continue;
    member_deinitialize(&slot->joined.items[i]);
    slot->joined.items[i] = slot->joined.items[--slot->joined.count];
    return;
  }
}

// Takes the waiter from its list; a member that waits no more has left the group.
static bool waiter_take_locked(sli_collective_waiter_t *waiter) {
  if (!waiter->list) return false;
  sli_collective_waiter_t **link = waiter->list;
  while (*link != waiter) link = &(*link)->next;
  *link = waiter->next;
  waiter->list = NULL;
  if (waiter->slot) slot_remove_locked(waiter->slot, waiter->device);
  return true;
}

// Ends a waiter that was taken from its list. Consumes |status|, |group| and the list's reference.
static void waiter_end(sli_collective_waiter_t *waiter, sli_status_t *status, sli_collective_group_t *group,
                       int source_rank) {
  if (waiter->token && sli_cancellation_deregister(waiter->cancellation, waiter->token)) waiter_release(waiter);
  if (waiter->group_done)
    waiter->group_done(waiter->context, status, group);
  else
    waiter->instance_done(waiter->context, status, source_rank);
  waiter_release(waiter);
}

static void waiter_cancelled(void *context) {
  sli_collective_waiter_t *waiter = context;
  sli_mutex_lock(&waiter->engine->mutex);
  bool taken = waiter_take_locked(waiter);
  sli_mutex_unlock(&waiter->engine->mutex);
  if (taken) {
    waiter->token = 0;
    waiter_end(waiter, sli_status_make(SLI_CANCELLED, "group is cancelled"), NULL, -1);
  }
  waiter_release(waiter);
}

static sli_collective_waiter_t *waiter_create(sli_collective_engine_t *engine, const char *device,
                                              sli_cancellation_t *cancellation, void *context) {
  sli_collective_waiter_t *waiter = sli_calloc(1, sizeof(*waiter));
  sli_refcount_initialize(&waiter->references);
  waiter->engine = sli_collective_engine_retain(engine);
  waiter->device = sli_strdup(device);
  waiter->cancellation = sli_cancellation_retain(cancellation);
  waiter->context = context;
  return waiter;
}

static void waiter_add_locked(sli_collective_waiter_t *waiter, sli_collective_waiter_t **list) {
  waiter->list = list;
  waiter->next = *list;
  *list = waiter;
  sli_refcount_retain(&waiter->references);  // of the caller, who watches the cancellation
}

// Watches the cancellation of a waiter that was added, and releases the caller's reference.
static void waiter_watch(sli_collective_waiter_t *waiter) {
  sli_collective_engine_t *engine = waiter->engine;
  if (waiter->cancellation) {
    sli_refcount_retain(&waiter->references);
    uint64_t token = sli_cancellation_register(waiter->cancellation, waiter_cancelled, waiter);
    sli_mutex_lock(&engine->mutex);
    bool waits = waiter->list != NULL;
    if (waits) waiter->token = token;
    sli_mutex_unlock(&engine->mutex);
    if (!token)
      waiter_cancelled(waiter);
    else if (!waits && sli_cancellation_deregister(waiter->cancellation, token))
      waiter_release(waiter);
  }
  waiter_release(waiter);
}

// Takes the whole list; its waiters are linked by |next|.
static sli_collective_waiter_t *take_all_locked(sli_collective_waiter_t **list) {
  sli_collective_waiter_t *first = *list;
  *list = NULL;
  for (sli_collective_waiter_t *waiter = first; waiter; waiter = waiter->next) waiter->list = NULL;
  return first;
}

// Ends all of a list that was taken. |status| and |group| are borrowed.
static void end_all(sli_collective_waiter_t *first, sli_status_t *status, sli_collective_group_t *group,
                    int source_rank) {
  for (sli_collective_waiter_t *waiter = first, *next; waiter; waiter = next) {
    next = waiter->next;
    waiter_end(waiter, sli_status_retain(status), sli_collective_group_retain(group), source_rank);
  }
}

// ---- Forming groups --------------------------------------------------------------

static sli_collective_group_slot_t *find_slot_locked(sli_collective_engine_t *engine, int32_t key) {
  char name[16];
  snprintf(name, sizeof(name), "%d", key);
  return sli_map_get(&engine->groups, sli_view(name));
}

static sli_collective_group_slot_t *make_slot_locked(sli_collective_engine_t *engine, int32_t key, int32_t size,
                                                     const char *device_type) {
  sli_collective_group_slot_t *slot = find_slot_locked(engine, key);
  if (slot) return slot;
  char name[16];
  snprintf(name, sizeof(name), "%d", key);
  slot = sli_calloc(1, sizeof(*slot));
  slot->key = key;
  slot->size = size;
  slot->device_type = sli_strdup(device_type);
  sli_map_set(&engine->groups, sli_view(name), slot);
  return slot;
}

bool sli_collective_group_is_pending(const sli_collective_group_slot_t *slot) { return !slot->group && slot->waiters; }

static void slot_clear_joined(sli_collective_group_slot_t *slot) {
  for (size_t i = 0; i < slot->joined.count; i++) member_deinitialize(&slot->joined.items[i]);
  sli_array_deinitialize(&slot->joined);
}

static void slot_clear_put_out(sli_collective_group_slot_t *slot) {
  for (size_t i = 0; i < slot->put_out.count; i++) free(slot->put_out.items[i]);
  sli_array_deinitialize(&slot->put_out);
}

// Notes the members of this task, if another one ends the group.
static void note_put_out_locked(sli_collective_engine_t *engine, sli_collective_group_slot_t *slot,
                                const char *requesting_device) {
  if (sli_view_equal(sli_device_name_task(sli_view(requesting_device)), sli_view(engine->task))) return;
  slot_clear_put_out(slot);
  for (int i = 0; i < slot->group->size; i++)
    if (!strcmp(slot->group->members[i].task, engine->task))
      sli_array_push(&slot->put_out, sli_strdup(slot->group->members[i].device));
}

static bool take_put_out_locked(sli_collective_group_slot_t *slot, const char *device) {
  for (size_t i = 0; i < slot->put_out.count; i++) {
    if (strcmp(slot->put_out.items[i], device) != 0) continue;
    free(slot->put_out.items[i]);
    slot->put_out.items[i] = slot->put_out.items[--slot->put_out.count];
    return true;
  }
  return false;
}

void sli_collective_group_clear(sli_collective_engine_t *engine) {
  SLI_MAP_FOR_EACH (&engine->groups, entry) {
    sli_collective_group_slot_t *slot = entry->value;
    sli_collective_group_release(slot->group);
    slot_clear_joined(slot);
    slot_clear_put_out(slot);
    free(slot->device_type);
    free(slot->failed);
    free(slot);
  }
  sli_map_deinitialize(&engine->groups);
}

// Whether the member's request shows that the complete group is not the one it means: a member failed in it, or was
// restarted since.
static bool is_outdated(const sli_collective_group_t *group, const sli_collective_group_request_t *request) {
  if (*request->failed && !strcmp(request->failed, group->generation)) return true;
  int index = find_member(group, request->member.device);
  return index >= 0 && group->members[index].incarnation != request->member.incarnation;
}

// Takes those who wait for instances of a group that is dropped.
static sli_collective_waiter_t *take_instance_waiters_locked(sli_collective_group_t *group) {
  sli_collective_waiter_t *all = NULL;
  SLI_MAP_FOR_EACH (&group->instances, entry) {
    for (sli_collective_waiter_t *waiter = take_all_locked(&((instance_t *)entry->value)->waiters), *next; waiter;
         waiter = next) {
      next = waiter->next;
      waiter->next = all;
      all = waiter;
    }
  }
  return all;
}

// An elastic group is joined by a request of its own; other ops need one that is complete.
static sli_status_t *check_elastic(const sli_collective_group_slot_t *slot,
                                   const sli_collective_group_request_t *request) {
  if (request->least && request->size == slot->most && request->least <= request->size) return NULL;
  if (request->least)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Device %s is joining collective group %d with sizes from %d to %d, but that has up to %d",
                           request->member.device, slot->key, request->least, request->size, slot->most);
  if (slot->group && slot->group->size == request->size && find_member(slot->group, request->member.device) >= 0)
    return NULL;
  return sli_status_make(SLI_ABORTED, "Collective group %d is formed anew, because a member has joined or left",
                         slot->key);
}

static sli_status_t *check_request(const sli_collective_group_slot_t *slot,
                                   const sli_collective_group_request_t *request) {
  if (strcmp(request->device_type, slot->device_type) != 0)
    return sli_status_make(SLI_INTERNAL,
                           "Device %s is joining a group with incompatible device type %s (group_key=%d), which has "
                           "type %s",
                           request->member.device, request->device_type, slot->key, slot->device_type);
  if (slot->least) return check_elastic(slot, request);
  if (request->size != slot->size)
    return sli_status_make(SLI_INTERNAL,
                           "Device %s is joining a group with size %d, but that group has size %d "
                           "(group_key=%d)",
                           request->member.device, request->size, slot->size, slot->key);
  if (slot->group && find_member(slot->group, request->member.device) < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Device %s is joining a group that is already full (group_key=%d, group_size=%d)",
                           request->member.device, slot->key, slot->size);
  return NULL;
}

static void add_member_locked(sli_collective_group_slot_t *slot, const sli_collective_member_t *member) {
  for (size_t i = 0; i < slot->joined.count; i++)
    if (!strcmp(slot->joined.items[i].device, member->device)) {
      slot->joined.items[i].incarnation = member->incarnation;
      slot->joined.items[i].is_sluice = member->is_sluice;
      return;
    }
  sli_array_push(&slot->joined, member_copy(member));
}

// The group of those who have joined is complete. Returns those who wait for it.
static sli_collective_waiter_t *form_locked(sli_collective_engine_t *engine, sli_collective_group_slot_t *slot) {
  char generation[17];
  snprintf(generation, sizeof(generation), "%016llx", (unsigned long long)engine->env->random(engine->env));
  slot->group = sli_collective_group_create(slot->key, slot->device_type, generation, slot->joined.items,
                                            (int32_t)slot->joined.count);
  if (slot->least) slot->group->leader = sli_strdup("");
  slot->joined.items = NULL;
  slot->joined.count = slot->joined.capacity = 0;
  return take_all_locked(&slot->waiters);
}

void sli_collective_group_form(sli_collective_engine_t *engine, int32_t key) {
  sli_collective_waiter_t *waiters = NULL;
  sli_collective_group_t *group = NULL;
  sli_mutex_lock(&engine->mutex);
  sli_collective_group_slot_t *slot = find_slot_locked(engine, key);
  if (slot && !slot->group && slot->least && slot->joined.count >= (size_t)slot->least) {
    waiters = form_locked(engine, slot);
    group = sli_collective_group_retain(slot->group);
  }
  sli_mutex_unlock(&engine->mutex);
  end_all(waiters, NULL, group, -1);
  sli_collective_group_release(group);
}

bool sli_collective_group_is_elastic_locked(sli_collective_engine_t *engine, int32_t key) {
  const sli_collective_group_slot_t *slot = find_slot_locked(engine, key);
  return slot && slot->least;
}

// Ends the elastic group, if it is complete, for a member that joins. With |resigns| also those who wait for it here:
// another task forms it.
static void end_elastic(sli_collective_engine_t *engine, const sli_collective_group_request_t *request, bool resigns) {
  sli_collective_waiter_t *waiters = NULL;
  sli_mutex_lock(&engine->mutex);
  sli_collective_group_slot_t *slot = find_slot_locked(engine, request->key);
  sli_collective_group_t *group = slot && slot->least ? sli_collective_group_retain(slot->group) : NULL;
  if (slot && slot->least && resigns) {
    waiters = take_all_locked(&slot->waiters);
    slot_clear_joined(slot);
  }
  sli_mutex_unlock(&engine->mutex);
  sli_status_t *reason = sli_status_make(SLI_ABORTED, "Collective group %d is formed anew, because %s %s", request->key,
                                         request->member.device, resigns ? "forms it now" : "joins it");
  end_all(waiters, reason, NULL, -1);
  if (group) {
    char *scope = sli_format("G%s", group->generation);
    sli_collective_engine_fail(engine, scope, group, sli_status_retain(reason));
    free(scope);
  }
  sli_collective_group_release(group);
  sli_status_release(reason);
}

void sli_collective_engine_complete_group(sli_collective_engine_t *engine,
                                          const sli_collective_group_request_t *request,
                                          sli_cancellation_t *cancellation, sli_collective_group_done_t done,
                                          void *context) {
  if (request->least || request->takes_over) end_elastic(engine, request, request->takes_over);
  if (request->takes_over) {
    done(context, sli_status_make(SLI_ABORTED, "%s forms the group", request->member.device), NULL);
    return;
  }
  sli_collective_waiter_t *own = waiter_create(engine, request->member.device, cancellation, context);
  own->group_done = done;
  sli_collective_waiter_t *waiters = NULL, *dropped = NULL;
  sli_collective_group_t *group = NULL;
  char *outdated = NULL;
  sli_mutex_lock(&engine->mutex);
  sli_status_t *status = sli_cancellation_status(engine->stopped);
  sli_collective_group_slot_t *slot = NULL;
  if (!status && engine->groups.count >= MAX_GROUPS && !find_slot_locked(engine, request->key))
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s already has %d collective groups", engine->task, MAX_GROUPS);
  if (!status) {
    slot = make_slot_locked(engine, request->key, request->size, request->device_type);
    if (slot->group && is_outdated(slot->group, request)) {
      note_put_out_locked(engine, slot, request->member.device);
      dropped = take_instance_waiters_locked(slot->group);
      outdated = sli_format("G%s", slot->group->generation);
      sli_collective_group_release(slot->group);
      slot->group = NULL;
    }
    // Nobody is in it: it may become another group.
    if (!slot->group && !slot->joined.count) {
      slot->size = request->size;
      if (request->least) {
        slot->least = request->least;
        slot->most = request->size;
        slot->since = engine->env->now(engine->env);
      }
    }
    status = check_request(slot, request);
  }
  if (!status && !slot->group) {
    add_member_locked(slot, &request->member);
    slot->joined_at = engine->env->now(engine->env);
    if (slot->joined.count == (size_t)slot->size) waiters = form_locked(engine, slot);
  }
  if (!status) group = sli_collective_group_retain(slot->group);
  bool waits = !status && !group;
  if (waits) {
    own->slot = slot;
    waiter_add_locked(own, &slot->waiters);
  }
  sli_mutex_unlock(&engine->mutex);
  if (outdated) {
    // Members that are still in an op of this task's learn it when they ask for its buffers.
    sli_status_t *reason =
        sli_status_make(SLI_ABORTED, "Collective group %d is formed anew, because %s failed in it or was restarted",
                        request->key, request->member.device);
    end_all(dropped, reason, NULL, -1);
    sli_collective_exchange_fail(&engine->exchange, outdated, reason);
    free(outdated);
  }
  if (waits) {
    sli_collective_engine_watch(engine);
    waiter_watch(own);
    return;
  }
  end_all(waiters, NULL, group, -1);
  waiter_end(own, status, group, -1);
}

void sli_collective_group_fail_waiters(sli_collective_engine_t *engine, int32_t key, sli_status_t *status) {
  sli_mutex_lock(&engine->mutex);
  sli_collective_group_slot_t *slot = find_slot_locked(engine, key);
  sli_collective_waiter_t *waiters = NULL;
  if (slot && sli_collective_group_is_pending(slot)) {
    waiters = take_all_locked(&slot->waiters);
    slot_clear_joined(slot);
  }
  sli_mutex_unlock(&engine->mutex);
  end_all(waiters, status, NULL, -1);
  sli_status_release(status);
}

void sli_collective_group_fail_all(sli_collective_engine_t *engine, sli_status_t *status) {
  SLI_ARRAY(sli_collective_waiter_t *) lists = {0};
  sli_mutex_lock(&engine->mutex);
  SLI_MAP_FOR_EACH (&engine->groups, entry) {
    sli_collective_group_slot_t *slot = entry->value;
    sli_array_push(&lists, take_all_locked(&slot->waiters));
    slot_clear_joined(slot);
    if (slot->group) sli_array_push(&lists, take_instance_waiters_locked(slot->group));
  }
  sli_mutex_unlock(&engine->mutex);
  for (size_t i = 0; i < lists.count; i++) end_all(lists.items[i], status, NULL, -1);
  sli_array_deinitialize(&lists);
  sli_status_release(status);
}

void sli_collective_group_forget(sli_collective_engine_t *engine, const sli_collective_group_t *group) {
  sli_collective_waiter_t *dropped = NULL;
  sli_mutex_lock(&engine->mutex);
  sli_collective_group_slot_t *slot = find_slot_locked(engine, group->key);
  if (slot) slot_clear_put_out(slot);  // an op of this task has failed
  if (slot && slot->group && !strcmp(slot->group->generation, group->generation)) {
    dropped = take_instance_waiters_locked(slot->group);
    sli_collective_group_release(slot->group);
    slot->group = NULL;
    free(slot->failed);
    slot->failed = sli_strdup(group->generation);
  }
  sli_mutex_unlock(&engine->mutex);
  if (!dropped) return;
  sli_status_t *reason = sli_status_make(SLI_ABORTED, "An op of collective group %d failed", group->key);
  end_all(dropped, reason, NULL, -1);
  sli_status_release(reason);
}

// ---- Joining as a member ---------------------------------------------------------

typedef struct {
  sli_collective_run_t *run;
  sli_collective_group_done_t done;
  char leader[];  // "": this process
} joining_t;

static joining_t *joining_create(sli_collective_run_t *run, const char *leader, sli_collective_group_done_t done) {
  joining_t *joining = sli_malloc(sizeof(*joining) + strlen(leader) + 1);
  joining->run = sli_collective_run_retain(run);
  joining->done = done;
  memcpy(joining->leader, leader, strlen(leader) + 1);
  return joining;
}

// Keeps the leader's reply for later ops.
static void on_leader_group(void *context, sli_status_t *status, sli_collective_group_t *group) {
  joining_t joining = *(joining_t *)context;
  sli_collective_engine_t *engine = joining.run->engine;
  int32_t least = joining.run->request->group_least;
  if (!status && least && !group->leader) group->leader = sli_strdup(((joining_t *)context)->leader);
  free(context);
  if (!status) {
    sli_mutex_lock(&engine->mutex);
    sli_collective_group_slot_t *slot = make_slot_locked(engine, group->key, group->size, group->device_type);
    // Another op of this task may have got the same reply; the first one has the instances.
    if (slot->group && !strcmp(slot->group->generation, group->generation)) {
      sli_collective_group_release(group);
      group = sli_collective_group_retain(slot->group);
    } else {
      sli_collective_group_release(slot->group);
      slot->group = sli_collective_group_retain(group);
    }
    if (least) slot->least = least, slot->most = joining.run->request->group_size;
    sli_mutex_unlock(&engine->mutex);
  }
  joining.done(joining.run, status, group);
  sli_collective_run_release(joining.run);
}

static void join_leader(joining_t *joining) {
  const char *leader = joining->leader;
  sli_collective_run_t *run = joining->run;
  sli_collective_engine_t *engine = run->engine;
  const sli_collective_request_t *request = run->request;
  sli_mutex_lock(&engine->mutex);
  sli_collective_group_slot_t *slot = find_slot_locked(engine, request->group_key);
  char *failed = sli_strdup(slot && slot->failed ? slot->failed : "");
  sli_mutex_unlock(&engine->mutex);
  sli_collective_group_request_t join = {.key = request->group_key,
                                         .size = request->group_size,
                                         .device_type = request->device->type,
                                         .kind = request->kind,
                                         .member = {.device = request->device->name,
                                                    .incarnation = request->device->incarnation,
                                                    .is_sluice = true,
                                                    .rank = request->rank},
                                         .failed = failed,
                                         .least = request->group_least};
  if (*leader) {
    engine->peers.complete_group(engine->peers.context, leader, &join, run->cancellation, on_leader_group, joining);
  } else {
    sli_collective_engine_complete_group(engine, &join, run->cancellation, on_leader_group, joining);
  }
  free(failed);
}

static void on_leader_probed(void *context, sli_status_t *status, const sli_collective_member_t *devices,
                             size_t count) {
  joining_t *joining = context;
  if (status)
    on_leader_group(joining, sli_status_prefix(status, "The leader of collective groups: "), NULL);
  else
    join_leader(joining);
}

void sli_collective_group_ask(sli_collective_run_t *run, const char *leader, sli_collective_group_done_t done) {
  join_leader(joining_create(run, leader, done));
}

void sli_collective_group_join(sli_collective_run_t *run, sli_collective_group_done_t done) {
  sli_collective_engine_t *engine = run->engine;
  const sli_collective_request_t *request = run->request;
  if (request->group_least) {
    sli_collective_elastic_join(run, done);
    return;
  }
  sli_mutex_lock(&engine->mutex);
  sli_collective_group_slot_t *slot = find_slot_locked(engine, request->group_key);
  bool is_put_out = slot && take_put_out_locked(slot, request->device->name);
  sli_collective_group_t *group = slot && !is_put_out ? sli_collective_group_retain(slot->group) : NULL;
  // An elastic group is joined by an op of its own.
  is_put_out = is_put_out || (slot && slot->least && !group);
  sli_mutex_unlock(&engine->mutex);
  if (is_put_out) {
    done(run,
         sli_status_make(SLI_ABORTED,
                         "A member of collective group %d failed or was restarted: the group is formed anew",
                         request->group_key),
         NULL);
    return;
  }
  int index = group ? find_member(group, request->device->name) : -1;
  // A cached group; otherwise its leader has to say what is wrong.
  if (group && group->size == request->group_size && index >= 0 &&
      group->members[index].incarnation == request->device->incarnation) {
    done(run, NULL, group);
    return;
  }
  sli_collective_group_release(group);
  if (request->needs_group) {
    done(run,
         sli_status_make(SLI_INVALID_ARGUMENT,
                         "Group %d is not initialized. Please call group initialization op first before invoking "
                         "collective op.",
                         request->group_key),
         NULL);
    return;
  }
  joining_t *joining = joining_create(run, run->leader, done);
  if (*run->leader)
    engine->peers.probe(engine->peers.context, run->leader, true, run->cancellation, on_leader_probed, joining);
  else
    join_leader(joining);
}

// ---- Instances -------------------------------------------------------------------

static instance_t *make_instance_locked(sli_collective_group_t *group,
                                        const sli_collective_instance_request_t *request) {
  char key[40];
  snprintf(key, sizeof(key), "%lld:%d", (long long)request->step_id, request->instance_key);
  instance_t *instance = sli_map_get(&group->instances, sli_view(key));
  if (instance) return instance;
  instance = sli_calloc(1, sizeof(*instance));
  instance->kind = request->kind;
  instance->dtype = request->dtype;
  instance->rank = request->shape.rank;
  instance->dims = sli_calloc((size_t)request->shape.rank + 1, sizeof(*instance->dims));
  for (int i = 0; i < request->shape.rank; i++) instance->dims[i] = request->shape.dims[i];
  instance->source_rank = -1;
  instance->known = sli_calloc((size_t)group->size, sizeof(*instance->known));
  sli_map_set(&group->instances, sli_view(key), instance);
  return instance;
}

// A gather of Sluice's members may have another size each time. If it differs between members, their buffers do not
// fit.
static sli_status_t *check_instance(const sli_collective_group_t *group, const instance_t *instance,
                                    const sli_collective_instance_request_t *request) {
  if (instance->kind != request->kind || instance->dtype != request->dtype)
    return sli_status_make(SLI_INTERNAL,
                           "Collective instance %d expected type %d and data_type %d but got type %d and data_type %d",
                           request->instance_key, instance->kind, instance->dtype, request->kind, request->dtype);
  sli_shape_t shape = {instance->rank, instance->dims};
  if (sli_shape_equal(shape, request->shape) || (*group->generation && request->kind == SLI_COLLECTIVE_GATHER))
    return NULL;
  return sli_status_make(
      SLI_INVALID_ARGUMENT,
      "Shape mismatch in the collective instance %d. Op at device %s expected shape %s but another member in the group "
      "expected shape %s. This is likely due to different input shapes at different members of the collective op.",
      request->instance_key, request->device, sli_shape_text(request->shape).text, sli_shape_text(shape).text);
}

// A member of a broadcast has come. INTERNAL if there are two sources, or none when all have come.
static sli_status_t *add_known_locked(instance_t *instance, const sli_collective_group_t *group, int member,
                                      const sli_collective_instance_request_t *request) {
  if (request->is_source && instance->source_rank >= 0 && instance->source_rank != member)
    return sli_status_make(SLI_INTERNAL, "Instance %d already has source %d, received second claim from %d",
                           request->instance_key, instance->source_rank, member);
  if (request->is_source) instance->source_rank = member;
  instance->known_count += !instance->known[member];
  instance->known[member] = true;
  if (instance->known_count < group->size || instance->source_rank >= 0) return NULL;
  return sli_status_make(SLI_INTERNAL,
                         "Instance %d found no source for broadcast.  This could mean that there were group_size=%d "
                         "BcastRecvs but no BcastSend.",
                         request->instance_key, instance->known_count);
}

void sli_collective_engine_complete_instance(sli_collective_engine_t *engine,
                                             const sli_collective_instance_request_t *request,
                                             sli_cancellation_t *cancellation, sli_collective_instance_done_t done,
                                             void *context) {
  sli_collective_waiter_t *own = waiter_create(engine, request->device, cancellation, context), *waiters = NULL;
  own->instance_done = done;
  int source_rank = -1;
  bool waits = false;
  sli_mutex_lock(&engine->mutex);
  sli_status_t *status = sli_cancellation_status(engine->stopped);
  sli_collective_group_slot_t *slot = find_slot_locked(engine, request->group_key);
  sli_collective_group_t *group = slot ? slot->group : NULL;
  int member = group ? find_member(group, request->device) : -1;
  if (!status && !group)
    status = sli_status_make(SLI_FAILED_PRECONDITION,
                             "group %d not found. This normally means the server has restarted", request->group_key);
  if (!status && member < 0)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Device %s is not in collective group %d", request->device,
                             request->group_key);
  if (!status && group->instances.count >= MAX_INSTANCES)
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "Collective group %d already has %d instances", group->key,
                             MAX_INSTANCES);
  if (!status) {
    instance_t *instance = make_instance_locked(group, request);
    status = check_instance(group, instance, request);
    if (!status && request->kind == SLI_COLLECTIVE_BROADCAST) {
      status = add_known_locked(instance, group, member, request);
      waits = !status && instance->known_count < group->size;
      source_rank = instance->source_rank;
      if (waits)
        waiter_add_locked(own, &instance->waiters);
      else
        waiters = take_all_locked(&instance->waiters);
    }
  }
  sli_mutex_unlock(&engine->mutex);
  if (waits) {
    sli_collective_engine_watch(engine);
    waiter_watch(own);
    return;
  }
  end_all(waiters, status, NULL, source_rank);
  waiter_end(own, status, NULL, source_rank);
}

typedef struct {
  sli_collective_run_t *run;
  sli_collective_instance_done_t done;
} describing_t;

static sli_collective_instance_request_t describe(const sli_collective_run_t *run) {
  const sli_collective_request_t *request = run->request;
  const sli_tensor_t *shaped = request->kind == SLI_COLLECTIVE_REDUCE_SCATTER ? request->input : request->output;
  return (sli_collective_instance_request_t){.name = request->name,
                                             .kind = request->kind,
                                             .dtype = (sli_dtype_t)request->output->dtype,
                                             .shape = sli_tensor_shape(shaped),
                                             .group_key = request->group_key,
                                             .group_size = request->group_size,
                                             .instance_key = request->instance_key,
                                             .device_type = request->device->type,
                                             .device = request->device->name,
                                             .rings = request->rings,
                                             .ring_count = request->ring_count,
                                             .is_source = request->is_source};
}

static void on_leader_instance(void *context, sli_status_t *status, int source_rank) {
  describing_t describing = *(describing_t *)context;
  free(context);
  sli_collective_run_t *run = describing.run;
  if (!status) {
    sli_collective_instance_request_t request = describe(run);
    sli_mutex_lock(&run->engine->mutex);
    instance_t *instance = make_instance_locked(run->group, &request);
    instance->is_from_leader = true;
    instance->source_rank = source_rank;
    sli_mutex_unlock(&run->engine->mutex);
  }
  describing.done(run, status, source_rank);
  sli_collective_run_release(run);
}

void sli_collective_group_complete_instance(sli_collective_run_t *run, sli_collective_instance_done_t done) {
  sli_collective_engine_t *engine = run->engine;
  sli_collective_instance_request_t request = describe(run);
  const char *leader = run->group->leader ? run->group->leader : run->leader;
  if (!*leader) {
    sli_collective_engine_complete_instance(engine, &request, run->cancellation, done, run);
    return;
  }
  sli_mutex_lock(&engine->mutex);
  char key[40];
  snprintf(key, sizeof(key), "%d:%d", 0, request.instance_key);
  const instance_t *instance = sli_map_get(&run->group->instances, sli_view(key));
  bool is_known = instance && instance->is_from_leader;
  int source_rank = is_known ? instance->source_rank : -1;
  sli_status_t *status = is_known ? check_instance(run->group, instance, &request) : NULL;
  sli_mutex_unlock(&engine->mutex);
  if (is_known) {
    done(run, status, source_rank);
    return;
  }
  describing_t *describing = sli_malloc(sizeof(*describing));
  *describing = (describing_t){sli_collective_run_retain(run), done};
  engine->peers.complete_instance(engine->peers.context, leader, &request, run->cancellation, on_leader_instance,
                                  describing);
}
