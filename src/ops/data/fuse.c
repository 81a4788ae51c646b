// Rewrites that make one function of two. The new function calls the old ones, which are inlined when it is compiled.
// Functions with captured tensors stay as they are, as in TensorFlow.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/common/fingerprint.h"
#include "ops/data/optimize.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

// Two functions of a library, the second of which is called after the first.
typedef struct {
  sli_function_library_t *library;  // borrowed
  const sli_attr_func_t *first_name, *second_name;
  sli_function_t *first, *second;  // counted
} pair_t;

// --- FunctionDefs ----------------------------------------------------------------------------------------------------

static void write_argument(sli_string_t *out, uint32_t field, const char *prefix, int i, sli_dtype_t type) {
  char name[32];
  snprintf(name, sizeof(name), "%s%d", prefix, i);
  size_t mark = sli_wire_open(out, field);
  sli_wire_write_text(out, SLI_FIELD_OP_DEF_ARG_DEF_NAME, name);
  sli_wire_write_int(out, SLI_FIELD_OP_DEF_ARG_DEF_TYPE, type);
  sli_wire_close(out, mark);
}

static void write_signature(sli_string_t *out, const char *name, const sli_dtype_t *arguments, int argument_count,
                            const sli_dtype_t *results, int result_count) {
  size_t mark = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_SIGNATURE);
  sli_wire_write_text(out, SLI_FIELD_OP_DEF_NAME, name);
  for (int i = 0; i < argument_count; i++) write_argument(out, SLI_FIELD_OP_DEF_INPUT_ARG, "a", i, arguments[i]);
  for (int i = 0; i < result_count; i++) write_argument(out, SLI_FIELD_OP_DEF_OUTPUT_ARG, "r", i, results[i]);
  sli_wire_close(out, mark);
}

// Result |i| of the function is |source|.
static void write_result(sli_string_t *out, int i, const char *source) {
  char name[32];
  snprintf(name, sizeof(name), "r%d", i);
  size_t mark = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_RET);
  sli_wire_write_text(out, SLI_FIELD_FUNCTION_DEF_RET_ENTRY_KEY, name);
  sli_wire_write_text(out, SLI_FIELD_FUNCTION_DEF_RET_ENTRY_VALUE, source);
  sli_wire_close(out, mark);
}

static void write_attr(sli_string_t *out, sli_attr_entry_t attr) {
  sli_string_t value = {0};
  sli_attr_encode(&attr.value, &value);
  size_t mark = sli_wire_open(out, SLI_FIELD_NODE_DEF_ATTR);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_ATTR_ENTRY_KEY, attr.name);
  sli_wire_write_bytes(out, SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE, sli_string_text(&value), value.size);
  sli_wire_close(out, mark);
  sli_string_deinitialize(&value);
}

static sli_attr_entry_t types_of(const char *name, const sli_dtype_t *types, int count) {
  sli_attr_entry_t attr = {name, {.kind = SLI_ATTR_TYPE, .is_list = true, .count = (size_t)count}};
  attr.value.list.type = types;
  return attr;
}

static sli_attr_entry_t function_of(const char *name, const sli_attr_func_t *function) {
  return (sli_attr_entry_t){name, {.kind = SLI_ATTR_FUNC, .func = *function}};
}

// A node "|name|" that calls |function| with the arguments of the fused function, or with the results of node "first".
static void write_call(sli_string_t *out, const char *name, const sli_attr_func_t *called,
                       const sli_function_t *function, bool takes_results) {
  size_t mark = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_NODE_DEF);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_NAME, name);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_OP,
                      function->is_stateful ? "StatefulPartitionedCall" : "PartitionedCall");
  for (int i = 0; i < function->argument_count; i++) {
    char input[48];
    snprintf(input, sizeof(input), takes_results ? "first:output:%d" : "a%d", i);
    sli_wire_write_text(out, SLI_FIELD_NODE_DEF_INPUT, input);
  }
  write_attr(out, types_of("Tin", function->argument_types, function->argument_count));
  write_attr(out, types_of("Tout", function->result_types, function->result_count));
  write_attr(out, function_of("f", called));
  sli_wire_close(out, mark);
}

// "If": the second predicate is asked only where the first one holds.
static void write_choice(sli_string_t *out, const pair_t *pair, const sli_attr_func_t *no) {
  static const sli_dtype_t boolean = SLI_DTYPE_BOOL;
  size_t mark = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_NODE_DEF);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_NAME, "second");
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_OP, pair->second->is_stateful ? "If" : "StatelessIf");
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_INPUT, "first:output:0");
  for (int i = 0; i < pair->second->argument_count; i++) {
    char input[48];
    snprintf(input, sizeof(input), "a%d", i);
    sli_wire_write_text(out, SLI_FIELD_NODE_DEF_INPUT, input);
  }
  write_attr(out, SLI_ATTR_TYPE_OF("Tcond", SLI_DTYPE_BOOL));
  write_attr(out, types_of("Tin", pair->second->argument_types, pair->second->argument_count));
  write_attr(out, types_of("Tout", &boolean, 1));
  write_attr(out, function_of("then_branch", pair->second_name));
  write_attr(out, function_of("else_branch", no));
  sli_wire_close(out, mark);
}

// A function of the arguments of |like| that gives false.
static void write_no(sli_string_t *out, const char *name, const sli_function_t *like) {
  static const sli_dtype_t boolean = SLI_DTYPE_BOOL;
  sli_tensor_t *no = sli_tensor_scalar_bool(false);
  write_signature(out, name, like->argument_types, like->argument_count, &boolean, 1);
  size_t mark = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_NODE_DEF);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_NAME, "no");
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_OP, "Const");
  write_attr(out, SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_BOOL));
  write_attr(out, SLI_ATTR_TENSOR_OF("value", no));
  sli_wire_close(out, mark);
  write_result(out, 0, "no:output:0");
  sli_tensor_release(no);
}

// --- Pairs -----------------------------------------------------------------------------------------------------------

static void pair_deinitialize(pair_t *pair) {
  sli_object_release(pair->first);
  sli_object_release(pair->second);
}

static const sli_attr_func_t *function_named(const sli_dataset_t *dataset, const char *attr) {
  const sli_attr_t *name = sli_node_attr(&dataset->recipe->node, attr);
  return name && name->kind == SLI_ATTR_FUNC && !name->is_list ? &name->func : NULL;
}

// The functions of |before| and |after|. |out_pair->first| stays NULL if they are not of one library.
static sli_status_t *pair_initialize(const sli_kernel_context_t *context, const sli_dataset_t *before,
                                     const char *before_attr, const sli_dataset_t *after, const char *after_attr,
                                     pair_t *out_pair) {
  pair_t pair = {.library = after->recipe->library,
                 .first_name = function_named(before, before_attr),
                 .second_name = function_named(after, after_attr)};
  *out_pair = pair;
  if (!pair.library || !before->recipe->library || !pair.first_name || !pair.second_name) return NULL;
  if (!sli_view_equal(sli_function_definition(pair.library, pair.first_name->name),
                      sli_function_definition(before->recipe->library, pair.first_name->name)))
    return NULL;
  SLI_RETURN_IF_ERROR(sli_function_instantiate(pair.library, pair.first_name, context->device, &out_pair->first));
  sli_status_t *status = sli_function_instantiate(pair.library, pair.second_name, context->device, &out_pair->second);
  if (status) pair_deinitialize(out_pair);
  return status;
}

static bool same_types(const sli_dtype_t *a, int a_count, const sli_dtype_t *b, int b_count) {
  bool same = a_count == b_count;
  for (int i = 0; i < a_count && same; i++) same = a[i] == b[i];
  return same;
}

static bool gives_bool(const sli_function_t *function) {
  return function->result_count == 1 && function->result_types[0] == SLI_DTYPE_BOOL;
}

// A name for a function that is made of both: the same for the same functions with the same attributes.
static char *fused_name(const pair_t *pair, const char *kind) {
  sli_string_t text = {0};
  sli_attr_entry_t first = function_of("", pair->first_name), second = function_of("", pair->second_name);
  sli_attr_encode(&first.value, &text);
  sli_attr_encode(&second.value, &text);
  uint64_t hash = sli_fingerprint_of(sli_view_of(text.data, text.size));
  sli_string_deinitialize(&text);
  return sli_format("fused_%s_%.*s_%.*s_%016llx", kind, SLI_VIEW_ARG(pair->first_name->name),
                    SLI_VIEW_ARG(pair->second_name->name), (unsigned long long)hash);
}

static sli_attr_entry_t fused_attr(const char *attr, const char *name) {
  return (sli_attr_entry_t){attr, {.kind = SLI_ATTR_FUNC, .func = {.name = sli_view(name)}}};
}

// --- Map after map ---------------------------------------------------------------------------------------------------

static bool is_plain_map(const sli_dataset_t *dataset) {
  return sli_dataset_is_op(dataset, "MapDataset") && dataset->recipe->node.input_count == 1;
}

// Without captured tensors, tuned.
static bool is_tuned_map(const sli_dataset_t *dataset) {
  if (!sli_dataset_is_op(dataset, "ParallelMapDatasetV2") || dataset->recipe->node.input_count != 2) return false;
  const sli_tensor_t *parallelism = dataset->recipe->inputs[1];
  return parallelism->count == 1 && SLI_DATA(const int64_t, parallelism)[0] == SLI_DATASET_AUTOTUNE;
}

static bool bool_attr(const sli_dataset_t *dataset, const char *name) {
  const sli_attr_t *attr = sli_node_attr(&dataset->recipe->node, name);
  return attr && attr->kind == SLI_ATTR_BOOL && attr->b;
}

static bool may_reorder(const sli_dataset_t *dataset) {
  const sli_attr_t *attr = sli_node_attr(&dataset->recipe->node, "deterministic");
  return attr && attr->kind == SLI_ATTR_STRING && sli_view_is(attr->s, "false");
}

static sli_status_t *make_fused_map(const sli_kernel_context_t *context, const pair_t *pair, sli_dataset_t *before,
                                    sli_dataset_t *after, sli_dataset_t **out_dataset) {
  char *name = fused_name(pair, "map");
  sli_string_t text = {0};
  write_signature(&text, name, pair->first->argument_types, pair->first->argument_count, pair->second->result_types,
                  pair->second->result_count);
  write_call(&text, "first", pair->first_name, pair->first, false);
  write_call(&text, "second", pair->second_name, pair->second, true);
  for (int i = 0; i < pair->second->result_count; i++) {
    char source[48];
    snprintf(source, sizeof(source), "second:output:%d", i);
    write_result(&text, i, source);
  }
  sli_function_library_t *library = NULL;
  sli_status_t *status = sli_function_extend(pair->library, &(sli_view_t){text.data, text.size}, 1, &library);
  if (!status) {
    bool keeps = bool_attr(before, "preserve_cardinality") && bool_attr(after, "preserve_cardinality");
    sli_attr_entry_t attrs[] = {fused_attr("f", name), SLI_ATTR_BOOL_OF("preserve_cardinality", keeps)};
    sli_dataset_making_t making = {after->recipe->node.op->def->name, attrs, SLI_ARRAY_COUNT_OF(attrs), library};
    status = sli_dataset_make_like(context, after, &making, before->recipe->inputs, before->recipe->node.input_count,
                                   out_dataset);
  }
  sli_object_release(library);
  sli_string_deinitialize(&text);
  free(name);
  return status;
}

sli_status_t *sli_dataset_fuse_maps(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                    sli_dataset_t **out_dataset) {
  sli_dataset_t *before = dataset->recipe ? sli_dataset_recipe_input(dataset, 0) : NULL;
  bool is_pair =
      before && ((is_plain_map(dataset) && is_plain_map(before)) ||
                 (is_tuned_map(dataset) && is_tuned_map(before) && may_reorder(dataset) == may_reorder(before)));
  if (!is_pair) return NULL;
  pair_t pair;
  SLI_RETURN_IF_ERROR(pair_initialize(context, before, "f", dataset, "f", &pair));
  sli_status_t *status = NULL;
  if (pair.first && same_types(pair.first->result_types, pair.first->result_count, pair.second->argument_types,
                               pair.second->argument_count))
    status = make_fused_map(context, &pair, before, dataset, out_dataset);
  pair_deinitialize(&pair);
  return status;
}

// --- Filter after filter ---------------------------------------------------------------------------------------------

static bool is_plain_filter(const sli_dataset_t *dataset) {
  return sli_dataset_is_op(dataset, "FilterDataset") && dataset->recipe->node.input_count == 1;
}

static sli_status_t *make_fused_filter(const sli_kernel_context_t *context, const pair_t *pair, sli_dataset_t *before,
                                       sli_dataset_t *after, sli_dataset_t **out_dataset) {
  char *name = fused_name(pair, "filter"), *no_name = fused_name(pair, "no");
  sli_attr_func_t no = {.name = sli_view(no_name)};
  sli_string_t text = {0}, no_text = {0};
  write_no(&no_text, no_name, pair->second);
  write_signature(&text, name, pair->first->argument_types, pair->first->argument_count, pair->first->result_types, 1);
  write_call(&text, "first", pair->first_name, pair->first, false);
  write_choice(&text, pair, &no);
  write_result(&text, 0, "second:output:0");
  sli_function_library_t *library = NULL;
  sli_view_t definitions[] = {{no_text.data, no_text.size}, {text.data, text.size}};
  sli_status_t *status = sli_function_extend(pair->library, definitions, SLI_ARRAY_COUNT_OF(definitions), &library);
  if (!status) {
    sli_attr_entry_t attrs[] = {fused_attr("predicate", name)};
    status = sli_dataset_make_like(context, after, &(sli_dataset_making_t){"FilterDataset", attrs, 1, library},
                                   before->recipe->inputs, 1, out_dataset);
  }
  sli_object_release(library);
  sli_string_deinitialize(&text);
  sli_string_deinitialize(&no_text);
  free(name);
  free(no_name);
  return status;
}

sli_status_t *sli_dataset_fuse_filters(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                       sli_dataset_t **out_dataset) {
  sli_dataset_t *before = dataset->recipe ? sli_dataset_recipe_input(dataset, 0) : NULL;
  if (!before || !is_plain_filter(dataset) || !is_plain_filter(before)) return NULL;
  pair_t pair;
  SLI_RETURN_IF_ERROR(pair_initialize(context, before, "predicate", dataset, "predicate", &pair));
  sli_status_t *status = NULL;
  if (pair.first && gives_bool(pair.first) && gives_bool(pair.second) &&
      same_types(pair.first->argument_types, pair.first->argument_count, pair.second->argument_types,
                 pair.second->argument_count))
    status = make_fused_filter(context, &pair, before, dataset, out_dataset);
  pair_deinitialize(&pair);
  return status;
}

// --- Filter after map ------------------------------------------------------------------------------------------------

// Three functions: one gives the mapped element and the predicate's answer, one the answer, one the element.
typedef struct {
  char *map, *answer, *element;
  sli_function_library_t *library;
  sli_dtype_t types[SLI_DATASET_MAX_COMPONENTS + 1];
  sli_shape_t shapes[SLI_DATASET_MAX_COMPONENTS + 1];
  int count;  // of the mapped element
} split_t;

static sli_status_t *split_initialize(const pair_t *pair, const sli_dataset_t *map, split_t *split) {
  sli_string_t texts[3] = {{0}, {0}, {0}};
  int count = split->count = map->component_count;
  for (int i = 0; i < count; i++) {
    split->types[i] = map->types[i];
    split->shapes[i] = map->shapes[i];
  }
  split->types[count] = SLI_DTYPE_BOOL;
  split->shapes[count] = (sli_shape_t){0};
  split->map = fused_name(pair, "both");
  split->answer = fused_name(pair, "answer");
  split->element = fused_name(pair, "element");
  write_signature(&texts[0], split->map, pair->first->argument_types, pair->first->argument_count, split->types,
                  count + 1);
  write_call(&texts[0], "first", pair->first_name, pair->first, false);
  write_call(&texts[0], "second", pair->second_name, pair->second, true);
  write_signature(&texts[1], split->answer, split->types, count + 1, &split->types[count], 1);
  write_signature(&texts[2], split->element, split->types, count + 1, split->types, count);
  for (int i = 0; i <= count; i++) {
    char source[48], argument[32];
    snprintf(source, sizeof(source), "first:output:%d", i);
    snprintf(argument, sizeof(argument), "a%d", i);
    write_result(&texts[0], i, i < count ? source : "second:output:0");
    if (i == count) write_result(&texts[1], 0, argument);
    if (i < count) write_result(&texts[2], i, argument);
  }
  sli_view_t definitions[3];
  for (int i = 0; i < 3; i++) definitions[i] = sli_view_of(texts[i].data, texts[i].size);
  sli_status_t *status = sli_function_extend(pair->library, definitions, 3, &split->library);
  for (int i = 0; i < 3; i++) sli_string_deinitialize(&texts[i]);
  return status;
}

static void split_deinitialize(split_t *split) {
  sli_object_release(split->library);
  free(split->map);
  free(split->answer);
  free(split->element);
}

// A dataset of |op| over |input|, with the first |count| components.
static sli_status_t *add_part(const sli_kernel_context_t *context, const split_t *split, const char *op,
                              sli_attr_entry_t function, int count, sli_dataset_t *input, sli_dataset_t **out_dataset) {
  sli_attr_entry_t attrs[] = {
      function,
      types_of("output_types", split->types, count),
      {"output_shapes", {.kind = SLI_ATTR_SHAPE, .is_list = true, .count = (size_t)count}},
      types_of("Targuments", NULL, 0),
  };
  attrs[2].value.list.shape = split->shapes;
  sli_tensor_t *tensor = sli_dataset_to_tensor(sli_dataset_retain(input));
  sli_dataset_making_t making = {op, attrs, SLI_ARRAY_COUNT_OF(attrs), split->library};
  sli_status_t *status = sli_dataset_make(&making, context, &tensor, 1, out_dataset);
  sli_tensor_release(tensor);
  return status;
}

static sli_status_t *make_split(const sli_kernel_context_t *context, const pair_t *pair, sli_dataset_t *map,
                                sli_dataset_t **out_dataset) {
  split_t *split = sli_calloc(1, sizeof(*split));
  sli_dataset_t *both = NULL, *filtered = NULL;
  sli_status_t *status = split_initialize(pair, map, split);
  if (!status) {
    sli_attr_entry_t attrs[] = {
        fused_attr("f", split->map),
        types_of("output_types", split->types, split->count + 1),
        {"output_shapes", {.kind = SLI_ATTR_SHAPE, .is_list = true, .count = (size_t)split->count + 1}}};
    attrs[2].value.list.shape = split->shapes;
    sli_dataset_making_t making = {map->recipe->node.op->def->name, attrs, SLI_ARRAY_COUNT_OF(attrs), split->library};
    status = sli_dataset_make_like(context, map, &making, map->recipe->inputs, map->recipe->node.input_count, &both);
  }
  if (!status)
    status = add_part(context, split, "FilterDataset", fused_attr("predicate", split->answer), split->count + 1, both,
                      &filtered);
  if (!status)
    status =
        add_part(context, split, "MapDataset", fused_attr("f", split->element), split->count, filtered, out_dataset);
  sli_dataset_release(both);
  sli_dataset_release(filtered);
  split_deinitialize(split);
  free(split);
  return status;
}

sli_status_t *sli_dataset_fuse_map_and_filter(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                              sli_dataset_t **out_dataset) {
  sli_dataset_t *map = dataset->recipe && is_plain_filter(dataset) ? sli_dataset_recipe_input(dataset, 0) : NULL;
  bool is_parallel = map && sli_dataset_is_op(map, "ParallelMapDatasetV2") && map->recipe->node.input_count == 2;
  if (!map || (!is_plain_map(map) && !is_parallel) || map->component_count >= SLI_DATASET_MAX_COMPONENTS) return NULL;
  pair_t pair;
  SLI_RETURN_IF_ERROR(pair_initialize(context, map, "f", dataset, "predicate", &pair));
  sli_status_t *status = NULL;
  if (pair.first && gives_bool(pair.second) && pair.first->result_count == map->component_count &&
      same_types(pair.first->result_types, pair.first->result_count, pair.second->argument_types,
                 pair.second->argument_count))
    status = make_split(context, &pair, map, out_dataset);
  pair_deinitialize(&pair);
  return status;
}
