// What happens around training steps: stopping, checkpoints, summaries and the
// lines of progress. Order matters: checkpoints come last at the end, when the
// step no longer changes.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/path.h"
#include "train/progress.h"
#include "train/session_internal.h"
#include "train/tensor.h"

static const double nanos = 1e-9;

static void check(sl_session_t *session, TF_Status *status) { sli_session_check(session, sli_status_from_tf(status)); }

static void add(sl_session_t *session, sl_hook_t *hook) { sli_array_push(&session->hooks, hook); }
static void destroy_plain(sl_hook_t *hook) { free(hook); }

// --- Stop at a step ---

// The step that was fetched may be older than the increment of the same run: read again before believing.
static void stop_after_run(sl_hook_t *hook, sl_session_t *session, sl_step_t *step) {
  int64_t last = session->options.stop_at_step, now;
  if (session->step + 1 < last || !sl_session_read_step(session, &now)) return;
  if (now >= last) sl_request_stop(session);
}

static void stop_created(sl_hook_t *hook, sl_session_t *session) {
  if (session->step < session->options.stop_at_step) return;
  sl_request_stop(session);
  if (session->restored_step >= 0)
    sl_session_say(session,
                   "the restored model has %lld steps of %lld: nothing to train; another directory starts anew",
                   (long long)session->step, (long long)session->options.stop_at_step);
}

static void add_stop(sl_session_t *session) {
  sl_hook_t *hook = sli_calloc(1, sizeof(*hook));
  *hook = (sl_hook_t){.after_create_session = stop_created, .after_run = stop_after_run, .release = destroy_plain};
  add(session, hook);
}

// --- Checkpoints ---

typedef struct {
  sl_hook_t base;
  int64_t saved_step;  // -1: none yet
  int64_t saved_nanos;
  double every_secs;  // 0: not by the clock
  int64_t every_steps;
  char *prefix;
} checkpoint_hook_t;

static void save(checkpoint_hook_t *hook, sl_session_t *session, int64_t step) {
  TF_Status *status = TF_NewStatus();
  char *path = NULL;
  sl_saver_save(session->manager->saver, session->handle, hook->prefix, step, &path, status);
  if (path) sl_file_writer_add_checkpoint(session->writer, path, step, status);
  if (TF_GetCode(status) == TF_OK) sl_file_writer_flush(session->writer, status);
  hook->saved_step = step;
  hook->saved_nanos = sli_now_nanos();
  free(path);
  check(session, status);
}

static void checkpoint_created(sl_hook_t *base, sl_session_t *session) {
  checkpoint_hook_t *hook = (checkpoint_hook_t *)base;
  hook->saved_nanos = sli_now_nanos();
  if (session->restored_step >= 0)
    hook->saved_step = session->restored_step;
  else
    save(hook, session, session->step);
}

static void checkpoint_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  checkpoint_hook_t *hook = (checkpoint_hook_t *)base;
  double seconds = (double)(sli_now_nanos() - hook->saved_nanos) * nanos;
  bool due = (hook->every_secs > 0 && seconds >= hook->every_secs) ||
             (hook->every_steps > 0 && session->step - hook->saved_step >= hook->every_steps);
  int64_t now;
  if (due && sl_session_read_step(session, &now)) save(hook, session, now);
}

static void checkpoint_end(sl_hook_t *base, sl_session_t *session) {
  checkpoint_hook_t *hook = (checkpoint_hook_t *)base;
  int64_t now;
  if (sl_session_read_step(session, &now) && now != hook->saved_step) save(hook, session, now);
}

static void destroy_checkpoint(sl_hook_t *base) {
  checkpoint_hook_t *hook = (checkpoint_hook_t *)base;
  free(hook->prefix);
  free(hook);
}

static void add_checkpoint(sl_session_t *session) {
  const sl_session_options_t *options = &session->options;
  checkpoint_hook_t *hook = sli_calloc(1, sizeof(*hook));
  hook->base = (sl_hook_t){.after_create_session = checkpoint_created,
                           .after_run = checkpoint_after_run,
                           .end = checkpoint_end,
                           .release = destroy_checkpoint};
  hook->saved_step = -1;
  hook->every_steps = options->save_checkpoint_steps;
  hook->every_secs = options->save_checkpoint_secs;
  if (hook->every_secs == 0 && hook->every_steps == 0) hook->every_secs = 600;
  hook->prefix = sli_path_join(session->checkpoint_dir, "model.ckpt");
  add(session, &hook->base);
}

// --- Summaries, and the step rate among them ---

typedef struct {
  sl_hook_t base;
  int64_t every_steps;
  int64_t next_step;
  size_t position;  // of the summary among the step's values
  bool asked;
  int64_t rate_step, rate_nanos;
} summary_hook_t;

static void summary_created(sl_hook_t *base, sl_session_t *session) {
  summary_hook_t *hook = (summary_hook_t *)base;
  TF_Status *status = TF_NewStatus();
  if (hook->rate_nanos == 0) sl_file_writer_add_graph(session->writer, session->scope->graph, status);
  check(session, status);
  hook->next_step = session->step;
  hook->rate_step = session->step;
  hook->rate_nanos = sli_now_nanos();
}

static void summary_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  summary_hook_t *hook = (summary_hook_t *)base;
  TF_Output merged = session->manager->scaffold.summary_op;  // empty: the rate alone
  hook->asked = merged.oper && session->step >= hook->next_step;
  if (hook->asked) hook->position = sl_step_fetch(step, merged);
}

static void write_rate(summary_hook_t *hook, sl_session_t *session, TF_Status *status) {
  int64_t now = sli_now_nanos();
  double seconds = (double)(now - hook->rate_nanos) * nanos;
  if (session->step - hook->rate_step < hook->every_steps || seconds <= 0) return;
  double rate = (double)(session->step - hook->rate_step) / seconds;
  sl_file_writer_add_scalar(session->writer, "global_step/sec", (float)rate, session->step, status);
  hook->rate_step = session->step;
  hook->rate_nanos = now;
}

static void summary_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  summary_hook_t *hook = (summary_hook_t *)base;
  TF_Status *status = TF_NewStatus();
  if (hook->asked) {
    const TF_TString *text = TF_TensorData(step->values[hook->position]);
    sl_file_writer_add_summary(session->writer, TF_StringGetDataPointer(text), TF_StringGetSize(text), session->step,
                               status);
    if (TF_GetCode(status) == TF_OK) sl_file_writer_flush(session->writer, status);  // for who looks on
    hook->next_step = session->step + hook->every_steps;
  }
  if (TF_GetCode(status) == TF_OK) write_rate(hook, session, status);
  check(session, status);
}

static void add_summary(sl_session_t *session) {
  summary_hook_t *hook = sli_calloc(1, sizeof(*hook));
  int64_t every = session->options.save_summaries_steps;
  hook->base = (sl_hook_t){.after_create_session = summary_created,
                           .before_run = summary_before_run,
                           .after_run = summary_after_run,
                           .release = destroy_plain};
  hook->every_steps = every ? every : 100;
  add(session, &hook->base);
}

// --- Progress ---

typedef struct {
  sl_hook_t base;
  sli_progress_t progress;
  bool started, ended;
  size_t position;
} progress_hook_t;

static void show(sli_string_t *text) {
  if (text->size) fwrite(text->data, 1, text->size, stderr);
  sli_string_deinitialize(text);
}

static void progress_created(sl_hook_t *base, sl_session_t *session) {
  progress_hook_t *hook = (progress_hook_t *)base;
  if (!hook->started) sli_progress_start(&hook->progress, session->step, sli_now_nanos());
  hook->started = true;
}

static void progress_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  progress_hook_t *hook = (progress_hook_t *)base;
  if (session->options.progress.oper) hook->position = sl_step_fetch(step, session->options.progress);
}

static void progress_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  progress_hook_t *hook = (progress_hook_t *)base;
  if (session->options.progress.oper)
    hook->progress.has_loss = TF_TensorElementCount(step->values[hook->position]) == 1 &&
                              sli_tensor_to_double(step->values[hook->position], 0, &hook->progress.loss);
  sli_string_t line = {0};
  sli_progress_step(&hook->progress, session->step, step->examples, sli_now_nanos(), &line);
  show(&line);
}

// Before the program goes on to print what it has learnt.
static void progress_stopped(sl_hook_t *base, sl_session_t *session) {
  progress_hook_t *hook = (progress_hook_t *)base;
  hook->progress.global_step = session->step;
  sli_string_t line = {0};
  if (hook->started && !hook->ended) sli_progress_end(&hook->progress, sli_now_nanos(), &line);
  hook->ended = true;
  show(&line);
}

static void add_progress(sl_session_t *session) {
  progress_hook_t *hook = sli_calloc(1, sizeof(*hook));
  int64_t every = session->options.log_steps;
  hook->base = (sl_hook_t){.after_create_session = progress_created,
                           .before_run = progress_before_run,
                           .after_run = progress_after_run,
                           .stopped = progress_stopped,
                           .end = progress_stopped,
                           .release = destroy_plain};
  hook->progress = (sli_progress_t){.title = session->own_title,
                                    .last_step = session->options.stop_at_step,
                                    .terminal = isatty(STDERR_FILENO),
                                    .every_steps = every ? every : 100};
  add(session, &hook->base);
}

void sli_session_add_hooks(sl_session_t *session) {
  const sl_session_options_t *options = &session->options;
  if (options->stop_at_step > 0) add_stop(session);
  if (session->checkpoint_dir && options->save_summaries_steps >= 0) add_summary(session);
  if (options->log_steps >= 0) add_progress(session);
  if (session->checkpoint_dir) add_checkpoint(session);
}
