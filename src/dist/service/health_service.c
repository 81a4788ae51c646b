// grpc.health.v1.Health: a task that answers is SERVING with all its services.
#include "dist/service/service.h"
#include "proto/health.fields.h"
#include "proto/health.pb-c.h"
#include "proto/wire.h"

static const char *const services[] = {"", "tensorflow.MasterService", "tensorflow.WorkerService",
                                       "grpc.health.v1.Health"};

static sli_status_t *check(sli_view_t bytes, sli_string_t *out_body) {
  sli_view_t service = {0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_HEALTH_CHECK_REQUEST_SERVICE && field.type == SLI_WIRE_BYTES) service = field.bytes;
  if (reader.malformed) return sli_wire_error("grpc.health.v1.HealthCheckRequest");
  for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
    if (!sli_view_is(service, services[i])) continue;
    sli_wire_write_uint(out_body, SLI_FIELD_HEALTH_CHECK_RESPONSE_STATUS,
                        GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING);
    return NULL;
  }
  return sli_status_make_text(SLI_NOT_FOUND, "unknown service");
}

bool sli_health_service_has(const char *method) { return strcmp(method, "/grpc.health.v1.Health/Check") == 0; }

bool sli_health_service_handle(sli_rpc_request_t *request) {
  if (!sli_health_service_has(sli_rpc_request_method(request))) return false;
  const sli_rpc_message_t *message = sli_rpc_request_message(request);
  sli_string_t body = {0};
  sli_slices_t reply = {0};
  sli_status_t *status = check(sli_view_of(message->data, message->size), &body);
  if (body.size) sli_slices_append_string(&reply, &body);
  sli_rpc_request_respond(request, status, &reply);
  return true;
}
