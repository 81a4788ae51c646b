#include "runtime/plan/copies.h"

#include <stdlib.h>

#include "base/map.h"
#include "graph/graph_rewrite.h"

typedef struct {
  const sli_plan_request_t *request;
  sli_graph_t *graph;
  // By node id, of the nodes that were there before:
  sli_device_t **device;  // NULL: host memory only
  sli_kernel_host_t *host;
  bool *has_feed;
  sli_map_t copies;  // copy_key_t → node
} copies_t;

typedef struct {
  int node, output, reader;
  const sli_device_t *device;  // NULL: host memory
} copy_key_t;

bool sli_plan_needs_copies(const sli_device_set_t *devices) {
  for (size_t i = 0; i < devices->devices.count; i++)
    if (devices->devices.items[i].local && devices->devices.items[i].local->vtable) return true;
  return false;
}

static bool is_fed(const copies_t *c, sli_output_t output) {
  if (!c->has_feed[output.node->id]) return false;
  for (size_t i = 0; i < c->request->feed_count; i++)
    if (sli_graph_output_equal(c->request->feeds[i], output)) return true;
  return false;
}

static bool is_constant(const sli_node_t *node) { return sli_graph_node_is(node, "Const"); }

// The device in whose memory a value is; NULL: host memory.
static sli_device_t *memory_of(const copies_t *c, sli_output_t output) {
  int id = output.node->id;
  if (!c->device[id] || is_constant(output.node) || is_fed(c, output)) return NULL;
  return sli_kernel_is_in(c->host[id].outputs, output.index) ? NULL : c->device[id];
}

// The copy waits for |after|, a node's control inputs, if that is not NULL.
static sli_status_t *add_node(copies_t *c, const char *op, sli_output_t value, const sli_device_t *device,
                              const sli_node_t *after, sli_output_t *out_copy) {
  bool is_const = !strcmp(op, "_DeviceConst");
  if (is_const) after = value.node;
  sli_attr_entry_t attrs[2] = {
      SLI_ATTR_TYPE_OF(is_const ? "dtype" : "T", sli_dtype_base(sli_graph_output_dtype(value)))};
  if (is_const) {
    sli_tensor_t *tensor;
    SLI_RETURN_IF_ERROR(sli_node_attr_tensor(&value.node->def, "value", &tensor));
    attrs[1] = (sli_attr_entry_t)SLI_ATTR_TENSOR_OF("value", tensor);
  }
  char *base = sli_format("%s/%s_%d", value.node->def.name, is_const ? "device" : op + 1, value.index);
  sli_graph_node_t request = {.op = op,
                              .name = sli_graph_unique_name(c->graph, base),
                              .device = device->name,
                              .inputs = &value,
                              .input_count = !is_const,
                              .control_inputs = after ? after->control_inputs : NULL,
                              .control_input_count = after ? (size_t)after->control_input_count : 0,
                              .attrs = attrs,
                              .attr_count = is_const ? 2 : 1,
                              .is_private = true};
  free(base);
  sli_node_t *node;
  SLI_RETURN_IF_ERROR(sli_graph_add(c->graph, &request, &node));
  node->assigned_device = node->def.device;
  *out_copy = (sli_output_t){node, 0};
  return NULL;
}

// A copy of |value| in the memory of |target|, or in host memory, for |reader| (NULL: a fetch) and for others. A
// variable is copied for each reader, after the updates that the reader waits for.
static sli_status_t *copy_value(copies_t *c, sli_output_t value, sli_device_t *target, const sli_node_t *reader,
                                sli_output_t *out_copy) {
  sli_device_t *source = memory_of(c, value);
  if (!sli_dtype_is_ref(sli_graph_output_dtype(value))) reader = NULL;
  copy_key_t key;
  memset(&key, 0, sizeof(key));
  key.node = value.node->id;
  key.output = value.index;
  key.reader = reader ? reader->id : -1;
  key.device = target;
  sli_view_t view = sli_view_of((const char *)&key, sizeof(key));
  sli_node_t *existing = sli_map_get(&c->copies, view);
  if (existing) {
    *out_copy = (sli_output_t){existing, 0};
    return NULL;
  }
  if (!target) {
    SLI_RETURN_IF_ERROR(add_node(c, "_CopyToHost", value, source, reader, out_copy));
  } else {
    sli_output_t on_host = value;
    if (source) SLI_RETURN_IF_ERROR(copy_value(c, value, NULL, reader, &on_host));
    bool is_const = !source && is_constant(value.node) && !is_fed(c, value);
    SLI_RETURN_IF_ERROR(
        add_node(c, is_const ? "_DeviceConst" : "_CopyToDevice", on_host, target, source ? NULL : reader, out_copy));
  }
  sli_map_set(&c->copies, view, out_copy->node);
  return NULL;
}

static sli_status_t *copy_input(copies_t *c, sli_node_t *node, int index) {
  sli_output_t value = node->inputs[index];
  if (!value.node || sli_dtype_is_ref(node->def.input_types[index])) return NULL;
  sli_device_t *source = memory_of(c, value), *target = c->device[node->id];
  if (target && sli_kernel_is_in(c->host[node->id].inputs, index)) target = NULL;
  return source == target ? NULL : copy_value(c, value, target, node, &node->inputs[index]);
}

// A value comes back to the beginning of a loop without a node in between.
static void move_back_edges(const copies_t *c) {
  for (size_t i = 0; i < c->graph->nodes.count; i++) {
    sli_node_t *merge = c->graph->nodes.items[i];
    for (int k = 0; sli_graph_control_flow(merge) == SLI_OP_CONTROL_FLOW_MERGE && k < merge->def.input_count; k++) {
      sli_node_t *from = merge->inputs[k].node;
      if (from && sli_graph_control_flow(from) == SLI_OP_CONTROL_FLOW_NEXT_ITERATION)
        from->assigned_device = merge->assigned_device;
    }
  }
}

static sli_status_t *find_memories(copies_t *c) {
  for (size_t i = 0; i < c->request->feed_count; i++) c->has_feed[c->request->feeds[i].node->id] = true;
  for (size_t i = 0; i < c->graph->nodes.count; i++) {
    const sli_node_t *node = c->graph->nodes.items[i];
    const sli_device_set_entry_t *entry =
        node->assigned_device ? sli_device_set_find(c->request->devices, sli_view(node->assigned_device)) : NULL;
    const sli_kernel_def_t *kernel;
    if (!entry || !entry->local || !entry->local->vtable) continue;
    SLI_RETURN_IF_ERROR(sli_kernel_find(&node->def, entry->local->type, &kernel));
    c->device[i] = entry->local;
    c->host[i] = sli_kernel_host_arguments(kernel, &node->def);
  }
  return NULL;
}

static sli_status_t *add_copies(copies_t *c, size_t count, sli_output_t *fetches) {
  move_back_edges(c);
  SLI_RETURN_IF_ERROR(find_memories(c));
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < c->graph->nodes.items[i]->def.input_count; k++)
      SLI_RETURN_IF_ERROR(copy_input(c, c->graph->nodes.items[i], k));
  for (size_t i = 0; i < c->request->fetch_count; i++)
    if (memory_of(c, fetches[i])) SLI_RETURN_IF_ERROR(copy_value(c, fetches[i], NULL, NULL, &fetches[i]));
  return NULL;
}

sli_status_t *sli_plan_add_copies(const sli_plan_request_t *request, sli_output_t *fetches) {
  size_t count = request->graph->nodes.count;
  sli_arena_t arena = {0};
  copies_t copies = {
      .request = request,
      .graph = request->graph,
      .device = sli_arena_calloc(&arena, count, sizeof(sli_device_t *)),
      .host = sli_arena_calloc(&arena, count, sizeof(sli_kernel_host_t)),
      .has_feed = sli_arena_calloc(&arena, count, sizeof(bool)),
  };
  sli_status_t *status = add_copies(&copies, count, fetches);
  sli_graph_relink(request->graph);
  sli_map_deinitialize(&copies.copies);
  sli_arena_deinitialize(&arena);
  return status;
}
