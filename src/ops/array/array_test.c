// Edge cases of the array kernels: empty tensors, bad sizes and indices, views,
// strings. Values in general are compared with TensorFlow's in tests/golden.
#include <string.h>

#include "ops/common/copy_elements.h"
#include "ops/common/testing.h"

static void expect_floats(const sli_tensor_t *tensor, sli_shape_t shape, const float *values) {
  SLI_EXPECT(tensor != NULL && sli_shape_equal(sli_tensor_shape(tensor), shape));
  for (int64_t i = 0; tensor && i < tensor->count; i++) SLI_EXPECT_NEAR(SLI_DATA(float, tensor)[i], values[i], 0);
}

SLI_TEST(test_strided_copy_transposes_large_matrix) {
  enum { ROWS = 67, COLUMNS = 45 };
  sli_tensor_t *from = sli_testing_range(SLI_SHAPE(ROWS, COLUMNS)), *to = sli_testing_range(SLI_SHAPE(COLUMNS, ROWS));
  sli_elements_strided_copy(NULL, SLI_DTYPE_FLOAT, 2, to->dims, to->data, (int64_t[]){ROWS, 1}, from->data,
                            (int64_t[]){1, COLUMNS});
  for (int i = 0; i < COLUMNS; i++)
    for (int j = 0; j < ROWS; j++)
      SLI_EXPECT(SLI_DATA(float, to)[i * ROWS + j] == SLI_DATA(float, from)[j * COLUMNS + i]);
  sli_tensor_release(from);
  sli_tensor_release(to);
}

SLI_TEST(test_reshape_refuses_bad_sizes) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_testing_expect_error(
      sli_testing_device_run(&h, "Reshape", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(6))), INTS(-1, -1)),
                             NULL, 0),
      SLI_INVALID_ARGUMENT, "Only one input size may be -1, not both 0 and 1");
  sli_testing_expect_error(
      sli_testing_device_run(&h, "Reshape", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(6))), INTS(4, -1)),
                             NULL, 0),
      SLI_INVALID_ARGUMENT, "requires a multiple of 4");
  sli_testing_expect_error(
      sli_testing_device_run(&h, "Reshape", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(6))), INTS(-2, 3)),
                             NULL, 0),
      SLI_INVALID_ARGUMENT, "Size 0 must be non-negative, not -2");
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "Reshape", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(0, 6))), INTS(0, -1, 3)), NULL, 0));
  expect_floats(h.outputs[0].tensor, SLI_SHAPE(0, 2, 3), NULL);
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "Reshape", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(6))), INTS(3, -1)), NULL, 0));
  expect_floats(h.outputs[0].tensor, SLI_SHAPE(3, 2), (float[]){0, 1, 2, 3, 4, 5});
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_reshape_of_overflowing_sizes_fails) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_tensor_t *sizes = sli_tensor_vector_int64((int64_t[]){INT64_MAX, 4}, 2);
  SLI_EXPECT_STATUS(
      sli_testing_device_run(&h, "Reshape", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(4))), TENSOR(sizes)),
                             NULL, 0),
      SLI_INVALID_ARGUMENT);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_strided_slice_negative_stride_and_extremes) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "StridedSlice",
      SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(2, 4))), INTS(0, 0), INTS(0, 0), INTS(1, -2)),
      SLI_TESTING_ATTRS(SLI_ATTR_INT_OF("begin_mask", 3), SLI_ATTR_INT_OF("end_mask", 3))));
  expect_floats(h.outputs[0].tensor, SLI_SHAPE(2, 2), (float[]){3, 1, 7, 5});
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "StridedSlice",
      SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(4))), INTS(INT32_MIN), INTS(INT32_MAX), INTS(INT32_MAX)),
      NULL, 0));
  expect_floats(h.outputs[0].tensor, SLI_SHAPE(1), (float[]){0});
  sli_testing_expect_error(
      sli_testing_device_run(&h, "StridedSlice",
                             SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(4))), INTS(9), INTS(10), INTS(1)),
                             SLI_TESTING_ATTRS(SLI_ATTR_INT_OF("shrink_axis_mask", 1))),
      SLI_INVALID_ARGUMENT, "slice index 9 of dimension 0 out of bounds.");
  sli_testing_expect_error(
      sli_testing_device_run(&h, "StridedSlice",
                             SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(4))), INTS(0), INTS(1), INTS(0)),
                             NULL, 0),
      SLI_INVALID_ARGUMENT, "strides[0] must be non-zero");
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_gather_names_bad_index) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_testing_expect_error(
      sli_testing_device_run(&h, "Gather", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(3, 2))), INTS(0, 3)),
                             NULL, 0),
      SLI_INVALID_ARGUMENT, "indices[1] = 3 is not in [0, 3)");
  sli_testing_expect_error(
      sli_testing_device_run(&h, "Gather", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(3, 0))), INTS(-1)),
                             NULL, 0),
      SLI_INVALID_ARGUMENT, "indices[0] = -1 is not in [0, 3)");
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "Gather", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(3, 2))), INTS(2, 0)), NULL, 0));
  expect_floats(h.outputs[0].tensor, SLI_SHAPE(2, 2), (float[]){4, 5, 0, 1});
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_tile_and_transpose_of_strings_keep_them) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_tensor_t *strings;
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_STRING, (int64_t[]){1, 2}, 2, &strings));
  const char *longer = "a string that does not fit into twenty-two bytes";
  sli_tstring_assign(&SLI_DATA(sli_tstring_t, strings)[0], "x", 1);
  sli_tstring_assign(&SLI_DATA(sli_tstring_t, strings)[1], longer, strlen(longer));
  SLI_EXPECT_OK(sli_testing_device_run(&h, "Transpose",
                                       SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(strings)), INTS(1, 0)), NULL, 0));
  SLI_EXPECT(h.outputs[0].tensor->dims[0] == 2);
  SLI_EXPECT_OK(sli_testing_device_run(&h, "Tile", SLI_TESTING_INPUTS(TENSOR(strings), INTS(2, 2)), NULL, 0));
  SLI_EXPECT(h.outputs[0].tensor->count == 8);
  SLI_EXPECT(sli_view_is(sli_tstring_view(&SLI_DATA(sli_tstring_t, h.outputs[0].tensor)[7]), longer));
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_fill_refuses_negative_and_huge_dims) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_testing_expect_error(
      sli_testing_device_run(&h, "Fill", SLI_TESTING_INPUTS(INTS(2, -1), TENSOR(sli_tensor_scalar_float(1))), NULL, 0),
      SLI_INVALID_ARGUMENT, "Dimension -1 must be >= 0");
  sli_tensor_t *huge = sli_tensor_vector_int64((int64_t[]){INT64_MAX / 2, 8}, 2);
  SLI_EXPECT_STATUS(
      sli_testing_device_run(&h, "Fill", SLI_TESTING_INPUTS(TENSOR(huge), TENSOR(sli_tensor_scalar_float(1))), NULL, 0),
      SLI_INVALID_ARGUMENT);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_split_views_share_bytes_and_outlive_input) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "Split", SLI_TESTING_INPUTS(TENSOR(sli_tensor_scalar_int32(0)), TENSOR(sli_testing_range(SLI_SHAPE(4, 1)))),
      SLI_TESTING_ATTRS(SLI_ATTR_INT_OF("num_split", 2))));
  expect_floats(h.outputs[1].tensor, SLI_SHAPE(2, 1), (float[]){2, 3});
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_unique_treats_nan_as_distinct_and_zeros_as_one) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_tensor_t *x = sli_testing_range(SLI_SHAPE(5));
  memcpy(x->data, (float[]){0.0f, -0.0f, NAN, NAN, 2}, 5 * sizeof(float));
  SLI_EXPECT_OK(sli_testing_device_run(&h, "Unique", SLI_TESTING_INPUTS(TENSOR(x)), NULL, 0));
  SLI_EXPECT(h.outputs[0].tensor->count == 4);
  SLI_EXPECT(SLI_DATA(int32_t, h.outputs[1].tensor)[1] == 0 && SLI_DATA(int32_t, h.outputs[1].tensor)[3] == 2);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_reverse_of_a_scalar_ignores_axes) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_tensor_t *axis = sli_tensor_scalar_int32(2);
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "ReverseV2", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE_SCALAR)), TENSOR(axis)), NULL, 0));
  expect_floats(h.outputs[0].tensor, SLI_SHAPE_SCALAR, (float[]){0});
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "ReverseV2", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(0, 2))), INTS(7)), NULL, 0));
  expect_floats(h.outputs[0].tensor, SLI_SHAPE(0, 2), NULL);
  sli_testing_expect_error(
      sli_testing_device_run(&h, "ReverseV2", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(1, 2))), INTS(7)),
                             NULL, 0),
      SLI_INVALID_ARGUMENT, "'axis'[0] = 7 is out of valid range");
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_where_takes_one_to_eight_dimensions) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_testing_expect_error(
      sli_testing_device_run(&h, "Where", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE_SCALAR))), NULL, 0),
      SLI_INVALID_ARGUMENT, "Unhandled input dimensions: 0");
  sli_testing_expect_error(
      sli_testing_device_run(
          &h, "Where", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1)))), NULL, 0),
      SLI_INVALID_ARGUMENT, "Unhandled input dimensions: 9");
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "Where", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(1, 1, 1, 1, 1, 1, 1, 2)))), NULL, 0));
  SLI_EXPECT(h.outputs[0].tensor->count == 8 && SLI_DATA(int64_t, h.outputs[0].tensor)[7] == 1);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_debug_copy_checks_its_specification) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_view_t bad[] = {sli_view("DebugIdentity;file:///tmp;0"), sli_view("DebugIdentity")};
  sli_attr_t specs = {.kind = SLI_ATTR_STRING, .is_list = true, .count = 2, .list.s = bad};
  sli_testing_expect_error(
      sli_testing_device_run(&h, "CopyHost", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(2)))),
                             SLI_TESTING_ATTRS({"debug_ops_spec", specs})),
      SLI_INTERNAL, "Unexpected number of semicolons in debug_ops_spec element: DebugIdentity");
  specs.count = 1;
  SLI_EXPECT_OK(sli_testing_device_run(&h, "CopyHost", SLI_TESTING_INPUTS(TENSOR(sli_testing_range(SLI_SHAPE(2)))),
                                       SLI_TESTING_ATTRS({"debug_ops_spec", specs})));
  expect_floats(h.outputs[0].tensor, SLI_SHAPE(2), (float[]){0, 1});
  sli_testing_device_deinitialize(&h);
}

SLI_TEST_MAIN(test_strided_copy_transposes_large_matrix, test_reshape_refuses_bad_sizes,
              test_reshape_of_overflowing_sizes_fails, test_strided_slice_negative_stride_and_extremes,
              test_gather_names_bad_index, test_tile_and_transpose_of_strings_keep_them,
              test_fill_refuses_negative_and_huge_dims, test_split_views_share_bytes_and_outlive_input,
              test_unique_treats_nan_as_distinct_and_zeros_as_one, test_reverse_of_a_scalar_ignores_axes,
              test_where_takes_one_to_eight_dimensions, test_debug_copy_checks_its_specification)
