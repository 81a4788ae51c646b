// TF_Graph: a graph with a lock, and the sessions that use it.
#include <stdlib.h>
#include <unistd.h>

#include "capi/capi.h"
#include "graph/function/function_infer.h"
#include "proto/tensor.fields.h"
#include "proto/wire.h"

TF_Graph *TF_NewGraph(void) {
  TF_Graph *graph = sli_calloc(1, sizeof(*graph));
  sli_mutex_initialize(&graph->mutex);
  graph->graph = sli_graph_create();
  graph->graph->infer_call = sli_function_infer_call;
  return graph;
}

static void graph_destroy(TF_Graph *graph) {
  sli_graph_release(graph->graph);
  sli_array_deinitialize(&graph->sessions);
  sli_mutex_deinitialize(&graph->mutex);
  free(graph->loop_inputs);
  free(graph);
}

void TF_DeleteGraph(TF_Graph *graph) {
  if (!graph) return;
  sli_mutex_lock(&graph->mutex);
  graph->delete_requested = true;
  bool unused = graph->sessions.count == 0;
  sli_mutex_unlock(&graph->mutex);
  if (unused) graph_destroy(graph);
}

void sli_capi_graph_remove_session(TF_Graph *graph, TF_Session *session) {
  sli_mutex_lock(&graph->mutex);
  for (size_t i = 0; i < graph->sessions.count; i++) {
    if (graph->sessions.items[i] != session) continue;
    graph->sessions.items[i] = graph->sessions.items[--graph->sessions.count];
    break;
  }
  bool unused = graph->delete_requested && graph->sessions.count == 0;
  sli_mutex_unlock(&graph->mutex);
  if (unused) graph_destroy(graph);
}

// --- Checks ------------------------------------------------------------------

sli_status_t *sli_capi_check_operation(const TF_Graph *graph, const TF_Operation *operation) {
  const sli_node_t *node = sli_capi_node(operation);
  if (!node) return sli_status_make(SLI_INVALID_ARGUMENT, "The operation must not be NULL");
  if (node->graph == graph->graph) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Node %s was not found in the graph", node->def.name);
}

sli_status_t *sli_capi_check_output(const TF_Graph *graph, TF_Output output) {
  SLI_RETURN_IF_ERROR(sli_capi_check_operation(graph, output.oper));
  const sli_node_t *node = sli_capi_node(output.oper);
  if (output.index >= 0 && output.index < node->def.output_count) return NULL;
  return sli_status_make(SLI_OUT_OF_RANGE, "Node '%s' (type: '%s', num of outputs: %d) does not have output %d",
                         node->def.name, node->def.op->def->name, node->def.output_count, output.index);
}

sli_status_t *sli_capi_op_not_registered(sli_code_t code, const char *op, const char *tail) {
  char host[256] = "this task";
  if (gethostname(host, sizeof(host)) == 0) host[sizeof(host) - 1] = '\0';
  return sli_status_make(code,
                         "Op type not registered '%s' in binary running on %s. Make sure the Op and Kernel are "
                         "registered in the binary running in this process.%s",
                         op, host, tail);
}

// --- Shapes ------------------------------------------------------------------

void TF_GraphSetTensorShape(TF_Graph *graph, TF_Output output, const int64_t *dims, const int num_dims,
                            TF_Status *status) {
  sli_mutex_lock(&graph->mutex);
  sli_status_t *result = sli_capi_check_output(graph, output);
  if (!result && num_dims > SLI_MAX_RANK)
    result = sli_status_make(SLI_INVALID_ARGUMENT, "num_dims must be at most %d, got %d", SLI_MAX_RANK, num_dims);
  if (!result && num_dims >= 0) {
    // Every negative dimension is unknown, as in TensorFlow.
    int64_t known[SLI_MAX_RANK];
    for (int i = 0; i < num_dims; i++) known[i] = dims[i] < 0 ? -1 : dims[i];
    result = sli_graph_merge_shape(graph->graph, sli_capi_output(output), (sli_shape_t){num_dims, known});
  }
  sli_mutex_unlock(&graph->mutex);
  sli_capi_set_status(status, result);
}

int TF_GraphGetTensorNumDims(TF_Graph *graph, TF_Output output, TF_Status *status) {
  sli_mutex_lock(&graph->mutex);
  sli_status_t *result = sli_capi_check_output(graph, output);
  int rank = result ? -1 : sli_graph_output_shape(sli_capi_output(output)).rank;
  sli_mutex_unlock(&graph->mutex);
  sli_capi_set_status(status, result);
  return rank;
}

void TF_GraphGetTensorShape(TF_Graph *graph, TF_Output output, int64_t *dims, int num_dims, TF_Status *status) {
  sli_mutex_lock(&graph->mutex);
  sli_status_t *result = sli_capi_check_output(graph, output);
  if (!result) {
    sli_shape_t shape = sli_graph_output_shape(sli_capi_output(output));
    if (num_dims != shape.rank)
      result = sli_status_make(SLI_INVALID_ARGUMENT, "Expected rank is %d but actual rank is %d", num_dims, shape.rank);
    else if (num_dims > 0)
      memcpy(dims, shape.dims, (size_t)num_dims * sizeof(*dims));
  }
  sli_mutex_unlock(&graph->mutex);
  sli_capi_set_status(status, result);
}

// --- Lookups ----------------------------------------------------------

TF_Operation *TF_GraphOperationByName(TF_Graph *graph, const char *oper_name) {
  sli_mutex_lock(&graph->mutex);
  sli_node_t *node = sli_graph_find(graph->graph, sli_view(oper_name));
  sli_mutex_unlock(&graph->mutex);
  return sli_capi_operation(node);
}

TF_Operation *TF_GraphNextOperation(TF_Graph *graph, size_t *pos) {
  sli_mutex_lock(&graph->mutex);
  sli_node_t *node = *pos < graph->graph->nodes.count ? graph->graph->nodes.items[(*pos)++] : NULL;
  sli_mutex_unlock(&graph->mutex);
  return sli_capi_operation(node);
}

void TF_GraphToGraphDef(TF_Graph *graph, TF_Buffer *output_graph_def, TF_Status *status) {
  sli_string_t bytes = {0};
  sli_mutex_lock(&graph->mutex);
  sli_graph_export(graph->graph, &bytes);
  sli_mutex_unlock(&graph->mutex);
  sli_capi_set_status(status, sli_capi_buffer_fill(output_graph_def, &bytes));
}

void TF_GraphGetOpDef(TF_Graph *graph, const char *op_name, TF_Buffer *output_op_def, TF_Status *status) {
  sli_mutex_lock(&graph->mutex);
  sli_graph_functions_t *functions = sli_graph_functions_retain(graph->graph->functions);
  sli_mutex_unlock(&graph->mutex);
  const sli_graph_function_t *function = sli_graph_functions_find(functions, sli_view(op_name));
  const sli_op_t *op = function ? function->op : sli_op_find(sli_view(op_name));
  if (op) {
    sli_string_t bytes = {0};
    sli_op_encode(op, &bytes);
    sli_capi_set_status(status, sli_capi_buffer_fill(output_op_def, &bytes));
  } else {
    sli_capi_set_status(status, sli_capi_op_not_registered(SLI_NOT_FOUND, op_name, ""));
  }
  sli_graph_functions_release(functions);
}

void TF_GraphVersions(TF_Graph *graph, TF_Buffer *output_version_def, TF_Status *status) {
  sli_string_t bytes = {0};
  sli_mutex_lock(&graph->mutex);
  if (graph->graph->producer) sli_wire_write_int(&bytes, SLI_FIELD_VERSION_DEF_PRODUCER, graph->graph->producer);
  if (graph->graph->min_consumer)
    sli_wire_write_int(&bytes, SLI_FIELD_VERSION_DEF_MIN_CONSUMER, graph->graph->min_consumer);
  sli_mutex_unlock(&graph->mutex);
  sli_capi_set_status(status, sli_capi_buffer_fill(output_version_def, &bytes));
}

unsigned char TF_TryEvaluateConstant(TF_Graph *graph, TF_Output output, TF_Tensor **result, TF_Status *status) {
  *result = NULL;
  sli_tensor_t *value = NULL;
  sli_mutex_lock(&graph->mutex);
  sli_status_t *wrong = sli_capi_check_output(graph, output);
  if (!wrong) value = sli_graph_constant_value(sli_capi_output(output));
  sli_mutex_unlock(&graph->mutex);
  sli_capi_set_status(status, wrong);
  if (value) *result = sli_capi_tensor_wrap(value);
  return value != NULL;
}

// --- Changing what exists ----------------------------------------------------

static sli_status_t *update_edge_locked(TF_Graph *graph, TF_Output source, TF_Input destination) {
  SLI_RETURN_IF_ERROR(sli_capi_check_operation(graph, source.oper));
  SLI_RETURN_IF_ERROR(sli_capi_check_operation(graph, destination.oper));
  const sli_node_t *from = sli_capi_node(source.oper);
  sli_node_t *to = sli_capi_node(destination.oper);
  if (source.index < 0 || source.index >= from->def.output_count)
    return sli_status_make(SLI_OUT_OF_RANGE,
                           "Cannot update edge. Output index [%d] is greater than the number of total outputs [%d].",
                           source.index, from->def.output_count);
  if (destination.index < 0 || destination.index >= to->def.input_count)
    return sli_status_make(SLI_OUT_OF_RANGE,
                           "Cannot update edge. Input index [%d] is greater than the number of total inputs [%d].",
                           destination.index, to->def.input_count);
  sli_shape_t old = sli_graph_output_shape(to->inputs[destination.index]),
              new = sli_graph_output_shape(sli_capi_output(source));
  if (!sli_shape_is_compatible(old, new)) {
    char *new_text = sli_shape_to_text(new), *old_text = sli_shape_to_text(old);
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Cannot update edge, incompatible shapes: %s and %s.",
                                           new_text, old_text);
    free(new_text);
    free(old_text);
    return status;
  }
  SLI_RETURN_IF_ERROR(sli_graph_set_input(to, destination.index, sli_capi_output(source)));
  sli_capi_record_mutation_locked(graph, to, "updating input tensor");
  return NULL;
}

void TF_UpdateEdge(TF_Graph *graph, TF_Output new_src, TF_Input dst, TF_Status *status) {
  sli_mutex_lock(&graph->mutex);
  sli_status_t *result = update_edge_locked(graph, new_src, dst);
  sli_mutex_unlock(&graph->mutex);
  sli_capi_set_status(status, result);
}

void TF_AddOperationControlInput(TF_Graph *graph, TF_Operation *op, TF_Operation *input) {
  sli_mutex_lock(&graph->mutex);
  sli_graph_add_control_edge(sli_capi_node(input), sli_capi_node(op));
  sli_capi_record_mutation_locked(graph, sli_capi_node(op), "adding control input");
  sli_mutex_unlock(&graph->mutex);
}

void TF_SetAttr(TF_Graph *graph, TF_Operation *op, const char *attr_name, TF_Buffer *attr_value_proto,
                TF_Status *status) {
  sli_arena_t arena = {0};
  sli_attr_t value;
  sli_status_t *result = sli_attr_decode(sli_capi_buffer_view(attr_value_proto), &arena, &value);
  if (!result) {
    sli_mutex_lock(&graph->mutex);
    sli_graph_set_attr(sli_capi_node(op), attr_name, &value);
    sli_capi_record_mutation_locked(graph, sli_capi_node(op), "setting attribute");
    sli_mutex_unlock(&graph->mutex);
    sli_attr_release_tensors(&value);
  }
  sli_arena_deinitialize(&arena);
  sli_capi_set_status(status, result);
}

void TF_SetRequestedDevice(TF_Graph *graph, TF_Operation *op, const char *device) {
  sli_mutex_lock(&graph->mutex);
  sli_graph_set_device(sli_capi_node(op), device);
  sli_capi_record_mutation_locked(graph, sli_capi_node(op), "setting device");
  sli_mutex_unlock(&graph->mutex);
}
