// The kinds of readers: TFRecord files, text lines, records of a fixed length, whole files, and the identity reader,
// which returns the names of its work units. The caller owns the returned reference.
#ifndef SLI_OPS_IO_READER_KINDS_H_
#define SLI_OPS_IO_READER_KINDS_H_

#include "io/file/compression.h"
#include "ops/io/reader.h"

sli_reader_t *sli_reader_create_tfrecord(sli_view_t name, sli_compression_t compression);
sli_reader_t *sli_reader_create_text_line(sli_view_t name, int64_t skip_header_lines);

typedef struct {
  int64_t header_bytes, record_bytes, footer_bytes, hop_bytes;
  sli_compression_t compression;
} sli_reader_fixed_length_t;
sli_reader_t *sli_reader_create_fixed_length(sli_view_t name, const sli_reader_fixed_length_t *layout);
sli_reader_t *sli_reader_create_whole_file(sli_view_t name);
sli_reader_t *sli_reader_create_identity(sli_view_t name);

#endif  // SLI_OPS_IO_READER_KINDS_H_
