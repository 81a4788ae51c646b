// Runs a planned job to its end: starts the tasks, shows their output, restarts and stops them, and reports which task
// failed first.
#ifndef SLI_CLI_LAUNCH_LAUNCH_JOB_H_
#define SLI_CLI_LAUNCH_LAUNCH_JOB_H_

#include <stdbool.h>
#include <stdint.h>

#include "cli/launch/launch_guard.h"
#include "cli/launch/launch_plan.h"
#include "cli/launch/launch_remote.h"

typedef struct {
  const char *log_dir;    // NULL for none
  bool quiet;             // no notices and no table; failures are still printed
  double timeout;         // seconds for the whole job; 0 for no limit
  double stop_grace;      // seconds between a task's signal and SIGKILL
  double ps_grace;        // seconds for the ps tasks to end after all others have ended
  int64_t max_restarts;   // of each task
  bool keep_going;        // a worker or evaluator that fails does not stop the others; the chief and a ps do
  bool dead_fail;         // with keep_going: the exit code is that of the first one that failed
  int64_t min_workers;    // of a job whose number of workers changes: at least so many; 0: it does not change
  const char *discovery;  // a script that says for how many there are places; NULL: all of the plan
  const char *directory;  // where tasks on other hosts run; "": where their agent was started
} sli_launch_job_options_t;

// Blocks until all tasks and their descendants have ended. Returns the exit code: 0 if all succeeded; that of the first
// task that failed (128 + signal if it was killed), unless keep_going lets it be; 124 after the timeout; 128 + signal
// if we received a signal. |remotes|: the other hosts, by the index that the tasks have.
int sli_launch_job_run(sli_launch_plan_t *plan, sli_launch_remotes_t *remotes, const sli_launch_job_options_t *options,
                       const sli_launch_guard_t *guard);

#endif  // SLI_CLI_LAUNCH_LAUNCH_JOB_H_
