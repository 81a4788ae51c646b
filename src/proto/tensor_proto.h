// TensorProtos without message structs and without copies. Reading gives a view into the bytes. Writing gives the head
// of the message, after which the caller sends the tensor's memory as tensor_content. core/tensor/tensor_codec.h
// converts whole tensors.
//
// Thread-compatible. Nothing here blocks.
#ifndef SLI_PROTO_TENSOR_PROTO_H_
#define SLI_PROTO_TENSOR_PROTO_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"
#include "proto/tensor.fields.h"

enum {
  SLI_TENSOR_PROTO_MAX_RANK = 254,  // TensorFlow's
  SLI_TENSOR_PROTO_FIELD_COUNT = SLI_FIELD_TENSOR_PROTO_FLOAT8_VAL + 1,
};

// A decoded TensorProto; views point into the bytes it was decoded from.
typedef struct {
  int dtype;                                // DataType, not checked
  int rank;                                 // -1: unknown rank
  int64_t dims[SLI_TENSOR_PROTO_MAX_RANK];  // each at least -1, which means unknown
  bool has_content;
  sli_view_t content;  // tensor_content
  sli_view_t encoded;  // the whole TensorProto
  // The number of values in each typed field, by field number: single numbers (so two per complex element), strings,
  // handles, or bytes of float8_val.
  size_t counts[SLI_TENSOR_PROTO_FIELD_COUNT];
} sli_tensor_proto_view_t;

// INVALID_ARGUMENT for malformed bytes, more than 254 dimensions, or a dimension below -1. A missing shape means a
// scalar. The caller must check that the values fit dtype and shape. The bytes really hold as many values as counted.
sli_status_t *sli_tensor_proto_decode(sli_view_t bytes, sli_tensor_proto_view_t *out_view);

// The number of the typed field that TensorFlow uses for values of |dtype|; 0 if there is none.
uint32_t sli_tensor_proto_value_field(int dtype);

// Copies up to |capacity| numbers of |field| to |out|, each truncated to |width| bytes (1, 2, 4 or 8; floating-point
// fields must keep their width on the wire, 4 or 8), and returns how many it copied. Not for strings, handles and
// variants.
size_t sli_tensor_proto_copy_values(const sli_tensor_proto_view_t *view, uint32_t field, size_t width, void *out,
                                    size_t capacity);

// Iterates over the strings, encoded ResourceHandleProtos or encoded VariantTensorDataProtos of |field|.
typedef struct {
  sli_view_t rest;
  uint32_t field;
} sli_tensor_proto_items_t;
sli_tensor_proto_items_t sli_tensor_proto_items(const sli_tensor_proto_view_t *view, uint32_t field);
bool sli_tensor_proto_next_item(sli_tensor_proto_items_t *items, sli_view_t *out_item);

// Reads a TensorShapeProto: |*out_rank| is -1 if unknown; |out_dims| has room for SLI_TENSOR_PROTO_MAX_RANK, -1 is
// unknown.
sli_status_t *sli_tensor_proto_decode_shape(sli_view_t bytes, int64_t *out_dims, int *out_rank);
// Appends the fields of a TensorShapeProto; |rank| -1: unknown.
void sli_tensor_proto_append_shape(sli_string_t *out, const int64_t *dims, int rank);
// Writes a TensorShapeProto as field |number|; |rank| -1: unknown.
void sli_tensor_proto_write_shape(sli_string_t *out, uint32_t number, const int64_t *dims, int rank);

// Writes a TensorProto up to the bytes of tensor_content, as TensorFlow does in RunStep and RunGraph: with a shape even
// for a scalar, without tensor_content if it is empty. The caller must append exactly |content_size| bytes.
// sli_tensor_proto_size returns the size of head and content together.
size_t sli_tensor_proto_size(int dtype, const int64_t *dims, int rank, size_t content_size);
void sli_tensor_proto_write_head(sli_string_t *out, int dtype, const int64_t *dims, int rank, size_t content_size);

// Writes a RecvTensorResponse up to the bytes of tensor_content; the caller must append them, and nothing after them.
// TensorFlow writes every type but strings like this. A dead tensor is {DT_FLOAT, [0]} without content, whatever the
// type of the edge.
void sli_tensor_proto_write_response_head(sli_string_t *out, bool is_dead, int64_t send_start_micros, int dtype,
                                          const int64_t *dims, int rank, size_t content_size);
void sli_tensor_proto_write_dead_response(sli_string_t *out, int64_t send_start_micros);

#endif  // SLI_PROTO_TENSOR_PROTO_H_
