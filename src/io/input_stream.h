// A file read from front to back, buffered, unpacked on the way if it is
// compressed. Positions count unpacked bytes. Thread-compatible; blocks.
#ifndef SLI_IO_INPUT_STREAM_H_
#define SLI_IO_INPUT_STREAM_H_

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"
#include "io/compression.h"

typedef struct sli_input_stream sli_input_stream_t;

// |buffer_size| 0: 256 KiB.
sli_status_t *sli_input_stream_open(const char *path, sli_compression_t compression, size_t buffer_size,
                                    sli_input_stream_t **out_stream);
void sli_input_stream_release(sli_input_stream_t *stream);
const char *sli_input_stream_path(const sli_input_stream_t *stream);
uint64_t sli_input_stream_position(const sli_input_stream_t *stream);

// Up to |size| bytes, fewer only at the end. DATA_LOSS when packed bytes are
// damaged or end too soon.
sli_status_t *sli_input_stream_read(sli_input_stream_t *stream, void *data, size_t size, size_t *out_size);
// Shows the next bytes where they lie, until the next call: at least |size| of
// them, fewer only at the end, or if |size| exceeds the buffer. Does not advance.
sli_status_t *sli_input_stream_peek(sli_input_stream_t *stream, size_t size, sli_view_t *out_bytes);
// Advances over bytes that were peeked.
void sli_input_stream_consume(sli_input_stream_t *stream, size_t size);
// Goes on at |position|; past the end, reads find nothing.
sli_status_t *sli_input_stream_seek(sli_input_stream_t *stream, uint64_t position);

#endif  // SLI_IO_INPUT_STREAM_H_
