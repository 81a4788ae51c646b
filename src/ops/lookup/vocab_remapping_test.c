// Remappings of one vocabulary file to another.
#include <stdio.h>

#include "ops/common/testing.h"

static sli_tensor_t *write_file(const char *name, const char *text) {
  char path[300];
  snprintf(path, sizeof(path), "%s/%s", sli_test_temporary_dir(), name);
  FILE *file = fopen(path, "we");
  SLI_CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
  return sli_tensor_scalar_string(sli_view(path));
}

static sli_status_t *remap(int64_t offset, int64_t count, int64_t old_size, sli_tensor_t **outputs) {
  sli_tensor_t *inputs[] = {write_file("new", "knitting\nflask\nguitar\nflask\n"),
                            write_file("old", "flask\r\nguitar\nbook")};
  sli_attr_entry_t attrs[] = {SLI_ATTR_INT_OF("new_vocab_offset", offset), SLI_ATTR_INT_OF("num_new_vocab", count),
                              SLI_ATTR_INT_OF("old_vocab_size", old_size)};
  return sli_testing_run("GenerateVocabRemapping", attrs, 3, inputs, 2, outputs);
}

static void expect_remapping(int64_t offset, int64_t count, int64_t old_size, const int64_t *wanted, int32_t present) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  SLI_REQUIRE_OK(remap(offset, count, old_size, outputs));
  SLI_EXPECT_INT(outputs[0]->count, count);
  for (int64_t i = 0; i < count; i++) SLI_EXPECT_INT(SLI_DATA(int64_t, outputs[0])[i], wanted[i]);
  SLI_EXPECT_INT(SLI_DATA(int32_t, outputs[1])[0], present);
  sli_tensor_release(outputs[0]);
  sli_tensor_release(outputs[1]);
}

SLI_TEST(test_lines_are_found_by_their_words) {
  expect_remapping(0, 4, -1, (int64_t[]){-1, 0, 1, 0}, 3);
  expect_remapping(1, 2, -1, (int64_t[]){0, 1}, 2);
  expect_remapping(0, 3, 1, (int64_t[]){-1, 0, -1}, 1);
  expect_remapping(0, 0, -1, NULL, 0);
}

SLI_TEST(test_files_that_are_too_short_are_refused) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_testing_expect_error(remap(2, 3, -1, outputs), SLI_INVALID_ARGUMENT, "last new vocab entry's line");
  sli_testing_expect_error(remap(0, 1, 4, outputs), SLI_INVALID_ARGUMENT, "expected 4 but got 3");
}

SLI_TEST_MAIN(test_lines_are_found_by_their_words, test_files_that_are_too_short_are_refused)
