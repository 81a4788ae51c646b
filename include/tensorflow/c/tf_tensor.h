/* Tensor: an array of elements of one type, row-major, in host memory. Thread-compatible. */
#ifndef TENSORFLOW_C_TF_TENSOR_H_
#define TENSORFLOW_C_TF_TENSOR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where to allocate a kernel's tensor. */
typedef struct TF_AllocatorAttributes {
  size_t struct_size;
  TF_Bool on_host;
} TF_AllocatorAttributes;
#define TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE TF_OFFSET_OF_END(TF_AllocatorAttributes, on_host)

typedef struct TF_Tensor TF_Tensor;

/* A tensor over the caller's bytes; |deallocator|(data, len, arg) runs once, when the last user of the bytes is gone,
 * on any thread. Data below 16-byte alignment is copied and deallocated at once. Strings are TF_TString values and
 * stay the caller's to TF_StringDealloc(). NULL, with the deallocator run, if |len| is too short for type and shape or
 * these make no tensor. */
TF_CAPI_EXPORT TF_Tensor *TF_NewTensor(TF_DataType type, const int64_t *dims, int num_dims, void *data, size_t len,
                                       void (*deallocator)(void *data, size_t len, void *arg), void *deallocator_arg);
/* A tensor with |len| bytes of its own, to be written through TF_TensorData(). NULL as above, or without memory.
 * Elements that are strings start empty and are freed with the tensor. */
TF_CAPI_EXPORT TF_Tensor *TF_AllocateTensor(TF_DataType type, const int64_t *dims, int num_dims, size_t len);
/* |tensor| itself if it has the only reference to its bytes and the library allocated them; else NULL. */
TF_CAPI_EXPORT TF_Tensor *TF_TensorMaybeMove(TF_Tensor *tensor);
/* Releases the caller's reference; NULL is allowed. */
TF_CAPI_EXPORT void TF_DeleteTensor(TF_Tensor *tensor);

TF_CAPI_EXPORT TF_DataType TF_TensorType(const TF_Tensor *tensor);
/* The same bytes under another shape; a shape that needs more bytes changes nothing. */
TF_CAPI_EXPORT void TF_SetShape(TF_Tensor *tensor, const int64_t *dims, int num_dims);
TF_CAPI_EXPORT int TF_NumDims(const TF_Tensor *tensor);
/* Size of dimension |dim_index|; -1 outside [0, TF_NumDims). */
TF_CAPI_EXPORT int64_t TF_Dim(const TF_Tensor *tensor, int dim_index);
TF_CAPI_EXPORT size_t TF_TensorByteSize(const TF_Tensor *tensor);
/* The elements; valid as long as the tensor. */
TF_CAPI_EXPORT void *TF_TensorData(const TF_Tensor *tensor);
TF_CAPI_EXPORT int64_t TF_TensorElementCount(const TF_Tensor *tensor);
/* Makes |to| share |from|'s bytes as |type| and shape. INVALID_ARGUMENT, with |to| unchanged, unless the sizes in bytes
 * agree and both types have a fixed size. */
TF_CAPI_EXPORT void TF_TensorBitcastFrom(const TF_Tensor *from, TF_DataType type, TF_Tensor *to,
                                         const int64_t *new_dims, int num_new_dims, TF_Status *status);
/* Whether the bytes start at a multiple of 64. */
TF_CAPI_EXPORT bool TF_TensorIsAligned(const TF_Tensor *tensor);

/* TensorFlow 1.x's encoding of a string, for buffers: the length as a varint, then the bytes. Encode returns the bytes
 * written, Decode those read and a pointer into |src|; both 0 and INVALID_ARGUMENT when a buffer is too short. */
TF_CAPI_EXPORT size_t TF_StringEncode(const char *src, size_t src_len, char *dst, size_t dst_len, TF_Status *status);
TF_CAPI_EXPORT size_t TF_StringDecode(const char *src, size_t src_len, const char **dst, size_t *dst_len,
                                      TF_Status *status);
TF_CAPI_EXPORT size_t TF_StringEncodedSize(size_t len);

#ifdef __cplusplus
}
#endif

#endif /* TENSORFLOW_C_TF_TENSOR_H_ */
