// Allocation of our own bookkeeping. These never return NULL: running out of
// memory for a few bytes ends the process with one clear line. Sizes that a
// user, a file or a peer chose go through sli_try_malloc instead (tensors have
// allocators of their own, see core/allocator.h).
#ifndef SLI_BASE_ALLOC_H_
#define SLI_BASE_ALLOC_H_

#include <stddef.h>

void *sli_malloc(size_t size) __attribute__((malloc, returns_nonnull));
void *sli_calloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *sli_realloc(void *pointer, size_t size) __attribute__((returns_nonnull));
char *sli_strdup(const char *text) __attribute__((malloc, returns_nonnull));
char *sli_strndup(const char *text, size_t length) __attribute__((malloc, returns_nonnull));
void *sli_memdup(const void *data, size_t size) __attribute__((malloc, returns_nonnull));
// printf into a new string.
char *sli_format(const char *format, ...) __attribute__((format(printf, 1, 2), malloc, returns_nonnull));

// NULL when there is no memory.
void *sli_try_malloc(size_t size) __attribute__((malloc));

#endif  // SLI_BASE_ALLOC_H_
