// The hosts of a job: from the command line, a file, or the allocation of a Slurm job.
#ifndef SLI_CLI_LAUNCH_LAUNCH_HOSTS_H_
#define SLI_CLI_LAUNCH_LAUNCH_HOSTS_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

// The exit code of ssh, and of a launch, if a host could not be reached or was lost.
enum { SLI_LAUNCH_EXIT_HOST_LOST = 255 };

typedef struct {
  char *name;     // for ssh or srun: "h1", "me@h1"
  char *address;  // for the cluster: "h1", "[fd77::1]"
  int slots;      // how many tasks it takes; 0: any number
  int cpus;       // in a Slurm allocation: its CPUs; 0: not known
} sli_launch_host_t;

// Starts out as {0}.
typedef struct {
  sli_launch_host_t *items;
  size_t count, capacity;
} sli_launch_host_list_t;

// These add hosts to |list|. A host that is named again gets more slots. INVALID_ARGUMENT names the word that is wrong.
// "h1:4,me@h2,[fd77::1]:2".
sli_status_t *sli_launch_host_list_parse(sli_launch_host_list_t *list, const char *text);
// Lines "h1", "h1:4" or "h1 slots=4"; # begins a comment.
sli_status_t *sli_launch_host_list_read(sli_launch_host_list_t *list, const char *path);
// The nodes of the Slurm job that we run in: SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE, SLURM_JOB_CPUS_PER_NODE.
sli_status_t *sli_launch_host_list_read_slurm(sli_launch_host_list_t *list);
void sli_launch_host_list_deinitialize(sli_launch_host_list_t *list);

bool sli_launch_is_in_slurm_job(void);
// The sum of the slots; 0 if a host takes any number.
int sli_launch_host_list_slots(const sli_launch_host_list_t *list);

#endif  // SLI_CLI_LAUNCH_LAUNCH_HOSTS_H_
