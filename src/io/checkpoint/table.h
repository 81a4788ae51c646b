// Sorted tables of keys and values in one file, in LevelDB's format as TensorFlow uses it for checkpoints. Every block
// has a checksum, so a damaged byte gives DATA_LOSS, never a wrong value.
#ifndef SLI_IO_CHECKPOINT_TABLE_H_
#define SLI_IO_CHECKPOINT_TABLE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"
#include "io/file/file.h"

// Writes a table to |file|, which it borrows. Thread-compatible; blocks.
typedef struct sli_table_writer sli_table_writer_t;
sli_table_writer_t *sli_table_writer_create(sli_file_writer_t *file);
// INVALID_ARGUMENT unless |key| is greater than the previous key.
sli_status_t *sli_table_writer_add(sli_table_writer_t *writer, sli_view_t key, sli_view_t value);
// Writes the last block, index and footer. Neither syncs nor closes the file.
sli_status_t *sli_table_writer_finish(sli_table_writer_t *writer);
void sli_table_writer_release(sli_table_writer_t *writer);

// Reads a table. Thread-safe; blocks.
typedef struct sli_table sli_table_t;
// DATA_LOSS if |path| is not a table.
sli_status_t *sli_table_open(const char *path, sli_table_t **out_table);
void sli_table_release(sli_table_t *table);

// Iterates over a table in the order of its keys. Thread-compatible.
//
//   SLI_RETURN_IF_ERROR(sli_table_iterator_seek(iterator, key));
//   while (sli_table_iterator_valid(iterator)) { … SLI_RETURN_IF_ERROR(sli_table_iterator_next(iterator)); }
typedef struct sli_table_iterator sli_table_iterator_t;
// Borrows |table|. The iterator is not valid before the first seek.
sli_table_iterator_t *sli_table_iterator_create(sli_table_t *table);
void sli_table_iterator_release(sli_table_iterator_t *iterator);
// Moves to the first key that is not less than |key|; "" is the start of the table.
sli_status_t *sli_table_iterator_seek(sli_table_iterator_t *iterator, sli_view_t key);
// On failure the iterator is not valid.
sli_status_t *sli_table_iterator_next(sli_table_iterator_t *iterator);
bool sli_table_iterator_valid(const sli_table_iterator_t *iterator);
// The current key and value, until the iterator moves. It must be valid.
sli_view_t sli_table_iterator_key(const sli_table_iterator_t *iterator);
sli_view_t sli_table_iterator_value(const sli_table_iterator_t *iterator);

#endif  // SLI_IO_CHECKPOINT_TABLE_H_
