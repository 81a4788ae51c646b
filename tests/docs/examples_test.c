// Runs the examples: each is started as its comment says, with few steps and, if it uses MNIST, a small data set that a
// model learns quickly.
#include <unistd.h>

#include "base/alloc.h"
#include "base/test.h"
#include "tests/support/mnist.h"
#include "tests/support/tool.h"

#define EXAMPLE(name) SLI_BUILD_DIR "/examples/" name

// Runs "sluice launch ARGUMENTS…", which must end well.
#define LAUNCH(run, ...)                                                                                       \
  do {                                                                                                         \
    TOOL_RUN(run, "launch", __VA_ARGS__);                                                                      \
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
  tool_run_t run;
  LAUNCH(&run, "--", EXAMPLE("hello_server"));
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] target: grpc://localhost:");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] Hello, distributed TensorFlow!\n");
  tool_run_release(&run);
}

SLI_TEST(test_log_device_placement_names_each_node_and_its_device) {
  tool_run_t run;
  LAUNCH(&run, "--", EXAMPLE("log_device_placement"));
  SLI_EXPECT_CONTAINS(run.out, "[2 4 6]\n");
  SLI_EXPECT_CONTAINS(run.out, "Device mapping: no known devices.\n");
  SLI_EXPECT_CONTAINS(run.err, "add: (AddV2): /job:localhost/replica:0/task:0/device:CPU:0");
  tool_run_release(&run);
}

SLI_TEST(test_model_parallel_learns_on_another_worker) {
  tool_run_t run;
  LAUNCH(&run, "--ps", "2", "--workers", "2", "--", EXAMPLE("model_parallel"), "--worker_task=1", "--steps=200");
  double before = number_after(run.out, "loss before "), after = number_after(run.out, "loss after ");
  if (!(after < before)) sli_test_fail(__FILE__, __LINE__, "the loss was %g and is %g", before, after);
  tool_run_release(&run);
}

SLI_TEST(test_kv_logistic_learns_on_two_ps) {
  tool_run_t run;
  LAUNCH(&run, "--ps", "2", "--workers", "2", "--", EXAMPLE("kv_logistic"), "--passes=3");
  double accuracy = number_after(run.out, "accuracy ");
  if (!(accuracy > 0.8)) sli_test_fail(__FILE__, __LINE__, "the accuracy is %g", accuracy);
  tool_run_release(&run);
}

// The area under the curve rises; at a guess it is 0.5.
SLI_TEST(test_wide_deep_learns_on_two_ps) {
  tool_run_t run;
  LAUNCH(&run, "--ps", "2", "--workers", "2", "--", EXAMPLE("wide_deep"), "--steps=600", "--print_steps=50",
         "--batch=256");
  const char *at = strstr(run.out, "auc ");
  double first = at ? atof(at + strlen("auc ")) : NAN, last = number_after(run.out, "auc ");
  double rows = number_after(run.out, "rows ");
  if (!(last > 0.7 && last > first && rows > 10000))
    sli_test_fail(__FILE__, __LINE__, "the AUC was %g and is %g, with %g rows", first, last, rows);
  tool_run_release(&run);
}

// The rows are in the checkpoint; another number of ps tasks goes on with them.
SLI_TEST(test_wide_deep_goes_on_with_fewer_ps) {
  char *directory = sli_format("--train_dir=%s/wide_deep", sli_test_temporary_dir());
  tool_run_t run;
  LAUNCH(&run, "--ps", "3", "--workers", "1", "--", EXAMPLE("wide_deep"), "--steps=300", "--print_steps=100",
         "--batch=256", directory);
  double before = number_after(run.out, "auc "), rows = number_after(run.out, "rows ");
  tool_run_release(&run);
  LAUNCH(&run, "--ps", "1", "--workers", "1", "--", EXAMPLE("wide_deep"), "--steps=305", "--print_steps=1",
         "--batch=256", directory);
  const char *at = strstr(run.out, "auc ");
  double after = at ? atof(at + strlen("auc ")) : NAN, rows_after = number_after(run.out, "rows ");
  if (!(before > 0.6 && after > before - 0.02 && rows_after >= rows))
    sli_test_fail(__FILE__, __LINE__, "the AUC was %g with %g rows and is %g with %g", before, rows, after, rows_after);
  tool_run_release(&run);
  free(directory);
}

SLI_TEST(test_model_parallel_says_what_it_needs) {
  tool_run_t run;
  TOOL_RUN(&run, "launch", "--", EXAMPLE("model_parallel"));
  SLI_EXPECT_INT(run.code, 2);
  SLI_EXPECT_CONTAINS(run.err, "two ps tasks are needed");
  tool_run_release(&run);
}

SLI_TEST(test_soft_placement_refuses_a_missing_device) {
  tool_run_t run;
  TOOL_RUN(&run, "launch", "--", EXAMPLE("soft_placement"));
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.err,
                      "Cannot assign a device for operation f: {{node f}} was explicitly assigned to "
                      "/device:GPU:1 but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ]");
  tool_run_release(&run);
}

SLI_TEST(test_soft_placement_chooses_another_device) {
  tool_run_t run;
  LAUNCH(&run, "--", EXAMPLE("soft_placement"), "--soft");
  SLI_EXPECT_CONTAINS(run.out, "[2 4 6]\n[worker 0] [2 4 6]\n");
  SLI_EXPECT_CONTAINS(run.err, "f: (AddV2): /job:localhost/replica:0/task:0/device:CPU:0");
  tool_run_release(&run);
}

SLI_TEST(test_device_setter_prints_where_things_are) {
  tool_run_t run;
  LAUNCH(&run, "--", EXAMPLE("device_setter"));
  static const char *const lines[] = {"v1 is on /job:ps/task:0\n",         "v2 is on /job:ps/task:1\n",
                                      "v3 is on /job:ps/task:0\n",         "a is on /job:worker/task:1\n",
                                      "define w in /job:ps/task:0\n",      "define b in /job:ps/task:0\n",
                                      "define loss in /job:worker\n",      "define global_step in /job:ps/task:0\n",
                                      "define train_op in /job:ps/task:0", "define init_op in /job:ps/task:0\n",
                                      "init w in /job:ps/task:0\n",        "init b in /job:ps/task:0\n",
                                      "init global_step in /job:ps/task:0"};
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) SLI_EXPECT_CONTAINS(run.out, lines[i]);
  tool_run_release(&run);
}

// Runs |script| in a shell with the ports $1, $2 and $3 and, for what it reads and writes, a directory as $4.
static void run_script(tool_run_t *run, const char *script) {
  char *arguments[4];
  for (int i = 0; i < 3; i++) arguments[i] = sli_format("%d", sli_test_free_port());
  arguments[3] = sli_strdup(tool_scratch("script"));
  TOOL_RUN(run, "launch", "--", "sh", "-c", script, "sh", arguments[0], arguments[1], arguments[2], arguments[3]);
  if (run->code) sli_test_fail(__FILE__, __LINE__, "exit %d:\n%s%s", run->code, run->out, run->err);
  for (int i = 0; i < 4; i++) free(arguments[i]);
}

SLI_TEST(test_two_tasks_say_hello) {
  // Each serves until it is stopped; the first one's session needs both.
  tool_run_t run;
  run_script(&run, "hosts=localhost:$1,localhost:$2; unset TF_CONFIG\n" EXAMPLE("two_tasks")
             " --hosts=$hosts --task_index=0 > $4.0 & a=$!\n" EXAMPLE("two_tasks")
             " --hosts=$hosts --task_index=1 > $4.1 & b=$!\n"
             "for i in $(seq 600); do grep -q Hello $4.0 && grep -q Hello $4.1 && break; sleep 0.1; done\n"
             "kill $a $b; wait $a $b; cat $4.0 $4.1");
  SLI_EXPECT_CONTAINS(run.out, "Hello from server 1!\n");
  SLI_EXPECT_CONTAINS(run.out, "Hello from server 2!\n");
  tool_run_release(&run);
}

// Three servers, then |CLIENT|, which gets --target.
#define WITH_SERVERS(client) \
  "hosts=\"--ps_hosts=localhost:$1 --worker_hosts=localhost:$2,localhost:$3\"; unset TF_CONFIG\n"          \
  EXAMPLE("example_server") " $hosts --job_name=ps --task_index=0 & a=$!\n"                               \
  EXAMPLE("example_server") " $hosts --job_name=worker --task_index=0 & b=$!\n"                           \
  EXAMPLE("example_server") " $hosts --job_name=worker --task_index=1 & c=$!\n"                           \
  client " --target=grpc://localhost:$2; code=$?; kill $a $b $c; wait $a $b $c; exit $code"

SLI_TEST(test_a_client_computes_on_servers) {
  tool_run_t run;
  run_script(&run, WITH_SERVERS(EXAMPLE("example_client")));
  SLI_EXPECT_CONTAINS(run.out, "[[7 7] [7 7]]\n");
  tool_run_release(&run);
}

// Without flags for the hosts, the ones of the program are used.
SLI_TEST(test_example_server_has_hosts_of_its_own) {
  tool_run_t run;
  TOOL_RUN(&run, "launch", "--", "env", "-u", "TF_CONFIG", EXAMPLE("example_server"), "--job_name=ps",
           "--task_index=1");
  SLI_EXPECT(run.code != 0);
  SLI_EXPECT_CONTAINS(run.err, "task_index");
  tool_run_release(&run);
}

SLI_TEST(test_linear_supervisor_learns_a_line) {
  for (int sync = 0; sync < 2; sync++) {
    char *logs = sli_format("--train_dir=%s", tool_scratch(sync ? "line-sync" : "line"));
    tool_run_t run;
    LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("linear_supervisor"), logs, "--steps=1500",
           sync ? "--issync=1" : "--noissync");
    SLI_EXPECT_CONTAINS(run.out, "[worker 0] done at step 15");
    SLI_EXPECT_CONTAINS(run.out, "[worker 1] done at step 15");
    SLI_EXPECT_NEAR(number_after(run.out, ", weight "), 2, 0.3);
    SLI_EXPECT_NEAR(number_after(run.out, ", bias "), 10, 0.5);
    tool_run_release(&run);
    free(logs);
  }
}

SLI_TEST(test_deep_lstm_learns_with_its_layers_on_different_devices) {
  tool_run_t run;
  LAUNCH(&run, "--", EXAMPLE("deep_lstm"), "--layers=3", "--devices=2", "--units=8", "--steps=20");
  SLI_EXPECT_CONTAINS(run.out, "cell_0/lstm_cell/kernel: /device:CPU:0\n");
  SLI_EXPECT_CONTAINS(run.out, "cell_1/lstm_cell/kernel: /device:CPU:1\n");
  SLI_EXPECT_CONTAINS(run.out, "cell_2/lstm_cell/kernel: /device:CPU:0\n");
  double before = number_after(run.out, "loss before "), after = number_after(run.out, "loss after ");
  if (!(after < before)) sli_test_fail(__FILE__, __LINE__, "the loss was %g and is %g", before, after);
  tool_run_release(&run);
}

SLI_TEST(test_crnn_learns_asynchronously_and_synchronously) {
  char *first = sli_format("--save_path=%s", tool_scratch("crnn"));
  char *begin = sli_format("--init_from=%s", tool_scratch("crnn"));
  char *second = sli_format("--save_path=%s", tool_scratch("crnn-sync"));
  tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("crnn"), first, "--steps=300", "--contrast=5",
         "--learning_rate=4");
  SLI_EXPECT_CONTAINS(run.out, "done at step 30");
  SLI_EXPECT(number_after(run.out, ", loss ") < 9);
  tool_run_release(&run);
  // Another training, which begins with that model.
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("crnn"), second, begin, "--steps=320", "--contrast=5",
         "--issync");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] done at step 320\n");
  SLI_EXPECT(number_after(run.out, ", loss ") < 9);
  tool_run_release(&run);
  free(first);
  free(begin);
  free(second);
}

// --- With data ---

// The flag "--data_dir=…" of a small data set; the caller frees it.
static char *make_data(void) {
  const char *directory = tool_scratch("data");
  mnist_make(directory);
  return sli_format("--data_dir=%s", directory);
}

SLI_TEST(test_in_graph_cnn_trains_on_two_workers) {
  mnist_make(tool_scratch("script"));
  tool_run_t run;
  run_script(&run, WITH_SERVERS(EXAMPLE("in_graph_cnn") " --data_dir=$4 --steps=11 --batch_size=10"));
  SLI_EXPECT_CONTAINS(run.out, "step 10, cost ");
  SLI_EXPECT_CONTAINS(run.out, "Optimization Finished!\n");
  SLI_EXPECT(number_after(run.out, ", accuracy ") > 0.3);
  tool_run_release(&run);
}

SLI_TEST(test_multi_tower_learns_from_records) {
  char *data = make_data(), *records = sli_format("--records=%s", tool_scratch("tower-data"));
  char *logs = sli_format("--log_dir=%s", tool_scratch("towers"));
  char *other = sli_format("--log_dir=%s", tool_scratch("towers-input"));
  tool_run_t run;
  LAUNCH(&run, "--", EXAMPLE("tfrecord_input"), data, records, other, "--steps=1", "--hidden_units=20",
         "--min_after_dequeue=100");
  tool_run_release(&run);
  LAUNCH(&run, "--", EXAMPLE("multi_tower"), records, logs, "--steps=101", "--hidden_units=20", "--batch_size=20",
         "--min_after_dequeue=100");
  SLI_EXPECT_CONTAINS(run.out, ": step 100, loss = ");
  SLI_EXPECT_CONTAINS(run.out, " sec/batch)\n");
  SLI_EXPECT(number_after(run.out, "loss = ") < 1);
  tool_run_release(&run);
  // The checkpoint has the moving averages, the event file the histograms.
  TOOL_RUN(&run, "inspect", tool_scratch("towers"));
  SLI_EXPECT_CONTAINS(run.out, "layer1/kernel/ExponentialMovingAverage");
  tool_run_release(&run);
  free(data);
  free(records);
  free(logs);
  free(other);
}

SLI_TEST(test_mnist_supervisor_trains_to_the_last_step) {
  char *data = make_data(), *logs = sli_format("--train_dir=%s", tool_scratch("supervisor"));
  tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("mnist_supervisor"), data, logs, "--steps=400",
         "--hidden_units=20", "--batch_size=20", "--learning_rate=0.2", "--validation_size=20");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] done at step 40");
  SLI_EXPECT_CONTAINS(run.out, "Extracting ");
  SLI_EXPECT_CONTAINS(run.out, "After 100 training steps (");
  SLI_EXPECT_CONTAINS(run.out, " sec/batch)\n");
  SLI_EXPECT(number_after(run.out, "loss on training batch is ") < 1);
  tool_run_release(&run);
  // The checkpoint exists, so the second run has only one step left.
  LAUNCH(&run, "--ps", "1", "--workers", "1", "--", EXAMPLE("mnist_supervisor"), data, logs, "--steps=400",
         "--hidden_units=20", "--batch_size=20", "--validation_size=20");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] done at step 40");
  SLI_EXPECT(!strstr(run.out, "training steps ("));
  tool_run_release(&run);
  // The same in synchrony, in a directory of its own.
  char *together = sli_format("--train_dir=%s", tool_scratch("supervisor-sync"));
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("mnist_supervisor"), data, together, "--steps=150",
         "--hidden_units=20", "--batch_size=20", "--learning_rate=0.2", "--validation_size=20", "--is_sync");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] done at step 150\n");
  SLI_EXPECT(number_after(run.out, "loss on training batch is ") < 2);
  tool_run_release(&run);
  free(together);
  free(data);
  free(logs);
}

SLI_TEST(test_sync_replicas_learns_with_and_without_a_backup) {
  char *data = make_data();
  static const char *const workers[] = {"2", "3"};
  for (int i = 0; i < 2; i++) {
    char *logs = sli_format("--log_dir=%s", tool_scratch(i ? "backup" : "sync"));
    tool_run_t run;
    LAUNCH(&run, "--ps", "2", "--workers", workers[i], "--", EXAMPLE("sync_replicas"), data, logs, "--steps=100",
           "--hidden_units=20", "--batch_size=20", "--learning_rate=0.01", "--replicas_to_aggregate=2");
    SLI_EXPECT_CONTAINS(run.out, "Train step 100, loss: ");
    SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
    tool_run_release(&run);
    free(logs);
  }
  free(data);
}

SLI_TEST(test_all_reduce_learns_with_workers_and_alone) {
  char *data = make_data();
  for (int i = 0; i < 2; i++) {
    char *logs = sli_format("--log_dir=%s", tool_scratch(i ? "all-reduce-alone" : "all-reduce"));
    tool_run_t run;
    static const char *const flags[] = {"--steps=100", "--hidden_units=20", "--batch_size=20", "--learning_rate=0.01"};
    if (i)
      LAUNCH(&run, "--", "env", "-u", "TF_CONFIG", EXAMPLE("all_reduce"), data, logs, flags[0], flags[1], flags[2],
             flags[3]);
    else
      LAUNCH(&run, "--workers", "4", "--", EXAMPLE("all_reduce"), data, logs, flags[0], flags[1], flags[2], flags[3],
             "--bucket_bytes=20000", "--warmup_steps=10");
    SLI_EXPECT_CONTAINS(run.out, "Train step 100, loss: ");
    SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
    tool_run_release(&run);
    free(logs);
  }
  free(data);
}

// No cluster at all: launch would give the program one.
SLI_TEST(test_synchronous_examples_learn_alone) {
  char *data = make_data();
  static const char *const programs[] = {EXAMPLE("sync_replicas"), EXAMPLE("mnist_replica")};
  for (int i = 0; i < 2; i++) {
    char *logs = sli_format("--log_dir=%s", tool_scratch(i ? "lone-replica" : "lone-sync"));
    tool_run_t run;
    LAUNCH(&run, "--", "env", "-u", "TF_CONFIG", programs[i], data, logs, "--sync", "--steps=100", "--hidden_units=20",
           "--batch_size=20", i ? "--learning_rate=0.2" : "--learning_rate=0.01");
    SLI_EXPECT_CONTAINS(run.err, "gradients of /job:worker/task:0: ");
    SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
    tool_run_release(&run);
    free(logs);
  }
  free(data);
}

// A directory with a finished model: the message says what to do.
SLI_TEST(test_a_finished_model_is_not_trained_and_the_message_says_what_to_do) {
  char *data = make_data(), *logs = sli_format("--log_dir=%s", tool_scratch("finished"));
  char *advice = sli_format(
      ": nothing to train. To start anew, delete %s or use another directory; to train on, ask "
      "for more than ",
      tool_scratch("finished"));
  for (int i = 0; i < 2; i++) {
    tool_run_t run;
    LAUNCH(&run, "--", "env", "-u", "TF_CONFIG", EXAMPLE("mnist_replica"), data, logs, "--steps=50",
           "--hidden_units=20");
    if (i) SLI_EXPECT_CONTAINS(run.err, advice);
    SLI_EXPECT(i == 1 || !strstr(run.err, "nothing to train"));
    tool_run_release(&run);
  }
  free(advice);
  free(data);
  free(logs);
}

SLI_TEST(test_mnist_cnn_learns) {
  char *data = make_data(), *logs = sli_format("--log_dir=%s", tool_scratch("cnn"));
  tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("mnist_cnn"), data, logs, "--steps=30", "--batch_size=10",
         "--test_batch=70");
  SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
  tool_run_release(&run);
  free(data);
  free(logs);
}

SLI_TEST(test_large_minibatch_warms_up_and_learns) {
  char *data = make_data(), *logs = sli_format("--log_dir=%s", tool_scratch("large"));
  tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("large_minibatch"), data, logs, "--steps=60",
         "--warmup_steps=10", "--hidden_units=20", "--batch_size=20");
  SLI_EXPECT_CONTAINS(run.out, "[worker 0] batch: 40, learning rate: 0.05, rising to 0.1\n");
  SLI_EXPECT_CONTAINS(run.err, "/job:worker/task:0: 60 accepted, 0 stale; /job:worker/task:1: 60 accepted, 0 stale");
  SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
  tool_run_release(&run);
  free(data);
  free(logs);
}

SLI_TEST(test_resnet_learns_from_image_files_and_continues) {
  mnist_make_stripes(tool_scratch("stripes"));
  char *data = sli_format("--data_dir=%s", tool_scratch("stripes"));
  char *logs = sli_format("--log_dir=%s", tool_scratch("resnet"));
  char *records = sli_format("--records=%s", tool_scratch("resnet-images"));
  tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("resnet"), data, logs, records, "--steps=80",
         "--batch_size=16", "--images=200", "--shuffle=50");
  SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.5);
  tool_run_release(&run);
  LAUNCH(&run, "--", EXAMPLE("resnet"), data, logs, records, "--steps=81", "--batch_size=16", "--shuffle=50");
  SLI_EXPECT_CONTAINS(run.err, "'dataset' had 2 shards and now has 1");
  SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.5);
  tool_run_release(&run);
  free(data);
  free(logs);
  free(records);
}

// The second run continues where all workers were, after the same number of batches each.
SLI_TEST(test_resnet_learns_by_all_reduce_and_continues) {
  mnist_make_stripes(tool_scratch("stripes"));
  char *data = sli_format("--data_dir=%s", tool_scratch("stripes"));
  char *logs = sli_format("--log_dir=%s", tool_scratch("resnet-all-reduce"));
  char *records = sli_format("--records=%s", tool_scratch("resnet-images"));
  tool_run_t run;
  for (int i = 0; i < 2; i++) {
    LAUNCH(&run, "--workers", "2", "--", EXAMPLE("resnet"), "--all_reduce", data, logs, records,
           i ? "--steps=42" : "--steps=40", "--batch_size=16", "--images=200", "--shuffle=50");
    if (i) {
      SLI_EXPECT_CONTAINS(run.err, "[worker 0]");
      SLI_EXPECT_CONTAINS(run.err, "'dataset' continues at element 40, shard 0 of 1");
    }
    SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.5);
    tool_run_release(&run);
  }
  free(data);
  free(logs);
  free(records);
}

SLI_TEST(test_tfrecord_input_learns_from_a_file_that_it_makes) {
  char *data = make_data(), *logs = sli_format("--log_dir=%s", tool_scratch("tfrecord"));
  char *records = sli_format("--records=%s", tool_scratch("tfrecord-data"));
  tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("tfrecord_input"), data, logs, records, "--steps=200",
         "--hidden_units=20", "--batch_size=20", "--min_after_dequeue=100");
  SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
  tool_run_release(&run);
  // Alone, from the same file: two epochs of 200 images are 20 steps, and the end of the input ends the training.
  char *again = sli_format("--log_dir=%s", tool_scratch("tfrecord-epochs"));
  LAUNCH(&run, "--", EXAMPLE("tfrecord_input"), data, again, records, "--steps=1000", "--epochs=2", "--hidden_units=20",
         "--batch_size=20", "--min_after_dequeue=100");
  SLI_EXPECT_CONTAINS(run.out, " after 20 steps\n");
  tool_run_release(&run);
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
  char *logs = sli_format("--log_dir=%s", tool_scratch("evaluated"));
  tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "1", "--evaluator", "--", "sh", "-c", script, "sh", data, logs, "--steps=200",
         "--hidden_units=20");
  SLI_EXPECT_CONTAINS(run.out, "[evaluator 0] step 200: accuracy ");
  SLI_EXPECT_NEAR(number_after(run.out, "step 200: accuracy "), number_after(run.out, "[worker 0] accuracy: "), 1e-9);
  tool_run_release(&run);
  free(data);
  free(script);
  free(logs);
}

// Also in a cluster with a ps, which then has nothing to do.
SLI_TEST(test_mnist_replica_trains_by_all_reduce) {
  char *data = make_data();
  for (int i = 0; i < 2; i++) {
    char *logs = sli_format("--log_dir=%s", tool_scratch(i ? "replica-all-reduce-ps" : "replica-all-reduce"));
    tool_run_t run;
    if (i)
      LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("mnist_replica"), data, logs, "--all_reduce",
             "--steps=100", "--hidden_units=20", "--batch_size=20", "--learning_rate=0.2");
    else
      LAUNCH(&run, "--workers", "3", "--", EXAMPLE("mnist_replica"), data, logs, "--all_reduce", "--steps=100",
             "--hidden_units=20", "--batch_size=20", "--learning_rate=0.2");
    SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.9);
    tool_run_release(&run);
    free(logs);
  }
  free(data);
}

SLI_TEST(test_mnist_replica_compensates_delays) {
  char *data = make_data(), *logs = sli_format("--log_dir=%s", tool_scratch("compensated"));
  tool_run_t run;
  LAUNCH(&run, "--ps", "1", "--workers", "2", "--", EXAMPLE("mnist_replica"), data, logs, "--steps=100",
         "--hidden_units=20", "--delay_compensated");
  SLI_EXPECT(number_after(run.out, "accuracy: ") > 0.5);
  tool_run_release(&run);
  free(data);
  free(logs);
}

SLI_TEST(test_mnist_replica_saves_as_often_as_it_is_told) {
  char *data = make_data(), *folder = sli_strdup(tool_scratch("saved")), *logs = sli_format("--log_dir=%s", folder);
  tool_run_t run;
  LAUNCH(&run, "--", EXAMPLE("mnist_replica"), data, logs, "--steps=40", "--hidden_units=20", "--save_steps=15",
         "--save_secs=3600");
  tool_run_release(&run);
  for (int step = 15; step <= 30; step += 15) {
    char *index = sli_format("%s/model.ckpt-%d.index", folder, step);
    SLI_EXPECT(access(index, R_OK) == 0);
    free(index);
  }
  free(data);
  free(folder);
  free(logs);
}

SLI_TEST_MAIN(test_mnist_replica_trains_by_all_reduce, test_mnist_replica_saves_as_often_as_it_is_told,
              test_mnist_replica_compensates_delays, test_hello_server_answers,
              test_deep_lstm_learns_with_its_layers_on_different_devices,
              test_log_device_placement_names_each_node_and_its_device, test_model_parallel_learns_on_another_worker,
              test_model_parallel_says_what_it_needs, test_kv_logistic_learns_on_two_ps,
              test_wide_deep_learns_on_two_ps, test_wide_deep_goes_on_with_fewer_ps,
              test_crnn_learns_asynchronously_and_synchronously, test_soft_placement_refuses_a_missing_device,
              test_soft_placement_chooses_another_device, test_device_setter_prints_where_things_are,
              test_two_tasks_say_hello, test_a_client_computes_on_servers, test_example_server_has_hosts_of_its_own,
              test_linear_supervisor_learns_a_line, test_in_graph_cnn_trains_on_two_workers,
              test_multi_tower_learns_from_records, test_mnist_supervisor_trains_to_the_last_step,
              test_sync_replicas_learns_with_and_without_a_backup, test_all_reduce_learns_with_workers_and_alone,
              test_synchronous_examples_learn_alone,
              test_a_finished_model_is_not_trained_and_the_message_says_what_to_do, test_mnist_cnn_learns,
              test_resnet_learns_from_image_files_and_continues, test_resnet_learns_by_all_reduce_and_continues,
              test_large_minibatch_warms_up_and_learns, test_tfrecord_input_learns_from_a_file_that_it_makes,
              test_evaluate_follows_the_checkpoints_of_a_training)
