// Saves the rows of a part of a table and restores them, in TensorFlow's checkpoint format: PREFIX.rows-TABLE-
// 00000-of-00002 is a bundle with the tensors 00/keys, 00/steps, 00/values and 00/slots to 63/…, and the rule of the
// slots. With PREFIX.rows-TABLE-00000-of-00002.changes-1 and so on come the rows that changed since, and 00/removed:
// keys of rows that are gone. A checkpoint that adds changes to the one before has links to its files. Any number of
// parts can read what any other number has written. Thread-safe; blocks.
#ifndef SLI_OPS_EMBEDDING_EMBEDDING_SAVE_H_
#define SLI_OPS_EMBEDDING_EMBEDDING_SAVE_H_

#include "ops/embedding/embedding_table.h"

// Where the rows of a part are saved.
typedef struct {
  const char *prefix;  // of the checkpoint
  const char *name;    // of the whole table
  int part, parts;
  int full_every;  // so many saves have one with all rows, the others changes only; 0, 1: all have all rows
} sli_embedding_save_place_t;

// Writes the rows of a part. Others may use the table meanwhile: each row is saved as a whole.
sli_status_t *sli_embedding_save(sli_embedding_table_t *table, const sli_embedding_save_place_t *place);
// Replaces the rows of the table by those that belong to it. Slots of another rule than that of the table are dropped.
// NOT_FOUND if there are none of this table; INVALID_ARGUMENT if the rows have another length or type; DATA_LOSS if a
// file is damaged. After a failure the table has some of the rows.
sli_status_t *sli_embedding_restore(sli_embedding_table_t *table, const sli_embedding_save_place_t *place);

#endif  // SLI_OPS_EMBEDDING_EMBEDDING_SAVE_H_
