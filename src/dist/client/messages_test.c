#include "dist/client/messages.h"

#include <stdio.h>

#include "base/test.h"
#include "core/tensor/tensor_codec.h"
#include "dist/client/collective_messages.h"
#include "proto/service.fields.h"
#include "proto/stats.fields.h"

static bool read_golden(const char *name, sli_string_t *out) {
  char path[512];
  snprintf(path, sizeof(path), "%s/wire/%s", sli_test_golden_dir(), name);
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char buffer[4096];
  for (size_t size; (size = fread(buffer, 1, sizeof(buffer), file)) > 0;) sli_string_append(out, buffer, size);
  fclose(file);
  return true;
}

static sli_message_bytes_t *share(const void *data, size_t size) {
  sli_rpc_message_t message = {0};
  SLI_CHECK(sli_rpc_message_allocate(size ? size : 1, &message) == NULL);
  if (size) memcpy(message.data, data, size);
  message.size = size;
  return sli_message_bytes_take(&message);
}

static void flatten(sli_slices_t *slices, sli_string_t *out) {
  if (slices->size) sli_slices_copy(slices, sli_string_extend(out, slices->size));
  sli_slices_deinitialize(slices);
}

static bool same(const sli_string_t *a, const sli_string_t *b) {
  return sli_view_equal(sli_view_of(a->data, a->size), sli_view_of(b->data, b->size));
}

SLI_TEST(test_recorded_run_graph_is_read_and_written_alike) {
  sli_string_t golden = {0}, ours = {0};
  SLI_REQUIRE(read_golden("ps.RunGraph.000.req", &golden));
  sli_message_bytes_t *bytes = share(golden.data, golden.size);
  sli_message_run_graph_request_t request;
  SLI_REQUIRE_OK(sli_message_run_graph_request_decode(bytes, &request));
  SLI_EXPECT_TEXT(request.run.graph_handle, "0000000000000001");
  SLI_EXPECT_TEXT(request.run.session_handle, "561ee48abb241a5e");
  SLI_EXPECT(request.store_errors_in_response_body);
  SLI_EXPECT_INT(request.run.send_count, 0);
  sli_slices_t slices = {0};
  sli_message_run_graph_request_encode(&request.run, 0x67ebe8c0c6ef377c & INT64_MAX, &slices);
  flatten(&slices, &ours);
  // All but the request id, which is random.
  SLI_EXPECT_INT(ours.size, golden.size);
  SLI_EXPECT(memcmp(ours.data, golden.data, golden.size - 9) == 0);
  sli_message_run_graph_request_deinitialize(&request);
  sli_message_bytes_release(bytes);
  sli_string_clear(&golden);
  sli_string_clear(&ours);
  SLI_REQUIRE(read_golden("ps.RunGraph.000.resp", &golden));
  sli_message_run_graph_response_encode(NULL, &(sli_worker_client_run_graph_result_t){0}, NULL, &slices);
  flatten(&slices, &ours);
  SLI_EXPECT(same(&ours, &golden));
  sli_string_deinitialize(&golden);
  sli_string_deinitialize(&ours);
}

SLI_TEST(test_recorded_recv_tensors_are_read_and_written_alike) {
  int seen = 0;
  for (int i = 0; i < 24; i++) {
    const char *job = i % 2 ? "worker" : "ps";
    char name[64];
    sli_string_t golden = {0}, ours = {0};
    sli_slices_t slices = {0};
    snprintf(name, sizeof(name), "%s.RecvTensor.%03d.req", job, i / 2);
    if (!read_golden(name, &golden)) continue;
    sli_message_recv_tensor_request_t request;
    SLI_REQUIRE_OK(sli_message_recv_tensor_request_decode(sli_view_of(golden.data, golden.size), &request));
    sli_rendezvous_key_t key;
    SLI_EXPECT_OK(sli_rendezvous_key_parse(request.key, &key));
    sli_string_clear(&golden);
    snprintf(name, sizeof(name), "%s.RecvTensor.%03d.resp", job, i / 2);
    SLI_REQUIRE(read_golden(name, &golden));
    sli_message_bytes_t *bytes = share(golden.data, golden.size);
    sli_tensor_t *tensor;
    bool is_dead;
    SLI_REQUIRE_OK(sli_message_recv_tensor_response_decode(bytes, &tensor, &is_dead));
    int64_t micros = 0;
    sli_wire_reader_t reader = sli_wire_reader(sli_view_of(golden.data, golden.size));
    for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
      if (field.number == SLI_FIELD_RECV_TENSOR_RESPONSE_SEND_START_MICROS) micros = (int64_t)field.value;
    SLI_EXPECT(micros != 0);
    sli_message_recv_tensor_response_encode(tensor, is_dead, micros, &slices);
    flatten(&slices, &ours);
    if (!same(&ours, &golden)) sli_test_fail(__FILE__, __LINE__, "%s is written differently", name);
    seen++;
    sli_tensor_release(tensor);
    sli_message_bytes_release(bytes);
    sli_string_deinitialize(&golden);
    sli_string_deinitialize(&ours);
  }
  SLI_EXPECT(seen >= 4);
}

SLI_TEST(test_dead_tensor_has_tensorflows_bytes) {
  static const unsigned char wanted[] = {0x10, 1, 0x18, 5, 0x0a, 0x0a, 8, 1, 0x12, 4, 0x12, 2, 8, 0, 0x22, 0};
  sli_slices_t slices = {0};
  sli_string_t ours = {0};
  sli_tensor_t *tensor = sli_tensor_scalar_string(sli_view("ignored"));
  sli_message_recv_tensor_response_encode(tensor, true, 5, &slices);
  flatten(&slices, &ours);
  SLI_EXPECT(sli_view_equal(sli_view_of(ours.data, ours.size), sli_view_of((const char *)wanted, sizeof(wanted))));
  sli_message_bytes_t *bytes = share(ours.data, ours.size);
  sli_tensor_t *back;
  bool is_dead;
  SLI_EXPECT_OK(sli_message_recv_tensor_response_decode(bytes, &back, &is_dead));
  SLI_EXPECT(is_dead);
  sli_tensor_release(back);
  sli_tensor_release(tensor);
  sli_message_bytes_release(bytes);
  sli_string_deinitialize(&ours);
}

// A request with feeds and fetches of several kinds.
static void make_request(sli_slices_t *out, const char *big_name, sli_tensor_t *big) {
  sli_tensor_t *text = sli_tensor_scalar_string(sli_view("hello"));
  sli_message_named_tensor_t sends[] = {{big_name, big}, {"text;key", text}};
  const char *keys[] = {"first;key", "second;key"};
  sli_worker_client_run_graph_t run = {.session_handle = "session",
                                       .graph_handle = "graph",
                                       .step_id = -7,
                                       .sends = sends,
                                       .send_count = 2,
                                       .recv_keys = keys,
                                       .recv_count = 2,
                                       .record_timeline = true,
                                       .is_partial = true,
                                       .is_last_partial = true};
  sli_message_run_graph_request_encode(&run, 1, out);
  sli_tensor_release(text);
}

static sli_tensor_t *make_big(int64_t count) {
  sli_tensor_t *tensor;
  SLI_CHECK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT32, &count, 1, &tensor) == NULL);
  for (int64_t i = 0; i < count; i++) SLI_DATA(int32_t, tensor)[i] = (int32_t)i;
  return tensor;
}

SLI_TEST(test_placed_request_is_not_copied) {
  sli_tensor_t *big = make_big(100000);
  sli_slices_t slices = {0};
  sli_string_t flat = {0};
  make_request(&slices, "/job:a/replica:0/task:0/device:CPU:0;0000000000000001;/job:a;big:0;0:0", big);
  SLI_EXPECT(slices.count > 1);  // the content went by reference
  flatten(&slices, &flat);
  sli_rpc_message_t message = {0};
  char *place =
      sli_message_place(sli_message_path_run_graph_request, flat.data, SLI_RPC_HEAD_SIZE, flat.size, &message);
  SLI_REQUIRE(place != NULL && place == message.data);
  memcpy(place, flat.data, flat.size);
  sli_message_bytes_t *bytes = sli_message_bytes_take(&message);
  sli_message_run_graph_request_t request;
  SLI_REQUIRE_OK(sli_message_run_graph_request_decode(bytes, &request));
  SLI_REQUIRE(request.run.send_count == 2 && request.run.recv_count == 2);
  sli_tensor_t *got = sli_tensor_retain(request.run.sends[0].tensor);
  SLI_EXPECT((char *)got->data > place && (char *)got->data < place + flat.size);
  SLI_EXPECT_INT((uintptr_t)got->data % SLI_ALIGNMENT, 0);
  SLI_EXPECT_INT(request.run.step_id, -7);
  SLI_EXPECT(request.run.is_partial && request.run.is_last_partial && request.run.record_timeline);
  SLI_EXPECT_TEXT(request.run.recv_keys[1], "second;key");
  SLI_EXPECT_TEXT(request.run.session_handle, "session");
  SLI_EXPECT(sli_view_is(sli_tstring_view(request.run.sends[1].tensor->data), "hello"));
  sli_message_run_graph_request_deinitialize(&request);
  sli_message_bytes_release(bytes);
  SLI_EXPECT(memcmp(got->data, big->data, 400000) == 0);  // the tensor keeps the message alive
  sli_tensor_release(got);
  sli_tensor_release(big);
  sli_string_deinitialize(&flat);
}

SLI_TEST(test_cut_requests_never_crash) {
  sli_tensor_t *big = make_big(3000);
  sli_slices_t slices = {0};
  sli_string_t flat = {0};
  make_request(&slices, "k", big);
  flatten(&slices, &flat);
  for (size_t size = 0; size < flat.size; size += size < 300 ? 1 : 997) {
    sli_message_bytes_t *bytes = share(flat.data, size);
    sli_message_run_graph_request_t request;
    sli_status_t *status = sli_message_run_graph_request_decode(bytes, &request);
    if (status)
      SLI_EXPECT_INT(sli_status_code(status), SLI_INVALID_ARGUMENT);
    else
      sli_message_run_graph_request_deinitialize(&request);
    sli_status_release(status);
    sli_message_bytes_release(bytes);
    sli_rpc_message_t message = {0};
    size_t head = size < SLI_RPC_HEAD_SIZE ? size : SLI_RPC_HEAD_SIZE;
    sli_message_place(sli_message_path_run_graph_request, flat.data, head, size, &message);
    sli_rpc_message_release(&message);
  }
  sli_tensor_release(big);
  sli_string_deinitialize(&flat);
}

SLI_TEST(test_first_session_without_create_is_the_legacy_one) {
  static const unsigned char body[] = {0x0a, 1, 'g', 0x42, 1, 's'};
  sli_message_bytes_t *bytes = share(body, sizeof(body));
  sli_message_run_graph_request_t request;
  SLI_REQUIRE_OK(sli_message_run_graph_request_decode(bytes, &request));
  SLI_EXPECT_TEXT(request.run.session_handle, "");
  sli_message_run_graph_request_deinitialize(&request);
  sli_message_bytes_release(bytes);
}

static sli_status_t *decode_response(sli_slices_t *slices, const char *const *keys, size_t count, sli_tensor_t **recvs,
                                     sli_string_t *scratch, sli_worker_client_run_graph_result_t *result) {
  sli_string_t flat = {0};
  flatten(slices, &flat);
  sli_message_bytes_t *bytes = share(flat.data, flat.size);
  sli_status_t *status = sli_message_run_graph_response_decode(bytes, keys, count, recvs, scratch, result);
  sli_message_bytes_release(bytes);
  sli_string_deinitialize(&flat);
  return status;
}

SLI_TEST(test_response_is_put_in_order_of_the_keys) {
  sli_tensor_t *one = sli_tensor_scalar_int32(1), *two = sli_tensor_scalar_string(sli_view("two"));
  sli_tensor_t *sent[] = {two, one}, *recvs[2];
  const char *sent_keys[] = {"b", "a"}, *keys[] = {"a", "b"}, *more[] = {"a", "c"};
  sli_worker_client_run_graph_result_t result = {.recvs = sent, .recv_count = 2}, got;
  sli_slices_t slices = {0};
  sli_string_t scratch = {0};
  sli_message_run_graph_response_encode(sent_keys, &result, NULL, &slices);
  SLI_REQUIRE_OK(decode_response(&slices, keys, 2, recvs, &scratch, &got));
  SLI_EXPECT_INT(recvs[0]->dtype, SLI_DTYPE_INT32);
  SLI_EXPECT_INT(recvs[1]->dtype, SLI_DTYPE_STRING);
  sli_tensor_release(recvs[0]);
  sli_tensor_release(recvs[1]);
  sli_message_run_graph_response_encode(sent_keys, &result, NULL, &slices);
  SLI_EXPECT_STATUS(decode_response(&slices, more, 2, recvs, &scratch, &got), SLI_INTERNAL);
  SLI_EXPECT(!recvs[0] && !recvs[1]);
  sli_tensor_release(one);
  sli_tensor_release(two);
  sli_string_deinitialize(&scratch);
}

SLI_TEST(test_failure_in_body_keeps_that_it_is_derived) {
  sli_status_t *sent = sli_status_mark_derived(sli_status_make(SLI_ABORTED, "elsewhere"));
  sli_slices_t slices = {0};
  sli_string_t scratch = {0};
  sli_worker_client_run_graph_result_t got;
  sli_message_run_graph_response_encode(NULL, NULL, sent, &slices);
  sli_status_t *status = decode_response(&slices, NULL, 0, (sli_tensor_t *[1]){0}, &scratch, &got);
  SLI_EXPECT_INT(sli_status_code(status), SLI_ABORTED);
  SLI_EXPECT_TEXT(sli_status_message(status), "elsewhere");
  SLI_EXPECT(sli_status_is_derived(status));
  status = sli_message_encode_status(status);
  SLI_EXPECT_TEXT(sli_status_message(status), "[_Derived_]elsewhere");
  status = sli_message_decode_status(status);
  SLI_EXPECT_TEXT(sli_status_message(status), "elsewhere");
  sli_status_release(status);
  sli_status_release(sent);
  sli_string_deinitialize(&scratch);
}

// A group whose members all speak this version has a generation; one with a member of another version, or with one of
// TensorFlow's, follows TensorFlow's rules.
SLI_TEST(test_a_group_with_another_version_has_no_generation) {
  static const char *const descriptions[] = {SLI_MESSAGE_SLUICE_DEVICE, "sluice", "sluice 9", ""};
  for (size_t i = 0; i < sizeof(descriptions) / sizeof(*descriptions); i++) {
    sli_string_t bytes = {0};
    sli_wire_write_int(&bytes, SLI_FIELD_COMPLETE_GROUP_RESPONSE_GROUP_KEY, 1);
    sli_wire_write_int(&bytes, SLI_FIELD_COMPLETE_GROUP_RESPONSE_GROUP_SIZE, 2);
    sli_wire_write_text(&bytes, SLI_FIELD_COMPLETE_GROUP_RESPONSE_COMMUNICATOR_KEY, "0123456789abcdef");
    for (int member = 0; member < 2; member++) {
      char name[64];
      snprintf(name, sizeof(name), "/job:worker/replica:0/task:%d/device:CPU:0", member);
      size_t mark = sli_wire_open(&bytes, SLI_FIELD_COMPLETE_GROUP_RESPONSE_DEVICE_ATTRIBUTES);
      sli_wire_write_text(&bytes, SLI_FIELD_DEVICE_ATTRIBUTES_NAME, name);
      sli_wire_write_text(&bytes, SLI_FIELD_DEVICE_ATTRIBUTES_PHYSICAL_DEVICE_DESC,
                          member ? descriptions[i] : SLI_MESSAGE_SLUICE_DEVICE);
      sli_wire_close(&bytes, mark);
    }
    sli_collective_group_t *group;
    SLI_EXPECT_OK(sli_message_complete_group_response_decode(sli_view_of(bytes.data, bytes.size), &group));
    SLI_REQUIRE(group);
    SLI_EXPECT_TEXT(group->generation, i == 0 ? "0123456789abcdef" : "");
    sli_collective_group_release(group);
    sli_string_deinitialize(&bytes);
  }
}

SLI_TEST_MAIN(test_a_group_with_another_version_has_no_generation, test_recorded_run_graph_is_read_and_written_alike,
              test_recorded_recv_tensors_are_read_and_written_alike, test_dead_tensor_has_tensorflows_bytes,
              test_placed_request_is_not_copied, test_cut_requests_never_crash,
              test_first_session_without_create_is_the_legacy_one, test_response_is_put_in_order_of_the_keys,
              test_failure_in_body_keeps_that_it_is_derived)
