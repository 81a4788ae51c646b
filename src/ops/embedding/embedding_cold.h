// Records by key in a file: rows that do not fit in memory. Records are appended; one that is taken or replaced leaves
// a dead one behind, and when most are dead the live ones are copied to a new file. 8 bytes of memory find a record.
// Each has a checksum. The file has no name: it is gone with the process, and what must survive is in checkpoints.
// Thread-compatible; blocks for the disk.
#ifndef SLI_OPS_EMBEDDING_EMBEDDING_COLD_H_
#define SLI_OPS_EMBEDDING_EMBEDDING_COLD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct sli_embedding_cold sli_embedding_cold_t;

// Records in |directory|, which must exist, of at most |max_size| bytes.
sli_status_t *sli_embedding_cold_create(const char *directory, size_t max_size, sli_embedding_cold_t **out_cold);
void sli_embedding_cold_destroy(sli_embedding_cold_t *cold);  // NULL is allowed

// Appends a record. RESOURCE_EXHAUSTED if the disk is full; then nothing has changed.
sli_status_t *sli_embedding_cold_put(sli_embedding_cold_t *cold, uint64_t key, const void *data, size_t size);
// Copies the record of |key| to |data|, which has room for the largest; |*out_size| is 0 if there is none. DATA_LOSS if
// the bytes are damaged.
sli_status_t *sli_embedding_cold_get(sli_embedding_cold_t *cold, uint64_t key, void *data, size_t *out_size);
// Forgets the record of |key|, if there is one.
sli_status_t *sli_embedding_cold_remove(sli_embedding_cold_t *cold, uint64_t key);
void sli_embedding_cold_clear(sli_embedding_cold_t *cold);
// Calls |visit| for every record, until it returns false.
sli_status_t *sli_embedding_cold_for_each(sli_embedding_cold_t *cold,
                                          bool (*visit)(void *context, uint64_t key, const void *data, size_t size),
                                          void *context);

size_t sli_embedding_cold_count(const sli_embedding_cold_t *cold);
size_t sli_embedding_cold_memory(const sli_embedding_cold_t *cold);  // bytes of the index
uint64_t sli_embedding_cold_file(const sli_embedding_cold_t *cold);  // bytes of the file

#endif  // SLI_OPS_EMBEDDING_EMBEDDING_COLD_H_
