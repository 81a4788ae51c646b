#include "cli/launch/launch_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "cli/common/cli.h"

// The signals that are blocked and read by the loops below. A signal that was ignored at the start (nohup, background
// jobs of a script) stays ignored.
static sigset_t watched_signals(void) {
  static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(forwarded); i++) {
    struct sigaction action;
    if (sigaction(forwarded[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&set, forwarded[i]);
  }
  return set;
}

static _Noreturn void exit_as_supervisor(int wait_status) {
  if (WIFEXITED(wait_status)) exit(WEXITSTATUS(wait_status));
  int number = WTERMSIG(wait_status);
  sli_process_kill_descendants(sli_clock_deadline_after_millis(5000));
  exit(sli_cli_fail(128 + number, "the supervisor of the job was killed by SIG%s; all tasks were killed too",
                    sigabbrev_np(number)));
}

static _Noreturn void run_launcher(pid_t supervisor, const sigset_t *watched) {
  for (;;) {
    int number = sigwaitinfo(watched, NULL);
    int wait_status;
    if (number == SIGCHLD && waitpid(supervisor, &wait_status, WNOHANG) == supervisor) exit_as_supervisor(wait_status);
    if (number <= 0 || number == SIGCHLD) continue;
    kill(supervisor, number);
    if (number == SIGTSTP) {
      raise(SIGSTOP);
      kill(supervisor, SIGCONT);
    }
  }
}

sli_status_t *sli_launch_guard_enter(sli_launch_guard_t *out_guard) {
  *out_guard = (sli_launch_guard_t){.lifeline = -1, .signals = -1};
  int lifeline[2];
  if (pipe2(lifeline, O_CLOEXEC) != 0) return sli_status_from_errno(errno, "cannot make a pipe");
  sigset_t watched = watched_signals();
  sigprocmask(SIG_BLOCK, &watched, &out_guard->inherited_mask);
  sli_process_adopt_orphans();
  pid_t supervisor = fork();
  if (supervisor < 0) return sli_status_from_errno(errno, "cannot start the supervisor of the job");
  if (supervisor > 0) {
    close(lifeline[0]);
    run_launcher(supervisor, &watched);
  }
  close(lifeline[1]);
  // In a new session, so that the terminal signals only the launcher and each signal reaches the tasks once.
  setsid();
  prctl(PR_SET_NAME, "sluice-job");
  sli_process_adopt_orphans();
  signal(SIGPIPE, SIG_IGN);
  out_guard->lifeline = lifeline[0];
  out_guard->signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  return out_guard->signals < 0 ? sli_status_from_errno(errno, "cannot watch signals") : NULL;
}
