// Bugs that are planted in the task library are found by the simulation, and the history of a seed that finds one can
// be replayed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/test.h"

#define PROGRAM SLI_BUILD_DIR "/tests/simulate --task=" SLI_BUILD_DIR "/tests/simulated_bugs.so"

static int simulate(const char *bug, const char *arguments, char *out_text, size_t size) {
  char *command = sli_format("SIMULATE_BUG=%s %s %s 2>&1", bug, PROGRAM, arguments);
  FILE *output = popen(command, "r");
  size_t got = fread(out_text, 1, size - 1, output);
  out_text[got] = '\0';
  while (fgetc(output) != EOF) continue;
  int status = pclose(output);
  free(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Runs seeds until one finds the bug, and replays that one.
static void expect_found(const char *bug, const char *what) {
  static char text[1 << 20];
  int code = simulate(bug, "--until-failure --seeds=300", text, sizeof(text));
  SLI_EXPECT_INT(code, 1);
  SLI_EXPECT_CONTAINS(text, what);
  const char *replay = strstr(text, "--seed=");
  SLI_EXPECT(replay != NULL);
  if (!replay) return;
  char *arguments = sli_strndup(replay, strcspn(replay, "\n"));
  SLI_EXPECT_INT(simulate(bug, arguments, text, sizeof(text)), 1);
  free(arguments);
}

SLI_TEST(test_a_second_chief_is_found) { expect_found("two_chiefs", "failed"); }
SLI_TEST(test_a_chief_that_wakes_nobody_is_found) { expect_found("no_tokens", "still wait"); }
SLI_TEST(test_a_call_that_is_sent_twice_is_found) { expect_found("sent_twice", "failed"); }
SLI_TEST(test_a_checkpoint_that_is_not_synced_is_found) { expect_found("no_sync", "damaged"); }
SLI_TEST(test_a_quorum_that_is_too_small_is_found) { expect_found("small_quorum", "gradients each"); }

SLI_TEST_MAIN(test_a_second_chief_is_found, test_a_chief_that_wakes_nobody_is_found,
              test_a_call_that_is_sent_twice_is_found, test_a_checkpoint_that_is_not_synced_is_found,
              test_a_quorum_that_is_too_small_is_found)
