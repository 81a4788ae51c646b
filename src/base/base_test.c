// Tests of the small files of base.
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/slices.h"
#include "base/status.h"
#include "base/string.h"
#include "base/test.h"

SLI_TEST(test_status_append_and_prefix_keep_code_and_derived) {
  sli_status_t *status = sli_status_mark_derived(sli_status_make(SLI_NOT_FOUND, "b%d", 1));
  status = sli_status_prefix(sli_status_append(status, "c"), "a");
  SLI_EXPECT_TEXT(sli_status_message(status), "ab1c");
  SLI_EXPECT(sli_status_is_derived(status));
  SLI_EXPECT_STATUS(status, SLI_NOT_FOUND);
}

SLI_TEST(test_status_join_keeps_root_cause) {
  sli_status_t *derived = sli_status_mark_derived(sli_status_make(SLI_CANCELLED, "step cancelled"));
  SLI_EXPECT_STATUS(sli_status_join(derived, sli_status_make(SLI_INTERNAL, "cause")), SLI_INTERNAL);
  SLI_EXPECT_STATUS(sli_status_join(sli_status_make(SLI_ABORTED, "1"), sli_status_make(SLI_INTERNAL, "2")),
                    SLI_ABORTED);
  SLI_EXPECT_OK(sli_status_join(NULL, NULL));
}

SLI_TEST(test_status_of_foreign_code_is_unknown) {
  SLI_EXPECT_STATUS(sli_status_make((sli_code_t)77, "x"), SLI_UNKNOWN);
}

SLI_TEST(test_view_numbers_reject_rubbish) {
  int64_t number;
  SLI_EXPECT(sli_view_to_int64(sli_view("-12"), &number) && number == -12);
  SLI_EXPECT(!sli_view_to_int64(sli_view("12x"), &number));
  SLI_EXPECT(!sli_view_to_int64(sli_view(" 1"), &number));
  SLI_EXPECT(!sli_view_to_int64(sli_view(""), &number));
  SLI_EXPECT(!sli_view_to_int64(sli_view("99999999999999999999"), &number));
  double real;
  SLI_EXPECT(sli_view_to_double(sli_view("1e-3"), &real) && real == 1e-3);
  SLI_EXPECT(!sli_view_to_double(sli_view("1e-3 "), &real));
}

SLI_TEST(test_map_survives_thousands_of_inserts_and_removes) {
  sli_map_t map = {0};
  for (intptr_t i = 0; i < 5000; i++) {
    char key[16];
    snprintf(key, sizeof(key), "k%d", (int)i);
    SLI_EXPECT(sli_map_insert(&map, sli_view(key), (void *)(i + 1)));
    if (i % 3 == 0) SLI_EXPECT(sli_map_remove(&map, sli_view(key)) == (void *)(i + 1));
  }
  SLI_EXPECT_INT(map.count, 5000 - 1667);
  SLI_EXPECT(sli_map_get(&map, sli_view("k3")) == NULL);
  SLI_EXPECT(sli_map_get(&map, sli_view("k4")) == (void *)5);
  SLI_EXPECT(!sli_map_insert(&map, sli_view("k4"), NULL));
  size_t seen = 0;
  SLI_MAP_FOR_EACH (&map, entry) seen++;
  SLI_EXPECT_INT(seen, map.count);
  sli_map_deinitialize(&map);
}

SLI_TEST(test_arena_refuses_past_its_budget) {
  sli_arena_t arena = {.budget = 1000};
  SLI_EXPECT(sli_arena_try_allocate(&arena, 900) != NULL);
  SLI_EXPECT(sli_arena_try_allocate(&arena, 200) == NULL);
  SLI_EXPECT(sli_arena_try_allocate(&arena, SIZE_MAX - 8) == NULL);
  SLI_EXPECT(sli_arena_try_allocate(&arena, 50) != NULL);
  sli_arena_deinitialize(&arena);
}

static void count_release(void *context) { ++*(int *)context; }

SLI_TEST(test_slices_release_each_once) {
  int released = 0;
  sli_slices_t slices = {0};
  sli_slices_append(&slices, "ab", 2, count_release, &released);
  sli_slices_append(&slices, "", 0, count_release, &released);
  sli_slices_append(&slices, "cd", 2, count_release, &released);
  char text[5] = {0};
  sli_slices_copy(&slices, text);
  SLI_EXPECT_TEXT(text, "abcd");
  sli_slices_deinitialize(&slices);
  SLI_EXPECT_INT(released, 3);
}

SLI_TEST(test_escaped_text_reads_back_in_c) {
  sli_string_t text = {0};
  sli_string_append_escaped(&text, sli_view_of("a\n\"\\\0\x7f\xc3\xa9", 8));
  SLI_EXPECT_TEXT(sli_string_text(&text), "a\\n\\\"\\\\\\000\\177\\303\\251");
  sli_string_clear(&text);
  sli_string_append_escaped_utf8(&text, sli_view("\t'\xc3\xa9\x7f"));
  SLI_EXPECT_TEXT(sli_string_text(&text), "\\t\\'\xc3\xa9\\177");
  sli_string_deinitialize(&text);
}

SLI_TEST(test_hash_equals_tensorflow) {
  // Seen on the wire of TensorFlow 2.15: the frame of a top-level loop named "while".
  const char *frame = "while/while_context";
  uint64_t name = sli_hash_tensorflow(frame, strlen(frame), SLI_HASH_TENSORFLOW_SEED);
  SLI_EXPECT(sli_hash_combine(0, sli_hash_combine(0, name)) == UINT64_C(18186195969791715286));
}

SLI_TEST_MAIN(test_status_append_and_prefix_keep_code_and_derived, test_status_join_keeps_root_cause,
              test_status_of_foreign_code_is_unknown, test_view_numbers_reject_rubbish,
              test_map_survives_thousands_of_inserts_and_removes, test_arena_refuses_past_its_budget,
              test_slices_release_each_once, test_escaped_text_reads_back_in_c, test_hash_equals_tensorflow)
