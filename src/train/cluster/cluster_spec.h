// The description of a cluster: jobs, tasks and addresses, from flags, TF_CONFIG,
// Slurm or the program.
#ifndef SLI_TRAIN_CLUSTER_CLUSTER_SPEC_H_
#define SLI_TRAIN_CLUSTER_CLUSTER_SPEC_H_

#include <stdatomic.h>

#include "base/array.h"
#include "base/options.h"
#include "base/status.h"
#include "base/string.h"
#include "sluice/server.h"

typedef struct {
  int index;
  char *address;              // "host:port", as given
  _Atomic(const char *) now;  // where it is, if that is elsewhere; NULL: there. Owned by the server
} sli_cluster_spec_task_t;

static inline const char *sli_cluster_spec_address(const sli_cluster_spec_task_t *task) {
  const char *now = atomic_load(&task->now);
  return now ? now : task->address;
}

typedef struct {
  char *name;
  SLI_ARRAY(sli_cluster_spec_task_t) tasks;  // sorted by index, which may have gaps
} sli_cluster_spec_job_t;

struct sl_cluster {
  SLI_ARRAY(sli_cluster_spec_job_t) jobs;  // sorted by name; none: the program runs alone
  char *job;                               // of this task; NULL if the program runs alone
  int index;
  double worker_lost_secs;  // after which a silent worker counts as lost; 0: never
  int min_workers;          // workers join and leave, and so many must be there; 0: all are expected
  double ps_backup_secs;    // how often the ps tasks back up their variables; 0: never
  char *http;               // the flag --http; NULL: not given
  bool is_joining;          // --join: the other tasks do not know the address of this one
  sli_status_t *status;     // the error in the description; NULL: none
};

// The flags of sl_cluster_from_args(), for --help.
const sli_option_t *sli_cluster_spec_flag_rows(void);

// Parses the JSON text of TF_CONFIG. |cluster| must be empty.
sli_status_t *sli_cluster_spec_parse_tf_config(sl_cluster_t *cluster, const char *json);
// Describes the job of the ps at |ps|, with a place in it for this task: see cluster_spec_join.c. |cluster| must be
// empty. Blocks for some seconds at most.
sli_status_t *sli_cluster_spec_join(sl_cluster_t *cluster, const char *ps);
// INVALID_ARGUMENT if |address| is not "host:port".
sli_status_t *sli_cluster_spec_check_address(const char *address, const char *where);
sli_cluster_spec_job_t *sli_cluster_spec_find_or_add_job(sl_cluster_t *cluster, const char *name);
// Adds task |index| at |address|. Errors begin with |where|, the source of the description.
sli_status_t *sli_cluster_spec_add_task(sli_cluster_spec_job_t *job, int index, const char *address, const char *where);
// Sorts jobs and tasks. Fails unless this task is part of the cluster, or an evaluator.
sli_status_t *sli_cluster_spec_check_task(sl_cluster_t *cluster, const char *where);
const sli_cluster_spec_job_t *sli_cluster_spec_find_job(const sl_cluster_t *cluster, const char *name);
// Appends a ServerDef for this task.
void sli_cluster_spec_append_server_def(const sl_cluster_t *cluster, sli_string_t *out);
void sli_cluster_spec_release(sl_cluster_t *cluster);

#endif  // SLI_TRAIN_CLUSTER_CLUSTER_SPEC_H_
