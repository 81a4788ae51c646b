// Slices as in Python's subscripts, for ops that write into one.
#ifndef SLI_OPS_ARRAY_STRIDED_SLICE_H_
#define SLI_OPS_ARRAY_STRIDED_SLICE_H_

#include "core/op/kernel.h"

// Writes input 4, broadcast, into the slice of |target| that inputs 1 to 3 (begin, end, strides) and the node's masks
// describe. If the slice is empty, any input is accepted. INVALID_ARGUMENT "Cannot broadcast input shape [3] into final
// shape [2]".
sli_status_t *sli_strided_slice_assign(sli_kernel_context_t *context, sli_tensor_t *target);

// The attributes of such ops after T and Index.
#define SLI_STRIDED_SLICE_MASKS \
  "begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0"

#endif  // SLI_OPS_ARRAY_STRIDED_SLICE_H_
