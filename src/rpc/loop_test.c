#include "rpc/loop.h"

#include <pthread.h>
#include <unistd.h>

#include "base/test.h"

#define MILLIS INT64_C(1000000)
#define PATIENCE (30000 * MILLIS)

static sli_rpc_loop_t *make_loop(bool start) {
  sli_rpc_loop_t *loop;
  SLI_EXPECT_OK(sli_rpc_loop_create(NULL, &loop));
  if (start) SLI_EXPECT_OK(sli_rpc_loop_start(loop));
  return loop;
}

static void set_event(void *context) { sli_event_set(context); }

static void count_up(void *context) { atomic_fetch_add((atomic_int *)context, 1); }

SLI_TEST(test_loop_posted_work_runs_in_order_on_the_waiter) {
  sli_rpc_loop_t *loop = make_loop(false);
  atomic_int count = 0;
  sli_event_t event;
  sli_event_initialize(&event);
  for (int i = 0; i < 100; i++) sli_rpc_loop_post(loop, count_up, &count);
  sli_rpc_loop_post(loop, set_event, &event);
  SLI_EXPECT_INT(atomic_load(&count), 0);
  SLI_EXPECT(sli_rpc_loop_wait(loop, &event, SLI_CLOCK_NO_DEADLINE));
  SLI_EXPECT_INT(atomic_load(&count), 100);
  sli_event_deinitialize(&event);
  sli_rpc_loop_destroy(loop);
}

SLI_TEST(test_loop_wait_past_its_deadline_is_false) {
  sli_rpc_loop_t *loop = make_loop(true);
  sli_event_t event;
  sli_event_initialize(&event);
  int64_t begin = sli_clock_now_nanos();
  SLI_EXPECT(!sli_rpc_loop_wait(loop, &event, begin + 20 * MILLIS));
  SLI_EXPECT(sli_clock_now_nanos() - begin >= 20 * MILLIS);
  SLI_EXPECT(!sli_rpc_loop_wait(loop, &event, 0));
  sli_event_deinitialize(&event);
  sli_rpc_loop_destroy(loop);
}

typedef struct {
  sli_rpc_loop_t *loop;
  sli_event_t *event;
  int64_t after;
} setter_t;

static void *set_later(void *argument) {
  setter_t *setter = argument;
  usleep((useconds_t)(setter->after / 1000));
  sli_rpc_loop_set(setter->loop, setter->event);
  return NULL;
}

SLI_TEST(test_loop_foreign_set_wakes_the_sleeping_poller) {
  for (int started = 0; started < 2; started++) {
    sli_rpc_loop_t *loop = make_loop(started);
    sli_event_t event;
    sli_event_initialize(&event);
    setter_t setter = {loop, &event, 20 * MILLIS};
    pthread_t thread;
    pthread_create(&thread, NULL, set_later, &setter);
    int64_t begin = sli_clock_now_nanos();
    SLI_EXPECT(sli_rpc_loop_wait(loop, &event, begin + PATIENCE));
    SLI_EXPECT(sli_clock_now_nanos() - begin < PATIENCE / 2);  // it was woken, it did not wait for the deadline
    pthread_join(thread, NULL);
    sli_event_deinitialize(&event);
    sli_rpc_loop_destroy(loop);
  }
}

typedef struct {
  sli_rpc_loop_t *loop;
  sli_event_t event;
  bool in_time;
} waiting_t;

static void *wait_for_event(void *argument) {
  waiting_t *waiting = argument;
  waiting->in_time = sli_rpc_loop_wait(waiting->loop, &waiting->event, sli_clock_now_nanos() + PATIENCE);
  return NULL;
}

// Each event is set by a timer, so some waiter must poll until the last one: a waiter that leaves must pass the polling
// on.
SLI_TEST(test_loop_waiters_hand_the_polling_over) {
  for (int started = 0; started < 2; started++) {
    sli_rpc_loop_t *loop = make_loop(started);
    waiting_t waiting[4];
    pthread_t threads[4];
    sli_rpc_timer_t *timers[4];
    for (int i = 0; i < 4; i++) {
      waiting[i].loop = loop;
      sli_event_initialize(&waiting[i].event);
      timers[i] =
          sli_rpc_loop_add_timer(loop, sli_clock_now_nanos() + (5 + 10 * i) * MILLIS, set_event, &waiting[i].event);
      pthread_create(&threads[i], NULL, wait_for_event, &waiting[i]);
    }
    for (int i = 0; i < 4; i++) {
      pthread_join(threads[i], NULL);
      SLI_EXPECT(waiting[i].in_time);
      SLI_EXPECT(!sli_rpc_timer_cancel(timers[i]));
      sli_event_deinitialize(&waiting[i].event);
    }
    sli_rpc_loop_destroy(loop);
  }
}

static struct {
  int order[8];
  int count;
} fired;

static void note_fired(void *context) { fired.order[fired.count++] = (int)(intptr_t)context; }

SLI_TEST(test_loop_timers_fire_by_deadline_and_cancel_prevents) {
  sli_rpc_loop_t *loop = make_loop(false);
  fired.count = 0;
  int64_t now = sli_clock_now_nanos();
  static const int delays[] = {9, 3, 7, 1, 5};
  sli_rpc_timer_t *timers[5];
  for (int i = 0; i < 5; i++)
    timers[i] = sli_rpc_loop_add_timer(loop, now + delays[i] * MILLIS, note_fired, (void *)(intptr_t)delays[i]);
  SLI_EXPECT(sli_rpc_timer_cancel(timers[2]));
  sli_event_t event;
  sli_event_initialize(&event);
  sli_rpc_timer_t *last = sli_rpc_loop_add_timer(loop, now + 12 * MILLIS, set_event, &event);
  SLI_EXPECT(sli_rpc_loop_wait(loop, &event, now + PATIENCE));
  SLI_EXPECT(!sli_rpc_timer_cancel(last));
  SLI_EXPECT_INT(fired.count, 4);
  SLI_EXPECT(fired.order[0] == 1 && fired.order[1] == 3 && fired.order[2] == 5 && fired.order[3] == 9);
  for (int i = 0; i < 5; i++)
    if (i != 2) SLI_EXPECT(!sli_rpc_timer_cancel(timers[i]));
  SLI_EXPECT(!sli_rpc_timer_cancel(NULL));
  sli_event_deinitialize(&event);
  sli_rpc_loop_destroy(loop);
}

SLI_TEST(test_loop_io_thread_runs_timers_and_posts_while_nobody_waits) {
  sli_rpc_loop_t *loop = make_loop(true);
  sli_event_t by_timer, by_post;
  sli_event_initialize(&by_timer);
  sli_event_initialize(&by_post);
  sli_rpc_timer_t *timer = sli_rpc_loop_add_timer(loop, sli_clock_now_nanos() + 5 * MILLIS, set_event, &by_timer);
  sli_rpc_loop_post(loop, set_event, &by_post);
  SLI_EXPECT(sli_event_wait(&by_post, sli_clock_now_nanos() + PATIENCE));
  SLI_EXPECT(sli_event_wait(&by_timer, sli_clock_now_nanos() + PATIENCE));
  sli_rpc_timer_cancel(timer);
  sli_event_deinitialize(&by_timer);
  sli_event_deinitialize(&by_post);
  sli_rpc_loop_destroy(loop);
}

static void check_polling(void *context) { SLI_EXPECT(sli_rpc_loop_is_polling(context)); }

typedef struct {
  sli_rpc_loop_t *loop;
  int64_t free, awaited;
  atomic_int others;
  sli_event_t done;
} look_t;

static void look_at_spare_time(void *context) {
  look_t *look = context;
  look->free = sli_rpc_loop_spare_nanos(look->loop);
  sli_rpc_loop_post(look->loop, count_up, &look->others);
  look->awaited = sli_rpc_loop_spare_nanos(look->loop);
  sli_rpc_loop_set(look->loop, &look->done);
}

SLI_TEST(test_loop_a_lone_waiter_has_more_time_to_spare_than_the_io_thread) {
  look_t looks[2] = {{.loop = make_loop(false)}, {.loop = make_loop(true)}};
  for (int i = 0; i < 2; i++) {
    sli_event_initialize(&looks[i].done);
    sli_rpc_loop_post(looks[i].loop, look_at_spare_time, &looks[i]);
  }
  SLI_EXPECT(sli_rpc_loop_wait(looks[0].loop, &looks[0].done, SLI_CLOCK_NO_DEADLINE));
  SLI_EXPECT(sli_event_wait(&looks[1].done, sli_clock_now_nanos() + PATIENCE));
  SLI_EXPECT(looks[1].free > 0 && looks[0].free > looks[1].free);
  for (int i = 0; i < 2; i++) {
    SLI_EXPECT_INT(looks[i].awaited, 0);
    sli_rpc_loop_destroy(looks[i].loop);
    sli_event_deinitialize(&looks[i].done);
  }
}

SLI_TEST(test_loop_run_returns_after_it_ran) {
  for (int started = 0; started < 2; started++) {
    sli_rpc_loop_t *loop = make_loop(started);
    SLI_EXPECT(!sli_rpc_loop_is_polling(loop));
    atomic_int count = 0;
    for (int i = 0; i < 200; i++) {
      sli_rpc_loop_run(loop, count_up, &count);
      SLI_EXPECT_INT(atomic_load(&count), i + 1);
    }
    sli_rpc_loop_run(loop, check_polling, loop);
    sli_rpc_loop_destroy(loop);
  }
}

typedef struct {
  sli_rpc_loop_t *loop;
  atomic_int running, overlaps, runs;
} exclusive_t;

static void run_exclusively(void *context) {
  exclusive_t *exclusive = context;
  if (atomic_fetch_add(&exclusive->running, 1) > 0) atomic_fetch_add(&exclusive->overlaps, 1);
  atomic_fetch_add(&exclusive->runs, 1);
  atomic_fetch_sub(&exclusive->running, 1);
}

static void *run_often(void *argument) {
  exclusive_t *exclusive = argument;
  for (int i = 0; i < 300; i++) sli_rpc_loop_run(exclusive->loop, run_exclusively, exclusive);
  return NULL;
}

SLI_TEST(test_loop_callbacks_never_overlap) {
  exclusive_t exclusive = {.loop = make_loop(true)};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run_often, &exclusive);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  SLI_EXPECT_INT(atomic_load(&exclusive.overlaps), 0);
  SLI_EXPECT_INT(atomic_load(&exclusive.runs), 1200);
  sli_rpc_loop_destroy(exclusive.loop);
}

static int64_t manual_now(void *context) { return *(int64_t *)context; }
static uint64_t always_7(void *context) { return 7; }

static void advance_an_hour(void *now) { *(int64_t *)now += 3600 * 1000 * MILLIS; }

// Only the clock of the loop advances, by an hour.
SLI_TEST(test_loop_timers_follow_the_clock_it_was_made_with) {
  int64_t now = 1000;
  sli_rpc_loop_t *loop;
  SLI_REQUIRE_OK(sli_rpc_loop_create(&(sli_rpc_env_t){manual_now, always_7, &now}, &loop));
  SLI_EXPECT_INT(sli_rpc_loop_now(loop), 1000);
  SLI_EXPECT_INT((int64_t)sli_rpc_loop_random(loop), 7);
  sli_event_t event;
  sli_event_initialize(&event);
  sli_rpc_timer_t *timer = sli_rpc_loop_add_timer(loop, now + 1800 * 1000 * MILLIS, set_event, &event);
  sli_rpc_loop_post(loop, advance_an_hour, &now);
  SLI_EXPECT(sli_rpc_loop_wait(loop, &event, SLI_CLOCK_NO_DEADLINE));
  SLI_EXPECT(!sli_rpc_timer_cancel(timer));
  sli_event_deinitialize(&event);
  sli_rpc_loop_destroy(loop);
}

SLI_TEST_MAIN(test_loop_timers_follow_the_clock_it_was_made_with, test_loop_posted_work_runs_in_order_on_the_waiter,
              test_loop_wait_past_its_deadline_is_false, test_loop_foreign_set_wakes_the_sleeping_poller,
              test_loop_waiters_hand_the_polling_over, test_loop_timers_fire_by_deadline_and_cancel_prevents,
              test_loop_io_thread_runs_timers_and_posts_while_nobody_waits,
              test_loop_a_lone_waiter_has_more_time_to_spare_than_the_io_thread, test_loop_run_returns_after_it_ran,
              test_loop_callbacks_never_overlap)
