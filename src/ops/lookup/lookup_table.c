#include "ops/lookup/lookup_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "ops/common/copy_elements.h"

// --- Rows: the caller must hold the lock ------------------------------------------------------------------

static size_t row_size(const sli_lookup_table_t *table) {
  return (size_t)table->width * sli_dtype_size(table->value_dtype);
}
static char *row_at(const sli_lookup_table_t *table, size_t row) { return table->values + row * row_size(table); }

// The bytes of key |index|. Several strings are in |table->scratch|, each after its length.
static sli_view_t key_at(sli_lookup_table_t *table, const sli_tensor_t *keys, int64_t index) {
  int64_t width = table->key_width, at = index * width;
  if (keys->dtype != SLI_DTYPE_STRING)
    return sli_view_of(sli_tensor_at(keys, at), (size_t)width * sli_dtype_size((sli_dtype_t)keys->dtype));
  if (width == 1) return sli_tensor_string_at(keys, at);
  sli_string_clear(&table->scratch);
  for (int64_t i = 0; i < width; i++) {
    sli_view_t text = sli_tensor_string_at(keys, at + i);
    sli_string_append(&table->scratch, &text.size, sizeof(text.size));
    sli_string_append(&table->scratch, text.data, text.size);
  }
  return sli_view_of(table->scratch.data, table->scratch.size);
}

// The other way.
static void store_key(const sli_lookup_table_t *table, sli_view_t bytes, sli_tensor_t *keys, int64_t index) {
  int64_t width = table->key_width, at = index * width;
  if (keys->dtype != SLI_DTYPE_STRING) {
    memcpy(sli_tensor_at(keys, at), bytes.data, bytes.size);
  } else if (width == 1) {
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, keys)[at], bytes.data, bytes.size);
  } else {
    for (const char *from = bytes.data; from < bytes.data + bytes.size; at++) {
      size_t size;
      memcpy(&size, from, sizeof(size));
      sli_tstring_assign(&SLI_DATA(sli_tstring_t, keys)[at], from + sizeof(size), size);
      from += sizeof(size) + size;
    }
  }
}

static int64_t count_keys(const sli_lookup_table_t *table, const sli_tensor_t *keys) {
  return keys->count / table->key_width;
}

static bool same_elements(const sli_tensor_t *a, const sli_tensor_t *b, int64_t b_at) {
  if (a->dtype != SLI_DTYPE_STRING) return memcmp(a->data, sli_tensor_at(b, b_at), sli_tensor_bytes(a)) == 0;
  for (int64_t i = 0; i < a->count; i++)
    if (!sli_view_equal(sli_tensor_string_at(a, i), sli_tensor_string_at(b, b_at + i))) return false;
  return true;
}

// Which reserved key element |at| of |keys| begins; NULL: none.
static const char *reserved_at(const sli_lookup_table_t *table, const sli_tensor_t *keys, int64_t at) {
  if (table->empty_key && same_elements(table->empty_key, keys, at)) return "empty_key";
  return table->deleted_key && same_elements(table->deleted_key, keys, at) ? "deleted_key" : NULL;
}

static sli_status_t *check_reserved(const sli_lookup_table_t *table, const sli_tensor_t *keys) {
  for (int64_t i = 0; table->empty_key && i < keys->count; i += table->key_width) {
    const char *name = reserved_at(table, keys, i);
    if (name) return sli_status_make(SLI_INVALID_ARGUMENT, "Using the %s as a table key is not allowed", name);
  }
  return NULL;
}

static const char *value_at(const sli_tensor_t *values, int64_t index, int64_t width) {
  return sli_tensor_at(values, index * width);
}

// The row of |key|, NULL if the table does not have the key.
static char *find_row(const sli_lookup_table_t *table, sli_view_t key) {
  size_t row = (size_t)(uintptr_t)sli_map_get(&table->rows, key);
  return row ? row_at(table, row - 1) : NULL;
}

// The size of |capacity| rows in bytes, at least 1; SIZE_MAX if it overflows.
static size_t bytes_of(const sli_lookup_table_t *table, size_t capacity) {
  size_t bytes;
  bool is_too_much = __builtin_mul_overflow(capacity, row_size(table), &bytes);
  return is_too_much ? SIZE_MAX : bytes > 0 ? bytes : 1;
}

// Reallocates to |capacity| rows; false without memory. New rows are zeroed: zero bytes are valid elements (empty
// strings, NULL objects).
static bool grow(sli_lookup_table_t *table, size_t capacity) {
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

// Makes room for |more| new keys.
static sli_status_t *reserve(sli_lookup_table_t *table, int64_t more) {
  size_t wanted = (size_t)more, needed = table->count;
  if (wanted > table->unused.count) needed += wanted - table->unused.count;
  if (needed <= table->capacity) return NULL;
  if (needed < 2 * table->capacity && grow(table, 2 * table->capacity)) return NULL;
  if (grow(table, needed)) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when table '%s' grows to %zu values of shape %s and type %s",
                         table->name, needed, sli_shape_text(table->value_shape).text,
                         sli_dtype_name(table->value_dtype));
}

static size_t take_row(sli_lookup_table_t *table) {
  return table->unused.count ? table->unused.items[--table->unused.count] : table->count++;
}

// The caller has reserved the row.
static void add_row(sli_lookup_table_t *table, sli_view_t key, const char *value) {
  char *to = find_row(table, key);
  if (!to) {
    size_t row = take_row(table);
    sli_map_set(&table->rows, key, (void *)(uintptr_t)(row + 1));
    to = row_at(table, row);
  }
  sli_elements_copy(table->value_dtype, to, value, table->width);
}

static void clear(sli_lookup_table_t *table) {
  for (size_t row = 0; row < table->count; row++)
    sli_elements_clear(table->value_dtype, row_at(table, row), table->width);
  table->count = 0;
  sli_array_deinitialize(&table->unused);
  sli_map_deinitialize(&table->rows);
}

// --- The table -------------------------------------------------------------------------------------

static void table_destroy(sli_object_t *object) {
  sli_lookup_table_t *table = (sli_lookup_table_t *)object;
  clear(table);
  if (table->values) sli_allocator_cpu()->release(sli_allocator_cpu(), table->values, bytes_of(table, table->capacity));
  free((void *)table->value_shape.dims);
  sli_tensor_release(table->empty_key);
  sli_tensor_release(table->deleted_key);
  sli_string_deinitialize(&table->scratch);
  free(table->name);
  sli_mutex_deinitialize(&table->mutex);
  free(table);
}

const sli_object_type_t sli_lookup_table_type = {"LookupTable", table_destroy, NULL};

sli_status_t *sli_lookup_table_create(sli_view_t name, sli_dtype_t key_dtype, sli_dtype_t value_dtype,
                                      sli_shape_t value_shape, bool is_mutable, sli_lookup_table_t **out_table) {
  enum { MOST = 1 << 28 };
  *out_table = NULL;
  int64_t width = sli_shape_count(value_shape);
  if (width < 0 || width > MOST)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Table '%.*s': value_shape must be fully known and have at most %d elements, got %s",
                           SLI_VIEW_ARG(name), MOST, sli_shape_text(value_shape).text);
  sli_lookup_table_t *table = sli_calloc(1, sizeof(*table));
  sli_object_initialize(&table->base, &sli_lookup_table_type);
  sli_mutex_initialize(&table->mutex);
  table->name = sli_strndup(name.data, name.size);
  table->key_dtype = key_dtype;
  table->value_dtype = value_dtype;
  table->width = width;
  table->key_width = 1;
  table->is_mutable = is_mutable;
  table->value_shape = (sli_shape_t){
      value_shape.rank, sli_memdup(value_shape.dims, (size_t)value_shape.rank * sizeof(*value_shape.dims))};
  *out_table = table;
  return NULL;
}

sli_shape_t sli_lookup_table_key_shape(const sli_lookup_table_t *table) {
  return table->empty_key ? sli_tensor_shape(table->empty_key) : SLI_SHAPE_SCALAR;
}

static sli_status_t *check_keys_to_reserve(const sli_lookup_table_t *table, const sli_tensor_t *empty_key,
                                           const sli_tensor_t *deleted_key) {
  if (empty_key->dtype != table->key_dtype || (deleted_key && deleted_key->dtype != table->key_dtype))
    return sli_status_make(SLI_INVALID_ARGUMENT, "empty_key and deleted_key must be of type %s",
                           sli_dtype_name(table->key_dtype));
  if (empty_key->count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "empty_key must have elements, got shape %s",
                           sli_tensor_shape_text(empty_key).text);
  if (deleted_key && !sli_tensor_same_shape(empty_key, deleted_key))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Empty and deleted keys must have same shape, got shapes: %s and %s",
                           sli_tensor_shape_text(empty_key).text, sli_tensor_shape_text(deleted_key).text);
  if (deleted_key && same_elements(empty_key, deleted_key, 0))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Empty and deleted keys cannot be equal");
  return NULL;
}

sli_status_t *sli_lookup_table_reserve_keys(sli_lookup_table_t *table, sli_tensor_t *empty_key,
                                            sli_tensor_t *deleted_key, int64_t buckets, float max_load) {
  SLI_RETURN_IF_ERROR(check_keys_to_reserve(table, empty_key, deleted_key));
  sli_status_t *status = NULL;
  sli_mutex_lock(&table->mutex);
  if (table->empty_key) {
    if (!sli_tensor_same_shape(table->empty_key, empty_key) || !same_elements(table->empty_key, empty_key, 0))
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Table '%s' exists with another empty_key", table->name);
  } else if (table->rows.count) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Table '%s' exists and is not dense", table->name);
  } else {
    // Copies, because the keys of a graph may be the memory of a variable.
    status = sli_tensor_clone(empty_key, &table->empty_key);
    if (!status && deleted_key) status = sli_tensor_clone(deleted_key, &table->deleted_key);
    if (!status) table->key_width = empty_key->count;
    table->first_buckets = buckets;
    table->max_load = max_load;
  }
  sli_mutex_unlock(&table->mutex);
  return status;
}

static void append_element(sli_string_t *text, sli_dtype_t dtype, const void *element) {
  sli_tensor_t *tensor = dtype == SLI_DTYPE_STRING ? sli_tensor_scalar_string(sli_tstring_view(element))
                                                   : sli_tensor_scalar(dtype, element);
  sli_tensor_append_values(text, tensor, 1);
  sli_tensor_release(tensor);
}

static sli_status_t *conflicting_values(const sli_lookup_table_t *table, const void *key, const void *had,
                                        const void *value) {
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

// Whether two scalar values are equal. The values of static tables are scalars.
static bool same_value(sli_dtype_t dtype, const char *a, const char *b) {
  if (dtype == SLI_DTYPE_STRING)
    return sli_view_equal(sli_tstring_view((const sli_tstring_t *)a), sli_tstring_view((const sli_tstring_t *)b));
  return memcmp(a, b, sli_dtype_size(dtype)) == 0;
}

sli_status_t *sli_lookup_table_initialize(sli_lookup_table_t *table, const sli_tensor_t *keys,
                                          const sli_tensor_t *values) {
  sli_status_t *status = NULL;
  sli_mutex_lock(&table->mutex);
  if (table->is_initialized && (int64_t)table->rows.count != count_keys(table, keys))
    status = sli_status_make(SLI_FAILED_PRECONDITION, "Table was already initialized with different data.");
  if (!table->is_initialized) status = reserve(table, count_keys(table, keys));
  for (int64_t i = 0; !status && !table->is_initialized && i < count_keys(table, keys); i++) {
    const char *had = find_row(table, key_at(table, keys, i)), *value = value_at(values, i, table->width);
    if (had && !same_value(table->value_dtype, had, value))
      status = conflicting_values(table, sli_tensor_at(keys, i), had, value);
    else if (!had)
      add_row(table, key_at(table, keys, i), value);
  }
  if (status && !table->is_initialized) clear(table);
  table->is_initialized |= !status;
  sli_mutex_unlock(&table->mutex);
  return status;
}

static sli_status_t *insert_locked(sli_lookup_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values) {
  int64_t count = count_keys(table, keys);
  SLI_RETURN_IF_ERROR(reserve(table, count));
  for (int64_t i = 0; i < count; i++)
    if (!table->empty_key || !reserved_at(table, keys, i * table->key_width))
      add_row(table, key_at(table, keys, i), value_at(values, i, table->width));
  return NULL;
}

sli_status_t *sli_lookup_table_insert(sli_lookup_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values) {
  sli_mutex_lock(&table->mutex);
  sli_status_t *status = check_reserved(table, keys);
  if (!status) status = insert_locked(table, keys, values);
  sli_mutex_unlock(&table->mutex);
  return status;
}

sli_status_t *sli_lookup_table_replace(sli_lookup_table_t *table, const sli_tensor_t *keys,
                                       const sli_tensor_t *values) {
  sli_mutex_lock(&table->mutex);
  clear(table);
  sli_status_t *status = insert_locked(table, keys, values);
  sli_mutex_unlock(&table->mutex);
  return status;
}

sli_status_t *sli_lookup_table_remove(sli_lookup_table_t *table, const sli_tensor_t *keys) {
  sli_mutex_lock(&table->mutex);
  sli_status_t *status = check_reserved(table, keys);
  for (int64_t i = 0; !status && i < count_keys(table, keys); i++) {
    size_t row = (size_t)(uintptr_t)sli_map_remove(&table->rows, key_at(table, keys, i));
    if (!row) continue;
    sli_elements_clear(table->value_dtype, row_at(table, row - 1), table->width);
    sli_array_push(&table->unused, row - 1);
  }
  sli_mutex_unlock(&table->mutex);
  return status;
}

sli_status_t *sli_lookup_table_find(sli_lookup_table_t *table, const sli_tensor_t *keys,
                                    const sli_tensor_t *default_value, bool is_default_per_key, sli_tensor_t *values) {
  sli_status_t *status = NULL;
  int64_t width = table->width;
  sli_mutex_lock(&table->mutex);
  if (!table->is_mutable && !table->is_initialized)
    status = sli_status_make(SLI_FAILED_PRECONDITION, "Table not initialized.");
  if (!status) status = check_reserved(table, keys);
  for (int64_t i = 0; !status && i < count_keys(table, keys); i++) {
    const char *from = find_row(table, key_at(table, keys, i));
    if (!from) from = value_at(default_value, is_default_per_key ? i : 0, width);
    sli_elements_copy(table->value_dtype, sli_tensor_at(values, i * width), from, width);
  }
  sli_mutex_unlock(&table->mutex);
  return status;
}

int64_t sli_lookup_table_size(sli_lookup_table_t *table) {
  sli_mutex_lock(&table->mutex);
  int64_t size = (int64_t)table->rows.count;
  sli_mutex_unlock(&table->mutex);
  return size;
}

static uint64_t hash_element(const sli_tensor_t *keys, int64_t at) {
  if (keys->dtype != SLI_DTYPE_STRING) return (uint64_t)sli_tensor_int_at(keys, at);
  sli_view_t text = sli_tensor_string_at(keys, at);
  return sli_hash_tensorflow(text.data, text.size, SLI_HASH_TENSORFLOW_SEED);
}

// How many buckets TensorFlow would have.
static int64_t count_buckets(const sli_lookup_table_t *table) {
  int64_t buckets = table->first_buckets;
  while ((double)table->rows.count > (double)buckets * (double)table->max_load) buckets *= 2;
  return buckets;
}

// Where TensorFlow would look for key |at| of |keys|, whose buckets |keys| itself are: the next one that is free.
static int64_t free_bucket(const sli_lookup_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *key,
                           int64_t buckets) {
  uint64_t hash = table->key_width == 1 ? hash_element(key, 0) : 0;
  for (int64_t i = 0; table->key_width > 1 && i < table->key_width; i++)
    hash = sli_hash_combine(hash, hash_element(key, i));
  int64_t bucket = (int64_t)(hash & (uint64_t)(buckets - 1));
  for (int64_t probes = 1; !same_elements(table->empty_key, keys, bucket * table->key_width); probes++)
    bucket = (bucket + probes) & (buckets - 1);
  return bucket;
}

static sli_status_t *export_rows(const sli_lookup_table_t *table, sli_tensor_t *keys, sli_tensor_t *values) {
  int64_t at = 0, buckets = table->empty_key ? count_buckets(table) : 0;
  sli_tensor_t *key = NULL;
  if (table->empty_key) {
    SLI_RETURN_IF_ERROR(sli_tensor_clone(table->empty_key, &key));
    for (int64_t i = 0; i < buckets; i++)
      sli_elements_copy(table->key_dtype, sli_tensor_at(keys, i * table->key_width), table->empty_key->data,
                        table->key_width);
    sli_elements_clear(table->value_dtype, values->data, values->count);
  }
  SLI_MAP_FOR_EACH (&table->rows, entry) {
    sli_view_t bytes = sli_view_of(entry->key, entry->key_size);
    if (key) {
      store_key(table, bytes, key, 0);
      at = free_bucket(table, keys, key, buckets);
    }
    store_key(table, bytes, keys, at);
    sli_elements_copy(table->value_dtype, sli_tensor_at(values, at * table->width),
                      row_at(table, (size_t)(uintptr_t)entry->value - 1), table->width);
    at++;
  }
  sli_tensor_release(key);
  return NULL;
}

sli_status_t *sli_lookup_table_export(sli_lookup_table_t *table,
                                      sli_status_t *(*create)(void *context, int64_t count, sli_tensor_t **out_keys,
                                                              sli_tensor_t **out_values),
                                      void *context) {
  sli_tensor_t *keys, *values;
  sli_status_t *status = NULL;
  sli_mutex_lock(&table->mutex);
  if (!table->is_mutable && !table->is_initialized)
    status = sli_status_make(SLI_ABORTED, "HashTable is not initialized.");
  int64_t count = table->empty_key ? count_buckets(table) : (int64_t)table->rows.count;
  if (!status) status = create(context, count, &keys, &values);
  if (!status) status = export_rows(table, keys, values);
  sli_mutex_unlock(&table->mutex);
  return status;
}
