// Building an operation: a description collects inputs, attributes and errors until
// TF_FinishOperation. Each input is matched with the op's next argument, as TensorFlow's
// builder does, so that the error texts are the same.
#include <stdlib.h>

#include "capi/capi.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

struct TF_OperationDescription {
  TF_Graph *graph;
  char *op_name, *name, *device;
  const sli_op_t *op;  // NULL: not registered
  SLI_ARRAY(sli_output_t) inputs;
  SLI_ARRAY(int) list_sizes;  // inputs of each argument given so far
  SLI_ARRAY(sli_node_t *) control_inputs;
  SLI_ARRAY(sli_attr_entry_t) attrs;    // memory in |arena|
  SLI_ARRAY(const char *) colocations;  // "loc:@name", sorted, unique
  sli_arena_t arena;
  sli_string_t broken_edges;  // inputs that do not exist, one per line
  sli_string_t errors;        // other errors, one per line
  int error_count;
};

static const char colocation_attr[] = "_class";

TF_OperationDescription *TF_NewOperationLocked(TF_Graph *graph, const char *op_type, const char *oper_name) {
  TF_OperationDescription *desc = sli_calloc(1, sizeof(*desc));
  desc->graph = graph;
  desc->op_name = sli_strdup(op_type);
  desc->name = sli_strdup(oper_name);
  desc->op = sli_op_find(sli_view(op_type));
  if (!desc->op) {
    const sli_graph_function_t *function = sli_graph_functions_find(graph->graph->functions, sli_view(op_type));
    if (function) desc->op = function->op;
  }
  return desc;
}

TF_OperationDescription *TF_NewOperation(TF_Graph *graph, const char *op_type, const char *oper_name) {
  sli_mutex_lock(&graph->mutex);
  TF_OperationDescription *desc = TF_NewOperationLocked(graph, op_type, oper_name);
  sli_mutex_unlock(&graph->mutex);
  return desc;
}

static void description_destroy(TF_OperationDescription *desc) {
  for (size_t i = 0; i < desc->attrs.count; i++) sli_attr_release_tensors(&desc->attrs.items[i].value);
  sli_array_deinitialize(&desc->inputs);
  sli_array_deinitialize(&desc->list_sizes);
  sli_array_deinitialize(&desc->control_inputs);
  sli_array_deinitialize(&desc->attrs);
  sli_array_deinitialize(&desc->colocations);
  sli_arena_deinitialize(&desc->arena);
  sli_string_deinitialize(&desc->broken_edges);
  sli_string_deinitialize(&desc->errors);
  free(desc->op_name);
  free(desc->name);
  free(desc->device);
  free(desc);
}

static void add_error(TF_OperationDescription *desc, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_error(TF_OperationDescription *desc, const char *format, ...) {
  if (desc->error_count++) sli_string_append_char(&desc->errors, '\n');
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&desc->errors, format, args);
  va_end(args);
}

void TF_SetDevice(TF_OperationDescription *desc, const char *device) {
  free(desc->device);
  desc->device = sli_strdup(device);
}

// --- Inputs ------------------------------------------------------------------

// Whether |input| can be used; records an error if not.
static bool edge_exists(TF_OperationDescription *desc, TF_Output input) {
  const sli_node_t *node = sli_capi_node(input.oper);
  if (node && node->graph == desc->graph->graph && input.index >= 0 && input.index < node->def.output_count)
    return true;
  if (desc->broken_edges.size) sli_string_append_char(&desc->broken_edges, '\n');
  if (!node)
    sli_string_append_format(&desc->broken_edges, "Attempt to add nullptr Node to node with type %s", desc->op_name);
  else if (node->graph != desc->graph->graph)
    sli_string_append_format(&desc->broken_edges,
                             "Attempt to add output of %s, which is in another graph, to node "
                             "with type %s",
                             node->def.name, desc->op_name);
  else
    sli_string_append_format(&desc->broken_edges,
                             "Attempt to add output %d of %s not in range [0, %d) to node with type %s. Node: "
                             "{{node %s}}",
                             input.index, node->def.name, node->def.output_count, desc->op_name, node->def.name);
  return false;
}

// The argument that comes next; NULL if there is none.
static const sli_arg_t *next_arg(TF_OperationDescription *desc) {
  if (!desc->op) return NULL;
  if (desc->list_sizes.count < (size_t)desc->op->input_count) return &desc->op->inputs[desc->list_sizes.count];
  add_error(desc, "More Input() calls than the %d input_args", desc->op->input_count);
  return NULL;
}

static void add_inputs(TF_OperationDescription *desc, const TF_Output *inputs, int count, bool as_list) {
  bool all_exist = true;
  for (int i = 0; i < count; i++) all_exist &= edge_exists(desc, inputs[i]);
  const sli_arg_t *arg = all_exist ? next_arg(desc) : NULL;
  if (!arg) return;
  bool is_list = arg->number_attr || arg->type_list_attr;
  if (is_list && !as_list) add_error(desc, "Single tensor passed to '%s', expected list", arg->name);
  if (!is_list && as_list) add_error(desc, "List provided to input '%s' when single Tensor expected", arg->name);
  for (int i = 0; i < count; i++) sli_array_push(&desc->inputs, sli_capi_output(inputs[i]));
  sli_array_push(&desc->list_sizes, count);
}

void TF_AddInput(TF_OperationDescription *desc, TF_Output input) { add_inputs(desc, &input, 1, false); }

void TF_AddInputList(TF_OperationDescription *desc, const TF_Output *inputs, int num_inputs) {
  add_inputs(desc, inputs, num_inputs < 0 ? 0 : num_inputs, true);
}

void TF_AddControlInput(TF_OperationDescription *desc, TF_Operation *input) {
  sli_node_t *node = sli_capi_node(input);
  if (!node || node->graph != desc->graph->graph)
    add_error(desc, "Control input %s is not in the graph", node ? node->def.name : "NULL");
  else
    sli_array_push(&desc->control_inputs, node);
}

// --- Colocation --------------------------------------------------------------

static void add_colocation(TF_OperationDescription *desc, const char *text, size_t length) {
  const char *copy = sli_arena_strndup(&desc->arena, text, length);
  size_t at = 0;
  while (at < desc->colocations.count && strcmp(desc->colocations.items[at], copy) < 0) at++;
  if (at < desc->colocations.count && strcmp(desc->colocations.items[at], copy) == 0) return;
  sli_array_reserve(&desc->colocations, 1);
  memmove(&desc->colocations.items[at + 1], &desc->colocations.items[at],
          (desc->colocations.count - at) * sizeof(desc->colocations.items[0]));
  desc->colocations.items[at] = copy;
  desc->colocations.count++;
}

void TF_ColocateWith(TF_OperationDescription *desc, TF_Operation *op) {
  sli_string_t text = {0};
  sli_string_append_format(&text, "loc:@%s", sli_capi_node(op)->def.name);
  add_colocation(desc, text.data, text.size);
  sli_string_deinitialize(&text);
}

// --- Attributes --------------------------------------------------------------

// |value| is in the arena; the description takes ownership of its tensors.
static void set_attr(TF_OperationDescription *desc, const char *name, sli_attr_t value) {
  sli_array_push(&desc->attrs, (sli_attr_entry_t){sli_arena_strndup(&desc->arena, name, strlen(name)), value});
}

static size_t length_of(int count) { return count < 0 ? 0 : (size_t)count; }

static void *copy_array(TF_OperationDescription *desc, const void *values, size_t count, size_t size) {
  void *copy = sli_arena_calloc(&desc->arena, count, size);
  if (count) memcpy(copy, values, count * size);
  return copy;
}

static sli_view_t copy_text(TF_OperationDescription *desc, const void *text, size_t length) {
  return sli_view_of(sli_arena_strndup(&desc->arena, length ? text : "", length), length);
}

void TF_SetAttrString(TF_OperationDescription *desc, const char *attr_name, const void *value, size_t length) {
  if (strcmp(attr_name, colocation_attr) == 0) {
    desc->colocations.count = 0;
    add_colocation(desc, value, length);
    return;
  }
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_STRING, .s = copy_text(desc, value, length)});
}

void TF_SetAttrStringList(TF_OperationDescription *desc, const char *attr_name, const void *const *values,
                          const size_t *lengths, int num_values) {
  size_t count = length_of(num_values);
  if (strcmp(attr_name, colocation_attr) == 0) {
    desc->colocations.count = 0;
    for (size_t i = 0; i < count; i++) add_colocation(desc, values[i], lengths[i]);
    return;
  }
  sli_view_t *list = sli_arena_calloc(&desc->arena, count, sizeof(*list));
  for (size_t i = 0; i < count; i++) list[i] = copy_text(desc, values[i], lengths[i]);
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_STRING, .is_list = true, .count = count, .list.s = list});
}

void TF_SetAttrInt(TF_OperationDescription *desc, const char *attr_name, int64_t value) {
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_INT, .i = value});
}

void TF_SetAttrIntList(TF_OperationDescription *desc, const char *attr_name, const int64_t *values, int num_values) {
  size_t count = length_of(num_values);
  int64_t *list = copy_array(desc, values, count, sizeof(*list));
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_INT, .is_list = true, .count = count, .list.i = list});
}

void TF_SetAttrFloat(TF_OperationDescription *desc, const char *attr_name, float value) {
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_FLOAT, .f = value});
}

void TF_SetAttrFloatList(TF_OperationDescription *desc, const char *attr_name, const float *values, int num_values) {
  size_t count = length_of(num_values);
  float *list = copy_array(desc, values, count, sizeof(*list));
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_FLOAT, .is_list = true, .count = count, .list.f = list});
}

void TF_SetAttrBool(TF_OperationDescription *desc, const char *attr_name, unsigned char value) {
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_BOOL, .b = value != 0});
}

void TF_SetAttrBoolList(TF_OperationDescription *desc, const char *attr_name, const unsigned char *values,
                        int num_values) {
  size_t count = length_of(num_values);
  bool *list = sli_arena_calloc(&desc->arena, count, sizeof(*list));
  for (size_t i = 0; i < count; i++) list[i] = values[i] != 0;
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_BOOL, .is_list = true, .count = count, .list.b = list});
}

void TF_SetAttrType(TF_OperationDescription *desc, const char *attr_name, TF_DataType value) {
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_TYPE, .type = (sli_dtype_t)value});
}

void TF_SetAttrTypeList(TF_OperationDescription *desc, const char *attr_name, const TF_DataType *values,
                        int num_values) {
  size_t count = length_of(num_values);
  sli_dtype_t *list = sli_arena_calloc(&desc->arena, count, sizeof(*list));
  for (size_t i = 0; i < count; i++) list[i] = (sli_dtype_t)values[i];
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_TYPE, .is_list = true, .count = count, .list.type = list});
}

void TF_SetAttrPlaceholder(TF_OperationDescription *desc, const char *attr_name, const char *placeholder) {
  set_attr(desc, attr_name,
           (sli_attr_t){.kind = SLI_ATTR_PLACEHOLDER, .s = copy_text(desc, placeholder, strlen(placeholder))});
}

void TF_SetAttrFuncName(TF_OperationDescription *desc, const char *attr_name, const char *value, size_t length) {
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_FUNC, .func = {.name = copy_text(desc, value, length)}});
}

// Negative dimensions are unknown, as in TensorFlow.
static sli_shape_t copy_shape(TF_OperationDescription *desc, const char *attr_name, const int64_t *dims, int rank) {
  if (rank < 0) return SLI_SHAPE_UNKNOWN;
  if (rank > SLI_MAX_RANK) {
    add_error(desc, "Shape of attr '%s' must have at most %d dimensions, got %d", attr_name, SLI_MAX_RANK, rank);
    return SLI_SHAPE_UNKNOWN;
  }
  int64_t *copy = copy_array(desc, dims, (size_t)rank, sizeof(*copy));
  for (int i = 0; i < rank; i++)
    if (copy[i] < 0) copy[i] = -1;
  return (sli_shape_t){rank, copy};
}

void TF_SetAttrShape(TF_OperationDescription *desc, const char *attr_name, const int64_t *dims, int num_dims) {
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_SHAPE, .shape = copy_shape(desc, attr_name, dims, num_dims)});
}

void TF_SetAttrShapeList(TF_OperationDescription *desc, const char *attr_name, const int64_t *const *dims,
                         const int *num_dims, int num_shapes) {
  size_t count = length_of(num_shapes);
  sli_shape_t *list = sli_arena_calloc(&desc->arena, count, sizeof(*list));
  for (size_t i = 0; i < count; i++) list[i] = copy_shape(desc, attr_name, dims[i], num_dims[i]);
  set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_SHAPE, .is_list = true, .count = count, .list.shape = list});
}

// --- Attributes from messages and tensors ------------------------------------

// A TensorShapeProto is what an AttrValue's field 7 holds.
static sli_status_t *decode_shape(TF_OperationDescription *desc, const void *proto, size_t length,
                                  sli_shape_t *out_shape) {
  *out_shape = SLI_SHAPE_UNKNOWN;
  sli_string_t bytes = {0};
  sli_wire_write_bytes(&bytes, SLI_FIELD_ATTR_VALUE_SHAPE, proto, length);
  sli_attr_t attr = {0};
  sli_status_t *status = sli_attr_decode(sli_view_of(bytes.data, bytes.size), &desc->arena, &attr);
  sli_string_deinitialize(&bytes);
  if (status) {
    sli_status_release(status);
    return sli_status_make(SLI_INVALID_ARGUMENT, "Unparseable TensorShapeProto");
  }
  *out_shape = attr.shape;
  return NULL;
}

void TF_SetAttrTensorShapeProto(TF_OperationDescription *desc, const char *attr_name, const void *proto,
                                size_t proto_len, TF_Status *status) {
  sli_shape_t shape;
  sli_status_t *result = decode_shape(desc, proto, proto_len, &shape);
  if (!result) set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_SHAPE, .shape = shape});
  sli_capi_set_status(status, result);
}

void TF_SetAttrTensorShapeProtoList(TF_OperationDescription *desc, const char *attr_name, const void *const *protos,
                                    const size_t *proto_lens, int num_shapes, TF_Status *status) {
  size_t count = length_of(num_shapes);
  sli_shape_t *list = sli_arena_calloc(&desc->arena, count, sizeof(*list));
  sli_status_t *result = NULL;
  for (size_t i = 0; i < count && !result; i++) result = decode_shape(desc, protos[i], proto_lens[i], &list[i]);
  if (!result)
    set_attr(desc, attr_name,
             (sli_attr_t){.kind = SLI_ATTR_SHAPE, .is_list = true, .count = count, .list.shape = list});
  sli_capi_set_status(status, result);
}

void TF_SetAttrTensor(TF_OperationDescription *desc, const char *attr_name, TF_Tensor *value, TF_Status *status) {
  // A copy, because the caller may change or free the bytes.
  sli_tensor_t *copy = NULL;
  sli_status_t *result = sli_tensor_clone(value->tensor, &copy);
  if (!result) set_attr(desc, attr_name, (sli_attr_t){.kind = SLI_ATTR_TENSOR, .tensor = copy});
  sli_capi_set_status(status, result);
}

void TF_SetAttrTensorList(TF_OperationDescription *desc, const char *attr_name, TF_Tensor *const *values,
                          int num_values, TF_Status *status) {
  size_t count = length_of(num_values);
  sli_tensor_t **list = sli_arena_calloc(&desc->arena, count, sizeof(*list));
  sli_status_t *result = NULL;
  for (size_t i = 0; i < count && !result; i++) result = sli_tensor_clone(values[i]->tensor, &list[i]);
  sli_attr_t attr = {.kind = SLI_ATTR_TENSOR, .is_list = true, .count = count, .list.tensor = list};
  if (result)
    sli_attr_release_tensors(&attr);
  else
    set_attr(desc, attr_name, attr);
  sli_capi_set_status(status, result);
}

static sli_status_t *set_colocations(TF_OperationDescription *desc, const sli_attr_t *attr) {
  if (attr->kind != SLI_ATTR_STRING && !(attr->is_list && attr->count == 0))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected \"list(string)\" or \"string\" for attr '%s'",
                           colocation_attr);
  desc->colocations.count = 0;
  const sli_view_t *texts = attr->is_list ? attr->list.s : &attr->s;
  for (size_t i = 0; i < (attr->is_list ? attr->count : 1); i++) add_colocation(desc, texts[i].data, texts[i].size);
  return NULL;
}

void TF_SetAttrValueProto(TF_OperationDescription *desc, const char *attr_name, const void *proto, size_t proto_len,
                          TF_Status *status) {
  sli_attr_t attr;
  sli_status_t *result = sli_attr_decode(sli_view_of(proto, proto_len), &desc->arena, &attr);
  if (result) {
    sli_status_release(result);
    result = sli_status_make(SLI_INVALID_ARGUMENT, "Unparseable AttrValue proto");
  } else if (strcmp(attr_name, colocation_attr) == 0) {
    result = set_colocations(desc, &attr);
    sli_attr_release_tensors(&attr);
  } else {
    set_attr(desc, attr_name, attr);
  }
  sli_capi_set_status(status, result);
}

// --- Finishing ---------------------------------------------------------------

// The errors collected so far, with the texts of TensorFlow's builder.
static sli_status_t *check_description(TF_OperationDescription *desc) {
  if (desc->broken_edges.size) return sli_status_make_text(SLI_INVALID_ARGUMENT, desc->broken_edges.data);
  sli_string_t text = {0};
  sli_status_t *status = NULL;
  if (!desc->op) {
    sli_string_append_format(&text, " while building NodeDef '%s'", desc->name);
    status = sli_capi_op_not_registered(SLI_INVALID_ARGUMENT, desc->op_name, text.data);
    sli_string_deinitialize(&text);
    return status;
  }
  if (desc->list_sizes.count < (size_t)desc->op->input_count)
    add_error(desc, "%zu inputs specified of %d inputs in Op", desc->list_sizes.count, desc->op->input_count);
  if (!desc->error_count) return NULL;
  if (desc->error_count == 1)
    sli_string_append_text(&text, desc->errors.data);
  else
    sli_string_append_format(&text, "%d errors", desc->error_count);
  sli_string_append_format(&text, " while building NodeDef '%s' using ", desc->name);
  sli_op_append(&text, desc->op);
  if (desc->error_count > 1) sli_string_append_format(&text, ":\n%s", desc->errors.data);
  status = sli_status_make_text(SLI_INVALID_ARGUMENT, text.data);
  sli_string_deinitialize(&text);
  return status;
}

static void set_colocation_attr(TF_OperationDescription *desc) {
  size_t count = desc->colocations.count;
  if (!count) return;
  sli_view_t *list = sli_arena_calloc(&desc->arena, count, sizeof(*list));
  for (size_t i = 0; i < count; i++) list[i] = sli_view(desc->colocations.items[i]);
  set_attr(desc, colocation_attr,
           (sli_attr_t){.kind = SLI_ATTR_STRING, .is_list = true, .count = count, .list.s = list});
}

static sli_status_t *finish(TF_OperationDescription *desc, sli_node_t **out_node) {
  *out_node = NULL;
  sli_graph_t *graph = desc->graph->graph;
  if (sli_graph_find(graph, sli_view(desc->name)))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Duplicate node name in graph: '%s'", desc->name);
  SLI_RETURN_IF_ERROR(check_description(desc));
  set_colocation_attr(desc);
  sli_graph_node_t request = {
      .op = desc->op_name,
      .name = desc->name,
      .device = desc->device,
      .inputs = desc->inputs.items,
      .input_count = desc->inputs.count,
      .control_inputs = desc->control_inputs.items,
      .control_input_count = desc->control_inputs.count,
      .attrs = desc->attrs.items,
      .attr_count = desc->attrs.count,
      .list_sizes = desc->list_sizes.items,
      .infer = true,
  };
  SLI_RETURN_IF_ERROR(sli_graph_add(graph, &request, out_node));
  sli_capi_graph_changed_locked(desc->graph);
  return NULL;
}

TF_Operation *TF_FinishOperationLocked(TF_OperationDescription *desc, TF_Status *status) {
  sli_node_t *node = NULL;
  sli_capi_set_status(status, finish(desc, &node));
  description_destroy(desc);
  return sli_capi_operation(node);
}

TF_Operation *TF_FinishOperation(TF_OperationDescription *desc, TF_Status *status) {
  TF_Graph *graph = desc->graph;
  sli_mutex_lock(&graph->mutex);
  TF_Operation *operation = TF_FinishOperationLocked(desc, status);
  sli_mutex_unlock(&graph->mutex);
  return operation;
}
