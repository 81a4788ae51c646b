// Writes a TFRecord file for TensorFlow to read: write_records PATH COMPRESSION COUNT. Record i is "i:" and i % 1000
// times the letter x, so that some fill buffers and some are empty but for the number.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/record/record.h"

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  sli_compression_t compression;
  sli_record_writer_t *writer = NULL;
  sli_status_t *status = sli_compression_parse(sli_view(argv[2]), &compression);
  if (!status) status = sli_record_writer_open(argv[1], SLI_FILE_TRUNCATE, compression, -1, &writer);
  long count = strtol(argv[3], NULL, 10);
  for (int i = 0; i < count && !status; i++) {
    char record[1100];
    int size = snprintf(record, sizeof(record), "%d:", i);
    memset(record + size, 'x', (size_t)(i % 1000));
    status = sli_record_writer_write(writer, sli_view_of(record, (size_t)(size + i % 1000)));
  }
  if (!status) status = sli_record_writer_close(writer);
  if (status) fprintf(stderr, "%s\n", sli_status_message(status));
  sli_record_writer_release(writer);
  int result = status ? 1 : 0;
  sli_status_release(status);
  return result;
}
