// Datasets, as tf.data: a pipeline that reads, shuffles, batches and parses records, and an iterator whose elements are
// inputs of the graph. It works in the background, on the task where it is built, and needs no queues and no threads of
// the program.
//
//   sl_dataset_t *data = sl_dataset_records(g, SL_STRINGS("a.tfrecords", "b.tfrecords"));
//   data = sl_dataset_shard(data, workers, worker);
//   data = sl_dataset_batch(sl_dataset_repeat(sl_dataset_shuffle(data, 10000, 0), -1), 100, false);
//   data = sl_dataset_prefetch(sl_dataset_parse(data, SL_FEATURES(
//       SL_FIXED_LEN_FEATURE("image", TF_FLOAT, SL_SHAPE(784)), SL_FIXED_LEN_FEATURE("label", TF_INT64, SL_SHAPE()))),
//       2);
//   sl_outputs_t next = sl_dataset_next(data);  // next.items[0] are images, next.items[1] labels
//
// Each function returns a new dataset and leaves the old one unchanged; all belong to the scope. After an error, which
// is in the scope, they return a dataset that cannot be used but can be passed on. A step that asks for an element
// after the last one fails with TF_OUT_OF_RANGE, which ends a training session.
#ifndef SLUICE_DATASET_H_
#define SLUICE_DATASET_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/function.h"
#include "sluice/input.h"

SL_BEGIN_DECLS

typedef struct sl_dataset sl_dataset_t;

enum { SL_AUTOTUNE = -1 };

// --- Sources ---

typedef struct {
  size_t struct_size;
  const char *compression;  // "", "ZLIB" or "GZIP". NULL: ""
} sl_dataset_options_t;

// The records of TFRecord files and the lines of text files, as scalar strings, in order.
SL_EXPORT sl_dataset_t *sl_dataset_records_with(sl_scope_t *scope, const char *const *files, size_t count,
                                                const sl_dataset_options_t *options);
#define sl_dataset_records(scope, ...) SL_DATASET_FILES_(sl_dataset_records_with, scope, __VA_ARGS__)
SL_EXPORT sl_dataset_t *sl_dataset_lines_with(sl_scope_t *scope, const char *const *files, size_t count,
                                              const sl_dataset_options_t *options);
#define sl_dataset_lines(scope, ...) SL_DATASET_FILES_(sl_dataset_lines_with, scope, __VA_ARGS__)
#define SL_DATASET_FILES_(function, scope, ...) SL_DATASET_FILES_AT_(function, scope, __VA_ARGS__)
#define SL_DATASET_FILES_AT_(function, scope, files, count, ...) \
  function(SL_AT(scope), (files), (count), SL_OPTIONS(sl_dataset_options_t, __VA_ARGS__))
// The numbers from |start| to |stop| - 1, int64.
SL_EXPORT sl_dataset_t *sl_dataset_range_with(sl_scope_t *scope, int64_t start, int64_t stop);
#define sl_dataset_range(scope, start, stop) sl_dataset_range_with(SL_AT(scope), (start), (stop))

// --- Transformations ---

// Sets the source line that errors name, as SL_AT; returns |dataset|.
SL_EXPORT const sl_dataset_t *sl_dataset_at(const sl_dataset_t *dataset, const char *file, int line);
#define SL_DATASET_AT(dataset) sl_dataset_at((dataset), __FILE__, __LINE__)

// Every |shards|-th element, beginning with number |shard|: together the shards have every element once.
SL_EXPORT sl_dataset_t *sl_dataset_shard_with(const sl_dataset_t *dataset, int64_t shards, int64_t shard);
#define sl_dataset_shard(dataset, shards, shard) sl_dataset_shard_with(SL_DATASET_AT(dataset), (shards), (shard))
// The share of worker |shard| in |dataset|, as tf.data's AutoShardPolicy. FILE: whole files, so that each worker reads
// its own only; there must be one for each worker. DATA: every |shards|-th element. AUTO: FILE if there are enough
// files, else DATA. OFF: everything. By file, the order of the steps does not matter: a shuffle or a batch before it
// sees the files of this worker.
typedef enum {
  SL_AUTO_SHARD_OFF = -1,
  SL_AUTO_SHARD_AUTO = 0,
  SL_AUTO_SHARD_FILE = 1,
  SL_AUTO_SHARD_DATA = 2,
} sl_auto_shard_policy_t;
SL_EXPORT sl_dataset_t *sl_dataset_auto_shard_with(const sl_dataset_t *dataset, int64_t shards, int64_t shard,
                                                   sl_auto_shard_policy_t policy);
#define sl_dataset_auto_shard(dataset, shards, shard, policy) \
  sl_dataset_auto_shard_with(SL_DATASET_AT(dataset), (shards), (shard), (policy))
// Draws each element from a buffer of |buffer_size|. The order differs in each epoch; |seed| 0: and in each run.
SL_EXPORT sl_dataset_t *sl_dataset_shuffle_with(const sl_dataset_t *dataset, int64_t buffer_size, int64_t seed);
#define sl_dataset_shuffle(dataset, buffer_size, seed) \
  sl_dataset_shuffle_with(SL_DATASET_AT(dataset), (buffer_size), (seed))
// |count| times; negative: without end.
SL_EXPORT sl_dataset_t *sl_dataset_repeat_with(const sl_dataset_t *dataset, int64_t count);
#define sl_dataset_repeat(dataset, count) sl_dataset_repeat_with(SL_DATASET_AT(dataset), (count))
SL_EXPORT sl_dataset_t *sl_dataset_take_with(const sl_dataset_t *dataset, int64_t count);
#define sl_dataset_take(dataset, count) sl_dataset_take_with(SL_DATASET_AT(dataset), (count))
SL_EXPORT sl_dataset_t *sl_dataset_skip_with(const sl_dataset_t *dataset, int64_t count);
#define sl_dataset_skip(dataset, count) sl_dataset_skip_with(SL_DATASET_AT(dataset), (count))
// Batches of |size| elements; the last may be smaller unless |drop_remainder|.
SL_EXPORT sl_dataset_t *sl_dataset_batch_with(const sl_dataset_t *dataset, int64_t size, bool drop_remainder);
#define sl_dataset_batch(dataset, size, drop_remainder) \
  sl_dataset_batch_with(SL_DATASET_AT(dataset), (size), (drop_remainder))
// Keeps the elements of the first epoch in memory.
SL_EXPORT sl_dataset_t *sl_dataset_cache_with(const sl_dataset_t *dataset);
#define sl_dataset_cache(dataset) sl_dataset_cache_with(SL_DATASET_AT(dataset))
// Fetches up to |count| elements ahead in the background; SL_AUTOTUNE: as many as the steps need.
SL_EXPORT sl_dataset_t *sl_dataset_prefetch_with(const sl_dataset_t *dataset, int64_t count);
#define sl_dataset_prefetch(dataset, count) sl_dataset_prefetch_with(SL_DATASET_AT(dataset), (count))
// Parses batches of serialized Examples, several at a time. An element has one component for each feature, in the order
// of |features|, which must be SL_FIXED_LEN.
SL_EXPORT sl_dataset_t *sl_dataset_parse_with(const sl_dataset_t *dataset, const sl_feature_spec_t *features,
                                              size_t count);
#define sl_dataset_parse(dataset, ...) sl_dataset_parse_with(SL_DATASET_AT(dataset), __VA_ARGS__)
// Calls a function for each element, several at a time; the order stays. |body| (function.h) gets the components and
// writes |result_count| results, which are the components of the new element. It may not use values from outside.
SL_EXPORT sl_dataset_t *sl_dataset_map_with(const sl_dataset_t *dataset, sl_function_body_t body, void *data,
                                            size_t result_count);
#define sl_dataset_map(dataset, body, data, result_count) \
  sl_dataset_map_with(SL_DATASET_AT(dataset), (body), (data), (result_count))

// --- Elements ---

// An iterator, and the components of its next element: a new one in each step. A new call makes a new iterator.
SL_EXPORT sl_outputs_t sl_dataset_next_with(const sl_dataset_t *dataset);
#define sl_dataset_next(dataset) sl_dataset_next_with(SL_DATASET_AT(dataset))

SL_END_DECLS

#endif  // SLUICE_DATASET_H_
