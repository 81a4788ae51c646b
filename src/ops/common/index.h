// Checks of index inputs, and the errors that name the index at fault.
#ifndef SLI_OPS_COMMON_INDEX_H_
#define SLI_OPS_COMMON_INDEX_H_

#include "core/tensor/tensor.h"

// INVALID_ARGUMENT "indices[3] = 7 is not in [0, 5)" for the first element of |indices| that is not in [0, limit).
// |name| is that of the input.
sli_status_t *sli_index_check(const char *name, const sli_tensor_t *indices, int64_t limit);
// The last dim of |indices| holds vectors that index into |shape|. INVALID_ARGUMENT "indices[0] = [2, 9] does not index
// into param shape [3,4]" for the first that does not; |what| is "param shape" there.
sli_status_t *sli_index_check_vectors(const sli_tensor_t *indices, const char *what, sli_shape_t shape);

#endif  // SLI_OPS_COMMON_INDEX_H_
