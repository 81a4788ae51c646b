// Memory for the slabs of a table, from huge pages that its parts share: a row of a table of gigabytes is then found
// with one miss less, and no part keeps a huge page for itself. Thread-safe. Nothing blocks.
#ifndef SLI_OPS_EMBEDDING_EMBEDDING_PAGES_H_
#define SLI_OPS_EMBEDDING_EMBEDDING_PAGES_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/sync.h"

typedef struct sli_embedding_chunk sli_embedding_chunk_t;
typedef struct {
  sli_mutex_t mutex;
  // Under mutex.
  sli_embedding_chunk_t *chunk;  // from which blocks are taken; NULL: none
} sli_embedding_pages_t;

void sli_embedding_pages_initialize(sli_embedding_pages_t *pages);
// All blocks must be released before.
void sli_embedding_pages_deinitialize(sli_embedding_pages_t *pages);
// A block of |size| bytes, from huge pages if |is_huge| and the system has them. NULL without memory.
void *sli_embedding_pages_allocate(sli_embedding_pages_t *pages, size_t size, bool is_huge);
// The memory of a chunk is returned with the last of its blocks.
void sli_embedding_pages_release(sli_embedding_pages_t *pages, void *block);

#endif  // SLI_OPS_EMBEDDING_EMBEDDING_PAGES_H_
