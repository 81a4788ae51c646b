#include "base/tally.h"

#include "base/test.h"

SLI_TEST(test_counts) {
  sli_tally_t tally = {0};
  sli_tally_add(&tally, 100 * 1000, 7, NULL);                  // at most the first bound
  sli_tally_add(&tally, 100 * 1000 + 1, 0, NULL);              // above it
  sli_tally_add(&tally, INT64_C(3600) * 1000000000, 3, NULL);  // an hour: the last bucket
  sli_status_t *error = sli_status_make(SLI_ABORTED, "no");
  sli_tally_add(&tally, -1, 0, error);
  sli_status_release(error);
  SLI_EXPECT_INT(tally.buckets[0], 2);
  SLI_EXPECT_INT(tally.buckets[1], 1);
  SLI_EXPECT_INT(tally.buckets[SLI_TALLY_BUCKETS], 1);
  SLI_EXPECT_INT(tally.bytes, 10);
  SLI_EXPECT_INT(tally.nanos, INT64_C(3600000000000) + 200001);
  SLI_EXPECT_INT(tally.errors[SLI_ABORTED], 1);
  SLI_EXPECT_INT(tally.errors[SLI_OK], 0);
}

SLI_TEST(test_bounds_increase) {
  for (int i = 1; i < SLI_TALLY_BUCKETS; i++) SLI_EXPECT(sli_tally_bounds[i] > sli_tally_bounds[i - 1]);
}

SLI_TEST_MAIN(test_counts, test_bounds_increase)
