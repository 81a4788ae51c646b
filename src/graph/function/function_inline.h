// Replaces calls of functions by their bodies, and If, Case and While by Switch, Merge and loops, before a graph is
// placed. Bodies may then span several devices and tasks. Names and control edges are those that TensorFlow makes.
#ifndef SLI_GRAPH_FUNCTION_FUNCTION_INLINE_H_
#define SLI_GRAPH_FUNCTION_FUNCTION_INLINE_H_

#include "graph/function/function_body.h"

// The attribute of the IdentityN that keeps the name of a call, so that its outputs can be fetched and fed. Nothing
// else reads it: it need not be where its inputs are.
#define SLI_FUNCTION_INLINE_KEPT "_function_call"

typedef struct {
  sli_view_t inside;       // the function whose body the graph is, or empty: its recursive calls stay
  bool is_differentiated;  // gradients will be added: nothing stays a call that need not
} sli_function_inline_options_t;

// Works on nodes from position |first| on, and on the nodes that it adds.
//
// What stays a call: recursion, functions that are marked "_noinline", SymbolicGradient, an If, Case or While without
// the attribute "_lower_using_switch_merge", a RemoteCall whose target is not a constant, and everything once the graph
// has become very large. On failure the caller drops the nodes from |first| on.
sli_status_t *sli_function_inline(sli_graph_t *graph, size_t first, const sli_function_inline_options_t *options);

#endif  // SLI_GRAPH_FUNCTION_FUNCTION_INLINE_H_
