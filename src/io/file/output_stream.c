#include "io/file/output_stream.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"

enum { PACKED_SIZE = 64 << 10, MEMORY_LEVEL = 9 };

struct sli_output_stream {
  sli_file_writer_t *file;
  bool deflating;  // |deflater| is initialised
  bool closed;
  z_stream deflater;
  char *packed;
};

sli_status_t *sli_output_stream_open(const char *path, sli_file_mode_t mode, sli_compression_t compression, int level,
                                     sli_output_stream_t **out_stream) {
  *out_stream = NULL;
  sli_file_writer_t *file;
  SLI_RETURN_IF_ERROR(sli_file_writer_open(path, mode, &file));
  sli_output_stream_t *stream = sli_calloc(1, sizeof(*stream));
  stream->file = file;
  if (compression != SLI_COMPRESSION_NONE) {
    // Adding 16 to the window bits selects the gzip format.
    int bits = MAX_WBITS + (compression == SLI_COMPRESSION_GZIP ? 16 : 0);
    int result = deflateInit2(&stream->deflater, level, Z_DEFLATED, bits, MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
    if (result != Z_OK) {
      stream->closed = true;
      sli_output_stream_release(stream);
      return sli_status_make(result == Z_MEM_ERROR ? SLI_RESOURCE_EXHAUSTED : SLI_INVALID_ARGUMENT,
                             "%s; deflateInit failed with error %d (level %d)", path, result, level);
    }
    stream->deflating = true;
    stream->packed = sli_malloc(PACKED_SIZE);
  }
  *out_stream = stream;
  return NULL;
}

const char *sli_output_stream_path(const sli_output_stream_t *stream) { return sli_file_writer_path(stream->file); }

// Compresses |size| bytes. |flush|: how much of its internal buffers zlib must write, as for deflate().
static sli_status_t *pack(sli_output_stream_t *stream, const void *data, size_t size, int flush) {
  z_stream *z = &stream->deflater;
  do {
    uInt part = size < UINT32_MAX ? (uInt)size : UINT32_MAX;
    z->next_in = (Bytef *)data;
    z->avail_in = part;
    data = (const char *)data + part;
    size -= part;
    do {
      z->next_out = (Bytef *)stream->packed;
      z->avail_out = PACKED_SIZE;
      deflate(z, size ? Z_NO_FLUSH : flush);
      SLI_RETURN_IF_ERROR(sli_file_writer_write(stream->file, stream->packed, PACKED_SIZE - z->avail_out));
    } while (z->avail_out == 0);
  } while (size);
  return NULL;
}

sli_status_t *sli_output_stream_write(sli_output_stream_t *stream, const void *data, size_t size) {
  if (size == 0) return NULL;
  if (stream->deflating && !stream->closed) return pack(stream, data, size, Z_NO_FLUSH);
  return sli_file_writer_write(stream->file, data, size);
}

sli_status_t *sli_output_stream_reserve(sli_output_stream_t *stream, size_t size) {
  return stream->deflating ? NULL : sli_file_writer_reserve(stream->file, size);
}

sli_status_t *sli_output_stream_flush(sli_output_stream_t *stream) {
  if (stream->deflating && !stream->closed) SLI_RETURN_IF_ERROR(pack(stream, NULL, 0, Z_SYNC_FLUSH));
  return sli_file_writer_flush(stream->file);
}

sli_status_t *sli_output_stream_close(sli_output_stream_t *stream) {
  if (stream->closed) return NULL;
  stream->closed = true;
  if (stream->deflating) SLI_RETURN_IF_ERROR(pack(stream, NULL, 0, Z_FINISH));
  SLI_RETURN_IF_ERROR(sli_file_writer_sync(stream->file));
  return sli_file_writer_close(stream->file);
}

void sli_output_stream_release(sli_output_stream_t *stream) {
  if (!stream) return;
  sli_status_release(sli_output_stream_close(stream));
  if (stream->deflating) deflateEnd(&stream->deflater);
  sli_file_writer_release(stream->file);
  free(stream->packed);
  free(stream);
}
