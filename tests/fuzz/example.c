// Serialized Examples and SequenceExamples, parsed into dense, sparse and ragged columns of every type, and as objects
// of the training library.
#include "ops/parse/example.h"
#include "core/tensor/allocator.h"
#include "ops/parse/sequence_example.h"
#include "sluice/example.h"
#include "tests/fuzz/fuzz.h"

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
    size_t count = sl_example_count(example), lists = sl_example_list_count(example);
    sl_bytes_t again = sl_example_serialize(example);
    sl_example_t *other = sl_example_create();
    sl_example_parse(other, again.data, again.size, status);
    SLI_CHECK(TF_GetCode(status) == TF_OK);
    SLI_CHECK(sl_example_count(other) == count && sl_example_list_count(other) == lists);
    sl_example_release(other);
  }
  TF_DeleteStatus(status);
  sl_example_release(example);
}

enum { TYPES = 3 };

typedef sli_status_t *(*parser_t)(const sli_example_request_t *request, sli_example_result_t *out_columns);

// Columns of one kind, one of each type.
static void parse_columns(parser_t parser, const sli_tensor_t *serialized, sli_example_column_kind_t kind,
                          sli_shape_t shape) {
  static const sli_dtype_t types[TYPES] = {SLI_DTYPE_FLOAT, SLI_DTYPE_INT64, SLI_DTYPE_STRING};
  static const char *const keys[TYPES] = {"f", "i", "s"};
  sli_example_column_t columns[TYPES];
  sli_example_result_t parsed[TYPES];
  sli_tensor_t *fallbacks[TYPES];
  for (int i = 0; i < TYPES; i++) {
    fallbacks[i] = make_vector(types[i], 1);
    if (types[i] != SLI_DTYPE_STRING) memset(fallbacks[i]->data, 0, sli_tensor_bytes(fallbacks[i]));
    columns[i] = (sli_example_column_t){.kind = kind,
                                        .key = sli_view(keys[i]),
                                        .type = types[i],
                                        .shape = shape,
                                        .fallback = fallbacks[i],
                                        .may_be_missing = i > 0,
                                        .split_type = SLI_DTYPE_INT64};
  }
  sli_example_request_t request = {.serialized = serialized, .columns = columns, .column_count = TYPES};
  sli_status_t *status = parser(&request, parsed);
  for (int i = 0; i < TYPES; i++) sli_tensor_release(fallbacks[i]);
  for (int i = 0; i < TYPES && !status; i++) sli_example_result_release(&parsed[i]);
  fuzz_ignore(status);
}

void fuzz_one(const uint8_t *data, size_t size) {
  const sli_shape_t scalar = {0}, vector = {1, &(int64_t){-1}};
  parse_object(data, size);
  sli_tensor_t *serialized = make_vector(SLI_DTYPE_STRING, 2);
  for (int i = 0; i < 2; i++) sli_tstring_assign((sli_tstring_t *)serialized->data + i, data, i ? size / 2 : size);
  sli_tensor_t *single = sli_tensor_view(serialized, SLI_DTYPE_STRING, 0, NULL, 0);
  for (int kind = SLI_EXAMPLE_DENSE; kind <= SLI_EXAMPLE_RAGGED; kind++) {
    for (int i = 0; i < 2; i++) {
      const sli_tensor_t *input = i ? single : serialized;
      parse_columns(sli_example_parse, input, (sli_example_column_kind_t)kind, vector);
      parse_columns(sli_example_parse, input, (sli_example_column_kind_t)kind, scalar);
      parse_columns(sli_sequence_parse_feature_lists, input, (sli_example_column_kind_t)kind, scalar);
    }
  }
  sli_tensor_release(single);
  sli_tensor_release(serialized);
}
