// A node under construction: inputs are remembered until the end, because the
// control dependencies of the scope depend on them.
#include "sluice/node.h"

#include <stdlib.h>

#include "train/device_spec.h"
#include "train/flow_internal.h"
#include "train/scope_internal.h"
#include "train/tensor.h"

struct sl_node {
  sl_scope_t *scope;
  char *op, *name;
  TF_OperationDescription *description;  // NULL when the scope has an error
  sli_operations_t inputs;               // that it takes values from
  sli_operations_t controls;
  sli_flow_t *flow;  // the loop or branch it is built in
  bool bound;        // an input is one of the flow's own, not only of all turns
  sl_shape_t shape;  // of the attributes "shape" and "dtype", which make a variable's size
  TF_DataType dtype;
};

// Graph names: what TensorFlow accepts, with its text.
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

// Enters and Switches that take values into loops and branches are built outside of all.
static bool brings_in(const sl_node_t *node) {
  return !node->flow && (sli_ends_with(node->op, "Enter") || sli_ends_with(node->op, "Switch"));
}

// What stands for |input| where the node is; the nodes that bring it there are named below it, as in Python.
static TF_Output take(sl_node_t *node, TF_Output input) {
  sli_array_push(&node->inputs, input.oper);
  if (!brings_in(node) && !sli_flow_check_use(node->scope, node->flow, input, node->name)) return input;
  TF_Output own = input;
  if (node->flow) {
    SL_NAME_SCOPE (node->scope, "%s/", node->name) {
      own = sli_flow_bring(node->scope, node->flow, input);
    }
    node->bound |= own.oper && !sli_flow_is_invariant(own.oper);
  }
  return own;
}

void sl_node_input(sl_node_t *node, TF_Output input) {
  if (!input.oper)
    sl_scope_fail(node->scope, TF_INVALID_ARGUMENT, "input %zu of '%s' (%s) is empty", node->inputs.count, node->name,
                  node->op);
  if (!input.oper) return;
  TF_Output own = take(node, input);
  if (node->description && own.oper) TF_AddInput(node->description, own);
}

void sl_node_input_list(sl_node_t *node, const TF_Output *inputs, size_t count) {
  TF_Output *own = sli_calloc(count, sizeof(*own));
  bool complete = true;
  for (size_t i = 0; i < count && complete; i++) {
    complete = inputs[i].oper != NULL;
    if (!complete)
      sl_scope_fail(node->scope, TF_INVALID_ARGUMENT, "input %zu of '%s' (%s) is empty", i, node->name, node->op);
    if (complete) own[i] = take(node, inputs[i]);
    complete &= own[i].oper != NULL;
  }
  if (node->description && complete) TF_AddInputList(node->description, own, (int)count);
  free(own);
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
void sl_node_attr_tensor(sl_node_t *node, const char *attr, TF_Tensor *value) {
  if (!node->description) return;
  TF_Status *status = TF_NewStatus();
  TF_SetAttrTensor(node->description, attr, value, status);
  sli_scope_check_tf(node->scope, status, node->name);
}

static void set_place(sl_node_t *node) {
  char device[SLI_DEVICE_NAME_SIZE];
  int64_t bytes = node->dtype ? sli_shape_bytes(node->shape, node->dtype) : -1;
  sli_scope_choose_device(node->scope, node->op, node->name, bytes, device, sizeof(device));
  if (device[0]) TF_SetDevice(node->description, device);
  char *group = sli_scope_colocation(node->scope);
  size_t length = strlen(group);
  if (length) TF_SetAttrStringList(node->description, "_class", (const void *[]){group}, &length, 1);
  free(group);
}

static void adapt_controls(sl_node_t *node) {
  if (!node->flow) return;
  // Python makes all nodes but constants inside a name scope of their own.
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
    set_place(node);
    sli_scope_control_inputs(scope, &node->inputs, &node->controls);
    adapt_controls(node);
    for (size_t i = 0; i < node->controls.count; i++) TF_AddControlInput(node->description, node->controls.items[i]);
    TF_Status *status = TF_NewStatus();
    operation = TF_FinishOperation(node->description, status);
    if (!sli_scope_check_tf(scope, status, node->name) || !sli_scope_ok(scope)) operation = NULL;
    if (operation) sli_flow_own(scope, node->flow, operation);
    if (operation) sli_scope_seen(scope, operation);
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
  enum { REFERENCE = 100 };  // DT_FLOAT_REF is DT_FLOAT + 100
  if (!output.oper) return (TF_DataType)0;
  int dtype = (int)TF_OperationOutputType(output);
  return (TF_DataType)(dtype > REFERENCE ? dtype - REFERENCE : dtype);
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
