// Feature lists: what serialized tf.train.SequenceExample messages have besides their context
// (which has the form of an Example). A list is a Feature for each step.
// Foreign bytes: everything is checked. Thread-safe: works on its arguments alone.
#ifndef SLI_OPS_PARSE_SEQUENCE_H_
#define SLI_OPS_PARSE_SEQUENCE_H_

#include "ops/parse/example.h"

// Parses the lists that the columns of |request| name. Dense columns have their values of the column's shape at each
// step, behind the dimensions of example and step, and zeros where an example has fewer steps than the longest; a
// scalar gives columns without the dimension of the batch. Columns know no defaults. INVALID_ARGUMENT with TensorFlow's
// texts. On failure |out_columns| own nothing.
sli_status_t *sli_feature_lists_parse(const sli_example_request_t *request, sli_parsed_column_t *out_columns);

#endif  // SLI_OPS_PARSE_SEQUENCE_H_
