#include "train/common/signals.h"

#include <pthread.h>
#include <signal.h>

#include "base/test.h"

static void *wait_for_signal(void *waiter) { return (void *)(intptr_t)sli_signals_waiter_wait(waiter); }

static int join_waiter(pthread_t thread) {
  void *number;
  SLI_EXPECT(pthread_join(thread, &number) == 0);
  return (int)(intptr_t)number;
}

// A join of a ps and a training session in one process: the session's watch begins and ends within the join's.
SLI_TEST(test_a_waiter_stops_though_another_watch_came_and_went) {
  pthread_t thread;
  sli_signals_watch();
  sli_signals_waiter_t *waiter = sli_signals_waiter_create();
  SLI_REQUIRE(waiter && pthread_create(&thread, NULL, wait_for_signal, waiter) == 0);
  sli_signals_watch();
  sli_signals_unwatch();
  sli_signals_waiter_stop(waiter);
  SLI_EXPECT_INT(join_waiter(thread), 0);
  sli_signals_waiter_release(waiter);
  sli_signals_unwatch();
}

SLI_TEST(test_a_signal_wakes_all_waiters_and_counts_until_the_last_watch_ends) {
  enum { COUNT = 3 };
  pthread_t threads[COUNT];
  sli_signals_waiter_t *waiters[COUNT];
  sli_signals_watch();
  for (int i = 0; i < COUNT; i++) {
    waiters[i] = sli_signals_waiter_create();
    SLI_REQUIRE(waiters[i] && pthread_create(&threads[i], NULL, wait_for_signal, waiters[i]) == 0);
  }
  sli_signals_watch();
  raise(SIGTERM);
  for (int i = 0; i < COUNT; i++) {
    SLI_EXPECT_INT(join_waiter(threads[i]), SIGTERM);
    sli_signals_waiter_release(waiters[i]);
  }
  sli_signals_unwatch();
  SLI_EXPECT_INT(sli_signals_caught(), SIGTERM);
  struct sigaction action;
  sigaction(SIGINT, NULL, &action);
  SLI_EXPECT(action.sa_handler != SIG_DFL);
  sli_signals_unwatch();
  sigaction(SIGINT, NULL, &action);
  SLI_EXPECT(action.sa_handler == SIG_DFL);
  sli_signals_watch();
  SLI_EXPECT_INT(sli_signals_caught(), 0);
  sli_signals_unwatch();
}

SLI_TEST(test_waiters_are_limited_and_used_again) {
  sli_signals_waiter_t *waiters[64];
  int count = 0;
  while (count < 64 && (waiters[count] = sli_signals_waiter_create())) count++;
  SLI_EXPECT(count > 0 && count < 64);
  sli_signals_waiter_stop(waiters[0]);
  sli_signals_waiter_release(waiters[0]);
  SLI_EXPECT(sli_signals_waiter_create() == waiters[0]);
  for (int i = 0; i < count; i++) sli_signals_waiter_release(waiters[i]);
}

SLI_TEST_MAIN(test_a_waiter_stops_though_another_watch_came_and_went,
              test_a_signal_wakes_all_waiters_and_counts_until_the_last_watch_ends,
              test_waiters_are_limited_and_used_again)
