// The public functions for TFRecord files, on top of io/record/record.h. Errors name
// the file.
#include "sluice/record.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "io/record/record.h"
#include "train/common/tf_tensor.h"

struct sl_record_writer {
  sli_record_writer_t *records;
};

struct sl_record_reader {
  char *path;
  sli_record_reader_t *records;
};

static sli_status_t *parse_compression(const char *name, const char *path, sli_compression_t *out_compression) {
  sli_status_t *status = sli_compression_parse(sli_view(name ? name : ""), out_compression);
  return status ? sli_status_prefix(status, "%s: ", path) : NULL;
}

sl_record_writer_t *sl_record_writer_open(const char *path, const char *compression, TF_Status *status) {
  sli_compression_t packed = SLI_COMPRESSION_NONE;
  sli_record_writer_t *records = NULL;
  sli_status_t *failed = parse_compression(compression, path, &packed);
  if (!failed) failed = sli_record_writer_open(path, SLI_FILE_TRUNCATE, packed, -1, &records);
  sli_tf_status_from_status(failed, status);
  if (!records) return NULL;
  sl_record_writer_t *writer = sli_calloc(1, sizeof(*writer));
  writer->records = records;
  return writer;
}

void sl_record_writer_write(sl_record_writer_t *writer, const void *data, size_t size, TF_Status *status) {
  sli_tf_status_from_status(sli_record_writer_write(writer->records, sli_view_of(data, size)), status);
}

void sl_record_writer_flush(sl_record_writer_t *writer, TF_Status *status) {
  sli_tf_status_from_status(sli_record_writer_flush(writer->records), status);
}

void sl_record_writer_close(sl_record_writer_t *writer, TF_Status *status) {
  TF_SetStatus(status, TF_OK, "");
  if (!writer) return;
  sli_tf_status_from_status(sli_record_writer_close(writer->records), status);
  sli_record_writer_release(writer->records);
  free(writer);
}

sl_record_reader_t *sl_record_reader_open(const char *path, const char *compression, TF_Status *status) {
  sli_compression_t packed = SLI_COMPRESSION_NONE;
  sli_record_reader_t *records = NULL;
  sli_status_t *failed = parse_compression(compression, path, &packed);
  if (!failed) failed = sli_record_reader_open(path, packed, 0, &records);
  sli_tf_status_from_status(failed, status);
  if (!records) return NULL;
  sl_record_reader_t *reader = sli_calloc(1, sizeof(*reader));
  reader->path = sli_strdup(path);
  reader->records = records;
  return reader;
}

bool sl_record_reader_read(sl_record_reader_t *reader, const void **out_data, size_t *out_size, TF_Status *status) {
  sli_view_t record;
  sli_status_t *failed = sli_record_reader_read(reader->records, &record);
  bool found = !failed;
  *out_data = record.data;
  *out_size = record.size;
  if (sli_status_code(failed) == SLI_OUT_OF_RANGE) {  // the end of the file is not an error
    sli_status_release(failed);
    failed = NULL;
  }
  sli_tf_status_from_status(failed ? sli_status_prefix(failed, "%s: ", reader->path) : NULL, status);
  return found;
}

uint64_t sl_record_reader_offset(const sl_record_reader_t *reader) { return sli_record_reader_offset(reader->records); }

void sl_record_reader_seek(sl_record_reader_t *reader, uint64_t offset) {
  sli_status_release(
      sli_record_reader_seek(reader->records, offset));  // an invalid offset is reported by the next read
}

void sl_record_reader_release(sl_record_reader_t *reader) {
  if (!reader) return;
  sli_record_reader_release(reader->records);
  free(reader->path);
  free(reader);
}
