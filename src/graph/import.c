#include "graph/import.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/device.h"
#include "proto/wire.h"

// A NodeDef as it came: views into the message.
typedef struct {
  sli_view_t name, op, device;
  SLI_ARRAY(sli_view_t) inputs;
  SLI_ARRAY(sli_view_t) attrs;  // map entries
  const char *final_name;       // with prefix, made unique
  int pending;                  // inputs inside the GraphDef that are not imported yet
  SLI_ARRAY(int) consumers;     // by position in the GraphDef
  sli_node_t *node;
} source_node_t;

// A back edge of a loop, connected when all nodes exist.
typedef struct {
  source_node_t *consumer;
  int index;
  source_node_t *producer;
  int output;
} back_edge_t;

typedef struct {
  sli_graph_t *graph;
  const sli_import_options_t *options;
  const char *prefix;  // "" or "p/"
  SLI_ARRAY(source_node_t) nodes;
  sli_map_t by_name;  // name in the GraphDef → source_node_t
  SLI_ARRAY(back_edge_t) back_edges;
  SLI_ARRAY(sli_view_t) functions;
  bool *mapping_used;
  int producer, min_consumer;
  bool refused;         // by the producer, as a version known to be wrong
  sli_arena_t scratch;  // attributes while they are checked
} importer_t;

static const sli_import_options_t no_options;

// --- Reading the message ---------------------------------------------------

static sli_status_t *read_node(sli_view_t bytes, source_node_t *node) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    switch (field.number) {
      case 1: node->name = field.bytes; break;
      case 2: node->op = field.bytes; break;
      case 3: sli_array_push(&node->inputs, field.bytes); break;
      case 4: node->device = field.bytes; break;
      case 5: sli_array_push(&node->attrs, field.bytes); break;
      default: break;  // debug information and newer fields
    }
  }
  return reader.malformed ? sli_wire_error("tensorflow.NodeDef") : NULL;
}

static sli_status_t *read_versions(importer_t *importer, sli_view_t bytes) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == 1 && field.type == SLI_WIRE_VARINT) importer->producer = (int)field.value;
    if (field.number == 2 && field.type == SLI_WIRE_VARINT) importer->min_consumer = (int)field.value;
    sli_wire_values_t bad;
    if (field.number != 3 || !sli_wire_values_begin(&field, SLI_WIRE_VARINT, &bad)) continue;
    for (uint64_t value; sli_wire_values_next(&bad, &value);) importer->refused |= value == SLI_GRAPH_VERSION;
    if (bad.reader.malformed) return sli_wire_error("tensorflow.VersionDef");
  }
  return reader.malformed ? sli_wire_error("tensorflow.VersionDef") : NULL;
}

static sli_status_t *check_versions(const importer_t *importer) {
  if (importer->min_consumer > SLI_GRAPH_VERSION)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "GraphDef min consumer version %d above current version %d. Please upgrade Sluice.",
                           importer->min_consumer, SLI_GRAPH_VERSION);
  if (importer->producer < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "GraphDef producer version %d below min producer 0",
                           importer->producer);
  if (importer->refused)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "GraphDef disallows consumer version %d. Please upgrade Sluice: this "
                           "version is likely buggy.",
                           SLI_GRAPH_VERSION);
  return NULL;
}

static sli_status_t *read_library(importer_t *importer, sli_view_t bytes) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == 1 && field.type == SLI_WIRE_BYTES) sli_array_push(&importer->functions, field.bytes);
  return reader.malformed ? sli_wire_error("tensorflow.FunctionDefLibrary") : NULL;
}

static sli_status_t *read_graph(importer_t *importer, sli_view_t bytes) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == 1) {
      sli_array_push(&importer->nodes, (source_node_t){0});
      source_node_t *node = &importer->nodes.items[importer->nodes.count - 1];
      SLI_RETURN_IF_ERROR(read_node(field.bytes, node));
      // At once: a message of nothing but empty nodes would take many times its size.
      if (node->name.size == 0)
        return sli_status_make(SLI_INVALID_ARGUMENT, "Node %zu of the GraphDef has no name", importer->nodes.count - 1);
    } else if (field.number == 2) {
      SLI_RETURN_IF_ERROR(read_library(importer, field.bytes));
    } else if (field.number == 4) {
      SLI_RETURN_IF_ERROR(read_versions(importer, field.bytes));
    }
  }
  return reader.malformed ? sli_wire_error("tensorflow.GraphDef") : NULL;
}

// --- Names -----------------------------------------------------------------

static bool has_nul(sli_view_t view) { return view.size && memchr(view.data, '\0', view.size); }

static bool is_control(sli_view_t input) { return input.size && input.data[0] == '^'; }

// "^name", "name", "name:2" to name and output (-1: control).
static sli_status_t *split_input(sli_view_t input, sli_view_t *out_name, int *out_index) {
  *out_name = input;
  *out_index = 0;
  if (is_control(input)) {
    *out_name = sli_view_of(input.data + 1, input.size - 1);
    *out_index = -1;
    return NULL;
  }
  const char *colon = input.size ? memrchr(input.data, ':', input.size) : NULL;
  if (!colon) return NULL;
  int64_t index;
  size_t length = (size_t)(colon - input.data);
  if (!sli_view_to_int64(sli_view_of(colon + 1, input.size - length - 1), &index) || index < 0 || index > INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input '%.*s' is not of the form name:index", SLI_VIEW_ARG(input));
  out_name->size = length;
  *out_index = (int)index;
  return NULL;
}

static void choose_prefix(importer_t *importer) {
  const char *wanted = importer->options->prefix;
  if (!wanted || !*wanted) {
    importer->prefix = "";
    return;
  }
  sli_string_t prefix = {0};
  sli_string_append(&prefix, wanted, strlen(wanted) - (wanted[strlen(wanted) - 1] == '/'));
  size_t length = prefix.size;
  // A prefix is taken if any node has its name or lies under it.
  for (int number = 1, taken = importer->options->uniquify_prefix; taken; number++) {
    taken = 0;
    for (size_t i = 0; i < importer->graph->nodes.count && !taken; i++) {
      const char *name = importer->graph->nodes.items[i]->def.name;
      taken = strncmp(name, prefix.data, prefix.size) == 0 && (name[prefix.size] == '/' || !name[prefix.size]);
    }
    if (!taken) break;
    prefix.size = length;
    sli_string_append_format(&prefix, "_%d", number);
  }
  sli_string_append_char(&prefix, '/');
  importer->prefix = sli_arena_strndup(&importer->scratch, prefix.data, prefix.size);
  sli_string_deinitialize(&prefix);
}

// |name|, or |name|_1, _2 … such that no node of the graph has it, and none of the GraphDef will.
static const char *unique_name(importer_t *importer, const char *name) {
  const char *candidate = name;
  for (int number = 1;; number++) {
    bool clash = number > 1 && sli_map_get(&importer->by_name, sli_view(candidate + strlen(importer->prefix)));
    if (!clash && !sli_graph_find(importer->graph, sli_view(candidate))) return candidate;
    char *text = sli_format("%s_%d", name, number);
    candidate = sli_arena_strndup(&importer->scratch, text, strlen(text));
    free(text);
  }
}

static sli_status_t *index_nodes(importer_t *importer) {
  for (size_t i = 0; i < importer->nodes.count; i++) {
    source_node_t *source = &importer->nodes.items[i];
    if (has_nul(source->name) || has_nul(source->op) || has_nul(source->device))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Node %zu of the GraphDef has a zero byte in its name", i);
    if (!sli_map_insert(&importer->by_name, source->name, source))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Node '%.*s' is not unique", SLI_VIEW_ARG(source->name));
  }
  return NULL;
}

static sli_status_t *name_nodes(importer_t *importer) {
  SLI_RETURN_IF_ERROR(index_nodes(importer));
  choose_prefix(importer);
  for (size_t i = 0; i < importer->nodes.count; i++) {
    source_node_t *source = &importer->nodes.items[i];
    size_t length = strlen(importer->prefix) + source->name.size;
    char *name = sli_arena_allocate(&importer->scratch, length + 1);
    snprintf(name, length + 1, "%s%.*s", importer->prefix, SLI_VIEW_ARG(source->name));
    if (importer->options->uniquify_names) {
      source->final_name = unique_name(importer, name);
    } else if (sli_graph_find(importer->graph, sli_view(name))) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Node name '%s' already exists in the Graph", name);
    } else {
      source->final_name = name;
    }
  }
  return NULL;
}

// --- Edges -----------------------------------------------------------------

static const sli_import_mapping_t *find_mapping(importer_t *importer, sli_view_t name, int index) {
  for (size_t i = 0; i < importer->options->mapping_count; i++) {
    const sli_import_mapping_t *mapping = &importer->options->mappings[i];
    if (mapping->source_index != index || !sli_view_equal(mapping->source, name)) continue;
    importer->mapping_used[i] = true;
    return mapping;
  }
  return NULL;
}

static bool is_merge(const source_node_t *node) {
  return sli_view_is(node->op, "Merge") || sli_view_is(node->op, "RefMerge");
}

static bool is_next_iteration(const source_node_t *node) {
  return sli_view_is(node->op, "NextIteration") || sli_view_is(node->op, "RefNextIteration");
}

// Counts what each node waits for inside the GraphDef, and remembers back edges.
static sli_status_t *connect_nodes(importer_t *importer) {
  for (size_t i = 0; i < importer->nodes.count; i++) {
    source_node_t *node = &importer->nodes.items[i];
    bool control_seen = false;
    for (size_t k = 0; k < node->inputs.count; k++) {
      sli_view_t name;
      int index;
      sli_status_t *status = split_input(node->inputs.items[k], &name, &index);
      if (status) return sli_status_prefix(status, "Node '%.*s': ", SLI_VIEW_ARG(node->name));
      if (index >= 0 && control_seen)
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "Node '%.*s': Control dependencies must come after regular "
                               "dependencies",
                               SLI_VIEW_ARG(node->name));
      control_seen |= index < 0;
      if (find_mapping(importer, name, index)) continue;
      source_node_t *producer = sli_map_get(&importer->by_name, name);
      if (!producer) {
        if (importer->options->extend && sli_graph_find(importer->graph, name)) continue;
        return sli_status_make(SLI_INVALID_ARGUMENT, "Node '%.*s': Unknown input node '%.*s'", SLI_VIEW_ARG(node->name),
                               SLI_VIEW_ARG(node->inputs.items[k]));
      }
      if (index >= 0 && is_merge(node) && is_next_iteration(producer)) {
        sli_array_push(&importer->back_edges, (back_edge_t){node, (int)k, producer, index});
        continue;
      }
      node->pending++;
      sli_array_push(&producer->consumers, (int)i);
    }
  }
  return NULL;
}

// --- Attributes ------------------------------------------------------------

// "loc:@name" follows its node under the prefix.
static void rename_colocation(importer_t *importer, sli_attr_entry_t *entry) {
  if (strcmp(entry->name, "_class") != 0 || !entry->value.is_list || entry->value.kind != SLI_ATTR_STRING) return;
  sli_view_t *names = sli_arena_calloc(&importer->scratch, entry->value.count, sizeof(*names));
  for (size_t i = 0; i < entry->value.count; i++) {
    names[i] = entry->value.list.s[i];
    if (!sli_view_starts_with(names[i], "loc:@")) continue;
    source_node_t *target = sli_map_get(&importer->by_name, sli_view_of(names[i].data + 5, names[i].size - 5));
    if (!target) continue;
    size_t length = strlen(target->final_name) + 5;
    char *text = sli_arena_allocate(&importer->scratch, length + 1);
    snprintf(text, length + 1, "loc:@%s", target->final_name);
    names[i] = sli_view_of(text, length);
  }
  entry->value.list.s = names;
}

static void release_attrs(sli_attr_entry_t *attrs, size_t count) {
  for (size_t i = 0; i < count; i++) sli_attr_release_tensors(&attrs[i].value);
}

static sli_status_t *read_attr(importer_t *importer, sli_view_t bytes, sli_attr_entry_t *out_entry) {
  sli_view_t key = {0}, value = {0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == 1 && field.type == SLI_WIRE_BYTES) key = field.bytes;
    if (field.number == 2 && field.type == SLI_WIRE_BYTES) value = field.bytes;
  }
  if (reader.malformed || key.size == 0 || has_nul(key)) return sli_wire_error("tensorflow.NodeDef.AttrEntry");
  out_entry->name = sli_arena_strndup(&importer->scratch, key.data, key.size);
  SLI_RETURN_IF_ERROR(sli_attr_decode(value, &importer->scratch, &out_entry->value));
  rename_colocation(importer, out_entry);
  return NULL;
}

// A repeated key: the last one wins.
static sli_status_t *read_attrs(importer_t *importer, const source_node_t *source, sli_attr_entry_t **out_attrs,
                                size_t *out_count) {
  sli_attr_entry_t *attrs = sli_arena_calloc(&importer->scratch, source->attrs.count, sizeof(*attrs));
  size_t count = 0;
  *out_attrs = attrs;
  for (size_t i = 0; i < source->attrs.count; i++) {
    sli_attr_entry_t entry = {0};
    sli_status_t *status = read_attr(importer, source->attrs.items[i], &entry);
    if (status) {
      release_attrs(attrs, count);
      return status;
    }
    size_t at = 0;
    while (at < count && strcmp(attrs[at].name, entry.name) != 0) at++;
    if (at < count) sli_attr_release_tensors(&attrs[at].value);
    attrs[at] = entry;
    count = at < count ? count : count + 1;
  }
  *out_count = count;
  return NULL;
}

// --- Nodes -----------------------------------------------------------------

typedef struct {
  SLI_ARRAY(sli_output_t) inputs;
  SLI_ARRAY(sli_node_t *) controls;
  bool from_import;  // some edge comes from a node of the GraphDef
} edges_t;

static sli_status_t *add_edge(const source_node_t *source, sli_node_t *producer, int index, edges_t *edges) {
  if (index < 0) {
    sli_array_push(&edges->controls, producer);
    return NULL;
  }
  if (index >= producer->def.output_count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Node '%.*s': Connecting to invalid output %d of source node %s which "
                           "has %d outputs.",
                           SLI_VIEW_ARG(source->name), index, producer->def.name, producer->def.output_count);
  sli_array_push(&edges->inputs, (sli_output_t){producer, index});
  return NULL;
}

static sli_status_t *resolve_inputs(importer_t *importer, const source_node_t *source, edges_t *edges) {
  for (size_t k = 0; k < source->inputs.count; k++) {
    sli_view_t name;
    int index;
    SLI_RETURN_IF_ERROR(split_input(source->inputs.items[k], &name, &index));
    const sli_import_mapping_t *mapping = find_mapping(importer, name, index);
    if (mapping) {
      SLI_RETURN_IF_ERROR(
          add_edge(source, mapping->destination.node, index < 0 ? -1 : mapping->destination.index, edges));
      continue;
    }
    source_node_t *inner = sli_map_get(&importer->by_name, name);
    sli_node_t *producer = inner ? inner->node : sli_graph_find(importer->graph, name);
    edges->from_import |= inner != NULL;
    if (!producer) {
      // A back edge: until its producer exists, Merge's first input stands in, which has the same type.
      if (edges->inputs.count == 0)
        return sli_status_make(SLI_INVALID_ARGUMENT, "Node '%.*s': a loop must be entered through the first input",
                               SLI_VIEW_ARG(source->name));
      sli_array_push(&edges->inputs, edges->inputs.items[0]);
      continue;
    }
    SLI_RETURN_IF_ERROR(add_edge(source, producer, index, edges));
  }
  // Who gets a value of an imported node waits through that one.
  if (!edges->from_import)
    for (size_t i = 0; i < importer->options->control_dependency_count; i++)
      sli_array_push(&edges->controls, importer->options->control_dependencies[i]);
  return NULL;
}

static sli_status_t *check_device(const source_node_t *source) {
  sli_device_name_t parsed;
  if (sli_device_name_parse(source->device, &parsed)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Malformed device specification '%.*s' in node '%.*s'",
                         SLI_VIEW_ARG(source->device), SLI_VIEW_ARG(source->name));
}

static sli_status_t *import_node(importer_t *importer, source_node_t *source) {
  sli_attr_entry_t *attrs = NULL;
  size_t attr_count = 0;
  edges_t edges = {0};
  sli_status_t *status = NULL;
  SLI_GOTO_IF_ERROR(status, cleanup, check_device(source));
  SLI_GOTO_IF_ERROR(status, cleanup, read_attrs(importer, source, &attrs, &attr_count));
  SLI_GOTO_IF_ERROR(status, cleanup, resolve_inputs(importer, source, &edges));
  sli_view_t device = source->device;
  if (device.size == 0 && importer->options->default_device) device = sli_view(importer->options->default_device);
  sli_graph_node_t request = {
      .op = sli_arena_strndup(&importer->scratch, source->op.data, source->op.size),
      .name = source->final_name,
      .device = sli_arena_strndup(&importer->scratch, device.data, device.size),
      .inputs = edges.inputs.items,
      .input_count = edges.inputs.count,
      .control_inputs = edges.controls.items,
      .control_input_count = edges.controls.count,
      .attrs = attrs,
      .attr_count = attr_count,
  };
  status = sli_graph_add(importer->graph, &request, &source->node);
cleanup:
  release_attrs(attrs, attr_count);
  sli_array_deinitialize(&edges.inputs);
  sli_array_deinitialize(&edges.controls);
  return status;
}

// A heap of positions: what is ready is imported in the GraphDef's own order.
typedef struct {
  int *items;
  size_t count;
} heap_t;

static void heap_push(heap_t *heap, int item) {
  size_t at = heap->count++;
  for (; at && heap->items[(at - 1) / 2] > item; at = (at - 1) / 2) heap->items[at] = heap->items[(at - 1) / 2];
  heap->items[at] = item;
}

static int heap_pop(heap_t *heap) {
  int top = heap->items[0], last = heap->items[--heap->count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
    if (child + 1 < heap->count && heap->items[child + 1] < heap->items[child]) child++;
    if (heap->items[child] >= last) break;
    heap->items[at] = heap->items[child];
  }
  heap->items[at] = last;
  return top;
}

static sli_status_t *import_nodes(importer_t *importer) {
  heap_t ready = {.items = sli_calloc(importer->nodes.count, sizeof(int))};
  sli_status_t *status = NULL;
  size_t done = 0;
  for (size_t i = 0; i < importer->nodes.count; i++)
    if (!importer->nodes.items[i].pending) heap_push(&ready, (int)i);
  while (ready.count && !status) {
    source_node_t *source = &importer->nodes.items[heap_pop(&ready)];
    status = import_node(importer, source);
    done++;
    for (size_t k = 0; k < source->consumers.count; k++)
      if (--importer->nodes.items[source->consumers.items[k]].pending == 0)
        heap_push(&ready, source->consumers.items[k]);
  }
  free(ready.items);
  for (size_t i = 0; i < importer->back_edges.count && !status && done == importer->nodes.count; i++) {
    back_edge_t *edge = &importer->back_edges.items[i];
    status = sli_graph_set_input(edge->consumer->node, edge->index, (sli_output_t){edge->producer->node, edge->output});
  }
  if (!status && done < importer->nodes.count)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "%zu nodes in a cycle", importer->nodes.count - done);
  return status;
}

// --- Results ---------------------------------------------------------------

static sli_status_t *find_result(importer_t *importer, sli_view_t tensor_name, sli_output_t *out_output) {
  sli_view_t name;
  int index;
  SLI_RETURN_IF_ERROR(split_input(tensor_name, &name, &index));
  const sli_import_mapping_t *mapping = find_mapping(importer, name, index);
  source_node_t *source = sli_map_get(&importer->by_name, name);
  if (mapping) {
    *out_output = mapping->destination;
  } else if (source && index >= source->node->def.output_count) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid return output %d of node '%.*s', which has %d output(s)",
                           index, SLI_VIEW_ARG(name), source->node->def.output_count);
  } else if (!source || index < 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Requested return tensor '%.*s' not found in graph def",
                           SLI_VIEW_ARG(tensor_name));
  } else {
    *out_output = (sli_output_t){source->node, index};
  }
  return NULL;
}

static sli_status_t *collect_results(importer_t *importer, sli_import_results_t *results) {
  for (size_t i = 0; i < importer->options->return_output_count; i++) {
    sli_output_t output;
    SLI_RETURN_IF_ERROR(find_result(importer, importer->options->return_outputs[i], &output));
    sli_array_push(&results->outputs, output);
  }
  for (size_t i = 0; i < importer->options->return_node_count; i++) {
    source_node_t *source = sli_map_get(&importer->by_name, importer->options->return_nodes[i]);
    if (!source)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Requested return node '%.*s' not found in graph def",
                             SLI_VIEW_ARG(importer->options->return_nodes[i]));
    sli_array_push(&results->nodes, source->node);
  }
  // As TensorFlow: what names an output that exists and merely has no consumer is no mistake.
  for (size_t i = 0; i < importer->options->mapping_count; i++) {
    const sli_import_mapping_t *mapping = &importer->options->mappings[i];
    const source_node_t *source = sli_map_get(&importer->by_name, mapping->source);
    bool exists = source && mapping->source_index < source->node->def.output_count;
    if (!importer->mapping_used[i] && !exists) sli_array_push(&results->unused_mappings, *mapping);
  }
  return NULL;
}

void sli_import_results_deinitialize(sli_import_results_t *results) {
  sli_array_deinitialize(&results->outputs);
  sli_array_deinitialize(&results->nodes);
  sli_array_deinitialize(&results->unused_mappings);
}

static bool has_function(const sli_graph_t *graph, sli_view_t function) {
  for (size_t i = 0; i < graph->functions.count; i++)
    if (sli_view_equal(graph->functions.items[i], function)) return true;
  return false;
}

static void keep_library_and_versions(importer_t *importer) {
  sli_graph_t *graph = importer->graph;
  for (size_t i = 0; i < importer->functions.count; i++) {
    sli_view_t function = importer->functions.items[i];
    // Clients send the whole library with every extension.
    if (has_function(graph, function)) continue;
    sli_array_push(&graph->functions,
                   sli_view_of(sli_arena_strndup(&graph->arena, function.data, function.size), function.size));
  }
  // As TensorFlow: the graph is as old as its oldest part.
  if (importer->producer && importer->producer < graph->producer) graph->producer = importer->producer;
  if (importer->min_consumer > graph->min_consumer) graph->min_consumer = importer->min_consumer;
}

sli_status_t *sli_graph_import(sli_graph_t *graph, sli_view_t graph_def, const sli_import_options_t *options,
                               sli_import_results_t *results) {
  importer_t importer = {.graph = graph, .options = options ? options : &no_options};
  importer.mapping_used = sli_calloc(importer.options->mapping_count, sizeof(bool));
  size_t before = graph->nodes.count;
  sli_status_t *status = NULL;
  SLI_GOTO_IF_ERROR(status, cleanup, read_graph(&importer, graph_def));
  SLI_GOTO_IF_ERROR(status, cleanup, check_versions(&importer));
  SLI_GOTO_IF_ERROR(status, cleanup, name_nodes(&importer));
  SLI_GOTO_IF_ERROR(status, cleanup, connect_nodes(&importer));
  SLI_GOTO_IF_ERROR(status, cleanup, import_nodes(&importer));
  if (results) SLI_GOTO_IF_ERROR(status, cleanup, collect_results(&importer, results));
  keep_library_and_versions(&importer);
cleanup:
  if (status) sli_graph_truncate(graph, before);
  if (status && results) sli_import_results_deinitialize(results);
  for (size_t i = 0; i < importer.nodes.count; i++) {
    sli_array_deinitialize(&importer.nodes.items[i].inputs);
    sli_array_deinitialize(&importer.nodes.items[i].attrs);
    sli_array_deinitialize(&importer.nodes.items[i].consumers);
  }
  sli_array_deinitialize(&importer.nodes);
  sli_array_deinitialize(&importer.back_edges);
  sli_array_deinitialize(&importer.functions);
  sli_map_deinitialize(&importer.by_name);
  sli_arena_deinitialize(&importer.scratch);
  free(importer.mapping_used);
  return status;
}
