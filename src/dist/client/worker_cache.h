// Creates and destroys the cache of worker clients; worker_client.h has the lookup.
#ifndef SLI_DIST_CLIENT_WORKER_CACHE_H_
#define SLI_DIST_CLIENT_WORKER_CACHE_H_

#include "core/step/env.h"
#include "dist/client/worker_client.h"
#include "dist/cluster/cluster.h"
#include "rpc/loop.h"

// |local| is the client of the cluster's own task; NULL: that is called over the network like the others. |local|,
// |cluster| and |loop| must outlive the cache.
sli_worker_cache_t *sli_worker_cache_create(sli_env_t *env, sli_rpc_loop_t *loop, const sli_cluster_t *cluster,
                                            sli_worker_client_t *local);
// A cache for another cluster on the same loop, without a local client.
sli_worker_cache_t *sli_worker_cache_create_like(const sli_worker_cache_t *like, const sli_cluster_t *cluster);
// Calls |visit| for each client that exists so far, except the local one, with its address.
void sli_worker_cache_for_each(sli_worker_cache_t *cache,
                               void (*visit)(void *context, sli_worker_client_t *client, const char *address),
                               void *context);
// Where the task |index| of the cluster is now: at its address, or where it has moved to. New.
char *sli_worker_cache_address(sli_worker_cache_t *cache, size_t index);
// Another process has taken the place of the task, at |address|: sessions that are opened from now on call that.
// Returns whether the address is another one than before. False for our own task, and for one that is not in the
// cluster.
bool sli_worker_cache_move(sli_worker_cache_t *cache, sli_view_t task_name, const char *address);
sli_rpc_loop_t *sli_worker_cache_loop(const sli_worker_cache_t *cache);
// Closes all connections. Calls in progress have failed when it returns.
void sli_worker_cache_destroy(sli_worker_cache_t *cache);

#endif  // SLI_DIST_CLIENT_WORKER_CACHE_H_
