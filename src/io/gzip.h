// A whole gzip file in memory, such as MNIST's idx.gz. Thread-safe; blocks.
#ifndef SLI_IO_GZIP_H_
#define SLI_IO_GZIP_H_

#include "base/status.h"
#include "base/string.h"

// Unpacks |path|, or reads it as it is if it does not start like a gzip file.
// DATA_LOSS when it is damaged, RESOURCE_EXHAUSTED when there are more than
// |limit| bytes. The caller owns |*out_bytes|.
sli_status_t *sli_gzip_read_whole(const char *path, size_t limit, sli_string_t *out_bytes);

#endif  // SLI_IO_GZIP_H_
