// TFRecord files: each record is its length and bytes, each with a masked
// CRC32C. Texts of errors are TensorFlow's. Thread-compatible; blocks.
#ifndef SLI_IO_RECORD_H_
#define SLI_IO_RECORD_H_

#include <stdint.h>

#include "base/status.h"
#include "base/string.h"
#include "io/compression.h"
#include "io/file.h"

typedef struct sli_record_writer sli_record_writer_t;

// |level|: zlib's, -1 for its default.
sli_status_t *sli_record_writer_open(const char *path, sli_file_mode_t mode, sli_compression_t compression, int level,
                                     sli_record_writer_t **out_writer);
const char *sli_record_writer_path(const sli_record_writer_t *writer);
sli_status_t *sli_record_writer_write(sli_record_writer_t *writer, sli_view_t record);
// Records written so far can then be read by others.
sli_status_t *sli_record_writer_flush(sli_record_writer_t *writer);
// Flushes and waits for the disk.
sli_status_t *sli_record_writer_sync(sli_record_writer_t *writer);
// Syncs and closes. The writer still has to be released.
sli_status_t *sli_record_writer_close(sli_record_writer_t *writer);
// Closes first if that was not done, without a word about failures.
void sli_record_writer_release(sli_record_writer_t *writer);

typedef struct sli_record_reader sli_record_reader_t;

// |buffer_size| 0: 256 KiB.
sli_status_t *sli_record_reader_open(const char *path, sli_compression_t compression, size_t buffer_size,
                                     sli_record_reader_t **out_reader);
void sli_record_reader_release(sli_record_reader_t *reader);
// The next record; its bytes stay until the next call. OUT_OF_RANGE at the end;
// DATA_LOSS when the record is damaged or cut off: the same again at the next
// call, unless the file was completed meanwhile.
sli_status_t *sli_record_reader_read(sli_record_reader_t *reader, sli_view_t *out_record);
// Where the next record starts, in unpacked bytes; valid for seek.
uint64_t sli_record_reader_offset(const sli_record_reader_t *reader);
sli_status_t *sli_record_reader_seek(sli_record_reader_t *reader, uint64_t offset);

#endif  // SLI_IO_RECORD_H_
