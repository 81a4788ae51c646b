#include "sluice/record.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"

static char *path_of(const char *name) { return sli_format("%s/%s", sli_test_temporary_dir(), name); }

static void write_records(const char *path, const char *compression, int count) {
  TF_Status *status = TF_NewStatus();
  sl_record_writer_t *writer = sl_record_writer_open(path, compression, status);
  SLI_REQUIRE(writer);
  for (int i = 0; i < count; i++) {
    char *record = sli_format("record %d", i);
    sl_record_writer_write(writer, record, strlen(record), status);
    SLI_EXPECT_INT(TF_GetCode(status), TF_OK);
    free(record);
  }
  sl_record_writer_close(writer, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_OK);
  TF_DeleteStatus(status);
}

// Reads to the end, or to an error, which is in |status|. Returns the number of records.
static int read_records(sl_record_reader_t *reader, int first, TF_Status *status) {
  const void *data;
  size_t size;
  int count = 0;
  for (; sl_record_reader_read(reader, &data, &size, status); count++) {
    char *wanted = sli_format("record %d", first + count);
    SLI_EXPECT(sli_view_equal(sli_view_of(data, size), sli_view(wanted)));
    free(wanted);
  }
  return count;
}

SLI_TEST(test_records_are_read_back_with_every_compression) {
  static const char *const kinds[] = {NULL, "", "ZLIB", "GZIP"};
  for (int i = 0; i < 4; i++) {
    char *path = path_of("records");
    write_records(path, kinds[i], 100);
    TF_Status *status = TF_NewStatus();
    sl_record_reader_t *reader = sl_record_reader_open(path, kinds[i], status);
    SLI_REQUIRE(reader);
    SLI_EXPECT_INT(read_records(reader, 0, status), 100);
    SLI_EXPECT_INT(TF_GetCode(status), TF_OK);
    sl_record_reader_release(reader);
    TF_DeleteStatus(status);
    free(path);
  }
}

SLI_TEST(test_a_reader_continues_at_an_offset) {
  char *path = path_of("positions");
  write_records(path, NULL, 20);
  TF_Status *status = TF_NewStatus();
  sl_record_reader_t *reader = sl_record_reader_open(path, NULL, status);
  SLI_REQUIRE(reader);
  const void *data;
  size_t size;
  for (int i = 0; i < 7; i++) SLI_EXPECT(sl_record_reader_read(reader, &data, &size, status));
  uint64_t offset = sl_record_reader_offset(reader);
  SLI_EXPECT_INT(read_records(reader, 7, status), 13);
  sl_record_reader_seek(reader, offset);
  SLI_EXPECT_INT(read_records(reader, 7, status), 13);
  sl_record_reader_release(reader);
  TF_DeleteStatus(status);
  free(path);
}

SLI_TEST(test_damage_is_reported_with_file_and_offset) {
  char *path = path_of("damaged");
  write_records(path, NULL, 3);
  sli_string_t bytes = {0};
  SLI_EXPECT_OK(sli_file_read_whole(path, 1 << 20, &bytes));
  bytes.data[24 + 12] ^= 1;  // the second record's first byte
  TF_Status *status = TF_NewStatus();
  sli_file_writer_t *file = NULL;
  SLI_EXPECT_OK(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &file));
  SLI_EXPECT_OK(sli_file_writer_write(file, bytes.data, bytes.size));
  SLI_EXPECT_OK(sli_file_writer_close(file));
  sli_file_writer_release(file);
  sl_record_reader_t *reader = sl_record_reader_open(path, NULL, status);
  SLI_REQUIRE(reader);
  SLI_EXPECT_INT(read_records(reader, 0, status), 1);
  SLI_EXPECT_INT(TF_GetCode(status), TF_DATA_LOSS);
  SLI_EXPECT_CONTAINS(TF_Message(status), "/damaged: corrupted record at 36");
  sl_record_reader_release(reader);
  SLI_EXPECT(!sl_record_reader_open("/nonexistent/file", NULL, status));
  SLI_EXPECT_INT(TF_GetCode(status), TF_NOT_FOUND);
  SLI_EXPECT_CONTAINS(TF_Message(status), "/nonexistent/file");
  SLI_EXPECT(!sl_record_reader_open(path, "LZ4", status));
  SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
  SLI_EXPECT_CONTAINS(TF_Message(status), "LZ4");
  SLI_EXPECT(!sl_record_writer_open("/nonexistent/file", NULL, status));
  SLI_EXPECT_CONTAINS(TF_Message(status), "/nonexistent/file");
  sl_record_writer_close(NULL, status);
  sl_record_reader_release(NULL);
  TF_DeleteStatus(status);
  sli_string_deinitialize(&bytes);
  free(path);
}

SLI_TEST_MAIN(test_records_are_read_back_with_every_compression, test_a_reader_continues_at_an_offset,
              test_damage_is_reported_with_file_and_offset)
