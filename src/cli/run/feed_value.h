// The values that `sluice run --feed NAME=VALUE` feeds.
#ifndef SLI_CLI_RUN_FEED_VALUE_H_
#define SLI_CLI_RUN_FEED_VALUE_H_

#include "base/status.h"
#include "tensorflow/c/c_api.h"

// Makes a tensor of type |dtype| from |text|: "@FILE.npy", or JSON: a number, true, "text", or nested lists of them
// such as [[1, 2], [3, 4]]. If |dtype| is a string, text that is not JSON is the string itself. Errors are
// INVALID_ARGUMENT and contain |name|, or those of sli_npy_read. The caller owns the tensor. Blocks on the file.
sli_status_t *sli_feed_value_read(const char *name, const char *text, TF_DataType dtype, TF_Tensor **out_tensor);

#endif  // SLI_CLI_RUN_FEED_VALUE_H_
