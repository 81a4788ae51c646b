// A cluster's description as TensorFlow's ServerDef.
#include "train/cluster_internal.h"

TF_Buffer *sl_cluster_to_server_def(sl_cluster_t *cluster, TF_Status *status) {
  TF_Buffer *buffer = NULL;
  if (cluster->status) {
    TF_SetStatus(status, (TF_Code)sli_status_code(cluster->status), sli_status_message(cluster->status));
  } else if (!cluster->job) {
    TF_SetStatus(
        status, TF_INVALID_ARGUMENT,
        "no cluster is described: set TF_CONFIG, or give --ps_hosts, --worker_hosts, --job_name and --task_index");
  } else {
    sli_string_t bytes = {0};
    sli_cluster_server_def(cluster, &bytes);
    buffer = TF_NewBufferFromString(bytes.data, bytes.size);
    sli_string_deinitialize(&bytes);
    TF_SetStatus(status, TF_OK, "");
  }
  sli_cluster_release(cluster);
  return buffer;
}
