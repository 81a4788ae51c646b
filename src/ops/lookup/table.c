#include "ops/lookup/table.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "ops/array/elements.h"

// --- Rows, all under the lock ------------------------------------------------------------------

static size_t row_size(const sli_table_t *table) { return (size_t)table->width * sli_dtype_size(table->value_dtype); }
static char *row_at(const sli_table_t *table, size_t row) { return table->values + row * row_size(table); }

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

// Of |capacity| rows; SIZE_MAX if nobody has so many.
static size_t bytes_of(const sli_table_t *table, size_t capacity) {
  size_t bytes;
  bool is_too_much = __builtin_mul_overflow(capacity, row_size(table), &bytes);
  return is_too_much ? SIZE_MAX : bytes > 0 ? bytes : 1;
}

// Elements of zero bytes are valid: empty strings, no objects.
static bool grow(sli_table_t *table, size_t capacity) {
  sli_allocator_t *cpu = sli_allocator_cpu();
  size_t size = bytes_of(table, capacity), former = table->values ? bytes_of(table, table->capacity) : 0;
  char *values = size < SIZE_MAX ? cpu->allocate(cpu, size) : NULL;
  if (!values) return false;
  if (former) memcpy(values, table->values, former);
  memset(values + former, 0, size - former);
  if (former) cpu->release(cpu, table->values, former);
  table->values = values;
  table->capacity = capacity;
  return true;
}

// Makes room for |more| keys.
static sli_status_t *reserve(sli_table_t *table, int64_t more) {
  size_t wanted = (size_t)more, needed = table->count;
  if (wanted > table->unused.count) needed += wanted - table->unused.count;
  if (needed <= table->capacity) return NULL;
  if (needed < 2 * table->capacity && grow(table, 2 * table->capacity)) return NULL;
  if (grow(table, needed)) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when table '%s' grows to %zu values of shape %s and type %s",
                         table->name, needed, sli_shape_text(table->value_shape).text,
                         sli_dtype_name(table->value_dtype));
}

static size_t take_row(sli_table_t *table) {
  return table->unused.count ? table->unused.items[--table->unused.count] : table->count++;
}

// There is room.
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
  if (table->values) sli_allocator_cpu()->release(sli_allocator_cpu(), table->values, bytes_of(table, table->capacity));
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
  if (!table->is_initialized) status = reserve(table, keys->count);
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

static sli_status_t *insert_locked(sli_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values) {
  SLI_RETURN_IF_ERROR(reserve(table, keys->count));
  for (int64_t i = 0; i < keys->count; i++) add_row(table, key_at(keys, i), value_at(values, i, table->width));
  return NULL;
}

sli_status_t *sli_table_insert(sli_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values) {
  sli_mutex_lock(&table->mutex);
  sli_status_t *status = insert_locked(table, keys, values);
  sli_mutex_unlock(&table->mutex);
  return status;
}

sli_status_t *sli_table_replace(sli_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values) {
  sli_mutex_lock(&table->mutex);
  clear(table);
  sli_status_t *status = insert_locked(table, keys, values);
  sli_mutex_unlock(&table->mutex);
  return status;
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
