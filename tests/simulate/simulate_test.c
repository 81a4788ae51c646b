// A few seeds of the simulation, and that a seed's run can be repeated. `make simulate` runs many.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/test.h"

#define PROGRAM SLI_BUILD_DIR "/tests/simulate"

// Runs the simulation and returns what it printed; the caller frees it.
static char *simulate(const char *arguments, int *out_code) {
  char *command = sli_format("%s %s 2>&1", PROGRAM, arguments);
  FILE *output = popen(command, "r");
  char *text = sli_calloc(1, 1 << 20);
  size_t size = fread(text, 1, (1 << 20) - 1, output);
  text[size] = '\0';
  int status = pclose(output);
  *out_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  free(command);
  return text;
}

SLI_TEST(test_jobs_with_faults_have_all_properties) {
  int code;
  char *text = simulate("--seeds=12", &code);
  if (code != 0) sli_test_fail(__FILE__, __LINE__, "%s", text);
  free(text);
}

SLI_TEST(test_a_seed_gives_the_same_run_again) {
  for (int seed = 3; seed < 5; seed++) {
    char *arguments = sli_format("--hash --seed=%d", seed);
    int code;
    char *first = simulate(arguments, &code), *second = simulate(arguments, &code);
    SLI_EXPECT(strlen(first) == 17);
    SLI_EXPECT(strcmp(first, second) == 0);
    free(first);
    free(second);
    free(arguments);
  }
}

SLI_TEST(test_twenty_workers_train_in_one_process) {
  int code;
  char *text = simulate("--workers=20 --seeds=1", &code);
  if (code != 0) sli_test_fail(__FILE__, __LINE__, "%s", text);
  free(text);
}

SLI_TEST_MAIN(test_jobs_with_faults_have_all_properties, test_a_seed_gives_the_same_run_again,
              test_twenty_workers_train_in_one_process)
