// The examples, end to end: each is started as its own comment says, with few
// steps and, where it wants MNIST, a small data set that a model learns at once.
#include "base/alloc.h"
#include "base/test.h"
#include "io/file.h"
#include "tool_internal.h"

enum { IMAGES = 200, ROWS = 28, PIXELS = ROWS * ROWS };

#define EXAMPLE(name) SLI_BUILD_DIR "/examples/" name

// Runs "sluice launch ARGUMENTS…", which must end well.
#define LAUNCH(run, ...)                                                                                       \
  do {                                                                                                         \
    SLI_TOOL(run, "launch", __VA_ARGS__);                                                                      \
    if ((run)->code) sli_test_fail(__FILE__, __LINE__, "exit %d:\n%s%s", (run)->code, (run)->out, (run)->err); \
  } while (0)

// The number after the last |key| in |text|; NAN, and a failed test, if there is none.
static double number_after(const char *text, const char *key) {
  const char *last = NULL;
  for (const char *at = text; (at = strstr(at, key)); at += strlen(key)) last = at;
  if (!last) sli_test_fail(__FILE__, __LINE__, "no \"%s\" in:\n%s", key, text);
  return last ? strtod(last + strlen(key), NULL) : NAN;
}

// --- Without data ---

SLI_TEST(test_hello_server_answers) {
  sli_tool_run_t run;
  LAUNCH(&run, "--", EXAMPLE("hello_server"));
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] target: grpc://localhost:");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] Hello, distributed TensorFlow!\n");
  sli_tool_run_release(&run);
}

SLI_TEST(test_log_device_placement_names_each_node_and_its_device) {
  sli_tool_run_t run;
  LAUNCH(&run, "--", EXAMPLE("log_device_placement"));
  SLI_EXPECT_CONTAINS(run.out, "[2 4 6]\n");
  SLI_EXPECT_CONTAINS(run.err, "add: (AddV2): /job:localhost/replica:0/task:0/device:CPU:0");
  sli_tool_run_release(&run);
}

SLI_TEST(test_model_parallel_learns_on_another_worker) {
  sli_tool_run_t run;
  LAUNCH(&run, "--ps", "2", "--workers", "2", "--", EXAMPLE("model_parallel"), "--worker_task=1", "--steps=200");
  double before = number_after(run.out, "loss before "), after = number_after(run.out, "loss after ");
  if (!(after < before)) sli_test_fail(__FILE__, __LINE__, "the loss was %g and is %g", before, after);
  sli_tool_run_release(&run);
}

SLI_TEST(test_model_parallel_says_what_it_needs) {
  sli_tool_run_t run;
  SLI_TOOL(&run, "launch", "--", EXAMPLE("model_parallel"));
  SLI_EXPECT_INT(run.code, 2);
  SLI_EXPECT_CONTAINS(run.err, "two ps tasks are needed");
  sli_tool_run_release(&run);
}

SLI_TEST_MAIN(test_hello_server_answers, test_log_device_placement_names_each_node_and_its_device,
              test_model_parallel_learns_on_another_worker, test_model_parallel_says_what_it_needs)
