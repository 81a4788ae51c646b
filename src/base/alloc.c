#include "base/alloc.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void out_of_memory(size_t size) {
  fprintf(stderr, "sluice: out of memory (asked for %zu bytes)\n", size);
  abort();
}

// --- The spare ---

// Blocks of malloc, because what a request has freed often stays in malloc and cannot be mapped again. Their pages are
// not touched, except the first.
enum { SPARE_BLOCK_SIZE = 1 << 20, SPARE_MAX_BLOCKS = 64, SPARE_MIN_BLOCKS = 16 };

typedef struct spare_block spare_block_t;
struct spare_block {
  spare_block_t *next;
};

static struct {
  atomic_bool is_wanted, is_short;
  _Atomic(spare_block_t *) blocks;  // NULL: in use, or not wanted
} spare;

static void free_blocks(spare_block_t *block) {
  while (block) {
    spare_block_t *next = block->next;
    free(block);
    block = next;
  }
}

static void put_spare_aside(void) {
  spare_block_t *blocks = NULL, *none = NULL, *block;
  int count = 0;
  for (; count < SPARE_MAX_BLOCKS && (block = malloc(SPARE_BLOCK_SIZE)); count++) {
    block->next = blocks;
    blocks = block;
  }
  bool is_enough = count >= SPARE_MIN_BLOCKS;
  if (!is_enough || !atomic_compare_exchange_strong(&spare.blocks, &none, blocks)) free_blocks(blocks);
  if (is_enough) atomic_store(&spare.is_short, false);
}

void sli_alloc_keep_spare(void) {
  atomic_store(&spare.is_wanted, true);
  if (!atomic_load(&spare.blocks)) put_spare_aside();
}

bool sli_alloc_is_short(void) {
  if (!atomic_load_explicit(&spare.is_short, memory_order_relaxed)) return false;
  put_spare_aside();
  return atomic_load(&spare.is_short);
}

bool sli_alloc_has(size_t size) {
  if (sli_alloc_is_short()) return false;
  void *pointer = malloc(size ? size : 1);
  free(pointer);
  return pointer != NULL;
}

// Called when an allocation has failed, before it is tried for the last time.
static void use_spare(void) {
  if (!atomic_load(&spare.is_wanted)) return;
  atomic_store(&spare.is_short, true);
  free_blocks(atomic_exchange(&spare.blocks, NULL));
}

// --- Allocation ---

void *sli_malloc(size_t size) {
  void *pointer = malloc(size ? size : 1);
  if (!pointer) {
    use_spare();
    pointer = malloc(size ? size : 1);
  }
  if (!pointer) out_of_memory(size);
  return pointer;
}

void *sli_calloc(size_t count, size_t size) {
  void *pointer = calloc(count ? count : 1, size ? size : 1);
  if (!pointer) {
    use_spare();
    pointer = calloc(count ? count : 1, size ? size : 1);
  }
  if (!pointer) out_of_memory(count * size);
  return pointer;
}

void *sli_realloc(void *pointer, size_t size) {
  void *moved = realloc(pointer, size ? size : 1);
  if (!moved) {
    use_spare();
    moved = realloc(pointer, size ? size : 1);
  }
  if (!moved) out_of_memory(size);
  return moved;
}

char *sli_strdup(const char *text) { return sli_strndup(text, strlen(text)); }

char *sli_strndup(const char *text, size_t length) {
  char *copy = sli_malloc(length + 1);
  if (length) memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

void *sli_memdup(const void *data, size_t size) {
  void *copy = sli_malloc(size);
  if (size) memcpy(copy, data, size);
  return copy;
}

char *sli_format(const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&text, format, args);
  va_end(args);
  if (length < 0 || !text) out_of_memory(0);
  return text;
}

void *sli_malloc_or_null(size_t size) { return malloc(size ? size : 1); }

void sli_alloc_trim(void) { malloc_trim(0); }
