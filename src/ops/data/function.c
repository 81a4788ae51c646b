// Functions that datasets call.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "ops/data/dataset.h"

typedef struct {
  sli_function_library_t *library;
} library_state_t;

sli_status_t *sli_dataset_library_create(const sli_kernel_setup_t *setup, void **out_state) {
  library_state_t *state = sli_calloc(1, sizeof(*state));
  state->library = sli_object_retain(setup->functions);
  *out_state = state;
  return NULL;
}

void sli_dataset_library_destroy(void *state) {
  library_state_t *self = state;
  if (self) sli_object_release(self->library);
  free(self);
}

sli_function_library_t *sli_dataset_library_of(const sli_kernel_context_t *context) {
  const sli_kernel_def_t *kernel;
  sli_status_t *status = sli_kernel_find(context->node, context->device->type, &kernel);
  sli_status_release(status);
  if (status || kernel->create != sli_dataset_library_create) return NULL;
  sli_function_library_t *library = ((const library_state_t *)sli_kernel_state(context))->library;
  return library ? sli_object_retain(library) : NULL;
}

sli_status_t *sli_dataset_function_initialize(const sli_kernel_context_t *context, const char *attr,
                                              const char *captured, sli_dataset_function_t *out_function) {
  *out_function = (sli_dataset_function_t){0};
  const sli_attr_t *name = sli_node_attr(context->node, attr);
  if (!name || name->kind != SLI_ATTR_FUNC || name->is_list)
    return sli_status_make(SLI_INVALID_ARGUMENT, "attribute %s of node %s must name a function", attr,
                           context->node->name);
  int first = 0, count = 0;
  if (captured) SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, captured, &first, &count));
  return sli_dataset_function_initialize_as(context, &name->func, first, count, out_function);
}

sli_status_t *sli_dataset_function_initialize_as(const sli_kernel_context_t *context, const sli_attr_func_t *name,
                                                 int first, int count, sli_dataset_function_t *out_function) {
  *out_function = (sli_dataset_function_t){0};
  const library_state_t *state = sli_kernel_state(context);
  SLI_RETURN_IF_ERROR(sli_function_instantiate(state->library, name, context->device, &out_function->function));
  out_function->captured = sli_calloc((size_t)count + 1, sizeof(out_function->captured[0]));
  out_function->captured_count = count;
  for (int i = 0; i < count; i++) out_function->captured[i] = sli_tensor_retain(sli_kernel_input(context, first + i));
  return NULL;
}

void sli_dataset_function_deinitialize(sli_dataset_function_t *function) {
  sli_dataset_release_element(function->captured, function->captured_count);
  free(function->captured);
  sli_object_release(function->function);
  *function = (sli_dataset_function_t){0};
}

sli_status_t *sli_dataset_function_check(const sli_dataset_function_t *function, int argument_count, int result_count) {
  int takes = function->function->argument_count, gives = function->function->result_count;
  if (takes != argument_count + function->captured_count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Function of a dataset expects %d argument(s), but elements have %d component(s) and %d "
                           "tensor(s) are captured",
                           takes, argument_count, function->captured_count);
  if (result_count >= 0 && gives != result_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Function of a dataset must give %d result(s), got %d", result_count,
                           gives);
  return NULL;
}

void sli_dataset_function_start(const sli_dataset_function_t *function, sli_cancellation_t *cancellation,
                                sli_tensor_t *const *arguments, int argument_count, sli_function_done_t done,
                                void *context) {
  int total = argument_count + function->captured_count;
  sli_tensor_t *few[32], **all = total <= 32 ? few : sli_calloc((size_t)total, sizeof(*all));
  for (int i = 0; i < argument_count; i++) all[i] = arguments[i];
  for (int i = 0; i < function->captured_count; i++) all[argument_count + i] = function->captured[i];
  sli_function_call_t call = {.cancellation = cancellation,
                              .deadline = SLI_CLOCK_NO_DEADLINE,
                              .arguments = all,
                              .may_block = !sli_thread_pool_is_scarce_thread()};
  sli_function_call(function->function, &call, done, context);
  if (all != few) free(all);
}

typedef struct {
  sli_event_t is_over;
  sli_status_t *status;
  sli_tensor_t **results;
  int count;
} wait_t;

static void wait_done(void *context, sli_status_t *status, sli_tensor_t **results) {
  wait_t *wait = context;
  wait->status = status;
  for (int i = 0; i < wait->count && !status; i++) wait->results[i] = results[i];
  sli_event_set(&wait->is_over);
}

sli_status_t *sli_dataset_function_call(const sli_dataset_function_t *function, const sli_iterator_call_t *call,
                                        sli_tensor_t *const *arguments, int argument_count,
                                        sli_tensor_t **out_results) {
  wait_t wait = {.results = out_results, .count = function->function->result_count};
  sli_event_initialize(&wait.is_over);
  sli_dataset_function_start(function, call->cancellation, arguments, argument_count, wait_done, &wait);
  sli_event_wait(&wait.is_over, SLI_CLOCK_NO_DEADLINE);
  sli_event_deinitialize(&wait.is_over);
  return wait.status;
}

sli_status_t *sli_dataset_function_call_move(const sli_dataset_function_t *function, const sli_iterator_call_t *call,
                                             sli_tensor_t **arguments, int argument_count, sli_tensor_t **out_results) {
  sli_status_t *status = sli_dataset_function_call(function, call, arguments, argument_count, out_results);
  sli_dataset_release_element(arguments, argument_count);
  return status;
}

sli_status_t *sli_dataset_function_ends(sli_status_t *status, bool keeps_cardinality, bool *out_end) {
  if (sli_status_code(status) != SLI_OUT_OF_RANGE) return status;
  sli_status_t *invalid = NULL;
  if (keeps_cardinality)
    invalid = sli_status_make(SLI_INVALID_ARGUMENT, "Function invocation produced OutOfRangeError: %s",
                              sli_status_message(status));
  else
    *out_end = true;
  sli_status_release(status);
  return invalid;
}

sli_status_t *sli_dataset_result_bool(sli_tensor_t *const *results, int count, const char *what, bool *out_value) {
  if (count != 1 || results[0]->dtype != SLI_DTYPE_BOOL || results[0]->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s", what);
  *out_value = SLI_DATA(const bool, results[0])[0];
  return NULL;
}

sli_status_t *sli_dataset_result_int(sli_tensor_t *const *results, int count, const char *what, int64_t *out_value) {
  if (count != 1 || results[0]->dtype != SLI_DTYPE_INT64 || results[0]->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s", what);
  *out_value = SLI_DATA(const int64_t, results[0])[0];
  return NULL;
}
