// The messages of WorkerService that carry tensors, read and written without a
// copy of the tensors' bytes, and what MasterService's need of the same: where a
// message is placed in memory, statuses and devices on the wire.
// Thread-compatible. Nothing here blocks.
#ifndef SLI_DIST_MESSAGES_H_
#define SLI_DIST_MESSAGES_H_

#include "base/arena.h"
#include "base/slices.h"
#include "dist/worker_client.h"
#include "proto/wire.h"
#include "rpc/message.h"

// ---- Placement -------------------------------------------------------------------

// Where a message's first tensor content lies: field numbers from the message
// down to tensor_content, ended by 0.
typedef const uint32_t *sli_message_path_t;
extern const uint32_t sli_path_run_graph_request[], sli_path_run_graph_response[], sli_path_recv_tensor_response[],
    sli_path_run_step_request[], sli_path_run_step_response[], sli_path_run_callable_request[],
    sli_path_run_callable_response[];

// For sli_rpc_place_fn_t: memory of the CPU's allocator in which the content
// that |path| leads to lies aligned, so that a tensor can adopt it. NULL (the
// default place) for a message that has none worth it.
char *sli_message_place(sli_message_path_t path, const char *head, size_t head_size, size_t message_size,
                        sli_rpc_message_t *out_message);

// A received message that tensors may point into. Counted, thread-safe.
typedef struct sli_shared_bytes sli_shared_bytes_t;
// Moves the bytes out of |message|.
sli_shared_bytes_t *sli_shared_bytes_take(sli_rpc_message_t *message);
sli_shared_bytes_t *sli_shared_bytes_retain(sli_shared_bytes_t *bytes);
void sli_shared_bytes_release(sli_shared_bytes_t *bytes);
sli_view_t sli_shared_bytes_view(const sli_shared_bytes_t *bytes);
// Decodes the TensorProto |proto|, a part of |bytes|, which the tensor keeps
// alive if it can point into them and is a good part of them.
sli_status_t *sli_shared_bytes_decode(sli_shared_bytes_t *bytes, sli_view_t proto, sli_tensor_t **out_tensor);

// ---- Parts -----------------------------------------------------------------------

// Writes field |number|, a NamedTensorProto; a large content goes by reference (see sli_tensor_encode).
void sli_named_tensor_encode(uint32_t number, const char *name, sli_tensor_t *tensor, sli_string_t *head,
                             sli_slices_t *slices);
// Reads one; |out_name| points into |bytes|. The tensor is the caller's.
sli_status_t *sli_named_tensor_decode(sli_shared_bytes_t *bytes, sli_view_t encoded, sli_view_t *out_name,
                                      sli_tensor_t **out_tensor);
// A text field as a C string in |arena|; NULL if it is not text, has a NUL inside or is longer than a MiB.
const char *sli_message_text(sli_arena_t *arena, const sli_wire_field_t *field);

// A derived status is marked in its text on the wire, as TensorFlow does. Both consume |status|.
sli_status_t *sli_status_to_wire(sli_status_t *status);
sli_status_t *sli_status_from_wire(sli_status_t *status);

// ---- RunGraph --------------------------------------------------------------------

// A decoded RunGraphRequest. Texts lie in |arena|, each tensor is a reference.
typedef struct {
  sli_run_graph_t run;
  bool store_errors_in_response_body;
  sli_arena_t arena;
  SLI_ARRAY(sli_named_tensor_t) sends;  // of |run|
  SLI_ARRAY(const char *) recv_keys;    // of |run|
} sli_run_graph_request_t;

// INVALID_ARGUMENT on anything malformed. A session that no CreateWorkerSession
// made (TensorFlow 1.x) is "".
sli_status_t *sli_run_graph_request_decode(sli_shared_bytes_t *bytes, sli_run_graph_request_t *out_request);
void sli_run_graph_request_deinitialize(sli_run_graph_request_t *request);
void sli_run_graph_request_encode(const sli_run_graph_t *run, int64_t request_id, sli_slices_t *out);

// |status|, if not NULL, goes into the body (borrowed); else |result|, whose tensors are borrowed.
void sli_run_graph_response_encode(const char *const *recv_keys, const sli_run_graph_result_t *result,
                                   const sli_status_t *status, sli_slices_t *out);
// Puts the tensors in the order of |recv_keys|: TensorFlow answers in any. |recvs| has room
// for them; on failure none is set. A failure in the body is the returned status.
// Views of |out_result| point into |bytes| or |scratch|.
sli_status_t *sli_run_graph_response_decode(sli_shared_bytes_t *bytes, const char *const *recv_keys, size_t recv_count,
                                            sli_tensor_t **recvs, sli_string_t *scratch,
                                            sli_run_graph_result_t *out_result);

// ---- RecvTensor ------------------------------------------------------------------

typedef struct {
  int64_t step_id;
  sli_view_t key;  // points into the message
} sli_recv_tensor_request_t;

sli_status_t *sli_recv_tensor_request_decode(sli_view_t bytes, sli_recv_tensor_request_t *out_request);
void sli_recv_tensor_request_encode(int64_t step_id, sli_view_t key, int64_t request_id, sli_slices_t *out);
// In the layout of TensorFlow's fast path. |tensor| is borrowed.
void sli_recv_tensor_response_encode(sli_tensor_t *tensor, bool is_dead, int64_t send_start_micros, sli_slices_t *out);
sli_status_t *sli_recv_tensor_response_decode(sli_shared_bytes_t *bytes, sli_tensor_t **out_tensor, bool *out_is_dead);

#endif  // SLI_DIST_MESSAGES_H_
