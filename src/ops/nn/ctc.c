// CTCLoss (connectionist temporal classification) with its gradient, and
// CTCGreedyDecoder.
//
// See A. Graves, "Supervised Sequence Labelling with Recurrent Neural Networks", chapter 7. The states are the labels
// with a blank before, between and after them. alpha(t, s) is the probability of all paths that reach state s at time
// t, beta(t, s) that of all paths from there to the end. Both are stored as logarithms.
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

typedef struct {
  bool collapse_repeated, merge_repeated, ignore_longer;
} ctc_t;

static sli_status_t *loss_create(const sli_kernel_setup_t *setup, void **out_state) {
  ctc_t ctc;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "preprocess_collapse_repeated", &ctc.collapse_repeated));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "ctc_merge_repeated", &ctc.merge_repeated));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "ignore_longer_outputs_than_inputs", &ctc.ignore_longer));
  *out_state = sli_memdup(&ctc, sizeof(ctc));
  return NULL;
}

typedef struct {
  const ctc_t *ctc;
  sli_dtype_t dtype;
  int64_t times, batch, classes;
  const sli_tensor_t *inputs;
  const int32_t *lengths;
  const int64_t *indices;  // [labels, 2], sorted
  const int32_t *values;
  int64_t label_count;
  int64_t *starts;  // position of the first label of each sequence; batch + 1 elements
  sli_tensor_t *loss, *gradient;
  _Atomic(sli_status_t *) error;
} ctc_work_t;

static double log_add(double a, double b) {
  if (a == -INFINITY) return b;
  if (b == -INFINITY) return a;
  return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b));
}

static double logit_at(const ctc_work_t *w, int64_t time, int64_t sequence, int64_t label) {
  int64_t i = (time * w->batch + sequence) * w->classes + label;
  return w->dtype == SLI_DTYPE_DOUBLE ? SLI_DATA(double, w->inputs)[i] : (double)SLI_DATA(float, w->inputs)[i];
}
static void store_float(sli_tensor_t *tensor, int64_t i, double value) {
  if (tensor->dtype == SLI_DTYPE_DOUBLE)
    SLI_DATA(double, tensor)[i] = value;
  else
    SLI_DATA(float, tensor)[i] = (float)value;
}

// The state of the computation of one sequence.
typedef struct {
  int64_t length, states;
  int32_t *labels;       // labels of the states: blank, label, blank, label, …, blank
  double *log_y;         // [length, classes]
  double *alpha, *beta;  // [length, states]
} sequence_t;

// The range of states that can be reached by |time| and from which the end can still be reached.
static int64_t first_state(const sequence_t *s, int64_t time) {
  int64_t first = s->states - 2 * (s->length - time);
  return first < 0 ? 0 : first;
}
static int64_t state_limit(const sequence_t *s, int64_t time) {
  return 2 * (time + 1) < s->states ? 2 * (time + 1) : s->states;
}

// Whether a path may stay in state |u|, and whether it may skip the blank before |u| (coming from u - 2).
static bool may_stay(const ctc_work_t *w, const sequence_t *s, int64_t u) {
  return w->ctc->merge_repeated || s->labels[u] == w->classes - 1;
}
static bool may_skip(const ctc_work_t *w, const sequence_t *s, int64_t u) {
  return u > 1 && s->labels[u] != w->classes - 1 && !(w->ctc->merge_repeated && s->labels[u] == s->labels[u - 2]);
}

static void find_log_softmax(const ctc_work_t *w, int64_t b, sequence_t *s) {
  for (int64_t t = 0; t < s->length; t++) {
    double *row = s->log_y + t * w->classes, most = logit_at(w, t, b, 0), sum = 0;
    for (int64_t c = 1; c < w->classes; c++) most = fmax(most, logit_at(w, t, b, c));
    for (int64_t c = 0; c < w->classes; c++) sum += exp(logit_at(w, t, b, c) - most);
    double shift = most + log(sum);
    for (int64_t c = 0; c < w->classes; c++) row[c] = logit_at(w, t, b, c) - shift;
  }
}

static void find_alpha(const ctc_work_t *w, sequence_t *s) {
  int64_t u_count = s->states;
  for (int64_t i = 0; i < s->length * u_count; i++) s->alpha[i] = -INFINITY;
  s->alpha[0] = s->log_y[s->labels[0]];
  if (u_count > 1) s->alpha[1] = s->log_y[s->labels[1]];
  for (int64_t t = 1; t < s->length; t++) {
    const double *past = s->alpha + (t - 1) * u_count;
    for (int64_t u = first_state(s, t); u < state_limit(s, t); u++) {
      double sum = may_stay(w, s, u) ? past[u] : -INFINITY;
      if (u > 0) sum = log_add(sum, past[u - 1]);
      if (may_skip(w, s, u)) sum = log_add(sum, past[u - 2]);
      s->alpha[t * u_count + u] = s->log_y[t * w->classes + s->labels[u]] + sum;
    }
  }
}

static void find_beta(const ctc_work_t *w, sequence_t *s) {
  int64_t u_count = s->states;
  for (int64_t i = 0; i < s->length * u_count; i++) s->beta[i] = -INFINITY;
  for (int64_t u = u_count > 1 ? u_count - 2 : 0; u < u_count; u++) s->beta[(s->length - 1) * u_count + u] = 0;
  for (int64_t t = s->length - 2; t >= 0; t--) {
    const double *next = s->beta + (t + 1) * u_count, *log_y = s->log_y + (t + 1) * w->classes;
    for (int64_t u = first_state(s, t); u < state_limit(s, t); u++) {
      double sum = may_stay(w, s, u) ? next[u] + log_y[s->labels[u]] : -INFINITY;
      if (u + 1 < u_count) sum = log_add(sum, next[u + 1] + log_y[s->labels[u + 1]]);
      if (u + 2 < u_count && may_skip(w, s, u + 2)) sum = log_add(sum, next[u + 2] + log_y[s->labels[u + 2]]);
      s->beta[t * u_count + u] = sum;
    }
  }
}

// The gradient of the logits at each time: the softmax minus the share of the paths that have the label at that time.
static void write_gradient(const ctc_work_t *w, int64_t b, const sequence_t *s, double log_p, double *shares) {
  for (int64_t t = 0; t < s->length; t++) {
    for (int64_t c = 0; c < w->classes; c++) shares[c] = -INFINITY;
    for (int64_t u = 0; u < s->states; u++) {
      int64_t i = t * s->states + u;
      shares[s->labels[u]] = log_add(shares[s->labels[u]], s->alpha[i] + s->beta[i]);
    }
    for (int64_t c = 0; c < w->classes; c++) {
      double share = log_p == -INFINITY ? 0 : exp(shares[c] - log_p);
      store_float(w->gradient, (t * w->batch + b) * w->classes + c, exp(s->log_y[t * w->classes + c]) - share);
    }
  }
}

// Appends the labels of sequence |b| for error messages, e.g. "1,2,3".
static void append_labels(const ctc_work_t *w, int64_t b, sli_string_t *text) {
  for (int64_t i = w->starts[b]; i < w->starts[b + 1]; i++)
    sli_string_append_format(text, "%s%d", i > w->starts[b] ? "," : "", w->values[i]);
}
static sli_status_t *label_error(const ctc_work_t *w, int64_t b, const char *format) {
  sli_string_t labels = {0};
  append_labels(w, b, &labels);
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s, batch: %lld labels: %s", format, (long long)b,
                                         sli_string_text(&labels));
  sli_string_deinitialize(&labels);
  return status;
}

// Writes the labels of the states of sequence |b| to |labels|, which must have room for all of them.
static sli_status_t *list_states(const ctc_work_t *w, int64_t b, int32_t *labels, int64_t *out_states) {
  int64_t blank = w->classes - 1, count = 0;
  bool finished = false;
  if (w->starts[b] == w->starts[b + 1])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Labels length is zero in batch %lld", (long long)b);
  labels[count++] = (int32_t)blank;
  for (int64_t i = w->starts[b]; i < w->starts[b + 1]; i++) {
    int32_t label = w->values[i];
    if (label < 0) return label_error(w, b, "All labels must be nonnegative integers");
    if (label > w->classes) return label_error(w, b, "No label may be greater than num_classes");
    bool repeats = i > w->starts[b] && label == w->values[i - 1];
    if (label >= blank) {
      finished = true;
    } else if (finished) {
      return label_error(w, b, "Saw a non-null label (index >= num_classes - 1) following a null label");
    } else if (!w->ctc->collapse_repeated || !repeats) {
      labels[count++] = label;
      labels[count++] = (int32_t)blank;
    }
  }
  *out_states = count;
  return NULL;
}

static sli_status_t *run_sequence(const ctc_work_t *w, int64_t b) {
  sequence_t s = {.length = w->lengths[b]};
  int64_t most = 2 * (w->starts[b + 1] - w->starts[b]) + 1;
  double *numbers = NULL, log_p = -INFINITY;
  s.labels = sli_malloc((size_t)most * sizeof(s.labels[0]));
  sli_status_t *status = NULL;
  SLI_GOTO_IF_ERROR(status, cleanup, list_states(w, b, s.labels, &s.states));
  if (s.states / 2 > s.length) {
    if (!w->ctc->ignore_longer)
      status =
          sli_status_make(SLI_INVALID_ARGUMENT,
                          "Not enough time for target transition sequence (required: %lld, available: %lld)%lldYou "
                          "can turn this error into a warning by using the flag "
                          "ignore_longer_outputs_than_inputs",
                          (long long)(s.states / 2), (long long)s.length, (long long)b);
    goto cleanup;
  }
  if (s.length == 0) goto cleanup;
  numbers = sli_malloc_or_null((size_t)(s.length * (2 * s.states + w->classes) + w->classes) * sizeof(double));
  if (!numbers) {
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when computing a CTC loss of %lld labels over %lld times",
                             (long long)(s.states / 2), (long long)s.length);
    goto cleanup;
  }
  s.log_y = numbers;
  s.alpha = s.log_y + s.length * w->classes;
  s.beta = s.alpha + s.length * s.states;
  find_log_softmax(w, b, &s);
  find_alpha(w, &s);
  find_beta(w, &s);
  for (int64_t u = 0; u < s.states; u++) log_p = log_add(log_p, s.alpha[u] + s.beta[u]);
  store_float(w->loss, b, -log_p);
  write_gradient(w, b, &s, log_p, s.beta + s.length * s.states);
cleanup:
  free(numbers);
  free(s.labels);
  return status;
}

static void run_ctc_range(void *context, int64_t begin, int64_t end) {
  ctc_work_t *w = context;
  for (int64_t b = begin; b < end; b++) {
    sli_status_t *status = run_sequence(w, b);
    if (status) sli_status_release(atomic_exchange(&w->error, status));
  }
}

static sli_status_t *check_label_shapes(sli_kernel_context_t *context) {
  sli_tensor_t *inputs = sli_kernel_input(context, 0), *indices = sli_kernel_input(context, 1);
  sli_tensor_t *values = sli_kernel_input(context, 2), *lengths = sli_kernel_input(context, 3);
  if (inputs->rank != 3) return sli_status_make(SLI_INVALID_ARGUMENT, "inputs is not a 3-Tensor");
  if (lengths->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "sequence_length is not a vector");
  if (indices->rank != 2 || indices->dims[1] != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "labels_indices is not a matrix");
  if (values->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "labels_values is not a vector");
  if (inputs->dims[0] == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Max time or first dimension of input cannot be 0.");
  if (inputs->dims[1] == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "batch_size must not be 0");
  if (inputs->dims[2] == 0 || inputs->dims[2] > INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "num_classes must be between 1 and %d", INT32_MAX);
  if (indices->dims[0] != values->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "labels_indices and labels_values must contain the same number of "
                           "rows, but saw shapes: [%lld,2] vs. [%lld]",
                           (long long)indices->dims[0], (long long)values->dims[0]);
  if (lengths->dims[0] != inputs->dims[1])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "len(sequence_length) != batch_size.  len(sequence_length):  %lld batch_size: %lld",
                           (long long)lengths->dims[0], (long long)inputs->dims[1]);
  return NULL;
}

// Checks the sequence lengths, and that the indices of the labels are within bounds and sorted.
static sli_status_t *check_ctc_labels(const ctc_work_t *w) {
  int64_t longest = 0;
  for (int64_t b = 0; b < w->batch; b++) {
    if (w->lengths[b] < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "seq_len(%lld) < 0", (long long)b);
    if (w->lengths[b] > w->times)
      return sli_status_make(SLI_INVALID_ARGUMENT, "sequence_length(%lld) <= %lld", (long long)b, (long long)w->times);
  }
  for (int64_t i = 0; i < w->label_count; i++)
    if (w->indices[2 * i + 1] >= longest && w->indices[2 * i + 1] < INT64_MAX) longest = w->indices[2 * i + 1] + 1;
  for (int64_t i = 0; i < w->label_count; i++) {
    int64_t row = w->indices[2 * i], column = w->indices[2 * i + 1];
    const char *what = NULL;
    if (row < 0 || row >= w->batch || column < 0 || column >= longest)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "label SparseTensor is not valid: indices[%lld] = [%lld,%lld] is out of bounds: need 0 <= "
                             "index < [%lld,%lld]",
                             (long long)i, (long long)row, (long long)column, (long long)w->batch, (long long)longest);
    if (i > 0) {
      int64_t past_row = w->indices[2 * i - 2], past_column = w->indices[2 * i - 1];
      if (row < past_row || (row == past_row && column < past_column))
        what =
            "out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to create a "
            "correctly ordered copy.\n\n";
      else if (row == past_row && column == past_column)
        what = "repeated";
    }
    if (what)
      return sli_status_make(SLI_INVALID_ARGUMENT, "label SparseTensor is not valid: indices[%lld] = [%lld,%lld] is %s",
                             (long long)i, (long long)row, (long long)column, what);
  }
  return NULL;
}

static sli_status_t *ctc_loss(sli_kernel_context_t *context) {
  sli_tensor_t *inputs = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 2), *starts;
  SLI_RETURN_IF_ERROR(check_label_shapes(context));
  ctc_work_t work = {.ctc = sli_kernel_state(context),
                     .dtype = (sli_dtype_t)inputs->dtype,
                     .times = inputs->dims[0],
                     .batch = inputs->dims[1],
                     .classes = inputs->dims[2],
                     .inputs = inputs,
                     .lengths = sli_kernel_input(context, 3)->data,
                     .indices = sli_kernel_input(context, 1)->data,
                     .values = values->data,
                     .label_count = values->count};
  SLI_RETURN_IF_ERROR(check_ctc_labels(&work));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(work.batch), &work.loss));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, sli_tensor_shape(inputs), &work.gradient));
  memset(work.loss->data, 0, sli_tensor_bytes(work.loss));
  memset(work.gradient->data, 0, sli_tensor_bytes(work.gradient));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, SLI_DTYPE_INT64, SLI_SHAPE(work.batch + 1), &starts));
  work.starts = starts->data;
  for (int64_t b = 0, i = 0; b <= work.batch; b++) {
    while (i < work.label_count && work.indices[2 * i] < b) i++;
    work.starts[b] = i;
  }
  double cost =
      100.0 * (double)work.times * ((double)work.classes + 4.0 * (double)work.label_count / (double)work.batch);
  sli_parallel_for(sli_kernel_pool(context), work.batch, cost, run_ctc_range, &work);
  sli_tensor_release(starts);
  return atomic_load(&work.error);
}

static sli_status_t *ctc_loss_shape(sli_infer_context_t *c) {
  sli_shape_t inputs, indices, values, lengths;
  int64_t labels, batch;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 3, &inputs));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 2, &indices));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &values));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 1, &lengths));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(indices, 0), sli_infer_dim(values, 0), &labels));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(inputs, 1), sli_infer_dim(lengths, 0), &batch));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &batch));
  sli_infer_set_output(c, 1, sli_infer_replace_dim(c, inputs, 1, batch));
  return NULL;
}

static sli_status_t *ctc_loss_gradient(sli_gradient_builder_t *b) {
  sli_output_t once = SLI_EMIT_WITH(
      b, "PreventGradient", SLI_INPUTS(sli_gradient_output(b, 1)),
      SLI_ATTRS(SLI_ATTR_STRING_OF("message",
                                   "Currently there is no way to take the second  derivative of ctc_loss due "
                                   "to the fused implementation's interaction  with tf.gradients()")));
  sli_output_t rows = sli_emit2(b, "ExpandDims", sli_gradient_of_output(b, 0), sli_gradient_const_int32(b, -1));
  sli_gradient_set(b, 0, sli_emit_mul(b, rows, once));
  return NULL;
}

// The greedy decoder: takes the most likely label at each time.

typedef struct {
  bool merge_repeated;
  int64_t blank;  // negative: relative to the number of classes
} greedy_decoder_t;

static sli_status_t *greedy_create(const sli_kernel_setup_t *setup, void **out_state) {
  greedy_decoder_t greedy;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "merge_repeated", &greedy.merge_repeated));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "blank_index", &greedy.blank));
  *out_state = sli_memdup(&greedy, sizeof(greedy));
  return NULL;
}

static sli_status_t *check_decoder(const greedy_decoder_t *greedy, const sli_tensor_t *inputs,
                                   const sli_tensor_t *lengths, int64_t *out_blank) {
  if (inputs->rank != 3) return sli_status_make(SLI_INVALID_ARGUMENT, "inputs is not a 3-Tensor");
  if (inputs->dims[0] == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "max_time is 0");
  if (lengths->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "sequence_length is not a vector");
  int64_t times = inputs->dims[0], batch = inputs->dims[1], classes = inputs->dims[2];
  if (classes == 0 || classes > INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "num_classes must be between 1 and %d", INT32_MAX);
  if (lengths->dims[0] != batch)
    return sli_status_make(SLI_FAILED_PRECONDITION,
                           "len(sequence_length) != batch_size.  len(sequence_length):  %lld batch_size: %lld",
                           (long long)lengths->dims[0], (long long)batch);
  for (int64_t b = 0; b < batch; b++)
    if (SLI_DATA(int32_t, lengths)[b] > times)
      return sli_status_make(SLI_FAILED_PRECONDITION, "sequence_length(%lld) <= %lld", (long long)b, (long long)times);
  *out_blank = greedy->blank < 0 ? greedy->blank + classes : greedy->blank;
  if (*out_blank < 0 || *out_blank >= classes)
    return sli_status_make(SLI_INVALID_ARGUMENT, "blank_index expected to be between %lld and %lld but was %lld",
                           (long long)-classes, (long long)classes - 1, (long long)greedy->blank);
  return NULL;
}

static sli_status_t *ctc_greedy_decoder(sli_kernel_context_t *context) {
  const greedy_decoder_t *greedy = sli_kernel_state(context);
  sli_tensor_t *inputs = sli_kernel_input(context, 0), *lengths = sli_kernel_input(context, 1);
  sli_tensor_t *indices, *values, *shape, *probability, *labels;
  int64_t blank = 0, total = 0, longest = 0;
  SLI_RETURN_IF_ERROR(check_decoder(greedy, inputs, lengths, &blank));
  int64_t times = inputs->dims[0], batch = inputs->dims[1], classes = inputs->dims[2];
  ctc_work_t work = {.dtype = (sli_dtype_t)inputs->dtype, .batch = batch, .classes = classes, .inputs = inputs};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 3, SLI_SHAPE(batch, 1), &probability));
  // For each sequence: the number of labels, then the labels.
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, SLI_DTYPE_INT64, SLI_SHAPE(batch, times + 1), &labels));
  for (int64_t b = 0; b < batch; b++) {
    int64_t *found = SLI_DATA(int64_t, labels) + b * (times + 1), past = -1;
    double sum = 0;
    found[0] = 0;
    for (int64_t t = 0; t < SLI_DATA(int32_t, lengths)[b]; t++) {
      int64_t best = 0;
      for (int64_t c = 1; c < classes; c++)
        if (logit_at(&work, t, b, c) > logit_at(&work, t, b, best)) best = c;
      sum -= logit_at(&work, t, b, best);
      if (best != blank && !(greedy->merge_repeated && best == past)) found[++found[0]] = best;
      past = best;
    }
    store_float(probability, b, sum);
    total += found[0];
    if (found[0] > longest) longest = found[0];
  }
  sli_status_t *status = sli_kernel_allocate_output(context, 0, SLI_SHAPE(total, 2), &indices);
  if (!status) status = sli_kernel_allocate_output(context, 1, SLI_SHAPE(total), &values);
  if (!status) status = sli_kernel_allocate_output(context, 2, SLI_SHAPE(2), &shape);
  if (!status) {
    int64_t at = 0;
    for (int64_t b = 0; b < batch; b++) {
      const int64_t *found = SLI_DATA(int64_t, labels) + b * (times + 1);
      for (int64_t i = 0; i < found[0]; i++, at++) {
        SLI_DATA(int64_t, indices)[2 * at] = b;
        SLI_DATA(int64_t, indices)[2 * at + 1] = i;
        SLI_DATA(int64_t, values)[at] = found[i + 1];
      }
    }
    SLI_DATA(int64_t, shape)[0] = batch;
    SLI_DATA(int64_t, shape)[1] = longest;
  }
  sli_tensor_release(labels);
  return status;
}

static sli_status_t *greedy_shape(sli_infer_context_t *c) {
  sli_shape_t inputs, lengths;
  int64_t batch;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 3, &inputs));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &lengths));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(inputs, 1), sli_infer_dim(lengths, 0), &batch));
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){-1, 2}));
  sli_infer_set_output(c, 1, sli_infer_make(c, 1, (int64_t[]){-1}));
  sli_infer_set_output(c, 2, sli_infer_make(c, 1, (int64_t[]){2}));
  sli_infer_set_output(c, 3, sli_infer_make(c, 2, (int64_t[]){batch, 1}));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "CTCLoss",
     .inputs = "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32",
     .outputs = "loss: T, gradient: T",
     .attrs = "preprocess_collapse_repeated: bool = false; ctc_merge_repeated: bool = true; "
              "ignore_longer_outputs_than_inputs: bool = false; T: {float, double} = DT_FLOAT",
     .summary = "The CTC loss of each sequence, and its gradient.",
     .shape = ctc_loss_shape,
     .gradient = ctc_loss_gradient},
    {.name = "CTCGreedyDecoder",
     .inputs = "inputs: T, sequence_length: int32",
     .outputs = "decoded_indices: int64, decoded_values: int64, decoded_shape: int64, log_probability: T",
     .attrs = "merge_repeated: bool = false; blank_index: int = -1; T: {float, double} = DT_FLOAT",
     .summary = "Decodes sequences by the most likely label at each time.",
     .shape = greedy_shape,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "CTCLoss",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = ctc_loss,
     .create = loss_create,
     .destroy = free,
     .expensive = true,
     .cost = 100},
    {.op = "CTCGreedyDecoder",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = ctc_greedy_decoder,
     .create = greedy_create,
     .destroy = free},
};

SLI_OP_MODULE(ctc);
