// `sluice launch` is two processes, so that no task outlives it: the launcher, which the user sees and signals, and its
// child, the supervisor, which starts and watches the tasks.
//
//   launcher killed    the supervisor reads end-of-file from the pipe between them (the lifeline) and kills all its
//                      descendants, also those that left their process group, because it adopts orphans;
//   supervisor killed  the launcher, which adopts orphans too, does the same;
//   both at once       each task has SIGKILL as its parent-death signal.
#ifndef SLI_CLI_LAUNCH_LAUNCH_GUARD_H_
#define SLI_CLI_LAUNCH_LAUNCH_GUARD_H_

#include <signal.h>

#include "base/status.h"

typedef struct {
  int lifeline;             // reads end-of-file when the launcher has ended
  int signals;              // signalfd: SIGCHLD, and signals that the launcher forwards
  sigset_t inherited_mask;  // the signal mask at the start, for the tasks
} sli_launch_guard_t;

// Forks. Returns in the supervisor, with those signals blocked and SIGPIPE ignored. In the launcher it does not return:
// it forwards signals, also SIGTSTP and SIGCONT, and exits with the supervisor's exit code.
sli_status_t *sli_launch_guard_enter(sli_launch_guard_t *out_guard);

#endif  // SLI_CLI_LAUNCH_LAUNCH_GUARD_H_
