// Tables of embeddings in a local session: lookups, combiners, gradients of equal ids, limits, wrong arguments.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/test.h"
#include "sluice/sluice.h"
#include "tests/train/fetch.h"

enum { DIM = 4 };

static const int64_t wide_ids[] = {0, -1, INT64_MIN, INT64_MAX, 1, 0};

// The value of |output| in the session, as floats; returns their number.
static size_t run(sl_scope_t *s, TF_Session *session, TF_Output output, TF_Operation *target, float *to, size_t room) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *value = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &output, &value, output.oper ? 1 : 0,
                (const TF_Operation *const *)&target, target ? 1 : 0, NULL, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  TF_DeleteStatus(status);
  size_t count = value ? TF_TensorByteSize(value) / sizeof(float) : 0;
  if (value) memcpy(to, TF_TensorData(value), (count < room ? count : room) * sizeof(float));
  TF_DeleteTensor(value);
  return count;
}

static TF_Session *session_of(sl_scope_t *s) {
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  TF_Session *session = TF_NewSession(sl_scope_graph(s), options, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
  return session;
}

static void close_session(TF_Session *session) {
  TF_Status *status = TF_NewStatus();
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteStatus(status);
}

static sl_sparse_t sparse_ids(sl_scope_t *s, const int64_t *examples, const int64_t *ids, int64_t count,
                              int64_t batch) {
  int64_t indices[32];
  for (int64_t i = 0; i < count; i++) {
    indices[2 * i] = examples[i];
    indices[2 * i + 1] = i;
  }
  return (sl_sparse_t){.indices = sl_constant(s, TF_INT64, SL_SHAPE(count, 2), indices),
                       .values = sl_constant(s, TF_INT64, SL_SHAPE(count), ids),
                       .dense_shape = sl_constant(s, TF_INT64, SL_SHAPE(2), ((int64_t[]){batch, 100}))};
}

// Any number of 64 bits is an id. The values of a row depend on its id alone, whatever the number of parts.
SLI_TEST(test_lookup_does_not_depend_on_parts) {
  float values[3][6 * DIM];
  for (int parts = 1; parts <= 3; parts++) {
    sl_scope_t *s = sl_graph_scope();
    sl_embedding_table_t *table =
        sl_embedding_table(s, "wide", DIM, .parts = parts, .initializer = "uniform scale=1 seed=3");
    TF_Output ids = sl_constant(s, TF_INT64, SL_SHAPE(6), wide_ids);
    sl_outputs_t rows = sl_embedding_lookup_features(s, (&(sl_embedding_feature_t){.table = table, .ids = ids}), 1);
    TF_Session *session = session_of(s);
    SLI_EXPECT_INT(run(s, session, rows.items[0], NULL, values[parts - 1], 6 * DIM), 6 * DIM);
    close_session(session);
    sl_scope_release(s);
  }
  SLI_EXPECT(memcmp(values[0], values[1], sizeof(values[0])) == 0);
  SLI_EXPECT(memcmp(values[0], values[2], sizeof(values[0])) == 0);
  SLI_EXPECT(memcmp(values[0], values[0] + 5 * DIM, DIM * sizeof(float)) == 0);
  for (int i = 1; i < 5; i++) SLI_EXPECT(memcmp(values[0], values[0] + i * DIM, DIM * sizeof(float)) != 0);
}

// Combiners, weights, and examples without ids, beside plain arithmetic.
SLI_TEST(test_combiners) {
  static const int64_t examples[] = {0, 0, 2, 2, 2}, ids[] = {7, 8, 7, 7, 9};
  static const float weights[] = {1, 2, 0.5f, 1, -3};
  for (int combiner = SL_COMBINER_SUM; combiner <= SL_COMBINER_SQRTN; combiner++) {
    sl_scope_t *s = sl_graph_scope();
    sl_embedding_table_t *table = sl_embedding_table(s, "t", DIM, .parts = 2, .initializer = "normal scale=1");
    TF_Output plain =
        sl_embedding_lookup_features(
            s, (&(sl_embedding_feature_t){.table = table, .ids = sl_constant(s, TF_INT64, SL_SHAPE(5), ids)}), 1)
            .items[0];
    TF_Output combined =
        sl_embedding_lookup_sparse(s, table, sparse_ids(s, examples, ids, 5, 4), .combiner = (sl_combiner_t)combiner,
                                   .weights = sl_constant(s, TF_FLOAT, SL_SHAPE(5), weights));
    TF_Session *session = session_of(s);
    float rows[5 * DIM], have[4 * DIM];
    SLI_EXPECT_INT(run(s, session, plain, NULL, rows, 5 * DIM), 5 * DIM);
    SLI_EXPECT_INT(run(s, session, combined, NULL, have, 4 * DIM), 4 * DIM);
    for (int example = 0; example < 4; example++)
      for (int j = 0; j < DIM; j++) {
        double sum = 0, total = 0;
        for (int i = 0; i < 5; i++) {
          if (examples[i] != example) continue;
          sum += (double)weights[i] * rows[i * DIM + j];
          total += combiner == SL_COMBINER_SQRTN ? (double)weights[i] * weights[i] : weights[i];
        }
        if (combiner == SL_COMBINER_SQRTN) total = sqrt(total);
        double want = combiner == SL_COMBINER_SUM || total == 0 ? sum : sum / total;
        SLI_EXPECT_NEAR(have[example * DIM + j], want, 1e-5);
      }
    close_session(session);
    sl_scope_release(s);
  }
}

// The gradients of equal ids are summed before the rule sees them, and other rows stay as they are.
SLI_TEST(test_gradients_are_summed) {
  static const char *const rules[] = {"GradientDescent learning_rate=0.5", "Adagrad learning_rate=0.5",
                                      "Adam learning_rate=0.5", "Ftrl learning_rate=0.5", "RMSProp learning_rate=0.5"};
  for (size_t r = 0; r < sizeof(rules) / sizeof(rules[0]); r++) {
    sl_scope_t *s = sl_graph_scope();
    sl_embedding_table_t *table = sl_embedding_table(s, "t", DIM, .parts = 2, .optimizer = rules[r]);
    sl_get_variable(s, "other", TF_FLOAT, SL_SHAPE(2), .initializer = SL_ZEROS);
    static const int64_t ids[] = {5, 6, 5, 5}, all[] = {5, 6, 7};
    TF_Output rows =
        sl_embedding_lookup_features(
            s, (&(sl_embedding_feature_t){.table = table, .ids = sl_constant(s, TF_INT64, SL_SHAPE(4), ids)}), 1)
            .items[0];
    TF_Output loss = sl_sum(s, rows);
    loss = sl_add(s, loss, sl_sum(s, sl_collection(s, SL_TRAINABLE_VARIABLES, NULL).items[0]));
    TF_Operation *train = sl_minimize(s, sl_gradient_descent(s, 1.0), loss);
    sl_embedding_table_t *frozen =
        sl_embedding_table(s, "t", DIM, .parts = 2, .optimizer = rules[r], .not_trainable = true);
    TF_Output read =
        sl_embedding_lookup_features(
            s, (&(sl_embedding_feature_t){.table = frozen, .ids = sl_constant(s, TF_INT64, SL_SHAPE(3), all)}), 1)
            .items[0];
    TF_Operation *initialize = sl_global_variables_initializer(s);
    TF_Session *session = session_of(s);
    run(s, session, (TF_Output){0}, initialize, NULL, 0);
    run(s, session, (TF_Output){0}, train, NULL, 0);
    float have[3 * DIM];
    SLI_EXPECT_INT(run(s, session, read, NULL, have, 3 * DIM), 3 * DIM);
    double adagrad = 0.5 * 3 / sqrt(0.1 + 9);
    double ftrl = 0.5 * 3 / sqrt(0.1 + 9);  // the weight that minimises its sum after one gradient
    double want[] = {-1.5, -adagrad, -0.5, -ftrl, -0.5 * 3 / sqrt(0.9 + 0.1 * 9)};
    for (int j = 0; j < DIM; j++) {
      SLI_EXPECT_NEAR(have[j], want[r], 1e-3);
      SLI_EXPECT(have[DIM + j] < -0.1f);
      SLI_EXPECT(have[2 * DIM + j] == 0);
    }
    close_session(session);
    sl_scope_release(s);
  }
}

// Reads of a table that is not trained create no rows; admission, limits and what is counted.
SLI_TEST(test_limits) {
  sl_scope_t *s = sl_graph_scope();
  sl_embedding_table_t *rare = sl_embedding_table(s, "rare", DIM, .admit_after = 3);
  sl_embedding_table_t *small = sl_embedding_table(s, "small", DIM, .max_rows = 64);
  TF_Output ids = sl_placeholder(s, TF_INT64, SL_SHAPE(-1));
  sl_outputs_t outputs = sl_embedding_lookup_features(
      s, ((sl_embedding_feature_t[]){{.table = rare, .ids = ids}, {.table = small, .ids = ids}}), 2);
  TF_Output sizes[] = {sl_embedding_table_size(s, rare), sl_embedding_table_size(s, small)};
  TF_Session *session = session_of(s);
  TF_Status *status = TF_NewStatus();
  int64_t count = 1000;
  TF_Tensor *feed = TF_AllocateTensor(TF_INT64, &count, 1, (size_t)count * sizeof(int64_t)), *values[4] = {0};
  for (int64_t i = 0; i < count; i++) ((int64_t *)TF_TensorData(feed))[i] = i * i;
  for (int pass = 1; pass <= 3; pass++) {
    TF_SessionRun(session, NULL, &ids, &feed, 1, outputs.items, values, 2, NULL, 0, NULL, status);
    SLI_EXPECT_TEXT(TF_Message(status), "");
    for (int i = 0; i < 2; i++) TF_DeleteTensor(values[i]);
    TF_SessionRun(session, NULL, NULL, NULL, 0, sizes, values, 2, NULL, 0, NULL, status);
    SLI_EXPECT_TEXT(TF_Message(status), "");
    int64_t rows = *(int64_t *)TF_TensorData(values[0]);
    SLI_EXPECT(pass < 3 ? rows < 100 : rows == 1000);  // other ids may share the counters of a few
    SLI_EXPECT(*(int64_t *)TF_TensorData(values[1]) <= 64);
    SLI_EXPECT(((int64_t *)TF_TensorData(values[1]))[2] > 0);
    for (int i = 0; i < 2; i++) TF_DeleteTensor(values[i]);
  }
  TF_DeleteTensor(feed);
  // An empty batch.
  count = 0;
  feed = TF_AllocateTensor(TF_INT64, &count, 1, 0);
  TF_SessionRun(session, NULL, &ids, &feed, 1, outputs.items, values, 2, NULL, 0, NULL, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  for (int i = 0; i < 2; i++) {
    if (values[i]) SLI_EXPECT_INT(TF_Dim(values[i], 0), 0);
    TF_DeleteTensor(values[i]);
  }
  TF_DeleteTensor(feed);
  TF_DeleteStatus(status);
  close_session(session);
  sl_scope_release(s);
}

// A small model: rows of |ids| are pulled towards 1, and read back.
typedef struct {
  sl_scope_t *scope;
  TF_Operation *train, *initialize;
  TF_Output rows;
  sl_saver_t *saver;
} model_t;

enum { SAVED = 50 };

static model_t build_model(int parts, int dim, sl_storage_t storage, const char *optimizer, bool sharded) {
  model_t m = {.scope = sl_graph_scope()};
  int64_t ids[SAVED];
  for (int i = 0; i < SAVED; i++) ids[i] = (int64_t)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15));
  sl_embedding_table_t *table = sl_embedding_table(m.scope, "group/t", dim, .parts = parts, .storage = storage,
                                                   .initializer = "uniform scale=1", .optimizer = optimizer);
  TF_Output w = sl_get_variable(m.scope, "w", TF_FLOAT, SL_SHAPE(), .initializer = SL_ZEROS);
  m.rows =
      sl_embedding_lookup_features(
          m.scope,
          (&(sl_embedding_feature_t){.table = table, .ids = sl_constant(m.scope, TF_INT64, SL_SHAPE(SAVED), ids)}), 1)
          .items[0];
  TF_Output loss = sl_add(m.scope, sl_sum(m.scope, sl_square(m.scope, m.rows)), sl_square(m.scope, w));
  m.train = sl_minimize(m.scope, sl_gradient_descent(m.scope, 0.1), loss);
  m.initialize = sl_global_variables_initializer(m.scope);
  m.saver = sl_saver(m.scope, .sharded = sharded);
  return m;
}

// The rows after the checkpoint was restored by |parts| parts and trained for |steps| more steps; or, without |from|,
// after 3 steps, which are saved as |to|.
static void train_and_read(int parts, sl_storage_t storage, bool sharded, const char *from, const char *to, int steps,
                           float *rows) {
  model_t m = build_model(parts, DIM, storage, "Adam learning_rate=0.1", sharded);
  TF_Session *session = session_of(m.scope);
  TF_Status *status = TF_NewStatus();
  if (from)
    sl_saver_restore(m.saver, session, from, status);
  else
    run(m.scope, session, (TF_Output){0}, m.initialize, NULL, 0);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  for (int i = 0; i < steps; i++) run(m.scope, session, (TF_Output){0}, m.train, NULL, 0);
  if (to) sl_saver_save(m.saver, session, to, -1, NULL, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  run(m.scope, session, m.rows, NULL, rows, SAVED * DIM);
  TF_DeleteStatus(status);
  close_session(session);
  sl_scope_release(m.scope);
}

// A checkpoint has the rows with the slots of their optimizer, and can be restored by any number of parts.
SLI_TEST(test_checkpoints) {
  const char *directory = sli_test_temporary_dir();
  static float saved[SAVED * DIM], restored[SAVED * DIM], later[SAVED * DIM], other[SAVED * DIM];
  for (int round = 0; round < 4; round++) {
    sl_storage_t storage = round == 3 ? SL_STORAGE_INT8 : round == 2 ? SL_STORAGE_BFLOAT16 : SL_STORAGE_FLOAT32;
    char *path = sli_format("%s/model-%d", directory, round);
    train_and_read(3, storage, round % 2, NULL, path, 3, saved);
    for (int parts = 1; parts <= 4; parts++) {
      train_and_read(parts, storage, round % 2, path, NULL, 0, restored);
      for (int i = 0; i < SAVED * DIM; i++) SLI_EXPECT_NEAR(restored[i], saved[i], 1e-6);
      train_and_read(parts, storage, round % 2, path, NULL, 2, parts == 1 ? later : other);
      if (parts > 1)
        for (int i = 0; i < SAVED * DIM; i++) SLI_EXPECT_NEAR(later[i], other[i], 1e-5);
    }
    free(path);
  }
}

// Wrong checkpoints: none with rows, rows of another length.
SLI_TEST(test_wrong_checkpoints) {
  char *path = sli_format("%s/wrong", sli_test_temporary_dir());
  static float rows[SAVED * DIM];
  train_and_read(2, 0, false, NULL, path, 1, rows);
  model_t m = build_model(2, DIM + 1, 0, "Adam learning_rate=0.1", false);
  TF_Session *session = session_of(m.scope);
  TF_Status *status = TF_NewStatus();
  sl_saver_restore(m.saver, session, path, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
  SLI_EXPECT_CONTAINS(TF_Message(status), "is not of type float with 5 columns");
  char *index = sli_format("%s.rows-group%%t-00000-of-00002.index", path);
  SLI_EXPECT_INT(remove(index), 0);
  sl_saver_restore(m.saver, session, path, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_NOT_FOUND);
  SLI_EXPECT_CONTAINS(TF_Message(status), "has no rows of table \"group/t\"");
  free(index);
  free(path);
  TF_DeleteStatus(status);
  close_session(session);
  sl_scope_release(m.scope);
}

static void expect_error(sl_scope_t *s, const char *text) {
  SLI_EXPECT_CONTAINS(sl_scope_error(s), text);
  sl_scope_release(s);
}

SLI_TEST(test_wrong_arguments) {
  sl_scope_t *s = sl_graph_scope();
  sl_embedding_table(s, "t", 0);
  expect_error(s, "dim must be at least 1, got 0");
  s = sl_graph_scope();
  sl_embedding_table(s, "t", 4, .device = "/job:ps/task:%s");
  expect_error(s, "device must have one %d at most");
  s = sl_graph_scope();
  sl_embedding_table_t *one = sl_embedding_table(s, "one", 4), *two = sl_embedding_table(s, "two", 4, .parts = 2);
  TF_Output ids = sl_constant(s, TF_INT64, SL_SHAPE(1), ((int64_t[]){1}));
  sl_embedding_lookup_features(s, ((sl_embedding_feature_t[]){{.table = one, .ids = ids}, {.table = two, .ids = ids}}),
                               2);
  expect_error(s, "'one' has 1 and 'two' 2");
  s = sl_graph_scope();
  one = sl_embedding_table(s, "one", 4);
  ids = sl_constant(s, TF_INT32, SL_SHAPE(1), ((int32_t[]){1}));
  sl_embedding_lookup_features(s, (&(sl_embedding_feature_t){.table = one, .ids = ids}), 1);
  expect_error(s, "must be of type int64");
}

// What the kernels refuse: unknown rules and initializers, tables of another length.
SLI_TEST(test_refusals) {
  static const struct {
    const char *optimizer, *initializer, *text;
  } rows[] = {{"Adamm learning_rate=1", NULL, "The updater must be one of"},
              {"Adam", NULL, "Adam needs learning_rate=number"},
              {NULL, "ones", "The initializer must be zeros, uniform or normal"}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    sl_scope_t *s = sl_graph_scope();
    sl_embedding_table_t *table =
        sl_embedding_table(s, "t", 4, .optimizer = rows[i].optimizer, .initializer = rows[i].initializer);
    TF_Output size = sl_embedding_table_size(s, table);
    TF_Session *session = session_of(s);
    TF_Status *status = TF_NewStatus();
    TF_Tensor *value = NULL;
    TF_SessionRun(session, NULL, NULL, NULL, 0, &size, &value, 1, NULL, 0, NULL, status);
    SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
    SLI_EXPECT_CONTAINS(TF_Message(status), rows[i].text);
    TF_DeleteStatus(status);
    close_session(session);
    sl_scope_release(s);
  }
}

SLI_TEST_MAIN(test_lookup_does_not_depend_on_parts, test_combiners, test_gradients_are_summed, test_limits,
              test_checkpoints, test_wrong_checkpoints, test_wrong_arguments, test_refusals)
