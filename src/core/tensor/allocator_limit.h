// How much memory the tensors of this process may take. Without a limit of its own, as much as the machine has, or the
// control group that it is in. Thread-safe.
#ifndef SLI_CORE_TENSOR_ALLOCATOR_LIMIT_H_
#define SLI_CORE_TENSOR_ALLOCATOR_LIMIT_H_

#include <stddef.h>

// From now on allocations beyond |bytes| fail, also if the machine has more. It can only become less.
void sli_allocator_limit_set(size_t bytes);
// What was set; 0 if nothing was.
size_t sli_allocator_limit_get(void);

#endif  // SLI_CORE_TENSOR_ALLOCATOR_LIMIT_H_
