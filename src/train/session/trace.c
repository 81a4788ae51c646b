// Writes traces of steps. Reads the clocks of the tasks, to convert all times to one
// clock.
#include "sluice/trace.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/event/step_trace.h"
#include "sluice/cluster.h"
#include "train/common/tf_tensor.h"

enum { CLOCK_MILLIS = 3000 };

typedef SLI_ARRAY(sli_step_trace_clock_t) clocks_t;

// Reads the clocks of the cluster's tasks; stock tasks do not report theirs.
static void read_clocks(const char *target, clocks_t *out_clocks) {
  TF_Status *ignored = TF_NewStatus();
  sl_task_status_t *master = sl_cluster_status(target, CLOCK_MILLIS, 0, ignored);
  for (size_t i = 0; master && i < master->task_count; i++) {
    const sl_task_address_t *task = &master->tasks[i];
    sl_probe_t *probe = sl_cluster_probe(task->address, task->job, task->index, CLOCK_MILLIS, 0);
    if (probe->failed_at == SL_PROBE_OK && probe->is_sluice)
      sli_array_push(out_clocks, (sli_step_trace_clock_t){sli_strdup(probe->task), (int64_t)(probe->clock_skew * 1e6)});
    sl_probe_free(probe);
  }
  sl_task_status_free(master);
  TF_DeleteStatus(ignored);
}

void sl_trace_write(const char *path, const TF_Buffer *metadata, const char *target, TF_Status *status) {
  clocks_t clocks = {0};
  if (target && target[0]) read_clocks(target, &clocks);
  sli_tf_status_from_status(sli_step_trace_write(path, metadata->data, metadata->length, clocks.items, clocks.count),
                            status);
  for (size_t i = 0; i < clocks.count; i++) free(clocks.items[i].task);
  sli_array_deinitialize(&clocks);
}
