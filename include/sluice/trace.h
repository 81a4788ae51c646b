// Writes the trace of a step: what ran where and when, for chrome://tracing and
// Perfetto.
#ifndef SLUICE_TRACE_H_
#define SLUICE_TRACE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

// Writes the statistics in |metadata|, a serialized RunMetadata of a step that was run with FULL_TRACE, to |path|: one
// process per device, times relative to the start of the step, the bytes of transfers. |target| is the address
// "grpc://…" of a task of the cluster that ran the step; the clocks of its Sluice tasks are read to align the times.
// NULL or "": all tasks have the same clock. Blocks.
SL_EXPORT void sl_trace_write(const char *path, const TF_Buffer *metadata, const char *target, TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_TRACE_H_
