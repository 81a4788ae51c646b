// The keys of an exchange in the order of the parts that a table is cut into, so that each part is locked once for all
// of its keys. Keys of one part keep their order. Thread-compatible.
#ifndef SLI_DIST_STORE_STORE_ORDER_H_
#define SLI_DIST_STORE_STORE_ORDER_H_

#include "dist/store/store_message.h"

enum { SLI_STORE_SHARD_BITS = 6, SLI_STORE_SHARDS = 1 << SLI_STORE_SHARD_BITS, SLI_STORE_ORDER_FEW = 16 };

// Neighbouring keys have hashes that are far apart.
static inline uint64_t sli_store_hash(uint64_t key) {
  key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  key = (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
  return key ^ key >> 31;
}
// The part of a key, by the highest bits of its hash. The index of a part uses the lowest ones.
static inline size_t sli_store_shard(uint64_t hash) { return (size_t)(hash >> (64 - SLI_STORE_SHARD_BITS)); }

typedef struct {
  size_t starts[SLI_STORE_SHARDS + 1];  // where the keys of each part begin in |keys|
  uint32_t *keys;                       // indices of keys
  uint64_t *offsets;  // of the values of each key, by its index, in elements; NULL: all are equally long
  uint32_t few_keys[SLI_STORE_ORDER_FEW];
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

#endif  // SLI_DIST_STORE_STORE_ORDER_H_
