// The rendezvous of a step on a task. Keys whose source is this task use a table here. All others are requested from
// the task that sends them (RecvTensor) as soon as the step receives them, so that they are transferred while it
// computes.
#ifndef SLI_DIST_WORKER_REMOTE_RENDEZVOUS_H_
#define SLI_DIST_WORKER_REMOTE_RENDEZVOUS_H_

#include "core/step/env.h"
#include "core/step/rendezvous.h"
#include "dist/client/session_cluster.h"
#include "dist/client/worker_client.h"
#include "dist/worker/transfer_log.h"
#include "runtime/execute/rendezvous_table.h"

// What the rendezvous of all steps of a task share. Must outlive them.
typedef struct {
  sli_env_t *env;
  const char *task_name;
  sli_worker_cache_t *cache;  // NULL: no other task can be reached
  sli_transfer_log_t *log;
} sli_remote_rendezvous_shared_t;

// A sli_rendezvous_t. Reference-counted, thread-safe.
typedef struct {
  sli_rendezvous_t base;
  const sli_remote_rendezvous_shared_t *shared;
  int64_t step_id;
  _Atomic(sli_session_cluster_t *) cluster;  // the session's own cluster; NULL: it has none
  sli_rendezvous_table_t table;              // what this task sends
  sli_cancellation_t *cancellation;          // of the RecvTensor calls in progress; cancelled by an abort
} sli_remote_rendezvous_t;

// After an abort, receivers get its status marked as derived, because the cause is elsewhere.
sli_remote_rendezvous_t *sli_remote_rendezvous_create(const sli_remote_rendezvous_shared_t *shared, int64_t step_id);
// Sets the cluster of a step whose session has its own. Only the first call has an effect.
void sli_remote_rendezvous_set_cluster(sli_remote_rendezvous_t *rendezvous, sli_session_cluster_t *cluster);

#endif  // SLI_DIST_WORKER_REMOTE_RENDEZVOUS_H_
