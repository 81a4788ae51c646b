#include "io/record/record.h"

#include "base/alloc.h"
#include "base/test.h"
#include "io/file/crc32c.h"
#include "io/file/gzip.h"
#include "io/file/path.h"

static char *golden(const char *name) { return sli_format("%s/tfrecord/%s.tfrecord", sli_test_golden_dir(), name); }

static char *temporary(const char *name) { return sli_path_join(sli_test_temporary_dir(), name); }

// Reads to the end or the first error: how many records, and a checksum over all of them.
static sli_status_t *read_all(const char *path, sli_compression_t compression, size_t buffer, size_t *out_count,
                              uint32_t *out_crc) {
  sli_record_reader_t *reader;
  *out_count = *out_crc = 0;
  SLI_RETURN_IF_ERROR(sli_record_reader_open(path, compression, buffer, &reader));
  sli_status_t *status = NULL;
  for (sli_view_t record; !(status = sli_record_reader_read(reader, &record)); ++*out_count) {
    *out_crc = sli_crc32c_extend(*out_crc, &record.size, sizeof(record.size));
    *out_crc = sli_crc32c_extend(*out_crc, record.data, record.size);
  }
  sli_record_reader_release(reader);
  return status;
}

SLI_TEST(test_record_golden_files_hold_the_same_records) {
  static const struct {
    const char *name;
    sli_compression_t compression;
  } files[] = {{"plain", SLI_COMPRESSION_NONE}, {"gzip", SLI_COMPRESSION_GZIP}, {"zlib", SLI_COMPRESSION_ZLIB}};
  uint32_t first = 0;
  for (int i = 0; i < 3; i++) {
    static const size_t buffers[] = {0, 1, 100, 5000};
    for (int k = 0; k < 4; k++) {
      char *path = golden(files[i].name);
      size_t count;
      uint32_t crc;
      SLI_EXPECT_STATUS(read_all(path, files[i].compression, buffers[k], &count, &crc), SLI_OUT_OF_RANGE);
      SLI_EXPECT_INT(count, 22);
      if (i + k == 0) first = crc;
      SLI_EXPECT_INT(crc, first);
      free(path);
    }
  }
}

SLI_TEST(test_record_golden_damage_has_tensorflows_text) {
  static const struct {
    const char *name, *message;
    size_t count;
  } files[] = {{"corrupt_data_crc", "corrupted record at 12", 0},
               {"truncated", "truncated record at 267' failed with Read less bytes than requested", 3}};
  for (int i = 0; i < 2; i++) {
    char *path = golden(files[i].name);
    size_t count;
    uint32_t crc;
    sli_status_t *status = read_all(path, SLI_COMPRESSION_NONE, 0, &count, &crc);
    SLI_EXPECT_INT(sli_status_code(status), SLI_DATA_LOSS);
    SLI_EXPECT_TEXT(sli_status_message(status), files[i].message);
    SLI_EXPECT_INT(count, files[i].count);
    sli_status_release(status);
    free(path);
  }
}

// Record i: i * 37 % 5000 bytes; one is longer than any buffer.
static size_t record_size(int i) { return i == 20 ? 3000000 : (size_t)i * 37 % 5000; }

static void write_records(const char *path, sli_compression_t compression, int count) {
  char *bytes = sli_malloc(3000100);
  for (size_t i = 0; i < 3000100; i++) bytes[i] = (char)(i * i >> 7);
  sli_record_writer_t *writer;
  SLI_REQUIRE_OK(sli_record_writer_open(path, SLI_FILE_TRUNCATE, compression, -1, &writer));
  for (int i = 0; i < count; i++) {
    SLI_EXPECT_OK(sli_record_writer_write(writer, sli_view_of(bytes + i, record_size(i))));
    if (i == 10) SLI_EXPECT_OK(sli_record_writer_flush(writer));
  }
  SLI_EXPECT_OK(sli_record_writer_close(writer));
  sli_record_writer_release(writer);
  free(bytes);
}

SLI_TEST(test_record_written_reads_back_from_any_offset) {
  static const sli_compression_t kinds[] = {SLI_COMPRESSION_NONE, SLI_COMPRESSION_ZLIB, SLI_COMPRESSION_GZIP};
  for (int k = 0; k < 3; k++) {
    char *path = temporary("written");
    write_records(path, kinds[k], 40);
    sli_record_reader_t *reader;
    SLI_REQUIRE_OK(sli_record_reader_open(path, kinds[k], 4096, &reader));
    sli_view_t record;
    uint64_t offsets[40];
    for (int i = 0; i < 40; i++) {
      offsets[i] = sli_record_reader_offset(reader);
      SLI_REQUIRE_OK(sli_record_reader_read(reader, &record));
      SLI_EXPECT_INT(record.size, record_size(i));
      if (record.size) SLI_EXPECT_INT(record.data[0], (char)((size_t)i * (size_t)i >> 7));
    }
    SLI_EXPECT_STATUS(sli_record_reader_read(reader, &record), SLI_OUT_OF_RANGE);
    static const int order[] = {39, 0, 20, 21, 5, 19};
    for (int i = 0; i < 6; i++) {
      SLI_EXPECT_OK(sli_record_reader_seek(reader, offsets[order[i]]));
      SLI_REQUIRE_OK(sli_record_reader_read(reader, &record));
      SLI_EXPECT_INT(record.size, record_size(order[i]));
    }
    sli_record_reader_release(reader);
    free(path);
  }
}

SLI_TEST(test_record_reader_sees_records_appended_later) {
  char *path = temporary("growing");
  sli_record_writer_t *writer;
  sli_record_reader_t *reader;
  sli_view_t record;
  SLI_REQUIRE_OK(sli_record_writer_open(path, SLI_FILE_TRUNCATE, SLI_COMPRESSION_NONE, -1, &writer));
  SLI_REQUIRE_OK(sli_record_reader_open(path, SLI_COMPRESSION_NONE, 0, &reader));
  SLI_EXPECT_STATUS(sli_record_reader_read(reader, &record), SLI_OUT_OF_RANGE);
  for (int i = 0; i < 3; i++) {
    SLI_EXPECT_OK(sli_record_writer_write(writer, sli_view("one")));
    SLI_EXPECT_OK(sli_record_writer_flush(writer));
    SLI_EXPECT_OK(sli_record_reader_read(reader, &record));
    SLI_EXPECT(sli_view_is(record, "one"));
    SLI_EXPECT_STATUS(sli_record_reader_read(reader, &record), SLI_OUT_OF_RANGE);
  }
  sli_record_reader_release(reader);
  sli_record_writer_release(writer);
  free(path);
}

static void write_bytes(const char *path, const char *data, size_t size) {
  sli_file_writer_t *writer;
  SLI_REQUIRE_OK(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, data, size));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
}

enum { SMALL_BUFFER = 16 << 10 };  // thousands of readers are quicker with little memory each

// Each byte flipped, each length cut: an error, or the very same records (gzip's header has bytes that mean nothing).
static void damage(const char *name, sli_compression_t compression) {
  char *source = golden(name), *path = temporary("damaged");
  sli_string_t bytes;
  size_t count, wanted_count;
  uint32_t crc, wanted_crc;
  SLI_REQUIRE_OK(sli_file_read_whole(source, 1 << 20, &bytes));
  SLI_EXPECT_STATUS(read_all(source, compression, 0, &wanted_count, &wanted_crc), SLI_OUT_OF_RANGE);
  size_t step = bytes.size > 2000 ? 97 : 1;
  for (size_t i = 0; i < bytes.size; i += step) {
    for (int flip = 1; flip < 256; flip += 127) {
      bytes.data[i] = (char)(bytes.data[i] ^ flip);
      write_bytes(path, bytes.data, bytes.size);
      sli_status_t *status = read_all(path, compression, SMALL_BUFFER, &count, &crc);
      bool same = sli_status_code(status) == SLI_OUT_OF_RANGE && count == wanted_count && crc == wanted_crc;
      if (!same && sli_status_code(status) != SLI_DATA_LOSS)
        sli_test_fail(__FILE__, __LINE__, "%s with byte %zu flipped: %s", name, i, sli_status_message(status));
      sli_status_release(status);
      bytes.data[i] = (char)(bytes.data[i] ^ flip);
    }
    write_bytes(path, bytes.data, i);
    sli_status_t *status = read_all(path, compression, SMALL_BUFFER, &count, &crc);
    if (count >= wanted_count && sli_status_code(status) != SLI_DATA_LOSS)
      sli_test_fail(__FILE__, __LINE__, "%s cut at %zu: %s", name, i, sli_status_message(status));
    sli_status_release(status);
  }
  sli_string_deinitialize(&bytes);
  free(path);
  free(source);
}

SLI_TEST(test_record_any_damaged_byte_is_noticed) {
  damage("sequence", SLI_COMPRESSION_NONE);
  damage("plain", SLI_COMPRESSION_NONE);
  damage("gzip", SLI_COMPRESSION_GZIP);
  damage("zlib", SLI_COMPRESSION_ZLIB);
}

SLI_TEST(test_record_wrong_length_allocates_little) {
  char header[12] = {0}, *path = temporary("lies");
  memset(header, 0x7f, 8);
  uint32_t crc = sli_crc32c_mask(sli_crc32c(header, 8));
  memcpy(header + 8, &crc, 4);
  write_bytes(path, header, sizeof(header));
  size_t count;
  SLI_EXPECT_STATUS(read_all(path, SLI_COMPRESSION_NONE, 0, &count, &crc), SLI_DATA_LOSS);
  free(path);
}

SLI_TEST(test_gzip_read_whole_unpacks_members_within_limit) {
  char *plain = golden("plain"), *packed = golden("gzip"), *twice = temporary("twice");
  sli_string_t wanted, bytes, raw;
  SLI_REQUIRE_OK(sli_gzip_read_whole(plain, 1 << 20, &wanted));
  SLI_REQUIRE_OK(sli_gzip_read_whole(packed, 1 << 20, &bytes));
  SLI_EXPECT_INT(bytes.size, wanted.size);
  SLI_EXPECT(memcmp(bytes.data, wanted.data, wanted.size) == 0);
  sli_string_deinitialize(&bytes);
  SLI_EXPECT_STATUS(sli_gzip_read_whole(packed, wanted.size - 1, &bytes), SLI_RESOURCE_EXHAUSTED);

  SLI_REQUIRE_OK(sli_file_read_whole(packed, 1 << 20, &raw));
  size_t size = raw.size;
  char *copy = sli_memdup(raw.data, size);
  sli_string_append(&raw, copy, size);
  write_bytes(twice, raw.data, raw.size);
  SLI_REQUIRE_OK(sli_gzip_read_whole(twice, 1 << 20, &bytes));
  SLI_EXPECT_INT(bytes.size, 2 * wanted.size);
  sli_string_deinitialize(&bytes);
  free(copy);
  sli_string_deinitialize(&raw);
  sli_string_deinitialize(&wanted);
  free(twice);
  free(packed);
  free(plain);
}

SLI_TEST(test_compression_names) {
  sli_compression_t kind;
  SLI_EXPECT_OK(sli_compression_parse(sli_view("GZIP"), &kind));
  SLI_EXPECT_INT(kind, SLI_COMPRESSION_GZIP);
  SLI_EXPECT_OK(sli_compression_parse(sli_view(""), &kind));
  SLI_EXPECT_INT(kind, SLI_COMPRESSION_NONE);
  SLI_EXPECT_STATUS(sli_compression_parse(sli_view("LZ4"), &kind), SLI_INVALID_ARGUMENT);
}

SLI_TEST_MAIN(test_record_golden_files_hold_the_same_records, test_record_golden_damage_has_tensorflows_text,
              test_record_written_reads_back_from_any_offset, test_record_reader_sees_records_appended_later,
              test_record_any_damaged_byte_is_noticed, test_record_wrong_length_allocates_little,
              test_gzip_read_whole_unpacks_members_within_limit, test_compression_names)
