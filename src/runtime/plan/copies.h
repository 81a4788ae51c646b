// Copies between memories. On a device with memory of its own a node has some inputs and outputs there and others in
// host memory; the values that a step is given and returns are in host memory.
#ifndef SLI_RUNTIME_PLAN_COPIES_H_
#define SLI_RUNTIME_PLAN_COPIES_H_

#include "runtime/plan/plan.h"

// Whether a plan on these devices may need copies.
bool sli_plan_needs_copies(const sli_device_set_t *devices);
// Adds a node for each copy to the request's graph, one for all consumers on a device, and moves |fetches|, which has
// request->fetch_count of them, to values in host memory.
sli_status_t *sli_plan_add_copies(const sli_plan_request_t *request, sli_output_t *fetches);

#endif  // SLI_RUNTIME_PLAN_COPIES_H_
