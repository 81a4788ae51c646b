// Numbers and strings as bytes that sort as they do: the keys of tensor slices
// in checkpoints. Thread-safe.
#ifndef SLI_IO_ORDERED_CODE_H_
#define SLI_IO_ORDERED_CODE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/string.h"

void sli_ordered_code_write_string(sli_string_t *out, sli_view_t string);
void sli_ordered_code_write_uint(sli_string_t *out, uint64_t value);
void sli_ordered_code_write_int(sli_string_t *out, int64_t value);

// Readers take from the front of |in|; false when it does not start so.
bool sli_ordered_code_read_string(sli_view_t *in, sli_string_t *out_string);
bool sli_ordered_code_read_uint(sli_view_t *in, uint64_t *out_value);
bool sli_ordered_code_read_int(sli_view_t *in, int64_t *out_value);

#endif  // SLI_IO_ORDERED_CODE_H_
