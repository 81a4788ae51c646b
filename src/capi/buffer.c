// TF_Buffer: bytes in and out of the API.
#include <stdlib.h>

#include "capi/capi.h"

static void free_bytes(void *data, size_t length) { free(data); }

TF_Buffer *TF_NewBuffer(void) { return sli_calloc(1, sizeof(TF_Buffer)); }

TF_Buffer *TF_NewBufferFromString(const void *proto, size_t proto_len) {
  sli_string_t bytes = {0};
  if (proto_len) sli_string_append(&bytes, proto, proto_len);
  return sli_capi_buffer_create(&bytes);
}

void TF_DeleteBuffer(TF_Buffer *buffer) {
  if (!buffer) return;
  if (buffer->data_deallocator) buffer->data_deallocator((void *)buffer->data, buffer->length);
  free(buffer);
}

TF_Buffer TF_GetBuffer(TF_Buffer *buffer) { return *buffer; }

static void take_bytes(TF_Buffer *buffer, sli_string_t *bytes) {
  buffer->length = bytes->size;
  buffer->data = sli_string_take(bytes);
  buffer->data_deallocator = free_bytes;
}

sli_status_t *sli_capi_buffer_fill(TF_Buffer *buffer, sli_string_t *bytes) {
  if (buffer->data) {
    sli_string_deinitialize(bytes);
    return sli_status_make(SLI_INVALID_ARGUMENT, "Passing non-empty TF_Buffer is invalid.");
  }
  take_bytes(buffer, bytes);
  return NULL;
}

TF_Buffer *sli_capi_buffer_create(sli_string_t *bytes) {
  TF_Buffer *buffer = TF_NewBuffer();
  take_bytes(buffer, bytes);
  return buffer;
}
