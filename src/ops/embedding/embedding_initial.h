// The first values of rows: a function of the key and the seed alone. Immutable. Thread-safe.
#ifndef SLI_OPS_EMBEDDING_EMBEDDING_INITIAL_H_
#define SLI_OPS_EMBEDDING_EMBEDDING_INITIAL_H_

#include "base/status.h"
#include "base/string.h"
#include "core/tensor/dtype.h"

typedef enum { SLI_EMBEDDING_ZEROS, SLI_EMBEDDING_UNIFORM, SLI_EMBEDDING_NORMAL } sli_embedding_initial_kind_t;
typedef struct {
  sli_embedding_initial_kind_t kind;
  double scale;
  uint64_t seed;
} sli_embedding_initial_t;

// INVALID_ARGUMENT says what is wrong with |text|.
sli_status_t *sli_embedding_initial_parse(sli_view_t text, sli_embedding_initial_t *out_initial);
// Writes the |length| values of the row of |key|, of type float, double, half or bfloat16.
void sli_embedding_initial_fill(const sli_embedding_initial_t *initial, uint64_t key, sli_dtype_t dtype, int64_t length,
                                void *values);

#endif  // SLI_OPS_EMBEDDING_EMBEDDING_INITIAL_H_
