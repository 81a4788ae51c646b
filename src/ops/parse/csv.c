// DecodeCSV: converts CSV records (RFC 4180) to one tensor for each field.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

typedef struct {
  char delimiter;
  bool use_quotes;
  sli_view_t missing;  // na_value: the text that counts as an empty field
  const int64_t *selected;
  size_t selected_count;  // 0: all columns
} csv_format_t;

static sli_status_t *csv_create(const sli_kernel_setup_t *setup, void **out_state) {
  *out_state = NULL;
  csv_format_t format;
  sli_view_t delimiter;
  const sli_attr_t *selected, *types;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "field_delim", &delimiter));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "use_quote_delim", &format.use_quotes));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "na_value", &format.missing));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(setup->node, "select_cols", SLI_ATTR_INT, &selected));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(setup->node, "OUT_TYPE", SLI_ATTR_TYPE, &types));
  if (delimiter.size != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "field_delim should be only 1 char");
  if (selected->count && selected->count != types->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "select_cols should match output size");
  for (size_t i = 0; i < selected->count; i++) {
    if (selected->list.i[i] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "select_cols should be non-negative indices");
    if (i && selected->list.i[i] <= selected->list.i[i - 1])
      return sli_status_make(SLI_INVALID_ARGUMENT, "select_cols should be strictly increasing indices");
  }
  format.delimiter = delimiter.data[0];
  format.selected = selected->list.i;
  format.selected_count = selected->count;
  *out_state = sli_memdup(&format, sizeof(format));
  return NULL;
}

typedef SLI_ARRAY(sli_string_t) fields_t;

static void clear_fields(fields_t *fields) {
  for (size_t i = 0; i < fields->count; i++) sli_string_deinitialize(&fields->items[i]);
  fields->count = 0;
}

// Reads an unquoted field from |*at| on and moves |*at| behind its delimiter.
static sli_status_t *read_plain(const csv_format_t *format, sli_view_t record, size_t *at, sli_string_t *field) {
  for (; *at < record.size && record.data[*at] != format->delimiter; ++*at) {
    char c = record.data[*at];
    if ((format->use_quotes && c == '"') || c == '\n' || c == '\r')
      return sli_status_make(SLI_INVALID_ARGUMENT, "Unquoted fields cannot have quotes/CRLFs inside");
    sli_string_append_char(field, c);
  }
  ++*at;
  return NULL;
}

static sli_status_t *read_quoted(const csv_format_t *format, sli_view_t record, size_t *at, sli_string_t *field) {
  ++*at;
  while (*at + 1 < record.size && (record.data[*at] != '"' || record.data[*at + 1] != format->delimiter)) {
    if (record.data[*at] == '"') {
      if (record.data[*at + 1] != '"')
        return sli_status_make(SLI_INVALID_ARGUMENT, "Quote inside a string has to be escaped by another quote");
      ++*at;
    }
    sli_string_append_char(field, record.data[(*at)++]);
  }
  bool is_closed = *at < record.size && record.data[*at] == '"' &&
                   (*at == record.size - 1 || record.data[*at + 1] == format->delimiter);
  if (!is_closed)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Quoted field has to end with quote followed by delim or end");
  *at += 2;
  return NULL;
}

static bool is_wanted(const csv_format_t *format, size_t kept, size_t column) {
  return format->selected_count == 0 || (kept < format->selected_count && format->selected[kept] == (int64_t)column);
}

static sli_status_t *split_record(const csv_format_t *format, sli_view_t record, fields_t *fields) {
  size_t at = 0, column = 0;
  while (at < record.size) {
    if (record.data[at] == '\n' || record.data[at] == '\r') {
      at++;
      continue;
    }
    sli_string_t field = {0};
    bool is_quoted = format->use_quotes && record.data[at] == '"';
    sli_status_t *status =
        is_quoted ? read_quoted(format, record, &at, &field) : read_plain(format, record, &at, &field);
    if (status || !is_wanted(format, fields->count, column)) {
      sli_string_deinitialize(&field);
      if (status) return status;
    } else {
      sli_array_push(fields, field);
      if (fields->count == format->selected_count) return NULL;
    }
    column++;
  }
  if (record.size && record.data[record.size - 1] == format->delimiter && is_wanted(format, fields->count, column))
    sli_array_push(fields, (sli_string_t){0});
  return NULL;
}

static sli_status_t *set_number(sli_tensor_t *output, int64_t at, sli_view_t text) {
  int64_t integer = 0;
  double number = 0;
  bool is_good;
  text = sli_view_trim(text);
  if (output->dtype == SLI_DTYPE_INT32 || output->dtype == SLI_DTYPE_INT64) {
    is_good = sli_view_to_int64(text, &integer);
    if (output->dtype == SLI_DTYPE_INT32 && (integer < INT32_MIN || integer > INT32_MAX)) is_good = false;
    if (is_good) sli_tensor_set_int(output, at, integer);
  } else {
    is_good = sli_view_to_double(text, &number);
    if (output->dtype == SLI_DTYPE_DOUBLE) {
      SLI_DATA(double, output)[at] = number;
    } else {
      // strtof rounds once; strtod and a cast would round twice.
      char *copy = sli_strndup(text.data, text.size);
      SLI_DATA(float, output)[at] = is_good ? strtof(copy, NULL) : 0;
      free(copy);
    }
  }
  return is_good ? NULL : sli_status_make(SLI_INVALID_ARGUMENT, "not a number");
}

static sli_status_t *set_field(sli_kernel_context_t *context, const csv_format_t *format, int field, int64_t record,
                               sli_view_t text) {
  sli_tensor_t *output = context->outputs[field].tensor, *fallback = sli_kernel_input(context, field + 1);
  if (text.size == 0 || sli_view_equal(text, format->missing)) {
    if (fallback->count != 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Field %d is required but missing in record %lld!", field,
                             (long long)record);
    sli_elements_copy(output->dtype, sli_tensor_at(output, record), fallback->data, 1);
    return NULL;
  }
  if (output->dtype == SLI_DTYPE_STRING) {
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[record], text.data, text.size);
    return NULL;
  }
  sli_status_t *status = set_number(output, record, text);
  if (!status) return NULL;
  sli_status_release(status);
  return sli_status_make(SLI_INVALID_ARGUMENT, "Field %d in record %lld is not a valid %s: %.*s", field,
                         (long long)record, sli_dtype_name(output->dtype), SLI_VIEW_ARG(text));
}

static sli_status_t *csv_compute(sli_kernel_context_t *context) {
  const csv_format_t *format = sli_kernel_state(context);
  const sli_tensor_t *records = sli_kernel_input(context, 0);
  for (int i = 0; i < context->output_count; i++) {
    const sli_tensor_t *fallback = sli_kernel_input(context, i + 1);
    sli_tensor_t *output;
    if (fallback->rank > 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "record defaults should be either scalar or vector, got shape %s",
                             sli_tensor_shape_text(fallback).text);
    if (fallback->count > 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "There should only be 1 default per field but field %d has %lld", i,
                             (long long)fallback->count);
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, i, sli_tensor_shape(records), &output));
  }
  fields_t fields = {0};
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < records->count && !status; i++) {
    clear_fields(&fields);
    status = split_record(format, sli_tstring_view(&SLI_DATA(sli_tstring_t, records)[i]), &fields);
    if (!status && fields.count != (size_t)context->output_count)
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Expect %d fields but have %zu in record %lld",
                               context->output_count, fields.count, (long long)i);
    for (int k = 0; k < context->output_count && !status; k++)
      status = set_field(context, format, k, i, sli_view_of(sli_string_text(&fields.items[k]), fields.items[k].size));
  }
  clear_fields(&fields);
  sli_array_deinitialize(&fields);
  return status;
}

static sli_status_t *csv_shape(sli_infer_context_t *c) {
  for (int i = 1; i < c->node->input_count; i++) {
    sli_shape_t fallback;
    SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, i), 1, &fallback));
    if (fallback.rank == 1 && fallback.dims[0] > 1)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Shape of a default must be a length-0 or length-1 vector, or a scalar.");
  }
  for (int i = 0; i < c->node->output_count; i++) sli_infer_set_output(c, i, sli_infer_input(c, 0));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "DecodeCSV",
        .inputs = "records: string, record_defaults: OUT_TYPE",
        .outputs = "output: OUT_TYPE",
        .attrs = "OUT_TYPE: list({float, double, int32, int64, string}) >= 1; field_delim: string = ','; "
                 "use_quote_delim: bool = true; na_value: string = ''; select_cols: list(int) = []",
        .summary = "Converts CSV records to one tensor for each column.",
        .shape = csv_shape,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "DecodeCSV", .compute = csv_compute, .create = csv_create, .destroy = free, .expensive = true},
};
SLI_OP_MODULE(csv);
