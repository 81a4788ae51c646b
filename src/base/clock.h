// The system's clocks. A deadline is a time of the monotonic clock in nanoseconds; SLI_CLOCK_NO_DEADLINE is never
// reached. runtime, dist and rpc read clocks through their environment instead (core/step/env.h, rpc/loop.h).
#ifndef SLI_BASE_CLOCK_H_
#define SLI_BASE_CLOCK_H_

#include <stdint.h>
#include <time.h>

#define SLI_CLOCK_NO_DEADLINE INT64_MAX

static inline int64_t sli_clock_nanos(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
static inline int64_t sli_clock_now_nanos(void) { return sli_clock_nanos(CLOCK_MONOTONIC); }
static inline int64_t sli_clock_wall_nanos(void) { return sli_clock_nanos(CLOCK_REALTIME); }
static inline int64_t sli_clock_wall_micros(void) { return sli_clock_wall_nanos() / 1000; }
// The deadline |millis| from now; SLI_CLOCK_NO_DEADLINE for millis <= 0.
static inline int64_t sli_clock_deadline_after_millis(int64_t millis) {
  if (millis <= 0 || millis > INT64_MAX / 2000000) return SLI_CLOCK_NO_DEADLINE;
  return sli_clock_now_nanos() + millis * 1000000;
}

#endif  // SLI_BASE_CLOCK_H_
