// The compute pool: a fixed number of threads that start when first needed and
// sleep when idle; while work comes often, one waits awake (base/spin.h). Thread-safe.
#ifndef SLI_BASE_THREAD_POOL_H_
#define SLI_BASE_THREAD_POOL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sli_thread_pool sli_thread_pool_t;
typedef void (*sli_task_fn_t)(void *context);

// |threads| <= 0: one per core. |name| (at most 15 bytes) shows in top and gdb.
// |on_start|, if not NULL, runs first on every thread (floating-point modes).
sli_thread_pool_t *sli_thread_pool_create(const char *name, int threads, void (*on_start)(void));
// Runs what is queued, then joins the threads. NULL is fine.
void sli_thread_pool_destroy(sli_thread_pool_t *pool);
int sli_thread_pool_size(const sli_thread_pool_t *pool);
// Nanoseconds of work that are worth giving away: some tens of thousands, a few while a thread waits awake.
double sli_thread_pool_worth_sharing(const sli_thread_pool_t *pool);

// Runs |task| on some thread of the pool, soon. Never blocks, never runs it inline.
void sli_thread_pool_submit(sli_thread_pool_t *pool, sli_task_fn_t task, void *context);

// Calls |body|(context, begin, end) over disjoint ranges that cover [0, count),
// on the calling thread and on idle threads of the pool; returns when all are
// done. |cost| estimates nanoseconds per unit: little work stays on the caller.
// Safe to call from a thread of the pool, and with a NULL pool.
typedef void (*sli_range_fn_t)(void *context, int64_t begin, int64_t end);
void sli_parallel_for(sli_thread_pool_t *pool, int64_t count, double cost, sli_range_fn_t body, void *context);

#endif  // SLI_BASE_THREAD_POOL_H_
