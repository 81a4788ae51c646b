// A sweep of real trainings: a grid, and successive halving with a fifth of its steps. For `make hosting`.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/support/tool.h"

#define DATA "/usr/share/datasets/fashion-mnist"

// The metric of the best trial. Columns of results.csv: trial, status,
// learning_rate, hidden_units, accuracy, step, rung, budget.
static double best_accuracy(const char *directory) {
  char *text = tool_read_text(tool_path_in(directory, "results.csv"));
  double best = 0;
  for (char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
    char *at = line + 1;
    for (int column = 0; column < 4; column++) at = strchr(at, ',') + 1;
    double accuracy = strtod(at, NULL);
    if (accuracy > best) best = accuracy;
  }
  free(text);
  return best;
}

static double run_sweep(const char *name, const char *const *more) {
  tool_run_t run;
  char *directory = sli_strdup(tool_scratch(name));
  const char *arguments[TOOL_MAX_ARGUMENTS] = {"sweep",
                                               "--dir",
                                               directory,
                                               "--param",
                                               "learning_rate=log:1e-3:1:9",
                                               "--param",
                                               "hidden_units=16,32,64",
                                               "--grid",
                                               "--metric",
                                               "accuracy",
                                               "--seed",
                                               "3",
                                               "--parallel",
                                               "2"};
  size_t count = 14;
  while (*more) arguments[count++] = *more++;
  tool_run(&run, -1, arguments);
  SLI_EXPECT_INT(run.code, 0);
  if (run.code) fprintf(stderr, "%s%s", run.out, run.err);
  double best = best_accuracy(directory);
  tool_run_release(&run);
  free(directory);
  return best;
}

SLI_TEST(test_halving_finds_a_trial_within_one_percent_of_the_best_of_the_grid) {
  const char *const whole[] = {
      "--", SLI_BUILD_DIR "/examples/mnist_replica", "--data_dir=" DATA, "--log_dir={dir}", "--steps=1620", NULL};
  const char *const part[] = {
      "--halving",        "--budget",        "100:1620", "--", SLI_BUILD_DIR "/examples/mnist_replica",
      "--data_dir=" DATA, "--log_dir={dir}", NULL};
  double all = run_sweep("grid", whole), halving = run_sweep("halving", part);
  // 27 trials up to step 100, 9 up to 300 and 3 up to 1620.
  double steps = 27 * 100 + 9 * (300 - 100) + 3 * (1620 - 300), share = steps / (27 * 1620);
  printf("the grid: accuracy %.4f; halving, with %.0f %% of the steps: %.4f\n", all, 100 * share, halving);
  SLI_EXPECT(share <= 0.2);
  SLI_EXPECT(all > 0.75);
  SLI_EXPECT(halving >= all * 0.99);
}

SLI_TEST_MAIN(test_halving_finds_a_trial_within_one_percent_of_the_best_of_the_grid)
