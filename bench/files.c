// Records and checkpoint bundles. The files are in memory if the system has a memory file system.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "bench.h"
#include "io/checkpoint/bundle.h"
#include "io/record/record.h"

enum { RECORDS = 1000, RECORD_BYTES = 1024, TENSORS = 16, TENSOR_BYTES = 256 * 1024 };

static void require(sli_status_t *status) {
  if (!status) return;
  fprintf(stderr, "sluice_bench: %s\n", sli_status_message(status));
  exit(1);
}

static char data[TENSOR_BYTES];

static void write_records(void *path) {
  sli_record_writer_t *writer;
  require(sli_record_writer_open(path, SLI_FILE_TRUNCATE, SLI_COMPRESSION_NONE, -1, &writer));
  for (int i = 0; i < RECORDS; i++) require(sli_record_writer_write(writer, sli_view_of(data, RECORD_BYTES)));
  require(sli_record_writer_close(writer));
  sli_record_writer_release(writer);
}

static void read_records(void *path) {
  sli_record_reader_t *reader;
  sli_view_t record;
  require(sli_record_reader_open(path, SLI_COMPRESSION_NONE, 0, &reader));
  for (int i = 0; i < RECORDS; i++) require(sli_record_reader_read(reader, &record));
  sli_record_reader_release(reader);
}

static void save_bundle(void *prefix) {
  sli_bundle_writer_t *writer;
  require(sli_bundle_writer_create(prefix, &writer));
  int64_t dims[] = {TENSOR_BYTES / 4};
  sli_bundle_tensor_t tensor = {.dtype = 1, .rank = 1, .dims = dims, .data = data, .size = sizeof(data)};
  for (int i = 0; i < TENSORS; i++) {
    char name[16];
    snprintf(name, sizeof(name), "v%02d", i);
    require(sli_bundle_writer_add(writer, sli_view(name), &tensor));
  }
  require(sli_bundle_writer_finish(writer));
  sli_bundle_writer_release(writer);
}

static void restore_bundle(void *prefix) {
  sli_bundle_reader_t *reader;
  require(sli_bundle_reader_open(prefix, &reader));
  for (size_t i = 0; i < sli_bundle_reader_count(reader); i++)
    require(sli_bundle_reader_read(reader, sli_bundle_reader_at(reader, i), NULL, data, sizeof(data)));
  sli_bundle_reader_release(reader);
}

void bench_files(void) {
  char *records = sli_format("%s/records", bench_folder()), *bundle = sli_format("%s/bundle", bench_folder());
  for (size_t i = 0; i < sizeof(data); i++) data[i] = (char)(i * 31);
  bench_title("files");
  bench_row("write 1,000 records of 1 KB", write_records, records, (double)RECORDS * RECORD_BYTES, "B");
  bench_row("read them", read_records, records, (double)RECORDS * RECORD_BYTES, "B");
  bench_row("save a bundle of 16 x 256 KB", save_bundle, bundle, (double)TENSORS * TENSOR_BYTES, "B");
  bench_row("restore it", restore_bundle, bundle, (double)TENSORS * TENSOR_BYTES, "B");
  free(records);
  free(bundle);
}
