// Synchronous replicas: the graph; and with several processes: steps use the right
// number of gradients, all tasks end, and a step that takes too long is reported.
#include <math.h>
#include <pthread.h>
#include <time.h>

#include "base/alloc.h"
#include "base/test.h"
#include "tests/train/cluster.h"
#include "tests/train/golden.h"

// --- The graph ---

// As tests/golden/train/make_sync_replicas.py.
// Whether |operation| has the node |name| as a control input, directly or through a group.
static bool waits_for(TF_Operation *operation, const char *name) {
  enum { MOST = 8 };
  TF_Operation *controls[MOST];
  int count = TF_OperationGetControlInputs(operation, controls, MOST);
  for (int i = 0; i < count && i < MOST; i++) {
    if (strcmp(TF_OperationName(controls[i]), name) == 0) return true;
    if (strcmp(TF_OperationOpType(controls[i]), "NoOp") == 0 && waits_for(controls[i], name)) return true;
  }
  return false;
}

static void expect_sync_replicas(const char *listing, int task) {
  sl_server_t *server = sli_test_idle_task(3, task);
  sl_scope_t *s = sl_graph_scope();
  SL_DEVICE (s, sl_replica_device_setter(server)) {
    TF_Output step = sl_global_step(s);
    TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 3), .name = "x");
    TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(3, 2));
    TF_Output b = sl_get_variable(s, "b", TF_FLOAT, SL_SHAPE(2));
    TF_Output loss = sl_mean(s, sl_square(s, sl_add(s, sl_matmul(s, x, w), b)), .name = "loss");
    sl_optimizer_t *optimizer = sl_sync_replicas(s, sl_adam(s, 0.1), server, .replicas_to_aggregate = 2);
    SLI_EXPECT(!sl_sync_replicas_info(optimizer));
    sl_minimize(s, optimizer, loss, .global_step = step);
    if (task == 0) sl_no_op(s, .name = "no_init_tokens");
    const sl_sync_replicas_info_t *info = sl_sync_replicas_info(optimizer);
    SLI_EXPECT_TEXT(sl_scope_error(s), "");
    SLI_REQUIRE(info);
    SLI_EXPECT(waits_for(info->chief_init_op, "sync_replicas/group_deps"));
    SLI_EXPECT(waits_for(info->local_step_init_op, "Assign"));
    SLI_EXPECT(info->chief_queue_runner);
    SLI_EXPECT(sl_variable_info(s, sl_optimizer_slot(optimizer, w, "Adam_1")));
  }
  sli_expect_listing(s, listing);
  sl_scope_release(s);
  sl_server_release(server);
}

SLI_TEST(test_sync_replicas_of_the_chief) { expect_sync_replicas("sync_replicas_chief", 0); }
SLI_TEST(test_sync_replicas_of_a_worker) { expect_sync_replicas("sync_replicas_worker", 1); }

// The gradient of gathered rows stays sparse.
SLI_TEST(test_sync_replicas_of_a_sparse_gradient) {
  sl_server_t *server = sli_test_idle_task(2, 0);
  sl_scope_t *s = sl_graph_scope();
  SL_DEVICE (s, sl_replica_device_setter(server)) {
    TF_Output step = sl_global_step(s);
    TF_Output ids = sl_placeholder(s, TF_INT32, SL_SHAPE(-1), .name = "ids");
    TF_Output table = sl_get_variable(s, "table", TF_FLOAT, SL_SHAPE(10, 3));
    TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(3));
    TF_Output rows = sl_embedding_lookup(s, table, ids);
    TF_Output loss = sl_sum(s, sl_multiply(s, rows, w), .name = "loss");
    sl_optimizer_t *optimizer = sl_sync_replicas(s, sl_gradient_descent(s, 0.1), server);
    sl_minimize(s, optimizer, loss, .global_step = step);
  }
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  sli_expect_listing(s, "sync_replicas_sparse");
  sl_scope_release(s);
  sl_server_release(server);
}

static sl_scope_t *import_resources(void) {
  sl_scope_t *s = sl_graph_scope();
  char *path = sli_format("%s/train/resources.meta", sli_test_golden_dir());
  sl_import_meta_graph(s, path);
  free(path);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SLI_CHECK(sl_collection_count(s, SL_TRAINABLE_VARIABLES) == 2 && sl_collection_count(s, SL_LOSSES) == 1);
  return s;
}

SLI_TEST(test_sync_replicas_of_resources) {
  sl_server_t *server = sli_test_idle_task(2, 0);
  sl_scope_t *s = import_resources();
  sl_optimizer_t *optimizer = sl_sync_replicas(s, sl_adam(s, 0.1), server);
  sl_minimize(s, optimizer, sl_collection_items(s, SL_LOSSES)[0], .global_step = sl_global_step(s));
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  sli_expect_listing(s, "sync_replicas_resources");
  sl_scope_release(s);
  sl_server_release(server);
}

// Imported resource variables also train. The chief's thread reads the step, and ends at the last one.
SLI_TEST(test_resources_train_in_synchrony) {
  double sums[2][2] = {0};
  for (int synchronous = 0; synchronous < 2; synchronous++) {
    sl_scope_t *s = import_resources();
    TF_Output ids = {TF_GraphOperationByName(sl_scope_graph(s), "ids"), 0};
    sl_optimizer_t *optimizer = sl_adam(s, 0.1);
    if (synchronous) optimizer = sl_sync_replicas(s, optimizer, NULL, .replicas_to_aggregate = 2);
    TF_Operation *train =
        sl_minimize(s, optimizer, sl_collection_items(s, SL_LOSSES)[0], .global_step = sl_global_step(s));
    TF_Output sum[2];
    for (int i = 0; i < 2; i++) sum[i] = sl_sum(s, sl_square(s, sl_collection_items(s, SL_TRAINABLE_VARIABLES)[i]));
    sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1, .stop_at_step = 5);
    const int32_t rows[] = {1, 3, 1};
    while (!sl_should_stop(session)) sl_run(session, SL_FEED(ids, rows, 3), SL_TARGET(train));
    SLI_EXPECT_INT(sl_session_step(session), 5);
    for (int i = 0; i < 2; i++) SLI_EXPECT(sl_run(session, SL_FETCH(sum[i], &sums[synchronous][i])));
    SLI_EXPECT_TEXT(sl_session_error(session), "");
    SLI_EXPECT_INT(sl_session_close(session), 0);
    sl_scope_release(s);
  }
  for (int i = 0; i < 2; i++) {
    SLI_EXPECT(sums[0][i] < (i ? 11.9 : 3.9));  // they were 4 and 12
    SLI_EXPECT_NEAR(sums[1][i], sums[0][i], 1e-5);
  }
}

// With one replica and one gradient per step the result is that of asynchronous training, also for duplicate indices
// and slots.
SLI_TEST(test_sparse_gradients_train_in_synchrony) {
  double tables[2] = {0};
  for (int synchronous = 0; synchronous < 2; synchronous++) {
    sl_server_t *server = sl_create_local_server();
    sl_scope_t *s = sl_graph_scope();
    TF_Output step = sl_global_step(s);
    TF_Output ids = sl_placeholder(s, TF_INT32, SL_SHAPE(-1), .name = "ids");
    TF_Output table = sl_get_variable(s, "table", TF_FLOAT, SL_SHAPE(5, 2), .initializer = SL_ONES);
    TF_Output loss = sl_sum(s, sl_square(s, sl_embedding_lookup(s, table, ids)));
    sl_optimizer_t *optimizer = sl_adam(s, 0.1);
    if (synchronous) optimizer = sl_sync_replicas(s, optimizer, server, .total_num_replicas = 1);
    TF_Operation *train = sl_minimize(s, optimizer, loss, .global_step = step);
    TF_Output sum = sl_sum(s, sl_square(s, table));
    sl_session_t *session = sl_monitored_training_session(s, server, .log_steps = -1, .stop_at_step = 5);
    const int32_t rows[] = {1, 3, 1};
    while (!sl_should_stop(session)) sl_run(session, SL_FEED(ids, rows, 3), SL_TARGET(train));
    SLI_EXPECT(sl_run(session, SL_FETCH(sum, &tables[synchronous])));
    SLI_EXPECT_TEXT(sl_session_error(session), "");
    SLI_EXPECT_INT(sl_session_close(session), 0);
    sl_scope_release(s);
    sl_server_release(server);
  }
  SLI_EXPECT(tables[0] < 9);  // it was 10
  SLI_EXPECT_NEAR(tables[1], tables[0], 1e-5);
}

static void expect_sync_error(sl_sync_replicas_options_t options, bool with_step, const char *part) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(3)), step = sl_global_step(s);
  options.struct_size = sizeof(options);
  sl_optimizer_t *optimizer = sl_sync_replicas_with(s, sl_gradient_descent(s, 0.1), NULL, &options);
  SLI_EXPECT(!sl_minimize(s, optimizer, sl_mean(s, sl_square(s, w)), .global_step = with_step ? step : (TF_Output){0}));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), part);
  sl_scope_release(s);
}

SLI_TEST(test_errors_of_sync_replicas) {
  expect_sync_error((sl_sync_replicas_options_t){0}, false, "Global step is required to check staleness");
  expect_sync_error((sl_sync_replicas_options_t){.replicas_to_aggregate = 3, .num_tokens = 1}, true,
                    "Too few tokens to finish the first step: 1 (given) vs 2 (needed)");
  expect_sync_error((sl_sync_replicas_options_t){.replica_id = 3}, true, "replica_id must be 1 to 1, got 3");
  expect_sync_error((sl_sync_replicas_options_t){.replicas_to_aggregate = 2, .strict = true}, true,
                    "with strict, replicas_to_aggregate must be at most 1, the number of replicas, got 2");
}

// --- Alone ---

typedef struct {
  double squares;  // of the variable at the end
  int64_t runs;
} lone_training_t;

// Trains without a server up to |steps|, from the checkpoint of the previous training, and saves one at the end.
// |options| NULL: asynchronous.
static lone_training_t train_alone(const sl_sync_replicas_options_t *options, int64_t steps) {
  lone_training_t result = {0};
  sl_scope_t *s = sl_graph_scope();
  TF_Output step = sl_global_step(s);
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(3), .initializer = SL_ONES);
  TF_Output squares = sl_sum(s, sl_square(s, w));
  sl_optimizer_t *optimizer = sl_adam(s, 0.1);
  if (options) optimizer = sl_sync_replicas_with(s, optimizer, NULL, options);
  TF_Operation *train = sl_minimize(s, optimizer, squares, .global_step = step);
  char *directory = sli_format("%s/alone-%d", sli_test_temporary_dir(), options ? options->replicas_to_aggregate : -1);
  sl_session_t *session =
      sl_monitored_training_session(s, NULL, .checkpoint_dir = directory, .log_steps = -1, .stop_at_step = steps);
  for (; !sl_should_stop(session); result.runs++) sl_run(session, SL_TARGET(train));
  SLI_EXPECT(sl_run(session, SL_FETCH(squares, &result.squares)));
  SLI_EXPECT_INT(sl_session_step(session), steps);
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  SLI_EXPECT_INT(sl_session_close(session), 0);
  char *latest = sl_latest_checkpoint(directory), *expected = sli_format("%s/model.ckpt-%d", directory, (int)steps);
  SLI_EXPECT_TEXT(latest ? latest : "", expected);
  free(latest);
  free(expected);
  free(directory);
  sl_scope_release(s);
  return result;
}

// No gradient is late: a step always needs the same number of runs, also after a restart.
SLI_TEST(test_a_program_alone_trains_to_the_last_step) {
  lone_training_t plain = train_alone(NULL, 5);
  SLI_EXPECT_INT(plain.runs, 5);
  SLI_EXPECT(plain.squares < 2);  // it was 3
  for (int aggregate = 0; aggregate < 4; aggregate++) {
    sl_sync_replicas_options_t options = {
        .struct_size = sizeof(options), .replicas_to_aggregate = aggregate, .strict = aggregate == 1};
    int64_t per_step = aggregate ? aggregate : 1;
    SLI_EXPECT_INT(train_alone(&options, 2).runs, 2 * per_step);
    lone_training_t rest = train_alone(&options, 5);
    SLI_EXPECT_INT(rest.runs, 3 * per_step);
    SLI_EXPECT_NEAR(rest.squares, plain.squares, 1e-5);
  }
}

static void *stop_soon(void *session) {
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  sl_request_stop(session);
  return NULL;
}

SLI_TEST(test_a_program_alone_stops_while_it_waits_for_a_replica) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(3), .initializer = SL_ONES), step = sl_global_step(s);
  sl_optimizer_t *optimizer =
      sl_sync_replicas(s, sl_gradient_descent(s, 0.1), NULL, .total_num_replicas = 2, .strict = true);
  TF_Operation *train = sl_minimize(s, optimizer, sl_sum(s, sl_square(s, w)), .global_step = step);
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1);
  pthread_t thread;
  SLI_REQUIRE(pthread_create(&thread, NULL, stop_soon, session) == 0);
  SLI_EXPECT(!sl_run(session, SL_TARGET(train)));
  SLI_EXPECT(sl_should_stop(session));
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  pthread_join(thread, NULL);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(s);
}

// --- Running it ---

static const double tolerance = 0.01;  // the noise leaves a loss of 1/300

// Every gradient was recorded. The gradient that completes a step may be recorded after the step, as stale.
static void expect_counted(train_cluster_t *cluster, int workers, int per_step, int steps) {
  double accepted = 0, stale = 0;
  for (int i = 0; i < workers; i++) {
    accepted += train_task_number(cluster, train_worker(cluster, i), "own accepted=");
    stale += train_task_number(cluster, train_worker(cluster, i), " stale=");
  }
  SLI_EXPECT(accepted + stale >= per_step * (steps - 1));
  SLI_EXPECT(accepted >= (per_step - 1) * (steps - 1) * 0.9);
}

static void expect_trained(train_cluster_t *cluster, long steps) {
  train_cluster_expect_success(cluster);
  SLI_EXPECT_INT((long)train_task_number(cluster, train_worker(cluster, 0), "final step="), steps);
  SLI_EXPECT_NEAR(train_task_number(cluster, train_worker(cluster, 0), " loss="), 0, tolerance);
  SLI_EXPECT_INT(train_cluster_checkpoint(cluster), steps);
}

SLI_TEST(test_equal_replicas_all_end) {
  const char *flags[] = {"--sync", "--steps=120", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "equal", 2, 3, flags);
  train_cluster_start(&cluster);
  expect_trained(&cluster, 120);
  expect_counted(&cluster, 3, 3, 120);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_the_slowest_of_backup_workers_is_not_waited_for) {
  const char *flags[] = {
      "--sync", "--steps=80", "--aggregate=2", "--step_millis=5", "--slow_worker=2", "--slow_millis=400", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "backup", 1, 3, flags);
  train_cluster_start(&cluster);
  expect_trained(&cluster, 80);
  // It is late for nearly every step, and its gradients are dropped.
  SLI_EXPECT(train_task_number(&cluster, train_worker(&cluster, 2), "own accepted=") < 40);
  SLI_EXPECT(train_task_number(&cluster, train_worker(&cluster, 2), " stale=") > 0);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_more_gradients_than_workers_also_after_a_restart) {
  const char *flags[] = {"--sync", "--steps=60", "--aggregate=5", "--total=2", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "more", 1, 2, flags);
  train_cluster_start(&cluster);
  expect_trained(&cluster, 60);
  expect_counted(&cluster, 2, 5, 60);
  flags[1] = "--steps=80";
  train_cluster_start(&cluster);
  expect_trained(&cluster, 80);
  expect_counted(&cluster, 2, 5, 20);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_strict_steps_take_one_gradient_from_each) {
  const char *flags[] = {"--sync",          "--steps=60",       "--strict", "--step_millis=1",
                         "--slow_worker=1", "--slow_millis=15", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "strict", 1, 2, flags);
  train_cluster_start(&cluster);
  expect_trained(&cluster, 60);
  for (int i = 0; i < 2; i++) {
    SLI_EXPECT_NEAR(train_task_number(&cluster, train_worker(&cluster, i), "own accepted="), 60, 6);
    SLI_EXPECT_NEAR(train_task_number(&cluster, train_worker(&cluster, i), " stale="), 0, 6);
  }
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_a_missing_worker_is_named_and_a_signal_ends_the_wait) {
  const char *flags[] = {"--sync", "--steps=60", "--stall_secs=1", "--strict", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "stall", 1, 2, flags);
  train_task_start(&cluster, train_ps(&cluster, 0));
  train_task_start(&cluster, train_worker(&cluster, 0));
  char *missing = sli_format("for 2 gradients and has 1; missing: /job:worker/task:1 (no reply from 127.0.0.1:%d)",
                             cluster.ports[2]);
  train_task_expect(&cluster, train_worker(&cluster, 0), missing);
  free(missing);
  train_task_signal(train_worker(&cluster, 0), SIGINT);
  train_task_wait(&cluster, train_worker(&cluster, 0));
  SLI_EXPECT_INT(train_worker(&cluster, 0)->code, 128 + SIGINT);
  SLI_EXPECT_INT(train_cluster_checkpoint(&cluster), 0);
  train_cluster_deinitialize(&cluster);
}

// The worker adds gradients but does not record them: it must not be reported as missing.
SLI_TEST(test_a_worker_that_does_not_report_is_not_called_missing) {
  const char *flags[] = {"--sync", "--strict", "--steps=60", "--stall_secs=1", "--mute=1", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "mute", 1, 3, flags);
  train_task_t *chief = train_worker(&cluster, 0), *mute = train_worker(&cluster, 1);
  train_task_start(&cluster, train_ps(&cluster, 0));
  train_task_start(&cluster, mute);
  train_task_start(&cluster, chief);
  train_task_expect(&cluster, mute, "gave a gradient: yes");
  char *missing = sli_format(
      "missing: /job:worker/task:2 (no reply from 127.0.0.1:%d); unknown: "
      "/job:worker/task:1, which does not report its gradients",
      cluster.ports[3]);
  train_task_expect(&cluster, chief, missing);
  SLI_EXPECT(train_task_number(&cluster, chief, "for 3 gradients and has ") >= 1);
  free(missing);
  train_cluster_deinitialize(&cluster);
}

SLI_TEST(test_training_goes_on_without_a_worker_and_takes_it_back) {
  const char *flags[] = {"--sync", "--steps=100000", "--leave_secs=1", "--step_millis=2", NULL};
  train_cluster_t cluster;
  train_cluster_initialize(&cluster, "quorum", 1, 2, flags);
  train_cluster_start(&cluster);
  train_task_t *chief = train_worker(&cluster, 0), *other = train_worker(&cluster, 1);
  train_task_expect(&cluster, other, "first step");
  train_task_signal(other, SIGKILL);
  if (train_task_expect(&cluster, chief, "/job:worker/task:1 has left: a step now takes 1 gradients")) {
    // The training continues: a later line of progress has a later step.
    train_task_expect(&cluster, chief, "global step ");
    double before = train_task_number(&cluster, chief, "global step ");
    for (int i = 0; i < 3000 && train_task_number(&cluster, chief, "global step ") <= before; i++)
      nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    SLI_EXPECT(train_task_number(&cluster, chief, "global step ") > before);
    train_task_start(&cluster, other);
    train_task_expect(&cluster, chief, "/job:worker/task:1 is back: a step now takes 2 gradients");
  }
  train_task_signal(other, SIGINT);
  train_task_signal(chief, SIGINT);
  train_task_wait(&cluster, chief);
  SLI_EXPECT_INT(chief->code, 128 + SIGINT);
  train_cluster_deinitialize(&cluster);
}

TRAIN_TEST_MAIN(test_a_worker_that_does_not_report_is_not_called_missing, test_sync_replicas_of_resources,
                test_resources_train_in_synchrony, test_sync_replicas_of_a_sparse_gradient,
                test_sparse_gradients_train_in_synchrony, test_sync_replicas_of_the_chief,
                test_sync_replicas_of_a_worker, test_errors_of_sync_replicas,
                test_a_program_alone_trains_to_the_last_step, test_a_program_alone_stops_while_it_waits_for_a_replica,
                test_equal_replicas_all_end, test_the_slowest_of_backup_workers_is_not_waited_for,
                test_more_gradients_than_workers_also_after_a_restart, test_strict_steps_take_one_gradient_from_each,
                test_a_missing_worker_is_named_and_a_signal_ends_the_wait,
                test_training_goes_on_without_a_worker_and_takes_it_back)
