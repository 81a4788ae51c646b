#include "core/step/cancellation.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/sync.h"
#include "base/test.h"

static void count_call(void *context) { atomic_fetch_add((atomic_int *)context, 1); }

SLI_TEST(test_cancel_runs_callbacks_once_and_keeps_the_first_reason) {
  sli_cancellation_t *cancellation = sli_cancellation_create();
  atomic_int calls = 0, removed_calls = 0;
  uint64_t first = sli_cancellation_register(cancellation, count_call, &calls);
  uint64_t removed = sli_cancellation_register(cancellation, count_call, &removed_calls);
  SLI_EXPECT(first && removed && first != removed);
  SLI_EXPECT(!sli_cancellation_is_cancelled(cancellation));
  SLI_EXPECT(!sli_cancellation_status(cancellation));
  SLI_EXPECT(sli_cancellation_deregister(cancellation, removed));
  SLI_EXPECT(!sli_cancellation_deregister(cancellation, removed));

  sli_cancellation_cancel(cancellation, sli_status_make(SLI_ABORTED, "why"));
  sli_cancellation_cancel(cancellation, sli_status_make(SLI_INTERNAL, "too late"));
  SLI_EXPECT_INT(calls, 1);
  SLI_EXPECT_INT(removed_calls, 0);
  SLI_EXPECT(sli_cancellation_is_cancelled(cancellation));
  sli_status_t *status = sli_cancellation_status(cancellation);
  SLI_EXPECT_TEXT(sli_status_message(status), "why");
  sli_status_release(status);
  SLI_EXPECT(!sli_cancellation_deregister(cancellation, first));
  SLI_EXPECT_INT(sli_cancellation_register(cancellation, count_call, &calls), 0);
  sli_cancellation_release(cancellation);
}

SLI_TEST(test_an_old_token_does_not_hit_a_new_callback) {
  sli_cancellation_t *cancellation = sli_cancellation_create();
  atomic_int calls = 0;
  uint64_t old = sli_cancellation_register(cancellation, count_call, &calls);
  SLI_EXPECT(sli_cancellation_deregister(cancellation, old));
  uint64_t new = sli_cancellation_register(cancellation, count_call, &calls);
  SLI_EXPECT(!sli_cancellation_deregister(cancellation, old));
  SLI_EXPECT(!sli_cancellation_deregister(cancellation, 0));
  SLI_EXPECT(!sli_cancellation_deregister(cancellation, UINT64_MAX));
  SLI_EXPECT(sli_cancellation_deregister(cancellation, new));
  sli_cancellation_release(cancellation);
}

typedef struct {
  atomic_bool has_started, has_finished;
} slow_t;

static void run_slowly(void *context) {
  slow_t *slow = context;
  atomic_store(&slow->has_started, true);
  usleep(20000);
  atomic_store(&slow->has_finished, true);
}

static void *cancel_now(void *cancellation) {
  sli_cancellation_cancel(cancellation, sli_status_make(SLI_CANCELLED, "stop"));
  return NULL;
}

SLI_TEST(test_deregister_waits_for_a_running_callback) {
  sli_cancellation_t *cancellation = sli_cancellation_create();
  slow_t slow = {false, false};
  atomic_int calls = 0;
  uint64_t token = sli_cancellation_register(cancellation, run_slowly, &slow);
  uint64_t later = sli_cancellation_register(cancellation, count_call, &calls);
  pthread_t thread;
  pthread_create(&thread, NULL, cancel_now, cancellation);
  while (!atomic_load(&slow.has_started)) usleep(100);
  // A callback that has not run yet can be deregistered while another one runs.
  SLI_EXPECT(sli_cancellation_deregister(cancellation, later));
  SLI_EXPECT(!sli_cancellation_deregister(cancellation, token));
  SLI_EXPECT(atomic_load(&slow.has_finished));
  pthread_join(thread, NULL);
  SLI_EXPECT_INT(calls, 0);
  sli_cancellation_release(cancellation);
}

// Several threads register and deregister callbacks while another one cancels. Each
// registration ends exactly once, by its callback or by deregistering.
enum { WAITERS = 3, WAITS = 2000 };

static void *register_and_leave(void *context) {
  sli_cancellation_t *cancellation = context;
  for (int i = 0; i < WAITS; i++) {
    atomic_int calls = 0;  // on the stack, so that the sanitizer finds a late callback
    uint64_t token = sli_cancellation_register(cancellation, count_call, &calls);
    if (!token) {
      SLI_EXPECT(sli_cancellation_is_cancelled(cancellation));
      break;
    }
    bool removed = sli_cancellation_deregister(cancellation, token);
    SLI_EXPECT_INT(atomic_load(&calls), removed ? 0 : 1);
  }
  return NULL;
}

SLI_TEST(test_register_and_deregister_race_with_cancel) {
  for (int round = 0; round < 20; round++) {
    sli_cancellation_t *cancellation = sli_cancellation_create();
    pthread_t threads[WAITERS + 1];
    for (int i = 0; i < WAITERS; i++) pthread_create(&threads[i], NULL, register_and_leave, cancellation);
    usleep((unsigned)round * 50);
    pthread_create(&threads[WAITERS], NULL, cancel_now, cancellation);
    for (int i = 0; i <= WAITERS; i++) pthread_join(threads[i], NULL);
    sli_cancellation_release(cancellation);
  }
}

SLI_TEST_MAIN(test_cancel_runs_callbacks_once_and_keeps_the_first_reason, test_an_old_token_does_not_hit_a_new_callback,
              test_deregister_waits_for_a_running_callback, test_register_and_deregister_race_with_cancel)
