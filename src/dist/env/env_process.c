// The environment of a real process: one event loop with its I/O thread, one
// compute pool, the system's clocks and random numbers.
#include "dist/env/env_process.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "math/fp_mode.h"
#include "rpc/cork.h"

static sli_rpc_loop_t *loop;

static int64_t env_now(sli_env_t *env) { return sli_clock_now_nanos(); }
static int64_t env_wall_nanos(sli_env_t *env) { return sli_clock_wall_nanos(); }
static uint64_t env_random(sli_env_t *env) { return sli_random_u64(); }

// A timer of the environment is one of the loop under another name.
static sli_timer_t *env_add_timer(sli_env_t *env, int64_t deadline, void (*fire)(void *context), void *context) {
  return (sli_timer_t *)sli_rpc_loop_add_timer(loop, deadline, fire, context);
}
static bool env_cancel_timer(sli_env_t *env, sli_timer_t *timer) {
  return sli_rpc_timer_cancel((sli_rpc_timer_t *)timer);
}

static bool env_wait(sli_env_t *env, sli_event_t *event, int64_t deadline) {
  return sli_rpc_loop_wait(loop, event, deadline);
}
static bool env_sleep(sli_env_t *env, sli_event_t *event, int64_t deadline) { return sli_event_wait(event, deadline); }
static void env_set(sli_env_t *env, sli_event_t *event) { sli_rpc_loop_set(loop, event); }

static void env_cork(sli_env_t *env) { sli_rpc_cork_begin(); }
static void env_uncork(sli_env_t *env) { sli_rpc_cork_end(); }
static void env_flush(sli_env_t *env) { sli_rpc_cork_flush(); }
static int64_t env_spare_nanos(sli_env_t *env) { return sli_rpc_loop_spare_nanos(loop); }

static sli_env_t process = {
    .now = env_now,
    .wall_nanos = env_wall_nanos,
    .random = env_random,
    .add_timer = env_add_timer,
    .cancel_timer = env_cancel_timer,
    .wait = env_wait,
    .sleep = env_sleep,
    .set = env_set,
    .cork = env_cork,
    .uncork = env_uncork,
    .flush = env_flush,
    .spare_nanos = env_spare_nanos,
};

static void create(void) {
  sli_status_t *status = sli_rpc_loop_create(NULL, &loop);
  if (!status) status = sli_rpc_loop_start(loop);
  if (status) {
    sli_log_write(SLI_LOG_FATAL, __FILE__, __LINE__, "No event loop: %s", sli_status_message(status));
    abort();
  }
  process.pool = sli_thread_pool_create("sluice", 0, sli_fp_mode_on_thread_start);
}

sli_env_t *sli_env_process(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, create);
  return &process;
}

sli_rpc_loop_t *sli_env_process_loop(void) {
  sli_env_process();
  return loop;
}

bool sli_env_process_on_network_thread(sli_env_t *env) {
  return env == &process && loop && sli_rpc_loop_is_polling(loop);
}
