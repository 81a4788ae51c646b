#include "ops/embedding/embedding_rows.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/test.h"

enum { DIM = 32 };

static sli_embedding_rows_t *rows_with(sli_embedding_rows_options_t options) {
  sli_embedding_rows_t *rows;
  if (!options.dtype) options.dtype = SLI_DTYPE_FLOAT;
  if (!options.length) options.length = DIM;
  if (!options.initializer.size) options.initializer = sli_view("zeros");
  SLI_EXPECT_OK(sli_embedding_rows_create(&options, &rows));
  return rows;
}

static sli_embedding_rows_t *rows_create(const char *initializer) {
  return rows_with((sli_embedding_rows_options_t){.initializer = sli_view(initializer)});
}

static sli_updater_t updater_of(const char *text) {
  sli_updater_t updater;
  SLI_EXPECT_OK(sli_updater_parse(sli_view(text), SLI_DTYPE_FLOAT, &updater));
  return updater;
}

static sli_status_t *push(sli_embedding_rows_t *rows, uint64_t key, const float *values, const sli_updater_t *updater) {
  return sli_embedding_rows_push(rows, NULL, (const char *)&key, 1, values, updater);
}

static sli_status_t *pull(sli_embedding_rows_t *rows, uint64_t key, float *to) {
  return sli_embedding_rows_pull(rows, NULL, (const char *)&key, 1, true, to);
}

// The first values of a row depend on its key and the seed, not on what else is in the table.
static void test_initial_values(void) {
  sli_embedding_rows_t *one = rows_create("uniform scale=0.5 seed=7"), *two = rows_create("uniform scale=0.5 seed=7"),
                       *other = rows_create("uniform scale=0.5 seed=8"), *normal = rows_create("normal scale=2");
  float a[DIM], b[DIM];
  double sum = 0, squares = 0;
  for (int i = 0; i < 2000; i++) {
    uint64_t key = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
    SLI_EXPECT_OK(pull(two, UINT64_MAX - key, b));
    SLI_EXPECT_OK(pull(one, key, a));
    SLI_EXPECT_OK(pull(two, key, b));
    SLI_EXPECT(memcmp(a, b, sizeof(a)) == 0);
    SLI_EXPECT_OK(pull(other, key, b));
    SLI_EXPECT(memcmp(a, b, sizeof(a)) != 0);
    for (int j = 0; j < DIM; j++) SLI_EXPECT(a[j] > -0.5 && a[j] < 0.5);
    SLI_EXPECT_OK(pull(normal, key, b));
    for (int j = 0; j < DIM; j++) sum += b[j], squares += (double)b[j] * b[j];
  }
  SLI_EXPECT_NEAR(sum / (2000 * DIM), 0, 0.05);
  SLI_EXPECT_NEAR(sqrt(squares / (2000 * DIM)), 2, 0.05);
  sli_embedding_rows_destroy(one);
  sli_embedding_rows_destroy(two);
  sli_embedding_rows_destroy(other);
  sli_embedding_rows_destroy(normal);
}

// A plain table: what rows should be.
enum { KEYS = 3000 };
typedef struct {
  float values[DIM], slot[DIM];
  bool exists, has_slot;
} model_row_t;

static uint64_t model_key(size_t at) { return at < 2 ? at - 1 : at * UINT64_C(0x9e3779b97f4a7c15); }

static void model_touch(model_row_t *row, sli_embedding_rows_t *twin, uint64_t key) {
  if (!row->exists) SLI_EXPECT_OK(sli_embedding_rows_pull(twin, NULL, (const char *)&key, 1, false, row->values));
  row->exists = true;
}

static void model_push(model_row_t *row, unsigned kind, const float *gradient) {
  if (kind == 2 && !row->has_slot)
    for (int j = 0; j < DIM; j++) row->slot[j] = 0.1f;
  if (kind == 2) row->has_slot = true;
  for (int j = 0; j < DIM; j++) {
    if (kind == 2) row->slot[j] += gradient[j] * gradient[j];
    row->values[j] = kind == 0   ? gradient[j]
                     : kind == 1 ? row->values[j] + gradient[j]
                                 : row->values[j] - 0.5f * gradient[j] / sqrtf(row->slot[j]);
  }
}

// Random reads, updates by three rules and clearings of several keys at a time, also twice the same one, compared with
// plain arrays. SLUICE_TEST_STEPS=1000000 tries more of them.
static void test_random_operations(void) {
  const char *wanted = getenv("SLUICE_TEST_STEPS");
  long steps = wanted ? strtol(wanted, NULL, 10) : 30000;
  static model_row_t model[KEYS];
  sli_embedding_rows_t *rows = rows_create("uniform scale=1 seed=5"), *twin = rows_create("uniform scale=1 seed=5");
  sli_updater_t updaters[] = {updater_of("assign"), updater_of("sum"), updater_of("Adagrad learning_rate=0.5")};
  uint64_t random = 3, keys[8];
  float values[8][DIM];
  size_t at[8];
  for (long step = 0; step < steps; step++) {
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    size_t count = (size_t)(random >> 33) % 9;
    unsigned kind = (unsigned)(random >> 40) % 5;
    for (size_t i = 0; i < count; i++) {
      at[i] = (size_t)((random >> 20) * (i + 1)) % KEYS;
      keys[i] = model_key(at[i]);
      for (int j = 0; j < DIM; j++) values[i][j] = (float)((random >> (20 + i)) % 16) - (float)j / 4;
    }
    if (kind < 3) {
      SLI_EXPECT_OK(sli_embedding_rows_push(rows, NULL, (const char *)keys, count, values, &updaters[kind]));
      for (size_t i = 0; i < count; i++) model_touch(&model[at[i]], twin, keys[i]);
      for (size_t i = 0; i < count; i++) model_push(&model[at[i]], kind, values[i]);
      continue;
    }
    SLI_EXPECT_OK(sli_embedding_rows_pull(rows, NULL, (const char *)keys, count, kind == 3, values));
    for (size_t i = 0; i < count; i++) {
      model_row_t fresh = model[at[i]];
      model_touch(kind == 3 ? &model[at[i]] : &fresh, twin, keys[i]);
      const float *want = kind == 3 ? model[at[i]].values : fresh.values;
      for (int j = 0; j < DIM; j++)
        if (!(fabsf(values[i][j] - want[j]) <= 1e-4f * (1 + fabsf(want[j]))))
          sli_test_fail(__FILE__, __LINE__, "step %ld: %g, expected %g", step, values[i][j], want[j]);
    }
    if (random % 10007 == 0) {
      sli_embedding_rows_clear(rows);
      memset(model, 0, sizeof(model));
    }
  }
  size_t exist = 0;
  for (size_t i = 0; i < KEYS; i++) exist += model[i].exists;
  SLI_EXPECT_INT(sli_embedding_rows_size(rows).rows, exist);
  SLI_EXPECT_INT(sli_embedding_rows_size(twin).rows, 0);
  sli_embedding_rows_destroy(rows);
  sli_embedding_rows_destroy(twin);
}

// With few rows allowed, those that are used go on, and the index stays right while others come and go.
static void test_eviction(void) {
  sli_embedding_rows_t *rows = rows_with((sli_embedding_rows_options_t){.max_rows = 6400, .evicts = true});
  sli_updater_t sum = updater_of("sum");
  float ones[DIM], values[DIM];
  for (int i = 0; i < DIM; i++) ones[i] = 1;
  for (uint64_t i = 0; i < 100000; i++) {
    SLI_EXPECT_OK(push(rows, 1000 + i, ones, &sum));
    SLI_EXPECT_OK(push(rows, i % 100, ones, &sum));
  }
  sli_embedding_rows_size_t size = sli_embedding_rows_size(rows);
  SLI_EXPECT(size.rows <= 6400 && size.rows > 6000);
  SLI_EXPECT_INT(size.evicted, 100100 - size.rows);
  for (uint64_t key = 0; key < 100; key++) {
    SLI_EXPECT_OK(pull(rows, key, values));
    SLI_EXPECT(values[0] == 1000);
  }
  sli_embedding_rows_destroy(rows);
}

// Rows that nobody uses grow old; others stay.
static void test_age(void) {
  sli_embedding_rows_t *rows = rows_with((sli_embedding_rows_options_t){.max_age = 50});
  sli_updater_t sum = updater_of("sum");
  static uint64_t keys[2000];
  static float ones[2000][DIM];
  for (size_t i = 0; i < 2000; i++) keys[i] = i;
  SLI_EXPECT_OK(sli_embedding_rows_push(rows, NULL, (const char *)keys, 2000, ones, &sum));
  for (int i = 0; i < 200; i++)
    SLI_EXPECT_OK(sli_embedding_rows_push(rows, NULL, (const char *)keys, 1000, ones, &sum));
  SLI_EXPECT_INT(sli_embedding_rows_size(rows).rows, 1000);
  SLI_EXPECT_INT(sli_embedding_rows_size(rows).evicted, 1000);
  sli_embedding_rows_destroy(rows);
}

// A limit of bytes with eviction: always room for new rows, never more memory.
static void test_bytes(void) {
  enum { LIMIT = 4 << 20 };
  sli_embedding_rows_t *rows = rows_with((sli_embedding_rows_options_t){.max_bytes = LIMIT, .evicts = true});
  float values[DIM];
  for (uint64_t key = 0; key < 100000; key++) SLI_EXPECT_OK(pull(rows, key, values));
  sli_embedding_rows_size_t size = sli_embedding_rows_size(rows);
  SLI_EXPECT(size.bytes < LIMIT + (1 << 17) && size.rows > LIMIT / 256);
  sli_embedding_rows_destroy(rows);
}

// Rows in 2 or 1 bytes per value: near to what was put in, less memory, and small updates are not lost.
static void test_storage(void) {
  static const double tolerances[] = {0, 0.004, 0.01};
  for (int store = SLI_EMBEDDING_STORE_PLAIN; store <= SLI_EMBEDDING_STORE_INT8; store++) {
    sli_embedding_rows_t *rows = rows_with((sli_embedding_rows_options_t){.store = (sli_embedding_store_t)store});
    sli_updater_t assign = updater_of("assign"), descent = updater_of("GradientDescent learning_rate=0.001");
    float start[DIM], ones[DIM], values[DIM];
    for (int i = 0; i < DIM; i++) start[i] = (float)i / DIM - 0.5f, ones[i] = 1;
    for (uint64_t key = 0; key < 60000; key++) SLI_EXPECT_OK(push(rows, key, start, &assign));
    SLI_EXPECT_OK(pull(rows, 7, values));
    for (int i = 0; i < DIM; i++) SLI_EXPECT_NEAR(values[i], start[i], tolerances[store]);
    for (int i = 0; i < 500; i++) SLI_EXPECT_OK(push(rows, 7, ones, &descent));
    SLI_EXPECT_OK(pull(rows, 7, values));
    double sum = 0;
    for (int i = 0; i < DIM; i++) sum += values[i] - (start[i] - 0.5);
    SLI_EXPECT_NEAR(sum / DIM, 0, 0.05);
    double bytes = (double)sli_embedding_rows_size(rows).bytes / 60000;
    SLI_EXPECT(bytes < (store == SLI_EMBEDDING_STORE_PLAIN ? 180 : store == SLI_EMBEDDING_STORE_BFLOAT16 ? 120 : 90));
    sli_embedding_rows_destroy(rows);
  }
}

// Slots appear when a rule needs them, also for rows that were there before, and only touched rows change.
static void test_slots(void) {
  sli_embedding_rows_t *rows = rows_create("zeros");
  sli_updater_t assign = updater_of("assign"), adam = updater_of("Adam learning_rate=0.5 epsilon=0"),
                adagrad = updater_of("Adagrad learning_rate=0.5 initial_accumulator_value=0");
  float ones[DIM], values[DIM];
  for (int i = 0; i < DIM; i++) ones[i] = 1;
  for (uint64_t key = 0; key < 5000; key++) SLI_EXPECT_OK(push(rows, key, ones, &assign));
  for (uint64_t key = 0; key < 5000; key += 2) SLI_EXPECT_OK(push(rows, key, ones, &adam));
  for (uint64_t key = 0; key < 5000; key += 4) SLI_EXPECT_OK(push(rows, key, ones, &adagrad));
  for (uint64_t key = 0; key < 5000; key++) {
    SLI_EXPECT_OK(pull(rows, key, values));
    float wanted = key % 4 == 0 ? 0 : key % 2 == 0 ? 0.5f : 1;  // each first step has the size of the rate
    for (int i = 0; i < DIM; i++) SLI_EXPECT_NEAR(values[i], wanted, 1e-4);
  }
  sli_embedding_rows_destroy(rows);
}

static void test_memory_per_row(void) {
  sli_embedding_rows_t *rows = rows_create("zeros");
  float values[DIM];
  for (uint64_t key = 0; key < 200000; key++) SLI_EXPECT_OK(pull(rows, key, values));
  sli_embedding_rows_size_t size = sli_embedding_rows_size(rows);
  SLI_EXPECT_INT(size.rows, 200000);
  double ratio = (double)size.bytes / (200000.0 * sizeof(values));
  if (!(ratio <= 1.25)) sli_test_fail(__FILE__, __LINE__, "%g times the payload", ratio);
  sli_embedding_rows_destroy(rows);
}

// At the limit new rows are refused; those that are there go on.
static void test_limit(void) {
  enum { LIMIT = 8 << 20 };
  sli_embedding_rows_t *rows = rows_with((sli_embedding_rows_options_t){.max_bytes = LIMIT});
  float values[DIM] = {1};
  uint64_t key = 0;
  sli_status_t *status = NULL;
  while (!status && key < 1000000) status = pull(rows, key++, values);
  SLI_EXPECT_INT(sli_status_code(status), SLI_RESOURCE_EXHAUSTED);
  sli_status_release(status);
  SLI_EXPECT(sli_embedding_rows_size(rows).rows > LIMIT / 256 &&
             sli_embedding_rows_size(rows).bytes < LIMIT + (1 << 16));
  sli_updater_t sum = updater_of("sum"), adam = updater_of("Adam learning_rate=1");
  values[0] = 1;
  SLI_EXPECT_OK(push(rows, 5, values, &sum));
  SLI_EXPECT_OK(pull(rows, 5, values));
  SLI_EXPECT(values[0] == 1);
  SLI_EXPECT_STATUS(push(rows, 5, values, &adam), SLI_RESOURCE_EXHAUSTED);  // no room for slots
  SLI_EXPECT_OK(pull(rows, 5, values));
  SLI_EXPECT(values[0] == 1);
  sli_embedding_rows_destroy(rows);
}

static void *add_ones(void *context) {
  sli_embedding_rows_t *rows = context;
  sli_updater_t sum = updater_of("sum");
  float ones[DIM], values[DIM];
  for (int i = 0; i < DIM; i++) ones[i] = 1;
  for (int pass = 0; pass < 5; pass++)
    for (uint64_t key = 0; key < 1000; key++) {
      SLI_EXPECT_OK(push(rows, key, ones, &sum));
      SLI_EXPECT_OK(pull(rows, key, values));
      for (int i = 1; i < DIM; i++) SLI_EXPECT(values[i] == values[0]);  // a row is never half updated
    }
  return NULL;
}

static void test_threads(void) {
  sli_embedding_rows_t *rows = rows_create("zeros");
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, add_ones, rows);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  float values[DIM];
  for (uint64_t key = 0; key < 1000; key++) {
    SLI_EXPECT_OK(pull(rows, key, values));
    SLI_EXPECT(values[0] == 20);
  }
  sli_embedding_rows_destroy(rows);
}

static void test_wrong_arguments(void) {
  static const char *const wrong[] = {"",
                                      "ones",
                                      "zeros 3",
                                      "uniform scale",
                                      "uniform scale=x",
                                      "uniform scale=inf",
                                      "normal seed=1.5",
                                      "normal mean=1"};
  sli_embedding_rows_t *rows;
  sli_embedding_rows_options_t good = {.dtype = SLI_DTYPE_FLOAT, .length = 1, .initializer = sli_view("zeros")}, bad;
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    bad = good, bad.initializer = sli_view(wrong[i]);
    SLI_EXPECT_STATUS(sli_embedding_rows_create(&bad, &rows), SLI_INVALID_ARGUMENT);
  }
  bad = good, bad.length = 0;
  SLI_EXPECT_STATUS(sli_embedding_rows_create(&bad, &rows), SLI_INVALID_ARGUMENT);
  bad = good, bad.length = INT64_MAX;
  SLI_EXPECT_STATUS(sli_embedding_rows_create(&bad, &rows), SLI_INVALID_ARGUMENT);
  bad = good, bad.admit_after = 256;
  SLI_EXPECT_STATUS(sli_embedding_rows_create(&bad, &rows), SLI_INVALID_ARGUMENT);
  bad = good, bad.dtype = SLI_DTYPE_INT32;
  SLI_EXPECT_STATUS(sli_embedding_rows_create(&bad, &rows), SLI_UNIMPLEMENTED);
  bad.dtype = SLI_DTYPE_DOUBLE;
  bad.store = SLI_EMBEDDING_STORE_INT8;
  SLI_EXPECT_STATUS(sli_embedding_rows_create(&bad, &rows), SLI_UNIMPLEMENTED);
}

SLI_TEST_MAIN(test_initial_values, test_random_operations, test_eviction, test_age, test_bytes, test_storage,
              test_slots, test_memory_per_row, test_limit, test_threads, test_wrong_arguments)
