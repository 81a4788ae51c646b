// Hooks are called around training steps, as tf.train.SessionRunHook. A hook is a
// struct of functions; it is the first field of a struct with the state of the hook.
//
//   typedef struct { sl_hook_t base; TF_Output loss; size_t position; } watcher_t;
//   static void before(sl_hook_t *hook, sl_session_t *session, sl_step_t *step) {
//     watcher_t *watcher = (watcher_t *)hook;
//     watcher->position = sl_step_fetch(step, watcher->loss);
//   }
#ifndef SLUICE_HOOKS_H_
#define SLUICE_HOOKS_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/session.h"
#include "sluice/summary.h"

SL_BEGIN_DECLS

// One training step, between before_run and after_run.
typedef struct sl_step sl_step_t;

// Functions may be NULL. All but |watch| run on the program's thread. A hook reports an error with sl_session_fail()
// and ends the training with sl_request_stop(). Hooks are called in the order in which they were given.
struct sl_hook {
  size_t struct_size;
  // Called before the session is opened; may still add nodes to the graph (sl_session_scope).
  void (*begin)(sl_hook_t *hook, sl_session_t *session);
  // The variables are ready. Called again after each recovery.
  void (*after_create_session)(sl_hook_t *hook, sl_session_t *session);
  // Called before and after each run that has a target. after_run is not called for a run that failed.
  void (*before_run)(sl_hook_t *hook, sl_session_t *session, sl_step_t *step);
  void (*after_run)(sl_hook_t *hook, sl_session_t *session, sl_step_t *step);
  // sl_should_stop() has returned true for the first time.
  void (*stopped)(sl_hook_t *hook, sl_session_t *session);
  // The training has ended without an error; the session is still open.
  void (*end)(sl_hook_t *hook, sl_session_t *session);
  // The TensorFlow session is about to be closed: at the end, after an error, or because a task was lost. Called once
  // for each after_create_session. Threads that use the session must end.
  void (*before_close)(sl_hook_t *hook, sl_session_t *session);
  // Called several times a second on another thread while the session is open, also while a step runs.
  void (*watch)(sl_hook_t *hook, sl_session_t *session);
  // The last call: releases the hook.
  void (*release)(sl_hook_t *hook);
  // A run failed with TF_OUT_OF_RANGE, the end of an input. Returns whether the training ends now.
  bool (*input_ended)(sl_hook_t *hook, sl_session_t *session);
};

// --- For hooks ---

// Fetches |output| with the step. Returns the position of its value.
SL_EXPORT size_t sl_step_fetch(sl_step_t *step, TF_Output output);
// The value at |position| after the run. Owned by the session.
SL_EXPORT const TF_Tensor *sl_step_value(const sl_step_t *step, size_t position);
// Feeds |tensor|, unless the program itself feeds |output|. Takes ownership of |tensor|.
SL_EXPORT void sl_step_feed(sl_step_t *step, TF_Output output, TF_Tensor *tensor);
// Skips the step: sl_run() returns false without an error. For the end of an input, together with sl_request_stop().
SL_EXPORT void sl_step_skip(sl_step_t *step);
// The number of examples in the batch that the program fed; 0 if it is not known.
SL_EXPORT int64_t sl_step_examples(const sl_step_t *step);

// Requests the statistics of the step; and returns them after the run as a serialized RunMetadata, owned by the session
// (NULL if they were not requested). sl_trace_write() writes a timeline from it.
SL_EXPORT void sl_step_trace(sl_step_t *step);
SL_EXPORT const TF_Buffer *sl_step_metadata(const sl_step_t *step);

// Sets the error of the session, unless it has one already. If |status| means a lost task, the session recovers
// instead. The caller keeps |status|.
SL_EXPORT void sl_session_fail(sl_session_t *session, const TF_Status *status);
// Reads the current global step. False after an error, which the session then has.
SL_EXPORT bool sl_session_read_step(sl_session_t *session, int64_t *out_step);
SL_EXPORT sl_scope_t *sl_session_scope(const sl_session_t *session);
SL_EXPORT bool sl_session_is_chief(const sl_session_t *session);
// The event file of the chief in checkpoint_dir; NULL in other tasks or without a directory.
SL_EXPORT sl_file_writer_t *sl_session_writer(const sl_session_t *session);
// Prints "Worker 0: …" as a line on stderr. Thread-safe.
SL_EXPORT void sl_session_say(const sl_session_t *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// --- Built-in hooks: pass them to a session, which releases them: .hooks = (sl_hook_t *[]){…}, .hook_count = … ---
//
// Training sessions create some of these themselves, according to their options. A hook with an interval in steps and
// in seconds acts when one of the two has passed. Strings are copied.

typedef struct {
  size_t struct_size;
  int64_t last_step;  // stop at this global step; or
  int64_t num_steps;  // stop so many global steps after the one at which the session begins
} sl_stop_at_step_options_t;
// Ends the training at a global step, which the graph must have. Set exactly one of the options. Warns if the step does
// not change for 500 steps of this task. As tf.train.StopAtStepHook.
SL_EXPORT sl_hook_t *sl_stop_at_step_hook_with(const sl_stop_at_step_options_t *options);
#define sl_stop_at_step_hook(...) sl_stop_at_step_hook_with(SL_OPTIONS(sl_stop_at_step_options_t, __VA_ARGS__))

// Ends the training once the scalar |loss| of a step is at most |limit|.
SL_EXPORT sl_hook_t *sl_stop_at_loss_hook(TF_Output loss, double limit);
// Ends the training if |loss| is NaN: without an error if |stop|, else with one, which is the default for .progress. As
// tf.train.NanTensorHook.
SL_EXPORT sl_hook_t *sl_nan_tensor_hook(TF_Output loss, bool stop);
#define sl_nan_hook sl_nan_tensor_hook  // the former name

// Delays the first step until other workers have reached global step |step|, and prints that it waits. It is an error
// if the global step does not change for the session's max_wait_secs. As tf.train.GlobalStepWaiterHook.
SL_EXPORT sl_hook_t *sl_global_step_waiter_hook(int64_t step);

typedef struct {
  size_t struct_size;
  double save_secs;      // 0: 600, or never if save_steps is given; < 0: only at start and end
  int64_t save_steps;    // 0: by the clock
  const char *basename;  // of the files. NULL: "model.ckpt"
  sl_saver_t *saver;     // NULL: the session's
  bool in_background;    // as save_in_background of the session
} sl_checkpoint_saver_options_t;
// Saves checkpoints in |directory| (NULL: the session's): the first at the start, the last at the end, after the hooks
// before it. Records them and the graph in the session's event file. As tf.train.CheckpointSaverHook.
SL_EXPORT sl_hook_t *sl_checkpoint_saver_hook_with(const char *directory, const sl_checkpoint_saver_options_t *options);
#define sl_checkpoint_saver_hook(directory, ...) \
  sl_checkpoint_saver_hook_with((directory), SL_OPTIONS(sl_checkpoint_saver_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  int64_t save_steps;  // 0, and save_secs 0: 100
  double save_secs;
  const char *output_dir;  // for a separate event file. NULL: use the session's, which only the chief has
  TF_Output summary_op;    // a serialized summary. Empty: the scaffold's
} sl_summary_saver_options_t;
// Writes summaries, beginning with the first step. As tf.train.SummarySaverHook.
SL_EXPORT sl_hook_t *sl_summary_saver_hook_with(const sl_summary_saver_options_t *options);
#define sl_summary_saver_hook(...) sl_summary_saver_hook_with(SL_OPTIONS(sl_summary_saver_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  int64_t every_n_steps;  // 0, and every_n_secs 0: 100
  double every_n_secs;
  const char *output_dir;  // for a separate event file. NULL: use the session's, which only the chief has
} sl_step_counter_options_t;
// Writes the rate of global steps as "global_step/sec". As tf.train.StepCounterHook.
SL_EXPORT sl_hook_t *sl_step_counter_hook_with(const sl_step_counter_options_t *options);
#define sl_step_counter_hook(...) sl_step_counter_hook_with(SL_OPTIONS(sl_step_counter_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  int64_t save_steps;  // 0, and save_secs 0: 100
  double save_secs;
  const char *output_dir;  // NULL: the session's checkpoint_dir, in the chief only
} sl_profiler_options_t;
// Traces a step at intervals, but not the first: writes "timeline-STEP.json" (sl_trace_write), and "step_STEP" to an
// event file. As tf.train.ProfilerHook.
SL_EXPORT sl_hook_t *sl_profiler_hook_with(const sl_profiler_options_t *options);
#define sl_profiler_hook(...) sl_profiler_hook_with(SL_OPTIONS(sl_profiler_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *const *tags;  // labels of the values; NULL: the names of their nodes
  int64_t every_n_iter;     // local steps. 0, and every_n_secs 0: 100, or never if at_end
  double every_n_secs;
  bool at_end;  // also when the training has ended without an error
} sl_logging_options_t;
// Prints values of steps, beginning with the first: "Worker 0: global step 100, loss = 0.25 (0.512 sec)". As
// tf.train.LoggingTensorHook.
SL_EXPORT sl_hook_t *sl_logging_hook_with(const TF_Output *values, size_t count, const sl_logging_options_t *options);
#define sl_logging_hook(values, count, ...) \
  sl_logging_hook_with((values), (count), SL_OPTIONS(sl_logging_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  TF_Output loss;       // a scalar to show; may be empty
  int64_t every_steps;  // local steps between lines, at most one line a second. 0: 100
  int64_t last_step;    // of the training. 0: not known
} sl_progress_options_t;
// Shows the progress and speed of the training: one line that is updated on a terminal, elsewhere a line at intervals;
// and one line at the end.
SL_EXPORT sl_hook_t *sl_progress_hook_with(const sl_progress_options_t *options);
#define sl_progress_hook(...) sl_progress_hook_with(SL_OPTIONS(sl_progress_options_t, __VA_ARGS__))

// Calls |function| before each step, to feed it (sl_step_feed). As tf.train.FeedFnHook.
typedef void (*sl_feed_function_t)(void *context, sl_session_t *session, sl_step_t *step);
SL_EXPORT sl_hook_t *sl_feed_hook(sl_feed_function_t function, void *context);
// Runs |operation| when the training has ended without an error, before the last checkpoint. As tf.train.FinalOpsHook.
SL_EXPORT sl_hook_t *sl_final_op_hook(TF_Operation *operation);

SL_END_DECLS

#endif  // SLUICE_HOOKS_H_
