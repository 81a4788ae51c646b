// Datasets of the training library: records that are sharded, shuffled, batched, parsed and prefetched; functions on
// elements; the errors.
#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "sluice/sluice.h"

enum { EXAMPLES = 20 };

// Examples {"n": i, "x": [i, i / 2]}.
static char *write_examples(void) {
  char *path = sli_format("%s/examples", sli_test_temporary_dir());
  TF_Status *status = TF_NewStatus();
  sl_record_writer_t *writer = sl_record_writer_open(path, "", status);
  sl_example_t *example = sl_example_create();
  for (int64_t i = 0; i < EXAMPLES; i++) {
    sl_example_clear(example);
    sl_example_add_int64s(example, "n", &i, 1);
    sl_example_add_floats(example, "x", (float[]){(float)i, (float)i / 2}, 2);
    sl_bytes_t bytes = sl_example_serialize(example);
    sl_record_writer_write(writer, bytes.data, bytes.size, status);
  }
  sl_record_writer_close(writer, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  sl_example_release(example);
  TF_DeleteStatus(status);
  return path;
}

typedef struct {
  TF_Session *session;
  TF_Status *status;
  TF_Tensor *values[2];
} run_t;

static run_t open_run(sl_scope_t *s) {
  run_t run = {.status = TF_NewStatus()};
  TF_SessionOptions *options = TF_NewSessionOptions();
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  run.session = TF_NewSession(sl_scope_graph(s), options, run.status);
  SLI_EXPECT_TEXT(TF_Message(run.status), "");
  TF_DeleteSessionOptions(options);
  return run;
}

static void release_values(run_t *run) {
  for (int i = 0; i < 2; i++) {
    if (run->values[i]) TF_DeleteTensor(run->values[i]);
    run->values[i] = NULL;
  }
}

static TF_Code step(run_t *run, sl_outputs_t next) {
  release_values(run);
  TF_SessionRun(run->session, NULL, NULL, NULL, 0, next.items, run->values, (int)next.count, NULL, 0, NULL,
                run->status);
  return TF_GetCode(run->status);
}

static void close_run(run_t *run) {
  release_values(run);
  TF_CloseSession(run->session, run->status);
  TF_DeleteSession(run->session, run->status);
  TF_DeleteStatus(run->status);
}

// Lines "1 a", "1 b", "2 a", … in a file for each number.
static char *write_lines(int number) {
  char *path = sli_format("%s/lines_%d", sli_test_temporary_dir(), number);
  FILE *file = fopen(path, "w");
  SLI_CHECK(file);
  fprintf(file, "%d a\n%d b\n", number, number);
  fclose(file);
  return path;
}

// What one of |workers| reads of four files, in one text.
static char *share(const char *const *files, int64_t workers, int64_t worker, sl_auto_shard_policy_t policy) {
  sl_scope_t *s = sl_graph_scope();
  sl_dataset_t *data = sl_dataset_take(sl_dataset_lines(s, files, 4), -1);
  sl_outputs_t next = sl_dataset_next(sl_dataset_auto_shard(data, workers, worker, policy));
  run_t run = open_run(s);
  sli_string_t text = {0};
  while (step(&run, next) == TF_OK) {
    const TF_TString *line = TF_TensorData(run.values[0]);
    sli_string_append_format(&text, "%.*s;", (int)TF_StringGetSize(line), TF_StringGetDataPointer(line));
  }
  SLI_EXPECT_INT(TF_GetCode(run.status), TF_OUT_OF_RANGE);
  close_run(&run);
  sl_scope_release(s);
  char *result = sli_strdup(sli_string_text(&text));
  sli_string_deinitialize(&text);
  return result;
}

SLI_TEST(test_auto_shard_gives_files_or_elements) {
  char *files[4];
  for (int i = 0; i < 4; i++) files[i] = write_lines(i);
  static const struct {
    int64_t workers, worker;
    sl_auto_shard_policy_t policy;
    const char *expected;
  } cases[] = {
      {2, 1, SL_AUTO_SHARD_AUTO, "1 a;1 b;3 a;3 b;"},
      {3, 2, SL_AUTO_SHARD_FILE, "2 a;2 b;"},
      {2, 1, SL_AUTO_SHARD_DATA, "0 b;1 b;2 b;3 b;"},
      {5, 1, SL_AUTO_SHARD_AUTO, "0 b;3 a;"},
      {4, 0, SL_AUTO_SHARD_OFF, "0 a;0 b;1 a;1 b;2 a;2 b;3 a;3 b;"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char *got = share((const char *const *)files, cases[i].workers, cases[i].worker, cases[i].policy);
    SLI_EXPECT_TEXT(got, cases[i].expected);
    free(got);
  }
  sl_scope_t *s = sl_graph_scope();
  sl_dataset_auto_shard(sl_dataset_lines(s, (const char *const *)files, 4), 5, 1, SL_AUTO_SHARD_FILE);
  SLI_EXPECT(strstr(sl_scope_error(s), "a file for each of the 5 shards, but the dataset reads 4"));
  sl_scope_release(s);
  for (int i = 0; i < 4; i++) free(files[i]);
}

// The pipeline of the header's example, for one of two workers.
SLI_TEST(test_examples_of_one_shard_are_parsed_in_batches) {
  char *path = write_examples();
  bool seen[EXAMPLES] = {0};
  for (int worker = 0; worker < 2; worker++) {
    sl_scope_t *s = sl_graph_scope();
    sl_dataset_t *data = sl_dataset_shard(sl_dataset_records(s, SL_STRINGS(path)), 2, worker);
    data = sl_dataset_batch(sl_dataset_shuffle(data, 8, 5), 4, false);
    data = sl_dataset_prefetch(sl_dataset_parse(data, SL_FEATURES(SL_FIXED_LEN_FEATURE("x", TF_FLOAT, SL_SHAPE(2)),
                                                                  SL_FIXED_LEN_FEATURE("n", TF_INT64, SL_SHAPE()))),
                               SL_AUTOTUNE);
    sl_outputs_t next = sl_dataset_next(data);
    SLI_EXPECT_INT(next.count, 2);
    SLI_EXPECT_INT(sl_static_shape(s, next.items[0]).rank, 2);
    run_t run = open_run(s);
    int count = 0;
    while (step(&run, next) == TF_OK) {
      int64_t rows = TF_Dim(run.values[1], 0);
      for (int64_t i = 0; i < rows; i++) {
        int64_t n = ((int64_t *)TF_TensorData(run.values[1]))[i];
        SLI_EXPECT_INT(n % 2, worker);
        SLI_EXPECT_NEAR(((float *)TF_TensorData(run.values[0]))[2 * i + 1], (double)n / 2, 1e-6);
        SLI_EXPECT(!seen[n]);
        seen[n] = true;
        count++;
      }
    }
    SLI_EXPECT_INT(TF_GetCode(run.status), TF_OUT_OF_RANGE);
    SLI_EXPECT_INT(count, EXAMPLES / 2);
    close_run(&run);
    sl_scope_release(s);
  }
  free(path);
}

static void square(sl_scope_t *s, void *data, const TF_Output *x, TF_Output *out_results) {
  out_results[0] = sl_multiply(s, x[0], x[0]);
  out_results[1] = x[0];
}

SLI_TEST(test_a_function_is_called_for_each_element) {
  sl_scope_t *s = sl_graph_scope();
  sl_dataset_t *data = sl_dataset_cache(sl_dataset_map(sl_dataset_range(s, 0, 9), square, NULL, 2));
  data = sl_dataset_repeat(sl_dataset_take(sl_dataset_skip(data, 2), 3), 2);
  sl_outputs_t next = sl_dataset_next(data);
  run_t run = open_run(s);
  for (int64_t i = 0; i < 6; i++) {
    SLI_EXPECT_INT(step(&run, next), TF_OK);
    int64_t n = 2 + i % 3;
    SLI_REQUIRE(run.values[0] && run.values[1]);
    SLI_EXPECT_INT(*(int64_t *)TF_TensorData(run.values[0]), n * n);
    SLI_EXPECT_INT(*(int64_t *)TF_TensorData(run.values[1]), n);
  }
  SLI_EXPECT_INT(step(&run, next), TF_OUT_OF_RANGE);
  close_run(&run);
  sl_scope_release(s);
}

static sl_scope_t *scope;
static void use_outside(sl_scope_t *s, void *data, const TF_Output *x, TF_Output *out_results) {
  out_results[0] = sl_add(s, x[0], *(TF_Output *)data);
}

static void expect_error(const char *part) {
  SLI_EXPECT_CONTAINS(sl_scope_error(scope), part);
  sl_scope_release(scope);
  scope = sl_graph_scope();
}

SLI_TEST(test_errors_name_the_argument) {
  scope = sl_graph_scope();
  sl_dataset_next(sl_dataset_batch(sl_dataset_range(scope, 0, 3), 0, false));
  expect_error("size must be at least 1, got 0");
  sl_dataset_next(sl_dataset_shard(sl_dataset_range(scope, 0, 3), 2, 2));
  expect_error("shard must be from 0 to 1, got 2");
  sl_dataset_next(sl_dataset_shuffle(sl_dataset_range(scope, 0, 3), -1, 0));
  expect_error("buffer_size must be at least 1, got -1");
  sl_dataset_next(
      sl_dataset_parse(sl_dataset_range(scope, 0, 3), SL_FEATURES(SL_FIXED_LEN_FEATURE("n", TF_INT64, SL_SHAPE()))));
  expect_error("sl_dataset_parse needs batches of strings");
  sl_dataset_next(sl_dataset_parse(sl_dataset_batch(sl_dataset_lines(scope, SL_STRINGS("f")), 2, false),
                                   SL_FEATURES(SL_VAR_LEN_FEATURE("v", TF_INT64))));
  expect_error("feature 'v' must be SL_FIXED_LEN");
  int64_t one = 1;
  TF_Output outside = sl_constant(scope, TF_INT64, SL_SHAPE(), &one);
  sl_dataset_next(sl_dataset_map(sl_dataset_range(scope, 0, 3), use_outside, &outside, 1));
  expect_error("must not use values from outside");
  sl_scope_release(scope);
}

SLI_TEST_MAIN(test_auto_shard_gives_files_or_elements, test_examples_of_one_shard_are_parsed_in_batches,
              test_a_function_is_called_for_each_element, test_errors_name_the_argument)
