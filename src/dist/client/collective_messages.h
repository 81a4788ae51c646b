// The codec of the messages between members of collective groups. Thread-compatible. Nothing here blocks.
#ifndef SLI_DIST_CLIENT_COLLECTIVE_MESSAGES_H_
#define SLI_DIST_CLIENT_COLLECTIVE_MESSAGES_H_

#include "collective/engine.h"
#include "dist/client/messages.h"

// The description of a device whose task speaks this version of the protocol between Sluice's members. TensorFlow's
// leave the description of a CPU empty. The number changes with the protocol: members of another version count as
// TensorFlow's, so that the group follows TensorFlow's rules, which all of them know.
#define SLI_MESSAGE_SLUICE_DEVICE "sluice 2"

void sli_message_complete_group_request_encode(const sli_collective_group_request_t *request, sli_string_t *out);
void sli_message_complete_group_response_encode(const sli_collective_group_t *group, sli_string_t *out);
// INVALID_ARGUMENT if it is malformed, or the members are not as many as the group's size.
sli_status_t *sli_message_complete_group_response_decode(sli_view_t bytes, sli_collective_group_t **out_group);

void sli_message_complete_instance_request_encode(const sli_collective_instance_request_t *request, sli_string_t *out);
void sli_message_complete_instance_response_encode(int32_t instance_key, int source_rank, sli_string_t *out);
sli_status_t *sli_message_complete_instance_response_decode(sli_view_t bytes, int *out_source_rank);

extern const uint32_t sli_message_path_recv_buf_response[];
// All views point into |bytes|.
typedef struct {
  int64_t step_id, size;
  sli_view_t key, source_device, destination_device;
  uint64_t incarnation;
} sli_message_recv_buf_request_t;
void sli_message_recv_buf_request_encode(const sli_collective_buffer_request_t *request, int64_t request_id,
                                         sli_string_t *out);
sli_status_t *sli_message_recv_buf_request_decode(sli_view_t bytes, sli_message_recv_buf_request_t *out_request);
// |buffer| is borrowed.
void sli_message_recv_buf_response_encode(sli_tensor_t *buffer, int64_t send_start_micros, sli_slices_t *out);
// The content as a uint8 vector of |size| elements; it may point into |bytes|. INTERNAL if it has another size.
sli_status_t *sli_message_recv_buf_response_decode(sli_message_bytes_t *bytes, int64_t size, sli_tensor_t **out_buffer);

#endif  // SLI_DIST_CLIENT_COLLECTIVE_MESSAGES_H_
