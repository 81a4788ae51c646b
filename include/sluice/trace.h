// The trace of a step: what ran where and when, as chrome://tracing and Perfetto
// read it.
#ifndef SLUICE_TRACE_H_
#define SLUICE_TRACE_H_

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

// Writes the statistics of |metadata|, a serialized RunMetadata of a step that was run with FULL_TRACE, to |path|: a
// process per device, times from the start of the step, bytes received on transfers. |target|: "grpc://…" of a task
// whose cluster ran it, so that the tasks' clocks are brought together, as far as they tell them; NULL or "": all on
// one clock. Blocks.
SL_EXPORT void sl_trace_write(const char *path, const TF_Buffer *metadata, const char *target, TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_TRACE_H_
