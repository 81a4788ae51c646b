// Starting other programs, and making sure that none outlives its purpose.
#ifndef SLI_BASE_PROCESS_H_
#define SLI_BASE_PROCESS_H_

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

typedef struct {
  char *const *argv;         // argv[0] is looked up in PATH; ends with NULL
  char *const *environment;  // the whole environment, ends with NULL; NULL passes ours on
  int output, error;         // become descriptors 1 and 2; < 0 keeps ours. Descriptor 0 is /dev/null
  bool own_group;            // leads a process group of its own: kill(-pid, …) reaches all of it
  int parent_death_signal;   // sent to it when the starting thread ends; 0 for none
  const sigset_t *mask;      // its blocked signals; NULL for none
} sli_process_options_t;

// Starts a program. Signals that we ignore stay ignored, but for SIGPIPE. All other descriptors of ours must be
// close-on-exec. Blocks until the program runs or has failed to. NOT_FOUND if there is no such program,
// PERMISSION_DENIED if it may not be executed. The caller waits for *out_pid. Thread-safe.
sli_status_t *sli_process_start(const sli_process_options_t *options, pid_t *out_pid);

// From now on the orphans among our descendants become our children instead of init's.
void sli_process_adopt_orphans(void);

// Puts up to |capacity| of our children, zombies included, into |pids| and returns how many; 0 where the system does
// not tell. The calling thread must have started (or, as the main thread, adopted) them.
size_t sli_process_children(pid_t *pids, size_t capacity);

// Kills every child, then every orphan it leaves, until none is left or |deadline| passes; reaps them all. Reaches
// all descendants after sli_process_adopt_orphans(). True if none is left.
bool sli_process_kill_descendants(int64_t deadline);

#endif  // SLI_BASE_PROCESS_H_
