#include "runtime/placer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "graph/import.h"

// Nodes that must lie together form a group (union-find over node ids); a group
// has one requested device and the devices that fit all its members.
typedef struct {
  int parent, rank;
  sli_device_name_t requested;
  int explicit_node;  // a member that asked for a device, for messages; -1: none
} group_t;

typedef struct {
  sli_graph_t *graph;
  const sli_placer_options_t *options;
  sli_device_name_t *device_names;  // parsed, in the order of the set
  group_t *groups;                  // by node id
  int default_device;               // position in the set; -1: none
} placer_t;

static int find_root(placer_t *placer, int id) {
  while (placer->groups[id].parent != id) {
    placer->groups[id].parent = placer->groups[placer->groups[id].parent].parent;
    id = placer->groups[id].parent;
  }
  return id;
}

static sli_node_t *node_at(const placer_t *placer, int id) { return placer->graph->nodes.items[id]; }

static sli_status_t *join(placer_t *placer, int a, int b, bool soft) {
  int x = find_root(placer, a), y = find_root(placer, b);
  if (x == y) return NULL;
  if (placer->groups[x].rank < placer->groups[y].rank) {
    int swap = x;
    x = y;
    y = swap;
  }
  group_t *into = &placer->groups[x], *from = &placer->groups[y];
  sli_status_t *status = sli_device_name_merge(&into->requested, &from->requested, soft);
  if (status)
    return sli_status_prefix(status, "Cannot colocate nodes {{colocation_node %s}} and {{colocation_node %s}}: ",
                             node_at(placer, a)->def.name, node_at(placer, b)->def.name);
  from->parent = x;
  if (into->rank == from->rank) into->rank++;
  if (into->explicit_node < 0) into->explicit_node = from->explicit_node;
  return NULL;
}

static sli_status_t *start_groups(placer_t *placer) {
  for (size_t i = 0; i < placer->graph->nodes.count; i++) {
    sli_node_t *node = placer->graph->nodes.items[i];
    group_t *group = &placer->groups[i];
    const char *device = node->assigned_device ? node->assigned_device : node->def.device;
    group->parent = (int)i;
    if (!sli_device_name_parse(sli_view(device), &group->requested))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Malformed device specification '%s' in node: {{node %s}}", device,
                             node->def.name);
    group->explicit_node = *device ? (int)i : -1;
  }
  return NULL;
}

// "_class": "loc:@name" asks to lie where |name| lies.
static sli_status_t *join_colocated(placer_t *placer, const sli_node_t *node) {
  const sli_attr_t *classes = sli_node_attr(&node->def, "_class");
  if (!classes || !classes->is_list || classes->kind != SLI_ATTR_STRING) return NULL;
  for (size_t i = 0; i < classes->count; i++) {
    sli_view_t name = classes->list.s[i];
    if (!sli_view_starts_with(name, "loc:@")) continue;
    sli_node_t *other = sli_graph_find(placer->graph, sli_view_of(name.data + 5, name.size - 5));
    // Pruning may have taken the other node: then there is nothing to follow.
    if (!other) continue;
    sli_status_t *status = join(placer, node->id, other->id, placer->options->allow_soft_placement);
    if (status) return sli_status_append(status, "\n\t [[{{node %s}}]]", node->def.name);
  }
  return NULL;
}

static bool pulls_together(const sli_node_t *node, int input) {
  sli_dtype_t type = node->def.input_types[input];
  return sli_dtype_is_ref(type) || type == SLI_DTYPE_RESOURCE;
}

// A node that takes a reference or a resource lies with what made it; its own wish gives way.
static sli_status_t *join_references(placer_t *placer, const sli_node_t *node) {
  for (int i = 0; i < node->def.input_count; i++) {
    if (!node->inputs[i].node || !pulls_together(node, i)) continue;
    int producer = node->inputs[i].node->id;
    group_t *own = &placer->groups[find_root(placer, node->id)];
    group_t *its = &placer->groups[find_root(placer, producer)];
    sli_device_name_t merged = its->requested;
    sli_status_t *conflict = sli_device_name_merge(&merged, &own->requested, false);
    if (conflict && its->explicit_node >= 0) own->requested = its->requested;
    sli_status_release(conflict);
    SLI_RETURN_IF_ERROR(join(placer, producer, node->id, placer->options->allow_soft_placement));
  }
  return NULL;
}

static sli_status_t *cannot_assign(placer_t *placer, const sli_node_t *node, const char *wanted) {
  sli_string_t list = {0};
  const sli_device_set_t *set = placer->options->devices;
  for (size_t i = 0; i < set->devices.count; i++)
    sli_string_append_format(&list, "%s%s", i ? ", " : "", set->devices.items[i].name);
  sli_status_t *status = sli_status_make(
      SLI_INVALID_ARGUMENT,
      "Cannot assign a device for operation %s: {{node %s}} was explicitly assigned to %s but available devices are "
      "[ %s ]. Make sure the device specification refers to a valid device.%s\n\t [[%s]]",
      node->def.name, node->def.name, wanted, sli_string_text(&list),
      strcasestr(wanted, "gpu") ? " The requested device appears to be a GPU, but CUDA is not enabled." : "",
      node->def.name);
  sli_string_deinitialize(&list);
  return status;
}

// The first device that fits: the default one before others. -1: none.
static int first_fit(const placer_t *placer, const sli_device_name_t *wanted) {
  if (placer->default_device >= 0 && sli_device_name_matches(wanted, &placer->device_names[placer->default_device]))
    return placer->default_device;
  for (size_t i = 0; i < placer->options->devices->devices.count; i++)
    if (sli_device_name_matches(wanted, &placer->device_names[i])) return (int)i;
  return -1;
}

static sli_status_t *choose_device(placer_t *placer, int root, int *out_device) {
  const group_t *group = &placer->groups[root];
  sli_device_name_t wanted = group->requested;
  *out_device = first_fit(placer, &wanted);
  if (*out_device < 0 && placer->options->allow_soft_placement) {
    wanted.has_type = wanted.has_id = false;
    *out_device = first_fit(placer, &wanted);
  }
  if (*out_device >= 0) return NULL;
  const sli_node_t *node = node_at(placer, group->explicit_node >= 0 ? group->explicit_node : root);
  return cannot_assign(placer, node, node->def.device);
}

// Every member must have a kernel for the type of device that was chosen.
static sli_status_t *check_kernel(const sli_node_t *node, const char *device_type) {
  if (sli_kernel_exists(node->def.op, device_type)) return NULL;
  return sli_status_make(
      SLI_INVALID_ARGUMENT,
      "Cannot assign a device for operation %s: Could not satisfy explicit device specification '%s' "
      "because no supported kernel for %s devices is available.\n\t [[%s]]",
      node->def.name, node->def.device, device_type, node->def.name);
}

static bool is_free(placer_t *placer, const sli_node_t *node) {
  const group_t *group = &placer->groups[node->id];
  return group->parent == node->id && group->rank == 0 && group->explicit_node < 0;
}

// A source that feeds one place only (a constant) lies there: it saves a transfer.
static const sli_node_t *only_consumer(const sli_node_t *node) {
  const sli_node_t *consumer = NULL;
  for (size_t i = 0; i < node->out_edges.count; i++) {
    const sli_out_edge_t *edge = &node->out_edges.items[i];
    if (edge->index < 0 || (consumer && consumer != edge->consumer)) return NULL;
    consumer = edge->consumer;
  }
  return consumer;
}

static bool is_generator(const sli_node_t *node) {
  return node->def.input_count == 0 && node->control_input_count == 0 && node->def.output_count == 1 &&
         !sli_dtype_is_ref(node->def.output_types[0]) && !node->def.op->def->is_stateful;
}

static bool is_metadata(const sli_node_t *node) {
  return sli_node_is(node, "Shape") || sli_node_is(node, "Size") || sli_node_is(node, "Rank");
}

static void assign(placer_t *placer, sli_node_t *node, const char *device) {
  node->assigned_device = sli_arena_strndup(&placer->graph->arena, device, strlen(device));
}

// TensorFlow looks at sources last, when it is known where they are needed: its errors and its log are in that order.
static bool comes_last(const sli_node_t *node) {
  return node->def.input_count == 0 && node->def.output_count == 1 && !sli_dtype_is_ref(node->def.output_types[0]);
}

// Nodes in that order; the caller frees the array.
static sli_node_t **order_nodes(const sli_graph_t *graph) {
  sli_node_t **order = sli_malloc((graph->nodes.count + 1) * sizeof(*order));
  size_t count = 0;
  for (int last = 0; last < 2; last++)
    for (size_t i = 0; i < graph->nodes.count; i++)
      if (comes_last(graph->nodes.items[i]) == last) order[count++] = graph->nodes.items[i];
  return order;
}

static sli_status_t *assign_groups(placer_t *placer) {
  size_t count = placer->graph->nodes.count;
  sli_node_t **order = order_nodes(placer->graph);
  int *chosen = sli_malloc(count * sizeof(*chosen));
  for (size_t i = 0; i < count; i++) chosen[i] = -1;
  sli_status_t *status = NULL;
  for (size_t i = 0; i < count && !status; i++) {
    sli_node_t *node = order[i];
    int root = find_root(placer, node->id);
    if (chosen[root] < 0) status = choose_device(placer, root, &chosen[root]);
    if (status) break;
    const sli_device_info_t *device = &placer->options->devices->devices.items[chosen[root]];
    status = check_kernel(node, device->type);
    if (!status) assign(placer, node, device->name);
  }
  free(chosen);
  free(order);
  return status;
}

// Free nodes follow their data where TensorFlow's heuristics say so.
static void follow_neighbours(placer_t *placer) {
  for (size_t i = 0; i < placer->graph->nodes.count; i++) {
    sli_node_t *node = placer->graph->nodes.items[i];
    if (is_free(placer, node) && is_metadata(node) && node->inputs[0].node)
      node->assigned_device = node->inputs[0].node->assigned_device;
  }
  for (size_t i = 0; i < placer->graph->nodes.count; i++) {
    sli_node_t *node = placer->graph->nodes.items[i];
    const sli_node_t *consumer = is_free(placer, node) && is_generator(node) ? only_consumer(node) : NULL;
    if (consumer) node->assigned_device = consumer->assigned_device;
  }
}

// TensorFlow's log line, and the plain one that its users see on stdout.
static void log_placement(const sli_graph_t *graph) {
  sli_node_t **order = order_nodes(graph);
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const sli_node_t *node = order[i];
    SLI_INFO("%s: (%s): %s", node->def.name, node->def.op->def->name, node->assigned_device);
    printf("%s: (%s): %s\n", node->def.name, node->def.op->def->name, node->assigned_device);
  }
  fflush(stdout);
  free(order);
}

static sli_status_t *place(placer_t *placer) {
  SLI_RETURN_IF_ERROR(start_groups(placer));
  // References first: a device that gives way to one is no obstacle to a colocation.
  for (size_t i = 0; i < placer->graph->nodes.count; i++)
    SLI_RETURN_IF_ERROR(join_references(placer, placer->graph->nodes.items[i]));
  for (size_t i = 0; i < placer->graph->nodes.count; i++)
    SLI_RETURN_IF_ERROR(join_colocated(placer, placer->graph->nodes.items[i]));
  SLI_RETURN_IF_ERROR(assign_groups(placer));
  follow_neighbours(placer);
  return NULL;
}

sli_status_t *sli_place(sli_graph_t *graph, const sli_placer_options_t *options) {
  const sli_device_set_t *set = options->devices;
  placer_t placer = {.graph = graph, .options = options, .default_device = -1};
  placer.device_names = sli_calloc(set->devices.count, sizeof(*placer.device_names));
  placer.groups = sli_calloc(graph->nodes.count, sizeof(*placer.groups));
  for (size_t i = 0; i < set->devices.count; i++) {
    SLI_CHECK(sli_device_name_parse(sli_view(set->devices.items[i].name), &placer.device_names[i]));
    if (options->default_device && !strcmp(options->default_device, set->devices.items[i].name))
      placer.default_device = (int)i;
  }
  sli_status_t *status = place(&placer);
  if (!status && options->log_placement) log_placement(graph);
  free(placer.device_names);
  free(placer.groups);
  return status;
}

sli_status_t *sli_graph_extend_placed(sli_graph_t *graph, sli_view_t graph_def, const sli_placer_options_t *options) {
  size_t before = graph->nodes.count;
  sli_import_options_t importing = {.extend = true};
  SLI_RETURN_IF_ERROR(sli_graph_import(graph, graph_def, &importing, NULL));
  sli_status_t *status = sli_place(graph, options);
  if (status) sli_graph_truncate(graph, before);
  return status;
}
