// An updater for the parameter store: gradient descent with clipped gradients.
//
//   cc -shared -fPIC -o updaters/clipped.so clipped.c
//   SLUICE_UPDATERS=updaters sluice serve …
//
// A table then has the updater "library:clipped.so RATE LIMIT".
#include <stdio.h>
#include <stdlib.h>

#include "sluice/updater.h"

typedef struct {
  float rate, limit;
} state_t;

static void *create(const char *parameters, char *error, size_t size) {
  state_t *state = malloc(sizeof(*state));
  if (sscanf(parameters, "%f %f", &state->rate, &state->limit) == 2 && state->limit > 0)
    return state;
  snprintf(error, size, "needs a rate and a limit above 0, got \"%s\"", parameters);
  free(state);
  return NULL;
}

static void apply(void *of, float *value, float *const *slots, const float *gradient, int64_t count,
                  uint64_t step) {
  const state_t *state = of;
  for (int64_t i = 0; i < count; i++) {
    float clipped = gradient[i] > state->limit    ? state->limit
                    : gradient[i] < -state->limit ? -state->limit
                                                  : gradient[i];
    value[i] -= state->rate * clipped;
    slots[0][i] += 1;  // how often it was updated
  }
}

SL_EXPORT const sl_updater_t *sl_updater(void);
const sl_updater_t *sl_updater(void) {
  static const sl_updater_t updater = {sizeof(updater), .slot_count = 1, .create = create,
                                       .destroy = free, .apply = apply};
  return &updater;
}
