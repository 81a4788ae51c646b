// A key is "file:position". The position is the offset of a TFRecord, or the number of a line or of a record of fixed
// length. The key of a whole file or an identity is its name.
#include "ops/io/reader_kinds.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "io/file/file.h"
#include "io/file/input_stream.h"
#include "io/record/record.h"

enum { CHUNK = 1 << 20 };  // maximum number of bytes allocated at once for a size that the user sets

static bool is_end(sli_status_t **status) {
  if (sli_status_code(*status) != SLI_OUT_OF_RANGE) return false;
  sli_status_release(*status);
  *status = NULL;
  return true;
}

static void append_key(sli_string_t *key, const char *work, uint64_t position) {
  sli_string_append_format(key, "%s:%llu", work, (unsigned long long)position);
}

// --- TFRecord files ----------------------------------------------------------------------

typedef struct {
  sli_compression_t compression;
  sli_record_reader_t *reader;
} tfrecord_source_t;

static sli_status_t *tfrecord_start(void *state, const char *work) {
  tfrecord_source_t *self = state;
  return sli_record_reader_open(work, self->compression, 0, &self->reader);
}

static sli_status_t *tfrecord_read(void *state, const char *work, sli_string_t *key, sli_tstring_t *value,
                                   bool *out_produced, bool *out_at_end) {
  tfrecord_source_t *self = state;
  uint64_t offset = sli_record_reader_offset(self->reader);
  sli_view_t record;
  sli_status_t *status = sli_record_reader_read(self->reader, &record);
  *out_at_end = is_end(&status);
  *out_produced = !status && !*out_at_end;
  if (*out_produced) {
    append_key(key, work, offset);
    sli_tstring_assign(value, record.data, record.size);
  }
  return status;
}

static void tfrecord_stop(void *state) {
  tfrecord_source_t *self = state;
  sli_record_reader_release(self->reader);
  self->reader = NULL;
}

sli_reader_t *sli_reader_create_tfrecord(sli_view_t name, sli_compression_t compression) {
  static const sli_reader_kind_t kind = {"TFRecordReader", tfrecord_start, tfrecord_read, tfrecord_stop, false};
  tfrecord_source_t state = {.compression = compression};
  return sli_reader_create(&kind, sli_memdup(&state, sizeof(state)), name);
}

// --- Lines -------------------------------------------------------------------------------

typedef struct {
  int64_t skip, line;
  sli_input_stream_t *stream;
} text_line_source_t;

// Reads a line without its newline and without carriage returns. OUT_OF_RANGE at the end of the file.
static sli_status_t *read_line(sli_input_stream_t *stream, sli_string_t *line) {
  bool is_any = false;
  for (;;) {
    sli_view_t bytes;
    SLI_RETURN_IF_ERROR(sli_input_stream_peek(stream, 1, &bytes));
    if (bytes.size == 0) return is_any ? NULL : sli_status_make(SLI_OUT_OF_RANGE, "eof");
    is_any = true;
    const char *end = memchr(bytes.data, '\n', bytes.size);
    size_t size = end ? (size_t)(end - bytes.data) : bytes.size;
    for (size_t at = 0; at < size;) {
      const char *from = bytes.data + at, *carriage = memchr(from, '\r', size - at);
      size_t part = carriage ? (size_t)(carriage - from) : size - at;
      sli_string_append(line, from, part);
      at += part + (carriage != NULL);
    }
    sli_input_stream_consume(stream, size + (end != NULL));
    if (end) return NULL;
  }
}

static sli_status_t *text_line_start(void *state, const char *work) {
  text_line_source_t *self = state;
  self->line = 0;
  SLI_RETURN_IF_ERROR(sli_input_stream_open(work, SLI_COMPRESSION_NONE, 0, &self->stream));
  sli_string_t line = {0};
  sli_status_t *status = NULL;
  for (; self->line < self->skip && !status; self->line++) {
    sli_string_clear(&line);
    status = read_line(self->stream, &line);
    if (is_end(&status)) break;
  }
  sli_string_deinitialize(&line);
  return status;
}

static sli_status_t *text_line_read(void *state, const char *work, sli_string_t *key, sli_tstring_t *value,
                                    bool *out_produced, bool *out_at_end) {
  text_line_source_t *self = state;
  sli_string_t line = {0};
  sli_status_t *status = read_line(self->stream, &line);
  self->line++;
  *out_at_end = is_end(&status);
  *out_produced = !status && !*out_at_end;
  if (*out_produced) {
    append_key(key, work, (uint64_t)self->line);
    sli_tstring_assign(value, sli_string_text(&line), line.size);
  }
  sli_string_deinitialize(&line);
  return status;
}

static void text_line_stop(void *state) {
  text_line_source_t *self = state;
  sli_input_stream_release(self->stream);
  self->stream = NULL;
}

sli_reader_t *sli_reader_create_text_line(sli_view_t name, int64_t skip_header_lines) {
  static const sli_reader_kind_t kind = {"TextLineReader", text_line_start, text_line_read, text_line_stop, false};
  text_line_source_t state = {.skip = skip_header_lines};
  return sli_reader_create(&kind, sli_memdup(&state, sizeof(state)), name);
}

// --- Records of a fixed length ---------------------------------------------------------------

typedef struct {
  sli_reader_fixed_length_t layout;
  int64_t record;
  sli_input_stream_t *stream;
  sli_string_t ahead;  // the file from the current record on: a compressed stream cannot seek backwards
} fixed_length_source_t;

// Appends |size| bytes to |self->ahead|. |*out_complete| is false if the file ends before.
static sli_status_t *read_ahead(fixed_length_source_t *self, uint64_t size, bool *out_complete) {
  *out_complete = false;
  while (size > 0) {
    size_t want = size < CHUNK ? (size_t)size : CHUNK, have, before = self->ahead.size;
    char *to = sli_string_extend(&self->ahead, want);
    sli_status_t *status = sli_input_stream_read(self->stream, to, want, &have);
    if (status) have = 0;
    self->ahead.size = before + have;
    if (status || have < want) return status;
    size -= want;
  }
  *out_complete = true;
  return NULL;
}

static sli_status_t *fixed_length_start(void *state, const char *work) {
  fixed_length_source_t *self = state;
  self->record = 0;
  sli_string_clear(&self->ahead);
  SLI_RETURN_IF_ERROR(sli_input_stream_open(work, self->layout.compression, 0, &self->stream));
  return sli_input_stream_seek(self->stream, (uint64_t)self->layout.header_bytes);
}

static sli_status_t *hop(fixed_length_source_t *self) {
  uint64_t size = (uint64_t)self->layout.hop_bytes;
  if (size <= self->ahead.size) {
    memmove(self->ahead.data, self->ahead.data + size, self->ahead.size - (size_t)size);
    self->ahead.size -= (size_t)size;
    return NULL;
  }
  size -= self->ahead.size;
  sli_string_clear(&self->ahead);
  return sli_input_stream_seek(self->stream, sli_input_stream_position(self->stream) + size);
}

static sli_status_t *fixed_length_read(void *state, const char *work, sli_string_t *key, sli_tstring_t *value,
                                       bool *out_produced, bool *out_at_end) {
  fixed_length_source_t *self = state;
  uint64_t needed = (uint64_t)self->layout.record_bytes + (uint64_t)self->layout.footer_bytes;
  bool is_complete;
  if (self->record > 0) SLI_RETURN_IF_ERROR(hop(self));
  SLI_RETURN_IF_ERROR(read_ahead(self, needed > self->ahead.size ? needed - self->ahead.size : 0, &is_complete));
  *out_at_end = !is_complete;
  if (!is_complete) return NULL;
  append_key(key, work, (uint64_t)self->record++);
  sli_tstring_assign(value, self->ahead.data, (size_t)self->layout.record_bytes);
  *out_produced = true;
  return NULL;
}

static void fixed_length_stop(void *state) {
  fixed_length_source_t *self = state;
  sli_input_stream_release(self->stream);
  self->stream = NULL;
  sli_string_deinitialize(&self->ahead);
}

sli_reader_t *sli_reader_create_fixed_length(sli_view_t name, const sli_reader_fixed_length_t *layout) {
  static const sli_reader_kind_t kind = {"FixedLengthRecordReader", fixed_length_start, fixed_length_read,
                                         fixed_length_stop, false};
  fixed_length_source_t state = {.layout = *layout};
  if (layout->hop_bytes == 0) state.layout.hop_bytes = layout->record_bytes;
  return sli_reader_create(&kind, sli_memdup(&state, sizeof(state)), name);
}

// --- Whole files, names -----------------------------------------------------------------------

static sli_status_t *start_nothing(void *state, const char *work) { return NULL; }
static void stop_nothing(void *state) {}

static sli_status_t *whole_file_read(void *state, const char *work, sli_string_t *key, sli_tstring_t *value,
                                     bool *out_produced, bool *out_at_end) {
  sli_string_t bytes = {0};
  sli_status_t *status = sli_file_read_whole(work, SIZE_MAX, &bytes);
  if (!status) {
    sli_string_append_text(key, work);
    sli_tstring_assign(value, sli_string_text(&bytes), bytes.size);
    *out_produced = *out_at_end = true;
  }
  sli_string_deinitialize(&bytes);
  return status;
}

sli_reader_t *sli_reader_create_whole_file(sli_view_t name) {
  static const sli_reader_kind_t kind = {"WholeFileReader", start_nothing, whole_file_read, stop_nothing, false};
  return sli_reader_create(&kind, NULL, name);
}

static sli_status_t *identity_read(void *state, const char *work, sli_string_t *key, sli_tstring_t *value,
                                   bool *out_produced, bool *out_at_end) {
  sli_string_append_text(key, work);
  sli_tstring_assign(value, work, strlen(work));
  *out_produced = *out_at_end = true;
  return NULL;
}

sli_reader_t *sli_reader_create_identity(sli_view_t name) {
  static const sli_reader_kind_t kind = {"IdentityReader", start_nothing, identity_read, stop_nothing, true};
  return sli_reader_create(&kind, NULL, name);
}
