// The messages of the worker's hot paths, which have hand-written decoders, and the buffer that a tensor's bytes are
// received into. The first byte selects one.
#include <stdlib.h>

#include "base/alloc.h"
#include "dist/client/messages.h"
#include "tests/fuzz/fuzz.h"

static void free_message(void *context) { free(context); }

static sli_message_bytes_t *share(const uint8_t *data, size_t size) {
  char *copy = sli_malloc(size ? size : 1);
  if (size) memcpy(copy, data, size);
  sli_rpc_message_t message = {.data = copy, .size = size, .release = free_message, .context = copy};
  return sli_message_bytes_take(&message);
}

static void decode_run_graph_request(const uint8_t *data, size_t size) {
  sli_message_bytes_t *bytes = share(data, size);
  sli_message_run_graph_request_t request;
  sli_status_t *status = sli_message_run_graph_request_decode(bytes, &request);
  if (!status) sli_message_run_graph_request_deinitialize(&request);
  fuzz_ignore(status);
  sli_message_bytes_release(bytes);
}

static void decode_run_graph_response(const uint8_t *data, size_t size) {
  static const char *const keys[] = {"a", "edge_7_c:0"};
  sli_message_bytes_t *bytes = share(data, size);
  sli_tensor_t *tensors[2] = {NULL, NULL};
  sli_string_t scratch = {0};
  sli_worker_client_run_graph_result_t result = {0};
  fuzz_ignore(sli_message_run_graph_response_decode(bytes, keys, 2, tensors, &scratch, &result));
  sli_tensor_release(tensors[0]);
  sli_tensor_release(tensors[1]);
  sli_string_deinitialize(&scratch);
  sli_message_bytes_release(bytes);
}

// Takes |bytes|.
static void decode_response(sli_message_bytes_t *bytes) {
  sli_tensor_t *tensor = NULL;
  bool is_dead;
  sli_status_t *status = sli_message_recv_tensor_response_decode(bytes, &tensor, &is_dead);
  if (!status) sli_tensor_release(tensor);
  fuzz_ignore(status);
  sli_message_bytes_release(bytes);
}

static void decode_recv_tensor(const uint8_t *data, size_t size) {
  sli_message_recv_tensor_request_t request;
  fuzz_ignore(sli_message_recv_tensor_request_decode(sli_view_of((const char *)data, size), &request));
  sli_message_bytes_t *bytes = share(data, size);
  decode_response(bytes);
}

// As the socket's reader does: the place is chosen by the message's first bytes, the rest then lands there.
static void place(const uint8_t *data, size_t size) {
  if (size < 1) return;
  static const sli_message_path_t paths[] = {sli_message_path_run_graph_request, sli_message_path_recv_tensor_response,
                                             sli_message_path_run_step_request, sli_message_path_run_callable_request};
  sli_message_path_t path = paths[data[0] % 4];
  data++;
  size--;
  size_t head = size < 512 ? size : 512;
  sli_rpc_message_t message = {0};
  char *at = sli_message_place(path, (const char *)data, head, size, &message);
  if (!at) return;
  if (size) memcpy(at, data, size);
  sli_message_bytes_t *bytes = sli_message_bytes_take(&message);
  decode_response(bytes);
}

void fuzz_one(const uint8_t *data, size_t size) {
  static void (*const decoders[])(const uint8_t *, size_t) = {decode_run_graph_request, decode_run_graph_response,
                                                              decode_recv_tensor, place};
  if (size > 0) decoders[data[0] % 4](data + 1, size - 1);
}
