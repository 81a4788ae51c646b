// The built-in hooks, each passed to a session.
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "sluice/sluice.h"

static char *temporary(const char *name) { return sli_format("%s/%s", sli_test_temporary_dir(), name); }

typedef struct {
  sl_scope_t *scope;
  TF_Output w, loss, step;
  TF_Operation *train, *count;
} model_t;

// |train| moves |w| towards 3; |count| only increments the step.
static model_t build(void) {
  model_t model = {.scope = sl_graph_scope()};
  sl_scope_t *s = model.scope;
  model.step = sl_global_step(s);
  model.w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2), .initializer = SL_ZEROS);
  model.loss = sl_mean(s, sl_square(s, sl_subtract(s, model.w, sl_scalar(s, TF_FLOAT, 3))));
  model.train = sl_minimize(s, sl_gradient_descent(s, 0.1), model.loss, .global_step = model.step);
  model.count = sl_assign_add(s, model.step, sl_scalar(s, TF_INT64, 1)).oper;
  sl_summary_scalar(s, "how_bad", model.loss);
  return model;
}

static sl_session_t *open_session(const model_t *model, const char *directory, sl_hook_t *const *hooks, size_t count) {
  return sl_monitored_training_session(model->scope, NULL, .log_steps = -1, .checkpoint_dir = directory, .hooks = hooks,
                                       .hook_count = count);
}

static int train(const model_t *model, sl_session_t *session, int most) {
  int steps = 0;
  for (; steps < most && !sl_should_stop(session); steps++) sl_run(session, SL_TARGET(model->train));
  return steps;
}

static void close_session(model_t *model, sl_session_t *session, int code) {
  SLI_EXPECT_INT(sl_session_close(session), code);
  sl_scope_release(model->scope);
}

// How often |text| occurs in the files in |directory| that match |pattern|; -1 if there is no such file.
static int count_in_files(const char *directory, const char *pattern, const char *text) {
  char *path = sli_format("%s/%s", directory, pattern);
  sli_path_list_t found = {0};
  SLI_EXPECT_OK(sli_file_match(path, &found));
  int count = found.count ? 0 : -1;
  for (size_t i = 0; i < found.count; i++) {
    sli_string_t contents = {0};
    SLI_EXPECT_OK(sli_file_read_whole(found.items[i], SIZE_MAX, &contents));
    const char *from = contents.data, *end = contents.data + contents.size;
    while (from && (from = memmem(from, (size_t)(end - from), text, strlen(text)))) {
      count++;
      from += strlen(text);
    }
    sli_string_deinitialize(&contents);
  }
  sli_path_list_deinitialize(&found);
  free(path);
  return count;
}

static bool has_file(const char *directory, const char *name) { return count_in_files(directory, name, "\n") >= 0; }

// --- Output on stderr ---

typedef struct {
  int stderr_before;
  char *path;
} capture_t;

static capture_t capture_begin(const char *name) {
  capture_t capture = {.stderr_before = dup(STDERR_FILENO), .path = temporary(name)};
  SLI_EXPECT(freopen(capture.path, "we", stderr) != NULL);
  return capture;
}

static char *capture_end(capture_t *capture) {
  fflush(stderr);
  dup2(capture->stderr_before, STDERR_FILENO);
  close(capture->stderr_before);
  sli_string_t contents = {0};
  SLI_EXPECT_OK(sli_file_read_whole(capture->path, SIZE_MAX, &contents));
  free(capture->path);
  return sli_string_take(&contents);
}

static int count_in_text(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) count++;
  return count;
}

// --- Beginning and ending ---

SLI_TEST(test_stop_after_num_steps_counts_from_where_the_session_begins) {
  char *directory = temporary("num_steps");
  for (int round = 0; round < 2; round++) {
    model_t model = build();
    sl_hook_t *hooks[] = {sl_stop_at_step_hook(.num_steps = 5)};
    sl_session_t *session = open_session(&model, directory, hooks, 1);
    SLI_EXPECT_INT(train(&model, session, 100), 5);
    SLI_EXPECT_INT(sl_session_step(session), 5 * (round + 1));
    close_session(&model, session, 0);
  }
  model_t model = build();
  sl_hook_t *hooks[] = {sl_stop_at_step_hook(.last_step = 12)};
  sl_session_t *session = open_session(&model, directory, hooks, 1);
  SLI_EXPECT_INT(train(&model, session, 100), 2);
  close_session(&model, session, 0);
  free(directory);
}

SLI_TEST(test_stop_at_step_needs_exactly_one_limit) {
  const sl_stop_at_step_options_t wrong[] = {{.struct_size = sizeof(wrong[0])},
                                             {.struct_size = sizeof(wrong[0]), .last_step = 1, .num_steps = 1},
                                             {.struct_size = sizeof(wrong[0]), .last_step = -1}};
  for (size_t i = 0; i < 3; i++) {
    model_t model = build();
    sl_hook_t *hooks[] = {sl_stop_at_step_hook_with(&wrong[i])};
    sl_session_t *session = open_session(&model, NULL, hooks, 1);
    SLI_EXPECT(sl_should_stop(session));
    SLI_EXPECT_CONTAINS(sl_session_error(session), "One of num_steps or last_step must be specified.");
    close_session(&model, session, 1);
  }
}

// Python's StopAtStepHook refuses it; the training would never end.
SLI_TEST(test_stop_at_step_needs_a_global_step) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(), .initializer = SL_ONES);
  TF_Operation *train = sl_minimize(s, sl_gradient_descent(s, 0.1), sl_square(s, w));
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1, .stop_at_step = 5);
  SLI_EXPECT(sl_should_stop(session));
  SLI_EXPECT(!sl_run(session, SL_TARGET(train)));
  SLI_EXPECT_CONTAINS(sl_session_error(session), "Global step should be created to use StopAtStepHook");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(s);
}

SLI_TEST(test_a_global_step_that_nothing_advances_is_a_warning) {
  sl_scope_t *s = sl_graph_scope();
  sl_global_step(s);
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(), .initializer = SL_ONES);
  TF_Operation *train = sl_minimize(s, sl_gradient_descent(s, 0.1), sl_square(s, w));
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1, .stop_at_step = 10);
  capture_t capture = capture_begin("idle.log");
  for (int i = 0; i < 1000 && !sl_should_stop(session); i++) SLI_EXPECT(sl_run(session, SL_TARGET(train)));
  char *said = capture_end(&capture);
  SLI_EXPECT_INT(count_in_text(said,
                               "warning: the global step is still 0 after 500 steps, so the training will not stop "
                               "at step 10; pass .global_step to sl_minimize"),
                 1);
  free(said);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(s);
}

typedef struct {
  sl_scope_t *scope;
  TF_Output x, loss;
  TF_Operation *train;
} logarithm_t;

// The loss is log(x).
static logarithm_t build_logarithm(void) {
  logarithm_t model = {.scope = sl_graph_scope()};
  model.x = sl_placeholder(model.scope, TF_FLOAT, SL_SHAPE());
  model.loss = sl_log(model.scope, model.x);
  model.train = sl_assign_add(model.scope, sl_global_step(model.scope), sl_scalar(model.scope, TF_INT64, 1)).oper;
  return model;
}

SLI_TEST(test_a_nan_as_progress_ends_the_training_with_an_error) {
  for (int shown = 0; shown < 2; shown++) {
    logarithm_t model = build_logarithm();
    sl_session_t *session =
        sl_monitored_training_session(model.scope, NULL, .log_steps = shown ? 1 : -1, .progress = model.loss);
    capture_t capture = capture_begin("nan.log");
    SLI_EXPECT(sl_run(session, SL_FEED(model.x, &(float){2}), SL_TARGET(model.train)));
    SLI_EXPECT(!sl_run(session, SL_FEED(model.x, &(float){-1}), SL_TARGET(model.train)));
    SLI_EXPECT(sl_should_stop(session));
    SLI_EXPECT_CONTAINS(sl_session_error(session), "NaN loss during training.");
    SLI_EXPECT_INT(sl_session_close(session), 1);
    char *said = capture_end(&capture);
    SLI_EXPECT_CONTAINS(said, "Model diverged with loss = NaN at global step");
    free(said);
    sl_scope_release(model.scope);
  }
}

SLI_TEST(test_a_nan_hook_of_the_program_replaces_that_of_the_progress) {
  logarithm_t model = build_logarithm();
  sl_hook_t *hooks[] = {sl_nan_tensor_hook(model.loss, true)};
  sl_session_t *session = sl_monitored_training_session(model.scope, NULL, .log_steps = -1, .progress = model.loss,
                                                        .hooks = hooks, .hook_count = 1);
  SLI_EXPECT(sl_run(session, SL_FEED(model.x, &(float){-1}), SL_TARGET(model.train)));
  SLI_EXPECT(sl_should_stop(session));
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(model.scope);
}

SLI_TEST(test_an_infinite_loss_is_a_warning_and_at_the_end_an_error) {
  for (int recovers = 0; recovers < 2; recovers++) {
    logarithm_t model = build_logarithm();
    sl_session_t *session = sl_monitored_training_session(model.scope, NULL, .log_steps = -1, .progress = model.loss);
    capture_t capture = capture_begin("infinite.log");
    for (int i = 0; i < 3; i++) SLI_EXPECT(sl_run(session, SL_FEED(model.x, &(float){0}), SL_TARGET(model.train)));
    if (recovers) SLI_EXPECT(sl_run(session, SL_FEED(model.x, &(float){1}), SL_TARGET(model.train)));
    SLI_EXPECT(!sl_should_stop(session));
    SLI_EXPECT_INT(sl_session_close(session), recovers ? 0 : 1);
    char *said = capture_end(&capture);
    SLI_EXPECT_INT(count_in_text(said, "warning: the loss is infinite at global step"), 1);
    SLI_EXPECT_INT(count_in_text(said, "Model diverged with loss = Inf."), recovers ? 0 : 1);
    free(said);
    sl_scope_release(model.scope);
  }
}

typedef struct {
  TF_Session *session;
  TF_Operation *count;
  int64_t steps;
} other_t;

// Plays another worker.
static void *train_elsewhere(void *argument) {
  other_t *other = argument;
  const TF_Operation *targets[] = {other->count};
  TF_Status *status = TF_NewStatus();
  for (int64_t i = 0; i < other->steps; i++)
    TF_SessionRun(other->session, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, 1, NULL, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  TF_DeleteStatus(status);
  return NULL;
}

SLI_TEST(test_waiter_delays_the_first_step_until_others_have_trained) {
  model_t model = build();
  sl_hook_t *hooks[] = {sl_global_step_waiter_hook(7)};
  sl_session_t *session = open_session(&model, NULL, hooks, 1);
  other_t other = {sl_session_handle(session), model.count, 7};
  pthread_t thread;
  SLI_REQUIRE(pthread_create(&thread, NULL, train_elsewhere, &other) == 0);
  SLI_EXPECT(sl_run(session, SL_TARGET(model.train)));
  int64_t step = 0;
  SLI_EXPECT(sl_run(session, SL_FETCH(model.step, &step)));
  SLI_EXPECT_INT(step, 8);
  pthread_join(thread, NULL);
  SLI_EXPECT(sl_run(session, SL_TARGET(model.train)));  // does not wait again
  close_session(&model, session, 0);
}

SLI_TEST(test_waiter_gives_up_when_the_step_does_not_change) {
  model_t model = build();
  sl_hook_t *hooks[] = {sl_global_step_waiter_hook(7)};
  sl_session_t *session = sl_monitored_training_session(model.scope, NULL, .log_steps = -1, .hooks = hooks,
                                                        .hook_count = 1, .max_wait_secs = 0.3);
  capture_t capture = capture_begin("waiter.log");
  SLI_EXPECT(!sl_run(session, SL_TARGET(model.train)));
  char *said = capture_end(&capture);
  SLI_EXPECT_CONTAINS(said, "Waiting for global step 7 before starting training. Current step: 0");
  SLI_EXPECT_CONTAINS(sl_session_error(session), "gave up waiting for global step 7: it stays at 0");
  free(said);
  close_session(&model, session, 1);
}

SLI_TEST(test_a_nan_may_end_the_training_in_order) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output loss = sl_log(s, sl_scalar(s, TF_FLOAT, -1));
  sl_hook_t *hooks[] = {sl_nan_tensor_hook(loss, true)};
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1, .hooks = hooks, .hook_count = 1);
  SLI_EXPECT(sl_run(session, SL_TARGET(loss.oper)));
  SLI_EXPECT(sl_should_stop(session));
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(s);
}

static void feed_two(void *context, sl_session_t *session, sl_step_t *step) {
  int64_t dims[] = {2};
  sl_step_feed(step, *(TF_Output *)context, TF_AllocateTensor(TF_FLOAT, dims, 1, 2 * sizeof(float)));
}

SLI_TEST(test_what_a_hook_feeds_is_checked) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(3), .name = "x");
  TF_Operation *target = sl_identity(s, x).oper;
  sl_hook_t *hooks[] = {sl_feed_hook(feed_two, &x)};
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1, .hooks = hooks, .hook_count = 1);
  SLI_EXPECT(!sl_run(session, SL_TARGET(target)));
  SLI_EXPECT_CONTAINS(sl_session_error(session),
                      "Cannot feed value of shape (2,) for Tensor 'x:0', which has shape '(3,)'");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(s);
}

// --- Files ---

SLI_TEST(test_checkpoint_saver_saves_every_so_many_steps_under_its_name) {
  char *directory = temporary("saver/deep");
  model_t model = build();
  sl_hook_t *hooks[] = {sl_checkpoint_saver_hook(directory, .save_steps = 4, .basename = "mine")};
  sl_session_t *session = open_session(&model, NULL, hooks, 1);
  SLI_EXPECT_INT(train(&model, session, 10), 10);
  close_session(&model, session, 0);
  SLI_EXPECT(has_file(directory, "mine-0.index"));
  SLI_EXPECT(has_file(directory, "mine-10.index"));
  SLI_EXPECT(has_file(directory, "mine-4.index") || has_file(directory, "mine-5.index"));
  SLI_EXPECT(!has_file(directory, "mine-1.index") && !has_file(directory, "mine-2.index"));
  free(directory);
}

SLI_TEST(test_checkpoint_saver_by_the_clock_and_never) {
  for (int never = 0; never < 2; never++) {
    char *directory = temporary(never ? "never" : "always");
    model_t model = build();
    sl_hook_t *hooks[] = {sl_checkpoint_saver_hook(directory, .save_secs = never ? -1 : 1e-9)};
    sl_session_t *session = open_session(&model, NULL, hooks, 1);
    SLI_EXPECT_INT(train(&model, session, 3), 3);
    close_session(&model, session, 0);
    SLI_EXPECT_INT(has_file(directory, "model.ckpt-2.index"), !never);
    SLI_EXPECT(has_file(directory, "model.ckpt-0.index") && has_file(directory, "model.ckpt-3.index"));
    free(directory);
  }
}

SLI_TEST(test_summary_saver_and_step_counter_write_event_files_of_their_own) {
  char *summaries = temporary("summaries"), *rates = temporary("rates"), *all = temporary("all-summaries");
  model_t model = build();
  sl_hook_t *hooks[] = {sl_summary_saver_hook(.save_steps = 5, .output_dir = summaries),
                        sl_step_counter_hook(.every_n_steps = 4, .output_dir = rates),
                        sl_summary_saver_hook(.save_steps = 1, .output_dir = all)};
  sl_session_t *session = open_session(&model, NULL, hooks, 3);
  SLI_EXPECT_INT(train(&model, session, 10), 10);
  close_session(&model, session, 0);
  SLI_EXPECT_INT(count_in_files(summaries, "events.out.tfevents.*", "how_bad"), 2);
  SLI_EXPECT_INT(count_in_files(summaries, "events.out.tfevents.*", "global_step/sec"), 0);
  SLI_EXPECT_INT(count_in_files(rates, "events.out.tfevents.*", "global_step/sec"), 2);
  SLI_EXPECT_INT(count_in_files(rates, "events.out.tfevents.*", "how_bad"), 0);
  SLI_EXPECT_INT(count_in_files(all, "events.out.tfevents.*", "how_bad"), 10);
  free(summaries);
  free(rates);
  free(all);
}

SLI_TEST(test_a_session_makes_its_own_of_the_same_hooks) {
  char *directory = temporary("own");
  model_t model = build();
  sl_session_t *session = sl_monitored_training_session(model.scope, NULL, .log_steps = -1, .checkpoint_dir = directory,
                                                        .stop_at_step = 10, .save_summaries_secs = 1e-9,
                                                        .log_step_count_steps = 5, .save_checkpoint_steps = 100);
  SLI_EXPECT_INT(train(&model, session, 100), 10);
  close_session(&model, session, 0);
  // Ten summaries, and the node, its tag and their uses in the graph and in the MetaGraph.
  int in_graph = count_in_files(directory, "events.out.tfevents.*", "how_bad") - 10;
  SLI_EXPECT(in_graph >= 6 && in_graph <= 12);
  // A run may fetch the step before or after its own increment.
  int rates = count_in_files(directory, "events.out.tfevents.*", "global_step/sec");
  SLI_EXPECT(rates == 1 || rates == 2);
  SLI_EXPECT_INT(count_in_files(directory, "events.out.tfevents.*", "model.ckpt-10"), 1);
  free(directory);
}

SLI_TEST(test_a_hook_without_a_directory_is_an_error) {
  model_t model = build();
  sl_hook_t *hooks[] = {sl_summary_saver_hook()};
  sl_session_t *session = open_session(&model, NULL, hooks, 1);
  SLI_EXPECT(sl_should_stop(session));
  SLI_EXPECT_CONTAINS(sl_session_error(session), "needs a directory");
  close_session(&model, session, 1);
}

// Whether the trace at |path| has an event named |name|.
static bool trace_has(const char *path, const char *name) {
  json_error_t error;
  json_t *trace = json_load_file(path, 0, &error), *event;
  size_t i;
  bool found = false;
  json_array_foreach(json_object_get(trace, "traceEvents"), i, event) {
    const char *text = json_string_value(json_object_get(event, "name"));
    found = found || (text && strcmp(text, name) == 0);
  }
  json_decref(trace);
  return found;
}

SLI_TEST(test_profiler_leaves_a_timeline_every_so_many_steps) {
  char *directory = temporary("profile"), *all = temporary("profile-all");
  model_t model = build();
  sl_hook_t *hooks[] = {sl_profiler_hook(.save_steps = 4, .output_dir = directory),
                        sl_profiler_hook(.save_steps = 1, .output_dir = all)};
  sl_session_t *session = open_session(&model, NULL, hooks, 2);
  SLI_EXPECT_INT(train(&model, session, 10), 10);
  close_session(&model, session, 0);
  // All but the first.
  SLI_EXPECT_INT(count_in_files(all, "events.out.tfevents.*", "step_"), 9);
  free(all);
  SLI_EXPECT(!has_file(directory, "timeline-1.json"));
  // The step may be read before or after its increment.
  int steps[2] = {0}, found = 0;
  for (int step = 1; step <= 10; step++) {
    char *name = sli_format("timeline-%d.json", step);
    if (has_file(directory, name) && found < 2) steps[found++] = step;
    free(name);
  }
  SLI_EXPECT_INT(found, 2);
  SLI_EXPECT(steps[0] >= 4 && steps[0] <= 6);
  char *path = sli_format("%s/timeline-%d.json", directory, steps[0]), *tag = sli_format("step_%d", steps[0]);
  SLI_EXPECT(trace_has(path, "ApplyGradientDescent"));
  SLI_EXPECT_INT(count_in_files(directory, "events.out.tfevents.*", tag), 1);
  free(tag);
  free(path);
  free(directory);
}

// --- Logging ---

SLI_TEST(test_logging_prints_values_now_and_then) {
  model_t model = build();
  const float pair[] = {1, 2.5f};
  TF_Output values[] = {model.loss, sl_constant(model.scope, TF_FLOAT, SL_SHAPE(2), pair)};
  const char *tags[] = {"loss", "w"};
  sl_hook_t *hooks[] = {sl_logging_hook(values, 2, .tags = tags, .every_n_iter = 4)};
  sl_session_t *session = open_session(&model, NULL, hooks, 1);
  capture_t capture = capture_begin("logging.log");
  SLI_EXPECT_INT(train(&model, session, 10), 10);
  char *said = capture_end(&capture);
  SLI_EXPECT_INT(count_in_text(said, "\n"), 3);  // the first, the fifth, the ninth step
  SLI_EXPECT_CONTAINS(said, ", loss = 9, w = [1 2.5]\n");
  SLI_EXPECT_INT(count_in_text(said, " sec)\n"), 2);
  free(said);
  close_session(&model, session, 0);
}

SLI_TEST(test_logging_at_the_end_only) {
  model_t model = build();
  sl_hook_t *hooks[] = {sl_logging_hook(&model.step, 1, .at_end = true)};
  sl_session_t *session = open_session(&model, NULL, hooks, 1);
  capture_t capture = capture_begin("end.log");
  SLI_EXPECT_INT(train(&model, session, 3), 3);
  close_session(&model, session, 0);
  char *said = capture_end(&capture);
  SLI_EXPECT_INT(count_in_text(said, "\n"), 1);
  SLI_EXPECT_CONTAINS(said, "global_step/read = 3");
  free(said);
}

SLI_TEST(test_progress_shows_the_loss_and_the_end) {
  model_t model = build();
  sl_hook_t *hooks[] = {sl_progress_hook(.loss = model.loss, .every_steps = 1)};
  capture_t capture = capture_begin("progress.log");
  sl_session_t *session = open_session(&model, NULL, hooks, 1);
  SLI_EXPECT_INT(train(&model, session, 2), 2);
  close_session(&model, session, 0);
  char *said = capture_end(&capture);
  SLI_EXPECT_CONTAINS(said, "local step 1, global step ");
  SLI_EXPECT_CONTAINS(said, ", loss 9.000");
  SLI_EXPECT_CONTAINS(said, "ended at global step ");
  free(said);
}

// Steps go on while a checkpoint is saved; each is whole, and the last one is of the last step.
SLI_TEST(test_checkpoint_saver_saves_in_the_background) {
  char *directory = temporary("background");
  model_t model = build();
  sl_hook_t *hooks[] = {
      sl_checkpoint_saver_hook(directory, .save_steps = 3, .basename = "mine", .in_background = true)};
  sl_session_t *session = open_session(&model, NULL, hooks, 1);
  SLI_EXPECT_INT(train(&model, session, 500), 500);
  close_session(&model, session, 0);
  char *latest = sl_latest_checkpoint(directory), *pattern = sli_format("%s/mine-*.index", directory);
  SLI_EXPECT(latest && strstr(latest, "/mine-500"));
  sli_path_list_t found = {0};
  SLI_EXPECT_OK(sli_file_match(pattern, &found));
  SLI_EXPECT(found.count > 2 && found.count <= 5);
  for (size_t i = 0; i < found.count; i++) {
    char *prefix = sli_strndup(found.items[i], strlen(found.items[i]) - strlen(".index"));
    model_t other = build();
    sl_saver_t *saver = sl_saver(other.scope);
    sl_session_t *plain = sl_session(other.scope);
    TF_Status *status = TF_NewStatus();
    sl_saver_restore(saver, sl_session_handle(plain), prefix, status);
    SLI_EXPECT_INT(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
    close_session(&other, plain, 0);
    free(prefix);
  }
  sli_path_list_deinitialize(&found);
  free(pattern);
  free(latest);
  free(directory);
}

SLI_TEST_MAIN(test_checkpoint_saver_saves_in_the_background,
              test_stop_after_num_steps_counts_from_where_the_session_begins, test_stop_at_step_needs_exactly_one_limit,
              test_stop_at_step_needs_a_global_step, test_a_global_step_that_nothing_advances_is_a_warning,
              test_a_nan_as_progress_ends_the_training_with_an_error,
              test_a_nan_hook_of_the_program_replaces_that_of_the_progress,
              test_an_infinite_loss_is_a_warning_and_at_the_end_an_error,
              test_waiter_delays_the_first_step_until_others_have_trained,
              test_waiter_gives_up_when_the_step_does_not_change, test_a_nan_may_end_the_training_in_order,
              test_what_a_hook_feeds_is_checked, test_checkpoint_saver_saves_every_so_many_steps_under_its_name,
              test_checkpoint_saver_by_the_clock_and_never,
              test_summary_saver_and_step_counter_write_event_files_of_their_own,
              test_a_session_makes_its_own_of_the_same_hooks, test_a_hook_without_a_directory_is_an_error,
              test_profiler_leaves_a_timeline_every_so_many_steps, test_logging_prints_values_now_and_then,
              test_logging_at_the_end_only, test_progress_shows_the_loss_and_the_end)
