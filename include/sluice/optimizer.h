// Optimizers and learning rates, as in tf.train: the same update ops, slot
// variables and names. An optimizer belongs to its scope.
#ifndef SLUICE_OPTIMIZER_H_
#define SLUICE_OPTIMIZER_H_

#include "sluice/variable.h"

SL_BEGIN_DECLS

typedef struct sl_optimizer sl_optimizer_t;

// A learning rate: a number, or an output such as sl_exponential_decay's.
typedef struct {
  double number;
  TF_Output output;
} sl_rate_t;
static inline sl_rate_t sl_rate_of_number(double number) { return (sl_rate_t){.number = number}; }
static inline sl_rate_t sl_rate_of_output(TF_Output output) { return (sl_rate_t){.output = output}; }
#define SL_RATE(rate) _Generic((rate), TF_Output : sl_rate_of_output, default : sl_rate_of_number)(rate)

typedef struct {
  size_t struct_size;
  const char *name;  // NULL: "GradientDescent", "Momentum", …
  bool use_locking;
} sl_gradient_descent_options_t;
SL_EXPORT sl_optimizer_t *sl_gradient_descent_with(sl_scope_t *scope, sl_rate_t rate,
                                                   const sl_gradient_descent_options_t *options);
#define sl_gradient_descent(scope, rate, ...) \
  sl_gradient_descent_with(SL_AT(scope), SL_RATE(rate), SL_OPTIONS(sl_gradient_descent_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_momentum_options_t;
SL_EXPORT sl_optimizer_t *sl_momentum_with(sl_scope_t *scope, sl_rate_t rate, double momentum,
                                           const sl_momentum_options_t *options);
#define sl_momentum(scope, rate, momentum, ...) \
  sl_momentum_with(SL_AT(scope), SL_RATE(rate), (momentum), SL_OPTIONS(sl_momentum_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  double initial_accumulator_value;  // 0: 0.1
} sl_adagrad_options_t;
SL_EXPORT sl_optimizer_t *sl_adagrad_with(sl_scope_t *scope, sl_rate_t rate, const sl_adagrad_options_t *options);
#define sl_adagrad(scope, rate, ...) \
  sl_adagrad_with(SL_AT(scope), SL_RATE(rate), SL_OPTIONS(sl_adagrad_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  double beta1, beta2, epsilon;  // 0: 0.9, 0.999, 1e-8
} sl_adam_options_t;
SL_EXPORT sl_optimizer_t *sl_adam_with(sl_scope_t *scope, sl_rate_t rate, const sl_adam_options_t *options);
#define sl_adam(scope, rate, ...) sl_adam_with(SL_AT(scope), SL_RATE(rate), SL_OPTIONS(sl_adam_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  double decay, momentum, epsilon;  // 0: 0.9, 0, 1e-10
} sl_rms_prop_options_t;
SL_EXPORT sl_optimizer_t *sl_rms_prop_with(sl_scope_t *scope, sl_rate_t rate, const sl_rms_prop_options_t *options);
#define sl_rms_prop(scope, rate, ...) \
  sl_rms_prop_with(SL_AT(scope), SL_RATE(rate), SL_OPTIONS(sl_rms_prop_options_t, __VA_ARGS__))

// --- Gradients ---

// A gradient and the variable it is for; the gradient is empty where the loss does not depend on the variable.
typedef struct {
  TF_Output gradient;
  TF_Output variable;
} sl_gradient_t;

// Belongs to the scope.
typedef struct {
  size_t count;
  sl_gradient_t *items;
} sl_gradients_t;

typedef struct {
  size_t struct_size;
  const TF_Output *variables;  // NULL: all of SL_TRAINABLE_VARIABLES
  size_t variable_count;
} sl_compute_gradients_options_t;
SL_EXPORT sl_gradients_t sl_compute_gradients_with(sl_scope_t *scope, TF_Output loss,
                                                   const sl_compute_gradients_options_t *options);
#define sl_compute_gradients(scope, loss, ...) \
  sl_compute_gradients_with(SL_AT(scope), (loss), SL_OPTIONS(sl_compute_gradients_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  TF_Output global_step;  // incremented after the update, if given
  const char *name;       // NULL: the optimizer's
} sl_apply_gradients_options_t;
SL_EXPORT TF_Operation *sl_apply_gradients_with(sl_scope_t *scope, sl_optimizer_t *optimizer, sl_gradients_t gradients,
                                                const sl_apply_gradients_options_t *options);
#define sl_apply_gradients(scope, optimizer, gradients, ...) \
  sl_apply_gradients_with(SL_AT(scope), (optimizer), (gradients), SL_OPTIONS(sl_apply_gradients_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  TF_Output global_step;
  const char *name;
  const TF_Output *variables;
  size_t variable_count;
} sl_minimize_options_t;
// The operation that takes one step down |loss|: sl_compute_gradients and sl_apply_gradients.
SL_EXPORT TF_Operation *sl_minimize_with(sl_scope_t *scope, sl_optimizer_t *optimizer, TF_Output loss,
                                         const sl_minimize_options_t *options);
#define sl_minimize(scope, optimizer, loss, ...) \
  sl_minimize_with(SL_AT(scope), (optimizer), (loss), SL_OPTIONS(sl_minimize_options_t, __VA_ARGS__))

// The slot variable |slot| ("Momentum", "Adam_1") that |optimizer| keeps for |variable|; empty if there is none.
SL_EXPORT TF_Output sl_optimizer_slot(const sl_optimizer_t *optimizer, TF_Output variable, const char *slot);

// --- Learning rates that fall with the step; formulas and names of tf.train ---

typedef struct {
  size_t struct_size;
  const char *name;
  bool staircase;  // fall every |decay_steps| instead of every step
} sl_decay_options_t;
#define SL_DECAY_OPTIONS(...) SL_OPTIONS(sl_decay_options_t, __VA_ARGS__)

// rate * decay_rate ^ (step / decay_steps)
SL_EXPORT TF_Output sl_exponential_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                                              double decay_rate, const sl_decay_options_t *options);
#define sl_exponential_decay(scope, rate, step, decay_steps, decay_rate, ...) \
  sl_exponential_decay_with(SL_AT(scope), (rate), (step), (decay_steps), (decay_rate), SL_DECAY_OPTIONS(__VA_ARGS__))
// rate / (1 + decay_rate * step / decay_steps)
SL_EXPORT TF_Output sl_inverse_time_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                                               double decay_rate, const sl_decay_options_t *options);
#define sl_inverse_time_decay(scope, rate, step, decay_steps, decay_rate, ...) \
  sl_inverse_time_decay_with(SL_AT(scope), (rate), (step), (decay_steps), (decay_rate), SL_DECAY_OPTIONS(__VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;
  double power;  // 0: 1, a straight line
} sl_polynomial_decay_options_t;
// From |rate| to |end_rate| in |decay_steps|, and stays there.
SL_EXPORT TF_Output sl_polynomial_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                                             double end_rate, const sl_polynomial_decay_options_t *options);
#define sl_polynomial_decay(scope, rate, step, decay_steps, end_rate, ...)          \
  sl_polynomial_decay_with(SL_AT(scope), (rate), (step), (decay_steps), (end_rate), \
                           SL_OPTIONS(sl_polynomial_decay_options_t, __VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_OPTIMIZER_H_
