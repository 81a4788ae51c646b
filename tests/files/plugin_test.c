// File systems of plugins: the example, in all operations and in a training; libraries that are wrong.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/process.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/atomic_file.h"
#include "io/file/file.h"
#include "tests/hosting/store.h"
#include "tests/support/tool.h"

#define PLUGIN SLI_BUILD_DIR "/examples/plugins/librooted_files.so"

// Before the first path of an unknown scheme in this process, which loads the plugins.
__attribute__((constructor)) static void prepare(void) {
  setenv("ROOTED_FILES", sli_test_temporary_dir(), 1);
  setenv("SLUICE_FILE_SYSTEMS", PLUGIN, 1);
}

SLI_TEST(test_a_plugin_does_all_operations) {
  store_test_operations("rooted://all", false);
  SLI_EXPECT(access(tool_path_in(sli_test_temporary_dir(), "all/c"), X_OK) == 0);
  SLI_EXPECT_STATUS(sli_file_rename("rooted://all/c", "/tmp/c"), SLI_UNIMPLEMENTED);
  sli_file_info_t info;
  sli_status_t *status = sli_file_info("rooted://none", &info);
  SLI_EXPECT_INT(sli_status_code(status), SLI_NOT_FOUND);
  SLI_EXPECT_TEXT(sli_status_message(status), "rooted://none; No such file or directory");
  sli_status_release(status);
  SLI_EXPECT_STATUS(sli_file_info("rooted://a/../b", &info), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_file_info("other://a", &info), SLI_UNIMPLEMENTED);
}

SLI_TEST(test_small_reads_in_sequence_are_whole) {
  char bytes[200000], one[7];
  for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (char)(i * 31 + i / 251);
  SLI_REQUIRE_OK(sli_atomic_file_write("rooted://sequence", sli_view_of(bytes, sizeof(bytes))));
  sli_file_reader_t *reader;
  SLI_REQUIRE_OK(sli_file_reader_open("rooted://sequence", &reader));
  size_t got = 1, all = 0;
  for (; got; all += got) {
    SLI_REQUIRE_OK(sli_file_reader_read(reader, all, one, sizeof(one), &got));
    SLI_EXPECT(!memcmp(one, bytes + all, got));
  }
  SLI_EXPECT_INT(all, sizeof(bytes));
  sli_file_reader_release(reader);
}

// What `sluice inspect rooted://x` says with this list of plugins.
static void expect_failure(const char *libraries, const char *wanted) {
  tool_run_t run;
  setenv("SLUICE_FILE_SYSTEMS", libraries, 1);
  TOOL_RUN(&run, "inspect", "rooted://x");
  SLI_EXPECT(run.code != 0);
  SLI_EXPECT_CONTAINS(run.err, wanted);
  tool_run_release(&run);
  setenv("SLUICE_FILE_SYSTEMS", PLUGIN, 1);
}

SLI_TEST(test_wrong_libraries_are_errors_that_name_them) {
  expect_failure("/none/libx.so", "SLUICE_FILE_SYSTEMS: /none/libx.so: cannot open shared object file");
  expect_failure("libc.so.6", "libc.so.6: it has no function sl_file_system_plugin");
  expect_failure(PLUGIN ":" PLUGIN, "rooted://x");  // the second one is an error only of schemes that are missing
}

SLI_TEST_MAIN(test_a_plugin_does_all_operations, test_small_reads_in_sequence_are_whole,
              test_wrong_libraries_are_errors_that_name_them)
