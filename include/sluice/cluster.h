// Functions of a cluster of Sluice tasks that TensorFlow's services do not have:
// the status of each task, why a task cannot be reached, whether the model is ready
// and whether the job is done. They use a private gRPC service, sluice.Control, on
// the ports of the tasks. Stock TensorFlow tasks do not have it and report only what
// TensorFlow's services offer.
//
// All calls are thread-safe. Calls with a timeout block until the reply or the
// timeout (DEADLINE_EXCEEDED); 0 or less: no timeout. A target is "host:port" or
// "grpc://host:port".
#ifndef SLUICE_CLUSTER_H_
#define SLUICE_CLUSTER_H_

#pragma GCC system_header  // see sluice/export.h

#include <stdbool.h>
#include <stdint.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

// --- The job ---

// Notifies every task of |server|'s cluster that the training has ended without an
// error. Blocks until all have replied or cannot be reached. It is not an error if a
// task is gone: if it comes back later, the first ps task notifies it (see
// sl_cluster_join).
SL_EXPORT void sl_cluster_announce_done(TF_Server *server, TF_Status *status);

// Whether a task has announced the end. Does not block.
SL_EXPORT bool sl_cluster_is_done(TF_Server *server);

// Blocks until the server is stopped (TF_ServerStop) or the job is done. After the
// job is done it waits until all sessions on the server are closed and all tasks
// are notified, at most |grace_millis|. A task that could not be reached, and had not
// left in order, is notified as soon as it comes back.
SL_EXPORT void sl_cluster_join(TF_Server *server, int64_t grace_millis, TF_Status *status);

// Stops the server of a task that was asked to end, for example by a signal. A ps first
// lets its workers save: it waits until all sessions on it are closed or all clients
// have disconnected, at most |grace_millis|, and logs for whom it waits. Other tasks
// stop at once. Blocks; sl_cluster_join on another thread then returns.
SL_EXPORT void sl_cluster_leave(TF_Server *server, int64_t grace_millis, TF_Status *status);

typedef struct {
  size_t struct_size;
  const char *bind;     // the address to listen on ("0.0.0.0", "::1", a name); NULL: where the task's host resolves to
  int64_t wait_millis;  // how long a new session waits for its tasks; 0: 10 minutes, < 0: no limit
  int64_t
      session_idle_millis;  // close a session that is idle so long and has lost its client; 0: 5 minutes, < 0: never
  // Limits, beyond which calls fail with RESOURCE_EXHAUSTED; 0: the default, < 0: none.
  int64_t max_sessions;         // sessions, and as many worker sessions; 10,000
  int64_t max_client_sessions;  // sessions of one client: a host, or a process of this host; 1,000
  int64_t max_early_receives;   // RecvTensor calls that wait for steps that have not started here; 65,536
  int cpus;                     // CPU devices, "/cpu:0" to "/cpu:N-1"; 0: as |server_def| says, else 1
  // Limits for clients; 0: the default.
  int max_connections;           // more are closed at once; 20,000
  int64_t max_request_bytes;     // of one message; 4 GiB - 1, the most that gRPC can frame
  int64_t max_connection_bytes;  // of unanswered requests of one connection; 4 GiB
  int64_t max_server_bytes;      // of unanswered requests of all connections; three quarters of the memory
  int64_t max_unread_bytes;      // of replies that one client has not read; then its next requests wait. 256 MiB
  // Where to serve metrics and a page over HTTP: "9100" is a port of the loopback device, "0.0.0.0:9100" one of all
  // addresses; port 0: the system chooses. NULL: the environment variable SLUICE_HTTP; "": nowhere.
  const char *http;
  int64_t max_graph_bytes;  // of the GraphDefs of one session, beyond which its calls fail; 0: 2 GiB, < 0: no limit
  // Of the tensors of this process, beyond which ops fail with RESOURCE_EXHAUSTED; 0: the memory of the machine, or of
  // the control group.
  int64_t max_memory_bytes;
  // GPUs, "/gpu:0" to "/gpu:N-1"; 0: as |server_def| says, else all that there are, but none in a ps; < 0: none.
  int gpus;
} sl_cluster_server_options_t;

// Creates a server, as TF_NewServer does. |options| may be NULL.
SL_EXPORT TF_Server *sl_cluster_new_server(const void *server_def, size_t size,
                                           const sl_cluster_server_options_t *options, TF_Status *status);

// For the chief: declares that the model is initialised or restored (or, with false,
// that it no longer is). Tasks that wait for it continue. Does not block.
SL_EXPORT void sl_cluster_set_model_ready(TF_Server *server, bool ready);

// For the other tasks: blocks until the task |chief| ("host:port") reports that its
// model is ready. Keeps trying while the chief is not up or restarts. UNIMPLEMENTED if
// the chief is a stock task: check the variables instead. CANCELLED if the job is done
// before that.
SL_EXPORT void sl_cluster_wait_model_ready(const char *chief, int64_t timeout_millis, TF_Status *status);

// --- Members and quorum ---

typedef struct {
  const char *job;
  int index;
  const char *address;
  bool is_up;            // it replied
  bool is_sluice;        // false: a stock task
  uint64_t incarnation;  // changes with every start; 0: unknown
  const char *why;       // why it is not up; "" if it is
} sl_member_t;

typedef struct {
  sl_member_t *members;  // sorted by job, then index; includes this task
  size_t count;
} sl_members_t;

// Calls every task of |server|'s cluster, all at once. A task that does not reply within
// the timeout is not up. Free the result with sl_members_free.
SL_EXPORT sl_members_t *sl_cluster_members(TF_Server *server, int64_t timeout_millis, TF_Status *status);
SL_EXPORT void sl_members_free(sl_members_t *members);

// Sets how many gradients the accumulators named |name| (NULL: all of the container)
// on the task |target| need, instead of the number that TakeGradient ops request; 0:
// as requested. Ops that wait are served at once if there are enough gradients.
// |container| NULL: the default one. Returns the number of accumulators; NOT_FOUND if
// there are none.
SL_EXPORT int sl_cluster_set_quorum(const char *target, const char *container, const char *name, int64_t quorum,
                                    int64_t timeout_millis, TF_Status *status);

// --- Tasks at other addresses ---

// Asks the first ps, at |target|, for a place in the job: one of the |count| tasks |indices| of |job|, which the caller
// has found not to run. The ps gives no place twice within 30 s. Returns its index; -1 on failure, RESOURCE_EXHAUSTED
// if others have got them all.
SL_EXPORT int sl_cluster_take_place(const char *target, const char *job, const int32_t *indices, size_t count,
                                    int64_t timeout_millis, TF_Status *status);

// Tells all other tasks of the cluster that this one is at its address, in case that it takes the place of a process at
// another one. Blocks for |timeout_millis| at most.
SL_EXPORT void sl_cluster_announce_address(TF_Server *server, int64_t timeout_millis);
// Where the task is now: at its address in the cluster, or where its successor has announced to be. The caller frees
// it; NULL if there is no such task.
SL_EXPORT char *sl_cluster_task_address(TF_Server *server, const char *job, int index);

// --- Backups ---

// A ps task at |target| can back up its variables, so that another process can continue in its place. Versions are in
// |directory|, an absolute path that the task sees, in a folder for each task. A stock task replies UNIMPLEMENTED.

// Takes a version of all variables of the task, as of |global_step|; it is written after the reply. Returns false if
// the version before is still being written, or on failure.
SL_EXPORT bool sl_cluster_backup(const char *target, const char *directory, int64_t global_step, int64_t timeout_millis,
                                 TF_Status *status);
// The steps of the versions that the task has, ascending; the caller frees |*out_steps|. Returns their number.
SL_EXPORT size_t sl_cluster_backups(const char *target, const char *directory, int64_t timeout_millis,
                                    int64_t **out_steps, TF_Status *status);
// Lets the task give its variables the values of the version |global_step|. DATA_LOSS if it is damaged; then nothing
// has changed. Later versions are deleted.
SL_EXPORT void sl_cluster_restore_backup(const char *target, const char *directory, int64_t global_step,
                                         int64_t timeout_millis, TF_Status *status);

// Ends the input of a trainer that is not Sluice's: a step of the sessions whose master is
// the task |task| ("/job:worker/replica:0/task:1") fails with OUT_OF_RANGE on the ps task
// |target|. TensorFlow's MonitoredTrainingSession then saves and ends, as at the end of its
// data. The next step fails; with |interrupt|, in a later call, those that began before the
// first call and still run. Returns the number of these sessions; UNIMPLEMENTED if |target|
// is a stock task.
SL_EXPORT int sl_cluster_end_input(const char *target, const char *task, bool interrupt, int64_t timeout_millis,
                                   TF_Status *status);

// --- The chief ---

typedef struct {
  bool is_known;       // somebody has claimed to be the chief; the fields below are "" and 0 otherwise
  bool is_this;        // it is |server|'s task
  char task[128];      // "/job:worker/task:0"
  double silent_secs;  // since it claimed last
  char former[128];    // the task that it has replaced; "": none
} sl_chief_status_t;

// Asks the ps task |target|, which must be the same one for all tasks of a job, who the chief is. With |claim| the task
// of |server| asks to be it, and gets the place if it has it already, if the chief has not claimed for |lost_secs|, or,
// with |is_first|, if there is no chief. A chief claims every few seconds. Exactly one task has the place at a time.
// False, with an error in |status|, without a reply: UNIMPLEMENTED if |target| is a stock task.
SL_EXPORT bool sl_cluster_chief(TF_Server *server, const char *target, bool claim, bool is_first, double lost_secs,
                                int64_t timeout_millis, sl_chief_status_t *out_chief, TF_Status *status);

// --- The status of a task ---

typedef struct {
  const char *job;
  int index;
  const char *address;
} sl_task_address_t;

typedef struct {
  const char *name, *type;
  uint64_t incarnation;
  int64_t memory_limit;
} sl_device_status_t;

typedef struct {
  const char *handle;
  bool is_master;           // this task is the master of the session, not only a worker
  const char *master_task;  // "" if unknown
  double age, idle;         // seconds
  int64_t steps, running_steps;
  double steps_per_second;  // 0 without an interval
} sl_session_status_t;

typedef struct {
  const char *container, *name;
  TF_DataType dtype;
  bool is_initialized;
  int rank;  // -1: unknown
  const int64_t *dims;
  int64_t bytes;
} sl_variable_status_t;

typedef struct {
  const char *container, *name, *kind;  // "FIFOQueue", "RandomShuffleQueue" …
  int64_t size, capacity;               // -1: unbounded
  bool is_closed;
  int64_t waiting_enqueues, waiting_dequeues;
} sl_queue_status_t;

typedef struct {
  const char *container, *name;
  int64_t accumulated;      // gradients since the last take
  int64_t required;         // by the TakeGradient op that waits; 0: none waits
  int64_t quorum;           // see sl_cluster_set_quorum
  int64_t global_step;      // gradients of earlier steps are stale
  int64_t accepted, stale;  // gradients since the task started
} sl_accumulator_status_t;

typedef struct {
  const char *name;     // of its task; "" if unknown
  const char *address;  // "host:port", or the address it connected from
  bool is_incoming;     // true: the peer called this task; false: this task called the peer
  int64_t calls, bytes_sent, bytes_received;
  double calls_per_second, sent_per_second, received_per_second;  // 0 without an interval
  int64_t waiting;                                                // calls that are not answered yet
} sl_peer_status_t;

// What was done since the task started.
typedef struct {
  // "step": shares of steps that ran on the task; "session_step": whole steps of sessions whose master it is; "save"
  // and "restore": of checkpoints, one for each SaveV2 and RestoreV2.
  const char *name;
  int64_t count;
  double seconds;         // in total
  int64_t bytes;          // of checkpoints, in total
  const int64_t *errors;  // by TF_Code
  size_t error_count;
} sl_tally_status_t;

// A curve that the program of the task reports, see sl_cluster_report_scalar: some hundred points, evenly thinned out.
typedef struct {
  const char *tag;
  const int64_t *steps;
  const double *values;
  const double *times;  // seconds since 1970, by the task's clock
  size_t count;
} sl_scalar_status_t;

// Tensors that the graphs on the task send to another one.
typedef struct {
  const char *task;
  int64_t tensors;
} sl_placement_edge_t;

typedef struct {
  const char *address;  // the target of the call
  const char *task;     // "/job:ps/replica:0/task:0"
  const char *job;
  int index;
  bool is_sluice;  // false: a stock server; of the fields below only incarnation, round_trip and devices are set
  const char *version;
  const char *const *features;
  size_t feature_count;
  uint64_t incarnation;  // changes with every start
  double uptime;         // seconds
  int64_t wall_micros;   // the clock of the task when it replied
  double clock_skew;     // its clock minus ours, in seconds; accurate to half the round trip
  double round_trip;     // seconds
  int64_t memory_bytes;  // resident
  int thread_count;
  bool is_job_done, is_model_ready;
  int64_t steps, running_steps;    // in which this task took part
  double steps_per_second;         // 0 without an interval
  const sl_task_address_t *tasks;  // the whole cluster, as the task knows it
  size_t task_count;
  const sl_device_status_t *devices;
  size_t device_count;
  const sl_session_status_t *sessions;
  size_t session_count;
  const sl_variable_status_t *variables;
  size_t variable_count;
  const sl_queue_status_t *queues;
  size_t queue_count;
  const sl_accumulator_status_t *accumulators;
  size_t accumulator_count;
  const sl_peer_status_t *peers;
  size_t peer_count;
  int64_t global_step;             // of the variable "global_step"; -1: it is not on this task, or not initialised
  double global_steps_per_second;  // 0 without an interval
  const sl_tally_status_t *tallies;
  size_t tally_count;
  const sl_scalar_status_t *scalars;
  size_t scalar_count;
  int64_t graph_nodes;  // of the graphs that sessions have registered on the task
  const sl_placement_edge_t *edges;
  size_t edge_count;
} sl_task_status_t;

// Reads the status of the task at |target|. With an interval it calls the task twice,
// so many milliseconds apart, and computes the rates. NULL, with an error in |status|,
// if the task does not reply; sl_cluster_probe finds out why. Free the result with
// sl_task_status_free.
SL_EXPORT sl_task_status_t *sl_cluster_status(const char *target, int64_t timeout_millis, int64_t interval_millis,
                                              TF_Status *status);
SL_EXPORT void sl_task_status_free(sl_task_status_t *status);

// The status of all tasks of the cluster that the task at |target| belongs to, as `sluice status --json` prints it:
// {"tasks": […]}. That task is the first; tasks that do not reply have "up": false, "why", and "lasting": true if it is
// of no use to try again. The others are called at the same time. Blocks. Free it with TF_DeleteBuffer.
SL_EXPORT TF_Buffer *sl_cluster_report(const char *target, int64_t timeout_millis, int64_t interval_millis);

// Traces one of the next steps of sessions whose master is |task| ("worker 0") of the cluster that the task at |target|
// belongs to, and returns it for Chrome's trace viewer, with the clocks of all tasks corrected. DEADLINE_EXCEEDED if no
// step has ended by then; UNIMPLEMENTED if it is a stock task. Blocks. Free it with TF_DeleteBuffer.
SL_EXPORT TF_Buffer *sl_cluster_trace(const char *target, const char *task, int64_t timeout_millis, TF_Status *status);

// Adds a point to the curve |tag| ("loss") that the status of this task shows. Of at most 16 curves. Sessions of
// sluice/train.h report the loss of their progress by themselves.
SL_EXPORT void sl_cluster_report_scalar(TF_Server *server, const char *tag, int64_t step, double value);

// A page that shows a cluster in a browser, and stays up to date.
typedef struct sl_cluster_page sl_cluster_page_t;
// Serves the page of the cluster that the task at |target| belongs to. |address|: "9100", or "0.0.0.0:9100" for other
// hosts. NULL, with an error in |status|, if it cannot listen there.
SL_EXPORT sl_cluster_page_t *sl_cluster_serve_page(const char *target, const char *address, TF_Status *status);
SL_EXPORT const char *sl_cluster_page_url(const sl_cluster_page_t *page);  // "http://localhost:9100/"
SL_EXPORT void sl_cluster_page_free(sl_cluster_page_t *page);              // NULL is fine

// --- Why a task cannot be reached ---

typedef enum {
  SL_PROBE_OK,
  SL_PROBE_BAD_ADDRESS,  // not of the form host:port
  SL_PROBE_DNS,          // the host name cannot be resolved
  SL_PROBE_REFUSED,      // connection refused: no process listens there
  SL_PROBE_UNREACHABLE,  // there is no route to the host
  SL_PROBE_TIMEOUT,      // no reply: a firewall, or a stopped process
  SL_PROBE_NOT_HTTP2,    // another kind of server listens there, for example HTTP/1
  SL_PROBE_NOT_GRPC,     // an HTTP/2 server without gRPC
  SL_PROBE_NOT_TASK,     // a gRPC server, but no TensorFlow task
  SL_PROBE_WRONG_TASK,   // a task, but another job or index than expected
  SL_PROBE_DENIED,       // TLS or the token: it does not accept us, or we do not accept it
} sl_probe_stage_t;

typedef struct {
  sl_probe_stage_t failed_at;  // the first stage that failed; SL_PROBE_OK: none
  const char *why;             // one line of explanation; "" if there is no problem
  const char *address;         // without "grpc://"
  const char *task;            // the task that replied, "/job:ps/replica:0/task:0"; "" if none did
  bool is_sluice;
  const char *version;      // of Sluice; "" for a stock server
  double clock_skew;        // its clock minus ours, in seconds; 0 for a stock server
  double round_trip;        // of the fastest of several calls, in seconds
  double bytes_per_second;  // of a large message in both directions; 0: not measured, or a stock server
  const char *proxy;        // the environment variable "http_proxy=…" that is set and ignored; "" if none
  uint64_t incarnation;     // changes with every start of the task; 0: no reply. Two addresses with the same one are
                            // the same process
} sl_probe_t;

// Tries to reach the task at |address| and reports the first step that fails.
// |expected_job| NULL: any task is accepted. |payload_bytes| is the size of the message
// that measures the throughput; 0: do not measure it. Never NULL; free it with
// sl_probe_free.
SL_EXPORT sl_probe_t *sl_cluster_probe(const char *address, const char *expected_job, int expected_index,
                                       int64_t timeout_millis, int64_t payload_bytes);
SL_EXPORT void sl_probe_free(sl_probe_t *probe);

SL_END_DECLS

#endif  // SLUICE_CLUSTER_H_
