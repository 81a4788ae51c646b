#include "dist/client/collective_messages.h"

#include <stdlib.h>

#include "proto/service.fields.h"
#include "proto/stats.fields.h"
#include "proto/tensor_proto.h"

enum {
  BY_REFERENCE_BYTES = 4096,  // smaller contents are cheaper to copy than to send by reference
  MAX_MEMBERS = 1 << 16,
};
#define RECV_BUF_TYPE "type.googleapis.com/tensorflow.RecvBufRespExtra"

const uint32_t sli_message_path_recv_buf_response[] = {SLI_FIELD_RECV_BUF_RESPONSE_TRANSPORT_OPTIONS,
                                                       SLI_FIELD_ANY_VALUE,
                                                       SLI_FIELD_RECV_BUF_RESP_EXTRA_TENSOR_CONTENT, 0};

// ---- CompleteGroup ---------------------------------------------------------------

static void write_member(const sli_collective_member_t *member, const char *type, sli_string_t *out) {
  sli_wire_write_text(out, SLI_FIELD_DEVICE_ATTRIBUTES_NAME, member->device);
  sli_wire_write_text(out, SLI_FIELD_DEVICE_ATTRIBUTES_DEVICE_TYPE, type);
  sli_wire_write_length(out, SLI_FIELD_DEVICE_ATTRIBUTES_LOCALITY, 0);
  sli_wire_write_fixed64(out, SLI_FIELD_DEVICE_ATTRIBUTES_INCARNATION, member->incarnation);
  if (member->is_sluice)
    sli_wire_write_text(out, SLI_FIELD_DEVICE_ATTRIBUTES_PHYSICAL_DEVICE_DESC, SLI_MESSAGE_SLUICE_DEVICE);
}

void sli_message_complete_group_request_encode(const sli_collective_group_request_t *request, sli_string_t *out) {
  sli_wire_write_int(out, SLI_FIELD_COMPLETE_GROUP_REQUEST_GROUP_KEY, request->key);
  sli_wire_write_int(out, SLI_FIELD_COMPLETE_GROUP_REQUEST_GROUP_SIZE, request->size);
  sli_wire_write_text(out, SLI_FIELD_COMPLETE_GROUP_REQUEST_DEVICE_TYPE, request->device_type);
  sli_wire_write_nonzero(out, SLI_FIELD_COMPLETE_GROUP_REQUEST_COLLECTIVE_TYPE, request->kind);
  size_t mark = sli_wire_open(out, SLI_FIELD_COMPLETE_GROUP_REQUEST_DEVICE_ATTRIBUTES);
  write_member(&request->member, request->device_type, out);
  sli_wire_close(out, mark);
  if (*request->failed)
    sli_wire_write_text(out, SLI_FIELD_COMPLETE_GROUP_REQUEST_FAILED_COMMUNICATOR_KEY, request->failed);
  sli_wire_write_nonzero(out, SLI_FIELD_COMPLETE_GROUP_REQUEST_LEAST_SIZE, request->least);
  sli_wire_write_nonzero(out, SLI_FIELD_COMPLETE_GROUP_REQUEST_TAKES_OVER, request->takes_over);
}

void sli_message_complete_group_response_encode(const sli_collective_group_t *group, sli_string_t *out) {
  sli_wire_write_int(out, SLI_FIELD_COMPLETE_GROUP_RESPONSE_GROUP_KEY, group->key);
  sli_wire_write_int(out, SLI_FIELD_COMPLETE_GROUP_RESPONSE_GROUP_SIZE, group->size);
  sli_wire_write_text(out, SLI_FIELD_COMPLETE_GROUP_RESPONSE_DEVICE_TYPE, group->device_type);
  sli_wire_write_int(out, SLI_FIELD_COMPLETE_GROUP_RESPONSE_NUM_TASKS, group->task_count);
  if (*group->generation)
    sli_wire_write_text(out, SLI_FIELD_COMPLETE_GROUP_RESPONSE_COMMUNICATOR_KEY, group->generation);
  for (int i = 0; i < group->size; i++) {
    size_t mark = sli_wire_open(out, SLI_FIELD_COMPLETE_GROUP_RESPONSE_DEVICE_ATTRIBUTES);
    write_member(&group->members[i], group->device_type, out);
    sli_wire_close(out, mark);
  }
}

static sli_status_t *read_member(sli_view_t bytes, sli_collective_member_t *out_member) {
  sli_view_t name = {0}, description = {0};
  *out_member = (sli_collective_member_t){.rank = -1};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_DEVICE_ATTRIBUTES_NAME && field.type == SLI_WIRE_BYTES) name = field.bytes;
    if (field.number == SLI_FIELD_DEVICE_ATTRIBUTES_PHYSICAL_DEVICE_DESC && field.type == SLI_WIRE_BYTES)
      description = field.bytes;
    if (field.number == SLI_FIELD_DEVICE_ATTRIBUTES_INCARNATION && field.type == SLI_WIRE_FIXED64)
      out_member->incarnation = field.value;
  }
  sli_device_name_t parsed;
  if (reader.malformed || !sli_device_name_parse(name, &parsed) || !parsed.has_type || memchr(name.data, 0, name.size))
    return sli_wire_error("tensorflow.DeviceAttributes");
  sli_view_t task = sli_device_name_task(name);
  out_member->device = sli_strndup(name.data, name.size);
  out_member->task = sli_strndup(task.data, task.size);
  out_member->is_sluice = sli_view_is(description, SLI_MESSAGE_SLUICE_DEVICE);
  return NULL;
}

typedef SLI_ARRAY(sli_collective_member_t) members_t;

static void members_deinitialize(members_t *members) {
  for (size_t i = 0; i < members->count; i++) {
    free(members->items[i].device);
    free(members->items[i].task);
  }
  sli_array_deinitialize(members);
}

sli_status_t *sli_message_complete_group_response_decode(sli_view_t bytes, sli_collective_group_t **out_group) {
  *out_group = NULL;
  int64_t key = 0, size = 0;
  sli_view_t type = {0}, generation = {0};
  members_t members = {0};
  sli_status_t *status = NULL;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; !status && sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_COMPLETE_GROUP_RESPONSE_GROUP_KEY) key = (int64_t)field.value;
    if (field.number == SLI_FIELD_COMPLETE_GROUP_RESPONSE_GROUP_SIZE) size = (int64_t)field.value;
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_COMPLETE_GROUP_RESPONSE_DEVICE_TYPE) type = field.bytes;
    if (field.number == SLI_FIELD_COMPLETE_GROUP_RESPONSE_COMMUNICATOR_KEY) generation = field.bytes;
    if (field.number != SLI_FIELD_COMPLETE_GROUP_RESPONSE_DEVICE_ATTRIBUTES || members.count >= MAX_MEMBERS) continue;
    sli_collective_member_t member;
    status = read_member(field.bytes, &member);
    if (!status) sli_array_push(&members, member);
  }
  if (!status && (reader.malformed || key != (int32_t)key)) status = sli_wire_error("tensorflow.CompleteGroupResponse");
  if (!status && (size <= 0 || members.count != (size_t)size))
    status = sli_status_make(SLI_INTERNAL, "CompleteGroupResponse group_size doesn't match device_name list: %lld, %zu",
                             (long long)size, members.count);
  if (status) {
    members_deinitialize(&members);
    return status;
  }
  // Keys of TensorFlow's leaders are for other transports. A generation is 16 characters.
  char *type_text = sli_strndup(type.data, type.size);
  char *text = generation.size == 16 ? sli_strndup(generation.data, generation.size) : sli_strdup("");
  *out_group = sli_collective_group_create((int32_t)key, type_text, text, members.items, (int32_t)size);
  free(type_text);
  free(text);
  return NULL;
}

// ---- CompleteInstance ------------------------------------------------------------

void sli_message_complete_instance_request_encode(const sli_collective_instance_request_t *request, sli_string_t *out) {
  sli_wire_write_text(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_NAME, request->name);
  sli_wire_write_nonzero(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_TYPE, request->kind);
  sli_wire_write_int(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_DATA_TYPE, request->dtype);
  sli_tensor_proto_write_shape(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_SHAPE, request->shape.dims,
                               request->shape.rank);
  sli_wire_write_int(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_GROUP_KEY, request->group_key);
  sli_wire_write_int(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_GROUP_SIZE, request->group_size);
  sli_wire_write_int(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_INSTANCE_KEY, request->instance_key);
  sli_wire_write_text(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_DEVICE_TYPE, request->device_type);
  for (int i = 0; i < request->ring_count; i++)
    sli_wire_write_int(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_SUBDIV_OFFSET, request->rings[i]);
  sli_wire_write_text(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_DEVICE, request->device);
  if (request->is_source) sli_wire_write_uint(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_IS_SOURCE, 1);
  sli_wire_write_nonzero(out, SLI_FIELD_COMPLETE_INSTANCE_REQUEST_STEP_ID, request->step_id);
}

void sli_message_complete_instance_response_encode(int32_t instance_key, int source_rank, sli_string_t *out) {
  sli_wire_write_nonzero(out, SLI_FIELD_COMPLETE_INSTANCE_RESPONSE_INSTANCE_KEY, instance_key);
  sli_wire_write_nonzero(out, SLI_FIELD_COMPLETE_INSTANCE_RESPONSE_SOURCE_RANK, source_rank);
}

sli_status_t *sli_message_complete_instance_response_decode(sli_view_t bytes, int *out_source_rank) {
  *out_source_rank = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_COMPLETE_INSTANCE_RESPONSE_SOURCE_RANK) *out_source_rank = (int)(int64_t)field.value;
  return reader.malformed ? sli_wire_error("tensorflow.CompleteInstanceResponse") : NULL;
}

// ---- RecvBuf ---------------------------------------------------------------------

void sli_message_recv_buf_request_encode(const sli_collective_buffer_request_t *request, int64_t request_id,
                                         sli_string_t *out) {
  sli_wire_write_nonzero(out, SLI_FIELD_RECV_BUF_REQUEST_STEP_ID, request->step_id);
  sli_wire_write_bytes(out, SLI_FIELD_RECV_BUF_REQUEST_BUF_RENDEZVOUS_KEY, request->key.data, request->key.size);
  sli_wire_write_int(out, SLI_FIELD_RECV_BUF_REQUEST_NUM_BYTES, request->size);
  sli_wire_write_length(out, SLI_FIELD_RECV_BUF_REQUEST_CLIENT_LOCALITY, 0);
  sli_wire_write_length(out, SLI_FIELD_RECV_BUF_REQUEST_SERVER_LOCALITY, 0);
  sli_wire_write_text(out, SLI_FIELD_RECV_BUF_REQUEST_SRC_DEVICE, request->source_device);
  sli_wire_write_text(out, SLI_FIELD_RECV_BUF_REQUEST_DST_DEVICE, request->destination_device);
  sli_wire_write_int(out, SLI_FIELD_RECV_BUF_REQUEST_REQUEST_ID, request_id);
  sli_wire_write_uint(out, SLI_FIELD_RECV_BUF_REQUEST_SRC_INCARNATION, request->incarnation);
}

sli_status_t *sli_message_recv_buf_request_decode(sli_view_t bytes, sli_message_recv_buf_request_t *out_request) {
  *out_request = (sli_message_recv_buf_request_t){0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    bool is_text = field.type == SLI_WIRE_BYTES;
    switch (field.number) {
      case SLI_FIELD_RECV_BUF_REQUEST_STEP_ID: out_request->step_id = (int64_t)field.value; break;
      case SLI_FIELD_RECV_BUF_REQUEST_NUM_BYTES: out_request->size = (int64_t)field.value; break;
      case SLI_FIELD_RECV_BUF_REQUEST_SRC_INCARNATION: out_request->incarnation = field.value; break;
      case SLI_FIELD_RECV_BUF_REQUEST_BUF_RENDEZVOUS_KEY:
        if (is_text) out_request->key = field.bytes;
        break;
      case SLI_FIELD_RECV_BUF_REQUEST_SRC_DEVICE:
        if (is_text) out_request->source_device = field.bytes;
        break;
      case SLI_FIELD_RECV_BUF_REQUEST_DST_DEVICE:
        if (is_text) out_request->destination_device = field.bytes;
        break;
    }
  }
  return reader.malformed ? sli_wire_error("tensorflow.RecvBufRequest") : NULL;
}

void sli_message_recv_buf_response_encode(sli_tensor_t *buffer, int64_t send_start_micros, sli_slices_t *out) {
  sli_string_t head = {0};
  size_t size = sli_tensor_bytes(buffer);
  size_t value = sli_wire_bytes_size(SLI_FIELD_RECV_BUF_RESP_EXTRA_TENSOR_CONTENT, size);
  sli_wire_write_int(&head, SLI_FIELD_RECV_BUF_RESPONSE_SEND_START_MICROS, send_start_micros);
  sli_wire_write_length(&head, SLI_FIELD_RECV_BUF_RESPONSE_TRANSPORT_OPTIONS,
                        sli_wire_bytes_size(SLI_FIELD_ANY_TYPE_URL, strlen(RECV_BUF_TYPE)) +
                            sli_wire_bytes_size(SLI_FIELD_ANY_VALUE, value));
  sli_wire_write_text(&head, SLI_FIELD_ANY_TYPE_URL, RECV_BUF_TYPE);
  sli_wire_write_length(&head, SLI_FIELD_ANY_VALUE, value);
  sli_wire_write_length(&head, SLI_FIELD_RECV_BUF_RESP_EXTRA_TENSOR_CONTENT, size);
  if (size < BY_REFERENCE_BYTES) sli_string_append(&head, buffer->data, size);
  sli_slices_append_string(out, &head);
  if (size >= BY_REFERENCE_BYTES)
    sli_slices_append(out, buffer->data, size, sli_tensor_release_slice, sli_tensor_retain(buffer));
}

// The next field |number| of a message, which must be bytes.
static bool next_bytes(sli_wire_reader_t *reader, uint32_t number, sli_view_t *out_bytes) {
  for (sli_wire_field_t field; sli_wire_next(reader, &field);)
    if (field.number == number && field.type == SLI_WIRE_BYTES) {
      *out_bytes = field.bytes;
      return true;
    }
  return false;
}

static void release_bytes(void *context, void *data, size_t size) { sli_message_bytes_release(context); }

sli_status_t *sli_message_recv_buf_response_decode(sli_message_bytes_t *bytes, int64_t size,
                                                   sli_tensor_t **out_buffer) {
  *out_buffer = NULL;
  sli_view_t options = {0}, value = {0}, part;
  sli_wire_reader_t reader = sli_wire_reader(sli_message_bytes_view(bytes));
  next_bytes(&reader, SLI_FIELD_RECV_BUF_RESPONSE_TRANSPORT_OPTIONS, &options);
  sli_wire_reader_t any = sli_wire_reader(options);
  next_bytes(&any, SLI_FIELD_ANY_VALUE, &value);
  sli_wire_reader_t extra = sli_wire_reader(value), copy = extra;
  int64_t total = 0;
  size_t parts = 0;
  const char *data = NULL;
  for (; next_bytes(&extra, SLI_FIELD_RECV_BUF_RESP_EXTRA_TENSOR_CONTENT, &part); parts++) {
    total += (int64_t)part.size;
    data = part.data;
  }
  if (reader.malformed || any.malformed || extra.malformed) return sli_wire_error("tensorflow.RecvBufResponse");
  if (total != size)
    return sli_status_make(SLI_INTERNAL, "RecvBufResponse returned %lld bytes where to_tensor expected %lld",
                           (long long)total, (long long)size);
  if (parts == 1 && size >= BY_REFERENCE_BYTES && (uintptr_t)data % sizeof(double) == 0)
    return sli_tensor_adopt(SLI_DTYPE_UINT8, &size, 1, (void *)(uintptr_t)data, (size_t)size, release_bytes,
                            sli_message_bytes_retain(bytes), out_buffer);
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_UINT8, &size, 1, out_buffer));
  for (char *to = (*out_buffer)->data; next_bytes(&copy, SLI_FIELD_RECV_BUF_RESP_EXTRA_TENSOR_CONTENT, &part);
       to += part.size)
    if (part.size) memcpy(to, part.data, part.size);
  return NULL;
}
