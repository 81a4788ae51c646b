// FractionalMaxPool and FractionalAvgPool: pooling whose windows have one of two sizes, in a random order, so that the
// size shrinks by a ratio that is not whole. The sequences of borders are outputs, which the gradients take.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/philox.h"

typedef struct {
  float ratio[4];
  bool pseudo_random, overlapping;
  uint64_t seed, seed2;
} fractional_t;

static sli_status_t *read_ratios(const sli_node_def_t *node, float ratio[4]) {
  const sli_attr_t *list;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "pooling_ratio", SLI_ATTR_FLOAT, &list));
  if (list->count != 4) return sli_status_make(SLI_INVALID_ARGUMENT, "pooling_ratio field must specify 4 dimensions");
  for (int i = 0; i < 4; i++) {
    ratio[i] = list->list.f[i];
    if (!(ratio[i] >= 1))
      return sli_status_make(SLI_INVALID_ARGUMENT, "pooling_ratio cannot be smaller than 1, got: %g", (double)ratio[i]);
  }
  return NULL;
}

static sli_status_t *fractional_create(const sli_kernel_setup_t *setup, void **out_state) {
  const sli_node_def_t *node = setup->node;
  fractional_t f = {0};
  bool is_deterministic;
  int64_t seed, seed2;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(read_ratios(node, f.ratio));
  if (f.ratio[0] != 1 || f.ratio[3] != 1)
    return sli_status_make(SLI_UNIMPLEMENTED,
                           "Fractional %s pooling is not yet supported on the batch nor channel dimension.",
                           strcmp(node->op->def->name, "FractionalMaxPool") == 0 ? "max" : "average");
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "pseudo_random", &f.pseudo_random));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "overlapping", &f.overlapping));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "deterministic", &is_deterministic));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "seed", &seed));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "seed2", &seed2));
  if (!is_deterministic && (seed || seed2))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Both seed and seed2 should be 0 if deterministic is false.");
  f.seed = (uint64_t)seed;
  f.seed2 = (uint64_t)seed2;
  if (is_deterministic && !seed && !seed2) {  // chosen once
    f.seed = sli_random_u64();
    f.seed2 = sli_random_u64();
  }
  *out_state = sli_memdup(&f, sizeof(f));
  return NULL;
}

// --- The borders of the windows -------------------------------------------------------------------

// Steps of k or k + 1 by a regular sequence with a random start (Graham, "Fractional max-pooling", 2014). The start is
// limited so that the first and the last step are not too large or small.
static void draw_pseudo_random(int64_t in, int64_t out, sli_philox_words_t *random, int64_t *steps) {
  const double alpha = (double)in / (double)out;
  const int64_t k = in / out;
  const double first = (double)(k + 2) / alpha - 1, last = (double)(in + 1 - k) / alpha - (double)(out - 1);
  uint32_t low = sli_philox_word(random), high = sli_philox_word(random);
  const double start = sli_philox_to_double(low, high) * (first < last ? first : last);
  int64_t border = 1;
  for (int64_t i = 0; i < out; i++) {
    int64_t next = i + 1 == out ? in + 1 : (int64_t)ceil(alpha * ((double)(i + 1) + start));
    steps[i] = next - border;
    border = next;
  }
}

static void draw_random(int64_t in, int64_t out, sli_philox_words_t *random, int64_t *steps) {
  for (int64_t i = 0; i < out; i++) steps[i] = in / out + (i < in % out);
  for (int64_t i = out; i > 1; i--) {  // the shuffle of TensorFlow
    int64_t j = out - i + (int64_t)(sli_philox_word(random) % (uint32_t)i), at = out - i, other = steps[at];
    steps[at] = steps[j];
    steps[j] = other;
  }
}

// |out| + 1 borders from 0 to |in|.
static void draw_borders(const fractional_t *f, int64_t in, int64_t out, sli_philox_stream_t *stream,
                         int64_t *borders) {
  uint64_t groups = f->pseudo_random ? 1 : ((uint64_t)out + 3) / 4;
  sli_philox_words_t random = sli_philox_words(sli_philox_stream_reserve(stream, groups));
  if (f->pseudo_random)
    draw_pseudo_random(in, out, &random, borders + 1);
  else
    draw_random(in, out, &random, borders + 1);
  borders[0] = 0;
  for (int64_t i = 1; i <= out; i++) borders[i] += borders[i - 1];
}

// --- Pooling --------------------------------------------------------------------------------------

typedef struct {
  const sli_tensor_t *input;
  sli_tensor_t *output;
  const int64_t *rows, *columns;  // borders
  int64_t height, width, out_height, out_width, channels;
  bool overlapping, is_max;
} fractional_work_t;

// The last element of window |i|.
static int64_t window_end(const fractional_work_t *w, const int64_t *borders, int64_t i, int64_t size) {
  int64_t end = borders[i + 1] - (w->overlapping ? 0 : 1);
  return end < size - 1 ? end : size - 1;
}

// Sums are made in type U, of whole types an unsigned one, because they may wrap, and divided in type S.
#define POOL(T, S, U, name)                                                                                      \
  static void pool_##name(const fractional_work_t *w, int64_t batch, int64_t y, int64_t x, int64_t c) {          \
    const int64_t bottom = window_end(w, w->rows, y, w->height), right = window_end(w, w->columns, x, w->width); \
    T best = 0;                                                                                                  \
    U sum = 0;                                                                                                   \
    int64_t count = 0;                                                                                           \
    for (int64_t i = w->rows[y]; i <= bottom; i++) {                                                             \
      for (int64_t j = w->columns[x]; j <= right; j++, count++) {                                                \
        T value = SLI_DATA(T, w->input)[((batch * w->height + i) * w->width + j) * w->channels + c];             \
        best = count == 0 || value > best ? value : best;                                                        \
        sum += (U)value;                                                                                         \
      }                                                                                                          \
    }                                                                                                            \
    SLI_DATA(T, w->output)                                                                                       \
    [((batch * w->out_height + y) * w->out_width + x) * w->channels + c] =                                       \
        w->is_max ? best : (T)((S)sum / (S)(count ? count : 1));                                                 \
  }
POOL(float, float, float, float)
POOL(double, double, double, double)
POOL(int32_t, int64_t, uint64_t, int32)
POOL(int64_t, int64_t, uint64_t, int64)

static void pool_rows(void *context, int64_t begin, int64_t end) {
  const fractional_work_t *w = context;
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t batch = unit / w->out_height, y = unit % w->out_height;
    for (int64_t x = 0; x < w->out_width; x++) {
      for (int64_t c = 0; c < w->channels; c++) {
        switch ((sli_dtype_t)w->input->dtype) {
          case SLI_DTYPE_FLOAT: pool_float(w, batch, y, x, c); break;
          case SLI_DTYPE_DOUBLE: pool_double(w, batch, y, x, c); break;
          case SLI_DTYPE_INT32: pool_int32(w, batch, y, x, c); break;
          default: pool_int64(w, batch, y, x, c);
        }
      }
    }
  }
}

static sli_status_t *run_pool(sli_kernel_context_t *context, bool is_max) {
  const fractional_t *f = sli_kernel_state(context);
  fractional_work_t w = {.input = sli_kernel_input(context, 0), .is_max = is_max, .overlapping = f->overlapping};
  int64_t out[4];
  sli_tensor_t *rows, *columns;
  if (w.input->rank != 4) return sli_status_make(SLI_INVALID_ARGUMENT, "tensor_in must be 4-dimensional");
  for (int i = 0; i < 4; i++) {
    if ((float)w.input->dims[i] < f->ratio[i] || w.input->dims[i] > INT32_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Pooling ratio is higher than input dimension size for dimension %d. Input dim size: %lld "
                             "pooling ratio: %g",
                             i, (long long)w.input->dims[i], (double)f->ratio[i]);
    out[i] = (int64_t)floorf((float)w.input->dims[i] / f->ratio[i]);
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){4, out}, &w.output));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(out[1] + 1), &rows));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(out[2] + 1), &columns));
  sli_philox_stream_t stream;
  sli_philox_stream_initialize(&stream, f->seed, f->seed2);  // the same in every run, unless both are 0
  draw_borders(f, w.input->dims[1], out[1], &stream, rows->data);
  draw_borders(f, w.input->dims[2], out[2], &stream, columns->data);
  sli_philox_stream_deinitialize(&stream);
  w.rows = rows->data;
  w.columns = columns->data;
  w.height = w.input->dims[1];
  w.width = w.input->dims[2];
  w.channels = w.input->dims[3];
  w.out_height = out[1];
  w.out_width = out[2];
  sli_parallel_for(sli_kernel_pool(context), out[0] * out[1], 5.0 * (double)(w.width * w.channels), pool_rows, &w);
  return NULL;
}

static sli_status_t *max_compute(sli_kernel_context_t *context) { return run_pool(context, true); }
static sli_status_t *avg_compute(sli_kernel_context_t *context) { return run_pool(context, false); }

// --- Gradients ------------------------------------------------------------------------------------

// Checks a sequence of borders, which comes from the graph: rising, within |size|, for |windows| windows.
static sli_status_t *check_borders(const sli_tensor_t *borders, const char *name, const sli_tensor_t *gradient,
                                   int64_t windows, int64_t size) {
  if (borders->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be a vector, received shape %s", name,
                           sli_tensor_shape_text(borders).text);
  if (borders->count != windows + 1)
    return sli_status_make(
        SLI_INVALID_ARGUMENT, "Given out_backprop shape %s, %s must have at least %lld elements, but got %lld",
        sli_tensor_shape_text(gradient).text, name, (long long)windows + 1, (long long)borders->count);
  for (int64_t i = 0; i <= windows; i++) {
    int64_t border = SLI_DATA(int64_t, borders)[i];
    if (border < 0 || border > size || (i && border < SLI_DATA(int64_t, borders)[i - 1]))
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s must rise from 0 to %lld, got %lld at position %lld", name,
                             (long long)size, (long long)border, (long long)i);
  }
  return NULL;
}

// Adds the gradient of one output to its window: all of it to the largest value, or a part to each.
#define SPREAD(T, U, name)                                                                                         \
  static void spread_##name(const fractional_work_t *w, int64_t batch, int64_t y, int64_t x, int64_t c, T value) { \
    const int64_t bottom = window_end(w, w->rows, y, w->height), right = window_end(w, w->columns, x, w->width);   \
    const int64_t count = (bottom - w->rows[y] + 1) * (right - w->columns[x] + 1);                                 \
    int64_t best = -1;                                                                                             \
    for (int64_t i = w->rows[y]; i <= bottom; i++) {                                                               \
      for (int64_t j = w->columns[x]; j <= right; j++) {                                                           \
        const int64_t at = ((batch * w->height + i) * w->width + j) * w->channels + c;                             \
        if (w->is_max)                                                                                             \
          best = best < 0 || SLI_DATA(T, w->input)[at] > SLI_DATA(T, w->input)[best] ? at : best;                  \
        else                                                                                                       \
          SLI_DATA(T, w->output)[at] = (T)((U)SLI_DATA(T, w->output)[at] + (U)(value / (T)count));                 \
      }                                                                                                            \
    }                                                                                                              \
    if (best >= 0) SLI_DATA(T, w->output)[best] = (T)((U)SLI_DATA(T, w->output)[best] + (U)value);                 \
  }
SPREAD(float, float, float)
SPREAD(double, double, double)
SPREAD(int32_t, uint64_t, int32)
SPREAD(int64_t, uint64_t, int64)

static void spread_all(const fractional_work_t *w, const sli_tensor_t *gradient) {
  memset(w->output->data, 0, sli_tensor_bytes(w->output));
  for (int64_t i = 0; i < gradient->count; i++) {
    const int64_t c = i % w->channels, x = i / w->channels % w->out_width;
    const int64_t y = i / w->channels / w->out_width % w->out_height,
                  b = i / w->channels / w->out_width / w->out_height;
    switch ((sli_dtype_t)gradient->dtype) {
      case SLI_DTYPE_FLOAT: spread_float(w, b, y, x, c, SLI_DATA(float, gradient)[i]); break;
      case SLI_DTYPE_DOUBLE: spread_double(w, b, y, x, c, SLI_DATA(double, gradient)[i]); break;
      case SLI_DTYPE_INT32: spread_int32(w, b, y, x, c, SLI_DATA(int32_t, gradient)[i]); break;
      default: spread_int64(w, b, y, x, c, SLI_DATA(int64_t, gradient)[i]);
    }
  }
}

// |dims|: those of the input; |first|: the input of the kernel that has the borders of rows.
static sli_status_t *run_gradient(sli_kernel_context_t *context, fractional_work_t *w, const int64_t *dims,
                                  const sli_tensor_t *gradient, int first) {
  const sli_tensor_t *rows = sli_kernel_input(context, first), *columns = sli_kernel_input(context, first + 1);
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "overlapping", &w->overlapping));
  if (gradient->rank != 4) return sli_status_make(SLI_INVALID_ARGUMENT, "out_backprop must be 4-dimensional");
  if (gradient->dims[0] != dims[0] || gradient->dims[3] != dims[3])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "out_backprop must have the batch size and channels of the input, %lld and %lld, got %s",
                           (long long)dims[0], (long long)dims[3], sli_tensor_shape_text(gradient).text);
  w->height = dims[1];
  w->width = dims[2];
  w->channels = dims[3];
  w->out_height = gradient->dims[1];
  w->out_width = gradient->dims[2];
  SLI_RETURN_IF_ERROR(check_borders(rows, "row_seq_tensor", gradient, w->out_height, w->height));
  SLI_RETURN_IF_ERROR(check_borders(columns, "col_seq_tensor", gradient, w->out_width, w->width));
  w->rows = rows->data;
  w->columns = columns->data;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){4, dims}, &w->output));
  if (w->output->count) spread_all(w, gradient);
  return NULL;
}

static sli_status_t *max_grad_compute(sli_kernel_context_t *context) {
  fractional_work_t w = {.input = sli_kernel_input(context, 0), .is_max = true};
  const sli_tensor_t *output = sli_kernel_input(context, 1), *gradient = sli_kernel_input(context, 2);
  if (w.input->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "orig_input should be a tensor of rank 4, got %s",
                           sli_tensor_shape_text(w.input).text);
  if (output->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "orig_output should be a tensor of rank 4, got %s",
                           sli_tensor_shape_text(output).text);
  if (!sli_tensor_same_shape(output, gradient))
    return sli_status_make(SLI_INVALID_ARGUMENT, "out_backprop must have the shape of orig_output, %s, got %s",
                           sli_tensor_shape_text(output).text, sli_tensor_shape_text(gradient).text);
  return run_gradient(context, &w, w.input->dims, gradient, 3);
}

static sli_status_t *avg_grad_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *shape = sli_kernel_input(context, 0);
  fractional_work_t w = {0};
  if (shape->rank != 1 || shape->count != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "original input tensor shape must be1-dimensional and 4 elements");
  for (int i = 0; i < 4; i++) {
    int64_t dim = SLI_DATA(int64_t, shape)[i];
    if (dim < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= 0", (long long)dim);
  }
  return run_gradient(context, &w, shape->data, sli_kernel_input(context, 1), 2);
}

// --- Shapes and gradients -------------------------------------------------------------------------

static sli_status_t *pool_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  float ratio[4];
  int64_t dims[4], borders[2];
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &input));
  SLI_RETURN_IF_ERROR(read_ratios(c->node, ratio));
  for (int i = 0; i < 4; i++) dims[i] = input.dims[i] < 0 ? -1 : (int64_t)floorf((float)input.dims[i] / ratio[i]);
  for (int i = 0; i < 2; i++) {
    borders[i] = dims[i + 1] < 0 ? -1 : dims[i + 1] + 1;
    sli_infer_set_output(c, i + 1, sli_infer_make(c, 1, &borders[i]));
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, 4, dims));
  return NULL;
}

static sli_status_t *max_grad_shape(sli_infer_context_t *c) {
  return sli_infer_input_with_rank(c, 0, 4, &c->outputs[0]);
}

static sli_status_t *avg_grad_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 0, &shape));
  return sli_infer_with_rank(c, shape, 4, &c->outputs[0]);
}

static sli_status_t *max_gradient(sli_gradient_builder_t *b) {
  sli_attr_entry_t attrs[] = {{"overlapping", *sli_node_attr(b->node, "overlapping")}};
  sli_output_t inputs[] = {sli_gradient_input(b, 0), sli_gradient_output(b, 0), sli_gradient_of_output(b, 0),
                           sli_gradient_output(b, 1), sli_gradient_output(b, 2)};
  return sli_emit_set(b, sli_gradient_emit(b, "FractionalMaxPoolGrad", inputs, 5, attrs, 1));
}

static sli_status_t *avg_gradient(sli_gradient_builder_t *b) {
  sli_attr_entry_t attrs[] = {{"overlapping", *sli_node_attr(b->node, "overlapping")}};
  sli_output_t shape = SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(sli_gradient_input(b, 0)),
                                     SLI_ATTRS(SLI_ATTR_TYPE_OF("out_type", SLI_DTYPE_INT64)));
  sli_output_t inputs[] = {shape, sli_gradient_of_output(b, 0), sli_gradient_output(b, 1), sli_gradient_output(b, 2)};
  return sli_emit_set(b, sli_gradient_emit(b, "FractionalAvgPoolGrad", inputs, 4, attrs, 1));
}

#define POOL_ATTRS                                                                                                  \
  "pooling_ratio: list(float) >= 4; pseudo_random: bool = false; overlapping: bool = false; deterministic: bool = " \
  "false; seed: int = 0; seed2: int = 0; T: {float, double, int32, int64}"
#define POOL_OUTPUTS "output: T, row_pooling_sequence: int64, col_pooling_sequence: int64"

static const sli_op_def_t ops[] = {
    {.name = "FractionalMaxPool",
     .inputs = "value: T",
     .outputs = POOL_OUTPUTS,
     .attrs = POOL_ATTRS,
     .summary = "Maxima over windows of two sizes.",
     .shape = pool_shape,
     .gradient = max_gradient},
    {.name = "FractionalAvgPool",
     .inputs = "value: T",
     .outputs = POOL_OUTPUTS,
     .attrs = POOL_ATTRS,
     .summary = "Means over windows of two sizes.",
     .shape = pool_shape,
     .gradient = avg_gradient},
    {.name = "FractionalMaxPoolGrad",
     .inputs = "orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: "
               "int64",
     .outputs = "output: T",
     .attrs = "overlapping: bool = false; T: {float, double, int32, int64}",
     .summary = "The gradient of FractionalMaxPool.",
     .shape = max_grad_shape},
    {.name = "FractionalAvgPoolGrad",
     .inputs = "orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: "
               "int64",
     .outputs = "output: T",
     .attrs = "overlapping: bool = false; T: {float, double, int32, int64}",
     .summary = "The gradient of FractionalAvgPool.",
     .shape = avg_grad_shape},
};

#define POOL_TYPES (SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_INT32 | SLI_TYPE_INT64)

static const sli_kernel_def_t kernels[] = {
    {.op = "FractionalMaxPool",
     .types = POOL_TYPES,
     .compute = max_compute,
     .create = fractional_create,
     .destroy = free},
    {.op = "FractionalAvgPool",
     .types = POOL_TYPES,
     .compute = avg_compute,
     .create = fractional_create,
     .destroy = free},
    {.op = "FractionalMaxPoolGrad", .types = POOL_TYPES, .compute = max_grad_compute},
    {.op = "FractionalAvgPoolGrad", .types = POOL_TYPES, .compute = avg_grad_compute},
};

SLI_OP_MODULE(fractional_pool);
