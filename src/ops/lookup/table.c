#include "ops/lookup/table.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "ops/array/elements.h"

// --- Rows, all under the lock ------------------------------------------------------------------

static char *row_at(const sli_table_t *table, size_t row) {
  return table->values + row * (size_t)table->width * sli_dtype_size(table->value_dtype);
}

static sli_view_t key_at(const sli_tensor_t *keys, int64_t index) {
  if (keys->dtype == SLI_DTYPE_STRING) return sli_tensor_string_at(keys, index);
  return sli_view_of(sli_element_at(keys, index), sli_dtype_size((sli_dtype_t)keys->dtype));
}

static const char *value_at(const sli_tensor_t *values, int64_t index, int64_t width) {
  return sli_element_at(values, index * width);
}

// Where |key|'s values are; NULL: nowhere.
static char *find_row(const sli_table_t *table, sli_view_t key) {
  size_t row = (size_t)(uintptr_t)sli_map_get(&table->rows, key);
  return row ? row_at(table, row - 1) : NULL;
}

// Elements of zero bytes are valid: empty strings, no objects.
static size_t take_row(sli_table_t *table) {
  if (table->unused.count) return table->unused.items[--table->unused.count];
  if (table->count == table->capacity) {
    size_t size = (size_t)table->width * sli_dtype_size(table->value_dtype);
    size_t capacity = table->capacity ? 2 * table->capacity : 16;
    table->values = sli_realloc(table->values, capacity * (size > 0 ? size : 1));
    memset(table->values + table->capacity * size, 0, (capacity - table->capacity) * size);
    table->capacity = capacity;
  }
  return table->count++;
}

static void add_row(sli_table_t *table, sli_view_t key, const char *value) {
  char *to = find_row(table, key);
  if (!to) {
    size_t row = take_row(table);
    sli_map_set(&table->rows, key, (void *)(uintptr_t)(row + 1));
    to = row_at(table, row);
  }
  sli_elements_copy(table->value_dtype, to, value, table->width);
}

static void clear(sli_table_t *table) {
  for (size_t row = 0; row < table->count; row++)
    sli_elements_clear(table->value_dtype, row_at(table, row), table->width);
  table->count = 0;
  sli_array_deinitialize(&table->unused);
  sli_map_deinitialize(&table->rows);
}

// --- The table -------------------------------------------------------------------------------------

static void table_destroy(sli_object_t *object) {
  sli_table_t *table = (sli_table_t *)object;
  clear(table);
  free(table->values);
  free((void *)table->value_shape.dims);
  free(table->name);
  sli_mutex_deinitialize(&table->mutex);
  free(table);
}

const sli_object_type_t sli_table_type = {"LookupTable", table_destroy, NULL};

sli_status_t *sli_table_create(sli_view_t name, sli_dtype_t key_dtype, sli_dtype_t value_dtype, sli_shape_t value_shape,
                               bool is_mutable, sli_table_t **out_table) {
  enum { MOST = 1 << 28 };
  *out_table = NULL;
  int64_t width = sli_shape_count(value_shape);
  if (width < 0 || width > MOST)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Table '%.*s' cannot have values of shape %s", SLI_VIEW_ARG(name),
                           sli_shape_text(value_shape).text);
  sli_table_t *table = sli_calloc(1, sizeof(*table));
  sli_object_initialize(&table->base, &sli_table_type);
  sli_mutex_initialize(&table->mutex);
  table->name = sli_strndup(name.data, name.size);
  table->key_dtype = key_dtype;
  table->value_dtype = value_dtype;
  table->width = width;
  table->is_mutable = is_mutable;
  table->value_shape = (sli_shape_t){
      value_shape.rank, sli_memdup(value_shape.dims, (size_t)value_shape.rank * sizeof(*value_shape.dims))};
  *out_table = table;
  return NULL;
}

static void append_element(sli_string_t *text, sli_dtype_t dtype, const void *element) {
  sli_tensor_t *tensor = dtype == SLI_DTYPE_STRING ? sli_tensor_scalar_string(sli_tstring_view(element))
                                                   : sli_tensor_scalar(dtype, element);
  sli_tensor_append_values(text, tensor, 1);
  sli_tensor_release(tensor);
}

static sli_status_t *two_values(const sli_table_t *table, const void *key, const void *had, const void *value) {
  sli_string_t text = {0};
  sli_string_append_text(&text, "HashTable has different value for same key. Key ");
  append_element(&text, table->key_dtype, key);
  sli_string_append_text(&text, " has ");
  append_element(&text, table->value_dtype, had);
  sli_string_append_text(&text, " and trying to add value ");
  append_element(&text, table->value_dtype, value);
  sli_status_t *status = sli_status_make_text(SLI_FAILED_PRECONDITION, sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

// Whether two values of a static table, scalars, are equal.
static bool same_value(sli_dtype_t dtype, const char *a, const char *b) {
  if (dtype == SLI_DTYPE_STRING)
    return sli_view_equal(sli_tstring_view((const sli_tstring_t *)a), sli_tstring_view((const sli_tstring_t *)b));
  return memcmp(a, b, sli_dtype_size(dtype)) == 0;
}

sli_status_t *sli_table_initialize(sli_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values) {
  sli_status_t *status = NULL;
  sli_mutex_lock(&table->mutex);
  if (table->is_initialized && (int64_t)table->rows.count != keys->count)
    status = sli_status_make(SLI_FAILED_PRECONDITION, "Table was already initialized with different data.");
  for (int64_t i = 0; !status && !table->is_initialized && i < keys->count; i++) {
    const char *had = find_row(table, key_at(keys, i)), *value = value_at(values, i, table->width);
    if (had && !same_value(table->value_dtype, had, value))
      status = two_values(table, sli_element_at(keys, i), had, value);
    else if (!had)
      add_row(table, key_at(keys, i), value);
  }
  if (status && !table->is_initialized) clear(table);
  table->is_initialized |= !status;
  sli_mutex_unlock(&table->mutex);
  return status;
}

void sli_table_insert(sli_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values) {
  sli_mutex_lock(&table->mutex);
  for (int64_t i = 0; i < keys->count; i++) add_row(table, key_at(keys, i), value_at(values, i, table->width));
  sli_mutex_unlock(&table->mutex);
}

void sli_table_replace(sli_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values) {
  sli_mutex_lock(&table->mutex);
  clear(table);
  for (int64_t i = 0; i < keys->count; i++) add_row(table, key_at(keys, i), value_at(values, i, table->width));
  sli_mutex_unlock(&table->mutex);
}

void sli_table_remove(sli_table_t *table, const sli_tensor_t *keys) {
  sli_mutex_lock(&table->mutex);
  for (int64_t i = 0; i < keys->count; i++) {
    size_t row = (size_t)(uintptr_t)sli_map_remove(&table->rows, key_at(keys, i));
    if (!row) continue;
    sli_elements_clear(table->value_dtype, row_at(table, row - 1), table->width);
    sli_array_push(&table->unused, row - 1);
  }
  sli_mutex_unlock(&table->mutex);
}

sli_status_t *sli_table_find(sli_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *default_value,
                             bool is_default_per_key, sli_tensor_t *values) {
  sli_status_t *status = NULL;
  int64_t width = table->width;
  sli_mutex_lock(&table->mutex);
  if (!table->is_mutable && !table->is_initialized)
    status = sli_status_make(SLI_FAILED_PRECONDITION, "Table not initialized.");
  for (int64_t i = 0; !status && i < keys->count; i++) {
    const char *from = find_row(table, key_at(keys, i));
    if (!from) from = value_at(default_value, is_default_per_key ? i : 0, width);
    sli_elements_copy(table->value_dtype, sli_element_at(values, i * width), from, width);
  }
  sli_mutex_unlock(&table->mutex);
  return status;
}

int64_t sli_table_size(sli_table_t *table) {
  sli_mutex_lock(&table->mutex);
  int64_t size = (int64_t)table->rows.count;
  sli_mutex_unlock(&table->mutex);
  return size;
}

static void export_rows(const sli_table_t *table, sli_tensor_t *keys, sli_tensor_t *values) {
  int64_t at = 0;
  SLI_MAP_FOR_EACH (&table->rows, entry) {
    if (keys->dtype == SLI_DTYPE_STRING)
      sli_tstring_assign(&SLI_DATA(sli_tstring_t, keys)[at], entry->key, entry->key_size);
    else
      memcpy(sli_element_at(keys, at), entry->key, entry->key_size);
    sli_elements_copy(table->value_dtype, sli_element_at(values, at * table->width),
                      row_at(table, (size_t)(uintptr_t)entry->value - 1), table->width);
    at++;
  }
}

sli_status_t *sli_table_export(sli_table_t *table,
                               sli_status_t *(*create)(void *context, int64_t count, sli_tensor_t **out_keys,
                                                       sli_tensor_t **out_values),
                               void *context) {
  sli_tensor_t *keys, *values;
  sli_status_t *status = NULL;
  sli_mutex_lock(&table->mutex);
  if (!table->is_mutable && !table->is_initialized)
    status = sli_status_make(SLI_ABORTED, "HashTable is not initialized.");
  if (!status) status = create(context, (int64_t)table->rows.count, &keys, &values);
  if (!status) export_rows(table, keys, values);
  sli_mutex_unlock(&table->mutex);
  return status;
}
