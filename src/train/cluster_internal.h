// The cluster as the user described it, by flags or TF_CONFIG.
#ifndef SLI_TRAIN_CLUSTER_INTERNAL_H_
#define SLI_TRAIN_CLUSTER_INTERNAL_H_

#include "base/array.h"
#include "base/options.h"
#include "base/status.h"
#include "base/string.h"
#include "sluice/server.h"

typedef struct {
  int index;
  char *address;  // "host:port"
} sli_task_t;

typedef struct {
  char *name;
  SLI_ARRAY(sli_task_t) tasks;  // by index; there may be gaps
} sli_job_t;

struct sl_cluster {
  SLI_ARRAY(sli_job_t) jobs;  // by name; none: the program runs alone
  char *job;                  // this task's; NULL when it runs alone
  int index;
  sli_status_t *status;  // why the description cannot be used
};

// The flags that sl_cluster_from_args() takes, for --help.
const sli_option_t *sli_cluster_flag_rows(void);

// Parses the JSON text of TF_CONFIG into the empty |cluster|.
sli_status_t *sli_cluster_parse_tf_config(sl_cluster_t *cluster, const char *json);
// Adds task |index| at |address|; |where| names what is wrong with it.
sli_status_t *sli_job_add_task(sli_job_t *job, int index, const char *address, const char *where);
// Sorts jobs and tasks; fails unless this task is one of the cluster's.
sli_status_t *sli_cluster_check_task(sl_cluster_t *cluster, const char *where);
const sli_job_t *sli_cluster_find_job(const sl_cluster_t *cluster, const char *name);
// Appends a ServerDef for this task.
void sli_cluster_server_def(const sl_cluster_t *cluster, sli_string_t *out);
void sli_cluster_release(sl_cluster_t *cluster);

#endif  // SLI_TRAIN_CLUSTER_INTERNAL_H_
