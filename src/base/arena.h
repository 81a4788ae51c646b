// Arena: many small allocations that are freed together. With a byte budget it
// also limits how much memory a parsed message can use. Thread-compatible.
#ifndef SLI_BASE_ARENA_H_
#define SLI_BASE_ARENA_H_

#include <stddef.h>

typedef struct sli_arena_block sli_arena_block_t;

// A zero-initialised arena is empty and has no budget.
typedef struct {
  sli_arena_block_t *blocks;
  char *next, *end;
  size_t used;    // bytes handed out so far
  size_t budget;  // 0: none
} sli_arena_t;

// 8-byte aligned, uninitialised. Never NULL: aborts if the budget is used up; takes
// memory like sli_malloc. Use sli_arena_try_allocate in an arena with a budget.
void *sli_arena_allocate(sli_arena_t *arena, size_t size) __attribute__((returns_nonnull));
// Returns NULL if the budget or the memory is used up.
void *sli_arena_try_allocate(sli_arena_t *arena, size_t size);
void *sli_arena_calloc(sli_arena_t *arena, size_t count, size_t size) __attribute__((returns_nonnull));
char *sli_arena_strndup(sli_arena_t *arena, const char *text, size_t length) __attribute__((returns_nonnull));
// Frees everything that was allocated, and keeps a little memory for what comes next.
void sli_arena_clear(sli_arena_t *arena);
void sli_arena_deinitialize(sli_arena_t *arena);

#endif  // SLI_BASE_ARENA_H_
