// One buffer holds the decompressed bytes [begin, end). Without compression the file is read directly into it, and long
// reads go directly to the caller's memory.
#include "io/file/input_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"
#include "io/file/file.h"

enum { DEFAULT_BUFFER = 256 << 10, MIN_BUFFER = 64 };

struct sli_input_stream {
  sli_file_reader_t *file;
  sli_compression_t compression;
  uint64_t file_offset;  // of the next byte to read from the file
  char *buffer;
  size_t capacity, begin, end;
  uint64_t base;  // position of buffer[0]

  z_stream inflater;
  bool inflating;    // |inflater| is initialised
  bool member_done;  // a gzip member ended just before the next byte
  char *packed;      // |capacity| bytes for the inflater's input
};

sli_status_t *sli_compression_parse(sli_view_t name, sli_compression_t *out_compression) {
  *out_compression = SLI_COMPRESSION_NONE;
  if (name.size == 0) return NULL;
  if (sli_view_is(name, "ZLIB"))
    *out_compression = SLI_COMPRESSION_ZLIB;
  else if (sli_view_is(name, "GZIP"))
    *out_compression = SLI_COMPRESSION_GZIP;
  else
    return sli_status_make(SLI_INVALID_ARGUMENT, "Unsupported compression_type: %.*s", SLI_VIEW_ARG(name));
  return NULL;
}

sli_status_t *sli_input_stream_open(const char *path, sli_compression_t compression, size_t buffer_size,
                                    sli_input_stream_t **out_stream) {
  *out_stream = NULL;
  sli_file_reader_t *file;
  SLI_RETURN_IF_ERROR(sli_file_reader_open(path, &file));
  sli_input_stream_t *stream = sli_calloc(1, sizeof(*stream));
  stream->file = file;
  stream->compression = compression;
  stream->capacity = buffer_size == 0 ? DEFAULT_BUFFER : buffer_size < MIN_BUFFER ? MIN_BUFFER : buffer_size;
  stream->member_done = true;
  stream->buffer = sli_malloc_or_null(stream->capacity);
  sli_status_t *status = NULL;
  if (compression != SLI_COMPRESSION_NONE) {
    stream->packed = sli_malloc_or_null(stream->capacity);
    // Adding 16 to the window bits selects the gzip format.
    stream->inflating =
        inflateInit2(&stream->inflater, MAX_WBITS + (compression == SLI_COMPRESSION_GZIP ? 16 : 0)) == Z_OK;
  }
  if (!stream->buffer || (compression != SLI_COMPRESSION_NONE && !(stream->packed && stream->inflating)))
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s; no memory for a buffer of %zu bytes", path, stream->capacity);
  if (status) {
    sli_input_stream_release(stream);
    return status;
  }
  *out_stream = stream;
  return NULL;
}

void sli_input_stream_release(sli_input_stream_t *stream) {
  if (!stream) return;
  if (stream->inflating) inflateEnd(&stream->inflater);
  sli_file_reader_release(stream->file);
  free(stream->packed);
  free(stream->buffer);
  free(stream);
}

static const char *path_of(const sli_input_stream_t *stream) { return sli_file_reader_path(stream->file); }

uint64_t sli_input_stream_position(const sli_input_stream_t *stream) { return stream->base + stream->begin; }

static sli_status_t *inflate_failed(sli_input_stream_t *stream, int error) {
  const char *reason = stream->inflater.msg;
  return sli_status_make(SLI_DATA_LOSS, "%s; inflate() failed with error %d%s%s", path_of(stream), error,
                         reason ? ": " : "", reason ? reason : "");
}

// Decompresses up to |size| > 0 bytes; 0 only at the end of the last member.
static sli_status_t *unpack(sli_input_stream_t *stream, char *data, size_t size, size_t *out_size) {
  z_stream *z = &stream->inflater;
  *out_size = 0;
  z->next_out = (Bytef *)data;
  z->avail_out = size < UINT32_MAX ? (uInt)size : UINT32_MAX;
  uInt room = z->avail_out;
  while (z->avail_out == room) {
    if (z->avail_in == 0) {
      size_t got, most = stream->capacity < UINT32_MAX ? stream->capacity : UINT32_MAX;
      SLI_RETURN_IF_ERROR(sli_file_reader_read(stream->file, stream->file_offset, stream->packed, most, &got));
      if (got == 0 && stream->member_done) return NULL;
      if (got == 0) return sli_status_make(SLI_DATA_LOSS, "%s; the compressed data is truncated", path_of(stream));
      stream->file_offset += got;
      z->next_in = (Bytef *)stream->packed;
      z->avail_in = (uInt)got;
    }
    stream->member_done = false;
    int result = inflate(z, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      // A gzip file may consist of several members.
      stream->member_done = true;
      if (inflateReset(z) != Z_OK) return inflate_failed(stream, result);
    } else if (result != Z_OK) {
      return inflate_failed(stream, result);
    }
  }
  *out_size = room - z->avail_out;
  return NULL;
}

static sli_status_t *fetch(sli_input_stream_t *stream, char *data, size_t size, size_t *out_size) {
  if (stream->compression != SLI_COMPRESSION_NONE) return unpack(stream, data, size, out_size);
  SLI_RETURN_IF_ERROR(sli_file_reader_read(stream->file, stream->file_offset, data, size, out_size));
  stream->file_offset += *out_size;
  return NULL;
}

sli_status_t *sli_input_stream_peek(sli_input_stream_t *stream, size_t size, sli_view_t *out_bytes) {
  *out_bytes = sli_view_of(NULL, 0);
  size_t held = stream->end - stream->begin;
  if (held < size) {
    memmove(stream->buffer, stream->buffer + stream->begin, held);
    stream->base += stream->begin;
    stream->begin = 0;
    stream->end = held;
    while (stream->end < size && stream->end < stream->capacity) {
      size_t got;
      SLI_RETURN_IF_ERROR(fetch(stream, stream->buffer + stream->end, stream->capacity - stream->end, &got));
      if (got == 0) break;
      stream->end += got;
    }
  }
  *out_bytes = sli_view_of(stream->buffer + stream->begin, stream->end - stream->begin);
  return NULL;
}

void sli_input_stream_consume(sli_input_stream_t *stream, size_t size) {
  SLI_CHECK(size <= stream->end - stream->begin);
  stream->begin += size;
}

sli_status_t *sli_input_stream_read(sli_input_stream_t *stream, void *data, size_t size, size_t *out_size) {
  char *to = data;
  size_t held = stream->end - stream->begin, taken = held < size ? held : size;
  if (taken) memcpy(to, stream->buffer + stream->begin, taken);
  stream->begin += taken;
  *out_size = taken;
  while (*out_size < size) {
    size_t left = size - *out_size, got;
    if (left < stream->capacity) {
      sli_view_t bytes;
      SLI_RETURN_IF_ERROR(sli_input_stream_peek(stream, left, &bytes));
      got = bytes.size < left ? bytes.size : left;
      if (got) memcpy(to + *out_size, bytes.data, got);
      stream->begin += got;
      *out_size += got;
      return NULL;
    }
    // The buffer is empty: read into the caller's memory.
    stream->base += stream->begin;
    stream->begin = stream->end = 0;
    SLI_RETURN_IF_ERROR(fetch(stream, to + *out_size, left, &got));
    stream->base += got;
    *out_size += got;
    if (got == 0) break;
  }
  return NULL;
}

static sli_status_t *restart(sli_input_stream_t *stream, uint64_t file_offset) {
  stream->file_offset = stream->base = file_offset;
  stream->begin = stream->end = 0;
  if (stream->compression == SLI_COMPRESSION_NONE) return NULL;
  stream->inflater.avail_in = 0;
  stream->member_done = true;
  int result = inflateReset(&stream->inflater);
  return result == Z_OK ? NULL : inflate_failed(stream, result);
}

sli_status_t *sli_input_stream_seek(sli_input_stream_t *stream, uint64_t position) {
  if (position >= stream->base && position - stream->base <= stream->end) {
    stream->begin = (size_t)(position - stream->base);
    return NULL;
  }
  if (stream->compression == SLI_COMPRESSION_NONE) return restart(stream, position);
  // Compressed data has no index: decompress up to |position|, from the start if it is before the buffer.
  if (position < stream->base) SLI_RETURN_IF_ERROR(restart(stream, 0));
  stream->begin = stream->end;
  while (stream->base + stream->end < position) {
    stream->base += stream->end;
    stream->begin = stream->end = 0;
    size_t got;
    SLI_RETURN_IF_ERROR(fetch(stream, stream->buffer, stream->capacity, &got));
    if (got == 0) return NULL;
    stream->end = stream->begin = got;
  }
  stream->begin = (size_t)(position - stream->base);
  return NULL;
}
