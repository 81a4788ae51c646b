// The Supervisor, scaffolds, coordinators, queue runners and savers of a program
// that runs alone.
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "sluice/sluice.h"
#include "tests/train/fetch.h"

static char *temporary(const char *name) { return sli_format("%s/%s", sli_test_temporary_dir(), name); }

typedef struct {
  sl_scope_t *scope;
  TF_Output w, step, loss;
  TF_Operation *train;
} model_t;

// Moves |w| towards 3.
static model_t build(sl_shape_t shape) {
  model_t model = {.scope = sl_graph_scope()};
  sl_scope_t *s = model.scope;
  model.step = sl_global_step(s);
  model.w = sl_get_variable(s, "w", TF_FLOAT, shape, .initializer = SL_ZEROS);
  model.loss = sl_mean(s, sl_square(s, sl_subtract(s, model.w, sl_scalar(s, TF_FLOAT, 3))));
  model.train = sl_minimize(s, sl_gradient_descent(s, 0.1), model.loss, .global_step = model.step);
  sl_summary_scalar(s, "loss", model.loss);
  return model;
}

static void run(TF_Session *session, const TF_Operation *target, TF_Status *status) {
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &target, 1, NULL, status);
}

static void run_target(void *context, TF_Session *session, TF_Status *status) { run(session, context, status); }

// The graph in text format, with shapes.
static void expect_graph_file(const char *directory) {
  char *path = sli_format("%s/graph.pbtxt", directory);
  sli_string_t text = {0};
  SLI_EXPECT_OK(sli_file_read_whole(path, 1 << 20, &text));
  SLI_EXPECT_CONTAINS(sli_string_text(&text), "node {\n  name: \"global_step/Initializer/zeros\"\n  op: \"Const\"\n");
  SLI_EXPECT_CONTAINS(sli_string_text(&text),
                      "  attr {\n    key: \"_output_shapes\"\n    value {\n      list {\n        shape {\n        }\n");
  sli_string_deinitialize(&text);
  free(path);
}

SLI_TEST(test_supervisor_prepares_saves_and_goes_on) {
  char *directory = temporary("supervised");
  TF_Status *status = TF_NewStatus();
  double w = 0;
  for (int round = 0; round < 2; round++) {
    model_t model = build(SL_SHAPE());
    TF_Operation *five = sl_assign(model.scope, model.w, sl_scalar(model.scope, TF_FLOAT, 5)).oper;
    sl_scaffold_t scaffold = SL_SCAFFOLD(.init_fn = run_target, .init_context = five);
    sl_supervisor_t *supervisor = sl_supervisor(model.scope, .logdir = directory, .scaffold = &scaffold,
                                                .save_summaries_secs = 0.05, .save_model_secs = 0.05);
    TF_Session *session = sl_supervisor_managed_session(supervisor, status);
    SLI_EXPECT_TEXT(TF_Message(status), "");
    SLI_REQUIRE(session);
    SLI_EXPECT(sl_supervisor_is_chief(supervisor));
    SLI_EXPECT_NEAR(train_fetch(session, model.w), round ? w : 5, 0);
    SLI_EXPECT_INT(train_fetch(session, model.step), round ? 10 : 0);
    for (int i = 0; i < 10 && !sl_supervisor_should_stop(supervisor); i++) run(session, model.train, status);
    w = train_fetch(session, model.w);
    sl_supervisor_stop(supervisor, status);
    SLI_EXPECT_TEXT(TF_Message(status), "");
    SLI_EXPECT(sl_supervisor_should_stop(supervisor));
    sl_supervisor_release(supervisor);
    sl_scope_release(model.scope);
  }
  char *latest = sl_latest_checkpoint(directory);
  SLI_EXPECT_CONTAINS(latest, "model.ckpt-20");
  free(latest);
  expect_graph_file(directory);
  TF_DeleteStatus(status);
  free(directory);
}

// As in Python: a program that is killed within the first minutes can continue.
SLI_TEST(test_a_session_of_the_supervisor_runs_stops_and_saves) {
  char *directory = temporary("supervised-session");
  model_t model = build(SL_SHAPE());
  sl_supervisor_t *supervisor = sl_supervisor(model.scope, .logdir = directory);
  sl_session_t *session = sl_supervisor_session(supervisor);
  int64_t step = 0;
  while (!sl_should_stop(session) && step < 7) sl_run(session, SL_TARGET(model.train), SL_FETCH(model.step, &step));
  SLI_EXPECT_INT(step, 7);
  sl_supervisor_request_stop(supervisor);
  SLI_EXPECT(sl_should_stop(session));
  SLI_EXPECT_INT(sl_session_close(session), 0);
  char *latest = sl_latest_checkpoint(directory);
  SLI_EXPECT_CONTAINS(latest, "model.ckpt-7");
  free(latest);
  sl_scope_release(model.scope);
  free(directory);
}

SLI_TEST(test_an_error_of_a_step_is_the_supervisors_exit_code) {
  model_t model = build(SL_SHAPE());
  TF_Output never = sl_placeholder(model.scope, TF_FLOAT, SL_SHAPE(), .name = "never");
  sl_supervisor_t *supervisor = sl_supervisor(model.scope);
  sl_session_t *session = sl_supervisor_session(supervisor);
  float value;
  SLI_EXPECT(!sl_run(session, SL_FETCH(never, &value)));
  SLI_EXPECT(sl_should_stop(session));
  SLI_EXPECT_CONTAINS(sl_session_error(session), "You must feed a value for placeholder tensor 'never'");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  // A graph with an error has a session with that error.
  sl_scope_fail(model.scope, TF_INVALID_ARGUMENT, "on purpose");
  supervisor = sl_supervisor(model.scope);
  session = sl_supervisor_session(supervisor);
  SLI_EXPECT(sl_should_stop(session));
  SLI_EXPECT_CONTAINS(sl_session_error(session), "on purpose");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(model.scope);
}

SLI_TEST(test_supervisor_saves_at_the_start_too) {
  char *directory = temporary("started"), *latest = NULL;
  TF_Status *status = TF_NewStatus();
  model_t model = build(SL_SHAPE());
  sl_supervisor_t *supervisor = sl_supervisor(model.scope, .logdir = directory);
  SLI_REQUIRE(sl_supervisor_managed_session(supervisor, status));
  for (int i = 0; i < 3000 && !latest; i++, usleep(10000)) latest = sl_latest_checkpoint(directory);
  SLI_REQUIRE(latest);
  SLI_EXPECT_CONTAINS(latest, "model.ckpt-0");
  free(latest);
  sl_supervisor_stop(supervisor, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  sl_supervisor_release(supervisor);
  sl_scope_release(model.scope);
  TF_DeleteStatus(status);
  free(directory);
}

SLI_TEST(test_supervisor_finds_a_step_counter_by_its_name) {
  char *directory = temporary("named-step");
  TF_Status *status = TF_NewStatus();
  sl_scope_t *s = sl_graph_scope();
  TF_Output step = sl_variable(s, sl_scalar(s, TF_INT32, 5), .name = "global_step", .not_trainable = true);
  sl_supervisor_t *supervisor = sl_supervisor(s, .logdir = directory);
  SLI_EXPECT(step.oper && sl_supervisor_managed_session(supervisor, status));
  SLI_EXPECT_INT(sl_supervisor_stop(supervisor, status), 0);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  char *latest = sl_latest_checkpoint(directory);
  SLI_REQUIRE(latest);
  SLI_EXPECT_CONTAINS(latest, "model.ckpt-5");
  free(latest);
  sl_supervisor_release(supervisor);
  sl_scope_release(s);
  TF_DeleteStatus(status);
  free(directory);
}

// Closing the session can interrupt the saving thread: the last step is then saved at the end.
SLI_TEST(test_supervisor_saves_the_last_step_whenever_it_is_stopped) {
  char *directory = temporary("stopped");
  TF_Status *status = TF_NewStatus();
  sl_server_t *server = sl_create_local_server();
  for (int round = 0; round < 60; round++) {
    model_t model = build(SL_SHAPE());
    sl_supervisor_t *supervisor =
        sl_supervisor(model.scope, .server = server, .logdir = directory, .save_model_secs = 0.0005);
    TF_Session *session = sl_supervisor_managed_session(supervisor, status);
    SLI_REQUIRE(session);
    run(session, model.train, status);
    usleep((useconds_t)round * 20);
    sl_supervisor_stop(supervisor, status);
    SLI_EXPECT_TEXT(TF_Message(status), "");
    char *latest = sl_latest_checkpoint(directory), *wanted = sli_format("%s/model.ckpt-%d", directory, round + 1);
    SLI_EXPECT_TEXT(latest, wanted);
    free(latest);
    free(wanted);
    sl_supervisor_release(supervisor);
    sl_scope_release(model.scope);
  }
  sl_server_release(server);
  TF_DeleteStatus(status);
  free(directory);
}

SLI_TEST(test_a_changed_graph_is_an_error_once_the_session_exists) {
  model_t model = build(SL_SHAPE());
  sl_supervisor_t *supervisor = sl_supervisor(model.scope);
  sl_no_op(model.scope, .name = "late");
  TF_Status *status = TF_NewStatus();
  SLI_EXPECT(!sl_supervisor_prepare_or_wait_for_session(supervisor, status));
  SLI_EXPECT_CONTAINS(TF_Message(status), "Graph is finalized and cannot be modified: 'late' (NoOp)");
  sl_supervisor_release(supervisor);
  TF_DeleteStatus(status);
  sl_scope_release(model.scope);
}

// --- Coordinators and queue runners ---

static void wait_and_fail(void *context, sl_coordinator_t *coordinator) {
  sl_coordinator_wait_for_stop(coordinator, 0.01);
  sl_coordinator_request_stop(coordinator, TF_INTERNAL, context);
}

static void count_up(void *context, sl_coordinator_t *coordinator) {
  if (++*(int *)context == 3) sl_coordinator_request_stop(coordinator, TF_OUT_OF_RANGE, "the end");
}

SLI_TEST(test_coordinator_ends_all_with_the_first_error) {
  sl_coordinator_t *coordinator = sl_coordinator_create();
  TF_Status *status = TF_NewStatus();
  SLI_EXPECT(sl_coordinator_start_thread(coordinator, "one", wait_and_fail, "first"));
  SLI_EXPECT(sl_coordinator_wait_for_stop(coordinator, -1));
  sl_coordinator_request_stop(coordinator, TF_INTERNAL, "second");
  sl_coordinator_join(coordinator, 10, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_INTERNAL);
  SLI_EXPECT_TEXT(TF_Message(status), "first");
  sl_coordinator_clear_stop(coordinator);
  SLI_EXPECT(!sl_coordinator_should_stop(coordinator));
  int count = 0;
  SLI_EXPECT(sl_coordinator_loop(coordinator, "loop", 0.001, count_up, &count));
  sl_coordinator_join(coordinator, 10, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_OK);
  SLI_EXPECT_INT(count, 3);
  sl_coordinator_release(coordinator);
  TF_DeleteStatus(status);
}

SLI_TEST(test_queue_runners_fill_until_the_input_ends) {
  sl_scope_t *s = sl_graph_scope();
  TF_DataType dtype = TF_INT64;
  sl_node_t *node = sl_node_begin(s, "FIFOQueueV2", "numbers");
  sl_node_attr_type_list(node, "component_types", &dtype, 1);
  sl_node_attr_int(node, "capacity", 2);
  TF_Output queue = sl_node_output(node);
  // Counts to 7.
  node = sl_node_begin(s, "VariableV2", "count");
  sl_node_attr_type(node, "dtype", TF_INT64);
  sl_node_attr_shape(node, "shape", SL_SHAPE());
  TF_Output count = sl_node_output(node);
  sl_node_t *zero = sl_node_begin(s, "Assign", NULL);
  sl_node_input(zero, count);
  sl_node_input(zero, sl_scalar(s, TF_INT64, 0));
  TF_Operation *init = sl_node_finish(zero);
  sl_node_t *next = sl_node_begin(s, "CountUpTo", NULL);
  sl_node_input(next, count);
  sl_node_attr_int(next, "limit", 7);
  TF_Output number = sl_node_output(next);
  sl_node_t *enqueue = sl_node_begin(s, "QueueEnqueueV2", NULL);
  sl_node_input(enqueue, queue);
  sl_node_input_list(enqueue, &number, 1);
  TF_Operation *fill = sl_node_finish(enqueue);
  sl_node_t *dequeue = sl_node_begin(s, "QueueDequeueV2", NULL);
  sl_node_input(dequeue, queue);
  sl_node_attr_type_list(dequeue, "component_types", &dtype, 1);
  TF_Output item = sl_node_output(dequeue);
  sl_add_queue_runner(s, sl_queue_runner(s, queue, &fill, 1));
  SLI_EXPECT(TF_GraphOperationByName(sl_scope_graph(s), "numbers_Close_1"));
  sl_scaffold_t scaffold = SL_SCAFFOLD(.init_fn = run_target, .init_context = init);
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1, .scaffold = &scaffold);
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  int64_t value = -1, sum = 0, items = 0;
  while (!sl_should_stop(session))
    if (sl_run(session, SL_FETCH(item, &value), SL_TARGET(item.oper))) {
      sum += value;
      items++;
    }
  SLI_EXPECT_INT(items, 7);
  SLI_EXPECT_INT(sum, 21);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(s);
}

// --- Hooks ---

static void feed_ten(void *context, sl_session_t *session, sl_step_t *step) {
  float ten = 10;
  TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(ten));
  memcpy(TF_TensorData(tensor), &ten, sizeof(ten));
  sl_step_feed(step, *(TF_Output *)context, tensor);
}

SLI_TEST(test_hooks_feed_stop_at_a_loss_and_run_a_last_operation) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output goal = sl_placeholder(s, TF_FLOAT, SL_SHAPE()), step = sl_global_step(s);
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(), .initializer = SL_ZEROS);
  TF_Output done = sl_get_variable(s, "done", TF_FLOAT, SL_SHAPE(), .initializer = SL_ZEROS, .not_trainable = true);
  TF_Output loss = sl_square(s, sl_subtract(s, w, goal));
  TF_Operation *train = sl_minimize(s, sl_gradient_descent(s, 0.25), loss, .global_step = step);
  TF_Operation *last = sl_assign(s, done, sl_scalar(s, TF_FLOAT, 1)).oper;
  sl_hook_t *hooks[] = {sl_feed_hook(feed_ten, &goal), sl_stop_at_loss_hook(loss, 0.01),
                        sl_nan_tensor_hook(loss, false), sl_final_op_hook(last)};
  char *directory = temporary("hooks");
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1, .hooks = hooks, .hook_count = 4,
                                                        .checkpoint_dir = directory);
  while (!sl_should_stop(session)) sl_run(session, SL_TARGET(train));
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  // The loss is 100 / 4^n after n steps: the eighth run sees 100 / 4^7.
  SLI_EXPECT_INT(sl_session_step(session) >= 7 && sl_session_step(session) <= 8, true);
  SLI_EXPECT_NEAR(train_fetch(sl_session_handle(session), w), 10, 0.1);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(s);

  s = sl_graph_scope();
  done = sl_get_variable(s, "done", TF_FLOAT, SL_SHAPE());
  session = sl_monitored_training_session(s, NULL, .log_steps = -1, .checkpoint_dir = directory);
  SLI_EXPECT_NEAR(train_fetch(sl_session_handle(session), done), 1, 0);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(s);
  free(directory);
}

SLI_TEST(test_a_loss_that_is_not_a_number_is_an_error) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output loss = sl_log(s, sl_scalar(s, TF_FLOAT, -1));
  sl_hook_t *hooks[] = {sl_nan_tensor_hook(loss, false)};
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1, .hooks = hooks, .hook_count = 1);
  sl_run(session, SL_TARGET(loss.oper));
  SLI_EXPECT(sl_should_stop(session));
  SLI_EXPECT_CONTAINS(sl_session_error(session), "NaN loss during training.");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(s);
}

// --- Checkpoints ---

static void train(const char *directory, int64_t steps) {
  model_t model = build(SL_SHAPE());
  sl_session_t *session = sl_monitored_training_session(model.scope, NULL, .checkpoint_dir = directory,
                                                        .stop_at_step = steps, .log_steps = -1);
  while (!sl_should_stop(session)) sl_run(session, SL_TARGET(model.train));
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(model.scope);
}

static void damage(const char *directory, const char *file, bool cut) {
  char *path = sli_format("%s/%s", directory, file);
  FILE *stream = fopen(path, "r+e");
  SLI_REQUIRE(stream);
  if (cut) {
    SLI_EXPECT(ftruncate(fileno(stream), 3) == 0);
  } else {
    fputs("damage", stream);
  }
  fclose(stream);
  free(path);
}

SLI_TEST(test_a_damaged_checkpoint_falls_back_to_the_one_before) {
  static const struct {
    const char *name, *file;
    bool cut;
  } rows[] = {{"index", "model.ckpt-20.index", true},
              {"data", "model.ckpt-20.data-00000-of-00001", false},
              {"short", "model.ckpt-20.data-00000-of-00001", true}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    char *directory = temporary(rows[i].name);
    train(directory, 10);
    train(directory, 20);
    damage(directory, rows[i].file, rows[i].cut);
    model_t model = build(SL_SHAPE());
    sl_session_t *session =
        sl_monitored_training_session(model.scope, NULL, .checkpoint_dir = directory, .log_steps = -1);
    SLI_EXPECT_TEXT(sl_session_error(session), "");
    SLI_EXPECT_INT(sl_session_step(session), 10);
    sl_session_close(session);
    sl_scope_release(model.scope);
    free(directory);
  }
}

SLI_TEST(test_a_checkpoint_with_another_shape_is_explained) {
  char *directory = temporary("shape");
  train(directory, 1);
  model_t model = build(SL_SHAPE(2, 3));
  sl_session_t *session = sl_monitored_training_session(model.scope, NULL, .checkpoint_dir = directory);
  SLI_EXPECT_CONTAINS(sl_session_error(session), "variable 'w' has shape (2, 3) in this model, but () in checkpoint ");
  SLI_EXPECT_CONTAINS(sl_session_error(session),
                      "model.ckpt-1; the checkpoint is of another model: use another directory");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(model.scope);
  free(directory);
}

SLI_TEST(test_a_checkpoint_with_another_shape_of_a_partitioned_variable_is_explained) {
  char *directory = temporary("part-shape");
  train(directory, 1);
  sl_scope_t *s = sl_graph_scope();
  sl_global_step(s);
  sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(5, 2), .partitioner = SL_FIXED_SIZE_PARTITIONER(2));
  sl_session_t *session = sl_monitored_training_session(s, NULL, .checkpoint_dir = directory);
  SLI_EXPECT_CONTAINS(sl_session_error(session), "variable 'w' has shape (5, 2) in this model, but () in checkpoint ");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(s);
  free(directory);
}

SLI_TEST(test_a_saver_refuses_one_name_for_two_variables) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output a = sl_get_variable(s, "a", TF_FLOAT, SL_SHAPE()), twice[] = {a, a};
  sl_saver(s, .variables = twice, .variable_count = 2);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "At least two variables have the same name: a");
  sl_scope_release(s);
}

SLI_TEST(test_savers_take_subsets_and_other_names) {
  char *directory = temporary("renamed"), *prefix = sli_format("%s/part", directory), *path = NULL;
  TF_Status *status = TF_NewStatus();
  sl_scope_t *s = sl_graph_scope();
  TF_Output a = sl_get_variable(s, "a", TF_FLOAT, SL_SHAPE(), .initializer = SL_CONSTANT(7));
  TF_Output b = sl_get_variable(s, "b", TF_FLOAT, SL_SHAPE(), .initializer = SL_CONSTANT(8));
  sl_saver_t *save_b = sl_saver(s, .variables = &b, .variable_count = 1, .names = (const char *const[]){"old/b"});
  sl_saver_t *load_a = sl_saver(s, .variables = &a, .variable_count = 1, .names = (const char *const[]){"old/b"});
  sl_saver_t *load_all = sl_saver(s);
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1);
  TF_Session *handle = sl_session_handle(session);
  sl_saver_save(save_b, handle, prefix, 4, &path, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  SLI_EXPECT_CONTAINS(path, "/part-4");
  sl_saver_restore(load_a, handle, path, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  SLI_EXPECT_NEAR(train_fetch(handle, a), 8, 0);
  sl_saver_restore(load_all, handle, path, status);
  SLI_EXPECT_CONTAINS(TF_Message(status), "Key a not found in checkpoint");
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(s);
  TF_DeleteStatus(status);
  free(path);
  free(prefix);
  free(directory);
}

SLI_TEST_MAIN(test_a_session_of_the_supervisor_runs_stops_and_saves,
              test_an_error_of_a_step_is_the_supervisors_exit_code, test_a_saver_refuses_one_name_for_two_variables,
              test_a_checkpoint_with_another_shape_of_a_partitioned_variable_is_explained,
              test_supervisor_saves_at_the_start_too, test_supervisor_finds_a_step_counter_by_its_name,
              test_hooks_feed_stop_at_a_loss_and_run_a_last_operation, test_a_loss_that_is_not_a_number_is_an_error,
              test_supervisor_prepares_saves_and_goes_on, test_supervisor_saves_the_last_step_whenever_it_is_stopped,
              test_a_changed_graph_is_an_error_once_the_session_exists, test_coordinator_ends_all_with_the_first_error,
              test_queue_runners_fill_until_the_input_ends, test_a_damaged_checkpoint_falls_back_to_the_one_before,
              test_a_checkpoint_with_another_shape_is_explained, test_savers_take_subsets_and_other_names)
