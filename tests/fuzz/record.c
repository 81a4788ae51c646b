// TFRecord files, plain and compressed, and snappy blocks. The first byte selects one.
#include <stdlib.h>

#include "base/alloc.h"
#include "io/file/gzip.h"
#include "io/file/snappy.h"
#include "io/record/record.h"
#include "tests/fuzz/fuzz.h"

static void read_records(const char *path, sli_compression_t compression) {
  sli_record_reader_t *reader;
  sli_status_t *status = sli_record_reader_open(path, compression, 0, &reader);
  if (status) {
    fuzz_ignore(status);
    return;
  }
  sli_view_t record;
  while (!(status = sli_record_reader_read(reader, &record))) continue;
  fuzz_ignore(status);
  sli_record_reader_release(reader);
}

static void unpack_snappy(const uint8_t *data, size_t size) {
  sli_view_t packed = sli_view_of((const char *)data, size);
  size_t unpacked;
  if (!sli_snappy_size(packed, &unpacked) || unpacked > 1 << 20) return;
  char *out = sli_malloc(unpacked ? unpacked : 1);
  (void)!sli_snappy_unpack(packed, out, unpacked);
  free(out);
}

void fuzz_one(const uint8_t *data, size_t size) {
  if (size < 1) return;
  int kind = data[0] % 5;
  data++;
  size--;
  if (kind == 4) {
    unpack_snappy(data, size);
    return;
  }
  const char *path = fuzz_file("records", data, size);
  if (kind < 3) {
    static const sli_compression_t compressions[] = {SLI_COMPRESSION_NONE, SLI_COMPRESSION_GZIP, SLI_COMPRESSION_ZLIB};
    read_records(path, compressions[kind]);
    return;
  }
  sli_string_t bytes = {0};
  fuzz_ignore(sli_gzip_read_whole(path, 1 << 20, &bytes));
  sli_string_deinitialize(&bytes);
}
