// Input pipelines made of queues, as tf.train.* of TensorFlow 1.x: a producer puts
// file names (or numbers, or rows) into a queue, a reader reads records from the
// files, a parser converts them to tensors, and a batch collects them in a second
// queue. Threads (queue_runner.h) keep the queues filled; training sessions start
// them. Nodes, queues and summaries have Python's names.
//
//   TF_Output files = sl_string_input_producer(g, SL_STRINGS("train.tfrecords"), .num_epochs = 10);
//   sl_record_t record = sl_reader_read(g, sl_tf_record_reader(g), files);
//   sl_parsed_t *parsed = sl_parse_single_example(g, record.value, SL_FEATURES(
//       SL_FIXED_LEN_FEATURE("image_raw", TF_STRING, SL_SHAPE()), SL_FIXED_LEN_FEATURE("label", TF_INT64,
//       SL_SHAPE())));
//   …
//   sl_outputs_t batch = sl_shuffle_batch(g, SL_OUTPUTS(image, label), 100, 10300, 10000);  // batch.items[0], [1]
#ifndef SLUICE_INPUT_H_
#define SLUICE_INPUT_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/losses.h"
#include "sluice/queue_runner.h"

SL_BEGIN_DECLS

// --- Producers: a queue that is filled repeatedly with the same elements ---

typedef struct {
  size_t struct_size;
  const char *name;
  int64_t num_epochs;       // how often each element is produced, counted by a local variable "epochs"; 0: no limit
  bool in_order;            // do not shuffle; else each epoch has a different order
  int64_t seed;             // of the order. 0: none
  int64_t capacity;         // of the queue. 0: 32
  const char *shared_name;  // of the queue
  TF_Operation *cancel_op;  // of the queue's runner. NULL: one that closes the queue
  // The rest is for sl_input_producer only.
  const sl_shape_t *element_shape;  // of a row; needed if the shape of the tensor is not known
  const char *summary_name;         // of a summary of how full the queue is. NULL: no summary
} sl_producer_options_t;

// SL_STRINGS("a", "b") stands for two arguments: an array of strings and their number.
#define SL_STRINGS(...) ((const char *const[]){__VA_ARGS__}), sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)

// All but sl_slice_input_producer return the queue. Its summary is "fraction_of_CAPACITY_full".
SL_EXPORT TF_Output sl_string_input_producer_with(sl_scope_t *scope, const char *const *strings, size_t count,
                                                  const sl_producer_options_t *options);
#define sl_string_input_producer(scope, ...) SL_STRING_INPUT_PRODUCER_(scope, __VA_ARGS__)
#define SL_STRING_INPUT_PRODUCER_(scope, strings, count, ...) \
  sl_string_input_producer_with(SL_AT(scope), (strings), (count), SL_OPTIONS(sl_producer_options_t, __VA_ARGS__))
// The numbers from 0 to |limit| - 1, int32.
SL_EXPORT TF_Output sl_range_input_producer_with(sl_scope_t *scope, int32_t limit,
                                                 const sl_producer_options_t *options);
#define sl_range_input_producer(scope, limit, ...) \
  sl_range_input_producer_with(SL_AT(scope), (limit), SL_OPTIONS(sl_producer_options_t, __VA_ARGS__))
// The rows of |tensor|.
SL_EXPORT TF_Output sl_input_producer_with(sl_scope_t *scope, TF_Output tensor, const sl_producer_options_t *options);
#define sl_input_producer(scope, tensor, ...) \
  sl_input_producer_with(SL_AT(scope), (tensor), SL_OPTIONS(sl_producer_options_t, __VA_ARGS__))
// One row of each tensor, with the same index in all. Returns the rows, not the queue.
SL_EXPORT sl_outputs_t sl_slice_input_producer_with(sl_scope_t *scope, sl_outputs_t tensors,
                                                    const sl_producer_options_t *options);
#define sl_slice_input_producer(scope, tensors, ...) \
  sl_slice_input_producer_with(SL_AT(scope), (tensors), SL_OPTIONS(sl_producer_options_t, __VA_ARGS__))
// |tensor|, which can be evaluated |num_epochs| times. After that a step that needs it fails with OUT_OF_RANGE. 0:
// |tensor| itself.
SL_EXPORT TF_Output sl_limit_epochs_with(sl_scope_t *scope, TF_Output tensor, int64_t num_epochs,
                                         const sl_op_options_t *options);
#define sl_limit_epochs(scope, tensor, num_epochs, ...) \
  sl_limit_epochs_with(SL_AT(scope), (tensor), (num_epochs), SL_OP_OPTIONS(__VA_ARGS__))

// --- Readers: read records from the files whose names are in a queue ---

typedef struct {
  size_t struct_size;
  const char *name;
  const char *compression;                        // of TFRecord files: "", "ZLIB" or "GZIP". NULL: ""
  int64_t skip_header_lines;                      // of text files
  int64_t header_bytes, footer_bytes, hop_bytes;  // of files with records of a fixed length
} sl_reader_options_t;

SL_EXPORT TF_Output sl_tf_record_reader_with(sl_scope_t *scope, const sl_reader_options_t *options);
#define sl_tf_record_reader(scope, ...) \
  sl_tf_record_reader_with(SL_AT(scope), SL_OPTIONS(sl_reader_options_t, __VA_ARGS__))
SL_EXPORT TF_Output sl_text_line_reader_with(sl_scope_t *scope, const sl_reader_options_t *options);
#define sl_text_line_reader(scope, ...) \
  sl_text_line_reader_with(SL_AT(scope), SL_OPTIONS(sl_reader_options_t, __VA_ARGS__))
SL_EXPORT TF_Output sl_whole_file_reader_with(sl_scope_t *scope, const sl_reader_options_t *options);
#define sl_whole_file_reader(scope, ...) \
  sl_whole_file_reader_with(SL_AT(scope), SL_OPTIONS(sl_reader_options_t, __VA_ARGS__))
SL_EXPORT TF_Output sl_identity_reader_with(sl_scope_t *scope, const sl_reader_options_t *options);
#define sl_identity_reader(scope, ...) \
  sl_identity_reader_with(SL_AT(scope), SL_OPTIONS(sl_reader_options_t, __VA_ARGS__))
SL_EXPORT TF_Output sl_fixed_length_record_reader_with(sl_scope_t *scope, int64_t record_bytes,
                                                       const sl_reader_options_t *options);
#define sl_fixed_length_record_reader(scope, record_bytes, ...) \
  sl_fixed_length_record_reader_with(SL_AT(scope), (record_bytes), SL_OPTIONS(sl_reader_options_t, __VA_ARGS__))

// A record (|value|) and where it comes from, "FILE:NUMBER" (|key|); or vectors of them.
typedef struct {
  TF_Output key, value;
} sl_record_t;
// The next record of the current file. At the end of a file the next file name is taken from |queue|.
SL_EXPORT sl_record_t sl_reader_read_with(sl_scope_t *scope, TF_Output reader, TF_Output queue,
                                          const sl_op_options_t *options);
#define sl_reader_read(scope, reader, queue, ...) \
  sl_reader_read_with(SL_AT(scope), (reader), (queue), SL_OP_OPTIONS(__VA_ARGS__))
// Up to |count| records at once. Followed by sl_parse_example and a batch with .enqueue_many this is much faster.
SL_EXPORT sl_record_t sl_reader_read_up_to_with(sl_scope_t *scope, TF_Output reader, TF_Output queue, int64_t count,
                                                const sl_op_options_t *options);
#define sl_reader_read_up_to(scope, reader, queue, count, ...) \
  sl_reader_read_up_to_with(SL_AT(scope), (reader), (queue), (count), SL_OP_OPTIONS(__VA_ARGS__))

// --- Parsing tf.train.Example (example.h creates them) ---

typedef enum { SL_FIXED_LEN = 0, SL_VAR_LEN, SL_FIXED_LEN_SEQUENCE } sl_feature_kind_t;

typedef struct {
  sl_feature_kind_t kind;
  const char *key;
  TF_DataType dtype;  // TF_FLOAT, TF_INT64 or TF_STRING
  sl_shape_t shape;   // of the feature, or of each element of a sequence
  // The default of a feature that an Example lacks, one value for each element. Without one, a missing feature is an
  // error.
  const double *default_values;
  size_t default_count;
  const char *default_text;  // of strings
  bool allow_missing;        // of a feature list: treat a missing list as a list without steps
} sl_feature_spec_t;

// As tf.FixedLenFeature, tf.VarLenFeature and tf.FixedLenSequenceFeature (which pads shorter sequences).
#define SL_FIXED_LEN_FEATURE(key_, dtype_, ...) SL_FIXED_LEN_FEATURE_(key_, dtype_, __VA_ARGS__)
#define SL_FIXED_LEN_FEATURE_(key_, dtype_, shape_, ...) \
  ((sl_feature_spec_t){.key = (key_), .dtype = (dtype_), .shape = shape_, __VA_ARGS__})
#define SL_VAR_LEN_FEATURE(key_, dtype_) ((sl_feature_spec_t){.kind = SL_VAR_LEN, .key = (key_), .dtype = (dtype_)})
#define SL_FIXED_LEN_SEQUENCE_FEATURE(key_, dtype_, ...) SL_FIXED_LEN_SEQUENCE_FEATURE_(key_, dtype_, __VA_ARGS__)
#define SL_FIXED_LEN_SEQUENCE_FEATURE_(key_, dtype_, shape_, ...) \
  ((sl_feature_spec_t){.kind = SL_FIXED_LEN_SEQUENCE, .key = (key_), .dtype = (dtype_), .shape = shape_, __VA_ARGS__})
// SL_FIXED_LEN_FEATURE("age", TF_INT64, SL_SHAPE(1), SL_DEFAULT(-1)).
#define SL_DEFAULT(...) \
  .default_values = (const double[]){__VA_ARGS__}, .default_count = sizeof((double[]){__VA_ARGS__}) / sizeof(double)
// SL_FEATURES(…) stands for two arguments: an array of features and their number.
#define SL_FEATURES(...)                      \
  ((const sl_feature_spec_t[]){__VA_ARGS__}), \
      sizeof((const sl_feature_spec_t[]){__VA_ARGS__}) / sizeof(sl_feature_spec_t)
#define SL_NO_FEATURES ((const sl_feature_spec_t *)NULL), (size_t)0

typedef struct {
  size_t struct_size;
  const char *name;
  TF_Output example_names;  // shown in errors, one for each example. Empty: none. Not for sl_parse_single_example
} sl_parse_options_t;

// The parsed features. Owned by the scope.
typedef struct sl_parsed sl_parsed_t;
// Parses a vector of serialized Examples: dense features have one row for each.
SL_EXPORT sl_parsed_t *sl_parse_example_with(sl_scope_t *scope, TF_Output serialized, const sl_feature_spec_t *features,
                                             size_t count, const sl_parse_options_t *options);
#define sl_parse_example(scope, serialized, ...) \
  SL_PARSE_EXAMPLE_(sl_parse_example_with, scope, serialized, __VA_ARGS__)
// Parses one serialized Example.
SL_EXPORT sl_parsed_t *sl_parse_single_example_with(sl_scope_t *scope, TF_Output serialized,
                                                    const sl_feature_spec_t *features, size_t count,
                                                    const sl_parse_options_t *options);
#define sl_parse_single_example(scope, serialized, ...) \
  SL_PARSE_EXAMPLE_(sl_parse_single_example_with, scope, serialized, __VA_ARGS__)
#define SL_PARSE_EXAMPLE_(function, scope, serialized, features, count, ...) \
  function(SL_AT(scope), (serialized), (features), (count), SL_OPTIONS(sl_parse_options_t, __VA_ARGS__))
// The feature |key| of fixed length, and the feature |key| of variable length. Sets an error in the scope if there is
// no such feature.
SL_EXPORT TF_Output sl_parsed_dense_with(const sl_parsed_t *parsed, const char *key);
#define sl_parsed_dense(parsed, key) sl_parsed_dense_with(SL_PARSED_AT(parsed), (key))
SL_EXPORT sl_sparse_t sl_parsed_sparse_with(const sl_parsed_t *parsed, const char *key);
#define sl_parsed_sparse(parsed, key) sl_parsed_sparse_with(SL_PARSED_AT(parsed), (key))
// Sets the source line that errors name, as SL_AT; returns |parsed|.
SL_EXPORT const sl_parsed_t *sl_parsed_at(const sl_parsed_t *parsed, const char *file, int line);
#define SL_PARSED_AT(parsed) sl_parsed_at((parsed), __FILE__, __LINE__)

// A SequenceExample has context features and feature lists, which have one feature for each step. Context features are
// SL_FIXED_LEN or SL_VAR_LEN. Feature lists are SL_FIXED_LEN_SEQUENCE, whose shape is that of a step, or SL_VAR_LEN.
//
//   sl_parsed_sequence_t parsed = sl_parse_single_sequence_example(g, record.value,
//       SL_FEATURES(SL_FIXED_LEN_FEATURE("id", TF_INT64, SL_SHAPE())),
//       SL_FEATURES(SL_FIXED_LEN_SEQUENCE_FEATURE("frames", TF_FLOAT, SL_SHAPE(13)),
//                   SL_FIXED_LEN_SEQUENCE_FEATURE("words", TF_STRING, SL_SHAPE(), .allow_missing = true)));
//   TF_Output frames = sl_parsed_dense(parsed.lists, "frames");  // [steps, 13]
typedef struct {
  sl_parsed_t *context, *lists;
} sl_parsed_sequence_t;
// Parses a vector of serialized SequenceExamples: dense lists are [examples, largest number of steps, …], padded with
// zeros.
SL_EXPORT sl_parsed_sequence_t sl_parse_sequence_example_with(sl_scope_t *scope, TF_Output serialized,
                                                              const sl_feature_spec_t *context, size_t context_count,
                                                              const sl_feature_spec_t *lists, size_t list_count,
                                                              const sl_parse_options_t *options);
#define sl_parse_sequence_example(scope, serialized, ...) \
  SL_PARSE_SEQUENCE_EXAMPLE_(sl_parse_sequence_example_with, scope, serialized, __VA_ARGS__)
// Parses one serialized SequenceExample.
SL_EXPORT sl_parsed_sequence_t sl_parse_single_sequence_example_with(sl_scope_t *scope, TF_Output serialized,
                                                                     const sl_feature_spec_t *context,
                                                                     size_t context_count,
                                                                     const sl_feature_spec_t *lists, size_t list_count,
                                                                     const sl_parse_options_t *options);
#define sl_parse_single_sequence_example(scope, serialized, ...) \
  SL_PARSE_SEQUENCE_EXAMPLE_(sl_parse_single_sequence_example_with, scope, serialized, __VA_ARGS__)
#define SL_PARSE_SEQUENCE_EXAMPLE_(function, scope, serialized, context, context_count, lists, list_count, ...) \
  function(SL_AT(scope), (serialized), (context), (context_count), (lists), (list_count),                       \
           SL_OPTIONS(sl_parse_options_t, __VA_ARGS__))
// The number of steps of the dense list |key| in each example, int64.
SL_EXPORT TF_Output sl_parsed_lengths_with(const sl_parsed_t *lists, const char *key);
#define sl_parsed_lengths(lists, key) sl_parsed_lengths_with(SL_PARSED_AT(lists), (key))

// Decodes the bytes of each string as little-endian numbers; they become a new last dimension.
SL_EXPORT TF_Output sl_decode_raw_with(sl_scope_t *scope, TF_Output bytes, TF_DataType dtype,
                                       const sl_op_options_t *options);
#define sl_decode_raw(scope, bytes, dtype, ...) \
  sl_decode_raw_with(SL_AT(scope), (bytes), (dtype), SL_OP_OPTIONS(__VA_ARGS__))

// --- Batches: one output for each tensor, with the batch as a new first dimension ---

typedef struct {
  size_t struct_size;
  const char *name;
  int num_threads;                 // that enqueue the same tensors. 0: 1. The _join functions use one for each list
  int64_t capacity;                // of the queue. 0: 32. An argument of the shuffling functions
  bool enqueue_many;               // the tensors are batches already, of any size
  bool dynamic_pad;                // allow unknown dimensions and pad the elements. Not when shuffling
  bool allow_smaller_final_batch;  // at the end of the input; the size of the batch is then not known in advance
  const sl_shape_t *shapes;        // of the elements, one for each tensor. NULL: those of the tensors
  const char *shared_name;         // of the queue
  int64_t seed;                    // of the shuffling functions. 0: none
  // A scalar bool: whether to enqueue the tensors. With .enqueue_many it can also be a vector: which rows to enqueue.
  // Empty: always. As tf.train.maybe_batch and maybe_shuffle_batch.
  TF_Output keep_input;
  const size_t *sparse_at;  // the positions at which sparse tensors begin, in rising order: SL_SPARSE_AT
  size_t sparse_count;
} sl_batch_options_t;

// A sparse tensor is listed as its three parts; SL_SPARSE_AT gives the position of the first. The batch has it at the
// same position, stacked: its shape is the batch size followed by the largest shape of the elements. Entries of .shapes
// for its parts are ignored. As in Python, the tensor is stored in a map of the task while the queue holds its handle.
//
//   sl_outputs_t batch = sl_batch(g, SL_OUTPUTS(image, SL_SPARSE(label), length), 32, SL_SPARSE_AT(1));
//   sl_sparse_t labels = sl_outputs_sparse(batch, 1);  // batch.items[4] are the lengths
#define SL_SPARSE(sparse) (sparse).indices, (sparse).values, (sparse).dense_shape
#define SL_SPARSE_AT(...) \
  .sparse_at = (const size_t[]){__VA_ARGS__}, .sparse_count = sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t)
// The sparse tensor at |position|; an empty one if |position| is out of range.
SL_EXPORT sl_sparse_t sl_outputs_sparse(sl_outputs_t outputs, size_t position);

// A step fails with OUT_OF_RANGE if the queue is closed and holds less than a batch.
SL_EXPORT sl_outputs_t sl_batch_with(sl_scope_t *scope, sl_outputs_t tensors, int32_t batch_size,
                                     const sl_batch_options_t *options);
#define sl_batch(scope, tensors, batch_size, ...) \
  sl_batch_with(SL_AT(scope), (tensors), (batch_size), SL_OPTIONS(sl_batch_options_t, __VA_ARGS__))
// Batches from several lists of tensors of the same types (usually one reader each); each list has its own thread. An
// SL_OUTPUTS list is valid only in the block it is written in: lists that are built in a loop need their own arrays.
SL_EXPORT sl_outputs_t sl_batch_join_with(sl_scope_t *scope, const sl_outputs_t *lists, size_t count,
                                          int32_t batch_size, const sl_batch_options_t *options);
#define sl_batch_join(scope, lists, count, batch_size, ...) \
  sl_batch_join_with(SL_AT(scope), (lists), (count), (batch_size), SL_OPTIONS(sl_batch_options_t, __VA_ARGS__))
// Batches in random order. At least |min_after_dequeue| elements stay in the queue so that they are well mixed; it
// holds at most |capacity|.
SL_EXPORT sl_outputs_t sl_shuffle_batch_with(sl_scope_t *scope, sl_outputs_t tensors, int32_t batch_size,
                                             int64_t capacity, int64_t min_after_dequeue,
                                             const sl_batch_options_t *options);
#define sl_shuffle_batch(scope, tensors, batch_size, capacity, min_after_dequeue, ...)          \
  sl_shuffle_batch_with(SL_AT(scope), (tensors), (batch_size), (capacity), (min_after_dequeue), \
                        SL_OPTIONS(sl_batch_options_t, __VA_ARGS__))
SL_EXPORT sl_outputs_t sl_shuffle_batch_join_with(sl_scope_t *scope, const sl_outputs_t *lists, size_t count,
                                                  int32_t batch_size, int64_t capacity, int64_t min_after_dequeue,
                                                  const sl_batch_options_t *options);
#define sl_shuffle_batch_join(scope, lists, count, batch_size, capacity, min_after_dequeue, ...)            \
  sl_shuffle_batch_join_with(SL_AT(scope), (lists), (count), (batch_size), (capacity), (min_after_dequeue), \
                             SL_OPTIONS(sl_batch_options_t, __VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_INPUT_H_
