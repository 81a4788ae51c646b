// What the graphs that are registered here consist of, and to which tasks they send: for the status of a task.
#include <stdlib.h>

#include "dist/worker/worker_internal.h"

static sli_view_t task_of_device(sli_view_t device) {
  const char *end = memmem(device.data, device.size, "/device:", 8);
  return end ? sli_view_of(device.data, (size_t)(end - device.data)) : device;
}

static void add_edge(sli_arena_t *arena, sli_worker_placement_t *placement, sli_view_t task, int64_t tensors) {
  for (size_t i = 0; i < placement->edge_count; i++) {
    if (!sli_view_is(task, placement->edges[i].task)) continue;
    placement->edges[i].tensors += tensors;
    return;
  }
  if ((placement->edge_count & (placement->edge_count - 1)) == 0) {  // it is full: 0, 1, 2, 4, 8 …
    size_t room = placement->edge_count ? 2 * placement->edge_count : 1;
    sli_worker_edge_t *edges = sli_arena_calloc(arena, room, sizeof(*edges));
    if (placement->edge_count) memcpy(edges, placement->edges, placement->edge_count * sizeof(*edges));
    placement->edges = edges;
  }
  placement->edges[placement->edge_count++] =
      (sli_worker_edge_t){sli_arena_strndup(arena, task.data, task.size), tensors};
}

void sli_worker_place_graph(const sli_worker_t *worker, sli_worker_graph_t *graph) {
  graph->placement.nodes = (int64_t)graph->graph->nodes.count;
  for (size_t i = 0; i < graph->graph->nodes.count; i++) {
    const sli_node_t *node = graph->graph->nodes.items[i];
    if (node->def.op->def->transfer != SLI_OP_TRANSFER_SEND) continue;
    const sli_attr_t *attr = sli_node_attr(&node->def, "recv_device");
    if (!attr || attr->kind != SLI_ATTR_STRING || attr->is_list) continue;
    sli_view_t task = task_of_device(sli_view_of(attr->s.data, attr->s.size));
    if (!sli_view_is(task, worker->task_name)) add_edge(&graph->arena, &graph->placement, task, 1);
  }
}

void sli_worker_describe_placement(sli_worker_t *worker, sli_arena_t *arena, sli_worker_placement_t *out_placement) {
  *out_placement = (sli_worker_placement_t){0};
  sli_mutex_lock(&worker->mutex);
  SLI_MAP_FOR_EACH (&worker->sessions, session) {
    SLI_MAP_FOR_EACH (&((sli_worker_session_t *)session->value)->graphs, entry) {
      const sli_worker_placement_t *placement = &((sli_worker_graph_t *)entry->value)->placement;
      out_placement->nodes += placement->nodes;
      for (size_t i = 0; i < placement->edge_count; i++)
        add_edge(arena, out_placement, sli_view(placement->edges[i].task), placement->edges[i].tensors);
    }
  }
  sli_mutex_unlock(&worker->mutex);
}
