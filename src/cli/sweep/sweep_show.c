#include "cli/sweep/sweep_show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/common/report.h"
#include "cli/inspect/inspect_plot.h"

enum { LIVE_BEST = 5, MAX_FAILED = 20, MAX_LIVE_RUNNING = 16 };

// --- Texts ---

static void append_number(sli_string_t *out, double value) { sli_string_append_format(out, "%.6g", value); }

static void append_best(sli_string_t *out, const sli_sweep_t *sweep) {
  const sli_sweep_trial_t *best = sli_sweep_best(sweep);
  if (!best) return;
  sli_string_append_format(out, "; best: trial %zu, %s ", best->number, sweep->metric);
  append_number(out, best->metric);
}

static void append_counts(sli_string_t *out, const sli_sweep_t *sweep) {
  static const sli_sweep_status_t shown[] = {SLI_SWEEP_DONE, SLI_SWEEP_STOPPED, SLI_SWEEP_FAILED, SLI_SWEEP_RUNNING,
                                             SLI_SWEEP_WAITING};
  sli_string_append_format(out, "%zu trials", sweep->trials.count);
  const char *separator = ": ";
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(shown); i++) {
    size_t count = sli_sweep_count(sweep, shown[i]);
    if (!count) continue;
    sli_string_append_format(out, "%s%zu %s", separator, count, sli_sweep_status_name(shown[i]));
    separator = ", ";
  }
  append_best(out, sweep);
}

void sli_sweep_show_end(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial) {
  sli_string_t text = {0};
  sli_string_append_format(&text, "trial %zu", trial->number);
  if (sweep->halving)
    sli_string_append_format(&text, ", %s %" PRId64, sweep->budget_name, sli_sweep_budget(sweep, trial->rung));
  if (trial->status == SLI_SWEEP_FAILED) {
    sli_string_append_format(&text, " failed: %s", trial->problem ? trial->problem : "");
  } else {
    sli_string_append_format(&text, ": %s ", sweep->metric);
    append_number(&text, trial->metric);
  }
  sli_string_append_text(&text, " (");
  sli_sweep_append_values(&text, sweep, trial);
  sli_string_append_format(&text, "), %.1f s", trial->seconds);
  append_best(&text, sweep);
  sli_string_t line = {0};
  sli_report_append_plain(&line, sli_string_text(&text));
  sli_report_print(trial->status == SLI_SWEEP_FAILED ? SLI_REPORT_RED : SLI_REPORT_PLAIN, "%s\n", line.data);
  fflush(stdout);
  sli_string_deinitialize(&line);
  sli_string_deinitialize(&text);
}

// --- The live table ---

static int live_lines;

void sli_sweep_show_clear(void) {
  if (live_lines) printf("\033[%dA\033[J", live_lines);
  live_lines = 0;
  fflush(stdout);
}

// Cuts |text| to the width of the terminal, so that a line stays one.
static void print_line(const char *text) {
  sli_string_t plain = {0};
  sli_report_append_plain(&plain, text);
  size_t width = (size_t)sli_report_width() - 1, size = 0;
  for (sli_view_t rest = sli_view(sli_string_text(&plain)); rest.size && width; width--) {
    size_t step = sli_view_utf8_size(rest);
    if (!step) step = 1;
    size += step;
    rest = sli_view_of(rest.data + step, rest.size - step);
  }
  printf("%.*s\n", (int)size, sli_string_text(&plain));
  sli_string_deinitialize(&plain);
  live_lines++;
}

void sli_sweep_show_live(const sli_sweep_t *sweep, const sli_sweep_running_t *running, size_t count) {
  sli_sweep_show_clear();
  sli_string_t text = {0};
  append_counts(&text, sweep);
  print_line(sli_string_text(&text));
  for (size_t i = 0; i < count && i < MAX_LIVE_RUNNING; i++) {
    sli_string_clear(&text);
    sli_string_append_format(&text, "  running  trial %-4zu %7.1f s  ", running[i].trial->number, running[i].seconds);
    if (running[i].value.found) sli_string_append_format(&text, "%s %-10.6g ", sweep->metric, running[i].value.last);
    if (running[i].value.found && running[i].value.last_step >= 0)
      sli_string_append_format(&text, "step %" PRId64 "  ", running[i].value.last_step);
    sli_sweep_append_values(&text, sweep, running[i].trial);
    print_line(sli_string_text(&text));
  }
  const sli_sweep_trial_t **ranking = sli_sweep_ranking(sweep);
  for (size_t i = 0; i < LIVE_BEST && i < sweep->trials.count; i++) {
    if (!ranking[i]->has_metric || ranking[i]->status == SLI_SWEEP_FAILED) break;
    sli_string_clear(&text);
    sli_string_append_format(&text, "  %-8s trial %-4zu %7.1f s  %s %-10.6g ", i ? "" : "best", ranking[i]->number,
                             ranking[i]->seconds, sweep->metric, ranking[i]->metric);
    sli_sweep_append_values(&text, sweep, ranking[i]);
    print_line(sli_string_text(&text));
  }
  free(ranking);
  sli_string_deinitialize(&text);
  fflush(stdout);
}

// --- The report ---

static size_t find_parameter(const sli_sweep_t *sweep, const char *name) {
  size_t i = 0;
  while (i < sweep->space.parameters.count && strcmp(sweep->space.parameters.items[i].name, name)) i++;
  return i;
}

sli_status_t *sli_sweep_show_check_plot(const sli_sweep_t *sweep, const char *plot) {
  size_t index = find_parameter(sweep, plot);
  if (index == sweep->space.parameters.count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "--plot %s: there is no such parameter", plot);
  if (!sli_sweep_parameter_is_number(&sweep->space.parameters.items[index]))
    return sli_status_make(SLI_INVALID_ARGUMENT, "--plot %s: its values are not numbers", plot);
  return NULL;
}

static bool has_value(const sli_sweep_trial_t *trial) {
  return trial->has_metric && trial->status != SLI_SWEEP_FAILED && !isnan(trial->metric);
}

// Points that are joined: the best metric after each trial. Or single ones, each followed by one that ends its line:
// the metric of each trial against a parameter.
static void show_plot(const sli_sweep_t *sweep, const char *plot) {
  SLI_ARRAY(sli_inspect_point_t) points = {0};
  size_t index = plot ? find_parameter(sweep, plot) : 0;
  bool is_log = plot && sweep->space.parameters.items[index].kind == SLI_SWEEP_LOG;
  double best = NAN;
  for (size_t i = 0; i < sweep->trials.count; i++) {
    const sli_sweep_trial_t *trial = &sweep->trials.items[i];
    if (!has_value(trial)) continue;
    if (plot) {
      double x = strtod(trial->values[index], NULL);
      sli_array_push(&points, (sli_inspect_point_t){is_log ? log10(x) : x, trial->metric});
      sli_array_push(&points, (sli_inspect_point_t){NAN, NAN});
      continue;
    }
    if (isnan(best) || (sweep->minimize ? trial->metric < best : trial->metric > best)) best = trial->metric;
    sli_array_push(&points, (sli_inspect_point_t){(double)trial->number, best});
  }
  if (points.count) {
    sli_string_t text = {0};
    sli_inspect_append_plot(&text, points.items, points.count, sli_report_width());
    if (plot)
      sli_report_print(SLI_REPORT_BOLD, "\n%s against %s%s\n", sweep->metric, is_log ? "log10 of " : "", plot);
    else
      sli_report_print(SLI_REPORT_BOLD, "\nbest %s after each trial\n", sweep->metric);
    fputs(text.data, stdout);
    sli_string_deinitialize(&text);
  }
  sli_array_deinitialize(&points);
}

static void show_failed(const sli_sweep_t *sweep) {
  size_t count = 0;
  for (size_t i = 0; i < sweep->trials.count; i++) {
    const sli_sweep_trial_t *trial = &sweep->trials.items[i];
    if (trial->status != SLI_SWEEP_FAILED || count++ >= MAX_FAILED) continue;
    sli_string_t text = {0};
    char *directory = sli_sweep_trial_directory(sweep, trial);
    sli_report_append_plain(&text, trial->problem ? trial->problem : "unknown");
    sli_report_print(SLI_REPORT_RED, "trial %zu failed: %s; its output is %s/output.log\n", trial->number, text.data,
                     directory);
    sli_string_deinitialize(&text);
    free(directory);
  }
  if (count > MAX_FAILED) sli_report_print(SLI_REPORT_RED, "and %zu more failed\n", count - MAX_FAILED);
}

static void show_table(const sli_sweep_t *sweep, int64_t limit) {
  static const char *titles[] = {">trial", ">metric",  ">step",      ">budget", "status",
                                 ">seed",  ">seconds", "parameters", NULL};
  sli_report_table_t table = {.titles = titles};
  const sli_sweep_trial_t **ranking = sli_sweep_ranking(sweep);
  for (size_t i = 0; i < sweep->trials.count && (int64_t)i < limit; i++) {
    const sli_sweep_trial_t *trial = ranking[i];
    sli_string_t text = {0};
    sli_report_table_add_format(&table, "%zu", trial->number);
    if (trial->has_metric && trial->status != SLI_SWEEP_FAILED)
      sli_report_table_add_format(&table, "%.6g", trial->metric);
    else
      sli_report_table_add(&table, "");
    if (trial->has_metric && trial->step >= 0)
      sli_report_table_add_format(&table, "%" PRId64, trial->step);
    else
      sli_report_table_add(&table, "");
    if (sweep->halving)
      sli_report_table_add_format(&table, "%" PRId64, sli_sweep_budget(sweep, trial->rung));
    else
      sli_report_table_add(&table, "");
    sli_report_table_add(&table, sli_sweep_status_name(trial->status));
    sli_report_table_add_format(&table, "%" PRIu64, trial->seed);
    sli_report_table_add_format(&table, "%.1f", trial->seconds);
    sli_sweep_append_values(&text, sweep, trial);
    sli_report_table_add_string(&table, &text);
  }
  sli_report_table_finish(&table, INT64_MAX);
  free(ranking);
}

sli_status_t *sli_sweep_show_report(const sli_sweep_t *sweep, const char *plot, int64_t limit) {
  if (plot) SLI_RETURN_IF_ERROR(sli_sweep_show_check_plot(sweep, plot));
  show_table(sweep, limit);
  if ((size_t)limit < sweep->trials.count)
    sli_report_print(SLI_REPORT_DIM, "… all %zu are in %s/results.csv\n", sweep->trials.count, sweep->directory);
  show_plot(sweep, plot);
  show_failed(sweep);
  sli_string_t text = {0};
  append_counts(&text, sweep);
  sli_report_print(SLI_REPORT_BOLD, "%s\n", sli_string_text(&text));
  sli_string_clear(&text);
  const sli_sweep_trial_t *best = sli_sweep_best(sweep);
  if (best) {
    sli_sweep_append_values(&text, sweep, best);
    char *directory = sli_sweep_trial_directory(sweep, best);
    sli_report_print(SLI_REPORT_PLAIN, "%s; to repeat it: sh %s/command\n", sli_string_text(&text), directory);
    free(directory);
  }
  sli_string_deinitialize(&text);
  fflush(stdout);
  return NULL;
}
