#include "dist/client/session_cluster.h"

#include <stdlib.h>

#include "dist/client/worker_cache.h"
#include "proto/config.fields.h"
#include "proto/wire.h"

void sli_session_cluster_append_server_def(sli_string_t *out, sli_view_t cluster_def, const char *job, int index) {
  sli_wire_write_bytes(out, SLI_FIELD_SERVER_DEF_CLUSTER, cluster_def.data, cluster_def.size);
  sli_wire_write_text(out, SLI_FIELD_SERVER_DEF_JOB_NAME, job);
  if (index) sli_wire_write_int(out, SLI_FIELD_SERVER_DEF_TASK_INDEX, index);
  sli_wire_write_text(out, SLI_FIELD_SERVER_DEF_PROTOCOL, "grpc");
}

sli_status_t *sli_session_cluster_create(sli_worker_cache_t *like, sli_view_t server_def,
                                         sli_session_cluster_t **out_cluster) {
  *out_cluster = NULL;
  sli_session_cluster_t *cluster = sli_calloc(1, sizeof(*cluster));
  sli_refcount_initialize(&cluster->references);
  sli_status_t *status = sli_cluster_from_server_def(server_def, &cluster->cluster);
  if (status) {
    free(cluster);
    return status;
  }
  cluster->cache = sli_worker_cache_create_like(like, &cluster->cluster);
  *out_cluster = cluster;
  return NULL;
}

sli_session_cluster_t *sli_session_cluster_retain(sli_session_cluster_t *cluster) {
  if (cluster) sli_refcount_retain(&cluster->references);
  return cluster;
}

static void destroy(void *context) {
  sli_session_cluster_t *cluster = context;
  sli_worker_cache_destroy(cluster->cache);
  sli_cluster_deinitialize(&cluster->cluster);
  free(cluster);
}

// The last reference may be released in a callback of the very connections that are closed here, so they are closed
// later, by the loop.
void sli_session_cluster_release(sli_session_cluster_t *cluster) {
  if (!cluster || !sli_refcount_release(&cluster->references)) return;
  sli_rpc_loop_post(sli_worker_cache_loop(cluster->cache), destroy, cluster);
}
