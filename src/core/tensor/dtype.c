// Sizes and names of the element types; dtypes.inc lists them.
#include "core/tensor/dtype.h"

#include "core/tensor/tstring.h"

#define TYPE(dtype, name, size) [dtype] = size, [dtype + SLI_DTYPE_REF] = size,
const uint8_t sli_dtype_sizes[SLI_DTYPE_LIMIT] = {
#include "core/tensor/dtypes.inc"
};
#undef TYPE

#define TYPE(dtype, name, size) [dtype] = name, [dtype + SLI_DTYPE_REF] = name "_ref",
static const char *const names[SLI_DTYPE_LIMIT] = {
#include "core/tensor/dtypes.inc"
};
#undef TYPE

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
