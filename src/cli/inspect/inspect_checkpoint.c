// Checkpoints: the list of tensors, one tensor's values, or a check of every byte.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/options.h"
#include "cli/common/report.h"
#include "cli/common/tensor_text.h"
#include "cli/inspect/inspect.h"
#include "io/checkpoint/checkpoint_reader.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "proto/types.pb-c.h"

enum { USUAL_VALUES = 1000 };

// --- The list ---

static bool is_string(const sli_bundle_entry_t *entry) { return entry->dtype == TENSORFLOW__DATA_TYPE__DT_STRING; }

// The size of the elements in bytes; -1 if it is not known without reading them.
static int64_t entry_bytes(const sli_bundle_entry_t *entry, bool v2) {
  int64_t count;
  size_t size = sli_report_dtype_size(entry->dtype);
  if (size == 0) return v2 && entry->slice_count == 0 ? (int64_t)entry->size : -1;
  return sli_tensor_slice_count(entry->dims, entry->rank, &count) && count <= INT64_MAX / (int64_t)size
             ? count * (int64_t)size
             : -1;
}

static json_t *describe_slices(const sli_bundle_entry_t *entry) {
  json_t *slices = json_array();
  for (size_t i = 0; i < entry->slice_count; i++) {
    sli_string_t text = {0};
    sli_tensor_slice_describe(entry->slices + i * (size_t)entry->rank, entry->rank, &text);
    json_array_append_new(slices, json_string(sli_string_text(&text)));
    sli_string_deinitialize(&text);
  }
  return slices;
}

static json_t *describe_entry(const sli_bundle_entry_t *entry, bool v2) {
  int64_t bytes = entry_bytes(entry, v2);
  json_t *tensor = json_pack("{s:o, s:s, s:o, s:o}", "name", sli_report_string(entry->name), "dtype",
                             sli_report_dtype(entry->dtype), "shape", sli_report_dims(entry->dims, entry->rank),
                             "bytes", bytes < 0 ? json_null() : json_integer(bytes));
  // V1 stores a tensor that is not partitioned as one slice that covers it.
  bool partitioned = entry->slice_count > 1 ||
                     (entry->slice_count == 1 && !sli_tensor_slice_is_whole(entry->slices, entry->dims, entry->rank));
  if (partitioned) json_object_set_new(tensor, "slices", describe_slices(entry));
  return tensor;
}

static void collect_list(const sli_checkpoint_reader_t *reader, bool v2, json_t *report) {
  json_t *tensors = json_array();
  int64_t bytes = 0, elements = 0;
  size_t count = sli_checkpoint_reader_count(reader);
  for (size_t i = 0; i < count; i++) {
    const sli_bundle_entry_t *entry = sli_checkpoint_reader_at(reader, i);
    int64_t entry_elements = 0, size = entry_bytes(entry, v2);
    sli_tensor_slice_count(entry->dims, entry->rank, &entry_elements);
    // The sizes of a damaged index may be wrong: their sums may wrap around but must not overflow.
    elements = (int64_t)((uint64_t)elements + (uint64_t)entry_elements);
    if (size > 0) bytes = (int64_t)((uint64_t)bytes + (uint64_t)size);
    json_array_append_new(tensors, describe_entry(entry, v2));
  }
  json_object_set_new(report, "tensors", tensors);
  json_object_set_new(report, "total",
                      json_pack("{s:I, s:I, s:I}", "tensors", (json_int_t)count, "elements", (json_int_t)elements,
                                "bytes", (json_int_t)bytes));
}

static void add_file(json_t *files, const char *path) {
  sli_file_info_t info;
  sli_status_t *status = sli_file_info(path, &info);
  if (!status)
    json_array_append_new(
        files, json_pack("{s:o, s:I}", "path", sli_report_string(sli_view(path)), "bytes", (json_int_t)info.size));
  sli_status_release(status);
}

// The files of a checkpoint: |prefix|.index and |prefix|.data-…, or the single file of V1.
static json_t *list_files(const char *prefix, bool v2) {
  json_t *files = json_array();
  if (!v2) {
    add_file(files, prefix);
    return files;
  }
  char *index = sli_format("%s.index", prefix), *directory = sli_path_directory(prefix);
  char *start = sli_format("%s.data-", sli_path_base(prefix));
  add_file(files, index);
  sli_path_list_t names = {0};
  sli_status_release(sli_file_list(directory[0] ? directory : ".", &names));
  for (size_t i = 0; i < names.count; i++) {
    if (!sli_string_starts_with(names.items[i], start)) continue;
    char *path = sli_path_join(directory, names.items[i]);
    add_file(files, path);
    free(path);
  }
  sli_path_list_deinitialize(&names);
  free(start);
  free(directory);
  free(index);
  return files;
}

// --- Values ---

static sli_status_t *allocate(const sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *slice, void **out_data,
                              size_t *out_size, size_t *out_count) {
  int64_t count = 1;
  size_t element = sli_report_dtype_size(entry->dtype);
  if (!slice && !sli_tensor_slice_count(entry->dims, entry->rank, &count)) count = INT64_MAX;
  for (int d = 0; slice && d < entry->rank; d++)  // the slice is inside the tensor, so this cannot overflow
    count *= slice[d].length == SLI_TENSOR_SLICE_ALL ? entry->dims[d] : slice[d].length;
  *out_count = (size_t)count;
  *out_data = NULL;
  if (element == 0)
    return sli_status_make(SLI_UNIMPLEMENTED, "tensor '%.*s' is of type %s, which cannot be read",
                           SLI_VIEW_ARG(entry->name), sli_report_dtype(entry->dtype));
  if (!__builtin_mul_overflow((size_t)count, element, out_size) && *out_size < SIZE_MAX)
    *out_data = sli_malloc_or_null(*out_size + 1);
  if (*out_data) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "not enough memory for the %" PRId64 " elements of tensor '%.*s'",
                         count, SLI_VIEW_ARG(entry->name));
}

static sli_status_t *no_such_tensor(const sli_checkpoint_reader_t *reader, const char *prefix, const char *name) {
  size_t count = sli_checkpoint_reader_count(reader);
  const char **names = sli_calloc(count + 1, sizeof(*names));
  for (size_t i = 0; i < count; i++) {
    sli_view_t view = sli_checkpoint_reader_at(reader, i)->name;
    names[i] = sli_strndup(view.data, view.size);
  }
  const char *nearest = sli_options_nearest(name, names, count);
  sli_status_t *status =
      sli_status_make(SLI_NOT_FOUND, "no tensor '%s' in checkpoint '%s'; %s%s%s", name, prefix,
                      nearest ? "did you mean '" : "run inspect without --values to list the tensors",
                      nearest ? nearest : "", nearest ? "'?" : "");
  for (size_t i = 0; i < count; i++) free((char *)names[i]);
  free(names);
  return status;
}

static void report_values(const sli_tensor_text_view_t *tensor, const sli_inspect_options_t *options, json_t *report) {
  int64_t limit = sli_inspect_limit(options, USUAL_VALUES);
  if (options->json) {
    size_t shown = tensor->count < (uint64_t)limit ? tensor->count : (size_t)limit;
    json_t *values = json_array();
    for (size_t i = 0; i < shown; i++) json_array_append_new(values, sli_tensor_text_json(tensor, i));
    json_object_set_new(report, "values", values);
    json_object_set_new(report, "truncated", json_boolean(shown < tensor->count));
  } else {
    sli_string_t text = {0};
    sli_tensor_text_append(&text, tensor, limit);
    json_object_set_new(report, "text", json_stringn(sli_string_text(&text), text.size));
    sli_string_deinitialize(&text);
  }
  json_t *statistics = sli_tensor_text_statistics(tensor);
  if (statistics) json_object_set_new(report, "statistics", statistics);
}

static sli_status_t *collect_values(sli_checkpoint_reader_t *reader, const char *prefix, bool v2,
                                    const sli_inspect_options_t *options, json_t *report) {
  const sli_bundle_entry_t *entry = sli_checkpoint_reader_find(reader, sli_view(options->values));
  if (!entry) return no_such_tensor(reader, prefix, options->values);
  json_t *description = describe_entry(entry, v2);
  json_object_set_new(report, "tensor", description);
  sli_tensor_text_view_t tensor = {.dtype = entry->dtype, .rank = entry->rank, .dims = entry->dims};
  sli_bundle_strings_t strings = {0};
  void *data = NULL;
  size_t size = 0;
  sli_status_t *status;
  if (is_string(entry)) {
    status = sli_checkpoint_reader_read_strings(reader, entry, NULL, &strings);
    tensor.strings = strings.items;
    tensor.count = strings.count;
  } else {
    status = allocate(entry, NULL, &data, &size, &tensor.count);
    if (!status) status = sli_checkpoint_reader_read(reader, entry, NULL, data, size);
    tensor.data = data;
  }
  if (!status) report_values(&tensor, options, description);
  free(data);
  sli_bundle_strings_deinitialize(&strings);
  return status;
}

// --- Verification ---

static sli_status_t *verify_part(sli_checkpoint_reader_t *reader, const sli_bundle_entry_t *entry,
                                 const sli_tensor_slice_extent_t *slice, uint64_t *bytes) {
  if (is_string(entry)) {
    sli_bundle_strings_t strings = {0};
    SLI_RETURN_IF_ERROR(sli_checkpoint_reader_read_strings(reader, entry, slice, &strings));
    for (size_t i = 0; i < strings.count; i++) *bytes += strings.items[i].size;
    sli_bundle_strings_deinitialize(&strings);
    return NULL;
  }
  void *data;
  size_t size, count;
  SLI_RETURN_IF_ERROR(allocate(entry, slice, &data, &size, &count));
  sli_status_t *status = sli_checkpoint_reader_read(reader, entry, slice, data, size);
  if (!status) *bytes += size;
  free(data);
  return status;
}

static void collect_verification(sli_checkpoint_reader_t *reader, const char *prefix, json_t *report) {
  json_t *errors = json_array();
  uint64_t bytes = 0;
  for (size_t i = 0; i < sli_checkpoint_reader_count(reader); i++) {
    const sli_bundle_entry_t *entry = sli_checkpoint_reader_at(reader, i);
    size_t parts = entry->slice_count ? entry->slice_count : 1;
    for (size_t part = 0; part < parts; part++) {
      const sli_tensor_slice_extent_t *slice = entry->slice_count ? entry->slices + part * (size_t)entry->rank : NULL;
      sli_status_t *status = verify_part(reader, entry, slice, &bytes);
      if (status)
        json_array_append_new(errors, json_pack("{s:o, s:o}", "tensor", sli_report_string(entry->name), "message",
                                                sli_report_string(sli_view(sli_status_message(status)))));
      sli_status_release(status);
    }
  }
  size_t count = json_array_size(errors);
  if (count) {
    char *more = count > 1 ? sli_format(" (and %zu more)", count - 1) : sli_strdup("");
    char *problem = sli_format("checkpoint '%s' is damaged: %s%s", prefix,
                               sli_report_get_text(json_array_get(errors, 0), "message"), more);
    json_object_set_new(report, "problem", sli_report_string(sli_view(problem)));
    free(problem);
    free(more);
  }
  json_object_set_new(report, "verify",
                      json_pack("{s:b, s:I, s:o}", "good", count == 0, "bytes", (json_int_t)bytes, "errors", errors));
}

sli_status_t *sli_inspect_checkpoint(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                     json_t *report) {
  char *index = sli_format("%s.index", subject->path);
  bool v2 = sli_file_exists(index);
  free(index);
  sli_checkpoint_reader_t *reader;
  SLI_RETURN_IF_ERROR(sli_checkpoint_reader_open(subject->path, &reader));
  json_object_set_new(report, "kind", json_string("checkpoint"));
  json_object_set_new(report, "path", sli_report_string(sli_view(subject->path)));
  json_object_set_new(report, "format", json_string(v2 ? "V2" : "V1"));
  json_object_set_new(report, "files", list_files(subject->path, v2));
  sli_status_t *status = NULL;
  if (options->values)
    status = collect_values(reader, subject->path, v2, options, report);
  else
    collect_list(reader, v2, report);
  if (!status && options->verify) collect_verification(reader, subject->path, report);
  sli_checkpoint_reader_release(reader);
  return status;
}

// --- Printing ---

static void print_list(const json_t *report, const sli_inspect_options_t *options) {
  static const char *const titles[] = {"name", "dtype", "shape", ">bytes", "slices", NULL};
  sli_report_table_t table = {.titles = titles};
  size_t i, s;
  json_t *tensor, *slice;
  json_array_foreach(json_object_get(report, "tensors"), i, tensor) {
    sli_string_t text = {0};
    sli_report_table_add(&table, sli_report_get_text(tensor, "name"));
    sli_report_table_add(&table, sli_report_get_text(tensor, "dtype"));
    sli_report_append_dims(&text, json_object_get(tensor, "shape"));
    sli_report_table_add_string(&table, &text);
    json_t *bytes = json_object_get(tensor, "bytes");
    if (json_is_integer(bytes))
      sli_report_table_add_format(&table, "%lld", (long long)json_integer_value(bytes));
    else
      sli_report_table_add(&table, "?");
    json_array_foreach(json_object_get(tensor, "slices"), s, slice)
        sli_string_append_format(&text, "%s%s", s ? " " : "", json_string_value(slice));
    sli_report_table_add_string(&table, &text);
  }
  if (table.cells.count) sli_report_table_finish(&table, sli_inspect_limit(options, INT64_MAX));
  const json_t *total = json_object_get(report, "total");
  sli_string_t text = {0};
  sli_report_append_size(&text, sli_report_get_int(total, "bytes"));
  int64_t count = sli_report_get_int(total, "tensors");
  sli_report_print(SLI_REPORT_BOLD, "%" PRId64 " tensor%s, %" PRId64 " elements, %s\n", count, count == 1 ? "" : "s",
                   sli_report_get_int(total, "elements"), sli_string_text(&text));
  sli_string_deinitialize(&text);
}

static void print_values(const json_t *tensor) {
  sli_string_t text = {0};
  sli_report_append_plain(&text, sli_report_get_text(tensor, "name"));
  sli_string_append_format(&text, "  %s  ", sli_report_get_text(tensor, "dtype"));
  sli_report_append_dims(&text, json_object_get(tensor, "shape"));
  sli_report_print(SLI_REPORT_BOLD, "%s\n", sli_string_text(&text));
  printf("%s\n", sli_report_get_text(tensor, "text"));
  sli_string_clear(&text);
  const char *key;
  json_t *value;
  json_object_foreach(json_object_get(tensor, "statistics"), key, value) {
    sli_string_append_format(&text, "%s%s ", text.size ? ", " : "", key);
    sli_string_append_format(&text, "%.6g", json_number_value(value));
  }
  if (text.size) sli_report_print(SLI_REPORT_DIM, "%s\n", text.data);
  sli_string_deinitialize(&text);
}

static void print_verification(const json_t *verify) {
  size_t i;
  json_t *error;
  json_array_foreach(json_object_get(verify, "errors"), i, error) {
    sli_string_t text = {0};
    sli_report_append_plain(&text, sli_report_get_text(error, "tensor"));
    sli_string_append_text(&text, ": ");
    sli_report_append_plain(&text, sli_report_get_text(error, "message"));
    sli_report_print(SLI_REPORT_RED, "damaged: %s\n", text.data);
    sli_string_deinitialize(&text);
  }
  if (json_is_true(json_object_get(verify, "good")))
    printf("verified: all checksums match, %" PRId64 " bytes of values read\n", sli_report_get_int(verify, "bytes"));
}

void sli_inspect_checkpoint_print(const json_t *report, const sli_inspect_options_t *options) {
  const json_t *tensor = json_object_get(report, "tensor");
  if (tensor) {
    print_values(tensor);
  } else {
    sli_string_t path = {0};
    sli_report_append_plain(&path, sli_report_get_text(report, "path"));
    size_t files = json_array_size(json_object_get(report, "files"));
    sli_report_print(SLI_REPORT_BOLD, "checkpoint %s (%s, %zu file%s)\n", sli_string_text(&path),
                     sli_report_get_text(report, "format"), files, files == 1 ? "" : "s");
    sli_string_deinitialize(&path);
    print_list(report, options);
  }
  const json_t *verify = json_object_get(report, "verify");
  if (verify) print_verification(verify);
}
