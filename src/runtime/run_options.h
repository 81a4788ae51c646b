// What a client's RunOptions say about a step. One reader for direct sessions,
// remote sessions and masters.
#ifndef SLI_RUNTIME_RUN_OPTIONS_H_
#define SLI_RUNTIME_RUN_OPTIONS_H_

#include "base/status.h"
#include "base/string.h"

enum { SLI_FULL_TRACE = 3 };  // a master traces nothing less, a direct session does

typedef struct {
  int64_t timeout_millis;  // 0 or less: none
  int trace_level;         // 0: no trace; up to SLI_FULL_TRACE
  bool want_partition_graphs;
} sli_run_options_t;

// Reads a serialized RunOptions over what |options| holds: a field that is not
// there keeps its value. INVALID_ARGUMENT if the bytes are malformed.
sli_status_t *sli_run_options_decode(sli_view_t bytes, sli_run_options_t *options);

#endif  // SLI_RUNTIME_RUN_OPTIONS_H_
