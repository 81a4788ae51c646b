// The examples, end to end: each is started as its own comment says, with few
// steps and, where it wants MNIST, a small data set that a model learns at once.
#include "base/alloc.h"
#include "base/test.h"
#include "mnist_internal.h"
#include "tool_internal.h"

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

SLI_TEST(test_sequence_lstm_reads_digits_asynchronously_and_synchronously) {
  for (int sync = 0; sync < 2; sync++) {
    char *logs = sli_format("--log_dir=%s", sli_tool_scratch(sync ? "sequence-sync" : "sequence"));
    sli_tool_run_t run;
    LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("sequence_lstm"), logs,
           sync ? "--steps=20" : "--steps=400", "--contrast=5", "--learning_rate=4", "--batch_size=8",
           sync ? "--sync" : "--nosync");
    double share = number_after(run.out, "read right: ");
    if (!(sync ? share >= 0 : share > 0.4)) sli_test_fail(__FILE__, __LINE__, "read right: %g", share);
    sli_tool_run_release(&run);
    free(logs);
  }
}

// --- With data ---

// "--data_dir=…" of a small data set; to be freed.
static char *make_data(void) {
  const char *directory = sli_tool_scratch("data");
  mnist_make(directory);
  return sli_format("--data_dir=%s", directory);
}

SLI_TEST(test_multi_tower_learns_alone_and_on_two_workers) {
  char *data = make_data();
  static const char *const shapes[][2] = {{"0", "1"}, {"1", "2"}};
  for (int i = 0; i < 2; i++) {
    char *logs = sli_format("--log_dir=%s/towers-%d", sli_test_temporary_dir(), i);
    sli_tool_run_t run;
    LAUNCH(&run, "--ps", shapes[i][0], "--workers", shapes[i][1], "--", EXAMPLE("multi_tower"), data, logs,
           "--steps=60", "--hidden_units=20", "--batch_size=20");
    // Weights start at random: one of the ten classes may need more steps.
    SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.8);
    SLI_EXPECT(number_after(run.out, "accuracy of the averages: ") > 0.8);
    sli_tool_run_release(&run);
    free(logs);
  }
  free(data);
}

SLI_TEST(test_mnist_supervisor_trains_to_the_last_step) {
  char *data = make_data(), *logs = sli_format("--train_dir=%s", sli_tool_scratch("supervisor"));
  sli_tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("mnist_supervisor"), data, logs, "--steps=400",
         "--hidden_units=20", "--batch_size=20", "--learning_rate=0.2");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] done at step 40");
  SLI_EXPECT(number_after(run.out, ", loss ") < 1);
  sli_tool_run_release(&run);
  // It is there already: the second run has nothing left to do but a step.
  LAUNCH(&run, "--ps", "1", "--workers", "1", "--", EXAMPLE("mnist_supervisor"), data, logs, "--steps=400",
         "--hidden_units=20", "--batch_size=20");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] done at step 40");
  SLI_EXPECT(!strstr(run.out, "local step"));
  sli_tool_run_release(&run);
  free(data);
  free(logs);
}

SLI_TEST(test_sync_replicas_learns_with_and_without_a_backup) {
  char *data = make_data();
  static const char *const workers[] = {"2", "3"};
  for (int i = 0; i < 2; i++) {
    char *logs = sli_format("--log_dir=%s", sli_tool_scratch(i ? "backup" : "sync"));
    sli_tool_run_t run;
    LAUNCH(&run, "--ps", "2", "--workers", workers[i], "--", EXAMPLE("sync_replicas"), data, logs, "--steps=100",
           "--hidden_units=20", "--batch_size=20", "--learning_rate=0.01", "--replicas_to_aggregate=2");
    SLI_EXPECT_CONTAINS(run.out, "step 100, loss ");
    SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
    sli_tool_run_release(&run);
    free(logs);
  }
  free(data);
}

// No cluster at all: launch would give the program one.
SLI_TEST(test_synchronous_examples_learn_alone) {
  char *data = make_data();
  static const char *const programs[] = {EXAMPLE("sync_replicas"), EXAMPLE("mnist_replica")};
  for (int i = 0; i < 2; i++) {
    char *logs = sli_format("--log_dir=%s", sli_tool_scratch(i ? "lone-replica" : "lone-sync"));
    sli_tool_run_t run;
    LAUNCH(&run, "--", "env", "-u", "TF_CONFIG", programs[i], data, logs, "--sync", "--steps=100", "--hidden_units=20",
           "--batch_size=20", i ? "--learning_rate=0.2" : "--learning_rate=0.01");
    SLI_EXPECT_CONTAINS(run.err, "gradients of /job:worker/task:0: ");
    SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
    sli_tool_run_release(&run);
    free(logs);
  }
  free(data);
}

SLI_TEST(test_mnist_cnn_learns) {
  char *data = make_data(), *logs = sli_format("--log_dir=%s", sli_tool_scratch("cnn"));
  sli_tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("mnist_cnn"), data, logs, "--steps=30", "--batch_size=10",
         "--test_batch=70");
  SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
  sli_tool_run_release(&run);
  free(data);
  free(logs);
}

SLI_TEST(test_large_minibatch_warms_up_and_learns) {
  char *data = make_data(), *logs = sli_format("--log_dir=%s", sli_tool_scratch("large"));
  sli_tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("large_minibatch"), data, logs, "--steps=60",
         "--warmup_steps=10", "--hidden_units=20", "--batch_size=20");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] batch: 40, learning rate: 0.05, to become 0.1\n");
  SLI_EXPECT_CONTAINS(run.err, "/job:worker/task:0: 60 accepted, 0 stale; /job:worker/task:1: 60 accepted, 0 stale");
  SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
  sli_tool_run_release(&run);
  free(data);
  free(logs);
}

SLI_TEST(test_tfrecord_input_learns_from_a_file_that_it_makes) {
  char *data = make_data(), *logs = sli_format("--log_dir=%s", sli_tool_scratch("tfrecord"));
  char *records = sli_format("--records=%s", sli_tool_scratch("tfrecord-data"));
  sli_tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("tfrecord_input"), data, logs, records, "--steps=200",
         "--hidden_units=20", "--batch_size=20", "--min_after_dequeue=100");
  SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
  sli_tool_run_release(&run);
  // Alone, from the same file: two epochs of 200 images are 20 steps, and the end of the input ends the training.
  char *again = sli_format("--log_dir=%s", sli_tool_scratch("tfrecord-epochs"));
  LAUNCH(&run, "--", EXAMPLE("tfrecord_input"), data, again, records, "--steps=1000", "--epochs=2", "--hidden_units=20",
         "--batch_size=20", "--min_after_dequeue=100");
  SLI_EXPECT_CONTAINS(run.out, " after 20 steps\n");
  sli_tool_run_release(&run);
  free(data);
  free(logs);
  free(records);
  free(again);
}

SLI_TEST(test_evaluate_follows_the_checkpoints_of_a_training) {
  char *data = make_data();
  char *script = sli_format(
      "case $TF_CONFIG in *evaluator*) exec %s \"$@\" --poll_secs=0.01 --wait_secs=25;; *) exec %s \"$@\";; esac",
      EXAMPLE("evaluate"), EXAMPLE("mnist_replica"));
  char *logs = sli_format("--log_dir=%s", sli_tool_scratch("evaluated"));
  sli_tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "1", "--evaluator", "--", "sh", "-c", script, "sh", data, logs, "--steps=200",
         "--hidden_units=20");
  SLI_EXPECT_CONTAINS(run.out, "[evaluator 0] step 200: accuracy ");
  SLI_EXPECT_NEAR(number_after(run.out, "step 200: accuracy "), number_after(run.out, "[worker 0] accuracy: "), 1e-9);
  sli_tool_run_release(&run);
  free(data);
  free(script);
  free(logs);
}

SLI_TEST_MAIN(test_hello_server_answers, test_log_device_placement_names_each_node_and_its_device,
              test_model_parallel_learns_on_another_worker, test_model_parallel_says_what_it_needs,
              test_sequence_lstm_reads_digits_asynchronously_and_synchronously,
              test_multi_tower_learns_alone_and_on_two_workers, test_mnist_supervisor_trains_to_the_last_step,
              test_sync_replicas_learns_with_and_without_a_backup, test_synchronous_examples_learn_alone,
              test_mnist_cnn_learns, test_large_minibatch_warms_up_and_learns,
              test_tfrecord_input_learns_from_a_file_that_it_makes, test_evaluate_follows_the_checkpoints_of_a_training)
