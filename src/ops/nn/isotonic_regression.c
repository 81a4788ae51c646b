// IsotonicRegression: the nearest sequence, by least squares, that never rises, along the last dimension. Values are
// pooled with their predecessors as long as they are larger; |segments| numbers the pools.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"

typedef struct {
  double sum;
  int64_t count;
} pool_t;

typedef struct {
  const sli_tensor_t *input;
  sli_tensor_t *output, *segments;
  int64_t length;
} isotonic_t;

static double load(const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, tensor)[i];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, tensor)[i];
    case SLI_DTYPE_HALF: return sli_half_to_float(SLI_DATA(sli_half_t, tensor)[i]);
    case SLI_DTYPE_BFLOAT16: return sli_bfloat16_to_float(SLI_DATA(sli_bfloat16_t, tensor)[i]);
    default: return (double)sli_tensor_int_at(tensor, i);
  }
}

static void store(sli_tensor_t *tensor, int64_t i, double value) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: SLI_DATA(float, tensor)[i] = (float)value; break;
    case SLI_DTYPE_DOUBLE: SLI_DATA(double, tensor)[i] = value; break;
    case SLI_DTYPE_HALF: SLI_DATA(sli_half_t, tensor)[i] = sli_half_from_float((float)value); break;
    default: SLI_DATA(sli_bfloat16_t, tensor)[i] = sli_bfloat16_from_float((float)value);
  }
}

static void fit_rows(void *context, int64_t begin, int64_t end) {
  const isotonic_t *w = context;
  pool_t *pools = sli_malloc((size_t)(w->length + 1) * sizeof(pool_t));
  for (int64_t row = begin; row < end; row++) {
    int64_t count = 0, at = row * w->length;
    for (int64_t i = 0; i < w->length; i++) {
      pools[count++] = (pool_t){load(w->input, at + i), 1};
      while (count > 1 && pools[count - 2].sum / (double)pools[count - 2].count <
                              pools[count - 1].sum / (double)pools[count - 1].count) {
        pools[count - 2].sum += pools[count - 1].sum;
        pools[count - 2].count += pools[count - 1].count;
        count--;
      }
    }
    for (int64_t p = 0; p < count; p++) {
      for (int64_t i = 0; i < pools[p].count; i++, at++) {
        store(w->output, at, pools[p].sum / (double)pools[p].count);
        SLI_DATA(int32_t, w->segments)[at] = (int32_t)p;
      }
    }
  }
  free(pools);
}

static sli_status_t *isotonic_compute(sli_kernel_context_t *context) {
  isotonic_t w = {.input = sli_kernel_input(context, 0)};
  if (w.input->rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "input must be at least 1-D, got shape []");
  w.length = w.input->dims[w.input->rank - 1];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(w.input), &w.output));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, sli_tensor_shape(w.input), &w.segments));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, w.length + 1, sizeof(pool_t)));
  if (w.input->count)
    sli_parallel_for(sli_kernel_pool(context), w.input->count / w.length, 10.0 * (double)w.length, fit_rows, &w);
  return NULL;
}

static sli_status_t *isotonic_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_input(c, 0));
  sli_infer_set_output(c, 1, sli_infer_input(c, 0));
  return NULL;
}

// The mean of the gradient over each pool. Pools of all rows get numbers of their own.
static sli_status_t *isotonic_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0), segments = sli_gradient_output(b, 1);
  sli_output_t shape = sli_emit_shape(b, segments), zero = sli_gradient_const_int32(b, 0);
  sli_output_t one = sli_gradient_const_int32(b, 1), minus_one = sli_gradient_const_ints(b, (int32_t[]){-1}, 1);
  sli_output_t length = sli_emit3(b, "GatherV2", shape, sli_emit2(b, "Sub", sli_emit1(b, "Size", shape), one), zero);
  sli_output_t total = sli_emit1(b, "Size", segments);
  sli_output_t matrix =
      SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(sli_gradient_const_int32(b, -1), length), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t rows = SLI_EMIT(b, "Range", SLI_INPUTS(zero, total, length));
  rows = sli_emit2(b, "ExpandDims", rows, one);
  sli_output_t ids = sli_emit2(b, "AddV2", sli_emit2(b, "Reshape", segments, matrix), rows);
  ids = sli_emit2(b, "Reshape", ids, minus_one);
  sli_output_t flat = sli_emit2(b, "Reshape", gradient, minus_one);
  sli_output_t sums = sli_emit3(b, "UnsortedSegmentSum", flat, ids, total);
  sli_output_t counts = sli_emit3(b, "UnsortedSegmentSum", sli_emit1(b, "OnesLike", flat), ids, total);
  sli_output_t means = sli_emit2(b, "DivNoNan", sums, counts);
  sli_output_t found = sli_emit2(b, "Reshape", sli_emit3(b, "GatherV2", means, ids, zero), shape);
  return sli_emit_set(b, sli_emit_cast(b, found, sli_gradient_dtype(b, sli_gradient_input(b, 0))));
}

static const sli_op_def_t ops[] = {
    {.name = "IsotonicRegression",
     .inputs = "input: T",
     .outputs = "output: output_dtype, segments: int32",
     .attrs = "T: realnumbertype; output_dtype: {half, bfloat16, float, double} = DT_FLOAT",
     .summary = "The nearest sequence that never rises.",
     .shape = isotonic_shape,
     .gradient = isotonic_gradient},
};

#define FIT(in, out) \
  { .op = "IsotonicRegression", .types = in, .where = {{"output_dtype", out}}, .compute = isotonic_compute, .cost = 10 }

static const sli_kernel_def_t kernels[] = {
    FIT(SLI_TYPE_FLOAT | SLI_TYPE_INT8 | SLI_TYPE_INT16, SLI_TYPE_FLOAT),
    FIT(SLI_TYPE_DOUBLE | SLI_TYPE_INT32 | SLI_TYPE_INT64, SLI_TYPE_DOUBLE),
    FIT(SLI_TYPE_HALF, SLI_TYPE_HALF),
    FIT(SLI_TYPE_BFLOAT16, SLI_TYPE_BFLOAT16),
};

SLI_OP_MODULE(isotonic_regression);
