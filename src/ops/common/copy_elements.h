// Copies elements of any type without knowing what they mean. Plain types are bytes; strings are copied, objects
// retained. Ops that only move data are written once for all types with these functions.
#ifndef SLI_OPS_COMMON_COPY_ELEMENTS_H_
#define SLI_OPS_COMMON_COPY_ELEMENTS_H_

#include "base/thread_pool.h"
#include "core/tensor/tensor.h"

// Copies |count| elements. The elements of |to| must be valid and are replaced. The ranges must not overlap.
void sli_elements_copy(sli_dtype_t dtype, void *to, const void *from, int64_t count);
// Sets |count| elements to |*value|.
void sli_elements_fill(sli_dtype_t dtype, void *to, const void *value, int64_t count);
// Sets |count| elements to zero (empty strings, NULL objects).
void sli_elements_clear(sli_dtype_t dtype, void *to, int64_t count);

// to[i · to_strides] = from[i · from_strides] for every index i below |dims|. Strides are counted in elements; a stride
// of |from| may be 0 or negative. No element of |to| is written twice. Runs on |pool| (NULL: on the caller's thread) if
// there is much to copy.
void sli_elements_strided_copy(sli_thread_pool_t *pool, sli_dtype_t dtype, int rank, const int64_t *dims, void *to,
                               const int64_t *to_strides, const void *from, const int64_t *from_strides);

// A tensor like |tensor| in which every number is zero; of variants, elements of the same kind.
sli_status_t *sli_elements_zeros_like(const sli_tensor_t *tensor, sli_tensor_t **out_zeros);
// |a| + |b|. INVALID_ARGUMENT if their shapes differ or they cannot be added.
sli_status_t *sli_elements_sum(const sli_tensor_t *a, const sli_tensor_t *b, sli_tensor_t **out_sum);

#endif  // SLI_OPS_COMMON_COPY_ELEMENTS_H_
