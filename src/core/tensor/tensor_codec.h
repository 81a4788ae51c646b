// TensorProto to tensor and back. Plain types and strings are sent in
// tensor_content (strings as all lengths, then all bytes). Typed fields are read too,
// because TensorFlow may have written them.
#ifndef SLI_CORE_TENSOR_TENSOR_CODEC_H_
#define SLI_CORE_TENSOR_TENSOR_CODEC_H_

#include "base/slices.h"
#include "core/tensor/resource_handle.h"
#include "core/tensor/tensor.h"

// Decodes serialized TensorProto bytes into a new host tensor. INVALID_ARGUMENT
// on anything malformed; the element count is checked against the bytes before
// memory is taken (a typed field with one value fills the tensor, as in TensorFlow).
sli_status_t *sli_tensor_decode(sli_view_t bytes, sli_tensor_t **out_tensor);
// Like sli_tensor_decode, but a plain tensor_content that is 64-byte aligned
// inside |bytes| is shared instead of copied: then |*out_shared| is true, and
// |release|(context) runs when the tensor is destroyed. |ownership| is that of |bytes|.
sli_status_t *sli_tensor_decode_shared(sli_view_t bytes, sli_lend_ownership_t ownership,
                                       sli_slices_release_fn_t release, void *context, bool *out_shared,
                                       sli_tensor_t **out_tensor);

// Number of bytes that sli_tensor_encode will append.
size_t sli_tensor_encoded_size(const sli_tensor_t *tensor);
// Appends the TensorProto to |head| and |slices|. |head| collects the bytes before the
// payload. A large plain payload is not copied: |head| is moved into |slices|, then the
// payload is added by reference, which retains the tensor.
void sli_tensor_encode(sli_tensor_t *tensor, sli_string_t *head, sli_slices_t *slices);
// The same as one string, for GraphDefs and files. There string elements are in string_val, as TensorFlow's Python
// readers expect.
void sli_tensor_encode_flat(const sli_tensor_t *tensor, sli_string_t *out);

// One resource handle as a ResourceHandleProto, which is appended to |out|, and back; NULL if the bytes are malformed.
void sli_resource_handle_encode(const sli_resource_handle_t *handle, sli_string_t *out);
sli_resource_handle_t *sli_resource_handle_decode(sli_view_t bytes);

#endif  // SLI_CORE_TENSOR_TENSOR_CODEC_H_
