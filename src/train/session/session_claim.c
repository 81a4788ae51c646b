#include "train/session/session_claim.h"

#include <string.h>

#include "base/clock.h"
#include "train/cluster/train_server.h"
#include "train/common/progress.h"

enum { ASK_MILLIS = 1000, REPLY_MILLIS = 2000, CONFIRMED_MILLIS = 3000, SLEPT_MILLIS = 6000 };

static int64_t millis_to_nanos(int64_t millis) { return millis * 1000000; }

bool sli_session_claim_is_possible(const sl_server_t *server, sl_chief_t chief, const char *master) {
  return server && sl_server_handle(server) && chief == SL_CHIEF_OF_CLUSTER && (!master || !master[0]) &&
         sl_server_count(server, "ps") > 0 && sli_train_server_replica_count(server) > 1 &&
         sli_train_server_worker_lost_secs(server) > 0;
}

void sli_session_claim_initialize(sli_session_claim_t *claim, const sl_server_t *server, bool is_chief, bool possible,
                                  const char *title) {
  sli_mutex_initialize(&claim->mutex);
  sli_cond_initialize(&claim->changed);
  atomic_store(&claim->is_chief, is_chief);
  atomic_store(&claim->may_take, true);
  claim->title = title;
  if (!possible) return;
  claim->server = sl_server_handle(server);
  claim->cluster = server;
  claim->lost_secs = sli_train_server_worker_lost_secs(server);
}

static void note_role(sli_session_claim_t *claim, bool is_chief, const sl_chief_status_t *chief) {
  if (atomic_exchange(&claim->is_chief, is_chief) == is_chief) return;
  if (is_chief && chief->former[0])
    sli_progress_print(claim->title, "takes the place of the chief, %s, which has been silent for %.0f s",
                       chief->former, claim->lost_secs);
  else if (is_chief)
    sli_progress_print(claim->title, "is the chief");
  else
    sli_progress_print(claim->title, "%s has become the chief in the meantime: this task goes on as a worker",
                       chief->task);
}

// Under the mutex.
static void ask(sli_session_claim_t *claim) {
  bool is_chief = atomic_load(&claim->is_chief);
  int64_t now = sli_clock_now_nanos();
  // A ps that was started again knows no chief: somebody must become it, the last one at once.
  bool forgotten = claim->knew_chief && (double)(now - claim->chief_nanos) * 1e-9 > claim->lost_secs;
  sl_chief_status_t chief;
  TF_Status *status = TF_NewStatus();
  bool replied = sl_cluster_chief(claim->server, sl_server_address(claim->cluster, "ps", 0),
                                  is_chief || atomic_load(&claim->may_take), is_chief || forgotten, claim->lost_secs,
                                  REPLY_MILLIS, &chief, status);
  claim->is_stock = TF_GetCode(status) == TF_UNIMPLEMENTED;
  TF_DeleteStatus(status);
  if (!replied) return;
  now = sli_clock_now_nanos();
  atomic_store(&claim->heard, now);
  if (!chief.is_known) return;
  claim->knew_chief = true;
  claim->chief_nanos = now - (int64_t)(chief.silent_secs * 1e9);
  claim->chief = chief;
  atomic_store(&claim->has_moved, chief.former[0] != '\0');
  note_role(claim, chief.is_this, &chief);
}

static void notice_sleep(sli_session_claim_t *claim, int64_t began) {
  if (sli_clock_now_nanos() - began > millis_to_nanos(SLEPT_MILLIS)) atomic_store(&claim->has_slept, true);
}

static void *claim_main(void *argument) {
  sli_session_claim_t *claim = argument;
  sli_mutex_lock(&claim->mutex);
  while (!claim->leave && !claim->is_stock) {
    int64_t began = sli_clock_now_nanos();
    sli_cond_wait_until(&claim->changed, &claim->mutex, sli_clock_deadline_after_millis(ASK_MILLIS));
    notice_sleep(claim, began);
    if (!claim->leave) ask(claim);
    notice_sleep(claim, began);
  }
  sli_mutex_unlock(&claim->mutex);
  return NULL;
}

void sli_session_claim_start(sli_session_claim_t *claim) {
  if (!claim->cluster) return;
  // Without the thread the place would be lost after some time, which is no error.
  sli_mutex_lock(&claim->mutex);
  if (!claim->running) claim->running = pthread_create(&claim->thread, NULL, claim_main, claim) == 0;
  sli_mutex_unlock(&claim->mutex);
}

bool sli_session_claim_ask(sli_session_claim_t *claim) {
  if (!claim->cluster) return atomic_load(&claim->is_chief);
  sli_mutex_lock(&claim->mutex);
  if (!claim->is_stock) ask(claim);
  sli_mutex_unlock(&claim->mutex);
  return atomic_load(&claim->is_chief);
}

bool sli_session_claim_confirm(sli_session_claim_t *claim) {
  bool fresh = sli_clock_now_nanos() - atomic_load(&claim->heard) < millis_to_nanos(CONFIRMED_MILLIS);
  return fresh ? atomic_load(&claim->is_chief) : sli_session_claim_ask(claim);
}

sl_chief_status_t sli_session_claim_chief(sli_session_claim_t *claim) {
  sli_mutex_lock(&claim->mutex);
  sl_chief_status_t chief = claim->chief;
  sli_mutex_unlock(&claim->mutex);
  return chief;
}

void sli_session_claim_deinitialize(sli_session_claim_t *claim) {
  sli_mutex_lock(&claim->mutex);
  claim->leave = true;
  sli_cond_signal(&claim->changed);
  sli_mutex_unlock(&claim->mutex);
  if (claim->running) pthread_join(claim->thread, NULL);
  sli_cond_deinitialize(&claim->changed);
  sli_mutex_deinitialize(&claim->mutex);
}
