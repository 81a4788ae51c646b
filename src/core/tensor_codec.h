// TensorProto to tensor and back. Plain types and strings travel in
// tensor_content (WIRE: strings as lengths, then bytes); typed fields are read
// wherever TensorFlow may have written them.
#ifndef SLI_CORE_TENSOR_CODEC_H_
#define SLI_CORE_TENSOR_CODEC_H_

#include "base/slices.h"
#include "core/tensor.h"

// Decodes serialized TensorProto bytes into a new host tensor. INVALID_ARGUMENT
// on anything malformed; the element count is checked against the bytes before
// memory is taken (a typed field with one value fills the tensor, as in TensorFlow).
sli_status_t *sli_tensor_decode(sli_view_t bytes, sli_tensor_t **out_tensor);
// Like sli_tensor_decode, but a plain tensor_content that lies 64-byte aligned
// inside |bytes| is shared instead of copied: |release|(context) then runs when
// the tensor dies, and |*out_shared| says so. |ownership| is that of |bytes|.
sli_status_t *sli_tensor_decode_shared(sli_view_t bytes, sli_ownership_t ownership, sli_slice_release_t release,
                                       void *context, bool *out_shared, sli_tensor_t **out_tensor);

// Number of bytes that sli_tensor_encode will append.
size_t sli_tensor_encoded_size(const sli_tensor_t *tensor);
// Appends the TensorProto to |head| and |slices|: |head| is the running text
// before the payload; a large plain payload goes by reference (it retains the
// tensor), and then |head| was moved into |slices| first.
void sli_tensor_encode(sli_tensor_t *tensor, sli_string_t *head, sli_slices_t *slices);
// The same as one flat string, for GraphDefs and files: there strings go to string_val, as TensorFlow's
// Python readers expect.
void sli_tensor_encode_flat(const sli_tensor_t *tensor, sli_string_t *out);

#endif  // SLI_CORE_TENSOR_CODEC_H_
