// Cross entropies and bias: simple values and errors.
#include "base/test.h"
#include "ops/common/testing.h"

SLI_TEST(test_sparse_cross_entropy_of_equal_logits_is_log_of_classes) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  float logits[8] = {1000, 1000, 1000, 1000, 0, 0, 0, 0};  // the first row would overflow exp
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(2, 4), logits), sli_tensor_vector_int64((int64_t[]){0, 3}, 2)};
  SLI_REQUIRE_OK(sli_testing_run("SparseSoftmaxCrossEntropyWithLogits", NULL, 0, inputs, 2, outputs));
  for (int r = 0; r < 2; r++) {
    SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[r], log(4), 1e-4);
    for (int c = 0; c < 4; c++)
      SLI_EXPECT_NEAR(SLI_DATA(float, outputs[1])[r * 4 + c], 0.25 - (c == (r ? 3 : 0)), 1e-6);
  }
  sli_tensor_release(outputs[0]);
  sli_tensor_release(outputs[1]);
}

SLI_TEST(test_sparse_cross_entropy_refuses_a_label_outside) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  float logits[8] = {0};
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(2, 4), logits), sli_tensor_vector_int64((int64_t[]){0, 4}, 2)};
  sli_status_t *status = sli_testing_run("SparseSoftmaxCrossEntropyWithLogits", NULL, 0, inputs, 2, outputs);
  SLI_EXPECT_TEXT(sli_status_message(status),
                  "Received a label value of 4 which is outside the valid range of [0, 4).  Label values: 0 4");
  sli_status_release(status);
}

SLI_TEST(test_cross_entropy_broadcasts_one_row_of_labels) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  float logits[4] = {0, 0, 5, 5}, labels[2] = {0.5f, 0.5f};
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(2, 2), logits), sli_testing_floats(SLI_SHAPE(1, 2), labels)};
  SLI_REQUIRE_OK(sli_testing_run("SoftmaxCrossEntropyWithLogits", NULL, 0, inputs, 2, outputs));
  for (int r = 0; r < 2; r++) SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[r], log(2), 1e-6);
  sli_tensor_release(outputs[0]);
  sli_tensor_release(outputs[1]);
}

SLI_TEST(test_bias_add_along_both_channel_dimensions) {
  for (int first = 0; first < 2; first++) {
    sli_tensor_t *outputs[SLI_TESTING_MAX];
    float zeros[8] = {0};
    sli_attr_entry_t attrs[] = {SLI_ATTR_STRING_OF("data_format", first ? "NCHW" : "NHWC")};
    sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(1, 2, 2, 2), zeros),
                              sli_testing_floats(SLI_SHAPE(2), (float[]){1, 2})};
    SLI_REQUIRE_OK(sli_testing_run("BiasAdd", attrs, 1, inputs, 2, outputs));
    for (int i = 0; i < 8; i++) SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[i], first ? 1 + i / 4 : 1 + i % 2, 0);
    SLI_REQUIRE_OK(sli_testing_run("BiasAddGrad", attrs, 1, (sli_tensor_t *[]){outputs[0]}, 1, outputs));
    SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[0], 4, 0);
    SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[1], 8, 0);
    sli_tensor_release(outputs[0]);
  }
}

SLI_TEST_MAIN(test_sparse_cross_entropy_of_equal_logits_is_log_of_classes,
              test_sparse_cross_entropy_refuses_a_label_outside, test_cross_entropy_broadcasts_one_row_of_labels,
              test_bias_add_along_both_channel_dimensions)
