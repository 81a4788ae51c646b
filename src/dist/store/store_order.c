#include "dist/store/store_order.h"

#include <stdlib.h>

#include "base/alloc.h"

sli_status_t *sli_store_order_initialize(sli_store_order_t *order, const sli_store_exchange_t *exchange) {
  size_t count = exchange->count;
  bool is_few = count <= SLI_STORE_ORDER_FEW;
  memset(order->starts, 0, sizeof(order->starts));
  order->keys = is_few ? order->few_keys : sli_malloc_or_null(count * sizeof(*order->keys));
  order->offsets = !exchange->lengths ? NULL
                   : is_few           ? order->few_offsets
                                      : sli_malloc_or_null(count * sizeof(*order->offsets));
  if (!order->keys || (exchange->lengths && !order->offsets)) {
    sli_store_order_deinitialize(order);
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory for %zu keys.", count);
  }
  size_t next[SLI_STORE_SHARDS] = {0};
  for (size_t i = 0; i < count; i++) next[sli_store_shard(sli_store_hash(sli_store_exchange_key(exchange, i)))]++;
  for (size_t i = 0; i < SLI_STORE_SHARDS; i++) {
    order->starts[i + 1] = order->starts[i] + next[i];
    next[i] = order->starts[i];
  }
  uint64_t offset = 0;
  for (size_t i = 0; i < count; i++) {
    order->keys[next[sli_store_shard(sli_store_hash(sli_store_exchange_key(exchange, i)))]++] = (uint32_t)i;
    if (!order->offsets) continue;
    order->offsets[i] = offset;
    offset += sli_store_exchange_length(exchange, i);
  }
  return NULL;
}

void sli_store_order_deinitialize(sli_store_order_t *order) {
  if (order->keys != order->few_keys) free(order->keys);
  if (order->offsets != order->few_offsets) free(order->offsets);
}
