// CSVDataset: the records of CSV files (RFC 4180). Each field becomes a scalar of its column's type.
#include <stdlib.h>

#include "base/alloc.h"
#include "io/file/input_stream.h"
#include "ops/data/dataset.h"

typedef struct {
  sli_dataset_t base;
  char **names;
  int64_t name_count;
  sli_compression_t compression;
  size_t buffer_size;
  bool has_header, use_quotes;
  char delimiter;
  char *missing;  // na_value: the text that counts as an empty field
  size_t missing_size;
  int64_t *columns;  // selected, or excluded
  int64_t column_count;
  bool excludes;
  sli_tensor_t **defaults;  // counted; without elements: the field is required
} csv_t;

typedef struct {
  sli_iterator_t base;
  int64_t index;  // of the file
  sli_input_stream_t *stream;
  sli_view_t bytes;  // the next bytes of the file, not consumed
  size_t at;         // in |bytes|
  sli_string_t field;
} csv_reader_t;

static void csv_destroy(sli_dataset_t *dataset) {
  csv_t *self = (csv_t *)dataset;
  for (int64_t i = 0; i < self->name_count && self->names; i++) free(self->names[i]);
  free(self->names);
  free(self->missing);
  free(self->columns);
  if (self->defaults) sli_dataset_release_element(self->defaults, dataset->component_count);
  free(self->defaults);
}

static int64_t csv_cardinality(const sli_dataset_t *dataset) { return SLI_DATASET_UNKNOWN; }

static void close_file(csv_reader_t *reader) {
  sli_input_stream_release(reader->stream);
  reader->stream = NULL;
  reader->bytes = sli_view_of(NULL, 0);
  reader->at = 0;
}

static void csv_stop(sli_iterator_t *iterator) {
  close_file((csv_reader_t *)iterator);
  sli_string_deinitialize(&((csv_reader_t *)iterator)->field);
}

// --- Characters
// --------------------------------------------------------------------------------------------------------

// The next character without taking it; -1 at the end of the file.
static sli_status_t *look(csv_reader_t *reader, int *out_character) {
  if (reader->at == reader->bytes.size) {
    sli_input_stream_consume(reader->stream, reader->bytes.size);
    reader->at = 0;
    reader->bytes = sli_view_of(NULL, 0);
    SLI_RETURN_IF_ERROR(sli_input_stream_peek(reader->stream, 1, &reader->bytes));
  }
  *out_character = reader->bytes.size ? (unsigned char)reader->bytes.data[reader->at] : -1;
  return NULL;
}

// Takes the end of a line whose first character is |character|.
static sli_status_t *take_line_end(csv_reader_t *reader, int character) {
  int next;
  reader->at++;
  if (character != '\r') return NULL;
  SLI_RETURN_IF_ERROR(look(reader, &next));
  if (next == '\n') reader->at++;
  return NULL;
}

// --- Fields
// --------------------------------------------------------------------------------------------------------------

// Reads a field into |reader->field|. An error in its quotes is left in |*first_error|; the record goes on.
static sli_status_t *read_quoted(csv_reader_t *reader, const csv_t *self, sli_status_t **first_error, bool *out_last) {
  int c;
  reader->at++;
  for (;;) {
    SLI_RETURN_IF_ERROR(look(reader, &c));
    if (c < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Reached end of file without closing quoted field in record");
    reader->at++;
    if (c != '"') {
      sli_string_append_char(&reader->field, (char)c);
      continue;
    }
    SLI_RETURN_IF_ERROR(look(reader, &c));
    if (c == '"') {
      sli_string_append_char(&reader->field, '"');
      reader->at++;
      continue;
    }
    *out_last = c != self->delimiter;
    if (c < 0) return NULL;
    if (c == self->delimiter) {
      reader->at++;
      return NULL;
    }
    if (c == '\n' || c == '\r') return take_line_end(reader, c);
    if (!*first_error)
      *first_error = sli_status_make(SLI_INVALID_ARGUMENT, "Quote inside a string has to be escaped by another quote");
  }
}

static sli_status_t *read_plain(csv_reader_t *reader, const csv_t *self, sli_status_t **first_error, bool *out_last) {
  int c;
  for (;;) {
    SLI_RETURN_IF_ERROR(look(reader, &c));
    *out_last = c != self->delimiter;
    if (c < 0) return NULL;
    if (c == self->delimiter) {
      reader->at++;
      return NULL;
    }
    if (c == '\n' || c == '\r') return take_line_end(reader, c);
    if (self->use_quotes && c == '"' && !*first_error)
      *first_error = sli_status_make(SLI_INVALID_ARGUMENT, "Unquoted fields cannot have quotes inside");
    sli_string_append_char(&reader->field, (char)c);
    reader->at++;
  }
}

static sli_status_t *convert(sli_view_t field, sli_dtype_t type, int index, sli_tensor_t *tensor) {
  int64_t integer = 0;
  double number = 0;
  bool is_valid = true;
  sli_view_t trimmed = sli_view_trim(field);
  switch (type) {
    case SLI_DTYPE_INT32:
      is_valid = sli_view_to_int64(trimmed, &integer) && integer >= INT32_MIN && integer <= INT32_MAX;
      SLI_DATA(int32_t, tensor)[0] = (int32_t)integer;
      break;
    case SLI_DTYPE_INT64:
      is_valid = sli_view_to_int64(trimmed, &integer);
      SLI_DATA(int64_t, tensor)[0] = integer;
      break;
    case SLI_DTYPE_FLOAT:
      is_valid = sli_view_to_double(trimmed, &number);
      SLI_DATA(float, tensor)[0] = (float)number;
      break;
    case SLI_DTYPE_DOUBLE:
      is_valid = sli_view_to_double(trimmed, &number);
      SLI_DATA(double, tensor)[0] = number;
      break;
    default: sli_tstring_assign(SLI_DATA(sli_tstring_t, tensor), field.data, field.size); break;
  }
  if (is_valid) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Field %d in record is not a valid %s: %.*s", index,
                         sli_dtype_name(type), SLI_VIEW_ARG(field));
}

// The value of a field, or its default.
static sli_status_t *take_field(csv_reader_t *reader, const csv_t *self, int index, sli_tensor_t **out_tensor) {
  sli_view_t field = sli_view_of(sli_string_text(&reader->field), reader->field.size);
  sli_dtype_t type = self->base.types[index];
  bool is_missing = !field.size || sli_view_equal(field, sli_view_of(self->missing, self->missing_size));
  sli_tensor_t *value = self->defaults[index];
  if (is_missing && value->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Field %d is required but missing in record!", index);
  if (is_missing) {
    *out_tensor = sli_tensor_view(value, type, 0, NULL, 0);
    return NULL;
  }
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), type, NULL, 0, out_tensor));
  sli_status_t *status = convert(field, type, index, *out_tensor);
  if (!status) return NULL;
  sli_tensor_release(*out_tensor);
  *out_tensor = NULL;
  return status;
}

static bool is_selected(const csv_t *self, int64_t column) {
  if (!self->column_count) return true;
  for (int64_t i = 0; i < self->column_count; i++)
    if (self->columns[i] == column) return !self->excludes;
  return self->excludes;
}

// --- Records
// ---------------------------------------------------------------------------------------------------------------

// Reads a record to its end, whatever is wrong with it. |out_element| NULL: skips it. |*out_count| fields are there.
static sli_status_t *read_record(csv_reader_t *reader, const csv_t *self, sli_tensor_t **out_element, int *out_count) {
  sli_status_t *error = NULL;
  bool is_last = false;
  *out_count = 0;
  for (int64_t column = 0; !is_last; column++) {
    int c;
    sli_string_clear(&reader->field);
    sli_status_t *status = look(reader, &c);
    if (!status)
      status = self->use_quotes && c == '"' ? read_quoted(reader, self, &error, &is_last)
                                            : read_plain(reader, self, &error, &is_last);
    if (status) return sli_status_join(error, status);
    if (!out_element || error || !is_selected(self, column)) continue;
    if (*out_count == self->base.component_count)
      error =
          sli_status_make(SLI_INVALID_ARGUMENT, "Expect %d fields but have more in record", self->base.component_count);
    else
      error = take_field(reader, self, *out_count, &out_element[*out_count]);
    *out_count += !error;
  }
  return error;
}

static sli_status_t *open_file(csv_reader_t *reader, const csv_t *self) {
  SLI_RETURN_IF_ERROR(
      sli_input_stream_open(self->names[reader->index], self->compression, self->buffer_size, &reader->stream));
  if (!self->has_header) return NULL;
  int c, unused;
  sli_status_t *status = look(reader, &c);
  if (!status && c < 0) status = sli_status_make(SLI_INVALID_ARGUMENT, "Can't read header of file");
  return status ? status : read_record(reader, self, NULL, &unused);
}

static sli_status_t *csv_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                              bool *out_end) {
  csv_reader_t *reader = (csv_reader_t *)iterator;
  const csv_t *self = (const csv_t *)iterator->dataset;
  for (; reader->index < self->name_count; reader->index++) {
    int c, count;
    sli_status_t *status = reader->stream ? NULL : open_file(reader, self);
    if (status) close_file(reader);
    SLI_RETURN_IF_ERROR(status);
    SLI_RETURN_IF_ERROR(look(reader, &c));
    if (c < 0) {
      close_file(reader);
      continue;
    }
    status = read_record(reader, self, out_element, &count);
    if (!status && count < self->base.component_count)
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Expect %d fields but have %d in record",
                               self->base.component_count, count);
    if (status) sli_dataset_release_element(out_element, count);
    return status;
  }
  *out_end = true;
  return NULL;
}

static sli_status_t *csv_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  csv_reader_t *reader = (csv_reader_t *)iterator;
  sli_iterator_write_int(writer, reader->index);
  sli_iterator_write_int(writer, reader->stream != NULL);
  if (reader->stream) sli_iterator_write_int(writer, (int64_t)(sli_input_stream_position(reader->stream) + reader->at));
  return NULL;
}

static sli_status_t *csv_restore(sli_iterator_t *iterator, sli_iterator_reader_t *state) {
  csv_reader_t *reader = (csv_reader_t *)iterator;
  const csv_t *self = (const csv_t *)iterator->dataset;
  int64_t is_open, position;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(state, 0, self->name_count, &reader->index));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(state, 0, reader->index < self->name_count, &is_open));
  if (!is_open) return NULL;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(state, 0, INT64_MAX, &position));
  SLI_RETURN_IF_ERROR(
      sli_input_stream_open(self->names[reader->index], self->compression, self->buffer_size, &reader->stream));
  return sli_input_stream_seek(reader->stream, (uint64_t)position);
}

static const sli_dataset_kind_t csv_kind = {.name = "CSVDataset",
                                            .iterator_size = sizeof(csv_reader_t),
                                            .destroy = csv_destroy,
                                            .cardinality = csv_cardinality,
                                            .next = csv_next,
                                            .stop = csv_stop,
                                            .save = csv_save,
                                            .restore = csv_restore};

// --- The kernel
// --------------------------------------------------------------------------------------------------------------

static sli_status_t *read_columns(const sli_tensor_t *tensor, const char *name, csv_t *self) {
  if (tensor->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "`%s` must be a vector.", name);
  if (!tensor->count) return NULL;
  const int64_t *columns = SLI_DATA(const int64_t, tensor);
  for (int64_t i = 1; i < tensor->count; i++)
    if (columns[i - 1] >= columns[i])
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s should be strictly increasing indices", name);
  if (columns[0] < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "%s should be non-negative indices", name);
  self->columns = sli_memdup(columns, sli_tensor_bytes(tensor));
  self->column_count = tensor->count;
  return NULL;
}

static sli_status_t *read_selection(sli_kernel_context_t *context, csv_t *self) {
  const sli_tensor_t *selected = sli_kernel_input(context, 7);
  if (selected->count && selected->count != self->base.component_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "select_cols should match output size");
  SLI_RETURN_IF_ERROR(read_columns(selected, "select_cols", self));
  if (strcmp(context->node->op->def->name, "CSVDatasetV2") != 0) return NULL;
  const sli_tensor_t *excluded = sli_kernel_input(context, context->input_count - 1);
  if (excluded->count && selected->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Either select_cols or exclude_cols should be empty");
  if (selected->count) return NULL;
  self->excludes = true;
  return read_columns(excluded, "exclude_cols", self);
}

static sli_status_t *read_defaults(sli_kernel_context_t *context, csv_t *self) {
  self->defaults = sli_calloc((size_t)self->base.component_count + 1, sizeof(self->defaults[0]));
  for (int i = 0; i < self->base.component_count; i++) {
    sli_tensor_t *value = sli_kernel_input(context, 8 + i);
    if (value->rank > 1) return sli_status_make(SLI_INVALID_ARGUMENT, "Each record default should be at most rank 1");
    if (value->count > 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "There should only be 1 default per field but field %d has %lld", i,
                             (long long)value->count);
    self->defaults[i] = sli_tensor_retain(value);
  }
  return NULL;
}

static sli_status_t *read_format(sli_kernel_context_t *context, csv_t *self) {
  sli_view_t compression, delimiter, missing;
  int64_t buffer_size;
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 1, "compression_type", &compression));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 2, "buffer_size", &buffer_size));
  if (buffer_size <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "buffer_size should be positive");
  SLI_RETURN_IF_ERROR(sli_dataset_input_bool(context, 3, "header", &self->has_header));
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 4, "field_delim", &delimiter));
  if (delimiter.size != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "field_delim should be only 1 char");
  SLI_RETURN_IF_ERROR(sli_dataset_input_bool(context, 5, "use_quote_delim", &self->use_quotes));
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 6, "na_value", &missing));
  sli_status_t *status = sli_compression_parse(compression, &self->compression);
  if (status) {
    sli_status_release(status);
    return sli_status_make(SLI_INVALID_ARGUMENT, "Unsupported compression_type: %.*s.", SLI_VIEW_ARG(compression));
  }
  self->buffer_size = buffer_size > 1 << 30 ? 1 << 30 : (size_t)buffer_size;
  self->delimiter = delimiter.data[0];
  self->missing = sli_strndup(missing.data, missing.size);
  self->missing_size = missing.size;
  SLI_RETURN_IF_ERROR(read_selection(context, self));
  return read_defaults(context, self);
}

static sli_status_t *csv_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  const sli_tensor_t *names = sli_kernel_input(context, 0);
  if (names->rank > 1) return sli_status_make(SLI_INVALID_ARGUMENT, "`filenames` must be a scalar or a vector.");
  SLI_RETURN_IF_ERROR(sli_dataset_create(context, &csv_kind, sizeof(csv_t), NULL, 0, &dataset));
  csv_t *self = (csv_t *)dataset;
  self->names = sli_calloc((size_t)names->count + 1, sizeof(self->names[0]));
  self->name_count = names->count;
  for (int64_t i = 0; i < names->count; i++) {
    sli_view_t name = sli_tensor_string_at(names, i);
    self->names[i] = sli_strndup(name.data, name.size);
  }
  sli_status_t *status = read_format(context, self);
  return sli_dataset_finish(context, dataset, status);
}

static const sli_op_def_t ops[] = {
    {
        .name = "CSVDataset",
        .inputs = "filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string, "
                  "use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types",
        .outputs = "handle: variant",
        .attrs = "output_types: list({float, double, int32, int64, string}) >= 1; output_shapes: list(shape) >= 1",
        .summary = "The records of CSV files.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "ExperimentalCSVDataset",
        .inputs = "filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string, "
                  "use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types",
        .outputs = "handle: variant",
        .attrs = "output_types: list({float, double, int32, int64, string}) >= 1; output_shapes: list(shape) >= 1",
        .summary = "The records of CSV files.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "CSVDatasetV2",
        .inputs = "filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string, "
                  "use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types, "
                  "exclude_cols: int64",
        .outputs = "handle: variant",
        .attrs = "output_types: list({float, double, int32, int64, string}) >= 1; output_shapes: list(shape) >= 1",
        .summary = "The records of CSV files, without some columns.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .keeps_inputs = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "CSVDataset", .compute = csv_dataset},
    {.op = "ExperimentalCSVDataset", .compute = csv_dataset},
    {.op = "CSVDatasetV2", .compute = csv_dataset},
};

SLI_OP_MODULE(data_csv);
