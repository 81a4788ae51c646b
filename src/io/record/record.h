// TFRecord files. A record is a length and bytes, each followed by a masked CRC32C. Error messages are TensorFlow's.
// Thread-compatible; blocks.
#ifndef SLI_IO_RECORD_RECORD_H_
#define SLI_IO_RECORD_RECORD_H_

#include <stdint.h>

#include "base/status.h"
#include "base/string.h"
#include "io/file/compression.h"
#include "io/file/file.h"

typedef struct sli_record_writer sli_record_writer_t;

// |level|: the compression level of zlib, -1 for its default.
sli_status_t *sli_record_writer_open(const char *path, sli_file_mode_t mode, sli_compression_t compression, int level,
                                     sli_record_writer_t **out_writer);
const char *sli_record_writer_path(const sli_record_writer_t *writer);
sli_status_t *sli_record_writer_write(sli_record_writer_t *writer, sli_view_t record);
// Afterwards readers of the file see all records that were written.
sli_status_t *sli_record_writer_flush(sli_record_writer_t *writer);
// Syncs and closes the file. The writer must still be released.
sli_status_t *sli_record_writer_close(sli_record_writer_t *writer);
// Closes the writer if it is open, ignoring failures.
void sli_record_writer_release(sli_record_writer_t *writer);

typedef struct sli_record_reader sli_record_reader_t;

// |buffer_size| 0: 256 KiB.
sli_status_t *sli_record_reader_open(const char *path, sli_compression_t compression, size_t buffer_size,
                                     sli_record_reader_t **out_reader);
void sli_record_reader_release(sli_record_reader_t *reader);
// Reads the next record. Its bytes are valid until the next call. OUT_OF_RANGE at the end of the file; DATA_LOSS if the
// record is damaged or truncated. The next call reads the same record again: the file may have grown.
sli_status_t *sli_record_reader_read(sli_record_reader_t *reader, sli_view_t *out_record);
// The position of the next record in decompressed bytes; seek accepts it.
uint64_t sli_record_reader_offset(const sli_record_reader_t *reader);
sli_status_t *sli_record_reader_seek(sli_record_reader_t *reader, uint64_t offset);

#endif  // SLI_IO_RECORD_RECORD_H_
