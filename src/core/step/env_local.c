#include "base/random.h"
#include "core/step/env.h"

static int64_t now(sli_env_t *env) { return sli_clock_now_nanos(); }
static int64_t wall_nanos(sli_env_t *env) { return sli_clock_wall_nanos(); }
static uint64_t random_u64(sli_env_t *env) { return sli_random_u64(); }
static bool wait_for_event(sli_env_t *env, sli_event_t *event, int64_t deadline) {
  return sli_event_wait(event, deadline);
}
static void set_event(sli_env_t *env, sli_event_t *event) { sli_event_set(event); }
static void do_nothing(sli_env_t *env) {}
static int64_t no_spare_nanos(sli_env_t *env) { return 0; }

sli_env_t *sli_env_local(void) {
  static sli_env_t env = {
      .now = now,
      .wall_nanos = wall_nanos,
      .random = random_u64,
      .wait = wait_for_event,
      .sleep = wait_for_event,
      .set = set_event,
      .cork = do_nothing,
      .uncork = do_nothing,
      .flush = do_nothing,
      .spare_nanos = no_spare_nanos,
  };
  return &env;
}
