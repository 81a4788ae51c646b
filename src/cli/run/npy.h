// Reads and writes NumPy's .npy files. Thread-safe; the calls block on files.
#ifndef SLI_CLI_RUN_NPY_H_
#define SLI_CLI_RUN_NPY_H_

#include "base/status.h"
#include "tensorflow/c/c_api.h"

// Reads an array of numbers, booleans, complex numbers or strings ('S' and 'U'), in either order of dimensions and
// either byte order. The caller owns the tensor. INVALID_ARGUMENT names the file and what is wrong with it.
sli_status_t *sli_npy_read(const char *path, TF_Tensor **out_tensor);
// Writes a tensor of such a type to a temporary file, then renames it to |path|. bfloat16 is written as float32.
sli_status_t *sli_npy_write(const char *path, const TF_Tensor *tensor);

#endif  // SLI_CLI_RUN_NPY_H_
