// Snappy: decompression for blocks of old checkpoints, and both ways for elements of datasets. Thread-safe.
#ifndef SLI_IO_FILE_SNAPPY_H_
#define SLI_IO_FILE_SNAPPY_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/string.h"

// Reads the decompressed size from |packed|; false if it is malformed.
bool sli_snappy_size(sli_view_t packed, size_t *out_size);
// Decompresses exactly |size| bytes to |data|; false if |packed| is damaged.
bool sli_snappy_unpack(sli_view_t packed, char *data, size_t size);
// Appends the compressed bytes of |data|, which must have at most 4 GB, to |out|.
void sli_snappy_pack(sli_view_t data, sli_string_t *out);

#endif  // SLI_IO_FILE_SNAPPY_H_
