// Functions that the passes share.
#include <stdlib.h>

#include "graph/passes/passes_internal.h"

void sli_pass_pruned_deinitialize(sli_pass_pruned_t *pruned) {
  sli_graph_release(pruned->graph);
  free(pruned->feeds);
  free(pruned->fetches);
  free(pruned->targets);
  *pruned = (sli_pass_pruned_t){0};
}

uint8_t *sli_pass_marks(const sli_pass_pruned_t *pruned) {
  uint8_t *marks = sli_calloc(pruned->graph->nodes.count + 1, sizeof(*marks));
  for (size_t i = 0; i < pruned->feed_count; i++) marks[pruned->feeds[i].node->id] |= SLI_PASS_FED;
  for (size_t i = 0; i < pruned->fetch_count; i++) marks[pruned->fetches[i].node->id] |= SLI_PASS_FETCHED;
  for (size_t i = 0; i < pruned->target_count; i++) marks[pruned->targets[i]->id] |= SLI_PASS_TARGET;
  return marks;
}

static bool is_plain(sli_dtype_t dtype) {
  return !sli_dtype_is_ref(dtype) && dtype != SLI_DTYPE_RESOURCE && dtype != SLI_DTYPE_VARIANT;
}

bool sli_pass_is_pure(const sli_node_t *node) {
  if (!sli_graph_is_function(node) || node->def.output_count == 0) return false;
  for (int i = 0; i < node->def.output_count; i++)
    if (!is_plain(node->def.output_types[i])) return false;
  for (int i = 0; i < node->def.input_count; i++)
    if (!node->inputs[i].node || !is_plain(node->def.input_types[i]) ||
        !is_plain(sli_graph_output_dtype(node->inputs[i])))
      return false;
  return true;
}

bool sli_pass_same_device(const sli_node_t *a, const sli_node_t *b) {
  if (!a->assigned_device || !b->assigned_device) return a->assigned_device == b->assigned_device;
  return strcmp(a->assigned_device, b->assigned_device) == 0;
}

bool sli_pass_is_on_cpu(const sli_node_t *node) {
  sli_device_name_t name;
  return !node->assigned_device || !sli_device_name_parse(sli_view(node->assigned_device), &name) || !name.has_type ||
         sli_view_is(name.type, "CPU");
}

void sli_pass_drop_unused(sli_pass_pruned_t *pruned) {
  sli_graph_t *graph = pruned->graph;
  SLI_ARRAY(sli_node_t *) roots = {0};
  sli_output_t *feeds = sli_graph_sort_outputs(pruned->feeds, pruned->feed_count);
  for (size_t i = 0; i < pruned->fetch_count; i++)
    if (!sli_graph_is_among(pruned->fetches[i], feeds, pruned->feed_count))
      sli_array_push(&roots, pruned->fetches[i].node);
  for (size_t i = 0; i < pruned->target_count; i++) sli_array_push(&roots, pruned->targets[i]);
  bool *keep = sli_calloc(graph->nodes.count + 1, sizeof(*keep));
  sli_graph_mark_needed(graph, roots.items, roots.count, pruned->feeds, pruned->feed_count, keep);
  for (size_t i = 0; i < pruned->feed_count; i++) keep[pruned->feeds[i].node->id] = true;
  sli_graph_remove_unmarked(graph, keep);
  free(keep);
  free(feeds);
  sli_array_deinitialize(&roots);
}
