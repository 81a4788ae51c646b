// Plan: a graph compiled for execution: flat arrays of nodes in topological
// order, input slots, out-edges and initial pending counts, with one kernel
// instance per node. Immutable after compilation, reference counted. Any number of
// steps may run it at the same time.
#ifndef SLI_RUNTIME_PLAN_PLAN_H_
#define SLI_RUNTIME_PLAN_PLAN_H_

#include "graph/graph.h"
#include "runtime/place/device_set.h"

typedef struct sli_plan sli_plan_t;

typedef struct {
  // Every node of |graph| becomes part of the plan and must be assigned to a
  // local device of |devices|.
  sli_graph_t *graph;
  const sli_device_set_t *devices;
  const sli_output_t *feeds;  // values that the caller provides instead of their producers
  size_t feed_count;
  const sli_output_t *fetches;  // values that the caller takes
  size_t fetch_count;
  sli_resource_manager_t
      *session;  // resources that belong to one session; outlives the plan. NULL: the devices serve only one session
  sli_function_library_t *functions;  // of the graph; kernels retain it. NULL: it has none
} sli_plan_request_t;

// Creates all kernels; their errors end with "\n\t [[{{node n}}]]".
sli_status_t *sli_plan_create(const sli_plan_request_t *request, sli_plan_t **out_plan);
sli_plan_t *sli_plan_retain(sli_plan_t *plan);
void sli_plan_release(sli_plan_t *plan);
// The graph that the plan was compiled from; borrowed.
const sli_graph_t *sli_plan_graph(const sli_plan_t *plan);

#endif  // SLI_RUNTIME_PLAN_PLAN_H_
