#include "cli/sweep/sweep_space.h"

#include <stdlib.h>

#include "base/test.h"

static void free_point(char **values, size_t count) {
  for (size_t i = 0; i < count; i++) free(values[i]);
  free(values);
}

SLI_TEST(test_grid) {
  sli_sweep_space_t space = {0};
  SLI_REQUIRE_OK(sli_sweep_space_add(&space, "lr=log:1e-4:1e-1:4"));
  SLI_REQUIRE_OK(sli_sweep_space_add(&space, "layers=int:1:3"));
  SLI_REQUIRE_OK(sli_sweep_space_add(&space, "act=relu, tanh"));
  size_t size;
  SLI_REQUIRE_OK(sli_sweep_space_grid_size(&space, &size));
  SLI_EXPECT_INT(size, 24);
  static const char *const wanted[][3] = {{"0.0001", "1", "relu"}, {"0.0001", "1", "tanh"}, {"0.0001", "2", "relu"}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(wanted); i++) {
    char **point = sli_sweep_space_grid_point(&space, i);
    for (size_t j = 0; j < 3; j++) SLI_EXPECT_TEXT(point[j], wanted[i][j]);
    free_point(point, 3);
  }
  char **last = sli_sweep_space_grid_point(&space, size - 1);
  SLI_EXPECT_TEXT(last[0], "0.1");
  SLI_EXPECT_TEXT(last[1], "3");
  SLI_EXPECT_TEXT(last[2], "tanh");
  free_point(last, 3);
  SLI_EXPECT_INT(sli_sweep_space_count(&space), 0);
  sli_sweep_space_deinitialize(&space);
}

SLI_TEST(test_random_points_are_repeatable_and_in_range) {
  sli_sweep_space_t space = {0};
  SLI_REQUIRE_OK(sli_sweep_space_add(&space, "lr=log:1e-4:1e-1"));
  SLI_REQUIRE_OK(sli_sweep_space_add(&space, "n=int:-2:2"));
  SLI_REQUIRE_OK(sli_sweep_space_add(&space, "units=64,128,256"));
  size_t below = 0, seen[5] = {0}, lists[3] = {0};
  for (size_t i = 0; i < 1000; i++) {
    char **a = sli_sweep_space_random_point(&space, 7, i), **b = sli_sweep_space_random_point(&space, 7, i);
    for (size_t j = 0; j < 3; j++) SLI_EXPECT_TEXT(a[j], b[j]);
    double rate = strtod(a[0], NULL);
    SLI_EXPECT(rate >= 1e-4 && rate <= 1e-1);
    below += rate < 3.1622e-3;  // the middle of the logarithms
    long n = strtol(a[1], NULL, 10);
    SLI_REQUIRE(n >= -2 && n <= 2);
    seen[n + 2]++;
    lists[strlen(a[2]) == 2 ? 0 : a[2][0] == '1' ? 1 : 2]++;
    free_point(a, 3);
    free_point(b, 3);
  }
  SLI_EXPECT(below > 430 && below < 570);
  for (size_t i = 0; i < 5; i++) SLI_EXPECT(seen[i] > 140 && seen[i] < 260);
  for (size_t i = 0; i < 3; i++) SLI_EXPECT(lists[i] > 260 && lists[i] < 410);
  sli_sweep_space_deinitialize(&space);
}

SLI_TEST(test_a_finite_space_is_counted) {
  sli_sweep_space_t space = {0};
  SLI_REQUIRE_OK(sli_sweep_space_add(&space, "n=int:1:4"));
  SLI_REQUIRE_OK(sli_sweep_space_add(&space, "units=64,128,256"));
  SLI_EXPECT_INT(sli_sweep_space_count(&space), 12);
  SLI_EXPECT(sli_sweep_parameter_is_number(&space.parameters.items[1]));
  sli_sweep_space_deinitialize(&space);
}

SLI_TEST(test_errors_name_the_rule) {
  static const char *const rows[][2] = {
      {"lr", "--param lr: must be NAME=VALUES"},
      {"=1", "must be NAME=VALUES"},
      {"a b=1", "must be NAME=VALUES"},
      {"lr=", "a value of the list is empty"},
      {"lr=1,,2", "a value of the list is empty"},
      {"lr=1,2,1", "a value is in the list twice"},
      {"lr=log:0:1", "LOW must be greater than 0"},
      {"lr=log:1", "a range must be LOW:HIGH"},
      {"lr=lin:1:x", "a range must be LOW:HIGH"},
      {"lr=lin:1:inf", "a range must be LOW:HIGH"},
      {"lr=lin:2:1", "LOW must not be greater than HIGH"},
      {"lr=lin:1:2:0", "the number of points must be from 1"},
      {"n=int:1.5:2", "LOW and HIGH must be integers"},
      {"n=int:1:2:3", "there are fewer integers than points"},
      {"twice=2", "this parameter is given twice"},
  };
  sli_sweep_space_t space = {0};
  SLI_REQUIRE_OK(sli_sweep_space_add(&space, "twice=1"));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++) {
    sli_status_t *status = sli_sweep_space_add(&space, rows[i][0]);
    SLI_EXPECT_INT(sli_status_code(status), SLI_INVALID_ARGUMENT);
    SLI_EXPECT_CONTAINS(sli_status_message(status), rows[i][1]);
    sli_status_release(status);
  }
  size_t size;
  SLI_REQUIRE_OK(sli_sweep_space_add(&space, "lr=log:1e-4:1e-1"));
  sli_status_t *status = sli_sweep_space_grid_size(&space, &size);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "--param lr=log:1e-4:1e-1:5");
  sli_status_release(status);
  sli_sweep_space_deinitialize(&space);
}

SLI_TEST_MAIN(test_grid, test_random_points_are_repeatable_and_in_range, test_a_finite_space_is_counted,
              test_errors_name_the_rule)
