// Runs a step with the program's feeds, fetches and targets and those of the hooks.
//
// Feeds are read from the program's memory, which the program uses again as soon
// as the call returns. Most values are no longer used by then. A value that a queue,
// a variable or the like may keep is copied first. If the runtime still holds
// another one (of a step that failed half-way), the call waits for it. A result that
// is a fed value, or a view of one, is copied.
#include <stdlib.h>

#include "base/clock.h"
#include "base/sync.h"
#include "proto/config.fields.h"
#include "proto/config.pb-c.h"
#include "proto/wire.h"
#include "train/common/live_object.h"
#include "train/common/progress.h"
#include "train/common/tf_tensor.h"
#include "train/session/train_session.h"

// --- Values that outlive the run ---

// Remembered by node: the graph of a training session does not change.
static bool is_kept(sl_session_t *session, TF_Output output) {
  if (session->is_plain) return sl_outlives_step(output);
  static const char yes[] = "yes", no[] = "no";
  sli_view_t name = sli_view(TF_OperationName(output.oper));
  const char *known = sli_map_get(&session->kept_feeds, name);
  if (!known) {
    known = sl_outlives_step(output) ? yes : no;
    sli_map_set(&session->kept_feeds, name, (void *)known);
  }
  return known == yes;
}

// Counts the feeds that the runtime still holds. Each holds a reference, and so does the run.
typedef struct {
  sli_refcount_t references;
  atomic_int held;
  sli_event_t all_back;
} feed_loans_t;

static feed_loans_t *loans_create(void) {
  feed_loans_t *loans = sli_calloc(1, sizeof(*loans));
  sli_refcount_initialize(&loans->references);
  atomic_init(&loans->held, 1);
  sli_event_initialize(&loans->all_back);
  return loans;
}

static void loan_returned(void *data, size_t size, void *context) {
  feed_loans_t *loans = context;
  if (atomic_fetch_sub(&loans->held, 1) == 1) sli_event_set(&loans->all_back);
  if (!sli_refcount_release(&loans->references)) return;
  sli_event_deinitialize(&loans->all_back);
  free(loans);
}

static TF_Tensor *lend_feed(feed_loans_t *loans, const sl_array_t *array, size_t size) {
  sli_refcount_retain(&loans->references);
  atomic_fetch_add(&loans->held, 1);
  return TF_NewTensor(array->dtype, array->shape.dims, array->shape.rank, (void *)array->data, size, loan_returned,
                      loans);
}

// --- A run's lists ---

typedef SLI_ARRAY(TF_Tensor *) tensors_t;

typedef struct {
  sli_outputs_t inputs, outputs;  // outputs: the program's, then the hooks', then the global step
  tensors_t values, results;
  sli_operations_t targets;
  feed_loans_t *loans;
} step_run_t;

static sli_status_t *empty_argument(size_t position, const char *what) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "argument %zu of sl_run: the output to %s must not be empty",
                         position + 1, what);
}

static sli_status_t *check_feed(sl_session_t *session, TF_Output output, TF_DataType dtype, sl_shape_t shape) {
  const char *name = TF_OperationName(output.oper);
  int index = output.index;
  for (int i = 0; i < shape.rank; i++)
    if (shape.dims[i] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "dimension %d of the value for Tensor '%s:%d' must be at least 0, got %lld", i, name,
                             index, (long long)shape.dims[i]);
  TF_DataType wanted = sl_dtype(output);
  if (dtype != wanted)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor '%s:%d' is of type %s and cannot be fed with %s", name, index,
                           sli_tf_type_name(wanted), sli_tf_type_name(dtype));
  sl_shape_t known = sl_static_shape(session->scope, output);
  if (sli_tf_shape_fits(shape, known) && sli_tf_shape_elements(shape) >= 0) return NULL;
  char *value_text = sli_tf_shape_format(shape), *known_text = sli_tf_shape_format(known);
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "Cannot feed value of shape %s for Tensor '%s:%d', which has shape '%s'",
                      value_text, name, index, known_text);
  free(value_text);
  free(known_text);
  return status;
}

static sli_status_t *add_feed(sl_session_t *session, const sl_run_arg_t *arg, step_run_t *run) {
  static const char nothing[1] = "";
  sl_array_t array = arg->array;
  if (!array.data && sli_tf_shape_elements(array.shape) == 0) array.data = nothing;
  if (!array.data && sli_tf_shape_elements(array.shape) > 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "the value to feed for Tensor '%s:%d' must not be NULL",
                           TF_OperationName(arg->output.oper), arg->output.index);
  SLI_RETURN_IF_ERROR(check_feed(session, arg->output, array.dtype, array.shape));
  size_t size = (size_t)sli_tf_shape_elements(array.shape) * TF_DataTypeSize(array.dtype);
  TF_Tensor *tensor = is_kept(session, arg->output) ? sli_tf_tensor_copy(array.dtype, array.shape, array.data)
                                                    : lend_feed(run->loans, &array, size);
  sli_array_push(&run->inputs, arg->output);
  sli_array_push(&run->values, tensor);
  return NULL;
}

static sli_status_t *add_arguments(sl_session_t *session, const sl_run_arg_t *args, size_t count, step_run_t *run) {
  for (size_t i = 0; i < count; i++) {
    switch (args[i].kind) {
      case SL_RUN_FEED:
        if (!args[i].output.oper) return empty_argument(i, "feed");
        SLI_RETURN_IF_ERROR(add_feed(session, &args[i], run));
        break;
      case SL_RUN_TARGET:
        if (!args[i].output.oper) return empty_argument(i, "run");
        sli_array_push(&run->targets, args[i].output.oper);
        break;
      default:
        if (!args[i].output.oper) return empty_argument(i, "fetch");
        sli_array_push(&run->outputs, args[i].output);
        break;
    }
  }
  return NULL;
}

static void release_values(tensors_t *tensors) {
  for (size_t i = 0; i < tensors->count; i++)
    if (tensors->items[i]) TF_DeleteTensor(tensors->items[i]);
  sli_array_deinitialize(tensors);
}

static bool shares_memory(const TF_Tensor *one, const TF_Tensor *other) {
  const char *data = TF_TensorData(one), *begin = TF_TensorData(other);
  return data >= begin && data <= begin + TF_TensorByteSize(other);
}

// Makes the results independent of the feeds: a fetch of a fed tensor, or of its Identity or Reshape, is the feed
// itself.
static void separate_results(step_run_t *run) {
  for (size_t i = 0; i < run->results.count; i++) {
    TF_Tensor **result = &run->results.items[i];
    for (size_t k = 0; k < run->values.count && *result; k++) {
      if (TF_TensorType(*result) == TF_STRING || !shares_memory(*result, run->values.items[k])) continue;
      TF_Tensor *copy = sli_tf_tensor_clone(*result);
      TF_DeleteTensor(*result);
      *result = copy;
    }
  }
}

// Gives the feeds back; waits for those that are still in use.
static sli_status_t *release_feeds(step_run_t *run) {
  enum { WAIT_MILLIS = 10000 };
  for (size_t i = 0; i < run->values.count; i++) sli_tf_tensor_delete(run->values.items[i]);
  sli_array_deinitialize(&run->values);
  feed_loans_t *loans = run->loans;
  sli_refcount_retain(&loans->references);
  loan_returned(NULL, 0, loans);
  bool back = sli_event_wait(&loans->all_back, sli_clock_deadline_after_millis(WAIT_MILLIS));
  if (sli_refcount_release(&loans->references)) {
    sli_event_deinitialize(&loans->all_back);
    free(loans);
  }
  run->loans = NULL;
  return back ? NULL : sli_status_make(SLI_INTERNAL, "the runtime did not give a fed value back");
}

// --- Results ---

static sli_status_t *check_fetch(const sl_run_arg_t *arg, const TF_Tensor *tensor) {
  const char *name = TF_OperationName(arg->output.oper);
  double ignored;
  size_t elements = (size_t)TF_TensorElementCount(tensor), room = arg->count ? arg->count : 1;
  if (elements != room)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor '%s:%d' has %zu elements, but there is room for %zu", name,
                           arg->output.index, elements, room);
  if (elements && !sli_tf_tensor_to_double(tensor, 0, &ignored))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor '%s:%d' is of type %s and cannot be fetched as %s", name,
                           arg->output.index, sli_tf_type_name(TF_TensorType(tensor)),
                           sli_tf_type_name(arg->array.dtype));
  return NULL;
}

static void deliver(const sl_run_arg_t *arg, TF_Tensor *tensor) {
  size_t elements = (size_t)TF_TensorElementCount(tensor);
  if (TF_TensorType(tensor) == arg->array.dtype) {
    memcpy(arg->result, TF_TensorData(tensor), TF_TensorByteSize(tensor));
    return;
  }
  for (size_t i = 0; i < elements; i++) {
    double number = 0;
    int64_t integer = 0;
    sli_tf_tensor_to_double(tensor, i, &number);
    sli_tf_tensor_to_int64(tensor, i, &integer);
    switch (arg->array.dtype) {
      case TF_FLOAT: ((float *)arg->result)[i] = (float)number; break;
      case TF_DOUBLE: ((double *)arg->result)[i] = number; break;
      case TF_INT32: ((int32_t *)arg->result)[i] = (int32_t)integer; break;
      case TF_INT64: ((int64_t *)arg->result)[i] = integer; break;
      case TF_UINT8: ((uint8_t *)arg->result)[i] = (uint8_t)integer; break;
      default: ((bool *)arg->result)[i] = number != 0; break;
    }
  }
}

// All are checked before the first is delivered.
static sli_status_t *deliver_all(const sl_run_arg_t *args, size_t count, step_run_t *run) {
  for (int pass = 0; pass < 2; pass++) {
    size_t position = 0;
    for (size_t i = 0; i < count; i++) {
      if (args[i].kind != SL_RUN_FETCH && args[i].kind != SL_RUN_FETCH_TENSOR) continue;
      TF_Tensor **tensor = &run->results.items[position++];
      if (pass == 0 && args[i].kind == SL_RUN_FETCH) SLI_RETURN_IF_ERROR(check_fetch(&args[i], *tensor));
      if (pass == 1 && args[i].kind == SL_RUN_FETCH) deliver(&args[i], *tensor);
      if (pass == 1 && args[i].kind == SL_RUN_FETCH_TENSOR) {
        *(TF_Tensor **)args[i].result = *tensor;
        *tensor = NULL;
      }
    }
  }
  return NULL;
}

// --- The run ---

size_t sl_step_fetch(sl_step_t *step, TF_Output output) {
  for (size_t i = 0; i < step->count; i++)
    if (step->outputs[i].oper == output.oper && step->outputs[i].index == output.index) return i;
  step->overflow = step->overflow || step->count == SLI_TRAIN_SESSION_MAX_FETCHES;
  if (step->overflow) return 0;
  step->outputs[step->count] = output;
  return step->count++;
}

const TF_Tensor *sl_step_value(const sl_step_t *step, size_t position) {
  return position < step->count ? step->values[position] : NULL;
}

void sl_step_feed(sl_step_t *step, TF_Output output, TF_Tensor *tensor) {
  step->overflow = step->overflow || step->feed_count == SLI_TRAIN_SESSION_MAX_FEEDS;
  if (step->overflow) {
    sli_tf_tensor_delete(tensor);
    return;
  }
  step->inputs[step->feed_count] = output;
  step->feeds[step->feed_count++] = tensor;
}

void sl_step_skip(sl_step_t *step) { step->skipped = true; }
void sl_step_trace(sl_step_t *step) { step->traced = true; }
const TF_Buffer *sl_step_metadata(const sl_step_t *step) { return step->metadata; }
int64_t sl_step_examples(const sl_step_t *step) { return step->examples; }

static int64_t count_examples(const sl_run_arg_t *args, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (args[i].kind == SL_RUN_FEED && args[i].array.shape.rank > 0) return args[i].array.shape.dims[0];
  return 0;
}

// A step on an empty batch trains on the mean of nothing, which is NaN.
static sli_status_t *check_batch(const sl_run_arg_t *args, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (args[i].kind != SL_RUN_FEED || args[i].array.shape.rank < 1) continue;
    if (args[i].array.shape.dims[0] != 0) break;
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "the batch of a training step must have at least 1 example, got 0 for Tensor '%s:%d'",
                           TF_OperationName(args[i].output.oper), args[i].output.index);
  }
  return NULL;
}

static bool is_training_step(const sl_run_arg_t *args, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (args[i].kind == SL_RUN_TARGET) return true;
  return false;
}

static bool is_fed(const step_run_t *run, TF_Output output) {
  for (size_t i = 0; i < run->inputs.count; i++)
    if (run->inputs.items[i].oper == output.oper && run->inputs.items[i].index == output.index) return true;
  return false;
}

// Checks what a hook feeds. A rank above SL_MAX_RANK is left to the runtime.
static sli_status_t *check_tensor(sl_session_t *session, TF_Output output, const TF_Tensor *tensor) {
  sl_shape_t shape = {.rank = TF_NumDims(tensor)};
  if (shape.rank > SL_MAX_RANK) return NULL;
  for (int i = 0; i < shape.rank; i++) shape.dims[i] = TF_Dim(tensor, i);
  return check_feed(session, output, TF_TensorType(tensor), shape);
}

static sli_status_t *call_before_run(sl_session_t *session, sl_step_t *step, step_run_t *run) {
  sli_status_t *status = NULL;
  for (size_t i = 0; i < session->hooks.count; i++) {
    sl_hook_t *hook = sli_train_session_hook(session, i);
    if (hook && hook->before_run) hook->before_run(hook, session, step);
  }
  for (size_t i = 0; i < step->feed_count; i++) {
    if (is_fed(run, step->inputs[i])) {
      sli_tf_tensor_delete(step->feeds[i]);
      continue;
    }
    if (!status) status = check_tensor(session, step->inputs[i], step->feeds[i]);
    sli_array_push(&run->inputs, step->inputs[i]);
    sli_array_push(&run->values, step->feeds[i]);
  }
  for (size_t i = 0; i < step->count; i++) sli_array_push(&run->outputs, step->outputs[i]);
  sli_array_push(&run->outputs, session->global_step);
  if (status || !step->overflow) return status;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "hooks may fetch %d values and feed %d in a step, no more",
                         SLI_TRAIN_SESSION_MAX_FETCHES, SLI_TRAIN_SESSION_MAX_FEEDS);
}

// |own| is how many of the results belong to the program.
static void call_after_run(sl_session_t *session, sl_step_t *step, const step_run_t *run, size_t own) {
  for (size_t i = 0; i < step->count; i++) step->values[i] = run->results.items[own + i];
  sli_tf_tensor_to_int64(run->results.items[own + step->count], 0, &session->step);
  for (size_t i = 0; i < session->hooks.count && sli_train_session_ok(session); i++) {
    sl_hook_t *hook = sli_train_session_hook(session, i);
    if (hook && hook->after_run) hook->after_run(hook, session, step);
  }
}

static TF_Buffer *full_trace_options(void) {
  sli_string_t bytes = {0};
  sli_wire_write_int(&bytes, SLI_FIELD_RUN_OPTIONS_TRACE_LEVEL, TENSORFLOW__RUN_OPTIONS__TRACE_LEVEL__FULL_TRACE);
  TF_Buffer *options = TF_NewBufferFromString(bytes.data, bytes.size);
  sli_string_deinitialize(&bytes);
  return options;
}

static sli_status_t *run_graph(sl_session_t *session, sl_step_t *step, step_run_t *run) {
  TF_Buffer *options = step->traced ? full_trace_options() : NULL;
  if (step->traced) step->metadata = TF_NewBuffer();
  for (size_t i = 0; i < run->outputs.count; i++) sli_array_push(&run->results, NULL);
  TF_Status *status = TF_NewStatus();
  TF_SessionRun(session->handle, options, run->inputs.items, run->values.items, (int)run->inputs.count,
                run->outputs.items, run->results.items, (int)run->outputs.count,
                (const TF_Operation *const *)run->targets.items, (int)run->targets.count, step->metadata, status);
  if (options) TF_DeleteBuffer(options);
  return sli_tf_status_to_status(status);
}

static bool can_run(const sl_session_t *session) { return sli_train_session_ok(session) && session->handle; }

// |*out_ran| is false if a hook ended the session before the run, or skipped it.
static sli_status_t *run_once(sl_session_t *session, const sl_run_arg_t *args, size_t count, bool *out_ran) {
  bool training = !session->is_plain && is_training_step(args, count);
  sl_step_t step = {.examples = count_examples(args, count)};
  step_run_t run = {.loans = loans_create()};
  sli_status_t *status = add_arguments(session, args, count, &run);
  if (!status && training) status = check_batch(args, count);
  size_t own = run.outputs.count;
  if (!status && training) status = call_before_run(session, &step, &run);
  *out_ran = !status && !step.skipped && can_run(session);
  if (*out_ran) {
    if (training) sli_session_guard_begin_step(session);
    status = run_graph(session, &step, &run);
    if (training) sli_session_guard_end_step(session);
    separate_results(&run);
  }
  status = sli_status_join(status, release_feeds(&run));
  if (!status && *out_ran) status = deliver_all(args, count, &run);
  if (!status && *out_ran && training) call_after_run(session, &step, &run, own);
  if (step.metadata) TF_DeleteBuffer(step.metadata);
  release_values(&run.results);
  sli_array_deinitialize(&run.inputs);
  sli_array_deinitialize(&run.outputs);
  sli_array_deinitialize(&run.targets);
  return status;
}

bool sl_run_with(sl_session_t *session, const sl_run_arg_t *args, size_t count, const char *file, int line) {
  if (!sli_live_object_is_listed(session)) {
    const char *slash = strrchr(file, '/');
    char *text = sli_format("%s:%d: sl_run: the session is closed", slash ? slash + 1 : file, line);
    sli_progress_print_line(text);
    free(text);
    return false;
  }
  sli_train_session_take_scope_error(session);
  for (;;) {
    if (!can_run(session)) return false;
    bool ran;
    sli_status_t *status = run_once(session, args, count, &ran);
    if (!status && ran) session->losses = 0;
    if (!status) return ran && sli_train_session_ok(session);
    if (!sli_train_session_handle_run_error(session, file, line, status)) return false;
  }
}
