// grpc.health.v1.Health: a task that answers at all serves all its services.
#include "dist/service.h"
#include "proto/wire.h"

enum { CHECK_SERVICE = 1, CHECK_STATUS = 1, SERVING = 1 };

static const char *const services[] = {"", "tensorflow.MasterService", "tensorflow.WorkerService",
                                       "grpc.health.v1.Health"};

static sli_status_t *check(sli_view_t bytes, sli_string_t *out_body) {
  sli_view_t service = {0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == CHECK_SERVICE && field.type == SLI_WIRE_BYTES) service = field.bytes;
  if (reader.malformed) return sli_wire_error("grpc.health.v1.HealthCheckRequest");
  for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
    if (!sli_view_is(service, services[i])) continue;
    sli_wire_write_uint(out_body, CHECK_STATUS, SERVING);
    return NULL;
  }
  return sli_status_make_text(SLI_NOT_FOUND, "unknown service");
}

bool sli_health_service_handle(sli_rpc_request_t *request) {
  if (strcmp(sli_rpc_request_method(request), "/grpc.health.v1.Health/Check") != 0) return false;
  const sli_rpc_message_t *message = sli_rpc_request_message(request);
  sli_string_t body = {0};
  sli_slices_t reply = {0};
  sli_status_t *status = check(sli_view_of(message->data, message->size), &body);
  if (body.size) sli_slices_append_string(&reply, &body);
  sli_rpc_request_respond(request, status, &reply);
  return true;
}
