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
// Examples in the batch that the program fed; 0 if that cannot be told.
SL_EXPORT int64_t sl_step_examples(const sl_step_t *step);

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

// Ends the training once the scalar |loss| of a step is at most |limit|.
SL_EXPORT sl_hook_t *sl_stop_at_loss_hook(TF_Output loss, double limit);
// A loss that is not a number ends the training: in order if |stop|, else as an error. As tf.train.NanTensorHook.
SL_EXPORT sl_hook_t *sl_nan_hook(TF_Output loss, bool stop);
// Calls |function| before each step, to feed it (sl_step_feed). As tf.train.FeedFnHook.
typedef void (*sl_feed_function_t)(void *context, sl_session_t *session, sl_step_t *step);
SL_EXPORT sl_hook_t *sl_feed_hook(sl_feed_function_t function, void *context);
// Runs |operation| when the training has ended well, before the last checkpoint. As tf.train.FinalOpsHook.
SL_EXPORT sl_hook_t *sl_final_op_hook(TF_Operation *operation);

SL_END_DECLS

#endif  // SLUICE_HOOKS_H_
