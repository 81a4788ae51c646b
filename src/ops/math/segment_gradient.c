// Gradients of the segment ops: each row gets the gradient of its segment, times a factor that depends on the op. Rows
// with negative ids (unsorted ops) get zeros.
#include "core/op/emit.h"
#include "ops/math/segment_internal.h"

#define DATA sli_gradient_input(b, 0)
#define IDS sli_gradient_input(b, 1)

static sli_output_t emit_gather(sli_gradient_builder_t *b, sli_output_t params, sli_output_t ids) {
  return sli_emit3(b, "GatherV2", params, ids, sli_gradient_const_int32(b, 0));
}

// Emits a segment op with the ids of the op being differentiated, on other data.
static sli_output_t emit_segment(sli_gradient_builder_t *b, const char *op, bool unsorted, sli_output_t data) {
  return unsorted ? sli_emit3(b, op, data, IDS, sli_gradient_input(b, 2)) : sli_emit2(b, op, data, IDS);
}

// The ids with 0 for negative ones, and a mask of the rows whose id is not negative.
typedef struct {
  sli_output_t ids, valid;
} clipped_t;

static clipped_t emit_clipped(sli_gradient_builder_t *b, sli_output_t params) {
  clipped_t clipped;
  clipped.ids = sli_emit2(b, "Maximum", IDS, sli_emit1(b, "ZerosLike", IDS));
  sli_output_t gathered = emit_gather(b, params, clipped.ids);
  sli_output_t valid = sli_emit2(b, "GreaterEqual", IDS, sli_gradient_const_like(b, IDS, 0));
  sli_output_t missing = sli_emit2(b, "Sub", sli_emit1(b, "Rank", gathered), sli_emit1(b, "Rank", valid));
  sli_output_t count = SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(missing), SLI_ATTRS(SLI_ATTR_INT_OF("N", 1)));
  sli_output_t ones = sli_emit2(b, "Fill", count, sli_gradient_const_int32(b, 1));
  sli_output_t shape =
      SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(sli_emit_shape(b, valid), ones, sli_gradient_const_int32(b, 0)),
                    SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  clipped.valid = sli_emit2(b, "Reshape", valid, shape);
  return clipped;
}

static sli_output_t emit_gather_clipped(sli_gradient_builder_t *b, sli_output_t params, clipped_t clipped) {
  sli_output_t gathered = emit_gather(b, params, clipped.ids);
  return sli_emit3(b, "SelectV2", clipped.valid, gathered, sli_emit1(b, "ZerosLike", gathered));
}

sli_status_t *sli_segment_sum_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(b, 0, emit_gather(b, sli_gradient_of_output(b, 0), IDS));
  return NULL;
}

sli_status_t *sli_segment_unsorted_sum_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 0, emit_gather_clipped(b, g, emit_clipped(b, g)));
  return NULL;
}

// Divides by the number of rows, which is a segment sum of ones.
sli_status_t *sli_segment_mean_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), one = sli_gradient_const_int32(b, 1);
  sli_output_t others = sli_emit2(b, "Sub", sli_emit1(b, "Rank", DATA), one);
  sli_output_t count = SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(others), SLI_ATTRS(SLI_ATTR_INT_OF("N", 1)));
  sli_output_t shape = SLI_EMIT_WITH(
      b, "ConcatV2",
      SLI_INPUTS(sli_emit_shape(b, IDS), sli_emit2(b, "Fill", count, one), sli_gradient_const_int32(b, 0)),
      SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t ones = sli_emit2(b, "Fill", shape, sli_gradient_const_like(b, g, 1));
  sli_output_t scaled = sli_emit2(b, "RealDiv", g, sli_emit2(b, "SegmentSum", ones, IDS));
  sli_gradient_set(b, 0, emit_gather(b, scaled, IDS));
  return NULL;
}

// The gradient is shared evenly among the rows that are equal to the extreme.
static sli_status_t *extreme_gradient(sli_gradient_builder_t *b, bool unsorted) {
  sli_output_t y = sli_gradient_output(b, 0), g = sli_gradient_of_output(b, 0), chosen;
  clipped_t clipped = {IDS, SLI_OUTPUT_NONE};
  if (unsorted) {
    clipped = emit_clipped(b, y);
    chosen = sli_emit2(b, "LogicalAnd", sli_emit2(b, "Equal", DATA, emit_gather_clipped(b, y, clipped)), clipped.valid);
  } else {
    chosen = sli_emit2(b, "Equal", DATA, emit_gather(b, y, IDS));
  }
  sli_output_t counted = emit_segment(b, unsorted ? "UnsortedSegmentSum" : "SegmentSum", unsorted,
                                      sli_emit_cast(b, chosen, sli_gradient_dtype(b, g)));
  sli_output_t share = sli_emit2(b, "RealDiv", g, counted);
  sli_output_t spread = unsorted ? emit_gather_clipped(b, share, clipped) : emit_gather(b, share, IDS);
  sli_gradient_set(b, 0, sli_emit3(b, "SelectV2", chosen, spread, sli_emit1(b, "ZerosLike", DATA)));
  return NULL;
}
sli_status_t *sli_segment_extreme_gradient(sli_gradient_builder_t *b) { return extreme_gradient(b, false); }
sli_status_t *sli_segment_unsorted_extreme_gradient(sli_gradient_builder_t *b) { return extreme_gradient(b, true); }

// The product of the other rows: by division; for the only zero of a segment, the product without it; 0 if a segment
// has several zeros.
static sli_status_t *prod_gradient(sli_gradient_builder_t *b, bool unsorted) {
  const char *sum_op = unsorted ? "UnsortedSegmentSum" : "SegmentSum";
  const char *prod_op = unsorted ? "UnsortedSegmentProd" : "SegmentProd";
  sli_output_t g = sli_gradient_of_output(b, 0),
               zero = sli_emit2(b, "Equal", DATA, sli_gradient_const_like(b, DATA, 0));
  sli_output_t zeros = emit_segment(b, sum_op, unsorted, sli_emit_cast(b, zero, SLI_DTYPE_INT32));
  sli_output_t several = sli_emit2(b, "Greater", zeros, sli_gradient_const_int32(b, 1));
  sli_output_t masked = sli_emit3(b, "SelectV2", several, sli_emit1(b, "ZerosLike", g), g);
  sli_output_t others = sli_emit3(b, "SelectV2", zero, sli_emit1(b, "OnesLike", DATA), DATA);
  sli_output_t product = emit_segment(b, prod_op, unsorted, others);
  clipped_t clipped = {IDS, SLI_OUTPUT_NONE};
  if (unsorted) clipped = emit_clipped(b, masked);
  sli_output_t whole = emit_gather(b, sli_gradient_output(b, 0), clipped.ids);
  sli_output_t slope =
      sli_emit3(b, "SelectV2", zero, emit_gather(b, product, clipped.ids), sli_emit2(b, "RealDiv", whole, others));
  sli_output_t spread = unsorted ? emit_gather_clipped(b, masked, clipped) : emit_gather(b, masked, IDS);
  sli_gradient_set(b, 0, sli_emit_mul(b, spread, slope));
  return NULL;
}
sli_status_t *sli_segment_prod_gradient(sli_gradient_builder_t *b) { return prod_gradient(b, false); }
sli_status_t *sli_segment_unsorted_prod_gradient(sli_gradient_builder_t *b) { return prod_gradient(b, true); }
