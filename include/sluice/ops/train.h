// Ops: the updates of the optimizers.
// Generated from src/ops/train by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_TRAIN_H_
#define SLUICE_OPS_TRAIN_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// ApplyAdaMax(var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) ->
//   out: Ref(T)
// T: numbertype; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_ada_max_options_t;
static inline TF_Output sl_op_apply_ada_max_with(sl_scope_t *scope, TF_Output var, TF_Output m, TF_Output v,
    TF_Output beta1_power, TF_Output lr, TF_Output beta1, TF_Output beta2, TF_Output epsilon, TF_Output grad,
    const sl_op_apply_ada_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdaMax", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, beta1_power);
  sl_node_input(node, lr);
  sl_node_input(node, beta1);
  sl_node_input(node, beta2);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_ada_max(scope, var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad, ...) \
  sl_op_apply_ada_max_with(SL_AT(scope), (var), (m), (v), (beta1_power), (lr), (beta1), (beta2), (epsilon), (grad), \
    SL_OPTIONS(sl_op_apply_ada_max_options_t, __VA_ARGS__))

// ApplyAdadelta(var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_adadelta_options_t;
static inline TF_Output sl_op_apply_adadelta_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output accum_update, TF_Output lr, TF_Output rho, TF_Output epsilon, TF_Output grad,
    const sl_op_apply_adadelta_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdadelta", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, accum_update);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_adadelta(scope, var, accum, accum_update, lr, rho, epsilon, grad, ...) \
  sl_op_apply_adadelta_with(SL_AT(scope), (var), (accum), (accum_update), (lr), (rho), (epsilon), (grad), SL_OPTIONS( \
    sl_op_apply_adadelta_options_t, __VA_ARGS__))

// ApplyAdagrad(var: Ref(T), accum: Ref(T), lr: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false; update_slots: bool = true
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_apply_adagrad_options_t;
static inline TF_Output sl_op_apply_adagrad_with(sl_scope_t *scope, TF_Output var, TF_Output accum, TF_Output lr,
    TF_Output grad, const sl_op_apply_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_output(node);
}
#define sl_op_apply_adagrad(scope, var, accum, lr, grad, ...) \
  SL_OVER_DEFAULTS(sl_op_apply_adagrad_with(SL_AT(scope), (var), (accum), (lr), (grad), SL_OPTIONS( \
    sl_op_apply_adagrad_options_t, .update_slots = true, __VA_ARGS__)))

// ApplyAdagradDA(var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), grad: T, lr: T, l1:
//   T, l2: T, global_step: int64) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_adagrad_da_options_t;
static inline TF_Output sl_op_apply_adagrad_da_with(sl_scope_t *scope, TF_Output var, TF_Output gradient_accumulator,
    TF_Output gradient_squared_accumulator, TF_Output grad, TF_Output lr, TF_Output l1, TF_Output l2,
    TF_Output global_step, const sl_op_apply_adagrad_da_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdagradDA", options->name);
  sl_node_input(node, var);
  sl_node_input(node, gradient_accumulator);
  sl_node_input(node, gradient_squared_accumulator);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, global_step);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_adagrad_da(scope, var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, \
    global_step, ...) \
  sl_op_apply_adagrad_da_with(SL_AT(scope), (var), (gradient_accumulator), (gradient_squared_accumulator), (grad), ( \
    lr), (l1), (l2), (global_step), SL_OPTIONS(sl_op_apply_adagrad_da_options_t, __VA_ARGS__))

// ApplyAdagradV2(var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false; update_slots: bool = true
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_apply_adagrad_v2_options_t;
static inline TF_Output sl_op_apply_adagrad_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum, TF_Output lr,
    TF_Output epsilon, TF_Output grad, const sl_op_apply_adagrad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdagradV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_output(node);
}
#define sl_op_apply_adagrad_v2(scope, var, accum, lr, epsilon, grad, ...) \
  SL_OVER_DEFAULTS(sl_op_apply_adagrad_v2_with(SL_AT(scope), (var), (accum), (lr), (epsilon), (grad), SL_OPTIONS( \
    sl_op_apply_adagrad_v2_options_t, .update_slots = true, __VA_ARGS__)))

// ApplyAdam(var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T,
//   grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false; use_nesterov: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_apply_adam_options_t;
static inline TF_Output sl_op_apply_adam_with(sl_scope_t *scope, TF_Output var, TF_Output m, TF_Output v,
    TF_Output beta1_power, TF_Output beta2_power, TF_Output lr, TF_Output beta1, TF_Output beta2, TF_Output epsilon,
    TF_Output grad, const sl_op_apply_adam_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdam", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, beta1_power);
  sl_node_input(node, beta2_power);
  sl_node_input(node, lr);
  sl_node_input(node, beta1);
  sl_node_input(node, beta2);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_output(node);
}
#define sl_op_apply_adam(scope, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, ...) \
  sl_op_apply_adam_with(SL_AT(scope), (var), (m), (v), (beta1_power), (beta2_power), (lr), (beta1), (beta2), ( \
    epsilon), (grad), SL_OPTIONS(sl_op_apply_adam_options_t, __VA_ARGS__))

// ApplyAddSign(var: Ref(T), m: Ref(T), lr: T, alpha: T, sign_decay: T, beta: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_add_sign_options_t;
static inline TF_Output sl_op_apply_add_sign_with(sl_scope_t *scope, TF_Output var, TF_Output m, TF_Output lr,
    TF_Output alpha, TF_Output sign_decay, TF_Output beta, TF_Output grad,
    const sl_op_apply_add_sign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAddSign", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, lr);
  sl_node_input(node, alpha);
  sl_node_input(node, sign_decay);
  sl_node_input(node, beta);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_add_sign(scope, var, m, lr, alpha, sign_decay, beta, grad, ...) \
  sl_op_apply_add_sign_with(SL_AT(scope), (var), (m), (lr), (alpha), (sign_decay), (beta), (grad), SL_OPTIONS( \
    sl_op_apply_add_sign_options_t, __VA_ARGS__))

// ApplyCenteredRMSProp(var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T,
//   grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_centered_rms_prop_options_t;
static inline TF_Output sl_op_apply_centered_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output mg,
    TF_Output ms, TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    const sl_op_apply_centered_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyCenteredRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, mg);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_centered_rms_prop(scope, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, ...) \
  sl_op_apply_centered_rms_prop_with(SL_AT(scope), (var), (mg), (ms), (mom), (lr), (rho), (momentum), (epsilon), ( \
    grad), SL_OPTIONS(sl_op_apply_centered_rms_prop_options_t, __VA_ARGS__))

// ApplyFtrl(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, lr_power: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_apply_ftrl_options_t;
static inline TF_Output sl_op_apply_ftrl_with(sl_scope_t *scope, TF_Output var, TF_Output accum, TF_Output linear,
    TF_Output grad, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output lr_power,
    const sl_op_apply_ftrl_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyFtrl", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_output(node);
}
#define sl_op_apply_ftrl(scope, var, accum, linear, grad, lr, l1, l2, lr_power, ...) \
  sl_op_apply_ftrl_with(SL_AT(scope), (var), (accum), (linear), (grad), (lr), (l1), (l2), (lr_power), SL_OPTIONS( \
    sl_op_apply_ftrl_options_t, __VA_ARGS__))

// ApplyFtrlV2(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T)
//   -> out: Ref(T)
// T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_apply_ftrl_v2_options_t;
static inline TF_Output sl_op_apply_ftrl_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum, TF_Output linear,
    TF_Output grad, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output l2_shrinkage, TF_Output lr_power,
    const sl_op_apply_ftrl_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyFtrlV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, l2_shrinkage);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_output(node);
}
#define sl_op_apply_ftrl_v2(scope, var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power, ...) \
  sl_op_apply_ftrl_v2_with(SL_AT(scope), (var), (accum), (linear), (grad), (lr), (l1), (l2), (l2_shrinkage), ( \
    lr_power), SL_OPTIONS(sl_op_apply_ftrl_v2_options_t, __VA_ARGS__))

// ApplyGradientDescent(var: Ref(T), alpha: T, delta: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_gradient_descent_options_t;
static inline TF_Output sl_op_apply_gradient_descent_with(sl_scope_t *scope, TF_Output var, TF_Output alpha,
    TF_Output delta, const sl_op_apply_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, delta);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_gradient_descent(scope, var, alpha, delta, ...) \
  sl_op_apply_gradient_descent_with(SL_AT(scope), (var), (alpha), (delta), SL_OPTIONS( \
    sl_op_apply_gradient_descent_options_t, __VA_ARGS__))

// ApplyMomentum(var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false; use_nesterov: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_apply_momentum_options_t;
static inline TF_Output sl_op_apply_momentum_with(sl_scope_t *scope, TF_Output var, TF_Output accum, TF_Output lr,
    TF_Output grad, TF_Output momentum, const sl_op_apply_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_output(node);
}
#define sl_op_apply_momentum(scope, var, accum, lr, grad, momentum, ...) \
  sl_op_apply_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (momentum), SL_OPTIONS( \
    sl_op_apply_momentum_options_t, __VA_ARGS__))

// ApplyPowerSign(var: Ref(T), m: Ref(T), lr: T, logbase: T, sign_decay: T, beta: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_power_sign_options_t;
static inline TF_Output sl_op_apply_power_sign_with(sl_scope_t *scope, TF_Output var, TF_Output m, TF_Output lr,
    TF_Output logbase, TF_Output sign_decay, TF_Output beta, TF_Output grad,
    const sl_op_apply_power_sign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyPowerSign", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, lr);
  sl_node_input(node, logbase);
  sl_node_input(node, sign_decay);
  sl_node_input(node, beta);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_power_sign(scope, var, m, lr, logbase, sign_decay, beta, grad, ...) \
  sl_op_apply_power_sign_with(SL_AT(scope), (var), (m), (lr), (logbase), (sign_decay), (beta), (grad), SL_OPTIONS( \
    sl_op_apply_power_sign_options_t, __VA_ARGS__))

// ApplyProximalAdagrad(var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_proximal_adagrad_options_t;
static inline TF_Output sl_op_apply_proximal_adagrad_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output l1, TF_Output l2, TF_Output grad, const sl_op_apply_proximal_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyProximalAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_proximal_adagrad(scope, var, accum, lr, l1, l2, grad, ...) \
  sl_op_apply_proximal_adagrad_with(SL_AT(scope), (var), (accum), (lr), (l1), (l2), (grad), SL_OPTIONS( \
    sl_op_apply_proximal_adagrad_options_t, __VA_ARGS__))

// ApplyProximalGradientDescent(var: Ref(T), alpha: T, l1: T, l2: T, delta: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_proximal_gradient_descent_options_t;
static inline TF_Output sl_op_apply_proximal_gradient_descent_with(sl_scope_t *scope, TF_Output var, TF_Output alpha,
    TF_Output l1, TF_Output l2, TF_Output delta, const sl_op_apply_proximal_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyProximalGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, delta);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_proximal_gradient_descent(scope, var, alpha, l1, l2, delta, ...) \
  sl_op_apply_proximal_gradient_descent_with(SL_AT(scope), (var), (alpha), (l1), (l2), (delta), SL_OPTIONS( \
    sl_op_apply_proximal_gradient_descent_options_t, __VA_ARGS__))

// ApplyRMSProp(var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_rms_prop_options_t;
static inline TF_Output sl_op_apply_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output ms, TF_Output mom,
    TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    const sl_op_apply_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_rms_prop(scope, var, ms, mom, lr, rho, momentum, epsilon, grad, ...) \
  sl_op_apply_rms_prop_with(SL_AT(scope), (var), (ms), (mom), (lr), (rho), (momentum), (epsilon), (grad), SL_OPTIONS( \
    sl_op_apply_rms_prop_options_t, __VA_ARGS__))

// ResourceApplyAdaMax(var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T,
//   grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_ada_max_options_t;
static inline TF_Operation *sl_op_resource_apply_ada_max_with(sl_scope_t *scope, TF_Output var, TF_Output m,
    TF_Output v, TF_Output beta1_power, TF_Output lr, TF_Output beta1, TF_Output beta2, TF_Output epsilon,
    TF_Output grad, const sl_op_resource_apply_ada_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdaMax", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, beta1_power);
  sl_node_input(node, lr);
  sl_node_input(node, beta1);
  sl_node_input(node, beta2);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_ada_max(scope, var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad, ...) \
  sl_op_resource_apply_ada_max_with(SL_AT(scope), (var), (m), (v), (beta1_power), (lr), (beta1), (beta2), (epsilon), ( \
    grad), SL_OPTIONS(sl_op_resource_apply_ada_max_options_t, __VA_ARGS__))

// ResourceApplyAdadelta(var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_adadelta_options_t;
static inline TF_Operation *sl_op_resource_apply_adadelta_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output accum_update, TF_Output lr, TF_Output rho, TF_Output epsilon, TF_Output grad,
    const sl_op_resource_apply_adadelta_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdadelta", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, accum_update);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adadelta(scope, var, accum, accum_update, lr, rho, epsilon, grad, ...) \
  sl_op_resource_apply_adadelta_with(SL_AT(scope), (var), (accum), (accum_update), (lr), (rho), (epsilon), (grad), \
    SL_OPTIONS(sl_op_resource_apply_adadelta_options_t, __VA_ARGS__))

// ResourceApplyAdagrad(var: resource, accum: resource, lr: T, grad: T)
// T: numbertype; use_locking: bool = false; update_slots: bool = true
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_resource_apply_adagrad_options_t;
static inline TF_Operation *sl_op_resource_apply_adagrad_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output grad, const sl_op_resource_apply_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adagrad(scope, var, accum, lr, grad, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_apply_adagrad_with(SL_AT(scope), (var), (accum), (lr), (grad), SL_OPTIONS( \
    sl_op_resource_apply_adagrad_options_t, .update_slots = true, __VA_ARGS__)))

// ResourceApplyAdagradDA(var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad:
//   T, lr: T, l1: T, l2: T, global_step: int64)
// T: numbertype; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_adagrad_da_options_t;
static inline TF_Operation *sl_op_resource_apply_adagrad_da_with(sl_scope_t *scope, TF_Output var,
    TF_Output gradient_accumulator, TF_Output gradient_squared_accumulator, TF_Output grad, TF_Output lr,
    TF_Output l1, TF_Output l2, TF_Output global_step, const sl_op_resource_apply_adagrad_da_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdagradDA", options->name);
  sl_node_input(node, var);
  sl_node_input(node, gradient_accumulator);
  sl_node_input(node, gradient_squared_accumulator);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, global_step);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adagrad_da(scope, var, gradient_accumulator, gradient_squared_accumulator, grad, lr, \
    l1, l2, global_step, ...) \
  sl_op_resource_apply_adagrad_da_with(SL_AT(scope), (var), (gradient_accumulator), (gradient_squared_accumulator), ( \
    grad), (lr), (l1), (l2), (global_step), SL_OPTIONS(sl_op_resource_apply_adagrad_da_options_t, __VA_ARGS__))

// ResourceApplyAdagradV2(var: resource, accum: resource, lr: T, epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false; update_slots: bool = true
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_resource_apply_adagrad_v2_options_t;
static inline TF_Operation *sl_op_resource_apply_adagrad_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output epsilon, TF_Output grad, const sl_op_resource_apply_adagrad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdagradV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adagrad_v2(scope, var, accum, lr, epsilon, grad, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_apply_adagrad_v2_with(SL_AT(scope), (var), (accum), (lr), (epsilon), (grad), \
    SL_OPTIONS(sl_op_resource_apply_adagrad_v2_options_t, .update_slots = true, __VA_ARGS__)))

// ResourceApplyAdam(var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2:
//   T, epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false; use_nesterov: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_resource_apply_adam_options_t;
static inline TF_Operation *sl_op_resource_apply_adam_with(sl_scope_t *scope, TF_Output var, TF_Output m,
    TF_Output v, TF_Output beta1_power, TF_Output beta2_power, TF_Output lr, TF_Output beta1, TF_Output beta2,
    TF_Output epsilon, TF_Output grad, const sl_op_resource_apply_adam_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdam", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, beta1_power);
  sl_node_input(node, beta2_power);
  sl_node_input(node, lr);
  sl_node_input(node, beta1);
  sl_node_input(node, beta2);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adam(scope, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, \
    ...) \
  sl_op_resource_apply_adam_with(SL_AT(scope), (var), (m), (v), (beta1_power), (beta2_power), (lr), (beta1), (beta2), \
    (epsilon), (grad), SL_OPTIONS(sl_op_resource_apply_adam_options_t, __VA_ARGS__))

// ResourceApplyAdamWithAmsgrad(var: resource, m: resource, v: resource, vhat: resource, beta1_power: T, beta2_power:
//   T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_adam_with_amsgrad_options_t;
static inline TF_Operation *sl_op_resource_apply_adam_with_amsgrad_with(sl_scope_t *scope, TF_Output var,
    TF_Output m, TF_Output v, TF_Output vhat, TF_Output beta1_power, TF_Output beta2_power, TF_Output lr,
    TF_Output beta1, TF_Output beta2, TF_Output epsilon, TF_Output grad,
    const sl_op_resource_apply_adam_with_amsgrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdamWithAmsgrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, vhat);
  sl_node_input(node, beta1_power);
  sl_node_input(node, beta2_power);
  sl_node_input(node, lr);
  sl_node_input(node, beta1);
  sl_node_input(node, beta2);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adam_with_amsgrad(scope, var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, \
    epsilon, grad, ...) \
  sl_op_resource_apply_adam_with_amsgrad_with(SL_AT(scope), (var), (m), (v), (vhat), (beta1_power), (beta2_power), ( \
    lr), (beta1), (beta2), (epsilon), (grad), SL_OPTIONS(sl_op_resource_apply_adam_with_amsgrad_options_t, \
    __VA_ARGS__))

// ResourceApplyAddSign(var: resource, m: resource, lr: T, alpha: T, sign_decay: T, beta: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_add_sign_options_t;
static inline TF_Operation *sl_op_resource_apply_add_sign_with(sl_scope_t *scope, TF_Output var, TF_Output m,
    TF_Output lr, TF_Output alpha, TF_Output sign_decay, TF_Output beta, TF_Output grad,
    const sl_op_resource_apply_add_sign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAddSign", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, lr);
  sl_node_input(node, alpha);
  sl_node_input(node, sign_decay);
  sl_node_input(node, beta);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_add_sign(scope, var, m, lr, alpha, sign_decay, beta, grad, ...) \
  sl_op_resource_apply_add_sign_with(SL_AT(scope), (var), (m), (lr), (alpha), (sign_decay), (beta), (grad), \
    SL_OPTIONS(sl_op_resource_apply_add_sign_options_t, __VA_ARGS__))

// ResourceApplyCenteredRMSProp(var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T,
//   epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_centered_rms_prop_options_t;
static inline TF_Operation *sl_op_resource_apply_centered_rms_prop_with(sl_scope_t *scope, TF_Output var,
    TF_Output mg, TF_Output ms, TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon,
    TF_Output grad, const sl_op_resource_apply_centered_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyCenteredRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, mg);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_centered_rms_prop(scope, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, ...) \
  sl_op_resource_apply_centered_rms_prop_with(SL_AT(scope), (var), (mg), (ms), (mom), (lr), (rho), (momentum), ( \
    epsilon), (grad), SL_OPTIONS(sl_op_resource_apply_centered_rms_prop_options_t, __VA_ARGS__))

// ResourceApplyFtrl(var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, lr_power: T)
// T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_resource_apply_ftrl_options_t;
static inline TF_Operation *sl_op_resource_apply_ftrl_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output linear, TF_Output grad, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output lr_power,
    const sl_op_resource_apply_ftrl_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyFtrl", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_ftrl(scope, var, accum, linear, grad, lr, l1, l2, lr_power, ...) \
  sl_op_resource_apply_ftrl_with(SL_AT(scope), (var), (accum), (linear), (grad), (lr), (l1), (l2), (lr_power), \
    SL_OPTIONS(sl_op_resource_apply_ftrl_options_t, __VA_ARGS__))

// ResourceApplyFtrlV2(var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, l2_shrinkage:
//   T, lr_power: T)
// T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_resource_apply_ftrl_v2_options_t;
static inline TF_Operation *sl_op_resource_apply_ftrl_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output linear, TF_Output grad, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output l2_shrinkage,
    TF_Output lr_power, const sl_op_resource_apply_ftrl_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyFtrlV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, l2_shrinkage);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_ftrl_v2(scope, var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power, ...) \
  sl_op_resource_apply_ftrl_v2_with(SL_AT(scope), (var), (accum), (linear), (grad), (lr), (l1), (l2), (l2_shrinkage), \
    (lr_power), SL_OPTIONS(sl_op_resource_apply_ftrl_v2_options_t, __VA_ARGS__))

// ResourceApplyGradientDescent(var: resource, alpha: T, delta: T)
// T: numbertype; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_gradient_descent_options_t;
static inline TF_Operation *sl_op_resource_apply_gradient_descent_with(sl_scope_t *scope, TF_Output var,
    TF_Output alpha, TF_Output delta, const sl_op_resource_apply_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, delta);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_gradient_descent(scope, var, alpha, delta, ...) \
  sl_op_resource_apply_gradient_descent_with(SL_AT(scope), (var), (alpha), (delta), SL_OPTIONS( \
    sl_op_resource_apply_gradient_descent_options_t, __VA_ARGS__))

// ResourceApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T)
// T: numbertype; use_locking: bool = false; use_nesterov: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_resource_apply_keras_momentum_options_t;
static inline TF_Operation *sl_op_resource_apply_keras_momentum_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output grad, TF_Output momentum,
    const sl_op_resource_apply_keras_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyKerasMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_keras_momentum(scope, var, accum, lr, grad, momentum, ...) \
  sl_op_resource_apply_keras_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (momentum), SL_OPTIONS( \
    sl_op_resource_apply_keras_momentum_options_t, __VA_ARGS__))

// ResourceApplyMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T)
// T: numbertype; use_locking: bool = false; use_nesterov: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_resource_apply_momentum_options_t;
static inline TF_Operation *sl_op_resource_apply_momentum_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output grad, TF_Output momentum, const sl_op_resource_apply_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_momentum(scope, var, accum, lr, grad, momentum, ...) \
  sl_op_resource_apply_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (momentum), SL_OPTIONS( \
    sl_op_resource_apply_momentum_options_t, __VA_ARGS__))

// ResourceApplyPowerSign(var: resource, m: resource, lr: T, logbase: T, sign_decay: T, beta: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_power_sign_options_t;
static inline TF_Operation *sl_op_resource_apply_power_sign_with(sl_scope_t *scope, TF_Output var, TF_Output m,
    TF_Output lr, TF_Output logbase, TF_Output sign_decay, TF_Output beta, TF_Output grad,
    const sl_op_resource_apply_power_sign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyPowerSign", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, lr);
  sl_node_input(node, logbase);
  sl_node_input(node, sign_decay);
  sl_node_input(node, beta);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_power_sign(scope, var, m, lr, logbase, sign_decay, beta, grad, ...) \
  sl_op_resource_apply_power_sign_with(SL_AT(scope), (var), (m), (lr), (logbase), (sign_decay), (beta), (grad), \
    SL_OPTIONS(sl_op_resource_apply_power_sign_options_t, __VA_ARGS__))

// ResourceApplyProximalAdagrad(var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_proximal_adagrad_options_t;
static inline TF_Operation *sl_op_resource_apply_proximal_adagrad_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output grad,
    const sl_op_resource_apply_proximal_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyProximalAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_proximal_adagrad(scope, var, accum, lr, l1, l2, grad, ...) \
  sl_op_resource_apply_proximal_adagrad_with(SL_AT(scope), (var), (accum), (lr), (l1), (l2), (grad), SL_OPTIONS( \
    sl_op_resource_apply_proximal_adagrad_options_t, __VA_ARGS__))

// ResourceApplyProximalGradientDescent(var: resource, alpha: T, l1: T, l2: T, delta: T)
// T: numbertype; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_proximal_gradient_descent_options_t;
static inline TF_Operation *sl_op_resource_apply_proximal_gradient_descent_with(sl_scope_t *scope, TF_Output var,
    TF_Output alpha, TF_Output l1, TF_Output l2, TF_Output delta,
    const sl_op_resource_apply_proximal_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyProximalGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, delta);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_proximal_gradient_descent(scope, var, alpha, l1, l2, delta, ...) \
  sl_op_resource_apply_proximal_gradient_descent_with(SL_AT(scope), (var), (alpha), (l1), (l2), (delta), SL_OPTIONS( \
    sl_op_resource_apply_proximal_gradient_descent_options_t, __VA_ARGS__))

// ResourceApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_rms_prop_options_t;
static inline TF_Operation *sl_op_resource_apply_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output ms,
    TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    const sl_op_resource_apply_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_rms_prop(scope, var, ms, mom, lr, rho, momentum, epsilon, grad, ...) \
  sl_op_resource_apply_rms_prop_with(SL_AT(scope), (var), (ms), (mom), (lr), (rho), (momentum), (epsilon), (grad), \
    SL_OPTIONS(sl_op_resource_apply_rms_prop_options_t, __VA_ARGS__))

// ResourceSparseApplyAdadelta(var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T,
//   grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_adadelta_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_adadelta_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output accum_update, TF_Output lr, TF_Output rho, TF_Output epsilon, TF_Output grad,
    TF_Output indices, const sl_op_resource_sparse_apply_adadelta_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyAdadelta", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, accum_update);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_adadelta(scope, var, accum, accum_update, lr, rho, epsilon, grad, indices, \
    ...) \
  sl_op_resource_sparse_apply_adadelta_with(SL_AT(scope), (var), (accum), (accum_update), (lr), (rho), (epsilon), ( \
    grad), (indices), SL_OPTIONS(sl_op_resource_sparse_apply_adadelta_options_t, __VA_ARGS__))

// ResourceSparseApplyAdagrad(var: resource, accum: resource, lr: T, grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_resource_sparse_apply_adagrad_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_adagrad_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output grad, TF_Output indices,
    const sl_op_resource_sparse_apply_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_adagrad(scope, var, accum, lr, grad, indices, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_sparse_apply_adagrad_with(SL_AT(scope), (var), (accum), (lr), (grad), (indices), \
    SL_OPTIONS(sl_op_resource_sparse_apply_adagrad_options_t, .update_slots = true, __VA_ARGS__)))

// ResourceSparseApplyAdagradDA(var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource,
//   grad: T, indices: Tindices, lr: T, l1: T, l2: T, global_step: int64)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_adagrad_da_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_adagrad_da_with(sl_scope_t *scope, TF_Output var,
    TF_Output gradient_accumulator, TF_Output gradient_squared_accumulator, TF_Output grad, TF_Output indices,
    TF_Output lr, TF_Output l1, TF_Output l2, TF_Output global_step,
    const sl_op_resource_sparse_apply_adagrad_da_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyAdagradDA", options->name);
  sl_node_input(node, var);
  sl_node_input(node, gradient_accumulator);
  sl_node_input(node, gradient_squared_accumulator);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, global_step);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_adagrad_da(scope, var, gradient_accumulator, gradient_squared_accumulator, \
    grad, indices, lr, l1, l2, global_step, ...) \
  sl_op_resource_sparse_apply_adagrad_da_with(SL_AT(scope), (var), (gradient_accumulator), ( \
    gradient_squared_accumulator), (grad), (indices), (lr), (l1), (l2), (global_step), SL_OPTIONS( \
    sl_op_resource_sparse_apply_adagrad_da_options_t, __VA_ARGS__))

// ResourceSparseApplyAdagradV2(var: resource, accum: resource, lr: T, epsilon: T, grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_resource_sparse_apply_adagrad_v2_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_adagrad_v2_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output epsilon, TF_Output grad, TF_Output indices,
    const sl_op_resource_sparse_apply_adagrad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyAdagradV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_adagrad_v2(scope, var, accum, lr, epsilon, grad, indices, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_sparse_apply_adagrad_v2_with(SL_AT(scope), (var), (accum), (lr), (epsilon), (grad), \
    (indices), SL_OPTIONS(sl_op_resource_sparse_apply_adagrad_v2_options_t, .update_slots = true, __VA_ARGS__)))

// ResourceSparseApplyCenteredRMSProp(var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T,
//   momentum: T, epsilon: T, grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_centered_rms_prop_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_centered_rms_prop_with(sl_scope_t *scope, TF_Output var,
    TF_Output mg, TF_Output ms, TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon,
    TF_Output grad, TF_Output indices, const sl_op_resource_sparse_apply_centered_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyCenteredRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, mg);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_centered_rms_prop(scope, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, \
    indices, ...) \
  sl_op_resource_sparse_apply_centered_rms_prop_with(SL_AT(scope), (var), (mg), (ms), (mom), (lr), (rho), (momentum), \
    (epsilon), (grad), (indices), SL_OPTIONS(sl_op_resource_sparse_apply_centered_rms_prop_options_t, __VA_ARGS__))

// ResourceSparseApplyFtrl(var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T, l1: T,
//   l2: T, lr_power: T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_resource_sparse_apply_ftrl_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_ftrl_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output linear, TF_Output grad, TF_Output indices, TF_Output lr, TF_Output l1, TF_Output l2,
    TF_Output lr_power, const sl_op_resource_sparse_apply_ftrl_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyFtrl", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_ftrl(scope, var, accum, linear, grad, indices, lr, l1, l2, lr_power, ...) \
  sl_op_resource_sparse_apply_ftrl_with(SL_AT(scope), (var), (accum), (linear), (grad), (indices), (lr), (l1), (l2), ( \
    lr_power), SL_OPTIONS(sl_op_resource_sparse_apply_ftrl_options_t, __VA_ARGS__))

// ResourceSparseApplyFtrlV2(var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T, l1:
//   T, l2: T, l2_shrinkage: T, lr_power: T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_resource_sparse_apply_ftrl_v2_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_ftrl_v2_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output linear, TF_Output grad, TF_Output indices, TF_Output lr, TF_Output l1, TF_Output l2,
    TF_Output l2_shrinkage, TF_Output lr_power, const sl_op_resource_sparse_apply_ftrl_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyFtrlV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, l2_shrinkage);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_ftrl_v2(scope, var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, \
    lr_power, ...) \
  sl_op_resource_sparse_apply_ftrl_v2_with(SL_AT(scope), (var), (accum), (linear), (grad), (indices), (lr), (l1), ( \
    l2), (l2_shrinkage), (lr_power), SL_OPTIONS(sl_op_resource_sparse_apply_ftrl_v2_options_t, __VA_ARGS__))

// ResourceSparseApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; use_nesterov: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_resource_sparse_apply_keras_momentum_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_keras_momentum_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output grad, TF_Output indices, TF_Output momentum,
    const sl_op_resource_sparse_apply_keras_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyKerasMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_keras_momentum(scope, var, accum, lr, grad, indices, momentum, ...) \
  sl_op_resource_sparse_apply_keras_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (indices), (momentum), \
    SL_OPTIONS(sl_op_resource_sparse_apply_keras_momentum_options_t, __VA_ARGS__))

// ResourceSparseApplyMomentum(var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; use_nesterov: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_resource_sparse_apply_momentum_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_momentum_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output grad, TF_Output indices, TF_Output momentum,
    const sl_op_resource_sparse_apply_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_momentum(scope, var, accum, lr, grad, indices, momentum, ...) \
  sl_op_resource_sparse_apply_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (indices), (momentum), \
    SL_OPTIONS(sl_op_resource_sparse_apply_momentum_options_t, __VA_ARGS__))

// ResourceSparseApplyProximalAdagrad(var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_proximal_adagrad_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_proximal_adagrad_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output grad, TF_Output indices,
    const sl_op_resource_sparse_apply_proximal_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyProximalAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_proximal_adagrad(scope, var, accum, lr, l1, l2, grad, indices, ...) \
  sl_op_resource_sparse_apply_proximal_adagrad_with(SL_AT(scope), (var), (accum), (lr), (l1), (l2), (grad), ( \
    indices), SL_OPTIONS(sl_op_resource_sparse_apply_proximal_adagrad_options_t, __VA_ARGS__))

// ResourceSparseApplyProximalGradientDescent(var: resource, alpha: T, l1: T, l2: T, grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_proximal_gradient_descent_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_proximal_gradient_descent_with(sl_scope_t *scope,
    TF_Output var, TF_Output alpha, TF_Output l1, TF_Output l2, TF_Output grad, TF_Output indices,
    const sl_op_resource_sparse_apply_proximal_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyProximalGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_proximal_gradient_descent(scope, var, alpha, l1, l2, grad, indices, ...) \
  sl_op_resource_sparse_apply_proximal_gradient_descent_with(SL_AT(scope), (var), (alpha), (l1), (l2), (grad), ( \
    indices), SL_OPTIONS(sl_op_resource_sparse_apply_proximal_gradient_descent_options_t, __VA_ARGS__))

// ResourceSparseApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T,
//   grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_rms_prop_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output ms,
    TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    TF_Output indices, const sl_op_resource_sparse_apply_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_rms_prop(scope, var, ms, mom, lr, rho, momentum, epsilon, grad, indices, ...) \
  sl_op_resource_sparse_apply_rms_prop_with(SL_AT(scope), (var), (ms), (mom), (lr), (rho), (momentum), (epsilon), ( \
    grad), (indices), SL_OPTIONS(sl_op_resource_sparse_apply_rms_prop_options_t, __VA_ARGS__))

// SdcaOptimizer(sparse_example_indices: num_sparse_features * int64, sparse_feature_indices: num_sparse_features *
//   int64, sparse_feature_values: num_sparse_features_with_values * float, dense_features: num_dense_features *
//   float, example_weights: float, example_labels: float, sparse_indices: num_sparse_features * int64,
//   sparse_weights: num_sparse_features * float, dense_weights: num_dense_features * float, example_state_data:
//   float) -> out_example_state_data: float, out_delta_sparse_weights: num_sparse_features * float,
//   out_delta_dense_weights: num_dense_features * float
// loss_type: {'logistic_loss', 'squared_loss', 'hinge_loss', 'smooth_hinge_loss', 'poisson_loss'}; adaptative: bool =
//   false; num_sparse_features: int >= 0; num_sparse_features_with_values: int >= 0; num_dense_features: int >= 0;
//   l1: float; l2: float; num_loss_partitions: int >= 1; num_inner_iterations: int >= 1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adaptative;
} sl_op_sdca_optimizer_options_t;
typedef struct {
  TF_Output out_example_state_data;
  sl_op_list_t out_delta_sparse_weights;
  sl_op_list_t out_delta_dense_weights;
} sl_op_sdca_optimizer_t;
static inline sl_op_sdca_optimizer_t sl_op_sdca_optimizer_with(sl_scope_t *scope,
    const TF_Output *sparse_example_indices, size_t sparse_example_indices_count,
    const TF_Output *sparse_feature_indices, size_t sparse_feature_indices_count,
    const TF_Output *sparse_feature_values, size_t sparse_feature_values_count, const TF_Output *dense_features,
    size_t dense_features_count, TF_Output example_weights, TF_Output example_labels,
    const TF_Output *sparse_indices, size_t sparse_indices_count, const TF_Output *sparse_weights,
    size_t sparse_weights_count, const TF_Output *dense_weights, size_t dense_weights_count,
    TF_Output example_state_data, const char *loss_type, float l1, float l2, int64_t num_loss_partitions,
    int64_t num_inner_iterations, const sl_op_sdca_optimizer_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SdcaOptimizer", options->name);
  sl_node_input_list(node, sparse_example_indices, sparse_example_indices_count);
  sl_node_input_list(node, sparse_feature_indices, sparse_feature_indices_count);
  sl_node_input_list(node, sparse_feature_values, sparse_feature_values_count);
  sl_node_input_list(node, dense_features, dense_features_count);
  sl_node_input(node, example_weights);
  sl_node_input(node, example_labels);
  sl_node_input_list(node, sparse_indices, sparse_indices_count);
  sl_node_input_list(node, sparse_weights, sparse_weights_count);
  sl_node_input_list(node, dense_weights, dense_weights_count);
  sl_node_input(node, example_state_data);
  sl_node_attr_text(node, "loss_type", loss_type);
  sl_node_attr_bool(node, "adaptative", options->adaptative);
  sl_node_attr_float(node, "l1", l1);
  sl_node_attr_float(node, "l2", l2);
  sl_node_attr_int(node, "num_loss_partitions", num_loss_partitions);
  sl_node_attr_int(node, "num_inner_iterations", num_inner_iterations);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sdca_optimizer_t result;
  int next = 0;
  result.out_example_state_data = sl_op_output(operation, next++);
  result.out_delta_sparse_weights = sl_op_list(operation, "out_delta_sparse_weights", next);
  next += result.out_delta_sparse_weights.count;
  result.out_delta_dense_weights = sl_op_list(operation, "out_delta_dense_weights", next);
  next += result.out_delta_dense_weights.count;
  return result;
}
#define sl_op_sdca_optimizer(scope, sparse_example_indices, sparse_example_indices_count, sparse_feature_indices, \
    sparse_feature_indices_count, sparse_feature_values, sparse_feature_values_count, dense_features, \
    dense_features_count, example_weights, example_labels, sparse_indices, sparse_indices_count, sparse_weights, \
    sparse_weights_count, dense_weights, dense_weights_count, example_state_data, loss_type, l1, l2, \
    num_loss_partitions, num_inner_iterations, ...) \
  sl_op_sdca_optimizer_with(SL_AT(scope), (sparse_example_indices), (sparse_example_indices_count), ( \
    sparse_feature_indices), (sparse_feature_indices_count), (sparse_feature_values), ( \
    sparse_feature_values_count), (dense_features), (dense_features_count), (example_weights), (example_labels), ( \
    sparse_indices), (sparse_indices_count), (sparse_weights), (sparse_weights_count), (dense_weights), ( \
    dense_weights_count), (example_state_data), (loss_type), (l1), (l2), (num_loss_partitions), ( \
    num_inner_iterations), SL_OPTIONS(sl_op_sdca_optimizer_options_t, __VA_ARGS__))

// SdcaOptimizerV2(sparse_example_indices: num_sparse_features * int64, sparse_feature_indices: num_sparse_features *
//   int64, sparse_feature_values: num_sparse_features_with_values * float, dense_features: num_dense_features *
//   float, example_weights: float, example_labels: float, sparse_indices: num_sparse_features * int64,
//   sparse_weights: num_sparse_features * float, dense_weights: num_dense_features * float, example_state_data:
//   float) -> out_example_state_data: float, out_delta_sparse_weights: num_sparse_features * float,
//   out_delta_dense_weights: num_dense_features * float
// loss_type: {'logistic_loss', 'squared_loss', 'hinge_loss', 'smooth_hinge_loss', 'poisson_loss'}; adaptive: bool =
//   false; num_sparse_features: int >= 0; num_sparse_features_with_values: int >= 0; num_dense_features: int >= 0;
//   l1: float; l2: float; num_loss_partitions: int >= 1; num_inner_iterations: int >= 1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adaptive;
} sl_op_sdca_optimizer_v2_options_t;
typedef struct {
  TF_Output out_example_state_data;
  sl_op_list_t out_delta_sparse_weights;
  sl_op_list_t out_delta_dense_weights;
} sl_op_sdca_optimizer_v2_t;
static inline sl_op_sdca_optimizer_v2_t sl_op_sdca_optimizer_v2_with(sl_scope_t *scope,
    const TF_Output *sparse_example_indices, size_t sparse_example_indices_count,
    const TF_Output *sparse_feature_indices, size_t sparse_feature_indices_count,
    const TF_Output *sparse_feature_values, size_t sparse_feature_values_count, const TF_Output *dense_features,
    size_t dense_features_count, TF_Output example_weights, TF_Output example_labels,
    const TF_Output *sparse_indices, size_t sparse_indices_count, const TF_Output *sparse_weights,
    size_t sparse_weights_count, const TF_Output *dense_weights, size_t dense_weights_count,
    TF_Output example_state_data, const char *loss_type, float l1, float l2, int64_t num_loss_partitions,
    int64_t num_inner_iterations, const sl_op_sdca_optimizer_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SdcaOptimizerV2", options->name);
  sl_node_input_list(node, sparse_example_indices, sparse_example_indices_count);
  sl_node_input_list(node, sparse_feature_indices, sparse_feature_indices_count);
  sl_node_input_list(node, sparse_feature_values, sparse_feature_values_count);
  sl_node_input_list(node, dense_features, dense_features_count);
  sl_node_input(node, example_weights);
  sl_node_input(node, example_labels);
  sl_node_input_list(node, sparse_indices, sparse_indices_count);
  sl_node_input_list(node, sparse_weights, sparse_weights_count);
  sl_node_input_list(node, dense_weights, dense_weights_count);
  sl_node_input(node, example_state_data);
  sl_node_attr_text(node, "loss_type", loss_type);
  sl_node_attr_bool(node, "adaptive", options->adaptive);
  sl_node_attr_float(node, "l1", l1);
  sl_node_attr_float(node, "l2", l2);
  sl_node_attr_int(node, "num_loss_partitions", num_loss_partitions);
  sl_node_attr_int(node, "num_inner_iterations", num_inner_iterations);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sdca_optimizer_v2_t result;
  int next = 0;
  result.out_example_state_data = sl_op_output(operation, next++);
  result.out_delta_sparse_weights = sl_op_list(operation, "out_delta_sparse_weights", next);
  next += result.out_delta_sparse_weights.count;
  result.out_delta_dense_weights = sl_op_list(operation, "out_delta_dense_weights", next);
  next += result.out_delta_dense_weights.count;
  return result;
}
#define sl_op_sdca_optimizer_v2(scope, sparse_example_indices, sparse_example_indices_count, \
    sparse_feature_indices, sparse_feature_indices_count, sparse_feature_values, sparse_feature_values_count, \
    dense_features, dense_features_count, example_weights, example_labels, sparse_indices, sparse_indices_count, \
    sparse_weights, sparse_weights_count, dense_weights, dense_weights_count, example_state_data, loss_type, l1, \
    l2, num_loss_partitions, num_inner_iterations, ...) \
  sl_op_sdca_optimizer_v2_with(SL_AT(scope), (sparse_example_indices), (sparse_example_indices_count), ( \
    sparse_feature_indices), (sparse_feature_indices_count), (sparse_feature_values), ( \
    sparse_feature_values_count), (dense_features), (dense_features_count), (example_weights), (example_labels), ( \
    sparse_indices), (sparse_indices_count), (sparse_weights), (sparse_weights_count), (dense_weights), ( \
    dense_weights_count), (example_state_data), (loss_type), (l1), (l2), (num_loss_partitions), ( \
    num_inner_iterations), SL_OPTIONS(sl_op_sdca_optimizer_v2_options_t, __VA_ARGS__))

// SdcaShrinkL1(weights: Ref(num_features * float))
// num_features: int >= 0; l1: float; l2: float
// Gradients stop here.
static inline TF_Operation *sl_op_sdca_shrink_l1_with(sl_scope_t *scope, const TF_Output *weights,
    size_t weights_count, float l1, float l2, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SdcaShrinkL1", options->name);
  sl_node_input_list(node, weights, weights_count);
  sl_node_attr_float(node, "l1", l1);
  sl_node_attr_float(node, "l2", l2);
  return sl_node_finish(node);
}
#define sl_op_sdca_shrink_l1(scope, weights, weights_count, l1, l2, ...) \
  sl_op_sdca_shrink_l1_with(SL_AT(scope), (weights), (weights_count), (l1), (l2), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SparseApplyAdadelta(var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: T, indices:
//   Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_adadelta_options_t;
static inline TF_Output sl_op_sparse_apply_adadelta_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output accum_update, TF_Output lr, TF_Output rho, TF_Output epsilon, TF_Output grad, TF_Output indices,
    const sl_op_sparse_apply_adadelta_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyAdadelta", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, accum_update);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_adadelta(scope, var, accum, accum_update, lr, rho, epsilon, grad, indices, ...) \
  sl_op_sparse_apply_adadelta_with(SL_AT(scope), (var), (accum), (accum_update), (lr), (rho), (epsilon), (grad), ( \
    indices), SL_OPTIONS(sl_op_sparse_apply_adadelta_options_t, __VA_ARGS__))

// SparseApplyAdagrad(var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_sparse_apply_adagrad_options_t;
static inline TF_Output sl_op_sparse_apply_adagrad_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output grad, TF_Output indices, const sl_op_sparse_apply_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_adagrad(scope, var, accum, lr, grad, indices, ...) \
  SL_OVER_DEFAULTS(sl_op_sparse_apply_adagrad_with(SL_AT(scope), (var), (accum), (lr), (grad), (indices), SL_OPTIONS( \
    sl_op_sparse_apply_adagrad_options_t, .update_slots = true, __VA_ARGS__)))

// SparseApplyAdagradDA(var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), grad: T,
//   indices: Tindices, lr: T, l1: T, l2: T, global_step: int64) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_adagrad_da_options_t;
static inline TF_Output sl_op_sparse_apply_adagrad_da_with(sl_scope_t *scope, TF_Output var,
    TF_Output gradient_accumulator, TF_Output gradient_squared_accumulator, TF_Output grad, TF_Output indices,
    TF_Output lr, TF_Output l1, TF_Output l2, TF_Output global_step,
    const sl_op_sparse_apply_adagrad_da_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyAdagradDA", options->name);
  sl_node_input(node, var);
  sl_node_input(node, gradient_accumulator);
  sl_node_input(node, gradient_squared_accumulator);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, global_step);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_adagrad_da(scope, var, gradient_accumulator, gradient_squared_accumulator, grad, \
    indices, lr, l1, l2, global_step, ...) \
  sl_op_sparse_apply_adagrad_da_with(SL_AT(scope), (var), (gradient_accumulator), (gradient_squared_accumulator), ( \
    grad), (indices), (lr), (l1), (l2), (global_step), SL_OPTIONS(sl_op_sparse_apply_adagrad_da_options_t, \
    __VA_ARGS__))

// SparseApplyAdagradV2(var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T, indices: Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_sparse_apply_adagrad_v2_options_t;
static inline TF_Output sl_op_sparse_apply_adagrad_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output epsilon, TF_Output grad, TF_Output indices,
    const sl_op_sparse_apply_adagrad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyAdagradV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_adagrad_v2(scope, var, accum, lr, epsilon, grad, indices, ...) \
  SL_OVER_DEFAULTS(sl_op_sparse_apply_adagrad_v2_with(SL_AT(scope), (var), (accum), (lr), (epsilon), (grad), ( \
    indices), SL_OPTIONS(sl_op_sparse_apply_adagrad_v2_options_t, .update_slots = true, __VA_ARGS__)))

// SparseApplyCenteredRMSProp(var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon:
//   T, grad: T, indices: Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_centered_rms_prop_options_t;
static inline TF_Output sl_op_sparse_apply_centered_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output mg,
    TF_Output ms, TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    TF_Output indices, const sl_op_sparse_apply_centered_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyCenteredRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, mg);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_centered_rms_prop(scope, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices, \
    ...) \
  sl_op_sparse_apply_centered_rms_prop_with(SL_AT(scope), (var), (mg), (ms), (mom), (lr), (rho), (momentum), ( \
    epsilon), (grad), (indices), SL_OPTIONS(sl_op_sparse_apply_centered_rms_prop_options_t, __VA_ARGS__))

// SparseApplyFtrl(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: T, l2: T,
//   lr_power: T) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_sparse_apply_ftrl_options_t;
static inline TF_Output sl_op_sparse_apply_ftrl_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output linear, TF_Output grad, TF_Output indices, TF_Output lr, TF_Output l1, TF_Output l2,
    TF_Output lr_power, const sl_op_sparse_apply_ftrl_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyFtrl", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_ftrl(scope, var, accum, linear, grad, indices, lr, l1, l2, lr_power, ...) \
  sl_op_sparse_apply_ftrl_with(SL_AT(scope), (var), (accum), (linear), (grad), (indices), (lr), (l1), (l2), ( \
    lr_power), SL_OPTIONS(sl_op_sparse_apply_ftrl_options_t, __VA_ARGS__))

// SparseApplyFtrlV2(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: T, l2: T,
//   l2_shrinkage: T, lr_power: T) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_sparse_apply_ftrl_v2_options_t;
static inline TF_Output sl_op_sparse_apply_ftrl_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output linear, TF_Output grad, TF_Output indices, TF_Output lr, TF_Output l1, TF_Output l2,
    TF_Output l2_shrinkage, TF_Output lr_power, const sl_op_sparse_apply_ftrl_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyFtrlV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, l2_shrinkage);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_ftrl_v2(scope, var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, lr_power, \
    ...) \
  sl_op_sparse_apply_ftrl_v2_with(SL_AT(scope), (var), (accum), (linear), (grad), (indices), (lr), (l1), (l2), ( \
    l2_shrinkage), (lr_power), SL_OPTIONS(sl_op_sparse_apply_ftrl_v2_options_t, __VA_ARGS__))

// SparseApplyMomentum(var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices, momentum: T) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; use_nesterov: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_sparse_apply_momentum_options_t;
static inline TF_Output sl_op_sparse_apply_momentum_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output grad, TF_Output indices, TF_Output momentum,
    const sl_op_sparse_apply_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_momentum(scope, var, accum, lr, grad, indices, momentum, ...) \
  sl_op_sparse_apply_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (indices), (momentum), SL_OPTIONS( \
    sl_op_sparse_apply_momentum_options_t, __VA_ARGS__))

// SparseApplyProximalAdagrad(var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T, indices: Tindices) -> out:
//   Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_proximal_adagrad_options_t;
static inline TF_Output sl_op_sparse_apply_proximal_adagrad_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output l1, TF_Output l2, TF_Output grad, TF_Output indices,
    const sl_op_sparse_apply_proximal_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyProximalAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_proximal_adagrad(scope, var, accum, lr, l1, l2, grad, indices, ...) \
  sl_op_sparse_apply_proximal_adagrad_with(SL_AT(scope), (var), (accum), (lr), (l1), (l2), (grad), (indices), \
    SL_OPTIONS(sl_op_sparse_apply_proximal_adagrad_options_t, __VA_ARGS__))

// SparseApplyProximalGradientDescent(var: Ref(T), alpha: T, l1: T, l2: T, grad: T, indices: Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_proximal_gradient_descent_options_t;
static inline TF_Output sl_op_sparse_apply_proximal_gradient_descent_with(sl_scope_t *scope, TF_Output var,
    TF_Output alpha, TF_Output l1, TF_Output l2, TF_Output grad, TF_Output indices,
    const sl_op_sparse_apply_proximal_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyProximalGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_proximal_gradient_descent(scope, var, alpha, l1, l2, grad, indices, ...) \
  sl_op_sparse_apply_proximal_gradient_descent_with(SL_AT(scope), (var), (alpha), (l1), (l2), (grad), (indices), \
    SL_OPTIONS(sl_op_sparse_apply_proximal_gradient_descent_options_t, __VA_ARGS__))

// SparseApplyRMSProp(var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices:
//   Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_rms_prop_options_t;
static inline TF_Output sl_op_sparse_apply_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output ms,
    TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    TF_Output indices, const sl_op_sparse_apply_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_rms_prop(scope, var, ms, mom, lr, rho, momentum, epsilon, grad, indices, ...) \
  sl_op_sparse_apply_rms_prop_with(SL_AT(scope), (var), (ms), (mom), (lr), (rho), (momentum), (epsilon), (grad), ( \
    indices), SL_OPTIONS(sl_op_sparse_apply_rms_prop_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_TRAIN_H_
