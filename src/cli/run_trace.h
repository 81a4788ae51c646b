// The trace of a step: what ran where and when, as Chrome's trace viewer reads it.
#ifndef SLI_CLI_RUN_TRACE_H_
#define SLI_CLI_RUN_TRACE_H_

#include <stddef.h>

#include "base/status.h"

// Writes the step statistics of |metadata|, a serialized RunMetadata, to |path|: a process per device, on one clock
// that starts with the step; RecvTensor rows carry the bytes received. Blocks.
sli_status_t *sli_run_trace_write(const char *path, const void *metadata, size_t size);

#endif  // SLI_CLI_RUN_TRACE_H_
