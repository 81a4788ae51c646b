// LRN, local response normalisation across channels,
//   y[c] = x[c] / (bias + alpha * sum of x² over the channels within depth_radius of c) ^ beta,
// and LRNGrad. The sums of the windows are differences of running sums in double, so the cost does not depend on the
// radius.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"

typedef struct {
  int64_t radius;
  float bias, alpha, beta;
} lrn_t;

static sli_status_t *lrn_create(const sli_kernel_setup_t *setup, void **out_state) {
  lrn_t lrn;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "depth_radius", &lrn.radius));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(setup->node, "bias", &lrn.bias));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(setup->node, "alpha", &lrn.alpha));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(setup->node, "beta", &lrn.beta));
  if (lrn.radius < 0 || lrn.radius > INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "depth_radius = %lld larger than int max", (long long)lrn.radius);
  *out_state = sli_memdup(&lrn, sizeof(lrn));
  return NULL;
}

typedef struct {
  const lrn_t *lrn;
  sli_dtype_t dtype;  // FLOAT or HALF
  int64_t channels;
  const void *gradient, *input, *output;  // LRN uses only |input|
  void *result;
} lrn_work_t;

// Scratch memory of one thread: rows as floats, running sums.
typedef struct {
  float *gradient, *input, *output, *norm;
  double *running;
} lrn_rows_t;

static const float *load_row(const lrn_work_t *work, const void *data, int64_t row, float *wide) {
  if (work->dtype == SLI_DTYPE_FLOAT) return (const float *)data + row * work->channels;
  sli_half_to_float_n((const sli_half_t *)data + row * work->channels, wide, work->channels);
  return wide;
}

// The sum over the window around |c|, where running[i] is the sum of the first i values.
static double window_sum(const lrn_work_t *work, const double *running, int64_t c) {
  int64_t begin = c - work->lrn->radius, end = c + work->lrn->radius + 1;
  return running[end > work->channels ? work->channels : end] - running[begin < 0 ? 0 : begin];
}

static void find_norms(const lrn_work_t *work, const float *input, lrn_rows_t *rows) {
  rows->running[0] = 0;
  for (int64_t c = 0; c < work->channels; c++)
    rows->running[c + 1] = rows->running[c] + (double)input[c] * (double)input[c];
  for (int64_t c = 0; c < work->channels; c++)
    rows->norm[c] = work->lrn->bias + work->lrn->alpha * (float)window_sum(work, rows->running, c);
}

static void normalize_row(const lrn_work_t *work, int64_t row, lrn_rows_t *rows, float *result) {
  const float *input = load_row(work, work->input, row, rows->input);
  find_norms(work, input, rows);
  for (int64_t c = 0; c < work->channels; c++) result[c] = input[c] * powf(rows->norm[c], -work->lrn->beta);
}

static void differentiate_row(const lrn_work_t *work, int64_t row, lrn_rows_t *rows, float *result) {
  const lrn_t *lrn = work->lrn;
  const float *gradient = load_row(work, work->gradient, row, rows->gradient);
  const float *input = load_row(work, work->input, row, rows->input);
  const float *output = load_row(work, work->output, row, rows->output);
  find_norms(work, input, rows);
  for (int64_t c = 0; c < work->channels; c++)
    rows->running[c + 1] = rows->running[c] + (double)(gradient[c] * output[c] / rows->norm[c]);
  for (int64_t c = 0; c < work->channels; c++)
    result[c] = gradient[c] * powf(rows->norm[c], -lrn->beta) -
                2 * lrn->alpha * lrn->beta * input[c] * (float)window_sum(work, rows->running, c);
}

static void run_lrn_rows(void *context, int64_t begin, int64_t end) {
  const lrn_work_t *work = context;
  size_t n = (size_t)work->channels;
  float *scratch = sli_malloc((5 * n) * sizeof(float) + (n + 1) * sizeof(double));
  lrn_rows_t rows = {.running = (double *)scratch};
  rows.norm = (float *)(rows.running + n + 1);
  rows.gradient = rows.norm + n;
  rows.input = rows.norm + 2 * n;
  rows.output = rows.norm + 3 * n;
  for (int64_t row = begin; row < end; row++) {
    bool narrow = work->dtype == SLI_DTYPE_HALF;
    float *result = narrow ? rows.norm + 4 * n : (float *)work->result + row * work->channels;
    if (work->gradient)
      differentiate_row(work, row, &rows, result);
    else
      normalize_row(work, row, &rows, result);
    if (narrow) sli_half_from_float_n(result, (sli_half_t *)work->result + row * work->channels, work->channels);
  }
  free(scratch);
}

static void run_lrn(sli_kernel_context_t *context, lrn_work_t *work, int64_t count) {
  work->lrn = sli_kernel_state(context);
  if (count)
    sli_parallel_for(sli_kernel_pool(context), count / work->channels, 20.0 * (double)work->channels, run_lrn_rows,
                     work);
}

static sli_status_t *lrn(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  if (input->rank != 4) return sli_status_make(SLI_INVALID_ARGUMENT, "in must be 4-dimensional");
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  lrn_work_t work = {
      .dtype = (sli_dtype_t)input->dtype, .channels = input->dims[3], .input = input->data, .result = output->data};
  run_lrn(context, &work, input->count);
  return NULL;
}

static sli_status_t *lrn_grad(sli_kernel_context_t *context) {
  sli_tensor_t *gradient = sli_kernel_input(context, 0), *input = sli_kernel_input(context, 1);
  sli_tensor_t *output = sli_kernel_input(context, 2), *result;
  if (gradient->rank != 4 || input->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "inputs must be 4-dimensional");
  if (!sli_tensor_same_shape(gradient, input) || !sli_tensor_same_shape(gradient, output))
    return sli_status_make(SLI_INVALID_ARGUMENT, "input_grads, input_image, and out_image should have the same shape");
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &result));
  lrn_work_t work = {.dtype = (sli_dtype_t)input->dtype,
                     .channels = input->dims[3],
                     .gradient = gradient->data,
                     .input = input->data,
                     .output = output->data,
                     .result = result->data};
  run_lrn(context, &work, input->count);
  return NULL;
}

static sli_status_t *lrn_shape(sli_infer_context_t *c) { return sli_infer_input_with_rank(c, 0, 4, &c->outputs[0]); }

static sli_status_t *lrn_grad_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &shape));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, shape, sli_infer_input(c, 1), &shape));
  return sli_infer_merge(c, shape, sli_infer_input(c, 2), &c->outputs[0]);
}

static sli_status_t *lrn_gradient(sli_gradient_builder_t *b) {
  static const char *const names[] = {"depth_radius", "bias", "alpha", "beta"};
  sli_attr_entry_t attrs[4];
  for (int i = 0; i < 4; i++) attrs[i] = (sli_attr_entry_t){names[i], *sli_node_attr(b->node, names[i])};
  sli_output_t inputs[] = {sli_gradient_of_output(b, 0), sli_gradient_input(b, 0), sli_gradient_output(b, 0)};
  sli_gradient_set(b, 0, sli_gradient_emit(b, "LRNGrad", inputs, 3, attrs, 4));
  return NULL;
}

#define ATTRS                                                                                                  \
  "depth_radius: int = 5; bias: float = 1; alpha: float = 1; beta: float = 0.5; T: {half, bfloat16, float} = " \
  "DT_FLOAT"

static const sli_op_def_t ops[] = {
    {.name = "LRN",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = ATTRS,
     .summary = "Local response normalisation.",
     .shape = lrn_shape,
     .gradient = lrn_gradient},
    {.name = "LRNGrad",
     .inputs = "input_grads: T, input_image: T, output_image: T",
     .outputs = "output: T",
     .attrs = ATTRS,
     .summary = "The gradient of LRN.",
     .shape = lrn_grad_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "LRN",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_HALF,
     .compute = lrn,
     .create = lrn_create,
     .destroy = free,
     .cost = 5},
    {.op = "LRNGrad",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_HALF,
     .compute = lrn_grad,
     .create = lrn_create,
     .destroy = free,
     .cost = 5},
};

SLI_OP_MODULE(lrn);
