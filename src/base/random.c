#include "base/random.h"

#include <sys/random.h>

#include "base/status.h"

// A thread reads 32 numbers at a time from the kernel, because every step needs one for its id.
uint64_t sli_random_u64(void) {
  static _Thread_local uint64_t drawn[32];
  static _Thread_local int left;
  if (left == 0) {
    SLI_CHECK(getrandom(drawn, sizeof(drawn), 0) == (ssize_t)sizeof(drawn));
    left = 32;
  }
  return drawn[--left];
}
