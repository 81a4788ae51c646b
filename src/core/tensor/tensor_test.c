#include "core/tensor/tensor.h"

#include "base/test.h"

static sli_tensor_t *make(sli_dtype_t dtype, sli_shape_t shape) {
  sli_tensor_t *tensor;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), dtype, shape.dims, shape.rank, &tensor));
  return tensor;
}

static bool is_aligned(const sli_tensor_t *tensor) { return (uintptr_t)tensor->data % SLI_ALIGNMENT == 0; }

SLI_TEST(test_create_of_every_size_is_aligned_and_writable) {
  for (int64_t count = 1; count < 3000000; count = count * 3 + 1) {
    for (int rank = 1; rank < 12; rank += 5) {
      int64_t dims[12];
      for (int i = 0; i < rank; i++) dims[i] = 1;
      dims[rank - 1] = count;
      sli_tensor_t *tensor;
      SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, dims, rank, &tensor));
      SLI_EXPECT(is_aligned(tensor));
      SLI_EXPECT_INT(tensor->count, count);
      SLI_EXPECT_INT(tensor->dims[rank - 1], count);
      memset(tensor->data, 0xff, sli_tensor_bytes(tensor));
      sli_tensor_release(tensor);
    }
  }
}

SLI_TEST(test_create_of_254_dimensions_succeeds_and_255_fails) {
  int64_t dims[255];
  for (int i = 0; i < 255; i++) dims[i] = 1;
  sli_tensor_t *tensor;
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT8, dims, 254, &tensor));
  SLI_EXPECT(is_aligned(tensor));
  SLI_EXPECT_INT(tensor->rank, 254);
  sli_tensor_release(tensor);
  SLI_EXPECT_STATUS(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT8, dims, 255, &tensor), SLI_INVALID_ARGUMENT);
  SLI_EXPECT(!tensor);
}

SLI_TEST(test_create_of_impossible_shapes_fails) {
  sli_allocator_t *cpu = sli_allocator_cpu();
  sli_tensor_t *tensor;
  int64_t huge = INT64_MAX, half = INT64_C(1) << 62;
  SLI_EXPECT_STATUS(sli_tensor_create(cpu, SLI_DTYPE_FLOAT, &huge, 1, &tensor), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_tensor_create(cpu, SLI_DTYPE_DOUBLE, &half, 1, &tensor), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_tensor_create(cpu, SLI_DTYPE_INT8, SLI_SHAPE(half, 4).dims, 2, &tensor), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_tensor_create(cpu, SLI_DTYPE_INT8, SLI_SHAPE(2, -1).dims, 2, &tensor), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_tensor_create(cpu, SLI_DTYPE_INT8, SLI_SHAPE(-1).dims, 1, &tensor), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_tensor_create(cpu, SLI_DTYPE_INVALID, NULL, 0, &tensor), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_tensor_create(cpu, sli_dtype_make_ref(SLI_DTYPE_FLOAT), NULL, 0, &tensor),
                    SLI_INVALID_ARGUMENT);
  SLI_EXPECT(!tensor);
  // A zero makes any shape small.
  SLI_REQUIRE_OK(sli_tensor_create(cpu, SLI_DTYPE_INT8, SLI_SHAPE(half, half, 0).dims, 3, &tensor));
  SLI_EXPECT_INT(tensor->count, 0);
  SLI_EXPECT(!tensor->data);
  sli_tensor_release(tensor);
}

SLI_TEST(test_create_without_memory_says_so_as_tensorflow_does) {
  sli_tensor_t *tensor;
  sli_status_t *status =
      sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, SLI_SHAPE(INT64_C(1) << 40, 3).dims, 2, &tensor);
  SLI_EXPECT_INT(sli_status_code(status), SLI_RESOURCE_EXHAUSTED);
  SLI_EXPECT_TEXT(
      sli_status_message(status),
      "OOM when allocating tensor with shape[1099511627776,3] and type float on host memory by allocator cpu");
  sli_status_release(status);
}

SLI_TEST(test_view_keeps_its_root_alive) {
  sli_tensor_t *base = make(SLI_DTYPE_INT32, SLI_SHAPE(100, 10));
  for (int32_t i = 0; i < 1000; i++) SLI_DATA(int32_t, base)[i] = i;
  sli_tensor_t *rows = sli_tensor_view(base, SLI_DTYPE_INT32, 500, SLI_SHAPE(2, 10).dims, 2);
  sli_tensor_t *flat = sli_tensor_view(rows, SLI_DTYPE_INT32, 10, SLI_SHAPE(10).dims, 1);
  SLI_EXPECT(flat->owner == base);
  SLI_EXPECT(!sli_tensor_is_exclusive(base) && !sli_tensor_is_exclusive(rows) && !sli_tensor_is_exclusive(flat));
  sli_tensor_release(base);
  sli_tensor_release(rows);
  SLI_EXPECT(sli_tensor_is_exclusive(flat));
  SLI_EXPECT_INT(SLI_DATA(int32_t, flat)[0], 510);
  SLI_EXPECT_INT(SLI_DATA(int32_t, flat)[9], 519);
  sli_tensor_release(flat);
}

SLI_TEST(test_view_of_an_empty_tensor_has_no_data) {
  sli_tensor_t *base = sli_tensor_empty_float();
  sli_tensor_t *view = sli_tensor_view(base, SLI_DTYPE_FLOAT, 0, SLI_SHAPE(3, 0).dims, 2);
  sli_tensor_release(base);
  SLI_EXPECT_INT(view->count, 0);
  SLI_EXPECT(!view->data);
  sli_tensor_release(view);
}

SLI_TEST(test_exclusive_while_one_reference) {
  sli_tensor_t *tensor = sli_tensor_scalar_float(1);
  SLI_EXPECT(sli_tensor_is_exclusive(tensor));
  sli_tensor_retain(tensor);
  SLI_EXPECT(!sli_tensor_is_exclusive(tensor));
  sli_tensor_release(tensor);
  SLI_EXPECT(sli_tensor_is_exclusive(tensor));
  sli_tensor_release(tensor);
  sli_tensor_release(NULL);
}

typedef struct {
  int calls;
  void *data;
  size_t size;
} released_t;

static void note_release(void *context, void *data, size_t size) {
  released_t *released = context;
  released->calls++;
  released->data = data;
  released->size = size;
}

SLI_TEST(test_adopt_releases_once_and_checks_the_size) {
  float values[6] = {1, 2, 3, 4, 5, 6};
  released_t released = {0};
  sli_tensor_t *tensor;
  SLI_EXPECT_STATUS(
      sli_tensor_adopt(SLI_DTYPE_FLOAT, SLI_SHAPE(7).dims, 1, values, sizeof(values), note_release, &released, &tensor),
      SLI_INVALID_ARGUMENT);
  SLI_EXPECT_INT(released.calls, 0);
  SLI_REQUIRE_OK(sli_tensor_adopt(SLI_DTYPE_FLOAT, SLI_SHAPE(2, 3).dims, 2, values, sizeof(values), note_release,
                                  &released, &tensor));
  sli_tensor_t *view = sli_tensor_view(tensor, SLI_DTYPE_FLOAT, 3, SLI_SHAPE(3).dims, 1);
  SLI_EXPECT(view->data == values + 3);
  sli_tensor_release(tensor);
  SLI_EXPECT_INT(released.calls, 0);
  sli_tensor_release(view);
  SLI_EXPECT_INT(released.calls, 1);
  SLI_EXPECT(released.data == values);
  SLI_EXPECT_INT(released.size, sizeof(values));

  SLI_REQUIRE_OK(sli_tensor_adopt(SLI_DTYPE_FLOAT, SLI_SHAPE(0).dims, 1, NULL, 0, note_release, &released, &tensor));
  sli_tensor_release(tensor);
  SLI_EXPECT_INT(released.calls, 2);
  SLI_REQUIRE_OK(sli_tensor_adopt(SLI_DTYPE_FLOAT, NULL, 0, values, sizeof(values), NULL, NULL, &tensor));
  sli_tensor_release(tensor);
}

SLI_TEST(test_strings_start_empty_and_are_freed) {
  sli_tensor_t *tensor = make(SLI_DTYPE_STRING, SLI_SHAPE(50));
  SLI_EXPECT_INT(sli_tstring_view(&SLI_DATA(sli_tstring_t, tensor)[49]).size, 0);
  char text[50];
  memset(text, 'x', sizeof(text));
  for (size_t i = 0; i < 50; i++) sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[i], text, i);
  sli_tensor_t *copy;
  SLI_REQUIRE_OK(sli_tensor_clone(tensor, &copy));
  sli_tensor_release(tensor);
  for (size_t i = 0; i < 50; i++)
    SLI_EXPECT(sli_view_equal(sli_tstring_view(&SLI_DATA(sli_tstring_t, copy)[i]), sli_view_of(text, i)));
  sli_tensor_release(copy);
}

typedef struct {
  sli_object_t base;
  int *destroyed;
} counted_t;
static void destroy_counted(sli_object_t *object) {
  ++*((counted_t *)object)->destroyed;
  free(object);
}
static const sli_object_type_t counted_type = {"Counted", destroy_counted};

SLI_TEST(test_objects_are_counted_by_tensors_and_clones) {
  int destroyed = 0;
  counted_t *object = calloc(1, sizeof(*object));
  sli_object_initialize(&object->base, &counted_type);
  object->destroyed = &destroyed;
  sli_tensor_t *tensor = make(SLI_DTYPE_RESOURCE, SLI_SHAPE(2)), *copy;
  SLI_DATA(sli_object_t *, tensor)[1] = &object->base;
  SLI_REQUIRE_OK(sli_tensor_clone(tensor, &copy));
  sli_tensor_release(tensor);
  SLI_EXPECT_INT(destroyed, 0);
  SLI_EXPECT(SLI_DATA(sli_object_t *, copy)[1] == &object->base);
  SLI_EXPECT(!SLI_DATA(sli_object_t *, copy)[0]);
  sli_tensor_release(copy);
  SLI_EXPECT_INT(destroyed, 1);
}

SLI_TEST(test_shorthands_hold_their_values) {
  sli_tensor_t *tensor = sli_tensor_vector_int64((const int64_t[]){5, -6}, 2);
  SLI_EXPECT_INT(sli_tensor_int_at(tensor, 1), -6);
  sli_tensor_release(tensor);
  tensor = sli_tensor_vector_int32((const int32_t[]){7, -8}, 2);
  SLI_EXPECT_INT(sli_tensor_int_at(tensor, 1), -8);
  sli_tensor_release(tensor);
  tensor = sli_tensor_scalar_string(sli_view("a string of more than twenty-two bytes"));
  SLI_EXPECT(sli_view_is(sli_tstring_view(tensor->data), "a string of more than twenty-two bytes"));
  sli_tensor_release(tensor);
  tensor = sli_tensor_scalar_bool(true);
  SLI_EXPECT(*SLI_DATA(bool, tensor));
  sli_tensor_release(tensor);
}

static void expect_values(sli_tensor_t *tensor, int limit, const char *wanted) {
  sli_string_t text = {0};
  sli_tensor_append_values(&text, tensor, limit);
  SLI_EXPECT_TEXT(sli_string_text(&text), wanted);
  sli_string_deinitialize(&text);
}

// The texts are what real TensorFlow's Assert printed for the same values.
SLI_TEST(test_values_print_as_in_tensorflow) {
  sli_tensor_t *tensor = make(SLI_DTYPE_INT32, SLI_SHAPE(2, 3, 4));
  for (int32_t i = 0; i < 24; i++) SLI_DATA(int32_t, tensor)[i] = i;
  expect_values(tensor, -1, "[[0 1 2 3][4 5 6 7][8 9 10 11]][[12 13 14 15][16 17 18 19][20 21 22 23]]");
  expect_values(tensor, 6, "[[0 1 2 3][4 5...]]...");
  expect_values(tensor, 0, "...");
  sli_tensor_t *vector = sli_tensor_view(tensor, SLI_DTYPE_INT32, 1, SLI_SHAPE(5).dims, 1);
  expect_values(vector, 3, "1 2 3...");
  sli_tensor_t *matrix = sli_tensor_view(tensor, SLI_DTYPE_INT32, 1, SLI_SHAPE(2, 2).dims, 2);
  expect_values(matrix, 2, "[1 2]...");
  expect_values(matrix, 3, "[1 2][3...]...");
  sli_tensor_release(matrix);
  sli_tensor_release(vector);
  sli_tensor_release(tensor);

  const float floats[] = {1.5f, 0.1f, 1e10f, 16777216.f, 123456789.f, 1e-5f, NAN, -INFINITY};
  tensor = make(SLI_DTYPE_FLOAT, SLI_SHAPE(8));
  memcpy(tensor->data, floats, sizeof(floats));
  expect_values(tensor, 10, "1.5 0.1 1e+10 16777216 123456792 1e-05 nan -inf");
  sli_tensor_release(tensor);

  tensor = make(SLI_DTYPE_DOUBLE, SLI_SHAPE(2));
  SLI_DATA(double, tensor)[0] = 1e10;
  SLI_DATA(double, tensor)[1] = 1 / 3.;
  expect_values(tensor, 10, "10000000000 0.33333333333333331");
  sli_tensor_release(tensor);

  tensor = make(SLI_DTYPE_HALF, SLI_SHAPE(3));
  memcpy(tensor->data, (uint16_t[]){0x3c66, 0xc09a, 0x0001}, 6);
  expect_values(tensor, 2, "1.09960938 -2.30078125...");
  sli_tensor_release(tensor);

  tensor = sli_tensor_scalar_string(sli_view("b\n\"c\"\001\xc3\xbf"));
  expect_values(tensor, 3, "b\\n\\\"c\\\"\\001\xc3\xbf");
  sli_tensor_release(tensor);
}

SLI_TEST_MAIN(test_create_of_every_size_is_aligned_and_writable, test_create_of_254_dimensions_succeeds_and_255_fails,
              test_create_of_impossible_shapes_fails, test_create_without_memory_says_so_as_tensorflow_does,
              test_view_keeps_its_root_alive, test_view_of_an_empty_tensor_has_no_data,
              test_exclusive_while_one_reference, test_adopt_releases_once_and_checks_the_size,
              test_strings_start_empty_and_are_freed, test_objects_are_counted_by_tensors_and_clones,
              test_shorthands_hold_their_values, test_values_print_as_in_tensorflow)
