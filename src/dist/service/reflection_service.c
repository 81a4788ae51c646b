// grpc.reflection.v1.ServerReflection, and v1alpha for older tools: lists the services of a task. It has no
// descriptions of their messages.
#include "dist/service/service.h"
#include "proto/reflection.fields.h"
#include "proto/wire.h"

static const char *const services[] = {
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    "sluice.Control",
    "sluice.Store",
    "tensorflow.MasterService",
    "tensorflow.WorkerService",
};

bool sli_reflection_service_has(const char *method) {
  return !strcmp(method, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo") ||
         !strcmp(method, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo");
}

static void write_services(sli_string_t *out) {
  size_t list = sli_wire_open(out, SLI_FIELD_SERVER_REFLECTION_RESPONSE_LIST_SERVICES_RESPONSE);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(services); i++) {
    size_t service = sli_wire_open(out, SLI_FIELD_LIST_SERVICE_RESPONSE_SERVICE);
    sli_wire_write_text(out, SLI_FIELD_SERVICE_RESPONSE_NAME, services[i]);
    sli_wire_close(out, service);
  }
  sli_wire_close(out, list);
}

static void write_error(sli_string_t *out) {
  size_t error = sli_wire_open(out, SLI_FIELD_SERVER_REFLECTION_RESPONSE_ERROR_RESPONSE);
  sli_wire_write_int(out, SLI_FIELD_ERROR_RESPONSE_ERROR_CODE, SLI_NOT_FOUND);
  sli_wire_write_text(out, SLI_FIELD_ERROR_RESPONSE_ERROR_MESSAGE,
                      "Sluice lists its services, but does not describe them: use TensorFlow's .proto files");
  sli_wire_close(out, error);
}

sli_status_t *sli_reflection_service_reply(sli_view_t message, sli_string_t *out_reply) {
  sli_view_t host = {0};
  bool lists = false;
  sli_wire_reader_t reader = sli_wire_reader(message);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_SERVER_REFLECTION_REQUEST_HOST) host = field.bytes;
    lists |= field.number == SLI_FIELD_SERVER_REFLECTION_REQUEST_LIST_SERVICES;
  }
  if (reader.malformed) return sli_wire_error("grpc.reflection.v1.ServerReflectionRequest");
  sli_wire_write_bytes(out_reply, SLI_FIELD_SERVER_REFLECTION_RESPONSE_VALID_HOST, host.data, host.size);
  sli_wire_write_bytes(out_reply, SLI_FIELD_SERVER_REFLECTION_RESPONSE_ORIGINAL_REQUEST, message.data, message.size);
  if (lists)
    write_services(out_reply);
  else
    write_error(out_reply);
  return NULL;
}
