// Learning rates that fall with the step: nodes and names of tf.train's decays.
#include <stdlib.h>

#include "sluice/optimizer.h"
#include "train/ops_internal.h"
#include "train/options_internal.h"
#include "train/scope_internal.h"

// A number that Python converts to the rate's type: "Cast/x" for a float, and a Cast of it for an integer.
static TF_Output cast_float(sl_scope_t *scope, double number) {
  TF_Output x = {0};
  SL_NAME_SCOPE (scope, "Cast") {
    x = sli_constant_fill(scope, TF_FLOAT, SL_SHAPE(), number, "x");
  }
  return x;
}

static TF_Output cast_integer(sl_scope_t *scope, int64_t number) {
  TF_Output value = {0};
  SL_NAME_SCOPE (scope, "Cast") {
    char *whole = sli_scope_own_name(scope);
    TF_Output x = sli_constant_fill(scope, TF_INT32, SL_SHAPE(), (double)number, "x");
    value = sl_cast_with(scope, x, TF_FLOAT, SL_OP_OPTIONS(.name = whole));
    free(whole);
  }
  return value;
}

static bool check_steps(sl_scope_t *scope, TF_Output step, int64_t decay_steps) {
  if (!step.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "global_step is required for a learning rate that decays.");
  if (decay_steps <= 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "decay_steps must be positive, not %lld", (long long)decay_steps);
  return sli_scope_ok(scope);
}

static TF_Output divide(sl_scope_t *scope, TF_Output x, TF_Output y) {
  return sl_binary(scope, "RealDiv", "truediv", x, y, NULL);
}

static TF_Output initial_rate(sl_scope_t *scope, double rate) {
  return sli_constant_fill(scope, TF_FLOAT, SL_SHAPE(), rate, "initial_learning_rate");
}

TF_Output sl_exponential_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                                    double decay_rate, const sl_decay_options_t *given) {
  SLI_READ_OPTIONS(sl_decay_options_t, options, given);
  TF_Output result = {0};
  if (!check_steps(scope, step, decay_steps)) return result;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "ExponentialDecay") {
    char *whole = sli_scope_own_name(scope);
    TF_Output initial = initial_rate(scope, rate);
    TF_Output steps = cast_integer(scope, decay_steps);
    TF_Output factor = cast_float(scope, decay_rate);
    TF_Output power = divide(scope, sl_cast_with(scope, step, TF_FLOAT, NULL), steps);
    if (options.staircase) power = sl_unary(scope, "Floor", power, NULL);
    result = sl_binary(scope, "Mul", whole, initial, sl_binary(scope, "Pow", "Pow", factor, power, NULL), NULL);
    free(whole);
  }
  return result;
}

TF_Output sl_inverse_time_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                                     double decay_rate, const sl_decay_options_t *given) {
  SLI_READ_OPTIONS(sl_decay_options_t, options, given);
  TF_Output result = {0};
  if (!check_steps(scope, step, decay_steps)) return result;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "InverseTimeDecay") {
    char *whole = sli_scope_own_name(scope);
    TF_Output initial = initial_rate(scope, rate);
    TF_Output steps = cast_integer(scope, decay_steps);
    TF_Output factor = cast_float(scope, decay_rate);
    TF_Output share = divide(scope, sl_cast_with(scope, step, TF_FLOAT, NULL), steps);
    if (options.staircase) share = sl_unary(scope, "Floor", share, NULL);
    TF_Output one = sl_cast_with(scope, sli_constant_fill(scope, TF_INT32, SL_SHAPE(), 1, "Const"), TF_FLOAT, NULL);
    TF_Output scaled = sl_binary(scope, "Mul", "Mul", factor, share, NULL);
    TF_Output divisor = sl_binary(scope, "AddV2", "Add", one, scaled, NULL);
    result = sl_binary(scope, "RealDiv", whole, initial, divisor, NULL);
    free(whole);
  }
  return result;
}

TF_Output sl_polynomial_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps, double end_rate,
                                   const sl_polynomial_decay_options_t *given) {
  SLI_READ_OPTIONS(sl_polynomial_decay_options_t, options, given);
  TF_Output result = {0};
  if (!check_steps(scope, step, decay_steps)) return result;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "PolynomialDecay") {
    char *whole = sli_scope_own_name(scope);
    TF_Output initial = initial_rate(scope, rate);
    TF_Output end = cast_float(scope, end_rate);
    TF_Output power = cast_float(scope, options.power != 0 ? options.power : 1);
    TF_Output step_now = sl_cast_with(scope, step, TF_FLOAT, NULL);
    TF_Output steps = cast_integer(scope, decay_steps);
    TF_Output share = divide(scope, sl_binary(scope, "Minimum", "Minimum", step_now, steps, NULL), steps);
    TF_Output range = sl_binary(scope, "Sub", "sub", initial, end, NULL), left = {0};
    SL_NAME_SCOPE (scope, "sub") {
      char *node = sli_scope_own_name(scope);
      left = sl_binary(scope, "Sub", node, sli_constant_fill(scope, TF_FLOAT, SL_SHAPE(), 1, "x"), share, NULL);
      free(node);
    }
    TF_Output raised = sl_binary(scope, "Pow", "Pow", left, power, NULL);
    TF_Output scaled = sl_binary(scope, "Mul", "Mul", range, raised, NULL);
    result = sl_binary(scope, "AddV2", whole, scaled, end, NULL);
    free(whole);
  }
  return result;
}
