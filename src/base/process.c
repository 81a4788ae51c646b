#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"

// In the child, between fork and exec: async-signal-safe calls only. Returns errno.
static int become_program(const sli_process_options_t *options, pid_t parent) {
  if (options->own_group && setpgid(0, 0) != 0) return errno;
  if (options->parent_death_signal) {
    prctl(PR_SET_PDEATHSIG, options->parent_death_signal);
    if (getppid() != parent) _exit(128 + SIGKILL);  // it died before prctl
  }
  int input = options->input > 0 ? options->input : open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0 || dup2(input, STDIN_FILENO) < 0) return errno;
  if (options->output >= 0 && dup2(options->output, STDOUT_FILENO) < 0) return errno;
  if (options->error >= 0 && dup2(options->error, STDERR_FILENO) < 0) return errno;
  sigset_t mask;
  sigemptyset(&mask);
  if (options->mask) mask = *options->mask;
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  if (options->environment) environ = (char **)options->environment;
  execvp(options->argv[0], options->argv);
  return errno;
}

sli_status_t *sli_process_start(const sli_process_options_t *options, pid_t *out_pid) {
  *out_pid = 0;
  int report[2];  // carries errno if exec fails; closes if it succeeds
  if (pipe2(report, O_CLOEXEC) != 0) return sli_status_from_errno(errno, "cannot start '%s'", options->argv[0]);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    int error = become_program(options, parent);
    if (write(report[1], &error, sizeof(error)) < 0) _exit(126);
    _exit(127);
  }
  int error = pid < 0 ? errno : 0;
  close(report[1]);
  ssize_t got = 0;
  if (pid > 0) {
    // Parent and child both set the group, so that it exists for both, whichever runs first.
    if (options->own_group) setpgid(pid, pid);
    while ((got = read(report[0], &error, sizeof(error))) < 0 && errno == EINTR) continue;
  }
  close(report[0]);
  if (pid > 0 && got == 0) {
    *out_pid = pid;
    return NULL;
  }
  if (pid > 0) waitpid(pid, NULL, 0);
  return sli_status_from_errno(error, "cannot start '%s'", options->argv[0]);
}

uint64_t sli_process_host(void) {
  char text[256];
  int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t size = file >= 0 ? read(file, text, 64) : 0;
  if (file >= 0) close(file);
  if (size < 0) size = 0;
  ssize_t link = readlink("/proc/self/ns/net", text + size, 128);
  if (link > 0) size += link;
  size += snprintf(text + size, 32, ":%u", (unsigned)geteuid());
  return sli_hash_tensorflow(text, (size_t)size, SLI_HASH_TENSORFLOW_SEED) | 1;
}

void sli_process_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

size_t sli_process_children(pid_t *pids, size_t capacity) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)gettid());
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  size_t count = 0;
  for (int pid; count < capacity && fscanf(file, "%d", &pid) == 1;) pids[count++] = pid;
  fclose(file);
  return count;
}

bool sli_process_kill_descendants(int64_t deadline) {
  for (;;) {
    pid_t pids[256];
    size_t count = sli_process_children(pids, sizeof(pids) / sizeof(pids[0]));
    for (size_t i = 0; i < count; i++) kill(pids[i], SIGKILL);
    pid_t reaped;
    while ((reaped = waitpid(-1, NULL, WNOHANG)) > 0) continue;
    if (reaped < 0 && errno == ECHILD) return true;
    if (sli_clock_now_nanos() >= deadline) return false;
    usleep(2000);
  }
}
