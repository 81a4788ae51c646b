// Snappy, unpacking only: old checkpoints have blocks in it. Thread-safe.
#ifndef SLI_IO_SNAPPY_H_
#define SLI_IO_SNAPPY_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/string.h"

// The size that |packed| says it unpacks to; false when it says none.
bool sli_snappy_size(sli_view_t packed, size_t *out_size);
// Unpacks exactly |size| bytes to |data|; false when |packed| is damaged.
bool sli_snappy_unpack(sli_view_t packed, char *data, size_t size);

#endif  // SLI_IO_SNAPPY_H_
