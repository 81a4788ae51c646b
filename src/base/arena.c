#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

struct sli_arena_block {
  sli_arena_block_t *next;
  size_t size;
  alignas(8) char data[];
};

enum { ALIGNMENT = 8, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

static void *allocate(sli_arena_t *arena, size_t size, size_t alignment, void *(*allocate_block)(size_t size)) {
  static max_align_t nothing;
  if (size == 0) return &nothing;
  if (size > SIZE_MAX / 2) return NULL;
  size_t gap = -(uintptr_t)arena->next & (alignment - 1);
  if (arena->budget && size > arena->budget - arena->used) return NULL;
  if (gap + size > (size_t)(arena->end - arena->next)) {
    // Blocks grow with the arena: a message of ten bytes gets a small one, a
    // graph of ten thousand nodes needs only a few.
    size_t room = arena->used < FIRST_BLOCK ? FIRST_BLOCK : arena->used < LARGEST_BLOCK ? arena->used : LARGEST_BLOCK;
    if (room < size) room = size;
    sli_arena_block_t *block = allocate_block(sizeof(*block) + room);
    if (!block) return NULL;
    *block = (sli_arena_block_t){arena->blocks, room};
    arena->blocks = block;
    arena->next = block->data;
    arena->end = block->data + room;
    gap = 0;
  }
  char *start = arena->next + gap;
  arena->next = start + size;
  arena->used += gap + size;
  if (arena->budget && arena->used > arena->budget) arena->used = arena->budget;
  return start;
}

void *sli_arena_try_allocate(sli_arena_t *arena, size_t size) {
  return allocate(arena, size, ALIGNMENT, sli_malloc_or_null);
}

void *sli_arena_allocate(sli_arena_t *arena, size_t size) {
  void *pointer = allocate(arena, size, ALIGNMENT, sli_malloc);
  SLI_CHECK(pointer != NULL);  // only the budget can be used up
  return pointer;
}

void *sli_arena_calloc(sli_arena_t *arena, size_t count, size_t size) {
  SLI_CHECK(size == 0 || count <= SIZE_MAX / 2 / size);
  return memset(sli_arena_allocate(arena, count * size), 0, count * size);
}

char *sli_arena_strndup(sli_arena_t *arena, const char *text, size_t length) {
  char *copy = allocate(arena, length + 1, 1, sli_malloc);
  SLI_CHECK(copy != NULL);  // only the budget can be used up
  if (length) memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

void sli_arena_clear(sli_arena_t *arena) {
  sli_arena_block_t *first = arena->blocks;
  while (first && first->next) {
    sli_arena_block_t *next = first->next;
    free(first);
    first = next;
  }
  *arena = (sli_arena_t){.blocks = first, .budget = arena->budget};
  if (!first) return;
  arena->next = first->data;
  arena->end = first->data + first->size;
}

void sli_arena_deinitialize(sli_arena_t *arena) {
  for (sli_arena_block_t *block = arena->blocks; block;) {
    sli_arena_block_t *next = block->next;
    free(block);
    block = next;
  }
  *arena = (sli_arena_t){0};
}
