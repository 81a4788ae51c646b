// Moving averages of variables, as tf.train.ExponentialMovingAverage: shadow
// variables "NAME/ExponentialMovingAverage" beside the variables, which often make
// the better model.
#ifndef SLUICE_MOVING_AVERAGE_H_
#define SLUICE_MOVING_AVERAGE_H_

#include "sluice/variable.h"

SL_BEGIN_DECLS

typedef struct sl_moving_average sl_moving_average_t;

typedef struct {
  size_t struct_size;
  const char *name;  // NULL: "ExponentialMovingAverage"
  TF_Output
      num_updates;  // the global step: the decay is then at most (1 + n) / (10 + n), which lets averages start fast
} sl_moving_average_options_t;

// Belongs to the scope.
SL_EXPORT sl_moving_average_t *sl_moving_average_with(sl_scope_t *scope, double decay,
                                                      const sl_moving_average_options_t *options);
#define sl_moving_average(scope, decay, ...) \
  sl_moving_average_with(SL_AT(scope), (decay), SL_OPTIONS(sl_moving_average_options_t, __VA_ARGS__))

// Makes the shadows of |variables|, which start as the variables do, and the operation that moves them:
// shadow -= (1 - decay) * (shadow - variable). The variables are added to SL_MOVING_AVERAGE_VARIABLES. Any other value
// of a known shape may be among them, such as a loss: its shadow "NODE/NAME" starts as 0.
SL_EXPORT TF_Operation *sl_moving_average_apply_with(sl_moving_average_t *average, sl_outputs_t variables);
#define sl_moving_average_apply(scope, average, variables) \
  (SL_AT(scope), sl_moving_average_apply_with((average), (variables)))

// The shadow of |variable| (or other value); empty if there is none.
SL_EXPORT TF_Output sl_moving_average_of(const sl_moving_average_t *average, TF_Output variable);
// The name that |variable| has in checkpoints if its average is to be read in its place: its own where it has no
// average. Belongs to |average|. As variables_to_restore.
SL_EXPORT const char *sl_moving_average_name(sl_moving_average_t *average, TF_Output variable);

// Variables and what they are called in checkpoints, for .variables, .variable_count and .names of a saver. Belongs to
// the scope.
typedef struct {
  size_t count;
  const TF_Output *variables;
  const char *const *names;
} sl_restore_map_t;
// For a saver that reads averages into the variables, which needs no shadows in the graph (to evaluate, say):
// |variables| (empty: SL_TRAINABLE_VARIABLES and SL_MOVING_AVERAGE_VARIABLES) by the names of their averages, the other
// global variables, shadows excepted, by their own. As variables_to_restore.
SL_EXPORT sl_restore_map_t sl_moving_average_variables_to_restore(sl_moving_average_t *average, sl_outputs_t variables);

SL_END_DECLS

#endif  // SLUICE_MOVING_AVERAGE_H_
