// Who the chief of a training session is. The task that the cluster names claims the
// place at the first ps, again and again. If it stops for longer than --worker_lost,
// another worker gets the place; when the first one is back it trains as a worker.
#ifndef SLI_TRAIN_SESSION_SESSION_CLAIM_H_
#define SLI_TRAIN_SESSION_SESSION_CLAIM_H_

#include <stdatomic.h>

#include "base/sync.h"
#include "sluice/cluster.h"
#include "sluice/scaffold.h"

typedef struct {
  TF_Server *server;
  const sl_server_t *cluster;  // where the first ps decides; NULL: nobody does, and the place never changes
  const char *title;           // "Worker 0"
  double lost_secs;
  pthread_t thread;
  bool running;
  sli_mutex_t mutex;
  sli_cond_t changed;
  bool leave;                  // under mutex
  atomic_bool is_chief;        // this task has the place
  atomic_bool has_moved;       // the place has changed hands in this job
  atomic_bool may_take;        // a silent chief may be replaced by this task
  atomic_int_least64_t heard;  // when the ps last replied
  atomic_bool has_slept;       // this process was stopped for some seconds
  // Under mutex.
  bool is_stock;            // the ps does not know the call
  bool knew_chief;          // there was one
  int64_t chief_nanos;      // when it was last known to claim
  sl_chief_status_t chief;  // as the ps last said
} sli_session_claim_t;

// Whether the place of the chief can change in such a session: there are a ps and another worker, the cluster says who
// the chief is, and --worker_lost is not 0. |server| may be NULL.
bool sli_session_claim_is_possible(const sl_server_t *server, sl_chief_t chief, const char *master);
// Begins with |is_chief|, as the cluster says. Nobody is asked yet. |possible| false: that stays so.
void sli_session_claim_initialize(sli_session_claim_t *claim, const sl_server_t *server, bool is_chief, bool possible,
                                  const char *title);
// Starts the thread that asks again and again, and notices when this process was stopped.
void sli_session_claim_start(sli_session_claim_t *claim);
// Asks now whether this task is the chief. Without a reply nothing changes. Blocks for two seconds at most.
bool sli_session_claim_ask(sli_session_claim_t *claim);
// The same, but asks only if that was not confirmed in the last seconds: before something that only the chief may do.
bool sli_session_claim_confirm(sli_session_claim_t *claim);
// What the ps last said.
sl_chief_status_t sli_session_claim_chief(sli_session_claim_t *claim);
void sli_session_claim_deinitialize(sli_session_claim_t *claim);

#endif  // SLI_TRAIN_SESSION_SESSION_CLAIM_H_
