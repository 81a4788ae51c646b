#include "io/checkpoint/checkpoint_reader.h"

#include "base/alloc.h"
#include "base/test.h"
#include "io/file/file.h"
#include "io/file/path.h"

static char *golden(const char *name) { return sli_format("%s/checkpoints/%s", sli_test_golden_dir(), name); }
static char *temporary(const char *name) { return sli_path_join(sli_test_temporary_dir(), name); }

// a = [0, 1, 2, 3] float, b = [1, 2] int32.
static sli_status_t *read_v1(const char *prefix, bool *out_right) {
  sli_checkpoint_reader_t *reader;
  *out_right = false;
  SLI_RETURN_IF_ERROR(sli_checkpoint_reader_open(prefix, &reader));
  float a[4] = {0};
  int32_t b[2] = {0};
  const sli_bundle_entry_t *entry_a = NULL, *entry_b = NULL;
  sli_status_t *status = sli_checkpoint_reader_lookup(reader, sli_view("a"), &entry_a);
  if (!status) status = sli_checkpoint_reader_lookup(reader, sli_view("b"), &entry_b);
  if (!status) status = sli_checkpoint_reader_read(reader, entry_a, NULL, a, sizeof(a));
  if (!status) status = sli_checkpoint_reader_read(reader, entry_b, NULL, b, sizeof(b));
  if (!status)
    *out_right = sli_checkpoint_reader_count(reader) == 2 && entry_a->dtype == 1 && entry_a->dims[0] == 4 &&
                 entry_b->dtype == 3 && a[0] == 0 && a[1] == 1 && a[2] == 2 && a[3] == 3 && b[0] == 1 && b[1] == 2;
  sli_checkpoint_reader_release(reader);
  return status;
}

SLI_TEST(test_checkpoint_reader_reads_v1) {
  char *prefix = golden("v1_format/model.ckpt");
  bool right;
  SLI_EXPECT_OK(read_v1(prefix, &right));
  SLI_EXPECT(right);
  sli_checkpoint_reader_t *reader;
  SLI_REQUIRE_OK(sli_checkpoint_reader_open(prefix, &reader));
  float part[2];
  sli_tensor_slice_extent_t slice = {1, 2};
  SLI_EXPECT_OK(sli_checkpoint_reader_read(reader, sli_checkpoint_reader_at(reader, 0), &slice, part, sizeof(part)));
  SLI_EXPECT(part[0] == 1 && part[1] == 2);
  SLI_EXPECT(sli_checkpoint_reader_find(reader, sli_view("c")) == NULL);
  sli_bundle_strings_t strings;
  SLI_EXPECT_STATUS(sli_checkpoint_reader_read_strings(reader, sli_checkpoint_reader_at(reader, 0), NULL, &strings),
                    SLI_DATA_LOSS);
  sli_checkpoint_reader_release(reader);
  free(prefix);
}

SLI_TEST(test_checkpoint_reader_reads_v2) {
  char *prefix = golden("sharded/model.ckpt-7");
  sli_checkpoint_reader_t *reader;
  SLI_REQUIRE_OK(sli_checkpoint_reader_open(prefix, &reader));
  SLI_EXPECT_INT(sli_checkpoint_reader_count(reader), 4);
  const sli_bundle_entry_t *entry;
  SLI_REQUIRE_OK(sli_checkpoint_reader_lookup(reader, sli_view("c"), &entry));
  sli_bundle_strings_t strings;
  SLI_REQUIRE_OK(sli_checkpoint_reader_read_strings(reader, entry, NULL, &strings));
  SLI_EXPECT(strings.count == 2 && sli_view_is(strings.items[1], "yy"));
  sli_bundle_strings_deinitialize(&strings);
  sli_checkpoint_reader_release(reader);
  free(prefix);
}

SLI_TEST(test_checkpoint_reader_without_files_is_not_found) {
  sli_checkpoint_reader_t *reader;
  sli_status_t *status = sli_checkpoint_reader_open("/no/such/ckpt", &reader);
  SLI_EXPECT_INT(sli_status_code(status), SLI_NOT_FOUND);
  SLI_EXPECT_TEXT(sli_status_message(status),
                  "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for /no/such/ckpt");
  sli_status_release(status);
}

SLI_TEST(test_checkpoint_reader_v1_any_damaged_byte_is_noticed) {
  char *source = golden("v1_format/model.ckpt"), *path = temporary("v1");
  sli_string_t bytes;
  SLI_REQUIRE_OK(sli_file_read_whole(source, 1 << 20, &bytes));
  for (size_t i = 0; i < bytes.size; i++)
    for (int bit = 0; bit < 8; bit++) {
      bytes.data[i] = (char)(bytes.data[i] ^ (1 << bit));
      sli_file_writer_t *writer;
      SLI_REQUIRE_OK(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer));
      SLI_EXPECT_OK(sli_file_writer_write(writer, bytes.data, bytes.size));
      SLI_EXPECT_OK(sli_file_writer_close(writer));
      sli_file_writer_release(writer);
      bool right;
      sli_status_t *status = read_v1(path, &right);
      if (!status && !right) sli_test_fail(__FILE__, __LINE__, "byte %zu, bit %d: no error", i, bit);
      sli_status_release(status);
      bytes.data[i] = (char)(bytes.data[i] ^ (1 << bit));
    }
  sli_string_deinitialize(&bytes);
  free(path);
  free(source);
}

SLI_TEST_MAIN(test_checkpoint_reader_reads_v1, test_checkpoint_reader_reads_v2,
              test_checkpoint_reader_without_files_is_not_found, test_checkpoint_reader_v1_any_damaged_byte_is_noticed)
