// A file written from front to back, packed on the way if asked.
// Thread-compatible; blocks. After a failure every later call fails.
#ifndef SLI_IO_OUTPUT_STREAM_H_
#define SLI_IO_OUTPUT_STREAM_H_

#include <stddef.h>

#include "base/status.h"
#include "io/compression.h"
#include "io/file.h"

typedef struct sli_output_stream sli_output_stream_t;

// |level|: 0 to 9, or -1 for zlib's default; ignored without compression.
sli_status_t *sli_output_stream_open(const char *path, sli_file_mode_t mode, sli_compression_t compression, int level,
                                     sli_output_stream_t **out_stream);
const char *sli_output_stream_path(const sli_output_stream_t *stream);
sli_status_t *sli_output_stream_write(sli_output_stream_t *stream, const void *data, size_t size);
// What is written next, up to |size| bytes, reaches the system in one piece if it is short and not packed.
sli_status_t *sli_output_stream_reserve(sli_output_stream_t *stream, size_t size);
// Everything written so far can then be read from the file.
sli_status_t *sli_output_stream_flush(sli_output_stream_t *stream);
// Flushes and waits for the disk.
sli_status_t *sli_output_stream_sync(sli_output_stream_t *stream);
// Ends the packed data, syncs, closes. The stream still has to be released.
sli_status_t *sli_output_stream_close(sli_output_stream_t *stream);
// Closes first if that was not done, without a word about failures.
void sli_output_stream_release(sli_output_stream_t *stream);

#endif  // SLI_IO_OUTPUT_STREAM_H_
