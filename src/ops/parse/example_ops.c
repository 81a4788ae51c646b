// ParseExample, ParseExampleV2, ParseSingleExample.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/shape_inference.h"
#include "ops/parse/columns.h"

static const sli_columns_layout_attrs_t attrs = {.sparse_types = "sparse_types",
                                                 .dense_types = "Tdense",
                                                 .dense_shapes = "dense_shapes",
                                                 .ragged_types = "ragged_value_types",
                                                 .split_types = "ragged_split_types"};

typedef struct {
  sli_columns_layout_t columns;
  int first_default;  // index of the first input that is a default
} example_layout_t;

static sli_status_t *read_example_layout(const sli_node_def_t *node, example_layout_t *layout) {
  SLI_RETURN_IF_ERROR(sli_columns_layout_read(node, &attrs, &layout->columns));
  layout->first_default = node->input_count - (int)layout->columns.dense_types->count;
  return NULL;
}

static sli_status_t *parse(sli_kernel_context_t *context, const example_layout_t *layout, const sli_view_t *keys,
                           const sli_tensor_t *names) {
  sli_columns_t columns = {0};
  sli_example_result_t *parsed = NULL;
  sli_status_t *status = sli_columns_make(context, &layout->columns, keys, layout->first_default, &columns);
  if (!status) {
    parsed = sli_calloc(columns.count + 1, sizeof(*parsed));
    sli_example_request_t request = {sli_kernel_input(context, 0), names, columns.items, columns.count, false};
    status = sli_example_parse(&request, parsed);
    if (!status) sli_columns_set_outputs(context, 0, &layout->columns, parsed);
  }
  free(parsed);
  sli_array_deinitialize(&columns);
  return status;
}

static sli_status_t *check_key_counts(const example_layout_t *layout, const sli_columns_keys_t *keys) {
  size_t wanted = sli_columns_layout_count(&layout->columns);
  if (keys->count == wanted) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "The number of keys (%zu) must match the number of types (%zu)",
                         keys->count, wanted);
}

// --- ParseExample: keys are scalar inputs ------------------------------------------------------

static sli_status_t *parse_example_compute(sli_kernel_context_t *context) {
  example_layout_t layout;
  const sli_tensor_t *serialized = sli_kernel_input(context, 0), *names = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(read_example_layout(context->node, &layout));
  if (serialized->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected serialized to be a vector, got shape: %s",
                           sli_tensor_shape_text(serialized).text);
  if (names->count > 0 && names->count != serialized->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected len(names) == len(serialized), but got: %lld vs. %lld",
                           (long long)names->count, (long long)serialized->count);
  sli_columns_keys_t keys = {0};
  for (int i = 2; i < layout.first_default; i++) sli_columns_push_key(&keys, sli_kernel_input(context, i));
  sli_status_t *status = check_key_counts(&layout, &keys);
  if (!status) status = parse(context, &layout, keys.items, names);
  sli_array_deinitialize(&keys);
  return status;
}

// --- ParseExampleV2: keys are vectors ------------------------------------------------------------

static sli_status_t *parse_example_v2_compute(sli_kernel_context_t *context) {
  example_layout_t layout;
  const sli_tensor_t *serialized = sli_kernel_input(context, 0), *names = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(read_example_layout(context->node, &layout));
  if (serialized->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected serialized to be a scalar or vector, got shape: %s",
                           sli_tensor_shape_text(serialized).text);
  if (names->count > 0 && !sli_tensor_same_shape(names, serialized))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected names have the same shape as serialized: name.shape=%s, serialized.shape=%s",
                           sli_tensor_shape_text(names).text, sli_tensor_shape_text(serialized).text);
  SLI_RETURN_IF_ERROR(sli_columns_check_keys(context, 2, "sparse_keys", layout.columns.sparse_types->count));
  SLI_RETURN_IF_ERROR(sli_columns_check_keys(context, 3, "dense_keys", layout.columns.dense_types->count));
  SLI_RETURN_IF_ERROR(sli_columns_check_keys(context, 4, "ragged_keys", layout.columns.ragged_types->count));
  sli_columns_keys_t keys = {0};
  for (int i = 2; i < 5; i++) sli_columns_push_key(&keys, sli_kernel_input(context, i));
  sli_status_t *status = parse(context, &layout, keys.items, names);
  sli_array_deinitialize(&keys);
  return status;
}

// --- ParseSingleExample: keys are attributes ------------------------------------------------------

static sli_status_t *parse_single_compute(sli_kernel_context_t *context) {
  example_layout_t layout;
  const sli_attr_t *lists[2];
  SLI_RETURN_IF_ERROR(read_example_layout(context->node, &layout));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "sparse_keys", SLI_ATTR_STRING, &lists[0]));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "dense_keys", SLI_ATTR_STRING, &lists[1]));
  if (sli_kernel_input(context, 0)->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected serialized to be a scalar, got shape: %s",
                           sli_tensor_shape_text(sli_kernel_input(context, 0)).text);
  sli_columns_keys_t keys = {0};
  for (int k = 0; k < 2; k++) {
    for (size_t i = 0; i < lists[k]->count; i++) sli_array_push(&keys, lists[k]->list.s[i]);
  }
  sli_status_t *status = check_key_counts(&layout, &keys);
  if (!status) status = parse(context, &layout, keys.items, NULL);
  sli_array_deinitialize(&keys);
  return status;
}

// --- Shapes -------------------------------------------------------------------------------------

// Shape function of all three ops. |batch| is the shape of |serialized|.
static sli_status_t *set_example_shapes(sli_infer_context_t *c, sli_shape_t batch) {
  example_layout_t layout;
  SLI_RETURN_IF_ERROR(read_example_layout(c->node, &layout));
  sli_columns_set_shapes(c, 0, &layout.columns, batch);
  return NULL;
}

static sli_status_t *parse_example_shape(sli_infer_context_t *c) {
  sli_shape_t batch, unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &batch));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &unused));
  return set_example_shapes(c, batch);
}

static sli_status_t *parse_example_v2_shape(sli_infer_context_t *c) {
  sli_shape_t batch, unused;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, 0), 1, &batch));
  for (int i = 2; i < 5; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 1, &unused));
  return set_example_shapes(c, batch);
}

static sli_status_t *parse_single_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &unused));
  return set_example_shapes(c, SLI_SHAPE_SCALAR);
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
        .summary = "Parses one Example message or a vector of them.",
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
