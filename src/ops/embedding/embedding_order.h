// Keys in the order of the parts that a table is cut into, so that each part is locked once for all of its keys. Keys
// of one part keep their order. Thread-compatible.
#ifndef SLI_OPS_EMBEDDING_EMBEDDING_ORDER_H_
#define SLI_OPS_EMBEDDING_EMBEDDING_ORDER_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

enum {
  SLI_EMBEDDING_SHARD_BITS = 6,
  SLI_EMBEDDING_SHARDS = 1 << SLI_EMBEDDING_SHARD_BITS,
  SLI_EMBEDDING_ORDER_FEW = 16
};

// Neighbouring keys have hashes that are far apart.
static inline uint64_t sli_embedding_hash(uint64_t key) {
  key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  key = (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
  return key ^ key >> 31;
}
// Which of |count| tasks has a key.
static inline size_t sli_embedding_task(uint64_t key, size_t count) {
  return (size_t)((unsigned __int128)sli_embedding_hash(key) * count >> 64);
}
// The part of a key within its task: bits of the hash that neither the task nor the index of a part depends on.
static inline size_t sli_embedding_shard(uint64_t hash) { return (size_t)(hash >> 32) & (SLI_EMBEDDING_SHARDS - 1); }
// Key |index| of |keys|, which need not be aligned.
static inline uint64_t sli_embedding_key(const char *keys, size_t index) {
  uint64_t key;
  memcpy(&key, keys + index * sizeof(key), sizeof(key));
  return key;
}

typedef struct {
  size_t starts[SLI_EMBEDDING_SHARDS + 1];  // where the keys of each part begin in |keys|
  uint32_t *keys;                           // indices of keys
  uint32_t few_keys[SLI_EMBEDDING_ORDER_FEW];
} sli_embedding_order_t;

// RESOURCE_EXHAUSTED without memory.
sli_status_t *sli_embedding_order_initialize(sli_embedding_order_t *order, const char *keys, size_t count);
void sli_embedding_order_deinitialize(sli_embedding_order_t *order);

#endif  // SLI_OPS_EMBEDDING_EMBEDDING_ORDER_H_
