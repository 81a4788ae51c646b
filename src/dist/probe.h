// Why a task cannot be reached: goes the way of a call step by step and says where
// it ended. For people: every outcome has a line that says what to do.
#ifndef SLI_DIST_PROBE_H_
#define SLI_DIST_PROBE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/string.h"
#include "runtime/device_set.h"

// The first stage that failed, in the order of trying.
typedef enum {
  SLI_PROBE_OK,
  SLI_PROBE_BAD_ADDRESS,
  SLI_PROBE_DNS,
  SLI_PROBE_REFUSED,
  SLI_PROBE_UNREACHABLE,
  SLI_PROBE_TIMEOUT,
  SLI_PROBE_NOT_HTTP2,
  SLI_PROBE_NOT_GRPC,
  SLI_PROBE_NOT_TASK,
  SLI_PROBE_WRONG_TASK,
} sli_probe_stage_t;

typedef struct {
  sli_probe_stage_t failed_at;
  char *why;             // "" if nothing failed
  char *task;            // who answered; ""
  char *version;         // "" for a stock task
  uint64_t incarnation;  // of its first device; 0: nobody answered
  bool is_sluice;
  int64_t skew_micros;       // its clock minus ours
  int64_t round_trip_nanos;  // the quickest
  double bytes_per_second;   // 0: not measured
} sli_probe_t;

// Blocks until |deadline| at most; not from a callback of the loop. |expected|: the task that should answer
// ("/job:ps/replica:0/task:0"); NULL: any. |payload|: bytes to send for the throughput; 0: none.
void sli_probe_run(const char *address, const char *expected, int64_t deadline, int64_t payload,
                   sli_probe_t *out_probe);
void sli_probe_deinitialize(sli_probe_t *probe);

// FAILED_PRECONDITION unless the |devices| that answered at |address| are those of |task|. They are not where two
// tasks' addresses are swapped, or one cluster's port is another's.
sli_status_t *sli_probe_check_task(const char *task, const char *address, const sli_device_info_t *devices,
                                   size_t count);
// "http_proxy=…" for the first proxy variable that is set, which cluster traffic ignores; NULL: none is. To be freed.
char *sli_probe_describe_proxy(void);

#endif  // SLI_DIST_PROBE_H_
