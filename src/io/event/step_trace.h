// Writes the trace of a step for Chrome's trace viewer: which nodes ran on which device at which time.
#ifndef SLI_IO_EVENT_STEP_TRACE_H_
#define SLI_IO_EVENT_STEP_TRACE_H_

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

// The difference of a task's clock to ours.
typedef struct {
  char *task;  // "/job:ps/replica:0/task:0"
  int64_t ahead_micros;
} sli_step_trace_clock_t;

// Appends the step statistics of |metadata|, a serialized RunMetadata, as JSON. Each device is a process of the trace.
// Times start at 0 with the step; |clocks| corrects the clocks of the tasks. RecvTensor rows have the number of bytes
// received.
sli_status_t *sli_step_trace_append(sli_string_t *out, const void *metadata, size_t size,
                                    const sli_step_trace_clock_t *clocks, size_t clock_count);
// Writes them to |path|. Blocks.
sli_status_t *sli_step_trace_write(const char *path, const void *metadata, size_t size,
                                   const sli_step_trace_clock_t *clocks, size_t clock_count);

// How the rows of a step lie beside each other. Microseconds.
typedef struct {
  int64_t step;     // from the first start to the last end
  int64_t busy;     // at least one other node ran
  int64_t chosen;   // at least one node ran whose op begins with the chosen prefix
  int64_t overlap;  // both
} sli_step_trace_overlap_t;

// Measures the nodes of |metadata| whose op begins with |prefix| beside all others.
sli_status_t *sli_step_trace_overlap(const void *metadata, size_t size, const char *prefix,
                                     sli_step_trace_overlap_t *out_overlap);

#endif  // SLI_IO_EVENT_STEP_TRACE_H_
