// Pooling, batch normalisation and top-k: ties, paddings, edge cases and errors. The golden tests compare all ops with
// TensorFlow.
#include "base/test.h"
#include "ops/common/testing.h"

#define LIST4(name, a, b, c, d)                                                                     \
  {                                                                                                 \
    name, {                                                                                         \
      .kind = SLI_ATTR_INT, .is_list = true, .count = 4, .list.i = (const int64_t[]) { a, b, c, d } \
    }                                                                                               \
  }

// A 2 x 4 image of one channel under windows of 2 x 2.
SLI_TEST(test_max_pool_gradient_goes_to_the_first_of_equals) {
  sli_attr_entry_t attrs[] = {LIST4("ksize", 1, 2, 2, 1), LIST4("strides", 1, 2, 2, 1),
                              SLI_ATTR_STRING_OF("padding", "VALID")};
  const float image[] = {1, 5, 7, 7, 5, 2, 7, 0};
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(1, 2, 4, 1), image),
                            sli_testing_floats(SLI_SHAPE(1, 1, 2, 1), (float[]){5, 7}),
                            sli_testing_floats(SLI_SHAPE(1, 1, 2, 1), (float[]){10, 20})};
  SLI_REQUIRE_OK(sli_testing_run("MaxPoolGrad", attrs, 3, inputs, 3, outputs));
  const float wanted[] = {0, 10, 20, 0, 0, 0, 0, 0};
  for (int i = 0; i < 8; i++) SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[i], wanted[i], 0);
  sli_tensor_release(outputs[0]);
}

SLI_TEST(test_overlapping_windows_add_their_gradients) {
  sli_attr_entry_t attrs[] = {LIST4("ksize", 1, 1, 2, 1), LIST4("strides", 1, 1, 1, 1),
                              SLI_ATTR_STRING_OF("padding", "VALID")};
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(1, 1, 3, 1), (float[]){1, 9, 2}),
                            sli_testing_floats(SLI_SHAPE(1, 1, 2, 1), (float[]){9, 9}),
                            sli_testing_floats(SLI_SHAPE(1, 1, 2, 1), (float[]){3, 4})};
  SLI_REQUIRE_OK(sli_testing_run("MaxPoolGrad", attrs, 3, inputs, 3, outputs));
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[0], 0, 0);
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[1], 7, 0);
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[2], 0, 0);
  sli_tensor_release(outputs[0]);
}

SLI_TEST(test_avg_pool_does_not_count_padding) {
  sli_attr_entry_t attrs[] = {LIST4("ksize", 1, 1, 2, 1), LIST4("strides", 1, 1, 2, 1),
                              SLI_ATTR_STRING_OF("padding", "SAME")};
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(1, 1, 3, 1), (float[]){1, 3, 8})};
  SLI_REQUIRE_OK(sli_testing_run("AvgPool", attrs, 3, inputs, 1, outputs));
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[0], 2, 0);
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[1], 8, 0);
  sli_tensor_release(outputs[0]);
}

static void expect_pool_error(const char *op, const sli_attr_entry_t *attrs, size_t attr_count,
                              sli_tensor_t *const *inputs, int count, const char *text) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_status_t *status = sli_testing_run(op, attrs, attr_count, inputs, count, outputs);
  SLI_EXPECT_CONTAINS(sli_status_message(status), text);
  sli_status_release(status);
}

SLI_TEST(test_pooling_refuses_bad_windows_and_shapes) {
  float zeros[64] = {0};
  sli_attr_entry_t good[] = {LIST4("ksize", 1, 2, 2, 1), LIST4("strides", 1, 2, 2, 1),
                             SLI_ATTR_STRING_OF("padding", "VALID")};
  sli_attr_entry_t zero[] = {LIST4("ksize", 1, 0, 2, 1), LIST4("strides", 1, 2, 2, 1),
                             SLI_ATTR_STRING_OF("padding", "VALID")};
  sli_attr_entry_t huge[] = {LIST4("ksize", 1, INT64_MAX, 2, 1), LIST4("strides", 1, 2, 2, 1),
                             SLI_ATTR_STRING_OF("padding", "VALID")};
#define F(...) sli_testing_floats(SLI_SHAPE(__VA_ARGS__), zeros)
  expect_pool_error("MaxPool", zero, 3, (sli_tensor_t *[]){F(1, 4, 4, 1)}, 1,
                    "Sliding window ksize for dimension 1 was zero.");
  expect_pool_error("MaxPool", huge, 3, (sli_tensor_t *[]){F(1, 4, 4, 1)}, 1,
                    "must fit int32, got 9223372036854775807");
  expect_pool_error("AvgPool", zero, 3, (sli_tensor_t *[]){F(1, 4, 4, 1)}, 1,
                    "ksize must be a postive int32 value, got:0");
  expect_pool_error("MaxPoolGrad", good, 3, (sli_tensor_t *[]){F(1, 4, 4, 1), F(1, 2, 2, 1), F(1, 3, 2, 1)}, 3,
                    "Expected grad shape to be [1,2,2,1], but got [1,3,2,1]");
  expect_pool_error("AvgPoolGrad", good, 3,
                    (sli_tensor_t *[]){sli_tensor_vector_int32((int32_t[]){2, 4, 4, 1}, 4), F(1, 2, 2, 1)}, 2,
                    "Expected grad shape to be [2,2,2,1]");
}

SLI_TEST(test_gradient_with_argmax_refuses_places_outside) {
  float zeros[16] = {0};
  sli_attr_entry_t attrs[] = {LIST4("ksize", 1, 2, 2, 1), LIST4("strides", 1, 2, 2, 1),
                              SLI_ATTR_STRING_OF("padding", "VALID")};
  for (int64_t place = -1; place <= 4; place += 5) {
    sli_tensor_t *argmax = sli_tensor_vector_int64(&place, 1);
    sli_tensor_t *shaped = sli_tensor_view(argmax, SLI_DTYPE_INT64, 0, (int64_t[]){1, 1, 1, 1}, 4);
    sli_tensor_release(argmax);
    expect_pool_error("MaxPoolGradWithArgmax", attrs, 3, (sli_tensor_t *[]){F(1, 2, 2, 1), F(1, 1, 1, 1), shaped}, 3,
                      "Invalid input grad_out_index");
  }
}

SLI_TEST(test_batch_norm_keeps_digits_of_a_large_mean) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_attr_entry_t attrs[] = {SLI_ATTR_FLOAT_OF("epsilon", 0)};
  sli_tensor_t *one = sli_testing_floats(SLI_SHAPE(1), (float[]){1}), *none = sli_tensor_empty_float();
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(1, 1, 2, 1), (float[]){9999, 10001}), sli_tensor_retain(one),
                            one, sli_tensor_retain(none), none};
  SLI_REQUIRE_OK(sli_testing_run("FusedBatchNormV3", attrs, 1, inputs, 5, outputs));
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[0], 0, 1e-6);
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[1], 2, 1e-6);
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[1])[0], 10000, 0);
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[2])[0], 2, 1e-6);  // unbiased variance of two values
  SLI_EXPECT_NEAR(SLI_DATA(float, outputs[4])[0], 1, 1e-6);
  for (int i = 0; i < 6; i++) sli_tensor_release(outputs[i]);
}

SLI_TEST(test_top_k_orders_equals_by_place) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(6), (float[]){3, 9, 3, 9, -1, 3}), sli_tensor_scalar_int32(5)};
  SLI_REQUIRE_OK(sli_testing_run("TopKV2", NULL, 0, inputs, 2, outputs));
  const int32_t places[] = {1, 3, 0, 2, 5};
  for (int i = 0; i < 5; i++) SLI_EXPECT_INT(SLI_DATA(int32_t, outputs[1])[i], places[i]);
  sli_tensor_release(outputs[0]);
  sli_tensor_release(outputs[1]);
  expect_pool_error("TopKV2", NULL, 0,
                    (sli_tensor_t *[]){sli_testing_floats(SLI_SHAPE(1), (float[]){1}), sli_tensor_scalar_int32(2)}, 2,
                    "input must have at least k columns. Had 1, needed 2");
}

SLI_TEST_MAIN(test_max_pool_gradient_goes_to_the_first_of_equals, test_overlapping_windows_add_their_gradients,
              test_avg_pool_does_not_count_padding, test_pooling_refuses_bad_windows_and_shapes,
              test_gradient_with_argmax_refuses_places_outside, test_batch_norm_keeps_digits_of_a_large_mean,
              test_top_k_orders_equals_by_place)
