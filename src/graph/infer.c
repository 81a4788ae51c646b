// Shape inference: runs an op's shape function on what is known of its inputs.
#include <stdlib.h>

#include "graph/graph.h"

typedef struct {
  sli_node_t *node;
  sli_tensor_t **constants;  // one per input, looked up when the shape function asks
  bool *asked;
} inference_t;

static const sli_tensor_t *constant_of(sli_infer_context_t *context, int index) {
  inference_t *inference = context->user;
  if (!inference->asked[index]) {
    inference->asked[index] = true;
    inference->constants[index] = sli_graph_constant_value(inference->node->inputs[index]);
  }
  return inference->constants[index];
}

static sli_shape_t constant_as_shape(sli_infer_context_t *context, int index) {
  inference_t *inference = context->user;
  return sli_graph_constant_shape(context->arena, inference->node->inputs[index]);
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(const sli_attr_entry_t *const *)a)->name, (*(const sli_attr_entry_t *const *)b)->name);
}

// "{{node n}} = Op[T=DT_FLOAT](a, b)".
static void append_node(sli_string_t *text, const sli_node_t *node) {
  sli_string_append_format(text, "{{node %s}} = %s[", node->def.name, node->def.op->def->name);
  const sli_attr_entry_t **sorted = sli_calloc(node->def.attr_count, sizeof(*sorted));
  for (size_t i = 0; i < node->def.attr_count; i++) sorted[i] = &node->def.attrs[i];
  if (node->def.attr_count) qsort(sorted, node->def.attr_count, sizeof(*sorted), by_name);
  for (size_t i = 0; i < node->def.attr_count; i++) {
    sli_string_append_format(text, "%s%s=", i ? ", " : "", sorted[i]->name);
    sli_attr_append(text, &sorted[i]->value);
  }
  free(sorted);
  sli_string_append_text(text, "](");
  for (int i = 0; i < node->def.input_count; i++) {
    sli_string_append_format(text, "%s%s", i ? ", " : "", node->inputs[i].node->def.name);
    if (node->inputs[i].index) sli_string_append_format(text, ":%d", node->inputs[i].index);
  }
  sli_string_append_char(text, ')');
}

// The end of TensorFlow's text for a shape error.
static sli_status_t *explain(sli_status_t *status, const inference_t *inference) {
  const sli_node_t *node = inference->node;
  sli_string_t text = {0};
  sli_string_append_text(&text, " for '");
  append_node(&text, node);
  sli_string_append_text(&text, "' with input shapes: ");
  for (int i = 0; i < node->def.input_count; i++) {
    if (i) sli_string_append_text(&text, ", ");
    sli_shape_t shape = sli_graph_output_shape(node->inputs[i]);
    if (shape.rank < 0)
      sli_string_append_char(&text, '?');
    else
      sli_shape_append(&text, shape);
  }
  bool first = true;
  for (int i = 0; i < node->def.input_count; i++) {
    if (!inference->constants[i]) continue;
    sli_string_append_format(&text, "%sinput[%d] = <", first ? " and with computed input tensors: " : ", ", i);
    sli_string_t values = {0};
    sli_tensor_append_values(&values, inference->constants[i], 10);
    // TensorFlow writes a vector's elements without brackets here.
    sli_view_t bare = sli_view_of(sli_string_text(&values), values.size);
    if (bare.size >= 2 && bare.data[0] == '[') bare = sli_view_of(bare.data + 1, bare.size - 2);
    sli_string_append(&text, bare.data, bare.size);
    sli_string_append_char(&text, '>');
    sli_string_deinitialize(&values);
    first = false;
  }
  status = sli_status_append(status, "%s.", text.data);
  sli_string_deinitialize(&text);
  return status;
}

sli_status_t *sli_graph_infer_shapes(sli_node_t *node) {
  size_t inputs = (size_t)node->def.input_count, outputs = (size_t)node->def.output_count;
  sli_infer_fn_t infer = node->def.op->def->shape;
  sli_graph_t *graph = node->graph;
  sli_graph_infer_call_fn_t infer_call = graph->functions ? graph->infer_call : NULL;
  if (!infer && !infer_call) return NULL;
  sli_shape_t *input_shapes = sli_calloc(inputs, sizeof(*input_shapes));
  sli_infer_handle_t *input_handles = sli_calloc(inputs, sizeof(*input_handles));
  inference_t inference = {node, sli_calloc(inputs, sizeof(sli_tensor_t *)), sli_calloc(inputs, sizeof(bool))};
  for (size_t i = 0; i < inputs; i++) {
    input_shapes[i] = sli_graph_output_shape(node->inputs[i]);
    input_handles[i] = node->inputs[i].node->output_handles[node->inputs[i].index];
  }
  for (size_t i = 0; i < outputs; i++) {
    node->output_shapes[i] = SLI_SHAPE_UNKNOWN;
    node->output_handles[i] = (sli_infer_handle_t){SLI_DTYPE_INVALID, SLI_SHAPE_UNKNOWN};
  }
  sli_infer_context_t context = {
      .node = &node->def,
      .arena = &graph->arena,
      .inputs = input_shapes,
      .input_handles = input_handles,
      .outputs = node->output_shapes,
      .output_handles = node->output_handles,
      .constant = constant_of,
      .constant_as_shape = constant_as_shape,
      .user = &inference,
  };
  sli_status_t *status = infer ? infer(&context) : NULL;
  if (status)
    status = explain(status, &inference);
  else if (infer_call)
    status = infer_call(node, &context);
  for (size_t i = 0; i < inputs; i++) sli_tensor_release(inference.constants[i]);
  free(inference.constants);
  free(inference.asked);
  free(input_shapes);
  free(input_handles);
  return status;
}
