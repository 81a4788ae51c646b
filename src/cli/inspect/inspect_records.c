// TFRecord files: the number and sizes of the records, and the features of the first Examples.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "cli/common/report.h"
#include "cli/inspect/inspect.h"
#include "io/file/file.h"
#include "io/record/record.h"
#include "proto/example.pb-c.h"
#include "proto/proto.h"

enum { USUAL_EXAMPLES = 3, SAMPLE = 100, MAX_VALUES = 8, MAX_TEXT = 60 };

// A feature of the sampled Examples.
typedef struct {
  const char *kind;
  bool is_list;  // a feature list of a SequenceExample
  int64_t count, least, most;
} feature_t;

typedef struct {
  int64_t records, record_bytes, smallest, largest;
  int64_t sampled, examples, sequence_examples;
  sli_map_t features;  // feature_t *
  json_t *first;
} survey_t;

// --- One record ---

static const char *feature_kind(const Tensorflow__Feature *feature, size_t *out_length) {
  *out_length = 0;
  switch (feature ? feature->kind_case : TENSORFLOW__FEATURE__KIND__NOT_SET) {
    case TENSORFLOW__FEATURE__KIND_BYTES_LIST: *out_length = feature->bytes_list->n_value; return "bytes";
    case TENSORFLOW__FEATURE__KIND_FLOAT_LIST: *out_length = feature->float_list->n_value; return "float";
    case TENSORFLOW__FEATURE__KIND_INT64_LIST: *out_length = feature->int64_list->n_value; return "int64";
    default: return "none";
  }
}

static json_t *describe_feature(const char *name, const Tensorflow__Feature *feature) {
  size_t length;
  const char *kind = feature_kind(feature, &length);
  json_t *values = json_array();
  for (size_t i = 0; i < length && i < MAX_VALUES; i++) {
    if (feature->kind_case == TENSORFLOW__FEATURE__KIND_BYTES_LIST) {
      const ProtobufCBinaryData *bytes = &feature->bytes_list->value[i];
      size_t shown = bytes->len < MAX_TEXT ? bytes->len : MAX_TEXT;
      json_array_append_new(
          values, json_pack("{s:o, s:I}", "start", sli_report_string(sli_view_of((char *)bytes->data, shown)), "bytes",
                            (json_int_t)bytes->len));
    } else if (feature->kind_case == TENSORFLOW__FEATURE__KIND_FLOAT_LIST) {
      json_array_append_new(values, sli_report_number(feature->float_list->value[i]));
    } else {
      json_array_append_new(values, json_integer(feature->int64_list->value[i]));
    }
  }
  return json_pack("{s:o, s:s, s:I, s:o}", "name", sli_report_string(sli_view(name)), "kind", kind, "length",
                   (json_int_t)length, "values", values);
}

static void count_feature(survey_t *survey, const char *name, const char *kind, bool is_list, size_t length) {
  feature_t *feature = sli_map_get(&survey->features, sli_view(name));
  if (!feature) {
    feature = sli_calloc(1, sizeof(*feature));
    *feature = (feature_t){.kind = kind, .is_list = is_list, .least = (int64_t)length, .most = (int64_t)length};
    sli_map_set(&survey->features, sli_view(name), feature);
  }
  // An empty feature may be stored without a kind.
  if (!strcmp(feature->kind, "none")) feature->kind = kind;
  if (strcmp(kind, "none") && strcmp(feature->kind, kind)) feature->kind = "mixed";
  feature->count++;
  if ((int64_t)length < feature->least) feature->least = (int64_t)length;
  if ((int64_t)length > feature->most) feature->most = (int64_t)length;
}

// Counts the features, and appends their descriptions to |out| unless that is NULL.
static void add_features(survey_t *survey, const Tensorflow__Features *features, json_t *out) {
  for (size_t i = 0; features && i < features->n_feature; i++) {
    const Tensorflow__Features__FeatureEntry *entry = features->feature[i];
    size_t length;
    const char *kind = feature_kind(entry->value, &length);
    count_feature(survey, entry->key, kind, false, length);
    if (out) json_array_append_new(out, describe_feature(entry->key, entry->value));
  }
}

static void add_feature_lists(survey_t *survey, const Tensorflow__FeatureLists *lists, json_t *out) {
  for (size_t i = 0; lists && i < lists->n_feature_list; i++) {
    const Tensorflow__FeatureLists__FeatureListEntry *entry = lists->feature_list[i];
    size_t steps = entry->value ? entry->value->n_feature : 0, length;
    const char *kind = feature_kind(steps ? entry->value->feature[0] : NULL, &length);
    count_feature(survey, entry->key, kind, true, steps);
    if (!out) continue;
    json_t *row = describe_feature(entry->key, steps ? entry->value->feature[0] : NULL);
    json_object_set_new(row, "steps", json_integer((json_int_t)steps));
    json_array_append_new(out, row);
  }
}

static bool is_known(const ProtobufCMessage *message) { return message && message->n_unknown_fields == 0; }

// Counts the features of a record; if |describe|, also appends its description to |survey->first|.
static void sample_record(survey_t *survey, sli_view_t record, bool describe) {
  sli_arena_t arena = {.budget = sli_proto_budget(record.size)};
  void *message = NULL;
  sli_status_t *status =
      sli_proto_parse(&tensorflow__sequence_example__descriptor, record.data, record.size, &arena, &message);
  json_t *row = json_pack("{s:I, s:I}", "record", (json_int_t)survey->records, "bytes", (json_int_t)record.size);
  json_t *features = json_array();
  const Tensorflow__SequenceExample *example = status ? NULL : message;
  // An Example has the same field 1 as a SequenceExample. A message without fields counts as plain bytes.
  bool good = example && is_known(&example->base) && (example->context || example->feature_lists) &&
              (!example->context || is_known(&example->context->base));
  survey->sampled++;
  if (good) {
    bool sequence = example->feature_lists != NULL;
    *(sequence ? &survey->sequence_examples : &survey->examples) += 1;
    add_features(survey, example->context, describe ? features : NULL);
    add_feature_lists(survey, example->feature_lists, describe ? features : NULL);
  }
  json_object_set_new(row, "message",
                      good ? json_string(example->feature_lists ? "SequenceExample" : "Example") : json_null());
  if (good)
    json_object_set(row, "features", features);
  else
    json_object_set_new(row, "start",
                        sli_report_string(sli_view_of(record.data, record.size < MAX_TEXT ? record.size : MAX_TEXT)));
  if (describe) json_array_append(survey->first, row);
  json_decref(features);
  json_decref(row);
  sli_status_release(status);
  sli_arena_deinitialize(&arena);
}

// --- The file ---

static sli_status_t *read_records(const sli_inspect_subject_t *subject, int64_t limit, survey_t *survey) {
  sli_record_reader_t *reader;
  SLI_RETURN_IF_ERROR(sli_record_reader_open(subject->path, subject->compression, 0, &reader));
  sli_status_t *status;
  sli_view_t record;
  while (!(status = sli_record_reader_read(reader, &record))) {
    int64_t size = (int64_t)record.size;
    if (survey->records < SAMPLE || survey->records < limit) sample_record(survey, record, survey->records < limit);
    if (survey->records == 0 || size < survey->smallest) survey->smallest = size;
    if (size > survey->largest) survey->largest = size;
    survey->record_bytes += size;
    survey->records++;
  }
  sli_record_reader_release(reader);
  if (sli_status_code(status) != SLI_OUT_OF_RANGE) return status;
  sli_status_release(status);
  return NULL;
}

static int compare_features(const void *a, const void *b) {
  return strcmp((*(sli_map_entry_t *const *)a)->key, (*(sli_map_entry_t *const *)b)->key);
}

static json_t *describe_features(const survey_t *survey) {
  SLI_ARRAY(sli_map_entry_t *) sorted = {0};
  SLI_MAP_FOR_EACH (&survey->features, entry) sli_array_push(&sorted, entry);
  if (sorted.count) qsort(sorted.items, sorted.count, sizeof(*sorted.items), compare_features);
  json_t *list = json_array();
  for (size_t i = 0; i < sorted.count; i++) {
    const feature_t *feature = sorted.items[i]->value;
    json_array_append_new(
        list, json_pack("{s:o, s:s, s:b, s:I, s:I, s:I}", "name",
                        sli_report_string(sli_view_of(sorted.items[i]->key, sorted.items[i]->key_size)), "kind",
                        feature->kind, "list", feature->is_list, "count", (json_int_t)feature->count, "min_length",
                        (json_int_t)feature->least, "max_length", (json_int_t)feature->most));
  }
  sli_array_deinitialize(&sorted);
  return list;
}

static void fill_report(const survey_t *survey, const sli_inspect_subject_t *subject, const sli_status_t *damage,
                        json_t *report) {
  static const char *const packings[] = {
      [SLI_COMPRESSION_NONE] = "", [SLI_COMPRESSION_ZLIB] = "ZLIB", [SLI_COMPRESSION_GZIP] = "GZIP"};
  sli_file_info_t info = {0};
  sli_status_release(sli_file_info(subject->path, &info));
  json_t *facts = json_pack(
      "{s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:O}", "kind", "TFRecord file", "path",
      sli_report_string(sli_view(subject->path)), "compression", packings[subject->compression], "bytes",
      (json_int_t)info.size, "records", (json_int_t)survey->records, "record_bytes", (json_int_t)survey->record_bytes,
      "smallest", (json_int_t)survey->smallest, "largest", (json_int_t)survey->largest, "sampled",
      (json_int_t)survey->sampled, "examples", (json_int_t)survey->examples, "sequence_examples",
      (json_int_t)survey->sequence_examples, "features", describe_features(survey), "first", survey->first);
  json_object_update(report, facts);
  json_decref(facts);
  if (!damage) return;
  char *problem = sli_format("TFRecord file '%s' is damaged after %" PRId64 " good records: %s", subject->path,
                             survey->records, sli_status_message(damage));
  json_object_set_new(report, "damage", sli_report_string(sli_view(sli_status_message(damage))));
  json_object_set_new(report, "problem", sli_report_string(sli_view(problem)));
  free(problem);
}

sli_status_t *sli_inspect_records(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                  json_t *report) {
  survey_t survey = {.first = json_array()};
  sli_status_t *status = read_records(subject, sli_inspect_limit(options, USUAL_EXAMPLES), &survey);
  if (!status || sli_status_code(status) == SLI_DATA_LOSS) {
    fill_report(&survey, subject, status, report);
    sli_status_release(status);
    status = NULL;
  }
  SLI_MAP_FOR_EACH (&survey.features, entry) free(entry->value);
  sli_map_deinitialize(&survey.features);
  json_decref(survey.first);
  return status;
}

// --- Printing ---

static void print_head(const json_t *report) {
  sli_string_t text = {0};
  sli_report_append_plain(&text, sli_report_get_text(report, "path"));
  sli_string_append_text(&text, " (");
  sli_report_append_size(&text, sli_report_get_int(report, "bytes"));
  const char *packing = sli_report_get_text(report, "compression");
  sli_report_print(SLI_REPORT_BOLD, "TFRecord file %s%s%s)\n", text.data, packing[0] ? ", " : "", packing);
  sli_string_clear(&text);
  sli_report_append_size(&text, sli_report_get_int(report, "record_bytes"));
  int64_t records = sli_report_get_int(report, "records"), least = sli_report_get_int(report, "smallest");
  printf("%" PRId64 " record%s, %s", records, records == 1 ? "" : "s", text.data);
  if (records > 1) printf(", each %" PRId64 " to %" PRId64 " bytes", least, sli_report_get_int(report, "largest"));
  putchar('\n');
  sli_string_deinitialize(&text);
  int64_t sampled = sli_report_get_int(report, "sampled"), examples = sli_report_get_int(report, "examples");
  int64_t sequences = sli_report_get_int(report, "sequence_examples");
  if (sampled)
    printf("of the first %" PRId64 ": %" PRId64 " Examples, %" PRId64 " SequenceExamples, %" PRId64 " others\n",
           sampled, examples, sequences, sampled - examples - sequences);
}

static void print_features(const json_t *report) {
  static const char *const titles[] = {"feature", "kind", "length", ">in", NULL};
  sli_report_table_t table = {.titles = titles};
  size_t i;
  json_t *feature;
  json_array_foreach(json_object_get(report, "features"), i, feature) {
    int64_t least = sli_report_get_int(feature, "min_length"), most = sli_report_get_int(feature, "max_length");
    bool is_list = json_is_true(json_object_get(feature, "list"));
    sli_report_table_add(&table, sli_report_get_text(feature, "name"));
    sli_report_table_add_format(&table, "%s%s", sli_report_get_text(feature, "kind"), is_list ? " list" : "");
    if (least == most)
      sli_report_table_add_format(&table, "%" PRId64, least);
    else
      sli_report_table_add_format(&table, "%" PRId64 " to %" PRId64, least, most);
    sli_report_table_add_format(&table, "%" PRId64, sli_report_get_int(feature, "count"));
  }
  if (table.cells.count) sli_report_table_finish(&table, INT64_MAX);
}

static void append_values(sli_string_t *out, const json_t *feature) {
  size_t i;
  json_t *value;
  json_array_foreach(json_object_get(feature, "values"), i, value) {
    if (i) sli_string_append_char(out, ' ');
    if (json_is_object(value)) {
      int64_t bytes = sli_report_get_int(value, "bytes");
      sli_report_append_quoted(out, json_object_get(value, "start"), MAX_TEXT);
      if (bytes > MAX_TEXT) sli_string_append_format(out, " (%" PRId64 " bytes)", bytes);
    } else if (json_is_integer(value)) {
      sli_string_append_format(out, "%lld", (long long)json_integer_value(value));
    } else {
      sli_report_append_double(out, sli_report_get_double(value), true);
    }
  }
  if (i < (size_t)sli_report_get_int(feature, "length")) sli_string_append_text(out, " …");
}

static void print_record(const json_t *row) {
  const char *message = sli_report_get_text(row, "message");
  sli_report_print(SLI_REPORT_BOLD, "record %" PRId64 ": %s, %" PRId64 " bytes\n", sli_report_get_int(row, "record"),
                   message[0] ? message : "not an Example", sli_report_get_int(row, "bytes"));
  sli_string_t text = {0};
  if (!message[0] && sli_report_get_int(row, "bytes")) {
    sli_report_append_quoted(&text, json_object_get(row, "start"), MAX_TEXT);
    printf("  %s\n", text.data);
  }
  size_t i;
  json_t *feature;
  json_array_foreach(json_object_get(row, "features"), i, feature) {
    sli_string_clear(&text);
    sli_report_append_plain(&text, sli_report_get_text(feature, "name"));
    sli_string_append_format(&text, ": %s", sli_report_get_text(feature, "kind"));
    const json_t *steps = json_object_get(feature, "steps");
    if (steps) sli_string_append_format(&text, "[%lld]", (long long)json_integer_value(steps));
    sli_string_append_format(&text, "[%" PRId64 "]  ", sli_report_get_int(feature, "length"));
    append_values(&text, feature);
    while (text.data[text.size - 1] == ' ') text.data[--text.size] = '\0';
    printf("  %s\n", text.data);
  }
  sli_string_deinitialize(&text);
}

void sli_inspect_records_print(const json_t *report, const sli_inspect_options_t *options) {
  print_head(report);
  print_features(report);
  size_t i;
  json_t *row;
  json_array_foreach(json_object_get(report, "first"), i, row) print_record(row);
}
