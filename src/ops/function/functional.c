#include "ops/function/functional.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sync.h"
#include "core/tensor/tstring.h"

sli_status_t *sli_functional_instantiate(const sli_kernel_setup_t *setup, const char *attr,
                                         sli_function_t **out_function) {
  *out_function = NULL;
  const sli_attr_t *value = sli_node_attr(setup->node, attr);
  if (!value || value->kind != SLI_ATTR_FUNC || value->is_list)
    return sli_status_make(SLI_NOT_FOUND, "No attr named '%s' in NodeDef:\n\t [[{{node %s}}]]", attr,
                           setup->node->name);
  return sli_function_instantiate(setup->functions, &value->func, setup->device, out_function);
}

sli_status_t *sli_functional_check_arguments(const sli_function_t *function, int argument_count) {
  if (function->argument_count == argument_count) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Expects %d arguments, but %d is provided", function->argument_count,
                         argument_count);
}

sli_status_t *sli_functional_check(const sli_function_t *function, int argument_count, int result_count) {
  SLI_RETURN_IF_ERROR(sli_functional_check_arguments(function, argument_count));
  if (function->result_count == result_count) return NULL;
  return sli_status_make(SLI_INTERNAL, "Expect to produce %d tensors, but only get %d", result_count,
                         function->result_count);
}

sli_function_call_t sli_functional_call(const sli_kernel_context_t *context, sli_tensor_t *const *arguments) {
  return (sli_function_call_t){.step = context->step,
                               .cancellation = context->step->cancellation,
                               .deadline = context->step->deadline,
                               .arguments = arguments,
                               .may_block = !context->step->hands_over};
}

static void forward_done(void *argument, sli_status_t *status, sli_tensor_t **results) {
  sli_kernel_context_t *context = argument;
  for (int i = 0; !status && i < context->output_count; i++) sli_kernel_set_output(context, i, results[i]);
  sli_kernel_complete(context, status);
}

void sli_functional_forward(sli_kernel_context_t *context, sli_function_t *function, int first) {
  enum { FEW = 16 };
  sli_tensor_t *few[FEW], **arguments = few;
  int count = context->input_count - first;
  if (count > FEW) arguments = sli_malloc((size_t)count * sizeof(*arguments));
  for (int i = 0; i < count; i++) arguments[i] = sli_kernel_input(context, first + i);
  sli_function_call_t call = sli_functional_call(context, arguments);
  sli_function_call(function, &call, forward_done, context);
  if (arguments != few) free(arguments);
}

sli_status_t *sli_functional_to_bool(const sli_tensor_t *tensor, bool *out_value) {
  *out_value = tensor->count > 0;
  if (tensor->rank != 0) return NULL;
  switch (tensor->dtype) {
    case SLI_DTYPE_FLOAT: *out_value = SLI_DATA(const float, tensor)[0] != 0; break;
    case SLI_DTYPE_DOUBLE: *out_value = SLI_DATA(const double, tensor)[0] != 0; break;
    case SLI_DTYPE_INT32: *out_value = SLI_DATA(const int32_t, tensor)[0] != 0; break;
    case SLI_DTYPE_UINT8: *out_value = SLI_DATA(const uint8_t, tensor)[0] != 0; break;
    case SLI_DTYPE_INT16: *out_value = SLI_DATA(const int16_t, tensor)[0] != 0; break;
    case SLI_DTYPE_INT8: *out_value = SLI_DATA(const int8_t, tensor)[0] != 0; break;
    case SLI_DTYPE_INT64: *out_value = SLI_DATA(const int64_t, tensor)[0] != 0; break;
    case SLI_DTYPE_BOOL: *out_value = SLI_DATA(const bool, tensor)[0]; break;
    case SLI_DTYPE_STRING: *out_value = sli_tstring_view(&SLI_DATA(const sli_tstring_t, tensor)[0]).size > 0; break;
    default:
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s cannot be converted to a boolean",
                             sli_dtype_name((sli_dtype_t)tensor->dtype));
  }
  return NULL;
}

// Gradients.

void sli_functional_derive(const sli_attr_func_t *function, sli_functional_derivative_t *out_derivative) {
  out_derivative->f = (sli_attr_entry_t){"f", {.kind = SLI_ATTR_FUNC, .func = *function}};
  out_derivative->name = (sli_attr_func_t){sli_view("SymbolicGradient"), &out_derivative->f, 1};
}

static bool is_differentiable(sli_dtype_t type) {
  return sli_types_contain(
      SLI_TYPE_HALF | SLI_TYPE_BFLOAT16 | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_COMPLEX64 | SLI_TYPE_COMPLEX128,
      sli_dtype_base(type));
}

sli_status_t *sli_functional_gradient(sli_gradient_builder_t *b, const char *op, int first,
                                      const sli_attr_entry_t *attrs, size_t attr_count) {
  enum { EXTRA = 2 };
  size_t inputs = (size_t)b->node->input_count, outputs = (size_t)b->node->output_count;
  size_t arguments = inputs - (size_t)first;
  sli_output_t *all = sli_calloc(inputs + outputs + 1, sizeof(*all));
  sli_dtype_t *types = sli_calloc(arguments + outputs + 1, sizeof(*types));
  sli_attr_entry_t *entries = sli_calloc(attr_count + EXTRA, sizeof(*entries));
  for (size_t i = 0; i < inputs; i++) all[i] = sli_gradient_input(b, (int)i);
  for (size_t i = 0; i < outputs; i++) all[inputs + i] = sli_gradient_of_output(b, (int)i);
  for (size_t i = 0; i < arguments + outputs; i++) types[i] = sli_gradient_dtype(b, all[(size_t)first + i]);
  for (size_t i = 0; i < attr_count; i++) entries[i] = attrs[i];
  sli_attr_t list = {.kind = SLI_ATTR_TYPE, .is_list = true, .list.type = types};
  list.count = arguments + outputs;
  entries[attr_count] = (sli_attr_entry_t){"Tin", list};
  list.count = arguments;
  entries[attr_count + 1] = (sli_attr_entry_t){"Tout", list};
  sli_output_t gradients = sli_gradient_emit(b, op, all, inputs + outputs, entries, attr_count + EXTRA);
  for (size_t i = 0; i < arguments; i++)
    if (is_differentiable(types[i])) sli_gradient_set(b, first + (int)i, sli_output_at(gradients, (int)i));
  free(all);
  free(types);
  free(entries);
  return NULL;
}

// Series. A call may end before it was started completely; the thread that started it then goes on.

enum { PHASE_STARTING, PHASE_STARTED, PHASE_ENDED };

static void run_series(sli_functional_series_t *series, sli_tensor_t **results) {
  for (;;) {
    atomic_store_explicit(&series->phase, PHASE_STARTING, memory_order_relaxed);
    bool goes_on = series->next(series, results);
    free(results);
    if (!goes_on) return;
    if (atomic_exchange_explicit(&series->phase, PHASE_STARTED, memory_order_acq_rel) != PHASE_ENDED) return;
    if (series->status) {
      series->fail(series, series->status);
      return;
    }
    results = series->results;
  }
}

void sli_functional_series_start(sli_functional_series_t *series) { run_series(series, NULL); }

void sli_functional_series_done(void *context, sli_status_t *status, sli_tensor_t **results) {
  sli_functional_series_t *series = context;
  series->status = status;
  series->results = NULL;
  if (!status) {
    series->results = sli_malloc(((size_t)series->result_count + 1) * sizeof(*results));
    for (int i = 0; i < series->result_count; i++) series->results[i] = results[i];
  }
  if (atomic_exchange_explicit(&series->phase, PHASE_ENDED, memory_order_acq_rel) == PHASE_STARTING) return;
  if (status)
    series->fail(series, status);
  else
    run_series(series, series->results);
}
