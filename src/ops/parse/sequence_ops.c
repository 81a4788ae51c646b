// ParseSequenceExample, ParseSequenceExampleV2 and ParseSingleSequenceExample parse a context, like an Example, and
// feature lists. Their keys are attributes, vectors and scalars, respectively.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/parse/columns.h"
#include "ops/parse/sequence_example.h"

static const sli_columns_layout_attrs_t context_attrs = {.sparse_types = "context_sparse_types",
                                                         .dense_types = "Tcontext_dense",
                                                         .dense_shapes = "context_dense_shapes",
                                                         .ragged_types = "context_ragged_value_types",
                                                         .split_types = "context_ragged_split_types"};
static const sli_columns_layout_attrs_t list_attrs = {.sparse_types = "feature_list_sparse_types",
                                                      .dense_types = "feature_list_dense_types",
                                                      .dense_shapes = "feature_list_dense_shapes",
                                                      .ragged_types = "feature_list_ragged_value_types",
                                                      .split_types = "feature_list_ragged_split_types"};

typedef struct {
  sli_columns_layout_t context, lists;
} sequence_layout_t;

// INVALID_ARGUMENT if the node has an attribute |count| that is not the number of |types|.
static sli_status_t *check_count(const sli_node_def_t *node, const char *count, const sli_attr_t *types) {
  int64_t wanted;
  if (!sli_node_attr(node, count)) return NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, count, &wanted));
  if (wanted == (int64_t)types->count) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s (%lld) must match the number of types (%zu)", count,
                         (long long)wanted, types->count);
}

static sli_status_t *read_sequence_layout(const sli_node_def_t *node, sequence_layout_t *layout) {
  SLI_RETURN_IF_ERROR(sli_columns_layout_read(node, &context_attrs, &layout->context));
  SLI_RETURN_IF_ERROR(sli_columns_layout_read(node, &list_attrs, &layout->lists));
  SLI_RETURN_IF_ERROR(check_count(node, "Ncontext_sparse", layout->context.sparse_types));
  SLI_RETURN_IF_ERROR(check_count(node, "Ncontext_dense", layout->context.dense_types));
  SLI_RETURN_IF_ERROR(check_count(node, "Nfeature_list_sparse", layout->lists.sparse_types));
  return check_count(node, "Nfeature_list_dense", layout->lists.dense_types);
}

// --- Parsing --------------------------------------------------------------------------------------

// The request of one run of a kernel.
typedef struct {
  sequence_layout_t layout;
  sli_columns_keys_t context_keys, list_keys;
  const sli_tensor_t *names;
  int first_default;     // index of the first input that is a default
  bool *may_be_missing;  // for each dense list
} sequence_parse_t;

static void parse_deinitialize(sequence_parse_t *parse) {
  sli_array_deinitialize(&parse->context_keys);
  sli_array_deinitialize(&parse->list_keys);
  free(parse->may_be_missing);
}

static sli_status_t *check_known(const sli_columns_layout_t *layout, const char *name) {
  for (size_t i = 0; i < layout->dense_shapes->count; i++) {
    sli_shape_t shape = layout->dense_shapes->list.shape[i];
    if (!sli_shape_is_fully_known(shape))
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s[%zu] must be fully known: %s", name, i,
                             sli_shape_text(shape).text);
  }
  return NULL;
}

// Sets the outputs of the feature lists. The lengths of dense lists follow their values; ragged lists have splits of
// steps and of values.
static void set_list_outputs(sli_kernel_context_t *context, int first, const sli_columns_layout_t *layout,
                             const sli_example_result_t *parsed, bool has_lengths) {
  int ragged = (int)layout->ragged_types->count;
  first = sli_columns_set_plain_outputs(context, first, layout, parsed);
  parsed += layout->sparse_types->count;
  for (size_t i = 0; i < layout->dense_types->count; i++, parsed++) {
    if (has_lengths)
      sli_kernel_set_output(context, first++, parsed->lengths);
    else
      sli_tensor_release(parsed->lengths);
  }
  for (int i = 0; i < ragged; i++) {
    sli_kernel_set_output(context, first + i, parsed[i].values);
    sli_kernel_set_output(context, first + ragged + i, parsed[i].outer_splits);
    sli_kernel_set_output(context, first + 2 * ragged + i, parsed[i].splits);
  }
}

static sli_status_t *make_columns(const sli_kernel_context_t *context, const sequence_parse_t *parse,
                                  sli_columns_t *contexts, sli_columns_t *lists) {
  const sli_columns_layout_t *layout = &parse->layout.lists;
  SLI_RETURN_IF_ERROR(check_known(&parse->layout.context, "context_dense_shapes"));
  SLI_RETURN_IF_ERROR(check_known(layout, "feature_list_dense_shapes"));
  SLI_RETURN_IF_ERROR(
      sli_columns_make(context, &parse->layout.context, parse->context_keys.items, parse->first_default, contexts));
  SLI_RETURN_IF_ERROR(sli_columns_make(context, layout, parse->list_keys.items, -1, lists));
  for (size_t i = 0; i < layout->dense_types->count; i++)
    lists->items[layout->sparse_types->count + i].may_be_missing = parse->may_be_missing[i];
  return NULL;
}

static sli_status_t *run(sli_kernel_context_t *context, const sequence_parse_t *parse, bool has_lengths) {
  sli_columns_t contexts = {0}, lists = {0};
  const sequence_layout_t *layout = &parse->layout;
  size_t context_count = sli_columns_layout_count(&layout->context),
         list_count = sli_columns_layout_count(&layout->lists);
  sli_example_result_t *parsed = sli_calloc(context_count + list_count + 1, sizeof(*parsed));
  const sli_tensor_t *serialized = sli_kernel_input(context, 0);
  sli_status_t *status = make_columns(context, parse, &contexts, &lists);
  if (!status) {
    sli_example_request_t request = {serialized, parse->names, contexts.items, contexts.count, true};
    status = sli_example_parse(&request, parsed);
  }
  if (!status) {
    sli_example_request_t request = {serialized, parse->names, lists.items, lists.count, true};
    status = sli_sequence_parse_feature_lists(&request, parsed + context_count);
    for (size_t i = 0; i < context_count && status; i++) sli_example_result_release(&parsed[i]);
  }
  if (!status) {
    int behind = sli_columns_set_outputs(context, 0, &layout->context, parsed);
    set_list_outputs(context, behind, &layout->lists, parsed + context_count, has_lengths);
  }
  free(parsed);
  sli_array_deinitialize(&contexts);
  sli_array_deinitialize(&lists);
  return status;
}

// Marks the dense lists whose keys are in |keys| as optional.
static void allow_missing(sequence_parse_t *parse, const sli_columns_keys_t *keys) {
  const sli_columns_layout_t *layout = &parse->layout.lists;
  const sli_view_t *dense = parse->list_keys.items + layout->sparse_types->count;
  parse->may_be_missing = sli_calloc(layout->dense_types->count + 1, sizeof(bool));
  for (size_t i = 0; i < layout->dense_types->count; i++)
    for (size_t k = 0; k < keys->count; k++) parse->may_be_missing[i] |= sli_view_equal(dense[i], keys->items[k]);
}

static sli_status_t *check_serialized(const sli_tensor_t *serialized, const sli_tensor_t *names) {
  if (serialized->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected serialized to be a scalar or vector, got shape: %s",
                           sli_tensor_shape_text(serialized).text);
  if (names->count == 0 || sli_tensor_same_shape(names, serialized)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Expected debug_name to have the shape of serialized: debug_name.shape=%s, "
                         "serialized.shape=%s",
                         sli_tensor_shape_text(names).text, sli_tensor_shape_text(serialized).text);
}

// --- ParseSequenceExample: keys are attributes ------------------------------------------------------

static sli_status_t *read_attr_keys(const sli_node_def_t *node, const char *name, const sli_attr_t *types,
                                    sli_columns_keys_t *keys) {
  const sli_attr_t *list;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, name, SLI_ATTR_STRING, &list));
  if (list->count != types->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The size of %s (%zu) must match the number of types (%zu)", name,
                           list->count, types->count);
  sli_columns_push_keys(keys, list);
  return NULL;
}

static sli_status_t *read_attrs(const sli_node_def_t *node, sequence_parse_t *parse) {
  const sequence_layout_t *layout = &parse->layout;
  const sli_attr_t *missing;
  sli_columns_keys_t keys = {0};
  SLI_RETURN_IF_ERROR(read_attr_keys(node, "context_sparse_keys", layout->context.sparse_types, &parse->context_keys));
  SLI_RETURN_IF_ERROR(read_attr_keys(node, "context_dense_keys", layout->context.dense_types, &parse->context_keys));
  SLI_RETURN_IF_ERROR(read_attr_keys(node, "feature_list_sparse_keys", layout->lists.sparse_types, &parse->list_keys));
  SLI_RETURN_IF_ERROR(read_attr_keys(node, "feature_list_dense_keys", layout->lists.dense_types, &parse->list_keys));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "feature_list_dense_missing_assumed_empty", SLI_ATTR_STRING, &missing));
  sli_columns_push_keys(&keys, missing);
  allow_missing(parse, &keys);
  sli_array_deinitialize(&keys);
  return NULL;
}

static sli_status_t *sequence_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *serialized = sli_kernel_input(context, 0);
  sequence_parse_t parse = {.names = sli_kernel_input(context, 1), .first_default = 2};
  SLI_RETURN_IF_ERROR(check_serialized(serialized, parse.names));
  SLI_RETURN_IF_ERROR(read_sequence_layout(context->node, &parse.layout));
  sli_status_t *status = read_attrs(context->node, &parse);
  if (!status) status = run(context, &parse, true);
  parse_deinitialize(&parse);
  return status;
}

// --- ParseSequenceExampleV2: keys are vectors -------------------------------------------------------

enum { V2_KEYS = 2, V2_MISSING = 8, V2_DEFAULTS };

static sli_status_t *read_vectors(const sli_kernel_context_t *context, sequence_parse_t *parse) {
  const sequence_layout_t *layout = &parse->layout;
  const struct {
    const char *name;
    const sli_attr_t *types;
  } vectors[] = {{"context_sparse_keys", layout->context.sparse_types},
                 {"context_dense_keys", layout->context.dense_types},
                 {"context_ragged_keys", layout->context.ragged_types},
                 {"feature_list_sparse_keys", layout->lists.sparse_types},
                 {"feature_list_dense_keys", layout->lists.dense_types},
                 {"feature_list_ragged_keys", layout->lists.ragged_types},
                 {"feature_list_dense_missing_assumed_empty", layout->lists.dense_types}};
  for (int i = 0; i < (int)SLI_ARRAY_COUNT_OF(vectors); i++)
    SLI_RETURN_IF_ERROR(sli_columns_check_keys(context, V2_KEYS + i, vectors[i].name, vectors[i].types->count));
  for (int i = V2_KEYS; i < V2_MISSING; i++)
    sli_columns_push_key(i < V2_KEYS + 3 ? &parse->context_keys : &parse->list_keys, sli_kernel_input(context, i));
  const sli_tensor_t *missing = sli_kernel_input(context, V2_MISSING);
  parse->may_be_missing = sli_calloc((size_t)missing->count + 1, sizeof(bool));
  for (int64_t i = 0; i < missing->count; i++) parse->may_be_missing[i] = SLI_DATA(bool, missing)[i];
  return NULL;
}

static sli_status_t *sequence_v2_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *serialized = sli_kernel_input(context, 0);
  sequence_parse_t parse = {.names = sli_kernel_input(context, 1), .first_default = V2_DEFAULTS};
  SLI_RETURN_IF_ERROR(check_serialized(serialized, parse.names));
  SLI_RETURN_IF_ERROR(read_sequence_layout(context->node, &parse.layout));
  sli_status_t *status = read_vectors(context, &parse);
  if (!status) status = run(context, &parse, true);
  parse_deinitialize(&parse);
  return status;
}

// --- ParseSingleSequenceExample: keys are scalars ---------------------------------------------------

static sli_status_t *read_scalars(const sli_kernel_context_t *context, sequence_parse_t *parse) {
  const sequence_layout_t *layout = &parse->layout;
  const struct {
    const char *name;
    const sli_attr_t *types;
  } groups[] = {{"context_sparse_keys", layout->context.sparse_types},
                {"context_dense_keys", layout->context.dense_types},
                {"feature_list_sparse_keys", layout->lists.sparse_types},
                {"feature_list_dense_keys", layout->lists.dense_types}};
  int input = 2;
  for (size_t g = 0; g < SLI_ARRAY_COUNT_OF(groups); g++) {
    for (size_t i = 0; i < groups[g].types->count; i++, input++) {
      const sli_tensor_t *key = sli_kernel_input(context, input);
      if (key->rank != 0)
        return sli_status_make(SLI_INVALID_ARGUMENT, "Expected %s[%zu] to be a scalar, got shape: %s", groups[g].name,
                               i, sli_tensor_shape_text(key).text);
      sli_columns_push_key(g < 2 ? &parse->context_keys : &parse->list_keys, key);
    }
  }
  parse->first_default = input;
  sli_columns_keys_t missing = {0};
  sli_columns_push_key(&missing, sli_kernel_input(context, 1));
  allow_missing(parse, &missing);
  sli_array_deinitialize(&missing);
  return NULL;
}

static sli_status_t *single_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *serialized = sli_kernel_input(context, 0), *missing = sli_kernel_input(context, 1);
  sequence_parse_t parse = {.names = sli_kernel_input(context, context->input_count - 1)};
  if (serialized->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected serialized to be a scalar, got shape: %s",
                           sli_tensor_shape_text(serialized).text);
  if (missing->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected feature_list_dense_missing_assumed_empty to be a vector, got shape: %s",
                           sli_tensor_shape_text(missing).text);
  SLI_RETURN_IF_ERROR(check_serialized(serialized, parse.names));
  SLI_RETURN_IF_ERROR(read_sequence_layout(context->node, &parse.layout));
  sli_status_t *status = read_scalars(context, &parse);
  if (!status) status = run(context, &parse, false);
  parse_deinitialize(&parse);
  return status;
}

// --- Shapes -----------------------------------------------------------------------------------------

// Shape function of the three ops. |batch| is the shape of |serialized|.
static sli_status_t *set_sequence_shapes(sli_infer_context_t *c, sli_shape_t batch, bool has_lengths) {
  sequence_layout_t layout;
  SLI_RETURN_IF_ERROR(read_sequence_layout(c->node, &layout));
  int output = sli_columns_set_shapes(c, 0, &layout.context, batch);
  sli_shape_t steps = sli_infer_concatenate(c, batch, SLI_SHAPE(-1));
  size_t ragged = layout.lists.ragged_types->count;
  int64_t splits = batch.rank == 1 && batch.dims[0] >= 0 ? batch.dims[0] + 1 : -1;
  output = sli_columns_set_plain_shapes(c, output, &layout.lists, steps);
  for (size_t i = 0; has_lengths && i < layout.lists.dense_types->count; i++) sli_infer_set_output(c, output++, batch);
  output = sli_columns_set_vector_shapes(c, output, ragged, -1);
  output = sli_columns_set_vector_shapes(c, output, ragged, splits);
  sli_columns_set_vector_shapes(c, output, ragged, -1);
  return NULL;
}

static sli_status_t *sequence_shape(sli_infer_context_t *c) {
  sli_shape_t batch, unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &batch));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &unused));
  return set_sequence_shapes(c, batch, true);
}

static sli_status_t *sequence_v2_shape(sli_infer_context_t *c) {
  sli_shape_t batch, unused;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, 0), 1, &batch));
  for (int i = V2_KEYS; i < V2_DEFAULTS; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 1, &unused));
  return set_sequence_shapes(c, batch, true);
}

static sli_status_t *single_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &unused));
  return set_sequence_shapes(c, SLI_SHAPE_SCALAR, false);
}

#define TYPES "list({float, int64, string}) >= 0 = []"
#define SPLITS "list({int32, int64}) >= 0 = []"
#define COUNT "int >= 0 = 0"
#define CONTEXT_OUTPUTS                                                                            \
  "context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types, " \
  "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
#define LIST_OUTPUTS                                                                                                 \
  "feature_list_sparse_indices: Nfeature_list_sparse * int64, feature_list_sparse_values: "                          \
  "feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values: " \
  "feature_list_dense_types"
#define COUNTS                                                                          \
  "Ncontext_sparse: " COUNT "; Ncontext_dense: " COUNT "; Nfeature_list_sparse: " COUNT \
  "; "                                                                                  \
  "Nfeature_list_dense: " COUNT
#define COLUMN_TYPES                                                                             \
  "context_sparse_types: " TYPES "; Tcontext_dense: " TYPES "; feature_list_dense_types: " TYPES \
  "; context_dense_shapes: list(shape) >= 0 = []; feature_list_sparse_types: " TYPES             \
  "; feature_list_dense_shapes: list(shape) >= 0 = []"

static const sli_op_def_t ops[] = {
    {
        .name = "ParseSequenceExample",
        .inputs = "serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense",
        .outputs = CONTEXT_OUTPUTS LIST_OUTPUTS ", feature_list_dense_lengths: Nfeature_list_dense * int64",
        .attrs = "feature_list_dense_missing_assumed_empty: list(string) >= 0; context_sparse_keys: list(string) >= 0; "
                 "context_dense_keys: list(string) >= 0; feature_list_sparse_keys: list(string) >= 0; "
                 "feature_list_dense_keys: list(string) >= 0; " COUNTS "; " COLUMN_TYPES,
        .summary = "Parses SequenceExample messages.",
        .shape = sequence_shape,
    },
    {
        .name = "ParseSequenceExampleV2",
        .inputs = "serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys: string, "
                  "context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string, "
                  "feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool, "
                  "context_dense_defaults: Tcontext_dense",
        .outputs = CONTEXT_OUTPUTS
        "context_ragged_values: context_ragged_value_types, context_ragged_row_splits: "
        "context_ragged_split_types, " LIST_OUTPUTS
        ", feature_list_dense_lengths: Nfeature_list_dense * int64, feature_list_ragged_values: "
        "feature_list_ragged_value_types, feature_list_ragged_outer_splits: feature_list_ragged_split_types, "
        "feature_list_ragged_inner_splits: feature_list_ragged_split_types",
        .attrs = "Ncontext_sparse: " COUNT "; Tcontext_dense: " TYPES "; context_sparse_types: " TYPES
                 "; context_ragged_value_types: " TYPES "; context_ragged_split_types: " SPLITS
                 "; context_dense_shapes: list(shape) >= 0 = []; Nfeature_list_sparse: " COUNT
                 "; Nfeature_list_dense: " COUNT "; feature_list_dense_types: " TYPES
                 "; feature_list_sparse_types: " TYPES "; feature_list_ragged_value_types: " TYPES
                 "; feature_list_ragged_split_types: " SPLITS "; feature_list_dense_shapes: list(shape) >= 0 = []",
        .summary = "Parses one SequenceExample message or a vector of them.",
        .shape = sequence_v2_shape,
    },
    {
        .name = "ParseSingleSequenceExample",
        .inputs = "serialized: string, feature_list_dense_missing_assumed_empty: string, context_sparse_keys: "
                  "Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string, feature_list_sparse_keys: "
                  "Nfeature_list_sparse * string, feature_list_dense_keys: Nfeature_list_dense * string, "
                  "context_dense_defaults: Tcontext_dense, debug_name: string",
        .outputs = CONTEXT_OUTPUTS LIST_OUTPUTS,
        .attrs = COUNTS "; " COLUMN_TYPES,
        .summary = "Parses one SequenceExample message.",
        .shape = single_shape,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ParseSequenceExample", .compute = sequence_compute, .expensive = true},
    {.op = "ParseSequenceExampleV2", .compute = sequence_v2_compute, .expensive = true},
    {.op = "ParseSingleSequenceExample", .compute = single_compute, .expensive = true},
};
SLI_OP_MODULE(sequence_ops);
