// One list of types: number, name, size.
#include "core/dtype.h"

#include "core/tstring.h"

#define FOR_EACH_TYPE(X)                               \
  X(SLI_DTYPE_FLOAT, "float", 4)                       \
  X(SLI_DTYPE_DOUBLE, "double", 8)                     \
  X(SLI_DTYPE_INT32, "int32", 4)                       \
  X(SLI_DTYPE_UINT8, "uint8", 1)                       \
  X(SLI_DTYPE_INT16, "int16", 2)                       \
  X(SLI_DTYPE_INT8, "int8", 1)                         \
  X(SLI_DTYPE_STRING, "string", sizeof(sli_tstring_t)) \
  X(SLI_DTYPE_COMPLEX64, "complex64", 8)               \
  X(SLI_DTYPE_INT64, "int64", 8)                       \
  X(SLI_DTYPE_BOOL, "bool", 1)                         \
  X(SLI_DTYPE_QINT8, "qint8", 1)                       \
  X(SLI_DTYPE_QUINT8, "quint8", 1)                     \
  X(SLI_DTYPE_QINT32, "qint32", 4)                     \
  X(SLI_DTYPE_BFLOAT16, "bfloat16", 2)                 \
  X(SLI_DTYPE_QINT16, "qint16", 2)                     \
  X(SLI_DTYPE_QUINT16, "quint16", 2)                   \
  X(SLI_DTYPE_UINT16, "uint16", 2)                     \
  X(SLI_DTYPE_COMPLEX128, "complex128", 16)            \
  X(SLI_DTYPE_HALF, "half", 2)                         \
  X(SLI_DTYPE_RESOURCE, "resource", sizeof(void *))    \
  X(SLI_DTYPE_VARIANT, "variant", sizeof(void *))      \
  X(SLI_DTYPE_UINT32, "uint32", 4)                     \
  X(SLI_DTYPE_UINT64, "uint64", 8)                     \
  X(SLI_DTYPE_FLOAT8_E5M2, "float8_e5m2", 1)           \
  X(SLI_DTYPE_FLOAT8_E4M3FN, "float8_e4m3fn", 1)       \
  X(SLI_DTYPE_INT4, "int4", 1)                         \
  X(SLI_DTYPE_UINT4, "uint4", 1)

#define SIZE(dtype, name, size) [dtype] = size, [dtype + SLI_DTYPE_REF] = size,
const uint8_t sli_dtype_sizes[SLI_DTYPE_LIMIT] = {FOR_EACH_TYPE(SIZE)};

#define NAME(dtype, name, size) [dtype] = name, [dtype + SLI_DTYPE_REF] = name "_ref",
static const char *const names[SLI_DTYPE_LIMIT] = {FOR_EACH_TYPE(NAME)};

bool sli_dtype_is_valid(int dtype) { return sli_dtype_size((sli_dtype_t)dtype) != 0; }

const char *sli_dtype_name(sli_dtype_t dtype) { return sli_dtype_is_valid((int)dtype) ? names[dtype] : "invalid"; }

sli_dtype_t sli_dtype_from_name(sli_view_t name) {
  static const struct {
    const char *name;
    sli_dtype_t dtype;
  } aliases[] = {{"float32", SLI_DTYPE_FLOAT}, {"float64", SLI_DTYPE_DOUBLE}, {"float16", SLI_DTYPE_HALF}};
  for (int i = 0; i < SLI_DTYPE_LIMIT; i++)
    if (names[i] && sli_view_is(name, names[i])) return (sli_dtype_t)i;
  for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
    if (sli_view_is(name, aliases[i].name)) return aliases[i].dtype;
  return SLI_DTYPE_INVALID;
}
