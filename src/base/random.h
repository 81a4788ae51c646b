// Unpredictable numbers: incarnations, step ids, session handles. Thread-safe.
#ifndef SLI_BASE_RANDOM_H_
#define SLI_BASE_RANDOM_H_

#include <stdint.h>

uint64_t sli_random_u64(void);

#endif  // SLI_BASE_RANDOM_H_
