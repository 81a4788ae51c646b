// The launcher's end of other hosts: for each one a process of ssh or srun that runs an agent there.
#ifndef SLI_CLI_LAUNCH_LAUNCH_REMOTE_H_
#define SLI_CLI_LAUNCH_LAUNCH_REMOTE_H_

#include <stdbool.h>
#include <sys/types.h>

#include "base/options.h"
#include "base/status.h"
#include "base/string.h"
#include "cli/launch/launch_guard.h"
#include "cli/launch/launch_hosts.h"
#include "cli/launch/launch_link.h"
#include "cli/launch/launch_plan.h"

typedef struct {
  bool slurm;             // by srun, else by ssh
  const char *ssh;        // the command of ssh, words separated by spaces
  const char *sluice;     // the path of sluice on the hosts; where it does not exist, the one in PATH
  const char *directory;  // where the tasks run
  double silence;         // seconds after which a host that says nothing is lost
  double connect_timeout;
  const sli_option_list_t *copies;  // files and directories to copy first
} sli_launch_remote_options_t;

typedef struct {
  const sli_launch_host_t *host;
  pid_t pid;  // of ssh or srun; 0: it has ended
  sli_launch_link_t link;
  int error;           // what ssh, srun and the agent print; -1 when closed
  sli_string_t words;  // the last of that, for messages
  int *ports;          // reserved for the tasks
  size_t port_count;
  bool ready;  // the agent has said what we asked for
  bool lost;   // it has ended before we asked it to
} sli_launch_remote_t;

typedef struct {
  sli_launch_remote_t *items;
  size_t count;
} sli_launch_remotes_t;

// Copies what is to be copied, then starts an agent on each host, all at the same time, and gives the tasks of |plan|
// their ports. Blocks until all are ready. An error names the host and what ssh or srun said. *out_signal: a signal
// that ended the wait; the status is CANCELLED then. The caller must deinitialise |out_remotes|, also after a failure.
sli_status_t *sli_launch_remotes_connect(sli_launch_remotes_t *out_remotes, const sli_launch_remote_options_t *options,
                                         const sli_launch_request_t *request, sli_launch_plan_t *plan,
                                         const sli_launch_guard_t *guard, int *out_signal);
// Ends the processes that are left. The agents then kill their tasks.
void sli_launch_remotes_deinitialize(sli_launch_remotes_t *remotes);

// Asks the agent to start |task|, whose number is |number|.
void sli_launch_remote_start(sli_launch_remote_t *remote, const sli_launch_task_t *task, size_t number,
                             const char *directory);
void sli_launch_remote_signal(sli_launch_remote_t *remote, size_t number, int signal);
// Reads what ssh, srun and the agent print. Lines are passed to |show|, with the name of the host in front, unless it
// is NULL.
void sli_launch_remote_read_error(sli_launch_remote_t *remote, sli_string_t *show);
// Ends the connection, and waits for ssh or srun to end.
void sli_launch_remote_close(sli_launch_remote_t *remote);

#endif  // SLI_CLI_LAUNCH_LAUNCH_REMOTE_H_
