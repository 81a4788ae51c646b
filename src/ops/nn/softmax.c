// Softmax, LogSoftmax and the cross entropy ops, computed for each row of the last dimension. The maximum of a row is
// subtracted first, so that no exponential overflows.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/broadcast.h"
#include "math/elementary.h"
#include "math/half.h"
#include "math/simd.h"

#define T float
#define NAME(function) function##_float
#define EXP sli_math_expf
#define LOG logf
#include "ops/nn/softmax_rows.inc"

#define T double
#define NAME(function) function##_double
#define EXP exp
#define LOG log
#include "ops/nn/softmax_rows.inc"

// An operation on rows of |n| elements. 16-bit rows are converted to float in scratch memory.
typedef struct {
  sli_dtype_t dtype;
  size_t size;
  int64_t n;
  const char *in, *labels;
  char *out, *loss;
  int64_t in_step, label_step;  // rows to advance; 0: all rows use the same operand
  const sli_tensor_t *classes;  // sparse labels only
  void (*apply)(const void *in, void *out, void *scratch, int64_t n);
} softmax_work_t;

static void apply_range(void *context, int64_t begin, int64_t end) {
  const softmax_work_t *work = context;
  int64_t n = work->n;
  void *scratch = sli_malloc((size_t)n * 3 * sizeof(double));
  for (int64_t r = begin; r < end; r++) {
    const char *in = work->in + (size_t)(r * n) * work->size;
    char *out = work->out + (size_t)(r * n) * work->size;
    if (sli_half_is_narrow(work->dtype)) {
      float *wide = scratch;
      sli_half_widen(work->dtype, in, wide, n);
      work->apply(wide, wide + n, wide + 2 * n, n);
      sli_half_narrow(work->dtype, wide + n, out, n);
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
  softmax_work_t work = {.dtype = dtype,
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

static sli_status_t *softmax_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

// Sums over the last dimension and keeps it.
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

// Cross entropy with a distribution for each row.
static void entropy_range(void *context, int64_t begin, int64_t end) {
  const softmax_work_t *work = context;
  int64_t n = work->n;
  float *wide = sli_half_is_narrow(work->dtype) ? sli_malloc((size_t)n * 3 * sizeof(float)) : NULL;
  for (int64_t r = begin; r < end; r++) {
    const char *in = work->in + (size_t)(r * work->in_step * n) * work->size;
    const char *labels = work->labels + (size_t)(r * work->label_step * n) * work->size;
    char *out = work->out + (size_t)(r * n) * work->size, *loss = work->loss + (size_t)r * work->size;
    if (wide) {
      float total;
      sli_half_widen(work->dtype, in, wide, n);
      sli_half_widen(work->dtype, labels, wide + n, n);
      entropy_float(wide, wide + n, &total, wide + 2 * n, n);
      sli_half_narrow(work->dtype, wide + 2 * n, out, n);
      sli_half_narrow(work->dtype, &total, loss, 1);
    } else if (work->dtype == SLI_DTYPE_DOUBLE) {
      entropy_double(in, labels, loss, out, n);
    } else {
      entropy_float(in, labels, loss, out, n);
    }
  }
  free(wide);
}

// Broadcasts a |tensor| of one column to |columns| columns: a new tensor with the same rows.
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
  softmax_work_t work = {.dtype = dtype,
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

// Cross entropy with one class for each row.
static void sparse_range(void *context, int64_t begin, int64_t end) {
  const softmax_work_t *work = context;
  int64_t n = work->n;
  float *wide = sli_half_is_narrow(work->dtype) ? sli_malloc((size_t)n * 2 * sizeof(float)) : NULL;
  for (int64_t r = begin; r < end; r++) {
    const char *in = work->in + (size_t)(r * n) * work->size;
    char *out = work->out + (size_t)(r * n) * work->size, *loss = work->loss + (size_t)r * work->size;
    int64_t label = sli_tensor_int_at(work->classes, r);
    if (wide) {
      float total;
      sli_half_widen(work->dtype, in, wide, n);
      sparse_entropy_float(wide, label, &total, wide + n, n);
      sli_half_narrow(work->dtype, wide + n, out, n);
      sli_half_narrow(work->dtype, &total, loss, 1);
    } else if (work->dtype == SLI_DTYPE_DOUBLE) {
      sparse_entropy_double(in, label, loss, out, n);
    } else {
      sparse_entropy_float(in, label, loss, out, n);
    }
  }
  free(wide);
}

static sli_status_t *check_class_labels(const sli_tensor_t *labels, int64_t classes) {
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
  SLI_RETURN_IF_ERROR(check_class_labels(labels, logits->dims[1]));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(labels), &loss));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, sli_tensor_shape(logits), &backprop));
  sli_dtype_t dtype = (sli_dtype_t)logits->dtype;
  softmax_work_t work = {.dtype = dtype,
                         .size = sli_dtype_size(dtype),
                         .n = logits->dims[1],
                         .in = logits->data,
                         .out = backprop->data,
                         .loss = loss->data,
                         .classes = labels};
  sli_parallel_for(sli_kernel_pool(context), logits->dims[0], 30 + 3.0 * (double)work.n, sparse_range, &work);
  return NULL;
}

static sli_status_t *entropy_shape(sli_infer_context_t *c) {
  sli_shape_t both;
  sli_shape_t logits = sli_infer_input(c, 0), labels = sli_infer_input(c, 1);
  SLI_RETURN_IF_ERROR(sli_infer_broadcast(c, logits, labels, &both));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, both, 2, &both));
  int64_t rows = sli_infer_dim(both, 0);
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &rows));
  sli_infer_set_output(c, 1, both);
  return NULL;
}

static sli_status_t *sparse_entropy_shape(sli_infer_context_t *c) {
  sli_shape_t logits, labels;
  int64_t rows;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &logits));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &labels));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(logits, 0), sli_infer_dim(labels, 0), &rows));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &rows));
  sli_infer_set_output(c, 1, sli_infer_make(c, 2, (int64_t[]){rows, sli_infer_dim(logits, 1)}));
  return NULL;
}

// Multiplies each row of |matrix| by its value in |row|.
static sli_output_t emit_row_product(sli_gradient_builder_t *b, sli_output_t row, sli_output_t matrix) {
  return sli_emit_mul(b, sli_emit2(b, "ExpandDims", row, sli_gradient_const_int32(b, -1)), matrix);
}

// The gradient of the logits, for both dense and sparse labels. The backprop output is differentiable too: its gradient
// (in a second derivative) adds a term.
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
     .summary = "exp(logits) / sum(exp(logits)) for each row.",
     .shape = softmax_shape,
     .gradient = softmax_gradient},
    {.name = "LogSoftmax",
     .inputs = "logits: T",
     .outputs = "logsoftmax: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .summary = "The logarithm of Softmax.",
     .shape = softmax_shape,
     .gradient = log_softmax_gradient},
    {.name = "SoftmaxCrossEntropyWithLogits",
     .inputs = "features: T, labels: T",
     .outputs = "loss: T, backprop: T",
     .attrs = "T: {half, bfloat16, float, double}",
     .summary = "The cross entropy of a distribution of labels and the softmax of the logits, and its gradient.",
     .shape = entropy_shape,
     .gradient = entropy_gradient},
    {.name = "SparseSoftmaxCrossEntropyWithLogits",
     .inputs = "features: T, labels: Tlabels",
     .outputs = "loss: T, backprop: T",
     .attrs = "T: {half, bfloat16, float, double}; Tlabels: {int32, int64} = DT_INT64",
     .summary = "The cross entropy of one class per row and the softmax of the logits, and its gradient.",
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
