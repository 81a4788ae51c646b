// The wire form of tf.train.Features: the pieces that Examples and SequenceExamples are
// made of. Foreign bytes: everything is checked. Thread-safe: works on its arguments alone.
#ifndef SLI_OPS_PARSE_FEATURE_H_
#define SLI_OPS_PARSE_FEATURE_H_

#include "base/array.h"
#include "core/tensor.h"

// A key and the bytes that stand under it, both inside of the message.
typedef struct {
  sli_view_t key, value;
} sli_feature_entry_t;
typedef SLI_ARRAY(sli_feature_entry_t) sli_feature_entries_t;

// The entries of the map in field |field| of |message|, in order, in place of what |entries| had: features of an
// Example or a context (1), feature lists (2). Of equal keys the last one counts. False: malformed.
bool sli_features_collect(sli_view_t message, uint32_t field, sli_feature_entries_t *entries);
// What is said of such a message.
sli_status_t *sli_features_malformed(sli_view_t message);

// The list of a Feature and the type of its values; SLI_DTYPE_INVALID: it has none. False: malformed.
bool sli_feature_open(sli_view_t feature, sli_dtype_t *out_type, sli_view_t *out_list);
// How many values the list has. False: malformed.
bool sli_feature_count(sli_dtype_t type, sli_view_t list, int64_t *out_count);
// Writes them, as many as were counted, over valid elements.
void sli_feature_copy(sli_dtype_t type, sli_view_t list, void *to);

// Values of one type that grow.
typedef struct {
  char *data;
  int64_t count, room;
} sli_values_t;
// Appends |count| zeros (empty strings); |*out_place| is where they are until the next call. RESOURCE_EXHAUSTED.
sli_status_t *sli_values_extend(sli_values_t *values, sli_dtype_t type, int64_t count, void **out_place);
// The values as a vector; strings move, and |values| has none afterwards.
sli_status_t *sli_values_take(sli_values_t *values, sli_dtype_t type, sli_tensor_t **out_tensor);
void sli_values_deinitialize(sli_values_t *values, sli_dtype_t type);

#endif  // SLI_OPS_PARSE_FEATURE_H_
