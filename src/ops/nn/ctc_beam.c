// CTCBeamSearchDecoder: the most likely label sequences of each sequence of logits. Prefixes form a tree; the beam has
// the best of them, each with the probability of all paths that end in it, with a blank and with its last label
// (Graves and Jaitly, "Towards end-to-end speech recognition with recurrent neural networks", 2014). Probabilities are
// logarithms. The last class is the blank.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

typedef struct {
  double total, blank, label;
} beam_probability_t;

static const beam_probability_t impossible = {-INFINITY, -INFINITY, -INFINITY};

// A prefix: its parent's and a label.
typedef struct beam_prefix beam_prefix_t;
struct beam_prefix {
  beam_prefix_t *parent, *children, *sibling;
  int label;
  beam_probability_t before, now;
};

enum { CHUNK = 512 };
typedef struct beam_chunk beam_chunk_t;
struct beam_chunk {
  beam_chunk_t *next;
  beam_prefix_t prefixes[CHUNK];
};

typedef struct {
  int64_t width, classes;
  // The best prefixes: a heap, the worst first.
  beam_prefix_t **leaves;
  int64_t leaf_count, capacity;
  beam_prefix_t **branches;  // those of the step before, best first
  beam_chunk_t *chunks;
  int used;                  // of the first chunk
  beam_prefix_t **child_of;  // scratch memory: by label
  double *logits;            // of one step, normalised
} beam_t;

static sli_status_t *no_memory(void) {
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "No memory for the beam of a CTC decoder");
}

static double log_add(double a, double b) {
  if (a == -INFINITY) return b;
  if (b == -INFINITY) return a;
  return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b));
}

// --- The heap -------------------------------------------------------------------------------------

static bool is_worse(const beam_prefix_t *a, const beam_prefix_t *b) { return a->now.total < b->now.total; }

static void sift_down(beam_t *beam, beam_prefix_t *prefix) {
  int64_t at = 0;
  for (int64_t child; (child = 2 * at + 1) < beam->leaf_count; at = child) {
    if (child + 1 < beam->leaf_count && is_worse(beam->leaves[child + 1], beam->leaves[child])) child++;
    if (!is_worse(beam->leaves[child], prefix)) break;
    beam->leaves[at] = beam->leaves[child];
  }
  beam->leaves[at] = prefix;
}

// Adds a leaf. In a full beam it takes the place of the worst.
static sli_status_t *push_leaf(beam_t *beam, beam_prefix_t *prefix) {
  if (beam->leaf_count == beam->width) {
    sift_down(beam, prefix);
    return NULL;
  }
  if (beam->leaf_count == beam->capacity) {
    int64_t capacity = beam->capacity ? 2 * beam->capacity : 64;
    beam_prefix_t **leaves = realloc(beam->leaves, (size_t)capacity * sizeof(*leaves));
    if (leaves) beam->leaves = leaves;
    beam_prefix_t **branches = realloc(beam->branches, (size_t)capacity * sizeof(*branches));
    if (branches) beam->branches = branches;
    if (!leaves || !branches) return no_memory();
    beam->capacity = capacity;
  }
  int64_t at = beam->leaf_count++;
  for (; at > 0 && is_worse(prefix, beam->leaves[(at - 1) / 2]); at = (at - 1) / 2)
    beam->leaves[at] = beam->leaves[(at - 1) / 2];
  beam->leaves[at] = prefix;
  return NULL;
}

static int compare_prefixes(const void *a, const void *b) {
  const beam_prefix_t *x = *(beam_prefix_t *const *)a, *y = *(beam_prefix_t *const *)b;
  return x->now.total > y->now.total ? -1 : x->now.total < y->now.total;
}

// Moves the leaves to |branches|, best first; returns how many.
static int64_t take_leaves(beam_t *beam) {
  const int64_t count = beam->leaf_count;
  memcpy(beam->branches, beam->leaves, (size_t)count * sizeof(*beam->leaves));
  qsort(beam->branches, (size_t)count, sizeof(*beam->branches), compare_prefixes);
  beam->leaf_count = 0;
  return count;
}

static bool is_candidate(const beam_t *beam, double total) {
  return total > -INFINITY && (beam->leaf_count < beam->width || total > beam->leaves[0]->now.total);
}

// --- The search -----------------------------------------------------------------------------------

static beam_prefix_t *new_prefix(beam_t *beam, beam_prefix_t *parent, int label) {
  if (!beam->chunks || beam->used == CHUNK) {
    beam_chunk_t *chunk = sli_malloc_or_null(sizeof(*chunk));
    if (!chunk) return NULL;
    chunk->next = beam->chunks;
    beam->chunks = chunk;
    beam->used = 0;
  }
  beam_prefix_t *prefix = &beam->chunks->prefixes[beam->used++];
  *prefix = (beam_prefix_t){.parent = parent, .label = label, .before = impossible, .now = impossible};
  if (parent) {
    prefix->sibling = parent->children;
    parent->children = prefix;
  }
  return prefix;
}

static void release_prefixes(beam_t *beam) {
  while (beam->chunks) {
    beam_chunk_t *next = beam->chunks->next;
    free(beam->chunks);
    beam->chunks = next;
  }
}

// The probability that |label| is appended to |parent|: after the same label there must be a blank.
static double extended(const beam_prefix_t *parent, int label) {
  return label == parent->label ? parent->before.blank : parent->before.total;
}

// What the prefixes of the beam become with this step's blank or their last label again.
static sli_status_t *stay(beam_t *beam, int64_t count) {
  for (int64_t i = 0; i < count; i++) beam->branches[i]->before = beam->branches[i]->now;
  for (int64_t i = 0; i < count; i++) {
    beam_prefix_t *b = beam->branches[i];
    if (b->parent) {
      if (b->parent->now.total != -INFINITY) b->now.label = log_add(b->now.label, extended(b->parent, b->label));
      b->now.label += beam->logits[b->label];
    }
    b->now.blank = b->before.total + beam->logits[beam->classes - 1];
    b->now.total = log_add(b->now.blank, b->now.label);
    SLI_RETURN_IF_ERROR(push_leaf(beam, b));
  }
  return NULL;
}

// Appends each label to |b|, unless that prefix is in the beam already.
static sli_status_t *grow(beam_t *beam, beam_prefix_t *b) {
  memset(beam->child_of, 0, (size_t)beam->classes * sizeof(*beam->child_of));
  for (beam_prefix_t *child = b->children; child; child = child->sibling) beam->child_of[child->label] = child;
  for (int label = 0; label < beam->classes - 1; label++) {
    beam_prefix_t *child = beam->child_of[label];
    if (child && child->now.total != -INFINITY) continue;
    const double total = beam->logits[label] + extended(b, label);
    if (!is_candidate(beam, total)) {
      if (child) child->before = child->now = impossible;
      continue;
    }
    if (!child) child = new_prefix(beam, b, label);
    if (!child) return no_memory();
    child->now = (beam_probability_t){total, -INFINITY, total};
    if (beam->leaf_count == beam->width) beam->leaves[0]->now = impossible;
    SLI_RETURN_IF_ERROR(push_leaf(beam, child));
  }
  return NULL;
}

static double logit_at(const sli_tensor_t *inputs, int64_t i) {
  return inputs->dtype == SLI_DTYPE_FLOAT ? SLI_DATA(float, inputs)[i] : SLI_DATA(double, inputs)[i];
}

static sli_status_t *run_step(beam_t *beam, const sli_tensor_t *inputs, int64_t first) {
  double most = -INFINITY, sum = 0;
  for (int64_t c = 0; c < beam->classes; c++) most = fmax(most, logit_at(inputs, first + c));
  for (int64_t c = 0; c < beam->classes; c++) sum += exp(logit_at(inputs, first + c) - most);
  for (int64_t c = 0; c < beam->classes; c++) beam->logits[c] = logit_at(inputs, first + c) - (most + log(sum));
  const int64_t count = take_leaves(beam);
  SLI_RETURN_IF_ERROR(stay(beam, count));
  for (int64_t i = 0; i < count; i++) {
    if (is_candidate(beam, beam->branches[i]->before.total)) SLI_RETURN_IF_ERROR(grow(beam, beam->branches[i]));
  }
  return NULL;
}

// The whole sequence |b|: leaves the prefixes in |branches|, best first.
static sli_status_t *run_search(beam_t *beam, const sli_tensor_t *inputs, int64_t b, int64_t length,
                                int64_t *out_count) {
  release_prefixes(beam);
  beam->leaf_count = 0;
  beam_prefix_t *root = new_prefix(beam, NULL, -1);
  if (!root) return no_memory();
  root->now.total = root->now.blank = 0;
  SLI_RETURN_IF_ERROR(push_leaf(beam, root));
  for (int64_t t = 0; t < length; t++)
    SLI_RETURN_IF_ERROR(run_step(beam, inputs, (t * inputs->dims[1] + b) * beam->classes));
  *out_count = take_leaves(beam);
  return NULL;
}

// --- The kernel -----------------------------------------------------------------------------------

// The labels of a prefix into |out|, if not NULL; returns how many.
static int64_t put_labels(const beam_prefix_t *prefix, bool merge_repeated, int64_t *out) {
  int64_t count = 0;
  int past = -1;
  for (const beam_prefix_t *p = prefix; p->parent; past = p->label, p = p->parent) {
    if (merge_repeated && p->label == past) continue;
    if (out) out[count] = p->label;
    count++;
  }
  for (int64_t i = 0; out && i < count / 2; i++) {
    int64_t other = out[i];
    out[i] = out[count - 1 - i];
    out[count - 1 - i] = other;
  }
  return count;
}

static sli_status_t *check_inputs(const sli_tensor_t *inputs, const sli_tensor_t *lengths) {
  if (inputs->rank != 3) return sli_status_make(SLI_INVALID_ARGUMENT, "inputs is not a 3-Tensor");
  if (inputs->dims[0] == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "max_time is 0");
  if (lengths->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "sequence_length is not a vector");
  if (inputs->dims[2] == 0 || inputs->dims[2] > INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "num_classes must be between 1 and %d", INT32_MAX);
  if (lengths->count != inputs->dims[1])
    return sli_status_make(SLI_FAILED_PRECONDITION,
                           "len(sequence_length) != batch_size.  len(sequence_length):  %lld batch_size: %lld",
                           (long long)lengths->count, (long long)inputs->dims[1]);
  for (int64_t b = 0; b < lengths->count; b++)
    if (SLI_DATA(int32_t, lengths)[b] > inputs->dims[0])
      return sli_status_make(SLI_FAILED_PRECONDITION, "sequence_length(%lld) <= %lld", (long long)b,
                             (long long)inputs->dims[0]);
  return NULL;
}

// The paths of all sequences: [batch, paths] lists of labels in |labels|, each of at most |times|.
typedef struct {
  int64_t batch, paths, times;
  int64_t *counts;
  int64_t *labels;
} beam_paths_t;

static sli_status_t *search_all(sli_kernel_context_t *context, beam_t *beam, bool merge_repeated, beam_paths_t *p,
                                sli_tensor_t *probabilities) {
  const sli_tensor_t *inputs = sli_kernel_input(context, 0), *lengths = sli_kernel_input(context, 1);
  for (int64_t b = 0; b < p->batch; b++) {
    int64_t count = 0;
    SLI_RETURN_IF_ERROR(run_search(beam, inputs, b, SLI_DATA(int32_t, lengths)[b], &count));
    if (p->paths > beam->width)
      return sli_status_make(SLI_INVALID_ARGUMENT, "requested more paths than the beam width.");
    if (p->paths > count)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Less leaves in the beam search than requested.");
    for (int64_t i = 0; i < p->paths; i++) {
      const int64_t at = b * p->paths + i;
      p->counts[at] = put_labels(beam->branches[i], merge_repeated, p->labels + at * p->times);
      if (probabilities->dtype == SLI_DTYPE_FLOAT)
        SLI_DATA(float, probabilities)[at] = (float)beam->branches[i]->now.total;
      else
        SLI_DATA(double, probabilities)[at] = beam->branches[i]->now.total;
    }
  }
  return NULL;
}

// Path |i| of every sequence as a sparse tensor: outputs i, paths + i and 2 * paths + i.
static sli_status_t *put_path(sli_kernel_context_t *context, const beam_paths_t *p, int64_t i) {
  sli_tensor_t *indices, *values, *shape;
  int64_t total = 0, longest = 0, at = 0;
  for (int64_t b = 0; b < p->batch; b++) {
    const int64_t count = p->counts[b * p->paths + i];
    total += count;
    if (count > longest) longest = count;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, (int)i, SLI_SHAPE(total, 2), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, (int)(p->paths + i), SLI_SHAPE(total), &values));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, (int)(2 * p->paths + i), SLI_SHAPE(2), &shape));
  for (int64_t b = 0; b < p->batch; b++) {
    for (int64_t t = 0; t < p->counts[b * p->paths + i]; t++, at++) {
      SLI_DATA(int64_t, indices)[2 * at] = b;
      SLI_DATA(int64_t, indices)[2 * at + 1] = t;
      SLI_DATA(int64_t, values)[at] = p->labels[(b * p->paths + i) * p->times + t];
    }
  }
  SLI_DATA(int64_t, shape)[0] = p->batch;
  SLI_DATA(int64_t, shape)[1] = longest;
  return NULL;
}

static sli_status_t *beam_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *inputs = sli_kernel_input(context, 0);
  beam_t beam = {0};
  beam_paths_t p = {0};
  bool merge_repeated;
  sli_tensor_t *probabilities, *counts = NULL, *labels = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "merge_repeated", &merge_repeated));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "beam_width", &beam.width));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "top_paths", &p.paths));
  SLI_RETURN_IF_ERROR(check_inputs(inputs, sli_kernel_input(context, 1)));
  p.times = inputs->dims[0];
  p.batch = inputs->dims[1];
  beam.classes = inputs->dims[2];
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_output(context, (int)(3 * p.paths), SLI_SHAPE(p.batch, p.paths), &probabilities));
  sli_status_t *status = sli_kernel_allocate_temporary(context, SLI_DTYPE_INT64, SLI_SHAPE(p.batch, p.paths), &counts);
  if (!status)
    status = sli_kernel_allocate_temporary(context, SLI_DTYPE_INT64, SLI_SHAPE(p.batch, p.paths, p.times), &labels);
  beam.child_of = sli_malloc_or_null((size_t)beam.classes * sizeof(*beam.child_of));
  beam.logits = sli_malloc_or_null((size_t)beam.classes * sizeof(double));
  if (!status && (!beam.child_of || !beam.logits)) status = no_memory();
  if (!status) {
    p.counts = counts->data;
    p.labels = labels->data;
    status = search_all(context, &beam, merge_repeated, &p, probabilities);
  }
  for (int64_t i = 0; i < p.paths && !status; i++) status = put_path(context, &p, i);
  release_prefixes(&beam);
  free(beam.leaves);
  free(beam.branches);
  free(beam.child_of);
  free(beam.logits);
  sli_tensor_release(counts);
  sli_tensor_release(labels);
  return status;
}

static sli_status_t *beam_shape(sli_infer_context_t *c) {
  sli_shape_t inputs, lengths;
  int64_t batch, paths;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 3, &inputs));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &lengths));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(inputs.dims[1], lengths.dims[0], &batch));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "top_paths", &paths));
  for (int i = 0; i < paths; i++) {
    sli_infer_set_output(c, i, sli_infer_make(c, 2, (int64_t[]){-1, 2}));
    sli_infer_set_output(c, (int)paths + i, sli_infer_make(c, 1, (int64_t[]){-1}));
    sli_infer_set_output(c, 2 * (int)paths + i, sli_infer_make(c, 1, (int64_t[]){2}));
  }
  sli_infer_set_output(c, 3 * (int)paths, sli_infer_make(c, 2, (int64_t[]){batch, paths}));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "CTCBeamSearchDecoder",
     .inputs = "inputs: T, sequence_length: int32",
     .outputs = "decoded_indices: top_paths * int64, decoded_values: top_paths * int64, decoded_shape: top_paths * "
                "int64, log_probability: T",
     .attrs = "beam_width: int >= 1; top_paths: int >= 1; merge_repeated: bool = true; T: {float, double} = DT_FLOAT",
     .summary = "Decodes sequences by a beam search.",
     .shape = beam_shape,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "CTCBeamSearchDecoder",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = beam_compute,
     .expensive = true,
     .cost = 100},
};

SLI_OP_MODULE(ctc_beam);
