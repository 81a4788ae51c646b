// Counts what was done: how long it took, how much it moved and how it ended. For metrics. Thread-safe, without locks.
#ifndef SLI_BASE_TALLY_H_
#define SLI_BASE_TALLY_H_

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"

enum { SLI_TALLY_BUCKETS = 18, SLI_TALLY_CODES = SLI_UNAUTHENTICATED + 1 };

// The longest duration of each bucket, in microseconds; there is one more bucket, without a limit.
extern const int64_t sli_tally_bounds[SLI_TALLY_BUCKETS];

// Zero-initialised.
typedef struct {
  _Atomic int64_t buckets[SLI_TALLY_BUCKETS + 1];  // not cumulative
  _Atomic int64_t nanos, bytes;                    // sums
  _Atomic int64_t errors[SLI_TALLY_CODES];         // by code
} sli_tally_t;

// Counts one that took |nanos| and ended with |status|, which is borrowed.
void sli_tally_add(sli_tally_t *tally, int64_t nanos, int64_t bytes, const sli_status_t *status);

#endif  // SLI_BASE_TALLY_H_
