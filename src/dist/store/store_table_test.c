#include "dist/store/store_table.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/test.h"
#include "core/state/variable.h"
#include "ops/embedding/updater.h"

static sli_store_exchange_t exchange_of(const uint64_t *keys, size_t count, uint32_t length, const float *values) {
  return (sli_store_exchange_t){.dtype = SLI_DTYPE_FLOAT,
                                .push = values != NULL,
                                .keys = (const char *)keys,
                                .count = count,
                                .length = length,
                                .values = sli_view_of((const char *)values, count * length * sizeof(float)),
                                .values_bytes = count * length * sizeof(float)};
}

static sli_status_t *pull(sli_store_table_t *table, const uint64_t *keys, size_t count, uint32_t length, float *to) {
  sli_store_exchange_t exchange = exchange_of(keys, count, length, NULL);
  sli_slices_t slices = {0};
  sli_status_t *status = sli_store_table_pull(table, &exchange, &slices);
  if (!status) sli_slices_copy(&slices, to);
  sli_slices_deinitialize(&slices);
  return status;
}

static sli_status_t *push(sli_store_table_t *table, const uint64_t *keys, size_t count, uint32_t length,
                          const float *values) {
  sli_store_exchange_t exchange = exchange_of(keys, count, length, values);
  return sli_store_table_push(table, &exchange);
}

// Random operations, compared with a plain array.
static void test_random_operations(void) {
  enum { KEYS = 3000, STEPS = 1000000, LENGTH = 3 };
  static float model[KEYS][LENGTH];
  static bool known[KEYS];
  sli_resource_manager_t *resources = sli_resource_manager_create("localhost");
  sli_store_table_t *table = sli_store_table_create(sli_view("t"), SLI_DTYPE_FLOAT, resources, NULL);
  SLI_EXPECT_OK(sli_store_table_set_updater(table, sli_view("sum")));
  uint64_t random = 1;
  for (int step = 0; step < STEPS; step++) {
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    size_t at = (size_t)(random >> 33) % KEYS;
    uint64_t key = at * UINT64_C(0x9e3779b97f4a7c15);  // of all 64 bits
    float values[LENGTH];
    if (random >> 32 & 1) {
      for (int i = 0; i < LENGTH; i++) model[at][i] += values[i] = (float)(int)(random >> (10 + i) & 15);
      SLI_EXPECT_OK(push(table, &key, 1, LENGTH, values));
      known[at] = true;
    } else if (known[at]) {
      SLI_EXPECT_OK(pull(table, &key, 1, LENGTH, values));
      SLI_EXPECT(memcmp(values, model[at], sizeof(values)) == 0);
    } else {
      SLI_EXPECT_STATUS(pull(table, &key, 1, LENGTH, values), SLI_NOT_FOUND);
    }
  }
  size_t count = 0;
  for (int i = 0; i < KEYS; i++) count += known[i];
  SLI_EXPECT_INT(sli_store_table_count(table), count);
  sli_store_table_destroy(table);
  sli_resource_manager_destroy(resources);
}

// Calls of many keys, in every order, with every kind of key and length, on several threads, compared with a plain
// array.
static void test_many_keys(void) {
  enum { KEYS = 6000, CALLS = 400, MAX_LENGTH = 5 };
  static float model[KEYS][MAX_LENGTH], values[KEYS * MAX_LENGTH], read[KEYS * MAX_LENGTH];
  static bool known[KEYS];
  static uint64_t keys[KEYS];
  static uint32_t lengths[KEYS];
  static size_t chosen[KEYS];
  sli_resource_manager_t *resources = sli_resource_manager_create("localhost");
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 3, NULL);
  // Neighbours; multiples of 16 and of 256, which are at the same place of a block; keys of all 64 bits.
  static const uint64_t factors[] = {1, 16, 256, UINT64_C(0x9e3779b97f4a7c15)};
  for (size_t f = 0; f < SLI_ARRAY_COUNT_OF(factors); f++) {
    sli_store_table_t *table = sli_store_table_create(sli_view("t"), SLI_DTYPE_FLOAT, resources, pool);
    memset(model, 0, sizeof(model));
    memset(known, 0, sizeof(known));
    uint64_t random = f + 1;
    for (int call = 0; call < CALLS; call++) {
      random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
      bool is_push = random >> 40 & 1, is_sum = random >> 41 & 1, is_rising = random >> 42 & 1;
      size_t count = 1 + (random >> 20) % (call % 4 ? 40 : KEYS / 2), at = (random >> 45) % KEYS, elements = 0;
      for (size_t i = 0; i < count; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        chosen[i] = is_rising ? (at + i) % KEYS : (random >> 33) % KEYS;
        keys[i] = chosen[i] * factors[f];
        lengths[i] = 1 + chosen[i] % MAX_LENGTH;
        for (uint32_t j = 0; j < lengths[i]; j++) values[elements++] = (float)(random >> 30 & 63);
      }
      sli_store_exchange_t exchange = exchange_of(keys, count, 0, is_push ? values : NULL);
      exchange.lengths = (const char *)lengths;
      exchange.values = sli_view_of((const char *)values, elements * sizeof(float));
      exchange.values_bytes = elements * sizeof(float);
      exchange.update = is_sum ? SLI_STORE_UPDATE_SUM : SLI_STORE_UPDATE_ASSIGN;
      size_t offset = 0;
      if (is_push) {
        SLI_EXPECT_OK(sli_store_table_push(table, &exchange));
        for (size_t i = 0; i < count; i++) {
          known[chosen[i]] = true;
          for (uint32_t j = 0; j < lengths[i]; j++, offset++)
            model[chosen[i]][j] = values[offset] + (is_sum ? model[chosen[i]][j] : 0);
        }
        continue;
      }
      bool are_known = true;
      for (size_t i = 0; i < count; i++) are_known &= known[chosen[i]];
      sli_slices_t slices = {0};
      sli_status_t *status = sli_store_table_pull(table, &exchange, &slices);
      SLI_EXPECT_INT(sli_status_code(status), are_known ? 0 : SLI_NOT_FOUND);
      if (!status) sli_slices_copy(&slices, read);
      for (size_t i = 0; i < count && !status; offset += lengths[i++])
        SLI_EXPECT(memcmp(&read[offset], model[chosen[i]], lengths[i] * sizeof(float)) == 0);
      sli_slices_deinitialize(&slices);
      sli_status_release(status);
    }
    size_t count = 0;
    for (int i = 0; i < KEYS; i++) count += known[i];
    SLI_EXPECT_INT(sli_store_table_count(table), count);
    sli_store_table_destroy(table);
  }
  sli_thread_pool_destroy(pool);
  sli_resource_manager_destroy(resources);
}

// Many tables with few keys each.
static void test_many_tables(void) {
  enum { TABLES = 10000, KEYS = 3 };
  static sli_store_table_t *tables[TABLES];
  sli_resource_manager_t *resources = sli_resource_manager_create("localhost");
  uint64_t keys[KEYS] = {0, UINT64_MAX, UINT64_C(1) << 63};
  for (int i = 0; i < TABLES; i++) {
    char name[32];
    snprintf(name, sizeof(name), "table %d", i);
    tables[i] = sli_store_table_create(sli_view(name), SLI_DTYPE_FLOAT, resources, NULL);
    if (i % 2) SLI_EXPECT_OK(sli_store_table_set_rows(tables[i], 1, sli_view("zeros"), 0));
    float values[KEYS] = {(float)i, (float)i + 1, (float)i + 2};
    SLI_EXPECT_OK(push(tables[i], keys, KEYS, 1, values));
  }
  for (int i = 0; i < TABLES; i++) {
    float read[KEYS];
    SLI_EXPECT_OK(pull(tables[i], keys, KEYS, 1, read));
    SLI_EXPECT(read[0] == (float)i && read[1] == (float)i + 1 && read[2] == (float)i + 2);
    SLI_EXPECT_INT(sli_store_table_count(tables[i]), KEYS);
  }
  for (int i = 0; i < TABLES; i++) sli_store_table_destroy(tables[i]);
  sli_resource_manager_destroy(resources);
}

// A push with one wrong length among many changes nothing.
static void test_wrong_length_among_many(void) {
  enum { KEYS = 1000 };
  static uint64_t keys[KEYS];
  static uint32_t lengths[KEYS];
  static float ones[2 * KEYS], read[KEYS];
  sli_resource_manager_t *resources = sli_resource_manager_create("localhost");
  sli_store_table_t *table = sli_store_table_create(sli_view("t"), SLI_DTYPE_FLOAT, resources, NULL);
  for (size_t i = 0; i < KEYS; i++) keys[i] = i, lengths[i] = 1, ones[2 * i] = ones[2 * i + 1] = 1;
  SLI_EXPECT_OK(push(table, keys, KEYS, 1, ones));
  lengths[700] = 2;
  sli_store_exchange_t exchange = exchange_of(keys, KEYS, 0, ones);
  exchange.lengths = (const char *)lengths;
  exchange.update = SLI_STORE_UPDATE_SUM;
  exchange.values_bytes = (KEYS + 1) * sizeof(float);
  sli_status_t *status = sli_store_table_push(table, &exchange);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "Key 700 of table \"t\" has 1 elements, the call expects 2.");
  sli_status_release(status);
  SLI_EXPECT_OK(pull(table, keys, KEYS, 1, read));
  for (size_t i = 0; i < KEYS; i++) SLI_EXPECT(read[i] == 1);
  sli_store_table_destroy(table);
  sli_resource_manager_destroy(resources);
}

// A small value and a large one are updated alike.
static void test_rules(void) {
  static const char *const updaters[] = {"GradientDescent learning_rate=0.1",
                                         "Momentum learning_rate=0.1 momentum=0.9",
                                         "Adagrad learning_rate=0.1",
                                         "Adam learning_rate=0.1",
                                         "RMSProp learning_rate=0.1",
                                         "CenteredRMSProp learning_rate=0.1",
                                         "Adadelta learning_rate=1",
                                         "AdaMax learning_rate=0.1",
                                         "AddSign learning_rate=0.1",
                                         "PowerSign learning_rate=0.1",
                                         "Ftrl learning_rate=0.1 l1_regularization_strength=0.01",
                                         "ProximalAdagrad learning_rate=0.1",
                                         "AdagradDA learning_rate=0.1"};
  enum { LARGE = 2048 };
  static float gradient[LARGE], large[LARGE];
  for (int i = 0; i < LARGE; i++) gradient[i] = (float)(i % 4) - 1.5f;
  sli_resource_manager_t *resources = sli_resource_manager_create("localhost");
  for (size_t u = 0; u < sizeof(updaters) / sizeof(updaters[0]); u++) {
    sli_store_table_t *table = sli_store_table_create(sli_view("t"), SLI_DTYPE_FLOAT, resources, NULL);
    SLI_EXPECT_OK(sli_store_table_set_updater(table, sli_view(updaters[u])));
    uint64_t keys[] = {0, UINT64_MAX};
    float small[4];
    for (int step = 0; step < 5; step++) {
      SLI_EXPECT_OK(push(table, &keys[0], 1, 4, gradient));
      SLI_EXPECT_OK(push(table, &keys[1], 1, LARGE, gradient));
    }
    SLI_EXPECT_OK(pull(table, &keys[0], 1, 4, small));
    SLI_EXPECT_OK(pull(table, &keys[1], 1, LARGE, large));
    for (int i = 0; i < LARGE; i++) SLI_EXPECT_NEAR(large[i], small[i % 4], 1e-6);
    SLI_EXPECT(small[0] > 0 && small[3] < 0);  // against the gradient
    sli_store_table_destroy(table);
  }
  sli_resource_manager_destroy(resources);
}

// By hand: m = 0.1 g, v = 0.001 g², rate √(1 - 0.999) / (1 - 0.9).
static void test_adam(void) {
  sli_store_table_t *table = sli_store_table_create(sli_view("t"), SLI_DTYPE_FLOAT, NULL, NULL);
  SLI_EXPECT_OK(sli_store_table_set_updater(table, sli_view("Adam learning_rate=0.5 epsilon=0")));
  uint64_t key = 1;
  float value = 2;
  SLI_EXPECT_OK(push(table, &key, 1, 1, &value));
  SLI_EXPECT_OK(pull(table, &key, 1, 1, &value));
  SLI_EXPECT_NEAR(value, -0.5, 1e-5);  // the first step has the size of the rate
  sli_store_table_destroy(table);
}

// A reader keeps the value that it has, whatever is pushed later; the shape of a variable stays.
static void test_bound_variable(void) {
  sli_resource_manager_t *resources = sli_resource_manager_create("localhost");
  sli_store_table_t *table = sli_store_table_create(sli_view("t"), SLI_DTYPE_FLOAT, resources, NULL);
  int64_t dims[] = {2, 3}, length;
  sli_variable_t *variable = sli_variable_create(SLI_DTYPE_FLOAT, sli_view("v"), (sli_shape_t){2, dims});
  SLI_EXPECT_OK(sli_resource_insert(resources, sli_view(""), sli_view("v"), variable));
  SLI_EXPECT_STATUS(sli_store_table_bind(table, 7, sli_view(""), sli_view("w"), &length), SLI_NOT_FOUND);
  SLI_EXPECT_OK(sli_store_table_bind(table, 7, sli_view(""), sli_view("v"), &length));
  SLI_EXPECT_INT(length, 6);
  SLI_EXPECT_OK(sli_store_table_bind(table, 7, sli_view(""), sli_view("v"), &length));
  uint64_t key = 7, other = 8;
  float values[6] = {1, 2, 3, 4, 5, 6}, read[6];
  SLI_EXPECT_STATUS(pull(table, &key, 1, 6, read), SLI_FAILED_PRECONDITION);
  SLI_EXPECT_OK(push(table, &key, 1, 6, values));
  sli_tensor_t *tensor = sli_variable_read(variable);
  SLI_EXPECT(tensor && tensor->rank == 2);
  values[0] = 9;
  SLI_EXPECT_OK(push(table, &key, 1, 6, values));
  SLI_EXPECT(SLI_DATA(float, tensor)[0] == 1);
  sli_tensor_release(tensor);
  tensor = sli_variable_read(variable);
  SLI_EXPECT(tensor->rank == 2 && SLI_DATA(float, tensor)[0] == 9);
  sli_tensor_release(tensor);
  SLI_EXPECT_OK(push(table, &other, 1, 1, values));
  SLI_EXPECT_STATUS(sli_store_table_bind(table, 8, sli_view(""), sli_view("v"), &length), SLI_ALREADY_EXISTS);
  SLI_EXPECT_STATUS(push(table, &key, 1, 5, values), SLI_INVALID_ARGUMENT);
  sli_resource_clear_all(resources);
  SLI_EXPECT_STATUS(pull(table, &key, 1, 6, read), SLI_NOT_FOUND);
  sli_variable_release(variable);
  sli_store_table_destroy(table);
  sli_resource_manager_destroy(resources);
}

// A value keeps its place when its rule changes to one with more slots.
static void test_change_of_rule(void) {
  sli_store_table_t *table = sli_store_table_create(sli_view("t"), SLI_DTYPE_FLOAT, NULL, NULL);
  uint64_t keys[100];
  float values[100], read[100];
  for (int i = 0; i < 100; i++) keys[i] = (uint64_t)i, values[i] = (float)i;
  SLI_EXPECT_OK(push(table, keys, 100, 1, values));
  SLI_EXPECT_OK(sli_store_table_set_updater(table, sli_view("Adam learning_rate=0.25")));
  for (int i = 0; i < 100; i++) values[i] = 1;
  SLI_EXPECT_OK(push(table, keys, 100, 1, values));
  SLI_EXPECT_OK(pull(table, keys, 100, 1, read));
  for (int i = 0; i < 100; i++) SLI_EXPECT_NEAR(read[i], (float)i - 0.25f, 1e-4);
  char *text = sli_store_table_updater(table);
  SLI_EXPECT_TEXT(text, "Adam learning_rate=0.25");
  free(text);
  sli_store_table_destroy(table);
}

enum { SHARED_KEYS = 300, PASSES = 20, THREADS = 4 };

static void *push_shared_keys(void *context) {
  sli_store_table_t *table = context;
  uint64_t keys[SHARED_KEYS];
  float values[2 * SHARED_KEYS], read[2 * SHARED_KEYS];
  for (int i = 0; i < SHARED_KEYS; i++) keys[i] = (uint64_t)i / 2;  // each twice
  for (int i = 0; i < 2 * SHARED_KEYS; i++) values[i] = 1;
  for (int i = 0; i < PASSES; i++) {
    SLI_EXPECT_OK(push(table, keys, SHARED_KEYS, 2, values));
    SLI_EXPECT_OK(pull(table, keys, SHARED_KEYS, 2, read));
    for (int j = 0; j < SHARED_KEYS; j++) SLI_EXPECT(read[2 * j] == read[2 * j + 1]);  // never half updated
  }
  return NULL;
}

static void run_threads(sli_store_table_t *table) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, push_shared_keys, table);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

// Several threads push the same keys; with the second rule the values also move, to have room for slots.
static void test_threads(void) {
  sli_store_table_t *table = sli_store_table_create(sli_view("t"), SLI_DTYPE_FLOAT, NULL, NULL);
  SLI_EXPECT_OK(sli_store_table_set_updater(table, sli_view("sum")));
  run_threads(table);
  uint64_t key = SHARED_KEYS / 2 - 1;
  float read[2];
  SLI_EXPECT_OK(pull(table, &key, 1, 2, read));
  SLI_EXPECT(read[0] == 2 * PASSES * THREADS);
  SLI_EXPECT_OK(sli_store_table_set_updater(table, sli_view("Momentum learning_rate=1 momentum=0")));
  run_threads(table);
  SLI_EXPECT_OK(pull(table, &key, 1, 2, read));
  SLI_EXPECT(read[0] == 0 && read[1] == 0);
  SLI_EXPECT_INT(sli_store_table_count(table), SHARED_KEYS / 2);
  sli_store_table_destroy(table);
}

static void test_updater_texts(void) {
  sli_updater_t updater;
  SLI_EXPECT_OK(sli_updater_parse(sli_view(" sum "), SLI_DTYPE_INT32, &updater));
  static const char *const wrong[] = {"",
                                      "Adagrad",
                                      "sum 3",
                                      "Adam learning_rate",
                                      "Adam learning_rate=x",
                                      "Adam learning_rate=1 gamma=3",
                                      "Adam learning_rate=nan",
                                      "Adam learning_rate=-1",
                                      "Adam learning_rate=1 beta1=1",
                                      "Ftrl learning_rate=0",
                                      "Ftrl learning_rate=1 learning_rate_power=1",
                                      "Adam learning_rate=1 initial_accumulator_value=1"};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
    SLI_EXPECT_STATUS(sli_updater_parse(sli_view(wrong[i]), SLI_DTYPE_FLOAT, &updater), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_updater_parse(sli_view("Adam learning_rate=1"), SLI_DTYPE_INT32, &updater), SLI_UNIMPLEMENTED);
}

SLI_TEST_MAIN(test_random_operations, test_many_tables, test_many_keys, test_wrong_length_among_many, test_rules,
              test_adam, test_bound_variable, test_change_of_rule, test_threads, test_updater_texts)
