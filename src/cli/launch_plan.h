// What a local job consists of: its tasks with their addresses, command lines
// and environments. Made once, before anything is started.
#ifndef SLI_CLI_LAUNCH_PLAN_H_
#define SLI_CLI_LAUNCH_PLAN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct {
  int64_t ps, workers;
  bool chief, evaluator;
  const char *classic_flags;  // NULL, or the name of the index flag: "task_index" or "task_id"
  char *const *program;       // command line of the tasks; ends with NULL
  char *const *ps_program;    // that of the ps tasks, which then get no classic flags; NULL for |program|
} sli_launch_request_t;

typedef struct {
  const char *job;  // "chief", "ps", "worker", "evaluator"
  int index;
  char *name;           // "worker 1"
  char *address;        // "localhost:21034"; NULL for an evaluator, which is no member of the cluster
  int reservation;      // keeps the port from other launchers while it is open; -1 for none
  int rank, world;      // among the tasks that do the same: chief and workers count as one kind
  char **argv;          // ends with NULL
  char **environment;   // the whole one, ends with NULL
  char **restart_slot;  // the entry of |environment| that says how often the task was restarted
} sli_launch_task_t;

typedef struct {
  sli_launch_task_t *tasks;  // in the order to start them: ps, chief, workers, evaluator
  size_t count;
} sli_launch_plan_t;

// Chooses free ports and writes the plan. RESOURCE_EXHAUSTED if there are no ports left. |out_plan| is set on failure
// too, and always to be deinitialised.
sli_status_t *sli_launch_plan_initialize(sli_launch_plan_t *out_plan, const sli_launch_request_t *request);
void sli_launch_plan_deinitialize(sli_launch_plan_t *plan);

// Tells the task's next process, by SLUICE_RESTART_COUNT, how often it was restarted.
void sli_launch_task_set_restarts(sli_launch_task_t *task, int restarts);

#endif  // SLI_CLI_LAUNCH_PLAN_H_
