// Optimizers and learning rates, as in tf.train: the same update ops, slot
// variables and names. An optimizer is owned by its scope.
#ifndef SLUICE_OPTIMIZER_H_
#define SLUICE_OPTIMIZER_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/gradients.h"
#include "sluice/variable.h"

SL_BEGIN_DECLS

typedef struct sl_optimizer sl_optimizer_t;

// A learning rate: a number, or an output such as the result of sl_exponential_decay.
typedef struct {
  double number;
  TF_Output output;
} sl_rate_t;
static inline sl_rate_t sl_rate_of_number(double number) {
  sl_rate_t rate = {number, {NULL, 0}};
  return rate;
}
static inline sl_rate_t sl_rate_of_output(TF_Output output) {
  sl_rate_t rate = {0, output};
  return rate;
}
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
  bool centered;                    // divide by the variance of the gradients instead of their mean square
} sl_rms_prop_options_t;
SL_EXPORT sl_optimizer_t *sl_rms_prop_with(sl_scope_t *scope, sl_rate_t rate, const sl_rms_prop_options_t *options);
#define sl_rms_prop(scope, rate, ...) \
  sl_rms_prop_with(SL_AT(scope), SL_RATE(rate), SL_OPTIONS(sl_rms_prop_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  double rho, epsilon;  // 0: 0.95, 1e-8
} sl_adadelta_options_t;
SL_EXPORT sl_optimizer_t *sl_adadelta_with(sl_scope_t *scope, sl_rate_t rate, const sl_adadelta_options_t *options);
#define sl_adadelta(scope, rate, ...) \
  sl_adadelta_with(SL_AT(scope), SL_RATE(rate), SL_OPTIONS(sl_adadelta_options_t, __VA_ARGS__))

// Options of the optimizers with regularization. Not every optimizer uses all of them.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  double initial_accumulator_value;  // 0: 0.1
  double l1, l2;                     // regularization strengths
  double learning_rate_power;        // for Ftrl; 0: -0.5
  double l2_shrinkage;               // for Ftrl
} sl_proximal_options_t;
#define SL_PROXIMAL_OPTIONS(...) SL_OPTIONS(sl_proximal_options_t, __VA_ARGS__)

SL_EXPORT sl_optimizer_t *sl_ftrl_with(sl_scope_t *scope, sl_rate_t rate, const sl_proximal_options_t *options);
#define sl_ftrl(scope, rate, ...) sl_ftrl_with(SL_AT(scope), SL_RATE(rate), SL_PROXIMAL_OPTIONS(__VA_ARGS__))
SL_EXPORT sl_optimizer_t *sl_proximal_gradient_descent_with(sl_scope_t *scope, sl_rate_t rate,
                                                            const sl_proximal_options_t *options);
#define sl_proximal_gradient_descent(scope, rate, ...) \
  sl_proximal_gradient_descent_with(SL_AT(scope), SL_RATE(rate), SL_PROXIMAL_OPTIONS(__VA_ARGS__))
SL_EXPORT sl_optimizer_t *sl_proximal_adagrad_with(sl_scope_t *scope, sl_rate_t rate,
                                                   const sl_proximal_options_t *options);
#define sl_proximal_adagrad(scope, rate, ...) \
  sl_proximal_adagrad_with(SL_AT(scope), SL_RATE(rate), SL_PROXIMAL_OPTIONS(__VA_ARGS__))
// Adagrad with dual averaging; |step| is the global step.
SL_EXPORT sl_optimizer_t *sl_adagrad_da_with(sl_scope_t *scope, sl_rate_t rate, TF_Output step,
                                             const sl_proximal_options_t *options);
#define sl_adagrad_da(scope, rate, step, ...) \
  sl_adagrad_da_with(SL_AT(scope), SL_RATE(rate), (step), SL_PROXIMAL_OPTIONS(__VA_ARGS__))

// --- Delay-compensated asynchronous SGD (Zheng et al., 2017) ---

typedef struct {
  size_t struct_size;
  const char *name;  // of the slots. NULL: "DelayCompensation"
  double lambda;     // 0: 0.04
  bool adaptive;     // divide lambda by the square root of a moving average of squared gradients
  double decay;      // of that average; 0: 0.95
  double epsilon;    // added to the average; 0: 1e-7
  bool manual_pull;  // the program runs sl_delay_compensated_pull() before it computes the gradients
} sl_delay_compensated_options_t;
// Wraps |inner|: each gradient g becomes g + lambda * g * g * (w - b), where w is the value of the variable when the
// gradient arrives and b its value when this worker read it. This compensates for the updates of other workers in the
// meantime. |worker| is a number that no other task has, sl_server_replica_index(). The slots
// "NAME/DelayCompensation_worker_2" are on the devices of the variables. They are local variables, which training
// sessions and Supervisors initialise in each worker, and which checkpoints do not have; other programs run
// sl_local_variables_initializer().
SL_EXPORT sl_optimizer_t *sl_delay_compensated_with(sl_scope_t *scope, sl_optimizer_t *inner, int worker,
                                                    const sl_delay_compensated_options_t *options);
#define sl_delay_compensated(scope, inner, worker, ...) \
  sl_delay_compensated_with(SL_AT(scope), (inner), (worker), SL_OPTIONS(sl_delay_compensated_options_t, __VA_ARGS__))
// With manual_pull: the operation that records the current values of the variables as b. NULL before gradients are
// applied.
SL_EXPORT TF_Operation *sl_delay_compensated_pull(const sl_optimizer_t *optimizer);

// --- Gradients ---

// A gradient and its variable. The gradient is empty if the loss does not depend on the variable. If rows of the
// variable were looked up, the gradient is sparse: |gradient| holds the rows |indices|, which may contain duplicates.
typedef struct {
  TF_Output gradient;
  TF_Output variable;
  TF_Output indices, dense_shape;  // empty: dense
} sl_gradient_t;

// Owned by the scope.
typedef struct {
  size_t count;
  sl_gradient_t *items;
} sl_gradients_t;

typedef struct {
  size_t struct_size;
  const TF_Output *variables;  // NULL: all of SL_TRAINABLE_VARIABLES
  size_t variable_count;
  sl_aggregation_method_t aggregation_method;
  bool colocate_gradients_with_ops;  // place the gradient of each op on that op's device; false: on the current device
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
  sl_aggregation_method_t aggregation_method;
  bool colocate_gradients_with_ops;  // as for sl_compute_gradients
} sl_minimize_options_t;
// The operation that makes one training step to minimize |loss|: sl_compute_gradients and sl_apply_gradients.
SL_EXPORT TF_Operation *sl_minimize_with(sl_scope_t *scope, sl_optimizer_t *optimizer, TF_Output loss,
                                         const sl_minimize_options_t *options);
#define sl_minimize(scope, optimizer, loss, ...) \
  sl_minimize_with(SL_AT(scope), (optimizer), (loss), SL_OPTIONS(sl_minimize_options_t, __VA_ARGS__))

// The slot variable |slot| ("Momentum", "Adam_1") that |optimizer| keeps for |variable|; empty if there is none.
SL_EXPORT TF_Output sl_optimizer_slot(const sl_optimizer_t *optimizer, TF_Output variable, const char *slot);

// Converts a sparse gradient to a dense one; returns a dense one unchanged.
SL_EXPORT TF_Output sl_dense_gradient_with(sl_scope_t *scope, sl_gradient_t gradient);
#define sl_dense_gradient(scope, gradient) sl_dense_gradient_with(SL_AT(scope), (gradient))
// The mean of the gradients that |count| towers computed for the same variables, in the same order.
SL_EXPORT sl_gradients_t sl_average_gradients_with(sl_scope_t *scope, const sl_gradients_t *towers, size_t count);
#define sl_average_gradients(scope, towers, count) sl_average_gradients_with(SL_AT(scope), (towers), (count))

// --- Clipping; formulas and names of tf.clip_by_… ---

SL_EXPORT TF_Output sl_clip_by_value_with(sl_scope_t *scope, TF_Output x, double minimum, double maximum,
                                          const sl_op_options_t *options);
#define sl_clip_by_value(scope, x, minimum, maximum, ...) \
  sl_clip_by_value_with(SL_AT(scope), (x), (minimum), (maximum), SL_OP_OPTIONS(__VA_ARGS__))
// Scales |x| so that its L2 norm, or its L2 norm divided by the number of elements, is at most |norm|.
SL_EXPORT TF_Output sl_clip_by_norm_with(sl_scope_t *scope, TF_Output x, double norm, const sl_op_options_t *options);
#define sl_clip_by_norm(scope, x, norm, ...) sl_clip_by_norm_with(SL_AT(scope), (x), (norm), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_clip_by_average_norm_with(sl_scope_t *scope, TF_Output x, double norm,
                                                 const sl_op_options_t *options);
#define sl_clip_by_average_norm(scope, x, norm, ...) \
  sl_clip_by_average_norm_with(SL_AT(scope), (x), (norm), SL_OP_OPTIONS(__VA_ARGS__))
// The L2 norm of all gradients together; and the gradients, scaled so that this norm is at most |norm|. Sparse
// gradients stay sparse.
SL_EXPORT TF_Output sl_global_norm_with(sl_scope_t *scope, sl_gradients_t gradients);
#define sl_global_norm(scope, gradients) sl_global_norm_with(SL_AT(scope), (gradients))
SL_EXPORT sl_gradients_t sl_clip_by_global_norm_with(sl_scope_t *scope, sl_gradients_t gradients, double norm);
#define sl_clip_by_global_norm(scope, gradients, norm) sl_clip_by_global_norm_with(SL_AT(scope), (gradients), (norm))

// --- Learning rate schedules; formulas and names of tf.train ---

typedef struct {
  size_t struct_size;
  const char *name;
  bool staircase;  // decay every |decay_steps| steps instead of every step
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
  double power;  // 0: 1, linear
  bool cycle;    // starts again at each multiple of |decay_steps|, with a longer period each time
} sl_polynomial_decay_options_t;
// Goes from |rate| to |end_rate| in |decay_steps| steps, and stays there.
SL_EXPORT TF_Output sl_polynomial_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                                             double end_rate, const sl_polynomial_decay_options_t *options);
#define sl_polynomial_decay(scope, rate, step, decay_steps, end_rate, ...)          \
  sl_polynomial_decay_with(SL_AT(scope), (rate), (step), (decay_steps), (end_rate), \
                           SL_OPTIONS(sl_polynomial_decay_options_t, __VA_ARGS__))

// rate * exp(-decay_rate * step / decay_steps)
SL_EXPORT TF_Output sl_natural_exp_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                                              double decay_rate, const sl_decay_options_t *options);
#define sl_natural_exp_decay(scope, rate, step, decay_steps, decay_rate, ...) \
  sl_natural_exp_decay_with(SL_AT(scope), (rate), (step), (decay_steps), (decay_rate), SL_DECAY_OPTIONS(__VA_ARGS__))

// rates[0] up to and including step boundaries[0], then rates[1], …. There are |count| boundaries, in rising order, and
// |count| + 1 rates.
SL_EXPORT TF_Output sl_piecewise_constant_with(sl_scope_t *scope, TF_Output step, const int64_t *boundaries,
                                               const double *rates, size_t count, const sl_op_options_t *options);
#define sl_piecewise_constant(scope, step, boundaries, rates, count, ...) \
  sl_piecewise_constant_with(SL_AT(scope), (step), (boundaries), (rates), (count), SL_OP_OPTIONS(__VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;
  double alpha;  // the final rate as a fraction of |rate|
  double t_mul,
      m_mul;  // of restarts: factors for the length and the rate of the next period; 0: 2, 1
} sl_cosine_options_t;
#define SL_COSINE_OPTIONS(...) SL_OPTIONS(sl_cosine_options_t, __VA_ARGS__)
// Goes from |rate| to alpha * rate in |decay_steps| steps along half a cosine wave, and stays there; or restarts after
// each period.
SL_EXPORT TF_Output sl_cosine_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                                         const sl_cosine_options_t *options);
#define sl_cosine_decay(scope, rate, step, decay_steps, ...) \
  sl_cosine_decay_with(SL_AT(scope), (rate), (step), (decay_steps), SL_COSINE_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_cosine_decay_restarts_with(sl_scope_t *scope, double rate, TF_Output step,
                                                  int64_t first_decay_steps, const sl_cosine_options_t *options);
#define sl_cosine_decay_restarts(scope, rate, step, first_decay_steps, ...) \
  sl_cosine_decay_restarts_with(SL_AT(scope), (rate), (step), (first_decay_steps), SL_COSINE_OPTIONS(__VA_ARGS__))

// Linear scaling with gradual warm-up, for large minibatches on |workers| workers (Goyal et al. 2017). The rate rises
// linearly from |rate| at step 0 to rate * workers at |warmup_steps|; after that it is |schedule|, which should start
// at rate * workers.
SL_EXPORT TF_Output sl_linear_scaling_warmup_with(sl_scope_t *scope, double rate, TF_Output step, int workers,
                                                  int64_t warmup_steps, TF_Output schedule,
                                                  const sl_op_options_t *options);
#define sl_linear_scaling_warmup(scope, rate, step, workers, warmup_steps, schedule, ...)            \
  sl_linear_scaling_warmup_with(SL_AT(scope), (rate), (step), (workers), (warmup_steps), (schedule), \
                                SL_OP_OPTIONS(__VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_OPTIMIZER_H_
