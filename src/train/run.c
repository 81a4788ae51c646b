// One run: the program's feeds, fetches and targets, and what the hooks add.
//
// Feeds lie in the program's memory, which it uses again as soon as the call
// returns. Most values are gone by then; one that a queue, a variable or the like
// may keep is copied first, and should the runtime still hold another (a step
// that failed half-way), the call waits for it.
#include <stdlib.h>

#include "base/clock.h"
#include "base/sync.h"
#include "train/session_internal.h"
#include "train/tensor.h"

// --- Values that outlive the run ---

static bool passes_through(const char *op) {
  static const char *const ops[] = {"Identity",
                                    "IdentityN",
                                    "Reshape",
                                    "ExpandDims",
                                    "Squeeze",
                                    "Snapshot",
                                    "Switch",
                                    "Merge",
                                    "Enter",
                                    "Exit",
                                    "Bitcast",
                                    "StopGradient",
                                    "PreventGradient",
                                    "NextIteration",
                                    "CheckNumerics",
                                    "RefSwitch",
                                    "PlaceholderWithDefault"};
  for (size_t i = 0; i < SLI_COUNT_OF(ops); i++)
    if (strcmp(op, ops[i]) == 0) return true;
  return false;
}

static bool keeps(const char *op) {
  static const char *const words[] = {"Enqueue", "Assign",      "Insert", "Push",    "Write",
                                      "Import",  "Accumulator", "Stage",  "Barrier", "Scatter",
                                      "Session", "TensorArray", "PyFunc"};
  for (size_t i = 0; i < SLI_COUNT_OF(words); i++)
    if (strstr(op, words[i])) return true;
  return false;
}

// Whether some node may hold on to the very memory of |output|.
static bool search_escape(TF_Output output, sli_map_t *visited) {
  if (!sli_map_insert(visited, sli_view(TF_OperationName(output.oper)), visited)) return false;
  bool found = false;
  for (int index = 0; index < TF_OperationNumOutputs(output.oper) && !found; index++) {
    TF_Output from = {output.oper, index};
    int count = TF_OperationOutputNumConsumers(from);
    TF_Input *consumers = sli_calloc((size_t)count, sizeof(*consumers));
    count = TF_OperationOutputConsumers(from, consumers, count);
    for (int i = 0; i < count && !found; i++) {
      const char *op = TF_OperationOpType(consumers[i].oper);
      found = keeps(op) || (passes_through(op) && search_escape((TF_Output){consumers[i].oper, 0}, visited));
    }
    free(consumers);
  }
  return found;
}

static bool escapes(sl_session_t *session, TF_Output output) {
  static const char yes[] = "yes", no[] = "no";
  sli_view_t name = sli_view(TF_OperationName(output.oper));
  const char *known = sli_map_get(&session->escapes, name);
  if (!known) {
    sli_map_t visited = {0};
    known = search_escape(output, &visited) ? yes : no;
    sli_map_deinitialize(&visited);
    sli_map_set(&session->escapes, name, (void *)known);
  }
  return known == yes;
}

// Counts the feeds that the runtime still holds. Each holds a reference, and so does the run.
typedef struct {
  sli_refcount_t references;
  atomic_int held;
  sli_event_t all_back;
} loans_t;

static loans_t *loans_create(void) {
  loans_t *loans = sli_calloc(1, sizeof(*loans));
  sli_refcount_initialize(&loans->references);
  atomic_init(&loans->held, 1);
  sli_event_initialize(&loans->all_back);
  return loans;
}

static void loan_returned(void *data, size_t size, void *context) {
  loans_t *loans = context;
  if (atomic_fetch_sub(&loans->held, 1) == 1) sli_event_set(&loans->all_back);
  if (!sli_refcount_release(&loans->references)) return;
  sli_event_deinitialize(&loans->all_back);
  free(loans);
}

static TF_Tensor *lend(loans_t *loans, const sl_array_t *array, size_t size) {
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
  loans_t *loans;
} run_t;

static sli_status_t *empty_argument(size_t position, const char *what) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "argument %zu of sl_run: nothing to %s, its output is empty",
                         position + 1, what);
}

static sli_status_t *check_feed(sl_session_t *session, TF_Output output, TF_DataType dtype, sl_shape_t shape) {
  const char *name = TF_OperationName(output.oper);
  int index = output.index;
  TF_DataType wanted = sl_dtype(output);
  if (dtype != wanted)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor '%s:%d' is of type %s and cannot be fed with %s", name, index,
                           sli_type_name(wanted), sli_type_name(dtype));
  sl_shape_t known = sl_static_shape(session->scope, output);
  if (sli_shape_fits(shape, known) && sli_shape_elements(shape) >= 0) return NULL;
  char *value_text = sli_shape_format(shape), *known_text = sli_shape_format(known);
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "Cannot feed value of shape %s for Tensor '%s:%d', which has shape '%s'",
                      value_text, name, index, known_text);
  free(value_text);
  free(known_text);
  return status;
}

static sli_status_t *add_feed(sl_session_t *session, const sl_run_arg_t *arg, run_t *run) {
  if (!arg->array.data)
    return sli_status_make(SLI_INVALID_ARGUMENT, "the value to feed for Tensor '%s:%d' is NULL",
                           TF_OperationName(arg->output.oper), arg->output.index);
  SLI_RETURN_IF_ERROR(check_feed(session, arg->output, arg->array.dtype, arg->array.shape));
  size_t size = (size_t)sli_shape_elements(arg->array.shape) * TF_DataTypeSize(arg->array.dtype);
  TF_Tensor *tensor = escapes(session, arg->output)
                          ? sli_tensor_copy(arg->array.dtype, arg->array.shape, arg->array.data)
                          : lend(run->loans, &arg->array, size);
  sli_array_push(&run->inputs, arg->output);
  sli_array_push(&run->values, tensor);
  return NULL;
}

static sli_status_t *add_arguments(sl_session_t *session, const sl_run_arg_t *args, size_t count, run_t *run) {
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

// Gives the feeds back; waits for those that are still in use.
static sli_status_t *release_feeds(run_t *run) {
  enum { WAIT_MILLIS = 10000 };
  for (size_t i = 0; i < run->values.count; i++) sli_tensor_delete(run->values.items[i]);
  sli_array_deinitialize(&run->values);
  loans_t *loans = run->loans;
  sli_refcount_retain(&loans->references);
  loan_returned(NULL, 0, loans);
  bool back = sli_event_wait(&loans->all_back, sli_deadline_after_millis(WAIT_MILLIS));
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
  if (elements && !sli_tensor_to_double(tensor, 0, &ignored))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor '%s:%d' is of type %s and cannot be fetched as %s", name,
                           arg->output.index, sli_type_name(TF_TensorType(tensor)), sli_type_name(arg->array.dtype));
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
    sli_tensor_to_double(tensor, i, &number);
    sli_tensor_to_int64(tensor, i, &integer);
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
static sli_status_t *deliver_all(const sl_run_arg_t *args, size_t count, run_t *run) {
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
  step->overflow = step->overflow || step->count == SLI_STEP_MAX_FETCHES;
  if (step->overflow) return 0;
  step->outputs[step->count] = output;
  return step->count++;
}

const TF_Tensor *sl_step_value(const sl_step_t *step, size_t position) {
  return position < step->count ? step->values[position] : NULL;
}

void sl_step_feed(sl_step_t *step, TF_Output output, TF_Tensor *tensor) {
  step->overflow = step->overflow || step->feed_count == SLI_STEP_MAX_FEEDS;
  if (step->overflow) {
    sli_tensor_delete(tensor);
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

static bool is_training_step(const sl_run_arg_t *args, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (args[i].kind == SL_RUN_TARGET) return true;
  return false;
}

static bool is_fed(const run_t *run, TF_Output output) {
  for (size_t i = 0; i < run->inputs.count; i++)
    if (run->inputs.items[i].oper == output.oper && run->inputs.items[i].index == output.index) return true;
  return false;
}

// What a hook feeds; of a rank that the training layer does not have it is left to the runtime.
static sli_status_t *check_tensor(sl_session_t *session, TF_Output output, const TF_Tensor *tensor) {
  sl_shape_t shape = {.rank = TF_NumDims(tensor)};
  if (shape.rank > SL_MAX_RANK) return NULL;
  for (int i = 0; i < shape.rank; i++) shape.dims[i] = TF_Dim(tensor, i);
  return check_feed(session, output, TF_TensorType(tensor), shape);
}

static sli_status_t *before_run(sl_session_t *session, sl_step_t *step, run_t *run) {
  sli_status_t *status = NULL;
  for (size_t i = 0; i < session->hooks.count; i++) {
    sl_hook_t *hook = session->hooks.items[i];
    if (hook->before_run) hook->before_run(hook, session, step);
  }
  for (size_t i = 0; i < step->feed_count; i++) {
    if (is_fed(run, step->inputs[i])) {
      sli_tensor_delete(step->feeds[i]);
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
                         SLI_STEP_MAX_FETCHES, SLI_STEP_MAX_FEEDS);
}

// |own|: how many of the results are the program's.
static void after_run(sl_session_t *session, sl_step_t *step, const run_t *run, size_t own) {
  for (size_t i = 0; i < step->count; i++) step->values[i] = run->results.items[own + i];
  sli_tensor_to_int64(run->results.items[own + step->count], 0, &session->step);
  for (size_t i = 0; i < session->hooks.count && sli_session_ok(session); i++) {
    sl_hook_t *hook = session->hooks.items[i];
    if (hook->after_run) hook->after_run(hook, session, step);
  }
}

static sli_status_t *run_graph(sl_session_t *session, sl_step_t *step, run_t *run) {
  // RunOptions: trace_level = 1, FULL_TRACE = 3.
  TF_Buffer *options = step->traced ? TF_NewBufferFromString("\x08\x03", 2) : NULL;
  if (step->traced) step->metadata = TF_NewBuffer();
  for (size_t i = 0; i < run->outputs.count; i++) sli_array_push(&run->results, NULL);
  TF_Status *status = TF_NewStatus();
  TF_SessionRun(session->handle, options, run->inputs.items, run->values.items, (int)run->inputs.count,
                run->outputs.items, run->results.items, (int)run->outputs.count,
                (const TF_Operation *const *)run->targets.items, (int)run->targets.count, step->metadata, status);
  if (options) TF_DeleteBuffer(options);
  return sli_status_from_tf(status);
}

static bool can_run(const sl_session_t *session) { return sli_session_ok(session) && session->handle; }

// |*out_ran| is false if a hook ended the session before the run, or did not want it.
static sli_status_t *run_once(sl_session_t *session, const sl_run_arg_t *args, size_t count, bool *out_ran) {
  bool training = is_training_step(args, count);
  sl_step_t step = {.examples = count_examples(args, count)};
  run_t run = {.loans = loans_create()};
  sli_status_t *status = add_arguments(session, args, count, &run);
  size_t own = run.outputs.count;
  if (!status && training) status = before_run(session, &step, &run);
  *out_ran = !status && !step.skipped && can_run(session);
  if (*out_ran) {
    if (training) sli_guard_step_begins(session);
    status = run_graph(session, &step, &run);
    if (training) sli_guard_step_ended(session);
  }
  status = sli_status_join(status, release_feeds(&run));
  if (!status && *out_ran) status = deliver_all(args, count, &run);
  if (!status && *out_ran && training) after_run(session, &step, &run, own);
  if (step.metadata) TF_DeleteBuffer(step.metadata);
  release_values(&run.results);
  sli_array_deinitialize(&run.inputs);
  sli_array_deinitialize(&run.outputs);
  sli_array_deinitialize(&run.targets);
  return status;
}

bool sl_run_with(sl_session_t *session, const sl_run_arg_t *args, size_t count, const char *file, int line) {
  for (;;) {
    if (!can_run(session)) return false;
    bool ran;
    sli_status_t *status = run_once(session, args, count, &ran);
    if (!status) return ran && sli_session_ok(session);
    if (!sli_session_run_failed(session, file, line, status)) return false;
  }
}
