// How many workers there are places for, as a script says: it prints a line for each host, "HOST:PLACES" or "HOST" (one
// place), as Horovod's discovery scripts do. It is run again and again, on a thread.
#ifndef SLI_CLI_LAUNCH_LAUNCH_DISCOVERY_H_
#define SLI_CLI_LAUNCH_LAUNCH_DISCOVERY_H_

#include <stdbool.h>

typedef struct sli_launch_discovery sli_launch_discovery_t;

// |script| is a command for the shell. NULL if there is no thread.
sli_launch_discovery_t *sli_launch_discovery_start(const char *script);
// The sum of the places that the script printed last; -1: it has not succeeded yet. Never blocks.
int sli_launch_discovery_places(const sli_launch_discovery_t *discovery);
// Waits until the script that runs has ended. NULL is allowed.
void sli_launch_discovery_stop(sli_launch_discovery_t *discovery);

#endif  // SLI_CLI_LAUNCH_LAUNCH_DISCOVERY_H_
