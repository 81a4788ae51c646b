// Feature crosses: all combinations of one value of each column, row by row, joined as strings or hashed. SparseCross
// and RaggedCross share this.
#ifndef SLI_OPS_SPARSE_FEATURE_CROSS_H_
#define SLI_OPS_SPARSE_FEATURE_CROSS_H_

#include "core/op/kernel.h"

// Row r has the elements starts[r] to starts[r + 1] of |values|, int64 or string.
typedef struct {
  const sli_tensor_t *values;  // borrowed
  int64_t *starts;             // of all rows, and the end
  bool is_dense;               // from a dense matrix
} sli_cross_column_t;

typedef enum {
  SLI_CROSS_JOIN,       // strings with |separator| between them
  SLI_CROSS_HASH,       // fingerprints, from |key| on
  SLI_CROSS_HASH_EACH,  // fingerprints of every value, also of numbers unless they are dense
  SLI_CROSS_HASH_SALT,  // the same with a strong hash and |salt|
} sli_cross_kind_t;

typedef struct {
  sli_cross_column_t *columns;
  int column_count;
  int64_t rows;
  sli_cross_kind_t kind;
  sli_view_t separator;
  uint64_t key, salt[2];
  int64_t buckets;  // 0: as many as there are positive numbers
} sli_cross_t;

// Makes room for |column_count| columns. RESOURCE_EXHAUSTED without memory.
sli_status_t *sli_cross_initialize(sli_cross_t *cross, int column_count, int64_t rows);
void sli_cross_deinitialize(sli_cross_t *cross);

// Sets column |index| from a sparse matrix with ordered rows, or from a dense matrix; their shapes are checked already.
sli_status_t *sli_cross_set_sparse(sli_cross_t *cross, int index, const sli_tensor_t *indices,
                                   const sli_tensor_t *values);
void sli_cross_set_dense(sli_cross_t *cross, int index, const sli_tensor_t *values);

// How many crosses row |row| has. INVALID_ARGUMENT on overflow.
sli_status_t *sli_cross_count(const sli_cross_t *cross, int64_t row, int64_t *out_count);
// Writes them to |values|, int64 or string, from |at| on. The last column changes first.
void sli_cross_fill(const sli_cross_t *cross, int64_t row, int64_t count, sli_tensor_t *values, int64_t at);

#endif  // SLI_OPS_SPARSE_FEATURE_CROSS_H_
