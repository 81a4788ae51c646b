// While, with and without state, and For: they call a function for every iteration.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/function/functional.h"

typedef struct {
  sli_function_t *condition, *body;  // a For has no condition
} loop_t;

static void loop_destroy(void *state) {
  loop_t *loop = state;
  sli_object_release(loop->condition);
  sli_object_release(loop->body);
  free(loop);
}

static sli_status_t *check_types(const sli_node_def_t *node, const sli_function_t *body) {
  for (int i = 0; i < node->output_count; i++)
    if (body->result_types[i] != node->output_types[i])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "The body of {{node %s}} returns %s as loop variable %d, which is of type %s", node->name,
                             sli_dtype_name(body->result_types[i]), i, sli_dtype_name(node->output_types[i]));
  return NULL;
}

static sli_status_t *instantiate_condition(const sli_kernel_setup_t *setup, loop_t *loop) {
  SLI_RETURN_IF_ERROR(sli_functional_instantiate(setup, "cond", &loop->condition));
  SLI_RETURN_IF_ERROR(sli_functional_check_arguments(loop->condition, setup->node->output_count));
  if (loop->condition->result_count == 1) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Expected a single scalar return value from WhileOp cond, got %d tensors.",
                         loop->condition->result_count);
}

static sli_status_t *instantiate(const sli_kernel_setup_t *setup, bool is_while, loop_t *loop) {
  int count = setup->node->output_count;
  if (is_while) SLI_RETURN_IF_ERROR(instantiate_condition(setup, loop));
  SLI_RETURN_IF_ERROR(sli_functional_instantiate(setup, "body", &loop->body));
  SLI_RETURN_IF_ERROR(sli_functional_check_arguments(loop->body, is_while ? count : count + 1));
  if (loop->body->result_count != count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s loop body returned %d arguments. Expected: %d",
                           is_while ? "While" : "For", loop->body->result_count, count);
  return check_types(setup->node, loop->body);
}

static sli_status_t *create(const sli_kernel_setup_t *setup, bool is_while, void **out_state) {
  loop_t *loop = sli_calloc(1, sizeof(*loop));
  sli_status_t *status = instantiate(setup, is_while, loop);
  if (status)
    loop_destroy(loop);
  else
    *out_state = loop;
  return status;
}

static sli_status_t *while_create(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, true, out_state);
}

static sli_status_t *for_create(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, false, out_state);
}

// A loop that runs.
typedef struct {
  sli_functional_series_t series;
  sli_kernel_context_t *context;
  const loop_t *loop;
  bool is_in_condition;
  int32_t index, limit, delta;  // of a For
  int count;                    // of |values|
  sli_tensor_t *values[];       // of a For: the index first
} iteration_t;

// Ends the kernel; on success the values from |first| on are the outputs.
static void finish(iteration_t *loop, sli_status_t *status, int first) {
  sli_kernel_context_t *context = loop->context;
  for (int i = 0; i < loop->count; i++) {
    if (status || i < first)
      sli_tensor_release(loop->values[i]);
    else
      sli_kernel_set_output(context, i - first, loop->values[i]);
  }
  free(loop);
  sli_kernel_complete(context, status);
}

static void fail(sli_functional_series_t *series, sli_status_t *status) { finish((iteration_t *)series, status, 0); }

static iteration_t *begin(sli_kernel_context_t *context, int first, int extra) {
  int count = context->input_count - first + extra;
  iteration_t *loop = sli_calloc(1, sizeof(*loop) + (size_t)count * sizeof(loop->values[0]));
  loop->series.fail = fail;
  loop->context = context;
  loop->loop = sli_kernel_state(context);
  loop->count = count;
  for (int i = extra; i < count; i++) loop->values[i] = sli_tensor_retain(sli_kernel_input(context, first + i - extra));
  return loop;
}

static void start_call(iteration_t *loop, sli_function_t *function) {
  sli_function_call_t call = sli_functional_call(loop->context, loop->values);
  loop->series.result_count = function->result_count;
  sli_function_call(function, &call, sli_functional_series_done, &loop->series);
}

static void take_values(iteration_t *loop, sli_tensor_t **results, int first) {
  for (int i = first; i < loop->count; i++) {
    sli_tensor_release(loop->values[i]);
    loop->values[i] = results[i - first];
  }
}

static bool while_next(sli_functional_series_t *series, sli_tensor_t **results) {
  iteration_t *loop = (iteration_t *)series;
  if (results && loop->is_in_condition) {
    bool goes_on;
    sli_status_t *status = sli_functional_to_bool(results[0], &goes_on);
    sli_tensor_release(results[0]);
    if (status || !goes_on) {
      finish(loop, status, 0);
      return false;
    }
    loop->is_in_condition = false;
    start_call(loop, loop->loop->body);
    return true;
  }
  if (results) take_values(loop, results, 0);
  loop->is_in_condition = true;
  start_call(loop, loop->loop->condition);
  return true;
}

static void while_compute(sli_kernel_context_t *context) {
  iteration_t *loop = begin(context, 0, 0);
  loop->series.next = while_next;
  sli_functional_series_start(&loop->series);
}

static bool for_next(sli_functional_series_t *series, sli_tensor_t **results) {
  iteration_t *loop = (iteration_t *)series;
  if (results) {
    take_values(loop, results, 1);
    loop->index = (int32_t)((uint32_t)loop->index + (uint32_t)loop->delta);
  }
  if (loop->delta > 0 ? loop->index >= loop->limit : loop->index <= loop->limit) {
    finish(loop, NULL, 1);
    return false;
  }
  sli_tensor_release(loop->values[0]);
  loop->values[0] = sli_tensor_scalar_int32(loop->index);
  start_call(loop, loop->loop->body);
  return true;
}

static sli_status_t *read_range(sli_kernel_context_t *context, iteration_t *loop) {
  static const char *const names[] = {"start", "limit", "delta"};
  int32_t *const values[] = {&loop->index, &loop->limit, &loop->delta};
  for (int i = 0; i < 3; i++) {
    const sli_tensor_t *tensor = sli_kernel_input(context, i);
    if (tensor->rank != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be a scalar, but %s", names[i],
                             sli_tensor_shape_text(tensor).text);
    *values[i] = SLI_DATA(const int32_t, tensor)[0];
  }
  int32_t start = loop->index, limit = loop->limit, delta = loop->delta;
  if ((delta > 0 && start <= limit) || (delta < 0 && start >= limit) || (delta == 0 && start == limit)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid start/limit/delta: %d %d %d", start, limit, delta);
}

static void for_compute(sli_kernel_context_t *context) {
  iteration_t *loop = begin(context, 3, 1);
  loop->series.next = for_next;
  sli_status_t *status = read_range(context, loop);
  if (status)
    finish(loop, status, 0);
  else
    sli_functional_series_start(&loop->series);
}

// The attribute "output_shapes"; without it loop variables keep their shapes.
static sli_status_t *while_shape(sli_infer_context_t *c) {
  const sli_attr_t *shapes = sli_node_attr(c->node, "output_shapes");
  bool has_shapes = shapes && shapes->kind == SLI_ATTR_SHAPE && (int)shapes->count == c->node->output_count;
  for (int i = 0; i < c->node->output_count; i++)
    sli_infer_set_output(c, i, has_shapes ? sli_shape_copy(c->arena, shapes->list.shape[i]) : sli_infer_input(c, i));
  return NULL;
}

// Python builds the gradient of such a loop itself: as another loop, over what the first one accumulates.
static sli_status_t *while_gradient(sli_gradient_builder_t *b) {
  return sli_status_make(
      SLI_UNIMPLEMENTED,
      "No gradient defined for op: %s ('%s'). Build the loop with TF_NewWhile or sl_while_loop, or call a "
      "function that has the loop",
      b->node->op->def->name, b->node->name);
}

#define WHILE_ATTRS \
  "T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) = []; parallel_iterations: int = 10"

static const sli_op_def_t ops[] = {
    {.name = "While",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = WHILE_ATTRS,
     .summary = "Calls a function while another one returns true.",
     .shape = while_shape,
     .gradient = while_gradient,
     .is_stateful = true,
     .functional = SLI_OP_FUNCTIONAL_WHILE},
    {.name = "StatelessWhile",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = WHILE_ATTRS,
     .summary = "Calls a function without state while another one returns true.",
     .shape = while_shape,
     .gradient = while_gradient,
     .functional = SLI_OP_FUNCTIONAL_WHILE},
    {.name = "For",
     .inputs = "start: int32, limit: int32, delta: int32, input: T",
     .outputs = "output: T",
     .attrs = "T: list(type) >= 0; body: func",
     .summary = "Calls a function for every number of a range.",
     .shape = sli_infer_fn_unknown},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "While", .compute_async = while_compute, .create = while_create, .destroy = loop_destroy},
    {.op = "StatelessWhile", .compute_async = while_compute, .create = while_create, .destroy = loop_destroy},
    {.op = "For", .compute_async = for_compute, .create = for_create, .destroy = loop_destroy},
};

SLI_OP_MODULE(while);
