// Invalid shapes, ids, equations and axes of math ops give TensorFlow's errors and never crash.
#include "base/array.h"
#include "base/test.h"
#include "ops/common/testing.h"

static sli_tensor_t *floats(int64_t count, const float *values) { return sli_testing_floats(SLI_SHAPE(count), values); }
static sli_tensor_t *zeros(sli_shape_t shape) {
  static const float values[256];
  return sli_testing_floats(shape, values);
}
static sli_tensor_t *ints(int64_t count, const int32_t *values) { return sli_tensor_vector_int32(values, count); }

#define NO_ATTRS NULL, 0
#define EQUATION(text, n) (sli_attr_entry_t[]){SLI_ATTR_STRING_OF("equation", text), SLI_ATTR_INT_OF("N", n)}, 2

// Expects that the op fails with |text|. Consumes the inputs.
static void expect_error(int line, const char *op, const sli_attr_entry_t *attrs, size_t attr_count,
                         sli_tensor_t *const *inputs, int count, const char *text) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_status_t *status = sli_testing_run(op, attrs, attr_count, inputs, count, outputs);
  if (sli_status_code(status) == SLI_OK || !strstr(sli_status_message(status), text))
    sli_test_fail(__FILE__, line, "%s: \"%s\", expected \"%s\"", op, sli_status_message(status), text);
  for (int i = 0; i < SLI_TESTING_MAX; i++) sli_tensor_release(outputs[i]);
  sli_status_release(status);
}

static sli_tensor_t *run_one(const char *op, const sli_attr_entry_t *attrs, size_t attr_count,
                             sli_tensor_t *const *inputs, int count) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  SLI_EXPECT_OK(sli_testing_run(op, attrs, attr_count, inputs, count, outputs));
  for (int i = 1; i < SLI_TESTING_MAX; i++) sli_tensor_release(outputs[i]);
  SLI_CHECK(outputs[0]);
  return outputs[0];
}

static const float three[] = {1, 2, 4};

SLI_TEST(test_segments_refuse_bad_ids) {
  sli_tensor_t *down[] = {floats(3, three), ints(3, (int32_t[]){1, 0, 2})};
  expect_error(__LINE__, "SegmentSum", NO_ATTRS, down, 2, "segment ids are not increasing");
  sli_tensor_t *negative[] = {floats(3, three), ints(3, (int32_t[]){0, 1, -1})};
  expect_error(__LINE__, "SegmentMax", NO_ATTRS, negative, 2, "segment ids must be >= 0");
  sli_tensor_t *first[] = {floats(3, three), ints(3, (int32_t[]){-7, 0, 1})};
  expect_error(__LINE__, "SegmentMean", NO_ATTRS, first, 2, "Segment id -7 out of range [0, 2)");
  sli_tensor_t *few[] = {floats(3, three), ints(2, (int32_t[]){0, 1})};
  expect_error(__LINE__, "SegmentProd", NO_ATTRS, few, 2, "same size as dimension 0");
  sli_tensor_t *beyond[] = {floats(3, three), ints(3, (int32_t[]){0, -1, 2}), sli_tensor_scalar_int32(2)};
  expect_error(__LINE__, "UnsortedSegmentSum", NO_ATTRS, beyond, 3, "segment_ids[2] = 2 is out of range [0, 2)");
  sli_tensor_t *count[] = {floats(3, three), ints(3, (int32_t[]){0, 0, 0}), sli_tensor_scalar_int32(-2)};
  expect_error(__LINE__, "UnsortedSegmentMin", NO_ATTRS, count, 3, "num_segments == -2 must not be negative");
  sli_tensor_t *huge[] = {zeros(SLI_SHAPE(1, 64)), ints(1, (int32_t[]){0}), sli_tensor_scalar_int64(INT64_MAX / 2)};
  expect_error(__LINE__, "UnsortedSegmentSum", NO_ATTRS, huge, 3, "");
}

SLI_TEST(test_unsorted_segments_drop_negative_ids) {
  sli_tensor_t *inputs[] = {floats(3, three), ints(3, (int32_t[]){1, -1, 1}), sli_tensor_scalar_int32(3)};
  sli_tensor_t *sums = run_one("UnsortedSegmentSum", NO_ATTRS, inputs, 3);
  SLI_EXPECT_INT(sums->count, 3);
  SLI_EXPECT_NEAR(SLI_DATA(float, sums)[0], 0, 0);
  SLI_EXPECT_NEAR(SLI_DATA(float, sums)[1], 5, 0);
  SLI_EXPECT_NEAR(SLI_DATA(float, sums)[2], 0, 0);
  sli_tensor_release(sums);
}

SLI_TEST(test_einsum_refuses_bad_equations) {
  static const struct {
    const char *equation, *text;
  } cases[] = {{"i", "exactly one '->'"},
               {"i->j", "label 'j' which is not present"},
               {"..i->i", "found 2 periods"},
               {"ij->i", "Expected input 0 to have rank 2 but got: 1"},
               {"...->", "no ellipsis (...) was found in the output"},
               {"i,i->i", "Expected 2 inputs"}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    sli_tensor_t *inputs[] = {floats(3, three)};
    expect_error(__LINE__, "Einsum", EQUATION(cases[i].equation, 1), inputs, 1, cases[i].text);
  }
  sli_tensor_t *sizes[] = {floats(3, three), floats(2, three)};
  expect_error(__LINE__, "Einsum", EQUATION("i,i->", 2), sizes, 2, "Expected dimension 3 at axis 0");
}

SLI_TEST(test_einsum_over_nothing_is_zero) {
  sli_tensor_t *inputs[] = {zeros(SLI_SHAPE(2, 0)), zeros(SLI_SHAPE(0, 3))};
  sli_tensor_t *product = run_one("Einsum", EQUATION("ab,bc->ca", 2), inputs, 2);
  SLI_EXPECT_INT(product->count, 6);
  for (int i = 0; i < 6; i++) SLI_EXPECT_NEAR(SLI_DATA(float, product)[i], 0, 0);
  sli_tensor_release(product);
}

SLI_TEST(test_shapes_that_do_not_fit_are_refused) {
  sli_tensor_t *batches[] = {zeros(SLI_SHAPE(2, 3, 4)), zeros(SLI_SHAPE(3, 4, 5))};
  expect_error(__LINE__, "BatchMatMulV2", NO_ATTRS, batches, 2, "compatible batch dimensions: [2,3,4] vs. [3,4,5]");
  sli_tensor_t *inner[] = {zeros(SLI_SHAPE(2, 3)), zeros(SLI_SHAPE(4, 5))};
  expect_error(__LINE__, "BatchMatMul", NO_ATTRS, inner, 2, "Matrix size-incompatible");
  sli_tensor_t *vector[] = {zeros(SLI_SHAPE(2)), zeros(SLI_SHAPE(4, 5))};
  expect_error(__LINE__, "BatchMatMulV2", NO_ATTRS, vector, 2, "In[0] ndims must be >= 2: 1");
  sli_tensor_t *axis[] = {floats(3, three), sli_tensor_scalar_int32(1)};
  expect_error(__LINE__, "Cumsum", NO_ATTRS, axis, 2, "range [-1, 1), but got 1");
  sli_tensor_t *cross[] = {floats(2, three), floats(2, three)};
  expect_error(__LINE__, "Cross", NO_ATTRS, cross, 2, "only defined for 3-element vectors");
  sli_tensor_t *clip[] = {floats(3, three), floats(2, three), sli_tensor_scalar_float(1)};
  expect_error(__LINE__, "ClipByValue", NO_ATTRS, clip, 3, "same shape as input, or a scalar");
  sli_tensor_t *beta[] = {floats(3, three), floats(3, three), floats(2, three)};
  expect_error(__LINE__, "Betainc", NO_ATTRS, beta, 3, "Shapes of a and x are inconsistent: [3] vs. [2]");
  sli_tensor_t *space[] = {sli_tensor_scalar_float(0), sli_tensor_scalar_float(1), sli_tensor_scalar_int32(0)};
  expect_error(__LINE__, "LinSpace", NO_ATTRS, space, 3, "Requires num > 0: 0");
  sli_tensor_t *qr[] = {floats(3, three)};
  expect_error(__LINE__, "Qr", NO_ATTRS, qr, 1, "must have rank >= 2, got 1");
  sli_tensor_t *solve[] = {zeros(SLI_SHAPE(2, 3)), zeros(SLI_SHAPE(2, 1))};
  expect_error(__LINE__, "MatrixTriangularSolve", NO_ATTRS, solve, 2, "must be square (3 =/= 2)");
}

SLI_TEST(test_histograms_refuse_bad_values) {
  sli_tensor_t *nan[] = {floats(2, (float[]){1, NAN}), floats(2, (float[]){0, 3}), sli_tensor_scalar_int32(4)};
  expect_error(__LINE__, "HistogramFixedWidth", NO_ATTRS, nan, 3, "must not contain NaN");
  sli_tensor_t *range[] = {floats(2, three), floats(2, (float[]){3, 3}), sli_tensor_scalar_int32(4)};
  expect_error(__LINE__, "HistogramFixedWidth", NO_ATTRS, range, 3, "but got '[3, 3]'");
  sli_tensor_t *negative[] = {ints(2, (int32_t[]){0, -1}), sli_tensor_scalar_int32(3), zeros(SLI_SHAPE(0))};
  expect_error(__LINE__, "Bincount", NO_ATTRS, negative, 3, "Input arr must be non-negative!");
  sli_attr_entry_t unsorted = {"boundaries", {.kind = SLI_ATTR_FLOAT, .is_list = true, .count = 2}};
  unsorted.value.list.f = (float[]){2, 1};
  sli_tensor_t *values[] = {floats(3, three)};
  expect_error(__LINE__, "Bucketize", &unsorted, 1, values, 1, "Expected sorted boundaries");
}

SLI_TEST(test_histogram_keeps_far_values_in_the_outer_bins) {
  sli_tensor_t *inputs[] = {floats(4, (float[]){-INFINITY, -1e30f, 1e30f, INFINITY}), floats(2, (float[]){0, 1}),
                            sli_tensor_scalar_int32(3)};
  sli_tensor_t *bins = run_one("HistogramFixedWidth", NO_ATTRS, inputs, 3);
  SLI_EXPECT_INT(SLI_DATA(int32_t, bins)[0], 2);
  SLI_EXPECT_INT(SLI_DATA(int32_t, bins)[1], 0);
  SLI_EXPECT_INT(SLI_DATA(int32_t, bins)[2], 2);
  sli_tensor_release(bins);
}

SLI_TEST_MAIN(test_segments_refuse_bad_ids, test_unsorted_segments_drop_negative_ids, test_einsum_refuses_bad_equations,
              test_einsum_over_nothing_is_zero, test_shapes_that_do_not_fit_are_refused,
              test_histograms_refuse_bad_values, test_histogram_keeps_far_values_in_the_outer_bins)
