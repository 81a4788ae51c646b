// A synchronous optimizer: sync_replicas.c builds its nodes, sync_replicas_run.c
// runs the chief's part around a training session.
#ifndef SLI_TRAIN_OPTIMIZE_SYNC_REPLICAS_INTERNAL_H_
#define SLI_TRAIN_OPTIMIZE_SYNC_REPLICAS_INTERNAL_H_

#include "sluice/sync_replicas.h"
#include "train/graph/scope.h"

// The record of one replica's gradients on the ps: two variables that are in no collection.
typedef struct {
  TF_Output last, counts;  // references: the step of its last gradient; {accepted, stale}
  TF_Output has_counts;    // bool: |counts| is initialised
  TF_Operation *initializer;
} sli_sync_replicas_record_t;

typedef struct {
  sl_scope_t *scope;
  sl_server_t *server;  // NULL: the program runs alone
  sl_optimizer_t *inner;
  sl_sync_replicas_options_t options;
  char *name;
  bool is_chief;
  int aggregate, total, replica;
  bool applied;
  sl_sync_replicas_info_t info;

  bool may_be_chief;          // this replica is the chief, or may take its place: see train/session/session_claim.h
  TF_Operation *init_ops[2];  // the local initialisation of a worker and of the chief, without records
  TF_Output updated_step;     // the global step after the chief's step
  TF_Operation *sync_op;      // the chief's step
  TF_Operation *counted_op;   // the same with |token_counts|, if it may be the chief
  TF_Operation *wake_op;      // enqueues a token for every replica
  // Enqueues one token, to replace one that was lost with its worker. NULL with strict, where tokens are not shared.
  TF_Operation *return_op;
  TF_Output waiting_tokens;             // the number of tokens in the queue (with strict: in this replica's queue)
  sli_outputs_t accumulated;            // if it may be the chief: how many gradients each accumulator has for the step
  sli_outputs_t token_counts;           // to feed: how many tokens, one, or with strict one for each replica
  sli_sync_replicas_record_t *records;  // |total|; who may be the chief has all, another worker only its own
} sli_sync_replicas_t;

// "/job:worker/task:1", or "replica 1" if it is not a task. New.
char *sli_sync_replicas_replica_name(const sli_sync_replicas_t *sync, int replica);
// Reads one record.
sl_replica_counts_t sli_sync_replicas_read_record(const sli_sync_replicas_record_t *record, TF_Session *session,
                                                  TF_Status *status);
// Adds the hook that runs the optimizer to the scope of |sync|.
void sli_sync_replicas_add_hook(sli_sync_replicas_t *sync);

#endif  // SLI_TRAIN_OPTIMIZE_SYNC_REPLICAS_INTERNAL_H_
