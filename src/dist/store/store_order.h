// The keys of an exchange in the order of the parts of a table (ops/embedding/embedding_order.h), and where the values
// of each begin. Thread-compatible.
#ifndef SLI_DIST_STORE_STORE_ORDER_H_
#define SLI_DIST_STORE_STORE_ORDER_H_

#include "dist/store/store_message.h"
#include "ops/embedding/embedding_order.h"

typedef struct {
  sli_embedding_order_t base;
  uint64_t *offsets;  // of the values of each key, by its index, in elements; NULL: all are equally long
  uint64_t few_offsets[SLI_EMBEDDING_ORDER_FEW];
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
