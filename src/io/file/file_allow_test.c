// Files outside of the directories that SLUICE_ALLOW_PATH lists cannot be used in any way.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"

static char *in(const char *name) { return sli_format("%s/%s", sli_test_temporary_dir(), name); }

// Directories one, two and other; the first two are allowed. The setting is read once.
static void make_directories(void) {
  static const char *const names[] = {"one", "two", "other"};
  for (int i = 0; i < 3; i++) {
    char *path = in(names[i]);
    mkdir(path, 0700);
    free(path);
  }
  char *setting = sli_format("%s/one:%s/two/:/nowhere", sli_test_temporary_dir(), sli_test_temporary_dir());
  setenv("SLUICE_ALLOW_PATH", setting, 1);
  free(setting);
}

static sli_status_t *write_file(const char *name) {
  char *path = in(name);
  sli_file_writer_t *writer = NULL;
  sli_status_t *status = sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer);
  if (!status) status = sli_file_writer_close(writer);
  sli_file_writer_release(writer);
  free(path);
  return status;
}

static sli_status_t *read_file(const char *path) {
  sli_string_t text = {0};
  sli_status_t *status = sli_file_read_whole(path, 1 << 20, &text);
  sli_string_deinitialize(&text);
  return status;
}

SLI_TEST(test_files_inside_can_be_used) {
  SLI_EXPECT_OK(write_file("one/a"));
  SLI_EXPECT_OK(write_file("two/../one/b"));
  char *deep = in("two/deep/er"), *from = in("one/a"), *to = in("two/deep/er/a");
  SLI_EXPECT_OK(sli_file_make_directories(deep));
  SLI_EXPECT_OK(sli_file_rename(from, to));
  SLI_EXPECT_OK(read_file(to));
  SLI_EXPECT_STATUS(read_file(from), SLI_NOT_FOUND);
  free(deep);
  free(from);
  free(to);
}

SLI_TEST(test_files_outside_cannot) {
  SLI_EXPECT_STATUS(write_file("other/a"), SLI_PERMISSION_DENIED);
  SLI_EXPECT_STATUS(write_file("one/../other/a"), SLI_PERMISSION_DENIED);
  SLI_EXPECT_STATUS(write_file("one/missing/../../other/a"), SLI_PERMISSION_DENIED);
  SLI_EXPECT_STATUS(write_file("onemore"), SLI_PERMISSION_DENIED);
  SLI_EXPECT_STATUS(read_file("s3://bucket/key"), SLI_PERMISSION_DENIED);
  SLI_EXPECT_STATUS(read_file("http://127.0.0.1:1/file"), SLI_PERMISSION_DENIED);
  SLI_EXPECT_STATUS(read_file("/etc/passwd"), SLI_PERMISSION_DENIED);
  SLI_EXPECT_STATUS(read_file("/"), SLI_PERMISSION_DENIED);
  sli_status_t *status = read_file("/etc/passwd");
  SLI_EXPECT_CONTAINS(sli_status_message(status), "/etc/passwd; this task may use files in ");
  sli_status_release(status);
  char *inside = in("one/b"), *outside = in("other/b"), *made = in("other/made");
  SLI_EXPECT_OK(write_file("one/b"));
  SLI_EXPECT_STATUS(sli_file_rename(inside, outside), SLI_PERMISSION_DENIED);
  SLI_EXPECT_STATUS(sli_file_make_directories(made), SLI_PERMISSION_DENIED);
  SLI_EXPECT(!sli_file_exists("/etc/passwd"));
  sli_path_list_t names;
  SLI_EXPECT_STATUS(sli_file_list("/etc", &names), SLI_PERMISSION_DENIED);
  free(inside);
  free(outside);
  free(made);
}

SLI_TEST(test_links_do_not_lead_outside) {
  char *link = in("one/link"), *target = in("other/new"), *directory = in("one/elsewhere"), *other = in("other");
  SLI_REQUIRE(symlink(target, link) == 0 && symlink(other, directory) == 0);
  SLI_EXPECT_STATUS(write_file("one/link"), SLI_PERMISSION_DENIED);
  SLI_EXPECT_STATUS(write_file("one/elsewhere/a"), SLI_PERMISSION_DENIED);
  SLI_EXPECT(access(target, F_OK) != 0);
  free(link);
  free(target);
  free(directory);
  free(other);
}

int main(int argc, char **argv) {
  static void (*const tests[])(void) = {test_files_inside_can_be_used, test_files_outside_cannot,
                                        test_links_do_not_lead_outside};
  make_directories();
  return sli_test_main(
      argc, argv, "test_files_inside_can_be_used, test_files_outside_cannot, test_links_do_not_lead_outside", tests, 3);
}
