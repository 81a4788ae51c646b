// TFRecord files, outside of a graph: what tf.io.TFRecordWriter writes and
// tf.compat.v1.io.tf_record_iterator reads. A record is any bytes, as a rule a
// serialized Example (example.h). Lengths and bytes carry a CRC, which is checked.
//
// Writers and readers are for one thread at a time; their calls block for the file.
#ifndef SLUICE_RECORD_H_
#define SLUICE_RECORD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

typedef struct sl_record_writer sl_record_writer_t;

// A new file, in place of one that may be there. |compression|: "", "ZLIB" or "GZIP"; NULL: "". NULL after an error.
SL_EXPORT sl_record_writer_t *sl_record_writer_open(const char *path, const char *compression, TF_Status *status);
SL_EXPORT void sl_record_writer_write(sl_record_writer_t *writer, const void *data, size_t size, TF_Status *status);
// Records written so far can then be read by others.
SL_EXPORT void sl_record_writer_flush(sl_record_writer_t *writer, TF_Status *status);
// Waits for the disk, closes and releases. Only after this call without an error all records are in the file. NULL is
// fine.
SL_EXPORT void sl_record_writer_close(sl_record_writer_t *writer, TF_Status *status);

typedef struct sl_record_reader sl_record_reader_t;

SL_EXPORT sl_record_reader_t *sl_record_reader_open(const char *path, const char *compression, TF_Status *status);
// The next record; its bytes stay until the next call. False at the end of the file, and after an error: DATA_LOSS,
// with the file and the place in it, when a record is damaged or cut off.
SL_EXPORT bool sl_record_reader_read(sl_record_reader_t *reader, const void **out_data, size_t *out_size,
                                     TF_Status *status);
// Where the next record starts, in unpacked bytes; and to go on there.
SL_EXPORT uint64_t sl_record_reader_offset(const sl_record_reader_t *reader);
SL_EXPORT void sl_record_reader_seek(sl_record_reader_t *reader, uint64_t offset);
// NULL is fine.
SL_EXPORT void sl_record_reader_release(sl_record_reader_t *reader);

SL_END_DECLS

#endif  // SLUICE_RECORD_H_
