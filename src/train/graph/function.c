// Functions. The body is built in a graph of its own; what it uses from outside becomes a further argument.
#include "sluice/function.h"

#include <stdlib.h>

#include "proto/graph.fields.h"
#include "proto/wire.h"
#include "sluice/node.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/scope.h"

struct sl_function {
  char *name;
  bool is_stateful;
  SLI_ARRAY(TF_DataType) arguments;  // without what is captured
  SLI_ARRAY(TF_DataType) results;
  sli_outputs_t captures;
};

static void function_destroy(void *object) {
  sl_function_t *function = object;
  free(function->name);
  sli_array_deinitialize(&function->arguments);
  sli_array_deinitialize(&function->results);
  sli_array_deinitialize(&function->captures);
  free(function);
}

const char *sl_function_name(const sl_function_t *function) { return function ? function->name : ""; }

sl_outputs_t sl_function_captures(const sl_function_t *function) {
  if (!function) return (sl_outputs_t){0};
  return (sl_outputs_t){function->captures.count, function->captures.items};
}

// --- Arguments ------------------------------------------------------------------------------

// A body that is being built, and what it captured.
struct sli_scope_body {
  sl_scope_t *outer;
  sli_outputs_t inside, outside;
};

static TF_Output add_argument(sl_scope_t *inner, const char *name, TF_DataType type, const sl_shape_t *shape) {
  sl_node_t *node = sl_node_begin(inner, "Placeholder", name);
  sl_node_attr_type(node, "dtype", type);
  if (shape) sl_node_attr_shape(node, "shape", *shape);
  return sl_node_output(node);
}

TF_Output sli_scope_capture(sl_scope_t *scope, TF_Output value) {
  struct sli_scope_body *body = scope->body;
  if (!body || TF_GraphOperationByName(scope->graph, TF_OperationName(value.oper)) == value.oper) return value;
  for (size_t i = 0; i < body->outside.count; i++)
    if (body->outside.items[i].oper == value.oper && body->outside.items[i].index == value.index)
      return body->inside.items[i];
  TF_Output inside = {0};
  SL_NAME_SCOPE (scope, "%s", "") {
    inside = add_argument(scope, "captured", sl_dtype(value), NULL);
  }
  sli_array_push(&body->outside, value);
  sli_array_push(&body->inside, inside);
  return inside;
}

// --- Building -------------------------------------------------------------------------------

static bool is_stateful(TF_Function *function, TF_Status *status) {
  TF_Buffer *buffer = TF_NewBuffer();
  TF_FunctionToFunctionDef(function, buffer, status);
  bool stateful = false;
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(buffer->data, buffer->length));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_FUNCTION_DEF_SIGNATURE || field.type != SLI_WIRE_BYTES) continue;
    sli_wire_reader_t signature = sli_wire_reader(field.bytes);
    for (sli_wire_field_t part; sli_wire_next(&signature, &part);)
      if (part.number == SLI_FIELD_OP_DEF_IS_STATEFUL) stateful = part.value != 0;
  }
  TF_DeleteBuffer(buffer);
  return stateful;
}

static void set_no_inline(TF_Function *function, TF_Status *status) {
  sli_string_t yes = {0};
  sli_wire_write_uint(&yes, SLI_FIELD_ATTR_VALUE_B, 1);
  TF_FunctionSetAttrValueProto(function, "_noinline", yes.data, yes.size, status);
  sli_string_deinitialize(&yes);
}

// Functions that were built in the body belong to the outer graph, too.
static void copy_functions(TF_Graph *from, TF_Graph *to, TF_Status *status) {
  int count = TF_GraphNumFunctions(from);
  TF_Function **functions = sli_calloc((size_t)count + 1, sizeof(*functions));
  count = TF_GraphGetFunctions(from, functions, count, status);
  for (int i = 0; i < count; i++) {
    if (TF_GetCode(status) == TF_OK) TF_GraphCopyFunction(to, functions[i], NULL, status);
    TF_DeleteFunction(functions[i]);
  }
  free(functions);
}

// Makes the graph of |inner| a function of |outer|'s graph.
static void convert(sl_scope_t *outer, sl_scope_t *inner, const sli_outputs_t *arguments, const TF_Output *results,
                    size_t result_count, const sl_function_options_t *options, sl_function_t *function) {
  TF_Status *status = TF_NewStatus();
  TF_Function *made =
      TF_GraphToFunction(inner->graph, options->name ? options->name : "function", 1, -1, NULL, (int)arguments->count,
                         arguments->items, (int)result_count, results, NULL, NULL, NULL, status);
  if (made && options->no_inline) set_no_inline(made, status);
  if (made && TF_GetCode(status) == TF_OK) {
    function->name = sli_strdup(TF_FunctionName(made));
    function->is_stateful = is_stateful(made, status);
    TF_GraphCopyFunction(outer->graph, made, NULL, status);
    if (TF_GetCode(status) == TF_OK) copy_functions(inner->graph, outer->graph, status);
  }
  TF_DeleteFunction(made);
  sli_scope_check_tf(outer, status, NULL);
}

static void build(sl_scope_t *outer, sl_scope_t *inner, sl_function_body_t body, void *data, sl_op_types_t types,
                  size_t result_count, const sl_function_options_t *options, sl_function_t *function) {
  sli_outputs_t arguments = {0};
  TF_Output *results = sli_calloc(result_count + 1, sizeof(*results));
  for (size_t i = 0; i < types.count; i++) {
    sli_array_push(&arguments,
                   add_argument(inner, "argument", types.values[i], options->shapes ? &options->shapes[i] : NULL));
    sli_array_push(&function->arguments, types.values[i]);
  }
  if (sli_scope_ok(inner)) body(inner, data, arguments.items, results);
  for (size_t i = 0; i < result_count && sli_scope_ok(inner); i++) {
    if (!results[i].oper)
      sl_scope_fail(inner, TF_INVALID_ARGUMENT, "sl_function: result %zu must not be empty", i);
    else
      results[i] = sli_scope_capture(inner, results[i]);
    if (sli_scope_ok(inner)) sli_array_push(&function->results, sl_dtype(results[i]));
  }
  for (size_t i = 0; i < inner->body->inside.count; i++) {
    sli_array_push(&arguments, inner->body->inside.items[i]);
    sli_array_push(&function->captures, inner->body->outside.items[i]);
  }
  if (sli_scope_ok(inner))
    convert(outer, inner, &arguments, results, result_count, options, function);
  else
    sl_scope_fail(outer, sl_scope_code(inner), "sl_function: in the body: %s", sl_scope_error(inner));
  sli_array_deinitialize(&arguments);
  free(results);
}

const sl_function_t *sl_function_with(sl_scope_t *scope, sl_function_body_t body, void *data, sl_op_types_t types,
                                      size_t result_count, const sl_function_options_t *given) {
  SLI_CALL_OPTIONS(sl_function_options_t, options, given);
  if (!body) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_function: body must not be NULL");
  if (scope->final)
    sl_scope_fail(scope, TF_FAILED_PRECONDITION,
                  "Graph is finalized and cannot be modified: a function was built after the session was opened");
  if (!sli_scope_ok(scope)) return NULL;
  sl_function_t *function = sli_calloc(1, sizeof(*function));
  sli_scope_own(scope, function, function_destroy);
  sl_scope_t *inner = sl_graph_scope();
  struct sli_scope_body state = {.outer = scope};
  inner->body = &state;
  inner->file = scope->file;
  inner->line = scope->line;
  inner->seed = scope->seed;
  inner->has_seed = scope->has_seed;
  build(scope, inner, body, data, types, result_count, &options, function);
  sl_scope_release(inner);
  sli_array_deinitialize(&state.inside);
  sli_array_deinitialize(&state.outside);
  return sli_scope_ok(scope) ? function : NULL;
}

// --- Calls ----------------------------------------------------------------------------------

static void check_arguments(sl_scope_t *scope, const sl_function_t *function, sl_outputs_t arguments) {
  if (!function) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_call: function must not be NULL");
    return;
  }
  if (arguments.count != function->arguments.count) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_call: %s has %zu arguments, got %zu", function->name,
                  function->arguments.count, arguments.count);
    return;
  }
  for (size_t i = 0; i < arguments.count; i++)
    if (arguments.items[i].oper && sl_dtype(arguments.items[i]) != function->arguments.items[i])
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_call: argument %zu of %s must be %s, but '%s' is %s", i,
                    function->name, sli_tf_type_name(function->arguments.items[i]),
                    TF_OperationName(arguments.items[i].oper), sli_tf_type_name(sl_dtype(arguments.items[i])));
}

sl_outputs_t sl_call_with(sl_scope_t *scope, const sl_function_t *function, sl_outputs_t arguments,
                          const sl_op_options_t *given) {
  SLI_CALL_OPTIONS(sl_op_options_t, options, given);
  check_arguments(scope, function, arguments);
  size_t count = function ? function->results.count : 0;
  sli_outputs_t inputs = {0}, outputs = {0};
  TF_Operation *operation = NULL;
  if (sli_scope_ok(scope)) {
    for (size_t i = 0; i < arguments.count; i++) sli_array_push(&inputs, arguments.items[i]);
    for (size_t i = 0; i < function->captures.count; i++) sli_array_push(&inputs, function->captures.items[i]);
    sl_node_t *node =
        sl_node_begin(scope, function->is_stateful ? "StatefulPartitionedCall" : "PartitionedCall", options.name);
    sl_node_input_list(node, inputs.items, inputs.count);
    sl_node_attr_type_list(node, "Tout", function->results.items, count);
    sl_node_attr_function(node, "f", function->name);
    operation = sl_node_finish(node);
  }
  for (size_t i = 0; i < count; i++) sli_array_push(&outputs, (TF_Output){operation, operation ? (int)i : 0});
  sl_outputs_t kept = sli_scope_copy_outputs(scope, outputs.items, count);
  sli_array_deinitialize(&inputs);
  sli_array_deinitialize(&outputs);
  return kept;
}
