#include "dist/client/worker_cache.h"

#include <stdlib.h>

#include "base/map.h"
#include "dist/client/remote_worker.h"

struct sli_worker_cache {
  sli_env_t *env;
  sli_rpc_loop_t *loop;
  const sli_cluster_t *cluster;
  sli_worker_client_t *local;  // NULL: our own task is called over the network like the others
  sli_map_t tasks;             // task name → sli_cluster_task_t of |cluster|; immutable
  sli_mutex_t mutex;
  // In the order of the cluster, under mutex.
  sli_worker_client_t **clients;
  char **moved;                              // where a task is now, if not at its address; NULL: there
  SLI_ARRAY(sli_worker_client_t *) retired;  // of tasks that have moved since; sessions may still hold them
};

sli_worker_cache_t *sli_worker_cache_create(sli_env_t *env, sli_rpc_loop_t *loop, const sli_cluster_t *cluster,
                                            sli_worker_client_t *local) {
  sli_worker_cache_t *cache = sli_calloc(1, sizeof(*cache));
  cache->env = env;
  cache->loop = loop;
  cache->cluster = cluster;
  sli_mutex_initialize(&cache->mutex);
  cache->clients = sli_calloc(cluster->tasks.count, sizeof(*cache->clients));
  cache->moved = sli_calloc(cluster->tasks.count, sizeof(*cache->moved));
  cache->local = cache->clients[cluster->self] = local;
  for (size_t i = 0; i < cluster->tasks.count; i++)
    sli_map_set(&cache->tasks, sli_view(cluster->tasks.items[i].task_name), &cluster->tasks.items[i]);
  return cache;
}

sli_worker_cache_t *sli_worker_cache_create_like(const sli_worker_cache_t *like, const sli_cluster_t *cluster) {
  return sli_worker_cache_create(like->env, like->loop, cluster, NULL);
}

sli_rpc_loop_t *sli_worker_cache_loop(const sli_worker_cache_t *cache) { return cache->loop; }

void sli_worker_cache_destroy(sli_worker_cache_t *cache) {
  if (!cache) return;
  for (size_t i = 0; i < cache->cluster->tasks.count; i++)
    if (cache->clients[i] && cache->clients[i] != cache->local) cache->clients[i]->vtable->destroy(cache->clients[i]);
  for (size_t i = 0; i < cache->retired.count; i++) cache->retired.items[i]->vtable->destroy(cache->retired.items[i]);
  for (size_t i = 0; i < cache->cluster->tasks.count; i++) free(cache->moved[i]);
  sli_array_deinitialize(&cache->retired);
  free(cache->moved);
  free(cache->clients);
  sli_map_deinitialize(&cache->tasks);
  sli_mutex_deinitialize(&cache->mutex);
  free(cache);
}

void sli_worker_cache_for_each(sli_worker_cache_t *cache,
                               void (*visit)(void *context, sli_worker_client_t *client, const char *address),
                               void *context) {
  for (size_t i = 0; i < cache->cluster->tasks.count; i++) {
    sli_mutex_lock(&cache->mutex);
    sli_worker_client_t *client = cache->clients[i];
    sli_mutex_unlock(&cache->mutex);
    char *address = sli_worker_cache_address(cache, i);
    if (client && client != cache->local) visit(context, client, address);
    free(address);
  }
}

sli_status_t *sli_worker_cache_get(sli_worker_cache_t *cache, sli_view_t task_name, sli_worker_client_t **out_client) {
  *out_client = NULL;
  const sli_cluster_task_t *task = sli_map_get(&cache->tasks, task_name);
  if (!task) return sli_status_make(SLI_NOT_FOUND, "The cluster has no task %.*s.", SLI_VIEW_ARG(task_name));
  size_t index = (size_t)(task - cache->cluster->tasks.items);
  sli_status_t *status = NULL;
  sli_mutex_lock(&cache->mutex);
  if (!cache->clients[index])
    status =
        sli_remote_worker_create(cache->env, cache->loop, task->task_name,
                                 cache->moved[index] ? cache->moved[index] : task->address, &cache->clients[index]);
  *out_client = cache->clients[index];
  sli_mutex_unlock(&cache->mutex);
  return status;
}

char *sli_worker_cache_address(sli_worker_cache_t *cache, size_t index) {
  sli_mutex_lock(&cache->mutex);
  const char *moved = cache->moved[index];
  char *address = sli_strdup(moved ? moved : cache->cluster->tasks.items[index].address);
  sli_mutex_unlock(&cache->mutex);
  return address;
}

bool sli_worker_cache_move(sli_worker_cache_t *cache, sli_view_t task_name, const char *address) {
  const sli_cluster_task_t *task = sli_map_get(&cache->tasks, task_name);
  if (!task || task == sli_cluster_self(cache->cluster)) return false;
  size_t index = (size_t)(task - cache->cluster->tasks.items);
  sli_mutex_lock(&cache->mutex);
  char *before = cache->moved[index];
  bool moves = strcmp(before ? before : task->address, address) != 0;
  if (moves) {
    cache->moved[index] = strcmp(task->address, address) == 0 ? NULL : sli_strdup(address);
    if (cache->clients[index]) sli_array_push(&cache->retired, cache->clients[index]);
    cache->clients[index] = NULL;
    free(before);
  }
  sli_mutex_unlock(&cache->mutex);
  return moves;
}
