#include "io/file/read_ahead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/test.h"

enum { SIZE = (40 << 20) + 12345 };

static char *content;
static atomic_size_t visible;         // bytes of the file that exist
static atomic_int requests, failing;  // failing: requests that fail from now on

static sli_status_t *fetch(void *context, uint64_t offset, void *data, size_t size, size_t *out_size) {
  size_t end = atomic_load(&visible), from = offset < end ? (size_t)offset : end;
  *out_size = end - from < size ? end - from : size;
  memcpy(data, content + from, *out_size);
  atomic_fetch_add(&requests, 1);
  if (atomic_load(&failing) > 0 && atomic_fetch_sub(&failing, 1) > 0) {
    *out_size = 0;
    return sli_status_make(SLI_UNAVAILABLE, "the store is gone");
  }
  return NULL;
}

static bool streams;  // of the store itself

// A stream in small pieces.
static sli_status_t *stream(void *context, uint64_t offset, const sli_http_sink_t *sink) {
  size_t sent = 0, end = atomic_load(&visible);
  atomic_fetch_add(&requests, 1);
  bool fails = atomic_load(&failing) > 0 && atomic_fetch_sub(&failing, 1) > 0;
  size_t whole = offset < end ? end - (size_t)offset : 0;
  if (whole > sink->capacity) whole = sink->capacity;
  if (fails) whole = whole < 100000 ? whole : 100000;
  for (size_t part = 1; sent < whole; sent += part) {
    part = whole - sent < 16411 ? whole - sent : 16411;
    if (atomic_load(sink->is_stopped) || !sink->take(sink->context, content + offset + sent, part)) break;
  }
  return fails ? sli_status_make(SLI_UNAVAILABLE, "the store is gone") : NULL;
}

static void begin(sli_read_ahead_t *ahead) {
  if (!content) content = sli_malloc(SIZE);
  for (size_t i = 0; i < SIZE; i++) content[i] = (char)(i * 2654435761u >> 13);
  atomic_store(&visible, SIZE);
  atomic_store(&requests, 0);
  atomic_store(&failing, 0);
  sli_read_ahead_initialize(ahead, fetch, streams ? stream : NULL, NULL);
}

// Reads all in sequence by reads of |size|. Returns how many bytes were right.
static size_t read_all(sli_read_ahead_t *ahead, size_t size) {
  char *bytes = sli_malloc(size);
  size_t all = 0, got = 1;
  while (got) {
    SLI_EXPECT_OK(sli_read_ahead_read(ahead, all, bytes, size, &got));
    if (memcmp(bytes, content + all, got)) break;
    all += got;
  }
  free(bytes);
  return all;
}

SLI_TEST(test_reads_of_all_sizes_give_the_file) {
  const size_t sizes[] = {1000, 100000, 1 << 20, 9 << 20, 33 << 20, SIZE, SIZE + 1};
  for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
    sli_read_ahead_t ahead;
    streams = i % 2;
    begin(&ahead);
    SLI_EXPECT_INT(read_all(&ahead, sizes[i / 2]), SIZE);
    SLI_EXPECT(atomic_load(&requests) < (streams ? 16 : 30));
    sli_read_ahead_deinitialize(&ahead);
  }
}

SLI_TEST(test_a_read_elsewhere_fetches_little) {
  sli_read_ahead_t ahead;
  begin(&ahead);
  char bytes[100];
  size_t got;
  for (size_t i = 1; i <= 10; i++) {
    size_t offset = (i * 7919 * 1009) % (SIZE - 100);
    SLI_EXPECT_OK(sli_read_ahead_read(&ahead, offset, bytes, sizeof(bytes), &got));
    SLI_EXPECT(got == sizeof(bytes) && !memcmp(bytes, content + offset, got));
  }
  SLI_EXPECT_INT(atomic_load(&requests), 10);
  sli_read_ahead_deinitialize(&ahead);
}

SLI_TEST(test_a_failure_ahead_is_tried_again_and_one_at_hand_is_returned) {
  sli_read_ahead_t ahead;
  begin(&ahead);
  char *bytes = sli_malloc(20 << 20);
  size_t got, all = 0;
  while (all < 4 << 20) {  // by now there is a request ahead
    SLI_REQUIRE_OK(sli_read_ahead_read(&ahead, all, bytes, 100000, &got));
    all += got;
  }
  atomic_store(&failing, 1);  // a request ahead that fails is none
  while (all < SIZE) {
    SLI_REQUIRE_OK(sli_read_ahead_read(&ahead, all, bytes, 100000, &got));
    SLI_REQUIRE(got && !memcmp(bytes, content + all, got));
    all += got;
  }
  atomic_store(&failing, 100);
  SLI_EXPECT_STATUS(sli_read_ahead_read(&ahead, 0, bytes, 1000, &got), SLI_UNAVAILABLE);
  SLI_EXPECT_STATUS(sli_read_ahead_read(&ahead, 0, bytes, 20 << 20, &got), SLI_UNAVAILABLE);
  sli_read_ahead_deinitialize(&ahead);
  free(bytes);
}

SLI_TEST(test_a_file_that_grows_is_read_on) {
  sli_read_ahead_t ahead;
  begin(&ahead);
  atomic_store(&visible, 1000000);
  SLI_EXPECT_INT(read_all(&ahead, 3000), 1000000);
  atomic_store(&visible, SIZE);
  char bytes[3000];
  size_t got = 0;
  // What was fetched ahead may say once more that the file has ended.
  for (int i = 0; i < 2 && !got; i++) SLI_EXPECT_OK(sli_read_ahead_read(&ahead, 1000000, bytes, sizeof(bytes), &got));
  SLI_EXPECT(got > 0 && !memcmp(bytes, content + 1000000, got));
  sli_read_ahead_deinitialize(&ahead);
}

static void *read_some(void *context) {
  sli_read_ahead_t *ahead = context;
  char bytes[5000];
  for (size_t i = 0; i < 2000; i++) {
    size_t offset = (i * 4999) % (SIZE - 5000), got;
    SLI_EXPECT_OK(sli_read_ahead_read(ahead, offset, bytes, sizeof(bytes), &got));
    SLI_EXPECT(got > 0 && !memcmp(bytes, content + offset, got));
  }
  return NULL;
}

SLI_TEST(test_several_threads_read_one_file) {
  sli_read_ahead_t ahead;
  begin(&ahead);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, read_some, &ahead);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  sli_read_ahead_deinitialize(&ahead);
  free(content);
  content = NULL;
}

SLI_TEST_MAIN(test_reads_of_all_sizes_give_the_file, test_a_read_elsewhere_fetches_little,
              test_a_failure_ahead_is_tried_again_and_one_at_hand_is_returned, test_a_file_that_grows_is_read_on,
              test_several_threads_read_one_file)
