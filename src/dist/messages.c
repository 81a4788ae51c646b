#include "dist/messages.h"

#include <stdlib.h>

#include "base/clock.h"
#include "core/tensor_codec.h"
#include "proto/tensor_wire.h"

enum {
  PLACED_BYTES = 4096,        // smaller contents are cheaper to copy than to place
  WARM_BYTES = 64 << 20,      // of larger ones tensors' allocator keeps too few, or none, warm
  BY_REFERENCE_BYTES = 4096,  // and to send by reference
  SHARED_PART = 4,            // a tensor keeps its message alive if it is at least this part of it
  MAX_TEXT = 1 << 20,         // of a name, key or message
};
#define DERIVED_MARK "[_Derived_]"  // TensorFlow's

enum { NAMED_NAME = 1, NAMED_TENSOR = 2 };
enum {
  RUN_GRAPH_HANDLE = 1,
  RUN_STEP_ID = 2,
  RUN_SEND = 3,
  RUN_RECV_KEY = 4,
  RUN_OPTIONS = 5,
  RUN_IS_PARTIAL = 6,
  RUN_IS_LAST_PARTIAL = 7,
  RUN_SESSION_HANDLE = 8,
  RUN_STORE_ERRORS = 9,
  RUN_SESSION_CREATED = 10,
  RUN_REQUEST_ID = 11,
};
enum { OPTIONS_TIMELINE = 3, OPTIONS_PARTITION_GRAPHS = 4 };
enum { RAN_RECV = 1, RAN_STEP_STATS = 2, RAN_COST_GRAPH = 3, RAN_PARTITION_GRAPH = 4, RAN_CODE = 5, RAN_MESSAGE = 6 };
enum { RECV_STEP_ID = 1, RECV_KEY = 2, RECV_REQUEST_ID = 7 };
enum { RECEIVED_TENSOR = 1, RECEIVED_IS_DEAD = 2, RECEIVED_SEND_START = 3 };

const uint32_t sli_path_run_graph_request[] = {RUN_SEND, NAMED_TENSOR, SLI_TENSOR_CONTENT, 0};
const uint32_t sli_path_run_graph_response[] = {RAN_RECV, NAMED_TENSOR, SLI_TENSOR_CONTENT, 0};
const uint32_t sli_path_recv_tensor_response[] = {RECEIVED_TENSOR, SLI_TENSOR_CONTENT, 0};
const uint32_t sli_path_run_step_request[] = {2, NAMED_TENSOR, SLI_TENSOR_CONTENT, 0};
const uint32_t sli_path_run_step_response[] = {1, NAMED_TENSOR, SLI_TENSOR_CONTENT, 0};
const uint32_t sli_path_run_callable_request[] = {3, SLI_TENSOR_CONTENT, 0};
const uint32_t sli_path_run_callable_response[] = {1, SLI_TENSOR_CONTENT, 0};

// ---- Placement -------------------------------------------------------------------

// Follows |path| through the first bytes of a message. Only decides about
// memory: whoever decodes the message judges it.
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

// |size| bytes that start at an address with remainder |shift|, for the content behind them to be aligned.
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

struct sli_shared_bytes {
  sli_refcount_t references;
  sli_rpc_message_t message;
};

sli_shared_bytes_t *sli_shared_bytes_take(sli_rpc_message_t *message) {
  sli_shared_bytes_t *bytes = sli_malloc(sizeof(*bytes));
  sli_refcount_initialize(&bytes->references);
  bytes->message = *message;
  *message = (sli_rpc_message_t){0};
  return bytes;
}

sli_shared_bytes_t *sli_shared_bytes_retain(sli_shared_bytes_t *bytes) {
  sli_refcount_retain(&bytes->references);
  return bytes;
}

void sli_shared_bytes_release(sli_shared_bytes_t *bytes) {
  if (!bytes || !sli_refcount_release(&bytes->references)) return;
  sli_rpc_message_release(&bytes->message);
  free(bytes);
}

sli_view_t sli_shared_bytes_view(const sli_shared_bytes_t *bytes) {
  return sli_view_of(bytes->message.data, bytes->message.size);
}

static void release_slice(void *context) { sli_shared_bytes_release(context); }

sli_status_t *sli_shared_bytes_decode(sli_shared_bytes_t *bytes, sli_view_t proto, sli_tensor_t **out_tensor) {
  if (proto.size < PLACED_BYTES || proto.size < bytes->message.size / SHARED_PART)
    return sli_tensor_decode(proto, out_tensor);
  bool shared = false;
  sli_status_t *status = sli_tensor_decode_shared(proto, bytes->message.ownership, release_slice,
                                                  sli_shared_bytes_retain(bytes), &shared, out_tensor);
  if (!shared) sli_shared_bytes_release(bytes);
  return status;
}

// ---- Parts -----------------------------------------------------------------------

void sli_named_tensor_encode(uint32_t number, const char *name, sli_tensor_t *tensor, sli_string_t *head,
                             sli_slices_t *slices) {
  size_t size = sli_tensor_encoded_size(tensor);
  sli_wire_write_length(head, number,
                        sli_wire_bytes_size(NAMED_NAME, strlen(name)) + sli_wire_bytes_size(NAMED_TENSOR, size));
  sli_wire_write_text(head, NAMED_NAME, name);
  sli_wire_write_length(head, NAMED_TENSOR, size);
  sli_tensor_encode(tensor, head, slices);
}

sli_status_t *sli_named_tensor_decode(sli_shared_bytes_t *bytes, sli_view_t encoded, sli_view_t *out_name,
                                      sli_tensor_t **out_tensor) {
  *out_name = (sli_view_t){0};
  *out_tensor = NULL;
  sli_view_t proto = {0};
  sli_wire_reader_t reader = sli_wire_reader(encoded);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != NAMED_NAME && field.number != NAMED_TENSOR) continue;
    if (field.type != SLI_WIRE_BYTES) return sli_wire_error("tensorflow.NamedTensorProto");
    *(field.number == NAMED_NAME ? out_name : &proto) = field.bytes;
  }
  if (reader.malformed || out_name->size > MAX_TEXT) return sli_wire_error("tensorflow.NamedTensorProto");
  return sli_shared_bytes_decode(bytes, proto, out_tensor);
}

const char *sli_message_text(sli_arena_t *arena, const sli_wire_field_t *field) {
  if (field->type != SLI_WIRE_BYTES || field->bytes.size > MAX_TEXT) return NULL;
  if (field->bytes.size && memchr(field->bytes.data, 0, field->bytes.size)) return NULL;
  return sli_arena_strndup(arena, field->bytes.data, field->bytes.size);
}

sli_status_t *sli_status_to_wire(sli_status_t *status) {
  return sli_status_is_derived(status) ? sli_status_prefix(status, DERIVED_MARK) : status;
}

sli_status_t *sli_status_from_wire(sli_status_t *status) {
  const char *message = sli_status_message(status);
  if (!status || !sli_starts_with(message, DERIVED_MARK)) return status;
  sli_status_t *bare = sli_status_make_text(sli_status_code(status), message + strlen(DERIVED_MARK));
  sli_status_release(status);
  return sli_status_mark_derived(bare);
}

// ---- RunGraph --------------------------------------------------------------------

static void read_options(sli_view_t bytes, sli_run_graph_t *run) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == OPTIONS_TIMELINE) run->record_timeline = field.value != 0;
    if (field.number == OPTIONS_PARTITION_GRAPHS) run->record_partition_graphs = field.value != 0;
  }
}

static sli_status_t *read_send(sli_shared_bytes_t *bytes, const sli_wire_field_t *field,
                               sli_run_graph_request_t *request) {
  sli_view_t name;
  sli_tensor_t *tensor;
  if (field->type != SLI_WIRE_BYTES) return sli_wire_error("tensorflow.RunGraphRequest");
  SLI_RETURN_IF_ERROR(sli_named_tensor_decode(bytes, field->bytes, &name, &tensor));
  const char *text = sli_arena_strndup(&request->arena, name.data, name.size);
  sli_array_push(&request->sends, (sli_named_tensor_t){text, tensor});
  return NULL;
}

static sli_status_t *read_run_field(sli_shared_bytes_t *bytes, const sli_wire_field_t *field,
                                    sli_run_graph_request_t *request) {
  sli_run_graph_t *run = &request->run;
  const char **text = NULL, *key = NULL;
  switch (field->number) {
    case RUN_GRAPH_HANDLE: text = &run->graph_handle; break;
    case RUN_SESSION_HANDLE: text = &run->session_handle; break;
    case RUN_RECV_KEY: text = &key; break;
    case RUN_SEND: return read_send(bytes, field, request);
    case RUN_STEP_ID: run->step_id = (int64_t)field->value; break;
    case RUN_OPTIONS: read_options(field->bytes, run); break;
    case RUN_IS_PARTIAL: run->is_partial = field->value != 0; break;
    case RUN_IS_LAST_PARTIAL: run->is_last_partial = field->value != 0; break;
    case RUN_STORE_ERRORS: request->store_errors_in_response_body = field->value != 0; break;
  }
  if (text && !(*text = sli_message_text(&request->arena, field))) return sli_wire_error("tensorflow.RunGraphRequest");
  if (key) sli_array_push(&request->recv_keys, key);
  return NULL;
}

sli_status_t *sli_run_graph_request_decode(sli_shared_bytes_t *bytes, sli_run_graph_request_t *out_request) {
  *out_request =
      (sli_run_graph_request_t){.run = {.session_handle = "", .graph_handle = "", .deadline = SLI_NO_DEADLINE}};
  sli_wire_reader_t reader = sli_wire_reader(sli_shared_bytes_view(bytes));
  bool session_created = false;
  sli_status_t *status = NULL;
  for (sli_wire_field_t field; !status && sli_wire_next(&reader, &field);) {
    if (field.number == RUN_SESSION_CREATED) session_created = field.value != 0;
    status = read_run_field(bytes, &field, out_request);
  }
  if (!status && reader.malformed) status = sli_wire_error("tensorflow.RunGraphRequest");
  if (status) {
    sli_run_graph_request_deinitialize(out_request);
    return status;
  }
  sli_run_graph_t *run = &out_request->run;
  if (!session_created) run->session_handle = "";
  run->sends = out_request->sends.items;
  run->send_count = out_request->sends.count;
  run->recv_keys = out_request->recv_keys.items;
  run->recv_count = out_request->recv_keys.count;
  return NULL;
}

void sli_run_graph_request_deinitialize(sli_run_graph_request_t *request) {
  for (size_t i = 0; i < request->sends.count; i++) sli_tensor_release(request->sends.items[i].tensor);
  sli_array_deinitialize(&request->sends);
  sli_array_deinitialize(&request->recv_keys);
  sli_arena_deinitialize(&request->arena);
}

void sli_run_graph_request_encode(const sli_run_graph_t *run, int64_t request_id, sli_slices_t *out) {
  sli_string_t head = {0};
  sli_wire_write_text(&head, RUN_GRAPH_HANDLE, run->graph_handle);
  sli_wire_write_int(&head, RUN_STEP_ID, run->step_id);
  for (size_t i = 0; i < run->send_count; i++)
    sli_named_tensor_encode(RUN_SEND, run->sends[i].name, run->sends[i].tensor, &head, out);
  for (size_t i = 0; i < run->recv_count; i++) sli_wire_write_text(&head, RUN_RECV_KEY, run->recv_keys[i]);
  size_t mark = sli_wire_open(&head, RUN_OPTIONS);
  if (run->record_timeline) sli_wire_write_uint(&head, OPTIONS_TIMELINE, 1);
  if (run->record_partition_graphs) sli_wire_write_uint(&head, OPTIONS_PARTITION_GRAPHS, 1);
  sli_wire_close(&head, mark);
  if (run->is_partial) sli_wire_write_uint(&head, RUN_IS_PARTIAL, 1);
  if (run->is_last_partial) sli_wire_write_uint(&head, RUN_IS_LAST_PARTIAL, 1);
  bool session_created = run->session_handle && *run->session_handle;
  if (session_created) sli_wire_write_text(&head, RUN_SESSION_HANDLE, run->session_handle);
  sli_wire_write_uint(&head, RUN_STORE_ERRORS, 1);
  if (session_created) sli_wire_write_uint(&head, RUN_SESSION_CREATED, 1);
  sli_wire_write_int(&head, RUN_REQUEST_ID, request_id);
  sli_slices_append_string(out, &head);
}

void sli_run_graph_response_encode(const char *const *recv_keys, const sli_run_graph_result_t *result,
                                   const sli_status_t *status, sli_slices_t *out) {
  sli_string_t head = {0};
  if (status) {
    sli_wire_write_length(&head, RAN_COST_GRAPH, 0);
    sli_wire_write_int(&head, RAN_CODE, sli_status_code(status));
    const char *mark = sli_status_is_derived(status) ? DERIVED_MARK : "", *message = sli_status_message(status);
    sli_wire_write_length(&head, RAN_MESSAGE, strlen(mark) + strlen(message));
    sli_string_append_text(&head, mark);
    sli_string_append_text(&head, message);
  } else {
    for (size_t i = 0; i < result->recv_count; i++)
      sli_named_tensor_encode(RAN_RECV, recv_keys[i], result->recvs[i], &head, out);
    if (result->step_stats.size)
      sli_wire_write_bytes(&head, RAN_STEP_STATS, result->step_stats.data, result->step_stats.size);
    sli_wire_write_length(&head, RAN_COST_GRAPH, 0);
    if (result->partition_graph.size)
      sli_wire_write_bytes(&head, RAN_PARTITION_GRAPH, result->partition_graph.data, result->partition_graph.size);
  }
  sli_slices_append_string(out, &head);
}

// The position of |name| among the keys that were asked for and not yet answered; |guess| is where it should be.
static size_t find_key(const char *const *keys, sli_tensor_t *const *recvs, size_t count, size_t guess,
                       sli_view_t name) {
  if (guess < count && !recvs[guess] && sli_view_is(name, keys[guess])) return guess;
  size_t i = 0;
  while (i < count && (recvs[i] || !sli_view_is(name, keys[i]))) i++;
  return i;
}

static sli_status_t *read_recv(sli_shared_bytes_t *bytes, sli_view_t encoded, const char *const *keys, size_t count,
                               size_t guess, sli_tensor_t **recvs) {
  sli_view_t name;
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(sli_named_tensor_decode(bytes, encoded, &name, &tensor));
  size_t at = find_key(keys, recvs, count, guess, name);
  if (at < count) {
    recvs[at] = tensor;
    return NULL;
  }
  sli_tensor_release(tensor);
  return sli_status_make(SLI_INTERNAL, "RunGraph answered with a tensor that was not asked for: %.*s",
                         SLI_VIEW_ARG(name));
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

sli_status_t *sli_run_graph_response_decode(sli_shared_bytes_t *bytes, const char *const *recv_keys, size_t recv_count,
                                            sli_tensor_t **recvs, sli_string_t *scratch,
                                            sli_run_graph_result_t *out_result) {
  *out_result = (sli_run_graph_result_t){.recvs = recvs, .recv_count = recv_count};
  memset(recvs, 0, recv_count * sizeof(*recvs));
  sli_wire_reader_t reader = sli_wire_reader(sli_shared_bytes_view(bytes));
  sli_status_t *status = NULL;
  uint64_t code = SLI_OK;
  sli_view_t message = {0};
  size_t seen = 0;
  for (sli_wire_field_t field; !status && sli_wire_next(&reader, &field);) switch (field.number) {
      case RAN_RECV: status = read_recv(bytes, field.bytes, recv_keys, recv_count, seen++, recvs); break;
      case RAN_STEP_STATS: out_result->step_stats = field.bytes; break;
      case RAN_PARTITION_GRAPH: add_partition_graph(field.bytes, scratch, &out_result->partition_graph); break;
      case RAN_CODE: code = field.value; break;
      case RAN_MESSAGE: message = field.bytes; break;
    }
  if (!status && reader.malformed) status = sli_wire_error("tensorflow.RunGraphResponse");
  if (message.size > MAX_TEXT) message.size = MAX_TEXT;
  if (!status && code != SLI_OK)
    status = sli_status_from_wire(sli_status_make((sli_code_t)code, "%.*s", SLI_VIEW_ARG(message)));
  for (size_t i = 0; !status && i < recv_count; i++)
    if (!recvs[i]) status = sli_status_make(SLI_INTERNAL, "RunGraph did not answer with %s", recv_keys[i]);
  for (size_t i = 0; status && i < recv_count; i++) {
    sli_tensor_release(recvs[i]);
    recvs[i] = NULL;
  }
  return status;
}

// ---- RecvTensor ------------------------------------------------------------------

sli_status_t *sli_recv_tensor_request_decode(sli_view_t bytes, sli_recv_tensor_request_t *out_request) {
  *out_request = (sli_recv_tensor_request_t){0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  bool malformed = false;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == RECV_STEP_ID) out_request->step_id = (int64_t)field.value;
    if (field.number != RECV_KEY) continue;
    malformed |= field.type != SLI_WIRE_BYTES || field.bytes.size > MAX_TEXT;
    out_request->key = field.bytes;
  }
  return malformed || reader.malformed ? sli_wire_error("tensorflow.RecvTensorRequest") : NULL;
}

void sli_recv_tensor_request_encode(int64_t step_id, sli_view_t key, int64_t request_id, sli_slices_t *out) {
  sli_string_t head = {0};
  sli_wire_write_int(&head, RECV_STEP_ID, step_id);
  sli_wire_write_bytes(&head, RECV_KEY, key.data, key.size);
  sli_wire_write_int(&head, RECV_REQUEST_ID, request_id);
  sli_slices_append_string(out, &head);
}

void sli_recv_tensor_response_encode(sli_tensor_t *tensor, bool is_dead, int64_t send_start_micros, sli_slices_t *out) {
  sli_string_t head = {0};
  if (is_dead) {
    sli_recv_tensor_write_dead(&head, send_start_micros);
  } else if (sli_dtype_is_plain((sli_dtype_t)tensor->dtype)) {
    size_t size = sli_tensor_bytes(tensor);
    sli_recv_tensor_write_head(&head, false, send_start_micros, tensor->dtype, tensor->dims, tensor->rank, size);
    if (size >= BY_REFERENCE_BYTES) {
      sli_slices_append_string(out, &head);
      sli_slices_append(out, tensor->data, size, sli_tensor_release_slice, sli_tensor_retain(tensor));
      return;
    }
    sli_string_append(&head, tensor->data, size);
  } else {
    sli_wire_write_length(&head, RECEIVED_TENSOR, sli_tensor_encoded_size(tensor));
    sli_tensor_encode(tensor, &head, out);
    sli_wire_write_int(&head, RECEIVED_SEND_START, send_start_micros);
  }
  sli_slices_append_string(out, &head);
}

sli_status_t *sli_recv_tensor_response_decode(sli_shared_bytes_t *bytes, sli_tensor_t **out_tensor, bool *out_is_dead) {
  *out_tensor = NULL;
  *out_is_dead = false;
  sli_wire_reader_t reader = sli_wire_reader(sli_shared_bytes_view(bytes));
  sli_view_t proto = {0};
  bool malformed = false;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == RECEIVED_IS_DEAD) *out_is_dead = field.value != 0;
    if (field.number != RECEIVED_TENSOR) continue;
    malformed |= field.type != SLI_WIRE_BYTES || proto.data;
    proto = field.bytes;
  }
  if (malformed || reader.malformed) return sli_wire_error("tensorflow.RecvTensorResponse");
  return sli_shared_bytes_decode(bytes, proto, out_tensor);
}
