// Reads and writes TFRecord files outside of a graph, as tf.io.TFRecordWriter and
// tf.compat.v1.io.tf_record_iterator. A record is any bytes, usually a serialized
// Example (example.h). The CRCs of lengths and bytes are checked.
//
// Writers and readers are for one thread at a time. All calls block on file I/O.
#ifndef SLUICE_RECORD_H_
#define SLUICE_RECORD_H_

#pragma GCC system_header  // see sluice/export.h

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

typedef struct sl_record_writer sl_record_writer_t;

// Creates the file, or truncates an existing one. |compression| is "", "ZLIB" or "GZIP"; NULL: "". NULL after an error.
SL_EXPORT sl_record_writer_t *sl_record_writer_open(const char *path, const char *compression, TF_Status *status);
SL_EXPORT void sl_record_writer_write(sl_record_writer_t *writer, const void *data, size_t size, TF_Status *status);
// After this call other processes can read the records written so far.
SL_EXPORT void sl_record_writer_flush(sl_record_writer_t *writer, TF_Status *status);
// Syncs the file to disk, closes it and releases |writer|. All records are in the file only if this call succeeds. NULL
// is fine.
SL_EXPORT void sl_record_writer_close(sl_record_writer_t *writer, TF_Status *status);

typedef struct sl_record_reader sl_record_reader_t;

SL_EXPORT sl_record_reader_t *sl_record_reader_open(const char *path, const char *compression, TF_Status *status);
// Reads the next record; its bytes are valid until the next call. False at the end of the file and after an error. A
// damaged or truncated record is a DATA_LOSS that names the file and the offset.
SL_EXPORT bool sl_record_reader_read(sl_record_reader_t *reader, const void **out_data, size_t *out_size,
                                     TF_Status *status);
// The offset of the next record, in uncompressed bytes; and continues reading at |offset|.
SL_EXPORT uint64_t sl_record_reader_offset(const sl_record_reader_t *reader);
SL_EXPORT void sl_record_reader_seek(sl_record_reader_t *reader, uint64_t offset);
// NULL is fine.
SL_EXPORT void sl_record_reader_release(sl_record_reader_t *reader);

SL_END_DECLS

#endif  // SLUICE_RECORD_H_
