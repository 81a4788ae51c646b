// The innermost part of a matrix product, in the instructions of this machine:
// a kernel computes tiles of C from panels, |rows| rows of A or |columns|
// columns of B side by side.
#ifndef SLI_MATH_GEMM_INTERNAL_H_
#define SLI_MATH_GEMM_INTERNAL_H_

#include <stdbool.h>
#include <stdint.h>

#include "core/dtype.h"

// Lanes are the rows of op(A) or the columns of op(B). All steps are elements.
typedef struct {
  const void *data;
  int64_t lane_step, k_step;
  int64_t lanes, k;
  bool conjugate;
} gemm_operand_t;

// C[rows, columns] (+)= A B. A's lane i of panel p lies at a + p * a_panel + i * a_lane, its next k a_step further.
typedef struct {
  int64_t rows, columns, k;
  const void *a, *b;
  int64_t a_lane, a_step, a_panel;
  int64_t b_step, b_panel;  // B's lanes are adjacent, and padded to whole panels
  // NULL, or room for the panel that B is, of which the first tile makes a copy for the others. There is a whole tile.
  void *copy;
  // NULL, or of each panel of A, packed, what |survey| wrote: these lists lie |kept_panel| apart. B is packed and
  // finite then; where |copy| is asked for, it need not be.
  const uint16_t *kept;
  int64_t kept_panel;
  void *c;
  int64_t ldc;
  bool add;
  // NULL, or what will be wanted next, laid out like C: brought near while tiles are computed.
  const void *soon;
  int64_t soon_step;
} gemm_block_t;

// Immutable.
typedef struct {
  int rows, columns;  // of a tile
  // Writes panel after panel, each [k][rows] or [k][columns], the last padded with zeros.
  void (*pack_a)(const gemm_operand_t *operand, void *panels);
  void (*pack_b)(const gemm_operand_t *operand, void *panels);
  // Lists the k at which some lane of |panel| of A, packed, is not zero: their number, then each of them. With too
  // few zeros to matter only |k| is written.
  void (*survey)(const void *panel, int64_t k, uint16_t *kept);
  bool (*is_finite)(const void *panels, int64_t count);  // of B; |count| elements
  void (*multiply)(const gemm_block_t *block);
} gemm_kernel_t;

// NULL for a type that has none.
const gemm_kernel_t *gemm_kernel(sli_dtype_t dtype);

#endif  // SLI_MATH_GEMM_INTERNAL_H_
