// Synchronous training with replicas, as tf.train.SyncReplicasOptimizer: workers
// add their gradients to accumulators on the ps tasks, one per variable. The chief
// takes the mean of |replicas_to_aggregate| gradients, applies it and enqueues
// tokens, one for the next step of each worker. Nodes and names are Python's, so
// that C and Python workers can train together.
//
//   sl_optimizer_t *optimizer = sl_sync_replicas(g, sl_adam(g, 0.001), server);
//   TF_Operation *train = sl_minimize(g, optimizer, loss, .global_step = step);
//
// sl_monitored_training_session() does the rest: it initialises, runs the chief's
// part in a thread, wakes workers that wait for a token when the training ends, and
// reports which workers are missing when a step stalls (stall_secs).
#ifndef SLUICE_SYNC_REPLICAS_H_
#define SLUICE_SYNC_REPLICAS_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/optimizer.h"
#include "sluice/queue_runner.h"
#include "sluice/server.h"
#include "sluice/supervisor.h"

SL_BEGIN_DECLS

typedef struct {
  size_t struct_size;
  const char *name;           // NULL: "sync_replicas"
  int replicas_to_aggregate;  // gradients per step. 0: one for each replica
  int total_num_replicas;     // 0: the workers and the chief of |server|'s cluster. If larger than
                              // replicas_to_aggregate, the slowest workers are backups whose late gradients are
                              // dropped. If smaller, each worker contributes several gradients to a step
  int num_tokens;             // tokens that the chief enqueues at the start. 0: replicas_to_aggregate, one less in a
                              // program that runs alone, none with strict; < 0: none
  int replica_id;             // the number of this worker + 1. 0: from its task: the chief first, then the workers
  bool use_locking;           // for the variables that this optimizer updates itself
  bool strict;                // a step takes one gradient from each worker; in TensorFlow all may come from one worker.
                              // Needs replicas_to_aggregate <= total_num_replicas; for C workers only
  double stall_secs;  // report missing workers after so long without a step, then less and less often. 0: 8; < 0: never
  // A worker that has not answered for so long counts as gone: steps need one gradient less until it is back. 0: as the
  // flag --worker_lost says, by default 30, for workers that have taken part; < 0: wait without a limit. Works with ps
  // tasks of Sluice only
  double leave_secs;
  sl_chief_t chief;  // whether this task is the chief, as for the session; 0: as |server| says
} sl_sync_replicas_options_t;

// An optimizer that applies |optimizer| synchronously. Owned by the scope. sl_apply_gradients and sl_minimize need a
// global step. |server| is NULL in a program that runs alone.
SL_EXPORT sl_optimizer_t *sl_sync_replicas_with(sl_scope_t *scope, sl_optimizer_t *optimizer, sl_server_t *server,
                                                const sl_sync_replicas_options_t *options);
#define sl_sync_replicas(scope, optimizer, server, ...) \
  sl_sync_replicas_with(SL_AT(scope), (optimizer), (server), SL_OPTIONS(sl_sync_replicas_options_t, __VA_ARGS__))

// The operations that sl_apply_gradients built, for programs that run them without a training session, for example
// with a Supervisor. Owned by the scope.
typedef struct {
  TF_Operation *chief_init_op;        // the local initialisation of the chief
  TF_Operation *local_step_init_op;   // the local initialisation of the other workers
  TF_Output ready_for_local_init_op;  // names of variables that have no value yet
  TF_Operation *init_tokens_op;       // run once by the chief, before the training
  sl_queue_runner_t *chief_queue_runner;
} sl_sync_replicas_info_t;
// NULL if |optimizer| is not synchronous, or if no gradients were applied yet.
SL_EXPORT const sl_sync_replicas_info_t *sl_sync_replicas_info(const sl_optimizer_t *optimizer);
// For a Supervisor: a scaffold with the local initialisation of this task; and the start of the training, for which the
// chief enqueues the first tokens and starts its queue runner. Both do nothing for an optimizer that is not
// synchronous.
//
//   sl_scaffold_t scaffold = sl_sync_replicas_scaffold(optimizer);
//   sl_supervisor_t *sv = sl_supervisor(g, .server = server, .scaffold = &scaffold);
//   sl_session_t *session = sl_supervisor_session(sv);
//   sl_sync_replicas_start(optimizer, sv, session);
SL_EXPORT sl_scaffold_t sl_sync_replicas_scaffold(const sl_optimizer_t *optimizer);
SL_EXPORT void sl_sync_replicas_start(const sl_optimizer_t *optimizer, sl_supervisor_t *supervisor,
                                      sl_session_t *session);

// How many gradients of a worker were used, counted on the ps since it was started.
typedef struct {
  bool is_known;      // false: the worker does not report: it has not started, or it is a TensorFlow worker
  bool seen;          // false: no gradient yet, or not known; the fields below are then 0
  int64_t last_step;  // global step of its last gradient
  int64_t accepted;
  int64_t stale;  // dropped because they arrived after their step
} sl_replica_counts_t;
// Reads the counts of |replica| (from 0). The chief can read those of all replicas, another worker its own. Blocks.
// Thread-safe.
SL_EXPORT sl_replica_counts_t sl_sync_replicas_counts(const sl_optimizer_t *optimizer, TF_Session *session, int replica,
                                                      TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_SYNC_REPLICAS_H_
