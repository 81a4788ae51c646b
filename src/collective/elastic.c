// How a member of an elastic group finds its leader: the task that the session names, or else the first task of the
// member's job that replies. A task that finds nobody before itself forms the group, and tells the others, which may
// have had another leader while it was away.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "collective/engine_internal.h"

typedef struct {
  sli_collective_run_t *run;
  sli_collective_group_done_t done;
  size_t next;        // the place of the task to try, in the cluster's order; 0: the session's leader
  const char *tried;  // owned by the cluster or the session
} search_t;

// Whether |task| is of the same job as this one.
static bool is_of_job(const sli_collective_engine_t *engine, const char *task) {
  const char *end = strstr(engine->task, "/replica:");
  return end && !strncmp(engine->task, task, (size_t)(end - engine->task) + strlen("/replica:"));
}

// ---- Leading ---------------------------------------------------------------------

typedef struct {
  sli_collective_engine_t *engine;
  char *device, *device_type;
  int32_t key, size;
  char task[];
} notice_t;

static void notice_free(notice_t *notice) {
  sli_collective_engine_release(notice->engine);
  free(notice->device);
  free(notice->device_type);
  free(notice);
}

static void noticed(void *context, sli_status_t *status, sli_collective_group_t *group) {
  sli_status_release(status);
  sli_collective_group_release(group);
  notice_free(context);
}

static void tell(void *context, sli_status_t *status, const sli_collective_member_t *devices, size_t count) {
  notice_t *notice = context;
  sli_collective_engine_t *engine = notice->engine;
  if (status) {  // it will find this task when it starts
    noticed(notice, status, NULL);
    return;
  }
  sli_collective_group_request_t request = {.key = notice->key,
                                            .size = notice->size,
                                            .device_type = notice->device_type,
                                            .member = {.device = notice->device, .is_sluice = true, .rank = -1},
                                            .failed = "",
                                            .takes_over = true};
  engine->peers.complete_group(engine->peers.context, notice->task, &request, engine->stopped, noticed, notice);
}

static bool has_joined_here(sli_collective_engine_t *engine, int32_t key, const char *task) {
  char name[16];
  snprintf(name, sizeof(name), "%d", key);
  bool found = false;
  sli_mutex_lock(&engine->mutex);
  const sli_collective_group_slot_t *slot = sli_map_get(&engine->groups, sli_view(name));
  for (size_t i = 0; slot && i < slot->joined.count; i++) found |= !strcmp(slot->joined.items[i].task, task);
  sli_mutex_unlock(&engine->mutex);
  return found;
}

// Those who have joined here know already.
static void tell_others(const sli_collective_run_t *run) {
  sli_collective_engine_t *engine = run->engine;
  const char *task;
  for (size_t i = 0; (task = engine->peers.task(engine->peers.context, i)); i++) {
    if (!strcmp(task, engine->task) || !is_of_job(engine, task) ||
        has_joined_here(engine, run->request->group_key, task))
      continue;
    notice_t *notice = sli_malloc(sizeof(*notice) + strlen(task) + 1);
    notice->engine = sli_collective_engine_retain(engine);
    notice->device = sli_strdup(run->request->device->name);
    notice->device_type = sli_strdup(run->request->device->type);
    notice->key = run->request->group_key;
    notice->size = run->request->group_size;
    memcpy(notice->task, task, strlen(task) + 1);
    engine->peers.probe(engine->peers.context, task, false, engine->stopped, tell, notice);
  }
}

// ---- The search ------------------------------------------------------------------

static void try_next(search_t *search);

static void end_search(search_t *search, const char *leader) {
  if (!*leader && search->run->engine->has_peers) tell_others(search->run);
  sli_collective_group_ask(search->run, leader, search->done);
  sli_collective_run_release(search->run);
  free(search);
}

static void tried(void *context, sli_status_t *status, const sli_collective_member_t *devices, size_t count) {
  search_t *search = context;
  bool replied = !status;
  sli_status_release(status);
  if (replied)
    end_search(search, search->tried);
  else
    try_next(search);
}

static void try_next(search_t *search) {
  sli_collective_run_t *run = search->run;
  sli_collective_engine_t *engine = run->engine;
  const char *task = run->leader;
  if (search->next) {
    do {
      task = engine->peers.task(engine->peers.context, search->next++ - 1);
    } while (task && (!is_of_job(engine, task) || !strcmp(task, run->leader)));
  } else {
    search->next = 1;
  }
  // The list has this task, unless it belongs to none.
  if (!task || !*task || !strcmp(task, engine->task)) {
    end_search(search, "");
    return;
  }
  search->tried = task;
  engine->peers.probe(engine->peers.context, task, false, run->cancellation, tried, search);
}

void sli_collective_elastic_join(sli_collective_run_t *run, sli_collective_group_done_t done) {
  search_t *search = sli_calloc(1, sizeof(*search));
  search->run = sli_collective_run_retain(run);
  search->done = done;
  if (run->engine->has_peers)
    try_next(search);
  else
    end_search(search, "");
}
