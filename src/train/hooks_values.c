// Hooks that look at values: stopping at a loss, at NaN, and what to run at the end.
#include <math.h>
#include <stdlib.h>

#include "train/session_internal.h"
#include "train/tensor.h"

static void release_plain(sl_hook_t *hook) { free(hook); }

// --- A value of every step ---

typedef struct {
  sl_hook_t base;
  TF_Output value;
  double limit;      // stop at a loss
  bool stop_at_nan;  // else it is an error
  size_t position;
} value_hook_t;

static void value_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  value_hook_t *hook = (value_hook_t *)base;
  hook->position = sl_step_fetch(step, hook->value);
}

// NAN if it is no single number.
static double value_of(const value_hook_t *hook, const sl_step_t *step) {
  const TF_Tensor *tensor = sl_step_value(step, hook->position);
  double number = NAN;
  if (tensor && TF_TensorElementCount(tensor) == 1) sli_tensor_to_double(tensor, 0, &number);
  return number;
}

static void loss_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  const value_hook_t *hook = (const value_hook_t *)base;
  double loss = value_of(hook, step);
  if (!(loss <= hook->limit)) return;
  sl_session_say(session, "stopping at global step %lld: loss %.6g has reached %.6g",
                 (long long)sl_session_step(session), loss, hook->limit);
  sl_request_stop(session);
}

static void nan_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  const value_hook_t *hook = (const value_hook_t *)base;
  if (!isnan(value_of(hook, step))) return;
  if (hook->stop_at_nan) {
    sl_session_say(session, "stopping at global step %lld: NaN loss during training.",
                   (long long)sl_session_step(session));
    sl_request_stop(session);
    return;
  }
  TF_Status *status = TF_NewStatus();
  TF_SetStatus(status, TF_INVALID_ARGUMENT, "NaN loss during training.");
  sl_session_fail(session, status);
  TF_DeleteStatus(status);
}

static value_hook_t *value_hook(TF_Output value, void (*after_run)(sl_hook_t *, sl_session_t *, sl_step_t *)) {
  value_hook_t *hook = sli_calloc(1, sizeof(*hook));
  hook->base = (sl_hook_t){.struct_size = sizeof(sl_hook_t), .before_run = value_before_run, .release = release_plain};
  hook->base.after_run = after_run;
  hook->value = value;
  return hook;
}

sl_hook_t *sl_stop_at_loss_hook(TF_Output loss, double limit) {
  value_hook_t *hook = value_hook(loss, loss_after_run);
  hook->limit = limit;
  return &hook->base;
}

sl_hook_t *sl_nan_hook(TF_Output loss, bool stop) {
  value_hook_t *hook = value_hook(loss, nan_after_run);
  hook->stop_at_nan = stop;
  return &hook->base;
}

// --- Feeds ---

typedef struct {
  sl_hook_t base;
  sl_feed_function_t function;
  void *context;
} feed_hook_t;

static void feed_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  const feed_hook_t *hook = (const feed_hook_t *)base;
  hook->function(hook->context, session, step);
}

sl_hook_t *sl_feed_hook(sl_feed_function_t function, void *context) {
  feed_hook_t *hook = sli_calloc(1, sizeof(*hook));
  hook->base = (sl_hook_t){.struct_size = sizeof(sl_hook_t), .before_run = feed_before_run, .release = release_plain};
  hook->function = function;
  hook->context = context;
  return &hook->base;
}

// --- At the end ---

typedef struct {
  sl_hook_t base;
  TF_Operation *operation;
} final_hook_t;

static void final_end(sl_hook_t *base, sl_session_t *session) {
  const final_hook_t *hook = (const final_hook_t *)base;
  sli_session_check(session, sli_session_run_operation(sl_session_handle(session), hook->operation));
}

sl_hook_t *sl_final_op_hook(TF_Operation *operation) {
  final_hook_t *hook = sli_calloc(1, sizeof(*hook));
  hook->base = (sl_hook_t){.struct_size = sizeof(sl_hook_t), .end = final_end, .release = release_plain};
  hook->operation = operation;
  return &hook->base;
}
