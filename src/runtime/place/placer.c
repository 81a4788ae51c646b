#include "runtime/place/placer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "graph/function/function_inline.h"
#include "graph/import.h"

enum { MEMORY_PER_NODE = 48 };  // the placer allocates about this much

// Nodes that must be on the same device form a group (union-find over node ids). A
// group has one requested device, which many groups share.
typedef struct {
  int parent, rank;
  int explicit_node;  // a member that requests a device, for error messages; -1: none
  const sli_device_name_t *requested;
} group_t;

typedef struct {
  sli_graph_t *graph;
  const sli_placer_options_t *options;
  sli_device_name_t *device_names;  // parsed, in the order of the set
  const char **kept_names;          // by position in the set: its name in the graph's arena; NULL: not yet
  sli_arena_t names;                // of requested devices
  group_t *groups;                  // by node id
  int default_device;               // position in the set; -1: none
  // By root of a group: whether all its members have a kernel for GPUs. NULL: the set has none.
  bool *fits_gpu;
} placer_t;

static int find_root(placer_t *placer, int id) {
  while (placer->groups[id].parent != id) {
    placer->groups[id].parent = placer->groups[placer->groups[id].parent].parent;
    id = placer->groups[id].parent;
  }
  return id;
}

static sli_node_t *node_at(const placer_t *placer, int id) { return placer->graph->nodes.items[id]; }

static bool is_same_name(const sli_device_name_t *a, const sli_device_name_t *b) {
  return a->has_job == b->has_job && a->has_replica == b->has_replica && a->has_task == b->has_task &&
         a->has_type == b->has_type && a->has_id == b->has_id && (!a->has_job || sli_view_equal(a->job, b->job)) &&
         (!a->has_replica || a->replica == b->replica) && (!a->has_task || a->task == b->task) &&
         (!a->has_type || sli_view_equal(a->type, b->type)) && (!a->has_id || a->id == b->id);
}

static const sli_device_name_t *keep_name(placer_t *placer, const sli_device_name_t *name) {
  sli_device_name_t *kept = sli_arena_allocate(&placer->names, sizeof(*kept));
  *kept = *name;
  return kept;
}

static sli_status_t *join(placer_t *placer, int a, int b, bool soft) {
  int x = find_root(placer, a), y = find_root(placer, b);
  if (x == y) return NULL;
  if (placer->groups[x].rank < placer->groups[y].rank) {
    int swap = x;
    x = y;
    y = swap;
  }
  group_t *into = &placer->groups[x], *from = &placer->groups[y];
  sli_device_name_t merged = *into->requested;
  sli_status_t *status = sli_device_name_merge(&merged, from->requested, soft);
  if (status)
    return sli_status_prefix(status, "Cannot colocate nodes {{colocation_node %s}} and {{colocation_node %s}}: ",
                             node_at(placer, a)->def.name, node_at(placer, b)->def.name);
  if (is_same_name(&merged, from->requested))
    into->requested = from->requested;
  else if (!is_same_name(&merged, into->requested))
    into->requested = keep_name(placer, &merged);
  from->parent = x;
  if (into->rank == from->rank) into->rank++;
  if (into->explicit_node < 0) into->explicit_node = from->explicit_node;
  return NULL;
}

static sli_status_t *create_groups(placer_t *placer) {
  const char *last = NULL;
  const sli_device_name_t *name = NULL;  // of |last|
  for (size_t i = 0; i < placer->graph->nodes.count; i++) {
    sli_node_t *node = placer->graph->nodes.items[i];
    group_t *group = &placer->groups[i];
    const char *device = node->assigned_device ? node->assigned_device : node->def.device;
    group->parent = (int)i;
    if (!last || strcmp(device, last) != 0) {
      sli_device_name_t parsed;
      if (!sli_device_name_parse(sli_view(device), &parsed))
        return sli_status_make(SLI_INVALID_ARGUMENT, "Malformed device specification '%s' in node: {{node %s}}", device,
                               node->def.name);
      last = device;
      name = keep_name(placer, &parsed);
    }
    group->requested = name;
    group->explicit_node = *device ? (int)i : -1;
  }
  return NULL;
}

// "_class": "loc:@name" requests the device of |name|.
static sli_status_t *join_colocated(placer_t *placer, const sli_node_t *node) {
  const sli_attr_t *classes = sli_node_attr(&node->def, "_class");
  if (!classes || !classes->is_list || classes->kind != SLI_ATTR_STRING) return NULL;
  for (size_t i = 0; i < classes->count; i++) {
    sli_view_t name = classes->list.s[i];
    if (!sli_view_starts_with(name, "loc:@")) continue;
    sli_node_t *other = sli_graph_find(placer->graph, sli_view_of(name.data + 5, name.size - 5));
    // The other node may have been pruned; then the request has no effect.
    if (!other) continue;
    sli_status_t *status = join(placer, node->id, other->id, placer->options->allow_soft_placement);
    if (status) return sli_status_append(status, "\n\t [[{{node %s}}]]", node->def.name);
  }
  return NULL;
}

static bool must_be_with_producer(const sli_node_t *node, int input) {
  sli_dtype_t type = node->def.input_types[input];
  return sli_dtype_is_ref(type) || type == SLI_DTYPE_RESOURCE;
}

// A node that takes a reference or a resource is placed with its producer. If the devices that both request conflict,
// that of the producer counts.
static sli_status_t *join_references(placer_t *placer, const sli_node_t *node) {
  if (sli_node_attr(&node->def, SLI_FUNCTION_INLINE_KEPT)) return NULL;
  for (int i = 0; i < node->def.input_count; i++) {
    if (!node->inputs[i].node || !must_be_with_producer(node, i)) continue;
    int producer = node->inputs[i].node->id;
    group_t *own = &placer->groups[find_root(placer, node->id)];
    group_t *its = &placer->groups[find_root(placer, producer)];
    sli_device_name_t merged = *its->requested;
    sli_status_t *conflict = sli_device_name_merge(&merged, own->requested, false);
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

static bool is_gpu(const placer_t *placer, int device) {
  return !strcmp(placer->options->devices->devices.items[device].type, "GPU");
}

static bool is_with_default(const placer_t *placer, int device) {
  const sli_device_set_entry_t *devices = placer->options->devices->devices.items;
  return placer->default_device >= 0 &&
         sli_view_equal(sli_device_name_task(sli_view(devices[device].name)),
                        sli_device_name_task(sli_view(devices[placer->default_device].name)));
}

// A GPU that fits, those on the task of the default device first. -1: none.
static int first_gpu(const placer_t *placer, const sli_device_name_t *wanted) {
  int first = -1;
  for (size_t i = 0; i < placer->options->devices->devices.count; i++) {
    if (!is_gpu(placer, (int)i) || !sli_device_name_matches(wanted, &placer->device_names[i])) continue;
    if (is_with_default(placer, (int)i)) return (int)i;
    if (first < 0) first = (int)i;
  }
  return first;
}

// The first device that fits the group of |root|: GPUs before others, then the default device first. -1: none.
static int first_fit(const placer_t *placer, int root, const sli_device_name_t *wanted) {
  int gpu = placer->fits_gpu && placer->fits_gpu[root] ? first_gpu(placer, wanted) : -1;
  if (gpu >= 0) return gpu;
  if (placer->default_device >= 0 && sli_device_name_matches(wanted, &placer->device_names[placer->default_device]))
    return placer->default_device;
  for (size_t i = 0; i < placer->options->devices->devices.count; i++)
    if (!is_gpu(placer, (int)i) && sli_device_name_matches(wanted, &placer->device_names[i])) return (int)i;
  return -1;
}

static sli_status_t *choose_device(placer_t *placer, int root, int *out_device) {
  const group_t *group = &placer->groups[root];
  sli_device_name_t wanted = *group->requested;
  *out_device = first_fit(placer, root, &wanted);
  if (*out_device < 0 && placer->options->allow_soft_placement) {
    wanted.has_type = wanted.has_id = false;
    *out_device = first_fit(placer, root, &wanted);
  }
  // A GPU that is asked for by name, though a member of the group has no kernel for it: check_kernel() names the
  // member.
  if (*out_device < 0) *out_device = first_gpu(placer, &wanted);
  if (*out_device >= 0) return NULL;
  const sli_node_t *node = node_at(placer, group->explicit_node >= 0 ? group->explicit_node : root);
  return cannot_assign(placer, node, node->def.device);
}

// Every member must have a kernel for the type of the chosen device.
static sli_status_t *check_kernel(const sli_node_t *node, const char *device_type) {
  if (!strcmp(device_type, "GPU") ? sli_kernel_supports(&node->def, device_type)
                                  : sli_kernel_exists(node->def.op, device_type))
    return NULL;
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

// A source with one consumer (a constant) is placed with that consumer, which saves a transfer.
static const sli_node_t *only_consumer(const sli_node_t *node) {
  const sli_node_t *consumer = NULL;
  for (size_t i = 0; i < node->out_edges.count; i++) {
    const sli_graph_edge_t *edge = &node->out_edges.items[i];
    if (edge->index < 0 || (consumer && consumer != edge->consumer)) return NULL;
    consumer = edge->consumer;
  }
  return consumer;
}

static bool is_generator(const sli_node_t *node) {
  return node->def.input_count == 0 && node->control_input_count == 0 && node->def.output_count == 1 &&
         !sli_dtype_is_ref(node->def.output_types[0]) && !node->def.op->def->is_stateful;
}

// The graph may outlive the set of devices, so it has a copy of each name that it uses.
static void assign(placer_t *placer, sli_node_t *node, int device) {
  const char *name = placer->options->devices->devices.items[device].name, **kept = &placer->kept_names[device];
  if (node->assigned_device && !strcmp(node->assigned_device, name)) return;
  if (!*kept) *kept = sli_arena_strndup(&placer->graph->arena, name, strlen(name));
  node->assigned_device = *kept;
}

// TensorFlow places sources last, when their consumers are placed; its errors and its log are in that order.
static bool is_source(const sli_node_t *node) {
  return node->def.input_count == 0 && node->def.output_count == 1 && !sli_dtype_is_ref(node->def.output_types[0]);
}

// Nodes in that order; the caller frees the array.
static sli_node_t **order_nodes(const sli_graph_t *graph) {
  sli_node_t **order = sli_malloc((graph->nodes.count + 1) * sizeof(*order));
  size_t count = 0;
  for (int last = 0; last < 2; last++)
    for (size_t i = 0; i < graph->nodes.count; i++)
      if (is_source(graph->nodes.items[i]) == last) order[count++] = graph->nodes.items[i];
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
    status = check_kernel(node, placer->options->devices->devices.items[chosen[root]].type);
    if (!status) assign(placer, node, chosen[root]);
  }
  free(chosen);
  free(order);
  return status;
}

static void move_to(const placer_t *placer, sli_node_t *node, const char *device) {
  const sli_device_set_entry_t *entry =
      placer->fits_gpu ? sli_device_set_find(placer->options->devices, sli_view(device)) : NULL;
  if (!entry || sli_kernel_supports(&node->def, entry->type)) node->assigned_device = device;
}

// TensorFlow's heuristics for nodes that request no device: an op that reads only metadata (Shape) is placed with its
// input, a source with its only consumer.
static void move_free_nodes(placer_t *placer) {
  for (size_t i = 0; i < placer->graph->nodes.count; i++) {
    sli_node_t *node = placer->graph->nodes.items[i];
    if (is_free(placer, node) && node->def.op->def->is_metadata && node->inputs[0].node)
      move_to(placer, node, node->inputs[0].node->assigned_device);
  }
  for (size_t i = 0; i < placer->graph->nodes.count; i++) {
    sli_node_t *node = placer->graph->nodes.items[i];
    const sli_node_t *consumer = is_free(placer, node) && is_generator(node) ? only_consumer(node) : NULL;
    if (consumer) move_to(placer, node, consumer->assigned_device);
  }
}

// TensorFlow's log line, and the line that it prints to stdout.
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

static void find_gpu_groups(placer_t *placer) {
  bool any = false;
  for (size_t i = 0; i < placer->options->devices->devices.count; i++) any |= is_gpu(placer, (int)i);
  if (!any) return;
  size_t count = placer->graph->nodes.count;
  placer->fits_gpu = sli_malloc(count + 1);
  memset(placer->fits_gpu, true, count + 1);
  for (size_t i = 0; i < count; i++)
    if (!sli_kernel_supports(&node_at(placer, (int)i)->def, "GPU")) placer->fits_gpu[find_root(placer, (int)i)] = false;
}

static sli_status_t *place(placer_t *placer) {
  SLI_RETURN_IF_ERROR(create_groups(placer));
  // References first: a requested device that a reference overrides must not conflict with a colocation.
  for (size_t i = 0; i < placer->graph->nodes.count; i++)
    SLI_RETURN_IF_ERROR(join_references(placer, placer->graph->nodes.items[i]));
  for (size_t i = 0; i < placer->graph->nodes.count; i++)
    SLI_RETURN_IF_ERROR(join_colocated(placer, placer->graph->nodes.items[i]));
  find_gpu_groups(placer);
  SLI_RETURN_IF_ERROR(assign_groups(placer));
  move_free_nodes(placer);
  return NULL;
}

sli_status_t *sli_placer_place(sli_graph_t *graph, const sli_placer_options_t *options) {
  const sli_device_set_t *set = options->devices;
  SLI_RETURN_IF_ERROR(sli_graph_check_memory("place", graph->nodes.count, graph->nodes.count * MEMORY_PER_NODE));
  placer_t placer = {.graph = graph, .options = options, .default_device = -1};
  placer.device_names = sli_calloc(set->devices.count, sizeof(*placer.device_names));
  placer.kept_names = sli_calloc(set->devices.count, sizeof(*placer.kept_names));
  placer.groups = sli_calloc(graph->nodes.count, sizeof(*placer.groups));
  for (size_t i = 0; i < set->devices.count; i++) {
    SLI_CHECK(sli_device_name_parse(sli_view(set->devices.items[i].name), &placer.device_names[i]));
    if (options->default_device && !strcmp(options->default_device, set->devices.items[i].name))
      placer.default_device = (int)i;
  }
  sli_status_t *status = place(&placer);
  if (!status && options->log_placement) log_placement(graph);
  free(placer.device_names);
  free(placer.kept_names);
  free(placer.groups);
  free(placer.fits_gpu);
  sli_arena_deinitialize(&placer.names);
  return status;
}

sli_status_t *sli_placer_extend_graph(sli_graph_t *graph, sli_view_t graph_def, const sli_placer_options_t *options) {
  size_t before = graph->nodes.count;
  sli_import_options_t importing = {.extend = true};
  sli_graph_functions_t *functions = sli_graph_functions_retain(graph->functions);
  sli_status_t *status = sli_graph_import(graph, graph_def, &importing, NULL);
  bool is_imported = !status;
  if (!status) status = sli_function_inline(graph, before, &(sli_function_inline_options_t){0});
  if (!status) status = sli_placer_place(graph, options);
  if (!status) status = sli_graph_check_memory("place", graph->nodes.count, 0);
  if (status && is_imported) {
    sli_graph_truncate(graph, before);
    sli_graph_functions_release(graph->functions);
    graph->functions = sli_graph_functions_retain(functions);
  }
  sli_graph_functions_release(functions);
  return status;
}
