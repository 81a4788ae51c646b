// Mutexes: who waits holds no thread, and is served in turn or cancelled.
#include "ops/common/testing.h"

enum { MOST = 4 };

typedef struct {
  sli_testing_call_t call;
  sli_testing_kernel_t kernel;
  sli_kernel_value_t inputs[1], outputs[1];
} locking_t;

// Starts MutexLock on the mutex of |handle|, and returns also if it has to wait.
static void start(locking_t *l, sli_testing_device_t *d, sli_tensor_t *handle) {
  *l = (locking_t){.inputs = {{.tensor = sli_tensor_retain(handle)}}};
  SLI_REQUIRE_OK(sli_testing_kernel_initialize(&l->kernel, d->device, "MutexLock", NULL, 0,
                                               (sli_dtype_t[]){SLI_DTYPE_RESOURCE}, 1));
  l->call.context = (sli_kernel_context_t){.node = &l->kernel.node,
                                           .device = d->device,
                                           .step = &d->step,
                                           .inputs = l->inputs,
                                           .input_count = 1,
                                           .outputs = l->outputs,
                                           .output_count = 1,
                                           .complete = sli_testing_complete};
  sli_event_initialize(&l->call.is_over);
  l->kernel.kernel->compute_async(&l->call.context);
}

static bool is_over(locking_t *l) { return sli_event_is_set(&l->call.is_over); }

static void unlock(locking_t *l) {
  sli_tensor_release(l->outputs[0].tensor);
  l->outputs[0].tensor = NULL;
}

static void end(locking_t *l) {
  unlock(l);
  sli_tensor_release(l->inputs[0].tensor);
  sli_status_release(l->call.status);
  sli_event_deinitialize(&l->call.is_over);
  sli_testing_kernel_deinitialize(&l->kernel);
}

static sli_tensor_t *make_mutex(sli_testing_device_t *d) {
  sli_testing_device_initialize(d);
  SLI_CHECK(!sli_testing_device_run(d, "MutexV2", NULL, 0, SLI_TESTING_ATTRS(SLI_ATTR_STRING_OF("shared_name", "m"))));
  return sli_tensor_retain(d->outputs[0].tensor);
}

SLI_TEST(test_locks_are_given_in_turn) {
  sli_testing_device_t d;
  sli_tensor_t *handle = make_mutex(&d);
  locking_t l[MOST];
  for (int i = 0; i < MOST; i++) start(&l[i], &d, handle);
  for (int i = 0; i < MOST; i++) {
    SLI_EXPECT(is_over(&l[i]) && !l[i].call.status && l[i].outputs[0].tensor);
    if (i + 1 < MOST) SLI_EXPECT(!is_over(&l[i + 1]));
    unlock(&l[i]);
  }
  for (int i = 0; i < MOST; i++) end(&l[i]);
  sli_tensor_release(handle);
  sli_testing_device_deinitialize(&d);
}

SLI_TEST(test_a_cancelled_step_waits_no_longer) {
  sli_testing_device_t d;
  sli_tensor_t *handle = make_mutex(&d);
  locking_t first, second, third;
  start(&first, &d, handle);
  start(&second, &d, handle);
  SLI_EXPECT(is_over(&first) && !is_over(&second));
  sli_cancellation_cancel(d.step.cancellation, sli_status_make(SLI_CANCELLED, "enough"));
  SLI_EXPECT(is_over(&second));
  sli_testing_expect_error(sli_status_retain(second.call.status), SLI_CANCELLED, "Lock acquisition cancelled.");
  // The lock is still held, and free afterwards.
  start(&third, &d, handle);
  SLI_EXPECT(is_over(&third) && third.call.status);
  end(&third);
  unlock(&first);
  start(&third, &d, handle);
  SLI_EXPECT(is_over(&third) && !third.call.status);
  end(&first);
  end(&second);
  end(&third);
  sli_tensor_release(handle);
  sli_testing_device_deinitialize(&d);
}

SLI_TEST_MAIN(test_locks_are_given_in_turn, test_a_cancelled_step_waits_no_longer)
