// The master's sessions: table, extend, ListDevices, close, reset. Creation is in master_create.c; plans, steps,
// partial runs and callables are in master_plan.c, master_step.c, master_partial.c and master_callable.c.
#include "dist/master/master.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "dist/master/master_internal.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"
#include "runtime/place/placer.h"

sli_status_t *sli_master_create(sli_env_t *env, const sli_cluster_t *cluster, sli_worker_t *worker,
                                sli_worker_cache_t *cache, const sli_master_options_t *options,
                                sli_master_t **out_master) {
  sli_master_t *master = sli_calloc(1, sizeof(*master));
  master->env = env;
  master->cluster = cluster;
  master->worker = worker;
  master->cache = cache;
  master->options = *options;
  sli_mutex_initialize(&master->mutex);
  sli_event_initialize(&master->created);
  *out_master = master;
  return NULL;
}

size_t sli_master_session_count(sli_master_t *master) {
  sli_mutex_lock(&master->mutex);
  size_t count = master->sessions.count;
  sli_mutex_unlock(&master->mutex);
  return count;
}

size_t sli_master_describe_sessions(sli_master_t *master, sli_arena_t *arena,
                                    sli_master_session_info_t **out_sessions) {
  int64_t now = master->env->now(master->env);
  size_t count = 0;
  sli_mutex_lock(&master->mutex);
  sli_master_session_info_t *infos = *out_sessions = sli_arena_calloc(arena, master->sessions.count, sizeof(*infos));
  SLI_MAP_FOR_EACH (&master->sessions, entry) {
    sli_master_session_t *session = entry->value;
    sli_mutex_lock(&session->mutex);
    infos[count++] = (sli_master_session_info_t){
        .handle = sli_arena_strndup(arena, session->handle, strlen(session->handle)),
        .age_nanos = now - session->created_at,
        .idle_nanos = session->running.count ? 0 : now - session->last_used,
        .steps = session->steps,
        .running_steps = (int64_t)session->running.count,
    };
    sli_mutex_unlock(&session->mutex);
  }
  sli_mutex_unlock(&master->mutex);
  return count;
}

const sli_tally_t *sli_master_tally(const sli_master_t *master) { return &master->tally; }

// --- References and lookup -----------------------------------------------------------

sli_master_session_t *sli_master_session_retain(sli_master_session_t *session) {
  sli_refcount_retain(&session->references);
  return session;
}

void sli_master_session_release(sli_master_session_t *session) {
  if (!session || !sli_refcount_release(&session->references)) return;
  sli_master_free_graph(session->env, session->graph, &session->plans);
  sli_array_deinitialize(&session->graph_works);
  for (size_t i = 0; i < session->callables.count; i++) sli_master_callable_release(session->callables.items[i]);
  sli_array_deinitialize(&session->callables);
  SLI_MAP_FOR_EACH (&session->partial_runs, entry) sli_master_partial_release(entry->value);
  sli_map_deinitialize(&session->partial_runs);
  sli_array_deinitialize(&session->running);
  sli_array_deinitialize(&session->clients);
  sli_device_set_deinitialize(&session->devices);
  sli_string_deinitialize(&session->config);
  sli_string_deinitialize(&session->graph_options);
  sli_string_deinitialize(&session->cluster_def);
  sli_master_names_free(session->filters, session->filter_count);
  sli_session_cluster_release(session->own_cluster);
  sli_mutex_deinitialize(&session->mutex);
  if (session->client.link) session->client.release(session->client.link);
  free(session->client_name);
  free(session->handle);
  free(session);
}

sli_status_t *sli_master_find_session(sli_master_t *master, const char *handle, sli_master_session_t **out_session) {
  sli_mutex_lock(&master->mutex);
  sli_master_session_t *session = sli_map_get(&master->sessions, sli_view(handle));
  *out_session = session ? sli_master_session_retain(session) : NULL;
  sli_mutex_unlock(&master->mutex);
  if (session) return NULL;
  return sli_status_make(SLI_ABORTED, "Session %s is not found.", handle);
}

sli_status_t *sli_master_session_begin_call(sli_master_session_t *session, sli_cancellation_t *cancellation,
                                            bool is_step) {
  sli_mutex_lock(&session->mutex);
  bool closed = session->closed;
  if (!closed) {
    sli_array_push(&session->running, cancellation);
    session->steps += is_step;
    session->last_used = session->master->env->now(session->master->env);
  }
  sli_mutex_unlock(&session->mutex);
  return closed ? sli_status_make(SLI_FAILED_PRECONDITION, "Session is closed.") : NULL;
}

sli_worker_client_done_t sli_master_session_take_closed_locked(sli_master_session_t *session) {
  if (!session->closed || session->running.count || session->graph_in_use) return NULL;
  sli_worker_client_done_t done = session->closed_done;
  session->closed_done = NULL;
  return done;
}

void sli_master_session_end_call(sli_master_session_t *session, sli_cancellation_t *cancellation) {
  sli_mutex_lock(&session->mutex);
  for (size_t i = 0; i < session->running.count; i++) {
    if (session->running.items[i] != cancellation) continue;
    session->running.items[i] = session->running.items[--session->running.count];
    break;
  }
  session->last_used = session->master->env->now(session->master->env);
  sli_worker_client_done_t done = sli_master_session_take_closed_locked(session);
  sli_mutex_unlock(&session->mutex);
  if (done) done(session->closed_context, NULL);
}

// --- ExtendSession -----------------------------------------------------------------------

typedef struct {
  sli_master_session_t *session;
  sli_view_t graph_def;
  int64_t expected_version;
  sli_master_handle_done_t done;
  void *context;
} extension_t;

static void extend(void *context) {
  extension_t *extension = context;
  sli_master_session_t *session = extension->session;
  sli_mutex_lock(&session->mutex);
  bool closed = session->closed;
  sli_mutex_unlock(&session->mutex);
  sli_status_t *status = NULL;
  if (closed)
    status = sli_status_make(SLI_FAILED_PRECONDITION, "Session is closed.");
  else if (extension->expected_version != session->graph_version)
    status = sli_status_make(SLI_ABORTED, "Current version is %lld but caller expected %lld.",
                             (long long)session->graph_version, (long long)extension->expected_version);
  else
    status = sli_master_extend_graph(session, extension->graph_def);
  int64_t version = status ? 0 : ++session->graph_version;
  extension->done(extension->context, status, session->handle, version);
  sli_master_session_release(session);
  free(extension);
}

void sli_master_extend_session(sli_master_t *master, const char *handle, sli_view_t graph_def, int64_t current_version,
                               sli_master_handle_done_t done, void *context) {
  sli_master_session_t *session;
  sli_status_t *status = sli_master_find_session(master, handle, &session);
  if (status) {
    done(context, status, handle, 0);
    return;
  }
  extension_t *extension = sli_malloc(sizeof(*extension));
  *extension = (extension_t){session, graph_def, current_version, done, context};
  sli_master_use_graph(
      session, (sli_master_graph_work_t){extend, NULL, extension, sli_master_is_long_graph_def(graph_def.size)});
}

// --- ListDevices ------------------------------------------------------------------------------

// Copies the devices of |session|, those of our own task first.
static void copy_devices(const sli_master_session_t *session, sli_device_set_t *own, sli_device_set_t *others) {
  const char *self = sli_cluster_self(sli_master_session_cluster(session))->task_name;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < session->devices.devices.count; i++) {
      const sli_device_set_entry_t *device = &session->devices.devices.items[i];
      bool is_own = sli_view_is(sli_device_name_task(sli_view(device->name)), self);
      if (is_own == (pass == 0))
        sli_device_set_add(is_own ? own : others, device->name, device->type, device->incarnation, device->memory_limit,
                           device->local);
    }
  }
}

typedef struct {
  sli_master_t *master;
  sli_master_devices_done_t done;
  void *context;
} listing_t;

static void ignore(void *context, sli_status_t *status) { sli_status_release(status); }

static void listing_made(void *context, sli_status_t *status, const char *handle, int64_t graph_version) {
  listing_t *listing = context;
  sli_device_set_t own = {0}, others = {0};
  sli_master_session_t *session = NULL;
  if (!status) status = sli_master_find_session(listing->master, handle, &session);
  if (!status) copy_devices(session, &own, &others);
  if (session) sli_master_close_session(listing->master, handle, ignore, NULL);
  listing->done(listing->context, status, &own, &others);
  sli_master_session_release(session);
  sli_device_set_deinitialize(&own);
  sli_device_set_deinitialize(&others);
  free(listing);
}

// Lists the devices of all tasks. A temporary session waits for them.
static void list_all_devices(sli_master_t *master, sli_master_devices_done_t done, void *context) {
  listing_t *listing = sli_malloc(sizeof(*listing));
  *listing = (listing_t){master, done, context};
  sli_master_create_session(master, &(sli_master_create_session_t){.deadline = SLI_CLOCK_NO_DEADLINE}, listing_made,
                            listing);
}

void sli_master_list_devices(sli_master_t *master, const char *session_handle, sli_master_devices_done_t done,
                             void *context) {
  if (!*session_handle) {
    list_all_devices(master, done, context);
    return;
  }
  sli_master_session_t *session;
  sli_device_set_t devices = {0}, none = {0};
  sli_status_t *status = sli_master_find_session(master, session_handle, &session);
  if (status) {
    sli_status_release(status);
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Session %s is not found. Possibly, this master has restarted.",
                             session_handle);
  } else {
    copy_devices(session, &devices, &devices);
  }
  done(context, status, &devices, &none);
  sli_device_set_deinitialize(&devices);
  sli_master_session_release(session);
}

// --- Closing a session ---------------------------------------------------------------------

typedef struct {
  sli_refcount_t references;
  sli_master_session_t *session;
  int64_t millis;  // timeout of DeleteWorkerSession
  sli_worker_client_done_t done;
  void *context;
} closing_t;

// While the server stops the timeout is short.
enum { DELETE_SESSION_MILLIS = 10000, DELETE_SESSION_STOPPING_MILLIS = 500 };

static void worker_session_deleted(void *context, sli_status_t *status) {
  // An error is ignored: a task that is gone has no session left to delete.
  sli_status_release(status);
  closing_t *closing = context;
  if (!sli_refcount_release(&closing->references)) return;
  sli_master_session_release(closing->session);
  closing->done(closing->context, NULL);
  free(closing);
}

// Called when no step of the session is running any more: deletes the worker sessions.
static void steps_ended(void *context, sli_status_t *status) {
  closing_t *closing = context;
  sli_master_session_t *session = closing->session;
  size_t count = session->clients.count;
  atomic_init(&closing->references, (int)count + 1);
  for (size_t i = 0; i < count; i++) {
    sli_worker_client_t *client = session->clients.items[i];
    client->vtable->delete_session(client, session->handle,
                                   sli_env_deadline_after_millis(session->master->env, closing->millis),
                                   worker_session_deleted, closing);
  }
  worker_session_deleted(closing, status);
}

typedef struct {
  SLI_ARRAY(sli_cancellation_t *) items;
} cancellations_t;

static void collect_running_locked(sli_master_session_t *session, cancellations_t *out) {
  for (size_t i = 0; i < session->running.count; i++)
    sli_array_push(&out->items, sli_cancellation_retain(session->running.items[i]));
}

// Runs callbacks: the caller must hold no lock. |status| is borrowed.
static void cancel_all(cancellations_t *running, sli_status_t *status) {
  for (size_t i = 0; i < running->items.count; i++) {
    sli_cancellation_cancel(running->items.items[i], sli_status_retain(status));
    sli_cancellation_release(running->items.items[i]);
  }
  sli_array_deinitialize(&running->items);
}

void sli_master_stop(sli_master_t *master, sli_status_t *status) {
  cancellations_t running = {0};
  sli_mutex_lock(&master->mutex);
  if (!master->stopping) master->stopping = sli_status_retain(status);
  sli_timer_t *timer = master->orphan_timer;
  master->orphan_timer = NULL;
  SLI_MAP_FOR_EACH (&master->sessions, entry) {
    sli_master_session_t *session = entry->value;
    sli_mutex_lock(&session->mutex);
    collect_running_locked(session, &running);
    sli_mutex_unlock(&session->mutex);
  }
  sli_mutex_unlock(&master->mutex);
  if (timer) master->env->cancel_timer(master->env, timer);
  cancel_all(&running, status);
  sli_master_cancel_creations(master, status);
  sli_status_release(status);
}

void sli_master_session_discard(sli_master_session_t *session, sli_worker_client_done_t done, void *context) {
  closing_t *closing = sli_calloc(1, sizeof(*closing));
  closing->session = session;
  sli_mutex_lock(&session->master->mutex);
  closing->millis = session->master->stopping ? DELETE_SESSION_STOPPING_MILLIS : DELETE_SESSION_MILLIS;
  sli_mutex_unlock(&session->master->mutex);
  closing->done = done;
  closing->context = context;
  cancellations_t running = {0};
  sli_mutex_lock(&session->mutex);
  session->closed = true;
  collect_running_locked(session, &running);
  bool waits = running.items.count > 0 || session->graph_in_use;
  if (waits) {
    session->closed_done = steps_ended;
    session->closed_context = closing;
  }
  sli_mutex_unlock(&session->mutex);
  sli_status_t *reason =
      sli_status_make_text(SLI_CANCELLED, "Step was cancelled by an explicit call to `Session::Close()`.");
  cancel_all(&running, reason);
  sli_status_release(reason);
  if (!waits) steps_ended(closing, NULL);
}

// --- Sessions whose client is gone -----------------------------------------------------------

enum { ORPHAN_CHECK_MIN_MILLIS = 50, ORPHAN_CHECK_MAX_MILLIS = 10000 };

static void orphan_timer(void *context);

static void start_orphan_timer_locked(sli_master_t *master) {
  int64_t wait = master->options.session_idle_nanos / 4;
  if (wait < ORPHAN_CHECK_MIN_MILLIS * INT64_C(1000000)) wait = ORPHAN_CHECK_MIN_MILLIS * INT64_C(1000000);
  if (wait > ORPHAN_CHECK_MAX_MILLIS * INT64_C(1000000)) wait = ORPHAN_CHECK_MAX_MILLIS * INT64_C(1000000);
  master->orphan_timer =
      master->env->add_timer(master->env, master->env->now(master->env) + wait, orphan_timer, master);
}

// Whether the client's connection has been down, and the session idle, for too long.
static bool is_orphan_locked(sli_master_session_t *session, int64_t now) {
  if (!session->client.link || session->client.is_up(session->client.link)) return false;
  if (!session->gone_since) session->gone_since = now;
  int64_t since = session->last_used > session->gone_since ? session->last_used : session->gone_since;
  return session->running.count == 0 && now - since >= session->master->options.session_idle_nanos;
}

static void orphan_timer(void *context) {
  sli_master_t *master = context;
  int64_t now = master->env->now(master->env);
  SLI_ARRAY(sli_master_session_t *) orphans = {0};
  sli_mutex_lock(&master->mutex);
  if (master->stopping) {  // sli_master_stop took the timer
    sli_mutex_unlock(&master->mutex);
    return;
  }
  SLI_MAP_FOR_EACH (&master->sessions, entry) {
    sli_master_session_t *session = entry->value;
    sli_mutex_lock(&session->mutex);
    if (is_orphan_locked(session, now)) sli_array_push(&orphans, session);
    sli_mutex_unlock(&session->mutex);
  }
  for (size_t i = 0; i < orphans.count; i++) sli_map_remove(&master->sessions, sli_view(orphans.items[i]->handle));
  master->env->cancel_timer(master->env, master->orphan_timer);
  master->orphan_timer = NULL;
  if (master->sessions.count) start_orphan_timer_locked(master);
  sli_mutex_unlock(&master->mutex);
  for (size_t i = 0; i < orphans.count; i++) {
    SLI_INFO("Closing session %s: its client went away %.1f s ago without closing it", orphans.items[i]->handle,
             (double)(now - orphans.items[i]->gone_since) / 1e9);
    sli_master_session_discard(orphans.items[i], ignore, NULL);
  }
  sli_array_deinitialize(&orphans);
}

void sli_master_add_session(sli_master_t *master, sli_master_session_t *session) {
  sli_mutex_lock(&master->mutex);
  sli_map_set(&master->sessions, sli_view(session->handle), sli_master_session_retain(session));
  session->listed = true;
  if (master->options.session_idle_nanos > 0 && session->client.link && !master->orphan_timer && !master->stopping)
    start_orphan_timer_locked(master);
  sli_mutex_unlock(&master->mutex);
}

// --- CloseSession and Reset --------------------------------------------------------------------

void sli_master_close_session(sli_master_t *master, const char *session_handle, sli_worker_client_done_t done,
                              void *context) {
  sli_mutex_lock(&master->mutex);
  sli_master_session_t *session = sli_map_remove(&master->sessions, sli_view(session_handle));
  sli_mutex_unlock(&master->mutex);
  if (session)
    sli_master_session_discard(session, done, context);
  else
    done(context,
         sli_status_make(SLI_ABORTED, "Session %s is not found. Possibly, this master has restarted.", session_handle));
}

// A reset: first closes all sessions, then cleans up the containers on all tasks.
typedef struct {
  sli_master_t *master;
  sli_refcount_t waiting;
  char **containers;
  size_t container_count;
  sli_master_session_t *tasks;  // a dummy session: only its clients are used
  sli_mutex_t mutex;
  sli_status_t *status;  // under mutex
  sli_worker_client_done_t done;
  void *context;
} reset_t;

static void task_cleaned(void *context, sli_status_t *status) {
  reset_t *reset = context;
  sli_mutex_lock(&reset->mutex);
  reset->status = sli_status_join(reset->status, status);
  sli_mutex_unlock(&reset->mutex);
  if (!sli_refcount_release(&reset->waiting)) return;
  reset->done(reset->context, reset->status);
  sli_master_names_free(reset->containers, reset->container_count);
  sli_master_session_release(reset->tasks);
  sli_mutex_deinitialize(&reset->mutex);
  free(reset);
}

static void clean_tasks(reset_t *reset) {
  size_t count = reset->tasks->clients.count;
  atomic_store(&reset->waiting, (int)count + 1);
  for (size_t i = 0; i < count; i++) {
    sli_worker_client_t *client = reset->tasks->clients.items[i];
    client->vtable->cleanup_all(client, (const char *const *)reset->containers, reset->container_count,
                                sli_env_deadline_after_millis(reset->master->env, DELETE_SESSION_MILLIS), task_cleaned,
                                reset);
  }
  task_cleaned(reset, NULL);
}

static void session_closed_for_reset(void *context, sli_status_t *status) {
  reset_t *reset = context;
  sli_status_release(status);
  if (sli_refcount_release(&reset->waiting)) clean_tasks(reset);
}

void sli_master_reset(sli_master_t *master, const char *const *containers, size_t container_count,
                      const char *const *device_filters, size_t filter_count, sli_worker_client_done_t done,
                      void *context) {
  sli_master_session_t *tasks = sli_calloc(1, sizeof(*tasks));
  sli_refcount_initialize(&tasks->references);
  sli_mutex_initialize(&tasks->mutex);
  tasks->master = master;
  tasks->env = master->env;
  tasks->filters = sli_master_names_copy(device_filters, filter_count);
  tasks->filter_count = filter_count;
  sli_status_t *status = sli_master_choose_clients(tasks);
  if (status) {
    sli_master_session_release(tasks);
    done(context, status);
    return;
  }
  reset_t *reset = sli_calloc(1, sizeof(*reset));
  *reset = (reset_t){.master = master,
                     .containers = sli_master_names_copy(containers, container_count),
                     .container_count = container_count,
                     .tasks = tasks,
                     .done = done,
                     .context = context};
  sli_mutex_initialize(&reset->mutex);
  SLI_ARRAY(sli_master_session_t *) sessions = {0};
  sli_mutex_lock(&master->mutex);
  SLI_MAP_FOR_EACH (&master->sessions, entry) sli_array_push(&sessions, (sli_master_session_t *)entry->value);
  sli_map_deinitialize(&master->sessions);
  sli_string_deinitialize(&master->trace);
  sli_mutex_unlock(&master->mutex);
  atomic_init(&reset->waiting, (int)sessions.count + 1);
  for (size_t i = 0; i < sessions.count; i++)
    sli_master_session_discard(sessions.items[i], session_closed_for_reset, reset);
  sli_array_deinitialize(&sessions);
  session_closed_for_reset(reset, NULL);
}

typedef struct {
  sli_env_t *env;
  sli_event_t event;
} closed_t;

static void set_closed(void *context, sli_status_t *status) {
  closed_t *closed = context;
  sli_status_release(status);
  closed->env->set(closed->env, &closed->event);
}

void sli_master_destroy(sli_master_t *master) {
  if (!master) return;
  sli_master_stop(master, sli_status_make_text(SLI_UNAVAILABLE, "The server is shutting down"));
  sli_mutex_lock(&master->mutex);
  master->destroying = master->creations != NULL;
  bool waits = master->destroying;
  sli_mutex_unlock(&master->mutex);
  if (waits) master->env->wait(master->env, &master->created, SLI_CLOCK_NO_DEADLINE);
  for (;;) {
    sli_mutex_lock(&master->mutex);
    sli_master_session_t *session = NULL;
    SLI_MAP_FOR_EACH (&master->sessions, entry) {
      session = entry->value;
      sli_map_remove(&master->sessions, sli_view_of(entry->key, entry->key_size));
      break;
    }
    sli_mutex_unlock(&master->mutex);
    if (!session) break;
    closed_t closed = {.env = master->env};
    sli_event_initialize(&closed.event);
    sli_master_session_discard(session, set_closed, &closed);
    master->env->wait(master->env, &closed.event, SLI_CLOCK_NO_DEADLINE);
    sli_event_deinitialize(&closed.event);
  }
  sli_map_deinitialize(&master->sessions);
  sli_string_deinitialize(&master->trace);
  sli_status_release(master->stopping);
  sli_event_deinitialize(&master->created);
  sli_mutex_deinitialize(&master->mutex);
  free(master);
}
