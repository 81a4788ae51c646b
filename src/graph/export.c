// GraphDef out: see graph/import.h.
#include "graph/import.h"
#include "proto/wire.h"

static void write_inputs(const sli_node_t *node, sli_string_t *out) {
  sli_string_t name = {0};
  for (int i = 0; i < node->def.input_count; i++) {
    sli_string_clear(&name);
    sli_string_append_text(&name, node->inputs[i].node->def.name);
    if (node->inputs[i].index) sli_string_append_format(&name, ":%d", node->inputs[i].index);
    sli_wire_write_bytes(out, 3, name.data, name.size);
  }
  for (int i = 0; i < node->control_input_count; i++) {
    sli_string_clear(&name);
    sli_string_append_format(&name, "^%s", node->control_inputs[i]->def.name);
    sli_wire_write_bytes(out, 3, name.data, name.size);
  }
  sli_string_deinitialize(&name);
}

static bool is_default(const sli_node_t *node, const sli_attr_entry_t *entry) {
  const sli_attr_spec_t *spec = sli_op_attr_spec(node->def.op, entry->name);
  return spec && spec->has_default && sli_attr_equal(&spec->default_value, &entry->value);
}

static void write_node(const sli_node_t *node, bool strip_defaults, sli_string_t *out) {
  sli_wire_write_text(out, 1, node->def.name);
  sli_wire_write_text(out, 2, node->def.op->def->name);
  write_inputs(node, out);
  const char *device = node->assigned_device ? node->assigned_device : node->def.device;
  if (*device) sli_wire_write_text(out, 4, device);
  for (size_t i = 0; i < node->def.attr_count; i++) {
    const sli_attr_entry_t *entry = &node->def.attrs[i];
    if (strip_defaults && is_default(node, entry)) continue;
    size_t attr = sli_wire_open(out, 5);
    sli_wire_write_text(out, 1, entry->name);
    size_t value = sli_wire_open(out, 2);
    sli_attr_encode(&entry->value, out);
    sli_wire_close(out, value);
    sli_wire_close(out, attr);
  }
}

void sli_node_export(const sli_node_t *node, sli_string_t *out) { write_node(node, false, out); }

static void write_graph(const sli_graph_t *graph, bool strip_defaults, size_t first_node, size_t first_function,
                        sli_string_t *out) {
  for (size_t i = first_node; i < graph->nodes.count; i++) {
    size_t node = sli_wire_open(out, 1);
    write_node(graph->nodes.items[i], strip_defaults, out);
    sli_wire_close(out, node);
  }
  size_t library = sli_wire_open(out, 2);
  for (size_t i = first_function; i < graph->functions.count; i++)
    sli_wire_write_bytes(out, 1, graph->functions.items[i].data, graph->functions.items[i].size);
  sli_wire_close(out, library);
  size_t versions = sli_wire_open(out, 4);
  sli_wire_write_int(out, 1, graph->producer);
  if (graph->min_consumer) sli_wire_write_int(out, 2, graph->min_consumer);
  sli_wire_close(out, versions);
}

void sli_graph_export(const sli_graph_t *graph, sli_string_t *out) { write_graph(graph, false, 0, 0, out); }

void sli_graph_export_stripped(const sli_graph_t *graph, sli_string_t *out) { write_graph(graph, true, 0, 0, out); }

void sli_graph_export_from(const sli_graph_t *graph, size_t first_node, size_t first_function, sli_string_t *out) {
  write_graph(graph, false, first_node, first_function, out);
}
