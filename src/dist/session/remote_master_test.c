// A client against a master that answers as no master of ours would: the values of
// a step in an order of its own.
#include "dist/session/target_session.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/test.h"
#include "dist/client/messages.h"
#include "dist/env/env_process.h"
#include "proto/service.fields.h"
#include "proto/wire.h"
#include "rpc/server.h"
#include "runtime/session/session.h"

typedef enum { BACKWARDS, ONE_MISSING, ONE_TWICE, ONE_STRANGER } answer_t;

typedef struct {
  answer_t answer;
  size_t asked;  // fetches of the last step
} master_t;

// Each value is the length of its name.
static void write_value(const char *name, sli_string_t *head, sli_slices_t *reply) {
  sli_tensor_t *value = sli_tensor_scalar_int64((int64_t)strlen(name));
  sli_message_named_tensor_encode(SLI_FIELD_RUN_STEP_RESPONSE_TENSOR, name, value, head, reply);
  sli_tensor_release(value);
}

static void answer_step(master_t *master, sli_view_t request, sli_slices_t *reply) {
  SLI_ARRAY(char *) names = {0};
  sli_wire_reader_t reader = sli_wire_reader(request);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_RUN_STEP_REQUEST_FETCH)
      sli_array_push(&names, sli_format("%.*s", SLI_VIEW_ARG(field.bytes)));
  master->asked = names.count;
  sli_string_t head = {0};
  for (size_t i = names.count; i-- > (master->answer == ONE_MISSING ? 1 : 0);)
    write_value(names.items[i], &head, reply);
  if (master->answer == ONE_TWICE && names.count) write_value(names.items[0], &head, reply);
  if (master->answer == ONE_STRANGER) write_value("stranger:0", &head, reply);
  if (head.size) sli_slices_append_string(reply, &head);
  for (size_t i = 0; i < names.count; i++) free(names.items[i]);
  sli_array_deinitialize(&names);
}

static void handle(void *context, sli_rpc_request_t *request) {
  const char *method = sli_rpc_request_method(request);
  const sli_rpc_message_t *message = sli_rpc_request_message(request);
  sli_slices_t reply = {0};
  if (strcmp(method, "/tensorflow.MasterService/CreateSession") == 0) {
    sli_string_t body = {0};
    sli_wire_write_text(&body, SLI_FIELD_CREATE_SESSION_RESPONSE_SESSION_HANDLE, "the session");
    sli_slices_append_string(&reply, &body);
  } else if (strcmp(method, "/tensorflow.MasterService/RunStep") == 0) {
    answer_step(context, sli_view_of(message->data, message->size), &reply);
  }
  sli_rpc_request_respond(request, NULL, &reply);
}

// One step with |names| fetched; their values, -1 for none, to |out_values|.
static sli_status_t *run_step(master_t *master, const char *const *names, size_t count, int64_t *out_values) {
  sli_rpc_service_t service = {.context = master, .handle = handle};
  sli_rpc_server_t *server;
  SLI_RETURN_IF_ERROR(sli_rpc_server_create(sli_env_process_loop(), "127.0.0.1", 0, &service, NULL, &server));
  char *target = sli_format("grpc://127.0.0.1:%d", sli_rpc_server_port(server));
  sli_session_t *session = NULL;
  sli_tensor_t *values[4] = {0};
  sli_status_t *status = sli_target_session_create(target, sli_view(""), &session);
  sli_session_run_t run = {.fetch_names = names, .fetch_count = count};
  if (!status) status = session->vtable->run(session, &run, values);
  for (size_t i = 0; i < count; i++) {
    out_values[i] = values[i] ? sli_tensor_int_at(values[i], 0) : -1;
    sli_tensor_release(values[i]);
  }
  if (session) sli_status_release(session->vtable->close(session));
  if (session) session->vtable->destroy(session);
  sli_rpc_server_destroy(server);
  free(target);
  return status;
}

static const char *const names[] = {"a:0", "ccc:0", "a:0", "bb:0"};
static int64_t values[4];

SLI_TEST(test_values_find_their_places_by_name) {
  master_t master = {.answer = BACKWARDS};
  SLI_EXPECT_OK(run_step(&master, names, 4, values));
  SLI_EXPECT_INT(master.asked, 3);  // a name is asked for once
  static const int64_t wanted[] = {3, 5, 3, 4};
  for (int i = 0; i < 4; i++) SLI_EXPECT_INT(values[i], wanted[i]);
}

SLI_TEST(test_answers_that_do_not_fit_are_refused) {
  static const answer_t bad[] = {ONE_MISSING, ONE_TWICE, ONE_STRANGER};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    master_t master = {.answer = bad[i]};
    SLI_EXPECT_STATUS(run_step(&master, names, 4, values), SLI_INTERNAL);
    for (int j = 0; j < 4; j++) SLI_EXPECT_INT(values[j], -1);
  }
}

SLI_TEST_MAIN(test_values_find_their_places_by_name, test_answers_that_do_not_fit_are_refused)
