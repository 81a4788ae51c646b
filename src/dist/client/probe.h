// Finds out why a task cannot be reached: makes a call step by step and reports the stage that failed, with a text for
// the user that says what to do.
#ifndef SLI_DIST_CLIENT_PROBE_H_
#define SLI_DIST_CLIENT_PROBE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/string.h"
#include "runtime/place/device_set.h"

// The stages in the order in which they are tried.
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
  SLI_PROBE_DENIED,
} sli_probe_stage_t;

typedef struct {
  sli_probe_stage_t failed_at;
  char *why;             // "" if nothing failed
  char *task;            // the name of the task that answered; "": none did
  char *version;         // "" for a stock task
  uint64_t incarnation;  // of its first device; 0: no task answered
  bool is_sluice;
  int64_t skew_micros;       // its clock minus ours
  int64_t round_trip_nanos;  // the shortest one
  double bytes_per_second;   // 0: not measured
} sli_probe_t;

// Blocks until |deadline| at most; do not call it from a callback of the loop. |expected| is the task that should
// answer ("/job:ps/replica:0/task:0"), NULL: any. |payload| is the number of bytes to send to measure the throughput,
// 0: do not measure. The caller owns the strings of |*out_probe|.
void sli_probe_run(const char *address, const char *expected, int64_t deadline, int64_t payload,
                   sli_probe_t *out_probe);

// FAILED_PRECONDITION unless the |devices| that answered at |address| belong to |task|. They do not if the addresses of
// two tasks are swapped or the port belongs to another cluster.
sli_status_t *sli_probe_check_task(const char *task, const char *address, const sli_device_set_entry_t *devices,
                                   size_t count);
// "http_proxy=…" for the first proxy variable that is set, or NULL. Cluster traffic ignores them. The caller frees the
// text.
char *sli_probe_describe_proxy(void);

#endif  // SLI_DIST_CLIENT_PROBE_H_
