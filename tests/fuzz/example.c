// Serialized Examples, taken apart into dense, variable and ragged columns of
// every type, and as the training library's objects.
#include "ops/parse/example.h"
#include "core/allocator.h"
#include "fuzz/fuzz.h"
#include "sluice/example.h"

static sli_tensor_t *make_vector(sli_dtype_t type, int64_t count) {
  sli_tensor_t *tensor = NULL;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), type, &count, 1, &tensor));
  return tensor;
}

// What was taken for an Example is one when it is written again.
static void parse_object(const uint8_t *data, size_t size) {
  sl_example_t *example = sl_example_create();
  TF_Status *status = TF_NewStatus();
  sl_example_parse(example, data, size, status);
  if (TF_GetCode(status) == TF_OK) {
    size_t count = sl_example_count(example);
    sl_bytes_t again = sl_example_serialize(example);
    sl_example_t *other = sl_example_create();
    sl_example_parse(other, again.data, again.size, status);
    SLI_CHECK(TF_GetCode(status) == TF_OK && sl_example_count(other) == count);
    sl_example_release(other);
  }
  TF_DeleteStatus(status);
  sl_example_release(example);
}

void sli_fuzz_one(const uint8_t *data, size_t size) {
  static const sli_dtype_t types[] = {SLI_DTYPE_FLOAT, SLI_DTYPE_INT64, SLI_DTYPE_STRING};
  static const int64_t any_length = -1;
  parse_object(data, size);
  sli_tensor_t *serialized = make_vector(SLI_DTYPE_STRING, 2), *fallbacks[3];
  for (int i = 0; i < 2; i++) sli_tstring_assign((sli_tstring_t *)serialized->data + i, data, i ? size / 2 : size);
  sli_column_t columns[9];
  sli_parsed_column_t parsed[9] = {0};
  for (int i = 0; i < 9; i++) {
    int type = i / 3;
    if (i % 3 == 0) fallbacks[type] = make_vector(types[type], 0);
    columns[i] = (sli_column_t){.kind = (sli_column_kind_t)(i % 3),
                                .key = sli_view(type == 0   ? "f"
                                                : type == 1 ? "i"
                                                            : "s"),
                                .type = types[type],
                                .shape = {1, &any_length},
                                .fallback = fallbacks[type],
                                .split_type = SLI_DTYPE_INT64};
  }
  sli_example_request_t request = {.serialized = serialized, .columns = columns, .column_count = 9};
  sli_status_t *status = sli_examples_parse(&request, parsed);
  if (!status)
    for (int i = 0; i < 9; i++) {
      sli_tensor_release(parsed[i].values);
      sli_tensor_release(parsed[i].indices);
      sli_tensor_release(parsed[i].shape);
      sli_tensor_release(parsed[i].splits);
    }
  sli_fuzz_ignore(status);
  for (int i = 0; i < 3; i++) sli_tensor_release(fallbacks[i]);
  sli_tensor_release(serialized);
}
