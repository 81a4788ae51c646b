// Runs a planned job to its end: starts the tasks, shows what they print,
// restarts and stops them, and says who failed first.
#ifndef SLI_CLI_LAUNCH_JOB_H_
#define SLI_CLI_LAUNCH_JOB_H_

#include <stdbool.h>
#include <stdint.h>

#include "cli/launch_guard.h"
#include "cli/launch_plan.h"

typedef struct {
  const char *log_dir;   // NULL for none
  bool quiet;            // no notices and no table; failures are still told
  double timeout;        // seconds for the whole job; 0 for no limit
  double stop_grace;     // seconds between the first signal and SIGKILL
  double ps_grace;       // seconds for the ps tasks to end by themselves after all others
  int64_t max_restarts;  // of each task
} sli_launch_job_options_t;

// Blocks until every task and all that they left behind is gone. Returns the exit code: 0 if all ended well; that of
// the first task that failed (128 + signal if it was killed); 124 after the timeout; 128 + signal after one of ours.
int sli_launch_job_run(sli_launch_plan_t *plan, const sli_launch_job_options_t *options,
                       const sli_launch_guard_t *guard);

#endif  // SLI_CLI_LAUNCH_JOB_H_
