// Learning rate schedules, with the nodes and names of tf.train.
#include <stdlib.h>

#include "sluice/optimizer.h"
#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"

// A constant that Python converts to the type of the rate: "Cast/x" for a float, and a Cast of it for an integer.
static TF_Output cast_float(sl_scope_t *scope, double number) {
  TF_Output x = {0};
  SL_NAME_SCOPE (scope, "Cast") {
    x = sli_build_constant_fill(scope, TF_FLOAT, SL_SHAPE(), number, "x");
  }
  return x;
}

static TF_Output cast_integer(sl_scope_t *scope, int64_t number) {
  TF_Output value = {0};
  SL_NAME_SCOPE (scope, "Cast") {
    char *whole = sli_build_scope_node_name(scope);
    TF_DataType dtype = number > INT32_MAX ? TF_INT64 : TF_INT32;
    TF_Output x = sli_build_constant_fill(scope, dtype, SL_SHAPE(), (double)number, "x");
    value = sl_cast_with(scope, x, TF_FLOAT, SL_OP_OPTIONS(.name = whole));
    free(whole);
  }
  return value;
}

// |count| is the argument |name|.
static bool check_steps(sl_scope_t *scope, TF_Output step, int64_t count, const char *name) {
  if (!step.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "global_step is required for a learning rate that decays.");
  if (count < 1) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s must be at least 1, got %lld", name, (long long)count);
  return sli_scope_ok(scope);
}

static TF_Output divide(sl_scope_t *scope, TF_Output x, TF_Output y) {
  return sl_binary(scope, "RealDiv", "truediv", x, y, NULL);
}

static TF_Output initial_rate(sl_scope_t *scope, double rate) {
  return sli_build_constant_fill(scope, TF_FLOAT, SL_SHAPE(), rate, "initial_learning_rate");
}

// If |factor| is empty, |decay_rate| becomes a constant of the schedule.
static TF_Output exponential(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps, double decay_rate,
                             TF_Output factor, const sl_decay_options_t *given) {
  SLI_CALL_OPTIONS(sl_decay_options_t, options, given);
  TF_Output result = {0};
  if (!check_steps(scope, step, decay_steps, "decay_steps")) return result;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "ExponentialDecay") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output initial = initial_rate(scope, rate);
    TF_Output steps = cast_integer(scope, decay_steps);
    if (!factor.oper) factor = cast_float(scope, decay_rate);
    TF_Output power = divide(scope, sl_cast_with(scope, step, TF_FLOAT, NULL), steps);
    if (options.staircase) power = sl_unary(scope, "Floor", power, NULL);
    result = sl_binary(scope, "Mul", whole, initial, sl_binary(scope, "Pow", "Pow", factor, power, NULL), NULL);
    free(whole);
  }
  return result;
}

TF_Output sl_exponential_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                                    double decay_rate, const sl_decay_options_t *options) {
  return exponential(scope, rate, step, decay_steps, decay_rate, (TF_Output){0}, options);
}

TF_Output sl_natural_exp_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                                    double decay_rate, const sl_decay_options_t *options) {
  TF_Output minus = {0};
  SL_NAME_SCOPE (scope, "Neg") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output x = sli_build_constant_fill(scope, TF_FLOAT, SL_SHAPE(), decay_rate, "x");
    minus = sl_unary(scope, "Neg", x, SL_OP_OPTIONS(.name = whole));
    free(whole);
  }
  return exponential(scope, rate, step, decay_steps, 0, sl_unary(scope, "Exp", minus, NULL), options);
}

TF_Output sl_inverse_time_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                                     double decay_rate, const sl_decay_options_t *given) {
  SLI_CALL_OPTIONS(sl_decay_options_t, options, given);
  TF_Output result = {0};
  if (!check_steps(scope, step, decay_steps, "decay_steps")) return result;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "InverseTimeDecay") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output initial = initial_rate(scope, rate);
    TF_Output steps = cast_integer(scope, decay_steps);
    TF_Output factor = cast_float(scope, decay_rate);
    TF_Output share = divide(scope, sl_cast_with(scope, step, TF_FLOAT, NULL), steps);
    if (options.staircase) share = sl_unary(scope, "Floor", share, NULL);
    TF_Output one =
        sl_cast_with(scope, sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), 1, "Const"), TF_FLOAT, NULL);
    TF_Output scaled = sl_binary(scope, "Mul", "Mul", factor, share, NULL);
    TF_Output divisor = sl_binary(scope, "AddV2", "Add", one, scaled, NULL);
    result = sl_binary(scope, "RealDiv", whole, initial, divisor, NULL);
    free(whole);
  }
  return result;
}

// The first multiple of |steps| that is not below |step_now|, at least one.
static TF_Output current_period(sl_scope_t *scope, TF_Output step_now, TF_Output steps, int64_t decay_steps) {
  TF_Output is_first = sli_build_number_right(scope, "Equal", "Equal", step_now, 0);
  TF_Output periods =
      sl_unary(scope, "Ceil", sli_build_number_right(scope, "RealDiv", "truediv", step_now, (double)decay_steps), NULL);
  TF_Output multiplier = {0};
  SL_NAME_SCOPE (scope, "SelectV2") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output one = sli_build_constant_fill(scope, TF_FLOAT, SL_SHAPE(), 1, "t");
    sl_node_t *node = sl_node_begin(scope, "SelectV2", whole);
    sl_node_input(node, is_first);
    sl_node_input(node, one);
    sl_node_input(node, periods);
    multiplier = sl_node_output(node);
    free(whole);
  }
  return sl_binary(scope, "Mul", "Mul", steps, multiplier, NULL);
}

TF_Output sl_polynomial_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps, double end_rate,
                                   const sl_polynomial_decay_options_t *given) {
  SLI_CALL_OPTIONS(sl_polynomial_decay_options_t, options, given);
  TF_Output result = {0};
  if (!check_steps(scope, step, decay_steps, "decay_steps")) return result;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "PolynomialDecay") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output initial = initial_rate(scope, rate);
    TF_Output end = cast_float(scope, end_rate);
    TF_Output power = cast_float(scope, options.power != 0 ? options.power : 1);
    TF_Output step_now = sl_cast_with(scope, step, TF_FLOAT, NULL);
    TF_Output steps = cast_integer(scope, decay_steps);
    if (options.cycle)
      steps = current_period(scope, step_now, steps, decay_steps);
    else
      step_now = sl_binary(scope, "Minimum", "Minimum", step_now, steps, NULL);
    TF_Output share = divide(scope, step_now, steps);
    TF_Output range = sl_binary(scope, "Sub", "sub", initial, end, NULL), left = {0};
    SL_NAME_SCOPE (scope, "sub") {
      char *node = sli_build_scope_node_name(scope);
      left = sl_binary(scope, "Sub", node, sli_build_constant_fill(scope, TF_FLOAT, SL_SHAPE(), 1, "x"), share, NULL);
      free(node);
    }
    TF_Output raised = sl_binary(scope, "Pow", "Pow", left, power, NULL);
    TF_Output scaled = sl_binary(scope, "Mul", "Mul", range, raised, NULL);
    result = sl_binary(scope, "AddV2", whole, scaled, end, NULL);
    free(whole);
  }
  return result;
}

TF_Output sl_piecewise_constant_with(sl_scope_t *scope, TF_Output step, const int64_t *boundaries, const double *rates,
                                     size_t count, const sl_op_options_t *options) {
  TF_Output result = {0};
  for (size_t i = 1; i < count; i++)
    if (boundaries[i] <= boundaries[i - 1])
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_piecewise_constant: boundaries must rise, got %lld after %lld",
                    (long long)boundaries[i], (long long)boundaries[i - 1]);
  if (!step.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_piecewise_constant: step must not be empty");
  if (!sli_build_check_scalar(scope, step, "sl_piecewise_constant: step")) return result;
  SL_NAME_SCOPE (scope, "%s", options && options->name ? options->name : "PiecewiseConstant") {
    result = sl_scalar_with(scope, TF_FLOAT, rates[count], NULL);
    for (size_t i = count; i-- > 0;) {
      TF_Output boundary =
          sli_build_constant_fill(scope, sl_dtype(step), SL_SHAPE(), (double)boundaries[i], "boundary");
      TF_Output before = sl_binary(scope, "LessEqual", "LessEqual", step, boundary, NULL);
      result = sli_build_select(scope, before, sl_scalar_with(scope, TF_FLOAT, rates[i], NULL), result);
    }
  }
  return result;
}

// (1 - alpha) * |height| * (1 + cos(pi * |share|)) / 2 + alpha
static TF_Output half_cosine(sl_scope_t *scope, TF_Output share, TF_Output height, double alpha) {
  TF_Output pi = sl_scalar_with(scope, TF_FLOAT, 3.14159265358979323846, NULL);
  TF_Output wave = sl_unary(scope, "Cos", sl_binary(scope, "Mul", "mul", pi, share, NULL), NULL);
  TF_Output raised = sli_build_number_left(scope, "AddV2", "add", 1, wave), half;
  if (height.oper)
    half = sl_binary(scope, "Mul", "mul", sli_build_scaled(scope, 0.5, height), raised, NULL);
  else
    half = sli_build_scaled(scope, 0.5, raised);
  return sli_build_number_right(scope, "AddV2", "add", sli_build_scaled(scope, 1 - alpha, half), alpha);
}

TF_Output sl_cosine_decay_with(sl_scope_t *scope, double rate, TF_Output step, int64_t decay_steps,
                               const sl_cosine_options_t *given) {
  SLI_CALL_OPTIONS(sl_cosine_options_t, options, given);
  TF_Output result = {0};
  if (!check_steps(scope, step, decay_steps, "decay_steps")) return result;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "CosineDecay") {
    TF_Output initial = initial_rate(scope, rate), steps = cast_integer(scope, decay_steps);
    TF_Output now = sl_cast_with(scope, step, TF_FLOAT, NULL);
    TF_Output share = divide(scope, sl_binary(scope, "Minimum", "Minimum", now, steps, NULL), steps);
    result = sl_binary(scope, "Mul", "Mul", initial, half_cosine(scope, share, (TF_Output){0}, options.alpha), NULL);
  }
  return result;
}

TF_Output sl_cosine_decay_restarts_with(sl_scope_t *scope, double rate, TF_Output step, int64_t first_decay_steps,
                                        const sl_cosine_options_t *given) {
  SLI_CALL_OPTIONS(sl_cosine_options_t, options, given);
  double t_mul = options.t_mul != 0 ? options.t_mul : 2, m_mul = options.m_mul != 0 ? options.m_mul : 1;
  TF_Output result = {0};
  if (!check_steps(scope, step, first_decay_steps, "first_decay_steps")) return result;
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "SGDRDecay") {
    TF_Output initial = initial_rate(scope, rate), steps = cast_integer(scope, first_decay_steps);
    TF_Output done = divide(scope, sl_cast_with(scope, step, TF_FLOAT, NULL), steps), restarts, share;
    if (t_mul == 1) {
      restarts = sl_unary(scope, "Floor", done, NULL);
      share = sl_binary(scope, "Sub", "sub", done, restarts, NULL);
    } else {
      // The lengths of the periods are a geometric series; |restarts| periods have passed.
      TF_Output ratio = sl_scalar_with(scope, TF_FLOAT, t_mul, NULL);
      TF_Output grown =
          sli_build_number_left(scope, "Sub", "sub", 1, sli_build_number_right(scope, "Mul", "mul", done, 1 - t_mul));
      TF_Output logs = divide(scope, sl_unary(scope, "Log", grown, NULL), sl_unary(scope, "Log", ratio, NULL));
      restarts = sl_unary(scope, "Floor", logs, NULL);
      TF_Output length = sl_binary(scope, "Pow", "pow", ratio, restarts, NULL);
      TF_Output past = sli_build_number_right(scope, "RealDiv", "truediv",
                                              sli_build_number_left(scope, "Sub", "sub", 1, length), 1 - t_mul);
      share = divide(scope, sl_binary(scope, "Sub", "sub", done, past, NULL), length);
    }
    TF_Output height = sl_binary(scope, "Pow", "pow", sl_scalar_with(scope, TF_FLOAT, m_mul, NULL), restarts, NULL);
    result = sl_binary(scope, "Mul", "Mul", initial, half_cosine(scope, share, height, options.alpha), NULL);
  }
  return result;
}

TF_Output sl_linear_scaling_warmup_with(sl_scope_t *scope, double rate, TF_Output step, int workers,
                                        int64_t warmup_steps, TF_Output schedule, const sl_op_options_t *options) {
  TF_Output result = {0};
  if (workers < 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_linear_scaling_warmup: workers must be at least 1, got %d", workers);
  if (!check_steps(scope, step, warmup_steps, "warmup_steps")) return result;
  SL_NAME_SCOPE (scope, "%s", options && options->name ? options->name : "LinearScalingWarmup") {
    TF_Output steps = cast_integer(scope, warmup_steps), now = sl_cast_with(scope, step, TF_FLOAT, NULL);
    TF_Output share = divide(scope, sl_binary(scope, "Minimum", "Minimum", now, steps, NULL), steps);
    TF_Output warm =
        sli_build_number_right(scope, "AddV2", "add", sli_build_scaled(scope, rate * (workers - 1), share), rate);
    TF_Output warming = sl_binary(scope, "Less", "Less", now, steps, NULL);
    result = sli_build_select(scope, warming, warm, schedule);
  }
  return result;
}
