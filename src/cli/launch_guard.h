// Two processes, so that no orphan survives: the launcher that the user sees
// and signals, and below it the supervisor that starts and watches the tasks.
//
//   launcher killed    the supervisor reads the end of its lifeline and kills
//                      every descendant, those that left their group included
//                      (it adopts orphans);
//   supervisor killed  the launcher, which adopts too, does the same;
//   both at once       each task has SIGKILL as its parent-death signal.
#ifndef SLI_CLI_LAUNCH_GUARD_H_
#define SLI_CLI_LAUNCH_GUARD_H_

#include <signal.h>

#include "base/status.h"

typedef struct {
  int lifeline;             // reads end-of-file once the launcher is gone
  int signals;              // signalfd: SIGCHLD, and what the launcher passes on
  sigset_t inherited_mask;  // blocked signals as they were, for the tasks
} sli_launch_guard_t;

// Splits the process. Returns in the supervisor, with those signals blocked and SIGPIPE ignored. In the launcher it
// does not return but passes signals on (terminal stops too) and exits with the supervisor's code.
sli_status_t *sli_launch_guard_enter(sli_launch_guard_t *out_guard);

#endif  // SLI_CLI_LAUNCH_GUARD_H_
