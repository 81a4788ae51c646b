// The ops HashTable, MutableHashTable, MutableHashTableOfTensors and LookupTable*; lookup_makers.c has dense and
// anonymous tables. A table lives in the memory of one task. The old ops pass its handle as a reference to a string
// tensor, the V2 ops as a resource.
#include "ops/lookup/lookup_ops.h"

#include <stdlib.h>

#include "ops/common/named_resource.h"

// --- Making --------------------------------------------------------------------------------------

sli_status_t *sli_lookup_make_table(const sli_node_def_t *node, sli_view_t name, bool is_mutable, void **out_object) {
  sli_dtype_t keys, values;
  sli_shape_t shape = SLI_SHAPE_SCALAR;
  *out_object = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(node, "key_dtype", &keys));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(node, "value_dtype", &values));
  if (sli_node_attr(node, "value_shape")) SLI_RETURN_IF_ERROR(sli_node_attr_shape(node, "value_shape", &shape));
  return sli_lookup_table_create(name, keys, values, shape, is_mutable, (sli_lookup_table_t **)out_object);
}

static sli_status_t *make_static(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  return sli_lookup_make_table(node, name, false, out_object);
}
static sli_status_t *make_mutable(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  sli_shape_t shape;
  *out_object = NULL;
  if (sli_node_attr(node, "value_shape")) {
    SLI_RETURN_IF_ERROR(sli_node_attr_shape(node, "value_shape", &shape));
    if (shape.rank != 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Default value must be a vector, got shape %s",
                             sli_shape_text(shape).text);
  }
  return sli_lookup_make_table(node, name, true, out_object);
}

// As in TensorFlow, a table of another kind with the same name is accepted; only its types must match.
sli_status_t *sli_lookup_match_table(const sli_node_def_t *node, void *object) {
  const sli_lookup_table_t *table = object;
  sli_dtype_t keys, values;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(node, "key_dtype", &keys));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(node, "value_dtype", &values));
  if (keys == table->key_dtype && values == table->value_dtype) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Conflicting key/value dtypes %s->%s with %s-%s for table %s",
                         sli_dtype_name(keys), sli_dtype_name(values), sli_dtype_name(table->key_dtype),
                         sli_dtype_name(table->value_dtype), table->name);
}

static const sli_named_resource_type_t static_type = {&sli_lookup_table_type, make_static, sli_lookup_match_table,
                                                      true};
static const sli_named_resource_type_t mutable_type = {&sli_lookup_table_type, make_mutable, sli_lookup_match_table,
                                                       true};

static sli_status_t *static_create(const sli_kernel_setup_t *setup, void **out_state) {
  return sli_named_resource_create(setup, &static_type, out_state);
}
static sli_status_t *mutable_create(const sli_kernel_setup_t *setup, void **out_state) {
  return sli_named_resource_create(setup, &mutable_type, out_state);
}

// --- Checks ----------------------------------------------------------------------------------------

sli_status_t *sli_lookup_with_table(sli_kernel_context_t *context,
                                    sli_status_t *(*work)(sli_kernel_context_t *context, sli_lookup_table_t *table)) {
  sli_lookup_table_t *table;
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &sli_lookup_table_type, (void **)&table));
  sli_status_t *status = work(context, table);
  sli_object_release(table);
  return status;
}

sli_status_t *sli_lookup_check_initializable(const sli_lookup_table_t *table) {
  if (!table->is_mutable) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Table %s is not initializable", table->name);
}

// Compares the node's types with the table's. |inputs| (after the handle) and |outputs| list what they are: 'k' for
// keys, 'v' for values.
static sli_status_t *check_signature(const sli_kernel_context_t *context, const sli_lookup_table_t *table,
                                     const char *inputs, const char *outputs) {
  const sli_node_def_t *node = context->node;
  bool fits = true;
  sli_string_t have = {0}, wanted = {0};
  sli_string_append_text(&have, sli_dtype_name(node->input_types[0]));
  sli_string_append_text(&wanted, sli_dtype_name(node->input_types[0]));
  for (int i = 0; inputs[i]; i++) {
    sli_dtype_t type = inputs[i] == 'k' ? table->key_dtype : table->value_dtype;
    fits = fits && node->input_types[i + 1] == type;
    sli_string_append_format(&have, ", %s", sli_dtype_name(node->input_types[i + 1]));
    sli_string_append_format(&wanted, ", %s", sli_dtype_name(type));
  }
  for (int i = 0; outputs[i] || i == 0; i++) {
    const char *mark = i == 0 ? "->" : ", ";
    sli_dtype_t type = outputs[i] == 'k' ? table->key_dtype : table->value_dtype;
    fits = fits && (!outputs[i] || node->output_types[i] == type);
    sli_string_append_format(&have, "%s%s", mark, outputs[i] ? sli_dtype_name(node->output_types[i]) : "");
    sli_string_append_format(&wanted, "%s%s", mark, outputs[i] ? sli_dtype_name(type) : "");
    if (!outputs[i]) break;
  }
  sli_status_t *status = fits ? NULL
                              : sli_status_make(SLI_INVALID_ARGUMENT, "Signature mismatch, have: %s expected: %s",
                                                sli_string_text(&have), sli_string_text(&wanted));
  sli_string_deinitialize(&have);
  sli_string_deinitialize(&wanted);
  return status;
}

// The shape of the values for |keys|: the shape of |keys|, without that of one key, followed by the shape of one value.
// |dims|, of SLI_MAX_RANK elements, stores the result's dims.
static sli_status_t *shape_of_values(const sli_lookup_table_t *table, const sli_tensor_t *keys, int64_t *dims,
                                     sli_shape_t *out_shape) {
  sli_shape_t key = sli_lookup_table_key_shape(table);
  int rank = keys->rank - key.rank;
  if (rank < 0 || !sli_shape_equal(key, (sli_shape_t){key.rank, keys->dims + rank}))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input key shape %s must end with the table's key shape %s",
                           sli_tensor_shape_text(keys).text, sli_shape_text(key).text);
  if (table->empty_key && rank > 1) {
    dims[0] = keys->dims[0];
    for (int i = 0; i < key.rank; i++) dims[i + 1] = key.dims[i];
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected key shape %s got %s",
                           sli_shape_text((sli_shape_t){key.rank + 1, dims}).text, sli_tensor_shape_text(keys).text);
  }
  if (rank + table->value_shape.rank > SLI_MAX_RANK)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Values of table %s for keys of shape %s would have too many dimensions", table->name,
                           sli_tensor_shape_text(keys).text);
  for (int i = 0; i < rank; i++) dims[i] = keys->dims[i];
  for (int i = 0; i < table->value_shape.rank; i++) dims[rank + i] = table->value_shape.dims[i];
  *out_shape = (sli_shape_t){rank + table->value_shape.rank, dims};
  return NULL;
}

// An export of a dense table is a matrix of keys and one of values.
static sli_status_t *check_buckets(const sli_kernel_context_t *context, const sli_lookup_table_t *table) {
  const sli_tensor_t *keys = sli_kernel_input(context, 1), *values = sli_kernel_input(context, 2);
  SLI_RETURN_IF_ERROR(check_signature(context, table, "kv", ""));
  int64_t count = keys->count / table->key_width;
  if (keys->count % table->key_width == 0 && values->count == count * table->width) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Expected keys and values of as many buckets, got shapes %s and %s",
                         sli_tensor_shape_text(keys).text, sli_tensor_shape_text(values).text);
}

static sli_status_t *check_pairs(const sli_kernel_context_t *context, const sli_lookup_table_t *table) {
  const sli_tensor_t *keys = sli_kernel_input(context, 1), *values = sli_kernel_input(context, 2);
  int64_t dims[SLI_MAX_RANK];
  sli_shape_t wanted;
  SLI_RETURN_IF_ERROR(check_signature(context, table, "kv", ""));
  SLI_RETURN_IF_ERROR(shape_of_values(table, keys, dims, &wanted));
  if (sli_shape_equal(wanted, sli_tensor_shape(values))) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Expected shape %s for value, got %s", sli_shape_text(wanted).text,
                         sli_tensor_shape_text(values).text);
}

// --- Kernels ---------------------------------------------------------------------

static sli_status_t *find_in(sli_kernel_context_t *context, sli_lookup_table_t *table) {
  const sli_tensor_t *keys = sli_kernel_input(context, 1), *default_value = sli_kernel_input(context, 2);
  int64_t dims[SLI_MAX_RANK];
  sli_shape_t shape, given = sli_tensor_shape(default_value);
  sli_tensor_t *values;
  SLI_RETURN_IF_ERROR(check_signature(context, table, "kv", "v"));
  SLI_RETURN_IF_ERROR(shape_of_values(table, keys, dims, &shape));
  bool is_one = sli_shape_equal(given, table->value_shape);
  if (!is_one && !sli_shape_equal(given, shape))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected shape %s or %s for default value, got %s",
                           sli_shape_text(table->value_shape).text, sli_shape_text(shape).text,
                           sli_shape_text(given).text);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &values));
  return sli_lookup_table_find(table, keys, default_value, !is_one, values);
}

static sli_status_t *insert_into(sli_kernel_context_t *context, sli_lookup_table_t *table) {
  SLI_RETURN_IF_ERROR(check_pairs(context, table));
  if (!table->is_mutable)
    return sli_status_make(SLI_UNIMPLEMENTED, "Insert not supported by InitializableLookupTable implementations");
  return sli_lookup_table_insert(table, sli_kernel_input(context, 1), sli_kernel_input(context, 2));
}

static sli_status_t *remove_from(sli_kernel_context_t *context, sli_lookup_table_t *table) {
  SLI_RETURN_IF_ERROR(check_signature(context, table, "k", ""));
  if (!table->is_mutable)
    return sli_status_make(SLI_UNIMPLEMENTED, "Remove not supported by InitializableLookupTable implementations");
  return sli_lookup_table_remove(table, sli_kernel_input(context, 1));
}

static sli_status_t *import_into(sli_kernel_context_t *context, sli_lookup_table_t *table) {
  const sli_tensor_t *keys = sli_kernel_input(context, 1), *values = sli_kernel_input(context, 2);
  SLI_RETURN_IF_ERROR(table->empty_key ? check_buckets(context, table) : check_pairs(context, table));
  if (!table->is_mutable) return sli_lookup_table_initialize(table, keys, values);
  return sli_lookup_table_replace(table, keys, values);
}

static sli_status_t *initialize_table(sli_kernel_context_t *context, sli_lookup_table_t *table) {
  const sli_tensor_t *keys = sli_kernel_input(context, 1), *values = sli_kernel_input(context, 2);
  SLI_RETURN_IF_ERROR(sli_lookup_check_initializable(table));
  SLI_RETURN_IF_ERROR(check_signature(context, table, "kv", ""));
  if (keys->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Keys must be a vector, but received shape%s",
                           sli_tensor_shape_text(keys).text);
  if (values->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Values must be a vector, but received shape%s",
                           sli_tensor_shape_text(values).text);
  if (keys->count != values->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Keys and values must have the same size %lld vs %lld",
                           (long long)keys->count, (long long)values->count);
  if (!keys->count) return sli_status_make(SLI_INVALID_ARGUMENT, "keys and values cannot be empty tensors.");
  return sli_lookup_table_initialize(table, keys, values);
}

static sli_status_t *size_of(sli_kernel_context_t *context, sli_lookup_table_t *table) {
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int64(sli_lookup_table_size(table)));
  return NULL;
}

typedef struct {
  sli_kernel_context_t *context;
  const sli_lookup_table_t *table;
} table_export_t;

static sli_status_t *create_export_outputs(void *context, int64_t count, sli_tensor_t **out_keys,
                                           sli_tensor_t **out_values) {
  table_export_t *export = context;
  const sli_lookup_table_t *table = export->table;
  int64_t dims[SLI_MAX_RANK];
  sli_shape_t shape;
  if (table->empty_key) {
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(export->context, 0, SLI_SHAPE(count, table->key_width), out_keys));
    return sli_kernel_allocate_output(export->context, 1, SLI_SHAPE(count, table->width), out_values);
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(export->context, 0, SLI_SHAPE(count), out_keys));
  SLI_RETURN_IF_ERROR(shape_of_values(table, *out_keys, dims, &shape));
  return sli_kernel_allocate_output(export->context, 1, shape, out_values);
}

static sli_status_t *export_from(sli_kernel_context_t *context, sli_lookup_table_t *table) {
  SLI_RETURN_IF_ERROR(check_signature(context, table, "", "kv"));
  return sli_lookup_table_export(table, create_export_outputs, &(table_export_t){context, table});
}

#define ON_TABLE(name, work) \
  static sli_status_t *name(sli_kernel_context_t *context) { return sli_lookup_with_table(context, work); }
ON_TABLE(find_compute, find_in)
ON_TABLE(insert_compute, insert_into)
ON_TABLE(remove_compute, remove_from)
ON_TABLE(import_compute, import_into)
ON_TABLE(initialize_compute, initialize_table)
ON_TABLE(size_compute, size_of)
ON_TABLE(export_compute, export_from)

// --- Shapes ---------------------------------------------------------------------------------------------

sli_status_t *sli_lookup_check_handle(sli_infer_context_t *c) {
  sli_shape_t unused;
  if (!sli_dtype_is_ref(c->node->input_types[0])) return sli_infer_input_with_rank(c, 0, 0, &unused);
  return sli_infer_merge(c, sli_infer_input(c, 0), SLI_SHAPE(2), &unused);
}

static sli_status_t *table_handle_shape(sli_infer_context_t *c) {
  bool is_old = sli_dtype_is_ref(c->node->output_types[0]);
  sli_infer_set_output(c, 0, is_old ? sli_infer_make(c, 1, (int64_t[]){2}) : SLI_SHAPE_SCALAR);
  return NULL;
}

sli_status_t *sli_lookup_mutable_shape(sli_infer_context_t *c) {
  sli_infer_handle_t table = {.shape = SLI_SHAPE_SCALAR};
  SLI_RETURN_IF_ERROR(table_handle_shape(c));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "value_dtype", &table.dtype));
  if (sli_node_attr(c->node, "value_shape"))
    SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "value_shape", &table.shape));
  // A dense table has the shape of a key from its input.
  bool is_dense = c->node->input_count > 0;
  if (is_dense) table.key_rank = sli_infer_input(c, 0).rank;
  if (table.key_rank < 0 || table.shape.rank < 0) return NULL;
  table.shape = sli_shape_copy(c->arena, table.shape);
  c->output_handles[0] = table;
  return NULL;
}

static sli_status_t *find_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(sli_lookup_check_handle(c));
  sli_infer_set_output(c, 0, SLI_SHAPE_UNKNOWN);
  sli_shape_t keys = sli_infer_input(c, 1);
  if (!c->input_handles || c->input_handles[0].dtype != c->node->output_types[0] || keys.rank < 0) return NULL;
  sli_infer_handle_t table = c->input_handles[0];
  if (keys.rank < table.key_rank) return NULL;  // an error of the kernel
  sli_infer_set_output(
      c, 0, sli_infer_concatenate(c, sli_infer_subshape(c, keys, 0, keys.rank - table.key_rank), table.shape));
  return NULL;
}

static sli_status_t *size_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(sli_lookup_check_handle(c));
  return sli_infer_fn_scalar(c);
}

static sli_status_t *export_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(sli_lookup_check_handle(c));
  return NULL;
}

static sli_status_t *initialize_shape(sli_infer_context_t *c) {
  sli_shape_t keys, unused;
  SLI_RETURN_IF_ERROR(sli_lookup_check_handle(c));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &keys));
  return sli_infer_merge(c, keys, sli_infer_input(c, 2), &unused);
}

// --- Tables ----------------------------------------------------------------------------------------------

#define NAMES "container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; "
#define MAKER(op, form, more, on_ps, shape_function, text)                                                       \
  {                                                                                                              \
    .name = op, .outputs = "table_handle: " form, .attrs = NAMES "key_dtype: type; value_dtype: type" more,      \
    .summary = text, .shape = shape_function, .not_differentiable = true, .is_stateful = true, .is_on_ps = on_ps \
  }
#define PAIRS "Tin: type; Tout: type"
#define MAKERS(suffix, form)                                                                                       \
  MAKER("HashTable" suffix, form, "", false, table_handle_shape,                                                   \
        "A lookup table that is initialized once and then only read."),                                            \
      MAKER("MutableHashTable" suffix, form, "", true, sli_lookup_mutable_shape,                                   \
            "A lookup table to which keys can be added and from which they can be removed."),                      \
      MAKER("MutableHashTableOfTensors" suffix, form, "; value_shape: shape = {}", true, sli_lookup_mutable_shape, \
            "A mutable lookup table whose values are tensors of one shape.")
#define INITIALIZE(suffix, form, stateful)                                                            \
  {                                                                                                   \
    .name = "InitializeTable" suffix, .inputs = "table_handle: " form ", keys: Tkey, values: Tval",   \
    .attrs = "Tkey: type; Tval: type", .summary = "Initializes a lookup table with keys and values.", \
    .shape = initialize_shape, .not_differentiable = true, .is_stateful = stateful                    \
  }
#define FIND(suffix, form, stateful)                                                                      \
  {                                                                                                       \
    .name = "LookupTableFind" suffix, .inputs = "table_handle: " form ", keys: Tin, default_value: Tout", \
    .outputs = "values: Tout", .attrs = PAIRS,                                                            \
    .summary = "Looks up the values of keys; missing keys get the default value.", .shape = find_shape,   \
    .not_differentiable = true, .is_stateful = stateful                                                   \
  }
#define INSERT(suffix, form, stateful)                                                                                \
  {                                                                                                                   \
    .name = "LookupTableInsert" suffix, .inputs = "table_handle: " form ", keys: Tin, values: Tout", .attrs = PAIRS,  \
    .summary = "Adds keys and values to a lookup table, or replaces their values.", .shape = sli_lookup_check_handle, \
    .not_differentiable = true, .is_stateful = stateful                                                               \
  }
#define IMPORT(suffix, form, stateful)                                                                               \
  {                                                                                                                  \
    .name = "LookupTableImport" suffix, .inputs = "table_handle: " form ", keys: Tin, values: Tout", .attrs = PAIRS, \
    .summary = "Replaces all entries of a lookup table.", .shape = sli_lookup_check_handle, .is_stateful = stateful  \
  }
#define EXPORT(suffix, form, stateful)                                                                                 \
  {                                                                                                                    \
    .name = "LookupTableExport" suffix, .inputs = "table_handle: " form, .outputs = "keys: Tkeys, values: Tvalues",    \
    .attrs = "Tkeys: type; Tvalues: type", .summary = "All keys and values of a lookup table.", .shape = export_shape, \
    .is_stateful = stateful                                                                                            \
  }
#define SIZE(suffix, form, stateful)                                                                     \
  {                                                                                                      \
    .name = "LookupTableSize" suffix, .inputs = "table_handle: " form, .outputs = "size: int64",         \
    .summary = "The number of keys in a lookup table.", .shape = size_shape, .not_differentiable = true, \
    .is_stateful = stateful                                                                              \
  }
#define TABLE_OPS(suffix, form, stateful)                                                             \
  MAKERS(suffix, form), INITIALIZE(suffix, form, stateful), FIND(suffix, form, stateful),             \
      INSERT(suffix, form, stateful), IMPORT(suffix, form, stateful), EXPORT(suffix, form, stateful), \
      SIZE(suffix, form, stateful)

static const sli_op_def_t ops[] = {
    TABLE_OPS("", "Ref(string)", false),
    TABLE_OPS("V2", "resource", true),
    {.name = "LookupTableRemoveV2",
     .inputs = "table_handle: resource, keys: Tin",
     .attrs = "Tin: type",
     .summary = "Removes keys from a lookup table.",
     .shape = sli_lookup_check_handle,
     .is_stateful = true},
};

#define NUMBERS (SLI_TYPE_DOUBLE | SLI_TYPE_FLOAT | SLI_TYPE_INT32)
#define MAKER_ROW(name, maker, keys, values)                                                                    \
  {                                                                                                             \
    .op = name, .where = {{"key_dtype", keys}, {"value_dtype", values}}, .compute = sli_named_resource_compute, \
    .create = maker, .destroy = sli_named_resource_destroy                                                      \
  }
#define MAKER_ROWS(name, maker, of_int32, of_int64, of_string)                                     \
  MAKER_ROW(name, maker, SLI_TYPE_INT32, NUMBERS of_int32),                                        \
      MAKER_ROW(name, maker, SLI_TYPE_INT64, NUMBERS | SLI_TYPE_INT64 | SLI_TYPE_STRING of_int64), \
      MAKER_ROW(name, maker, SLI_TYPE_STRING, NUMBERS | SLI_TYPE_INT64 | SLI_TYPE_BOOL of_string)
#define TABLE_ROWS(suffix)                                                               \
  MAKER_ROWS("HashTable" suffix, static_create, | SLI_TYPE_STRING, , | SLI_TYPE_STRING), \
      MAKER_ROWS("MutableHashTable" suffix, mutable_create, , | SLI_TYPE_VARIANT, ),     \
      MAKER_ROWS("MutableHashTableOfTensors" suffix, mutable_create, , , ),              \
      {.op = "InitializeTable" suffix, .compute = initialize_compute},                   \
      {.op = "LookupTableFind" suffix, .compute = find_compute},                         \
      {.op = "LookupTableInsert" suffix, .compute = insert_compute},                     \
      {.op = "LookupTableImport" suffix, .compute = import_compute},                     \
      {.op = "LookupTableExport" suffix, .compute = export_compute}, {                   \
    .op = "LookupTableSize" suffix, .compute = size_compute                              \
  }

static const sli_kernel_def_t kernels[] = {
    TABLE_ROWS(""),
    TABLE_ROWS("V2"),
    {.op = "LookupTableRemoveV2", .compute = remove_compute},
};

SLI_OP_MODULE(lookup_ops);
