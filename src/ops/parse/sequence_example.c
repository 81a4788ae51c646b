// Each message is parsed in one pass. Every column collects its values in one buffer, the number of values of each step
// and the number of steps of each example. All outputs are built from these three.
#include "ops/parse/sequence_example.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "ops/parse/feature.h"
#include "proto/example.fields.h"
#include "proto/wire.h"

typedef struct {
  const sli_example_column_t *column;
  sli_feature_values_t values;
  SLI_ARRAY(int64_t) counts;  // number of values of each step, for all examples
  int64_t *steps;             // number of steps of each example; -1: the example does not have the list
} list_column_t;

typedef struct {
  const sli_example_request_t *request;
  bool is_single;
  int64_t example_count;
  sli_map_t by_key;  // key → list_column_t *
  list_column_t *columns;
  sli_feature_entries_t entries;  // of the current example
} list_parser_t;

// --- Errors -------------------------------------------------------------------------------

static sli_status_t *list_type_mismatch(const list_parser_t *p, const sli_example_column_t *column, int64_t example,
                                        int64_t step) {
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Name: %.*s, Feature list: %.*s, Index: %lld.  Data types don't match. Expected type: %s",
                         SLI_VIEW_ARG(sli_example_name(p->request, example)), SLI_VIEW_ARG(column->key),
                         (long long)step, sli_dtype_name(column->type));
}

static sli_status_t *list_count_mismatch(const list_parser_t *p, const sli_example_column_t *column, int64_t example,
                                         int64_t step, int64_t count) {
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Name: %.*s, Key: %.*s, Index: %lld.  Number of values != expected.  values size: %lld but "
                         "output shape: %s",
                         SLI_VIEW_ARG(sli_example_name(p->request, example)), SLI_VIEW_ARG(column->key),
                         (long long)step, (long long)count, sli_shape_text(column->shape).text);
}

static sli_status_t *missing(const list_parser_t *p, const sli_example_column_t *column, int64_t example) {
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Name: %.*s, Feature list '%.*s' is required but could not be found.  Did you mean to include "
                         "it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?",
                         SLI_VIEW_ARG(sli_example_name(p->request, example)), SLI_VIEW_ARG(column->key));
}

// --- One example --------------------------------------------------------------------------

static sli_status_t *take_step(list_parser_t *p, list_column_t *gathered, int64_t example, sli_view_t feature) {
  const sli_example_column_t *column = gathered->column;
  int64_t step = gathered->steps[example], count = 0;
  sli_dtype_t type;
  sli_view_t list;
  if (!sli_feature_open(feature, &type, &list)) return list_type_mismatch(p, column, example, step);
  if (type != SLI_DTYPE_INVALID && (type != column->type || !sli_feature_count(type, list, &count)))
    return list_type_mismatch(p, column, example, step);
  if (column->kind == SLI_EXAMPLE_DENSE && count != sli_shape_count(column->shape))
    return list_count_mismatch(p, column, example, step, count);
  void *place = NULL;
  SLI_RETURN_IF_ERROR(sli_feature_values_extend(&gathered->values, column->type, count, &place));
  if (count) sli_feature_copy(type, list, place);
  sli_array_push(&gathered->counts, count);
  gathered->steps[example]++;
  return NULL;
}

static sli_status_t *take_list(list_parser_t *p, list_column_t *gathered, int64_t example, sli_view_t features) {
  if (gathered->steps[example] >= 0) return NULL;  // a later list with the same key was already used
  gathered->steps[example] = 0;
  sli_wire_reader_t reader = sli_wire_reader(features);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_FEATURE_LIST_FEATURE && field.type == SLI_WIRE_BYTES)
      SLI_RETURN_IF_ERROR(take_step(p, gathered, example, field.bytes));
  }
  return reader.malformed ? list_type_mismatch(p, gathered->column, example, gathered->steps[example]) : NULL;
}

static sli_status_t *parse_lists(list_parser_t *p, int64_t example) {
  sli_view_t bytes = sli_tensor_string_at(p->request->serialized, example);
  if (!sli_feature_collect(bytes, SLI_FIELD_SEQUENCE_EXAMPLE_FEATURE_LISTS, &p->entries))
    return sli_feature_malformed_error(bytes);
  for (size_t i = p->entries.count; i-- > 0;) {
    list_column_t *gathered = sli_map_get(&p->by_key, p->entries.items[i].key);
    if (gathered) SLI_RETURN_IF_ERROR(take_list(p, gathered, example, p->entries.items[i].value));
  }
  for (size_t i = 0; i < p->request->column_count; i++) {
    list_column_t *gathered = &p->columns[i];
    if (gathered->steps[example] >= 0) continue;
    if (gathered->column->kind == SLI_EXAMPLE_DENSE && !gathered->column->may_be_missing)
      return missing(p, gathered->column, example);
    gathered->steps[example] = 0;
  }
  return NULL;
}

// --- Outputs ------------------------------------------------------------------------------

static int64_t longest_of(const int64_t *lengths, size_t count) {
  int64_t most = 0;
  for (size_t i = 0; i < count; i++)
    if (lengths[i] > most) most = lengths[i];
  return most;
}

static sli_status_t *finish_dense_list(const list_parser_t *p, list_column_t *gathered, sli_example_result_t *out) {
  const sli_example_column_t *column = gathered->column;
  int64_t most = longest_of(gathered->steps, (size_t)p->example_count), stride = sli_shape_count(column->shape);
  int64_t dims[SLI_MAX_RANK + 2] = {p->example_count, most};
  int skip = p->is_single ? 1 : 0, rank = column->shape.rank + 2 - skip;
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(rank));
  for (int d = 0; d < column->shape.rank; d++) dims[d + 2] = column->shape.dims[d];
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), column->type, dims + skip, rank, &out->values));
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT64, dims, 1 - skip, &out->lengths));
  size_t size = sli_dtype_size(column->type), row = (size_t)(most * stride) * size;
  char *to = out->values->data;
  const char *from = gathered->values.data;
  for (int64_t i = 0; i < p->example_count; i++, to += row) {
    size_t have = (size_t)(gathered->steps[i] * stride) * size;
    SLI_DATA(int64_t, out->lengths)[i] = gathered->steps[i];
    if (have) memcpy(to, from, have);  // moves strings
    if (row > have) memset(to + have, 0, row - have);
    from += have;
  }
  gathered->values.count = 0;
  return NULL;
}

static sli_status_t *finish_sparse_list(const list_parser_t *p, list_column_t *gathered, sli_example_result_t *out) {
  int64_t shape[3] = {p->example_count, longest_of(gathered->steps, (size_t)p->example_count),
                      longest_of(gathered->counts.items, gathered->counts.count)};
  int skip = p->is_single ? 1 : 0, rank = 3 - skip;
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT64, (int64_t[]){gathered->values.count, rank},
                                        2, &out->indices));
  out->shape = sli_tensor_vector_int64(shape + skip, rank);
  int64_t *to = out->indices->data;
  const int64_t *counts = gathered->counts.items;
  for (int64_t i = 0; i < p->example_count; i++) {
    for (int64_t step = 0; step < gathered->steps[i]; step++, counts++) {
      for (int64_t k = 0; k < *counts; k++) {
        if (!p->is_single) *to++ = i;
        *to++ = step;
        *to++ = k;
      }
    }
  }
  return sli_feature_values_take(&gathered->values, gathered->column->type, &out->values);
}

// Creates row splits: 0, followed by the sums of the first 1, 2, … lengths.
static sli_status_t *make_splits(const sli_example_column_t *column, const int64_t *lengths, int64_t count,
                                 sli_tensor_t **out_splits) {
  int64_t total = 0, size = count + 1;
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), column->split_type, &size, 1, out_splits));
  sli_tensor_set_int(*out_splits, 0, 0);
  for (int64_t i = 0; i < count; i++) {
    total += lengths[i];
    if (column->split_type == SLI_DTYPE_INT32 && total > INT32_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Key: %.*s: row splits do not fit int32", SLI_VIEW_ARG(column->key));
    sli_tensor_set_int(*out_splits, i + 1, total);
  }
  return NULL;
}

static sli_status_t *finish_ragged_list(const list_parser_t *p, list_column_t *gathered, sli_example_result_t *out) {
  const sli_example_column_t *column = gathered->column;
  SLI_RETURN_IF_ERROR(make_splits(column, gathered->counts.items, (int64_t)gathered->counts.count, &out->splits));
  if (p->is_single)
    SLI_RETURN_IF_ERROR(
        sli_tensor_create(sli_allocator_cpu(), column->split_type, (int64_t[]){0}, 1, &out->outer_splits));
  else
    SLI_RETURN_IF_ERROR(make_splits(column, gathered->steps, p->example_count, &out->outer_splits));
  return sli_feature_values_take(&gathered->values, column->type, &out->values);
}

// --- All examples -------------------------------------------------------------------------

static sli_status_t *prepare_lists(list_parser_t *p) {
  for (size_t i = 0; i < p->request->column_count; i++) {
    list_column_t *gathered = &p->columns[i];
    gathered->column = &p->request->columns[i];
    gathered->steps = sli_calloc((size_t)p->example_count + 1, sizeof(*gathered->steps));
    for (int64_t k = 0; k < p->example_count; k++) gathered->steps[k] = -1;
    if (!sli_map_insert(&p->by_key, gathered->column->key, gathered))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Key %.*s is requested twice: all keys must be different",
                             SLI_VIEW_ARG(gathered->column->key));
  }
  return NULL;
}

static sli_status_t *finish_list(const list_parser_t *p, list_column_t *gathered, sli_example_result_t *out) {
  switch (gathered->column->kind) {
    case SLI_EXAMPLE_DENSE: return finish_dense_list(p, gathered, out);
    case SLI_EXAMPLE_SPARSE: return finish_sparse_list(p, gathered, out);
    default: return finish_ragged_list(p, gathered, out);
  }
}

sli_status_t *sli_sequence_parse_feature_lists(const sli_example_request_t *request,
                                               sli_example_result_t *out_columns) {
  size_t count = request->column_count;
  memset(out_columns, 0, count * sizeof(*out_columns));
  list_parser_t p = {.request = request,
                     .is_single = request->serialized->rank == 0,
                     .example_count = request->serialized->count,
                     .columns = sli_calloc(count + 1, sizeof(*p.columns))};
  sli_status_t *status = prepare_lists(&p);
  for (int64_t i = 0; i < p.example_count && !status; i++) status = parse_lists(&p, i);
  for (size_t i = 0; i < count && !status; i++) status = finish_list(&p, &p.columns[i], &out_columns[i]);
  for (size_t i = 0; i < count; i++) {
    sli_feature_values_deinitialize(&p.columns[i].values, request->columns[i].type);
    sli_array_deinitialize(&p.columns[i].counts);
    free(p.columns[i].steps);
    if (status) sli_example_result_release(&out_columns[i]);
  }
  sli_map_deinitialize(&p.by_key);
  sli_array_deinitialize(&p.entries);
  free(p.columns);
  return status;
}
