// The master of this process: sessions with their graphs, and for each signature (feeds, fetches, targets) a plan: the
// graph pruned, placed, partitioned by task and registered once on each task. These functions are the methods of
// MasterService; the gRPC service (dist/service/master_service.c) and sessions of this process call them. All calls are
// asynchronous, as in worker_client.h: the callback runs exactly once, on any thread, possibly before the call returns.
// Thread-safe.
#ifndef SLI_DIST_MASTER_MASTER_H_
#define SLI_DIST_MASTER_MASTER_H_

#include "base/arena.h"
#include "base/tally.h"
#include "core/step/env.h"
#include "dist/cluster/cluster.h"
#include "dist/worker/worker.h"
#include "runtime/plan/signature.h"

typedef struct sli_master sli_master_t;

typedef struct {
  int64_t wait_nanos;          // how long CreateSession waits for tasks; 0: until its caller's deadline
  int64_t session_idle_nanos;  // how long a session stays open after its client's connection was lost; 0: for ever
  size_t max_sessions, max_client_sessions;  // open or being created: of all clients, and of one; 0: no limit
  size_t max_graph_bytes;                    // of the GraphDefs of one session; 0: no limit
} sli_master_options_t;

sli_status_t *sli_master_create(sli_env_t *env, const sli_cluster_t *cluster, sli_worker_t *worker,
                                sli_worker_cache_t *cache, const sli_master_options_t *options,
                                sli_master_t **out_master);
// Cancels all steps and closes all sessions first. Blocks.
void sli_master_destroy(sli_master_t *master);

// Cancels all running steps and session creations with |status| (consumed) and rejects new sessions. Called when the
// server stops.
void sli_master_stop(sli_master_t *master, sli_status_t *status);
// Notes that the job is done, so that its tasks will exit. From then on CreateSession calls of this process that wait
// for a task fail with CANCELLED after a few seconds. Those of other processes keep waiting: they may belong to the
// next job.
void sli_master_set_job_done(sli_master_t *master);
// The error of calls that wait for a task of a job that is done. New.
sli_status_t *sli_master_job_done_error(void);
// The number of open sessions.
size_t sli_master_session_count(sli_master_t *master);

typedef struct {
  char *handle;
  int64_t age_nanos, idle_nanos;  // idle_nanos is 0 while a step runs
  int64_t steps, running_steps;
} sli_master_session_info_t;
// Describes all open sessions; returns how many there are. The array and the handles are allocated in |arena|.
size_t sli_master_describe_sessions(sli_master_t *master, sli_arena_t *arena, sli_master_session_info_t **out_sessions);

// The steps of all sessions: how long they took, how they ended.
const sli_tally_t *sli_master_tally(const sli_master_t *master);

// Traces a few of the next steps of all sessions. |done| of sli_master_on_trace is then called, on any thread, with the
// serialized RunMetadata of the one with the most statistics; it is not if no step comes. Set it before the first step.
void sli_master_on_trace(sli_master_t *master, void (*done)(void *context, sli_view_t metadata), void *context);
void sli_master_trace_next(sli_master_t *master);

typedef void (*sli_master_handle_done_t)(void *context, sli_status_t *status, const char *handle,
                                         int64_t graph_version);

// The connection of the client that created a session.
typedef struct {
  void *link;        // NULL: the client is in this process and cannot be lost
  const char *peer;  // "ipv4:10.0.0.7:41234", borrowed for the call; NULL: in this process
  bool (*is_up)(void *link);
  void (*release)(void *link);
} sli_master_connection_t;

typedef struct {
  sli_view_t graph_def;  // borrowed until |done|
  sli_view_t config;
  int64_t deadline;
  sli_cancellation_t *cancellation;  // by the client; may be NULL
  sli_master_connection_t client;    // the master releases it
} sli_master_create_session_t;
// Waits for every task that the config's device_filters admit. Meanwhile it logs which tasks are missing
// ("CreateSession still waiting for response from worker: …"). RESOURCE_EXHAUSTED if the client, which is the host that
// it calls from or on this host its process, or all clients together have too many sessions.
void sli_master_create_session(sli_master_t *master, const sli_master_create_session_t *request,
                               sli_master_handle_done_t done, void *context);
// ABORTED if |current_version| is stale; |handle| in |done| is unused. |graph_def| is borrowed until |done|.
void sli_master_extend_session(sli_master_t *master, const char *handle, sli_view_t graph_def, int64_t current_version,
                               sli_master_handle_done_t done, void *context);

typedef struct {
  const char *session_handle;
  const char *const *feed_names;  // "x:0"; of a partial run, these, |feeds| and |fetch_names| are borrowed until |done|
  sli_tensor_t *const *feeds;
  size_t feed_count;
  const char *const *fetch_names;
  size_t fetch_count;
  const char *const *target_names;
  size_t target_count;
  const sli_signature_connection_t *connections;  // of a callable
  size_t connection_count;
  sli_view_t options;          // serialized RunOptions
  const char *partial_handle;  // NULL: a whole step
  int64_t deadline;
  sli_cancellation_t *cancellation;  // by the client; may be NULL
  bool want_metadata;
} sli_master_run_step_t;
// |fetches| are in the order of fetch_names; the callee owns one reference to each. |metadata| is a serialized
// RunMetadata, borrowed.
typedef void (*sli_master_run_done_t)(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count,
                                      sli_view_t metadata);
void sli_master_run_step(sli_master_t *master, const sli_master_run_step_t *request, sli_master_run_done_t done,
                         void *context);
// |request| names all feeds, fetches and targets that the parts of the run may give or request; its |feeds| are not
// used.
void sli_master_partial_run_setup(sli_master_t *master, const sli_master_run_step_t *request,
                                  sli_master_handle_done_t done, void *context);
// |callable_options| is a serialized CallableOptions. The handle is a decimal number.
void sli_master_make_callable(sli_master_t *master, const char *session_handle, sli_view_t callable_options,
                              sli_master_handle_done_t done, void *context);
void sli_master_run_callable(sli_master_t *master, const char *session_handle, int64_t callable,
                             sli_tensor_t *const *feeds, size_t feed_count, sli_cancellation_t *cancellation,
                             sli_master_run_done_t done, void *context);
void sli_master_release_callable(sli_master_t *master, const char *session_handle, int64_t callable,
                                 sli_worker_client_done_t done, void *context);

// With a session |local| has all devices and |remote| is empty. Without one |local| has those of our own task.
typedef void (*sli_master_devices_done_t)(void *context, sli_status_t *status, const sli_device_set_t *local,
                                          const sli_device_set_t *remote);
// If |session_handle| is "" it lists the devices of all tasks of the cluster and waits for them as CreateSession does.
void sli_master_list_devices(sli_master_t *master, const char *session_handle, sli_master_devices_done_t done,
                             void *context);
// Cancels the session's steps and deletes its worker sessions on all tasks.
void sli_master_close_session(sli_master_t *master, const char *session_handle, sli_worker_client_done_t done,
                              void *context);
void sli_master_reset(sli_master_t *master, const char *const *containers, size_t container_count,
                      const char *const *device_filters, size_t filter_count, sli_worker_client_done_t done,
                      void *context);

#endif  // SLI_DIST_MASTER_MASTER_H_
