// Allocation of small, internal objects. These functions never return NULL: if the
// system has no memory they use the spare of sli_alloc_keep_spare; if that is used
// up, too, they print one line and abort. Sizes that a user, a file or a peer chose
// must use sli_malloc_or_null instead, or ask sli_alloc_has before. Tensors have
// their own allocator, see core/tensor/allocator.h.
#ifndef SLI_BASE_ALLOC_H_
#define SLI_BASE_ALLOC_H_

#include <stdbool.h>
#include <stddef.h>

void *sli_malloc(size_t size) __attribute__((malloc, returns_nonnull));
void *sli_calloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *sli_realloc(void *pointer, size_t size) __attribute__((returns_nonnull));
char *sli_strdup(const char *text) __attribute__((malloc, returns_nonnull));
char *sli_strndup(const char *text, size_t length) __attribute__((malloc, returns_nonnull));
void *sli_memdup(const void *data, size_t size) __attribute__((malloc, returns_nonnull));
// printf into a new string.
char *sli_format(const char *format, ...) __attribute__((format(printf, 1, 2), malloc, returns_nonnull));

// Returns NULL if there is not enough memory.
void *sli_malloc_or_null(size_t size) __attribute__((malloc));

// For a server: keeps 64 MB of address space aside, hardly any of it memory, for the
// allocations that fail. Work that makes many allocations for a peer then has time to
// notice it and to end with RESOURCE_EXHAUSTED. Thread-safe.
void sli_alloc_keep_spare(void);
// Whether the system had no memory left and the spare is in use; tries to put it aside
// again. Cheap while there is memory. Thread-safe.
bool sli_alloc_is_short(void);
// Whether |size| bytes could be allocated now, and memory is not short. A guess: other
// threads allocate, too.
bool sli_alloc_has(size_t size);
// Returns memory that was freed to the system, where the C library does not do so by
// itself. Takes milliseconds for large heaps. Thread-safe.
void sli_alloc_trim(void);

#endif  // SLI_BASE_ALLOC_H_
