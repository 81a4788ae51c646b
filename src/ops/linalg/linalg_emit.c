// Nodes that the gradients of several decompositions emit.
#include "core/op/emit.h"
#include "ops/linalg/linalg.h"

static sli_output_t emit_swapped(sli_gradient_builder_t *b, const char *op, sli_output_t x) {
  int rank = b->shape(b, x).rank;
  if (rank >= 2) {
    int32_t order[SLI_MAX_RANK];
    for (int d = 0; d < rank; d++) order[d] = d < rank - 2 ? d : 2 * rank - 3 - d;
    return sli_emit2(b, op, x, sli_gradient_const_ints(b, order, rank));
  }
  sli_output_t zero = sli_gradient_const_int32(b, 0), one = sli_gradient_const_int32(b, 1);
  sli_output_t count = sli_emit1(b, "Rank", x);
  sli_output_t last = sli_emit2(b, "Sub", count, one);
  sli_output_t before = sli_emit2(b, "Sub", last, one);
  sli_output_t swapped = SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(last, before), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t order = SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(sli_emit3(b, "Range", zero, before, one), swapped, zero),
                                     SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  return sli_emit2(b, op, x, order);
}

sli_output_t sli_linalg_emit_transpose(sli_gradient_builder_t *b, sli_output_t x) {
  return emit_swapped(b, "Transpose", x);
}

sli_output_t sli_linalg_emit_adjoint(sli_gradient_builder_t *b, sli_output_t x) {
  bool is_complex = sli_types_contain(SLI_TYPES_COMPLEX, sli_gradient_dtype(b, x));
  return emit_swapped(b, is_complex ? "ConjugateTranspose" : "Transpose", x);
}

sli_output_t sli_linalg_emit_diag(sli_gradient_builder_t *b, sli_output_t diagonal) {
  return sli_emit1(b, "MatrixDiag", diagonal);
}

sli_output_t sli_linalg_emit_diag_part(sli_gradient_builder_t *b, sli_output_t matrix) {
  return sli_emit1(b, "MatrixDiagPart", matrix);
}

sli_output_t sli_linalg_emit_set_diag(sli_gradient_builder_t *b, sli_output_t matrix, sli_output_t diagonal) {
  return sli_emit2(b, "MatrixSetDiag", matrix, diagonal);
}

sli_output_t sli_linalg_emit_lower(sli_gradient_builder_t *b, sli_output_t matrix) {
  return sli_emit3(b, "MatrixBandPart", matrix, sli_gradient_const_int32(b, -1), sli_gradient_const_int32(b, 0));
}

sli_output_t sli_linalg_emit_safe_reciprocal(sli_gradient_builder_t *b, sli_output_t x) {
  sli_output_t square = sli_emit_mul(b, x, x);
  sli_output_t broadened = sli_emit2(b, "AddV2", square, sli_gradient_const_like(b, square, 1e-20));
  return sli_emit_mul(b, x, sli_emit1(b, "Reciprocal", broadened));
}

sli_output_t sli_linalg_emit_gaps(sli_gradient_builder_t *b, sli_output_t values) {
  sli_output_t row = sli_emit2(b, "ExpandDims", values, sli_gradient_const_int32(b, -2));
  sli_output_t column = sli_emit2(b, "ExpandDims", values, sli_gradient_const_int32(b, -1));
  sli_output_t inverse = sli_linalg_emit_safe_reciprocal(b, sli_emit2(b, "Sub", row, column));
  return sli_linalg_emit_set_diag(b, inverse, sli_emit1(b, "ZerosLike", values));
}
