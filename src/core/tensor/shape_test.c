#include "core/tensor/shape.h"

#include "base/test.h"
#include "core/tensor/dtype.h"

static void expect_text(sli_shape_t shape, const char *wanted) {
  char *text = sli_shape_to_text(shape);
  SLI_EXPECT_TEXT(text, wanted);
  free(text);
}

SLI_TEST(test_shapes_print_as_in_tensorflow) {
  expect_text(SLI_SHAPE(2, 3), "[2,3]");
  expect_text(SLI_SHAPE(-1, 3), "[?,3]");
  expect_text(SLI_SHAPE_SCALAR, "[]");
  expect_text(SLI_SHAPE_UNKNOWN, "<unknown>");
}

SLI_TEST(test_count_is_safe) {
  SLI_EXPECT_INT(sli_shape_count(SLI_SHAPE(2, 3, 4)), 24);
  SLI_EXPECT_INT(sli_shape_count(SLI_SHAPE_SCALAR), 1);
  SLI_EXPECT_INT(sli_shape_count(SLI_SHAPE_UNKNOWN), -1);
  SLI_EXPECT_INT(sli_shape_count(SLI_SHAPE(2, -1)), -1);
  SLI_EXPECT_INT(sli_shape_count(SLI_SHAPE(INT64_MAX, 2)), -1);
  SLI_EXPECT_INT(sli_shape_count(SLI_SHAPE(INT64_MAX, 2, 0)), 0);
}

SLI_TEST(test_equal_and_compatible) {
  SLI_EXPECT(sli_shape_equal(SLI_SHAPE(2, -1), SLI_SHAPE(2, -1)));
  SLI_EXPECT(!sli_shape_equal(SLI_SHAPE(2, -1), SLI_SHAPE(2, 3)));
  SLI_EXPECT(sli_shape_is_compatible(SLI_SHAPE(2, -1), SLI_SHAPE(2, 3)));
  SLI_EXPECT(sli_shape_is_compatible(SLI_SHAPE_UNKNOWN, SLI_SHAPE(2, 3)));
  SLI_EXPECT(!sli_shape_is_compatible(SLI_SHAPE(2), SLI_SHAPE(2, 3)));
  SLI_EXPECT(!sli_shape_is_compatible(SLI_SHAPE(2, 4), SLI_SHAPE(2, 3)));
}

SLI_TEST(test_broadcast_follows_numpy) {
  int64_t dims[4];
  int rank;
  SLI_EXPECT_OK(sli_shape_broadcast(SLI_SHAPE(4, 1, 3), SLI_SHAPE(5, 1), dims, &rank));
  SLI_EXPECT(sli_shape_equal((sli_shape_t){rank, dims}, SLI_SHAPE(4, 5, 3)));
  SLI_EXPECT_OK(sli_shape_broadcast(SLI_SHAPE_SCALAR, SLI_SHAPE(0, 7), dims, &rank));
  SLI_EXPECT(sli_shape_equal((sli_shape_t){rank, dims}, SLI_SHAPE(0, 7)));
  SLI_EXPECT_OK(sli_shape_broadcast(SLI_SHAPE(1), SLI_SHAPE(0), dims, &rank));
  SLI_EXPECT_INT(dims[0], 0);
  sli_status_t *status = sli_shape_broadcast(SLI_SHAPE(2), SLI_SHAPE(3), dims, &rank);
  SLI_EXPECT_INT(sli_status_code(status), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_TEXT(sli_status_message(status), "Incompatible shapes: [2] vs. [3]");
  sli_status_release(status);
}

SLI_TEST(test_types_have_tensorflows_names_and_sizes) {
  SLI_EXPECT_TEXT(sli_dtype_name(SLI_DTYPE_FLOAT), "float");
  SLI_EXPECT_TEXT(sli_dtype_name(sli_dtype_make_ref(SLI_DTYPE_INT64)), "int64_ref");
  SLI_EXPECT_TEXT(sli_dtype_name((sli_dtype_t)26), "invalid");
  SLI_EXPECT_INT(sli_dtype_size(SLI_DTYPE_STRING), 24);
  SLI_EXPECT_INT(sli_dtype_size((sli_dtype_t)-5), 0);
  SLI_EXPECT(!sli_dtype_is_valid(-1) && !sli_dtype_is_valid(0) && !sli_dtype_is_valid(100) &&
             !sli_dtype_is_valid(1000));
  SLI_EXPECT(sli_dtype_is_plain(SLI_DTYPE_BOOL) && !sli_dtype_is_plain(SLI_DTYPE_VARIANT));
  SLI_EXPECT(!sli_dtype_is_plain(sli_dtype_make_ref(SLI_DTYPE_STRING)) && !sli_dtype_is_plain(SLI_DTYPE_INVALID));
  for (int i = 0; i < 200; i++)
    if (sli_dtype_is_valid(i)) SLI_EXPECT_INT(sli_dtype_from_name(sli_view(sli_dtype_name((sli_dtype_t)i))), i);
  SLI_EXPECT_INT(sli_dtype_from_name(sli_view("float32")), SLI_DTYPE_FLOAT);
  SLI_EXPECT_INT(sli_dtype_from_name(sli_view("floaty")), SLI_DTYPE_INVALID);
}

SLI_TEST_MAIN(test_shapes_print_as_in_tensorflow, test_count_is_safe, test_equal_and_compatible,
              test_broadcast_follows_numpy, test_types_have_tensorflows_names_and_sizes)
