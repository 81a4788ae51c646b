// Writes the trace of a step for Chrome's trace viewer: which nodes ran on which device at which time.
#ifndef SLI_IO_EVENT_STEP_TRACE_H_
#define SLI_IO_EVENT_STEP_TRACE_H_

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

// The difference of a task's clock to ours.
typedef struct {
  char *task;  // "/job:ps/replica:0/task:0"
  int64_t ahead_micros;
} sli_step_trace_clock_t;

// Writes the step statistics of |metadata|, a serialized RunMetadata, to |path|. Each device is a process of the trace.
// Times start at 0 with the step; |clocks| corrects the clocks of the tasks. RecvTensor rows have the number of bytes
// received. Blocks.
sli_status_t *sli_step_trace_write(const char *path, const void *metadata, size_t size,
                                   const sli_step_trace_clock_t *clocks, size_t clock_count);

#endif  // SLI_IO_EVENT_STEP_TRACE_H_
