// Shared by the files of the master: sessions (master.c), the plans of their
// signatures (master_plan.c) and steps (master_step.c).
//
// Locks: master->mutex, then session->mutex, then a step's; no callback runs
// under any of them.
#ifndef SLI_DIST_MASTER_INTERNAL_H_
#define SLI_DIST_MASTER_INTERNAL_H_

#include <stdatomic.h>

#include "base/map.h"
#include "dist/master.h"
#include "dist/session_cluster.h"
#include "runtime/optimize.h"
#include "runtime/partition.h"
#include "runtime/signature.h"
#include "runtime/terminals.h"

typedef struct sli_master_session sli_master_session_t;
typedef struct sli_master_plan sli_master_plan_t;
typedef struct sli_creation sli_creation_t;  // master_create.c

// A step's share on one task.
typedef struct {
  sli_worker_client_t *client;
  sli_graph_t *graph;
  char *graph_handle;       // once registered
  SLI_ARRAY(size_t) feeds;  // positions in the signature
  SLI_ARRAY(size_t) fetches;
  SLI_ARRAY(char *) feed_keys;  // rendezvous keys, in the same order
  SLI_ARRAY(char *) fetch_keys;
} sli_master_part_t;

typedef void (*sli_plan_ready_t)(void *context, sli_status_t *status, sli_master_plan_t *plan);

// What one signature needs. Counted. Built once, asynchronously; then immutable.
struct sli_master_plan {
  sli_refcount_t references;
  SLI_ARRAY(sli_master_part_t) parts;
  size_t feed_count, fetch_count;
  sli_mutex_t mutex;
  // Under mutex: who waits while it is being registered.
  bool ready;
  sli_status_t *status;
  int registering;
  SLI_ARRAY(struct {
    sli_plan_ready_t ready;
    void *context;
  })
  waiters;
};

// A callable. Counted; immutable.
typedef struct {
  sli_refcount_t references;
  int64_t id;
  sli_arena_t arena;  // of the names
  sli_signature_t signature;
  sli_string_t options;  // serialized RunOptions
} sli_callable_t;

// A partial run: one step whose feeds are given, and fetches asked for, in several
// calls. Counted.
typedef struct {
  sli_refcount_t references;
  char *handle;
  int64_t step_id;
  sli_master_plan_t *plan;
  char **feed_names, **fetch_names;  // in the plan's order
  // Under the session's mutex.
  bool *fed, *fetched;
  size_t left;  // feeds and fetches still to come
} sli_partial_run_t;

// A client's session. Counted.
struct sli_master_session {
  sli_refcount_t references;
  sli_master_t *master;
  char *handle;
  sli_string_t config;                 // serialized ConfigProto
  sli_string_t graph_options;          // its graph_options
  sli_session_cluster_t *own_cluster;  // of its cluster_def; NULL: the master's cluster
  sli_string_t cluster_def;            // serialized
  bool soft_placement, log_placement, isolate;
  sli_optimizer_options_t optimizer;
  char **filters;  // device_filters
  size_t filter_count;
  int64_t timeout_millis;
  sli_master_client_t client;
  sli_device_set_t devices;
  SLI_ARRAY(sli_worker_client_t *) clients;
  sli_mutex_t mutex;
  // Under mutex.
  sli_graph_t *graph;
  int64_t graph_version;
  sli_map_t plans;  // signature key → sli_master_plan_t
  SLI_ARRAY(sli_callable_t *) callables;
  int64_t next_callable;
  sli_map_t partial_runs;  // handle → sli_partial_run_t
  int64_t next_partial_run;
  SLI_ARRAY(sli_cancellation_t *) running;
  int64_t steps;                  // that began
  int64_t created_at, last_used;  // by env->now
  int64_t gone_since;             // when its client was first found to be gone; 0: it is there
  bool closed;
  // Called once no step runs any more, after close.
  sli_done_fn_t closed_done;
  void *closed_context;
};

struct sli_master {
  sli_env_t *env;
  const sli_cluster_t *cluster;
  sli_worker_t *worker;
  sli_worker_cache_t *cache;
  sli_master_options_t options;
  sli_event_t created;  // destroying, and no session is being made any more
  atomic_bool job_done;
  sli_mutex_t mutex;
  // Under mutex.
  sli_map_t sessions;
  sli_creation_t *creations;  // sessions being made
  sli_status_t *stopping;     // why no more are made; NULL: they are
  bool destroying;            // |created| is set when |creations| gets empty
  sli_timer_t *patrol;        // looks for sessions without a client; NULL: there are none
};

// The session's own, or the master's.
static inline const sli_cluster_t *sli_master_session_cluster(const sli_master_session_t *session) {
  return session->own_cluster ? &session->own_cluster->cluster : session->master->cluster;
}
static inline sli_worker_cache_t *sli_master_session_cache(const sli_master_session_t *session) {
  return session->own_cluster ? session->own_cluster->cache : session->master->cache;
}

sli_master_session_t *sli_master_session_retain(sli_master_session_t *session);
void sli_master_session_release(sli_master_session_t *session);
// ABORTED "Session … is not found. Possibly, this master has restarted."
sli_status_t *sli_master_find_session(sli_master_t *master, const char *handle, sli_master_session_t **out_session);
// Counts a step in: CANCELLED once the session is closed.
sli_status_t *sli_master_session_begin(sli_master_session_t *session, sli_cancellation_t *cancellation);
void sli_master_session_end(sli_master_session_t *session, sli_cancellation_t *cancellation);

// Closes a session that is in no table; consumes the reference.
void sli_master_session_discard(sli_master_session_t *session, sli_done_fn_t done, void *context);
// Enters a finished session into the master's table.
void sli_master_add_session(sli_master_t *master, sli_master_session_t *session);

// --- CreateSession (master_create.c) ---

// Adds |graph_def| to the session's graph and places it. The session's mutex is held.
sli_status_t *sli_master_extend_graph_locked(sli_master_session_t *session, sli_view_t graph_def);
// Fills session->clients: our own task always, and the others that the session's filters let through.
sli_status_t *sli_master_choose_clients(sli_master_session_t *session);
// Ends the making of sessions with |status|, borrowed.
void sli_master_cancel_creations(sli_master_t *master, sli_status_t *status);

// Calls |ready| with the signature's plan (one reference), building it first if
// need be; possibly before it returns.
void sli_master_plan_get(sli_master_session_t *session, const sli_signature_t *signature, sli_plan_ready_t ready,
                         void *context);
void sli_master_plan_release(sli_master_plan_t *plan);

// --- Callables (master_callable.c) ---

void sli_callable_release(sli_callable_t *callable);

// --- Partial runs (master_partial.c) ---

void sli_partial_run_release(sli_partial_run_t *partial);
// The part of a partial run that |request| is: marks its feeds and fetches as
// given. |out_feeds[i]| and |out_fetches[i]| are their places in the plan's order
// (room for the request's counts); |*out_is_last|: nothing is left to come. A
// reference for the caller. INVALID_ARGUMENT for names that were not set up or were given before.
sli_status_t *sli_partial_run_take(sli_master_session_t *session, const sli_master_run_t *request, size_t *out_feeds,
                                   size_t *out_fetches, bool *out_is_last, sli_partial_run_t **out_partial);
// Forgets a partial run that ended or failed.
void sli_partial_run_drop(sli_master_session_t *session, sli_partial_run_t *partial);

// Copies of names; free with sli_names_free.
char **sli_names_copy(const char *const *names, size_t count);
void sli_names_free(char **names, size_t count);

#endif  // SLI_DIST_MASTER_INTERNAL_H_
