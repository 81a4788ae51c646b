// Training sessions: in a program that runs alone, and in a worker of a cluster whose
// ps runs in another thread of this process.
#include <pthread.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "sluice/ops.h"
#include "sluice/sluice.h"

// --- A line through points: y = 2 x + 1 ---

typedef struct {
  sl_scope_t *scope;
  TF_Output x, y, w, b, loss, step;
  TF_Operation *train;
} line_t;

static line_t build_line(sl_server_t *server) {
  line_t line = {.scope = sl_graph_scope()};
  sl_scope_t *s = line.scope;
  SL_DEVICE (s, sl_replica_device_setter(server)) {
    line.step = sl_global_step(s);
    line.x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1), .name = "x");
    line.y = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1), .name = "y");
    line.w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(), .initializer = SL_ZEROS);
    line.b = sl_get_variable(s, "b", TF_FLOAT, SL_SHAPE(), .initializer = SL_ZEROS);
    TF_Output predicted = sl_add(s, sl_multiply(s, line.x, line.w), line.b);
    line.loss = sl_mean(s, sl_square(s, sl_subtract(s, predicted, line.y)));
    line.train = sl_minimize(s, sl_gradient_descent(s, 0.2), line.loss, .global_step = line.step);
    sl_summary_scalar(s, "loss", line.loss);
  }
  return line;
}

static const float xs[4] = {-1, 0, 1, 2}, ys[4] = {-1, 1, 3, 5};

static int train_line(const line_t *line, sl_session_t *session) {
  int steps = 0;
  while (!sl_should_stop(session)) {
    sl_run(session, SL_FEED(line->x, xs, 4), SL_FEED(line->y, ys, 4), SL_TARGET(line->train));
    steps++;
  }
  return steps;
}

static sl_server_t *no_cluster(void) {
  unsetenv("TF_CONFIG");
  int argc = 1;
  char *argv[] = {"test", NULL};
  return sl_server_start(sl_cluster_from_args(&argc, argv));
}

static char *temporary(const char *name) { return sli_format("%s/%s", sli_test_temporary_dir(), name); }

static bool has_file(const char *directory, const char *pattern) {
  char *path = sli_format("%s/%s", directory, pattern);
  sli_path_list_t found = {0};
  SLI_EXPECT_OK(sli_file_match(path, &found));
  bool any = found.count > 0;
  sli_path_list_deinitialize(&found);
  free(path);
  return any;
}

// --- Alone ---

SLI_TEST(test_training_stops_saves_and_goes_on_where_it_ended) {
  char *directory = temporary("line");
  sl_server_t *server = no_cluster();
  line_t line = build_line(server);
  sl_session_t *session = sl_monitored_training_session(line.scope, server, .checkpoint_dir = directory,
                                                        .stop_at_step = 60, .progress = line.loss, .log_steps = -1);
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  SLI_EXPECT_INT(train_line(&line, session), 60);
  SLI_EXPECT_INT(sl_session_step(session), 60);
  float w = 0;
  double b = 0;
  SLI_EXPECT(sl_run(session, SL_FETCH(line.w, &w), SL_FETCH(line.b, &b)));
  SLI_EXPECT_NEAR(w, 2, 0.01);
  SLI_EXPECT_NEAR(b, 1, 0.01);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  SLI_EXPECT(has_file(directory, "model.ckpt-0.index"));
  SLI_EXPECT(has_file(directory, "model.ckpt-60.index"));
  SLI_EXPECT(has_file(directory, "events.out.tfevents.*"));
  sl_scope_release(line.scope);

  line = build_line(server);
  session = sl_monitored_training_session(line.scope, server, .checkpoint_dir = directory, .stop_at_step = 70,
                                          .log_steps = -1, .max_to_keep = 2);
  SLI_EXPECT_INT(sl_session_step(session), 60);
  float restored = 0;
  SLI_EXPECT(sl_run(session, SL_FETCH(line.w, &restored)));
  SLI_EXPECT_NEAR(restored, w, 0);
  SLI_EXPECT_INT(train_line(&line, session), 10);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  SLI_EXPECT(has_file(directory, "model.ckpt-70.index"));
  SLI_EXPECT(has_file(directory, "model.ckpt-60.index"));
  SLI_EXPECT(!has_file(directory, "model.ckpt-0.index"));
  char *latest = sl_latest_checkpoint(directory);
  SLI_EXPECT_CONTAINS(latest, "model.ckpt-70");
  free(latest);
  sl_scope_release(line.scope);
  sl_server_release(server);
  free(directory);
}

SLI_TEST(test_a_session_whose_step_is_reached_stops_at_once) {
  char *directory = temporary("reached");
  for (int round = 0; round < 2; round++) {
    line_t line = build_line(no_cluster());
    sl_session_t *session = sl_monitored_training_session(line.scope, NULL, .checkpoint_dir = directory,
                                                          .stop_at_step = 3, .log_steps = -1);
    SLI_EXPECT_INT(train_line(&line, session), round == 0 ? 3 : 0);
    SLI_EXPECT_INT(sl_session_close(session), 0);
    sl_scope_release(line.scope);
  }
  free(directory);
}

// Classic programs create it themselves: tf.Variable(0, name="global_step", trainable=False).
SLI_TEST(test_a_step_counter_of_the_programs_own_counts) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = sl_variable(s, sl_zeros(s, TF_FLOAT, SL_SHAPE()), .name = "w");
  TF_Output step = sl_variable(s, sl_scalar(s, TF_INT32, 0), .name = "global_step", .not_trainable = true);
  TF_Output loss = sl_square(s, sl_subtract(s, w, sl_scalar(s, TF_FLOAT, 3)));
  TF_Operation *train = sl_minimize(s, sl_gradient_descent(s, 0.1), loss, .global_step = step);
  SLI_EXPECT(sl_global_step(s).oper == step.oper);
  char *directory = temporary("own-step");
  sl_session_t *session =
      sl_monitored_training_session(s, NULL, .stop_at_step = 7, .checkpoint_dir = directory, .log_steps = -1);
  int steps = 0;
  for (; !sl_should_stop(session) && steps < 100; steps++) sl_run(session, SL_TARGET(train));
  SLI_EXPECT_INT(steps, 7);
  SLI_EXPECT_INT(sl_session_step(session), 7);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  char *latest = sl_latest_checkpoint(directory);
  SLI_REQUIRE(latest);
  SLI_EXPECT_CONTAINS(latest, "model.ckpt-7");
  free(latest);
  free(directory);
  sl_scope_release(s);
  s = sl_graph_scope();
  sl_variable(s, sl_zeros(s, TF_FLOAT, SL_SHAPE()), .name = "global_step");
  sl_global_step(s);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Existing \"global_step\" does not have integer type: float");
  sl_scope_release(s);
}

SLI_TEST(test_fetches_convert_and_fill_buffers) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1), .name = "x");
  TF_Output doubled = sl_add(s, x, x), step = sl_global_step(s), text = sl_text(s, "hello");
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1);
  float values[3] = {1, 2, 3}, results[3] = {0};
  double as_double = -1;
  int32_t integers[3] = {0};
  TF_Tensor *tensor = NULL;
  SLI_EXPECT(sl_run(session, SL_FEED(x, values, 3), SL_FETCH(doubled, results, 3), SL_FETCH(step, &as_double),
                    SL_FETCH(doubled, integers, 3), SL_FETCH_TENSOR(text, &tensor)));
  SLI_EXPECT_NEAR(results[2], 6, 0);
  SLI_EXPECT_NEAR(as_double, 0, 0);
  SLI_EXPECT_INT(integers[1], 4);
  SLI_REQUIRE(tensor);
  SLI_EXPECT_INT(TF_StringGetSize(TF_TensorData(tensor)), 5);
  TF_DeleteTensor(tensor);
  results[0] = 7;
  SLI_EXPECT(!sl_run(session, SL_FEED(x, values, 3), SL_FETCH(doubled, results, 2)));
  SLI_EXPECT_NEAR(results[0], 7, 0);
  SLI_EXPECT_CONTAINS(sl_session_error(session), "has 3 elements, but there is room for 2");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(s);
}

SLI_TEST(test_ps_ops_are_those_of_tensorflow) {
  static const char *const ps_ops[] = {"Variable",
                                       "VariableV2",
                                       "VarHandleOp",
                                       "MutableHashTable",
                                       "MutableHashTableV2",
                                       "MutableHashTableOfTensors",
                                       "MutableHashTableOfTensorsV2",
                                       "ResourceConditionalAccumulator"};
  static const char *const others[] = {
      "HashTableV2", "ConditionalAccumulator", "FIFOQueueV2", "MatMul", "None such", ""};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(ps_ops); i++) SLI_EXPECT(sl_is_ps_op(ps_ops[i]));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(others); i++) SLI_EXPECT(!sl_is_ps_op(others[i]));
}

// A program uses its buffers again as soon as the call returns, whatever the graph has done with the values.
SLI_TEST(test_fed_values_that_an_op_keeps_are_copied) {
  sl_scope_t *s = sl_graph_scope();
  sl_global_step(s);
  TF_Output indices = sl_placeholder(s, TF_INT64, SL_SHAPE(1, 1), .name = "indices");
  TF_Output values = sl_placeholder(s, TF_FLOAT, SL_SHAPE(1), .name = "values");
  TF_Output dense = sl_placeholder(s, TF_INT64, SL_SHAPE(1), .name = "dense");
  TF_Output put = sl_op_add_sparse_to_tensors_map(s, indices, values, dense, .shared_name = "map", .name = "put");
  TF_Output handles = sl_placeholder(s, TF_INT64, SL_SHAPE(-1), .name = "handles");
  sl_node_t *take = sl_node_begin(s, "TakeManySparseFromTensorsMap", "take");
  sl_node_input(take, handles);
  sl_node_attr_type(take, "dtype", TF_FLOAT);
  sl_node_attr_text(take, "shared_name", "map");
  TF_Output taken = {sl_node_finish(take), 1};
  // A slice of everything is the value itself.
  TF_Output queue = sl_fifo_queue(s, 10, (TF_DataType[]){TF_FLOAT}, 1, .shapes = (sl_shape_t[]){SL_SHAPE(1)});
  TF_Output begin = sl_constant(s, TF_INT32, SL_SHAPE(1), ((int32_t[]){0}));
  TF_Output whole = sl_op_slice(s, values, begin, sl_constant(s, TF_INT32, SL_SHAPE(1), ((int32_t[]){1})));
  TF_Operation *enqueue = sl_queue_enqueue(s, queue, SL_OUTPUTS(whole));
  TF_Output dequeued = sl_queue_dequeue(s, queue).items[0];
  SLI_EXPECT_TEXT(sl_scope_error(s), "");

  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1);
  int64_t at[1] = {2}, size[1] = {5}, kept[2] = {0};
  float number[1] = {0}, found[2] = {0};
  for (int step = 0; step < 2; step++) {
    number[0] = 10 + (float)step;
    SLI_EXPECT(sl_run(session, SL_FEED(indices, at, 1, 1), SL_FEED(values, number, 1), SL_FEED(dense, size, 1),
                      SL_FETCH(put, &kept[step]), SL_TARGET(enqueue)));
  }
  number[0] = -1;
  SLI_EXPECT(sl_run(session, SL_FEED(handles, kept, 2), SL_FETCH(taken, found, 2)));
  SLI_EXPECT_NEAR(found[0], 10, 0);
  SLI_EXPECT_NEAR(found[1], 11, 0);
  for (int step = 0; step < 2; step++) {
    SLI_EXPECT(sl_run(session, SL_FETCH(dequeued, &found[step])));
    SLI_EXPECT_NEAR(found[step], 10 + step, 0);
  }
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(s);
}

// Checks that the run failed with |part| in its error, at the line of the call.
static void expect_bad_run(sl_session_t *session, bool ran, int line, const char *part) {
  SLI_EXPECT(!ran);
  SLI_EXPECT(sl_should_stop(session));
  char *place = sli_format("session_test.c:%d: ", line);
  SLI_EXPECT_CONTAINS(sl_session_error(session), place);
  SLI_EXPECT_CONTAINS(sl_session_error(session), part);
  SLI_EXPECT_INT(sl_session_close(session), 1);
  free(place);
}

SLI_TEST(test_bad_feeds_are_named_with_the_line) {
  float values[6] = {0};
  int64_t integers[6] = {0};
  for (int round = 0; round < 3; round++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 3), .name = "x"), sum = sl_sum(s, x);
    sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1);
    float result;
    bool ran;
    if (round == 0) {
      ran = sl_run(session, SL_FEED(x, values, 3, 2), SL_FETCH(sum, &result));
      expect_bad_run(session, ran, __LINE__ - 1,
                     "Cannot feed value of shape (3, 2) for Tensor 'x:0', which has shape '(?, 3)'");
    } else if (round == 1) {
      ran = sl_run(session, SL_FEED(x, integers, 2, 3), SL_FETCH(sum, &result));
      expect_bad_run(session, ran, __LINE__ - 1, "'x:0' is of type float and cannot be fed with int64");
    } else {
      ran = sl_run(session, SL_FEED(x, (float *)NULL, 2, 3), SL_FETCH(sum, &result));
      expect_bad_run(session, ran, __LINE__ - 1, "the value to feed for Tensor 'x:0' must not be NULL");
    }
    sl_scope_release(s);
  }
}

// A feed is lent to the runtime; a fetch of it, or of a view of it, must not be the loan itself.
SLI_TEST(test_a_fed_tensor_can_be_fetched) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1), .name = "x"), none = sl_placeholder(s, TF_FLOAT, SL_SHAPE(0));
  TF_Output same = sl_identity(s, x), view = sl_reshape(s, x, SL_SHAPE(2, 2));
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1);
  float fed[4] = {1, 2, 3, 4}, found[4] = {0}, reshaped[4] = {0};
  TF_Tensor *tensors[2] = {NULL};
  SLI_EXPECT(sl_run(session, SL_FEED(x, fed, 4), SL_FEED(none, fed, 0), SL_FETCH(x, found, 4),
                    SL_FETCH(view, reshaped, 4), SL_FETCH_TENSOR(same, &tensors[0]),
                    SL_FETCH_TENSOR(none, &tensors[1])));
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  fed[3] = 100;  // the program's memory again
  SLI_EXPECT_NEAR(found[3], 4, 0);
  SLI_EXPECT_NEAR(reshaped[0], 1, 0);
  SLI_REQUIRE(tensors[0] && tensors[1]);
  SLI_EXPECT_NEAR(((const float *)TF_TensorData(tensors[0]))[3], 4, 0);
  SLI_EXPECT_INT(TF_TensorElementCount(tensors[1]), 0);
  for (int i = 0; i < 2; i++) TF_DeleteTensor(tensors[i]);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(s);
}

SLI_TEST(test_a_node_that_comes_too_late_is_named_with_its_own_line) {
  for (int round = 0; round < 2; round++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output x = sl_scalar(s, TF_FLOAT, 3);
    sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1);
    float result = 0;
    SLI_EXPECT(sl_run(session, SL_FETCH(x, &result)));
    TF_Output late = sl_square(s, x, .name = "late");
    int line = __LINE__ - 1;
    char *blamed = sli_format("session_test.c:%d: Graph is finalized and cannot be modified: 'late' (Square)", line);
    if (round == 0) SLI_EXPECT(!sl_run(session, SL_FETCH(late, &result)));
    if (round == 0) SLI_EXPECT_CONTAINS(sl_session_error(session), blamed);
    if (round == 0) SLI_EXPECT(sl_should_stop(session));
    SLI_EXPECT_INT(sl_session_close(session), 1);
    free(blamed);
    sl_scope_release(s);
  }
}

SLI_TEST(test_a_closed_session_runs_nothing) {
  for (int plain = 0; plain < 2; plain++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output x = sl_scalar(s, TF_FLOAT, 3);
    sl_session_t *session = plain ? sl_session(s) : sl_monitored_training_session(s, NULL, .log_steps = -1);
    SLI_EXPECT_INT(sl_session_close(session), 0);
    float result = 7;
    SLI_EXPECT(sl_should_stop(session));
    SLI_EXPECT(!sl_run(session, SL_FETCH(x, &result)));
    SLI_EXPECT_NEAR(result, 7, 0);
    sl_request_stop(session);
    sl_session_clear_error(session);
    SLI_EXPECT_INT(sl_session_step(session), 0);
    SLI_EXPECT(!sl_session_handle(session));
    SLI_EXPECT_TEXT(sl_session_error(session), "the session is closed");
    SLI_EXPECT_INT(sl_session_close(session), 1);
    sl_scope_release(s);
  }
}

SLI_TEST(test_batches_of_no_examples_are_refused_with_their_size) {
  for (int round = 0; round < 3; round++) {
    line_t line = build_line(no_cluster());
    sl_session_t *session = sl_monitored_training_session(line.scope, NULL, .log_steps = -1);
    float loss;
    SLI_EXPECT(sl_run(session, SL_FEED(line.x, xs, 0), SL_FEED(line.y, ys, 0), SL_FETCH(line.loss, &loss)));  // no step
    int64_t size = round == 0 ? 0 : -3;
    const float *data = round == 2 ? NULL : xs;
    bool ran = sl_run(session, SL_FEED(line.x, data, size), SL_FEED(line.y, ys, size), SL_TARGET(line.train));
    expect_bad_run(session, ran, __LINE__ - 1,
                   round == 0 ? "the batch of a training step must have at least 1 example, got 0 for Tensor 'x:0'"
                              : "dimension 0 of the value for Tensor 'x:0' must be at least 0, got -3");
    sl_scope_release(line.scope);
  }
}

SLI_TEST(test_an_error_of_the_graph_is_the_sessions) {
  char *directory = temporary("never");
  sl_scope_t *s = sl_graph_scope();
  sl_dense(s, sl_placeholder(s, TF_FLOAT, SL_UNKNOWN_SHAPE), 10);
  int line = __LINE__ - 1;
  sl_session_t *session = sl_monitored_training_session(s, NULL, .checkpoint_dir = directory);
  SLI_EXPECT(sl_should_stop(session));
  SLI_EXPECT(!sl_run(session, SL_FETCH(((TF_Output){0}), &(float){0})));
  char *place = sli_format("session_test.c:%d: The last dimension of the inputs to a Dense layer", line);
  SLI_EXPECT_CONTAINS(sl_session_error(session), place);
  SLI_EXPECT_INT(sl_session_close(session), 1);
  SLI_EXPECT(!sli_file_exists(directory));
  sl_scope_release(s);
  free(place);
  free(directory);
}

SLI_TEST(test_a_log_directory_that_cannot_be_written_is_named) {
  line_t line = build_line(no_cluster());
  sl_session_t *session = sl_monitored_training_session(line.scope, NULL, .checkpoint_dir = "/dev/null/logs");
  SLI_EXPECT_CONTAINS(sl_session_error(session), "checkpoint_dir '/dev/null/logs' must be writable");
  SLI_EXPECT_INT(train_line(&line, session), 0);
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(line.scope);
}

SLI_TEST(test_a_checkpoint_of_another_model_is_refused) {
  char *directory = temporary("other");
  line_t line = build_line(no_cluster());
  sl_session_t *session =
      sl_monitored_training_session(line.scope, NULL, .checkpoint_dir = directory, .stop_at_step = 1, .log_steps = -1);
  train_line(&line, session);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(line.scope);
  sl_scope_t *s = sl_graph_scope();
  sl_get_variable(s, "another", TF_FLOAT, SL_SHAPE(2));
  session = sl_monitored_training_session(s, NULL, .checkpoint_dir = directory);
  SLI_EXPECT_CONTAINS(sl_session_error(session), "another");
  SLI_EXPECT_CONTAINS(sl_session_error(session), "model.ckpt-1, which cannot be restored into this model");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(s);
  free(directory);
}

// --- In a cluster ---

static sl_server_t *start_task(const char *job, const int ports[2]) {
  char *ps = sli_format("--ps_hosts=127.0.0.1:%d", ports[0]), *name = sli_format("--job_name=%s", job);
  char *workers = sli_format("--worker_hosts=127.0.0.1:%d", ports[1]);
  char *argv[] = {"test", ps, workers, name, "--task_index=0", NULL};
  int argc = 5;
  sl_server_t *server = sl_server_start(sl_cluster_from_args(&argc, argv));
  SLI_EXPECT_INT(argc, 1);
  free(ps);
  free(name);
  free(workers);
  return server;
}

static void *join(void *server) { return (void *)(intptr_t)sl_server_join(server); }

SLI_TEST(test_ps_ends_when_the_worker_announces_the_end) {
  char *directory = temporary("cluster");
  int ports[2] = {sli_test_free_port(), sli_test_free_port()};
  sl_server_t *ps = start_task("ps", ports), *worker = start_task("worker", ports);
  SLI_EXPECT_TEXT(sl_server_error(ps), "");
  SLI_EXPECT_TEXT(sl_server_error(worker), "");
  pthread_t thread;
  SLI_REQUIRE(pthread_create(&thread, NULL, join, ps) == 0);
  line_t line = build_line(worker);
  sl_session_t *session = sl_monitored_training_session(line.scope, worker, .checkpoint_dir = directory,
                                                        .stop_at_step = 40, .log_steps = -1, .max_wait_secs = 60);
  SLI_EXPECT_INT(train_line(&line, session), 40);
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  SLI_EXPECT_INT(sl_session_close(session), 0);
  void *code = (void *)(intptr_t)-1;
  pthread_join(thread, &code);
  SLI_EXPECT_INT((intptr_t)code, 0);
  SLI_EXPECT(has_file(directory, "model.ckpt-40.data-00000-of-00001"));
  sl_scope_release(line.scope);
  sl_server_release(worker);
  free(directory);
}

SLI_TEST(test_a_ps_that_is_not_there_is_named) {
  int ports[2] = {sli_test_free_port(), sli_test_free_port()};
  sl_server_t *worker = start_task("worker", ports);
  line_t line = build_line(worker);
  sl_session_t *session = sl_monitored_training_session(line.scope, worker, .max_wait_secs = 1);
  char *who = sli_format("gave up waiting for /job:ps/task:0 at 127.0.0.1:%d (Connection refused)", ports[0]);
  SLI_EXPECT_CONTAINS(sl_session_error(session), who);
  SLI_EXPECT_INT(sl_session_close(session), 1);
  free(who);
  sl_scope_release(line.scope);
  sl_server_release(worker);
}

SLI_TEST(test_a_taken_port_is_an_error_of_the_session) {
  int ports[2] = {sli_test_free_port(), sli_test_free_port()};
  sl_server_t *first = start_task("worker", ports), *second = start_task("worker", ports);
  SLI_EXPECT(sl_server_error(second)[0]);
  sl_scope_t *s = sl_graph_scope();
  sl_session_t *session = sl_monitored_training_session(s, second);
  SLI_EXPECT_CONTAINS(sl_session_error(session), sl_server_error(second));
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(s);
  sl_server_release(second);
  sl_server_release(first);
}

SLI_TEST(test_a_session_is_opened_with_the_programs_config) {
  for (int soft = 0; soft < 3; soft++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output step = sl_global_step(s), far = {0};
    SL_DEVICE (s, "/device:GPU:0") far = sl_add(s, sl_scalar(s, TF_FLOAT, 1), sl_scalar(s, TF_FLOAT, 2));
    TF_Buffer *proto = TF_NewBufferFromString("\x38\x01", 2);  // allow_soft_placement: true
    sl_session_t *session = sl_monitored_training_session(
        s, NULL, .log_steps = -1,
        .config = &SL_CONFIG(.allow_soft_placement = soft == 1, .proto = soft == 2 ? proto : NULL));
    TF_DeleteBuffer(proto);
    double sum = 0;
    bool ran = sl_run(session, SL_FETCH(far, &sum), SL_FETCH(step, &(int64_t){0}));
    SLI_EXPECT_INT(ran, soft > 0);
    SLI_EXPECT_NEAR(sum, soft ? 3 : 0, 0);
    if (!soft) SLI_EXPECT_CONTAINS(sl_session_error(session), "Cannot assign a device for operation");
    SLI_EXPECT_INT(sl_session_close(session), soft ? 0 : 1);
    sl_scope_release(s);
  }
}

SLI_TEST(test_an_evaluator_does_not_wait_for_a_chief_of_its_own_model) {
  const sl_task_address_t tasks[] = {{"ps", 0, "localhost:1"}, {"chief", 0, "localhost:2"}};
  sl_server_t *server = sl_server_start(sl_cluster_from_tasks(tasks, 2, "evaluator", 0));
  sl_scope_t *s = sl_graph_scope();
  sl_global_step(s);
  sl_session_t *session = sl_monitored_training_session(s, server, .log_steps = -1);
  SLI_EXPECT(sl_should_stop(session));
  SLI_EXPECT_CONTAINS(sl_session_error(session), "an evaluator is not part of the cluster and does not train");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(s);
  sl_server_release(server);
}

SLI_TEST_MAIN(test_batches_of_no_examples_are_refused_with_their_size, test_a_fed_tensor_can_be_fetched,
              test_a_node_that_comes_too_late_is_named_with_its_own_line, test_a_closed_session_runs_nothing,
              test_a_step_counter_of_the_programs_own_counts, test_a_session_is_opened_with_the_programs_config,
              test_an_evaluator_does_not_wait_for_a_chief_of_its_own_model,
              test_training_stops_saves_and_goes_on_where_it_ended, test_a_session_whose_step_is_reached_stops_at_once,
              test_fetches_convert_and_fill_buffers, test_fed_values_that_an_op_keeps_are_copied,
              test_ps_ops_are_those_of_tensorflow, test_bad_feeds_are_named_with_the_line,
              test_an_error_of_the_graph_is_the_sessions, test_a_log_directory_that_cannot_be_written_is_named,
              test_a_checkpoint_of_another_model_is_refused, test_ps_ends_when_the_worker_announces_the_end,
              test_a_ps_that_is_not_there_is_named, test_a_taken_port_is_an_error_of_the_session)
