// Rows of one length by key, for tables of embeddings: a row appears when it is first read or updated, initialised from
// its key alone, so that it is the same on every run and whichever task has it. The rows are stored next to each other,
// with the slots of their optimizer; an index of 4 bytes finds them.
//
// Cut into parts by the hash of the key, with a lock each. Thread-safe. A row is read and updated as a whole.
#ifndef SLI_OPS_EMBEDDING_EMBEDDING_ROWS_H_
#define SLI_OPS_EMBEDDING_EMBEDDING_ROWS_H_

#include "base/thread_pool.h"
#include "ops/embedding/updater.h"

typedef struct sli_embedding_rows sli_embedding_rows_t;

enum { SLI_EMBEDDING_ROWS_MAX_LENGTH = 1 << 20 };

// How the values of a row are stored. Slots are always of the type of the rows.
typedef enum {
  SLI_EMBEDDING_STORE_PLAIN,
  SLI_EMBEDDING_STORE_BFLOAT16,  // rows of floats in 2 bytes each
  SLI_EMBEDDING_STORE_INT8,      // in 1 byte each, and a factor for the row
} sli_embedding_store_t;

typedef struct {
  sli_dtype_t dtype;  // float, double, half or bfloat16
  int64_t length;
  // "zeros", "uniform scale=0.05 seed=1" or "normal scale=0.05 seed=1": values between -scale and scale, or with scale
  // as the standard deviation.
  sli_view_t initializer;
  sli_embedding_store_t store;
  uint64_t max_bytes;  // of rows, slots and index in memory; 0: no limit
  uint64_t max_rows;   // 0: no limit
  // A row that was not used while the table was updated so many times is removed; 0: none is.
  uint64_t max_age;
  // A row is created when its key is seen for the so-many-th time; before that reads give its initial values, and
  // updates do nothing. Seen is counted by reads, approximately: some rows may come earlier. 0, 1: at once.
  uint64_t admit_after;
  // Rows that do not fit in memory go to a file in this directory, and come back when they are used; see
  // embedding_cold.h. Empty: they are removed, or refused.
  sli_view_t directory;
  bool evicts;  // at a limit a row that was not used for long makes room; else new rows are refused
} sli_embedding_rows_options_t;

// INVALID_ARGUMENT says what is wrong with an option; UNIMPLEMENTED for a type that has no rows.
sli_status_t *sli_embedding_rows_create(const sli_embedding_rows_options_t *options, sli_embedding_rows_t **out_rows);
void sli_embedding_rows_destroy(sli_embedding_rows_t *rows);  // NULL is allowed
// The texts are valid as long as the rows.
const sli_embedding_rows_options_t *sli_embedding_rows_options(const sli_embedding_rows_t *rows);

// |keys| have 8 bytes each and need not be aligned; |values| must be, for their type. |pool| may be NULL.

// Updates rows; a row that is there twice is updated twice. RESOURCE_EXHAUSTED names a key for which there is no
// memory, or which would exceed a limit; then some of the rows are updated.
sli_status_t *sli_embedding_rows_push(sli_embedding_rows_t *rows, sli_thread_pool_t *pool, const char *keys,
                                      size_t count, const void *values, const sli_updater_t *updater);
// Copies rows to |to|. Rows that are not there are created, or, without |create|, have their initial values.
sli_status_t *sli_embedding_rows_pull(sli_embedding_rows_t *rows, sli_thread_pool_t *pool, const char *keys,
                                      size_t count, bool create, void *to);

// Removes all rows.
void sli_embedding_rows_clear(sli_embedding_rows_t *rows);

typedef struct {
  uint64_t rows;                   // in memory and on the disk
  uint64_t bytes;                  // of rows, slots, indices and counters in memory
  uint64_t cold_rows, cold_bytes;  // on the disk
  uint64_t evicted;                // since the creation
  uint64_t refused;                // updates of rows that were not admitted yet
} sli_embedding_rows_size_t;
sli_embedding_rows_size_t sli_embedding_rows_size(sli_embedding_rows_t *rows);

#endif  // SLI_OPS_EMBEDDING_EMBEDDING_ROWS_H_
