// In which order the keys of an exchange are looked up, and where the values of each begin. A table is cut into parts
// with a lock each. If the keys rise and neighbours are mostly of one part, they are taken as they come, by several
// threads; else part after part, where the keys of one part keep their order. Thread-compatible.
#ifndef SLI_DIST_STORE_STORE_ORDER_H_
#define SLI_DIST_STORE_STORE_ORDER_H_

#include "base/thread_pool.h"
#include "dist/store/store_message.h"
#include "ops/embedding/embedding_order.h"

enum { SLI_STORE_PARTS = SLI_EMBEDDING_SHARDS, SLI_STORE_ORDER_FEW = SLI_EMBEDDING_ORDER_FEW };

// The part of a key: that of its 256 neighbours.
static inline size_t sli_store_part(uint64_t key) {
  return (size_t)(sli_embedding_hash(key >> 8) >> (64 - SLI_EMBEDDING_SHARD_BITS));
}

typedef struct {
  uint32_t *keys;                      // indices of keys by part; NULL: all keys as they come
  size_t starts[SLI_STORE_PARTS + 1];  // where those of each part begin in |keys|
  uint64_t *offsets;  // of the values of each key, by its index, in elements; NULL: all are equally long
  uint64_t few_offsets[SLI_STORE_ORDER_FEW];
} sli_store_order_t;

// RESOURCE_EXHAUSTED without memory.
sli_status_t *sli_store_order_initialize(sli_store_order_t *order, const sli_store_exchange_t *exchange);
void sli_store_order_deinitialize(sli_store_order_t *order);

// Where the values of key |index| begin, in elements.
static inline uint64_t sli_store_order_offset(const sli_store_order_t *order, const sli_store_exchange_t *exchange,
                                              size_t index) {
  return order->offsets ? order->offsets[index] : (uint64_t)index * exchange->length;
}

// Keys of one part: those with the indices |indices|[0] to [count - 1], or |first| to |first| + |count| - 1.
typedef struct {
  size_t part;
  const uint32_t *indices;
  size_t first, count;
} sli_store_run_t;
static inline size_t sli_store_run_index(const sli_store_run_t *run, size_t at) {
  return run->indices ? run->indices[at] : run->first + at;
}
// Calls |body| for runs that have all keys, on several threads if there are many keys. Keys that are equal come in
// their order. |nanos|: the cost of a key.
typedef void (*sli_store_run_fn_t)(void *context, const sli_store_run_t *run);
void sli_store_order_run(const sli_store_order_t *order, const sli_store_exchange_t *exchange, sli_thread_pool_t *pool,
                         double nanos, sli_store_run_fn_t body, void *context);

#endif  // SLI_DIST_STORE_STORE_ORDER_H_
