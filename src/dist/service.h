// The gRPC faces of a task: tensorflow.MasterService, tensorflow.WorkerService,
// grpc.health.v1.Health. Each decodes a request, calls the master or worker, and
// encodes the answer; true if the method is theirs.
#ifndef SLI_DIST_SERVICE_H_
#define SLI_DIST_SERVICE_H_

#include "dist/master.h"
#include "dist/worker.h"
#include "rpc/server.h"

bool sli_master_service_handle(sli_master_t *master, sli_env_t *env, sli_rpc_request_t *request);
bool sli_worker_service_handle(sli_worker_t *worker, sli_env_t *env, sli_rpc_request_t *request);
bool sli_health_service_handle(sli_rpc_request_t *request);

#endif  // SLI_DIST_SERVICE_H_
