// Files in a real S3 store, versitygw, on this machine: all operations, training that is killed and restored, a store
// that dies. `make hosting` installs the store; SLUICE_TEST_S3 is its path, else build/hosting/versitygw.
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "tests/hosting/store.h"

enum { SKIPPED = 77, PATIENCE_MILLIS = 60000 };

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

static void start_process(const char *key) {
  char *log = sli_format("%s.log", store.directory), *shell = sli_format("exec \"$0\" \"$@\" > '%s' 2>&1", log);
  char *argv[] = {"sh", "-c", shell, store.program, "--port", store.port, "posix", store.directory, NULL};
  setenv("ROOT_ACCESS_KEY", key, 1);
  SLI_REQUIRE_OK(sli_process_start(
      &(sli_process_options_t){.argv = argv, .output = -1, .error = -1, .parent_death_signal = SIGKILL}, &store.pid));
  free(log);
  free(shell);
}

static void start_store(void) {
  start_process("me");
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

static void stop_store(void) { kill(store.pid, SIGSTOP); }
static void continue_store(void) { kill(store.pid, SIGCONT); }

// With another key it knows nobody.
static void refuse_all(void) {
  kill_store();
  start_process("somebody else");
}

static void admit_again(void) {
  kill_store();
  start_store();
}

static const store_control_t control = {.kill = kill_store,
                                        .start = start_store,
                                        .stop = stop_store,
                                        .go_on = continue_store,
                                        .refuse = refuse_all,
                                        .admit = admit_again};

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
  setenv("S3_ENDPOINT", url, 1);  // for TensorBoard
  setenv("AWS_DEFAULT_REGION", "us-east-1", 1);
  setenv("AWS_ACCESS_KEY_ID", "me", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "a secret", 1);
  setenv("ROOT_SECRET_KEY", "a secret", 1);
  setenv("SLUICE_FILE_TIMEOUT", "5", 1);
  free(bucket);
  free(url);
}

// --- Tests ---

SLI_TEST(test_all_operations) {
  start_store();
  store_test_operations("s3://bucket", true);
  sli_path_list_t found;
  sli_status_t *status = sli_file_list("s3://nobody", &found);
  SLI_EXPECT_INT(sli_status_code(status), SLI_NOT_FOUND);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "bucket 'nobody', key '': NoSuchBucket");
  SLI_EXPECT_CONTAINS(sli_status_message(status), "make the bucket, or check AWS_ENDPOINT_URL");
  sli_status_release(status);
  kill_store();
}

SLI_TEST(test_a_large_object_is_sent_in_parts_and_goes_on_after_a_flush) {
  start_store();
  store_test_large_file("s3://bucket");
  kill_store();
}

SLI_TEST(test_training_is_killed_and_restored_and_survives_a_store_that_dies) {
  start_store();
  store_test_training("s3://bucket", "s3://bucket", &control);
  kill_store();
}

SLI_TEST_MAIN(test_all_operations, test_a_large_object_is_sent_in_parts_and_goes_on_after_a_flush,
              test_training_is_killed_and_restored_and_survives_a_store_that_dies)
