// Memory of this task that clients on the same host fill with the keys and values of an exchange, instead of sending
// them. A client reserves it, writes to it in place and names it in the exchange. Thread-safe. Nothing blocks.
#ifndef SLI_DIST_STORE_STORE_SPACE_H_
#define SLI_DIST_STORE_STORE_SPACE_H_

#include "base/map.h"
#include "base/sync.h"
#include "core/step/env.h"
#include "core/tensor/tensor.h"

typedef struct {
  sli_env_t *env;
  sli_mutex_t mutex;
  // Under mutex.
  sli_map_t reserved;  // by the bytes of their number
  uint64_t bytes;
} sli_store_spaces_t;

void sli_store_spaces_initialize(sli_store_spaces_t *spaces, sli_env_t *env);
void sli_store_spaces_deinitialize(sli_store_spaces_t *spaces);

// Reserves |size| bytes of shared memory. The caller releases |*out_memory|, which is NULL if too much is reserved, or
// there is no such memory. What no exchange has named after a minute, and no client writes to, makes room for others.
void sli_store_spaces_reserve(sli_store_spaces_t *spaces, uint64_t size, uint64_t *out_number,
                              sli_tensor_t **out_memory);
// The memory of |number|, which is reserved no longer: the caller releases it. NULL: there is none.
sli_tensor_t *sli_store_spaces_take(sli_store_spaces_t *spaces, uint64_t number);

#endif  // SLI_DIST_STORE_STORE_SPACE_H_
