// Files in a real S3 store, versitygw, on this machine: all operations, training that is killed and restored, a store
// that dies. `make hosting` installs the store; SLUICE_TEST_S3 is its path, else build/hosting/versitygw.
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
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

enum { SKIPPED = 77, PATIENCE_MILLIS = 60000, LARGE = 30 << 20 };
#define TRAINER SLI_BUILD_DIR "/examples/mnist_replica"

// --- The store ---

static struct {
  char *program, *port, *directory;
  pid_t pid;
} store;

static bool is_ready(void) {
  sli_file_info_t info;
  sli_status_t *status = sli_file_info("s3://bucket", &info);
  sli_status_release(status);
  return !status;
}

static void start_store(void) {
  char *log = sli_format("%s.log", store.directory), *shell = sli_format("exec \"$0\" \"$@\" > '%s' 2>&1", log);
  char *argv[] = {"sh", "-c", shell, store.program, "--port", store.port, "posix", store.directory, NULL};
  SLI_REQUIRE_OK(sli_process_start(
      &(sli_process_options_t){.argv = argv, .output = -1, .error = -1, .parent_death_signal = SIGKILL}, &store.pid));
  free(log);
  free(shell);
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  while (!is_ready() && sli_clock_now_nanos() < deadline) usleep(20000);
  SLI_EXPECT(is_ready());
}

static void kill_store(void) {
  SLI_REQUIRE(store.pid > 1);  // -1 would mean every process of the machine
  kill(store.pid, SIGKILL);
  waitpid(store.pid, NULL, 0);
  store.pid = 0;
}

// Before the first use of a store in this process, which reads the environment.
__attribute__((constructor)) static void prepare(void) {
  const char *given = getenv("SLUICE_TEST_S3");
  store.program = sli_strdup(given ? given : SLI_BUILD_DIR "/hosting/versitygw");
  if (access(store.program, X_OK) != 0) {
    printf("SKIPPED: there is no %s; 'make hosting' installs it\n", store.program);
    exit(SKIPPED);
  }
  store.port = sli_format("127.0.0.1:%d", sli_test_free_port());
  store.directory = sli_format("%s/store", sli_test_temporary_dir());
  char *bucket = sli_format("%s/bucket", store.directory), *url = sli_format("http://%s", store.port);
  mkdir(store.directory, 0700);
  mkdir(bucket, 0700);
  setenv("AWS_ENDPOINT_URL", url, 1);
  setenv("AWS_ACCESS_KEY_ID", "me", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "a secret", 1);
  setenv("ROOT_ACCESS_KEY", "me", 1);
  setenv("ROOT_SECRET_KEY", "a secret", 1);
  setenv("SLUICE_FILE_TIMEOUT", "5", 1);
  free(bucket);
  free(url);
}

// --- Tests ---

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

SLI_TEST(test_all_operations) {
  start_store();
  sli_file_writer_t *writer;
  SLI_REQUIRE_OK(sli_file_make_directories("s3://bucket/a/b"));
  SLI_EXPECT_OK(sli_file_make_directories("s3://bucket/a/b"));
  expect_names("s3://bucket/a/b", "");
  SLI_REQUIRE_OK(sli_file_writer_open("s3://bucket/a/b/one file", SLI_FILE_EXCLUSIVE, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, "first", 5));
  SLI_EXPECT(!sli_file_exists("s3://bucket/a/b/one file"));
  SLI_EXPECT_OK(sli_file_writer_flush(writer));
  expect_text("s3://bucket/a/b/one file", "first");
  SLI_EXPECT_OK(sli_file_writer_write(writer, " second", 7));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
  expect_text("s3://bucket/a/b/one file", "first second");
  SLI_EXPECT_STATUS(sli_file_writer_open("s3://bucket/a/b/one file", SLI_FILE_EXCLUSIVE, &writer), SLI_ALREADY_EXISTS);
  SLI_REQUIRE_OK(sli_file_writer_open("s3://bucket/a/b/one file", SLI_FILE_APPEND, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, " third", 6));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
  expect_text("s3://bucket/a/b/one file", "first second third");
  SLI_EXPECT_OK(sli_atomic_file_write("s3://bucket/a/two&<", sli_view("2")));
  expect_names("s3://bucket/a", "b two&<");
  sli_path_list_t found;
  SLI_EXPECT_OK(sli_file_match("s3://bucket/*/*/one*", &found));
  SLI_EXPECT(found.count == 1 && !strcmp(found.items[0], "s3://bucket/a/b/one file"));
  sli_path_list_deinitialize(&found);
  sli_file_info_t info;
  SLI_EXPECT_OK(sli_file_info("s3://bucket/a/b", &info));
  SLI_EXPECT(info.is_directory);
  SLI_EXPECT_OK(sli_file_info("s3://bucket/a/b/one file", &info));
  SLI_EXPECT(info.size == 18 && info.modified_nanos > 0 && !info.is_directory);
  SLI_EXPECT_OK(sli_file_link("s3://bucket/a/two&<", "s3://bucket/a/b/three"));
  SLI_EXPECT_STATUS(sli_file_link("s3://bucket/a/two&<", "s3://bucket/a/b/three"), SLI_ALREADY_EXISTS);
  SLI_EXPECT_OK(sli_file_rename("s3://bucket/a/b", "s3://bucket/c"));
  expect_names("s3://bucket/c", "one file three");
  expect_text("s3://bucket/c/three", "2");
  SLI_EXPECT_STATUS(sli_file_info("s3://bucket/a/b", &info), SLI_NOT_FOUND);
  SLI_EXPECT_STATUS(sli_file_delete_directory("s3://bucket/c"), SLI_FAILED_PRECONDITION);
  SLI_EXPECT_STATUS(sli_file_delete("s3://bucket/c/none"), SLI_NOT_FOUND);
  SLI_EXPECT_OK(sli_file_delete("s3://bucket/c/one file"));
  SLI_EXPECT_OK(sli_file_delete("s3://bucket/c/three"));
  sli_status_t *status = sli_file_list("s3://nobody", &found);
  SLI_EXPECT_INT(sli_status_code(status), SLI_NOT_FOUND);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "bucket 'nobody', key '': NoSuchBucket");
  SLI_EXPECT_CONTAINS(sli_status_message(status), "make the bucket, or check AWS_ENDPOINT_URL");
  sli_status_release(status);
  kill_store();
}

static char byte_at(size_t i) { return (char)(i * 2654435761u >> 13); }

SLI_TEST(test_a_large_object_is_sent_in_parts_and_goes_on_after_a_flush) {
  start_store();
  sli_file_writer_t *writer;
  char *bytes = sli_malloc(LARGE);
  for (size_t i = 0; i < LARGE; i++) bytes[i] = byte_at(i);
  SLI_REQUIRE_OK(sli_file_writer_open("s3://bucket/large", SLI_FILE_TRUNCATE, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, bytes, LARGE / 2 + 1));
  SLI_EXPECT_OK(sli_file_writer_flush(writer));
  sli_file_info_t info;
  SLI_EXPECT_OK(sli_file_info("s3://bucket/large", &info));
  SLI_EXPECT_INT(info.size, LARGE / 2 + 1);
  for (size_t at = LARGE / 2 + 1; at < LARGE; at += 100000)
    SLI_EXPECT_OK(sli_file_writer_write(writer, bytes + at, LARGE - at < 100000 ? LARGE - at : 100000));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
  sli_input_stream_t *stream;
  SLI_REQUIRE_OK(sli_input_stream_open("s3://bucket/large", SLI_COMPRESSION_NONE, 0, &stream));
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
  kill_store();
}

// A training with checkpoints every 20 steps, which it writes all the time.
static void start_training(tool_run_t *run, const char *data, const char *steps) {
  char *script = sli_format("exec " TRAINER
                            " --data_dir='%s' --log_dir=s3://bucket/run --hidden_units=20 --save_steps=20 "
                            "--steps=%s",
                            data, steps);
  tool_start(run, -1, (const char *const[]){"launch", "--workers", "1", "--", "sh", "-c", script, NULL});
  free(script);
}

static int64_t last_saved(void) {
  sli_string_t text;
  sli_status_t *status = sli_file_read_whole("s3://bucket/run/checkpoint", 1 << 20, &text);
  int64_t step = -1;
  if (!status && strstr(sli_string_text(&text), "model.ckpt-"))
    step = strtol(strstr(text.data, "model.ckpt-") + strlen("model.ckpt-"), NULL, 10);
  if (!status) sli_string_deinitialize(&text);
  sli_status_release(status);
  return step;
}

// Every checkpoint that has an index is whole.
static void expect_whole_checkpoints(void) {
  sli_path_list_t paths;
  SLI_REQUIRE_OK(sli_file_match("s3://bucket/run/model.ckpt-*.index", &paths));
  SLI_EXPECT(paths.count > 0);
  for (size_t i = 0; i < paths.count; i++) {
    tool_run_t run;
    *strrchr(paths.items[i], '.') = '\0';
    TOOL_RUN(&run, "inspect", paths.items[i], "--verify");
    SLI_EXPECT_INT(run.code, 0);
    if (run.code) fprintf(stderr, "%s: %s", paths.items[i], run.err);
    tool_run_release(&run);
  }
  sli_path_list_deinitialize(&paths);
}

static void wait_for_step(int64_t wanted) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  while (last_saved() < wanted && sli_clock_now_nanos() < deadline) usleep(20000);
  SLI_EXPECT(last_saved() >= wanted);
}

SLI_TEST(test_training_is_killed_and_restored_and_survives_a_store_that_dies) {
  start_store();
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
  kill_store();
  start_store();
  expect_whole_checkpoints();
  saved = last_saved();
  wait_for_step(saved + 100);
  tool_kill(&run, SIGTERM);
  tool_finish(&run);
  tool_run_release(&run);
  expect_whole_checkpoints();
  SLI_EXPECT(last_saved() >= saved + 100);
  char *steps = sli_format("%lld", (long long)last_saved() + 40);
  start_training(&run, data, steps);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.err, "restored s3://bucket/run/model.ckpt-");
  tool_run_release(&run);
  free(steps);
  // The events of all runs can be read.
  sli_path_list_t paths;
  SLI_EXPECT_OK(sli_file_match("s3://bucket/run/events.out.tfevents.*", &paths));
  SLI_EXPECT(paths.count >= 3);
  for (size_t i = 0; i < paths.count; i++) {
    sli_record_reader_t *reader;
    sli_view_t record;
    SLI_REQUIRE_OK(sli_record_reader_open(paths.items[i], SLI_COMPRESSION_NONE, 0, &reader));
    SLI_EXPECT_OK(sli_record_reader_read(reader, &record));
    sli_record_reader_release(reader);
  }
  sli_path_list_deinitialize(&paths);
  free(data);
  kill_store();
}

SLI_TEST_MAIN(test_all_operations, test_a_large_object_is_sent_in_parts_and_goes_on_after_a_flush,
              test_training_is_killed_and_restored_and_survives_a_store_that_dies)
