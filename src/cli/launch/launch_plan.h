// The plan of a job: its tasks with their hosts, addresses, command lines and environments. Made before any task is
// started; the same for tasks on this machine and on others.
#ifndef SLI_CLI_LAUNCH_LAUNCH_PLAN_H_
#define SLI_CLI_LAUNCH_LAUNCH_PLAN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/launch/launch_hosts.h"

typedef struct {
  int64_t ps, workers;
  int64_t min_workers;  // workers may leave, as long as there are so many; 0: they may not
  bool chief, evaluator;
  const char *classic_flags;            // NULL, or the name of the index flag: "task_index" or "task_id"
  char *const *program;                 // command line of the tasks; ends with NULL
  char *const *ps_program;              // command line of the ps tasks, without classic flags; NULL: |program|
  const sli_launch_host_list_t *hosts;  // NULL: all tasks run on this machine
  int64_t first_port;                   // the ports of a host begin here; 0: free ones
  int64_t http;  // 0, or the port of the first task for HTTP, the next one of the second, and so on
} sli_launch_request_t;

typedef struct {
  const char *job;  // "chief", "ps", "worker", "evaluator"
  int index;
  char *name;           // "worker 1"
  char *label;          // of its output: the name, and "@h1" if it is on another host
  int host;             // index in the request's hosts; -1: this machine
  char *address;        // "localhost:21034"; NULL for an evaluator, which is not part of the cluster
  int reservation;      // descriptor that reserves the port among launchers while it is open; -1: none
  int rank, world;      // index and number among tasks of its kind; chief and workers are one kind
  int local_rank;       // index among those of them on its host
  char **argv;          // ends with NULL
  char **environment;   // all variables, ends with NULL
  char **restart_slot;  // the entry SLUICE_RESTART_COUNT of |environment|
} sli_launch_task_t;

typedef struct {
  sli_launch_task_t *tasks;  // in the order to start them: ps, chief, workers, evaluator
  size_t count;
} sli_launch_plan_t;

// Puts the tasks on hosts: ps tasks are spread over the hosts, the others fill one host after the other.
// INVALID_ARGUMENT if they do not fit. The caller must deinitialise |out_plan|, also after a failure.
sli_status_t *sli_launch_plan_initialize(sli_launch_plan_t *out_plan, const sli_launch_request_t *request);
// How many ports the tasks on |host| need.
size_t sli_launch_plan_port_count(const sli_launch_plan_t *plan, int host);
// Gives the tasks on |host| their ports, in order.
void sli_launch_plan_set_ports(sli_launch_plan_t *plan, const sli_launch_request_t *request, int host,
                               const int *ports);
// Chooses free ports of this machine for its tasks that have no address, and makes all command lines and environments.
// Ports of other hosts must be set. RESOURCE_EXHAUSTED if no port is free.
sli_status_t *sli_launch_plan_finish(sli_launch_plan_t *plan, const sli_launch_request_t *request);
void sli_launch_plan_deinitialize(sli_launch_plan_t *plan);

// Sets SLUICE_RESTART_COUNT for the task's next process.
void sli_launch_task_set_restarts(sli_launch_task_t *task, int restarts);

#endif  // SLI_CLI_LAUNCH_LAUNCH_PLAN_H_
