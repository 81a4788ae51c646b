#include "runtime/place/partition.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/step/device.h"
#include "runtime/place/partition_internal.h"

typedef struct {
  const sli_graph_t *source;
  const sli_device_set_t *devices;
  sli_partition_list_t *parts;
  int *part_of;         // by node id
  sli_node_t **copies;  // by node id: the node in its partition
  const sli_partition_loops_t *loops;
  bool bfloat16;       // values of type float are rounded on their way
  sli_map_t received;  // "id:output:part" → its _Recv: a value is sent to a task only once
  int edges;           // for the names of edges
} splitter_t;

// --- Which node belongs to which task --------------------------------------------------

static int part_for_task(splitter_t *splitter, sli_view_t task) {
  sli_partition_list_t *parts = splitter->parts;
  for (size_t i = 0; i < parts->parts.count; i++)
    if (sli_view_is(task, parts->parts.items[i].task)) return (int)i;
  sli_array_push(&parts->parts, (sli_partition_t){sli_strndup(task.data, task.size), NULL});
  return (int)parts->parts.count - 1;
}

static void find_parts(splitter_t *splitter) {
  for (size_t i = 0; i < splitter->source->nodes.count; i++) {
    const sli_node_t *node = splitter->source->nodes.items[i];
    splitter->part_of[i] = part_for_task(splitter, sli_device_name_task(sli_view(node->assigned_device)));
  }
}

static void copy_parts(splitter_t *splitter) {
  size_t count = splitter->source->nodes.count;
  bool *keep = sli_calloc(count, sizeof(*keep));
  sli_node_t **map = sli_calloc(count, sizeof(*map));
  for (size_t p = 0; p < splitter->parts->parts.count; p++) {
    for (size_t i = 0; i < count; i++) keep[i] = splitter->part_of[i] == (int)p;
    splitter->parts->parts.items[p].graph = sli_graph_copy(splitter->source, keep, map);
    for (size_t i = 0; i < count; i++)
      if (map[i]) splitter->copies[i] = map[i];
  }
  free(keep);
  free(map);
}

// --- Edges between tasks ---------------------------------------------------------

static sli_status_t *add_node(sli_graph_t *graph, const char *op, const char *base, const char *device,
                              const sli_output_t *input, sli_node_t *control, const sli_attr_entry_t *attrs,
                              size_t attr_count, sli_node_t **out_node) {
  sli_graph_node_t request = {
      .op = op,
      .name = sli_graph_unique_name(graph, base),
      .device = device,
      .inputs = input,
      .input_count = input ? 1 : 0,
      .control_inputs = &control,
      .control_input_count = control ? 1 : 0,
      .attrs = attrs,
      .attr_count = attr_count,
  };
  SLI_RETURN_IF_ERROR(sli_graph_add(graph, &request, out_node));
  (*out_node)->assigned_device = (*out_node)->def.device;
  return NULL;
}

// The tensor that is sent for a control edge: empty, of type float, produced after |node| ran.
static sli_status_t *add_trigger(sli_node_t *node, sli_output_t *out_output) {
  sli_tensor_t *empty = sli_tensor_empty_float();
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT), SLI_ATTR_TENSOR_OF("value", empty)};
  sli_node_t *trigger = NULL;
  sli_status_t *status =
      add_node(node->graph, "Const", "_control", node->assigned_device, NULL, node, attrs, 2, &trigger);
  sli_tensor_release(empty);
  *out_output = (sli_output_t){trigger, 0};
  return status;
}

// Converts |value| on |device|.
static sli_status_t *add_cast(sli_graph_t *graph, const char *base, const char *device, sli_dtype_t from,
                              sli_dtype_t to, sli_output_t value, sli_node_t **out_cast) {
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("SrcT", from), SLI_ATTR_TYPE_OF("DstT", to)};
  return add_node(graph, "Cast", base, device, &value, NULL, attrs, SLI_ARRAY_COUNT_OF(attrs), out_cast);
}

// Whether output |output| of |source| is rounded on its way to |consumer|. What is saved or restored stays as it is.
static bool is_rounded(const splitter_t *splitter, const sli_node_t *source, int output, const sli_node_t *consumer) {
  return splitter->bfloat16 && output >= 0 && !source->def.op->def->is_checkpoint &&
         !consumer->def.op->def->is_checkpoint &&
         sli_dtype_base(sli_graph_output_dtype((sli_output_t){(sli_node_t *)source, output})) == SLI_DTYPE_FLOAT;
}

static sli_status_t *add_pair(splitter_t *splitter, const sli_node_t *source, int output, const sli_node_t *consumer,
                              bool rounded, sli_node_t **out_recv) {
  sli_node_t *producer = splitter->copies[source->id];
  sli_output_t value = {producer, output};
  if (output < 0) SLI_RETURN_IF_ERROR(add_trigger(producer, &value));
  const sli_device_set_entry_t *device = sli_device_set_find(splitter->devices, sli_view(source->assigned_device));
  if (!device)
    return sli_status_make(SLI_INTERNAL, "Node '%s' is assigned to %s, which is not a device of the session",
                           source->def.name, source->assigned_device);
  sli_dtype_t type = sli_dtype_base(sli_graph_output_dtype(value));
  if (rounded) {
    sli_node_t *cast;
    SLI_RETURN_IF_ERROR(add_cast(producer->graph, source->def.name, source->assigned_device, SLI_DTYPE_FLOAT,
                                 SLI_DTYPE_BFLOAT16, value, &cast));
    value = (sli_output_t){cast, 0};
    type = SLI_DTYPE_BFLOAT16;
  }
  char *edge = sli_format("edge_%d_%s", splitter->edges++, source->def.name);
  char *name = sli_format("%s/_%d", source->def.name, splitter->edges);
  sli_attr_entry_t attrs[] = {
      SLI_ATTR_TYPE_OF("T", type),
      SLI_ATTR_STRING_OF("tensor_name", edge),
      SLI_ATTR_STRING_OF("send_device", source->assigned_device),
      SLI_ATTR_INT_OF("send_device_incarnation", (int64_t)device->incarnation),
      SLI_ATTR_STRING_OF("recv_device", consumer->assigned_device),
      SLI_ATTR_BOOL_OF("client_terminated", false),
  };
  sli_node_t *send;
  sli_status_t *status = add_node(producer->graph, "_Send", name, source->assigned_device, &value, NULL, attrs,
                                  SLI_ARRAY_COUNT_OF(attrs), &send);
  attrs[0].name = "tensor_type";
  sli_graph_t *destination = splitter->parts->parts.items[splitter->part_of[consumer->id]].graph;
  if (!status)
    status = add_node(destination, "_Recv", name, consumer->assigned_device, NULL, NULL, attrs,
                      SLI_ARRAY_COUNT_OF(attrs), out_recv);
  free(edge);
  free(name);
  return status;
}

// The _Recv of output |output| (-1: control) of |source| on |consumer|'s task.
static sli_status_t *transfer(splitter_t *splitter, const sli_node_t *source, int output, const sli_node_t *consumer,
                              sli_node_t **out_recv) {
  int part = splitter->part_of[consumer->id];
  bool rounded = is_rounded(splitter, source, output, consumer);
  char key[64];
  int length = snprintf(key, sizeof(key), "%d:%d:%d%s", source->id, output, part, rounded ? ":rounded" : "");
  sli_view_t view = sli_view_of(key, (size_t)length);
  *out_recv = sli_map_get(&splitter->received, view);
  if (*out_recv) return NULL;
  SLI_RETURN_IF_ERROR(add_pair(splitter, source, output, consumer, rounded, out_recv));
  // Inside a loop it must run in every iteration: see partition_loops.c.
  sli_node_t *merge = sli_partition_loops_merge(splitter->loops, splitter->loops->frame_of.items[source->id],
                                                consumer->assigned_device);
  if (merge) sli_graph_add_control_edge(splitter->copies[merge->id], *out_recv);
  // A dead value makes its consumers dead, but a control edge only tells that a node ran: an Identity after the receive
  // converts one to the other.
  if (output < 0) {
    sli_output_t trigger = {*out_recv, 0};
    sli_attr_entry_t type = SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT);
    SLI_RETURN_IF_ERROR(add_node((*out_recv)->graph, "Identity", "_control_received", consumer->assigned_device,
                                 &trigger, NULL, &type, 1, out_recv));
  }
  if (rounded) {
    sli_output_t value = {*out_recv, 0};
    SLI_RETURN_IF_ERROR(add_cast((*out_recv)->graph, source->def.name, consumer->assigned_device, SLI_DTYPE_BFLOAT16,
                                 SLI_DTYPE_FLOAT, value, out_recv));
  }
  sli_map_set(&splitter->received, view, *out_recv);
  return NULL;
}

static sli_status_t *connect_parts(splitter_t *splitter) {
  for (size_t i = 0; i < splitter->source->nodes.count; i++) {
    const sli_node_t *node = splitter->source->nodes.items[i];
    sli_node_t *recv;
    for (int k = 0; k < node->def.input_count; k++) {
      sli_output_t input = node->inputs[k];
      if (splitter->part_of[input.node->id] == splitter->part_of[i]) continue;
      SLI_RETURN_IF_ERROR(transfer(splitter, input.node, input.index, node, &recv));
      SLI_RETURN_IF_ERROR(sli_graph_set_input(splitter->copies[i], k, (sli_output_t){recv, 0}));
    }
    for (int k = 0; k < node->control_input_count; k++) {
      if (splitter->part_of[node->control_inputs[k]->id] == splitter->part_of[i]) continue;
      SLI_RETURN_IF_ERROR(transfer(splitter, node->control_inputs[k], -1, node, &recv));
      sli_graph_add_control_edge(recv, splitter->copies[i]);
    }
  }
  return NULL;
}

static sli_status_t *split(const sli_graph_t *graph, const sli_device_set_t *devices,
                           const sli_partition_loops_t *loops, bool bfloat16, sli_partition_list_t *out_partitions) {
  size_t count = graph->nodes.count;
  splitter_t splitter = {
      .source = graph, .devices = devices, .parts = out_partitions, .loops = loops, .bfloat16 = bfloat16};
  splitter.part_of = sli_calloc(count, sizeof(*splitter.part_of));
  splitter.copies = sli_calloc(count, sizeof(*splitter.copies));
  find_parts(&splitter);
  copy_parts(&splitter);
  sli_status_t *status = connect_parts(&splitter);
  for (size_t i = 0; i < out_partitions->parts.count; i++)
    sli_graph_drop_functions(out_partitions->parts.items[i].graph);
  if (status) sli_partition_list_deinitialize(out_partitions);
  free(splitter.part_of);
  free(splitter.copies);
  sli_map_deinitialize(&splitter.received);
  return status;
}

// A copy of the graph, to which control loops may be added.
static sli_graph_t *copy_graph(const sli_graph_t *graph) {
  bool *keep = sli_calloc(graph->nodes.count, sizeof(*keep));
  sli_node_t **map = sli_calloc(graph->nodes.count, sizeof(*map));
  memset(keep, true, graph->nodes.count * sizeof(*keep));
  sli_graph_t *copy = sli_graph_copy(graph, keep, map);
  free(keep);
  free(map);
  return copy;
}

static bool is_on_one_task(const sli_graph_t *graph) {
  for (size_t i = 1; i < graph->nodes.count; i++)
    if (!sli_view_equal(sli_device_name_task(sli_view(graph->nodes.items[i]->assigned_device)),
                        sli_device_name_task(sli_view(graph->nodes.items[0]->assigned_device))))
      return false;
  return graph->nodes.count > 0;
}

static bool has_loops(const sli_graph_t *graph) {
  for (size_t i = 0; i < graph->nodes.count; i++)
    if (sli_graph_control_flow(graph->nodes.items[i]) == SLI_OP_CONTROL_FLOW_ENTER) return true;
  return false;
}

sli_status_t *sli_partition_graph(sli_graph_t *graph, const sli_device_set_t *devices, bool bfloat16,
                                  sli_partition_list_t *out_partitions) {
  *out_partitions = (sli_partition_list_t){0};
  if (is_on_one_task(graph)) {
    sli_view_t task = sli_device_name_task(sli_view(graph->nodes.items[0]->assigned_device));
    sli_array_push(&out_partitions->parts,
                   (sli_partition_t){sli_strndup(task.data, task.size), sli_graph_retain(graph)});
    return NULL;
  }
  sli_graph_t *looped = has_loops(graph) ? copy_graph(graph) : sli_graph_retain(graph);
  sli_partition_loops_t loops;
  sli_status_t *status = sli_partition_loops_find(looped, &loops);
  if (!status) {
    status = sli_partition_loops_add(looped, &loops);
    if (!status) status = split(looped, devices, &loops, bfloat16, out_partitions);
    sli_partition_loops_deinitialize(&loops);
  }
  sli_graph_release(looped);
  return status;
}

void sli_partition_list_deinitialize(sli_partition_list_t *partitions) {
  for (size_t i = 0; i < partitions->parts.count; i++) {
    free(partitions->parts.items[i].task);
    sli_graph_release(partitions->parts.items[i].graph);
  }
  sli_array_deinitialize(&partitions->parts);
}
