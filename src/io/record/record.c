// uint64 length | masked crc of length | bytes | masked crc of bytes
#include "io/record/record.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "io/file/coding.h"
#include "io/file/crc32c.h"
#include "io/file/input_stream.h"
#include "io/file/output_stream.h"

enum {
  HEADER_SIZE = 12,
  FOOTER_SIZE = 4,
  // A long record is read in growing steps, so that a wrong length does not allocate more memory than the file's size.
  FIRST_STEP = 1 << 20,
};

struct sli_record_writer {
  sli_output_stream_t *stream;
};

sli_status_t *sli_record_writer_open(const char *path, sli_file_mode_t mode, sli_compression_t compression, int level,
                                     sli_record_writer_t **out_writer) {
  *out_writer = NULL;
  sli_output_stream_t *stream;
  SLI_RETURN_IF_ERROR(sli_output_stream_open(path, mode, compression, level, &stream));
  *out_writer = sli_malloc(sizeof(**out_writer));
  (*out_writer)->stream = stream;
  return NULL;
}

const char *sli_record_writer_path(const sli_record_writer_t *writer) { return sli_output_stream_path(writer->stream); }

sli_status_t *sli_record_writer_write(sli_record_writer_t *writer, sli_view_t record) {
  char header[HEADER_SIZE], footer[FOOTER_SIZE];
  sli_coding_store_u64(header, record.size);
  sli_coding_store_u32(header + 8, sli_crc32c_mask(sli_crc32c(header, 8)));
  sli_coding_store_u32(footer, sli_crc32c_mask(sli_crc32c(record.data, record.size)));
  // So that a killed process leaves no partial record.
  SLI_RETURN_IF_ERROR(sli_output_stream_reserve(writer->stream, sizeof(header) + record.size + sizeof(footer)));
  SLI_RETURN_IF_ERROR(sli_output_stream_write(writer->stream, header, sizeof(header)));
  SLI_RETURN_IF_ERROR(sli_output_stream_write(writer->stream, record.data, record.size));
  return sli_output_stream_write(writer->stream, footer, sizeof(footer));
}

sli_status_t *sli_record_writer_flush(sli_record_writer_t *writer) { return sli_output_stream_flush(writer->stream); }

sli_status_t *sli_record_writer_close(sli_record_writer_t *writer) { return sli_output_stream_close(writer->stream); }

void sli_record_writer_release(sli_record_writer_t *writer) {
  if (!writer) return;
  sli_output_stream_release(writer->stream);
  free(writer);
}

struct sli_record_reader {
  sli_input_stream_t *stream;
  uint64_t offset;  // of the next record
  char *record;     // holds a record that is longer than the stream's buffer
  size_t capacity;
};

sli_status_t *sli_record_reader_open(const char *path, sli_compression_t compression, size_t buffer_size,
                                     sli_record_reader_t **out_reader) {
  *out_reader = NULL;
  sli_input_stream_t *stream;
  SLI_RETURN_IF_ERROR(sli_input_stream_open(path, compression, buffer_size, &stream));
  *out_reader = sli_calloc(1, sizeof(**out_reader));
  (*out_reader)->stream = stream;
  return NULL;
}

void sli_record_reader_release(sli_record_reader_t *reader) {
  if (!reader) return;
  sli_input_stream_release(reader->stream);
  free(reader->record);
  free(reader);
}

uint64_t sli_record_reader_offset(const sli_record_reader_t *reader) { return reader->offset; }

sli_status_t *sli_record_reader_seek(sli_record_reader_t *reader, uint64_t offset) {
  reader->offset = offset;
  return NULL;
}

static sli_status_t *truncated(sli_record_reader_t *reader) {
  return sli_status_make(SLI_DATA_LOSS, "truncated record at %llu' failed with Read less bytes than requested",
                         (unsigned long long)reader->offset);
}

static sli_status_t *corrupted(uint64_t offset) {
  return sli_status_make(SLI_DATA_LOSS, "corrupted record at %llu%s", (unsigned long long)offset,
                         offset ? "" : " (Is this even a TFRecord file?)");
}

// Reads |size| bytes into reader->record.
static sli_status_t *read_long(sli_record_reader_t *reader, size_t size) {
  size_t done = 0;
  while (done < size) {
    size_t step = done < FIRST_STEP ? FIRST_STEP : done;
    if (step > size - done) step = size - done;
    if (reader->capacity < done + step) {
      char *grown = realloc(reader->record, done + step);
      if (!grown)
        return sli_status_make(SLI_RESOURCE_EXHAUSTED, "no memory for a record of %zu bytes at %llu", size,
                               (unsigned long long)reader->offset);
      reader->record = grown;
      reader->capacity = done + step;
    }
    size_t got;
    SLI_RETURN_IF_ERROR(sli_input_stream_read(reader->stream, reader->record + done, step, &got));
    if (got < step) return truncated(reader);
    done += got;
  }
  return NULL;
}

sli_status_t *sli_record_reader_read(sli_record_reader_t *reader, sli_view_t *out_record) {
  *out_record = sli_view_of(NULL, 0);
  sli_input_stream_t *stream = reader->stream;
  sli_view_t bytes;
  // The stream is already there unless the last call failed or the offset was changed.
  SLI_RETURN_IF_ERROR(sli_input_stream_seek(stream, reader->offset));
  SLI_RETURN_IF_ERROR(sli_input_stream_peek(stream, HEADER_SIZE, &bytes));
  if (bytes.size == 0) return sli_status_make(SLI_OUT_OF_RANGE, "eof");
  if (bytes.size < HEADER_SIZE) return truncated(reader);
  if (sli_crc32c_unmask(sli_coding_load_u32(bytes.data + 8)) != sli_crc32c(bytes.data, 8))
    return corrupted(reader->offset);
  uint64_t length = sli_coding_load_u64(bytes.data);
  if (length > SIZE_MAX - HEADER_SIZE - FOOTER_SIZE) return corrupted(reader->offset);

  size_t size = (size_t)length + FOOTER_SIZE;
  SLI_RETURN_IF_ERROR(sli_input_stream_peek(stream, HEADER_SIZE + size, &bytes));
  const char *data;
  if (bytes.size >= HEADER_SIZE + size) {
    data = bytes.data + HEADER_SIZE;
    sli_input_stream_consume(stream, HEADER_SIZE + size);
  } else {
    sli_input_stream_consume(stream, HEADER_SIZE);
    SLI_RETURN_IF_ERROR(read_long(reader, size));
    data = reader->record;
  }
  if (sli_crc32c_unmask(sli_coding_load_u32(data + length)) != sli_crc32c(data, length))
    return corrupted(reader->offset + HEADER_SIZE);
  reader->offset += HEADER_SIZE + size;
  *out_record = sli_view_of(data, (size_t)length);
  return NULL;
}
