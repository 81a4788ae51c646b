// The worker of another task, over gRPC.
#ifndef SLI_DIST_REMOTE_WORKER_H_
#define SLI_DIST_REMOTE_WORKER_H_

#include "core/env.h"
#include "dist/worker_client.h"
#include "rpc/loop.h"

// A client of the task |task_name| at |address| ("host:port"); connects when
// first asked something. Freed by its |destroy|, which fails what is under way.
// INVALID_ARGUMENT for an address that is none.
sli_status_t *sli_remote_worker_create(sli_env_t *env, sli_rpc_loop_t *loop, const char *task_name, const char *address,
                                       sli_worker_client_t **out_client);

#endif  // SLI_DIST_REMOTE_WORKER_H_
