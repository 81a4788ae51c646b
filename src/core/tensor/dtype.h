// Element types, with TensorFlow's numbers. A reference type is its base + 100.
#ifndef SLI_CORE_TENSOR_DTYPE_H_
#define SLI_CORE_TENSOR_DTYPE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/string.h"

typedef enum {
  SLI_DTYPE_INVALID = 0,
  SLI_DTYPE_FLOAT = 1,
  SLI_DTYPE_DOUBLE = 2,
  SLI_DTYPE_INT32 = 3,
  SLI_DTYPE_UINT8 = 4,
  SLI_DTYPE_INT16 = 5,
  SLI_DTYPE_INT8 = 6,
  SLI_DTYPE_STRING = 7,
  SLI_DTYPE_COMPLEX64 = 8,
  SLI_DTYPE_INT64 = 9,
  SLI_DTYPE_BOOL = 10,
  SLI_DTYPE_QINT8 = 11,
  SLI_DTYPE_QUINT8 = 12,
  SLI_DTYPE_QINT32 = 13,
  SLI_DTYPE_BFLOAT16 = 14,
  SLI_DTYPE_QINT16 = 15,
  SLI_DTYPE_QUINT16 = 16,
  SLI_DTYPE_UINT16 = 17,
  SLI_DTYPE_COMPLEX128 = 18,
  SLI_DTYPE_HALF = 19,
  SLI_DTYPE_RESOURCE = 20,
  SLI_DTYPE_VARIANT = 21,
  SLI_DTYPE_UINT32 = 22,
  SLI_DTYPE_UINT64 = 23,
  SLI_DTYPE_FLOAT8_E5M2 = 24,
  SLI_DTYPE_FLOAT8_E4M3FN = 25,
  SLI_DTYPE_INT4 = 29,
  SLI_DTYPE_UINT4 = 30,
  SLI_DTYPE_REF = 100,  // offset of reference types
} sli_dtype_t;

static inline bool sli_dtype_is_ref(sli_dtype_t dtype) { return dtype > SLI_DTYPE_REF; }
static inline sli_dtype_t sli_dtype_base(sli_dtype_t dtype) {
  return sli_dtype_is_ref(dtype) ? (sli_dtype_t)(dtype - SLI_DTYPE_REF) : dtype;
}
static inline sli_dtype_t sli_dtype_make_ref(sli_dtype_t dtype) { return (sli_dtype_t)(dtype + SLI_DTYPE_REF); }

// Bytes of one element, by type and by reference type; 0 elsewhere.
enum { SLI_DTYPE_LIMIT = 2 * SLI_DTYPE_REF };
extern const uint8_t sli_dtype_sizes[SLI_DTYPE_LIMIT];

// True for the types above, and references to them.
bool sli_dtype_is_valid(int dtype);
// Bytes of one element; 0 for an invalid type. Strings are sli_tstring_t,
// resources and variants pointers to counted objects (core/tensor/tensor.h).
static inline size_t sli_dtype_size(sli_dtype_t dtype) {
  return (unsigned)dtype < SLI_DTYPE_LIMIT ? sli_dtype_sizes[dtype] : 0;
}
// True where an element is plain bytes: may be copied by memcpy and sent as is.
static inline bool sli_dtype_is_plain(sli_dtype_t dtype) {
  sli_dtype_t base = sli_dtype_base(dtype);
  return base != SLI_DTYPE_STRING && base != SLI_DTYPE_RESOURCE && base != SLI_DTYPE_VARIANT && sli_dtype_size(dtype);
}
// "float", "int32", "string", "float_ref": TensorFlow's names. "invalid" else.
const char *sli_dtype_name(sli_dtype_t dtype);
// SLI_DTYPE_INVALID for an unknown name.
sli_dtype_t sli_dtype_from_name(sli_view_t name);

// Sets of types, one bit each.
typedef uint64_t sli_types_t;
#define SLI_TYPE_BIT(dtype) (UINT64_C(1) << (dtype))
#define SLI_TYPE_FLOAT SLI_TYPE_BIT(SLI_DTYPE_FLOAT)
#define SLI_TYPE_DOUBLE SLI_TYPE_BIT(SLI_DTYPE_DOUBLE)
#define SLI_TYPE_HALF SLI_TYPE_BIT(SLI_DTYPE_HALF)
#define SLI_TYPE_BFLOAT16 SLI_TYPE_BIT(SLI_DTYPE_BFLOAT16)
#define SLI_TYPE_INT8 SLI_TYPE_BIT(SLI_DTYPE_INT8)
#define SLI_TYPE_INT16 SLI_TYPE_BIT(SLI_DTYPE_INT16)
#define SLI_TYPE_INT32 SLI_TYPE_BIT(SLI_DTYPE_INT32)
#define SLI_TYPE_INT64 SLI_TYPE_BIT(SLI_DTYPE_INT64)
#define SLI_TYPE_UINT8 SLI_TYPE_BIT(SLI_DTYPE_UINT8)
#define SLI_TYPE_UINT16 SLI_TYPE_BIT(SLI_DTYPE_UINT16)
#define SLI_TYPE_UINT32 SLI_TYPE_BIT(SLI_DTYPE_UINT32)
#define SLI_TYPE_UINT64 SLI_TYPE_BIT(SLI_DTYPE_UINT64)
#define SLI_TYPE_BOOL SLI_TYPE_BIT(SLI_DTYPE_BOOL)
#define SLI_TYPE_STRING SLI_TYPE_BIT(SLI_DTYPE_STRING)
#define SLI_TYPE_COMPLEX64 SLI_TYPE_BIT(SLI_DTYPE_COMPLEX64)
#define SLI_TYPE_COMPLEX128 SLI_TYPE_BIT(SLI_DTYPE_COMPLEX128)
#define SLI_TYPE_RESOURCE SLI_TYPE_BIT(SLI_DTYPE_RESOURCE)
#define SLI_TYPE_VARIANT SLI_TYPE_BIT(SLI_DTYPE_VARIANT)
#define SLI_TYPES_FLOATING (SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_HALF | SLI_TYPE_BFLOAT16)
#define SLI_TYPES_COMPLEX (SLI_TYPE_COMPLEX64 | SLI_TYPE_COMPLEX128)
#define SLI_TYPES_SIGNED (SLI_TYPE_INT8 | SLI_TYPE_INT16 | SLI_TYPE_INT32 | SLI_TYPE_INT64)
#define SLI_TYPES_UNSIGNED (SLI_TYPE_UINT8 | SLI_TYPE_UINT16 | SLI_TYPE_UINT32 | SLI_TYPE_UINT64)
#define SLI_TYPES_INTEGER (SLI_TYPES_SIGNED | SLI_TYPES_UNSIGNED)
#define SLI_TYPES_REAL (SLI_TYPES_FLOATING | SLI_TYPES_INTEGER)
#define SLI_TYPES_NUMBER (SLI_TYPES_REAL | SLI_TYPES_COMPLEX)
#define SLI_TYPES_QUANTIZED                                                                          \
  (SLI_TYPE_BIT(SLI_DTYPE_QINT8) | SLI_TYPE_BIT(SLI_DTYPE_QUINT8) | SLI_TYPE_BIT(SLI_DTYPE_QINT32) | \
   SLI_TYPE_BIT(SLI_DTYPE_QINT16) | SLI_TYPE_BIT(SLI_DTYPE_QUINT16))
#define SLI_TYPES_INDEX (SLI_TYPE_INT32 | SLI_TYPE_INT64)
#define SLI_TYPES_QUANTIZED_8_32 \
  (SLI_TYPE_BIT(SLI_DTYPE_QINT8) | SLI_TYPE_BIT(SLI_DTYPE_QUINT8) | SLI_TYPE_BIT(SLI_DTYPE_QINT32))
#define SLI_TYPES_FLOAT8 (SLI_TYPE_BIT(SLI_DTYPE_FLOAT8_E5M2) | SLI_TYPE_BIT(SLI_DTYPE_FLOAT8_E4M3FN))
// The types that TensorFlow registers most kernels for that only move data.
#define SLI_TYPES_POD (SLI_TYPES_NUMBER | SLI_TYPE_BOOL)
#define SLI_TYPES_COMMON (SLI_TYPES_POD | SLI_TYPE_STRING | SLI_TYPE_RESOURCE | SLI_TYPE_VARIANT)
#define SLI_TYPES_ALL (~UINT64_C(0))

static inline bool sli_types_contain(sli_types_t types, sli_dtype_t dtype) {
  return dtype < 64 && (types >> dtype & 1);
}

#endif  // SLI_CORE_TENSOR_DTYPE_H_
