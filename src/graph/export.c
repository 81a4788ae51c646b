// Export of GraphDefs: see graph/import.h.
#include "graph/import.h"

#include <stdlib.h>

#include "proto/graph.fields.h"
#include "proto/tensor.fields.h"
#include "proto/wire.h"

static int compare_names(const void *a, const void *b) {
  const sli_node_t *const *left = a, *const *right = b;
  return strcmp((*left)->def.name, (*right)->def.name);
}

// Control inputs are written in the order of their names, as TensorFlow does.
static void write_inputs(const sli_node_t *node, sli_string_t *out) {
  sli_string_t name = {0};
  for (int i = 0; i < node->def.input_count; i++) {
    sli_string_clear(&name);
    sli_string_append_text(&name, node->inputs[i].node->def.name);
    if (node->inputs[i].index) sli_string_append_format(&name, ":%d", node->inputs[i].index);
    sli_wire_write_bytes(out, SLI_FIELD_NODE_DEF_INPUT, name.data, name.size);
  }
  size_t count = (size_t)node->control_input_count;
  const sli_node_t **controls = sli_calloc(count, sizeof(*controls));
  for (size_t i = 0; i < count; i++) controls[i] = node->control_inputs[i];
  if (count > 1) qsort(controls, count, sizeof(*controls), compare_names);
  for (size_t i = 0; i < count; i++) {
    sli_string_clear(&name);
    sli_string_append_format(&name, "^%s", controls[i]->def.name);
    sli_wire_write_bytes(out, SLI_FIELD_NODE_DEF_INPUT, name.data, name.size);
  }
  free(controls);
  sli_string_deinitialize(&name);
}

static bool is_default(const sli_node_t *node, const sli_attr_entry_t *entry) {
  const sli_attr_spec_t *spec = sli_op_attr_spec(node->def.op, entry->name);
  return spec && spec->has_default && sli_attr_equal(&spec->default_value, &entry->value);
}

static void write_rest(const sli_node_t *node, bool strip_defaults, sli_string_t *out) {
  const char *device = node->assigned_device ? node->assigned_device : node->def.device;
  if (*device) sli_wire_write_text(out, SLI_FIELD_NODE_DEF_DEVICE, device);
  for (size_t i = 0; i < node->def.attr_count; i++) {
    const sli_attr_entry_t *entry = &node->def.attrs[i];
    if (strip_defaults && is_default(node, entry)) continue;
    size_t attr = sli_wire_open(out, SLI_FIELD_NODE_DEF_ATTR);
    sli_wire_write_text(out, SLI_FIELD_NODE_DEF_ATTR_ENTRY_KEY, entry->name);
    size_t value = sli_wire_open(out, SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE);
    sli_attr_encode(&entry->value, out);
    sli_wire_close(out, value);
    sli_wire_close(out, attr);
  }
}

static void write_node(const sli_node_t *node, bool strip_defaults, sli_string_t *out) {
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_NAME, node->def.name);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_OP, node->def.op->def->name);
  write_inputs(node, out);
  write_rest(node, strip_defaults, out);
}

void sli_graph_node_export_as(const sli_node_t *node, const char *name, const sli_view_t *inputs, size_t input_count,
                              sli_string_t *out) {
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_NAME, name);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_OP, node->def.op->def->name);
  for (size_t i = 0; i < input_count; i++)
    sli_wire_write_bytes(out, SLI_FIELD_NODE_DEF_INPUT, inputs[i].data, inputs[i].size);
  write_rest(node, false, out);
}

void sli_graph_node_export(const sli_node_t *node, sli_string_t *out) { write_node(node, false, out); }

static void write_functions(const sli_graph_functions_t *functions, size_t first, sli_string_t *out) {
  if (!functions) return;
  for (size_t i = first; i < functions->items.count; i++) {
    sli_view_t bytes = functions->items.items[i]->bytes;
    sli_wire_write_bytes(out, SLI_FIELD_FUNCTION_DEF_LIBRARY_FUNCTION, bytes.data, bytes.size);
  }
  SLI_MAP_FOR_EACH (&functions->gradients, entry) {
    size_t gradient = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_LIBRARY_GRADIENT);
    sli_wire_write_bytes(out, SLI_FIELD_GRADIENT_DEF_FUNCTION_NAME, entry->key, entry->key_size);
    sli_wire_write_text(out, SLI_FIELD_GRADIENT_DEF_GRADIENT_FUNC, entry->value);
    sli_wire_close(out, gradient);
  }
}

static void write_graph(const sli_graph_t *graph, bool strip_defaults, size_t first_node, size_t first_function,
                        sli_string_t *out) {
  for (size_t i = first_node; i < graph->nodes.count; i++) {
    size_t node = sli_wire_open(out, SLI_FIELD_GRAPH_DEF_NODE);
    write_node(graph->nodes.items[i], strip_defaults, out);
    sli_wire_close(out, node);
  }
  size_t library = sli_wire_open(out, SLI_FIELD_GRAPH_DEF_LIBRARY);
  write_functions(graph->functions, first_function, out);
  sli_wire_close(out, library);
  size_t versions = sli_wire_open(out, SLI_FIELD_GRAPH_DEF_VERSIONS);
  sli_wire_write_int(out, SLI_FIELD_VERSION_DEF_PRODUCER, graph->producer);
  if (graph->min_consumer) sli_wire_write_int(out, SLI_FIELD_VERSION_DEF_MIN_CONSUMER, graph->min_consumer);
  sli_wire_close(out, versions);
}

void sli_graph_export(const sli_graph_t *graph, sli_string_t *out) { write_graph(graph, false, 0, 0, out); }

void sli_graph_export_stripped(const sli_graph_t *graph, sli_string_t *out) { write_graph(graph, true, 0, 0, out); }

void sli_graph_export_from(const sli_graph_t *graph, size_t first_node, size_t first_function, sli_string_t *out) {
  write_graph(graph, false, first_node, first_function, out);
}
