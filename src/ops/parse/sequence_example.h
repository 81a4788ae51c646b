// Parses the feature lists of serialized tf.train.SequenceExample messages. A list has one Feature for each step. The
// context, the other part of the message, is encoded like an Example: example.h parses it. The input is untrusted and
// checked completely. Thread-safe: uses only its arguments.
#ifndef SLI_OPS_PARSE_SEQUENCE_EXAMPLE_H_
#define SLI_OPS_PARSE_SEQUENCE_EXAMPLE_H_

#include "ops/parse/example.h"

// Parses the feature lists that the columns of |request| name. A dense result has the shape [batch, steps] followed by
// the column's shape; examples with fewer steps than the longest are filled with zeros. If |serialized| is a scalar,
// the results have no batch dimension. Defaults are ignored. INVALID_ARGUMENT with TensorFlow's messages; |out_columns|
// own nothing then.
sli_status_t *sli_sequence_parse_feature_lists(const sli_example_request_t *request, sli_example_result_t *out_columns);

#endif  // SLI_OPS_PARSE_SEQUENCE_EXAMPLE_H_
