// The fields of a client's RunOptions that are used, with one parser for direct
// sessions, remote sessions and masters.
#ifndef SLI_RUNTIME_SESSION_RUN_OPTIONS_H_
#define SLI_RUNTIME_SESSION_RUN_OPTIONS_H_

#include "base/status.h"
#include "base/string.h"

enum { SLI_RUN_OPTIONS_FULL_TRACE = 3 };  // a master traces only at this level, a direct session also below it

typedef struct {
  int64_t timeout_millis;  // 0 or less: none
  int trace_level;         // 0: no trace; up to SLI_RUN_OPTIONS_FULL_TRACE
  bool want_partition_graphs;
  int64_t collective_graph_key;  // of steps whose IDs several masters choose alike; 0: none
} sli_run_options_t;

// Parses a serialized RunOptions into |options|; absent fields keep their values.
// INVALID_ARGUMENT if the bytes are malformed.
sli_status_t *sli_run_options_decode(sli_view_t bytes, sli_run_options_t *options);

#endif  // SLI_RUNTIME_SESSION_RUN_OPTIONS_H_
