// Shared by the built-in hooks: timers and output files.
#ifndef SLI_TRAIN_SESSION_HOOKS_INTERNAL_H_
#define SLI_TRAIN_SESSION_HOOKS_INTERNAL_H_

#include "train/session/train_session.h"

// A new hook of |size| bytes; all fields of the larger struct are zero.
sl_hook_t *sli_hook_create(size_t size, void (*release)(sl_hook_t *hook));
// For hooks that own nothing else.
void sli_hook_free(sl_hook_t *hook);

// A timer that is due at once, and again when so many steps or seconds have passed, whichever is first.
typedef struct {
  int64_t every_steps;  // <= 0: not by steps
  double every_secs;    // <= 0: not by the clock
  bool started;
  int64_t step;  // when it was last due
  int64_t nanos;
} sli_hook_timer_t;

// 100 steps if neither is given.
sli_hook_timer_t sli_hook_timer_create(int64_t every_steps, double every_secs);
bool sli_hook_timer_is_due(const sli_hook_timer_t *timer, int64_t step);
// Restarts the timer at |step|. Returns the seconds since the last time, 0 at the first.
double sli_hook_timer_mark(sli_hook_timer_t *timer, int64_t step);

// The event file of a hook: in its own directory, or the session's.
typedef struct {
  char *directory;  // NULL: the session's
  bool ready;       // the directory exists, and the path is absolute
  sl_file_writer_t *own;
} sli_hook_output_t;

void sli_hook_output_initialize(sli_hook_output_t *output, const char *directory);
// The absolute path of the directory, which is created if necessary; NULL if there is none, which in the chief is an
// error of the session.
const char *sli_hook_output_directory(sli_hook_output_t *output, sl_session_t *session);
// The event file, opened if necessary; NULL in tasks that write none, and after an error, which the session then has.
sl_file_writer_t *sli_hook_output_writer(sli_hook_output_t *output, sl_session_t *session);
void sli_hook_output_deinitialize(sli_hook_output_t *output);

// Whether |code|, the result of writing files, may be of the disk, and not of the program or a lost task.
bool sli_hook_is_disk_error(TF_Code code);
// Whether to try now.
bool sli_hook_trouble_is_over(const sli_hook_trouble_t *trouble);
// Notes a failure and says so: "|what|: why; training goes on, …". Notes a success.
void sli_hook_trouble_begin(sli_hook_trouble_t *trouble, sl_session_t *session, const char *what, const char *why);
void sli_hook_trouble_end(sli_hook_trouble_t *trouble, sl_session_t *session, const char *what);

// Ends the training with an error if |loss| is NaN, and warns if it is infinite. For a value that may have any shape.
sl_hook_t *sli_hook_create_divergence(TF_Output loss);
// Whether |hook| is an sl_nan_tensor_hook of |loss|.
bool sli_hook_is_nan_hook(const sl_hook_t *hook, TF_Output loss);

// Passes an error of a hook to the session. Deletes |status|.
void sli_hook_check_status(sl_session_t *session, TF_Status *status);
// The same for an event file: if the disk fails the training goes on without some events.
void sli_hook_check_events(sl_session_t *session, TF_Status *status);

#endif  // SLI_TRAIN_SESSION_HOOKS_INTERNAL_H_
