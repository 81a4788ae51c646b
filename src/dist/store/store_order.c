#include "dist/store/store_order.h"

#include <stdlib.h>

#include "base/alloc.h"

sli_status_t *sli_store_order_initialize(sli_store_order_t *order, const sli_store_exchange_t *exchange) {
  size_t count = exchange->count;
  order->offsets = NULL;
  SLI_RETURN_IF_ERROR(sli_embedding_order_initialize(&order->base, exchange->keys, count));
  if (!exchange->lengths) return NULL;
  order->offsets =
      count <= SLI_EMBEDDING_ORDER_FEW ? order->few_offsets : sli_malloc_or_null(count * sizeof(*order->offsets));
  if (!order->offsets) {
    sli_embedding_order_deinitialize(&order->base);
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory for %zu keys.", count);
  }
  uint64_t offset = 0;
  for (size_t i = 0; i < count; i++) {
    order->offsets[i] = offset;
    offset += sli_store_exchange_length(exchange, i);
  }
  return NULL;
}

void sli_store_order_deinitialize(sli_store_order_t *order) {
  sli_embedding_order_deinitialize(&order->base);
  if (order->offsets != order->few_offsets) free(order->offsets);
}
