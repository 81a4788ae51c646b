// Floats are computed by oneDNN, with the batch split into pieces for the threads. Other types, and floats without the
// library, use patches: the windows of an image are copied to the rows of a matrix, so that the convolution is the
// product with the filter as a matrix [window, out_channels]. The gradients are the two transposed products.
#include "ops/nn/convolution.h"

#include <stdatomic.h>
#include <string.h>

#include "math/gemm.h"
#include "math/half.h"
#include "math/onednn.h"
#include "math/simd.h"

typedef enum { FORWARD, BACKWARD_INPUT, BACKWARD_FILTER } convolution_direction_t;

// A running convolution. |source| is the input, or the output gradient if BACKWARD_INPUT. |other| is the filter, or the
// output gradient if BACKWARD_FILTER.
typedef struct {
  sli_kernel_context_t *context;
  const sli_convolution_t *c;
  convolution_direction_t direction;
  size_t size;  // of an element
  const char *source, *other;
  const sli_epilogue_t *epilogue;  // NULL: none
  char *result;
  int64_t positions, window;  // outputs of one image; elements of one window: filter area × channels of a group
  int64_t chunk;              // number of positions whose windows are copied at once
  int64_t images;             // number of images in a piece
  char *partials;             // filter gradients of all pieces except the first
  _Atomic(sli_status_t *) error;
} convolution_work_t;

static int64_t area(const int64_t sizes[3]) { return sizes[0] * sizes[1] * sizes[2]; }
// The dims of an empty tensor may have a product that overflows, so zeros are checked first.
static int64_t count_of(int64_t first, const int64_t sizes[3], int64_t last) {
  return first && sizes[0] && sizes[1] && sizes[2] && last ? first * area(sizes) * last : 0;
}
static int64_t input_count(const sli_convolution_t *c) { return count_of(c->batch, c->in, c->in_channels); }
static int64_t output_count(const sli_convolution_t *c) { return count_of(c->batch, c->out, c->out_channels); }
static int64_t filter_count(const sli_convolution_t *c) {
  return count_of(c->in_channels / c->groups, c->filter, c->out_channels);
}

static void fail(convolution_work_t *work, sli_status_t *status) {
  if (status) sli_status_release(atomic_exchange(&work->error, status));
}

// result[i] += addend[i].
#define ADD(T, name)                                                                         \
  SLI_SIMD static void add_##name(T *restrict result, const T *restrict addend, int64_t n) { \
    for (int64_t i = 0; i < n; i++) result[i] += addend[i];                                  \
  }
ADD(float, float)
ADD(double, double)
ADD(uint32_t, int32)

static void add_elements(sli_dtype_t dtype, void *result, const void *addend, int64_t n) {
  switch (dtype) {
    case SLI_DTYPE_FLOAT: add_float(result, addend, n); break;
    case SLI_DTYPE_DOUBLE: add_double(result, addend, n); break;
    default: add_int32(result, addend, n); break;
  }
}

// Copies the window at output position |position| from the image to |row| or, if BACKWARD_INPUT, adds |row| to the
// image.
static void move_window(const convolution_work_t *work, char *image, int64_t group, int64_t position, char *row) {
  const sli_convolution_t *c = work->c;
  int64_t channels = c->in_channels / c->groups;
  size_t bytes = (size_t)channels * work->size;
  int64_t ox = position % c->out[2], oy = position / c->out[2] % c->out[1], oz = position / c->out[2] / c->out[1];
  for (int64_t kz = 0; kz < c->filter[0]; kz++) {
    int64_t z = oz * c->stride[0] + kz * c->dilation[0] - c->before[0];
    for (int64_t ky = 0; ky < c->filter[1]; ky++) {
      int64_t y = oy * c->stride[1] + ky * c->dilation[1] - c->before[1];
      bool row_inside = z >= 0 && z < c->in[0] && y >= 0 && y < c->in[1];
      for (int64_t kx = 0; kx < c->filter[2]; kx++, row += bytes) {
        int64_t x = ox * c->stride[2] + kx * c->dilation[2] - c->before[2];
        bool inside = row_inside && x >= 0 && x < c->in[2];
        int64_t element = ((z * c->in[1] + y) * c->in[2] + x) * c->in_channels + group * channels;
        if (work->direction == BACKWARD_INPUT) {
          if (inside) add_elements(c->dtype, image + element * (int64_t)work->size, row, channels);
        } else if (inside) {
          memcpy(row, image + element * (int64_t)work->size, bytes);
        } else {
          memset(row, 0, bytes);
        }
      }
    }
  }
}

static void move_windows(const convolution_work_t *work, char *image, int64_t group, int64_t first, int64_t count,
                         char *rows) {
  for (int64_t p = 0; p < count; p++)
    move_window(work, image, group, first + p, rows + (size_t)(p * work->window) * work->size);
}

// Copies a matrix. |from_step| and |to_step| are the distances of its rows in elements.
static void copy_matrix(size_t size, const char *from, int64_t from_step, char *to, int64_t to_step, int64_t rows,
                        int64_t columns) {
  for (int64_t r = 0; r < rows; r++)
    memcpy(to + (size_t)(r * to_step) * size, from + (size_t)(r * from_step) * size, (size_t)columns * size);
}

// Scratch memory of one thread: windows, and dense copies of the operands of one group.
typedef struct {
  sli_tensor_t *tensor;
  char *rows, *side, *filter;
} convolution_scratch_t;

static sli_status_t *allocate_convolution_scratch(const convolution_work_t *work, convolution_scratch_t *out) {
  const sli_convolution_t *c = work->c;
  int64_t outs = c->out_channels / c->groups;
  int64_t rows = work->chunk * work->window, side = work->chunk * outs, filter = work->window * outs;
  *out = (convolution_scratch_t){0};
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_temporary(work->context, c->dtype, SLI_SHAPE(rows + side + filter), &out->tensor));
  out->rows = out->tensor->data;
  out->side = out->rows + (size_t)rows * work->size;
  out->filter = out->side + (size_t)side * work->size;
  return NULL;
}

static sli_status_t *multiply(const convolution_work_t *work, int64_t m, int64_t n, int64_t k, bool transpose_a,
                              bool transpose_b, const void *a, const void *b, void *product) {
  sli_gemm_t gemm = {
      .dtype = work->c->dtype, .m = m, .n = n, .k = k, .transpose_a = transpose_a, .transpose_b = transpose_b};
  return sli_gemm(NULL, &gemm, a, b, product);
}

// Computes positions [first, first + count) of one image and group. |filter| is the dense matrix [window, outs] of the
// group.
static sli_status_t *run_chunk(const convolution_work_t *work, const convolution_scratch_t *scratch, int64_t image,
                               int64_t group, int64_t first, int64_t count, const char *filter, char *filter_gradient) {
  const sli_convolution_t *c = work->c;
  int64_t outs = c->out_channels / c->groups, window = work->window;
  size_t in_bytes = (size_t)(area(c->in) * c->in_channels) * work->size;
  size_t out_offset = (size_t)((image * work->positions + first) * c->out_channels + group * outs) * work->size;
  bool dense = c->groups == 1;
  switch (work->direction) {
    case FORWARD: {
      char *product = dense ? work->result + out_offset : scratch->side;
      move_windows(work, (char *)work->source + (size_t)image * in_bytes, group, first, count, scratch->rows);
      SLI_RETURN_IF_ERROR(multiply(work, count, outs, window, false, false, scratch->rows, filter, product));
      if (!dense) copy_matrix(work->size, product, outs, work->result + out_offset, c->out_channels, count, outs);
      return NULL;
    }
    case BACKWARD_INPUT: {
      const char *gradient = work->source + out_offset;
      if (!dense) copy_matrix(work->size, gradient, c->out_channels, scratch->side, outs, count, outs);
      SLI_RETURN_IF_ERROR(
          multiply(work, count, window, outs, false, true, dense ? gradient : scratch->side, filter, scratch->rows));
      move_windows(work, work->result + (size_t)image * in_bytes, group, first, count, scratch->rows);
      return NULL;
    }
    default: {
      const char *gradient = work->other + out_offset;
      if (!dense) copy_matrix(work->size, gradient, c->out_channels, scratch->side, outs, count, outs);
      move_windows(work, (char *)work->source + (size_t)image * in_bytes, group, first, count, scratch->rows);
      SLI_RETURN_IF_ERROR(multiply(work, window, outs, count, true, false, scratch->rows,
                                   dense ? gradient : scratch->side, scratch->filter));
      for (int64_t r = 0; r < window; r++)
        add_elements(c->dtype, filter_gradient + (size_t)(r * c->out_channels + group * outs) * work->size,
                     scratch->filter + (size_t)(r * outs) * work->size, outs);
      return NULL;
    }
  }
}

// Computes images [first, first + count) with patches.
static sli_status_t *run_patches(const convolution_work_t *work, int64_t first, int64_t count, char *filter_gradient) {
  const sli_convolution_t *c = work->c;
  int64_t outs = c->out_channels / c->groups;
  convolution_scratch_t scratch;
  SLI_RETURN_IF_ERROR(allocate_convolution_scratch(work, &scratch));
  sli_status_t *status = NULL;
  for (int64_t group = 0; group < c->groups && !status; group++) {
    const char *filter = work->other;
    if (c->groups > 1 && work->direction != BACKWARD_FILTER) {
      copy_matrix(work->size, filter + (size_t)(group * outs) * work->size, c->out_channels, scratch.filter, outs,
                  work->window, outs);
      filter = scratch.filter;
    }
    for (int64_t image = first; image < first + count && !status; image++) {
      for (int64_t p = 0; p < work->positions && !status; p += work->chunk) {
        int64_t left = work->positions - p;
        status = run_chunk(work, &scratch, image, group, p, left < work->chunk ? left : work->chunk, filter,
                           filter_gradient);
      }
    }
  }
  sli_tensor_release(scratch.tensor);
  return status;
}

// Computes images [first, first + count) with oneDNN.
static sli_status_t *run_library(const convolution_work_t *work, int64_t first, int64_t count, char *filter_gradient) {
  const sli_convolution_t *c = work->c;
  bool flat = c->in[0] == 1 && c->filter[0] == 1 && c->out[0] == 1;
  sli_onednn_conv_t shape = {.spatial = flat ? 2 : 3,
                             .batch = count,
                             .in_channels = c->in_channels,
                             .out_channels = c->out_channels,
                             .groups = c->groups};
  if (work->epilogue) {
    shape.has_bias = work->epilogue->bias != NULL;
    shape.activation = work->epilogue->activation;
    shape.alpha = work->epilogue->alpha;
  }
  for (int d = 0; d < shape.spatial; d++) {
    int from = d + flat;
    shape.in[d] = c->in[from];
    shape.filter[d] = c->filter[from];
    shape.out[d] = c->out[from];
    shape.stride[d] = c->stride[from];
    shape.dilation[d] = c->dilation[from];
    shape.before[d] = c->before[from];
    shape.after[d] = c->after[from];
  }
  int64_t in_offset = first * area(c->in) * c->in_channels, out_offset = first * area(c->out) * c->out_channels;
  const float *source = (const float *)work->source, *other = (const float *)work->other;
  float *result = (float *)work->result;
  switch (work->direction) {
    case FORWARD:
      return sli_onednn_conv(&shape, source + in_offset, other, work->epilogue ? work->epilogue->bias : NULL,
                             result + out_offset);
    case BACKWARD_INPUT: return sli_onednn_conv_backward_input(&shape, other, source + out_offset, result + in_offset);
    default:
      return sli_onednn_conv_backward_filter(&shape, source + in_offset, other + out_offset, (float *)filter_gradient);
  }
}

// A filter of one element with strides is a matrix product over some of the pixels. oneDNN 2.6 must not compute it: it
// writes beyond its scratchpad unless the channels fill whole vectors.
static bool uses_library(const sli_convolution_t *c) {
  bool strided_point = area(c->filter) == 1 && (c->stride[0] > 1 || c->stride[1] > 1 || c->stride[2] > 1);
  return c->dtype == SLI_DTYPE_FLOAT && !strided_point && sli_onednn_available();
}

// Applies the epilogue to images [first, first + count), which are still in the cache.
static void finish_images(const convolution_work_t *work, int64_t first, int64_t count) {
  int64_t channels = work->c->out_channels;
  sli_epilogue_apply(work->epilogue, work->c->dtype,
                     work->result + (size_t)(first * work->positions * channels) * work->size, count * work->positions,
                     channels, 0, channels);
}

static void run_pieces(void *context, int64_t begin, int64_t end) {
  convolution_work_t *work = context;
  const sli_convolution_t *c = work->c;
  size_t filter_bytes = (size_t)filter_count(c) * work->size;
  for (int64_t piece = begin; piece < end; piece++) {
    int64_t first = piece * work->images, left = c->batch - first, count = left < work->images ? left : work->images;
    char *filter_gradient = piece ? work->partials + (size_t)(piece - 1) * filter_bytes : work->result;
    if (uses_library(c)) {
      fail(work, run_library(work, first, count, filter_gradient));
      continue;
    }
    fail(work, run_patches(work, first, count, filter_gradient));
    if (work->epilogue) finish_images(work, first, count);
  }
}

// Adds the filter gradients of the other pieces to that of the first, in a fixed order.
static void gather_partials(convolution_work_t *work, int64_t pieces) {
  int64_t count = filter_count(work->c);
  for (int64_t p = 1; p < pieces; p++)
    add_elements(work->c->dtype, work->result, work->partials + (size_t)((p - 1) * count) * work->size, count);
}

static sli_status_t *run_convolution(convolution_work_t *work) {
  const sli_convolution_t *c = work->c;
  work->size = sli_dtype_size(c->dtype);
  work->positions = area(c->out);
  work->window = area(c->filter) * (c->in_channels / c->groups);
  int64_t fitting = (1 << 18) / work->window;
  work->chunk = fitting < 16 ? 16 : fitting;
  if (work->chunk > work->positions) work->chunk = work->positions;
  // Below about 50 µs of work a second thread does not pay.
  double operations = 2.0 * (double)output_count(c) * (double)work->window;
  double nanoseconds = operations / (c->dtype == SLI_DTYPE_FLOAT ? 50.0 : 4.0);
  sli_thread_pool_t *pool = sli_kernel_pool(work->context);
  // Two pieces per thread, so that one delayed thread does not delay everything.
  int64_t pieces = pool && nanoseconds > 50000 ? 2 * (int64_t)sli_thread_pool_size(pool) : 1;
  if (pieces > c->batch) pieces = c->batch;
  work->images = (c->batch + pieces - 1) / pieces;
  pieces = (c->batch + work->images - 1) / work->images;
  sli_tensor_t *partials = NULL;
  bool filters = work->direction == BACKWARD_FILTER;
  if (filters && pieces > 1) {
    int64_t count = (pieces - 1) * filter_count(c);
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(work->context, c->dtype, SLI_SHAPE(count), &partials));
    work->partials = partials->data;
  }
  if (!uses_library(c)) {  // patches add to the result
    if (partials) memset(partials->data, 0, sli_tensor_bytes(partials));
    if (filters) memset(work->result, 0, (size_t)filter_count(c) * work->size);
    if (work->direction == BACKWARD_INPUT) memset(work->result, 0, (size_t)input_count(c) * work->size);
  }
  sli_parallel_for(pool, pieces, nanoseconds / (double)pieces, run_pieces, work);
  sli_status_t *status = atomic_load(&work->error);
  if (!status && partials) gather_partials(work, pieces);
  sli_tensor_release(partials);
  return status;
}

static sli_status_t *widen_floats(const convolution_work_t *work, const void *narrow, int64_t count,
                                  sli_tensor_t **out) {
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(work->context, SLI_DTYPE_FLOAT, SLI_SHAPE(count), out));
  sli_half_widen(work->c->dtype, narrow, (*out)->data, count);
  return NULL;
}

// Computes a convolution of 16-bit floats in float and rounds once at the end.
static sli_status_t *run_narrow(const convolution_work_t *work, int64_t source_count, int64_t other_count,
                                int64_t result_count) {
  sli_convolution_t wide = *work->c;
  sli_tensor_t *source = NULL, *other = NULL, *result = NULL;
  sli_status_t *status = NULL;
  wide.dtype = SLI_DTYPE_FLOAT;
  SLI_GOTO_IF_ERROR(status, cleanup, widen_floats(work, work->source, source_count, &source));
  SLI_GOTO_IF_ERROR(status, cleanup, widen_floats(work, work->other, other_count, &other));
  SLI_GOTO_IF_ERROR(status, cleanup,
                    sli_kernel_allocate_temporary(work->context, SLI_DTYPE_FLOAT, SLI_SHAPE(result_count), &result));
  convolution_work_t inner = {.context = work->context,
                              .c = &wide,
                              .direction = work->direction,
                              .source = source->data,
                              .other = other->data,
                              .result = result->data};
  SLI_GOTO_IF_ERROR(status, cleanup, run_convolution(&inner));
  sli_half_narrow(work->c->dtype, result->data, work->result, result_count);
cleanup:
  sli_tensor_release(source);
  sli_tensor_release(other);
  sli_tensor_release(result);
  return status;
}

static sli_status_t *start(convolution_work_t *work, int64_t source_count, int64_t other_count, int64_t result_count) {
  if (result_count == 0) return NULL;
  if (source_count == 0 || other_count == 0) {  // empty sums
    memset(work->result, 0, (size_t)result_count * sli_dtype_size(work->c->dtype));
    return NULL;
  }
  return sli_half_is_narrow(work->c->dtype) ? run_narrow(work, source_count, other_count, result_count)
                                            : run_convolution(work);
}

sli_status_t *sli_convolution_forward(sli_kernel_context_t *context, const sli_convolution_t *c, const void *input,
                                      const void *filter, const sli_epilogue_t *epilogue, void *output) {
  convolution_work_t work = {.context = context,
                             .c = c,
                             .direction = FORWARD,
                             .source = input,
                             .other = filter,
                             .epilogue = epilogue,
                             .result = output};
  int64_t count = output_count(c), inputs = input_count(c), filters = filter_count(c);
  SLI_RETURN_IF_ERROR(start(&work, inputs, filters, count));
  if (epilogue && count && (!inputs || !filters))  // the sums are empty: apply it to zeros
    sli_epilogue_apply(epilogue, c->dtype, output, count / c->out_channels, c->out_channels, 0, c->out_channels);
  return NULL;
}

sli_status_t *sli_convolution_backward_input(sli_kernel_context_t *context, const sli_convolution_t *c,
                                             const void *filter, const void *output_gradient, void *input_gradient) {
  convolution_work_t work = {.context = context,
                             .c = c,
                             .direction = BACKWARD_INPUT,
                             .source = output_gradient,
                             .other = filter,
                             .result = input_gradient};
  return start(&work, output_count(c), filter_count(c), input_count(c));
}

sli_status_t *sli_convolution_backward_filter(sli_kernel_context_t *context, const sli_convolution_t *c,
                                              const void *input, const void *output_gradient, void *filter_gradient) {
  convolution_work_t work = {.context = context,
                             .c = c,
                             .direction = BACKWARD_FILTER,
                             .source = input,
                             .other = output_gradient,
                             .result = filter_gradient};
  return start(&work, input_count(c), output_count(c), filter_count(c));
}
