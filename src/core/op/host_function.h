// Functions of the program that uses the library, such as Python's. PyFunc and its variants call them by their tokens.
#ifndef SLI_CORE_OP_HOST_FUNCTION_H_
#define SLI_CORE_OP_HOST_FUNCTION_H_

#include "base/status.h"
#include "core/tensor/tensor.h"

// Calls the function of |token|, on any thread. Sets all |output_count| outputs, or returns an error.
typedef sli_status_t *(*sli_function_host_t)(sli_view_t token, sli_tensor_t *const *inputs, int input_count,
                                             sli_tensor_t **out_outputs, int output_count);

// For the whole process; NULL: there are none, as at first.
void sli_function_set_host(sli_function_host_t host);
sli_function_host_t sli_function_host(void);

#endif  // SLI_CORE_OP_HOST_FUNCTION_H_
