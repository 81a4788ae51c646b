// The cluster as the user described it: jobs, their tasks (indices may have
// gaps) and addresses, and which task we are. Immutable after creation.
#ifndef SLI_DIST_CLUSTER_H_
#define SLI_DIST_CLUSTER_H_

#include "base/array.h"
#include "base/status.h"
#include "base/string.h"

typedef struct {
  char *job;
  int index;
  char *address;    // "host:port"
  char *task_name;  // "/job:ps/replica:0/task:0"
} sli_cluster_task_t;

typedef struct {
  SLI_ARRAY(sli_cluster_task_t) tasks;  // by job name, then index
  int self;                             // position of our own task
  char *protocol;                       // "grpc"
  sli_string_t default_config;          // serialized ConfigProto
  int port;                             // ServerDef's, 0 if not given
} sli_cluster_t;

// From a serialized ServerDef. INVALID_ARGUMENT for a bad address, a task that
// is missing from its job, a task that stands twice, an unknown protocol.
sli_status_t *sli_cluster_from_server_def(sli_view_t server_def, sli_cluster_t *out_cluster);
void sli_cluster_deinitialize(sli_cluster_t *cluster);
const sli_cluster_task_t *sli_cluster_find(const sli_cluster_t *cluster, sli_view_t task_name);
static inline const sli_cluster_task_t *sli_cluster_self(const sli_cluster_t *cluster) {
  return &cluster->tasks.items[cluster->self];
}

#endif  // SLI_DIST_CLUSTER_H_
