// Making the cache of worker clients that worker_client.h describes.
#ifndef SLI_DIST_WORKER_CACHE_H_
#define SLI_DIST_WORKER_CACHE_H_

#include "core/env.h"
#include "dist/cluster.h"
#include "dist/worker_client.h"
#include "rpc/loop.h"

// |local| is the client of the cluster's own task (NULL: reached like the others); it, |cluster| and |loop| outlive the
// cache.
sli_worker_cache_t *sli_worker_cache_create(sli_env_t *env, sli_rpc_loop_t *loop, const sli_cluster_t *cluster,
                                            sli_worker_client_t *local);
// A cache for another cluster, reached in the same way.
sli_worker_cache_t *sli_worker_cache_create_like(const sli_worker_cache_t *like, const sli_cluster_t *cluster);
// The clients that were made so far, but for the local one, with their addresses.
void sli_worker_cache_for_each(sli_worker_cache_t *cache,
                               void (*visit)(void *context, sli_worker_client_t *client, const char *address),
                               void *context);
sli_rpc_loop_t *sli_worker_cache_loop(const sli_worker_cache_t *cache);
// Closes all connections; calls under way have failed when it returns.
void sli_worker_cache_destroy(sli_worker_cache_t *cache);

#endif  // SLI_DIST_WORKER_CACHE_H_
