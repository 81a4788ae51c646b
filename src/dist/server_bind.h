// Which address a task listens on.
#ifndef SLI_DIST_SERVER_BIND_H_
#define SLI_DIST_SERVER_BIND_H_

#include "dist/cluster.h"

// The address for the cluster's own task, to be freed: its own if that is this
// machine's, else NULL for all, with a warning that names the machine's
// addresses. A name that means only loopback here (as a machine's own name
// often does) would shut out the others: NULL too. May wait for a name to be resolved.
char *sli_server_bind_address(const sli_cluster_t *cluster);

// Splits "host:port" or "[v6]:port"; false if it is neither. |out_host| is to be freed.
bool sli_split_address(const char *address, char **out_host, int *out_port);

// Whether |address| is a number of this machine's loopback interface.
bool sli_is_loopback(const char *address);

#endif  // SLI_DIST_SERVER_BIND_H_
