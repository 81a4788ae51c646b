// Decodes tf.train.Features, of which Examples and SequenceExamples consist. The input is untrusted and checked
// completely. Thread-safe: uses only its arguments.
#ifndef SLI_OPS_PARSE_FEATURE_H_
#define SLI_OPS_PARSE_FEATURE_H_

#include "base/array.h"
#include "core/tensor/tensor.h"

// A key and its serialized value, both borrowed from the message.
typedef struct {
  sli_view_t key, value;
} sli_feature_entry_t;
typedef SLI_ARRAY(sli_feature_entry_t) sli_feature_entries_t;

// Replaces |entries| by the entries of the map in field |field| of |message|, in their order: the features of an
// Example or a context (field 1) or feature lists (field 2). The last entry of a key counts. Returns false if |message|
// is malformed.
bool sli_feature_collect(sli_view_t message, uint32_t field, sli_feature_entries_t *entries);
// The error for such a message.
sli_status_t *sli_feature_malformed_error(sli_view_t message);

// Sets the list of a Feature and the type of its values; SLI_DTYPE_INVALID if it has no list. Returns false if it is
// malformed.
bool sli_feature_open(sli_view_t feature, sli_dtype_t *out_type, sli_view_t *out_list);
// Counts the values of the list. Returns false if it is malformed.
bool sli_feature_count(sli_dtype_t type, sli_view_t list, int64_t *out_count);
// Copies all values of the list to |to|, which must have room for them and hold initialized elements.
void sli_feature_copy(sli_dtype_t type, sli_view_t list, void *to);

// A growing array of values of one type.
typedef struct {
  char *data;
  int64_t count, room;
} sli_feature_values_t;
// Appends |count| zeros (or empty strings). |*out_place| points to them until the next call. RESOURCE_EXHAUSTED without
// memory.
sli_status_t *sli_feature_values_extend(sli_feature_values_t *values, sli_dtype_t type, int64_t count,
                                        void **out_place);
// Moves the values to a vector; |values| is empty afterwards. The caller owns the reference.
sli_status_t *sli_feature_values_take(sli_feature_values_t *values, sli_dtype_t type, sli_tensor_t **out_tensor);
void sli_feature_values_deinitialize(sli_feature_values_t *values, sli_dtype_t type);

#endif  // SLI_OPS_PARSE_FEATURE_H_
