// Input pipelines of queues, as tf.train.* of TensorFlow 1.x: a producer puts
// file names (or numbers, or rows) into a queue, a reader takes records out of
// the files, a parser makes tensors of them, a batch gathers them in a second
// queue. Threads (queue_runner.h) keep the queues filled; training sessions start
// them. Nodes, queues and summaries have the names that Python gives them.
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

#include "sluice/losses.h"
#include "sluice/queue_runner.h"

SL_BEGIN_DECLS

// --- Producers: a queue, filled again and again with the same elements ---

typedef struct {
  size_t struct_size;
  const char *name;
  int64_t num_epochs;       // how often each element comes, counted by a local variable "epochs"; 0: for ever
  bool in_order;            // not shuffled; else each epoch has another order
  int64_t seed;             // of the order. 0: none
  int64_t capacity;         // of the queue. 0: 32
  const char *shared_name;  // of the queue
  TF_Operation *cancel_op;  // of the queue's runner. NULL: closes it
  // Of sl_input_producer alone:
  const sl_shape_t *element_shape;  // of a row, if the tensor does not tell
  const char *summary_name;         // of a summary of how full the queue is. NULL: none
} sl_producer_options_t;

// |count| texts: SL_STRINGS("a", "b") is both arguments.
#define SL_STRINGS(...) ((const char *const[]){__VA_ARGS__}), sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)

// All return the queue. Its summary is "fraction_of_CAPACITY_full".
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
// One row of each tensor, of the same number in all: not the queue but the rows.
SL_EXPORT sl_outputs_t sl_slice_input_producer_with(sl_scope_t *scope, sl_outputs_t tensors,
                                                    const sl_producer_options_t *options);
#define sl_slice_input_producer(scope, tensors, ...) \
  sl_slice_input_producer_with(SL_AT(scope), (tensors), SL_OPTIONS(sl_producer_options_t, __VA_ARGS__))
// |tensor|, |num_epochs| times; then a step that needs it ends with OUT_OF_RANGE. 0: |tensor| itself.
SL_EXPORT TF_Output sl_limit_epochs_with(sl_scope_t *scope, TF_Output tensor, int64_t num_epochs,
                                         const sl_op_options_t *options);
#define sl_limit_epochs(scope, tensor, num_epochs, ...) \
  sl_limit_epochs_with(SL_AT(scope), (tensor), (num_epochs), SL_OP_OPTIONS(__VA_ARGS__))

// --- Readers: what the files named in a queue hold, record by record ---

typedef struct {
  size_t struct_size;
  const char *name;
  const char *compression;  // of TFRecords: "", "ZLIB" or "GZIP". NULL: ""
  int64_t skip_header_lines;
  int64_t header_bytes, footer_bytes, hop_bytes;  // of records of a fixed length
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

// A record and where it is from, "FILE:NUMBER"; or vectors of them.
typedef struct {
  TF_Output key, value;
} sl_record_t;
// The next record of the file that is being read, else of the next that |queue| names.
SL_EXPORT sl_record_t sl_reader_read_with(sl_scope_t *scope, TF_Output reader, TF_Output queue,
                                          const sl_op_options_t *options);
#define sl_reader_read(scope, reader, queue, ...) \
  sl_reader_read_with(SL_AT(scope), (reader), (queue), SL_OP_OPTIONS(__VA_ARGS__))
// Up to |count| of them; much faster, with sl_parse_example and a batch with .enqueue_many after it.
SL_EXPORT sl_record_t sl_reader_read_up_to_with(sl_scope_t *scope, TF_Output reader, TF_Output queue, int64_t count,
                                                const sl_op_options_t *options);
#define sl_reader_read_up_to(scope, reader, queue, count, ...) \
  sl_reader_read_up_to_with(SL_AT(scope), (reader), (queue), (count), SL_OP_OPTIONS(__VA_ARGS__))

// --- Parsing tf.train.Example (example.h makes them) ---

typedef enum { SL_FIXED_LEN = 0, SL_VAR_LEN, SL_FIXED_LEN_SEQUENCE } sl_feature_kind_t;

typedef struct {
  sl_feature_kind_t kind;
  const char *key;
  TF_DataType dtype;  // TF_FLOAT, TF_INT64 or TF_STRING
  sl_shape_t shape;   // of the feature, or of each element of a sequence
  // What stands in for a feature that an Example lacks; none: that is an error. One number may stand for all elements.
  const double *default_values;
  size_t default_count;
  const char *default_text;  // of strings
  bool allow_missing;        // of a feature list: a SequenceExample without it has one of no steps
} sl_feature_spec_t;

// As tf.FixedLenFeature, tf.VarLenFeature, tf.FixedLenSequenceFeature (whose missing parts are padding).
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
// The features as two arguments.
#define SL_FEATURES(...)                      \
  ((const sl_feature_spec_t[]){__VA_ARGS__}), \
      sizeof((const sl_feature_spec_t[]){__VA_ARGS__}) / sizeof(sl_feature_spec_t)
#define SL_NO_FEATURES ((const sl_feature_spec_t *)NULL), (size_t)0

typedef struct {
  size_t struct_size;
  const char *name;
  TF_Output example_names;  // shown in errors, as many as examples. Empty: none. Not of sl_parse_single_example
} sl_parse_options_t;

// The features of an Example; belongs to the scope.
typedef struct sl_parsed sl_parsed_t;
// Of a vector of serialized Examples: dense features have a row for each.
SL_EXPORT sl_parsed_t *sl_parse_example_with(sl_scope_t *scope, TF_Output serialized, const sl_feature_spec_t *features,
                                             size_t count, const sl_parse_options_t *options);
#define sl_parse_example(scope, serialized, ...) \
  SL_PARSE_EXAMPLE_(sl_parse_example_with, scope, serialized, __VA_ARGS__)
// Of one.
SL_EXPORT sl_parsed_t *sl_parse_single_example_with(sl_scope_t *scope, TF_Output serialized,
                                                    const sl_feature_spec_t *features, size_t count,
                                                    const sl_parse_options_t *options);
#define sl_parse_single_example(scope, serialized, ...) \
  SL_PARSE_EXAMPLE_(sl_parse_single_example_with, scope, serialized, __VA_ARGS__)
#define SL_PARSE_EXAMPLE_(function, scope, serialized, features, count, ...) \
  function(SL_AT(scope), (serialized), (features), (count), SL_OPTIONS(sl_parse_options_t, __VA_ARGS__))
// The feature |key|: one that is fixed in length, or one that is not. Another is an error of the scope.
SL_EXPORT TF_Output sl_parsed_dense(const sl_parsed_t *parsed, const char *key);
SL_EXPORT sl_sparse_t sl_parsed_sparse(const sl_parsed_t *parsed, const char *key);

// A SequenceExample has features of its own, the context, and feature lists: a feature for each step. Context features
// are SL_FIXED_LEN or SL_VAR_LEN; lists are SL_FIXED_LEN_SEQUENCE, whose shape is that of a step, or SL_VAR_LEN.
//
//   sl_parsed_sequence_t parsed = sl_parse_single_sequence_example(g, record.value,
//       SL_FEATURES(SL_FIXED_LEN_FEATURE("id", TF_INT64, SL_SHAPE())),
//       SL_FEATURES(SL_FIXED_LEN_SEQUENCE_FEATURE("frames", TF_FLOAT, SL_SHAPE(13)),
//                   SL_FIXED_LEN_SEQUENCE_FEATURE("words", TF_STRING, SL_SHAPE(), .allow_missing = true)));
//   TF_Output frames = sl_parsed_dense(parsed.lists, "frames");  // [steps, 13]
typedef struct {
  sl_parsed_t *context, *lists;
} sl_parsed_sequence_t;
// Of a vector of serialized SequenceExamples: dense lists are [examples, most steps, …], zeros where one has fewer.
SL_EXPORT sl_parsed_sequence_t sl_parse_sequence_example_with(sl_scope_t *scope, TF_Output serialized,
                                                              const sl_feature_spec_t *context, size_t context_count,
                                                              const sl_feature_spec_t *lists, size_t list_count,
                                                              const sl_parse_options_t *options);
#define sl_parse_sequence_example(scope, serialized, ...) \
  SL_PARSE_SEQUENCE_EXAMPLE_(sl_parse_sequence_example_with, scope, serialized, __VA_ARGS__)
// Of one.
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
// How many steps the dense list |key| has in each example, int64.
SL_EXPORT TF_Output sl_parsed_lengths(const sl_parsed_t *lists, const char *key);

// The bytes of strings as little-endian numbers: the last dimension is how many.
SL_EXPORT TF_Output sl_decode_raw_with(sl_scope_t *scope, TF_Output bytes, TF_DataType dtype,
                                       const sl_op_options_t *options);
#define sl_decode_raw(scope, bytes, dtype, ...) \
  sl_decode_raw_with(SL_AT(scope), (bytes), (dtype), SL_OP_OPTIONS(__VA_ARGS__))

// --- Batches: one output for each tensor, with the batch as a new first dimension ---

typedef struct {
  size_t struct_size;
  const char *name;
  int num_threads;                 // that enqueue the same tensors. 0: 1. Not of _join, which has one for each list
  int64_t capacity;                // of the queue. 0: 32. Of the shuffling ones it is an argument
  bool enqueue_many;               // the tensors are batches already, of any size
  bool dynamic_pad;                // sizes may be unknown: elements are padded. Not of the shuffling ones
  bool allow_smaller_final_batch;  // at the end of the input; the batch's size is then unknown
  const sl_shape_t *shapes;        // of the elements, one for each tensor. NULL: as the tensors say
  const char *shared_name;         // of the queue
  int64_t seed;                    // of the shuffling ones. 0: none
  // A scalar bool: whether the tensors are enqueued at all; with .enqueue_many also a vector: which rows are. Empty:
  // always. As tf.train.maybe_batch and maybe_shuffle_batch.
  TF_Output keep_input;
  const size_t *sparse_at;  // where in the list sparse tensors begin, rising: SL_SPARSE_AT
  size_t sparse_count;
} sl_batch_options_t;

// A sparse tensor goes into a list as its three parts, and SL_SPARSE_AT says where. It comes out in the same place,
// stacked, with the largest shape of the batch behind the batch's size; elements of .shapes for its parts are passed
// over. It waits in a map of the task while the queue has its handle, as in Python.
//
//   sl_outputs_t batch = sl_batch(g, SL_OUTPUTS(image, SL_SPARSE(label), length), 32, SL_SPARSE_AT(1));
//   sl_sparse_t labels = sl_outputs_sparse(batch, 1);  // batch.items[4] are the lengths
#define SL_SPARSE(sparse) (sparse).indices, (sparse).values, (sparse).dense_shape
#define SL_SPARSE_AT(...) \
  .sparse_at = (const size_t[]){__VA_ARGS__}, .sparse_count = sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t)
// The three parts at |position|; empty ones behind the end.
SL_EXPORT sl_sparse_t sl_outputs_sparse(sl_outputs_t outputs, size_t position);

// A queue that is closed and has less than a batch ends the step with OUT_OF_RANGE.
SL_EXPORT sl_outputs_t sl_batch_with(sl_scope_t *scope, sl_outputs_t tensors, int32_t batch_size,
                                     const sl_batch_options_t *options);
#define sl_batch(scope, tensors, batch_size, ...) \
  sl_batch_with(SL_AT(scope), (tensors), (batch_size), SL_OPTIONS(sl_batch_options_t, __VA_ARGS__))
// From several lists of tensors of the same types (one reader each, as a rule), each with a thread of its own. What
// SL_OUTPUTS makes is gone at the end of its block: lists that a loop makes need arrays of their own.
SL_EXPORT sl_outputs_t sl_batch_join_with(sl_scope_t *scope, const sl_outputs_t *lists, size_t count,
                                          int32_t batch_size, const sl_batch_options_t *options);
#define sl_batch_join(scope, lists, count, batch_size, ...) \
  sl_batch_join_with(SL_AT(scope), (lists), (count), (batch_size), SL_OPTIONS(sl_batch_options_t, __VA_ARGS__))
// In random order: at least |min_after_dequeue| elements stay behind to be mixed with, of at most |capacity|.
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
