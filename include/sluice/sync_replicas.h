// Synchronous training with replicas, as tf.train.SyncReplicasOptimizer: workers
// add their gradients up, per variable, in accumulators on the ps tasks; the chief
// takes the mean of |replicas_to_aggregate| of them, applies it and gives out
// tokens, one for each worker's next step. Nodes and names are Python's, so that
// C and Python workers train together.
//
//   sl_optimizer_t *optimizer = sl_sync_replicas(g, sl_adam(g, 0.001), server);
//   TF_Operation *train = sl_minimize(g, optimizer, loss, .global_step = step);
//
// sl_monitored_training_session() does the rest: it initialises, runs the chief's
// part in a thread, wakes whoever waits for a token when the training ends, and
// says after a minute without a step which workers are missing.
#ifndef SLUICE_SYNC_REPLICAS_H_
#define SLUICE_SYNC_REPLICAS_H_

#include "sluice/optimizer.h"
#include "sluice/queue_runner.h"
#include "sluice/server.h"

SL_BEGIN_DECLS

typedef struct {
  size_t struct_size;
  const char *name;           // NULL: "sync_replicas"
  int replicas_to_aggregate;  // gradients per step. 0: one for each replica
  int total_num_replicas;     // 0: the workers (with the chief) of |server|'s cluster. More than are aggregated: the
                              // slowest are backups, whose late gradients are dropped. Fewer: each gives several
  int num_tokens;             // at the start, beyond the workers' first step. 0: replicas_to_aggregate, alone one less;
                              // < 0: none
  int replica_id;             // this worker's number + 1. 0: from its task: the chief first, then the workers
  bool use_locking;           // for what this optimizer updates itself
  bool strict;                // a step takes one gradient from each worker; TensorFlow may take all from one. Needs
                              // replicas_to_aggregate <= total_num_replicas; for C workers only
  double stall_secs;          // without a step until the missing workers are named. 0: 60; < 0: never
  // A worker that has not answered for so long has left: steps need one gradient less until it is back. 0: it is waited
  // for for ever. For ps tasks of Sluice
  double leave_secs;
} sl_sync_replicas_options_t;

// An optimizer that applies |optimizer| synchronously. Belongs to the scope. sl_apply_gradients and sl_minimize need a
// global step. |server| NULL: a program that runs alone.
SL_EXPORT sl_optimizer_t *sl_sync_replicas_with(sl_scope_t *scope, sl_optimizer_t *optimizer, sl_server_t *server,
                                                const sl_sync_replicas_options_t *options);
#define sl_sync_replicas(scope, optimizer, server, ...) \
  sl_sync_replicas_with(SL_AT(scope), (optimizer), (server), SL_OPTIONS(sl_sync_replicas_options_t, __VA_ARGS__))

// What sl_apply_gradients built, for programs that run it by hand (with a Supervisor, say). Owned by the scope.
typedef struct {
  TF_Operation *chief_init_op;        // the chief's local initialisation
  TF_Operation *local_step_init_op;   // the others'
  TF_Output ready_for_local_init_op;  // names of variables that have no value yet
  TF_Operation *init_tokens_op;       // run once by the chief, before the training
  sl_queue_runner_t *chief_queue_runner;
} sl_sync_replicas_info_t;
// NULL if |optimizer| is no synchronous one or its gradients were not applied yet.
SL_EXPORT const sl_sync_replicas_info_t *sl_sync_replicas_info(const sl_optimizer_t *optimizer);

// How a worker's gradients fared, counted on the ps since it was started.
typedef struct {
  bool is_known;      // false: it tells nothing: it has not started, or is a worker of TensorFlow's own
  bool seen;          // false: it never gave one, or is not known; the rest is 0 then
  int64_t last_step;  // global step of its last gradient
  int64_t accepted;
  int64_t stale;  // came after their step was over, and were dropped
} sl_replica_counts_t;
// Reads the counts of |replica| (from 0). The chief can ask for all, another worker for itself. Blocks. Thread-safe.
SL_EXPORT sl_replica_counts_t sl_sync_replicas_counts(const sl_optimizer_t *optimizer, TF_Session *session, int replica,
                                                      TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_SYNC_REPLICAS_H_
