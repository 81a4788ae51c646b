#include "ops/embedding/embedding_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/alloc.h"

#define CHUNK_BYTES ((size_t)32 << 20)  // at a multiple of a huge page; what was never written costs nothing
#define HUGE_PAGE ((size_t)2 << 20)
#define MAX_BLOCK (CHUNK_BYTES / 16)
enum { ALIGNMENT = 64 };

struct sli_embedding_chunk {
  char *memory;
  size_t used;
  size_t blocks;  // that are not released
};

// Before each block: its chunk; NULL: it is an allocation of its own.
typedef struct {
  _Alignas(ALIGNMENT) sli_embedding_chunk_t *chunk;
} head_t;

void sli_embedding_pages_initialize(sli_embedding_pages_t *pages) {
  *pages = (sli_embedding_pages_t){0};
  sli_mutex_initialize(&pages->mutex);
}

static void chunk_destroy(sli_embedding_chunk_t *chunk) {
  if (!chunk) return;
  munmap(chunk->memory, CHUNK_BYTES);
  free(chunk);
}

void sli_embedding_pages_deinitialize(sli_embedding_pages_t *pages) {
  chunk_destroy(pages->chunk);
  sli_mutex_deinitialize(&pages->mutex);
}

static sli_embedding_chunk_t *chunk_create(void) {
  char *start = mmap(NULL, CHUNK_BYTES + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
  size_t before = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
  if (before) munmap(start, before);
  if (before < HUGE_PAGE) munmap(start + before + CHUNK_BYTES, HUGE_PAGE - before);
  madvise(start + before, CHUNK_BYTES, MADV_HUGEPAGE);
  sli_embedding_chunk_t *chunk = sli_malloc(sizeof(*chunk));
  *chunk = (sli_embedding_chunk_t){.memory = start + before};
  return chunk;
}

static head_t *take_from_chunk_locked(sli_embedding_pages_t *pages, size_t size) {
  sli_embedding_chunk_t *chunk = pages->chunk;
  if (chunk && chunk->used + size > CHUNK_BYTES) {
    // It lives on with its blocks.
    if (!chunk->blocks) chunk_destroy(chunk);
    chunk = NULL;
  }
  if (!chunk) chunk = chunk_create();
  pages->chunk = chunk;
  if (!chunk) return NULL;
  head_t *head = (head_t *)(chunk->memory + chunk->used);
  head->chunk = chunk;
  chunk->used += size;
  chunk->blocks++;
  return head;
}

void *sli_embedding_pages_allocate(sli_embedding_pages_t *pages, size_t size, bool is_huge) {
  size_t rounded = (sizeof(head_t) + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (is_huge && rounded <= MAX_BLOCK) {
    sli_mutex_lock(&pages->mutex);
    head_t *head = take_from_chunk_locked(pages, rounded);
    sli_mutex_unlock(&pages->mutex);
    return head ? head + 1 : NULL;
  }
  head_t *head = aligned_alloc(ALIGNMENT, rounded);
  if (!head) return NULL;
  head->chunk = NULL;
  return head + 1;
}

void sli_embedding_pages_release(sli_embedding_pages_t *pages, void *block) {
  if (!block) return;
  head_t *head = (head_t *)block - 1;
  sli_embedding_chunk_t *chunk = head->chunk;
  if (!chunk) {
    free(head);
    return;
  }
  sli_mutex_lock(&pages->mutex);
  bool is_unused = !--chunk->blocks && chunk != pages->chunk;
  sli_mutex_unlock(&pages->mutex);
  if (is_unused) chunk_destroy(chunk);
}
