// Hooks that read or feed values: stop at a loss or at NaN, log, feed, and run an
// operation at the end.
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sluice/cluster.h"
#include "train/common/call_options.h"
#include "train/common/tf_session.h"
#include "train/common/tf_tensor.h"
#include "train/session/hooks_internal.h"

#define REPORT_NANOS INT64_C(100000000)

// --- A value of every step ---

typedef struct {
  sl_hook_t base;
  TF_Output value;
  double limit;      // of sl_stop_at_loss_hook
  bool stop_at_nan;  // of sl_nan_tensor_hook; false: NaN is an error
  size_t position;
} value_hook_t;

static void value_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  value_hook_t *hook = (value_hook_t *)base;
  hook->position = sl_step_fetch(step, hook->value);
}

// False if it is not a single number.
static bool read_value(const value_hook_t *hook, const sl_step_t *step, double *out_value) {
  const TF_Tensor *tensor = sl_step_value(step, hook->position);
  return tensor && TF_TensorElementCount(tensor) == 1 && sli_tf_tensor_to_double(tensor, 0, out_value);
}

static double value_of(const value_hook_t *hook, const sl_step_t *step) {
  double number = NAN;
  return read_value(hook, step, &number) ? number : NAN;
}

static void loss_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  const value_hook_t *hook = (const value_hook_t *)base;
  double loss = value_of(hook, step);
  if (!(loss <= hook->limit)) return;
  sl_session_say(session, "stopping at global step %lld: loss %.6g has reached %.6g",
                 (long long)sl_session_step(session), loss, hook->limit);
  sl_request_stop(session);
}

static void fail_with_nan(sl_session_t *session) {
  sl_session_say(session, "Model diverged with loss = NaN at global step %lld.", (long long)sl_session_step(session));
  sli_train_session_fail(session, NULL, 0, sli_status_make(SLI_INVALID_ARGUMENT, "NaN loss during training."));
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
  fail_with_nan(session);
}

// Shows the loss in the status of the task, some times a second at most.
static void report_loss(sl_session_t *session, double loss) {
  TF_Server *server = session->server ? sl_server_handle(session->server) : NULL;
  int64_t now = sli_clock_now_nanos();
  if (!server || now < session->next_report) return;
  session->next_report = now + REPORT_NANOS;
  sl_cluster_report_scalar(server, "loss", sl_session_step(session), loss);
}

// Of the loss that the progress shows. It may be infinite for a while, such as an exponential of the loss.
static void divergence_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  double loss;
  if (!read_value((const value_hook_t *)base, step, &loss)) return;
  bool was_infinite = session->infinite_loss;
  session->infinite_loss = isinf(loss);
  report_loss(session, loss);
  if (session->infinite_loss && !was_infinite)
    sl_session_say(session, "warning: the loss is infinite at global step %lld", (long long)sl_session_step(session));
  if (isnan(loss)) fail_with_nan(session);
}

static value_hook_t *value_hook(TF_Output value, void (*after_run)(sl_hook_t *, sl_session_t *, sl_step_t *)) {
  value_hook_t *hook = (value_hook_t *)sli_hook_create(sizeof(*hook), sli_hook_free);
  hook->base.before_run = value_before_run;
  hook->base.after_run = after_run;
  hook->value = value;
  return hook;
}

sl_hook_t *sl_stop_at_loss_hook(TF_Output loss, double limit) {
  value_hook_t *hook = value_hook(loss, loss_after_run);
  hook->limit = limit;
  return &hook->base;
}

sl_hook_t *sl_nan_tensor_hook(TF_Output loss, bool stop) {
  value_hook_t *hook = value_hook(loss, nan_after_run);
  hook->stop_at_nan = stop;
  return &hook->base;
}

sl_hook_t *sli_hook_create_divergence(TF_Output loss) { return &value_hook(loss, divergence_after_run)->base; }

bool sli_hook_is_nan_hook(const sl_hook_t *hook, TF_Output loss) {
  const value_hook_t *own = (const value_hook_t *)hook;
  return hook->after_run == nan_after_run && own->value.oper == loss.oper && own->value.index == loss.index;
}

// --- Logging ---

typedef struct {
  sl_hook_t base;
  sli_hook_timer_t timer;  // by local steps
  TF_Output *values;
  char **tags;
  size_t count;
  size_t *positions;  // of the values in the step
  int64_t iteration;
  bool asked, at_end;
} logging_hook_t;

static void append_element(sli_string_t *out, const TF_Tensor *tensor, size_t index) {
  enum { SHOWN_LETTERS = 60 };
  TF_DataType dtype = TF_TensorType(tensor);
  double number;
  int64_t integer;
  if (dtype == TF_STRING) {
    const TF_TString *text = (const TF_TString *)TF_TensorData(tensor) + index;
    size_t size = TF_StringGetSize(text);
    sli_string_append_format(out, "%.*s%s", (int)(size < SHOWN_LETTERS ? size : SHOWN_LETTERS),
                             TF_StringGetDataPointer(text), size > SHOWN_LETTERS ? "…" : "");
  } else if (!sli_tf_tensor_to_double(tensor, index, &number) || !sli_tf_tensor_to_int64(tensor, index, &integer)) {
    sli_string_append_text(out, "?");
  } else if (sli_tf_type_is_floating(dtype)) {
    sli_string_append_format(out, "%.6g", number);
  } else {
    sli_string_append_format(out, "%lld", (long long)integer);
  }
}

// A number, or "[1 2 3 …]".
static void append_value(sli_string_t *out, const TF_Tensor *tensor) {
  enum { SHOWN = 8 };
  size_t elements = (size_t)TF_TensorElementCount(tensor), shown = elements < SHOWN ? elements : SHOWN;
  bool list = TF_NumDims(tensor) > 0;
  if (list) sli_string_append_text(out, "[");
  for (size_t i = 0; i < shown; i++) {
    if (i) sli_string_append_text(out, " ");
    append_element(out, tensor, i);
  }
  if (list) sli_string_append_text(out, shown < elements ? " …]" : "]");
}

static void log_values(logging_hook_t *hook, const sl_session_t *session, TF_Tensor *const *values) {
  sli_string_t line = {0};
  sli_string_append_format(&line, "global step %lld", (long long)session->step);
  for (size_t i = 0; i < hook->count; i++) {
    sli_string_append_format(&line, ", %s = ", hook->tags[i]);
    append_value(&line, values[i]);
  }
  double seconds = sli_hook_timer_mark(&hook->timer, hook->iteration);
  if (seconds > 0) sli_string_append_format(&line, " (%.3f sec)", seconds);
  sl_session_say(session, "%s", sli_string_text(&line));
  sli_string_deinitialize(&line);
}

static void logging_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  logging_hook_t *hook = (logging_hook_t *)base;
  hook->asked = sli_hook_timer_is_due(&hook->timer, hook->iteration);
  for (size_t i = 0; hook->asked && i < hook->count; i++) hook->positions[i] = sl_step_fetch(step, hook->values[i]);
}

static void logging_after_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  logging_hook_t *hook = (logging_hook_t *)base;
  if (hook->asked) {
    TF_Tensor **values = sli_calloc(hook->count, sizeof(TF_Tensor *));
    for (size_t i = 0; i < hook->count; i++) values[i] = step->values[hook->positions[i]];
    log_values(hook, session, values);
    free(values);
  }
  hook->iteration++;
}

static void logging_end(sl_hook_t *base, sl_session_t *session) {
  logging_hook_t *hook = (logging_hook_t *)base;
  if (!hook->at_end) return;
  TF_Tensor **values = sli_calloc(hook->count, sizeof(TF_Tensor *));
  TF_Status *status = TF_NewStatus();
  TF_SessionRun(sl_session_handle(session), NULL, NULL, NULL, 0, hook->values, values, (int)hook->count, NULL, 0, NULL,
                status);
  if (TF_GetCode(status) == TF_OK) log_values(hook, session, values);
  for (size_t i = 0; i < hook->count; i++)
    if (values[i]) TF_DeleteTensor(values[i]);
  free(values);
  sli_hook_check_status(session, status);
}

static void logging_begin(sl_hook_t *base, sl_session_t *session) {
  const logging_hook_t *hook = (const logging_hook_t *)base;
  for (size_t i = 0; i < hook->count; i++)
    if (!hook->values[i].oper)
      sli_train_session_fail(session, NULL, 0,
                             sli_status_make(SLI_INVALID_ARGUMENT, "sl_logging_hook: value %zu must not be empty", i));
}

static void logging_release(sl_hook_t *base) {
  logging_hook_t *hook = (logging_hook_t *)base;
  for (size_t i = 0; i < hook->count; i++) free(hook->tags[i]);
  free(hook->tags);
  free(hook->values);
  free(hook->positions);
  free(hook);
}

sl_hook_t *sl_logging_hook_with(const TF_Output *values, size_t count, const sl_logging_options_t *given) {
  SLI_CALL_OPTIONS(sl_logging_options_t, options, given);
  logging_hook_t *hook = (logging_hook_t *)sli_hook_create(sizeof(*hook), logging_release);
  hook->base.begin = logging_begin;
  hook->base.before_run = logging_before_run;
  hook->base.after_run = logging_after_run;
  hook->base.end = logging_end;
  hook->count = count;
  hook->values = sli_calloc(count, sizeof(*hook->values));
  hook->tags = sli_calloc(count, sizeof(*hook->tags));
  hook->positions = sli_calloc(count, sizeof(*hook->positions));
  for (size_t i = 0; i < count; i++) {
    hook->values[i] = values[i];
    const char *tag = options.tags ? options.tags[i] : values[i].oper ? TF_OperationName(values[i].oper) : "";
    hook->tags[i] = sli_strdup(tag);
  }
  hook->at_end = options.at_end;
  hook->timer = sli_hook_timer_create(options.every_n_iter, options.every_n_secs);
  bool only_at_end = options.at_end && !options.every_n_iter && options.every_n_secs == 0;
  if (only_at_end) {
    hook->timer = (sli_hook_timer_t){0};
    sli_hook_timer_mark(&hook->timer, 0);
  }
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
  feed_hook_t *hook = (feed_hook_t *)sli_hook_create(sizeof(*hook), sli_hook_free);
  hook->base.before_run = feed_before_run;
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
  TF_Status *status = TF_NewStatus();
  sli_tf_session_run_operation(sl_session_handle(session), hook->operation, status);
  sli_hook_check_status(session, status);
}

sl_hook_t *sl_final_op_hook(TF_Operation *operation) {
  final_hook_t *hook = (final_hook_t *)sli_hook_create(sizeof(*hook), sli_hook_free);
  hook->base.end = final_end;
  hook->operation = operation;
  return &hook->base;
}
