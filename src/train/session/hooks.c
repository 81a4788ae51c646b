// The hooks that training sessions create themselves, the functions that all built-in
// hooks share, and the hooks that delay, stop and show the training. The order of the
// session's hooks matters: the checkpoint hook is last, when the step no longer changes.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/file/file.h"
#include "train/common/call_options.h"
#include "train/common/progress.h"
#include "train/common/tf_tensor.h"
#include "train/session/hooks_internal.h"

static const double nanos = 1e-9;

// --- Shared by all hooks ---

sl_hook_t *sli_hook_create(size_t size, void (*release)(sl_hook_t *hook)) {
  sl_hook_t *hook = sli_calloc(1, size);
  hook->struct_size = sizeof(*hook);
  hook->release = release;
  return hook;
}

void sli_hook_free(sl_hook_t *hook) { free(hook); }

sli_hook_timer_t sli_hook_timer_create(int64_t every_steps, double every_secs) {
  return (sli_hook_timer_t){.every_steps = every_steps || every_secs != 0 ? every_steps : 100,
                            .every_secs = every_secs};
}

bool sli_hook_timer_is_due(const sli_hook_timer_t *timer, int64_t step) {
  if (!timer->started) return true;
  if (timer->every_steps > 0 && step - timer->step >= timer->every_steps) return true;
  return timer->every_secs > 0 && (double)(sli_clock_now_nanos() - timer->nanos) * nanos >= timer->every_secs;
}

double sli_hook_timer_mark(sli_hook_timer_t *timer, int64_t step) {
  int64_t now = sli_clock_now_nanos();
  double seconds = timer->started ? (double)(now - timer->nanos) * nanos : 0;
  timer->started = true;
  timer->step = step;
  timer->nanos = now;
  return seconds;
}

void sli_hook_output_initialize(sli_hook_output_t *output, const char *directory) {
  output->directory = directory ? sli_strdup(directory) : NULL;
}

const char *sli_hook_output_directory(sli_hook_output_t *output, sl_session_t *session) {
  if (!output->directory) {
    if (!session->checkpoint_dir && session->is_chief)
      sli_train_session_fail(
          session, NULL, 0,
          sli_status_make(SLI_INVALID_ARGUMENT,
                          "a hook that writes files needs a directory: set its own, or the session's "
                          "checkpoint_dir"));
    return session->checkpoint_dir;
  }
  if (output->ready) return output->directory;
  sli_status_t *status = sli_file_make_directories(output->directory);
  if (status) {
    sli_train_session_fail(session, NULL, 0, status);
    return NULL;
  }
  char *absolute = sli_file_absolute_path(output->directory);
  free(output->directory);
  output->directory = absolute;
  output->ready = true;
  return absolute;
}

sl_file_writer_t *sli_hook_output_writer(sli_hook_output_t *output, sl_session_t *session) {
  const char *directory = sli_hook_output_directory(output, session);
  if (!directory || !output->directory || output->own) return output->directory ? output->own : session->writer;
  TF_Status *status = TF_NewStatus();
  output->own = sl_file_writer_open(directory, status);
  sli_hook_check_status(session, status);
  return output->own;
}

void sli_hook_output_deinitialize(sli_hook_output_t *output) {
  TF_Status *status = TF_NewStatus();
  sl_file_writer_close(output->own, status);
  TF_DeleteStatus(status);
  free(output->directory);
}

void sli_hook_check_status(sl_session_t *session, TF_Status *status) {
  sli_train_session_handle_status(session, sli_tf_status_to_status(status));
}

// --- Disks that are full or fail ---

bool sli_hook_is_disk_error(TF_Code code) {
  switch (code) {
    case TF_OK:
    case TF_ABORTED:
    case TF_UNAVAILABLE:
    case TF_CANCELLED:
    case TF_INVALID_ARGUMENT:
    case TF_UNIMPLEMENTED: return false;
    default: return true;
  }
}

bool sli_hook_trouble_is_over(const sli_hook_trouble_t *trouble) {
  return sli_clock_now_nanos() >= trouble->next_nanos;
}

void sli_hook_trouble_begin(sli_hook_trouble_t *trouble, sl_session_t *session, const char *what, const char *why) {
  enum { LONGEST_PAUSE_SECS = 300, DOUBLED = 8 };
  int secs = trouble->failures < DOUBLED ? 1 << trouble->failures : LONGEST_PAUSE_SECS;
  trouble->failures++;
  trouble->next_nanos = sli_clock_deadline_after_millis(secs * INT64_C(1000));
  sl_session_say(session, "%s cannot be written: %s; training goes on, the next try is in %d s", what, why, secs);
}

void sli_hook_trouble_end(sli_hook_trouble_t *trouble, sl_session_t *session, const char *what) {
  if (trouble->failures) sl_session_say(session, "%s can be written again", what);
  *trouble = (sli_hook_trouble_t){0};
}

void sli_hook_check_events(sl_session_t *session, TF_Status *status) {
  static const char what[] = "the event file";
  if (!sli_hook_is_disk_error(TF_GetCode(status))) {
    if (TF_GetCode(status) == TF_OK) sli_hook_trouble_end(&session->events, session, what);
    sli_hook_check_status(session, status);
    return;
  }
  if (sli_hook_trouble_is_over(&session->events))
    sli_hook_trouble_begin(&session->events, session, what, TF_Message(status));
  TF_DeleteStatus(status);
}

// --- Stop at a step ---

typedef struct {
  sl_hook_t base;
  int64_t last_step, num_steps;
  int64_t first_step;  // at which the session begins
  int64_t idle_steps;  // of this task, while the global step stayed there
} stop_hook_t;

static void warn_if_idle(stop_hook_t *hook, sl_session_t *session) {
  enum { PATIENCE_STEPS = 500 };
  if (session->step != hook->first_step || hook->idle_steps >= PATIENCE_STEPS) return;
  if (++hook->idle_steps == PATIENCE_STEPS)
    sl_session_say(session,
                   "warning: the global step is still %lld after %d steps, so the training will not stop at step %lld; "
                   "pass .global_step to sl_minimize or sl_apply_gradients",
                   (long long)session->step, PATIENCE_STEPS, (long long)hook->last_step);
}

// The step that was fetched may have been read before the increment in the same run, so it is read again.
static void stop_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  stop_hook_t *hook = (stop_hook_t *)base;
  int64_t now;
  warn_if_idle(hook, session);
  if (session->step + 1 < hook->last_step || !sl_session_read_step(session, &now)) return;
  if (now >= hook->last_step) sl_request_stop(session);
}

static void stop_created(sl_hook_t *base, sl_session_t *session) {
  stop_hook_t *hook = (stop_hook_t *)base;
  if (!hook->last_step) hook->last_step = session->step + hook->num_steps;
  hook->first_step = session->step;
  if (session->step < hook->last_step) return;
  sl_request_stop(session);
  if (session->restored_step >= 0 || session->manager->continued)
    sl_session_say(session,
                   "the model is at step %lld of %lld: nothing to train. To start anew, delete %s or use another "
                   "directory; to train on, ask for more than %lld steps",
                   (long long)session->step, (long long)hook->last_step,
                   session->checkpoint_dir ? session->checkpoint_dir : "checkpoint_dir", (long long)session->step);
}

static void stop_begin(sl_hook_t *base, sl_session_t *session) {
  const stop_hook_t *hook = (const stop_hook_t *)base;
  if (hook->last_step < 0 || hook->num_steps < 0 || !hook->last_step == !hook->num_steps)
    sli_train_session_fail(session, NULL, 0,
                           sli_status_make(SLI_INVALID_ARGUMENT, "One of num_steps or last_step must be specified."));
  if (session->made_global_step)
    sli_train_session_fail(session, NULL, 0,
                           sli_status_make(SLI_FAILED_PRECONDITION,
                                           "Global step should be created to use StopAtStepHook: call sl_global_step() "
                                           "and pass it to sl_minimize, or do not set stop_at_step"));
}

sl_hook_t *sl_stop_at_step_hook_with(const sl_stop_at_step_options_t *given) {
  SLI_CALL_OPTIONS(sl_stop_at_step_options_t, options, given);
  stop_hook_t *hook = (stop_hook_t *)sli_hook_create(sizeof(*hook), sli_hook_free);
  hook->base.begin = stop_begin;
  hook->base.after_create_session = stop_created;
  hook->base.after_run = stop_after_run;
  hook->last_step = options.last_step;
  hook->num_steps = options.num_steps;
  return &hook->base;
}

// --- Wait for a step ---

typedef struct {
  sl_hook_t base;
  int64_t step;
  bool passed;
} waiter_hook_t;

static void waiter_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  enum { POLL_MILLIS = 200, PRINT_SECONDS = 10 };
  waiter_hook_t *hook = (waiter_hook_t *)base;
  if (hook->passed) return;
  double patience = sli_session_manager_max_wait_secs(session->manager);
  int64_t now, last_seen = -1, moved_nanos = 0, printed_nanos = 0;
  while (sl_session_read_step(session, &now) && now < hook->step && !sli_train_session_is_over(session)) {
    int64_t time = sli_clock_now_nanos();
    if (now != last_seen) moved_nanos = time;
    last_seen = now;
    if ((double)(time - moved_nanos) * nanos > patience) {
      sli_train_session_fail(
          session, NULL, 0,
          sli_status_make(SLI_DEADLINE_EXCEEDED,
                          "gave up waiting for global step %lld: it stays at %lld; check that other workers train",
                          (long long)hook->step, (long long)now));
      return;
    }
    if (!printed_nanos || (double)(time - printed_nanos) * nanos > PRINT_SECONDS) {
      sl_session_say(session, "Waiting for global step %lld before starting training. Current step: %lld",
                     (long long)hook->step, (long long)now);
      printed_nanos = time;
    }
    nanosleep(&(struct timespec){.tv_nsec = POLL_MILLIS * 1000000L}, NULL);
  }
  hook->passed = true;
}

sl_hook_t *sl_global_step_waiter_hook(int64_t step) {
  waiter_hook_t *hook = (waiter_hook_t *)sli_hook_create(sizeof(*hook), sli_hook_free);
  hook->base.before_run = waiter_before_run;
  hook->step = step;
  return &hook->base;
}

// --- Progress ---

typedef struct {
  sl_hook_t base;
  sli_progress_t progress;
  TF_Output loss;
  bool started, ended;
  size_t position;
} progress_hook_t;

static void write_text(sli_string_t *text) {
  if (text->size) fwrite(text->data, 1, text->size, stderr);
  sli_string_deinitialize(text);
}

static void progress_created(sl_hook_t *base, sl_session_t *session) {
  progress_hook_t *hook = (progress_hook_t *)base;
  hook->progress.title = session->own_title;
  if (!hook->started) sli_progress_start(&hook->progress, session->step, sli_clock_now_nanos());
  hook->started = true;
}

static void progress_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  progress_hook_t *hook = (progress_hook_t *)base;
  if (hook->loss.oper) hook->position = sl_step_fetch(step, hook->loss);
}

static void progress_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  progress_hook_t *hook = (progress_hook_t *)base;
  if (hook->loss.oper)
    hook->progress.has_loss = TF_TensorElementCount(step->values[hook->position]) == 1 &&
                              sli_tf_tensor_to_double(step->values[hook->position], 0, &hook->progress.loss);
  sli_string_t line = {0};
  sli_progress_step(&hook->progress, session->step, step->examples, sli_clock_now_nanos(), &line);
  write_text(&line);
}

// Prints the last line before the program prints its results.
static void progress_stopped(sl_hook_t *base, sl_session_t *session) {
  progress_hook_t *hook = (progress_hook_t *)base;
  hook->progress.global_step = session->step;
  sli_string_t line = {0};
  if (hook->started && !hook->ended) sli_progress_end(&hook->progress, sli_clock_now_nanos(), &line);
  hook->ended = true;
  write_text(&line);
}

sl_hook_t *sl_progress_hook_with(const sl_progress_options_t *given) {
  SLI_CALL_OPTIONS(sl_progress_options_t, options, given);
  progress_hook_t *hook = (progress_hook_t *)sli_hook_create(sizeof(*hook), sli_hook_free);
  hook->base.after_create_session = progress_created;
  hook->base.before_run = progress_before_run;
  hook->base.after_run = progress_after_run;
  hook->base.stopped = progress_stopped;
  hook->base.end = progress_stopped;
  hook->loss = options.loss;
  hook->progress = (sli_progress_t){.last_step = options.last_step,
                                    .terminal = isatty(STDERR_FILENO),
                                    .every_steps = options.every_steps ? options.every_steps : 100};
  return &hook->base;
}

// --- The hooks of a session ---

void sli_train_session_add_hooks(sl_session_t *session) {
  const sl_session_options_t *options = &session->options;
  // A worker may become the chief: see session_claim.h.
  bool given = options->checkpoint_dir && options->checkpoint_dir[0];
  bool writes = session->checkpoint_dir != NULL || (given && session->claim.cluster);
  if (options->stop_at_step > 0)
    sli_train_session_add_hook(session, sl_stop_at_step_hook(.last_step = options->stop_at_step), false);
  bool checked = !options->progress.oper;
  for (size_t i = 0; i < session->hooks.count && !checked; i++)
    checked = sli_hook_is_nan_hook(session->hooks.items[i], options->progress);
  if (!checked) sli_train_session_add_hook(session, sli_hook_create_divergence(options->progress), false);
  if (writes && options->log_step_count_steps >= 0)
    sli_train_session_add_hook(session, sl_step_counter_hook(.every_n_steps = options->log_step_count_steps), true);
  if (writes && options->save_summaries_steps >= 0)
    sli_train_session_add_hook(
        session,
        sl_summary_saver_hook(.save_steps = options->save_summaries_steps, .save_secs = options->save_summaries_secs),
        true);
  if (options->log_steps >= 0)
    sli_train_session_add_hook(session,
                               sl_progress_hook(.loss = options->progress, .every_steps = options->log_steps,
                                                .last_step = options->stop_at_step),
                               false);
  if (writes)
    sli_train_session_add_hook(session,
                               sl_checkpoint_saver_hook(NULL, .save_secs = options->save_checkpoint_secs,
                                                        .save_steps = options->save_checkpoint_steps,
                                                        .in_background = options->save_in_background),
                               true);
}
