#include "ops/embedding/embedding_filter.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { COUNTERS = 1 << 15, SIGHTINGS_PER_COUNTER = 8 };

unsigned sli_embedding_filter_count(sli_embedding_filter_t *filter, uint64_t hash) {
  if (!filter->counters) filter->counters = sli_calloc(COUNTERS, 1);
  if (++filter->sightings > COUNTERS * SIGHTINGS_PER_COUNTER) {
    for (size_t i = 0; i < COUNTERS; i++) filter->counters[i] /= 2;
    filter->sightings /= 2;
  }
  uint8_t *one = &filter->counters[hash % COUNTERS], *two = &filter->counters[(hash >> 16) % COUNTERS];
  unsigned least = *one < *two ? *one : *two;
  if (least == SLI_EMBEDDING_FILTER_MAX_COUNT) return least;
  // Only the smaller counter is wrong: the other one has counted other keys.
  if (*one == least) *one = (uint8_t)(least + 1);
  if (*two == least) *two = (uint8_t)(least + 1);
  return least + 1;
}

size_t sli_embedding_filter_bytes(const sli_embedding_filter_t *filter) { return filter->counters ? COUNTERS : 0; }

void sli_embedding_filter_deinitialize(sli_embedding_filter_t *filter) { free(filter->counters); }
