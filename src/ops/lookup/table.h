// A lookup table: from keys (int32, int64, string) to values of one type, each a
// scalar or a small tensor. A static table is filled once and then only read; a
// mutable one grows and shrinks.
//
// Rows of values lie side by side; a map finds a key's row. Thread-safe: every
// function that takes tensors holds the table's lock for its length.
#ifndef SLI_OPS_LOOKUP_TABLE_H_
#define SLI_OPS_LOOKUP_TABLE_H_

#include "base/array.h"
#include "base/map.h"
#include "base/sync.h"
#include "core/tensor.h"

typedef struct {
  sli_object_t base;
  char *name;
  sli_dtype_t key_dtype, value_dtype;
  sli_shape_t value_shape;  // of one value; owned
  int64_t width;            // its elements
  bool is_mutable;
  sli_mutex_t mutex;
  // Under |mutex|:
  bool is_initialized;  // of a static table
  sli_map_t rows;       // key's bytes → its row + 1
  char *values;         // |capacity| rows, all of them valid elements
  size_t count, capacity;
  SLI_ARRAY(size_t) unused;  // rows below |count| that no key has
} sli_table_t;

extern const sli_object_type_t sli_table_type;

// An empty table; INVALID_ARGUMENT unless |value_shape| is known and small enough.
sli_status_t *sli_table_create(sli_view_t name, sli_dtype_t key_dtype, sli_dtype_t value_dtype, sli_shape_t value_shape,
                               bool is_mutable, sli_table_t **out_table);

// All: |keys| and |values| have the table's types, |values| a row for each key. RESOURCE_EXHAUSTED without memory for
// more rows: none of them is added.

// Fills a static table. Once it is filled, tables of the same size are taken for the same and left alone;
// FAILED_PRECONDITION for others, and for keys that come with two values: the table stays empty.
sli_status_t *sli_table_initialize(sli_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values);
// Adds to a mutable table, or takes the place of what a key had.
sli_status_t *sli_table_insert(sli_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values);
// Puts these in the place of all that a mutable table has.
sli_status_t *sli_table_replace(sli_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *values);
// Takes keys out of a mutable table; those that are not there are fine.
void sli_table_remove(sli_table_t *table, const sli_tensor_t *keys);
// The values of |keys|, else the default: one for all, or, |is_default_per_key|, one for each.
// FAILED_PRECONDITION "Table not initialized."
sli_status_t *sli_table_find(sli_table_t *table, const sli_tensor_t *keys, const sli_tensor_t *default_value,
                             bool is_default_per_key, sli_tensor_t *values);
int64_t sli_table_size(sli_table_t *table);
// All keys and values, made with |create|(context, count, &keys, &values) under the lock. ABORTED if not initialized.
sli_status_t *sli_table_export(sli_table_t *table,
                               sli_status_t *(*create)(void *context, int64_t count, sli_tensor_t **out_keys,
                                                       sli_tensor_t **out_values),
                               void *context);

#endif  // SLI_OPS_LOOKUP_TABLE_H_
