#include "core/step/device.h"

#include "base/test.h"

static char *canonical(const char *text) {
  static char result[256];
  sli_device_name_t name;
  if (!sli_device_name_parse(sli_view(text), &name)) return "(invalid)";
  sli_string_t out = {0};
  sli_device_name_append(&out, &name);
  snprintf(result, sizeof(result), "%s", sli_string_text(&out));
  sli_string_deinitialize(&out);
  return result;
}

SLI_TEST(test_names_parse_in_all_spellings) {
  SLI_EXPECT_TEXT(canonical("/job:a/replica:0/task:1/device:CPU:0"), "/job:a/replica:0/task:1/device:CPU:0");
  SLI_EXPECT_TEXT(canonical("/job:a/task:1/cpu:0"), "/job:a/task:1/device:CPU:0");
  SLI_EXPECT_TEXT(canonical("/task:1/job:a_2/GPU:3"), "/job:a_2/task:1/device:GPU:3");
  SLI_EXPECT_TEXT(canonical("/device:cpu:0"), "/device:CPU:0");
  SLI_EXPECT_TEXT(canonical("/cpu:*"), "/device:CPU:*");
  SLI_EXPECT_TEXT(canonical("/device:CPU:*"), "/device:CPU:*");
  SLI_EXPECT_TEXT(canonical("/device:CPU"), "/device:CPU:*");
  SLI_EXPECT_TEXT(canonical("/device:XLA_CPU:1"), "/device:XLA_CPU:1");
  SLI_EXPECT_TEXT(canonical("/job:*/replica:*/task:2/device:*:*"), "/task:2");
  SLI_EXPECT_TEXT(canonical("/job:a/job:b"), "/job:b");
  SLI_EXPECT_TEXT(canonical("/"), "");
  SLI_EXPECT_TEXT(canonical(""), "");
}

SLI_TEST(test_what_is_no_name_is_refused) {
  const char *const bad[] = {"cpu:0",           "/job:",   "/job:1a",  "/job:a-b",         "/task:x",
                             "/task:",          "/cpu",    "/cpu:",    "/device:",         "/device:CPU:x",
                             "/job:a/",         "//",      "/task:-1", "/task:9999999999", "/replica:0x",
                             "/device:CPU:0:1", "/job:a b"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    sli_device_name_t name;
    if (sli_device_name_parse(sli_view(bad[i]), &name)) sli_test_fail(__FILE__, __LINE__, "accepted \"%s\"", bad[i]);
  }
}

static bool matches(const char *wanted, const char *full) {
  sli_device_name_t a, b;
  return sli_device_name_parse(sli_view(wanted), &a) && sli_device_name_parse(sli_view(full), &b) &&
         sli_device_name_matches(&a, &b);
}

SLI_TEST(test_matching_asks_only_for_the_parts_given) {
  const char *full = "/job:ps/replica:0/task:3/device:CPU:0";
  SLI_EXPECT(matches("", full));
  SLI_EXPECT(matches("/job:ps", full));
  SLI_EXPECT(matches("/job:ps/task:3/cpu:0", full));
  SLI_EXPECT(matches("/device:cpu:*", full));
  SLI_EXPECT(!matches("/job:worker", full));
  SLI_EXPECT(!matches("/task:1", full));
  SLI_EXPECT(!matches("/gpu:0", full));
  SLI_EXPECT(!matches("/cpu:1", full));
}

static void expect_merged(const char *into, const char *more, bool soft, const char *wanted) {
  sli_device_name_t a, b;
  SLI_REQUIRE(sli_device_name_parse(sli_view(into), &a) && sli_device_name_parse(sli_view(more), &b));
  sli_status_t *status = sli_device_name_merge(&a, &b, soft);
  sli_string_t out = {0};
  if (!status) sli_device_name_append(&out, &a);
  SLI_EXPECT_TEXT(status ? sli_status_message(status) : sli_string_text(&out), wanted);
  sli_status_release(status);
  sli_string_deinitialize(&out);
}

SLI_TEST(test_merging_adds_parts_and_names_conflicts) {
  expect_merged("/job:a", "/task:1/cpu:0", false, "/job:a/task:1/device:CPU:0");
  expect_merged("/job:a", "/job:b", false, "Cannot merge devices with incompatible jobs: '/job:a' and '/job:b'");
  expect_merged("/job:a", "/job:b", true, "Cannot merge devices with incompatible jobs: '/job:a' and '/job:b'");
  expect_merged("/task:0", "/task:1", false, "Cannot merge devices with incompatible tasks: '/task:0' and '/task:1'");
  expect_merged("/cpu:0", "/gpu:0", false,
                "Cannot merge devices with incompatible types: '/device:CPU:0' and '/device:GPU:0'");
  expect_merged("/cpu:0", "/cpu:1", false,
                "Cannot merge devices with incompatible ids: '/device:CPU:0' and '/device:CPU:1'");
  expect_merged("/job:a/cpu:0", "/gpu:0", true, "/job:a");
  expect_merged("/job:a/cpu:0", "/cpu:1", true, "/job:a/device:CPU:*");
}

SLI_TEST(test_task_of_a_full_name) {
  sli_view_t task = sli_device_name_task(sli_view("/job:ps/replica:0/task:3/device:CPU:0"));
  SLI_EXPECT(sli_view_is(task, "/job:ps/replica:0/task:3"));
}

SLI_TEST(test_every_device_gets_an_incarnation_of_its_own) {
  sli_device_t *a = sli_device_create_cpu("/job:a/replica:0/task:0/device:CPU:0", NULL, NULL);
  sli_device_t *b = sli_device_create_cpu(a->name, NULL, NULL);
  SLI_EXPECT(a->incarnation && b->incarnation && a->incarnation != b->incarnation);
  SLI_EXPECT_TEXT(b->name, "/job:a/replica:0/task:0/device:CPU:0");
  sli_device_destroy(a);
  sli_device_destroy(b);
}

SLI_TEST_MAIN(test_names_parse_in_all_spellings, test_what_is_no_name_is_refused,
              test_matching_asks_only_for_the_parts_given, test_merging_adds_parts_and_names_conflicts,
              test_task_of_a_full_name, test_every_device_gets_an_incarnation_of_its_own)
