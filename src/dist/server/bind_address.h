// Which address a task listens on.
#ifndef SLI_DIST_SERVER_BIND_ADDRESS_H_
#define SLI_DIST_SERVER_BIND_ADDRESS_H_

#include <netdb.h>

#include "base/array.h"
#include "dist/cluster/cluster.h"

// Numeric addresses; owned. Empty: all addresses of this machine.
typedef SLI_ARRAY(char *) sli_bind_address_list_t;

// The addresses on which the cluster's own task should listen: those to which its host resolves, as far as they belong
// to this machine. If none does, all, with a warning that lists the addresses of this machine. A name that is only
// loopback here, as a machine's own name often is, is enough if every task is on this machine (127.0.0.1 is then one of
// them); if not, the list is empty, with a warning, because other machines could not connect. May block to resolve a
// name. The caller frees the list.
void sli_bind_address_choose(const sli_cluster_t *cluster, sli_bind_address_list_t *out_list);
void sli_bind_address_list_deinitialize(sli_bind_address_list_t *list);

// How names are resolved; for tests. The functions are like getaddrinfo and freeaddrinfo.
typedef struct {
  int (*resolve)(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **out_found);
  void (*release)(struct addrinfo *found);
} sli_bind_address_resolver_t;
void sli_bind_address_choose_with(const sli_cluster_t *cluster, const sli_bind_address_resolver_t *resolver,
                                  sli_bind_address_list_t *out_list);

// Splits "host:port" or "[v6]:port"; false if it is neither. The caller frees |*out_host|.
bool sli_bind_address_split(const char *address, char **out_host, int *out_port);

// Whether |address| is a numeric loopback address.
bool sli_bind_address_is_loopback(const char *address);

#endif  // SLI_DIST_SERVER_BIND_ADDRESS_H_
