#include "core/step/rendezvous.h"

#include "base/test.h"

// A key that real TensorFlow sent.
static const char golden[] =
    "/job:ps/replica:0/task:0/device:CPU:0;234236856e9775df;/job:worker/replica:0/task:1/device:CPU:0;"
    "edge_4_v/read;0:0";

SLI_TEST(test_key_of_tensorflow_parses_and_comes_back) {
  sli_rendezvous_key_t key;
  SLI_REQUIRE_OK(sli_rendezvous_key_parse(sli_view(golden), &key));
  SLI_EXPECT(sli_view_is(key.source_device, "/job:ps/replica:0/task:0/device:CPU:0"));
  SLI_EXPECT(sli_view_is(key.destination_device, "/job:worker/replica:0/task:1/device:CPU:0"));
  SLI_EXPECT(sli_view_is(key.edge_name, "edge_4_v/read"));
  SLI_EXPECT(key.source_incarnation == UINT64_C(0x234236856e9775df));
  SLI_EXPECT_INT(key.frame, 0);
  SLI_EXPECT_INT(key.iteration, 0);
  sli_string_t text = {0};
  sli_rendezvous_key_append(&text, "/job:ps/replica:0/task:0/device:CPU:0", key.source_incarnation,
                            "/job:worker/replica:0/task:1/device:CPU:0", "edge_4_v/read", 0, 0);
  SLI_EXPECT_TEXT(sli_string_text(&text), golden);
  sli_string_deinitialize(&text);
}

SLI_TEST(test_frames_use_all_64_bits) {
  sli_string_t text = {0};
  sli_rendezvous_key_append(&text, "/cpu:0", 1, "/cpu:0", "e", UINT64_MAX, 7);
  SLI_EXPECT_TEXT(sli_string_text(&text), "/cpu:0;0000000000000001;/cpu:0;e;18446744073709551615:7");
  sli_rendezvous_key_t key;
  SLI_REQUIRE_OK(sli_rendezvous_key_parse(sli_view(sli_string_text(&text)), &key));
  SLI_EXPECT(key.frame == UINT64_MAX);
  SLI_EXPECT_INT(key.iteration, 7);
  sli_string_deinitialize(&text);
}

SLI_TEST(test_malformed_keys_are_refused) {
  const char *const bad[] = {"",
                             ";;;;",
                             "/cpu:0;1;/cpu:0;e",
                             "/cpu:0;1;/cpu:0;e;0",
                             "/cpu:0;1;/cpu:0;e;0:0;",
                             "/cpu:0;1;/cpu:0;;0:0",
                             "/cpu:0;g;/cpu:0;e;0:0",
                             "/cpu:0;11112222333344445;/cpu:0;e;0:0",
                             "cpu;1;/cpu:0;e;0:0",
                             "/cpu:0;1;cpu;e;0:0",
                             "/cpu:0;1;/cpu:0;e;x:0",
                             "/cpu:0;1;/cpu:0;e;18446744073709551616:0"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    sli_rendezvous_key_t key;
    sli_status_t *status = sli_rendezvous_key_parse(sli_view(bad[i]), &key);
    SLI_EXPECT_INT(sli_status_code(status), SLI_INVALID_ARGUMENT);
    SLI_EXPECT_CONTAINS(sli_status_message(status), "Invalid  rendezvous key: ");
    sli_status_release(status);
  }
}

SLI_TEST_MAIN(test_key_of_tensorflow_parses_and_comes_back, test_frames_use_all_64_bits,
              test_malformed_keys_are_refused)
