// Delay-compensated asynchronous SGD: a worker computes the gradient g at an older
// value b of the variable w. To first order the gradient at w is g + H (w - b); the
// paper approximates the diagonal of the Hessian H by lambda * g * g. Each worker keeps
// its b in slots on the device of the variable, where the difference is computed, so
// that nothing more is sent over the network. These are local variables: only the graph
// of this worker has them, so this worker initialises them.
#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"
#include "train/optimize/optimizer_internal.h"

typedef struct {
  sl_optimizer_t *inner;
  char *name;
  int worker;
  double lambda, decay, epsilon;
  bool adaptive, manual_pull;
  TF_Operation *pull;
} compensation_t;

static void destroy_compensation(void *object) {
  compensation_t *compensation = object;
  free(compensation->name);
  free(compensation);
}

// lambda, or lambda / sqrt(mean square + epsilon), where the mean square includes this gradient.
static TF_Output strength(sl_scope_t *scope, const compensation_t *compensation, const sl_variable_info_t *variable,
                          TF_Output square, TF_Output mean_square) {
  TF_Output lambda = sli_build_constant_fill(scope, variable->dtype, SL_SHAPE(), compensation->lambda, "lambda");
  if (!compensation->adaptive) return lambda;
  const sl_variable_info_t *slot = sl_variable_info(scope, mean_square);
  TF_Output kept = sli_build_number_right(scope, "Mul", "mul", mean_square, compensation->decay);
  TF_Output added = sli_build_number_right(scope, "Mul", "mul", square, 1 - compensation->decay);
  TF_Output next = sl_binary(scope, "AddV2", "add", kept, added, NULL);
  TF_Output moved = sli_train_variable_update_value(scope, "Assign", slot, next, NULL, true);
  TF_Output safe = sli_build_number_right(scope, "AddV2", "add", moved, compensation->epsilon);
  return sl_binary(scope, "RealDiv", "truediv", lambda, sl_unary(scope, "Sqrt", safe, NULL), NULL);
}

// The gradient, corrected for the current value of the variable.
static TF_Output compensate(sl_scope_t *scope, const compensation_t *compensation, const sl_variable_info_t *variable,
                            TF_Output gradient, TF_Output backup, TF_Output mean_square, TF_Operation *pulled) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "compensate_%s", variable->name) {
    SL_COLOCATE_WITH(scope, variable->reference.oper) {
      TF_Operation *const after[] = {gradient.oper, pulled};
      TF_Output square = sl_binary(scope, "Mul", "mul", gradient, gradient, NULL);
      TF_Output factor = strength(scope, compensation, variable, square, mean_square);
      SL_BLOCK(sl_control_dependencies_enter(scope, after, pulled ? 2 : 1)) {
        TF_Output now = sli_train_variable_read_node(scope, variable, "now");
        TF_Output then = sli_train_variable_read_node(scope, sl_variable_info(scope, backup), "then");
        TF_Output drift = sl_binary(scope, "Sub", "sub", now, then, NULL);
        TF_Output curvature = sl_binary(scope, "Mul", "mul", factor, square, NULL);
        TF_Output correction = sl_binary(scope, "Mul", "mul", curvature, drift, NULL);
        result = sl_binary(scope, "AddV2", "add", gradient, correction, NULL);
      }
    }
  }
  return result;
}

static TF_Operation *apply_compensated(sl_scope_t *scope, void *context, sl_gradients_t gradients,
                                       const sl_apply_gradients_options_t *options) {
  compensation_t *compensation = context;
  char *backup_name = sli_format("%s_worker_%d", compensation->name, compensation->worker);
  char *square_name = sli_format("%s_square_worker_%d", compensation->name, compensation->worker);
  sl_gradient_t *items = sli_calloc(gradients.count, sizeof(*items));
  sli_scope_own(scope, items, free);
  for (size_t i = 0; i < gradients.count; i++) {
    const sl_variable_info_t *variable = sl_variable_info(scope, gradients.items[i].variable);
    TF_Output gradient = gradients.items[i].gradient, mean_square = {0};
    items[i] = gradients.items[i];
    if (!gradient.oper) continue;
    TF_Output backup = sli_train_variable_create_local_slot(scope, variable, backup_name);
    if (compensation->adaptive) mean_square = sli_train_variable_create_local_slot(scope, variable, square_name);
    if (!sli_scope_ok(scope)) break;
    TF_Operation *pull =
        sli_train_variable_update_value(scope, "Assign", sl_variable_info(scope, backup), variable->value, "pull", true)
            .oper;
    TF_Operation *both[] = {compensation->pull, pull};
    if (compensation->manual_pull && pull)
      compensation->pull = compensation->pull ? sl_group_with(scope, both, 2, NULL) : pull;
    items[i].gradient = compensate(scope, compensation, variable, gradient, backup, mean_square,
                                   compensation->manual_pull ? NULL : pull);
  }
  free(backup_name);
  free(square_name);
  if (!sli_scope_ok(scope)) return NULL;
  return sl_apply_gradients_with(scope, compensation->inner, (sl_gradients_t){gradients.count, items}, options);
}

sl_optimizer_t *sl_delay_compensated_with(sl_scope_t *scope, sl_optimizer_t *inner, int worker,
                                          const sl_delay_compensated_options_t *given) {
  SLI_CALL_OPTIONS(sl_delay_compensated_options_t, options, given);
  compensation_t *compensation = sli_calloc(1, sizeof(*compensation));
  *compensation = (compensation_t){.inner = inner,
                                   .name = sli_strdup(options.name ? options.name : "DelayCompensation"),
                                   .worker = worker,
                                   .lambda = sli_optimizer_number_or(options.lambda, 0.04),
                                   .decay = sli_optimizer_number_or(options.decay, 0.95),
                                   .epsilon = sli_optimizer_number_or(options.epsilon, 1e-7),
                                   .adaptive = options.adaptive,
                                   .manual_pull = options.manual_pull};
  sli_scope_own(scope, compensation, destroy_compensation);
  return sli_optimizer_wrap(scope, inner, apply_compensated, compensation, false);
}

TF_Operation *sl_delay_compensated_pull(const sl_optimizer_t *optimizer) {
  const compensation_t *compensation = sli_optimizer_wrapper_context(optimizer, apply_compensated);
  return compensation ? compensation->pull : NULL;
}
