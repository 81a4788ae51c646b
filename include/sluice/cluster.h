// What a cluster of Sluice tasks can do beyond TensorFlow's services: say how each
// task is, why one cannot be reached, that the model is ready and that the job is
// done. It goes through a private gRPC service, sluice.Control, on the tasks' own
// ports; a stock TensorFlow task does not know it and tells what its own services offer.
//
// All calls are thread-safe. Those that take a timeout block until the answer or
// the timeout (DEADLINE_EXCEEDED); 0 or less waits for ever. A target is
// "host:port" or "grpc://host:port".
#ifndef SLUICE_CLUSTER_H_
#define SLUICE_CLUSTER_H_

#include <stdbool.h>
#include <stdint.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

// --- The job ---

// Tells every task of |server|'s cluster that the training ended well. Waits
// until all have heard it or cannot be reached; a task that is gone is no error:
// if it comes back late, the first ps task tells it (see sl_cluster_join).
SL_EXPORT void sl_cluster_announce_done(TF_Server *server, TF_Status *status);

// Whether some task announced the end. Cheap; any thread.
SL_EXPORT bool sl_cluster_is_done(TF_Server *server);

// Blocks until the server was stopped (TF_ServerStop), or the job is done and
// then either |grace_millis| have passed or all sessions on the server are closed and
// no task is missing: one that the end found neither there nor gone in order is told
// as soon as it comes.
SL_EXPORT void sl_cluster_join(TF_Server *server, int64_t grace_millis, TF_Status *status);

typedef struct {
  size_t struct_size;
  const char *bind;             // listen here ("0.0.0.0", "::1", a name); NULL: on the task's address in the cluster
  int64_t wait_millis;          // how long a new session waits for its tasks; 0: 10 minutes, < 0: without end
  int64_t session_idle_millis;  // until an idle session whose client is gone is closed; 0: 5 minutes, < 0: never
} sl_cluster_server_options_t;

// Makes a server as TF_NewServer does. |options| may be NULL.
SL_EXPORT TF_Server *sl_cluster_new_server(const void *server_def, size_t size,
                                           const sl_cluster_server_options_t *options, TF_Status *status);

// The chief: the model is initialised or restored (or, with false, it is not any
// more). Whoever waits for it on another task goes on. Cheap.
SL_EXPORT void sl_cluster_set_model_ready(TF_Server *server, bool ready);

// The others: waits until the task |chief| ("host:port") says that its model is
// ready. Survives a chief that is not up yet or restarts. UNIMPLEMENTED if it is a stock
// task: look at the variables instead. CANCELLED if the job is done before that.
SL_EXPORT void sl_cluster_wait_model_ready(const char *chief, int64_t timeout_millis, TF_Status *status);

// --- Members and quorum ---

typedef struct {
  const char *job;
  int index;
  const char *address;
  bool is_up;            // answered
  bool is_sluice;        // false: a stock task
  uint64_t incarnation;  // changes with every start; 0: unknown
  const char *why;       // it is not up; "" if it is
} sl_member_t;

typedef struct {
  sl_member_t *members;  // by job, then index; this task too
  size_t count;
} sl_members_t;

// Asks every task of |server|'s cluster, all at once; who does not answer within
// the timeout is not up. Free with sl_members_free.
SL_EXPORT sl_members_t *sl_cluster_members(TF_Server *server, int64_t timeout_millis, TF_Status *status);
SL_EXPORT void sl_members_free(sl_members_t *members);

// From now on the accumulators named |name| (NULL: all of the container) on the
// task |target| need |quorum| gradients, whatever their takes ask for; 0: as they
// ask. Takes that wait are served at once if there are enough. |container| NULL: the
// default one. Returns how many accumulators it reached; NOT_FOUND if none.
SL_EXPORT int sl_cluster_set_quorum(const char *target, const char *container, const char *name, int64_t quorum,
                                    int64_t timeout_millis, TF_Status *status);

// --- How a task is ---

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
  bool is_master;           // this task is its master, not just one of its workers
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
  int64_t required;         // by the take that waits; 0: none waits
  int64_t quorum;           // see sl_cluster_set_quorum
  int64_t global_step;      // gradients of earlier steps are stale
  int64_t accepted, stale;  // gradients since the start
} sl_accumulator_status_t;

typedef struct {
  const char *name;     // of its task; "" if unknown
  const char *address;  // "host:port", or where it called from
  bool is_incoming;     // it called this task; else this task called it
  int64_t calls, bytes_sent, bytes_received;
  double calls_per_second, sent_per_second, received_per_second;  // 0 without an interval
} sl_peer_status_t;

typedef struct {
  const char *address;  // as asked
  const char *task;     // "/job:ps/replica:0/task:0"
  const char *job;
  int index;
  bool is_sluice;  // false: a stock server; all below is empty but incarnation, round_trip and devices
  const char *version;
  const char *const *features;
  size_t feature_count;
  uint64_t incarnation;  // changes with every start
  double uptime;         // seconds
  int64_t wall_micros;   // the task's clock when it answered
  double clock_skew;     // its clock minus ours, seconds, give or take half the round trip
  double round_trip;     // seconds
  int64_t memory_bytes;  // resident
  int thread_count;
  bool is_job_done, is_model_ready;
  int64_t steps, running_steps;    // that this task took part in
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
} sl_task_status_t;

// Asks the task at |target|. With an interval it asks twice, so many milliseconds
// apart, and fills in the rates. NULL with |status| set if the task does not answer: then
// sl_cluster_probe says why. Free with sl_task_status_free.
SL_EXPORT sl_task_status_t *sl_cluster_status(const char *target, int64_t timeout_millis, int64_t interval_millis,
                                              TF_Status *status);
SL_EXPORT void sl_task_status_free(sl_task_status_t *status);

// --- Why a task cannot be reached ---

typedef enum {
  SL_PROBE_OK,
  SL_PROBE_BAD_ADDRESS,  // not of the form host:port
  SL_PROBE_DNS,          // the host's name means nothing here
  SL_PROBE_REFUSED,      // nobody listens there
  SL_PROBE_UNREACHABLE,  // no way to the host
  SL_PROBE_TIMEOUT,      // no answer at all: a firewall, a stopped process
  SL_PROBE_NOT_HTTP2,    // something else listens there, an HTTP/1 server for example
  SL_PROBE_NOT_GRPC,     // an HTTP/2 server, but none of gRPC
  SL_PROBE_NOT_TASK,     // a gRPC server, but no TensorFlow task
  SL_PROBE_WRONG_TASK,   // a task, but another job or index than expected
} sl_probe_stage_t;

typedef struct {
  sl_probe_stage_t failed_at;  // the first stage that failed; SL_PROBE_OK: none
  const char *why;             // one line for people; "" if all is well
  const char *address;         // as asked, without "grpc://"
  const char *task;            // who answered, "/job:ps/replica:0/task:0"; "" if nobody
  bool is_sluice;
  const char *version;      // of Sluice; "" for a stock server
  double clock_skew;        // its clock minus ours, seconds; 0 for a stock server
  double round_trip;        // of the quickest of some calls, seconds
  double bytes_per_second;  // of a large message there and back; 0: not measured, or a stock server
  const char *proxy;        // "http_proxy=…" that is set and ignored; "" if none
  uint64_t incarnation;     // of who answered, changes with every start; 0 if nobody. The same twice: one process
} sl_probe_t;

// Tries to reach the task at |address| and says how far it came. |expected_job|
// NULL: whoever answers is fine. |payload_bytes|: how much to send for the
// throughput; 0: do not measure it. Never NULL; free with sl_probe_free.
SL_EXPORT sl_probe_t *sl_cluster_probe(const char *address, const char *expected_job, int expected_index,
                                       int64_t timeout_millis, int64_t payload_bytes);
SL_EXPORT void sl_probe_free(sl_probe_t *probe);

SL_END_DECLS

#endif  // SLUICE_CLUSTER_H_
