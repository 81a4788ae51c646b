#include "base/spin.h"

#include <sched.h>

#include "base/clock.h"

// A yield that took longer than this gave the core to a thread that needs it. Spinning only harms then …
static const int64_t stall_nanos = 200000;
// … and stops for this long, doubling.
static const int64_t min_penalty_nanos = 10000000, max_penalty_nanos = 1000000000;
// A yield that took longer than this let another thread run on this core. If that repeats, sleeping lets the scheduler
// move this thread to another core.
static const int64_t shared_nanos = 4000;
enum { MAX_SHARED_YIELDS = 16 };

// Limits the weight of one long wait.
void sli_spin_learn(sli_spin_t *spin, int64_t nanos) {
  if (nanos > 4 * SLI_SPIN_NANOS) nanos = 4 * SLI_SPIN_NANOS;
  spin->usual_wait += (nanos - spin->usual_wait) / 8;
}

bool sli_spin(sli_spin_t *spin, int64_t now, int64_t idle_since) {
  if (now - idle_since > SLI_SPIN_NANOS || spin->usual_wait > SLI_SPIN_NANOS || now < spin->blocked_until) return false;
  sched_yield();
  int64_t after = sli_clock_now_nanos();
  spin->shared_yields = after - now > shared_nanos ? spin->shared_yields + 1 : 0;
  if (after - now <= stall_nanos) {
    if (spin->shared_yields < MAX_SHARED_YIELDS) return true;
    spin->shared_yields = 0;
    return false;
  }
  bool again = now - spin->blocked_until < max_penalty_nanos;
  spin->penalty = again && spin->penalty ? spin->penalty * 2 : min_penalty_nanos;
  if (spin->penalty > max_penalty_nanos) spin->penalty = max_penalty_nanos;
  spin->blocked_until = after + spin->penalty;
  return false;
}
