#include "core/tensor/allocator.h"

#include <sys/mman.h>

#include "base/lend.h"
#include "base/sync.h"
#include "base/test.h"

#if defined(__SANITIZE_ADDRESS__)
enum { IS_CACHING = 0 };
#else
enum { IS_CACHING = 1 };
#endif

static void *take(size_t size) { return sli_allocator_cpu()->allocate(sli_allocator_cpu(), size); }
static void give(void *data, size_t size) { sli_allocator_cpu()->release(sli_allocator_cpu(), data, size); }

static sli_allocator_stats_t stats(void) {
  sli_allocator_stats_t result;
  sli_allocator_cpu_stats(&result);
  return result;
}

SLI_TEST(test_blocks_of_all_sizes_are_aligned_and_hold_what_was_asked) {
  for (size_t size = 1; size < (size_t)40 << 20; size += size / 7 + 1) {
    char *data = take(size);
    SLI_REQUIRE(data);
    SLI_EXPECT((uintptr_t)data % SLI_ALIGNMENT == 0);
    data[0] = data[size - 1] = 1;
    give(data, size);
  }
}

SLI_TEST(test_stats_follow_use) {
  sli_allocator_stats_t before = stats();
  void *small = take(1000), *big = take(1 << 20);
  sli_allocator_stats_t during = stats();
  SLI_EXPECT(during.bytes_in_use - before.bytes_in_use >= 1000 + (1 << 20));
  SLI_EXPECT(during.bytes_in_use - before.bytes_in_use <= (1000 + (1 << 20)) * 5 / 4);
  SLI_EXPECT(during.peak_bytes_in_use >= during.bytes_in_use);
  SLI_EXPECT_INT(during.allocations - before.allocations, 2);
  give(small, 1000);
  give(big, 1 << 20);
  sli_allocator_stats_t after = stats();
  SLI_EXPECT_INT(after.bytes_in_use, before.bytes_in_use);
  SLI_EXPECT(!IS_CACHING || after.bytes_cached >= 1000 + (1 << 20));
}

SLI_TEST(test_released_blocks_come_back) {
  for (size_t size = 100; size < (size_t)32 << 20; size *= 10) {
    void *first = take(size);
    give(first, size);
    void *second = take(size);
    SLI_EXPECT(!IS_CACHING || first == second);
    give(second, size);
  }
}

SLI_TEST(test_huge_blocks_come_back_and_count_as_the_systems_meanwhile) {
  const size_t size = (size_t)80 << 20;
  int64_t cached = stats().bytes_cached;
  char *first = take(size);
  SLI_REQUIRE(first);
  first[0] = first[size - 1] = 1;
  give(first, size);
  SLI_EXPECT_INT(stats().bytes_cached, cached);
  char *second = take(size);
  SLI_EXPECT(!IS_CACHING || first == second);
  second[0] = second[size / 2] = second[size - 1] = 2;
  SLI_EXPECT(second[0] == 2 && second[size / 2] == 2 && second[size - 1] == 2);
  give(second, size);
  sli_allocator_cpu_trim();
  // No longer mapped.
  SLI_EXPECT(!IS_CACHING || msync(first, 4096, MS_ASYNC) != 0);
}

SLI_TEST(test_the_caches_are_bounded) {
  enum { BLOCKS = 100 };
  static void *blocks[BLOCKS];
  const size_t sizes[] = {1 << 10, 60 << 10, (size_t)5 << 20, (size_t)20 << 20};
  for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
    for (int i = 0; i < BLOCKS; i++) SLI_REQUIRE((blocks[i] = take(sizes[s])));
    for (int i = 0; i < BLOCKS; i++) give(blocks[i], sizes[s]);
  }
  SLI_EXPECT(stats().bytes_cached < (int64_t)320 << 20);
}

SLI_TEST(test_what_the_machine_does_not_have_is_refused) {
  SLI_EXPECT(!take((size_t)1 << 50));
  SLI_EXPECT(!take(SIZE_MAX / 2));
}

// Threads exchange blocks through a table: most are freed by another thread than the one that allocated them.
enum { SLOTS = 64, ROUNDS = 20000, THREADS = 4 };
static _Atomic(void *) slots[SLOTS];
static const size_t slot_sizes[] = {64, 200, 1500, 70000};

static void *exchange_blocks(void *seed) {
  uint32_t random = (uint32_t)(uintptr_t)seed;
  for (int i = 0; i < ROUNDS; i++) {
    random = random * 1664525 + 1013904223;
    uint32_t slot = random >> 16 & (SLOTS - 1);
    size_t size = slot_sizes[slot % 4];
    unsigned char *mine = take(size);
    memset(mine, (int)slot, 64);
    unsigned char *other = atomic_exchange(&slots[slot], mine);
    if (!other) continue;
    if (other[0] != slot || other[63] != slot) SLI_EXPECT(!"a block in use was handed out again");
    give(other, size);
  }
  return NULL;
}

SLI_TEST(test_blocks_may_be_released_by_other_threads) {
  int64_t before = stats().bytes_in_use;
  for (int round = 0; round < 2; round++) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, exchange_blocks, (void *)(i + 1));
    (void)stats();
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  }
  for (int i = 0; i < SLOTS; i++) {
    void *left = atomic_exchange(&slots[i], NULL);
    if (left) give(left, slot_sizes[i % 4]);
  }
  SLI_EXPECT_INT(stats().bytes_in_use, before);
}

static pthread_key_t late_key;
static void release_late(void *data) { give(data, 300); }
static void *leave_block_to_destructor(void *unused) {
  give(take(64), 64);
  pthread_setspecific(late_key, take(300));
  return NULL;
}

SLI_TEST(test_an_ending_thread_may_still_release) {
  int64_t before = stats().bytes_in_use;
  pthread_key_create(&late_key, release_late);
  for (int i = 0; i < 10; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, leave_block_to_destructor, NULL);
    pthread_join(thread, NULL);
  }
  pthread_key_delete(late_key);
  SLI_EXPECT_INT(stats().bytes_in_use, before);
}

SLI_TEST(test_blocks_from_before_there_was_an_arena_are_not_kept) {
  const size_t size = (size_t)1 << 20;
  void *early = take(size);
  SLI_EXPECT(!sli_lend_owns(early));
  SLI_REQUIRE(sli_lend_start());
  give(early, size);
  void *late = take(size);
  SLI_EXPECT(!IS_CACHING || sli_lend_owns(late));
  give(late, size);
}

SLI_TEST_MAIN(test_blocks_of_all_sizes_are_aligned_and_hold_what_was_asked, test_stats_follow_use,
              test_released_blocks_come_back, test_huge_blocks_come_back_and_count_as_the_systems_meanwhile,
              test_the_caches_are_bounded, test_what_the_machine_does_not_have_is_refused,
              test_blocks_may_be_released_by_other_threads, test_an_ending_thread_may_still_release,
              test_blocks_from_before_there_was_an_arena_are_not_kept)
