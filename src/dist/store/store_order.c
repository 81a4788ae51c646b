#include "dist/store/store_order.h"

#include <stdlib.h>

#include "base/alloc.h"

// Whether the keys rise, and so few neighbours are of different parts that locking each time costs little.
static bool is_in_order(const sli_store_exchange_t *exchange) {
  if (exchange->count <= SLI_STORE_ORDER_FEW) return true;
  size_t changes = 0;
  uint64_t last = sli_store_exchange_key(exchange, 0);
  bool rises = true;
  for (size_t i = 1; i < exchange->count; i++) {
    uint64_t key = sli_store_exchange_key(exchange, i);
    rises &= key > last;
    changes += key >> 8 != last >> 8;
    last = key;
  }
  return rises && changes <= exchange->count / 8;
}

static bool sort_by_part(sli_store_order_t *order, const sli_store_exchange_t *exchange) {
  size_t count = exchange->count, next[SLI_STORE_PARTS] = {0};
  uint8_t *parts = sli_malloc_or_null(count);
  order->keys = sli_malloc_or_null(count * sizeof(*order->keys));
  if (!parts || !order->keys) {
    free(parts);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    parts[i] = (uint8_t)sli_store_part(sli_store_exchange_key(exchange, i));
    next[parts[i]]++;
  }
  order->starts[0] = 0;
  for (size_t i = 0; i < SLI_STORE_PARTS; i++) {
    order->starts[i + 1] = order->starts[i] + next[i];
    next[i] = order->starts[i];
  }
  for (size_t i = 0; i < count; i++) order->keys[next[parts[i]]++] = (uint32_t)i;
  free(parts);
  return true;
}

static bool sum_lengths(sli_store_order_t *order, const sli_store_exchange_t *exchange) {
  size_t count = exchange->count;
  order->offsets =
      count <= SLI_STORE_ORDER_FEW ? order->few_offsets : sli_malloc_or_null(count * sizeof(*order->offsets));
  uint64_t offset = 0;
  for (size_t i = 0; i < count && order->offsets; i++) {
    order->offsets[i] = offset;
    offset += sli_store_exchange_length(exchange, i);
  }
  return order->offsets != NULL;
}

sli_status_t *sli_store_order_initialize(sli_store_order_t *order, const sli_store_exchange_t *exchange) {
  order->keys = NULL;
  order->offsets = NULL;
  if (exchange->count <= UINT32_MAX && (is_in_order(exchange) || sort_by_part(order, exchange)) &&
      (!exchange->lengths || sum_lengths(order, exchange)))
    return NULL;
  sli_store_order_deinitialize(order);
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory for %zu keys.", exchange->count);
}

void sli_store_order_deinitialize(sli_store_order_t *order) {
  free(order->keys);
  if (order->offsets != order->few_offsets) free(order->offsets);
}

typedef struct {
  const sli_store_order_t *order;
  const sli_store_exchange_t *exchange;
  sli_store_run_fn_t body;
  void *context;
} runs_t;

static void run_parts(void *context, int64_t begin, int64_t end) {
  const runs_t *runs = context;
  const size_t *starts = runs->order->starts;
  for (size_t i = (size_t)begin; i < (size_t)end; i++)
    if (starts[i] < starts[i + 1])
      runs->body(
          runs->context,
          &(sli_store_run_t){.part = i, .indices = &runs->order->keys[starts[i]], .count = starts[i + 1] - starts[i]});
}

static void run_range(void *context, int64_t begin, int64_t end) {
  const runs_t *runs = context;
  for (size_t first = (size_t)begin, next; first < (size_t)end; first = next) {
    uint64_t block = sli_store_exchange_key(runs->exchange, first) >> 8;
    for (next = first + 1; next < (size_t)end && sli_store_exchange_key(runs->exchange, next) >> 8 == block;) next++;
    runs->body(runs->context,
               &(sli_store_run_t){.part = sli_store_part(block << 8), .first = first, .count = next - first});
  }
}

void sli_store_order_run(const sli_store_order_t *order, const sli_store_exchange_t *exchange, sli_thread_pool_t *pool,
                         double nanos, sli_store_run_fn_t body, void *context) {
  runs_t runs = {order, exchange, body, context};
  if (exchange->count <= SLI_STORE_ORDER_FEW)
    run_range(&runs, 0, (int64_t)exchange->count);
  else if (order->keys)
    sli_parallel_for(pool, SLI_STORE_PARTS, nanos * (double)exchange->count / SLI_STORE_PARTS, run_parts, &runs);
  else
    sli_parallel_for(pool, (int64_t)exchange->count, nanos, run_range, &runs);
}
