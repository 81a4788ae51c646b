// Parses Examples. The features that a program names become inputs of a
// ParseExampleV2 node: sparse features first, each kind sorted by key. The context
// features and lists of SequenceExamples become inputs of a ParseSequenceExampleV2.
#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"
#include "train/input/input_internal.h"

struct sl_parsed {
  sl_scope_t *scope;
  sl_feature_spec_t *specs;  // sorted; with copies of the keys
  size_t count;
  TF_Operation *operation;  // NULL: not built
  int first;                // the number of its first output
  bool has_lengths;         // after the dense outputs
  size_t sparse_count;
};

static void destroy_parsed(void *object) {
  sl_parsed_t *parsed = object;
  for (size_t i = 0; i < parsed->count; i++) free((char *)parsed->specs[i].key);
  free(parsed->specs);
  free(parsed);
}

static bool is_sparse(const sl_feature_spec_t *spec) { return spec->kind == SL_VAR_LEN; }

// Sparse before dense, each by key.
static int by_kind_then_key(const void *a, const void *b) {
  const sl_feature_spec_t *x = a, *y = b;
  return is_sparse(x) != is_sparse(y) ? is_sparse(y) - is_sparse(x) : strcmp(x->key, y->key);
}

bool sli_input_check_feature(sl_scope_t *scope, const sl_feature_spec_t *spec) {
  if (!spec->key) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the key of a feature must not be NULL");
    return false;
  }
  if (spec->dtype != TF_FLOAT && spec->dtype != TF_INT64 && spec->dtype != TF_STRING)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "feature '%s': dtype must be float, int64 or string, got %s", spec->key,
                  sli_tf_type_name(spec->dtype));
  int64_t elements = sli_tf_shape_elements(spec->shape);
  if (!is_sparse(spec) && elements < 0) {
    char *text = sli_tf_shape_format(spec->shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "feature '%s': shape must be fully known, got %s", spec->key, text);
    free(text);
  }
  if (spec->dtype == TF_STRING ? spec->default_count > 0 : spec->default_text != NULL)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "feature '%s': the default must be of type %s", spec->key,
                  sli_tf_type_name(spec->dtype));
  if (spec->default_text && elements != 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "feature '%s': default_text is for 1 element, but the shape has %lld",
                  spec->key, (long long)elements);
  if (spec->default_count && (int64_t)spec->default_count != elements)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "feature '%s': the default must have %lld values, got %zu", spec->key,
                  (long long)elements, spec->default_count);
  return sli_scope_ok(scope);
}

// The default that means "none": an empty vector, or a zero scalar.
static TF_Output empty_default(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape) {
  TF_Tensor *tensor = dtype != TF_STRING ? sli_tf_tensor_fill(dtype, shape, 0)
                      : shape.rank       ? sli_tf_tensor_texts(NULL, 0)
                                         : sli_tf_tensor_text("");
  return sli_build_constant_tensor(scope, tensor, "Const");
}

// "key_KEY" with characters that are not allowed in node names replaced by '_'. New.
static char *default_name(const char *key) {
  char *name = sli_format("key_%s", key);
  for (char *letter = name; *letter; letter++) {
    bool good = (*letter >= 'A' && *letter <= 'Z') || (*letter >= 'a' && *letter <= 'z') ||
                (*letter >= '0' && *letter <= '9') || strchr("_.-/", *letter);
    if (!good) *letter = '_';
  }
  return name;
}

TF_Output sli_input_default(sl_scope_t *scope, const sl_feature_spec_t *spec) {
  if (spec->kind == SL_FIXED_LEN_SEQUENCE) return empty_default(scope, spec->dtype, SL_SHAPE());
  if (!spec->default_text && !spec->default_count) return empty_default(scope, spec->dtype, SL_SHAPE(0));
  sl_shape_t shape = spec->default_count > 1 ? spec->shape : SL_SHAPE();
  TF_Tensor *tensor = spec->default_text
                          ? sli_tf_tensor_text(spec->default_text)
                          : sli_tf_tensor_from_doubles(spec->dtype, shape, spec->default_values, spec->default_count);
  char *name = default_name(spec->key);
  TF_Output value = sli_build_constant_tensor(scope, tensor, name);
  free(name);
  return sl_reshape_with(scope, value, spec->shape, NULL);
}

// A vector of the keys of |count| specs.
static TF_Output keys(sl_scope_t *scope, const sl_feature_spec_t *specs, size_t count, const char *name) {
  const char **texts = sli_calloc(count, sizeof(*texts));
  for (size_t i = 0; i < count; i++) texts[i] = specs[i].key;
  TF_Output result = sl_texts_with(scope, texts, count, SL_OP_OPTIONS(.name = name));
  free(texts);
  return result;
}

static void set_attributes(sl_node_t *node, const sl_parsed_t *parsed) {
  size_t sparse = parsed->sparse_count, dense = parsed->count - sparse;
  TF_DataType *types = sli_calloc(parsed->count, sizeof(*types));
  sl_shape_t *shapes = sli_calloc(dense, sizeof(*shapes));
  for (size_t i = 0; i < parsed->count; i++) types[i] = parsed->specs[i].dtype;
  for (size_t i = 0; i < dense; i++) {
    const sl_feature_spec_t *spec = &parsed->specs[sparse + i];
    shapes[i] = spec->shape;
    if (spec->kind != SL_FIXED_LEN_SEQUENCE) continue;
    shapes[i] = (sl_shape_t){.rank = spec->shape.rank + 1, .dims = {-1}};
    for (int j = 0; j < spec->shape.rank; j++) shapes[i].dims[j + 1] = spec->shape.dims[j];
  }
  sl_node_attr_int(node, "num_sparse", (int64_t)sparse);
  sl_node_attr_type_list(node, "sparse_types", types, sparse);
  sl_node_attr_type_list(node, "ragged_value_types", NULL, 0);
  sl_node_attr_type_list(node, "ragged_split_types", NULL, 0);
  sl_node_attr_shape_list(node, "dense_shapes", shapes, dense);
  free(shapes);
  free(types);
}

// Builds the constants and the node in its own name scope.
static TF_Operation *parse_node(sl_scope_t *scope, const sl_parsed_t *parsed, TF_Output serialized,
                                const TF_Output *defaults, TF_Output names, const char *name) {
  size_t sparse = parsed->sparse_count, dense = parsed->count - sparse;
  TF_Operation *operation = NULL;
  SL_NAME_SCOPE (scope, "%s", name) {
    char *whole = sli_build_scope_node_name(scope);
    if (!names.oper) names = keys(scope, NULL, 0, "names");
    TF_Output sparse_keys = keys(scope, parsed->specs, sparse, "sparse_keys");
    TF_Output dense_keys = keys(scope, parsed->specs + sparse, dense, "dense_keys");
    TF_Output ragged_keys = keys(scope, NULL, 0, "ragged_keys");
    sl_node_t *node = sl_node_begin(scope, "ParseExampleV2", whole);
    sl_node_input(node, serialized);
    sl_node_input(node, names);
    sl_node_input(node, sparse_keys);
    sl_node_input(node, dense_keys);
    sl_node_input(node, ragged_keys);
    sl_node_input_list(node, defaults, dense);
    set_attributes(node, parsed);
    operation = sl_node_finish(node);
    free(whole);
  }
  return operation;
}

// There may be no features.
static sl_parsed_t *new_parsed(sl_scope_t *scope, const sl_feature_spec_t *features, size_t count) {
  sl_parsed_t *parsed = sli_calloc(1, sizeof(*parsed));
  parsed->scope = scope;
  parsed->specs = sli_calloc(count, sizeof(*parsed->specs));
  sli_scope_own(scope, parsed, destroy_parsed);
  for (size_t i = 0; i < count && sli_input_check_feature(scope, &features[i]); i++) {
    parsed->specs[i] = features[i];
    parsed->specs[i].key = sli_strdup(features[i].key);
    parsed->sparse_count += is_sparse(&features[i]);
    parsed->count++;
  }
  if (sli_scope_ok(scope) && count) qsort(parsed->specs, count, sizeof(*parsed->specs), by_kind_then_key);
  return parsed;
}

static void push_defaults(sl_scope_t *scope, const sl_parsed_t *parsed, sli_outputs_t *defaults) {
  for (size_t i = parsed->sparse_count; i < parsed->count; i++)
    sli_array_push(defaults, sli_input_default(scope, &parsed->specs[i]));
}

// In the name scope "ParseExample" or |name|.
static void build_parse_node(sl_parsed_t *parsed, TF_Output serialized, TF_Output names, const char *name) {
  sl_scope_t *scope = parsed->scope;
  if (!parsed->count)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Missing: features must hold at least 1 feature, got 0");
  if (!sli_scope_ok(scope)) return;
  sli_outputs_t defaults = {0};
  SL_NAME_SCOPE (scope, "%s", name ? name : "ParseExample") {
    push_defaults(scope, parsed, &defaults);
    parsed->operation = parse_node(scope, parsed, serialized, defaults.items, names, name ? name : "ParseExampleV2");
  }
  sli_array_deinitialize(&defaults);
}

sl_parsed_t *sl_parse_example_with(sl_scope_t *scope, TF_Output serialized, const sl_feature_spec_t *features,
                                   size_t count, const sl_parse_options_t *given) {
  SLI_CALL_OPTIONS(sl_parse_options_t, options, given);
  sl_parsed_t *parsed = new_parsed(scope, features, count);
  build_parse_node(parsed, serialized, options.example_names, options.name);
  return parsed;
}

static void check_scalar(sl_scope_t *scope, TF_Output serialized) {
  if (sl_static_shape(scope, serialized).rank > 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Input serialized must be a scalar: '%s'",
                  TF_OperationName(serialized.oper));
}

sl_parsed_t *sl_parse_single_example_with(sl_scope_t *scope, TF_Output serialized, const sl_feature_spec_t *features,
                                          size_t count, const sl_parse_options_t *given) {
  SLI_CALL_OPTIONS(sl_parse_options_t, options, given);
  sl_parsed_t *parsed = new_parsed(scope, features, count);
  check_scalar(scope, serialized);
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "ParseSingleExample") {
    build_parse_node(parsed, serialized, (TF_Output){0}, options.name);
  }
  return parsed;
}

// --- Sequences ---

static void check_kinds(sl_scope_t *scope, const sl_parsed_t *parsed, sl_feature_kind_t dense, const char *what) {
  for (size_t i = parsed->sparse_count; i < parsed->count; i++)
    if (parsed->specs[i].kind != dense)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "feature '%s': a dense feature of the %s must be %s",
                    parsed->specs[i].key, what,
                    dense == SL_FIXED_LEN ? "SL_FIXED_LEN_FEATURE" : "SL_FIXED_LEN_SEQUENCE_FEATURE");
}

// For each dense list, whether it may be missing from an example.
static TF_Output missing_allowed(sl_scope_t *scope, const sl_parsed_t *lists) {
  size_t count = lists->count - lists->sparse_count;
  double *allowed = sli_calloc(count, sizeof(*allowed));
  for (size_t i = 0; i < count; i++) allowed[i] = lists->specs[lists->sparse_count + i].allow_missing;
  TF_Tensor *tensor = sli_tf_tensor_from_doubles(TF_BOOL, SL_SHAPE((int64_t)count), allowed, count);
  free(allowed);
  return sli_build_constant_tensor(scope, tensor, "feature_list_dense_missing_assumed_empty");
}

static void set_sequence_attributes(sl_node_t *node, const sl_parsed_t *context, const sl_parsed_t *lists) {
  static const char *const names[2][3] = {
      {"context_sparse_types", "Tcontext_dense", "context_dense_shapes"},
      {"feature_list_sparse_types", "feature_list_dense_types", "feature_list_dense_shapes"}};
  for (int side = 0; side < 2; side++) {
    const sl_parsed_t *parsed = side ? lists : context;
    size_t sparse = parsed->sparse_count, dense = parsed->count - sparse;
    TF_DataType *types = sli_calloc(parsed->count, sizeof(*types));
    sl_shape_t *shapes = sli_calloc(dense, sizeof(*shapes));
    for (size_t i = 0; i < parsed->count; i++) types[i] = parsed->specs[i].dtype;
    for (size_t i = 0; i < dense; i++) shapes[i] = parsed->specs[sparse + i].shape;
    sl_node_attr_type_list(node, names[side][0], types, sparse);
    // The types of dense context features are inferred from their defaults.
    if (side) sl_node_attr_type_list(node, names[side][1], types + sparse, dense);
    sl_node_attr_shape_list(node, names[side][2], shapes, dense);
    free(shapes);
    free(types);
  }
  sl_node_attr_int(node, "Ncontext_sparse", (int64_t)context->sparse_count);
  sl_node_attr_int(node, "Nfeature_list_sparse", (int64_t)lists->sparse_count);
  sl_node_attr_int(node, "Nfeature_list_dense", (int64_t)(lists->count - lists->sparse_count));
  static const char *const ragged[] = {"context_ragged_value_types", "context_ragged_split_types",
                                       "feature_list_ragged_value_types", "feature_list_ragged_split_types"};
  for (int i = 0; i < 4; i++) sl_node_attr_type_list(node, ragged[i], NULL, 0);
}

static TF_Operation *sequence_node(sl_scope_t *scope, const sl_parsed_sequence_t *parsed, TF_Output serialized,
                                   TF_Output names, const sli_outputs_t *defaults, const char *name) {
  const sl_parsed_t *context = parsed->context, *lists = parsed->lists;
  TF_Operation *operation = NULL;
  SL_NAME_SCOPE (scope, "%s", name) {
    char *whole = sli_build_scope_node_name(scope);
    size_t sparse = context->sparse_count, list_sparse = lists->sparse_count;
    TF_Output inputs[9] = {serialized};
    inputs[1] = names.oper ? names : keys(scope, NULL, 0, "debug_name");
    inputs[2] = keys(scope, context->specs, sparse, "context_sparse_keys");
    inputs[3] = keys(scope, context->specs + sparse, context->count - sparse, "context_dense_keys");
    inputs[4] = keys(scope, NULL, 0, "context_ragged_keys");
    inputs[5] = keys(scope, lists->specs, list_sparse, "feature_list_sparse_keys");
    inputs[6] = keys(scope, lists->specs + list_sparse, lists->count - list_sparse, "feature_list_dense_keys");
    inputs[7] = keys(scope, NULL, 0, "feature_list_ragged_keys");
    inputs[8] = missing_allowed(scope, lists);
    sl_node_t *node = sl_node_begin(scope, "ParseSequenceExampleV2", whole);
    for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) sl_node_input(node, inputs[i]);
    sl_node_input_list(node, defaults->items, defaults->count);
    set_sequence_attributes(node, context, lists);
    operation = sl_node_finish(node);
    free(whole);
  }
  return operation;
}

// In the name scope |outer| or |name|, and in that in "ParseSequenceExample" or |name|.
static sl_parsed_sequence_t parse_sequences(sl_scope_t *scope, TF_Output serialized, sl_parsed_sequence_t parsed,
                                            const char *outer, bool is_single, const sl_parse_options_t *options) {
  const char *name = options->name;
  sli_outputs_t defaults = {0};
  check_kinds(scope, parsed.context, SL_FIXED_LEN, "context");
  check_kinds(scope, parsed.lists, SL_FIXED_LEN_SEQUENCE, "lists");
  if (!parsed.context->count && !parsed.lists->count)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Must provide at least one feature key.");
  if (!sli_scope_ok(scope)) return parsed;
  SL_NAME_SCOPE (scope, "%s", name ? name : outer) {
    // Python opens this name scope to check that |serialized| is a scalar.
    if (is_single)
      SL_NAME_SCOPE (scope, "%s", name ? name : "ParseSingleExample") check_scalar(scope, serialized);
    SL_NAME_SCOPE (scope, "%s", name ? name : "ParseSequenceExample") {
      push_defaults(scope, parsed.context, &defaults);
      parsed.context->operation = sequence_node(scope, &parsed, serialized, options->example_names, &defaults,
                                                name ? name : "ParseSequenceExampleV2");
    }
  }
  parsed.lists->operation = parsed.context->operation;
  parsed.lists->has_lengths = true;
  parsed.lists->first = (int)(parsed.context->count + 2 * parsed.context->sparse_count);
  sli_array_deinitialize(&defaults);
  return parsed;
}

sl_parsed_sequence_t sl_parse_sequence_example_with(sl_scope_t *scope, TF_Output serialized,
                                                    const sl_feature_spec_t *context, size_t context_count,
                                                    const sl_feature_spec_t *lists, size_t list_count,
                                                    const sl_parse_options_t *given) {
  SLI_CALL_OPTIONS(sl_parse_options_t, options, given);
  sl_parsed_sequence_t parsed = {new_parsed(scope, context, context_count), new_parsed(scope, lists, list_count)};
  return parse_sequences(scope, serialized, parsed, "ParseSequenceExample", false, &options);
}

sl_parsed_sequence_t sl_parse_single_sequence_example_with(sl_scope_t *scope, TF_Output serialized,
                                                           const sl_feature_spec_t *context, size_t context_count,
                                                           const sl_feature_spec_t *lists, size_t list_count,
                                                           const sl_parse_options_t *given) {
  SLI_CALL_OPTIONS(sl_parse_options_t, options, given);
  sl_parsed_sequence_t parsed = {new_parsed(scope, context, context_count), new_parsed(scope, lists, list_count)};
  return parse_sequences(scope, serialized, parsed, "ParseSingleSequenceExample", true, &options);
}

// --- Results ---

// The position of |key| among the specs. If there is none of that kind, sets an error in the scope and returns -1.
static int find_feature(const sl_parsed_t *parsed, const char *key, bool sparse) {
  if (!parsed->operation) return -1;
  for (size_t i = 0; i < parsed->count; i++)
    if (strcmp(parsed->specs[i].key, key) == 0 && is_sparse(&parsed->specs[i]) == sparse) return (int)i;
  sli_string_t known = {0};
  for (size_t i = 0; i < parsed->count; i++)
    sli_string_append_format(&known, "%s%s", i ? ", " : "", parsed->specs[i].key);
  sl_scope_fail(parsed->scope, TF_NOT_FOUND, "no feature '%s' of %s length was parsed; parsed were: %s", key,
                sparse ? "varying" : "fixed", sli_string_text(&known));
  sli_string_deinitialize(&known);
  return -1;
}

const sl_parsed_t *sl_parsed_at(const sl_parsed_t *parsed, const char *file, int line) {
  if (parsed) sl_scope_at(parsed->scope, file, line);
  return parsed;
}

TF_Output sl_parsed_dense_with(const sl_parsed_t *parsed, const char *key) {
  int place = find_feature(parsed, key, false);
  if (place < 0) return (TF_Output){0};
  // Outputs: indices, values and shapes of the sparse features, then the dense features.
  return (TF_Output){parsed->operation, parsed->first + place + 2 * (int)parsed->sparse_count};
}

TF_Output sl_parsed_lengths_with(const sl_parsed_t *lists, const char *key) {
  TF_Output values = sl_parsed_dense_with(lists, key);
  if (!values.oper) return values;
  if (!lists->has_lengths) {
    sl_scope_fail(lists->scope, TF_INVALID_ARGUMENT, "feature '%s' is not a feature list and has no lengths", key);
    return (TF_Output){0};
  }
  return (TF_Output){values.oper, values.index + (int)(lists->count - lists->sparse_count)};
}

sl_sparse_t sl_parsed_sparse_with(const sl_parsed_t *parsed, const char *key) {
  int place = find_feature(parsed, key, true), count = (int)parsed->sparse_count;
  if (place < 0) return (sl_sparse_t){0};
  place += parsed->first;
  return (sl_sparse_t){.indices = {parsed->operation, place},
                       .values = {parsed->operation, place + count},
                       .dense_shape = {parsed->operation, place + 2 * count}};
}
