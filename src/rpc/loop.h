// The event loop: sockets, timers and posted work, polled by one thread at a
// time. The idea: whoever waits, polls. A thread that waits for a reply takes
// the polling over, reads the reply itself and goes on, so no second thread has
// to be woken; the loop's own I/O thread polls only while nobody waits.
//
// All callbacks of a loop (timers, posted work, handlers, replies) run on the
// thread that polls at that moment: never two at once, never under a lock. They
// must not block, and call sli_rpc_turn_flush (turn.h) before they compute for
// long: what they send leaves when they return. Above all they must not call sli_rpc_loop_wait on the same
// loop, which ends the process with a broken invariant.
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

// Makes a loop without a thread of its own: it is polled while somebody waits.
sli_status_t *sli_rpc_loop_create(sli_rpc_loop_t **out_loop);
// Starts the I/O thread. At most once.
sli_status_t *sli_rpc_loop_start(sli_rpc_loop_t *loop);
// Stops the I/O thread, runs what is still posted and frees the loop. Its
// channels and servers must be destroyed before, its timers cancelled. Not from
// one of its callbacks. NULL is fine.
void sli_rpc_loop_destroy(sli_rpc_loop_t *loop);

// Waits until |event| is set, polling the loop meanwhile (or leaving that to
// another waiter, and taking over when it leaves). False once |deadline| has
// passed. After true the event may be destroyed.
bool sli_rpc_loop_wait(sli_rpc_loop_t *loop, sli_event_t *event, int64_t deadline);
// Sets |event| from any thread so that a sli_rpc_loop_wait for it notices at
// once. Callbacks of the loop may use sli_event_set just as well.
void sli_rpc_loop_set(sli_rpc_loop_t *loop, sli_event_t *event);

// Runs |run|(context) on the polling thread, soon; never inline, never blocks.
void sli_rpc_loop_post(sli_rpc_loop_t *loop, sli_rpc_fn_t run, void *context);
// Runs |run|(context) on the polling thread and returns when it has returned;
// inline when called there. Do not hold a lock that a callback takes.
void sli_rpc_loop_run(sli_rpc_loop_t *loop, sli_rpc_fn_t run, void *context);
// Whether the caller runs inside one of the loop's callbacks.
bool sli_rpc_loop_is_polling(const sli_rpc_loop_t *loop);
// Inside one of the loop's callbacks: for how many nanoseconds it may compute; 0 if others wait to be called. A thread
// that waits for an event, and is the only one, may be away for longer than the I/O thread, which works for all.
int64_t sli_rpc_loop_spare_nanos(const sli_rpc_loop_t *loop);

// Calls |run|(context) on the polling thread once |deadline| (sli_now_nanos) has
// passed, up to a millisecond late. The caller owns the timer and gives it back
// with sli_rpc_timer_cancel, exactly once, after it fired too.
sli_rpc_timer_t *sli_rpc_loop_add_timer(sli_rpc_loop_t *loop, int64_t deadline, sli_rpc_fn_t run, void *context);
// Frees |timer|. True: |run| was not and will not be called. False: it has been
// called and may still be running on the polling thread (or is the caller).
// NULL is fine and gives false.
bool sli_rpc_timer_cancel(sli_rpc_timer_t *timer);

#endif  // SLI_RPC_LOOP_H_
