// The codec of the messages that carry tensors. It reads and writes them without copying the tensors' bytes: a received
// message is stored so that its tensor content is aligned and a tensor can point into it, and large tensors are sent
// from their own memory. Also the encoding of derived statuses. Thread-compatible. Nothing here blocks.
#ifndef SLI_DIST_CLIENT_MESSAGES_H_
#define SLI_DIST_CLIENT_MESSAGES_H_

#include "base/arena.h"
#include "base/slices.h"
#include "dist/client/worker_client.h"
#include "proto/wire.h"
#include "rpc/message.h"

// ---- Placement -------------------------------------------------------------------

// The path to a message's first tensor content: field numbers from the message down to tensor_content, terminated by 0.
typedef const uint32_t *sli_message_path_t;
extern const uint32_t sli_message_path_run_graph_request[], sli_message_path_run_graph_response[],
    sli_message_path_recv_tensor_response[], sli_message_path_run_step_request[], sli_message_path_run_step_response[],
    sli_message_path_run_callable_request[];

// For sli_rpc_place_fn_t: allocates the message with the CPU allocator so that the content at |path| is aligned and a
// tensor can adopt it. Returns NULL, for the default memory, if the message has no content large enough.
char *sli_message_place(sli_message_path_t path, const char *head, size_t head_size, size_t message_size,
                        sli_rpc_message_t *out_message);

// A received message that tensors may point into. Reference-counted, thread-safe.
typedef struct sli_message_bytes sli_message_bytes_t;
// Moves the bytes out of |message|.
sli_message_bytes_t *sli_message_bytes_take(sli_rpc_message_t *message);
sli_message_bytes_t *sli_message_bytes_retain(sli_message_bytes_t *bytes);
void sli_message_bytes_release(sli_message_bytes_t *bytes);
sli_view_t sli_message_bytes_view(const sli_message_bytes_t *bytes);
// Decodes the TensorProto |proto|, which is a part of |bytes|. The tensor points into |bytes| and keeps them alive if
// it is aligned and a large part of them; else it copies.
sli_status_t *sli_message_bytes_decode(sli_message_bytes_t *bytes, sli_view_t proto, sli_tensor_t **out_tensor);

// ---- Parts -----------------------------------------------------------------------

// Writes field |number|, a NamedTensorProto. A large content is sent by reference (see sli_tensor_encode).
void sli_message_named_tensor_encode(uint32_t number, const char *name, sli_tensor_t *tensor, sli_string_t *head,
                                     sli_slices_t *slices);
// Reads a NamedTensorProto. |out_name| points into |bytes|; the caller owns the tensor.
sli_status_t *sli_message_named_tensor_decode(sli_message_bytes_t *bytes, sli_view_t encoded, sli_view_t *out_name,
                                              sli_tensor_t **out_tensor);
// A text field as a C string in |arena|; NULL if it is not text, has a NUL inside or is longer than a MiB.
const char *sli_message_text(sli_arena_t *arena, const sli_wire_field_t *field);

// On the wire a derived status is marked in its text, as in TensorFlow: encode adds the mark, decode removes it. Both
// consume |status|.
sli_status_t *sli_message_encode_status(sli_status_t *status);
sli_status_t *sli_message_decode_status(sli_status_t *status);

// ---- RunGraph --------------------------------------------------------------------

// A decoded RunGraphRequest. Texts are stored in |arena|; each tensor is a reference.
typedef struct {
  sli_worker_client_run_graph_t run;
  bool store_errors_in_response_body;
  sli_arena_t arena;
  SLI_ARRAY(sli_message_named_tensor_t) sends;  // of |run|
  SLI_ARRAY(const char *) recv_keys;            // of |run|
} sli_message_run_graph_request_t;

// INVALID_ARGUMENT if the request is malformed. The session handle is "" if the master called no CreateWorkerSession
// (TensorFlow 1.x).
sli_status_t *sli_message_run_graph_request_decode(sli_message_bytes_t *bytes,
                                                   sli_message_run_graph_request_t *out_request);
void sli_message_run_graph_request_deinitialize(sli_message_run_graph_request_t *request);
void sli_message_run_graph_request_encode(const sli_worker_client_run_graph_t *run, int64_t request_id,
                                          sli_slices_t *out);

// Writes |status| into the body if it is not NULL, else |result|. Both are borrowed, with the tensors.
void sli_message_run_graph_response_encode(const char *const *recv_keys,
                                           const sli_worker_client_run_graph_result_t *result,
                                           const sli_status_t *status, sli_slices_t *out);
// Stores the tensors in |recvs| in the order of |recv_keys|; TensorFlow may send them in another. On failure none is
// set. If the body has an error that is the returned status. Views of |out_result| point into |bytes| or |scratch|.
sli_status_t *sli_message_run_graph_response_decode(sli_message_bytes_t *bytes, const char *const *recv_keys,
                                                    size_t recv_count, sli_tensor_t **recvs, sli_string_t *scratch,
                                                    sli_worker_client_run_graph_result_t *out_result);

// ---- RecvTensor ------------------------------------------------------------------

typedef struct {
  int64_t step_id;
  sli_view_t key;  // points into the message
} sli_message_recv_tensor_request_t;

sli_status_t *sli_message_recv_tensor_request_decode(sli_view_t bytes, sli_message_recv_tensor_request_t *out_request);
void sli_message_recv_tensor_request_encode(int64_t step_id, sli_view_t key, int64_t request_id, sli_slices_t *out);
// Uses the layout of TensorFlow's fast path. |tensor| is borrowed.
void sli_message_recv_tensor_response_encode(sli_tensor_t *tensor, bool is_dead, int64_t send_start_micros,
                                             sli_slices_t *out);
sli_status_t *sli_message_recv_tensor_response_decode(sli_message_bytes_t *bytes, sli_tensor_t **out_tensor,
                                                      bool *out_is_dead);

#endif  // SLI_DIST_CLIENT_MESSAGES_H_
