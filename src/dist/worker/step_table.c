#include "dist/worker/step_table.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"

enum {
  BUCKETS = 1024,    // a task runs few steps at a time and keeps at most MAX_IDLE others
  MAX_IDLE = 10000,  // steps that are kept without users
};
#define MAX_IDLE_NANOS (INT64_C(3600) * 1000000000)

struct sli_step_table {
  const sli_remote_rendezvous_shared_t *shared;
  void (*release_partial)(void *partial);
  size_t max_early_receives;  // 0: no limit
  sli_mutex_t mutex;
  // Under mutex.
  size_t count, idle_count;
  size_t early_receives;  // of all steps
  sli_worker_step_t *idle_first, *idle_last;
  sli_worker_step_t *buckets[BUCKETS];
};

sli_step_table_t *sli_step_table_create(const sli_remote_rendezvous_shared_t *shared,
                                        void (*release_partial)(void *partial)) {
  sli_step_table_t *table = sli_calloc(1, sizeof(*table));
  table->shared = shared;
  table->release_partial = release_partial;
  sli_mutex_initialize(&table->mutex);
  return table;
}

// Not under the lock: this may fail receivers, whose callbacks may do anything.
static void step_destroy(sli_step_table_t *table, sli_worker_step_t *step) {
  if (step->partial) table->release_partial(step->partial);
  sli_rendezvous_release(&step->rendezvous->base);
  free(step);
}

static sli_worker_step_t **find_locked(sli_step_table_t *table, int64_t id) {
  // Step ids are usually random, but tests use small numbers.
  sli_worker_step_t **link = &table->buckets[((uint64_t)id ^ (uint64_t)id >> 20 ^ (uint64_t)id >> 40) % BUCKETS];
  while (*link && (*link)->id != id) link = &(*link)->next;
  return link;
}

static void idle_remove_locked(sli_step_table_t *table, sli_worker_step_t *step) {
  *(step->idle_previous ? &step->idle_previous->idle_next : &table->idle_first) = step->idle_next;
  *(step->idle_next ? &step->idle_next->idle_previous : &table->idle_last) = step->idle_previous;
  step->idle_previous = step->idle_next = NULL;
  table->idle_count--;
}

static void idle_append_locked(sli_step_table_t *table, sli_worker_step_t *step) {
  step->idle_since = table->shared->env->now(table->shared->env);
  step->idle_previous = table->idle_last;
  *(table->idle_last ? &table->idle_last->idle_next : &table->idle_first) = step;
  table->idle_last = step;
  table->idle_count++;
}

static void unlist_locked(sli_step_table_t *table, sli_worker_step_t **link) {
  sli_worker_step_t *step = *link;
  *link = step->next;
  step->listed = false;
  table->count--;
}

// Removes the oldest idle step from the lists and returns it if there are too many or it is too old; else NULL.
static sli_worker_step_t *evict_locked(sli_step_table_t *table) {
  sli_worker_step_t *step = table->idle_first;
  if (!step) return NULL;
  int64_t age = table->shared->env->now(table->shared->env) - step->idle_since;
  if (table->idle_count <= MAX_IDLE && age <= MAX_IDLE_NANOS) return NULL;
  idle_remove_locked(table, step);
  unlist_locked(table, find_locked(table, step->id));
  return step;
}

void sli_step_table_limit_early_receives(sli_step_table_t *table, size_t limit) { table->max_early_receives = limit; }

// Finds or creates the step and counts one more user.
static sli_worker_step_t *enter_locked(sli_step_table_t *table, int64_t id) {
  sli_worker_step_t **link = find_locked(table, id), *step = *link;
  if (!step) {
    step = sli_calloc(1, sizeof(*step));
    step->id = id;
    step->rendezvous = sli_remote_rendezvous_create(table->shared, id);
    step->listed = true;
    *link = step;
    table->count++;
  } else if (step->users == 0) {
    idle_remove_locked(table, step);
  }
  step->users++;
  return step;
}

sli_worker_step_t *sli_step_table_enter(sli_step_table_t *table, int64_t id) {
  sli_mutex_lock(&table->mutex);
  sli_worker_step_t *step = enter_locked(table, id);
  step->started = true;
  table->early_receives -= step->early_receives;
  step->early_receives = 0;
  sli_mutex_unlock(&table->mutex);
  return step;
}

sli_status_t *sli_step_table_enter_recv(sli_step_table_t *table, int64_t id, sli_worker_step_t **out_step) {
  *out_step = NULL;
  sli_mutex_lock(&table->mutex);
  sli_worker_step_t *known = *find_locked(table, id);
  bool early = !known || !known->started;
  bool full = early && table->max_early_receives && table->early_receives >= table->max_early_receives;
  if (!full) {
    *out_step = enter_locked(table, id);
    (*out_step)->early_receives += early;
    table->early_receives += early;
  }
  sli_mutex_unlock(&table->mutex);
  if (!full) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED,
                         "RecvTensor of step %lld, which has not started on %s: %zu receives wait there for such steps "
                         "already, and no more may. Raise --max_early_receives of sluice serve (max_early_receives of "
                         "sl_cluster_server_options_t) if a job needs more",
                         (long long)id, table->shared->task_name, table->max_early_receives);
}

void sli_step_table_leave(sli_step_table_t *table, sli_worker_step_t *step) {
  sli_worker_step_t *gone = NULL;
  sli_mutex_lock(&table->mutex);
  if (--step->users == 0) {
    if (!step->listed) {
      gone = step;
    } else if (!step->partial && sli_rendezvous_table_is_pristine(&step->rendezvous->table)) {
      unlist_locked(table, find_locked(table, step->id));
      gone = step;
    } else {
      idle_append_locked(table, step);
      gone = evict_locked(table);
    }
  }
  sli_mutex_unlock(&table->mutex);
  if (gone) step_destroy(table, gone);
}

void sli_step_table_leave_recv(sli_step_table_t *table, sli_worker_step_t *step) {
  sli_mutex_lock(&table->mutex);
  if (!step->started) {  // else it is no longer counted
    step->early_receives--;
    table->early_receives--;
  }
  sli_mutex_unlock(&table->mutex);
  sli_step_table_leave(table, step);
}

void sli_step_table_cleanup(sli_step_table_t *table, int64_t id) {
  sli_mutex_lock(&table->mutex);
  sli_worker_step_t **link = find_locked(table, id), *step = *link;
  if (step) {
    unlist_locked(table, link);
    if (step->users == 0) idle_remove_locked(table, step);
    step->users++;  // released by sli_step_table_leave below
  }
  sli_mutex_unlock(&table->mutex);
  if (!step) return;
  sli_rendezvous_abort(&step->rendezvous->base, sli_status_make(SLI_ABORTED, "Cleanup %lld", (long long)id));
  sli_step_table_leave(table, step);
}

void sli_step_table_abort_all(sli_step_table_t *table, sli_status_t *status) {
  SLI_ARRAY(sli_remote_rendezvous_t *) all = {0};
  sli_mutex_lock(&table->mutex);
  for (size_t b = 0; b < BUCKETS; b++)
    for (sli_worker_step_t *step = table->buckets[b]; step; step = step->next) {
      sli_rendezvous_retain(&step->rendezvous->base);
      sli_array_push(&all, step->rendezvous);
    }
  sli_mutex_unlock(&table->mutex);
  for (size_t i = 0; i < all.count; i++) {
    sli_rendezvous_abort(&all.items[i]->base, sli_status_retain(status));
    sli_rendezvous_release(&all.items[i]->base);
  }
  sli_array_deinitialize(&all);
  sli_status_release(status);
}

size_t sli_step_table_count(sli_step_table_t *table) {
  sli_mutex_lock(&table->mutex);
  size_t count = table->count;
  sli_mutex_unlock(&table->mutex);
  return count;
}

void sli_step_table_destroy(sli_step_table_t *table) {
  if (!table) return;
  for (size_t b = 0; b < BUCKETS; b++)
    for (sli_worker_step_t *step = table->buckets[b], *next; step; step = next) {
      SLI_CHECK(step->users == 0);
      next = step->next;
      step_destroy(table, step);
    }
  sli_mutex_deinitialize(&table->mutex);
  free(table);
}
