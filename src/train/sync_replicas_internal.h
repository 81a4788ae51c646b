// A synchronous optimizer: sync_replicas.c builds its nodes, sync_replicas_run.c
// runs the chief's part around a training session.
#ifndef SLI_TRAIN_SYNC_REPLICAS_INTERNAL_H_
#define SLI_TRAIN_SYNC_REPLICAS_INTERNAL_H_

#include "sluice/sync_replicas.h"
#include "train/scope_internal.h"

// What the ps knows of one replica's gradients: two variables that no collection has.
typedef struct {
  TF_Output last, counts;  // references: the step of its last gradient; {accepted, stale}
  TF_Output has_counts;    // bool: they have values
  TF_Operation *initializer;
} sli_replica_record_t;

typedef struct {
  sl_scope_t *scope;
  sl_server_t *server;  // NULL: alone
  sl_optimizer_t *inner;
  sl_sync_replicas_options_t options;
  char *name;
  bool is_chief;
  int aggregate, total, replica;
  bool applied;
  sl_sync_replicas_info_t info;

  TF_Operation *init_op;   // this replica's local initialisation, its record apart
  TF_Output updated_step;  // of the chief's step: the new global step
  TF_Operation *sync_op;   // the chief's step
  TF_Operation *wake_op;   // a token for everyone
  TF_Operation
      *return_op;  // one token, for one that was lost with its holder; NULL if strict: nobody else could take it
  TF_Output waiting_tokens;       // how many are in the queue (strict: in this replica's)
  sli_outputs_t accumulated;      // the chief's: how many gradients each accumulator has for the step
  sli_outputs_t num_required;     // constants to feed when fewer gradients have to do
  sli_outputs_t token_counts;     // likewise for tokens: one for all, strict: one for each replica
  sli_replica_record_t *records;  // |total|; the chief has all, another worker its own
} sli_sync_replicas_t;

// "/job:worker/task:1", or "replica 1" for one that is no task; new.
char *sli_sync_replicas_name(const sli_sync_replicas_t *sync, int replica);
// Reads one record.
sl_replica_counts_t sli_replica_record_read(const sli_replica_record_t *record, TF_Session *session, TF_Status *status);
// Adds the hook that runs it to |sync|'s scope.
void sli_sync_replicas_add_hook(sli_sync_replicas_t *sync);

#endif  // SLI_TRAIN_SYNC_REPLICAS_INTERNAL_H_
