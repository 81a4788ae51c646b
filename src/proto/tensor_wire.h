// Tensors on the wire without messages and without copies: a TensorProto is read
// as a view into its bytes, and written as a head after which the tensor's own
// memory follows as it is. Knows nothing of core's tensors.
//
// Thread-compatible. Nothing here blocks.
#ifndef SLI_PROTO_TENSOR_WIRE_H_
#define SLI_PROTO_TENSOR_WIRE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

enum {
  SLI_TENSOR_MAX_RANK = 254,  // TensorFlow's
  SLI_TENSOR_FIELD_COUNT = 19,
  SLI_RECV_TENSOR_HEAD_SIZE = 256,  // enough of a RecvTensorResponse for any sane rank
};

// Field numbers of TensorProto's values.
enum {
  SLI_TENSOR_CONTENT = 4,
  SLI_TENSOR_FLOAT_VAL = 5,
  SLI_TENSOR_DOUBLE_VAL = 6,
  SLI_TENSOR_INT_VAL = 7,  // int32 and everything narrower
  SLI_TENSOR_STRING_VAL = 8,
  SLI_TENSOR_SCOMPLEX_VAL = 9,  // two per element
  SLI_TENSOR_INT64_VAL = 10,
  SLI_TENSOR_BOOL_VAL = 11,
  SLI_TENSOR_DCOMPLEX_VAL = 12,  // two per element
  SLI_TENSOR_HALF_VAL = 13,      // half and bfloat16
  SLI_TENSOR_RESOURCE_HANDLE_VAL = 14,
  SLI_TENSOR_VARIANT_VAL = 15,
  SLI_TENSOR_UINT32_VAL = 16,
  SLI_TENSOR_UINT64_VAL = 17,
  SLI_TENSOR_FLOAT8_VAL = 18,  // one byte per element, in one value
};

// A decoded TensorProto; views point into the bytes it was decoded from.
typedef struct {
  int dtype;                          // DataType, unchecked
  int rank;                           // -1: unknown rank
  int64_t dims[SLI_TENSOR_MAX_RANK];  // each at least -1, which stands for unknown
  bool has_content;
  sli_view_t content;  // tensor_content
  sli_view_t encoded;  // the whole TensorProto
  // Values in each typed field, by number: single numbers (so two per complex
  // element), strings, handles, or bytes of float8_val.
  size_t counts[SLI_TENSOR_FIELD_COUNT];
} sli_tensor_proto_view_t;

// INVALID_ARGUMENT on malformed bytes, more than 254 dimensions, or a dimension below -1. A
// shape left out is a scalar. Whether values fit dtype and shape is the
// caller's to judge; every count is backed by bytes.
sli_status_t *sli_tensor_proto_decode(sli_view_t bytes, sli_tensor_proto_view_t *out_view);

// The typed field in which TensorFlow puts the values of |dtype|; 0 if there is none.
uint32_t sli_tensor_proto_value_field(int dtype);

// Copies up to |capacity| numbers of |field| to |out|, each cut to |width| bytes (1, 2, 4 or 8;
// 4 or 8 as on the wire for the floating-point fields), and returns how many. Not for
// strings, handles and variants.
size_t sli_tensor_proto_copy_values(const sli_tensor_proto_view_t *view, uint32_t field, size_t width, void *out,
                                    size_t capacity);

// Walks strings, or encoded ResourceHandleProtos or VariantTensorDataProtos.
typedef struct {
  sli_view_t rest;
  uint32_t field;
} sli_tensor_proto_items_t;
sli_tensor_proto_items_t sli_tensor_proto_items(const sli_tensor_proto_view_t *view, uint32_t field);
bool sli_tensor_proto_next_item(sli_tensor_proto_items_t *items, sli_view_t *out_item);

// A TensorShapeProto as field |number|; |rank| -1: unknown.
void sli_shape_proto_write(sli_string_t *out, uint32_t number, const int64_t *dims, int rank);

// A TensorProto up to the bytes of tensor_content, as TensorFlow's RunStep and RunGraph write it: a
// shape even for a scalar, no content field when it is empty. Exactly
// |content_size| bytes must follow. The size is that of head and content together.
size_t sli_tensor_proto_size(int dtype, const int64_t *dims, int rank, size_t content_size);
void sli_tensor_proto_write_head(sli_string_t *out, int dtype, const int64_t *dims, int rank, size_t content_size);

// The same as field |number| of an enclosing message, whose other fields may follow the content.
void sli_tensor_field_write_head(sli_string_t *out, uint32_t number, int dtype, const int64_t *dims, int rank,
                                 size_t content_size);
// The same inside a NamedTensorProto that is field |number|.
void sli_named_tensor_write_head(sli_string_t *out, uint32_t number, sli_view_t name, int dtype, const int64_t *dims,
                                 int rank, size_t content_size);

// A RecvTensorResponse up to the bytes of tensor_content, which end it. TensorFlow writes all but strings so; those
// as sli_tensor_field_write_head(1), content, then send_start_micros as field 3. A dead tensor is
// {DT_FLOAT, [0]} without content, whatever the edge carries.
void sli_recv_tensor_write_head(sli_string_t *out, bool is_dead, int64_t send_start_micros, int dtype,
                                const int64_t *dims, int rank, size_t content_size);
void sli_recv_tensor_write_dead(sli_string_t *out, int64_t send_start_micros);

// A decoded RecvTensorResponse.
typedef struct {
  bool is_dead, require_ack;
  int64_t send_start_micros;
  sli_view_t transport_options;  // an encoded google.protobuf.Any
  sli_tensor_proto_view_t tensor;
} sli_recv_tensor_view_t;
// INVALID_ARGUMENT as sli_tensor_proto_decode, and for a second tensor.
sli_status_t *sli_recv_tensor_decode(sli_view_t bytes, sli_recv_tensor_view_t *out_view);

// Where the content of a response will lie, told from its first bytes: so that
// it can be received straight into the tensor.
typedef struct {
  size_t content_offset, content_size;
  // What is known before the content: dtype and shape always; the other fields of the response may
  // still follow. Its content and encoded views are empty.
  sli_recv_tensor_view_t response;
  size_t tensor_rest;  // bytes of the TensorProto behind the content
} sli_recv_tensor_place_t;

// |head| holds the first bytes of a response of |message_size| bytes. True: place the content. False: read
// the message whole and decode it; it has no content, is malformed, or puts too much before it.
bool sli_recv_tensor_find_content(sli_view_t head, size_t message_size, sli_recv_tensor_place_t *out_place);
// Reads what came behind the placed content into |place|. INVALID_ARGUMENT if
// it is malformed or speaks of the tensor again.
sli_status_t *sli_recv_tensor_finish(sli_view_t tail, sli_recv_tensor_place_t *place);

#endif  // SLI_PROTO_TENSOR_WIRE_H_
