// Memory for received messages. Touching a page for the first time halves the speed
// of a transfer, so blocks are kept for later messages: large ones in a few size
// classes with a limit on their sum, huge ones with their pages marked as free
// (MADV_FREE), so that the system can reclaim them at any time.
#include "rpc/message.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/sync.h"

#define ALIGNMENT 64
// Below this size malloc's own caches are as good.
#define SMALLEST_CACHED ((size_t)64 << 10)
#define CACHE_LIMIT ((size_t)192 << 20)
// Two classes per power of two; blocks larger than the last class are huge.
#define CLASS_COUNT 21
#define PAGE_SIZE ((size_t)2 << 20)  // the huge pages that huge blocks ask for
#define HUGE_CACHE_FRACTION 8        // of the machine's memory

enum { UNCACHED = -1, HUGE = -2 };

// Header of a block; the bytes start ALIGNMENT after it.
typedef struct block {
  struct block *next;
  size_t capacity;  // without the header
  int class;        // or UNCACHED, or HUGE
} block_t;
_Static_assert(sizeof(block_t) <= ALIGNMENT, "the block's header must fit before its bytes");

static struct {
  sli_mutex_t mutex;
  // Under mutex:
  block_t *free[CLASS_COUNT];
  size_t size;
  block_t *huge;  // latest first
} cache = {.mutex = SLI_MUTEX_INITIALIZER};

static size_t class_capacity(int class) {
  size_t base = SMALLEST_CACHED << (class / 2);
  return class % 2 ? base + base / 2 : base;
}

// The smallest class that holds |size|.
static int class_of(size_t size) {
  if (size < SMALLEST_CACHED) return UNCACHED;
  for (int class = 0; class < CLASS_COUNT; class ++)
    if (class_capacity(class) >= size) return class;
  return HUGE;
}

// ---- Huge blocks -----------------------------------------------------------------

static void unmap_all(block_t *block) {
  while (block) {
    block_t *next = block->next;
    munmap(block, ALIGNMENT + block->capacity);
    block = next;
  }
}

static block_t *take_all_huge(void) {
  sli_mutex_lock(&cache.mutex);
  block_t *all = cache.huge;
  cache.huge = NULL;
  sli_mutex_unlock(&cache.mutex);
  return all;
}

// The smallest kept block for |size| bytes, or NULL; a block that is far too large is not used.
static block_t *huge_from_cache(size_t size) {
  block_t **found = NULL;
  sli_mutex_lock(&cache.mutex);
  for (block_t **next = &cache.huge; *next; next = &(*next)->next)
    if ((*next)->capacity >= size && (*next)->capacity / 2 <= size &&
        (!found || (*next)->capacity < (*found)->capacity))
      found = next;
  block_t *block = found ? *found : NULL;
  if (block) *found = block->next;
  sli_mutex_unlock(&cache.mutex);
  return block;
}

static block_t *map_huge(size_t size) {
  if (size > SIZE_MAX - ALIGNMENT - PAGE_SIZE) return NULL;
  size_t whole = (ALIGNMENT + size + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
  block_t *block = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return NULL;
  madvise(block, whole, MADV_HUGEPAGE);
  block->capacity = whole - ALIGNMENT;
  block->class = HUGE;
  return block;
}

static block_t *allocate_huge(size_t size) {
  block_t *block = huge_from_cache(size);
  if (!block) block = map_huge(size);
  if (block) return block;
  unmap_all(take_all_huge());
  return map_huge(size);
}

// Lets the system reclaim the pages of |block|, except the first. Returns false if it cannot.
static bool offer_pages(block_t *block) {
  uintptr_t first = ((uintptr_t)block / PAGE_SIZE + 1) * PAGE_SIZE;
  uintptr_t end = ((uintptr_t)block + ALIGNMENT + block->capacity) / PAGE_SIZE * PAGE_SIZE;
  return madvise((void *)first, end - first, MADV_FREE) == 0;
}

// Keeps the block, and frees the blocks that exceed the limit, the oldest first.
static void release_huge(block_t *block) {
  size_t limit = (size_t)sysconf(_SC_PHYS_PAGES) / HUGE_CACHE_FRACTION * (size_t)sysconf(_SC_PAGESIZE);
  if (block->capacity > limit || !offer_pages(block)) {
    block->next = NULL;
    unmap_all(block);
    return;
  }
  sli_mutex_lock(&cache.mutex);
  block->next = cache.huge;
  cache.huge = block;
  size_t kept = 0;
  block_t **next = &cache.huge;
  for (; *next && kept + (*next)->capacity <= limit; next = &(*next)->next) kept += (*next)->capacity;
  block_t *dropped = *next;
  *next = NULL;
  sli_mutex_unlock(&cache.mutex);
  unmap_all(dropped);
}

// ---- Large blocks ----------------------------------------------------------------

static void block_release(void *context) {
  block_t *block = context;
  if (block->class == HUGE) {
    release_huge(block);
    return;
  }
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
  block_t *block = class == HUGE ? allocate_huge(size) : class >= 0 ? block_from_cache(class) : NULL;
  if (!block && class != HUGE) {
    size_t capacity = class >= 0 ? class_capacity(class) : size;
    block = aligned_alloc(ALIGNMENT, (capacity + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (block) *block = (block_t){.capacity = capacity, .class = class};
  }
  if (!block) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "no memory for a message of %zu bytes", size);
  *out_message = (sli_rpc_message_t){(char *)block + ALIGNMENT, size, block_release, block};
  return NULL;
}

void sli_rpc_message_release(sli_rpc_message_t *message) {
  if (message->release) message->release(message->context);
  *message = (sli_rpc_message_t){0};
}

void sli_rpc_message_trim(void) {
  unmap_all(take_all_huge());
  block_t *kept[CLASS_COUNT];
  sli_mutex_lock(&cache.mutex);
  memcpy(kept, cache.free, sizeof(kept));
  memset(cache.free, 0, sizeof(cache.free));
  cache.size = 0;
  sli_mutex_unlock(&cache.mutex);
  for (int class = 0; class < CLASS_COUNT; class ++)
    for (block_t *block = kept[class]; block;) {
      block_t *next = block->next;
      free(block);
      block = next;
    }
}
