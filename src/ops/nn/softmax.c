// Softmax, LogSoftmax, and the cross entropies over them, row by row over the
// last dimension. Each row is shifted by its maximum first, so that no
// exponential overflows.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/gradient.h"
#include "core/kernel.h"
#include "core/shape_inference.h"
#include "math/broadcast.h"
#include "math/elementary.h"
#include "math/emit.h"
#include "math/half.h"
#include "math/simd.h"

// Per type: the maximum of a row, exponentials of the shifted row with their
// sum, and so on. |out| may be |in|.
#define ROW_FUNCTIONS(T, name, exp_of, log_of)                                                              \
  SLI_SIMD static T row_max_##name(const T *in, int64_t n) {                                                \
    T lanes[16], best = in[0];                                                                              \
    int64_t i = 0;                                                                                          \
    if (n >= 16) {                                                                                          \
      for (int j = 0; j < 16; j++) lanes[j] = in[j];                                                        \
      for (i = 16; i + 16 <= n; i += 16)                                                                    \
        for (int j = 0; j < 16; j++) lanes[j] = in[i + j] > lanes[j] ? in[i + j] : lanes[j];                \
      for (int j = 0; j < 16; j++) best = lanes[j] > best ? lanes[j] : best;                                \
    }                                                                                                       \
    for (; i < n; i++) best = in[i] > best ? in[i] : best;                                                  \
    return best;                                                                                            \
  }                                                                                                         \
  SLI_SIMD static T row_exp_##name(const T *in, T shift, T *out, int64_t n) {                               \
    T lanes[16] = {0}, sum = 0;                                                                             \
    SLI_VECTORIZE for (int64_t i = 0; i < n; i++) out[i] = exp_of(in[i] - shift);                           \
    int64_t i = 0;                                                                                          \
    for (; i + 16 <= n; i += 16)                                                                            \
      for (int j = 0; j < 16; j++) lanes[j] += out[i + j];                                                  \
    for (; i < n; i++) sum += out[i];                                                                       \
    for (int j = 0; j < 16; j++) sum += lanes[j];                                                           \
    return sum;                                                                                             \
  }                                                                                                         \
  SLI_SIMD static void row_scale_##name(T *out, T factor, int64_t n) {                                      \
    for (int64_t i = 0; i < n; i++) out[i] *= factor;                                                       \
  }                                                                                                         \
  SLI_SIMD static void row_shift_##name(const T *in, T shift, T *out, int64_t n) {                          \
    SLI_VECTORIZE for (int64_t i = 0; i < n; i++) out[i] = in[i] - shift;                                   \
  }                                                                                                         \
  static void softmax_##name(const void *in, void *out, void *scratch, int64_t n) {                         \
    T sum = row_exp_##name(in, row_max_##name(in, n), out, n);                                              \
    row_scale_##name(out, 1 / sum, n);                                                                      \
  }                                                                                                         \
  static void log_softmax_##name(const void *in, void *out, void *scratch, int64_t n) {                     \
    T most = row_max_##name(in, n), sum = row_exp_##name(in, most, scratch, n);                             \
    row_shift_##name(in, most + log_of(sum), out, n);                                                       \
  }                                                                                                         \
  static void entropy_##name(const void *in, const void *labels, void *loss, void *backprop, int64_t n) {   \
    const T *x = in, *p = labels;                                                                           \
    T *b = backprop, most = row_max_##name(x, n), total = 0;                                                \
    T sum = row_exp_##name(x, most, b, n), shift = most + log_of(sum), factor = 1 / sum;                    \
    for (int64_t i = 0; i < n; i++) {                                                                       \
      total += p[i] == 0 ? 0 : p[i] * (shift - x[i]);                                                       \
      b[i] = b[i] * factor - p[i];                                                                          \
    }                                                                                                       \
    *(T *)loss = total;                                                                                     \
  }                                                                                                         \
  static void sparse_entropy_##name(const void *in, int64_t label, void *loss, void *backprop, int64_t n) { \
    const T *x = in;                                                                                        \
    T *b = backprop, most = row_max_##name(x, n), sum = row_exp_##name(x, most, b, n);                      \
    *(T *)loss = most + log_of(sum) - x[label];                                                             \
    row_scale_##name(b, 1 / sum, n);                                                                        \
    b[label] -= 1;                                                                                          \
  }
ROW_FUNCTIONS(float, float, sli_expf, logf)
ROW_FUNCTIONS(double, double, exp, log)

static bool is_narrow(sli_dtype_t dtype) { return dtype == SLI_DTYPE_HALF || dtype == SLI_DTYPE_BFLOAT16; }
static void widen(sli_dtype_t dtype, const void *in, float *out, int64_t n) {
  if (dtype == SLI_DTYPE_HALF)
    sli_half_to_float_n(in, out, n);
  else
    sli_bfloat16_to_float_n(in, out, n);
}
static void narrow(sli_dtype_t dtype, const float *in, void *out, int64_t n) {
  if (dtype == SLI_DTYPE_HALF)
    sli_half_from_float_n(in, out, n);
  else
    sli_bfloat16_from_float_n(in, out, n);
}

// Work on rows of |n| elements. 16-bit rows are widened into scratch memory.
typedef struct {
  sli_dtype_t dtype;
  size_t size;
  int64_t n;
  const char *in, *labels;
  char *out, *loss;
  int64_t in_step, label_step;  // rows to advance: 0 repeats one row
  const sli_tensor_t *classes;  // of the sparse form
  void (*apply)(const void *in, void *out, void *scratch, int64_t n);
} work_t;

static void apply_range(void *context, int64_t begin, int64_t end) {
  const work_t *work = context;
  int64_t n = work->n;
  void *scratch = sli_malloc((size_t)n * 3 * sizeof(double));
  for (int64_t r = begin; r < end; r++) {
    const char *in = work->in + (size_t)(r * n) * work->size;
    char *out = work->out + (size_t)(r * n) * work->size;
    if (is_narrow(work->dtype)) {
      float *wide = scratch;
      widen(work->dtype, in, wide, n);
      work->apply(wide, wide + n, wide + 2 * n, n);
      narrow(work->dtype, wide + n, out, n);
    } else {
      work->apply(in, out, scratch, n);
    }
  }
  free(scratch);
}

static sli_status_t *compute_rows(sli_kernel_context_t *context, bool logarithm) {
  sli_tensor_t *logits = sli_kernel_input(context, 0), *output;
  if (logits->rank < 1) {
    char *shape = sli_shape_to_text(sli_tensor_shape(logits));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "logits must have >= 1 dimension, got %s", shape);
    free(shape);
    return status;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(logits), &output));
  if (logits->count == 0) return NULL;
  sli_dtype_t dtype = (sli_dtype_t)logits->dtype;
  work_t work = {.dtype = dtype,
                 .size = sli_dtype_size(dtype),
                 .n = logits->dims[logits->rank - 1],
                 .in = logits->data,
                 .out = output->data};
  bool wide = dtype == SLI_DTYPE_DOUBLE;
  if (logarithm)
    work.apply = wide ? log_softmax_double : log_softmax_float;
  else
    work.apply = wide ? softmax_double : softmax_float;
  sli_parallel_for(sli_kernel_pool(context), logits->count / work.n, 30 + 2.0 * (double)work.n, apply_range, &work);
  return NULL;
}
static sli_status_t *softmax(sli_kernel_context_t *context) { return compute_rows(context, false); }
static sli_status_t *log_softmax(sli_kernel_context_t *context) { return compute_rows(context, true); }

static sli_status_t *softmax_shape(sli_shape_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_shape_with_rank_at_least(c, sli_shape_input(c, 0), 1, &shape));
  sli_shape_set_output(c, 0, shape);
  return NULL;
}

// Sum over the last dimension, kept.
static sli_output_t emit_row_sum(sli_gradient_builder_t *b, sli_output_t x) {
  return SLI_EMIT_WITH(b, "Sum", SLI_INPUTS(x, sli_gradient_const_ints(b, (int32_t[]){-1}, 1)),
                       SLI_ATTRS(SLI_ATTR_BOOL_OF("keep_dims", true)));
}

static sli_status_t *softmax_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), y = sli_gradient_output(b, 0);
  sli_output_t sum = emit_row_sum(b, sli_emit_mul(b, g, y));
  sli_gradient_set(b, 0, sli_emit_mul(b, sli_emit2(b, "Sub", g, sum), y));
  return NULL;
}

static sli_status_t *log_softmax_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), y = sli_emit1(b, "Exp", sli_gradient_output(b, 0));
  sli_gradient_set(b, 0, sli_emit2(b, "Sub", g, sli_emit_mul(b, emit_row_sum(b, g), y)));
  return NULL;
}

// Cross entropy against a distribution.
static void entropy_range(void *context, int64_t begin, int64_t end) {
  const work_t *work = context;
  int64_t n = work->n;
  float *wide = is_narrow(work->dtype) ? sli_malloc((size_t)n * 3 * sizeof(float)) : NULL;
  for (int64_t r = begin; r < end; r++) {
    const char *in = work->in + (size_t)(r * work->in_step * n) * work->size;
    const char *labels = work->labels + (size_t)(r * work->label_step * n) * work->size;
    char *out = work->out + (size_t)(r * n) * work->size, *loss = work->loss + (size_t)r * work->size;
    if (wide) {
      float total;
      widen(work->dtype, in, wide, n);
      widen(work->dtype, labels, wide + n, n);
      entropy_float(wide, wide + n, &total, wide + 2 * n, n);
      narrow(work->dtype, wide + 2 * n, out, n);
      narrow(work->dtype, &total, loss, 1);
    } else if (work->dtype == SLI_DTYPE_DOUBLE) {
      entropy_double(in, labels, loss, out, n);
    } else {
      entropy_float(in, labels, loss, out, n);
    }
  }
  free(wide);
}

// |tensor| of one column (or row and column) spread to |columns|: a new tensor with its own rows.
static sli_status_t *spread_columns(sli_kernel_context_t *context, const sli_tensor_t *tensor, int64_t columns,
                                    sli_tensor_t **out_tensor) {
  int64_t rows = tensor->rank == 2 ? tensor->dims[0] : 1;
  size_t size = sli_dtype_size((sli_dtype_t)tensor->dtype);
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_temporary(context, (sli_dtype_t)tensor->dtype, SLI_SHAPE(rows, columns), out_tensor));
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++)
      memcpy((char *)(*out_tensor)->data + (size_t)(r * columns + c) * size,
             (const char *)tensor->data + (size_t)r * size, size);
  return NULL;
}

static sli_status_t *entropy_shapes(const sli_tensor_t *logits, const sli_tensor_t *labels, sli_broadcast_t *plan) {
  sli_shape_t shapes[] = {sli_tensor_shape(logits), sli_tensor_shape(labels)};
  sli_status_t *status = sli_broadcast_plan(shapes, 2, plan);
  if (status) {
    sli_status_release(status);
    char *a = sli_shape_to_text(shapes[0]), *b = sli_shape_to_text(shapes[1]);
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "logits and labels must be broadcastable: logits_size=%s labels_size=%s", a, b);
    free(a);
    free(b);
    return status;
  }
  if (plan->out_rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional");
  return NULL;
}

static sli_status_t *entropy(sli_kernel_context_t *context) {
  sli_tensor_t *logits = sli_kernel_input(context, 0), *labels = sli_kernel_input(context, 1), *loss, *backprop;
  sli_tensor_t *spread[2] = {NULL, NULL};
  sli_broadcast_t plan;
  SLI_RETURN_IF_ERROR(entropy_shapes(logits, labels, &plan));
  int64_t rows = plan.out_dims[0], columns = plan.out_dims[1];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(rows), &loss));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(rows, columns), &backprop));
  sli_dtype_t dtype = (sli_dtype_t)logits->dtype;
  if (columns == 0 && rows > 0) memset(loss->data, 0, sli_tensor_bytes(loss));
  if (plan.count == 0) return NULL;
  sli_status_t *status = NULL;
  if (logits->rank == 0 || logits->dims[logits->rank - 1] != columns)
    SLI_GOTO_IF_ERROR(status, cleanup, spread_columns(context, logits, columns, &spread[0]));
  if (labels->rank == 0 || labels->dims[labels->rank - 1] != columns)
    SLI_GOTO_IF_ERROR(status, cleanup, spread_columns(context, labels, columns, &spread[1]));
  work_t work = {.dtype = dtype,
                 .size = sli_dtype_size(dtype),
                 .n = columns,
                 .in = spread[0] ? spread[0]->data : logits->data,
                 .labels = spread[1] ? spread[1]->data : labels->data,
                 .out = backprop->data,
                 .loss = loss->data,
                 .in_step = logits->rank == 2 && logits->dims[0] == rows,
                 .label_step = labels->rank == 2 && labels->dims[0] == rows};
  sli_parallel_for(sli_kernel_pool(context), rows, 30 + 3.0 * (double)columns, entropy_range, &work);
cleanup:
  sli_tensor_release(spread[0]);
  sli_tensor_release(spread[1]);
  return status;
}

// Cross entropy against one class per row.
static void sparse_range(void *context, int64_t begin, int64_t end) {
  const work_t *work = context;
  int64_t n = work->n;
  float *wide = is_narrow(work->dtype) ? sli_malloc((size_t)n * 2 * sizeof(float)) : NULL;
  for (int64_t r = begin; r < end; r++) {
    const char *in = work->in + (size_t)(r * n) * work->size;
    char *out = work->out + (size_t)(r * n) * work->size, *loss = work->loss + (size_t)r * work->size;
    int64_t label = sli_tensor_int_at(work->classes, r);
    if (wide) {
      float total;
      widen(work->dtype, in, wide, n);
      sparse_entropy_float(wide, label, &total, wide + n, n);
      narrow(work->dtype, wide + n, out, n);
      narrow(work->dtype, &total, loss, 1);
    } else if (work->dtype == SLI_DTYPE_DOUBLE) {
      sparse_entropy_double(in, label, loss, out, n);
    } else {
      sparse_entropy_float(in, label, loss, out, n);
    }
  }
  free(wide);
}

static sli_status_t *check_labels(const sli_tensor_t *labels, int64_t classes) {
  for (int64_t i = 0; i < labels->count; i++) {
    int64_t label = sli_tensor_int_at(labels, i);
    if (label >= 0 && label < classes) continue;
    sli_string_t text = {0};
    for (int64_t k = 0; k < labels->count && k < 1000; k++)
      sli_string_append_format(&text, "%s%lld", k ? " " : "", (long long)sli_tensor_int_at(labels, k));
    sli_status_t *status = sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Received a label value of %lld which is outside the valid range of [0, %lld).  Label values: %s",
        (long long)label, (long long)classes, sli_string_text(&text));
    sli_string_deinitialize(&text);
    return status;
  }
  return NULL;
}

static sli_status_t *check_sparse(const sli_tensor_t *logits, const sli_tensor_t *labels) {
  char *a = sli_shape_to_text(sli_tensor_shape(logits)), *b = sli_shape_to_text(sli_tensor_shape(labels));
  sli_status_t *status = NULL;
  if (logits->rank != 2)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "logits must be 2-D, but got shape %s", a);
  else if (labels->rank != 1)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "labels must be 1-D, but got shape %s", b);
  else if (logits->dims[0] != labels->dims[0])
    status = sli_status_make(
        SLI_INVALID_ARGUMENT,
        "logits and labels must have the same first dimension, got logits shape %s and labels shape %s", a, b);
  else if (logits->dims[1] <= 0)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Must have at least one class, but got logits shape %s", a);
  free(a);
  free(b);
  return status;
}

static sli_status_t *sparse_entropy(sli_kernel_context_t *context) {
  sli_tensor_t *logits = sli_kernel_input(context, 0), *labels = sli_kernel_input(context, 1), *loss, *backprop;
  SLI_RETURN_IF_ERROR(check_sparse(logits, labels));
  SLI_RETURN_IF_ERROR(check_labels(labels, logits->dims[1]));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(labels), &loss));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, sli_tensor_shape(logits), &backprop));
  sli_dtype_t dtype = (sli_dtype_t)logits->dtype;
  work_t work = {.dtype = dtype,
                 .size = sli_dtype_size(dtype),
                 .n = logits->dims[1],
                 .in = logits->data,
                 .out = backprop->data,
                 .loss = loss->data,
                 .classes = labels};
  sli_parallel_for(sli_kernel_pool(context), logits->dims[0], 30 + 3.0 * (double)work.n, sparse_range, &work);
  return NULL;
}

static sli_status_t *entropy_shape(sli_shape_context_t *c) {
  sli_shape_t both;
  sli_shape_t logits = sli_shape_input(c, 0), labels = sli_shape_input(c, 1);
  SLI_RETURN_IF_ERROR(sli_shape_broadcast_partial(c, logits, labels, &both));
  SLI_RETURN_IF_ERROR(sli_shape_with_rank(c, both, 2, &both));
  int64_t rows = sli_shape_dim(both, 0);
  sli_shape_set_output(c, 0, sli_shape_make(c, 1, &rows));
  sli_shape_set_output(c, 1, both);
  return NULL;
}

static sli_status_t *sparse_entropy_shape(sli_shape_context_t *c) {
  sli_shape_t logits, labels;
  int64_t rows;
  SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, 0, 2, &logits));
  SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, 1, 1, &labels));
  SLI_RETURN_IF_ERROR(sli_shape_merge_dims(sli_shape_dim(logits, 0), sli_shape_dim(labels, 0), &rows));
  sli_shape_set_output(c, 0, sli_shape_make(c, 1, &rows));
  sli_shape_set_output(c, 1, sli_shape_make(c, 2, (int64_t[]){rows, sli_shape_dim(logits, 1)}));
  return NULL;
}

// One value per row times every element of the row.
static sli_output_t emit_row_product(sli_gradient_builder_t *b, sli_output_t row, sli_output_t matrix) {
  return sli_emit_mul(b, sli_emit2(b, "ExpandDims", row, sli_gradient_const_int32(b, -1)), matrix);
}

// The gradient by the logits; both forms share it. The backprop output is itself
// differentiable: its gradient (of a second derivative) adds a term.
static sli_output_t emit_logits_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = emit_row_product(b, sli_gradient_of_output(b, 0), sli_gradient_output(b, 1));
  if (!sli_gradient_flows(b, 1)) return gradient;
  sli_output_t second = sli_gradient_of_output(b, 1), y = sli_emit1(b, "Softmax", sli_gradient_input(b, 0));
  sli_output_t sum = emit_row_sum(b, sli_emit_mul(b, second, y));
  return sli_emit2(b, "AddV2", gradient, sli_emit_mul(b, sli_emit2(b, "Sub", second, sum), y));
}

static sli_status_t *entropy_gradient(sli_gradient_builder_t *b) {
  sli_output_t log = sli_emit1(b, "LogSoftmax", sli_gradient_input(b, 0));
  sli_gradient_set(b, 0, emit_logits_gradient(b));
  sli_gradient_set(b, 1, emit_row_product(b, sli_gradient_of_output(b, 0), sli_emit1(b, "Neg", log)));
  return NULL;
}

static sli_status_t *sparse_entropy_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(b, 0, emit_logits_gradient(b));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Softmax",
     .inputs = "logits: T",
     .outputs = "softmax: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .shape = softmax_shape,
     .gradient = softmax_gradient},
    {.name = "LogSoftmax",
     .inputs = "logits: T",
     .outputs = "logsoftmax: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .shape = softmax_shape,
     .gradient = log_softmax_gradient},
    {.name = "SoftmaxCrossEntropyWithLogits",
     .inputs = "features: T, labels: T",
     .outputs = "loss: T, backprop: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .shape = entropy_shape,
     .gradient = entropy_gradient},
    {.name = "SparseSoftmaxCrossEntropyWithLogits",
     .inputs = "features: T, labels: Tlabels",
     .outputs = "loss: T, backprop: T",
     .attrs = "T: {half, bfloat16, float, double}; Tlabels: {int32, int64} = DT_INT64",
     .shape = sparse_entropy_shape,
     .gradient = sparse_entropy_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Softmax", .types = SLI_TYPES_FLOATING, .compute = softmax},
    {.op = "LogSoftmax", .types = SLI_TYPES_FLOATING, .compute = log_softmax},
    {.op = "SoftmaxCrossEntropyWithLogits", .types = SLI_TYPES_FLOATING, .compute = entropy},
    {.op = "SparseSoftmaxCrossEntropyWithLogits",
     .types = SLI_TYPES_FLOATING,
     .where = {{"Tlabels", SLI_TYPE_INT32 | SLI_TYPE_INT64}},
     .compute = sparse_entropy},
};

SLI_OP_MODULE(softmax);
