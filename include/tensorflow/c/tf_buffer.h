/* Buffer: bytes with a length and a way to free them; carries serialized messages in and out. */
#ifndef TENSORFLOW_C_TF_BUFFER_H_
#define TENSORFLOW_C_TF_BUFFER_H_

#include <stddef.h>

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Buffer {
  const void *data;
  size_t length;
  void (*data_deallocator)(void *data, size_t length); /* NULL: the buffer does not own the bytes */
} TF_Buffer;

/* A buffer with a copy of the bytes. */
TF_CAPI_EXPORT TF_Buffer *TF_NewBufferFromString(const void *proto, size_t proto_len);
/* An empty buffer, for calls that return bytes: they fill only an empty buffer. */
TF_CAPI_EXPORT TF_Buffer *TF_NewBuffer(void);
/* Frees the bytes through the deallocator, and the buffer. NULL is allowed. */
TF_CAPI_EXPORT void TF_DeleteBuffer(TF_Buffer *buffer);
/* A copy of the fields; the buffer still owns the bytes. */
TF_CAPI_EXPORT TF_Buffer TF_GetBuffer(TF_Buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif /* TENSORFLOW_C_TF_BUFFER_H_ */
