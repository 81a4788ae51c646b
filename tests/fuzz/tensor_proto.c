// TensorProtos and attribute values. An accepted tensor must be the same after it is written and read again.
#include "base/arena.h"
#include "core/op/attr.h"
#include "core/tensor/tensor_codec.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const uint8_t *data, size_t size) {
  sli_view_t bytes = sli_view_of((const char *)data, size);
  sli_tensor_t *tensor = NULL;
  sli_status_t *status = sli_tensor_decode(bytes, &tensor);
  if (!status) {
    sli_string_t encoded = {0}, twice = {0};
    sli_tensor_encode_flat(tensor, &encoded);
    sli_tensor_t *again = NULL;
    SLI_CHECK(!sli_tensor_decode(sli_view_of(encoded.data, encoded.size), &again));
    sli_tensor_encode_flat(again, &twice);
    SLI_CHECK(sli_view_equal(sli_view_of(encoded.data, encoded.size), sli_view_of(twice.data, twice.size)));
    sli_tensor_release(again);
    sli_tensor_release(tensor);
    sli_string_deinitialize(&encoded);
    sli_string_deinitialize(&twice);
  }
  fuzz_ignore(status);
  sli_arena_t arena = {0};
  sli_attr_t attr;
  status = sli_attr_decode(bytes, &arena, &attr);
  if (!status) sli_attr_release_tensors(&attr);
  fuzz_ignore(status);
  sli_arena_deinitialize(&arena);
}
