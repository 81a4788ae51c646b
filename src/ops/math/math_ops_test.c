// What the golden cases do not cover of the math ops: reuse of memory, errors found inside loops, limits of integers,
// empty and broadcast operands.
#include "base/test.h"
#include "ops/common/testing.h"

static sli_tensor_t *floats1(float a) { return sli_testing_floats(SLI_SHAPE(1), &a); }

SLI_TEST(test_add_reuses_the_memory_of_an_operand_it_alone_sees) {
  sli_tensor_t *outputs[SLI_TESTING_MAX], *x = floats1(1), *y = floats1(2);
  const void *memory = x->data;
  SLI_REQUIRE_OK(sli_testing_run("AddV2", NULL, 0, (sli_tensor_t *[]){x, y}, 2, outputs));
  SLI_EXPECT_NEAR(*SLI_DATA(float, outputs[0]), 3, 0);
  SLI_EXPECT(outputs[0]->data == memory);
  sli_tensor_release(outputs[0]);
}

SLI_TEST(test_add_leaves_a_shared_operand_alone) {
  sli_tensor_t *outputs[SLI_TESTING_MAX], *x = floats1(1);
  SLI_REQUIRE_OK(
      sli_testing_run("AddV2", NULL, 0, (sli_tensor_t *[]){sli_tensor_retain(x), sli_tensor_retain(x)}, 2, outputs));
  SLI_EXPECT_NEAR(*SLI_DATA(float, outputs[0]), 2, 0);
  SLI_EXPECT_NEAR(*SLI_DATA(float, x), 1, 0);
  sli_tensor_release(outputs[0]);
  sli_tensor_release(x);
}

SLI_TEST(test_binary_of_incompatible_shapes_is_an_error) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  float values[6] = {0};
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(2, 3), values), sli_testing_floats(SLI_SHAPE(2), values)};
  sli_status_t *status = sli_testing_run("Mul", NULL, 0, inputs, 2, outputs);
  SLI_EXPECT_INT(sli_status_code(status), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_TEXT(sli_status_message(status), "Incompatible shapes: [2,3] vs. [2]");
  sli_status_release(status);
}

static int64_t divide(const char *op, int64_t x, int64_t y, sli_code_t wanted) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_tensor_t *inputs[] = {sli_tensor_scalar_int64(x), sli_tensor_scalar_int64(y)};
  SLI_EXPECT_STATUS(sli_testing_run(op, NULL, 0, inputs, 2, outputs), wanted);
  int64_t result = outputs[0] ? *SLI_DATA(int64_t, outputs[0]) : 0;
  sli_tensor_release(outputs[0]);
  return result;
}

SLI_TEST(test_integer_division_rounds_fails_on_zero_and_never_traps) {
  SLI_EXPECT_INT(divide("FloorDiv", -7, 2, SLI_OK), -4);
  SLI_EXPECT_INT(divide("FloorMod", -7, 2, SLI_OK), 1);
  SLI_EXPECT_INT(divide("TruncateDiv", -7, 2, SLI_OK), -3);
  SLI_EXPECT_INT(divide("TruncateMod", -7, 2, SLI_OK), -1);
  SLI_EXPECT_INT(divide("FloorDiv", INT64_MIN, -1, SLI_OK), INT64_MIN);
  SLI_EXPECT_INT(divide("FloorMod", INT64_MIN, -1, SLI_OK), 0);
  divide("FloorDiv", 1, 0, SLI_INVALID_ARGUMENT);
  divide("TruncateMod", 1, 0, SLI_INVALID_ARGUMENT);
  SLI_EXPECT_INT(divide("Pow", 3, 4, SLI_OK), 81);
  divide("Pow", 2, -1, SLI_INVALID_ARGUMENT);
}

SLI_TEST(test_cast_out_of_range_is_defined) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  float values[] = {1e20f, -1e20f, NAN, -2.9f};
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(4), values)};
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("DstT", SLI_DTYPE_INT32)};
  SLI_REQUIRE_OK(sli_testing_run("Cast", attrs, 1, inputs, 1, outputs));
  const int32_t *got = SLI_DATA(int32_t, outputs[0]);
  SLI_EXPECT(got[0] == INT32_MIN && got[1] == INT32_MIN && got[2] == INT32_MIN);
  SLI_EXPECT_INT(got[3], -2);
  sli_tensor_release(outputs[0]);
}

static void expect_sum(sli_shape_t shape, const int32_t *axes, int axis_count, const float *wanted, int count) {
  float values[24];
  for (int i = 0; i < 24; i++) values[i] = (float)i;
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_tensor_t *inputs[] = {sli_testing_floats(shape, values), sli_tensor_vector_int32(axes, axis_count)};
  SLI_REQUIRE_OK(sli_testing_run("Sum", NULL, 0, inputs, 2, outputs));
  SLI_EXPECT_INT(outputs[0]->count, count);
  for (int i = 0; i < count && i < outputs[0]->count; i++)
    SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[i], wanted[i], 0);
  sli_tensor_release(outputs[0]);
}

SLI_TEST(test_sum_over_any_axes) {
  expect_sum(SLI_SHAPE(2, 3), (int32_t[]){0}, 1, (float[]){3, 5, 7}, 3);
  expect_sum(SLI_SHAPE(2, 3), (int32_t[]){-1}, 1, (float[]){3, 12}, 2);
  expect_sum(SLI_SHAPE(2, 3), (int32_t[]){0, 1}, 2, (float[]){15}, 1);
  expect_sum(SLI_SHAPE(2, 3, 4), (int32_t[]){0, 2}, 2, (float[]){60, 92, 124}, 3);
  expect_sum(SLI_SHAPE(2, 3), (int32_t[]){0}, 0, (float[]){0, 1, 2, 3, 4, 5}, 6);
  expect_sum(SLI_SHAPE(0, 2), (int32_t[]){0}, 1, (float[]){0, 0}, 2);
}

SLI_TEST(test_sum_refuses_bad_axes) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_tensor_t *inputs[] = {floats1(1), sli_tensor_vector_int32((int32_t[]){1}, 1)};
  SLI_EXPECT_STATUS(sli_testing_run("Sum", NULL, 0, inputs, 2, outputs), SLI_INVALID_ARGUMENT);
}

SLI_TEST(test_sum_split_over_threads_is_exact) {
  enum { COUNT = 500000 };
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 2, NULL);
  float *ones = sli_malloc(COUNT * sizeof(float));
  for (int i = 0; i < COUNT; i++) ones[i] = 1;
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(COUNT), ones), sli_tensor_scalar_int32(0)}, *outputs[1];
  sli_testing_node_t node;
  SLI_EXPECT_OK(sli_testing_node_initialize(&node, "Sum", pool, NULL, 0, inputs, 2));
  SLI_EXPECT_OK(sli_testing_node_run(&node, inputs, 2, outputs));
  if (outputs[0]) SLI_EXPECT_NEAR(*SLI_DATA(float, outputs[0]), COUNT, 0);
  sli_tensor_release(outputs[0]);
  sli_testing_node_deinitialize(&node);
  sli_thread_pool_destroy(pool);
  free(ones);
}

SLI_TEST(test_matmul_of_mismatched_matrices_is_an_error) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  float values[6] = {0};
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(2, 3), values), sli_testing_floats(SLI_SHAPE(2, 3), values)};
  sli_status_t *status = sli_testing_run("MatMul", NULL, 0, inputs, 2, outputs);
  SLI_EXPECT_TEXT(sli_status_message(status), "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]");
  sli_status_release(status);
}

SLI_TEST(test_fused_matmul_adds_bias_and_activates) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_view_t fused[] = {sli_view("BiasAdd"), sli_view("Relu")};
  sli_attr_entry_t attrs[] = {
      SLI_ATTR_INT_OF("num_args", 1),
      {"fused_ops", {.kind = SLI_ATTR_STRING, .is_list = true, .count = 2, .list = {.s = fused}}}};
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(1, 2), (float[]){1, 2}),
                            sli_testing_floats(SLI_SHAPE(2, 2), (float[]){1, -1, 1, -1}),
                            sli_testing_floats(SLI_SHAPE(2), (float[]){0.5f, 1})};
  SLI_REQUIRE_OK(sli_testing_run("_FusedMatMul", attrs, 2, inputs, 3, outputs));
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[0], 3.5, 1e-6);
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[1], 0, 0);
  sli_tensor_release(outputs[0]);
}

SLI_TEST_MAIN(test_add_reuses_the_memory_of_an_operand_it_alone_sees, test_add_leaves_a_shared_operand_alone,
              test_binary_of_incompatible_shapes_is_an_error,
              test_integer_division_rounds_fails_on_zero_and_never_traps, test_cast_out_of_range_is_defined,
              test_sum_over_any_axes, test_sum_refuses_bad_axes, test_sum_split_over_threads_is_exact,
              test_matmul_of_mismatched_matrices_is_an_error, test_fused_matmul_adds_bias_and_activates)
