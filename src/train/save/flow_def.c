// Exports and imports loops and branches as Python's library describes them in
// MetaGraphs. A loop or branch lists its outputs: those of its own nodes, of branches
// in it, of the exits of loops in it, and the values it captures from outside.
#include "train/save/flow_def_internal.h"

#include <stdlib.h>

#include "proto/meta_graph.pb-c.h"
#include "proto/proto.h"
#include "train/graph/flow.h"
#include "train/save/meta_graph_internal.h"

static const char while_key[] = "while_context", cond_key[] = "cond_context";

bool sli_flow_def_is_collection(const char *key) { return strcmp(key, while_key) == 0 || strcmp(key, cond_key) == 0; }

// A context of an imported MetaGraph: a serialized WhileContextDef or CondContextDef.
struct sli_flow_def {
  bool is_loop;
  sli_string_t bytes;
};

// --- Export ---

typedef struct {
  const sl_scope_t *scope;
  sli_arena_t *arena;
} flow_writer_t;

typedef SLI_ARRAY(char *) names_t;

static char *name_of(const flow_writer_t *writer, TF_Output output) {
  return output.oper ? (char *)sli_saver_output_name(output, writer->arena) : "";
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// Copies |names| to the arena, sorted and without duplicates if |as_set|.
static char **copy_names(const flow_writer_t *writer, names_t *names, bool as_set, size_t *out_count) {
  if (as_set && names->count) qsort(names->items, names->count, sizeof(*names->items), compare_names);
  char **kept = sli_arena_calloc(writer->arena, names->count, sizeof(*kept));
  size_t count = 0;
  for (size_t i = 0; i < names->count; i++)
    if (!as_set || !count || strcmp(kept[count - 1], names->items[i]) != 0) kept[count++] = names->items[i];
  sli_array_deinitialize(names);
  *out_count = count;
  return kept;
}

static char **copy_output_names(const flow_writer_t *writer, const sli_outputs_t *outputs, size_t *out_count) {
  names_t names = {0};
  for (size_t i = 0; i < outputs->count; i++) sli_array_push(&names, name_of(writer, outputs->items[i]));
  return copy_names(writer, &names, false, out_count);
}

// Whether |flow| lists the outputs of a node in |place|: of its own nodes and of those in its branches.
static bool contains_outputs(const sli_flow_t *flow, const sli_flow_t *place) {
  while (place && place != flow && !place->is_loop) place = place->outer;
  return place == flow;
}

static void add_values(const flow_writer_t *writer, const sli_flow_t *flow, names_t *values) {
  size_t position = 0;
  for (TF_Operation *node; (node = TF_GraphNextOperation(writer->scope->graph, &position));) {
    if (!contains_outputs(flow, sli_flow_of_operation(writer->scope, node)) &&
        !contains_outputs(flow, sli_flow_of_outputs(writer->scope, node)))
      continue;
    for (int i = 0; i < TF_OperationNumOutputs(node); i++)
      sli_array_push(values, name_of(writer, (TF_Output){node, i}));
  }
}

typedef SLI_ARRAY(Tensorflow__ValuesDef__ExternalValuesEntry *) externals_t;

static void add_external(const flow_writer_t *writer, TF_Output outside, TF_Output inside, names_t *values,
                         externals_t *externals) {
  Tensorflow__ValuesDef__ExternalValuesEntry *entry = sli_arena_calloc(writer->arena, 1, sizeof(*entry));
  tensorflow__values_def__external_values_entry__init(entry);
  entry->key = name_of(writer, outside);
  entry->value = name_of(writer, inside);
  sli_array_push(values, entry->key);
  sli_array_push(externals, entry);
}

static void add_captured(const flow_writer_t *writer, const sli_flow_t *flow, names_t *values, externals_t *externals) {
  SLI_MAP_FOR_EACH (&flow->captured, entry) {
    const sli_flow_capture_t *capture = entry->value;
    TF_Output entered = TF_OperationInput((TF_Input){capture->inside.oper, 0});
    add_external(writer, capture->outside, capture->inside, values, externals);
    // A branch also lists the value that an enclosing loop made of it.
    if (!flow->is_loop && entered.oper != capture->outside.oper)
      add_external(writer, entered, entered, values, externals);
  }
  if (!flow->is_loop) add_external(writer, flow->pred, flow->pred, values, externals);
}

static int compare_entries(const void *a, const void *b) {
  const Tensorflow__ValuesDef__ExternalValuesEntry *const *left = a, *const *right = b;
  return strcmp((*left)->key, (*right)->key);
}

static Tensorflow__ValuesDef *describe_values(const flow_writer_t *writer, const sli_flow_t *flow) {
  Tensorflow__ValuesDef *def = sli_arena_calloc(writer->arena, 1, sizeof(*def));
  tensorflow__values_def__init(def);
  names_t values = {0};
  externals_t externals = {0};
  add_values(writer, flow, &values);
  add_captured(writer, flow, &values, &externals);
  def->values = copy_names(writer, &values, true, &def->n_values);
  if (externals.count) qsort(externals.items, externals.count, sizeof(*externals.items), compare_entries);
  def->external_values = sli_arena_calloc(writer->arena, externals.count, sizeof(*def->external_values));
  for (size_t i = 0; i < externals.count; i++)
    if (!i || strcmp(externals.items[i - 1]->key, externals.items[i]->key) != 0)
      def->external_values[def->n_external_values++] = externals.items[i];
  sli_array_deinitialize(&externals);
  return def;
}

static Tensorflow__ControlFlowContextDef **describe_nested(const flow_writer_t *writer, const sli_flow_t *flow,
                                                           size_t *out_count);

static Tensorflow__WhileContextDef *describe_loop(const flow_writer_t *writer, const sli_flow_t *flow) {
  Tensorflow__WhileContextDef *def = sli_arena_calloc(writer->arena, 1, sizeof(*def));
  tensorflow__while_context_def__init(def);
  def->context_name = flow->name;
  def->parallel_iterations = (int32_t)flow->parallel_iterations;
  def->back_prop = !flow->no_back_prop;
  def->pivot_name = name_of(writer, flow->loop_cond);
  def->pivot_for_pred_name = name_of(writer, flow->first_merge);
  def->pivot_for_body_name = name_of(writer, flow->first_value);
  def->maximum_iterations_name = name_of(writer, flow->maximum_iterations);
  def->loop_exit_names = copy_output_names(writer, &flow->exits, &def->n_loop_exit_names);
  def->loop_enter_names = copy_output_names(writer, &flow->enters, &def->n_loop_enter_names);
  def->values_def = describe_values(writer, flow);
  def->nested_contexts = describe_nested(writer, flow, &def->n_nested_contexts);
  return def;
}

static Tensorflow__CondContextDef *describe_branch(const flow_writer_t *writer, const sli_flow_t *flow) {
  Tensorflow__CondContextDef *def = sli_arena_calloc(writer->arena, 1, sizeof(*def));
  tensorflow__cond_context_def__init(def);
  def->context_name = flow->name;
  def->pred_name = name_of(writer, flow->pred);
  def->pivot_name = name_of(writer, (TF_Output){flow->pivot, 0});
  def->branch = flow->branch;
  def->values_def = describe_values(writer, flow);
  def->nested_contexts = describe_nested(writer, flow, &def->n_nested_contexts);
  return def;
}

static Tensorflow__ControlFlowContextDef **describe_nested(const flow_writer_t *writer, const sli_flow_t *flow,
                                                           size_t *out_count) {
  const sl_scope_t *scope = writer->scope;
  Tensorflow__ControlFlowContextDef **nested = sli_arena_calloc(writer->arena, scope->contexts.count, sizeof(*nested));
  size_t count = 0;
  for (size_t i = 0; i < scope->contexts.count; i++) {
    const sli_flow_t *inner = scope->contexts.items[i];
    if (inner->outer != flow) continue;
    Tensorflow__ControlFlowContextDef *def = sli_arena_calloc(writer->arena, 1, sizeof(*def));
    tensorflow__control_flow_context_def__init(def);
    def->ctxt_case = inner->is_loop ? TENSORFLOW__CONTROL_FLOW_CONTEXT_DEF__CTXT_WHILE_CTXT
                                    : TENSORFLOW__CONTROL_FLOW_CONTEXT_DEF__CTXT_COND_CTXT;
    if (inner->is_loop)
      def->while_ctxt = describe_loop(writer, inner);
    else
      def->cond_ctxt = describe_branch(writer, inner);
    nested[count++] = def;
  }
  *out_count = count;
  return nested;
}

sli_status_t *sli_flow_def_export(const sl_scope_t *scope, bool loops, sli_arena_t *arena,
                                  sli_meta_graph_collection_t *out_collection) {
  const flow_writer_t writer = {scope, arena};
  size_t capacity = scope->imported_contexts.count + scope->contexts.count, count = 0;
  sli_view_t *items = sli_arena_calloc(arena, capacity, sizeof(*items));
  for (size_t i = 0; i < scope->imported_contexts.count; i++) {
    const struct sli_flow_def *def = scope->imported_contexts.items[i];
    if (def->is_loop == loops) items[count++] = sli_view_of(def->bytes.data, def->bytes.size);
  }
  for (size_t i = 0; i < scope->contexts.count; i++) {
    const sli_flow_t *flow = scope->contexts.items[i];
    if (flow->outer || flow->is_loop != loops) continue;
    sli_string_t bytes = {0};
    SLI_RETURN_IF_ERROR(
        sli_proto_pack(loops ? &describe_loop(&writer, flow)->base : &describe_branch(&writer, flow)->base, &bytes));
    items[count++] = sli_view_of(sli_arena_strndup(arena, bytes.data, bytes.size), bytes.size);
    sli_string_deinitialize(&bytes);
  }
  *out_collection = (sli_meta_graph_collection_t){
      .key = loops ? while_key : cond_key, .kind = SLI_META_GRAPH_BYTES, .items = items, .count = count};
  return NULL;
}

// --- Import ---

static void add_prefix(char **name, const char *prefix, sli_arena_t *arena) {
  if (!*name || !**name) return;
  size_t size = strlen(prefix), rest = strlen(*name);
  char *whole = sli_arena_calloc(arena, size + rest + 1, 1);
  memcpy(whole, prefix, size);
  memcpy(whole + size, *name, rest);
  *name = whole;
}

static void rename_values(Tensorflow__ValuesDef *def, const char *prefix, sli_arena_t *arena) {
  for (size_t i = 0; def && i < def->n_values; i++) add_prefix(&def->values[i], prefix, arena);
  for (size_t i = 0; def && i < def->n_external_values; i++) {
    add_prefix(&def->external_values[i]->key, prefix, arena);
    add_prefix(&def->external_values[i]->value, prefix, arena);
  }
}

static void rename_nested(Tensorflow__ControlFlowContextDef **nested, size_t count, const char *prefix,
                          sli_arena_t *arena);

static void rename_loop(Tensorflow__WhileContextDef *def, const char *prefix, sli_arena_t *arena) {
  char **names[] = {&def->context_name, &def->pivot_name, &def->pivot_for_pred_name, &def->pivot_for_body_name,
                    &def->maximum_iterations_name};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++) add_prefix(names[i], prefix, arena);
  for (size_t i = 0; i < def->n_loop_exit_names; i++) add_prefix(&def->loop_exit_names[i], prefix, arena);
  for (size_t i = 0; i < def->n_loop_enter_names; i++) add_prefix(&def->loop_enter_names[i], prefix, arena);
  rename_values(def->values_def, prefix, arena);
  rename_nested(def->nested_contexts, def->n_nested_contexts, prefix, arena);
}

static void rename_branch(Tensorflow__CondContextDef *def, const char *prefix, sli_arena_t *arena) {
  char **names[] = {&def->context_name, &def->pred_name, &def->pivot_name};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++) add_prefix(names[i], prefix, arena);
  rename_values(def->values_def, prefix, arena);
  rename_nested(def->nested_contexts, def->n_nested_contexts, prefix, arena);
}

static void rename_nested(Tensorflow__ControlFlowContextDef **nested, size_t count, const char *prefix,
                          sli_arena_t *arena) {
  for (size_t i = 0; i < count; i++) {
    if (nested[i]->ctxt_case == TENSORFLOW__CONTROL_FLOW_CONTEXT_DEF__CTXT_WHILE_CTXT)
      rename_loop(nested[i]->while_ctxt, prefix, arena);
    if (nested[i]->ctxt_case == TENSORFLOW__CONTROL_FLOW_CONTEXT_DEF__CTXT_COND_CTXT)
      rename_branch(nested[i]->cond_ctxt, prefix, arena);
  }
}

static sli_status_t *rename_def(bool is_loop, sli_view_t bytes, const char *prefix, sli_string_t *out) {
  sli_arena_t arena = {0};
  void *message = NULL;
  sli_status_t *status =
      sli_proto_parse(is_loop ? &tensorflow__while_context_def__descriptor : &tensorflow__cond_context_def__descriptor,
                      bytes.data, bytes.size, &arena, &message);
  if (!status && is_loop) rename_loop(message, prefix, &arena);
  if (!status && !is_loop) rename_branch(message, prefix, &arena);
  if (!status) status = sli_proto_pack(message, out);
  sli_arena_deinitialize(&arena);
  return status;
}

static void destroy_def(void *object) {
  struct sli_flow_def *def = object;
  sli_string_deinitialize(&def->bytes);
  free(def);
}

sli_status_t *sli_flow_def_import(sl_scope_t *scope, const sli_meta_graph_collection_t *collection,
                                  const char *prefix) {
  for (size_t i = 0; i < collection->count; i++) {
    struct sli_flow_def *def = sli_calloc(1, sizeof(*def));
    def->is_loop = strcmp(collection->key, while_key) == 0;
    sli_scope_own(scope, def, destroy_def);
    SLI_RETURN_IF_ERROR(rename_def(def->is_loop, collection->items[i], prefix, &def->bytes));
    sli_array_push(&scope->imported_contexts, def);
  }
  return NULL;
}
