// The master of this process: sessions with their graphs, and per signature of
// feeds, fetches and targets a plan: pruned, placed, partitioned by task,
// registered once on each task. What MasterService offers, as functions; the
// gRPC adapter (master_service.c) and in-process sessions call the same ones.
// All calls are asynchronous (see worker_client.h). Thread-safe.
#ifndef SLI_DIST_MASTER_H_
#define SLI_DIST_MASTER_H_

#include "core/env.h"
#include "dist/cluster.h"
#include "dist/worker.h"
#include "runtime/signature.h"

typedef struct sli_master sli_master_t;

typedef struct {
  int64_t wait_nanos;          // how long CreateSession waits for tasks; 0: as long as its caller does
  int64_t session_idle_nanos;  // until a session whose client is gone is closed; 0: never
} sli_master_options_t;

sli_status_t *sli_master_create(sli_env_t *env, const sli_cluster_t *cluster, sli_worker_t *worker,
                                sli_worker_cache_t *cache, const sli_master_options_t *options,
                                sli_master_t **out_master);
// Cancels all steps and closes all sessions first.
void sli_master_destroy(sli_master_t *master);

// Cancels every step that runs, with |status| (consumed): the server stops.
void sli_master_stop(sli_master_t *master, sli_status_t *status);
// The job is done and its tasks leave: a session of this process waits for one of them no longer than a moment, then it
// fails with CANCELLED. Those of other processes wait on, for the next job.
void sli_master_set_job_done(sli_master_t *master);
// What whoever waits for something of a job that is done is told.
sli_status_t *sli_master_job_is_done(void);
// Sessions that are open.
size_t sli_master_session_count(sli_master_t *master);

typedef void (*sli_handle_done_t)(void *context, sli_status_t *status, const char *handle, int64_t graph_version);

// The connection of whoever made a session.
typedef struct {
  void *link;  // NULL: a client of this process, which is never gone
  bool (*is_up)(void *link);
  void (*release)(void *link);
} sli_master_client_t;

typedef struct {
  sli_view_t graph_def, config;
  int64_t deadline;
  sli_cancellation_t *cancellation;  // the client went away or gave up; may be NULL
  sli_master_client_t client;        // taken
} sli_master_create_t;
// Waits for every task that the config's device_filters let through, saying who
// is missing while it does ("CreateSession still waiting for response from worker: …").
void sli_master_create_session(sli_master_t *master, const sli_master_create_t *request, sli_handle_done_t done,
                               void *context);
// ABORTED if |current_version| is stale; |handle| in |done| is unused.
void sli_master_extend_session(sli_master_t *master, const char *handle, sli_view_t graph_def, int64_t current_version,
                               sli_handle_done_t done, void *context);

typedef struct {
  const char *session_handle;
  const char *const *feed_names;  // "x:0"
  sli_tensor_t *const *feeds;     // borrowed until |done|
  size_t feed_count;
  const char *const *fetch_names;
  size_t fetch_count;
  const char *const *target_names;
  size_t target_count;
  const sli_tensor_connection_t *connections;  // of a callable
  size_t connection_count;
  sli_view_t options;          // serialized RunOptions
  const char *partial_handle;  // NULL: a whole step
  int64_t deadline;
  sli_cancellation_t *cancellation;  // the client went away or gave up; may be NULL
  bool want_metadata;
} sli_master_run_t;
// |fetches|: one reference each for the callee, in the order of fetch_names. |metadata|: serialized RunMetadata,
// borrowed.
typedef void (*sli_master_run_done_t)(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count,
                                      sli_view_t metadata);
void sli_master_run_step(sli_master_t *master, const sli_master_run_t *request, sli_master_run_done_t done,
                         void *context);
// Feeds (names only), fetches and targets of |request| are all that will ever be given or asked.
void sli_master_partial_run_setup(sli_master_t *master, const sli_master_run_t *request, sli_handle_done_t done,
                                  void *context);
// |callable_options|: serialized CallableOptions; the handle is a decimal number.
void sli_master_make_callable(sli_master_t *master, const char *session_handle, sli_view_t callable_options,
                              sli_handle_done_t done, void *context);
void sli_master_run_callable(sli_master_t *master, const char *session_handle, int64_t callable,
                             sli_tensor_t *const *feeds, size_t feed_count, sli_cancellation_t *cancellation,
                             sli_master_run_done_t done, void *context);
void sli_master_release_callable(sli_master_t *master, const char *session_handle, int64_t callable, sli_done_fn_t done,
                                 void *context);

// |remote| is empty but for a list without a session: then |local| is only our own task's.
typedef void (*sli_devices_done_t)(void *context, sli_status_t *status, const sli_device_set_t *local,
                                   const sli_device_set_t *remote);
// |session_handle| "": the devices of all tasks of the cluster, waiting for them as a new session does.
void sli_master_list_devices(sli_master_t *master, const char *session_handle, sli_devices_done_t done, void *context);
// Cancels the session's steps, drops its plans and worker sessions.
void sli_master_close_session(sli_master_t *master, const char *session_handle, sli_done_fn_t done, void *context);
void sli_master_reset(sli_master_t *master, const char *const *containers, size_t container_count,
                      const char *const *device_filters, size_t filter_count, sli_done_fn_t done, void *context);

#endif  // SLI_DIST_MASTER_H_
