#include "base/spin.h"

#include "base/clock.h"
#include "base/test.h"

SLI_TEST(test_spin_ends_after_its_time) {
  sli_spin_t spin = {0};
  int64_t now = sli_clock_now_nanos();
  SLI_EXPECT(!sli_spin(&spin, now, now - 2 * SLI_SPIN_NANOS));
}

SLI_TEST(test_spin_is_for_those_whose_waits_are_short) {
  sli_spin_t spin = {0};
  for (int i = 0; i < 50; i++) sli_spin_learn(&spin, 20 * SLI_SPIN_NANOS);
  int64_t now = sli_clock_now_nanos();
  SLI_EXPECT(!sli_spin(&spin, now, now));
  for (int i = 0; i < 50; i++) sli_spin_learn(&spin, SLI_SPIN_NANOS / 10);
  // A yield may take long at any time. With |now| in the future it seems to have taken no time.
  now = sli_clock_now_nanos() + INT64_C(3600000000000);
  SLI_EXPECT(sli_spin(&spin, now, now));
}

SLI_TEST(test_spin_rests_when_others_need_the_core) {
  sli_spin_t spin = {0};
  int64_t now = sli_clock_now_nanos();
  // As if the yield had taken a second.
  SLI_EXPECT(!sli_spin(&spin, now - 1000000000, now - 1000000000));
  SLI_EXPECT(spin.blocked_until > now && !sli_spin(&spin, spin.blocked_until - 1, spin.blocked_until - 1));
}

SLI_TEST_MAIN(test_spin_ends_after_its_time, test_spin_is_for_those_whose_waits_are_short,
              test_spin_rests_when_others_need_the_core)
