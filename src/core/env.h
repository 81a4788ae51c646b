// The world outside, as runtime and dist see it: clocks, timers, random numbers,
// threads and waiting. Production runs on epoll and pthreads; a simulation can
// stand in for it, which is why nothing above calls the system itself.
#ifndef SLI_CORE_ENV_H_
#define SLI_CORE_ENV_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/sync.h"
#include "base/thread_pool.h"

typedef struct sli_env sli_env_t;
typedef struct sli_timer sli_timer_t;

struct sli_env {
  int64_t (*now)(sli_env_t *env);  // monotonic nanoseconds
  int64_t (*wall_micros)(sli_env_t *env);
  uint64_t (*random)(sli_env_t *env);
  // Calls |fire|(context) once, at |deadline| or soon after, on a thread that must not block.
  sli_timer_t *(*add_timer)(sli_env_t *env, int64_t deadline, void (*fire)(void *context), void *context);
  // Gives the timer up; true if it will never fire. False: it has fired or is firing on another thread.
  bool (*cancel_timer)(sli_env_t *env, sli_timer_t *timer);
  // Waits for |event|, working for the network meanwhile. False at the deadline.
  bool (*wait)(sli_env_t *env, sli_event_t *event, int64_t deadline);
  // Sets |event| so that a thread in |wait| sees it at once.
  void (*set)(sli_env_t *env, sli_event_t *event);
  // What the calling thread sends between the two leaves at the end, together. They nest.
  void (*begin_turn)(sli_env_t *env);
  void (*end_turn)(sli_env_t *env);
  // Sends now what the thread's turn holds back: before computing for long.
  void (*flush)(sli_env_t *env);
  // On a thread that works for the network: for how many nanoseconds it may compute; 0 if more of that work waits.
  int64_t (*spare_nanos)(sli_env_t *env);
  sli_thread_pool_t *pool;  // for steps and expensive nodes
};

#endif  // SLI_CORE_ENV_H_
