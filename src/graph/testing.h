// Building graphs node by node, for tests. If a node cannot be added, the process ends: the test is wrong.
#ifndef SLI_GRAPH_TESTING_H_
#define SLI_GRAPH_TESTING_H_

#include <stdio.h>

#include "core/tensor/tensor.h"
#include "graph/graph.h"

#define INPUTS(...) \
  (const sli_output_t[]){__VA_ARGS__}, sizeof((const sli_output_t[]){__VA_ARGS__}) / sizeof(sli_output_t)
#define NO_INPUTS NULL, 0
#define ATTRS(...) \
  (const sli_attr_entry_t[]){__VA_ARGS__}, sizeof((const sli_attr_entry_t[]){__VA_ARGS__}) / sizeof(sli_attr_entry_t)
#define NO_ATTRS NULL, 0

static inline sli_status_t *sli_graph_testing_try_add(sli_graph_t *graph, const char *op, const char *name,
                                                      const sli_output_t *inputs, size_t input_count,
                                                      const sli_attr_entry_t *attrs, size_t attr_count,
                                                      sli_node_t **out_node) {
  sli_graph_node_t request = {.op = op,
                              .name = name,
                              .inputs = inputs,
                              .input_count = input_count,
                              .attrs = attrs,
                              .attr_count = attr_count,
                              .infer = true};
  return sli_graph_add(graph, &request, out_node);
}

// The node's first output, type attributes inferred.
static inline sli_output_t sli_graph_testing_add(sli_graph_t *graph, const char *op, const char *name,
                                                 const sli_output_t *inputs, size_t input_count,
                                                 const sli_attr_entry_t *attrs, size_t attr_count) {
  sli_node_t *node;
  sli_status_t *status = sli_graph_testing_try_add(graph, op, name, inputs, input_count, attrs, attr_count, &node);
  if (status) fprintf(stderr, "%s: %s\n", name, sli_status_message(status));
  SLI_CHECK(!status);
  return (sli_output_t){node, 0};
}

// Consumes |value|.
static inline sli_output_t sli_graph_testing_constant(sli_graph_t *graph, const char *name, sli_tensor_t *value) {
  sli_output_t output = sli_graph_testing_add(
      graph, "Const", name, NO_INPUTS,
      ATTRS(SLI_ATTR_TYPE_OF("dtype", (sli_dtype_t)value->dtype), SLI_ATTR_TENSOR_OF("value", value)));
  sli_tensor_release(value);
  return output;
}

static inline sli_output_t sli_graph_testing_placeholder(sli_graph_t *graph, const char *name, sli_dtype_t dtype,
                                                         sli_shape_t shape) {
  return sli_graph_testing_add(graph, "Placeholder", name, NO_INPUTS,
                               ATTRS(SLI_ATTR_TYPE_OF("dtype", dtype), SLI_ATTR_SHAPE_OF("shape", shape)));
}

#endif  // SLI_GRAPH_TESTING_H_
