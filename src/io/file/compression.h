// The compression of a file, by TensorFlow's names.
#ifndef SLI_IO_FILE_COMPRESSION_H_
#define SLI_IO_FILE_COMPRESSION_H_

#include "base/status.h"
#include "base/string.h"

typedef enum { SLI_COMPRESSION_NONE, SLI_COMPRESSION_ZLIB, SLI_COMPRESSION_GZIP } sli_compression_t;

// "", "ZLIB" or "GZIP"; INVALID_ARGUMENT for anything else.
sli_status_t *sli_compression_parse(sli_view_t name, sli_compression_t *out_compression);

#endif  // SLI_IO_FILE_COMPRESSION_H_
