#include "dist/store/store_rows.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/test.h"

enum { DIM = 32 };

static sli_store_rows_t *rows_create(const char *initializer) {
  sli_store_rows_t *rows;
  SLI_EXPECT_OK(sli_store_rows_create(SLI_DTYPE_FLOAT, DIM, sli_view(initializer), 0, &rows));
  return rows;
}

static sli_store_updater_t updater_of(const char *text) {
  sli_store_updater_t updater;
  SLI_EXPECT_OK(sli_store_updater_parse(sli_view(text), SLI_DTYPE_FLOAT, &updater));
  return updater;
}

static sli_store_exchange_t exchange_of(const uint64_t *keys, size_t count, const float *values) {
  return (sli_store_exchange_t){
      .keys = (const char *)keys, .count = count, .length = DIM, .values = sli_view_of((const char *)values, 0)};
}

static sli_status_t *push(sli_store_rows_t *rows, uint64_t key, const float *values,
                          const sli_store_updater_t *updater) {
  sli_store_exchange_t exchange = exchange_of(&key, 1, values);
  return sli_store_rows_push(rows, &exchange, updater);
}

static sli_status_t *pull(sli_store_rows_t *rows, uint64_t key, float *to) {
  sli_store_exchange_t exchange = exchange_of(&key, 1, NULL);
  return sli_store_rows_pull(rows, &exchange, (char *)to);
}

// The first values of a row depend on its key and the seed, not on what else is in the table.
static void test_initial_values(void) {
  sli_store_rows_t *one = rows_create("uniform scale=0.5 seed=7"), *two = rows_create("uniform scale=0.5 seed=7"),
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
  sli_store_rows_destroy(one);
  sli_store_rows_destroy(two);
  sli_store_rows_destroy(other);
  sli_store_rows_destroy(normal);
}

// Random reads and updates, compared with plain arrays.
static void test_random_operations(void) {
  enum { KEYS = 2000, STEPS = 100000 };
  static float model[KEYS][DIM];
  sli_store_rows_t *rows = rows_create("zeros");
  sli_store_updater_t sum = updater_of("sum"), assign = updater_of("assign");
  uint64_t random = 3;
  float values[DIM];
  for (int step = 0; step < STEPS; step++) {
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    size_t at = (size_t)(random >> 40) % KEYS;
    uint64_t key = at * UINT64_C(0x9e3779b97f4a7c15);
    unsigned kind = (unsigned)(random >> 33) % 3;
    for (int j = 0; j < DIM; j++) values[j] = (float)((random >> 20) % 16 + (unsigned)j);
    if (kind == 0) {
      SLI_EXPECT_OK(pull(rows, key, values));
      SLI_EXPECT(memcmp(values, model[at], sizeof(values)) == 0);
    } else {
      SLI_EXPECT_OK(push(rows, key, values, kind == 1 ? &sum : &assign));
      for (int j = 0; j < DIM; j++) model[at][j] = kind == 1 ? model[at][j] + values[j] : values[j];
    }
  }
  sli_store_rows_destroy(rows);
}

// Slots appear when a rule needs them, also for rows that were there before, and only touched rows change.
static void test_slots(void) {
  sli_store_rows_t *rows = rows_create("zeros");
  sli_store_updater_t assign = updater_of("assign"), adam = updater_of("Adam learning_rate=0.5 epsilon=0"),
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
  sli_store_rows_destroy(rows);
}

static void test_memory_per_row(void) {
  sli_store_rows_t *rows = rows_create("zeros");
  float values[DIM];
  for (uint64_t key = 0; key < 200000; key++) SLI_EXPECT_OK(pull(rows, key, values));
  sli_store_rows_size_t size = sli_store_rows_size(rows);
  SLI_EXPECT_INT(size.rows, 200000);
  double ratio = (double)size.bytes / (200000.0 * sizeof(values));
  if (!(ratio <= 1.25)) sli_test_fail(__FILE__, __LINE__, "%g times the payload", ratio);
  sli_store_rows_destroy(rows);
}

// At the limit new rows are refused; those that are there go on.
static void test_limit(void) {
  enum { LIMIT = 8 << 20 };
  sli_store_rows_t *rows;
  SLI_EXPECT_OK(sli_store_rows_create(SLI_DTYPE_FLOAT, DIM, sli_view("zeros"), LIMIT, &rows));
  float values[DIM] = {1};
  uint64_t key = 0;
  sli_status_t *status = NULL;
  while (!status && key < 1000000) status = pull(rows, key++, values);
  SLI_EXPECT_INT(sli_status_code(status), SLI_RESOURCE_EXHAUSTED);
  sli_status_release(status);
  SLI_EXPECT(sli_store_rows_size(rows).rows > LIMIT / 256 && sli_store_rows_size(rows).bytes < LIMIT + (1 << 16));
  sli_store_updater_t sum = updater_of("sum"), adam = updater_of("Adam learning_rate=1");
  values[0] = 1;
  SLI_EXPECT_OK(push(rows, 5, values, &sum));
  SLI_EXPECT_OK(pull(rows, 5, values));
  SLI_EXPECT(values[0] == 1);
  SLI_EXPECT_STATUS(push(rows, 5, values, &adam), SLI_RESOURCE_EXHAUSTED);  // no room for slots
  SLI_EXPECT_OK(pull(rows, 5, values));
  SLI_EXPECT(values[0] == 1);
  sli_store_rows_destroy(rows);
}

static void *add_ones(void *context) {
  sli_store_rows_t *rows = context;
  sli_store_updater_t sum = updater_of("sum");
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
  sli_store_rows_t *rows = rows_create("zeros");
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, add_ones, rows);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  float values[DIM];
  for (uint64_t key = 0; key < 1000; key++) {
    SLI_EXPECT_OK(pull(rows, key, values));
    SLI_EXPECT(values[0] == 20);
  }
  sli_store_rows_destroy(rows);
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
  sli_store_rows_t *rows;
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
    SLI_EXPECT_STATUS(sli_store_rows_create(SLI_DTYPE_FLOAT, 1, sli_view(wrong[i]), 0, &rows), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_store_rows_create(SLI_DTYPE_FLOAT, 0, sli_view("zeros"), 0, &rows), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_store_rows_create(SLI_DTYPE_FLOAT, INT64_MAX, sli_view("zeros"), 0, &rows),
                    SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_store_rows_create(SLI_DTYPE_INT32, 1, sli_view("zeros"), 0, &rows), SLI_UNIMPLEMENTED);
  rows = rows_create("zeros");
  float value[DIM];
  uint64_t key = 1;
  sli_store_exchange_t exchange = exchange_of(&key, 1, NULL);
  exchange.length = 1;
  SLI_EXPECT_STATUS(sli_store_rows_pull(rows, &exchange, (char *)value), SLI_INVALID_ARGUMENT);
  sli_store_rows_destroy(rows);
}

SLI_TEST_MAIN(test_initial_values, test_random_operations, test_slots, test_memory_per_row, test_limit, test_threads,
              test_wrong_arguments)
