// A node that is being built. Inputs are recorded until the node is finished,
// because the control inputs depend on them.
#include "sluice/node.h"

#include <stdlib.h>

#include "proto/graph.fields.h"
#include "proto/wire.h"
#include "train/common/device_spec.h"
#include "train/common/tf_tensor.h"
#include "train/graph/flow.h"
#include "train/graph/scope.h"

struct sl_node {
  sl_scope_t *scope;
  char *op, *name;
  TF_OperationDescription *description;  // NULL when the scope has an error
  sli_operations_t inputs;               // of data
  sli_operations_t controls;
  sli_flow_t *flow;  // the loop or branch it is built in
  bool bound;        // an input belongs to the current iteration or branch
  sl_shape_t shape;  // with |dtype|: the attributes "shape" and "dtype", for the size of a variable
  TF_DataType dtype;
};

// The node names that TensorFlow accepts.
static bool is_valid_name(const char *name) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.";
  if (!name[0] || !strchr(letters, name[0])) return false;
  for (const char *letter = name; *letter; letter++)
    if (!strchr(letters, *letter) && !strchr("_\\-/>", *letter)) return false;
  return true;
}

sl_node_t *sl_node_begin(sl_scope_t *scope, const char *op, const char *name) {
  sl_node_t *node = sli_calloc(1, sizeof(*node));
  node->scope = scope;
  node->flow = sli_flow_current(scope);
  node->op = sli_strdup(op);
  node->shape = SL_UNKNOWN_SHAPE;
  const char *wanted = name && name[0] ? name : op;
  size_t length = strlen(wanted);
  node->name = wanted[length - 1] == '/' ? sli_strndup(wanted, length - 1) : sli_scope_unique_name(scope, wanted);
  if (scope->final)
    sl_scope_fail(scope, TF_FAILED_PRECONDITION,
                  "Graph is finalized and cannot be modified: '%s' (%s) was built after the session was opened",
                  node->name, op);
  if (!is_valid_name(node->name))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "'%s' is not a valid node name", node->name);
  if (sli_scope_ok(scope)) node->description = TF_NewOperation(scope->graph, op, node->name);
  return node;
}

// Enters and Switches that capture values for loops and branches are built outside of the context.
static bool captures(const sl_node_t *node) {
  return !node->flow && (sli_string_ends_with(node->op, "Enter") || sli_string_ends_with(node->op, "Switch"));
}

// The value that represents |input| in the context of the node. As in Python, the nodes that capture it are named below
// the node.
static TF_Output capture_input(sl_node_t *node, TF_Output input) {
  if (node->scope->body) input = sli_scope_capture(node->scope, input);
  if (!input.oper) return input;
  sli_array_push(&node->inputs, input.oper);
  if (!captures(node) && !sli_flow_check_use(node->scope, node->flow, input, node->name)) return input;
  TF_Output captured = input;
  if (node->flow) {
    SL_NAME_SCOPE (node->scope, "%s/", node->name) {
      captured = sli_flow_capture_value(node->scope, node->flow, input);
    }
    node->bound |= captured.oper && !sli_flow_is_loop_invariant(captured.oper);
  }
  return captured;
}

void sl_node_input(sl_node_t *node, TF_Output input) {
  if (!input.oper)
    sl_scope_fail(node->scope, TF_INVALID_ARGUMENT, "input %zu of '%s' (%s) is empty", node->inputs.count, node->name,
                  node->op);
  if (!input.oper) return;
  TF_Output captured = capture_input(node, input);
  if (node->description && captured.oper) TF_AddInput(node->description, captured);
}

void sl_node_input_list(sl_node_t *node, const TF_Output *inputs, size_t count) {
  TF_Output *captured = sli_calloc(count, sizeof(*captured));
  bool complete = true;
  for (size_t i = 0; i < count && complete; i++) {
    complete = inputs[i].oper != NULL;
    if (!complete)
      sl_scope_fail(node->scope, TF_INVALID_ARGUMENT, "input %zu of '%s' (%s) is empty", i, node->name, node->op);
    if (complete) captured[i] = capture_input(node, inputs[i]);
    complete &= captured[i].oper != NULL;
  }
  if (node->description && complete) TF_AddInputList(node->description, captured, (int)count);
  free(captured);
}

void sl_node_control_input(sl_node_t *node, TF_Operation *operation) {
  if (operation) sli_array_push(&node->controls, operation);
}

void sl_node_attr_type(sl_node_t *node, const char *attr, TF_DataType value) {
  if (strcmp(attr, "dtype") == 0) node->dtype = value;
  if (node->description) TF_SetAttrType(node->description, attr, value);
}
void sl_node_attr_type_list(sl_node_t *node, const char *attr, const TF_DataType *values, size_t count) {
  if (node->description) TF_SetAttrTypeList(node->description, attr, values, (int)count);
}
void sl_node_attr_int(sl_node_t *node, const char *attr, int64_t value) {
  if (node->description) TF_SetAttrInt(node->description, attr, value);
}
void sl_node_attr_int_list(sl_node_t *node, const char *attr, const int64_t *values, size_t count) {
  if (node->description) TF_SetAttrIntList(node->description, attr, values, (int)count);
}
void sl_node_attr_float(sl_node_t *node, const char *attr, float value) {
  if (node->description) TF_SetAttrFloat(node->description, attr, value);
}
void sl_node_attr_float_list(sl_node_t *node, const char *attr, const float *values, size_t count) {
  if (node->description) TF_SetAttrFloatList(node->description, attr, values, (int)count);
}
void sl_node_attr_bool(sl_node_t *node, const char *attr, bool value) {
  if (node->description) TF_SetAttrBool(node->description, attr, value);
}
void sl_node_attr_text(sl_node_t *node, const char *attr, const char *value) {
  if (node->description) TF_SetAttrString(node->description, attr, value, strlen(value));
}
void sl_node_attr_text_list(sl_node_t *node, const char *attr, const char *const *values, size_t count) {
  if (!node->description) return;
  size_t *lengths = sli_calloc(count, sizeof(*lengths));
  for (size_t i = 0; i < count; i++) lengths[i] = strlen(values[i]);
  TF_SetAttrStringList(node->description, attr, (const void *const *)values, lengths, (int)count);
  free(lengths);
}
void sl_node_attr_shape(sl_node_t *node, const char *attr, sl_shape_t value) {
  if (strcmp(attr, "shape") == 0) node->shape = value;
  if (node->description) TF_SetAttrShape(node->description, attr, value.rank < 0 ? NULL : value.dims, value.rank);
}
void sl_node_attr_shape_list(sl_node_t *node, const char *attr, const sl_shape_t *values, size_t count) {
  if (!node->description) return;
  const int64_t **dims = sli_calloc(count, sizeof(*dims));
  int *ranks = sli_calloc(count, sizeof(*ranks));
  for (size_t i = 0; i < count; i++) {
    dims[i] = values[i].dims;
    ranks[i] = values[i].rank;
  }
  TF_SetAttrShapeList(node->description, attr, dims, ranks, (int)count);
  free(dims);
  free(ranks);
}
void sl_node_attr_function(sl_node_t *node, const char *attr, const char *name) {
  if (node->description) TF_SetAttrFuncName(node->description, attr, name, strlen(name));
}
void sl_node_attr_function_list(sl_node_t *node, const char *attr, const char *const *names, size_t count) {
  if (!node->description) return;
  sli_string_t bytes = {0};
  size_t list = sli_wire_open(&bytes, SLI_FIELD_ATTR_VALUE_LIST);
  for (size_t i = 0; i < count; i++) {
    size_t function = sli_wire_open(&bytes, SLI_FIELD_ATTR_VALUE_LIST_VALUE_FUNC);
    sli_wire_write_text(&bytes, SLI_FIELD_NAME_ATTR_LIST_NAME, names[i]);
    sli_wire_close(&bytes, function);
  }
  sli_wire_close(&bytes, list);
  TF_Status *status = TF_NewStatus();
  TF_SetAttrValueProto(node->description, attr, bytes.data, bytes.size, status);
  sli_scope_check_tf(node->scope, status, node->name);
  sli_string_deinitialize(&bytes);
}
void sl_node_attr_tensor(sl_node_t *node, const char *attr, TF_Tensor *value) {
  if (!node->description) return;
  TF_Status *status = TF_NewStatus();
  TF_SetAttrTensor(node->description, attr, value, status);
  sli_scope_check_tf(node->scope, status, node->name);
}

static void set_device(sl_node_t *node) {
  char device[SLI_DEVICE_SPEC_SIZE];
  int64_t bytes = node->dtype ? sli_tf_shape_bytes(node->shape, node->dtype) : -1;
  sli_scope_choose_device(node->scope, node->op, node->name, bytes, device, sizeof(device));
  if (device[0]) TF_SetDevice(node->description, device);
  char *group = sli_scope_colocation_group(node->scope);
  size_t length = strlen(group);
  if (length) TF_SetAttrStringList(node->description, "_class", (const void *[]){group}, &length, 1);
  free(group);
}

static void adapt_controls(sl_node_t *node) {
  if (!node->flow) return;
  // Python builds all nodes but constants in their own name scope.
  char *below = sli_format("%s/", strcmp(node->op, "Const") == 0 ? sli_scope_prefix(node->scope) : node->name);
  SL_NAME_SCOPE (node->scope, "%s", below) {
    sli_flow_adapt_controls(node->scope, node->flow, node->inputs.count > 0, node->bound, &node->controls);
  }
  free(below);
}

TF_Operation *sl_node_finish(sl_node_t *node) {
  sl_scope_t *scope = node->scope;
  TF_Operation *operation = NULL;
  if (node->description) {
    set_device(node);
    sli_scope_control_inputs(scope, &node->inputs, &node->controls);
    adapt_controls(node);
    for (size_t i = 0; i < node->controls.count; i++) TF_AddControlInput(node->description, node->controls.items[i]);
    TF_Status *status = TF_NewStatus();
    operation = TF_FinishOperation(node->description, status);
    if (!sli_scope_check_tf(scope, status, node->name) || !sli_scope_ok(scope)) operation = NULL;
    if (operation) sli_flow_add_operation(scope, node->flow, operation);
    if (operation) sli_scope_note_operation(scope, operation);
  }
  sli_array_deinitialize(&node->inputs);
  sli_array_deinitialize(&node->controls);
  free(node->op);
  free(node->name);
  free(node);
  return operation;
}

TF_Output sl_node_output(sl_node_t *node) { return (TF_Output){sl_node_finish(node), 0}; }

TF_DataType sl_dtype(TF_Output output) {
  if (!output.oper) return (TF_DataType)0;
  int dtype = (int)TF_OperationOutputType(output);
  return (TF_DataType)(dtype > SLI_TF_REFERENCE_TYPE ? dtype - SLI_TF_REFERENCE_TYPE : dtype);
}

sl_shape_t sl_static_shape(sl_scope_t *scope, TF_Output output) {
  sl_shape_t shape = SL_UNKNOWN_SHAPE;
  if (!output.oper) return shape;
  TF_Status *status = TF_NewStatus();
  int rank = TF_GraphGetTensorNumDims(scope->graph, output, status);
  if (TF_GetCode(status) == TF_OK && rank >= 0 && rank <= SL_MAX_RANK) {
    shape.rank = rank;
    TF_GraphGetTensorShape(scope->graph, output, shape.dims, rank, status);
    if (TF_GetCode(status) != TF_OK) shape.rank = -1;
  }
  TF_DeleteStatus(status);
  return shape;
}
