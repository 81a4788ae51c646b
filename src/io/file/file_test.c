#include "io/file/file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/test.h"
#include "io/file/atomic_file.h"
#include "io/file/file_system.h"
#include "io/file/path.h"

static char *temporary(const char *name) { return sli_path_join(sli_test_temporary_dir(), name); }

static void expect_contents(const char *path, const char *wanted) {
  sli_string_t bytes;
  SLI_REQUIRE_OK(sli_file_read_whole(path, 1 << 20, &bytes));
  SLI_EXPECT_TEXT(sli_string_text(&bytes), wanted);
  sli_string_deinitialize(&bytes);
}

static void write_text(const char *path, sli_file_mode_t mode, const char *text) {
  sli_file_writer_t *writer;
  SLI_REQUIRE_OK(sli_file_writer_open(path, mode, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, text, strlen(text)));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  SLI_EXPECT_STATUS(sli_file_writer_write(writer, text, 1), SLI_FAILED_PRECONDITION);
  sli_file_writer_release(writer);
}

static void expect_message(sli_status_t *status, sli_code_t code, const char *message) {
  SLI_EXPECT_INT(sli_status_code(status), code);
  SLI_EXPECT_TEXT(sli_status_message(status), message);
  sli_status_release(status);
}

SLI_TEST(test_file_modes_truncate_append_exclusive) {
  char *path = temporary("modes");
  write_text(path, SLI_FILE_TRUNCATE, "one");
  write_text(path, SLI_FILE_APPEND, " two");
  expect_contents(path, "one two");
  write_text(path, SLI_FILE_TRUNCATE, "three");
  expect_contents(path, "three");
  sli_file_writer_t *writer;
  SLI_EXPECT_STATUS(sli_file_writer_open(path, SLI_FILE_EXCLUSIVE, &writer), SLI_ALREADY_EXISTS);
  SLI_EXPECT(writer == NULL);
  free(path);
}

SLI_TEST(test_file_errors_name_the_path) {
  sli_file_reader_t *reader;
  sli_file_info_t info;
  expect_message(sli_file_reader_open("/no/such/file", &reader), SLI_NOT_FOUND,
                 "/no/such/file; No such file or directory");
  expect_message(sli_file_reader_open("other://x/y", &reader), SLI_UNIMPLEMENTED,
                 "File system scheme 'other' not implemented (file: 'other://x/y')");
  expect_message(sli_file_reader_open("/tmp", &reader), SLI_FAILED_PRECONDITION, "/tmp; Is a directory");
  expect_message(sli_file_info("file:///no/such", &info), SLI_NOT_FOUND, "file:///no/such; No such file or directory");
  SLI_EXPECT_STATUS(sli_file_delete("/no/such/file"), SLI_NOT_FOUND);
  SLI_EXPECT_STATUS(sli_file_rename("/tmp/x", "hdfs://y"), SLI_UNIMPLEMENTED);
}

SLI_TEST(test_file_scheme_file_is_the_same_file) {
  char *path = temporary("schemed"), *url = sli_format("file://%s", path);
  write_text(url, SLI_FILE_TRUNCATE, "text");
  expect_contents(path, "text");
  char *with_host = sli_format("file://localhost%s", path);
  expect_contents(with_host, "text");
  free(with_host);
  free(url);
  free(path);
}

SLI_TEST(test_file_reader_reads_at_positions) {
  char *path = temporary("positions");
  write_text(path, SLI_FILE_TRUNCATE, "0123456789");
  sli_file_reader_t *reader;
  SLI_REQUIRE_OK(sli_file_reader_open(path, &reader));
  char data[20] = "";
  size_t got;
  uint64_t size;
  SLI_EXPECT_OK(sli_file_reader_size(reader, &size));
  SLI_EXPECT_INT(size, 10);
  SLI_EXPECT_OK(sli_file_reader_read(reader, 7, data, sizeof(data), &got));
  SLI_EXPECT_INT(got, 3);
  SLI_EXPECT_TEXT(data, "789");
  SLI_EXPECT_OK(sli_file_reader_read(reader, UINT64_MAX - 3, data, 2, &got));
  SLI_EXPECT_INT(got, 0);
  SLI_EXPECT_OK(sli_file_reader_read_all(reader, 0, data, 10));
  SLI_EXPECT_STATUS(sli_file_reader_read_all(reader, 1, data, 10), SLI_OUT_OF_RANGE);
  sli_file_reader_release(reader);
  sli_string_t bytes;
  SLI_EXPECT_STATUS(sli_file_read_whole(path, 9, &bytes), SLI_RESOURCE_EXHAUSTED);
  SLI_EXPECT_OK(sli_file_read_whole(path, 10, &bytes));
  sli_string_deinitialize(&bytes);
  free(path);
}

SLI_TEST(test_file_endless_or_larger_than_memory_is_not_read) {
  char *path = temporary("huge");
  write_text(path, SLI_FILE_TRUNCATE, "little");
  SLI_REQUIRE(truncate(path, INT64_C(1) << 43) == 0);
  sli_string_t bytes;
  SLI_EXPECT_STATUS(sli_file_read_whole(path, SIZE_MAX, &bytes), SLI_RESOURCE_EXHAUSTED);
  SLI_EXPECT_STATUS(sli_file_read_whole("/dev/zero", SIZE_MAX, &bytes), SLI_RESOURCE_EXHAUSTED);
  SLI_EXPECT_OK(sli_file_read_whole("/dev/null", SIZE_MAX, &bytes));
  SLI_EXPECT_INT(bytes.size, 0);
  sli_string_deinitialize(&bytes);
  SLI_EXPECT_OK(sli_file_read_whole("/proc/self/status", SIZE_MAX, &bytes));
  SLI_EXPECT(bytes.size > 0);
  sli_string_deinitialize(&bytes);
  free(path);
}

SLI_TEST(test_file_full_disk_is_reported_once_and_kept) {
  sli_file_writer_t *writer;
  SLI_REQUIRE_OK(sli_file_writer_open("/dev/full", SLI_FILE_APPEND, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, "x", 1));
  expect_message(sli_file_writer_flush(writer), SLI_RESOURCE_EXHAUSTED, "/dev/full; No space left on device");
  SLI_EXPECT_STATUS(sli_file_writer_write(writer, "x", 1), SLI_RESOURCE_EXHAUSTED);
  SLI_EXPECT_STATUS(sli_file_writer_close(writer), SLI_RESOURCE_EXHAUSTED);
  sli_file_writer_release(writer);
}

SLI_TEST(test_file_make_directories_and_match) {
  char *base = temporary("tree");
  static const char *const directories[] = {"a/b/c", "a//b/d/", "x"};
  for (int i = 0; i < 3; i++) {
    char *path = sli_path_join(base, directories[i]);
    SLI_EXPECT_OK(sli_file_make_directories(path));
    SLI_EXPECT_OK(sli_file_make_directories(path));
    free(path);
  }
  static const char *const files[] = {"a/b/c/one.txt", "a/b/c/two.txt", "a/b/d/one.txt", "x/odd[1].txt"};
  for (int i = 0; i < 4; i++) {
    char *path = sli_path_join(base, files[i]);
    write_text(path, SLI_FILE_TRUNCATE, "");
    free(path);
  }
  static const struct {
    const char *pattern;
    size_t count;
    const char *first;
  } cases[] = {
      {"a/b/c/*.txt", 2, "a/b/c/one.txt"},   {"a/*/?/one.txt", 2, "a/b/c/one.txt"},
      {"a/b/c/two.txt", 1, "a/b/c/two.txt"}, {"x/odd\\[1].txt", 1, "x/odd[1].txt"},
      {"a/b/[d-z]/*", 1, "a/b/d/one.txt"},   {"no/*", 0, NULL},
      {"a/b/c/one.txt/*", 0, NULL},          {"a/b/none", 0, NULL},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char *pattern = sli_path_join(base, cases[i].pattern);
    sli_path_list_t found;
    SLI_REQUIRE_OK(sli_file_match(pattern, &found));
    SLI_EXPECT_INT(found.count, cases[i].count);
    if (found.count && cases[i].first) {
      char *wanted = sli_path_join(base, cases[i].first);
      SLI_EXPECT_TEXT(found.items[0], wanted);
      free(wanted);
    }
    sli_path_list_deinitialize(&found);
    free(pattern);
  }
  char *file = sli_path_join(base, "x/odd[1].txt"), *under = sli_path_join(file, "deeper/still");
  SLI_EXPECT_STATUS(sli_file_make_directories(under), SLI_ALREADY_EXISTS);
  SLI_EXPECT_STATUS(sli_file_make_directories(file), SLI_ALREADY_EXISTS);
  free(under);
  free(file);
  SLI_EXPECT_STATUS(sli_file_delete_directory(base), SLI_FAILED_PRECONDITION);
  free(base);
}

SLI_TEST(test_file_match_of_relative_patterns) {
  char *base = temporary("relative"), *sub = sli_path_join(base, "sub"), *file = sli_path_join(sub, "a.txt");
  SLI_REQUIRE_OK(sli_file_make_directories(sub));
  write_text(file, SLI_FILE_TRUNCATE, "");
  int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  SLI_REQUIRE(here >= 0 && chdir(base) == 0);
  static const char *const cases[][2] = {
      {"s*", "./sub"},          {"./s*", "./sub"}, {"s*/a.txt", "./sub/a.txt"},
      {"sub/a.*", "sub/a.txt"}, {"sub", "sub"},    {"sub/a.txt", "sub/a.txt"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    sli_path_list_t found;
    SLI_REQUIRE_OK(sli_file_match(cases[i][0], &found));
    SLI_EXPECT_INT(found.count, 1);
    if (found.count == 1) SLI_EXPECT_TEXT(found.items[0], cases[i][1]);
    sli_path_list_deinitialize(&found);
  }
  SLI_REQUIRE(fchdir(here) == 0);
  close(here);
  free(file);
  free(sub);
  free(base);
}

static size_t count_files(const char *directory) {
  sli_path_list_t names;
  sli_status_release(sli_file_list(directory, &names));
  size_t count = names.count;
  sli_path_list_deinitialize(&names);
  return count;
}

SLI_TEST(test_atomic_file_failure_keeps_the_old_file) {
  char *directory = temporary("atomic"), *path = sli_path_join(directory, "target");
  SLI_REQUIRE_OK(sli_file_make_directories(directory));
  SLI_EXPECT_OK(sli_atomic_file_write(path, sli_view("old")));
  expect_contents(path, "old");
  SLI_EXPECT_INT(count_files(directory), 1);

  sli_atomic_file_t *file;
  SLI_REQUIRE_OK(sli_atomic_file_create(path, &file));
  SLI_EXPECT_OK(sli_file_writer_write(sli_atomic_file_writer(file), "new", 3));
  SLI_EXPECT_INT(count_files(directory), 2);
  sli_atomic_file_release(file);
  SLI_EXPECT_INT(count_files(directory), 1);
  expect_contents(path, "old");

  // A limit on the size of files stands in for a full disk.
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit, small;
  getrlimit(RLIMIT_FSIZE, &limit);
  small = (struct rlimit){4096, limit.rlim_max};
  char *big = sli_calloc(1, 1 << 20);
  setrlimit(RLIMIT_FSIZE, &small);
  sli_status_t *status = sli_atomic_file_write(path, sli_view_of(big, 1 << 20));
  setrlimit(RLIMIT_FSIZE, &limit);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "File too large");
  sli_status_release(status);
  free(big);
  SLI_EXPECT_INT(count_files(directory), 1);
  expect_contents(path, "old");
  SLI_EXPECT_STATUS(sli_atomic_file_write("/no/such/directory/x", sli_view("")), SLI_NOT_FOUND);
  free(path);
  free(directory);
}

SLI_TEST(test_path_parts) {
  static const struct {
    const char *path, *directory, *base;
  } cases[] = {
      {"a/b/c", "a/b", "c"},           {"c", "", "c"},         {"/c", "/", "c"}, {"a//c", "a", "c"},
      {"s3.x://a/b", "s3.x://a", "b"}, {"s://b", "s://", "b"}, {"a/", "a", ""},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char *directory = sli_path_directory(cases[i].path);
    SLI_EXPECT_TEXT(directory, cases[i].directory);
    SLI_EXPECT_TEXT(sli_path_base(cases[i].path), cases[i].base);
    free(directory);
  }
  char *joined = sli_path_join("a/", "b");
  SLI_EXPECT_TEXT(joined, "a/b");
  free(joined);
  joined = sli_path_join("a", "hdfs://b");
  SLI_EXPECT_TEXT(joined, "hdfs://b");
  free(joined);
}

// A file system that only reports files as existing.
static sli_status_t *nowhere_info(const char *path, const char *shown, sli_file_info_t *out_info) {
  *out_info = (sli_file_info_t){.size = strlen(path)};
  return NULL;
}

SLI_TEST(test_file_system_can_be_added_once) {
  static const sli_file_system_t nowhere = {.scheme = "nowhere", .info = nowhere_info};
  sli_file_info_t info;
  SLI_EXPECT_STATUS(sli_file_info("nowhere://abc", &info), SLI_UNIMPLEMENTED);
  SLI_EXPECT_OK(sli_file_system_register(&nowhere));
  SLI_EXPECT_STATUS(sli_file_system_register(&nowhere), SLI_ALREADY_EXISTS);
  SLI_EXPECT_OK(sli_file_info("nowhere://abc", &info));
  SLI_EXPECT_INT(info.size, 3);
}

SLI_TEST(test_file_absolute_path_of_existing_files) {
  char *root = sli_file_absolute_path("/usr/.."), *absent = sli_file_absolute_path("no/such/file");
  SLI_EXPECT_TEXT(root, "/");
  SLI_EXPECT_TEXT(absent, "no/such/file");
  free(root);
  free(absent);
}

SLI_TEST_MAIN(test_file_modes_truncate_append_exclusive, test_file_errors_name_the_path,
              test_file_scheme_file_is_the_same_file, test_file_reader_reads_at_positions,
              test_file_endless_or_larger_than_memory_is_not_read, test_file_full_disk_is_reported_once_and_kept,
              test_file_make_directories_and_match, test_file_match_of_relative_patterns,
              test_atomic_file_failure_keeps_the_old_file, test_path_parts, test_file_absolute_path_of_existing_files,
              test_file_system_can_be_added_once)
