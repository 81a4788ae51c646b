#include "tests/hosting/store.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/atomic_file.h"
#include "io/file/file.h"
#include "io/file/input_stream.h"
#include "io/record/record.h"
#include "tests/support/mnist.h"
#include "tests/support/tool.h"

enum { PATIENCE_MILLIS = 120000, HINDERED_MILLIS = 2000, LARGE = 160 << 20 };
#define TRAINER SLI_BUILD_DIR "/examples/mnist_replica"

static const char *root;

// A path in the store. It is overwritten by the 8th next call.
static const char *at(const char *path) {
  static char texts[8][256];
  static int next;
  char *text = texts[next++ % 8];
  snprintf(text, sizeof(texts[0]), "%s%s", root, path);
  return text;
}

static void expect_text(const char *path, const char *wanted) {
  sli_string_t bytes;
  SLI_REQUIRE_OK(sli_file_read_whole(path, SIZE_MAX, &bytes));
  SLI_EXPECT_TEXT(sli_string_text(&bytes), wanted);
  sli_string_deinitialize(&bytes);
}

static void expect_names(const char *directory, const char *wanted) {
  sli_path_list_t names;
  SLI_REQUIRE_OK(sli_file_list(directory, &names));
  sli_string_t text = {0};
  for (size_t i = 0; i < names.count; i++) sli_string_append_format(&text, "%s%s", i ? " " : "", names.items[i]);
  SLI_EXPECT_TEXT(sli_string_text(&text), wanted);
  sli_string_deinitialize(&text);
  sli_path_list_deinitialize(&names);
}

void store_test_operations(const char *at_root, bool is_late) {
  root = at_root;
  sli_file_writer_t *writer;
  SLI_REQUIRE_OK(sli_file_make_directories(at("/a/b")));
  SLI_EXPECT_OK(sli_file_make_directories(at("/a/b")));
  expect_names(at("/a/b"), "");
  SLI_REQUIRE_OK(sli_file_writer_open(at("/a/b/one file"), SLI_FILE_EXCLUSIVE, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, "first", 5));
  if (is_late) SLI_EXPECT(!sli_file_exists(at("/a/b/one file")));
  SLI_EXPECT_OK(sli_file_writer_flush(writer));
  expect_text(at("/a/b/one file"), "first");
  SLI_EXPECT_OK(sli_file_writer_write(writer, " second", 7));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
  expect_text(at("/a/b/one file"), "first second");
  SLI_EXPECT_STATUS(sli_file_writer_open(at("/a/b/one file"), SLI_FILE_EXCLUSIVE, &writer), SLI_ALREADY_EXISTS);
  SLI_REQUIRE_OK(sli_file_writer_open(at("/a/b/one file"), SLI_FILE_APPEND, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, " third", 6));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
  expect_text(at("/a/b/one file"), "first second third");
  SLI_EXPECT_OK(sli_atomic_file_write(at("/a/two&<"), sli_view("2")));
  expect_names(at("/a"), "b two&<");
  sli_path_list_t found;
  SLI_EXPECT_OK(sli_file_match(at("/*/*/one*"), &found));
  SLI_EXPECT(found.count == 1 && !strcmp(found.items[0], at("/a/b/one file")));
  sli_path_list_deinitialize(&found);
  sli_file_info_t info;
  SLI_EXPECT_OK(sli_file_info(at("/a/b"), &info));
  SLI_EXPECT(info.is_directory);
  SLI_EXPECT_OK(sli_file_info(at("/a/b/one file"), &info));
  SLI_EXPECT(info.size == 18 && info.modified_nanos > 0 && !info.is_directory);
  SLI_EXPECT_OK(sli_file_link(at("/a/two&<"), at("/a/b/three")));
  SLI_EXPECT_STATUS(sli_file_link(at("/a/two&<"), at("/a/b/three")), SLI_ALREADY_EXISTS);
  SLI_EXPECT_OK(sli_file_rename(at("/a/b"), at("/c")));
  expect_names(at("/c"), "one file three");
  expect_text(at("/c/three"), "2");
  SLI_EXPECT_STATUS(sli_file_info(at("/a/b"), &info), SLI_NOT_FOUND);
  SLI_EXPECT_STATUS(sli_file_delete_directory(at("/c")), SLI_FAILED_PRECONDITION);
  SLI_EXPECT_STATUS(sli_file_delete(at("/c/none")), SLI_NOT_FOUND);
  SLI_EXPECT_OK(sli_file_delete(at("/c/one file")));
  SLI_EXPECT_OK(sli_file_delete(at("/c/three")));
}

static char byte_at(size_t i) { return (char)(i * 2654435761u >> 13); }

void store_test_large_file(const char *at_root) {
  root = at_root;
  sli_file_writer_t *writer;
  char *bytes = sli_malloc(LARGE);
  for (size_t i = 0; i < LARGE; i++) bytes[i] = byte_at(i);
  SLI_REQUIRE_OK(sli_file_writer_open(at("/large"), SLI_FILE_TRUNCATE, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, bytes, LARGE / 2 + 1));
  SLI_EXPECT_OK(sli_file_writer_flush(writer));
  sli_file_info_t info;
  SLI_EXPECT_OK(sli_file_info(at("/large"), &info));
  SLI_EXPECT_INT(info.size, LARGE / 2 + 1);
  for (size_t at = LARGE / 2 + 1; at < LARGE; at += 100000)
    SLI_EXPECT_OK(sli_file_writer_write(writer, bytes + at, LARGE - at < 100000 ? LARGE - at : 100000));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
  sli_input_stream_t *stream;
  SLI_REQUIRE_OK(sli_input_stream_open(at("/large"), SLI_COMPRESSION_NONE, 0, &stream));
  size_t got, all = 0;
  char *part = sli_malloc(777777);
  do {
    SLI_REQUIRE_OK(sli_input_stream_read(stream, part, 777777, &got));
    SLI_EXPECT(all + got <= LARGE && !memcmp(part, bytes + all, got));
    all += got;
  } while (got);
  SLI_EXPECT_INT(all, LARGE);
  sli_input_stream_release(stream);
  free(part);
  free(bytes);
}

// A training with checkpoints every 20 steps, which it writes all the time.
static void start_training(tool_run_t *run, const char *data, const char *steps) {
  char *script = sli_format("exec " TRAINER
                            " --data_dir='%s' --log_dir='%s' --hidden_units=20 --save_steps=20 "
                            "--steps=%s",
                            data, at("/run"), steps);
  tool_start(run, -1, (const char *const[]){"launch", "--workers", "1", "--", "sh", "-c", script, NULL});
  free(script);
}

static int64_t last_saved(void) {
  sli_string_t text;
  sli_status_t *status = sli_file_read_whole(at("/run/checkpoint"), 1 << 20, &text);
  int64_t step = -1;
  if (!status && strstr(sli_string_text(&text), "model.ckpt-"))
    step = strtol(strstr(text.data, "model.ckpt-") + strlen("model.ckpt-"), NULL, 10);
  if (!status) sli_string_deinitialize(&text);
  sli_status_release(status);
  return step;
}

// Every checkpoint that has an index is whole. While a training goes on, it removes old ones; the parts of a save that
// is not finished are no checkpoint.
static void expect_whole_checkpoints(void) {
  sli_path_list_t paths;
  SLI_REQUIRE_OK(sli_file_match(at("/run/model.ckpt-*.index"), &paths));
  SLI_EXPECT(paths.count > 0);
  for (size_t i = 0; i < paths.count; i++) {
    if (strstr(paths.items[i], ".part-")) continue;
    tool_run_t run;
    char *prefix = sli_strdup(paths.items[i]);
    *strrchr(prefix, '.') = '\0';
    TOOL_RUN(&run, "inspect", prefix, "--verify");
    bool is_there = run.code == 0 || sli_file_exists(paths.items[i]);
    if (is_there) SLI_EXPECT_INT(run.code, 0);
    if (is_there && run.code) fprintf(stderr, "%s: %s", prefix, run.err);
    tool_run_release(&run);
    free(prefix);
  }
  sli_path_list_deinitialize(&paths);
}

static void wait_for_step(int64_t wanted) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  while (last_saved() < wanted && sli_clock_now_nanos() < deadline) usleep(20000);
  SLI_EXPECT(last_saved() >= wanted);
}

// TensorBoard's reader finds the losses of the training.
static void expect_tensorboard_reads(const char *directory) {
  char *log = sli_strdup(tool_scratch("tensorboard"));
  char *argv[] = {"sh",
                  "-c",
                  "exec \"$0\" \"$1\" \"$2\" loss > \"$3\" 2>&1",
                  SLI_BUILD_DIR "/hosting/venv/bin/python",
                  SLI_SOURCE_DIR "/tests/hosting/tensorboard_reads",
                  (char *)directory,
                  log,
                  NULL};
  pid_t pid = 0;
  int code = -1;
  SLI_REQUIRE_OK(sli_process_start(
      &(sli_process_options_t){.argv = argv, .output = -1, .error = -1, .parent_death_signal = SIGKILL}, &pid));
  waitpid(pid, &code, 0);
  char *text = tool_read_text(log);
  SLI_EXPECT_INT(code, 0);
  SLI_EXPECT_CONTAINS(text, " values up to step ");
  printf("%s", text);
  free(text);
  free(log);
}

void store_test_training(const char *at_root, const char *their_root, const store_control_t *control) {
  root = at_root;
  char *data = sli_strdup(tool_scratch("data"));
  mnist_make(data);
  tool_run_t run;
  start_training(&run, data, "100000000");
  wait_for_step(100);
  tool_kill(&run, SIGKILL);
  tool_finish(&run);
  tool_run_release(&run);
  expect_whole_checkpoints();
  int64_t saved = last_saved();
  // The store dies while the restored training saves, which then waits for it and goes on.
  start_training(&run, data, "100000000");
  wait_for_step(saved + 100);
  void (*const hindrances[])(void) = {control->kill, control->stop, control->refuse};
  void (*const ends[])(void) = {control->start, control->go_on, control->admit};
  for (int i = 0; i < 3; i++) {
    hindrances[i]();
    usleep(HINDERED_MILLIS * 1000);
    ends[i]();
    expect_whole_checkpoints();
    saved = last_saved();
    wait_for_step(saved + 100);
  }
  tool_kill(&run, SIGTERM);
  tool_finish(&run);
  tool_run_release(&run);
  expect_whole_checkpoints();
  SLI_EXPECT(last_saved() >= saved + 100);
  char *steps = sli_format("%lld", (long long)last_saved() + 40);
  start_training(&run, data, steps);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 0);
  char *restored = sli_format("restored %s", at("/run/model.ckpt-"));
  SLI_EXPECT_CONTAINS(run.err, restored);
  free(restored);
  tool_run_release(&run);
  free(steps);
  // The events of all runs can be read.
  sli_path_list_t paths;
  SLI_EXPECT_OK(sli_file_match(at("/run/events.out.tfevents.*"), &paths));
  SLI_EXPECT(paths.count >= 3);
  for (size_t i = 0; i < paths.count; i++) {
    sli_record_reader_t *reader;
    sli_view_t record;
    SLI_REQUIRE_OK(sli_record_reader_open(paths.items[i], SLI_COMPRESSION_NONE, 0, &reader));
    SLI_EXPECT_OK(sli_record_reader_read(reader, &record));
    sli_record_reader_release(reader);
  }
  sli_path_list_deinitialize(&paths);
  char *theirs = sli_format("%s/run", their_root);
  expect_tensorboard_reads(theirs);
  free(theirs);
  free(data);
}
