// TF_Server: a task of a cluster in this process.
#include <stdlib.h>

#include "capi/server_internal.h"

TF_Server *sli_capi_server_create(sli_view_t server_def, const sli_task_server_options_t *options, TF_Status *status) {
  sli_task_server_t *inner = NULL;
  sli_task_server_options_t all = options ? *options : (sli_task_server_options_t){0};
  if (!all.http) all.http = getenv("SLUICE_HTTP");
  all.page_source = &sli_capi_page_source;
  sli_capi_set_status(status, sli_task_server_create(server_def, &all, &inner));
  if (!inner) return NULL;
  TF_Server *server = sli_calloc(1, sizeof(*server));
  server->server = inner;
  return server;
}

TF_Server *TF_NewServer(const void *proto, size_t proto_len, TF_Status *status) {
  return sli_capi_server_create(sli_view_of(proto, proto_len), NULL, status);
}

void TF_ServerStart(TF_Server *server, TF_Status *status) {
  sli_capi_set_status(status, sli_task_server_start(server->server));
}

void TF_ServerStop(TF_Server *server, TF_Status *status) {
  sli_capi_set_status(status, sli_task_server_stop(server->server));
}

void TF_ServerJoin(TF_Server *server, TF_Status *status) {
  sli_capi_set_status(status, sli_task_server_join(server->server));
}

const char *TF_ServerTarget(TF_Server *server) { return sli_task_server_target(server->server); }

void TF_DeleteServer(TF_Server *server) {
  if (!server) return;
  sli_task_server_destroy(server->server);
  free(server);
}
