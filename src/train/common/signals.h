// SIGINT and SIGTERM while a training runs: the first signal is recorded and ends
// the training in order; the second has its default action and ends the process.
// Thread-safe. Sessions and joins of one process may watch at the same time.
#ifndef SLI_TRAIN_COMMON_SIGNALS_H_
#define SLI_TRAIN_COMMON_SIGNALS_H_

// Records SIGINT and SIGTERM from now on, unless the program handles or ignores them itself. The first watch clears a
// signal that was recorded before. Each call needs a call of sli_signals_unwatch().
void sli_signals_watch(void);
// The last call restores the previous handlers. Does nothing if the signals are not watched.
void sli_signals_unwatch(void);
// The signal that arrived; 0: none.
int sli_signals_caught(void);

// A place where one thread waits for a signal.
typedef struct sli_signals_waiter sli_signals_waiter_t;
// Call it while the signals are watched. NULL if too many threads wait already.
sli_signals_waiter_t *sli_signals_waiter_create(void);
// Blocks until a signal arrives, and returns it; returns 0 after sli_signals_waiter_stop().
int sli_signals_waiter_wait(sli_signals_waiter_t *waiter);
// Wakes the thread that waits.
void sli_signals_waiter_stop(sli_signals_waiter_t *waiter);
// After the thread has returned from its wait. NULL is allowed.
void sli_signals_waiter_release(sli_signals_waiter_t *waiter);

#endif  // SLI_TRAIN_COMMON_SIGNALS_H_
