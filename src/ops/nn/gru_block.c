// GRUBlockCell, one step of a GRU as one op, and its gradient. A step computes
//   [r, u] = σ([x, h'] w_ru + b_ru), c = tanh([x, h'·r] w_c + b_c), h = u·h' + (1 - u)·c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/op/shape_inference.h"
#include "ops/nn/block_cell.h"

typedef struct {
  int64_t batch, input, cell;
} gru_sizes_t;

static sli_status_t *check_sizes(const sli_kernel_context_t *context, gru_sizes_t *s) {
  const sli_tensor_t *x = sli_kernel_input(context, 0), *h_prev = sli_kernel_input(context, 1);
  if (x->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "Rank of x must be 2, got %d", x->rank);
  if (h_prev->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "Rank of h_prev must be 2, got %d", h_prev->rank);
  s->batch = x->dims[0];
  s->input = x->dims[1];
  s->cell = h_prev->dims[1];
  if (h_prev->dims[0] != s->batch)
    return sli_status_make(SLI_INVALID_ARGUMENT, "h_prev.dims(0) != batch_size: %lld vs. %lld",
                           (long long)h_prev->dims[0], (long long)s->batch);
  int64_t ru[] = {s->input + s->cell, 2 * s->cell}, c[] = {s->input + s->cell, s->cell};
  SLI_RETURN_IF_ERROR(sli_block_cell_require(context, 2, "w_ru", 2, ru));
  SLI_RETURN_IF_ERROR(sli_block_cell_require(context, 3, "w_c", 2, c));
  SLI_RETURN_IF_ERROR(sli_block_cell_require(context, 4, "b_ru", 1, &ru[1]));
  return sli_block_cell_require(context, 5, "b_c", 1, &c[1]);
}

static sli_status_t *gru_compute(sli_kernel_context_t *context) {
  sli_block_cell_t cell = {.context = context};
  gru_sizes_t s;
  float *out[4];
  SLI_RETURN_IF_ERROR(check_sizes(context, &s));
  const float *x = sli_block_cell_input(&cell, 0), *h_prev = sli_block_cell_input(&cell, 1);
  const float *w_ru = sli_block_cell_input(&cell, 2), *w_c = sli_block_cell_input(&cell, 3);
  const float *b_ru = sli_block_cell_input(&cell, 4), *b_c = sli_block_cell_input(&cell, 5);
  for (int i = 0; i < 4; i++) out[i] = sli_block_cell_output(&cell, i, SLI_SHAPE(s.batch, s.cell));
  float *r = out[0], *u = out[1], *c = out[2], *h = out[3];
  float *xh = sli_block_cell_scratch(&cell, s.batch * (s.input + s.cell));
  float *ru = sli_block_cell_scratch(&cell, s.batch * 2 * s.cell);
  float *reset = sli_block_cell_scratch(&cell, s.batch * s.cell);
  if (cell.status) return sli_block_cell_finish(&cell);
  sli_block_cell_join(s.batch, x, s.input, h_prev, s.cell, xh);
  sli_block_cell_product(&cell, s.batch, 2 * s.cell, s.input + s.cell, xh, false, w_ru, false, ru);
  for (int64_t i = 0; i < s.batch * s.cell && !cell.status; i++) {
    const int64_t row = i / s.cell, j = i % s.cell;
    r[i] = sli_block_cell_sigmoid(ru[row * 2 * s.cell + j] + b_ru[j]);
    u[i] = sli_block_cell_sigmoid(ru[(row * 2 + 1) * s.cell + j] + b_ru[s.cell + j]);
    reset[i] = h_prev[i] * r[i];
  }
  sli_block_cell_join(s.batch, x, s.input, reset, s.cell, xh);
  sli_block_cell_product(&cell, s.batch, s.cell, s.input + s.cell, xh, false, w_c, false, c);
  for (int64_t i = 0; i < s.batch * s.cell && !cell.status; i++) {
    c[i] = tanhf(c[i] + b_c[i % s.cell]);
    h[i] = u[i] * h_prev[i] + (1 - u[i]) * c[i];
  }
  return sli_block_cell_finish(&cell);
}

static sli_status_t *gru_grad_compute(sli_kernel_context_t *context) {
  static const char *const names[] = {"r", "u", "c", "d_h"};
  sli_block_cell_t cell = {.context = context};
  gru_sizes_t s;
  const float *in[10];
  SLI_RETURN_IF_ERROR(check_sizes(context, &s));
  int64_t dims[] = {s.batch, s.cell};
  for (int i = 6; i < 10; i++) SLI_RETURN_IF_ERROR(sli_block_cell_require(context, i, names[i - 6], 2, dims));
  for (int i = 0; i < 10; i++) in[i] = sli_block_cell_input(&cell, i);
  const float *h_prev = in[1], *w_ru = in[2], *w_c = in[3], *r = in[6], *u = in[7], *c = in[8], *d_h = in[9];
  const int64_t width = s.input + s.cell;
  float *d_x = sli_block_cell_output(&cell, 0, SLI_SHAPE(s.batch, s.input));
  float *d_h_prev = sli_block_cell_output(&cell, 1, SLI_SHAPE(s.batch, s.cell));
  float *d_c_bar = sli_block_cell_output(&cell, 2, SLI_SHAPE(s.batch, s.cell));
  float *d_ru_bar = sli_block_cell_output(&cell, 3, SLI_SHAPE(s.batch, 2 * s.cell));
  float *of_c = sli_block_cell_scratch(&cell, s.batch * width), *of_ru = sli_block_cell_scratch(&cell, s.batch * width);
  for (int64_t i = 0; i < s.batch * s.cell && !cell.status; i++) {
    d_c_bar[i] = d_h[i] * (1 - u[i]) * (1 - c[i] * c[i]);
    d_ru_bar[(i / s.cell * 2 + 1) * s.cell + i % s.cell] = d_h[i] * (h_prev[i] - c[i]) * u[i] * (1 - u[i]);
  }
  sli_block_cell_product(&cell, s.batch, width, s.cell, d_c_bar, false, w_c, true, of_c);
  for (int64_t i = 0; i < s.batch * s.cell && !cell.status; i++) {
    const int64_t row = i / s.cell, j = i % s.cell;
    d_ru_bar[row * 2 * s.cell + j] = of_c[row * width + s.input + j] * h_prev[i] * r[i] * (1 - r[i]);
  }
  sli_block_cell_product(&cell, s.batch, width, 2 * s.cell, d_ru_bar, false, w_ru, true, of_ru);
  for (int64_t row = 0; row < s.batch && !cell.status; row++) {
    const float *a = of_ru + row * width, *b = of_c + row * width;
    for (int64_t j = 0; j < s.input; j++) d_x[row * s.input + j] = a[j] + b[j];
    for (int64_t j = 0; j < s.cell; j++) {
      const int64_t i = row * s.cell + j;
      d_h_prev[i] = a[s.input + j] + b[s.input + j] * r[i] + d_h[i] * u[i];
    }
  }
  return sli_block_cell_finish(&cell);
}

static sli_status_t *gru_shape(sli_infer_context_t *c) {
  sli_shape_t x, h_prev;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &x));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 2, &h_prev));
  for (int i = 0; i < 4; i++) sli_infer_set_output(c, i, sli_infer_make(c, 2, (int64_t[]){x.dims[0], h_prev.dims[1]}));
  return NULL;
}

static sli_status_t *gru_grad_shape(sli_infer_context_t *c) {
  sli_shape_t x, h_prev, w_ru;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &x));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 2, &h_prev));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 2, &w_ru));
  const int64_t batch = x.dims[0], cell = h_prev.dims[1];
  sli_infer_set_output(c, 0, x);
  sli_infer_set_output(c, 1, sli_infer_make(c, 2, (int64_t[]){batch, cell}));
  sli_infer_set_output(c, 2, sli_infer_make(c, 2, (int64_t[]){batch, cell}));
  sli_infer_set_output(c, 3, sli_infer_make(c, 2, (int64_t[]){batch, w_ru.dims[1]}));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "GRUBlockCell",
     .inputs = "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T",
     .outputs = "r: T, u: T, c: T, h: T",
     .attrs = "T: {float}",
     .summary = "One step of a GRU.",
     .shape = gru_shape},
    {.name = "GRUBlockCellGrad",
     .inputs = "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T, r: T, u: T, c: T, d_h: T",
     .outputs = "d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T",
     .attrs = "T: {float}",
     .summary = "The gradient of GRUBlockCell.",
     .shape = gru_grad_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "GRUBlockCell", .types = SLI_TYPE_FLOAT, .compute = gru_compute, .expensive = true, .cost = 10},
    {.op = "GRUBlockCellGrad", .types = SLI_TYPE_FLOAT, .compute = gru_grad_compute, .expensive = true, .cost = 10},
};

SLI_OP_MODULE(gru_block);
