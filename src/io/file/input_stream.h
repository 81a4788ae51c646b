// Sequential, buffered reading of a file, with decompression. Positions count decompressed bytes. Thread-compatible;
// blocks.
#ifndef SLI_IO_FILE_INPUT_STREAM_H_
#define SLI_IO_FILE_INPUT_STREAM_H_

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"
#include "io/file/compression.h"

typedef struct sli_input_stream sli_input_stream_t;

// |buffer_size| 0: 256 KiB.
sli_status_t *sli_input_stream_open(const char *path, sli_compression_t compression, size_t buffer_size,
                                    sli_input_stream_t **out_stream);
void sli_input_stream_release(sli_input_stream_t *stream);
uint64_t sli_input_stream_position(const sli_input_stream_t *stream);

// Reads up to |size| bytes; fewer only at the end. DATA_LOSS if the compressed data is damaged or truncated.
sli_status_t *sli_input_stream_read(sli_input_stream_t *stream, void *data, size_t size, size_t *out_size);
// Returns a view of the next bytes in the buffer without advancing: at least |size| bytes, fewer only at the end or if
// |size| exceeds the buffer. The view is valid until the next call.
sli_status_t *sli_input_stream_peek(sli_input_stream_t *stream, size_t size, sli_view_t *out_bytes);
// Advances over bytes that were peeked.
void sli_input_stream_consume(sli_input_stream_t *stream, size_t size);
// Moves to |position|. Past the end, reads return 0 bytes.
sli_status_t *sli_input_stream_seek(sli_input_stream_t *stream, uint64_t position);

#endif  // SLI_IO_FILE_INPUT_STREAM_H_
