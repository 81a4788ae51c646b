// Random numbers: unpredictable ones (incarnations, step ids, session handles),
// and a repeatable sequence. Thread-safe.
#ifndef SLI_BASE_RANDOM_H_
#define SLI_BASE_RANDOM_H_

#include <stdint.h>

uint64_t sli_random_u64(void);

// The next number of the sequence whose seed and state is |*state|: SplitMix64, small and good enough to shuffle.
static inline uint64_t sli_random_next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

#endif  // SLI_BASE_RANDOM_H_
