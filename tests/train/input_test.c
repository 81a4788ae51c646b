// Input pipelines: compares the nodes with those of TensorFlow's Python library, and checks the data they produce.
#include "base/array.h"
#include "base/string.h"
#include "base/test.h"
#include "sluice/ops.h"
#include "tests/train/golden.h"
#include "train/graph/build.h"

#define FILES SL_STRINGS("a.tfrecord", "b.tfrecord")

SLI_TEST(test_producers_are_pythons) {
  sl_scope_t *s = sl_graph_scope();
  sl_string_input_producer(s, FILES);
  sl_string_input_producer(s, FILES, .num_epochs = 2, .in_order = true, .capacity = 8, .shared_name = "files",
                           .name = "files");
  sl_range_input_producer(s, 10, .num_epochs = 3, .seed = 7);
  TF_Output a = sl_placeholder(s, TF_FLOAT, SL_SHAPE(12, 3), .name = "a");
  TF_Output b = sl_placeholder(s, TF_INT64, SL_SHAPE(12), .name = "b");
  sl_slice_input_producer(s, SL_OUTPUTS(a, b), .capacity = 16);
  TF_Output c = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 2, 2), .name = "c");
  sl_slice_input_producer(s, SL_OUTPUTS(c), .in_order = true, .num_epochs = 1, .name = "slices");
  sl_input_producer(s, c, .in_order = true, .name = "rows");
  sl_input_producer(s, a, .num_epochs = 4, .summary_name = "fill", .shared_name = "shared");
  sl_limit_epochs(s, b, 5);
  sli_expect_listing(s, "input_producers");
  SLI_EXPECT_INT(sl_collection_count(s, SL_LOCAL_VARIABLES), 5);
  SLI_EXPECT_INT(sl_collection_count(s, SL_GLOBAL_VARIABLES), 0);
  SLI_EXPECT_INT(sl_collection_count(s, SL_SUMMARIES), 6);
  sl_scope_release(s);
}

SLI_TEST(test_batches_are_pythons) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(3), .name = "x");
  TF_Output y = sl_placeholder(s, TF_INT64, SL_SHAPE(), .name = "y");
  TF_Output z = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 2), .name = "z");
  TF_Output t = sl_placeholder(s, TF_STRING, SL_SHAPE(), .name = "s");
  TF_Output rows = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 4), .name = "rows");
  TF_Output labels = sl_placeholder(s, TF_INT32, SL_SHAPE(-1), .name = "labels");
  sl_outputs_t plain = sl_batch(s, SL_OUTPUTS(x, y), 5);
  sl_outputs_t small = sl_batch(s, SL_OUTPUTS(x), 4, .num_threads = 3, .capacity = 20,
                                .allow_smaller_final_batch = true, .shared_name = "q", .name = "small");
  sl_outputs_t padded = sl_batch(s, SL_OUTPUTS(z, t), 6, .dynamic_pad = true);
  sl_batch(s, SL_OUTPUTS(rows, labels), 7, .enqueue_many = true);
  sl_batch(s, SL_OUTPUTS(z), 3, .shapes = (const sl_shape_t[]){SL_SHAPE(5, 2)});
  sl_outputs_t xy = SL_OUTPUTS(x, y), xt = SL_OUTPUTS(x, t);
  sl_batch_join(s, ((sl_outputs_t[]){xy, xy, xy}), 3, 8);
  sl_batch_join(s, ((sl_outputs_t[]){SL_OUTPUTS(z), SL_OUTPUTS(z)}), 2, 9, .dynamic_pad = true, .capacity = 10,
                .allow_smaller_final_batch = true, .name = "join");
  sl_outputs_t shuffled = sl_shuffle_batch(s, xy, 10, 100, 50);
  sl_shuffle_batch(s, SL_OUTPUTS(rows, labels), 11, 200, 60, .num_threads = 4, .seed = 3, .enqueue_many = true,
                   .allow_smaller_final_batch = true, .shared_name = "r", .name = "shuffled");
  sl_shuffle_batch_join(s, ((sl_outputs_t[]){xt, xt}), 2, 12, 300, 70, .seed = 4);
  sl_shuffle_batch_join(s, ((sl_outputs_t[]){SL_OUTPUTS(rows), SL_OUTPUTS(rows)}), 2, 13, 400, 80, .enqueue_many = true,
                        .allow_smaller_final_batch = true);
  sli_expect_listing(s, "input_batches");
  const struct {
    TF_Output output;
    sl_shape_t shape;
  } shapes[] = {{plain.items[0], SL_SHAPE(5, 3)},     {plain.items[1], SL_SHAPE(5)},
                {small.items[0], SL_SHAPE(-1, 3)},    {padded.items[0], SL_SHAPE(6, -1, 2)},
                {shuffled.items[0], SL_SHAPE(10, 3)}, {shuffled.items[1], SL_SHAPE(10)}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(shapes); i++) {
    sl_shape_t found = sl_static_shape(s, shapes[i].output);
    SLI_EXPECT_INT(found.rank, shapes[i].shape.rank);
    for (int j = 0; j < found.rank; j++) SLI_EXPECT_INT(found.dims[j], shapes[i].shape.dims[j]);
  }
  sl_scope_release(s);
}

SLI_TEST(test_batches_of_what_is_kept_are_pythons) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(3), .name = "x");
  TF_Output y = sl_placeholder(s, TF_INT64, SL_SHAPE(), .name = "y");
  TF_Output rows = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 4), .name = "rows");
  TF_Output labels = sl_placeholder(s, TF_INT32, SL_SHAPE(-1), .name = "labels");
  TF_Output keep = sl_placeholder(s, TF_BOOL, SL_SHAPE(), .name = "keep");
  TF_Output which = sl_placeholder(s, TF_BOOL, SL_SHAPE(-1), .name = "which");
  sl_batch(s, SL_OUTPUTS(x, y), 5, .num_threads = 2, .keep_input = keep);
  sl_batch(s, SL_OUTPUTS(rows, labels), 6, .enqueue_many = true, .keep_input = which);
  sl_batch_join(s, ((sl_outputs_t[]){SL_OUTPUTS(x), SL_OUTPUTS(x)}), 2, 7, .keep_input = keep);
  sl_shuffle_batch(s, SL_OUTPUTS(rows, labels), 8, 100, 50, .enqueue_many = true, .keep_input = keep);
  sl_shuffle_batch_join(s, ((sl_outputs_t[]){SL_OUTPUTS(rows), SL_OUTPUTS(rows)}), 2, 9, 100, 50, .enqueue_many = true,
                        .keep_input = which);
  sli_expect_listing(s, "input_kept");
  sl_batch(s, SL_OUTPUTS(x), 5, .keep_input = which);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "`keep_input` cannot be a vector when `enqueue_many=False`.");
  sl_scope_release(s);
}

// Keeps the odd numbers of 0 to 9, one by one or as rows.
static void expect_odd_numbers(bool as_rows) {
  sl_scope_t *s = sl_graph_scope();
  double numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  TF_Output all = sl_cast(s, sl_constant(s, TF_DOUBLE, SL_SHAPE(10), numbers), TF_INT64);
  TF_Output tensor = all;
  if (!as_rows) tensor = sl_slice_input_producer(s, SL_OUTPUTS(all), .num_epochs = 1, .in_order = true).items[0];
  TF_Output odd = sl_cast(s, sl_binary(s, "FloorMod", "mod", tensor, sl_scalar(s, TF_INT64, 2), NULL), TF_BOOL);
  TF_Output batch = sl_batch(s, SL_OUTPUTS(tensor), 5, .enqueue_many = as_rows, .keep_input = odd).items[0];
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1);
  int64_t values[5] = {0};
  SLI_EXPECT(sl_run(session, SL_FETCH(batch, values, 5)));
  for (int i = 0; i < 5; i++) SLI_EXPECT_INT(values[i], 2 * i + 1);
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  sl_session_close(session);
  sl_scope_release(s);
}

SLI_TEST(test_only_what_is_kept_is_enqueued) {
  expect_odd_numbers(false);
  expect_odd_numbers(true);
}

static sl_sparse_t sparse_parts(sl_scope_t *s, const char *name, TF_DataType dtype, int rank) {
  char *names[3];
  static const char *const parts[] = {"indices", "values", "shape"};
  for (int i = 0; i < 3; i++) names[i] = sli_format("%s_%s", name, parts[i]);
  sl_sparse_t sparse = {.indices = sl_placeholder(s, TF_INT64, SL_SHAPE(-1, rank), .name = names[0])};
  sparse.values = sl_placeholder(s, dtype, SL_SHAPE(-1), .name = names[1]);
  sparse.dense_shape = sl_placeholder(s, TF_INT64, SL_SHAPE(rank), .name = names[2]);
  for (int i = 0; i < 3; i++) free(names[i]);
  return sparse;
}

SLI_TEST(test_batches_of_sparse_tensors_are_pythons) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(3), .name = "x");
  TF_Output z = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 2), .name = "z");
  TF_Output rows = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 4), .name = "rows");
  TF_Output keep = sl_placeholder(s, TF_BOOL, SL_SHAPE(), .name = "keep");
  TF_Output which = sl_placeholder(s, TF_BOOL, SL_SHAPE(-1), .name = "which");
  sl_sparse_t a = sparse_parts(s, "a", TF_INT64, 1), b = sparse_parts(s, "b", TF_INT64, 1);
  sl_sparse_t c = sparse_parts(s, "c", TF_STRING, 2), d = sparse_parts(s, "d", TF_STRING, 2);
  sl_outputs_t first = sl_batch(s, SL_OUTPUTS(x, SL_SPARSE(a)), 5, SL_SPARSE_AT(1));
  sl_outputs_t middle = sl_batch(s, SL_OUTPUTS(x, SL_SPARSE(a), z), 6, .dynamic_pad = true,
                                 .allow_smaller_final_batch = true, .name = "middle", SL_SPARSE_AT(1));
  sl_batch(s, SL_OUTPUTS(SL_SPARSE(a)), 7, .num_threads = 2, SL_SPARSE_AT(0));
  sl_batch(s, SL_OUTPUTS(rows, SL_SPARSE(c)), 8, .enqueue_many = true, SL_SPARSE_AT(1));
  sl_batch(s, SL_OUTPUTS(z, SL_SPARSE(a)), 3, .shapes = (const sl_shape_t[4]){SL_SHAPE(5, 2)}, SL_SPARSE_AT(1));
  sl_outputs_t lists[] = {SL_OUTPUTS(SL_SPARSE(a), x, SL_SPARSE(c)), SL_OUTPUTS(SL_SPARSE(b), x, SL_SPARSE(d))};
  sl_outputs_t joined = sl_batch_join(s, lists, 2, 9, SL_SPARSE_AT(0, 4));
  sl_shuffle_batch(s, SL_OUTPUTS(SL_SPARSE(c), x), 10, 100, 50, SL_SPARSE_AT(0));
  sl_outputs_t many[] = {SL_OUTPUTS(SL_SPARSE(c), rows), SL_OUTPUTS(SL_SPARSE(d), rows)};
  sl_shuffle_batch_join(s, many, 2, 11, 200, 60, .enqueue_many = true, SL_SPARSE_AT(0));
  sl_batch(s, SL_OUTPUTS(SL_SPARSE(a), x), 12, .keep_input = keep, SL_SPARSE_AT(0));
  sl_batch(s, SL_OUTPUTS(SL_SPARSE(c), rows), 13, .keep_input = keep, .enqueue_many = true, SL_SPARSE_AT(0));
  sl_shuffle_batch(s, SL_OUTPUTS(SL_SPARSE(c)), 14, 100, 50, .keep_input = which, .enqueue_many = true,
                   SL_SPARSE_AT(0));
  sl_sparse_t whole = sl_sparse_placeholder(s, TF_FLOAT, .name = "whole");
  sl_outputs_t wholes[] = {SL_OUTPUTS(SL_SPARSE(whole)), SL_OUTPUTS(SL_SPARSE(whole))};
  sl_outputs_t taken = sl_batch_join(s, wholes, 2, 15, .keep_input = keep, SL_SPARSE_AT(0));
  sl_identity(s, sl_outputs_sparse(taken, 0).values, .name = "taken");
  sli_expect_listing(s, "input_sparse_batches");
  SLI_EXPECT_INT(first.count, 4);
  SLI_EXPECT_INT(middle.count, 5);
  SLI_EXPECT_INT(sl_static_shape(s, middle.items[4]).rank, 3);
  SLI_EXPECT_INT(sl_static_shape(s, sl_outputs_sparse(first, 1).indices).dims[1], 2);
  SLI_EXPECT_INT(sl_static_shape(s, sl_outputs_sparse(joined, 4).dense_shape).dims[0], 3);
  SLI_EXPECT_INT(sl_dtype(sl_outputs_sparse(joined, 4).values), TF_STRING);
  SLI_EXPECT(!sl_outputs_sparse(joined, 5).values.oper);
  sl_scope_release(s);
}

SLI_TEST(test_readers_are_pythons) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output queue = sl_string_input_producer(s, FILES);
  sl_reader_read(s, sl_tf_record_reader(s), queue);
  sl_reader_read_up_to(s, sl_tf_record_reader(s, .compression = "GZIP", .name = "packed"), queue, 10);
  TF_Output lines = sl_text_line_reader(s, .skip_header_lines = 1);
  sl_reader_read(s, lines, queue);
  sl_op_reader_num_records_produced_v2(s, lines);
  sl_op_reader_num_work_units_completed_v2(s, lines);
  sl_op_reader_reset_v2(s, lines);
  sl_reader_read(s, sl_whole_file_reader(s), queue, .name = "whole");
  sl_reader_read(s, sl_identity_reader(s), queue);
  sl_reader_read(s, sl_fixed_length_record_reader(s, 10, .header_bytes = 2, .footer_bytes = 1), queue);
  sli_expect_listing(s, "input_readers");
  sl_scope_release(s);
}

#define MNIST_FEATURES                                                  \
  SL_FEATURES(SL_FIXED_LEN_FEATURE("image_raw", TF_STRING, SL_SHAPE()), \
              SL_FIXED_LEN_FEATURE("pixels", TF_INT64, SL_SHAPE()),     \
              SL_FIXED_LEN_FEATURE("label", TF_INT64, SL_SHAPE()))

SLI_TEST(test_parsing_is_pythons) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output one = sl_placeholder(s, TF_STRING, SL_SHAPE(), .name = "one");
  TF_Output many = sl_placeholder(s, TF_STRING, SL_SHAPE(-1), .name = "many");
  TF_Output names = sl_placeholder(s, TF_STRING, SL_SHAPE(-1), .name = "names");
  const sl_feature_spec_t mixed[] = {
      SL_FIXED_LEN_FEATURE("weights", TF_FLOAT, SL_SHAPE(2, 3), SL_DEFAULT(0.5, 1, 2, 3, 4, 5)),
      SL_FIXED_LEN_FEATURE("age", TF_INT64, SL_SHAPE(1), SL_DEFAULT(-1)),
      SL_VAR_LEN_FEATURE("tags", TF_STRING),
      SL_VAR_LEN_FEATURE("counts", TF_INT64),
      SL_FIXED_LEN_FEATURE("name", TF_STRING, SL_SHAPE(), .default_text = "none"),
      SL_FIXED_LEN_SEQUENCE_FEATURE("ragged", TF_FLOAT, SL_SHAPE(2)),
  };
  sl_parse_single_example(s, one, MNIST_FEATURES);
  sl_parse_example(s, many, MNIST_FEATURES);
  sl_parsed_t *parsed =
      sl_parse_example(s, many, mixed, SLI_ARRAY_COUNT_OF(mixed), .example_names = names, .name = "mixed");
  sl_parse_single_example(s, one, mixed, SLI_ARRAY_COUNT_OF(mixed), .name = "single");
  sl_parse_single_example(s, one, SL_FEATURES(SL_VAR_LEN_FEATURE("tags", TF_STRING)));
  sl_decode_raw(s, one, TF_UINT8);
  sli_expect_listing(s, "input_parsing");
  // Sorted by kind and key: counts, tags; age, name, ragged, weights.
  SLI_EXPECT_INT(sl_parsed_sparse(parsed, "tags").indices.index, 1);
  SLI_EXPECT_INT(sl_parsed_sparse(parsed, "tags").values.index, 3);
  SLI_EXPECT_INT(sl_parsed_sparse(parsed, "tags").dense_shape.index, 5);
  SLI_EXPECT_INT(sl_parsed_dense(parsed, "age").index, 6);
  SLI_EXPECT_INT(sl_parsed_dense(parsed, "weights").index, 9);
  SLI_EXPECT_INT(sl_dtype(sl_parsed_dense(parsed, "name")), TF_STRING);
  sl_scope_release(s);
}

SLI_TEST(test_parsing_sequences_is_pythons) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output one = sl_placeholder(s, TF_STRING, SL_SHAPE(), .name = "one");
  TF_Output many = sl_placeholder(s, TF_STRING, SL_SHAPE(-1), .name = "many");
  TF_Output names = sl_placeholder(s, TF_STRING, SL_SHAPE(-1), .name = "names");
  const sl_feature_spec_t context[] = {SL_FIXED_LEN_FEATURE("id", TF_INT64, SL_SHAPE()),
                                       SL_VAR_LEN_FEATURE("tags", TF_STRING),
                                       SL_FIXED_LEN_FEATURE("size", TF_FLOAT, SL_SHAPE(2), SL_DEFAULT(-1, -2))};
  const sl_feature_spec_t lists[] = {
      SL_FIXED_LEN_SEQUENCE_FEATURE("tokens", TF_INT64, SL_SHAPE()),
      SL_FIXED_LEN_SEQUENCE_FEATURE("weights", TF_FLOAT, SL_SHAPE(2), .allow_missing = true),
      SL_VAR_LEN_FEATURE("bags", TF_INT64)};
  sl_parsed_sequence_t single = sl_parse_single_sequence_example(s, one, context, 3, lists, 3);
  sl_parsed_sequence_t several = sl_parse_sequence_example(s, many, context, 3, lists, 3, .example_names = names);
  sl_parse_single_sequence_example(s, one, SL_NO_FEATURES, lists, 1, .name = "single");
  sl_parse_sequence_example(s, many, context + 1, 1, SL_NO_FEATURES, .name = "several");
  sli_expect_listing(s, "input_sequences");
  SLI_EXPECT_INT(sl_parsed_sparse(single.context, "tags").values.index, 1);
  SLI_EXPECT_INT(sl_parsed_dense(single.context, "size").index, 4);
  SLI_EXPECT_INT(sl_parsed_sparse(single.lists, "bags").indices.index, 5);
  SLI_EXPECT_INT(sl_parsed_dense(single.lists, "weights").index, 9);
  SLI_EXPECT_INT(sl_parsed_lengths(several.lists, "tokens").index, 10);
  SLI_EXPECT_INT(sl_static_shape(s, sl_parsed_dense(several.lists, "weights")).rank, 3);
  sl_scope_release(s);
}

SLI_TEST(test_a_classic_input_is_pythons) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output queue = sl_string_input_producer(s, SL_STRINGS("output.tfrecords"));
  sl_record_t record = sl_reader_read(s, sl_tf_record_reader(s), queue);
  sl_parsed_t *parsed = sl_parse_single_example(s, record.value, MNIST_FEATURES);
  TF_Output pixels = sl_reshape(s, sl_decode_raw(s, sl_parsed_dense(parsed, "image_raw"), TF_UINT8), SL_SHAPE(784));
  TF_Output image = sl_cast(s, pixels, TF_FLOAT);
  TF_Output label = sl_cast(s, sl_parsed_dense(parsed, "label"), TF_INT32);
  sl_shuffle_batch(s, SL_OUTPUTS(image, label), 100, 10300, 10000);
  sli_expect_listing(s, "input_classic");
  sl_scope_release(s);
}

// --- Data ---

enum { RECORDS = 10 };

// Writes a file of Examples with "id" = first, first + 1, …, and "text" of that many letters.
static char *write_examples(const char *name, int first) {
  char *path = sli_format("%s/%s", sli_test_temporary_dir(), name);
  TF_Status *status = TF_NewStatus();
  sl_record_writer_t *writer = sl_record_writer_open(path, NULL, status);
  sl_example_t *example = sl_example_create();
  for (int i = 0; i < RECORDS; i++) {
    int64_t id = first + i;
    sl_example_clear(example);
    sl_example_add_int64s(example, "id", &id, 1);
    sl_example_add_bytes(example, "text", "abcdefghijklmnopqrstuvwxyz", (size_t)id);
    for (int j = 0; j < i % 3; j++) sl_example_add_floats(example, "values", &(float){(float)id}, 1);
    sl_bytes_t bytes = sl_example_serialize(example);
    sl_record_writer_write(writer, bytes.data, bytes.size, status);
  }
  sl_record_writer_close(writer, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  TF_DeleteStatus(status);
  sl_example_release(example);
  return path;
}

typedef struct {
  sl_scope_t *scope;
  TF_Session *session;
  sl_coordinator_t *coordinator;
  TF_Status *status;
} pipeline_t;

// A session on the graph, with local variables and queue runners.
static pipeline_t start(sl_scope_t *s) {
  const TF_Operation *initializer = sl_local_variables_initializer(s);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  pipeline_t p = {.scope = s, .coordinator = sl_coordinator_create(), .status = TF_NewStatus()};
  TF_SessionOptions *options = TF_NewSessionOptions();
  p.session = TF_NewSession(sl_scope_graph(s), options, p.status);
  TF_DeleteSessionOptions(options);
  TF_SessionRun(p.session, NULL, NULL, NULL, 0, NULL, NULL, 0, &initializer, 1, NULL, p.status);
  SLI_EXPECT_TEXT(TF_Message(p.status), "");
  sl_start_queue_runners(s, p.session, p.coordinator);
  return p;
}

// Checks that all threads end without an error.
static void finish(pipeline_t *p) {
  sl_coordinator_request_stop(p->coordinator, TF_OK, NULL);
  sl_coordinator_join(p->coordinator, 0, p->status);
  SLI_EXPECT_TEXT(TF_Message(p->status), "");
  sl_coordinator_release(p->coordinator);
  TF_CloseSession(p->session, p->status);
  TF_DeleteSession(p->session, p->status);
  TF_DeleteStatus(p->status);
  sl_scope_release(p->scope);
}

// Runs one step; NULL at the end of the input, which must be an OUT_OF_RANGE.
static TF_Tensor *fetch(pipeline_t *p, TF_Output output) {
  TF_Tensor *value = NULL;
  TF_SessionRun(p->session, NULL, NULL, NULL, 0, &output, &value, 1, NULL, 0, NULL, p->status);
  if (!value) SLI_EXPECT_INT(TF_GetCode(p->status), TF_OUT_OF_RANGE);
  return value;
}

// Counts how often each number (int64 or int32) is produced until the end; returns the number of steps.
static int count_all(pipeline_t *p, TF_Output output, int *seen, int limit) {
  int steps = 0;
  for (TF_Tensor *value; (value = fetch(p, output)); steps++) {
    for (int64_t i = 0; i < TF_TensorElementCount(value); i++) {
      int64_t number = TF_TensorType(value) == TF_INT64 ? ((const int64_t *)TF_TensorData(value))[i]
                                                        : ((const int32_t *)TF_TensorData(value))[i];
      SLI_EXPECT(number >= 0 && number < limit);
      if (number >= 0 && number < limit) seen[number]++;
    }
    TF_DeleteTensor(value);
  }
  return steps;
}

SLI_TEST(test_each_record_comes_once_an_epoch) {
  char *one = write_examples("one", 0), *two = write_examples("two", RECORDS);
  for (int shuffle = 0; shuffle < 2; shuffle++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output queue = sl_string_input_producer(s, SL_STRINGS(one, two), .num_epochs = 3);
    sl_record_t record = sl_reader_read(s, sl_tf_record_reader(s), queue);
    sl_parsed_t *parsed =
        sl_parse_single_example(s, record.value, SL_FEATURES(SL_FIXED_LEN_FEATURE("id", TF_INT64, SL_SHAPE())));
    sl_outputs_t tensors = SL_OUTPUTS(sl_parsed_dense(parsed, "id"));
    sl_outputs_t batch =
        shuffle ? sl_shuffle_batch(s, tensors, 7, 20, 5, .num_threads = 2, .allow_smaller_final_batch = true)
                : sl_batch(s, tensors, 7, .allow_smaller_final_batch = true);
    pipeline_t p = start(s);
    int seen[2 * RECORDS] = {0};
    SLI_EXPECT_INT(count_all(&p, batch.items[0], seen, 2 * RECORDS), (3 * 2 * RECORDS + 6) / 7);
    for (int i = 0; i < 2 * RECORDS; i++) SLI_EXPECT_INT(seen[i], 3);
    finish(&p);
  }
  free(one);
  free(two);
}

SLI_TEST(test_readers_join_and_examples_come_in_groups) {
  char *one = write_examples("left", 0), *two = write_examples("right", RECORDS);
  sl_scope_t *s = sl_graph_scope();
  TF_Output queue = sl_string_input_producer(s, SL_STRINGS(one, two), .num_epochs = 1);
  TF_Output ids[2];
  sl_outputs_t lists[2];
  for (int i = 0; i < 2; i++) {
    sl_record_t records = sl_reader_read_up_to(s, sl_tf_record_reader(s), queue, 4);
    sl_parsed_t *parsed =
        sl_parse_example(s, records.value, SL_FEATURES(SL_FIXED_LEN_FEATURE("id", TF_INT64, SL_SHAPE())));
    ids[i] = sl_parsed_dense(parsed, "id");
    lists[i] = (sl_outputs_t){1, &ids[i]};
  }
  sl_outputs_t batch =
      sl_shuffle_batch_join(s, lists, 2, 3, 12, 4, .enqueue_many = true, .allow_smaller_final_batch = true, .seed = 1);
  pipeline_t p = start(s);
  int seen[2 * RECORDS] = {0};
  SLI_EXPECT_INT(count_all(&p, batch.items[0], seen, 2 * RECORDS), (2 * RECORDS + 2) / 3);
  for (int i = 0; i < 2 * RECORDS; i++) SLI_EXPECT_INT(seen[i], 1);
  finish(&p);
  free(one);
  free(two);
}

SLI_TEST(test_features_of_any_length_are_padded) {
  char *path = write_examples("padded", 0);
  sl_scope_t *s = sl_graph_scope();
  TF_Output queue = sl_string_input_producer(s, SL_STRINGS(path), .num_epochs = 1);
  sl_record_t record = sl_reader_read(s, sl_tf_record_reader(s), queue);
  sl_parsed_t *parsed = sl_parse_single_example(
      s, record.value,
      SL_FEATURES(SL_FIXED_LEN_SEQUENCE_FEATURE("values", TF_FLOAT, SL_SHAPE()), SL_VAR_LEN_FEATURE("id", TF_INT64),
                  SL_FIXED_LEN_FEATURE("missing", TF_FLOAT, SL_SHAPE(2), SL_DEFAULT(1, 2))));
  TF_Output ids = sl_parsed_sparse(parsed, "id").values, values = sl_parsed_dense(parsed, "values");
  TF_Output id = sl_reshape(s, ids, SL_SHAPE());
  sl_outputs_t batch =
      sl_batch(s, SL_OUTPUTS(values, id, sl_parsed_dense(parsed, "missing")), RECORDS, .dynamic_pad = true);
  pipeline_t p = start(s);
  TF_Tensor *padded = fetch(&p, batch.items[0]);
  SLI_REQUIRE(padded && TF_NumDims(padded) == 2);
  SLI_EXPECT_INT(TF_Dim(padded, 0), RECORDS);
  SLI_EXPECT_INT(TF_Dim(padded, 1), 2);
  const float *rows = TF_TensorData(padded);
  for (int i = 0; i < RECORDS; i++) {
    SLI_EXPECT_NEAR(rows[2 * i], i % 3 > 0 ? i : 0, 0);
    SLI_EXPECT_NEAR(rows[2 * i + 1], i % 3 > 1 ? i : 0, 0);
  }
  TF_DeleteTensor(padded);
  finish(&p);
  free(path);
}

// Records with 0, 1, 2, 0, 1, … values are batched to one sparse tensor, in every kind of batch.
SLI_TEST(test_sparse_features_come_stacked) {
  char *path = write_examples("sparse", 0);
  for (int way = 0; way < 4; way++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output queue = sl_string_input_producer(s, SL_STRINGS(path), .num_epochs = 1);
    TF_Output reader = sl_tf_record_reader(s);
    sl_feature_spec_t features[] = {SL_VAR_LEN_FEATURE("values", TF_FLOAT),
                                    SL_FIXED_LEN_FEATURE("id", TF_INT64, SL_SHAPE())};
    bool many = way > 1;
    sl_record_t record = many ? sl_reader_read_up_to(s, reader, queue, 4) : sl_reader_read(s, reader, queue);
    sl_parsed_t *parsed =
        many ? sl_parse_example(s, record.value, features, 2) : sl_parse_single_example(s, record.value, features, 2);
    sl_sparse_t values = sl_parsed_sparse(parsed, "values");
    sl_outputs_t list = SL_OUTPUTS(SL_SPARSE(values), sl_parsed_dense(parsed, "id"));
    sl_outputs_t batch = way % 2 ? sl_shuffle_batch(s, list, 5, 20, 10, .enqueue_many = many, SL_SPARSE_AT(0))
                                 : sl_batch(s, list, 5, .enqueue_many = many, SL_SPARSE_AT(0));
    pipeline_t p = start(s);
    int seen[RECORDS] = {0};
    for (int step = 0; step < RECORDS / 5; step++) {
      TF_Tensor *got[4] = {0};
      TF_SessionRun(p.session, NULL, NULL, NULL, 0, batch.items, got, 4, NULL, 0, NULL, p.status);
      SLI_EXPECT_TEXT(TF_Message(p.status), "");
      SLI_REQUIRE(got[3] && TF_NumDims(got[0]) == 2 && TF_TensorElementCount(got[2]) == 2);
      const int64_t *indices = TF_TensorData(got[0]), *shape = TF_TensorData(got[2]), *ids = TF_TensorData(got[3]);
      SLI_EXPECT_INT(shape[0], 5);
      SLI_EXPECT(shape[1] >= 0 && shape[1] <= 2);
      // Record i has the value i, i % 3 times.
      int have[5] = {0};
      for (int64_t i = 0; i < TF_Dim(got[0], 0); i++) {
        SLI_REQUIRE(indices[2 * i] >= 0 && indices[2 * i] < 5);
        SLI_EXPECT_INT(indices[2 * i + 1], have[indices[2 * i]]++);
        SLI_EXPECT_NEAR(((const float *)TF_TensorData(got[1]))[i], ids[indices[2 * i]], 0);
      }
      for (int i = 0; i < 5; i++) {
        SLI_REQUIRE(ids[i] >= 0 && ids[i] < RECORDS);
        seen[ids[i]]++;
        SLI_EXPECT_INT(have[i], ids[i] % 3);
      }
      for (int i = 0; i < 4; i++) TF_DeleteTensor(got[i]);
    }
    for (int i = 0; i < RECORDS; i++) SLI_EXPECT_INT(seen[i], 1);
    finish(&p);
  }
  free(path);
}

// A record that TensorFlow has written: the context has "n" = 3, and the list "f" is 0, 1, 2.
SLI_TEST(test_sequences_are_read_and_padded) {
  char *path = sli_format("%s/tfrecord/sequence.tfrecord", sli_test_golden_dir());
  sl_scope_t *s = sl_graph_scope();
  TF_Output queue = sl_string_input_producer(s, SL_STRINGS(path), .num_epochs = 2);
  sl_record_t record = sl_reader_read(s, sl_tf_record_reader(s), queue);
  sl_parsed_sequence_t parsed = sl_parse_single_sequence_example(
      s, record.value, SL_FEATURES(SL_FIXED_LEN_FEATURE("n", TF_INT64, SL_SHAPE())),
      SL_FEATURES(SL_FIXED_LEN_SEQUENCE_FEATURE("f", TF_FLOAT, SL_SHAPE()),
                  SL_FIXED_LEN_SEQUENCE_FEATURE("none", TF_FLOAT, SL_SHAPE(2), .allow_missing = true),
                  SL_VAR_LEN_FEATURE("bags", TF_INT64)));
  sl_sparse_t bags = sl_parsed_sparse(parsed.lists, "bags");
  sl_outputs_t list =
      SL_OUTPUTS(sl_parsed_dense(parsed.lists, "f"), SL_SPARSE(bags), sl_parsed_dense(parsed.context, "n"),
                 sl_parsed_dense(parsed.lists, "none"), sl_parsed_lengths(parsed.lists, "f"));
  sl_outputs_t batch = sl_batch(s, list, 2, .dynamic_pad = true, SL_SPARSE_AT(1));
  pipeline_t p = start(s);
  TF_Tensor *got[7] = {0};
  TF_SessionRun(p.session, NULL, NULL, NULL, 0, batch.items, got, 7, NULL, 0, NULL, p.status);
  SLI_EXPECT_TEXT(TF_Message(p.status), "");
  SLI_REQUIRE(got[6] && TF_TensorElementCount(got[0]) == 6 && TF_TensorElementCount(got[4]) == 2);
  for (int i = 0; i < 6; i++) SLI_EXPECT_NEAR(((const float *)TF_TensorData(got[0]))[i], i % 3, 0);
  const int64_t *shape = TF_TensorData(got[3]);
  SLI_EXPECT(shape[0] == 2 && shape[1] == 0 && shape[2] == 0);
  SLI_EXPECT_INT(((const int64_t *)TF_TensorData(got[4]))[1], 3);
  SLI_EXPECT_INT(TF_NumDims(got[5]), 3);
  SLI_EXPECT_INT(TF_Dim(got[5], 1), 0);
  SLI_EXPECT_INT(((const int64_t *)TF_TensorData(got[6]))[1], 3);
  for (int i = 0; i < 7; i++) TF_DeleteTensor(got[i]);
  finish(&p);
  free(path);
}

SLI_TEST(test_slices_and_ranges_come_once_an_epoch) {
  sl_scope_t *s = sl_graph_scope();
  int64_t numbers[12];
  for (int i = 0; i < 12; i++) numbers[i] = i;
  TF_Output rows = sl_constant(s, TF_INT64, SL_SHAPE(6, 2), numbers);
  sl_outputs_t slice = sl_slice_input_producer(s, SL_OUTPUTS(rows), .num_epochs = 2);
  sl_outputs_t range = sl_queue_dequeue(s, sl_range_input_producer(s, 5, .num_epochs = 4, .seed = 3));
  pipeline_t p = start(s);
  int seen[12] = {0}, counted[5] = {0};
  SLI_EXPECT_INT(count_all(&p, slice.items[0], seen, 12), 12);
  for (int i = 0; i < 12; i++) SLI_EXPECT_INT(seen[i], 2);
  SLI_EXPECT_INT(count_all(&p, range.items[0], counted, 5), 20);
  for (int i = 0; i < 5; i++) SLI_EXPECT_INT(counted[i], 4);
  finish(&p);
}

SLI_TEST(test_a_missing_file_stops_the_pipeline_with_its_name) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output queue = sl_string_input_producer(s, SL_STRINGS("/nonexistent/file"));
  sl_outputs_t batch = sl_batch(s, SL_OUTPUTS(sl_reader_read(s, sl_tf_record_reader(s), queue).value), 2);
  pipeline_t p = start(s);
  SLI_EXPECT(!fetch(&p, batch.items[0]));
  SLI_EXPECT(sl_coordinator_wait_for_stop(p.coordinator, 30));
  sl_coordinator_join(p.coordinator, 0, p.status);
  SLI_EXPECT_INT(TF_GetCode(p.status), TF_NOT_FOUND);
  SLI_EXPECT_CONTAINS(TF_Message(p.status), "/nonexistent/file");
  sl_coordinator_clear_stop(p.coordinator);
  finish(&p);
}

// --- Errors ---

static void expect_error(sl_scope_t *s, const char *part) {
  SLI_EXPECT_CONTAINS(sl_scope_error(s), part);
  sl_scope_release(s);
}

SLI_TEST(test_mistakes_are_named) {
  sl_scope_t *s = sl_graph_scope();
  sl_string_input_producer(s, NULL, 0);
  expect_error(s, "string_input_producer requires a non-null input tensor");

  s = sl_graph_scope();
  sl_limit_epochs(s, sl_scalar(s, TF_FLOAT, 1), -1);
  expect_error(s, "num_epochs must be > 0 not -1.");

  s = sl_graph_scope();
  sl_input_producer(s, sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, -1)));
  expect_error(s, "Either `input_tensor` must have a fully defined shape");

  s = sl_graph_scope();
  TF_Output unknown = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1));
  sl_outputs_t batch = sl_batch(s, SL_OUTPUTS(unknown), 2);
  SLI_EXPECT_INT(batch.count, 1);
  SLI_EXPECT(!batch.items[0].oper);
  expect_error(s, "All shapes must be fully defined: component 0 has (?,)");

  s = sl_graph_scope();
  sl_batch(s, SL_OUTPUTS(sl_placeholder(s, TF_FLOAT, SL_UNKNOWN_SHAPE)), 2);
  expect_error(s, "Cannot infer Tensor's rank");

  s = sl_graph_scope();
  TF_Output number = sl_scalar(s, TF_FLOAT, 1), whole = sl_scalar(s, TF_INT32, 1);
  sl_outputs_t lists[] = {SL_OUTPUTS(number), SL_OUTPUTS(whole)};
  sl_batch_join(s, lists, 2, 2);
  expect_error(s, "Expected types to be consistent: float vs. int32.");

  s = sl_graph_scope();
  sl_sparse_t sparse = sl_sparse_placeholder(s, TF_FLOAT);
  sl_batch(s, SL_OUTPUTS(sl_scalar(s, TF_FLOAT, 1), SL_SPARSE(sparse)), 2, SL_SPARSE_AT(2));
  expect_error(s, "a sparse tensor takes 3 tensors of its own, but none fits at 2 in a list of 4");

  s = sl_graph_scope();
  sparse = sl_sparse_placeholder(s, TF_FLOAT);
  sl_batch(s, SL_OUTPUTS(SL_SPARSE(sparse), sl_scalar(s, TF_INT64, 1)), 2, SL_SPARSE_AT(1));
  expect_error(s, "SL_SPARSE_AT: the indices and the shape at 1 must be int64, got float and int64");

  s = sl_graph_scope();
  sl_sparse_t row = sparse_parts(s, "row", TF_FLOAT, 1), plane = sparse_parts(s, "plane", TF_FLOAT, 2);
  sl_batch_join(s, ((sl_outputs_t[]){SL_OUTPUTS(SL_SPARSE(row)), SL_OUTPUTS(SL_SPARSE(plane))}), 2, 2, SL_SPARSE_AT(0));
  expect_error(s, "Inconsistent SparseTensors list: rank 2 vs. 3 at tensor 0");

  s = sl_graph_scope();
  sl_shuffle_batch(s, SL_OUTPUTS(sl_scalar(s, TF_FLOAT, 1)), 2, 10, 10);
  expect_error(s, "capacity 10 must be bigger than min_after_dequeue 10.");

  s = sl_graph_scope();
  sl_parsed_t *parsed = sl_parse_single_example(s, sl_placeholder(s, TF_STRING, SL_SHAPE()),
                                                SL_FEATURES(SL_FIXED_LEN_FEATURE("label", TF_INT64, SL_SHAPE())));
  SLI_EXPECT(!sl_parsed_dense(parsed, "lable").oper);
  expect_error(s, "no feature 'lable' of fixed length was parsed; parsed were: label");

  s = sl_graph_scope();
  SLI_EXPECT(
      !sl_parsed_lengths(sl_parse_single_example(s, sl_placeholder(s, TF_STRING, SL_SHAPE()), MNIST_FEATURES), "label")
           .oper);
  expect_error(s, "feature 'label' is not a feature list and has no lengths");

  s = sl_graph_scope();
  sl_parse_sequence_example(s, sl_placeholder(s, TF_STRING, SL_SHAPE(-1)), SL_NO_FEATURES, MNIST_FEATURES);
  expect_error(s, "feature 'image_raw': a dense feature of the lists must be SL_FIXED_LEN_SEQUENCE_FEATURE");

  s = sl_graph_scope();
  sl_parse_sequence_example(s, sl_placeholder(s, TF_STRING, SL_SHAPE(-1)), SL_NO_FEATURES, SL_NO_FEATURES);
  expect_error(s, "Must provide at least one feature key.");

  s = sl_graph_scope();
  sl_parse_single_sequence_example(s, sl_placeholder(s, TF_STRING, SL_SHAPE(-1)), MNIST_FEATURES, SL_NO_FEATURES);
  expect_error(s, "Input serialized must be a scalar");

  s = sl_graph_scope();
  sl_parse_single_example(s, sl_placeholder(s, TF_STRING, SL_SHAPE()),
                          SL_FEATURES(SL_FIXED_LEN_FEATURE("label", TF_INT32, SL_SHAPE())));
  expect_error(s, "feature 'label': dtype must be float, int64 or string, got int32");
}

SLI_TEST_MAIN(test_producers_are_pythons, test_batches_are_pythons, test_batches_of_what_is_kept_are_pythons,
              test_batches_of_sparse_tensors_are_pythons, test_only_what_is_kept_is_enqueued, test_readers_are_pythons,
              test_parsing_is_pythons, test_parsing_sequences_is_pythons, test_a_classic_input_is_pythons,
              test_each_record_comes_once_an_epoch, test_readers_join_and_examples_come_in_groups,
              test_features_of_any_length_are_padded, test_sparse_features_come_stacked,
              test_sequences_are_read_and_padded, test_slices_and_ranges_come_once_an_epoch,
              test_a_missing_file_stops_the_pipeline_with_its_name, test_mistakes_are_named)
