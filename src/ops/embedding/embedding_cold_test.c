// Rows on the disk: random operations beside a plain model, compaction, a full disk, and tables larger than memory.
#include "ops/embedding/embedding_cold.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/test.h"
#include "ops/embedding/embedding_save.h"

enum { KEYS = 3000, ROOM = 200 };

typedef struct {
  size_t size;  // 0: none
  unsigned char data[ROOM];
} model_t;
static model_t model[KEYS];

static uint64_t key_of(size_t at) { return at * UINT64_C(0x9e3779b97f4a7c15) - 5; }

static bool count_record(void *context, uint64_t key, const void *data, size_t size) {
  ++*(size_t *)context;
  for (size_t i = 0; i < KEYS; i++)
    if (key_of(i) == key) return model[i].size == size && !memcmp(model[i].data, data, size);
  return false;
}

static void test_random_operations(void) {
  sli_embedding_cold_t *cold;
  SLI_EXPECT_OK(sli_embedding_cold_create(sli_test_temporary_dir(), ROOM, &cold));
  uint64_t random = 1, largest = 0;
  size_t live = 0;
  char data[ROOM];
  for (int step = 0; step < 60000; step++) {
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    size_t at = (size_t)(random >> 40) % KEYS, size = 1 + (size_t)(random >> 33) % ROOM, have;
    uint64_t key = key_of(at);
    switch ((random >> 20) % 4) {
      case 0:
        SLI_EXPECT_OK(sli_embedding_cold_get(cold, key, data, &have));
        SLI_EXPECT_INT(have, model[at].size);
        SLI_EXPECT(memcmp(data, model[at].data, have) == 0);
        break;
      case 1:
        SLI_EXPECT_OK(sli_embedding_cold_remove(cold, key));
        live -= model[at].size > 0;
        model[at].size = 0;
        break;
      default:
        live += model[at].size == 0;
        model[at].size = size;
        memset(model[at].data, (int)(random >> 50), size);
        SLI_EXPECT_OK(sli_embedding_cold_put(cold, key, model[at].data, size));
    }
    if (sli_embedding_cold_file(cold) > largest) largest = sli_embedding_cold_file(cold);
  }
  SLI_EXPECT_INT(sli_embedding_cold_count(cold), live);
  size_t seen = 0;
  SLI_EXPECT_OK(sli_embedding_cold_for_each(cold, count_record, &seen));
  SLI_EXPECT_INT(seen, live);
  SLI_EXPECT(largest < 2 << 20);  // 3.5 MB were written
  sli_embedding_cold_clear(cold);
  SLI_EXPECT_INT(sli_embedding_cold_count(cold), 0);
  sli_embedding_cold_destroy(cold);
  SLI_EXPECT_STATUS(sli_embedding_cold_create("/nowhere", ROOM, &cold), SLI_NOT_FOUND);
}

// ---- Tables larger than memory ---------------------------------------------------

enum { DIM = 8, ROWS = 20000, IN_MEMORY = 2000 };

static sli_embedding_table_t *table_create(bool is_cold) {
  sli_embedding_table_t *table;
  sli_embedding_rows_options_t options = {.dtype = SLI_DTYPE_FLOAT,
                                          .length = DIM,
                                          .initializer = sli_view("uniform scale=1"),
                                          .max_rows = is_cold ? IN_MEMORY : 0,
                                          .directory = sli_view(is_cold ? sli_test_temporary_dir() : "")};
  SLI_EXPECT_OK(sli_embedding_table_create(sli_view("t"), &options, &table));
  SLI_EXPECT_OK(sli_updater_cell_set(&table->updater, sli_view("Adagrad learning_rate=0.1"), SLI_DTYPE_FLOAT));
  return table;
}

static sli_status_t *train(sli_embedding_table_t *table, const uint64_t *keys, size_t count) {
  static float gradients[500 * DIM];
  for (size_t i = 0; i < count * DIM; i++) gradients[i] = (float)(i % 13) - 6;
  sli_updater_shared_t *updater = sli_updater_cell_get(&table->updater);
  sli_status_t *status =
      sli_embedding_rows_push(table->rows, NULL, (const char *)keys, count, gradients, &updater->updater);
  sli_updater_shared_release(updater);
  return status;
}

static void expect_same(sli_embedding_table_t *a, sli_embedding_table_t *b, bool create) {
  static uint64_t keys[ROWS];
  static float left[ROWS * DIM], right[ROWS * DIM];
  for (size_t i = 0; i < ROWS; i++) keys[i] = key_of(i);
  SLI_EXPECT_OK(sli_embedding_rows_pull(a->rows, NULL, (const char *)keys, ROWS, false, left));
  SLI_EXPECT_OK(sli_embedding_rows_pull(b->rows, NULL, (const char *)keys, ROWS, create, right));
  SLI_EXPECT(memcmp(left, right, sizeof(left)) == 0);
}

// A table ten times larger than its memory trains as one that is in memory, slots included, and so do its checkpoints.
static void test_ten_times_memory(void) {
  sli_embedding_table_t *cold = table_create(true), *warm = table_create(false), *restored = table_create(true);
  uint64_t keys[500], random = 7;
  char *prefix = sli_format("%s/cold", sli_test_temporary_dir());
  sli_embedding_save_place_t place = {.prefix = prefix, .name = "t", .parts = 1};
  for (int step = 0; step < 400; step++) {
    for (size_t i = 0; i < 500; i++) {
      random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
      keys[i] = key_of((size_t)(random >> 33) % ROWS);
    }
    SLI_EXPECT_OK(train(cold, keys, 500));
    SLI_EXPECT_OK(train(warm, keys, 500));
  }
  sli_embedding_rows_size_t size = sli_embedding_rows_size(cold->rows);
  SLI_EXPECT_INT(size.rows, sli_embedding_rows_size(warm->rows).rows);
  SLI_EXPECT(size.rows - size.cold_rows <= IN_MEMORY + 64 && size.evicted == 0);
  expect_same(warm, cold, false);
  SLI_EXPECT_OK(sli_embedding_save(cold, &place));
  SLI_EXPECT_OK(sli_embedding_restore(restored, &place));
  expect_same(warm, restored, true);
  for (int step = 0; step < 20; step++) {
    SLI_EXPECT_OK(train(restored, keys, 500));
    SLI_EXPECT_OK(train(warm, keys, 500));
  }
  expect_same(warm, restored, false);
  free(prefix);
  sli_object_release(cold);
  sli_object_release(warm);
  sli_object_release(restored);
}

// With a full disk new rows are refused; those that are there go on, and more fit when there is room again.
static void test_full_disk(void) {
  sli_embedding_table_t *table = table_create(true);
  struct rlimit before, small = {.rlim_cur = 20000};
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  small.rlim_max = before.rlim_max;
  setrlimit(RLIMIT_FSIZE, &small);  // of the file of each of the 64 parts
  sli_status_t *status = NULL;
  uint64_t made = 0;
  for (; made < 100 * ROWS && !status; made++) status = train(table, (uint64_t[]){key_of(made)}, 1);
  SLI_EXPECT_INT(sli_status_code(status), SLI_RESOURCE_EXHAUSTED);
  sli_status_release(status);
  uint64_t rows = sli_embedding_rows_size(table->rows).rows;
  SLI_EXPECT_INT(rows, made - 1);
  setrlimit(RLIMIT_FSIZE, &before);
  SLI_EXPECT_OK(train(table, (uint64_t[]){key_of(made)}, 1));
  SLI_EXPECT_INT(sli_embedding_rows_size(table->rows).rows, rows + 1);
  sli_object_release(table);
}

SLI_TEST_MAIN(test_random_operations, test_ten_times_memory, test_full_disk)
