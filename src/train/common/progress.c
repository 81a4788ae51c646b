#include "train/common/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

static const int64_t second = 1000000000;

void sli_progress_start(sli_progress_t *progress, int64_t global_step, int64_t now) {
  progress->global_step = progress->first_global_step = progress->line_global_step = global_step;
  progress->start_nanos = progress->line_nanos = now;
}

void sli_progress_duration(double seconds, char *out_text, size_t size) {
  long long total = seconds > 0 && seconds < 1e9 ? (long long)(seconds + 0.5) : 0;
  if (total >= 3600)
    snprintf(out_text, size, "%lld:%02lld:%02lld", total / 3600, total / 60 % 60, total % 60);
  else
    snprintf(out_text, size, "%lld:%02lld", total / 60, total % 60);
}

static void terminal_line(const sli_progress_t *progress, double seconds, sli_string_t *out) {
  double rate = (double)(progress->global_step - progress->line_global_step) / seconds;
  sli_string_append_format(out, "\r%s: step %lld", progress->title, (long long)progress->global_step);
  if (progress->last_step) sli_string_append_format(out, "/%lld", (long long)progress->last_step);
  if (progress->has_loss) sli_string_append_format(out, ", loss %.3f", progress->loss);
  sli_string_append_format(out, ", %.0f steps/s", rate);
  if (progress->last_step && rate > 0) {
    char left[32];
    double steps = fmax(0, (double)(progress->last_step - progress->global_step));
    sli_progress_duration(steps / rate, left, sizeof(left));
    sli_string_append_format(out, ", ETA %s", left);
  }
  sli_string_append_text(out, "\033[K");
}

static void plain_line(const sli_progress_t *progress, double seconds, sli_string_t *out) {
  int64_t steps = progress->local_steps - progress->line_local_steps;
  sli_string_append_format(out, "%s: local step %lld, global step %lld", progress->title,
                           (long long)progress->local_steps, (long long)progress->global_step);
  if (progress->has_loss) sli_string_append_format(out, ", loss %.3f", progress->loss);
  if (progress->line_examples)
    sli_string_append_format(out, ", %.0f examples/sec", (double)progress->line_examples / seconds);
  sli_string_append_format(out, ", %.4f sec/batch\n", seconds / (double)steps);
}

// On a terminal five times a second; else every so many steps, but not more often than once a second.
static bool is_due(const sli_progress_t *progress, int64_t now) {
  int64_t elapsed = now - progress->line_nanos;
  if (elapsed <= 0) return false;
  if (progress->terminal) return elapsed >= second / 5;
  if (progress->local_steps - progress->line_local_steps < progress->every_steps) return false;
  return elapsed >= second || !progress->any_line;
}

bool sli_progress_step(sli_progress_t *progress, int64_t global_step, int64_t examples, int64_t now,
                       sli_string_t *out) {
  progress->local_steps++;
  progress->global_step = global_step;
  progress->line_examples += examples;
  if (progress->every_steps <= 0 || !is_due(progress, now)) return false;
  double seconds = (double)(now - progress->line_nanos) / (double)second;
  if (progress->terminal)
    terminal_line(progress, seconds, out);
  else
    plain_line(progress, seconds, out);
  progress->any_line = true;
  progress->line_nanos = now;
  progress->line_local_steps = progress->local_steps;
  progress->line_global_step = global_step;
  progress->line_examples = 0;
  return true;
}

void sli_progress_end(sli_progress_t *progress, int64_t now, sli_string_t *out) {
  if (progress->every_steps <= 0) return;
  double seconds = (double)(now - progress->start_nanos) / (double)second;
  double rate = seconds > 0 ? (double)(progress->global_step - progress->first_global_step) / seconds : 0;
  if (progress->terminal && progress->any_line) sli_string_append_text(out, "\r\033[K");
  sli_string_append_format(out, "%s: ended at global step %lld after %lld local steps", progress->title,
                           (long long)progress->global_step, (long long)progress->local_steps);
  if (progress->has_loss) sli_string_append_format(out, ", loss %.3f", progress->loss);
  sli_string_append_format(out, ", %.1f s, %.0f global steps/s\n", seconds, rate);
}

void sli_progress_print_line(const char *text) {
  char *line = sli_strdup(text);
  for (char *letter = line; *letter; letter++)
    if (*letter == '\n' || *letter == '\t') *letter = ' ';
  fprintf(stderr, "%s\n", line);
  free(line);
}

void sli_progress_print(const char *title, const char *format, ...) {
  sli_string_t text = {0};
  sli_string_append_format(&text, "%s: ", title);
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&text, format, args);
  va_end(args);
  sli_progress_print_line(sli_string_text(&text));
  sli_string_deinitialize(&text);
}
