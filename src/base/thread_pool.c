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
  sli_task_fn_t run;
  void *context;
} task_t;

// One thread of a pool.
typedef struct member {
  pthread_t thread;
  sli_thread_pool_t *pool;
  sli_cond_t wake;
  // Under the pool's mutex:
  bool is_called;
  struct member *next;  // that fell asleep before it
} member_t;

struct sli_thread_pool {
  char name[16];
  int size;
  void (*on_start)(void);
  sli_mutex_t mutex;
  // Under mutex: a ring of tasks, and the threads started so far. Who slept least is woken first: it has the warmest
  // cache, and its waits, being short, may be spent awake.
  task_t *ring;
  size_t ring_capacity, head;
  member_t *threads, *asleep;
  int started, idle;  // |idle| threads sleep
  bool stopping;
  // Written under mutex: threads that wait without sleeping, and tasks.
  _Atomic int awake;
  _Atomic size_t queued;
};

sli_thread_pool_t *sli_thread_pool_create(const char *name, int threads, void (*on_start)(void)) {
  sli_thread_pool_t *pool = sli_calloc(1, sizeof(*pool));
  for (size_t i = 0; i < sizeof(pool->name) - 1 && name[i]; i++) pool->name[i] = name[i];
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  pool->size = threads > 0 ? threads : cores > 0 ? (int)cores : 1;
  pool->on_start = on_start;
  sli_mutex_initialize(&pool->mutex);
  pool->threads = sli_calloc((size_t)pool->size, sizeof(*pool->threads));
  return pool;
}

int sli_thread_pool_size(const sli_thread_pool_t *pool) { return pool->size; }

double sli_thread_pool_worth_sharing(const sli_thread_pool_t *pool) {
  // Waking a sleeping core costs 25 to 60 µs.
  return atomic_load_explicit(&pool->awake, memory_order_relaxed) ? 8e3 : 40e3;
}

static int awake(sli_thread_pool_t *pool) { return atomic_load_explicit(&pool->awake, memory_order_relaxed); }
static void set_awake_locked(sli_thread_pool_t *pool, int count) {
  atomic_store_explicit(&pool->awake, count, memory_order_relaxed);
}
static size_t queued(sli_thread_pool_t *pool) { return atomic_load_explicit(&pool->queued, memory_order_relaxed); }
static void set_queued_locked(sli_thread_pool_t *pool, size_t count) {
  atomic_store_explicit(&pool->queued, count, memory_order_relaxed);
}

static void sleep_locked(sli_thread_pool_t *pool, member_t *self) {
  self->is_called = false;
  self->next = pool->asleep;
  pool->asleep = self;
  pool->idle++;
  while (!self->is_called) sli_cond_wait(&self->wake, &pool->mutex);
}

// The thread to be woken, no longer asleep; NULL: none sleeps.
static member_t *call_locked(sli_thread_pool_t *pool) {
  member_t *member = pool->asleep;
  if (!member) return NULL;
  pool->asleep = member->next;
  pool->idle--;
  member->is_called = true;
  return member;
}

// For a task, or the end. All threads but one may wait awake: the one that brings the work needs a core, too.
static void wait_locked(sli_thread_pool_t *pool, member_t *self, sli_spin_t *spin) {
  int64_t start = sli_now_nanos();
  if (awake(pool) + 1 < pool->size) {
    set_awake_locked(pool, awake(pool) + 1);
    sli_mutex_unlock(&pool->mutex);
    for (int64_t now = start; !queued(pool) && sli_spin(spin, now, start); now = sli_now_nanos()) continue;
    sli_mutex_lock(&pool->mutex);
    set_awake_locked(pool, awake(pool) - 1);
  }
  while (!queued(pool) && !pool->stopping) sleep_locked(pool, self);
  sli_spin_learn(spin, sli_now_nanos() - start);
}

static void *thread_main(void *argument) {
  member_t *self = argument;
  sli_thread_pool_t *pool = self->pool;
  sli_spin_t spin = {0};
  pthread_setname_np(pthread_self(), pool->name);
  if (pool->on_start) pool->on_start();
  sli_mutex_lock(&pool->mutex);
  for (;;) {
    if (!queued(pool) && !pool->stopping) wait_locked(pool, self, &spin);
    if (!queued(pool)) break;
    task_t task = pool->ring[pool->head];
    pool->head = (pool->head + 1) % pool->ring_capacity;
    set_queued_locked(pool, queued(pool) - 1);
    sli_mutex_unlock(&pool->mutex);
    task.run(task.context);
    sli_mutex_lock(&pool->mutex);
  }
  sli_mutex_unlock(&pool->mutex);
  return NULL;
}

static void push_locked(sli_thread_pool_t *pool, task_t task) {
  size_t count = queued(pool);
  if (count == pool->ring_capacity) {
    size_t capacity = count ? count * 2 : 64;
    task_t *ring = sli_malloc(capacity * sizeof(*ring));
    for (size_t i = 0; i < count; i++) ring[i] = pool->ring[(pool->head + i) % count];
    free(pool->ring);
    pool->ring = ring;
    pool->ring_capacity = capacity;
    pool->head = 0;
  }
  pool->ring[(pool->head + count) % pool->ring_capacity] = task;
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
  // Without a single thread nothing would ever run: that is fatal, and said.
  SLI_CHECK(pool->started > 0);
}

void sli_thread_pool_submit(sli_thread_pool_t *pool, sli_task_fn_t run, void *context) {
  sli_mutex_lock(&pool->mutex);
  push_locked(pool, (task_t){run, context});
  // Who waits awake comes by itself.
  size_t needed = queued(pool), waiting = (size_t)(pool->idle + awake(pool));
  // While stopping only running tasks submit, and their own thread runs what they leave.
  if (needed > waiting && pool->started < pool->size && !pool->stopping) start_locked(pool);
  member_t *woken = needed > (size_t)awake(pool) ? call_locked(pool) : NULL;
  sli_mutex_unlock(&pool->mutex);
  // Not under the lock, which the woken thread needs first of all.
  if (woken) sli_cond_signal(&woken->wake);
}

void sli_thread_pool_destroy(sli_thread_pool_t *pool) {
  if (!pool) return;
  sli_mutex_lock(&pool->mutex);
  pool->stopping = true;
  for (member_t *member; (member = call_locked(pool));) sli_cond_signal(&member->wake);
  sli_mutex_unlock(&pool->mutex);
  for (int i = 0; i < pool->started; i++) {
    pthread_join(pool->threads[i].thread, NULL);
    sli_cond_deinitialize(&pool->threads[i].wake);
  }
  sli_mutex_deinitialize(&pool->mutex);
  free(pool->threads);
  free(pool->ring);
  free(pool);
}

// One parallel_for. Lives on the heap and is counted: a helper that wakes late,
// when all ranges are taken, may outlive the call.
typedef struct {
  sli_refcount_t references;
  sli_range_fn_t body;
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

// A helper that found nothing left and runs where the caller ran was woken onto the caller's core, and waited there
// for the work to be done without it. Linux would put it there again and again, so it moves itself, now and then.
static void leave_core(int cpu) {
  static _Thread_local int64_t moved;
  const int64_t patience_nanos = 10000000;
  cpu_set_t all, others;
  int64_t now = sli_now_nanos();
  if (now - moved < patience_nanos || sched_getaffinity(0, sizeof(all), &all) != 0) return;
  moved = now;
  others = all;
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof(others), &others) != 0) return;
  sched_setaffinity(0, sizeof(all), &all);
}

static void loop_task(void *argument) {
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
  int64_t start = sli_now_nanos(), now = start;
  while (!sli_event_is_set(&loop->finished) && sli_spin(&spin, now, start)) now = sli_now_nanos();
  sli_event_wait(&loop->finished, INT64_MAX);
  sli_spin_learn(&spin, sli_now_nanos() - start);
}

void sli_parallel_for(sli_thread_pool_t *pool, int64_t count, double cost, sli_range_fn_t body, void *context) {
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
  int64_t pieces = parts * 2 < count ? parts * 2 : count;  // two each: one slow thread does not hold all up
  loop->step = (count + pieces - 1) / pieces;
  sli_event_initialize(&loop->finished);
  for (int64_t i = 1; i < parts; i++) sli_thread_pool_submit(pool, loop_task, loop);
  loop_run(loop);
  loop_wait(loop);
  loop_release(loop);
}
