#include "tests/support/tool.h"

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
#include "io/file/file.h"

enum { PATIENCE_MILLIS = 100000, MAX_FILE = 1 << 20 };

const char *tool_path(void) {
  const char *path = getenv("SLUICE_TOOL");
  return path ? path : SLI_BUILD_DIR "/sluice";
}

const char *tool_path_in(const char *directory, const char *name) {
  static char paths[16][512];
  static size_t next;
  char *path = paths[next++ % SLI_ARRAY_COUNT_OF(paths)];
  char *joined = sli_format("%s/%s", directory, name);
  snprintf(path, sizeof(paths[0]), "%s", joined);
  free(joined);
  return path;
}

const char *tool_scratch(const char *name) { return tool_path_in(sli_test_temporary_dir(), name); }
const char *tool_golden(const char *name) { return tool_path_in(sli_test_golden_dir(), name); }

sli_string_t tool_read_file(const char *path) {
  sli_string_t bytes = {0};
  SLI_EXPECT_OK(sli_file_read_whole(path, MAX_FILE, &bytes));
  return bytes;
}

void tool_write_file(const char *path, const void *data, size_t size) {
  sli_file_writer_t *writer;
  SLI_REQUIRE_OK(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, data, size));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
}

void tool_copy_file(const char *from, const char *to) {
  sli_string_t bytes = tool_read_file(from);
  tool_write_file(to, bytes.data, bytes.size);
  sli_string_deinitialize(&bytes);
}

char *tool_read_text(const char *path) {
  sli_string_t text = {0};
  sli_status_release(sli_file_read_whole(path, SIZE_MAX, &text));
  return sli_string_take(&text);
}

void tool_start(tool_run_t *run, int terminal, const char *const *arguments) {
  *run = (tool_run_t){.code = -1, .started = sli_clock_now_nanos()};
  char *argv[TOOL_MAX_ARGUMENTS] = {(char *)tool_path()};
  for (size_t i = 0; arguments[i] && i + 2 < TOOL_MAX_ARGUMENTS; i++) argv[i + 1] = (char *)arguments[i];
  int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  int out = terminal >= 0 ? terminal : open(tool_scratch("out"), flags, 0600);
  int err = terminal >= 0 ? terminal : open(tool_scratch("err"), flags, 0600);
  // A shell ignores these signals in background jobs, and the command would inherit that.
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  SLI_EXPECT_OK(sli_process_start(&(sli_process_options_t){.argv = argv, .output = out, .error = err}, &run->pid));
  if (terminal >= 0) return;
  close(out);
  close(err);
}

void tool_kill(const tool_run_t *run, int number) {
  SLI_REQUIRE(run->pid > 1);
  kill(run->pid, number);
}

void tool_finish(tool_run_t *run) {
  int wait_status = 0;
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  while (run->pid > 0 && waitpid(run->pid, &wait_status, WNOHANG) == 0) {
    if (sli_clock_now_nanos() > deadline) {
      sli_test_fail(__FILE__, __LINE__, "sluice did not end within %d s", PATIENCE_MILLIS / 1000);
      kill(run->pid, SIGKILL);
      waitpid(run->pid, &wait_status, 0);
      break;
    }
    usleep(2000);
  }
  if (run->pid > 0) run->code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -WTERMSIG(wait_status);
  run->seconds = (double)(sli_clock_now_nanos() - run->started) / 1e9;
  run->out = tool_read_text(tool_scratch("out"));
  run->err = tool_read_text(tool_scratch("err"));
}

void tool_run(tool_run_t *run, int terminal, const char *const *arguments) {
  tool_start(run, terminal, arguments);
  tool_finish(run);
}

void tool_run_release(tool_run_t *run) {
  free(run->out);
  free(run->err);
}

// --- Processes ---

char tool_process_state(pid_t pid) {
  char path[64], state = 'Z';
  snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "re");
  if (!file) return 'Z';
  if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'Z';
  fclose(file);
  return state;
}

bool tool_is_alive(pid_t pid) { return !strchr("ZX", tool_process_state(pid)); }

bool tool_wait_for_lines(const char *path, int lines) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  for (; sli_clock_now_nanos() < deadline; usleep(5000)) {
    char *text = tool_read_text(path);
    int count = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) count++;
    free(text);
    if (count >= lines) return true;
  }
  return false;
}

void tool_expect_all_gone(const char *path, int wanted_count) {
  char *text = tool_read_text(path), *save = NULL;
  int count = 0;
  for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    pid_t pid = (pid_t)strtol(line, NULL, 10);
    int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
    while (tool_is_alive(pid) && sli_clock_now_nanos() < deadline) usleep(5000);
    if (tool_is_alive(pid)) {
      sli_test_fail(__FILE__, __LINE__, "process %s of %s still runs", line, path);
      kill(pid, SIGKILL);
    }
    count++;
  }
  SLI_EXPECT_INT(count, wanted_count);
  free(text);
}
