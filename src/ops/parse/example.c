// Each example is parsed in one pass. Features that no column requests are skipped. The values of dense columns of a
// fixed shape are written directly to the output; those of other columns are collected in buffers, which become tensors
// when all lengths are known.
//
// If a feature occurs twice, the last one counts, as in any protobuf map. Therefore the features of an example are
// listed first and then visited from the last to the first.
#include "ops/parse/example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "ops/common/copy_elements.h"
#include "ops/parse/feature.h"
#include "proto/example.fields.h"

typedef struct {
  const sli_example_request_t *request;
  bool is_single;
  bool is_nameless;  // error messages do not name the example
  int64_t example_count;
  sli_map_t by_key;               // key → column + 1
  sli_feature_values_t *buffers;  // for each column
  int64_t **lengths;              // for each column with a buffer: the number of values of each example
  int64_t *last_example;          // for each column: the last example that had the feature; -1: none
  sli_example_result_t *out;      // for dense columns of fixed shape, |values| is allocated at the start
  sli_feature_entries_t entries;  // of the current example
} example_parser_t;

static bool is_fixed(const sli_example_column_t *column) {
  return column->kind == SLI_EXAMPLE_DENSE && !(column->shape.rank > 0 && column->shape.dims[0] < 0);
}

// The number of values in one row (along the first dimension) of a padded column.
static int64_t stride_of(const sli_example_column_t *column) {
  return sli_shape_product(column->shape.dims, 1, column->shape.rank);
}

// --- Errors -------------------------------------------------------------------------------

sli_view_t sli_example_name(const sli_example_request_t *request, int64_t example) {
  const sli_tensor_t *names = request->names;
  if (!names || names->count <= example) return sli_view("<unknown>");
  return sli_tstring_view(&SLI_DATA(sli_tstring_t, names)[example]);
}

static sli_status_t *column_error(const example_parser_t *p, const sli_example_column_t *column, int64_t example,
                                  const char *what) {
  if (p->is_nameless) return sli_status_make(SLI_INVALID_ARGUMENT, "Key: %.*s.  %s", SLI_VIEW_ARG(column->key), what);
  sli_view_t name = sli_example_name(p->request, example);
  return sli_status_make(SLI_INVALID_ARGUMENT, "Name: %.*s, Key: %.*s, Index: %lld.  %s", SLI_VIEW_ARG(name),
                         SLI_VIEW_ARG(column->key), (long long)example, what);
}

static sli_status_t *type_mismatch(const example_parser_t *p, const sli_example_column_t *column, int64_t example,
                                   sli_dtype_t have) {
  char text[128];
  if (column->kind == SLI_EXAMPLE_DENSE)
    snprintf(text, sizeof(text), "Data types don't match. Data type: %s but expected type: %s", sli_dtype_name(have),
             sli_dtype_name(column->type));
  else
    snprintf(text, sizeof(text), "Data types don't match. Expected type: %s, Actual type: %s",
             sli_dtype_name(column->type), sli_dtype_name(have));
  return column_error(p, column, example, text);
}

static sli_status_t *count_mismatch(const example_parser_t *p, const sli_example_column_t *column, int64_t example,
                                    int64_t count) {
  if (p->is_nameless) return column_error(p, column, example, "Can't parse serialized Example.");
  const char *type = column->type == SLI_DTYPE_STRING ? "bytes" : sli_dtype_name(column->type);
  char text[320];
  snprintf(text, sizeof(text),
           is_fixed(column)
               ? "Number of %s values != expected.  Values size: %lld but output shape: %s"
               : "Number of %s values is not a multiple of stride length. Saw %lld values but output shape is: %s",
           type, (long long)count, sli_shape_text(column->shape).text);
  return column_error(p, column, example, text);
}

// --- Features -------------------------------------------------------------------------------

// --- One example ------------------------------------------------------------------------------

static sli_status_t *take_feature(example_parser_t *p, size_t index, int64_t example, sli_view_t feature) {
  const sli_example_column_t *column = &p->request->columns[index];
  sli_dtype_t type;
  sli_view_t list;
  int64_t count;
  if (!sli_feature_open(feature, &type, &list))
    return column_error(p, column, example, "Can't parse serialized Example.");
  if (p->last_example[index] == example) return NULL;
  if (type == SLI_DTYPE_INVALID) {
    if (!p->request->is_context) return NULL;
    type = column->type;  // it has no values
  }
  p->last_example[index] = example;
  if (type != column->type) return type_mismatch(p, column, example, type);
  if (!sli_feature_count(type, list, &count))
    return column_error(p, column, example, "Can't parse serialized Example.");
  if (is_fixed(column)) {
    sli_tensor_t *values = p->out[index].values;
    int64_t wanted = sli_shape_count(column->shape);
    if (count != wanted) return count_mismatch(p, column, example, count);
    sli_feature_copy(type, list, sli_tensor_at(values, example * wanted));
    return NULL;
  }
  if (column->kind == SLI_EXAMPLE_DENSE && (stride_of(column) == 0 ? count != 0 : count % stride_of(column) != 0))
    return count_mismatch(p, column, example, count);
  void *place = NULL;
  SLI_RETURN_IF_ERROR(sli_feature_values_extend(&p->buffers[index], type, count, &place));
  sli_feature_copy(type, list, place);
  p->lengths[index][example] = count;
  return NULL;
}

// Sets the default of each dense column whose feature the example does not have.
static sli_status_t *fill_missing(example_parser_t *p, int64_t example) {
  for (size_t i = 0; i < p->request->column_count; i++) {
    const sli_example_column_t *column = &p->request->columns[i];
    if (!is_fixed(column) || p->last_example[i] == example) continue;
    int64_t count = sli_shape_count(column->shape);
    if (column->fallback->count == 0 && count != 0) {
      sli_view_t name = sli_example_name(p->request, example);
      const char *required = "is required but could not be found.";
      if (p->is_nameless)
        return sli_status_make(SLI_INVALID_ARGUMENT, "Feature: %.*s (data type: %s) %s", SLI_VIEW_ARG(column->key),
                               sli_dtype_name(column->type), required);
      return sli_status_make(SLI_INVALID_ARGUMENT, "Name: %.*s, Feature: %.*s (data type: %s) %s", SLI_VIEW_ARG(name),
                             SLI_VIEW_ARG(column->key), sli_dtype_name(column->type), required);
    }
    sli_elements_copy(column->type, sli_tensor_at(p->out[i].values, example * count), column->fallback->data, count);
  }
  return NULL;
}

static sli_status_t *parse_example(example_parser_t *p, int64_t example) {
  sli_view_t bytes = sli_tstring_view(&SLI_DATA(sli_tstring_t, p->request->serialized)[example]);
  if (!sli_feature_collect(bytes, SLI_FIELD_EXAMPLE_FEATURES, &p->entries)) return sli_feature_malformed_error(bytes);
  for (size_t i = p->entries.count; i-- > 0;) {
    size_t index = (size_t)(uintptr_t)sli_map_get(&p->by_key, p->entries.items[i].key);
    if (index) SLI_RETURN_IF_ERROR(take_feature(p, index - 1, example, p->entries.items[i].value));
  }
  return fill_missing(p, example);
}

// --- Outputs ------------------------------------------------------------------------------------

static int64_t longest(const example_parser_t *p, size_t index) {
  int64_t most = 0;
  for (int64_t i = 0; i < p->example_count; i++) {
    if (p->lengths[index][i] > most) most = p->lengths[index][i];
  }
  return most;
}

static sli_status_t *finish_sparse(example_parser_t *p, size_t index) {
  sli_example_result_t *out = &p->out[index];
  int64_t most = longest(p, index), total = p->buffers[index].count, row = 0;
  int rank = p->is_single ? 1 : 2;
  int64_t shape[2] = {p->example_count, most};
  SLI_RETURN_IF_ERROR(sli_feature_values_take(&p->buffers[index], p->request->columns[index].type, &out->values));
  SLI_RETURN_IF_ERROR(
      sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT64, (int64_t[]){total, rank}, 2, &out->indices));
  out->shape = sli_tensor_vector_int64(shape + (p->is_single ? 1 : 0), rank);
  int64_t *to = out->indices->data;
  for (int64_t example = 0; example < p->example_count; example++) {
    for (int64_t i = 0; i < p->lengths[index][example]; i++, row++) {
      if (!p->is_single) *to++ = example;
      *to++ = i;
    }
  }
  return NULL;
}

static sli_status_t *finish_ragged(example_parser_t *p, size_t index) {
  sli_example_result_t *out = &p->out[index];
  const sli_example_column_t *column = &p->request->columns[index];
  SLI_RETURN_IF_ERROR(sli_feature_values_take(&p->buffers[index], column->type, &out->values));
  int64_t count = p->is_single ? 0 : p->example_count + 1, total = 0;
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), column->split_type, &count, 1, &out->splits));
  for (int64_t i = 0; i < count; i++) {
    if (column->split_type == SLI_DTYPE_INT32 && total > INT32_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Key: %.*s: row splits do not fit int32", SLI_VIEW_ARG(column->key));
    sli_tensor_set_int(out->splits, i, total);
    if (i < p->example_count) total += p->lengths[index][i];
  }
  return NULL;
}

static sli_status_t *finish_padded(example_parser_t *p, size_t index) {
  const sli_example_column_t *column = &p->request->columns[index];
  int64_t stride = stride_of(column), steps = stride ? longest(p, index) / stride : 0;
  int64_t dims[SLI_MAX_RANK + 1] = {p->example_count, steps};
  for (int i = 1; i < column->shape.rank; i++) dims[i + 1] = column->shape.dims[i];
  int skip = p->is_single ? 1 : 0;
  sli_tensor_t **values = &p->out[index].values;
  SLI_RETURN_IF_ERROR(
      sli_tensor_create(sli_allocator_cpu(), column->type, dims + skip, column->shape.rank + 1 - skip, values));
  size_t size = sli_dtype_size(column->type);
  char *from = p->buffers[index].data;
  for (int64_t example = 0; example < p->example_count; example++) {
    int64_t have = p->lengths[index][example], width = steps * stride;
    char *to = (char *)(*values)->data + (size_t)(example * width) * size;
    if (have) memcpy(to, from, (size_t)have * size);  // moves strings
    from += (size_t)have * size;
    if (width > have) sli_elements_fill(column->type, to + (size_t)have * size, column->fallback->data, width - have);
  }
  p->buffers[index].count = 0;
  return NULL;
}

// --- All examples ---------------------------------------------------------------------------------

static sli_status_t *prepare(example_parser_t *p) {
  const sli_example_request_t *request = p->request;
  for (size_t i = 0; i < request->column_count; i++) {
    const sli_example_column_t *column = &request->columns[i];
    if (!sli_map_insert(&p->by_key, column->key, (void *)(uintptr_t)(i + 1)))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Key %.*s is requested twice: all keys must be different",
                             SLI_VIEW_ARG(column->key));
    p->last_example[i] = -1;
    if (!is_fixed(column)) {
      p->lengths[i] = sli_calloc((size_t)p->example_count + 1, sizeof(**p->lengths));
      continue;
    }
    int64_t dims[SLI_MAX_RANK + 1] = {p->example_count};
    for (int k = 0; k < column->shape.rank; k++) dims[k + 1] = column->shape.dims[k];
    int skip = p->is_single ? 1 : 0;
    SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), column->type, dims + skip, column->shape.rank + 1 - skip,
                                          &p->out[i].values));
  }
  return NULL;
}

static sli_status_t *finish(example_parser_t *p, size_t index) {
  const sli_example_column_t *column = &p->request->columns[index];
  if (column->kind == SLI_EXAMPLE_SPARSE) return finish_sparse(p, index);
  if (column->kind == SLI_EXAMPLE_RAGGED) return finish_ragged(p, index);
  return is_fixed(column) ? NULL : finish_padded(p, index);
}

void sli_example_result_release(sli_example_result_t *column) {
  sli_tensor_release(column->values);
  sli_tensor_release(column->indices);
  sli_tensor_release(column->shape);
  sli_tensor_release(column->splits);
  sli_tensor_release(column->outer_splits);
  sli_tensor_release(column->lengths);
  *column = (sli_example_result_t){0};
}

sli_status_t *sli_example_parse(const sli_example_request_t *request, sli_example_result_t *out_columns) {
  size_t count = request->column_count;
  memset(out_columns, 0, count * sizeof(*out_columns));
  example_parser_t p = {.request = request,
                        .is_single = request->serialized->rank == 0,
                        .is_nameless = request->serialized->rank == 0 && !request->is_context,
                        .example_count = request->serialized->count,
                        .buffers = sli_calloc(count + 1, sizeof(*p.buffers)),
                        .lengths = sli_calloc(count + 1, sizeof(*p.lengths)),
                        .last_example = sli_calloc(count + 1, sizeof(*p.last_example)),
                        .out = out_columns};
  sli_status_t *status = prepare(&p);
  for (int64_t i = 0; i < p.example_count && !status; i++) status = parse_example(&p, i);
  for (size_t i = 0; i < count && !status; i++) status = finish(&p, i);
  for (size_t i = 0; i < count; i++) {
    sli_feature_values_deinitialize(&p.buffers[i], request->columns[i].type);
    free(p.lengths[i]);
    if (status) sli_example_result_release(&out_columns[i]);
  }
  sli_map_deinitialize(&p.by_key);
  sli_array_deinitialize(&p.entries);
  free(p.buffers);
  free(p.lengths);
  free(p.last_example);
  return status;
}
