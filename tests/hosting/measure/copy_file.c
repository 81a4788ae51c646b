// Copies a file between any two file systems, as checkpoints and records are written and read: copy_file FROM TO
// [BYTES] BYTES of each read and write, 1 MB. Prints the seconds from open to close.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "io/file/file.h"

static sli_status_t *copy(const char *from, const char *to, size_t size) {
  sli_file_reader_t *reader = NULL;
  sli_file_writer_t *writer = NULL;
  char *bytes = sli_malloc(size);
  sli_status_t *status = NULL;
  SLI_GOTO_IF_ERROR(status, cleanup, sli_file_reader_open(from, &reader));
  SLI_GOTO_IF_ERROR(status, cleanup, sli_file_writer_open(to, SLI_FILE_TRUNCATE, &writer));
  size_t got = 1;
  for (uint64_t offset = 0; got; offset += got) {
    SLI_GOTO_IF_ERROR(status, cleanup, sli_file_reader_read(reader, offset, bytes, size, &got));
    SLI_GOTO_IF_ERROR(status, cleanup, sli_file_writer_write(writer, bytes, got));
  }
  SLI_GOTO_IF_ERROR(status, cleanup, sli_file_writer_close(writer));
cleanup:
  sli_file_writer_release(writer);
  sli_file_reader_release(reader);
  free(bytes);
  return status;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: copy_file FROM TO [BYTES]\n");
    return 2;
  }
  int64_t start = sli_clock_now_nanos();
  sli_status_t *status = copy(argv[1], argv[2], argc > 3 ? strtoul(argv[3], NULL, 10) : 1 << 20);
  if (status) {
    fprintf(stderr, "copy_file: %s\n", sli_status_message(status));
    return 1;
  }
  printf("%.3f\n", (double)(sli_clock_now_nanos() - start) / 1e9);
  return 0;
}
