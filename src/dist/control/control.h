// sluice.Control: what Sluice tasks tell each other and their users beyond TensorFlow's services. proto/control.proto
// has the messages. A stock peer answers UNIMPLEMENTED, which is not an error. Thread-safe.
//
//   Hello       who is there: version, features, clock; whether its list of tasks agrees with ours
//   JobDone     the training ended well
//   ModelReady  answered once this task's model is ready
//   Status      sessions, resources, traffic
//   Quorum      how many gradients accumulators wait for
//   EndInput    a step of a session fails with OUT_OF_RANGE, so that a stock trainer saves and ends
//   Chief       who the chief is; a task may claim to be it
//   Place       a place in the job for a process that joins it
//   Backup      copies of the variables of this task, for whoever takes its place
//   Trace       the timeline of a step of a session whose master is here
//   Ping        bytes there and back, at most 4 MiB back
#ifndef SLI_DIST_CONTROL_CONTROL_H_
#define SLI_DIST_CONTROL_CONTROL_H_

#include "core/step/env.h"
#include "dist/backup/backup.h"
#include "dist/cluster/cluster.h"
#include "dist/master/master.h"
#include "dist/worker/worker.h"
#include "proto/control.pb-c.h"
#include "rpc/loop.h"
#include "rpc/server.h"

typedef struct sli_control sli_control_t;

typedef struct {
  sli_env_t *env;
  sli_rpc_loop_t *loop;
  const sli_cluster_t *cluster;
  sli_worker_t *worker;
  sli_worker_cache_t *cache;
  sli_master_t *master;
  sli_backup_t *backup;
  // Called when the job is done, at least once, on any thread.
  void (*on_done)(void *context);
  void *context;
} sli_control_options_t;

// Fills in the status of this task, as Status reports it, in |arena|. On the polling thread.
void sli_control_fill_status(sli_control_t *control, sli_arena_t *arena, Sluice__StatusResponse *out_status);
// Adds a point to the curve |tag| of this task, such as "loss", for the status. At most 16 curves are kept.
void sli_control_report_scalar(sli_control_t *control, const char *tag, int64_t step, double value);

// What |options| point to must outlive the control.
sli_control_t *sli_control_create(const sli_control_options_t *options);
// Sets the servers whose connections Status reports. Call it once, before the first request. The array is borrowed.
void sli_control_set_servers(sli_control_t *control, sli_rpc_server_t *const *servers, size_t count);
// Answers all current and later ModelReady calls with |status| (consumed).
void sli_control_stop(sli_control_t *control, sli_status_t *status);
// Call it after a stop, when no announcement is in progress.
void sli_control_destroy(sli_control_t *control);
// Handles the request and returns true if it is for this service.
bool sli_control_service_handle(sli_control_t *control, sli_rpc_request_t *request);
// Whether the service has the method of this full name ("/sluice.Control/Hello").
bool sli_control_service_has(const char *method);

// Marks the job as done here and notifies every other task, the ps tasks last: the first of these also gets the names
// of the tasks that could not be reached. Blocks until all tasks have answered or cannot be reached, a few seconds at
// most. Do not call it from a callback of the loop.
void sli_control_announce_done(sli_control_t *control);
// Notifies again the tasks that could not be reached when the job ended. Returns the names of those that still cannot,
// which the caller frees; NULL if there are none. Blocks until |deadline| at most; do not call it from a callback of
// the loop.
char *sli_control_notify_unreached(sli_control_t *control, int64_t deadline);
bool sli_control_is_done(sli_control_t *control);
// Sets whether the model is ready; if so, answers all ModelReady calls.
void sli_control_set_model_ready(sli_control_t *control, bool ready);

// Tells all other tasks that this one is at its address: it may have taken the place of another process. Blocks until
// |deadline| at most; do not call it from a callback of the loop.
void sli_control_announce_address(sli_control_t *control, int64_t deadline);
// Where the task |index| of the cluster is now: at its address, unless another process has taken its place elsewhere.
// New.
char *sli_control_address(sli_control_t *control, size_t index);

// This task, "/job:ps/replica:0/task:0", and the number of this start.
const char *sli_control_task_name(const sli_control_t *control);
uint64_t sli_control_incarnation(const sli_control_t *control);

typedef struct {
  const sli_cluster_task_t *task;
  bool is_up, is_sluice;
  uint64_t incarnation;
  char *why;  // why it is not up; NULL if it is
} sli_control_member_t;
// Asks all tasks of the cluster at once and returns their number. |*out_members| is in the cluster's order; the caller
// passes it to sli_control_free_members. Blocks until |deadline| at most; do not call it from a callback of the loop.
size_t sli_control_ask_members(sli_control_t *control, int64_t deadline, sli_control_member_t **out_members);
void sli_control_free_members(sli_control_member_t *members, size_t count);
// For how many nanoseconds the chief, as this task has decided, has not claimed its place; -1: there is none.
int64_t sli_control_chief_silence(sli_control_t *control);

#endif  // SLI_DIST_CONTROL_CONTROL_H_
