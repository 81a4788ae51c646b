// What the guard of a session knows of the other tasks that train: for training
// sessions and the Supervisor.
#ifndef SLI_TRAIN_SESSION_SESSION_GUARD_H_
#define SLI_TRAIN_SESSION_SESSION_GUARD_H_

#include <stdatomic.h>

#include "sluice/coordinator.h"
#include "train/session/session_manager.h"

typedef struct {
  uint64_t incarnation;  // 0: has not replied yet
  int missed;            // calls since the last reply
  bool is_lost;          // it was reported
} sli_session_guard_peer_t;

// Thread-compatible; zero-initialised.
typedef struct {
  sli_session_guard_peer_t *items;  // by position among the members of the cluster; NULL: not asked yet
  int64_t asked_nanos;              // when the members were last called
  int64_t step_nanos;               // when the step began that may be reported
  int64_t chief_nanos;              // when the chief last replied in that step; its beginning, if it has not
  bool chief_has_moved;             // to another task than the cluster names: there is no deadline for that one
  double report_secs;               // the age of that step at which the next report is due
} sli_session_guard_peers_t;

// To be called several times a second while a session is open and does not have to stop. Calls the other tasks from
// time to time, names those that died and those that a step waits for, and stops |coordinator| if a step has waited too
// long for the chief. |step_nanos|: when the step began that runs; 0: none runs. Blocks for some seconds at most.
void sli_session_guard_check_peers(sli_session_guard_peers_t *peers, const sl_session_manager_t *manager, bool is_chief,
                                   const atomic_int_least64_t *step_nanos, sl_coordinator_t *coordinator);
// Whether |member|, which does not reply, has left in order: no ps has a session of it any more. Blocks for a second
// per ps at most.
bool sli_session_guard_has_left(const sl_server_t *server, const sl_member_t *member);
void sli_session_guard_forget_peers(sli_session_guard_peers_t *peers);

#endif  // SLI_TRAIN_SESSION_SESSION_GUARD_H_
