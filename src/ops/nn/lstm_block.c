// LSTMBlockCell, one step of an LSTM as one op, and BlockLSTM, all steps of a sequence, with their gradients. V2 of the
// sequence has its gates in another order and no bias of the forget gate. A step computes
//   i = σ(x_i + wci·cs'), f = σ(x_f + bias + wcf·cs'), ci = tanh(x_c), cs = ci·i + cs'·f, o = σ(x_o + wco·cs),
//   co = tanh(cs), h = co·o,   where x = [input, h'] w + b;
// the terms with wci, wcf and wco (peepholes) are optional. Gradients ignore the clipping of cs, as in TensorFlow.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/nn/block_cell.h"

typedef struct {
  bool peephole, is_v2;
  float forget_bias, clip;
} lstm_t;

static sli_status_t *lstm_create(const sli_kernel_setup_t *setup, void **out_state) {
  const sli_node_def_t *node = setup->node;
  lstm_t l = {0};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "use_peephole", &l.peephole));
  if (sli_node_attr(node, "forget_bias")) SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "forget_bias", &l.forget_bias));
  if (sli_node_attr(node, "cell_clip")) SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "cell_clip", &l.clip));
  size_t length = strlen(node->op->def->name);
  l.is_v2 = strcmp(node->op->def->name + length - 2, "V2") == 0;
  *out_state = sli_memdup(&l, sizeof(l));
  return NULL;
}

// The sizes, and where the gates of cell and forget begin in units of cells.
typedef struct {
  const lstm_t *l;
  int64_t batch, input, cell, steps;
  int c_gate, f_gate;
} lstm_sizes_t;

typedef struct {
  const float *x, *cs_prev, *h_prev, *w, *wci, *wcf, *wco, *b;
} lstm_weights_t;

// What a step computes, and the backward pass reads: [batch, cell] each.
typedef struct {
  float *i, *cs, *f, *o, *ci, *co, *h;
} lstm_values_t;

// Checks inputs [first, first + 8): x, cs_prev, h_prev, w, wci, wcf, wco, b. |rank| of x: 2, or 3 with steps first.
static sli_status_t *check_sizes(const sli_kernel_context_t *context, int first, int rank, lstm_sizes_t *s) {
  const sli_tensor_t *x = sli_kernel_input(context, first), *cs_prev = sli_kernel_input(context, first + 1);
  s->l = sli_kernel_state(context);
  s->c_gate = s->l->is_v2 ? 2 : 1;
  s->f_gate = s->l->is_v2 ? 1 : 2;
  if (x->rank != rank) return sli_status_make(SLI_INVALID_ARGUMENT, "x must be rank %d but is rank %d", rank, x->rank);
  if (cs_prev->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "cs_prev must be rank 2 but is rank %d", cs_prev->rank);
  s->steps = rank == 3 ? x->dims[0] : 1;
  s->batch = x->dims[rank - 2];
  s->input = x->dims[rank - 1];
  s->cell = cs_prev->dims[1];
  if (cs_prev->dims[0] != s->batch)
    return sli_status_make(SLI_INVALID_ARGUMENT, "cs_prev.dims(0) != batch_size: %lld vs. %lld",
                           (long long)cs_prev->dims[0], (long long)s->batch);
  int64_t state[] = {s->batch, s->cell}, w[] = {s->input + s->cell, s->cell * 4};
  SLI_RETURN_IF_ERROR(sli_block_cell_require(context, first + 2, "h_prev", 2, state));
  SLI_RETURN_IF_ERROR(sli_block_cell_require(context, first + 3, "w", 2, w));
  SLI_RETURN_IF_ERROR(sli_block_cell_require(context, first + 4, "wci", 1, &s->cell));
  SLI_RETURN_IF_ERROR(sli_block_cell_require(context, first + 5, "wcf", 1, &s->cell));
  SLI_RETURN_IF_ERROR(sli_block_cell_require(context, first + 6, "wco", 1, &s->cell));
  return sli_block_cell_require(context, first + 7, "b", 1, &w[1]);
}

static lstm_weights_t read_weights(sli_block_cell_t *cell, int first) {
  const float *v[8];
  for (int i = 0; i < 8; i++) v[i] = sli_block_cell_input(cell, first + i);
  return (lstm_weights_t){v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
}

// --- Forward --------------------------------------------------------------------------------------

typedef struct {
  const lstm_sizes_t *s;
  const lstm_weights_t *w;
  const lstm_values_t *v;
  const float *gates;
} lstm_step_t;

static void forward_rows(void *context, int64_t begin, int64_t end) {
  const lstm_step_t *step = context;
  const lstm_sizes_t *s = step->s;
  const lstm_weights_t *w = step->w;
  const lstm_values_t *v = step->v;
  const bool peephole = s->l->peephole;
  for (int64_t row = begin; row < end; row++) {
    const float *gates = step->gates + row * 4 * s->cell;
    for (int64_t j = 0; j < s->cell; j++) {
      const int64_t at = row * s->cell + j;
      const float before = w->cs_prev[at];
      float i = gates[j] + w->b[j], ci = gates[s->c_gate * s->cell + j] + w->b[s->c_gate * s->cell + j];
      float f = gates[s->f_gate * s->cell + j] + w->b[s->f_gate * s->cell + j] + s->l->forget_bias;
      float o = gates[3 * s->cell + j] + w->b[3 * s->cell + j];
      v->i[at] = i = sli_block_cell_sigmoid(peephole ? i + before * w->wci[j] : i);
      v->ci[at] = ci = tanhf(ci);
      v->f[at] = f = sli_block_cell_sigmoid(peephole ? f + before * w->wcf[j] : f);
      float cs = ci * i + before * f;
      if (s->l->clip > 0) cs = cs > s->l->clip ? s->l->clip : cs < -s->l->clip ? -s->l->clip : cs;
      v->cs[at] = cs;
      v->co[at] = tanhf(cs);
      v->o[at] = o = sli_block_cell_sigmoid(peephole ? o + cs * w->wco[j] : o);
      v->h[at] = v->co[at] * o;
    }
  }
}

// One step. |xh| and |gates| are scratch memory of batch * (input + cell) and batch * 4 * cell floats.
static void run_forward(sli_block_cell_t *cell, const lstm_sizes_t *s, const lstm_weights_t *w, const lstm_values_t *v,
                        float *xh, float *gates) {
  if (cell->status) return;
  sli_block_cell_join(s->batch, w->x, s->input, w->h_prev, s->cell, xh);
  sli_block_cell_product(cell, s->batch, 4 * s->cell, s->input + s->cell, xh, false, w->w, false, gates);
  if (cell->status) return;
  lstm_step_t step = {s, w, v, gates};
  sli_parallel_for(sli_kernel_pool(cell->context), s->batch, 60.0 * (double)s->cell, forward_rows, &step);
}

// Allocates the seven outputs.
static lstm_values_t allocate_values(sli_block_cell_t *cell, sli_shape_t shape) {
  float *v[7];
  for (int i = 0; i < 7; i++) v[i] = sli_block_cell_output(cell, i, shape);
  return (lstm_values_t){v[0], v[1], v[2], v[3], v[4], v[5], v[6]};
}

static sli_status_t *cell_compute(sli_kernel_context_t *context) {
  sli_block_cell_t cell = {.context = context};
  lstm_sizes_t s;
  SLI_RETURN_IF_ERROR(check_sizes(context, 0, 2, &s));
  lstm_weights_t w = read_weights(&cell, 0);
  lstm_values_t v = allocate_values(&cell, SLI_SHAPE(s.batch, s.cell));
  float *xh = sli_block_cell_scratch(&cell, s.batch * (s.input + s.cell));
  float *gates = sli_block_cell_scratch(&cell, s.batch * 4 * s.cell);
  run_forward(&cell, &s, &w, &v, xh, gates);
  return sli_block_cell_finish(&cell);
}

// The number of steps that are computed, from input 0.
static sli_status_t *read_length(const sli_kernel_context_t *context, const lstm_sizes_t *s, int64_t *out_length) {
  const sli_tensor_t *length = sli_kernel_input(context, 0);
  if (length->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "seq_len_max must be rank 0 but is rank %d", length->rank);
  *out_length = *SLI_DATA(int64_t, length);
  if (*out_length < 0 || *out_length > s->steps)
    return sli_status_make(SLI_INVALID_ARGUMENT, "seq_len_max must be in [0, %lld], got %lld", (long long)s->steps,
                           (long long)*out_length);
  return NULL;
}

// The values of step |t|.
static lstm_values_t values_at(const lstm_values_t *v, int64_t at) {
  return (lstm_values_t){v->i + at, v->cs + at, v->f + at, v->o + at, v->ci + at, v->co + at, v->h + at};
}

static sli_status_t *sequence_compute(sli_kernel_context_t *context) {
  sli_block_cell_t cell = {.context = context};
  lstm_sizes_t s;
  int64_t length = 0;
  SLI_RETURN_IF_ERROR(check_sizes(context, 1, 3, &s));
  SLI_RETURN_IF_ERROR(read_length(context, &s, &length));
  const lstm_weights_t first = read_weights(&cell, 1);
  const lstm_values_t all = allocate_values(&cell, SLI_SHAPE(s.steps, s.batch, s.cell));
  float *xh = sli_block_cell_scratch(&cell, s.batch * (s.input + s.cell));
  float *gates = sli_block_cell_scratch(&cell, s.batch * 4 * s.cell);
  const int64_t size = s.batch * s.cell;
  for (int64_t t = 0; t < length && !cell.status; t++) {
    lstm_weights_t w = first;
    lstm_values_t v = values_at(&all, t * size);
    w.x += t * s.batch * s.input;
    if (t) w.cs_prev = v.cs - size;
    if (t) w.h_prev = v.h - size;
    run_forward(&cell, &s, &w, &v, xh, gates);
  }
  return sli_block_cell_finish(&cell);
}

// --- Backward -------------------------------------------------------------------------------------

typedef struct {
  const float *cs_grad, *h_grad;  // of the step's results
  float *dgates, *cs_prev_grad;
  float *wci_grad, *wcf_grad, *wco_grad;  // added to
} lstm_gradients_t;

static void run_backward(const lstm_sizes_t *s, const lstm_weights_t *w, const lstm_values_t *v,
                         const lstm_gradients_t *g) {
  const bool peephole = s->l->peephole;
  for (int64_t row = 0; row < s->batch; row++) {
    float *gates = g->dgates + row * 4 * s->cell;
    for (int64_t j = 0; j < s->cell; j++) {
      const int64_t at = row * s->cell + j;
      const float i = v->i[at], f = v->f[at], o = v->o[at], ci = v->ci[at], co = v->co[at], before = w->cs_prev[at];
      const float d_o = o * (1 - o) * g->h_grad[at] * co;
      float d_cs = (1 - co * co) * g->h_grad[at] * o + g->cs_grad[at];
      if (peephole) d_cs += d_o * w->wco[j];
      const float d_ci = (1 - ci * ci) * d_cs * i, d_f = f * (1 - f) * d_cs * before, d_i = i * (1 - i) * d_cs * ci;
      gates[j] = d_i;
      gates[s->c_gate * s->cell + j] = d_ci;
      gates[s->f_gate * s->cell + j] = d_f;
      gates[3 * s->cell + j] = d_o;
      g->cs_prev_grad[at] = d_cs * f;
      if (!peephole) continue;
      g->cs_prev_grad[at] += d_i * w->wci[j] + d_f * w->wcf[j];
      g->wci_grad[j] += d_i * before;
      g->wcf_grad[j] += d_f * before;
      g->wco_grad[j] += d_o * v->cs[at];
    }
  }
}

// The values i, cs, f, o, ci, co (and h) at inputs [first, first + count).
static lstm_values_t read_values(sli_block_cell_t *cell, int first, int count) {
  float *v[7] = {NULL};
  for (int i = 0; i < count; i++) v[i] = (float *)sli_block_cell_input(cell, first + i);
  return (lstm_values_t){v[0], v[1], v[2], v[3], v[4], v[5], v[6]};
}

static sli_status_t *check_values(const sli_kernel_context_t *context, int first, int last, const char *const *names,
                                  int rank, const int64_t *dims) {
  for (int i = first; i <= last; i++)
    SLI_RETURN_IF_ERROR(sli_block_cell_require(context, i, names[i - first], rank, dims));
  return NULL;
}

static sli_status_t *cell_grad_compute(sli_kernel_context_t *context) {
  static const char *const names[] = {"i", "cs", "f", "o", "ci", "co", "cs_grad", "h_grad"};
  sli_block_cell_t cell = {.context = context};
  lstm_sizes_t s;
  SLI_RETURN_IF_ERROR(check_sizes(context, 0, 2, &s));
  int64_t dims[] = {s.batch, s.cell};
  SLI_RETURN_IF_ERROR(check_values(context, 8, 15, names, 2, dims));
  lstm_weights_t w = read_weights(&cell, 0);
  lstm_values_t v = read_values(&cell, 8, 6);
  lstm_gradients_t g = {.cs_grad = sli_block_cell_input(&cell, 14), .h_grad = sli_block_cell_input(&cell, 15)};
  g.cs_prev_grad = sli_block_cell_output(&cell, 0, SLI_SHAPE(s.batch, s.cell));
  g.dgates = sli_block_cell_output(&cell, 1, SLI_SHAPE(s.batch, 4 * s.cell));
  g.wci_grad = sli_block_cell_output(&cell, 2, SLI_SHAPE(s.cell));
  g.wcf_grad = sli_block_cell_output(&cell, 3, SLI_SHAPE(s.cell));
  g.wco_grad = sli_block_cell_output(&cell, 4, SLI_SHAPE(s.cell));
  if (!cell.status) run_backward(&s, &w, &v, &g);
  return sli_block_cell_finish(&cell);
}

// The backward pass of a sequence: scratch memory and the outputs that are no lstm_gradients_t.
typedef struct {
  float *xh, *xh_grad, *w_step, *cs_sum, *h_sum;
  float *x_grad, *h_prev_grad, *w_grad, *b_grad;
} lstm_sequence_t;

// What follows from the gradient of the gates of step |t|.
static void spread_gates(sli_block_cell_t *cell, const lstm_sizes_t *s, const lstm_weights_t *w, const float *dgates,
                         int64_t t, lstm_sequence_t *q) {
  const int64_t width = s->input + s->cell, gates = 4 * s->cell;
  sli_block_cell_join(s->batch, w->x, s->input, w->h_prev, s->cell, q->xh);
  sli_block_cell_product(cell, s->batch, width, gates, dgates, false, w->w, true, q->xh_grad);
  sli_block_cell_product(cell, width, gates, s->batch, q->xh, true, dgates, false, q->w_step);
  if (cell->status) return;
  for (int64_t row = 0; row < s->batch; row++) {
    const float *from = q->xh_grad + row * width;
    memcpy(q->x_grad + (t * s->batch + row) * s->input, from, (size_t)s->input * sizeof(float));
    memcpy(q->h_prev_grad + row * s->cell, from + s->input, (size_t)s->cell * sizeof(float));
    for (int64_t j = 0; j < gates; j++) q->b_grad[j] += dgates[row * gates + j];
  }
  for (int64_t j = 0; j < width * gates; j++) q->w_grad[j] += q->w_step[j];
}

static sli_status_t *check_sequence(const sli_kernel_context_t *context, lstm_sizes_t *s, int64_t *out_length) {
  static const char *const names[] = {"i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad"};
  SLI_RETURN_IF_ERROR(check_sizes(context, 1, 3, s));
  SLI_RETURN_IF_ERROR(read_length(context, s, out_length));
  int64_t dims[] = {s->steps, s->batch, s->cell};
  return check_values(context, 9, 17, names, 3, dims);
}

static sli_status_t *sequence_grad_compute(sli_kernel_context_t *context) {
  sli_block_cell_t cell = {.context = context};
  lstm_sizes_t s;
  lstm_gradients_t g = {0};
  lstm_sequence_t q;
  int64_t length = 0;
  SLI_RETURN_IF_ERROR(check_sequence(context, &s, &length));
  const int64_t size = s.batch * s.cell, width = s.input + s.cell, gates = 4 * s.cell;
  const lstm_weights_t first = read_weights(&cell, 1);
  const lstm_values_t all = read_values(&cell, 9, 7);
  const float *cs_grad = sli_block_cell_input(&cell, 16), *h_grad = sli_block_cell_input(&cell, 17);
  q.x_grad = sli_block_cell_output(&cell, 0, SLI_SHAPE(s.steps, s.batch, s.input));
  g.cs_prev_grad = sli_block_cell_output(&cell, 1, SLI_SHAPE(s.batch, s.cell));
  q.h_prev_grad = sli_block_cell_output(&cell, 2, SLI_SHAPE(s.batch, s.cell));
  q.w_grad = sli_block_cell_output(&cell, 3, SLI_SHAPE(width, gates));
  g.wci_grad = sli_block_cell_output(&cell, 4, SLI_SHAPE(s.cell));
  g.wcf_grad = sli_block_cell_output(&cell, 5, SLI_SHAPE(s.cell));
  g.wco_grad = sli_block_cell_output(&cell, 6, SLI_SHAPE(s.cell));
  q.b_grad = sli_block_cell_output(&cell, 7, SLI_SHAPE(gates));
  g.dgates = sli_block_cell_scratch(&cell, s.batch * gates);
  q.xh = sli_block_cell_scratch(&cell, s.batch * width);
  q.xh_grad = sli_block_cell_scratch(&cell, s.batch * width);
  q.w_step = sli_block_cell_scratch(&cell, width * gates);
  q.cs_sum = sli_block_cell_scratch(&cell, size);
  q.h_sum = sli_block_cell_scratch(&cell, size);
  for (int64_t t = length - 1; t >= 0 && !cell.status; t--) {
    lstm_weights_t w = first;
    lstm_values_t v = values_at(&all, t * size);
    w.x += t * s.batch * s.input;
    if (t) w.cs_prev = v.cs - size;
    if (t) w.h_prev = v.h - size;
    for (int64_t j = 0; j < size; j++) {
      q.cs_sum[j] = cs_grad[t * size + j] + g.cs_prev_grad[j];
      q.h_sum[j] = h_grad[t * size + j] + q.h_prev_grad[j];
    }
    g.cs_grad = q.cs_sum;
    g.h_grad = q.h_sum;
    run_backward(&s, &w, &v, &g);
    spread_gates(&cell, &s, &w, g.dgates, t, &q);
  }
  return sli_block_cell_finish(&cell);
}

// --- Shapes ---------------------------------------------------------------------------------------

static sli_status_t *cell_shape(sli_infer_context_t *c) {
  sli_shape_t x, cs_prev;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &x));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 2, &cs_prev));
  for (int i = 0; i < 7; i++) sli_infer_set_output(c, i, sli_infer_make(c, 2, (int64_t[]){x.dims[0], cs_prev.dims[1]}));
  return NULL;
}

static sli_status_t *cell_grad_shape(sli_infer_context_t *c) {
  sli_shape_t x, cs_prev;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &x));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 2, &cs_prev));
  const int64_t batch = x.dims[0], cell = cs_prev.dims[1], gates = cell < 0 ? -1 : 4 * cell;
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){batch, cell}));
  sli_infer_set_output(c, 1, sli_infer_make(c, 2, (int64_t[]){batch, gates}));
  for (int i = 2; i < 5; i++) sli_infer_set_output(c, i, sli_infer_make(c, 1, &cell));
  return NULL;
}

static sli_status_t *sequence_shape(sli_infer_context_t *c) {
  sli_shape_t x, b;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 3, &x));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 8, 1, &b));
  if (b.dims[0] >= 0 && b.dims[0] % 4 != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension size must be evenly divisible by 4 but is %lld",
                           (long long)b.dims[0]);
  const int64_t cell = b.dims[0] < 0 ? -1 : b.dims[0] / 4;
  for (int i = 0; i < 7; i++) sli_infer_set_output(c, i, sli_infer_make(c, 3, (int64_t[]){x.dims[0], x.dims[1], cell}));
  return NULL;
}

// Each gradient has the shape of its input.
static sli_status_t *sequence_grad_shape(sli_infer_context_t *c) {
  static const int ranks[] = {3, 2, 2, 2, 1, 1, 1, 1};
  for (int i = 0; i < 8; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i + 1, ranks[i], &c->outputs[i]));
  return NULL;
}

static sli_status_t *emit_sequence_gradient(sli_gradient_builder_t *b, const char *op) {
  sli_attr_entry_t attrs[] = {{"use_peephole", *sli_node_attr(b->node, "use_peephole")}};
  sli_output_t inputs[18];
  for (int i = 0; i < 9; i++) inputs[i] = sli_gradient_input(b, i);
  for (int i = 0; i < 7; i++) inputs[9 + i] = sli_gradient_output(b, i);
  inputs[16] = sli_gradient_of_output(b, 1);
  inputs[17] = sli_gradient_of_output(b, 6);
  sli_output_t found = sli_gradient_emit(b, op, inputs, 18, attrs, 1);
  for (int i = 0; i < 8; i++) sli_gradient_set(b, i + 1, sli_output_at(found, i));
  return NULL;
}

static sli_status_t *sequence_gradient(sli_gradient_builder_t *b) { return emit_sequence_gradient(b, "BlockLSTMGrad"); }
static sli_status_t *sequence_v2_gradient(sli_gradient_builder_t *b) {
  return emit_sequence_gradient(b, "BlockLSTMGradV2");
}

// --- Tables ---------------------------------------------------------------------------------------

#define STEP_INPUTS "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T"
#define STEP_OUTPUTS "i: T, cs: T, f: T, o: T, ci: T, co: T, h: T"
#define SEQUENCE_GRADIENTS \
  "x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T"
#define STEP_ATTRS "forget_bias: float = 1; cell_clip: float = 3; use_peephole: bool = false; T: {half, float}"

static const sli_op_def_t ops[] = {
    {.name = "LSTMBlockCell",
     .inputs = STEP_INPUTS,
     .outputs = STEP_OUTPUTS,
     .attrs = STEP_ATTRS,
     .summary = "One step of an LSTM.",
     .shape = cell_shape},
    {.name = "LSTMBlockCellGrad",
     .inputs = STEP_INPUTS ", i: T, cs: T, f: T, o: T, ci: T, co: T, cs_grad: T, h_grad: T",
     .outputs = "cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T",
     .attrs = "use_peephole: bool; T: {half, float}",
     .summary = "The gradient of LSTMBlockCell.",
     .shape = cell_grad_shape},
    {.name = "BlockLSTM",
     .inputs = "seq_len_max: int64, " STEP_INPUTS,
     .outputs = STEP_OUTPUTS,
     .attrs = STEP_ATTRS,
     .summary = "All steps of an LSTM.",
     .shape = sequence_shape,
     .gradient = sequence_gradient},
    {.name = "BlockLSTMV2",
     .inputs = "seq_len_max: int64, " STEP_INPUTS,
     .outputs = STEP_OUTPUTS,
     .attrs = "cell_clip: float = 0; use_peephole: bool = false; T: {half, float}",
     .summary = "All steps of an LSTM, with the gates in the order i, f, c, o.",
     .shape = sequence_shape,
     .gradient = sequence_v2_gradient},
    {.name = "BlockLSTMGrad",
     .inputs = "seq_len_max: int64, " STEP_INPUTS ", " STEP_OUTPUTS ", cs_grad: T, h_grad: T",
     .outputs = SEQUENCE_GRADIENTS,
     .attrs = "use_peephole: bool; T: {half, float}",
     .summary = "The gradient of BlockLSTM.",
     .shape = sequence_grad_shape},
    {.name = "BlockLSTMGradV2",
     .inputs = "seq_len_max: int64, " STEP_INPUTS ", " STEP_OUTPUTS ", cs_grad: T, h_grad: T",
     .outputs = SEQUENCE_GRADIENTS,
     .attrs = "use_peephole: bool; T: {half, float}",
     .summary = "The gradient of BlockLSTMV2.",
     .shape = sequence_grad_shape},
};

#define LSTM_KERNEL(name, function)                                                                                   \
  {                                                                                                                   \
    .op = name, .types = SLI_TYPE_HALF | SLI_TYPE_FLOAT, .compute = function, .create = lstm_create, .destroy = free, \
    .expensive = true, .cost = 10                                                                                     \
  }

static const sli_kernel_def_t kernels[] = {
    LSTM_KERNEL("LSTMBlockCell", cell_compute),          LSTM_KERNEL("LSTMBlockCellGrad", cell_grad_compute),
    LSTM_KERNEL("BlockLSTM", sequence_compute),          LSTM_KERNEL("BlockLSTMV2", sequence_compute),
    LSTM_KERNEL("BlockLSTMGrad", sequence_grad_compute), LSTM_KERNEL("BlockLSTMGradV2", sequence_grad_compute),
};

SLI_OP_MODULE(lstm_block);
