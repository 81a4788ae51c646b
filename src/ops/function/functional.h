// What the kernels that call functions share (functional.c).
#ifndef SLI_OPS_FUNCTION_FUNCTIONAL_H_
#define SLI_OPS_FUNCTION_FUNCTIONAL_H_

#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/op_registry.h"

// The function that the attribute |attr| of the node names.
sli_status_t *sli_functional_instantiate(const sli_kernel_setup_t *setup, const char *attr,
                                         sli_function_t **out_function);
// An error, with TensorFlow's texts, if the function does not take and return as many values.
sli_status_t *sli_functional_check(const sli_function_t *function, int argument_count, int result_count);
sli_status_t *sli_functional_check_arguments(const sli_function_t *function, int argument_count);
// A call as part of the step of |context|.
sli_function_call_t sli_functional_call(const sli_kernel_context_t *context, sli_tensor_t *const *arguments);
// Calls |function| with the inputs from |first| on; its results become the outputs.
void sli_functional_forward(sli_kernel_context_t *context, sli_function_t *function, int first);
// A tensor as a condition, by the rules of Python: numbers that are not 0, text that is not empty, arrays with
// elements.
sli_status_t *sli_functional_to_bool(const sli_tensor_t *tensor, bool *out_value);

// The gradient of a call: SymbolicGradient of the inputs from |first| on and of the gradients of the outputs. |op| is
// "SymbolicGradient", or an op that calls one of several functions; |attrs| name the functions, and the gradients are
// outputs of |op| for inputs |first| and following.
sli_status_t *sli_functional_gradient(sli_gradient_builder_t *b, const char *op, int first,
                                      const sli_attr_entry_t *attrs, size_t attr_count);
// The gradient of a function as an attribute: the function SymbolicGradient with the attribute f.
typedef struct {
  sli_attr_entry_t f;
  sli_attr_func_t name;
} sli_functional_derivative_t;
void sli_functional_derive(const sli_attr_func_t *function, sli_functional_derivative_t *out_derivative);

// Calls that follow each other, such as the iterations of a loop, without a deeper stack for each: |next| starts a call
// with sli_functional_series_done and the series as its context, or ends the kernel and returns false. |results| are
// those of the call before, which it owns; NULL at first. If a call fails, |fail| ends the kernel.
typedef struct sli_functional_series sli_functional_series_t;
struct sli_functional_series {
  bool (*next)(sli_functional_series_t *series, sli_tensor_t **results);
  void (*fail)(sli_functional_series_t *series, sli_status_t *status);
  int result_count;  // of the call that was started last, set by |next|
  sli_tensor_t **results;
  sli_status_t *status;
  _Atomic int phase;
};
void sli_functional_series_start(sli_functional_series_t *series);
void sli_functional_series_done(void *series, sli_status_t *status, sli_tensor_t **results);

#endif  // SLI_OPS_FUNCTION_FUNCTIONAL_H_
