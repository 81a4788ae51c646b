// Functions: parts of a graph, or FunctionDefs of users, that graphs hold in their libraries.
#include <stdlib.h>

#include "capi/capi.h"
#include "graph/function/function_export.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

struct TF_Function {
  sli_string_t bytes;  // a serialized FunctionDef
  char *name;
};

// --- Creation and deletion -----------------------------------------------------------------

static sli_view_t bytes_of(const TF_Function *function) {
  return sli_view_of(function->bytes.data, function->bytes.size);
}

// The bytes of the last field |number|; empty: there is none. INVALID if the message is malformed.
static bool find_field(sli_view_t bytes, uint32_t number, sli_view_t *out_field) {
  *out_field = sli_view_of("", 0);
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == number && field.type == SLI_WIRE_BYTES) *out_field = field.bytes;
  return !reader.malformed;
}

// Moves |bytes|. NULL if they are not a FunctionDef.
static TF_Function *function_create(sli_string_t *bytes) {
  sli_view_t signature, name;
  bool is_valid = find_field(sli_view_of(bytes->data, bytes->size), SLI_FIELD_FUNCTION_DEF_SIGNATURE, &signature) &&
                  find_field(signature, SLI_FIELD_OP_DEF_NAME, &name);
  if (!is_valid) {
    sli_string_deinitialize(bytes);
    return NULL;
  }
  TF_Function *function = sli_calloc(1, sizeof(*function));
  function->bytes = *bytes;
  function->name = sli_strndup(name.data, name.size);
  return function;
}

void TF_DeleteFunction(TF_Function *func) {
  if (!func) return;
  sli_string_deinitialize(&func->bytes);
  free(func->name);
  free(func);
}

const char *TF_FunctionName(TF_Function *func) { return func->name; }

void TF_FunctionToFunctionDef(TF_Function *func, TF_Buffer *output_func_def, TF_Status *status) {
  sli_string_t copy = {0};
  sli_string_append(&copy, sli_string_text(&func->bytes), func->bytes.size);
  sli_capi_set_status(status, sli_capi_buffer_fill(output_func_def, &copy));
}

TF_Function *TF_FunctionImportFunctionDef(const void *proto, size_t proto_len, TF_Status *status) {
  sli_string_t copy = {0};
  if (proto_len) sli_string_append(&copy, proto, proto_len);
  TF_Function *function = function_create(&copy);
  sli_capi_set_status(status, function ? NULL
                                       : sli_status_make(SLI_INVALID_ARGUMENT,
                                                         "Invalid FunctionDef given to TF_FunctionImportFunctionDef"));
  return function;
}

// --- From a graph ----------------------------------------------------------------------------

typedef struct {
  const TF_Graph *graph;
  const char *name;
  SLI_ARRAY(sli_node_t *) nodes;
  SLI_ARRAY(sli_output_t) inputs;
  SLI_ARRAY(sli_output_t) outputs;
} conversion_t;

static sli_status_t *check_value(const TF_Graph *graph, TF_Output output) {
  SLI_RETURN_IF_ERROR(sli_capi_check_output(graph, output));
  const sli_node_t *node = sli_capi_node(output.oper);
  sli_dtype_t type = node->def.output_types[output.index];
  if (!sli_dtype_is_ref(type)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Output %d of node '%s' has a reference type %s", output.index,
                         node->def.name, sli_dtype_name(type));
}

static sli_status_t *take_inputs(conversion_t *conversion, const TF_Output *inputs, int count) {
  for (int i = 0; i < count; i++) {
    sli_status_t *status = check_value(conversion->graph, inputs[i]);
    if (status)
      return sli_status_append(status, "\n\tEncountered while processing input %d into function '%s'", i,
                               conversion->name);
    sli_output_t output = sli_capi_output(inputs[i]);
    for (size_t k = 0; k < conversion->inputs.count; k++)
      if (sli_graph_output_equal(conversion->inputs.items[k], output))
        return sli_status_make(SLI_INVALID_ARGUMENT, "TF_Output %s:%d appears more than once in the input list",
                               output.node->def.name, output.index);
    sli_array_push(&conversion->inputs, output);
  }
  return NULL;
}

static sli_status_t *take_outputs(conversion_t *conversion, const TF_Output *outputs, int count) {
  for (int i = 0; i < count; i++) {
    sli_status_t *status = sli_capi_check_output(conversion->graph, outputs[i]);
    if (status)
      return sli_status_append(status, "\n\tEncountered while processing output %d from function '%s'", i,
                               conversion->name);
    status = check_value(conversion->graph, outputs[i]);
    if (status) return sli_status_append(status, "\n\tEncountered while creating function '%s'", conversion->name);
    sli_array_push(&conversion->outputs, sli_capi_output(outputs[i]));
  }
  return NULL;
}

static bool is_input(const conversion_t *conversion, const sli_node_t *node) {
  for (size_t i = 0; i < conversion->inputs.count; i++)
    if (conversion->inputs.items[i].node == node) return true;
  return false;
}

// Without a list of operations the body has all nodes of the graph, except the inputs.
static sli_status_t *take_nodes(conversion_t *conversion, const TF_Operation *const *operations, int count) {
  for (int i = 0; i < count; i++) {
    SLI_RETURN_IF_ERROR(sli_capi_check_operation(conversion->graph, operations[i]));
    sli_array_push(&conversion->nodes, sli_capi_node(operations[i]));
  }
  const sli_graph_t *graph = conversion->graph->graph;
  for (size_t i = 0; count == -1 && i < graph->nodes.count; i++) {
    sli_node_t *node = graph->nodes.items[i];
    if (!is_input(conversion, node))
      sli_array_push(&conversion->nodes, node);
    else if (node->def.output_count != 1)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "When `num_opers` is set to -1, nodes referenced in `inputs` must have a single output. "
                             "Node %s has %d outputs. Encountered while creating function '%s'",
                             node->def.name, node->def.output_count, conversion->name);
  }
  return NULL;
}

TF_Function *TF_GraphToFunctionWithControlOutputs(
    const TF_Graph *fn_body, const char *fn_name, unsigned char append_hash_to_fn_name, int num_opers,
    const TF_Operation *const *opers, int ninputs, const TF_Output *inputs, int noutputs, const TF_Output *outputs,
    const char *const *output_names, int ncontrol_outputs, const TF_Operation *const *control_outputs,
    const char *const *control_output_names, const TF_FunctionOptions *opts, const char *description,
    TF_Status *status) {
  conversion_t conversion = {.graph = fn_body, .name = fn_name};
  sli_string_t bytes = {0};
  TF_Function *function = NULL;
  sli_mutex_t *mutex = &((TF_Graph *)fn_body)->mutex;
  sli_mutex_lock(mutex);
  sli_status_t *result = take_inputs(&conversion, inputs, ninputs);
  if (!result) result = take_outputs(&conversion, outputs, noutputs);
  if (!result) result = take_nodes(&conversion, opers, num_opers);
  for (int i = 0; i < ncontrol_outputs && !result; i++) result = sli_capi_check_operation(fn_body, control_outputs[i]);
  if (!result) {
    sli_function_export_t request = {.name = fn_name,
                                     .append_hash = append_hash_to_fn_name,
                                     .nodes = conversion.nodes.items,
                                     .node_count = conversion.nodes.count,
                                     .inputs = conversion.inputs.items,
                                     .input_count = conversion.inputs.count,
                                     .outputs = conversion.outputs.items,
                                     .output_count = conversion.outputs.count,
                                     .output_names = output_names,
                                     .controls = (sli_node_t *const *)control_outputs,
                                     .control_count = (size_t)ncontrol_outputs,
                                     .control_names = control_output_names,
                                     .description = description};
    result = sli_function_export(&request, &bytes);
  }
  sli_mutex_unlock(mutex);
  if (result)
    sli_string_deinitialize(&bytes);
  else
    function = function_create(&bytes);
  sli_array_deinitialize(&conversion.nodes);
  sli_array_deinitialize(&conversion.inputs);
  sli_array_deinitialize(&conversion.outputs);
  sli_capi_set_status(status, result);
  return function;
}

TF_Function *TF_GraphToFunction(const TF_Graph *fn_body, const char *fn_name, unsigned char append_hash_to_fn_name,
                                int num_opers, const TF_Operation *const *opers, int ninputs, const TF_Output *inputs,
                                int noutputs, const TF_Output *outputs, const char *const *output_names,
                                const TF_FunctionOptions *opts, const char *description, TF_Status *status) {
  return TF_GraphToFunctionWithControlOutputs(fn_body, fn_name, append_hash_to_fn_name, num_opers, opers, ninputs,
                                              inputs, noutputs, outputs, output_names, 0, NULL, NULL, opts, description,
                                              status);
}

// --- In a graph ----------------------------------------------------------------------------------

void TF_GraphCopyFunction(TF_Graph *g, const TF_Function *func, const TF_Function *grad, TF_Status *status) {
  if (!func) {
    sli_capi_set_status(
        status, sli_status_make(SLI_INVALID_ARGUMENT, "'func' argument to TF_GraphCopyFunction cannot be null"));
    return;
  }
  sli_view_t functions[] = {bytes_of(func), grad ? bytes_of(grad) : (sli_view_t){0}};
  sli_string_t gradient = {0};
  if (grad) {
    sli_wire_write_text(&gradient, SLI_FIELD_GRADIENT_DEF_FUNCTION_NAME, func->name);
    sli_wire_write_text(&gradient, SLI_FIELD_GRADIENT_DEF_GRADIENT_FUNC, grad->name);
  }
  sli_view_t gradients = sli_view_of(gradient.data, gradient.size);
  sli_graph_library_t library = {functions, &gradients, grad ? 2 : 1, grad ? 1 : 0};
  sli_mutex_lock(&g->mutex);
  sli_status_t *result = sli_graph_add_functions(g->graph, &library);
  if (!result) sli_capi_graph_changed_locked(g);
  sli_mutex_unlock(&g->mutex);
  sli_string_deinitialize(&gradient);
  sli_capi_set_status(status, result);
}

int TF_GraphNumFunctions(TF_Graph *g) {
  sli_mutex_lock(&g->mutex);
  int count = (int)sli_graph_function_count(g->graph);
  sli_mutex_unlock(&g->mutex);
  return count;
}

int TF_GraphGetFunctions(TF_Graph *g, TF_Function **funcs, int max_func, TF_Status *status) {
  sli_mutex_lock(&g->mutex);
  sli_graph_functions_t *functions = sli_graph_functions_retain(g->graph->functions);
  sli_mutex_unlock(&g->mutex);
  int count = functions ? (int)functions->items.count : 0;
  if (count > max_func) count = max_func < 0 ? 0 : max_func;
  for (int i = 0; i < count; i++) {
    sli_string_t copy = {0};
    sli_string_append(&copy, functions->items.items[i]->bytes.data, functions->items.items[i]->bytes.size);
    funcs[i] = function_create(&copy);
  }
  sli_graph_functions_release(functions);
  sli_capi_set_status(status, NULL);
  return count;
}

// --- Attributes ------------------------------------------------------------------------------------

// Whether |field| is the attribute |name|; |*out_value| is its serialized value.
static bool is_attr(const sli_wire_field_t *field, const char *name, sli_view_t *out_value) {
  sli_view_t key;
  return field->number == SLI_FIELD_FUNCTION_DEF_ATTR && field->type == SLI_WIRE_BYTES &&
         find_field(field->bytes, SLI_FIELD_FUNCTION_DEF_ATTR_ENTRY_KEY, &key) && sli_view_is(key, name) &&
         find_field(field->bytes, SLI_FIELD_FUNCTION_DEF_ATTR_ENTRY_VALUE, out_value);
}

void TF_FunctionSetAttrValueProto(TF_Function *func, const char *attr_name, const void *proto, size_t proto_len,
                                  TF_Status *status) {
  sli_arena_t arena = {0};
  sli_attr_t attr;
  sli_status_t *result = sli_attr_decode(sli_view_of(proto, proto_len), &arena, &attr);
  if (result) {
    sli_status_release(result);
    result =
        sli_status_make(SLI_INVALID_ARGUMENT, "Unparseable AttrValue proto passed to TF_FunctionSetAttrValueProto");
  } else {
    sli_string_t bytes = {0};
    sli_wire_reader_t reader = sli_wire_reader(bytes_of(func));
    sli_view_t value;
    for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
      if (is_attr(&field, attr_name, &value)) continue;
      sli_wire_write_tag(&bytes, field.number, field.type);
      sli_string_append(&bytes, field.encoded.data, field.encoded.size);
    }
    size_t mark = sli_wire_open(&bytes, SLI_FIELD_FUNCTION_DEF_ATTR);
    sli_wire_write_text(&bytes, SLI_FIELD_FUNCTION_DEF_ATTR_ENTRY_KEY, attr_name);
    sli_wire_write_bytes(&bytes, SLI_FIELD_FUNCTION_DEF_ATTR_ENTRY_VALUE, proto, proto_len);
    sli_wire_close(&bytes, mark);
    sli_string_deinitialize(&func->bytes);
    func->bytes = bytes;
    sli_attr_release_tensors(&attr);
  }
  sli_arena_deinitialize(&arena);
  sli_capi_set_status(status, result);
}

void TF_FunctionGetAttrValueProto(TF_Function *func, const char *attr_name, TF_Buffer *output_attr_value,
                                  TF_Status *status) {
  sli_wire_reader_t reader = sli_wire_reader(bytes_of(func));
  sli_view_t value;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (!is_attr(&field, attr_name, &value)) continue;
    sli_string_t copy = {0};
    sli_string_append(&copy, value.data, value.size);
    sli_capi_set_status(status, sli_capi_buffer_fill(output_attr_value, &copy));
    return;
  }
  sli_capi_set_status(
      status, sli_status_make(SLI_INVALID_ARGUMENT, "Function '%s' has no attr named '%s'.", func->name, attr_name));
}
