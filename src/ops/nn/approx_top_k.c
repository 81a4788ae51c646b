// ApproxTopK: the largest or smallest k values along a dimension, best first, and where they were. The recall may be
// less than 1; here it is always 1.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"

typedef struct {
  float value;
  int32_t index;
} ranked_t;

static int compare_largest(const void *a, const void *b) {
  const ranked_t *x = a, *y = b;
  if (x->value != y->value) return x->value > y->value ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static int compare_smallest(const void *a, const void *b) {
  const ranked_t *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

typedef struct {
  const sli_tensor_t *input;
  sli_tensor_t *values, *indices;
  int64_t k, length, after;  // the dims after the reduced one
  bool is_max;
} approx_t;

static float load(const sli_tensor_t *tensor, int64_t i) {
  if (tensor->dtype == SLI_DTYPE_FLOAT) return SLI_DATA(float, tensor)[i];
  float value;
  sli_half_widen((sli_dtype_t)tensor->dtype, sli_tensor_at(tensor, i), &value, 1);
  return value;
}

static void rank_lines(void *context, int64_t begin, int64_t end) {
  const approx_t *w = context;
  ranked_t *line = sli_malloc((size_t)(w->length + 1) * sizeof(ranked_t));
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t before = unit / w->after, from = before * w->length * w->after + unit % w->after;
    for (int64_t i = 0; i < w->length; i++) line[i] = (ranked_t){load(w->input, from + i * w->after), (int32_t)i};
    qsort(line, (size_t)w->length, sizeof(ranked_t), w->is_max ? compare_largest : compare_smallest);
    for (int64_t i = 0; i < w->k; i++) {
      const int64_t to = before * w->k * w->after + unit % w->after + i * w->after;
      if (w->values->dtype == SLI_DTYPE_FLOAT)
        SLI_DATA(float, w->values)[to] = line[i].value;
      else
        sli_half_narrow((sli_dtype_t)w->values->dtype, &line[i].value, sli_tensor_at(w->values, to), 1);
      SLI_DATA(int32_t, w->indices)[to] = line[i].index;
    }
  }
  free(line);
}

static sli_status_t *read_dimension(const sli_node_def_t *node, int rank, int64_t *out_dimension) {
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "reduction_dimension", out_dimension));
  if (*out_dimension < -rank || *out_dimension >= rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Invalid reduction dimension: %lld. Must be within the range of [%d, %d]",
                           (long long)*out_dimension, -rank, rank - 1);
  if (*out_dimension < 0) *out_dimension += rank;
  return NULL;
}

static sli_status_t *too_few(int64_t k, int64_t dim) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "input must have last dimension >= k = %lld but was %lld", (long long)k,
                         (long long)dim);
}

static sli_status_t *approx_compute(sli_kernel_context_t *context) {
  approx_t w = {.input = sli_kernel_input(context, 0), .after = 1};
  int64_t dimension, dims[SLI_MAX_RANK];
  const int rank = w.input->rank;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "k", &w.k));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "is_max_k", &w.is_max));
  if (rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be at least rank 1 but is rank 0");
  SLI_RETURN_IF_ERROR(read_dimension(context->node, rank, &dimension));
  w.length = w.input->dims[dimension];
  if (w.length < w.k) return too_few(w.k, w.length);
  if (w.length > INT32_MAX) return sli_status_make(SLI_INVALID_ARGUMENT, "The reduced dimension is too large");
  for (int i = 0; i < rank; i++) {
    dims[i] = i == dimension ? w.k : w.input->dims[i];
    if (i > dimension) w.after *= dims[i];
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &w.values));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, (sli_shape_t){rank, dims}, &w.indices));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, w.length + 1, sizeof(ranked_t)));
  if (w.values->count)
    sli_parallel_for(sli_kernel_pool(context), w.values->count / w.k, 20.0 * (double)w.length, rank_lines, &w);
  return NULL;
}

static sli_status_t *approx_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  int64_t k, dimension;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &input));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "k", &k));
  if (input.rank < 0) return sli_infer_fn_unknown(c);
  SLI_RETURN_IF_ERROR(read_dimension(c->node, input.rank, &dimension));
  if (input.dims[dimension] >= 0 && input.dims[dimension] < k) return too_few(k, input.dims[dimension]);
  for (int i = 0; i < 2; i++) sli_infer_set_output(c, i, sli_infer_replace_dim(c, input, (int)dimension, k));
  return NULL;
}

// Scatters the gradient to where the values were: to row |before|, element |index|, column |after| of a matrix.
static sli_status_t *approx_gradient(sli_gradient_builder_t *b) {
  sli_output_t input = sli_gradient_input(b, 0), gradient = sli_gradient_of_output(b, 0);
  sli_output_t indices = sli_gradient_output(b, 1);
  sli_shape_t shape = b->shape(b, indices), in = b->shape(b, input);
  int64_t dimension, before = 1, after = 1;
  if (shape.rank < 1 || in.rank != shape.rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The gradient of ApproxTopK needs a known shape");
  SLI_RETURN_IF_ERROR(read_dimension(b->node, shape.rank, &dimension));
  for (int i = 0; i < shape.rank; i++) {
    if (in.dims[i] < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "The gradient of ApproxTopK needs a known shape");
    if (i != dimension) *(i < dimension ? &before : &after) *= in.dims[i];
  }
  const int32_t length = (int32_t)in.dims[dimension], k = (int32_t)shape.dims[dimension];
  sli_output_t zero = sli_gradient_const_int32(b, 0), one = sli_gradient_const_int32(b, 1);
  sli_output_t rows = SLI_EMIT(b, "Range", SLI_INPUTS(zero, sli_gradient_const_int32(b, (int32_t)before), one));
  sli_output_t columns = SLI_EMIT(b, "Range", SLI_INPUTS(zero, sli_gradient_const_int32(b, (int32_t)after), one));
  rows = sli_emit2(b, "Reshape", rows, sli_gradient_const_ints(b, (int32_t[]){(int32_t)before, 1, 1}, 3));
  // (row * length + index) * after + column
  sli_output_t at =
      sli_emit2(b, "Reshape", indices, sli_gradient_const_ints(b, (int32_t[]){(int32_t)before, k, (int32_t)after}, 3));
  at = sli_emit2(b, "AddV2", sli_emit_mul(b, rows, sli_gradient_const_int32(b, length)), at);
  at = sli_emit2(b, "AddV2", sli_emit_mul(b, at, sli_gradient_const_int32(b, (int32_t)after)), columns);
  at = sli_emit2(b, "Reshape", at, sli_gradient_const_ints(b, (int32_t[]){-1, 1}, 2));
  sli_output_t flat = sli_emit2(b, "Reshape", gradient, sli_gradient_const_ints(b, (int32_t[]){-1}, 1));
  sli_output_t size = sli_gradient_const_ints(b, (int32_t[]){(int32_t)(before * length * after)}, 1);
  sli_output_t found = sli_emit3(b, "ScatterNd", at, flat, size);
  return sli_emit_set(b, sli_emit2(b, "Reshape", found, sli_emit_shape(b, input)));
}

static const sli_op_def_t ops[] = {
    {.name = "ApproxTopK",
     .inputs = "input: T",
     .outputs = "values: T, indices: int32",
     .attrs = "k: int >= 0; reduction_dimension: int = -1; recall_target: float = 0.95; is_max_k: bool = true; "
              "reduction_input_size_override: int = -1; aggregate_to_topk: bool = true; T: {half, bfloat16, float}",
     .summary = "The largest or smallest values along a dimension.",
     .shape = approx_shape,
     .gradient = approx_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ApproxTopK",
     .types = SLI_TYPE_HALF | SLI_TYPE_BFLOAT16 | SLI_TYPE_FLOAT,
     .compute = approx_compute,
     .cost = 20},
};

SLI_OP_MODULE(approx_top_k);
