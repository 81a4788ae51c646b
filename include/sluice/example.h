// tf.train.Example: named features, each a list of int64, float or bytes. These
// functions create, serialize and parse Examples outside of a graph;
// sl_parse_example (input.h) parses them in a graph. An Example with feature lists,
// which have one feature for each step, is a tf.train.SequenceExample; its features
// are the context.
//
//   sl_example_t *example = sl_example_create();
//   sl_example_add_int64s(example, "label", &label, 1);
//   sl_example_add_bytes(example, "image_raw", pixels, 784);
//   sl_bytes_t bytes = sl_example_serialize(example);
//   sl_record_writer_write(writer, bytes.data, bytes.size, status);
//   sl_example_clear(example);  // for the next one
#ifndef SLUICE_EXAMPLE_H_
#define SLUICE_EXAMPLE_H_

#pragma GCC system_header  // see sluice/export.h

#include <stddef.h>
#include <stdint.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

// Thread-compatible.
typedef struct sl_example sl_example_t;

typedef struct {
  const char *data;
  size_t size;
} sl_bytes_t;

SL_EXPORT sl_example_t *sl_example_create(void);
// NULL is fine.
SL_EXPORT void sl_example_release(sl_example_t *example);
// Removes all features and lists; keeps the memory for reuse.
SL_EXPORT void sl_example_clear(sl_example_t *example);

// Appends values to feature |key|, which is created if necessary; |count| may be 0. If the feature has another type,
// its values are discarded first.
SL_EXPORT void sl_example_add_int64s(sl_example_t *example, const char *key, const int64_t *values, size_t count);
SL_EXPORT void sl_example_add_floats(sl_example_t *example, const char *key, const float *values, size_t count);
// Appends one element of |size| bytes.
SL_EXPORT void sl_example_add_bytes(sl_example_t *example, const char *key, const void *data, size_t size);

// Appends a step to the feature list |key|, which is created if necessary. Steps may have different types.
SL_EXPORT void sl_example_add_step_int64s(sl_example_t *example, const char *key, const int64_t *values, size_t count);
SL_EXPORT void sl_example_add_step_floats(sl_example_t *example, const char *key, const float *values, size_t count);
SL_EXPORT void sl_example_add_step_bytes(sl_example_t *example, const char *key, const sl_bytes_t *elements,
                                         size_t count);
// Creates the feature list |key| without steps, if it does not exist.
SL_EXPORT void sl_example_add_list(sl_example_t *example, const char *key);

// The same bytes as Python's SerializeToString(deterministic=True). Valid until the next call with |example|.
SL_EXPORT sl_bytes_t sl_example_serialize(sl_example_t *example);
// Replaces the content of |example| by that of a serialized Example or SequenceExample. If the bytes are something
// else, sets INVALID_ARGUMENT and leaves |example| empty.
SL_EXPORT void sl_example_parse(sl_example_t *example, const void *data, size_t size, TF_Status *status);

// The values of a feature. Valid until the example changes.
typedef struct {
  const char *key;
  TF_DataType dtype;  // TF_INT64, TF_FLOAT or TF_STRING; 0: the message gives no type
  size_t count;
  const int64_t *int64s;  // only the array of |dtype| is set; the others are NULL
  const float *floats;
  const sl_bytes_t *bytes;
} sl_feature_t;

// The features in the order of their keys.
SL_EXPORT size_t sl_example_count(const sl_example_t *example);
SL_EXPORT sl_feature_t sl_example_at(const sl_example_t *example, size_t position);
// Feature |key|; its key is NULL if there is no such feature.
SL_EXPORT sl_feature_t sl_example_find(const sl_example_t *example, const char *key);

// The number of feature lists, and their keys in order; NULL if |position| is out of range.
SL_EXPORT size_t sl_example_list_count(const sl_example_t *example);
SL_EXPORT const char *sl_example_list_at(const sl_example_t *example, size_t position);
// The number of steps of a list, 0 if there is no such list; and one of the steps, whose key is NULL if there is no
// such step.
SL_EXPORT size_t sl_example_step_count(const sl_example_t *example, const char *key);
SL_EXPORT sl_feature_t sl_example_step_at(const sl_example_t *example, const char *key, size_t step);

SL_END_DECLS

#endif  // SLUICE_EXAMPLE_H_
