// The plan of a local job: its tasks with their addresses, command lines and environments. Made before any task is
// started.
#ifndef SLI_CLI_LAUNCH_LAUNCH_PLAN_H_
#define SLI_CLI_LAUNCH_LAUNCH_PLAN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct {
  int64_t ps, workers;
  bool chief, evaluator;
  const char *classic_flags;  // NULL, or the name of the index flag: "task_index" or "task_id"
  char *const *program;       // command line of the tasks; ends with NULL
  char *const *ps_program;    // command line of the ps tasks, without classic flags; NULL: |program|
} sli_launch_request_t;

typedef struct {
  const char *job;  // "chief", "ps", "worker", "evaluator"
  int index;
  char *name;           // "worker 1"
  char *address;        // "localhost:21034"; NULL for an evaluator, which is not part of the cluster
  int reservation;      // descriptor that reserves the port among launchers while it is open; -1: none
  int rank, world;      // index and number among tasks of its kind; chief and workers are one kind
  char **argv;          // ends with NULL
  char **environment;   // all variables, ends with NULL
  char **restart_slot;  // the entry SLUICE_RESTART_COUNT of |environment|
} sli_launch_task_t;

typedef struct {
  sli_launch_task_t *tasks;  // in the order to start them: ps, chief, workers, evaluator
  size_t count;
} sli_launch_plan_t;

// Chooses free ports and makes the plan. RESOURCE_EXHAUSTED if no port is free. The caller must deinitialise
// |out_plan|, also after a failure.
sli_status_t *sli_launch_plan_initialize(sli_launch_plan_t *out_plan, const sli_launch_request_t *request);
void sli_launch_plan_deinitialize(sli_launch_plan_t *plan);

// Sets SLUICE_RESTART_COUNT for the task's next process.
void sli_launch_task_set_restarts(sli_launch_task_t *task, int restarts);

#endif  // SLI_CLI_LAUNCH_LAUNCH_PLAN_H_
