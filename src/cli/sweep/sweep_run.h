// Runs the trials of a sweep, several at once, until all have ended.
#ifndef SLI_CLI_SWEEP_SWEEP_RUN_H_
#define SLI_CLI_SWEEP_SWEEP_RUN_H_

#include "cli/launch/launch_guard.h"
#include "cli/launch/launch_hosts.h"
#include "cli/sweep/sweep_state.h"

typedef struct {
  int64_t parallel;
  int64_t max_restarts;  // of a trial that is killed by a signal or ends with 128 or above
  double timeout;        // seconds for a run of a trial; 0 for no limit
  double stop_grace;     // seconds between SIGTERM and SIGKILL
  // The hosts of the trials that run at the same time, shared out among them; empty: this machine.
  sli_launch_host_list_t hosts;
  bool slurm;        // the hosts are those of a Slurm allocation
  const char *self;  // the path of this command
  bool quiet;        // no line for each trial
} sli_sweep_run_options_t;

// Blocks until all trials have ended, or a signal came and those that ran were stopped. Saves the sweep after each
// trial. Returns the exit code: 0, 128 + signal, 126 or 127 if the program cannot be run or found, or 1 if the sweep
// cannot be saved. A trial that fails is not a failure of the sweep.
int sli_sweep_run(sli_sweep_t *sweep, const sli_sweep_run_options_t *options, const sli_launch_guard_t *guard);

#endif  // SLI_CLI_SWEEP_SWEEP_RUN_H_
