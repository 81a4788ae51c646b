// EditDistance: the Levenshtein distance of each pair of sequences in the last dimension of two sparse tensors.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/sparse/sparse.h"

static bool elements_equal(const sli_tensor_t *a, int64_t i, const sli_tensor_t *b, int64_t k) {
  if (a->dtype == SLI_DTYPE_STRING) return sli_view_equal(sli_tensor_string_at(a, i), sli_tensor_string_at(b, k));
  if (a->dtype == SLI_DTYPE_FLOAT) return SLI_DATA(float, a)[i] == SLI_DATA(float, b)[k];
  if (a->dtype == SLI_DTYPE_DOUBLE) return SLI_DATA(double, a)[i] == SLI_DATA(double, b)[k];
  return memcmp(sli_tensor_at(a, i), sli_tensor_at(b, k), sli_dtype_size((sli_dtype_t)a->dtype)) == 0;
}

// The entries [begin, end) of a sparse tensor.
typedef struct {
  const sli_tensor_t *values;
  int64_t begin, end;
} sequence_t;

static int64_t length_of(const sequence_t *s) { return s->end - s->begin; }

// |row| has room for the length of |b| and one more.
static int64_t distance_of(const sequence_t *a, const sequence_t *b, int64_t *row) {
  int64_t width = length_of(b);
  for (int64_t k = 0; k <= width; k++) row[k] = k;
  for (int64_t i = 0; i < length_of(a); i++) {
    int64_t diagonal = row[0];
    row[0] = i + 1;
    for (int64_t k = 0; k < width; k++) {
      int64_t change = diagonal + !elements_equal(a->values, a->begin + i, b->values, b->begin + k);
      int64_t drop = (row[k] < row[k + 1] ? row[k] : row[k + 1]) + 1;
      diagonal = row[k + 1];
      row[k + 1] = change < drop ? change : drop;
    }
  }
  return row[width];
}

// The next group of entries with equal leading indices, from |s->end| on.
static void next_sequence(const sli_sparse_t *sparse, sequence_t *s) {
  const int64_t *indices = SLI_DATA(int64_t, sparse->indices);
  size_t leading = (size_t)(sparse->rank - 1) * sizeof(int64_t);
  s->values = sparse->values;
  s->begin = s->end;
  while (s->end < sparse->count && (s->end == s->begin || memcmp(indices + s->begin * sparse->rank,
                                                                 indices + s->end * sparse->rank, leading) == 0))
    s->end++;
}

static int compare_leading(const sli_sparse_t *a, int64_t i, const sli_sparse_t *b, int64_t k) {
  for (int d = 0; d < a->rank - 1; d++) {
    int64_t x = SLI_DATA(int64_t, a->indices)[i * a->rank + d], y = SLI_DATA(int64_t, b->indices)[k * b->rank + d];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

// The leading indices say where a result goes. Values beyond the last dimension are accepted, as by TensorFlow.
static sli_status_t *check_leading(const sli_sparse_t *sparse) {
  for (int64_t i = 0; i < sparse->count; i++)
    for (int d = 0; d < sparse->rank - 1; d++) {
      int64_t index = SLI_DATA(int64_t, sparse->indices)[i * sparse->rank + d];
      int64_t bound = SLI_DATA(int64_t, sparse->shape)[d];
      if (index < 0 || index >= bound)
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "indices[%lld] is out of bounds: need 0 <= index < %lld at axis %d, got %lld",
                               (long long)i, (long long)bound, d, (long long)index);
    }
  return NULL;
}

static sli_status_t *check_inputs(const sli_sparse_t *hypothesis, const sli_sparse_t *truth) {
  if (hypothesis->rank != truth->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected hypothesis_shape.NumElements() == truth_shape.NumElements(); got %d and %d",
                           hypothesis->rank, truth->rank);
  if (hypothesis->rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "hypothesis_shape must have at least two elements, got %d",
                           hypothesis->rank);
  SLI_RETURN_IF_ERROR(check_leading(hypothesis));
  return check_leading(truth);
}

// Where the sequences that entry |i| belongs to are in the output.
static int64_t place_of(const sli_sparse_t *sparse, int64_t i, const sli_tensor_t *output) {
  int64_t place = 0;
  for (int d = 0; d < sparse->rank - 1; d++)
    place = place * output->dims[d] + SLI_DATA(int64_t, sparse->indices)[i * sparse->rank + d];
  return place;
}

static float result_of(const sequence_t *hypothesis, const sequence_t *truth, bool normalize, int64_t *row) {
  int64_t length = length_of(truth);
  float distance = (float)distance_of(hypothesis, truth, row);
  if (!normalize) return distance;
  if (length == 0) return distance > 0 ? INFINITY : 0;
  return distance / (float)length;
}

static sli_status_t *distance_compute(sli_kernel_context_t *context) {
  sli_sparse_t hypothesis, truth;
  bool normalize;
  int64_t dims[SLI_MAX_RANK];
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "normalize", &normalize));
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, &hypothesis));
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 3, &truth));
  SLI_RETURN_IF_ERROR(check_inputs(&hypothesis, &truth));
  for (int d = 0; d < truth.rank - 1; d++) {
    int64_t x = SLI_DATA(int64_t, hypothesis.shape)[d], y = SLI_DATA(int64_t, truth.shape)[d];
    dims[d] = x > y ? x : y;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){truth.rank - 1, dims}, &output));
  for (int64_t i = 0; i < output->count; i++) SLI_DATA(float, output)[i] = 0;
  int64_t *row = sli_malloc((size_t)(truth.count + 1) * sizeof(*row));
  sequence_t h = {0}, t = {0};
  next_sequence(&hypothesis, &h);
  next_sequence(&truth, &t);
  while (length_of(&h) || length_of(&t)) {
    int order = !length_of(&h) ? 1 : !length_of(&t) ? -1 : compare_leading(&hypothesis, h.begin, &truth, t.begin);
    sequence_t none = {.values = hypothesis.values};
    int64_t place = order <= 0 ? place_of(&hypothesis, h.begin, output) : place_of(&truth, t.begin, output);
    SLI_DATA(float, output)[place] = result_of(order <= 0 ? &h : &none, order >= 0 ? &t : &none, normalize, row);
    if (order <= 0) next_sequence(&hypothesis, &h);
    if (order >= 0) next_sequence(&truth, &t);
  }
  free(row);
  return NULL;
}

static sli_status_t *distance_shape(sli_infer_context_t *c) {
  const sli_tensor_t *hypothesis = sli_infer_input_constant(c, 2), *truth = sli_infer_input_constant(c, 5);
  sli_infer_set_output(c, 0, SLI_SHAPE_UNKNOWN);
  if (!hypothesis || !truth || hypothesis->count != truth->count || truth->count < 1 || truth->count > SLI_MAX_RANK)
    return NULL;
  int64_t dims[SLI_MAX_RANK];
  for (int d = 0; d < (int)truth->count - 1; d++) {
    int64_t x = SLI_DATA(int64_t, hypothesis)[d], y = SLI_DATA(int64_t, truth)[d];
    dims[d] = x > y ? x : y;
    if (dims[d] < 0) return NULL;
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, (int)truth->count - 1, dims));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "EditDistance",
     .inputs = "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, truth_indices: int64, "
               "truth_values: T, truth_shape: int64",
     .outputs = "output: float",
     .attrs = "normalize: bool = true; T: type",
     .summary = "The Levenshtein distances of sequences.",
     .shape = distance_shape,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "EditDistance", .types = SLI_TYPES_POD | SLI_TYPE_STRING, .compute = distance_compute},
};
SLI_OP_MODULE(edit_distance);
