// Event files: what was logged under which tag, and in which steps. A file that is still being written, or whose writer
// died, may end in the middle of a record: the report says so, and covers the records before it.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "base/options.h"
#include "cli/common/report.h"
#include "cli/common/tensor_text.h"
#include "cli/inspect/inspect.h"
#include "cli/inspect/inspect_plot.h"
#include "io/file/file.h"
#include "io/record/record.h"
#include "proto/proto.h"
#include "proto/summary.pb-c.h"

enum { MAX_TEXT = 60 };

typedef struct {
  const char *kind;
  char *plugin;  // present in the first value of a tag only
  int64_t count, first_step, last_step;
  json_t *last_value;
} tag_t;

typedef struct {
  int64_t step;
  double value;
} point_t;

typedef struct {
  const sli_inspect_options_t *options;
  sli_map_t tags;  // tag_t *
  int64_t events, unreadable, graphs, meta_graphs, log_messages, run_metadata, session_logs;
  int64_t first_step, last_step;
  double first_time, last_time;
  char *version;
  SLI_ARRAY(point_t) points;  // of the tag to plot
} log_t;

// --- Values ---

static json_t *describe_tensor(const Tensorflow__TensorProto *proto) {
  if (proto->dtype == TENSORFLOW__DATA_TYPE__DT_STRING && proto->n_string_val == 1)
    return sli_report_string(sli_view_of((char *)proto->string_val[0].data, proto->string_val[0].len));
  json_t *shape = json_array();
  for (size_t i = 0; proto->tensor_shape && i < proto->tensor_shape->n_dim; i++)
    json_array_append_new(shape, json_integer(proto->tensor_shape->dim[i]->size));
  return json_pack("{s:s, s:o}", "dtype", sli_report_dtype((int)proto->dtype), "shape", shape);
}

// Returns the kind of a value, and sets |*out_value|, the value for the report, and |*out_number| if it is a scalar.
static const char *describe_value(const Tensorflow__Summary__Value *value, const char *plugin, json_t **out_value,
                                  double *out_number) {
  *out_number = NAN;
  *out_value = NULL;
  switch (value->value_case) {
    case TENSORFLOW__SUMMARY__VALUE__VALUE_SIMPLE_VALUE:
      *out_number = value->simple_value;
      *out_value = sli_report_number(*out_number);
      return "scalar";
    case TENSORFLOW__SUMMARY__VALUE__VALUE_HISTO:
      *out_value = json_pack("{s:o, s:o, s:o, s:o}", "min", sli_report_number(value->histo->min), "max",
                             sli_report_number(value->histo->max), "num", sli_report_number(value->histo->num), "sum",
                             sli_report_number(value->histo->sum));
      return "histogram";
    case TENSORFLOW__SUMMARY__VALUE__VALUE_IMAGE:
      *out_value = json_pack("{s:i, s:i, s:i, s:I}", "height", (int)value->image->height, "width",
                             (int)value->image->width, "colorspace", (int)value->image->colorspace, "bytes",
                             (json_int_t)value->image->encoded_image_string.len);
      return "image";
    case TENSORFLOW__SUMMARY__VALUE__VALUE_AUDIO:
      *out_value =
          json_pack("{s:o, s:I, s:I, s:I}", "sample_rate", sli_report_number(value->audio->sample_rate), "channels",
                    (json_int_t)value->audio->num_channels, "frames", (json_int_t)value->audio->length_frames, "bytes",
                    (json_int_t)value->audio->encoded_audio_string.len);
      return "audio";
    case TENSORFLOW__SUMMARY__VALUE__VALUE_TENSOR:
      if ((!plugin[0] || !strcmp(plugin, "scalars")) && sli_tensor_text_scalar(value->tensor, out_number)) {
        *out_value = sli_report_number(*out_number);
        return "scalar";
      }
      *out_value = describe_tensor(value->tensor);
      return !strcmp(plugin, "text")         ? "text"
             : !strcmp(plugin, "histograms") ? "histogram"
             : !strcmp(plugin, "images")     ? "image"
             : !strcmp(plugin, "audio")      ? "audio"
                                             : "tensor";
    default: *out_value = json_null(); return "other";
  }
}

static void add_value(log_t *log, int64_t step, const Tensorflow__Summary__Value *value) {
  tag_t *tag = sli_map_get(&log->tags, sli_view(value->tag));
  if (!tag) {
    tag = sli_calloc(1, sizeof(*tag));
    tag->first_step = step;
    tag->plugin = sli_strdup("");
    sli_map_set(&log->tags, sli_view(value->tag), tag);
  }
  if (value->metadata && value->metadata->plugin_data && value->metadata->plugin_data->plugin_name[0]) {
    free(tag->plugin);
    tag->plugin = sli_strdup(value->metadata->plugin_data->plugin_name);
  }
  double number;
  json_decref(tag->last_value);
  tag->kind = describe_value(value, tag->plugin, &tag->last_value, &number);
  tag->count++;
  tag->last_step = step;
  if (log->options->plot && !strcmp(tag->kind, "scalar") && !strcmp(log->options->plot, value->tag))
    sli_array_push(&log->points, (point_t){step, number});
}

// --- Events ---

static void add_event(log_t *log, const Tensorflow__Event *event) {
  bool first = log->events++ == 0;
  if (first || event->wall_time < log->first_time) log->first_time = event->wall_time;
  if (first || event->wall_time > log->last_time) log->last_time = event->wall_time;
  if (first || event->step < log->first_step) log->first_step = event->step;
  if (first || event->step > log->last_step) log->last_step = event->step;
  switch (event->what_case) {
    case TENSORFLOW__EVENT__WHAT_FILE_VERSION:
      free(log->version);
      log->version = sli_strdup(event->file_version);
      break;
    case TENSORFLOW__EVENT__WHAT_GRAPH_DEF: log->graphs++; break;
    case TENSORFLOW__EVENT__WHAT_META_GRAPH_DEF: log->meta_graphs++; break;
    case TENSORFLOW__EVENT__WHAT_LOG_MESSAGE: log->log_messages++; break;
    case TENSORFLOW__EVENT__WHAT_SESSION_LOG: log->session_logs++; break;
    case TENSORFLOW__EVENT__WHAT_TAGGED_RUN_METADATA: log->run_metadata++; break;
    case TENSORFLOW__EVENT__WHAT_SUMMARY:
      for (size_t i = 0; i < event->summary->n_value; i++) add_value(log, event->step, event->summary->value[i]);
      break;
    default: break;
  }
}

// Reads up to the end or up to a damaged record, which sets |*out_damage|.
static sli_status_t *read_log(const char *path, log_t *log, sli_status_t **out_damage) {
  *out_damage = NULL;
  sli_record_reader_t *reader;
  SLI_RETURN_IF_ERROR(sli_record_reader_open(path, SLI_COMPRESSION_NONE, 0, &reader));
  sli_status_t *status;
  sli_view_t record;
  while (!(status = sli_record_reader_read(reader, &record))) {
    sli_arena_t arena = {.budget = sli_proto_budget(record.size)};
    void *event;
    sli_status_t *parsed = sli_proto_parse(&tensorflow__event__descriptor, record.data, record.size, &arena, &event);
    if (!parsed)
      add_event(log, event);
    else
      log->unreadable++;
    sli_status_release(parsed);
    sli_arena_deinitialize(&arena);
  }
  sli_record_reader_release(reader);
  if (sli_status_code(status) == SLI_OUT_OF_RANGE) {
    sli_status_release(status);
    return NULL;
  }
  if (sli_status_code(status) != SLI_DATA_LOSS) return status;
  *out_damage = status;
  return NULL;
}

static void release_log(log_t *log) {
  SLI_MAP_FOR_EACH (&log->tags, entry) {
    tag_t *tag = entry->value;
    free(tag->plugin);
    json_decref(tag->last_value);
    free(tag);
  }
  sli_map_deinitialize(&log->tags);
  sli_array_deinitialize(&log->points);
  free(log->version);
}

// --- Report ---

static json_t *describe_tags(const log_t *log) {
  json_t *tags = json_array();
  SLI_MAP_FOR_EACH (&log->tags, entry) {
    const tag_t *tag = entry->value;
    json_t *row =
        json_pack("{s:o, s:s, s:I, s:I, s:I, s:O}", "tag", sli_report_string(sli_view_of(entry->key, entry->key_size)),
                  "kind", tag->kind, "count", (json_int_t)tag->count, "first_step", (json_int_t)tag->first_step,
                  "last_step", (json_int_t)tag->last_step, "last_value", tag->last_value);
    if (tag->plugin[0]) json_object_set_new(row, "plugin", sli_report_string(sli_view(tag->plugin)));
    json_array_append_new(tags, row);
  }
  return tags;
}

static sli_status_t *check_plot(const log_t *log, const char *path) {
  const tag_t *tag = sli_map_get(&log->tags, sli_view(log->options->plot));
  if (tag && log->points.count) return NULL;
  if (tag)
    return sli_status_make(SLI_INVALID_ARGUMENT, "cannot plot '%s' of '%s': it is a %s, not a scalar",
                           log->options->plot, path, tag->kind);
  const char **names = sli_calloc(log->tags.count + 1, sizeof(*names));
  size_t count = 0;
  SLI_MAP_FOR_EACH (&log->tags, entry) names[count++] = entry->key;
  const char *nearest = sli_options_nearest(log->options->plot, names, count);
  sli_status_t *status = sli_status_make(SLI_NOT_FOUND, "no tag '%s' in '%s'; %s%s%s", log->options->plot, path,
                                         nearest ? "did you mean '" : "run inspect without --plot to list the tags",
                                         nearest ? nearest : "", nearest ? "'?" : "");
  free(names);
  return status;
}

static void report_damage(const char *path, const char *text, bool is_problem, json_t *report) {
  json_object_set_new(report, "damage", sli_report_string(sli_view(text)));
  if (!is_problem) return;
  char *problem = sli_format("event file '%s' is damaged: %s", path, text);
  json_object_set_new(report, "problem", sli_report_string(sli_view(problem)));
  free(problem);
}

static void fill_report(const log_t *log, const char *path, const sli_status_t *damage, json_t *report) {
  sli_file_info_t info = {0};
  sli_status_release(sli_file_info(path, &info));
  json_t *facts =
      json_pack("{s:s, s:o, s:I, s:o, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "kind", "event file", "path",
                sli_report_string(sli_view(path)), "bytes", (json_int_t)info.size, "version",
                log->version ? sli_report_string(sli_view(log->version)) : json_null(), "events",
                (json_int_t)log->events, "first_wall_time", sli_report_number(log->first_time), "last_wall_time",
                sli_report_number(log->last_time), "first_step", (json_int_t)log->first_step, "last_step",
                (json_int_t)log->last_step, "graphs", (json_int_t)log->graphs, "meta_graphs",
                (json_int_t)log->meta_graphs, "run_metadata", (json_int_t)log->run_metadata, "session_logs",
                (json_int_t)log->session_logs, "log_messages", (json_int_t)log->log_messages);
  json_object_update(report, facts);
  json_decref(facts);
  json_object_set_new(report, "tags", describe_tags(log));
  if (log->options->plot) {
    json_t *points = json_array();
    for (size_t i = 0; i < log->points.count; i++)
      json_array_append_new(points, json_pack("[I, o]", (json_int_t)log->points.items[i].step,
                                              sli_report_number(log->points.items[i].value)));
    json_object_set_new(
        report, "plot",
        json_pack("{s:o, s:o}", "tag", sli_report_string(sli_view(log->options->plot)), "points", points));
  }
  if (damage) report_damage(path, sli_status_message(damage), log->options->verify, report);
  if (log->unreadable) {
    char *text = sli_format("%" PRId64 " records are not Events", log->unreadable);
    report_damage(path, text, log->options->verify, report);
    free(text);
  }
}

sli_status_t *sli_inspect_events(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                 json_t *report) {
  log_t log = {.options = options};
  sli_status_t *damage;
  sli_status_t *status = read_log(subject->path, &log, &damage);
  if (!status && options->plot) status = check_plot(&log, subject->path);
  if (!status) fill_report(&log, subject->path, damage, report);
  sli_status_release(damage);
  release_log(&log);
  return status;
}

// --- Printing ---

static void append_last_value(sli_string_t *out, const json_t *value, const char *kind) {
  if (!strcmp(kind, "scalar")) {
    sli_report_append_double(out, sli_report_get_double(value), true);
  } else if (json_is_string(value)) {
    sli_report_append_quoted(out, value, MAX_TEXT);
  } else if (json_object_get(value, "num")) {
    sli_string_append_format(out, "%.6g values in %.6g … %.6g", sli_report_get_double(json_object_get(value, "num")),
                             sli_report_get_double(json_object_get(value, "min")),
                             sli_report_get_double(json_object_get(value, "max")));
  } else if (json_object_get(value, "height")) {
    sli_string_append_format(out, "%" PRId64 " x %" PRId64 " x %" PRId64 ", ", sli_report_get_int(value, "height"),
                             sli_report_get_int(value, "width"), sli_report_get_int(value, "colorspace"));
    sli_report_append_size(out, sli_report_get_int(value, "bytes"));
  } else if (json_object_get(value, "frames")) {
    sli_string_append_format(out, "%" PRId64 " frames at %.6g Hz", sli_report_get_int(value, "frames"),
                             sli_report_get_double(json_object_get(value, "sample_rate")));
  } else if (json_object_get(value, "dtype")) {
    sli_string_append_text(out, sli_report_get_text(value, "dtype"));
    sli_report_append_dims(out, json_object_get(value, "shape"));
  }
}

static void append_time(sli_string_t *out, double seconds) {
  struct tm parts;
  char text[64];
  time_t whole = seconds >= 0 && seconds < 1e12 ? (time_t)seconds : 0;
  if (!gmtime_r(&whole, &parts) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts)) return;
  sli_string_append_text(out, text);
}

static void print_head(const json_t *report) {
  sli_string_t text = {0};
  sli_report_append_plain(&text, sli_report_get_text(report, "path"));
  sli_string_append_text(&text, " (");
  sli_report_append_size(&text, sli_report_get_int(report, "bytes"));
  sli_report_print(SLI_REPORT_BOLD, "event file %s)\n", text.data);
  sli_string_clear(&text);
  double first = sli_report_get_double(json_object_get(report, "first_wall_time"));
  double last = sli_report_get_double(json_object_get(report, "last_wall_time"));
  sli_string_append_format(&text, "%" PRId64 " events, steps %" PRId64 " to %" PRId64 ", ",
                           sli_report_get_int(report, "events"), sli_report_get_int(report, "first_step"),
                           sli_report_get_int(report, "last_step"));
  append_time(&text, first);
  sli_string_append_format(&text, " + %.3f s\n", last - first);
  printf("%s", text.data);
  static const struct {
    const char *key, *name;
  } counts[] = {{"graphs", "graph"},
                {"meta_graphs", "meta graph"},
                {"run_metadata", "run metadata"},
                {"session_logs", "session log"},
                {"log_messages", "log message"}};
  sli_string_clear(&text);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(counts); i++) {
    int64_t count = sli_report_get_int(report, counts[i].key);
    if (count) sli_string_append_format(&text, "%s%s (%" PRId64 ")", text.size ? ", " : "", counts[i].name, count);
  }
  if (text.size) printf("has %s\n", text.data);
  sli_string_deinitialize(&text);
}

static void print_plot(const json_t *plot) {
  const json_t *list = json_object_get(plot, "points");
  size_t count = json_array_size(list);
  sli_inspect_point_t *points = sli_calloc(count + 1, sizeof(*points));
  for (size_t i = 0; i < count; i++) {
    const json_t *point = json_array_get(list, i);
    points[i].x = (double)json_integer_value(json_array_get(point, 0));
    points[i].y = sli_report_get_double(json_array_get(point, 1));
  }
  sli_string_t text = {0};
  sli_report_append_plain(&text, sli_report_get_text(plot, "tag"));
  sli_report_print(SLI_REPORT_BOLD, "%s (%zu points)\n", sli_string_text(&text), count);
  sli_string_clear(&text);
  sli_inspect_append_plot(&text, points, count, sli_report_width());
  fputs(sli_string_text(&text), stdout);
  sli_string_deinitialize(&text);
  free(points);
}

void sli_inspect_events_print(const json_t *report, const sli_inspect_options_t *options) {
  static const char *const titles[] = {"tag", "kind", ">count", ">first", ">last", "last value", NULL};
  const json_t *plot = json_object_get(report, "plot");
  if (plot) {
    print_plot(plot);
  } else {
    print_head(report);
    sli_report_table_t table = {.titles = titles};
    size_t i;
    json_t *tag;
    json_array_foreach(json_object_get(report, "tags"), i, tag) {
      const char *kind = sli_report_get_text(tag, "kind");
      sli_report_table_add(&table, sli_report_get_text(tag, "tag"));
      sli_report_table_add(&table, kind);
      sli_report_table_add_format(&table, "%" PRId64, sli_report_get_int(tag, "count"));
      sli_report_table_add_format(&table, "%" PRId64, sli_report_get_int(tag, "first_step"));
      sli_report_table_add_format(&table, "%" PRId64, sli_report_get_int(tag, "last_step"));
      sli_string_t text = {0};
      append_last_value(&text, json_object_get(tag, "last_value"), kind);
      sli_report_table_add_string(&table, &text);
    }
    if (table.cells.count) sli_report_table_finish(&table, sli_inspect_limit(options, INT64_MAX));
  }
  if (json_object_get(report, "damage"))
    sli_report_print(SLI_REPORT_RED, "damaged: %s (the data above precedes the damage)\n",
                     sli_report_get_text(report, "damage"));
}
