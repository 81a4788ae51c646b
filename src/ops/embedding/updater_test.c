// Updaters in shared libraries; those of the optimizers are tested with the tables that use them.
#include "ops/embedding/updater_cell.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/test.h"

static void test_library(void) {
  setenv("SLUICE_UPDATERS", SLI_BUILD_DIR "/examples/updaters", 1);
  sli_updater_cell_t cell;
  sli_updater_cell_initialize(&cell);
  SLI_EXPECT_OK(sli_updater_cell_set(&cell, sli_view("library:clipped.so 0.5 2"), SLI_DTYPE_FLOAT));
  sli_updater_shared_t *first = sli_updater_cell_get(&cell);
  SLI_EXPECT_INT(first->updater.slot_count, 1);
  float values[3] = {1, 1, 1}, slots[3], gradients[] = {1, -4, 100};
  sli_updater_fill_slots(&first->updater, SLI_DTYPE_FLOAT, slots, 3);
  sli_updater_apply(&first->updater, SLI_DTYPE_FLOAT, values, slots, 3, gradients, 0, 3, 1);
  SLI_EXPECT(values[0] == 0.5f && values[1] == 2 && values[2] == 0);
  SLI_EXPECT(slots[0] == 1 && slots[2] == 1);
  // Another rate keeps the rule, and with it the slots.
  SLI_EXPECT_OK(sli_updater_cell_set(&cell, sli_view("library:clipped.so 0.25 2"), SLI_DTYPE_FLOAT));
  sli_updater_shared_t *second = sli_updater_cell_get(&cell);
  SLI_EXPECT(first->updater.name == second->updater.name);
  sli_updater_shared_release(first);
  sli_updater_shared_release(second);
  sli_updater_cell_deinitialize(&cell);
}

static void expect_refused(const char *text, sli_dtype_t dtype, sli_code_t code, const char *why) {
  sli_updater_t updater;
  sli_status_t *status = sli_updater_parse(sli_view(text), dtype, &updater);
  SLI_EXPECT_INT(sli_status_code(status), code);
  if (status) SLI_EXPECT_CONTAINS(sli_status_message(status), why);
  sli_status_release(status);
}

static void test_refusals(void) {
  setenv("SLUICE_UPDATERS", SLI_BUILD_DIR "/examples/updaters", 1);
  expect_refused("library:clipped.so x", SLI_DTYPE_FLOAT, SLI_INVALID_ARGUMENT, "needs a rate and a limit above 0");
  expect_refused("library:missing.so", SLI_DTYPE_FLOAT, SLI_INVALID_ARGUMENT, "Cannot load the updater");
  expect_refused("library:clipped.so 1 1", SLI_DTYPE_DOUBLE, SLI_UNIMPLEMENTED, "of type float");
  expect_refused("library:../updaters/clipped.so 1 1", SLI_DTYPE_FLOAT, SLI_PERMISSION_DENIED, "without a path");
  expect_refused("library:", SLI_DTYPE_FLOAT, SLI_PERMISSION_DENIED, "SLUICE_UPDATERS");
  unsetenv("SLUICE_UPDATERS");
  expect_refused("library:clipped.so 1 1", SLI_DTYPE_FLOAT, SLI_PERMISSION_DENIED, "not set");
}

SLI_TEST_MAIN(test_library, test_refusals)
