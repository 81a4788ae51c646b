// NumPy's .npy files, to and from tensors. Thread-safe; all calls block on files.
#ifndef SLI_CLI_NPY_H_
#define SLI_CLI_NPY_H_

#include "base/status.h"
#include "tensorflow/c/c_api.h"

// Reads a file of numbers, booleans, complex numbers or bytes ('S' and 'U': strings), of either order of dimensions
// and bytes. The tensor is the caller's. INVALID_ARGUMENT names the file and what is wrong with it.
sli_status_t *sli_npy_read(const char *path, TF_Tensor **out_tensor);
// Writes a tensor of such a type as a whole: under another name first, then renamed. bfloat16 goes as float32.
sli_status_t *sli_npy_write(const char *path, const TF_Tensor *tensor);

#endif  // SLI_CLI_NPY_H_
