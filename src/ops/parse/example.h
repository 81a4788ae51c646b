// Examples: serialized tf.train.Example messages, taken apart into columns:
// dense (of a fixed shape, or padded along the first dimension), sparse and ragged.
// Foreign bytes: everything is checked. Thread-safe: works on its arguments alone.
#ifndef SLI_OPS_PARSE_EXAMPLE_H_
#define SLI_OPS_PARSE_EXAMPLE_H_

#include "core/tensor.h"

typedef enum { SLI_COLUMN_DENSE, SLI_COLUMN_SPARSE, SLI_COLUMN_RAGGED } sli_column_kind_t;

typedef struct {
  sli_column_kind_t kind;
  sli_view_t key;
  sli_dtype_t type;  // float, int64 or string
  // Dense. A first dimension of -1 is as long as the longest example's; |fallback| pads it then.
  sli_shape_t shape;
  const sli_tensor_t *fallback;  // value of an example without the feature; of 0 elements: it is required
  bool may_be_missing;           // a dense feature list: a SequenceExample without it has one of no steps
  sli_dtype_t split_type;        // ragged: int32 or int64
} sli_column_t;

// What became of a column; owned by the caller.
typedef struct {
  sli_tensor_t *values;
  sli_tensor_t *indices, *shape;  // sparse
  sli_tensor_t *splits;           // ragged
  sli_tensor_t *outer_splits;     // ragged feature lists: of the steps of each example
  sli_tensor_t *lengths;          // dense feature lists: steps of each example
} sli_parsed_column_t;
void sli_parsed_column_release(sli_parsed_column_t *column);

typedef struct {
  const sli_tensor_t *serialized;  // string, a vector or a scalar
  const sli_tensor_t *names;       // string, for messages; NULL or empty: none
  const sli_column_t *columns;
  size_t column_count;
  // The columns are of the contexts of SequenceExamples, which have the wire form of Examples. There a feature that has
  // no type is one without values; in an Example it is missing.
  bool is_context;
} sli_example_request_t;

// Parses all examples; a scalar gives columns without the dimension of the batch.
// INVALID_ARGUMENT with TensorFlow's texts. On failure |out_columns| own nothing.
sli_status_t *sli_examples_parse(const sli_example_request_t *request, sli_parsed_column_t *out_columns);

#endif  // SLI_OPS_PARSE_EXAMPLE_H_
