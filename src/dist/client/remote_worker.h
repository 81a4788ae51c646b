// The worker of another task, over gRPC.
#ifndef SLI_DIST_CLIENT_REMOTE_WORKER_H_
#define SLI_DIST_CLIENT_REMOTE_WORKER_H_

#include "core/step/env.h"
#include "dist/client/worker_client.h"
#include "rpc/loop.h"

// Creates a client of the task |task_name| at |address| ("host:port"). It connects with the first call. Its |destroy|
// frees it and fails the calls in progress. INVALID_ARGUMENT if the address is malformed.
sli_status_t *sli_remote_worker_create(sli_env_t *env, sli_rpc_loop_t *loop, const char *task_name, const char *address,
                                       sli_worker_client_t **out_client);

#endif  // SLI_DIST_CLIENT_REMOTE_WORKER_H_
