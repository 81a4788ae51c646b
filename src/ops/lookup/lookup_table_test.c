// Tests of the table object. The ops are compared with TensorFlow's by tests/interop/checks/stock_programs.
#include "ops/lookup/lookup_table.h"

#include "base/test.h"

static sli_tensor_t *strings(const char *const *texts, int64_t count) {
  sli_tensor_t *tensor;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_STRING, &count, 1, &tensor));
  for (int64_t i = 0; i < count; i++)
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[i], texts[i], strlen(texts[i]));
  return tensor;
}
#define STRINGS(...) strings((const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))
#define NUMBERS(...) \
  sli_tensor_vector_int64((int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void expect_error(sli_status_t *status, sli_code_t code, const char *text) {
  SLI_EXPECT_INT(sli_status_code(status), code);
  SLI_EXPECT_TEXT(sli_status_message(status), text);
  sli_status_release(status);
}

static sli_lookup_table_t *table_of_words(bool is_mutable) {
  sli_lookup_table_t *table;
  SLI_EXPECT_OK(sli_lookup_table_create(sli_view("words"), SLI_DTYPE_STRING, SLI_DTYPE_INT64, SLI_SHAPE_SCALAR,
                                        is_mutable, &table));
  return table;
}

// The value of |word|, -1 if the table does not have it.
static int64_t number_of(sli_lookup_table_t *table, const char *word) {
  sli_tensor_t *key = STRINGS(word), *found = NUMBERS(0), *none = sli_tensor_scalar_int64(-1);
  SLI_EXPECT_OK(sli_lookup_table_find(table, key, none, false, found));
  int64_t number = SLI_DATA(int64_t, found)[0];
  sli_tensor_release(key);
  sli_tensor_release(found);
  sli_tensor_release(none);
  return number;
}

// Consumes the tensors.
static sli_status_t *initialize_with(sli_lookup_table_t *table, sli_tensor_t *keys, sli_tensor_t *values) {
  sli_status_t *status = sli_lookup_table_initialize(table, keys, values);
  sli_tensor_release(keys);
  sli_tensor_release(values);
  return status;
}

SLI_TEST(test_static_table_is_filled_once_and_whole) {
  sli_lookup_table_t *table = table_of_words(false);
  sli_tensor_t *key = STRINGS("a"), *found = NUMBERS(0);
  expect_error(sli_lookup_table_find(table, key, found, true, found), SLI_FAILED_PRECONDITION,
               "Table not initialized.");
  expect_error(initialize_with(table, STRINGS("a", "b", "a"), NUMBERS(1, 2, 3)), SLI_FAILED_PRECONDITION,
               "HashTable has different value for same key. Key a has 1 and trying to add value 3");
  SLI_EXPECT_INT(sli_lookup_table_size(table), 0);
  SLI_EXPECT_OK(initialize_with(table, STRINGS("a", "", "a"), NUMBERS(1, 2, 1)));
  SLI_EXPECT_INT(sli_lookup_table_size(table), 2);
  SLI_EXPECT_INT(number_of(table, "a"), 1);
  SLI_EXPECT_INT(number_of(table, ""), 2);
  SLI_EXPECT_INT(number_of(table, "z"), -1);
  SLI_EXPECT_OK(initialize_with(table, STRINGS("x", "y"), NUMBERS(8, 9)));  // same size: assumed to be the same data
  SLI_EXPECT_INT(number_of(table, "x"), -1);
  expect_error(initialize_with(table, STRINGS("x"), NUMBERS(8)), SLI_FAILED_PRECONDITION,
               "Table was already initialized with different data.");
  sli_tensor_release(key);
  sli_tensor_release(found);
  sli_object_release(table);
}

SLI_TEST(test_mutable_table_uses_the_rows_of_removed_keys) {
  sli_lookup_table_t *table = table_of_words(true);
  sli_tensor_t *keys = STRINGS("a", "b", "c"), *values = NUMBERS(1, 2, 3), *gone = STRINGS("b", "q");
  for (int i = 0; i < 100; i++) {
    SLI_EXPECT_OK(sli_lookup_table_insert(table, keys, values));
    SLI_EXPECT_INT(sli_lookup_table_size(table), 3);
    sli_lookup_table_remove(table, gone);
    SLI_EXPECT_INT(number_of(table, "b"), -1);
    SLI_EXPECT_INT(number_of(table, "c"), 3);
  }
  SLI_EXPECT(table->count <= 3);
  SLI_EXPECT_OK(sli_lookup_table_replace(table, gone, values));
  SLI_EXPECT_INT(sli_lookup_table_size(table), 2);
  SLI_EXPECT_INT(number_of(table, "a"), -1);
  SLI_EXPECT_INT(number_of(table, "q"), 2);
  sli_tensor_release(keys);
  sli_tensor_release(values);
  sli_tensor_release(gone);
  sli_object_release(table);
}

static sli_status_t *create_test_outputs(void *context, int64_t count, sli_tensor_t **out_keys,
                                         sli_tensor_t **out_values) {
  sli_tensor_t **tensors = context;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT64, &count, 1, &tensors[0]));
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_STRING, (int64_t[]){count, 2}, 2, &tensors[1]));
  *out_keys = tensors[0];
  *out_values = tensors[1];
  return NULL;
}

SLI_TEST(test_values_with_a_shape_go_in_and_out_by_rows) {
  sli_lookup_table_t *table;
  SLI_REQUIRE(!sli_lookup_table_create(sli_view("t"), SLI_DTYPE_INT64, SLI_DTYPE_STRING, SLI_SHAPE(2), true, &table));
  sli_tensor_t *keys = NUMBERS(5, 6), *values = STRINGS("a", "a string that is too long to be stored inline", "c", "d");
  sli_tensor_t *defaults = STRINGS("", "", "p", "q"), *wanted = NUMBERS(6, 7), *found = STRINGS("", "", "", "");
  SLI_EXPECT_OK(sli_lookup_table_insert(table, keys, values));
  SLI_EXPECT_OK(sli_lookup_table_find(table, wanted, defaults, true, found));
  SLI_EXPECT(sli_view_is(sli_tensor_string_at(found, 0), "c") && sli_view_is(sli_tensor_string_at(found, 3), "q"));
  sli_tensor_t *all[2];
  SLI_EXPECT_OK(sli_lookup_table_export(table, create_test_outputs, all));
  SLI_EXPECT_INT(all[0]->count, 2);
  SLI_EXPECT_INT(SLI_DATA(int64_t, all[0])[0], 5);
  SLI_EXPECT(sli_view_is(sli_tensor_string_at(all[1], 1), "a string that is too long to be stored inline"));
  for (int i = 0; i < 2; i++) sli_tensor_release(all[i]);
  for (int i = 0; i < 5; i++) sli_tensor_release((sli_tensor_t *[]){keys, values, defaults, wanted, found}[i]);
  sli_object_release(table);
}

SLI_TEST(test_values_of_unknown_shape_are_refused) {
  sli_lookup_table_t *table;
  expect_error(sli_lookup_table_create(sli_view("t"), SLI_DTYPE_INT64, SLI_DTYPE_FLOAT, SLI_SHAPE(-1), true, &table),
               SLI_INVALID_ARGUMENT,
               "Table 't': value_shape must be fully known and have at most 268435456 elements, got [?]");
}

// More rows of the widest values than any machine can hold. Only the number of keys is read, not their values.
SLI_TEST(test_more_than_memory_is_refused_and_the_table_stays) {
  sli_lookup_table_t *table;
  const int64_t width = 1 << 28;
  SLI_REQUIRE(
      !sli_lookup_table_create(sli_view("t"), SLI_DTYPE_INT64, SLI_DTYPE_COMPLEX128, SLI_SHAPE(width), true, &table));
  sli_tensor_t *keys;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT64, (int64_t[]){1 << 20}, 1, &keys));
  expect_error(sli_lookup_table_insert(table, keys, keys), SLI_RESOURCE_EXHAUSTED,
               "OOM when table 't' grows to 1048576 values of shape [268435456] and type complex128");
  SLI_EXPECT_INT(sli_lookup_table_size(table), 0);
  sli_tensor_release(keys);
  sli_object_release(table);
}

SLI_TEST_MAIN(test_static_table_is_filled_once_and_whole, test_mutable_table_uses_the_rows_of_removed_keys,
              test_values_with_a_shape_go_in_and_out_by_rows, test_values_of_unknown_shape_are_refused,
              test_more_than_memory_is_refused_and_the_table_stays)
