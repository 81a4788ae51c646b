// What happens around training steps, as tf.train.SessionRunHook: a hook is a
// struct of functions, the first field of whatever state it keeps.
//
//   typedef struct { sl_hook_t base; TF_Output loss; size_t position; } watcher_t;
//   static void before(sl_hook_t *hook, sl_session_t *session, sl_step_t *step) {
//     watcher_t *watcher = (watcher_t *)hook;
//     watcher->position = sl_step_fetch(step, watcher->loss);
//   }
#ifndef SLUICE_HOOKS_H_
#define SLUICE_HOOKS_H_

#include "sluice/session.h"
#include "sluice/summary.h"

SL_BEGIN_DECLS

// One training step, between before_run and after_run.
typedef struct sl_step sl_step_t;

// Functions may be NULL. But for |watch| each runs on the program's thread. An error goes to sl_session_fail(), the end
// of the training to sl_request_stop(). Hooks are called in the order in which they were given.
struct sl_hook {
  size_t struct_size;
  // The graph may still be added to (sl_session_scope).
  void (*begin)(sl_hook_t *hook, sl_session_t *session);
  // The variables are ready; again after each recovery.
  void (*after_create_session)(sl_hook_t *hook, sl_session_t *session);
  // Around each run that has a target. A run that failed has no after_run.
  void (*before_run)(sl_hook_t *hook, sl_session_t *session, sl_step_t *step);
  void (*after_run)(sl_hook_t *hook, sl_session_t *session, sl_step_t *step);
  // The program has been told that the training is over; once.
  void (*stopped)(sl_hook_t *hook, sl_session_t *session);
  // All went well; the session is still open.
  void (*end)(sl_hook_t *hook, sl_session_t *session);
  // The session underneath goes: at the end, after an error, or because a task was lost. Once for each
  // after_create_session; threads that use it must end.
  void (*before_close)(sl_hook_t *hook, sl_session_t *session);
  // Some times a second on a thread of the session's while it is open, whether a step runs or not.
  void (*watch)(sl_hook_t *hook, sl_session_t *session);
  // The last call.
  void (*release)(sl_hook_t *hook);
};

// --- For hooks ---

// Asks for |output| along with the step and returns where its value will be.
SL_EXPORT size_t sl_step_fetch(sl_step_t *step, TF_Output output);
// The value at |position| after the run; the session's.
SL_EXPORT const TF_Tensor *sl_step_value(const sl_step_t *step, size_t position);
// Feeds |tensor|, which the step takes over, unless the program feeds |output| itself.
SL_EXPORT void sl_step_feed(sl_step_t *step, TF_Output output, TF_Tensor *tensor);
// The step is not to run: sl_run() returns false, without an error. For the end of an input, with sl_request_stop().
SL_EXPORT void sl_step_skip(sl_step_t *step);
// Examples in the batch that the program fed; 0 if that cannot be told.
SL_EXPORT int64_t sl_step_examples(const sl_step_t *step);

// Asks for the statistics of the step, and gives them after the run: a serialized RunMetadata, the session's (NULL if
// nobody asked). sl_trace_write() makes a timeline of it.
SL_EXPORT void sl_step_trace(sl_step_t *step);
SL_EXPORT const TF_Buffer *sl_step_metadata(const sl_step_t *step);

// Keeps an error, unless there is one already; a lost task is not kept but replaced. |status| stays the caller's.
SL_EXPORT void sl_session_fail(sl_session_t *session, const TF_Status *status);
// Reads the global step now, not as last seen. False after an error, which is kept.
SL_EXPORT bool sl_session_read_step(sl_session_t *session, int64_t *out_step);
SL_EXPORT sl_scope_t *sl_session_scope(const sl_session_t *session);
SL_EXPORT bool sl_session_is_chief(const sl_session_t *session);
// The chief's event file in checkpoint_dir; NULL for others, or without a directory.
SL_EXPORT sl_file_writer_t *sl_session_writer(const sl_session_t *session);
// Prints "Worker 0: …" as a line on stderr. Thread-safe.
SL_EXPORT void sl_session_say(const sl_session_t *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// --- Hooks to give to a session, whose they then are: .hooks = (sl_hook_t *[]){…}, .hook_count = … ---
//
// Training sessions make their own of these, as their options say. What has both steps and seconds happens when either
// has passed; texts are copied.

typedef struct {
  size_t struct_size;
  int64_t last_step;  // of the global step; or
  int64_t num_steps;  // beyond the step at which the session begins, this or another one's
} sl_stop_at_step_options_t;
// Ends the training when the global step is reached. As tf.train.StopAtStepHook.
SL_EXPORT sl_hook_t *sl_stop_at_step_hook_with(const sl_stop_at_step_options_t *options);
#define sl_stop_at_step_hook(...) sl_stop_at_step_hook_with(SL_OPTIONS(sl_stop_at_step_options_t, __VA_ARGS__))

// Ends the training once the scalar |loss| of a step is at most |limit|.
SL_EXPORT sl_hook_t *sl_stop_at_loss_hook(TF_Output loss, double limit);
// A loss that is not a number ends the training: in order if |stop|, else as an error. As tf.train.NanTensorHook.
SL_EXPORT sl_hook_t *sl_nan_hook(TF_Output loss, bool stop);

// The first step waits until others have brought the global step to |step|; it says so. An error if the global step
// does not move for the session's max_wait_secs. As tf.train.GlobalStepWaiterHook.
SL_EXPORT sl_hook_t *sl_global_step_waiter_hook(int64_t step);

typedef struct {
  size_t struct_size;
  double save_secs;      // 0: 600, or never if save_steps is given; < 0: only at start and end
  int64_t save_steps;    // 0: by the clock
  const char *basename;  // of the files. NULL: "model.ckpt"
  sl_saver_t *saver;     // NULL: the session's
} sl_checkpoint_saver_options_t;
// Saves checkpoints in |directory| (NULL: the session's), one at the start and the last one at the end, after what
// hooks before it do there. Notes them, and the graph, in the session's event file. As tf.train.CheckpointSaverHook.
SL_EXPORT sl_hook_t *sl_checkpoint_saver_hook_with(const char *directory, const sl_checkpoint_saver_options_t *options);
#define sl_checkpoint_saver_hook(directory, ...) \
  sl_checkpoint_saver_hook_with((directory), SL_OPTIONS(sl_checkpoint_saver_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  int64_t save_steps;  // neither: 100
  double save_secs;
  const char *output_dir;  // of an event file of its own. NULL: the session's, which only the chief has
  TF_Output summary_op;    // a serialized summary. Empty: the scaffold's
} sl_summary_saver_options_t;
// Writes summaries, the first one at the first step. As tf.train.SummarySaverHook.
SL_EXPORT sl_hook_t *sl_summary_saver_hook_with(const sl_summary_saver_options_t *options);
#define sl_summary_saver_hook(...) sl_summary_saver_hook_with(SL_OPTIONS(sl_summary_saver_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  int64_t every_n_steps;  // neither: 100
  double every_n_secs;
  const char *output_dir;  // as above
} sl_step_counter_options_t;
// Writes the rate of global steps as "global_step/sec". As tf.train.StepCounterHook.
SL_EXPORT sl_hook_t *sl_step_counter_hook_with(const sl_step_counter_options_t *options);
#define sl_step_counter_hook(...) sl_step_counter_hook_with(SL_OPTIONS(sl_step_counter_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  int64_t save_steps;  // neither: 100
  double save_secs;
  const char *output_dir;  // NULL: the session's checkpoint_dir, in the chief alone
} sl_profiler_options_t;
// Traces a step now and then, not the first: "timeline-STEP.json" (sl_trace_write), and "step_STEP" in an event file.
// As tf.train.ProfilerHook.
SL_EXPORT sl_hook_t *sl_profiler_hook_with(const sl_profiler_options_t *options);
#define sl_profiler_hook(...) sl_profiler_hook_with(SL_OPTIONS(sl_profiler_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *const *tags;  // what the values are called; NULL: by their nodes' names
  int64_t every_n_iter;     // local steps. Neither: 100, or never if at_end
  double every_n_secs;
  bool at_end;  // once more, when the training has ended well
} sl_logging_options_t;
// Prints values of a step, the first one's among them: "Worker 0: global step 100, loss = 0.25 (0.512 sec)". As
// tf.train.LoggingTensorHook.
SL_EXPORT sl_hook_t *sl_logging_hook_with(const TF_Output *values, size_t count, const sl_logging_options_t *options);
#define sl_logging_hook(values, count, ...) \
  sl_logging_hook_with((values), (count), SL_OPTIONS(sl_logging_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  TF_Output loss;       // a scalar to show along; may be empty
  int64_t every_steps;  // local steps between lines, and no more than one a second. 0: 100
  int64_t last_step;    // where the training ends. 0: not known
} sl_progress_options_t;
// Shows how far and how fast the training goes: one line that changes on a terminal, a line now and then elsewhere, and
// one at the end.
SL_EXPORT sl_hook_t *sl_progress_hook_with(const sl_progress_options_t *options);
#define sl_progress_hook(...) sl_progress_hook_with(SL_OPTIONS(sl_progress_options_t, __VA_ARGS__))

// Calls |function| before each step, to feed it (sl_step_feed). As tf.train.FeedFnHook.
typedef void (*sl_feed_function_t)(void *context, sl_session_t *session, sl_step_t *step);
SL_EXPORT sl_hook_t *sl_feed_hook(sl_feed_function_t function, void *context);
// Runs |operation| when the training has ended well, before the last checkpoint. As tf.train.FinalOpsHook.
SL_EXPORT sl_hook_t *sl_final_op_hook(TF_Operation *operation);

SL_END_DECLS

#endif  // SLUICE_HOOKS_H_
