// A training job in the simulated world: the seed chooses its size, its kind, its network and its faults; and the
// properties that it must have.
#ifndef SLI_TESTS_SIMULATE_SCENARIO_H_
#define SLI_TESTS_SIMULATE_SCENARIO_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
  uint64_t seed;
  const char *library, *directory;
  bool is_verbose;
  FILE *history;  // NULL: kept until a failure
  int workers;    // 0: the seed chooses
} scenario_options_t;

// Runs it and returns what is wrong, which the caller frees; NULL: nothing. Once in a process.
char *scenario_run(const scenario_options_t *options);

#endif  // SLI_TESTS_SIMULATE_SCENARIO_H_
