// The gRPC services of a task: tensorflow.MasterService, tensorflow.WorkerService, grpc.health.v1.Health,
// grpc.reflection.v1.ServerReflection. Each function decodes the request, calls the master or worker and encodes the
// reply; it returns false, and leaves the request alone, if the service has no such method. Called on the polling
// thread.
#ifndef SLI_DIST_SERVICE_SERVICE_H_
#define SLI_DIST_SERVICE_SERVICE_H_

#include "dist/master/master.h"
#include "dist/worker/worker.h"
#include "rpc/server.h"

bool sli_master_service_handle(sli_master_t *master, sli_env_t *env, sli_rpc_request_t *request);
bool sli_worker_service_handle(sli_worker_t *worker, sli_env_t *env, sli_rpc_request_t *request);
bool sli_health_service_handle(sli_rpc_request_t *request);

// Whether the service has the method of this full name ("/tensorflow.MasterService/RunStep"). Thread-safe.
bool sli_master_service_has(const char *method);
bool sli_worker_service_has(const char *method);
bool sli_health_service_has(const char *method);
bool sli_reflection_service_has(const char *method);

// The reply to one message of ServerReflectionInfo. Thread-safe.
sli_status_t *sli_reflection_service_reply(sli_view_t message, sli_string_t *out_reply);

#endif  // SLI_DIST_SERVICE_SERVICE_H_
