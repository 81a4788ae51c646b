// RecordInput: every record once in an epoch, whatever the buffer and the number of files that are read in turn.
#include "base/alloc.h"
#include "io/record/record.h"
#include "ops/common/testing.h"

enum { FILES = 3, RECORDS = 7 };  // of each file

static void write_files(void) {
  for (int f = 0; f < FILES; f++) {
    char *path = sli_format("%s/part-%d", sli_test_temporary_dir(), f);
    sli_record_writer_t *writer;
    SLI_CHECK(!sli_record_writer_open(path, SLI_FILE_TRUNCATE, SLI_COMPRESSION_NONE, -1, &writer));
    for (int r = 0; r < RECORDS; r++) {
      char text[2] = {(char)('a' + f * RECORDS + r), 0};
      SLI_CHECK(!sli_record_writer_write(writer, sli_view(text)));
    }
    SLI_CHECK(!sli_record_writer_close(writer));
    sli_record_writer_release(writer);
    free(path);
  }
}

typedef struct {
  sli_testing_device_t device;
  sli_testing_kernel_t kernel;
} input_t;

static sli_status_t *open_input(input_t *input, const char *pattern, int64_t buffer, int64_t parallelism) {
  char *full = sli_format("%s/%s", sli_test_temporary_dir(), pattern);
  sli_attr_entry_t attrs[] = {SLI_ATTR_STRING_OF("file_pattern", full), SLI_ATTR_INT_OF("file_buffer_size", buffer),
                              SLI_ATTR_INT_OF("file_parallelism", parallelism),
                              SLI_ATTR_INT_OF("batch_size", FILES * RECORDS)};
  sli_testing_device_initialize(&input->device);
  sli_status_t *status =
      sli_testing_kernel_initialize(&input->kernel, input->device.device, "RecordInput", attrs, 4, NULL, 0);
  free(full);
  return status;
}

static void close_input(input_t *input) {
  sli_testing_kernel_deinitialize(&input->kernel);
  sli_testing_device_deinitialize(&input->device);
}

// Runs once; |text| gets the records in their order.
static sli_status_t *read_epoch(input_t *input, char *text) {
  sli_testing_device_release_outputs(&input->device);
  SLI_RETURN_IF_ERROR(sli_testing_kernel_run(&input->kernel, &input->device, NULL, 0));
  const sli_tensor_t *records = input->device.outputs[0].tensor;
  for (int64_t i = 0; i < records->count; i++) text[i] = sli_tensor_string_at(records, i).data[0];
  text[records->count] = 0;
  return NULL;
}

static void expect_epochs(int64_t buffer, int64_t parallelism) {
  input_t input;
  char first[FILES * RECORDS + 1], second[FILES * RECORDS + 1];
  SLI_REQUIRE_OK(open_input(&input, "part-*", buffer, parallelism));
  SLI_EXPECT_OK(read_epoch(&input, first));
  SLI_EXPECT_OK(read_epoch(&input, second));
  for (char c = 'a'; c < 'a' + FILES * RECORDS; c++)
    SLI_EXPECT(strchr(first, c) == strrchr(first, c) && strchr(first, c) && strchr(second, c) &&
               strchr(second, c) == strrchr(second, c));
  SLI_EXPECT(strcmp(first, second) != 0);
  close_input(&input);
}

SLI_TEST(test_an_epoch_has_every_record_once) {
  write_files();
  expect_epochs(10000, 16);
  expect_epochs(5, 2);
  expect_epochs(1, 1);
}

SLI_TEST(test_no_files_are_an_error) {
  input_t input;
  char text[FILES * RECORDS + 1];
  SLI_REQUIRE_OK(open_input(&input, "nothing-*", 10, 2));
  sli_testing_expect_error(read_epoch(&input, text), SLI_NOT_FOUND, "Found no files at");
  close_input(&input);
  sli_testing_expect_error(open_input(&input, "part-*", 0, 2), SLI_INVALID_ARGUMENT, "must be at least 1");
  close_input(&input);
}

SLI_TEST_MAIN(test_an_epoch_has_every_record_once, test_no_files_are_an_error)
