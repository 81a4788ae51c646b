// Sequential writing of a file, with optional compression.
// Thread-compatible; blocks. After a failure every later call fails.
#ifndef SLI_IO_FILE_OUTPUT_STREAM_H_
#define SLI_IO_FILE_OUTPUT_STREAM_H_

#include <stddef.h>

#include "base/status.h"
#include "io/file/compression.h"
#include "io/file/file.h"

typedef struct sli_output_stream sli_output_stream_t;

// |level|: 0 to 9, or -1 for zlib's default; ignored without compression.
sli_status_t *sli_output_stream_open(const char *path, sli_file_mode_t mode, sli_compression_t compression, int level,
                                     sli_output_stream_t **out_stream);
const char *sli_output_stream_path(const sli_output_stream_t *stream);
sli_status_t *sli_output_stream_write(sli_output_stream_t *stream, const void *data, size_t size);
// The next |size| bytes reach the system in one write if they fit in the buffer and are not compressed.
sli_status_t *sli_output_stream_reserve(sli_output_stream_t *stream, size_t size);
// Afterwards readers of the file see everything that was written.
sli_status_t *sli_output_stream_flush(sli_output_stream_t *stream);
// Ends the compressed data, syncs and closes the file. The stream must still be released.
sli_status_t *sli_output_stream_close(sli_output_stream_t *stream);
// Closes the stream if it is open, ignoring failures.
void sli_output_stream_release(sli_output_stream_t *stream);

#endif  // SLI_IO_FILE_OUTPUT_STREAM_H_
