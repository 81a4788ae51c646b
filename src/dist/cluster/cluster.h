// The cluster as the user described it: jobs, their tasks with addresses (indices may have gaps), and which task this
// process is. Immutable after creation.
#ifndef SLI_DIST_CLUSTER_CLUSTER_H_
#define SLI_DIST_CLUSTER_CLUSTER_H_

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
  int self;                             // index of our own task in |tasks|
  char *protocol;                       // "grpc"
  sli_string_t default_config;          // serialized ConfigProto
  int port;                             // ServerDef's, 0 if not given
} sli_cluster_t;

// Reads a serialized ServerDef. INVALID_ARGUMENT for a malformed address, a task that is missing from its job or is
// listed twice, an unknown protocol.
sli_status_t *sli_cluster_from_server_def(sli_view_t server_def, sli_cluster_t *out_cluster);
void sli_cluster_deinitialize(sli_cluster_t *cluster);
const sli_cluster_task_t *sli_cluster_find(const sli_cluster_t *cluster, sli_view_t task_name);
static inline const sli_cluster_task_t *sli_cluster_self(const sli_cluster_t *cluster) {
  return &cluster->tasks.items[cluster->self];
}

// A task in the list of another task.
typedef struct {
  const char *job;
  int index;
  const char *address;
} sli_cluster_entry_t;

// The task |task_name| in |entries|; NULL: it is not there.
const sli_cluster_entry_t *sli_cluster_find_entry(const sli_cluster_entry_t *entries, size_t count,
                                                  const char *task_name);
// Appends how our list and that of the task |other| differ: "worker 0 is a:1 for /job:ps/task:0, b:2 for
// /job:worker/task:0; …", at most a few. Hosts may have several names, so addresses with the same port differ only if
// |compares_hosts|.
void sli_cluster_append_differences(const sli_cluster_t *cluster, const char *other, const sli_cluster_entry_t *entries,
                                    size_t count, bool compares_hosts, sli_string_t *out);
// "/job:ps/task:0" for "/job:ps/replica:0/task:0"; the caller frees it.
char *sli_cluster_short_name(const char *task_name);

#endif  // SLI_DIST_CLUSTER_CLUSTER_H_
