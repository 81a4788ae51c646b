// Step statistics: when each node of a traced step ran, what it allocated, and its
// outputs. The executor fills them; sessions and masters encode them as StepStats.
// Thread-safe.
#ifndef SLI_RUNTIME_EXECUTE_STEP_STATS_H_
#define SLI_RUNTIME_EXECUTE_STEP_STATS_H_

#include <stdint.h>

#include "base/string.h"
#include "core/op/kernel.h"
#include "graph/graph.h"

typedef struct sli_step_stats sli_step_stats_t;

sli_step_stats_t *sli_step_stats_create(void);
void sli_step_stats_destroy(sli_step_stats_t *stats);
// Adds a row for |node|. Times are wall-clock nanoseconds. |context| is that of the kernel that ran, with its outputs.
void sli_step_stats_add(sli_step_stats_t *stats, const sli_node_t *node, const sli_kernel_context_t *context,
                        int64_t scheduled, int64_t began, int64_t ended);
// Adds a row without a node: a tensor received from another task. Times are wall-clock microseconds.
void sli_step_stats_add_transfer(sli_step_stats_t *stats, const char *device, const char *label, int64_t began,
                                 int64_t ended, int64_t bytes);
// Appends the fields of a serialized StepStats message (dev_stats per device).
void sli_step_stats_encode(sli_step_stats_t *stats, sli_string_t *out);

#endif  // SLI_RUNTIME_EXECUTE_STEP_STATS_H_
