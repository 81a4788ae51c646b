// The struct of TF_Server, shared within src/capi.
#ifndef SLI_CAPI_SERVER_INTERNAL_H_
#define SLI_CAPI_SERVER_INTERNAL_H_

#include "capi/capi.h"
#include "dist/server/task_server.h"

struct TF_Server {
  sli_task_server_t *server;
};

// cluster_report.c: what the page of a server shows.
extern const sli_page_source_t sli_capi_page_source;

// |options| NULL: the defaults. NULL with |status| set on failure.
TF_Server *sli_capi_server_create(sli_view_t server_def, const sli_task_server_options_t *options, TF_Status *status);

#endif  // SLI_CAPI_SERVER_INTERNAL_H_
