// TopK and TopKV2: the k greatest values of each row and their indices; equal values are ordered by index. InTopK and
// InTopKV2: whether a target is among the k greatest predictions.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"

// The order of the result: whether the value at |a| comes before that at |b|. sink restores the heap of |size| indices
// below |at|; the root of the heap comes last in this order.
#define DEFINE_HEAP(name, T, LOAD)                                                       \
  static inline bool before_##name(const T *row, int64_t a, int64_t b) {                 \
    return LOAD(row[a]) > LOAD(row[b]) || (LOAD(row[a]) == LOAD(row[b]) && a < b);       \
  }                                                                                      \
  static void sink_##name(const T *row, int64_t *heap, int64_t size, int64_t at) {       \
    int64_t moved = heap[at];                                                            \
    for (int64_t child; (child = 2 * at + 1) < size; at = child) {                       \
      if (child + 1 < size && before_##name(row, heap[child], heap[child + 1])) child++; \
      if (!before_##name(row, moved, heap[child])) break;                                \
      heap[at] = heap[child];                                                            \
    }                                                                                    \
    heap[at] = moved;                                                                    \
  }
// The indices of the |k| greatest of |n| values, in order, into |heap|. A value that comes before the root replaces it.
// At the end the heap is emptied from the back, which leaves the indices sorted.
#define DEFINE_TOP(name, T)                                                       \
  static void top_##name(const void *data, int64_t n, int64_t k, int64_t *heap) { \
    const T *row = data;                                                          \
    for (int64_t i = 0; i < k; i++) heap[i] = i;                                  \
    for (int64_t i = k / 2 - 1; i >= 0; i--) sink_##name(row, heap, k, i);        \
    for (int64_t i = k; i < n; i++) {                                             \
      if (!before_##name(row, i, heap[0])) continue;                              \
      heap[0] = i;                                                                \
      sink_##name(row, heap, k, 0);                                               \
    }                                                                             \
    for (int64_t size = k - 1; size > 0; size--) {                                \
      int64_t last = heap[0];                                                     \
      heap[0] = heap[size];                                                       \
      heap[size] = last;                                                          \
      sink_##name(row, heap, size, 0);                                            \
    }                                                                             \
  }
#define TYPED(name, T, LOAD) DEFINE_HEAP(name, T, LOAD) DEFINE_TOP(name, T)
#define SAME(x) (x)
TYPED(float, float, SAME)
TYPED(double, double, SAME)
TYPED(half, sli_half_t, sli_half_to_float)
TYPED(bfloat16, sli_bfloat16_t, sli_bfloat16_to_float)
TYPED(int8, int8_t, SAME)
TYPED(int16, int16_t, SAME)
TYPED(int32, int32_t, SAME)
TYPED(int64, int64_t, SAME)
TYPED(uint8, uint8_t, SAME)
TYPED(uint16, uint16_t, SAME)
TYPED(uint32, uint32_t, SAME)
TYPED(uint64, uint64_t, SAME)

typedef void (*top_fn_t)(const void *row, int64_t n, int64_t k, int64_t *heap);
static const top_fn_t top_of[SLI_DTYPE_UINT64 + 1] = {
    [SLI_DTYPE_FLOAT] = top_float,   [SLI_DTYPE_DOUBLE] = top_double,     [SLI_DTYPE_HALF] = top_half,
    [SLI_DTYPE_INT8] = top_int8,     [SLI_DTYPE_BFLOAT16] = top_bfloat16, [SLI_DTYPE_INT16] = top_int16,
    [SLI_DTYPE_INT32] = top_int32,   [SLI_DTYPE_INT64] = top_int64,       [SLI_DTYPE_UINT8] = top_uint8,
    [SLI_DTYPE_UINT16] = top_uint16, [SLI_DTYPE_UINT32] = top_uint32,     [SLI_DTYPE_UINT64] = top_uint64};

typedef struct {
  const sli_tensor_t *input;
  sli_tensor_t *values, *indices;
  int64_t n, k;
} top_k_work_t;

static void write_index(sli_tensor_t *indices, int64_t at, int64_t index) {
  switch (indices->dtype) {
    case SLI_DTYPE_INT16: SLI_DATA(int16_t, indices)[at] = (int16_t)index; break;
    case SLI_DTYPE_INT32: SLI_DATA(int32_t, indices)[at] = (int32_t)index; break;
    default: SLI_DATA(int64_t, indices)[at] = index; break;
  }
}

static void run_top_k_rows(void *context, int64_t begin, int64_t end) {
  const top_k_work_t *work = context;
  size_t size = sli_dtype_size((sli_dtype_t)work->input->dtype);
  int64_t *heap = sli_malloc((size_t)work->k * sizeof(*heap));
  for (int64_t r = begin; r < end; r++) {
    const char *row = (const char *)work->input->data + (size_t)(r * work->n) * size;
    top_of[work->input->dtype](row, work->n, work->k, heap);
    for (int64_t i = 0; i < work->k; i++) {
      memcpy((char *)work->values->data + (size_t)(r * work->k + i) * size, row + (size_t)heap[i] * size, size);
      write_index(work->indices, r * work->k + i, heap[i]);
    }
  }
  free(heap);
}

static sli_status_t *read_k(sli_kernel_context_t *context, int64_t *k) {
  if (sli_node_attr(context->node, "k")) return sli_node_attr_int(context->node, "k", k);
  sli_tensor_t *tensor = sli_kernel_input(context, 1);
  if (tensor->rank != 0) {
    char *shape = sli_shape_to_text(sli_tensor_shape(tensor));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "k must be scalar, got shape %s", shape);
    free(shape);
    return status;
  }
  *k = tensor->dtype == SLI_DTYPE_INT16 ? *SLI_DATA(int16_t, tensor) : sli_tensor_int_at(tensor, 0);
  return NULL;
}

static sli_status_t *top_k(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *values, *indices;
  int64_t k, dims[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(read_k(context, &k));
  if (k < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Need k >= 0, got %lld", (long long)k);
  if (input->rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "input must be >= 1-D, got shape []");
  int64_t n = input->dims[input->rank - 1];
  if (n < k)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must have at least k columns. Had %lld, needed %lld",
                           (long long)n, (long long)k);
  memcpy(dims, input->dims, (size_t)input->rank * sizeof(dims[0]));
  dims[input->rank - 1] = k;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, dims}, &values));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, (sli_shape_t){input->rank, dims}, &indices));
  int64_t most = indices->dtype == SLI_DTYPE_INT16   ? INT16_MAX
                 : indices->dtype == SLI_DTYPE_INT32 ? INT32_MAX
                                                     : INT64_MAX;
  if (n > most)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Second dimension of flattened input must be <= %lld, got %lld",
                           (long long)most, (long long)n);
  if (values->count == 0) return NULL;
  top_k_work_t work = {input, values, indices, n, k};
  sli_parallel_for(sli_kernel_pool(context), values->count / k, 2.0 * (double)n + 20.0 * (double)k, run_top_k_rows,
                   &work);
  return NULL;
}

static sli_status_t *top_k_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  int64_t k = -1;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &input));
  if (sli_node_attr(c->node, "k")) {
    SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "k", &k));
  } else {
    sli_shape_t scalar;
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &scalar));
    const sli_tensor_t *value = sli_infer_input_constant(c, 1);
    if (value && value->count == 1) {
      k = value->dtype == SLI_DTYPE_INT16 ? *SLI_DATA(int16_t, value) : sli_tensor_int_at(value, 0);
      if (k < 0)
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "Dimension size, given by scalar input 1, must be non-negative but is %lld",
                               (long long)k);
    }
  }
  if (input.rank < 0) return NULL;
  int64_t n = sli_infer_dim(input, -1);
  if (n >= 0 && k >= 0 && n < k)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must have last dimension >= k = %lld but is %lld", (long long)k,
                           (long long)n);
  c->outputs[0] = c->outputs[1] = sli_infer_replace_dim(c, input, input.rank - 1, k);
  return NULL;
}

// Emits ops that compute the last element of the integer vector |shape|.
static sli_output_t emit_last_dim(sli_gradient_builder_t *b, sli_output_t shape) {
  sli_output_t last = sli_emit2(b, "Sub", sli_emit1(b, "Size", shape), sli_gradient_const_int32(b, 1));
  return sli_emit3(b, "GatherV2", sli_emit_cast(b, shape, SLI_DTYPE_INT64), last, sli_gradient_const_int32(b, 0));
}

// Scatters the gradients to the positions of their values in the flattened input.
static sli_status_t *top_k_gradient(sli_gradient_builder_t *b) {
  sli_output_t shape = sli_emit_shape(b, sli_gradient_input(b, 0)), indices = sli_gradient_output(b, 1);
  sli_output_t minus_one = sli_gradient_const_ints(b, (int32_t[]){-1}, 1);
  sli_output_t axis = sli_gradient_const_int32(b, -1);
  sli_output_t columns = emit_last_dim(b, shape), k = emit_last_dim(b, sli_emit_shape(b, indices));
  sli_output_t any = sli_emit_cast(b, sli_gradient_const_int32(b, -1), SLI_DTYPE_INT64);
  sli_output_t rows = sli_emit2(b, "Reshape", sli_emit_cast(b, indices, SLI_DTYPE_INT64), sli_emit2(b, "Pack", any, k));
  sli_output_t total = sli_emit2(b, "Prod", shape, sli_gradient_const_ints(b, (int32_t[]){0}, 1));
  sli_output_t starts = sli_emit3(b, "Range", sli_emit_cast(b, sli_gradient_const_int32(b, 0), SLI_DTYPE_INT64),
                                  sli_emit_cast(b, total, SLI_DTYPE_INT64), columns);
  sli_output_t places = sli_emit2(b, "AddV2", rows, sli_emit2(b, "ExpandDims", starts, axis));
  sli_output_t flat = sli_emit2(b, "Reshape", places, minus_one);
  sli_output_t size =
      sli_emit2(b, "ExpandDims", sli_emit_cast(b, total, SLI_DTYPE_INT64), sli_gradient_const_int32(b, 0));
  sli_output_t spread = sli_emit3(b, "ScatterNd", sli_emit2(b, "ExpandDims", flat, axis),
                                  sli_emit2(b, "Reshape", sli_gradient_of_output(b, 0), minus_one), size);
  sli_gradient_set(b, 0, sli_emit2(b, "Reshape", spread, shape));
  return NULL;
}

// InTopK.

static sli_status_t *in_top_k_value(sli_kernel_context_t *context, int64_t *k) {
  if (context->input_count < 3) return sli_node_attr_int(context->node, "k", k);
  sli_tensor_t *tensor = sli_kernel_input(context, 2);
  if (tensor->rank != 0) {
    char *shape = sli_shape_to_text(sli_tensor_shape(tensor));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "k must be 0-D, got shape %s", shape);
    free(shape);
    return status;
  }
  *k = sli_tensor_int_at(tensor, 0);
  return NULL;
}

// Whether fewer than k predictions are greater than the target's; false if a value that is not finite makes that
// undecidable.
static bool is_in_top_k(const float *row, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !isfinite(row[target])) return false;
  int64_t greater = 0;
  for (int64_t i = 0; i < classes; i++) {
    if (!isfinite(row[i])) return false;
    greater += row[i] > row[target];
  }
  return greater < k;
}

static sli_status_t *in_top_k(sli_kernel_context_t *context) {
  sli_tensor_t *predictions = sli_kernel_input(context, 0), *targets = sli_kernel_input(context, 1), *output;
  int64_t k;
  if (predictions->rank != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "predictions must be 2-dimensional");
  if (targets->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "targets must be 1-dimensional");
  if (predictions->dims[0] != targets->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "First dimension of predictions %lld must match length of targets %lld",
                           (long long)predictions->dims[0], (long long)targets->dims[0]);
  SLI_RETURN_IF_ERROR(in_top_k_value(context, &k));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(targets), &output));
  int64_t classes = predictions->dims[1];
  for (int64_t i = 0; i < targets->count; i++) SLI_DATA(bool, output)
  [i] = is_in_top_k(SLI_DATA(float, predictions) + i * classes, classes, sli_tensor_int_at(targets, i), k);
  return NULL;
}

static sli_status_t *in_top_k_shape(sli_infer_context_t *c) {
  sli_shape_t predictions, targets, k;
  int64_t rows;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &predictions));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &targets));
  if (c->node->input_count > 2) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &k));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(predictions, 0), sli_infer_dim(targets, 0), &rows));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &rows));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "TopK",
     .inputs = "input: T",
     .outputs = "values: T, indices: int32",
     .attrs = "k: int >= 0; sorted: bool = true; T: realnumbertype",
     .summary = "The k greatest values of each row and their indices.",
     .shape = top_k_shape,
     .gradient = top_k_gradient,
     .deprecated_in = 7,
     .deprecation = "Use TopKV2 instead"},
    {.name = "TopKV2",
     .inputs = "input: T, k: Tk",
     .outputs = "values: T, indices: index_type",
     .attrs = "sorted: bool = true; T: realnumbertype; Tk: {int16, int32, int64} = DT_INT32; index_type: {int16, "
              "int32, int64} = DT_INT32",
     .summary = "The k greatest values of each row and their indices.",
     .shape = top_k_shape,
     .gradient = top_k_gradient},
    {.name = "InTopK",
     .inputs = "predictions: float, targets: T",
     .outputs = "precision: bool",
     .attrs = "k: int; T: {int32, int64} = DT_INT32",
     .summary = "Whether each target is among the k greatest predictions.",
     .shape = in_top_k_shape},
    {.name = "InTopKV2",
     .inputs = "predictions: float, targets: T, k: T",
     .outputs = "precision: bool",
     .attrs = "T: {int32, int64} = DT_INT32",
     .summary = "Whether each target is among the k greatest predictions.",
     .shape = in_top_k_shape},
};

#define PLACE_TYPES (SLI_TYPE_INT16 | SLI_TYPE_INT32 | SLI_TYPE_INT64)
static const sli_kernel_def_t kernels[] = {
    {.op = "TopK", .types = SLI_TYPES_REAL, .compute = top_k, .cost = 1},
    {.op = "TopKV2",
     .types = SLI_TYPES_REAL,
     .where = {{"index_type", PLACE_TYPES}},
     .host_memory = "k",
     .compute = top_k,
     .cost = 1},
    {.op = "InTopK", .types = SLI_TYPES_INDEX, .host_memory = "predictions, targets, precision", .compute = in_top_k},
    {.op = "InTopKV2",
     .types = SLI_TYPES_INDEX,
     .host_memory = "predictions, targets, k, precision",
     .compute = in_top_k},
};

SLI_OP_MODULE(top_k);
