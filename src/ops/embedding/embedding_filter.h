// Counts approximately how often keys were seen, in a fixed number of bytes: two counters for each key, which others
// share; the smaller one counts. A key never counts less than it was seen lately. When many keys were seen, all counts
// are halved, so that rare keys are forgotten. Thread-compatible.
#ifndef SLI_OPS_EMBEDDING_EMBEDDING_FILTER_H_
#define SLI_OPS_EMBEDDING_EMBEDDING_FILTER_H_

#include <stddef.h>
#include <stdint.h>

enum { SLI_EMBEDDING_FILTER_MAX_COUNT = 255 };

typedef struct {
  uint8_t *counters;  // NULL before the first use
  uint32_t sightings;
} sli_embedding_filter_t;

// Counts |hash| once more and returns its count.
unsigned sli_embedding_filter_count(sli_embedding_filter_t *filter, uint64_t hash);
size_t sli_embedding_filter_bytes(const sli_embedding_filter_t *filter);
void sli_embedding_filter_deinitialize(sli_embedding_filter_t *filter);

#endif  // SLI_OPS_EMBEDDING_EMBEDDING_FILTER_H_
