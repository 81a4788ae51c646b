// Hooks that write files: checkpoints, summaries, the step rate and traces.
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "io/file/path.h"
#include "sluice/trace.h"
#include "train/common/call_options.h"
#include "train/session/hooks_internal.h"

// --- Checkpoints ---

// A save in a thread of its own.
typedef struct {
  pthread_t thread;
  bool running;      // the thread was started and not joined
  atomic_bool done;  // it has ended; the results are below
  sl_saver_t *saver;
  TF_Session *handle;
  int64_t step;
  char *prefix, *path;
  TF_Status *status;
} background_save_t;

typedef struct {
  sl_hook_t base;
  sli_hook_timer_t timer;
  bool in_background;
  background_save_t background;
  bool saved;      // a checkpoint of timer.step exists
  bool has_saved;  // or restored one
  sli_hook_trouble_t trouble;
  bool wrote_graph;
  sl_saver_t *saver;
  sli_hook_output_t output;
  char *basename;
} checkpoint_hook_t;

// Records the checkpoint in the session's event file, wherever the checkpoint is.
static void log_checkpoint(sl_session_t *session, const char *path, int64_t step) {
  if (!session->writer) return;
  TF_Status *status = TF_NewStatus();
  sl_file_writer_add_checkpoint(session->writer, path, step, status);
  if (TF_GetCode(status) == TF_OK) sl_file_writer_flush(session->writer, status);
  sli_hook_check_events(session, status);
}

static sl_saver_t *saver_of(const checkpoint_hook_t *hook, const sl_session_t *session) {
  return hook->saver ? hook->saver : session->manager->saver;
}

// Writes the graph to the directory, and to the event file for TensorBoard.
static void write_graph_files(checkpoint_hook_t *hook, sl_session_t *session, TF_Status *status) {
  const char *directory = sli_hook_output_directory(&hook->output, session);
  if (directory) sl_write_graph(session->scope->graph, directory, "graph.pbtxt", true, status);
  if (!session->writer || TF_GetCode(status) != TF_OK) return;
  sl_file_writer_add_graph(session->writer, session->scope->graph, status);
  if (TF_GetCode(status) == TF_OK)
    sl_file_writer_add_meta_graph(session->writer, session->scope, saver_of(hook, session), status);
}

typedef enum { SAVE_FIRST, SAVE_USUAL, SAVE_LAST } save_kind_t;

// Handles the result of a save; deletes |status| and frees |path|. The first checkpoint must be saved, and the last
// one: if another one cannot, the training goes on, and it is tried again.
static void finish_save(checkpoint_hook_t *hook, sl_session_t *session, int64_t step, save_kind_t kind, char *path,
                        TF_Status *status) {
  bool is_disk = hook->has_saved && sli_hook_is_disk_error(TF_GetCode(status));
  if (is_disk && kind != SAVE_LAST) {
    char *what = sli_format("the checkpoint of step %lld", (long long)step);
    sli_hook_trouble_begin(&hook->trouble, session, what, TF_Message(status));
    free(what);
    TF_SetStatus(status, TF_OK, "");
    hook->saved = false;
  } else {
    sli_hook_timer_mark(&hook->timer, step);
    hook->saved = TF_GetCode(status) == TF_OK;
  }
  if (path) {
    sli_hook_trouble_end(&hook->trouble, session, "checkpoints");
    hook->has_saved = true;
    log_checkpoint(session, path, step);
  }
  free(path);
  sli_hook_check_status(session, status);
}

static void *save_main(void *argument) {
  background_save_t *save = argument;
  sl_saver_save(save->saver, save->handle, save->prefix, save->step, &save->path, save->status);
  atomic_store(&save->done, true);
  return NULL;
}

// Waits for the thread, if there is one, and handles its result.
static void join_background(checkpoint_hook_t *hook, sl_session_t *session, bool is_closing) {
  background_save_t *save = &hook->background;
  if (!save->running) return;
  pthread_join(save->thread, NULL);
  save->running = false;
  free(save->prefix);
  if (is_closing && TF_GetCode(save->status) != TF_OK) {  // a session that is being closed cannot recover
    TF_DeleteStatus(save->status);
    return;
  }
  finish_save(hook, session, save->step, SAVE_USUAL, save->path, save->status);
}

static bool start_background(checkpoint_hook_t *hook, sl_session_t *session, sl_saver_t *saver, const char *prefix,
                             int64_t step) {
  background_save_t *save = &hook->background;
  hook->saved = false;
  *save = (background_save_t){
      .saver = saver, .handle = session->handle, .step = step, .prefix = sli_strdup(prefix), .status = TF_NewStatus()};
  save->running = pthread_create(&save->thread, NULL, save_main, save) == 0;
  if (save->running) return true;
  free(save->prefix);
  TF_DeleteStatus(save->status);
  return false;
}

static void save_session(checkpoint_hook_t *hook, sl_session_t *session, int64_t step, save_kind_t kind) {
  const char *directory = sli_hook_output_directory(&hook->output, session);
  if (!directory || (session->is_chief && !sli_train_session_confirm_chief(session))) return;
  char *prefix = sli_path_join(directory, hook->basename), *path = NULL;
  sl_saver_t *saver = saver_of(hook, session);
  bool started =
      saver && kind == SAVE_USUAL && hook->in_background && start_background(hook, session, saver, prefix, step);
  if (!started) {
    TF_Status *status = TF_NewStatus();
    if (saver)
      sl_saver_save(saver, session->handle, prefix, step, &path, status);
    else
      TF_SetStatus(status, TF_INVALID_ARGUMENT, "No variables to save");
    finish_save(hook, session, step, kind, path, status);
  }
  free(prefix);
}

static void checkpoint_created(sl_hook_t *base, sl_session_t *session) {
  checkpoint_hook_t *hook = (checkpoint_hook_t *)base;
  TF_Status *status = TF_NewStatus();
  if (!hook->wrote_graph) write_graph_files(hook, session, status);
  hook->wrote_graph = true;
  sli_hook_check_status(session, status);
  if (session->restored_step >= 0) {
    sli_hook_timer_mark(&hook->timer, session->restored_step);
    hook->saved = hook->has_saved = true;
  } else {
    hook->has_saved = hook->has_saved || session->manager->continued;
    save_session(hook, session, session->step, SAVE_FIRST);
  }
}

static void checkpoint_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  checkpoint_hook_t *hook = (checkpoint_hook_t *)base;
  int64_t now;
  if (hook->background.running && !atomic_load(&hook->background.done)) return;
  join_background(hook, session, false);
  bool due = sli_hook_timer_is_due(&hook->timer, session->step) || hook->trouble.failures;
  if (due && sli_hook_trouble_is_over(&hook->trouble) && sl_session_read_step(session, &now))
    save_session(hook, session, now, SAVE_USUAL);
}

// The last checkpoint is tried a few times.
static void checkpoint_end(sl_hook_t *base, sl_session_t *session) {
  enum { TRIES = 3 };
  checkpoint_hook_t *hook = (checkpoint_hook_t *)base;
  int64_t now;
  join_background(hook, session, false);
  for (int i = 1; i <= TRIES; i++) {
    if (!sl_session_read_step(session, &now) || (hook->saved && now == hook->timer.step)) return;
    save_session(hook, session, now, i == TRIES ? SAVE_LAST : SAVE_FIRST);
    if (!hook->saved) nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  }
}

static void checkpoint_before_close(sl_hook_t *base, sl_session_t *session) {
  join_background((checkpoint_hook_t *)base, session, true);
}

static void checkpoint_release(sl_hook_t *base) {
  checkpoint_hook_t *hook = (checkpoint_hook_t *)base;
  sli_hook_output_deinitialize(&hook->output);
  free(hook->basename);
  free(hook);
}

sl_hook_t *sl_checkpoint_saver_hook_with(const char *directory, const sl_checkpoint_saver_options_t *given) {
  SLI_CALL_OPTIONS(sl_checkpoint_saver_options_t, options, given);
  checkpoint_hook_t *hook = (checkpoint_hook_t *)sli_hook_create(sizeof(*hook), checkpoint_release);
  hook->base.after_create_session = checkpoint_created;
  hook->base.after_run = checkpoint_after_run;
  hook->base.end = checkpoint_end;
  hook->base.before_close = checkpoint_before_close;
  hook->in_background = options.in_background;
  bool neither = options.save_secs == 0 && options.save_steps == 0;
  hook->timer = sli_hook_timer_create(options.save_steps, neither ? 600 : options.save_secs);
  hook->saver = options.saver;
  hook->basename = sli_strdup(options.basename ? options.basename : "model.ckpt");
  sli_hook_output_initialize(&hook->output, directory);
  return &hook->base;
}

// --- Event files ---

typedef struct {
  sl_hook_t base;
  sli_hook_timer_t timer;
  sli_hook_output_t output;
  sl_file_writer_t *writer;  // NULL: this task writes none
  TF_Output summary_op;      // of a summary hook; empty: the scaffold's
  size_t position;           // of the summary among the step's values
  bool asked;                // the current step is to be written
  bool ran;                  // a step of this session has run
} event_hook_t;

static void event_hook_release(sl_hook_t *base) {
  event_hook_t *hook = (event_hook_t *)base;
  sli_hook_output_deinitialize(&hook->output);
  free(hook);
}

static event_hook_t *event_hook_create(int64_t every_steps, double every_secs, const char *directory) {
  event_hook_t *hook = (event_hook_t *)sli_hook_create(sizeof(*hook), event_hook_release);
  hook->timer = sli_hook_timer_create(every_steps, every_secs);
  sli_hook_output_initialize(&hook->output, directory);
  return hook;
}

// Starts the timer: the first step is slower than the others and not counted.
static void event_hook_created(sl_hook_t *base, sl_session_t *session) {
  event_hook_t *hook = (event_hook_t *)base;
  hook->writer = sli_hook_output_writer(&hook->output, session);
  sli_hook_timer_mark(&hook->timer, session->step);
  hook->ran = false;
}

// Whether the step that is about to run is due.
static bool is_due_now(const event_hook_t *hook, const sl_session_t *session) {
  return sli_hook_timer_is_due(&hook->timer, session->step + 1);
}

// --- Summaries ---

static void summary_created(sl_hook_t *base, sl_session_t *session) {
  event_hook_t *hook = (event_hook_t *)base;
  event_hook_created(base, session);
  hook->timer.started = false;  // the first step is due, too
  if (!hook->writer) return;
  TF_Status *status = TF_NewStatus();
  sl_file_writer_add_session_start(hook->writer, session->step, status);
  sli_hook_check_events(session, status);
}

static void summary_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  event_hook_t *hook = (event_hook_t *)base;
  TF_Output summary = hook->summary_op.oper ? hook->summary_op : session->manager->scaffold.summary_op;
  hook->asked = hook->writer && summary.oper && is_due_now(hook, session);
  if (hook->asked) hook->position = sl_step_fetch(step, summary);
}

static void summary_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  event_hook_t *hook = (event_hook_t *)base;
  if (!hook->asked) return;
  TF_Status *status = TF_NewStatus();
  const TF_Tensor *value = sl_step_value(step, hook->position);
  if (TF_TensorType(value) != TF_STRING || TF_TensorElementCount(value) != 1) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "summary_op must return one serialized summary (a string)");
  } else {
    const TF_TString *text = TF_TensorData(value);
    sl_file_writer_add_summary(hook->writer, TF_StringGetDataPointer(text), TF_StringGetSize(text), session->step,
                               status);
  }
  if (TF_GetCode(status) == TF_OK) sl_file_writer_flush(hook->writer, status);  // for readers of the file
  sli_hook_timer_mark(&hook->timer, session->step);
  sli_hook_check_events(session, status);
}

sl_hook_t *sl_summary_saver_hook_with(const sl_summary_saver_options_t *given) {
  SLI_CALL_OPTIONS(sl_summary_saver_options_t, options, given);
  event_hook_t *hook = event_hook_create(options.save_steps, options.save_secs, options.output_dir);
  hook->base.after_create_session = summary_created;
  hook->base.before_run = summary_before_run;
  hook->base.after_run = summary_after_run;
  hook->summary_op = options.summary_op;
  return &hook->base;
}

// --- The step rate ---

static void counter_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  event_hook_t *hook = (event_hook_t *)base;
  int64_t steps = session->step - hook->timer.step;
  if (!hook->writer || steps <= 0 || !sli_hook_timer_is_due(&hook->timer, session->step)) return;
  double seconds = sli_hook_timer_mark(&hook->timer, session->step);
  if (seconds <= 0) return;
  TF_Status *status = TF_NewStatus();
  sl_file_writer_add_scalar(hook->writer, "global_step/sec", (float)((double)steps / seconds), session->step, status);
  if (TF_GetCode(status) == TF_OK) sl_file_writer_flush(hook->writer, status);
  sli_hook_check_events(session, status);
}

sl_hook_t *sl_step_counter_hook_with(const sl_step_counter_options_t *given) {
  SLI_CALL_OPTIONS(sl_step_counter_options_t, options, given);
  event_hook_t *hook = event_hook_create(options.every_n_steps, options.every_n_secs, options.output_dir);
  hook->base.after_create_session = event_hook_created;
  hook->base.after_run = counter_after_run;
  return &hook->base;
}

// --- Traces ---

static void profiler_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  event_hook_t *hook = (event_hook_t *)base;
  hook->asked = hook->writer && hook->ran && is_due_now(hook, session);
  if (hook->asked) sl_step_trace(step);
}

static void profiler_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  event_hook_t *hook = (event_hook_t *)base;
  int64_t now;
  hook->ran = true;
  if (!hook->asked || !sl_session_read_step(session, &now)) return;
  const char *directory = sli_hook_output_directory(&hook->output, session);
  char *path = sli_format("%s/timeline-%lld.json", directory, (long long)now);
  char *tag = sli_format("step_%lld", (long long)now);
  TF_Status *status = TF_NewStatus();
  sl_trace_write(path, sl_step_metadata(step), sli_session_manager_target(session->manager), status);
  if (TF_GetCode(status) == TF_OK)
    sl_file_writer_add_run_metadata(hook->writer, sl_step_metadata(step), tag, now, status);
  if (TF_GetCode(status) == TF_OK) sl_file_writer_flush(hook->writer, status);
  free(tag);
  free(path);
  sli_hook_timer_mark(&hook->timer, now);
  sli_hook_check_events(session, status);
}

sl_hook_t *sl_profiler_hook_with(const sl_profiler_options_t *given) {
  SLI_CALL_OPTIONS(sl_profiler_options_t, options, given);
  event_hook_t *hook = event_hook_create(options.save_steps, options.save_secs, options.output_dir);
  hook->base.after_create_session = event_hook_created;
  hook->base.before_run = profiler_before_run;
  hook->base.after_run = profiler_after_run;
  return &hook->base;
}
