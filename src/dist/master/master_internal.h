// Shared by the files of the master: sessions (master.c, master_create.c), plans (master_plan.c), steps
// (master_step.c), partial runs (master_partial.c) and callables (master_callable.c).
//
// Lock order: master->mutex, then session->mutex, then a plan's. No callback runs under any of them.
#ifndef SLI_DIST_MASTER_MASTER_INTERNAL_H_
#define SLI_DIST_MASTER_MASTER_INTERNAL_H_

#include <stdatomic.h>

#include "base/map.h"
#include "dist/client/session_cluster.h"
#include "dist/master/master.h"
#include "runtime/place/partition.h"
#include "runtime/plan/optimize.h"
#include "runtime/plan/signature.h"
#include "runtime/plan/terminals.h"

typedef struct sli_master_session sli_master_session_t;
typedef struct sli_master_plan sli_master_plan_t;
typedef struct sli_master_creation sli_master_creation_t;  // master_create.c

// The part of a step that runs on one task.
typedef struct {
  sli_worker_client_t *client;
  sli_graph_t *graph;
  char *graph_handle;       // once registered
  SLI_ARRAY(size_t) feeds;  // indices in the signature
  SLI_ARRAY(size_t) fetches;
  SLI_ARRAY(char *) feed_keys;  // rendezvous keys, in the same order
  SLI_ARRAY(char *) fetch_keys;
} sli_master_part_t;

typedef void (*sli_master_plan_ready_t)(void *context, sli_status_t *status, sli_master_plan_t *plan);

// A caller that waits for a plan.
typedef struct {
  sli_master_plan_ready_t ready;
  void *context;
} sli_master_plan_waiter_t;

// The plan of one signature. Reference-counted. Built once, asynchronously; then immutable.
struct sli_master_plan {
  sli_refcount_t references;
  sli_env_t *env;
  SLI_ARRAY(sli_master_part_t) parts;
  int64_t collective_graph_key;  // 0: none
  size_t feed_count, fetch_count;
  sli_mutex_t mutex;
  // Under mutex: the callers that wait while it is being registered.
  bool ready;
  sli_status_t *status;
  int registering;
  SLI_ARRAY(sli_master_plan_waiter_t) waiters;
};

// A callable. Reference-counted; immutable.
typedef struct {
  sli_refcount_t references;
  int64_t id;
  sli_arena_t arena;  // of the names
  sli_signature_t signature;
  sli_string_t options;  // serialized RunOptions
} sli_master_callable_t;

// A partial run: one step whose feeds are given, and fetches requested, in several calls. Reference-counted.
typedef struct {
  sli_refcount_t references;
  char *handle;
  int64_t step_id;
  sli_master_plan_t *plan;
  char **feed_names, **fetch_names;     // in the plan's order
  sli_map_t feed_places, fetch_places;  // name → its first position + 1
  // Under the session's mutex.
  bool *fed, *fetched;
  size_t left;  // feeds and fetches not yet given or requested
} sli_master_partial_t;

// Work on a session's graph.
typedef struct {
  void (*run)(void *context);
  void (*then)(void *context);  // called afterwards, when others may use the graph; may be NULL
  void *context;
  bool is_long;  // |run| may take more than a moment
} sli_master_graph_work_t;

// A client's session. Reference-counted.
struct sli_master_session {
  sli_refcount_t references;
  sli_master_t *master;  // may be gone once the session is closed and at rest
  sli_env_t *env;
  char *handle;
  sli_string_t config;                 // serialized ConfigProto
  sli_string_t graph_options;          // its graph_options
  sli_session_cluster_t *own_cluster;  // of its cluster_def; NULL: the master's cluster
  sli_string_t cluster_def;            // serialized
  bool soft_placement, log_placement, isolate;
  bool bfloat16_transfers;  // values of type float go between tasks as bfloat16
  size_t graph_bytes;       // of the GraphDefs that it was made and extended with
  sli_optimize_options_t optimizer;
  char **filters;  // device_filters
  size_t filter_count;
  int64_t timeout_millis;
  sli_master_connection_t client;
  char *client_name;  // "ipv4:10.0.0.7" or "unix:pid 7"; NULL: this process
  bool listed;        // it is or was in the master's table; under the master's mutex
  sli_device_set_t devices;
  SLI_ARRAY(sli_worker_client_t *) clients;
  // Used by one piece of work at a time, without a lock (sli_master_use_graph).
  sli_graph_t *graph;
  int64_t graph_version;
  sli_mutex_t mutex;
  // Under mutex.
  bool graph_in_use;
  SLI_ARRAY(sli_master_graph_work_t) graph_works;  // those that wait for the graph, in order
  sli_map_t plans;                                 // signature key → sli_master_plan_t
  SLI_ARRAY(sli_master_callable_t *) callables;
  int64_t next_callable;
  sli_map_t partial_runs;  // handle → sli_master_partial_t
  int64_t next_partial_run;
  SLI_ARRAY(sli_cancellation_t *) running;
  int64_t steps;                  // started so far
  int64_t created_at, last_used;  // by env->now
  int64_t gone_since;             // when its client's connection was first found to be down; 0: it is up
  bool closed;
  // Called after close, once no step is running any more.
  sli_worker_client_done_t closed_done;
  void *closed_context;
};

struct sli_master {
  sli_env_t *env;
  const sli_cluster_t *cluster;
  sli_worker_t *worker;
  sli_worker_cache_t *cache;
  sli_master_options_t options;
  sli_event_t created;  // set when the master is being destroyed and |creations| is empty
  atomic_bool job_done;
  sli_tally_t tally;                                       // of steps
  atomic_int traces_wanted;                                // that many of the next steps
  void (*trace_done)(void *context, sli_view_t metadata);  // see sli_master_on_trace
  void *trace_context;
  atomic_bool scanned;  // the first session has looked for the devices of its tasks
  sli_mutex_t mutex;
  // Under mutex.
  int traces_pending;  // steps that are or will be traced for trace_done
  sli_string_t trace;  // the best of them so far
  sli_map_t sessions;
  sli_master_creation_t *creations;  // CreateSession calls in progress
  sli_status_t *stopping;            // why new sessions are rejected; NULL: they are not
  bool destroying;                   // |created| must be set when |creations| becomes empty
  sli_timer_t *orphan_timer;         // looks for sessions whose client is gone; NULL: no session to check
};

// master_trace.c: whether a step that begins must be traced; if so, sli_master_trace_offer must follow at its end, with
// its RunMetadata, or nothing if it failed.
bool sli_master_trace_takes(sli_master_t *master);
void sli_master_trace_offer(sli_master_t *master, sli_view_t metadata);

// The session's own cluster and cache if it has them, else the master's.
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
// Registers a call that a close must wait for, a step if |is_step|. FAILED_PRECONDITION once the session is closed.
sli_status_t *sli_master_session_begin_call(sli_master_session_t *session, sli_cancellation_t *cancellation,
                                            bool is_step);
void sli_master_session_end_call(sli_master_session_t *session, sli_cancellation_t *cancellation);

// Closes a session that is not in the master's table (any more). Consumes the reference.
void sli_master_session_discard(sli_master_session_t *session, sli_worker_client_done_t done, void *context);
// The callback of a session that was closed and is now at rest; NULL: something still runs, or it is open. The caller
// holds the mutex, and calls it without.
sli_worker_client_done_t sli_master_session_take_closed_locked(sli_master_session_t *session);
// Adds a new session to the master's table.
void sli_master_add_session(sli_master_t *master, sli_master_session_t *session);

// --- CreateSession (master_create.c) ---

// Adds |graph_def| to the session's graph, of which the caller has the use, and places it.
sli_status_t *sli_master_extend_graph(sli_master_session_t *session, sli_view_t graph_def);
// Fills session->clients: our own task always, and the others that the session's filters admit.
sli_status_t *sli_master_choose_clients(sli_master_session_t *session);
// Cancels all CreateSession calls in progress with |status|, which is borrowed.
void sli_master_cancel_creations(sli_master_t *master, sli_status_t *status);

// --- The use of a session's graph (master_graph.c) ---

// Runs |work| while it has the use of the session's graph and graph_version, possibly before this returns. Nothing
// waits on a thread of the network: long work, and what finds the graph in use, runs on another thread. The close of a
// session waits for |work.run|. The caller needs a reference only for the call.
void sli_master_use_graph(sli_master_session_t *session, sli_master_graph_work_t work);
// Whether work on a GraphDef of |size| bytes is long.
bool sli_master_is_long_graph_def(size_t size);
// Frees a graph and plans; on another thread if that takes long. Returns their memory to the system.
void sli_master_free_graph(sli_env_t *env, sli_graph_t *graph, sli_map_t *plans);

// Calls |ready| with the signature's plan and one reference to it, possibly before this returns. Builds the plan if it
// does not exist yet.
void sli_master_plan_get(sli_master_session_t *session, const sli_signature_t *signature, sli_master_plan_ready_t ready,
                         void *context);
void sli_master_plan_release(sli_master_plan_t *plan);

// --- Callables (master_callable.c) ---

void sli_master_callable_release(sli_master_callable_t *callable);

// --- Partial runs (master_partial.c) ---

void sli_master_partial_release(sli_master_partial_t *partial);
// Finds the partial run that |request| is a part of and marks the request's feeds and fetches as used. |out_feeds[i]|
// and |out_fetches[i]| are their indices in the plan (room for the request's counts). |*out_is_last|: all have been
// used. The caller owns a reference to |*out_partial|. INVALID_ARGUMENT for names that were not set up or are already
// used.
sli_status_t *sli_master_partial_take(sli_master_session_t *session, const sli_master_run_step_t *request,
                                      size_t *out_feeds, size_t *out_fetches, bool *out_is_last,
                                      sli_master_partial_t **out_partial);
// Removes a partial run that ended or failed from its session.
void sli_master_partial_drop(sli_master_session_t *session, sli_master_partial_t *partial);

// Copies of names; free with sli_master_names_free.
char **sli_master_names_copy(const char *const *names, size_t count);
void sli_master_names_free(char **names, size_t count);

#endif  // SLI_DIST_MASTER_MASTER_INTERNAL_H_
