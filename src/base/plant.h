// Bugs that the simulation plants in a library of its own, to show that it finds them (tests/simulate/planted_test.c).
// There are none in any other build.
#ifndef SLI_BASE_PLANT_H_
#define SLI_BASE_PLANT_H_

#include <stdbool.h>

#ifdef SLI_PLANT_BUGS
#include <stdlib.h>
static inline bool sli_plant_is(const char *name, const char *bug) {
  for (; *name && *name == *bug; name++, bug++) continue;
  return *name == *bug;
}
#define SLI_PLANT(bug) (getenv("SIMULATE_BUG") && sli_plant_is(getenv("SIMULATE_BUG"), bug))
#else
#define SLI_PLANT(bug) false
#endif

#endif  // SLI_BASE_PLANT_H_
