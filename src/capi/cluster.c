// sluice/cluster.h: what Sluice tasks can do beyond TensorFlow's C API.
#include "sluice/cluster.h"

#include "capi/server_internal.h"

void sl_cluster_announce_done(TF_Server *server, TF_Status *status) {
  sli_server_announce_done(server->server);
  sli_capi_set_status(status, NULL);
}

bool sl_cluster_is_done(TF_Server *server) { return sli_server_is_job_done(server->server); }

void sl_cluster_join(TF_Server *server, int64_t grace_millis, TF_Status *status) {
  sli_capi_set_status(status, sli_server_join_job(server->server, grace_millis));
}

TF_Server *sl_cluster_new_server(const void *server_def, size_t size, const char *bind, TF_Status *status) {
  return sli_capi_server_create(sli_view_of(server_def, size), bind, status);
}
