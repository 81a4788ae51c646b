// The cluster of one session (ConfigProto.cluster_def): tasks under the names that the session gives them, which may
// differ from the names of their servers, and clients of them. Reference-counted; immutable.
#ifndef SLI_DIST_CLIENT_SESSION_CLUSTER_H_
#define SLI_DIST_CLIENT_SESSION_CLUSTER_H_

#include "base/sync.h"
#include "dist/client/worker_client.h"
#include "dist/cluster/cluster.h"

typedef struct {
  sli_refcount_t references;
  sli_cluster_t cluster;
  sli_worker_cache_t *cache;  // of all tasks; our own, under its new name, is called over the network like the others
} sli_session_cluster_t;

// Writes the ServerDef of the task |index| of |job| in the cluster of |cluster_def|, a serialized ClusterDef.
void sli_session_cluster_append_server_def(sli_string_t *out, sli_view_t cluster_def, const char *job, int index);

// Creates it from a serialized ServerDef. Tasks are reached in the same way as those of |like|. Fails as
// sli_cluster_from_server_def does.
sli_status_t *sli_session_cluster_create(sli_worker_cache_t *like, sli_view_t server_def,
                                         sli_session_cluster_t **out_cluster);
// Both accept NULL. The connections are closed soon after the last release, which never blocks.
sli_session_cluster_t *sli_session_cluster_retain(sli_session_cluster_t *cluster);
void sli_session_cluster_release(sli_session_cluster_t *cluster);

#endif  // SLI_DIST_CLIENT_SESSION_CLUSTER_H_
