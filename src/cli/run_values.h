// The values of `sluice run`: what the command line says of a tensor, as a tensor,
// and a tensor as text.
#ifndef SLI_CLI_RUN_VALUES_H_
#define SLI_CLI_RUN_VALUES_H_

#include "base/status.h"
#include "base/string.h"
#include "tensorflow/c/c_api.h"

// "@FILE.npy", or JSON: a number, true, "text", or lists of them: [[1, 2], [3, 4]]. Text that is no JSON is a string
// where |dtype|, the type of what is fed, is a string. INVALID_ARGUMENT names |name|. The tensor is the caller's.
sli_status_t *sli_run_value_read(const char *name, const char *text, TF_DataType dtype, TF_Tensor **out_tensor);
// Appends the elements as NumPy shows them; of more than |limit| only the edges.
void sli_run_value_append(sli_string_t *out, const TF_Tensor *tensor, int64_t limit);

#endif  // SLI_CLI_RUN_VALUES_H_
