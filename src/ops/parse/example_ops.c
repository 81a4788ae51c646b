// ParseExample, ParseExampleV2, ParseSingleExample.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/shape_inference.h"
#include "ops/array/elements.h"
#include "ops/parse/example.h"

typedef SLI_ARRAY(sli_column_t) columns_t;

// What the three ops have in common: where their arguments are.
typedef struct {
  const sli_attr_t *sparse_types, *dense_types, *dense_shapes, *ragged_types, *split_types;
  int first_default;  // input
} layout_t;

static sli_status_t *read_layout(const sli_node_def_t *node, layout_t *layout) {
  static const sli_attr_t none = {.is_list = true};
  *layout = (layout_t){.ragged_types = &none, .split_types = &none};
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "sparse_types", SLI_ATTR_TYPE, &layout->sparse_types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "Tdense", SLI_ATTR_TYPE, &layout->dense_types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "dense_shapes", SLI_ATTR_SHAPE, &layout->dense_shapes));
  if (sli_node_attr(node, "ragged_value_types")) {
    SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "ragged_value_types", SLI_ATTR_TYPE, &layout->ragged_types));
    SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "ragged_split_types", SLI_ATTR_TYPE, &layout->split_types));
  }
  if (layout->dense_types->count != layout->dense_shapes->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "len(dense_keys) != len(dense_shapes)");
  if (layout->ragged_types->count != layout->split_types->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "len(ragged_value_types) != len(ragged_split_types)");
  for (size_t i = 0; i < layout->dense_shapes->count; i++) {
    sli_shape_t shape = layout->dense_shapes->list.shape[i];
    bool is_good = shape.rank >= 0;
    for (int k = 1; k < shape.rank; k++) is_good &= shape.dims[k] >= 0;
    if (!is_good)
      return sli_status_make(SLI_INVALID_ARGUMENT, "dense_shapes[%zu] has unknown rank or unknown inner dimensions: %s",
                             i, sli_shape_text(shape).text);
  }
  layout->first_default = node->input_count - (int)layout->dense_types->count;
  return NULL;
}

static sli_status_t *check_default(const sli_column_t *column, size_t index) {
  const sli_tensor_t *fallback = column->fallback;
  if (column->shape.rank > 0 && column->shape.dims[0] < 0) {
    if (fallback->count == 1) return NULL;
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "dense_shape[%zu] is a variable length shape: %s, therefore def_value[%zu] must contain a "
                           "single element (the padding element).  But its shape is: %s",
                           index, sli_shape_text(column->shape).text, index, sli_tensor_shape_text(fallback).text);
  }
  if (fallback->count == 0 || sli_shape_is_compatible(column->shape, sli_tensor_shape(fallback))) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "def_value[%zu].shape() == %s is not compatible with dense_shapes_[%zu] == %s", index,
                         sli_tensor_shape_text(fallback).text, index, sli_shape_text(column->shape).text);
}

// Columns in the order sparse, dense, ragged; |keys| has a key for each.
static sli_status_t *make_columns(const sli_kernel_context_t *context, const layout_t *layout, const sli_view_t *keys,
                                  columns_t *columns) {
  for (size_t i = 0; i < layout->sparse_types->count; i++)
    sli_array_push(
        columns, (sli_column_t){.kind = SLI_COLUMN_SPARSE, .key = *keys++, .type = layout->sparse_types->list.type[i]});
  for (size_t i = 0; i < layout->dense_types->count; i++) {
    sli_column_t column = {.kind = SLI_COLUMN_DENSE,
                           .key = *keys++,
                           .type = layout->dense_types->list.type[i],
                           .shape = layout->dense_shapes->list.shape[i],
                           .fallback = sli_kernel_input(context, layout->first_default + (int)i)};
    SLI_RETURN_IF_ERROR(check_default(&column, i));
    sli_array_push(columns, column);
  }
  for (size_t i = 0; i < layout->ragged_types->count; i++)
    sli_array_push(columns, (sli_column_t){.kind = SLI_COLUMN_RAGGED,
                                           .key = *keys++,
                                           .type = layout->ragged_types->list.type[i],
                                           .split_type = layout->split_types->list.type[i]});
  return NULL;
}

static void set_outputs(sli_kernel_context_t *context, const layout_t *layout, const sli_parsed_column_t *parsed) {
  int sparse = (int)layout->sparse_types->count, dense = (int)layout->dense_types->count;
  int ragged = (int)layout->ragged_types->count;
  for (int i = 0; i < sparse; i++) {
    sli_kernel_set_output(context, i, parsed[i].indices);
    sli_kernel_set_output(context, sparse + i, parsed[i].values);
    sli_kernel_set_output(context, 2 * sparse + i, parsed[i].shape);
  }
  for (int i = 0; i < dense; i++) sli_kernel_set_output(context, 3 * sparse + i, parsed[sparse + i].values);
  for (int i = 0; i < ragged; i++) {
    sli_kernel_set_output(context, 3 * sparse + dense + i, parsed[sparse + dense + i].values);
    sli_kernel_set_output(context, 3 * sparse + dense + ragged + i, parsed[sparse + dense + i].splits);
  }
}

static sli_status_t *parse(sli_kernel_context_t *context, const layout_t *layout, const sli_view_t *keys,
                           const sli_tensor_t *names) {
  columns_t columns = {0};
  sli_parsed_column_t *parsed = NULL;
  sli_status_t *status = make_columns(context, layout, keys, &columns);
  if (!status) {
    parsed = sli_calloc(columns.count + 1, sizeof(*parsed));
    sli_example_request_t request = {sli_kernel_input(context, 0), names, columns.items, columns.count};
    status = sli_examples_parse(&request, parsed);
    if (!status) set_outputs(context, layout, parsed);
  }
  free(parsed);
  sli_array_deinitialize(&columns);
  return status;
}

typedef SLI_ARRAY(sli_view_t) keys_t;

static void push_keys(keys_t *keys, const sli_tensor_t *tensor) {
  for (int64_t i = 0; i < tensor->count; i++)
    sli_array_push(keys, sli_tstring_view(&SLI_DATA(sli_tstring_t, tensor)[i]));
}

static sli_status_t *check_key_counts(const layout_t *layout, const keys_t *keys) {
  size_t wanted = layout->sparse_types->count + layout->dense_types->count + layout->ragged_types->count;
  if (keys->count == wanted) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "The keys are %zu, but the types are %zu", keys->count, wanted);
}

// --- ParseExample: keys are scalar inputs ------------------------------------------------------

static sli_status_t *parse_example_compute(sli_kernel_context_t *context) {
  layout_t layout;
  const sli_tensor_t *serialized = sli_kernel_input(context, 0), *names = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(read_layout(context->node, &layout));
  if (serialized->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected serialized to be a vector, got shape: %s",
                           sli_tensor_shape_text(serialized).text);
  if (names->count > 0 && names->count != serialized->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected len(names) == len(serialized), but got: %lld vs. %lld",
                           (long long)names->count, (long long)serialized->count);
  keys_t keys = {0};
  for (int i = 2; i < layout.first_default; i++) push_keys(&keys, sli_kernel_input(context, i));
  sli_status_t *status = check_key_counts(&layout, &keys);
  if (!status) status = parse(context, &layout, keys.items, names);
  sli_array_deinitialize(&keys);
  return status;
}

// --- ParseExampleV2: keys are vectors ------------------------------------------------------------

static sli_status_t *check_keys(const sli_kernel_context_t *context, int input, const char *name, size_t wanted) {
  const sli_tensor_t *keys = sli_kernel_input(context, input);
  if (keys->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected %s to be a vector, got shape: %s", name,
                           sli_tensor_shape_text(keys).text);
  if (keys->count == (int64_t)wanted) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Expected len(%s) == %zu, got: %lld", name, wanted,
                         (long long)keys->count);
}

static sli_status_t *parse_example_v2_compute(sli_kernel_context_t *context) {
  layout_t layout;
  const sli_tensor_t *serialized = sli_kernel_input(context, 0), *names = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(read_layout(context->node, &layout));
  if (serialized->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected serialized to be a scalar or vector, got shape: %s",
                           sli_tensor_shape_text(serialized).text);
  if (names->count > 0 && !sli_tensor_same_shape(names, serialized))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected names have the same shape as serialized: name.shape=%s, serialized.shape=%s",
                           sli_tensor_shape_text(names).text, sli_tensor_shape_text(serialized).text);
  SLI_RETURN_IF_ERROR(check_keys(context, 2, "sparse_keys", layout.sparse_types->count));
  SLI_RETURN_IF_ERROR(check_keys(context, 3, "dense_keys", layout.dense_types->count));
  SLI_RETURN_IF_ERROR(check_keys(context, 4, "ragged_keys", layout.ragged_types->count));
  keys_t keys = {0};
  for (int i = 2; i < 5; i++) push_keys(&keys, sli_kernel_input(context, i));
  sli_status_t *status = parse(context, &layout, keys.items, names);
  sli_array_deinitialize(&keys);
  return status;
}

// --- ParseSingleExample: keys are attributes ------------------------------------------------------

static sli_status_t *parse_single_compute(sli_kernel_context_t *context) {
  layout_t layout;
  const sli_attr_t *lists[2];
  SLI_RETURN_IF_ERROR(read_layout(context->node, &layout));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "sparse_keys", SLI_ATTR_STRING, &lists[0]));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "dense_keys", SLI_ATTR_STRING, &lists[1]));
  if (sli_kernel_input(context, 0)->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected serialized to be a scalar, got shape: %s",
                           sli_tensor_shape_text(sli_kernel_input(context, 0)).text);
  keys_t keys = {0};
  for (int k = 0; k < 2; k++) {
    for (size_t i = 0; i < lists[k]->count; i++) sli_array_push(&keys, lists[k]->list.s[i]);
  }
  sli_status_t *status = check_key_counts(&layout, &keys);
  if (!status) status = parse(context, &layout, keys.items, NULL);
  sli_array_deinitialize(&keys);
  return status;
}

// --- Shapes -------------------------------------------------------------------------------------

// Of all three: |batch| is the shape of |serialized|.
static sli_status_t *set_shapes(sli_shape_context_t *c, sli_shape_t batch) {
  layout_t layout;
  SLI_RETURN_IF_ERROR(read_layout(c->node, &layout));
  int output = 0, sparse = (int)layout.sparse_types->count;
  int64_t rank = batch.rank < 0 ? -1 : batch.rank + 1;
  for (int i = 0; i < sparse; i++) sli_shape_set_output(c, output++, sli_shape_make(c, 2, (int64_t[]){-1, rank}));
  for (int i = 0; i < sparse; i++) sli_shape_set_output(c, output++, sli_shape_make_unknown_of_rank(c, 1));
  for (int i = 0; i < sparse; i++) sli_shape_set_output(c, output++, sli_shape_make(c, 1, (int64_t[]){rank}));
  for (size_t i = 0; i < layout.dense_types->count; i++)
    sli_shape_set_output(c, output++, sli_shape_concatenate(c, batch, layout.dense_shapes->list.shape[i]));
  for (size_t i = 0; i < layout.ragged_types->count; i++)
    sli_shape_set_output(c, output++, sli_shape_make_unknown_of_rank(c, 1));
  int64_t splits = batch.rank == 1 && batch.dims[0] >= 0 ? batch.dims[0] + 1 : -1;
  for (size_t i = 0; i < layout.ragged_types->count; i++)
    sli_shape_set_output(c, output++, sli_shape_make(c, 1, (int64_t[]){splits}));
  return NULL;
}

static sli_status_t *parse_example_shape(sli_shape_context_t *c) {
  sli_shape_t batch, unused;
  SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, 0, 1, &batch));
  SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, 1, 1, &unused));
  return set_shapes(c, batch);
}

static sli_status_t *parse_example_v2_shape(sli_shape_context_t *c) {
  sli_shape_t batch, unused;
  SLI_RETURN_IF_ERROR(sli_shape_with_rank_at_most(c, sli_shape_input(c, 0), 1, &batch));
  for (int i = 2; i < 5; i++) SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, i, 1, &unused));
  return set_shapes(c, batch);
}

static sli_status_t *parse_single_shape(sli_shape_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, 0, 0, &unused));
  return set_shapes(c, SLI_SHAPE_SCALAR);
}

static const sli_op_def_t ops[] = {
    {
        .name = "ParseExample",
        .inputs = "serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string, "
                  "dense_defaults: Tdense",
        .outputs = "sparse_indices: Nsparse * int64, sparse_values: sparse_types, sparse_shapes: Nsparse * int64, "
                   "dense_values: Tdense",
        .attrs = "Nsparse: int >= 0; Ndense: int >= 0; sparse_types: list({float, int64, string}) >= 0; Tdense: "
                 "list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0",
        .summary = "Parses Example messages.",
        .shape = parse_example_shape,
    },
    {
        .name = "ParseExampleV2",
        .inputs = "serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string, "
                  "dense_defaults: Tdense",
        .outputs =
            "sparse_indices: num_sparse * int64, sparse_values: sparse_types, sparse_shapes: num_sparse * int64, "
            "dense_values: Tdense, ragged_values: ragged_value_types, ragged_row_splits: ragged_split_types",
        .attrs = "Tdense: list({float, int64, string}) >= 0; num_sparse: int >= 0; sparse_types: list({float, int64, "
                 "string}) >= 0; ragged_value_types: list({float, int64, string}) >= 0; ragged_split_types: "
                 "list({int32, int64}) >= 0; dense_shapes: list(shape) >= 0",
        .summary = "Parses Example messages, one or many.",
        .shape = parse_example_v2_shape,
    },
    {
        .name = "ParseSingleExample",
        .inputs = "serialized: string, dense_defaults: Tdense",
        .outputs =
            "sparse_indices: num_sparse * int64, sparse_values: sparse_types, sparse_shapes: num_sparse * int64, "
            "dense_values: Tdense",
        .attrs = "num_sparse: int >= 0; sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: "
                 "list({float, int64, string}) >= 0; Tdense: list({float, int64, string}) >= 0; dense_shapes: "
                 "list(shape) >= 0",
        .summary = "Parses one Example message.",
        .shape = parse_single_shape,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ParseExample", .compute = parse_example_compute, .expensive = true},
    {.op = "ParseExampleV2", .compute = parse_example_v2_compute, .expensive = true},
    {.op = "ParseSingleExample", .compute = parse_single_compute, .expensive = true},
};
SLI_OP_MODULE(example_ops);
