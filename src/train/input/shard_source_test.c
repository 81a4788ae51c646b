#include "train/input/shard_source.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/test.h"
#include "io/file/file.h"
#include "io/record/record.h"

enum { FILES = 3, RECORDS = 23 };

static char *paths[FILES];

// Record i is the number i; the files have 10, 0 and 13 records.
static void write_files(void) {
  static const int counts[FILES] = {10, 0, 13};
  for (int i = 0, number = 0; i < FILES; i++) {
    if (!paths[i]) paths[i] = sli_format("%s/records-%d", sli_test_temporary_dir(), i);
    sli_record_writer_t *writer = NULL;
    SLI_EXPECT_OK(sli_record_writer_open(paths[i], SLI_FILE_TRUNCATE, SLI_COMPRESSION_NONE, -1, &writer));
    for (int j = 0; j < counts[i]; j++, number++) {
      char *text = sli_format("%d", number);
      SLI_EXPECT_OK(sli_record_writer_write(writer, sli_view(text)));
      free(text);
    }
    SLI_EXPECT_OK(sli_record_writer_close(writer));
    sli_record_writer_release(writer);
  }
}

static sli_shard_source_t *open_source(int shard, int shards, int64_t shuffle_buffer, bool whole_files) {
  return sli_shard_source_create(&(sli_shard_options_t){.files = (const char *const *)paths,
                                                        .file_count = FILES,
                                                        .shard = shard,
                                                        .shards = shards,
                                                        .shuffle_buffer = shuffle_buffer,
                                                        .whole_files = whole_files,
                                                        .seed = 5});
}

static int64_t next_number(sli_shard_source_t *source) {
  sli_view_t record;
  int64_t number = -1;
  SLI_EXPECT_OK(sli_shard_source_next(source, &record));
  SLI_EXPECT(sli_view_to_int64(record, &number));
  return number >= 0 && number < RECORDS ? number : 0;
}

static int64_t epoch_of(const sli_shard_source_t *source) {
  int64_t epoch, offset;
  sli_shard_source_position(source, &epoch, &offset);
  return epoch;
}

SLI_TEST(test_all_shards_together_have_each_record_once_an_epoch) {
  write_files();
  static const int64_t buffers[] = {0, 4, 1000};
  for (int shards = 1; shards <= 3; shards++)
    for (int kind = 0; kind < 6; kind++) {
      bool whole_files = kind >= 3;
      if (whole_files && shards > 1) continue;  // one of the files is empty
      int seen[3][RECORDS] = {{0}};
      for (int shard = 0; shard < shards; shard++) {
        sli_shard_source_t *source = open_source(shard, shards, buffers[kind % 3], whole_files);
        for (int64_t epoch; (epoch = epoch_of(source)) < 3;) seen[epoch][next_number(source)]++;
        sli_shard_source_release(source);
      }
      for (int epoch = 0; epoch < 3; epoch++)
        for (int i = 0; i < RECORDS; i++) SLI_EXPECT_INT(seen[epoch][i], 1);
    }
}

SLI_TEST(test_in_order_is_the_order_of_the_files) {
  write_files();
  sli_shard_source_t *source = open_source(1, 2, 0, false);
  for (int i = 0; i < 2 * (RECORDS / 2); i++) SLI_EXPECT_INT(next_number(source), 2 * (i % (RECORDS / 2)) + 1);
  SLI_EXPECT_INT(epoch_of(source), 2);
  sli_shard_source_release(source);
}

SLI_TEST(test_a_shuffled_epoch_has_an_order_of_its_own) {
  write_files();
  sli_shard_source_t *source = open_source(0, 1, 8, false);
  int64_t orders[2][RECORDS];
  for (int i = 0; i < 2 * RECORDS; i++) orders[i / RECORDS][i % RECORDS] = next_number(source);
  SLI_EXPECT(memcmp(orders[0], orders[1], sizeof(orders[0])) != 0);
  SLI_EXPECT_OK(sli_shard_source_seek(source, 1, 0));
  for (int i = 0; i < RECORDS; i++) SLI_EXPECT_INT(next_number(source), orders[1][i]);
  sli_shard_source_release(source);
}

SLI_TEST(test_another_source_goes_on_at_any_position) {
  write_files();
  for (int64_t buffer = 0; buffer < 9; buffer += 4) {
    sli_shard_source_t *first = open_source(0, 2, buffer, false);
    for (int i = 0; i < 30; i++) {
      int64_t epoch, offset;
      sli_shard_source_position(first, &epoch, &offset);
      sli_shard_source_t *second = open_source(0, 2, buffer, false);
      SLI_EXPECT_OK(sli_shard_source_seek(second, epoch, offset));
      SLI_EXPECT_INT(next_number(second), next_number(first));
      sli_shard_source_release(second);
    }
    sli_shard_source_release(first);
  }
}

static void expect_refused(sli_status_t *status, sli_code_t code, const char *part) {
  SLI_EXPECT_INT(sli_status_code(status), code);
  SLI_EXPECT_CONTAINS(sli_status_message(status), part);
  sli_status_release(status);
}

SLI_TEST(test_what_cannot_be_read_is_named) {
  write_files();
  sli_view_t record;
  sli_shard_source_t *source = open_source(0, 1, 0, false);
  SLI_EXPECT_OK(sli_shard_source_seek(source, 3, RECORDS - 1));
  expect_refused(sli_shard_source_seek(source, 3, RECORDS), SLI_FAILED_PRECONDITION, "but the shard has only 23");
  sli_shard_source_release(source);
  source = open_source(1, 2, 0, true);  // its file is the empty one
  expect_refused(sli_shard_source_next(source, &record), SLI_FAILED_PRECONDITION, "no record for shard 1 of 2");
  sli_shard_source_release(source);
  sli_string_t bytes = {0};
  SLI_EXPECT_OK(sli_file_read_whole(paths[2], 1 << 20, &bytes));
  sli_file_writer_t *file = NULL;
  SLI_EXPECT_OK(sli_file_writer_open(paths[2], SLI_FILE_TRUNCATE, &file));
  SLI_EXPECT_OK(sli_file_writer_write(file, bytes.data, bytes.size - 3));
  SLI_EXPECT_OK(sli_file_writer_close(file));
  sli_file_writer_release(file);
  sli_string_deinitialize(&bytes);
  source = open_source(0, 1, 0, false);
  sli_status_t *status = NULL;
  int count = 0;
  while (!(status = sli_shard_source_next(source, &record))) count++;
  SLI_EXPECT_INT(count, RECORDS - 2);  // the buffer reads one ahead
  expect_refused(status, SLI_DATA_LOSS, "records-2: truncated record at");
  SLI_EXPECT_OK(sli_file_delete(paths[2]));
  expect_refused(sli_shard_source_seek(source, 0, 15), SLI_NOT_FOUND, "records-2");
  sli_shard_source_release(source);
  for (int i = 0; i < FILES; i++) free(paths[i]);
}

SLI_TEST_MAIN(test_all_shards_together_have_each_record_once_an_epoch, test_in_order_is_the_order_of_the_files,
              test_a_shuffled_epoch_has_an_order_of_its_own, test_another_source_goes_on_at_any_position,
              test_what_cannot_be_read_is_named)
