// What the built-in hooks share: when something is due, and where it is written.
#ifndef SLI_TRAIN_HOOKS_INTERNAL_H_
#define SLI_TRAIN_HOOKS_INTERNAL_H_

#include "train/session_internal.h"

// |base| of a new hook of |size| bytes, all zero but for what is released.
sl_hook_t *sli_hook_create(size_t size, void (*release)(sl_hook_t *hook));
void sli_hook_release_plain(sl_hook_t *hook);

// Due at once, and again when so many steps or seconds have passed, whichever is first.
typedef struct {
  int64_t every_steps;  // <= 0: not by steps
  double every_secs;    // <= 0: not by the clock
  bool started;
  int64_t step;  // when it was last due
  int64_t nanos;
} sli_hook_timer_t;

// 100 steps if neither is given.
sli_hook_timer_t sli_hook_timer(int64_t every_steps, double every_secs);
bool sli_hook_timer_is_due(const sli_hook_timer_t *timer, int64_t step);
// It was due at |step|, now; returns the seconds since the last time, 0 at the first.
double sli_hook_timer_mark(sli_hook_timer_t *timer, int64_t step);

// An event file: one in a directory of the hook's own, or the session's.
typedef struct {
  char *directory;  // NULL: the session's
  bool ready;       // it is there, and absolute
  sl_file_writer_t *own;
} sli_hook_output_t;

void sli_hook_output_initialize(sli_hook_output_t *output, const char *directory);
// The directory, made if need be and absolute; NULL if there is none. A hook of the chief's that has none is an error
// of the session's.
const char *sli_hook_output_directory(sli_hook_output_t *output, sl_session_t *session);
// The event file, opened if need be; NULL in tasks that write none, and after an error, which the session has.
sl_file_writer_t *sli_hook_output_writer(sli_hook_output_t *output, sl_session_t *session);
void sli_hook_output_deinitialize(sli_hook_output_t *output);

// An error of a hook's becomes the session's; consumes |status|.
void sli_hook_check(sl_session_t *session, TF_Status *status);

#endif  // SLI_TRAIN_HOOKS_INTERNAL_H_
