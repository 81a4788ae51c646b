#include "cli/sweep/sweep_metric.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "cli/common/tensor_text.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "io/record/record.h"
#include "proto/proto.h"
#include "proto/summary.pb-c.h"

enum { MAX_DEPTH = 3, MAX_FILES = 1000, MAX_LINE = 1 << 16, MAX_TAGS = 20, BUFFER_SIZE = 64 << 10, MAX_NUMBER = 64 };

struct sli_sweep_metric {
  char *directory, *output, *name;
  bool minimize;
  sli_map_t readers;  // path -> sli_record_reader_t *
  sli_map_t tags;     // of scalars
  sli_sweep_value_t events, lines;
  double last_time;  // of the last event
  uint64_t offset;   // of the output
  sli_string_t line;
};

sli_sweep_metric_t *sli_sweep_metric_create(const char *directory, const char *output, const char *name,
                                            bool minimize) {
  sli_sweep_metric_t *metric = sli_calloc(1, sizeof(*metric));
  metric->directory = sli_strdup(directory);
  metric->output = sli_strdup(output);
  metric->name = sli_strdup(name);
  metric->minimize = minimize;
  return metric;
}

void sli_sweep_metric_release(sli_sweep_metric_t *metric) {
  if (!metric) return;
  SLI_MAP_FOR_EACH (&metric->readers, entry) sli_record_reader_release(entry->value);
  sli_map_deinitialize(&metric->readers);
  sli_map_deinitialize(&metric->tags);
  sli_string_deinitialize(&metric->line);
  free(metric->directory);
  free(metric->output);
  free(metric->name);
  free(metric);
}

static void take(sli_sweep_value_t *value, bool minimize, double number, int64_t step, bool is_last) {
  bool better = !isnan(number) && (isnan(value->best) || (minimize ? number < value->best : number > value->best));
  if (!value->found || better) {
    value->best = number;
    value->best_step = step;
  }
  if (!value->found || is_last) {
    value->last = number;
    value->last_step = step;
  }
  value->found = true;
}

// --- Event files ---

static void take_event(sli_sweep_metric_t *metric, const Tensorflow__Event *event) {
  if (event->what_case != TENSORFLOW__EVENT__WHAT_SUMMARY) return;
  for (size_t i = 0; i < event->summary->n_value; i++) {
    const Tensorflow__Summary__Value *value = event->summary->value[i];
    double number;
    if (value->value_case == TENSORFLOW__SUMMARY__VALUE__VALUE_SIMPLE_VALUE)
      number = value->simple_value;
    else if (value->value_case != TENSORFLOW__SUMMARY__VALUE__VALUE_TENSOR ||
             !sli_tensor_text_scalar(value->tensor, &number))
      continue;
    if (metric->tags.count < MAX_TAGS) sli_map_set(&metric->tags, sli_view(value->tag), NULL);
    if (strcmp(value->tag, metric->name) != 0) continue;
    // Files of restarts overlap: the last value is the one that was written last.
    bool is_last = event->wall_time >= metric->last_time;
    if (is_last) metric->last_time = event->wall_time;
    take(&metric->events, metric->minimize, number, event->step, is_last);
  }
}

static void read_events(sli_sweep_metric_t *metric, sli_record_reader_t *reader) {
  sli_view_t record;
  sli_status_t *status;
  while (!(status = sli_record_reader_read(reader, &record))) {
    sli_arena_t arena = {.budget = sli_proto_budget(record.size)};
    void *event;
    sli_status_t *parsed = sli_proto_parse(&tensorflow__event__descriptor, record.data, record.size, &arena, &event);
    if (!parsed) take_event(metric, event);
    sli_status_release(parsed);
    sli_arena_deinitialize(&arena);
  }
  sli_status_release(status);  // the end, or a record that is not whole yet
}

static void find_event_files(sli_sweep_metric_t *metric, const char *directory, int depth) {
  sli_path_list_t names;
  sli_status_t *status = sli_file_list(directory, &names);
  sli_status_release(status);
  for (size_t i = 0; !status && i < names.count; i++) {
    char *path = sli_path_join(directory, names.items[i]);
    sli_file_info_t info;
    sli_record_reader_t *reader = NULL;
    if (strstr(names.items[i], ".tfevents.")) {
      if (metric->readers.count < MAX_FILES && !sli_map_find(&metric->readers, sli_view(path))) {
        sli_status_release(sli_record_reader_open(path, SLI_COMPRESSION_NONE, BUFFER_SIZE, &reader));
        if (reader) sli_map_set(&metric->readers, sli_view(path), reader);
      }
    } else if (depth < MAX_DEPTH) {
      sli_status_t *unknown = sli_file_info(path, &info);
      if (!unknown && info.is_directory) find_event_files(metric, path, depth + 1);
      sli_status_release(unknown);
    }
    free(path);
  }
  if (!status) sli_path_list_deinitialize(&names);
}

// --- Output ---

static bool is_word(char character) { return isalnum((unsigned char)character) || strchr("_/.-", character) != NULL; }

// The number behind |at|: after quotes, spaces and one '=' or ':'.
static bool number_at(const char *at, const char *end, double *out_value) {
  while (at < end && strchr("'\" \t", *at)) at++;
  if (at < end && (*at == '=' || *at == ':')) at++;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  char text[MAX_NUMBER], *stop;
  size_t size = (size_t)(end - at) < sizeof(text) - 1 ? (size_t)(end - at) : sizeof(text) - 1;
  memcpy(text, at, size);
  text[size] = '\0';
  if (isspace((unsigned char)text[0])) return false;
  *out_value = strtod(text, &stop);
  return stop > text && !isalnum((unsigned char)*stop) && *stop != '_';
}

bool sli_sweep_metric_find_number(sli_view_t line, const char *name, double *out_value) {
  size_t size = strlen(name);
  const char *end = line.data + line.size;
  for (const char *at = line.data; size && (at = memmem(at, (size_t)(end - at), name, size)); at++) {
    if (at > line.data && is_word(at[-1])) continue;
    if (at + size < end && !is_word(at[size]) && number_at(at + size, end, out_value)) return true;
  }
  return false;
}

static void take_line(sli_sweep_metric_t *metric) {
  sli_view_t line = sli_view_of(sli_string_text(&metric->line), metric->line.size);
  double value, step;
  if (sli_sweep_metric_find_number(line, metric->name, &value)) {
    bool has_step = (sli_sweep_metric_find_number(line, "step", &step) ||
                     sli_sweep_metric_find_number(line, "global_step", &step)) &&
                    step >= 0 && step < 1e15;
    take(&metric->lines, metric->minimize, value, has_step ? (int64_t)step : -1, true);
  }
  sli_string_clear(&metric->line);
}

static void read_output(sli_sweep_metric_t *metric) {
  sli_file_reader_t *reader = NULL;
  sli_status_release(sli_file_reader_open(metric->output, &reader));
  char *buffer = sli_malloc(BUFFER_SIZE);
  for (size_t got = 1; reader && got;) {
    sli_status_t *status = sli_file_reader_read(reader, metric->offset, buffer, BUFFER_SIZE, &got);
    if (status) got = 0;
    sli_status_release(status);
    metric->offset += got;
    for (size_t i = 0; i < got; i++) {
      if (buffer[i] == '\n' || buffer[i] == '\r')
        take_line(metric);
      else if (metric->line.size < MAX_LINE)
        sli_string_append_char(&metric->line, buffer[i]);
    }
  }
  free(buffer);
  sli_file_reader_release(reader);
}

void sli_sweep_metric_update(sli_sweep_metric_t *metric, bool ended) {
  find_event_files(metric, metric->directory, 0);
  SLI_MAP_FOR_EACH (&metric->readers, entry) read_events(metric, entry->value);
  read_output(metric);
  if (ended) take_line(metric);
}

sli_sweep_value_t sli_sweep_metric_value(const sli_sweep_metric_t *metric) {
  return metric->events.found ? metric->events : metric->lines;
}

void sli_sweep_metric_append_tags(const sli_sweep_metric_t *metric, sli_string_t *out) {
  const char *separator = "";
  SLI_MAP_FOR_EACH (&metric->tags, entry) {
    sli_string_append_format(out, "%s%s", separator, entry->key);
    separator = ", ";
  }
}
