/* String elements. A TF_STRING tensor's data is an array of these, 24 bytes each, short texts inside. Use the
 * functions below to access them; the layout is public because programs allocate them themselves. */
#ifndef TENSORFLOW_C_TF_TSTRING_H_
#define TENSORFLOW_C_TF_TSTRING_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kind is in the two low bits of the first byte, the length in the bits above. */
typedef enum TF_TString_Type {
  TF_TSTR_SMALL = 0x00,  /* in place */
  TF_TSTR_LARGE = 0x01,  /* allocated by malloc */
  TF_TSTR_OFFSET = 0x02, /* at an offset from this value */
  TF_TSTR_VIEW = 0x03,   /* bytes that the string does not own */
  TF_TSTR_TYPE_MASK = 0x03
} TF_TString_Type;

typedef struct TF_TString_Large {
  size_t size;
  size_t cap;
  char *ptr;
} TF_TString_Large;

typedef struct TF_TString_Offset {
  uint32_t size;
  uint32_t offset;
  uint32_t count;
} TF_TString_Offset;

typedef struct TF_TString_View {
  size_t size;
  const char *ptr;
} TF_TString_View;

typedef struct TF_TString_Raw {
  uint8_t raw[24];
} TF_TString_Raw;

enum { TF_TString_SmallCapacity = 22 };

typedef struct TF_TString_Small {
  uint8_t size;
  char str[TF_TString_SmallCapacity + 1];
} TF_TString_Small;

typedef struct TF_TString {
  union {
    TF_TString_Small smll;
    TF_TString_Large large;
    TF_TString_Offset offset;
    TF_TString_View view;
    TF_TString_Raw raw;
  } u;
} TF_TString;

/* Initializes raw memory as an empty string; call it before any other function. */
TF_CAPI_EXPORT void TF_StringInit(TF_TString *t);
/* Replaces the contents by a copy of |src|. */
TF_CAPI_EXPORT void TF_StringCopy(TF_TString *dst, const char *src, size_t size);
/* Points at |src|, which must outlive the string. */
TF_CAPI_EXPORT void TF_StringAssignView(TF_TString *dst, const char *src, size_t size);
/* The bytes: not always NUL-terminated. Valid until the string changes. */
TF_CAPI_EXPORT const char *TF_StringGetDataPointer(const TF_TString *tstr);
TF_CAPI_EXPORT TF_TString_Type TF_StringGetType(const TF_TString *str);
TF_CAPI_EXPORT size_t TF_StringGetSize(const TF_TString *tstr);
/* Capacity in bytes; 0 for offsets and views. */
TF_CAPI_EXPORT size_t TF_StringGetCapacity(const TF_TString *str);
/* Frees the contents and leaves an empty string. */
TF_CAPI_EXPORT void TF_StringDealloc(TF_TString *tstr);

#ifdef __cplusplus
}
#endif

#endif /* TENSORFLOW_C_TF_TSTRING_H_ */
