#include "ops/embedding/embedding_order.h"

#include <stdlib.h>

#include "base/alloc.h"

sli_status_t *sli_embedding_order_initialize(sli_embedding_order_t *order, const char *keys, size_t count) {
  memset(order->starts, 0, sizeof(order->starts));
  order->keys = count <= SLI_EMBEDDING_ORDER_FEW ? order->few_keys : sli_malloc_or_null(count * sizeof(*order->keys));
  if (!order->keys || count > UINT32_MAX) {
    sli_embedding_order_deinitialize(order);
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory for %zu keys.", count);
  }
  uint8_t few_shards[SLI_EMBEDDING_ORDER_FEW];
  uint8_t *shards = count <= SLI_EMBEDDING_ORDER_FEW ? few_shards : sli_malloc(count);
  size_t next[SLI_EMBEDDING_SHARDS] = {0};
  for (size_t i = 0; i < count; i++) {
    shards[i] = (uint8_t)sli_embedding_shard(sli_embedding_hash(sli_embedding_key(keys, i)));
    next[shards[i]]++;
  }
  for (size_t i = 0; i < SLI_EMBEDDING_SHARDS; i++) {
    order->starts[i + 1] = order->starts[i] + next[i];
    next[i] = order->starts[i];
  }
  for (size_t i = 0; i < count; i++) order->keys[next[shards[i]]++] = (uint32_t)i;
  if (shards != few_shards) free(shards);
  return NULL;
}

void sli_embedding_order_deinitialize(sli_embedding_order_t *order) {
  if (order->keys != order->few_keys) free(order->keys);
}
