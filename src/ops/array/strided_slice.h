// Slices as Python's subscripts describe them, for the ops that write into one.
#ifndef SLI_OPS_ARRAY_STRIDED_SLICE_H_
#define SLI_OPS_ARRAY_STRIDED_SLICE_H_

#include "core/kernel.h"

// Writes input 4, broadcast, into the slice of |target| that inputs 1 to 3 (begin, end, strides) and the node's masks
// describe. An empty slice takes anything. INVALID_ARGUMENT "Cannot broadcast input shape [3] into final shape [2]".
sli_status_t *sli_strided_assign(sli_kernel_context_t *context, sli_tensor_t *target);

// The attributes that such ops have behind T and Index.
#define SLI_STRIDED_MASKS \
  "begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0"

#endif  // SLI_OPS_ARRAY_STRIDED_SLICE_H_
