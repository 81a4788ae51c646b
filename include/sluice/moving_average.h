// Moving averages of variables, as tf.train.ExponentialMovingAverage: shadow
// variables "NAME/ExponentialMovingAverage", which often make a better model than
// the variables themselves.
#ifndef SLUICE_MOVING_AVERAGE_H_
#define SLUICE_MOVING_AVERAGE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/variable.h"

SL_BEGIN_DECLS

typedef struct sl_moving_average sl_moving_average_t;

typedef struct {
  size_t struct_size;
  const char *name;  // NULL: "ExponentialMovingAverage"
  // The global step n: the decay is then at most (1 + n) / (10 + n), so that averages follow quickly at the start.
  TF_Output num_updates;
} sl_moving_average_options_t;

// Owned by the scope.
SL_EXPORT sl_moving_average_t *sl_moving_average_with(sl_scope_t *scope, double decay,
                                                      const sl_moving_average_options_t *options);
#define sl_moving_average(scope, decay, ...) \
  sl_moving_average_with(SL_AT(scope), (decay), SL_OPTIONS(sl_moving_average_options_t, __VA_ARGS__))

// Creates the shadows of |variables|, with the initial values of the variables, and returns the operation that updates
// them: shadow -= (1 - decay) * (shadow - variable). Adds the variables to SL_MOVING_AVERAGE_VARIABLES. |variables| may
// also hold other values of a known shape, such as a loss: their shadows "NODE/NAME" start as 0.
SL_EXPORT TF_Operation *sl_moving_average_apply_with(sl_moving_average_t *average, sl_outputs_t variables);
#define sl_moving_average_apply(scope, average, variables) \
  (SL_AT(scope), sl_moving_average_apply_with((average), (variables)))

// The shadow of |variable| (or other value); empty if there is none.
SL_EXPORT TF_Output sl_moving_average_of(const sl_moving_average_t *average, TF_Output variable);
// The name in checkpoints under which the average of |variable| is saved; if it has no average, its own name. Owned by
// |average|. As variables_to_restore.
SL_EXPORT const char *sl_moving_average_name(sl_moving_average_t *average, TF_Output variable);

// Variables and their names in checkpoints, for .variables, .variable_count and .names of a saver. Owned by the scope.
typedef struct {
  size_t count;
  const TF_Output *variables;
  const char *const *names;
} sl_restore_map_t;
// For a saver that restores averages into the variables, for example to evaluate; the graph needs no shadows. Lists
// |variables| (empty: SL_TRAINABLE_VARIABLES and SL_MOVING_AVERAGE_VARIABLES) under the names of their averages, and
// the other global variables, without shadows, under their own names. As variables_to_restore.
SL_EXPORT sl_restore_map_t sl_moving_average_variables_to_restore(sl_moving_average_t *average, sl_outputs_t variables);

SL_END_DECLS

#endif  // SLUICE_MOVING_AVERAGE_H_
