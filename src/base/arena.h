// Arena: many small allocations that die together. With a byte budget it also
// bounds what foreign bytes can make us allocate. Thread-compatible.
#ifndef SLI_BASE_ARENA_H_
#define SLI_BASE_ARENA_H_

#include <stddef.h>

typedef struct sli_arena_block sli_arena_block_t;

// Zero-initialised is an empty arena without a budget.
typedef struct {
  sli_arena_block_t *blocks;
  char *next, *end;
  size_t used;    // bytes handed out so far
  size_t budget;  // 0: none
} sli_arena_t;

// 16-byte aligned, uninitialised. Never NULL: an arena without a budget ends
// the process when memory is out, as sli_malloc does.
void *sli_arena_allocate(sli_arena_t *arena, size_t size) __attribute__((returns_nonnull));
// NULL past the budget or when memory is out.
void *sli_arena_try_allocate(sli_arena_t *arena, size_t size);
void *sli_arena_calloc(sli_arena_t *arena, size_t count, size_t size) __attribute__((returns_nonnull));
char *sli_arena_strndup(sli_arena_t *arena, const char *text, size_t length) __attribute__((returns_nonnull));
void sli_arena_deinitialize(sli_arena_t *arena);

#endif  // SLI_BASE_ARENA_H_
