#include "tests/train/peers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"

enum { PATIENCE_MILLIS = 100000, MAX_ARGUMENTS = 32 };
// The environment variable that names the role of a process.
static const char mark[] = "SLI_PEERS_ROLE";

void peers_start(peer_t *peer, const char *role, const char *const *arguments) {
  static int starts;
  char *argv[MAX_ARGUMENTS] = {"/proc/self/exe"};
  size_t count = 1;
  for (size_t i = 0; arguments[i] && count + 1 < MAX_ARGUMENTS; i++) argv[count++] = (char *)arguments[i];
  *peer = (peer_t){.log = sli_format("%s/%s-%d.txt", sli_test_temporary_dir(), role, starts++)};
  int output = open(peer->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  setenv(mark, role, 1);
  SLI_EXPECT_OK(sli_process_start(
      &(sli_process_options_t){.argv = argv, .output = output, .error = output, .parent_death_signal = SIGKILL},
      &peer->pid));
  unsetenv(mark);
  close(output);
}

// True if it has ended.
static bool reap(peer_t *peer, int flags) {
  int status = 0;
  if (!peer->pid) return true;
  if (waitpid(peer->pid, &status, flags) == 0) return false;
  peer->code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  peer->pid = 0;
  return true;
}

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); }

char *peers_output(const peer_t *peer) {
  sli_string_t text = {0};
  sli_status_release(sli_file_read_whole(peer->log, 1 << 24, &text));
  return sli_string_take(&text);
}

void peers_wait(peer_t *peer) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  while (!reap(peer, WNOHANG)) {
    nap();
    if (sli_clock_now_nanos() < deadline) continue;
    char *said = peers_output(peer);
    sli_test_fail(__FILE__, __LINE__, "%s does not end; it said:\n%s", peer->log, said);
    free(said);
    kill(peer->pid, SIGKILL);
    reap(peer, 0);
  }
}

bool peers_expect(peer_t *peer, const char *text) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  for (;;) {
    bool late = reap(peer, WNOHANG) || sli_clock_now_nanos() >= deadline;
    char *said = peers_output(peer);
    bool found = strstr(said, text);
    if (!found && late) sli_test_fail(__FILE__, __LINE__, "%s did not say \"%s\" but:\n%s", peer->log, text, said);
    free(said);
    if (found || late) return found;
    nap();
  }
}

void peers_expect_code(peer_t *peer, int code) {
  peers_wait(peer);
  if (peer->code == code) return;
  char *said = peers_output(peer);
  sli_test_fail(__FILE__, __LINE__, "%s ended with %d, expected %d; it said:\n%s", peer->log, peer->code, code, said);
  free(said);
}

void peers_stop(peer_t *peer) {
  if (peer->pid) {
    kill(peer->pid, SIGKILL);
    reap(peer, 0);
  }
  free(peer->log);
  peer->log = NULL;
}

int peers_main(int argc, char **argv, const peers_role_t *roles) {
  const char *name = getenv(mark);
  for (; name && roles->name; roles++) {
    if (strcmp(roles->name, name) != 0) continue;
    unsetenv(mark);
    return roles->main(argc, argv);
  }
  return -1;
}
