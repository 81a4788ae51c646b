// Memory for received messages. A page touched for the first time halves the
// speed of a transfer, so large blocks are kept warm between messages: a few
// size classes, a bound on the whole.
#include "rpc/message.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sync.h"

#define ALIGNMENT 64
// Below this malloc's own caches do as well.
#define SMALLEST_CACHED ((size_t)64 << 10)
#define CACHE_LIMIT ((size_t)192 << 20)
// Two classes to the doubling.
#define CLASS_COUNT 24

// Stands before the bytes, which start ALIGNMENT behind it.
typedef struct block {
  struct block *next;
  size_t capacity;
  int class;
} block_t;
_Static_assert(sizeof(block_t) <= ALIGNMENT, "the block's head must fit before its bytes");

static struct {
  sli_mutex_t mutex;
  // Under mutex:
  block_t *free[CLASS_COUNT];
  size_t size;
} cache = {.mutex = SLI_MUTEX_INITIALIZER};

static size_t class_capacity(int class) {
  size_t base = SMALLEST_CACHED << (class / 2);
  return class % 2 ? base + base / 2 : base;
}

// The smallest class that holds |size|, or -1.
static int class_of(size_t size) {
  if (size < SMALLEST_CACHED) return -1;
  for (int class = 0; class < CLASS_COUNT; class ++)
    if (class_capacity(class) >= size) return class;
  return -1;
}

static void block_release(void *context) {
  block_t *block = context;
  if (block->class >= 0) {
    sli_mutex_lock(&cache.mutex);
    if (cache.size + block->capacity <= CACHE_LIMIT) {
      cache.size += block->capacity;
      block->next = cache.free[block->class];
      cache.free[block->class] = block;
      block = NULL;
    }
    sli_mutex_unlock(&cache.mutex);
  }
  free(block);
}

static block_t *block_from_cache(int class) {
  sli_mutex_lock(&cache.mutex);
  block_t *block = cache.free[class];
  if (block) {
    cache.free[class] = block->next;
    cache.size -= block->capacity;
  }
  sli_mutex_unlock(&cache.mutex);
  return block;
}

sli_status_t *sli_rpc_message_allocate(size_t size, sli_rpc_message_t *out_message) {
  *out_message = (sli_rpc_message_t){0};
  int class = class_of(size);
  block_t *block = class >= 0 ? block_from_cache(class) : NULL;
  if (!block) {
    size_t capacity = class >= 0 ? class_capacity(class) : size;
    size_t whole = (capacity + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block = whole > size ? aligned_alloc(ALIGNMENT, whole) : NULL;
    if (!block) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "no memory for a message of %zu bytes", size);
    block->capacity = capacity;
    block->class = class;
  }
  *out_message = (sli_rpc_message_t){(char *)block + ALIGNMENT, size, block_release, block};
  return NULL;
}

void sli_rpc_message_release(sli_rpc_message_t *message) {
  if (message->release) message->release(message->context);
  *message = (sli_rpc_message_t){0};
}
