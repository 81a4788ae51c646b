// Edge cases of linear algebra that golden cases cannot hold: ops of old graphs, and the gradient of Cholesky.
#include <math.h>

#include "core/op/gradient.h"
#include "math/lapack.h"
#include "ops/common/testing.h"

static sli_tensor_t *doubles(sli_shape_t shape, const double *values) {
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_DOUBLE, shape.dims, shape.rank, &tensor));
  if (tensor->count) memcpy(tensor->data, values, sli_tensor_bytes(tensor));
  return tensor;
}
#define SHAPE(...) ((sli_shape_t){sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__}})
#define DOUBLES(...) ((const double[]){__VA_ARGS__})

// Runs |op| on square matrices of order 2 and compares output 0 with |wanted|.
static void expect(const char *op, sli_tensor_t *const *inputs, int input_count, const double *wanted, int count) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  SLI_EXPECT_OK(sli_testing_run(op, NULL, 0, inputs, input_count, outputs));
  SLI_REQUIRE(outputs[0]);
  SLI_EXPECT(outputs[0]->count == count);
  for (int i = 0; i < count && i < outputs[0]->count; i++)
    SLI_EXPECT(fabs(SLI_DATA(double, outputs[0])[i] - wanted[i]) <= 1e-9 * (1 + fabs(wanted[i])));
  for (int i = 0; i < SLI_TESTING_MAX; i++) sli_tensor_release(outputs[i]);
}

SLI_TEST(test_ops_of_old_graphs_compute) {
  sli_shape_t square = SHAPE(2, 2);
  const double *spd = DOUBLES(4, 2, 2, 5);
  expect("BatchCholesky", (sli_tensor_t *[]){doubles(square, spd)}, 1, DOUBLES(2, 0, 1, 2), 4);
  expect("BatchMatrixDeterminant", (sli_tensor_t *[]){doubles(square, spd)}, 1, DOUBLES(16), 1);
  expect("BatchMatrixInverse", (sli_tensor_t *[]){doubles(square, spd)}, 1, DOUBLES(0.3125, -0.125, -0.125, 0.25), 4);
  sli_tensor_t *system[] = {doubles(square, spd), doubles(SHAPE(2, 1), DOUBLES(8, 12))};
  expect("BatchMatrixSolve", system, 2, DOUBLES(1, 2), 2);
  sli_tensor_t *lower[] = {doubles(square, DOUBLES(2, 7, 1, 4)), doubles(SHAPE(2, 1), DOUBLES(2, 9))};
  expect("BatchMatrixTriangularSolve", lower, 2, DOUBLES(1, 2), 2);
  sli_tensor_t *least[] = {doubles(square, spd), doubles(SHAPE(2, 1), DOUBLES(8, 12)),
                           doubles(SLI_SHAPE_SCALAR, DOUBLES(0))};
  expect("BatchMatrixSolveLs", least, 3, DOUBLES(1, 2), 2);
  expect("BatchSvd", (sli_tensor_t *[]){doubles(square, DOUBLES(3, 0, 0, -2))}, 1, DOUBLES(3, 2), 2);
  expect("BatchSelfAdjointEigV2", (sli_tensor_t *[]){doubles(square, DOUBLES(2, 9, 1, 2))}, 1, DOUBLES(1, 3), 2);
  // Values in the first row, then vectors.
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_tensor_t *symmetric[] = {doubles(square, DOUBLES(2, 9, 1, 2))};
  SLI_EXPECT_OK(sli_testing_run("SelfAdjointEig", NULL, 0, symmetric, 1, outputs));
  SLI_REQUIRE(outputs[0] && outputs[0]->count == 6);
  static const double absolute[] = {1, 3, M_SQRT1_2, M_SQRT1_2, M_SQRT1_2, M_SQRT1_2};
  for (int i = 0; i < 6; i++) SLI_EXPECT(fabs(fabs(SLI_DATA(double, outputs[0])[i]) - absolute[i]) < 1e-12);
  sli_tensor_release(outputs[0]);
}

SLI_TEST(test_matrix_exponential) {
  sli_shape_t square = SHAPE(2, 2);
  // exp of a rotation's generator, of a nilpotent matrix, and of one with a large norm.
  expect("MatrixExponential", (sli_tensor_t *[]){doubles(square, DOUBLES(0, -1, 1, 0))}, 1,
         DOUBLES(cos(1), -sin(1), sin(1), cos(1)), 4);
  expect("MatrixExponential", (sli_tensor_t *[]){doubles(square, DOUBLES(0, 5, 0, 0))}, 1, DOUBLES(1, 5, 0, 1), 4);
  expect("MatrixExponential", (sli_tensor_t *[]){doubles(square, DOUBLES(20, 20, 0, -20))}, 1,
         DOUBLES(exp(20), (exp(20) - exp(-20)) / 2, 0, exp(-20)), 4);
}

// Moves L along G and back: the derivative of Σ G L(A) by a symmetric change of A is what CholeskyGrad gives.
SLI_TEST(test_cholesky_grad_is_the_derivative) {
  sli_shape_t square = SHAPE(3, 3);
  const double a[] = {4, 1, -1, 1, 5, 2, -1, 2, 6}, weights[] = {0.3, 0, 0, -1, 2, 0, 0.7, 0.4, -0.6};
  const double step = 1e-6;
  sli_tensor_t *outputs[SLI_TESTING_MAX], *factors[2];
  SLI_EXPECT_OK(sli_testing_run("Cholesky", NULL, 0, (sli_tensor_t *[]){doubles(square, a)}, 1, outputs));
  SLI_REQUIRE(outputs[0]);
  sli_tensor_t *inputs[] = {outputs[0], doubles(square, weights)};
  SLI_EXPECT_OK(sli_testing_run("CholeskyGrad", NULL, 0, inputs, 2, outputs));
  SLI_REQUIRE(outputs[0]);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      double sums[2] = {0};
      for (int side = 0; side < 2; side++) {
        double moved[9];
        memcpy(moved, a, sizeof(moved));
        moved[3 * i + j] += side ? step : -step;
        sli_tensor_t *ignored[SLI_TESTING_MAX];
        SLI_EXPECT_OK(sli_testing_run("Cholesky", NULL, 0, (sli_tensor_t *[]){doubles(square, moved)}, 1, ignored));
        factors[side] = ignored[0];
        for (int k = 0; k < 9; k++) sums[side] += weights[k] * SLI_DATA(double, factors[side])[k];
        sli_tensor_release(factors[side]);
      }
      const double *g = SLI_DATA(double, outputs[0]);
      double have = i == j ? g[4 * i] : g[3 * i + j] + g[3 * j + i];
      SLI_EXPECT(fabs(have - (sums[1] - sums[0]) / (2 * step)) < 1e-6);
    }
  }
  sli_tensor_release(outputs[0]);
}

SLI_TEST(test_the_library_is_loaded_once) {
  SLI_EXPECT_OK(sli_lapack_load());
  SLI_EXPECT_OK(sli_lapack_load());
}

SLI_TEST_MAIN(test_ops_of_old_graphs_compute, test_matrix_exponential, test_cholesky_grad_is_the_derivative,
              test_the_library_is_loaded_once)
