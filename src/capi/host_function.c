// sl_set_host_function: the program's functions, with TensorFlow's tensors.
#include <stdlib.h>

#include "capi/capi.h"
#include "core/op/host_function.h"
#include "sluice/function.h"

static _Atomic(sl_host_function_t) current;

static sli_status_t *call(sli_view_t token, sli_tensor_t *const *inputs, int input_count, sli_tensor_t **out_outputs,
                          int output_count) {
  char *text = sli_strndup(token.data, token.size);
  size_t count = (size_t)(input_count + output_count);
  TF_Tensor **values = sli_calloc(count, sizeof(*values)), **results = values + input_count;
  for (int i = 0; i < input_count; i++) {
    sli_tensor_retain(inputs[i]);
    values[i] = sli_capi_tensor_wrap(inputs[i]);
  }
  TF_Status *status = TF_NewStatus();
  sl_host_function_t function = atomic_load(&current);
  if (function)
    function(text, values, input_count, results, output_count, status);
  else  // it was taken away just now
    for (int i = 0; i < input_count; i++) TF_DeleteTensor(values[i]);
  for (int i = 0; i < output_count; i++) {
    if (!results[i] && !sli_capi_failed(status))
      sli_capi_set_status(status, sli_status_make(SLI_INTERNAL, "the function of %s set no output %d", text, i));
    if (results[i]) {
      sli_tensor_retain(results[i]->tensor);
      out_outputs[i] = results[i]->tensor;
      TF_DeleteTensor(results[i]);
    }
  }
  sli_status_t *result = status->status;
  status->status = NULL;
  TF_DeleteStatus(status);
  free(values);
  free(text);
  return result;
}

void sl_set_host_function(sl_host_function_t function) {
  atomic_store(&current, function);
  sli_function_set_host(function ? call : NULL);
}
