// Compares convolutions with plain sums, and tests edge cases and errors.
#include "base/test.h"
#include "math/half.h"
#include "ops/common/testing.h"

#define LIST4(name, a, b, c, d)                                                                     \
  {                                                                                                 \
    name, {                                                                                         \
      .kind = SLI_ATTR_INT, .is_list = true, .count = 4, .list.i = (const int64_t[]) { a, b, c, d } \
    }                                                                                               \
  }

typedef struct {
  int64_t batch, in[2], in_channels, filter[2], out_channels, stride;
  bool same;
} conv_case_t;

static int64_t out_size(const conv_case_t *s, int d) {
  return s->same ? (s->in[d] + s->stride - 1) / s->stride : (s->in[d] - s->filter[d] + s->stride) / s->stride;
}
static int64_t before(const conv_case_t *s, int d) {
  int64_t needed = (out_size(s, d) - 1) * s->stride + s->filter[d] - s->in[d];
  return s->same && needed > 0 ? needed / 2 : 0;
}

static void fill(float *values, int64_t count, int seed) {
  for (int64_t i = 0; i < count; i++) values[i] = (float)((i * 37 + seed * 11) % 17 - 8) / 4;
}

// Iterates over all products of the convolution y = x * w. |into| is the operand to which they are added: 'x', 'w' or
// 'y'.
static void convolve(const conv_case_t *s, float *x, float *w, float *y, char into) {
  int64_t rows = out_size(s, 0), columns = out_size(s, 1);
  for (int64_t b = 0; b < s->batch; b++)
    for (int64_t oy = 0; oy < rows; oy++)
      for (int64_t ox = 0; ox < columns; ox++)
        for (int64_t ky = 0; ky < s->filter[0]; ky++)
          for (int64_t kx = 0; kx < s->filter[1]; kx++) {
            int64_t iy = oy * s->stride + ky - before(s, 0), ix = ox * s->stride + kx - before(s, 1);
            if (iy < 0 || iy >= s->in[0] || ix < 0 || ix >= s->in[1]) continue;
            for (int64_t c = 0; c < s->in_channels; c++)
              for (int64_t o = 0; o < s->out_channels; o++) {
                float *px = x + ((b * s->in[0] + iy) * s->in[1] + ix) * s->in_channels + c;
                float *pw = w + ((ky * s->filter[1] + kx) * s->in_channels + c) * s->out_channels + o;
                float *py = y + ((b * rows + oy) * columns + ox) * s->out_channels + o;
                if (into == 'y') *py += *px * *pw;
                if (into == 'x') *px += *py * *pw;
                if (into == 'w') *pw += *px * *py;
              }
          }
}

// Creates a tensor of |dtype| from |values|.
static sli_tensor_t *tensor_of(sli_dtype_t dtype, sli_shape_t shape, const float *values) {
  sli_tensor_t *tensor = NULL;
  sli_status_t *status = sli_tensor_create(sli_allocator_cpu(), dtype, shape.dims, shape.rank, &tensor);
  SLI_CHECK(!status);
  for (int64_t i = 0; i < tensor->count; i++) {
    if (dtype == SLI_DTYPE_FLOAT) SLI_DATA(float, tensor)[i] = values[i];
    if (dtype == SLI_DTYPE_DOUBLE) SLI_DATA(double, tensor)[i] = values[i];
    if (dtype == SLI_DTYPE_BFLOAT16) SLI_DATA(sli_bfloat16_t, tensor)[i] = sli_bfloat16_from_float(values[i]);
  }
  return tensor;
}
static double value_at(const sli_tensor_t *tensor, int64_t i) {
  if (tensor->dtype == SLI_DTYPE_DOUBLE) return SLI_DATA(double, tensor)[i];
  if (tensor->dtype == SLI_DTYPE_BFLOAT16) return sli_bfloat16_to_float(SLI_DATA(sli_bfloat16_t, tensor)[i]);
  return SLI_DATA(float, tensor)[i];
}

static void expect_values(sli_tensor_t *tensor, const float *wanted) {
  double tolerance = tensor->dtype == SLI_DTYPE_BFLOAT16 ? 0.01 : 1e-5;
  for (int64_t i = 0; i < tensor->count; i++) {
    if (fabs(value_at(tensor, i) - wanted[i]) <= tolerance * (1 + fabs((double)wanted[i]))) continue;
    SLI_EXPECT_NEAR(value_at(tensor, i), wanted[i], tolerance);
    break;
  }
  sli_tensor_release(tensor);
}

static sli_tensor_t *dims_of(sli_shape_t shape) {
  int32_t dims[4];
  for (int d = 0; d < 4; d++) dims[d] = (int32_t)shape.dims[d];
  return sli_tensor_vector_int32(dims, 4);
}

static sli_tensor_t *run_conv(const char *op, const sli_attr_entry_t *attrs, sli_thread_pool_t *pool,
                              sli_tensor_t *const *inputs, int count) {
  sli_testing_node_t node;
  sli_tensor_t *outputs[SLI_TESTING_MAX] = {0};
  SLI_EXPECT_OK(sli_testing_node_initialize(&node, op, pool, attrs, 2, inputs, count));
  SLI_EXPECT_OK(sli_testing_node_run(&node, inputs, count, outputs));
  sli_testing_node_deinitialize(&node);
  return outputs[0];
}

static void check(const conv_case_t *s, sli_dtype_t dtype, sli_thread_pool_t *pool) {
  sli_shape_t xs = SLI_SHAPE(s->batch, s->in[0], s->in[1], s->in_channels);
  sli_shape_t ws = SLI_SHAPE(s->filter[0], s->filter[1], s->in_channels, s->out_channels);
  sli_shape_t ys = SLI_SHAPE(s->batch, out_size(s, 0), out_size(s, 1), s->out_channels);
  sli_attr_entry_t attrs[] = {LIST4("strides", 1, s->stride, s->stride, 1),
                              SLI_ATTR_STRING_OF("padding", s->same ? "SAME" : "VALID")};
  float *x = sli_calloc((size_t)sli_shape_count(xs), sizeof(float)),
        *dx = sli_memdup(x, (size_t)sli_shape_count(xs) * 4);
  float *w = sli_calloc((size_t)sli_shape_count(ws), sizeof(float)),
        *dw = sli_memdup(w, (size_t)sli_shape_count(ws) * 4);
  float *y = sli_calloc((size_t)sli_shape_count(ys), sizeof(float)),
        *dy = sli_memdup(y, (size_t)sli_shape_count(ys) * 4);
  fill(x, sli_shape_count(xs), 1);
  fill(w, sli_shape_count(ws), 2);
  fill(dy, sli_shape_count(ys), 3);
  convolve(s, x, w, y, 'y');
  convolve(s, dx, w, dy, 'x');
  convolve(s, x, dw, dy, 'w');
  expect_values(
      run_conv("Conv2D", attrs, pool, (sli_tensor_t *[]){tensor_of(dtype, xs, x), tensor_of(dtype, ws, w)}, 2), y);
  expect_values(run_conv("Conv2DBackpropInput", attrs, pool,
                         (sli_tensor_t *[]){dims_of(xs), tensor_of(dtype, ws, w), tensor_of(dtype, ys, dy)}, 3),
                dx);
  expect_values(run_conv("Conv2DBackpropFilter", attrs, pool,
                         (sli_tensor_t *[]){tensor_of(dtype, xs, x), dims_of(ws), tensor_of(dtype, ys, dy)}, 3),
                dw);
  free(x), free(dx), free(w), free(dw), free(y), free(dy);
}

static const conv_case_t shapes[] = {
    {3, {7, 6}, 2, {3, 3}, 4, 1, true},   {2, {9, 8}, 5, {2, 3}, 3, 2, false}, {2, {8, 8}, 3, {1, 1}, 5, 2, true},
    {1, {5, 5}, 16, {5, 5}, 16, 1, true}, {2, {1, 1}, 1, {1, 1}, 1, 1, false},
};

SLI_TEST(test_conv2d_and_gradients_equal_plain_sums) {
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check(&shapes[i], SLI_DTYPE_FLOAT, NULL);
    check(&shapes[i], SLI_DTYPE_DOUBLE, NULL);
  }
  check(&shapes[2], SLI_DTYPE_BFLOAT16, NULL);
}

SLI_TEST(test_conv2d_split_over_threads_equals_plain_sums) {
  conv_case_t big = {13, {16, 16}, 8, {3, 3}, 16, 1, true};
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 3, NULL);
  check(&big, SLI_DTYPE_FLOAT, pool);
  check(&big, SLI_DTYPE_DOUBLE, pool);
  sli_thread_pool_destroy(pool);
}

SLI_TEST(test_conv2d_of_nothing) {
  sli_attr_entry_t attrs[] = {LIST4("strides", 1, 1, 1, 1), SLI_ATTR_STRING_OF("padding", "SAME")};
  sli_tensor_t *empty = run_conv("Conv2D", attrs, NULL,
                                 (sli_tensor_t *[]){tensor_of(SLI_DTYPE_FLOAT, SLI_SHAPE(0, 3, 3, 1), NULL),
                                                    tensor_of(SLI_DTYPE_FLOAT, SLI_SHAPE(1, 1, 1, 2), (float[]){1, 2})},
                                 2);
  SLI_REQUIRE(empty);
  SLI_EXPECT_INT(empty->count, 0);
  SLI_EXPECT_INT(empty->dims[3], 2);
  sli_tensor_release(empty);
  // No output elements: the filter's gradient is an empty sum.
  sli_tensor_t *zero = run_conv("Conv2DBackpropFilter", attrs, NULL,
                                (sli_tensor_t *[]){tensor_of(SLI_DTYPE_FLOAT, SLI_SHAPE(0, 3, 3, 1), NULL),
                                                   sli_tensor_vector_int32((int32_t[]){1, 1, 1, 2}, 4),
                                                   tensor_of(SLI_DTYPE_FLOAT, SLI_SHAPE(0, 3, 3, 2), NULL)},
                                3);
  SLI_REQUIRE(zero);
  SLI_EXPECT_NEAR(SLI_DATA(float, zero)[1], 0, 0);
  sli_tensor_release(zero);
}

static void expect_conv_error(const char *op, const sli_attr_entry_t *attrs, sli_tensor_t *const *inputs, int count,
                              const char *text) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_status_t *status = sli_testing_run(op, attrs, 2, inputs, count, outputs);
  SLI_EXPECT_CONTAINS(sli_status_message(status), text);
  sli_status_release(status);
}

SLI_TEST(test_conv2d_refuses_what_does_not_fit) {
  float zeros[64] = {0};
  sli_attr_entry_t attrs[] = {LIST4("strides", 1, 1, 1, 1), SLI_ATTR_STRING_OF("padding", "VALID")};
  sli_attr_entry_t batch_stride[] = {LIST4("strides", 2, 1, 1, 1), SLI_ATTR_STRING_OF("padding", "VALID")};
#define F(...) sli_testing_floats(SLI_SHAPE(__VA_ARGS__), zeros)
  expect_conv_error("Conv2D", attrs, (sli_tensor_t *[]){F(2, 3, 3), F(1, 1, 1, 1)}, 2,
                    "convolution input must be 4-dimensional: [2,3,3]");
  expect_conv_error("Conv2D", attrs, (sli_tensor_t *[]){F(1, 3, 3, 3), F(1, 1, 2, 1)}, 2,
                    "input depth must be evenly divisible by filter depth: 3 vs 2");
  expect_conv_error("Conv2D", attrs, (sli_tensor_t *[]){F(1, 3, 3, 1), F(5, 5, 1, 1)}, 2,
                    "Computed output size would be negative: -1 [input_size: 3, effective_filter_size: 5, stride: 1]");
  expect_conv_error("Conv2D", batch_stride, (sli_tensor_t *[]){F(1, 3, 3, 1), F(1, 1, 1, 1)}, 2,
                    "strides in the batch and depth dimensions");
  expect_conv_error(
      "Conv2DBackpropInput", attrs,
      (sli_tensor_t *[]){sli_tensor_vector_int32((int32_t[]){1, 3, -3, 1}, 4), F(1, 1, 1, 1), F(1, 3, 3, 1)}, 3,
      "Dimension -3 must be >= 0");
  expect_conv_error(
      "Conv2DBackpropFilter", attrs,
      (sli_tensor_t *[]){F(1, 3, 3, 1), sli_tensor_vector_int32((int32_t[]){1, 1, 1, 2}, 4), F(1, 3, 3, 1)}, 3,
      "filter and out_backprop must have the same out_depth");
}

// Converts |*tensor| from float to double.
static void widen_to_double(sli_tensor_t **tensor) {
  sli_tensor_t *floats = *tensor;
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_DOUBLE, floats->dims, floats->rank, tensor));
  for (int64_t i = 0; i < floats->count; i++) SLI_DATA(double, *tensor)[i] = SLI_DATA(float, floats)[i];
  sli_tensor_release(floats);
}

// One pixel, two channels: 3 and -3 before the epilogue. FLOAT is computed by oneDNN, DOUBLE is not.
static void check_fused_type(sli_dtype_t dtype, const char *const *names, size_t count, sli_tensor_t *const *extra,
                             int extras, double first, double second) {
  sli_view_t ops[2];
  sli_dtype_t types[4];
  for (size_t i = 0; i < count; i++) ops[i] = sli_view(names[i]);
  for (int i = 0; i < extras; i++) types[i] = dtype;
  sli_attr_entry_t attrs[] = {
      LIST4("strides", 1, 1, 1, 1),
      SLI_ATTR_STRING_OF("padding", "SAME"),
      {"TArgs", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = (size_t)extras, .list.type = types}},
      SLI_ATTR_INT_OF("num_args", extras),
      {"fused_ops", {.kind = SLI_ATTR_STRING, .is_list = true, .count = count, .list.s = ops}},
      SLI_ATTR_FLOAT_OF("epsilon", 0)};
  sli_tensor_t *inputs[6] = {sli_testing_floats(SLI_SHAPE(1, 1, 1, 1), (float[]){3}),
                             sli_testing_floats(SLI_SHAPE(1, 1, 1, 2), (float[]){1, -1})};
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  bool wide = dtype == SLI_DTYPE_DOUBLE;
  for (int i = 0; i < extras; i++) inputs[2 + i] = sli_tensor_retain(extra[i]);
  for (int i = 0; wide && i < 2 + extras; i++) widen_to_double(&inputs[i]);
  SLI_REQUIRE_OK(sli_testing_run("_FusedConv2D", attrs, 6, inputs, 2 + extras, outputs));
  const double expected[] = {first, second};
  for (int i = 0; i < 2; i++)
    SLI_EXPECT_NEAR(wide ? SLI_DATA(double, outputs[0])[i] : SLI_DATA(float, outputs[0])[i], expected[i], 1e-6);
  sli_tensor_release(outputs[0]);
}

static void check_fused(const char *const *names, size_t count, sli_tensor_t *const *extra, int extras, double first,
                        double second) {
  check_fused_type(SLI_DTYPE_FLOAT, names, count, extra, extras, first, second);
  check_fused_type(SLI_DTYPE_DOUBLE, names, count, extra, extras, first, second);
  for (int i = 0; i < extras; i++) sli_tensor_release(extra[i]);
}

SLI_TEST(test_fused_conv2d_adds_bias_and_activates) {
#define PAIR(a, b) sli_testing_floats(SLI_SHAPE(2), (float[]){a, b})
  check_fused((const char *[]){"BiasAdd"}, 1, (sli_tensor_t *[]){PAIR(1, 2)}, 1, 4, -1);
  check_fused((const char *[]){"BiasAdd", "Relu"}, 2, (sli_tensor_t *[]){PAIR(1, 2)}, 1, 4, 0);
  check_fused((const char *[]){"BiasAdd", "Relu6"}, 2, (sli_tensor_t *[]){PAIR(5, 2)}, 1, 6, 0);
  check_fused((const char *[]){"BiasAdd", "Elu"}, 2, (sli_tensor_t *[]){PAIR(1, 2)}, 1, 4, expm1(-1));
  check_fused((const char *[]){"BiasAdd", "LeakyRelu"}, 2, (sli_tensor_t *[]){PAIR(1, 2)}, 1, 4, (float)-0.2);
  // scale, offset, mean, variance: (3 - 1) / 2 * 10 + 1 and (-3 - 1) / 1 * 10 + 1.
  check_fused((const char *[]){"FusedBatchNorm"}, 1,
              (sli_tensor_t *[]){PAIR(10, 10), PAIR(1, 1), PAIR(1, 1), PAIR(4, 1)}, 4, 11, -39);
}

// The values are TensorFlow's; halves are rounded to even.
SLI_TEST(test_fused_conv2d_of_8_bits_scales_rounds_and_clips) {
  static const int8_t wanted[2][8] = {{8, -6, -6, 24, 18, -26, 24, -36}, {8, 0, 0, 24, 18, 0, 24, 0}};
  sli_view_t ops[] = {sli_view("BiasAdd"), sli_view("Relu")};
  sli_dtype_t types[] = {SLI_DTYPE_FLOAT, SLI_DTYPE_INT8};
  for (size_t relu = 0; relu < 2; relu++) {
    sli_attr_entry_t attrs[] = {
        LIST4("strides", 1, 1, 1, 1),
        SLI_ATTR_STRING_OF("padding", "SAME"),
        {"TArgs", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 2, .list.type = types}},
        SLI_ATTR_INT_OF("num_args", 2),
        SLI_ATTR_INT_OF("num_host_args", 2),
        {"fused_ops", {.kind = SLI_ATTR_STRING, .is_list = true, .count = 1 + relu, .list.s = ops}}};
    sli_tensor_t *x = NULL, *w = NULL, *side = NULL, *outputs[SLI_TESTING_MAX];
    SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT8, (int64_t[]){1, 2, 2, 1}, 4, &x));
    SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT8, (int64_t[]){1, 1, 1, 2}, 4, &w));
    SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT8, (int64_t[]){1, 2, 2, 2}, 4, &side));
    memcpy(x->data, (int8_t[]){10, -20, 30, 41}, 4);
    memcpy(w->data, (int8_t[]){1, -2}, 2);
    memset(side->data, 3, 8);
    sli_tensor_t *inputs[] = {x, w, PAIR(0.5f, 1.5f), side, sli_tensor_scalar_float(0.5f), sli_tensor_scalar_float(1)};
    SLI_REQUIRE_OK(sli_testing_run("_FusedConv2D", attrs, 6, inputs, 6, outputs));
    for (int i = 0; i < 8; i++) SLI_EXPECT_INT(SLI_DATA(int8_t, outputs[0])[i], wanted[relu][i]);
    sli_tensor_release(outputs[0]);
  }
}

SLI_TEST_MAIN(test_conv2d_and_gradients_equal_plain_sums, test_conv2d_split_over_threads_equals_plain_sums,
              test_conv2d_of_nothing, test_conv2d_refuses_what_does_not_fit, test_fused_conv2d_adds_bias_and_activates,
              test_fused_conv2d_of_8_bits_scales_rounds_and_clips)
