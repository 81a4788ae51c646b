#include "base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/spin.h"
#include "base/status.h"
#include "base/sync.h"

typedef struct {
  sli_thread_pool_fn_t run;
  void *context;
} work_t;

// One thread of a pool.
typedef struct member {
  pthread_t thread;
  sli_thread_pool_t *pool;
  sli_cond_t wake;
  // Under the pool's mutex:
  bool is_woken;
  struct member *next;  // the one that fell asleep before
} member_t;

// Work that may block.
typedef struct blocking_work {
  work_t work;
  struct blocking_work *next;
} blocking_work_t;

// The threads for such work. All under the pool's mutex.
typedef struct {
  blocking_work_t *first, *last;
  size_t queued;
  int threads, idle;
  bool stopping;
  sli_cond_t wake, ended;
} blocking_t;

struct sli_thread_pool {
  char name[16];
  int size;
  void (*on_start)(void);
  sli_mutex_t mutex;
  // Under mutex: a ring of work, and the threads started so far. The thread that fell asleep last is woken first: its
  // cache is the warmest, and its short waits let it spin.
  work_t *ring;
  size_t ring_capacity, head;
  member_t *threads, *asleep;
  int started, idle;  // |idle|: how many sleep
  bool stopping;
  blocking_t blocking;
  // Written under mutex: how many threads spin, and how many pieces of work wait.
  _Atomic int spinning;
  _Atomic size_t queued;
};

sli_thread_pool_t *sli_thread_pool_create(const char *name, int threads, void (*on_start)(void)) {
  sli_thread_pool_t *pool = sli_calloc(1, sizeof(*pool));
  for (size_t i = 0; i < sizeof(pool->name) - 1 && name[i]; i++) pool->name[i] = name[i];
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  pool->size = threads > 0 ? threads : cores > 0 ? (int)cores : 1;
  pool->on_start = on_start;
  sli_mutex_initialize(&pool->mutex);
  sli_cond_initialize(&pool->blocking.wake);
  sli_cond_initialize(&pool->blocking.ended);
  pool->threads = sli_calloc((size_t)pool->size, sizeof(*pool->threads));
  return pool;
}

int sli_thread_pool_size(const sli_thread_pool_t *pool) { return pool->size; }

double sli_thread_pool_worth_sharing(const sli_thread_pool_t *pool) {
  // Waking a sleeping core costs 25 to 60 µs.
  return atomic_load_explicit(&pool->spinning, memory_order_relaxed) ? 8e3 : 40e3;
}

static int spinning(sli_thread_pool_t *pool) { return atomic_load_explicit(&pool->spinning, memory_order_relaxed); }
static void set_spinning_locked(sli_thread_pool_t *pool, int count) {
  atomic_store_explicit(&pool->spinning, count, memory_order_relaxed);
}
static size_t queued(sli_thread_pool_t *pool) { return atomic_load_explicit(&pool->queued, memory_order_relaxed); }
static void set_queued_locked(sli_thread_pool_t *pool, size_t count) {
  atomic_store_explicit(&pool->queued, count, memory_order_relaxed);
}

static void sleep_locked(sli_thread_pool_t *pool, member_t *self) {
  self->is_woken = false;
  self->next = pool->asleep;
  pool->asleep = self;
  pool->idle++;
  while (!self->is_woken) sli_cond_wait(&self->wake, &pool->mutex);
}

// Removes a thread from the sleeping ones and returns it: the caller must signal it. NULL if none sleeps.
static member_t *take_sleeping_locked(sli_thread_pool_t *pool) {
  member_t *member = pool->asleep;
  if (!member) return NULL;
  pool->asleep = member->next;
  pool->idle--;
  member->is_woken = true;
  return member;
}

// Waits for work, or for the end. All threads but one may spin: the thread that submits the work needs a core, too.
static void wait_locked(sli_thread_pool_t *pool, member_t *self, sli_spin_t *spin) {
  int64_t start = sli_clock_now_nanos();
  if (spinning(pool) + 1 < pool->size) {
    set_spinning_locked(pool, spinning(pool) + 1);
    sli_mutex_unlock(&pool->mutex);
    for (int64_t now = start; !queued(pool) && sli_spin(spin, now, start); now = sli_clock_now_nanos()) continue;
    sli_mutex_lock(&pool->mutex);
    set_spinning_locked(pool, spinning(pool) - 1);
  }
  while (!queued(pool) && !pool->stopping) sleep_locked(pool, self);
  sli_spin_learn(spin, sli_clock_now_nanos() - start);
}

static _Thread_local bool is_scarce;
bool sli_thread_pool_is_scarce_thread(void) { return is_scarce; }

static void *thread_main(void *argument) {
  member_t *self = argument;
  is_scarce = true;
  sli_thread_pool_t *pool = self->pool;
  sli_spin_t spin = {0};
  pthread_setname_np(pthread_self(), pool->name);
  if (pool->on_start) pool->on_start();
  sli_mutex_lock(&pool->mutex);
  for (;;) {
    if (!queued(pool) && !pool->stopping) wait_locked(pool, self, &spin);
    if (!queued(pool)) break;
    work_t work = pool->ring[pool->head];
    pool->head = (pool->head + 1) % pool->ring_capacity;
    set_queued_locked(pool, queued(pool) - 1);
    sli_mutex_unlock(&pool->mutex);
    work.run(work.context);
    sli_mutex_lock(&pool->mutex);
  }
  sli_mutex_unlock(&pool->mutex);
  return NULL;
}

static void push_locked(sli_thread_pool_t *pool, work_t work) {
  size_t count = queued(pool);
  if (count == pool->ring_capacity) {
    size_t capacity = count ? count * 2 : 64;
    work_t *ring = sli_malloc(capacity * sizeof(*ring));
    for (size_t i = 0; i < count; i++) ring[i] = pool->ring[(pool->head + i) % count];
    free(pool->ring);
    pool->ring = ring;
    pool->ring_capacity = capacity;
    pool->head = 0;
  }
  pool->ring[(pool->head + count) % pool->ring_capacity] = work;
  set_queued_locked(pool, count + 1);
}

static void start_locked(sli_thread_pool_t *pool) {
  member_t *member = &pool->threads[pool->started];
  member->pool = pool;
  sli_cond_initialize(&member->wake);
  if (pthread_create(&member->thread, NULL, thread_main, member) == 0)
    pool->started++;
  else
    sli_cond_deinitialize(&member->wake);
  // Without a single thread no work would ever run.
  SLI_CHECK(pool->started > 0);
}

void sli_thread_pool_submit(sli_thread_pool_t *pool, sli_thread_pool_fn_t run, void *context) {
  sli_mutex_lock(&pool->mutex);
  push_locked(pool, (work_t){run, context});
  // A spinning thread sees the work itself.
  size_t needed = queued(pool), waiting = (size_t)(pool->idle + spinning(pool));
  // While stopping, only running work submits, and its own threads run what they submit.
  if (needed > waiting && pool->started < pool->size && !pool->stopping) start_locked(pool);
  member_t *woken = needed > (size_t)spinning(pool) ? take_sleeping_locked(pool) : NULL;
  sli_mutex_unlock(&pool->mutex);
  // Without the lock: the woken thread takes it first.
  if (woken) sli_cond_signal(&woken->wake);
}

// Work that may block.

// Takes the next work; NULL if the thread shall end.
static blocking_work_t *next_blocking_locked(sli_thread_pool_t *pool) {
  const int64_t patience_millis = 10000;
  blocking_t *blocking = &pool->blocking;
  bool in_time = true;
  blocking->idle++;
  int64_t deadline = sli_clock_deadline_after_millis(patience_millis);
  while (!blocking->first && !blocking->stopping && in_time)
    in_time = sli_cond_wait_until(&blocking->wake, &pool->mutex, deadline);
  blocking->idle--;
  blocking_work_t *work = blocking->first;
  if (!work) return NULL;
  blocking->first = work->next;
  blocking->queued--;
  return work;
}

static void *blocking_main(void *argument) {
  sli_thread_pool_t *pool = argument;
  pthread_setname_np(pthread_self(), pool->name);
  if (pool->on_start) pool->on_start();
  sli_mutex_lock(&pool->mutex);
  for (blocking_work_t *work; (work = next_blocking_locked(pool));) {
    sli_mutex_unlock(&pool->mutex);
    work->work.run(work->work.context);
    free(work);
    sli_mutex_lock(&pool->mutex);
  }
  if (--pool->blocking.threads == 0) sli_cond_broadcast(&pool->blocking.ended);
  sli_mutex_unlock(&pool->mutex);
  return NULL;
}

static bool start_blocking_locked(sli_thread_pool_t *pool) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, blocking_main, pool) != 0) return false;
  pthread_detach(thread);
  pool->blocking.threads++;
  return true;
}

void sli_thread_pool_submit_blocking(sli_thread_pool_t *pool, sli_thread_pool_fn_t run, void *context) {
  blocking_t *blocking = &pool->blocking;
  blocking_work_t *work = sli_malloc(sizeof(*work));
  *work = (blocking_work_t){.work = {run, context}};
  sli_mutex_lock(&pool->mutex);
  bool is_full = blocking->queued >= (size_t)blocking->idle;
  if (is_full && blocking->threads < SLI_THREAD_POOL_MAX_BLOCKED) start_blocking_locked(pool);
  bool has_thread = blocking->threads > 0;
  if (has_thread) {
    *(blocking->first ? &blocking->last->next : &blocking->first) = work;
    blocking->last = work;
    blocking->queued++;
    sli_cond_signal(&blocking->wake);
  }
  sli_mutex_unlock(&pool->mutex);
  if (has_thread) return;
  // The system gives no thread: better on the pool than never.
  free(work);
  sli_thread_pool_submit(pool, run, context);
}

static void end_blocking_locked(sli_thread_pool_t *pool) {
  pool->blocking.stopping = true;
  sli_cond_broadcast(&pool->blocking.wake);
  while (pool->blocking.threads) sli_cond_wait(&pool->blocking.ended, &pool->mutex);
}

void sli_thread_pool_destroy(sli_thread_pool_t *pool) {
  if (!pool) return;
  sli_mutex_lock(&pool->mutex);
  end_blocking_locked(pool);  // first: what these submit to the pool still runs
  pool->stopping = true;
  for (member_t *member; (member = take_sleeping_locked(pool));) sli_cond_signal(&member->wake);
  sli_mutex_unlock(&pool->mutex);
  for (int i = 0; i < pool->started; i++) {
    pthread_join(pool->threads[i].thread, NULL);
    sli_cond_deinitialize(&pool->threads[i].wake);
  }
  sli_mutex_lock(&pool->mutex);
  end_blocking_locked(pool);  // again: for what the pool's last work submitted
  sli_mutex_unlock(&pool->mutex);
  sli_cond_deinitialize(&pool->blocking.wake);
  sli_cond_deinitialize(&pool->blocking.ended);
  sli_mutex_deinitialize(&pool->mutex);
  free(pool->threads);
  free(pool->ring);
  free(pool);
}

// One parallel_for. On the heap and reference counted: a helper that wakes when
// all ranges are taken may outlive the call.
typedef struct {
  sli_refcount_t references;
  sli_parallel_for_fn_t body;
  void *context;
  int64_t count, step;
  int cpu;  // the caller's
  _Atomic int64_t next;
  _Atomic int64_t done;
  sli_event_t finished;
} loop_t;

static void loop_release(loop_t *loop) {
  if (!sli_refcount_release(&loop->references)) return;
  sli_event_deinitialize(&loop->finished);
  free(loop);
}

static void loop_run(loop_t *loop) {
  for (;;) {
    int64_t begin = atomic_fetch_add_explicit(&loop->next, loop->step, memory_order_relaxed);
    if (begin >= loop->count) return;
    int64_t end = begin + loop->step < loop->count ? begin + loop->step : loop->count;
    loop->body(loop->context, begin, end);
    int64_t before = atomic_fetch_add_explicit(&loop->done, end - begin, memory_order_acq_rel);
    if (before + (end - begin) == loop->count) sli_event_set(&loop->finished);
  }
}

// A helper that found no range left and runs on the caller's core was woken onto that core, and waited there until the
// caller had done all the work. Linux would wake it there again and again, so it moves to another core, at most every
// 10 ms.
static void leave_core(int cpu) {
  static _Thread_local int64_t moved;
  const int64_t patience_nanos = 10000000;
  cpu_set_t all, others;
  int64_t now = sli_clock_now_nanos();
  if (now - moved < patience_nanos || sched_getaffinity(0, sizeof(all), &all) != 0) return;
  moved = now;
  others = all;
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof(others), &others) != 0) return;
  sched_setaffinity(0, sizeof(all), &all);
}

static void run_loop_part(void *argument) {
  loop_t *loop = argument;
  bool is_late = atomic_load_explicit(&loop->next, memory_order_relaxed) >= loop->count;
  int cpu = loop->cpu;
  loop_run(loop);
  loop_release(loop);
  if (is_late && sched_getcpu() == cpu) leave_core(cpu);
}

// The threads of one loop end within microseconds of each other.
static void loop_wait(loop_t *loop) {
  static _Thread_local sli_spin_t spin;
  int64_t start = sli_clock_now_nanos(), now = start;
  while (!sli_event_is_set(&loop->finished) && sli_spin(&spin, now, start)) now = sli_clock_now_nanos();
  sli_event_wait(&loop->finished, INT64_MAX);
  sli_spin_learn(&spin, sli_clock_now_nanos() - start);
}

void sli_parallel_for(sli_thread_pool_t *pool, int64_t count, double cost, sli_parallel_for_fn_t body, void *context) {
  if (count <= 0) return;
  int64_t parts = pool ? (int64_t)(cost * (double)count / sli_thread_pool_worth_sharing(pool)) : 1;
  if (pool && parts > pool->size) parts = pool->size;
  if (parts > count) parts = count;
  if (!pool || parts <= 1) {
    body(context, 0, count);
    return;
  }
  loop_t *loop = sli_calloc(1, sizeof(*loop));
  atomic_init(&loop->references, (int)parts);
  loop->body = body;
  loop->context = context;
  loop->count = count;
  loop->cpu = sched_getcpu();
  int64_t pieces = parts * 2 < count ? parts * 2 : count;  // two each, so that one slow thread does not delay all
  loop->step = (count + pieces - 1) / pieces;
  sli_event_initialize(&loop->finished);
  for (int64_t i = 1; i < parts; i++) sli_thread_pool_submit(pool, run_loop_part, loop);
  loop_run(loop);
  loop_wait(loop);
  loop_release(loop);
}
