// The innermost part of a matrix product, in the vector instructions of this machine. A kernel computes tiles of C from
// panels. A panel is |rows| rows of A or |columns| columns of B, interleaved so that they are adjacent at every k.
#ifndef SLI_MATH_GEMM_INTERNAL_H_
#define SLI_MATH_GEMM_INTERNAL_H_

#include <stdbool.h>
#include <stdint.h>

#include "core/tensor/dtype.h"

// Lanes are the rows of op(A) or the columns of op(B). Steps are counted in elements.
typedef struct {
  const void *data;
  int64_t lane_step, k_step;
  int64_t lanes, k;
  bool conjugate;
} sli_gemm_operand_t;

// C[rows, columns] (+)= A B. Lane i of panel p of A starts at a + p * a_panel + i * a_lane; its next k is a_step
// further.
typedef struct {
  int64_t rows, columns, k;
  const void *a, *b;
  int64_t a_lane, a_step, a_panel;
  int64_t b_step, b_panel;  // B's lanes are adjacent, and padded to whole panels
  // NULL, or room for a packed copy of the panel B: the first tile makes it for the others. There is at least one whole
  // tile.
  void *copy;
  // NULL, or for each packed panel of A the lists that |list_nonzero| wrote; those of the next panel are
  // |nonzero_panel| further. B is packed and finite then, except that with |copy| it need not be.
  const uint16_t *nonzero;
  int64_t nonzero_panel, list_size;
  void *c;
  int64_t ldc;
  bool add;
  // NULL, or memory that is used next, laid out like C: prefetched while tiles are computed.
  const void *prefetch;
  int64_t prefetch_step;
} sli_gemm_block_t;

enum { SLI_GEMM_NO_LIST = 65535 };

// Immutable.
typedef struct {
  int rows, strips, columns;  // of a tile; its rows are divided into strips of adjacent ones
  // Write panel after panel, each as [k][rows] or [k][columns], the last padded with zeros.
  void (*pack_a)(const sli_gemm_operand_t *operand, void *panels);
  void (*pack_b)(const sli_gemm_operand_t *operand, void *panels);
  // Lists for each strip the k at which one of its lanes in the packed |panel| of A is not zero: their number, then
  // each of them. The lists are |list_size| apart. If too few are left out to matter, only SLI_GEMM_NO_LIST is written.
  void (*list_nonzero)(const void *panel, int64_t k, uint16_t *nonzero, int64_t list_size);
  bool (*is_finite)(const void *panels, int64_t count);  // of B; |count| elements
  void (*multiply)(const sli_gemm_block_t *block);
} sli_gemm_kernel_t;

// The kernel for |dtype| on this machine; NULL if the type has none.
const sli_gemm_kernel_t *sli_gemm_kernel(sli_dtype_t dtype);

#endif  // SLI_MATH_GEMM_INTERNAL_H_
