#include "graph/import.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/step/device.h"
#include "graph/import_internal.h"
#include "proto/graph.fields.h"
#include "proto/tensor.fields.h"
#include "proto/wire.h"

// A NodeDef as received: views into the message. Read again whenever it is needed: the memory for a large graph should
// be for its nodes.
typedef struct {
  sli_view_t name, op, device;
  SLI_ARRAY(sli_view_t) inputs;
  SLI_ARRAY(sli_view_t) attrs;  // map entries
} node_def_t;

// What is kept of each NodeDef.
typedef struct {
  const char *bytes;
  uint32_t size, name_at, name_size;  // of the NodeDef, and its name in it
  uint32_t first_consumer;            // in |consumers|; the next node's is the end
  int pending;                        // inputs inside the GraphDef that are not imported yet
  uint8_t control_flow;
  sli_node_t *node;
} source_node_t;

// A back edge of a loop, connected when all nodes exist.
typedef struct {
  source_node_t *consumer;
  int index;
  source_node_t *producer;
  sli_view_t input;  // as the consumer names it
  int output;
} back_edge_t;

typedef struct {
  sli_graph_t *graph;
  const sli_import_options_t *options;
  const sli_import_body_t *body;  // of a function; NULL: a GraphDef is imported
  const char *prefix;             // "" or "p/"
  SLI_ARRAY(source_node_t) nodes;
  size_t node_count;         // of the GraphDef
  sli_graph_names_t names;   // in the GraphDef
  const char **final_names;  // by position, with prefix and made unique; NULL: as in the GraphDef
  int *consumers;            // by position in the GraphDef, those of one node after the other
  node_def_t def;            // the NodeDef that is being looked at
  SLI_ARRAY(back_edge_t) back_edges;
  SLI_ARRAY(sli_view_t) functions;
  SLI_ARRAY(sli_view_t) gradients;  // GradientDefs
  bool *mapping_used;
  int producer, min_consumer;
  bool refused;         // the producer lists our version as a bad consumer
  sli_arena_t kept;     // names
  sli_arena_t scratch;  // of one node, while it is imported
} importer_t;

static const sli_import_options_t no_options;

// --- Reading the message ---------------------------------------------------

static sli_view_t name_of_source(const void *owner, uint32_t position) {
  const source_node_t *source = &((const importer_t *)owner)->nodes.items[position];
  return sli_view_of(source->bytes + source->name_at, source->name_size);
}

static sli_view_t source_name(const importer_t *importer, const source_node_t *source) {
  return name_of_source(importer, (uint32_t)(source - importer->nodes.items));
}

static source_node_t *find_source(const importer_t *importer, sli_view_t name) {
  int64_t position = sli_graph_names_find(&importer->names, name, name_of_source, importer);
  return position < 0 ? NULL : &importer->nodes.items[position];
}

static sli_status_t *read_node(sli_view_t bytes, node_def_t *node) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  node->name = node->op = node->device = sli_view_of("", 0);
  node->inputs.count = node->attrs.count = 0;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    switch (field.number) {
      case SLI_FIELD_NODE_DEF_NAME: node->name = field.bytes; break;
      case SLI_FIELD_NODE_DEF_OP: node->op = field.bytes; break;
      case SLI_FIELD_NODE_DEF_INPUT: sli_array_push(&node->inputs, field.bytes); break;
      case SLI_FIELD_NODE_DEF_DEVICE: node->device = field.bytes; break;
      case SLI_FIELD_NODE_DEF_ATTR: sli_array_push(&node->attrs, field.bytes); break;
      default: break;  // debug information and newer fields
    }
  }
  return reader.malformed ? sli_wire_error("tensorflow.NodeDef") : NULL;
}

// The NodeDef of |source|, which was read before, until the next call.
static const node_def_t *node_def(importer_t *importer, const source_node_t *source) {
  sli_status_t *status = read_node(sli_view_of(source->bytes, source->size), &importer->def);
  SLI_CHECK(!status);
  return &importer->def;
}

static sli_status_t *read_versions(importer_t *importer, sli_view_t bytes) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_VERSION_DEF_PRODUCER && field.type == SLI_WIRE_VARINT)
      importer->producer = (int)field.value;
    if (field.number == SLI_FIELD_VERSION_DEF_MIN_CONSUMER && field.type == SLI_WIRE_VARINT)
      importer->min_consumer = (int)field.value;
    sli_wire_values_t bad;
    if (field.number != SLI_FIELD_VERSION_DEF_BAD_CONSUMERS || !sli_wire_values_begin(&field, SLI_WIRE_VARINT, &bad))
      continue;
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
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_FUNCTION_DEF_LIBRARY_FUNCTION) sli_array_push(&importer->functions, field.bytes);
    if (field.number == SLI_FIELD_FUNCTION_DEF_LIBRARY_GRADIENT) sli_array_push(&importer->gradients, field.bytes);
  }
  return reader.malformed ? sli_wire_error("tensorflow.FunctionDefLibrary") : NULL;
}

// The least that a graph of |count| nodes in |bytes| takes while it is imported. Beyond it the importer looks after
// each node whether memory is short.
static size_t least_memory(size_t count, size_t bytes) {
  const size_t per_name = 32;
  return bytes + count * (sizeof(source_node_t) + sizeof(sli_node_t) + per_name);
}

static uint32_t node_field(const importer_t *importer) {
  return importer->body ? SLI_FIELD_FUNCTION_DEF_NODE_DEF : SLI_FIELD_GRAPH_DEF_NODE;
}

// Makes room for all nodes at once.
static sli_status_t *reserve_nodes(importer_t *importer, sli_view_t bytes) {
  size_t count = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    count += field.type == SLI_WIRE_BYTES && field.number == node_field(importer);
  importer->node_count = count;
  SLI_RETURN_IF_ERROR(sli_graph_check_memory("import", count, least_memory(count, bytes.size)));
  if (bytes.size > UINT32_MAX / 2 || count > INT32_MAX / 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "A GraphDef of %zu bytes with %zu nodes is too large: at most 2 GB",
                           bytes.size, count);
  sli_array_reserve(&importer->nodes, count + 1);  // one more ends the consumers of the last
  sli_array_reserve(&importer->graph->nodes, count);
  sli_graph_names_rebuild(&importer->names, 0, count, name_of_source, importer);
  return NULL;
}

// After each node: every allocation until the next check must fit into the spare of base/alloc.h.
static sli_status_t *check_memory(const importer_t *importer) {
  return sli_alloc_is_short() ? sli_graph_check_memory("import", importer->node_count, 0) : NULL;
}

static bool has_nul(sli_view_t view) { return view.size && memchr(view.data, '\0', view.size); }

static sli_status_t *add_source(importer_t *importer, sli_view_t bytes) {
  node_def_t *def = &importer->def;
  size_t position = importer->nodes.count;
  SLI_RETURN_IF_ERROR(read_node(bytes, def));
  // Checked at once: a message of empty nodes would take many times its size in memory.
  if (def->name.size == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Node %zu of the GraphDef has no name", position);
  if (has_nul(def->name) || has_nul(def->op) || has_nul(def->device))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Node %zu of the GraphDef has a zero byte in its name", position);
  if (find_source(importer, def->name))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Node '%.*s' is not unique", SLI_VIEW_ARG(def->name));
  if (sli_import_body_argument(importer->body, def->name))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Duplicated arg name: %.*s", SLI_VIEW_ARG(def->name));
  // An op that we do not have is reported when the node is added.
  const sli_op_t *op = sli_op_find(def->op);
  sli_array_push(&importer->nodes, (source_node_t){.bytes = bytes.data,
                                                   .size = (uint32_t)bytes.size,
                                                   .name_at = (uint32_t)(def->name.data - bytes.data),
                                                   .name_size = (uint32_t)def->name.size,
                                                   .control_flow = op ? (uint8_t)op->def->control_flow : 0});
  sli_graph_names_add(&importer->names, (uint32_t)position, name_of_source, importer);
  return NULL;
}

static sli_status_t *read_graph(importer_t *importer, sli_view_t bytes) {
  SLI_RETURN_IF_ERROR(reserve_nodes(importer, bytes));
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    SLI_RETURN_IF_ERROR(check_memory(importer));
    if (field.number == node_field(importer)) {
      SLI_RETURN_IF_ERROR(add_source(importer, field.bytes));
    } else if (importer->body) {
      continue;
    } else if (field.number == SLI_FIELD_GRAPH_DEF_LIBRARY) {
      SLI_RETURN_IF_ERROR(read_library(importer, field.bytes));
    } else if (field.number == SLI_FIELD_GRAPH_DEF_VERSIONS) {
      SLI_RETURN_IF_ERROR(read_versions(importer, field.bytes));
    }
  }
  return reader.malformed ? sli_wire_error("tensorflow.GraphDef") : NULL;
}

// --- Names -----------------------------------------------------------------

static bool is_control(sli_view_t input) { return input.size && input.data[0] == '^'; }

// "^name", "name", "name:2" to name and output (-1: control).
static sli_status_t *split_graph_input(sli_view_t input, sli_view_t *out_name, int *out_index) {
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

// In the body of a function "name:output:2": the output is found when the node exists.
static sli_status_t *split_input(const importer_t *importer, sli_view_t input, sli_view_t *out_name, int *out_index) {
  if (!importer->body || is_control(input)) return split_graph_input(input, out_name, out_index);
  const char *colon = input.size ? memchr(input.data, ':', input.size) : NULL;
  *out_name = sli_view_of(input.data, colon ? (size_t)(colon - input.data) : input.size);
  *out_index = 0;
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
  // A prefix is taken if a node is called that or is under it.
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
  importer->prefix = sli_arena_strndup(&importer->kept, prefix.data, prefix.size);
  sli_string_deinitialize(&prefix);
}

// |name|, or |name|_1, _2 … such that no node of the graph has it, and none of the GraphDef will.
static const char *unique_name(importer_t *importer, const char *name) {
  const char *candidate = name;
  for (int number = 1;; number++) {
    bool clash = number > 1 && find_source(importer, sli_view(candidate + strlen(importer->prefix)));
    if (!clash && !sli_graph_find(importer->graph, sli_view(candidate))) return candidate;
    char *text = sli_format("%s_%d", name, number);
    candidate = sli_arena_strndup(&importer->kept, text, strlen(text));
    free(text);
  }
}

static const char *final_name(importer_t *importer, const source_node_t *source) {
  if (importer->final_names) return importer->final_names[source - importer->nodes.items];
  sli_view_t name = source_name(importer, source);
  return sli_arena_strndup(&importer->scratch, name.data, name.size);
}

static sli_status_t *name_exists(sli_view_t name) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Node name '%.*s' already exists in the Graph", SLI_VIEW_ARG(name));
}

static sli_status_t *name_nodes(importer_t *importer) {
  choose_prefix(importer);
  bool keeps = !*importer->prefix && !importer->options->uniquify_names;
  if (!keeps) importer->final_names = sli_calloc(importer->nodes.count, sizeof(*importer->final_names));
  for (size_t i = 0; i < importer->nodes.count; i++) {
    sli_view_t source = source_name(importer, &importer->nodes.items[i]);
    if (keeps) {
      if (sli_graph_find(importer->graph, source)) return name_exists(source);
      continue;
    }
    size_t length = strlen(importer->prefix) + source.size;
    char *name = sli_arena_allocate(&importer->kept, length + 1);
    snprintf(name, length + 1, "%s%.*s", importer->prefix, SLI_VIEW_ARG(source));
    if (importer->options->uniquify_names)
      importer->final_names[i] = unique_name(importer, name);
    else if (sli_graph_find(importer->graph, sli_view(name)))
      return name_exists(sli_view(name));
    else
      importer->final_names[i] = name;
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

// Checks input |k| of |node|, whose NodeDef is the current one. |*out_producer| is the node of the GraphDef that it
// comes from, if it must be imported before; else NULL. Records back edges.
static sli_status_t *connect_input(importer_t *importer, source_node_t *node, size_t k, bool *control_seen,
                                   source_node_t **out_producer) {
  *out_producer = NULL;
  const node_def_t *def = &importer->def;
  sli_view_t name;
  int index;
  sli_status_t *status = split_input(importer, def->inputs.items[k], &name, &index);
  if (status) return sli_status_prefix(status, "Node '%.*s': ", SLI_VIEW_ARG(def->name));
  if (index >= 0 && *control_seen)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Node '%.*s': Control dependencies must come after regular "
                           "dependencies",
                           SLI_VIEW_ARG(def->name));
  *control_seen |= index < 0;
  if (find_mapping(importer, name, index) || sli_import_body_argument(importer->body, name)) return NULL;
  source_node_t *producer = find_source(importer, name);
  if (!producer && importer->body)
    return index < 0 ? sli_status_make(SLI_INVALID_ARGUMENT, "input[%zu] == '%.*s', is not found.", k,
                                       SLI_VIEW_ARG(def->inputs.items[k]))
                     : sli_status_make(SLI_INVALID_ARGUMENT, "input %.*s is not found: {{node %.*s}}",
                                       SLI_VIEW_ARG(def->inputs.items[k]), SLI_VIEW_ARG(def->name));
  if (!producer) {
    if (importer->options->extend && sli_graph_find(importer->graph, name)) return NULL;
    return sli_status_make(SLI_INVALID_ARGUMENT, "Node '%.*s': Unknown input node '%.*s'", SLI_VIEW_ARG(def->name),
                           SLI_VIEW_ARG(def->inputs.items[k]));
  }
  if (index >= 0 && node->control_flow == SLI_OP_CONTROL_FLOW_MERGE &&
      producer->control_flow == SLI_OP_CONTROL_FLOW_NEXT_ITERATION)
    sli_array_push(&importer->back_edges, (back_edge_t){node, (int)k, producer, def->inputs.items[k], index});
  else
    *out_producer = producer;
  return NULL;
}

// Counts the inputs of each node inside the GraphDef, and records back edges. Then lists the consumers of each node.
static sli_status_t *connect_nodes(importer_t *importer) {
  size_t count = importer->nodes.count, edges = 0;
  source_node_t *nodes = importer->nodes.items, *producer;
  nodes[count] = (source_node_t){0};
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < count; i++) {
      bool control_seen = false;
      const node_def_t *def = node_def(importer, &nodes[i]);
      for (size_t k = 0; k < def->inputs.count; k++) {
        SLI_RETURN_IF_ERROR(connect_input(importer, &nodes[i], k, &control_seen, &producer));
        if (!producer) continue;
        if (pass == 0) {
          if (edges++ == INT32_MAX)
            return sli_status_make(SLI_INVALID_ARGUMENT, "The GraphDef has more than %d edges", INT32_MAX);
          nodes[i].pending++;
          producer->first_consumer++;
        } else {
          importer->consumers[--producer->first_consumer] = (int)i;
        }
      }
    }
    if (pass == 1) break;
    SLI_RETURN_IF_ERROR(sli_graph_check_memory("import", count, edges * sizeof(*importer->consumers)));
    importer->consumers = sli_malloc(edges * sizeof(*importer->consumers));
    importer->back_edges.count = 0;  // the second pass finds them again
    for (size_t i = 0, end = 0; i <= count; i++)
      nodes[i].first_consumer = (uint32_t)(end += i < count ? nodes[i].first_consumer : 0);
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
    source_node_t *target = find_source(importer, sli_view_of(names[i].data + 5, names[i].size - 5));
    if (!target) continue;
    const char *name = final_name(importer, target);
    size_t length = strlen(name) + 5;
    char *text = sli_arena_allocate(&importer->scratch, length + 1);
    snprintf(text, length + 1, "loc:@%s", name);
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
    if (field.number == SLI_FIELD_NODE_DEF_ATTR_ENTRY_KEY && field.type == SLI_WIRE_BYTES) key = field.bytes;
    if (field.number == SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE && field.type == SLI_WIRE_BYTES) value = field.bytes;
  }
  if (reader.malformed || key.size == 0 || has_nul(key)) return sli_wire_error("tensorflow.NodeDef.AttrEntry");
  out_entry->name = sli_arena_strndup(&importer->scratch, key.data, key.size);
  SLI_RETURN_IF_ERROR(sli_attr_decode(value, &importer->scratch, &out_entry->value));
  if (importer->body)
    SLI_RETURN_IF_ERROR(
        sli_import_bind_attr(importer->body->attrs, importer->body->attr_count, &importer->scratch, &out_entry->value));
  rename_colocation(importer, out_entry);
  return NULL;
}

// Of two entries with the same key the last one counts.
static sli_status_t *read_attrs(importer_t *importer, const node_def_t *source, sli_attr_entry_t **out_attrs,
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
  sli_import_outputs_t inputs;
  SLI_ARRAY(sli_node_t *) controls;
  bool from_import;  // some edge comes from a node of the GraphDef
} edges_t;

static sli_status_t *add_edge(const node_def_t *source, sli_node_t *producer, int index, edges_t *edges) {
  if (index < 0) {
    sli_array_push(&edges->controls, producer);
    return NULL;
  }
  if (index >= producer->def.output_count) {
    const char *op = producer->def.op->def->name;
    bool may_have_more =
        !strcmp(op, "If") || !strcmp(op, "StatelessIf") || !strcmp(op, "While") || !strcmp(op, "StatelessWhile");
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Node '%.*s': Connecting to invalid output %d of source node %s which has %d outputs.%s",
                           SLI_VIEW_ARG(source->name), index, producer->def.name, producer->def.output_count,
                           may_have_more ? " Try using tf.compat.v1.experimental.output_all_intermediates(True)." : "");
  }
  sli_array_push(&edges->inputs, (sli_output_t){producer, index});
  return NULL;
}

static sli_status_t *resolve_inputs(importer_t *importer, const node_def_t *source, edges_t *edges) {
  for (size_t k = 0; k < source->inputs.count; k++) {
    sli_view_t name;
    int index;
    SLI_RETURN_IF_ERROR(split_input(importer, source->inputs.items[k], &name, &index));
    const sli_import_mapping_t *mapping = find_mapping(importer, name, index);
    if (mapping) {
      SLI_RETURN_IF_ERROR(
          add_edge(source, mapping->destination.node, index < 0 ? -1 : mapping->destination.index, edges));
      continue;
    }
    const sli_import_argument_t *argument = sli_import_body_argument(importer->body, name);
    if (argument && index < 0) {
      if (argument->count) sli_array_push(&edges->controls, argument->outputs[0].node);
      continue;
    }
    source_node_t *inner = find_source(importer, name);
    sli_node_t *producer = inner ? inner->node : sli_graph_find(importer->graph, name);
    edges->from_import |= inner != NULL;
    if (importer->body && index >= 0 && (argument || producer)) {
      sli_status_t *status = sli_import_body_input(importer->body, producer, source->inputs.items[k], &edges->inputs);
      if (status) return sli_status_append(status, ": {{node %.*s}}", SLI_VIEW_ARG(source->name));
      continue;
    }
    if (!producer) {
      // A back edge: until its producer exists, Merge's first input, which has the same type, takes its place.
      if (edges->inputs.count == 0)
        return sli_status_make(
            SLI_INVALID_ARGUMENT,
            "Node '%.*s': the first input of a Merge must enter the loop, but comes from NextIteration",
            SLI_VIEW_ARG(source->name));
      sli_array_push(&edges->inputs, edges->inputs.items[0]);
      continue;
    }
    SLI_RETURN_IF_ERROR(add_edge(source, producer, index, edges));
  }
  // A node with an input from an imported node waits through that one.
  if (!edges->from_import)
    for (size_t i = 0; i < importer->options->control_dependency_count; i++)
      sli_array_push(&edges->controls, importer->options->control_dependencies[i]);
  return NULL;
}

static sli_status_t *check_device(const node_def_t *source) {
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
  const node_def_t *def = node_def(importer, source);
  SLI_GOTO_IF_ERROR(status, cleanup, check_device(def));
  SLI_GOTO_IF_ERROR(status, cleanup, read_attrs(importer, def, &attrs, &attr_count));
  SLI_GOTO_IF_ERROR(status, cleanup, resolve_inputs(importer, def, &edges));
  sli_view_t device = def->device;
  if (device.size == 0 && importer->options->default_device) device = sli_view(importer->options->default_device);
  sli_graph_node_t request = {
      .op = sli_arena_strndup(&importer->scratch, def->op.data, def->op.size),
      .name = final_name(importer, source),
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
  sli_arena_clear(&importer->scratch);
  return status;
}

// A heap of positions: nodes that are ready are imported in the order of the GraphDef.
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

static sli_status_t *find_back_edge(const importer_t *importer, const back_edge_t *edge, sli_output_t *out_output) {
  sli_import_outputs_t outputs = {0};
  sli_status_t *status = sli_import_body_input(importer->body, edge->producer->node, edge->input, &outputs);
  if (!status && (outputs.count != 1 || edge->index >= edge->consumer->node->def.input_count))
    status = sli_import_not_in_body(edge->input);
  if (!status) *out_output = outputs.items[0];
  sli_array_deinitialize(&outputs);
  return status;
}

static sli_status_t *import_nodes(importer_t *importer) {
  heap_t ready = {.items = sli_calloc(importer->nodes.count, sizeof(int))};
  sli_status_t *status = NULL;
  size_t done = 0;
  for (size_t i = 0; i < importer->nodes.count; i++)
    if (!importer->nodes.items[i].pending) heap_push(&ready, (int)i);
  while (ready.count && !status) {
    source_node_t *source = &importer->nodes.items[heap_pop(&ready)];
    status = check_memory(importer);
    if (!status) status = import_node(importer, source);
    done++;
    for (uint32_t k = source->first_consumer; k < source[1].first_consumer; k++)
      if (--importer->nodes.items[importer->consumers[k]].pending == 0) heap_push(&ready, importer->consumers[k]);
  }
  free(ready.items);
  for (size_t i = 0; i < importer->back_edges.count && !status && done == importer->nodes.count; i++) {
    back_edge_t *edge = &importer->back_edges.items[i];
    sli_output_t output = {edge->producer->node, edge->output};
    if (importer->body) status = find_back_edge(importer, edge, &output);
    if (!status) status = sli_graph_set_input(edge->consumer->node, edge->index, output);
  }
  if (!status && done < importer->nodes.count)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "%zu nodes in a cycle", importer->nodes.count - done);
  return status;
}

// --- Results ---------------------------------------------------------------

static sli_status_t *find_result(importer_t *importer, sli_view_t tensor_name, sli_output_t *out_output) {
  sli_view_t name;
  int index;
  SLI_RETURN_IF_ERROR(split_input(importer, tensor_name, &name, &index));
  const sli_import_mapping_t *mapping = find_mapping(importer, name, index);
  source_node_t *source = find_source(importer, name);
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
    source_node_t *source = find_source(importer, importer->options->return_nodes[i]);
    if (!source)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Requested return node '%.*s' not found in graph def",
                             SLI_VIEW_ARG(importer->options->return_nodes[i]));
    sli_array_push(&results->nodes, source->node);
  }
  // As in TensorFlow, a mapping of an output that exists but has no consumer is not an error.
  for (size_t i = 0; i < importer->options->mapping_count; i++) {
    const sli_import_mapping_t *mapping = &importer->options->mappings[i];
    const source_node_t *source = find_source(importer, mapping->source);
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

// Clients send the whole function library with every extension.
static sli_status_t *keep_library(importer_t *importer) {
  sli_graph_library_t library = {importer->functions.items, importer->gradients.items, importer->functions.count,
                                 importer->gradients.count};
  return sli_graph_add_functions(importer->graph, &library);
}

// As in TensorFlow, the graph has the version of its oldest part.
static void keep_versions(importer_t *importer) {
  sli_graph_t *graph = importer->graph;
  if (importer->producer && importer->producer < graph->producer) graph->producer = importer->producer;
  if (importer->min_consumer > graph->min_consumer) graph->min_consumer = importer->min_consumer;
}

static sli_status_t *import(importer_t *importer, sli_view_t bytes, sli_import_results_t *results) {
  SLI_RETURN_IF_ERROR(read_graph(importer, bytes));
  SLI_RETURN_IF_ERROR(check_versions(importer));
  SLI_RETURN_IF_ERROR(keep_library(importer));
  SLI_RETURN_IF_ERROR(name_nodes(importer));
  SLI_RETURN_IF_ERROR(connect_nodes(importer));
  SLI_RETURN_IF_ERROR(import_nodes(importer));
  if (results) SLI_RETURN_IF_ERROR(collect_results(importer, results));
  keep_versions(importer);
  return NULL;
}

static sli_status_t *run(importer_t *importer, sli_view_t bytes, sli_import_results_t *results) {
  sli_graph_t *graph = importer->graph;
  importer->mapping_used = sli_calloc(importer->options->mapping_count, sizeof(bool));
  size_t before = graph->nodes.count;
  sli_graph_functions_t *functions = sli_graph_functions_retain(graph->functions);
  sli_status_t *status = import(importer, bytes, results);
  if (status) {
    sli_graph_truncate(graph, before);
    sli_graph_functions_release(graph->functions);
    graph->functions = sli_graph_functions_retain(functions);
  }
  sli_graph_functions_release(functions);
  if (status && results) sli_import_results_deinitialize(results);
  sli_array_deinitialize(&importer->def.inputs);
  sli_array_deinitialize(&importer->def.attrs);
  sli_array_deinitialize(&importer->nodes);
  sli_array_deinitialize(&importer->back_edges);
  sli_array_deinitialize(&importer->functions);
  sli_array_deinitialize(&importer->gradients);
  sli_graph_names_deinitialize(&importer->names);
  free(importer->final_names);
  free(importer->consumers);
  sli_arena_deinitialize(&importer->kept);
  sli_arena_deinitialize(&importer->scratch);
  free(importer->mapping_used);
  return status;
}

sli_status_t *sli_graph_import(sli_graph_t *graph, sli_view_t graph_def, const sli_import_options_t *options,
                               sli_import_results_t *results) {
  importer_t importer = {.graph = graph, .options = options ? options : &no_options};
  return run(&importer, graph_def, results);
}

sli_status_t *sli_graph_import_body(sli_graph_t *graph, sli_view_t function_def, const sli_import_body_t *body) {
  importer_t importer = {.graph = graph, .options = &no_options, .body = body};
  return run(&importer, function_def, NULL);
}
