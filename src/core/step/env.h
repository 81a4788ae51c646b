// The world outside, as runtime and dist see it: clocks, timers, random numbers
// and waiting. Both call the system only through this interface, so that a
// simulated world can take its place. tools/check_env checks it.
#ifndef SLI_CORE_STEP_ENV_H_
#define SLI_CORE_STEP_ENV_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/sync.h"
#include "base/thread_pool.h"

typedef struct sli_env sli_env_t;
typedef struct sli_timer sli_timer_t;

// All functions are thread-safe. Only |wait| and |sleep| block.
struct sli_env {
  // Monotonic nanoseconds; the clock of all deadlines.
  int64_t (*now)(sli_env_t *env);
  // Nanoseconds since 1970.
  int64_t (*wall_nanos)(sli_env_t *env);
  uint64_t (*random)(sli_env_t *env);
  // Calls |fire|(context) once, at |deadline| or soon after, on a thread that must not block.
  sli_timer_t *(*add_timer)(sli_env_t *env, int64_t deadline, void (*fire)(void *context), void *context);
  // Frees the timer. True: |fire| will never be called. False: it was called, or is running on another thread.
  bool (*cancel_timer)(sli_env_t *env, sli_timer_t *timer);
  // Blocks until |event| is set and serves the network meanwhile. Returns false at the deadline.
  bool (*wait)(sli_env_t *env, sli_event_t *event, int64_t deadline);
  // The same without serving the network: for threads that may wait for very long, such as one that joins a server.
  bool (*sleep)(sli_env_t *env, sli_event_t *event, int64_t deadline);
  // Sets |event| and wakes the threads that wait for it.
  void (*set)(sli_env_t *env, sli_event_t *event);
  // What the calling thread sends between |cork| and |uncork| leaves together, at the last |uncork|. They nest.
  void (*cork)(sli_env_t *env);
  void (*uncork)(sli_env_t *env);
  // Sends what the corked thread holds back; called before a long computation.
  void (*flush)(sli_env_t *env);
  // For how many nanoseconds a thread that serves the network may compute; 0 if more network work waits for it.
  int64_t (*spare_nanos)(sli_env_t *env);
  sli_thread_pool_t *pool;  // for steps and expensive nodes
};

// The environment of steps that use no network: the system's clocks and random numbers, no timers, no pool. It always
// exists and is never destroyed. |cork|, |uncork| and |flush| do nothing; |spare_nanos| returns 0.
sli_env_t *sli_env_local(void);

static inline int64_t sli_env_wall_micros(sli_env_t *env) { return env->wall_nanos(env) / 1000; }
// The deadline |millis| from now; SLI_CLOCK_NO_DEADLINE for millis <= 0.
static inline int64_t sli_env_deadline_after_millis(sli_env_t *env, int64_t millis) {
  if (millis <= 0 || millis > INT64_MAX / 2000000) return SLI_CLOCK_NO_DEADLINE;
  return env->now(env) + millis * 1000000;
}

#endif  // SLI_CORE_STEP_ENV_H_
