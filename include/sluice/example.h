// tf.train.Example: named features, each a list of int64, float or bytes. Made,
// serialized and parsed outside of a graph; sl_parse_example (input.h) parses
// them in one. With feature lists, which have a feature for each step, it is a
// tf.train.SequenceExample, and its features are the context.
//
//   sl_example_t *example = sl_example_create();
//   sl_example_add_int64s(example, "label", &label, 1);
//   sl_example_add_bytes(example, "image_raw", pixels, 784);
//   sl_bytes_t bytes = sl_example_serialize(example);
//   sl_record_writer_write(writer, bytes.data, bytes.size, status);
//   sl_example_clear(example);  // for the next one
#ifndef SLUICE_EXAMPLE_H_
#define SLUICE_EXAMPLE_H_

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
// Without features, as at first; keeps its memory.
SL_EXPORT void sl_example_clear(sl_example_t *example);

// Appends to feature |key|, which is made if need be: with |count| 0 an empty one. A feature that has another type so
// far becomes one of this type alone.
SL_EXPORT void sl_example_add_int64s(sl_example_t *example, const char *key, const int64_t *values, size_t count);
SL_EXPORT void sl_example_add_floats(sl_example_t *example, const char *key, const float *values, size_t count);
// One element of |size| bytes.
SL_EXPORT void sl_example_add_bytes(sl_example_t *example, const char *key, const void *data, size_t size);

// Appends a step to the feature list |key|, which is made if need be. Steps may have different types.
SL_EXPORT void sl_example_add_step_int64s(sl_example_t *example, const char *key, const int64_t *values, size_t count);
SL_EXPORT void sl_example_add_step_floats(sl_example_t *example, const char *key, const float *values, size_t count);
SL_EXPORT void sl_example_add_step_bytes(sl_example_t *example, const char *key, const sl_bytes_t *elements,
                                         size_t count);
// Makes the list without a step, if need be.
SL_EXPORT void sl_example_add_list(sl_example_t *example, const char *key);

// The message: the bytes that Python's SerializeToString(deterministic=True) gives. Valid until the next call for
// |example|.
SL_EXPORT sl_bytes_t sl_example_serialize(sl_example_t *example);
// Takes over the features and lists of a serialized Example or SequenceExample; |example| has no others then.
// INVALID_ARGUMENT for anything else, and |example| has no features.
SL_EXPORT void sl_example_parse(sl_example_t *example, const void *data, size_t size, TF_Status *status);

// What a feature holds. Valid until the example changes.
typedef struct {
  const char *key;
  TF_DataType dtype;  // TF_INT64, TF_FLOAT or TF_STRING; 0: the message says of no type
  size_t count;
  const int64_t *int64s;  // the one of |dtype|; the others NULL
  const float *floats;
  const sl_bytes_t *bytes;
} sl_feature_t;

// The features in the order of their keys.
SL_EXPORT size_t sl_example_count(const sl_example_t *example);
SL_EXPORT sl_feature_t sl_example_at(const sl_example_t *example, size_t position);
// Feature |key|; with a NULL key if there is none.
SL_EXPORT sl_feature_t sl_example_find(const sl_example_t *example, const char *key);

// The keys of the feature lists, in order; NULL behind the last.
SL_EXPORT size_t sl_example_list_count(const sl_example_t *example);
SL_EXPORT const char *sl_example_list_at(const sl_example_t *example, size_t position);
// The steps of a list, none if there is no such list; and one of them, with a NULL key if there is none.
SL_EXPORT size_t sl_example_step_count(const sl_example_t *example, const char *key);
SL_EXPORT sl_feature_t sl_example_step_at(const sl_example_t *example, const char *key, size_t step);

SL_END_DECLS

#endif  // SLUICE_EXAMPLE_H_
