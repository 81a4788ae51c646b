#include "cli/launch/launch_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

enum { MAX_CHILDREN = 4096 };

static sli_status_t *open_pipe(const char *name, int *out_read, int *out_write) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return sli_status_from_errno(errno, "cannot make a pipe for %s", name);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  *out_read = ends[0];
  *out_write = ends[1];
  return NULL;
}

static void close_if_open(int fd) {
  if (fd >= 0) close(fd);
}

sli_status_t *sli_launch_process_start(const sli_launch_process_options_t *options, pid_t *out_pid, int *out_output,
                                       int *out_error) {
  *out_pid = 0;
  *out_output = *out_error = -1;
  sli_process_options_t process = {.argv = options->argv,
                                   .environment = options->environment,
                                   .output = -1,
                                   .error = -1,
                                   .own_group = true,
                                   .parent_death_signal = SIGKILL,
                                   .mask = options->mask};
  sli_status_t *status = open_pipe(options->name, out_output, &process.output);
  if (!status) status = open_pipe(options->name, out_error, &process.error);
  if (!status) status = sli_process_start(&process, out_pid);
  close_if_open(process.output);
  close_if_open(process.error);
  if (!status) return NULL;
  close_if_open(*out_output);
  close_if_open(*out_error);
  *out_pid = 0;
  *out_output = *out_error = -1;
  return status;
}

int sli_launch_process_start_code(const sli_status_t *status) {
  return sli_status_code(status) == SLI_NOT_FOUND ? SLI_LAUNCH_NOT_FOUND : SLI_LAUNCH_NOT_RUNNABLE;
}

bool sli_launch_process_has_ended(pid_t pid, int *out_code, int *out_signal) {
  siginfo_t info = {0};
  if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return false;
  *out_code = info.si_code == CLD_EXITED ? info.si_status : 0;
  *out_signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
  return true;
}

bool sli_launch_process_is_group_left(pid_t pid) {
  pid_t pids[MAX_CHILDREN];
  size_t count = sli_process_children(pids, MAX_CHILDREN);
  for (size_t i = 0; i < count; i++)
    if (pids[i] != pid && getpgid(pids[i]) == pid) return true;
  return false;
}

void sli_launch_process_release(pid_t pid) {
  kill(-pid, SIGKILL);
  waitpid(pid, NULL, WNOHANG);
}

size_t sli_launch_process_visit_orphans(const pid_t *known, size_t count, int number) {
  pid_t pids[MAX_CHILDREN];
  size_t children = sli_process_children(pids, MAX_CHILDREN), orphans = 0;
  for (size_t i = 0; i < children; i++) {
    bool is_known = false;
    for (size_t j = 0; j < count && !is_known; j++) is_known = known[j] == pids[i];
    if (is_known || waitpid(pids[i], NULL, WNOHANG) != 0) continue;
    orphans++;
    if (number) kill(pids[i], number);
  }
  return orphans;
}
