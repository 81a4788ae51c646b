// Rows of one length by key, for tables of embeddings: a row appears when it is first read or updated, initialised from
// its key alone, so that it is the same on every run and whichever server has it. The rows are stored next to each
// other, with the slots of their optimizer; an index of 4 bytes finds them.
//
// Cut into parts by the hash of the key, with a lock each. Thread-safe. A row is read and updated as a whole.
#ifndef SLI_DIST_STORE_STORE_ROWS_H_
#define SLI_DIST_STORE_STORE_ROWS_H_

#include "dist/store/store_message.h"
#include "dist/store/store_updater.h"

typedef struct sli_store_rows sli_store_rows_t;

enum { SLI_STORE_ROWS_MAX_LENGTH = 1 << 20 };

// |initializer| is "zeros", "uniform scale=0.05 seed=1" or "normal scale=0.05 seed=1": values between -scale and scale,
// or with scale as the standard deviation. INVALID_ARGUMENT says what is wrong with it, or with |length|; UNIMPLEMENTED
// for a type that has no rows: they are float, double, half or bfloat16. |max_bytes| limits the memory of rows, slots
// and index; 0: no limit.
sli_status_t *sli_store_rows_create(sli_dtype_t dtype, int64_t length, sli_view_t initializer, uint64_t max_bytes,
                                    sli_store_rows_t **out_rows);
void sli_store_rows_destroy(sli_store_rows_t *rows);  // NULL is allowed
int64_t sli_store_rows_length(const sli_store_rows_t *rows);
// As it was given.
const char *sli_store_rows_initializer(const sli_store_rows_t *rows);

// Updates the rows of the keys of |exchange|; a row that is there twice is updated twice. RESOURCE_EXHAUSTED without
// memory or at the limit; then some of the rows are updated.
sli_status_t *sli_store_rows_push(sli_store_rows_t *rows, const sli_store_exchange_t *exchange,
                                  const sli_store_updater_t *updater);
// Copies the rows to |to|.
sli_status_t *sli_store_rows_pull(sli_store_rows_t *rows, const sli_store_exchange_t *exchange, char *to);

typedef struct {
  size_t rows;
  size_t bytes;  // of rows, slots and index
} sli_store_rows_size_t;
sli_store_rows_size_t sli_store_rows_size(sli_store_rows_t *rows);

#endif  // SLI_DIST_STORE_STORE_ROWS_H_
