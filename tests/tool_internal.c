#include "tool_internal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/test.h"
#include "io/file.h"

enum { PATIENCE_MILLIS = 100000, MAX_FILE = 1 << 20 };

const char *sli_tool_path(void) {
  const char *path = getenv("SLUICE_TOOL");
  return path ? path : SLI_BUILD_DIR "/sluice";
}

const char *sli_tool_path_in(const char *directory, const char *name) {
  static char paths[16][512];
  static size_t next;
  char *path = paths[next++ % SLI_COUNT_OF(paths)];
  char *joined = sli_format("%s/%s", directory, name);
  snprintf(path, sizeof(paths[0]), "%s", joined);
  free(joined);
  return path;
}

const char *sli_tool_scratch(const char *name) { return sli_tool_path_in(sli_test_temporary_dir(), name); }
const char *sli_tool_golden(const char *name) { return sli_tool_path_in(sli_test_golden_dir(), name); }

sli_string_t sli_tool_read_file(const char *path) {
  sli_string_t bytes = {0};
  SLI_EXPECT_OK(sli_file_read_whole(path, MAX_FILE, &bytes));
  return bytes;
}

void sli_tool_write_file(const char *path, const void *data, size_t size) {
  sli_file_writer_t *writer;
  SLI_REQUIRE_OK(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, data, size));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
}

void sli_tool_copy_file(const char *from, const char *to) {
  sli_string_t bytes = sli_tool_read_file(from);
  sli_tool_write_file(to, bytes.data, bytes.size);
  sli_string_deinitialize(&bytes);
}

static int wait_for(pid_t pid) {
  int wait_status = 0;
  int64_t deadline = sli_deadline_after_millis(PATIENCE_MILLIS);
  while (waitpid(pid, &wait_status, WNOHANG) == 0) {
    if (sli_now_nanos() > deadline) {
      sli_test_fail(__FILE__, __LINE__, "sluice did not end");
      kill(pid, SIGKILL);
      waitpid(pid, &wait_status, 0);
      break;
    }
    usleep(2000);
  }
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -WTERMSIG(wait_status);
}

void sli_tool_run(sli_tool_run_t *run, int terminal, const char *const *arguments) {
  char *argv[SLI_TOOL_MAX_ARGUMENTS] = {(char *)sli_tool_path()};
  for (size_t i = 0; arguments[i] && i + 2 < SLI_TOOL_MAX_ARGUMENTS; i++) argv[i + 1] = (char *)arguments[i];
  int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  int out = terminal >= 0 ? terminal : open(sli_tool_scratch("out"), flags, 0600);
  int err = open(sli_tool_scratch("err"), flags, 0600);
  pid_t pid = 0;
  *run = (sli_tool_run_t){.code = -1};
  SLI_EXPECT_OK(sli_process_start(&(sli_process_options_t){.argv = argv, .output = out, .error = err}, &pid));
  if (terminal < 0) close(out);
  close(err);
  if (pid > 0) run->code = wait_for(pid);
  sli_string_t text = {0};
  if (terminal < 0) text = sli_tool_read_file(sli_tool_scratch("out"));
  run->out = sli_string_take(&text);
  text = sli_tool_read_file(sli_tool_scratch("err"));
  run->err = sli_string_take(&text);
}

void sli_tool_run_release(sli_tool_run_t *run) {
  free(run->out);
  free(run->err);
}
