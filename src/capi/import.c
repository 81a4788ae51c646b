// Importing GraphDefs.
#include <stdlib.h>

#include "capi/capi.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

typedef struct {
  char *source;
  int source_index;  // -1: control
  TF_Output destination;
} mapping_t;

struct TF_ImportGraphDefOptions {
  char *prefix, *default_device;
  bool uniquify_names, uniquify_prefix;
  SLI_ARRAY(mapping_t) mappings;
  SLI_ARRAY(TF_Operation *) control_dependencies;
  SLI_ARRAY(char *) return_outputs;  // "name:0"
  SLI_ARRAY(char *) return_operations;
};

struct TF_ImportGraphDefResults {
  TF_Output *outputs;
  TF_Operation **operations;
  const char **missing_names;
  int *missing_indexes;
  int output_count, operation_count, missing_count;
};

// --- Options -----------------------------------------------------------------

TF_ImportGraphDefOptions *TF_NewImportGraphDefOptions(void) { return sli_calloc(1, sizeof(TF_ImportGraphDefOptions)); }

void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions *opts) {
  if (!opts) return;
  for (size_t i = 0; i < opts->mappings.count; i++) free(opts->mappings.items[i].source);
  for (size_t i = 0; i < opts->return_outputs.count; i++) free(opts->return_outputs.items[i]);
  for (size_t i = 0; i < opts->return_operations.count; i++) free(opts->return_operations.items[i]);
  sli_array_deinitialize(&opts->mappings);
  sli_array_deinitialize(&opts->control_dependencies);
  sli_array_deinitialize(&opts->return_outputs);
  sli_array_deinitialize(&opts->return_operations);
  free(opts->prefix);
  free(opts->default_device);
  free(opts);
}

void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions *opts, const char *prefix) {
  free(opts->prefix);
  opts->prefix = sli_strdup(prefix);
}

void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions *opts, const char *device) {
  free(opts->default_device);
  opts->default_device = sli_strdup(device);
}

void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions *opts, unsigned char uniquify_names) {
  opts->uniquify_names = uniquify_names != 0;
}

void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions *opts, unsigned char uniquify_prefix) {
  opts->uniquify_prefix = uniquify_prefix != 0;
}

// Of two mappings of the same source the last counts.
static void add_mapping(TF_ImportGraphDefOptions *opts, const char *source, int index, TF_Output destination) {
  for (size_t i = 0; i < opts->mappings.count; i++) {
    mapping_t *mapping = &opts->mappings.items[i];
    if (mapping->source_index != index || strcmp(mapping->source, source) != 0) continue;
    mapping->destination = destination;
    return;
  }
  sli_array_push(&opts->mappings, (mapping_t){sli_strdup(source), index, destination});
}

void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions *opts, const char *src_name, int src_index,
                                             TF_Output dst) {
  add_mapping(opts, src_name, src_index, dst);
}

void TF_ImportGraphDefOptionsRemapControlDependency(TF_ImportGraphDefOptions *opts, const char *src_name,
                                                    TF_Operation *dst) {
  add_mapping(opts, src_name, -1, (TF_Output){dst, -1});
}

void TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions *opts, TF_Operation *oper) {
  sli_array_push(&opts->control_dependencies, oper);
}

void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions *opts, const char *oper_name, int index) {
  sli_array_push(&opts->return_outputs, sli_format("%s:%d", oper_name, index));
}

int TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions *opts) {
  return (int)opts->return_outputs.count;
}

void TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions *opts, const char *oper_name) {
  sli_array_push(&opts->return_operations, sli_strdup(oper_name));
}

int TF_ImportGraphDefOptionsNumReturnOperations(const TF_ImportGraphDefOptions *opts) {
  return (int)opts->return_operations.count;
}

// --- Importing ---------------------------------------------------------------

static sli_status_t *check_options(const TF_Graph *graph, const TF_ImportGraphDefOptions *opts) {
  for (size_t i = 0; i < opts->mappings.count; i++) {
    const mapping_t *mapping = &opts->mappings.items[i];
    SLI_RETURN_IF_ERROR(mapping->source_index < 0 ? sli_capi_check_operation(graph, mapping->destination.oper)
                                                  : sli_capi_check_output(graph, mapping->destination));
  }
  for (size_t i = 0; i < opts->control_dependencies.count; i++)
    SLI_RETURN_IF_ERROR(sli_capi_check_operation(graph, opts->control_dependencies.items[i]));
  return NULL;
}

static sli_view_t *views_of(char *const *texts, size_t count) {
  sli_view_t *views = sli_calloc(count, sizeof(*views));
  for (size_t i = 0; i < count; i++) views[i] = sli_view(texts[i]);
  return views;
}

static sli_status_t *import_locked(TF_Graph *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *opts,
                                   sli_import_results_t *results) {
  SLI_RETURN_IF_ERROR(check_options(graph, opts));
  sli_import_mapping_t *mappings = sli_calloc(opts->mappings.count, sizeof(*mappings));
  for (size_t i = 0; i < opts->mappings.count; i++) {
    const mapping_t *mapping = &opts->mappings.items[i];
    mappings[i] =
        (sli_import_mapping_t){sli_view(mapping->source), mapping->source_index, sli_capi_output(mapping->destination)};
  }
  sli_view_t *outputs = views_of(opts->return_outputs.items, opts->return_outputs.count);
  sli_view_t *operations = views_of(opts->return_operations.items, opts->return_operations.count);
  sli_import_options_t options = {
      .prefix = opts->prefix,
      .uniquify_names = opts->uniquify_names,
      .uniquify_prefix = opts->uniquify_prefix,
      .mappings = mappings,
      .mapping_count = opts->mappings.count,
      .control_dependencies = (sli_node_t *const *)opts->control_dependencies.items,
      .control_dependency_count = opts->control_dependencies.count,
      .default_device = opts->default_device,
      .return_outputs = outputs,
      .return_output_count = opts->return_outputs.count,
      .return_nodes = operations,
      .return_node_count = opts->return_operations.count,
  };
  sli_status_t *status = sli_graph_import(graph->graph, sli_capi_buffer_view(graph_def), &options, results);
  if (!status)
    sli_capi_graph_changed_locked(graph);
  else if (sli_string_starts_with(sli_status_message(status), "Could not parse"))
    status = sli_status_prefix(status, "Invalid GraphDef: ");
  free(mappings);
  free(outputs);
  free(operations);
  return status;
}

// --- Results -----------------------------------------------------------------

// The number of outputs of an op if every argument is one tensor; else no limit.
static int most_outputs(sli_view_t op_name) {
  const sli_op_t *op = sli_op_find(op_name);
  for (int i = 0; op && i < op->output_count; i++)
    if (op->outputs[i].number_attr || op->outputs[i].type_list_attr) return INT32_MAX;
  return op ? op->output_count : INT32_MAX;
}

// Whether the imported GraphDef has the output that |mapping| names.
static bool source_exists(const TF_Buffer *graph_def, const sli_import_mapping_t *mapping) {
  sli_wire_reader_t graph = sli_wire_reader(sli_capi_buffer_view(graph_def));
  for (sli_wire_field_t node; sli_wire_next(&graph, &node);) {
    if (node.number != SLI_FIELD_GRAPH_DEF_NODE || node.type != SLI_WIRE_BYTES) continue;
    sli_view_t name = {0}, op = {0};
    sli_wire_reader_t reader = sli_wire_reader(node.bytes);
    for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
      if (field.number == SLI_FIELD_NODE_DEF_NAME) name = field.bytes;
      if (field.number == SLI_FIELD_NODE_DEF_OP) op = field.bytes;
    }
    if (sli_view_equal(name, mapping->source)) return mapping->source_index < most_outputs(op);
  }
  return false;
}

static TF_ImportGraphDefResults *make_results(const TF_Buffer *graph_def, const sli_import_results_t *found) {
  TF_ImportGraphDefResults *results = sli_calloc(1, sizeof(*results));
  results->output_count = (int)found->outputs.count;
  results->outputs = sli_calloc(found->outputs.count, sizeof(*results->outputs));
  for (size_t i = 0; i < found->outputs.count; i++) results->outputs[i] = sli_capi_tf_output(found->outputs.items[i]);
  results->operation_count = (int)found->nodes.count;
  results->operations = sli_calloc(found->nodes.count, sizeof(*results->operations));
  for (size_t i = 0; i < found->nodes.count; i++) results->operations[i] = sli_capi_operation(found->nodes.items[i]);
  results->missing_names = sli_calloc(found->unused_mappings.count, sizeof(*results->missing_names));
  results->missing_indexes = sli_calloc(found->unused_mappings.count, sizeof(*results->missing_indexes));
  for (size_t i = 0; i < found->unused_mappings.count; i++) {
    const sli_import_mapping_t *mapping = &found->unused_mappings.items[i];
    if (source_exists(graph_def, mapping)) continue;
    results->missing_names[results->missing_count] = sli_strndup(mapping->source.data, mapping->source.size);
    results->missing_indexes[results->missing_count++] = mapping->source_index;
  }
  return results;
}

static TF_ImportGraphDefResults *import(TF_Graph *graph, const TF_Buffer *graph_def,
                                        const TF_ImportGraphDefOptions *options, TF_Status *status) {
  sli_import_results_t found = {0};
  sli_mutex_lock(&graph->mutex);
  sli_status_t *result = import_locked(graph, graph_def, options, &found);
  sli_mutex_unlock(&graph->mutex);
  TF_ImportGraphDefResults *results = result ? NULL : make_results(graph_def, &found);
  sli_import_results_deinitialize(&found);
  sli_capi_set_status(status, result);
  return results;
}

void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults *results, int *num_outputs, TF_Output **outputs) {
  *num_outputs = results->output_count;
  *outputs = results->outputs;
}

void TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults *results, int *num_opers,
                                              TF_Operation ***opers) {
  *num_opers = results->operation_count;
  *opers = results->operations;
}

void TF_ImportGraphDefResultsMissingUnusedInputMappings(TF_ImportGraphDefResults *results,
                                                        int *num_missing_unused_input_mappings, const char ***src_names,
                                                        int **src_indexes) {
  *num_missing_unused_input_mappings = results->missing_count;
  *src_names = results->missing_names;
  *src_indexes = results->missing_indexes;
}

void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults *results) {
  if (!results) return;
  for (int i = 0; i < results->missing_count; i++) free((char *)results->missing_names[i]);
  free(results->missing_names);
  free(results->missing_indexes);
  free(results->outputs);
  free(results->operations);
  free(results);
}

TF_ImportGraphDefResults *TF_GraphImportGraphDefWithResults(TF_Graph *graph, const TF_Buffer *graph_def,
                                                            const TF_ImportGraphDefOptions *options,
                                                            TF_Status *status) {
  return import(graph, graph_def, options, status);
}

void TF_GraphImportGraphDefWithReturnOutputs(TF_Graph *graph, const TF_Buffer *graph_def,
                                             const TF_ImportGraphDefOptions *options, TF_Output *return_outputs,
                                             int num_return_outputs, TF_Status *status) {
  if (num_return_outputs != (int)options->return_outputs.count) {
    sli_capi_set_status(status, sli_status_make(SLI_INVALID_ARGUMENT, "Expected 'num_return_outputs' to be %zu, got %d",
                                                options->return_outputs.count, num_return_outputs));
    return;
  }
  if (num_return_outputs > 0 && !return_outputs) {
    sli_capi_set_status(status,
                        sli_status_make(SLI_INVALID_ARGUMENT, "'return_outputs' must be preallocated to length %d",
                                        num_return_outputs));
    return;
  }
  TF_ImportGraphDefResults *results = import(graph, graph_def, options, status);
  if (results && num_return_outputs)
    memcpy(return_outputs, results->outputs, (size_t)num_return_outputs * sizeof(*return_outputs));
  TF_DeleteImportGraphDefResults(results);
}

void TF_GraphImportGraphDef(TF_Graph *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options,
                            TF_Status *status) {
  TF_DeleteImportGraphDefResults(import(graph, graph_def, options, status));
}
