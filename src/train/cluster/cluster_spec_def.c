// The description of a cluster as TensorFlow's ServerDef.
#include "proto/config.fields.h"
#include "proto/wire.h"
#include "train/cluster/cluster_spec.h"

void sli_cluster_spec_append_server_def(const sl_cluster_t *cluster, sli_string_t *out) {
  size_t cluster_def = sli_wire_open(out, SLI_FIELD_SERVER_DEF_CLUSTER);
  for (size_t i = 0; i < cluster->jobs.count; i++) {
    const sli_cluster_spec_job_t *job = &cluster->jobs.items[i];
    size_t job_def = sli_wire_open(out, SLI_FIELD_CLUSTER_DEF_JOB);
    sli_wire_write_text(out, SLI_FIELD_JOB_DEF_NAME, job->name);
    for (size_t j = 0; j < job->tasks.count; j++) {
      size_t entry = sli_wire_open(out, SLI_FIELD_JOB_DEF_TASKS);
      sli_wire_write_int(out, SLI_FIELD_JOB_DEF_TASKS_ENTRY_KEY, job->tasks.items[j].index);
      sli_wire_write_text(out, SLI_FIELD_JOB_DEF_TASKS_ENTRY_VALUE, job->tasks.items[j].address);
      sli_wire_close(out, entry);
    }
    sli_wire_close(out, job_def);
  }
  sli_wire_close(out, cluster_def);
  sli_wire_write_text(out, SLI_FIELD_SERVER_DEF_JOB_NAME, cluster->job);
  sli_wire_write_int(out, SLI_FIELD_SERVER_DEF_TASK_INDEX, cluster->index);
  sli_wire_write_text(out, SLI_FIELD_SERVER_DEF_PROTOCOL, "grpc");
}

TF_Buffer *sl_cluster_to_server_def(sl_cluster_t *cluster, TF_Status *status) {
  TF_Buffer *buffer = NULL;
  if (cluster->status) {
    TF_SetStatus(status, (TF_Code)sli_status_code(cluster->status), sli_status_message(cluster->status));
  } else if (!cluster->job) {
    TF_SetStatus(
        status, TF_INVALID_ARGUMENT,
        "no cluster is described: set TF_CONFIG, or pass --ps_hosts, --worker_hosts, --job_name and --task_index");
  } else {
    sli_string_t bytes = {0};
    sli_cluster_spec_append_server_def(cluster, &bytes);
    buffer = TF_NewBufferFromString(bytes.data, bytes.size);
    sli_string_deinitialize(&bytes);
    TF_SetStatus(status, TF_OK, "");
  }
  sli_cluster_spec_release(cluster);
  return buffer;
}
