// A graph with a signature, for the tests of the passes.
#ifndef SLI_GRAPH_PASSES_TESTING_H_
#define SLI_GRAPH_PASSES_TESTING_H_

#include <stdlib.h>

#include "base/test.h"
#include "graph/passes/passes.h"
#include "graph/testing.h"

typedef struct {
  sli_pass_pruned_t pruned;
  sli_graph_t *graph;
} scene_t;

static inline void scene_initialize(scene_t *scene) {
  *scene = (scene_t){.graph = sli_graph_create()};
  scene->pruned.graph = scene->graph;
}

static inline void scene_deinitialize(scene_t *scene) { sli_pass_pruned_deinitialize(&scene->pruned); }

static inline void scene_feed(scene_t *scene, sli_output_t output) {
  sli_pass_pruned_t *p = &scene->pruned;
  p->feeds = sli_realloc(p->feeds, (p->feed_count + 1) * sizeof(*p->feeds));
  p->feeds[p->feed_count++] = output;
}
static inline void scene_fetch(scene_t *scene, sli_output_t output) {
  sli_pass_pruned_t *p = &scene->pruned;
  p->fetches = sli_realloc(p->fetches, (p->fetch_count + 1) * sizeof(*p->fetches));
  p->fetches[p->fetch_count++] = output;
}
static inline void scene_target(scene_t *scene, sli_node_t *node) {
  sli_pass_pruned_t *p = &scene->pruned;
  p->targets = sli_realloc(p->targets, (p->target_count + 1) * sizeof(*p->targets));
  p->targets[p->target_count++] = node;
}

static inline sli_output_t scene_number(scene_t *scene, const char *name, float value) {
  return sli_graph_testing_constant(scene->graph, name, sli_tensor_scalar_float(value));
}
static inline sli_output_t scene_placeholder(scene_t *scene, const char *name) {
  return sli_graph_testing_placeholder(scene->graph, name, SLI_DTYPE_FLOAT, SLI_SHAPE_SCALAR);
}
static inline sli_output_t scene_unary(scene_t *scene, const char *op, const char *name, sli_output_t a) {
  return sli_graph_testing_add(scene->graph, op, name, INPUTS(a), NO_ATTRS);
}
static inline sli_output_t scene_binary(scene_t *scene, const char *op, const char *name, sli_output_t a,
                                        sli_output_t b) {
  return sli_graph_testing_add(scene->graph, op, name, INPUTS(a, b), NO_ATTRS);
}
static inline sli_node_t *scene_no_op(scene_t *scene, const char *name) {
  return sli_graph_testing_add(scene->graph, "NoOp", name, NO_INPUTS, NO_ATTRS).node;
}

static inline sli_node_t *scene_find(const scene_t *scene, const char *name) {
  return sli_graph_find(scene->graph, sli_view(name));
}

// Checks that edges in both directions agree and that producers are in the graph.
static inline void scene_check(const scene_t *scene) {
  const sli_graph_t *graph = scene->graph;
  size_t in = 0, out = 0;
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const sli_node_t *node = graph->nodes.items[i];
    SLI_EXPECT_INT(node->id, (int)i);
    SLI_EXPECT(scene_find(scene, node->def.name) == node);
    out += node->out_edges.count;
    for (int k = 0; k < node->def.input_count; k++) {
      const sli_node_t *producer = node->inputs[k].node;
      in += producer != NULL;
      if (producer) SLI_EXPECT(graph->nodes.items[producer->id] == producer);
    }
    in += (size_t)node->control_input_count;
    for (int k = 0; k < node->control_input_count; k++)
      SLI_EXPECT(graph->nodes.items[node->control_inputs[k]->id] == node->control_inputs[k]);
  }
  SLI_EXPECT_INT(in, out);
}

#endif  // SLI_GRAPH_PASSES_TESTING_H_
