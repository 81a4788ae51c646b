// Gradients of reductions: the gradient is reshaped to the rank of the input, with size 1 for the reduced dimensions,
// and broadcast to the input.
#include "core/op/emit.h"
#include "core/tensor/tensor.h"
#include "ops/math/reduce_internal.h"

// The value of |output|, owned by its node, if that is a Const; else NULL.
static const sli_tensor_t *constant_value(sli_gradient_builder_t *b, sli_output_t output) {
  const sli_node_def_t *def = b->def(b, output.node);
  if (!def || !sli_view_is(sli_view(def->op->def->name), "Const")) return NULL;
  const sli_attr_t *value = sli_node_attr(def, "value");
  return value && value->kind == SLI_ATTR_TENSOR ? value->tensor : NULL;
}

// Marks the reduced dimensions. Returns false unless the rank is known and the axes are constant and valid.
static bool constant_axes(sli_gradient_builder_t *b, int rank, bool *reduced) {
  const sli_tensor_t *axes = constant_value(b, sli_gradient_input(b, 1));
  if (!axes) return false;
  for (int d = 0; d < rank; d++) reduced[d] = false;
  for (int64_t i = 0; i < axes->count; i++) {
    int64_t axis = sli_tensor_int_at(axes, i);
    if (axis < -rank || axis >= rank) return false;
    reduced[axis < 0 ? axis + rank : axis] = true;
  }
  return true;
}

// Emits input 1 as non-negative int32 axes, for an input of rank |rank|.
static sli_output_t emit_axes(sli_gradient_builder_t *b, sli_output_t rank) {
  sli_output_t axes = sli_emit_cast(b, sli_gradient_input(b, 1), SLI_DTYPE_INT32);
  return sli_emit2(b, "FloorMod", sli_emit2(b, "AddV2", axes, rank), rank);
}

// Emits the input's shape with 1 for each reduced dimension.
static sli_output_t emit_kept_shape(sli_gradient_builder_t *b, sli_output_t shape) {
  sli_output_t rank = sli_emit1(b, "Size", shape), axes = emit_axes(b, rank);
  sli_output_t range = sli_emit3(b, "Range", sli_gradient_const_int32(b, 0), rank, sli_gradient_const_int32(b, 1));
  sli_output_t ones = sli_emit2(b, "Fill", sli_emit_shape(b, axes), sli_gradient_const_int32(b, 1));
  return SLI_EMIT_WITH(b, "DynamicStitch", SLI_INPUTS(range, axes, shape, ones), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
}

// Emits the gradient of the output, broadcast to the input.
static sli_output_t emit_spread(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_shape_t shape = b->shape(b, sli_gradient_input(b, 0));
  bool reduced[SLI_MAX_RANK];
  if (shape.rank >= 0 && constant_axes(b, shape.rank, reduced)) {
    bool all = true, fits = true;
    int32_t kept[SLI_MAX_RANK], multiples[SLI_MAX_RANK];
    for (int d = 0; d < shape.rank; d++) {
      all &= reduced[d];
      fits &= shape.dims[d] >= 0 && shape.dims[d] <= INT32_MAX;
      kept[d] = reduced[d] ? 1 : (int32_t)shape.dims[d];
      multiples[d] = reduced[d] ? (int32_t)shape.dims[d] : 1;
    }
    if (all || fits) {
      sli_output_t reshaped = sli_emit2(b, "Reshape", g, sli_gradient_const_ints(b, kept, shape.rank));
      sli_output_t times =
          fits ? sli_gradient_const_ints(b, multiples, shape.rank) : sli_emit_shape(b, sli_gradient_input(b, 0));
      return sli_emit2(b, "Tile", reshaped, times);
    }
  }
  sli_output_t dynamic = sli_emit_shape(b, sli_gradient_input(b, 0));
  return sli_emit2(b, "BroadcastTo", sli_emit2(b, "Reshape", g, emit_kept_shape(b, dynamic)), dynamic);
}

sli_status_t *sli_reduce_op_sum_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(b, 0, emit_spread(b));
  return NULL;
}

sli_status_t *sli_reduce_op_mean_gradient(sli_gradient_builder_t *b) {
  sli_output_t spread = emit_spread(b), factor;
  int64_t inputs = sli_shape_count(b->shape(b, sli_gradient_input(b, 0)));
  int64_t outputs = sli_shape_count(b->shape(b, sli_gradient_output(b, 0)));
  if (inputs >= 0 && outputs >= 0) {
    factor = sli_gradient_const_like(b, spread, (double)(inputs / (outputs > 0 ? outputs : 1)));
  } else {
    sli_output_t shape = sli_emit_shape(b, sli_gradient_input(b, 0));
    sli_output_t axes = emit_axes(b, sli_emit1(b, "Size", shape));
    sli_output_t sizes = sli_emit3(b, "GatherV2", shape, axes, sli_gradient_const_int32(b, 0));
    // All axes of the gathered dims: one if the axes are a vector, none if they are a scalar.
    sli_output_t every = sli_emit3(b, "Range", sli_gradient_const_int32(b, 0), sli_emit1(b, "Rank", sizes),
                                   sli_gradient_const_int32(b, 1));
    factor = sli_emit_cast(b, sli_emit2(b, "Prod", sizes, every), sli_gradient_dtype(b, spread));
  }
  sli_gradient_set(b, 0, sli_emit2(b, "RealDiv", spread, factor));
  return NULL;
}

sli_status_t *sli_reduce_op_norm_gradient(sli_gradient_builder_t *b) {
  sli_output_t x = sli_gradient_input(b, 0), kept = emit_kept_shape(b, sli_emit_shape(b, x));
  sli_output_t y = sli_emit2(b, "Reshape", sli_gradient_output(b, 0), kept);
  sli_output_t g = sli_emit2(b, "Reshape", sli_gradient_of_output(b, 0), kept);
  sli_gradient_set(b, 0, sli_emit2(b, "RealDiv", x, sli_emit2(b, "RealDiv", y, g)));
  return NULL;
}

// The gradient is shared among all elements that equal the extreme.
sli_status_t *sli_reduce_op_max_gradient(sli_gradient_builder_t *b) {
  sli_output_t x = sli_gradient_input(b, 0), g = sli_gradient_of_output(b, 0);
  sli_output_t kept = emit_kept_shape(b, sli_emit_shape(b, x));
  sli_output_t y = sli_emit2(b, "Reshape", sli_gradient_output(b, 0), kept);
  sli_output_t gradient = sli_emit2(b, "Reshape", g, kept);
  sli_output_t chosen = sli_emit_cast(b, sli_emit2(b, "Equal", y, x), sli_gradient_dtype(b, gradient));
  sli_output_t total = sli_emit2(b, "Sum", chosen, sli_gradient_input(b, 1));
  sli_output_t share = sli_emit2(b, "RealDiv", chosen, sli_emit2(b, "Reshape", total, kept));
  sli_gradient_set(b, 0, sli_emit_mul(b, share, gradient));
  return NULL;
}

// The product of all other factors, as the product of those before times the product of those after: dividing the whole
// product by the factor would fail for zeros.
sli_status_t *sli_reduce_op_prod_gradient(sli_gradient_builder_t *b) {
  sli_output_t x = sli_gradient_input(b, 0), zero = sli_gradient_const_int32(b, 0),
               one = sli_gradient_const_int32(b, 1);
  sli_output_t shape = sli_emit_shape(b, x), minus_one = sli_gradient_const_ints(b, (int32_t[]){-1}, 1);
  sli_output_t reshaped = sli_emit2(b, "Reshape", sli_gradient_of_output(b, 0), emit_kept_shape(b, shape));
  sli_output_t gradient = sli_emit2(b, "BroadcastTo", reshaped, shape);
  // Moves the reduced dimensions to the front, merged into one.
  sli_output_t rank = sli_emit1(b, "Rank", x), axes = sli_emit2(b, "Reshape", emit_axes(b, rank), minus_one);
  sli_output_t others = sli_emit2(b, "ListDiff", sli_emit3(b, "Range", zero, rank, one), axes);
  sli_output_t order = SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(axes, others, zero), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t first = sli_gradient_const_ints(b, (int32_t[]){0}, 1);
  sli_output_t folded = sli_emit2(b, "Prod", sli_emit3(b, "GatherV2", shape, axes, zero), first);
  sli_output_t kept = sli_emit2(b, "Prod", sli_emit3(b, "GatherV2", shape, others, zero), first);
  sli_output_t permuted = sli_emit2(b, "Transpose", x, order);
  sli_output_t matrix_shape = SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(folded, kept), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t matrix = sli_emit2(b, "Reshape", permuted, matrix_shape);
  sli_output_t before =
      SLI_EMIT_WITH(b, "Cumprod", SLI_INPUTS(matrix, zero), SLI_ATTRS(SLI_ATTR_BOOL_OF("exclusive", true)));
  sli_output_t behind =
      SLI_EMIT_WITH(b, "Cumprod", SLI_INPUTS(matrix, zero),
                    SLI_ATTRS(SLI_ATTR_BOOL_OF("exclusive", true), SLI_ATTR_BOOL_OF("reverse", true)));
  sli_output_t rest = sli_emit_mul(b, sli_emit_conj(b, before), sli_emit_conj(b, behind));
  sli_output_t spread = sli_emit2(b, "Reshape", rest, sli_emit_shape(b, permuted));
  sli_output_t slope = sli_emit2(b, "Transpose", spread, sli_emit1(b, "InvertPermutation", order));
  sli_gradient_set(b, 0, sli_emit2(b, "Reshape", sli_emit_mul(b, gradient, slope), shape));
  return NULL;
}
