#include "dist/backup/backup.h"

#include <stdlib.h>
#include <string.h>

#include "base/test.h"
#include "core/state/variable.h"
#include "dist/backup/backup_internal.h"
#include "dist/env/env_process.h"
#include "io/file/file.h"

enum { ROWS = 20000, WIDTH = 16 };

typedef struct {
  sli_resource_manager_t *resources;
  sli_backup_t *backup;
  char *directory;
} world_t;

static world_t world_create(const char *name) {
  world_t world = {sli_resource_manager_create("localhost"),
                   .directory = sli_format("%s/%s", sli_test_temporary_dir(), name)};
  world.backup = sli_backup_create(sli_env_process(), world.resources, "/job:ps/replica:0/task:3");
  return world;
}

static void world_destroy(world_t *world) {
  sli_backup_destroy(world->backup);
  sli_resource_manager_destroy(world->resources);
  free(world->directory);
}

static sli_variable_t *add_variable(world_t *world, const char *name) {
  sli_variable_t *variable = sli_variable_create(SLI_DTYPE_FLOAT, sli_view(name), SLI_SHAPE_UNKNOWN);
  sli_tensor_t *tensor = NULL;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, (int64_t[]){ROWS, WIDTH}, 2, &tensor));
  for (int i = 0; i < ROWS * WIDTH; i++) SLI_DATA(float, tensor)[i] = 1;
  sli_variable_replace(variable, tensor);
  SLI_EXPECT_OK(sli_resource_insert(world->resources, sli_view(""), sli_view(name), variable));
  return variable;
}

// As an update in place does.
static void set_row(sli_variable_t *variable, int row, float value) {
  SLI_EXPECT_OK(sli_variable_leave_lent_memory(variable));
  sli_tensor_t *tensor = sli_variable_borrow(variable);
  for (int i = 0; i < WIDTH; i++) SLI_DATA(float, tensor)[row * WIDTH + i] = value;
  sli_variable_return(variable, tensor);
}

static float row_of(sli_variable_t *variable, int row) {
  sli_tensor_t *tensor = sli_variable_read(variable);
  float value = tensor ? SLI_DATA(float, tensor)[row * WIDTH + WIDTH - 1] : -1;
  sli_tensor_release(tensor);
  return value;
}

// Takes a version, and waits until it is written.
static void cut(world_t *world, int64_t step) {
  SLI_EXPECT(sli_backup_cut(world->backup, world->directory, step));
  sli_backup_begin(world->backup);
  sli_backup_end(world->backup);
}

static int64_t size_of(const world_t *world, bool is_full, int64_t step) {
  char *folder = sli_backup_task_directory(world->backup, world->directory);
  char *prefix = sli_backup_prefix(folder, (sli_backup_version_t){step, is_full});
  char *path = sli_format("%s.data-00000-of-00001", prefix);
  sli_file_info_t info = {0};
  SLI_EXPECT_OK(sli_file_info(path, &info));
  free(path);
  free(prefix);
  free(folder);
  return (int64_t)info.size;
}

// A graph may read a reference before an update and use the value after it.
SLI_TEST(test_a_small_variable_stays_in_its_memory) {
  world_t world = world_create("small");
  sli_variable_t *step = sli_variable_create(SLI_DTYPE_FLOAT, sli_view("step"), SLI_SHAPE_UNKNOWN);
  sli_tensor_t *tensor = NULL;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, (int64_t[]){1, WIDTH}, 2, &tensor));
  memset(SLI_DATA(float, tensor), 0, WIDTH * sizeof(float));
  sli_variable_replace(step, tensor);
  SLI_EXPECT_OK(sli_resource_insert(world.resources, sli_view(""), sli_view("step"), step));
  for (int i = 0; i < 20; i++) {
    SLI_EXPECT(sli_backup_cut(world.backup, world.directory, i + 1));
    sli_tensor_t *read = sli_variable_read(step);
    set_row(step, 0, (float)(i + 1));
    SLI_EXPECT_NEAR(SLI_DATA(float, read)[0], i + 1, 0);
    sli_tensor_release(read);
    sli_backup_begin(world.backup);
    sli_backup_end(world.backup);
  }
  sli_variable_release(step);
  world_destroy(&world);
}

SLI_TEST(test_a_delta_has_the_rows_that_changed) {
  world_t world = world_create("rows");
  sli_variable_t *variable = add_variable(&world, "embedding"), *other = add_variable(&world, "other");
  cut(&world, 10);
  set_row(variable, 7, 2);
  set_row(variable, ROWS - 1, 3);
  cut(&world, 20);
  set_row(variable, 7, 4);
  cut(&world, 30);
  SLI_EXPECT_INT(size_of(&world, true, 10), 2 * ROWS * WIDTH * (int)sizeof(float));
  SLI_EXPECT(size_of(&world, false, 20) < 3 << 16);
  SLI_EXPECT(size_of(&world, false, 30) < 2 << 16);
  SLI_EXPECT_OK(sli_backup_restore(world.backup, world.directory, 30));
  SLI_EXPECT_NEAR(row_of(variable, 7), 4, 0);
  SLI_EXPECT_NEAR(row_of(variable, ROWS - 1), 3, 0);
  SLI_EXPECT_OK(sli_backup_restore(world.backup, world.directory, 20));
  SLI_EXPECT_NEAR(row_of(variable, 7), 2, 0);
  SLI_EXPECT_NEAR(row_of(other, 7), 1, 0);
  // What came after that is gone, and the next version is a full one.
  SLI_EXPECT_STATUS(sli_backup_restore(world.backup, world.directory, 30), SLI_NOT_FOUND);
  cut(&world, 30);
  SLI_EXPECT_INT(size_of(&world, true, 30), 2 * ROWS * WIDTH * (int)sizeof(float));
  sli_variable_release(variable);
  sli_variable_release(other);
  world_destroy(&world);
}

SLI_TEST(test_another_task_gets_the_variables) {
  world_t world = world_create("another");
  sli_variable_t *variable = add_variable(&world, "a/b");
  cut(&world, 1);
  set_row(variable, 5, 8);
  cut(&world, 2);
  sli_variable_release(variable);
  sli_backup_destroy(world.backup);
  sli_resource_manager_destroy(world.resources);
  world.resources = sli_resource_manager_create("localhost");
  world.backup = sli_backup_create(sli_env_process(), world.resources, "/job:ps/replica:0/task:3");
  sli_backup_steps_t steps = {0};
  SLI_EXPECT_OK(sli_backup_list(world.backup, world.directory, &steps));
  SLI_EXPECT_INT(steps.count, 2);
  SLI_EXPECT_OK(sli_backup_restore(world.backup, world.directory, steps.items[1]));
  sli_array_deinitialize(&steps);
  SLI_EXPECT_OK(
      sli_resource_find(world.resources, sli_view(""), &sli_variable_type, sli_view("a/b"), (void **)&variable));
  SLI_EXPECT_NEAR(row_of(variable, 5), 8, 0);
  SLI_EXPECT_NEAR(row_of(variable, 6), 1, 0);
  sli_variable_release(variable);
  sli_backup_forget(world.backup);
  SLI_EXPECT(!sli_file_exists(world.directory));
  world_destroy(&world);
}

// An update after the version was taken does not change it, though it is still being written.
SLI_TEST(test_a_version_is_of_one_moment) {
  world_t world = world_create("moment");
  sli_variable_t *variable = add_variable(&world, "v");
  for (int64_t step = 1; step <= 20; step++) {
    SLI_EXPECT(sli_backup_cut(world.backup, world.directory, step));
    for (int row = 0; row < ROWS; row += 100) set_row(variable, row, (float)step + 1);
    sli_backup_begin(world.backup);
    sli_backup_end(world.backup);
  }
  SLI_EXPECT_OK(sli_backup_restore(world.backup, world.directory, 20));
  for (int row = 0; row < ROWS; row += 100) SLI_EXPECT_NEAR(row_of(variable, row), 20, 0);
  SLI_EXPECT_NEAR(row_of(variable, 1), 1, 0);
  // Versions before the last full one but one are deleted: 11 is full, and so is 1.
  sli_backup_steps_t steps = {0};
  SLI_EXPECT_OK(sli_backup_list(world.backup, world.directory, &steps));
  SLI_EXPECT_INT(steps.count, 20);
  sli_array_deinitialize(&steps);
  cut(&world, 21);
  cut(&world, 22);
  sli_variable_release(variable);
  world_destroy(&world);
}

SLI_TEST(test_a_chain_with_a_gap_is_refused) {
  world_t world = world_create("gap");
  sli_variable_t *variable = add_variable(&world, "v");
  for (int64_t step = 1; step <= 3; step++) {
    set_row(variable, 0, (float)step + 1);
    cut(&world, step);
  }
  char *folder = sli_backup_task_directory(world.backup, world.directory);
  char *prefix = sli_backup_prefix(folder, (sli_backup_version_t){2, false}), *index = sli_format("%s.index", prefix);
  SLI_EXPECT_OK(sli_file_delete(index));
  SLI_EXPECT_STATUS(sli_backup_restore(world.backup, world.directory, 3), SLI_DATA_LOSS);
  SLI_EXPECT_NEAR(row_of(variable, 0), 4, 0);
  SLI_EXPECT_OK(sli_backup_restore(world.backup, world.directory, 1));
  SLI_EXPECT_NEAR(row_of(variable, 0), 2, 0);
  free(index);
  free(prefix);
  free(folder);
  sli_variable_release(variable);
  world_destroy(&world);
}

SLI_TEST_MAIN(test_a_small_variable_stays_in_its_memory, test_a_delta_has_the_rows_that_changed,
              test_another_task_gets_the_variables, test_a_version_is_of_one_moment, test_a_chain_with_a_gap_is_refused)
