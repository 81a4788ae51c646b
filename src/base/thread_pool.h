// The compute pool: a fixed number of threads that start when first needed and
// sleep when idle; while work comes often, they spin before they sleep
// (base/spin.h). Work that may block has threads of its own, as many as there are
// pieces of it, so that other work never waits for it. Thread-safe.
#ifndef SLI_BASE_THREAD_POOL_H_
#define SLI_BASE_THREAD_POOL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sli_thread_pool sli_thread_pool_t;
typedef void (*sli_thread_pool_fn_t)(void *context);

// |threads| <= 0: one per core. |name| (at most 15 bytes) shows in top and gdb.
// |on_start|, if not NULL, is called first on every thread (for floating-point modes).
sli_thread_pool_t *sli_thread_pool_create(const char *name, int threads, void (*on_start)(void));
// Runs all queued work, then joins the threads. NULL is allowed.
void sli_thread_pool_destroy(sli_thread_pool_t *pool);
int sli_thread_pool_size(const sli_thread_pool_t *pool);
// From how many nanoseconds on work is worth giving to another thread: 40,000, or 8,000 while a thread spins.
double sli_thread_pool_worth_sharing(const sli_thread_pool_t *pool);

// Queues |run|(context) for a thread of the pool. Never blocks; never calls |run| itself.
void sli_thread_pool_submit(sli_thread_pool_t *pool, sli_thread_pool_fn_t run, void *context);
// The same for work that may wait for long, such as for a file: it runs on a thread beside the pool's |size|. There are
// as many of these as have such work at the same time, at most SLI_THREAD_POOL_MAX_BLOCKED; further work of this kind
// waits. A thread that has had none for ten seconds ends.
enum { SLI_THREAD_POOL_MAX_BLOCKED = 256 };
void sli_thread_pool_submit_blocking(sli_thread_pool_t *pool, sli_thread_pool_fn_t run, void *context);
// Whether the calling thread is one of the fixed number of threads of a pool, which must not block.
bool sli_thread_pool_is_scarce_thread(void);

// Calls |body|(context, begin, end) over disjoint ranges that cover [0, count),
// on the calling thread and on idle threads of the pool; returns when all are
// done. |cost| is the estimated nanoseconds per unit; little work stays on the
// calling thread. May be called on a thread of the pool, and with a NULL pool.
typedef void (*sli_parallel_for_fn_t)(void *context, int64_t begin, int64_t end);
void sli_parallel_for(sli_thread_pool_t *pool, int64_t count, double cost, sli_parallel_for_fn_t body, void *context);

#endif  // SLI_BASE_THREAD_POOL_H_
