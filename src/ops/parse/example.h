// Parses serialized tf.train.Example messages into columns: dense (of a fixed shape, or padded along the first
// dimension), sparse and ragged. The input is untrusted and checked completely. Thread-safe: uses only its arguments.
#ifndef SLI_OPS_PARSE_EXAMPLE_H_
#define SLI_OPS_PARSE_EXAMPLE_H_

#include "core/tensor/tensor.h"

typedef enum { SLI_EXAMPLE_DENSE, SLI_EXAMPLE_SPARSE, SLI_EXAMPLE_RAGGED } sli_example_column_kind_t;

typedef struct {
  sli_example_column_kind_t kind;
  sli_view_t key;
  sli_dtype_t type;  // float, int64 or string
  // Dense columns only. If the first dimension is -1, it becomes that of the longest example, and |fallback| pads the
  // others.
  sli_shape_t shape;
  const sli_tensor_t *fallback;  // value of an example without the feature; 0 elements: the feature is required
  bool may_be_missing;           // dense feature lists: a missing list counts as one with no steps
  sli_dtype_t split_type;        // ragged columns only: int32 or int64
} sli_example_column_t;

// The tensors of a parsed column; the caller owns the references.
typedef struct {
  sli_tensor_t *values;
  sli_tensor_t *indices, *shape;  // sparse
  sli_tensor_t *splits;           // ragged
  sli_tensor_t *outer_splits;     // ragged feature lists: splits of the steps by example
  sli_tensor_t *lengths;          // dense feature lists: number of steps of each example
} sli_example_result_t;
void sli_example_result_release(sli_example_result_t *column);

typedef struct {
  const sli_tensor_t *serialized;  // string, a vector or a scalar
  const sli_tensor_t *names;       // string, for error messages; may be NULL or empty
  const sli_example_column_t *columns;
  size_t column_count;
  // The messages are contexts of SequenceExamples, which are encoded like Examples. A feature without a type has no
  // values in a context; in an Example it is missing.
  bool is_context;
} sli_example_request_t;

// The name of an example for messages; "<unknown>" if it has none. Borrowed from |request|.
sli_view_t sli_example_name(const sli_example_request_t *request, int64_t example);

// Parses all examples into |out_columns|, one for each column. If |serialized| is a scalar, the results have no batch
// dimension. INVALID_ARGUMENT with TensorFlow's messages; |out_columns| own nothing then.
sli_status_t *sli_example_parse(const sli_example_request_t *request, sli_example_result_t *out_columns);

#endif  // SLI_OPS_PARSE_EXAMPLE_H_
