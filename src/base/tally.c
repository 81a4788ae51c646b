#include "base/tally.h"

const int64_t sli_tally_bounds[SLI_TALLY_BUCKETS] = {100,     250,     500,     1000,     2500,     5000,
                                                     10000,   25000,   50000,   100000,   250000,   500000,
                                                     1000000, 2500000, 5000000, 10000000, 30000000, 60000000};

static void add(_Atomic int64_t *counter, int64_t value) {
  atomic_fetch_add_explicit(counter, value, memory_order_relaxed);
}

void sli_tally_add(sli_tally_t *tally, int64_t nanos, int64_t bytes, const sli_status_t *status) {
  if (nanos < 0) nanos = 0;
  int bucket = 0;
  while (bucket < SLI_TALLY_BUCKETS && nanos > sli_tally_bounds[bucket] * 1000) bucket++;
  add(&tally->buckets[bucket], 1);
  add(&tally->nanos, nanos);
  if (bytes) add(&tally->bytes, bytes);
  sli_code_t code = sli_status_code(status);
  if (code > SLI_OK && (int)code < (int)SLI_TALLY_CODES) add(&tally->errors[code], 1);
}
