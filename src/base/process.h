// Starting other programs, and making sure that they end.
#ifndef SLI_BASE_PROCESS_H_
#define SLI_BASE_PROCESS_H_

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

typedef struct {
  char *const *argv;         // argv[0] is searched in PATH; ends with NULL
  char *const *environment;  // the whole environment, ends with NULL; NULL: a copy of ours
  int input;                 // becomes descriptor 0; <= 0: /dev/null
  int output, error;         // become descriptors 1 and 2; < 0 keeps ours
  bool own_group;            // leads a new process group: kill(-pid, …) reaches all of it
  int parent_death_signal;   // sent to it when the thread that started it ends; 0 for none
  const sigset_t *mask;      // its blocked signals; NULL for none
} sli_process_options_t;

// Starts a program. Signals that we ignore stay ignored, except SIGPIPE. All other open descriptors must be
// close-on-exec. Blocks until exec has succeeded or failed. NOT_FOUND if there is no such program,
// PERMISSION_DENIED if it may not be executed; then *out_pid is 0 and never -1, which is every process to kill(). The
// caller must wait for *out_pid. Thread-safe.
sli_status_t *sli_process_start(const sli_process_options_t *options, pid_t *out_pid);

// A number that is the same for all processes of this host, network namespace and user: those that can share memory.
uint64_t sli_process_host(void);

// From now on orphans among our descendants become children of this process instead of init.
void sli_process_adopt_orphans(void);

// Stores up to |capacity| children, also zombies, in |pids| and returns how many; 0 if the system does not list them.
// Only children that the calling thread started are found, and on the main thread adopted ones.
size_t sli_process_children(pid_t *pids, size_t capacity);

// Kills and reaps every child, then every orphan that it leaves, until none is left or |deadline| passes. Reaches all
// descendants after sli_process_adopt_orphans(). Blocks. Returns true if none is left.
bool sli_process_kill_descendants(int64_t deadline);

#endif  // SLI_BASE_PROCESS_H_
