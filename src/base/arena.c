#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

struct sli_arena_block {
  sli_arena_block_t *next;
  alignas(16) char data[];
};

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

void *sli_arena_try_allocate(sli_arena_t *arena, size_t size) {
  if (size > SIZE_MAX / 2) return NULL;
  size = size ? (size + 15) & ~(size_t)15 : 16;  // never NULL, not even for nothing
  if (arena->budget && size > arena->budget - arena->used) return NULL;
  if (size > (size_t)(arena->end - arena->next)) {
    // Blocks grow with what was used, so that neither a message of ten bytes
    // nor a graph of ten thousand nodes pays for the other.
    size_t room = arena->used < FIRST_BLOCK ? FIRST_BLOCK : arena->used < LARGEST_BLOCK ? arena->used : LARGEST_BLOCK;
    if (room < size) room = size;
    sli_arena_block_t *block = sli_try_malloc(sizeof(*block) + room);
    if (!block) return NULL;
    block->next = arena->blocks;
    arena->blocks = block;
    arena->next = block->data;
    arena->end = block->data + room;
  }
  char *start = arena->next;
  arena->next += size;
  arena->used += size;
  return start;
}

void *sli_arena_allocate(sli_arena_t *arena, size_t size) {
  void *pointer = sli_arena_try_allocate(arena, size);
  SLI_CHECK(pointer != NULL);
  return pointer;
}

void *sli_arena_calloc(sli_arena_t *arena, size_t count, size_t size) {
  SLI_CHECK(size == 0 || count <= SIZE_MAX / 2 / size);
  return memset(sli_arena_allocate(arena, count * size), 0, count * size);
}

char *sli_arena_strndup(sli_arena_t *arena, const char *text, size_t length) {
  char *copy = sli_arena_allocate(arena, length + 1);
  if (length) memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

void sli_arena_deinitialize(sli_arena_t *arena) {
  for (sli_arena_block_t *block = arena->blocks; block;) {
    sli_arena_block_t *next = block->next;
    free(block);
    block = next;
  }
  *arena = (sli_arena_t){0};
}
