// Free TCP ports for servers that will bind them later.
#ifndef SLI_BASE_PORT_H_
#define SLI_BASE_PORT_H_

#include "base/status.h"

// Finds a port that nothing uses on any address of this machine, and reserves it against others that call this for as
// long as the descriptor *out_reservation (close-on-exec) stays open; that is -1 where the system has no such thing.
// Thread-safe.
sli_status_t *sli_port_reserve(int *out_port, int *out_reservation);

#endif  // SLI_BASE_PORT_H_
