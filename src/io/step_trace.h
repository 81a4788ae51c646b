// The trace of a step: what ran where and when, as Chrome's trace viewer reads it.
#ifndef SLI_IO_STEP_TRACE_H_
#define SLI_IO_STEP_TRACE_H_

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

// How far a task's clock is ahead of ours.
typedef struct {
  char *task;  // "/job:ps/replica:0/task:0"
  int64_t ahead_micros;
} sli_task_clock_t;

// Writes the step statistics of |metadata|, a serialized RunMetadata, to |path|: a process per device, on one clock
// that starts with the step (|clocks| bring the tasks together); RecvTensor rows carry the bytes received. Blocks.
sli_status_t *sli_step_trace_write(const char *path, const void *metadata, size_t size, const sli_task_clock_t *clocks,
                                   size_t clock_count);

#endif  // SLI_IO_STEP_TRACE_H_
