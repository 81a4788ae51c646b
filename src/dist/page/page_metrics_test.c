#include "base/tally.h"
#include "base/test.h"
#include "dist/page/page.h"

static void expect_metric(const Sluice__StatusResponse *status, const char *line) {
  sli_string_t text = {0};
  sli_page_append_metrics(status, &text);
  SLI_EXPECT_CONTAINS(sli_string_text(&text), line);
  sli_string_deinitialize(&text);
}

SLI_TEST(test_metrics) {
  Sluice__HelloResponse hello = SLUICE__HELLO_RESPONSE__INIT;
  hello.task = (char *)"/job:ps/replica:0/task:0";
  hello.version = (char *)"9.9";
  Sluice__StatusResponse status = SLUICE__STATUS_RESPONSE__INIT;
  status.hello = &hello;
  status.memory_bytes = 12345678901;
  status.steps = 7;
  expect_metric(&status, "\nsluice_info{task=\"/job:ps/replica:0/task:0\",version=\"9.9\"} 1\n");
  expect_metric(&status, "\nprocess_resident_memory_bytes 12345678901\n");
  expect_metric(&status, "# TYPE sluice_steps_total counter\nsluice_steps_total 7\n");
  // A histogram is cumulative; codes without errors are left out.
  int64_t buckets[SLI_TALLY_BUCKETS + 1] = {1, 2, [SLI_TALLY_BUCKETS] = 4}, errors[] = {0, 3, 0};
  Sluice__TallyStatus tally = SLUICE__TALLY_STATUS__INIT, *tallies[] = {&tally};
  tally.name = (char *)"step";
  tally.micros = 2500000;
  tally.n_bucket = SLI_TALLY_BUCKETS + 1;
  tally.bucket = buckets;
  tally.n_error = 3;
  tally.error = errors;
  status.n_tally = 1;
  status.tally = tallies;
  expect_metric(&status,
                "\nsluice_step_seconds_bucket{le=\"0.0001\"} 1\nsluice_step_seconds_bucket{le=\"0.00025\"} 3\n");
  expect_metric(&status,
                "\nsluice_step_seconds_bucket{le=\"60\"} 3\nsluice_step_seconds_bucket{le=\"+Inf\"} 7\n"
                "sluice_step_seconds_sum 2.5\nsluice_step_seconds_count 7\n");
  expect_metric(&status, "counter\nsluice_errors_total{of=\"step\",code=\"CANCELLED\"} 3\n# HELP");
  // Names of resources come from clients: quotes, backslashes and newlines are escaped.
  Sluice__QueueStatus queue = SLUICE__QUEUE_STATUS__INIT, *queues[] = {&queue};
  queue.container = (char *)"c";
  queue.name = (char *)"a\"b\\c\nd";
  queue.size = 5;
  status.n_queue = 1;
  status.queue = queues;
  expect_metric(&status, "\nsluice_queue_size{container=\"c\",queue=\"a\\\"b\\\\c\\nd\"} 5\n");
}

SLI_TEST(test_names_in_other_encodings) {
  Sluice__HelloResponse hello = SLUICE__HELLO_RESPONSE__INIT;
  Sluice__StatusResponse status = SLUICE__STATUS_RESPONSE__INIT;
  status.hello = &hello;
  hello.task = (char *)"\xc3\xa4\xe4";
  expect_metric(&status, "sluice_info{task=\"\xc3\xa4?\",");
}

SLI_TEST_MAIN(test_metrics, test_names_in_other_encodings)
