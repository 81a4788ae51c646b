// Encodes numbers and strings as bytes that sort like the values: the keys of tensor slices in checkpoints.
// Thread-safe.
#ifndef SLI_IO_CHECKPOINT_ORDERED_CODE_H_
#define SLI_IO_CHECKPOINT_ORDERED_CODE_H_

#include <stdint.h>

#include "base/string.h"

void sli_ordered_code_write_string(sli_string_t *out, sli_view_t string);
void sli_ordered_code_write_uint(sli_string_t *out, uint64_t value);
void sli_ordered_code_write_int(sli_string_t *out, int64_t value);

#endif  // SLI_IO_CHECKPOINT_ORDERED_CODE_H_
