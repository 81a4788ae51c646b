// The CPU's memory. Two caches, by size:
//
// Small blocks (up to 64 KB): every thread has a free list per size class, which needs
// no lock and no atomic operation. If a thread has too many blocks of a class, it moves
// a batch to a central list, from which other threads refill theirs. This handles
// tensors that one thread allocates and another frees.
//
// Large blocks: mapped pages. Freed blocks are kept in a bounded cache, because code
// that writes to new pages is half as fast; the block that was unused longest is
// dropped first. The system may take the pages of cached huge blocks, so that the
// cache does not take memory from other processes. In a task of a cluster all but huge
// blocks are in memory that peers on the same host can read (base/lend.h). A block
// that is lent when it is freed goes to the cache after it was returned.
//
// Under AddressSanitizer nothing is cached, so that it finds every use after free.
#include "core/tensor/allocator.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/lend.h"
#include "base/sync.h"
#include "core/tensor/allocator_limit.h"

#if defined(__SANITIZE_ADDRESS__)
enum { CACHING = 0 };
#else
enum { CACHING = 1 };
#endif

enum {
  FINE_STEP = 64,     // classes of equal steps …
  FINE_LIMIT = 1024,  // … up to here
  FINE_CLASSES = FINE_LIMIT / FINE_STEP,
  SMALL_LIMIT = 64 * 1024,  // then four to a power of two
  SMALL_CLASSES = FINE_CLASSES + 4 * 6,
  THREAD_CLASS_BYTES = 128 * 1024,    // that a thread keeps of one class, but at least two blocks …
  THREAD_CLASS_COUNT = 128,           // … and at most this many blocks
  CENTRAL_CLASS_BYTES = 1024 * 1024,  // in the central list of a class
  HUGE_BYTES = 4 << 20,               // blocks from this size on request huge pages
  LARGE_CLASSES = 8 * 48,             // eight to a power of two
  PAGE_BYTES = 2 << 20,               // of a huge page
};
// The system may take the pages of cached blocks above this size.
static const size_t offered_bytes = (size_t)64 << 20;
// Limits of the cache of large blocks: this for blocks that keep their pages, and for each kind a part of the
// machine's memory.
static const size_t large_cache_bytes = (size_t)256 << 20;
enum { LARGE_CACHE_FRACTION = 8 };

typedef struct free_block {
  struct free_block *next;
} free_block_t;

// The counts are atomic because sli_allocator_cpu_stats() reads them on any thread. They
// have one writer at a time, which uses plain loads and stores.
typedef struct {
  free_block_t *first;
  _Atomic uint32_t count;
  uint32_t capacity;  // of a thread's list; half of it moves at once
} free_list_t;

// The cache of one thread, used by that thread only.
typedef struct thread_cache {
  free_list_t lists[SMALL_CLASSES];
  _Atomic int64_t allocations;
  struct thread_cache *next, *previous;  // under |threads_mutex|
} thread_cache_t;

static struct {
  sli_mutex_t mutex;
  free_list_t list;  // under |mutex|
} central[SMALL_CLASSES] = {[0 ... SMALL_CLASSES - 1] = {.mutex = SLI_MUTEX_INITIALIZER}};

static sli_mutex_t threads_mutex = SLI_MUTEX_INITIALIZER;
static thread_cache_t *threads;  // under |threads_mutex|

// One pointer in static thread-local storage, so that the fast path calls no function for it.
static _Thread_local thread_cache_t *thread_cache __attribute__((tls_model("initial-exec")));
static _Thread_local bool thread_has_ended;

// Bytes of all small blocks, cached or not, and of large blocks in use. So the fast path counts only its calls.
static _Atomic int64_t bytes_taken, peak_bytes_taken;
static _Atomic int64_t other_allocations;  // except those counted by threads that still run

// Set once by initialize().
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;
static size_t large_cache_limits[2];  // by kind
static void initialize(void);
// initialize() sets the first; see allocator_limit.h.
static _Atomic size_t memory_limit, own_limit;
// Whether |size| more bytes fit into memory.
static bool is_affordable(size_t size);

// ---- Sizes -------------------------------------------------------------------

static inline int log2_floor(size_t value) { return 63 - __builtin_clzll(value); }

// 1 << |bits| classes to every power of two, numbered from 1 for the first sizes above 1 << |first|.
static inline int geometric_class(size_t size, int first, int bits) {
  int power = log2_floor(size - 1);
  return ((power - first) << bits) + (int)((size - 1) >> (power - bits) & ((1u << bits) - 1)) + 1;
}
static inline size_t geometric_size(int index, int first, int bits) {
  index -= 1;
  int power = first + (index >> bits);
  return ((size_t)1 << power) + ((size_t)(index & ((1 << bits) - 1)) + 1) * ((size_t)1 << (power - bits));
}

static inline int small_class(size_t size) {
  if (size <= FINE_LIMIT) return (int)((size - 1) / FINE_STEP);
  return FINE_CLASSES - 1 + geometric_class(size, 10, 2);
}
static inline size_t small_size(int index) {
  if (index < FINE_CLASSES) return (size_t)(index + 1) * FINE_STEP;
  return geometric_size(index - FINE_CLASSES + 1, 10, 2);
}

static inline int large_class(size_t size) { return geometric_class(size, 16, 3) - 1; }
static inline size_t large_size(int index) { return geometric_size(index + 1, 16, 3); }

// ---- Totals ------------------------------------------------------------------

static inline int64_t get(_Atomic int64_t *number) { return atomic_load_explicit(number, memory_order_relaxed); }
static inline void add(_Atomic int64_t *number, int64_t value) {
  atomic_fetch_add_explicit(number, value, memory_order_relaxed);
}

static void take_bytes(size_t size) {
  int64_t taken = atomic_fetch_add_explicit(&bytes_taken, (int64_t)size, memory_order_relaxed) + (int64_t)size;
  int64_t peak = get(&peak_bytes_taken);
  while (taken > peak && !atomic_compare_exchange_weak_explicit(&peak_bytes_taken, &peak, taken, memory_order_relaxed,
                                                                memory_order_relaxed)) {
  }
}

static void give_bytes(size_t size) { add(&bytes_taken, -(int64_t)size); }

// ---- Small blocks ------------------------------------------------------------

static inline uint32_t list_count(const free_list_t *list) {
  return atomic_load_explicit(&list->count, memory_order_relaxed);
}
static inline void *pop(free_list_t *list) {
  free_block_t *block = list->first;
  list->first = block->next;
  atomic_store_explicit(&list->count, list_count(list) - 1, memory_order_relaxed);
  return block;
}
static inline void push(free_list_t *list, void *data) {
  free_block_t *block = data;
  block->next = list->first;
  list->first = block;
  atomic_store_explicit(&list->count, list_count(list) + 1, memory_order_relaxed);
}

// Moves |count| blocks to the central list, or back to the system when that is full.
static void give_to_central(int index, free_list_t *list, uint32_t count) {
  size_t size = small_size(index), room = CENTRAL_CLASS_BYTES / size;
  free_list_t rest = {0};
  sli_mutex_lock(&central[index].mutex);
  free_list_t *shared = &central[index].list;
  for (; count && list->first; count--) push(list_count(shared) < room ? shared : &rest, pop(list));
  sli_mutex_unlock(&central[index].mutex);
  give_bytes(list_count(&rest) * size);
  while (rest.first) free(pop(&rest));
}

// Moves up to |count| blocks from the central list to |list|.
static void take_from_central(int index, free_list_t *list, uint32_t count) {
  sli_mutex_lock(&central[index].mutex);
  free_list_t *shared = &central[index].list;
  for (; count && shared->first; count--) push(list, pop(shared));
  sli_mutex_unlock(&central[index].mutex);
}

static void end_thread(void *value) {
  thread_cache_t *cache = value;
  thread_cache = NULL;
  thread_has_ended = true;
  for (int i = 0; i < SMALL_CLASSES; i++) give_to_central(i, &cache->lists[i], UINT32_MAX);
  add(&other_allocations, get(&cache->allocations));
  sli_mutex_lock(&threads_mutex);
  *(cache->previous ? &cache->previous->next : &threads) = cache->next;
  if (cache->next) cache->next->previous = cache->previous;
  sli_mutex_unlock(&threads_mutex);
  free(cache);
}

// NULL while the thread exits: destructors of other keys may still release tensors.
static thread_cache_t *start_thread(void) {
  if (thread_has_ended) return NULL;
  pthread_once(&once, initialize);
  thread_cache_t *cache = sli_calloc(1, sizeof(*cache));
  for (int i = 0; i < SMALL_CLASSES; i++) {
    size_t count = THREAD_CLASS_BYTES / small_size(i);
    cache->lists[i].capacity = count < THREAD_CLASS_COUNT ? (uint32_t)count : THREAD_CLASS_COUNT;
  }
  sli_mutex_lock(&threads_mutex);
  cache->next = threads;
  if (threads) threads->previous = cache;
  threads = cache;
  sli_mutex_unlock(&threads_mutex);
  pthread_setspecific(thread_key, cache);
  thread_cache = cache;
  return cache;
}

static inline void count_allocation(thread_cache_t *cache) {
  atomic_store_explicit(&cache->allocations, get(&cache->allocations) + 1, memory_order_relaxed);
}

static __attribute__((noinline)) void *allocate_small_slow(int index) {
  thread_cache_t *cache = thread_cache ? thread_cache : start_thread();
  free_list_t single = {.capacity = 2}, *list = cache ? &cache->lists[index] : &single;
  take_from_central(index, list, list->capacity / 2);
  if (cache) {
    count_allocation(cache);
  } else {
    add(&other_allocations, 1);
  }
  if (list->first) return pop(list);
  if (!is_affordable(small_size(index))) return NULL;
  void *data = aligned_alloc(SLI_ALIGNMENT, small_size(index));
  if (data) take_bytes(small_size(index));
  return data;
}

static inline void *allocate_small(size_t size) {
  int index = small_class(size);
  thread_cache_t *cache = thread_cache;
  if (__builtin_expect(!cache || !cache->lists[index].first, 0)) return allocate_small_slow(index);
  count_allocation(cache);
  return pop(&cache->lists[index]);
}

static __attribute__((noinline)) void release_small_slow(int index, void *data) {
  thread_cache_t *cache = thread_cache ? thread_cache : start_thread();
  free_list_t single = {.capacity = 2}, *list = cache ? &cache->lists[index] : &single;
  push(list, data);
  if (!cache || list_count(list) > list->capacity) give_to_central(index, list, list->capacity / 2);
}

static inline void release_small(void *data, size_t size) {
  int index = small_class(size);
  thread_cache_t *cache = thread_cache;
  if (__builtin_expect(!cache || list_count(&cache->lists[index]) >= cache->lists[index].capacity, 0)) {
    release_small_slow(index, data);
  } else {
    push(&cache->lists[index], data);
  }
}

// ---- Large blocks ------------------------------------------------------------

// Stored in the first bytes of a cached block.
typedef struct large_block {
  struct large_block *next, *previous;  // of its class
  struct large_block *newer, *older;    // of its kind
  int index;
} large_block_t;

typedef enum { KIND_WARM, KIND_OFFERED } kind_t;

static struct {
  sli_mutex_t mutex;
  // Under |mutex|:
  large_block_t *classes[LARGE_CLASSES];
  struct {
    large_block_t *newest, *oldest;
    size_t bytes;
  } kinds[2];
} large = {.mutex = SLI_MUTEX_INITIALIZER};

static kind_t kind_of(int index) { return large_size(index) > offered_bytes ? KIND_OFFERED : KIND_WARM; }

static void unlink_large_locked(large_block_t *block) {
  kind_t kind = kind_of(block->index);
  *(block->previous ? &block->previous->next : &large.classes[block->index]) = block->next;
  if (block->next) block->next->previous = block->previous;
  *(block->newer ? &block->newer->older : &large.kinds[kind].newest) = block->older;
  *(block->older ? &block->older->newer : &large.kinds[kind].oldest) = block->newer;
  large.kinds[kind].bytes -= large_size(block->index);
}

static void *map_pages(size_t size) {
  void *data = size < HUGE_BYTES ? sli_lend_allocate(size) : NULL;
  if (data) return data;
  data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return NULL;
  if (size >= HUGE_BYTES) madvise(data, size, MADV_HUGEPAGE);
  return data;
}

static void unmap_pages(void *data, size_t size) {
  if (sli_lend_owns(data))
    sli_lend_release(data);
  else
    munmap(data, size);
}

// Frees the blocks of a kind that were unused longest until the cache holds at most |bytes|.
static void trim_large(kind_t kind, size_t bytes) {
  for (;;) {
    sli_mutex_lock(&large.mutex);
    large_block_t *block = large.kinds[kind].bytes > bytes ? large.kinds[kind].oldest : NULL;
    if (block) unlink_large_locked(block);
    sli_mutex_unlock(&large.mutex);
    if (!block) return;
    unmap_pages(block, large_size(block->index));
  }
}

void sli_allocator_cpu_trim(void) {
  trim_large(KIND_WARM, 0);
  trim_large(KIND_OFFERED, 0);
  sli_lend_trim();
}

// Lets the system take the pages of a block, except the one with the block's links; false if the system cannot.
static bool offer_pages(void *data, size_t size) {
  uintptr_t first = ((uintptr_t)data / PAGE_BYTES + 1) * PAGE_BYTES;
  uintptr_t end = ((uintptr_t)data + size) / PAGE_BYTES * PAGE_BYTES;
  return madvise((void *)first, end - first, MADV_FREE) == 0;
}

// The system would map more than it has, and kill the process that uses it.
static bool is_affordable(size_t size) {
  pthread_once(&once, initialize);
  size_t limit = atomic_load_explicit(&memory_limit, memory_order_relaxed);
  return size <= limit && get(&bytes_taken) <= (int64_t)(limit - size);
}

void sli_allocator_limit_set(size_t bytes) {
  pthread_once(&once, initialize);
  size_t limit = atomic_load(&memory_limit);
  while (bytes < limit && !atomic_compare_exchange_weak(&memory_limit, &limit, bytes)) continue;
  if (bytes < limit) atomic_store(&own_limit, bytes);
}

size_t sli_allocator_limit_get(void) { return atomic_load_explicit(&own_limit, memory_order_relaxed); }

static void release_large(void *data, size_t size);

static __attribute__((noinline)) void *allocate_large(size_t size) {
  size_t returned_size;
  for (void *returned; (returned = sli_lend_take_returned(&returned_size));) release_large(returned, returned_size);
  if (!is_affordable(size)) return NULL;
  int index = large_class(size);
  size = large_size(index);
  sli_mutex_lock(&large.mutex);
  large_block_t *block = large.classes[index];
  if (block) unlink_large_locked(block);
  sli_mutex_unlock(&large.mutex);
  void *data = block;
  if (!data) data = map_pages(size);
  if (!data) {
    sli_allocator_cpu_trim();
    data = map_pages(size);
  }
  add(&other_allocations, 1);
  if (data) take_bytes(size);
  return data;
}

// Whether a block was allocated before the arena that would hold it now was created. Peers would get copies of it.
static bool is_outdated(const void *data, size_t size) {
  return size < HUGE_BYTES && atomic_load_explicit(&sli_lend_arena, memory_order_relaxed) && !sli_lend_owns(data);
}

static __attribute__((noinline)) void release_large(void *data, size_t size) {
  if (sli_lend_defer_release(data, size)) return;
  int index = large_class(size);
  size = large_size(index);
  give_bytes(size);
  kind_t kind = kind_of(index);
  if (size > large_cache_limits[kind] || is_outdated(data, size) ||
      (kind == KIND_OFFERED && !offer_pages(data, size))) {
    unmap_pages(data, size);
    return;
  }
  large_block_t *block = data;
  sli_mutex_lock(&large.mutex);
  *block = (large_block_t){.next = large.classes[index], .older = large.kinds[kind].newest, .index = index};
  if (block->next) block->next->previous = block;
  large.classes[index] = block;
  *(block->older ? &block->older->newer : &large.kinds[kind].oldest) = block;
  large.kinds[kind].newest = block;
  large.kinds[kind].bytes += size;
  bool is_full = large.kinds[kind].bytes > large_cache_limits[kind];
  sli_mutex_unlock(&large.mutex);
  if (is_full) trim_large(kind, large_cache_limits[kind]);
}

// ---- The allocator -----------------------------------------------------------

// The first number in a file; |otherwise| if there is none ("max").
static size_t read_limit(const char *path, size_t otherwise) {
  FILE *file = fopen(path, "re");
  unsigned long long value;
  bool found = file && fscanf(file, "%llu", &value) == 1;
  if (file) fclose(file);
  return found && value < otherwise ? (size_t)value : otherwise;
}

static void initialize(void) {
  size_t limit = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
  limit = read_limit("/sys/fs/cgroup/memory.max", limit);
  limit = read_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes", limit);
  atomic_store(&memory_limit, limit);
  size_t share = limit / LARGE_CACHE_FRACTION;
  large_cache_limits[KIND_WARM] = share < large_cache_bytes ? share : large_cache_bytes;
  large_cache_limits[KIND_OFFERED] = share;
  pthread_key_create(&thread_key, end_thread);
}

static void *allocate_uncached(size_t size) {
  void *data = NULL;
  if (!is_affordable(size) || posix_memalign(&data, SLI_ALIGNMENT, size) != 0) return NULL;
  add(&other_allocations, 1);
  take_bytes(size);
  return data;
}

static void release_uncached(void *data, size_t size) {
  give_bytes(size);
  free(data);
}

static void *cpu_allocate(sli_allocator_t *allocator, size_t size) {
  if (!CACHING) return allocate_uncached(size);
  return __builtin_expect(size <= SMALL_LIMIT, 1) ? allocate_small(size) : allocate_large(size);
}

static void cpu_release(sli_allocator_t *allocator, void *data, size_t size) {
  if (!CACHING) {
    release_uncached(data, size);
  } else if (size <= SMALL_LIMIT) {
    release_small(data, size);
  } else {
    release_large(data, size);
  }
}

sli_allocator_t sli_allocator_host = {
    .memory = SLI_MEMORY_HOST, .name = "cpu", .allocate = cpu_allocate, .release = cpu_release};

// Smaller blocks of the host's allocator are in shared memory already, and blocks that are not there when |release| is
// called are its own.
static void *shared_allocate(sli_allocator_t *allocator, size_t size) {
  void *data = size >= HUGE_BYTES && is_affordable(size) ? sli_lend_allocate(size) : NULL;
  if (!data) return cpu_allocate(&sli_allocator_host, size);
  take_bytes(size);
  return data;
}

static void shared_release(sli_allocator_t *allocator, void *data, size_t size) {
  if (size < HUGE_BYTES || !sli_lend_owns(data)) {
    cpu_release(&sli_allocator_host, data, size);
    return;
  }
  give_bytes(size);
  if (!sli_lend_defer_release(data, 0)) sli_lend_release(data);
}

sli_allocator_t sli_allocator_shared = {
    .memory = SLI_MEMORY_HOST, .name = "cpu", .allocate = shared_allocate, .release = shared_release};

static int64_t cached_bytes(const free_list_t *list, int index) {
  return (int64_t)(list_count(list) * small_size(index));
}

void sli_allocator_cpu_stats(sli_allocator_stats_t *out_stats) {
  int64_t cached = 0, allocations = get(&other_allocations);
  sli_mutex_lock(&threads_mutex);
  for (thread_cache_t *cache = threads; cache; cache = cache->next) {
    allocations += get(&cache->allocations);
    for (int i = 0; i < SMALL_CLASSES; i++) cached += cached_bytes(&cache->lists[i], i);
  }
  sli_mutex_unlock(&threads_mutex);
  for (int i = 0; i < SMALL_CLASSES; i++) cached += cached_bytes(&central[i].list, i);
  sli_mutex_lock(&large.mutex);
  int64_t large_cached = (int64_t)large.kinds[KIND_WARM].bytes;
  sli_mutex_unlock(&large.mutex);
  *out_stats = (sli_allocator_stats_t){.bytes_in_use = get(&bytes_taken) - cached,
                                       .peak_bytes_in_use = get(&peak_bytes_taken),
                                       .bytes_cached = cached + large_cached,
                                       .allocations = allocations};
}
