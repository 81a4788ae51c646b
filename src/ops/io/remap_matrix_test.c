// LoadAndRemapMatrix on a checkpoint that SaveV2 wrote. The results and errors are TensorFlow's.
#include "ops/common/testing.h"

static sli_tensor_t *text(const char *value) { return sli_tensor_scalar_string(sli_view(value)); }

static sli_tensor_t *texts(const char *const *values, int64_t count) {
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_STRING, &count, 1, &tensor));
  for (int64_t i = 0; i < count; i++)
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[i], values[i], strlen(values[i]));
  return tensor;
}

static sli_tensor_t *ids(const int64_t *values, int64_t count) {
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT64, &count, 1, &tensor));
  if (count) memcpy(tensor->data, values, (size_t)count * sizeof(*values));
  return tensor;
}

// "m": a matrix of 4 by 3 with the values 0 to 11; "v": a vector.
static char *write_checkpoint(void) {
  char *prefix = sli_format("%s/checkpoint", sli_test_temporary_dir());
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_tensor_t *inputs[] = {text(prefix), texts((const char *[]){"m", "v"}, 2), texts((const char *[]){"", ""}, 2),
                            sli_testing_range((sli_shape_t){2, (int64_t[]){4, 3}}),
                            sli_testing_range((sli_shape_t){1, (int64_t[]){3}})};
  sli_dtype_t types[] = {SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT};
  sli_attr_entry_t attrs[] = {{"dtypes", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 2, .list.type = types}}};
  SLI_EXPECT_OK(sli_testing_run("SaveV2", attrs, 1, inputs, 5, outputs));
  return prefix;
}

typedef struct {
  const char *name;
  int64_t rows[3], columns[3];
  int row_count, column_count, initial_count;
  int64_t num_columns, in_memory;
} request_t;

static sli_status_t *load(const char *prefix, const request_t *request, sli_tensor_t **outputs) {
  const float initial[] = {91, 92, 93, 94, 95, 96};
  sli_tensor_t *inputs[] = {text(prefix), text(request->name), ids(request->rows, request->row_count),
                            ids(request->columns, request->column_count),
                            sli_testing_floats((sli_shape_t){1, (int64_t[]){request->initial_count}}, initial)};
  return sli_testing_run(
      "LoadAndRemapMatrix",
      SLI_TESTING_ATTRS(SLI_ATTR_INT_OF("num_rows", 3), SLI_ATTR_INT_OF("num_cols", request->num_columns),
                        SLI_ATTR_INT_OF("max_rows_in_memory", request->in_memory)),
      inputs, 5, outputs);
}

SLI_TEST(test_rows_and_columns_change_places) {
  char *prefix = write_checkpoint();
  const request_t requests[] = {
      {"m", {2, -1, 0}, {0}, 3, 0, 3, 3, -1},
      {"m", {2, -1, 0}, {0}, 3, 0, 3, 3, 1},
      {"m", {2, -1, 0}, {1, -1}, 3, 2, 4, 2, -1},
  };
  const float wanted[][9] = {{6, 7, 8, 91, 92, 93, 0, 1, 2}, {6, 7, 8, 91, 92, 93, 0, 1, 2}, {7, 91, 92, 93, 1, 94}};
  for (int i = 0; i < 3; i++) {
    sli_tensor_t *outputs[SLI_TESTING_MAX];
    SLI_EXPECT_OK(load(prefix, &requests[i], outputs));
    SLI_REQUIRE(outputs[0] && outputs[0]->count == 3 * requests[i].num_columns);
    SLI_EXPECT(memcmp(outputs[0]->data, wanted[i], sli_tensor_bytes(outputs[0])) == 0);
    sli_tensor_release(outputs[0]);
  }
  free(prefix);
}

SLI_TEST(test_what_does_not_fit_is_refused) {
  char *prefix = write_checkpoint();
  const struct {
    request_t request;
    sli_code_t code;
    const char *part;
  } rows[] = {
      {{"m", {2, 2, 0}, {0}, 3, 0, 0, 3, -1}, SLI_UNIMPLEMENTED, "Old ID 2 is mapped to both new ID 0 and 1"},
      {{"m", {7, 1, 0}, {0}, 3, 0, 0, 3, -1}, SLI_INTERNAL, "Extent in dimension 0 out of bounds"},
      {{"m", {2, 1, 0}, {7, 1, 0}, 3, 3, 0, 3, -1}, SLI_INVALID_ARGUMENT, "Extent in dimension 1 out of bounds"},
      {{"x", {2, 1, 0}, {0}, 3, 0, 0, 3, -1}, SLI_NOT_FOUND, "x"},
      {{"v", {2, 1, 0}, {0}, 3, 0, 0, 3, -1}, SLI_INVALID_ARGUMENT, "of invalid rank 1"},
      {{"m", {2, -1, 0}, {0}, 3, 0, 1, 3, -1}, SLI_INVALID_ARGUMENT, "but more missing values remain"},
      {{"m", {2, -1, 0}, {0}, 3, 0, 5, 3, -1}, SLI_INVALID_ARGUMENT, "but only 3 elements were used"},
      {{"m", {2, -1, 0}, {0}, 3, 0, 3, 2, -1}, SLI_INVALID_ARGUMENT, "instead of being equal to num_cols=2"},
      {{"m", {2}, {0}, 1, 0, 3, 3, -1}, SLI_INVALID_ARGUMENT, "instead of being equal to num_rows=3"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    sli_tensor_t *outputs[SLI_TESTING_MAX];
    sli_testing_expect_error(load(prefix, &rows[i].request, outputs), rows[i].code, rows[i].part);
  }
  free(prefix);
}

SLI_TEST_MAIN(test_rows_and_columns_change_places, test_what_does_not_fit_is_refused)
