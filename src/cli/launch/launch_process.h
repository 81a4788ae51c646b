// The processes of tasks on this machine, for the supervisor and for the agent of another host.
//
// A task's first process leads a process group. It stays a zombie until no more signals are sent to the group, so that
// the kernel does not reuse its pid, which is the group's number. Processes of the group that outlive it become our
// children.
#ifndef SLI_CLI_LAUNCH_LAUNCH_PROCESS_H_
#define SLI_CLI_LAUNCH_LAUNCH_PROCESS_H_

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

enum { SLI_LAUNCH_NOT_RUNNABLE = 126, SLI_LAUNCH_NOT_FOUND = 127 };

typedef struct {
  const char *name;   // for messages
  char *const *argv;  // both end with NULL
  char *const *environment;
  const sigset_t *mask;
} sli_launch_process_options_t;

// Starts the first process of a task. The caller owns the non-blocking descriptors of its output. Blocks until exec has
// succeeded or failed.
sli_status_t *sli_launch_process_start(const sli_launch_process_options_t *options, pid_t *out_pid, int *out_output,
                                       int *out_error);
// The exit code that stands for a program that could not be started.
int sli_launch_process_start_code(const sli_status_t *status);
// Whether the first process has ended, and how: its exit code, or the signal that killed it.
bool sli_launch_process_has_ended(pid_t pid, int *out_code, int *out_signal);
// Whether other processes of the group are left.
bool sli_launch_process_is_group_left(pid_t pid);
// Kills what is left of the group, so that nothing holds its port, and reaps its first process, which has ended or ends
// by that.
void sli_launch_process_release(pid_t pid);
// Visits our children that are not among |known|: orphans of the tasks. Reaps those that have ended, sends the others
// the signal |number| (0: none), since some may have left their task's group, and returns how many these are.
size_t sli_launch_process_visit_orphans(const pid_t *known, size_t count, int number);

#endif  // SLI_CLI_LAUNCH_LAUNCH_PROCESS_H_
