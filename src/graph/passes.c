// What the passes share.
#include <stdlib.h>

#include "graph/passes_internal.h"

void sli_pruned_deinitialize(sli_pruned_t *pruned) {
  sli_graph_release(pruned->graph);
  free(pruned->feeds);
  free(pruned->fetches);
  free(pruned->targets);
  *pruned = (sli_pruned_t){0};
}

uint8_t *sli_pass_marks(const sli_pruned_t *pruned) {
  uint8_t *marks = sli_calloc(pruned->graph->nodes.count + 1, sizeof(*marks));
  for (size_t i = 0; i < pruned->feed_count; i++) marks[pruned->feeds[i].node->id] |= SLI_PASS_FED;
  for (size_t i = 0; i < pruned->fetch_count; i++) marks[pruned->fetches[i].node->id] |= SLI_PASS_FETCHED;
  for (size_t i = 0; i < pruned->target_count; i++) marks[pruned->targets[i]->id] |= SLI_PASS_TARGET;
  return marks;
}

static bool is_one_of(const sli_node_t *node, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (sli_node_is(node, names[i])) return true;
  return false;
}

bool sli_pass_is_control_flow(const sli_node_t *node) {
  static const char *const names[] = {"Switch",    "Merge",     "Enter",           "Exit",     "NextIteration",
                                      "LoopCond",  "RefSwitch", "RefMerge",        "RefEnter", "RefExit",
                                      "RefSelect", "_SwitchN",  "RefNextIteration"};
  return is_one_of(node, names, SLI_COUNT_OF(names));
}

static bool decides_at_run_time(const sli_node_t *node) {
  static const char *const names[] = {"Placeholder", "PlaceholderV2", "PlaceholderWithDefault",
                                      "_Arg",        "_Retval",       "ControlTrigger"};
  return sli_pass_is_control_flow(node) || is_one_of(node, names, SLI_COUNT_OF(names));
}

static bool is_plain(sli_dtype_t dtype) {
  return !sli_dtype_is_ref(dtype) && dtype != SLI_DTYPE_RESOURCE && dtype != SLI_DTYPE_VARIANT;
}

bool sli_pass_is_pure(const sli_node_t *node) {
  if (node->def.op->def->is_stateful || node->def.output_count == 0) return false;
  for (int i = 0; i < node->def.output_count; i++)
    if (!is_plain(node->def.output_types[i])) return false;
  for (int i = 0; i < node->def.input_count; i++)
    if (!node->inputs[i].node || !is_plain(node->def.input_types[i]) || !is_plain(sli_output_dtype(node->inputs[i])))
      return false;
  return !decides_at_run_time(node) && !sli_node_reads_its_place(node);
}

void sli_pass_drop_unused(sli_pruned_t *pruned) {
  sli_graph_t *graph = pruned->graph;
  SLI_ARRAY(sli_node_t *) roots = {0};
  uint8_t *marks = sli_pass_marks(pruned);
  for (size_t i = 0; i < pruned->fetch_count; i++) {
    bool is_fed = false;
    for (size_t k = 0; k < pruned->feed_count && !is_fed; k++)
      is_fed =
          (marks[pruned->fetches[i].node->id] & SLI_PASS_FED) && sli_output_equal(pruned->feeds[k], pruned->fetches[i]);
    if (!is_fed) sli_array_push(&roots, pruned->fetches[i].node);
  }
  for (size_t i = 0; i < pruned->target_count; i++) sli_array_push(&roots, pruned->targets[i]);
  bool *keep = sli_calloc(graph->nodes.count + 1, sizeof(*keep));
  sli_graph_reach(graph, roots.items, roots.count, pruned->feeds, pruned->feed_count, keep);
  for (size_t i = 0; i < pruned->feed_count; i++) keep[pruned->feeds[i].node->id] = true;
  sli_graph_keep(graph, keep);
  free(keep);
  free(marks);
  sli_array_deinitialize(&roots);
}
