// TF_TString, which has the layout of the runtime's string elements, and TensorFlow 1.x's encoding of strings in
// buffers.
#include <limits.h>

#include "capi/capi.h"
#include "core/tensor/tstring.h"
#include "proto/wire.h"

_Static_assert(sizeof(TF_TString) == sizeof(sli_tstring_t), "one layout");

void TF_StringInit(TF_TString *t) { sli_tstring_initialize((sli_tstring_t *)t); }

void TF_StringCopy(TF_TString *dst, const char *src, size_t size) {
  sli_tstring_assign((sli_tstring_t *)dst, src, size);
}

void TF_StringAssignView(TF_TString *dst, const char *src, size_t size) {
  sli_tstring_t *string = (sli_tstring_t *)dst;
  sli_tstring_deinitialize(string);
  string->view.size = size << 2 | SLI_TSTRING_VIEW;
  string->view.data = src;
}

const char *TF_StringGetDataPointer(const TF_TString *tstr) {
  return sli_tstring_view((const sli_tstring_t *)tstr).data;
}

TF_TString_Type TF_StringGetType(const TF_TString *str) {
  return (TF_TString_Type)(str->u.raw.raw[0] & TF_TSTR_TYPE_MASK);
}

size_t TF_StringGetSize(const TF_TString *tstr) { return sli_tstring_view((const sli_tstring_t *)tstr).size; }

size_t TF_StringGetCapacity(const TF_TString *str) {
  switch (TF_StringGetType(str)) {
    case TF_TSTR_SMALL: return TF_TString_SmallCapacity;
    case TF_TSTR_LARGE: return str->u.large.cap;
    default: return 0;
  }
}

void TF_StringDealloc(TF_TString *tstr) { sli_tstring_deinitialize((sli_tstring_t *)tstr); }

// --- TensorFlow 1.x ----------------------------------------------------------

size_t TF_StringEncodedSize(size_t len) { return sli_wire_varint_size(len) + len; }

size_t TF_StringEncode(const char *src, size_t src_len, char *dst, size_t dst_len, TF_Status *status) {
  sli_capi_set_status(status, NULL);
  size_t size = TF_StringEncodedSize(src_len);
  sli_status_t *wrong = NULL;
  if (size < src_len)
    wrong = sli_status_make(SLI_INVALID_ARGUMENT, "src string is too large to encode");
  else if (dst_len < size)
    wrong =
        sli_status_make(SLI_INVALID_ARGUMENT, "dst_len (%zu) too small to encode a %zu-byte string", dst_len, src_len);
  if (wrong) {
    sli_capi_set_status(status, wrong);
    return 0;
  }
  char varint[SLI_WIRE_MAX_VARINT];
  size_t prefix = (size_t)(sli_wire_put_varint(varint, src_len) - varint);
  memcpy(dst, varint, prefix);
  if (src_len) memcpy(dst + prefix, src, src_len);
  return size;
}

size_t TF_StringDecode(const char *src, size_t src_len, const char **dst, size_t *dst_len, TF_Status *status) {
  sli_capi_set_status(status, NULL);
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(src, src_len));
  uint64_t length = 0;
  if (!sli_wire_read_varint(&reader, &length) || length > (uint64_t)(reader.end - reader.next)) {
    sli_capi_set_status(status,
                        sli_status_make(SLI_INVALID_ARGUMENT, "invalid string encoding or truncated src buffer"));
    return 0;
  }
  *dst = (const char *)reader.next;
  *dst_len = (size_t)length;
  return (size_t)((const char *)reader.next - src) + (size_t)length;
}
