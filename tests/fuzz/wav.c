// WAV files, through the kernel of DecodeWav.
#include "ops/common/testing.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const uint8_t *data, size_t size) {
  sli_tensor_t *inputs[] = {sli_tensor_scalar_string(sli_view_of((const char *)data, size))};
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  fuzz_ignore(sli_testing_run("DecodeWav", NULL, 0, inputs, 1, outputs));
  for (int i = 0; i < SLI_TESTING_MAX; i++) sli_tensor_release(outputs[i]);
}
