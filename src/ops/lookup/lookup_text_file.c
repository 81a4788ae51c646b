// InitializeTableFromTextFile: initializes a table from the lines of a text file. The key and the value are each a
// column of the line, the whole line or the line number.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/file/file.h"
#include "ops/lookup/lookup_ops.h"

enum { LINE_NUMBER = -1, WHOLE_LINE = -2 };

typedef struct {
  int64_t key_index, value_index, vocabulary_size, offset;
  char delimiter;
} file_columns_t;

static sli_status_t *columns_create(const sli_kernel_setup_t *setup, void **out_state) {
  *out_state = NULL;
  file_columns_t columns = {0};
  sli_view_t delimiter;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "key_index", &columns.key_index));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "value_index", &columns.value_index));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "vocab_size", &columns.vocabulary_size));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "offset", &columns.offset));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "delimiter", &delimiter));
  if (delimiter.size != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "delimiter should be only 1 char");
  columns.delimiter = delimiter.data[0];
  *out_state = sli_memdup(&columns, sizeof(columns));
  return NULL;
}

static sli_status_t *check_columns(const file_columns_t *columns, const sli_lookup_table_t *table) {
  if (columns->key_index == LINE_NUMBER && table->key_dtype != SLI_DTYPE_INT64)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Key index for line number requires table key dtype of int64, got %s",
                           sli_dtype_name(table->key_dtype));
  if (columns->value_index == LINE_NUMBER && table->value_dtype != SLI_DTYPE_INT64)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Value index for line number requires table value dtype of int64, got %s",
                           sli_dtype_name(table->value_dtype));
  if (columns->value_index == WHOLE_LINE && table->value_dtype != SLI_DTYPE_STRING)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Value index for whole line requires table value dtype of string, got %s",
                           sli_dtype_name(table->value_dtype));
  return NULL;
}

// --- Lines ------------------------------------------------------------------------------------------

typedef struct {
  const char *path;
  sli_view_t rest;
  size_t position;    // of |rest| in the file
  sli_string_t line;  // the current line without its "\r" characters
} file_lines_t;

// Reads the next line into |lines->line|; false at the end.
static bool next_line(file_lines_t *lines) {
  if (lines->rest.size == 0) return false;
  const char *end = memchr(lines->rest.data, '\n', lines->rest.size);
  size_t size = end ? (size_t)(end - lines->rest.data) : lines->rest.size;
  sli_string_clear(&lines->line);
  for (size_t i = 0; i < size; i++)
    if (lines->rest.data[i] != '\r') sli_string_append_char(&lines->line, lines->rest.data[i]);
  size_t taken = end ? size + 1 : size;
  lines->rest = sli_view_of(lines->rest.data + taken, lines->rest.size - taken);
  lines->position += taken;
  return true;
}

// The number of lines in |bytes|, counted up to |limit| unless that is negative.
static int64_t count_lines(sli_view_t bytes, int64_t limit) {
  int64_t count = 0;
  for (size_t at = 0; at < bytes.size && (limit < 0 || count < limit); count++) {
    const char *end = memchr(bytes.data + at, '\n', bytes.size - at);
    at = end ? (size_t)(end - bytes.data) + 1 : bytes.size;
  }
  return count;
}

// Sets |*out_field| to field |index| of the line. Returns false and sets |*out_count| to the number of fields if there
// are fewer.
static bool field_at(sli_view_t line, char delimiter, int64_t index, sli_view_t *out_field, int64_t *out_count) {
  *out_count = 1;
  for (;; (*out_count)++) {
    const char *end = line.size ? memchr(line.data, delimiter, line.size) : NULL;
    size_t size = end ? (size_t)(end - line.data) : line.size;
    if (*out_count == index + 1) {
      *out_field = sli_view_of(line.data, size);
      return true;
    }
    if (!end) return false;
    line = sli_view_of(line.data + size + 1, line.size - size - 1);
  }
}

static sli_status_t *set_element(sli_tensor_t *tensor, int64_t row, sli_view_t text) {
  bool is_good = false;
  int64_t whole = 0;
  double real = 0;
  switch (tensor->dtype) {
    case SLI_DTYPE_STRING: sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[row], text.data, text.size); return NULL;
    case SLI_DTYPE_INT32:
    case SLI_DTYPE_INT64:
      is_good = sli_view_to_int64(text, &whole) &&
                (tensor->dtype == SLI_DTYPE_INT64 || (whole >= INT32_MIN && whole <= INT32_MAX));
      if (is_good) sli_tensor_set_int(tensor, row, whole);
      break;
    case SLI_DTYPE_FLOAT:
      is_good = sli_view_to_double(text, &real);
      SLI_DATA(float, tensor)[row] = (float)real;
      break;
    case SLI_DTYPE_DOUBLE:
      is_good = sli_view_to_double(text, &real);
      SLI_DATA(double, tensor)[row] = real;
      break;
    default:
      return sli_status_make(SLI_INVALID_ARGUMENT, "Data type %s not supported.",
                             sli_dtype_name((sli_dtype_t)tensor->dtype));
  }
  if (is_good) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Field %.*s in line %lld is not a valid %s.", SLI_VIEW_ARG(text),
                         (long long)row, sli_dtype_name((sli_dtype_t)tensor->dtype));
}

static sli_status_t *take_column(const file_columns_t *columns, const file_lines_t *lines, int64_t index, int64_t row,
                                 sli_tensor_t *tensor) {
  sli_view_t line = sli_view_of(sli_string_text(&lines->line), lines->line.size), field;
  int64_t count;
  if (index == LINE_NUMBER) {
    sli_tensor_set_int(tensor, row, row + columns->offset);
    return NULL;
  }
  if (index == WHOLE_LINE) return set_element(tensor, row, line);
  if (field_at(line, columns->delimiter, index, &field, &count)) return set_element(tensor, row, field);
  int64_t most = columns->key_index > columns->value_index ? columns->key_index : columns->value_index;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Invalid number of columns in %s line %lld (%.*s) : expected at least %lld got %lld",
                         lines->path, (long long)row, SLI_VIEW_ARG(line), (long long)most + 1, (long long)count);
}

static sli_status_t *read_lines(const file_columns_t *columns, file_lines_t *lines, sli_tensor_t *keys,
                                sli_tensor_t *values) {
  for (int64_t row = 0; row < keys->count && next_line(lines); row++) {
    if (lines->line.size == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid content in %s: empty line found at position %zu.",
                             lines->path, lines->position);
    SLI_RETURN_IF_ERROR(take_column(columns, lines, columns->key_index, row, keys));
    SLI_RETURN_IF_ERROR(take_column(columns, lines, columns->value_index, row, values));
  }
  return NULL;
}

// --- The op ---------------------------------------------------------------------------------------------

static sli_status_t *fill_from_lines(sli_kernel_context_t *context, sli_lookup_table_t *table, file_lines_t *lines) {
  const file_columns_t *columns = sli_kernel_state(context);
  sli_tensor_t *keys = NULL, *values = NULL;
  sli_status_t *status = NULL;
  int64_t count = count_lines(lines->rest, columns->vocabulary_size);
  if (count == 0) return sli_status_make(SLI_OUT_OF_RANGE, "%s has no lines", lines->path);
  if (columns->vocabulary_size > count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid vocab_size in %s: expected %lld but got %lld", lines->path,
                           (long long)columns->vocabulary_size, (long long)count);
  SLI_GOTO_IF_ERROR(status, cleanup, sli_kernel_allocate_temporary(context, table->key_dtype, SLI_SHAPE(count), &keys));
  SLI_GOTO_IF_ERROR(status, cleanup,
                    sli_kernel_allocate_temporary(context, table->value_dtype, SLI_SHAPE(count), &values));
  SLI_GOTO_IF_ERROR(status, cleanup, read_lines(columns, lines, keys, values));
  status = sli_lookup_table_initialize(table, keys, values);
cleanup:
  sli_tensor_release(keys);
  sli_tensor_release(values);
  return status;
}

static sli_status_t *fill_table(sli_kernel_context_t *context, sli_lookup_table_t *table) {
  const sli_tensor_t *filename = sli_kernel_input(context, 1);
  if (filename->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "filename should be a single string, but got %s",
                           sli_tensor_shape_text(filename).text);
  SLI_RETURN_IF_ERROR(sli_lookup_check_initializable(table));
  SLI_RETURN_IF_ERROR(check_columns(sli_kernel_state(context), table));
  sli_view_t path = sli_tensor_string_at(filename, 0);
  char *text = sli_strndup(path.data, path.size);
  sli_string_t bytes = {0};
  sli_status_t *status = sli_file_read_whole(text, SIZE_MAX / 4, &bytes);
  if (!status) {
    file_lines_t lines = {.path = text, .rest = sli_view_of(sli_string_text(&bytes), bytes.size)};
    status = fill_from_lines(context, table, &lines);
    sli_string_deinitialize(&lines.line);
  }
  sli_string_deinitialize(&bytes);
  free(text);
  return status;
}

static sli_status_t *fill_compute(sli_kernel_context_t *context) { return sli_lookup_with_table(context, fill_table); }

static sli_status_t *fill_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_lookup_check_handle(c));
  return sli_infer_input_with_rank(c, 1, 0, &unused);
}

#define COLUMNS                                                                                          \
  "key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1; delimiter: string = '\t'; " \
  "offset: int = 0"

static const sli_op_def_t ops[] = {
    {.name = "InitializeTableFromTextFile",
     .inputs = "table_handle: Ref(string), filename: string",
     .attrs = COLUMNS,
     .summary = "Initializes a lookup table from the lines of a text file.",
     .shape = fill_shape,
     .not_differentiable = true},
    {.name = "InitializeTableFromTextFileV2",
     .inputs = "table_handle: resource, filename: string",
     .attrs = COLUMNS,
     .summary = "Initializes a lookup table from the lines of a text file.",
     .shape = fill_shape,
     .not_differentiable = true,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "InitializeTableFromTextFile",
     .compute = fill_compute,
     .create = columns_create,
     .destroy = free,
     .blocks = true},
    {.op = "InitializeTableFromTextFileV2",
     .compute = fill_compute,
     .create = columns_create,
     .destroy = free,
     .blocks = true},
};

SLI_OP_MODULE(lookup_text_file);
