// FusedBatchNorm, V2 and V3: normalise each channel by its mean and variance over the batch (training) or by given ones
// (inference), scale and shift it; and the ops that compute the gradients.
//
// Everything is computed in float over [rows, channels]; channels-first and 16-bit tensors are converted first. Sums
// are computed over fixed blocks of rows, so that they do not depend on the number of threads.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "math/simd.h"

typedef struct {
  float epsilon, factor;  // |factor|: weight of the batch in the running averages
  bool is_training, channels_first;
} batch_norm_t;

static bool is_channels_first(sli_view_t format) { return format.size > 1 && format.data[1] == 'C'; }

static sli_status_t *batch_norm_create(const sli_kernel_setup_t *setup, void **out_state) {
  batch_norm_t norm = {.factor = 1};
  sli_view_t format;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_float(setup->node, "epsilon", &norm.epsilon));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "is_training", &norm.is_training));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "data_format", &format));
  if (sli_node_attr(setup->node, "exponential_avg_factor"))
    SLI_RETURN_IF_ERROR(sli_node_attr_float(setup->node, "exponential_avg_factor", &norm.factor));
  norm.channels_first = is_channels_first(format);
  *out_state = sli_memdup(&norm, sizeof(norm));
  return NULL;
}

// A tensor as floats [rows, channels]: its own buffer or a converted copy.
typedef struct {
  const float *values;
  sli_tensor_t *copy;  // NULL: no copy was necessary
} matrix_t;

static float float_at(sli_dtype_t dtype, const void *data, int64_t i) {
  switch (dtype) {
    case SLI_DTYPE_HALF: return sli_half_to_float(((const sli_half_t *)data)[i]);
    case SLI_DTYPE_BFLOAT16: return sli_bfloat16_to_float(((const sli_bfloat16_t *)data)[i]);
    default: return ((const float *)data)[i];
  }
}
static void set_float_at(sli_dtype_t dtype, void *data, int64_t i, float value) {
  switch (dtype) {
    case SLI_DTYPE_HALF: ((sli_half_t *)data)[i] = sli_half_from_float(value); break;
    case SLI_DTYPE_BFLOAT16: ((sli_bfloat16_t *)data)[i] = sli_bfloat16_from_float(value); break;
    default: ((float *)data)[i] = value; break;
  }
}

static sli_status_t *open_matrix(sli_kernel_context_t *context, const sli_tensor_t *x, bool channels_first,
                                 matrix_t *out) {
  *out = (matrix_t){x->data, NULL};
  if (x->dtype == SLI_DTYPE_FLOAT && !channels_first) return NULL;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, SLI_DTYPE_FLOAT, SLI_SHAPE(x->count), &out->copy));
  float *values = out->copy->data;
  out->values = values;
  int64_t channels = channels_first ? x->dims[1] : 1, outer = channels_first ? x->dims[0] : 1;
  int64_t inner = x->count ? x->count / outer / channels : 0;
  for (int64_t o = 0; o < outer; o++)
    for (int64_t c = 0; c < channels; c++)
      for (int64_t i = 0; i < inner; i++)
        values[(o * inner + i) * channels + c] =
            float_at((sli_dtype_t)x->dtype, x->data, (o * channels + c) * inner + i);
  return NULL;
}

// The buffer for a result: that of the output, or a temporary one that close_result converts and copies to the output.
static sli_status_t *open_result(sli_kernel_context_t *context, sli_tensor_t *y, bool channels_first,
                                 sli_tensor_t **out_copy, float **out_values) {
  *out_copy = NULL;
  *out_values = y->data;
  if (y->dtype == SLI_DTYPE_FLOAT && !channels_first) return NULL;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, SLI_DTYPE_FLOAT, SLI_SHAPE(y->count), out_copy));
  *out_values = (*out_copy)->data;
  return NULL;
}

static void close_result(sli_tensor_t *y, bool channels_first, const sli_tensor_t *copy) {
  if (!copy) return;
  const float *values = copy->data;
  int64_t channels = channels_first ? y->dims[1] : 1, outer = channels_first ? y->dims[0] : 1;
  int64_t inner = y->count ? y->count / outer / channels : 0;
  for (int64_t o = 0; o < outer; o++)
    for (int64_t c = 0; c < channels; c++)
      for (int64_t i = 0; i < inner; i++)
        set_float_at((sli_dtype_t)y->dtype, y->data, (o * channels + c) * inner + i,
                     values[(o * inner + i) * channels + c]);
}

// Sums over the rows, for each channel.
enum { BLOCKS = 32 };

typedef struct {
  const float *x, *g, *mean;
  int64_t rows, channels;
  float *partials;  // [BLOCKS, 2, channels]
} row_sums_t;

SLI_SIMD static void add_rows(const float *x, int64_t rows, int64_t n, float *restrict sum) {
  for (int64_t r = 0; r < rows; r++, x += n)
    for (int64_t c = 0; c < n; c++) sum[c] += x[c];
}
SLI_SIMD static void add_squares(const float *x, const float *mean, int64_t rows, int64_t n, float *restrict sum) {
  for (int64_t r = 0; r < rows; r++, x += n)
    for (int64_t c = 0; c < n; c++) sum[c] += (x[c] - mean[c]) * (x[c] - mean[c]);
}
SLI_SIMD static void add_products(const float *g, const float *x, const float *mean, int64_t rows, int64_t n,
                                  float *restrict sum) {
  for (int64_t r = 0; r < rows; r++, x += n, g += n)
    for (int64_t c = 0; c < n; c++) sum[c] += g[c] * (x[c] - mean[c]);
}

static void sum_blocks(void *context, int64_t begin, int64_t end) {
  const row_sums_t *s = context;
  int64_t n = s->channels;
  for (int64_t b = begin; b < end; b++) {
    int64_t first = s->rows * b / BLOCKS, rows = s->rows * (b + 1) / BLOCKS - first;
    float *sum = s->partials + b * 2 * n;
    memset(sum, 0, (size_t)(2 * n) * sizeof(float));
    if (s->g) {
      add_rows(s->g + first * n, rows, n, sum);
      add_products(s->g + first * n, s->x + first * n, s->mean, rows, n, sum + n);
    } else if (s->mean) {
      add_squares(s->x + first * n, s->mean, rows, n, sum);
    } else {
      add_rows(s->x + first * n, rows, n, sum);
    }
  }
}

// |first| is the sum of x; of (x - mean)² if there is a mean but no g; of g if there is g. |second|, only with g, is
// the sum of g (x - mean).
static void sum_rows(sli_kernel_context_t *context, row_sums_t *s, float *first, float *second) {
  int64_t n = s->channels;
  sli_parallel_for(sli_kernel_pool(context), BLOCKS, 0.3 * (double)s->rows * (double)n / BLOCKS, sum_blocks, s);
  for (int64_t c = 0; c < n; c++) {
    double sums[2] = {0, 0};
    for (int b = 0; b < BLOCKS; b++)
      for (int i = 0; i < 2; i++) sums[i] += (double)s->partials[(b * 2 + i) * n + c];
    first[c] = (float)sums[0];
    if (second) second[c] = (float)sums[1];
  }
}

// y = (x - mean) * factor + shift or, with g, y = g * factor - (x - mean) * slope + shift. The mean is subtracted
// first, so that a small variance around a large mean does not lose precision.
typedef struct {
  const float *x, *g, *mean, *factor, *slope, *shift;
  float *y;
  int64_t channels;
} affine_t;

SLI_SIMD static void affine_rows(const affine_t *a, const float *x, float *y, int64_t rows) {
  const float *mean = a->mean, *factor = a->factor, *shift = a->shift;
  int64_t n = a->channels;
  for (int64_t r = 0; r < rows; r++, x += n, y += n)
    SLI_SIMD_VECTORIZE for (int64_t c = 0; c < n; c++) y[c] = (x[c] - mean[c]) * factor[c] + shift[c];
}
SLI_SIMD static void affine_rows2(const affine_t *a, const float *g, const float *x, float *y, int64_t rows) {
  const float *mean = a->mean, *factor = a->factor, *slope = a->slope, *shift = a->shift;
  int64_t n = a->channels;
  for (int64_t r = 0; r < rows; r++, x += n, y += n, g += n)
    SLI_SIMD_VECTORIZE for (int64_t c = 0; c < n; c++) y[c] = g[c] * factor[c] - (x[c] - mean[c]) * slope[c] + shift[c];
}
static void affine_range(void *context, int64_t begin, int64_t end) {
  const affine_t *a = context;
  int64_t at = begin * a->channels;
  if (a->g)
    affine_rows2(a, a->g + at, a->x + at, a->y + at, end - begin);
  else
    affine_rows(a, a->x + at, a->y + at, end - begin);
}

// Checks shared by both directions.

static sli_status_t *batch_norm_rank_error(const char *name, const char *wanted, const sli_tensor_t *tensor) {
  char *shape = sli_shape_to_text(sli_tensor_shape(tensor));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s must be %s%s", name, wanted, shape);
  free(shape);
  return status;
}
static sli_status_t *check_input(const sli_kernel_context_t *context, const sli_tensor_t *x) {
  if (x->rank != 4 && x->rank != 5) return batch_norm_rank_error("input", "4 or 5-dimensional", x);
  sli_view_t format;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "data_format", &format));
  if (format.size != (size_t)x->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input has %d dimensions, but the data format is %.*s", x->rank,
                           SLI_VIEW_ARG(format));
  return NULL;
}
static sli_status_t *check_vectors(sli_kernel_context_t *context, int first, const char *const *names, int count) {
  for (int i = 0; i < count; i++) {
    sli_tensor_t *vector = sli_kernel_input(context, first + i);
    if (vector->rank != 1) return batch_norm_rank_error(names[i], "1-dimensional", vector);
  }
  return NULL;
}
static sli_status_t *check_channels(const sli_tensor_t *vector, int64_t channels, const char *when, const char *name) {
  if (vector->count == channels) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "%s%s must have the same number of elements as the channels of x, got %lld and %lld", when,
                         name, (long long)vector->count, (long long)channels);
}

static sli_status_t *check_forward(sli_kernel_context_t *context, const batch_norm_t *norm, int64_t channels) {
  static const char *const names[] = {"scale", "offset", "estimated_mean", "estimated_variance"};
  static const char *const short_names[] = {"scale", "offset", "mean", "variance"};
  SLI_RETURN_IF_ERROR(check_vectors(context, 1, names, 4));
  const char *when = norm->is_training ? "When exponential_avg_factor != 1, " : "When is_training=false, ";
  int count = norm->is_training && norm->factor == 1 ? 2 : 4;
  for (int i = 0; i < count; i++)
    SLI_RETURN_IF_ERROR(check_channels(sli_kernel_input(context, 1 + i), channels, i < 2 ? "" : when, short_names[i]));
  return NULL;
}

static float running_average(const batch_norm_t *norm, const float *old, float value) {
  return norm->factor == 1 ? value : (1 - norm->factor) * *old + norm->factor * value;
}

// Writes outputs 1 to 4 of the op. |mean| and |variance| are those that were used to normalise.
static void write_statistics(const batch_norm_t *norm, sli_kernel_context_t *context, const float *mean,
                             const float *variance, int64_t rows, int64_t channels, float *const out[4]) {
  const float *old_mean = sli_kernel_input(context, 3)->data, *old_variance = sli_kernel_input(context, 4)->data;
  float unbiased = (float)rows / (float)(rows > 1 ? rows - 1 : 1);
  for (int64_t c = 0; c < channels; c++) {
    out[0][c] = norm->is_training ? running_average(norm, old_mean + c, mean[c]) : mean[c];
    out[1][c] = norm->is_training ? running_average(norm, old_variance + c, variance[c] * unbiased) : variance[c];
    out[2][c] = mean[c];
    out[3][c] = variance[c];
  }
}

static sli_status_t *normalize(sli_kernel_context_t *context, const batch_norm_t *norm, const sli_tensor_t *x,
                               sli_tensor_t *y, float *const out[4], float *scratch) {
  int64_t channels = x->dims[norm->channels_first ? 1 : x->rank - 1], rows = x->count / channels;
  const float *scale = sli_kernel_input(context, 1)->data, *offset = sli_kernel_input(context, 2)->data;
  float *mean = scratch, *variance = scratch + channels, *factor = scratch + 2 * channels, *result;
  matrix_t matrix;
  sli_tensor_t *copy = NULL;
  SLI_RETURN_IF_ERROR(open_matrix(context, x, norm->channels_first, &matrix));
  sli_status_t *status = open_result(context, y, norm->channels_first, &copy, &result);
  if (!status) {
    row_sums_t sums = {.x = matrix.values, .rows = rows, .channels = channels, .partials = scratch + 3 * channels};
    if (norm->is_training) {
      sum_rows(context, &sums, mean, NULL);
      for (int64_t c = 0; c < channels; c++) mean[c] /= (float)rows;
      sums.mean = mean;
      sum_rows(context, &sums, variance, NULL);
      for (int64_t c = 0; c < channels; c++) variance[c] /= (float)rows;
    } else {
      memcpy(mean, sli_kernel_input(context, 3)->data, (size_t)channels * sizeof(float));
      memcpy(variance, sli_kernel_input(context, 4)->data, (size_t)channels * sizeof(float));
    }
    for (int64_t c = 0; c < channels; c++) factor[c] = scale[c] / sqrtf(variance[c] + norm->epsilon);
    write_statistics(norm, context, mean, variance, rows, channels, out);
    affine_t affine = {
        .x = matrix.values, .mean = mean, .factor = factor, .shift = offset, .y = result, .channels = channels};
    sli_parallel_for(sli_kernel_pool(context), rows, 0.3 * (double)channels, affine_range, &affine);
    close_result(y, norm->channels_first, copy);
  }
  sli_tensor_release(matrix.copy);
  sli_tensor_release(copy);
  return status;
}

static sli_status_t *batch_norm_forward(sli_kernel_context_t *context) {
  const batch_norm_t *norm = sli_kernel_state(context);
  sli_tensor_t *x = sli_kernel_input(context, 0), *y, *statistics, *scratch;
  float *out[4];
  SLI_RETURN_IF_ERROR(check_input(context, x));
  int64_t channels = x->dims[norm->channels_first ? 1 : x->rank - 1];
  SLI_RETURN_IF_ERROR(check_forward(context, norm, channels));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(x), &y));
  for (int i = 0; i < 4; i++) {
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1 + i, SLI_SHAPE(channels), &statistics));
    out[i] = statistics->data;
  }
  if (context->output_count > 5) {
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 5, SLI_SHAPE_SCALAR, &statistics));
    *SLI_DATA(float, statistics) = 0;
  }
  if (x->count == 0) {
    for (int i = 0; i < 4; i++)
      for (int64_t c = 0; c < channels; c++) out[i][c] = i < 2 ? NAN : 0;
    return NULL;
  }
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_temporary(context, SLI_DTYPE_FLOAT, SLI_SHAPE(3 + 2 * BLOCKS, channels), &scratch));
  sli_status_t *status = normalize(context, norm, x, y, out, scratch->data);
  sli_tensor_release(scratch);
  return status;
}

// The gradient ops. Their inputs are y_backprop, x, scale, mean, variance.

static sli_status_t *check_backward(sli_kernel_context_t *context, const batch_norm_t *norm, int64_t *out_channels) {
  static const char *const names[] = {"scale", "saved mean", "saved variance"};
  static const char *const short_names[] = {"scale", "reserve_space_1", "reserve_space_2"};
  sli_tensor_t *g = sli_kernel_input(context, 0), *x = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(check_input(context, g));
  SLI_RETURN_IF_ERROR(check_input(context, x));
  SLI_RETURN_IF_ERROR(check_vectors(context, 2, names, 3));
  if (!sli_tensor_same_shape(x, g)) {
    char *a = sli_shape_to_text(sli_tensor_shape(x)), *b = sli_shape_to_text(sli_tensor_shape(g));
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT,
                        "x and y_backprop must have same shape, but x has shape %s and y_backprop has shape %s", a, b);
    free(a);
    free(b);
    return status;
  }
  *out_channels = x->dims[norm->channels_first ? 1 : x->rank - 1];
  for (int i = 0; i < 3; i++)
    SLI_RETURN_IF_ERROR(check_channels(sli_kernel_input(context, 2 + i), *out_channels, "", short_names[i]));
  if (!norm->is_training && norm->channels_first)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "The implementation of FusedBatchNormGrad with is_training=False only support NHWC tensor format for now.");
  return NULL;
}

// Computes the factors of x_backprop = g * factor - (x - mean) * slope + shift from the sums of g and of g (x - mean).
static void find_factors(const batch_norm_t *norm, sli_kernel_context_t *context, int64_t rows, int64_t channels,
                         float *scale_gradient, const float *offset_gradient, float *factor, float *slope,
                         float *shift) {
  const float *scale = sli_kernel_input(context, 2)->data, *variance = sli_kernel_input(context, 4)->data;
  for (int64_t c = 0; c < channels; c++) {
    float inverse = 1 / sqrtf(variance[c] + norm->epsilon);
    factor[c] = scale[c] * inverse;
    slope[c] = shift[c] = 0;
    if (norm->is_training) {
      slope[c] = factor[c] * inverse * inverse * (scale_gradient[c] / (float)rows);
      shift[c] = -factor[c] * (offset_gradient[c] / (float)rows);
    }
    scale_gradient[c] *= inverse;
  }
}

static sli_status_t *differentiate(sli_kernel_context_t *context, const batch_norm_t *norm, sli_tensor_t *output,
                                   float *scale_gradient, float *offset_gradient, int64_t channels, float *scratch) {
  sli_tensor_t *g = sli_kernel_input(context, 0), *x = sli_kernel_input(context, 1), *copy = NULL;
  int64_t rows = x->count / channels;
  float *factor = scratch, *slope = scratch + channels, *shift = scratch + 2 * channels, *result;
  matrix_t gradients = {0}, inputs = {0};
  sli_status_t *status = NULL;
  SLI_GOTO_IF_ERROR(status, cleanup, open_matrix(context, g, norm->channels_first, &gradients));
  SLI_GOTO_IF_ERROR(status, cleanup, open_matrix(context, x, norm->channels_first, &inputs));
  SLI_GOTO_IF_ERROR(status, cleanup, open_result(context, output, norm->channels_first, &copy, &result));
  row_sums_t sums = {.x = inputs.values,
                     .g = gradients.values,
                     .mean = sli_kernel_input(context, 3)->data,
                     .rows = rows,
                     .channels = channels,
                     .partials = scratch + 3 * channels};
  sum_rows(context, &sums, offset_gradient, scale_gradient);
  find_factors(norm, context, rows, channels, scale_gradient, offset_gradient, factor, slope, shift);
  affine_t affine = {.x = inputs.values,
                     .g = gradients.values,
                     .mean = sums.mean,
                     .factor = factor,
                     .slope = slope,
                     .shift = shift,
                     .y = result,
                     .channels = channels};
  sli_parallel_for(sli_kernel_pool(context), rows, 0.4 * (double)channels, affine_range, &affine);
  close_result(output, norm->channels_first, copy);
cleanup:
  sli_tensor_release(gradients.copy);
  sli_tensor_release(inputs.copy);
  sli_tensor_release(copy);
  return status;
}

static sli_status_t *batch_norm_backward(sli_kernel_context_t *context) {
  const batch_norm_t *norm = sli_kernel_state(context);
  sli_tensor_t *x = sli_kernel_input(context, 1), *output, *scale_gradient, *offset_gradient, *empty, *scratch;
  int64_t channels = 0;
  SLI_RETURN_IF_ERROR(check_backward(context, norm, &channels));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(x), &output));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(channels), &scale_gradient));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(channels), &offset_gradient));
  for (int i = 3; i < 5; i++) SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, i, SLI_SHAPE(0), &empty));
  if (x->count == 0) {
    if (channels) {
      memset(scale_gradient->data, 0, sli_tensor_bytes(scale_gradient));
      memset(offset_gradient->data, 0, sli_tensor_bytes(offset_gradient));
    }
    return NULL;
  }
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_temporary(context, SLI_DTYPE_FLOAT, SLI_SHAPE(3 + 2 * BLOCKS, channels), &scratch));
  sli_status_t *status =
      differentiate(context, norm, output, scale_gradient->data, offset_gradient->data, channels, scratch->data);
  sli_tensor_release(scratch);
  return status;
}

// Shape functions.

static sli_status_t *merge_channels(sli_infer_context_t *c, int first, int count, int64_t *channels) {
  for (int i = first; i < first + count; i++) {
    sli_shape_t vector;
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 1, &vector));
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(*channels, sli_infer_dim(vector, 0), channels));
  }
  return NULL;
}

static sli_status_t *read_format(sli_infer_context_t *c, int *out_rank, bool *out_first, bool *out_training) {
  sli_view_t format;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(c->node, "data_format", &format));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "is_training", out_training));
  *out_rank = (int)format.size;
  *out_first = is_channels_first(format);
  return NULL;
}

static sli_status_t *forward_shape(sli_infer_context_t *c) {
  sli_shape_t x;
  bool first, training;
  int rank;
  SLI_RETURN_IF_ERROR(read_format(c, &rank, &first, &training));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, rank, &x));
  int channel = first ? 1 : rank - 1;
  int64_t channels = sli_infer_dim(x, channel);
  // In training the inputs mean and variance may be empty.
  SLI_RETURN_IF_ERROR(merge_channels(c, 1, training ? 2 : 4, &channels));
  sli_infer_set_output(c, 0, sli_infer_replace_dim(c, x, channel, channels));
  for (int i = 1; i < 5; i++) sli_infer_set_output(c, i, sli_infer_make(c, 1, &channels));
  if (c->node->output_count > 5) sli_infer_set_output(c, 5, SLI_SHAPE_UNKNOWN);
  return NULL;
}

static sli_status_t *backward_shape(sli_infer_context_t *c) {
  sli_shape_t g, x;
  bool first, training;
  int rank;
  SLI_RETURN_IF_ERROR(read_format(c, &rank, &first, &training));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, rank, &g));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, rank, &x));
  int channel = first ? 1 : rank - 1;
  int64_t channels, none = 0;
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(g, channel), sli_infer_dim(x, channel), &channels));
  SLI_RETURN_IF_ERROR(merge_channels(c, 2, 3, &channels));
  sli_infer_set_output(c, 0, sli_infer_replace_dim(c, g, channel, channels));
  for (int i = 1; i < 5; i++) sli_infer_set_output(c, i, sli_infer_make(c, 1, i < 3 ? &channels : &none));
  return NULL;
}

// Gradients.

static sli_output_t emit_transpose(sli_gradient_builder_t *b, sli_output_t x, int rank, bool to_last) {
  int32_t axes[5] = {0};
  for (int d = 1; d < rank; d++) axes[d] = to_last ? d % (rank - 1) + 1 : d == 1 ? rank - 1 : d - 1;
  return sli_emit2(b, "Transpose", x, sli_gradient_const_ints(b, axes, rank));
}

// For inference the gradient op supports only channels-last tensors, so channels-first ones are transposed.
static sli_status_t *batch_norm_gradient_by(sli_gradient_builder_t *b, const char *op) {
  bool training;
  float epsilon;
  sli_view_t format;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "is_training", &training));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(b->node, "epsilon", &epsilon));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(b->node, "data_format", &format));
  int rank = (int)format.size;
  bool transposes = !training && is_channels_first(format);
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_gradient_input(b, 0);
  if (transposes) {
    x = emit_transpose(b, x, rank, true);
    g = emit_transpose(b, g, rank, true);
  }
  sli_attr_entry_t attrs[] = {
      SLI_ATTR_FLOAT_OF("epsilon", epsilon),
      SLI_ATTR_BOOL_OF("is_training", training),
      {"data_format", {.kind = SLI_ATTR_STRING, .s = transposes ? sli_view(rank == 4 ? "NHWC" : "NDHWC") : format}}};
  sli_output_t inputs[] = {g,
                           x,
                           sli_gradient_input(b, 1),
                           training ? sli_gradient_output(b, 3) : sli_gradient_input(b, 3),
                           training ? sli_gradient_output(b, 4) : sli_gradient_input(b, 4),
                           sli_gradient_output(b, 5)};
  sli_output_t gradient = sli_gradient_emit(b, op, inputs, b->node->output_count > 5 ? 6 : 5, attrs, 3);
  sli_gradient_set(b, 0, transposes ? emit_transpose(b, gradient, rank, false) : gradient);
  sli_gradient_set(b, 1, sli_output_at(gradient, 1));
  sli_gradient_set(b, 2, sli_output_at(gradient, 2));
  return NULL;
}
static sli_status_t *batch_norm_gradient(sli_gradient_builder_t *b) {
  return batch_norm_gradient_by(b, "FusedBatchNormGrad");
}
static sli_status_t *forward_gradient_v2(sli_gradient_builder_t *b) {
  return batch_norm_gradient_by(b, "FusedBatchNormGradV2");
}
static sli_status_t *forward_gradient_v3(sli_gradient_builder_t *b) {
  return batch_norm_gradient_by(b, "FusedBatchNormGradV3");
}

// The second derivative. With r = 1 / sqrt(v + epsilon), d = x - mean(x), s the scale and m = mean(g d), the op
// computes
//   x_backprop = s r (g - mean(g) - r² m d), scale_backprop = r sum(g d), offset_backprop = sum(g);
// below are the derivatives of their products with the incoming gradients a, p and q.
typedef struct {
  sli_gradient_builder_t *b;
  int rank;
  bool first;
} second_derivative_t;

static sli_output_t reduce(const second_derivative_t *s, const char *op, sli_output_t x) {
  int32_t axes[4];
  int count = 0;
  for (int d = 0; d < s->rank; d++)
    if (d != (s->first ? 1 : s->rank - 1)) axes[count++] = d;
  return SLI_EMIT_WITH(s->b, op, SLI_INPUTS(x, sli_gradient_const_ints(s->b, axes, count)),
                       SLI_ATTRS(SLI_ATTR_BOOL_OF("keep_dims", true)));
}
static sli_output_t mean(const second_derivative_t *s, sli_output_t x) { return reduce(s, "Mean", x); }
static sli_output_t mul(const second_derivative_t *s, sli_output_t x, sli_output_t y) {
  return sli_emit_mul(s->b, x, y);
}
static sli_output_t sub(const second_derivative_t *s, sli_output_t x, sli_output_t y) {
  return sli_emit2(s->b, "Sub", x, y);
}
static sli_output_t add(const second_derivative_t *s, sli_output_t x, sli_output_t y) {
  return sli_emit2(s->b, "AddV2", x, y);
}
// Reshapes a vector of channels so that it broadcasts against x, and back.
static sli_output_t spread(const second_derivative_t *s, sli_output_t vector) {
  int32_t dims[5] = {1, 1, 1, 1, 1};
  dims[s->first ? 1 : s->rank - 1] = -1;
  return sli_emit2(s->b, "Reshape", vector, sli_gradient_const_ints(s->b, dims, s->rank));
}
static sli_output_t flatten(const second_derivative_t *s, sli_output_t x) {
  return sli_emit2(s->b, "Reshape", x, sli_gradient_const_ints(s->b, (int32_t[]){-1}, 1));
}
static sli_output_t inverse_root(const second_derivative_t *s, sli_output_t variance, float epsilon) {
  return sli_emit1(s->b, "Rsqrt", add(s, variance, sli_gradient_const_like(s->b, variance, epsilon)));
}

static void second_derivative_in_training(const second_derivative_t *s, float epsilon, sli_output_t g, sli_output_t x,
                                          sli_output_t scale, sli_output_t a, sli_output_t p, sli_output_t q,
                                          sli_output_t out[3]) {
  sli_output_t d = sub(s, x, mean(s, x));
  sli_output_t r = inverse_root(s, mean(s, mul(s, d, d)), epsilon), r2 = mul(s, r, r);
  sli_output_t centred_g = sub(s, g, mean(s, g)), centred_a = sub(s, a, mean(s, a));
  sli_output_t gd = mean(s, mul(s, g, d)), ad = mean(s, mul(s, a, d)), ag = mean(s, mul(s, a, centred_g));
  sli_output_t scale_r = mul(s, scale, r), pr = mul(s, p, r);
  // By g: s r (a - mean(a) - r² mean(a d) d) + p r d + q.
  sli_output_t by_g = mul(s, scale_r, sub(s, centred_a, mul(s, mul(s, r2, ad), d)));
  out[0] = add(s, add(s, by_g, mul(s, pr, d)), q);
  // By x: s r³ ((3 r² mean(g d) mean(a d) - mean(a g)) d - mean(a d) (g - mean(g)) - mean(g d) (a - mean(a)))
  //       + p r (g - mean(g) - r² mean(g d) d).
  sli_output_t three = sli_emit_scale(s->b, mul(s, r2, mul(s, gd, ad)), 3);
  sli_output_t inner = mul(s, sub(s, three, ag), d);
  inner = sub(s, sub(s, inner, mul(s, ad, centred_g)), mul(s, gd, centred_a));
  sli_output_t tail = sub(s, centred_g, mul(s, mul(s, r2, gd), d));
  out[1] = add(s, mul(s, mul(s, scale_r, r2), inner), mul(s, pr, tail));
  // By the scale: sum(a r (g - mean(g) - r² mean(g d) d)).
  out[2] = flatten(s, reduce(s, "Sum", mul(s, mul(s, a, r), tail)));
}

static void second_derivative_at_inference(const second_derivative_t *s, float epsilon, sli_output_t g, sli_output_t x,
                                           sli_output_t scale, sli_output_t a, sli_output_t p, sli_output_t q,
                                           sli_output_t out[3]) {
  sli_output_t d = sub(s, x, spread(s, sli_gradient_input(s->b, 3)));
  sli_output_t r = inverse_root(s, spread(s, sli_gradient_input(s->b, 4)), epsilon), pr = mul(s, p, r);
  out[0] = add(s, add(s, mul(s, a, mul(s, scale, r)), mul(s, pr, d)), q);
  out[1] = mul(s, pr, g);
  out[2] = flatten(s, reduce(s, "Sum", mul(s, mul(s, a, r), g)));
}

static sli_status_t *backward_gradient(sli_gradient_builder_t *b) {
  bool training;
  float epsilon;
  sli_view_t format;
  sli_output_t out[3];
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "is_training", &training));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(b->node, "epsilon", &epsilon));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(b->node, "data_format", &format));
  second_derivative_t s = {b, (int)format.size, is_channels_first(format)};
  sli_dtype_t dtype = sli_gradient_dtype(b, sli_gradient_input(b, 1));
  sli_output_t g = sli_emit_cast(b, sli_gradient_input(b, 0), SLI_DTYPE_FLOAT);
  sli_output_t x = sli_emit_cast(b, sli_gradient_input(b, 1), SLI_DTYPE_FLOAT);
  sli_output_t a = sli_emit_cast(b, sli_gradient_of_output(b, 0), SLI_DTYPE_FLOAT);
  sli_output_t scale = spread(&s, sli_gradient_input(b, 2));
  sli_output_t p = spread(&s, sli_gradient_of_output(b, 1)), q = spread(&s, sli_gradient_of_output(b, 2));
  if (training)
    second_derivative_in_training(&s, epsilon, g, x, scale, a, p, q, out);
  else
    second_derivative_at_inference(&s, epsilon, g, x, scale, a, p, q, out);
  sli_gradient_set(b, 0, sli_emit_cast(b, out[0], dtype));
  sli_gradient_set(b, 1, sli_emit_cast(b, out[1], dtype));
  sli_gradient_set(b, 2, out[2]);
  return NULL;
}

#define FORMATS "data_format: {'NHWC', 'NCHW'} = 'NHWC'; is_training: bool = true"
#define FORMATS_V3 "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'; is_training: bool = true"
#define EPSILON "epsilon: float = 0.0001; "
#define AVERAGES EPSILON "exponential_avg_factor: float = 1; "

static const sli_op_def_t ops[] = {
    {.name = "FusedBatchNorm",
     .inputs = "x: T, scale: T, offset: T, mean: T, variance: T",
     .outputs = "y: T, batch_mean: T, batch_variance: T, reserve_space_1: T, reserve_space_2: T",
     .attrs = "T: {float}; " AVERAGES FORMATS,
     .summary = "Batch normalisation.",
     .shape = forward_shape,
     .gradient = batch_norm_gradient},
    {.name = "FusedBatchNormV2",
     .inputs = "x: T, scale: U, offset: U, mean: U, variance: U",
     .outputs = "y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, reserve_space_2: U",
     .attrs = "T: {half, bfloat16, float}; U: {float}; " AVERAGES FORMATS,
     .summary = "Batch normalisation.",
     .shape = forward_shape,
     .gradient = forward_gradient_v2},
    {.name = "FusedBatchNormV3",
     .inputs = "x: T, scale: U, offset: U, mean: U, variance: U",
     .outputs = "y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U",
     .attrs = "T: {half, bfloat16, float}; U: {bfloat16, float}; " AVERAGES FORMATS_V3,
     .summary = "Batch normalisation.",
     .shape = forward_shape,
     .gradient = forward_gradient_v3},
    {.name = "FusedBatchNormGrad",
     .inputs = "y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T",
     .outputs = "x_backprop: T, scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T",
     .attrs = "T: {float}; " EPSILON FORMATS,
     .summary = "The gradient of FusedBatchNorm.",
     .shape = backward_shape,
     .gradient = backward_gradient},
    {.name = "FusedBatchNormGradV2",
     .inputs = "y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U",
     .outputs = "x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U",
     .attrs = "T: {half, bfloat16, float}; U: {float}; " EPSILON FORMATS,
     .summary = "The gradient of FusedBatchNormV2.",
     .shape = backward_shape,
     .gradient = backward_gradient},
    {.name = "FusedBatchNormGradV3",
     .inputs = "y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U",
     .outputs = "x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, reserve_space_5: U",
     .attrs = "T: {half, bfloat16, float}; U: {float}; " EPSILON FORMATS_V3,
     .summary = "The gradient of FusedBatchNormV3.",
     .shape = backward_shape,
     .gradient = backward_gradient},
};

#define NORM_TYPES (SLI_TYPE_FLOAT | SLI_TYPE_HALF | SLI_TYPE_BFLOAT16)
#define NORM_KERNEL(name, function) .op = name, .compute = function, .create = batch_norm_create, .destroy = free
static const sli_kernel_def_t kernels[] = {
    {NORM_KERNEL("FusedBatchNorm", batch_norm_forward), .types = SLI_TYPE_FLOAT},
    {NORM_KERNEL("FusedBatchNormV2", batch_norm_forward), .types = NORM_TYPES, .where = {{"U", SLI_TYPE_FLOAT}}},
    {NORM_KERNEL("FusedBatchNormV3", batch_norm_forward), .types = NORM_TYPES, .where = {{"U", SLI_TYPE_FLOAT}}},
    {NORM_KERNEL("FusedBatchNormGrad", batch_norm_backward), .types = SLI_TYPE_FLOAT},
    {NORM_KERNEL("FusedBatchNormGradV2", batch_norm_backward), .types = NORM_TYPES, .where = {{"U", SLI_TYPE_FLOAT}}},
    {NORM_KERNEL("FusedBatchNormGradV3", batch_norm_backward), .types = NORM_TYPES, .where = {{"U", SLI_TYPE_FLOAT}}},
};

SLI_OP_MODULE(batch_norm);
