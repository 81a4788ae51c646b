// Looking at an operation: names, inputs, outputs, neighbours.
#include "capi/capi.h"
#include "sluice/node.h"

const char *TF_OperationName(TF_Operation *oper) { return sli_capi_node(oper)->def.name; }
const char *TF_OperationOpType(TF_Operation *oper) { return sli_capi_node(oper)->def.op->def->name; }
const char *TF_OperationDevice(TF_Operation *oper) { return sli_capi_node(oper)->def.device; }

int TF_OperationNumOutputs(TF_Operation *oper) { return sli_capi_node(oper)->def.output_count; }
int TF_OperationNumInputs(TF_Operation *oper) { return sli_capi_node(oper)->def.input_count; }

TF_DataType TF_OperationOutputType(TF_Output oper_out) {
  const sli_node_def_t *def = &sli_capi_node(oper_out.oper)->def;
  return (TF_DataType)(oper_out.index >= 0 && oper_out.index < def->output_count ? def->output_types[oper_out.index]
                                                                                 : SLI_DTYPE_INVALID);
}

TF_DataType TF_OperationInputType(TF_Input oper_in) {
  const sli_node_def_t *def = &sli_capi_node(oper_in.oper)->def;
  return (TF_DataType)(oper_in.index >= 0 && oper_in.index < def->input_count ? def->input_types[oper_in.index]
                                                                              : SLI_DTYPE_INVALID);
}

typedef sli_status_t *(*range_fn_t)(const sli_node_def_t *node, const char *arg, int *out_first, int *out_count);

static int list_length(TF_Operation *oper, range_fn_t range, const char *what, const char *arg_name,
                       TF_Status *status) {
  int first = 0, count = -1;
  sli_status_t *result = range(&sli_capi_node(oper)->def, arg_name, &first, &count);
  if (result) {
    sli_status_release(result);
    result = sli_status_make(SLI_INVALID_ARGUMENT, "%s arg '%s' not found", what, arg_name);
  }
  sli_capi_set_status(status, result);
  return count;
}

int TF_OperationOutputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status) {
  return list_length(oper, sli_node_output_range, "Output", arg_name, status);
}

int TF_OperationInputListLength(TF_Operation *oper, const char *arg_name, TF_Status *status) {
  return list_length(oper, sli_node_input_range, "Input", arg_name, status);
}

TF_Output TF_OperationInput(TF_Input oper_in) {
  const sli_node_t *node = sli_capi_node(oper_in.oper);
  if (oper_in.index < 0 || oper_in.index >= node->def.input_count) return (TF_Output){NULL, -1};
  return sli_capi_tf_output(node->inputs[oper_in.index]);
}

void TF_OperationAllInputs(TF_Operation *oper, TF_Output *inputs, int max_inputs) {
  const sli_node_t *node = sli_capi_node(oper);
  for (int i = 0; i < node->def.input_count && i < max_inputs; i++) inputs[i] = sli_capi_tf_output(node->inputs[i]);
}

// --- Neighbours --------------------------------------------------------------

// Visits the out-edges of output |index| (-1: control edges); fills at most |capacity| entries, returns their number.
static int consumers(const sli_node_t *node, int index, TF_Input *inputs, TF_Operation **operations, int capacity) {
  int count = 0;
  for (size_t i = 0; i < node->out_edges.count && count < capacity; i++) {
    const sli_graph_edge_t *edge = &node->out_edges.items[i];
    if (edge->output != index) continue;
    if (inputs) inputs[count] = (TF_Input){sli_capi_operation(edge->consumer), edge->index};
    if (operations) operations[count] = sli_capi_operation(edge->consumer);
    count++;
  }
  return count;
}

int TF_OperationOutputNumConsumers(TF_Output oper_out) {
  return oper_out.index < 0 ? 0 : consumers(sli_capi_node(oper_out.oper), oper_out.index, NULL, NULL, INT32_MAX);
}

int TF_OperationOutputConsumers(TF_Output oper_out, TF_Input *consumed, int max_consumers) {
  return oper_out.index < 0 ? 0
                            : consumers(sli_capi_node(oper_out.oper), oper_out.index, consumed, NULL, max_consumers);
}

int TF_OperationNumControlInputs(TF_Operation *oper) { return sli_capi_node(oper)->control_input_count; }

int TF_OperationGetControlInputs(TF_Operation *oper, TF_Operation **control_inputs, int max_control_inputs) {
  const sli_node_t *node = sli_capi_node(oper);
  int count = 0;
  for (; count < node->control_input_count && count < max_control_inputs; count++)
    control_inputs[count] = sli_capi_operation(node->control_inputs[count]);
  return count;
}

int TF_OperationNumControlOutputs(TF_Operation *oper) {
  return consumers(sli_capi_node(oper), -1, NULL, NULL, INT32_MAX);
}

int TF_OperationGetControlOutputs(TF_Operation *oper, TF_Operation **control_outputs, int max_control_outputs) {
  return consumers(sli_capi_node(oper), -1, NULL, control_outputs, max_control_outputs);
}

void TF_OperationToNodeDef(TF_Operation *oper, TF_Buffer *output_node_def, TF_Status *status) {
  sli_string_t bytes = {0};
  sli_graph_node_export(sli_capi_node(oper), &bytes);
  sli_capi_set_status(status, sli_capi_buffer_fill(output_node_def, &bytes));
}

bool sl_outlives_step(TF_Output output) { return sli_graph_outputs_are_kept(sli_capi_node(output.oper)); }
