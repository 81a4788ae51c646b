// How far the training is: counting and wording. On a terminal one line that is
// rewritten in place, elsewhere a plain line from time to time. Thread-compatible.
#ifndef SLI_TRAIN_PROGRESS_H_
#define SLI_TRAIN_PROGRESS_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/string.h"

typedef struct {
  const char *title;  // "Worker 0"
  int64_t last_step;  // where the training ends; 0: not known
  bool terminal;
  int64_t every_steps;  // local steps between plain lines
  // Since the start.
  int64_t local_steps, global_step, first_global_step;
  int64_t start_nanos;
  bool has_loss;
  double loss;
  // Since the last line.
  int64_t line_nanos, line_local_steps, line_global_step, line_examples;
  bool any_line;
} sli_progress_t;

// |now|: monotonic nanoseconds.
void sli_progress_start(sli_progress_t *progress, int64_t global_step, int64_t now);
// Counts a step of |examples|. When it is time for a line, appends it to |out| (as it goes to the terminal or, with
// a newline, to a file) and returns true.
bool sli_progress_step(sli_progress_t *progress, int64_t global_step, int64_t examples, int64_t now, sli_string_t *out);
// The closing line.
void sli_progress_end(sli_progress_t *progress, int64_t now, sli_string_t *out);

// "0:07", "12:34", "1:02:03".
void sli_progress_duration(double seconds, char *out_text, size_t size);

#endif  // SLI_TRAIN_PROGRESS_H_
