#include "train/common/progress.h"

#include "base/test.h"

static const int64_t second = 1000000000;

static void expect_line(sli_progress_t *progress, int64_t global_step, int64_t examples, int64_t now,
                        const char *wanted) {
  sli_string_t line = {0};
  bool shown = sli_progress_step(progress, global_step, examples, now, &line);
  SLI_EXPECT(shown == (wanted[0] != '\0'));
  SLI_EXPECT_TEXT(sli_string_text(&line), wanted);
  sli_string_deinitialize(&line);
}

SLI_TEST(test_plain_lines_come_every_so_many_steps_and_not_too_often) {
  sli_progress_t progress = {.title = "Worker 0", .every_steps = 2, .has_loss = true, .loss = 0.5123};
  sli_progress_start(&progress, 10, 0);
  expect_line(&progress, 12, 100, second / 10, "");
  expect_line(&progress, 15, 100, second / 5,
              "Worker 0: local step 2, global step 15, loss 0.512, 1000 examples/sec, 0.1000 sec/batch\n");
  expect_line(&progress, 17, 100, second / 5 * 2, "");
  expect_line(&progress, 19, 100, second / 5 * 3, "");
  expect_line(&progress, 21, 100, second / 5 * 6,
              "Worker 0: local step 5, global step 21, loss 0.512, 300 examples/sec, 0.3333 sec/batch\n");
}

SLI_TEST(test_plain_line_without_loss_and_examples) {
  sli_progress_t progress = {.title = "Chief 0", .every_steps = 1};
  sli_progress_start(&progress, 0, 0);
  expect_line(&progress, 1, 0, second, "Chief 0: local step 1, global step 1, 1.0000 sec/batch\n");
}

SLI_TEST(test_terminal_line_has_rate_and_time_left) {
  sli_progress_t progress = {.title = "Worker 0", .every_steps = 100, .terminal = true, .last_step = 1000};
  sli_progress_start(&progress, 0, 0);
  expect_line(&progress, 50, 100, second / 10, "");
  expect_line(&progress, 100, 100, second, "\rWorker 0: step 100/1000, 100 steps/s, ETA 0:09\033[K");
}

SLI_TEST(test_closing_line) {
  sli_progress_t progress = {.title = "Worker 1", .every_steps = 100};
  sli_progress_start(&progress, 100, 0);
  expect_line(&progress, 300, 100, second, "");
  sli_string_t line = {0};
  sli_progress_end(&progress, 2 * second, &line);
  SLI_EXPECT_TEXT(line.data, "Worker 1: ended at global step 300 after 1 local steps, 2.0 s, 100 global steps/s\n");
  sli_string_deinitialize(&line);
}

SLI_TEST(test_no_progress_when_switched_off) {
  sli_progress_t progress = {.title = "Worker 0", .every_steps = -1};
  sli_progress_start(&progress, 0, 0);
  expect_line(&progress, 1, 100, 10 * second, "");
}

SLI_TEST(test_durations) {
  char text[32];
  sli_progress_duration(7.4, text, sizeof(text));
  SLI_EXPECT_TEXT(text, "0:07");
  sli_progress_duration(754, text, sizeof(text));
  SLI_EXPECT_TEXT(text, "12:34");
  sli_progress_duration(3723, text, sizeof(text));
  SLI_EXPECT_TEXT(text, "1:02:03");
}

SLI_TEST_MAIN(test_plain_lines_come_every_so_many_steps_and_not_too_often, test_plain_line_without_loss_and_examples,
              test_terminal_line_has_rate_and_time_left, test_closing_line, test_no_progress_when_switched_off,
              test_durations)
