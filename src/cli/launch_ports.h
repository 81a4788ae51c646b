// Free TCP ports for tasks that will bind them later.
#ifndef SLI_CLI_LAUNCH_PORTS_H_
#define SLI_CLI_LAUNCH_PORTS_H_

#include "base/status.h"

// Finds a port that nothing uses on any address of this machine, and reserves it against other launchers for as long
// as the descriptor *out_reservation (close-on-exec) stays open; that is -1 where the system has no such thing.
sli_status_t *sli_launch_port_reserve(int *out_port, int *out_reservation);

#endif  // SLI_CLI_LAUNCH_PORTS_H_
