// A lookup table maps keys (int32, int64 or string) to values of one type, each a scalar or a small tensor. A static
// table is initialized once and then only read. Keys can be added to and removed from a mutable table. In a dense
// table, which is mutable, a key may be a small tensor too, and two keys are reserved.
//
// All values are stored in one array of rows; a map finds the row of a key. Thread-safe: every function that takes
// tensors holds the table's lock while it runs.
#ifndef SLI_OPS_LOOKUP_LOOKUP_TABLE_H_
#define SLI_OPS_LOOKUP_LOOKUP_TABLE_H_

#include "base/array.h"
#include "base/map.h"
#include "base/sync.h"
#include "core/tensor/tensor.h"

typedef struct {
  sli_object_t base;
  char *name;
  sli_dtype_t key_dtype, value_dtype;
  sli_shape_t value_shape;  // of one value; the table owns its dims
  int64_t width;            // number of elements of one value
  bool is_mutable;
  // Dense tables only: keys that nobody may use; they have the shape of a key. Owned; NULL: none. Set once, before the
  // table is used.
  sli_tensor_t *empty_key, *deleted_key;
  int64_t key_width;  // number of elements of one key
  // How TensorFlow would store a dense table, for exports.
  int64_t first_buckets;
  float max_load;
  sli_mutex_t mutex;
  // Guarded by |mutex|:
  bool is_initialized;  // static tables only
  sli_map_t rows;       // bytes of a key → its row + 1
  char *values;         // |capacity| rows, all with initialized elements
  size_t count, capacity;
  sli_string_t scratch;      // of a key of several strings
  SLI_ARRAY(size_t) unused;  // rows below |count| that belong to no key
} sli_lookup_table_t;

extern const sli_object_type_t sli_lookup_table_type;

// Creates an empty table. The caller owns the reference. INVALID_ARGUMENT unless |value_shape| is fully known and has
// at most 2^28 elements.
sli_status_t *sli_lookup_table_create(sli_view_t name, sli_dtype_t key_dtype, sli_dtype_t value_dtype,
                                      sli_shape_t value_shape, bool is_mutable, sli_lookup_table_t **out_table);

// Makes the table a dense one; |deleted_key| may be NULL. Does nothing if it is one with the same keys already.
// INVALID_ARGUMENT if the keys do not fit each other, the table's type, or the keys that it has. |buckets|, a power of
// two, and |max_load| only affect exports.
sli_status_t *sli_lookup_table_reserve_keys(sli_lookup_table_t *table, sli_tensor_t *empty_key,
                                            sli_tensor_t *deleted_key, int64_t buckets, float max_load);
// The shape of a key.
sli_shape_t sli_lookup_table_key_shape(const sli_lookup_table_t *table);

// For all functions below: |keys| and |values| have the table's types, and |values| has one row for each key. If there
// is no memory for the new rows, they return RESOURCE_EXHAUSTED and add none of them. A reserved key is
// INVALID_ARGUMENT.

// Initializes a static table. If the table is already initialized, data of the same size is assumed to be the same and
// ignored; data of another size is FAILED_PRECONDITION. A key with two different values is FAILED_PRECONDITION too, and
// leaves the table empty.
sli_status_t *sli_lookup_table_initialize(sli_lookup_table_t *table, const sli_tensor_t *keys,
                                          const sli_tensor_t *values);
// Adds keys to a mutable table. A key that is already there gets the new value.
sli_status_t *sli_lookup_table_insert(sli_lookup_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values);
// Replaces all entries of a mutable table. Of a dense table reserved keys are skipped: they are part of its exports.
sli_status_t *sli_lookup_table_replace(sli_lookup_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values);
// Removes keys from a mutable table; missing keys are ignored.
sli_status_t *sli_lookup_table_remove(sli_lookup_table_t *table, const sli_tensor_t *keys);
// Writes the values of |keys| to |values|. A missing key gets the default value: one for all keys or, if
// |is_default_per_key|, the row of that key. FAILED_PRECONDITION "Table not initialized."
sli_status_t *sli_lookup_table_find(sli_lookup_table_t *table, const sli_tensor_t *keys,
                                    const sli_tensor_t *default_value, bool is_default_per_key, sli_tensor_t *values);
// The number of keys.
int64_t sli_lookup_table_size(sli_lookup_table_t *table);
// Exports all keys and values into two tensors that |create|(context, count, &keys, &values) allocates. |create| is
// called with the table's lock held. ABORTED if the table is not initialized. A dense table is exported as the buckets
// that TensorFlow would have, those without an entry with the empty key, so that checkpoints can be exchanged.
sli_status_t *sli_lookup_table_export(sli_lookup_table_t *table,
                                      sli_status_t *(*create)(void *context, int64_t count, sli_tensor_t **out_keys,
                                                              sli_tensor_t **out_values),
                                      void *context);

#endif  // SLI_OPS_LOOKUP_LOOKUP_TABLE_H_
