// GetDeadline tells the deadline of its step.
#include "ops/common/testing.h"

static int64_t deadline_of(int64_t deadline) {
  sli_testing_device_t d;
  sli_testing_device_initialize(&d);
  d.step.deadline = deadline;
  SLI_EXPECT_OK(sli_testing_device_run(&d, "GetDeadline", NULL, 0, NULL, 0));
  int64_t micros = d.outputs[0].tensor ? SLI_DATA(int64_t, d.outputs[0].tensor)[0] : 0;
  sli_testing_device_deinitialize(&d);
  return micros;
}

SLI_TEST(test_a_step_without_a_deadline_has_the_largest) {
  SLI_EXPECT(deadline_of(SLI_CLOCK_NO_DEADLINE) == INT64_MAX);
}

SLI_TEST(test_a_deadline_is_a_time_of_day) {
  int64_t day = INT64_C(24) * 3600 * 1000, before = sli_clock_wall_micros();
  int64_t micros = deadline_of(sli_clock_deadline_after_millis(2 * day));
  // Within a day, whatever the machine's load.
  SLI_EXPECT(micros > before + day * 1000 && micros < before + 3 * day * 1000);
}

SLI_TEST_MAIN(test_a_step_without_a_deadline_has_the_largest, test_a_deadline_is_a_time_of_day)
