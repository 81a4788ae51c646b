// Counts training steps and formats progress lines: on a terminal one line that is
// updated in place, elsewhere a plain line at intervals. Thread-compatible.
#ifndef SLI_TRAIN_COMMON_PROGRESS_H_
#define SLI_TRAIN_COMMON_PROGRESS_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/string.h"

typedef struct {
  const char *title;  // "Worker 0"
  int64_t last_step;  // of the training; 0: not known
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

// |now| is in monotonic nanoseconds.
void sli_progress_start(sli_progress_t *progress, int64_t global_step, int64_t now);
// Counts a step of |examples|. If a line is due, appends it to |out| (with the control characters of a terminal, or
// with a newline) and returns true.
bool sli_progress_step(sli_progress_t *progress, int64_t global_step, int64_t examples, int64_t now, sli_string_t *out);
// Appends the closing line.
void sli_progress_end(sli_progress_t *progress, int64_t now, sli_string_t *out);

// "0:07", "12:34", "1:02:03".
void sli_progress_duration(double seconds, char *out_text, size_t size);

// Prints "TITLE: …" as one line on stderr; newlines and tabs in the text become blanks.
void sli_progress_print(const char *title, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The same without a title.
void sli_progress_print_line(const char *text);

#endif  // SLI_TRAIN_COMMON_PROGRESS_H_
