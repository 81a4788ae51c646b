// The event loop: sockets, timers and posted work, polled by one thread at a time.
// The thread that waits also polls: it reads its reply itself and continues, so no
// second thread must be woken. The loop's own I/O thread polls only while no other
// thread waits.
//
// All callbacks of a loop (timers, posted work, handlers, replies) run on the
// polling thread: never two at once, never under a lock. They must not block. What
// they send is held back until they return, so they should call sli_rpc_cork_flush
// (cork.h) before a long computation. They must not call sli_rpc_loop_wait on the
// same loop; that aborts the process.
//
// Lock order within rpc: guard (one per channel, one per server connection),
// then loop, then event. Every other lock is a leaf.
#ifndef SLI_RPC_LOOP_H_
#define SLI_RPC_LOOP_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"
#include "base/sync.h"

// Thread-safe.
typedef struct sli_rpc_loop sli_rpc_loop_t;
typedef struct sli_rpc_timer sli_rpc_timer_t;
typedef void (*sli_rpc_fn_t)(void *context);

// The clock and the random numbers of a loop, its channels and its servers. Thread-safe.
typedef struct {
  int64_t (*now)(void *context);  // monotonic nanoseconds; the clock of all deadlines
  uint64_t (*random)(void *context);
  void *context;
} sli_rpc_env_t;

// Creates a loop without an I/O thread: it is polled only while a thread waits. Copies |env|; NULL: the system's clock
// and random numbers. A thread that sleeps in the loop does not notice that another clock moves until something wakes
// it, for example sli_rpc_loop_post.
sli_status_t *sli_rpc_loop_create(const sli_rpc_env_t *env, sli_rpc_loop_t **out_loop);
// Starts the I/O thread. At most once.
sli_status_t *sli_rpc_loop_start(sli_rpc_loop_t *loop);
// Stops the I/O thread, runs all posted work and frees the loop. Its channels and
// servers must have been destroyed and its timers cancelled. Not in one of its
// callbacks. NULL is allowed.
void sli_rpc_loop_destroy(sli_rpc_loop_t *loop);

// Blocks until |event| is set, and polls the loop meanwhile unless another thread
// does. Returns false at |deadline|. After true the event may be destroyed.
bool sli_rpc_loop_wait(sli_rpc_loop_t *loop, sli_event_t *event, int64_t deadline);
// Sets |event| on any thread and wakes the thread that waits for it. Callbacks of
// the loop may use sli_event_set instead.
void sli_rpc_loop_set(sli_rpc_loop_t *loop, sli_event_t *event);

// Calls |run|(context) on the polling thread, soon. Never inside this call; never blocks.
void sli_rpc_loop_post(sli_rpc_loop_t *loop, sli_rpc_fn_t run, void *context);
// Calls |run|(context) on the polling thread and blocks until it has returned; calls
// it directly on the polling thread. The caller must not hold a lock that callbacks take.
void sli_rpc_loop_run(sli_rpc_loop_t *loop, sli_rpc_fn_t run, void *context);
// The clock and the random numbers that the loop was created with.
int64_t sli_rpc_loop_now(const sli_rpc_loop_t *loop);
uint64_t sli_rpc_loop_random(const sli_rpc_loop_t *loop);
// Whether the calling thread runs one of the loop's callbacks.
bool sli_rpc_loop_is_polling(const sli_rpc_loop_t *loop);
// In a callback of the loop: for how many nanoseconds the callback may compute; 0 if other callbacks are due. The
// thread of the only waiter may compute for longer than the I/O thread, which serves all.
int64_t sli_rpc_loop_spare_nanos(const sli_rpc_loop_t *loop);

// Calls |run|(context) on the polling thread once |deadline| (sli_rpc_loop_now) has
// passed, up to a millisecond late. The caller owns the timer and must call
// sli_rpc_timer_cancel exactly once, also after it fired.
sli_rpc_timer_t *sli_rpc_loop_add_timer(sli_rpc_loop_t *loop, int64_t deadline, sli_rpc_fn_t run, void *context);
// Frees |timer|. True: |run| was not called and never will be. False: it was called,
// and may still run on the polling thread or be the caller. NULL is allowed and
// returns false.
bool sli_rpc_timer_cancel(sli_rpc_timer_t *timer);

#endif  // SLI_RPC_LOOP_H_
