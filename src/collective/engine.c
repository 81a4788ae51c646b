// The engine's life, and its watch: while an op waits for other tasks, each of them is probed every two seconds. An op
// whose member cannot be reached, or was restarted, fails on every other member, and the error names it.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/log.h"
#include "collective/engine_internal.h"

enum {
  WATCH_MILLIS = 2000,
  // Probes in a row that are missed. After a failure a channel repeats its error for up to 3.6 s, so that two of them
  // say little about a task that was restarted.
  MEMBER_MISSES = 3,    // by a member
  ABSENT_MISSES = 4,    // by a task that has not joined a group
  MEMBER_SILENCES = 3,  // by a member of an elastic group, 5 s each
  // An elastic group is formed when nobody has joined for so long and nobody else replies, but waits no longer than so.
  SETTLE_MILLIS = 1000,
  LONGEST_SETTLE_MILLIS = 10000,
  GIVE_UP_MILLIS = 30000,  // with too few members; the members ask again
  FORM_MILLIS = 200,       // between two looks at it
  SLOW_MILLIS = 10000,     // after which a warning says who is waited for
};

typedef struct {
  bool is_running;
  int misses;
  int silences;    // how often in a row it was reached and did not reply
  int64_t at;      // when the last probe ended; 0: none has
  bool is_absent;  // it did not reply to that
  char *error;     // of the last miss; NULL: none
} probe_state_t;

// ---- Life ------------------------------------------------------------------------

sli_collective_engine_t *sli_collective_engine_create(sli_env_t *env, sli_thread_pool_t *pool, const char *task,
                                                      const sli_collective_peers_t *peers) {
  sli_collective_engine_t *engine = sli_calloc(1, sizeof(*engine));
  sli_refcount_initialize(&engine->references);
  engine->env = env;
  engine->pool = pool;
  engine->task = sli_strdup(task);
  engine->has_peers = peers != NULL;
  if (peers) engine->peers = *peers;
  engine->stopped = sli_cancellation_create();
  sli_collective_exchange_initialize(&engine->exchange);
  sli_mutex_initialize(&engine->mutex);
  return engine;
}

sli_collective_engine_t *sli_collective_engine_retain(sli_collective_engine_t *engine) {
  sli_refcount_retain(&engine->references);
  return engine;
}

void sli_collective_engine_release(sli_collective_engine_t *engine) {
  if (!engine || !sli_refcount_release(&engine->references)) return;
  sli_collective_group_clear(engine);
  SLI_MAP_FOR_EACH (&engine->counts, entry) free(entry->value);
  sli_map_deinitialize(&engine->counts);
  SLI_MAP_FOR_EACH (&engine->probes, entry) {
    probe_state_t *state = entry->value;
    free(state->error);
    free(state);
  }
  sli_map_deinitialize(&engine->probes);
  sli_collective_exchange_deinitialize(&engine->exchange);
  sli_cancellation_release(engine->stopped);
  sli_mutex_deinitialize(&engine->mutex);
  free(engine->task);
  free(engine);
}

void sli_collective_engine_limit(sli_collective_engine_t *engine, size_t waiting) { engine->max_waiting = waiting; }

typedef SLI_ARRAY(sli_collective_run_t *) runs_t;

// Fails and releases the runs.
static void stop_runs(runs_t *runs, sli_status_t *status) {
  for (size_t i = 0; i < runs->count; i++) {
    sli_collective_run_stop(runs->items[i], sli_status_retain(status));
    sli_collective_run_release(runs->items[i]);
  }
  sli_array_deinitialize(runs);
}

void sli_collective_engine_stop(sli_collective_engine_t *engine, sli_status_t *status) {
  runs_t runs = {0};
  sli_cancellation_cancel(engine->stopped, sli_status_retain(status));
  sli_mutex_lock(&engine->mutex);
  for (sli_collective_run_t *run = engine->runs; run; run = run->next)
    sli_array_push(&runs, sli_collective_run_retain(run));
  sli_timer_t *timer = engine->timer;
  engine->timer = NULL;
  sli_mutex_unlock(&engine->mutex);
  if (timer && engine->env->cancel_timer(engine->env, timer)) sli_collective_engine_release(engine);
  stop_runs(&runs, status);
  sli_collective_group_fail_all(engine, sli_status_retain(status));
  sli_collective_exchange_fail(&engine->exchange, NULL, status);
}

void sli_collective_engine_destroy(sli_collective_engine_t *engine) { sli_collective_engine_release(engine); }

// ---- Failures --------------------------------------------------------------------

void sli_collective_engine_fail(sli_collective_engine_t *engine, const char *scope, sli_collective_group_t *group,
                                sli_status_t *status) {
  runs_t runs = {0};
  sli_mutex_lock(&engine->mutex);
  for (sli_collective_run_t *run = engine->runs; run; run = run->next)
    if (run->scope && !strcmp(run->scope, scope)) sli_array_push(&runs, sli_collective_run_retain(run));
  sli_mutex_unlock(&engine->mutex);
  if (*group->generation) sli_collective_group_forget(engine, group);
  stop_runs(&runs, status);
  sli_collective_exchange_fail(&engine->exchange, scope, status);
}

void sli_collective_engine_end_step(sli_collective_engine_t *engine, int64_t step_id) {
  if (!sli_collective_exchange_waiting(&engine->exchange)) return;
  char *scope = sli_format("S%lld", (long long)step_id);
  sli_collective_exchange_fail(&engine->exchange, scope,
                               sli_status_make(SLI_ABORTED, "Step %lld has ended on %s, which takes part in it no more",
                                               (long long)step_id, engine->task));
  free(scope);
}

// ---- The watch -------------------------------------------------------------------

static bool has_task(const sli_collective_group_t *group, const char *task) {
  for (int i = 0; i < group->size; i++)
    if (!strcmp(group->members[i].task, task)) return true;
  return false;
}

static bool has_joined(const sli_collective_group_slot_t *slot, const char *task) {
  for (size_t i = 0; i < slot->joined.count; i++)
    if (!strcmp(slot->joined.items[i].task, task)) return true;
  return false;
}

// Whether |task| belongs to a job of which members have joined.
static bool is_candidate(const sli_collective_group_slot_t *slot, const char *task) {
  const char *end = strstr(task, "/replica:");
  if (!end || has_joined(slot, task)) return false;
  for (size_t i = 0; i < slot->joined.count; i++)
    if (!strncmp(slot->joined.items[i].task, task, (size_t)(end - task) + strlen("/replica:"))) return true;
  return false;
}

typedef SLI_ARRAY(char *) names_t;

static void add_task_locked(sli_collective_engine_t *engine, const char *task, names_t *tasks) {
  if (!strcmp(task, engine->task)) return;
  probe_state_t *state = sli_map_get(&engine->probes, sli_view(task));
  if (!state) {
    state = sli_calloc(1, sizeof(*state));
    sli_map_set(&engine->probes, sli_view(task), state);
  }
  if (state->is_running) return;
  state->is_running = true;
  sli_array_push(tasks, sli_strdup(task));
}

// Lists the tasks to probe. False: there is nothing to watch.
static bool list_tasks_locked(sli_collective_engine_t *engine, names_t *tasks) {
  int64_t now = engine->env->now(engine->env);
  for (sli_collective_run_t *run = engine->runs; run; run = run->next) {
    if (!run->group) continue;
    for (int i = 0; i < run->group->size; i++) add_task_locked(engine, run->group->members[i].task, tasks);
    if (run->is_slow || now - run->began < (int64_t)SLOW_MILLIS * 1000000) continue;
    run->is_slow = true;
    SLI_WARNING("%s has waited %d s for the other members of collective group %d", run->request->name,
                SLOW_MILLIS / 1000, run->group->key);
  }
  bool pending = engine->runs != NULL;
  SLI_MAP_FOR_EACH (&engine->groups, entry) {
    const sli_collective_group_slot_t *slot = entry->value;
    if (!sli_collective_group_is_pending(slot)) continue;
    pending = true;
    const char *task;
    for (size_t i = 0; (task = engine->peers.task(engine->peers.context, i)); i++)
      if (is_candidate(slot, task)) add_task_locked(engine, task, tasks);
  }
  return pending;
}

// The members of a run that |task| had, with other incarnations, or that it does not have.
static const sli_collective_member_t *find_restarted(const sli_collective_group_t *group, const char *task,
                                                     const sli_collective_member_t *devices, size_t count) {
  for (int i = 0; i < group->size; i++) {
    const sli_collective_member_t *member = &group->members[i];
    if (strcmp(member->task, task) != 0) continue;
    bool found = false;
    for (size_t j = 0; j < count && !found; j++)
      found = devices[j].incarnation == member->incarnation && !strcmp(devices[j].device, member->device);
    if (!found) return member;
  }
  return NULL;
}

// The error of a group that cannot be completed, because too few tasks can be reached; NULL: it can.
static sli_status_t *describe_absent_locked(sli_collective_engine_t *engine, const sli_collective_group_slot_t *slot) {
  size_t per_task = 1, possible = 0, tasks = 0;
  sli_string_t absent = {0};
  for (size_t i = 0; i < slot->joined.count; i++) {
    size_t same = 0, before = 0;
    for (size_t j = 0; j < slot->joined.count; j++) {
      bool is_same = !strcmp(slot->joined.items[i].task, slot->joined.items[j].task);
      same += is_same;
      before += is_same && j < i;
    }
    if (same > per_task) per_task = same;
    tasks += before == 0;
  }
  const char *task;
  for (size_t i = 0; (task = engine->peers.task(engine->peers.context, i)); i++) {
    if (!is_candidate(slot, task)) continue;
    const probe_state_t *state = sli_map_get(&engine->probes, sli_view(task));
    if (!state || state->misses < ABSENT_MISSES)
      possible++;
    else
      sli_string_append_format(&absent, "%s%s", absent.size ? "; " : "", state->error);
  }
  sli_status_t *status = NULL;
  size_t most = (tasks + possible) * per_task;
  int32_t needed = slot->least ? slot->least : slot->size;
  if (absent.size && most < (size_t)needed)
    status =
        sli_status_make(SLI_UNAVAILABLE, "Collective group %d has %zu of %d members, and others cannot be reached: %s",
                        slot->key, slot->joined.count, needed, sli_string_text(&absent));
  sli_string_deinitialize(&absent);
  return status;
}

typedef struct {
  sli_collective_engine_t *engine;
  char task[];
} probe_t;

// Fails runs and groups that need |task|, which missed several probes; with |elastic| those of elastic groups only.
static void task_is_lost(sli_collective_engine_t *engine, const char *task, int misses, bool elastic,
                         const char *error) {
  runs_t runs = {0};
  SLI_ARRAY(int32_t) keys = {0};
  SLI_ARRAY(sli_status_t *) errors = {0};
  sli_mutex_lock(&engine->mutex);
  for (sli_collective_run_t *run = engine->runs; run; run = run->next)
    if (run->group && has_task(run->group, task) && (!elastic || run->group->leader))
      sli_array_push(&runs, sli_collective_run_retain(run));
  SLI_MAP_FOR_EACH (&engine->groups, entry) {
    const sli_collective_group_slot_t *slot = entry->value;
    sli_status_t *status =
        sli_collective_group_is_pending(slot) && misses >= ABSENT_MISSES ? describe_absent_locked(engine, slot) : NULL;
    if (!status) continue;
    sli_array_push(&keys, slot->key);
    sli_array_push(&errors, status);
  }
  sli_mutex_unlock(&engine->mutex);
  for (size_t i = 0; i < runs.count; i++) {
    sli_collective_run_fail(runs.items[i],
                            sli_status_make(SLI_UNAVAILABLE, "A member of collective group %d cannot be reached: %s",
                                            runs.items[i]->group->key, error));
    sli_collective_run_release(runs.items[i]);
  }
  for (size_t i = 0; i < keys.count; i++) sli_collective_group_fail_waiters(engine, keys.items[i], errors.items[i]);
  sli_array_deinitialize(&runs);
  sli_array_deinitialize(&keys);
  sli_array_deinitialize(&errors);
}

// Fails runs with members that were on an earlier incarnation of |task|.
static void task_is_there(sli_collective_engine_t *engine, const char *task, const sli_collective_member_t *devices,
                          size_t count) {
  runs_t runs = {0};
  sli_mutex_lock(&engine->mutex);
  for (sli_collective_run_t *run = engine->runs; run; run = run->next)
    if (run->group && find_restarted(run->group, task, devices, count))
      sli_array_push(&runs, sli_collective_run_retain(run));
  sli_mutex_unlock(&engine->mutex);
  for (size_t i = 0; i < runs.count; i++) {
    sli_collective_run_fail(runs.items[i],
                            sli_status_make(SLI_ABORTED, "A member of collective group %d, %s, was restarted",
                                            runs.items[i]->group->key, task));
    sli_collective_run_release(runs.items[i]);
  }
  sli_array_deinitialize(&runs);
}

static void probed(void *context, sli_status_t *status, const sli_collective_member_t *devices, size_t count) {
  probe_t *probe = context;
  sli_collective_engine_t *engine = probe->engine;
  bool is_missed = sli_status_code(status) == SLI_UNAVAILABLE;
  sli_mutex_lock(&engine->mutex);
  probe_state_t *state = sli_map_get(&engine->probes, sli_view(probe->task));
  state->is_running = false;
  // A task that is only slow to reply keeps its misses.
  if (is_missed) state->misses++;
  if (!status) state->misses = 0;
  bool is_silent = sli_status_code(status) == SLI_DEADLINE_EXCEEDED;
  state->silences = is_silent ? state->silences + 1 : 0;
  state->at = engine->env->now(engine->env);
  state->is_absent = status != NULL;
  bool is_frozen = state->silences >= MEMBER_SILENCES;
  free(state->error);
  state->error = is_missed ? sli_strdup(sli_status_message(status)) : NULL;
  int misses = state->misses;
  sli_mutex_unlock(&engine->mutex);
  if (is_missed && misses >= MEMBER_MISSES)
    task_is_lost(engine, probe->task, misses, false, sli_status_message(status));
  if (is_frozen) task_is_lost(engine, probe->task, 0, true, sli_status_message(status));
  if (!status) task_is_there(engine, probe->task, devices, count);
  sli_status_release(status);
  sli_collective_engine_release(engine);
  free(probe);
}

// Whether the leader waits no longer for members of the elastic group.
static bool is_settled_locked(sli_collective_engine_t *engine, const sli_collective_group_slot_t *slot) {
  int64_t now = engine->env->now(engine->env);
  if (!slot->least || !sli_collective_group_is_pending(slot) || slot->joined.count < (size_t)slot->least) return false;
  if (now - slot->since >= (int64_t)LONGEST_SETTLE_MILLIS * 1000000) return true;
  if (now - slot->joined_at < (int64_t)SETTLE_MILLIS * 1000000) return false;
  const char *task;
  for (size_t i = 0; (task = engine->peers.task(engine->peers.context, i)); i++) {
    if (!is_candidate(slot, task)) continue;
    const probe_state_t *state = sli_map_get(&engine->probes, sli_view(task));
    if (!state || state->at < slot->since || !state->is_absent) return false;
  }
  return true;
}

static void form_groups(sli_collective_engine_t *engine) {
  SLI_ARRAY(int32_t) keys = {0}, late = {0};
  int64_t now = engine->env->now(engine->env);
  sli_mutex_lock(&engine->mutex);
  SLI_MAP_FOR_EACH (&engine->groups, entry) {
    const sli_collective_group_slot_t *slot = entry->value;
    if (is_settled_locked(engine, slot))
      sli_array_push(&keys, slot->key);
    else if (slot->least && sli_collective_group_is_pending(slot) &&
             now - slot->since >= (int64_t)GIVE_UP_MILLIS * 1000000)
      sli_array_push(&late, slot->key);
  }
  sli_mutex_unlock(&engine->mutex);
  for (size_t i = 0; i < keys.count; i++) sli_collective_group_form(engine, keys.items[i]);
  for (size_t i = 0; i < late.count; i++)
    sli_collective_group_fail_waiters(
        engine, late.items[i],
        sli_status_make(SLI_UNAVAILABLE, "Collective group %d has too few members after %d s", late.items[i],
                        GIVE_UP_MILLIS / 1000));
  sli_array_deinitialize(&keys);
  sli_array_deinitialize(&late);
}

static bool is_forming_locked(sli_collective_engine_t *engine) {
  SLI_MAP_FOR_EACH (&engine->groups, entry) {
    const sli_collective_group_slot_t *slot = entry->value;
    if (slot->least && sli_collective_group_is_pending(slot)) return true;
  }
  return false;
}

static void watch(void *context) {
  sli_collective_engine_t *engine = context;
  names_t tasks = {0};
  form_groups(engine);
  sli_mutex_lock(&engine->mutex);
  sli_timer_t *timer = engine->timer;
  engine->timer = NULL;
  bool goes_on = timer && list_tasks_locked(engine, &tasks);
  sli_mutex_unlock(&engine->mutex);
  // Another one than this, if a group began to form meanwhile.
  if (timer && engine->env->cancel_timer(engine->env, timer)) sli_collective_engine_release(engine);
  for (size_t i = 0; i < tasks.count; i++) {
    probe_t *probe = sli_malloc(sizeof(*probe) + strlen(tasks.items[i]) + 1);
    probe->engine = sli_collective_engine_retain(engine);
    memcpy(probe->task, tasks.items[i], strlen(tasks.items[i]) + 1);
    engine->peers.probe(engine->peers.context, tasks.items[i], false, engine->stopped, probed, probe);
    free(tasks.items[i]);
  }
  sli_array_deinitialize(&tasks);
  if (goes_on) sli_collective_engine_watch(engine);
  sli_collective_engine_release(engine);
}

void sli_collective_engine_watch(sli_collective_engine_t *engine) {
  if (!engine->has_peers || sli_cancellation_is_cancelled(engine->stopped)) return;
  sli_mutex_lock(&engine->mutex);
  bool forms = is_forming_locked(engine);
  sli_timer_t *slow = forms && !engine->is_timer_short ? engine->timer : NULL;
  if (slow) engine->timer = NULL;
  if (!engine->timer) {
    int64_t deadline = sli_env_deadline_after_millis(engine->env, forms ? FORM_MILLIS : WATCH_MILLIS);
    engine->timer = engine->env->add_timer(engine->env, deadline, watch, sli_collective_engine_retain(engine));
    engine->is_timer_short = forms;
  }
  sli_mutex_unlock(&engine->mutex);
  if (slow && engine->env->cancel_timer(engine->env, slow)) sli_collective_engine_release(engine);
}

// ---- What kernels call -----------------------------------------------------------

typedef struct {
  sli_collective_t base;
  sli_collective_engine_t *engine;
  char leader[];
} binding_t;

static void binding_run(sli_collective_t *self, const sli_collective_request_t *request, sli_collective_done_t done,
                        void *context) {
  binding_t *binding = (binding_t *)self;
  sli_collective_run_start(binding->engine, binding->leader, false, request, done, context);
}

static void binding_join(sli_collective_t *self, const sli_collective_request_t *request, sli_collective_done_t done,
                         void *context) {
  binding_t *binding = (binding_t *)self;
  sli_collective_run_start(binding->engine, binding->leader, true, request, done, context);
}

sli_collective_t *sli_collective_engine_bind(sli_collective_engine_t *engine, const char *leader) {
  static const sli_collective_vtable_t vtable = {binding_run, binding_join};
  if (!engine->has_peers || !strcmp(leader, engine->task)) leader = "";
  binding_t *binding = sli_malloc(sizeof(*binding) + strlen(leader) + 1);
  binding->base.vtable = &vtable;
  binding->engine = engine;
  memcpy(binding->leader, leader, strlen(leader) + 1);
  return &binding->base;
}
