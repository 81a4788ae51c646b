#include "io/checkpoint/table.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/test.h"
#include "io/checkpoint/ordered_code.h"
#include "io/checkpoint/table_internal.h"
#include "io/file/crc32c.h"
#include "io/file/path.h"
#include "io/file/snappy.h"

static char *temporary(const char *name) { return sli_path_join(sli_test_temporary_dir(), name); }

static sli_file_writer_t *open_writer(const char *path) {
  sli_file_writer_t *file = NULL;
  sli_status_release(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &file));
  return file;
}

enum { ENTRIES = 30000 };

static void entry(int i, char *key, char *value) {
  snprintf(key, 32, "variable/%06d/w", i * 3);
  snprintf(value, 64, "value %d %0*d", i, i % 30 + 1, i);
}

static void write_table(const char *path) {
  sli_file_writer_t *file = open_writer(path);
  SLI_REQUIRE(file);
  sli_table_writer_t *writer = sli_table_writer_create(file);
  char key[32], value[64];
  SLI_EXPECT_OK(sli_table_writer_add(writer, sli_view_of("", 0), sli_view("header")));
  for (int i = 0; i < ENTRIES; i++) {
    entry(i, key, value);
    SLI_EXPECT_OK(sli_table_writer_add(writer, sli_view(key), sli_view(value)));
  }
  SLI_EXPECT_STATUS(sli_table_writer_add(writer, sli_view(key), sli_view(value)), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_table_writer_add(writer, sli_view("a"), sli_view(value)), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_OK(sli_table_writer_finish(writer));
  SLI_EXPECT_OK(sli_file_writer_close(file));
  sli_table_writer_release(writer);
  sli_file_writer_release(file);
}

SLI_TEST(test_table_of_several_blocks_reads_back_in_order) {
  char *path = temporary("table"), key[32], value[64];
  write_table(path);
  sli_file_info_t info;
  SLI_EXPECT_OK(sli_file_info(path, &info));
  SLI_EXPECT(info.size > 3 * 256 * 1024);
  sli_table_t *table;
  SLI_REQUIRE_OK(sli_table_open(path, &table));
  sli_table_iterator_t *iterator = sli_table_iterator_create(table);
  SLI_EXPECT(!sli_table_iterator_valid(iterator));
  SLI_REQUIRE_OK(sli_table_iterator_seek(iterator, sli_view_of("", 0)));
  SLI_EXPECT(sli_view_is(sli_table_iterator_value(iterator), "header"));
  for (int i = 0; i < ENTRIES; i++) {
    SLI_REQUIRE_OK(sli_table_iterator_next(iterator));
    SLI_REQUIRE(sli_table_iterator_valid(iterator));
    entry(i, key, value);
    SLI_EXPECT(sli_view_is(sli_table_iterator_key(iterator), key));
    SLI_EXPECT(sli_view_is(sli_table_iterator_value(iterator), value));
  }
  SLI_REQUIRE_OK(sli_table_iterator_next(iterator));
  SLI_EXPECT(!sli_table_iterator_valid(iterator));

  for (int i = 0; i < ENTRIES; i += 61) {
    entry(i, key, value);
    SLI_REQUIRE_OK(sli_table_iterator_seek(iterator, sli_view(key)));
    SLI_EXPECT(sli_view_is(sli_table_iterator_value(iterator), value));
    // A key just before it finds the same entry.
    snprintf(key, sizeof(key), "variable/%06d/x", i * 3 - 1);
    if (i) SLI_REQUIRE_OK(sli_table_iterator_seek(iterator, sli_view(key)));
    SLI_EXPECT(sli_view_is(sli_table_iterator_value(iterator), value));
  }
  SLI_REQUIRE_OK(sli_table_iterator_seek(iterator, sli_view("zzz")));
  SLI_EXPECT(!sli_table_iterator_valid(iterator));
  sli_table_iterator_release(iterator);
  sli_table_release(table);
  free(path);
}

SLI_TEST(test_table_empty_has_no_entries) {
  char *path = temporary("empty");
  sli_file_writer_t *file = open_writer(path);
  sli_table_writer_t *writer = sli_table_writer_create(file);
  SLI_EXPECT_OK(sli_table_writer_finish(writer));
  SLI_EXPECT_OK(sli_file_writer_close(file));
  sli_table_writer_release(writer);
  sli_file_writer_release(file);
  sli_table_t *table;
  SLI_REQUIRE_OK(sli_table_open(path, &table));
  sli_table_iterator_t *iterator = sli_table_iterator_create(table);
  SLI_EXPECT_OK(sli_table_iterator_seek(iterator, sli_view("a")));
  SLI_EXPECT(!sli_table_iterator_valid(iterator));
  sli_table_iterator_release(iterator);
  sli_table_release(table);
  free(path);
}

SLI_TEST(test_table_rejects_other_files) {
  char *path = temporary("none");
  sli_table_t *table;
  static const char text[] = "a text that is long enough to hold the footer of a table, and is none";
  for (size_t size = 0; size < sizeof(text); size += sizeof(text) - 1) {
    sli_file_writer_t *file = open_writer(path);
    SLI_EXPECT_OK(sli_file_writer_write(file, text, size));
    SLI_EXPECT_OK(sli_file_writer_close(file));
    sli_file_writer_release(file);
    SLI_EXPECT_STATUS(sli_table_open(path, &table), SLI_DATA_LOSS);
  }
  SLI_EXPECT_STATUS(sli_table_open("/no/such/table", &table), SLI_NOT_FOUND);
  free(path);
}

// One data block with entries "ab" -> "xxxxxxxx…" packed by snappy, by hand.
SLI_TEST(test_table_reads_snappy_blocks) {
  char *path = temporary("snappy");
  // Unpacked: 0 2 20 "ab" 20 x 'x' | restart 0 | 1; 33 bytes.
  static const char packed[] =
      "\x21"                                   // 33 bytes
      "\x14\x00\x02\x14"                       // literal of 6:
      "abx"                                    //   three more of it
      "\x4a\x01\x00"                           // copy of 19 from 1 back
      "\x1c\x00\x00\x00\x00\x01\x00\x00\x00";  // literal of 8: restarts
  char block[64];
  size_t size = sizeof(packed) - 1;
  memcpy(block, packed, size);
  block[size] = 1;
  uint32_t crc = sli_crc32c_mask(sli_crc32c(block, size + 1));
  memcpy(block + size + 1, &crc, 4);
  // The rest of the file is made by our writer, with a handle to that block.
  sli_file_writer_t *file = open_writer(path);
  SLI_EXPECT_OK(sli_file_writer_write(file, block, size + 5));
  char index[] =
      "\x00\x02\x02"
      "ab"
      "\x00\x13"
      "\x00\x00\x00\x00\x01\x00\x00\x00\x00....";
  index[6] = (char)size;
  size_t index_size = 7 + 8;
  crc = sli_crc32c_mask(sli_crc32c(index, index_size + 1));
  memcpy(index + index_size + 1, &crc, 4);
  SLI_EXPECT_OK(sli_file_writer_write(file, index, index_size + 5));
  char footer[48] = {0, 0, (char)(size + 5), (char)index_size};
  memcpy(footer + 40, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
  SLI_EXPECT_OK(sli_file_writer_write(file, footer, sizeof(footer)));
  SLI_EXPECT_OK(sli_file_writer_close(file));
  sli_file_writer_release(file);

  sli_table_t *table;
  SLI_REQUIRE_OK(sli_table_open(path, &table));
  sli_table_iterator_t *iterator = sli_table_iterator_create(table);
  SLI_EXPECT_OK(sli_table_iterator_seek(iterator, sli_view("ab")));
  SLI_REQUIRE(sli_table_iterator_valid(iterator));
  SLI_EXPECT(sli_view_is(sli_table_iterator_value(iterator), "xxxxxxxxxxxxxxxxxxxx"));
  sli_table_iterator_release(iterator);
  sli_table_release(table);
  free(path);
}

static void expect_packed(sli_view_t data, size_t most) {
  sli_string_t packed = {0};
  size_t size = 0;
  sli_snappy_pack(data, &packed);
  SLI_EXPECT(packed.size <= most);
  SLI_REQUIRE(sli_snappy_size(sli_view_of(packed.data, packed.size), &size) && size == data.size);
  char *unpacked = sli_malloc(size + 1);
  SLI_EXPECT(sli_snappy_unpack(sli_view_of(packed.data, packed.size), unpacked, size));
  SLI_EXPECT(size == 0 || memcmp(unpacked, data.data, size) == 0);
  free(unpacked);
  sli_string_deinitialize(&packed);
}

SLI_TEST(test_snappy_packs_and_unpacks) {
  static char zeros[200000], noise[200000];
  uint64_t state = 7;
  for (size_t i = 0; i < sizeof(noise); i++) noise[i] = (char)sli_random_next(&state);
  expect_packed(sli_view(""), 1);
  expect_packed(sli_view("a"), 3);
  expect_packed(sli_view("abcabcabcabcabcabcabcabcabcabc"), 12);
  expect_packed(sli_view_of(zeros, sizeof(zeros)), 10000);
  expect_packed(sli_view_of(noise, sizeof(noise)), sizeof(noise) + 100);
  for (size_t size = 1; size < 300; size++) expect_packed(sli_view_of(noise, size), size + 6);
  memcpy(noise + 70000, noise, 50000);
  expect_packed(sli_view_of(noise, sizeof(noise)), sizeof(noise) + 100);
}

SLI_TEST(test_snappy_rejects_damaged_data) {
  static const struct {
    const char *packed;
    size_t size, unpacked;
    bool good;
  } cases[] = {
      {"\x03\x08"
       "abc",
       5, 3, true},
      {"\x03\x08"
       "ab",
       4, 3, false},  // literal runs out
      {"\x02\x08"
       "abc",
       5, 2, false},  // too much
      {"\x04\x08"
       "abc",
       5, 4, false},  // too little
      {"\x07\x08"
       "abc\x01\x03",
       7, 7, true},  // copy of 4 from 3 back
      {"\x07\x08"
       "abc\x01\x04",
       7, 7, false},  // from before the start
      {"\x07\x08"
       "abc\x01\x00",
       7, 7, false},  // from itself
      {"\x07\x08"
       "abc\x01",
       6, 7, false},  // offset missing
      {"\x05\xf0\x04"
       "abcde",
       8, 5, true},  // literal with a length byte
      {"\x07\x08"
       "abc\x0f\x03\x00\x00\x00",
       10, 7, true},  // copy with a long offset
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char data[16];
    sli_view_t packed = sli_view_of(cases[i].packed, cases[i].size);
    size_t size;
    SLI_EXPECT(sli_snappy_size(packed, &size));
    SLI_EXPECT_INT(size, cases[i].unpacked);
    SLI_EXPECT_INT(sli_snappy_unpack(packed, data, size), cases[i].good);
  }
}

SLI_TEST(test_ordered_code_sorts_as_the_values_do) {
  static const int64_t numbers[] = {INT64_MIN,
                                    INT64_MIN + 1,
                                    -(INT64_C(1) << 55) - 1,
                                    -70000,
                                    -8193,
                                    -8192,
                                    -65,
                                    -64,
                                    -1,
                                    0,
                                    1,
                                    63,
                                    64,
                                    0x424242,
                                    INT64_C(1) << 48,
                                    INT64_C(1) << 55,
                                    INT64_C(1) << 62,
                                    INT64_MAX};
  sli_string_t before = {0};
  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
    sli_string_t code = {0};
    sli_ordered_code_write_int(&code, numbers[i]);
    if (i) SLI_EXPECT(sli_table_compare(sli_view_of(before.data, before.size), sli_view_of(code.data, code.size)) < 0);
    sli_string_deinitialize(&before);
    before = code;
  }
  sli_string_deinitialize(&before);
  sli_string_t code = {0};
  sli_ordered_code_write_int(&code, 0x424242);
  SLI_EXPECT(code.size == 4 && memcmp(code.data, "\xf0\x42\x42\x42", 4) == 0);
  sli_string_clear(&code);
  sli_ordered_code_write_string(&code, sli_view_of("a\x00\xff", 3));
  sli_ordered_code_write_uint(&code, 0x1234);
  SLI_EXPECT(code.size == 10 && memcmp(code.data, "a\x00\xff\xff\x00\x00\x01\x02\x12\x34", 10) == 0);
  sli_string_deinitialize(&code);
}

SLI_TEST_MAIN(test_table_of_several_blocks_reads_back_in_order, test_table_empty_has_no_entries,
              test_table_rejects_other_files, test_table_reads_snappy_blocks, test_snappy_packs_and_unpacks,
              test_snappy_rejects_damaged_data, test_ordered_code_sorts_as_the_values_do)
