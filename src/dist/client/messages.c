#include "dist/client/messages.h"

#include <stdlib.h>

#include "base/clock.h"
#include "core/tensor/tensor_codec.h"
#include "proto/service.fields.h"
#include "proto/tensor_proto.h"
#include "proto/wire.h"

enum {
  PLACED_BYTES = 4096,        // smaller contents are cheaper to copy than to align
  WARM_BYTES = 64 << 20,      // the tensor allocator caches few or no blocks larger than this
  BY_REFERENCE_BYTES = 4096,  // smaller contents are cheaper to copy than to send by reference
  SHARED_PART = 4,            // a tensor keeps its message alive if it is at least 1/4 of it
  MAX_TEXT = 1 << 20,         // of a name, key or message
};
#define DERIVED_MARK "[_Derived_]"  // TensorFlow's

const uint32_t sli_message_path_run_graph_request[] = {
    SLI_FIELD_RUN_GRAPH_REQUEST_SEND, SLI_FIELD_NAMED_TENSOR_PROTO_TENSOR, SLI_FIELD_TENSOR_PROTO_TENSOR_CONTENT, 0};
const uint32_t sli_message_path_run_graph_response[] = {
    SLI_FIELD_RUN_GRAPH_RESPONSE_RECV, SLI_FIELD_NAMED_TENSOR_PROTO_TENSOR, SLI_FIELD_TENSOR_PROTO_TENSOR_CONTENT, 0};
const uint32_t sli_message_path_recv_tensor_response[] = {SLI_FIELD_RECV_TENSOR_RESPONSE_TENSOR,
                                                          SLI_FIELD_TENSOR_PROTO_TENSOR_CONTENT, 0};
const uint32_t sli_message_path_run_step_request[] = {
    SLI_FIELD_RUN_STEP_REQUEST_FEED, SLI_FIELD_NAMED_TENSOR_PROTO_TENSOR, SLI_FIELD_TENSOR_PROTO_TENSOR_CONTENT, 0};
const uint32_t sli_message_path_run_step_response[] = {
    SLI_FIELD_RUN_STEP_RESPONSE_TENSOR, SLI_FIELD_NAMED_TENSOR_PROTO_TENSOR, SLI_FIELD_TENSOR_PROTO_TENSOR_CONTENT, 0};
const uint32_t sli_message_path_run_callable_request[] = {SLI_FIELD_RUN_CALLABLE_REQUEST_FEED,
                                                          SLI_FIELD_TENSOR_PROTO_TENSOR_CONTENT, 0};

// ---- Placement -------------------------------------------------------------------

// Follows |path| through the first bytes of a message. The result only decides where the message is stored; the decoder
// validates it later.
static bool find_content(sli_message_path_t path, sli_view_t head, size_t message_size, size_t *out_offset,
                         size_t *out_size) {
  sli_wire_reader_t reader = sli_wire_reader(head);
  size_t limit = message_size;  // end of the enclosing message
  while (*path) {
    uint64_t tag, size = 0;
    if (!sli_wire_read_varint(&reader, &tag)) return false;
    switch (tag & 7) {
      case SLI_WIRE_VARINT:
        if (!sli_wire_read_varint(&reader, &size)) return false;
        continue;
      case SLI_WIRE_FIXED64: size = 8; break;
      case SLI_WIRE_FIXED32: size = 4; break;
      case SLI_WIRE_BYTES:
        if (!sli_wire_read_varint(&reader, &size)) return false;
        break;
      default: return false;
    }
    size_t at = (size_t)(reader.next - (const uint8_t *)head.data);
    if (at > limit || size > limit - at) return false;
    if ((tag & 7) == SLI_WIRE_BYTES && tag >> 3 == *path) {
      limit = at + (size_t)size;
      path++;
    } else {
      if (size > (size_t)(reader.end - reader.next)) return false;
      reader.next += size;
    }
  }
  *out_offset = (size_t)(reader.next - (const uint8_t *)head.data);
  *out_size = limit - *out_offset;
  return true;
}

typedef struct {
  void *memory;
  size_t size;
} placement_t;

static void release_placement(void *context) {
  placement_t *placement = context;
  sli_allocator_t *allocator = sli_allocator_cpu();
  allocator->release(allocator, placement->memory, placement->size);
  free(placement);
}

// Allocates |size| bytes at an address with remainder |shift|, so that the content that follows the head is aligned.
static char *place_aligned(size_t shift, size_t size, sli_rpc_message_t *out_message) {
  if (size > WARM_BYTES) {
    sli_status_t *status = sli_rpc_message_allocate(shift + size, out_message);
    if (status) {
      sli_status_release(status);
      return NULL;
    }
    out_message->data += shift;
    out_message->size = size;
    return out_message->data;
  }
  sli_allocator_t *allocator = sli_allocator_cpu();
  void *memory = allocator->allocate(allocator, shift + size);
  if (!memory) return NULL;
  placement_t *placement = sli_malloc(sizeof(*placement));
  *placement = (placement_t){memory, shift + size};
  *out_message = (sli_rpc_message_t){(char *)memory + shift, size, release_placement, placement};
  return out_message->data;
}

char *sli_message_place(sli_message_path_t path, const char *head, size_t head_size, size_t message_size,
                        sli_rpc_message_t *out_message) {
  size_t offset, size;
  if (message_size < PLACED_BYTES || !find_content(path, sli_view_of(head, head_size), message_size, &offset, &size) ||
      size < PLACED_BYTES)
    return NULL;
  size_t shift = (SLI_ALIGNMENT - offset % SLI_ALIGNMENT) % SLI_ALIGNMENT;
  return place_aligned(shift, message_size, out_message);
}

struct sli_message_bytes {
  sli_refcount_t references;
  sli_rpc_message_t message;
};

sli_message_bytes_t *sli_message_bytes_take(sli_rpc_message_t *message) {
  sli_message_bytes_t *bytes = sli_malloc(sizeof(*bytes));
  sli_refcount_initialize(&bytes->references);
  bytes->message = *message;
  *message = (sli_rpc_message_t){0};
  return bytes;
}

sli_message_bytes_t *sli_message_bytes_retain(sli_message_bytes_t *bytes) {
  sli_refcount_retain(&bytes->references);
  return bytes;
}

void sli_message_bytes_release(sli_message_bytes_t *bytes) {
  if (!bytes || !sli_refcount_release(&bytes->references)) return;
  sli_rpc_message_release(&bytes->message);
  free(bytes);
}

sli_view_t sli_message_bytes_view(const sli_message_bytes_t *bytes) {
  return sli_view_of(bytes->message.data, bytes->message.size);
}

static void release_slice(void *context) { sli_message_bytes_release(context); }

sli_status_t *sli_message_bytes_decode(sli_message_bytes_t *bytes, sli_view_t proto, sli_tensor_t **out_tensor) {
  if (proto.size < PLACED_BYTES || proto.size < bytes->message.size / SHARED_PART)
    return sli_tensor_decode(proto, out_tensor);
  bool shared = false;
  sli_status_t *status = sli_tensor_decode_shared(proto, bytes->message.ownership, release_slice,
                                                  sli_message_bytes_retain(bytes), &shared, out_tensor);
  if (!shared) sli_message_bytes_release(bytes);
  return status;
}

// ---- Parts -----------------------------------------------------------------------

void sli_message_named_tensor_encode(uint32_t number, const char *name, sli_tensor_t *tensor, sli_string_t *head,
                                     sli_slices_t *slices) {
  size_t size = sli_tensor_encoded_size(tensor);
  sli_wire_write_length(head, number,
                        sli_wire_bytes_size(SLI_FIELD_NAMED_TENSOR_PROTO_NAME, strlen(name)) +
                            sli_wire_bytes_size(SLI_FIELD_NAMED_TENSOR_PROTO_TENSOR, size));
  sli_wire_write_text(head, SLI_FIELD_NAMED_TENSOR_PROTO_NAME, name);
  sli_wire_write_length(head, SLI_FIELD_NAMED_TENSOR_PROTO_TENSOR, size);
  sli_tensor_encode(tensor, head, slices);
}

sli_status_t *sli_message_named_tensor_decode(sli_message_bytes_t *bytes, sli_view_t encoded, sli_view_t *out_name,
                                              sli_tensor_t **out_tensor) {
  *out_name = (sli_view_t){0};
  *out_tensor = NULL;
  sli_view_t proto = {0};
  sli_wire_reader_t reader = sli_wire_reader(encoded);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_NAMED_TENSOR_PROTO_NAME && field.number != SLI_FIELD_NAMED_TENSOR_PROTO_TENSOR)
      continue;
    if (field.type != SLI_WIRE_BYTES) return sli_wire_error("tensorflow.NamedTensorProto");
    *(field.number == SLI_FIELD_NAMED_TENSOR_PROTO_NAME ? out_name : &proto) = field.bytes;
  }
  if (reader.malformed || out_name->size > MAX_TEXT) return sli_wire_error("tensorflow.NamedTensorProto");
  return sli_message_bytes_decode(bytes, proto, out_tensor);
}

const char *sli_message_text(sli_arena_t *arena, const sli_wire_field_t *field) {
  if (field->type != SLI_WIRE_BYTES || field->bytes.size > MAX_TEXT) return NULL;
  if (field->bytes.size && memchr(field->bytes.data, 0, field->bytes.size)) return NULL;
  return sli_arena_strndup(arena, field->bytes.data, field->bytes.size);
}

sli_status_t *sli_message_encode_status(sli_status_t *status) {
  return sli_status_is_derived(status) ? sli_status_prefix(status, DERIVED_MARK) : status;
}

sli_status_t *sli_message_decode_status(sli_status_t *status) {
  const char *message = sli_status_message(status);
  if (!status || !sli_string_starts_with(message, DERIVED_MARK)) return status;
  sli_status_t *bare = sli_status_make_text(sli_status_code(status), message + strlen(DERIVED_MARK));
  sli_status_release(status);
  return sli_status_mark_derived(bare);
}

// ---- RunGraph --------------------------------------------------------------------

static void read_options(sli_view_t bytes, sli_worker_client_run_graph_t *run) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_EXECUTOR_OPTS_RECORD_TIMELINE) run->record_timeline = field.value != 0;
    if (field.number == SLI_FIELD_EXECUTOR_OPTS_RECORD_PARTITION_GRAPHS)
      run->record_partition_graphs = field.value != 0;
  }
}

static sli_status_t *read_send(sli_message_bytes_t *bytes, const sli_wire_field_t *field,
                               sli_message_run_graph_request_t *request) {
  sli_view_t name;
  sli_tensor_t *tensor;
  if (field->type != SLI_WIRE_BYTES) return sli_wire_error("tensorflow.RunGraphRequest");
  SLI_RETURN_IF_ERROR(sli_message_named_tensor_decode(bytes, field->bytes, &name, &tensor));
  const char *text = sli_arena_strndup(&request->arena, name.data, name.size);
  sli_array_push(&request->sends, (sli_message_named_tensor_t){text, tensor});
  return NULL;
}

static sli_status_t *read_run_field(sli_message_bytes_t *bytes, const sli_wire_field_t *field,
                                    sli_message_run_graph_request_t *request) {
  sli_worker_client_run_graph_t *run = &request->run;
  const char **text = NULL, *key = NULL;
  switch (field->number) {
    case SLI_FIELD_RUN_GRAPH_REQUEST_GRAPH_HANDLE: text = &run->graph_handle; break;
    case SLI_FIELD_RUN_GRAPH_REQUEST_SESSION_HANDLE: text = &run->session_handle; break;
    case SLI_FIELD_RUN_GRAPH_REQUEST_RECV_KEY: text = &key; break;
    case SLI_FIELD_RUN_GRAPH_REQUEST_SEND: return read_send(bytes, field, request);
    case SLI_FIELD_RUN_GRAPH_REQUEST_STEP_ID: run->step_id = (int64_t)field->value; break;
    case SLI_FIELD_RUN_GRAPH_REQUEST_EXEC_OPTS: read_options(field->bytes, run); break;
    case SLI_FIELD_RUN_GRAPH_REQUEST_IS_PARTIAL: run->is_partial = field->value != 0; break;
    case SLI_FIELD_RUN_GRAPH_REQUEST_IS_LAST_PARTIAL_RUN: run->is_last_partial = field->value != 0; break;
    case SLI_FIELD_RUN_GRAPH_REQUEST_STORE_ERRORS_IN_RESPONSE_BODY:
      request->store_errors_in_response_body = field->value != 0;
      break;
  }
  if (text && !(*text = sli_message_text(&request->arena, field))) return sli_wire_error("tensorflow.RunGraphRequest");
  if (key) sli_array_push(&request->recv_keys, key);
  return NULL;
}

sli_status_t *sli_message_run_graph_request_decode(sli_message_bytes_t *bytes,
                                                   sli_message_run_graph_request_t *out_request) {
  *out_request = (sli_message_run_graph_request_t){
      .run = {.session_handle = "", .graph_handle = "", .deadline = SLI_CLOCK_NO_DEADLINE}};
  sli_wire_reader_t reader = sli_wire_reader(sli_message_bytes_view(bytes));
  bool session_created = false;
  sli_status_t *status = NULL;
  for (sli_wire_field_t field; !status && sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_RUN_GRAPH_REQUEST_CREATE_WORKER_SESSION_CALLED) session_created = field.value != 0;
    status = read_run_field(bytes, &field, out_request);
  }
  if (!status && reader.malformed) status = sli_wire_error("tensorflow.RunGraphRequest");
  if (status) {
    sli_message_run_graph_request_deinitialize(out_request);
    return status;
  }
  sli_worker_client_run_graph_t *run = &out_request->run;
  if (!session_created) run->session_handle = "";
  run->sends = out_request->sends.items;
  run->send_count = out_request->sends.count;
  run->recv_keys = out_request->recv_keys.items;
  run->recv_count = out_request->recv_keys.count;
  return NULL;
}

void sli_message_run_graph_request_deinitialize(sli_message_run_graph_request_t *request) {
  for (size_t i = 0; i < request->sends.count; i++) sli_tensor_release(request->sends.items[i].tensor);
  sli_array_deinitialize(&request->sends);
  sli_array_deinitialize(&request->recv_keys);
  sli_arena_deinitialize(&request->arena);
}

void sli_message_run_graph_request_encode(const sli_worker_client_run_graph_t *run, int64_t request_id,
                                          sli_slices_t *out) {
  sli_string_t head = {0};
  sli_wire_write_text(&head, SLI_FIELD_RUN_GRAPH_REQUEST_GRAPH_HANDLE, run->graph_handle);
  sli_wire_write_int(&head, SLI_FIELD_RUN_GRAPH_REQUEST_STEP_ID, run->step_id);
  for (size_t i = 0; i < run->send_count; i++)
    sli_message_named_tensor_encode(SLI_FIELD_RUN_GRAPH_REQUEST_SEND, run->sends[i].name, run->sends[i].tensor, &head,
                                    out);
  for (size_t i = 0; i < run->recv_count; i++)
    sli_wire_write_text(&head, SLI_FIELD_RUN_GRAPH_REQUEST_RECV_KEY, run->recv_keys[i]);
  size_t mark = sli_wire_open(&head, SLI_FIELD_RUN_GRAPH_REQUEST_EXEC_OPTS);
  if (run->record_timeline) sli_wire_write_uint(&head, SLI_FIELD_EXECUTOR_OPTS_RECORD_TIMELINE, 1);
  if (run->record_partition_graphs) sli_wire_write_uint(&head, SLI_FIELD_EXECUTOR_OPTS_RECORD_PARTITION_GRAPHS, 1);
  sli_wire_close(&head, mark);
  if (run->is_partial) sli_wire_write_uint(&head, SLI_FIELD_RUN_GRAPH_REQUEST_IS_PARTIAL, 1);
  if (run->is_last_partial) sli_wire_write_uint(&head, SLI_FIELD_RUN_GRAPH_REQUEST_IS_LAST_PARTIAL_RUN, 1);
  bool session_created = run->session_handle && *run->session_handle;
  if (session_created) sli_wire_write_text(&head, SLI_FIELD_RUN_GRAPH_REQUEST_SESSION_HANDLE, run->session_handle);
  sli_wire_write_uint(&head, SLI_FIELD_RUN_GRAPH_REQUEST_STORE_ERRORS_IN_RESPONSE_BODY, 1);
  if (session_created) sli_wire_write_uint(&head, SLI_FIELD_RUN_GRAPH_REQUEST_CREATE_WORKER_SESSION_CALLED, 1);
  sli_wire_write_int(&head, SLI_FIELD_RUN_GRAPH_REQUEST_REQUEST_ID, request_id);
  sli_slices_append_string(out, &head);
}

void sli_message_run_graph_response_encode(const char *const *recv_keys,
                                           const sli_worker_client_run_graph_result_t *result,
                                           const sli_status_t *status, sli_slices_t *out) {
  sli_string_t head = {0};
  if (status) {
    sli_wire_write_length(&head, SLI_FIELD_RUN_GRAPH_RESPONSE_COST_GRAPH, 0);
    sli_wire_write_int(&head, SLI_FIELD_RUN_GRAPH_RESPONSE_STATUS_CODE, sli_status_code(status));
    const char *mark = sli_status_is_derived(status) ? DERIVED_MARK : "", *message = sli_status_message(status);
    sli_wire_write_length(&head, SLI_FIELD_RUN_GRAPH_RESPONSE_STATUS_ERROR_MESSAGE, strlen(mark) + strlen(message));
    sli_string_append_text(&head, mark);
    sli_string_append_text(&head, message);
  } else {
    for (size_t i = 0; i < result->recv_count; i++)
      sli_message_named_tensor_encode(SLI_FIELD_RUN_GRAPH_RESPONSE_RECV, recv_keys[i], result->recvs[i], &head, out);
    if (result->step_stats.size)
      sli_wire_write_bytes(&head, SLI_FIELD_RUN_GRAPH_RESPONSE_STEP_STATS, result->step_stats.data,
                           result->step_stats.size);
    sli_wire_write_length(&head, SLI_FIELD_RUN_GRAPH_RESPONSE_COST_GRAPH, 0);
    if (result->partition_graph.size)
      sli_wire_write_bytes(&head, SLI_FIELD_RUN_GRAPH_RESPONSE_PARTITION_GRAPH, result->partition_graph.data,
                           result->partition_graph.size);
  }
  sli_slices_append_string(out, &head);
}

// The index of |name| among the keys that were requested and are not yet answered. |guess| is where it is usually
// found.
static size_t find_key(const char *const *keys, sli_tensor_t *const *recvs, size_t count, size_t guess,
                       sli_view_t name) {
  if (guess < count && !recvs[guess] && sli_view_is(name, keys[guess])) return guess;
  size_t i = 0;
  while (i < count && (recvs[i] || !sli_view_is(name, keys[i]))) i++;
  return i;
}

static sli_status_t *read_recv(sli_message_bytes_t *bytes, sli_view_t encoded, const char *const *keys, size_t count,
                               size_t guess, sli_tensor_t **recvs) {
  sli_view_t name;
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(sli_message_named_tensor_decode(bytes, encoded, &name, &tensor));
  size_t at = find_key(keys, recvs, count, guess, name);
  if (at < count) {
    recvs[at] = tensor;
    return NULL;
  }
  sli_tensor_release(tensor);
  return sli_status_make(SLI_INTERNAL, "RunGraph returned a tensor that was not requested: %.*s", SLI_VIEW_ARG(name));
}

// Several partition graphs (one per device) become one: messages merge by concatenation.
static void add_partition_graph(sli_view_t graph, sli_string_t *scratch, sli_view_t *into) {
  if (!into->size) {
    *into = graph;
    return;
  }
  if (into->data != scratch->data) sli_string_append(scratch, into->data, into->size);
  sli_string_append(scratch, graph.data, graph.size);
  *into = sli_view_of(scratch->data, scratch->size);
}

sli_status_t *sli_message_run_graph_response_decode(sli_message_bytes_t *bytes, const char *const *recv_keys,
                                                    size_t recv_count, sli_tensor_t **recvs, sli_string_t *scratch,
                                                    sli_worker_client_run_graph_result_t *out_result) {
  *out_result = (sli_worker_client_run_graph_result_t){.recvs = recvs, .recv_count = recv_count};
  memset(recvs, 0, recv_count * sizeof(*recvs));
  sli_wire_reader_t reader = sli_wire_reader(sli_message_bytes_view(bytes));
  sli_status_t *status = NULL;
  uint64_t code = SLI_OK;
  sli_view_t message = {0};
  size_t seen = 0;
  for (sli_wire_field_t field; !status && sli_wire_next(&reader, &field);) switch (field.number) {
      case SLI_FIELD_RUN_GRAPH_RESPONSE_RECV:
        status = read_recv(bytes, field.bytes, recv_keys, recv_count, seen++, recvs);
        break;
      case SLI_FIELD_RUN_GRAPH_RESPONSE_STEP_STATS: out_result->step_stats = field.bytes; break;
      case SLI_FIELD_RUN_GRAPH_RESPONSE_PARTITION_GRAPH:
        add_partition_graph(field.bytes, scratch, &out_result->partition_graph);
        break;
      case SLI_FIELD_RUN_GRAPH_RESPONSE_STATUS_CODE: code = field.value; break;
      case SLI_FIELD_RUN_GRAPH_RESPONSE_STATUS_ERROR_MESSAGE: message = field.bytes; break;
    }
  if (!status && reader.malformed) status = sli_wire_error("tensorflow.RunGraphResponse");
  if (message.size > MAX_TEXT) message.size = MAX_TEXT;
  if (!status && code != SLI_OK)
    status = sli_message_decode_status(sli_status_make((sli_code_t)code, "%.*s", SLI_VIEW_ARG(message)));
  for (size_t i = 0; !status && i < recv_count; i++)
    if (!recvs[i]) status = sli_status_make(SLI_INTERNAL, "RunGraph did not return %s", recv_keys[i]);
  for (size_t i = 0; status && i < recv_count; i++) {
    sli_tensor_release(recvs[i]);
    recvs[i] = NULL;
  }
  return status;
}

// ---- RecvTensor ------------------------------------------------------------------

sli_status_t *sli_message_recv_tensor_request_decode(sli_view_t bytes, sli_message_recv_tensor_request_t *out_request) {
  *out_request = (sli_message_recv_tensor_request_t){0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  bool malformed = false;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_RECV_TENSOR_REQUEST_STEP_ID) out_request->step_id = (int64_t)field.value;
    if (field.number != SLI_FIELD_RECV_TENSOR_REQUEST_RENDEZVOUS_KEY) continue;
    malformed |= field.type != SLI_WIRE_BYTES || field.bytes.size > MAX_TEXT;
    out_request->key = field.bytes;
  }
  return malformed || reader.malformed ? sli_wire_error("tensorflow.RecvTensorRequest") : NULL;
}

void sli_message_recv_tensor_request_encode(int64_t step_id, sli_view_t key, int64_t request_id, sli_slices_t *out) {
  sli_string_t head = {0};
  sli_wire_write_int(&head, SLI_FIELD_RECV_TENSOR_REQUEST_STEP_ID, step_id);
  sli_wire_write_bytes(&head, SLI_FIELD_RECV_TENSOR_REQUEST_RENDEZVOUS_KEY, key.data, key.size);
  sli_wire_write_int(&head, SLI_FIELD_RECV_TENSOR_REQUEST_REQUEST_ID, request_id);
  sli_slices_append_string(out, &head);
}

void sli_message_recv_tensor_response_encode(sli_tensor_t *tensor, bool is_dead, int64_t send_start_micros,
                                             sli_slices_t *out) {
  sli_string_t head = {0};
  if (is_dead) {
    sli_tensor_proto_write_dead_response(&head, send_start_micros);
  } else if (sli_dtype_is_plain((sli_dtype_t)tensor->dtype)) {
    size_t size = sli_tensor_bytes(tensor);
    sli_tensor_proto_write_response_head(&head, false, send_start_micros, tensor->dtype, tensor->dims, tensor->rank,
                                         size);
    if (size >= BY_REFERENCE_BYTES) {
      sli_slices_append_string(out, &head);
      sli_slices_append(out, tensor->data, size, sli_tensor_release_slice, sli_tensor_retain(tensor));
      return;
    }
    sli_string_append(&head, tensor->data, size);
  } else {
    sli_wire_write_length(&head, SLI_FIELD_RECV_TENSOR_RESPONSE_TENSOR, sli_tensor_encoded_size(tensor));
    sli_tensor_encode(tensor, &head, out);
    sli_wire_write_int(&head, SLI_FIELD_RECV_TENSOR_RESPONSE_SEND_START_MICROS, send_start_micros);
  }
  sli_slices_append_string(out, &head);
}

sli_status_t *sli_message_recv_tensor_response_decode(sli_message_bytes_t *bytes, sli_tensor_t **out_tensor,
                                                      bool *out_is_dead) {
  *out_tensor = NULL;
  *out_is_dead = false;
  sli_wire_reader_t reader = sli_wire_reader(sli_message_bytes_view(bytes));
  sli_view_t proto = {0};
  bool malformed = false;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_RECV_TENSOR_RESPONSE_IS_DEAD) *out_is_dead = field.value != 0;
    if (field.number != SLI_FIELD_RECV_TENSOR_RESPONSE_TENSOR) continue;
    malformed |= field.type != SLI_WIRE_BYTES || proto.data;
    proto = field.bytes;
  }
  if (malformed || reader.malformed) return sli_wire_error("tensorflow.RecvTensorResponse");
  return sli_message_bytes_decode(bytes, proto, out_tensor);
}
