// Free TCP ports for servers that will bind them later.
#ifndef SLI_BASE_PORT_H_
#define SLI_BASE_PORT_H_

#include "base/status.h"

// Finds a port that is free on all addresses of this machine. Other callers of this function, in any process, do not
// get it while the descriptor *out_reservation (close-on-exec) is open; -1 if the system does not support that.
// RESOURCE_EXHAUSTED if no port is found. Thread-safe.
sli_status_t *sli_port_reserve(int *out_port, int *out_reservation);

#endif  // SLI_BASE_PORT_H_
