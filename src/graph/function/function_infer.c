#include "graph/function/function_infer.h"

#include <stdlib.h>

#include "graph/function/function_body.h"

enum {
  MOST_DEPTH = 64,
  MOST_NODES = 50000,   // in all bodies that one call of the graph needs: bodies within bodies may double at each level
  MOST_ELEMENTS = 1000  // of a value that is known in the body
};

// The calls that are being inferred, from the inner to the outer one.
typedef struct call {
  const struct call *outer;
  sli_view_t function;
  int depth;
  size_t *nodes;  // of the bodies so far
} call_t;

static bool may_enter(const call_t *outer, sli_view_t function) {
  if (!outer) return true;
  if (outer->depth >= MOST_DEPTH || *outer->nodes >= MOST_NODES) return false;
  for (const call_t *call = outer; call; call = call->outer)
    if (sli_view_equal(call->function, function)) return false;
  return true;
}

static bool is_disabled(const sli_node_t *node) {
  const sli_attr_t *attr = sli_node_attr(&node->def, "_disable_call_shape_inference");
  return attr && attr->kind == SLI_ATTR_BOOL && !attr->is_list && attr->b;
}

// Whether the values of an input can matter to a shape in the body: it is small, and a number.
static bool may_matter(const sli_node_t *node, int index) {
  sli_shape_t shape = sli_graph_output_shape(node->inputs[index]);
  int64_t count = shape.rank < 0 ? -1 : sli_shape_count(shape);
  return count >= 0 && count <= MOST_ELEMENTS && sli_dtype_is_plain(sli_graph_output_dtype(node->inputs[index]));
}

static void set_outputs(const sli_function_body_t *body, sli_infer_context_t *context) {
  for (size_t i = 0; i < body->result_count && i < (size_t)context->node->output_count; i++) {
    sli_output_t result = body->results[i];
    sli_infer_handle_t handle = result.node->output_handles[result.index];
    handle.shape = sli_shape_copy(context->arena, handle.shape);
    context->outputs[i] = sli_shape_copy(context->arena, sli_graph_output_shape(result));
    context->output_handles[i] = handle;
  }
}

// Whether the body can be built if nothing is known of the arguments, so that an error came from their shapes.
static bool body_is_valid(sli_graph_functions_t *functions, const sli_attr_func_t *name, size_t arguments) {
  sli_function_body_t body;
  sli_status_t *status = sli_function_body_create(functions, name, &body);
  bool is_valid = !status && body.argument_count == arguments;
  sli_status_release(status);
  if (!status) sli_function_body_deinitialize(&body);
  return is_valid;
}

sli_status_t *sli_function_infer_call(sli_node_t *node, sli_infer_context_t *context) {
  sli_attr_func_t name;
  if (node->def.op->def->functional == SLI_OP_FUNCTIONAL_REMOTE_CALL || !sli_function_body_called(node, &name) ||
      is_disabled(node) || !sli_graph_functions_find(node->graph->functions, name.name))
    return NULL;
  const call_t *outer = node->graph->infer_state;
  if (!may_enter(outer, name.name)) return NULL;
  size_t nodes = 0, count = (size_t)node->def.input_count;
  call_t call = {outer, name.name, outer ? outer->depth + 1 : 0, outer ? outer->nodes : &nodes};
  sli_tensor_t **constants = sli_calloc(count + 1, sizeof(sli_tensor_t *));
  for (size_t i = 0; i < count; i++)
    if (may_matter(node, (int)i)) constants[i] = sli_graph_constant_value(node->inputs[i]);
  sli_function_body_known_t known = {context->inputs, context->input_handles,  constants,
                                     count,           sli_function_infer_call, &call};
  sli_function_body_t body;
  sli_status_t *status = sli_function_body_create_known(node->graph->functions, &name, &known, &body);
  if (!status) {
    *call.nodes += body.graph->nodes.count;
    set_outputs(&body, context);
    sli_function_body_deinitialize(&body);
  } else if (!body_is_valid(node->graph->functions, &name, count)) {
    sli_status_release(status);
    status = NULL;
  }
  for (size_t i = 0; i < count; i++) sli_tensor_release(constants[i]);
  free(constants);
  return status;
}
