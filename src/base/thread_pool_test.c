#include "base/thread_pool.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/sync.h"
#include "base/test.h"

typedef struct {
  sli_event_t done;
  atomic_int left;
} countdown_t;

static void count_down(void *context) {
  countdown_t *countdown = context;
  if (atomic_fetch_sub(&countdown->left, 1) == 1) sli_event_set(&countdown->done);
}

SLI_TEST(test_pool_runs_every_task) {
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 3, NULL);
  countdown_t countdown = {.left = 1000};
  sli_event_initialize(&countdown.done);
  for (int i = 0; i < 1000; i++) sli_thread_pool_submit(pool, count_down, &countdown);
  SLI_EXPECT(sli_event_wait(&countdown.done, sli_clock_deadline_after_millis(30000)));
  sli_thread_pool_destroy(pool);
  sli_event_deinitialize(&countdown.done);
}

// A waiting thread spins or sleeps, depending on the pauses so far; it must see every task in both cases.
SLI_TEST(test_pool_runs_tasks_after_pauses_of_any_length) {
  static const int64_t pauses[] = {0, 20000, 150000, 400000};
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 3, NULL);
  for (int i = 0; i < 1200; i++) {
    countdown_t countdown = {.left = 1 + i % 4};
    sli_event_initialize(&countdown.done);
    for (int k = 0; k < 1 + i % 4; k++) sli_thread_pool_submit(pool, count_down, &countdown);
    SLI_EXPECT(sli_event_wait(&countdown.done, sli_clock_deadline_after_millis(30000)));
    sli_event_deinitialize(&countdown.done);
    for (int64_t end = sli_clock_now_nanos() + pauses[i / 100 % 4]; sli_clock_now_nanos() < end;) continue;
  }
  sli_thread_pool_destroy(pool);
}

typedef struct {
  sli_event_t gate;
  countdown_t *started, *ended;
} blocked_t;

static void block(void *context) {
  blocked_t *blocked = context;
  count_down(blocked->started);
  sli_event_wait(&blocked->gate, INT64_MAX);
  count_down(blocked->ended);
}

// More tasks that wait than the pool has threads: all of them start, and other tasks run meanwhile.
SLI_TEST(test_tasks_that_block_have_their_own_threads) {
  enum { BLOCKED = 20 };
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 2, NULL);
  for (int round = 0; round < 2; round++) {
    countdown_t started = {.left = BLOCKED}, ended = {.left = BLOCKED}, others = {.left = 10};
    blocked_t blocked = {.started = &started, .ended = &ended};
    sli_event_initialize(&started.done);
    sli_event_initialize(&ended.done);
    sli_event_initialize(&others.done);
    sli_event_initialize(&blocked.gate);
    for (int i = 0; i < BLOCKED; i++) sli_thread_pool_submit_blocking(pool, block, &blocked);
    SLI_EXPECT(sli_event_wait(&started.done, sli_clock_deadline_after_millis(30000)));
    for (int i = 0; i < 10; i++) sli_thread_pool_submit(pool, count_down, &others);
    SLI_EXPECT(sli_event_wait(&others.done, sli_clock_deadline_after_millis(30000)));
    SLI_EXPECT(!sli_event_is_set(&ended.done));
    sli_event_set(&blocked.gate);
    if (round == 1) sli_thread_pool_destroy(pool);  // waits for them
    SLI_EXPECT(sli_event_wait(&ended.done, sli_clock_deadline_after_millis(30000)));
    sli_event_deinitialize(&others.done);
    sli_event_deinitialize(&started.done);
    sli_event_deinitialize(&ended.done);
    sli_event_deinitialize(&blocked.gate);
  }
}

typedef struct {
  atomic_int seen[1000];
  sli_thread_pool_t *pool;
} marks_t;

static void mark(void *context, int64_t begin, int64_t end) {
  marks_t *marks = context;
  for (int64_t i = begin; i < end; i++) atomic_fetch_add(&marks->seen[i], 1);
}

static void mark_nested(void *context) {
  marks_t *marks = context;
  sli_parallel_for(marks->pool, 1000, 1e6, mark, marks);
}

SLI_TEST(test_parallel_for_covers_each_index_once) {
  static marks_t marks;
  marks.pool = sli_thread_pool_create("test", 4, NULL);
  sli_parallel_for(marks.pool, 1000, 1e6, mark, &marks);
  sli_parallel_for(NULL, 1000, 1e6, mark, &marks);
  sli_thread_pool_submit(marks.pool, mark_nested, &marks);
  sli_thread_pool_destroy(marks.pool);
  for (int i = 0; i < 1000; i++) SLI_EXPECT_INT(marks.seen[i], 3);
}

SLI_TEST_MAIN(test_pool_runs_every_task, test_pool_runs_tasks_after_pauses_of_any_length,
              test_tasks_that_block_have_their_own_threads, test_parallel_for_covers_each_index_once)
