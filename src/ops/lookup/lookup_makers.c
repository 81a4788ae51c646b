// MutableDenseHashTable(V2), and the anonymous forms of all tables, which live as long as their handle.
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/tensor/resource_handle.h"
#include "ops/common/named_resource.h"
#include "ops/lookup/lookup_ops.h"

// --- Dense ---------------------------------------------------------------------------------------

static sli_status_t *make_dense(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  return sli_lookup_make_table(node, name, true, out_object);
}

static const sli_named_resource_type_t dense_type = {&sli_lookup_table_type, make_dense, sli_lookup_match_table, true};

typedef struct {
  int64_t count;
  float load;
} buckets_t;

static sli_status_t *read_buckets(const sli_node_def_t *node, buckets_t *out_buckets) {
  enum { MOST_BUCKETS = 1 << 30 };
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "initial_num_buckets", &out_buckets->count));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "max_load_factor", &out_buckets->load));
  int64_t buckets = out_buckets->count;
  if (!(out_buckets->load > 0 && out_buckets->load < 1))
    return sli_status_make(SLI_INVALID_ARGUMENT, "max_load_factor must be between 0 and 1, got: %g",
                           (double)out_buckets->load);
  if (buckets < 4 || buckets > MOST_BUCKETS || (buckets & (buckets - 1)))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Number of buckets must be at least 4 and a power of 2, got: %lld",
                           (long long)buckets);
  return NULL;
}

static sli_status_t *dense_create(const sli_kernel_setup_t *setup, void **out_state) {
  return sli_named_resource_create(setup, &dense_type, out_state);
}

// The table that output 0, a handle of either form, names.
static sli_status_t *find_output(sli_kernel_context_t *context, sli_lookup_table_t **out_table) {
  sli_view_t container, name;
  sli_tensor_t *names = NULL;
  if (context->outputs[0].variable) {
    SLI_RETURN_IF_ERROR(sli_variable_read_initialized(context->outputs[0].variable, &names));
    container = sli_tensor_string_at(names, 0);
    name = sli_tensor_string_at(names, 1);
  } else {
    const sli_resource_handle_t *handle = SLI_DATA(sli_resource_handle_t *, context->outputs[0].tensor)[0];
    container = sli_view(handle->container);
    name = sli_view(handle->name);
  }
  sli_status_t *status =
      sli_resource_find(context->device->resources, container, &sli_lookup_table_type, name, (void **)out_table);
  sli_tensor_release(names);
  return status;
}

static sli_status_t *reserve_inputs(sli_kernel_context_t *context, sli_lookup_table_t *table, buckets_t buckets) {
  return sli_lookup_table_reserve_keys(table, sli_kernel_input(context, 0),
                                       context->input_count > 1 ? sli_kernel_input(context, 1) : NULL, buckets.count,
                                       buckets.load);
}

static sli_status_t *dense_compute(sli_kernel_context_t *context) {
  sli_lookup_table_t *table;
  buckets_t buckets;
  SLI_RETURN_IF_ERROR(read_buckets(context->node, &buckets));
  SLI_RETURN_IF_ERROR(sli_named_resource_compute(context));
  SLI_RETURN_IF_ERROR(find_output(context, &table));
  sli_status_t *status = reserve_inputs(context, table, buckets);
  sli_object_release(table);
  return status;
}

// --- Anonymous -----------------------------------------------------------------------------------

static sli_status_t *set_handle(sli_kernel_context_t *context, sli_lookup_table_t *table) {
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  SLI_DATA(sli_object_t *, output)
  [0] = (sli_object_t *)sli_resource_handle_create(context->device->name, sli_view(""), sli_view(table->name),
                                                   &sli_lookup_table_type, table);
  return NULL;
}

static sli_status_t *make_anonymous(sli_kernel_context_t *context, bool is_mutable, bool is_dense) {
  static atomic_llong made;
  char *name = sli_format("_anonymous_table_%lld", atomic_fetch_add(&made, 1));
  sli_lookup_table_t *table = NULL;
  buckets_t buckets = {0};
  sli_status_t *status = is_dense ? read_buckets(context->node, &buckets) : NULL;
  if (!status) status = sli_lookup_make_table(context->node, sli_view(name), is_mutable, (void **)&table);
  if (!status && is_dense) status = reserve_inputs(context, table, buckets);
  if (!status) status = set_handle(context, table);
  sli_object_release(table);
  free(name);
  return status;
}

static sli_status_t *anonymous_compute(sli_kernel_context_t *context) { return make_anonymous(context, false, false); }
static sli_status_t *anonymous_mutable_compute(sli_kernel_context_t *context) {
  return make_anonymous(context, true, false);
}
static sli_status_t *anonymous_dense_compute(sli_kernel_context_t *context) {
  return make_anonymous(context, true, true);
}

#define NAMES "container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; "
#define PAIRS "key_dtype: type; value_dtype: type"
#define DENSE PAIRS "; value_shape: shape = {}; initial_num_buckets: int = 131072; max_load_factor: float = 0.8"

static const char dense_text[] = "A mutable lookup table whose keys and values may be tensors; two keys are reserved.";

static const sli_op_def_t ops[] = {
    {.name = "MutableDenseHashTable",
     .inputs = "empty_key: key_dtype",
     .outputs = "table_handle: Ref(string)",
     .attrs = NAMES DENSE,
     .summary = dense_text,
     .shape = sli_lookup_mutable_shape,
     .not_differentiable = true,
     .is_stateful = true,
     .is_on_ps = true},
    {.name = "MutableDenseHashTableV2",
     .inputs = "empty_key: key_dtype, deleted_key: key_dtype",
     .outputs = "table_handle: resource",
     .attrs = NAMES DENSE,
     .summary = dense_text,
     .shape = sli_lookup_mutable_shape,
     .not_differentiable = true,
     .is_stateful = true,
     .is_on_ps = true},
    {.name = "AnonymousHashTable",
     .outputs = "table_handle: resource",
     .attrs = PAIRS,
     .summary = "A lookup table that is initialized once; it lives as long as its handle.",
     .shape = sli_infer_fn_scalar,
     .is_stateful = true},
    {.name = "AnonymousMutableHashTable",
     .outputs = "table_handle: resource",
     .attrs = PAIRS,
     .summary = "A mutable lookup table that lives as long as its handle.",
     .shape = sli_lookup_mutable_shape,
     .is_stateful = true},
    {.name = "AnonymousMutableHashTableOfTensors",
     .outputs = "table_handle: resource",
     .attrs = PAIRS "; value_shape: shape = {}",
     .summary = "A mutable lookup table of tensors that lives as long as its handle.",
     .shape = sli_lookup_mutable_shape,
     .is_stateful = true},
    {.name = "AnonymousMutableDenseHashTable",
     .inputs = "empty_key: key_dtype, deleted_key: key_dtype",
     .outputs = "table_handle: resource",
     .attrs = DENSE,
     .summary = "A dense lookup table that lives as long as its handle.",
     .shape = sli_lookup_mutable_shape,
     .is_stateful = true},
};

#define NUMBERS (SLI_TYPE_DOUBLE | SLI_TYPE_FLOAT | SLI_TYPE_INT32)
#define ROW(name, keys, values, ...) \
  { .op = name, .where = {{"key_dtype", keys}, {"value_dtype", values}}, __VA_ARGS__ }
#define ROWS(name, of_int32, of_int64, of_string, ...)                           \
  ROW(name, SLI_TYPE_INT32, NUMBERS of_int32, __VA_ARGS__),                      \
      ROW(name, SLI_TYPE_INT64, NUMBERS | SLI_TYPE_INT64 of_int64, __VA_ARGS__), \
      ROW(name, SLI_TYPE_STRING, NUMBERS | SLI_TYPE_INT64 | SLI_TYPE_BOOL of_string, __VA_ARGS__)
#define DENSE_ROWS(name, ...) ROWS(name, , | SLI_TYPE_BOOL | SLI_TYPE_VARIANT, | SLI_TYPE_RESOURCE, __VA_ARGS__)
#define NAMED .compute = dense_compute, .create = dense_create, .destroy = sli_named_resource_destroy

static const sli_kernel_def_t kernels[] = {
    DENSE_ROWS("MutableDenseHashTable", NAMED),
    DENSE_ROWS("MutableDenseHashTableV2", NAMED),
    DENSE_ROWS("AnonymousMutableDenseHashTable", .compute = anonymous_dense_compute),
    ROWS("AnonymousHashTable", | SLI_TYPE_STRING, | SLI_TYPE_STRING, | SLI_TYPE_STRING, .compute = anonymous_compute),
    ROWS("AnonymousMutableHashTable", , | SLI_TYPE_STRING | SLI_TYPE_VARIANT, , .compute = anonymous_mutable_compute),
    ROWS("AnonymousMutableHashTableOfTensors", , | SLI_TYPE_STRING, , .compute = anonymous_mutable_compute),
};

SLI_OP_MODULE(lookup_makers);
