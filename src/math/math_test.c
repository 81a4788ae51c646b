// 16-bit floats, broadcasting, Philox and matrix products.
#include <complex.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/test.h"
#include "math/broadcast.h"
#include "math/gemm.h"
#include "math/half.h"
#include "math/philox.h"

SLI_TEST(test_half_every_value_round_trips) {
  for (uint32_t h = 0; h < 0x10000; h++) {
    float value = sli_half_to_float((sli_half_t)h);
    if ((h & 0x7c00) == 0x7c00 && (h & 0x3ff)) {
      SLI_EXPECT(isnan(value));
      SLI_EXPECT_INT(sli_half_from_float(value), (h & 0x8000) | 0x7e00);
    } else {
      SLI_EXPECT_INT(sli_half_from_float(value), h);
    }
  }
}

SLI_TEST(test_half_known_values) {
  SLI_EXPECT_NEAR(sli_half_to_float(0x3c01), 1.0009765625, 0);
  SLI_EXPECT_NEAR(sli_half_to_float(0x0001), 5.9604644775390625e-8, 0);
  SLI_EXPECT_INT(sli_half_from_float(65520.0f), 0x7c00);  // rounds to infinity
  SLI_EXPECT_INT(sli_half_from_float(65519.0f), 0x7bff);
  SLI_EXPECT_INT(sli_half_from_float(1.00048828125f), 0x3c00);  // a tie, rounded to even
  SLI_EXPECT_INT(sli_half_from_float(1.00146484375f), 0x3c02);
  SLI_EXPECT_INT(sli_half_from_float(-0.0f), 0x8000);
}

SLI_TEST(test_bfloat16_rounds_to_nearest_even) {
  SLI_EXPECT_INT(sli_bfloat16_from_float(1.0f), 0x3f80);
  SLI_EXPECT_INT(sli_bfloat16_from_float(1.00390625f), 0x3f80);  // a tie
  SLI_EXPECT_INT(sli_bfloat16_from_float(1.01171875f), 0x3f82);
  SLI_EXPECT_INT(sli_bfloat16_from_float(NAN), 0x7fc0);
  SLI_EXPECT_INT(sli_bfloat16_from_float(3.4e38f), 0x7f80);
}

typedef struct {
  int64_t *a, *b;  // offset of each operand for each element of the result
  int runs;
} record_t;

static void record(void *context, const int64_t *offsets, const int64_t *strides, int64_t out, int64_t count) {
  record_t *r = context;
  for (int64_t i = 0; i < count; i++) {
    r->a[out + i] = offsets[0] + i * strides[0];
    r->b[out + i] = offsets[1] + i * strides[1];
  }
  r->runs++;
}

static void check_broadcast(sli_shape_t a, sli_shape_t b, int wanted_rank) {
  sli_broadcast_t plan;
  SLI_REQUIRE_OK(sli_broadcast_plan((sli_shape_t[]){a, b}, 2, &plan));
  SLI_EXPECT_INT(plan.rank, wanted_rank);
  record_t r = {malloc((size_t)plan.count * 8 + 8), malloc((size_t)plan.count * 8 + 8), 0};
  // In two parts of different size, like two threads.
  sli_broadcast_walk(&plan, 0, plan.count / 3, record, &r);
  sli_broadcast_walk(&plan, plan.count / 3, plan.count, record, &r);
  for (int64_t i = 0; i < plan.count; i++) {
    sli_shape_t shapes[2] = {a, b};
    int64_t offsets[2];
    for (int k = 0; k < 2; k++) {
      int64_t rest = i, stride = 1;
      offsets[k] = 0;
      for (int d = plan.out_rank - 1; d >= 0; d--) {
        int own = d - (plan.out_rank - shapes[k].rank);
        int64_t index = rest % plan.out_dims[d];
        rest /= plan.out_dims[d];
        if (own < 0) continue;
        if (shapes[k].dims[own] != 1) offsets[k] += index * stride;
        stride *= shapes[k].dims[own];
      }
    }
    SLI_EXPECT_INT(r.a[i], offsets[0]);
    SLI_EXPECT_INT(r.b[i], offsets[1]);
  }
  free(r.a);
  free(r.b);
}

SLI_TEST(test_broadcast_walks_all_combinations) {
  check_broadcast(SLI_SHAPE(2, 3, 4), SLI_SHAPE(2, 3, 4), 1);
  check_broadcast(SLI_SHAPE(2, 3, 4), SLI_SHAPE_SCALAR, 1);
  check_broadcast(SLI_SHAPE(2, 3, 4), SLI_SHAPE(4), 2);
  check_broadcast(SLI_SHAPE(2, 3, 4), SLI_SHAPE(3, 1), 3);
  check_broadcast(SLI_SHAPE(2, 1, 4, 1), SLI_SHAPE(3, 1, 5), 4);
  check_broadcast(SLI_SHAPE(7, 1), SLI_SHAPE(1, 5), 2);
  check_broadcast(SLI_SHAPE(1, 1), SLI_SHAPE(1), 1);
  check_broadcast(SLI_SHAPE(0, 3), SLI_SHAPE(1, 3), 2);
}

SLI_TEST(test_broadcast_of_incompatible_shapes_fails) {
  sli_broadcast_t plan;
  sli_status_t *status = sli_broadcast_plan((sli_shape_t[]){SLI_SHAPE(2), SLI_SHAPE(3)}, 2, &plan);
  SLI_EXPECT_TEXT(sli_status_message(status), "Incompatible shapes: [2] vs. [3]");
  SLI_EXPECT_INT(sli_status_code(status), SLI_INVALID_ARGUMENT);
  sli_status_release(status);
}

// Values of TensorFlow 2.15 for seed 7 and seed2 as given, two runs in a row.
static void expect_words(sli_philox_kind_t kind, uint64_t seed2, const uint32_t *wanted, int count, int size) {
  sli_philox_stream_t stream;
  sli_philox_stream_initialize(&stream, 7, seed2);
  for (int run = 0; run < 2; run++) {
    float values[16];
    sli_philox_fill(NULL, sli_philox_stream_reserve(&stream, sli_philox_groups(size)), kind, SLI_DTYPE_FLOAT, 0, 0,
                    values, size);
    for (int i = 0; i < count; i++) {
      // logf, sinf and cosf may differ in the last bit between C libraries.
      int64_t difference = (int64_t)sli_half_float_to_bits(values[i]) - (int64_t)wanted[run * count + i];
      SLI_EXPECT(llabs(difference) <= (kind == SLI_PHILOX_UNIFORM ? 0 : 2));
    }
  }
  sli_philox_stream_deinitialize(&stream);
}

SLI_TEST(test_philox_gives_tensorflows_values) {
  expect_words(SLI_PHILOX_UNIFORM, 11,
               (uint32_t[]){1019081024, 1036763168, 1058124358, 1058377722, 1055817820, 1062918506, 1061851202,
                            1059473832, 1061655756, 1051058072},
               5, 5);
  expect_words(SLI_PHILOX_NORMAL, 12,
               (uint32_t[]){3203145269, 3167769302, 3215161545, 1057532629, 3195250968, 3219902963, 1066442508,
                            3155114742, 1063604853, 3215738987},
               5, 5);
  expect_words(SLI_PHILOX_TRUNCATED_NORMAL, 13,
               (uint32_t[]){1061316688, 3192699604, 1050846071, 3182473764, 3203384335, 1072827136, 1067199988,
                            3201403058, 1048359131, 3203493071, 3215388682, 3215823894, 3219237515, 3213719227,
                            1063244848, 1052627163, 3206592682, 3214891344},
               9, 9);
}

SLI_TEST(test_philox_wide_and_narrow_types_give_tensorflows_values) {
  sli_philox_stream_t stream;
  double d[5];
  static const double wanted[] = {-0.24118222974401818, -0.4511136841259178, 1.3774670848901098, 1.638683895056952,
                                  0.05713463125851657,  1.3489368888941644,  0.5624151762782998, 0.18236341588454758,
                                  -0.6428421284424619,  -1.6102040868658072};
  sli_philox_stream_initialize(&stream, 7, 13);
  for (int run = 0; run < 2; run++) {
    sli_philox_fill(NULL, sli_philox_stream_reserve(&stream, sli_philox_groups(5)), SLI_PHILOX_TRUNCATED_NORMAL,
                    SLI_DTYPE_DOUBLE, 0, 0, d, 5);
    for (int i = 0; i < 5; i++) SLI_EXPECT_NEAR(d[i], wanted[run * 5 + i], 1e-14);
  }
  sli_philox_stream_deinitialize(&stream);
  sli_philox_t generator = sli_philox_from_seeds(7, 11);
  sli_half_t h[4];
  sli_philox_fill(NULL, generator, SLI_PHILOX_UNIFORM, SLI_DTYPE_HALF, 0, 0, h, 4);
  static const double half_wanted[] = {0.9423828125, 0.001953125, 0.2841796875, 0.9970703125};
  for (int i = 0; i < 4; i++) SLI_EXPECT_NEAR(sli_half_to_float(h[i]), half_wanted[i], 0);
  int64_t n[4];
  sli_philox_fill(NULL, generator, SLI_PHILOX_UNIFORM_INT, SLI_DTYPE_INT64, -5, 1000000000005, n, 4);
  static const int64_t int_wanted[] = {175390847057, 413286051529, 745511285809, 547881951001};
  for (int i = 0; i < 4; i++) SLI_EXPECT_INT(n[i], int_wanted[i]);
}

SLI_TEST(test_philox_skip_equals_drawing) {
  sli_philox_t a = {{0xfffffffe, 0xffffffff, 0xffffffff, 3}, {5, 6}}, b = a;
  uint32_t words[4];
  for (int i = 0; i < 5; i++) sli_philox_next(&a, words);
  sli_philox_skip(&b, 5);
  SLI_EXPECT(memcmp(&a, &b, sizeof(a)) == 0);
  SLI_EXPECT_INT(a.counter[3], 4);
}

// The real part of an element of any type, as a double.
static double load(sli_dtype_t dtype, const void *data, int64_t i) {
  switch (dtype) {
    case SLI_DTYPE_FLOAT: return ((const float *)data)[i];
    case SLI_DTYPE_DOUBLE: return ((const double *)data)[i];
    case SLI_DTYPE_INT16: return ((const int16_t *)data)[i];
    case SLI_DTYPE_INT32: return ((const int32_t *)data)[i];
    case SLI_DTYPE_INT64: return (double)((const int64_t *)data)[i];
    case SLI_DTYPE_HALF: return sli_half_to_float(((const uint16_t *)data)[i]);
    case SLI_DTYPE_BFLOAT16: return sli_bfloat16_to_float(((const uint16_t *)data)[i]);
    case SLI_DTYPE_COMPLEX64: return crealf(((const float complex *)data)[i]);
    default: return creal(((const double complex *)data)[i]);
  }
}

static void store(sli_dtype_t dtype, void *data, int64_t i, int value) {
  switch (dtype) {
    case SLI_DTYPE_FLOAT: ((float *)data)[i] = (float)value; break;
    case SLI_DTYPE_DOUBLE: ((double *)data)[i] = value; break;
    case SLI_DTYPE_INT16: ((int16_t *)data)[i] = (int16_t)value; break;
    case SLI_DTYPE_INT32: ((int32_t *)data)[i] = value; break;
    case SLI_DTYPE_INT64: ((int64_t *)data)[i] = value; break;
    case SLI_DTYPE_HALF: ((uint16_t *)data)[i] = sli_half_from_float((float)value); break;
    case SLI_DTYPE_BFLOAT16: ((uint16_t *)data)[i] = sli_bfloat16_from_float((float)value); break;
    case SLI_DTYPE_COMPLEX64: ((float complex *)data)[i] = (float)value; break;
    default: ((double complex *)data)[i] = value;
  }
}

// A sink that stores C.
typedef struct {
  char *c;
  size_t size;
  _Atomic int64_t taken;
} keeper_t;

static void keep(void *context, const void *values, int64_t first, int64_t count) {
  keeper_t *keeper = context;
  memcpy(keeper->c + (size_t)first * keeper->size, values, (size_t)count * keeper->size);
  atomic_fetch_add(&keeper->taken, count);
}

static void check_gemm(sli_thread_pool_t *pool, sli_gemm_t p) {
  size_t size = sli_dtype_size(p.dtype);
  void *a = malloc((size_t)(p.m * p.k) * size + 1), *b = malloc((size_t)(p.k * p.n) * size + 1);
  void *c = malloc((size_t)(p.m * p.n) * size + 1);
  for (int64_t i = 0; i < p.m * p.k; i++) store(p.dtype, a, i, (int)(i * 7 % 5) - 2);
  for (int64_t i = 0; i < p.k * p.n; i++) store(p.dtype, b, i, (int)(i * 11 % 7) - 3);
  keeper_t keeper = {c, size};
  if (p.sink.take) p.sink.context = &keeper;
  SLI_EXPECT_OK(sli_gemm(pool, &p, a, b, p.sink.take ? NULL : c));
  SLI_EXPECT_INT(keeper.taken, p.sink.take ? p.m * p.n : 0);
  for (int64_t i = 0; i < p.m; i++) {
    for (int64_t j = 0; j < p.n; j++) {
      double sum = 0;
      for (int64_t q = 0; q < p.k; q++)
        sum += load(p.dtype, a, p.transpose_a ? q * p.m + i : i * p.k + q) *
               load(p.dtype, b, p.transpose_b ? j * p.k + q : q * p.n + j);
      if (p.epilogue.bias) sum += load(p.dtype, p.epilogue.bias, j);
      if (p.epilogue.activation == SLI_EPILOGUE_RELU && sum < 0) sum = 0;
      SLI_EXPECT_NEAR(load(p.dtype, c, i * p.n + j), sum, p.dtype == SLI_DTYPE_BFLOAT16 ? fabs(sum) / 200 : 0);
    }
  }
  free(a);
  free(b);
  free(c);
}

SLI_TEST(test_gemm_all_types_and_transposes) {
  static const sli_dtype_t types[] = {SLI_DTYPE_FLOAT,    SLI_DTYPE_DOUBLE,    SLI_DTYPE_INT16,
                                      SLI_DTYPE_INT32,    SLI_DTYPE_INT64,     SLI_DTYPE_HALF,
                                      SLI_DTYPE_BFLOAT16, SLI_DTYPE_COMPLEX64, SLI_DTYPE_COMPLEX128};
  for (size_t t = 0; t < SLI_ARRAY_COUNT_OF(types); t++) {
    for (int transpose = 0; transpose < 4; transpose++) {
      bool ta = transpose & 1, tb = transpose >> 1;
      check_gemm(NULL, (sli_gemm_t){types[t], 5, 19, 7, ta, tb});
      check_gemm(NULL, (sli_gemm_t){types[t], 1, 1, 300, ta, tb});
      check_gemm(NULL, (sli_gemm_t){types[t], 3, 2, 0, ta, tb});
      // All partial tiles; operands unpacked, packed by block and packed once.
      for (int64_t m = 1; m <= 13; m++) check_gemm(NULL, (sli_gemm_t){types[t], m, 37, 9, ta, tb});
      check_gemm(NULL, (sli_gemm_t){types[t], 29, 67, 10, ta, tb});
      check_gemm(NULL, (sli_gemm_t){types[t], 150, 33, 6, ta, tb});
    }
  }
}

SLI_TEST(test_gemm_adjoint_conjugates) {
  double complex a[] = {1 + 2 * I}, b[] = {3 + 1 * I}, c[1];
  sli_gemm_t p = {SLI_DTYPE_COMPLEX128, 1, 1, 1, .transpose_a = true, .conjugate_a = true};
  SLI_EXPECT_OK(sli_gemm(NULL, &p, a, b, c));
  SLI_EXPECT_NEAR(creal(c[0]), 5, 0);
  SLI_EXPECT_NEAR(cimag(c[0]), -5, 0);
}

SLI_TEST(test_gemm_split_over_threads_with_bias_and_relu) {
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 2, NULL);
  float bias[300];
  double wide_bias[9];
  for (int i = 0; i < 300; i++) bias[i] = (float)(i % 9) - 4;
  for (int i = 0; i < 9; i++) wide_bias[i] = 4 - i;
  for (int transpose = 0; transpose < 4; transpose++) {
    bool ta = transpose & 1, tb = transpose >> 1;
    check_gemm(pool, (sli_gemm_t){SLI_DTYPE_FLOAT, 100, 300, 101, ta, tb, .epilogue = {bias, SLI_EPILOGUE_RELU}});
    check_gemm(pool, (sli_gemm_t){SLI_DTYPE_FLOAT, 301, 60, 110, ta, tb});
    check_gemm(pool, (sli_gemm_t){SLI_DTYPE_DOUBLE, 90, 111, 70, ta, tb});
    check_gemm(pool, (sli_gemm_t){SLI_DTYPE_FLOAT, 20, 40, 1500, ta, tb});
    // Several stretches of k.
    check_gemm(pool, (sli_gemm_t){SLI_DTYPE_DOUBLE, 700, 9, 1700, ta, tb, .epilogue = {wide_bias, SLI_EPILOGUE_RELU}});
  }
  check_gemm(NULL, (sli_gemm_t){SLI_DTYPE_FLOAT, 3, 5, 0, .epilogue = {bias, SLI_EPILOGUE_RELU}});
  sli_thread_pool_destroy(pool);
}

// A is zero in whole columns and in runs of rows, like images. B contains |odd|, unless that is 0, where A is zero.
static void check_gemm_of_zeros(sli_thread_pool_t *pool, sli_gemm_t p, float odd) {
  float *a = calloc((size_t)(p.m * p.k), sizeof(*a)), *b = calloc((size_t)(p.k * p.n), sizeof(*b));
  float *c = calloc((size_t)(p.m * p.n), sizeof(*c));
  int64_t odd_k = p.k - 1, odd_column = p.n / 2, wrong = 0;
  for (int64_t i = 0; i < p.m; i++)
    for (int64_t q = 0; q < p.k; q++)
      if (q % 3 && i / 20 % 2 == q / 7 % 2 && q != odd_k)
        a[p.transpose_a ? q * p.m + i : i * p.k + q] = (float)((i + q) % 5) - 2;
  for (int64_t i = 0; i < p.k * p.n; i++) b[i] = (float)(i % 7) - 3;
  if (odd != 0) b[p.transpose_b ? odd_column * p.k + odd_k : odd_k * p.n + odd_column] = odd;
  SLI_EXPECT_OK(sli_gemm(pool, &p, a, b, c));
  for (int64_t i = 0; i < p.m; i++) {
    for (int64_t j = 0; j < p.n; j++) {
      float sum = 0;
      for (int64_t q = 0; q < p.k; q++)
        sum += a[p.transpose_a ? q * p.m + i : i * p.k + q] * b[p.transpose_b ? j * p.k + q : q * p.n + j];
      wrong += isnan(sum) != (odd != 0 && j == odd_column);
      wrong += isnan(sum) ? !isnan(c[i * p.n + j]) : c[i * p.n + j] != sum;
    }
  }
  SLI_EXPECT_INT(wrong, 0);
  free(a);
  free(b);
  free(c);
}

SLI_TEST(test_gemm_leaves_out_zeros_but_never_a_nan) {
  sli_thread_pool_t *pool = sli_thread_pool_create("gemm", 2, NULL);
  const float odd[] = {0, INFINITY, -INFINITY, NAN};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(odd); i++) {
    for (int t = 0; t < 4; t++) {
      bool ta = t % 2, tb = t / 2;
      check_gemm_of_zeros(NULL, (sli_gemm_t){SLI_DTYPE_FLOAT, 40, 70, 30, ta, tb}, odd[i]);     // B is packed by block
      check_gemm_of_zeros(NULL, (sli_gemm_t){SLI_DTYPE_FLOAT, 301, 50, 33, ta, tb}, odd[i]);    // B is packed once
      check_gemm_of_zeros(pool, (sli_gemm_t){SLI_DTYPE_FLOAT, 100, 96, 1100, ta, tb}, odd[i]);  // several steps of k
      check_gemm_of_zeros(NULL, (sli_gemm_t){SLI_DTYPE_FLOAT, 13, 40, 30, ta, tb}, odd[i]);
    }
  }
  sli_thread_pool_destroy(pool);
}

SLI_TEST(test_gemm_sink_gets_every_element_once) {
  sli_thread_pool_t *pool = sli_thread_pool_create("gemm", 3, NULL);
  const sli_gemm_sink_t sink = {keep};
  float bias[1300];
  for (int i = 0; i < 1300; i++) bias[i] = (float)(i % 7 - 3);
  sli_epilogue_t epilogue = {bias, SLI_EPILOGUE_RELU};
  for (int t = 0; t < 4; t++) {
    bool ta = t % 2, tb = t / 2;
    check_gemm(NULL, (sli_gemm_t){SLI_DTYPE_FLOAT, 5, 19, 7, ta, tb, .sink = sink});
    check_gemm(NULL, (sli_gemm_t){SLI_DTYPE_FLOAT, 4, 9, 0, ta, tb, .epilogue = epilogue, .sink = sink});
    check_gemm(NULL, (sli_gemm_t){SLI_DTYPE_FLOAT, 150, 1300, 8, ta, tb, .epilogue = epilogue, .sink = sink});
    check_gemm(pool, (sli_gemm_t){SLI_DTYPE_FLOAT, 300, 301, 60, ta, tb, .sink = sink});
    check_gemm(pool, (sli_gemm_t){SLI_DTYPE_FLOAT, 500, 10, 120, ta, tb, .epilogue = epilogue, .sink = sink});
    // More than one stretch of k.
    check_gemm(pool, (sli_gemm_t){SLI_DTYPE_DOUBLE, 300, 90, 2500, ta, tb, .sink = sink});
  }
  sli_thread_pool_destroy(pool);
}

SLI_TEST_MAIN(test_half_every_value_round_trips, test_half_known_values, test_bfloat16_rounds_to_nearest_even,
              test_broadcast_walks_all_combinations, test_broadcast_of_incompatible_shapes_fails,
              test_philox_gives_tensorflows_values, test_philox_wide_and_narrow_types_give_tensorflows_values,
              test_philox_skip_equals_drawing, test_gemm_all_types_and_transposes, test_gemm_adjoint_conjugates,
              test_gemm_split_over_threads_with_bias_and_relu, test_gemm_leaves_out_zeros_but_never_a_nan,
              test_gemm_sink_gets_every_element_once)
