// The functions of a graph, ready to be called by kernels (core/op/function.h): a function is compiled like the graph
// of a step when a kernel first asks for it, and a call runs its plan.
//
// A library keeps no function alive: its users do. A function keeps its library alive, and through the kernels of its
// plan the functions that it calls. Only recursion would make a cycle: a function that calls itself, directly or not,
// finds itself again at each such call.
#ifndef SLI_RUNTIME_FUNCTION_FUNCTION_RUNTIME_H_
#define SLI_RUNTIME_FUNCTION_FUNCTION_RUNTIME_H_

#include "core/op/function.h"
#include "core/step/env.h"
#include "runtime/place/device_set.h"
#include "runtime/plan/optimize.h"

// Calls may be nested this deep.
enum { SLI_FUNCTION_RUNTIME_DEPTH = 4096 };

typedef struct {
  sli_graph_functions_t *functions;  // retained
  const sli_device_set_t *devices;   // those of this task are copied; the devices outlive the library
  sli_resource_manager_t *session;   // as in sli_plan_request_t
  sli_optimize_options_t optimizer;
  sli_env_t *env;  // NULL: sli_env_local()
  sli_thread_pool_t *pool;
  // What must live as long as the library, and how it is released; NULL: nothing.
  void *owner;
  void (*release_owner)(void *owner);
} sli_function_runtime_request_t;

// A library with one reference; NULL if there are no functions (then the owner is released).
sli_function_library_t *sli_function_runtime_create(const sli_function_runtime_request_t *request);

#endif  // SLI_RUNTIME_FUNCTION_FUNCTION_RUNTIME_H_
