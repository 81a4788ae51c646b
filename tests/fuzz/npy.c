// NumPy's .npy files, as `sluice run --feed x=@FILE.npy` reads them. What was read is written and read again.
#include "cli/run/npy.h"

#include "tests/fuzz/fuzz.h"

void fuzz_one(const uint8_t *data, size_t size) {
  TF_Tensor *tensor = NULL, *again = NULL;
  const char *path = fuzz_file("a.npy", data, size);
  sli_status_t *status = sli_npy_read(path, &tensor);
  if (!status) {
    SLI_CHECK(tensor);
    // Strings are written with one width for all, so that a long one among many makes a large file.
    if (TF_TensorElementCount(tensor) < 1 << 12) {
      status = sli_npy_write(path, tensor);
      if (!status) status = sli_npy_read(path, &again);
      SLI_CHECK(!status && TF_TensorElementCount(again) == TF_TensorElementCount(tensor));
      TF_DeleteTensor(again);
    }
    TF_DeleteTensor(tensor);
  }
  fuzz_ignore(status);
}
