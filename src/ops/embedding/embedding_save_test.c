// Checkpoints of rows: all of them, and chains of changes, restored by other numbers of parts.
#include "ops/embedding/embedding_save.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/test.h"
#include "io/checkpoint/checkpoint_files.h"
#include "io/file/file.h"
#include "ops/embedding/embedding_order.h"

enum { DIM = 3, KEYS = 4000, SAVES = 12, FULL_EVERY = 4 };

static sli_embedding_table_t *table_create(uint64_t max_rows, int64_t length) {
  sli_embedding_table_t *table;
  sli_embedding_rows_options_t options = {.dtype = SLI_DTYPE_FLOAT,
                                          .length = length,
                                          .initializer = sli_view("uniform scale=1"),
                                          .max_rows = max_rows,
                                          .evicts = true};
  SLI_EXPECT_OK(sli_embedding_table_create(sli_view("t/x"), &options, &table));
  SLI_EXPECT_OK(sli_updater_cell_set(&table->updater, sli_view("Adam learning_rate=0.1"), SLI_DTYPE_FLOAT));
  return table;
}

static void push(sli_embedding_table_t *table, const uint64_t *keys, size_t count, float gradient) {
  static float gradients[KEYS * DIM];
  for (size_t i = 0; i < count * DIM; i++) gradients[i] = gradient + (float)(i % 7);
  sli_updater_shared_t *updater = sli_updater_cell_get(&table->updater);
  SLI_EXPECT_OK(sli_embedding_rows_push(table->rows, NULL, (const char *)keys, count, gradients, &updater->updater));
  sli_updater_shared_release(updater);
}

static void read_all(sli_embedding_table_t *table, float *to) {
  static uint64_t keys[KEYS];
  for (size_t i = 0; i < KEYS; i++) keys[i] = i * UINT64_C(0x9e3779b97f4a7c15);
  SLI_EXPECT_OK(sli_embedding_rows_pull(table->rows, NULL, (const char *)keys, KEYS, false, to));
}

// Restores |prefix| with |parts| parts and compares rows, and what another update makes of them, with |table|'s.
static void expect_equal(sli_embedding_table_t *table, const char *prefix, int parts) {
  static float have[KEYS * DIM], want[KEYS * DIM];
  read_all(table, want);
  uint64_t rows = 0;
  for (int part = 0; part < parts; part++) {
    sli_embedding_table_t *restored = table_create(0, DIM);
    SLI_EXPECT_OK(sli_embedding_restore(
        restored, &(sli_embedding_save_place_t){.prefix = prefix, .name = "t/x", .part = part, .parts = parts}));
    rows += sli_embedding_rows_size(restored->rows).rows;
    read_all(restored, have);
    for (size_t i = 0; i < KEYS; i++)
      if (sli_embedding_task(i * UINT64_C(0x9e3779b97f4a7c15), (size_t)parts) == (size_t)part)
        SLI_EXPECT(memcmp(&have[i * DIM], &want[i * DIM], DIM * sizeof(float)) == 0);
    sli_object_release(restored);
  }
  SLI_EXPECT_INT(rows, sli_embedding_rows_size(table->rows).rows);
}

// Each checkpoint is whole, although most have changes only, rows were evicted, and the ones before are deleted.
static void test_changes(void) {
  sli_embedding_table_t *table = table_create(2000, DIM);
  uint64_t keys[500], random = 1;
  char *last = NULL;
  int with_changes = 0;
  for (int save = 0; save < SAVES; save++) {
    for (int step = 0; step < 5; step++) {
      for (size_t i = 0; i < 500; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        keys[i] = ((random >> 33) % KEYS) * UINT64_C(0x9e3779b97f4a7c15);
      }
      push(table, keys, (size_t)(save ? 20 + save : 500), (float)step);
    }
    char *prefix = sli_format("%s/changes-%d", sli_test_temporary_dir(), save);
    SLI_EXPECT_OK(sli_embedding_save(
        table, &(sli_embedding_save_place_t){
                   .prefix = prefix, .name = "t/x", .part = 0, .parts = 1, .full_every = FULL_EVERY}));
    if (last) SLI_EXPECT_OK(sli_checkpoint_delete(last));
    char *changes = sli_format("%s.rows-t%%x-00000-of-00001.changes-1.index", prefix);
    with_changes += sli_file_exists(changes);
    free(changes);
    expect_equal(table, prefix, 1 + save % 3);
    free(last);
    last = prefix;
  }
  SLI_EXPECT(sli_embedding_rows_size(table->rows).evicted > 0);
  SLI_EXPECT_INT(with_changes, SAVES - SAVES / FULL_EVERY);
  free(last);
  sli_object_release(table);
}

// After a save that failed the next one has all rows; a name that is used again has no changes of the old one.
static void test_failed_save(void) {
  sli_embedding_table_t *table = table_create(0, DIM);
  uint64_t keys[] = {1, 2, 3};
  for (int save = 0; save < 4; save++) {
    push(table, keys, 3, 1);
    char *prefix = sli_format("%s/failed-%d", sli_test_temporary_dir(), save % 3);
    if (save == 1) {
      free(prefix);
      prefix = sli_strdup("/proc/nowhere/model");
    }
    sli_status_t *status = sli_embedding_save(
        table, &(sli_embedding_save_place_t){
                   .prefix = prefix, .name = "t/x", .part = 0, .parts = 1, .full_every = FULL_EVERY});
    SLI_EXPECT((status != NULL) == (save == 1));
    sli_status_release(status);
    if (save != 1) expect_equal(table, prefix, 2);
    free(prefix);
  }
  sli_object_release(table);
}

static void test_damaged_files(void) {
  sli_embedding_table_t *table = table_create(0, DIM), *other = table_create(0, DIM + 1);
  uint64_t keys[] = {1, 2, 3};
  push(table, keys, 3, 1);
  char *prefix = sli_format("%s/damaged", sli_test_temporary_dir());
  sli_embedding_save_place_t place = {.prefix = prefix, .name = "t/x", .part = 0, .parts = 1};
  SLI_EXPECT_STATUS(sli_embedding_restore(table, &place), SLI_NOT_FOUND);
  SLI_EXPECT_INT(sli_embedding_rows_size(table->rows).rows, 3);
  SLI_EXPECT_OK(sli_embedding_save(table, &place));
  SLI_EXPECT_STATUS(sli_embedding_restore(other, &place), SLI_INVALID_ARGUMENT);
  char *data = sli_format("%s.rows-t%%x-00000-of-00001.data-00000-of-00001", prefix);
  SLI_EXPECT_INT(truncate(data, 10), 0);
  sli_status_t *status = sli_embedding_restore(table, &place);
  SLI_EXPECT(status != NULL);
  sli_status_release(status);
  free(data);
  free(prefix);
  sli_object_release(table);
  sli_object_release(other);
}

SLI_TEST_MAIN(test_changes, test_failed_save, test_damaged_files)
