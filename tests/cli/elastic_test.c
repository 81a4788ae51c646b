// `sluice launch --workers MIN:MAX --discovery SCRIPT` with shell scripts as workers: they are started and asked to
// leave as the script says.
#include <stdio.h>

#include "base/test.h"
#include "tests/support/tool.h"

// So that the script never reads half of it.
static void offer(const char *path, const char *text) {
  const char *fresh = tool_scratch("places.new");
  tool_write_file(fresh, text, strlen(text));
  SLI_EXPECT_INT(rename(fresh, path), 0);
}

SLI_TEST(test_workers_follow_the_discovery_script) {
  const char *places = tool_scratch("places"), *log = tool_scratch("log"), *end = tool_scratch("end");
  char script[600], worker[1500];
  tool_write_file(log, "", 0);
  remove(end);
  offer(places, "localhost:1\n");
  snprintf(script, sizeof(script), "cat %s", places);
  snprintf(worker, sizeof(worker),
           "echo begun $RANK $SLUICE_MIN_WORKERS >> %s; trap 'echo left $RANK >> %s; exit 0' TERM; "
           "while [ ! -e %s ]; do sleep 0.1; done",
           log, log, end);
  tool_run_t run;
  tool_start(
      &run, -1,
      (const char *const[]){"launch", "--workers", "1:3", "--discovery", script, "--", "sh", "-c", worker, NULL});
  SLI_EXPECT(tool_wait_for_lines(log, 1));
  offer(places, "localhost:2\nother\n");
  SLI_EXPECT(tool_wait_for_lines(log, 3));
  offer(places, "localhost:2\n");
  SLI_EXPECT(tool_wait_for_lines(log, 4));
  char *lines = tool_read_text(log);
  SLI_EXPECT_CONTAINS(lines, "begun 0 1\n");
  SLI_EXPECT_CONTAINS(lines, "begun 2 1\n");
  SLI_EXPECT_CONTAINS(lines, "left 2\n");
  free(lines);
  offer(places, "broken:x\n");     // is not followed
  offer(places, "localhost:7\n");  // more than MAX
  SLI_EXPECT(tool_wait_for_lines(log, 5));
  tool_write_file(end, "", 0);
  tool_finish(&run);
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.err, "there are places for 3 workers now, before there were 1");
  SLI_EXPECT_CONTAINS(run.err, "there are places for 2 workers now, before there were 3");
  tool_run_release(&run);
}

SLI_TEST(test_numbers_that_make_no_sense_are_refused) {
  tool_run_t run;
  TOOL_RUN(&run, "launch", "--workers", "3:2", "--", "true");
  SLI_EXPECT_CONTAINS(run.err, "got '3:2'");
  SLI_EXPECT(run.code != 0);
  tool_run_release(&run);
  TOOL_RUN(&run, "launch", "--workers", "2", "--discovery", "echo a", "--", "true");
  SLI_EXPECT_CONTAINS(run.err, "--discovery needs --workers MIN:MAX");
  tool_run_release(&run);
}

SLI_TEST_MAIN(test_workers_follow_the_discovery_script, test_numbers_that_make_no_sense_are_refused)
