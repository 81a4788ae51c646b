#include "base/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"

static sli_status_t *start(char *const *argv, int output, pid_t *out_pid) {
  return sli_process_start(&(sli_process_options_t){.argv = argv, .output = output, .error = -1, .own_group = true},
                           out_pid);
}

SLI_TEST(test_process_start_tells_why_it_cannot) {
  pid_t pid;
  SLI_EXPECT_STATUS(start((char *[]){"no-such-program", NULL}, -1, &pid), SLI_NOT_FOUND);
  SLI_EXPECT_INT(pid, 0);
  SLI_EXPECT_STATUS(start((char *[]){"/etc/passwd", NULL}, -1, &pid), SLI_PERMISSION_DENIED);
  SLI_EXPECT(waitpid(-1, NULL, WNOHANG) < 0);
}

SLI_TEST(test_process_start_passes_environment_output_and_group) {
  int ends[2];
  SLI_REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  pid_t pid;
  sli_process_options_t options = {.argv = (char *[]){"sh", "-c", "cat; echo $COLOUR", NULL},
                                   .environment = (char *[]){"COLOUR=blue", "PATH=/usr/bin:/bin", NULL},
                                   .output = ends[1],
                                   .error = -1,
                                   .own_group = true};
  SLI_REQUIRE_OK(sli_process_start(&options, &pid));
  close(ends[1]);
  char text[64] = "";
  SLI_EXPECT(read(ends[0], text, sizeof(text) - 1) > 0);
  close(ends[0]);
  SLI_EXPECT_TEXT(text, "blue\n");
  SLI_EXPECT_INT(getpgid(pid), pid);
  int wait_status;
  SLI_EXPECT_INT(waitpid(pid, &wait_status, 0), pid);
  SLI_EXPECT_INT(wait_status, 0);
}

SLI_TEST(test_process_kill_descendants_reaches_those_that_left) {
  sli_process_adopt_orphans();
  int ends[2];
  SLI_REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  pid_t pid;
  SLI_REQUIRE_OK(start((char *[]){"sh", "-c", "setsid sh -c 'echo $$; exec sleep 100' & wait", NULL}, ends[1], &pid));
  close(ends[1]);
  char text[32] = "";
  SLI_EXPECT(read(ends[0], text, sizeof(text) - 1) > 0);
  SLI_EXPECT(kill(atoi(text), 0) == 0);
  pid_t children[4];
  SLI_EXPECT_INT(sli_process_children(children, 4), 1);
  SLI_EXPECT_INT(children[0], pid);
  SLI_EXPECT(sli_process_kill_descendants(sli_clock_deadline_after_millis(30000)));
  SLI_EXPECT(kill(atoi(text), 0) != 0);
  SLI_EXPECT_INT(read(ends[0], text, sizeof(text)), 0);
  close(ends[0]);
}

SLI_TEST_MAIN(test_process_start_tells_why_it_cannot, test_process_start_passes_environment_output_and_group,
              test_process_kill_descendants_reaches_those_that_left)
