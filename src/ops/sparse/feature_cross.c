#include "ops/sparse/feature_cross.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/common/fingerprint.h"

sli_status_t *sli_cross_initialize(sli_cross_t *cross, int column_count, int64_t rows) {
  *cross = (sli_cross_t){.columns = sli_calloc((size_t)column_count + 1, sizeof(*cross->columns)), .rows = rows};
  cross->column_count = column_count;
  for (int i = 0; i < column_count; i++) {
    if (rows < INT64_MAX / 64) cross->columns[i].starts = sli_malloc_or_null((size_t)(rows + 1) * sizeof(int64_t));
    if (cross->columns[i].starts) continue;
    sli_cross_deinitialize(cross);
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for %lld rows of a cross", (long long)rows);
  }
  return NULL;
}

void sli_cross_deinitialize(sli_cross_t *cross) {
  for (int i = 0; i < cross->column_count; i++) free(cross->columns[i].starts);
  free(cross->columns);
  *cross = (sli_cross_t){0};
}

sli_status_t *sli_cross_set_sparse(sli_cross_t *cross, int index, const sli_tensor_t *indices,
                                   const sli_tensor_t *values) {
  sli_cross_column_t *column = &cross->columns[index];
  column->values = values;
  int64_t next = 0;
  for (int64_t i = 0; i < values->count; i++) {
    int64_t row = SLI_DATA(int64_t, indices)[2 * i];
    if (row < 0 || row >= cross->rows)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Input index %lld of column %d is out of range: row %lld of %lld",
                             (long long)i, index, (long long)row, (long long)cross->rows);
    if (row + 1 < next)
      return sli_status_make(SLI_INVALID_ARGUMENT, "The rows of column %d are not in order at index %lld", index,
                             (long long)i);
    while (next <= row) column->starts[next++] = i;
  }
  while (next <= cross->rows) column->starts[next++] = values->count;
  return NULL;
}

void sli_cross_set_dense(sli_cross_t *cross, int index, const sli_tensor_t *values) {
  cross->columns[index].values = values;
  cross->columns[index].is_dense = true;
  for (int64_t r = 0; r <= cross->rows; r++) cross->columns[index].starts[r] = r * values->dims[1];
}

sli_status_t *sli_cross_count(const sli_cross_t *cross, int64_t row, int64_t *out_count) {
  int64_t count = 1;
  for (int i = 0; i < cross->column_count; i++) {
    const int64_t *starts = cross->columns[i].starts;
    if (__builtin_mul_overflow(count, starts[row + 1] - starts[row], &count))
      return sli_status_make(SLI_INVALID_ARGUMENT, "There are too many crosses in row %lld", (long long)row);
  }
  *out_count = count;
  return NULL;
}

static void append_value(const sli_tensor_t *values, int64_t at, sli_string_t *text) {
  if (values->dtype == SLI_DTYPE_STRING) {
    sli_view_t view = sli_tensor_string_at(values, at);
    sli_string_append(text, view.data, view.size);
  } else {
    sli_string_append_format(text, "%lld", (long long)SLI_DATA(int64_t, values)[at]);
  }
}

// The hash of one value.
static uint64_t hash_value(const sli_cross_t *cross, const sli_cross_column_t *column, int64_t at) {
  const sli_tensor_t *values = column->values;
  bool is_text = values->dtype == SLI_DTYPE_STRING;
  bool is_itself = cross->kind == SLI_CROSS_HASH || (cross->kind == SLI_CROSS_HASH_EACH && column->is_dense);
  if (!is_text && is_itself) return (uint64_t)SLI_DATA(int64_t, values)[at];
  // TensorFlow hashes the lower half of a number.
  sli_view_t bytes =
      is_text ? sli_tensor_string_at(values, at) : sli_view_of((const char *)&SLI_DATA(int64_t, values)[at], 4);
  if (cross->kind == SLI_CROSS_HASH_SALT) return sli_fingerprint_strong(bytes, cross->salt[0], cross->salt[1]);
  return sli_fingerprint_of(bytes);
}

static int64_t hash_cross(const sli_cross_t *cross, const int64_t *places) {
  bool is_keyed = cross->kind == SLI_CROSS_HASH;
  uint64_t hash = cross->key;
  for (int i = 0; i < cross->column_count; i++) {
    uint64_t value = hash_value(cross, &cross->columns[i], places[i]);
    hash = i == 0 && !is_keyed ? value : sli_fingerprint_concat(hash, value);
  }
  return (int64_t)(hash % (uint64_t)(cross->buckets > 0 ? cross->buckets : INT64_MAX));
}

void sli_cross_fill(const sli_cross_t *cross, int64_t row, int64_t count, sli_tensor_t *values, int64_t at) {
  int64_t *places = sli_calloc((size_t)cross->column_count + 1, sizeof(*places));
  sli_string_t text = {0};
  for (int i = 0; i < cross->column_count; i++) places[i] = cross->columns[i].starts[row];
  for (int64_t k = 0; k < count; k++) {
    if (cross->kind == SLI_CROSS_JOIN) {
      sli_string_clear(&text);
      for (int i = 0; i < cross->column_count; i++) {
        if (i > 0) sli_string_append(&text, cross->separator.data, cross->separator.size);
        append_value(cross->columns[i].values, places[i], &text);
      }
      sli_tstring_assign(&SLI_DATA(sli_tstring_t, values)[at + k], sli_string_text(&text), text.size);
    } else {
      SLI_DATA(int64_t, values)[at + k] = hash_cross(cross, places);
    }
    for (int i = cross->column_count - 1; i >= 0; i--) {
      if (++places[i] < cross->columns[i].starts[row + 1]) break;
      places[i] = cross->columns[i].starts[row];
    }
  }
  sli_string_deinitialize(&text);
  free(places);
}
