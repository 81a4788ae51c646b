#include "train/common/device_spec.h"

#include "base/test.h"

static void expect_formatted(const char *device, const char *wanted) {
  sli_device_spec_t spec;
  char text[SLI_DEVICE_SPEC_SIZE];
  SLI_REQUIRE_OK(sli_device_spec_parse(device, &spec));
  sli_device_spec_format(&spec, text, sizeof(text));
  SLI_EXPECT_TEXT(text, wanted);
}

SLI_TEST(test_parts_are_parsed_and_written_as_python_does) {
  expect_formatted("", "");
  expect_formatted("/job:ps/task:0", "/job:ps/task:0");
  expect_formatted("/cpu:0", "/device:CPU:0");
  expect_formatted("/device:GPU:*", "/device:GPU:*");
  expect_formatted("/device:CPU", "/device:CPU:*");
  expect_formatted("/task:3/job:worker/replica:0", "/job:worker/replica:0/task:3");
}

SLI_TEST(test_bad_parts_are_named) {
  static const char *const bad[] = {"/job", "/task:x", "/task:-1", "/foo:1", "/device:", "/job:a b"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    sli_device_spec_t spec;
    SLI_EXPECT_STATUS(sli_device_spec_parse(bad[i], &spec), SLI_INVALID_ARGUMENT);
  }
}

SLI_TEST(test_fill_keeps_what_is_there) {
  sli_device_spec_t inner, outer;
  char text[SLI_DEVICE_SPEC_SIZE];
  SLI_REQUIRE_OK(sli_device_spec_parse("/task:1/cpu:0", &inner));
  SLI_REQUIRE_OK(sli_device_spec_parse("/job:ps/task:7/device:GPU:2", &outer));
  sli_device_spec_fill(&inner, &outer);
  sli_device_spec_format(&inner, text, sizeof(text));
  SLI_EXPECT_TEXT(text, "/job:ps/task:1/device:CPU:0");
}

SLI_TEST_MAIN(test_parts_are_parsed_and_written_as_python_does, test_bad_parts_are_named, test_fill_keeps_what_is_there)
