// Which passes a session runs over its graphs, by the rules of TensorFlow's
// configuration, and running them over the graph of a signature.
#ifndef SLI_RUNTIME_PLAN_OPTIMIZE_H_
#define SLI_RUNTIME_PLAN_OPTIMIZE_H_

#include "graph/passes/passes.h"
#include "proto/config.pb-c.h"

typedef struct {
  bool fold, merge_equal, skip_unread, fuse;
  bool is_for_plan;         // the graph is only compiled, never sent or exported: passes may use private ops
  size_t max_folded_bytes;  // 0: the default
} sli_optimize_options_t;

// |graph_options| NULL: the defaults, everything on.
sli_optimize_options_t sli_optimize_options(const Tensorflow__GraphOptions *graph_options);

// Runs the enabled passes over a placed graph; |device| is a CPU of this process, on which constants are computed.
// Cannot fail. Takes as long as the constant part of the graph takes.
void sli_optimize(sli_pass_pruned_t *pruned, const sli_optimize_options_t *options, sli_device_t *device);

#endif  // SLI_RUNTIME_PLAN_OPTIMIZE_H_
