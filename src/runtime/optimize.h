// Which passes a session's plans go through, as TensorFlow reads its configuration,
// and running them over the graph of a signature.
#ifndef SLI_RUNTIME_OPTIMIZE_H_
#define SLI_RUNTIME_OPTIMIZE_H_

#include "graph/passes.h"
#include "proto/config.pb-c.h"

typedef struct {
  bool fold, merge_equal, skip_unread, fuse;
  bool is_for_plan;         // the graph becomes a plan as it is: passes may use ops that nobody else knows
  size_t max_folded_bytes;  // 0: the default
} sli_optimizer_options_t;

// |graph_options| NULL: the defaults, everything on.
sli_optimizer_options_t sli_optimizer_options(const Tensorflow__GraphOptions *graph_options);

// Runs the passes that are on over a placed graph; |device| is a CPU of this
// process, on which constants are computed. Cannot fail; may take as long as the constant part of the graph takes.
void sli_optimize(sli_pruned_t *pruned, const sli_optimizer_options_t *options, sli_device_t *device);

#endif  // SLI_RUNTIME_OPTIMIZE_H_
