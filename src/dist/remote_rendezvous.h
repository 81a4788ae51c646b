// The rendezvous of a step on a task: keys whose source is this task meet in a
// table here; all others are asked of the task that sends them (RecvTensor), at
// once, so that they travel while the step computes.
#ifndef SLI_DIST_REMOTE_RENDEZVOUS_H_
#define SLI_DIST_REMOTE_RENDEZVOUS_H_

#include "core/env.h"
#include "core/rendezvous.h"
#include "dist/rendezvous_table.h"
#include "dist/session_cluster.h"
#include "dist/transfer_log.h"
#include "dist/worker_client.h"

// What the rendezvous of all steps of a task share. Outlives them.
typedef struct {
  sli_env_t *env;
  const char *task_name;
  sli_worker_cache_t *cache;  // NULL: no other task can be reached
  sli_transfer_log_t *log;
} sli_remote_rendezvous_home_t;

// A sli_rendezvous_t. Counted, thread-safe.
typedef struct {
  sli_rendezvous_t base;
  const sli_remote_rendezvous_home_t *home;
  int64_t step_id;
  _Atomic(sli_session_cluster_t *) cluster;  // where the step's session has names of its own; else NULL
  sli_rendezvous_table_t table;              // what this task sends, for whoever asks
  sli_cancellation_t *cancellation;          // of the RecvTensors under way: cancelled by an abort
} sli_remote_rendezvous_t;

// An abort's status comes out derived: whoever sees it knows that the cause is elsewhere.
sli_remote_rendezvous_t *sli_remote_rendezvous_create(const sli_remote_rendezvous_home_t *home, int64_t step_id);
// The step belongs to a session that has a cluster of its own. The first one stays.
void sli_remote_rendezvous_set_cluster(sli_remote_rendezvous_t *rendezvous, sli_session_cluster_t *cluster);

#endif  // SLI_DIST_REMOTE_RENDEZVOUS_H_
