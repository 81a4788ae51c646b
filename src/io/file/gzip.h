// Reads a whole gzip file into memory, such as MNIST's idx.gz. Thread-safe; blocks.
#ifndef SLI_IO_FILE_GZIP_H_
#define SLI_IO_FILE_GZIP_H_

#include "base/status.h"
#include "base/string.h"

// Decompresses |path|, or reads it unchanged if it does not start like a gzip file. DATA_LOSS if it is damaged,
// RESOURCE_EXHAUSTED if the result has more than |limit| bytes. The caller owns |*out_bytes|.
sli_status_t *sli_gzip_read_whole(const char *path, size_t limit, sli_string_t *out_bytes);

#endif  // SLI_IO_FILE_GZIP_H_
